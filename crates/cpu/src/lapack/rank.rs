//! The rank of an upper triangle with a graded diagonal, by incremental condition estimation (C. Bischof,
//! *Incremental condition estimation*, SIAM J. Matrix Anal. Appl. 11, 1990; LAPACK's xLAIC1).

use faer::MatRef;

use affinimath_core::scalar::{Complex64, Scalar};

/// Order of the largest leading triangle whose estimated 2-norm condition is at most 1 / `rcond` (LAPACK: xGELSY's
/// rank). 0 if the first element is zero.
pub fn rank<T: Scalar>(r: MatRef<'_, T>, rcond: f64) -> usize {
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
pub enum Which {
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
pub fn triangle_of_two(f: f64, a: f64, g: f64, which: Which) -> (f64, f64, f64) {
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
