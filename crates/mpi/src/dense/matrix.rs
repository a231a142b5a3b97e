//! Distributed matrices.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use affinimath::{MatrixRef, Op, Scalar, Triangle};

use super::exchange;
use crate::agree::Agreement;
use crate::comm::allocate;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::layout::MatrixLayout;

/// A matrix in ScaLAPACK's two-dimensional block-cyclic layout.
///
/// A rank has its part as a column-major array in host memory; local work runs on the host or on the rank's device, as
/// the route of each call says.
#[derive(Clone, Debug)]
pub struct DistMatrix<T> {
    grid: Grid,
    layout: MatrixLayout,
    local: Local<T>,
    leading_dimension: usize,
}

/// Memory of a rank's part.
#[derive(Debug)]
enum Local<T> {
    /// The matrix' own.
    Own(Vec<T>),
    /// A program's, which it has promised to [`DistMatrix::from_raw_parts`].
    Lent(NonNull<T>, usize),
}

impl<T: Clone> Clone for Local<T> {
    fn clone(&self) -> Self {
        Local::Own(self.to_vec())
    }
}

impl<T> Deref for Local<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Local::Own(own) => own,
            // SAFETY: `from_raw_parts` requires memory that is valid while the value lives.
            Local::Lent(start, length) => unsafe { std::slice::from_raw_parts(start.as_ptr(), *length) },
        }
    }
}

impl<T> DerefMut for Local<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Local::Own(own) => own,
            // SAFETY: `from_raw_parts` requires memory that nobody else uses where the value is changed.
            Local::Lent(start, length) => unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), *length) },
        }
    }
}

impl<T: Scalar> DistMatrix<T> {
    /// A matrix of zeros. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if ranks disagree about the layout, and an error on all ranks if one has no memory left.
    pub fn zeros(grid: &Grid, layout: MatrixLayout) -> Result<Self> {
        Self::make(agreement::<T>("DistMatrix::zeros", &layout), grid, layout, Ok(()))
    }

    /// The matrix whose element (i, j) is `element(i, j)`, each computed on its own rank.
    /// A panic in it closes the grid.
    ///
    /// # Errors
    /// Those of [`DistMatrix::zeros`].
    pub fn from_fn(grid: &Grid, layout: MatrixLayout, mut element: impl FnMut(usize, usize) -> T) -> Result<Self> {
        let mut matrix = Self::make(agreement::<T>("DistMatrix::from_fn", &layout), grid, layout, Ok(()))?;
        grid.guarded(|| {
            let rows: Vec<usize> = layout.rows.indices(grid.row()).collect();
            let ld = matrix.leading_dimension;
            for (local, column) in layout.columns.indices(grid.column()).enumerate() {
                for (target, row) in matrix.local[local * ld..].iter_mut().zip(&rows) {
                    *target = element(*row, column);
                }
            }
        });
        Ok(matrix)
    }

    /// A ScaLAPACK program's matrix: its descriptor of nine integers and this rank's local array.
    ///
    /// # Errors
    /// [`Error::Argument`] for a wrong descriptor or a local array that is too short, on all ranks alike;
    /// [`Error::Mismatch`] if ranks have different descriptors. Leading dimensions may differ.
    pub fn from_descriptor(grid: &Grid, descriptor: &[i64; 9], local: Vec<T>) -> Result<Self> {
        let described = MatrixLayout::from_descriptor(grid, descriptor).and_then(|(layout, ld)| {
            let needed = ld * layout.columns.local_length(grid.column());
            if local.len() < needed {
                let rule = format!("it has {} elements, and its descriptor asks for {needed}", local.len());
                return Err(Error::argument("local", rule));
            }
            Ok((layout, ld))
        });
        let mut agreement = Agreement::new("DistMatrix::from_descriptor").integer("type", T::KIND as i64);
        let names = ["dtype", "", "m", "n", "mb", "nb", "rsrc", "csrc"];
        for (name, value) in names.into_iter().zip(descriptor).filter(|(name, _)| !name.is_empty()) {
            agreement = agreement.integer(name, *value);
        }
        grid.agree(agreement, described.as_ref().map(drop).map_err(Clone::clone))?;
        let (layout, leading_dimension) = described?;
        Ok(DistMatrix { grid: grid.clone(), layout, local: Local::Own(local), leading_dimension })
    }

    /// A matrix whose parts stay in the program's memory, from `local` to this rank's last element.
    /// Ranks do not compare their layouts here: routines do.
    ///
    /// # Errors
    /// [`Error::Argument`] for null with elements, and a leading dimension that is less than the local rows;
    /// [`Error::Local`] without memory for the columns of a part without rows.
    ///
    /// # Safety
    /// Until the value is dropped, the memory is valid for reads, and nobody writes it. Where the value is changed, it
    /// is valid for writes, and nobody else uses it.
    pub unsafe fn from_raw_parts(
        grid: &Grid,
        layout: MatrixLayout,
        local: *mut T,
        leading_dimension: usize,
    ) -> Result<Self> {
        let (rows, columns) = (layout.rows.local_length(grid.row()), layout.columns.local_length(grid.column()));
        if leading_dimension < rows.max(1) {
            let rule = format!("{leading_dimension} is less than the {} local rows", rows.max(1));
            return Err(Error::argument("leading_dimension", rule));
        }
        if rows == 0 || columns == 0 {
            // Nobody reads or writes elements of columns without rows, which have one each.
            let local = Local::Own(allocate(columns, T::ZERO)?);
            return Ok(DistMatrix { grid: grid.clone(), layout, local, leading_dimension: 1 });
        }
        let Some(start) = NonNull::new(local) else {
            return Err(Error::argument("local", "it is null, and the rank has elements"));
        };
        let local = Local::Lent(start, leading_dimension * (columns - 1) + rows);
        Ok(DistMatrix { grid: grid.clone(), layout, local, leading_dimension })
    }

    /// Distributes a matrix of one rank's. The other ranks give none.
    ///
    /// # Errors
    /// [`Error::Argument`] if the root's matrix is missing or has another shape, and those of [`DistMatrix::zeros`].
    pub fn scatter(grid: &Grid, layout: MatrixLayout, root: usize, full: Option<MatrixRef<'_, T>>) -> Result<Self> {
        let own = check_root(grid, layout.shape(), root, full.as_ref());
        // The root's columns one after the other: it is the one block of a layout.
        let whole = own.and_then(|()| full.filter(|_| grid.rank() == root).map(elements).transpose());
        let whole_layout = single_block(grid, layout.shape(), root);
        let own =
            whole.as_ref().map(drop).map_err(Clone::clone).and(whole_layout.as_ref().map(drop).map_err(Clone::clone));
        grid.agree(agreement::<T>("DistMatrix::scatter", &layout).size("root", root), own)?;
        let local = Local::Own(whole?.unwrap_or_default());
        let leading_dimension = layout.rows.length().max(1);
        let whole = DistMatrix { grid: grid.clone(), layout: whole_layout?, local, leading_dimension };
        whole.redistribute(Op::NoTrans, layout)
    }

    /// All of the matrix on one rank, by columns; nothing on the others.
    ///
    /// # Errors
    /// An error on all ranks if the root has no memory for it.
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        let whole = single_block(&self.grid, self.layout.shape(), root);
        let own = whole.as_ref().map(drop).map_err(Clone::clone);
        self.grid.agree(self.agreement("DistMatrix::gather").size("root", root), own)?;
        let mut whole = self.redistribute(Op::NoTrans, whole?)?.into_local();
        // Without rows, the local array has one element for each column all the same.
        whole.truncate(self.rows() * self.columns());
        Ok((self.grid.rank() == root).then_some(whole))
    }

    /// op(A) in another layout of the same grid.
    ///
    /// # Errors
    /// [`Error::Argument`] if the layout's shape is not that of op(A), [`Error::Mismatch`] if ranks disagree, and an
    /// error on all ranks if one has no memory left.
    pub fn redistribute(&self, op: Op, layout: MatrixLayout) -> Result<Self> {
        let (m, n) = self.layout.shape();
        let shape = if op.transposes() { (n, m) } else { (m, n) };
        let own = if shape == layout.shape() {
            Ok(())
        } else {
            let (rows, columns) = layout.shape();
            let rule = format!("it is {rows} x {columns}, and the matrix is {} x {}", shape.0, shape.1);
            Err(Error::argument("layout", rule))
        };
        let agreement = with_layout(self.agreement("DistMatrix::redistribute"), &layout);
        let agreement = agreement.integer("op", i64::from(op.code()));
        let mut result = Self::make(agreement, &self.grid, layout, own)?;
        self.grid.together(|| exchange::redistribute(self, op, &mut result))?;
        Ok(result)
    }

    /// Zeros, if all ranks agree, and have the memory.
    fn make(agreement: Agreement, grid: &Grid, layout: MatrixLayout, own: Result<()>) -> Result<Self> {
        let leading_dimension = layout.rows.local_length(grid.row()).max(1);
        let columns = layout.columns.local_length(grid.column());
        let local = own.and_then(|()| match leading_dimension.checked_mul(columns) {
            Some(length) => allocate(length, T::ZERO),
            None => Err(Error::Local(format!("{leading_dimension} x {columns} local elements are too many"))),
        });
        grid.agree(agreement, local.as_ref().map(drop).map_err(Clone::clone))?;
        Ok(DistMatrix { grid: grid.clone(), layout, local: Local::Own(local?), leading_dimension })
    }

    /// Takes the elements of a matrix of the same layout, or those of a triangle.
    pub(crate) fn copy_from(&mut self, other: &Self, triangle: Option<Triangle>) {
        debug_assert_eq!(self.layout, other.layout);
        let (rows, row, ld) = (self.layout.rows, self.grid.row(), self.leading_dimension);
        for (local, j) in self.layout.columns.indices(self.grid.column()).enumerate() {
            let range = match triangle {
                None => 0..self.local_rows(),
                Some(Triangle::Lower) => rows.local_from(row, j.min(rows.length()))..self.local_rows(),
                Some(Triangle::Upper) => 0..rows.local_from(row, (j + 1).min(rows.length())),
            };
            let source = &other.local[local * other.leading_dimension..];
            self.local[local * ld + range.start..local * ld + range.end].copy_from_slice(&source[range]);
        }
    }

    /// Its arguments for an agreement of all ranks.
    pub(crate) fn agreement(&self, operation: &'static str) -> Agreement {
        agreement::<T>(operation, &self.layout)
    }
}

impl<T> DistMatrix<T> {
    /// Rows of the whole matrix.
    pub fn rows(&self) -> usize {
        self.layout.rows.length()
    }

    /// Columns of the whole matrix.
    pub fn columns(&self) -> usize {
        self.layout.columns.length()
    }

    /// Its layout.
    pub fn layout(&self) -> &MatrixLayout {
        &self.layout
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// ScaLAPACK's descriptor, with a BLACS context of the caller's.
    pub fn descriptor(&self, context: i64) -> [i64; 9] {
        let (rows, columns) = (&self.layout.rows, &self.layout.columns);
        let sizes = [rows.length(), columns.length(), rows.block(), columns.block(), rows.source(), columns.source()];
        let [m, n, mb, nb, rsrc, csrc] = sizes.map(|size| size as i64);
        [1, context, m, n, mb, nb, rsrc, csrc, self.leading_dimension as i64]
    }

    /// This rank's part, by columns.
    pub fn local(&self) -> &[T] {
        &self.local
    }

    /// This rank's part, to write.
    pub fn local_mut(&mut self) -> &mut [T] {
        &mut self.local
    }

    /// This rank's part, without the rest: a copy of what stays in a program's memory.
    pub fn into_local(self) -> Vec<T>
    where
        T: Clone,
    {
        match self.local {
            Local::Own(own) => own,
            lent @ Local::Lent(..) => lent.to_vec(),
        }
    }

    /// Elements between the starts of neighbouring columns of the local array.
    pub fn leading_dimension(&self) -> usize {
        self.leading_dimension
    }

    /// Rows of this rank's part.
    pub fn local_rows(&self) -> usize {
        self.layout.rows.local_length(self.grid.row())
    }

    /// Columns of this rank's part.
    pub fn local_columns(&self) -> usize {
        self.layout.columns.local_length(self.grid.column())
    }
}

/// Arguments that all ranks have alike: the type and the layout.
fn agreement<T: Scalar>(operation: &'static str, layout: &MatrixLayout) -> Agreement {
    with_layout(Agreement::new(operation).integer("type", T::KIND as i64), layout)
}

/// Adds a layout.
fn with_layout(agreement: Agreement, layout: &MatrixLayout) -> Agreement {
    let (rows, columns) = (&layout.rows, &layout.columns);
    agreement
        .size("m", rows.length())
        .size("n", columns.length())
        .size("mb", rows.block())
        .size("nb", columns.block())
        .size("rsrc", rows.source())
        .size("csrc", columns.source())
}

/// Layout whose one block lies on a rank.
fn single_block(grid: &Grid, (m, n): (usize, usize), root: usize) -> Result<MatrixLayout> {
    if root >= grid.size() {
        return Err(Error::argument("root", format!("{root} is not less than {}, the ranks of the grid", grid.size())));
    }
    MatrixLayout::at(grid, (m, n), (m.max(1), n.max(1)), (root / grid.columns(), root % grid.columns()))
}

fn check_root<T: Scalar>(
    grid: &Grid,
    shape: (usize, usize),
    root: usize,
    full: Option<&MatrixRef<'_, T>>,
) -> Result<()> {
    match full {
        None if grid.rank() == root => Err(Error::argument("full", "the root has no matrix to scatter")),
        Some(full) if grid.rank() == root && (full.rows(), full.columns()) != shape => {
            let rule = format!("it is {} x {}, and the layout {} x {}", full.rows(), full.columns(), shape.0, shape.1);
            Err(Error::argument("full", rule))
        }
        _ => Ok(()),
    }
}

/// A matrix's elements, by columns.
fn elements<T: Scalar>(matrix: MatrixRef<'_, T>) -> Result<Vec<T>> {
    let (m, n) = (matrix.rows(), matrix.columns());
    let mut copy = allocate(m * n, T::ZERO)?;
    if !copy.is_empty() {
        let target = super::blocks::block_mut(&mut copy, m, &(0..m), &(0..n))?;
        affinimath::omatcopy(Op::NoTrans, T::ONE, matrix, target)?.wait()?;
    }
    Ok(copy)
}
