//! Memory of tests, and the execution of plans by the reference.

use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction};
use crate::fused::View;
use crate::node::{ContextId, Node, Storage};
use crate::plan::{Bindings, Buffer, Factor, Matmul, Operand, Plan, Step};
use crate::reference::{self, Memory, points};
use crate::shape::Shape;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Elements as bytes.
pub(super) struct Bytes {
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

pub(super) fn read(element: ElementType, bytes: &[u8], index: usize) -> Number {
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

impl Bytes {
    pub(super) fn of(storage: &Arc<dyn Storage>) -> &Bytes {
        let any: &dyn Any = &**storage;
        any.downcast_ref().expect("memory of tests")
    }

    pub(super) fn element_at(&self, index: usize) -> Number {
        read(self.element, &self.bytes, index)
    }

    pub(super) fn storage(element: ElementType, numbers: &[Number]) -> Arc<dyn Storage> {
        let mut bytes = vec![0; numbers.len() * element.bytes()];
        for (index, &number) in numbers.iter().enumerate() {
            write(&mut bytes, index, number);
        }
        Arc::new(Bytes { element, bytes })
    }
}

/// A row-major array of real numbers.
pub(super) fn array(element: ElementType, extents: &[usize], f: impl Fn(usize) -> f64) -> Node {
    let shape = Shape::new(extents).unwrap();
    let numbers: Vec<Number> = (0..shape.len()).map(|index| Number::of_real(f(index), element)).collect();
    Node::contiguous(Bytes::storage(element, &numbers), shape)
}

/// The elements of each output after the plan has run, in row-major order.
pub(super) fn execute(plan: &Plan, bindings: &Bindings) -> Result<Vec<Vec<Number>>, String> {
    let mut machine = Machine::new(plan, bindings);
    for step in &plan.steps {
        machine.run(step)?;
    }
    let results = plan.outputs.iter().map(|output| machine.read_all(&output.result));
    Ok(results.collect())
}

/// The memory of an evaluation, by its identity.
struct Machine<'a> {
    plan: &'a Plan,
    bindings: &'a Bindings,
    memory: HashMap<(u8, usize), Vec<u8>>,
}

impl<'a> Machine<'a> {
    fn new(plan: &'a Plan, bindings: &'a Bindings) -> Self {
        let mut memory = HashMap::new();
        for leaf in bindings.leaves.iter().chain(&bindings.targets) {
            memory.insert((0, leaf.id()), Bytes::of(&leaf.storage).bytes.clone());
        }
        // Memory holds anything before it is written.
        for (index, temporary) in plan.temporaries.iter().enumerate() {
            memory.insert((1, index), vec![0xA5; temporary.len * temporary.element.bytes()]);
        }
        for (index, output) in plan.outputs.iter().enumerate() {
            memory.insert((2, index), vec![0x5A; output.shape.len() * output.element.bytes()]);
        }
        Machine { plan, bindings, memory }
    }

    fn key(&self, buffer: Buffer) -> (u8, usize) {
        match buffer {
            Buffer::Leaf(leaf) => (0, self.bindings.leaves[leaf].id()),
            Buffer::Target(target) => (0, self.bindings.targets[target].id()),
            Buffer::Temporary(temporary) => (1, temporary),
            // Its memory is that of the leaf, which a temporary may have taken over before.
            Buffer::Output(output) => match self.plan.outputs[output].in_place {
                Some(leaf) => (0, self.bindings.leaves[leaf].id()),
                None => (2, output),
            },
        }
    }

    fn read_all(&self, operand: &Operand) -> Vec<Number> {
        let bytes = &self.memory[&self.key(operand.buffer)];
        let view = operand.view(self.bindings);
        let conj = |number| match number {
            Number::Complex(x, y) if operand.is_conjugate => {
                Number::Complex(x, real(multiply(Number::of_real(-1.0, y.element_type()), Number::Real(y))))
            }
            number => number,
        };
        points(&operand.extents).map(|point| conj(read(operand.element, bytes, at(&view, &point)))).collect()
    }

    fn write_all(&mut self, operand: &Operand, numbers: &[Number]) {
        let view = operand.view(self.bindings);
        let key = self.key(operand.buffer);
        let bytes = self.memory.get_mut(&key).unwrap();
        for (point, &number) in points(&operand.extents).zip(numbers) {
            write(bytes, at(&view, &point), number);
        }
    }

    fn run(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Fused(fused) => {
                assert_eq!(fused.structure.check(), Ok(()));
                let arguments = fused.arguments(self.bindings);
                let mut copies: Vec<Vec<u8>> =
                    fused.accesses.iter().map(|access| self.memory[&self.key(access.buffer)].clone()).collect();
                let mut memory: Vec<Memory<'_>> = copies.iter_mut().map(|bytes| Memory::Write(bytes)).collect();
                reference::run(&fused.structure, &arguments, &mut memory)
                    .map_err(|error| format!("{error}\n{}", self.plan.explain()))?;
                for (index, access) in fused.structure.accesses.iter().enumerate() {
                    if access.is_written {
                        self.store(
                            &fused.accesses[index],
                            &arguments.views[index],
                            &copies[index],
                            fused.structure.parallel,
                        );
                    }
                }
            }
            Step::Copy { from, to } => {
                let numbers = self.read_all(from);
                self.write_all(to, &numbers);
            }
            Step::Matmul(matmul) => self.matmul(matmul),
            Step::Scan { reduction, axis, input, output } => self.scan(*reduction, *axis, input, output),
            Step::CheckIndices { range, extent, .. } => {
                for number in self.read_all(range) {
                    let Number::Real(Value::I64(index)) = number else { panic!() };
                    if index < -(*extent as i64) || index >= *extent as i64 {
                        return Err(format!("index {index} of {extent}"));
                    }
                }
            }
            Step::Library { inputs, outputs, .. } => {
                for output in outputs {
                    let numbers = self.read_all(&inputs[0]);
                    self.write_all(output, &numbers);
                }
            }
        }
        Ok(())
    }

    /// Moves the elements that a kernel has written. Several accesses can write parts of one buffer.
    fn store(&mut self, operand: &Operand, view: &View, copy: &[u8], _: usize) {
        let key = self.key(operand.buffer);
        let bytes = self.memory.get_mut(&key).unwrap();
        for point in points(&operand.extents) {
            let index = at(view, &point);
            write(bytes, index, read(operand.element, copy, index));
        }
    }

    fn matmul(&mut self, matmul: &Matmul) {
        let Matmul { alpha, a, b, beta, c, output } = matmul;
        let (x, y) = (self.read_all(a), self.read_all(b));
        let c = c.as_ref().map(|c| self.read_all(c));
        let rank = output.extents.len();
        let [m, n] = [output.extents[rank - 2], output.extents[rank - 1]];
        let k = a.extents[rank - 1];
        let factor = |factor: &Factor, number: Number| {
            let scaled = match &factor.scalar {
                Some((re, im)) => {
                    let re = re.value(self.bindings);
                    let scalar =
                        im.as_ref().map_or(Number::Real(re), |im| Number::Complex(re, im.value(self.bindings)));
                    multiply(scalar, number)
                }
                None => number,
            };
            if factor.is_negative { multiply(Number::of_real(-1.0, output.element.part()), scaled) } else { scaled }
        };
        let mut results = Vec::new();
        for (index, point) in points(&output.extents).enumerate() {
            let batch = index / (m * n);
            let (i, j) = (point[rank - 2], point[rank - 1]);
            let products = (0..k).map(|l| multiply(x[(batch * m + i) * k + l], y[(batch * k + l) * n + j]));
            let sum = products.reduce(add).unwrap_or(Number::of_real(0.0, output.element));
            let product = factor(alpha, sum);
            results.push(c.as_ref().map_or(product, |c| add(product, factor(beta, c[index]))));
        }
        self.write_all(output, &results);
    }

    fn scan(&mut self, reduction: Reduction, axis: usize, input: &Operand, output: &Operand) {
        let mut numbers = self.read_all(input);
        let inner: usize = input.extents[axis + 1..].iter().product();
        let join = if reduction == Reduction::Sum { add } else { multiply };
        for (index, point) in points(&input.extents).enumerate() {
            if point[axis] > 0 {
                numbers[index] = join(numbers[index - inner], numbers[index]);
            }
        }
        self.write_all(output, &numbers);
    }
}

fn at(view: &View, point: &[usize]) -> usize {
    let along: i64 = view.strides.iter().zip(point).map(|(&stride, &i)| stride * i as i64).sum();
    (view.offset as i64 + along) as usize
}

fn real(number: Number) -> Value {
    match number {
        Number::Real(value) | Number::Complex(value, _) => value,
    }
}

fn apply(function: Binary, x: Value, y: Value) -> Value {
    reference::evaluate_one(&crate::fused::Instruction::Binary(function, 0, 1), &[x, y]).unwrap()
}

fn add(x: Number, y: Number) -> Number {
    match (x, y) {
        (Number::Complex(a, b), Number::Complex(c, d)) => {
            Number::Complex(apply(Binary::Add, a, c), apply(Binary::Add, b, d))
        }
        _ => Number::Real(apply(Binary::Add, real(x), real(y))),
    }
}

fn multiply(x: Number, y: Number) -> Number {
    let mul = |a, b| apply(Binary::Mul, a, b);
    match (x, y) {
        (Number::Real(a), Number::Real(b)) => Number::Real(mul(a, b)),
        (Number::Real(r), Number::Complex(c, d)) | (Number::Complex(c, d), Number::Real(r)) => {
            Number::Complex(mul(r, c), mul(r, d))
        }
        (Number::Complex(a, b), Number::Complex(c, d)) => {
            Number::Complex(apply(Binary::Sub, mul(a, c), mul(b, d)), apply(Binary::Add, mul(a, d), mul(b, c)))
        }
    }
}
