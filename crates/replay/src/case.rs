//! A recorded launch, to be run again.

use std::path::Path;
use std::time::Duration;

use affinimath_kernel::{Kernel, ParameterType};
use affinimath_opencl::context::Queue;
use affinimath_trace::{Case as Recorded, Files, Folder, Given, LaunchRecord, compare};

use crate::check::{ArgumentCheck, Check};
use crate::error::{Error, Result, unfit};
use crate::value::{Value, stored};
use crate::{device, interpret};

/// A recorded launch: its kernel, its arguments, and the memory before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    recorded: Recorded,
}

/// Code that a device runs for a case.
#[derive(Clone, Copy, Debug)]
pub enum Code<'c> {
    /// Source that was recorded.
    Recorded,
    /// A kernel of the kernel language.
    Kernel(&'c Kernel),
    /// A text in OpenCL C, with the recorded kernel's name and options.
    Text(&'c str),
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Contents of the memory objects, as the case numbers them.
    pub memories: Vec<Vec<u8>>,
    /// Time from the launch to its end, on the host's clock; of the interpreter, its own.
    pub elapsed: Duration,
}

impl Case {
    /// Reads a case from its folder. Sizes and names are checked before anything is allocated, and nothing is run.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the file and the reason.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self> {
        Self::from_files(&Folder(folder.as_ref().to_owned()))
    }

    /// [`Case::load`] from files that may be elsewhere.
    ///
    /// # Errors
    /// The errors of [`Case::load`].
    pub fn from_files(files: &dyn Files) -> Result<Self> {
        Ok(Case { recorded: Recorded::load(files)? })
    }

    /// Interprets a kernel, and writes its arguments, and the memory before and after, into a folder.
    ///
    /// A case that is there already is replaced. The interpreter's results are the reference: it checks each access.
    ///
    /// # Errors
    /// [`Error::Unfit`] for other arguments than the kernel takes, [`Error::Fault`], [`Error::Io`].
    pub fn record(
        folder: impl AsRef<Path>,
        kernel: &Kernel,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<Self> {
        let case = Self::of_kernel(kernel, groups, items, arguments)?;
        let outcome = case.run(kernel)?;
        case.keep(outcome, folder.as_ref())
    }

    /// [`Case::record`] with the results of a device.
    ///
    /// # Errors
    /// The errors of [`Case::record`], [`Error::Device`].
    pub fn record_on(
        folder: impl AsRef<Path>,
        queue: &Queue,
        kernel: &Kernel,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<Self> {
        let case = Self::of_kernel(kernel, groups, items, arguments)?;
        let outcome = case.run_on(queue, Code::Kernel(kernel))?;
        case.keep(outcome, folder.as_ref())
    }

    fn keep(mut self, outcome: Outcome, folder: &Path) -> Result<Self> {
        self.set_results(outcome);
        Recorded::remove(folder)?;
        self.recorded.save(folder)?;
        Ok(self)
    }

    fn of_kernel(
        kernel: &Kernel,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<Self> {
        let mut record = LaunchRecord::new(0, kernel.name(), kernel.name(), groups, items);
        env!("CARGO_PKG_VERSION").clone_into(&mut record.library);
        let options: Vec<String> = kernel.build_options().iter().map(ToString::to_string).collect();
        record.options = options.join(" ");
        let source = kernel.opencl();
        let mut case = Recorded { record, source, kernel: kernel.to_json(), memories: Vec::new() };
        let arguments: Vec<Value> = arguments.into_iter().collect();
        let parameters = kernel.parameters();
        if arguments.len() != parameters.len() {
            return unfit(format!("{} arguments for the {} of '{}'", arguments.len(), parameters.len(), kernel.name()));
        }
        let all = parameters.into_iter().zip(kernel.parameter_names()).zip(arguments);
        for (index, ((parameter, name), value)) in all.enumerate() {
            let (kind, type_name) = stored(value.scalar);
            let fits = match parameter {
                ParameterType::Scalar(scalar) => !value.is_array && scalar == value.scalar,
                ParameterType::Buffer(element, _) => {
                    value.is_array && element.scalar == value.scalar && !value.bytes.is_empty()
                }
            };
            if !fits {
                return unfit(format!("argument {index} of '{}' is to be {parameter:?}", kernel.name()));
            }
            if value.is_array {
                case.add_memory(name, &format!("{type_name}*"), index as u64, kind, value.bytes);
            } else {
                case.add(name, type_name, Given::value(&value.bytes, Some(kind)));
            }
        }
        Ok(Case { recorded: case })
    }

    /// Everything but the contents of memory.
    pub const fn launch(&self) -> &LaunchRecord {
        &self.recorded.record
    }

    /// Recorded source in OpenCL C.
    pub fn source(&self) -> &str {
        &self.recorded.source
    }

    /// Recorded kernel, where it was generated.
    ///
    /// # Errors
    /// [`Error::Kernel`] where the case has something else for one.
    pub fn kernel(&self) -> Result<Option<Kernel>> {
        Ok(self.recorded.kernel.as_deref().map(Kernel::from_json).transpose()?)
    }

    /// The case as its files are.
    pub const fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// The case as its files are, to be changed.
    pub const fn recorded_mut(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    /// Takes the results of a run as the recorded ones.
    pub fn set_results(&mut self, outcome: Outcome) {
        self.recorded.set_after(outcome.memories);
    }

    /// Contents of memory before the launch.
    ///
    /// # Errors
    /// [`Error::Unfit`] where they were not recorded.
    pub(crate) fn inputs(&self) -> Result<Vec<&[u8]>> {
        let missing = || Error::Unfit("the memory before the launch was not recorded: it can only be compared".into());
        self.recorded.memories.iter().map(|memory| memory.before.as_deref().ok_or_else(missing)).collect()
    }

    /// Interprets a kernel on the recorded arguments.
    ///
    /// # Errors
    /// [`Error::Unfit`], [`Error::Fault`].
    pub fn run(&self, kernel: &Kernel) -> Result<Outcome> {
        interpret::run(self, kernel)
    }

    /// Runs code on the recorded arguments, in new memory of a queue's device.
    ///
    /// # Errors
    /// [`Error::Unfit`], [`Error::Device`].
    pub fn run_on(&self, queue: &Queue, code: Code<'_>) -> Result<Outcome> {
        self.run_times(queue, code, 1).map(|(outcome, _)| outcome)
    }

    /// [`Case::run_on`] again and again, each time from the recorded memory. It gives the last result, and all times.
    ///
    /// # Errors
    /// The errors of [`Case::run_on`].
    pub fn run_times(&self, queue: &Queue, code: Code<'_>, runs: usize) -> Result<(Outcome, Vec<Duration>)> {
        device::run(self, queue, code, runs.max(1))
    }

    /// Interprets a kernel, and compares its results with the recorded ones.
    ///
    /// # Errors
    /// The errors of [`Case::run`].
    pub fn check(&self, kernel: &Kernel) -> Result<Check> {
        Ok(self.compare(&self.run(kernel)?))
    }

    /// Runs code on a queue's device, and compares its results with the recorded ones.
    ///
    /// # Errors
    /// The errors of [`Case::run_on`].
    pub fn check_on(&self, queue: &Queue, code: Code<'_>) -> Result<Check> {
        Ok(self.compare(&self.run_on(queue, code)?))
    }

    /// Compares results with the recorded ones.
    ///
    /// # Panics
    /// For results of another case.
    pub fn compare(&self, outcome: &Outcome) -> Check {
        assert_eq!(outcome.memories.len(), self.recorded.memories.len(), "results of this case");
        let mut check = Check::default();
        for (memory, found) in outcome.memories.iter().enumerate() {
            let argument = self.launch().argument_of(memory).unwrap_or_default();
            let name = self.launch().argument_name(argument);
            match self.recorded.expected(memory) {
                Some(expected) => {
                    let comparison = compare(self.launch().memories[memory].element, expected, found);
                    check.arguments.push(ArgumentCheck { argument, name, comparison });
                }
                None => check.unchecked.push(name),
            }
        }
        check.arguments.sort_by_key(|check| check.argument);
        check
    }
}
