//! Sparse matrices from arrays, lists of coordinates, dense matrices and files.

use std::ffi::{CStr, c_char, c_int};

use affinimath::sparse::{CooMatrix, CsrMatrix, matrix_market};
use affinimath::{Context, Error, Result};
use affinimath_abi::arguments::{self, array, matrix, not_null, size};
use affinimath_abi::form::{A, Form, Location, Names, Run, Session};

use super::handle::{Home, NewMatrix, Typed, Width, in_order};

/// Names of an array.
pub(super) const fn names(memory: &'static str, offset: &'static str) -> Names {
    Names { memory, offset, step: "" }
}

const POINTERS: Names = names("pointers", "offpointers");
pub(super) const INDICES: Names = names("indices", "offindices");
pub(super) const VALUES: Names = names("values", "offvalues");
const ROW_INDICES: Names = names("row_indices", "offrow_indices");
const COLUMN_INDICES: Names = names("column_indices", "offcolumn_indices");

/// The context for a new matrix.
fn context<T: Typed>(session: &Session) -> Result<Context> {
    session.queue().map_or_else(|| Context::routed(T::KIND), |queue| Ok(Context::from_queue(queue)))
}

/// The error of checked sizes with more entries than the row pointers count.
fn too_many(name: &'static str) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::ShapeMismatch(reason) => Error::argument(name, reason),
        other => other,
    }
}

/// The arguments of `affinimath*csrCreate`.
pub(crate) struct Arrays<T: Typed, F: Form, P: Width> {
    pub(crate) rows: i64,
    pub(crate) columns: i64,
    pub(crate) pointers: F::Location<P>,
    pub(crate) indices: F::Location<i32>,
    pub(crate) values: F::Location<T>,
    pub(crate) matrix: NewMatrix<T, F, P>,
}

impl<T: Typed, F: Form, P: Width> Run<F> for Arrays<T, F, P> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let (rows, columns) = (size("rows", self.rows)?, size("columns", self.columns)?);
        let pointers = array::<P, _>(POINTERS, rows.saturating_add(1), self.pointers)?;
        self.indices.offset(INDICES.offset)?;
        self.values.offset(VALUES.offset)?;
        self.matrix.check("matrix")?;
        let context = context::<T>(&session)?;
        let made = in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires rows + 1 row pointers.
            let pointers = unsafe { pointers.open::<P>(&session)? };
            let last = match session.queue() {
                None => pointers.slice().last().copied(),
                Some(_) => Context::copy_of(&context, pointers.read()?)?.download()?.last().copied(),
            };
            let last = last.unwrap_or_default();
            if last < P::default() {
                return Err(Error::argument("pointers", format!("the last one, {last:?}, is negative")));
            }
            let indices = array::<i32, _>(INDICES, last.count(), self.indices)?;
            let values = array::<T, _>(VALUES, last.count(), self.values)?;
            // SAFETY: `array` refused null; `Run::run` requires as many elements as the last row pointer says.
            let (indices, values) = unsafe { (indices.open::<i32>(&session)?, values.open::<T>(&session)?) };
            match session.queue() {
                None => CsrMatrix::new(&context, rows, columns, pointers.slice(), indices.slice(), values.slice()),
                Some(_) => {
                    CsrMatrix::from_views(&context, rows, columns, pointers.read()?, indices.read()?, values.read()?)
                }
            }
        })?;
        // SAFETY: `check` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.matrix.give(made, Home::of(&session)) }?;
        session.finish(affinimath::Event::Complete)
    }
}

/// The arguments of `affinimath*csrFromCoo`.
pub(crate) struct List<T: Typed, F: Form, P: Width> {
    pub(crate) rows: i64,
    pub(crate) columns: i64,
    pub(crate) entries: i64,
    pub(crate) row_indices: F::Location<i32>,
    pub(crate) column_indices: F::Location<i32>,
    pub(crate) values: F::Location<T>,
    pub(crate) matrix: NewMatrix<T, F, P>,
}

impl<T: Typed, F: Form, P: Width> Run<F> for List<T, F, P> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let (rows, columns) = (size("rows", self.rows)?, size("columns", self.columns)?);
        let entries = size("entries", self.entries)?;
        let row_indices = array::<i32, _>(ROW_INDICES, entries, self.row_indices)?;
        let column_indices = array::<i32, _>(COLUMN_INDICES, entries, self.column_indices)?;
        let values = array::<T, _>(VALUES, entries, self.values)?;
        self.matrix.check("matrix")?;
        let context = context::<T>(&session)?;
        let made = in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires `entries` elements of each array.
            let (row_indices, column_indices, values) = unsafe {
                let indices = (row_indices.open::<i32>(&session)?, column_indices.open::<i32>(&session)?);
                (indices.0, indices.1, values.open::<T>(&session)?)
            };
            let list = match session.queue() {
                None => {
                    let (row_indices, column_indices) = (row_indices.slice(), column_indices.slice());
                    CooMatrix::new(&context, rows, columns, row_indices, column_indices, values.slice())?
                }
                Some(_) => {
                    let (row_indices, column_indices) = (row_indices.read()?, column_indices.read()?);
                    CooMatrix::from_views(&context, rows, columns, row_indices, column_indices, values.read()?)?
                }
            };
            list.to_csr::<P>().map_err(too_many("entries"))
        })?;
        // SAFETY: `check` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.matrix.give(made, Home::of(&session)) }?;
        session.finish(affinimath::Event::Complete)
    }
}

/// The arguments of `affinimath*csrFromDense`.
pub(crate) struct Dense<T: Typed, F: Form, P: Width> {
    pub(crate) layout: c_int,
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) a: F::Location<T>,
    pub(crate) lda: i64,
    pub(crate) matrix: NewMatrix<T, F, P>,
}

impl<T: Typed, F: Form, P: Width> Run<F> for Dense<T, F, P> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (size("m", self.m)?, size("n", self.n)?);
        let dense = matrix::<T, _>(A, layout, (m, n), self.a, self.lda, true)?;
        self.matrix.check("matrix")?;
        let context = context::<T>(&session)?;
        let made = in_order(&session, || {
            // SAFETY: `matrix` checked lda; `Run::run` requires memory of this shape.
            let dense = unsafe { dense.open::<T>(&session)? };
            if session.queue().is_some() {
                return CsrMatrix::<T, P>::from_dense(&context, dense.read()?).map_err(too_many("a"));
            }
            let carried = affinimath::route::StagedMatrix::reading(&context, dense.read()?)?;
            let made = CsrMatrix::<T, P>::from_dense(&context, carried.view()?).map_err(too_many("a"));
            // The device may still read the host's memory.
            if let Some(own) = context.own_queue()? {
                own.marker()?.wait()?;
            }
            made
        })?;
        // SAFETY: `check` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.matrix.give(made, Home::of(&session)) }?;
        session.finish(affinimath::Event::Complete)
    }
}

/// The arguments of `affinimath*csrRead`.
pub(crate) struct File<T: Typed, F: Form, P: Width> {
    pub(crate) path: *const c_char,
    pub(crate) matrix: NewMatrix<T, F, P>,
}

impl<T: Typed, F: Form, P: Width> Run<F> for File<T, F, P> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        not_null("path", self.path)?;
        self.matrix.check("matrix")?;
        // SAFETY: `not_null` refused null; `Run::run` requires a C string.
        let path = unsafe { CStr::from_ptr(self.path) }.to_string_lossy();
        let wrong = |reason: String| Error::argument("path", format!("{path}: {reason}"));
        let file = std::fs::File::open(&*path).map_err(|error| wrong(error.to_string()))?;
        let coordinates = matrix_market::read(file).map_err(|error| wrong(error.to_string()))?;
        let made =
            CsrMatrix::<T, P>::from_file(&context::<T>(&session)?, &coordinates).map_err(|error| match error {
                Error::InvalidArgument { reason, .. } | Error::ShapeMismatch(reason) => wrong(reason),
                other => other,
            })?;
        // SAFETY: `check` refused null; `Run::run` requires a pointer that is valid for a write.
        unsafe { self.matrix.give(made, Home::of(&session)) }?;
        session.finish(affinimath::Event::Complete)
    }
}
