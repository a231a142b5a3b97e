//! Butterflies of vectors in registers: one transform in each SIMD lane.

use pulp::Simd;

use super::roots::{ROOTS_3, ROOTS_9, ROOTS_16, of_prime};
use affinimath_core::simd::Parts;
use affinimath_kernel::root_of_unity;

/// The butterflies of one direction.
pub(super) struct Butterflies<S: Simd, T: Parts> {
    simd: S,
    /// Signs of the exchanged parts in the product with -i, or with i for the backward transform.
    turn: T::Vector<S>,
}

impl<S: Simd, T: Parts> Clone for Butterflies<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd, T: Parts> Copy for Butterflies<S, T> {}

impl<S: Simd, T: Parts> Butterflies<S, T> {
    #[inline(always)]
    pub(super) fn new(simd: S, forward: bool) -> Self {
        let sign = if forward { 1.0 } else { -1.0 };
        Butterflies { simd, turn: T::splat(simd, T::of_parts(T::part(sign), T::part(-sign))) }
    }

    #[inline(always)]
    fn add(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::plus(self.simd, a, b)
    }

    #[inline(always)]
    fn sub(self, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::minus(self.simd, a, b)
    }

    /// factor a + b
    #[inline(always)]
    fn add_scaled(self, factor: f64, a: T::Vector<S>, b: T::Vector<S>) -> T::Vector<S> {
        T::add_parts(self.simd, T::splat_part(self.simd, T::part(factor)), a, b)
    }

    #[inline(always)]
    fn scaled(self, factor: f64, a: T::Vector<S>) -> T::Vector<S> {
        T::mul_parts(self.simd, T::splat_part(self.simd, T::part(factor)), a)
    }

    /// (b - i a, b + i a), or for the backward transform (b + i a, b - i a).
    #[inline(always)]
    fn add_sub_i(self, a: T::Vector<S>, b: T::Vector<S>) -> (T::Vector<S>, T::Vector<S>) {
        let a = T::mul_parts(self.simd, T::swap(self.simd, a), self.turn);
        (self.add(b, a), self.sub(b, a))
    }

    /// The product with the root (cos, -sin), or its conjugate for the backward transform.
    #[inline(always)]
    fn rotated(self, (cos, sin): (f64, f64), a: T::Vector<S>) -> T::Vector<S> {
        let sines = T::mul_parts(self.simd, T::splat_part(self.simd, T::part(sin)), self.turn);
        let swapped = T::swap(self.simd, a);
        T::add_parts(self.simd, sines, swapped, self.scaled(cos, a))
    }

    /// Transforms `x` in place. N is one of the radices of [`plan`](super::plan).
    #[inline(always)]
    pub(super) fn transform<const N: usize>(self, x: &mut [T::Vector<S>]) {
        match N {
            6 => self.coprime::<2, 3>(x),
            8 => self.eight(x),
            9 => self.nine(x),
            10 => self.coprime::<2, 5>(x),
            11 => self.prime::<11, 5>(x),
            12 => self.coprime::<4, 3>(x),
            13 => self.prime::<13, 6>(x),
            14 => self.coprime::<2, 7>(x),
            15 => self.coprime::<3, 5>(x),
            16 => self.sixteen(x),
            20 => self.coprime::<4, 5>(x),
            _ => self.short::<N>(x),
        }
    }

    /// The butterflies of the shortest lengths.
    #[inline(always)]
    fn short<const N: usize>(self, x: &mut [T::Vector<S>]) {
        match N {
            2 => self.two(x),
            3 => self.three(x),
            4 => self.four(x),
            5 => self.prime::<5, 2>(x),
            _ => self.prime::<7, 3>(x),
        }
    }

    #[inline(always)]
    fn two(self, x: &mut [T::Vector<S>]) {
        (x[0], x[1]) = (self.add(x[0], x[1]), self.sub(x[0], x[1]));
    }

    #[inline(always)]
    fn three(self, x: &mut [T::Vector<S>]) {
        let sum = self.add(x[1], x[2]);
        let scaled = self.scaled(ROOTS_3[1].1, self.sub(x[1], x[2]));
        let even = self.add_scaled(-0.5, sum, x[0]);
        x[0] = self.add(x[0], sum);
        (x[1], x[2]) = self.add_sub_i(scaled, even);
    }

    #[inline(always)]
    fn four(self, x: &mut [T::Vector<S>]) {
        let (even, odd) = ((self.add(x[0], x[2]), self.sub(x[0], x[2])), (self.add(x[1], x[3]), self.sub(x[1], x[3])));
        (x[0], x[2]) = (self.add(even.0, odd.0), self.sub(even.0, odd.0));
        (x[1], x[3]) = self.add_sub_i(odd.1, even.1);
    }

    /// Split into even and odd points: odd results are multiplied by w, -i and -i w, with w = (1 - i) / sqrt 2.
    #[inline(always)]
    fn eight(self, x: &mut [T::Vector<S>]) {
        const COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;
        let (mut even, mut odd) = ([x[0], x[2], x[4], x[6]], [x[1], x[3], x[5], x[7]]);
        self.four(&mut even);
        self.four(&mut odd);
        // (1 - i) o1, and (1 + i) o3.
        let (first, third) = (self.add_sub_i(odd[1], odd[1]).0, self.add_sub_i(odd[3], odd[3]).1);
        (x[0], x[4]) = (self.add(even[0], odd[0]), self.sub(even[0], odd[0]));
        (x[1], x[5]) = (self.add_scaled(COSINE, first, even[1]), self.add_scaled(-COSINE, first, even[1]));
        (x[2], x[6]) = self.add_sub_i(odd[2], even[2]);
        (x[3], x[7]) = (self.add_scaled(-COSINE, third, even[3]), self.add_scaled(COSINE, third, even[3]));
    }

    #[inline(always)]
    fn nine(self, x: &mut [T::Vector<S>]) {
        let mut columns = [[x[0], x[3], x[6]], [x[1], x[4], x[7]], [x[2], x[5], x[8]]];
        self.three(&mut columns[0]);
        self.three(&mut columns[1]);
        self.three(&mut columns[2]);
        for k in 0..3 {
            let mut row = [columns[0][k], columns[1][k], columns[2][k]];
            if k > 0 {
                row[1] = self.rotated(ROOTS_9[k], row[1]);
                row[2] = self.rotated(ROOTS_9[2 * k], row[2]);
            }
            self.three(&mut row);
            (x[k], x[k + 3], x[k + 6]) = (row[0], row[1], row[2]);
        }
    }

    #[inline(always)]
    fn sixteen(self, x: &mut [T::Vector<S>]) {
        let column = |j: usize| [x[j], x[j + 4], x[j + 8], x[j + 12]];
        let mut columns = [column(0), column(1), column(2), column(3)];
        self.four(&mut columns[0]);
        self.four(&mut columns[1]);
        self.four(&mut columns[2]);
        self.four(&mut columns[3]);
        for k in 0..4 {
            let mut row = [columns[0][k], columns[1][k], columns[2][k], columns[3][k]];
            if k > 0 {
                row[1] = self.rotated(ROOTS_16[k], row[1]);
                row[2] = self.rotated(ROOTS_16[2 * k], row[2]);
                row[3] = self.rotated(ROOTS_16[3 * k], row[3]);
            }
            self.four(&mut row);
            (x[k], x[k + 4], x[k + 8], x[k + 12]) = (row[0], row[1], row[2], row[3]);
        }
    }

    /// The prime-factor algorithm for coprime A and B, without twiddles (Good 1958, Thomas 1963).
    #[inline(always)]
    fn coprime<const A: usize, const B: usize>(self, x: &mut [T::Vector<S>]) {
        let n = A * B;
        let (of_a, of_b) = const { idempotents(A, B) };
        let mut rows = [[x[0]; B]; A];
        for (j1, row) in rows.iter_mut().enumerate() {
            for (j2, value) in row.iter_mut().enumerate() {
                *value = x[(B * j1 + A * j2) % n];
            }
            self.short::<B>(row);
        }
        for k2 in 0..B {
            let mut column = [x[0]; A];
            for (value, row) in column.iter_mut().zip(&rows) {
                *value = row[k2];
            }
            self.short::<A>(&mut column);
            for (k1, value) in column.into_iter().enumerate() {
                x[(of_a * k1 + of_b * k2) % n] = value;
            }
        }
    }

    /// An odd prime P = 2 H + 1: pairs x_j with x_(P-j), whose roots are conjugates.
    #[inline(always)]
    fn prime<const P: usize, const H: usize>(self, x: &mut [T::Vector<S>]) {
        let roots = of_prime(P);
        let (mut sums, mut differences) = ([x[0]; H], [x[0]; H]);
        let mut all = x[0];
        for j in 0..H {
            sums[j] = self.add(x[j + 1], x[P - 1 - j]);
            differences[j] = self.sub(x[j + 1], x[P - 1 - j]);
            all = self.add(all, sums[j]);
        }
        let first = x[0];
        x[0] = all;
        for k in 1..=H {
            let mut even = first;
            let mut odd = self.scaled(roots[k].1, differences[0]);
            for j in 0..H {
                let root = roots[(j + 1) * k % P];
                even = self.add_scaled(root.0, sums[j], even);
                if j > 0 {
                    odd = self.add_scaled(root.1, differences[j], odd);
                }
            }
            (x[k], x[P - k]) = self.add_sub_i(odd, even);
        }
    }

    /// The direct sum for any odd prime, with roots from [`matrix`]. `results` is as long as `x`.
    #[inline(always)]
    pub(super) fn direct(self, x: &mut [T::Vector<S>], results: &mut [T::Vector<S>], matrix: &[T]) {
        let (prime, half) = (x.len(), x.len() / 2);
        let mut all = x[0];
        for j in 1..=half {
            (x[j], x[prime - j]) = (self.add(x[j], x[prime - j]), self.sub(x[j], x[prime - j]));
            all = self.add(all, x[j]);
        }
        for (block, roots) in matrix.chunks_exact(ROWS * half).enumerate() {
            let (mut even, mut odd) = ([x[0]; ROWS], [T::zero(self.simd); ROWS]);
            for (j, roots) in roots.chunks_exact(ROWS).enumerate() {
                let (sum, difference) = (x[j + 1], x[prime - 1 - j]);
                for row in 0..ROWS {
                    let (cos, sin) = roots[row].parts();
                    even[row] = T::add_parts(self.simd, T::splat_part(self.simd, cos), sum, even[row]);
                    odd[row] = T::add_parts(self.simd, T::splat_part(self.simd, sin), difference, odd[row]);
                }
            }
            for row in 0..ROWS.min(half - ROWS * block) {
                let k = ROWS * block + row + 1;
                (results[k], results[prime - k]) = self.add_sub_i(odd[row], even[row]);
            }
        }
        results[0] = all;
        x.copy_from_slice(&results[..prime]);
    }
}

/// Results that [`Butterflies::direct`] accumulates at once.
const ROWS: usize = 4;

/// Cosines and sines of the roots of a prime, in the order of [`Butterflies::direct`].
pub(super) fn matrix<T: Parts>(prime: usize) -> Vec<T> {
    let half = prime / 2;
    let number = |(block, j, row): (usize, usize, usize)| {
        let (cos, sin) = root_of_unity(((ROWS * block + row + 1) * j) as i64, prime as i64);
        T::of_parts(T::part(cos), T::part(sin))
    };
    let row = |(block, j)| (0..ROWS).map(move |row| (block, j, row));
    (0..half.div_ceil(ROWS)).flat_map(|block| (1..=half).map(move |j| (block, j))).flat_map(row).map(number).collect()
}

/// The idempotents modulo a b: 1 modulo a and 0 modulo b, and the reverse.
const fn idempotents(a: usize, b: usize) -> (usize, usize) {
    let (mut of_a, mut of_b) = (b, a);
    while of_a % a != 1 {
        of_a += b;
    }
    while of_b % b != 1 {
        of_b += a;
    }
    (of_a, of_b)
}
