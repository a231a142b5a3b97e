//! Blocks of order 2 of a real Schur form in LAPACK's standard form (xLANV2): equal diagonal elements, and elements of
//! different signs off the diagonal.

use affinimath_core::scalar::Complex64;

/// A block [a, b; c, d].
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Row 1, column 1.
    pub a: f64,
    /// Row 1, column 2.
    pub b: f64,
    /// Row 2, column 1.
    pub c: f64,
    /// Row 2, column 2.
    pub d: f64,
}

/// A rotation [cos, sin; -sin, cos].
#[derive(Clone, Copy, Debug)]
pub struct Rotation {
    /// The diagonal's element.
    pub cos: f64,
    /// The first row's other element.
    pub sin: f64,
}

impl Block {
    /// The similar block in standard form, and the rotation R with R X Rᵀ equal to it. It is upper triangular if the
    /// eigenvalues are real.
    pub fn standardised(self, epsilon: f64) -> (Block, Rotation) {
        let Block { a, b, c, d } = self;
        if c == 0.0 {
            return (self, Rotation { cos: 1.0, sin: 0.0 });
        }
        if b == 0.0 {
            return (Block { a: d, b: -c, c: 0.0, d: a }, Rotation { cos: 0.0, sin: 1.0 });
        }
        if a == d && b.is_sign_negative() != c.is_sign_negative() {
            return (self, Rotation { cos: 1.0, sin: 0.0 });
        }
        let p = 0.5 * (a - d);
        let (larger, smaller) = (b.abs().max(c.abs()), b.abs().min(c.abs()) * b.signum() * c.signum());
        let scale = p.abs().max(larger);
        let z = p / scale * p + larger / scale * smaller;
        if z >= 4.0 * epsilon * scale {
            // Real eigenvalues that are apart.
            let z = p + (scale.sqrt() * z.sqrt()).copysign(p);
            let length = c.hypot(z);
            let upper = Block { a: d + z, b: b - c, c: 0.0, d: d - larger / z * smaller };
            return (upper, Rotation { cos: z / length, sin: c / length });
        }
        self.with_equal_diagonal()
    }

    /// The form for complex eigenvalues, or real ones that are nearly equal.
    fn with_equal_diagonal(self) -> (Block, Rotation) {
        let Block { a, b, c, d } = self;
        let (sum, difference) = (b + c, a - d);
        let length = sum.hypot(difference);
        let cos = (0.5 * (1.0 + sum.abs() / length)).sqrt();
        let sin = -(0.5 * difference / (length * cos)) * 1f64.copysign(sum);
        let (aa, bb, cc, dd) = (a * cos + b * sin, b * cos - a * sin, c * cos + d * sin, d * cos - c * sin);
        let (a, b, c, d) = (aa * cos + cc * sin, bb * cos + dd * sin, cc * cos - aa * sin, dd * cos - bb * sin);
        let mean = 0.5 * (a + d);
        let turned = (Block { a: mean, b, c, d: mean }, Rotation { cos, sin });
        if c == 0.0 {
            return turned;
        }
        if b == 0.0 {
            return (Block { a: mean, b: -c, c: 0.0, d: mean }, Rotation { cos: -sin, sin: cos });
        }
        if b.is_sign_negative() != c.is_sign_negative() {
            return turned;
        }
        let (of_b, of_c) = (b.abs().sqrt(), c.abs().sqrt());
        let p = (of_b * of_c).copysign(c);
        let inverse = (b + c).abs().sqrt().recip();
        let (cos1, sin1) = (of_b * inverse, of_c * inverse);
        let rotation = Rotation { cos: cos * cos1 - sin * sin1, sin: cos * sin1 + sin * cos1 };
        (Block { a: mean + p, b: b - c, c: 0.0, d: mean - p }, rotation)
    }

    /// Eigenvalues of a block in standard form, the one with the positive imaginary part first.
    pub fn eigenvalues(self) -> [Complex64; 2] {
        let im = if self.c == 0.0 { 0.0 } else { self.b.abs().sqrt() * self.c.abs().sqrt() };
        [Complex64::new(self.a, im), Complex64::new(self.d, -im)]
    }
}
