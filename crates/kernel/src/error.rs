//! What is wrong with a kernel, when it is built and when it is interpreted.

use super::constant::Undefined;

/// Why a kernel could not be built, or printed for a target. Rust's types refuse the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A name that is not an identifier of C.
    #[error("'{0}' is no name: names begin with a letter and go on with letters, digits and underscores")]
    Name(String),
    /// A value that was computed in a block and is used outside of it, or in a function though it belongs to the kernel.
    #[error(
        "{0} is used outside of the block that computes it: carry it in a variable (Builder::var), or give it to the function as an argument"
    )]
    Scope(String),
    /// An array of no elements, or of more than 2^31.
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
    /// A loop that does not count upwards.
    #[error("a loop's step is {0}: it is at least 1")]
    Step(i64),
    /// A loop to be unrolled whose bounds are not constants, or too far apart.
    #[error("a loop can be unrolled between constants, up to 4096 rounds")]
    Unroll,
    /// A dimension of work-items that is not 0, 1 or 2.
    #[error("work-items have dimensions 0, 1 and 2, and no dimension {0}")]
    Dimension(usize),
    /// Work-groups of no work-items.
    #[error("work-groups cannot have {0:?} work-items")]
    GroupSize([usize; 3]),
    /// A statement inside a function, which computes a value and nothing else.
    #[error(
        "the function '{0}' does more than compute a value: functions have no memory, no barriers and no work-items"
    )]
    Impure(String),
    /// An atomic operation on an array that belongs to one work-item.
    #[error("the array '{0}' is private to each work-item: atomic operations are for local and global memory")]
    PrivateAtomic(String),
    /// What a target cannot do.
    #[error("{target} cannot be made of this kernel: {reason}")]
    Target {
        /// The language.
        target: &'static str,
        /// What is in the way.
        reason: String,
    },
}

/// What the interpreter found wrong with a launch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The arguments are not those of the kernel.
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
    /// An element of an array that is read before anything wrote it.
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
    /// A barrier that some work-items of a group reach, and others do not.
    #[error("{reached} of the {items} work-items of group {group:?} reach a barrier: it is for all or none")]
    DivergentBarrier {
        /// The group.
        group: [usize; 3],
        /// How many reach it.
        reached: usize,
        /// How many there are.
        items: usize,
    },
    /// Two work-items use an element at a time, and one of them writes it.
    #[error(
        "element {index} of '{memory}' is {access} by work-item {item:?} of group {group:?}, and used by another one with no barrier between"
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
    /// An operation that has no value.
    #[error("work-item {item:?} of group {group:?}: {reason}")]
    Undefined {
        /// What happened.
        reason: Undefined,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// A loop that does not count upwards.
    #[error("work-item {item:?} of group {group:?} counts in steps of {step}: they are at least 1")]
    Step {
        /// The step.
        step: i64,
        /// The group.
        group: [usize; 3],
        /// The work-item in its group.
        item: [usize; 3],
    },
    /// More rounds of a `while` loop than the interpreter has patience for.
    #[error("a while loop has gone round {0} times")]
    Endless(u64),
}
