//! Matrices and vectors in memory, laid out by BLAS's own formulas, with NaN wherever nothing may be read.

use crate::options::{Diag, Layout, Op, Symmetry, Triangle};
use crate::scalar::{Complex64, Scalar};
use crate::view::{BandShape, MatrixShape, PackedShape, VectorShape};

/// Structure of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    General(Op),
    Symmetric(Symmetry, Triangle),
    Triangular(Triangle, Op, Diag),
}

/// Storage form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Full,
    /// Diagonals below and above the main one; a triangle has the ones on its side.
    Band(usize, usize),
    Packed,
}

/// A matrix in a caller's form, with canaries around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described {
    pub(super) meaning: Meaning,
    pub(super) form: Form,
    pub(super) layout: Layout,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) gap: usize,
}

/// A value of few bits, so that sums of products are exact in doubles.
pub(super) fn number(i: usize, seed: usize) -> Complex64 {
    let part =
        |k: usize| ((k.wrapping_mul(7919) ^ (k >> 3)).wrapping_add(seed * 104_729) % 127) as f64 / 64.0 - 63.0 / 64.0;
    Complex64::new(part(2 * i), part(2 * i + 1))
}

pub(super) fn narrow<T: Scalar>(value: Complex64) -> T {
    T::from_parts(value.re, value.im)
}

pub(super) fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

impl Described {
    pub(super) fn triangle(&self) -> Option<Triangle> {
        match self.meaning {
            Meaning::General(_) => None,
            Meaning::Symmetric(_, triangle) | Meaning::Triangular(triangle, ..) => Some(triangle),
        }
    }

    pub(super) fn op(&self) -> Op {
        match self.meaning {
            Meaning::General(op) | Meaning::Triangular(_, op, _) => op,
            Meaning::Symmetric(..) => Op::NoTrans,
        }
    }

    /// Diagonals below and above the main one of a band.
    pub(super) fn diagonals(&self) -> (usize, usize) {
        match (self.form, self.triangle()) {
            (Form::Band(lower, upper), None) => (lower, upper),
            (Form::Band(lower, _), Some(Triangle::Lower)) => (lower, 0),
            (Form::Band(_, upper), Some(Triangle::Upper)) => (0, upper),
            _ => (self.rows, self.columns),
        }
    }

    pub(super) fn matrix_shape(&self) -> MatrixShape {
        let adjacent = if self.layout == Layout::ColumnMajor { self.rows } else { self.columns };
        MatrixShape::new(self.layout, self.rows, self.columns, self.gap, adjacent.max(1) + self.gap).unwrap()
    }

    pub(super) fn band_shape(&self) -> BandShape {
        let (lower, upper) = self.diagonals();
        let leading_dimension = lower + upper + 1 + self.gap;
        BandShape::new(self.layout, self.rows, self.columns, lower, upper, self.gap, leading_dimension).unwrap()
    }

    pub(super) fn packed_shape(&self) -> PackedShape {
        PackedShape::new(self.layout, self.triangle().unwrap(), self.rows, self.gap).unwrap()
    }

    /// True if the element (i, j) is stored.
    fn stored(&self, i: usize, j: usize) -> bool {
        let in_triangle = match self.triangle() {
            None => true,
            Some(Triangle::Upper) => i <= j,
            Some(Triangle::Lower) => i >= j,
        };
        let (lower, upper) = self.diagonals();
        in_triangle && i <= j + lower && j <= i + upper
    }

    /// BLAS's index of the stored element (i, j).
    fn index(&self, i: usize, j: usize) -> usize {
        let by_columns = self.layout == Layout::ColumnMajor;
        // Row-major layout is the column-major one of the transpose.
        let (row, column) = if by_columns { (i, j) } else { (j, i) };
        self.gap
            + match self.form {
                Form::Full => row + column * self.matrix_shape().leading_dimension(),
                Form::Band(..) => {
                    let (lower, upper) = self.diagonals();
                    (if by_columns { upper } else { lower }) + row - column + column * (lower + upper + 1 + self.gap)
                }
                Form::Packed if (self.triangle() == Some(Triangle::Upper)) == by_columns => {
                    row + column * (column + 1) / 2
                }
                Form::Packed => row + column * (2 * self.rows - column - 1) / 2,
            }
    }

    fn value(&self, i: usize, j: usize) -> Complex64 {
        number(i * 1009 + j, 5)
    }

    /// Its memory: NaN but for what may be read.
    pub(super) fn memory<T: Scalar>(&self) -> Vec<T> {
        let end = match self.form {
            Form::Full => self.matrix_shape().end(),
            Form::Band(..) => self.band_shape().end(),
            Form::Packed => self.packed_shape().end(),
        };
        let nan = f64::NAN;
        let mut data = vec![T::from_parts(nan, nan); end + self.gap];
        for j in 0..self.columns {
            for i in (0..self.rows).filter(|i| self.stored(*i, j)) {
                let value = self.value(i, j);
                data[self.index(i, j)] = match self.meaning {
                    Meaning::Triangular(.., Diag::Unit) if i == j => continue,
                    Meaning::Symmetric(Symmetry::Hermitian, _) if i == j => T::from_parts(value.re, nan),
                    _ => narrow(value),
                };
            }
        }
        data
    }

    /// Element (i, j) of the mathematical matrix; `None` for zeros that are not stored.
    pub(super) fn element<T: Scalar>(&self, i: usize, j: usize) -> Option<Complex64> {
        let op = self.op();
        let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
        let real = |value: Complex64| if T::KIND.is_complex() { value } else { Complex64::new(value.re, 0.0) };
        let value = match self.meaning {
            Meaning::General(_) => self.stored(i, j).then(|| self.value(i, j)),
            Meaning::Triangular(.., Diag::Unit) if i == j => Some(Complex64::ONE),
            Meaning::Triangular(..) => self.stored(i, j).then(|| self.value(i, j)),
            Meaning::Symmetric(Symmetry::Hermitian, _) if i == j => Some(Complex64::new(self.value(i, i).re, 0.0)),
            Meaning::Symmetric(..) if self.stored(i, j) => Some(self.value(i, j)),
            Meaning::Symmetric(Symmetry::Symmetric, _) => self.stored(j, i).then(|| self.value(j, i)),
            Meaning::Symmetric(Symmetry::Hermitian, _) => self.stored(j, i).then(|| self.value(j, i).conj()),
        };
        value.map(real).map(|value| if op.conjugates() { value.conj() } else { value })
    }

    /// Rows and columns of op(A).
    pub(super) fn size(&self) -> (usize, usize) {
        if self.op().transposes() { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }
}

/// A vector between canaries.
#[derive(Clone)]
pub(super) struct Strided<T> {
    pub(super) data: Vec<T>,
    pub(super) shape: VectorShape,
}

impl<T: Scalar> Strided<T> {
    pub(super) fn new(length: usize, increment: isize, value: impl Fn(usize) -> Complex64) -> Self {
        let shape = VectorShape::new(length, 2, increment).unwrap();
        let mut vector = Strided { data: vec![T::from_parts(f64::NAN, f64::NAN); shape.end() + 3], shape };
        for i in 0..length {
            let index = vector.index(i);
            vector.data[index] = narrow(value(i));
        }
        vector
    }

    fn index(&self, i: usize) -> usize {
        (self.shape.first() as isize + i as isize * self.shape.increment()) as usize
    }

    pub(super) fn element(&self, i: usize) -> Complex64 {
        wide(self.data[self.index(i)])
    }

    /// True if everything between and around the elements is still NaN.
    pub(super) fn canaries_live(&self) -> bool {
        let mut is_element = vec![false; self.data.len()];
        (0..self.shape.length()).for_each(|i| is_element[self.index(i)] = true);
        self.data.iter().zip(is_element).all(|(value, is_element)| is_element || value.re().is_nan())
    }
}
