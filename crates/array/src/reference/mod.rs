//! The oracle of fused kernels: one element and one instruction at a time.
//!
//! Executors give the bits that [`run`] gives, but for those of NaN.

mod functions;
mod order;
mod philox;
mod values;

pub use order::join_row;
pub use philox::{philox, philox64};
pub use values::{binary, convert, fma, unary};

use super::check::{Invalid, constant};
use super::element::{ElementType, Value};
use super::function::Reduction;
use super::fused::{Arguments, Effect, Instruction, Phase, Structure, View};

/// The buffer of an access: bytes of elements in the machine's order, from the buffer's first one. No alignment is
/// needed.
#[derive(Debug)]
pub enum Memory<'a> {
    /// Of an access that is only read.
    Read(&'a [u8]),
    /// Of any access.
    Write(&'a mut [u8]),
}

impl Memory<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Memory::Read(bytes) => bytes,
            Memory::Write(bytes) => bytes,
        }
    }
}

/// Runs a kernel. `memory` has the buffer of each access.
///
/// # Errors
/// If the structure, the arguments or the memory are not consistent. Nothing is written then.
pub fn run(structure: &Structure, arguments: &Arguments, memory: &mut [Memory<'_>]) -> Result<(), Invalid> {
    structure.check()?;
    if memory.len() != structure.accesses.len() {
        return Err(Invalid::Kernel("another count of buffers than of accesses"));
    }
    let lengths: Vec<usize> =
        memory.iter().zip(&structure.accesses).map(|(m, access)| m.bytes().len() / access.element.bytes()).collect();
    arguments.check(structure, &lengths)?;
    for (access, memory) in memory.iter().enumerate() {
        if structure.accesses[access].is_written && matches!(memory, Memory::Read(_)) {
            return Err(Invalid::Access { access, reason: "it is written, its memory is read-only" });
        }
    }
    if arguments.extents.contains(&0) {
        return Ok(());
    }
    let (rows, reduced) = arguments.extents.split_at(structure.parallel);
    for row in points(rows) {
        Row { structure, arguments, row, slots: Vec::new() }.run(reduced, memory)?;
    }
    Ok(())
}

/// All points of a space in row-major order.
pub fn points(extents: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let extents = extents.to_vec();
    let count: usize = extents.iter().product();
    (0..count).map(move |index| {
        let mut rest = index;
        let mut point = vec![0; extents.len()];
        for (i, &extent) in point.iter_mut().zip(&extents).rev() {
            *i = rest % extent;
            rest /= extent;
        }
        point
    })
}

/// One point of the parallel axes, with the results of its reductions so far.
struct Row<'a> {
    structure: &'a Structure,
    arguments: &'a Arguments,
    row: Vec<usize>,
    slots: Vec<(usize, Value)>,
}

impl Row<'_> {
    fn run(&mut self, reduced: &[usize], memory: &mut [Memory<'_>]) -> Result<(), Invalid> {
        let structure = self.structure;
        for (index, phase) in structure.phases.iter().enumerate() {
            let once = vec![1; reduced.len()];
            let mut joined: Vec<(usize, Vec<(Value, i64)>)> = Vec::new();
            for (element, tail) in points(if phase.is_loop { reduced } else { &once }).enumerate() {
                let point = [self.row.as_slice(), &tail].concat();
                let registers = self.compute(index, phase, &point, memory)?;
                for effect in &phase.effects {
                    match *effect {
                        Effect::Store { access, value, imaginary } => {
                            self.store(access, &point, registers[value], imaginary.map(|i| registers[i]), memory);
                        }
                        Effect::Reduce { slot, value } => {
                            let value = (registers[value], element as i64);
                            match joined.iter_mut().find(|(s, _)| *s == slot) {
                                Some((_, row)) => row.push(value),
                                None => joined.push((slot, vec![value])),
                            }
                        }
                    }
                }
            }
            for (slot, row) in joined {
                self.slots.push((slot, self.reduce(slot, &row)?));
            }
        }
        Ok(())
    }

    fn reduce(&self, slot: usize, row: &[(Value, i64)]) -> Result<Value, Invalid> {
        let reduction = self.structure.slots[slot].reduction;
        let undefined = Invalid::Slot { slot, reason: "no such reduction of the type" };
        let row: Vec<Option<(Value, i64)>> = row.iter().copied().map(Some).collect();
        let joined = join_row(self.structure.order, &row, |x, y| values::join(reduction, x?, y?));
        let (value, index) = joined.flatten().ok_or(undefined)?;
        Ok(if matches!(reduction, Reduction::ArgMin | Reduction::ArgMax) { Value::I64(index) } else { value })
    }

    fn compute(
        &self,
        index: usize,
        phase: &Phase,
        point: &[usize],
        memory: &[Memory<'_>],
    ) -> Result<Vec<Value>, Invalid> {
        let mut registers: Vec<Value> = Vec::with_capacity(phase.code.len());
        for (register, instruction) in phase.code.iter().enumerate() {
            let reason = "the reference has no such instruction";
            let undefined = Invalid::Instruction { phase: index, register, reason };
            registers.push(self.step(instruction, &registers, point, memory).ok_or(undefined)?);
        }
        Ok(registers)
    }

    fn step(&self, instruction: &Instruction, r: &[Value], point: &[usize], memory: &[Memory<'_>]) -> Option<Value> {
        let integer = |register: usize| if let Value::I64(x) = r[register] { Some(x) } else { None };
        match *instruction {
            Instruction::Load(access) => self.load(access, at(&self.arguments.views[access], point), false, memory),
            Instruction::LoadImaginary(access) => {
                self.load(access, at(&self.arguments.views[access], point), true, memory)
            }
            Instruction::LoadAt { access, ref indices, imaginary } => {
                let view = &self.arguments.views[access];
                let mut clamped = Vec::with_capacity(indices.len());
                for (&register, &extent) in indices.iter().zip(&view.extents) {
                    clamped.push(integer(register)?.clamp(0, extent as i64 - 1) as usize);
                }
                self.load(access, at(view, &clamped), imaginary, memory)
            }
            Instruction::Scalar(scalar) => Some(self.arguments.scalars[scalar]),
            Instruction::Coordinate(axis) => Some(Value::I64(point[axis] as i64)),
            Instruction::Slot(slot) => self.slots.iter().find(|(s, _)| *s == slot).map(|&(_, value)| value),
            ref other => evaluate_one(other, r),
        }
    }

    fn load(&self, access: usize, index: usize, is_imaginary: bool, memory: &[Memory<'_>]) -> Option<Value> {
        let element = self.structure.accesses[access].element;
        let part = element.part();
        let first = index * element.bytes() + if is_imaginary { part.bytes() } else { 0 };
        read(part, &memory[access].bytes()[first..])
    }

    fn store(&self, access: usize, point: &[usize], value: Value, imaginary: Option<Value>, memory: &mut [Memory<'_>]) {
        let element = self.structure.accesses[access].element;
        let first = at(&self.arguments.views[access], point) * element.bytes();
        let Memory::Write(bytes) = &mut memory[access] else { return };
        write(value, &mut bytes[first..]);
        if let Some(imaginary) = imaginary {
            write(imaginary, &mut bytes[first + element.part().bytes()..]);
        }
    }
}

/// The element of a view at a point. [`Arguments::check`] has proved that it is in the buffer.
fn at(view: &View, point: &[usize]) -> usize {
    let along: i64 = view.strides.iter().zip(point).map(|(&stride, &i)| stride * i as i64).sum();
    view.offset.wrapping_add_signed(along as isize)
}

/// The result of code without memory, which ends with it. Scalar arguments are those of the function.
///
/// # Panics
/// If the code is empty, or an instruction is not defined for its operands.
pub(crate) fn evaluate(code: &[Instruction], scalar: impl Fn(usize) -> Value) -> Value {
    let mut registers: Vec<Value> = Vec::with_capacity(code.len());
    for instruction in code {
        let value = match *instruction {
            Instruction::Scalar(index) => Some(scalar(index)),
            ref other => evaluate_one(other, &registers),
        };
        registers.push(value.expect("types were checked where the nodes were made"));
    }
    registers[code.len() - 1]
}

/// The result of an instruction on registers; `None` of those that need memory, arguments or a point.
pub(crate) fn evaluate_one(instruction: &Instruction, r: &[Value]) -> Option<Value> {
    let integer = |register: usize| if let Value::I64(x) = r[register] { Some(x) } else { None };
    match *instruction {
        Instruction::Constant(element, bits) => constant(element, bits).ok(),
        Instruction::Unary(function, x) => values::unary(function, r[x]),
        Instruction::Binary(function, x, y) => values::binary(function, r[x], r[y]),
        Instruction::Fma(a, b, c) => values::fma(r[a], r[b], r[c]),
        Instruction::Select(mask, a, b) => match r[mask] {
            Value::Bool(mask) => Some(if mask { r[a] } else { r[b] }),
            _ => None,
        },
        Instruction::Convert(to, x) => values::convert(to, r[x]),
        Instruction::Bitcast(to, x) => constant(to, r[x].bits()).ok(),
        Instruction::ComplexReal(function, x, y) => functions::complex(function, r[x], r[y]).map(|(re, _)| re),
        Instruction::ComplexImaginary(function, x, y) => functions::complex(function, r[x], r[y]).map(|(_, im)| im),
        Instruction::Philox { word, counter, stream, key } => {
            let words = philox64(integer(counter)?, integer(stream)?, integer(key)?);
            Some(Value::U32(words[word as usize]))
        }
        _ => None,
    }
}

/// Reads the first element; `None` of a complex type, or of too few bytes.
pub fn read(element: ElementType, bytes: &[u8]) -> Option<Value> {
    Some(match element {
        ElementType::Bool => Value::Bool(*bytes.first()? != 0),
        ElementType::U8 => Value::U8(*bytes.first()?),
        ElementType::I32 => Value::I32(i32::from_ne_bytes(*bytes.first_chunk()?)),
        ElementType::U32 => Value::U32(u32::from_ne_bytes(*bytes.first_chunk()?)),
        ElementType::I64 => Value::I64(i64::from_ne_bytes(*bytes.first_chunk()?)),
        ElementType::F32 => Value::F32(f32::from_ne_bytes(*bytes.first_chunk()?)),
        ElementType::F64 => Value::F64(f64::from_ne_bytes(*bytes.first_chunk()?)),
        ElementType::C32 | ElementType::C64 => return None,
    })
}

/// Writes the first element.
///
/// # Panics
/// If there are too few bytes.
pub fn write(value: Value, bytes: &mut [u8]) {
    let length = value.element_type().bytes();
    let bits = value.bits();
    let target = &mut bytes[..length];
    match length {
        1 => target[0] = bits as u8,
        4 => target.copy_from_slice(&(bits as u32).to_ne_bytes()),
        _ => target.copy_from_slice(&bits.to_ne_bytes()),
    }
}

#[cfg(test)]
mod tests;
