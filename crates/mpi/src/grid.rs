//! Grids of ranks.

use std::cell::Cell;
use std::rc::Rc;

use affinimath::{Device, DeviceClass};
use mpi::traits::AsRaw;
use mpi::{ffi, topology};

use crate::agree::Agreement;
use crate::comm::{Communicator, Process, Watch, duplicate};
use crate::error::{Error, Result};

thread_local! {
    /// True once a grid of this thread was closed by a failure.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// True once a grid of this thread was closed by a failure.
pub(crate) fn any_failed() -> bool {
    FAILED.get()
}

/// Ranks of a communicator as `p` rows and `q` columns, row by row: rank `r` is in row `r / q` and column `r % q`.
///
/// A clone is the same grid. Distributed matrices keep it.
#[derive(Clone)]
pub struct Grid(Rc<Inner>);

struct Inner {
    rows: usize,
    columns: usize,
    row: usize,
    column: usize,
    all: Communicator,
    along_row: Communicator,
    along_column: Communicator,
    local_rank: usize,
    local_size: usize,
    device: Option<usize>,
}

impl Grid {
    /// Makes a grid of `rows x columns` from all ranks of a communicator, which is duplicated. All of them call it.
    ///
    /// A rank takes the GPU of its number among the ranks of its host, round robin, unless `AFFINIMATH_DEVICE` or
    /// [`affinimath::route::set_device`] says otherwise; without GPUs its part of the host's cores.
    ///
    /// # Errors
    /// [`Error::Argument`] if the communicator does not have `rows * columns` ranks, [`Error::Mismatch`] if ranks
    /// disagree about the sizes, and what MPI reports.
    pub fn new(
        communicator: &(impl topology::Communicator + AsRaw<Raw = ffi::MPI_Comm>),
        rows: usize,
        columns: usize,
    ) -> Result<Self> {
        // SAFETY: the communicator is valid while it is borrowed.
        unsafe { Self::from_raw(communicator.as_raw(), rows, columns) }
    }

    /// The grid of one row for each rank: what sparse matrices and vectors need.
    ///
    /// # Errors
    /// Those of [`Grid::new`].
    pub fn line(communicator: &(impl topology::Communicator + AsRaw<Raw = ffi::MPI_Comm>)) -> Result<Self> {
        Self::new(communicator, communicator.size() as usize, 1)
    }

    /// [`Grid::new`] from a handle, such as one that C gave.
    ///
    /// # Safety
    /// It is a valid communicator.
    ///
    /// # Errors
    /// Those of [`Grid::new`].
    pub unsafe fn from_raw(communicator: ffi::MPI_Comm, rows: usize, columns: usize) -> Result<Self> {
        // SAFETY: by contract.
        let (messages, control) = unsafe { (duplicate(communicator)?, duplicate(communicator)?) };
        let all = Communicator::new(messages, Rc::new(Watch::new(control)?))?;
        let size = all.size();
        let shape = if rows.checked_mul(columns) == Some(size) {
            Ok(())
        } else {
            Err(Error::argument("grid", format!("{rows} x {columns} is not the number of ranks, which is {size}")))
        };
        Agreement::new("Grid::new").size("rows", rows).size("columns", columns).conclude(&all, shape)?;
        let (row, column) = (all.rank() / columns, all.rank() % columns);
        let along_row = all.split(row, column)?;
        let along_column = all.split(column, row)?;
        let host = all.split_shared()?;
        watch_neighbours(&all, &host)?;
        let (local_rank, local_size) = (host.rank(), host.size());
        let device = choose_device(local_rank);
        // A device that is there and cannot be used is every rank's error.
        Agreement::new("Grid::new").conclude(&all, device.as_ref().map(drop).map_err(Clone::clone))?;
        share_cores(&host)?;
        let device = device?;
        let inner = Inner { rows, columns, row, column, all, along_row, along_column, local_rank, local_size, device };
        Ok(Grid(Rc::new(inner)))
    }

    /// Rows of ranks.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Columns of ranks.
    pub fn columns(&self) -> usize {
        self.0.columns
    }

    /// Row of this rank.
    pub fn row(&self) -> usize {
        self.0.row
    }

    /// Column of this rank.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.0.all.rank()
    }

    /// Ranks of the grid.
    pub fn size(&self) -> usize {
        self.0.all.size()
    }

    /// Number of this rank among those of its host, and how many they are.
    pub fn local_rank(&self) -> (usize, usize) {
        (self.0.local_rank, self.0.local_size)
    }

    /// Index in [`Device::all`] of the device that this rank's work goes to; none where it goes to the host.
    pub fn device(&self) -> Option<usize> {
        self.0.device
    }

    /// Location of each rank's work: the name of its device, or the host with its threads. All ranks call it.
    ///
    /// # Errors
    /// The error of the rank that failed.
    pub fn devices(&self) -> Result<Vec<String>> {
        let describe = || match self.device() {
            None => Ok(format!("the host, on {} threads", affinimath::num_threads()?)),
            Some(index) => match Device::all()?.get(index) {
                Some(device) => Ok(format!("device {index}, {}", device.info().name)),
                None => Err(Error::Local(format!("there is no device {index}"))),
            },
        };
        let own = describe();
        self.agree(Agreement::new("Grid::devices"), own.as_ref().map(drop).map_err(Clone::clone))?;
        let own = own?;
        self.together(|| (0..self.size()).map(|rank| self.0.all.broadcast_text(rank, &own)).collect())
    }

    /// Waits until all ranks of the grid make the call.
    ///
    /// # Errors
    /// The error that has closed the grid.
    pub fn barrier(&self) -> Result<()> {
        self.agree(Agreement::new("Grid::barrier"), Ok(()))
    }

    /// Compares integers of all ranks, and takes each rank's opinion of its own arguments: the beginning of a function
    /// that all ranks call, for those that are written over this crate. At most 32 integers.
    ///
    /// # Errors
    /// [`Error::Operations`] if ranks call different functions, [`Error::Mismatch`] if they have different integers;
    /// [`Error::Argument`] if all refuse an argument of one name, else [`Error::Rank`].
    pub fn agree_on(&self, function: &'static str, integers: &[(&'static str, i64)], own: Result<()>) -> Result<()> {
        let agreement = integers.iter().fold(Agreement::new(function), |all, (name, value)| all.integer(name, *value));
        self.agree(agreement, own)
    }

    /// Fails on all ranks: every call of theirs on this grid, also one that waits, returns this rank's message.
    ///
    /// For a program's own errors, of which the other ranks cannot know.
    pub fn fail(&self, message: &str) -> Error {
        FAILED.set(true);
        self.0.all.watch().raise(Error::Local(message.to_owned()))
    }

    /// The error that has closed the grid, if there is one.
    pub fn failure(&self) -> Option<Error> {
        self.0.all.watch().failure()
    }

    /// All ranks.
    pub(crate) fn all(&self) -> &Communicator {
        &self.0.all
    }

    /// Ranks of this one's row, in the order of the columns.
    pub(crate) fn along_row(&self) -> &Communicator {
        &self.0.along_row
    }

    /// Ranks of this one's column, in the order of the rows.
    pub(crate) fn along_column(&self) -> &Communicator {
        &self.0.along_column
    }

    /// True if both are one grid, or grids of the same shape and ranks.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Does work that ends on this rank alone if it panics, which closes the grid then: nobody waits for this rank.
    pub(crate) fn guarded<R>(&self, work: impl FnOnce() -> R) -> R {
        let guard = PanicGuard(self);
        let result = work();
        std::mem::forget(guard);
        result
    }

    /// Does work of all ranks. An error or a panic of this rank's is told to all of them, so that nobody waits for it.
    pub(crate) fn together<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        self.guarded(work).map_err(|error| {
            FAILED.set(true);
            self.0.all.watch().raise(error)
        })
    }

    /// Agrees on arguments. A mismatch, or an argument that is wrong on some rank, is an error on all of them.
    pub(crate) fn agree(&self, agreement: Agreement, own: Result<()>) -> Result<()> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        agreement.conclude(&self.0.all, own).inspect_err(|_| {
            if self.failure().is_some() {
                FAILED.set(true);
            }
        })
    }
}

/// Closes a grid when it is dropped, in the middle of unwinding.
struct PanicGuard<'g>(&'g Grid);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.fail("it has panicked");
    }
}

/// The last handle of a grid is dropped by all ranks together: freeing communicators is collective. A rank that drops
/// it while others call a routine closes the grid, and nobody waits for it.
impl Drop for Inner {
    fn drop(&mut self) {
        let watch = self.all.watch();
        if watch.failure().is_some() || std::thread::panicking() || mpi::environment::is_finalized() {
            return;
        }
        if let Err(error) = Agreement::new("Grid::drop").conclude(&self.all, Ok(())) {
            FAILED.set(true);
            watch.raise(error);
        }
    }
}

impl std::fmt::Debug for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Grid({} x {}, rank {})", self.rows(), self.columns(), self.rank())
    }
}

/// Tells the watch the processes of this host's other ranks, as far as their numbers mean the same here.
fn watch_neighbours(all: &Communicator, host: &Communicator) -> Result<()> {
    let this = Process::this();
    let mine = vec![all.rank() as i64, i64::from(this.id), this.start, this.namespace];
    let found = host.gather_all(mine)?;
    let mut neighbours = Vec::new();
    for other in found.chunks_exact(4) {
        let process = Process { id: other[1] as u32, start: other[2], namespace: other[3] };
        let known = process.start != 0 && process.namespace != 0 && process.namespace == this.namespace;
        if known && process.id != this.id {
            neighbours.push((other[0] as usize, process));
        }
    }
    all.watch().set_neighbours(neighbours);
    Ok(())
}

/// Device of this rank: the setting's, else the GPU of its number among the host's ranks.
fn choose_device(local_rank: usize) -> Result<Option<usize>> {
    let chosen = || affinimath::route::device().map(|index| usize::try_from(index).ok());
    if std::env::var_os("AFFINIMATH_DEVICE").is_some_and(|value| !value.is_empty() && value != "auto") {
        return Ok(chosen()?);
    }
    // A machine without a loader has no devices.
    let devices = Device::all().unwrap_or_default();
    let gpus: Vec<usize> =
        (0..devices.len()).filter(|index| devices[*index].info().class != DeviceClass::Cpu).collect();
    if gpus.is_empty() {
        return Ok(chosen()?);
    }
    affinimath::route::set_device(gpus[local_rank % gpus.len()] as i64)?;
    Ok(chosen()?)
}

/// Divides the host's cores among its ranks, unless settings say how many threads work or ranks are bound to cores.
fn share_cores(host: &Communicator) -> Result<()> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let own = allowed_cores();
    let words = host.gather_all(own.to_vec())?;
    let union = words.chunks_exact(own.len()).fold([0_i64; MASK], |mut union, mask| {
        union.iter_mut().zip(mask).for_each(|(word, other)| *word |= *other);
        union
    });
    let count = |mask: &[i64]| mask.iter().map(|word| word.count_ones() as usize).sum::<usize>();
    if ["AFFINIMATH_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"].into_iter().any(is_set) || count(&own) == 0 {
        return Ok(());
    }
    let threads = count(&own).min(count(&union) / host.size()).max(1);
    affinimath::set_num_threads(threads)?;
    Ok(())
}

/// Words of a mask of cores: glibc's 1,024.
const MASK: usize = 16;

/// Cores that this process may run on, a bit each; none where the system does not tell.
fn allowed_cores() -> [i64; MASK] {
    let mut mask = [0_i64; MASK];
    // SAFETY: the mask has the size that is told.
    let code = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
    if code == 0 { mask } else { [0; MASK] }
}
