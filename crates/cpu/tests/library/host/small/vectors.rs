use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::vectors::{
    StridedVector, asum, for_each, for_each_from, for_each_pair, index, nrm2, strided_dot,
};
use affinimath_testing::{assert_close, for_each_type};

const LENGTHS: [usize; 12] = [1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 700];
const INCREMENTS: [i64; 4] = [1, -1, 3, -2];

fn value_of<T: Scalar>(i: usize) -> T {
    T::from_parts((i * 7 % 19) as f64 - 9.0, (i * 5 % 11) as f64 - 4.0)
}

/// A vector in memory whose other elements are NaN.
struct Memory<T> {
    memory: Vec<T>,
    n: usize,
    increment: i64,
}

impl<T: Scalar> Memory<T> {
    fn new(n: usize, increment: i64, seed: usize) -> Self {
        let not_a_number = T::from_parts(f64::NAN, f64::NAN);
        let mut memory = Memory { memory: vec![not_a_number; n * increment.unsigned_abs() as usize + 1], n, increment };
        (0..n).for_each(|i| *memory.at(i) = value_of(i + seed));
        memory
    }

    fn at(&mut self, i: usize) -> &mut T {
        let i = if self.increment < 0 { self.n - 1 - i } else { i };
        &mut self.memory[i * self.increment.unsigned_abs() as usize]
    }

    fn elements(&mut self) -> Vec<T> {
        (0..self.n).map(|i| *self.at(i)).collect()
    }

    fn view(&mut self) -> StridedVector<T> {
        StridedVector::new(self.n, self.memory.as_mut_ptr(), self.increment)
    }
}

fn for_each_pair_of_vectors(f: impl Fn(usize, i64, i64)) {
    for n in LENGTHS {
        for incx in INCREMENTS {
            INCREMENTS.iter().for_each(|incy| f(n, incx, *incy));
        }
    }
}

fn check_pairs<T: Scalar>() {
    let alpha = T::from_parts(2.0, -1.0);
    for_each_pair_of_vectors(|n, incx, incy| {
        let (mut x, mut y) = (Memory::<T>::new(n, incx, 1), Memory::<T>::new(n, incy, 4));
        let (of_x, of_y) = (x.elements(), y.elements());
        let (mut sums, mut dot) = (Vec::new(), [T::ZERO; 2]);
        for (x, y) in of_x.iter().zip(&of_y) {
            sums.push(alpha * *x + *y);
            dot[0] += *x * *y;
            dot[1] += x.conjugate() * *y;
        }
        // SAFETY: the vectors lie in their memory.
        unsafe {
            assert_eq!(strided_dot(false, n, x.view(), y.view()), dot[0]);
            assert_eq!(strided_dot(true, n, x.view(), y.view()), dot[1]);
            for_each_from(n, x.view(), y.view(), |x, y| *y += alpha * x);
            assert_eq!(y.elements(), sums, "{n}, {incx}, {incy}");
            for_each_pair(n, x.view(), y.view(), std::mem::swap);
        }
        assert_eq!((x.elements(), y.elements()), (sums, of_x), "{n}, {incx}, {incy}");
    });
}

#[test]
fn pairs_are_those_that_blas_names() {
    instruction_sets::for_each(|| {
        for_each_type!(check_pairs());
    });
}

fn check_one<T: Scalar>() {
    for (n, increment) in LENGTHS.into_iter().flat_map(|n| INCREMENTS.map(|increment| (n, increment))) {
        let mut x = Memory::<T>::new(n, increment, 3);
        let elements = x.elements();
        let sizes: Vec<f64> = elements.iter().map(|x| x.re().abs() + x.im().abs()).collect();
        let squares: f64 = elements.iter().map(|x| x.re() * x.re() + x.im() * x.im()).sum();
        let (largest, smallest) = sizes.iter().fold((0.0_f64, f64::MAX), |(a, b), x| (a.max(*x), b.min(*x)));
        let first = |size: f64| sizes.iter().position(|x| *x == size).unwrap();
        // SAFETY: the vector lies in its memory.
        unsafe {
            assert_eq!(asum(n, x.view()).re(), sizes.iter().sum::<f64>());
            // The sum of squares is exact; its root is rounded once, and once more to the type.
            assert_eq!(nrm2(n, x.view()), T::RealScalar::from_parts(squares.sqrt(), 0.0));
            assert_eq!(index(false, n, x.view()), first(largest), "{n}, {increment}");
            assert_eq!(index(true, n, x.view()), first(smallest), "{n}, {increment}");
            for_each(n, x.view(), |x| *x = T::from_parts(2.0, 1.0) * *x);
        }
        assert_eq!(x.elements(), elements.iter().map(|x| T::from_parts(2.0, 1.0) * *x).collect::<Vec<_>>());
    }
}

#[test]
fn reductions_are_those_of_the_definition() {
    instruction_sets::for_each(|| {
        for_each_type!(check_one());
    });
}

#[test]
fn a_norm_neither_overflows_nor_underflows() {
    instruction_sets::for_each(|| {
        for (n, increment) in [(3, 1), (40, 1), (5, 2), (40, -3)] {
            for scale in [1e-300_f64, 1e300, 5e-324, f64::MAX / 8.0] {
                let mut x = Memory::<f64>::new(n, increment, 0);
                (0..n).for_each(|i| *x.at(i) = scale);
                // SAFETY: the vector lies in its memory.
                let norm = unsafe { nrm2(n, x.view()) };
                let expected = scale * (n as f64).sqrt();
                // The root of a sum of n squares, each step of which rounds once; a subnormal result rounds to 5e-324.
                let bound = (n as f64 + 4.0) * f64::EPSILON * expected + f64::from_bits(1);
                assert_close!(norm, expected, bound, "{n}, {increment}, {scale}");
            }
            let mut x = Memory::<f32>::new(n, increment, 0);
            (0..n).for_each(|i| *x.at(i) = 1e30);
            // SAFETY: as above.
            let norm = f64::from(unsafe { nrm2(n, x.view()) });
            let expected = f64::from(1e30_f32) * (n as f64).sqrt();
            assert_close!(norm, expected, f64::from(f32::EPSILON) * expected);
            // SAFETY: as above.
            assert_eq!(unsafe { nrm2(n, Memory::<f64>::filled(n, increment, 0.0).view()) }, 0.0);
            // SAFETY: as above.
            assert!(unsafe { nrm2(n, Memory::<f64>::filled(n, increment, f64::NAN).view()) }.is_nan());
            // SAFETY: as above.
            let infinite = unsafe { nrm2(n, Memory::<f64>::filled(n, increment, f64::NEG_INFINITY).view()) };
            assert_eq!(infinite, f64::INFINITY);
        }
    });
}

impl<T: Scalar> Memory<T> {
    fn filled(n: usize, increment: i64, value: T) -> Self {
        let mut filled = Self::new(n, increment, 0);
        (0..n).for_each(|i| *filled.at(i) = value);
        filled
    }
}

#[test]
fn a_nan_is_the_largest_in_the_first_place_only() {
    instruction_sets::for_each(|| {
        for n in [3, 20, 600] {
            for increment in [1, -2] {
                for position in [0, 1, n - 1] {
                    let mut x = Memory::<f64>::filled(n, increment, 1.0);
                    *x.at(n / 2) = -2.0;
                    *x.at(position) = f64::NAN;
                    let expected = if position == 0 || position == n / 2 { 0 } else { n / 2 };
                    // SAFETY: the vector lies in its memory.
                    assert_eq!(unsafe { index(false, n, x.view()) }, expected, "{n}, {increment}, {position}");
                }
            }
        }
    });
}
