//! Expert drivers.

use std::ffi::{c_char, c_int};

use affinimath::{Equed, Error, Event, Expert, ExpertFactors, MatrixShape, Result, Scalar, VectorShape};

use super::super::job::{FACT_COMPUTED, FACT_EQUILIBRATED, FACT_GIVEN};
use super::super::{NO_WORKSPACE, Pivots, QUERY, RCOND, S, Unneeded, X, about_pivots, answer_query, check_workspace};
use super::{AF, BERR, C, FERR, R, reals, symmetry};
use crate::arguments::{self, leading_dimension, matrix, not_null, numbers, wrong_code};
use crate::form::{A, B, Form, Location, Opened, Operand, Run, Session, Unreported};

/// The arguments of `affinimath*gesvx`.
pub struct General<T: Scalar, F: Form> {
    pub layout: c_int,
    pub fact: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub equed: *mut c_char,
    pub r: F::Location<T::RealScalar>,
    pub c: F::Location<T::RealScalar>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub rcond: F::Location<T::RealScalar>,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub rpivot: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub rwork: F::Location<T::RealScalar>,
}

/// The arguments of `affinimath*posvx`.
pub struct Definite<T: Scalar, F: Form> {
    pub layout: c_int,
    pub fact: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub equed: *mut c_char,
    pub s: F::Location<T::RealScalar>,
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

/// The arguments of `affinimath*sysvx` or, of a Hermitian matrix, `affinimath*hesvx`.
pub struct Indefinite<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub fact: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub rcond: F::Location<T::RealScalar>,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Unneeded,
}

/// LAPACK's `fact`.
pub(super) fn given(code: c_int, equilibrates: bool) -> Result<ExpertFactors> {
    match code {
        FACT_COMPUTED => Ok(ExpertFactors::Computed),
        FACT_EQUILIBRATED if equilibrates => Ok(ExpertFactors::Equilibrated),
        FACT_GIVEN => Ok(ExpertFactors::Given),
        _ if equilibrates => {
            let legal = "AFFINIMATH_FACT_COMPUTED, AFFINIMATH_FACT_EQUILIBRATED or AFFINIMATH_FACT_GIVEN";
            Err(wrong_code("fact", code, legal))
        }
        _ => Err(wrong_code("fact", code, "AFFINIMATH_FACT_COMPUTED or AFFINIMATH_FACT_GIVEN")),
    }
}

/// LAPACK's `equed`, which is one of these letters where factors are given.
///
/// # Safety
/// The pointer must be null or valid for a letter.
unsafe fn equed(letter: *const c_char, factors: ExpertFactors, legal: &[(u8, Equed)]) -> Result<Equed> {
    not_null("equed", letter)?;
    if factors != ExpertFactors::Given {
        return Ok(Equed::None);
    }
    // SAFETY: it is not null, and this function requires a letter.
    let letter = unsafe { letter.cast::<u8>().read() }.to_ascii_uppercase();
    let found = legal.iter().find(|(name, _)| *name == letter).map(|(_, equed)| *equed);
    found.ok_or_else(|| Error::argument("equed", format!("{:?} is no letter of a scaling", char::from(letter))))
}

const OF_GENERAL: [(u8, Equed); 4] =
    [(b'N', Equed::None), (b'R', Equed::Rows), (b'C', Equed::Columns), (b'B', Equed::Both)];
const OF_DEFINITE: [(u8, Equed); 2] = [(b'N', Equed::None), (b'Y', Equed::Both)];

/// The letter of a scaling.
fn letter(equed: Equed, letters: &[(u8, Equed)]) -> c_char {
    letters.iter().find(|(_, one)| *one == equed).map_or(b'N', |(letter, _)| *letter) as c_char
}

/// Refuses given scaling factors that are not positive.
fn positive<T: Scalar>(name: &'static str, factors: &Opened<T::RealScalar, VectorShape>, given: bool) -> Result<()> {
    if given && factors.slice().iter().any(|factor| factor.re() <= 0.0) {
        return Err(Error::argument(name, "a factor is not positive"));
    }
    Ok(())
}

/// The results of all drivers.
struct Outputs<P, T: Scalar> {
    x: Operand<P, MatrixShape>,
    rcond: Opened<T::RealScalar, VectorShape>,
    ferr: Opened<T::RealScalar, VectorShape>,
    berr: Opened<T::RealScalar, VectorShape>,
}

/// Checks the arguments from x on.
///
/// # Safety
/// The contract of [`Run::run`].
unsafe fn outputs<P: Location<T>, R: Location<T::RealScalar>, T: Scalar>(
    session: &Session,
    x: Result<Operand<P, MatrixShape>>,
    columns: usize,
    [rcond, ferr, berr]: [R; 3],
) -> Result<Outputs<P, T>> {
    let x = x?;
    // SAFETY: `numbers` refused a null rcond; this function requires memory of these shapes.
    unsafe {
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, rcond)?.open(session)?;
        let (ferr, berr) = (reals::<T>(session, FERR, columns, ferr)?, reals::<T>(session, BERR, columns, berr)?);
        Ok(Outputs { x, rcond, ferr, berr })
    }
}

/// An info up to n as an error. Beyond it, the results are complete.
pub(super) fn info(found: &Expert, n: usize, definite: bool) -> Result<()> {
    match found.info {
        Some(index) if index <= n && definite => Err(Error::NotPositiveDefinite { index }),
        Some(index) if index <= n => Err(Error::ZeroPivot { index }),
        _ => Ok(()),
    }
}

/// LAPACK: n + 1 where A is singular to working precision.
///
/// # Safety
/// The pointer must be null or valid for a read.
pub(super) unsafe fn ill_conditioned<T: Scalar>(n: i64, lwork: i64, rcond: impl Location<T::RealScalar>) -> Unreported {
    if lwork == QUERY || rcond.is_null() {
        return Unreported::Nothing;
    }
    // SAFETY: it is not null, and this function requires a pointer that is valid for a read.
    let rcond = rcond.pointer().map(|rcond| unsafe { rcond.read() });
    if rcond.is_some_and(|rcond| rcond.re() < T::EPSILON / 2.0) {
        Unreported::Status(n + 1)
    } else {
        Unreported::Nothing
    }
}

/// Runs a driver with its pivots: copies of given ones, else those that it writes.
///
/// # Safety
/// The pointer must be null or valid for n pivots.
pub(super) unsafe fn with_pivots<P: Location<i32>>(
    session: &Session,
    pivots: &Pivots<P>,
    n: usize,
    given: bool,
    run: impl FnOnce(&mut [i32]) -> Result<Expert>,
) -> Result<Expert> {
    // SAFETY: this function requires n pivots.
    unsafe {
        if given {
            return run(&mut pivots.read(session, n)?).map_err(about_pivots);
        }
        let mut found = None;
        pivots.write(session, n, |pivots| {
            found = Some(run(pivots)?);
            Ok(())
        })?;
        found.ok_or_else(|| Error::Internal("a driver's result".to_owned()))
    }
}

impl<T: Scalar, F: Form> Run<F> for General<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let factors = given(self.fact, true)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let af = matrix(AF, layout, (n, n), self.af, self.ldaf, true)?;
        self.ipiv.check(n)?;
        // SAFETY: `matrix` checked the leading dimensions, `Pivots::check` ipiv; `Run::run` requires a letter and
        // memory of these shapes.
        unsafe {
            let mut scaling = equed(self.equed, factors, &OF_GENERAL)?;
            let (is_given, computes) = (factors == ExpertFactors::Given, factors == ExpertFactors::Equilibrated);
            let needed = |applied: bool| if computes || is_given && applied { n } else { 0 };
            let mut r = reals::<T>(&session, R, needed(scaling.rows()), self.r)?;
            positive::<T>("r", &r, is_given)?;
            let mut c = reals::<T>(&session, C, needed(scaling.columns()), self.c)?;
            positive::<T>("c", &c, is_given)?;
            let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
            let x = matrix(X, layout, (n, columns), self.x, self.ldx, true);
            let results = [self.rcond, self.ferr, self.berr];
            let mut outputs = outputs::<_, _, T>(&session, x, columns, results)?;
            let (a, af) = (a.open::<T>(&session)?, af.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, outputs.x.open::<T>(&session)?);
            let found = with_pivots(&session, &self.ipiv, n, is_given, |pivots| {
                affinimath::gesvx(
                    (op, factors),
                    (a.write()?, af.write()?, pivots),
                    (&mut scaling, r.slice_mut(), c.slice_mut()),
                    (b.write()?, x.write()?),
                    (outputs.ferr.slice_mut(), outputs.berr.slice_mut()),
                )
            })?;
            if !is_given {
                self.equed.write(letter(scaling, &OF_GENERAL));
            }
            let real = |value| T::RealScalar::from_parts(value, 0.0);
            outputs.rcond.set([real(found.rcond)]);
            // LAPACK: the growth is the first element of the real workspace.
            let growth = real(found.growth);
            self.rpivot.pointer().filter(|p| !p.is_null()).into_iter().for_each(|p| p.write(growth));
            if T::KIND.is_complex() {
                self.rwork.pointer().filter(|p| !p.is_null()).into_iter().for_each(|p| p.write(growth));
            } else {
                let element = T::from_parts(found.growth, 0.0);
                self.work.pointer().filter(|p| !p.is_null()).into_iter().for_each(|p| p.write(element));
            }
            session.finish(Event::Complete)?;
            info(&found, n, false)
        }
    }

    unsafe fn unreported(&self) -> Unreported {
        // SAFETY: `run` refused a null rcond and wrote it.
        unsafe { ill_conditioned::<T>(self.n, NO_WORKSPACE, self.rcond) }
    }
}

impl<T: Scalar, F: Form> Run<F> for Definite<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let factors = given(self.fact, true)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let af = matrix(AF, layout, (n, n), self.af, self.ldaf, true)?;
        // SAFETY: `matrix` checked the leading dimensions; `Run::run` requires a letter and memory of these shapes.
        unsafe {
            let mut scaled = equed(self.equed, factors, &OF_DEFINITE)? == Equed::Both;
            let is_given = factors == ExpertFactors::Given;
            let needed = factors == ExpertFactors::Equilibrated || scaled;
            let mut s = reals::<T>(&session, S, if needed { n } else { 0 }, self.s)?;
            positive::<T>("s", &s, is_given)?;
            let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
            let x = matrix(X, layout, (n, columns), self.x, self.ldx, true);
            let results = [self.rcond, self.ferr, self.berr];
            let mut outputs = outputs::<_, _, T>(&session, x, columns, results)?;
            let (a, af) = (a.open::<T>(&session)?, af.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, outputs.x.open::<T>(&session)?);
            let found = affinimath::posvx(
                (triangle, factors),
                (a.write()?, af.write()?),
                (&mut scaled, s.slice_mut()),
                (b.write()?, x.write()?),
                (outputs.ferr.slice_mut(), outputs.berr.slice_mut()),
            )?;
            if !is_given {
                self.equed.write(letter(if scaled { Equed::Both } else { Equed::None }, &OF_DEFINITE));
            }
            outputs.rcond.set([T::RealScalar::from_parts(found.rcond, 0.0)]);
            session.finish(Event::Complete)?;
            info(&found, n, true)
        }
    }

    unsafe fn unreported(&self) -> Unreported {
        // SAFETY: `run` refused a null rcond and wrote it.
        unsafe { ill_conditioned::<T>(self.n, NO_WORKSPACE, self.rcond) }
    }
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Indefinite<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let factors = given(self.fact, false)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        // LAPACK's least length of work.
        let min_lwork = n.saturating_mul(if T::KIND.is_complex() { 2 } else { 3 });
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            leading_dimension(AF, layout, (n, n), self.ldaf)?;
            leading_dimension(B, layout, (n, columns), self.ldb)?;
            leading_dimension(X, layout, (n, columns), self.ldx)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let af = matrix(AF, layout, (n, n), self.af, self.ldaf, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true);
        let is_given = factors == ExpertFactors::Given;
        // SAFETY: `matrix` checked the leading dimensions, `Pivots::check` ipiv; LAPACK requires lwork elements of
        // work, `Run::run` memory of these shapes.
        unsafe {
            let results = [self.rcond, self.ferr, self.berr];
            let mut outputs = outputs::<_, _, T>(&session, x, columns, results)?;
            check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)?;
            let (a, af) = (a.open::<T>(&session)?, af.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, outputs.x.open::<T>(&session)?);
            let found = with_pivots(&session, &self.ipiv, n, is_given, |pivots| {
                affinimath::sysvx(
                    (symmetry(HERMITIAN), triangle, factors),
                    (a.read()?, af.write()?, pivots),
                    (b.read()?, x.write()?),
                    (outputs.ferr.slice_mut(), outputs.berr.slice_mut()),
                )
            })?;
            outputs.rcond.set([T::RealScalar::from_parts(found.rcond, 0.0)]);
            session.finish(Event::Complete)?;
            info(&found, n, false)
        }
    }

    unsafe fn unreported(&self) -> Unreported {
        // SAFETY: `run` refused a null rcond and wrote it.
        unsafe { ill_conditioned::<T>(self.n, self.lwork, self.rcond) }
    }
}
