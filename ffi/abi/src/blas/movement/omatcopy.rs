//! omatcopy: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::blas::level3::gemm::stored;
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*omatcopy`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub rows: i64,
    pub cols: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let rows = arguments::size("rows", self.rows)?;
        let columns = arguments::size("cols", self.cols)?;
        let a = matrix(A, layout, (rows, columns), self.a, self.lda, self.alpha != T::ZERO)?;
        let b = matrix(B, layout, stored(op, rows, columns), self.b, self.ldb, true)?;
        if rows == 0 || columns == 0 {
            return session.finish(Event::Complete); // An empty matrix is left as it is.
        }
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (a, b) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?) };
        let event = match session.queue() {
            None => affinimath::omatcopy(op, self.alpha, a.read()?, b.write()?)?,
            Some(queue) => affinimath::omatcopy_on(queue, op, self.alpha, a.read()?, b.write()?)?,
        };
        session.finish(event)
    }
}
