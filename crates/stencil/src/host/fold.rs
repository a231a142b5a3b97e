//! Reductions in the order that every executor keeps.

use crate::definition::scalar::Number;
use crate::definition::{Reduction, Type};
use crate::reduce::STRIP;

/// Numbers that are reduced.
trait Folded: Number {
    fn to_bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

macro_rules! folded {
    ($($T:ident |$value:ident| $to:expr, |$bits:ident| $of:expr;)+) => {$(
        impl Folded for $T {
            #[inline(always)]
            fn to_bits(self) -> u64 {
                let $value = self;
                $to
            }
            #[inline(always)]
            fn of_bits($bits: u64) -> Self {
                $of
            }
        }
    )+};
}

folded! {
    i32 |value| u64::from(value as u32), |bits| bits as u32 as i32;
    i64 |value| value as u64, |bits| bits as i64;
    f32 |value| u64::from(f32::to_bits(value)), |bits| f32::from_bits(bits as u32);
    f64 |value| f64::to_bits(value), |bits| f64::from_bits(bits);
}

/// Calls a generic function of a type and a combination.
macro_rules! by_reduction {
    ($reduction:expr, $kind:expr, $T:ident, $combine:ident => $result:expr) => {
        by_reduction!(@types $kind, $T => match $reduction {
            Reduction::Sum | Reduction::Norm2 | Reduction::Count => {
                let $combine = |a: $T, b: $T| Number::add(a, b);
                $result
            }
            // NaN shows.
            Reduction::Max => {
                let $combine = |a: $T, b: $T| if !is_nan(a) && (is_nan(b) || a < b) { b } else { a };
                $result
            }
            Reduction::Min => {
                let $combine = |a: $T, b: $T| if !is_nan(a) && (is_nan(b) || b < a) { b } else { a };
                $result
            }
        })
    };
    (@types $kind:expr, $T:ident => $result:expr) => {
        match $kind {
            Type::I32 => { type $T = i32; $result }
            Type::I64 => { type $T = i64; $result }
            Type::F32 => { type $T = f32; $result }
            Type::F64 | Type::Bool => { type $T = f64; $result }
        }
    };
}

#[allow(clippy::eq_op, reason = "of NaN alone")]
#[inline(always)]
fn is_nan<T: Number>(value: T) -> bool {
    value != value
}

/// The results of a run's strips of [`STRIP`] points, each from left to right; the last one may be shorter.
///
/// # Safety
/// `n` elements of the type can be read, and a result for each strip can be written.
pub(super) unsafe fn strips(reduction: Reduction, kind: Type, from: *const u8, n: usize, to: *mut u64) {
    // SAFETY: by contract.
    by_reduction!(reduction, kind, T, combine => unsafe {
        let values = std::slice::from_raw_parts(from.cast::<T>(), n);
        fold(values, combine, to);
    });
}

/// # Safety
/// A result for each strip can be written.
#[inline(always)]
unsafe fn fold<T: Folded>(values: &[T], combine: impl Fn(T, T) -> T, to: *mut u64) {
    let mut done = 0;
    // Two strips at a time: the additions of one wait for each other.
    if values.len() == 2 * STRIP {
        let (a, b) = values.split_at(STRIP);
        let mut results = [a[0], b[0]];
        for (&a, &b) in a[1..].iter().zip(&b[1..]) {
            results = [combine(results[0], a), combine(results[1], b)];
        }
        // SAFETY: by contract.
        unsafe { to.cast::<[u64; 2]>().write(results.map(Folded::to_bits)) };
        return;
    }
    for strip in values.chunks(STRIP) {
        let result = strip[1..].iter().fold(strip[0], |result, &next| combine(result, next));
        // SAFETY: by contract.
        unsafe { to.add(done).write(result.to_bits()) };
        done += 1;
    }
}

/// The result of all strips, by a binary tree of neighbours.
pub(super) fn tree(reduction: Reduction, kind: Type, mut results: Vec<u64>) -> u64 {
    by_reduction!(reduction, kind, T, combine => {
        while results.len() > 1 {
            let pairs = results.chunks(2).map(|pair| match *pair {
                [a, b] => Folded::to_bits(combine(<T as Folded>::of_bits(a), <T as Folded>::of_bits(b))),
                _ => pair[0],
            });
            results = pairs.collect();
        }
        let result = results.first().copied().unwrap_or_default();
        match (reduction, kind) {
            (Reduction::Norm2, Type::F32) => u64::from(f32::from_bits(result as u32).sqrt().to_bits()),
            (Reduction::Norm2, Type::F64) => f64::from_bits(result).sqrt().to_bits(),
            _ => result,
        }
    })
}
