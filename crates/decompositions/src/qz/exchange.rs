//! Exchanges of neighbouring blocks of a generalised Schur form (Kågström 1993; LAPACK: xTGEXC, xTGEX2).

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

use super::{Eigenvalue, Iteration, Pencil};
use crate::rotation::Rotation;
use crate::schur::exchange::{Exchange, Small, basis, block_order, columns, move_in, times, transposed};

/// Errors of an exchange are at most this many eps times the blocks' norm.
const TOLERANCE: f64 = 20.0;

/// Moves a block of a generalised Schur form to another place, by a unitary equivalence, and multiplies Q and Z by it.
/// Returns the block's first row.
///
/// # Errors
/// The first row where it stands if a neighbour is too close to be exchanged.
///
/// # Panics
/// If a row is not below the order.
#[instances]
pub fn move_block<T: Scalar>(pencil: Pencil<'_, T>, from: usize, to: usize) -> Result<usize, usize> {
    let mut pencil = pencil;
    move_in(&mut pencil, from, to)
}

impl<T: Scalar> Exchange for Pencil<'_, T> {
    fn is_pair(&self, k: usize) -> bool {
        block_order(self.a.as_ref(), k) == 2
    }

    fn exchange(&mut self, k: usize, first: usize, second: usize) -> bool {
        if first + second == 2 { exchange_single(self, k) } else { exchange_blocks(self, k, first, second) }
    }
}

/// Elements of A's and B's blocks in rows from k on, both divided by their largest one.
fn scaled_part<T: Scalar>(pencil: &Pencil<'_, T>, k: usize, order: usize) -> [[[Complex64; 4]; 4]; 2] {
    [&pencil.a, &pencil.b].map(|a| {
        let mut part = [[Complex64::ZERO; 4]; 4];
        for (i, row) in part.iter_mut().enumerate().take(order) {
            for (j, x) in row.iter_mut().enumerate().take(order) {
                *x = Complex64::new(a[(k + i, k + j)].re(), a[(k + i, k + j)].im());
            }
        }
        let largest = part.iter().flatten().fold(0.0, |largest: f64, x| largest.max(x.re.abs()).max(x.im.abs()));
        if largest > 0.0 {
            part.iter_mut().flatten().for_each(|x| *x = x.unscale(largest));
        }
        part
    })
}

/// Two eigenvalues, by rotations.
fn exchange_single<T: Scalar>(pencil: &mut Pencil<'_, T>, k: usize) -> bool {
    let n = pencil.a.nrows();
    let [s, t] = scaled_part(pencil, k, 2);
    let diagonal = s[1][1] * t[0][0] - t[1][1] * s[0][0];
    let upper = s[1][1] * t[0][1] - t[1][1] * s[0][1];
    // The second eigenvalue's right vector becomes the first one.
    let right = Rotation::of(upper, -diagonal);
    let turned = |m: &[[Complex64; 4]; 4], i: usize| m[i][0] * right.cos + m[i][1] * right.sin.conj();
    let size = |i: usize, j: usize| s[i][i].norm() * t[j][j].norm();
    let longer = if size(1, 0) >= size(0, 1) { &s } else { &t };
    let left = Rotation::of(turned(longer, 0), turned(longer, 1));
    let fits = |m: &[[Complex64; 4]; 4]| {
        let below = turned(m, 1) * left.cos - turned(m, 0) * left.sin.conj();
        below.norm() <= TOLERANCE * T::EPSILON
    };
    if !(fits(&s) && fits(&t)) {
        return false;
    }
    pencil.rotate_columns(k, right, 0..k + 2, 0..k + 2);
    pencil.rotate_rows(k, left, k..n, k..n);
    pencil.a[(k + 1, k)] = T::ZERO;
    pencil.b[(k + 1, k)] = T::ZERO;
    restore(pencil, k, 2);
    true
}

/// Blocks one of which has order 2, by orthonormal bases of the second one's deflating subspaces.
fn exchange_blocks<T: Scalar>(pencil: &mut Pencil<'_, T>, k: usize, first: usize, second: usize) -> bool {
    let (n, order) = (pencil.a.nrows(), first + second);
    let [a, b] = scaled_part(pencil, k, order).map(|part| part.map(|row| row.map(|x| x.re)));
    let (left, right) = subspaces(&a, &b, first, second);
    let (u, v) = (basis(&left, order, second), basis(&right, order, second));
    let fits = |a: &Small| {
        let turned = times(&transposed(&u), &times(a, &v));
        let below = (second..order).flat_map(|i| (0..second).map(move |j| (i, j)));
        below.map(|(i, j)| turned[i][j].abs()).all(|error| error <= TOLERANCE * T::EPSILON)
    };
    if !(fits(&a) && fits(&b)) {
        return false;
    }
    for m in [&mut pencil.a, &mut pencil.b] {
        columns(m.as_mut().subrows_mut(0, k + order), k, order, &v);
        for j in k..n {
            let old: [f64; 4] = std::array::from_fn(|i| if i < order { m[(k + i, j)].re() } else { 0.0 });
            for i in 0..order {
                m[(k + i, j)] = T::from_parts((0..order).map(|l| u[l][i] * old[l]).sum(), 0.0);
            }
        }
        for i in second..order {
            (0..second).for_each(|j| m[(k + i, k + j)] = T::ZERO);
        }
    }
    for (m, basis) in [(&mut pencil.q, &u), (&mut pencil.z, &v)] {
        if let Some(m) = m {
            columns(m.as_mut(), k, order, basis);
        }
    }
    for (size, at) in [(second, k), (first, k + second)] {
        if size == 2 {
            let b = |i: usize, j: usize| Complex64::new(pencil.b[(at + i, at + j)].re(), 0.0);
            let turn = Rotation::of(b(0, 0), b(1, 0));
            pencil.rotate_rows(at, turn, at..n, at..n);
            pencil.b[(at + 1, at)] = T::ZERO;
        }
    }
    restore(pencil, k, order);
    true
}

/// Brings blocks into standard form after an exchange.
fn restore<T: Scalar>(pencil: &mut Pencil<'_, T>, k: usize, order: usize) {
    let mut values = vec![Eigenvalue::default(); pencil.a.nrows()];
    // An iteration of so small a block that does not converge leaves a block of order 2 with real eigenvalues.
    let _ = Iteration::new(pencil.as_mut(), k..k + order, true).run(&mut values);
}

/// Left and right deflating subspaces of the second block, [Y; I] and [X; I], in the first columns: A11 X - Y A22 =
/// -A12 and B11 X - Y B22 = -B12.
fn subspaces(a: &Small, b: &Small, first: usize, second: usize) -> (Small, Small) {
    let count = first * second;
    let mut system = vec![vec![0.0; 2 * count + 1]; 2 * count];
    for (part, m) in [a, b].into_iter().enumerate() {
        for j in 0..second {
            for i in 0..first {
                let row = &mut system[part * count + i + first * j];
                (0..first).for_each(|l| row[l + first * j] += m[i][l]);
                (0..second).for_each(|l| row[count + i + first * l] -= m[first + l][first + j]);
                row[2 * count] = -m[i][first + j];
            }
        }
    }
    let x = solve(system);
    let span = |x: &[f64]| {
        let mut span: Small = [[0.0; 4]; 4];
        for j in 0..second {
            (0..first).for_each(|i| span[i][j] = x[i + first * j]);
            span[first + j][j] = 1.0;
        }
        span
    };
    (span(&x[count..]), span(&x[..count]))
}

/// Elimination with complete pivoting, of rows with the right-hand side last. Pivots that vanish are those of blocks
/// with common eigenvalues.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    let mut unknowns: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let candidates = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (row, column) = candidates
            .fold((k, k), |best, at| if rows[at.0][at.1].abs() > rows[best.0][best.1].abs() { at } else { best });
        rows.swap(k, row);
        rows.iter_mut().for_each(|row| row.swap(k, column));
        unknowns.swap(k, column);
        if rows[k][k].abs() < f64::EPSILON {
            rows[k][k] = f64::EPSILON;
        }
        let pivot = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            (k..=n).for_each(|j| row[j] -= factor * pivot[j]);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| rows[k][j] * x[unknowns[j]]).sum();
        x[unknowns[k]] = (rows[k][n] - sum) / rows[k][k];
    }
    x
}
