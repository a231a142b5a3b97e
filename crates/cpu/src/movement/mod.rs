//! omatcopy, imatcopy and omatadd on the host: by tiles that fit into the cache, on several threads for large matrices.

mod in_place;
mod sum;

use affinimath_macros::instances;
pub use in_place::imatcopy;
pub use sum::{Source, sum};

use affinimath_core::options::Op;
use affinimath_core::problem::gemm::Operand;
use affinimath_core::problem::movement::MovementProblem;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{MatrixMut, MatrixRef, Memory, View};

/// B := alpha op(A) in host memory; sizes agree. With alpha = 0, A is not read.
#[instances]
pub fn omatcopy<T: Scalar>(op: Op, alpha: T, a: &MatrixRef<'_, T>, b: &MatrixMut<'_, T>) {
    add(&[(op, alpha, a)], b);
}

/// C := alpha op(A) + beta op(B) in host memory; sizes agree. A matrix with factor 0 is not read.
#[instances]
pub fn omatadd<T: Scalar>(
    [op_a, op_b]: [Op; 2],
    alpha: T,
    a: &MatrixRef<'_, T>,
    beta: T,
    b: &MatrixRef<'_, T>,
    c: &MatrixMut<'_, T>,
) {
    add(&[(op_a, alpha, a), (op_b, beta, b)], c);
}

fn add<T: Scalar>(terms: &[(Op, T, &MatrixRef<'_, T>)], c: &MatrixMut<'_, T>) {
    let mut present = terms.iter().filter(|(_, factor, _)| *factor != T::ZERO);
    let terms = [present.next(), present.next()];
    let problem = MovementProblem {
        kind: T::KIND,
        rows: c.rows(),
        columns: c.columns(),
        target: Operand::whole(Op::NoTrans, c.shape()),
        terms: terms.map(|term| term.map(|(op, _, x)| Operand::whole(*op, x.shape()))),
    };
    let sources = terms.map(|term| term.map(|(_, factor, x)| Source { factor: *factor, start: start(x.memory()) }));
    // SAFETY: the views hold their matrices, and C is exclusive.
    unsafe { sum(&problem, sources, start(c.memory())) };
}

/// First element of a host view's memory.
///
/// # Panics
/// If it is device memory: callers have chosen the host.
pub fn start<T>(memory: Memory<'_, T>) -> *mut T {
    match memory {
        Memory::Host(start, _) => start,
        Memory::Device(_) => panic!("a matrix in device memory came to the host backend"),
    }
}
