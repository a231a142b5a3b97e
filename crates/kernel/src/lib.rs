//! A language for kernels inside Rust, for kernels that are families: an FFT's butterflies of every radix, fused expressions,
//! stencils.
//!
//! A kernel is built by a closure, in which Rust is the meta-language: a Rust loop unrolls, a Rust `if` specialises, a Rust function
//! generic over [`Float`] serves both precisions and every width of vectors. The kernel itself is data. It is printed as OpenCL C,
//! CUDA C++ or C99, the same text each time, byte for byte; and [`Launch`] interprets it on the host, checks every
//! index, and finds barriers that a part of a group reaches and work-items that race.
//!
//! ```
//! use affinimath_kernel::{Index, Kernel, Launch, Real};
//!
//! /// y := a x + y, over n elements.
//! fn axpy<R: Real>() -> Kernel {
//!     Kernel::build("axpy", |k| {
//!         let n = k.argument::<Index>("n");
//!         let a = k.argument::<R>("a");
//!         let x = k.input::<R>("x");
//!         let y = k.in_out::<R>("y");
//!         let i = k.global_id(0);
//!         k.when(i.lt(n), || y.store(i, a * x.at(i) + y.at(i)));
//!     })
//!     .unwrap()
//! }
//!
//! assert!(axpy::<f32>().opencl().contains("y[v0] = a * x[v0] + y[v0];"));
//! assert!(axpy::<f64>().opencl().starts_with("#pragma OPENCL EXTENSION cl_khr_fp64 : enable"));
//!
//! let (x, mut y) = ([1.0_f32, 2.0, 3.0], [10.0_f32, 20.0, 30.0]);
//! Launch::new(&axpy::<f32>(), [1, 1, 1], [4, 1, 1]).run([3_i64.into(), 2.0_f32.into(), (&x).into(), (&mut y).into()]).unwrap();
//! assert_eq!(y, [12.0, 24.0, 36.0]);
//! ```
//!
//! Writing to a buffer that is only read does not compile:
//!
//! ```compile_fail
//! affinimath_kernel::Kernel::build("refused", |k| k.input::<f32>("x").store(0, 1.0));
//! ```
//!
//! nor does mixing types, or kernels:
//!
//! ```compile_fail
//! affinimath_kernel::Kernel::build("refused", |k| { k.argument::<f32>("a") + k.argument::<f64>("b"); });
//! ```

mod builder;
mod complex;
mod constant;
mod control;
mod error;
mod expr;
mod finish;
mod fold;
mod interpret;
mod ir;
mod memory;
mod print;
mod types;

pub use builder::Builder;
pub use complex::{Complex, root_of_unity};
pub use constant::{Constant, Undefined};
pub use control::{Function, Parameters, Range};
pub use error::{BuildError, Fault};
pub use expr::{Bits, Expr, IntoExpr, Var};
pub use interpret::{Argument, Launch};
pub use ir::Access;
pub use memory::{Array, IntoIndex, ReadOnly, ReadWrite, Readable, Writable, WriteOnly};
pub use types::{
    Atomic, Counter, Element, Float, Index, Integer, LaneType, Number, Pair, Real, ScalarKind, ScalarType, Type,
    ValueType, Vector,
};

use ir::{Parameter, Program};

/// A kernel: built once, and from then on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    program: Program,
}

/// What a kernel takes as an argument, in the order in which the kernel asked for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A number.
    Scalar(ScalarType),
    /// A buffer of such elements.
    Buffer(ValueType, Access),
}

impl Kernel {
    /// Builds a kernel: `construct` says what a work-item does.
    ///
    /// # Errors
    /// A [`BuildError`] says what Rust's types could not see, such as a value used outside of the block that computes it.
    pub fn build(name: &str, construct: impl for<'k> FnOnce(Builder<'k>)) -> Result<Self, BuildError> {
        let (program, contract) = Builder::run(name, construct)?;
        Ok(Kernel { program: finish::finish(program, contract)? })
    }

    /// Its name, that of the function in all languages.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The size of its groups, where it is fixed.
    pub const fn group_size(&self) -> Option<[usize; 3]> {
        self.program.group
    }

    /// What it takes as arguments.
    pub fn parameters(&self) -> Vec<ParameterType> {
        let one = |parameter: &Parameter| match *parameter {
            Parameter::Scalar(id) => ParameterType::Scalar(self.program.nodes[id].value_type.scalar),
            Parameter::Memory(memory) => {
                let memory = &self.program.memories[memory];
                ParameterType::Buffer(memory.element, memory.access)
            }
        };
        self.program.parameters.iter().map(one).collect()
    }

    /// Whether a device needs double precision for it.
    pub fn needs_doubles(&self) -> bool {
        self.program.needs_doubles()
    }

    /// The kernel in OpenCL C 1.2.
    pub fn opencl(&self) -> String {
        print::opencl(&self.program)
    }

    /// The kernel in CUDA C++, to be compiled with `--fmad=false`. Vectors are taken apart into scalars.
    pub fn cuda(&self) -> String {
        print::cuda(&self.program)
    }

    /// The kernel in C99: a function of two arrays, the numbers of groups and of work-items in a group per dimension, and of the
    /// kernel's arguments. OpenMP, where it is on, shares out the groups; compile with `-ffp-contract=off`.
    ///
    /// A group's work-items are rounds of loops, between barriers. What they keep over a barrier is in arrays of its length, on the stack.
    ///
    /// # Errors
    /// [`BuildError::Target`] for a barrier in a `while` loop, or in a loop or branch that is not seen to be the same for all
    /// work-items of a group: its range or condition is made of constants, arguments and the numbers of groups.
    pub fn c99(&self) -> Result<String, BuildError> {
        print::c99(&self.program)
    }
}

/// The README's code is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
