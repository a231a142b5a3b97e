//! Butterflies: the discrete Fourier transform of a few points in registers.

use affinimath_kernel::{Complex, Expr, Float};

/// The forward transform of `x` in natural order; of a vector type, one in each lane.
///
/// Multiples of 4 are split by 4, other composite lengths by their smallest prime (Cooley and Tukey 1965). The
/// butterfly of a prime p pairs x_j with x_(p-j), whose roots of unity are conjugates.
pub(super) fn butterfly<'k, T: Float>(x: &[Complex<'k, T>]) -> Vec<Complex<'k, T>> {
    match *x {
        [] | [_] => x.to_vec(),
        [a, b] => vec![a + b, a - b],
        [a, b, c, d] => {
            let (even, odd) = ((a + c, a - c), (b + d, b - d));
            let turned = -odd.1.times_i();
            vec![even.0 + odd.0, even.1 + turned, even.0 - odd.0, even.1 - turned]
        }
        _ => match first_factor(x.len()) {
            prime if prime == x.len() => of_prime(x),
            factor => composite(x, factor),
        },
    }
}

fn first_factor(length: usize) -> usize {
    if length.is_multiple_of(4) {
        return 4;
    }
    (2..length).find(|factor| length.is_multiple_of(*factor)).unwrap_or(length)
}

/// Cooley-Tukey with j = second j1 + j2 and k = k1 + first k2.
fn composite<'k, T: Float>(x: &[Complex<'k, T>], first: usize) -> Vec<Complex<'k, T>> {
    let (length, second) = (x.len(), x.len() / first);
    let mut columns: Vec<Vec<_>> = Vec::with_capacity(second);
    for j2 in 0..second {
        let column = butterfly(&x.iter().copied().skip(j2).step_by(second).collect::<Vec<_>>());
        let turned = column.into_iter().enumerate().map(|(k1, y)| y.turn(-((j2 * k1) as i64), length as i64));
        columns.push(turned.collect());
    }
    let mut result = x.to_vec();
    for k1 in 0..first {
        let row: Vec<_> = columns.iter().map(|column| column[k1]).collect();
        for (k2, y) in butterfly(&row).into_iter().enumerate() {
            result[k1 + first * k2] = y;
        }
    }
    result
}

fn of_prime<'k, T: Float>(x: &[Complex<'k, T>]) -> Vec<Complex<'k, T>> {
    let (p, half) = (x.len(), x.len() / 2);
    let sums: Vec<_> = (1..=half).map(|j| x[j] + x[p - j]).collect();
    let differences: Vec<_> = (1..=half).map(|j| x[j] - x[p - j]).collect();
    let mut result = x.to_vec();
    result[0] = sums.iter().fold(x[0], |all, sum| all + *sum);
    for k in 1..=half {
        let root = |j: usize| affinimath_kernel::root_of_unity((j * k) as i64, p as i64);
        let term = |sum: Expr<'k, T>, value: Expr<'k, T>, factor: f64| sum + value * T::real(factor);
        let mut even = x[0];
        let first = differences[0].scale(T::real(root(1).1));
        let mut odd = first;
        for j in 1..=half {
            let ((cosine, sine), sum, difference) = (root(j), sums[j - 1], differences[j - 1]);
            even = Complex::new(term(even.re, sum.re, cosine), term(even.im, sum.im, cosine));
            if j > 1 {
                odd = Complex::new(term(odd.re, difference.re, sine), term(odd.im, difference.im, sine));
            }
        }
        let turned = odd.times_i();
        (result[k], result[p - k]) = (even - turned, even + turned);
    }
    result
}
