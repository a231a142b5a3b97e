//! A routine of the BLAS as the benchmark sees it: plain data, and three short functions.

pub use affinimath::vendor::Letters;
use affinimath::{Buffer, Complex64, Context, Diag, Event, Op, Queue, Result, Scalar, ScalarKind, Side, Triangle};

use super::check::{Sample, Seen};

/// A row of the benchmark's table.
pub struct Routine<T: Scalar> {
    /// BLAS's name without the type's letter, for real and for complex types; empty where these have no such routine.
    pub names: [&'static str; 2],
    /// Suffix that distinguishes rows of the same name: `n` or `t`.
    pub variant: &'static str,
    /// The operation in a few words.
    pub formula: &'static str,
    /// Position of the type letters in the C name.
    pub letters: Letters,
    /// Its vectors and matrices, all of the one size n.
    pub operands: &'static [Operand],
    /// The arguments of its C function, in BLAS's order; layouts, increments and leading dimensions follow from the
    /// operands.
    pub arguments: &'static [Argument],
    /// Unit of the rate.
    pub work: Work,
    /// Call of our library, and check of its result.
    pub action: Action<T>,
}

/// A vector or matrix of size n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Kind of the operand.
    pub form: Form,
    /// Access of the routine.
    pub access: Access,
}

/// Kind of an operand. Matrices are column-major without padding; triangles are lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// n elements.
    Vector,
    /// n x n elements.
    General,
    /// A triangle with any elements; real ones on the diagonal.
    Triangle,
    /// A triangle that may be multiplied by again and again: values neither grow nor vanish.
    Factor,
    /// A triangle that may be divided by again and again, and well-conditioned.
    Divisor,
    /// A packed triangle.
    Packed,
    /// A packed [`Form::Factor`].
    PackedFactor,
    /// A packed [`Form::Divisor`].
    PackedDivisor,
    /// A triangle of a band matrix with [`WIDTH`] diagonals below the main one; real elements on the diagonal.
    BandTriangle,
    /// A [`Form::BandTriangle`] that is a [`Form::Factor`].
    BandFactor,
    /// A [`Form::BandTriangle`] that is a [`Form::Divisor`].
    BandDivisor,
    /// A square band matrix with [`WIDTH`] diagonals on either side of the main one.
    Band,
}

/// Diagonals of a band matrix above the main one, and below it.
pub const WIDTH: usize = 16;

/// Access of a routine to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads it.
    Read,
    /// It writes it only.
    Write,
    /// It reads and writes it.
    Update,
}

impl Form {
    /// Elements that it takes in memory.
    pub fn stored(self, n: usize) -> Option<usize> {
        match self {
            Form::Vector => Some(n),
            Form::General | Form::Triangle | Form::Factor | Form::Divisor => n.checked_mul(n),
            Form::Packed | Form::PackedFactor | Form::PackedDivisor => {
                n.checked_mul(n.checked_add(1)?).map(|twice| twice / 2)
            }
            Form::BandTriangle | Form::BandFactor | Form::BandDivisor => n.checked_mul(WIDTH + 1),
            Form::Band => n.checked_mul(2 * WIDTH + 1),
        }
    }

    /// Elements that are its own: of a triangle those in it, of a band those inside the matrix.
    pub fn elements(self, n: usize) -> f64 {
        let size = n as f64;
        match self {
            Form::Vector => size,
            Form::General => size * size,
            Form::Triangle | Form::Factor | Form::Divisor => size * (size + 1.0) / 2.0,
            Form::Packed | Form::PackedFactor | Form::PackedDivisor => size * (size + 1.0) / 2.0,
            Form::BandTriangle | Form::BandFactor | Form::BandDivisor => {
                (0..=WIDTH.min(n - 1)).map(|d| (n - d) as f64).sum()
            }
            Form::Band => (0..=WIDTH.min(n - 1)).map(|d| (n - d) as f64 * if d == 0 { 1.0 } else { 2.0 }).sum(),
        }
    }

    /// Rows and columns, as far as they are addressed one by one.
    pub const fn extents(self, n: usize) -> (usize, usize) {
        if matches!(self, Form::Vector) { (n, 1) } else { (n, n) }
    }

    /// Argument after the pointer: a vector's increment, a matrix's leading dimension.
    pub const fn stride(self, n: usize) -> Option<usize> {
        match self {
            Form::Vector => Some(1),
            Form::Packed | Form::PackedFactor | Form::PackedDivisor => None,
            Form::BandTriangle | Form::BandFactor | Form::BandDivisor => Some(WIDTH + 1),
            Form::Band => Some(2 * WIDTH + 1),
            _ => Some(n),
        }
    }
}

impl Operand {
    /// An operand that is read.
    pub const fn read(form: Form) -> Self {
        Operand { form, access: Access::Read }
    }

    /// An operand that is written only.
    pub const fn write(form: Form) -> Self {
        Operand { form, access: Access::Write }
    }

    /// An operand that is read and written.
    pub const fn update(form: Form) -> Self {
        Operand { form, access: Access::Update }
    }

    /// Elements that go between memory and processor, each read and each write counted once.
    fn moved(self, n: usize) -> f64 {
        self.form.elements(n) * if self.access == Access::Update { 2.0 } else { 1.0 }
    }
}

/// An argument of a C function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A matrix as it is, transposed or adjoint.
    Op(Op),
    /// Which triangle is stored.
    Triangle(Triangle),
    /// True if the diagonal is stored.
    Diagonal(Diag),
    /// On which side the special matrix stands.
    Side(Side),
    /// n.
    Size,
    /// [`WIDTH`].
    Width,
    /// A scalar of the element type.
    Factor(Factor),
    /// A real scalar.
    RealFactor(Factor),
    /// The operand with this index.
    At(usize),
    /// The five parameters of a modified rotation, [`ROTATION`].
    Rotation,
    /// Result of a reduction, always the last operand.
    Result,
}

/// Factors of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// Any value, for added operands.
    Alpha,
    /// For what it is added to again and again: below 1, so that the sum has a limit.
    Beta,
    /// For what is scaled again and again: of modulus 1.
    Turn,
    /// 0.6, which is the cosine of the angle whose sine is 0.8.
    Cosine,
    /// 0.8.
    Sine,
    /// A complex value of modulus 0.8.
    ComplexSine,
    /// Minus one.
    Minus,
    /// One.
    One,
    /// Zero.
    Zero,
}

impl Factor {
    /// The value in a type.
    pub fn value<T: Scalar>(self) -> T {
        let (re, im) = match self {
            Factor::Alpha => (0.75, 0.5),
            Factor::Beta => (0.5, 0.25),
            Factor::Turn if T::KIND.is_complex() => (0.6, 0.8),
            Factor::Turn => (-1.0, 0.0),
            Factor::Cosine => (0.6, 0.0),
            Factor::Sine => (0.8, 0.0),
            Factor::ComplexSine => (0.48, 0.64),
            Factor::Minus => (-1.0, 0.0),
            Factor::One => (1.0, 0.0),
            Factor::Zero => (0.0, 0.0),
        };
        T::from_parts(re, im)
    }
}

/// rotm's parameters: a flag, and H by columns, which is the rotation whose sine is 0.8.
pub const ROTATION: [f64; 5] = [-1.0, 0.6, -0.8, 0.8, 0.6];

/// Unit of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Bytes moved: levels 1 and 2.
    Bytes,
    /// Real operations, `cubic` n^3 + `square` n^2, four times as many for complex types: level 3.
    Operations {
        /// The factor of n^3.
        cubic: f64,
        /// The factor of n^2.
        square: f64,
    },
}

/// The result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Of the element type.
    Element,
    /// A real scalar.
    Real,
    /// An index, from 0.
    Index,
}

/// Call of our library, and check of any library's result.
pub enum Action<T: Scalar> {
    /// Operands change.
    Update {
        /// Calls our library on operands of size n.
        ours: fn(usize, &mut [Buffer<T>]) -> Result<Event>,
        /// The error of one element of the operands that are written.
        check: fn(&Seen<'_, T>, usize, usize) -> Sample,
    },
    /// A scalar result.
    Reduce {
        /// Which.
        number: Number,
        /// Calls our library, and waits for the scalar.
        ours: fn(&[Buffer<T>]) -> Result<Complex64>,
        /// Enqueues it on a device.
        enqueue: Enqueue<T>,
        /// The scalar's error.
        check: fn(&Seen<'_, T>, Complex64) -> Sample,
    },
}

/// Enqueues a reduction, whose scalar result goes to device memory.
pub type Enqueue<T> = fn(&Queue, &[Buffer<T>], &mut ResultBuffers<T>) -> Result<Event>;

/// Result of a reduction on a device.
pub struct ResultBuffers<T: Scalar> {
    /// A scalar of the element type.
    pub element: Buffer<T>,
    /// A real scalar.
    pub real: Buffer<T::RealScalar>,
    /// An index.
    pub index: Buffer<i64>,
}

impl<T: Scalar> ResultBuffers<T> {
    /// A location in the context's memory.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(ResultBuffers { element: context.zeros(1)?, real: context.zeros(1)?, index: context.zeros(1)? })
    }

    /// Waits for the scalar and reads it.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn fetch(&self, number: Number) -> Result<Complex64> {
        Ok(match number {
            Number::Element => wide(self.element.download()?[0]),
            Number::Real => wide(self.real.download()?[0]),
            Number::Index => Complex64::new(self.index.download()?[0] as f64, 0.0),
        })
    }
}

/// A scalar in double precision.
pub fn wide<T: Scalar>(number: T) -> Complex64 {
    Complex64::new(number.re(), number.im())
}

/// A routine's operands one by one.
pub fn each<T, const COUNT: usize>(operands: &mut [Buffer<T>]) -> &mut [Buffer<T>; COUNT] {
    operands.try_into().expect("as many operands as the routine's row has")
}

impl<T: Scalar> Routine<T> {
    /// Its name for this type.
    pub const fn name(&self) -> &'static str {
        self.names[T::KIND.is_complex() as usize]
    }

    /// True if this type has it.
    pub const fn exists(&self) -> bool {
        !self.name().is_empty()
    }

    /// Its name in C, between the interface's own letters: `daxpy`, `scnrm2`, `isamax`, each letter of a type in upper
    /// or lower case as `case` has it.
    pub fn lettered(&self, case: fn(&char) -> char) -> String {
        self.letters.name(self.name(), T::KIND, case)
    }

    /// Name and variant.
    pub fn label(&self) -> String {
        format!("{} {}", self.name(), self.variant).trim_end().to_owned()
    }

    /// Bytes or operations of one call.
    pub fn work(&self, n: usize) -> f64 {
        let size = n as f64;
        match self.work {
            Work::Bytes => {
                let elements: f64 = self.operands.iter().map(|operand| operand.moved(n)).sum();
                elements * T::KIND.bytes() as f64
            }
            Work::Operations { cubic, square } => {
                let real = (cubic * size + square) * size * size;
                real * (T::KIND.multiply_add_operations() / ScalarKind::D.multiply_add_operations()) as f64
            }
        }
    }

    /// The indices of the operands that it writes.
    pub fn outputs(&self) -> impl Iterator<Item = usize> {
        let written = |(index, operand): (usize, &Operand)| (operand.access != Access::Read).then_some(index);
        self.operands.iter().enumerate().filter_map(written)
    }

    /// The scalar result, if it is a reduction.
    pub const fn number(&self) -> Option<Number> {
        match self.action {
            Action::Update { .. } => None,
            Action::Reduce { number, .. } => Some(number),
        }
    }

    /// True if it has a matrix, and so an argument for the layout.
    pub fn has_layout(&self) -> bool {
        self.operands.iter().any(|operand| operand.form != Form::Vector)
    }
}
