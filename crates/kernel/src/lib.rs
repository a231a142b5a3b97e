//! A kernel language embedded in Rust, for families of kernels: FFT butterflies of every radix, fused expressions,
//! stencils.
//!
//! A closure builds a kernel, with Rust as the meta-language: a Rust loop unrolls, a Rust `if` specialises, and a
//! function generic over [`Float`] serves both precisions and all vector widths. The kernel is data. It is printed as
//! OpenCL C, CUDA C++, HIP, C99 or Fortran, with reproducible text. [`Launch`] interprets it on the host, and checks
//! indices, divergent barriers and data races. [`Compiled`] builds it by a compiler of the machine.
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
//! let arguments = [3_i64.into(), 2.0_f32.into(), (&x).into(), (&mut y).into()];
//! Launch::new(&axpy::<f32>(), [1, 1, 1], [4, 1, 1]).run(arguments).unwrap();
//! assert_eq!(y, [12.0, 24.0, 36.0]);
//! ```
//!
//! Vectors compare and select lane by lane. Conversions are C's, or saturate as Rust's `as`:
//!
//! ```
//! use affinimath_kernel::{Kernel, Launch, Vector};
//!
//! /// y := the positive lanes of x as bytes, in four elements at a time.
//! let kernel = Kernel::build("bytes", |k| {
//!     let (x, y) = (k.input::<f32>("x"), k.output::<u8>("y"));
//!     let i = k.global_id(0) * 4;
//!     let v = x.aligned_vector_at::<4>(i);
//!     let zero = Vector([0.0; 4]);
//!     y.store_vector(i, v.gt(zero).select(v, zero).to_saturating::<u8>());
//! })
//! .unwrap();
//! let (x, mut y) = ([-1.0_f32, 0.5, 7.9, 300.0], [9_u8; 4]);
//! Launch::new(&kernel, [1; 3], [1; 3]).run([(&x).into(), (&mut y).into()]).unwrap();
//! assert_eq!(y, [0, 0, 7, 255]);
//! ```
//!
//! Types that are known at run time only are the matter of [`dynamic`].
//!
//! Writing to a read-only buffer does not compile:
//!
//! ```compile_fail
//! affinimath_kernel::Kernel::build("refused", |k| k.input::<f32>("x").store(0, 1.0));
//! ```
//!
//! Neither does mixing types, or kernels:
//!
//! ```compile_fail
//! affinimath_kernel::Kernel::build("refused", |k| { k.argument::<f32>("a") + k.argument::<f64>("b"); });
//! ```

mod arithmetic;
mod builder;
mod compiled;
mod complex;
mod constant;
mod control;
mod convert;
pub mod dynamic;
mod error;
mod expr;
mod finish;
mod fold;
mod foreign;
mod functions;
mod interpret;
mod ir;
mod json;
mod lanes;
mod memory;
mod operations;
mod options;
mod print;
mod switch;
mod types;
mod view;

pub use builder::Builder;
pub use compiled::{CompileError, Compiled, Compiler, HostLanguage, Setting};
pub use complex::{Complex, root_of_unity};
pub use constant::{Constant, Undefined};
pub use control::{Function, Parameters, Range};
pub use error::{BuildError, Fault};
pub use expr::{Bits, Expr, IntoExpr, Var};
pub use foreign::ForeignBody;
pub use interpret::{Argument, Launch};
pub use ir::Access;
pub use json::LoadError;
pub use memory::{Array, IntoIndex, ReadOnly, ReadWrite, Readable, Writable, WriteOnly};
pub use options::BuildOption;
pub use switch::Switch;
pub use types::{
    Atomic, Counter, Element, Float, Index, Integer, LaneType, Number, Pair, Real, ScalarKind, ScalarType, SelectedBy,
    Stored, Type, ValueType, Vector,
};
pub use view::{Dim, Indices, Order, View};

pub use half::f16;

use std::collections::BTreeSet;

use ir::{Parameter, Program};

/// A complete kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    program: Program,
}

/// A parameter of a kernel, in the order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A scalar.
    Scalar(ScalarType),
    /// A buffer of elements of this type.
    Buffer(ValueType, Access),
}

impl Kernel {
    /// Builds a kernel: `construct` is the program of a work-item.
    ///
    /// # Errors
    /// [`BuildError`] for errors beyond Rust's types, such as a value used outside of its block.
    pub fn build(name: &str, construct: impl for<'k> FnOnce(Builder<'k>)) -> Result<Self, BuildError> {
        let (program, contract) = Builder::run(name, construct)?;
        Ok(Kernel { program: finish::finish(program, contract)? })
    }

    /// Builds a kernel of types that are run-time data; see [`dynamic`].
    ///
    /// # Errors
    /// The error of `construct`, or the first that the builder recorded.
    pub fn build_dynamic(
        name: &str,
        construct: impl for<'k> FnOnce(dynamic::Builder<'k>) -> Result<(), BuildError>,
    ) -> Result<Self, BuildError> {
        let mut outcome = Ok(());
        let (program, contract) = Builder::run(name, |k| outcome = construct(k.into()))?;
        outcome?;
        Ok(Kernel { program: finish::finish(program, contract)? })
    }

    /// Options that the kernel asks of the device's compiler. A program store passes those that the device offers.
    pub const fn build_options(&self) -> &BTreeSet<BuildOption> {
        &self.program.options
    }

    /// The name of the function in all languages.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The size of work-groups, if it is fixed.
    pub const fn group_size(&self) -> Option<[usize; 3]> {
        self.program.group
    }

    /// The parameters in order.
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

    /// Names of the parameters in order.
    pub fn parameter_names(&self) -> Vec<&str> {
        let one = |parameter: &Parameter| match *parameter {
            Parameter::Scalar(id) => self.program.nodes[id].name.as_deref().unwrap_or_default(),
            Parameter::Memory(memory) => self.program.memories[memory].name.as_str(),
        };
        self.program.parameters.iter().map(one).collect()
    }

    /// True if it needs double precision.
    pub fn needs_doubles(&self) -> bool {
        self.program.needs_doubles()
    }

    /// The kernel in OpenCL C 1.2.
    pub fn opencl(&self) -> String {
        print::opencl(&finish::without_checks(&self.program))
    }

    /// The kernel in CUDA C++, to be compiled with `--fmad=false`. Vectors become scalars.
    pub fn cuda(&self) -> String {
        print::cuda(&finish::without_checks(&self.program))
    }

    /// The kernel in HIP, to be compiled with `-ffp-contract=off`: the text of CUDA with HIP's headers.
    pub fn hip(&self) -> String {
        print::hip(&finish::without_checks(&self.program))
    }

    /// The kernel in C99: a function of the number of groups and of work-items in a group, per dimension, and of the
    /// arguments. OpenMP distributes the groups; compile with `-ffp-contract=off`.
    ///
    /// Work-items become loops between barriers. Values that live across a barrier are in arrays on the stack.
    ///
    /// # Errors
    /// [`BuildError::Target`] for a barrier in a `while` loop, or in a loop or branch that is not uniform. A uniform
    /// range or condition depends on constants, arguments and group ids only.
    pub fn c99(&self) -> Result<String, BuildError> {
        print::c99(&finish::without_checks(&self.program))
    }

    /// The kernel in C with the vector extensions of GCC (version 9 and later) and Clang: the function of
    /// [`Kernel::c99`], with vectors as they are. Functions and reductions of vectors are taken apart.
    ///
    /// # Errors
    /// As [`Kernel::c99`].
    pub fn c_vectors(&self) -> Result<String, BuildError> {
        print::c_vectors(&finish::without_checks(&self.program))
    }

    /// The kernel in Fortran 2008: a module with a subroutine of the kernel's name, which C calls as the function of
    /// [`Kernel::c99`]. OpenMP distributes the groups; compile with `-ffp-contract=off`.
    ///
    /// Unsigned integers are the signed ones of the same bits. Fused multiply-adds are those of C's library.
    ///
    /// # Errors
    /// [`BuildError::Target`] as [`Kernel::c99`], and for a function whose text is given in other languages alone.
    pub fn fortran(&self) -> Result<String, BuildError> {
        print::fortran(&finish::without_checks(&self.program))
    }
}

/// Tests the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
