//! Systems solved in mixed precision, on the host and on every device: results, and the remaining A.

use super::*;
use crate::lapack::tests::host::cholesky::{definite, other_triangle_untouched, triangle_of};
use crate::lapack::tests::host::lu::factor_ratio;
use crate::lapack::tests::host::{Dense, adjoint, assert_ratio, difference, norm, product, ratio, solution_ratio};
use crate::options::{Op, Triangle};
use crate::scalar::{Complex64, Double};
use crate::{Error, MatrixRef, Refinement, Result, gesv_mixed, getrf, posv_mixed};

/// Calls a generic function for both types of double precision.
macro_rules! for_each_double {
    ($check:ident($($argument:expr),*)) => {
        crate::testing::for_each_type! {
            $check::<f64>($($argument),*);
            $check::<Complex64>($($argument),*);
        }
    };
}

/// Results of a call.
struct Solved<T> {
    a: Stored<T>,
    x: Stored<T>,
    pivots: Vec<i32>,
    refinement: Refinement,
    result: Result<()>,
}

/// By Cholesky's factorisation where a triangle is named, else by LU.
fn solved<T: Double>(context: &Context, triangle: Option<Triangle>, a: &Stored<T>, b: &Stored<T>) -> Solved<T> {
    let x = b.clone().poisoned();
    let (mut a_memory, b_memory, mut x_memory) = (uploaded(context, a), uploaded(context, b), uploaded(context, &x));
    let (a_view, b_view) = (a_memory.view_mut(a.shape).unwrap(), b_memory.view(b.shape).unwrap());
    let x_view = x_memory.view_mut(x.shape).unwrap();
    let (mut pivots, mut refinement) = (vec![-7; a.shape.rows()], Refinement::default());
    let result = match triangle {
        None => gesv_mixed(a_view, &mut pivots, b_view, x_view, &mut refinement),
        Some(triangle) => posv_mixed(triangle, a_view, b_view, x_view, &mut refinement),
    };
    Solved { a: downloaded(a, &a_memory), x: downloaded(&x, &x_memory), pivots, refinement, result }
}

/// A matrix of a small condition number.
fn good<T: Double>(n: usize, storage: (Layout, usize)) -> Stored<T> {
    let values = Stored::<T>::new(storage.0, n, n, storage.1, 5);
    let dense = values.dense();
    let diagonal = 2.0 * (n as f64).sqrt();
    values.filled_with(|i, j| dense[(i, j)] + if i == j { diagonal } else { 0.0 })
}

/// 1 / (i + j + 1), which is positive definite, and ill-conditioned.
fn hilbert<T: Double>(n: usize, storage: (Layout, usize)) -> Stored<T> {
    let element = |i: usize, j: usize| Complex64::new(1.0 / (i + j + 1) as f64, 0.0);
    Stored::<T>::new(storage.0, n, n, storage.1, 1).filled_with(element)
}

fn right<T: Double>(n: usize, columns: usize, storage: (Layout, usize)) -> Stored<T> {
    Stored::<T>::new(storage.0, n, columns, storage.1, 3)
}

/// Bits of all elements and of the memory between them.
fn same_bits<T: Scalar>(one: &Stored<T>, other: &Stored<T>) -> bool {
    let bits = |a: &Stored<T>| a.data.iter().flat_map(|v| [v.re().to_bits(), v.im().to_bits()]).collect::<Vec<_>>();
    bits(one) == bits(other)
}

#[track_caller]
fn assert_solution<T: Double>(exact: &Dense, solved: &Solved<T>, b: &Stored<T>, case: &dyn std::fmt::Debug) {
    assert!(solved.result.is_ok() && solved.x.canaries_live(), "{case:?}: {:?}", solved.result);
    let residual = solution_ratio::<T>(Op::NoTrans, exact, &solved.x.dense(), &b.dense());
    assert_ratio::<T>(residual, "the residual", case);
}

fn converges<T: Double>(n: usize, columns: usize) {
    for (context, storage) in contexts::<T>().iter().flat_map(|context| STORAGES.map(|storage| (context, storage))) {
        let case = (n, columns, storage, context);
        let (a, b) = (good::<T>(n, storage), right::<T>(n, columns, storage));
        let by_lu = solved(context, None, &a, &b);
        assert_solution(&a.dense(), &by_lu, &b, &case);
        assert!(same_bits(&by_lu.a, &a), "{case:?}: A was changed");
        let single = Stored::<T::Single>::new(storage.0, n, n, storage.1, 5);
        let (mut single, mut pivots) = (single.filled_with(|i, j| a.element(i, j)), vec![0; n]);
        getrf(single.view_mut(), &mut pivots).unwrap();
        assert_eq!(by_lu.pivots, pivots, "{case:?}");
        let mut all = vec![by_lu.refinement];
        for &triangle in Triangle::ALL {
            let (exact, a) = definite::<T>(triangle, n, storage);
            let by_cholesky = solved(context, Some(triangle), &a, &b);
            assert_solution(&exact, &by_cholesky, &b, &(triangle, &case));
            assert!(same_bits(&by_cholesky.a, &a), "{case:?} {triangle:?}: A was changed");
            all.push(by_cholesky.refinement);
        }
        for refinement in all {
            let few = if n == 0 || columns == 0 { 0..=0 } else { 1..=4 };
            assert!(refinement.converged() && few.contains(&refinement.iter()), "{case:?}: {refinement:?}");
        }
    }
}

/// After the fallback, A holds its factors in double precision.
#[track_caller]
fn assert_factorised<T: Double>(triangle: Option<Triangle>, exact: &Dense, solved: &Solved<T>) {
    let n = exact.nrows();
    let Some(triangle) = triangle else {
        assert!(solved.a.canaries_live());
        return assert_ratio::<T>(factor_ratio::<T>(exact, &solved.a.dense(), &solved.pivots), "P A - L U", &n);
    };
    assert!(other_triangle_untouched(triangle, &solved.a));
    let factor = triangle_of(triangle, &solved.a);
    let again = match triangle {
        Triangle::Lower => product(&factor, &adjoint(&factor)),
        Triangle::Upper => product(&adjoint(&factor), &factor),
    };
    assert_ratio::<T>(ratio::<T>(&difference(exact, &again), n, norm(exact)), "A - L Lᴴ", &n);
}

/// One triangle, with NaN in the other one.
fn half<T: Double>(triangle: Option<Triangle>, a: Stored<T>) -> Stored<T> {
    let Some(triangle) = triangle else { return a };
    let whole = a.clone();
    a.filled_with(|i, j| match (triangle == Triangle::Lower, i >= j) {
        _ if i == j => whole.element(i, j),
        (lower, below) if lower == below => whole.element(i, j),
        _ => Complex64::new(f64::NAN, f64::NAN),
    })
}

mod device {
    use super::*;

    #[test]
    fn a_well_conditioned_system_is_refined_and_a_is_kept() {
        for (n, columns) in [(0, 2), (3, 0), (1, 1), (33, 3)] {
            for_each_double!(converges(n, columns));
        }
    }

    /// Larger ones on the host, whose conversions are shared among threads.
    #[test]
    fn large_systems_are_refined_on_the_host() {
        fn check<T: Double>() {
            for storage in [STORAGES[1], STORAGES[2]] {
                let (a, b) = (good::<T>(400, storage), right::<T>(400, 2, storage));
                let by_lu = solved(&Context::host(), None, &a, &b);
                assert_solution(&a.dense(), &by_lu, &b, &storage);
                assert!(by_lu.refinement.converged() && same_bits(&by_lu.a, &a));
            }
        }
        for_each_double!(check());
    }

    #[test]
    fn what_single_precision_cannot_do_is_done_in_double() {
        fn check<T: Double>() {
            let n = 9;
            let ways = [None, Some(Triangle::Lower), Some(Triangle::Upper)];
            for ((context, triangle), storage) in contexts::<T>()
                .iter()
                .flat_map(|context| ways.map(|way| (context, way)))
                .zip(STORAGES.into_iter().cycle())
            {
                let b = right::<T>(n, 2, storage);
                let scaled = |a: &Stored<T>, factor: f64| {
                    let dense = a.dense();
                    a.clone().filled_with(|i, j| dense[(i, j)] * factor)
                };
                let whole = triangle.map_or_else(
                    || good::<T>(n, storage),
                    |triangle| {
                        let exact = definite::<T>(triangle, n, storage).0;
                        Stored::<T>::new(storage.0, n, n, storage.1, 1).filled_with(|i, j| exact[(i, j)])
                    },
                );
                let ill = hilbert::<T>(n, storage);
                let unfit = if triangle.is_none() { Refinement::NotConverged } else { Refinement::NotFactorised };
                let cases = [
                    ("too large a matrix", scaled(&whole, 1e200), b.clone(), Refinement::Overflow),
                    ("too large a right-hand side", whole.clone(), scaled(&b, 1e60), Refinement::Overflow),
                    ("too small a matrix", scaled(&whole, 1e-60), b.clone(), Refinement::NotFactorised),
                    ("too large a solution", scaled(&whole, 1e-30), scaled(&b, 1e30), Refinement::Overflow),
                    ("ill-conditioned", ill, b.clone(), unfit),
                ];
                for (what, whole, b, expected) in cases {
                    let found = solved(context, triangle, &half(triangle, whole.clone()), &b);
                    let case = (what, triangle, storage, context);
                    assert_solution(&whole.dense(), &found, &b, &case);
                    assert_eq!(found.refinement, expected, "{case:?}");
                    assert_factorised(triangle, &whole.dense(), &found);
                }
            }
        }
        for_each_double!(check());
    }

    #[test]
    fn a_singular_or_indefinite_matrix_is_told() {
        fn check<T: Double>() {
            for (context, storage) in contexts::<T>().iter().zip([STORAGES[1], STORAGES[2]].into_iter().cycle()) {
                let (n, b) = (9, right::<T>(9, 2, storage));
                let mut a = good::<T>(n, storage);
                (0..n).for_each(|i| a.set(i, 4, Complex64::ZERO));
                let found = solved(context, None, &a, &b);
                assert!(matches!(found.result, Err(Error::ZeroPivot { index: 5 })), "{:?}", found.result);
                assert_eq!(found.refinement, Refinement::NotFactorised);
                assert_factorised(None, &a.dense(), &found);
                for &triangle in Triangle::ALL {
                    let (_, mut a) = definite::<T>(triangle, n, storage);
                    a.set(6, 6, Complex64::new(-1.0, 0.0));
                    let found = solved(context, Some(triangle), &a, &b);
                    assert!(matches!(found.result, Err(Error::NotPositiveDefinite { index: 7 })), "{:?}", found.result);
                    assert_eq!(found.refinement, Refinement::NotFactorised);
                    assert!(other_triangle_untouched(triangle, &found.a) && found.x.canaries_live());
                }
            }
        }
        for_each_double!(check());
    }

    /// NaN does not hang it, and goes into the results.
    #[test]
    fn a_nan_goes_into_the_solution() {
        for context in contexts::<f64>() {
            let (mut a, b) = (good::<f64>(9, STORAGES[0]), right::<f64>(9, 1, STORAGES[0]));
            a.set(4, 4, Complex64::new(f64::NAN, 0.0));
            let found = solved(&context, None, &a, &b);
            assert_eq!(found.refinement, Refinement::Overflow);
            assert!(found.result.is_err() || found.x.dense().col_as_slice(0).iter().any(|x| x.re.is_nan()));
        }
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        for context in contexts::<f64>() {
            let refused = |a: [usize; 2], b: [usize; 2], x: [usize; 2], places: usize| {
                let [a, b, x] =
                    [a, b, x].map(|[rows, columns]| Stored::<f64>::new(Layout::ColumnMajor, rows, columns, 1, 1));
                let (mut a_memory, b_memory, mut x_memory) =
                    (uploaded(&context, &a), uploaded(&context, &b), uploaded(&context, &x));
                let mut refinement = Refinement::NotConverged;
                let views = |b_view: MatrixRef<'_, f64>| {
                    let (a_view, x_view) = (a_memory.view_mut(a.shape).unwrap(), x_memory.view_mut(x.shape).unwrap());
                    gesv_mixed(a_view, &mut vec![0; places], b_view, x_view, &mut refinement)
                };
                let result = { views }(b_memory.view(b.shape).unwrap());
                assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
                assert_eq!(refinement, Refinement::NotConverged);
                assert!(same_bits(&downloaded(&a, &a_memory), &a) && same_bits(&downloaded(&x, &x_memory), &x));
            };
            refused([4, 5], [4, 1], [4, 1], 5);
            refused([4, 4], [3, 1], [4, 1], 4);
            refused([4, 4], [4, 1], [4, 2], 4);
            refused([4, 4], [4, 1], [5, 1], 4);
            refused([4, 4], [4, 1], [4, 1], 3);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn a_well_conditioned_system_is_refined() {
        for_each_double!(converges(5, 2));
    }
}
