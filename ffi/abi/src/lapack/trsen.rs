//! trsen of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Error, Event, Layout, MatrixShape, Result, Scalar, SchurConditions, SchurOrder};

use super::geev::view;
use super::job::{Workspaces, vectors};
use super::schur::{CheckedValues, Flags, Values, count, sense};
use super::{Iterations, NO_WORKSPACE, Q, T as T_NAMES};
use crate::arguments::{self, leading_dimension, matrix, not_null};
use crate::form::{Form, Operand, Run, Session};

/// The arguments of `affinimathStrsen` and `affinimathDtrsen`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub sense: c_int,
    pub compq: c_int,
    pub select: Flags,
    pub n: i64,
    pub t: F::Location<T>,
    pub ldt: i64,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub wr: F::Location<T::RealScalar>,
    pub wi: F::Location<T::RealScalar>,
    pub m: Iterations,
    pub s: *mut T::RealScalar,
    pub sep: *mut T::RealScalar,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) options: (c_int, c_int, c_int),
    pub(super) select: Flags,
    pub(super) n: i64,
    pub(super) t: (F::Location<T>, i64),
    pub(super) q: (F::Location<T>, i64),
    pub(super) values: Values<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) m: Iterations,
    pub(super) conditions: (*mut T::RealScalar, *mut T::RealScalar),
    pub(super) work: (F::Location<T>, i64),
    pub(super) iwork: (Iterations, i64),
}

/// The operands of both, checked.
struct Operands<T: Scalar, F: Form> {
    t: Operand<F::Location<T>, MatrixShape>,
    q: Operand<F::Location<T>, MatrixShape>,
    values: CheckedValues<F::Location<T>, F::Location<T::RealScalar>>,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.sense, self.compq),
            select: self.select,
            n: self.n,
            t: (self.t, self.ldt),
            q: (self.q, self.ldq),
            values: Values::Parts(self.wr, self.wi),
            m: self.m,
            conditions: (self.s, self.sep),
            work: (self.work, self.lwork),
            iwork: (self.iwork, self.liwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<T: Scalar, F: Form> Problem<T, F> {
    /// LAPACK's workspaces for m selected eigenvalues of n.
    fn workspaces(
        &self,
        wanted: SchurConditions,
        n: usize,
        m: usize,
    ) -> Workspaces<F::Location<T>, F::Location<T::RealScalar>> {
        let product = m.saturating_mul(n - m);
        let (work, integers) = match (wanted.values, wanted.subspace) {
            (_, true) => (product.saturating_mul(2), product),
            (true, false) => (product, 1),
            // Complex types need one element.
            (false, false) => (if T::KIND.is_complex() { 1 } else { n }, 1),
        };
        Workspaces {
            work: (self.work.0, self.work.1, work),
            rwork: (F::null(), NO_WORKSPACE, 1),
            iwork: (self.iwork.0, self.iwork.1, integers),
        }
    }

    fn check_operands(&self, (layout, wanted, n): (Layout, bool, usize)) -> Result<Operands<T, F>> {
        let order = if wanted { n } else { 0 };
        let t = matrix(T_NAMES, layout, (n, n), self.t.0, self.t.1, true)?;
        let q = matrix(Q, layout, (order, order), self.q.0, self.q.1, wanted)?;
        Ok(Operands { t, q, values: self.values.check::<T>(n)? })
    }

    /// # Safety
    /// The pointers must be valid for a write where they are wanted.
    unsafe fn tell(&self, wanted: SchurConditions, order: &SchurOrder) {
        let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
        // SAFETY: this function requires valid pointers. The count is at most n, which LAPACK's integers count.
        unsafe {
            self.m.write(order.count as i32);
            if wanted.values {
                self.conditions.0.write(real(order.mean));
            }
            if wanted.subspace {
                self.conditions.1.write(real(order.subspace));
            }
        }
    }

    /// The count of selected eigenvalues, which LAPACK's lengths of workspaces follow from.
    ///
    /// # Safety
    /// T must be valid for its shape on the host.
    unsafe fn selected(&self, session: &Session, layout: Layout, n: usize, select: &[bool]) -> Result<usize> {
        if session.queue().is_some() || self.work.1 == NO_WORKSPACE {
            return Ok(0);
        }
        // SAFETY: this function requires memory of this shape.
        let t = unsafe { matrix(T_NAMES, layout, (n, n), self.t.0, self.t.1, true)?.open::<T>(session)? };
        count(t.read()?, select)
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let (layout, wanted) = (arguments::layout(self.options.0)?, sense(self.options.1)?);
        let has_q = vectors("compq", self.options.2)?;
        let n = arguments::size("n", self.n)?;
        leading_dimension(T_NAMES, layout, (n, n), self.t.1)?;
        let order = if has_q { n } else { 0 };
        leading_dimension(Q, layout, (order, order), self.q.1)?;
        self.select.check(n)?;
        // SAFETY: `check` refused null; `Run::run` requires n flags, and T.
        let (select, m) = unsafe {
            let select = self.select.read(n);
            let m = self.selected(&session, layout, n, &select)?;
            (select, m)
        };
        let workspaces = self.workspaces(wanted, n, m);
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let operands = self.check_operands((layout, has_q, n))?;
        self.m.check_as("m")?;
        if wanted.values {
            not_null("s", self.conditions.0)?;
        }
        if wanted.subspace {
            not_null("sep", self.conditions.1)?;
        }
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires workspaces of their lengths, `Run::run` memory of these shapes.
        unsafe {
            workspaces.settle::<T>(&session)?;
            let (t, q) = (operands.t.open::<T>(&session)?, operands.q.open::<T>(&session)?);
            let mut values = operands.values.open::<T>(&session)?;
            let (t, q) = (t.write()?, view(has_q, &q)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let order = values.on_host(n, |wr, wi| affinimath::trsen(t, q, &select, wr, wi, wanted))?;
                self.tell(wanted, &order);
                session.finish(Event::Complete)?;
                return if order.failed { Err(Error::EigenvaluesTooClose { index: 1 }) } else { Ok(()) };
            };
            let info = info.open(&session)?;
            let (values, info) = (values.on_device()?, info.write()?);
            let (event, order) = affinimath::trsen_on(queue, t, q, &select, values, wanted, info)?;
            self.tell(wanted, &order);
            session.finish(event)
        }
    }
}
