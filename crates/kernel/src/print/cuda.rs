//! CUDA C++. Vectors become scalars: CUDA has no vector arithmetic.

use super::super::ir::{Access, AtomicOp, Memory, Program, Query, Space};
use super::super::types::ScalarType;
use super::dialect::Dialect;
use super::operators::Level;
use super::{Printer, without_vectors};

struct Cuda;

impl Dialect for Cuda {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool => "bool",
            ScalarType::I32 => "int",
            ScalarType::U32 => "unsigned int",
            ScalarType::I64 => "long long",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        }
    }

    fn long_suffix(&self) -> &'static str {
        "LL"
    }

    fn function(&self, name: &str, scalar: ScalarType) -> String {
        with_suffix(name, scalar)
    }

    fn query(&self, query: Query, dimension: usize) -> (String, Level) {
        let axis = ["x", "y", "z"][dimension.min(2)];
        let long = |name: &str| format!("(long long){name}.{axis}");
        match query {
            Query::GlobalId => (format!("{} * blockDim.{axis} + threadIdx.{axis}", long("blockIdx")), Level::Sum),
            Query::GlobalSize => (format!("{} * blockDim.{axis}", long("gridDim")), Level::Product),
            Query::LocalId => (long("threadIdx"), Level::Unary),
            Query::GroupId => (long("blockIdx"), Level::Unary),
            Query::LocalSize => (long("blockDim"), Level::Unary),
            Query::GroupCount => (long("gridDim"), Level::Unary),
        }
    }

    fn barrier(&self, _: bool) -> String {
        "__syncthreads();".to_owned()
    }

    fn atomic(
        &self,
        op: AtomicOp,
        target: Option<&(String, String)>,
        location: &str,
        values: &[String],
    ) -> Vec<String> {
        let function = match op {
            AtomicOp::Add => "atomicAdd",
            AtomicOp::Min => "atomicMin",
            AtomicOp::Max => "atomicMax",
            AtomicOp::Exchange => "atomicExch",
            AtomicOp::CompareExchange => "atomicCAS",
        };
        vec![call(function, target, location, values)]
    }
}

/// An atomic operation as a function call.
pub(super) fn call(function: &str, target: Option<&(String, String)>, location: &str, values: &[String]) -> String {
    let head = target.map_or_else(String::new, |(name, declared)| {
        let declared = if declared.is_empty() { String::new() } else { format!("const {declared}") };
        format!("{declared}{name} = ")
    });
    format!("{head}{function}(&{location}, {});", values.join(", "))
}

/// Names of C: `sqrtf` for `float`.
pub(super) fn with_suffix(name: &str, scalar: ScalarType) -> String {
    if scalar == ScalarType::F32 { format!("{name}f") } else { name.to_owned() }
}

/// The kernel in CUDA C++.
pub(in super::super) fn cuda(program: &Program) -> String {
    let program = &without_vectors(program);
    let mut printer = Printer::new(program, &Cuda);
    printer.line("// Compile with --fmad=false: products are joined with sums here, or not at all.");
    printer.line("");
    printer.functions("static __device__ __forceinline__");
    printer.comment();
    let bounds = program.group.map_or_else(String::new, |[x, y, z]| format!("__launch_bounds__({}) ", x * y * z));
    let buffer = |memory: &Memory| {
        let read = if memory.access == Access::Read { "const " } else { "" };
        format!("{read}{} *__restrict__ {}", Cuda.type_name(memory.element), memory.name)
    };
    let parameters = printer.parameters(buffer);
    printer.open_kernel(&format!("extern \"C\" __global__ void {bounds}{}", program.name), &parameters);
    printer.declare_arrays(Space::Local, "__shared__ ");
    printer.declare_arrays(Space::Private, "");
    printer.block(&program.body);
    printer.close();
    printer.out
}
