//! Status codes of OpenCL's functions.

use opencl3::types::cl_int;

use crate::error::{Error, Result};

/// Turns opencl3's error into ours, naming the call. Allocation failures, which drivers report late, get their own
/// kind.
pub fn check<T>(call: &'static str, result: std::result::Result<T, impl Into<OpenClCode>>) -> Result<T> {
    result.map_err(|code| Error::opencl(call, code.into().0))
}

/// An OpenCL error code, from either of the two forms that opencl3 gives it in.
pub struct OpenClCode(pub cl_int);

impl From<cl_int> for OpenClCode {
    fn from(code: cl_int) -> Self {
        OpenClCode(code)
    }
}

impl From<opencl3::error_codes::ClError> for OpenClCode {
    fn from(error: opencl3::error_codes::ClError) -> Self {
        OpenClCode(error.0)
    }
}
