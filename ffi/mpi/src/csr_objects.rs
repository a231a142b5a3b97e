//! Sparse matrices of all types, preconditioners and options of solvers.

use std::ffi::c_int;

use affinimath::sparse::{Jacobi, LinearOperator, Reason};
use affinimath::{Complex32, Complex64, Context, Ic0, Ilu0, Op, Scalar, VectorMut, VectorRef};
use affinimath_abi::fft::{Precision, precision};
use affinimath_mpi::{BlockJacobi, DistCsr, Error, Memory, Result};

use crate::call::{Call, missing};
use crate::generated::csr_objects::SolveOptions;
use crate::objects::{given, handle, wrong};

/// Rust's side of C's `affinimath_mpi_csr`.
#[derive(Debug)]
pub struct Csr {
    pub(crate) matrix: AnyCsr,
    /// Entries of all ranks.
    pub(crate) entries: usize,
}

/// A matrix of any type.
#[derive(Debug)]
pub(crate) enum AnyCsr {
    S(DistCsr<f32>),
    D(DistCsr<f64>),
    C(DistCsr<Complex32>),
    Z(DistCsr<Complex64>),
}

/// Rust's side of C's `affinimath_mpi_preconditioner`: an approximate inverse of this rank's block on the diagonal.
pub struct Preconditioner(AnyPreconditioner);

impl std::fmt::Debug for Preconditioner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preconditioner").finish_non_exhaustive()
    }
}

type Local<T> = Box<dyn LinearOperator<T>>;

/// A preconditioner of any type.
pub(crate) enum AnyPreconditioner {
    S(Local<f32>),
    D(Local<f64>),
    C(Local<Complex32>),
    Z(Local<Complex64>),
}

/// Types of matrices.
pub(crate) trait Typed: Scalar {
    /// Its name in C.
    const NAME: &'static str;

    /// A matrix of this type as C's.
    fn any(matrix: DistCsr<Self>) -> AnyCsr;

    /// The matrix, if it is of this type.
    fn csr(matrix: &Csr) -> Option<&DistCsr<Self>>;

    /// A preconditioner of this type as C's.
    fn any_preconditioner(local: Local<Self>) -> AnyPreconditioner;

    /// The preconditioner, if it is of this type.
    fn preconditioner(preconditioner: &Preconditioner) -> Option<&dyn LinearOperator<Self>>;
}

macro_rules! typed {
    ($($element:ident $variant:ident $name:literal),*) => {
        $(impl Typed for $element {
            const NAME: &'static str = $name;

            fn any(matrix: DistCsr<Self>) -> AnyCsr {
                AnyCsr::$variant(matrix)
            }

            fn csr(matrix: &Csr) -> Option<&DistCsr<Self>> {
                if let AnyCsr::$variant(matrix) = &matrix.matrix { Some(matrix) } else { None }
            }

            fn any_preconditioner(local: Local<Self>) -> AnyPreconditioner {
                AnyPreconditioner::$variant(local)
            }

            fn preconditioner(preconditioner: &Preconditioner) -> Option<&dyn LinearOperator<Self>> {
                if let AnyPreconditioner::$variant(local) = &preconditioner.0 { Some(&**local) } else { None }
            }
        })*
    };
}

typed!(f32 S "float", f64 D "double", Complex32 C "affinimath_c32", Complex64 Z "affinimath_c64");

/// The same work with each type of a matrix.
macro_rules! with_csr {
    ($csr:expr, $name:ident => $work:expr) => {
        match &$csr.matrix {
            AnyCsr::S($name) => $work,
            AnyCsr::D($name) => $work,
            AnyCsr::C($name) => $work,
            AnyCsr::Z($name) => $work,
        }
    };
}

impl Csr {
    /// Its grid.
    pub(crate) fn grid(&self) -> &affinimath_mpi::Grid {
        with_csr!(self, matrix => matrix.grid())
    }
}

/// The codes of [`Reason`], which are those of `libaffinimath.so`.
pub(crate) fn reason(reason: Reason) -> Option<c_int> {
    Some(match reason {
        Reason::Converged => 341,
        Reason::Stagnated => 342,
        Reason::Breakdown => 343,
        Reason::NotPositiveDefinite => 344,
        Reason::Limit => 345,
        _ => return None,
    })
}

/// # Safety
/// Pointers are null or valid for a write.
pub(crate) unsafe fn even_range(
    _: &'static str,
    length: i64,
    rank: i64,
    ranks: i64,
    start: *mut i64,
    count: *mut i64,
) -> Result<()> {
    if length < 0 {
        return Err(wrong("length", format!("{length} is negative")));
    }
    if ranks < 1 {
        return Err(wrong("ranks", format!("{ranks} is less than 1")));
    }
    if !(0..ranks).contains(&rank) {
        return Err(wrong("rank", format!("{rank} is not from 0 to {}", ranks - 1)));
    }
    let (each, more) = (length / ranks, length % ranks);
    // SAFETY: by contract.
    unsafe { write([("start", start, rank * each + rank.min(more)), ("count", count, each + i64::from(rank < more))]) }
}

/// Writes numbers, if there is a place for each of them.
///
/// # Safety
/// Pointers are null or valid for a write.
unsafe fn write<const N: usize>(targets: [(&'static str, *mut i64, i64); N]) -> Result<()> {
    if let Some((name, ..)) = targets.iter().find(|(_, target, _)| target.is_null()) {
        return Err(wrong(name, "it is null"));
    }
    for (_, target, number) in targets {
        // SAFETY: not null, and valid for a write by contract.
        unsafe { target.write(number) };
    }
    Ok(())
}

/// # Safety
/// Pointers are null or valid.
pub(crate) unsafe fn csr_shape(
    _: &'static str,
    a: *const Csr,
    rows: *mut i64,
    columns: *mut i64,
    entries: *mut i64,
) -> Result<()> {
    // SAFETY: by contract.
    let a = unsafe { given("a", a)? };
    let (m, n) = with_csr!(a, matrix => (matrix.rows().length(), matrix.columns().length()));
    let numbers = [("rows", rows, m as i64), ("columns", columns, n as i64), ("entries", entries, a.entries as i64)];
    // SAFETY: by contract.
    unsafe { write(numbers) }
}

/// # Safety
/// Pointers are null or valid.
pub(crate) unsafe fn csr_ranges(
    _: &'static str,
    a: *const Csr,
    row_start: *mut i64,
    row_count: *mut i64,
    column_start: *mut i64,
    column_count: *mut i64,
) -> Result<()> {
    // SAFETY: by contract.
    let a = unsafe { given("a", a)? };
    let rank = a.grid().rank();
    let (rows, columns) = with_csr!(a, matrix => (matrix.rows().range(rank), matrix.columns().range(rank)));
    let numbers = [
        ("row_start", row_start, rows.start as i64),
        ("row_count", row_count, rows.len() as i64),
        ("column_start", column_start, columns.start as i64),
        ("column_count", column_count, columns.len() as i64),
    ];
    // SAFETY: by contract.
    unsafe { write(numbers) }
}

/// # Safety
/// `matrix` is null or a live matrix that nothing else uses meanwhile.
pub(crate) unsafe fn csr_to_device(function: &'static str, matrix: *mut Csr) -> Result<()> {
    {
        // SAFETY: by contract.
        let matrix = unsafe { handle(function, "matrix", matrix)? };
        Call::on(function, matrix.grid()).agree()?;
    }
    // SAFETY: not null, and live by contract.
    let csr = unsafe { &mut *matrix };
    let there = match &csr.matrix {
        AnyCsr::S(matrix) => AnyCsr::S(matrix.to_memory(Memory::Device)?),
        AnyCsr::D(matrix) => AnyCsr::D(matrix.to_memory(Memory::Device)?),
        AnyCsr::C(matrix) => AnyCsr::C(matrix.to_memory(Memory::Device)?),
        AnyCsr::Z(matrix) => AnyCsr::Z(matrix.to_memory(Memory::Device)?),
    };
    csr.matrix = there;
    Ok(())
}

/// # Safety
/// `matrix` is null or a matrix that nothing uses any more.
pub(crate) unsafe fn csr_destroy(_: &'static str, matrix: *mut Csr) -> Result<()> {
    if !matrix.is_null() {
        // SAFETY: the matrix was boxed, and nothing uses it any more.
        drop(unsafe { Box::from_raw(matrix) });
    }
    Ok(())
}

/// # Safety
/// `options` is null or valid for a write.
pub(crate) unsafe fn solve_options(_: &'static str, options: *mut SolveOptions, precision: c_int) -> Result<()> {
    if options.is_null() {
        return Err(wrong("options", "it is null"));
    }
    let double = match self::precision("precision", precision) {
        Ok(precision) => precision == Precision::Double,
        Err(affinimath::Error::InvalidArgument { reason, .. }) => return Err(wrong("precision", reason)),
        Err(other) => return Err(other.into()),
    };
    let rtol = if double { 1e-8 } else { 1e-5 };
    let preconditioner = std::ptr::null();
    // SAFETY: not null, and valid for a write by contract.
    unsafe { options.write(SolveOptions { rtol, atol: 0.0, max_iterations: -1, restart: 30, preconditioner }) };
    Ok(())
}

/// How a rank's block is solved with.
#[derive(Clone, Copy)]
enum Method {
    Jacobi,
    BlockJacobi,
    Ilu0,
    Ic0,
}

/// A block without rows.
struct Empty(Context);

impl<T: Scalar> LinearOperator<T> for Empty {
    fn context(&self) -> &Context {
        &self.0
    }

    fn rows(&self) -> usize {
        0
    }

    fn columns(&self) -> usize {
        0
    }

    fn apply(&self, _: Op, _: VectorRef<'_, T>, _: VectorMut<'_, T>) -> affinimath::Result<()> {
        Ok(())
    }
}

/// The preconditioner of this rank's block.
fn local<T: Typed>(a: &DistCsr<T>, method: Method) -> Result<Local<T>> {
    if a.interior().rows() == 0 {
        return Ok(Box::new(Empty(Context::host())));
    }
    Ok(match method {
        Method::Jacobi => Box::new(Jacobi::new(a.interior())?),
        Method::Ilu0 => Box::new(Ilu0::new(a.interior())?),
        Method::Ic0 => Box::new(Ic0::new(a.interior())?),
        Method::BlockJacobi => return Err(missing()),
    })
}

fn precondition<T: Typed>(function: &'static str, a: &DistCsr<T>, method: Method) -> Result<Preconditioner> {
    let local: Local<T> = match method {
        Method::BlockJacobi => Box::new(BlockJacobi::new(a)?),
        _ => {
            let local = local(a, method);
            a.grid().agree_on(function, &[], local.as_ref().map(drop).map_err(Clone::clone))?;
            local?
        }
    };
    Ok(Preconditioner(T::any_preconditioner(local)))
}

/// # Safety
/// Pointers are null or valid.
unsafe fn preconditioner_create(
    function: &'static str,
    a: *const Csr,
    preconditioner: *mut *mut Preconditioner,
    method: Method,
) -> Result<()> {
    // SAFETY: by contract.
    let a = unsafe { handle(function, "a", a)? };
    let mut call = Call::on(function, a.grid());
    let same = with_csr!(a, matrix => matrix.rows() == matrix.columns());
    call.demand(same, "a", || "its rows and columns have different partitions".to_owned());
    call.array("preconditioner", preconditioner, 1);
    call.agree()?;
    let made = with_csr!(a, matrix => precondition(function, matrix, method)?);
    // SAFETY: not null, and valid for a write by contract.
    unsafe { preconditioner.write(Box::into_raw(Box::new(made))) };
    Ok(())
}

macro_rules! preconditioners {
    ($($name:ident $method:ident),*) => {
        $(
            /// # Safety
            /// Pointers are null or valid.
            pub(crate) unsafe fn $name(
                function: &'static str,
                a: *const Csr,
                preconditioner: *mut *mut Preconditioner,
            ) -> Result<()> {
                // SAFETY: by contract.
                unsafe { preconditioner_create(function, a, preconditioner, Method::$method) }
            }
        )*
    };
}

preconditioners!(jacobi Jacobi, block_jacobi BlockJacobi, ilu0 Ilu0, ic0 Ic0);

/// # Safety
/// `preconditioner` is null or one that nothing uses any more.
pub(crate) unsafe fn preconditioner_destroy(_: &'static str, preconditioner: *mut Preconditioner) -> Result<()> {
    if !preconditioner.is_null() {
        // SAFETY: the preconditioner was boxed, and nothing uses it any more.
        drop(unsafe { Box::from_raw(preconditioner) });
    }
    Ok(())
}

/// The options of a solver.
pub(crate) struct Given<'a, T> {
    pub(crate) options: Option<SolveOptions>,
    pub(crate) preconditioner: Option<&'a dyn LinearOperator<T>>,
}

impl<T: Typed> Given<'_, T> {
    /// # Safety
    /// `options` is null or valid, its preconditioner null or live for the time of the solve.
    pub(crate) unsafe fn read(options: *const SolveOptions, order: usize) -> Result<Self> {
        // SAFETY: by contract.
        let Some(options) = (unsafe { options.as_ref() }).copied() else {
            return Ok(Given { options: None, preconditioner: None });
        };
        let refused = |reason: String| Err(wrong("options", reason));
        for (name, value) in [("rtol", options.rtol), ("atol", options.atol)] {
            if value.is_nan() || value < 0.0 {
                return refused(format!("its {name}, {value}, is not a number from 0 on"));
            }
        }
        if options.restart < 1 {
            return refused(format!("its restart, {}, is less than 1", options.restart));
        }
        // SAFETY: null or live by contract.
        let Some(preconditioner) = (unsafe { options.preconditioner.as_ref() }) else {
            return Ok(Given { options: Some(options), preconditioner: None });
        };
        let Some(local) = T::preconditioner(preconditioner) else {
            return refused(format!("its preconditioner is for another type than {}", T::NAME));
        };
        if local.rows() != order {
            let (rows, rule) = (local.rows(), "elements of this rank");
            return refused(format!("its preconditioner is for {rows} {rule}, and there are {order}"));
        }
        Ok(Given { options: Some(options), preconditioner: Some(local) })
    }

    /// The library's options.
    pub(crate) fn options(&self) -> affinimath_mpi::SolveOptions<'_, T> {
        let options = affinimath_mpi::SolveOptions::new();
        let Some(from) = &self.options else { return options };
        let options = options.rtol(from.rtol).atol(from.atol);
        let options = options.restart(usize::try_from(from.restart).unwrap_or(usize::MAX));
        let options = match usize::try_from(from.max_iterations) {
            Ok(iterations) => options.max_iterations(iterations),
            Err(_) => options,
        };
        match self.preconditioner {
            Some(local) => options.preconditioner(local),
            None => options,
        }
    }
}

/// A matrix of a call's type.
pub(crate) fn typed<'a, T: Typed>(call: &mut Call<'_>, a: &'a Csr) -> Option<&'a DistCsr<T>> {
    call.take(T::csr(a).ok_or_else(|| -> Error { wrong("a", format!("it is of another type than {}", T::NAME)) }))
}
