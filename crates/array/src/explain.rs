//! Plans as text: kernels, temporaries, bytes and operations.

use super::element::ElementType;
use super::function::{Binary, Unary};
use super::fused::{Effect, Instruction};
use super::plan::{Buffer, Fused, Matmul, Operand, Plan, Step};
use super::shape::Shape;
use std::fmt::Write;

/// Work of a step: what it moves through memory and computes at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes that are read. Elements that a kernel's loops read again count once.
    pub read: u64,
    /// Bytes that are written.
    pub written: u64,
    /// Floating-point operations: an fma is two, a function one.
    pub flops: u64,
}

impl Plan {
    /// The steps as text, a line each, with the bytes that they move and the floating-point operations.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let mut total = Work::default();
        for (index, step) in self.steps.iter().enumerate() {
            let work = step.work();
            total.read += work.read;
            total.written += work.written;
            total.flops += work.flops;
            // Writing to a string does not fail.
            let _ = writeln!(text, "{index}: {}", describe(step));
            let _ = writeln!(text, "   reads {} B, writes {} B, {} flop", work.read, work.written, work.flops);
            if let Step::Fused(fused) = step {
                write_code(&mut text, fused);
            }
        }
        for (index, temporary) in self.temporaries.iter().enumerate() {
            let bytes = temporary.len * temporary.element.bytes();
            let (first, last) = (temporary.first, temporary.last);
            let _ = writeln!(
                text,
                "temporary {index}: {} {} ({bytes} B), steps {first} to {last}",
                temporary.len, temporary.element
            );
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let location = location(&output.result);
            let _ = write!(text, "output {index}: {} {} in {location}", output.element, output.shape);
            if let Some(leaf) = output.in_place {
                let _ = write!(text, ", in the memory of operand {leaf}");
            }
            text.push('\n');
        }
        let Work { read, written, flops } = total;
        let _ = writeln!(text, "{} steps: reads {read} B, writes {written} B, {flops} flop", self.steps.len());
        text
    }

    /// The work of all steps.
    pub fn work(&self) -> Work {
        self.steps.iter().map(Step::work).fold(Work::default(), |a, b| Work {
            read: a.read + b.read,
            written: a.written + b.written,
            flops: a.flops + b.flops,
        })
    }
}

impl Step {
    /// The step's work. That of a routine is what it says, and its operands' bytes.
    pub fn work(&self) -> Work {
        match self {
            Step::Fused(fused) => fused.work(),
            Step::Copy { from, to } => Work { read: bytes(from), written: bytes(to), flops: 0 },
            Step::Matmul(matmul) => {
                let Matmul { a, b, c, output, .. } = &**matmul;
                let inner = a.extents.last().copied().unwrap_or(0) as u64;
                let each = if output.element.is_complex() { 8 } else { 2 };
                Work {
                    read: bytes(a) + bytes(b) + c.as_ref().map_or(0, bytes),
                    written: bytes(output),
                    flops: each * inner * points(&output.extents),
                }
            }
            Step::Scan { input, output, .. } => {
                let flops = if input.element.is_integer() { 0 } else { points(&input.extents) };
                Work { read: bytes(input), written: bytes(output), flops }
            }
            Step::CheckIndices { range, .. } => Work { read: bytes(range), ..Work::default() },
            Step::Library { routine, inputs, outputs, .. } => {
                let signature = |input: &Operand| (input.element, Shape::new(&input.extents).unwrap_or_default());
                Work {
                    read: inputs.iter().map(bytes).sum(),
                    written: outputs.iter().map(bytes).sum(),
                    flops: routine.flops(&inputs.iter().map(signature).collect::<Vec<_>>()),
                }
            }
        }
    }
}

fn points(extents: &[usize]) -> u64 {
    extents.iter().map(|&extent| extent as u64).product()
}

/// Bytes of distinct elements.
fn bytes(operand: &Operand) -> u64 {
    let distinct = operand.extents.iter().zip(&operand.strides).filter(|&(_, &stride)| stride != 0);
    distinct.map(|(&extent, _)| extent as u64).product::<u64>() * operand.element.bytes() as u64
}

impl Fused {
    fn work(&self) -> Work {
        let structure = &self.structure;
        let mut work = Work::default();
        for (access, operand) in structure.accesses.iter().zip(&self.accesses) {
            work.read += if access.is_read { bytes(operand) } else { 0 };
            work.written += if access.is_written { bytes(operand) } else { 0 };
        }
        let rows = points(&self.extents[..structure.parallel]);
        for (index, phase) in structure.phases.iter().enumerate() {
            let times = if phase.is_loop { points(&self.extents) } else { rows };
            let types = structure.types(index).unwrap_or_default();
            let each: u64 =
                phase.code.iter().zip(types).map(|(instruction, element)| flops(instruction, element)).sum();
            let joins = phase.effects.iter().filter(|effect| match **effect {
                Effect::Reduce { slot, .. } => structure.slots[slot].element.is_real(),
                Effect::Store { .. } => false,
            });
            work.flops += times * (each + joins.count() as u64);
        }
        work
    }
}

fn flops(instruction: &Instruction, element: ElementType) -> u64 {
    match instruction {
        Instruction::Fma(..) => 2,
        Instruction::Unary(Unary::Neg | Unary::Abs | Unary::Not, _) => 0,
        Instruction::Binary(Binary::CopySign, ..) => 0,
        Instruction::Unary(..) | Instruction::Binary(..) if element.is_real() => 1,
        Instruction::ComplexReal(..) => 1,
        _ => 0,
    }
}

fn location(operand: &Operand) -> String {
    match operand.buffer {
        Buffer::Leaf(index) => format!("operand {index}"),
        Buffer::Target(index) => format!("target {index}"),
        Buffer::Temporary(index) => format!("temporary {index}"),
        Buffer::Output(index) => format!("array {index}"),
    }
}

fn describe(step: &Step) -> String {
    match step {
        Step::Fused(fused) => {
            let (rows, row) = fused.extents.split_at(fused.structure.parallel);
            match row.is_empty() {
                true => format!("kernel over {rows:?}"),
                false => format!("kernel over rows {rows:?}, each of {row:?}"),
            }
        }
        Step::Copy { from, to } => format!("copy {} to {}", location(from), location(to)),
        Step::Matmul(matmul) => {
            let Matmul { alpha, a, b, beta, c, output } = &**matmul;
            let sign = |is_negative| if is_negative { "-" } else { "" };
            let factor = |has_scalar, name| if has_scalar { name } else { "" };
            let transposed = |operand: &Operand| if operand.is_conjugate { "conj " } else { "" };
            let mut text = format!(
                "{} := {}{}{}{} {}{}",
                location(output),
                sign(alpha.is_negative),
                factor(alpha.scalar.is_some(), "alpha "),
                transposed(a),
                location(a),
                transposed(b),
                location(b)
            );
            if let Some(c) = c {
                let sign = if beta.is_negative { "-" } else { "+" };
                let _ = write!(text, " {sign} {}{}", factor(beta.scalar.is_some(), "beta "), location(c));
            }
            format!("matrix product {:?} by {:?}: {text}", a.extents, b.extents)
        }
        Step::Scan { reduction, axis, input, output } => {
            format!("running {reduction:?} of {} along axis {axis} to {}", location(input), location(output))
        }
        Step::CheckIndices { range, axis, extent } => {
            format!("indices in {} are checked: axis {axis} has {extent} elements", location(range))
        }
        Step::Library { routine, inputs, outputs, .. } => {
            let one = |operand: &Operand| format!("{} ({} {:?})", location(operand), operand.element, operand.extents);
            let list = |operands: &[Operand]| operands.iter().map(one).collect::<Vec<_>>().join(", ");
            format!("{} of {} to {}", routine.name(), list(inputs), list(outputs))
        }
    }
}

fn write_code(text: &mut String, fused: &Fused) {
    for (index, (access, operand)) in fused.structure.accesses.iter().zip(&fused.accesses).enumerate() {
        let use_of = match (access.is_read, access.is_written) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        let (location, class) = (location(operand), access.class);
        let _ = writeln!(text, "   a{index} {use_of} {location}: {}, {class:?}", access.element);
    }
    for phase in &fused.structure.phases {
        let _ = writeln!(text, "   {}", if phase.is_loop { "for each element:" } else { "for each row:" });
        for (register, instruction) in phase.code.iter().enumerate() {
            let _ = writeln!(text, "     r{register} = {instruction:?}");
        }
        for effect in &phase.effects {
            let _ = match *effect {
                Effect::Store { access, value, imaginary: None } => writeln!(text, "     a{access} := r{value}"),
                Effect::Store { access, value, imaginary: Some(imaginary) } => {
                    writeln!(text, "     a{access} := (r{value}, r{imaginary})")
                }
                Effect::Reduce { slot, value } => {
                    writeln!(text, "     slot {slot}: {:?} of r{value}", fused.structure.slots[slot].reduction)
                }
            };
        }
    }
}
