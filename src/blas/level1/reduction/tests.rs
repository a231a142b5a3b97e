//! Reductions on the host and on every device, by the public functions and by every kind of plan.
//!
//! Elements are fractions k / 2^20 with |k| < 2^20, so that sums and products are known exactly, as integers.

use super::*;
use crate::blas::level1::blocks::Blocks;
use crate::blas::level1::testing::{INCREMENTS, Strided, contexts};
use crate::context::MemoryExt;
use crate::memory::Context;
use crate::route;
use crate::scalar::{Complex32, Complex64};
use crate::testing::{assert_close, for_each_type, hands_over, is_close};
use crate::view::View;

/// Lengths around the widths of vectors, runs, chunks and blocks, and the switch to several threads.
const LENGTHS: &[usize] = &[0, 1, 2, 7, 16, 17, 63, 64, 65, 511, 513, 1000, 4095, 4096, 4097, 8200, 100_000];
const SMALL_LENGTHS: &[usize] = &[0, 1, 5, 17, 70, 300];

const FRACTION: f64 = 1.0 / (1 << 20) as f64;

/// The real and imaginary part of element i, times 2^20: 20 bits, which every type holds.
fn whole(i: usize, seed: usize) -> [i64; 2] {
    [2 * i, 2 * i + 1].map(|k| {
        let bits = ((k * 4 + seed) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((bits ^ bits >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 43) as i64) - (1 << 20)
    })
}

fn parts<T: Scalar>(i: usize, seed: usize) -> [i64; 2] {
    let [re, im] = whole(i, seed);
    [re, if T::KIND.is_complex() { im } else { 0 }]
}

fn fractions<T: Scalar>(n: usize, increment: isize, seed: usize) -> Strided<T> {
    Strided::from_fn(n, increment, |i| {
        let [re, im] = parts::<T>(i, seed);
        T::from_parts(re as f64 * FRACTION, im as f64 * FRACTION)
    })
}

/// The sum of x_i y_i or conj(x_i) y_i, exact but for one rounding of each part, and the sum of |x_i| |y_i|.
fn exact_dot<T: Scalar>(n: usize, conjugate: bool) -> (Complex64, f64) {
    let (mut re, mut im, mut size) = (0_i128, 0_i128, 0.0);
    for i in 0..n {
        let ([a, b], [c, d]) = (parts::<T>(i, 1).map(i128::from), parts::<T>(i, 2).map(i128::from));
        let b = if conjugate { -b } else { b };
        re += a * c - b * d;
        im += a * d + b * c;
        size += (a as f64).hypot(b as f64) * (c as f64).hypot(d as f64);
    }
    let scale = FRACTION * FRACTION;
    (Complex64::new(re as f64 * scale, im as f64 * scale), size * scale)
}

/// Roundings on an element's way into the sum: those of its lane (at least four lanes), and of all later additions.
fn roundings(n: usize) -> f64 {
    n.min(20_000) as f64 / 4.0 + 60.0
}

/// The number of elements between canaries in a device's memory that a reduction may write: one.
fn result_on_device<T: Scalar, R: Element>(
    context: &Context,
    fill: R,
    x: &crate::Buffer<T>,
    call: impl Fn(&Queue, VectorMut<'_, R>) -> Result<Event>,
) -> Option<R> {
    context.device()?;
    let mut results = context.upload(&[fill; 3]).unwrap();
    let view = results.vector_view_mut(VectorShape::new(1, 1, 1).unwrap()).unwrap();
    let Some(buffer) = x.vector().unwrap().memory().buffer() else { panic!("a device's memory") };
    call(&Queue::new(buffer.context()).unwrap(), view).unwrap().wait().unwrap();
    let results = results.download().unwrap();
    assert!(results[0] == fill && results[2] == fill, "canaries around the result");
    Some(results[1])
}

fn check_dot<T: Scalar>(context: &Context, n: usize, increments: (isize, isize)) {
    let (x, y) = (fractions::<T>(n, increments.0, 1), fractions::<T>(n, increments.1, 2));
    let (x_memory, y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
    let views = || (x_memory.vector_view(x.shape).unwrap(), y_memory.vector_view(y.shape).unwrap());
    for conjugate in [false, true] {
        let what = || format!("{n} elements of {:?}, {increments:?}, on {:?}", T::KIND, context.device());
        let (expected, size) = exact_dot::<T>(n, conjugate);
        let (a, b) = views();
        let found = if conjugate { route::dotc(a, b) } else { route::dot(a, b) }.unwrap();
        let wide = Complex64::new(found.re(), found.im());
        assert_close!(wide, expected, roundings(n) * T::EPSILON * size, "{}", what());
        let seven = T::from_parts(7.0, 0.0);
        let on_device = result_on_device(context, seven, &x_memory, |queue, result| {
            let (a, b) = views();
            if conjugate { dotc_on(queue, a, b, result) } else { dot_on(queue, a, b, result) }
        });
        assert!(on_device.is_none_or(|on_device| on_device == found), "{}: {on_device:?}, {found:?}", what());
    }
}

fn check_dots<T: Scalar>(lengths: &[usize], increments: &[(isize, isize)]) {
    for context in contexts::<T>() {
        for &n in lengths {
            increments.iter().for_each(|&increments| check_dot::<T>(&context, n, increments));
        }
    }
}

fn check_reductions<T: Scalar>(lengths: &[usize], increments: &[isize]) {
    for context in contexts::<T>() {
        for (&n, &increment) in lengths.iter().flat_map(|n| increments.iter().map(move |increment| (n, increment))) {
            let what = || format!("{n} elements of {:?}, {increment} apart, on {:?}", T::KIND, context.device());
            let x = fractions::<T>(n, increment, 1);
            let memory = context.upload(&x.data).unwrap();
            let view = || memory.vector_view(x.shape).unwrap();
            let [moduli, squares] = (0..n).fold([0_i128; 2], |[moduli, squares], i| {
                let [re, im] = parts::<T>(i, 1).map(i128::from);
                [moduli + re.abs() + im.abs(), squares + re * re + im * im]
            });
            let (sum, norm) = (moduli as f64 * FRACTION, (squares as f64).sqrt() * FRACTION);

            let found = route::asum(view()).unwrap();
            assert_close!(found.re(), sum, roundings(n) * T::EPSILON * sum, "asum of {}", what());
            let seven = T::RealScalar::from_parts(7.0, 0.0);
            let on_device = result_on_device(&context, seven, &memory, |queue, result| asum_on(queue, view(), result));
            assert!(on_device.is_none_or(|on_device| on_device == found), "asum of {}", what());

            let found = route::nrm2(view()).unwrap();
            assert_close!(found.re(), norm, roundings(n) * T::EPSILON * norm, "nrm2 of {}", what());
            let on_device = result_on_device(&context, seven, &memory, |queue, result| nrm2_on(queue, view(), result));
            assert!(on_device.is_none_or(|on_device| on_device == found), "nrm2 of {}", what());
        }
    }
}

/// The norm of m_i 2^e_i, scaled so that nothing overflows; what underflows then does not count.
fn scaled_norm(values: &[(f64, i32)]) -> (f64, i32) {
    let top = values.iter().filter(|(m, _)| *m != 0.0).map(|(_, e)| *e).max().unwrap_or(0);
    let sum: f64 = values.iter().map(|(m, e)| m * m * 2f64.powi((2 * (e - top)).max(-1000))).sum();
    (sum.sqrt(), top)
}

fn check_extremes<T: Scalar>() {
    let double = T::KIND.is_double();
    // Exponents of the smallest and the largest values of the precision, and some between.
    let (min_exponent, largest) = if double { (-1074, 1000) } else { (-149, 120) };
    let tiny = [min_exponent, min_exponent + 3, if double { -800 } else { -100 }];
    let huge = [largest, largest - 2, if double { 700 } else { 80 }];
    let mut sets: Vec<Vec<i32>> = tiny.iter().chain(&huge).map(|&e| vec![e]).collect();
    sets.push(tiny.to_vec());
    sets.push(huge.to_vec());
    sets.push([tiny, huge].concat());
    // Around the borders between small, ordinary and large.
    sets.push(vec![0, if double { -511 } else { -63 }, if double { -512 } else { -64 }]);
    sets.push(vec![if double { 486 } else { 52 }, if double { 485 } else { 51 }, 0]);
    sets.push([&tiny[..], &[0]].concat());
    for context in contexts::<T>() {
        for (set, n) in sets.iter().flat_map(|set| [1, 3, 33, 200].map(|n| (set, n))) {
            let number = |i: usize| (f64::from((i % 7) as u8 + 1), set[i % set.len()]);
            let element = |i: usize| {
                let (m, e) = number(i);
                // Twice, so that no power overflows on the way.
                m * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)
            };
            let x: Vec<T> = (0..n).map(|i| T::from_parts(element(2 * i), element(2 * i + 1))).collect();
            let parts = if T::KIND.is_complex() { 2 } else { 1 };
            let values: Vec<_> = (0..n * parts).map(|i| number(i * (2 / parts))).collect();
            let (norm, exponent) = scaled_norm(&values);
            let memory = context.upload(&x).unwrap();
            let found = route::nrm2(memory.vector().unwrap()).unwrap().re();
            let scaled = found * 2f64.powi(-exponent / 2) * 2f64.powi(-exponent - -exponent / 2);
            // Next to the smallest number, the result is off by half of it.
            let bound = norm * T::EPSILON * 40.0 + 2f64.powi((min_exponent - exponent).max(-1000));
            assert_close!(scaled, norm, bound, "{n} of {set:?}, {:?}", context.device());
        }
    }
}

fn check_nan_norms<T: Scalar>() {
    let nrm2 = |context: &Context, x: &[T]| {
        let memory = context.upload(x).unwrap();
        route::nrm2(memory.vector().unwrap()).unwrap().re()
    };
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for context in contexts::<T>() {
        for ordinary in [0.0, 1.0, if T::KIND.is_double() { 1e200 } else { 1e30 }] {
            for (value, at) in values.into_iter().flat_map(|value| [0, 17, 64, 99].map(|at| (value, at))) {
                let mut x = [T::from_parts(ordinary, 0.0); 100];
                x[at] = T::from_parts(value, 0.0);
                let norm = nrm2(&context, &x);
                assert!(if value.is_nan() { norm.is_nan() } else { norm == f64::INFINITY }, "{value} gives {norm}");
                x[(at + 40) % 100] = T::from_parts(f64::NAN, 0.0);
                assert!(nrm2(&context, &x).is_nan(), "NaN beside {value}");
            }
        }
        assert_eq!(nrm2(&context, &[T::ZERO; 100]), 0.0);
    }
}

/// Index by the reference's sequential comparisons.
fn reference_index<T: Scalar>(x: &Strided<T>, smallest: bool) -> usize {
    let modulus = |i: usize| x.data[x.index(i)].sum_of_moduli();
    let mut best = 0;
    for i in 1..x.shape.length() {
        let better = if smallest { modulus(i) < modulus(best) } else { modulus(i) > modulus(best) };
        best = if better { i } else { best };
    }
    best
}

fn check_indices<T: Scalar>(context: &Context, x: &Strided<T>) {
    let memory = context.upload(&x.data).unwrap();
    let view = || memory.vector_view(x.shape).unwrap();
    let n = x.shape.length();
    for smallest in [false, true] {
        let expected = reference_index(x, smallest);
        let found = if smallest { route::iamin(view()) } else { route::iamax(view()) }.unwrap();
        let what = || format!("{n} elements of {:?}, smallest: {smallest}, on {:?}", T::KIND, context.device());
        assert_eq!(found, (n > 0).then_some(expected), "{}", what());
        let on_device = result_on_device(context, -7_i64, &memory, |queue, result| {
            if smallest { iamin_on(queue, view(), result) } else { iamax_on(queue, view(), result) }
        });
        assert!(on_device.is_none_or(|on_device| on_device == expected as i64), "{on_device:?}: {}", what());
    }
}

fn check_ties<T: Scalar>(lengths: &[usize], increments: &[isize]) {
    for context in contexts::<T>() {
        for (&n, &increment) in lengths.iter().flat_map(|n| increments.iter().map(move |increment| (n, increment))) {
            // Few different values with many ties; then two extremes far apart, then NaN and Inf.
            let few = |i: usize| {
                let [re, im] = whole(i, 3).map(|k| (k >> 18) as f64);
                T::from_parts(re, im)
            };
            check_indices(&context, &Strided::from_fn(n, increment, few));
            for position in [0, 1, n / 2, n.saturating_sub(66), n.saturating_sub(1)] {
                let twice = |i: usize| i == position || i + 1 == n;
                let extreme =
                    |high: f64, low: f64| move |i: usize| T::from_parts(if twice(i) { high } else { low }, 0.0);
                check_indices(&context, &Strided::from_fn(n, increment, extreme(-9.0, 1.0)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(0.5, -1.0)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(f64::INFINITY, 1.0)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(f64::NAN, 1.0)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(1.0, f64::NAN)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(f64::NAN, f64::INFINITY)));
                check_indices(&context, &Strided::from_fn(n, increment, extreme(f64::NEG_INFINITY, f64::NAN)));
            }
        }
    }
}

/// Results of every plan for the same vectors.
fn results_of_plans<T: Scalar, R: Element + Scalar>(context: &Context, reduction: Reduction, n: usize) -> Vec<R> {
    let (x, y) = (fractions::<T>(n, 1, 1), fractions::<T>(n, 1, 2));
    let (x_memory, y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
    let (x, y) = (x_memory.vector_view(x.shape).unwrap(), y_memory.vector_view(y.shape).unwrap());
    let Some(buffer) = x.memory().buffer() else { return Vec::new() };
    let queue = Queue::new(buffer.context()).unwrap();
    let has_y = matches!(reduction, Reduction::Dot { .. });
    let y = has_y.then_some((y.memory(), *y.shape()));
    let problem = Problem::new::<T>(&queue, &reduction, (x.memory(), *x.shape()), y).unwrap();
    let device = queue.context().device().info();
    let chosen = problem.plan(&queue);
    let max_threads = device.max_work_group_size.min(256);
    let blocks = [
        Blocks::of_length(n, 64, 1),
        Blocks::of_length(n, 128, 16),
        Blocks::of_length(n, 2048, 1 << max_threads.ilog2()),
        Blocks { variant: Variant::Vectors, threads: 1, ..Blocks::of_length(n, 192, 1) },
        Blocks { variant: Variant::Vectors, threads: 1, ..Blocks::of_length(n, n.next_multiple_of(64), 1) },
        chosen.blocks,
    ];
    let run = |plan: &ReductionPlan| {
        let workspace = Workspace::borrow(&queue, size_of::<R>() as u64).unwrap();
        let result = DeviceElements { handle: workspace.handle(), offset: 0 };
        problem.run(&queue, plan, result).unwrap().wait().unwrap();
        let mut result = [<R as Default>::default()];
        workspace.read(&mut result).unwrap();
        result[0]
    };
    let results_of = |blocks: Blocks| {
        let in_launches = |one_launch: bool| run(&ReductionPlan { blocks, one_launch, ..chosen });
        let two = in_launches(false);
        if !hands_over(device) {
            return two;
        }
        let one = in_launches(true);
        // The arrival counter is reset, so that the next launch starts from zero.
        let again = in_launches(true);
        assert!(one == two && again == one, "{blocks:?}: {one:?}, {again:?} in one launch, {two:?} in two");
        one
    };
    blocks.into_iter().map(results_of).collect()
}

fn check_plans<T: Scalar>(n: usize) {
    for context in contexts::<T>() {
        for conjugate in [false, true] {
            let (expected, size) = exact_dot::<T>(n, conjugate);
            for found in results_of_plans::<T, T>(&context, Reduction::Dot { conjugate }, n) {
                let found = Complex64::new(found.re(), found.im());
                assert_close!(found, expected, roundings(n) * T::EPSILON * size, "{n}");
            }
        }
        for reduction in [Reduction::Asum, Reduction::Nrm2] {
            let found = results_of_plans::<T, T::RealScalar>(&context, reduction, n);
            let Some(first) = found.first().map(|value| value.re()) else { continue };
            let close = |value: f64| is_close(value, first, 2.0 * roundings(n) * T::EPSILON * first);
            assert!(found.iter().all(|value| close(value.re())), "{reduction:?} of {n}: {found:?}");
        }
    }
}

fn check_index_plans<T: Scalar>() {
    for context in contexts::<T>() {
        let n = 1000;
        // The extremes are found twice, in different blocks of every plan, and NaN is everywhere between.
        for (first, reduction) in
            [3, 64, 200, 640].into_iter().flat_map(|i| [(i, Reduction::Iamax), (i, Reduction::Iamin)])
        {
            let extreme = if reduction == Reduction::Iamax { -8.0 } else { 0.25 };
            let x: Vec<T> = (0..n)
                .map(|i| match i {
                    _ if i == first || i == first + 300 => extreme,
                    _ if i % 5 == 2 => f64::NAN,
                    _ => 1.0,
                })
                .map(|value| T::from_parts(value, 0.0))
                .collect();
            let memory = context.upload(&x).unwrap();
            let view = memory.vector().unwrap();
            let Some(buffer) = view.memory().buffer() else { continue };
            let queue = Queue::new(buffer.context()).unwrap();
            let problem = Problem::new::<T>(&queue, &reduction, (view.memory(), *view.shape()), None).unwrap();
            let blocks = [Blocks::of_length(n, 64, 1), Blocks::of_length(n, 128, 16), Blocks::of_length(n, 1024, 64)];
            let vectors = Blocks { variant: Variant::Vectors, threads: 1, ..Blocks::of_length(n, 192, 1) };
            let both = blocks.into_iter().chain([vectors]).flat_map(|blocks| [(blocks, false), (blocks, true)]);
            let hands_over = hands_over(context.device().unwrap().info());
            for (blocks, one_launch) in both.filter(|(_, one_launch)| !one_launch || hands_over) {
                let workspace = Workspace::borrow(&queue, 8).unwrap();
                let plan = ReductionPlan { blocks, one_launch, ..problem.plan(&queue) };
                let result = DeviceElements { handle: workspace.handle(), offset: 0 };
                problem.run(&queue, &plan, result).unwrap().wait().unwrap();
                let mut found = [-1_i64];
                workspace.read(&mut found).unwrap();
                assert_eq!(found[0], first as i64, "{reduction:?}, {blocks:?}");
            }
        }
    }
}

fn check_bits<T: Scalar>() {
    for context in contexts::<T>() {
        let (x, y) = (Strided::<T>::new(700_001, 1, 1), Strided::<T>::new(700_001, 1, 2));
        let (x_memory, y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
        let views = || (x_memory.vector_view(x.shape).unwrap(), y_memory.vector_view(y.shape).unwrap());
        let run = || {
            let (x, y) = views();
            (route::dot(x, y).unwrap(), route::asum(x).unwrap(), route::nrm2(x).unwrap())
        };
        let first = run();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for again in [run(), alone.install(run), run()] {
            assert!(again == first, "{again:?}, {first:?} on {:?}", context.device());
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn dot_products_are_those_of_whole_numbers() {
        for_each_type!(check_dots(LENGTHS, INCREMENTS));
        for_each_type!(check_dots(&[1_000_003], &[(1, 1)]));
    }

    #[test]
    fn sums_and_norms_are_those_of_whole_numbers() {
        for_each_type!(check_reductions(LENGTHS, &[1, -1, 3, -2]));
        for_each_type!(check_reductions(&[1_000_003], &[1]));
    }

    #[test]
    fn indices_are_those_of_the_first_extremes() {
        for_each_type!(check_ties(&[2, 16, 17, 64, 65, 511, 512, 513, 4096, 4097, 20_000], &[1, -1, 2]));
        for_each_type!(check_ties(&[300_000], &[1]));
    }

    #[test]
    fn results_of_all_plans_agree() {
        for_each_type!(check_plans(10_007));
    }

    #[test]
    fn results_have_the_same_bits_in_every_run() {
        for_each_type!(check_bits());
    }

    #[test]
    fn complex_moduli_are_sums_of_parts() {
        for context in contexts::<Complex32>() {
            // |3| + |4| = 7 is more than |6|, which has the larger modulus.
            let x = context.upload(&[Complex32::new(6.0, 0.0), Complex32::new(-3.0, 4.0)]).unwrap();
            assert_eq!(route::iamax(x.vector().unwrap()).unwrap(), Some(1));
            assert_eq!(route::asum(x.vector().unwrap()).unwrap(), 13.0);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn dot_products_are_those_of_whole_numbers() {
        for_each_type!(check_dots(SMALL_LENGTHS, INCREMENTS));
    }

    #[test]
    fn sums_and_norms_are_those_of_whole_numbers() {
        for_each_type!(check_reductions(SMALL_LENGTHS, &[1, -1, 3]));
    }

    #[test]
    fn floats_are_summed_in_doubles() {
        for context in contexts::<f64>() {
            for (n, (incx, incy)) in
                [0, 1, 40, 3000, 70_000].into_iter().flat_map(|n| [(1, 1), (-2, 1)].map(|i| (n, i)))
            {
                let (x, y) = (fractions::<f32>(n, incx, 1), fractions::<f32>(n, incy, 2));
                let (x_memory, y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
                let views = || (x_memory.vector_view(x.shape).unwrap(), y_memory.vector_view(y.shape).unwrap());
                // Products have 40 bits: up to 2^13 of them are summed exactly, whatever the order.
                let (expected, size) = exact_dot::<f32>(n, false);
                let (expected, bound) =
                    (expected.re, if n < 1 << 13 { 0.0 } else { roundings(n) * f64::EPSILON * size });
                let (a, b) = views();
                assert_close!(route::dsdot(a, b).unwrap(), expected, bound, "{n}");
                let on_device = result_on_device(&context, 7.0, &x_memory, |queue, result| {
                    let (a, b) = views();
                    dsdot_on(queue, a, b, result)
                });
                assert!(on_device.is_none_or(|on_device| is_close(on_device, expected, bound)), "{n}");
                let rounded =
                    |value: f64| is_close(value, expected + 0.375, bound + f64::from(f32::EPSILON) * value.abs());
                assert!(rounded(route::sdsdot(0.375, a, b).unwrap().into()), "{n}");
                let on_device = result_on_device(&context, 7.0_f32, &x_memory, |queue, result| {
                    let (a, b) = views();
                    sdsdot_on(queue, 0.375, a, b, result)
                });
                assert!(on_device.is_none_or(|on_device| rounded(on_device.into())), "{n}");
            }
        }
    }

    #[test]
    fn sums_in_doubles_need_a_device_with_doubles() {
        for context in contexts::<f32>() {
            if context.device().is_some_and(|device| !device.info().fp64) {
                let x = context.upload(&[1.0_f32; 4]).unwrap();
                let result = route::dsdot(x.vector().unwrap(), x.vector().unwrap());
                assert!(matches!(result, Err(Error::PrecisionNotSupported { .. })), "{result:?}");
            }
        }
    }

    #[test]
    fn norms_neither_overflow_nor_underflow() {
        for_each_type!(check_extremes());
    }

    #[test]
    fn norms_with_nan_are_nan_and_with_inf_are_inf() {
        for_each_type!(check_nan_norms());
    }

    #[test]
    fn indices_are_those_of_the_first_extremes() {
        for_each_type!(check_ties(&[0, 1, 3, 70], &[1, -2]));
    }

    #[test]
    fn results_of_all_plans_agree() {
        for_each_type!(check_plans(333));
    }

    #[test]
    fn indices_of_all_plans_agree() {
        for_each_type!(check_index_plans());
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        for context in contexts::<f32>() {
            let x = context.upload(&[1.0_f32; 4]).unwrap();
            let y = context.upload(&[1.0_f32; 5]).unwrap();
            let result = route::dot(x.vector().unwrap(), y.vector().unwrap());
            assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
            if context.device().is_none() {
                continue;
            }
            let Some(buffer) = x.vector().unwrap().memory().buffer() else { panic!("a device's memory") };
            let queue = Queue::new(buffer.context()).unwrap();
            let mut memory = context.upload(&[0.0_f32; 2]).unwrap();
            let result = dot_on(&queue, x.vector().unwrap(), x.vector().unwrap(), memory.vector_mut().unwrap());
            assert!(matches!(result, Err(Error::ShapeMismatch(_))), "two elements are no place for one: {result:?}");
            let mut host = Context::host().upload(&[0.0_f32]).unwrap();
            let result = asum_on(&queue, x.vector().unwrap(), host.vector_mut().unwrap());
            assert!(matches!(result, Err(Error::MixedMemory(_))), "{result:?}");
            let host = Context::host().upload(&[0.0_f32; 4]).unwrap();
            let result = route::dot(host.vector().unwrap(), x.vector().unwrap());
            assert!(matches!(result, Err(Error::MixedMemory(_))), "{result:?}");
        }
    }
}
