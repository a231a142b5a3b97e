//! Level 2 on one thread: small and medium calls, and each thread's share of large ones.
//!
//! A matrix is contiguous columns ([`Stored`](affinimath_core::problem::Stored)), processed four at a time in SIMD
//! vectors. Vectors with an increment other than 1 are gathered first. Vectors of up to [`STACK_BYTES`] need no
//! allocation.

mod columns;
pub(crate) mod kernels;
mod product;
mod triangular;
mod update;

use affinimath_macros::instances;
use std::mem::MaybeUninit;

use super::gemv::{Across, Along, Gemv};
use super::{address_of, host};
use crate::simd::dispatch;
use affinimath_core::options::Symmetry;
use affinimath_core::problem::product::{self as problem, ProductProblem, Structure};
use affinimath_core::problem::solve::Solve;
use affinimath_core::problem::update as problem_update;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_core::view::{VectorShape, View};

pub use columns::Columns;
use kernels::scale_vector;
pub(crate) use product::{Form, Product};
pub(crate) use triangular::Triangular;
pub(crate) use update::{RankOne, Update};

/// Maximum bytes of a gathered vector on the stack; a call has at most two.
const STACK_BYTES: usize = 12 << 10;

/// Calls `work` with a contiguous copy of the vector, and copies it back if it is written.
///
/// # Safety
/// The memory must hold the vector; if it is written, nothing else may access it.
#[inline(always)]
pub(super) unsafe fn with_adjacent<T: Scalar>(
    start: *mut T,
    shape: &VectorShape,
    written: bool,
    work: &mut dyn FnMut(*mut T),
) {
    if shape.increment() == 1 {
        return work(start.wrapping_add(shape.first()));
    }
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe { with_gathered(start, shape, written, work) }
}

/// # Safety
/// Those of [`with_adjacent`].
#[inline(never)]
unsafe fn with_gathered<T: Scalar>(start: *mut T, shape: &VectorShape, written: bool, work: &mut dyn FnMut(*mut T)) {
    let n = shape.length();
    let mut stack = [const { MaybeUninit::<Complex64>::uninit() }; STACK_BYTES / size_of::<Complex64>()];
    let mut heap: Vec<T> = Vec::new();
    let copy: *mut T = if n * size_of::<T>() <= STACK_BYTES {
        stack.as_mut_ptr().cast()
    } else {
        heap.reserve_exact(n);
        heap.as_mut_ptr()
    };
    for i in 0..n {
        // SAFETY: the vector and the copy have n elements each, by this function's contract.
        unsafe { copy.add(i).write(*address_of(start, shape, i)) };
    }
    work(copy);
    if written {
        for i in 0..n {
            // SAFETY: as above.
            unsafe { *address_of(start, shape, i) = *copy.add(i) };
        }
    }
}

/// y := alpha op(A) x + beta y, or x := op(A) x.
#[instances]
pub fn product<T: Scalar>(product: &problem::Product<'_, T>) {
    let ProductProblem { stored, structure, conjugate, x: x_shape, y: y_shape, .. } = product.problem;
    if product.changes_nothing() {
        return;
    }
    let (x, y) = (host(product.x), host(product.y));
    let a = Columns { start: host(product.a).cast_const(), stored };
    if let Structure::Triangular { transpose, unit } = structure {
        let mut work = |x: *mut T| dispatch(&Triangular::<T, false> { a, transpose, conjugate, unit, x });
        // SAFETY: the view holds its elements, and nothing else uses them.
        return unsafe { with_adjacent(y, &y_shape, true, &mut work) };
    }
    let on_adjacent = |x: *const T, y: *mut T| on_adjacent(product, &a, x, y);
    // SAFETY: the views hold their vectors, and nothing else uses y. BLAS: with alpha = 0, x is not read.
    unsafe {
        if x_shape.increment() == 1 && y_shape.increment() == 1 {
            on_adjacent(x.wrapping_add(x_shape.first()), y.wrapping_add(y_shape.first()));
        } else if product.alpha == T::ZERO {
            with_adjacent(y, &y_shape, true, &mut |y| on_adjacent(x, y));
        } else {
            with_adjacent(x, &x_shape, false, &mut |x| with_adjacent(y, &y_shape, true, &mut |y| on_adjacent(x, y)));
        }
    }
}

/// The product for contiguous vectors, and not in place.
#[inline(always)]
fn on_adjacent<T: Scalar>(product: &problem::Product<'_, T>, a: &Columns<T>, x: *const T, y: *mut T) {
    let ProductProblem { stored, structure, conjugate, y: y_shape, .. } = product.problem;
    let (alpha, beta) = (product.alpha, product.beta);
    if alpha == T::ZERO {
        // BLAS: A and x are not read.
        return scale_vector(y_shape.length(), beta, y);
    }
    let whole = product.problem.is_whole();
    let form = match structure {
        Structure::General { transpose } if whole => {
            let lda = a.at(0, 1).addr().wrapping_sub(a.at(0, 0).addr()) / size_of::<T>();
            let (m, n) = (stored.rows, stored.columns);
            let gemv = Gemv { m, n, alpha, a: a.at(0, 0), lda, conjugate, x, beta, y };
            return if transpose { dispatch(&Across(gemv)) } else { dispatch(&Along(gemv)) };
        }
        Structure::General { transpose: true } => Form::Transposed,
        Structure::Symmetric(Symmetry::Symmetric) => Form::Symmetric,
        Structure::Symmetric(Symmetry::Hermitian) => Form::Hermitian,
        _ => Form::AsStored,
    };
    let (rows, columns) = ([0, stored.rows], [0, stored.columns]);
    dispatch(&Product { a: *a, rows, columns, form, conjugate, alpha, x, beta, y });
}

/// x := op(A)⁻¹ x.
#[instances]
pub fn solve<T: Scalar>(solve: &Solve<'_, T>) {
    let (stored, unit) = (solve.stored, solve.unit);
    if stored.rows == 0 {
        return; // BLAS: n = 0 changes nothing.
    }
    let a = Columns { start: host(solve.a).cast_const(), stored };
    let (transpose, conjugate) = (solve.op.transposes(), solve.op.conjugates());
    let mut work = |x: *mut T| dispatch(&Triangular::<T, true> { a, transpose, conjugate, unit, x });
    // SAFETY: the view holds its elements, and nothing else uses them.
    unsafe { with_adjacent(host(solve.x.memory()), solve.x.shape(), true, &mut work) };
}

/// x_rows -= A x_columns, or x_columns -= Aᵀ x_rows, for disjoint rows and columns of a stored triangle; x is
/// contiguous.
pub(super) fn subtract<T: Scalar>(
    a: &Columns<T>,
    (transpose, conjugate): (bool, bool),
    rows: [usize; 2],
    columns: [usize; 2],
    x: *mut T,
) {
    let form = if transpose { Form::Transposed } else { Form::AsStored };
    dispatch(&Product { a: *a, rows, columns, form, conjugate, alpha: -T::ONE, x, beta: T::ONE, y: x });
}

/// A := A + alpha x yᵀ, or A := A + alpha x yᵀ + beta y xᵀ, on the stored elements. `in_runs` divides all columns
/// into runs.
pub fn update<T: Scalar>(update: &problem_update::Update<'_, T>, in_runs: impl Fn(&(dyn Fn([usize; 2]) + Sync))) {
    if update.changes_nothing() {
        return;
    }
    let a = Columns { start: host(update.a).cast_const(), stored: update.stored };
    let (x, y) = (host(update.x.memory()), host(update.y.memory()));
    let run = |x: *const T, y: *const T| {
        let problem_update::Update { alpha, beta, conjugated, real_diagonal, .. } = *update;
        let vectors = Vectors(x, y);
        in_runs(&|columns| {
            let Vectors(x, y) = *vectors.get();
            dispatch(&Update { a, columns, alpha, x, beta, y, conjugated, real_diagonal });
        });
    };
    let (x_shape, y_shape) = (update.x.shape(), update.y.shape());
    if x_shape.increment() == 1 && y_shape.increment() == 1 {
        return run(x.wrapping_add(x_shape.first()), y.wrapping_add(y_shape.first()));
    }
    // SAFETY: the views hold their vectors.
    unsafe {
        with_adjacent(x, update.x.shape(), false, &mut |x| {
            with_adjacent(y, update.y.shape(), false, &mut |y| run(x, y))
        });
    }
}

/// Two vectors that threads read.
struct Vectors<T>(*const T, *const T);

// SAFETY: they are only read.
unsafe impl<T: Sync> Sync for Vectors<T> {}

impl<T> Vectors<T> {
    /// Itself: a closure that names its fields would take the pointers alone.
    const fn get(&self) -> &Self {
        self
    }
}
