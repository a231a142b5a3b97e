use affinimath_cpu::lapack::gelsd;
use affinimath_testing::for_each_type;

use super::*;

fn minimises<T: Scalar>((m, n): (usize, usize), rank: usize, storage: (Layout, usize), size: f64) {
    let case = (m, n, rank, storage, size);
    let order = m.min(n);
    let exact = of_values::<T>(m, n, false, |i| if i < rank { size * (1.0 + i as f64) } else { 0.0 });
    let mut a = stored::<T>(&exact, storage);
    let a_given = a.dense();
    let mut b = Stored::<T>::new(storage.0, m.max(n), 3, storage.1, 2);
    let b_given = Mat::from_fn(m, 3, |i, j| b.element(i, j));
    let mut s = vec![T::RealScalar::default(); order];
    let rcond = 100.0 * m.max(n) as f64 * T::EPSILON;
    let found = gelsd(view_mut(&mut a), view_mut(&mut b), &mut s, rcond);
    assert_eq!(found, (rank, None), "{case:?} {s:?}");
    assert!(a.canaries_live() && b.canaries_live(), "{case:?}");
    let x = Mat::from_fn(n, 3, |i, j| b.element(i, j));
    let residual = difference(&b_given, &product(&a_given, &x));
    // The residual is orthogonal to the range, and x to the null space: LAPACK's xQRT17 and its counterpart.
    let gradient = product(&operated(Op::ConjTrans, &a_given), &residual);
    let limit = norm(&a_given) * (norm(&b_given) + norm(&a_given) * norm(&x)) * (rank.max(1) as f64).sqrt();
    assert_ratio::<T>(&gradient, m.max(n), limit, &case);
    let rows = Mat::from_fn(rank, n, |i, j| a.element(i, j));
    let inside = product(&operated(Op::ConjTrans, &rows), &product(&rows, &x));
    assert_ratio::<T>(&difference(&x, &inside), m.max(n), norm(&x), &case);
    if rank == n && m > n {
        for j in 0..3 {
            let rest: f64 = (n..m).map(|i| b.element(i, j).norm_sqr()).sum();
            let square: f64 = (0..m).map(|i| residual[(i, j)].norm_sqr()).sum();
            assert!((rest - square).abs() <= 1e3 * m as f64 * T::EPSILON * (1.0 + square), "{case:?}");
        }
    }
}

#[test]
fn least_squares_of_any_rank_are_minimal() {
    for (i, shape) in [(1_usize, 1_usize), (5, 3), (3, 5), (12, 12), (40, 9), (9, 40), (64, 50)].into_iter().enumerate()
    {
        let order = shape.0.min(shape.1);
        for rank in [1, order.div_ceil(2), order] {
            for_each_type!(minimises(shape, rank, STORAGES[i % 3], 1.0));
        }
    }
    minimises::<f64>((9, 5), 4, STORAGES[0], 1e-160);
    minimises::<f64>((9, 5), 5, STORAGES[2], 1e150);
    minimises::<f32>((5, 9), 4, STORAGES[1], 1e-20);
}

#[test]
fn nothing_and_zero_have_the_solution_zero() {
    let mut s = [1.0_f64; 2];
    let (mut a, mut b) = (Mat::<f64>::zeros(3, 2), Mat::<f64>::from_fn(3, 1, |_, _| 1.0));
    assert_eq!(gelsd(a.as_mut(), b.as_mut(), &mut s, -1.0), (0, None));
    assert!(s == [0.0; 2] && b.norm_max() == 0.0);
    a[(1, 1)] = f64::NAN;
    assert_eq!(gelsd(a.as_mut(), b.as_mut(), &mut s, -1.0).0, 0);
    assert!(gelsd(a.as_mut(), b.as_mut(), &mut s, -1.0).1.is_some() && b[(0, 0)].is_nan());
}
