//! Small calls against the same calls the general way: the same status, results within the error bound, and nothing
//! else is written.
//!
//! Each call is made three times on copies of its operands: by `run_small`, by `host_boundary` like the C functions,
//! and by `run` on the host. Memory that a call must not read holds NaN.

mod lapack;
mod level1;
mod level2;
mod level3;

use std::fmt::Debug;

use affinimath::{Layout, Op, Scalar, Side, Triangle, route};

use crate::boundary::{boundary, host_boundary};
use crate::form::{Host, HostLocation, Run};
use affinimath_testing::is_close;

/// Sizes on both sides of the switches between kernels, and of the largest small triangle.
const SIZES: [usize; 11] = [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33];

/// Sizes up to which every routine with a `run_small` runs it.
const MAX_SMALL: usize = 32;

/// Elements of one array beyond those of its rows or columns.
const PADDING: usize = 3;

/// The operands of a call.
#[derive(Clone)]
struct Memory<T, const N: usize> {
    arrays: [Vec<T>; N],
    integers: Vec<i64>,
}

/// Pointers to the operands.
struct Locations<T, const N: usize> {
    arrays: [HostLocation<T>; N],
    integers: *mut i64,
}

impl<T: Scalar, const N: usize> Memory<T, N> {
    const fn new(arrays: [Vec<T>; N]) -> Self {
        Memory { arrays, integers: Vec::new() }
    }

    fn locations(&mut self) -> Locations<T, N> {
        let arrays = self.arrays.each_mut().map(|array| HostLocation(array.as_mut_ptr()));
        Locations { arrays, integers: self.integers.as_mut_ptr() }
    }

    /// True if all bits are the same.
    fn is(&self, other: &Self) -> bool {
        let bits = |x: &T| [x.re().to_bits(), x.im().to_bits()];
        let same = |(x, y): (&Vec<T>, &Vec<T>)| x.iter().map(bits).eq(y.iter().map(bits));
        self.integers == other.integers && self.arrays.iter().zip(&other.arrays).all(same)
    }

    /// Checks elements against those of the general way; a NaN among the latter marks an element that the call must not
    /// write.
    fn check(&self, long: &Self, bound: f64, what: &dyn Debug) {
        assert_eq!(self.integers, long.integers, "{what:?}");
        for (array, (short, long)) in self.arrays.iter().zip(&long.arrays).enumerate() {
            for (i, (x, y)) in short.iter().zip(long).enumerate() {
                for (x, y) in [(x.re(), y.re()), (x.im(), y.im())] {
                    let is_right = if y.is_nan() { x.is_nan() } else { is_close(x, y, bound) };
                    assert!(is_right, "{what:?}: element {i} of array {array} is {x}, the long way {y}");
                }
            }
        }
    }
}

/// Twice the error bound of sums of `terms` products whose factors are at most 2 in modulus.
///
/// Higham, (3.5): the computed sum is off by at most gamma(terms) times the sum of moduli, here 4 terms. The products
/// with alpha and beta add two terms, and a complex product counts as two operations. Systems with the diagonally
/// dominant triangles of these tests have a condition number below 8 (Higham, theorem 8.5).
fn bound<T: Scalar>(terms: usize) -> f64 {
    let terms = (terms + 2) as f64;
    2.0 * 8.0 * terms * 2.0 * terms * T::EPSILON
}

/// Makes a call in its three ways; `run_small` must accept it if `is_small`.
fn compare<T: Scalar, C: Run<Host>, const N: usize>(
    what: &dyn Debug,
    is_small: bool,
    terms: usize,
    memory: &Memory<T, N>,
    call: impl Fn(Locations<T, N>) -> C,
) {
    let (mut short, mut native, mut long) = (memory.clone(), memory.clone(), memory.clone());
    route::initialize().expect("the settings are understood");
    // SAFETY: each test makes arrays of the sizes that its call names, here and in the next two calls.
    let done = unsafe { call(short.locations()).run_small() };
    // SAFETY: as above.
    let status = unsafe { host_boundary("call", &[], &call(native.locations())) };
    let the_long_way = call(long.locations());
    // SAFETY: as above.
    let expected = boundary("call", &[], || route::on_host(|| unsafe { the_long_way.run(Host) }));
    assert_eq!(status, expected, "{what:?}");
    native.check(&long, bound::<T>(terms), what);
    assert!(done || !is_small, "{what:?} is small");
    if done {
        assert_eq!(expected, 0, "{what:?}");
        short.check(&long, bound::<T>(terms), what);
    } else {
        assert!(short.is(memory), "{what:?} takes the long way, and is touched before");
    }
}

/// Checks that a call is refused because of the argument named.
fn refuse<C: Run<Host>>(name: &str, call: &C) {
    // SAFETY: each test makes arrays of the sizes that its call names.
    unsafe {
        assert!(!call.run_small(), "{name}");
        assert_eq!(host_boundary("call", &["another", name], call), -2, "{name}");
    }
}

/// Checks that a call is refused, and touches nothing, where one of its arguments has a wrong value.
macro_rules! refused {
    ($memory:expr, $call:expr; $($field:ident = $value:expr),+ $(,)?) => {$({
        let mut memory = $memory.clone();
        let mut call = $call(memory.locations());
        call.$field = $value;
        $crate::tests::host::refuse(stringify!($field), &call);
        assert!(memory.is(&$memory), "{} is wrong, and something was touched", stringify!($field));
    })+};
}
use refused;

/// Runs a test for all four types.
macro_rules! for_all_types {
    ($($test:ident: $function:ident;)+) => {$(
        #[test]
        fn $test() {
            $function::<f32>();
            $function::<f64>();
            $function::<affinimath::Complex32>();
            $function::<affinimath::Complex64>();
        }
    )+};
}
use for_all_types;

/// A code that no option has.
const NO_CODE: i32 = 1;

const fn null<T>() -> HostLocation<T> {
    HostLocation(std::ptr::null_mut())
}

fn nan<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// An arbitrary number, of modulus less than 1, that all types hold.
fn number<T: Scalar>(seed: usize) -> T {
    let part = |factor: usize, period: usize| ((seed + 1) * factor % period) as f64 / 128.0 - 0.375;
    T::from_parts(part(7919, 97), part(104_729, 89))
}

/// Element (i, j) of a matrix that is far from singular, and that its diagonal dominates.
fn dominant<T: Scalar>(n: usize, i: usize, j: usize) -> T {
    if i == j { T::from_parts(1.5, 0.25) } else { number::<T>(i * 37 + j) * T::from_parts(0.5 / n as f64, 0.0) }
}

/// Factors alpha and beta: with alpha = 0 only C is read, with beta = 0 it is not.
fn factors<T: Scalar>() -> [[T; 2]; 5] {
    let (alpha, beta) = (T::from_parts(0.75, -0.5), T::from_parts(-0.5, 0.25));
    [[alpha, beta], [alpha, T::ZERO], [alpha, T::ONE], [T::ZERO, beta], [T::ZERO, T::ONE]]
}

/// A matrix as it is stored, and its leading dimension: NaN where `value` gives it, and between its columns or rows.
fn matrix<T: Scalar>(layout: Layout, [m, n]: [usize; 2], value: impl Fn(usize, usize) -> T) -> (Vec<T>, i64) {
    let (adjacent, apart) = if layout == Layout::ColumnMajor { (m, n) } else { (n, m) };
    let step = adjacent + PADDING;
    let mut array = vec![nan(); step * apart.max(1)];
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        array[if layout == Layout::ColumnMajor { i + j * step } else { i * step + j }] = value(i, j);
    }
    (array, step as i64)
}

/// A stored matrix of arbitrary elements, or of NaN if the call does not read it.
fn general<T: Scalar>(layout: Layout, sizes: [usize; 2], is_read: bool, seed: usize) -> (Vec<T>, i64) {
    matrix(layout, sizes, |i, j| if is_read { number(seed + i * 41 + j) } else { nan() })
}

/// True if an element is in a triangle, its diagonal included.
fn is_in(triangle: Triangle, i: usize, j: usize) -> bool {
    if triangle == Triangle::Lower { i >= j } else { i <= j }
}

/// An element of a symmetric matrix with NaN outside the triangle that is read. A Hermitian one's diagonal has
/// imaginary parts that are not read.
fn symmetric<T: Scalar>(triangle: Triangle, hermitian: bool, i: usize, j: usize) -> T {
    let value: T = number(i * 43 + j);
    match () {
        () if !is_in(triangle, i, j) => nan(),
        () if hermitian && i == j => T::from_parts(value.re(), f64::NAN),
        () => value,
    }
}

/// An element of a triangular matrix, with NaN on a unit diagonal, which is not read.
fn triangular<T: Scalar>(triangle: Triangle, unit: bool, n: usize, i: usize, j: usize) -> T {
    if !is_in(triangle, i, j) || (unit && i == j) { nan() } else { dominant(n, i, j) }
}

/// A vector with NaN between its elements.
fn vector<T: Scalar>(n: usize, increment: i64, is_read: bool, seed: usize) -> Vec<T> {
    let step = increment.unsigned_abs() as usize;
    let value = |i: usize| if is_read && i.is_multiple_of(step) { number(seed + i) } else { nan() };
    (0..n * step + PADDING).map(|i| if i < n * step { value(i) } else { nan() }).collect()
}

/// The sizes of a matrix whose op has the given ones.
const fn stored(op: Op, [m, n]: [usize; 2]) -> [usize; 2] {
    if op.transposes() { [n, m] } else { [m, n] }
}

/// All combinations of two options.
fn pairs<A: Copy + 'static, B: Copy + 'static>(a: &'static [A], b: &'static [B]) -> impl Iterator<Item = (A, B)> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (*a, *b)))
}

/// The order of the matrix that stands on one side of an m x n matrix.
fn order(side: Side, [m, n]: [usize; 2]) -> usize {
    if side == Side::Left { m } else { n }
}
