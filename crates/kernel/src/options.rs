//! Options for the device's compiler, as data of a kernel.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::builder::Builder;

/// An option for the compilers of devices. A device's compiler that does not have it builds the kernel without.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[non_exhaustive]
pub enum BuildOption {
    /// Division and square root of `f32` are rounded correctly. Needs the device's
    /// `CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT`.
    CorrectlyRoundedDivideSqrt,
    /// Subnormal numbers may become zero.
    DenormsAreZero,
    /// Signs of zero do not matter.
    NoSignedZeros,
    /// Neither NaN nor infinities occur.
    FiniteMathOnly,
    /// Algebraic identities of real numbers hold, and functions may be less accurate.
    FastRelaxedMath,
    /// The most registers of a work-item, for NVIDIA's compilers.
    NvMaxRegisterCount(u32),
    /// A text for the OpenCL compiler alone.
    OpenCl(String),
}

impl BuildOption {
    /// The option for the OpenCL compiler.
    pub fn opencl(&self) -> String {
        match self {
            BuildOption::CorrectlyRoundedDivideSqrt => "-cl-fp32-correctly-rounded-divide-sqrt".to_owned(),
            BuildOption::DenormsAreZero => "-cl-denorms-are-zero".to_owned(),
            BuildOption::NoSignedZeros => "-cl-no-signed-zeros".to_owned(),
            BuildOption::FiniteMathOnly => "-cl-finite-math-only".to_owned(),
            BuildOption::FastRelaxedMath => "-cl-fast-relaxed-math".to_owned(),
            BuildOption::NvMaxRegisterCount(count) => format!("-cl-nv-maxrregcount={count}"),
            BuildOption::OpenCl(text) => text.clone(),
        }
    }

    /// The option for `nvcc` and NVRTC, if there is one.
    pub fn cuda(&self) -> Option<String> {
        match self {
            BuildOption::CorrectlyRoundedDivideSqrt => Some("--prec-div=true --prec-sqrt=true".to_owned()),
            BuildOption::DenormsAreZero => Some("--ftz=true".to_owned()),
            BuildOption::FastRelaxedMath => Some("--use_fast_math".to_owned()),
            BuildOption::NvMaxRegisterCount(count) => Some(format!("--maxrregcount={count}")),
            BuildOption::NoSignedZeros | BuildOption::FiniteMathOnly | BuildOption::OpenCl(_) => None,
        }
    }

    /// True for options of NVIDIA's extension `cl_nv_compiler_options`.
    pub const fn is_nvidia(&self) -> bool {
        matches!(self, BuildOption::NvMaxRegisterCount(_))
    }
}

/// The option for the OpenCL compiler.
impl fmt::Display for BuildOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.opencl())
    }
}

impl Builder<'_> {
    /// Asks for an option of the device's compiler; see [`Kernel::build_options`](super::Kernel::build_options).
    pub fn build_option(self, option: BuildOption) {
        self.with(|state| state.program.options.insert(option));
    }
}
