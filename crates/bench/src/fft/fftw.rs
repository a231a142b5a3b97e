//! FFTW, or any library with its interface.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::ScalarKind;
use affinimath_cpu as host;

use super::data::{Data, Element, Output};
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::peers::LibraryFile;
use crate::report::ContenderFacts;
use crate::target::MemoryChoice;

/// Expected library, for a file without one of its functions.
const EXPECTED: &str = "FFTW 3, or a library with its interface";

const FORWARD: c_int = -1;
const MEASURE: c_uint = 0;
const ESTIMATE: c_uint = 1 << 6;

type PlanHandle = *mut c_void;
type Lengths = *const c_int;
/// fftw_plan_many_dft(rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags).
type PlanComplex = unsafe extern "C" fn(
    c_int,
    Lengths,
    c_int,
    *mut c_void,
    Lengths,
    c_int,
    c_int,
    *mut c_void,
    Lengths,
    c_int,
    c_int,
    c_int,
    c_uint,
) -> PlanHandle;
/// fftw_plan_many_dft_r2c: the same without the sign.
type PlanReal = unsafe extern "C" fn(
    c_int,
    Lengths,
    c_int,
    *mut c_void,
    Lengths,
    c_int,
    c_int,
    *mut c_void,
    Lengths,
    c_int,
    c_int,
    c_uint,
) -> PlanHandle;

/// The library's files: FFTW has one for each precision, and one more each for threads.
pub struct FftwLibrary {
    main: LibraryFile,
    others: Vec<LibraryFile>,
    threads: usize,
    measure: bool,
}

/// Functions of one precision.
#[derive(Clone, Copy)]
struct Functions {
    plan: Planner,
    execute: unsafe extern "C" fn(PlanHandle),
    destroy: unsafe extern "C" fn(PlanHandle),
    allocate: unsafe extern "C" fn(usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

#[derive(Clone, Copy)]
enum Planner {
    Complex(PlanComplex),
    Real(PlanReal),
}

impl FftwLibrary {
    /// Loads the named file, and for `libfftw3.so.3` those of the other precision and of threads. Plans are
    /// estimated, or the library measures a few of them.
    ///
    /// # Errors
    /// [`BenchError::Load`].
    pub fn load(spec: &PeerSpec, measure: bool) -> Result<Self, BenchError> {
        let main = LibraryFile::open(spec)?;
        let given = spec.paths.iter().skip(1).cloned();
        let others = given.chain(siblings(main.path()));
        let others = others.filter_map(|path| LibraryFile::named(&spec.name, &path).ok()).collect();
        let mut library = FftwLibrary { main, others, threads: 1, measure };
        let present = ["fftw", "fftwf"].into_iter().filter(|prefix| {
            let found: Option<*const c_void> = library.address(&format!("{prefix}_execute"));
            found.is_some()
        });
        // Threads are reported only if all precisions have them.
        let started = present.map(|prefix| library.start_threads(prefix)).collect::<Vec<bool>>();
        if !started.is_empty() && !started.contains(&false) {
            library.threads = host::threads();
        }
        Ok(library)
    }

    /// Gives plans as many threads as our library uses.
    fn start_threads(&self, prefix: &str) -> bool {
        // SAFETY: int fftw_init_threads(void) and void fftw_plan_with_nthreads(int), of fftw3.h.
        let functions: (Option<unsafe extern "C" fn() -> c_int>, Option<unsafe extern "C" fn(c_int)>) = unsafe {
            (self.find(&format!("{prefix}_init_threads")), self.find(&format!("{prefix}_plan_with_nthreads")))
        };
        let (Some(start), Some(plan_with)) = functions else { return false };
        let Ok(threads) = c_int::try_from(host::threads()) else { return false };
        // SAFETY: no other function was called before, and one thread only runs benchmarks.
        unsafe {
            if start() == 0 {
                return false;
            }
            plan_with(threads);
        }
        true
    }

    fn files(&self) -> impl Iterator<Item = &LibraryFile> {
        std::iter::once(&self.main).chain(&self.others)
    }

    fn address(&self, symbol: &str) -> Option<*const c_void> {
        self.files().find_map(|file| file.address(symbol))
    }

    /// # Safety
    /// `F` must be the type of the function.
    unsafe fn find<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: F is the type of the function.
        self.files().find_map(|file| unsafe { file.find(symbol) })
    }

    /// # Safety
    /// `F` must be the type of the function.
    unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, BenchError> {
        // SAFETY: F is the type of the function.
        unsafe { self.find(symbol) }.ok_or_else(|| self.main.without(symbol, EXPECTED))
    }

    fn functions(&self, kind: ScalarKind) -> Result<Functions, BenchError> {
        let prefix = if kind.is_double() { "fftw" } else { "fftwf" };
        // SAFETY: the types are those of fftw3.h.
        unsafe {
            Ok(Functions {
                plan: if kind.is_complex() {
                    Planner::Complex(self.function(&format!("{prefix}_plan_many_dft"))?)
                } else {
                    Planner::Real(self.function(&format!("{prefix}_plan_many_dft_r2c"))?)
                },
                execute: self.function(&format!("{prefix}_execute"))?,
                destroy: self.function(&format!("{prefix}_destroy_plan"))?,
                allocate: self.function(&format!("{prefix}_malloc"))?,
                free: self.function(&format!("{prefix}_free"))?,
            })
        }
    }

    /// True if the library has the functions for a type.
    ///
    /// # Errors
    /// [`BenchError::Symbol`].
    pub fn require(&self, kind: ScalarKind) -> Result<(), BenchError> {
        self.functions(kind).map(drop)
    }

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        let version = ["fftw_version", "fftwf_version"].into_iter().find_map(|symbol| self.address(symbol));
        // SAFETY: fftw_version is a constant array of characters that ends with a zero.
        let version = version.map(|text| unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_string_lossy());
        let effort = if self.measure { "FFTW_MEASURE" } else { "FFTW_ESTIMATE" };
        ContenderFacts {
            name: self.main.name().to_owned(),
            version: Some(version.map_or(effort.to_owned(), |version| format!("{version}, {effort}"))),
            threads: Some(self.threads),
            path: Some(self.main.path().to_owned()),
            memory: MemoryChoice::Host,
        }
    }
}

/// Paths of FFTW's other files: `libfftw3f` for floats and `_threads`, in the folder of `libfftw3.so.3`.
pub(super) fn siblings(path: &Path) -> Vec<PathBuf> {
    let Some((before, after)) =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once("fftw3"))
    else {
        return Vec::new();
    };
    let after = after.strip_prefix('f').unwrap_or(after);
    let after = after.strip_prefix("_threads").or(after.strip_prefix("_omp")).unwrap_or(after);
    // Threads come after what they are threads of.
    let names =
        ["", "f", "_threads", "f_threads"].map(|what| path.with_file_name(format!("{before}fftw3{what}{after}")));
    names.into_iter().filter(|name| name != path).collect()
}

/// The library on a copy of the operands.
pub fn entrant<'a, T: Element>(data: &Arc<Data<T>>, library: &'a FftwLibrary) -> Entrant<'a> {
    let functions = library.functions(T::KIND)?;
    let input = Array::new(library, functions, data.input.len())?;
    let output = Array::new(library, functions, data.zeros().len())?;
    Ok(Box::new(Guest { library, functions, data: data.clone(), plan: None, input, output }))
}

struct Guest<'a, T: Element> {
    library: &'a FftwLibrary,
    functions: Functions,
    data: Arc<Data<T>>,
    /// Made by the first call, whose time includes it.
    plan: Option<Plan>,
    input: Array<T>,
    output: Array<Output<T>>,
}

/// A plan, destroyed on drop.
struct Plan {
    handle: PlanHandle,
    functions: Functions,
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: the plan is valid, and this is its last use.
        unsafe { (self.functions.destroy)(self.handle) }
    }
}

/// Memory of fftw_malloc, with the library's preferred alignment.
struct Array<T> {
    start: *mut T,
    length: usize,
    functions: Functions,
}

impl<T: Copy + Default> Array<T> {
    fn new(library: &FftwLibrary, functions: Functions, length: usize) -> Result<Self, BenchError> {
        // SAFETY: the function takes any number of bytes.
        let start = unsafe { (functions.allocate)(length * size_of::<T>()) }.cast::<T>();
        if start.is_null() {
            return Err(library.main.failed("fftw_malloc", 0));
        }
        let mut array = Array { start, length, functions };
        // First touch: the system maps pages at the first write.
        array.fill(&vec![T::default(); length]);
        Ok(array)
    }

    fn fill(&mut self, numbers: &[T]) {
        assert_eq!(numbers.len(), self.length);
        // SAFETY: the memory holds `length` elements.
        unsafe { self.start.copy_from_nonoverlapping(numbers.as_ptr(), self.length) };
    }

    fn numbers(&self) -> &[T] {
        // SAFETY: all elements are initialised.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: the memory comes from fftw_malloc.
        unsafe { (self.functions.free)(self.start.cast()) }
    }
}

impl<T: Element> Guest<'_, T> {
    /// A plan, and the time of planning, which may overwrite the operands.
    fn make_plan(&mut self) -> Result<(Plan, Duration), BenchError> {
        let case = &self.data.case;
        let integer = |size| self.library.main.integer(size);
        let lengths = case.lengths.iter().map(|length| integer(*length)).collect::<Result<Vec<_>, _>>()?;
        let (n, rank, count) = (lengths.as_ptr(), integer(lengths.len())?, integer(case.batch)?);
        let (from, to) = (integer(case.points())?, integer(case.output_points())?);
        let (input, output) = (self.input.start.cast(), self.output.start.cast());
        let flags = if self.library.measure { MEASURE } else { ESTIMATE };
        let start = Instant::now();
        // SAFETY: there are `rank` lengths, which are also those of the memory (null), and the batch fits in both
        // arrays.
        let handle = unsafe {
            match self.functions.plan {
                Planner::Complex(plan) => {
                    plan(rank, n, count, input, null(), 1, from, output, null(), 1, to, FORWARD, flags)
                }
                Planner::Real(plan) => plan(rank, n, count, input, null(), 1, from, output, null(), 1, to, flags),
            }
        };
        let took = start.elapsed();
        if handle.is_null() {
            return Err(BenchError::Unfit(format!("{} has no plan for this", self.library.main.name())));
        }
        Ok((Plan { handle, functions: self.functions }, took))
    }
}

impl<T: Element> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let mut took = Duration::ZERO;
        if self.plan.is_none() {
            let (plan, planning) = self.make_plan()?;
            took += planning;
            self.input.fill(&self.data.input);
            self.plan = Some(plan);
        }
        let Some(plan) = &self.plan else { return Ok(took) };
        let start = Instant::now();
        for _ in 0..repetitions {
            // SAFETY: the plan is for these arrays, and no one else accesses them.
            unsafe { (self.functions.execute)(plan.handle) };
        }
        Ok(took + start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(self.output.numbers()))
    }
}
