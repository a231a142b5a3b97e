//! Our own library, on a matrix in the target's memory and vectors there or in the host's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::route::{StagedMatrix, StagedVector};
use affinimath::sparse::{CsrMatrix, Outcome, SolveOptions};
use affinimath::{
    Buffer, Context, Event, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar, VectorMut, VectorRef, VectorShape,
    cg, minres,
};

use super::data::{Data, Operation};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::{MemoryChoice, Target};

/// Our library on the target.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, target: &Target) -> Entrant<'a> {
    let context = match target.device {
        Some(device) => Context::open(device)?,
        None => Context::host(),
    };
    let pattern = &data.pattern;
    let (rows, columns) = (pattern.rows, pattern.columns);
    let matrix = CsrMatrix::new(&context, rows, columns, &pattern.row_ptr, &pattern.col_indices, &data.values)?;
    let staged = target.device.is_some() && target.memory == MemoryChoice::Host;
    if data.operation.iterations().is_some() {
        let (b, x) = (context.upload(&data.x)?, context.zeros(data.result)?);
        return Ok(Box::new(Solve { data: data.clone(), matrix, context, b, x, outcome: None }));
    }
    if staged {
        return Ok(Box::new(Staged { data: data.clone(), matrix, context, y: data.random_result() }));
    }
    let (x, y) = (context.upload(&data.x)?, context.upload(&data.random_result())?);
    Ok(Box::new(InPlace { data: data.clone(), matrix, x, y }))
}

/// The shape of a vector, or of vectors in columns.
fn shape_of(length: usize, columns: usize, layout: Layout) -> affinimath::Result<MatrixShape> {
    let rows = length / columns;
    MatrixShape::new(layout, rows, columns, 0, if layout == Layout::RowMajor { columns } else { rows })
}

/// All operands are in the memory of the computing device.
struct InPlace<T> {
    data: Arc<Data<T>>,
    matrix: CsrMatrix<T>,
    x: Buffer<T>,
    y: Buffer<T>,
}

impl<T: Scalar> InPlace<T> {
    fn launch(&mut self) -> affinimath::Result<Event> {
        match self.data.operation {
            Operation::Dense(count, layout) => {
                let b = self.x.view(shape_of(self.data.x.len(), count, layout)?)?;
                let c = self.y.view_mut(shape_of(self.data.result, count, layout)?)?;
                self.matrix.multiply_dense(Op::NoTrans, T::ONE, b, T::ZERO, c)
            }
            operation => self.matrix.multiply(operation.op(), T::ONE, self.x.vector()?, T::ZERO, self.y.vector_mut()?),
        }
    }
}

impl<T: Scalar> Contender for InPlace<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        let mut last = Event::Complete;
        for launch in 1..=repetitions {
            last = self.launch()?;
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                last.wait()?;
            }
        }
        last.wait()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.y.download()?))
    }
}

/// The matrix is on a device, the vectors in host memory: each call stages them.
struct Staged<T> {
    data: Arc<Data<T>>,
    matrix: CsrMatrix<T>,
    context: Context,
    y: Vec<T>,
}

impl<T: Scalar> Staged<T> {
    fn call(&mut self) -> Result<(), BenchError> {
        let Data { x, operation, .. } = &*self.data;
        if let Operation::Dense(count, layout) = operation {
            let b = MatrixRef::from_slice(x, shape_of(x.len(), *count, *layout)?)?;
            let c = shape_of(self.y.len(), *count, *layout)?;
            let b = StagedMatrix::reading(&self.context, b)?;
            let mut c = StagedMatrix::writing(&self.context, MatrixMut::from_slice(&mut self.y, c)?, false)?;
            // Taking C back waits for it.
            let _launched = self.matrix.multiply_dense(Op::NoTrans, T::ONE, b.view()?, T::ZERO, c.view_mut()?)?;
            return Ok(c.take_back()?);
        }
        let shapes = (VectorShape::new(x.len(), 0, 1)?, VectorShape::new(self.y.len(), 0, 1)?);
        let x = StagedVector::reading(&self.context, VectorRef::from_slice(x, shapes.0)?)?;
        let mut y = StagedVector::writing(&self.context, VectorMut::from_slice(&mut self.y, shapes.1)?, false)?;
        let _launched = self.matrix.multiply(operation.op(), T::ONE, x.view()?, T::ZERO, y.view_mut()?)?;
        Ok(y.take_back()?)
    }
}

impl<T: Scalar> Contender for Staged<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        for _ in 0..repetitions {
            self.call()?;
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.y))
    }
}

/// Iterations from zero. The right-hand side and x are in the memory of the matrix: they are copied there once for all
/// iterations.
struct Solve<T> {
    data: Arc<Data<T>>,
    matrix: CsrMatrix<T>,
    context: Context,
    b: Buffer<T>,
    x: Buffer<T>,
    outcome: Option<Outcome>,
}

impl<T: Scalar> Contender for Solve<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let zeros = vec![T::ZERO; self.data.result];
        // No residual is small enough.
        let iterations = self.data.operation.iterations().expect("a solver iterates");
        let options = SolveOptions::new().rtol(0.0).max_iterations(iterations);
        let mut took = Duration::ZERO;
        for _ in 0..repetitions {
            self.x = self.context.upload(&zeros)?;
            let (b, x) = (self.b.vector()?, self.x.vector_mut()?);
            let start = Instant::now();
            let outcome = match self.data.operation {
                Operation::Minres(_) => minres(&self.matrix, b, x, &options)?,
                _ => cg(&self.matrix, b, x, &options)?,
            };
            took += start.elapsed();
            if outcome.iterations != iterations {
                let name = self.data.operation.name().0;
                return Err(BenchError::Unfit(format!("{name} does not go on for {iterations} iterations: {outcome}")));
            }
            self.outcome = Some(outcome);
        }
        Ok(took)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        if self.outcome.is_none() {
            self.run(1)?;
        }
        let x = self.x.download()?;
        Ok(self
            .outcome
            .as_ref()
            .map_or(Accuracy { error: f64::NAN, bound: 0.0 }, |outcome| self.data.accuracy_of_iterations(&x, outcome)))
    }
}
