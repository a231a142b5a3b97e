//! Properties of the values of matrices, where they lie: on the host by a scan that ends early, on a device by a
//! reduction.

use std::marker::PhantomData;

use affinimath_array::element::HostSliceMut;
use affinimath_array::executor::Executor;
use affinimath_array::library::MatrixProperties;
use affinimath_array::plan::Operand;
use affinimath_array::shape::Shape;
use faer::MatRef;

use super::System;
use super::dense::Mixed;
use crate::array::executor::ContextExecutor;
use crate::array::routine::stack::{Stack, evaluated, last_two};
use crate::array::steps::{Memory, Run};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

impl<T: Mixed> System<'_, T> {
    /// The properties of all matrices together.
    pub(super) fn properties(&mut self) -> Result<MatrixProperties> {
        if let Some(matrices) = HostMatrices::<T>::of(self.run, self.a)? {
            let properties = (0..self.solution.count).map(|index| properties_of(matrices.matrix(index)));
            return properties
                .reduce(MatrixProperties::and)
                .ok_or_else(|| Error::Internal("properties of no matrix".to_owned()));
        }
        let copy = Stack::of(self.run, self.a)?;
        let expression = MatrixProperties::expression(&copy.node()?);
        self.copy = Some(copy);
        let found = evaluated(self.run, expression)?;
        let mut words = [0; MatrixProperties::WORDS];
        let shape = Shape::new(&[words.len()]).map_err(|kind| Error::Internal(kind.to_string()))?;
        let executor = ContextExecutor::new(self.run.context().clone());
        executor.download(&found, &shape, HostSliceMut::I64(&mut words))?;
        Ok(MatrixProperties::from_words(words))
    }
}

/// Matrices in the host's memory, with any strides. A conjugate that is meant is not taken.
pub(super) struct HostMatrices<'r, T> {
    /// The memory's first element.
    memory: *const T,
    /// Elements before the first matrix.
    offset: usize,
    extents: Vec<usize>,
    strides: Vec<i64>,
    lifetime: PhantomData<&'r T>,
}

impl<'r, T: Scalar> HostMatrices<'r, T> {
    /// Those of an operand; `None` where they lie in a device's memory.
    pub(super) fn of(run: &'r Run<'_>, operand: &Operand) -> Result<Option<Self>> {
        let Memory::Host(memory, _) = run.memory(operand)? else { return Ok(None) };
        let (extents, strides) = (operand.extents.clone(), operand.strides.clone());
        let memory = memory.cast::<T>().cast_const();
        Ok(Some(HostMatrices { memory, offset: run.offset(operand), extents, strides, lifetime: PhantomData }))
    }

    /// Matrix `index` of the batch.
    pub(super) fn matrix(&self, mut index: usize) -> MatRef<'_, T> {
        let axes = self.extents.len() - 2;
        let mut offset = self.offset as i64;
        for axis in (0..axes).rev() {
            offset += (index % self.extents[axis].max(1)) as i64 * self.strides[axis];
            index /= self.extents[axis].max(1);
        }
        let [rows, columns] = [self.extents[axes], self.extents[axes + 1]];
        let [row_stride, column_stride] = [self.strides[axes] as isize, self.strides[axes + 1] as isize];
        let first = self.memory.wrapping_offset(offset as isize);
        // SAFETY: the plan proves that the operand's elements lie in its memory, and no step that runs now writes them.
        unsafe { MatRef::from_raw_parts(first, rows, columns, row_stride, column_stride) }
    }
}

/// The properties of a square matrix. Each search ends where it is decided: a matrix without structure is hardly read.
fn properties_of<T: Scalar>(a: MatRef<'_, T>) -> MatrixProperties {
    if a.row_stride().unsigned_abs() > a.col_stride().unsigned_abs() {
        let properties = properties_of(a.transpose());
        return MatrixProperties { lower: properties.upper, upper: properties.lower, ..properties };
    }
    let (n, elements) = (a.nrows(), Elements::of(a));
    let (mut lower, mut upper) = (0, 0);
    for j in 0..n {
        // SAFETY: rows and columns are below n.
        let is_nonzero = |i: &usize| unsafe { elements.at(*i, j) } != T::ZERO;
        if let Some(i) = (j + lower + 1..n).rev().find(is_nonzero) {
            lower = i - j;
        }
        if let Some(i) = (0..j.saturating_sub(upper)).find(is_nonzero) {
            upper = j - i;
        }
    }
    let is_symmetric = lower == upper && mirrors(n, &elements, lower, |element| element);
    MatrixProperties {
        lower,
        upper,
        is_symmetric,
        is_hermitian: match T::KIND.is_complex() {
            true => lower == upper && mirrors(n, &elements, lower, T::conjugate),
            false => is_symmetric,
        },
        has_positive_diagonal: (0..n).all(|i| a[(i, i)].re() > 0.0 && a[(i, i)].im() == 0.0),
    }
}

/// The elements of a matrix, for loops that end early: checks of each index would take longer than the rest.
struct Elements<T> {
    first: *const T,
    strides: [isize; 2],
}

impl<T: Scalar> Elements<T> {
    fn of(a: MatRef<'_, T>) -> Self {
        Elements { first: a.as_ptr(), strides: [a.row_stride(), a.col_stride()] }
    }

    /// # Safety
    /// The matrix has the element, and is still borrowed.
    #[inline(always)]
    unsafe fn at(&self, i: usize, j: usize) -> T {
        // SAFETY: as the caller has it.
        unsafe { *self.first.offset(i as isize * self.strides[0] + j as isize * self.strides[1]) }
    }
}

/// Sides of the blocks in which a matrix is compared with its transpose, so that both stay in the cache.
const BLOCK: usize = 32;

/// True if every `a(i, j)` within the band is the image of `a(j, i)`, of a matrix of order n.
fn mirrors<T: Scalar>(n: usize, a: &Elements<T>, width: usize, image: impl Fn(T) -> T) -> bool {
    for left in (0..n).step_by(BLOCK) {
        let right = n.min(left + BLOCK);
        for top in (left..n.min(right.saturating_add(width))).step_by(BLOCK) {
            for j in left..right {
                // SAFETY: rows and columns are below n.
                let is_mirrored = |i: usize| unsafe { a.at(i, j) == image(a.at(j, i)) };
                if !(top.max(j)..n.min(top + BLOCK)).all(is_mirrored) {
                    return false;
                }
            }
        }
    }
    true
}

/// The rows and columns of an operand's matrices, with its elements in the host's memory.
pub(super) fn to_host<T: Scalar>(run: &Run<'_>, operand: &Operand) -> Result<([usize; 2], Vec<T>)> {
    Ok((last_two(operand), Stack::of(run, operand)?.to_vec()?))
}
