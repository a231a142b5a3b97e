//! Rust's side of C's `affinimath_csr`: a matrix of one of the four types, with row pointers of one of the two widths.

use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};

use affinimath::SparseFactors;
use affinimath::sparse::{CsrMatrix, RowPointer};
use affinimath::{Complex32, Complex64, Context, Error, Queue, Result, Scalar};
use affinimath_abi::arguments::not_null;
use affinimath_abi::form::Session;

use super::factors::AnyFactors;
use super::preconditioner::{AnyPrecondition, Precondition};

/// Rust's side of C's `affinimath_csr`.
#[derive(Debug)]
pub struct Csr {
    /// The lock is held briefly: a solve holds the matrix, not the lock.
    matrix: RwLock<AnyMatrix>,
    home: Home,
}

/// The form of the functions that take a handle.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// Functions with host pointers, wherever the matrix lies.
    Host,
    /// Functions on memory objects, on queues of a context.
    Queues(Context),
}

/// A matrix of any type.
#[derive(Clone, Debug)]
pub(crate) enum AnyMatrix {
    Single(Held<f32>),
    Double(Held<f64>),
    SingleComplex(Held<Complex32>),
    DoubleComplex(Held<Complex64>),
}

/// A matrix with row pointers of either width. A call holds a reference, so a matrix that changes meanwhile is copied
/// first.
#[derive(Clone, Debug)]
pub(crate) enum Held<T> {
    Short(Arc<CsrMatrix<T, i32>>),
    Long(Arc<CsrMatrix<T, i64>>),
}

/// Works with a matrix of either width.
macro_rules! with_width {
    ($held:expr, $matrix:ident => $work:expr) => {
        match $held {
            $crate::sparse::handle::Held::Short($matrix) => $work,
            $crate::sparse::handle::Held::Long($matrix) => $work,
        }
    };
}
pub(crate) use with_width;

/// Works with a matrix of any type.
macro_rules! with_type {
    ($any:expr, $held:ident => $work:expr) => {
        match $any {
            $crate::sparse::handle::AnyMatrix::Single($held) => $work,
            $crate::sparse::handle::AnyMatrix::Double($held) => $work,
            $crate::sparse::handle::AnyMatrix::SingleComplex($held) => $work,
            $crate::sparse::handle::AnyMatrix::DoubleComplex($held) => $work,
        }
    };
}
pub(crate) use with_type;

/// An element type of sparse matrices.
pub(crate) trait Typed: Scalar {
    /// C's name of the type.
    const NAME: &'static str;

    fn any(held: Held<Self>) -> AnyMatrix;
    fn held(any: &AnyMatrix) -> Option<&Held<Self>>;
    fn held_mut(any: &mut AnyMatrix) -> Option<&mut Held<Self>>;
    fn any_precondition(own: Box<dyn Precondition<Self>>) -> AnyPrecondition;
    fn precondition(any: &AnyPrecondition) -> Option<&dyn Precondition<Self>>;
    fn any_factors(own: SparseFactors<Self>) -> AnyFactors;
    fn factors(any: &AnyFactors) -> Option<&SparseFactors<Self>>;
    fn factors_mut(any: &mut AnyFactors) -> Option<&mut SparseFactors<Self>>;
}

macro_rules! typed {
    ($($ty:ident, $variant:ident, $name:literal;)+) => {
        $(
            impl Typed for $ty {
                const NAME: &'static str = $name;

                fn any(held: Held<Self>) -> AnyMatrix {
                    AnyMatrix::$variant(held)
                }

                fn held(any: &AnyMatrix) -> Option<&Held<Self>> {
                    if let AnyMatrix::$variant(held) = any { Some(held) } else { None }
                }

                fn held_mut(any: &mut AnyMatrix) -> Option<&mut Held<Self>> {
                    if let AnyMatrix::$variant(held) = any { Some(held) } else { None }
                }

                fn any_precondition(own: Box<dyn Precondition<Self>>) -> AnyPrecondition {
                    AnyPrecondition::$variant(own)
                }

                fn precondition(any: &AnyPrecondition) -> Option<&dyn Precondition<Self>> {
                    if let AnyPrecondition::$variant(own) = any { Some(&**own) } else { None }
                }

                fn any_factors(own: SparseFactors<Self>) -> AnyFactors {
                    AnyFactors::$variant(own)
                }

                fn factors(any: &AnyFactors) -> Option<&SparseFactors<Self>> {
                    if let AnyFactors::$variant(own) = any { Some(own) } else { None }
                }

                fn factors_mut(any: &mut AnyFactors) -> Option<&mut SparseFactors<Self>> {
                    if let AnyFactors::$variant(own) = any { Some(own) } else { None }
                }
            }
        )+
    };
}

typed! {
    f32, Single, "float";
    f64, Double, "double";
    Complex32, SingleComplex, "affinimath_c32";
    Complex64, DoubleComplex, "affinimath_c64";
}

/// A width of row pointers.
pub(crate) trait Width: RowPointer {
    fn hold<T>(matrix: CsrMatrix<T, Self>) -> Held<T>;
    fn of<T>(held: &Held<T>) -> Option<&Arc<CsrMatrix<T, Self>>>;
}

impl Width for i32 {
    fn hold<T>(matrix: CsrMatrix<T, i32>) -> Held<T> {
        Held::Short(Arc::new(matrix))
    }

    fn of<T>(held: &Held<T>) -> Option<&Arc<CsrMatrix<T, i32>>> {
        if let Held::Short(matrix) = held { Some(matrix) } else { None }
    }
}

impl Width for i64 {
    fn hold<T>(matrix: CsrMatrix<T, i64>) -> Held<T> {
        Held::Long(Arc::new(matrix))
    }

    fn of<T>(held: &Held<T>) -> Option<&Arc<CsrMatrix<T, i64>>> {
        if let Held::Long(matrix) = held { Some(matrix) } else { None }
    }
}

impl<T: Scalar> Held<T> {
    pub(crate) fn rows(&self) -> usize {
        with_width!(self, matrix => matrix.rows())
    }

    pub(crate) fn columns(&self) -> usize {
        with_width!(self, matrix => matrix.columns())
    }

    pub(crate) fn entries(&self) -> usize {
        with_width!(self, matrix => matrix.nnz())
    }

    pub(crate) fn context(&self) -> &Context {
        with_width!(self, matrix => matrix.context())
    }

    /// The order of a square matrix; `name` is C's in errors.
    pub(crate) fn order(&self, name: &'static str) -> Result<usize> {
        let (rows, columns) = (self.rows(), self.columns());
        if rows == columns {
            return Ok(rows);
        }
        Err(Error::argument(name, format!("a {rows} x {columns} matrix is not square")))
    }
}

impl AnyMatrix {
    /// C's name of the element type.
    pub(crate) fn type_name(&self) -> &'static str {
        const fn name<T: Typed>(_: &Held<T>) -> &'static str {
            T::NAME
        }
        with_type!(self, held => name(held))
    }
}

impl Home {
    /// The form for handles that a call makes.
    pub(crate) fn of(session: &Session) -> Self {
        session.queue().map_or(Home::Host, |queue| Home::Queues(Context::from_queue(queue)))
    }

    /// Refuses a handle in a call of the other form, or on a queue of another context.
    pub(crate) fn check(&self, name: &'static str, session: &Session) -> Result<()> {
        let reason = match (self, session.queue()) {
            (Home::Host, None) => return Ok(()),
            (Home::Queues(context), Some(queue)) if context.is_same(&Context::from_queue(queue)) => return Ok(()),
            (Home::Queues(_), Some(_)) => "it lies in another OpenCL context than the queue's",
            (Home::Queues(_), None) => "it was made from memory objects: the functions with the suffix CL are for it",
            (Home::Host, Some(_)) => "it was made from host pointers: the functions without the suffix CL are for it",
        };
        Err(Error::argument(name, reason))
    }

    /// The context of a call's vectors if there is no sparse matrix.
    pub(crate) fn context(&self) -> Context {
        match self {
            Home::Host => Context::host(),
            Home::Queues(context) => context.clone(),
        }
    }
}

impl Csr {
    pub(crate) fn new(matrix: AnyMatrix, home: Home) -> Self {
        Csr { matrix: RwLock::new(matrix), home }
    }

    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    /// A reference to the current matrix.
    pub(crate) fn any(&self) -> AnyMatrix {
        self.matrix.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A reference to the current matrix of type `T`; `name` is C's in errors.
    pub(crate) fn held<T: Typed>(&self, name: &'static str) -> Result<Held<T>> {
        let any = self.matrix.read().unwrap_or_else(PoisonError::into_inner);
        T::held(&any).cloned().ok_or_else(|| wrong_type::<T>(name, any.type_name()))
    }

    /// Changes the matrix. A matrix that another call holds is copied, and the copy is changed.
    pub(crate) fn change<T: Typed>(&self, name: &'static str, change: impl Change<T>) -> Result<()> {
        let mut any = self.matrix.write().unwrap_or_else(PoisonError::into_inner);
        let found = any.type_name();
        let held = T::held_mut(&mut any).ok_or_else(|| wrong_type::<T>(name, found))?;
        with_width!(held, matrix => {
            if Arc::get_mut(matrix).is_none() {
                *matrix = Arc::new(matrix.duplicate()?);
            }
            let alone = Arc::get_mut(matrix).ok_or_else(|| Error::Internal("a copy is not alone".to_owned()))?;
            change.change(alone)
        })
    }
}

/// A change of a matrix of either width.
pub(crate) trait Change<T> {
    fn change<P: RowPointer>(self, matrix: &mut CsrMatrix<T, P>) -> Result<()>;
}

#[cold]
fn wrong_type<T: Typed>(name: &'static str, found: &str) -> Error {
    Error::argument(name, format!("it is a matrix of {found}, and the function is for {}", T::NAME))
}

/// An argument that is a matrix of a function's type and form.
pub(crate) struct Matrix<T, F> {
    handle: *const Csr,
    of: PhantomData<(T, F)>,
}

impl<T, F> From<*const Csr> for Matrix<T, F> {
    fn from(handle: *const Csr) -> Self {
        Matrix { handle, of: PhantomData }
    }
}

impl<T, F> From<*mut Csr> for Matrix<T, F> {
    fn from(handle: *mut Csr) -> Self {
        handle.cast_const().into()
    }
}

impl<T: Typed, F> Matrix<T, F> {
    /// The matrix behind the handle, of this type and for this form.
    ///
    /// # Safety
    /// The handle must be null or a live matrix that nothing destroys during the call.
    pub(crate) unsafe fn open(&self, name: &'static str, session: &Session) -> Result<&Csr> {
        not_null(name, self.handle)?;
        // SAFETY: `not_null` refused null; this function requires a live matrix.
        let csr = unsafe { &*self.handle };
        csr.held::<T>(name)?;
        csr.home.check(name, session)?;
        Ok(csr)
    }

    /// A reference to the current matrix.
    ///
    /// # Safety
    /// The contract of [`Matrix::open`].
    pub(crate) unsafe fn held(&self, name: &'static str, session: &Session) -> Result<Held<T>> {
        // SAFETY: `open` has this function's contract.
        unsafe { self.open(name, session)? }.held(name)
    }

    /// The matrix, for a function that takes both forms.
    ///
    /// # Safety
    /// The contract of [`Matrix::open`].
    pub(crate) unsafe fn of_either_form(&self, name: &'static str) -> Result<(&Csr, Held<T>)> {
        not_null(name, self.handle)?;
        // SAFETY: `not_null` refused null; this function requires a live matrix.
        let csr = unsafe { &*self.handle };
        Ok((csr, csr.held(name)?))
    }
}

/// An argument that receives a matrix of a function's type and form.
pub(crate) struct NewMatrix<T, F, P = i32> {
    location: *mut *mut Csr,
    of: PhantomData<(T, F, P)>,
}

impl<T, F, P> From<*mut *mut Csr> for NewMatrix<T, F, P> {
    fn from(location: *mut *mut Csr) -> Self {
        NewMatrix { location, of: PhantomData }
    }
}

impl<T: Typed, F, P: Width> NewMatrix<T, F, P> {
    /// Refuses null.
    pub(crate) fn check(&self, name: &'static str) -> Result<()> {
        not_null(name, self.location)
    }

    /// Gives C a new matrix.
    ///
    /// # Safety
    /// The pointer must be valid for a write; [`NewMatrix::check`] refuses null before.
    pub(crate) unsafe fn give(&self, matrix: CsrMatrix<T, P>, home: Home) -> Result<()> {
        // SAFETY: `check` refused null; this function requires a pointer that is valid for a write.
        unsafe { give(self.location, T::any(P::hold(matrix)), home) }
    }

    /// Gives C a new matrix of either width.
    ///
    /// # Safety
    /// The contract of [`NewMatrix::give`].
    pub(crate) unsafe fn give_held(&self, held: Held<T>, home: Home) -> Result<()> {
        // SAFETY: `check` refused null; this function requires a pointer that is valid for a write.
        unsafe { give(self.location, T::any(held), home) }
    }
}

/// Gives C a handle once the matrix is complete on all queues.
///
/// # Safety
/// The pointer must be valid for a write.
pub(crate) unsafe fn give(location: *mut *mut Csr, matrix: AnyMatrix, home: Home) -> Result<()> {
    if let Some(queue) = with_type!(&matrix, held => held.context().own_queue())? {
        queue.marker()?.wait()?;
    }
    // SAFETY: this function requires a pointer that is valid for a write.
    unsafe { ptr::write(location, Box::into_raw(Box::new(Csr::new(matrix, home)))) };
    Ok(())
}

/// Runs work on the library's own queue of a context between earlier and later commands of the caller's queue.
pub(crate) fn in_order<R>(session: &Session, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let Some(queue) = session.queue() else { return work() };
    let own = Queue::new(queue.context())?;
    own.wait_for_queue(queue)?;
    let result = work();
    // Work that failed may have enqueued commands, too.
    queue.wait_for_queue(&own)?;
    result
}
