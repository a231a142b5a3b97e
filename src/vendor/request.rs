//! A routine's call, written down as one library's C interface has it.
//!
//! The functions in [`super::calls`] say what a routine's arguments are, in BLAS's order; here they become the words of
//! a C call. What an interface cannot express is `None`, and the call goes elsewhere.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::call::{Word, signature};
use super::routine::Routine;
use crate::options::{Diag, Layout, Op, Side, Triangle};
use crate::scalar::{Complex64, Scalar};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, Memory, VectorMut, VectorRef, VectorShape, View};

/// How a library names its functions and takes their arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interface {
    /// `cblas_daxpy`: options by CBLAS's numbers, a layout, real factors by value and complex ones by address.
    Cblas,
    /// `cublasDaxpy_v2`: a handle, column-major matrices in the GPU's memory, all factors by address.
    CuBlas,
}

/// The number that a routine gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Nothing,
    /// Of the element type.
    Element,
    /// A real number of its precision.
    Real,
    /// A `double`, of floats.
    Double,
    /// An index.
    Index,
}

/// Access to an operand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// Reads them if so.
pub(crate) const fn read(reads: bool) -> Access {
    Access { reads, writes: false }
}

/// Writes them, and reads them before if so.
pub(crate) const fn write(reads: bool) -> Access {
    Access { reads, writes: true }
}

/// A matrix of the host: `count` runs of `length` adjacent elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<T> {
    pub(crate) start: *mut T,
    pub(crate) layout: Layout,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) leading_dimension: usize,
}

impl<T: Scalar> Matrix<T> {
    fn new(memory: Memory<'_, T>, shape: &MatrixShape) -> Self {
        Matrix {
            start: start(memory, shape.offset()),
            layout: shape.layout(),
            rows: shape.rows(),
            columns: shape.columns(),
            leading_dimension: shape.leading_dimension(),
        }
    }

    /// The transpose, in the same memory.
    pub(crate) const fn transposed(self) -> Self {
        let layout = match self.layout {
            Layout::RowMajor => Layout::ColumnMajor,
            Layout::ColumnMajor => Layout::RowMajor,
        };
        Matrix { layout, rows: self.columns, columns: self.rows, ..self }
    }

    /// The same operand with a matrix in this layout: op(A) = transposed op(Aᵀ).
    pub(crate) fn in_layout(self, op: Op, layout: Layout) -> (Self, Op) {
        if self.layout == layout { (self, op) } else { (self.transposed(), op.transposed()) }
    }

    const fn runs(&self) -> (usize, usize) {
        match self.layout {
            Layout::ColumnMajor => (self.columns, self.rows),
            Layout::RowMajor => (self.rows, self.columns),
        }
    }
}

impl<T: Scalar> From<&MatrixRef<'_, T>> for Matrix<T> {
    fn from(view: &MatrixRef<'_, T>) -> Self {
        Matrix::new(view.memory(), view.shape())
    }
}

impl<T: Scalar> From<&MatrixMut<'_, T>> for Matrix<T> {
    fn from(view: &MatrixMut<'_, T>) -> Self {
        Matrix::new(view.memory(), view.shape())
    }
}

/// A vector of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<T> {
    pub(crate) start: *mut T,
    pub(crate) length: usize,
    pub(crate) increment: isize,
}

impl<T: Scalar> Vector<T> {
    pub(crate) fn new(memory: Memory<'_, T>, shape: &VectorShape) -> Self {
        Vector { start: start(memory, shape.offset()), length: shape.length(), increment: shape.increment() }
    }
}

impl<T: Scalar> From<&VectorRef<'_, T>> for Vector<T> {
    fn from(view: &VectorRef<'_, T>) -> Self {
        Vector::new(view.memory(), view.shape())
    }
}

impl<T: Scalar> From<&VectorMut<'_, T>> for Vector<T> {
    fn from(view: &VectorMut<'_, T>) -> Self {
        Vector::new(view.memory(), view.shape())
    }
}

/// Start of a view of host memory.
pub(crate) fn start<T>(memory: Memory<'_, T>, offset: usize) -> *mut T {
    match memory {
        Memory::Host(start, _) => start.wrapping_add(offset),
        Memory::Device(_) => unreachable!("the libraries of vendors are given the host's memory"),
    }
}

/// An operand that goes to a GPU, whose address there takes the place of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) word: usize,
    /// A second word that is the same address.
    pub(crate) again: Option<usize>,
    pub(crate) start: *mut c_void,
    /// Runs of adjacent elements, bytes in each, and the bytes between their starts.
    pub(crate) count: usize,
    pub(crate) bytes: usize,
    pub(crate) pitch: usize,
    pub(crate) access: Access,
}

/// Memory for a number that a routine gives by address, or for rotm's five.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResultSlot([Complex64; 3]);

impl ResultSlot {
    /// A number of the element type that a function wrote.
    pub(crate) fn number<T: Scalar>(&self) -> T {
        // SAFETY: the place is large enough and aligned for each element type, all of which may have any bits.
        unsafe { (&raw const self.0).cast::<T>().read() }
    }

    /// An index that cuBLAS wrote: an `int`, from 1.
    pub(crate) fn index(&self) -> i64 {
        // SAFETY: as above.
        i64::from(unsafe { (&raw const self.0).cast::<c_int>().read() }) - 1
    }
}

/// Words of the longest call: cuBLAS's gbmv and gemm have 14.
const MAX_WORDS: usize = 16;
/// Operands of a routine, at most.
const MAX_OPERANDS: usize = 3;

/// A call that is being written.
pub(crate) struct Request<T: Scalar> {
    interface: Interface,
    largest: i64,
    routine: Routine,
    words: [Word<T>; MAX_WORDS],
    count: usize,
    operands: [Option<Operand>; MAX_OPERANDS],
    returns: Returns,
    slot: *mut ResultSlot,
}

impl<T: Scalar> Request<T> {
    /// An empty one for a library whose integers end at `largest`. A number that the routine gives by address goes to
    /// `slot`.
    pub(crate) fn new(interface: Interface, largest: i64, slot: &mut ResultSlot) -> Self {
        Request {
            interface,
            largest,
            routine: Routine::Copy,
            words: [Word::Int(0); MAX_WORDS],
            count: 0,
            operands: [None; MAX_OPERANDS],
            returns: Returns::Nothing,
            slot,
        }
    }

    /// The routine that [`Request::begin`] was told.
    pub(crate) const fn routine(&self) -> Routine {
        self.routine
    }

    /// The number that it gives.
    pub(crate) const fn returns(&self) -> Returns {
        self.returns
    }

    /// Operands that a GPU needs.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().flatten()
    }

    /// The words so far.
    pub(crate) fn words(&self) -> &[Word<T>] {
        &self.words[..self.count]
    }

    /// Puts an address in a word's place.
    pub(crate) fn set_address(&mut self, word: usize, address: *mut c_void) {
        self.words[word] = Word::Pointer(address);
    }

    /// True if the function has `_sub` in its name: CBLAS's for complex numbers, which it writes to an address.
    pub(crate) fn is_sub(&self) -> bool {
        self.interface == Interface::Cblas && self.returns == Returns::Element && T::KIND.is_complex()
    }

    /// The C types of the function.
    pub(crate) fn signature(&self) -> String {
        let returned = match (self.interface, self.returns) {
            (Interface::CuBlas, _) => 'i',
            (_, Returns::Nothing) => 'v',
            (_, Returns::Element) if T::KIND.is_complex() => 'v',
            (_, Returns::Element | Returns::Real) => 'r',
            (_, Returns::Double) => 'd',
            (_, Returns::Index) => 'z',
        };
        signature(self.words(), returned)
    }

    /// True if the routine must be told in terms of the transposed matrices, because this layout cannot be expressed.
    pub(crate) fn turns(&self, layout: Layout) -> bool {
        self.interface == Interface::CuBlas && layout == Layout::RowMajor
    }

    fn push(&mut self, word: Word<T>) {
        self.words[self.count] = word;
        self.count += 1;
    }

    /// Begins a routine on vectors only.
    pub(crate) fn begin(&mut self, routine: Routine) {
        self.routine = routine;
        if self.interface == Interface::CuBlas {
            self.push(Word::Pointer(ptr::null_mut())); // The handle takes its place.
        }
    }

    /// Begins a routine with a matrix.
    pub(crate) fn begin_in(&mut self, routine: Routine, layout: Layout) -> Option<()> {
        if self.turns(layout) {
            return None;
        }
        self.begin(routine);
        if self.interface == Interface::Cblas {
            self.push(Word::Int(layout.code()));
        }
        Some(())
    }

    fn option(&mut self, cblas: i32, cublas: c_int) {
        self.push(Word::Int(if self.interface == Interface::Cblas { cblas } else { cublas }));
    }

    pub(crate) fn op(&mut self, op: Op) -> Option<()> {
        let op = if T::KIND.is_complex() { op } else { without_conjugation(op) };
        let cublas = match op {
            Op::NoTrans => 0,
            Op::Trans => 1,
            Op::ConjTrans => 2,
            Op::ConjNoTrans => return None,
        };
        self.option(op.code(), cublas);
        Some(())
    }

    pub(crate) fn triangle(&mut self, triangle: Triangle) {
        self.option(triangle.code(), (triangle == Triangle::Upper).into());
    }

    pub(crate) fn diagonal(&mut self, diagonal: Diag) {
        self.option(diagonal.code(), (diagonal == Diag::Unit).into());
    }

    pub(crate) fn side(&mut self, side: Side) {
        self.option(side.code(), (side == Side::Right).into());
    }

    fn integer(&mut self, value: i64) -> Option<()> {
        if value.abs() > self.largest {
            return None;
        }
        self.push(Word::Integer(value));
        Some(())
    }

    pub(crate) fn size(&mut self, size: usize) -> Option<()> {
        self.integer(i64::try_from(size).ok()?)
    }

    pub(crate) fn factor(&mut self, factor: T) {
        let by_value = self.interface == Interface::Cblas && !T::KIND.is_complex();
        // A real type's number is its real part.
        let real = || Word::Real(T::RealScalar::from_parts(factor.re(), 0.0));
        self.push(if by_value { real() } else { Word::At(factor) });
    }

    pub(crate) fn real(&mut self, factor: T::RealScalar) {
        self.push(if self.interface == Interface::Cblas { Word::Real(factor) } else { Word::AtReal(factor) });
    }

    /// rotm's parameters, by their address.
    pub(crate) fn parameters(&mut self, parameters: [T; 5]) {
        const { assert!(size_of::<[T; 5]>() <= size_of::<ResultSlot>() || T::KIND.is_complex()) };
        assert!(!T::KIND.is_complex(), "rotm is for real types");
        // SAFETY: the place holds five real numbers, and lives until the call is done.
        unsafe { self.slot.cast::<[T; 5]>().write(parameters) };
        self.push(Word::Pointer(self.slot.cast()));
    }

    fn operand(&mut self, start: *mut T, (count, length, pitch): (usize, usize, usize), access: Access) {
        if self.interface == Interface::CuBlas {
            let size = size_of::<T>();
            let operand = Operand {
                word: self.count,
                again: None,
                start: start.cast(),
                count,
                bytes: length * size,
                pitch: pitch * size,
                access,
            };
            *self.operands.iter_mut().find(|slot| slot.is_none()).expect("a place for each operand") = Some(operand);
        }
        self.push(Word::Pointer(start.cast()));
    }

    /// The address and the leading dimension.
    pub(crate) fn matrix(&mut self, matrix: Matrix<T>, access: Access) -> Option<()> {
        let (count, length) = matrix.runs();
        self.operand(matrix.start, (count, length, matrix.leading_dimension), access);
        // On a GPU there are no gaps.
        self.size(if self.interface == Interface::Cblas { matrix.leading_dimension } else { length.max(1) })
    }

    /// The last matrix once more: cuBLAS's trmm has a place for its result, which may be its operand.
    pub(crate) fn matrix_again(&mut self) {
        if let Some(operand) = self.operands.iter_mut().flatten().last() {
            operand.again = Some(self.count);
            let matrix = [self.words[self.count - 2], self.words[self.count - 1]];
            matrix.into_iter().for_each(|word| self.push(word));
        }
    }

    /// A packed triangle's address.
    pub(crate) fn packed(&mut self, start: *mut T, length: usize, access: Access) {
        self.operand(start, (1, length, length), access);
    }

    /// The address of the lowest element, and the increment.
    pub(crate) fn vector(&mut self, vector: Vector<T>, access: Access) -> Option<()> {
        let pitch = vector.increment.unsigned_abs();
        let runs = if pitch == 1 { (1, vector.length, vector.length) } else { (vector.length, 1, pitch) };
        self.operand(vector.start, runs, access);
        let increment = vector.increment as i64;
        self.integer(if self.interface == Interface::Cblas { increment } else { increment.signum() })
    }

    /// The number that the routine gives: always the last.
    pub(crate) fn gives(&mut self, returns: Returns) {
        self.returns = returns;
        if self.interface == Interface::CuBlas || self.is_sub() {
            self.push(Word::Pointer(self.slot.cast()));
        }
    }
}

/// The same operation on a real matrix.
const fn without_conjugation(op: Op) -> Op {
    match op {
        Op::NoTrans | Op::ConjNoTrans => Op::NoTrans,
        Op::Trans | Op::ConjTrans => Op::Trans,
    }
}
