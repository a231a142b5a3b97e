//! Nodes of a pass as a program.

use std::collections::HashMap;

use pulp::Arch;

use super::code::{Instruction, Output, Program, Reduced, Slot};
use super::fuse::{Chains, chains, link};
use super::loops::{self, Micro};
use super::lower::{Access, Lowering};
use super::nodes::{Level, NodeId, Nodes, Op};
use crate::definition::Type;

/// Slots from here on are registers before they are assigned; in a program they come last.
const REGISTERS: Slot = 1 << 24;
/// Slots from here on are uniform values spread over a strip.
const SPREADS: Slot = 1 << 23;

/// The memory that a pass is compiled for.
pub(super) struct Target<'a> {
    pub(super) arch: Arch,
    /// Points of a row lie side by side in memory.
    pub(super) is_contiguous: &'a dyn Fn(&Access) -> bool,
    /// Results go past the caches.
    pub(super) is_streamed: bool,
}

struct Compiler<'a> {
    nodes: &'a Nodes,
    target: &'a Target<'a>,
    program: Program,
    chains: Chains,
    uses: Vec<usize>,
    /// The slot of each value.
    slots: Vec<Option<Slot>>,
    spreads: HashMap<NodeId, Slot>,
    registers: Slot,
    /// Values that a chain stores where they belong, by value.
    stored: HashMap<NodeId, usize>,
}

/// The program of a pass. Stores come last: what they change is read before.
pub(super) fn compile(
    lowering: Lowering<'_>,
    outputs: &[Output],
    reduced: Vec<Reduced>,
    target: &Target<'_>,
) -> Program {
    let Lowering { nodes, accesses, .. } = lowering;
    let nodes = &nodes;
    let uses = uses(nodes, outputs);
    let chains = chains(nodes, &uses);
    let program = Program { accesses, reduced, ..Program::default() };
    let mut compiler = Compiler {
        nodes,
        target,
        program,
        chains,
        uses,
        slots: vec![None; nodes.len()],
        spreads: HashMap::new(),
        registers: REGISTERS,
        stored: HashMap::new(),
    };
    compiler.store_in_place(outputs);
    compiler.overwritten(outputs);
    for node in 0..nodes.len() as NodeId {
        if compiler.uses[node as usize] > 0 && compiler.slots[node as usize].is_none() {
            compiler.node(node);
        }
    }
    compiler.outputs(outputs);
    compiler.finish()
}

/// How often each node is an operand or a result.
fn uses(nodes: &Nodes, outputs: &[Output]) -> Vec<usize> {
    let mut uses = vec![0; nodes.len()];
    for output in outputs {
        match output {
            Output::Store { value, .. } | Output::Check(value) | Output::Reduce { value, .. } => {
                uses[*value as usize] += 1
            }
        }
    }
    for node in (0..nodes.len() as NodeId).rev() {
        if uses[node as usize] > 0 {
            match nodes.op(node) {
                // A square has one operand.
                Op::Arithmetic(super::nodes::Arithmetic::Multiply, a, b) if a == b => uses[*a as usize] += 1,
                op => op.for_each_operand(|operand| uses[operand as usize] += 1),
            }
        }
    }
    uses
}

impl Compiler<'_> {
    /// Chains whose result goes to memory alone, or is read from there again.
    fn store_in_place(&mut self, outputs: &[Output]) {
        for output in outputs {
            if let Output::Store { access, value } = *output
                && self.chains.continuations[value as usize].is_some()
                && (self.target.is_contiguous)(&self.program.accesses[access])
            {
                self.stored.entry(value).or_insert(access);
            }
        }
    }

    /// Copies of what is read from memory that this pass changes.
    fn overwritten(&mut self, outputs: &[Output]) {
        let changed: Vec<Access> = outputs
            .iter()
            .filter_map(|output| match output {
                Output::Store { access, .. } => Some(self.program.accesses[*access]),
                _ => None,
            })
            .collect();
        let same = |a: &Access, b: &Access| (a.grid, a.component, a.time) == (b.grid, b.component, b.time);
        for node in 0..self.nodes.len() as NodeId {
            if let Op::Load(access) = *self.nodes.op(node)
                && self.uses[node as usize] > 0
                && self.nodes.level(node) == Level::Strip
                && changed.iter().any(|other| same(other, &self.program.accesses[access]))
            {
                let kind = self.nodes.kind(node);
                let to = self.register();
                if (self.target.is_contiguous)(&self.program.accesses[access]) {
                    let from = self.in_place(access);
                    let entry = loops::copy(self.target.arch, kind);
                    self.emit(Level::Strip, Instruction::Map { entry, from: [from; 3], operands: 1, to });
                } else {
                    self.emit(Level::Strip, Instruction::Gather { access, bytes: kind.bytes(), to });
                }
                self.slots[node as usize] = Some(to);
            }
        }
    }

    fn emit(&mut self, level: Level, instruction: Instruction) {
        match level {
            Level::Pass => self.program.pass.push(instruction),
            Level::Row => self.program.row.push(instruction),
            Level::Strip => self.program.strip.push(instruction),
        }
    }

    fn register(&mut self) -> Slot {
        self.registers += 1;
        self.registers - 1
    }

    /// The slot of an access whose addresses the table has.
    fn in_place(&mut self, access: usize) -> Slot {
        if !self.program.in_place.contains(&access) {
            self.program.in_place.push(access);
        }
        access as Slot
    }

    fn uniform(&mut self) -> Slot {
        self.program.uniforms += 1;
        (self.program.accesses.len() + self.program.uniforms - 1) as Slot
    }

    /// A slot for a node's value.
    fn assign(&mut self, node: NodeId) -> Slot {
        let slot = if self.nodes.level(node) == Level::Strip { self.register() } else { self.uniform() };
        self.slots[node as usize] = Some(slot);
        slot
    }

    /// The slot of an operand of a chain.
    fn slot(&self, node: NodeId) -> Slot {
        self.slots[node as usize].expect("operands come first")
    }

    /// The slot of an operand of other operations at a level: uniform values are spread over the strip.
    fn spread(&mut self, node: NodeId, level: Level) -> Slot {
        let own = self.nodes.level(node);
        if level != Level::Strip || own == Level::Strip {
            return self.slot(node);
        }
        if let Some(&slot) = self.spreads.get(&node) {
            return slot;
        }
        let (from, to) = (self.slot(node), SPREADS + self.spreads.len() as Slot);
        self.emit(own, Instruction::Spread { bytes: self.nodes.kind(node).bytes(), from, to });
        self.spreads.insert(node, to);
        to
    }

    fn map(&mut self, node: NodeId, entry: affinimath_math::machine::LoopFn<loops::MapCall>, operands: &[NodeId]) {
        let level = self.nodes.level(node);
        let mut from = [0; 3];
        for (slot, &operand) in from.iter_mut().zip(operands) {
            *slot = self.spread(operand, level);
        }
        let to = self.assign(node);
        self.emit(level, Instruction::Map { entry, from, operands: operands.len(), to });
    }

    fn node(&mut self, node: NodeId) {
        let (kind, level, arch) = (self.nodes.kind(node), self.nodes.level(node), self.target.arch);
        let is_uniform = level != Level::Strip;
        let bytes = kind.bytes();
        match *self.nodes.op(node) {
            Op::Constant(bits) => {
                let to = self.assign(node);
                self.program.constants.push((to, bits, kind));
            }
            Op::Time => {
                let to = self.assign(node);
                self.emit(level, Instruction::Time { to });
            }
            Op::Coordinate(axis) => {
                let to = self.assign(node);
                let ramp = Instruction::Ramp { to };
                self.emit(level, if is_uniform { Instruction::Coordinate { axis, to } } else { ramp });
            }
            Op::Load(access) if is_uniform => {
                let to = self.assign(node);
                self.emit(level, Instruction::Broadcast { access, bytes, to });
            }
            Op::Load(access) if (self.target.is_contiguous)(&self.program.accesses[access]) => {
                self.slots[node as usize] = Some(self.in_place(access));
            }
            Op::Load(access) => {
                let to = self.assign(node);
                self.emit(level, Instruction::Gather { access, bytes, to });
            }
            Op::Checked(access) => {
                let to = self.assign(node);
                self.emit(level, Instruction::Checked { access, bytes, is_uniform, to });
            }
            Op::IsInside(access) => {
                let to = self.assign(node);
                self.emit(level, Instruction::IsInside { access, is_uniform, to });
            }
            Op::Element { parameter, ref indices } => {
                let indices = indices.iter().map(|&index| self.spread(index, level)).collect();
                let to = self.assign(node);
                self.emit(level, Instruction::Element { parameter, kind, indices, to });
            }
            Op::IsElement { parameter, ref indices } => {
                let indices = indices.iter().map(|&index| self.spread(index, level)).collect();
                let to = self.assign(node);
                self.emit(level, Instruction::IsElement { parameter, indices, to });
            }
            Op::Arithmetic(..) | Op::Alone(..) if is_uniform => self.uniform_link(node),
            Op::Arithmetic(..) | Op::Alone(..) => self.chain(node),
            Op::Convert(from, a) => self.map(node, loops::convert(arch, from, kind), &[a]),
            Op::Compare(operator, operands, a, b) => {
                self.map(node, loops::compare(arch, operator, operands), &[a, b]);
            }
            Op::Logical(operator, a, b) => self.map(node, loops::logical(arch, operator), &[a, b]),
            Op::Not(a) => self.map(node, loops::not(arch), &[a]),
            Op::Remainder(a, b) => self.map(node, loops::remainder(arch, kind), &[a, b]),
            Op::WholeQuotient(a, b) => self.map(node, loops::whole_quotient(arch, kind), &[a, b]),
            Op::Call(function, a, b) => self.map(node, loops::function(arch, function, kind), &[a, b]),
            Op::Select(condition, a, b) => self.map(node, loops::select(arch, kind), &[condition, a, b]),
        }
    }

    /// An operation on uniform values: a chain of one link on granules.
    fn uniform_link(&mut self, node: NodeId) {
        let (kind, level) = (self.nodes.kind(node), self.nodes.level(node));
        let (operation, a, b) = match *self.nodes.op(node) {
            Op::Arithmetic(operation, a, b) => (super::fuse::Operation::Arithmetic(operation), a, b),
            Op::Alone(alone, a) => (super::fuse::Operation::Alone(alone.link()), a, a),
            ref other => unreachable!("{other:?} is no link"),
        };
        let (start, x) = (self.slot(a), self.slot(b));
        let to = self.assign(node);
        let first = self.program.micros.len();
        self.program.micros.push(Micro { link: link(operation, false), x, y: x });
        let entry = loops::chain(self.target.arch, kind);
        let chain =
            Instruction::Chain { entry, start, is_start_uniform: false, first, count: 1, to, is_streamed: false };
        self.emit(level, chain);
    }

    /// The chain that ends with a node, if no other one goes on with it.
    fn chain(&mut self, node: NodeId) {
        if self.chains.is_absorbed[node as usize] {
            return;
        }
        let mut micros = Vec::new();
        let mut last = node;
        let start = loop {
            let continuation = self.chains.continuations[last as usize].expect("a chain of links");
            micros.push(self.micro(&continuation));
            match continuation.previous {
                Some(previous) => last = previous,
                None => break continuation.start,
            }
        };
        let first = self.program.micros.len();
        self.program.micros.extend(micros.iter().rev());
        let to = match self.stored.get(&node) {
            Some(&access) => {
                let slot = self.in_place(access);
                self.slots[node as usize] = Some(slot);
                slot
            }
            None => self.assign(node),
        };
        self.links(node, start, first, micros.len(), to);
    }

    fn links(&mut self, node: NodeId, start: NodeId, first: usize, count: usize, to: Slot) {
        // Values that are read again soon stay in the caches.
        let is_alone = self.uses[node as usize] == 1 && (to as usize) < self.program.accesses.len();
        let chain = Instruction::Chain {
            entry: loops::chain(self.target.arch, self.nodes.kind(node)),
            start: self.slot(start),
            is_start_uniform: self.nodes.level(start) != Level::Strip,
            first,
            count,
            to,
            is_streamed: is_alone && self.target.is_streamed,
        };
        self.emit(Level::Strip, chain);
    }

    fn micro(&self, continuation: &super::fuse::Continuation) -> Micro {
        let is_uniform = |node| self.nodes.level(node) != Level::Strip;
        let (x, y) = (continuation.x, continuation.y);
        let link_of = |is_uniform| link(continuation.operation, is_uniform);
        match link_of(false).operands() {
            0 => Micro { link: link_of(false), x: 0, y: 0 },
            1 => Micro { link: link_of(is_uniform(x)), x: self.slot(x), y: 0 },
            _ if is_uniform(y) => Micro { link: link_of(true), x: self.slot(y), y: self.slot(x) },
            _ => Micro { link: link_of(is_uniform(x)), x: self.slot(x), y: self.slot(y) },
        }
    }

    /// Checks, reductions, and then stores.
    fn outputs(&mut self, outputs: &[Output]) {
        for output in outputs {
            match *output {
                Output::Store { .. } => {}
                Output::Check(value) => {
                    let level = self.nodes.level(value);
                    let from = self.slot(value);
                    self.emit(level, Instruction::Check { from, is_uniform: level != Level::Strip });
                }
                Output::Reduce { number, value } => {
                    let from = self.spread(value, Level::Strip);
                    self.emit(Level::Strip, Instruction::Reduce { number, from });
                }
            }
        }
        for output in outputs {
            let Output::Store { access, value } = *output else { continue };
            let kind = self.nodes.kind(value);
            if self.stored.get(&value) == Some(&access) {
                continue;
            }
            if (self.target.is_contiguous)(&self.program.accesses[access]) && kind != Type::Bool {
                let to = self.in_place(access);
                let first = self.program.micros.len();
                self.links(value, value, first, 0, to);
            } else {
                let from = self.spread(value, Level::Strip);
                self.emit(Level::Strip, Instruction::Scatter { access, bytes: kind.bytes(), from });
            }
        }
    }

    /// Slots in the order of the table, with registers for as many values as live at the same time.
    fn finish(self) -> Program {
        let Compiler { mut program, spreads, .. } = self;
        let spread_slots = (program.accesses.len() + program.uniforms) as Slot;
        let register_slots = spread_slots + spreads.len() as Slot;
        let mut last: HashMap<Slot, usize> = HashMap::new();
        let Program { strip, pass, row, micros, .. } = &mut program;
        for (number, instruction) in strip.iter_mut().enumerate() {
            instruction.for_each_slot(micros, |slot| {
                if *slot >= REGISTERS {
                    last.insert(*slot, number);
                }
            });
        }
        let (mut free, mut count, mut names) = (Vec::new(), 0, HashMap::new());
        for (number, instruction) in strip.iter_mut().enumerate() {
            let mut ended = Vec::new();
            instruction.for_each_slot(micros, |slot| {
                if *slot >= REGISTERS {
                    let virtual_slot = *slot;
                    let name = *names.entry(virtual_slot).or_insert_with(|| {
                        free.pop().unwrap_or_else(|| {
                            count += 1;
                            register_slots + count - 1
                        })
                    });
                    // An operand may be read twice, and ends once.
                    if last[&virtual_slot] == number && !ended.contains(&name) {
                        ended.push(name);
                    }
                    *slot = name;
                } else if *slot >= SPREADS {
                    *slot = *slot - SPREADS + spread_slots;
                }
            });
            free.append(&mut ended);
        }
        for instruction in pass.iter_mut().chain(row.iter_mut()) {
            instruction.for_each_slot(micros, |slot| {
                if *slot >= SPREADS {
                    *slot = *slot - SPREADS + spread_slots;
                }
            });
        }
        program.strips = spreads.len() + count as usize;
        program
    }
}
