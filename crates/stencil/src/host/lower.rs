//! Expressions of the definition as nodes of a pass.

use std::collections::HashMap;

use super::nodes::{AloneLink, Arithmetic, Known, Level, NodeId, Nodes, Op};
use super::space::Space;
use crate::bound::Parameters;
use crate::definition::scalar::power;
use crate::definition::{Binary, Constant, ExprId, Function, MAX_AXES, Node, Offsets, Stencil, Tap, Type, Unary};
use crate::value::Value;

/// Elements of a grid at an offset from the current point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Access {
    pub(super) grid: usize,
    pub(super) component: usize,
    /// The level relative to the time `t` of the step.
    pub(super) time: i32,
    pub(super) offsets: Offsets,
}

/// The memory of a grid's coordinates on the stencil's axes: the first one and the number, 0 on axes that it has not.
pub(super) type Bounds = [(i64, i64); MAX_AXES];

/// Values that expressions refer to.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) stencil: &'a Stencil,
    pub(super) sizes: &'a std::collections::BTreeMap<String, i64>,
    pub(super) parameters: &'a Parameters,
    /// The memory of each grid.
    pub(super) bounds: &'a [Bounds],
}

/// The lowering of one pass.
pub(super) struct Lowering<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) space: &'a Space,
    /// The level that taps at `t` read.
    pub(super) shift: i32,
    /// Grids of which the black half of a red-black sweep reads new neighbours, with their newest level.
    pub(super) coupled: Vec<(usize, i32)>,
    pub(super) nodes: Nodes,
    pub(super) accesses: Vec<Access>,
    known_accesses: HashMap<Access, usize>,
    temporaries: Vec<Option<Known>>,
    /// Values that this pass has assigned, by grid, component and level.
    assigned: HashMap<(usize, usize, i32), Known>,
    lowered: HashMap<ExprId, Known>,
}

/// The bits of a number.
pub(super) fn bits(value: Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(value),
        Value::I32(value) => u64::from(value as u32),
        Value::I64(value) => value as u64,
        Value::F32(value) => u64::from(value.to_bits()),
        Value::F64(value) => value.to_bits(),
    }
}

/// The number of some bits.
pub(super) fn value_of(bits: u64, kind: Type) -> Value {
    match kind {
        Type::Bool => Value::Bool(bits & 1 != 0),
        Type::I32 => Value::I32(bits as u32 as i32),
        Type::I64 => Value::I64(bits as i64),
        Type::F32 => Value::F32(f32::from_bits(bits as u32)),
        Type::F64 => Value::F64(f64::from_bits(bits)),
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn new(scene: Scene<'a>, space: &'a Space) -> Self {
        Lowering {
            scene,
            space,
            shift: 0,
            coupled: Vec::new(),
            nodes: Nodes::default(),
            accesses: Vec::new(),
            known_accesses: HashMap::new(),
            temporaries: vec![None; scene.stencil.temporaries().len()],
            assigned: HashMap::new(),
            lowered: HashMap::new(),
        }
    }

    /// The number of an access.
    pub(super) fn access(&mut self, access: Access) -> usize {
        *self.known_accesses.entry(access).or_insert_with(|| {
            self.accesses.push(access);
            self.accesses.len() - 1
        })
    }

    /// A temporary gets its value.
    pub(super) fn bind(&mut self, temporary: usize, value: Known) {
        self.temporaries[temporary] = Some(value);
        self.lowered.clear();
    }

    /// The current point of a grid gets its value.
    pub(super) fn assign(&mut self, grid: usize, component: usize, time: i32, value: NodeId) {
        self.assigned.insert((grid, component, time), Known { value, valid: None });
        self.lowered.clear();
    }

    /// The value of an expression at the points of the pass.
    pub(super) fn lower(&mut self, root: ExprId) -> Known {
        for expression in self.scene.stencil.graph().reachable([root]) {
            if !self.lowered.contains_key(&expression) {
                let known = self.node(expression);
                self.lowered.insert(expression, known);
            }
        }
        self.lowered[&root]
    }

    /// A number.
    pub(super) fn number(&mut self, value: f64, kind: Type) -> NodeId {
        self.nodes.constant(bits(Value::constant(value, kind)), kind)
    }

    /// Elements of a grid at an offset from the current point.
    pub(super) fn load(&mut self, access: Access) -> Known {
        let grid = &self.scene.stencil.grids()[access.grid];
        let kind = grid.kind;
        let level = if grid.axes.contains(&self.space.axis) { Level::Strip } else { Level::Row };
        let is_inside = grid.axes.iter().all(|&axis| {
            let (first, count) = self.scene.bounds[access.grid][axis];
            let lowest = self.space.lower[axis] + i64::from(access.offsets[axis]);
            lowest >= first && lowest + self.space.lengths[axis] as i64 <= first + count
        });
        let number = self.access(access);
        if is_inside {
            return Known { value: self.nodes.add(Op::Load(number), kind, level), valid: None };
        }
        let value = self.nodes.add(Op::Checked(number), kind, level);
        Known { value, valid: Some(self.nodes.add(Op::IsInside(number), Type::Bool, level)) }
    }

    fn node(&mut self, expression: ExprId) -> Known {
        let graph = self.scene.stencil.graph();
        let kind = graph.type_of(expression);
        let of = |lowering: &Self, operand: &ExprId| lowering.lowered[operand];
        match graph.node(expression) {
            Node::Constant(Constant(value)) => Known { value: self.number(*value, kind), valid: None },
            Node::Size(name) => {
                let size = self.scene.sizes.get(name).copied().unwrap_or_default();
                Known { value: self.nodes.constant(size as u64, Type::I64), valid: None }
            }
            Node::Coordinate(axis) => {
                let level = if *axis == self.space.axis { Level::Strip } else { Level::Row };
                Known { value: self.nodes.add(Op::Coordinate(*axis), Type::I64, level), valid: None }
            }
            Node::Time => Known { value: self.nodes.of(Op::Time, Type::I64), valid: None },
            Node::Parameter { parameter, indices } => {
                let indices: Vec<Known> = indices.iter().map(|index| of(self, index)).collect();
                self.element(*parameter, &indices)
            }
            // Results stand in the stop criterion alone, which is no pass.
            Node::Result(_) => self.unknown(kind),
            Node::Temporary(temporary) => self.temporaries[*temporary].unwrap_or_else(|| self.unknown(kind)),
            Node::Tap(tap) => self.tap(tap),
            Node::Convert(a) => {
                let a = of(self, a);
                Known { value: self.convert(a.value, kind), ..a }
            }
            Node::Unary(Unary::Negate, a) => {
                let a = of(self, a);
                Known { value: self.nodes.of(Op::Alone(AloneLink::Negate, a.value), kind), ..a }
            }
            Node::Unary(Unary::Not, a) => {
                let a = of(self, a);
                Known { value: self.nodes.not(a.value), ..a }
            }
            Node::Binary(operator, a, b) if operator.is_logical() => {
                let (a, b) = (of(self, a), of(self, b));
                self.logical(*operator, a, b)
            }
            Node::Binary(operator, a, b) => {
                let operands = graph.type_of(*a);
                let (a, b) = (of(self, a), of(self, b));
                let value = self.binary(*operator, operands, a.value, b.value);
                Known { value, valid: self.nodes.both(a.valid, b.valid) }
            }
            Node::Power(a, exponent) => {
                let a = of(self, a);
                Known { value: self.raised(a.value, *exponent, kind), ..a }
            }
            Node::Call(function, arguments) => {
                let a = of(self, &arguments[0]);
                let b = arguments.last().map_or(a, |last| of(self, last));
                let value = self.call(*function, a.value, b.value, kind);
                Known { value, valid: self.nodes.both(a.valid, b.valid) }
            }
            Node::Select(condition, a, b) => {
                let (condition, a, b) = (of(self, condition), of(self, a), of(self, b));
                self.select(condition, a, b, kind)
            }
        }
    }

    fn unknown(&mut self, kind: Type) -> Known {
        let value = self.nodes.constant(0, kind);
        Known { value, valid: Some(self.nodes.constant(0, Type::Bool)) }
    }

    fn element(&mut self, parameter: usize, indices: &[Known]) -> Known {
        let kind = self.scene.stencil.parameters()[parameter].kind;
        let mut valid = None;
        let mut positions = Vec::new();
        for index in indices {
            valid = self.nodes.both(valid, index.valid);
            positions.push(self.convert(index.value, Type::I64));
        }
        let fixed = positions.iter().map(|&position| match self.nodes.op(position) {
            Op::Constant(bits) => Some(*bits as i64),
            _ => None,
        });
        if let Some(fixed) = fixed.collect::<Option<Vec<i64>>>() {
            let Some(value) = self.scene.parameters.element(parameter, &fixed) else {
                return self.unknown(kind);
            };
            return Known { value: self.nodes.constant(bits(value), kind), valid };
        }
        let is_element = self.nodes.of(Op::IsElement { parameter, indices: positions.clone() }, Type::Bool);
        let value = self.nodes.of(Op::Element { parameter, indices: positions }, kind);
        Known { value, valid: self.nodes.both(valid, Some(is_element)) }
    }

    fn tap(&mut self, tap: &Tap) -> Known {
        let is_constant = self.scene.stencil.grids()[tap.grid].constant;
        let mut time = if is_constant { 0 } else { tap.time + self.shift };
        let is_centre = tap.offsets == Offsets::default();
        if is_centre && let Some(&known) = self.assigned.get(&(tap.grid, tap.component, time)) {
            return known;
        }
        // The black half of a red-black sweep reads the red half's new values.
        let coupled = self.coupled.iter().find(|(grid, _)| *grid == tap.grid);
        if let Some(&(_, newest)) = coupled.filter(|(_, newest)| !is_centre && tap.time == newest - 1) {
            time = newest;
        }
        self.load(Access { grid: tap.grid, component: tap.component, time, offsets: tap.offsets })
    }

    /// The value in another type.
    pub(super) fn convert(&mut self, a: NodeId, to: Type) -> NodeId {
        let from = self.nodes.kind(a);
        if from == to {
            return a;
        }
        if let Op::Constant(value) = *self.nodes.op(a) {
            return self.nodes.constant(bits(value_of(value, from).converted(to)), to);
        }
        if to == Type::Bool {
            let zero = self.nodes.constant(0, from);
            return self.nodes.of(Op::Compare(Binary::NotEqual, from, a, zero), to);
        }
        self.nodes.of(Op::Convert(from, a), to)
    }

    /// An operator on numbers of a type.
    pub(super) fn binary(&mut self, operator: Binary, operands: Type, a: NodeId, b: NodeId) -> NodeId {
        let arithmetic = match operator {
            Binary::Add => Arithmetic::Add,
            Binary::Subtract => Arithmetic::Subtract,
            Binary::Multiply => Arithmetic::Multiply,
            Binary::Divide => Arithmetic::Divide,
            Binary::Remainder => return self.nodes.of(Op::Remainder(a, b), operands),
            comparison => return self.compare(comparison, operands, a, b),
        };
        self.arithmetic(arithmetic, a, b)
    }

    /// A comparison. Conditions are equal or not.
    fn compare(&mut self, operator: Binary, operands: Type, a: NodeId, b: NodeId) -> NodeId {
        if operands == Type::Bool {
            let (a, b) = (self.convert(a, Type::I32), self.convert(b, Type::I32));
            return self.nodes.of(Op::Compare(operator, Type::I32, a, b), Type::Bool);
        }
        self.nodes.of(Op::Compare(operator, operands, a, b), Type::Bool)
    }

    pub(super) fn arithmetic(&mut self, operation: Arithmetic, a: NodeId, b: NodeId) -> NodeId {
        let kind = self.nodes.kind(a);
        self.nodes.of(Op::Arithmetic(operation, a, b), kind)
    }

    /// An unknown operand does not matter where the other one decides.
    fn logical(&mut self, operator: Binary, a: Known, b: Known) -> Known {
        let nodes = &mut self.nodes;
        if a.valid.is_none() && b.valid.is_none() {
            let value = if operator == Binary::And { nodes.and(a.value, b.value) } else { nodes.or(a.value, b.value) };
            return Known { value, valid: None };
        }
        let (a_known, b_known) = (nodes.condition(a.valid), nodes.condition(b.valid));
        let mut decides = |known: NodeId, value: NodeId| {
            let value = if operator == Binary::And { nodes.not(value) } else { value };
            nodes.and(known, value)
        };
        let (a_decides, b_decides) = (decides(a_known, a.value), decides(b_known, b.value));
        let decided = nodes.or(a_decides, b_decides);
        let both = nodes.and(a_known, b_known);
        let valid = nodes.or(decided, both);
        // Where neither decides, both hold for `&&`, and neither does for `||`.
        let value = if operator == Binary::And { nodes.not(decided) } else { decided };
        Known { value, valid: Some(valid) }
    }

    /// An integer power as multiplications.
    fn raised(&mut self, base: NodeId, exponent: i32, kind: Type) -> NodeId {
        let one = self.number(1.0, kind);
        let multiply = std::cell::RefCell::new(&mut *self);
        let result = power(base, exponent.unsigned_abs(), one, |a, b| {
            multiply.borrow_mut().arithmetic(Arithmetic::Multiply, a, b)
        });
        if exponent < 0 && kind.is_real() { self.arithmetic(Arithmetic::Divide, one, result) } else { result }
    }

    fn call(&mut self, function: Function, a: NodeId, b: NodeId, kind: Type) -> NodeId {
        let alone = |lowering: &mut Self, link| lowering.nodes.of(Op::Alone(link, a), kind);
        match function {
            Function::Abs => alone(self, AloneLink::Abs),
            Function::Sqrt => alone(self, AloneLink::Sqrt),
            Function::Floor => alone(self, AloneLink::Floor),
            Function::Ceil => alone(self, AloneLink::Ceil),
            Function::Trunc => alone(self, AloneLink::Trunc),
            Function::Min => self.arithmetic(Arithmetic::Min, a, b),
            Function::Max => self.arithmetic(Arithmetic::Max, a, b),
            Function::Quotient if kind.is_integer() => self.nodes.of(Op::WholeQuotient(a, b), kind),
            Function::Quotient => {
                let quotient = self.arithmetic(Arithmetic::Divide, a, b);
                self.nodes.of(Op::Alone(AloneLink::Floor, quotient), kind)
            }
            function => self.nodes.of(Op::Call(function, a, b), kind),
        }
    }

    pub(super) fn select(&mut self, condition: Known, a: Known, b: Known, kind: Type) -> Known {
        let value = self.selected(condition.value, a.value, b.value, kind);
        if a.valid.is_none() && b.valid.is_none() {
            return Known { value, valid: condition.valid };
        }
        let (a, b) = (self.nodes.condition(a.valid), self.nodes.condition(b.valid));
        let chosen = self.selected(condition.value, a, b, Type::Bool);
        Known { value, valid: self.nodes.both(condition.valid, Some(chosen)) }
    }

    fn selected(&mut self, condition: NodeId, a: NodeId, b: NodeId, kind: Type) -> NodeId {
        match self.nodes.fixed(condition) {
            Some(true) => a,
            Some(false) => b,
            None => self.nodes.of(Op::Select(condition, a, b), kind),
        }
    }
}
