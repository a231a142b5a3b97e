//! The rotations, on the host and on every device.
//!
//! An element of a rotated pair has two products and their sum: |x - x_ref| <= 8 eps (|h11| |x| + |h12| |y|).

use crate::blas::level1::testing::{INCREMENTS, Strided, contexts};
use crate::blas::level1::{rotg_on, rotm_on, rotmg_on};
use crate::context::{MemoryExt, Queue};
use crate::error::Error;
use crate::host::level1::{rotg, rotmg};
use crate::memory::{Buffer, Context};
use crate::route;
use crate::scalar::{Complex64, Element, Real, Scalar};
use crate::testing::{assert_close, for_each_type, is_close};
use crate::view::{VectorMut, VectorRef, VectorShape, View};

const LENGTHS: &[usize] = &[0, 1, 7, 16, 17, 64, 65, 1000, 4097, 70_000];
const SMALL_LENGTHS: &[usize] = &[0, 1, 5, 17, 70];

/// A pair's matrix: x := h11 x + h12 y, y := h21 x + h22 y.
type Matrix = [Complex64; 4];

fn check_rotated<T: Scalar>(
    context: &Context,
    n: usize,
    increments: (isize, isize),
    [h11, h12, h21, h22]: Matrix,
    rotate: impl Fn(VectorMut<'_, T>, VectorMut<'_, T>),
) {
    let what = || format!("{n} elements of {:?}, {increments:?}, on {:?}", T::KIND, context.device());
    let (x, y) = (Strided::<T>::new(n, increments.0, 1), Strided::<T>::new(n, increments.1, 2));
    let (mut x_memory, mut y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
    rotate(x_memory.vector_view_mut(x.shape).unwrap(), y_memory.vector_view_mut(y.shape).unwrap());
    let x_after = Strided { data: x_memory.download().unwrap(), shape: x.shape };
    let y_after = Strided { data: y_memory.download().unwrap(), shape: y.shape };
    for i in 0..n {
        let (left, right) = (x.element(i), y.element(i));
        let close = |found: Complex64, a: Complex64, b: Complex64| {
            let bound = 8.0 * T::EPSILON * (a.norm() * left.norm() + b.norm() * right.norm());
            is_close(found, a * left + b * right, bound)
        };
        assert!(close(x_after.element(i), h11, h12), "{}: x in place {i}", what());
        assert!(close(y_after.element(i), h21, h22), "{}: y in place {i}", what());
    }
    assert!(x_after.canaries_live() && y_after.canaries_live(), "{}: canaries", what());
}

/// 0.8 and 0.6 with the argument of 3 + 4i are a cosine and a sine.
fn check_rot<T: Scalar>(lengths: &[usize]) {
    let (c, s) = (T::RealScalar::from_parts(0.8, 0.0), T::from_parts(0.36, 0.48));
    let real_s = T::RealScalar::from_parts(-0.6, 0.0);
    let wide = |re: f64, im: f64| Complex64::new(re, im);
    let (cosine, sine) = (wide(c.re(), 0.0), wide(s.re(), s.im()));
    for context in contexts::<T>() {
        for (&n, &increments) in lengths.iter().flat_map(|n| INCREMENTS.iter().map(move |increments| (n, increments))) {
            check_rotated::<T>(&context, n, increments, [cosine, sine, -sine.conj(), cosine], |x, y| {
                route::rot(x, y, c, s).unwrap().wait().unwrap();
            });
            let sine = wide(real_s.re(), 0.0);
            check_rotated::<T>(&context, n, increments, [cosine, sine, -sine, cosine], |x, y| {
                route::rot_real(x, y, c, real_s).unwrap().wait().unwrap();
            });
        }
    }
}

/// Parameters with NaN in implied elements, and the resulting matrix.
fn modified<R: Real>() -> Vec<([R; 5], [f64; 4])> {
    let nan = f64::NAN;
    [
        ([-1.0, 0.75, -0.5, 0.25, 1.5], [0.75, 0.25, -0.5, 1.5]),
        ([0.0, nan, -0.5, 0.25, nan], [1.0, 0.25, -0.5, 1.0]),
        ([1.0, 0.75, nan, nan, 1.5], [0.75, 1.0, -1.0, 1.5]),
        ([-2.0, nan, nan, nan, nan], [1.0, 0.0, 0.0, 1.0]),
    ]
    .map(|(parameters, matrix)| (parameters.map(|value| R::from_parts(value, 0.0)), matrix))
    .to_vec()
}

/// The queue of a device's buffer.
fn queue_of<R: Element>(buffer: &Buffer<R>) -> Option<Queue> {
    let memory = buffer.vector().unwrap().memory().buffer()?;
    Some(Queue::new(memory.context()).unwrap())
}

fn check_rotm<R: Real>(lengths: &[usize]) {
    for context in contexts::<R>() {
        for (parameters, matrix) in modified::<R>() {
            let matrix = matrix.map(|value| Complex64::new(value, 0.0));
            let mut padded = vec![R::from_parts(9.0, 0.0); 2];
            padded.extend(parameters);
            let on_device = context.upload(&padded).unwrap();
            let view = || on_device.vector_view(VectorShape::new(5, 2, 1).unwrap()).unwrap();
            for (&n, &increments) in lengths.iter().flat_map(|n| INCREMENTS.iter().map(move |pair| (n, pair))) {
                check_rotated::<R>(&context, n, increments, matrix, |x, y| {
                    route::rotm(x, y, &parameters).unwrap().wait().unwrap();
                });
                let Some(queue) = queue_of(&on_device) else { continue };
                check_rotated::<R>(&context, n, increments, matrix, |x, y| {
                    rotm_on(&queue, x, y, view()).unwrap().wait().unwrap();
                });
            }
        }
    }
}

/// m 2^e.
fn power(m: f64, e: i32) -> f64 {
    m * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)
}

/// Minimum and maximum exponent of a precision's normal values, and minimum of its subnormal ones.
fn exponents<T: Scalar>() -> [i32; 3] {
    if T::KIND.is_double() { [-1022, 1023, -1074] } else { [-126, 127, -149] }
}

/// rotg where a context's memory is: plain Rust on the host, a kernel on a device.
fn make_rotation<T: Scalar>(context: &Context, a: T, b: T) -> (T, T, T::RealScalar, T) {
    let seven = T::from_parts(7.0, 7.0);
    let mut memory = context.upload(&[seven, a, seven, seven]).unwrap();
    let mut others = context.upload(&[b, seven]).unwrap();
    let mut sines = context.upload(&[seven]).unwrap();
    let mut cosines = context.upload(&[T::RealScalar::ZERO; 3]).unwrap();
    let Some(queue) = queue_of(&memory) else {
        let made = rotg(a, b);
        return (made.r, made.z, made.c, made.s);
    };
    let one = |offset: usize| VectorShape::new(1, offset, 1).unwrap();
    let (c, s) = (cosines.vector_view_mut(one(2)).unwrap(), sines.vector_view_mut(one(0)).unwrap());
    let (a, b) = (memory.vector_view_mut(one(1)).unwrap(), others.vector_view_mut(one(0)).unwrap());
    rotg_on(&queue, a, b, c, s).unwrap().wait().unwrap();
    let (memory, others) = (memory.download().unwrap(), others.download().unwrap());
    assert!(memory[0] == seven && memory[2] == seven && others[1] == seven, "canaries");
    (memory[1], others[0], cosines.download().unwrap()[2], sines.download().unwrap()[0])
}

/// c^2 + |s|^2 = 1, c a + s b = r and c b - conj(s) a = 0, within rounding.
fn check_rotation<T: Scalar>(context: &Context, [a, b]: [[(f64, i32); 2]; 2]) {
    let number = |[re, im]: [(f64, i32); 2]| T::from_parts(power(re.0, re.1), power(im.0, im.1));
    let (a, b) = (number(a), number(b));
    let (r, z, c, s) = make_rotation(context, a, b);
    let what = format!("({a:?}, {b:?}) gives r {r:?}, z {z:?}, c {c:?}, s {s:?} on {:?}", context.device());
    // All near 1, by one power of two, without loss but for parts that do not count.
    let top = [a.re(), a.im(), b.re(), b.im()].into_iter().fold(0.0, |top: f64, part| top.max(part.abs()));
    let exponent = if top == 0.0 { 0 } else { top.log2().floor() as i32 };
    let near = |v: T| Complex64::new(power(v.re(), -exponent), power(v.im(), -exponent));
    let (f, g, r) = (near(a), near(b), near(r));
    let (c, s) = (c.re(), Complex64::new(s.re(), s.im()));
    let flushes = context.device().is_some_and(|device| !device.info().fp64);
    if flushes && [a.re(), a.im(), b.re(), b.im()].iter().any(|part| *part != 0.0 && part.abs() < power(1.0, -100)) {
        // Embedded devices may flush subnormal values.
        assert!(c.re() >= -1.0 && c.re() <= 1.0 && s.modulus() <= 1.0 + T::EPSILON, "{what}");
        return;
    }
    // Half of the smallest subnormal value is a further rounding, the larger one near it.
    let min_exponent = exponents::<T>()[2];
    let eps = 16.0 * T::EPSILON;
    let bound = eps + power(1.0, (min_exponent - exponent).clamp(-1000, 0));
    assert_close!(c * c + s.norm_sqr(), 1.0, eps, "{what}");
    assert_close!(c * f + s * g, r, bound * 4.0, "{what}: r");
    assert_close!(c * g, s.conj() * f, bound * 4.0, "{what}: 0");
    if T::KIND.is_complex() {
        assert!(z == b, "{what}: b stays");
    } else if a != T::ZERO || b != T::ZERO {
        // c and s from z, as BLAS has it.
        let z = z.re();
        let (from_z_c, from_z_s) = match z {
            _ if z == 1.0 => (0.0, 1.0),
            _ if z.abs() < 1.0 => ((1.0 - z * z).sqrt(), z),
            _ => (1.0 / z, (1.0 - 1.0 / (z * z)).sqrt()),
        };
        let close = |x: f64, y: f64| is_close(x.abs(), y.abs(), 8.0 * T::EPSILON.sqrt());
        assert!(close(from_z_c, c) && close(from_z_s, s.re), "{what}: z");
    }
}

fn check_rotations<T: Scalar>() {
    let [min_exponent, largest, subnormal] = exponents::<T>();
    let sizes = [0, 3, -40, min_exponent, subnormal + 2, largest - 2, largest / 2, min_exponent / 2];
    let zero = [(0.0, 0), (0.0, 0)];
    for context in contexts::<T>() {
        for (e, f) in sizes.into_iter().flat_map(|e| sizes.map(|f| (e, f))) {
            for (re, im) in [(1.0, 1.5), (-1.75, 0.0), (0.0, -1.25)] {
                let a = [(re, e), (if T::KIND.is_complex() { im } else { 0.0 }, e)];
                let b = [(-1.25, f), (if T::KIND.is_complex() { 1.5 } else { 0.0 }, f)];
                check_rotation::<T>(&context, [a, b]);
                check_rotation::<T>(&context, [b, a]);
                check_rotation::<T>(&context, [a, zero]);
                check_rotation::<T>(&context, [zero, a]);
            }
        }
        check_rotation::<T>(&context, [zero, zero]);
    }
}

/// rotmg in a context's memory. Parameters that the flag implies keep the canary 7.
fn make_modified<R: Real>(context: &Context, [d1, d2, x1, y1]: [R; 4]) -> ([R; 3], [R; 5]) {
    let seven = R::from_parts(7.0, 0.0);
    let mut values: Vec<_> = [d1, d2, x1].into_iter().map(|v| context.upload(&[seven, v]).unwrap()).collect();
    let y1_memory = context.upload(&[y1]).unwrap();
    let mut parameters = context.upload(&[seven; 6]).unwrap();
    let Some(queue) = queue_of(&y1_memory) else {
        let made = rotmg(d1, d2, x1, y1);
        return ([made.d1, made.d2, made.x1], made.parameters.map(|value| value.unwrap_or(seven)));
    };
    let second = VectorShape::new(1, 1, 1).unwrap();
    let [d1, d2, x1] = &mut values[..] else { panic!("three numbers") };
    let [d1, d2, x1] = [d1, d2, x1].map(|memory| memory.vector_view_mut(second).unwrap());
    let y1: VectorRef<'_, R> = y1_memory.vector().unwrap();
    let view = parameters.vector_view_mut(VectorShape::new(5, 1, 1).unwrap()).unwrap();
    rotmg_on(&queue, d1, d2, x1, y1, view).unwrap().wait().unwrap();
    let values: Vec<R> = values.iter().map(|memory| memory.download().unwrap()[1]).collect();
    let parameters = parameters.download().unwrap();
    assert!(parameters[0] == seven, "a canary");
    ([values[0], values[1], values[2]], std::array::from_fn(|i| parameters[i + 1]))
}

/// H (x1, y1) = (x1', 0), and H' D' H = D: the weighted sum of squares of every vector stays, so that it is a rotation.
fn check_modified<R: Real>(context: &Context, [d1, d2, x1, y1]: [f64; 4]) {
    let input = [d1, d2, x1, y1].map(|value| R::from_parts(value, 0.0));
    let [d1, d2, x1, y1] = input.map(Scalar::re);
    let (values, parameters) = make_modified::<R>(context, input);
    let what = format!("{input:?} give {values:?}, {parameters:?} on {:?}", context.device());
    let [e1, e2, z1] = values.map(Scalar::re);
    let [flag, p11, p21, p12, p22] = parameters.map(Scalar::re);
    let [h11, h21, h12, h22] = match flag {
        -1.0 => [p11, p21, p12, p22],
        0.0 => [1.0, p21, p12, 1.0],
        1.0 => [p11, -1.0, 1.0, p22],
        -2.0 => [1.0, 0.0, 0.0, 1.0],
        _ => panic!("{what}: the flag"),
    };
    let implied = [flag == 0.0, flag == 1.0, flag == 1.0, flag == 0.0].map(|implied| implied || flag == -2.0);
    let unchanged = [p11, p21, p12, p22].iter().zip(implied).all(|(value, implied)| !implied || *value == 7.0);
    assert!(unchanged, "{what}: what the flag implies is left alone");
    let eps = 32.0 * R::EPSILON;
    let close = |found: f64, expected: f64, size: f64| is_close(found, expected, eps * size);
    assert!(close(h11 * x1 + h12 * y1, z1, (h11 * x1).abs() + (h12 * y1).abs()), "{what}: x1");
    if flag != -2.0 {
        assert!(close(h21 * x1 + h22 * y1, 0.0, (h21 * x1).abs() + (h22 * y1).abs()), "{what}: 0");
    }
    let squares = |a: f64, b: f64, c: f64, d: f64| (e1 * a * c + e2 * b * d, (e1 * a * c).abs() + (e2 * b * d).abs());
    let (first, size) = squares(h11, h21, h11, h21);
    assert!(close(first, d1, size), "{what}: d1");
    let (second, size) = squares(h12, h22, h12, h22);
    assert!(close(second, d2, size), "{what}: d2");
    let (mixed, size) = squares(h11, h21, h12, h22);
    assert!(close(mixed, 0.0, size), "{what}: the mixed term");
    for d in [e1, e2] {
        let within = d == 0.0 || (d.abs() > 4096_f64.powi(-2) && d.abs() < 4096_f64.powi(2));
        assert!(within || flag == -2.0, "{what}: the weights are kept near 1");
    }
}

fn check_all_modified<R: Real>() {
    // The weights reach over several powers of 4096^2, in both directions.
    let weights = [1.0, 0.3, 5e-8, 6e-17, 2e7, 7e15];
    for context in contexts::<R>() {
        for (d1, d2) in weights.into_iter().flat_map(|d1| weights.map(|d2| (d1, d2))) {
            for (x1, y1) in [(1.0, 2.0), (-3.0, 0.5), (1e4, 1e-3), (0.0, 2.0), (1e-3, -1e4), (5.0, 5.0)] {
                check_modified::<R>(&context, [d1, d2, x1, y1]);
            }
        }
        // A negative second weight that the first one outweighs.
        check_modified::<R>(&context, [4.0, -1.0, 2.0, 1.0]);
        // Nothing to do.
        check_modified::<R>(&context, [4.0, 1.0, 2.0, 0.0]);
        check_modified::<R>(&context, [4.0, 0.0, 2.0, 3.0]);
        // There is no rotation: everything becomes 0.
        for impossible in [[-1.0, 2.0, 1.0, 1.0], [1.0, -2.0, 1.0, 1.0]] {
            let input = impossible.map(|value| R::from_parts(value, 0.0));
            let (values, parameters) = make_modified::<R>(&context, input);
            let minus_one = R::from_parts(-1.0, 0.0);
            assert_eq!((values, parameters), ([R::ZERO; 3], [minus_one, R::ZERO, R::ZERO, R::ZERO, R::ZERO]));
        }
    }
}

mod host {
    use super::*;

    #[test]
    fn signs_and_z_are_those_of_blas() {
        let first = rotg(-4.0_f64, 3.0);
        assert_eq!((first.r, first.c, first.s, first.z), (-5.0, 0.8, -0.6, -0.6));
        let second = rotg(3.0_f64, -4.0);
        assert_eq!((second.r, second.c, second.s, second.z), (-5.0, -0.6, 0.8, 1.0 / -0.6));
        assert_eq!(rotg(0.0_f64, -4.0).z, 1.0);
        assert_eq!((rotg(-4.0_f64, 0.0).r, rotg(-4.0_f64, 0.0).c), (-4.0, 1.0));
        let infinite = rotg(f64::INFINITY, 1.0);
        assert!(infinite.r == f64::INFINITY && rotg(f64::NAN, 1.0).r.is_nan());
        let complex = rotg(Complex64::new(0.0, 3.0), Complex64::new(4.0, 0.0));
        assert_close!(complex.r, Complex64::new(0.0, 5.0), 1e-15);
        assert_close!(complex.c, 0.6, 1e-15);
    }
}

mod device {
    use super::*;

    #[test]
    fn pairs_are_rotated() {
        for_each_type!(check_rot(LENGTHS));
    }

    #[test]
    fn pairs_are_rotated_by_rotm() {
        check_rotm::<f32>(LENGTHS);
        check_rotm::<f64>(LENGTHS);
    }
}

mod device_small {
    use super::*;

    #[test]
    fn pairs_are_rotated() {
        for_each_type!(check_rot(SMALL_LENGTHS));
    }

    #[test]
    fn pairs_are_rotated_by_rotm() {
        check_rotm::<f32>(SMALL_LENGTHS);
        check_rotm::<f64>(SMALL_LENGTHS);
    }

    #[test]
    fn vectors_of_different_lengths_are_not_rotated() {
        for context in contexts::<f32>() {
            let (mut x, mut y) = (context.zeros::<f32>(4).unwrap(), context.zeros::<f32>(5).unwrap());
            let result = route::rot(x.vector_mut().unwrap(), y.vector_mut().unwrap(), 1.0, 0.0);
            assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
            let result = route::rotm(x.vector_mut().unwrap(), y.vector_mut().unwrap(), &[-2.0; 5]);
            assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
            if let Some(queue) = queue_of(&x) {
                let four = context.zeros::<f32>(4).unwrap();
                let mut z = context.zeros::<f32>(4).unwrap();
                let (x, z) = (x.vector_mut().unwrap(), z.vector_mut().unwrap());
                let result = rotm_on(&queue, x, z, four.vector().unwrap());
                assert!(matches!(result, Err(Error::ShapeMismatch(_))), "four parameters: {result:?}");
            }
        }
    }

    #[test]
    fn small_and_large_numbers_are_rotated_to_zero() {
        for_each_type!(check_rotations());
    }

    #[test]
    fn modified_rotations_keep_the_weighted_squares() {
        check_all_modified::<f32>();
        check_all_modified::<f64>();
    }
}
