//! Multishift QR: chains of small bulges, whose reflectors are accumulated in windows on the diagonal.

use std::ops::Range;

use faer::{Mat, MatMut, Par};

use super::deflation::deflate;
use super::reflector::Reflector;
use super::shifts::{self, Pair};
use super::window::Target;
use super::{ITERATIONS, MAX_UNBLOCKED, active_start, element, size, unblocked};
use affinimath_core::scalar::{Complex64, Scalar};

/// A sweep is left out if a deflation finds this percentage of its window.
const NIBBLE: usize = 14;
/// Deflations without success before their window grows.
const PATIENCE: usize = 5;
/// Every sixth sweep without a deflation has exceptional shifts.
const EXCEPTIONAL: usize = 6;
/// Rows that a bulge needs.
const SPACING: usize = 3;

/// Shifts of a sweep over an active block of this order.
fn shift_count(order: usize) -> usize {
    match order {
        0..60 => 4,
        60..150 => 10,
        150..590 => (order as f64 / (order as f64).log2()) as usize / 2 * 2,
        590..3000 => 64,
        3000..6000 => 128,
        _ => 256,
    }
}

pub(super) fn iterate<T: Scalar>(
    h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    range: Range<usize>,
    whole: bool,
    values: &mut [Complex64],
    par: Par,
) -> Option<usize> {
    let mut target = Target { h, z, whole, par };
    let limit = ITERATIONS * range.len().max(10);
    let (mut end, mut stalled, mut window) = (range.end, 0usize, 0usize);
    for _ in 0..=limit {
        let start = active_start(&mut target.h, range.start, end);
        if start == end {
            break;
        }
        let order = end - start;
        let shifts = shift_count(range.len());
        let usual = (if range.len() <= 500 { shifts } else { 3 * shifts / 2 }).max(4);
        window = if order <= MAX_UNBLOCKED {
            order
        } else if stalled < PATIENCE {
            usual.min(order / 3)
        } else {
            (2 * window).min(order / 3)
        };
        let found = deflate(&mut target, start..end, window, values);
        if window == order && found.deflated < order {
            return Some(end - found.deflated);
        }
        end -= found.deflated;
        stalled = if found.deflated > 0 { 0 } else { stalled + 1 };
        if 100 * found.deflated > window * NIBBLE || end - start <= MAX_UNBLOCKED {
            continue;
        }
        let pairs = choose_shifts(&target, start..end, found.shifts, shifts, stalled);
        sweep(&mut target, start..end, &pairs);
    }
    (end > range.start).then_some(end)
}

/// Shifts of the next sweep: eigenvalues of the deflation's window, or else of a block at the end.
fn choose_shifts<T: Scalar>(
    target: &Target<'_, T>,
    active: Range<usize>,
    mut candidates: Vec<Complex64>,
    count: usize,
    stalled: usize,
) -> Vec<Pair> {
    let (h, end) = (&target.h, active.end);
    let count = count.min(active.len() / 6 / 2 * 2).max(2);
    if stalled > 0 && stalled.is_multiple_of(EXCEPTIONAL) {
        let rows = end - count..end;
        let diagonal: Vec<Complex64> = rows.clone().map(|i| element(h, i, i)).collect();
        let below: Vec<f64> = rows.map(|i| size(element(h, i, i - 1)) + size(element(h, i - 1, i - 2))).collect();
        candidates = shifts::exceptional::<T>(&diagonal, &below);
    } else if candidates.len() <= count / 2 {
        let mut block = target.copy(end - count..end);
        let mut values = vec![Complex64::ZERO; count];
        let failed = unblocked(block.as_mut(), None, 0..count, false, &mut values);
        candidates = values.split_off(failed.unwrap_or(0));
        if candidates.len() < 2 {
            candidates = vec![element(h, end - 1, end - 1); 2];
        }
    }
    shifts::pairs::<T>(candidates, count / 2, element(h, end - 1, end - 1))
}

/// First column of (H - s1)(H - s2), scaled (LAPACK: xLAQR1).
fn first_column<T: Scalar>(h: &MatMut<'_, T>, k: usize, [first, second]: Pair) -> [Complex64; 3] {
    let at = |i: usize, j: usize| element(h, k + i, k + j);
    let (h11, h21, h12, h22) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
    let scale = size(h11 - second) + size(h21);
    if scale == 0.0 {
        return [Complex64::ZERO; 3];
    }
    let scaled = h21 / scale;
    let v = [
        scaled * h12 + (h11 - first) * ((h11 - second) / scale),
        scaled * (h11 + h22 - first - second),
        scaled * at(2, 1),
    ];
    // The product is real if the shifts are conjugate.
    if T::KIND.is_complex() { v } else { v.map(|x| Complex64::new(x.re, 0.0)) }
}

/// One sweep with a bulge for each pair of shifts.
fn sweep<T: Scalar>(target: &mut Target<'_, T>, active: Range<usize>, pairs: &[Pair]) {
    let (start, end) = (active.start, active.end);
    let chain = SPACING * pairs.len();
    // A bulge at p is eliminated from column p next. None has been introduced at first.
    let mut positions: Vec<Option<usize>> = vec![None; pairs.len()];
    let mut low = start;
    loop {
        let high = if low + 2 * chain + SPACING + 5 >= end { end } else { low + 2 * chain + 3 };
        let window = low..high;
        let mut w = target.copy(window.clone());
        let mut u = Mat::<T>::identity(w.nrows(), w.nrows());
        for (i, position) in positions.iter_mut().enumerate() {
            let goal = if high == end { end - 2 } else { high - 4 - SPACING * i };
            *position = Some(chase(w.as_mut(), u.as_mut(), &window, (*position, goal), (high == end, i, pairs[i])));
        }
        target.put(window, active.clone(), w.as_ref(), u.as_ref());
        if high == end {
            return;
        }
        low = high - 4 - SPACING * (pairs.len() - 1);
    }
}

/// Moves a bulge down to its goal, in a window.
fn chase<T: Scalar>(
    mut w: MatMut<'_, T>,
    mut u: MatMut<'_, T>,
    window: &Range<usize>,
    (position, goal): (Option<usize>, usize),
    (last, passes, pair): (bool, usize, Pair),
) -> usize {
    let m = w.nrows();
    let goal = goal - window.start;
    let mut k = match position {
        Some(position) => position - window.start,
        None => {
            let reflector = Reflector::<T>::new(first_column(&w, 0, pair));
            apply(&mut w, &mut u, &reflector, (0, 3), (0, 0..m.min(5 + 2 * passes)));
            0
        }
    };
    let first = k;
    while k < goal {
        let order = if last { 3.min(m - k - 1) } else { 3 };
        let x = [1, 2, 3].map(|i| if i <= order { element(&w, k + i, k) } else { Complex64::ZERO });
        let reflector = Reflector::<T>::new(x);
        w[(k + 1, k)] = reflector.beta;
        (2..=order).for_each(|i| w[(k + i, k)] = T::ZERO);
        // U's lower bandwidth grows by 2 with every bulge.
        let rows = first..m.min(k + 6 + 2 * passes);
        apply(&mut w, &mut u, &reflector, (k + 1, order), (k + 1, rows));
        k += 1;
    }
    k + window.start
}

/// Applies a reflector to a window from both sides, and to the accumulated transformations.
fn apply<T: Scalar>(
    w: &mut MatMut<'_, T>,
    u: &mut MatMut<'_, T>,
    reflector: &Reflector<T>,
    (k, order): (usize, usize),
    (first_column, rows): (usize, Range<usize>),
) {
    let m = w.nrows();
    reflector.left(w, k, order, first_column..m);
    reflector.right(w, k, order, 0..(k + 4).min(m));
    reflector.right(u, k, order, rows);
}
