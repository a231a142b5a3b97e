//! Rank-one updates of diagonal matrices, D + rho z zᵀ: deflation, and the roots of the secular equation (Cuppen,
//! Numer. Math. 36, 1981; Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995; LAPACK: xLAED2, xLAED4).

/// Precision of the type that vectors are computed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// Unit roundoff.
    pub(super) epsilon: f64,
    /// The nearest number of the type.
    pub(super) round: fn(f64) -> f64,
}

/// A rotation of two columns: (x, y) := (c x + s y, c y - s x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rotation {
    pub(super) columns: [usize; 2],
    pub(super) c: f64,
    pub(super) s: f64,
}

/// Part of a merge's rows where a column is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rows {
    First,
    Both,
    Second,
}

/// A deflated update.
#[derive(Debug, Default)]
pub(super) struct Update {
    /// Columns that are not deflated, by ascending poles.
    pub(super) columns: Vec<usize>,
    pub(super) poles: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) rows: Vec<Rows>,
    /// Columns whose eigenvalues are final.
    pub(super) deflated: Vec<usize>,
    /// Rotations that make elements of z zero.
    pub(super) rotations: Vec<Rotation>,
    pub(super) rho: f64,
}

/// Deflates D + rho z zᵀ. `d` is changed by rotations; `middle` is the number of columns of the first part. Without a
/// column left, nothing is to be done.
pub(super) fn deflate(d: &mut [f64], z: &[f64], middle: usize, off_diagonal: f64, precision: Precision) -> Update {
    let n = d.len();
    let half = 0.5_f64.sqrt();
    let sign = if off_diagonal < 0.0 { -half } else { half };
    let mut z: Vec<f64> = z.iter().enumerate().map(|(i, z)| z * if i < middle { half } else { sign }).collect();
    let rho = 2.0 * off_diagonal.abs();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| d[*i].total_cmp(&d[*j]));
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let tolerance = 8.0 * precision.epsilon * largest(d).max(largest(&z));
    let mut update = Update { rho, ..Update::default() };
    if rho * largest(&z) <= tolerance {
        update.deflated = order;
        return update;
    }
    let mut rows: Vec<Rows> = (0..n).map(|i| if i < middle { Rows::First } else { Rows::Second }).collect();
    // The last column that is not deflated yet.
    let mut last: Option<usize> = None;
    let keep = |update: &mut Update, i: usize, d: &[f64], z: &[f64], rows: &[Rows]| {
        update.columns.push(i);
        update.poles.push(d[i]);
        update.z.push(z[i]);
        update.rows.push(rows[i]);
    };
    for i in order {
        if rho * z[i].abs() <= tolerance {
            update.deflated.push(i);
            continue;
        }
        let Some(previous) = last.replace(i) else { continue };
        let size = z[i].hypot(z[previous]);
        let (c, s, gap) = (z[i] / size, -z[previous] / size, d[i] - d[previous]);
        if (gap * c * s).abs() <= tolerance {
            z[i] = size;
            z[previous] = 0.0;
            if rows[i] != rows[previous] {
                rows[i] = Rows::Both;
            }
            update.rotations.push(Rotation { columns: [previous, i], c, s });
            let (low, high) = (d[previous], d[i]);
            d[previous] = (precision.round)(low * c * c + high * s * s);
            d[i] = (precision.round)(low * s * s + high * c * c);
            update.deflated.push(previous);
        } else {
            keep(&mut update, previous, d, &z, &rows);
        }
    }
    if let Some(last) = last {
        keep(&mut update, last, d, &z, &rows);
    }
    update
}

/// A root: the pole `origin`, the nearer one, plus `tau`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    pub(super) origin: usize,
    pub(super) tau: f64,
}

/// Sum of z² / (d - origin - tau), and of its terms' derivatives.
#[derive(Clone, Copy, Debug, Default)]
struct Terms {
    value: f64,
    slope: f64,
}

/// Partial sums that are independent of each other.
const LANES: usize = 4;

fn terms(poles: &[f64], squares: &[f64], origin: f64, tau: f64) -> Terms {
    let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    let (whole, rest) = (poles.len() / LANES * LANES, poles.len() % LANES);
    for (poles, squares) in poles.chunks_exact(LANES).zip(squares.chunks_exact(LANES)) {
        for lane in 0..LANES {
            let inverse = 1.0 / ((poles[lane] - origin) - tau);
            let term = squares[lane] * inverse;
            values[lane] += term;
            slopes[lane] += term * inverse;
        }
    }
    for lane in 0..rest {
        let inverse = 1.0 / ((poles[whole + lane] - origin) - tau);
        let term = squares[whole + lane] * inverse;
        values[lane] += term;
        slopes[lane] += term * inverse;
    }
    Terms { value: values.iter().sum(), slope: slopes.iter().sum() }
}

/// Steps of a root at most; bisection ends before.
const MAX_STEPS: usize = 200;

/// Root j of 1 + rho sum z² / (d - lambda), above pole j and below the next. `squares` are those of z.
pub(super) fn root(poles: &[f64], squares: &[f64], rho: f64, j: usize) -> Root {
    let (n, constant) = (poles.len(), 1.0 / rho);
    if n == 1 {
        return Root { origin: 0, tau: rho * squares[0] };
    }
    let is_last = j + 1 == n;
    let gap = if is_last { rho * squares.iter().sum::<f64>() } else { poles[j + 1] - poles[j] };
    let value = constant + terms(poles, squares, poles[j], gap / 2.0).value;
    // The nearer pole is the origin, so that tau is known to full relative precision.
    let right = !is_last && value < 0.0;
    let origin = if right { j + 1 } else { j };
    let pole = poles[origin];
    let [mut low, mut high] = match (is_last, right) {
        (true, _) => [0.0, 2.0 * gap],
        (false, false) => [0.0, gap / 2.0],
        (false, true) => [-gap / 2.0, 0.0],
    };
    let mut tau = start((poles, squares), value, j, origin, gap);
    if !(tau > low && tau < high) {
        tau = (low + high) / 2.0;
    }
    for _ in 0..MAX_STEPS {
        let below = terms(&poles[..=j], &squares[..=j], pole, tau);
        let above = terms(&poles[j + 1..], &squares[j + 1..], pole, tau);
        let (value, slope) = (constant + below.value + above.value, below.slope + above.slope);
        let bound = constant + 4.0 * (above.value - below.value) + tau.abs() * slope;
        if value.abs() <= f64::EPSILON * bound {
            break;
        }
        if value < 0.0 {
            low = tau;
        } else {
            high = tau;
        }
        let mut next = if is_last {
            // A pole at the last one, and a constant, with the value and the slope.
            let delta = (poles[j] - pole) - tau;
            let rest = value - slope * delta;
            tau + delta + slope * delta * delta / rest
        } else {
            tau + middle_way([(poles[j] - pole) - tau, (poles[j + 1] - pole) - tau], value, below.slope, above.slope)
        };
        if !(next > low && next < high) {
            next = between(low, high);
        }
        if next == tau || !(next > low && next < high) {
            break;
        }
        tau = next;
    }
    Root { origin, tau }
}

/// First approximation of root j, relative to a pole, by the two poles next to it and the other terms' values halfway
/// through the gap, where all of them make `value`.
fn start((poles, squares): (&[f64], &[f64]), value: f64, j: usize, origin: usize, gap: f64) -> f64 {
    let n = poles.len();
    let [left, right] = if j + 1 == n { [n - 2, n - 1] } else { [j, j + 1] };
    let pole = poles[origin];
    let at_middle = |i: usize| squares[i] / ((poles[i] - poles[j]) - gap / 2.0);
    let c = value - at_middle(left) - at_middle(right);
    // c + squares[left] / (a - tau) + squares[right] / (b - tau) = 0.
    let (a, b) = (poles[left] - pole, poles[right] - pole);
    let half = (c * (a + b) + squares[left] + squares[right]) / 2.0;
    let product = c * a * b + squares[left] * b + squares[right] * a;
    let root = (half * half - c * product).max(0.0).sqrt();
    let roots = if half >= 0.0 {
        [product / (half + root), (half + root) / c]
    } else {
        [(half - root) / c, product / (half - root)]
    };
    let end = poles[j] - pole;
    roots.into_iter().find(|tau| *tau > end && *tau < end + gap).unwrap_or(f64::NAN)
}

/// Li's middle way (LAPACK Working Note 89): the step to the root of a rational function with the poles beside it.
fn middle_way([left, right]: [f64; 2], value: f64, slope_below: f64, slope_above: f64) -> f64 {
    let c = value - left * slope_below - right * slope_above;
    let a = (left + right) * value - left * right * (slope_below + slope_above);
    let b = left * right * value;
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    let step = if a <= 0.0 { (a - root) / (2.0 * c) } else { 2.0 * b / (a + root) };
    // Newton's step goes the right way in any case.
    if value * step >= 0.0 { -value / (slope_below + slope_above) } else { step }
}

/// A number between two bounds of one sign, of which one may be 0: the middle of their exponents where they are far
/// from each other.
fn between(low: f64, high: f64) -> f64 {
    let (small, large) = if low.abs() < high.abs() { (low, high) } else { (high, low) };
    let (size, limit) = (small.abs().max(f64::MIN_POSITIVE), large.abs());
    if limit > 16.0 * size {
        return (size.sqrt() * limit.sqrt()).copysign(large);
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod host {
    use super::*;

    const DOUBLE: Precision = Precision { epsilon: f64::EPSILON / 2.0, round: |value| value };

    /// The residual of root j in units of the precision, relative to the terms' sum of moduli and to what an error of
    /// the root's own precision makes of them.
    fn residual(poles: &[f64], squares: &[f64], rho: f64, root: Root) -> f64 {
        let (mut value, mut size, mut slope) = (1.0, 1.0, 0.0);
        for (pole, square) in poles.iter().zip(squares) {
            let delta = (pole - poles[root.origin]) - root.tau;
            let term = rho * square / delta;
            value += term;
            size += term.abs();
            slope += (term / delta).abs();
        }
        value.abs() / (f64::EPSILON * (size + slope * root.tau.abs()))
    }

    fn check(poles: &[f64], z: &[f64], rho: f64) {
        let squares: Vec<f64> = z.iter().map(|z| z * z).collect();
        for j in 0..poles.len() {
            let found = root(poles, &squares, rho, j);
            assert!(residual(poles, &squares, rho, found) < 10.0 * poles.len() as f64, "{j}: {found:?}");
            let above = (poles[found.origin] - poles[j]) + found.tau;
            assert!(above > 0.0, "{j}: {found:?} is not above its pole");
            if j + 1 < poles.len() {
                assert!((poles[found.origin] - poles[j + 1]) + found.tau < 0.0, "{j}: {found:?} is above the next");
            }
        }
    }

    #[test]
    fn roots_are_between_their_poles() {
        let random = |i: usize, k: usize| ((i * 7919 + k * 104_729) as f64 * 0.618_033_988_749).fract();
        for n in [1, 2, 3, 4, 5, 17, 64, 301] {
            let even: Vec<f64> = (0..n).map(|i| i as f64 / n as f64 - 0.3).collect();
            let z: Vec<f64> = (0..n).map(|i| random(i, 1) - 0.5 + 1e-3).collect();
            check(&even, &z, 0.7);
            check(&even, &z, 1e-9);
            check(&even, &z, 1e9);
            // Elements of z of all sizes, and poles that are close to each other.
            let tiny: Vec<f64> = (0..n).map(|i| 10_f64.powi(-((i % 15) as i32)) * (0.5 + random(i, 2))).collect();
            check(&even, &tiny, 1.0);
            let mut poles: Vec<f64> = (0..n).map(|i| random(i, 3) * 10_f64.powi(-((i % 9) as i32))).collect();
            poles.sort_by(f64::total_cmp);
            poles.dedup();
            check(&poles, &z[..poles.len()], 1.3);
        }
    }

    #[test]
    fn equal_poles_and_zero_elements_are_deflated() {
        let mut d = vec![1.0, 1.0, 2.0, 3.0];
        let found = deflate(&mut d, &[0.5, 0.5, 0.0, 0.5], 2, 1.0, DOUBLE);
        assert_eq!((found.columns.len(), found.deflated.len(), found.rotations.len()), (2, 2, 1));
        assert!((found.z[0] - 0.5).abs() < 1e-15 && found.poles[1] == 3.0, "{found:?}");
        assert!(found.poles[0] == d[1] && d[..2].iter().all(|d| (d - 1.0).abs() < 1e-15), "{found:?}");
        let found = deflate(&mut d, &[0.5, 0.5, 0.5, 0.5], 2, 0.0, DOUBLE);
        assert!(found.columns.is_empty() && found.deflated.len() == 4);
    }

    #[test]
    fn a_number_between_bounds_is_found_in_few_steps() {
        assert!(between(0.0, 1.0) < 1e-150 && between(-1.0, 0.0) > -1e-150);
        assert_eq!(between(1.0, 2.0), 1.5);
        assert_eq!(between(-2.0, -1.0), -1.5);
    }
}
