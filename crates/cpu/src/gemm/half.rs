//! gemm in half precision on the host: blocks are converted to floats and multiplied.

use std::cell::Cell;

use faer::{MatMut, MatRef};
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

use super::gemm;
use affinimath_core::threads::{available, shared};
use affinimath_core::{Half, Op};

/// Maximum m, n and k of a block: three matrices in floats take 48 MiB, for operands of any size.
const BLOCK: usize = 2048;

/// Maximum extents of a block for a skinny C: it is read only once, from the cache.
const SKINNY_BLOCK: usize = 512;

/// Rows or columns that are few.
const SKINNY: usize = 32;

/// Elements from which several threads convert.
pub const PARALLEL_MIN: usize = 1 << 17;

/// Elements per conversion in which C is read.
const CHUNK: usize = 512;

/// `C := alpha op(A) op(B) + beta C` for matrices in half precision with one stride of 1. Accumulators, `alpha` and
/// `beta` are `f32`; each element of C is rounded once, at the end.
///
/// With m = 0 or n = 0 nothing is done; with alpha = 0 or k = 0, A and B are not read and `C := beta C`; with beta = 0,
/// C is not read.
///
/// # Panics
/// If the sizes do not agree: callers have checked them.
pub fn hgemm(op_a: Op, op_b: Op, alpha: f32, a: MatRef<'_, Half>, b: MatRef<'_, Half>, beta: f32, c: MatMut<'_, Half>) {
    let transposed = |op: Op, x| if op.transposes() { MatRef::transpose(x) } else { x };
    let (a, b) = (transposed(op_a, a), transposed(op_b, b));
    let (m, n, k) = (c.nrows(), c.ncols(), a.ncols());
    assert!(
        a.nrows() == m && b.nrows() == k && b.ncols() == n,
        "hgemm: op(A) is {}x{k}, op(B) {}x{}, C {m}x{n}",
        a.nrows(),
        b.nrows(),
        b.ncols()
    );
    if m == 0 || n == 0 {
        return; // BLAS: an empty C is left as it is.
    }
    if alpha == 0.0 || k == 0 {
        return scale(beta, c); // BLAS: A and B are not read.
    }
    in_blocks(alpha, a, b, beta, c, if m.min(n) <= SKINNY { SKINNY_BLOCK } else { BLOCK });
}

/// The product in blocks of this size; tests take small ones.
pub fn in_blocks(
    alpha: f32,
    a: MatRef<'_, Half>,
    b: MatRef<'_, Half>,
    beta: f32,
    mut c: MatMut<'_, Half>,
    size: usize,
) {
    let (m, n, k) = (c.nrows(), c.ncols(), a.ncols());
    let (rows, columns, block_k) = (size.min(m), size.min(n), size.min(k));
    let layouts = [
        FloatLayout::of(&a.submatrix(0, 0, rows, block_k)),
        FloatLayout::of(&b.submatrix(0, 0, block_k, columns)),
        FloatLayout::of(&c.as_ref().submatrix(0, 0, rows, columns)),
    ];
    let [a_floats, b_floats, c_floats] = layouts.map(|layout| layout.elements());
    with_memory(a_floats + b_floats + c_floats, |memory| {
        let (memory, accumulators) = memory.split_at_mut(a_floats + b_floats);
        let (a_memory, b_memory) = memory.split_at_mut(a_floats);
        let (mut a_block, mut b_block) = (Floats::new(a_memory), Floats::new(b_memory));
        for column in (0..n).step_by(size) {
            for row in (0..m).step_by(size) {
                let (rows, columns) = (size.min(m - row), size.min(n - column));
                let c = c.as_mut().submatrix_mut(row, column, rows, columns);
                for inner in (0..k).step_by(size) {
                    let slice = size.min(k - inner);
                    let a = a_block.of((row, inner), a.submatrix(row, inner, rows, slice));
                    let b = b_block.of((inner, column), b.submatrix(inner, column, slice, columns));
                    // The first slice of k overwrites the accumulators.
                    let beta = if inner == 0 { 0.0 } else { 1.0 };
                    gemm(Op::NoTrans, Op::NoTrans, alpha, a, b, beta, accumulators_for(&c, accumulators));
                }
                round(accumulators, beta, c);
            }
        }
    });
}

/// Contiguous vectors of a float matrix: its columns, or its rows in row-major layout.
#[derive(Clone, Copy)]
pub struct FloatLayout {
    length: usize,
    count: usize,
    by_columns: bool,
}

/// Padding of each vector in floats: vectors of 1024 elements would be a multiple of 4 KiB apart and contend for the
/// same cache sets.
const PADDING: usize = 8;

impl FloatLayout {
    pub fn of(matrix: &MatRef<'_, Half>) -> Self {
        let by_columns = is_column_major(matrix);
        let (length, count) =
            if by_columns { (matrix.nrows(), matrix.ncols()) } else { (matrix.ncols(), matrix.nrows()) };
        FloatLayout { length, count, by_columns }
    }

    /// Leading dimension in floats.
    const fn pitch(&self) -> usize {
        self.length + PADDING
    }

    /// Floats of the matrix.
    pub const fn elements(&self) -> usize {
        self.pitch() * self.count
    }
}

thread_local! {
    /// Thread-local memory, cached across calls: fresh memory costs a page fault per 4 KiB.
    static CACHED: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Maximum cached floats, 16 MiB: larger products hide the page faults.
const MAX_CACHED: usize = 4 << 20;

/// Calls `work` with `floats` floats of undefined value.
fn with_memory(floats: usize, work: impl FnOnce(&mut [f32])) {
    // Taken, not borrowed: a thread that waits inside a product may be given another product to compute.
    let mut memory = CACHED.take();
    if memory.len() < floats {
        memory = vec![0.0; floats];
    }
    work(&mut memory[..floats]);
    if memory.len() <= MAX_CACHED {
        CACHED.set(memory);
    }
}

/// A block of a matrix in floats.
pub struct Floats<'m> {
    memory: &'m mut [f32],
    /// First row and column of the converted block, if there is one.
    origin: Option<(usize, usize)>,
}

impl<'m> Floats<'m> {
    pub const fn new(memory: &'m mut [f32]) -> Self {
        Floats { memory, origin: None }
    }

    /// The block that begins at row and column `origin` of its matrix, converted unless it already is.
    pub fn of(&mut self, origin: (usize, usize), block: MatRef<'_, Half>) -> MatRef<'_, f32> {
        let layout = FloatLayout::of(&block);
        let columns = if layout.by_columns { block } else { block.transpose() };
        if self.origin != Some(origin) {
            self.origin = Some(origin);
            for_each_float_vector(&mut self.memory[..layout.elements()], layout.pitch(), |first, floats| {
                for (j, vector) in floats.chunks_exact_mut(layout.pitch()).enumerate() {
                    fp16(columns, first + j).convert_to_f32_slice(&mut vector[..layout.length]);
                }
            });
        }
        let floats =
            MatRef::from_column_major_slice_with_stride(self.memory, layout.length, layout.count, layout.pitch());
        if layout.by_columns { floats } else { floats.transpose() }
    }
}

/// True if columns are contiguous, otherwise rows are.
fn is_column_major(matrix: &MatRef<'_, Half>) -> bool {
    matrix.row_stride() == 1
}

/// A column of adjacent elements.
fn fp16(layout: MatRef<'_, Half>, j: usize) -> &[Half] {
    assert!(layout.row_stride() == 1 || layout.nrows() == 1);
    // SAFETY: the column is part of the matrix, and its elements are contiguous.
    unsafe { std::slice::from_raw_parts(layout.col(j).as_ptr(), layout.nrows()) }
}

/// The accumulators as a matrix in C's layout.
fn accumulators_for<'a>(c: &MatMut<'_, Half>, accumulators: &'a mut [f32]) -> MatMut<'a, f32> {
    let layout = FloatLayout::of(&c.as_ref());
    let accumulators =
        MatMut::from_column_major_slice_with_stride_mut(accumulators, layout.length, layout.count, layout.pitch());
    if layout.by_columns { accumulators } else { accumulators.transpose_mut() }
}

/// Divides the float vectors among threads; `work` gets the index of its first one.
fn for_each_float_vector(floats: &mut [f32], pitch: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let threads = if floats.len() < PARALLEL_MIN { 1 } else { available() };
    if threads == 1 {
        return work(0, floats);
    }
    let layout = (floats.len() / pitch).div_ceil(threads);
    let vectors_of = |(part, floats): (usize, &mut [f32])| work(part * layout, floats);
    shared(|| floats.par_chunks_mut(layout * pitch).enumerate().for_each(vectors_of));
}

/// C := accumulators + beta C, rounded; with beta = 0, C is not read.
pub fn round(accumulators: &[f32], beta: f32, c: MatMut<'_, Half>) {
    let pitch = FloatLayout::of(&c.as_ref()).pitch();
    for_each_vector(c, |j, vector| {
        let accumulators = &accumulators[j * pitch..][..vector.len()];
        if beta == 0.0 {
            return vector.convert_from_f32_slice(accumulators);
        }
        for (vector, accumulators) in vector.chunks_mut(CHUNK).zip(accumulators.chunks(CHUNK)) {
            let mut floats = [0.0_f32; CHUNK];
            let floats = &mut floats[..vector.len()];
            vector.convert_to_f32_slice(floats);
            floats.iter_mut().zip(accumulators).for_each(|(old, sum)| *old = *sum + beta * *old);
            vector.convert_from_f32_slice(floats);
        }
    });
}

/// `C := beta C`; beta = 0 stores zeros without reading.
fn scale(beta: f32, c: MatMut<'_, Half>) {
    if beta == 1.0 {
        return;
    }
    for_each_vector(c, |_, vector| {
        if beta == 0.0 {
            return vector.fill(Half::ZERO);
        }
        vector.iter_mut().for_each(|element| *element = Half::from_f32(beta * element.to_f32()));
    });
}

/// Calls `work` for each contiguous vector, on several threads if there is enough work.
fn for_each_vector(c: MatMut<'_, Half>, work: impl Fn(usize, &mut [Half]) + Sync) {
    let c = if is_column_major(&c.as_ref()) { c } else { c.transpose_mut() };
    assert!(c.row_stride() == 1 || c.nrows() == 1);
    let (length, count) = (c.nrows(), c.ncols());
    let vector = |(j, column): (usize, faer::ColMut<'_, Half>)| {
        // SAFETY: the column is part of the matrix, which is exclusive, and its elements are contiguous.
        work(j, unsafe { std::slice::from_raw_parts_mut(column.as_ptr_mut(), length) });
    };
    if length * count < PARALLEL_MIN || available() == 1 {
        c.col_iter_mut().enumerate().for_each(vector);
    } else {
        shared(|| c.par_col_iter_mut().enumerate().for_each(vector));
    }
}
