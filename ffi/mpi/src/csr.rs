//! Sparse matrices in blocks of rows: making them, products and solvers.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use affinimath::sparse::Outcome;
use affinimath_abi::arguments;
use affinimath_mpi::{DistCsr, DistVector, Error, Partition, Result};

use crate::call::{Call, missing};
use crate::csr_objects::{Csr, Given, Typed, reason, typed};
use crate::generated::csr_objects::{SolveOptions, SolveOutcome};
use crate::objects::{Grid, elements, elements_mut, handle, wrong};

/// Indices of 32 or 64 bits.
trait Index: Copy + Ord + Into<i64> {}

impl Index for i32 {}
impl Index for i64 {}

/// Indices as the library has them.
fn indices<I: Index>(name: &'static str, given: &[I]) -> Result<Vec<usize>> {
    let index = |index: &I| {
        let index: i64 = (*index).into();
        usize::try_from(index).map_err(|_| wrong(name, format!("{index} is negative")))
    };
    given.iter().map(index).collect()
}

/// Rows or columns of a rank.
fn count(name: &'static str, number: i64) -> Result<usize> {
    match usize::try_from(number) {
        Ok(count) if count <= i32::MAX as usize => Ok(count),
        Ok(_) => Err(wrong(name, format!("{number} is more than the 2^31 - 1 that one rank may have"))),
        Err(_) => Err(wrong(name, format!("{number} is negative"))),
    }
}

/// Partitions of rows and columns of which each rank gives its own lengths.
fn partitions(grid: &affinimath_mpi::Grid, own: (usize, usize)) -> Result<(Partition, Partition)> {
    Ok((Partition::from_own_length(grid, own.0)?, Partition::from_own_length(grid, own.1)?))
}

/// Gives C a matrix.
///
/// # Safety
/// `target` is valid for a write.
unsafe fn give<T: Typed>(made: DistCsr<T>, target: *mut *mut Csr) -> Result<()> {
    let entries = Partition::from_own_length(made.grid(), made.nnz())?.length();
    let made = Box::new(Csr { matrix: T::any(made), entries });
    // SAFETY: by contract.
    unsafe { target.write(Box::into_raw(made)) };
    Ok(())
}

/// C's names of the arguments of the library.
fn of_c(error: Error) -> Error {
    match error {
        Error::Argument { name: "row_ptr", reason } => wrong("pointers", reason),
        Error::Argument { name: "col_indices", reason } => wrong("indices", reason),
        other => other,
    }
}

macro_rules! creates {
    ($($name:ident $index:ident),*) => {
        $(
            /// # Safety
            /// The C contract: pointers are null or valid.
            #[expect(clippy::too_many_arguments, reason = "they are the C function's")]
            pub(crate) unsafe fn $name<T: Typed>(
                function: &'static str,
                grid: *const Grid,
                local_rows: i64,
                local_columns: i64,
                pointers: *const $index,
                indices: *const $index,
                values: *const T,
                matrix: *mut *mut Csr,
            ) -> Result<()> {
                // SAFETY: by contract.
                unsafe { create(function, grid, [local_rows, local_columns], (pointers, indices), values, matrix) }
            }
        )*
    };
}

creates!(csr_create i32, csr_create64 i64);

/// # Safety
/// The C contract: pointers are null or valid.
unsafe fn create<T: Typed, I: Index>(
    function: &'static str,
    grid: *const Grid,
    [local_rows, local_columns]: [i64; 2],
    (pointers, columns): (*const I, *const I),
    values: *const T,
    matrix: *mut *mut Csr,
) -> Result<()> {
    // SAFETY: by contract.
    let mut call = unsafe { Call::new(function, grid)? };
    let own = call.take(count("local_rows", local_rows));
    let own = own.zip(call.take(count("local_columns", local_columns)));
    let mut arrays = || {
        let (rows, _) = own?;
        call.array("pointers", pointers, 1);
        // SAFETY: null, or valid for the rows' pointers and the last one's by contract.
        let given = if pointers.is_null() { return None } else { unsafe { elements(pointers, rows + 1) } };
        let begins: i64 = given[0].into();
        let rises = given.is_sorted() && begins == 0;
        call.demand(rises, "pointers", || "they do not rise from 0".to_owned());
        let pointers = call.take(indices("pointers", given))?;
        // What does not rise has no last one to go by.
        let entries = if rises { pointers[rows] } else { return None };
        let is_held = entries <= i32::MAX as usize;
        call.demand(is_held, "pointers", || format!("{entries} entries of one rank are more than 2^31 - 1"));
        if !is_held {
            return None;
        }
        call.array("indices", columns, entries);
        call.array("values", values, entries);
        if entries > 0 && (columns.is_null() || values.is_null()) {
            return None;
        }
        // SAFETY: not null, and valid for the entries by contract.
        let (columns, values) = unsafe { (elements(columns, entries), elements(values, entries)) };
        Some((pointers, call.take(indices("indices", columns))?, values))
    };
    let arrays = arrays();
    call.array("matrix", matrix, 1);
    call.agree()?;
    let (Some(own), Some((pointers, columns, values))) = (own, arrays) else { return Err(missing()) };
    let (m, n) = partitions(call.grid, own)?;
    let made = DistCsr::from_rows(call.grid, &m, &n, &pointers, &columns, values).map_err(of_c)?;
    // SAFETY: not null, and valid for a write by contract.
    unsafe { give(made, matrix) }
}

macro_rules! lists {
    ($($name:ident $index:ident),*) => {
        $(
            /// # Safety
            /// The C contract: pointers are null or valid.
            #[expect(clippy::too_many_arguments, reason = "they are the C function's")]
            pub(crate) unsafe fn $name<T: Typed>(
                function: &'static str,
                grid: *const Grid,
                local_rows: i64,
                local_columns: i64,
                entries: i64,
                row_indices: *const $index,
                column_indices: *const $index,
                values: *const T,
                matrix: *mut *mut Csr,
            ) -> Result<()> {
                let lists = (row_indices, column_indices);
                // SAFETY: by contract.
                unsafe { from_coo(function, grid, [local_rows, local_columns, entries], lists, values, matrix) }
            }
        )*
    };
}

lists!(csr_from_coo i32, csr_from_coo64 i64);

/// # Safety
/// The C contract: pointers are null or valid.
unsafe fn from_coo<T: Typed, I: Index>(
    function: &'static str,
    grid: *const Grid,
    [local_rows, local_columns, entries]: [i64; 3],
    (rows, columns): (*const I, *const I),
    values: *const T,
    matrix: *mut *mut Csr,
) -> Result<()> {
    // SAFETY: by contract.
    let mut call = unsafe { Call::new(function, grid)? };
    let own = call.take(count("local_rows", local_rows));
    let own = own.zip(call.take(count("local_columns", local_columns)));
    let mut list = || {
        let entries = call.take(count("entries", entries))?;
        call.array("row_indices", rows, entries);
        call.array("column_indices", columns, entries);
        call.array("values", values, entries);
        if entries > 0 && (rows.is_null() || columns.is_null() || values.is_null()) {
            return None;
        }
        // SAFETY: not null, and valid for the entries by contract.
        let (rows, columns) = unsafe { (elements(rows, entries), elements(columns, entries)) };
        let rows = call.take(indices("row_indices", rows))?;
        let columns = call.take(indices("column_indices", columns))?;
        // SAFETY: as above.
        let values = unsafe { elements(values, entries) }.iter().copied();
        Some(rows.into_iter().zip(columns).zip(values).map(|((i, j), value)| (i, j, value)).collect::<Vec<_>>())
    };
    let list = list();
    call.array("matrix", matrix, 1);
    call.agree()?;
    let (Some(own), Some(list)) = (own, list) else { return Err(missing()) };
    let (m, n) = partitions(call.grid, own)?;
    let outside = |name, found: Option<usize>, length: usize| match found {
        Some(index) => Err(wrong(name, format!("{index} is not less than {length}"))),
        None => Ok(()),
    };
    let row = list.iter().map(|(row, ..)| *row).find(|row| *row >= m.length());
    let column = list.iter().map(|(_, column, _)| *column).find(|column| *column >= n.length());
    let inside = outside("row_indices", row, m.length()).and(outside("column_indices", column, n.length()));
    call.grid.agree_on(function, &[], inside)?;
    let made = DistCsr::from_entries(call.grid, &m, &n, &list)?;
    // SAFETY: not null, and valid for a write by contract.
    unsafe { give(made, matrix) }
}

/// # Safety
/// The C contract: pointers are null or valid.
pub(crate) unsafe fn csr_read<T: Typed>(
    function: &'static str,
    grid: *const Grid,
    path: *const c_char,
    matrix: *mut *mut Csr,
) -> Result<()> {
    // SAFETY: by contract.
    let mut call = unsafe { Call::new(function, grid)? };
    call.array("path", path, 1);
    call.array("matrix", matrix, 1);
    call.agree()?;
    // SAFETY: not null, and a C string by contract.
    let path = OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
    let made = DistCsr::<T>::read_matrix_market(call.grid, path).map_err(|error| match error {
        Error::Argument { name: "file", reason } => wrong("path", reason),
        // One rank's part of the file is all ranks' error.
        Error::Rank { rank, message, .. } if call.grid.failure().is_none() => {
            let reason = message.strip_prefix("argument file: ").unwrap_or(&message);
            wrong("path", format!("{reason}, on rank {rank}"))
        }
        Error::Local(reason) => wrong("path", reason),
        other => other,
    })?;
    // SAFETY: not null, and valid for a write by contract.
    unsafe { give(made, matrix) }
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn csrmv<T: Typed>(
    function: &'static str,
    trans: c_int,
    alpha: T,
    a: *const Csr,
    x: *const T,
    beta: T,
    y: *mut T,
) -> Result<()> {
    // SAFETY: by contract.
    let a = unsafe { handle(function, "a", a)? };
    let mut call = Call::on(function, a.grid());
    let op = call.option("trans", trans, arguments::op("trans", trans));
    let a = typed::<T>(&mut call, a);
    let lengths = op.zip(a).map(|(op, a)| {
        let rank = a.grid().rank();
        let (rows, columns) = (a.rows().range(rank).len(), a.columns().range(rank).len());
        if op.transposes() { (rows, columns) } else { (columns, rows) }
    });
    if let Some((from, to)) = lengths {
        call.array("x", x, from);
        call.array("y", y, to);
    }
    call.agree()?;
    let (Some(op), Some(a), Some((from, to))) = (op, a, lengths) else { return Err(missing()) };
    // SAFETY: by contract; null has no elements.
    let (x, y) = unsafe { (elements(x, from), elements_mut(y, to)) };
    a.multiply_local(op, alpha, x, beta, y)
}

/// A solver of the library.
type Solver<T> =
    fn(&DistCsr<T>, &DistVector<T>, &mut DistVector<T>, &affinimath_mpi::SolveOptions<'_, T>) -> Result<Outcome>;

macro_rules! solvers {
    ($($name:ident),*) => {
        $(
            /// # Safety
            /// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
            pub(crate) unsafe fn $name<T: Typed>(
                function: &'static str,
                a: *const Csr,
                b: *const T,
                x: *mut T,
                options: *const SolveOptions,
                outcome: *mut SolveOutcome,
            ) -> Result<()> {
                // SAFETY: by contract.
                unsafe { solve(function, affinimath_mpi::$name, a, (b, x), options, outcome) }
            }
        )*
    };
}

solvers!(cg, minres, bicgstab, gmres);

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
unsafe fn solve<T: Typed>(
    function: &'static str,
    solver: Solver<T>,
    a: *const Csr,
    (b, x): (*const T, *mut T),
    options: *const SolveOptions,
    outcome: *mut SolveOutcome,
) -> Result<()> {
    // SAFETY: by contract.
    let a = unsafe { handle(function, "a", a)? };
    let mut call = Call::on(function, a.grid());
    let a = typed::<T>(&mut call, a);
    let own = a.map_or(0, |a| a.rows().range(a.grid().rank()).len());
    if let Some(a) = a {
        call.demand(a.rows() == a.columns(), "a", || "its rows and columns have different partitions".to_owned());
    }
    call.array("b", b, own);
    call.array("x", x, own);
    // SAFETY: options and their preconditioner are null or valid by contract.
    let given = call.take(unsafe { Given::<T>::read(options, own) });
    call.array("outcome", outcome, 1);
    call.agree()?;
    let (Some(a), Some(given)) = (a, given) else { return Err(missing()) };
    // SAFETY: by contract; null has no elements.
    let (b, x) = unsafe { (elements(b, own), elements_mut(x, own)) };
    let (mut right, mut solution) = (DistVector::zeros(a.grid(), a.rows())?, DistVector::zeros(a.grid(), a.rows())?);
    right.local_mut().copy_from_slice(b);
    solution.local_mut().copy_from_slice(x);
    let Outcome { reason: why, iterations, residual, relative_residual, .. } =
        solver(a, &right, &mut solution, &given.options())?;
    let reason = reason(why).ok_or_else(|| Error::Local(format!("the reason '{why}' has no number")))?;
    x.copy_from_slice(solution.local());
    let found = SolveOutcome { reason, iterations: iterations as i64, residual, relative_residual };
    // SAFETY: not null, and valid for a write by contract.
    unsafe { outcome.write(found) };
    Ok(())
}
