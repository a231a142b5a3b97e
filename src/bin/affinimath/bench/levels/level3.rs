//! Level 3: matrices.

use affinimath::{Complex64, Op, Scalar, gemm};

use super::check::{Sample, Seen};
use super::routine::Argument::{self, At, Factor as By, Size};
use super::routine::{Action, Factor, Form, Letters, Operand, Routine, Work, each};

const GENERAL: Operand = Operand::read(Form::General);
const C: Operand = Operand::write(Form::General);

const ONE: Argument = By(Factor::One);
const ZERO: Argument = By(Factor::Zero);
const KEEP: Argument = Argument::Op(Op::Keep);

/// An element of the product of two matrices, for a row of the one and a column of the other.
fn product<T: Scalar>(
    seen: &Seen<'_, T>,
    terms: impl Fn(usize) -> (Complex64, Complex64),
    result: Complex64,
) -> Sample {
    seen.compare((0..seen.n).map(terms), result)
}

impl<T: Scalar> Routine<T> {
    /// The rows of level 3.
    pub const LEVEL3: &'static [Self] = &[Routine {
        names: ["gemm"; 2],
        variant: "",
        formula: "C := A B",
        letters: Letters::Plain,
        operands: &[GENERAL, GENERAL, C],
        arguments: &[KEEP, KEEP, Size, Size, Size, ONE, At(0), At(1), ZERO, At(2)],
        work: Work::Operations { cubic: 2.0, square: 0.0 },
        action: Action::Update {
            ours: |n, operands| {
                let [a, b, c] = each(operands);
                gemm(Op::Keep, Op::Keep, T::ONE, a.matrix(n, n)?, b.matrix(n, n)?, T::ZERO, c.matrix_mut(n, n)?)
            },
            check: |seen, i, j| {
                product(seen, |k| (seen.matrix(0, i, k), seen.matrix(1, k, j)), seen.new_matrix(2, i, j))
            },
        },
    }];
}
