//! Matrices of the host's memory, cut into tiles.

use crate::context::TransferLimits;
use crate::error::Result;
use crate::scalar::Scalar;
use crate::transfer::{HostRuns, Span, block};
use crate::view::MatrixShape;

/// A tile: the number of its matrix in the plan, and its row and column in the grid of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TileIndex {
    pub(crate) matrix: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// A matrix in the host's memory, cut into tiles of `tile` rows and columns. The last ones are smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiled<T> {
    start: *mut T,
    shape: MatrixShape,
    tile: [usize; 2],
}

// SAFETY: an address and numbers: the memory is accessed by unsafe functions alone, which state its validity.
unsafe impl<T: Send> Send for Tiled<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Tiled<T> {}

impl<T: Scalar> Tiled<T> {
    pub(crate) fn new(start: *mut T, shape: MatrixShape, tile: [usize; 2]) -> Self {
        Tiled { start, shape, tile: tile.map(|size| size.max(1)) }
    }

    /// Numbers of rows and columns of tiles.
    pub(crate) fn grid(&self) -> [usize; 2] {
        [self.shape.rows().div_ceil(self.tile[0]), self.shape.columns().div_ceil(self.tile[1])]
    }

    /// A tile in the host's memory, and its shape when it lies alone on a device.
    pub(super) fn tile(&self, row: usize, column: usize) -> Result<(HostRuns, MatrixShape)> {
        let rows = span(row, self.tile[0], self.shape.rows());
        block(self.start, &self.shape, rows, span(column, self.tile[1], self.shape.columns()))
    }

    /// Bytes of the largest tile.
    pub(super) fn tile_bytes(&self) -> usize {
        self.tile[0].min(self.shape.rows()) * self.tile[1].min(self.shape.columns()) * size_of::<T>()
    }
}

/// Part `index` of `size` elements in parts of a length.
pub(super) fn span(index: usize, length: usize, size: usize) -> Span {
    (index * length, length.min(size - index * length))
}

/// Order of tiles: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileSize(pub(crate) usize);

/// Tiles are cut at multiples of this, where they are larger: what kernels like.
const GRAIN: usize = 128;
/// Order of tiles: at least, so that a product hides its transfers, and at most, so that the last ones end together.
const SMALLEST: usize = 512;
const LARGEST: usize = 4096;
/// Tiles of the longer side of a result.
const PARTS: usize = 8;
/// Tiles that a device's memory holds at least: three results on their way, their operands, and some to hold.
const HELD: u64 = 16;

impl TileSize {
    /// The order of tiles of a result with this longer side, for an element's size in bytes, on devices with these
    /// limits. It does not depend on the number of devices, but on the smallest memory.
    pub(crate) fn choose<'a>(
        longer: usize,
        element: usize,
        limits: impl IntoIterator<Item = &'a TransferLimits>,
    ) -> Self {
        let bytes = limits.into_iter().map(|limits| (limits.operand_bytes / HELD).min(limits.matrix_bytes)).min();
        let elements = bytes.unwrap_or(u64::MAX) / element as u64;
        let fitting = usize::try_from(elements.isqrt()).unwrap_or(LARGEST).max(1);
        let fitting = if fitting > GRAIN { fitting / GRAIN * GRAIN } else { fitting };
        let wanted = longer.div_ceil(PARTS).next_multiple_of(GRAIN).clamp(SMALLEST, LARGEST);
        TileSize(wanted.min(fitting))
    }
}

#[cfg(test)]
mod host {
    use super::*;

    fn limits(bytes: u64) -> TransferLimits {
        TransferLimits {
            zero_copy: false,
            chunk_bytes: 2 << 20,
            staged_from: 1 << 20,
            operand_bytes: bytes,
            matrix_bytes: bytes,
            cached_bytes: 0,
            overlapped_from: 0,
            parallel: true,
        }
    }

    #[test]
    fn tiles_fit_in_the_smallest_memory() {
        assert_eq!(TileSize::choose(32_768, 8, [&limits(64 << 30)]), TileSize(4096));
        assert_eq!(TileSize::choose(10_000, 8, [&limits(64 << 30)]), TileSize(1280));
        assert_eq!(TileSize::choose(100, 8, [&limits(64 << 30)]), TileSize(512));
        let small = limits(16 * 8 * 1000 * 1000);
        assert_eq!(TileSize::choose(32_768, 8, [&limits(64 << 30), &small]), TileSize(896));
        assert_eq!(TileSize::choose(32_768, 16, [&limits(0)]), TileSize(1));
    }
}
