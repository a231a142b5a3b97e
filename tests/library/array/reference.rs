//! Plans executed by the crate's reference, one element and one instruction at a time.

use affinimath_array::element::{HostSlice, Number, Value};
use affinimath_array::function::{Binary, Reduction};
use affinimath_array::fused::View;
use affinimath_array::node::{ContextId, Leaf, Storage};
use affinimath_array::plan::{Bindings, Buffer, Fused, Limits, Operand, Output, Plan, Step};
use affinimath_array::reference::{self, Memory, points};
use affinimath_array::scan::CHUNK;
use affinimath_array::{Element, ElementType, Expr, Node};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Elements as bytes.
struct Bytes {
    element: ElementType,
    bytes: Vec<u8>,
}

impl Storage for Bytes {
    fn element(&self) -> ElementType {
        self.element
    }

    fn len(&self) -> usize {
        self.bytes.len() / self.element.bytes()
    }

    fn context(&self) -> Option<ContextId> {
        None
    }
}

/// Memory of the reference.
pub fn storage(element: ElementType, numbers: &[Number]) -> Arc<dyn Storage> {
    let mut bytes = vec![0; numbers.len() * element.bytes()];
    for (index, &number) in numbers.iter().enumerate() {
        write(&mut bytes, index, number);
    }
    Arc::new(Bytes { element, bytes })
}

/// Calls `$of::<T>` with the Rust type of the elements.
macro_rules! with_type {
    ($element:expr, $t:ident => $value:expr) => {{
        macro_rules! typed {
            ($type:ty) => {{
                type $t = $type;
                $value
            }};
        }
        match $element {
            ElementType::Bool => typed!(bool),
            ElementType::U8 => typed!(u8),
            ElementType::I32 => typed!(i32),
            ElementType::U32 => typed!(u32),
            ElementType::I64 => typed!(i64),
            ElementType::F32 => typed!(f32),
            ElementType::F64 => typed!(f64),
            ElementType::C32 => typed!(affinimath::Complex32),
            ElementType::C64 => typed!(affinimath::Complex64),
        }
    }};
}

/// Calls a function with the numbers as a slice of their type.
pub fn with_slice<R>(element: ElementType, numbers: &[Number], call: impl FnOnce(HostSlice<'_>) -> R) -> R {
    with_type!(element, T => {
        let elements: Vec<T> = numbers.iter().map(|&number| T::from_number(number).unwrap()).collect();
        call(T::host(&elements))
    })
}

/// The elements of an evaluated expression.
pub fn numbers(node: Node) -> affinimath::Result<Vec<Number>> {
    with_type!(node.element(), T => Ok(Expr::<T>::from_node(node).to_vec()?.into_iter().map(T::number).collect()))
}

fn read(element: ElementType, bytes: &[u8], index: usize) -> Number {
    let part = element.part();
    let at = |first: usize| reference::read(part, &bytes[first..]).unwrap();
    let first = index * element.bytes();
    match element.is_complex() {
        true => Number::Complex(at(first), at(first + part.bytes())),
        false => Number::Real(at(first)),
    }
}

fn write(bytes: &mut [u8], index: usize, number: Number) {
    let first = index * number.element_type().bytes();
    match number {
        Number::Real(x) => reference::write(x, &mut bytes[first..]),
        Number::Complex(x, y) => {
            reference::write(x, &mut bytes[first..]);
            reference::write(y, &mut bytes[first + x.element_type().bytes()..]);
        }
    }
}

/// The elements of the expressions, which are evaluated together by the plan of fused kernels.
pub fn evaluate(nodes: &[Node]) -> Vec<Vec<Number>> {
    let outputs: Vec<_> = nodes.iter().map(|node| Output { node: node.clone(), target: None }).collect();
    let (plan, bindings) = Plan::new(&outputs, &Limits::default()).unwrap();
    let mut machine = Machine::new(&plan, &bindings);
    for step in &plan.steps {
        machine.step(step);
    }
    plan.outputs.iter().map(|output| machine.elements(&output.result)).collect()
}

/// The memory of an evaluation.
struct Machine<'a> {
    bindings: &'a Bindings,
    memory: HashMap<Buffer, Vec<u8>>,
}

impl<'a> Machine<'a> {
    fn new(plan: &Plan, bindings: &'a Bindings) -> Self {
        let of_leaf = |leaf: &Leaf| {
            let any: &dyn Any = &*leaf.storage;
            any.downcast_ref::<Bytes>().expect("memory of the reference").bytes.clone()
        };
        let leaves = bindings.leaves.iter().enumerate().map(|(index, leaf)| (Buffer::Leaf(index), of_leaf(leaf)));
        // Memory holds anything before it is written.
        let temporaries = plan.temporaries.iter().enumerate().map(|(index, temporary)| {
            (Buffer::Temporary(index), vec![0xA5; temporary.len * temporary.element.bytes()])
        });
        let outputs =
            plan.outputs.iter().enumerate().map(|(index, output)| {
                (Buffer::Output(index), vec![0x5A; output.shape.len() * output.element.bytes()])
            });
        Machine { bindings, memory: leaves.chain(temporaries).chain(outputs).collect() }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Fused(fused) => self.fused(fused),
            Step::Copy { from, to } => {
                let elements = self.elements(from);
                self.store(to, &elements);
            }
            Step::Scan { reduction, axis, input, output } => {
                let mut elements = self.elements(input);
                scan(*reduction, &input.extents, *axis, &mut elements);
                self.store(output, &elements);
            }
            Step::CheckIndices { .. } => {}
            Step::Matmul(_) | Step::Library { .. } => panic!("no routine has the same bits everywhere"),
        }
    }

    fn fused(&mut self, fused: &Fused) {
        let arguments = fused.arguments(self.bindings);
        // Accesses may be parts of one buffer: each gets a copy of it.
        let mut copies: Vec<Vec<u8>> =
            fused.accesses.iter().map(|access| self.memory[&access.buffer].clone()).collect();
        let mut memory: Vec<Memory<'_>> = copies.iter_mut().map(|bytes| Memory::Write(bytes)).collect();
        reference::run(&fused.structure, &arguments, &mut memory).unwrap();
        for (index, access) in fused.structure.accesses.iter().enumerate().filter(|(_, access)| access.is_written) {
            let view = &arguments.views[index];
            let bytes = self.memory.get_mut(&fused.accesses[index].buffer).unwrap();
            for point in points(&view.extents) {
                let at = at(view, &point);
                write(bytes, at, read(access.element, &copies[index], at));
            }
        }
    }

    fn elements(&self, operand: &Operand) -> Vec<Number> {
        let (view, bytes) = (operand.view(self.bindings), &self.memory[&operand.buffer]);
        points(&operand.extents).map(|point| read(operand.element, bytes, at(&view, &point))).collect()
    }

    fn store(&mut self, operand: &Operand, elements: &[Number]) {
        let view = operand.view(self.bindings);
        let bytes = self.memory.get_mut(&operand.buffer).unwrap();
        for (point, &number) in points(&operand.extents).zip(elements) {
            write(bytes, at(&view, &point), number);
        }
    }
}

fn at(view: &View, point: &[usize]) -> usize {
    let along: i64 = view.strides.iter().zip(point).map(|(&stride, &i)| stride * i as i64).sum();
    (view.offset as i64 + along) as usize
}

/// Scans each pencil of a row-major array.
fn scan(reduction: Reduction, extents: &[usize], axis: usize, elements: &mut [Number]) {
    let function = if reduction == Reduction::Sum { Binary::Add } else { Binary::Mul };
    let (length, inner) = (extents[axis], extents[axis + 1..].iter().product::<usize>());
    for first in (0..elements.len()).filter(|index| index / inner % length == 0) {
        let mut pencil: Vec<Number> = (0..length).map(|j| elements[first + j * inner]).collect();
        scan_pencil(function, &mut pencil);
        for (j, number) in pencil.into_iter().enumerate() {
            elements[first + j * inner] = number;
        }
    }
}

/// Chunks are scanned, then their totals, which the chunks behind them join.
fn scan_pencil(function: Binary, pencil: &mut [Number]) {
    for chunk in pencil.chunks_mut(CHUNK) {
        for j in 1..chunk.len() {
            chunk[j] = join(function, chunk[j - 1], chunk[j]);
        }
    }
    if pencil.len() > CHUNK {
        let mut totals: Vec<Number> = pencil.chunks(CHUNK).map(|chunk| chunk[chunk.len() - 1]).collect();
        scan_pencil(function, &mut totals);
        for (chunk, &before) in pencil.chunks_mut(CHUNK).skip(1).zip(&totals) {
            chunk.iter_mut().for_each(|number| *number = join(function, before, *number));
        }
    }
}

fn join(function: Binary, x: Number, y: Number) -> Number {
    let apply = |x: Value, y: Value| reference::binary(function, x, y).unwrap();
    match (x, y) {
        (Number::Real(x), Number::Real(y)) => Number::Real(apply(x, y)),
        (Number::Complex(a, b), Number::Complex(c, d)) if function == Binary::Add => {
            Number::Complex(apply(a, c), apply(b, d))
        }
        _ => panic!("no scan of {x:?} and {y:?} has the same bits everywhere"),
    }
}
