//! imatcopy: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use crate::arguments::{self, matrix};
use crate::blas::level3::gemm::stored;
use crate::form::{A, Form, Names, Run};

/// Names of the result, which is written over a.
const RESULT: Names = Names { memory: "a", offset: "offa", step: "ldb" };

/// The arguments of `affinimath*imatcopy`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub rows: i64,
    pub cols: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
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
        let before = matrix(A, layout, (rows, columns), self.a, self.lda, true)?;
        let after = matrix(RESULT, layout, stored(op, rows, columns), self.a, self.ldb, true)?;
        if rows == 0 || columns == 0 {
            return session.finish(Event::Complete); // An empty matrix is left as it is.
        }
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        let (before, after) = unsafe { (before.open::<T>(&session)?, after.open::<T>(&session)?) };
        let view = before.in_place(&after)?;
        let event = match session.queue() {
            None => affinimath::imatcopy(op, self.alpha, view)?,
            Some(queue) => affinimath::imatcopy_on(queue, op, self.alpha, view)?,
        };
        session.finish(event)
    }
}
