use super::*;
use crate::testing::for_each_type;
use crate::{Error, gels};

/// The first rows of a matrix.
pub(crate) fn top(a: &Dense, rows: usize) -> Dense {
    Mat::from_fn(rows, a.ncols(), |i, j| a[(i, j)])
}

/// gels's solution for op(A) and B.
fn solved<T: Scalar>(op: Op, a: &Dense, b: &Dense, (layout, gap): (Layout, usize)) -> crate::Result<Dense> {
    let (m, n) = (a.nrows(), a.ncols());
    let mut matrix = Stored::<T>::new(layout, m, n, gap, 0).filled_with(|i, j| a[(i, j)]);
    let mut right = Stored::<T>::new(layout, m.max(n), b.ncols(), gap, 0)
        .filled_with(|i, j| if i < b.nrows() { b[(i, j)] } else { Complex64::new(f64::NAN, f64::NAN) });
    gels(op, matrix.view_mut(), right.view_mut())?;
    assert!(matrix.canaries_live() && right.canaries_live());
    Ok(top(&right.dense(), operated(op, a).ncols()))
}

/// Checks what `solved` makes of a random m x n matrix and right-hand sides.
pub(crate) fn check_solutions<T: Scalar>(
    [m, n, columns]: [usize; 3],
    op: Op,
    case: &dyn std::fmt::Debug,
    solved: impl Fn(Op, &Dense, &Dense) -> Dense,
) {
    let a = Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 1).dense();
    let of_a = operated(op, &a);
    let b = Stored::<T>::new(Layout::ColumnMajor, of_a.nrows(), columns, 0, 2).dense();
    let x = solved(op, &a, &b);
    let size = m.max(n).max(columns);
    let residual = difference(&b, &product(&of_a, &x));
    if of_a.nrows() > of_a.ncols() {
        // Orthogonal to the columns: ||op(A)ᴴ r|| / (max(m, n) eps ||A|| (||A|| ||x|| + ||b||)), Higham's theorem
        // 20.3.
        let error = product(&adjoint(&of_a), &residual);
        let bound = norm(&adjoint(&of_a)) * (norm(&of_a) * norm(&x) + norm(&b));
        assert_ratio::<T>(ratio::<T>(&error, size, bound), "least squares", case);
    } else {
        let bound = norm(&of_a) * norm(&x) + norm(&b);
        assert_ratio::<T>(ratio::<T>(&residual, size, bound), "residual", case);
        // Of least norm: in the range of op(A)ᴴ, which fits it without a residual.
        let basis = adjoint(&of_a);
        let fit = solved(Op::NoTrans, &basis, &x);
        let outside = difference(&x, &product(&basis, &fit));
        let bound = norm(&basis) * norm(&fit) + norm(&x);
        assert_ratio::<T>(ratio::<T>(&outside, size, bound), "least norm", case);
    }
}

fn check<T: Scalar>(m: usize, n: usize, columns: usize) {
    for storage in STORAGES {
        for op in [Op::NoTrans, Op::ConjTrans] {
            let case = (m, n, columns, storage, op);
            check_solutions::<T>([m, n, columns], op, &case, |op, a, b| solved::<T>(op, a, b, storage).unwrap());
        }
    }
}

#[test]
fn gels_finds_least_squares_and_least_norms() {
    for (m, n) in [(1, 1), (4, 2), (2, 4), (33, 20), (20, 33), (70, 66), (66, 70), (150, 40), (40, 150), (64, 64)] {
        for columns in [1, 3] {
            for_each_type!(check(m, n, columns));
        }
    }
}

#[test]
fn for_real_matrices_the_transpose_is_the_adjoint() {
    let a = Stored::<f64>::new(Layout::ColumnMajor, 9, 4, 0, 1).dense();
    let b = Stored::<f64>::new(Layout::ColumnMajor, 4, 2, 0, 2).dense();
    let [transpose, adjoint] = [Op::Trans, Op::ConjTrans].map(|op| solved::<f64>(op, &a, &b, STORAGES[0]).unwrap());
    assert_eq!(transpose, adjoint);
    assert!(matches!(
        solved::<Complex64>(Op::Trans, &a, &b, STORAGES[0]),
        Err(Error::InvalidArgument { name: "op", .. })
    ));
}

#[test]
fn a_matrix_without_full_rank_is_reported() {
    fn check<T: Scalar>(m: usize, n: usize, zero: usize) {
        for op in [Op::NoTrans, Op::ConjTrans] {
            let mut a = Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 1).dense();
            // A column of a tall matrix, a row of a wide one.
            (0..m.max(n)).for_each(|i| a[if m >= n { (i, zero) } else { (zero, i) }] = Complex64::ZERO);
            let b = Stored::<T>::new(Layout::ColumnMajor, operated(op, &a).nrows(), 1, 0, 2).dense();
            let error = solved::<T>(op, &a, &b, STORAGES[0]).unwrap_err();
            let right = matches!(error, Error::RankDeficient { rank, full } if rank == zero && full == m.min(n));
            assert!(right && error.status() == zero as i32 + 1, "{m} x {n}, {zero}: {error}");
        }
    }
    for (m, n, zero) in [(5, 3, 0), (5, 3, 2), (3, 5, 1), (80, 70, 69), (70, 80, 3)] {
        for_each_type!(check(m, n, zero));
    }
}

#[test]
fn nothing_to_fit_is_fitted_by_zero() {
    let shapes = [(3, 2), (2, 3), (0, 3), (3, 0)];
    for (m, n) in shapes {
        let a = Dense::zeros(m, n);
        let b = Dense::from_fn(m, 2, |_, _| Complex64::ONE);
        let x = solved::<f32>(Op::NoTrans, &a, &b, STORAGES[1]).unwrap();
        assert_eq!(x, Dense::zeros(n, 2));
    }
}

#[test]
fn problems_at_the_ends_of_the_range_are_solved() {
    let a = Stored::<f64>::new(Layout::ColumnMajor, 20, 8, 0, 1).dense();
    let b = Stored::<f64>::new(Layout::ColumnMajor, 20, 1, 0, 2).dense();
    let scaled = |a: &Dense, factor: f64| Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * factor);
    let expected = solved::<f64>(Op::NoTrans, &a, &b, STORAGES[0]).unwrap();
    for (of_a, of_b) in [(-1000, -1000), (1015, 1015), (-1010, -500), (1010, 500)] {
        let x = solved::<f64>(Op::NoTrans, &scaled(&a, 2f64.powi(of_a)), &scaled(&b, 2f64.powi(of_b)), STORAGES[0])
            .unwrap();
        let error = difference(&scaled(&x, 2f64.powi(of_a - of_b)), &expected);
        // Both are within the bounds of the problem's condition, which is small here.
        assert!(norm(&error) <= 1e3 * f64::EPSILON * norm(&expected), "2^{of_a}, 2^{of_b}: {}", norm(&error));
    }
}
