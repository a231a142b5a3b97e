//! bdsqr: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{BidiagonalVectors, Event, Result, Scalar};

use super::{D, E, U, Unneeded, VT};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{C, Form, Run};

/// The arguments of `affinimath*bdsqr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ncvt: i64,
    pub nru: i64,
    pub ncc: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub vt: F::Location<T>,
    pub ldvt: i64,
    pub u: F::Location<T>,
    pub ldu: i64,
    pub c: F::Location<T>,
    pub ldc: i64,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let (ncvt, nru) = (arguments::size("ncvt", self.ncvt)?, arguments::size("nru", self.nru)?);
        let ncc = arguments::size("ncc", self.ncc)?;
        // A matrix without columns has no rows to be apart.
        let rows = |columns: usize| if columns == 0 { 0 } else { n };
        let (of_vt, of_u, of_c) = ((rows(ncvt), ncvt), (nru, rows(nru)), (rows(ncc), ncc));
        leading_dimension(VT, layout, of_vt, self.ldvt)?;
        leading_dimension(U, layout, of_u, self.ldu)?;
        leading_dimension(C, layout, of_c, self.ldc)?;
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T::RealScalar, _>(E, n.saturating_sub(1), self.e)?;
        let vt = matrix(VT, layout, of_vt, self.vt, self.ldvt, ncvt > 0)?;
        let u = matrix(U, layout, of_u, self.u, self.ldu, nru > 0)?;
        let c = matrix(C, layout, of_c, self.c, self.ldc, ncc > 0)?;
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            let (mut d, mut e) = (d.open::<T::RealScalar>(&session)?, e.open::<T::RealScalar>(&session)?);
            let vt = if ncvt > 0 { Some(vt.open::<T>(&session)?) } else { None };
            let u = if nru > 0 { Some(u.open::<T>(&session)?) } else { None };
            let c = if ncc > 0 { Some(c.open::<T>(&session)?) } else { None };
            let vectors = BidiagonalVectors {
                vt: vt.as_ref().map(|vt| vt.write()).transpose()?,
                u: u.as_ref().map(|u| u.write()).transpose()?,
                c: c.as_ref().map(|c| c.write()).transpose()?,
            };
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::bdsqr(triangle, d.slice_mut(), e.slice_mut(), vectors)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::bdsqr_on(queue, triangle, d.write()?, e.write()?, vectors, info.write()?)?;
            session.finish(event)
        }
    }
}
