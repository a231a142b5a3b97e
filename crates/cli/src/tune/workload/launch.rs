//! A recorded launch with a user's kernel, compared with the recorded results.

use std::fmt::Write;
use std::sync::Arc;

use affinimath::replay::{self, Case, CaseMemory, CaseProgram, Code, LaunchRecord, Outcome, Tolerance};
use affinimath::{DeviceContext, Error, Queue, Result};
use affinimath_tuner::space::{Configuration, Value};

use super::Workload;
use crate::tune::launch_sizes::LaunchSizes;
use crate::tune::messages::LaunchWork;

/// Parameter whose values are options of the compiler.
pub const OPTIONS: &str = "options";

/// Launches whose events are kept at a time.
const MAX_EVENTS: u32 = 64;

/// Launches of a case.
pub struct Launches {
    queue: Queue,
    /// Queue whose events have times, where the driver makes one.
    profiling: Option<Queue>,
    /// The case, with the sizes and options of the point.
    case: Case,
    recorded: LaunchRecord,
    work: LaunchWork,
    sizes: LaunchSizes,
    tolerance: Option<Tolerance>,
    /// Tolerances of single arguments.
    own_tolerances: Vec<(usize, Tolerance)>,
    memory: CaseMemory,
    program: Option<CaseProgram>,
    wrong: String,
}

/// An error of the case or its code; those of the device stay what they are.
fn failed(error: replay::Error) -> Error {
    match error {
        replay::Error::Device(error) => error,
        other => refused(other.to_string()),
    }
}

fn refused(reason: impl Into<String>) -> Error {
    Error::argument("the launch", reason.into())
}

/// Options of the compiler for a point: a definition for each parameter.
pub fn options(work: &LaunchWork, point: &Configuration) -> String {
    let mut options = work.options.clone();
    for (name, value) in &point.0 {
        let written = match value {
            _ if name == OPTIONS => write!(options, " {value}"),
            Value::Boolean(value) => write!(options, " -D{name}={}", u8::from(*value)),
            Value::Integer(_) | Value::Name(_) => write!(options, " -D{name}={value}"),
        };
        written.expect("text in memory");
    }
    options.trim().to_owned()
}

impl Launches {
    pub fn new(context: &Arc<DeviceContext>, work: &LaunchWork) -> Result<Self> {
        let case = Case::load(&work.case).map_err(failed)?;
        let queue = Queue::new(context)?;
        // Points have the parameters that the space has: the search has checked names.
        let sizes = LaunchSizes::parse(&work.items, &work.groups, &|_| true, case.launch()).map_err(refused)?;
        let tolerance = work.tolerance.as_ref().map(|text| text.parse()).transpose().map_err(refused)?;
        let own = work.own_tolerances.iter().map(|(index, text)| Ok((*index, text.parse()?)));
        let own_tolerances = own.collect::<std::result::Result<Vec<_>, String>>().map_err(refused)?;
        let memory = CaseMemory::new(&case, &queue).map_err(failed)?;
        let (recorded, work) = (case.launch().clone(), work.clone());
        let (profiling, program, wrong) = (replay::profiling_queue(context).ok(), None, String::new());
        Ok(Launches {
            queue,
            profiling,
            case,
            recorded,
            work,
            sizes,
            tolerance,
            own_tolerances,
            memory,
            program,
            wrong,
        })
    }

    fn enqueue(&self) -> Result<affinimath::Event> {
        self.enqueue_on(&self.queue)
    }

    fn enqueue_on(&self, queue: &Queue) -> Result<affinimath::Event> {
        let program = self.program.as_ref().ok_or_else(|| refused("it is not prepared"))?;
        program.enqueue(&self.case, queue, &self.memory).map_err(failed)
    }
}

impl Workload for Launches {
    fn cases(&self) -> usize {
        1
    }

    /// Without a point it is the recorded launch with its own source.
    fn prepare(&mut self, configuration: Option<&Configuration>) -> Result<()> {
        self.program = None;
        let mut record = self.recorded.clone();
        let mut code = Code::Recorded;
        if let Some(point) = configuration {
            let (groups, items) = self.sizes.at(point, &self.recorded).map_err(refused)?;
            record.set_sizes(groups, items);
            record.options = options(&self.work, point);
            record.kernel.clone_from(&self.work.kernel);
            record.hidden_ptx = false;
            code = Code::Text(&self.work.source);
        }
        self.case.recorded_mut().record = record;
        self.program = Some(CaseProgram::build(&self.case, &self.queue, code).map_err(failed)?);
        self.memory.fill(&self.case, &self.queue).map_err(failed)
    }

    fn run(&mut self, _case: usize, repetitions: u32) -> Result<()> {
        for _ in 1..repetitions {
            // The queue's order is enough.
            drop(self.enqueue()?);
        }
        self.enqueue()?.wait()
    }

    fn has_device_clock(&self) -> bool {
        self.profiling.is_some()
    }

    fn device_seconds(&mut self, _case: usize, repetitions: u32) -> Result<Option<f64>> {
        let Some(queue) = &self.profiling else { return Ok(None) };
        let count = repetitions.clamp(1, MAX_EVENTS);
        let events = (0..count).map(|_| self.enqueue_on(queue)).collect::<Result<Vec<_>>>()?;
        events.iter().try_for_each(affinimath::Event::wait)?;
        let seconds: Option<f64> = events.iter().map(replay::device_seconds).sum();
        Ok(seconds.map(|seconds| seconds / f64::from(count)))
    }

    /// Results of one launch from the recorded memory.
    fn error(&mut self) -> Result<f64> {
        self.memory.fill(&self.case, &self.queue).map_err(failed)?;
        self.enqueue()?.wait()?;
        let memories = match self.memory.contents(&self.case, &self.queue) {
            Ok(memories) => memories,
            Err(error @ replay::Error::OutOfBounds(_)) => {
                self.wrong = error.to_string();
                return Ok(f64::INFINITY);
            }
            Err(error) => return Err(failed(error)),
        };
        let Some(tolerance) = self.tolerance else { return Ok(0.0) };
        let check = self.case.compare(&Outcome { memories, elapsed: std::time::Duration::ZERO });
        if check.arguments.is_empty() {
            return Err(refused("the case has no recorded results to compare with"));
        }
        let of = |index: usize| self.own_tolerances.iter().rev().find(|(own, _)| *own == index);
        let beyond = check.arguments.iter().find(|argument| {
            !argument.comparison.within(of(argument.argument).map_or(tolerance, |(_, tolerance)| *tolerance))
        });
        Ok(match beyond {
            Some(argument) => {
                self.wrong = argument.to_string();
                f64::INFINITY
            }
            None => 0.0,
        })
    }

    fn wrong(&self, _error: f64) -> String {
        self.wrong.clone()
    }
}
