//! Level 2. Functions have the names and the arguments of the constructors of the device's problems.

use crate::options::{Diag, Layout, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::vendor::request::{Access, Matrix, Request, Vector, read, start, write};
use crate::vendor::routine::Routine;
use crate::view::{
    BandRef, MatrixMut, MatrixRef, Memory, PackedMut, PackedRef, PackedShape, VectorMut, VectorRef, View,
};

/// A band matrix of the host.
#[derive(Clone, Copy)]
struct Band<T> {
    /// The diagonals, as a column-major matrix whatever the layout.
    memory: Matrix<T>,
    layout: Layout,
    rows: usize,
    columns: usize,
    lower: usize,
    upper: usize,
}

impl<T: Scalar> Band<T> {
    fn new(view: &BandRef<'_, T>) -> Self {
        let (shape, memory) = (view.shape(), view.shape().memory());
        Band {
            memory: Matrix {
                start: start(view.memory(), memory.offset()),
                layout: Layout::ColumnMajor,
                rows: memory.rows(),
                columns: memory.columns(),
                leading_dimension: memory.leading_dimension(),
            },
            layout: shape.layout(),
            rows: shape.rows(),
            columns: shape.columns(),
            lower: shape.lower(),
            upper: shape.upper(),
        }
    }

    fn transposed(self) -> Self {
        Band {
            layout: other(self.layout),
            rows: self.columns,
            columns: self.rows,
            lower: self.upper,
            upper: self.lower,
            ..self
        }
    }

    /// One triangle of a square band, without the diagonals on the other side.
    fn only(self, triangle: Triangle) -> Self {
        // In a column of the memory, the diagonals come in the order in which a column (a row) of the matrix meets
        // them.
        let first_side = if self.layout == Layout::ColumnMajor { Triangle::Upper } else { Triangle::Lower };
        let (first, stored) = match triangle {
            Triangle::Upper => (self.lower, self.upper),
            Triangle::Lower => (self.upper, self.lower),
        };
        let skipped = if triangle == first_side { 0 } else { first };
        let memory = Matrix { start: self.memory.start.wrapping_add(skipped), rows: stored + 1, ..self.memory };
        let (lower, upper) = if triangle == Triangle::Upper { (0, stored) } else { (stored, 0) };
        Band { memory, lower, upper, ..self }
    }
}

const fn other(layout: Layout) -> Layout {
    match layout {
        Layout::RowMajor => Layout::ColumnMajor,
        Layout::ColumnMajor => Layout::RowMajor,
    }
}

/// A triangle in one of the three ways in which BLAS stores it.
#[derive(Clone, Copy)]
struct Half<T> {
    storage: Storage<T>,
    triangle: Triangle,
}

#[derive(Clone, Copy)]
enum Storage<T> {
    Full(Matrix<T>),
    Band(Band<T>),
    Packed { start: *mut T, layout: Layout, order: usize },
}

impl<T: Scalar> Half<T> {
    fn full(matrix: impl Into<Matrix<T>>, triangle: Triangle) -> Self {
        Half { storage: Storage::Full(matrix.into()), triangle }
    }

    fn band(band: &BandRef<'_, T>, triangle: Triangle) -> Self {
        Half { storage: Storage::Band(Band::new(band).only(triangle)), triangle }
    }

    fn packed(memory: Memory<'_, T>, shape: &PackedShape) -> Self {
        let (start, layout, order) = (start(memory, shape.offset()), shape.layout(), shape.order());
        Half { storage: Storage::Packed { start, layout, order }, triangle: shape.triangle() }
    }

    const fn layout(&self) -> Layout {
        match &self.storage {
            Storage::Full(matrix) => matrix.layout,
            Storage::Band(band) => band.layout,
            Storage::Packed { layout, .. } => *layout,
        }
    }

    /// The transpose, in the same memory.
    fn transposed(self) -> Self {
        let storage = match self.storage {
            Storage::Full(matrix) => Storage::Full(matrix.transposed()),
            Storage::Band(band) => Storage::Band(band.transposed()),
            Storage::Packed { start, layout, order } => Storage::Packed { start, layout: other(layout), order },
        };
        Half { storage, triangle: self.triangle.transposed() }
    }

    /// The routine for the storage: of a full matrix, a band, or a packed triangle.
    const fn choose(&self, [full, band, packed]: [Routine; 3]) -> Routine {
        match self.storage {
            Storage::Full(_) => full,
            Storage::Band(_) => band,
            Storage::Packed { .. } => packed,
        }
    }

    /// The order, and of a band the diagonals beside the main one.
    fn sizes(&self, request: &mut Request<T>) -> Option<()> {
        match &self.storage {
            Storage::Full(matrix) => request.size(matrix.rows),
            Storage::Packed { order, .. } => request.size(*order),
            Storage::Band(band) => {
                request.size(band.rows)?;
                request.size(band.lower.max(band.upper))
            }
        }
    }

    fn operand(&self, request: &mut Request<T>, access: Access) -> Option<()> {
        match self.storage {
            Storage::Full(matrix) => request.matrix(matrix, access),
            Storage::Band(band) => request.matrix(band.memory, access),
            Storage::Packed { start, order, .. } => {
                request.packed(start, order * (order + 1) / 2, access);
                Some(())
            }
        }
    }
}

/// y := alpha op(A) x + beta y.
pub(crate) fn gemv<T: Scalar>(
    request: &mut Request<T>,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Option<()> {
    let mut a = Matrix::from(&a);
    let mut op = op;
    if request.turns(a.layout) {
        (a, op) = a.in_layout(op, Layout::ColumnMajor);
    }
    request.begin_in(Routine::Gemv, a.layout)?;
    request.op(op)?;
    request.size(a.rows)?;
    request.size(a.columns)?;
    product(request, alpha, |request, access| request.matrix(a, access), &x, beta, &y)
}

/// The same for a band.
pub(crate) fn gbmv<T: Scalar>(
    request: &mut Request<T>,
    op: Op,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Option<()> {
    let mut a = Band::new(&a);
    let mut op = op;
    if request.turns(a.layout) {
        (a, op) = (a.transposed(), op.transposed());
    }
    request.begin_in(Routine::Gbmv, a.layout)?;
    request.op(op)?;
    for size in [a.rows, a.columns, a.lower, a.upper] {
        request.size(size)?;
    }
    product(request, alpha, |request, access| request.matrix(a.memory, access), &x, beta, &y)
}

/// alpha, A, x, beta and y.
fn product<T: Scalar>(
    request: &mut Request<T>,
    alpha: T,
    a: impl FnOnce(&mut Request<T>, Access) -> Option<()>,
    x: &VectorRef<'_, T>,
    beta: T,
    y: &VectorMut<'_, T>,
) -> Option<()> {
    let reads = read(alpha != T::ZERO);
    request.factor(alpha);
    a(request, reads)?;
    request.vector(x.into(), reads)?;
    request.factor(beta);
    request.vector(y.into(), write(beta != T::ZERO))
}

fn symmetric<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    alpha: T,
    a: Half<T>,
    x: &VectorRef<'_, T>,
    beta: T,
    y: &VectorMut<'_, T>,
) -> Option<()> {
    let a = turned(request, symmetry, a)?;
    let routine = a.choose(match symmetry {
        Symmetry::Symmetric => [Routine::Symv, Routine::Sbmv, Routine::Spmv],
        Symmetry::Hermitian => [Routine::Hemv, Routine::Hbmv, Routine::Hpmv],
    });
    request.begin_in(routine, a.layout())?;
    request.triangle(a.triangle);
    a.sizes(request)?;
    product(request, alpha, |request, access| a.operand(request, access), x, beta, y)
}

/// A symmetric matrix that is its own transpose in the other layout. A Hermitian one's transpose is its conjugate.
fn turned<T: Scalar>(request: &Request<T>, symmetry: Symmetry, a: Half<T>) -> Option<Half<T>> {
    match request.turns(a.layout()) {
        true if symmetry == Symmetry::Hermitian && T::KIND.is_complex() => None,
        true => Some(a.transposed()),
        false => Some(a),
    }
}

/// y := alpha A x + beta y for a symmetric or Hermitian A.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symv")]
pub(crate) fn symv<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Option<()> {
    symmetric(request, symmetry, alpha, Half::full(&a, triangle), &x, beta, &y)
}

/// The same for a band.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's sbmv")]
pub(crate) fn sbmv<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    triangle: Triangle,
    alpha: T,
    a: BandRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Option<()> {
    symmetric(request, symmetry, alpha, Half::band(&a, triangle), &x, beta, &y)
}

/// The same for a packed triangle.
pub(crate) fn spmv<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    alpha: T,
    a: PackedRef<'_, T>,
    x: VectorRef<'_, T>,
    beta: T,
    y: VectorMut<'_, T>,
) -> Option<()> {
    symmetric(request, symmetry, alpha, Half::packed(a.memory(), a.shape()), &x, beta, &y)
}

/// A product with a triangle, or a solve.
fn triangular<T: Scalar>(
    request: &mut Request<T>,
    routines: [Routine; 3],
    op: Op,
    diagonal: Diag,
    a: Half<T>,
    x: &VectorMut<'_, T>,
) -> Option<()> {
    let (a, op) = if request.turns(a.layout()) { (a.transposed(), op.transposed()) } else { (a, op) };
    request.begin_in(a.choose(routines), a.layout())?;
    request.triangle(a.triangle);
    request.op(op)?;
    request.diagonal(diagonal);
    a.sizes(request)?;
    a.operand(request, read(true))?;
    request.vector(x.into(), write(true))
}

/// The routines of one kind on the three ways to store a triangle.
macro_rules! triangular {
    ($routines:expr, $full:ident, $band:ident, $packed:ident) => {
        pub(crate) fn $full<T: Scalar>(
            request: &mut Request<T>,
            triangle: Triangle,
            op: Op,
            diagonal: Diag,
            a: MatrixRef<'_, T>,
            x: VectorMut<'_, T>,
        ) -> Option<()> {
            triangular(request, $routines, op, diagonal, Half::full(&a, triangle), &x)
        }

        pub(crate) fn $band<T: Scalar>(
            request: &mut Request<T>,
            triangle: Triangle,
            op: Op,
            diagonal: Diag,
            a: BandRef<'_, T>,
            x: VectorMut<'_, T>,
        ) -> Option<()> {
            triangular(request, $routines, op, diagonal, Half::band(&a, triangle), &x)
        }

        pub(crate) fn $packed<T: Scalar>(
            request: &mut Request<T>,
            op: Op,
            diagonal: Diag,
            a: PackedRef<'_, T>,
            x: VectorMut<'_, T>,
        ) -> Option<()> {
            triangular(request, $routines, op, diagonal, Half::packed(a.memory(), a.shape()), &x)
        }
    };
}

triangular!([Routine::Trmv, Routine::Tbmv, Routine::Tpmv], trmv, tbmv, tpmv);

/// x := op(A)⁻¹ x.
pub(crate) mod solve {
    use super::*;

    triangular!([Routine::Trsv, Routine::Tbsv, Routine::Tpsv], full, band, packed);
}

/// A := A + alpha x yᵀ, or A := A + alpha x yᴴ.
pub(crate) fn ger<T: Scalar>(
    request: &mut Request<T>,
    adjoint: bool,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Option<()> {
    let a = Matrix::from(&a);
    let (a, x, y) = match request.turns(a.layout) {
        true if adjoint && T::KIND.is_complex() => return None,
        true => (a.transposed(), y, x),
        false => (a, x, y),
    };
    request.begin_in(if adjoint { Routine::Gerc } else { Routine::Ger }, a.layout)?;
    request.size(a.rows)?;
    request.size(a.columns)?;
    request.factor(alpha);
    request.vector((&x).into(), read(true))?;
    request.vector((&y).into(), read(true))?;
    request.matrix(a, write(true))
}

/// An update of a triangle by one vector, or by two.
fn update<T: Scalar>(
    request: &mut Request<T>,
    (routines, symmetry): ([[Routine; 3]; 2], Symmetry),
    alpha: T,
    vectors: &[Vector<T>],
    a: Half<T>,
) -> Option<()> {
    let a = turned(request, symmetry, a)?;
    let hermitian = symmetry == Symmetry::Hermitian;
    request.begin_in(a.choose(routines[usize::from(hermitian)]), a.layout())?;
    request.triangle(a.triangle);
    a.sizes(request)?;
    match vectors {
        [_] if hermitian => request.real(T::RealScalar::from_parts(alpha.re(), 0.0)),
        _ => request.factor(alpha),
    }
    for vector in vectors {
        request.vector(*vector, read(true))?;
    }
    a.operand(request, write(true))
}

/// Bands have no updates: their places are never chosen.
const OF_ONE: [[Routine; 3]; 2] =
    [[Routine::Syr, Routine::Syr, Routine::Spr], [Routine::Her, Routine::Her, Routine::Hpr]];
const OF_TWO: [[Routine; 3]; 2] =
    [[Routine::Syr2, Routine::Syr2, Routine::Spr2], [Routine::Her2, Routine::Her2, Routine::Hpr2]];

pub(crate) fn syr<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Option<()> {
    update(request, (OF_ONE, symmetry), alpha, &[(&x).into()], Half::full(&a, triangle))
}

pub(crate) fn syr2<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    triangle: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Option<()> {
    update(request, (OF_TWO, symmetry), alpha, &[(&x).into(), (&y).into()], Half::full(&a, triangle))
}

pub(crate) fn spr<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    alpha: T,
    x: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Option<()> {
    update(request, (OF_ONE, symmetry), alpha, &[(&x).into()], Half::packed(a.memory(), a.shape()))
}

pub(crate) fn spr2<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Option<()> {
    update(request, (OF_TWO, symmetry), alpha, &[(&x).into(), (&y).into()], Half::packed(a.memory(), a.shape()))
}
