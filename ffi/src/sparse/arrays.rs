//! The arrays of a sparse matrix: copies of them, and new values.

use affinimath::route::StagedVector;
use affinimath::sparse::{CsrMatrix, RowPointer};
use affinimath::{Buffer, Context, Element, Error, Event, Result, VectorRef, VectorShape};
use affinimath_abi::arguments::{array, size};
use affinimath_abi::form::{Form, Names, Opened, Run, Session};

use super::create::{INDICES, VALUES, names};
use super::handle::{Change, Held, Matrix, Typed, Width, in_order};

const POINTERS: Names = names("pointers", "offpointers");
pub(super) const X: Names = names("x", "offx");

/// The argument `entries`, which must be the matrix's.
fn entries<T: Typed>(found: i64, held: &Held<T>) -> Result<usize> {
    let (found, entries) = (size("entries", found)?, held.entries());
    if found == entries {
        return Ok(entries);
    }
    Err(Error::argument("entries", format!("{found}, and the matrix has {entries}")))
}

/// Copies a buffer to host memory, or to a memory object of its context.
fn copy_out<T: Element>(session: &Session, from: &Buffer<T>, to: &mut Opened<T, VectorShape>) -> Result<()> {
    if from.is_empty() {
        return Ok(());
    }
    if session.queue().is_some() {
        return from.copy_to(to.write()?);
    }
    to.slice_mut().copy_from_slice(&from.download()?);
    Ok(())
}

/// The arguments of `affinimath*csrDownload`.
pub(crate) struct Download<T: Typed, F: Form, P: Width> {
    pub(crate) a: Matrix<T, F>,
    pub(crate) entries: i64,
    pub(crate) pointers: F::Location<P>,
    pub(crate) indices: F::Location<i32>,
    pub(crate) values: F::Location<T>,
}

impl<T: Typed, F: Form, P: Width> Run<F> for Download<T, F, P> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let [found, own] = if P::LONG { [32, 64] } else { [64, 32] };
        let matrix = P::of(&held).ok_or_else(|| {
            Error::argument("a", format!("its row pointers have {found} bits, and the function is for {own}"))
        })?;
        let entries = entries(self.entries, &held)?;
        let pointers = array::<P, _>(POINTERS, matrix.rows() + 1, self.pointers)?;
        let indices = array::<i32, _>(INDICES, entries, self.indices)?;
        let values = array::<T, _>(VALUES, entries, self.values)?;
        in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires rows + 1 pointers, and `entries` indices and values.
            let (mut pointers, mut indices, mut values) =
                unsafe { (pointers.open::<P>(&session)?, indices.open::<i32>(&session)?, values.open::<T>(&session)?) };
            if session.queue().is_some() {
                // All sizes are checked before the first write.
                pointers.write()?;
                indices.write()?;
                values.write()?;
            }
            copy_out(&session, matrix.row_ptr(), &mut pointers)?;
            copy_out(&session, matrix.col_indices(), &mut indices)?;
            copy_out(&session, matrix.values(), &mut values)
        })?;
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*csrDiagonal`.
pub(crate) struct Diagonal<T: Typed, F: Form> {
    pub(crate) a: Matrix<T, F>,
    pub(crate) x: F::Location<T>,
}

impl<T: Typed, F: Form> Run<F> for Diagonal<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let x = array::<T, _>(X, held.rows().min(held.columns()), self.x)?;
        in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires min(rows, columns) elements.
            let mut x = unsafe { x.open::<T>(&session)? };
            if session.queue().is_some() {
                x.write()?;
            }
            let diagonal = super::handle::with_width!(&held, matrix => matrix.diagonal()?);
            copy_out(&session, &diagonal, &mut x)
        })?;
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*csrSetValues`.
pub(crate) struct SetValues<T: Typed, F: Form> {
    pub(crate) a: Matrix<T, F>,
    pub(crate) entries: i64,
    pub(crate) values: F::Location<T>,
}

impl<T: Typed, F: Form> Run<F> for SetValues<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let csr = unsafe { self.a.open("a", &session)? };
        let entries = entries(self.entries, &csr.held::<T>("a")?)?;
        let values = array::<T, _>(VALUES, entries, self.values)?;
        in_order(&session, || {
            // SAFETY: `array` refused null; `Run::run` requires `entries` values.
            let values = unsafe { values.open::<T>(&session)? };
            match session.queue() {
                None => csr.change("a", NewValues::Host(values.slice())),
                Some(_) => csr.change("a", NewValues::Device(values.read()?)),
            }
        })?;
        session.finish(Event::Complete)
    }
}

enum NewValues<'a, T> {
    Host(&'a [T]),
    Device(VectorRef<'a, T>),
}

impl<T: Typed> Change<T> for NewValues<'_, T> {
    fn change<P: RowPointer>(self, matrix: &mut CsrMatrix<T, P>) -> Result<()> {
        match self {
            NewValues::Host(values) => matrix.set_values(values),
            NewValues::Device(values) => matrix.set_values_from(values),
        }
    }
}

/// Runs work on a vector where the matrix lies. In the host form, the vector is staged there.
pub(super) fn lent<T: Typed, R>(
    session: &Session,
    context: &Context,
    x: &Opened<T, VectorShape>,
    work: impl FnOnce(VectorRef<'_, T>) -> Result<R>,
) -> Result<R> {
    if session.queue().is_some() {
        return work(x.read()?);
    }
    let carried = StagedVector::reading(context, x.read()?)?;
    let result = work(carried.view()?);
    // The device may still read the host's memory.
    if let Some(own) = context.own_queue()? {
        own.finish()?;
    }
    result
}
