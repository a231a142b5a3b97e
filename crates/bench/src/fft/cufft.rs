//! cuFFT, with device memory through CUDA's driver.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::ScalarKind;

use super::data::{Data, Element, Output};
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::peers::{CudaMemory, CudaSession, CudaStatus as Status, LibraryFile, cuda_version};
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// Expected library, for a file without one of its functions.
const EXPECTED: &str = "cuFFT";

/// CUFFT_FORWARD.
const FORWARD: c_int = -1;

/// `cufftHandle`.
type Handle = c_int;
/// cufftPlanMany(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch).
type PlanMany = unsafe extern "C" fn(
    *mut Handle,
    c_int,
    *mut c_int,
    *mut c_int,
    c_int,
    c_int,
    *mut c_int,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;
/// cufftExecC2C and cufftExecZ2Z, which have a direction.
type ExecuteComplex = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, c_int) -> Status;
/// cufftExecR2C and cufftExecD2Z.
type ExecuteReal = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void) -> Status;

#[derive(Clone, Copy)]
enum Execute {
    Complex(ExecuteComplex),
    Real(ExecuteReal),
}

impl Execute {
    fn find(file: &LibraryFile, kind: ScalarKind) -> Result<Self, BenchError> {
        // SAFETY: the types are those of cufft.h.
        unsafe {
            Ok(match kind {
                ScalarKind::C => Execute::Complex(file.function("cufftExecC2C", EXPECTED)?),
                ScalarKind::Z => Execute::Complex(file.function("cufftExecZ2Z", EXPECTED)?),
                ScalarKind::S => Execute::Real(file.function("cufftExecR2C", EXPECTED)?),
                ScalarKind::D => Execute::Real(file.function("cufftExecD2Z", EXPECTED)?),
            })
        }
    }
}

/// `cufftType`.
const fn plan_type(kind: ScalarKind) -> c_int {
    match kind {
        ScalarKind::S => 0x2a,
        ScalarKind::D => 0x6a,
        ScalarKind::C => 0x29,
        ScalarKind::Z => 0x69,
    }
}

/// cuFFT on a GPU.
pub struct CuFftLibrary {
    file: LibraryFile,
    session: CudaSession,
    plan_many: PlanMany,
    destroy: unsafe extern "C" fn(Handle) -> Status,
}

impl CuFftLibrary {
    /// Loads the named file, for the GPU with the name of our library's device, or else for the first one.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`], and CUDA's code.
    pub fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        let file = LibraryFile::open(spec)?;
        // SAFETY: the types are those of cufft.h.
        let (plan_many, destroy) =
            unsafe { (file.function("cufftPlanMany", EXPECTED)?, file.function("cufftDestroy", EXPECTED)?) };
        Ok(CuFftLibrary { session: CudaSession::open(target)?, file, plan_many, destroy })
    }

    /// True if the library has the functions for a type.
    ///
    /// # Errors
    /// [`BenchError::Symbol`].
    pub fn require(&self, kind: ScalarKind) -> Result<(), BenchError> {
        Execute::find(&self.file, kind).map(drop)
    }

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: cuda_version(&self.file, "cufftGetVersion").map(|version| format!("cuFFT {version}")),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }
}

/// cuFFT on a copy of the operands.
pub fn entrant<'a, T: Element>(data: &Arc<Data<T>>, library: &'a CuFftLibrary) -> Entrant<'a> {
    let execute = Execute::find(&library.file, T::KIND)?;
    let mut input = library.session.allocate(size_of_val(&data.input[..]))?;
    input.write(&data.input)?;
    let zeros: Vec<Output<T>> = data.zeros();
    let mut output = library.session.allocate(size_of_val(&zeros[..]))?;
    output.write(&zeros)?;
    Ok(Box::new(Guest { library, execute, data: data.clone(), plan: None, input, output }))
}

struct Guest<'a, T> {
    library: &'a CuFftLibrary,
    execute: Execute,
    data: Arc<Data<T>>,
    /// Made by the first call, whose time includes it.
    plan: Option<Plan<'a>>,
    input: CudaMemory<'a>,
    output: CudaMemory<'a>,
}

/// A plan, destroyed on drop.
struct Plan<'a> {
    library: &'a CuFftLibrary,
    handle: Handle,
}

impl Drop for Plan<'_> {
    fn drop(&mut self) {
        // SAFETY: the plan is valid, and this is its last use. A failure cannot be reported.
        let _ = unsafe { (self.library.destroy)(self.handle) };
    }
}

impl<'a, T: Element> Guest<'a, T> {
    fn make_plan(&self) -> Result<Plan<'a>, BenchError> {
        let (library, case) = (self.library, &self.data.case);
        let integer = |size| library.file.integer(size);
        let mut lengths = case.lengths.iter().map(|length| integer(*length)).collect::<Result<Vec<_>, _>>()?;
        let (rank, batch) = (integer(lengths.len())?, integer(case.batch)?);
        let (from, to) = (integer(case.points())?, integer(case.output_points())?);
        let (n, packed, mut handle) = (lengths.as_mut_ptr(), null_mut(), 0);
        // SAFETY: there are `rank` lengths; without others the memory has them too, and the strides do not count.
        let status = unsafe {
            (library.plan_many)(&mut handle, rank, n, packed, 1, from, packed, 1, to, plan_type(T::KIND), batch)
        };
        library.file.check("cufftPlanMany", status)?;
        Ok(Plan { library, handle })
    }
}

impl<T: Element> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        if self.plan.is_none() {
            self.plan = Some(self.make_plan()?);
        }
        let handle = self.plan.as_ref().map_or(0, |plan| plan.handle);
        let (input, output) = (self.input.address(), self.output.address());
        for _ in 0..repetitions {
            // SAFETY: the plan is for the sizes of both buffers, and only reads the input.
            let status = unsafe {
                match self.execute {
                    Execute::Complex(execute) => execute(handle, input, output, FORWARD),
                    Execute::Real(execute) => execute(handle, input, output),
                }
            };
            self.library.file.check("cufftExec", status)?;
        }
        self.library.session.synchronize()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut results = self.data.zeros();
        self.output.download(&mut results)?;
        Ok(self.data.accuracy(&results))
    }
}
