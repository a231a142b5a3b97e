//! Programs: a routine family and a type, built at first use, kept in memory and on disk.

mod build;
mod cache;
mod include;
mod key;
mod ptx_patch;
mod slots;
mod source;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::kernel::Kernel;

use crate::argument::Argument;
use crate::error::Result;
use crate::raw::RawContext;
use crate::status::check;
use crate::trace::TracedProgram;

pub use cache::{
    Entries as CacheEntries, clear as clear_cache, directory as cache_directory, entries as cache_entries,
    fault as cache_fault, limit as cache_limit, parse_size, prune as prune_cache,
};
pub use cache::{unwrap as unwrap_cached, wrap as wrap_cached};
pub use include::{IncludeError, KernelFiles};
pub use ptx_patch::HIDDEN_PTX;
use slots::Slots;
pub(crate) use source::Source;
pub use source::{GeneratedSource, KernelFile, ProgramSource, TextSource};

/// A built program, and the kernel objects made from it that nobody uses at the moment.
#[derive(Debug)]
pub struct Program {
    handle: opencl3::program::Program,
    /// A kernel object holds its arguments, so that two threads must not share one: each launch takes one out.
    idle_kernels: Mutex<Vec<IdleKernel>>,
    /// Its part of a trace, where there is one.
    traced: Option<TracedProgram>,
}

/// A kernel object, and what its arguments were set to: none, where that is not known.
#[derive(Debug)]
pub struct IdleKernel {
    pub name: Cow<'static, str>,
    pub kernel: Kernel,
    pub arguments: Vec<Argument>,
}

impl Program {
    fn load_or_build(context: &RawContext, source: &impl Source) -> Result<Self> {
        let (handle, traced) = build::load_or_build(context, source)?;
        Ok(Program { handle, idle_kernels: Mutex::default(), traced })
    }

    /// A kernel object for one launch; give it back with [`Program::return_kernel`] once all its arguments are set.
    pub fn take_kernel(&self, name: Cow<'static, str>) -> Result<IdleKernel> {
        let mut idle = self.idle_kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // The one that was returned last is the likeliest.
        if let Some(index) = idle.iter().rposition(|kernel| kernel.name == name) {
            return Ok(idle.swap_remove(index));
        }
        drop(idle);
        let kernel = check("clCreateKernel", Kernel::create(&self.handle, &name))?;
        Ok(IdleKernel { name, kernel, arguments: Vec::new() })
    }

    /// Its part of a trace.
    pub(crate) const fn traced(&self) -> Option<&TracedProgram> {
        self.traced.as_ref()
    }

    /// Keeps a kernel object for the next launch.
    pub fn return_kernel(&self, kernel: IdleKernel) {
        self.idle_kernels.lock().unwrap_or_else(PoisonError::into_inner).push(kernel);
    }
}

/// A context's programs.
#[derive(Debug, Default)]
pub struct ProgramStore {
    written: Slots<ProgramSource, Program>,
    generated: Slots<GeneratedSource, Program>,
}

impl ProgramStore {
    /// The program built from `source`, from memory, from disk or by the device's compiler, in this order.
    ///
    /// # Errors
    /// [`crate::error::Error::ProgramBuild`] with the compiler's log. The next call tries again.
    pub fn get(&self, context: &RawContext, source: &ProgramSource) -> Result<Arc<Program>> {
        self.written.get(source, || Program::load_or_build(context, source))
    }

    /// [`ProgramStore::get`] for a generated kernel.
    ///
    /// # Errors
    /// The errors of [`ProgramStore::get`].
    pub fn get_generated(&self, context: &RawContext, source: &GeneratedSource) -> Result<Arc<Program>> {
        self.generated.get(source, || Program::load_or_build(context, source))
    }

    /// A program of a text of its own, which is not kept.
    ///
    /// # Errors
    /// The errors of [`ProgramStore::get`].
    pub fn build_text(context: &RawContext, source: &TextSource) -> Result<Arc<Program>> {
        Program::load_or_build(context, source).map(Arc::new)
    }
}
