//! Our library, on data in host or device memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Buffer, Context, Event, FftPlan};

use super::data::{Data, Element, Output};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::{MemoryChoice, Target};

/// Our library on the target.
pub fn entrant<'a, T: Element>(data: &Arc<Data<T>>, target: &Target) -> Entrant<'a> {
    let context = match (target.device, target.memory) {
        (Some(device), MemoryChoice::Device) => Context::open(device)?,
        _ => Context::host(),
    };
    let (input, output) = (context.upload(&data.input)?, context.upload(&data.zeros())?);
    Ok(Box::new(Ours { data: data.clone(), input, output, plan: None }))
}

struct Ours<T: Element> {
    data: Arc<Data<T>>,
    input: Buffer<T>,
    output: Buffer<Output<T>>,
    /// Made by the first call, and a part of its time.
    plan: Option<FftPlan<T::Precision>>,
}

impl<T: Element> Contender for Ours<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        let plan = match &mut self.plan {
            Some(plan) => plan,
            none => none.insert(FftPlan::new(self.data.case.descriptor())?),
        };
        let mut last = Event::Complete;
        for launch in 1..=repetitions {
            last = plan.execute(self.input.vector()?, self.output.vector_mut()?)?;
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                last.wait()?;
            }
        }
        last.wait()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.output.download()?))
    }
}
