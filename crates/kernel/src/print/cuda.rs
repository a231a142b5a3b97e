//! CUDA C++, and HIP with its own headers. Vectors become scalars: CUDA has no vector arithmetic.

use super::super::ir::{Access, AtomicOp, Foreign, Memory, Program, Query, Space};
use super::super::types::{ScalarType, ValueType};
use super::dialect::{Atomic, Construct, Dialect, HalfAccess, with_type};
use super::operators::Level;
use super::{Printer, helpers, without_vectors};

struct Cuda {
    hip: bool,
}

impl Dialect for Cuda {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "signed char",
            ScalarType::U8 => "unsigned char",
            ScalarType::I16 => "short",
            ScalarType::U16 => "unsigned short",
            ScalarType::I32 => "int",
            ScalarType::U32 => "unsigned int",
            ScalarType::I64 => "long long",
            ScalarType::U64 => "unsigned long long",
            ScalarType::F16 => "__half",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        }
    }

    fn foreign<'f>(&self, function: &'f Foreign) -> &'f str {
        &function.cuda
    }

    fn long_suffix(&self) -> &'static str {
        "LL"
    }

    fn function(&self, name: &str, scalar: ScalarType) -> String {
        match name {
            // Overloaded for integers.
            _ if scalar.is_float() => with_suffix(name, scalar),
            "min" | "max" if !self.hip => name.to_owned(),
            _ => with_type(name, scalar),
        }
    }

    fn bitcast(&self, from: ScalarType, to: ValueType) -> String {
        use ScalarType::{F32, F64, I32, I64, U32, U64};
        let function = match (from, to.scalar) {
            (F32, I32) => "__float_as_int",
            (F32, U32) => "__float_as_uint",
            (I32, F32) => "__int_as_float",
            (U32, F32) => "__uint_as_float",
            (F64, I64) => "__double_as_longlong",
            (I64, F64) => "__longlong_as_double",
            (F64, U64) => "(unsigned long long)__double_as_longlong",
            (U64, F64) => "__longlong_as_double",
            (_, to) => return format!("({})", self.scalar_name(to)),
        };
        function.to_owned()
    }

    fn load_half(&self, access: &HalfAccess<'_>) -> String {
        format!("__half2float({})", access.element)
    }

    fn store_half(&self, access: &HalfAccess<'_>, value: &str) -> String {
        format!("{} = __float2half_rn({value});", access.element)
    }

    fn store_streaming(&self, _: &str, address: &str, value: &str) -> String {
        if self.hip {
            format!("__builtin_nontemporal_store({value}, {address});")
        } else {
            format!("__stcs({address}, {value});")
        }
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

    fn atomic(&self, atomic: &Atomic<'_>) -> Vec<String> {
        let function = match atomic.op {
            AtomicOp::Add => "atomicAdd",
            AtomicOp::Min => "atomicMin",
            AtomicOp::Max => "atomicMax",
            AtomicOp::Exchange => "atomicExch",
            AtomicOp::CompareExchange => "atomicCAS",
        };
        vec![call(function, atomic)]
    }
}

/// An atomic operation as a function call.
pub(super) fn call(function: &str, atomic: &Atomic<'_>) -> String {
    let head = atomic.target.as_ref().map_or_else(String::new, |(name, declared)| {
        let declared = if declared.is_empty() { String::new() } else { format!("const {declared}") };
        format!("{declared}{name} = ")
    });
    format!("{head}{function}(&{}, {});", atomic.element, atomic.values.join(", "))
}

/// Names of C: `sqrtf` for `float`.
pub(super) fn with_suffix(name: &str, scalar: ScalarType) -> String {
    if scalar == ScalarType::F32 { format!("{name}f") } else { name.to_owned() }
}

/// The kernel in CUDA C++.
pub(in super::super) fn cuda(program: &Program) -> String {
    print(program, &Cuda { hip: false })
}

/// The kernel in HIP.
pub(in super::super) fn hip(program: &Program) -> String {
    print(program, &Cuda { hip: true })
}

fn print(program: &Program, dialect: &Cuda) -> String {
    let program = &without_vectors(program);
    let mut printer = Printer::new(program, dialect);
    let option = if dialect.hip { "-ffp-contract=off" } else { "--fmad=false" };
    printer.line(&format!("// Compile with {option}: products are joined with sums here, or not at all."));
    if dialect.hip {
        printer.line("#include <hip/hip_runtime.h>");
    }
    if program.has_halves() {
        printer.line(if dialect.hip { "#include <hip/hip_fp16.h>" } else { "#include <cuda_fp16.h>" });
    }
    printer.line("");
    helpers::declare(&mut printer, dialect, if dialect.hip { &helpers::HIP } else { &helpers::CUDA });
    printer.functions("static __device__ __forceinline__");
    printer.comment();
    let bounds = program.group.map_or_else(String::new, |[x, y, z]| format!("__launch_bounds__({}) ", x * y * z));
    let buffer = |memory: &Memory| {
        let read = if memory.access == Access::Read { "const " } else { "" };
        format!("{read}{} *__restrict__ {}", dialect.type_name(memory.element), memory.name)
    };
    let parameters = printer.parameters(buffer);
    printer.open_kernel(&format!("extern \"C\" __global__ void {bounds}{}", program.name), &parameters);
    printer.declare_arrays(Space::Local, "__shared__ ");
    printer.declare_arrays(Space::Private, "");
    printer.block(&program.body);
    printer.close(Construct::Subprogram);
    printer.out
}
