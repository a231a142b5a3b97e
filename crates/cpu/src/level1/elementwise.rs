//! copy, swap, scal, axpy, axpby on the host.

use affinimath_macros::instances;
use faer::traits::pulp::Arch;

use super::adjacent;
use super::raw_vector::{RawVector, in_parts};
use affinimath_core::division::scale_by;
use affinimath_core::problem::Elementwise;
use affinimath_core::scalar::Scalar;

/// Runs an operation on y and, if it takes one, an x of the same length.
#[instances]
pub fn elementwise<T: Scalar>(operation: &Elementwise<T>, x: Option<RawVector<T>>, y: RawVector<T>) {
    // Elements are independent: two vectors with negative increments are processed forward.
    let (x, y) = if y.backward() { (x.map(RawVector::reversed), y.reversed()) } else { (x, y) };
    let partner = || x.expect("a partner, as the operation has one");
    match *operation {
        Elementwise::Set(alpha) => update(y, |y| *y = alpha),
        Elementwise::Scal(alpha) => update(y, |y| *y = alpha * *y),
        Elementwise::ScalReal(alpha) => update(y, |y| *y = y.scaled(alpha)),
        Elementwise::Copy => update_from(partner(), y, |x, y| *y = x),
        Elementwise::Swap => update_both(partner(), y, std::mem::swap),
        Elementwise::Axpy(alpha) => axpy(alpha, partner(), y),
        Elementwise::Axpby(alpha, beta) if beta == T::ZERO => update_from(partner(), y, |x, y| *y = scale_by(alpha, x)),
        Elementwise::Axpby(alpha, beta) => {
            update_from(partner(), y, |x, y| *y = scale_by(alpha, x) + scale_by(beta, *y))
        }
        Elementwise::Rotate([h11, h12, h21, h22]) => update_both(partner(), y, |x, y| {
            (*x, *y) = (x.scaled(h11) + y.scaled(h12), x.scaled(h21) + y.scaled(h22));
        }),
        Elementwise::RotateComplex(c, s) => update_both(partner(), y, |x, y| {
            (*x, *y) = (x.scaled(c) + s * *y, y.scaled(c) - s.conjugate() * *x);
        }),
    }
}

fn update<T: Scalar>(y: RawVector<T>, f: impl Fn(&mut T) + Sync) {
    in_parts(y.length(), size_of::<T>(), |range| {
        let mut y = y.part(&range);
        match y.as_slice_mut() {
            Some(y) => Arch::new().dispatch(|| y.iter_mut().for_each(&f)),
            // SAFETY: indices are below the vector's length.
            None => (0..y.length()).for_each(|i| f(unsafe { &mut *y.at(i) })),
        }
    });
}

fn update_from<T: Scalar>(x: RawVector<T>, y: RawVector<T>, f: impl Fn(T, &mut T) + Sync) {
    in_parts(y.length(), 2 * size_of::<T>(), |range| {
        let (x, mut y) = (x.part(&range), y.part(&range));
        if let (Some(x), Some(y)) = (x.as_slice(), y.as_slice_mut()) {
            return Arch::new().dispatch(|| x.iter().zip(y).for_each(|(x, y)| f(*x, y)));
        }
        // SAFETY: the strands hold their elements.
        (0..y.length()).for_each(|i| unsafe { f(*x.at(i), &mut *y.at(i)) });
    });
}

fn axpy<T: Scalar>(alpha: T, x: RawVector<T>, y: RawVector<T>) {
    in_parts(y.length(), 2 * size_of::<T>(), |range| {
        let (x, mut y) = (x.part(&range), y.part(&range));
        if let (Some(x), Some(y)) = (x.as_slice(), y.as_slice_mut()) {
            return adjacent::axpy(alpha, x, y);
        }
        // SAFETY: the strands hold their elements.
        (0..y.length()).for_each(|i| unsafe { *y.at(i) += scale_by(alpha, *x.at(i)) });
    });
}

fn update_both<T: Scalar>(x: RawVector<T>, y: RawVector<T>, f: impl Fn(&mut T, &mut T) + Sync) {
    in_parts(y.length(), 2 * size_of::<T>(), |range| {
        let (mut x, mut y) = (x.part(&range), y.part(&range));
        if let (Some(x), Some(y)) = (x.as_slice_mut(), y.as_slice_mut()) {
            return Arch::new().dispatch(|| x.iter_mut().zip(y).for_each(|(x, y)| f(x, y)));
        }
        // SAFETY: the strands hold their elements, and do not overlap.
        (0..y.length()).for_each(|i| unsafe { f(&mut *x.at(i), &mut *y.at(i)) });
    });
}
