//! The bytes that slices occupy.

use crate::data::Layout;

/// The bytes of a slice.
pub(crate) struct Occupied<'a> {
    pub(crate) root: usize,
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) bytes: usize,
    pub(crate) layout: &'a Layout,
    pub(crate) name: &'a str,
}

impl Occupied<'_> {
    /// True if the slices may have an element in common. Slices that are interleaved with equal strides have none.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        if self.root != other.root || self.first >= other.end || other.first >= self.end {
            return false;
        }
        let is_like = self.layout.strides == other.layout.strides && self.bytes == other.bytes;
        let step = self.layout.strides.iter().copied().fold(0, greatest_common_divisor) * self.bytes;
        !(is_like && step > 0 && self.first.abs_diff(other.first) % step >= self.bytes)
    }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
