//! Rust's side of C's `affinimath_sparse_factors`: the factors of a sparse matrix of any type.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;
use std::sync::{PoisonError, RwLock};

use affinimath::SparseFactors;
use affinimath::sparse::SparseMethod;
use affinimath::{Complex32, Complex64, Error, Event, Result};
use affinimath_abi::arguments::{self, matrix, not_null, size, wrong_code};
use affinimath_abi::form::{B, Form, Names, Run};

use super::code;
use super::handle::{Csr, Home, Typed, with_type, with_width};

const X: Names = super::create::names("x", "offx");

/// Rust's side of C's `affinimath_sparse_factors`.
#[derive(Debug)]
pub struct Factors {
    /// A solve reads it, an update writes it once its factors are there.
    any: RwLock<AnyFactors>,
    home: Home,
}

/// Factors of any type.
#[derive(Debug)]
pub(crate) enum AnyFactors {
    Single(SparseFactors<f32>),
    Double(SparseFactors<f64>),
    SingleComplex(SparseFactors<Complex32>),
    DoubleComplex(SparseFactors<Complex64>),
}

/// Works with factors of any type.
macro_rules! with_factors {
    ($any:expr, $factors:ident => $work:expr) => {
        match $any {
            AnyFactors::Single($factors) => $work,
            AnyFactors::Double($factors) => $work,
            AnyFactors::SingleComplex($factors) => $work,
            AnyFactors::DoubleComplex($factors) => $work,
        }
    };
}

/// # Safety
/// The handle must be null or live factors.
unsafe fn open<'a>(factors: *const Factors) -> Result<&'a Factors> {
    not_null("factors", factors)?;
    // SAFETY: `not_null` refused null; this function requires live factors.
    Ok(unsafe { &*factors })
}

/// # Safety
/// The handle must be null or a live matrix.
unsafe fn open_matrix<'a>(a: *const Csr) -> Result<&'a Csr> {
    not_null("a", a)?;
    // SAFETY: `not_null` refused null; this function requires a live matrix.
    Ok(unsafe { &*a })
}

/// # Safety
/// `a` must be null or a live matrix, `location` null or valid for a write.
pub(crate) unsafe fn create(a: *const Csr, method: c_int, location: *mut *mut Factors) -> Result<()> {
    // SAFETY: `open_matrix` has this function's contract of `a`.
    let csr = unsafe { open_matrix(a)? };
    let legal = "AFFINIMATH_FACTORS_AUTO, _CHOLESKY, _LDL, _LU or _QR";
    let method = code::sparse_method(method).ok_or_else(|| wrong_code("method", method, legal))?;
    not_null("factors", location)?;
    let any = with_type!(csr.any(), held => any(with_width!(held, matrix => match method {
        None => matrix.factorize(),
        Some(method) => matrix.factorize_by(method),
    }
    .map_err(of_a)?)));
    let factors = Factors { any: RwLock::new(any), home: csr.home().clone() };
    // SAFETY: `not_null` refused null; this function requires a pointer that is valid for a write.
    unsafe { ptr::write(location, Box::into_raw(Box::new(factors))) };
    Ok(())
}

/// A shape that does not fit is that of C's argument.
fn of_a(error: Error) -> Error {
    match error {
        Error::ShapeMismatch(reason) => Error::argument("a", reason),
        other => other,
    }
}

fn any<T: Typed>(factors: SparseFactors<T>) -> AnyFactors {
    T::any_factors(factors)
}

/// # Safety
/// `factors` must be null or live factors, `a` null or a live matrix.
pub(crate) unsafe fn update(factors: *const Factors, a: *const Csr) -> Result<()> {
    // SAFETY: `open` and `open_matrix` have this function's contract.
    let (factors, csr) = unsafe { (open(factors)?, open_matrix(a)?) };
    with_type!(csr.any(), held => update_typed(factors, csr, &held))
}

fn update_typed<T: Typed>(factors: &Factors, csr: &Csr, held: &super::handle::Held<T>) -> Result<()> {
    if std::mem::discriminant(csr.home()) != std::mem::discriminant(&factors.home) {
        let reason = "one of it and the factors was made from host pointers, the other from memory objects";
        return Err(Error::argument("a", reason));
    }
    let mut any = factors.any.write().unwrap_or_else(PoisonError::into_inner);
    let own = T::factors_mut(&mut any)
        .ok_or_else(|| Error::argument("a", format!("it is a matrix of {}, and the factors are not", T::NAME)))?;
    with_width!(held, matrix => own.refactorize(matrix)).map_err(of_a)
}

/// # Safety
/// `factors` must be null or live factors, the others null or valid for a write.
pub(crate) unsafe fn info(
    factors: *const Factors,
    method: *mut i32,
    rows: *mut i64,
    columns: *mut i64,
    entries: *mut i64,
) -> Result<()> {
    // SAFETY: `open` has this function's contract of `factors`.
    let factors = unsafe { open(factors)? };
    not_null("method", method)?;
    for (name, location) in [("rows", rows), ("columns", columns), ("entries", entries)] {
        not_null(name, location)?;
    }
    let any = factors.any.read().unwrap_or_else(PoisonError::into_inner);
    let (found, sizes) = with_factors!(&*any, own => (own.method(), [own.rows(), own.columns(), own.nnz()]));
    // SAFETY: `not_null` refused null; this function requires pointers that are valid for a write.
    unsafe { ptr::write(method, code::of_sparse_method(found)) };
    for (location, size) in [rows, columns, entries].into_iter().zip(sizes) {
        // SAFETY: as above.
        unsafe { ptr::write(location, size as i64) };
    }
    Ok(())
}

/// # Safety
/// `factors` must be null or live factors, `condition` null or valid for a write.
pub(crate) unsafe fn condition(factors: *const Factors, condition: *mut f64) -> Result<()> {
    // SAFETY: `open` has this function's contract of `factors`.
    let factors = unsafe { open(factors)? };
    not_null("condition", condition)?;
    let any = factors.any.read().unwrap_or_else(PoisonError::into_inner);
    let found = with_factors!(&*any, own => own.condition()?);
    // SAFETY: `not_null` refused null; this function requires a pointer that is valid for a write.
    unsafe { ptr::write(condition, found) };
    Ok(())
}

/// # Safety
/// `factors` must be null or factors that nothing uses any more.
pub(crate) unsafe fn destroy(factors: *mut Factors) -> Result<()> {
    if !factors.is_null() {
        // SAFETY: `create` boxed the factors, and this function requires that nothing uses them any more.
        drop(unsafe { Box::from_raw(factors) });
    }
    Ok(())
}

/// An argument that is the factors for a function's type and form.
pub(crate) struct Handle<T, F> {
    handle: *const Factors,
    of: PhantomData<(T, F)>,
}

impl<T, F> From<*const Factors> for Handle<T, F> {
    fn from(handle: *const Factors) -> Self {
        Handle { handle, of: PhantomData }
    }
}

/// The arguments of `affinimath*sparseFactorsSolve`.
pub(crate) struct Solve<T: Typed, F: Form> {
    pub(crate) layout: c_int,
    pub(crate) trans: c_int,
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) nrhs: i64,
    pub(crate) factors: Handle<T, F>,
    pub(crate) b: F::Location<T>,
    pub(crate) ldb: i64,
    pub(crate) x: F::Location<T>,
    pub(crate) ldx: i64,
}

impl<T: Typed, F: Form> Run<F> for Solve<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let (m, n, nrhs) = (size("m", self.m)?, size("n", self.n)?, size("nrhs", self.nrhs)?);
        // SAFETY: `Run::run` requires factors that are null or live.
        let factors = unsafe { open(self.factors.handle)? };
        factors.home.check("factors", &session)?;
        let any = factors.any.read().unwrap_or_else(PoisonError::into_inner);
        let own = T::factors(&any)
            .ok_or_else(|| Error::argument("factors", format!("the function is for those of {}", T::NAME)))?;
        for (name, size, own) in [("m", m, own.rows()), ("n", n, own.columns())] {
            if size != own {
                return Err(Error::argument(name, format!("{size}, and A has {own}")));
            }
        }
        if op.transposes() && own.method() == SparseMethod::Qr {
            return Err(Error::argument("trans", "QR factors have no solutions for a transposed A"));
        }
        let (rows, columns) = if op.transposes() { (n, m) } else { (m, n) };
        let b = matrix::<T, _>(B, layout, (rows, nrhs), self.b, self.ldb, true)?;
        let x = matrix::<T, _>(X, layout, (columns, nrhs), self.x, self.ldx, true)?;
        if !x.is_needed() {
            return session.finish(Event::Complete); // There are no unknowns.
        }
        // SAFETY: `matrix` checked ldb and ldx; `Run::run` requires memory of these shapes.
        let (b, x) = unsafe { (b.open::<T>(&session)?, x.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let event = own.solve_on(queue, op, b.read()?, x.write()?)?;
            return session.finish(event);
        }
        own.solve(op, b.read()?, x.write()?)
    }
}
