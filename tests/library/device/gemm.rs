//! gemm through the public API, on the host's memory: wherever a call is sent, the result is the same within the bound
//! of the error analysis, and nothing around C is touched.

use affinimath::route::{DeviceChoice, RouteChoice, configure};
use affinimath::{Complex32, Complex64, Context, Error, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar, gemm};
use affinimath_opencl::device::for_tests;
use affinimath_testing::assert_close;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

/// A product of random matrices.
#[derive(Clone, Debug)]
struct Case {
    size: [usize; 3],
    ops: [Op; 2],
    layouts: [Layout; 3],
    gap: usize,
    alpha: f64,
    beta: f64,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let size = || prop_oneof![0..=9_usize, 10..=80_usize];
    let op = || select(Op::ALL);
    let layout = || select(vec![Layout::ColumnMajor, Layout::RowMajor]);
    let scalar = || select(vec![0.0, 1.0, -1.0, 0.375]);
    (
        [size(), size(), size()],
        [op(), op()],
        [layout(), layout(), layout()],
        0..4_usize,
        scalar(),
        scalar(),
        any::<u64>(),
    )
        .prop_map(|(size, ops, layouts, gap, alpha, beta, seed)| Case {
            size,
            ops,
            layouts,
            gap,
            alpha,
            beta,
            seed,
        })
}

/// A matrix in the middle of NaNs.
struct Matrix<T> {
    data: Vec<T>,
    shape: MatrixShape,
}

impl<T: Scalar> Matrix<T> {
    fn random(seed: &mut u64, layout: Layout, rows: usize, columns: usize, gap: usize) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        let shape = MatrixShape::new(layout, rows, columns, gap, adjacent.max(1) + gap).unwrap();
        let mut matrix = Matrix { data: vec![T::from_parts(f64::NAN, f64::NAN); shape.end() + gap], shape };
        for (i, j) in matrix.backends() {
            let mut number = || {
                *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (*seed >> 40) as f64 / (1 << 23) as f64 - 1.0
            };
            let index = matrix.index(i, j);
            matrix.data[index] = T::from_parts(number(), number());
        }
        matrix
    }

    fn backends(&self) -> Vec<(usize, usize)> {
        (0..self.shape.columns()).flat_map(|j| (0..self.shape.rows()).map(move |i| (i, j))).collect()
    }

    fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    fn element(&self, op: Op, i: usize, j: usize) -> Complex64 {
        let value = self.data[if op.transposes() { self.index(j, i) } else { self.index(i, j) }];
        Complex64::new(value.re(), if op.conjugates() { -value.im() } else { value.im() })
    }
}

fn check<T: Scalar>(case: &Case) {
    let [m, n, k] = case.size;
    let mut seed = case.seed;
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let mut matrix = |layout, (rows, columns)| Matrix::<T>::random(&mut seed, layout, rows, columns, case.gap);
    let a = matrix(case.layouts[0], stored(case.ops[0], m, k));
    let b = matrix(case.layouts[1], stored(case.ops[1], k, n));
    let mut c = matrix(case.layouts[2], (m, n));
    let before = c.data.clone();
    let (alpha, beta) = (T::from_parts(case.alpha, 0.5 * case.alpha), T::from_parts(case.beta, 0.0));
    let views = (MatrixRef::from_slice(&a.data, a.shape).unwrap(), MatrixRef::from_slice(&b.data, b.shape).unwrap());
    let c_view = MatrixMut::from_slice(&mut c.data, c.shape).unwrap();
    gemm(case.ops[0], case.ops[1], alpha, views.0, views.1, beta, c_view).unwrap().wait().unwrap();

    let wide = |x: T| Complex64::new(x.re(), x.im());
    let mut inside = vec![false; c.data.len()];
    for (i, j) in c.backends() {
        let index = c.index(i, j);
        inside[index] = true;
        let pairs = (0..k).map(|p| (a.element(case.ops[0], i, p), b.element(case.ops[1], p, j)));
        let (sum, size) = pairs.fold((Complex64::ZERO, 0.0), |(s, z), (x, y)| (s + x * y, z + x.norm() * y.norm()));
        let expected = wide(alpha) * sum + wide(beta) * wide(before[index]);
        let magnitude = wide(alpha).norm() * size + wide(beta).norm() * wide(before[index]).norm();
        // |C - ref| <= c (k + 2) eps (|alpha| |A| |B| + |beta| |C|); the reference is rounded to doubles itself.
        let bound = 4.0 * (k + 2) as f64 * (T::EPSILON + f64::EPSILON) * magnitude;
        assert_close!(wide(c.data[index]), expected, bound, "{:?} ({i}, {j})", T::KIND);
    }
    assert!(inside.iter().zip(&c.data).all(|(inside, x)| *inside || x.re().is_nan()), "something beside C was written");
}

/// On the host, then on every device.
#[test]
fn gemm_is_right_wherever_it_is_sent() {
    let _route = crate::changed_route();
    let devices = for_tests();
    let backends = [None].into_iter().chain((0..devices.len()).map(Some));
    for backend in backends {
        match backend {
            None => configure(RouteChoice::Host, &DeviceChoice::Host).unwrap(),
            Some(index) => configure(RouteChoice::Device, &DeviceChoice::Index(index)).unwrap(),
        }
        let doubles = backend.is_none_or(|index| devices[index].info().fp64);
        let mut runner =
            TestRunner::new(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() });
        let result = runner.run(&case(), |case| {
            check::<f32>(&case);
            check::<Complex32>(&case);
            if doubles {
                check::<f64>(&case);
                check::<Complex64>(&case);
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{backend:?}: {error}"));
        if !doubles {
            let one = MatrixShape::new(Layout::ColumnMajor, 1, 1, 0, 1).unwrap();
            let (x, mut y) = ([1.0_f64], [7.0_f64]);
            let view = || MatrixRef::from_slice(&x, one).unwrap();
            let target = MatrixMut::from_slice(&mut y, one).unwrap();
            let refused = gemm(Op::NoTrans, Op::NoTrans, 1.0, view(), view(), 0.0, target).unwrap_err();
            assert!(matches!(refused, Error::PrecisionNotSupported { .. }), "{refused}");
            assert_eq!(y, [7.0]);
        }
    }
}

/// Buffers of a context, on the host and on every device.
#[test]
fn buffers_multiply_where_they_lie() {
    let _route = crate::route();
    let devices = for_tests();
    let contexts = [Context::host()].into_iter().chain(devices.iter().map(|device| Context::open(device).unwrap()));
    for context in contexts {
        let a = context.upload(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let b = context.upload(&[1.0_f32, -1.0, 0.5]).unwrap();
        let mut c = context.zeros::<f32>(2).unwrap();
        // A is 2 x 3, its columns (1, 2), (3, 4), (5, 6).
        let views = (a.matrix(2, 3).unwrap(), b.matrix(3, 1).unwrap());
        gemm(Op::NoTrans, Op::NoTrans, 2.0, views.0, views.1, 0.0, c.matrix_mut(2, 1).unwrap())
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(c.download().unwrap(), [1.0, 2.0]);
        assert!(matches!(a.matrix(4, 2).unwrap_err(), Error::ViewTooLarge { .. }));
        let wrong =
            gemm(Op::NoTrans, Op::NoTrans, 1.0, views.0, views.0, 0.0, c.matrix_mut(2, 1).unwrap()).unwrap_err();
        assert!(matches!(wrong, Error::ShapeMismatch(_)), "{wrong}");
    }
}
