//! Kernels from groups of roots: axes are collapsed, then phases are written.

use super::code::{Code, Parts};
use super::graph::{Graph, Id, TermOp};
use super::kernel::{Contents, Group, Key, RawAccess, Scope, affine, is_row_major, row_major};
use super::{Fused, Operand, ScalarSource, complex};
use crate::element::{ElementType, Value};
use crate::function::Binary;
use crate::fused::{Access, AccessClass, Effect, Instruction, Phase, Register, Slot, Structure};
use crate::node::Op;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn build(scope: Scope<'_>, group: &Group) -> Fused {
    let contents = Contents::of(scope, group);
    let axes = Axes::collapse(&contents, group);
    let mut writer = Writer {
        contents,
        group,
        axes,
        scalars: Vec::new(),
        memo: HashMap::new(),
        code: Code::default(),
        slots: Vec::new(),
    };
    let phases = writer.phases();
    writer.finish(phases)
}

/// The kernel's axes after collapsing: each is one or several of the group's, the last of which runs fastest.
struct Axes {
    /// The last axis of each.
    last: Vec<usize>,
    extents: Vec<usize>,
    parallel: usize,
}

impl Axes {
    fn collapse(contents: &Contents<'_>, group: &Group) -> Axes {
        let domain = &group.domain;
        let mut order: Vec<usize> = (0..domain.extents.len()).collect();
        let root = &group.roots[0];
        let (_, written) = affine(&root.map, &root.target.strides, order.len());
        // The axis with the least stride of the first result runs fastest.
        order[..domain.parallel].sort_by_key(|&axis| std::cmp::Reverse(written[axis].unsigned_abs()));
        let mut axes = Axes { last: Vec::new(), extents: Vec::new(), parallel: 0 };
        for (position, &axis) in order.iter().enumerate() {
            let extent = domain.extents[axis];
            let follows =
                |outer: usize| contents.vectors.iter().all(|strides| strides[outer] == strides[axis] * extent as i64);
            match axes.last.last_mut() {
                Some(outer) if position != domain.parallel && follows(*outer) => {
                    *outer = axis;
                    if let Some(product) = axes.extents.last_mut() {
                        *product *= extent;
                    }
                }
                _ => {
                    axes.last.push(axis);
                    axes.extents.push(extent);
                }
            }
            if position < domain.parallel {
                axes.parallel = axes.last.len();
            }
        }
        axes
    }

    fn strides(&self, strides: &[i64]) -> Vec<i64> {
        self.last.iter().map(|&axis| strides[axis]).collect()
    }
}

struct Writer<'a> {
    contents: Contents<'a>,
    group: &'a Group,
    axes: Axes,
    scalars: Vec<(ElementType, ScalarSource)>,
    memo: HashMap<Key, Parts>,
    code: Code,
    slots: Vec<Slot>,
}

impl Writer<'_> {
    fn phases(&mut self) -> Vec<Phase> {
        self.contents.slots.sort_by_key(|slot| slot.level);
        let keys: Vec<Key> =
            self.group.roots.iter().map(|root| (root.term, self.contents.map_id(root.map.clone()))).collect();
        let parallel = self.group.domain.parallel;
        let is_reducing = self.group.domain.is_reducing();
        let is_row = |root: usize| {
            is_reducing && self.group.roots[root].map.iter().all(|along| along.axis.is_none_or(|axis| axis < parallel))
        };
        let (rows, elements): (Vec<usize>, Vec<usize>) = (0..keys.len()).partition(|&root| is_row(root));
        let levels = self.contents.slots.iter().map(|slot| slot.level);
        let loops = levels.chain(elements.iter().map(|&root| self.contents.level(keys[root]))).max();
        let mut phases = Vec::new();
        for level in 0..=loops.unwrap_or(0) {
            let mut effects = self.reductions(level);
            for &root in &elements {
                if self.contents.level(keys[root]) == level {
                    effects.push(self.store(root, keys[root]));
                }
            }
            phases.push(self.phase(true, effects));
        }
        if !rows.is_empty() {
            let effects = rows.into_iter().map(|root| self.store(root, keys[root])).collect();
            phases.push(self.phase(false, effects));
        }
        phases
    }

    fn reductions(&mut self, level: usize) -> Vec<Effect> {
        let mut effects = Vec::new();
        for index in 0..self.contents.slots.len() {
            if self.contents.slots[index].level != level {
                continue;
            }
            let key = self.contents.slots[index].key;
            let TermOp::Op(Op::Reduce { reduction, .. }) = self.contents.scope.graph.terms[key.0].op else { continue };
            let operand = self.contents.operands(key)[0];
            let parts = self.emit(operand);
            let slot = self.slot_index(index);
            effects.push(Effect::Reduce { slot, value: parts.re });
            if let Some(value) = parts.im {
                effects.push(Effect::Reduce { slot: slot + 1, value });
            }
            let element = self.code.types[parts.re];
            for _ in 0..1 + usize::from(parts.im.is_some()) {
                self.slots.push(Slot { reduction, element });
            }
        }
        effects
    }

    /// The first slot of a reduction; complex ones have two.
    fn slot_index(&self, index: usize) -> usize {
        let terms = &self.contents.scope.graph.terms;
        let before = self.contents.slots[..index].iter();
        before.map(|slot| 1 + usize::from(terms[slot.key.0].element.is_complex())).sum()
    }

    fn store(&mut self, root: usize, key: Key) -> Effect {
        let parts = self.emit(key);
        let root = &self.group.roots[root];
        let access = self.contents.access(root.term, &root.map, &root.target);
        Effect::Store { access, value: parts.re, imaginary: parts.im }
    }

    fn phase(&mut self, is_loop: bool, mut effects: Vec<Effect>) -> Phase {
        let code = std::mem::take(&mut self.code);
        self.memo.clear();
        let mut registers: Vec<&mut Register> = Vec::new();
        for effect in &mut effects {
            match effect {
                Effect::Store { value, imaginary, .. } => {
                    registers.push(value);
                    registers.extend(imaginary.as_mut());
                }
                Effect::Reduce { value, .. } => registers.push(value),
            }
        }
        Phase { is_loop, code: code.keep(&mut registers), effects }
    }

    fn emit(&mut self, key: Key) -> Parts {
        if let Some(&parts) = self.memo.get(&key) {
            return parts;
        }
        let graph = self.contents.scope.graph;
        let term = &graph.terms[key.0];
        let parts = match &term.op {
            &TermOp::Constant(number) => complex::constant(&mut self.code, number),
            _ if term.is_scalar => self.scalar(key),
            _ if self.contents.is_load(key) => self.load(key),
            TermOp::Op(Op::Iota) => {
                let (offset, strides) =
                    affine(self.contents.map(key.1), &row_major(&term.shape), self.group.domain.extents.len());
                Parts::real(self.affine(offset, &strides))
            }
            TermOp::Op(Op::Reduce { .. }) => self.slot(key),
            &TermOp::Op(Op::Gather { axis }) => self.gather(key, axis),
            _ => {
                let operands = self.contents.operands(key);
                let args: Vec<Parts> = operands.into_iter().map(|operand| self.emit(operand)).collect();
                complex::elementwise(&mut self.code, term, &args)
            }
        };
        self.memo.insert(key, parts);
        parts
    }

    fn load(&mut self, key: Key) -> Parts {
        let element = self.contents.scope.graph.terms[key.0].element;
        let map = self.contents.map(key.1).clone();
        let Some(location) = self.contents.scope.locations[key.0].clone() else {
            unreachable!("terms are materialised before the kernels that load them");
        };
        let access = self.contents.access(key.0, &map, &location);
        let re = self.code.push(Instruction::Load(access), element.part());
        match element.is_complex() {
            true => Parts::complex(re, self.code.push(Instruction::LoadImaginary(access), element.part())),
            false => Parts::real(re),
        }
    }

    fn slot(&mut self, key: Key) -> Parts {
        let graph = self.contents.scope.graph;
        let element = graph.terms[key.0].element;
        let index = self.contents.slots.iter().position(|slot| slot.key == key).unwrap_or(0);
        let slot = self.slot_index(index);
        let re = self.code.push(Instruction::Slot(slot), element.part());
        match element.is_complex() {
            true => Parts::complex(re, self.code.push(Instruction::Slot(slot + 1), element.part())),
            false => Parts::real(re),
        }
    }

    fn gather(&mut self, key: Key, axis: usize) -> Parts {
        let graph = self.contents.scope.graph;
        let source = graph.terms[key.0].args[0];
        let index = self.contents.operands(key)[0];
        let index = self.emit(index).re;
        // Negative indices count from the end.
        let zero = self.code.constant(Value::I64(0));
        let extent = self.number(graph.terms[source].shape[axis] as i64);
        let is_negative = self.code.binary(Binary::Lt, index, zero);
        let from_end = self.code.binary(Binary::Add, index, extent);
        let index = self.code.select(is_negative, from_end, index);
        let mut indices = Vec::new();
        for along in self.contents.gather_axes(key, axis) {
            indices.push(match along {
                None => index,
                Some(along) => {
                    let (offset, strides) = affine(&[along], &[1], self.group.domain.extents.len());
                    self.affine(offset, &strides)
                }
            });
        }
        let Some(access) = self.contents.gathered(source) else {
            unreachable!("the source of a gather is materialised before");
        };
        let access = self.contents.add(access);
        let element = graph.terms[key.0].element;
        let load = |imaginary| Instruction::LoadAt { access, indices: indices.clone(), imaginary };
        let re = self.code.push(load(false), element.part());
        match element.is_complex() {
            true => Parts::complex(re, self.code.push(load(true), element.part())),
            false => Parts::real(re),
        }
    }

    /// The number `offset + sum_k i_k strides_k`.
    fn affine(&mut self, offset: i64, strides: &[i64]) -> Register {
        let mut sum = if offset == 0 { None } else { Some(self.number(offset)) };
        for (axis, stride) in self.axes.strides(strides).into_iter().enumerate() {
            if stride == 0 {
                continue;
            }
            let mut term = self.code.push(Instruction::Coordinate(axis), ElementType::I64);
            if stride != 1 {
                let stride = self.number(stride);
                term = self.code.binary(Binary::Mul, term, stride);
            }
            sum = Some(sum.map_or(term, |sum| self.code.binary(Binary::Add, sum, term)));
        }
        sum.unwrap_or_else(|| self.code.constant(Value::I64(0)))
    }

    /// A number that depends on shapes: an argument, so that the code does not.
    fn number(&mut self, number: i64) -> Register {
        self.argument(ElementType::I64, ScalarSource::Value(Value::I64(number)))
    }

    fn argument(&mut self, element: ElementType, source: ScalarSource) -> Register {
        let index = self.scalars.iter().position(|(_, other)| *other == source).unwrap_or(self.scalars.len());
        if index == self.scalars.len() {
            self.scalars.push((element, source));
        }
        self.code.push(Instruction::Scalar(index), element)
    }

    fn scalar(&mut self, key: Key) -> Parts {
        let (re, im) = scalar_sources(self.contents.scope.graph, key.0);
        let element = self.contents.scope.graph.terms[key.0].element.part();
        let re = self.argument(element, re);
        Parts { re, im: im.map(|im| self.argument(element, im)) }
    }

    fn finish(self, mut phases: Vec<Phase>) -> Fused {
        let domain = &self.group.domain;
        let count = self.contents.accesses.len();
        let (mut is_read, mut is_written) = (vec![false; count], vec![false; count]);
        for phase in &phases {
            for instruction in &phase.code {
                if let Some(access) = crate::check::loaded(instruction) {
                    is_read[access] = true;
                }
            }
            for effect in &phase.effects {
                if let &Effect::Store { access, .. } = effect {
                    is_written[access] = true;
                }
            }
        }
        let mut new = vec![0; count];
        let (mut accesses, mut operands) = (Vec::new(), Vec::new());
        let (extents, parallel) = match self.axes.extents.is_empty() {
            true => (vec![1], 1),
            false => (self.axes.extents.clone(), self.axes.parallel),
        };
        for (index, raw) in self.contents.accesses.iter().enumerate() {
            if is_read[index] || is_written[index] {
                new[index] = accesses.len();
                let operand = operand(raw, &self.axes, &extents);
                let class = match raw.indexed {
                    Some(_) => AccessClass::Indexed,
                    None => class(&operand.strides, &extents),
                };
                let (is_read, is_written) = (is_read[index], is_written[index]);
                accesses.push(Access { element: raw.element, class, is_read, is_written });
                operands.push(operand);
            }
        }
        for phase in &mut phases {
            phase.code.iter_mut().for_each(|instruction| renumber(instruction, &new));
            for effect in &mut phase.effects {
                if let Effect::Store { access, .. } = effect {
                    *access = new[*access];
                }
            }
        }
        let scalars = renumber_scalars(&mut phases, self.scalars);
        let structure = Structure {
            rank: extents.len(),
            parallel,
            accesses,
            scalars: scalars.iter().map(|&(element, _)| element).collect(),
            phases,
            slots: self.slots,
            order: domain.order,
        };
        debug_assert_eq!(structure.check(), Ok(()), "{structure:#?}");
        let key = crate::key::structure_key(&structure);
        let scalars = scalars.into_iter().map(|(_, source)| source).collect();
        Fused { structure: Arc::new(structure), key, extents, accesses: operands, scalars }
    }
}

fn operand(raw: &RawAccess, axes: &Axes, extents: &[usize]) -> Operand {
    let (extents, strides) = match &raw.indexed {
        Some(own) => (own.clone(), raw.strides.clone()),
        None if axes.extents.is_empty() => (vec![1], vec![0]),
        None => (extents.to_vec(), axes.strides(&raw.strides)),
    };
    Operand { buffer: raw.buffer, element: raw.element, offset: raw.offset, extents, strides, is_conjugate: false }
}

fn class(strides: &[i64], extents: &[usize]) -> AccessClass {
    let last = strides.len() - 1;
    match strides[last] {
        _ if extents == [1] => AccessClass::Contiguous,
        _ if is_row_major(strides, extents) => AccessClass::Contiguous,
        _ if strides.iter().all(|&stride| stride == 0) => AccessClass::Uniform,
        1 => AccessClass::InnerContiguous,
        0 => AccessClass::InnerUniform,
        _ => AccessClass::Strided,
    }
}

fn renumber(instruction: &mut Instruction, new: &[usize]) {
    match instruction {
        Instruction::Load(access) | Instruction::LoadImaginary(access) | Instruction::LoadAt { access, .. } => {
            *access = new[*access];
        }
        _ => {}
    }
}

/// Keeps the scalars that the code uses, in the order in which it does.
fn renumber_scalars(
    phases: &mut [Phase],
    scalars: Vec<(ElementType, ScalarSource)>,
) -> Vec<(ElementType, ScalarSource)> {
    let mut new: Vec<Option<usize>> = vec![None; scalars.len()];
    let mut used_scalars = Vec::new();
    for instruction in phases.iter_mut().flat_map(|phase| &mut phase.code) {
        if let Instruction::Scalar(index) = instruction {
            let position = *new[*index].get_or_insert_with(|| {
                used_scalars.push(scalars[*index].clone());
                used_scalars.len() - 1
            });
            *index = position;
        }
    }
    used_scalars
}

/// The code of a scalar term's parts.
pub(super) fn scalar_sources(graph: &Graph, id: Id) -> (ScalarSource, Option<ScalarSource>) {
    let mut needed = vec![id];
    let mut next = 0;
    while let Some(&id) = needed.get(next) {
        needed.extend(&graph.terms[id].args);
        // Shared operands are needed once: the list stays as long as the graph.
        needed[next + 1..].sort_unstable_by(|a, b| b.cmp(a));
        needed.dedup();
        next += 1;
    }
    let source = |select: fn(Parts) -> Option<Register>| {
        let mut code = Code::default();
        let mut parts: HashMap<Id, Parts> = HashMap::new();
        for &id in needed.iter().rev() {
            let term = &graph.terms[id];
            let args: Vec<Parts> = term.args.iter().map(|arg| parts[arg]).collect();
            let value = match term.op {
                TermOp::Scalar(index) => scalar_parts(&mut code, term.element, index),
                _ => complex::elementwise(&mut code, term, &args),
            };
            parts.insert(id, value);
        }
        let mut register = select(parts[&id])?;
        Some(ScalarSource::Code(code.keep(&mut [&mut register])))
    };
    let re = source(|parts| Some(parts.re)).unwrap_or(ScalarSource::Code(Vec::new()));
    (re, source(|parts| parts.im))
}

fn scalar_parts(code: &mut Code, element: ElementType, index: usize) -> Parts {
    let re = code.push(Instruction::Scalar(2 * index), element.part());
    match element.is_complex() {
        true => Parts::complex(re, code.push(Instruction::Scalar(2 * index + 1), element.part())),
        false => Parts::real(re),
    }
}
