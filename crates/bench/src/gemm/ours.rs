//! Our own library, on operands in the host's or in the device's memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{
    Buffer, Context, Device, DeviceContext, Event, Layout, MatrixMut, MatrixRef, MatrixShape, Queue, Scalar, gemm,
    gemm_on,
};

use super::data::GemmData;
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::{MemoryChoice, Target};

/// Our library on the target.
pub fn entrant<'a, T: Scalar>(data: &Arc<GemmData<T>>, target: &Target) -> Entrant<'a> {
    match (target.device, target.memory) {
        (Some(device), MemoryChoice::Device) => Ok(Box::new(InDeviceMemory::new(data, device)?)),
        _ => Ok(Box::new(InHostMemory { data: data.clone(), c: data.random_c() })),
    }
}

fn shape((rows, columns): (usize, usize)) -> affinimath::Result<MatrixShape> {
    MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows)
}

struct InHostMemory<T> {
    data: Arc<GemmData<T>>,
    c: Vec<T>,
}

impl<T: Scalar> Contender for InHostMemory<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let GemmData { case, a, b, .. } = &*self.data;
        let start = Instant::now();
        for _ in 0..repetitions {
            let a = MatrixRef::from_slice(a, shape(case.stored_a())?)?;
            let b = MatrixRef::from_slice(b, shape(case.stored_b())?)?;
            let c = MatrixMut::from_slice(&mut self.c, shape((case.m, case.n))?)?;
            gemm(case.op_a, case.op_b, T::ONE, a, b, T::ZERO, c)?.wait()?;
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.c))
    }
}

struct InDeviceMemory<T> {
    data: Arc<GemmData<T>>,
    queue: Queue,
    a: Buffer<T>,
    b: Buffer<T>,
    c: Buffer<T>,
}

impl<T: Scalar> InDeviceMemory<T> {
    fn new(data: &Arc<GemmData<T>>, device: &Device) -> Result<Self, BenchError> {
        let context = Context::open(device)?;
        let (a, b) = (context.upload(&data.a)?, context.upload(&data.b)?);
        // Without events, like peers and C programs that ask for none.
        let queue = Queue::new(&DeviceContext::for_device(device)?)?.unsignaled();
        Ok(InDeviceMemory { queue, a, b, c: context.upload(&data.random_c())?, data: data.clone() })
    }
}

impl<T: Scalar> Contender for InDeviceMemory<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let case = &self.data.case;
        let start = Instant::now();
        let mut last = Event::Complete;
        for launch in 1..=repetitions {
            let a = self.a.view(shape(case.stored_a())?)?;
            let b = self.b.view(shape(case.stored_b())?)?;
            let c = self.c.view_mut(shape((case.m, case.n))?)?;
            last = gemm_on(&self.queue, case.op_a, case.op_b, T::ONE, a, b, T::ZERO, c)?;
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                last.wait()?;
            }
        }
        last.wait()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.c.download()?))
    }
}
