//! Level 2: matrices and vectors.

use affinimath::{
    BandShape, Buffer, Complex64, Diagonal, Layout, Op, PackedRef, PackedShape, Result, Scalar, Triangle, gbmv, gemv,
    ger, hemv, her, hpmv, spmv, symv, syr, trmv, trsv,
};

use super::check::{Sample, Seen};
use super::routine::Argument::{self, At, Factor as By, RealFactor, Size, Width};
use super::routine::{Action, Factor, Form, Letters, Operand, Routine, WIDTH, Work, each};

const GENERAL: Operand = Operand::read(Form::General);
const TRIANGLE: Operand = Operand::read(Form::Triangle);
const X: Operand = Operand::read(Form::Vector);
const Y: Operand = Operand::update(Form::Vector);

const ALPHA: Argument = By(Factor::Alpha);
const BETA: Argument = By(Factor::Beta);
const LOWER: Argument = Argument::Triangle(Triangle::Lower);
const KEEP: Argument = Argument::Op(Op::Keep);
const STORED: Argument = Argument::Diagonal(Diagonal::Stored);

/// alpha.
fn alpha<T: Scalar>() -> T {
    Factor::Alpha.value()
}

/// beta.
fn beta<T: Scalar>() -> T {
    Factor::Beta.value()
}

/// y_i of y := alpha A x + beta y, for a row of A.
fn product<T: Scalar>(seen: &Seen<'_, T>, i: usize, row: impl Fn(usize) -> Complex64) -> Sample {
    let more = (seen.factor(Factor::Beta), seen.vector(2, i));
    seen.product(Factor::Alpha, |j| (row(j), seen.vector(1, j)), more, seen.new_vector(2, i))
}

fn packed<T: Scalar>(n: usize, a: &Buffer<T>) -> Result<PackedRef<'_, T>> {
    a.packed_view(PackedShape::new(Layout::ColumnMajor, Triangle::Lower, n, 0)?)
}

impl<T: Scalar> Routine<T> {
    /// The rows of level 2.
    pub const LEVEL2: &'static [Self] = &[
        Routine {
            names: ["gemv"; 2],
            variant: "n",
            formula: "y := alpha A x + beta y",
            letters: Letters::Plain,
            operands: &[GENERAL, X, Y],
            arguments: &[KEEP, Size, Size, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    gemv(Op::Keep, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.matrix(0, i, j)),
            },
        },
        Routine {
            names: ["gemv"; 2],
            variant: "t",
            formula: "y := alpha A^T x + beta y",
            letters: Letters::Plain,
            operands: &[GENERAL, X, Y],
            arguments: &[Argument::Op(Op::Transpose), Size, Size, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    gemv(Op::Transpose, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.matrix(0, j, i)),
            },
        },
        Routine {
            names: ["gbmv"; 2],
            variant: "",
            formula: "y := alpha A x + beta y, A with 16 diagonals on either side of the main one",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Band), X, Y],
            arguments: &[KEEP, Size, Size, Width, Width, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    let band = BandShape::new(Layout::ColumnMajor, n, n, WIDTH, WIDTH, 0, 2 * WIDTH + 1)?;
                    gbmv(Op::Keep, alpha(), a.band_view(band)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.band(0, i, j)),
            },
        },
        Routine {
            names: ["symv", "hemv"],
            variant: "",
            formula: "y := alpha A x + beta y, A symmetric or Hermitian",
            letters: Letters::Plain,
            operands: &[TRIANGLE, X, Y],
            arguments: &[LOWER, Size, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    let call = if T::KIND.is_complex() { hemv } else { symv };
                    call(Triangle::Lower, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.hermitian(0, i, j)),
            },
        },
        Routine {
            names: ["spmv", "hpmv"],
            variant: "",
            formula: "y := alpha A x + beta y, A symmetric or Hermitian, packed",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Packed), X, Y],
            arguments: &[LOWER, Size, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    let call = if T::KIND.is_complex() { hpmv } else { spmv };
                    call(alpha(), packed(n, a)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.packed(0, i, j)),
            },
        },
        Routine {
            names: ["trmv"; 2],
            variant: "",
            formula: "x := A x, A triangular",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Factor), Y],
            arguments: &[LOWER, KEEP, STORED, Size, At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x] = each(operands);
                    trmv(Triangle::Lower, Op::Keep, Diagonal::Stored, a.matrix(n, n)?, x.vector_mut()?)
                },
                check: |seen, i, _| {
                    let terms = (0..=i).map(|j| (seen.triangle(0, i, j), seen.vector(1, j)));
                    seen.compare(terms, seen.new_vector(1, i))
                },
            },
        },
        Routine {
            names: ["trsv"; 2],
            variant: "",
            formula: "x := A^-1 x, A triangular",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::Divisor), Y],
            arguments: &[LOWER, KEEP, STORED, Size, At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x] = each(operands);
                    trsv(Triangle::Lower, Op::Keep, Diagonal::Stored, a.matrix(n, n)?, x.vector_mut()?)
                },
                check: |seen, i, _| {
                    let terms = (0..=i).map(|j| (seen.triangle(0, i, j), seen.new_vector(1, j)));
                    seen.compare(terms, seen.vector(1, i))
                },
            },
        },
        Routine {
            names: ["ger", "geru"],
            variant: "",
            formula: "A := alpha x y^T + A",
            letters: Letters::Plain,
            operands: &[X, X, Operand::update(Form::General)],
            arguments: &[Size, Size, ALPHA, At(0), At(1), At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [x, y, a] = each(operands);
                    ger(alpha(), x.vector()?, y.vector()?, a.matrix_mut(n, n)?)
                },
                check: |seen, i, j| {
                    let product = (seen.factor(Factor::Alpha) * seen.vector(0, i), seen.vector(1, j));
                    seen.compare([product, (Complex64::ONE, seen.matrix(2, i, j))], seen.new_matrix(2, i, j))
                },
            },
        },
        Routine {
            names: ["syr", "her"],
            variant: "",
            formula: "A := alpha x x^H + A, A symmetric or Hermitian",
            letters: Letters::Plain,
            operands: &[X, Operand::update(Form::Triangle)],
            arguments: &[LOWER, Size, RealFactor(Factor::Alpha), At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [x, a] = each(operands);
                    let (x, a) = (x.vector()?, a.matrix_mut(n, n)?);
                    match T::KIND.is_complex() {
                        true => her(Triangle::Lower, Factor::Alpha.value(), x, a),
                        false => syr(Triangle::Lower, alpha(), x, a),
                    }
                },
                check: |seen, i, j| {
                    if i < j {
                        return seen.equal(seen.matrix(1, i, j), seen.new_matrix(1, i, j));
                    }
                    let product = (seen.factor(Factor::Alpha).re * seen.vector(0, i), seen.vector(0, j).conj());
                    seen.compare([product, (Complex64::ONE, seen.matrix(1, i, j))], seen.new_matrix(1, i, j))
                },
            },
        },
    ];
}
