//! Our own library, on operands in the host's or in the device's memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Buffer, Complex64, Context, DeviceContext, Event, Queue, Scalar};

use super::data::{Data, Results};
use super::routine::{Action, ResultBuffers};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::{MemoryChoice, Target};

/// Our library on the target.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, target: &Target) -> Entrant<'a> {
    Ok(Box::new(Ours::prepare(data, target)?))
}

/// Our library on the operands of a case.
pub struct Ours<T: Scalar> {
    data: Arc<Data<T>>,
    context: Context,
    operands: Vec<Buffer<T>>,
    /// For operands in a device's memory: its queue, and the location of the result of a reduction.
    device: Option<(Queue, ResultBuffers<T>)>,
    /// The result of the last reduction of operands in the host's memory.
    number: Complex64,
}

impl<T: Scalar> Ours<T> {
    /// Our library on a copy of the operands in the target's memory.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn prepare(data: &Arc<Data<T>>, target: &Target) -> Result<Self, BenchError> {
        let (context, device) = match (target.device, target.memory) {
            (Some(device), MemoryChoice::Device) => {
                let context = Context::open(device)?;
                let queue = Queue::new(&DeviceContext::for_device(device)?)?.unsignaled();
                let buffers = ResultBuffers::new(&context)?;
                (context, Some((queue, buffers)))
            }
            _ => (Context::host(), None),
        };
        let operands = data.operands.iter().map(|operand| context.upload(operand));
        let operands = operands.collect::<affinimath::Result<_>>()?;
        Ok(Ours { data: data.clone(), context, operands, device, number: Complex64::ZERO })
    }

    /// An operand as it is now.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, operand: usize) -> affinimath::Result<Vec<T>> {
        self.operands[operand].download()
    }

    /// One call; on operands in a device's memory, it is enqueued.
    fn call(&mut self) -> affinimath::Result<Event> {
        match (&self.data.routine.action, &mut self.device) {
            (Action::Update { ours, .. }, _) => ours(self.data.n, &mut self.operands),
            (Action::Reduce { enqueue, .. }, Some((queue, buffers))) => enqueue(queue, &self.operands, buffers),
            (Action::Reduce { ours, .. }, None) => {
                self.number = ours(&self.operands)?;
                Ok(Event::Complete)
            }
        }
    }
}

impl<T: Scalar> Contender for Ours<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let in_flight = if self.device.is_some() { LAUNCHES_IN_FLIGHT } else { 1 };
        let start = Instant::now();
        let mut last = Event::Complete;
        for launch in 1..=repetitions {
            last = self.call()?;
            if launch % in_flight == 0 {
                last.wait()?;
            }
        }
        last.wait()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let data = self.data.clone();
        for output in data.routine.outputs() {
            self.operands[output] = self.context.zeros(0)?;
            self.operands[output] = self.context.upload(&data.operands[output])?;
        }
        self.run(1)?;
        let mut results = Results { operands: vec![Vec::new(); self.operands.len()], number: self.number };
        for output in data.routine.outputs() {
            results.operands[output] = self.download(output)?;
        }
        if let (Some(number), Some((_, buffers))) = (data.routine.number(), &self.device) {
            results.number = buffers.fetch(number)?;
        }
        Ok(data.accuracy(&results))
    }
}
