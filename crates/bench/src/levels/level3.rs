//! Level 3: matrices.

use affinimath::{
    Complex64, Diag, Op, Scalar, Side, Triangle, gemm, gemmt, hemm, her2k, herk, symm, syr2k, syrk, trmm, trsm,
};

use super::check::{Sample, Seen};
use super::routine::Argument::{self, At, Factor as By, RealFactor, Size};
use super::routine::{Action, Factor, Form, Letters, Operand, Routine, Work, each};

const GENERAL: Operand = Operand::read(Form::General);
const C: Operand = Operand::write(Form::General);
/// A triangle of C.
const PART: Operand = Operand::write(Form::Triangle);
/// Operand that is overwritten by a product.
const B: Operand = Operand::update(Form::General);

const ONE: Argument = By(Factor::One);
const ZERO: Argument = By(Factor::Zero);
const LEFT: Argument = Argument::Side(Side::Left);
const LOWER: Argument = Argument::Triangle(Triangle::Lower);
const KEEP: Argument = Argument::Op(Op::NoTrans);
const STORED: Argument = Argument::Diagonal(Diag::NonUnit);

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
    pub const LEVEL3: &'static [Self] = &[
        Routine {
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
                    gemm(
                        Op::NoTrans,
                        Op::NoTrans,
                        T::ONE,
                        a.matrix(n, n)?,
                        b.matrix(n, n)?,
                        T::ZERO,
                        c.matrix_mut(n, n)?,
                    )
                },
                check: |seen, i, j| {
                    product(seen, |k| (seen.matrix(0, i, k), seen.matrix(1, k, j)), seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["symm"; 2],
            variant: "",
            formula: "C := A B, A symmetric",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Triangle), GENERAL, C],
            arguments: &[LEFT, LOWER, Size, Size, ONE, At(0), At(1), ZERO, At(2)],
            work: Work::Operations { cubic: 2.0, square: 0.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    symm(Side::Left, Triangle::Lower, T::ONE, a, b, T::ZERO, c)
                },
                check: |seen, i, j| {
                    product(seen, |k| (seen.symmetric(0, i, k), seen.matrix(1, k, j)), seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["syrk"; 2],
            variant: "",
            formula: "C := A A^T, a triangle of C",
            letters: Letters::Plain,
            operands: &[GENERAL, PART],
            arguments: &[LOWER, KEEP, Size, Size, ONE, At(0), ZERO, At(1)],
            work: Work::Operations { cubic: 1.0, square: 1.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, c] = each(operands);
                    syrk(Triangle::Lower, Op::NoTrans, T::ONE, a.matrix(n, n)?, T::ZERO, c.matrix_mut(n, n)?)
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(1, i, j), seen.new_matrix(1, i, j));
                    }
                    product(seen, |k| (seen.matrix(0, i, k), seen.matrix(0, j, k)), seen.new_matrix(1, i, j))
                },
            },
        },
        Routine {
            names: ["syr2k"; 2],
            variant: "",
            formula: "C := A B^T + B A^T, a triangle of C",
            letters: Letters::Plain,
            operands: &[GENERAL, GENERAL, PART],
            arguments: &[LOWER, KEEP, Size, Size, ONE, At(0), At(1), ZERO, At(2)],
            work: Work::Operations { cubic: 2.0, square: 2.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    syr2k(Triangle::Lower, Op::NoTrans, T::ONE, a, b, T::ZERO, c)
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(2, i, j), seen.new_matrix(2, i, j));
                    }
                    let products = (0..seen.n).flat_map(|k| {
                        let a_b = (seen.matrix(0, i, k), seen.matrix(1, j, k));
                        [a_b, (seen.matrix(1, i, k), seen.matrix(0, j, k))]
                    });
                    seen.compare(products, seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["", "hemm"],
            variant: "",
            formula: "C := A B, A Hermitian",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Triangle), GENERAL, C],
            arguments: &[LEFT, LOWER, Size, Size, ONE, At(0), At(1), ZERO, At(2)],
            work: Work::Operations { cubic: 2.0, square: 0.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    hemm(Side::Left, Triangle::Lower, T::ONE, a, b, T::ZERO, c)
                },
                check: |seen, i, j| {
                    product(seen, |k| (seen.hermitian(0, i, k), seen.matrix(1, k, j)), seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["", "herk"],
            variant: "",
            formula: "C := A A^H, a triangle of C",
            letters: Letters::Plain,
            operands: &[GENERAL, PART],
            arguments: &[LOWER, KEEP, Size, Size, RealFactor(Factor::One), At(0), RealFactor(Factor::Zero), At(1)],
            work: Work::Operations { cubic: 1.0, square: 1.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, c] = each(operands);
                    let (a, c) = (a.matrix(n, n)?, c.matrix_mut(n, n)?);
                    herk(Triangle::Lower, Op::NoTrans, Factor::One.value(), a, Factor::Zero.value(), c)
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(1, i, j), seen.new_matrix(1, i, j));
                    }
                    product(seen, |k| (seen.matrix(0, i, k), seen.matrix(0, j, k).conj()), seen.new_matrix(1, i, j))
                },
            },
        },
        Routine {
            names: ["", "her2k"],
            variant: "",
            formula: "C := A B^H + B A^H, a triangle of C",
            letters: Letters::Plain,
            operands: &[GENERAL, GENERAL, PART],
            arguments: &[LOWER, KEEP, Size, Size, ONE, At(0), At(1), RealFactor(Factor::Zero), At(2)],
            work: Work::Operations { cubic: 2.0, square: 2.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    her2k(Triangle::Lower, Op::NoTrans, T::ONE, a, b, Factor::Zero.value(), c)
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(2, i, j), seen.new_matrix(2, i, j));
                    }
                    let products = (0..seen.n).flat_map(|k| {
                        let a_b = (seen.matrix(0, i, k), seen.matrix(1, j, k).conj());
                        [a_b, (seen.matrix(1, i, k), seen.matrix(0, j, k).conj())]
                    });
                    seen.compare(products, seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["gemmt"; 2],
            variant: "",
            formula: "C := A B, a triangle of C",
            letters: Letters::Plain,
            operands: &[GENERAL, GENERAL, PART],
            arguments: &[LOWER, KEEP, KEEP, Size, Size, ONE, At(0), At(1), ZERO, At(2)],
            work: Work::Operations { cubic: 1.0, square: 1.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    gemmt(Triangle::Lower, Op::NoTrans, Op::NoTrans, T::ONE, a, b, T::ZERO, c)
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(2, i, j), seen.new_matrix(2, i, j));
                    }
                    product(seen, |k| (seen.matrix(0, i, k), seen.matrix(1, k, j)), seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["trmm"; 2],
            variant: "",
            formula: "B := A B, A triangular",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Factor), B],
            arguments: &[LEFT, LOWER, KEEP, STORED, Size, Size, ONE, At(0), At(1)],
            work: Work::Operations { cubic: 1.0, square: 0.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b] = each(operands);
                    let (a, b) = (a.matrix(n, n)?, b.matrix_mut(n, n)?);
                    trmm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, T::ONE, a, b)
                },
                check: |seen, i, j| {
                    let terms = (0..=i).map(|k| (seen.triangle(0, i, k), seen.matrix(1, k, j)));
                    seen.compare(terms, seen.new_matrix(1, i, j))
                },
            },
        },
        Routine {
            names: ["trsm"; 2],
            variant: "",
            formula: "B := A^-1 B, A triangular",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Divisor), B],
            arguments: &[LEFT, LOWER, KEEP, STORED, Size, Size, ONE, At(0), At(1)],
            work: Work::Operations { cubic: 1.0, square: 0.0 },
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b] = each(operands);
                    let (a, b) = (a.matrix(n, n)?, b.matrix_mut(n, n)?);
                    trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, T::ONE, a, b)
                },
                check: |seen, i, j| {
                    let terms = (0..=i).map(|k| (seen.triangle(0, i, k), seen.new_matrix(1, k, j)));
                    seen.compare(terms, seen.matrix(1, i, j))
                },
            },
        },
    ];
}
