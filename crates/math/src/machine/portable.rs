//! One lane, by Rust's arithmetic: for processors without AVX2 and FMA.

use crate::Scalar;

use super::{Machine, Vectors};

/// The machine of one lane.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Machine for Portable {
    type Single = Scalar<f32>;
    type Double = Scalar<f64>;

    #[inline(always)]
    fn single(self) -> Scalar<f32> {
        Scalar::new()
    }
    #[inline(always)]
    fn double(self) -> Scalar<f64> {
        Scalar::new()
    }
}

macro_rules! vectors {
    ($real:ident) => {
        impl Vectors for Scalar<$real> {
            const WIDTH: usize = 1;

            #[inline(always)]
            unsafe fn load(self, from: *const $real) -> $real {
                // SAFETY: by contract: the element.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real, value: $real) {
                // SAFETY: by contract: the element.
                unsafe { to.write(value) }
            }
            #[inline(always)]
            unsafe fn load_first(self, _from: *const $real, _n: usize) -> $real {
                0.0
            }
            #[inline(always)]
            unsafe fn store_first(self, _to: *mut $real, _value: $real, _n: usize) {}
            #[inline(always)]
            unsafe fn stream(self, to: *mut $real, value: $real) {
                // SAFETY: by contract: the element.
                unsafe { to.write(value) }
            }
        }
    };
}

vectors!(f32);
vectors!(f64);
