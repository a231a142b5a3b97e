//! OpenCL C 1.2.

use super::super::ir::{Access, Alignment, AtomicOp, Foreign, Memory, Op, Program, Query, Space};
use super::super::types::{ScalarType, ValueType};
use super::Printer;
use super::dialect::{Atomic, Construct, Dialect, HalfAccess};
use super::operators::Level;

struct OpenClC;

impl Dialect for OpenClC {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "char",
            ScalarType::U8 => "uchar",
            ScalarType::I16 => "short",
            ScalarType::U16 => "ushort",
            ScalarType::I32 => "int",
            ScalarType::U32 => "uint",
            ScalarType::I64 => "long",
            ScalarType::U64 => "ulong",
            ScalarType::F16 => "half",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        }
    }

    fn array_type(&self, element: ValueType) -> String {
        let halves = element.scalar == ScalarType::F16;
        self.type_name(if halves { element.of(ScalarType::U16) } else { element })
    }

    fn foreign<'f>(&self, function: &'f Foreign) -> &'f str {
        &function.opencl
    }

    fn long_suffix(&self) -> &'static str {
        "L"
    }

    fn function(&self, name: &str, _: ScalarType) -> String {
        name.to_owned()
    }

    fn bitcast(&self, _: ScalarType, to: ValueType) -> String {
        format!("as_{}", self.type_name(to))
    }

    fn saturating(&self, from: ScalarType, to: ValueType) -> String {
        if from.is_float() {
            return format!("saturate_{}_{}", self.type_name(to.of(from)), self.type_name(to));
        }
        format!("convert_{}_sat", self.type_name(to))
    }

    fn load_half(&self, access: &HalfAccess<'_>) -> String {
        let (prefix, index, pointer) = half_access(access);
        format!("vload{prefix}({index}, {pointer})")
    }

    fn store_half(&self, access: &HalfAccess<'_>, value: &str) -> String {
        let (prefix, index, pointer) = half_access(access);
        format!("vstore{prefix}_rte({value}, {index}, {pointer});")
    }

    fn store_streaming(&self, _: &str, address: &str, value: &str) -> String {
        format!("stream_store({value}, {address});")
    }

    fn query(&self, query: Query, dimension: usize) -> (String, Level) {
        let function = match query {
            Query::GlobalId => "get_global_id",
            Query::LocalId => "get_local_id",
            Query::GroupId => "get_group_id",
            Query::GlobalSize => "get_global_size",
            Query::LocalSize => "get_local_size",
            Query::GroupCount => "get_num_groups",
        };
        (format!("(long){function}({dimension})"), Level::Unary)
    }

    fn barrier(&self, global: bool) -> String {
        let fences = if global { "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" } else { "CLK_LOCAL_MEM_FENCE" };
        format!("barrier({fences});")
    }

    fn atomic(&self, atomic: &Atomic<'_>) -> Vec<String> {
        let function = match atomic.op {
            AtomicOp::Add => "atomic_add",
            AtomicOp::Min => "atomic_min",
            AtomicOp::Max => "atomic_max",
            AtomicOp::Exchange => "atomic_xchg",
            AtomicOp::CompareExchange => "atomic_cmpxchg",
        };
        vec![super::cuda::call(function, atomic)]
    }
}

/// The function of an access to half precision behind `vload` or `vstore`, its index and its pointer. A variable
/// cannot be a `half` in OpenCL C: arrays are of `ushort`.
fn half_access(access: &HalfAccess<'_>) -> (String, String, String) {
    let HalfAccess { memory, name, index, lanes, alignment, .. } = *access;
    let pointer = match memory.space {
        Space::Global => name.to_owned(),
        Space::Local => format!("(__local half *){name}"),
        Space::Private => format!("(__private half *){name}"),
    };
    if lanes == 1 {
        return ("_half".to_owned(), index.text.clone(), pointer);
    }
    let aligned = if alignment == Alignment::Vector && memory.space == Space::Global { "a" } else { "" };
    (format!("{aligned}_half{lanes}"), "0".to_owned(), super::operators::address(&pointer, index))
}

/// The kernel in OpenCL C.
pub(in super::super) fn opencl(program: &Program) -> String {
    let mut printer = Printer::new(program, &OpenClC);
    if program.needs_doubles() {
        printer.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
    }
    printer.line("#pragma OPENCL FP_CONTRACT OFF");
    printer.line("");
    let head = printer.out.len();
    declare_saturations(&mut printer);
    printer.functions("static inline");
    printer.comment();
    printer.line("__kernel");
    if let Some([x, y, z]) = program.group {
        printer.line(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"));
    }
    let buffer = |memory: &Memory| {
        let read = if memory.access == Access::Read { "const " } else { "" };
        format!("__global {read}{} *restrict {}", OpenClC.type_name(memory.element), memory.name)
    };
    let parameters = printer.parameters(buffer);
    printer.open_kernel(&format!("void {}", program.name), &parameters);
    printer.declare_arrays(Space::Local, "__local ");
    printer.declare_arrays(Space::Private, "");
    printer.block(&program.body);
    printer.close(Construct::Subprogram);
    let accesses = vector_accesses(&printer.out);
    printer.out.insert_str(head, &accesses);
    printer.out
}

/// Declares the conversions of real numbers with saturation: NVIDIA's `convert_long_sat` and others make no 0 of NaN.
fn declare_saturations(printer: &mut Printer<'_>) {
    let mut declared = Vec::new();
    for node in &printer.program.nodes {
        let Op::ConvertSat(operand) = node.op else { continue };
        let (from, to) = (printer.program.nodes[operand].value_type, node.value_type);
        if !from.scalar.is_float() || declared.contains(&(from, to)) {
            continue;
        }
        declared.push((from, to));
        let (of, target) = (OpenClC.type_name(from), OpenClC.type_name(to));
        let value = if from.lanes == 1 { "a == a ? a : 0".to_owned() } else { format!("select(({of})(0), a, a == a)") };
        let name = OpenClC.saturating(from.scalar, to);
        printer
            .line(&format!("static inline {target} {name}(const {of} a) {{ return convert_{target}_sat({value}); }}"));
        printer.line("");
    }
}

/// True if OpenCL C may define a macro or a type of this name.
pub(super) fn is_access(name: &str) -> bool {
    name.starts_with("load_") || name.starts_with("store_") || name.ends_with("_anywhere") || name == "stream_store"
}

const VECTOR_SCALARS: [ScalarType; 10] = [
    ScalarType::I32,
    ScalarType::U32,
    ScalarType::I64,
    ScalarType::F32,
    ScalarType::F64,
    ScalarType::I8,
    ScalarType::U8,
    ScalarType::I16,
    ScalarType::U16,
    ScalarType::U64,
];

/// A store with Clang's hint that the value is not read soon. NVIDIA's compiler has the hint, drops it, and forgets
/// that the address is global.
const STREAM_STORE: &str = "\
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_nontemporal_store) && !defined(__NV_CL_C_VERSION)
#define stream_store(v, p) __builtin_nontemporal_store(v, p)
#else
#define stream_store(v, p) (*(p) = (v))
#endif
";

/// Declares unaligned vectors in global memory. With Clang's attribute each is one access, where PoCL's vload and
/// vstore are an access for each lane.
fn vector_accesses(text: &str) -> String {
    let mut out = String::new();
    if text.contains("stream_store(") {
        out.push_str(STREAM_STORE);
    }
    for (scalar, lanes) in VECTOR_SCALARS.into_iter().flat_map(|scalar| [2, 4, 8, 16].map(|lanes| (scalar, lanes))) {
        let vector = OpenClC.type_name(ValueType { scalar, lanes });
        let (loads, stores) = (text.contains(&format!("load_{vector}(")), text.contains(&format!("store_{vector}(")));
        if !loads && !stores {
            continue;
        }
        let bytes = scalar.bits() / 8;
        out.push_str("#ifdef __clang__\n");
        // A program may have several kernels' texts.
        out.push_str(&format!("#ifndef {vector}_anywhere\n"));
        out.push_str(&format!("typedef {vector} {vector}_anywhere __attribute__((aligned({bytes})));\n"));
        out.push_str(&format!("#define {vector}_anywhere {vector}_anywhere\n#endif\n"));
        if loads {
            out.push_str(&format!("#define load_{vector}(p) (*(__global const {vector}_anywhere *)(p))\n"));
        }
        if stores {
            out.push_str(&format!("#define store_{vector}(v, zero, p) (*(__global {vector}_anywhere *)(p) = (v))\n"));
        }
        out.push_str("#else\n");
        if loads {
            out.push_str(&format!("#define load_{vector}(p) vload{lanes}(0, p)\n"));
        }
        if stores {
            out.push_str(&format!("#define store_{vector} vstore{lanes}\n"));
        }
        out.push_str("#endif\n");
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}
