//! imatcopy: B := alpha op(A), where B overwrites A.

use super::sum::{Shared, Source, TILE, sum, threads_for};
use crate::threads::for_each;
use affinimath_core::division::scale_by;
use affinimath_core::error::{Error, Result};
use affinimath_core::options::Op;
use affinimath_core::problem::gemm::Operand;
use affinimath_core::problem::movement::{MovementProblem, Way};
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{InPlace, View};
use affinimath_macros::instances;

/// B := alpha op(A) in host memory, where B overwrites A; their sizes agree. With alpha = 0, A is not read.
///
/// # Errors
/// [`Error::OutOfHostMemory`] if the new arrangement needs a copy of the matrix that does not fit.
#[instances]
pub fn imatcopy<T: Scalar>(op: Op, alpha: T, matrix: &InPlace<'_, T>) -> Result<()> {
    let start = super::start(matrix.memory());
    let (rows, columns) = (matrix.after().rows(), matrix.after().columns());
    let (operand, target) = (Operand::whole(op, matrix.before()), Operand::whole(Op::NoTrans, matrix.after()));
    let terms = [(alpha != T::ZERO).then_some(operand), None];
    let problem = MovementProblem { kind: T::KIND, rows, columns, target, terms };
    let source =
        |start: *mut T, factor| [(alpha != T::ZERO).then_some(Source { factor, start: start.cast_const() }), None];
    match Way::choose(op, alpha, matrix.before(), matrix.after()) {
        Way::Nothing => {}
        // SAFETY: the view holds both matrices; with an unchanged arrangement, C is the term itself.
        Way::Stay => unsafe { sum(&problem, source(start, alpha), start) },
        Way::Exchange => exchange(alpha, operand.conjugate, rows, Shared(start.wrapping_add(target.offset)), {
            target.row_stride.max(target.column_stride)
        }),
        Way::Through => {
            let bytes = (rows * columns * size_of::<T>()) as u64;
            let mut copy = Vec::new();
            copy.try_reserve_exact(rows * columns)
                .map_err(|_| Error::OutOfHostMemory { bytes, purpose: "a copy of the matrix" })?;
            copy.resize(rows * columns, T::ZERO);
            let dense = Operand::general(0, 1, rows);
            let there = MovementProblem { target: dense, ..problem };
            let back = MovementProblem { terms: [Some(dense), None], ..problem };
            // SAFETY: the copy holds the matrix, and the view both that it was and that it becomes.
            unsafe {
                sum(&there, source(start, alpha), copy.as_mut_ptr());
                sum(&back, source(copy.as_mut_ptr(), T::ONE), start);
            }
        }
    }
    Ok(())
}

/// Transposes a square matrix in place: swaps the tiles (I, J) and (J, I).
fn exchange<T: Scalar>(alpha: T, conjugate: bool, n: usize, start: Shared<T>, stride: usize) {
    let conjugate = conjugate && T::KIND.is_complex();
    let value = move |x: T| {
        let x = if conjugate { x.conjugate() } else { x };
        scale_by(alpha, x)
    };
    let row_of_tiles = |row: usize| {
        for column in (0..=row).step_by(TILE) {
            for i in row..n.min(row + TILE) {
                for j in column..(column + TILE).min(i + 1) {
                    let (lower, upper) = (start.at(i + j * stride), start.at(j + i * stride));
                    // SAFETY: the view holds the matrix; a pair of elements belongs to one pair of tiles, one thread.
                    unsafe { (*upper, *lower) = (value(*lower), value(*upper)) };
                }
            }
        }
    };
    if threads_for::<T>(n * n) == 1 {
        (0..n).step_by(TILE).for_each(row_of_tiles);
    } else {
        for_each(n.div_ceil(TILE), |index| row_of_tiles(index * TILE));
    }
}
