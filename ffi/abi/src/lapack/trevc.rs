//! trevc and trevc3: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar, SchurEigenvectors};

use super::geev::view;
use super::job::Workspaces;
use super::schur::{Flags, HowMany, enough, how_many, sides};
use super::{Iterations, NO_INTEGERS, NO_WORKSPACE, T as T_NAMES, VL, VR};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{Form, Run};

/// The arguments of `affinimath*trevc`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub sides: c_int,
    pub howmny: c_int,
    pub select: Flags,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub mm: i64,
    pub m: Iterations,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// LAPACK's workspaces of xTREVC3.
    fn workspaces(&self, n: usize) -> Workspaces<F::Location<T>, F::Location<T::RealScalar>> {
        let columns = if T::KIND.is_complex() { 2 } else { 3 };
        Workspaces {
            work: (self.work, self.lwork, n.saturating_mul(columns)),
            rwork: (self.rwork, self.lrwork, n),
            iwork: (NO_INTEGERS, NO_WORKSPACE, 1),
        }
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let ((left, right), how_many) = (sides(self.sides)?, how_many(self.howmny)?);
        let n = arguments::size("n", self.n)?;
        leading_dimension(T_NAMES, layout, (n, n), self.ldt)?;
        let shape = |wanted: bool, columns: usize| if wanted { (n, columns) } else { (0, 0) };
        // The number of columns is checked behind the leading dimensions, which it decides on in row-major layout.
        let given = usize::try_from(self.mm).unwrap_or(0);
        leading_dimension(VL, layout, shape(left, given), self.ldvl)?;
        leading_dimension(VR, layout, shape(right, given), self.ldvr)?;
        let mm = arguments::size("mm", self.mm)?;
        let selected = how_many == HowMany::Selected;
        if !selected && mm < n {
            return Err(affinimath::Error::argument("mm", format!("{mm} is less than {n}, the eigenvalues")));
        }
        let workspaces = self.workspaces(n);
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        self.select.check(if selected { n } else { 0 })?;
        let t = matrix(T_NAMES, layout, (n, n), self.t, self.ldt, true)?;
        // SAFETY: the checks above; `Run::run` requires n flags and T.
        let (mut flags, t) =
            unsafe { (if selected { self.select.read(n) } else { Vec::new() }, t.open::<T>(&session)?) };
        if selected {
            enough(&session, mm, t.read()?, &flags)?;
        }
        let vl = matrix(VL, layout, shape(left, mm), self.vl, self.ldvl, left)?;
        let vr = matrix(VR, layout, shape(right, mm), self.vr, self.ldvr, right)?;
        self.m.check_as("m")?;
        // SAFETY: the checks above; LAPACK requires workspaces of their lengths, `Run::run` memory of these shapes.
        unsafe {
            let before = flags.clone();
            workspaces.settle::<T>(&session)?;
            let (vl, vr) = (vl.open::<T>(&session)?, vr.open::<T>(&session)?);
            let wanted = match how_many {
                HowMany::All => SchurEigenvectors::All,
                HowMany::Product => SchurEigenvectors::Product,
                HowMany::Selected => SchurEigenvectors::Selected(&mut flags),
            };
            let (vl, vr) = (view(left, &vl)?, view(right, &vr)?);
            let (event, found) = match session.queue() {
                Some(queue) => affinimath::trevc_on(queue, t.read()?, wanted, vl, vr)?,
                None => (Event::Complete, affinimath::trevc(t.read()?, wanted, vl, vr)?),
            };
            self.select.write(&before, &flags);
            // The count is at most n; LAPACK's integers count n.
            self.m.write(found as i32);
            session.finish(event)
        }
    }
}
