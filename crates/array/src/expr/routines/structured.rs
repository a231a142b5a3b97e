//! Matrices with a structure that routines use.

use super::diagonal;
use crate::array::Array;
use crate::element::Number;
use crate::error::ErrorKind;
use crate::expr::{Expr, IntoExpr, Output};
use crate::function::Binary;
use crate::library::SolveMethod;
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
    Method(SolveMethod),
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
                StructuredMatrix { whole, stored, structure: Structure::Method(SolveMethod::Any) }
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
        let structure = Structure::Method(SolveMethod::Triangular(triangle, diagonal));
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
        StructuredMatrix {
            stored: whole.clone(),
            whole: Expr::new(whole),
            structure: Structure::Method(SolveMethod::Lu),
        }
    }

    /// The Hermitian matrix of which the triangle is read; of real elements the symmetric one. Imaginary parts of the
    /// diagonal are not read.
    #[track_caller]
    pub fn hermitian(&self, triangle: Triangle) -> StructuredMatrix<T> {
        let whole = self.mirrored("hermitian", triangle);
        StructuredMatrix {
            stored: whole.clone(),
            whole: Expr::new(whole),
            structure: Structure::Method(SolveMethod::CholeskyOrLu),
        }
    }

    /// The Hermitian (symmetric) positive definite matrix of which the triangle is read. One that is not positive
    /// definite is an error of the routine.
    #[track_caller]
    pub fn positive_definite(&self, triangle: Triangle) -> StructuredMatrix<T> {
        StructuredMatrix {
            whole: Expr::new(self.mirrored("positive_definite", triangle)),
            stored: self.node().clone(),
            structure: Structure::Method(SolveMethod::Cholesky(triangle)),
        }
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

    fn diagonal(&self) -> Node {
        Node::diagonal_mask(&self.0, 0)
    }
}
