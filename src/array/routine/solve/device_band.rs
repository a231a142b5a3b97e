//! Diagonals and bands in a device's memory: gathered, eliminated and solved with there.

use super::System;
use super::band::first_zero_pivot;
use super::dense::Mixed;
use crate::array::routine::stack::Stack;
use crate::context::{BufferParts, DeviceBuffer, Event, Queue};
use crate::error::Result;
use crate::lapack::{eliminates_bands, gbsv_batched_on, gtsv_batched_on};
use crate::route::lapack::gtsv_there;
use crate::view::{VectorMut, VectorShape};

impl<T: Mixed> System<'_, T> {
    /// LU with partial pivoting of three diagonals.
    pub(super) fn tridiagonal_on_device(&mut self) -> Result<()> {
        let (n, count) = (self.solution.rows, self.solution.count);
        let [mut dl, mut d, mut du] = [
            Stack::diagonal(self.run, self.a, -1)?,
            Stack::diagonal(self.run, self.a, 0)?,
            Stack::diagonal(self.run, self.a, 1)?,
        ];
        let queue = self.solution.queue()?;
        let infos = Integers::new(&queue, count)?;
        let diagonals = [dl.elements()?, d.elements()?, du.elements()?];
        let event: Event = match count {
            1 => gtsv_there(&queue, diagonals, self.solution.matrix(0)?, infos.view()?)?,
            _ => gtsv_batched_on(&queue, diagonals, [n - 1, n, n - 1], self.solution.all()?, infos.view()?)?,
        };
        event.wait()?;
        first_zero_pivot(&infos.read(&queue)?)
    }

    /// True if bands are eliminated on the device.
    pub(super) fn has_bands_on_device(&self, diagonals: [usize; 2]) -> bool {
        let [count, n, columns] = [self.solution.count, self.solution.rows, self.solution.columns];
        let device = self.run.context().device();
        device.is_some_and(|device| eliminates_bands(T::KIND, [count, n, columns], diagonals, device.info()))
    }

    /// LU with partial pivoting of bands.
    pub(super) fn band_on_device(&mut self, [lower, upper]: [usize; 2]) -> Result<()> {
        let (n, count) = (self.solution.rows, self.solution.count);
        let mut bands = Stack::<T>::band(self.run, self.a, [lower, upper])?;
        let queue = self.solution.queue()?;
        let (pivots, infos) = (Integers::new(&queue, n * count)?, Integers::new(&queue, count)?);
        let (ab, b) = (bands.all()?, self.solution.all()?);
        gbsv_batched_on(&queue, lower, upper, ab, pivots.view()?, n, b, infos.view()?)?.wait()?;
        first_zero_pivot(&infos.read(&queue)?)
    }
}

/// Pivots or infos in a device's memory.
struct Integers {
    memory: DeviceBuffer,
    count: usize,
}

impl Integers {
    fn new(queue: &Queue, count: usize) -> Result<Self> {
        let memory = DeviceBuffer::new(queue.context(), (count * size_of::<i32>()).max(1), "pivots")?;
        Ok(Integers { memory, count })
    }

    fn view(&self) -> Result<VectorMut<'_, i32>> {
        VectorMut::from_device(&self.memory, VectorShape::new(self.count, 0, 1)?, "pivots")
    }

    fn read(&self, queue: &Queue) -> Result<Vec<i32>> {
        let mut values = vec![0; self.count];
        if self.count > 0 {
            self.memory.read(queue, &mut values)?;
        }
        Ok(values)
    }
}
