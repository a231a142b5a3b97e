//! Columns in 16 bits, for products of short rows that are made again and again.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use super::plan::THREADS;
use crate::blas::device_buffer;
use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::Program;
use crate::sparse::lazy::Lazy;
use crate::view::{VectorRef, View};

/// Which products read columns in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Narrowing {
    /// Products before the first that does: to make such columns takes as long as what some of them save.
    pub(super) after: usize,
    /// Entries of the smallest matrices whose products do.
    pub(super) min_entries: usize,
    /// Columns of a window: see `narrow.cl`.
    pub(super) span: usize,
}

impl Narrowing {
    /// Parameters of a device; none on CPUs, whose kernels are not bound by the width of indices.
    pub(super) fn of_device(device: &DeviceInfo) -> Option<Self> {
        let pays = device.class == DeviceClass::Gpu;
        pays.then_some(Narrowing { after: 8, min_entries: 1 << 20, span: 1 << 14 })
    }

    /// From the first product on, of any matrix.
    #[cfg(test)]
    pub(crate) fn at_once(span: usize) -> Self {
        Narrowing { after: 0, min_entries: 0, span }
    }
}

/// A matrix's columns in 16 bits, and where each work-group's windows begin.
#[derive(Debug)]
pub(super) struct NarrowColumns {
    pub(super) columns: DeviceBuffer,
    pub(super) bases: DeviceBuffer,
}

/// The narrow columns of a matrix whose products are counted until they pay.
#[derive(Debug)]
pub(super) struct CountedColumns {
    narrowing: Narrowing,
    products: AtomicUsize,
    /// Nothing where they do not fit.
    columns: Lazy<Option<NarrowColumns>>,
}

impl CountedColumns {
    /// Those of a matrix of so many entries, if it is one whose products need them.
    pub(super) fn new(narrowing: Option<Narrowing>, entries: usize) -> Option<Self> {
        let narrowing = narrowing.filter(|narrowing| entries >= narrowing.min_entries.max(1))?;
        Some(CountedColumns { narrowing, products: AtomicUsize::new(0), columns: Lazy::default() })
    }

    /// The columns for one more product, if it is to read them: the first that does calls `make` with the width of a
    /// window.
    pub(super) fn for_product(
        &self,
        make: impl FnOnce(usize) -> Result<Option<NarrowColumns>>,
    ) -> Result<Option<&NarrowColumns>> {
        if self.products.load(Ordering::Relaxed) < self.narrowing.after {
            self.products.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        self.columns.get_or_make(|| make(self.narrowing.span)).map(Option::as_ref)
    }
}

impl NarrowColumns {
    /// Those of a matrix whose work-groups, of so many entries a work-item, begin at `starts`, once they are made:
    /// nothing where a group's columns do not fit into its windows, or where the device's memory is short.
    pub(super) fn make(
        queue: &Queue,
        program: &Program,
        col_indices: &VectorRef<'_, i32>,
        (groups, items, starts): (usize, usize, &DeviceBuffer),
        span: usize,
    ) -> Result<Option<Self>> {
        let made = match Self::try_make(queue, program, col_indices, (groups, items, starts), span) {
            Err(Error::OutOfDeviceMemory { .. }) => None,
            made => made?,
        };
        tracing::debug!(entries = col_indices.length(), groups, fit = made.is_some(), "16-bit columns");
        Ok(made)
    }

    fn try_make(
        queue: &Queue,
        program: &Program,
        col_indices: &VectorRef<'_, i32>,
        (groups, items, starts): (usize, usize, &DeviceBuffer),
        span: usize,
    ) -> Result<Option<Self>> {
        let buffer = |bytes| DeviceBuffer::new(queue.context(), bytes, "the 16-bit columns of a sparse matrix");
        let columns = groups * THREADS * items;
        let made = NarrowColumns { columns: buffer(2 * columns)?, bases: buffer(16 * groups)? };
        let unfit = DeviceBuffer::of_indices(queue.context(), &[0])?;
        let launch = Launch::new(queue, program, "stream_encode_columns");
        let launch =
            launch.buffer(device_buffer(queue, col_indices.memory(), "indices")?).index(col_indices.shape().first());
        let launch = launch.buffer(starts).count(span).buffer(&made.columns).buffer(&made.bases).buffer(&unfit);
        launch.enqueue_step([groups, 1, 1], [THREADS, 1, 1])?;
        // The cache serves other queues, so this waits until it is complete.
        let mut found = [0i64];
        unfit.read(queue, &mut found)?;
        Ok((found == [0]).then_some(made))
    }
}
