//! sbtrd and hbtrd: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, MatrixShape, Result, Scalar, TridiagonalVectors};

use super::job::{NO_VECTORS, UPDATE_VECTORS, VECTORS};
use super::{AB, D, E, Q, Unneeded, band_rows};
use crate::arguments::{self, array, leading_dimension, matrix, wrong_code};
use crate::form::{Form, Opened, Run};

/// The arguments of `affinimath*sbtrd`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub vect: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub kd: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T::RealScalar>,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = match self.vect {
            NO_VECTORS => false,
            VECTORS | UPDATE_VECTORS => true,
            _ => {
                let legal = "AFFINIMATH_NO_VECTORS, AFFINIMATH_VECTORS or AFFINIMATH_UPDATE_VECTORS";
                return Err(wrong_code("vect", self.vect, legal));
            }
        };
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let kd = arguments::size("kd", self.kd)?;
        let order = if wanted { n } else { 0 };
        leading_dimension(AB, layout, (band_rows(0, kd), n), self.ldab)?;
        leading_dimension(Q, layout, (order, order), self.ldq)?;
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, true)?;
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array::<T::RealScalar, _>(E, n.saturating_sub(1), self.e)?;
        let q = matrix(Q, layout, (order, order), self.q, self.ldq, wanted)?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            let (ab, mut d) = (ab.open::<T>(&session)?, d.open::<T::RealScalar>(&session)?);
            let mut e = e.open::<T::RealScalar>(&session)?;
            let q: Option<Opened<T, MatrixShape>> = if wanted { Some(q.open(&session)?) } else { None };
            let vectors = match &q {
                Some(q) if self.vect == VECTORS => TridiagonalVectors::Into(q.write()?),
                Some(q) => TridiagonalVectors::Product(q.write()?),
                None => TridiagonalVectors::None,
            };
            let Some(queue) = session.queue() else {
                affinimath::hbtrd(triangle, kd, ab.write()?, d.slice_mut(), e.slice_mut(), vectors)?;
                return session.finish(Event::Complete);
            };
            let event = affinimath::hbtrd_on(queue, triangle, kd, ab.write()?, d.write()?, e.write()?, vectors)?;
            session.finish(event)
        }
    }
}
