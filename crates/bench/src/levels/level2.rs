//! Level 2: matrices and vectors.

use affinimath::{
    BandRef, BandShape, Buffer, Complex64, Diag, Layout, MatrixShape, Op, PackedRef, PackedShape, Result, Scalar,
    Triangle, gbmv, gemv, ger, gerc, hbmv, hemv, her, her2, hpmv, hpr, hpr2, imatcopy, omatadd, omatcopy, sbmv, spmv,
    spr, spr2, symv, syr, syr2, tbmv, tbsv, tpmv, tpsv, trmv, trsv,
};

use super::check::{Sample, Seen};
use super::routine::Argument::{self, At, Factor as By, RealFactor, Size, Width};
use super::routine::{Action, Factor, Form, Letters, Operand, Routine, WIDTH, Work, each};

const GENERAL: Operand = Operand::read(Form::General);
const TRIANGLE: Operand = Operand::read(Form::Triangle);
const PACKED: Operand = Operand::read(Form::Packed);
const X: Operand = Operand::read(Form::Vector);
const Y: Operand = Operand::update(Form::Vector);

const ALPHA: Argument = By(Factor::Alpha);
const BETA: Argument = By(Factor::Beta);
const LOWER: Argument = Argument::Triangle(Triangle::Lower);
const KEEP: Argument = Argument::Op(Op::NoTrans);
const STORED: Argument = Argument::Diagonal(Diag::NonUnit);

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

fn packed_shape(n: usize) -> Result<PackedShape> {
    PackedShape::new(Layout::ColumnMajor, Triangle::Lower, n, 0)
}

fn packed<T: Scalar>(n: usize, a: &Buffer<T>) -> Result<PackedRef<'_, T>> {
    a.packed_view(packed_shape(n)?)
}

/// A lower triangle of a band.
fn band<T: Scalar>(n: usize, a: &Buffer<T>) -> Result<BandRef<'_, T>> {
    a.band_view(BandShape::new(Layout::ColumnMajor, n, n, WIDTH, 0, 0, WIDTH + 1)?)
}

/// An element of a symmetric or Hermitian matrix whose lower triangle is stored.
fn mirrored(hermitian: bool, i: usize, j: usize, stored: impl Fn(usize, usize) -> Complex64) -> Complex64 {
    let element = stored(i.max(j), i.min(j));
    if hermitian && i < j { element.conj() } else { element }
}

/// symv and hemv: y := alpha A x + beta y.
const fn symmetric<T: Scalar, const HERMITIAN: bool>(names: [&'static str; 2], formula: &'static str) -> Routine<T> {
    Routine {
        names,
        variant: "",
        formula,
        letters: Letters::Plain,
        operands: &[TRIANGLE, X, Y],
        arguments: &[LOWER, Size, ALPHA, At(0), At(1), BETA, At(2)],
        work: Work::Bytes,
        action: Action::Update {
            ours: |n, operands| {
                let [a, x, y] = each(operands);
                let call = if HERMITIAN { hemv } else { symv };
                call(Triangle::Lower, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
            },
            check: |seen, i, _| product(seen, i, |j| mirrored(HERMITIAN, i, j, |i, j| seen.matrix(0, i, j))),
        },
    }
}

/// spmv and hpmv: y := alpha A x + beta y, A packed.
const fn packed_symmetric<T: Scalar, const HERMITIAN: bool>(
    names: [&'static str; 2],
    formula: &'static str,
) -> Routine<T> {
    Routine {
        names,
        variant: "",
        formula,
        letters: Letters::Plain,
        operands: &[PACKED, X, Y],
        arguments: &[LOWER, Size, ALPHA, At(0), At(1), BETA, At(2)],
        work: Work::Bytes,
        action: Action::Update {
            ours: |n, operands| {
                let [a, x, y] = each(operands);
                let call = if HERMITIAN { hpmv } else { spmv };
                call(alpha(), packed(n, a)?, x.vector()?, beta(), y.vector_mut()?)
            },
            check: |seen, i, _| product(seen, i, |j| mirrored(HERMITIAN, i, j, |i, j| seen.packed(0, i, j))),
        },
    }
}

/// x := A x, or A^-1 x, for a triangle that is stored in this form.
const fn triangular<T: Scalar>(
    name: &'static str,
    formula: &'static str,
    operands: &'static [Operand],
    arguments: &'static [Argument],
    ours: fn(usize, &mut [Buffer<T>]) -> Result<affinimath::Event>,
    check: fn(&Seen<'_, T>, usize, usize) -> Sample,
) -> Routine<T> {
    Routine {
        names: [name; 2],
        variant: "",
        formula,
        letters: Letters::Plain,
        operands,
        arguments,
        work: Work::Bytes,
        action: Action::Update { ours, check },
    }
}

/// x_i of x := A x, or of what A x was before, for the elements of a triangle.
fn of_triangle<T: Scalar>(
    seen: &Seen<'_, T>,
    i: usize,
    solved: bool,
    stored: impl Fn(usize, usize) -> Complex64,
) -> Sample {
    let (old, new) = (|j| seen.vector(1, j), |j| seen.new_vector(1, j));
    match solved {
        true => seen.compare((0..=i).map(|j| (stored(i, j), new(j))), old(i)),
        false => seen.compare((0..=i).map(|j| (stored(i, j), old(j))), new(i)),
    }
}

/// An element of A := A + alpha x x^H, or x x^T, on a triangle; with two vectors, of A + alpha x y^H + conj(alpha) y
/// x^H, or of A + alpha (x y^T + y x^T).
fn updated<T: Scalar>(
    (hermitian, vectors): (bool, usize),
    seen: &Seen<'_, T>,
    (i, j): (usize, usize),
    (before, after): (Complex64, Complex64),
) -> Sample {
    let right = |vector: usize| if hermitian { seen.vector(vector, j).conj() } else { seen.vector(vector, j) };
    let alpha = seen.factor(Factor::Alpha);
    let old = (Complex64::ONE, before);
    if vectors == 1 {
        let alpha = if hermitian { alpha.re.into() } else { alpha };
        return seen.compare([(alpha * seen.vector(0, i), right(0)), old], after);
    }
    let other = if hermitian { alpha.conj() } else { alpha };
    let products = [(alpha * seen.vector(0, i), right(1)), (other * seen.vector(1, i), right(0)), old];
    seen.compare(products, after)
}

/// See [`updated`], for a whole matrix of which the lower triangle is written.
fn updated_matrix<T: Scalar>(kind: (bool, usize), seen: &Seen<'_, T>, i: usize, j: usize) -> Sample {
    let (before, after) = (seen.matrix(kind.1, i, j), seen.new_matrix(kind.1, i, j));
    if i < j { seen.equal(before, after) } else { updated(kind, seen, (i, j), (before, after)) }
}

/// See [`updated`], for a packed triangle.
fn updated_packed<T: Scalar>(kind: (bool, usize), seen: &Seen<'_, T>, i: usize, j: usize) -> Sample {
    let (i, j) = (i.max(j), i.min(j));
    updated(kind, seen, (i, j), (seen.packed(kind.1, i, j), seen.new_packed(kind.1, i, j)))
}

/// An update of a triangle by one or two products of vectors.
const fn update<T: Scalar>(
    names: [&'static str; 2],
    formula: &'static str,
    operands: &'static [Operand],
    arguments: &'static [Argument],
    ours: fn(usize, &mut [Buffer<T>]) -> Result<affinimath::Event>,
    check: fn(&Seen<'_, T>, usize, usize) -> Sample,
) -> Routine<T> {
    Routine {
        names,
        variant: "",
        formula,
        letters: Letters::Plain,
        operands,
        arguments,
        work: Work::Bytes,
        action: Action::Update { ours, check },
    }
}

/// A matrix that is copied into another, or transposed in place.
const SQUARE: Operand = Operand::update(Form::General);
const COPY: Operand = Operand::write(Form::General);

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
                    gemv(Op::NoTrans, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
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
            arguments: &[Argument::Op(Op::Trans), Size, Size, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    gemv(Op::Trans, alpha(), a.matrix(n, n)?, x.vector()?, beta(), y.vector_mut()?)
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
                    gbmv(Op::NoTrans, alpha(), a.band_view(band)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| seen.band(0, i, j)),
            },
        },
        symmetric::<T, true>(["symv", "hemv"], "y := alpha A x + beta y, A symmetric or Hermitian"),
        symmetric::<T, false>(["", "symv"], "y := alpha A x + beta y, A complex and symmetric"),
        Routine {
            names: ["sbmv", "hbmv"],
            variant: "",
            formula: "y := alpha A x + beta y, A symmetric or Hermitian, with 16 diagonals on either side",
            letters: Letters::Plain,
            operands: &[Operand::read(Form::BandTriangle), X, Y],
            arguments: &[LOWER, Size, Width, ALPHA, At(0), At(1), BETA, At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, x, y] = each(operands);
                    let call = if T::KIND.is_complex() { hbmv } else { sbmv };
                    call(Triangle::Lower, alpha(), band(n, a)?, x.vector()?, beta(), y.vector_mut()?)
                },
                check: |seen, i, _| product(seen, i, |j| mirrored(true, i, j, |i, j| seen.band_triangle(0, i, j))),
            },
        },
        packed_symmetric::<T, true>(["spmv", "hpmv"], "y := alpha A x + beta y, A symmetric or Hermitian, packed"),
        packed_symmetric::<T, false>(["", "spmv"], "y := alpha A x + beta y, A complex and symmetric, packed"),
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
                    trmv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, a.matrix(n, n)?, x.vector_mut()?)
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
                    trsv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, a.matrix(n, n)?, x.vector_mut()?)
                },
                check: |seen, i, _| {
                    let terms = (0..=i).map(|j| (seen.triangle(0, i, j), seen.new_vector(1, j)));
                    seen.compare(terms, seen.vector(1, i))
                },
            },
        },
        triangular(
            "tbmv",
            "x := A x, A triangular with 16 diagonals below the main one",
            &[Operand::read(Form::BandFactor), Y],
            &[LOWER, KEEP, STORED, Size, Width, At(0), At(1)],
            |n, operands| {
                let [a, x] = each(operands);
                tbmv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, band(n, a)?, x.vector_mut()?)
            },
            |seen, i, _| of_triangle(seen, i, false, |i, j| seen.band_triangle(0, i, j)),
        ),
        triangular(
            "tbsv",
            "x := A^-1 x, A triangular with 16 diagonals below the main one",
            &[Operand::read(Form::BandDivisor), Y],
            &[LOWER, KEEP, STORED, Size, Width, At(0), At(1)],
            |n, operands| {
                let [a, x] = each(operands);
                tbsv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, band(n, a)?, x.vector_mut()?)
            },
            |seen, i, _| of_triangle(seen, i, true, |i, j| seen.band_triangle(0, i, j)),
        ),
        triangular(
            "tpmv",
            "x := A x, A triangular, packed",
            &[Operand::read(Form::PackedFactor), Y],
            &[LOWER, KEEP, STORED, Size, At(0), At(1)],
            |n, operands| {
                let [a, x] = each(operands);
                tpmv(Op::NoTrans, Diag::NonUnit, packed(n, a)?, x.vector_mut()?)
            },
            |seen, i, _| of_triangle(seen, i, false, |i, j| seen.packed(0, i, j)),
        ),
        triangular(
            "tpsv",
            "x := A^-1 x, A triangular, packed",
            &[Operand::read(Form::PackedDivisor), Y],
            &[LOWER, KEEP, STORED, Size, At(0), At(1)],
            |n, operands| {
                let [a, x] = each(operands);
                tpsv(Op::NoTrans, Diag::NonUnit, packed(n, a)?, x.vector_mut()?)
            },
            |seen, i, _| of_triangle(seen, i, true, |i, j| seen.packed(0, i, j)),
        ),
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
        update(
            ["", "gerc"],
            "A := alpha x y^H + A",
            &[X, X, Operand::update(Form::General)],
            &[Size, Size, ALPHA, At(0), At(1), At(2)],
            |n, operands| {
                let [x, y, a] = each(operands);
                gerc(alpha(), x.vector()?, y.vector()?, a.matrix_mut(n, n)?)
            },
            |seen, i, j| {
                let product = (seen.factor(Factor::Alpha) * seen.vector(0, i), seen.vector(1, j).conj());
                seen.compare([product, (Complex64::ONE, seen.matrix(2, i, j))], seen.new_matrix(2, i, j))
            },
        ),
        update(
            ["syr", "her"],
            "A := alpha x x^H + A, A symmetric or Hermitian",
            &[X, Operand::update(Form::Triangle)],
            &[LOWER, Size, RealFactor(Factor::Alpha), At(0), At(1)],
            |n, operands| {
                let [x, a] = each(operands);
                let (x, a) = (x.vector()?, a.matrix_mut(n, n)?);
                match T::KIND.is_complex() {
                    true => her(Triangle::Lower, Factor::Alpha.value(), x, a),
                    false => syr(Triangle::Lower, alpha(), x, a),
                }
            },
            |seen, i, j| updated_matrix((true, 1), seen, i, j),
        ),
        update(
            ["", "syr"],
            "A := alpha x x^T + A, A complex and symmetric",
            &[X, Operand::update(Form::Triangle)],
            &[LOWER, Size, ALPHA, At(0), At(1)],
            |n, operands| {
                let [x, a] = each(operands);
                let (x, a) = (x.vector()?, a.matrix_mut(n, n)?);
                syr(Triangle::Lower, alpha(), x, a)
            },
            |seen, i, j| updated_matrix((false, 1), seen, i, j),
        ),
        update(
            ["spr", "hpr"],
            "A := alpha x x^H + A, A symmetric or Hermitian, packed",
            &[X, Operand::update(Form::Packed)],
            &[LOWER, Size, RealFactor(Factor::Alpha), At(0), At(1)],
            |n, operands| {
                let [x, a] = each(operands);
                let (x, a) = (x.vector()?, a.packed_view_mut(packed_shape(n)?)?);
                match T::KIND.is_complex() {
                    true => hpr(Factor::Alpha.value(), x, a),
                    false => spr(alpha(), x, a),
                }
            },
            |seen, i, j| updated_packed((true, 1), seen, i, j),
        ),
        update(
            ["", "spr"],
            "A := alpha x x^T + A, A complex and symmetric, packed",
            &[X, Operand::update(Form::Packed)],
            &[LOWER, Size, ALPHA, At(0), At(1)],
            |n, operands| {
                let [x, a] = each(operands);
                let (x, a) = (x.vector()?, a.packed_view_mut(packed_shape(n)?)?);
                spr(alpha(), x, a)
            },
            |seen, i, j| updated_packed((false, 1), seen, i, j),
        ),
        update(
            ["syr2", "her2"],
            "A := alpha x y^H + conj(alpha) y x^H + A, A symmetric or Hermitian",
            &[X, X, Operand::update(Form::Triangle)],
            &[LOWER, Size, ALPHA, At(0), At(1), At(2)],
            |n, operands| {
                let [x, y, a] = each(operands);
                let (x, y, a) = (x.vector()?, y.vector()?, a.matrix_mut(n, n)?);
                let call = if T::KIND.is_complex() { her2 } else { syr2 };
                call(Triangle::Lower, alpha(), x, y, a)
            },
            |seen, i, j| updated_matrix((true, 2), seen, i, j),
        ),
        update(
            ["", "syr2"],
            "A := alpha (x y^T + y x^T) + A, A complex and symmetric",
            &[X, X, Operand::update(Form::Triangle)],
            &[LOWER, Size, ALPHA, At(0), At(1), At(2)],
            |n, operands| {
                let [x, y, a] = each(operands);
                let (x, y, a) = (x.vector()?, y.vector()?, a.matrix_mut(n, n)?);
                syr2(Triangle::Lower, alpha(), x, y, a)
            },
            |seen, i, j| updated_matrix((false, 2), seen, i, j),
        ),
        update(
            ["spr2", "hpr2"],
            "A := alpha x y^H + conj(alpha) y x^H + A, A symmetric or Hermitian, packed",
            &[X, X, Operand::update(Form::Packed)],
            &[LOWER, Size, ALPHA, At(0), At(1), At(2)],
            |n, operands| {
                let [x, y, a] = each(operands);
                let (x, y, a) = (x.vector()?, y.vector()?, a.packed_view_mut(packed_shape(n)?)?);
                let call = if T::KIND.is_complex() { hpr2 } else { spr2 };
                call(alpha(), x, y, a)
            },
            |seen, i, j| updated_packed((true, 2), seen, i, j),
        ),
        update(
            ["", "spr2"],
            "A := alpha (x y^T + y x^T) + A, A complex and symmetric, packed",
            &[X, X, Operand::update(Form::Packed)],
            &[LOWER, Size, ALPHA, At(0), At(1), At(2)],
            |n, operands| {
                let [x, y, a] = each(operands);
                let (x, y, a) = (x.vector()?, y.vector()?, a.packed_view_mut(packed_shape(n)?)?);
                spr2(alpha(), x, y, a)
            },
            |seen, i, j| updated_packed((false, 2), seen, i, j),
        ),
        Routine {
            names: ["omatcopy"; 2],
            variant: "n",
            formula: "B := A",
            letters: Letters::Plain,
            operands: &[GENERAL, COPY],
            arguments: &[Argument::Op(Op::NoTrans), Size, Size, By(Factor::One), At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b] = each(operands);
                    omatcopy(Op::NoTrans, T::ONE, a.matrix(n, n)?, b.matrix_mut(n, n)?)
                },
                check: |seen, i, j| seen.equal(seen.matrix(0, i, j), seen.new_matrix(1, i, j)),
            },
        },
        Routine {
            names: ["omatcopy"; 2],
            variant: "t",
            formula: "B := A^T",
            letters: Letters::Plain,
            operands: &[GENERAL, COPY],
            arguments: &[Argument::Op(Op::Trans), Size, Size, By(Factor::One), At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b] = each(operands);
                    omatcopy(Op::Trans, T::ONE, a.matrix(n, n)?, b.matrix_mut(n, n)?)
                },
                check: |seen, i, j| seen.equal(seen.matrix(0, j, i), seen.new_matrix(1, i, j)),
            },
        },
        Routine {
            names: ["imatcopy"; 2],
            variant: "t",
            formula: "A := alpha A^T",
            letters: Letters::Plain,
            operands: &[SQUARE],
            arguments: &[Argument::Op(Op::Trans), Size, Size, By(Factor::Turn), At(0), Size],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let shape = MatrixShape::new(Layout::ColumnMajor, n, n, 0, n)?;
                    imatcopy(Op::Trans, Factor::Turn.value(), operands[0].in_place(shape, shape)?)
                },
                check: |seen, i, j| {
                    seen.compare([(seen.factor(Factor::Turn), seen.matrix(0, j, i))], seen.new_matrix(0, i, j))
                },
            },
        },
        Routine {
            names: ["omatadd"; 2],
            variant: "",
            formula: "C := alpha A + beta B",
            letters: Letters::Plain,
            operands: &[GENERAL, GENERAL, COPY],
            arguments: &[KEEP, KEEP, Size, Size, ALPHA, At(0), BETA, At(1), At(2)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |n, operands| {
                    let [a, b, c] = each(operands);
                    let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                    omatadd(Op::NoTrans, Op::NoTrans, alpha(), a, beta(), b, c)
                },
                check: |seen, i, j| {
                    let a = (seen.factor(Factor::Alpha), seen.matrix(0, i, j));
                    seen.compare([a, (seen.factor(Factor::Beta), seen.matrix(1, i, j))], seen.new_matrix(2, i, j))
                },
            },
        },
    ];
}
