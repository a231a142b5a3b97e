//! Other people's libraries, loaded at run time: any CBLAS, and cuBLAS.
//!
//! A routine's arguments are told once (`calls`), and become the words of a C call (`request`), as the interface has
//! it, which is made without knowing its type when this is compiled (`call`).

pub mod call;
mod calls;
mod cblas;
mod cublas;
mod cuda;
mod file;
mod functions;
mod request;
mod routine;

use std::cell::Cell;
use std::path::Path;

pub(crate) use calls::{level1, level2, level3};
pub use cblas::{Cblas, threads as cblas_threads, version as cblas_version};
pub use cublas::CuBlas;
pub use cuda::{Cuda, CudaMemory, Current as CudaCurrent, Status as CudaStatus};
pub use file::{LibraryFile, text};
pub(crate) use request::Request;
pub use routine::{Letters, Routine};

use crate::error::Result;
use crate::scalar::Scalar;
use request::ResultSlot;

/// A library that stands in for the host or a device.
#[derive(Clone, Copy, Debug)]
pub enum Vendor {
    /// On the host's processors.
    Cblas(&'static Cblas),
    /// On a GPU.
    CuBlas(&'static CuBlas),
}

/// The number that a routine gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number<T> {
    None,
    Element(T),
    Real(f64),
    Index(i64),
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ran<T> {
    Done(Number<T>),
    /// The library has no such function.
    Lacks,
}

/// Result of a vendor's call.
#[derive(Debug)]
pub(crate) enum Answer<T> {
    /// It is done.
    Done(Number<T>),
    /// It cannot be done there, for this reason.
    Refused(String),
}

thread_local! {
    /// True if the thread is in a call of a vendor's library.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread as being in a vendor's library, until it is dropped.
struct Inside;

impl Inside {
    fn enter() -> Self {
        // A thread that is being torn down has no mark any more, and no vendor's library calls us there.
        let _ = INSIDE.try_with(|inside| inside.set(true));
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = INSIDE.try_with(|inside| inside.set(false));
    }
}

/// True if the calling thread is in a vendor's library, which found our functions in the place of its own: the work is
/// then the host's.
pub fn inside() -> bool {
    INSIDE.try_with(Cell::get).unwrap_or(false)
}

impl Vendor {
    /// The library's path.
    pub fn path(&self) -> &'static Path {
        match self {
            Vendor::Cblas(library) => library.file().path(),
            Vendor::CuBlas(library) => library.file().path(),
        }
    }

    /// Version string of the library.
    pub fn version(&self) -> Option<String> {
        match self {
            Vendor::Cblas(library) => library.version(),
            Vendor::CuBlas(library) => Some(library.version()),
        }
    }

    /// Does what `describe` tells, or says why not.
    ///
    /// # Errors
    /// [`Error::VendorCall`], [`Error::OutOfDeviceMemory`]: outputs are not to be used.
    ///
    /// # Safety
    /// The operands described must be valid, and those that are written nobody else's.
    pub(crate) unsafe fn run<T: Scalar>(
        self,
        describe: &mut dyn FnMut(&mut Request<T>) -> Option<()>,
    ) -> Result<Answer<T>> {
        let mut slot = ResultSlot::default();
        let mut request = match self {
            Vendor::Cblas(library) => library.request(&mut slot),
            Vendor::CuBlas(library) => library.request(&mut slot),
        };
        if describe(&mut request).is_none() {
            let reason = "its interface does not take the layout, an operation, a stride or a size of this call";
            return Ok(Answer::Refused(reason.to_owned()));
        }
        let guard = Inside::enter();
        let ran = match self {
            // SAFETY: by contract, the operands that `describe` wrote are valid.
            Vendor::Cblas(library) => unsafe { library.run(&request, &slot) },
            // SAFETY: as above.
            Vendor::CuBlas(library) => unsafe { library.run(&mut request, &slot)? },
        };
        drop(guard);
        match ran {
            Ran::Done(number) => Ok(Answer::Done(number)),
            Ran::Lacks => Ok(Answer::Refused(format!("it has no {}", self.symbol(&request)))),
        }
    }

    /// The name of the function for a request.
    fn symbol<T: Scalar>(self, request: &Request<T>) -> String {
        match self {
            Vendor::Cblas(library) => library.symbol(request),
            Vendor::CuBlas(library) => library.symbol(request),
        }
    }
}
