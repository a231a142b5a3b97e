//! Programs for languages whose vectors have operators alone: functions of vectors are taken apart, and memory is of
//! scalars.

use super::super::constant::Constant;
use super::super::ir::{Alignment, Block, Id, Node, Op, Program, Statement, StoreMode};
use super::super::operations::{BinaryOp, UnaryOp};
use super::super::types::{ScalarType, ValueType};

/// The program with operators of vectors, and with functions of scalars.
pub(super) fn with_plain_vectors(program: &Program) -> Program {
    let mut new = program.clone();
    for memory in &mut new.memories {
        memory.length *= memory.element.lanes;
        memory.element = memory.element.one_lane();
    }
    let mut pass = Pass { old: program, new };
    let body = pass.block(&program.body);
    pass.new.body = body;
    pass.new
}

struct Pass<'p> {
    old: &'p Program,
    new: Program,
}

impl Pass<'_> {
    fn node(&mut self, op: Op, value_type: ValueType, out: &mut Block) -> Id {
        let given = op.is_given();
        self.new.nodes.push(Node { op, value_type, name: None });
        let id = self.new.nodes.len() - 1;
        if !given {
            out.push(Statement::Let(id));
        }
        id
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::new();
        for statement in block {
            let mut statement = statement.clone();
            match &statement {
                Statement::Let(id) => self.value(*id, &mut out),
                Statement::Store(memory, index, value, mode) => {
                    statement = self.store(*memory, *index, *value, *mode, &mut out);
                }
                _ => {
                    for inner in statement.blocks_mut() {
                        *inner = self.block(inner);
                    }
                }
            }
            out.push(statement);
        }
        out
    }

    fn is_flattened(&self, memory: usize) -> bool {
        self.old.memories[memory].element.lanes > 1
    }

    /// The index of the first scalar, as [`vectors`](super::vectors) has it.
    fn first_scalar(&mut self, memory: usize, index: Id, out: &mut Block) -> Id {
        if !self.is_flattened(memory) {
            return index;
        }
        let lanes = self.old.memories[memory].element.lanes;
        let index = self.wide_index(index, out);
        self.index(BinaryOp::Mul, index, lanes, out)
    }

    /// The elements of a short index may be out of its range.
    fn wide_index(&mut self, index: Id, out: &mut Block) -> Id {
        if self.new.nodes[index].value_type.scalar.is_promoted() {
            return self.node(Op::Convert(index), ValueType::scalar(ScalarType::I64), out);
        }
        index
    }

    fn index(&mut self, op: BinaryOp, index: Id, number: usize, out: &mut Block) -> Id {
        let value_type = self.new.nodes[index].value_type;
        let number = self.node(Op::Constant(Constant::wrapped(number as i128, value_type.scalar)), value_type, out);
        self.node(Op::Binary(op, index, number), value_type, out)
    }

    /// True if an access to several elements is one of each: those of half precision are converted.
    fn is_apart(&self, memory: usize, lanes: usize) -> bool {
        lanes > 1 && self.old.memories[memory].element.scalar == ScalarType::F16
    }

    fn store(&mut self, memory: usize, index: Id, value: Id, mode: StoreMode, out: &mut Block) -> Statement {
        let lanes = self.new.nodes[value].value_type.lanes;
        let first = self.first_scalar(memory, index, out);
        if !self.is_apart(memory, lanes) {
            return Statement::Store(memory, first, value, mode);
        }
        let mut stores = Vec::new();
        let first = self.wide_index(first, out);
        for lane in 0..lanes {
            let index = if lane == 0 { first } else { self.index(BinaryOp::Add, first, lane, out) };
            let scalar = self.lane(value, lane, out);
            stores.push(Statement::Store(memory, index, scalar, StoreMode::default()));
        }
        let last = stores.pop();
        out.append(&mut stores);
        last.unwrap_or(Statement::Barrier { global: false })
    }

    /// A lane of a vector; of a scalar it is itself.
    fn lane(&mut self, value: Id, lane: usize, out: &mut Block) -> Id {
        let value_type = self.new.nodes[value].value_type;
        if value_type.lanes == 1 {
            return value;
        }
        if let Op::Constant(constant) = self.new.nodes[value].op {
            return self.node(Op::Constant(constant), value_type.one_lane(), out);
        }
        self.node(Op::Lane(value, lane), value_type.one_lane(), out)
    }

    fn value(&mut self, id: Id, out: &mut Block) {
        let Node { op, value_type, .. } = self.new.nodes[id].clone();
        let lanes = value_type.lanes;
        let new = match &op {
            Op::Load(memory, index, alignment) => {
                let first = self.first_scalar(*memory, *index, out);
                if self.is_apart(*memory, lanes) {
                    let first = self.wide_index(first, out);
                    let load = |pass: &mut Self, lane: usize, out: &mut Block| {
                        let index = if lane == 0 { first } else { pass.index(BinaryOp::Add, first, lane, out) };
                        pass.node(Op::Load(*memory, index, Alignment::Element), value_type.one_lane(), out)
                    };
                    Op::Gather((0..lanes).map(|lane| load(self, lane, out)).collect())
                } else {
                    Op::Load(*memory, first, *alignment)
                }
            }
            Op::Atomic(op, memory, index, values) => {
                Op::Atomic(*op, *memory, self.first_scalar(*memory, *index, out), values.clone())
            }
            Op::Any(mask) => self.joined(BinaryOp::Or, *mask, out),
            Op::All(mask) => self.joined(BinaryOp::And, *mask, out),
            _ if lanes == 1 => return,
            Op::Unary(UnaryOp::SignBit, a) => {
                let of = self.new.nodes[*a].value_type;
                let words = of.of(if of.scalar == ScalarType::F32 { ScalarType::I32 } else { ScalarType::I64 });
                let bits = self.node(Op::Bitcast(*a), words, out);
                let zero = self.node(Op::Constant(Constant::zero(words.scalar)), words, out);
                Op::Binary(BinaryOp::Lt, bits, zero)
            }
            Op::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) if value_type.scalar.is_integer() => {
                let comparison = if *op == BinaryOp::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let mask = self.node(Op::Binary(comparison, *a, *b), value_type.of(ScalarType::Bool), out);
                Op::Select(mask, *a, *b)
            }
            op if has_operator(op, value_type.scalar) => return,
            op => Op::Gather((0..lanes).map(|lane| self.elementwise(op, value_type, lane, out)).collect()),
        };
        self.new.nodes[id].op = new;
    }

    /// One lane of an operation.
    fn elementwise(&mut self, op: &Op, value_type: ValueType, lane: usize, out: &mut Block) -> Id {
        let mut op = op.clone();
        for operand in op.operands_mut() {
            *operand = self.lane(*operand, lane, out);
        }
        self.node(op, value_type.one_lane(), out)
    }

    /// The last step that joins the lanes of a boolean vector.
    fn joined(&mut self, op: BinaryOp, mask: Id, out: &mut Block) -> Op {
        let lanes = self.new.nodes[mask].value_type.lanes;
        let scalar = ValueType::scalar(ScalarType::Bool);
        let mut joined = self.lane(mask, 0, out);
        for lane in 1..lanes - 1 {
            let next = self.lane(mask, lane, out);
            joined = self.node(Op::Binary(op, joined, next), scalar, out);
        }
        Op::Binary(op, joined, self.lane(mask, lanes - 1, out))
    }
}

/// True if vectors have the operation.
fn has_operator(op: &Op, scalar: ScalarType) -> bool {
    use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    match op {
        Op::Unary(op, _) => matches!(op, UnaryOp::Neg | UnaryOp::Not),
        Op::Binary(Rem, ..) => !scalar.is_float(),
        Op::Binary(op, ..) => op.is_comparison() || matches!(op, Add | Sub | Mul | Div | And | Or | Xor | Shl | Shr),
        Op::Fma(..) | Op::ConvertSat(_) => false,
        _ => true,
    }
}
