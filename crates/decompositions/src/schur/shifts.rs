//! Pairs of shifts for a multishift sweep.

use affinimath_core::scalar::{Complex64, Scalar};

use super::size;

/// Two shifts of one bulge.
pub(super) type Pair = [Complex64; 2];

/// Pairs of shifts, the smallest ones first. Pairs of a real type are conjugate or real.
pub(super) fn pairs<T: Scalar>(mut values: Vec<Complex64>, max_pairs: usize, last: Complex64) -> Vec<Pair> {
    values.sort_by(|x, y| size(*x).total_cmp(&size(*y)));
    let mut pairs = Vec::new();
    if T::KIND.is_complex() {
        pairs.extend(values.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
        if pairs.is_empty() {
            pairs.extend(values.first().map(|value| [*value; 2]));
        }
    } else {
        let mut single = None;
        for value in values.iter().filter(|value| value.im >= 0.0) {
            if value.im > 0.0 {
                pairs.push([*value, value.conj()]);
            } else {
                match single.take() {
                    None => single = Some(*value),
                    Some(other) => pairs.push([other, *value]),
                }
            }
        }
        if let (true, Some(value)) = (pairs.is_empty(), single) {
            pairs.push([value; 2]);
        }
    }
    pairs.truncate(max_pairs);
    // Of only two real ones, the one that is nearer to the last element, twice.
    if let [[first, second]] = &mut pairs[..]
        && (T::KIND.is_complex() || first.im == 0.0)
    {
        let nearer = if size(*first - last) <= size(*second - last) { *first } else { *second };
        (*first, *second) = (nearer, nearer);
    }
    pairs
}

/// Shifts off the matrix's eigenvalues, after many sweeps without a deflation: by the last elements of the block.
pub(super) fn exceptional<T: Scalar>(diagonal: &[Complex64], below: &[f64]) -> Vec<Complex64> {
    let mut values = Vec::new();
    for (value, size) in diagonal.iter().zip(below) {
        if T::KIND.is_complex() {
            values.push(value + 0.75 * size);
        } else {
            // Eigenvalues of [a, -0.4375 s; s, a] with a = 0.75 s + value.
            let (re, im) = (value.re + 0.75 * size, 0.4375f64.sqrt() * size);
            values.extend([Complex64::new(re, im), Complex64::new(re, -im)]);
        }
    }
    values
}
