//! Tridiagonal matrices: condition numbers, refinement and expert drivers.

use std::ffi::c_int;

use affinimath::{DefiniteTridiagonal, Event, Layout, Result, Scalar, Triangle, Tridiagonal, TridiagonalFactors};

use super::super::{D, DL, DU, DU2, E, NO_WORKSPACE, Pivots, RCOND, Unneeded, X, about_pivots};
use super::band::not_negative;
use super::drivers::{given, ill_conditioned, info, with_pivots};
use super::{BERR, FERR, reals};
use crate::arguments::{self, array, matrix, numbers};
use crate::form::{B, Form, Names, Run, Session, Unreported, names};

/// Names of factors.
const DLF: Names = names!("dlf");
const DF: Names = names!("df");
const DUF: Names = names!("duf");
const EF: Names = names!("ef");

/// The arguments of `affinimath*gtcon`.
pub struct Condition<T: Scalar, F: Form> {
    pub norm: c_int,
    pub n: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub du2: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Condition<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let norm = arguments::consistent_norm(self.norm)?;
        let n = arguments::size("n", self.n)?;
        let off = n.saturating_sub(1);
        let (dl, d, du) = (array(DL, off, self.dl)?, array(D, n, self.d)?, array(DU, off, self.du)?);
        let du2 = array(DU2, n.saturating_sub(2), self.du2)?;
        self.ipiv.check(n)?;
        not_negative::<T>(self.anorm)?;
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        // SAFETY: `array`, `Pivots::check` and `numbers` refused null; `Run::run` requires memory of these shapes.
        unsafe {
            let (dl, d, du) = (dl.open::<T>(&session)?, d.open::<T>(&session)?, du.open::<T>(&session)?);
            let (du2, rcond) = (du2.open::<T>(&session)?, rcond.open(&session)?);
            let pivots = &self.ipiv.read(&session, n)?;
            let (dl, d, du, du2) = (dl.slice(), d.slice(), du.slice(), du2.slice());
            let found = affinimath::gtcon(norm, TridiagonalFactors { dl, d, du, du2, pivots }, self.anorm);
            rcond.set([found.map_err(about_pivots)?]);
            session.finish(Event::Complete)
        }
    }
}

/// The arguments of `affinimath*ptcon`.
pub struct DefiniteCondition<T: Scalar, F: Form> {
    pub n: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for DefiniteCondition<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let n = arguments::size("n", self.n)?;
        let d = array::<T::RealScalar, _>(D, n, self.d)?;
        let e = array(E, n.saturating_sub(1), self.e)?;
        not_negative::<T>(self.anorm)?;
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        // SAFETY: `array` and `numbers` refused null; `Run::run` requires memory of these shapes.
        unsafe {
            let (d, e) = (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?);
            let rcond = rcond.open(&session)?;
            rcond.set([affinimath::ptcon::<T>(d.slice(), e.slice(), self.anorm)?]);
            session.finish(Event::Complete)
        }
    }
}

/// The arguments of `affinimath*gtrfs`.
pub struct Refine<T: Scalar, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub dlf: F::Location<T>,
    pub df: F::Location<T>,
    pub duf: F::Location<T>,
    pub du2: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Refine<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let needed = |length: usize| if columns > 0 { length } else { 0 };
        let (all, off, second) = (needed(n), needed(n.saturating_sub(1)), needed(n.saturating_sub(2)));
        let (dl, d, du) = (array(DL, off, self.dl)?, array(D, all, self.d)?, array(DU, off, self.du)?);
        let (dlf, df) = (array(DLF, off, self.dlf)?, array(DF, all, self.df)?);
        let (duf, du2) = (array(DUF, off, self.duf)?, array(DU2, second, self.du2)?);
        self.ipiv.check(all)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        // SAFETY: `array` and `Pivots::check` refused null, `matrix` checked ldb and ldx; `Run::run` requires memory of
        // these shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            if columns == 0 {
                return session.finish(Event::Complete);
            }
            let (dl, d, du) = (dl.open::<T>(&session)?, d.open::<T>(&session)?, du.open::<T>(&session)?);
            let (dlf, df) = (dlf.open::<T>(&session)?, df.open::<T>(&session)?);
            let (duf, du2) = (duf.open::<T>(&session)?, du2.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
            let pivots = &self.ipiv.read(&session, all)?;
            let a = Tridiagonal { dl: dl.slice(), d: d.slice(), du: du.slice() };
            let (dl, d, du, du2) = (dlf.slice(), df.slice(), duf.slice(), du2.slice());
            let factors = TridiagonalFactors { dl, d, du, du2, pivots };
            let bounds = (ferr.slice_mut(), berr.slice_mut());
            affinimath::gtrfs(op, a, factors, b.read()?, x.write()?, bounds).map_err(about_pivots)?;
            session.finish(Event::Complete)
        }
    }
}

/// The arguments of `affinimath*gtsvx`.
pub struct Driver<T: Scalar, F: Form> {
    pub layout: c_int,
    pub fact: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub dl: F::Location<T>,
    pub d: F::Location<T>,
    pub du: F::Location<T>,
    pub dlf: F::Location<T>,
    pub df: F::Location<T>,
    pub duf: F::Location<T>,
    pub du2: F::Location<T>,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub rcond: F::Location<T::RealScalar>,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Driver<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let factors = given(self.fact, false)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let (off, second) = (n.saturating_sub(1), n.saturating_sub(2));
        let (dl, d, du) = (array(DL, off, self.dl)?, array(D, n, self.d)?, array(DU, off, self.du)?);
        let (dlf, df) = (array(DLF, off, self.dlf)?, array(DF, n, self.df)?);
        let (duf, du2) = (array(DUF, off, self.duf)?, array(DU2, second, self.du2)?);
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        // SAFETY: `array`, `Pivots::check` and `numbers` refused null, `matrix` checked ldb and ldx; `Run::run`
        // requires memory of these shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            let (dl, d, du) = (dl.open::<T>(&session)?, d.open::<T>(&session)?, du.open::<T>(&session)?);
            let (mut dlf, mut df) = (dlf.open::<T>(&session)?, df.open::<T>(&session)?);
            let (mut duf, mut du2) = (duf.open::<T>(&session)?, du2.open::<T>(&session)?);
            let (b, x, rcond) = (b.open::<T>(&session)?, x.open::<T>(&session)?, rcond.open(&session)?);
            let a = Tridiagonal { dl: dl.slice(), d: d.slice(), du: du.slice() };
            let is_given = factors == affinimath::ExpertFactors::Given;
            let found = with_pivots(&session, &self.ipiv, n, is_given, |pivots| {
                let own = (dlf.slice_mut(), df.slice_mut(), duf.slice_mut(), du2.slice_mut(), pivots);
                let bounds = (ferr.slice_mut(), berr.slice_mut());
                affinimath::gtsvx((op, factors), a, own, (b.read()?, x.write()?), bounds)
            })?;
            rcond.set([T::RealScalar::from_parts(found.rcond, 0.0)]);
            session.finish(Event::Complete)?;
            info(&found, n, false)
        }
    }

    unsafe fn unreported(&self) -> Unreported {
        // SAFETY: `run` refused a null rcond and wrote it.
        unsafe { ill_conditioned::<T>(self.n, NO_WORKSPACE, self.rcond) }
    }
}

/// The arguments of `affinimath*ptrfs` of the real types.
pub struct RefineDefinite<T: Scalar, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub df: F::Location<T::RealScalar>,
    pub ef: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
}

/// The arguments of `affinimath*ptrfs` of the complex types.
pub struct RefineHermitian<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub df: F::Location<T::RealScalar>,
    pub ef: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> RefineDefinite<T, F> {
    /// Checks the arguments from n on, and refines.
    ///
    /// # Safety
    /// The contract of [`Run::run`].
    unsafe fn refine(&self, session: Session, layout: Layout, triangle: Triangle) -> Result<()> {
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let needed = |length: usize| if columns > 0 { length } else { 0 };
        let (all, off) = (needed(n), needed(n.saturating_sub(1)));
        let (d, e) = (array::<T::RealScalar, _>(D, all, self.d)?, array(E, off, self.e)?);
        let (df, ef) = (array::<T::RealScalar, _>(DF, all, self.df)?, array(EF, off, self.ef)?);
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        // SAFETY: `array` refused null, `matrix` checked ldb and ldx; this function requires memory of these shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            if columns == 0 {
                return session.finish(Event::Complete);
            }
            let (d, e) = (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?);
            let (df, ef) = (df.open::<T::RealScalar>(&session)?, ef.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
            let a = DefiniteTridiagonal { triangle, d: d.slice(), e: e.slice() };
            let factors = DefiniteTridiagonal { triangle, d: df.slice(), e: ef.slice() };
            affinimath::ptrfs(a, factors, b.read()?, x.write()?, (ferr.slice_mut(), berr.slice_mut()))?;
            session.finish(Event::Complete)
        }
    }
}

impl<T: Scalar, F: Form> Run<F> for RefineDefinite<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        // SAFETY: `refine` has `Run::run`'s contract.
        unsafe { self.refine(session, layout, Triangle::Lower) }
    }
}

impl<T: Scalar, F: Form> Run<F> for RefineHermitian<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let Self { n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, .. } = *self;
        let real =
            RefineDefinite::<T, F> { layout: self.layout, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work };
        // SAFETY: `refine` has `Run::run`'s contract.
        unsafe { real.refine(session, layout, triangle) }
    }
}

/// The arguments of `affinimath*ptsvx`.
pub struct DefiniteDriver<T: Scalar, F: Form> {
    pub layout: c_int,
    pub fact: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub d: F::Location<T::RealScalar>,
    pub e: F::Location<T>,
    pub df: F::Location<T::RealScalar>,
    pub ef: F::Location<T>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub rcond: F::Location<T::RealScalar>,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for DefiniteDriver<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let factors = given(self.fact, false)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let off = n.saturating_sub(1);
        let (d, e) = (array::<T::RealScalar, _>(D, n, self.d)?, array(E, off, self.e)?);
        let (df, ef) = (array::<T::RealScalar, _>(DF, n, self.df)?, array(EF, off, self.ef)?);
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        // SAFETY: `array` and `numbers` refused null, `matrix` checked ldb and ldx; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            let (d, e) = (d.open::<T::RealScalar>(&session)?, e.open::<T>(&session)?);
            let (mut df, mut ef) = (df.open::<T::RealScalar>(&session)?, ef.open::<T>(&session)?);
            let (b, x, rcond) = (b.open::<T>(&session)?, x.open::<T>(&session)?, rcond.open(&session)?);
            let a = DefiniteTridiagonal { triangle: Triangle::Lower, d: d.slice(), e: e.slice() };
            let own = (df.slice_mut(), ef.slice_mut());
            let bounds = (ferr.slice_mut(), berr.slice_mut());
            let found = affinimath::ptsvx(factors, a, own, (b.read()?, x.write()?), bounds)?;
            rcond.set([T::RealScalar::from_parts(found.rcond, 0.0)]);
            session.finish(Event::Complete)?;
            info(&found, n, true)
        }
    }

    unsafe fn unreported(&self) -> Unreported {
        // SAFETY: `run` refused a null rcond and wrote it.
        unsafe { ill_conditioned::<T>(self.n, NO_WORKSPACE, self.rcond) }
    }
}
