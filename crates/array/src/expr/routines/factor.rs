//! Factorisations, eigenvalues, singular values, inverses and determinants.

use super::structured::StructuredMatrix;
use super::{diagonal, leading, outputs};
use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::expr::Expr;
use crate::function::{Binary, Reduction};
use crate::library::{LibraryCall, SingularVectors};
use crate::node::Node;
use crate::shape::Axes;
use crate::types::{Element, Floating};
use affinimath_core::{Diag, Triangle};

impl<T: Floating> Expr<T> {
    /// P A = L U with partial pivoting of the `m x n` matrices of the last two axes (LAPACK: getrf).
    ///
    /// It returns the rows of A in the order of P A, an index of m elements: of one matrix, `a.index(&p)` is `l u`.
    /// L is `m x min(m, n)` with a diagonal of ones, U `min(m, n) x n`. A singular matrix has factors too.
    ///
    /// ```
    /// let (p, l, u) = affinimath_array::ones::<f64>([4, 3]).lu();
    /// assert_eq!(p.shape()[..], [4]);
    /// assert_eq!(l.shape()[..], [4, 3]);
    /// assert_eq!(u.shape()[..], [3, 3]);
    /// ```
    #[track_caller]
    pub fn lu(&self) -> (Expr<i64>, StructuredMatrix<T>, StructuredMatrix<T>) {
        let elements = [ElementType::I64, T::TYPE, T::TYPE];
        let [rows, factors, _] = outputs(LibraryCall::Lu, std::slice::from_ref(self.node()), elements);
        let lower = Expr::new(columns_of(&factors));
        let upper = Expr::new(rows_of(&factors));
        (
            Expr::new(rows),
            lower.triangular_of("lu", lower.node(), Triangle::Lower, Diag::Unit),
            upper.triangular_of("lu", upper.node(), Triangle::Upper, Diag::NonUnit),
        )
    }

    /// A = Q R of the `m x n` matrices of the last two axes (LAPACK: geqrf, orgqr): Q is `m x min(m, n)` with
    /// orthonormal columns, R `min(m, n) x n`.
    #[track_caller]
    pub fn qr(&self) -> (Expr<T>, StructuredMatrix<T>) {
        let [q, factors] = outputs(LibraryCall::Qr, std::slice::from_ref(self.node()), [T::TYPE; 2]);
        let r = Expr::new(rows_of(&factors));
        (Expr::new(q), r.triangular_of("qr", r.node(), Triangle::Upper, Diag::NonUnit))
    }

    /// L of A = L Lᴴ, or U of A = Uᴴ U, of the positive definite matrices of the last two axes (LAPACK: potrf). The
    /// other triangle is not read.
    ///
    /// # Errors
    /// The evaluation fails where a matrix is not positive definite.
    #[track_caller]
    pub fn cholesky(&self, triangle: Triangle) -> StructuredMatrix<T> {
        let call = LibraryCall::Cholesky(triangle);
        let [factor] = outputs(call, std::slice::from_ref(self.node()), [T::TYPE]);
        let factor = Expr::new(factor);
        factor.triangular_of("cholesky", factor.node(), triangle, Diag::NonUnit)
    }

    /// Eigenvalues w in ascending order and orthonormal eigenvectors in the columns of Z, A = Z diag(w) Zᴴ, of the
    /// symmetric or Hermitian matrices of the last two axes (LAPACK: syevd, heevd). One triangle is read.
    ///
    /// ```
    /// use affinimath_array::ones;
    /// use affinimath_core::Triangle;
    ///
    /// let (w, z) = ones::<f64>([5, 3, 3]).eigh(Triangle::Lower);
    /// assert_eq!((&w.shape()[..], &z.shape()[..]), (&[5, 3][..], &[5, 3, 3][..]));
    /// ```
    ///
    /// # Errors
    /// The evaluation fails where an element is not finite.
    #[track_caller]
    pub fn eigh(&self, triangle: Triangle) -> (Expr<T::Part>, Expr<T>) {
        let call = LibraryCall::Eigh { triangle, vectors: true };
        let [values, vectors] = outputs(call, std::slice::from_ref(self.node()), [T::Part::TYPE, T::TYPE]);
        (Expr::new(values), Expr::new(vectors))
    }

    /// The eigenvalues of [`Expr::eigh`] alone, which take less time.
    #[track_caller]
    pub fn eigvalsh(&self, triangle: Triangle) -> Expr<T::Part> {
        let call = LibraryCall::Eigh { triangle, vectors: false };
        let [values] = outputs(call, std::slice::from_ref(self.node()), [T::Part::TYPE]);
        Expr::new(values)
    }

    /// U, the singular values s in descending order, and Vᴴ of A = U diag(s) Vᴴ, for the `m x n` matrices of the last
    /// two axes (LAPACK: gesvd). U has m columns or min(m, n), and Vᴴ n rows or min(m, n).
    ///
    /// ```
    /// let (u, s, vh) = affinimath_array::ones::<f64>([4, 3]).svd(false);
    /// assert_eq!((&u.shape()[..], &s.shape()[..], &vh.shape()[..]), (&[4, 3][..], &[3][..], &[3, 3][..]));
    /// ```
    ///
    /// # Errors
    /// The evaluation fails where an element is not finite.
    #[track_caller]
    pub fn svd(&self, full_matrices: bool) -> (Expr<T>, Expr<T::Part>, Expr<T>) {
        let call = LibraryCall::Svd(if full_matrices { SingularVectors::All } else { SingularVectors::Thin });
        let elements = [T::Part::TYPE, T::TYPE, T::TYPE];
        let [values, u, vh] = outputs(call, std::slice::from_ref(self.node()), elements);
        (Expr::new(u), Expr::new(values), Expr::new(vh))
    }

    /// The singular values of [`Expr::svd`] alone, which take less time.
    #[track_caller]
    pub fn svdvals(&self) -> Expr<T::Part> {
        let call = LibraryCall::Svd(SingularVectors::None);
        let [values] = outputs(call, std::slice::from_ref(self.node()), [T::Part::TYPE]);
        Expr::new(values)
    }

    /// The inverses of the square matrices of the last two axes (LAPACK: getrf, getri). [`solve`](crate::solve) is
    /// faster and more accurate where the inverse is multiplied with something.
    ///
    /// # Errors
    /// The evaluation fails where a matrix is singular.
    #[track_caller]
    pub fn inverse(&self) -> Expr<T> {
        let [inverse] = outputs(LibraryCall::Inverse, std::slice::from_ref(self.node()), [T::TYPE]);
        Expr::new(inverse)
    }

    /// The determinants of the square matrices of the last two axes, by LU.
    #[track_caller]
    pub fn det(&self) -> Expr<T> {
        let operation = "det";
        if let [.., m, n] = self.shape()[..]
            && m != n
            && self.error().is_none()
        {
            let reason = format!("the matrix is {m} x {n}, and not square");
            return Expr::failed(ErrorKind::Argument { operation, reason });
        }
        let elements = [ElementType::I64, T::TYPE, T::TYPE];
        let [_, factors, sign] = outputs(LibraryCall::Lu, std::slice::from_ref(self.node()), elements);
        if factors.error().is_some() {
            return Expr::new(factors);
        }
        let last = factors.shape().rank() - 2;
        let product = diagonal(&factors).reduce(Reduction::Product, Axes::one(last), false);
        Expr::new(product.binary(Binary::Mul, &sign))
    }
}

/// The first min(m, n) rows.
#[track_caller]
fn rows_of(matrix: &Node) -> Node {
    match matrix.shape()[..] {
        [.., m, n] => leading(matrix, m.min(n), n),
        _ => matrix.clone(),
    }
}

/// The first min(m, n) columns.
#[track_caller]
fn columns_of(matrix: &Node) -> Node {
    match matrix.shape()[..] {
        [.., m, n] => leading(matrix, m, m.min(n)),
        _ => matrix.clone(),
    }
}
