//! Matrix products in expressions: alpha A B + beta C by gemm.

use affinimath_array::ElementType;
use affinimath_array::plan::{Buffer, Factor, Matmul, Operand};
use affinimath_array::shape::Shape;

use super::copy;
use super::matrix::matrix_shape;
use super::memory::Block;
use super::steps::{Memory, Run, of_block};
use crate::error::{Error, Result};
use crate::options::Op;
use crate::route::gemm::gemm;
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::view::{MatrixMut, MatrixRef, MatrixShape};

/// An operand as matrices: those of the axes before the last two.
pub(super) struct Matrices<'r> {
    /// A row-major copy, where BLAS has no form for the strides.
    copy: Option<Block>,
    memory: Option<Memory<'r>>,
    /// Elements of the copy.
    length: usize,
    offset: usize,
    extents: Vec<usize>,
    strides: Vec<i64>,
    op: Op,
}

/// `output := alpha A B + beta C` for each matrix of the axes before the last two.
pub(super) fn run(run: &Run<'_>, product: &Matmul) -> Result<()> {
    match product.output.element {
        ElementType::F32 => run_as::<f32>(run, product),
        ElementType::F64 => run_as::<f64>(run, product),
        ElementType::C32 => run_as::<Complex32>(run, product),
        ElementType::C64 => run_as::<Complex64>(run, product),
        element => Err(Error::Internal(format!("a matrix product of {element}"))),
    }
}

fn run_as<T: Scalar>(run: &Run<'_>, product: &Matmul) -> Result<()> {
    let Matmul { alpha, a, b, beta, c, output } = product;
    let is_in_place = |c: &&Operand| {
        (c.buffer, c.offset, &c.strides, c.is_conjugate) == (output.buffer, output.offset, &output.strides, false)
    };
    if let Some(c) = c.as_ref().filter(|c| !is_in_place(c)) {
        run.copy(c, output)?;
    }
    let alpha = factor::<T>(alpha, run)?;
    let beta = if c.is_some() { factor::<T>(beta, run)? } else { T::ZERO };
    let (a, b, output) = (Matrices::new(run, a)?, Matrices::new(run, b)?, Matrices::new(run, output)?);
    if output.copy.is_some() {
        return Err(Error::Internal("a product's result has no unit stride".to_owned()));
    }
    let batches: usize = output.batch_extents().iter().product();
    for batch in 0..batches {
        let (a_matrix, b_matrix) = (a.matrix::<T>(a.shape(batch)?)?, b.matrix::<T>(b.shape(batch)?)?);
        let shape = output.shape(batch)?;
        let c = match output.memory() {
            Memory::Host(at, length) => {
                // SAFETY: the memory holds as many elements of T, and this evaluation alone writes it.
                let elements = unsafe { std::slice::from_raw_parts_mut(at.cast::<T>(), length) };
                MatrixMut::from_slice(elements, shape)?
            }
            Memory::Device(buffer, _) => MatrixMut::from_device(buffer, shape, "the product")?,
        };
        // The context's own queue is in order: later steps come after it.
        drop(gemm(a.op, b.op, alpha, a_matrix, b_matrix, beta, c)?);
    }
    Ok(())
}

/// A factor as a number of the type.
fn factor<T: Scalar>(factor: &Factor, run: &Run<'_>) -> Result<T> {
    let as_f64 = |value| match value {
        affinimath_array::Value::F32(value) => Ok(f64::from(value)),
        affinimath_array::Value::F64(value) => Ok(value),
        other => Err(Error::Internal(format!("a factor {other:?} of a product"))),
    };
    let number = match &factor.scalar {
        None => T::ONE,
        Some((real, imaginary)) => {
            let real = as_f64(real.value(run.bindings()))?;
            let imaginary = imaginary.as_ref().map_or(Ok(0.0), |source| as_f64(source.value(run.bindings())))?;
            T::from_parts(real, imaginary)
        }
    };
    Ok(if factor.is_negative { -number } else { number })
}

impl<'r> Matrices<'r> {
    pub(super) fn new(run: &'r Run<'_>, operand: &Operand) -> Result<Self> {
        let memory = run.memory(operand)?;
        let op = if operand.is_conjugate { Op::ConjNoTrans } else { Op::NoTrans };
        let mut matrices = Matrices {
            copy: None,
            memory: Some(memory),
            length: 0,
            offset: operand.view(run.bindings()).offset,
            extents: operand.extents.clone(),
            strides: operand.strides.clone(),
            op,
        };
        if matrices.shape(0).is_ok() || operand.extents.contains(&0) {
            return Ok(matrices);
        }
        let shape = Shape::new(&operand.extents).map_err(|kind| Error::Internal(kind.to_string()))?;
        let copied = copy::row_major(Buffer::Temporary(usize::MAX), operand.element, &shape);
        let block = run.block(operand.element, shape.len())?;
        let from = Operand { is_conjugate: false, ..operand.clone() };
        run.copy_to(&from, &copied, of_block(&block, shape.len()))?;
        (matrices.copy, matrices.memory, matrices.length) = (Some(block), None, shape.len());
        (matrices.offset, matrices.strides) = (0, copied.strides);
        Ok(matrices)
    }

    fn memory(&self) -> Memory<'_> {
        match (&self.copy, self.memory) {
            (Some(block), _) => of_block(block, self.length),
            (None, Some(memory)) => memory,
            (None, None) => unreachable!("an operand is in memory or copied"),
        }
    }

    fn batch_extents(&self) -> &[usize] {
        &self.extents[..self.extents.len() - 2]
    }

    /// The shape of matrix `batch`, or an error where BLAS has no form for its strides.
    pub(super) fn shape(&self, mut batch: usize) -> Result<MatrixShape> {
        let axes = self.extents.len() - 2;
        let [rows, columns] = [self.extents[axes], self.extents[axes + 1]];
        let mut offset = self.offset as i64;
        for axis in (0..axes).rev() {
            offset += (batch % self.extents[axis].max(1)) as i64 * self.strides[axis];
            batch /= self.extents[axis].max(1);
        }
        matrix_shape(offset as usize, [rows, columns], [self.strides[axes], self.strides[axes + 1]])
    }

    pub(super) fn matrix<T: Scalar>(&self, shape: MatrixShape) -> Result<MatrixRef<'_, T>> {
        match self.memory() {
            Memory::Host(at, length) => {
                // SAFETY: the memory holds as many elements of T, and no step that runs now writes them.
                let elements = unsafe { std::slice::from_raw_parts(at.cast::<T>().cast_const(), length) };
                MatrixRef::from_slice(elements, shape)
            }
            Memory::Device(buffer, _) => MatrixRef::from_device(buffer, shape, "a factor"),
        }
    }
}
