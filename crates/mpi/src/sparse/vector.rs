//! Partitions of indices into one range for each rank, and vectors over them.

use std::ops::Range;
use std::rc::Rc;

use affinimath::{Scalar, VectorMut, VectorRef};

use crate::agree::Agreement;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::memory::{Local, Memory};

/// One range of adjacent indices for each rank, in the order of the ranks. Ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    starts: Rc<[usize]>,
}

impl Partition {
    /// `length` indices in ranges whose lengths differ by at most one.
    pub fn even(grid: &Grid, length: usize) -> Self {
        let (parts, each, more) = (grid.size(), length / grid.size(), length % grid.size());
        Partition { starts: (0..=parts).map(|part| part * each + part.min(more)).collect() }
    }

    /// The partition in which this rank has `own` indices. All ranks call it.
    ///
    /// # Errors
    /// The error of the rank that failed.
    pub fn from_own_length(grid: &Grid, own: usize) -> Result<Self> {
        grid.agree(Agreement::new("Partition::from_own_length"), Ok(()))?;
        let lengths = grid.together(|| grid.all().gather_all(vec![own as i64]))?;
        let mut starts = vec![0];
        for length in lengths {
            let end = starts[starts.len() - 1] + length as usize;
            starts.push(end);
        }
        Ok(Partition { starts: starts.into() })
    }

    /// Indices of all ranks.
    pub fn length(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Range of a rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Rank that has an index, which is less than the length.
    pub fn owner(&self, index: usize) -> usize {
        self.starts.partition_point(|start| *start <= index) - 1
    }

    /// Number of ranks.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds the partition to the arguments on which ranks agree.
    pub(super) fn agreed(&self, agreement: Agreement, name: &'static str) -> Agreement {
        let digest = self.starts.iter().fold(0_i64, |sum, start| sum.wrapping_mul(31).wrapping_add(*start as i64));
        agreement.size(name, self.length()).integer("the partition's digest", digest)
    }
}

/// A vector over a partition: a rank has the elements of its range, in host memory or on its device.
#[derive(Clone, Debug)]
pub struct DistVector<T> {
    grid: Grid,
    partition: Partition,
    local: Local<T>,
}

impl<T: Scalar> DistVector<T> {
    /// A vector of zeros in host memory.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if ranks disagree about the partition, and an error on all ranks if one has no memory left.
    pub fn zeros(grid: &Grid, partition: &Partition) -> Result<Self> {
        Self::zeros_in(grid, partition, Memory::Host)
    }

    /// A vector of zeros in host memory, or on the ranks' devices.
    ///
    /// # Errors
    /// Those of [`DistVector::zeros`]; [`Error::Rank`] on all ranks if one has no device.
    pub fn zeros_in(grid: &Grid, partition: &Partition, memory: Memory) -> Result<Self> {
        let own = check_partition(grid, partition);
        let own = own.and_then(|()| Local::zeros(grid, memory, partition.range(grid.rank()).len()));
        let agreement = Agreement::new("DistVector::zeros").integer("type", T::KIND as i64);
        let agreement = agreement.integer("memory", memory.code());
        grid.agree(partition.agreed(agreement, "length"), own.as_ref().map(drop).map_err(Clone::clone))?;
        Ok(DistVector { grid: grid.clone(), partition: partition.clone(), local: own? })
    }

    /// The vector whose element i is `element(i)`, each computed on its own rank. A panic in it closes the grid.
    ///
    /// # Errors
    /// Those of [`DistVector::zeros`].
    pub fn from_fn(grid: &Grid, partition: &Partition, element: impl FnMut(usize) -> T) -> Result<Self> {
        let mut vector = Self::zeros(grid, partition)?;
        grid.guarded(|| {
            let elements = partition.range(grid.rank()).map(element);
            vector.local_mut().iter_mut().zip(elements).for_each(|(target, element)| *target = element);
        });
        Ok(vector)
    }

    /// The vector of the ranks' parts. The partition is that of their lengths.
    ///
    /// # Errors
    /// The error of the rank that failed.
    pub fn from_local(grid: &Grid, local: Vec<T>) -> Result<Self> {
        let partition = Partition::from_own_length(grid, local.len())?;
        Ok(DistVector { grid: grid.clone(), partition, local: Local::Host(local) })
    }

    /// A copy in host memory, or on the ranks' devices. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if ranks disagree about the memory, [`Error::Rank`] on all ranks if one has no device or no
    /// memory left.
    pub fn to_memory(&self, memory: Memory) -> Result<Self> {
        let local = self.local.to_memory(&self.grid, memory);
        let agreement = self.agreement("DistVector::to_memory").integer("memory", memory.code());
        self.grid.agree(agreement, local.as_ref().map(drop).map_err(Clone::clone))?;
        Ok(DistVector { grid: self.grid.clone(), partition: self.partition.clone(), local: local? })
    }

    /// A copy of this rank's elements, from whatever memory. Ranks may call it alone.
    ///
    /// # Errors
    /// Errors of the device, also of earlier operations.
    pub fn download(&self) -> Result<Vec<T>> {
        self.local.download()
    }

    /// This rank's elements for the functions of one process, in whatever memory.
    ///
    /// # Errors
    /// None for a vector that exists; the type is that of the other view.
    pub fn view(&self) -> Result<VectorRef<'_, T>> {
        self.local.view()
    }

    /// The same, to write.
    ///
    /// # Errors
    /// The device has no memory left for a copy of what is shared with a clone.
    pub fn view_mut(&mut self) -> Result<VectorMut<'_, T>> {
        self.local.view_mut()
    }

    /// All elements, on every rank.
    ///
    /// # Errors
    /// The error of the rank that failed.
    pub fn to_all(&self) -> Result<Vec<T>> {
        self.grid.agree(self.agreement("DistVector::to_all"), Ok(()))?;
        self.grid.together(|| {
            let (all, mine) = (self.grid.all(), self.local.download()?);
            let lengths: Vec<usize> = (0..all.size()).map(|rank| self.partition.range(rank).len()).collect();
            let parts = (0..all.size()).map(|_| mine.clone()).collect();
            Ok(all.exchange(crate::comm::Tag::Exchange, parts, &lengths)?.concat())
        })
    }

    /// x^H y, the same number on all ranks, in every run.
    ///
    /// # Errors
    /// [`Error::Argument`] if the partitions or memories differ; else the error of the rank that failed.
    pub fn dot(&self, other: &Self) -> Result<T> {
        self.grid.agree(self.agreement("DistVector::dot"), self.check_same(other))?;
        self.grid.together(|| Ok(super::solve::dots_of(self.grid.all(), [(self.view()?, other.view()?)])?[0]))
    }

    /// The Euclidean norm.
    ///
    /// # Errors
    /// The error of the rank that failed.
    pub fn norm(&self) -> Result<f64> {
        self.grid.agree(self.agreement("DistVector::norm"), Ok(()))?;
        self.grid.together(|| super::solve::norm_of(self.grid.all(), self.view()?))
    }

    pub(super) fn local_part(&self) -> &Local<T> {
        &self.local
    }

    fn check_same(&self, other: &Self) -> Result<()> {
        if self.partition != other.partition || !self.grid.is_same(&other.grid) {
            return Err(Error::argument("y", "its partition is not that of x"));
        }
        if self.memory() != other.memory() {
            return Err(Error::argument("y", format!("it lies {}, and x does not", other.memory().name())));
        }
        Ok(())
    }

    pub(super) fn agreement(&self, operation: &'static str) -> Agreement {
        let agreement = Agreement::new(operation).integer("type", T::KIND as i64);
        self.partition.agreed(agreement, "length")
    }
}

impl<T> DistVector<T> {
    /// Memory of the ranks' elements.
    pub fn memory(&self) -> Memory {
        self.local.memory()
    }

    /// Elements of all ranks.
    pub fn length(&self) -> usize {
        self.partition.length()
    }

    /// Its partition.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Elements of this rank in host memory.
    ///
    /// # Panics
    /// The vector lies on the ranks' devices: [`DistVector::download`] and [`DistVector::view`] serve there.
    pub fn local(&self) -> &[T] {
        match &self.local {
            Local::Host(elements) => elements,
            Local::Device(..) => panic!("{ON_DEVICES}"),
        }
    }

    /// Elements of this rank in host memory, to write.
    ///
    /// # Panics
    /// The vector lies on the ranks' devices: [`DistVector::view_mut`] serves there.
    pub fn local_mut(&mut self) -> &mut [T] {
        match &mut self.local {
            Local::Host(elements) => elements,
            Local::Device(..) => panic!("{ON_DEVICES}"),
        }
    }
}

/// Message for a slice that is asked of a vector on devices.
const ON_DEVICES: &str = "the vector lies on the ranks' devices, and a slice is host memory";

/// Checks that a partition has a range for each rank of a grid.
pub(super) fn check_partition(grid: &Grid, partition: &Partition) -> Result<()> {
    if partition.parts() == grid.size() {
        return Ok(());
    }
    let rule = format!("it has {} ranges for {} ranks", partition.parts(), grid.size());
    Err(Error::argument("partition", rule))
}
