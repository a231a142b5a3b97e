//! Eigenvalues and singular values: LAPACK's test ratios on matrices of many kinds.

mod band;
mod bisection;
mod general;
mod generalised;
mod hermitian;
mod least;
mod reductions;
mod reorder;
mod schur;
mod singular;

use affinimath_core::options::Triangle;
use affinimath_testing::filled;

use super::*;

/// On both sides of the orders from which faer divides and conquers, and of those with threads.
const ORDERS: [usize; 11] = [1, 2, 3, 4, 5, 8, 17, 40, 65, 128, 151];

/// Kinds of matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Random,
    /// Elements over many orders of magnitude.
    Graded,
    /// Eigenvalues or singular values in two clusters, with a relative width of a few eps.
    Clustered,
    /// Two values, each many times.
    Repeated,
    /// Rank 2.
    Deficient,
    /// Outside of the range whose squares are representable.
    Huge,
    Tiny,
    Zero,
    Diagonal,
}
const KINDS: [Kind; 9] = [
    Kind::Random,
    Kind::Graded,
    Kind::Clustered,
    Kind::Repeated,
    Kind::Deficient,
    Kind::Huge,
    Kind::Tiny,
    Kind::Zero,
    Kind::Diagonal,
];

/// I - 2 v vᴴ / vᴴ v.
fn reflector<T: Scalar>(n: usize, seed: u64) -> Dense {
    let v = filled::<T>(n, 1, seed);
    let square: f64 = (0..n).map(|i| v[(i, 0)].modulus().powi(2)).sum();
    Mat::from_fn(n, n, |i, j| {
        let unit = if i == j { Complex64::ONE } else { Complex64::ZERO };
        unit - complex(v[(i, 0)]) * complex(v[(j, 0)]).conj() * (2.0 / square)
    })
}

/// U D V with random unitary factors.
fn of_values<T: Scalar>(m: usize, n: usize, hermitian: bool, value: impl Fn(usize) -> f64) -> Dense {
    let d = Mat::from_fn(m, n, |i, j| Complex64::new(if i == j { value(i) } else { 0.0 }, 0.0));
    let left = product(&reflector::<T>(m, 11), &reflector::<T>(m, 12));
    let right = if hermitian {
        operated(Op::ConjTrans, &left)
    } else {
        product(&reflector::<T>(n, 13), &reflector::<T>(n, 14))
    };
    product(&product(&left, &d), &right)
}

/// An m x n matrix of a kind, or a Hermitian one, which the type represents.
fn matrix<T: Scalar>(m: usize, n: usize, hermitian: bool, kind: Kind, seed: u64) -> Dense {
    let order = m.min(n);
    let random = filled::<T>(m, n, seed);
    let scale = |i: usize| if kind == Kind::Graded { 2f64.powi(-((5 * i % 19) as i32)) } else { 1.0 };
    let size = match (kind, T::KIND.is_double()) {
        (Kind::Huge, true) => 1e150,
        (Kind::Huge, false) => 1e30,
        (Kind::Tiny, true) => 1e-150,
        (Kind::Tiny, false) => 1e-30,
        _ => 1.0,
    };
    let sign = |i: usize| if hermitian && i % 2 == 1 { -1.0 } else { 1.0 };
    let a = match kind {
        Kind::Clustered => of_values::<T>(m, n, hermitian, |i| {
            (if i < order / 2 { 1.0 } else { 1e-3 }) * (1.0 + 4.0 * T::EPSILON * i as f64)
        }),
        Kind::Repeated => of_values::<T>(m, n, hermitian, |i| if i < order / 3 { 2.0 } else { sign(0) * 0.5 }),
        Kind::Deficient => of_values::<T>(m, n, hermitian, |i| if i < 2 { 3.0 * sign(i) } else { 0.0 }),
        Kind::Zero => Mat::zeros(m, n),
        Kind::Diagonal => {
            Mat::from_fn(m, n, |i, j| Complex64::new(if i == j { sign(i) * (1 + i % 5) as f64 } else { 0.0 }, 0.0))
        }
        _ => Mat::from_fn(m, n, |i, j| complex(random[(i, j)]) * scale(i) * scale(j) * size),
    };
    let mirrored = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => a[(j, i)].conj(),
        std::cmp::Ordering::Equal => Complex64::new(a[(i, i)].re, 0.0),
        std::cmp::Ordering::Greater => a[(i, j)],
    };
    Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 0)
        .filled_with(|i, j| if hermitian { mirrored(i, j) } else { a[(i, j)] })
        .dense()
}

/// A matrix in some storage.
fn stored<T: Scalar>(a: &Dense, (layout, gap): (Layout, usize)) -> Stored<T> {
    Stored::<T>::new(layout, a.nrows(), a.ncols(), gap, 0).filled_with(|i, j| a[(i, j)])
}

/// A triangle, NaN elsewhere and in the diagonal's imaginary parts.
fn triangle_of<T: Scalar>(a: &Dense, triangle: Triangle, storage: (Layout, usize)) -> Stored<T> {
    let mut only = stored::<T>(a, storage);
    let n = a.nrows();
    for j in 0..n {
        for i in 0..n {
            let outside = if triangle == Triangle::Lower { i < j } else { i > j };
            if outside {
                only.set(i, j, Complex64::new(f64::NAN, f64::NAN));
            } else if i == j {
                only.set(i, j, Complex64::new(a[(i, i)].re, f64::NAN));
            }
        }
    }
    only
}

fn difference(a: &Dense, b: &Dense) -> Dense {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// X D, for real numbers.
fn times_values<R: Scalar>(x: &Dense, values: &[R]) -> Dense {
    Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] * values[j].re())
}

/// ||I - Xᴴ X|| / (n eps).
#[track_caller]
fn assert_orthonormal<T: Scalar>(x: &Dense, case: &dyn std::fmt::Debug) {
    let mut gram = product(&operated(Op::ConjTrans, x), x);
    (0..x.ncols()).for_each(|i| gram[(i, i)] -= 1.0);
    assert_ratio::<T>(&gram, x.nrows(), 1.0, case);
}

/// Numbers are the same within n eps of the largest.
#[track_caller]
fn assert_values<R: Scalar>(found: &[R], expected: &[R], n: usize, case: &dyn std::fmt::Debug) {
    let size = expected.iter().map(|x| x.re().abs()).fold(0.0, f64::max);
    for (found, expected) in found.iter().zip(expected) {
        let error = (found.re() - expected.re()).abs();
        assert!(error <= LAPACK_THRESHOLD * n as f64 * R::EPSILON * size, "{case:?}: {found:?} {expected:?}");
    }
}
