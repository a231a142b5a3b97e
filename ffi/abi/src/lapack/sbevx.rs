//! sbevx and hbevx: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, MatrixShape, Result, Scalar};

use super::job::{columns_of, spectrum, vectors, write_zeros};
use super::{AB, Iterations, Pivots, Q, Unneeded, W, Z, band_rows};
use crate::arguments::{self, array, leading_dimension, matrix};
use crate::form::{Form, Opened, Operand, Run};

/// The arguments of `affinimath*sbevx`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub range: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub kd: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub vl: T::RealScalar,
    pub vu: T::RealScalar,
    pub il: i64,
    pub iu: i64,
    pub abstol: T::RealScalar,
    pub m: Iterations,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: Unneeded,
    pub rwork: Unneeded,
    pub iwork: Unneeded,
    pub ifail: Pivots<F::Location<i32>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let given = usize::try_from(self.n).unwrap_or(0);
        // The option itself comes before the other arguments, its bounds after them.
        spectrum(self.range, given, (0.0, 1.0), (1, given as i64))?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let kd = arguments::size("kd", self.kd)?;
        let order = if wanted { n } else { 0 };
        leading_dimension(AB, layout, (band_rows(0, kd), n), self.ldab)?;
        leading_dimension(Q, layout, (order, order), self.ldq)?;
        let spectrum = spectrum(self.range, n, (self.vl.re(), self.vu.re()), (self.il, self.iu))?;
        let columns = if wanted { columns_of(spectrum, n) } else { 0 };
        leading_dimension(Z, layout, (order, columns), self.ldz)?;
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, true)?;
        let q = matrix(Q, layout, (order, order), self.q, self.ldq, wanted)?;
        self.m.check_as("m")?;
        let w = array::<T::RealScalar, _>(W, n, self.w)?;
        let z = matrix(Z, layout, (order, columns), self.z, self.ldz, wanted)?;
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            self.m.write(0);
            let (ab, mut w) = (ab.open::<T>(&session)?, w.open::<T::RealScalar>(&session)?);
            let open = |operand: &Operand<F::Location<T>, MatrixShape>| -> Result<Option<Opened<T, MatrixShape>>> {
                if wanted { operand.open(&session).map(Some) } else { Ok(None) }
            };
            let (q, z) = (open(&q)?, open(&z)?);
            let q = q.as_ref().map(|q| q.write()).transpose()?;
            let z = z.as_ref().map(|z| z.write()).transpose()?;
            let (ab, band) = (ab.read()?, (triangle, kd));
            let (event, count) = match (session.queue(), info) {
                (Some(queue), Some(info)) => {
                    let info = info.open(&session)?;
                    affinimath::hbevx_on(queue, spectrum, band, ab, w.write()?, z, q, info.write()?)?
                }
                _ => (Event::Complete, affinimath::hbevx(spectrum, band, ab, w.slice_mut(), z, q)?),
            };
            // The count is at most n; LAPACK's integers count n.
            self.m.write(count as i32);
            if wanted {
                write_zeros(&self.ifail, count);
            }
            session.finish(event)
        }
    }
}
