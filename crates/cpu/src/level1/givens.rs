//! Givens rotations rotg and rotmg of values on the host.

use affinimath_macros::instances;

use super::squares::power_of_two;
use affinimath_core::scalar::{Real, Scalar};

/// A Givens rotation that takes (a, b) to (r, 0): c a + s b = r and c b - conj(s) a = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Givens<T: Scalar> {
    /// The value that replaces a.
    pub r: T,
    /// The value that replaces b: for the real types an encoding of c and s (s if |a| > |b|, else 1/c, or 1 if c is 0),
    /// for the complex ones b itself.
    pub z: T,
    /// The cosine.
    pub c: T::RealScalar,
    /// The sine.
    pub s: T,
}

/// Givens rotation that takes (a, b) to (r, 0) (BLAS: SROTG, DROTG, CROTG, ZROTG).
///
/// For the real types r has the sign of a or b, whichever is larger in modulus; for the complex ones it has the
/// argument of a, or is |b| if a is 0. If b is 0, c is 1 and s is 0. Nothing overflows or underflows except a result
/// that is not representable (Anderson, Algorithm 978, 2017).
///
/// # Example
/// ```
/// let rotation = affinimath::rotg(3.0_f64, 4.0);
/// assert_eq!((rotation.r, rotation.c, rotation.s), (5.0, 0.6, 0.8));
/// ```
#[instances]
pub fn rotg<T: Scalar>(a: T, b: T) -> Givens<T> {
    if T::KIND.is_complex() { complex_rotg(a, b) } else { real_rotg(a, b) }
}

fn real_rotg<T: Scalar>(a: T, b: T) -> Givens<T> {
    let (f, g) = (a.re(), b.re());
    let number = |value| T::from_parts(value, 0.0);
    let real = |value| T::RealScalar::from_parts(value, 0.0);
    if g == 0.0 {
        return Givens { r: a, z: T::ZERO, c: real(1.0), s: T::ZERO };
    }
    if f == 0.0 {
        return Givens { r: b, z: T::ONE, c: real(0.0), s: T::ONE };
    }
    // Powers of two bring both near 1 exactly.
    let first_is_larger = f.abs() > g.abs();
    let common = exponent(f.abs().max(g.abs()));
    let (u, v) = (times_power(f, -common), times_power(g, -common));
    let h = (u * u + v * v).sqrt().copysign(if first_is_larger { f } else { g });
    let (c, s) = (real(u / h), number(v / h));
    let z = if first_is_larger {
        s
    } else if c != T::RealScalar::ZERO {
        number(1.0 / c.re())
    } else {
        T::ONE
    };
    Givens { r: number(times_power(h, common)), z, c, s }
}

/// c = |a|/h, s = (a/|a|) conj(b)/h, r = (a/|a|) h, with h = sqrt(|a|^2 + |b|^2).
fn complex_rotg<T: Scalar>(a: T, b: T) -> Givens<T> {
    let real = |value| T::RealScalar::from_parts(value, 0.0);
    if b == T::ZERO {
        return Givens { r: a, z: b, c: real(1.0), s: T::ZERO };
    }
    let (first, second) = (Scaled::new(a), Scaled::new(b));
    let [g_re, g_im] = second.near_one;
    if a == T::ZERO {
        let r = T::from_parts(times_power(second.modulus, second.exponent), 0.0);
        return Givens { r, z: b, c: real(0.0), s: T::from_parts(g_re / second.modulus, -g_im / second.modulus) };
    }
    let common = first.exponent.max(second.exponent);
    let (u, v) =
        (times_power(first.modulus, first.exponent - common), times_power(second.modulus, second.exponent - common));
    let h = (u * u + v * v).sqrt();
    let [p_re, p_im] = first.near_one.map(|part| part / first.modulus);
    let s = [(p_re * g_re + p_im * g_im) / h, (p_im * g_re - p_re * g_im) / h];
    let [s_re, s_im] = s.map(|part| times_power(part, second.exponent - common));
    let [r_re, r_im] = [p_re, p_im].map(|part| times_power(part * h, common));
    let c = times_power(first.modulus / h, first.exponent - common);
    Givens { r: T::from_parts(r_re, r_im), z: b, c: real(c), s: T::from_parts(s_re, s_im) }
}

/// A complex value near_one * 2^exponent, and the modulus of near_one.
struct Scaled {
    near_one: [f64; 2],
    modulus: f64,
    exponent: i32,
}

impl Scaled {
    fn new<T: Scalar>(v: T) -> Self {
        let exponent = exponent(v.re().abs().max(v.im().abs()));
        let near_one = [v.re(), v.im()].map(|part| times_power(part, -exponent));
        Scaled { near_one, modulus: (near_one[0] * near_one[0] + near_one[1] * near_one[1]).sqrt(), exponent }
    }
}

/// Binary exponent of a finite value other than 0; 0 for others, which need no scaling.
fn exponent(v: f64) -> i32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    let field = |v: f64| (v.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    // A subnormal value has no exponent of its own.
    if v.is_normal() { field(v) } else { field(v * power_of_two(54)) - 54 }
}

/// v * 2^k, rounded once unless it is subnormal.
fn times_power(v: f64, k: i32) -> f64 {
    let mut rest = k.clamp(-2200, 2200);
    let mut scaled = v;
    while rest != 0 {
        let step = rest.clamp(-1000, 1000);
        scaled *= power_of_two(step);
        rest -= step;
    }
    scaled
}

/// A modified Givens rotation, and the rotated vector and weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModifiedGivens<T> {
    /// The first weight after it.
    pub d1: T,
    /// The second weight after it.
    pub d2: T,
    /// First element of the rotated vector; the second one is 0.
    pub x1: T,
    /// rotm's parameters: a flag, then h11, h21, h12, h22. Those that the flag implies are `None`, and BLAS does not
    /// write them.
    pub parameters: [Option<T>; 5],
}

/// Modified Givens rotation H that takes (x1, y1) to (x1', 0), with weights d1 and d2 of the squares: it rotates
/// (sqrt(d1) x1, sqrt(d2) y1) (BLAS: SROTMG, DROTMG). The weights stay between 4096^-2 and 4096^2 in modulus.
///
/// With d1 < 0 there is no such rotation, and H, the weights and x1 become 0. With d2 y1 = 0 nothing is done, and the
/// flag is -2.
///
/// # Example
/// ```
/// // Equal weights: h12 = d2 y1 / (d1 x1) and h21 = -y1 / x1.
/// let rotation = affinimath::rotmg(1.0_f64, 1.0, 2.0, 1.0);
/// assert_eq!(rotation.parameters, [Some(0.0), None, Some(-0.5), Some(0.5), None]);
/// assert_eq!((rotation.d1, rotation.x1), (0.8, 2.5));
/// ```
#[instances]
pub fn rotmg<T: Real>(d1: T, d2: T, x1: T, y1: T) -> ModifiedGivens<T> {
    let (p1, p2) = (d1 * x1, d2 * y1);
    let (q1, q2) = (p1 * x1, p2 * y1);
    // Comparisons with NaN are false, so that NaN propagates instead of becoming 0.
    let (negative, q2_negative) = (d1 < T::ZERO, q2 < T::ZERO);
    if !negative && p2 == T::ZERO {
        return ModifiedGivens { d1, d2, x1, parameters: [Some(number(-2.0)), None, None, None, None] };
    }
    let computed = if negative {
        None
    } else if q1.sum_of_moduli() > q2.sum_of_moduli() {
        let (h21, h12) = (-y1 / x1, p2 / p1);
        let u = T::ONE - h12 * h21;
        let h = Matrix { flag: Flag::UnitDiagonal, h11: T::ONE, h21, h12, h22: T::ONE };
        (u > T::ZERO).then(|| (d1 / u, d2 / u, x1 * u, h))
    } else {
        let (h11, h22) = (p1 / p2, x1 / y1);
        let u = T::ONE + h11 * h22;
        let h = Matrix { flag: Flag::UnitAntidiagonal, h11, h21: -T::ONE, h12: T::ONE, h22 };
        (!q2_negative).then(|| (d2 / u, d1 / u, y1 * u, h))
    };
    let Some((mut d1, mut d2, mut x1, mut h)) = computed else {
        let parameters = [-1.0, 0.0, 0.0, 0.0, 0.0].map(|value| Some(number(value)));
        return ModifiedGivens { d1: T::ZERO, d2: T::ZERO, x1: T::ZERO, parameters };
    };
    for step in rescaling(&mut d1) {
        h.flag = Flag::Full;
        [h.h11, h.h12, x1] = [h.h11 * step, h.h12 * step, x1 * step];
    }
    for step in rescaling(&mut d2) {
        h.flag = Flag::Full;
        [h.h21, h.h22] = [h.h21 * step, h.h22 * step];
    }
    ModifiedGivens { d1, d2, x1, parameters: h.parameters() }
}

fn number<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}

/// Elements of H that are given; the others are 1, or -1 for h21.
#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Full,
    UnitDiagonal,
    UnitAntidiagonal,
}

struct Matrix<T> {
    flag: Flag,
    h11: T,
    h21: T,
    h12: T,
    h22: T,
}

impl<T: Scalar> Matrix<T> {
    fn parameters(&self) -> [Option<T>; 5] {
        let [h11, h21, h12, h22] = [self.h11, self.h21, self.h12, self.h22].map(Some);
        match self.flag {
            Flag::Full => [Some(number(-1.0)), h11, h21, h12, h22],
            Flag::UnitDiagonal => [Some(number(0.0)), None, h21, h12, None],
            Flag::UnitAntidiagonal => [Some(number(1.0)), h11, None, None, h22],
        }
    }
}

/// Brings |d| between 4096^-2 and 4096^2 by powers of 4096^2. Each step is a factor of H's row.
fn rescaling<T: Real>(d: &mut T) -> Vec<T> {
    const GAMMA: f64 = 4096.0;
    let mut steps = Vec::new();
    while *d != T::ZERO && d.finite() {
        let size = d.sum_of_moduli().re();
        let step = match size {
            _ if size <= 1.0 / (GAMMA * GAMMA) => 1.0 / GAMMA,
            _ if size >= GAMMA * GAMMA => GAMMA,
            _ => break,
        };
        *d *= number::<T>(1.0 / (step * step));
        steps.push(number(step));
    }
    steps
}

/// rotm's matrix (h11, h12, h21, h22) from its five parameters; `None` for the identity. Only the flag's sign counts,
/// like in the reference: below 0 all four are given, 0 implies a diagonal of (1, 1), above 0 implies h12 = 1 and h21 =
/// -1.
#[inline]
pub fn rotm_factors<T: Real>(parameters: &[T; 5]) -> Option<[T; 4]> {
    let [flag, h11, h21, h12, h22] = *parameters;
    if flag == number(-2.0) {
        return None;
    }
    Some(if flag < T::ZERO {
        [h11, h12, h21, h22]
    } else if flag == T::ZERO {
        [T::ONE, h12, h21, T::ONE]
    } else {
        [h11, T::ONE, -T::ONE, h22]
    })
}
