//! trsna: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use super::schur::{Flags, HowMany, enough, how_many, sense};
use super::{Iterations, NO_WORKSPACE, S, SEP, T as T_NAMES, Unneeded, VL, VR};
use crate::arguments::{self, array, leading_dimension, matrix, wrong_code};
use crate::form::{Form, Run};

/// The arguments of `affinimath*trsna`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub sense: c_int,
    pub howmny: c_int,
    pub select: Flags,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub vl: Unneeded,
    pub ldvl: i64,
    pub vr: Unneeded,
    pub ldvr: i64,
    pub s: F::Location<T::RealScalar>,
    pub sep: F::Location<T::RealScalar>,
    pub mm: i64,
    pub m: Iterations,
    pub work: Unneeded,
    pub ldwork: i64,
    pub iwork: Unneeded,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (wanted, how_many) = (sense(self.sense)?, how_many(self.howmny)?);
        if !wanted.values && !wanted.subspace {
            let legal = "AFFINIMATH_SENSE_VALUES, AFFINIMATH_SENSE_VECTORS or AFFINIMATH_SENSE_BOTH";
            return Err(wrong_code("sense", self.sense, legal));
        }
        if how_many == HowMany::Product {
            let legal = "AFFINIMATH_EIGENVECTORS_ALL or AFFINIMATH_EIGENVECTORS_SELECTED";
            return Err(wrong_code("howmny", self.howmny, legal));
        }
        let n = arguments::size("n", self.n)?;
        leading_dimension(T_NAMES, layout, (n, n), self.ldt)?;
        let columns = usize::try_from(self.mm).unwrap_or(0);
        for (names, ld) in [(VL, self.ldvl), (VR, self.ldvr)] {
            if ld != NO_WORKSPACE {
                leading_dimension(names, layout, if wanted.values { (n, columns) } else { (0, 0) }, ld)?;
            }
        }
        let selected = how_many == HowMany::Selected;
        let mm = arguments::size("mm", self.mm)?;
        if !selected && mm < n {
            return Err(Error::argument("mm", format!("{mm} is less than {n}, the eigenvalues")));
        }
        self.select.check(if selected { n } else { 0 })?;
        let t = matrix(T_NAMES, layout, (n, n), self.t, self.ldt, true)?;
        // SAFETY: the checks above; `Run::run` requires n flags and T.
        let (flags, t) = unsafe { (selected.then(|| self.select.read(n)), t.open::<T>(&session)?) };
        let select = flags.as_deref();
        select.map_or(Ok(()), |select| enough(&session, mm, t.read()?, select))?;
        let min_rows = if wanted.subspace { n.max(1) as i64 } else { 1 };
        if self.ldwork != NO_WORKSPACE && self.ldwork < min_rows {
            return Err(Error::argument("ldwork", format!("{} is less than {min_rows}", self.ldwork)));
        }
        let s = array::<T::RealScalar, _>(S, if wanted.values { mm } else { 0 }, self.s)?;
        let sep = array::<T::RealScalar, _>(SEP, if wanted.subspace { mm } else { 0 }, self.sep)?;
        self.m.check_as("m")?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            let (mut s, mut sep) = (s.open::<T::RealScalar>(&session)?, sep.open::<T::RealScalar>(&session)?);
            let (event, count) = match session.queue() {
                Some(queue) => {
                    let s = if wanted.values { Some(s.write()?) } else { None };
                    let sep = if wanted.subspace { Some(sep.write()?) } else { None };
                    affinimath::trsna_on(queue, t.read()?, select, s, sep)?
                }
                None => {
                    let s = wanted.values.then(|| s.slice_mut());
                    let sep = wanted.subspace.then(|| sep.slice_mut());
                    (Event::Complete, affinimath::trsna(t.read()?, select, s, sep)?)
                }
            };
            // The count is at most n; LAPACK's integers count n.
            self.m.write(count as i32);
            session.finish(event)
        }
    }
}
