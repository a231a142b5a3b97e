//! Matrices with a structure that routines use.

use super::diagonal;
use crate::array::Array;
use crate::element::{Number, Value};
use crate::error::ErrorKind;
use crate::expr::{Expr, IntoExpr, Output};
use crate::function::Binary;
use crate::library::MatrixStructure;
use crate::node::{Complex, Node};
use crate::shape::Shape;
use crate::types::{Element, Floating};
use affinimath_core::{Diag, Triangle};
use std::ops::Deref;

/// A matrix, or a batch of them in the last two axes, of a known structure.
///
/// [`solve`](crate::solve) takes the method that the structure allows, and reads the elements that it names alone. The
/// matrix is an [`Expr`] by `Deref`, in which other elements are what the structure says: zeros, or mirrored ones.
#[derive(Debug)]
pub struct StructuredMatrix<T: Element> {
    /// The matrix with all of its elements.
    pub(super) whole: Expr<T>,
    /// The elements that routines read.
    pub(super) stored: Node,
    pub(super) structure: Structure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    Diagonal,
    Stored(MatrixStructure),
}

impl<T: Element> Clone for StructuredMatrix<T> {
    fn clone(&self) -> Self {
        StructuredMatrix { whole: self.whole.clone(), stored: self.stored.clone(), structure: self.structure }
    }
}

impl<T: Element> Deref for StructuredMatrix<T> {
    type Target = Expr<T>;

    fn deref(&self) -> &Expr<T> {
        &self.whole
    }
}

impl<T: Element> IntoExpr<T> for StructuredMatrix<T> {
    fn into_expr(self) -> Expr<T> {
        self.whole
    }
}

impl<T: Element> IntoExpr<T> for &StructuredMatrix<T> {
    fn into_expr(self) -> Expr<T> {
        self.whole.clone()
    }
}

impl<T: Element> Output for StructuredMatrix<T> {
    type Element = T;

    fn graph(&self) -> &Node {
        self.whole.node()
    }
}

/// A matrix of a system: an expression, an array, or one of a known structure.
pub trait IntoMatrix<T: Floating> {
    /// The matrix with its structure.
    fn into_matrix(self) -> StructuredMatrix<T>;
}

impl<T: Floating> IntoMatrix<T> for StructuredMatrix<T> {
    fn into_matrix(self) -> StructuredMatrix<T> {
        self
    }
}

impl<T: Floating> IntoMatrix<T> for &StructuredMatrix<T> {
    fn into_matrix(self) -> StructuredMatrix<T> {
        self.clone()
    }
}

macro_rules! general {
    ($($type:ty),*) => {$(
        impl<T: Floating> IntoMatrix<T> for $type {
            fn into_matrix(self) -> StructuredMatrix<T> {
                let whole = self.into_expr();
                let stored = whole.node().clone();
                StructuredMatrix { whole, stored, structure: Structure::Stored(MatrixStructure::Unknown) }
            }
        }
    )*};
}

general!(Expr<T>, &Expr<T>, Array<T>, &Array<T>);

impl<T: Floating> Expr<T> {
    /// The triangle of a matrix, with a diagonal of ones where [`Diag::Unit`] says so; other elements are zeros.
    ///
    /// ```
    /// use affinimath_array::{ones, solve};
    /// use affinimath_core::{Diag, Triangle};
    ///
    /// let a = ones::<f64>([3, 3]).triangular(Triangle::Lower, Diag::NonUnit);
    /// assert_eq!(solve(&a, ones::<f64>([3])).shape(), &[3]);
    /// ```
    #[track_caller]
    pub fn triangular(&self, triangle: Triangle, diagonal: Diag) -> StructuredMatrix<T> {
        self.triangular_of("triangular", self.node(), triangle, diagonal)
    }

    /// `stored` is what routines read of this matrix: its elements off the triangle may be any.
    #[track_caller]
    pub(super) fn triangular_of(
        &self,
        operation: &'static str,
        stored: &Node,
        triangle: Triangle,
        diagonal: Diag,
    ) -> StructuredMatrix<T> {
        let zero = Node::scalar(Number::of_real(0.0, T::TYPE));
        let whole = match Masks::of(self.node(), operation, false) {
            Ok(masks) => match diagonal {
                Diag::NonUnit => masks.inclusive(triangle).select(self.node(), &zero),
                Diag::Unit => {
                    let one = Node::scalar(Number::of_real(1.0, T::TYPE));
                    let strict = masks.inclusive(triangle).select(self.node(), &zero);
                    masks.diagonal().select(&one, &strict)
                }
            },
            Err(failed) => failed,
        };
        let structure = Structure::Stored(MatrixStructure::Triangular(triangle, diagonal));
        StructuredMatrix { whole: Expr::new(whole), stored: stored.clone(), structure }
    }

    /// The symmetric matrix of which the triangle is read.
    #[track_caller]
    pub fn symmetric(&self, triangle: Triangle) -> StructuredMatrix<T> {
        if !T::TYPE.is_complex() {
            return self.hermitian(triangle);
        }
        let whole = match Masks::of(self.node(), "symmetric", true) {
            Ok(masks) => masks.inclusive(triangle).select(self.node(), &self.node().transpose_last()),
            Err(failed) => failed,
        };
        self.stored_as(MatrixStructure::Symmetric(triangle), whole)
    }

    /// The Hermitian matrix of which the triangle is read; of real elements the symmetric one. Imaginary parts of the
    /// diagonal are not read.
    #[track_caller]
    pub fn hermitian(&self, triangle: Triangle) -> StructuredMatrix<T> {
        self.stored_as(MatrixStructure::Hermitian(triangle), self.mirrored("hermitian", triangle))
    }

    /// The Hermitian (symmetric) positive definite matrix of which the triangle is read. One that is not positive
    /// definite is an error of the routine.
    #[track_caller]
    pub fn positive_definite(&self, triangle: Triangle) -> StructuredMatrix<T> {
        self.stored_as(MatrixStructure::PositiveDefinite(triangle), self.mirrored("positive_definite", triangle))
    }

    /// The band of a square matrix: its diagonal, `lower` diagonals below it and `upper` above it, with zeros
    /// elsewhere.
    ///
    /// ```
    /// use affinimath_array::{ones, solve};
    ///
    /// let a = ones::<f64>([5, 5]).banded(2, 1);
    /// assert_eq!(solve(&a, ones::<f64>([5])).shape(), &[5]);
    /// ```
    #[track_caller]
    pub fn banded(&self, lower: usize, upper: usize) -> StructuredMatrix<T> {
        let whole = self.within_band("banded", lower, upper);
        self.stored_as(MatrixStructure::Banded { lower, upper }, whole)
    }

    /// The three diagonals in the middle of a square matrix, with zeros elsewhere.
    #[track_caller]
    pub fn tridiagonal(&self) -> StructuredMatrix<T> {
        self.stored_as(MatrixStructure::Tridiagonal, self.within_band("tridiagonal", 1, 1))
    }

    /// A square matrix without a structure, in whose values [`solve`](crate::solve) looks for none: it takes LU.
    #[track_caller]
    pub fn general(&self) -> StructuredMatrix<T> {
        let whole = match Masks::of(self.node(), "general", true) {
            Ok(_) => self.node().clone(),
            Err(failed) => failed,
        };
        self.stored_as(MatrixStructure::General, whole)
    }

    /// `whole` is the matrix of which routines read a part of this expression.
    fn stored_as(&self, structure: MatrixStructure, whole: Node) -> StructuredMatrix<T> {
        let structure = Structure::Stored(structure);
        StructuredMatrix { whole: Expr::new(whole), stored: self.node().clone(), structure }
    }

    /// The matrix's diagonal, with zeros elsewhere. A system with it is a division, which has no error: a zero on the
    /// diagonal gives infinities or NaN.
    #[track_caller]
    pub fn diagonal(&self) -> StructuredMatrix<T> {
        let zero = Node::scalar(Number::of_real(0.0, T::TYPE));
        let (whole, stored) = match Masks::of(self.node(), "diagonal", true) {
            Ok(masks) => (masks.diagonal().select(self.node(), &zero), diagonal(self.node())),
            Err(failed) => (failed.clone(), failed),
        };
        StructuredMatrix { whole: Expr::new(whole), stored, structure: Structure::Diagonal }
    }

    #[track_caller]
    fn within_band(&self, operation: &'static str, lower: usize, upper: usize) -> Node {
        let zero = Node::scalar(Number::of_real(0.0, T::TYPE));
        match Masks::of(self.node(), operation, true) {
            Ok(masks) => masks.band(lower, upper).select(self.node(), &zero),
            Err(failed) => failed,
        }
    }

    /// The Hermitian matrix of a triangle.
    #[track_caller]
    fn mirrored(&self, operation: &'static str, triangle: Triangle) -> Node {
        let node = self.node();
        let masks = match Masks::of(node, operation, true) {
            Ok(masks) => masks,
            Err(failed) => return failed,
        };
        if !T::TYPE.is_complex() {
            return masks.inclusive(triangle).select(node, &node.transpose_last());
        }
        let off_diagonal = masks.inclusive(triangle).select(node, &node.complex(Complex::Conj).transpose_last());
        masks.diagonal().select(&node.complex(Complex::Re).convert(T::TYPE), &off_diagonal)
    }
}

/// Masks of matrices of a shape.
struct Masks(Shape);

impl Masks {
    /// Those of a matrix, or its error, or one where it must be square and is not.
    #[track_caller]
    fn of(matrix: &Node, operation: &'static str, is_square: bool) -> Result<Masks, Node> {
        if matrix.error().is_some() {
            return Err(matrix.clone());
        }
        let reason = match matrix.shape()[..] {
            [.., m, n] if m == n || !is_square => {
                return Shape::new(&[m, n]).map(Masks).map_err(|kind| Node::from_error(kind, matrix.element()));
            }
            [.., m, n] => format!("the matrix is {m} x {n}, and not square"),
            _ => format!("a matrix has 2 axes at least, not {}", matrix.shape().rank()),
        };
        Err(Node::from_error(ErrorKind::Argument { operation, reason }, matrix.element()))
    }

    /// The triangle with the diagonal.
    fn inclusive(&self, triangle: Triangle) -> Node {
        let (row, column) = (Node::coordinates(&self.0, 0), Node::coordinates(&self.0, 1));
        row.binary(if triangle == Triangle::Lower { Binary::Ge } else { Binary::Le }, &column)
    }

    /// Elements of the main diagonal, of `lower` diagonals below it and of `upper` ones above it.
    fn band(&self, lower: usize, upper: usize) -> Node {
        let (row, column) = (Node::coordinates(&self.0, 0), Node::coordinates(&self.0, 1));
        let count = |diagonals: usize| Node::scalar(Number::Real(Value::I64(diagonals.min(self.0[0]) as i64)));
        let is_above = row.binary(Binary::Sub, &column).binary(Binary::Le, &count(lower));
        is_above.binary(Binary::And, &column.binary(Binary::Sub, &row).binary(Binary::Le, &count(upper)))
    }

    fn diagonal(&self) -> Node {
        Node::diagonal_mask(&self.0, 0)
    }
}
