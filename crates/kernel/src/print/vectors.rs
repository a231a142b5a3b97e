//! Scalarisation, for languages without vectors: every lane becomes a value, and memory of vectors memory of scalars.

use std::collections::HashMap;

use super::super::ir::{
    Alignment, Arm, Block, Function, Id, Node, Op, Parameter, Program, Statement, StoreMode, Variable,
};
use super::super::operations::BinaryOp;
use super::super::types::{ScalarType, ValueType};

struct Scalariser<'p> {
    old: &'p Program,
    new: Program,
    lanes: HashMap<Id, Vec<Id>>,
    variables: Vec<Vec<usize>>,
}

/// Scalarises a program.
pub(super) fn scalarise(old: &Program) -> Program {
    let mut new = Program {
        name: old.name.clone(),
        comment: old.comment.clone(),
        group: old.group,
        memories: old.memories.clone(),
        options: old.options.clone(),
        ..Program::default()
    };
    for memory in &mut new.memories {
        memory.length *= memory.element.lanes;
        memory.element = memory.element.one_lane();
    }
    let mut variables = Vec::new();
    for Variable { name, value_type } in &old.variables {
        let first = new.variables.len();
        for lane in 0..value_type.lanes {
            let name = lane_name(name, value_type.lanes, lane);
            new.variables.push(Variable { name, value_type: value_type.one_lane() });
        }
        variables.push((first..new.variables.len()).collect());
    }
    let mut scalariser = Scalariser { old, new, lanes: HashMap::new(), variables };
    scalariser.run();
    scalariser.new
}

fn lane_name(name: &str, lanes: usize, lane: usize) -> String {
    if lanes == 1 { name.to_owned() } else { format!("{name}_s{lane:x}") }
}

impl Scalariser<'_> {
    fn run(&mut self) {
        let old = self.old;
        for parameter in &old.parameters {
            let parameter = match parameter {
                Parameter::Scalar(id) => Parameter::Scalar(self.given(*id)[0]),
                Parameter::Memory(memory) => Parameter::Memory(*memory),
            };
            self.new.parameters.push(parameter);
        }
        for function in &old.functions {
            let parameters = function.parameters.iter().map(|id| self.given(*id)[0]).collect();
            let body = self.block(&function.body);
            let result = self.given(function.result)[0];
            let (name, foreign) = (function.name.clone(), function.foreign.clone());
            self.new.functions.push(Function { name, parameters, body, result, foreign });
        }
        self.new.body = self.block(&old.body);
    }

    fn node(&mut self, op: Op, value_type: ValueType, name: Option<String>) -> Id {
        self.new.nodes.push(Node { op, value_type, name });
        self.new.nodes.len() - 1
    }

    /// The lanes of a value. Those without a statement are made here.
    fn given(&mut self, id: Id) -> Vec<Id> {
        if let Some(lanes) = self.lanes.get(&id) {
            return lanes.clone();
        }
        let node = &self.old.nodes[id];
        let one = self.node(node.op.clone(), node.value_type.one_lane(), node.name.clone());
        let lanes = vec![one; node.value_type.lanes];
        self.lanes.insert(id, lanes.clone());
        lanes
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::new();
        for statement in block {
            self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, statement: &Statement, out: &mut Block) {
        match statement {
            Statement::Let(id) => self.value(*id, out),
            Statement::Declare(variable, value) | Statement::Assign(variable, value) => {
                let values = self.given(*value);
                for (variable, value) in self.variables[*variable].clone().into_iter().zip(values) {
                    out.push(match statement {
                        Statement::Declare(..) => Statement::Declare(variable, value),
                        _ => Statement::Assign(variable, value),
                    });
                }
            }
            Statement::Store(memory, index, value, mode) => {
                let values = self.given(*value);
                let first = self.first_element(*memory, *index, values.len(), out);
                for (lane, value) in values.into_iter().enumerate() {
                    let index = self.lane_index(first, lane, out);
                    let mode = StoreMode { alignment: Alignment::Element, ..*mode };
                    out.push(Statement::Store(*memory, index, value, mode));
                }
            }
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                out.push(Statement::If { condition: self.given(*condition)[0], then, otherwise });
            }
            Statement::Switch { selector, arms, default } => {
                let arm = |arm: &Arm| Arm { values: arm.values.clone(), body: self.block(&arm.body) };
                let arms = arms.iter().map(arm).collect();
                let (selector, default) = (self.given(*selector)[0], self.block(default));
                out.push(Statement::Switch { selector, arms, default });
            }
            Statement::For { counter, from, to, step, body } => {
                let [counter, from, to, step] = [counter, from, to, step].map(|id| self.given(*id)[0]);
                out.push(Statement::For { counter, from, to, step, body: self.block(body) });
            }
            Statement::While { test, condition, body } => {
                let test = self.block(test);
                let condition = self.given(*condition)[0];
                out.push(Statement::While { test, condition, body: self.block(body) });
            }
            Statement::Barrier { global } => out.push(Statement::Barrier { global: *global }),
        }
    }

    fn value(&mut self, id: Id, out: &mut Block) {
        let node = &self.old.nodes[id];
        let count = node.value_type.lanes;
        let lanes: Vec<Id> = match &node.op {
            Op::Splat(scalar) => vec![self.given(*scalar)[0]; count],
            Op::Gather(scalars) => scalars.iter().map(|scalar| self.given(*scalar)[0]).collect(),
            Op::Lane(vector, lane) => vec![self.given(*vector)[*lane]],
            Op::Any(mask) => vec![self.joined(BinaryOp::Or, *mask, out)],
            Op::All(mask) => vec![self.joined(BinaryOp::And, *mask, out)],
            op => {
                let first = match op {
                    Op::Load(memory, index, _) => Some(self.first_element(*memory, *index, count, out)),
                    _ => None,
                };
                (0..count).map(|lane| self.lane(node, lane, first, out)).collect()
            }
        };
        self.lanes.insert(id, lanes);
    }

    /// All lanes of a boolean vector joined by an operation.
    fn joined(&mut self, op: BinaryOp, mask: Id, out: &mut Block) -> Id {
        let lanes = self.given(mask);
        lanes
            .into_iter()
            .reduce(|joined, lane| {
                let id = self.node(Op::Binary(op, joined, lane), ValueType::scalar(ScalarType::Bool), None);
                out.push(Statement::Let(id));
                id
            })
            // A vector has lanes.
            .unwrap_or(mask)
    }

    /// One lane of an elementwise operation.
    fn lane(&mut self, node: &Node, lane: usize, first: Option<Id>, out: &mut Block) -> Id {
        // One condition may select all lanes.
        let mut of = |id: Id| {
            let lanes = self.given(id);
            lanes[lane % lanes.len()]
        };
        let op = match &node.op {
            Op::Unary(op, a) => Op::Unary(*op, of(*a)),
            Op::Binary(op, a, b) => Op::Binary(*op, of(*a), of(*b)),
            Op::Fma(a, b, c) => Op::Fma(of(*a), of(*b), of(*c)),
            Op::Select(condition, a, b) => Op::Select(of(*condition), of(*a), of(*b)),
            Op::Convert(a) => Op::Convert(of(*a)),
            Op::ConvertSat(a) => Op::ConvertSat(of(*a)),
            Op::Bitcast(a) => Op::Bitcast(of(*a)),
            Op::Call(function, ids) => Op::Call(*function, ids.iter().map(|id| of(*id)).collect()),
            Op::Atomic(op, memory, index, values) => {
                Op::Atomic(*op, *memory, of(*index), values.iter().map(|id| of(*id)).collect())
            }
            Op::Read(variable) => Op::Read(self.variables[*variable][lane]),
            Op::Load(memory, index, _) => {
                Op::Load(*memory, self.lane_index(first.unwrap_or(*index), lane, out), Alignment::Element)
            }
            other => other.clone(),
        };
        // Compilers warn of choices between constants.
        if let Op::Select(condition, a, b) = op
            && let Op::Constant(constant) = self.new.nodes[condition].op
        {
            return if constant.is_true() { a } else { b };
        }
        let name = node.name.as_ref().map(|name| lane_name(name, node.value_type.lanes, lane));
        let id = self.node(op, node.value_type.one_lane(), name);
        out.push(Statement::Let(id));
        id
    }

    /// First scalar element of an access of `width` scalars; an index of vectors counts vectors.
    fn first_element(&mut self, memory: usize, index: Id, width: usize, out: &mut Block) -> Id {
        let index = self.given(index)[0];
        if width == 1 {
            return index;
        }
        // The elements of a short index may be out of its range.
        let index = if self.new.nodes[index].value_type.scalar.is_promoted() {
            let value_type = ValueType::scalar(ScalarType::I64);
            let id = self.node(Op::Convert(index), value_type, None);
            out.push(Statement::Let(id));
            id
        } else {
            index
        };
        if self.old.memories[memory].element.lanes == 1 {
            return index;
        }
        self.index(BinaryOp::Mul, index, width, out)
    }

    fn lane_index(&mut self, first: Id, lane: usize, out: &mut Block) -> Id {
        if lane == 0 { first } else { self.index(BinaryOp::Add, first, lane, out) }
    }

    /// An index times, or plus, a small constant.
    fn index(&mut self, op: BinaryOp, index: Id, number: usize, out: &mut Block) -> Id {
        let value_type = self.new.nodes[index].value_type;
        let number = super::super::constant::Constant::from(number as i64).convert(value_type.scalar);
        let number = number.unwrap_or(super::super::constant::Constant::zero(value_type.scalar));
        let number = self.node(Op::Constant(number), value_type, None);
        let id = self.node(Op::Binary(op, index, number), value_type, None);
        out.push(Statement::Let(id));
        id
    }
}
