//! Any library with CBLAS's interface, with 32-bit or 64-bit integers.

use std::ffi::{c_char, c_int};
use std::path::Path;

use super::call::{Integer, Returned, caller};
use super::file::{LibraryFile, is_our_own, text};
use super::functions::{Functions, call};
use super::request::{Interface, Request, ResultSlot, Returns};
use super::{Number, Ran};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// How a library spells CBLAS's names, and whether its integers have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Names {
    prefix: &'static str,
    suffix: &'static str,
    wide: bool,
}

/// The spellings there are: CBLAS's own; OpenBLAS's and the reference's for 64-bit integers; those of the OpenBLAS that
/// comes with SciPy's packages.
const SPELLINGS: [Names; 5] = [
    Names { prefix: "cblas_", suffix: "", wide: false },
    Names { prefix: "cblas_", suffix: "64_", wide: true },
    Names { prefix: "cblas_", suffix: "_64", wide: true },
    Names { prefix: "scipy_cblas_", suffix: "", wide: false },
    Names { prefix: "scipy_cblas_", suffix: "64_", wide: true },
];

/// A loaded library with CBLAS's interface.
#[derive(Debug)]
pub struct Cblas {
    file: LibraryFile,
    names: Names,
    functions: Functions,
}

/// Why our own drop-in is no vendor's library.
const OURSELVES: &str = "its functions are this library's own, which would call themselves";

impl Cblas {
    /// True if loading failed because the library is this one.
    pub(crate) fn is_ourselves(error: &Error) -> bool {
        matches!(error, Error::VendorLibrary { reason, .. } if reason == OURSELVES)
    }

    /// Loads a library.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`] when it cannot be loaded, has no CBLAS, or is this library itself.
    pub fn load(path: &Path) -> Result<Self> {
        let file = LibraryFile::open(path)?;
        let found = SPELLINGS.into_iter().find_map(|names| {
            let address = file.address(&format!("{}dgemm{}", names.prefix, names.suffix))?;
            Some((names, address))
        });
        let Some((names, address)) = found else {
            return Err(Error::vendor_library(
                path,
                "it has no cblas_dgemm: a library with CBLAS's interface is expected",
            ));
        };
        if is_our_own(address) {
            return Err(Error::vendor_library(path, OURSELVES));
        }
        Ok(Cblas { file, names, functions: Functions::new() })
    }

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// True if its integers have 64 bits.
    pub const fn wide(&self) -> bool {
        self.names.wide
    }

    /// Version string of OpenBLAS, BLIS or MKL.
    pub fn version(&self) -> Option<String> {
        version(&self.file)
    }

    /// The threads that it uses, where it says so.
    pub fn threads(&self) -> Option<usize> {
        threads(&self.file)
    }

    /// A request to write a call in.
    pub(super) fn request<T: Scalar>(&self, slot: &mut ResultSlot) -> Request<T> {
        Request::new(Interface::Cblas, if self.names.wide { i64::LARGEST } else { c_int::LARGEST }, slot)
    }

    /// The name of the function for a request.
    pub(super) fn symbol<T: Scalar>(&self, request: &Request<T>) -> String {
        let sub = if request.is_sub() { "_sub" } else { "" };
        let name = request.routine().name(T::KIND, char::to_ascii_lowercase);
        format!("{}{name}{sub}{}", self.names.prefix, self.names.suffix)
    }

    /// Makes the call, if the library has the function.
    ///
    /// # Safety
    /// The request's operands must be valid, and those that it writes nobody else's.
    pub(super) unsafe fn run<T: Scalar>(&self, request: &Request<T>, slot: &ResultSlot) -> Ran<T> {
        let found = self.functions.get::<T>(request.routine(), || {
            let (address, signature) = (self.file.address(&self.symbol(request))?, request.signature());
            let call = if self.names.wide { caller::<T, i64>(&signature) } else { caller::<T, c_int>(&signature) };
            Some((address, call?))
        });
        let Some(function) = found else { return Ran::Lacks };
        // SAFETY: `found` has the request's symbol and signature; by contract, the request's operands are valid.
        let returned = unsafe { call(function, request) };
        Ran::Done(match (returned, request.returns()) {
            (_, Returns::Nothing) => Number::None,
            (Returned::Index(index), _) => Number::Index(index as i64),
            (Returned::Number(number), Returns::Element) => Number::Element(T::from_parts(number, 0.0)),
            (Returned::Number(number), _) => Number::Real(number),
            _ => Number::Element(slot.number()),
        })
    }
}

/// Version string of a library, if it is OpenBLAS, BLIS or MKL.
pub fn version(file: &LibraryFile) -> Option<String> {
    type Describe = unsafe extern "C" fn() -> *const c_char;
    type Fill = unsafe extern "C" fn(*mut c_char, c_int);
    let openblas =
        ["openblas_get_config", "openblas_get_config64_", "scipy_openblas_get_config", "scipy_openblas_get_config64_"];
    // SAFETY: these are the functions' types as their headers have them; the strings are static.
    unsafe {
        if let Some(describe) = openblas.iter().find_map(|name| file.find::<Describe>(name)) {
            return text(describe());
        }
        if let Some(describe) = file.find::<Describe>("bli_info_get_version_str") {
            return text(describe()).map(|version| format!("BLIS {version}"));
        }
        let fill = file.find::<Fill>("MKL_Get_Version_String")?;
        let mut buffer = [0 as c_char; 256];
        fill(buffer.as_mut_ptr(), 255);
        text(buffer.as_ptr())
    }
}

/// The threads that a library uses, if it is OpenBLAS, BLIS or MKL.
pub fn threads(file: &LibraryFile) -> Option<usize> {
    type Count = unsafe extern "C" fn() -> c_int;
    // BLIS returns a 64-bit integer, of which this is the lower half.
    let counts = ["openblas_get_num_threads", "MKL_Get_Max_Threads", "bli_thread_get_num_threads"];
    // SAFETY: none of them takes an argument.
    let count = counts.iter().find_map(|name| unsafe { file.find::<Count>(name).map(|count| count()) })?;
    usize::try_from(count).ok().filter(|count| *count > 0)
}
