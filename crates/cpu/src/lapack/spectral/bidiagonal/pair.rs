//! Singular values of upper triangular matrices of order 2, to high relative accuracy (Demmel and Kahan 1990).

/// The decomposition of [f g; 0 h]: rotations (c, s) with [c s; -s c] [f g; 0 h] [c -s; s c] = diag(larger, smaller) of
/// the left and the right one. The values have signs, and moduli in this order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) larger: f64,
    pub(super) smaller: f64,
    pub(super) left: (f64, f64),
    pub(super) right: (f64, f64),
}

impl Pair {
    pub(super) fn of(f: f64, g: f64, h: f64) -> Self {
        // The transpose with exchanged rows and columns has the larger diagonal element first.
        if h.abs() > f.abs() {
            let Pair { larger, smaller, left, right } = Pair::ordered(h, g, f);
            let turned = |(c, s): (f64, f64)| (s, c);
            return Pair { larger, smaller, left: turned(right), right: turned(left) };
        }
        Pair::ordered(f, g, h)
    }

    /// With |f| >= |h|.
    fn ordered(f: f64, g: f64, h: f64) -> Self {
        let (size_f, size_g, size_h) = (f.abs(), g.abs(), h.abs());
        if size_g == 0.0 {
            return Pair { larger: f, smaller: h, left: (1.0, 0.0), right: (1.0, 0.0) };
        }
        let (larger, smaller, left, right);
        if size_f / size_g < f64::EPSILON / 2.0 {
            // g is so large that it is the larger value.
            larger = size_g;
            smaller = if size_h > 1.0 { size_f / (size_g / size_h) } else { size_f / size_g * size_h };
            (left, right) = ((1.0, h / g), (f / g, 1.0));
        } else {
            let difference = size_f - size_h;
            let l = if difference == size_f { 1.0 } else { difference / size_f };
            let m = g / f;
            let (t, square) = (2.0 - l, m * m);
            let s = (t * t + square).sqrt();
            let r = if l == 0.0 { m.abs() } else { (l * l + square).sqrt() };
            let a = 0.5 * (s + r);
            (larger, smaller) = (size_f * a, size_h / a);
            let t = if square != 0.0 {
                (m / (s + t) + m / (r + l)) * (1.0 + a)
            } else if l == 0.0 {
                2f64.copysign(f) * 1f64.copysign(g)
            } else {
                g / difference.copysign(f) + m / t
            };
            let length = (t * t + 4.0).sqrt();
            let (c, s) = (2.0 / length, t / length);
            right = (c, s);
            left = ((c + s * m) / a, (h / f) * s / a);
        }
        // Signs from the products themselves: each value has that of its largest term.
        let sign_larger = if size_g > size_f {
            right.1.signum() * left.0.signum() * g.signum()
        } else {
            right.0.signum() * left.0.signum() * f.signum()
        };
        let sign_smaller = sign_larger * f.signum() * h.signum();
        Pair { larger: larger * sign_larger, smaller: smaller * sign_smaller, left, right }
    }
}

/// The smaller singular value of [f g; 0 h].
pub(super) fn smaller(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (min, max) = (f.min(h), f.max(h));
    if min == 0.0 {
        return 0.0;
    }
    let (sum, difference) = (1.0 + min / max, (max - min) / max);
    if g < max {
        let square = (g / max).powi(2);
        return min * (2.0 / ((sum * sum + square).sqrt() + (difference * difference + square).sqrt()));
    }
    let ratio = max / g;
    if ratio == 0.0 {
        // The product may underflow, but the quotient does not overflow.
        return min * max / g;
    }
    let c = 1.0 / ((1.0 + (sum * ratio).powi(2)).sqrt() + (1.0 + (difference * ratio).powi(2)).sqrt());
    2.0 * (min * c * ratio)
}
