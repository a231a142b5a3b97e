//! A library's functions, each looked up at its first use.

use std::ffi::c_void;
use std::sync::OnceLock;

use super::call::{Caller, Returned};
use super::request::Request;
use super::routine::Routine;
use crate::scalar::{Scalar, ScalarKind};

/// A function for each routine and type; `None` where the library lacks it.
#[derive(Debug)]
pub(super) struct Functions(Vec<[OnceLock<Option<Function>>; ScalarKind::ALL.len()]>);

/// A function, and what calls it: a [`Caller`] of the type that it is kept under.
#[derive(Clone, Copy, Debug)]
struct Function {
    address: usize,
    caller: *const (),
}

// SAFETY: both are addresses of code.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// A function's address, and what calls it.
pub(super) type Found<T> = (*const c_void, Caller<T>);

impl Functions {
    pub(super) fn new() -> Self {
        Functions(Routine::ALL.iter().map(|_| Default::default()).collect())
    }

    /// The function for a request, as `look_up` finds it at its first use.
    pub(super) fn get<T: Scalar>(
        &self,
        routine: Routine,
        look_up: impl FnOnce() -> Option<Found<T>>,
    ) -> Option<Found<T>> {
        let cached = self.0[routine as usize][T::KIND as usize].get_or_init(|| {
            let found = look_up();
            tracing::debug!(?routine, kind = ?T::KIND, found = found.is_some(), "a vendor's function");
            found.map(|(address, caller)| Function { address: address as usize, caller: caller as *const () })
        });
        cached.map(|Function { address, caller }| {
            // SAFETY: under this type, `look_up` gave a caller of this type.
            (address as *const c_void, unsafe { std::mem::transmute::<*const (), Caller<T>>(caller) })
        })
    }
}

/// Makes a request's call.
///
/// # Safety
/// The function must be the one that the words were written for, and the operands as it needs them.
pub(super) unsafe fn call<T: Scalar>((address, caller): Found<T>, request: &Request<T>) -> Returned {
    // SAFETY: by contract, the words were written for the function, and the operands are valid.
    unsafe { caller(address, request.words()) }
}
