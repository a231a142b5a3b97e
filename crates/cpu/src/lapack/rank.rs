//! The rank of an upper triangle with a graded diagonal, by incremental condition estimation (C. Bischof,
//! *Incremental condition estimation*, SIAM J. Matrix Anal. Appl. 11, 1990; LAPACK's xLAIC1).

use faer::MatRef;

use affinimath_core::scalar::{Complex64, Scalar};

/// Order of the largest leading triangle whose estimated 2-norm condition is at most 1 / `rcond` (LAPACK: xGELSY's
/// rank). 0 if the first element is zero.
pub(super) fn rank<T: Scalar>(r: MatRef<'_, T>, rcond: f64) -> usize {
    let order = r.nrows().min(r.ncols());
    if order == 0 || r[(0, 0)].modulus() == 0.0 {
        return 0;
    }
    let size = r[(0, 0)].modulus();
    let (mut largest, mut smallest) = (Singular::new(size), Singular::new(size));
    for rank in 1..order {
        let (next_largest, next_smallest) = (largest.next(r, Which::Largest), smallest.next(r, Which::Smallest));
        // False of NaN.
        let full = next_largest.value * rcond <= next_smallest.value;
        if !full {
            return rank;
        }
        largest.extend(next_largest);
        smallest.extend(next_smallest);
    }
    order
}

/// Largest or smallest singular value.
#[derive(Clone, Copy)]
enum Which {
    Largest,
    Smallest,
}

/// An extreme singular value of Rᴴ's leading part, with an approximate right singular vector.
struct Singular {
    value: f64,
    vector: Vec<Complex64>,
}

/// Update by one more row: the vector is multiplied by `old`, and `new` is appended.
struct Step {
    value: f64,
    old: Complex64,
    new: Complex64,
}

impl Singular {
    fn new(value: f64) -> Self {
        Singular { value, vector: vec![Complex64::ONE] }
    }

    fn extend(&mut self, step: Step) {
        self.vector.iter_mut().for_each(|x| *x *= step.old);
        self.vector.push(step.new);
        self.value = step.value;
    }

    /// With column j of R, (w, gamma): the adjoint's next row is (wᴴ, conj(gamma)), and its product with (s x, c) has
    /// the norm of [value, 0; wᴴ x, conj(gamma)] (s, c).
    fn next<T: Scalar>(&self, r: MatRef<'_, T>, which: Which) -> Step {
        let j = self.vector.len();
        let element = |i: usize| Complex64::new(r[(i, j)].re(), r[(i, j)].im());
        let alpha: Complex64 = self.vector.iter().enumerate().map(|(i, x)| element(i).conj() * x).sum();
        let gamma = element(j).conj();
        let (value, s, c) = triangle_of_two(self.value, alpha.norm(), gamma.norm(), which);
        // Moduli are those of a real triangle; the arguments rotate its vector back.
        Step { value, old: s * unit(alpha).conj(), new: c * unit(gamma).conj() }
    }
}

/// z / |z|, or 1 of zero.
fn unit(z: Complex64) -> Complex64 {
    let modulus = z.norm();
    if modulus == 0.0 { Complex64::ONE } else { z / modulus }
}

/// A singular value of [f, 0; a, g], of which no element is negative, and its right singular vector (s, c).
fn triangle_of_two(f: f64, a: f64, g: f64, which: Which) -> (f64, f64, f64) {
    let scale = f.max(a).max(g);
    if scale == 0.0 {
        return (0.0, 0.0, 1.0);
    }
    let (f, a, g) = (f / scale, a / scale, g / scale);
    // The eigenvalues of [p, q; q, r].
    let (p, q, r) = (f * f + a * a, a * g, g * g);
    let apart = (p - r).hypot(2.0 * q);
    let largest = ((p + r + apart) / 2.0).sqrt();
    // (cos, sin) is the eigenvector of the larger eigenvalue; the tangent is at most 1 in modulus on its side of the
    // diagonal.
    let (cos, sin) = if p >= r {
        let tangent = if q == 0.0 { 0.0 } else { 2.0 * q / (p - r + apart) };
        let length = tangent.hypot(1.0);
        (1.0 / length, tangent / length)
    } else {
        let cotangent = 2.0 * q / (r - p + apart);
        let length = cotangent.hypot(1.0);
        (cotangent / length, 1.0 / length)
    };
    match which {
        Which::Largest => (scale * largest, cos, sin),
        // The product of both singular values is the determinant.
        Which::Smallest => (scale * (f / largest * g), -sin, cos),
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn singular_values_of_two_by_two() {
        let sizes = [0.0, 1e-300, 1e-12, 0.3, 1.0, 7.0, 1e12, 1e300];
        for f in sizes {
            for a in sizes {
                for g in sizes {
                    for which in [Which::Largest, Which::Smallest] {
                        let (value, s, c) = triangle_of_two(f, a, g, which);
                        assert!((s.hypot(c) - 1.0).abs() <= 4.0 * f64::EPSILON, "{f} {a} {g}");
                        // The vector's image is of the length that the value is, within a rounding of the largest
                        // element.
                        let image = (f * s).hypot(a * s + g * c);
                        let bound = 16.0 * f64::EPSILON * f.max(a).max(g);
                        assert!((image - value).abs() <= bound, "{f} {a} {g}: {value}, not {image}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_diagonal_has_the_rank_that_its_elements_tell() {
        let diagonal = [1.0, 1e-3, 1e-6, 1e-9, 0.0];
        let r = Mat::from_fn(5, 5, |i, j| if i == j { diagonal[i] } else { 0.0 });
        for (rcond, expected) in [(1e-2, 1), (1e-5, 2), (1e-8, 3), (1e-10, 4), (0.0, 5), (f64::NAN, 1)] {
            assert_eq!(rank(r.as_ref(), rcond), expected, "{rcond}");
        }
        assert_eq!(rank(Mat::<f32>::zeros(3, 3).as_ref(), 1e-3), 0);
        assert_eq!(rank(Mat::<f32>::zeros(0, 3).as_ref(), 1e-3), 0);
    }

    /// Kahan's triangle: no element of the diagonal is small, and the smallest singular value is.
    #[test]
    fn kahans_triangle_is_seen_through() {
        let (n, c) = (60, 0.285_f64);
        let s = (1.0 - c * c).sqrt();
        // Columns are turned by powers of i, which leaves the singular values as they are.
        let r = Mat::from_fn(n, n, |i, j| {
            let size = s.powi(i as i32) * if i == j { 1.0 } else { -c };
            if i <= j { Complex64::I.powi((j % 4) as i32) * size } else { Complex64::ZERO }
        });
        let smallest = r[(n - 1, n - 1)].norm();
        assert!(smallest > 1e-2);
        assert!(rank(r.as_ref(), 1e-3) < n);
        assert_eq!(rank(r.as_ref(), 1e-12), n);
    }
}
