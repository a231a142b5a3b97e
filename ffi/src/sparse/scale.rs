//! Scaling of sparse matrices, of their rows and of their columns.

use affinimath::sparse::{CsrMatrix, RowPointer};
use affinimath::{Event, Result, VectorRef};
use affinimath_abi::arguments::array;
use affinimath_abi::form::{Form, Run};

use super::arrays::{X, lent};
use super::handle::{Change, Matrix, Typed, in_order};

/// The arguments of `affinimath*csrScale`.
pub(crate) struct Scale<T: Typed, F: Form> {
    pub(crate) alpha: T,
    pub(crate) a: Matrix<T, F>,
}

impl<T: Typed, F: Form> Run<F> for Scale<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let csr = unsafe { self.a.open("a", &session)? };
        in_order(&session, || csr.change("a", All(self.alpha)))?;
        session.finish(Event::Complete)
    }
}

struct All<T>(T);

impl<T: Typed> Change<T> for All<T> {
    fn change<P: RowPointer>(self, matrix: &mut CsrMatrix<T, P>) -> Result<()> {
        matrix.scale(self.0)
    }
}

/// The arguments of `affinimath*csrScaleRows` and `affinimath*csrScaleColumns`.
pub(crate) struct ScaleLines<T: Typed, F: Form, const ROWS: bool> {
    pub(crate) a: Matrix<T, F>,
    pub(crate) x: F::Location<T>,
}

impl<T: Typed, F: Form, const ROWS: bool> Run<F> for ScaleLines<T, F, ROWS> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let csr = unsafe { self.a.open("a", &session)? };
        let held = csr.held::<T>("a")?;
        let (lines, context) = (if ROWS { held.rows() } else { held.columns() }, held.context().clone());
        // `change` would copy a matrix that is held.
        drop(held);
        let x = array::<T, _>(X, lines, self.x)?;
        in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires a factor for each row or column.
            let x = unsafe { x.open::<T>(&session)? };
            lent(&session, &context, &x, |factors| csr.change("a", Lines::<T, ROWS>(factors)))
        })?;
        session.finish(Event::Complete)
    }
}

struct Lines<'a, T, const ROWS: bool>(VectorRef<'a, T>);

impl<T: Typed, const ROWS: bool> Change<T> for Lines<'_, T, ROWS> {
    fn change<P: RowPointer>(self, matrix: &mut CsrMatrix<T, P>) -> Result<()> {
        if ROWS { matrix.scale_rows(self.0) } else { matrix.scale_columns(self.0) }
    }
}
