//! Sparse matrices in blocks of rows.

use affinimath::sparse::{CsrArrays, CsrMatrix};
use affinimath::{Context, Op, Scalar, VectorMut, VectorRef, VectorShape};

use super::device::DeviceGhosts;
use super::ghosts::Ghosts;
use super::vector::{DistVector, Partition, check_partition};
use crate::agree::Agreement;
use crate::comm::Tag;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::memory::Memory;

/// A sparse matrix whose rows are in blocks of adjacent ones, one block for each rank.
///
/// A rank's rows are two matrices: the interior, whose columns are the rank's own elements of x, and the ghost columns,
/// which other ranks own. A product begins with the interior while ghosts travel. Both lie in host memory, or on each
/// rank's device ([`DistCsr::to_memory`]).
#[derive(Debug)]
pub struct DistCsr<T> {
    grid: Grid,
    rows: Partition,
    columns: Partition,
    interior: CsrMatrix<T>,
    /// Ghost columns, in host memory.
    boundary: CsrMatrix<T>,
    ghosts: Ghosts,
    /// Ghost columns and their exchange on the rank's device, where the interior lies there.
    device: Option<DeviceGhosts<T>>,
}

/// The interior, the ghost columns, and those of a device.
type Parts<T> = (CsrMatrix<T>, CsrMatrix<T>, Option<DeviceGhosts<T>>);

impl<T: Scalar> DistCsr<T> {
    /// The matrix of all ranks' rows: `row_ptr` to where the entries of each own row begin and to where the last one's
    /// end, the entries' columns in the whole matrix, from 0, and their values. x is partitioned by `columns`, y by
    /// `rows`.
    ///
    /// # Errors
    /// [`Error::Argument`] or [`Error::Rank`] for arrays that are no matrix, [`Error::Mismatch`] if ranks have other
    /// partitions, and an error on all ranks if one has no memory left.
    pub fn from_rows(
        grid: &Grid,
        rows: &Partition,
        columns: &Partition,
        row_ptr: &[usize],
        col_indices: &[usize],
        values: &[T],
    ) -> Result<Self> {
        let own = check_partition(grid, rows).and_then(|()| check_partition(grid, columns));
        let own = own.and_then(|()| {
            let count = rows.range(grid.rank()).len();
            check_rows(count, columns.length(), row_ptr, col_indices, values.len())
        });
        let agreement = Agreement::new("DistCsr::from_rows").integer("type", T::KIND as i64);
        let agreement = columns.agreed(rows.agreed(agreement, "rows"), "columns");
        grid.agree(agreement, own)?;
        grid.together(|| {
            let range = columns.range(grid.rank());
            let mut ghosts: Vec<usize> = col_indices.iter().copied().filter(|column| !range.contains(column)).collect();
            ghosts.sort_unstable();
            ghosts.dedup();
            let (mut interior, mut boundary) = (Rows::new(), Rows::new());
            for ends in row_ptr.windows(2) {
                for entry in ends[0]..ends[1] {
                    let column = col_indices[entry];
                    if range.contains(&column) {
                        interior.push(column - range.start, values[entry]);
                    } else {
                        let ghost = ghosts.partition_point(|index| *index < column);
                        boundary.push(ghost, values[entry]);
                    }
                }
                interior.end_row();
                boundary.end_row();
            }
            let (interior, boundary) = (interior.matrix(range.len())?, boundary.matrix(ghosts.len())?);
            let ghosts = Ghosts::new(grid.all(), columns, ghosts)?;
            let (rows, columns) = (rows.clone(), columns.clone());
            Ok(DistCsr { grid: grid.clone(), rows, columns, interior, boundary, ghosts, device: None })
        })
    }

    /// The matrix of entries (row, column, value) with indices in the whole matrix, on whatever ranks: they go to the
    /// ranks of their rows. Entries of one place add up, in the order of the ranks that gave them.
    ///
    /// # Errors
    /// Those of [`DistCsr::from_rows`].
    pub fn from_entries(
        grid: &Grid,
        rows: &Partition,
        columns: &Partition,
        entries: &[(usize, usize, T)],
    ) -> Result<Self> {
        let own = check_partition(grid, rows).and_then(|()| check_partition(grid, columns)).and_then(|()| {
            let (m, n) = (rows.length(), columns.length());
            match entries.iter().find(|(row, column, _)| *row >= m || *column >= n) {
                Some((row, column, _)) => {
                    Err(Error::argument("entries", format!("({row}, {column}) does not lie in {m} x {n} elements")))
                }
                None => Ok(()),
            }
        });
        let agreement = Agreement::new("DistCsr::from_entries").integer("type", T::KIND as i64);
        grid.agree(columns.agreed(rows.agreed(agreement, "rows"), "columns"), own)?;
        let mine = grid.together(|| exchange_entries(grid, rows, entries))?;
        let start = rows.range(grid.rank()).start;
        let (mut row_ptr, mut col_indices, mut values) = (vec![0; rows.range(grid.rank()).len() + 1], vec![], vec![]);
        for (row, column, value) in &mine {
            row_ptr[row - start + 1] += 1;
            col_indices.push(*column);
            values.push(*value);
        }
        (1..row_ptr.len()).for_each(|row| row_ptr[row] += row_ptr[row - 1]);
        Self::from_rows(grid, rows, columns, &row_ptr, &col_indices, &values)
    }

    /// The same matrix in host memory, or on the ranks' devices. All ranks call it.
    ///
    /// Products and solvers then run where the matrix lies.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if ranks disagree about the memory, [`Error::Rank`] on all ranks if one has no device or no
    /// memory left.
    pub fn to_memory(&self, memory: Memory) -> Result<Self> {
        let made = self.parts_in(memory);
        let agreement = self.agreement("DistCsr::to_memory").integer("memory", memory.code());
        self.grid.agree(agreement, made.as_ref().map(drop).map_err(Clone::clone))?;
        let (interior, boundary, device) = made?;
        let (rows, columns, ghosts) = (self.rows.clone(), self.columns.clone(), self.ghosts.clone());
        Ok(DistCsr { grid: self.grid.clone(), rows, columns, interior, boundary, ghosts, device })
    }

    fn parts_in(&self, memory: Memory) -> Result<Parts<T>> {
        let context = self.grid.context(memory)?;
        let interior = self.interior.to_context(&context)?;
        let device = match memory {
            Memory::Host => None,
            Memory::Device => Some(DeviceGhosts::new(&context, &self.boundary, &self.ghosts, interior.columns())?),
        };
        Ok((interior, self.boundary.duplicate()?, device))
    }

    /// y := alpha op(A) x + beta y. With beta = 0, y is not read. The result has the same bits in every run. The
    /// vectors lie where A lies. On devices the product may be under way on each device's queue when this returns.
    ///
    /// # Errors
    /// [`Error::Argument`] if the vectors' partitions are not those of A, or if they lie in other memory,
    /// [`Error::Mismatch`] if ranks disagree; y is as it was then. Else the error of the rank that failed.
    pub fn multiply(&self, op: Op, alpha: T, x: &DistVector<T>, beta: T, y: &mut DistVector<T>) -> Result<()> {
        let (from, to) = if op.transposes() { (&self.rows, &self.columns) } else { (&self.columns, &self.rows) };
        let own = if !x.grid().is_same(&self.grid) || !y.grid().is_same(&self.grid) {
            Err(Error::argument("grid", "the operands lie on different grids"))
        } else if x.partition() != from {
            Err(Error::argument("x", "its partition is not that of op(A)'s columns"))
        } else if y.partition() != to {
            Err(Error::argument("y", "its partition is not that of op(A)'s rows"))
        } else if let Some((name, vector)) = [("x", x), ("y", y)].into_iter().find(|(_, v)| v.memory() != self.memory())
        {
            Err(Error::argument(name, format!("it lies {}, and A does not", vector.memory().name())))
        } else {
            Ok(())
        };
        let agreement = self.agreement("DistCsr::multiply").integer("op", i64::from(op.code()));
        self.grid.agree(agreement.scalar("alpha", alpha).scalar("beta", beta), own)?;
        if self.device.is_some() {
            return self.grid.together(|| self.product_of_views(op, alpha, x.view()?, beta, y.view_mut()?));
        }
        self.multiply_parts(op, alpha, x.local(), beta, y.local_mut())
    }

    /// [`DistCsr::multiply`] on slices: each rank gives its parts of x and of y. If A lies on the ranks' devices, they
    /// are copied there, and y is copied back.
    ///
    /// # Errors
    /// [`Error::Argument`] or [`Error::Rank`] if a part is not as long as the rank's range, [`Error::Mismatch`] if
    /// ranks disagree; y is as it was then. Else the error of the rank that failed.
    pub fn multiply_local(&self, op: Op, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        let (from, to) = if op.transposes() { (&self.rows, &self.columns) } else { (&self.columns, &self.rows) };
        let parts = [("x", x.len(), from), ("y", y.len(), to)];
        let own = parts.into_iter().try_for_each(|(name, length, partition)| {
            let own = partition.range(self.grid.rank()).len();
            let rule = || format!("it has {length} elements for the {own} of this rank");
            if length == own { Ok(()) } else { Err(Error::argument(name, rule())) }
        });
        let agreement = self.agreement("DistCsr::multiply_local").integer("op", i64::from(op.code()));
        self.grid.agree(agreement.scalar("alpha", alpha).scalar("beta", beta), own)?;
        if self.device.is_none() {
            return self.multiply_parts(op, alpha, x, beta, y);
        }
        self.grid.together(|| {
            let context = self.interior.context();
            let (x, mut there) = (context.upload(x)?, context.upload(y)?);
            self.product_of_views(op, alpha, x.vector()?, beta, there.vector_mut()?)?;
            y.copy_from_slice(&there.download()?);
            Ok(())
        })
    }

    fn multiply_parts(&self, op: Op, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        self.grid.together(|| match op.transposes() {
            false => self.product(op, alpha, x, beta, y),
            true => self.transpose_product(op, alpha, x, beta, y),
        })
    }

    /// y := alpha op(A) x + beta y for the ranks' parts, on their devices.
    pub(super) fn product_of_views(
        &self,
        op: Op,
        alpha: T,
        x: VectorRef<'_, T>,
        beta: T,
        y: VectorMut<'_, T>,
    ) -> Result<()> {
        let Some(device) = &self.device else { return Err(Error::Local("A lies in host memory".to_owned())) };
        match op.transposes() {
            false => device.product(self.grid.all(), &self.interior, op, (alpha, x), (beta, y)),
            true => device.transpose_product(self.grid.all(), &self.interior, op, (alpha, x), (beta, y)),
        }
    }

    /// Entries of this rank's rows.
    pub fn nnz(&self) -> usize {
        self.interior.nnz() + self.boundary.nnz()
    }

    /// y := alpha A x + beta y for the ranks' parts: the interior while ghosts travel.
    pub(super) fn product(&self, op: Op, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        let comm = self.grid.all();
        let under_way = self.ghosts.begin(comm, x)?;
        multiply(&self.interior, op, alpha, x, beta, y)?;
        let ghosts = under_way.finish(self.ghosts.len())?;
        if !ghosts.is_empty() {
            multiply(&self.boundary, op, alpha, &ghosts, T::ONE, y)?;
        }
        Ok(())
    }

    /// y := alpha A^T x + beta y: contributions to other ranks' elements travel while the interior is computed.
    fn transpose_product(&self, op: Op, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        let comm = self.grid.all();
        let mut contributions = vec![T::ZERO; self.ghosts.len()];
        if !contributions.is_empty() {
            multiply(&self.boundary, op, alpha, x, T::ZERO, &mut contributions)?;
        }
        let under_way = self.ghosts.begin_reverse(comm, &contributions)?;
        multiply(&self.interior, op, alpha, x, beta, y)?;
        self.ghosts.add_reverse(under_way, y)
    }

    /// Arguments on which all ranks agree.
    pub(super) fn agreement(&self, operation: &'static str) -> Agreement {
        let agreement = Agreement::new(operation).integer("type", T::KIND as i64);
        self.columns.agreed(self.rows.agreed(agreement, "rows"), "columns")
    }
}

impl<T: Scalar> DistCsr<T> {
    /// Calls back for each entry of this rank's rows: its row and column in the whole matrix, and its value. Ranks may
    /// call it alone.
    ///
    /// # Errors
    /// Memory is exhausted.
    pub fn for_each_entry(&self, mut visit: impl FnMut(usize, usize, T)) -> Result<()> {
        let (rows, columns) = (self.rows.range(self.grid.rank()), self.columns.range(self.grid.rank()));
        let [interior, boundary] = [self.interior.download()?, self.boundary.download()?];
        for row in 0..rows.len() {
            let mut visit_row = |arrays: &CsrArrays<T>, column: &dyn Fn(usize) -> usize| {
                for entry in arrays.row_ptr[row] as usize..arrays.row_ptr[row + 1] as usize {
                    visit(rows.start + row, column(arrays.col_indices[entry] as usize), arrays.values[entry]);
                }
            };
            visit_row(&interior, &|own| columns.start + own);
            visit_row(&boundary, &|ghost| self.ghosts.index(ghost));
        }
        Ok(())
    }
}

impl<T> DistCsr<T> {
    /// Partition of the rows, and of y in y := A x.
    pub fn rows(&self) -> &Partition {
        &self.rows
    }

    /// Partition of the columns, and of x in y := A x.
    pub fn columns(&self) -> &Partition {
        &self.columns
    }

    /// Memory of the ranks' parts.
    pub fn memory(&self) -> Memory {
        if self.device.is_some() { Memory::Device } else { Memory::Host }
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// This rank's rows in the columns of its own range: of a square matrix the block on the diagonal.
    pub fn interior(&self) -> &CsrMatrix<T> {
        &self.interior
    }

    /// Elements of other ranks that this rank's rows refer to.
    pub fn ghosts(&self) -> usize {
        self.ghosts.len()
    }
}

/// y := alpha op(A) x + beta y on this rank.
fn multiply<T: Scalar>(a: &CsrMatrix<T>, op: Op, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
    let (x_shape, y_shape) = (VectorShape::new(x.len(), 0, 1)?, VectorShape::new(y.len(), 0, 1)?);
    let (x, y) = (VectorRef::from_slice(x, x_shape)?, VectorMut::from_slice(y, y_shape)?);
    a.multiply(op, alpha, x, beta, y)?.wait()?;
    Ok(())
}

/// Rows of a matrix, one entry after the other.
struct Rows<T> {
    row_ptr: Vec<i32>,
    col_indices: Vec<i32>,
    values: Vec<T>,
}

impl<T: Scalar> Rows<T> {
    fn new() -> Self {
        Rows { row_ptr: vec![0], col_indices: Vec::new(), values: Vec::new() }
    }

    fn push(&mut self, column: usize, value: T) {
        self.col_indices.push(column as i32);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.row_ptr.push(self.values.len() as i32);
    }

    fn matrix(self, columns: usize) -> Result<CsrMatrix<T>> {
        let rows = self.row_ptr.len() - 1;
        Ok(CsrMatrix::new(&Context::host(), rows, columns, &self.row_ptr, &self.col_indices, &self.values)?)
    }
}

fn check_rows(rows: usize, columns: usize, row_ptr: &[usize], col_indices: &[usize], values: usize) -> Result<()> {
    if row_ptr.len() != rows + 1 {
        let rule = format!("it has {} elements for {rows} rows of this rank", row_ptr.len());
        return Err(Error::argument("row_ptr", rule));
    }
    if row_ptr[0] != 0 || row_ptr[rows] != col_indices.len() || row_ptr.windows(2).any(|ends| ends[0] > ends[1]) {
        let rule = format!("it does not rise from 0 to {}, the number of entries", col_indices.len());
        return Err(Error::argument("row_ptr", rule));
    }
    if values != col_indices.len() {
        return Err(Error::argument("values", format!("there are {values} for {} entries", col_indices.len())));
    }
    if col_indices.len() > i32::MAX as usize || rows > i32::MAX as usize {
        return Err(Error::argument("values", "one rank has more than 2^31 - 1 entries or rows"));
    }
    match col_indices.iter().find(|column| **column >= columns) {
        Some(column) => Err(Error::argument("col_indices", format!("{column} is not less than {columns}"))),
        None => Ok(()),
    }
}

/// Sends entries to the ranks of their rows. The result is sorted by rows and columns; entries of one place are added.
fn exchange_entries<T: Scalar>(
    grid: &Grid,
    rows: &Partition,
    entries: &[(usize, usize, T)],
) -> Result<Vec<(usize, usize, T)>> {
    let comm = grid.all();
    let mut indices: Vec<Vec<i64>> = vec![Vec::new(); comm.size()];
    let mut values: Vec<Vec<T>> = vec![Vec::new(); comm.size()];
    for (row, column, value) in entries {
        let owner = rows.owner(*row);
        indices[owner].extend([*row as i64, *column as i64]);
        values[owner].push(*value);
    }
    let counts = values.iter().map(|part| part.len() as i64).collect();
    let lengths: Vec<usize> = comm.exchange_counts(counts)?.into_iter().map(|count| count as usize).collect();
    let twice: Vec<usize> = lengths.iter().map(|length| 2 * length).collect();
    let indices = comm.exchange(Tag::Exchange, indices, &twice)?.concat();
    let values = comm.exchange(Tag::Exchange, values, &lengths)?.concat();
    let indices = indices.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1] as usize));
    let mut mine: Vec<(usize, usize, T)> = indices.zip(values).map(|((row, column), v)| (row, column, v)).collect();
    mine.sort_by_key(|(row, column, _)| (*row, *column));
    let mut sums: Vec<(usize, usize, T)> = Vec::with_capacity(mine.len());
    for entry in mine {
        match sums.last_mut() {
            Some(last) if (last.0, last.1) == (entry.0, entry.1) => last.2 += entry.2,
            _ => sums.push(entry),
        }
    }
    Ok(sums)
}
