//! Kernels as C or Fortran, built by the machine's compilers and run in this process.

mod compiler;
mod folder;

use std::ffi::{OsStr, c_void};
use std::fmt::Write as _;
use std::io;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::Command;

use libloading::Library;

use super::constant::Constant;
use super::error::{BuildError, Fault};
use super::interpret::{Argument, check};
use super::types::ScalarType;
use super::{Kernel, ParameterType, finish, print};

use folder::Folder;

pub use compiler::{Compiler, HostLanguage, Setting};

/// Name of the function that takes the addresses of all arguments.
const ENTRY: &str = "affinimath_kernel_entry";

/// The groups, the work-items of a group, and the addresses of the arguments.
type Entry = unsafe extern "C" fn(*const i64, *const i64, *const *mut c_void);

/// Reasons for which a kernel is not compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A kernel that the language cannot express.
    #[error(transparent)]
    Text(#[from] BuildError),
    /// A file of settings that cannot be read, where the line is 0, or a line of it that is no setting.
    #[error("{}, line {line}: {reason}", .file.display())]
    Settings {
        /// The file.
        file: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A compiler that does not start.
    #[error("the compiler '{command}' does not start: {reason}; {setting} names another one")]
    Absent {
        /// The compiler.
        command: String,
        /// The setting that names it.
        setting: &'static str,
        /// The system's reason.
        reason: io::Error,
    },
    /// A compiler that refuses the source or its flags.
    #[error("'{command}' ends with {status}:\n{message}")]
    Refused {
        /// The command.
        command: String,
        /// Its exit status.
        status: String,
        /// Its output.
        message: String,
    },
    /// A library that cannot be loaded.
    #[error("the library that '{command}' made cannot be loaded: {reason}")]
    Load {
        /// The command.
        command: String,
        /// The loader's reason.
        reason: String,
    },
    /// A temporary file that cannot be written.
    #[error("a temporary file cannot be written: {0}")]
    File(#[from] io::Error),
}

/// A kernel built by a compiler of the machine.
///
/// ```
/// use affinimath_kernel::{Compiled, Compiler, HostLanguage, Kernel};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kernel = Kernel::build("halves", |k| {
///     let (x, i) = (k.in_out::<f64>("x"), k.global_id(0));
///     x.store(i, x.at(i) * 0.5);
/// })?;
/// let compiled = match Compiled::build(&kernel, &Compiler::from_env()?.language(HostLanguage::C99)) {
///     // A machine without a compiler.
///     Err(affinimath_kernel::CompileError::Absent { .. }) => return Ok(()),
///     compiled => compiled?,
/// };
/// let mut x = [1.0, 2.0, 3.0, 4.0];
/// // SAFETY: there is an element for each work-item.
/// unsafe { compiled.run([2, 1, 1], [2, 1, 1], [(&mut x).into()]) }?;
/// assert_eq!(x, [0.5, 1.0, 1.5, 2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Compiled {
    kernel: Kernel,
    entry: Entry,
    /// It stays loaded: OpenMP's threads wait in its runtime for more work.
    _library: ManuallyDrop<Library>,
}

impl Compiled {
    /// Builds a kernel. The source and the library are in a temporary folder, which is removed before it returns.
    ///
    /// The library stays loaded until the process ends.
    ///
    /// # Errors
    /// [`CompileError`], with the compiler's message.
    pub fn build(kernel: &Kernel, compiler: &Compiler) -> Result<Self, CompileError> {
        let text = source(kernel, compiler.host_language())?;
        let folder = Folder::new()?;
        let fortran = compiler.host_language() == HostLanguage::Fortran;
        let source = folder.path.join(if fortran { "kernel.f90" } else { "kernel.c" });
        let library = folder.path.join("kernel.so");
        std::fs::write(&source, text)?;
        let setting = if fortran { Setting::Fc } else { Setting::Cc };
        let words = compiler.command(&source, &library);
        let command = words.join(OsStr::new(" ")).to_string_lossy().into_owned();
        let absent = |reason: io::Error| {
            let command = words[0].to_string_lossy().into_owned();
            CompileError::Absent { command, setting: setting.name(), reason }
        };
        if compiler.names_none(setting) {
            let reason = io::Error::new(io::ErrorKind::NotFound, "no compiler is named");
            return Err(CompileError::Absent { command: String::new(), setting: setting.name(), reason });
        }
        // Paths of the settings are relative to the program's own working folder.
        let output = Command::new(&words[0]).args(&words[1..]).output().map_err(absent)?;
        if !output.status.success() {
            let message = [&output.stdout[..], &output.stderr].concat();
            let message = String::from_utf8_lossy(&message).trim_end().to_owned();
            return Err(CompileError::Refused { command, status: output.status.to_string(), message });
        }
        let refused =
            |reason: libloading::Error| CompileError::Load { command: command.clone(), reason: reason.to_string() };
        // SAFETY: initialisers of the library are those of the compiler's runtime.
        let library = unsafe { Library::new(&library) }.map_err(refused)?;
        // SAFETY: the source has a function of this name and type.
        let entry = *unsafe { library.get::<Entry>(ENTRY.as_bytes()) }.map_err(refused)?;
        Ok(Compiled { kernel: kernel.clone(), entry, _library: ManuallyDrop::new(library) })
    }

    /// Runs a launch of `groups` work-groups of `items` work-items, per dimension, on the arguments of
    /// [`Launch::run`](super::Launch::run). Groups run on OpenMP's threads.
    ///
    /// # Errors
    /// [`Fault::Arguments`] for arguments that do not fit the kernel. No argument has changed.
    ///
    /// # Safety
    /// The launch has no fault that the interpreter would report: indices are not checked.
    pub unsafe fn run<'a>(
        &self,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: impl IntoIterator<Item = Argument<'a>>,
    ) -> Result<(), Fault> {
        let mut arguments: Vec<Argument<'_>> = arguments.into_iter().collect();
        check(&self.kernel, items, &arguments)?;
        let mut numbers = vec![0_u64; arguments.len()];
        let mut addresses = Vec::with_capacity(arguments.len());
        for (argument, number) in arguments.iter_mut().zip(&mut numbers) {
            addresses.push(match argument.address() {
                Ok(constant) => {
                    *number = u64::from_ne_bytes(bytes(constant));
                    std::ptr::from_mut(number).cast()
                }
                Err(address) => address,
            });
        }
        let [groups, items] = [groups, items].map(|sizes| sizes.map(|size| size as i64));
        // SAFETY: the arguments are those of the kernel, as checked; the caller knows that all indices are inside.
        unsafe { (self.entry)(groups.as_ptr(), items.as_ptr(), addresses.as_ptr()) };
        Ok(())
    }

    /// The kernel that it was built of.
    pub const fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

/// A number as it is in memory.
fn bytes(constant: Constant) -> [u8; 8] {
    let bits = constant.bits();
    let mut out = [0; 8];
    let mut put = |bytes: &[u8]| out[..bytes.len()].copy_from_slice(bytes);
    match constant.scalar_type().bits() {
        8 => put(&(bits as u8).to_ne_bytes()),
        16 => put(&(bits as u16).to_ne_bytes()),
        32 => put(&(bits as u32).to_ne_bytes()),
        _ => put(&bits.to_ne_bytes()),
    }
    out
}

/// The kernel's text with the function that takes addresses.
fn source(kernel: &Kernel, language: HostLanguage) -> Result<String, BuildError> {
    let program = finish::without_checks(&kernel.program);
    let mut text = match language {
        HostLanguage::Fortran => return print::fortran_with_entry(&program, ENTRY),
        HostLanguage::C99 => print::c99(&program)?,
        HostLanguage::CVectors => print::c_vectors(&program)?,
    };
    let arguments = kernel.parameters().into_iter().enumerate().map(|(number, parameter)| match parameter {
        ParameterType::Scalar(scalar) => format!(", *({} *)_addresses[{number}]", c_name(scalar)),
        ParameterType::Buffer(..) => format!(", _addresses[{number}]"),
    });
    let arguments: String = arguments.collect();
    // No kernel has a name that begins with an underscore.
    let head = "const int64_t groups[3], const int64_t local_size[3], void *const _addresses[]";
    let call = format!("{}(groups, local_size{arguments});", kernel.name());
    // A String takes every write.
    let _ = write!(text, "\nvoid {ENTRY}({head}) {{\n    (void)_addresses;\n    {call}\n}}\n");
    Ok(text)
}

fn c_name(scalar: ScalarType) -> String {
    match scalar {
        ScalarType::F32 => "float".to_owned(),
        ScalarType::F64 => "double".to_owned(),
        _ if scalar.is_integer() && scalar.is_signed() => format!("int{}_t", scalar.bits()),
        _ => format!("uint{}_t", scalar.bits()),
    }
}
