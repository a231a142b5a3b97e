//! Rust's side of C's `affinimath_preconditioner`.
//!
//! Solves share a preconditioner, or each solve gets one of its own ([`Precondition`]). [`of_matrix`] makes one from a
//! matrix of any type.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use affinimath::sparse::{CsrMatrix, Jacobi, LinearOperator, Outcome, RowPointer};
use affinimath::{BlockJacobi, Chebyshev, Complex32, Complex64, Context, Error, Ic0, Ilu0, Result, Ssor};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::form::{Form, Run, Session};

use super::handle::{Csr, Home, Typed, with_type, with_width};
use super::operator::{Callback, Called};

/// Rust's side of C's `affinimath_preconditioner`.
pub struct Preconditioner {
    any: AnyPrecondition,
    home: Home,
}

impl fmt::Debug for Preconditioner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preconditioner").field("home", &self.home).finish_non_exhaustive()
    }
}

/// A preconditioner of any type.
pub(crate) enum AnyPrecondition {
    Single(Box<dyn Precondition<f32>>),
    Double(Box<dyn Precondition<f64>>),
    SingleComplex(Box<dyn Precondition<Complex32>>),
    DoubleComplex(Box<dyn Precondition<Complex64>>),
}

/// A solve that takes a preconditioner.
pub(crate) type Solve<'a, T> = &'a mut dyn FnMut(&dyn LinearOperator<T>) -> Result<Outcome>;

/// A preconditioner of solves on any number of threads.
pub(crate) trait Precondition<T>: Send + Sync {
    /// Runs a solve with a preconditioner for vectors in the operator's context.
    fn lend(&self, operator: &dyn LinearOperator<T>, solve: Solve<'_, T>) -> Result<Outcome>;

    /// Rows of the preconditioned matrix.
    fn order(&self) -> usize;

    /// The context of the preconditioner; none if it serves all.
    fn context(&self) -> Option<Context>;
}

/// A preconditioner that all solves share.
struct Shared<O>(O);

impl<T: Typed, O: LinearOperator<T> + Send + Sync> Precondition<T> for Shared<O> {
    fn lend(&self, _: &dyn LinearOperator<T>, solve: Solve<'_, T>) -> Result<Outcome> {
        solve(&self.0)
    }

    fn order(&self) -> usize {
        self.0.rows()
    }

    fn context(&self) -> Option<Context> {
        Some(self.0.context().clone())
    }
}

/// Chebyshev polynomials of a matrix. Each solve has vectors of its own for them.
struct Polynomial<T, P> {
    matrix: Arc<CsrMatrix<T, P>>,
    degree: usize,
    bounds: (f64, f64),
}

impl<T: Typed, P: RowPointer> Precondition<T> for Polynomial<T, P> {
    fn lend(&self, _: &dyn LinearOperator<T>, solve: Solve<'_, T>) -> Result<Outcome> {
        let (low, high) = self.bounds;
        solve(&Chebyshev::with_bounds(&*self.matrix, self.degree, low, high)?)
    }

    fn order(&self) -> usize {
        self.matrix.rows()
    }

    fn context(&self) -> Option<Context> {
        Some(self.matrix.context().clone())
    }
}

/// The caller's function.
struct Function<T> {
    order: usize,
    function: Callback,
    user: *mut c_void,
    of: PhantomData<T>,
}

// SAFETY: the C header documents that the function and its `user` are used on the thread that solves.
unsafe impl<T> Send for Function<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Function<T> {}

impl<T: Typed> Precondition<T> for Function<T> {
    fn lend(&self, operator: &dyn LinearOperator<T>, solve: Solve<'_, T>) -> Result<Outcome> {
        let context = operator.context().clone();
        // SAFETY: `affinimathSpreconditionerCreate` requires a valid function for as long as the preconditioner lives.
        solve(&unsafe {
            Called::<T>::new(context, (self.order, self.order), self.function, self.user, "the preconditioner")
        })
    }

    fn order(&self) -> usize {
        self.order
    }

    fn context(&self) -> Option<Context> {
        None
    }
}

impl Preconditioner {
    /// The preconditioner under its type, for a solve with `order` unknowns.
    pub(crate) fn typed<T: Typed>(&self, order: usize, session: &Session) -> Result<&dyn Precondition<T>> {
        let wrong = |reason: String| Error::argument("options", format!("its preconditioner: {reason}"));
        let own =
            T::precondition(&self.any).ok_or_else(|| wrong(format!("it is for another type than {}", T::NAME)))?;
        self.home.check("options", session).map_err(|error| match error {
            Error::InvalidArgument { reason, .. } => wrong(reason),
            other => other,
        })?;
        if own.order() != order {
            return Err(wrong(format!("it is for {} unknowns, and there are {order}", own.order())));
        }
        Ok(own)
    }
}

/// Makes a preconditioner, a [`Precondition`], of a matrix of any type, and gives it to C. Errors name the matrix `a`.
macro_rules! of_matrix {
    ($a:expr, $location:expr, $matrix:ident => $made:expr) => {{
        not_null("a", $a)?;
        // SAFETY: `not_null` refused null; the functions of this macro require a live matrix.
        let csr: &Csr = unsafe { &*$a };
        let any = with_type!(csr.any(), held => {
            held.order("a")?;
            not_null("preconditioner", $location)?;
            with_width!(held, $matrix => any($made))
        });
        // SAFETY: `not_null` refused null; the functions of this macro require a pointer that is valid for a write.
        unsafe { give($location, any, csr.home().clone()) }
    }};
}

fn any<T: Typed>(own: impl Precondition<T> + 'static) -> AnyPrecondition {
    T::any_precondition(Box::new(own))
}

/// Gives C a handle.
///
/// # Safety
/// The pointer must be valid for a write.
unsafe fn give(location: *mut *mut Preconditioner, any: AnyPrecondition, home: Home) -> Result<()> {
    // SAFETY: this function requires a pointer that is valid for a write.
    unsafe { ptr::write(location, Box::into_raw(Box::new(Preconditioner { any, home }))) };
    Ok(())
}

/// # Safety
/// `a` must be null or a live matrix, `location` null or valid for a write.
pub(crate) unsafe fn jacobi(a: *const Csr, location: *mut *mut Preconditioner) -> Result<()> {
    of_matrix!(a, location, matrix => Shared(Jacobi::new(&*matrix)?))
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn chebyshev(a: *const Csr, degree: i64, location: *mut *mut Preconditioner) -> Result<()> {
    not_null("a", a)?;
    let degree = size("degree", degree)?;
    of_matrix!(a, location, matrix => {
        let bounds = Chebyshev::new(&*matrix, degree).map_err(|error| named(error, "a"))?.bounds();
        Polynomial { matrix, degree, bounds }
    })
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn chebyshev_bounds(
    a: *const Csr,
    degree: i64,
    (low, high): (f64, f64),
    location: *mut *mut Preconditioner,
) -> Result<()> {
    not_null("a", a)?;
    let degree = size("degree", degree)?;
    of_matrix!(a, location, matrix => {
        let name = if low > 0.0 && low.is_finite() { "high" } else { "low" };
        Chebyshev::with_bounds(&*matrix, degree, low, high).map_err(|error| named(error, name))?;
        Polynomial { matrix, degree, bounds: (low, high) }
    })
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn block_jacobi(a: *const Csr, rows: i64, location: *mut *mut Preconditioner) -> Result<()> {
    not_null("a", a)?;
    let rows = size("size", rows)?;
    of_matrix!(a, location, matrix => Shared(BlockJacobi::new(&*matrix, rows)?))
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ssor(a: *const Csr, omega: f64, location: *mut *mut Preconditioner) -> Result<()> {
    of_matrix!(a, location, matrix => Shared(Ssor::new(&*matrix, omega)?))
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ilu0(a: *const Csr, location: *mut *mut Preconditioner) -> Result<()> {
    of_matrix!(a, location, matrix => Shared(Ilu0::new(&*matrix).map_err(|error| named(error, "a"))?))
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ic0(a: *const Csr, location: *mut *mut Preconditioner) -> Result<()> {
    of_matrix!(a, location, matrix => Shared(Ic0::new(&*matrix).map_err(|error| named(error, "a"))?))
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ic0_shifted(a: *const Csr, shift: f64, location: *mut *mut Preconditioner) -> Result<()> {
    let name = if shift >= 0.0 && shift.is_finite() { "a" } else { "shift" };
    of_matrix!(a, location, matrix => Shared(Ic0::shifted(&*matrix, shift).map_err(|error| named(error, name))?))
}

/// The error under C's name of the argument.
fn named(error: Error, name: &'static str) -> Error {
    match error {
        Error::InvalidArgument { reason, .. } => Error::argument(name, reason),
        other => other,
    }
}

/// The arguments of `affinimath*preconditionerCreate`.
pub(crate) struct Create<T: Typed, F: Form> {
    pub(crate) n: i64,
    pub(crate) apply: Callback,
    pub(crate) user: *mut c_void,
    pub(crate) preconditioner: NewPreconditioner<T, F>,
}

/// An argument that receives a preconditioner of a function's type and form.
pub(crate) struct NewPreconditioner<T, F> {
    location: *mut *mut Preconditioner,
    of: PhantomData<(T, F)>,
}

impl<T, F> From<*mut *mut Preconditioner> for NewPreconditioner<T, F> {
    fn from(location: *mut *mut Preconditioner) -> Self {
        NewPreconditioner { location, of: PhantomData }
    }
}

impl<T: Typed, F: Form> Run<F> for Create<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let order = size("n", self.n)?;
        self.apply.check("apply")?;
        not_null("preconditioner", self.preconditioner.location)?;
        let own = Function::<T> { order, function: self.apply, user: self.user, of: PhantomData };
        // SAFETY: `not_null` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { give(self.preconditioner.location, any(own), Home::of(&session))? };
        session.finish(affinimath::Event::Complete)
    }
}
