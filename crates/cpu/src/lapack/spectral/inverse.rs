//! Eigenvectors of a few eigenvalues of a real symmetric tridiagonal matrix by inverse iteration (LAPACK: xSTEIN).

/// Iterations: the first one finds the vector, the others clear it of its neighbours.
const ITERATIONS: usize = 3;

/// Neighbouring eigenvalues nearer than this, relative to the matrix, have vectors that are made orthogonal.
const CLUSTER: f64 = 1e-3;

/// Error of an eigenvector, relative to the matrix, or of its orthogonality, in units of eps, from which it is refused.
const LIMIT: f64 = 20.0;

/// A tridiagonal matrix, whose diagonal has one element more than the others.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) d: &'a [f64],
    pub(super) e: &'a [f64],
}

impl Matrix<'_> {
    fn norm(self) -> f64 {
        let n = self.d.len();
        let off_diagonal = |i: usize| if i + 1 < n { self.e[i].abs() } else { 0.0 };
        (0..n)
            .map(|i| self.d[i].abs() + off_diagonal(i) + if i > 0 { off_diagonal(i - 1) } else { 0.0 })
            .fold(0.0, f64::max)
    }

    /// ||T x - w x||.
    fn residual(self, x: &[f64], w: f64) -> f64 {
        let n = x.len();
        let square = |i: usize| {
            let mut sum = (self.d[i] - w) * x[i];
            if i > 0 {
                sum += self.e[i - 1] * x[i - 1];
            }
            if i + 1 < n {
                sum += self.e[i] * x[i + 1];
            }
            sum * sum
        };
        (0..n).map(square).sum::<f64>().sqrt()
    }

    /// Orthonormal eigenvectors of eigenvalues in ascending order, n elements each; none if their errors exceed a few
    /// `epsilon`, as may be in large clusters.
    pub(super) fn vectors(self, values: &[f64], epsilon: f64) -> Option<Vec<f64>> {
        let (n, size) = (self.d.len(), self.norm());
        let mut all = vec![0.0; n * values.len()];
        let (mut start, mut shift) = (0, f64::NEG_INFINITY);
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for (k, &value) in values.iter().enumerate() {
            if k > 0 && value - values[k - 1] > CLUSTER * size {
                start = k;
            }
            // Equal eigenvalues are parted, so that iterations differ.
            let min_shift = shift + 10.0 * f64::EPSILON * size.max(f64::MIN_POSITIVE);
            shift = if k > start && value < min_shift { min_shift } else { value };
            let factors = Factors::new(self, shift, size);
            let (before, rest) = all.split_at_mut(k * n);
            let (cluster, x) = (&before[start * n..], &mut rest[..n]);
            x.iter_mut().for_each(|x| *x = random(&mut state));
            for _ in 0..ITERATIONS {
                normalise(x)?;
                factors.solve(x);
                normalise(x)?;
                // Twice is enough (Kahan; Parlett).
                for _ in 0..2 {
                    cluster.chunks_exact(n).for_each(|y| {
                        let along: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                        x.iter_mut().zip(y).for_each(|(x, y)| *x -= along * y);
                    });
                    normalise(x)?;
                }
            }
            // The shift of the part of a cluster must not have moved the vector.
            if self.residual(x, value) > LIMIT * epsilon * size {
                return None;
            }
        }
        orthogonal(&all, n, LIMIT * epsilon).then_some(all)
    }
}

/// True if the products of different vectors are at most `limit`.
fn orthogonal(all: &[f64], n: usize, limit: f64) -> bool {
    let count = all.len() / n;
    (1..count).all(|k| {
        let x = &all[k * n..(k + 1) * n];
        all[..k * n].chunks_exact(n).all(|y| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>().abs() <= limit)
    })
}

/// A number in [-1, 1), the same ones in each call (Steele, Lea and Flood: SplitMix).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn normalise(x: &mut [f64]) -> Option<()> {
    let largest = x.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    x.iter_mut().for_each(|x| *x /= largest);
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    x.iter_mut().for_each(|x| *x /= length);
    Some(())
}

/// P (T - shift I) = L U with partial pivoting.
struct Factors {
    /// Rows of U: the diagonal and the two elements after it.
    rows: Vec<[f64; 3]>,
    /// Multipliers of L, and true where rows were interchanged before the elimination.
    steps: Vec<(f64, bool)>,
}

impl Factors {
    fn new(t: Matrix<'_>, shift: f64, size: f64) -> Self {
        let n = t.d.len();
        let off_diagonal = |i: usize| if i + 1 < n { t.e[i] } else { 0.0 };
        let tiny = (f64::EPSILON * size).max(f64::MIN_POSITIVE / f64::EPSILON);
        let (mut rows, mut steps) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut current = [t.d[0] - shift, off_diagonal(0), 0.0];
        for i in 0..n - 1 {
            let next = [t.e[i], t.d[i + 1] - shift, off_diagonal(i + 1)];
            let exchanged = next[0].abs() > current[0].abs();
            let (mut pivot, other) = if exchanged { (next, current) } else { (current, next) };
            if pivot[0].abs() < tiny {
                pivot[0] = tiny.copysign(pivot[0]);
            }
            let factor = other[0] / pivot[0];
            steps.push((factor, exchanged));
            current = [other[1] - factor * pivot[1], other[2] - factor * pivot[2], 0.0];
            rows.push(pivot);
        }
        if current[0].abs() < tiny {
            current[0] = tiny.copysign(current[0]);
        }
        rows.push(current);
        Factors { rows, steps }
    }

    fn solve(&self, x: &mut [f64]) {
        for (i, &(factor, exchanged)) in self.steps.iter().enumerate() {
            if exchanged {
                x.swap(i, i + 1);
            }
            x[i + 1] -= factor * x[i];
        }
        for i in (0..x.len()).rev() {
            let [pivot, first, second] = self.rows[i];
            let mut sum = x[i];
            if i + 1 < x.len() {
                sum -= first * x[i + 1];
            }
            if i + 2 < x.len() {
                sum -= second * x[i + 2];
            }
            x[i] = sum / pivot;
        }
    }
}
