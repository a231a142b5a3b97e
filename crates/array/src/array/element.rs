//! Single elements, and elements side by side.

use super::Array;
use crate::expr::Expr;
use crate::slice::Slice;
use crate::types::Element;
use affinimath_core::Result;

impl<T: Element> Expr<T> {
    /// One element; negative indices count from the end. It waits for the evaluation.
    ///
    /// There is no `x[[i, j]]`: Rust's `Index` gives a reference, and memory of a device has none. Each call is one
    /// transfer, so that loops over elements read [`to_vec`](Expr::to_vec) instead.
    #[track_caller]
    pub fn get<I: Into<Slice>, const N: usize>(&self, index: [I; N]) -> Result<T> {
        self.at(index.map(Into::into)).value()
    }

    /// The elements in row-major order without gaps: the array itself where it lies so, else a copy.
    #[track_caller]
    pub fn contiguous(&self) -> Result<Array<T>> {
        let array = self.eval()?;
        if array.is_contiguous() { Ok(array) } else { array.copied() }
    }
}
