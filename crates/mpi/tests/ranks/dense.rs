//! Layouts, norms and level 3.

use affinimath::{Diag, Norm, Op, Scalar, Side, Triangle};
use affinimath_mpi::{DistMatrix, Grid, MatrixLayout};

use super::support::{Full, assert_close, collect, distribute, element, nan, real};

const OPS: [Op; 4] = [Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans];
const TRIANGLES: [Triangle; 2] = [Triangle::Lower, Triangle::Upper];

pub fn redistribution<T: Scalar>(grid: &Grid) {
    for (m, n) in [(0, 0), (1, 1), (3, 0), (7, 5), (26, 31)] {
        let full = Full::from_fn(m, n, element::<T>(1));
        let a = distribute(grid, &full, (3, 4), 1);
        for op in OPS {
            let turned = full.turned(op);
            let source = (grid.rows() - 1, 0);
            let layout = MatrixLayout::at(grid, (turned.m, turned.n), (5, 2), source).unwrap();
            let moved = a.redistribute(op, layout).unwrap();
            for (local, j) in (0..moved.local_columns()).map(|l| (l, layout.columns.global(grid.column(), l))) {
                for row in 0..moved.local_rows() {
                    let i = layout.rows.global(grid.row(), row);
                    assert_eq!(moved.local()[local * moved.leading_dimension() + row], turned.at(i, j));
                }
            }
        }
    }
}

pub fn scatter_and_gather<T: Scalar>(grid: &Grid) {
    for (m, n) in [(0, 2), (1, 1), (13, 9)] {
        let full = Full::from_fn(m, n, element::<T>(2));
        let layout = MatrixLayout::new(grid, (m, n), (4, 3)).unwrap();
        let root = grid.size() - 1;
        let whole = (grid.rank() == root).then(|| full.view());
        let a = DistMatrix::scatter(grid, layout, root, whole).unwrap();
        let back = a.gather(0).unwrap();
        assert_eq!(back, (grid.rank() == 0).then(|| full.data.clone()));
    }
}

pub fn descriptor<T: Scalar>(grid: &Grid) {
    let full = Full::from_fn(11, 6, element::<T>(3));
    let a = distribute(grid, &full, (2, 3), 1);
    let mut descriptor = a.descriptor(7);
    // A longer leading dimension, with NaN between the columns.
    let (rows, ld) = (a.local_rows(), a.local_rows() + 3);
    descriptor[8] = ld as i64;
    let mut local = vec![nan(); ld * a.local_columns()];
    for column in 0..a.local_columns() {
        let source = column * a.leading_dimension();
        local[column * ld..column * ld + rows].copy_from_slice(&a.local()[source..source + rows]);
    }
    let given = DistMatrix::from_descriptor(grid, &descriptor, local).unwrap();
    assert_eq!(given.descriptor(7), descriptor);
    assert_eq!(collect(&given).data, full.data);
}

pub fn norms<T: Scalar>(grid: &Grid) {
    for (m, n) in [(0, 0), (1, 1), (17, 12)] {
        let full = Full::from_fn(m, n, element::<T>(4));
        let a = distribute(grid, &full, (3, 2), 1);
        for norm in [Norm::One, Norm::Frobenius, Norm::Infinity, Norm::Max] {
            let expected: f64 = affinimath::lange(norm, full.view()).unwrap().into();
            let found = a.norm(norm).unwrap();
            assert!((found - expected).abs() <= 32.0 * T::EPSILON * expected, "{norm:?}: {found} and {expected}");
        }
    }
    let spoilt = Full::from_fn(5, 5, |i, j| if (i, j) == (4, 3) { nan() } else { element::<T>(4)(i, j) });
    let a = distribute(grid, &spoilt, (2, 2), 0);
    assert!([Norm::One, Norm::Frobenius, Norm::Infinity, Norm::Max].iter().all(|n| a.norm(*n).unwrap().is_nan()));
}

pub fn gemm<T: Scalar>(grid: &Grid) {
    let (alpha, beta) = (T::from_parts(1.5, -0.5), T::from_parts(-0.25, 1.0));
    for (m, n, k) in [(0, 3, 2), (1, 1, 1), (4, 3, 0), (19, 23, 17), (40, 6, 33)] {
        // All operations in one shape, those that copy none, one or both operands in the others.
        let some = |op: &Op| (m, n) == (19, 23) || matches!(op, Op::NoTrans | Op::ConjTrans);
        let ops = || OPS.into_iter().filter(some);
        for (op_a, op_b) in ops().flat_map(|a| ops().map(move |b| (a, b))) {
            let turned = |op: Op, m, n| if op.transposes() { (n, m) } else { (m, n) };
            let ((am, an), (bm, bn)) = (turned(op_a, m, k), turned(op_b, k, n));
            let (a, b) = (Full::from_fn(am, an, element::<T>(5)), Full::from_fn(bm, bn, element::<T>(6)));
            let c = Full::from_fn(m, n, element::<T>(7));
            let mut expected = c.clone();
            affinimath::gemm(op_a, op_b, alpha, a.view(), b.view(), beta, expected.view_mut()).unwrap().wait().unwrap();
            let bound = 16.0 * (k + 2) as f64 * T::EPSILON * 4.0;
            for blocks in [(4, 4), (3, 5)] {
                let (a, b) = (distribute(grid, &a, blocks, 0), distribute(grid, &b, (4, 4), 1));
                let mut result = distribute(grid, &c, (4, 4), 0);
                affinimath_mpi::gemm(op_a, op_b, alpha, &a, &b, beta, &mut result).unwrap();
                assert_close(&collect(&result), &expected, bound);
            }
        }
    }
    // beta = 0 does not read C, and two runs have the same bits.
    let a = distribute(grid, &Full::from_fn(21, 21, element::<T>(8)), (4, 4), 0);
    let product = || {
        let mut c = distribute(grid, &Full::from_fn(21, 21, |_, _| nan::<T>()), (4, 4), 0);
        affinimath_mpi::gemm(Op::NoTrans, Op::ConjTrans, T::ONE, &a, &a, T::ZERO, &mut c).unwrap();
        c.into_local()
    };
    let first = product();
    assert!(first.iter().all(|value| value.finite()) && first == product());
}

pub fn rank_updates<T: Scalar>(grid: &Grid) {
    for (n, k) in [(0, 2), (1, 1), (22, 13)] {
        for (triangle, op) in
            TRIANGLES.into_iter().flat_map(|t| [Op::NoTrans, Op::ConjTrans, Op::Trans].map(|o| (t, o)))
        {
            let (m, columns) = if op.transposes() { (k, n) } else { (n, k) };
            let a = Full::from_fn(m, columns, element::<T>(9));
            let stored = |i: usize, j: usize| if triangle == Triangle::Lower { i >= j } else { i <= j };
            let c = Full::from_fn(n, n, |i, j| if stored(i, j) { element::<T>(10)(i, j) } else { nan() });
            let (da, bound) = (distribute(grid, &a, (3, 4), 1), 16.0 * (k + 2) as f64 * T::EPSILON * 2.0);
            if op != Op::Trans {
                let mut expected = c.clone();
                let (alpha, beta) = (T::RealScalar::from_parts(-1.5, 0.0), T::RealScalar::from_parts(0.5, 0.0));
                affinimath::herk(triangle, op, alpha, a.view(), beta, expected.view_mut()).unwrap().wait().unwrap();
                let mut result = distribute(grid, &c, (4, 4), 0);
                affinimath_mpi::herk(triangle, op, alpha, &da, beta, &mut result).unwrap();
                assert_close(&collect(&result), &expected, bound);
            }
            if op != Op::ConjTrans {
                let (alpha, beta) = (T::from_parts(0.75, 0.5), T::from_parts(-0.5, 0.25));
                let mut expected = c.clone();
                affinimath::syrk(triangle, op, alpha, a.view(), beta, expected.view_mut()).unwrap().wait().unwrap();
                let mut result = distribute(grid, &c, (3, 5), 1);
                affinimath_mpi::syrk(triangle, op, alpha, &da, beta, &mut result).unwrap();
                assert_close(&collect(&result), &expected, bound);
            }
        }
    }
}

pub fn mirrored_products<T: Scalar>(grid: &Grid) {
    let (alpha, beta) = (T::from_parts(0.75, 0.5), T::from_parts(-0.5, 0.25));
    let (m, n) = (14, 9);
    for (side, triangle) in [Side::Left, Side::Right].into_iter().flat_map(|s| TRIANGLES.map(|t| (s, t))) {
        let order = if side == Side::Left { m } else { n };
        let stored = |i: usize, j: usize| if triangle == Triangle::Lower { i >= j } else { i <= j };
        let a = Full::from_fn(order, order, |i, j| if stored(i, j) { element::<T>(11)(i, j) } else { nan() });
        let (b, c) = (Full::from_fn(m, n, element::<T>(12)), Full::from_fn(m, n, element::<T>(13)));
        let (da, db) = (distribute(grid, &a, (3, 3), 0), distribute(grid, &b, (3, 4), 1));
        let bound = 16.0 * (order + 2) as f64 * T::EPSILON * 2.0;
        let mut expected = c.clone();
        affinimath::hemm(side, triangle, alpha, a.view(), b.view(), beta, expected.view_mut()).unwrap().wait().unwrap();
        let mut result = distribute(grid, &c, (3, 4), 1);
        affinimath_mpi::hemm(side, triangle, alpha, &da, &db, beta, &mut result).unwrap();
        assert_close(&collect(&result), &expected, bound);
        let mut expected = c.clone();
        affinimath::symm(side, triangle, alpha, a.view(), b.view(), beta, expected.view_mut()).unwrap().wait().unwrap();
        let mut result = distribute(grid, &c, (3, 4), 1);
        affinimath_mpi::symm(side, triangle, alpha, &da, &db, beta, &mut result).unwrap();
        assert_close(&collect(&result), &expected, bound);
    }
}

pub fn trsm<T: Scalar>(grid: &Grid) {
    let alpha = T::from_parts(1.5, -0.5);
    for (m, n) in [(0, 2), (1, 1), (18, 11)] {
        let some = |op: &Op| m == 18 || matches!(op, Op::NoTrans | Op::ConjTrans);
        for (side, triangle) in [Side::Left, Side::Right].into_iter().flat_map(|s| TRIANGLES.map(|t| (s, t))) {
            let ops = OPS.into_iter().filter(some);
            for (op, diag) in ops.flat_map(|o| [Diag::NonUnit, Diag::Unit].map(|d| (o, d))) {
                let order = if side == Side::Left { m } else { n };
                // Well conditioned: small off the diagonal. What is not read is NaN.
                let value = element::<T>(14);
                let a = Full::from_fn(order, order, |i, j| match i.cmp(&j) {
                    std::cmp::Ordering::Equal if diag == Diag::Unit => nan(),
                    std::cmp::Ordering::Equal => value(i, j) * real::<T>(0.25) + real::<T>(1.5),
                    std::cmp::Ordering::Less if triangle == Triangle::Lower => nan(),
                    std::cmp::Ordering::Greater if triangle == Triangle::Upper => nan(),
                    _ => value(i, j) * real::<T>(1.0 / order as f64),
                });
                let b = Full::from_fn(m, n, element::<T>(15));
                let mut expected = b.clone();
                let target = expected.view_mut();
                affinimath::trsm(side, triangle, op, diag, alpha, a.view(), target).unwrap().wait().unwrap();
                let bound = 64.0 * (order + 1) as f64 * T::EPSILON * (1.0 + expected.largest());
                for (blocks, source) in [((4, 4), 0), ((3, 5), 1)] {
                    let a = distribute(grid, &a, (4, 4), 0);
                    let mut result = distribute(grid, &b, blocks, source);
                    affinimath_mpi::trsm(side, triangle, op, diag, alpha, &a, &mut result).unwrap();
                    assert_close(&collect(&result), &expected, bound);
                }
            }
        }
    }
}
