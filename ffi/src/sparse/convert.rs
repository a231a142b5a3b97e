//! Dense copies of sparse matrices, and sums.

use std::ffi::c_int;

use affinimath::route::StagedMatrix;
use affinimath::sparse::CsrMatrix;
use affinimath::{Error, Event, Result};
use affinimath_abi::arguments::{self, matrix};
use affinimath_abi::form::{B, Form, Run};

use super::handle::{Held, Matrix, NewMatrix, Typed, in_order, with_width};

/// The arguments of `affinimath*csrToDense`.
pub(crate) struct ToDense<T: Typed, F: Form> {
    pub(crate) layout: c_int,
    pub(crate) a: Matrix<T, F>,
    pub(crate) b: F::Location<T>,
    pub(crate) ldb: i64,
}

impl<T: Typed, F: Form> Run<F> for ToDense<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let b = matrix::<T, _>(B, layout, (held.rows(), held.columns()), self.b, self.ldb, true)?;
        if !b.is_needed() {
            return session.finish(Event::Complete); // There are no elements.
        }
        in_order(&session, || {
            // SAFETY: `matrix` checked ldb; `Run::run` requires memory of this shape.
            let b = unsafe { b.open::<T>(&session)? };
            if session.queue().is_some() {
                return with_width!(&held, matrix => matrix.write_dense(b.write()?));
            }
            let mut carried = StagedMatrix::writing(held.context(), b.write()?, false)?;
            with_width!(&held, matrix => matrix.write_dense(carried.view_mut()?))?;
            carried.take_back()
        })?;
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*csrSum`, which takes matrices of either form.
pub(crate) struct Sum<T: Typed, F: Form> {
    pub(crate) alpha: T,
    pub(crate) a: Matrix<T, F>,
    pub(crate) beta: T,
    pub(crate) b: Matrix<T, F>,
    pub(crate) c: NewMatrix<T, F>,
}

impl<T: Typed, F: Form> Run<F> for Sum<T, F> {
    unsafe fn run(&self, _: F) -> Result<()> {
        // SAFETY: `Run::run` requires matrices that are null or live.
        let ((csr, a), (other, b)) = unsafe { (self.a.of_either_form("a")?, self.b.of_either_form("b")?) };
        check_same_place(&a, &b, std::mem::discriminant(csr.home()) == std::mem::discriminant(other.home()))?;
        let (found, needed) = ((b.rows(), b.columns()), (a.rows(), a.columns()));
        if found != needed {
            let reason = format!("it is {} x {}, and a {} x {}", found.0, found.1, needed.0, needed.1);
            return Err(Error::argument("b", reason));
        }
        self.c.check("c")?;
        let sum = match (&a, &b) {
            (Held::Short(a), Held::Short(b)) => {
                Held::Short(CsrMatrix::sum(self.alpha, a, self.beta, b).map(Into::into)?)
            }
            (Held::Long(a), Held::Long(b)) => Held::Long(CsrMatrix::sum(self.alpha, a, self.beta, b).map(Into::into)?),
            _ => return Err(other_width("b")),
        };
        // SAFETY: `check` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.c.give_held(sum, csr.home().clone()) }
    }
}

/// Refuses a second matrix in another context than the first.
pub(crate) fn check_same_place<T: Typed>(a: &Held<T>, b: &Held<T>, same_form: bool) -> Result<()> {
    let reason = match (same_form, a.context().is_same(b.context())) {
        (true, true) => return Ok(()),
        (true, false) => "it lies elsewhere than a: make both in one OpenCL context, or under one route and device",
        (false, _) => "one of a and b was made from host pointers, the other from memory objects: make both in one way",
    };
    Err(Error::argument("b", reason))
}

#[cold]
pub(crate) fn other_width(name: &'static str) -> Error {
    Error::argument(name, "its row pointers have another width than those of a")
}
