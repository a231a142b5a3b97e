//! Eigenvalues of matrices in packed storage: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::super::job::{Workspaces, pencil, vectors};
use super::super::{Iterations, W, Z};
use super::{AP, BP};
use crate::arguments::{self, array, leading_dimension, matrix, packed};
use crate::form::{Form, Opened, Run};

/// The arguments of `affinimath*spev`.
pub struct Eigenvalues<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// LAPACK's least lengths of work, rwork and iwork of divide and conquer, alone or of a pencil.
fn least_lengths<T: Scalar>(n: usize, vectors: bool, pencil: bool) -> [usize; 3] {
    let square = n.saturating_mul(n);
    let twice = square.saturating_mul(2);
    match (T::KIND.is_complex(), vectors) {
        _ if n <= 1 => [1, 1, 1],
        (false, false) => [2 * n, 1, 1],
        (false, true) => [(1 + 6 * n).saturating_add(if pencil { twice } else { square }), 1, 3 + 5 * n],
        (true, false) => [n, n, 1],
        (true, true) => [2 * n, (1 + 5 * n).saturating_add(twice), 3 + 5 * n],
    }
}

impl<T: Scalar, F: Form> Run<F> for Eigenvalues<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let wanted = vectors("jobz", self.jobz)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let [least, least_real, least_integer] = least_lengths::<T>(n, wanted, false);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        let order = if wanted { n } else { 0 };
        leading_dimension(Z, layout, (order, order), self.ldz)?;
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let w = array(W, n, self.w)?;
        let z = matrix(Z, layout, (order, order), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: `packed` checked ap, `array` w, `matrix` ldz, `Session::info` info; `Run::run` requires memory of
        // these shapes.
        unsafe {
            let (a, mut w) = (a.open::<T>(&session)?, w.open::<T::RealScalar>(&session)?);
            let z: Option<Opened<T, _>> = if wanted { Some(z.open(&session)?) } else { None };
            let z = z.as_ref().map(|z| z.write()).transpose()?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::hpev(a.read()?, w.slice_mut(), z)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::hpev_on(queue, a.read()?, w.write()?, z, info.write()?)?;
            session.finish(event)
        }
    }
}

/// The arguments of `affinimath*spgv`.
pub struct OfPencil<T: Scalar, F: Form> {
    pub layout: c_int,
    pub itype: i64,
    pub jobz: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub bp: F::Location<T>,
    pub w: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: F::Location<T::RealScalar>,
    pub lrwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

impl<T: Scalar, F: Form> Run<F> for OfPencil<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let pencil = pencil(self.itype)?;
        let wanted = vectors("jobz", self.jobz)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let [least, least_real, least_integer] = least_lengths::<T>(n, wanted, true);
        let workspaces = Workspaces {
            work: (self.work, self.lwork, least),
            rwork: (self.rwork, self.lrwork, least_real),
            iwork: (self.iwork, self.liwork, least_integer),
        };
        let order = if wanted { n } else { 0 };
        leading_dimension(Z, layout, (order, order), self.ldz)?;
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let b = packed(BP, layout, triangle, n, self.bp, true)?;
        let w = array(W, n, self.w)?;
        let z = matrix(Z, layout, (order, order), self.z, self.ldz, wanted)?;
        // SAFETY: LAPACK requires workspaces of their lengths.
        unsafe { workspaces.settle::<T>(&session)? };
        let info = session.info()?;
        // SAFETY: `packed` checked ap and bp, `array` w, `matrix` ldz, `Session::info` info; `Run::run` requires memory
        // of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let mut w = w.open::<T::RealScalar>(&session)?;
            let z: Option<Opened<T, _>> = if wanted { Some(z.open(&session)?) } else { None };
            let z = z.as_ref().map(|z| z.write()).transpose()?;
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                affinimath::hpgv(pencil, a.read()?, b.write()?, w.slice_mut(), z)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::hpgv_on(queue, pencil, a.read()?, b.write()?, w.write()?, z, info.write()?)?;
            session.finish(event)
        }
    }
}
