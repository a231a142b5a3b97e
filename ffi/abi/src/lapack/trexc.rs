//! trexc of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Error, Event, Layout, Result, Scalar};

use super::geev::view;
use super::job::vectors;
use super::{Iterations, Q, T as T_NAMES, Unneeded};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{Form, Location, Run, Session};

/// The arguments of `affinimathStrexc` and `affinimathDtrexc`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub compq: c_int,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub ifst: Iterations,
    pub ilst: Iterations,
    pub work: Unneeded,
}

/// A row from 1, as one from 0.
fn row(name: &'static str, value: i64, n: usize) -> Result<usize> {
    match usize::try_from(value) {
        Ok(value) if n == 0 || (1..=n).contains(&value) => Ok(value.saturating_sub(1)),
        _ if n == 0 => Ok(0),
        _ => Err(Error::argument(name, format!("{value} is not from 1 to {n}"))),
    }
}

/// Checks the arguments behind the layout, moves the block and ends the call. `moved` gets the rows, from 1.
///
/// # Safety
/// The operands must be null or valid for their shapes.
pub(super) unsafe fn exchange<T: Scalar, P: Location<T>>(
    session: Session,
    (layout, compq, n): (Layout, c_int, i64),
    (t, ldt): (P, i64),
    (q, ldq): (P, i64),
    rows: impl FnOnce() -> Result<(i64, i64)>,
    moved: impl FnOnce(usize, usize),
) -> Result<()> {
    let wanted = vectors("compq", compq)?;
    let n = arguments::size("n", n)?;
    let order = if wanted { n } else { 0 };
    leading_dimension(T_NAMES, layout, (n, n), ldt)?;
    leading_dimension(Q, layout, (order, order), ldq)?;
    let (from, to) = rows()?;
    let (from, to) = (row("ifst", from, n)?, row("ilst", to, n)?);
    let t = matrix(T_NAMES, layout, (n, n), t, ldt, true)?;
    let q = matrix(Q, layout, (order, order), q, ldq, wanted)?;
    let info = session.info()?;
    // SAFETY: the checks above; this function requires memory of these shapes.
    unsafe {
        let (t, q) = (t.open::<T>(&session)?, q.open::<T>(&session)?);
        let (t, q) = (t.write()?, view(wanted, &q)?);
        let (Some(queue), Some(info)) = (session.queue(), info) else {
            let result = affinimath::trexc(t, q, from, to)?;
            moved(result.from + 1, result.to + 1);
            session.finish(Event::Complete)?;
            return if result.complete { Ok(()) } else { Err(Error::EigenvaluesTooClose { index: 1 }) };
        };
        let info = info.open(&session)?;
        let (event, result) = affinimath::trexc_on(queue, t, q, from, to, info.write()?)?;
        moved(result.from + 1, result.to + 1);
        session.finish(event)
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid, memory of these shapes, and
        // valid integers.
        unsafe {
            let session = form.begin()?;
            let sizes = (arguments::layout(self.layout)?, self.compq, self.n);
            let rows = || {
                self.ifst.check_as("ifst")?;
                self.ilst.check_as("ilst")?;
                Ok((self.ifst.read(), self.ilst.read()))
            };
            // Rows are at most n, which LAPACK's integers count.
            let moved = |from, to| {
                self.ifst.write(from as i32);
                self.ilst.write(to as i32);
            };
            exchange::<T, _>(session, sizes, (self.t, self.ldt), (self.q, self.ldq), rows, moved)
        }
    }
}
