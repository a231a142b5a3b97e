//! Calls of faer's gemm, with copies that avoid its slow cases.
//!
//! faer's kernels need contiguous columns of the right operand and contiguous vectors. The plan copies operands for
//! which they are not; [`shared`](super::shared) divides the work among threads.

use faer::{Accum, Conj, MatMut, MatRef};

use super::pack::{contiguous_column, with_panel};
use super::shared::{INNER_STEP, compute, threads_for};
use affinimath_core::scalar::Scalar;

/// An operand with its transposition done; faer conjugates its elements while reading.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a, T> {
    pub matrix: MatRef<'a, T>,
    pub conj: Conj,
}

impl<'a, T> Operand<'a, T> {
    pub(super) fn transpose(self) -> Self {
        Operand { matrix: self.matrix.transpose(), ..self }
    }
}

/// The sizes of C = A B: m by n, with an inner dimension k.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// Algorithm of a product with a column-major C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// faer's product on the operands as stored.
    Direct,
    /// C is one column: the strided vectors are copied, since faer has fast paths for contiguous ones only.
    Vector,
    /// Panels of B are copied into contiguous columns first. Rows of B that lie a multiple of 4 KiB apart fall into the
    /// same few cache sets, and cost faer half its speed.
    PackedRight,
}

/// Rows of C from which a panel's copy is paid for by its reuse.
pub const PACK_ROWS: usize = 256;
/// Minimum rows for packing B if its rows contend for cache sets.
pub const PACK_ROWS_CONTENDED: usize = 64;
/// Bytes between rows, or a multiple, at which they contend.
const CONTENDED_STRIDE: usize = 1024;
/// Products that faer computes by small unrolled kernels, indifferent to strides.
const SMALL: usize = 16 * 16 * 16;
/// Elements from which an inner product of strided vectors is worth their copy.
const LONG_K: usize = 128;

/// Layout of an operand's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Each contiguous.
    Contiguous,
    /// Strided, with this many bytes from a row to the next.
    Strided(usize),
}

impl Plan {
    pub fn choose(shape: Shape, b: Columns, c: Columns) -> Plan {
        let Shape { m, n, k } = shape;
        match (m, n) {
            (1, 1) if k >= LONG_K => Plan::Vector,
            _ if m.saturating_mul(n).saturating_mul(k) <= SMALL => Plan::Direct,
            (_, 1) if b == Columns::Contiguous && c == Columns::Contiguous => Plan::Direct,
            (_, 1) => Plan::Vector,
            _ => match b {
                Columns::Strided(bytes) if k > 1 => {
                    let rows = if bytes % CONTENDED_STRIDE == 0 { PACK_ROWS_CONTENDED } else { PACK_ROWS };
                    if m >= rows { Plan::PackedRight } else { Plan::Direct }
                }
                _ => Plan::Direct,
            },
        }
    }
}

/// `C := alpha A B`, or `C += alpha A B`; no size is 0 and alpha is not.
#[inline]
pub(super) fn multiply<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, accumulate: Accum, c: MatMut<'_, T>) {
    // The transposed problem for a row-major C or a single row: C is column-major below.
    let by_rows = c.ncols() > 1 && (c.nrows() == 1 || c.row_stride().unsigned_abs() > c.col_stride().unsigned_abs());
    if by_rows {
        by_columns(alpha, b.transpose(), a.transpose(), accumulate, c.transpose_mut());
    } else {
        by_columns(alpha, a, b, accumulate, c);
    }
}

fn by_columns<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, accumulate: Accum, c: MatMut<'_, T>) {
    let shape = Shape { m: c.nrows(), n: c.ncols(), k: a.matrix.ncols() };
    let plan = Plan::choose(shape, columns::<T>(b.matrix), columns::<T>(c.as_ref()));
    let threads = threads_for(T::KIND, shape);
    match plan {
        Plan::Direct => compute(alpha, a, b, accumulate, c, threads),
        Plan::Vector => vector(alpha, a, b, accumulate, c, threads),
        Plan::PackedRight => packed_right(alpha, a, b, accumulate, c, threads),
    }
}

fn columns<T: Scalar>(matrix: MatRef<'_, T>) -> Columns {
    match matrix.row_stride().unsigned_abs() {
        1 => Columns::Contiguous,
        stride => Columns::Strided(stride.saturating_mul(size_of::<T>())),
    }
}

/// The product with one column, through contiguous copies of the vectors that are not.
fn vector<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    accumulate: Accum,
    mut c: MatMut<'_, T>,
    threads: usize,
) {
    let x = (b.matrix.row_stride() != 1).then(|| contiguous_column(b.matrix.col(0)));
    let b = Operand { matrix: x.as_ref().map_or(b.matrix, |x| x.as_mat()), ..b };
    if c.nrows() == 1 {
        // A dot product. faer treats A as a row only if its strides say so.
        let lies_as_row = a.matrix.col_stride() == 1 && a.matrix.row_stride() != 1;
        let row = (!lies_as_row).then(|| contiguous_column(a.matrix.row(0).transpose()));
        let a = Operand { matrix: row.as_ref().map_or(a.matrix, |row| row.as_mat().transpose()), ..a };
        return compute(alpha, a, b, accumulate, c, 1);
    }
    if c.row_stride() == 1 || a.matrix.row_stride() != 1 {
        return compute(alpha, a, b, accumulate, c, threads);
    }
    let mut y = faer::Col::zeros(c.nrows());
    compute(alpha, a, b, Accum::Replace, y.as_mat_mut(), threads);
    for (to, from) in c.as_mut().col_mut(0).iter_mut().zip(y.iter()) {
        *to = match accumulate {
            Accum::Add => *to + *from,
            Accum::Replace => *from,
        };
    }
}

/// Columns of a packed panel: with [`INNER_STEP`] rows of doubles it takes 2 MiB and fits into a core's L2 cache.
const PANEL_COLUMNS: usize = 512;

/// The product by panels of B, each copied into contiguous columns before it is used.
fn packed_right<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    accumulate: Accum,
    mut c: MatMut<'_, T>,
    threads: usize,
) {
    let (k, n) = (b.matrix.nrows(), b.matrix.ncols());
    for column in (0..n).step_by(PANEL_COLUMNS) {
        let columns = PANEL_COLUMNS.min(n - column);
        let mut c = c.as_mut().subcols_mut(column, columns);
        for step in (0..k).step_by(INNER_STEP) {
            let depth = INNER_STEP.min(k - step);
            let a = Operand { matrix: a.matrix.subcols(step, depth), ..a };
            let accumulate = if step == 0 { accumulate } else { Accum::Add };
            with_panel(b.matrix.submatrix(step, column, depth, columns), threads, |panel| {
                compute(alpha, a, Operand { matrix: panel, ..b }, accumulate, c.as_mut(), threads);
            });
        }
    }
}
