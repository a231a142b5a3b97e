//! Iterative solvers.

use std::ffi::c_void;

use affinimath::route::StagedVector;
use affinimath::sparse::{LinearOperator, Outcome, SolveOptions as Options};
use affinimath::{Context, Error, Event, Result, VectorMut, VectorRef, VectorShape};
use affinimath_abi::arguments::{array, not_null, size};
use affinimath_abi::form::{Form, Location, Names, Operand, Run, Session};

use super::arrays::X;
use super::create::names;
use super::handle::{Home, Matrix, Typed, in_order, with_width};
use super::operator::{Callback, Called};
use super::preconditioner::Precondition;
use super::{SolveOptions, SolveOutcome, code};

const B: Names = names("b", "offb");

/// Runs a method, by the number in the call's type.
fn solve<T: Typed, const METHOD: u8>(
    operator: &dyn LinearOperator<T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
    options: &Options<'_, T>,
) -> Result<Outcome> {
    match METHOD {
        0 => affinimath::cg(operator, b, x, options),
        1 => affinimath::minres(operator, b, x, options),
        2 => affinimath::bicgstab(operator, b, x, options),
        3 => affinimath::gmres(operator, b, x, options),
        4 => affinimath::lsqr(operator, b, x, options),
        _ => affinimath::lsmr(operator, b, x, options),
    }
}

/// True if a method takes matrices of any shape.
const fn is_least_squares(method: u8) -> bool {
    method >= 4
}

/// The arguments of a solver with a sparse matrix.
pub(crate) struct Solve<T: Typed, F: Form, const METHOD: u8> {
    pub(crate) a: Matrix<T, F>,
    pub(crate) b: F::Location<T>,
    pub(crate) x: F::Location<T>,
    pub(crate) options: *const SolveOptions,
    pub(crate) outcome: *mut SolveOutcome,
}

impl<T: Typed, F: Form, const METHOD: u8> Run<F> for Solve<T, F, METHOD> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let (rows, columns) = if is_least_squares(METHOD) {
            (held.rows(), held.columns())
        } else {
            let order = held.order("a")?;
            (order, order)
        };
        let (b, x) = (array::<T, _>(B, rows, self.b)?, array::<T, _>(X, columns, self.x)?);
        // SAFETY: `Run::run` requires options that are null or valid, and a preconditioner in them that is null or
        // live.
        let given = unsafe { Given::<T>::read::<METHOD>(self.options, columns, &session)? };
        if given.preconditioner.and_then(Precondition::context).is_some_and(|context| !context.is_same(held.context()))
        {
            return Err(Error::argument("options", "its preconditioner lies elsewhere than the matrix"));
        }
        not_null("outcome", self.outcome)?;
        let outcome = with_width!(&held, matrix => {
            // SAFETY: `array` refused null; `Run::run` requires the rows' elements of b and the columns' elements of x.
            unsafe { run::<T, _, METHOD>(&session, &**matrix, (b, x), &given)? }
        });
        // SAFETY: `not_null` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.outcome.write(outcome) };
        session.finish(Event::Complete)
    }
}

/// The arguments of a solver with the caller's function.
pub(crate) struct SolveOperator<T: Typed, F: Form, const METHOD: u8> {
    pub(crate) n: i64,
    pub(crate) apply: Callback,
    pub(crate) user: *mut c_void,
    pub(crate) b: F::Location<T>,
    pub(crate) x: F::Location<T>,
    pub(crate) options: *const SolveOptions,
    pub(crate) outcome: *mut SolveOutcome,
}

impl<T: Typed, F: Form, const METHOD: u8> Run<F> for SolveOperator<T, F, METHOD> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let order = size("n", self.n)?;
        let vectors = (self.b, self.x);
        // SAFETY: `solve_called` has `Run::run`'s contract.
        unsafe {
            solve_called::<T, F, METHOD>(
                &session,
                (order, order),
                (self.apply, self.user),
                vectors,
                self.options,
                self.outcome,
            )?;
        }
        session.finish(Event::Complete)
    }
}

/// The arguments of a least-squares method with the caller's function.
pub(crate) struct SolveRectangular<T: Typed, F: Form, const METHOD: u8> {
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) apply: Callback,
    pub(crate) user: *mut c_void,
    pub(crate) b: F::Location<T>,
    pub(crate) x: F::Location<T>,
    pub(crate) options: *const SolveOptions,
    pub(crate) outcome: *mut SolveOutcome,
}

impl<T: Typed, F: Form, const METHOD: u8> Run<F> for SolveRectangular<T, F, METHOD> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let shape = (size("m", self.m)?, size("n", self.n)?);
        let vectors = (self.b, self.x);
        // SAFETY: `solve_called` has `Run::run`'s contract.
        unsafe {
            solve_called::<T, F, METHOD>(
                &session,
                shape,
                (self.apply, self.user),
                vectors,
                self.options,
                self.outcome,
            )?;
        }
        session.finish(Event::Complete)
    }
}

/// Solves with the caller's function as an operator of this shape.
///
/// # Safety
/// The contract of [`Run::run`].
unsafe fn solve_called<T: Typed, F: Form, const METHOD: u8>(
    session: &Session,
    shape: (usize, usize),
    (apply, user): (Callback, *mut c_void),
    (b, x): (F::Location<T>, F::Location<T>),
    options: *const SolveOptions,
    outcome: *mut SolveOutcome,
) -> Result<()> {
    apply.check("apply")?;
    let (b, x) = (array::<T, _>(B, shape.0, b)?, array::<T, _>(X, shape.1, x)?);
    // SAFETY: this function has `Run::run`'s contract: options and their preconditioner are null or valid.
    let given = unsafe { Given::<T>::read::<METHOD>(options, shape.1, session)? };
    not_null("outcome", outcome)?;
    let context = given.preconditioner.and_then(Precondition::context).unwrap_or(Home::of(session).context());
    // SAFETY: `check` refused null; `Run::run` requires a valid function for the time of the call.
    let operator = unsafe { Called::<T>::new(context, shape, apply, user, "the operator") };
    // SAFETY: `array` refused null; `Run::run` requires the rows' elements of b and the columns' elements of x.
    let found = unsafe { run::<T, _, METHOD>(session, &operator, (b, x), &given)? };
    // SAFETY: `not_null` refused null; `Run::run` requires a pointer that is valid for a write.
    unsafe { outcome.write(found) };
    Ok(())
}

/// Checked options.
struct Given<'a, T> {
    options: Option<SolveOptions>,
    preconditioner: Option<&'a dyn Precondition<T>>,
}

impl<T: Typed> Given<'_, T> {
    /// # Safety
    /// `options` must be null or valid, its preconditioner null or live for the time of the solve.
    unsafe fn read<const METHOD: u8>(options: *const SolveOptions, order: usize, session: &Session) -> Result<Self> {
        if options.is_null() {
            return Ok(Given { options: None, preconditioner: None });
        }
        // SAFETY: it is not null, and `read` requires valid options.
        let options = unsafe { options.read() };
        let wrong = |reason: String| Err(Error::argument("options", reason));
        for (name, value) in [("rtol", options.rtol), ("atol", options.atol), ("damping", options.damping)] {
            if value.is_nan() || value < 0.0 || (name == "damping" && value.is_infinite()) {
                return wrong(format!("its {name}, {value}, is not a number from 0 on"));
            }
        }
        if !(1..=MAX_RESTART).contains(&options.restart) {
            return wrong(format!("its restart, {}, is not from 1 to {MAX_RESTART}", options.restart));
        }
        if !(1..=MAX_POLL).contains(&options.poll) {
            return wrong(format!("its poll, {}, is not from 1 to {MAX_POLL}", options.poll));
        }
        let preconditioner = if options.preconditioner.is_null() {
            None
        } else if is_least_squares(METHOD) {
            return wrong("it has a preconditioner, and methods for least squares take none".to_owned());
        } else {
            // SAFETY: it is not null, and `read` requires a live preconditioner.
            Some(unsafe { &*options.preconditioner }.typed::<T>(order, session)?)
        };
        Ok(Given { options: Some(options), preconditioner })
    }
}

/// The limits of [`Options::restart`] and [`Options::poll`].
const MAX_RESTART: i64 = 62;
const MAX_POLL: i64 = 16;

/// Solves with vectors of either form.
///
/// # Safety
/// The vectors must be null or valid for their shapes. Nothing else may access x.
unsafe fn run<T: Typed, P: Location<T>, const METHOD: u8>(
    session: &Session,
    operator: &dyn LinearOperator<T>,
    (b, x): (Operand<P, VectorShape>, Operand<P, VectorShape>),
    given: &Given<'_, T>,
) -> Result<SolveOutcome> {
    // SAFETY: this function requires vectors that are null or have their shapes' elements.
    let (b, x) = unsafe { (b.open::<T>(session)?, x.open::<T>(session)?) };
    let outcome = if session.queue().is_some() {
        let (b, x) = (b.read()?, x.write()?);
        in_order(session, || preconditioned::<T, METHOD>(operator, given, b, x))?
    } else {
        let context: &Context = operator.context();
        let b = StagedVector::reading(context, b.read()?)?;
        let mut x = StagedVector::writing(context, x.write()?, true)?;
        let outcome = preconditioned::<T, METHOD>(operator, given, b.view()?, x.view_mut()?)?;
        x.take_back()?;
        outcome
    };
    let reason = code::reason(outcome.reason)
        .ok_or_else(|| Error::Internal(format!("the reason '{}' has no number", outcome.reason)))?;
    let Outcome { iterations, residual, relative_residual, normal_residual, .. } = outcome;
    let normal_residual = normal_residual.unwrap_or(-1.0);
    Ok(SolveOutcome { reason, iterations: iterations as i64, residual, relative_residual, normal_residual })
}

/// Solves with the given options and preconditioner.
fn preconditioned<T: Typed, const METHOD: u8>(
    operator: &dyn LinearOperator<T>,
    given: &Given<'_, T>,
    b: VectorRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Outcome> {
    let Some(from) = &given.options else { return solve::<T, METHOD>(operator, b, x, &Options::new()) };
    let report = |iteration: usize, residual: f64| {
        if let Some(history) = from.history {
            // SAFETY: `Given::read` requires valid options: `history` takes `history_user` during the solve.
            unsafe { history(from.history_user, iteration as i64, residual) };
        }
    };
    let mut options = Options::new()
        .rtol(from.rtol)
        .atol(from.atol)
        .restart(from.restart as usize)
        .poll(from.poll as usize)
        .damping(from.damping);
    if let Ok(iterations) = usize::try_from(from.max_iterations) {
        options = options.max_iterations(iterations);
    }
    if from.history.is_some() {
        options = options.history(&report);
    }
    let Some(preconditioner) = given.preconditioner else { return solve::<T, METHOD>(operator, b, x, &options) };
    let mut vectors = Some((b, x));
    preconditioner.lend(operator, &mut |preconditioner| {
        let (b, x) = vectors.take().ok_or_else(|| Error::Internal("a solve is begun twice".to_owned()))?;
        solve::<T, METHOD>(operator, b, x, &options.preconditioner(preconditioner))
    })
}

/// The Rust library's default options.
pub(crate) fn defaults(double: bool) -> SolveOptions {
    SolveOptions {
        rtol: if double { 1e-8 } else { 1e-5 },
        atol: 0.0,
        max_iterations: -1,
        restart: 30,
        poll: MAX_POLL,
        damping: 0.0,
        history: None,
        history_user: std::ptr::null_mut(),
        preconditioner: std::ptr::null(),
    }
}
