//! Exchanges of neighbouring blocks of a Schur form (Bai and Demmel 1993; LAPACK: xTREXC, xLAEXC).

use faer::{MatMut, MatRef};

use super::{complex, real};
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

/// A block of order 4, with a system of equations of up to 4 unknowns.
pub(crate) type Small = [[f64; 4]; 4];

/// Order of the diagonal's block that begins here.
pub fn block_order<T: Scalar>(t: MatRef<'_, T>, k: usize) -> usize {
    if k + 1 < t.nrows() && t[(k + 1, k)] != T::ZERO { 2 } else { 1 }
}

/// First row of the block that has this row.
pub fn block_start<T: Scalar>(t: MatRef<'_, T>, k: usize) -> usize {
    if k > 0 && t[(k, k - 1)] != T::ZERO { k - 1 } else { k }
}

/// A form with blocks on its diagonal whose neighbours can be exchanged.
pub(crate) trait Exchange {
    /// True if rows k and k + 1 have a block.
    fn is_pair(&self, k: usize) -> bool;

    /// Exchanges the blocks of these orders that begin at k. False if they are too close: then nothing is changed.
    fn exchange(&mut self, k: usize, first: usize, second: usize) -> bool;
}

/// A Schur form, and a matrix that is multiplied by the transformations.
struct SchurForm<'a, T> {
    t: MatMut<'a, T>,
    q: Option<MatMut<'a, T>>,
}

impl<T: Scalar> Exchange for SchurForm<'_, T> {
    fn is_pair(&self, k: usize) -> bool {
        block_order(self.t.as_ref(), k) == 2
    }

    fn exchange(&mut self, k: usize, first: usize, second: usize) -> bool {
        exchange(self.t.as_mut(), self.q.as_mut().map(|q| q.as_mut()), k, first, second)
    }
}

/// Moves a block of a Schur form to another place, by a unitary similarity, and multiplies Q by it. Returns the block's
/// first row.
///
/// # Errors
/// The first row where it stands if a neighbour is too close to be exchanged.
///
/// # Panics
/// If a row is not below the order.
#[instances]
pub fn move_block<T: Scalar>(
    t: MatMut<'_, T>,
    q: Option<MatMut<'_, T>>,
    from: usize,
    to: usize,
) -> Result<usize, usize> {
    move_in(&mut SchurForm { t, q }, from, to)
}

/// Moves the block with row `from` to row `to`. Returns its first row; an error is the one where it stands.
pub(crate) fn move_in(form: &mut impl Exchange, from: usize, to: usize) -> Result<usize, usize> {
    let order_at = |k: usize| if form.is_pair(k) { 2 } else { 1 };
    let start = |k: usize| if k > 0 && form.is_pair(k - 1) { k - 1 } else { k };
    let (from, mut to) = (start(from), start(to));
    let order = order_at(from);
    if from < to {
        // The last row of the block comes to the last row of the other one.
        to = (to + order_at(to)).saturating_sub(order);
    }
    let mut at = from;
    while at != to {
        if order == 2 && !form.is_pair(at) {
            // The block came apart: its eigenvalues go on one after the other.
            let (first, second) = if at < to { (at + 1, at) } else { (at, at + 1) };
            let goal = |row: usize| to + row - at;
            step_to(form, first, goal(first))?;
            return step_to(form, second, goal(second)).map(|_| to);
        }
        at = step(form, at, to, order)?;
        if (from < to && at > to) || (from > to && at < to) {
            break;
        }
    }
    Ok(at)
}

fn step_to(form: &mut impl Exchange, from: usize, to: usize) -> Result<usize, usize> {
    let mut at = from;
    while (from < to && at < to) || (from > to && at > to) {
        at = step(form, at, to, 1)?;
    }
    Ok(at)
}

/// Exchanges a block with the next one on its way. Returns its new place.
fn step(form: &mut impl Exchange, at: usize, to: usize, order: usize) -> Result<usize, usize> {
    if at < to {
        let next = if form.is_pair(at + order) { 2 } else { 1 };
        if form.exchange(at, order, next) { Ok(at + next) } else { Err(at) }
    } else {
        let previous = if at > 1 && form.is_pair(at - 2) { at - 2 } else { at - 1 };
        if form.exchange(previous, at - previous, order) { Ok(previous) } else { Err(at) }
    }
}

/// Exchanges the blocks of these orders that begin at k. False if they are too close: then nothing is changed.
fn exchange<T: Scalar>(t: MatMut<'_, T>, q: Option<MatMut<'_, T>>, k: usize, first: usize, second: usize) -> bool {
    if T::KIND.is_complex() {
        exchange_complex(t, q, k);
        return true;
    }
    if first + second == 2 {
        exchange_real(t, q, k);
        return true;
    }
    exchange_blocks(t, q, k, first, second)
}

fn exchange_complex<T: Scalar>(mut t: MatMut<'_, T>, q: Option<MatMut<'_, T>>, k: usize) {
    let n = t.nrows();
    let at = |i: usize, j: usize| Complex64::new(t[(k + i, k + j)].re(), t[(k + i, k + j)].im());
    let turn = complex::rotation(at(0, 1), at(1, 1) - at(0, 0));
    let (first, second) = (t[(k, k)], t[(k + 1, k + 1)]);
    complex::rows(t.as_mut(), k + 2..n, k, turn);
    complex::columns(t.as_mut(), 0..k, k, turn);
    (t[(k, k)], t[(k + 1, k + 1)]) = (second, first);
    if let Some(q) = q {
        let rows = 0..q.nrows();
        complex::columns(q, rows, k, turn);
    }
}

fn exchange_real<T: Scalar>(mut t: MatMut<'_, T>, q: Option<MatMut<'_, T>>, k: usize) {
    let n = t.nrows();
    let (first, second) = (t[(k, k)], t[(k + 1, k + 1)]);
    let (x, y) = (t[(k, k + 1)].re(), second.re() - first.re());
    let length = x.hypot(y);
    let (cos, sin) = if length == 0.0 { (1.0, 0.0) } else { (x / length, y / length) };
    let turn = (T::from_parts(cos, 0.0), T::from_parts(sin, 0.0));
    real::turn_rows(t.as_mut(), k + 2..n, k, turn);
    real::turn_columns(t.as_mut(), 0..k, k, turn);
    (t[(k, k)], t[(k + 1, k + 1)]) = (second, first);
    if let Some(q) = q {
        let rows = 0..q.nrows();
        real::turn_columns(q, rows, k, turn);
    }
}

/// Blocks one of which has order 2, by an orthonormal basis of the second one's invariant subspace.
fn exchange_blocks<T: Scalar>(
    mut t: MatMut<'_, T>,
    mut q: Option<MatMut<'_, T>>,
    k: usize,
    first: usize,
    second: usize,
) -> bool {
    let (n, order) = (t.nrows(), first + second);
    let mut d: Small = [[0.0; 4]; 4];
    (0..order).for_each(|i| (0..order).for_each(|j| d[i][j] = t[(k + i, k + j)].re()));
    let scale = d.iter().flatten().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    d.iter_mut().flatten().for_each(|x| *x /= scale);
    let basis = basis(&subspace(&d, first, second), order, second);
    let turned = times(&transposed(&basis), &times(&d, &basis));
    let mut errors = (second..order).flat_map(|i| (0..second).map(move |j| (i, j))).map(|(i, j)| turned[i][j].abs());
    // False of NaN.
    if !errors.all(|error| error <= 10.0 * T::EPSILON) {
        return false;
    }
    for i in 0..order {
        for j in 0..order {
            let value = if i >= second && j < second { 0.0 } else { turned[i][j] * scale };
            t[(k + i, k + j)] = T::from_parts(value, 0.0);
        }
    }
    for j in k + order..n {
        let old: [f64; 4] = std::array::from_fn(|i| if i < order { t[(k + i, j)].re() } else { 0.0 });
        for i in 0..order {
            t[(k + i, j)] = T::from_parts((0..order).map(|l| basis[l][i] * old[l]).sum(), 0.0);
        }
    }
    columns(t.as_mut().subrows_mut(0, k), k, order, &basis);
    if let Some(q) = &mut q {
        columns(q.as_mut(), k, order, &basis);
    }
    for (size, at) in [(second, k), (first, k + second)] {
        if size == 2 {
            real::standardise(t.as_mut(), q.as_mut().map(|q| q.as_mut()), at, true);
        }
    }
    true
}

pub(crate) fn columns<T: Scalar>(mut a: MatMut<'_, T>, k: usize, order: usize, basis: &Small) {
    for i in 0..a.nrows() {
        let old: [f64; 4] = std::array::from_fn(|j| if j < order { a[(i, k + j)].re() } else { 0.0 });
        for j in 0..order {
            a[(i, k + j)] = T::from_parts((0..order).map(|l| old[l] * basis[l][j]).sum(), 0.0);
        }
    }
}

pub(crate) fn times(a: &Small, b: &Small) -> Small {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

pub(crate) fn transposed(a: &Small) -> Small {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// The invariant subspace of the second block: [-X; I] with T11 X - X T22 = T12, in the first columns.
fn subspace(d: &Small, first: usize, second: usize) -> Small {
    let mut a: Small = [[0.0; 4]; 4];
    let mut b = [0.0; 4];
    // Unknown i + first * j is X's element (i, j).
    for j in 0..second {
        for i in 0..first {
            let row = i + first * j;
            (0..first).for_each(|k| a[row][k + first * j] += d[i][k]);
            (0..second).for_each(|k| a[row][i + first * k] -= d[first + k][first + j]);
            b[row] = d[i][first + j];
        }
    }
    let x = solve(a, b, first * second);
    let mut span: Small = [[0.0; 4]; 4];
    for j in 0..second {
        (0..first).for_each(|i| span[i][j] = -x[i + first * j]);
        span[first + j][j] = 1.0;
    }
    span
}

/// Elimination with complete pivoting. Pivots that vanish are those of blocks with common eigenvalues.
fn solve(mut a: Small, mut b: [f64; 4], n: usize) -> [f64; 4] {
    let mut order = [0, 1, 2, 3];
    for k in 0..n {
        let candidates = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (row, column) =
            candidates.fold((k, k), |best, at| if a[at.0][at.1].abs() > a[best.0][best.1].abs() { at } else { best });
        a.swap(k, row);
        b.swap(k, row);
        a.iter_mut().for_each(|row| row.swap(k, column));
        order.swap(k, column);
        if a[k][k].abs() < f64::EPSILON {
            a[k][k] = f64::EPSILON;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    let mut x = [0.0; 4];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * x[order[j]]).sum();
        x[order[k]] = (b[k] - sum) / a[k][k];
    }
    x
}

/// An orthogonal matrix whose first columns span these ones: reflectors of their QR factorisation.
pub(crate) fn basis(span: &Small, order: usize, count: usize) -> Small {
    let mut r = *span;
    let mut q: Small = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for k in 0..count {
        let length = (k..order).fold(0.0, |sum: f64, i| sum.hypot(r[i][k]));
        let mut v = [0.0; 4];
        (k..order).for_each(|i| v[i] = r[i][k]);
        v[k] += length.copysign(v[k]);
        let largest = v.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        v.iter_mut().for_each(|x| *x /= largest);
        let square: f64 = v.iter().map(|x| x * x).sum();
        (0..count).for_each(|j| {
            let sum: f64 = (0..4).map(|i| v[i] * r[i][j]).sum::<f64>() * 2.0 / square;
            (0..4).for_each(|i| r[i][j] -= sum * v[i]);
        });
        for row in &mut q {
            let sum: f64 = (0..4).map(|j| row[j] * v[j]).sum::<f64>() * 2.0 / square;
            (0..4).for_each(|j| row[j] -= sum * v[j]);
        }
    }
    q
}
