//! Other libraries, loaded at run time.

mod cblas;
mod clblast;
mod cublas;
mod cuda;
mod cusolver;
mod cusparse;
mod opencl;

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};

use affinimath::vendor;

pub use affinimath::vendor::CudaMemory;
pub use cblas::CblasLibrary;
pub use clblast::ClBlastLibrary;
pub use cublas::{CuBlasLibrary, Handle as CudaHandle, Status as CudaStatus};
pub use cuda::{CudaSession, cuda_version};
pub use cusolver::{CuSolverLibrary, Handle as CuSolverHandle};
pub use cusparse::{CuSparseLibrary, Handle as CuSparseHandle};
pub use opencl::{OpenClSession, without_device};

use super::error::BenchError;
use super::options::PeerSpec;
use super::report::ContenderFacts;
use super::target::{MemoryChoice, Target};

/// Routines that cuSOLVER does not have.
pub fn cusolver_has_no_blas() -> BenchError {
    BenchError::Options("cuSOLVER is measured by `affinimath bench lapack` only".to_owned())
}

/// Another library.
pub enum Peer {
    /// faer, on whose products our host route is built: it is compiled in.
    Faer,
    /// Any library with CBLAS's interface.
    Cblas(CblasLibrary),
    /// CLBlast.
    ClBlast(ClBlastLibrary),
    /// cuBLAS.
    CuBlas(CuBlasLibrary),
    /// cuSOLVER.
    CuSolver(CuSolverLibrary),
}

impl Peer {
    /// Loads what the user names. The name tells the interface: `clblast`, `cublas` and `cusolver` have their own, all
    /// others CBLAS's.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`], [`BenchError::Peer`].
    pub fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        let name = spec.name.to_ascii_lowercase();
        if name == "faer" {
            return Ok(Peer::Faer);
        }
        if spec.python_library().is_some() {
            return Err(BenchError::only_in(&spec.name, "array"));
        }
        if spec.has_only_transforms() {
            return Err(BenchError::Options(format!("{} is measured by `affinimath bench fft` only", spec.name)));
        }
        let file = LibraryFile::open(spec)?;
        Ok(match name.as_str() {
            "clblast" => Peer::ClBlast(ClBlastLibrary::new(file, target.device)?),
            "cublas" => Peer::CuBlas(CuBlasLibrary::new(file, target)?),
            "cusolver" => Peer::CuSolver(CuSolverLibrary::new(file, target)?),
            _ => Peer::Cblas(CblasLibrary::new(file)),
        })
    }

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        match self {
            Peer::Faer => ContenderFacts {
                name: "faer".to_owned(),
                version: None,
                threads: Some(affinimath_cpu::threads()),
                path: None,
                memory: MemoryChoice::Host,
            },
            Peer::Cblas(library) => library.info(),
            Peer::ClBlast(library) => library.info(),
            Peer::CuBlas(library) => library.info(),
            Peer::CuSolver(library) => library.info(),
        }
    }
}

/// A library file, and what the user calls it.
pub struct LibraryFile {
    name: String,
    file: vendor::LibraryFile,
}

impl LibraryFile {
    /// Loads what the user names: a path, or what the system's loader finds.
    ///
    /// # Errors
    /// [`BenchError::Load`].
    pub fn open(spec: &PeerSpec) -> Result<Self, BenchError> {
        let open = |path: &PathBuf| Self::named(&spec.name, path);
        if let [first, others @ ..] = &spec.system_files()[..] {
            // The description of the first one holds for all.
            return open(first).or_else(|error| others.iter().find_map(|other| open(other).ok()).ok_or(error));
        }
        // Dependencies come first, so that the loader finds them by name.
        for needed in spec.paths.iter().skip(1) {
            open(needed)?;
        }
        open(&spec.paths[0])
    }

    /// Loads one file of a library with a name.
    ///
    /// # Errors
    /// [`BenchError::Load`].
    pub fn named(name: &str, path: &Path) -> Result<Self, BenchError> {
        let file = vendor::LibraryFile::open(path).map_err(|error| BenchError::load(name, error))?;
        Ok(LibraryFile { name: name.to_owned(), file })
    }

    /// A size as a C function with 32-bit integers takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        let too_large = |_| BenchError::Unfit(format!("{}: its integers end before {size}", self.name));
        c_int::try_from(size).map_err(too_large)
    }

    /// Name given by the user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file itself.
    pub const fn library(&self) -> &vendor::LibraryFile {
        &self.file
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// A function that it must have.
    ///
    /// # Errors
    /// [`BenchError::Symbol`], which asks whether the file is `expected`.
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn function<F: Copy>(&self, symbol: &str, expected: &'static str) -> Result<F, BenchError> {
        // SAFETY: `find` has this function's contract.
        unsafe { self.find(symbol) }.ok_or_else(|| self.without(symbol, expected))
    }

    /// A function that it may have.
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn find<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: the loaded file's `find` has this function's contract.
        unsafe { self.file.find(symbol) }
    }

    /// The address of a function that it may have.
    pub fn address(&self, symbol: &str) -> Option<*const c_void> {
        self.file.address(symbol)
    }

    /// A function that it does not have, as an error, which asks whether the file is `expected`.
    pub fn without(&self, symbol: &str, expected: &'static str) -> BenchError {
        BenchError::Symbol {
            name: self.name.clone(),
            path: self.path().to_owned(),
            symbol: symbol.to_owned(),
            expected,
        }
    }

    /// A non-zero status as an error.
    pub fn check(&self, call: &str, status: i32) -> Result<(), BenchError> {
        match status {
            0 => Ok(()),
            code => Err(self.failed(call, code)),
        }
    }

    /// A call that failed, as an error.
    pub fn failed(&self, call: &str, code: i32) -> BenchError {
        BenchError::Peer { name: self.name.clone(), call: call.to_owned(), code }
    }
}
