//! A graph under construction: types, conversions, constants folded in double precision.

use std::collections::HashMap;

use super::graph::{Constant, ExprId, Graph, Node};
use super::scalar::{Number, power, rounded};
use super::types::{Binary, Function, Type, Unary};

/// The most nodes of a stencil.
pub(crate) const MAX_NODES: usize = 100_000;
/// The most operations of an expression, counted as in its text.
pub(crate) const MAX_OPERATIONS: u64 = 1_000_000;
/// The most brackets within each other.
pub(crate) const MAX_NESTING: u32 = 100;
/// The greatest exponent that is computed by multiplications.
const MAX_EXPONENT: f64 = 64.0;

const NO_NUMBER: &str = "a condition is no number: write 'condition ? 1 : 0'";

type Built = Result<ExprId, String>;

/// Nodes with their types: `None` is that of constants, and of what is made of constants, until another operand or a
/// variable gives them one.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    nodes: Vec<Node>,
    kinds: Vec<Option<Type>>,
    /// Operations as in a text, where equal parts are repeated.
    operations: Vec<u64>,
    nesting: Vec<u32>,
    known: HashMap<(Node, Option<Type>), ExprId>,
}

/// Stronger operators have greater numbers.
pub(crate) fn precedence(node: &Node) -> u32 {
    match node {
        Node::Select(..) => 1,
        Node::Binary(operator, ..) => match operator {
            Binary::Or => 2,
            Binary::And => 3,
            Binary::Add | Binary::Subtract => 5,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 6,
            _ => 4,
        },
        Node::Unary(..) => 7,
        Node::Constant(Constant(value)) if value.is_sign_negative() => 7,
        Node::Power(..) => 8,
        _ => 9,
    }
}

impl Draft {
    pub(crate) fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn kind(&self, id: ExprId) -> Option<Type> {
        self.kinds[id.index()]
    }

    fn nested(&self, node: &Node) -> u32 {
        let own = precedence(node);
        let mut nesting = 0;
        let mut first = true;
        node.for_each_operand(|operand| {
            let below = self.nesting[operand.index()];
            let is_spine = first && matches!(node, Node::Binary(..)) && precedence(self.node(operand)) >= own;
            nesting = nesting.max(below + u32::from(!is_spine));
            first = false;
        });
        nesting
    }

    fn insert(&mut self, node: Node, kind: Option<Type>) -> Built {
        if let Some(&id) = self.known.get(&(node.clone(), kind)) {
            return Ok(id);
        }
        let mut operations: u64 = 1;
        node.for_each_operand(|operand| operations += self.operations[operand.index()]);
        let nesting = self.nested(&node);
        if operations > MAX_OPERATIONS {
            return Err(format!("the expression has more than {MAX_OPERATIONS} operations"));
        }
        if nesting > MAX_NESTING {
            return Err(format!("the expression has more than {MAX_NESTING} levels"));
        }
        if self.nodes.len() == MAX_NODES {
            return Err(format!("the stencil has more than {MAX_NODES} different expressions"));
        }
        let id = ExprId(self.nodes.len() as u32);
        self.known.insert((node.clone(), kind), id);
        self.nodes.push(node);
        self.kinds.push(kind);
        self.operations.push(operations);
        self.nesting.push(nesting);
        Ok(id)
    }

    /// A leaf of a known type.
    pub(crate) fn leaf(&mut self, node: Node, kind: Type) -> Built {
        self.insert(node, Some(kind))
    }

    /// A number as written.
    pub(crate) fn literal(&mut self, value: f64) -> Built {
        if !value.is_finite() {
            return Err("the constant is not finite".to_owned());
        }
        // Both zeros are one constant: a sign would be lost in a text.
        self.insert(Node::Constant(Constant(if value == 0.0 { 0.0 } else { value })), None)
    }

    fn condition(&mut self, value: bool) -> Built {
        self.insert(Node::Constant(Constant(f64::from(u8::from(value)))), Some(Type::Bool))
    }

    /// The value of a constant that has no type yet, or of one with a type.
    pub(crate) fn constant(&self, id: ExprId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(Constant(value)) => Some(*value),
            _ => None,
        }
    }

    fn free_constant(&self, id: ExprId) -> Option<f64> {
        self.kind(id).is_none().then(|| self.constant(id)).flatten()
    }

    /// The nodes without a type below one, operands first.
    fn untyped(&self, root: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut stack = vec![root];
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = stack.pop() {
            if self.kind(id).is_none() && seen.insert(id) {
                found.push(id);
                self.node(id).for_each_operand(|operand| stack.push(operand));
            }
        }
        found.sort();
        found
    }

    /// Constants below are whole numbers, and operations keep them so.
    fn is_whole(&self, root: ExprId) -> bool {
        self.untyped(root).into_iter().all(|id| match self.node(id) {
            Node::Constant(Constant(value)) => value.fract() == 0.0 && value.abs() < 9.0e15,
            Node::Binary(Binary::Divide, ..) => false,
            Node::Call(function, _) => function.takes_integers(),
            Node::Power(_, exponent) => *exponent >= 0,
            _ => true,
        })
    }

    /// An expression of constants alone, in a type.
    fn adopt(&mut self, root: ExprId, kind: Type) -> Built {
        if self.kind(root).is_some() {
            return Ok(root);
        }
        if kind == Type::Bool {
            return Err("a condition is needed here, not a number".to_owned());
        }
        let mut typed = HashMap::new();
        for id in self.untyped(root) {
            let node = match self.node(id) {
                Node::Constant(Constant(value)) => {
                    let value = rounded(*value, kind);
                    if !value.is_finite() {
                        return Err(format!("the constant does not fit into {kind}"));
                    }
                    if kind == Type::I32 && i32::try_from(value as i64).is_err() {
                        return Err(format!("{value} does not fit into int"));
                    }
                    // A number below the least of a type has become a zero.
                    Node::Constant(Constant(if value == 0.0 { 0.0 } else { value }))
                }
                node => node.with_operands(|operand| typed.get(&operand).copied().unwrap_or(operand)),
            };
            let id_typed = self.insert(node, Some(kind))?;
            typed.insert(id, id_typed);
        }
        Ok(typed[&root])
    }

    fn converted(&mut self, id: ExprId, kind: Type) -> Built {
        if self.kind(id) == Some(kind) { Ok(id) } else { self.insert(Node::Convert(id), Some(kind)) }
    }

    /// A conversion that a text or a program asks for. What is made of constants gets its type from its surroundings.
    pub(crate) fn convert(&mut self, id: ExprId, kind: Type) -> Built {
        match self.kind(id) {
            Some(Type::Bool) => Err(NO_NUMBER.to_owned()),
            Some(_) => self.converted(id, kind),
            None => match self.constant(id) {
                Some(value) if kind.is_integer() => self.literal(value.trunc()),
                Some(value) => self.literal(rounded(value, kind)),
                None if kind.is_real() || self.is_whole(id) => Ok(id),
                None => {
                    let id = self.adopt(id, Type::F64)?;
                    self.converted(id, kind)
                }
            },
        }
    }

    /// A value for a variable of a type: integers become real numbers, never the reverse.
    pub(crate) fn assigned(&mut self, id: ExprId, kind: Type) -> Built {
        let own = self.kind(id);
        if own == Some(Type::Bool) || kind == Type::Bool {
            return if own == Some(kind) { Ok(id) } else { Err(NO_NUMBER.to_owned()) };
        }
        let is_real = own.map_or_else(|| !self.is_whole(id), Type::is_real);
        if is_real && kind.is_integer() {
            return Err(format!("a real number is assigned to {kind}: convert it by {kind}(...)"));
        }
        let id = self.adopt(id, kind)?;
        self.converted(id, kind)
    }

    /// A condition.
    pub(crate) fn as_condition(&mut self, id: ExprId) -> Built {
        match self.kind(id) {
            Some(Type::Bool) => Ok(id),
            _ => Err("a condition is needed here, such as a comparison".to_owned()),
        }
    }

    /// Two operands in the type in which they meet.
    fn unified(&mut self, a: ExprId, b: ExprId) -> Result<(ExprId, ExprId, Option<Type>), String> {
        let kind = match (self.kind(a), self.kind(b)) {
            (Some(Type::Bool), _) | (_, Some(Type::Bool)) => {
                return Err(NO_NUMBER.to_owned());
            }
            (None, None) => return Ok((a, b, None)),
            (Some(kind), None) if kind.is_integer() && !self.is_whole(b) => Type::F64,
            (None, Some(kind)) if kind.is_integer() && !self.is_whole(a) => Type::F64,
            (Some(kind), None) | (None, Some(kind)) => kind,
            (Some(one), Some(other)) => one.promoted(other),
        };
        let a = self.adopt(a, kind)?;
        let b = self.adopt(b, kind)?;
        Ok((self.converted(a, kind)?, self.converted(b, kind)?, Some(kind)))
    }

    /// A real operand: integers become `double`.
    fn real(&mut self, id: ExprId) -> Built {
        match self.kind(id) {
            Some(Type::Bool) => Err(NO_NUMBER.to_owned()),
            Some(kind) if kind.is_integer() => self.converted(id, Type::F64),
            _ => Ok(id),
        }
    }

    pub(crate) fn unary(&mut self, operator: Unary, a: ExprId) -> Built {
        let kind = self.kind(a);
        if (operator == Unary::Not) != (kind == Some(Type::Bool)) {
            return Err(match operator {
                Unary::Not => "'!' takes a condition, such as a comparison".to_owned(),
                Unary::Negate => NO_NUMBER.to_owned(),
            });
        }
        match (operator, self.constant(a)) {
            (Unary::Not, Some(value)) => self.condition(value == 0.0),
            (Unary::Negate, Some(value)) if kind.is_none() => self.literal(-value),
            _ => self.insert(Node::Unary(operator, a), kind),
        }
    }

    pub(crate) fn binary(&mut self, operator: Binary, a: ExprId, b: ExprId) -> Built {
        if operator.is_logical() {
            let (a, b) = (self.as_condition(a)?, self.as_condition(b)?);
            if let (Some(one), Some(other)) = (self.constant(a), self.constant(b)) {
                let (one, other) = (one != 0.0, other != 0.0);
                return self.condition(if operator == Binary::And { one && other } else { one || other });
            }
            return self.insert(Node::Binary(operator, a, b), Some(Type::Bool));
        }
        let (a, b) = if operator == Binary::Divide { (self.real(a)?, self.real(b)?) } else { (a, b) };
        let (mut a, mut b, mut kind) = self.unified(a, b)?;
        if let (None, Some(one), Some(other)) = (kind, self.free_constant(a), self.free_constant(b)) {
            return self.folded(operator, one, other);
        }
        if operator.is_comparison() {
            if kind.is_none() {
                (a, b) = (self.adopt(a, Type::F64)?, self.adopt(b, Type::F64)?);
            }
            kind = Some(Type::Bool);
        }
        self.insert(Node::Binary(operator, a, b), kind)
    }

    fn folded(&mut self, operator: Binary, a: f64, b: f64) -> Built {
        let value = match operator {
            Binary::Add => a + b,
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            Binary::Divide => a / b,
            Binary::Remainder => a.remainder(b),
            Binary::Less => return self.condition(a < b),
            Binary::LessEqual => return self.condition(a <= b),
            Binary::Greater => return self.condition(a > b),
            Binary::GreaterEqual => return self.condition(a >= b),
            Binary::Equal => return self.condition(a == b),
            Binary::NotEqual => return self.condition(a != b),
            Binary::And | Binary::Or => unreachable!("conditions are no numbers"),
        };
        self.literal(value)
    }

    /// `a ^ b`: multiplications where `b` is a whole constant of at most 64, else the function `pow`.
    pub(crate) fn power(&mut self, a: ExprId, b: ExprId) -> Built {
        let exponent = self.constant(b).filter(|value| value.fract() == 0.0 && value.abs() <= MAX_EXPONENT);
        let (Some(exponent), true) = (exponent, self.kind(a) != Some(Type::Bool)) else {
            return self.call(Function::Power, vec![a, b]);
        };
        let a = if exponent < 0.0 { self.real(a)? } else { a };
        match (self.free_constant(a), exponent as i32) {
            (Some(base), exponent) => {
                let magnitude = power(base, exponent.unsigned_abs(), 1.0, |a, b| a * b);
                self.literal(if exponent < 0 { 1.0 / magnitude } else { magnitude })
            }
            (None, 1) => Ok(a),
            (None, exponent) => self.insert(Node::Power(a, exponent), self.kind(a)),
        }
    }

    /// A function. `min` and `max` take two arguments or more.
    pub(crate) fn call(&mut self, function: Function, arguments: Vec<ExprId>) -> Built {
        let (given, wanted) = (arguments.len(), function.arguments());
        if matches!(function, Function::Min | Function::Max) && given > 2 {
            let mut arguments = arguments.into_iter();
            let first = arguments.next().expect("more than two");
            return arguments.try_fold(first, |so_far, next| self.call(function, vec![so_far, next]));
        }
        if given != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            return Err(format!("'{}' takes {wanted} argument{plural}, not {given}", function.name()));
        }
        let (mut a, mut b) = (arguments[0], arguments[given - 1]);
        let keeps_integers = matches!(function, Function::Floor | Function::Ceil | Function::Trunc);
        if !function.takes_integers() && !keeps_integers {
            (a, b) = (self.real(a)?, self.real(b)?);
        }
        // A condition is refused here.
        let (a, b, kind) = self.unified(a, b)?;
        if let (None, Some(one), Some(other)) = (kind, self.free_constant(a), self.free_constant(b)) {
            return self.literal(Number::call(function, one, other));
        }
        if function == Function::Quotient && kind.is_some_and(Type::is_real) {
            return Err("'div' takes integers".to_owned());
        }
        if keeps_integers && kind.is_some_and(Type::is_integer) {
            return Ok(a);
        }
        let arguments = if wanted == 1 { vec![a] } else { vec![a, b] };
        self.insert(Node::Call(function, arguments), kind)
    }

    pub(crate) fn select(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> Built {
        let condition = self.as_condition(condition)?;
        let both = [self.kind(a), self.kind(b)] == [Some(Type::Bool); 2];
        let (one, other, kind) = if both { (a, b, Some(Type::Bool)) } else { self.unified(a, b)? };
        match self.constant(condition) {
            // The chosen operand as if it stood alone: a constant has no type yet.
            Some(value) => Ok(if value != 0.0 { a } else { b }),
            None => self.insert(Node::Select(condition, one, other), kind),
        }
    }

    /// The nodes that roots need, in the order of their first use, and the roots among them.
    pub(crate) fn finish(self, roots: &mut [&mut ExprId]) -> Graph {
        let mut graph = Graph::default();
        let mut placed: Vec<Option<ExprId>> = vec![None; self.nodes.len()];
        for root in roots {
            let mut stack = vec![(**root, false)];
            while let Some((id, is_ready)) = stack.pop() {
                if placed[id.index()].is_some() {
                    continue;
                }
                if !is_ready {
                    stack.push((id, true));
                    let mut operands = Vec::new();
                    self.nodes[id.index()].for_each_operand(|operand| operands.push((operand, false)));
                    stack.extend(operands.into_iter().rev());
                    continue;
                }
                let node = self.nodes[id.index()]
                    .with_operands(|operand| placed[operand.index()].expect("operands come first"));
                placed[id.index()] = Some(ExprId(graph.nodes.len() as u32));
                graph.nodes.push(node);
                graph.types.push(self.kinds[id.index()].expect("values have types"));
            }
            **root = placed[root.index()].expect("just placed");
        }
        graph
    }
}
