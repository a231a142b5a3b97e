//! Fused kernels as plain data: loop nests, whose code is a list of instructions.
//!
//! A kernel's [`Structure`] is what it is compiled by: types, access classes and code. Extents, strides, offsets and
//! scalars are its [`Arguments`], so that new shapes compile nothing.
//!
//! ```text
//!   axes      0 .. parallel-1          parallel .. rank-1
//!             one row each             reduced: the elements of a row
//!
//!   phase 0   over a row's elements    load, compute, reduce -> slots
//!   phase 1   over a row's elements    load, read slots, compute, reduce or store
//!   ...
//!   phase p   once a row               read slots, compute, store
//! ```
//!
//! An elementwise kernel has no reduced axes and one phase, a loop. Complex values are two real ones.
//!
//! A phase outside of a loop loads and stores at coordinate 0 of the reduced axes; the accesses have stride 0 there. No
//! phase loads an access that an earlier phase stores. Rows are independent. The bits of NaN are any.
//!
//! [`Structure::check`] and [`Arguments::check`] prove that a kernel keeps these rules and stays in its memory.

use super::element::{ElementType, Value};
use super::function::{Binary, ComplexUnary, Reduction, Unary};

/// The index of an instruction in its phase: the value that it computes.
pub type Register = usize;

/// The part of a kernel that its compiled form depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    /// Axes of the iteration space; 1 to 8. The last one runs fastest.
    pub rank: usize,
    /// Axes before this one are parallel, those from it on are reduced. `rank` of an elementwise kernel.
    pub parallel: usize,
    /// Memory that is read or written.
    pub accesses: Vec<Access>,
    /// Types of the scalar arguments; none is complex.
    pub scalars: Vec<ElementType>,
    /// Phases in order.
    pub phases: Vec<Phase>,
    /// The types of the slots, with the reduction that fills each.
    pub slots: Vec<Slot>,
    /// The order in which elements of a row are joined.
    pub order: ReductionOrder,
}

/// Memory that is read or written, one element at each point of the iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The type in memory, which may be complex.
    pub element: ElementType,
    /// The pattern of its strides.
    pub class: AccessClass,
    /// True if it is written. It is not read then, but where `is_read` is true too: in place, at the same element.
    pub is_written: bool,
    /// True if it is read.
    pub is_read: bool,
}

/// The pattern of an access's strides over the collapsed axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessClass {
    /// Row-major without gaps: element `i` of the iteration space is element `offset + i`.
    Contiguous,
    /// One element for all points.
    Uniform,
    /// Stride 1 in the last axis, any in the others.
    InnerContiguous,
    /// Stride 0 in the last axis, any in the others.
    InnerUniform,
    /// Any strides.
    Strided,
    /// Not at the points of the iteration space: read by [`Instruction::LoadAt`].
    Indexed,
}

/// A loop over a row's elements, or the code that follows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// True if it runs for each element of a row; false if once for each row.
    pub is_loop: bool,
    /// Each instruction reads earlier ones of the same phase.
    pub code: Vec<Instruction>,
    /// Effects.
    pub effects: Vec<Effect>,
}

/// An effect of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Stores a value of the access's type; of a complex access the parts.
    Store {
        /// Index of the access.
        access: usize,
        /// The value, or its real part.
        value: Register,
        /// The imaginary part of a complex value.
        imaginary: Option<Register>,
    },
    /// Joins the value to a slot, in a phase that is a loop.
    Reduce {
        /// Index of the slot.
        slot: usize,
        /// The value.
        value: Register,
    },
}

/// The result of a reduction over a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The operation. `ArgMin` and `ArgMax` give the index within the row, an `I64`.
    pub reduction: Reduction,
    /// The type of the joined values.
    pub element: ElementType,
}

/// The order in which the elements of a row are joined, which a sum's bits depend on. It follows from shapes alone.
///
/// A row is cut into chunks of `chunk` elements. In a chunk, `lanes` accumulators start with the first `lanes`
/// elements; accumulator `l` then joins the elements `l + lanes`, `l + 2 lanes`, ... in turn. The accumulators are
/// joined by halving: for `h = lanes/2, lanes/4, ..., 1`, accumulator `l` joins accumulator `l + h` for `l < h`, where
/// both have an element. The chunks' results are a row again, which is joined in the same way until one is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReductionOrder {
    /// Accumulators, a power of two that divides `chunk`.
    pub lanes: usize,
    /// Elements of a chunk, 2 at least.
    pub chunk: usize,
}

/// An operation of a phase. The type of a result follows from the operation and its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// The element of an access at the current point; of a complex access its real part.
    Load(usize),
    /// The imaginary part of the element of a complex access.
    LoadImaginary(usize),
    /// The element of an [`AccessClass::Indexed`] access at `sum_k index_k stride_k`; `I64` indices, one for each axis
    /// of the access, which are clamped to its extents. `imaginary` selects the part of a complex access.
    LoadAt {
        /// Index of the access.
        access: usize,
        /// Indices, one for each axis of the access.
        indices: Vec<Register>,
        /// True for the imaginary part.
        imaginary: bool,
    },
    /// A scalar argument.
    Scalar(usize),
    /// A constant of the code: bits of the type.
    Constant(ElementType, u64),
    /// The coordinate along an axis of the iteration space, an `I64`. Outside of a loop of a parallel axis only.
    Coordinate(usize),
    /// The result of an earlier phase's reduction.
    Slot(usize),
    /// A function of one value.
    Unary(Unary, Register),
    /// A function of two values of one type. Shift counts and both operands have the same type.
    Binary(Binary, Register, Register),
    /// a b + c, rounded once.
    Fma(Register, Register, Register),
    /// A `bool`, the value where it is true, the value where it is false.
    Select(Register, Register, Register),
    /// Rust's `as`: integers wrap, reals saturate, NaN becomes 0. To `bool`: not equal to 0.
    Convert(ElementType, Register),
    /// The value's bits as a type of the same size, neither being `Bool`.
    Bitcast(ElementType, Register),
    /// The real part of a complex function of (real, imaginary) parts.
    ComplexReal(ComplexUnary, Register, Register),
    /// The imaginary part of a complex function of (real, imaginary) parts.
    ComplexImaginary(ComplexUnary, Register, Register),
    /// Word 0 to 3 of Philox 4x32-10 (Salmon et al. 2011), a `U32`: a 128-bit counter in two `I64`, and a 64-bit key as
    /// `I64`. The lower half of each `I64` is the word that comes first.
    Philox {
        /// The word, 0 to 3.
        word: u8,
        /// The lower half of the counter.
        counter: Register,
        /// The upper half of the counter.
        stream: Register,
        /// The key.
        key: Register,
    },
}

/// Numbers that a launch of a [`Structure`] needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The length of each axis of the iteration space; none is 0 but where nothing is to be done.
    pub extents: Vec<usize>,
    /// One for each access, in order.
    pub views: Vec<View>,
    /// One for each scalar, in order.
    pub scalars: Vec<Value>,
}

/// An access's memory: elements at `offset + sum_k i_k strides_k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Elements before the first one.
    pub offset: usize,
    /// Elements between neighbours, one for each axis; negative or 0 too.
    pub strides: Vec<i64>,
    /// The length of each axis of an [`AccessClass::Indexed`] access; those of the iteration space otherwise.
    pub extents: Vec<usize>,
}
