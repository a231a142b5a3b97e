//! hgemm through the public API: wherever a call is sent, the result is the same within the bound of the error
//! analysis, and nothing around C is touched.

use affinimath::route::{DeviceChoice, RouteChoice, configure};
use affinimath::{Context, Error, Half, Layout, MatrixMut, MatrixRef, MatrixShape, Op, hgemm};
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
    alpha: f32,
    beta: f32,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let size = || prop_oneof![0..=9_usize, 10..=80_usize];
    let op = || select(Op::ALL);
    let layout = || select(vec![Layout::ColumnMajor, Layout::RowMajor]);
    let scalar = || select(vec![0.0_f32, 1.0, -1.0, 0.3]);
    let (ops, layouts) = ([op(), op()], [layout(), layout(), layout()]);
    ([size(), size(), size()], ops, layouts, 0..4_usize, scalar(), scalar(), any::<u64>())
        .prop_map(|(size, ops, layouts, gap, alpha, beta, seed)| Case { size, ops, layouts, gap, alpha, beta, seed })
}

/// A matrix in the middle of NaNs.
struct Matrix {
    data: Vec<Half>,
    shape: MatrixShape,
}

impl Matrix {
    fn random(seed: &mut u64, layout: Layout, (rows, columns): (usize, usize), gap: usize) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        let shape = MatrixShape::new(layout, rows, columns, gap, adjacent.max(1) + gap).unwrap();
        let mut matrix = Matrix { data: vec![Half::NAN; shape.end() + gap], shape };
        for (i, j) in matrix.indices() {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let index = matrix.index(i, j);
            matrix.data[index] = Half::from_f64((*seed >> 40) as f64 / (1 << 23) as f64 - 1.0);
        }
        matrix
    }

    fn indices(&self) -> Vec<(usize, usize)> {
        (0..self.shape.columns()).flat_map(|j| (0..self.shape.rows()).map(move |i| (i, j))).collect()
    }

    fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    fn element(&self, op: Op, i: usize, j: usize) -> f64 {
        self.data[if op.transposes() { self.index(j, i) } else { self.index(i, j) }].to_f64()
    }
}

fn check(case: &Case) {
    let [m, n, k] = case.size;
    let mut seed = case.seed;
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let mut matrix = |layout, size| Matrix::random(&mut seed, layout, size, case.gap);
    let a = matrix(case.layouts[0], stored(case.ops[0], m, k));
    let b = matrix(case.layouts[1], stored(case.ops[1], k, n));
    let mut c = matrix(case.layouts[2], (m, n));
    let before = c.data.clone();
    if case.beta == 0.0 {
        c.data.fill(Half::NAN); // beta = 0 must not read C
    }
    let views = (MatrixRef::from_slice(&a.data, a.shape).unwrap(), MatrixRef::from_slice(&b.data, b.shape).unwrap());
    let c_view = MatrixMut::from_slice(&mut c.data, c.shape).unwrap();
    hgemm(case.ops[0], case.ops[1], case.alpha, views.0, views.1, case.beta, c_view).unwrap().wait().unwrap();

    let (alpha, beta) = (f64::from(case.alpha), f64::from(case.beta));
    let mut inside = vec![false; c.data.len()];
    for (i, j) in c.indices() {
        let index = c.index(i, j);
        inside[index] = true;
        let terms = || (0..k).map(|p| a.element(case.ops[0], i, p) * b.element(case.ops[1], p, j));
        let (sum, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
        let old = if beta == 0.0 { 0.0 } else { beta * before[index].to_f64() };
        let expected = alpha * sum + old;
        // In floats (k + 3) eps (|alpha| |A| |B| + |beta| |C|), and then one rounding to 11 bits, or among subnormal
        // halves.
        let floats = (k + 3) as f64 * f64::from(f32::EPSILON) * (alpha.abs() * size + old.abs());
        let bound = floats + (expected.abs() + floats) * 2.0_f64.powi(-11) + 2.0_f64.powi(-25);
        assert_close!(c.data[index].to_f64(), expected, bound, "({i}, {j})");
    }
    assert!(inside.iter().zip(&c.data).all(|(inside, x)| *inside || x.is_nan()), "something beside C was written");
}

/// One number times another, plus a third.
fn one([a, b, c]: [Half; 3], alpha: f32, beta: f32) -> Half {
    let shape = MatrixShape::new(Layout::ColumnMajor, 1, 1, 0, 1).unwrap();
    let (a, b, mut c) = ([a], [b], [c]);
    let views = (MatrixRef::from_slice(&a, shape).unwrap(), MatrixRef::from_slice(&b, shape).unwrap());
    let target = MatrixMut::from_slice(&mut c, shape).unwrap();
    hgemm(Op::NoTrans, Op::NoTrans, alpha, views.0, views.1, beta, target).unwrap().wait().unwrap();
    c[0]
}

/// Values at the limits of fp16: overflow, subnormals, infinities, NaN.
fn check_extremes() {
    let half = Half::from_f32;
    let (largest, smallest) = (Half::MAX, Half::from_bits(1));
    assert_eq!(one([largest, half(1.0), half(0.0)], 1.0, 0.0), largest);
    assert_eq!(one([largest, half(2.0), half(0.0)], 1.0, 0.0), Half::INFINITY, "a result that is too large");
    assert_eq!(one([largest, half(-2.0), half(0.0)], 1.0, 0.0), Half::NEG_INFINITY);
    // What is halfway to the next number that there is not, and the float below it.
    assert_eq!(one([half(1.0), half(1.0), half(0.0)], 65_520.0, 0.0), Half::INFINITY);
    assert_eq!(one([half(1.0), half(1.0), half(0.0)], 65_519.996, 0.0), largest);
    // Sums may be larger than a half can be, on their way.
    assert_eq!(one([largest, half(4.0), largest], 0.25, 0.0), largest);
    assert_eq!(one([largest, half(2.0), largest], 1.0, -1.0), largest);
    assert_eq!(one([smallest, half(1.0), half(0.0)], 1.0, 0.0), smallest, "subnormal halves are kept");
    assert_eq!(one([smallest, half(1.0), smallest], 3.0, 2.0), Half::from_bits(5));
    assert_eq!(one([smallest, half(0.5), half(0.0)], 1.0, 0.0), Half::ZERO, "halfway is rounded to even");
    assert_eq!(one([smallest, half(1.5), half(0.0)], 1.0, 0.0), Half::from_bits(2));
    assert_eq!(one([half(1.0), half(1.0), half(0.0)], 2049.0, 0.0), half(2048.0), "halfway is rounded to even");
    assert_eq!(one([half(1.0), half(1.0), half(0.0)], 2051.0, 0.0), half(2052.0));
    assert!(one([Half::NAN, half(1.0), half(0.0)], 1.0, 0.0).is_nan());
    assert!(one([Half::INFINITY, half(0.0), half(0.0)], 1.0, 0.0).is_nan());
    assert!(one([half(1.0), half(1.0), Half::NAN], 1.0, 1.0).is_nan());
    assert_eq!(one([half(1.0), half(1.0), Half::NAN], 1.0, 0.0), half(1.0));
    // With alpha = 0, A and B are not read; C is scaled.
    assert_eq!(one([Half::NAN, Half::NAN, half(3.0)], 0.0, 0.5), half(1.5));
    assert_eq!(one([Half::NAN, Half::NAN, Half::NAN], 0.0, 0.0), half(0.0));
    assert!(one([Half::NAN, Half::NAN, Half::NAN], 0.0, 1.0).is_nan());
}

/// On the host, then on every device.
#[test]
fn hgemm_is_right_wherever_it_is_sent() {
    let _route = crate::changed_route();
    let devices = for_tests();
    for backend in [None].into_iter().chain((0..devices.len()).map(Some)) {
        match backend {
            None => configure(RouteChoice::Host, &DeviceChoice::Host).unwrap(),
            Some(index) => configure(RouteChoice::Device, &DeviceChoice::Index(index)).unwrap(),
        }
        check_extremes();
        let mut runner =
            TestRunner::new(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() });
        let result = runner.run(&case(), |case| {
            check(&case);
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{backend:?}: {error}"));
    }
}

/// Buffers of a context, on the host and on every device.
#[test]
fn buffers_multiply_where_they_lie() {
    let _route = crate::route();
    let devices = for_tests();
    let contexts = [Context::host()].into_iter().chain(devices.iter().map(|device| Context::open(device).unwrap()));
    let halves = |numbers: &[f32]| numbers.iter().copied().map(Half::from_f32).collect::<Vec<_>>();
    for context in contexts {
        let a = context.upload(&halves(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).unwrap();
        let b = context.upload(&halves(&[1.0, -1.0, 0.5])).unwrap();
        let mut c = context.zeros::<Half>(2).unwrap();
        // A is 2 x 3, its columns (1, 2), (3, 4), (5, 6).
        let views = (a.matrix(2, 3).unwrap(), b.matrix(3, 1).unwrap());
        hgemm(Op::NoTrans, Op::NoTrans, 2.0, views.0, views.1, 0.0, c.matrix_mut(2, 1).unwrap())
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(c.download().unwrap(), halves(&[1.0, 2.0]));
        assert!(matches!(a.matrix(4, 2).unwrap_err(), Error::ViewTooLarge { .. }));
        let wrong =
            hgemm(Op::NoTrans, Op::NoTrans, 1.0, views.0, views.0, 0.0, c.matrix_mut(2, 1).unwrap()).unwrap_err();
        assert!(matches!(wrong, Error::ShapeMismatch(_)), "{wrong}");
    }
}

/// A product that is larger than the blocks of the host, and than the smallest pieces of a device.
#[test]
fn a_long_product_is_right() {
    let _route = crate::route();
    let (m, n, k) = (3, 2, 5000);
    let devices = [None].into_iter().chain(for_tests().iter().map(Some));
    for device in devices {
        let context = device.map_or_else(Context::host, |device| Context::open(device).unwrap());
        let number = |index: usize| Half::from_f32((index % 5) as f32 - 2.0);
        let (a, b): (Vec<Half>, Vec<Half>) = ((0..m * k).map(number).collect(), (0..k * n).map(number).collect());
        let mut c = context.zeros::<Half>(m * n).unwrap();
        let (on_a, on_b) = (context.upload(&a).unwrap(), context.upload(&b).unwrap());
        let views = (on_a.matrix(m, k).unwrap(), on_b.matrix(k, n).unwrap());
        hgemm(Op::NoTrans, Op::NoTrans, 1.0, views.0, views.1, 0.0, c.matrix_mut(m, n).unwrap())
            .unwrap()
            .wait()
            .unwrap();
        let result = c.download().unwrap();
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            let sum: f64 = (0..k).map(|p| a[i + p * m].to_f64() * b[p + j * k].to_f64()).sum();
            assert_eq!(result[i + j * m], Half::from_f64(sum), "({i}, {j})");
        }
    }
}

/// True if two results have the same bits, or both are NaN.
fn same(x: Half, y: Half) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// Every half there is, and products of halves of all sizes, which are exact but for the one rounding.
#[test]
fn every_half_is_read_and_products_are_rounded_to_the_nearest() {
    let _route = crate::route();
    let devices = [None].into_iter().chain(for_tests().iter().map(Some));
    for device in devices {
        let context = device.map_or_else(Context::host, |device| Context::open(device).unwrap());
        let all: Vec<Half> = (0..=u16::MAX).map(Half::from_bits).collect();
        // Of all sizes: the high byte has the sign, the exponent and two bits of the fraction, the low one is mixed.
        let some: Vec<Half> =
            (0..=255).map(|high: u16| Half::from_bits(high << 8 | (high * 167 + 13) & 0xff)).collect();
        for (left, right) in [(vec![Half::ONE], all), (some.clone(), some)] {
            let (m, n) = (left.len(), right.len());
            let (a, b) = (context.upload(&left).unwrap(), context.upload(&right).unwrap());
            let mut c = context.zeros::<Half>(m * n).unwrap();
            let views = (a.matrix(m, 1).unwrap(), b.matrix(1, n).unwrap());
            hgemm(Op::NoTrans, Op::NoTrans, 1.0, views.0, views.1, 0.0, c.matrix_mut(m, n).unwrap())
                .unwrap()
                .wait()
                .unwrap();
            let result = c.download().unwrap();
            for (index, result) in result.into_iter().enumerate() {
                let (x, y) = (left[index % m], right[index / m]);
                // A sum of floats begins with 0, and 0 - 0 is 0.
                let expected = Half::from_f32(x.to_f32() * y.to_f32() + 0.0);
                assert!(same(result, expected) || result == expected && result == Half::ZERO, "{x} {y}: {result}");
            }
        }
    }
}
