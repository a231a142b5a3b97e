//! ScaLAPACK and FFTW's MPI library, loaded at run time.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::str::FromStr;

use affinimath::Complex64;
use affinimath_mpi::model::Routine;
use affinimath_mpi::{DistMatrix, Error, Grid, MatrixLayout, Result};
use mpi::ffi::MPI_Comm;

use super::routines::{dominant, element, fastest, timed};

/// A library and its file: the value of `--against`.
#[derive(Clone, Debug)]
pub struct Against {
    kind: Kind,
    path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalapack,
    Fftw,
}

impl FromStr for Against {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (kind, path) = match text.split_once('=') {
            Some(("scalapack", path)) => (Kind::Scalapack, path),
            Some(("fftw", path)) => (Kind::Fftw, path),
            _ => return Err("scalapack=FILE or fftw=FILE is expected".to_owned()),
        };
        Ok(Against { kind, path: path.into() })
    }
}

/// A library that is loaded, and stays so.
pub struct Peer {
    kind: Kind,
    handle: *mut c_void,
}

type Blacs = (unsafe extern "C" fn(MPI_Comm) -> c_int, GridInit, unsafe extern "C" fn(c_int));
type GridInit = unsafe extern "C" fn(*mut c_int, *const c_char, c_int, c_int);
type Descriptor = [c_int; 9];
type Gemm = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *const f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *mut f64,
    *const c_int,
    *const c_int,
    *const c_int,
);
type Potrf =
    unsafe extern "C" fn(*const c_char, *const c_int, *mut f64, *const c_int, *const c_int, *const c_int, *mut c_int);
type Getrf = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *mut f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    *mut c_int,
);
type Geqrf = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *mut f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut f64,
    *mut f64,
    *const c_int,
    *mut c_int,
);
type LocalSize = unsafe extern "C" fn(isize, isize, isize, MPI_Comm, *mut isize, *mut isize) -> isize;
type PlanDft =
    unsafe extern "C" fn(isize, isize, isize, *mut Complex64, *mut Complex64, MPI_Comm, c_int, c_uint) -> *mut c_void;
type OfPlan = unsafe extern "C" fn(*mut c_void);
type Fftw = (unsafe extern "C" fn(), LocalSize, PlanDft, OfPlan, OfPlan);

/// FFTW's plan by estimation.
const FFTW_ESTIMATE: c_uint = 1 << 6;
const FFTW_FORWARD: c_int = -1;

impl Peer {
    /// Loads a library.
    ///
    /// # Errors
    /// The loader's message.
    pub fn load(against: &Against) -> Result<Self> {
        let path = against.path.to_string_lossy().into_owned();
        let name = CString::new(path.clone()).map_err(|error| Error::Local(error.to_string()))?;
        // SAFETY: the name is a C string. Libraries that users name run their initialisers.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(Error::Local(format!("'{path}' cannot be loaded")));
        }
        Ok(Peer { kind: against.kind, handle })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Scalapack => "ScaLAPACK",
            Kind::Fftw => "FFTW",
        }
    }

    /// True if it has the routine.
    pub fn has(&self, routine: &Routine) -> bool {
        match routine {
            Routine::Gemm { .. } | Routine::Potrf { .. } | Routine::Getrf { .. } | Routine::Geqrf { .. } => {
                self.kind == Kind::Scalapack
            }
            Routine::Fft { .. } => self.kind == Kind::Fftw,
            Routine::Cg { .. } | Routine::Stencil { .. } => false,
        }
    }

    /// # Safety
    /// `F` is the type of the function.
    unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F> {
        let missing = || Error::Local(format!("{} has no '{symbol}'", self.name()));
        let name = CString::new(symbol).map_err(|_| missing())?;
        // SAFETY: the handle is that of a library which stays loaded.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if address.is_null() {
            return Err(missing());
        }
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        // SAFETY: by contract, `F` is a function pointer of this type.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Seconds of a routine: the least of some runs.
    ///
    /// # Errors
    /// A function that is missing or reports an error.
    pub fn measure(&self, grid: &Grid, comm: MPI_Comm, routine: &Routine, repeats: usize) -> Result<f64> {
        match *routine {
            Routine::Fft { n } => self.transform(grid, comm, n, repeats),
            Routine::Gemm { n, block }
            | Routine::Potrf { n, block }
            | Routine::Getrf { n, block }
            | Routine::Geqrf { n, block } => self.dense(grid, comm, routine, (n, block), repeats),
            _ => Err(Error::Local(format!("{} has no {}", self.name(), routine.name()))),
        }
    }

    fn dense(
        &self,
        grid: &Grid,
        comm: MPI_Comm,
        routine: &Routine,
        (n, block): (usize, usize),
        repeats: usize,
    ) -> Result<f64> {
        // SAFETY: these are BLACS' functions, of these types.
        let (to_system, init, exit): Blacs = unsafe {
            (self.function("Csys2blacs_handle")?, self.function("Cblacs_gridinit")?, self.function("Cblacs_gridexit")?)
        };
        let layout = MatrixLayout::new(grid, (n, n), (block, block))?;
        let a = DistMatrix::from_fn(grid, layout, dominant(n))?;
        let (order, one) = (n as c_int, 1 as c_int);
        // SAFETY: the communicator is valid, and the grid has as many ranks as it.
        let context = unsafe {
            let mut context = to_system(comm);
            init(&mut context, c"Row".as_ptr(), grid.rows() as c_int, grid.columns() as c_int);
            context
        };
        let descriptor: Descriptor = a.descriptor(i64::from(context)).map(|number| number as c_int);
        let desc = descriptor.as_ptr();
        let report = |info: c_int| match info {
            0 => Ok(()),
            info => Err(Error::Local(format!("{} reports {info}", self.name()))),
        };
        let seconds = match routine {
            Routine::Gemm { .. } => {
                // SAFETY: it is this function's type.
                let gemm: Gemm = unsafe { self.function("pdgemm_")? };
                let left = DistMatrix::from_fn(grid, layout, element)?;
                let (no, alpha, beta) = (c"N".as_ptr(), 1.0, 0.0);
                let mut c = a.clone();
                fastest(grid, repeats, || {
                    timed(grid, || {
                        let (l, r, to) = (left.local().as_ptr(), left.local().as_ptr(), c.local_mut().as_mut_ptr());
                        let (m, i) = (&raw const order, &raw const one);
                        // SAFETY: the descriptor is that of the three local arrays.
                        unsafe { gemm(no, no, m, m, m, &alpha, l, i, i, desc, r, i, i, desc, &beta, to, i, i, desc) };
                        Ok(())
                    })
                })
            }
            Routine::Potrf { .. } => {
                // SAFETY: it is this function's type.
                let potrf: Potrf = unsafe { self.function("pdpotrf_")? };
                self.factors(grid, &a, repeats, |local| {
                    let mut info = 0;
                    // SAFETY: the descriptor is that of the local array.
                    unsafe { potrf(c"L".as_ptr(), &order, local, &one, &one, desc, &mut info) };
                    report(info)
                })
            }
            Routine::Getrf { .. } => {
                // SAFETY: it is this function's type.
                let getrf: Getrf = unsafe { self.function("pdgetrf_")? };
                let mut pivots = vec![0; a.local_rows() + block];
                self.factors(grid, &a, repeats, |local| {
                    let mut info = 0;
                    // SAFETY: there is a pivot for each local row, and a block more.
                    unsafe { getrf(&order, &order, local, &one, &one, desc, pivots.as_mut_ptr(), &mut info) };
                    report(info)
                })
            }
            _ => {
                // SAFETY: it is this function's type.
                let geqrf: Geqrf = unsafe { self.function("pdgeqrf_")? };
                let (mut tau, mut work) = (vec![0.0; a.local_columns().max(1)], vec![0.0; 1]);
                let mut length: c_int = -1;
                self.factors(grid, &a, repeats, |local| {
                    // The first call tells how much work space there must be.
                    for query in [length < 0, false] {
                        let (mut info, wanted) = (0, if query { -1 } else { length });
                        let (tau, space) = (tau.as_mut_ptr(), work.as_mut_ptr());
                        // SAFETY: tau has an element for each local column, and the work space its length.
                        unsafe { geqrf(&order, &order, local, &one, &one, desc, tau, space, &wanted, &mut info) };
                        report(info)?;
                        if !query {
                            break;
                        }
                        length = work[0] as c_int;
                        work.resize(length.max(1) as usize, 0.0);
                    }
                    Ok(())
                })
            }
        };
        // SAFETY: the context was made above.
        unsafe { exit(context) };
        seconds
    }

    fn factors(
        &self,
        grid: &Grid,
        a: &DistMatrix<f64>,
        repeats: usize,
        mut factorise: impl FnMut(*mut f64) -> Result<()>,
    ) -> Result<f64> {
        fastest(grid, repeats, || {
            let mut own = a.clone();
            timed(grid, || factorise(own.local_mut().as_mut_ptr()))
        })
    }

    fn transform(&self, grid: &Grid, comm: MPI_Comm, n: usize, repeats: usize) -> Result<f64> {
        // SAFETY: these are FFTW's functions, of these types.
        let (init, local_size, plan, execute, destroy): Fftw = unsafe {
            (
                self.function("fftw_mpi_init")?,
                self.function("fftw_mpi_local_size_3d")?,
                self.function("fftw_mpi_plan_dft_3d")?,
                self.function("fftw_execute")?,
                self.function("fftw_destroy_plan")?,
            )
        };
        let (n, mut first, mut count) = (n as isize, 0, 0);
        // SAFETY: MPI has begun, and the communicator is valid.
        let length = unsafe {
            init();
            local_size(n, n, n, comm, &mut count, &mut first)
        };
        let mut from = vec![Complex64::new(1.0, 0.5); length as usize];
        let mut to = vec![Complex64::default(); length as usize];
        // SAFETY: both arrays have the length that FFTW has asked for, and outlive the plan.
        let made = unsafe { plan(n, n, n, from.as_mut_ptr(), to.as_mut_ptr(), comm, FFTW_FORWARD, FFTW_ESTIMATE) };
        if made.is_null() {
            return Err(Error::Local("FFTW makes no plan".to_owned()));
        }
        let seconds = fastest(grid, repeats, || {
            timed(grid, || {
                // SAFETY: the plan is FFTW's, and its arrays are there.
                unsafe { execute(made) };
                Ok(())
            })
        });
        // SAFETY: the plan is used no more.
        unsafe { destroy(made) };
        seconds
    }
}
