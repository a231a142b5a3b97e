//! Shared parts of the tests of level 1: backends, and vectors between canaries.

use crate::scalar::{Complex64, Scalar};
pub(super) use crate::testing::contexts;
use crate::view::VectorShape;

/// Increments of two vectors, in all directions.
pub(super) const INCREMENTS: &[(isize, isize)] =
    &[(1, 1), (-1, -1), (1, -1), (-1, 1), (2, 1), (1, -2), (3, 2), (-3, -3)];

/// A vector between canaries; `shape` locates its elements in `data`.
#[derive(Clone)]
pub(super) struct Strided<T> {
    pub(super) data: Vec<T>,
    pub(super) shape: VectorShape,
}

fn number<T: Scalar>(i: usize, seed: usize) -> T {
    let unit = |k: usize| ((k * 7919 + seed * 104_729) % 2003) as f64 / 1001.0 - 1.0;
    T::from_parts(unit(2 * i), unit(2 * i + 1))
}

impl<T: Scalar> Strided<T> {
    /// Pseudorandom values, different for each seed.
    pub(super) fn new(n: usize, increment: isize, seed: usize) -> Self {
        Self::from_fn(n, increment, |i| number(i, seed))
    }

    /// Element i is f(i); everything else is NaN.
    pub(super) fn from_fn(n: usize, increment: isize, f: impl Fn(usize) -> T) -> Self {
        let shape = VectorShape::new(n, 3, increment).unwrap();
        let mut vector = Strided { data: vec![T::from_parts(f64::NAN, f64::NAN); shape.end() + 2], shape };
        for i in 0..n {
            let index = vector.index(i);
            vector.data[index] = f(i);
        }
        vector
    }

    pub(super) fn index(&self, i: usize) -> usize {
        (self.shape.first() as isize + i as isize * self.shape.increment()) as usize
    }

    pub(super) fn element(&self, i: usize) -> Complex64 {
        let value = self.data[self.index(i)];
        Complex64::new(value.re(), value.im())
    }

    /// True if everything between and around the elements is still NaN.
    pub(super) fn canaries_live(&self) -> bool {
        let mut is_element = vec![false; self.data.len()];
        (0..self.shape.length()).for_each(|i| is_element[self.index(i)] = true);
        self.data.iter().zip(is_element).all(|(value, is_element)| is_element || value.re().is_nan())
    }
}
