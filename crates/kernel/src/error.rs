//! Errors of building and of interpreting a kernel.

use super::constant::{Constant, Undefined};
use super::ir::Access;
use super::types::{ScalarType, ValueType};

fn listed(types: &[ValueType]) -> String {
    types.iter().map(ValueType::to_string).collect::<Vec<_>>().join(", ")
}

/// An error of building a kernel, or of printing it for a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A name that is not an identifier of C.
    #[error("'{0}' is no name: names begin with a letter and go on with letters, digits and underscores")]
    Name(String),
    /// A value used outside of its block or function.
    #[error(
        "{0} is used outside of the block that computes it: carry it in a variable (Builder::var), or give it to the \
         function as an argument"
    )]
    Scope(String),
    /// An array length of 0, or more than 2^31.
    #[error("the array '{name}' cannot have {length} elements")]
    Length {
        /// The array.
        name: String,
        /// Its length.
        length: usize,
    },
    /// A constant index outside of an array.
    #[error("'{name}' has {length} elements, and no element {index}")]
    Index {
        /// The array.
        name: String,
        /// The index.
        index: i64,
        /// The array's length.
        length: usize,
    },
    /// A constant index outside of a dimension's constant bounds.
    #[error("index {index} of dimension {dimension} of '{name}' is not between {low} and {high}")]
    Bounds {
        /// The buffer or array.
        name: String,
        /// The dimension, from 0.
        dimension: usize,
        /// The index.
        index: i64,
        /// The lower bound.
        low: i64,
        /// The upper bound.
        high: i64,
    },
    /// A constant index of an aligned access that is no multiple of its lanes.
    #[error("an aligned access to '{name}' begins at element {index}: it has to be a multiple of {lanes}")]
    Misaligned {
        /// The buffer or array.
        name: String,
        /// The index.
        index: i64,
        /// Lanes of the access.
        lanes: usize,
    },
    /// A loop with a step below 1.
    #[error("a loop's step is {0}: it is at least 1")]
    Step(i64),
    /// An unrolled loop with bounds that are not constants, or too far apart.
    #[error("a loop can be unrolled between constants, up to 4096 rounds")]
    Unroll,
    /// A dimension of work-items that is not 0, 1 or 2.
    #[error("work-items have dimensions 0, 1 and 2, and no dimension {0}")]
    Dimension(usize),
    /// A work-group size of 0.
    #[error("work-groups cannot have {0:?} work-items")]
    GroupSize([usize; 3]),
    /// A statement inside a pure function.
    #[error(
        "the function '{0}' does more than compute a value: functions have no memory, no barriers and no work-items"
    )]
    Impure(String),
    /// An atomic operation on a private array.
    #[error("the array '{0}' is private to each work-item: atomic operations are for local and global memory")]
    PrivateAtomic(String),
    /// A case of a switch without a value.
    #[error("a case of a switch has no value")]
    EmptyCase,
    /// Two cases of a switch with one value.
    #[error("a switch has two cases for {0:?}")]
    RepeatedCase(Constant),
    /// Another number of arguments or of their names than a function has parameters.
    #[error("the function '{function}' has {wanted} parameters: {given} arguments or names are given")]
    Arguments {
        /// The function.
        function: String,
        /// Its parameters.
        wanted: usize,
        /// The arguments.
        given: usize,
    },
    /// Operands of types that an operation does not take.
    #[error("{operation} does not take {}", listed(.types))]
    Operands {
        /// The operation.
        operation: String,
        /// The types of its operands.
        types: Vec<ValueType>,
    },
    /// A type that a value, an argument or a memory cannot have.
    #[error("{what} cannot be of type {value_type}")]
    Type {
        /// The value, argument or memory.
        what: String,
        /// The type.
        value_type: ValueType,
    },
    /// A constant that its type does not hold.
    #[error("{scalar} does not hold {value}")]
    Constant {
        /// The type.
        scalar: ScalarType,
        /// The value.
        value: String,
    },
    /// A load from a write-only buffer, or a store to a read-only one.
    #[error("the buffer '{name}' is declared for {access:?}")]
    Access {
        /// The buffer.
        name: String,
        /// Its access.
        access: Access,
    },
    /// A construct that a target does not support.
    #[error("{target} cannot be made of this kernel: {reason}")]
    Target {
        /// The language.
        target: &'static str,
        /// The construct.
        reason: String,
    },
}

/// A fault that the interpreter finds in a launch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Arguments that do not match the parameters.
    #[error("the arguments do not fit the kernel: {0}")]
    Arguments(String),
    /// An index outside of a buffer or array.
    #[error("work-item {item:?} of group {group:?} reaches for element {index} of '{memory}', which has {length}")]
    OutOfBounds {
        /// The buffer or array.
        memory: String,
        /// The first element outside.
        index: i64,
        /// Its length.
        length: usize,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// An aligned access at an index that is no multiple of its lanes.
    #[error(
        "work-item {item:?} of group {group:?} accesses '{memory}' at element {index}: an aligned access begins at a \
         multiple of {lanes}"
    )]
    Misaligned {
        /// The buffer or array.
        memory: String,
        /// The index.
        index: i64,
        /// Lanes of the access.
        lanes: usize,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// A read of an uninitialised array element.
    #[error("work-item {item:?} of group {group:?} reads element {index} of '{memory}' before it was written")]
    Uninitialised {
        /// The array.
        memory: String,
        /// The element.
        index: usize,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// A divergent barrier.
    #[error("{reached} of the {items} work-items of group {group:?} reach a barrier: it is for all or none")]
    DivergentBarrier {
        /// The group.
        group: [usize; 3],
        /// Work-items that reach it.
        reached: usize,
        /// Work-items of the group.
        items: usize,
    },
    /// A data race.
    #[error(
        "element {index} of '{memory}' is {access} by work-item {item:?} of group {group:?}, and used by another one \
         with no barrier between"
    )]
    Race {
        /// The buffer or array.
        memory: String,
        /// The element.
        index: usize,
        /// `read` or `written`.
        access: &'static str,
        /// The group of the later work-item.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// An operation without a value.
    #[error("work-item {item:?} of group {group:?}: {reason}")]
    Undefined {
        /// The operation.
        reason: Undefined,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// A loop with a step below 1.
    #[error("work-item {item:?} of group {group:?} counts in steps of {step}: they are at least 1")]
    Step {
        /// The step.
        step: i64,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// A `while` loop with more iterations than the interpreter's limit.
    #[error("a while loop has gone round {0} times")]
    Endless(u64),
}
