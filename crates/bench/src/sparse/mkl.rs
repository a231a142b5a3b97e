//! MKL's sparse BLAS: mkl_sparse_s_mv and its like, after mkl_sparse_optimize.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Layout, Op, Scalar, vendor};

use super::data::{Data, Operation};
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::peers::LibraryFile;
use crate::report::ContenderFacts;
use crate::target::MemoryChoice;

/// Expected library, for a file without one of its functions.
const EXPECTED: &str = "MKL's libmkl_rt.so, with 32-bit integers";

/// `sparse_matrix_t`.
type Handle = *mut c_void;

/// `struct matrix_descr`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    kind: c_int,
    fill: c_int,
    diagonal: c_int,
}

/// SPARSE_MATRIX_TYPE_GENERAL; the other two have no meaning then.
const GENERAL: Description = Description { kind: 20, fill: 40, diagonal: 50 };
/// SPARSE_INDEX_BASE_ZERO.
const FROM_ZERO: c_int = 0;
/// SPARSE_OPERATION_NON_TRANSPOSE.
const KEEP: c_int = 10;
/// SPARSE_OPERATION_TRANSPOSE.
const TRANSPOSE: c_int = 11;
/// SPARSE_LAYOUT_ROW_MAJOR and SPARSE_LAYOUT_COLUMN_MAJOR, as in CBLAS.
const fn layout_code(layout: Layout) -> c_int {
    match layout {
        Layout::RowMajor => 101,
        Layout::ColumnMajor => 102,
    }
}
/// The expected count of products, a hint for the library.
const EXPECTED_CALLS: c_int = 1000;

/// (A, indexing, rows, columns, where rows begin, where they end, indices, values).
type Create<T> =
    unsafe extern "C" fn(*mut Handle, c_int, c_int, c_int, *mut c_int, *mut c_int, *mut c_int, *mut T) -> c_int;
/// (operation, alpha, A, description, x, beta, y); complex scalars are passed by value too.
type Multiply<T> = unsafe extern "C" fn(c_int, T, Handle, Description, *const T, T, *mut T) -> c_int;
/// (operation, alpha, A, description, layout, B, columns, ldb, beta, C, ldc).
type MultiplyDense<T> =
    unsafe extern "C" fn(c_int, T, Handle, Description, c_int, *const T, c_int, c_int, T, *mut T, c_int) -> c_int;
type MultiplyHint = unsafe extern "C" fn(Handle, c_int, Description, c_int) -> c_int;
/// (A, operation, description, layout, columns, calls).
type DenseHint = unsafe extern "C" fn(Handle, c_int, Description, c_int, c_int, c_int) -> c_int;
type OfHandle = unsafe extern "C" fn(Handle) -> c_int;

/// A library with the interface of MKL's sparse BLAS.
pub struct MklLibrary {
    file: LibraryFile,
}

impl MklLibrary {
    /// Loads what the user names.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`].
    pub fn load(spec: &PeerSpec) -> Result<Self, BenchError> {
        let file = LibraryFile::open(spec)?;
        match file.address("mkl_sparse_optimize") {
            Some(_) => Ok(MklLibrary { file }),
            None => Err(file.without("mkl_sparse_optimize", EXPECTED)),
        }
    }

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: vendor::cblas_version(self.file.library()),
            threads: vendor::cblas_threads(self.file.library()),
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Host,
        }
    }
}

/// Dense operands as the library takes them: their layout, their columns, and the leading dimensions of B and of C.
#[derive(Clone, Copy)]
struct DenseShape {
    layout: c_int,
    columns: c_int,
    b: c_int,
    c: c_int,
}

enum Function<T> {
    Vector(Multiply<T>),
    Dense(MultiplyDense<T>, DenseShape),
}

/// A matrix of the library, made of our arrays, which it goes on to use.
struct Matrix<T> {
    handle: Handle,
    destroy: OfHandle,
    _arrays: (Vec<c_int>, Vec<c_int>, Vec<T>),
}

impl<T> Drop for Matrix<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is that of a matrix, and this is its last use.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

impl<T: Scalar> Matrix<T> {
    fn new(library: &LibraryFile, data: &Data<T>) -> Result<Self, BenchError> {
        let letter = T::KIND.letter().to_ascii_lowercase();
        let (rows, columns) = (library.integer(data.pattern.rows)?, library.integer(data.pattern.columns)?);
        let mut arrays = (data.pattern.row_ptr.clone(), data.pattern.col_indices.clone(), data.values.clone());
        let begins = arrays.0.as_mut_ptr();
        let mut handle = null_mut();
        // SAFETY: the types are those of mkl_spblas.h.
        let (create, destroy): (Create<T>, OfHandle) = unsafe {
            let symbol = format!("mkl_sparse_{letter}_create_csr");
            (library.function(&symbol, EXPECTED)?, library.function("mkl_sparse_destroy", EXPECTED)?)
        };
        // SAFETY: there is one pointer more than rows, so that each row's end is where the next begins; moving the
        // vectors into the result does not move their elements.
        let status = unsafe {
            let (ends, col_indices) = (begins.add(1), arrays.1.as_mut_ptr());
            create(&mut handle, FROM_ZERO, rows, columns, begins, ends, col_indices, arrays.2.as_mut_ptr())
        };
        library.check("mkl_sparse_create_csr", status)?;
        Ok(Matrix { handle, destroy, _arrays: arrays })
    }

    /// Says what it will be used for, as MKL's documentation asks. What it does not support is no failure: products
    /// work without.
    fn optimise(&self, library: &LibraryFile, operation: Operation) -> Result<(), BenchError> {
        // SAFETY: the types are those of mkl_spblas.h, and the handle is that of a matrix.
        let status = unsafe {
            let _hinted = match operation {
                Operation::Dense(columns, layout) => {
                    let hint: DenseHint = library.function("mkl_sparse_set_mm_hint", EXPECTED)?;
                    hint(self.handle, KEEP, GENERAL, layout_code(layout), library.integer(columns)?, EXPECTED_CALLS)
                }
                operation => {
                    let hint: MultiplyHint = library.function("mkl_sparse_set_mv_hint", EXPECTED)?;
                    hint(self.handle, code(operation.op()), GENERAL, EXPECTED_CALLS)
                }
            };
            let optimise: OfHandle = library.function("mkl_sparse_optimize", EXPECTED)?;
            optimise(self.handle)
        };
        library.check("mkl_sparse_optimize", status)
    }
}

const fn code(op: Op) -> c_int {
    if op.transposes() { TRANSPOSE } else { KEEP }
}

struct Guest<'a, T> {
    library: &'a LibraryFile,
    data: Arc<Data<T>>,
    matrix: Matrix<T>,
    function: Function<T>,
    y: Vec<T>,
}

/// The library on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, library: &'a MklLibrary) -> Entrant<'a> {
    let file = &library.file;
    let letter = T::KIND.letter().to_ascii_lowercase();
    // SAFETY: the types are those of mkl_spblas.h.
    let function = unsafe {
        match data.operation {
            Operation::Vector(_) => Function::Vector(file.function(&format!("mkl_sparse_{letter}_mv"), EXPECTED)?),
            Operation::Dense(columns, layout) => {
                let multiply = file.function(&format!("mkl_sparse_{letter}_mm"), EXPECTED)?;
                let leading = match layout {
                    Layout::RowMajor => [columns; 2],
                    Layout::ColumnMajor => [data.pattern.columns, data.pattern.rows],
                };
                let [b, c] = [file.integer(leading[0])?, file.integer(leading[1])?];
                Function::Dense(
                    multiply,
                    DenseShape { layout: layout_code(layout), columns: file.integer(columns)?, b, c },
                )
            }
            Operation::Cg(_) | Operation::Minres(_) => return Err(super::without_solvers(file.name())),
        }
    };
    let matrix = Matrix::new(file, data)?;
    matrix.optimise(file, data.operation)?;
    Ok(Box::new(Guest { library: file, data: data.clone(), matrix, function, y: data.random_result() }))
}

impl<T: Scalar> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let (matrix, op) = (self.matrix.handle, code(self.data.operation.op()));
        let (x, y) = (self.data.x.as_ptr(), self.y.as_mut_ptr());
        let (one, zero) = (T::ONE, T::ZERO);
        let start = Instant::now();
        for _ in 0..repetitions {
            // SAFETY: the vectors, or dense matrices by rows, have as many elements as the matrix asks for.
            let status = unsafe {
                match self.function {
                    Function::Vector(multiply) => multiply(op, one, matrix, GENERAL, x, zero, y),
                    Function::Dense(multiply, DenseShape { layout, columns, b, c }) => {
                        multiply(op, one, matrix, GENERAL, layout, x, columns, b, zero, y, c)
                    }
                }
            };
            self.library.check("mkl_sparse_mv or _mm", status)?;
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.y))
    }
}
