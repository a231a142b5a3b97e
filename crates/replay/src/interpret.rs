//! A case in the interpreter.

use std::time::Instant;

use affinimath_kernel::{Access, Argument, Kernel, Launch, ParameterType, ScalarType, f16};
use affinimath_trace::Given;

use crate::case::{Case, Outcome};
use crate::error::{Result, unfit};
use crate::value::stored;

/// Bytes that the interpreter may take beyond its buffers.
const MAX_BYTES: u64 = 8 << 30;

/// Elements of a buffer, or a value as one element.
enum Elements {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! elements {
    ($($variant:ident $type:ident),*) => {
        impl Elements {
            /// Elements of bytes; the rest of an incomplete one is left out.
            fn of(scalar: ScalarType, bytes: &[u8]) -> Self {
                match scalar {
                    ScalarType::Bool => Self::of(ScalarType::U8, bytes),
                    $(ScalarType::$variant => {
                        let whole = bytes.chunks_exact(size_of::<$type>());
                        let element = |bytes: &[u8]| <$type>::from_le_bytes(bytes.try_into().expect("an element"));
                        Elements::$variant(whole.map(element).collect())
                    })*
                }
            }

            fn bytes(&self) -> Vec<u8> {
                match self {
                    $(Elements::$variant(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),)*
                }
            }

            /// The argument of a parameter.
            fn argument(&mut self, parameter: ParameterType) -> Argument<'_> {
                match (self, parameter) {
                    $(
                        (Elements::$variant(values), ParameterType::Scalar(_)) => single!($variant values),
                        (Elements::$variant(values), ParameterType::Buffer(_, Access::Read)) => {
                            values.as_slice().into()
                        }
                        (Elements::$variant(values), ParameterType::Buffer(..)) => values.as_mut_slice().into(),
                    )*
                }
            }
        }
    };
}

/// A single value; `f16` is a type of memory alone.
macro_rules! single {
    (F16 $values:ident) => {
        $values.as_slice().into()
    };
    ($variant:ident $values:ident) => {
        $values[0].into()
    };
}

elements!(I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, F32 f32, F64 f64);

/// Interprets a kernel on the recorded arguments.
///
/// Memory that several arguments share is a copy for each, and the result is that of the one that the kernel writes.
pub(crate) fn run(case: &Case, kernel: &Kernel) -> Result<Outcome> {
    let (launch, inputs) = (case.launch(), case.inputs()?);
    let parameters = kernel.parameters();
    if parameters.len() != launch.arguments.len() {
        let (wanted, found) = (parameters.len(), launch.arguments.len());
        return unfit(format!("the kernel '{}' takes {wanted} arguments, and the case has {found}", kernel.name()));
    }
    if launch.range.is_some() {
        return unfit("the interpreter has whole groups of given sizes, and no offset");
    }
    let bytes = kernel.interpreter_bytes(launch.items);
    if bytes > MAX_BYTES {
        return unfit(format!("the interpreter would take {bytes} bytes, more than {MAX_BYTES}"));
    }
    let mut elements = Vec::with_capacity(parameters.len());
    let mut writers: Vec<Option<usize>> = vec![None; inputs.len()];
    for (index, (parameter, argument)) in parameters.iter().zip(&launch.arguments).enumerate() {
        let name = launch.argument_name(index);
        elements.push(match (parameter, &argument.given) {
            (ParameterType::Scalar(scalar), given @ Given::Value { .. }) => {
                let value = given.bytes().unwrap_or_default();
                let size = stored(*scalar).0.bytes();
                if value.len() != size || *scalar == ScalarType::F16 {
                    return unfit(format!("{name} has {} bytes, and {scalar} has {size}", value.len()));
                }
                Elements::of(*scalar, &value)
            }
            (ParameterType::Buffer(element, access), Given::Memory { memory }) => {
                if *access != Access::Read && writers[*memory].replace(index).is_some() {
                    return unfit(format!("{name} is memory that another argument writes too"));
                }
                let size = stored(element.scalar).0.bytes() * element.lanes;
                let content = inputs[*memory];
                Elements::of(element.scalar, &content[..content.len() / size * size])
            }
            _ => return unfit(format!("{name} is to be {parameter:?}")),
        });
    }
    let start = Instant::now();
    let arguments = elements.iter_mut().zip(&parameters).map(|(elements, parameter)| elements.argument(*parameter));
    Launch::new(kernel, launch.groups, launch.items).run(arguments.collect::<Vec<_>>())?;
    let elapsed = start.elapsed();
    let memories = inputs.iter().zip(writers).map(|(input, writer)| {
        let mut content = writer.map_or_else(Vec::new, |index| elements[index].bytes());
        // Bytes behind the last whole element.
        content.extend_from_slice(&input[content.len()..]);
        content
    });
    Ok(Outcome { memories: memories.collect(), elapsed })
}
