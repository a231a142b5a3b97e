//! cuSPARSE's generic products: cusparseSpMV and cusparseSpMM.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::vendor::{CudaMemory, CudaStatus as Status};
use affinimath::{Layout, Scalar, ScalarKind};

use super::data::{Data, Operation};
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{CuSparseHandle as Handle, CuSparseLibrary};

/// A matrix, a vector or a dense matrix, as the library describes it.
type Descriptor = *mut c_void;
type Address = *mut c_void;
type Number = *const c_void;
/// (descriptor, rows, columns, entries, pointers, indices, values, types of pointers and of indices, base, type of
/// values).
type CreateCsr = unsafe extern "C" fn(
    *mut Descriptor,
    i64,
    i64,
    i64,
    Address,
    Address,
    Address,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;
/// (descriptor, length, values, type).
type CreateVector = unsafe extern "C" fn(*mut Descriptor, i64, Address, c_int) -> Status;
/// (descriptor, rows, columns, leading dimension, values, type, order).
type CreateDense = unsafe extern "C" fn(*mut Descriptor, i64, i64, i64, Address, c_int, c_int) -> Status;
/// (handle, operation, alpha, A, x, beta, y, type, algorithm, where the buffer's size goes).
type MvSize = unsafe extern "C" fn(
    Handle,
    c_int,
    Number,
    Descriptor,
    Descriptor,
    Number,
    Descriptor,
    c_int,
    c_int,
    *mut usize,
) -> Status;
/// The function with the buffer.
type Mv = unsafe extern "C" fn(
    Handle,
    c_int,
    Number,
    Descriptor,
    Descriptor,
    Number,
    Descriptor,
    c_int,
    c_int,
    Address,
) -> Status;
/// (handle, operations on A and on B, alpha, A, B, beta, C, type, algorithm, where the buffer's size goes).
type MmSize = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    Number,
    Descriptor,
    Descriptor,
    Number,
    Descriptor,
    c_int,
    c_int,
    *mut usize,
) -> Status;
/// The function with the buffer.
type Mm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    Number,
    Descriptor,
    Descriptor,
    Number,
    Descriptor,
    c_int,
    c_int,
    Address,
) -> Status;
type Destroy = unsafe extern "C" fn(Descriptor) -> Status;

/// CUSPARSE_INDEX_32I.
const INDEX_32: c_int = 2;
/// CUSPARSE_INDEX_BASE_ZERO.
const FROM_ZERO: c_int = 0;
/// CUSPARSE_OPERATION_NON_TRANSPOSE and CUSPARSE_OPERATION_TRANSPOSE.
const OPERATIONS: [c_int; 2] = [0, 1];
/// CUSPARSE_ORDER_COL and CUSPARSE_ORDER_ROW.
const COLUMN_MAJOR: c_int = 1;
const ROW_MAJOR: c_int = 2;
/// CUSPARSE_SPMV_ALG_DEFAULT and CUSPARSE_SPMM_ALG_DEFAULT.
const DEFAULT: c_int = 0;

/// cudaDataType.
const fn data_type(kind: ScalarKind) -> c_int {
    match kind {
        ScalarKind::S => 0,
        ScalarKind::D => 1,
        ScalarKind::C => 4,
        ScalarKind::Z => 5,
    }
}

/// A descriptor, and what it is given back to.
struct Described {
    handle: Descriptor,
    destroy: Destroy,
}

impl Drop for Described {
    fn drop(&mut self) {
        // SAFETY: cuSPARSE made the descriptor, and this is its last use. A failure cannot be reported.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

impl Described {
    /// Object of `create`.
    fn new(
        library: &CuSparseLibrary,
        what: &str,
        create: impl FnOnce(&mut Descriptor) -> Status,
    ) -> Result<Self, BenchError> {
        // SAFETY: all of its functions of this name take a descriptor.
        let destroy = unsafe { find(library, &format!("cusparseDestroy{what}"))? };
        let mut handle = null_mut();
        library.file().check(what, create(&mut handle))?;
        Ok(Described { handle, destroy })
    }
}

/// A function of the library.
///
/// # Safety
/// `F` must be its type.
unsafe fn find<F: Copy>(library: &CuSparseLibrary, symbol: &str) -> Result<F, BenchError> {
    // SAFETY: this function requires that `F` is the symbol's type, too.
    unsafe { library.file().function(symbol, CuSparseLibrary::EXPECTED) }
}

#[derive(Clone, Copy)]
enum Function {
    Vector(Mv),
    Dense(Mm),
}

struct Guest<'a, T> {
    // Descriptors go before the memory that they describe.
    matrix: Described,
    x: Described,
    y: Described,
    result: CudaMemory<'a>,
    buffer: CudaMemory<'a>,
    _arrays: [CudaMemory<'a>; 4],
    library: &'a CuSparseLibrary,
    data: Arc<Data<T>>,
    function: Function,
}

/// The library on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, library: &'a CuSparseLibrary) -> Entrant<'a> {
    if data.operation.iterations().is_some() {
        return Err(super::without_solvers(library.file().name()));
    }
    let pattern = &data.pattern;
    let arrays = [
        library.upload(&pattern.row_ptr)?,
        library.upload(&pattern.col_indices)?,
        library.upload(&data.values)?,
        library.upload(&data.x)?,
    ];
    let result = library.upload(&data.random_result())?;
    let (rows, columns, entries) = (pattern.rows as i64, pattern.columns as i64, pattern.nnz() as i64);
    // SAFETY: the types are those of cusparse.h; the arrays have rows + 1 pointers, and `entries` indices and values.
    let matrix = unsafe {
        let create: CreateCsr = find(library, "cusparseCreateCsr")?;
        let [row_ptr, col_indices, values, _] = [0, 1, 2, 3].map(|index: usize| arrays[index].address());
        let (index, kind) = (INDEX_32, data_type(T::KIND));
        Described::new(library, "SpMat", |to| {
            create(to, rows, columns, entries, row_ptr, col_indices, values, index, index, FROM_ZERO, kind)
        })?
    };
    let x = vectors::<T>(library, data, data.x.len(), &arrays[3])?;
    let y = vectors::<T>(library, data, data.result, &result)?;
    let function = match data.operation {
        // SAFETY: the types are those of cusparse.h.
        Operation::Dense(..) => Function::Dense(unsafe { find(library, "cusparseSpMM")? }),
        // SAFETY: as above.
        _ => Function::Vector(unsafe { find(library, "cusparseSpMV")? }),
    };
    let buffer = library.allocate(buffer_size::<T>(library, data, [&matrix, &x, &y])?)?;
    let guest = Guest { matrix, x, y, result, buffer, _arrays: arrays, library, data: data.clone(), function };
    guest.prepare()?;
    Ok(Box::new(guest))
}

/// A vector, or a dense matrix.
fn vectors<T: Scalar>(
    library: &CuSparseLibrary,
    data: &Data<T>,
    length: usize,
    memory: &CudaMemory<'_>,
) -> Result<Described, BenchError> {
    let (kind, values) = (data_type(T::KIND), memory.address());
    // SAFETY: the types are those of cusparse.h, and the memory has `length` elements.
    unsafe {
        if let Operation::Dense(count, layout) = data.operation {
            let create: CreateDense = find(library, "cusparseCreateDnMat")?;
            let (rows, columns) = ((length / count) as i64, count as i64);
            let (leading, order) = if layout == Layout::RowMajor { (columns, ROW_MAJOR) } else { (rows, COLUMN_MAJOR) };
            return Described::new(library, "DnMat", |to| create(to, rows, columns, leading, values, kind, order));
        }
        let create: CreateVector = find(library, "cusparseCreateDnVec")?;
        Described::new(library, "DnVec", |to| create(to, length as i64, values, kind))
    }
}

/// Bytes of workspace that a product needs.
fn buffer_size<T: Scalar>(
    library: &CuSparseLibrary,
    data: &Data<T>,
    [matrix, x, y]: [&Described; 3],
) -> Result<usize, BenchError> {
    let (handle, kind, operation) = (library.handle(), data_type(T::KIND), operation(data));
    let (one, zero) = (T::ONE, T::ZERO);
    let (alpha, beta): (Number, Number) = ((&raw const one).cast(), (&raw const zero).cast());
    let mut bytes = 0;
    // SAFETY: the types are those of cusparse.h, and the scalars have the type `kind`.
    let status = unsafe {
        if matches!(data.operation, Operation::Dense(..)) {
            let ask: MmSize = find(library, "cusparseSpMM_bufferSize")?;
            let keep = OPERATIONS[0];
            ask(handle, keep, keep, alpha, matrix.handle, x.handle, beta, y.handle, kind, DEFAULT, &mut bytes)
        } else {
            let ask: MvSize = find(library, "cusparseSpMV_bufferSize")?;
            ask(handle, operation, alpha, matrix.handle, x.handle, beta, y.handle, kind, DEFAULT, &mut bytes)
        }
    };
    library.file().check("bufferSize", status)?;
    Ok(bytes)
}

const fn operation<T>(data: &Data<T>) -> c_int {
    OPERATIONS[data.operation.op().transposes() as usize]
}

impl<T: Scalar> Guest<'_, T> {
    /// Preprocessing for all products, if the library has it (since CUDA 12.4).
    fn prepare(&self) -> Result<(), BenchError> {
        let file = self.library.file();
        let status = match self.function {
            // SAFETY: cusparse.h gives the function the type of the product.
            Function::Vector(_) => unsafe { file.find("cusparseSpMV_preprocess") }.map(|mv: Mv| self.vector(mv)),
            // SAFETY: as above.
            Function::Dense(_) => unsafe { file.find("cusparseSpMM_preprocess") }.map(|mm: Mm| self.dense(mm)),
        };
        file.check("preprocess", status.unwrap_or(0))
    }

    fn vector(&self, multiply: Mv) -> Status {
        let (handle, kind, operation) = (self.library.handle(), data_type(T::KIND), operation(&self.data));
        let (one, zero) = (T::ONE, T::ZERO);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (a, x, y, buffer) = (self.matrix.handle, self.x.handle, self.y.handle, self.buffer.address());
        // SAFETY: the operands' sizes agree, and the buffer has the size that `buffer_size` returned. The call reads
        // the scalars before it returns.
        unsafe { multiply(handle, operation, alpha, a, x, beta, y, kind, DEFAULT, buffer) }
    }

    fn dense(&self, multiply: Mm) -> Status {
        let (handle, kind, keep) = (self.library.handle(), data_type(T::KIND), OPERATIONS[0]);
        let (one, zero) = (T::ONE, T::ZERO);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (a, b, c, buffer) = (self.matrix.handle, self.x.handle, self.y.handle, self.buffer.address());
        // SAFETY: the reasons of `vector` hold.
        unsafe { multiply(handle, keep, keep, alpha, a, b, beta, c, kind, DEFAULT, buffer) }
    }
}

impl<T: Scalar> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        for _ in 0..repetitions {
            let status = match self.function {
                Function::Vector(multiply) => self.vector(multiply),
                Function::Dense(multiply) => self.dense(multiply),
            };
            self.library.file().check("cusparseSpMV or SpMM", status)?;
        }
        self.library.synchronize()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut y = self.data.random_result();
        self.result.download(&mut y)?;
        Ok(self.data.accuracy(&y))
    }
}
