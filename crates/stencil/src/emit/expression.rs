//! Expressions in C, node by node, with the rules of the language: integers wrap, conversions saturate, and a value
//! that is read outside a range is unknown until something needs it.

use std::collections::HashMap;
use std::fmt::Write;

use super::names::{axis, c_type, number, parameter, result, suffix, whole};
use crate::bound::{Bound, Parameters};
use crate::definition::{Binary, ExprId, Function, MAX_AXES, Node, Tap, Type, Unary};
use crate::value::Value;

/// The text of an expression's value, and of the condition that it is known; none where it always is.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) value: String,
    pub(super) known: Option<String>,
}

impl Term {
    fn plain(value: impl Into<String>) -> Self {
        Term { value: value.into(), known: None }
    }
}

/// Terms of leaves that depend on the pass.
pub(super) trait Leaves {
    /// An access to a grid.
    fn tap(&self, tap: &Tap) -> Term;

    /// A temporary variable.
    fn temporary(&self, temporary: usize) -> Term;

    /// The time.
    fn time(&self) -> String;
}

/// Leaves of an expression that depends on no point.
pub(super) struct NoPoint;

impl Leaves for NoPoint {
    fn tap(&self, _: &Tap) -> Term {
        unreachable!("an expression without a point has no tap")
    }

    fn temporary(&self, _: usize) -> Term {
        unreachable!("an expression without a point has no temporary")
    }

    fn time(&self) -> String {
        "s->t".to_owned()
    }
}

/// Declares the operations of an expression as constants, each in a line, and returns the expression's term.
pub(super) fn declare(
    text: &mut String,
    indent: usize,
    (bound, parameters): (&Bound, &Parameters),
    root: ExprId,
    leaves: &dyn Leaves,
) -> Term {
    let graph = bound.stencil().graph();
    let spaces = " ".repeat(indent);
    let mut terms: HashMap<ExprId, Term> = HashMap::new();
    for expression in graph.reachable([root]) {
        let kind = graph.type_of(expression);
        let term = term(bound, parameters, graph.node(expression), kind, &terms, leaves);
        let is_leaf = matches!(
            graph.node(expression),
            Node::Constant(_) | Node::Size(_) | Node::Coordinate(_) | Node::Time | Node::Temporary(_) | Node::Result(_)
        );
        let index = expression.index();
        let mut line = |kind: &str, prefix: &str, value: &str| {
            writeln!(text, "{spaces}const {kind} {prefix}{index} = {value};").expect("a String takes every write");
            format!("{prefix}{index}")
        };
        let term = if is_leaf {
            term
        } else {
            let known = term.known.map(|known| line("int", "k", &known));
            let value = match (&known, graph.node(expression)) {
                // Nothing is read outside a range.
                (Some(known), Node::Parameter { .. } | Node::Tap(_)) => format!("{known} ? {} : 0", term.value),
                _ => term.value,
            };
            Term { value: line(c_type(kind), "v", &value), known }
        };
        terms.insert(expression, term);
    }
    terms.remove(&root).expect("the root is reachable")
}

/// The condition that all are known.
fn all_known<'a>(terms: impl Iterator<Item = &'a Term>) -> Option<String> {
    let mut known: Vec<&str> = Vec::new();
    for term in terms {
        if let Some(each) = term.known.as_deref().filter(|each| !known.contains(each)) {
            known.push(each);
        }
    }
    (!known.is_empty()).then(|| known.join(" && "))
}

fn term(
    bound: &Bound,
    parameters: &Parameters,
    node: &Node,
    kind: Type,
    terms: &HashMap<ExprId, Term>,
    leaves: &dyn Leaves,
) -> Term {
    let of = |operand: &ExprId| &terms[operand];
    match node {
        Node::Constant(constant) => Term::plain(number(Value::constant(constant.0, kind))),
        Node::Size(name) => Term::plain(whole(bound.sizes().get(name).copied().unwrap_or(0))),
        Node::Coordinate(own) => Term::plain(axis(*own)),
        Node::Time => Term::plain(leaves.time()),
        Node::Result(number) => Term::plain(format!("s->{}", result(bound, *number))),
        Node::Temporary(temporary) => leaves.temporary(*temporary),
        Node::Tap(tap) => leaves.tap(tap),
        Node::Parameter { parameter: own, indices } if indices.is_empty() => {
            Term::plain(number(parameters.values(*own)[0]))
        }
        Node::Parameter { parameter: own, indices } => {
            element(bound, *own, &indices.iter().map(of).collect::<Vec<_>>())
        }
        Node::Convert(a) => {
            let from = bound.stencil().graph().type_of(*a);
            Term { value: converted(&of(a).value, from, kind), known: of(a).known.clone() }
        }
        Node::Select(condition, a, b) => {
            let (condition, a, b) = (of(condition), of(a), of(b));
            let value = format!("{} ? {} : {}", condition.value, a.value, b.value);
            let known = |term: &Term| term.known.clone().unwrap_or_else(|| "1".to_owned());
            let branches = (a.known.is_some() || b.known.is_some())
                .then(|| format!("({} ? {} : {})", condition.value, known(a), known(b)));
            let known = condition.known.iter().cloned().chain(branches).collect::<Vec<_>>().join(" && ");
            Term { value, known: (!known.is_empty()).then_some(known) }
        }
        Node::Binary(operator, a, b) if operator.is_logical() => logical(*operator, of(a), of(b)),
        node => {
            let mut operands = Vec::new();
            node.for_each_operand(|operand| operands.push(of(&operand)));
            let texts: Vec<&str> = operands.iter().map(|term| term.value.as_str()).collect();
            let from = first_operand(node).map_or(kind, |a| bound.stencil().graph().type_of(a));
            Term { value: operation(node, from, &texts), known: all_known(operands.into_iter()) }
        }
    }
}

fn first_operand(node: &Node) -> Option<ExprId> {
    let mut first = None;
    node.for_each_operand(|operand| first = first.or(Some(operand)));
    first
}

/// An element of a parameter, which is known where its indices are within their ranges.
fn element(bound: &Bound, own: usize, indices: &[&Term]) -> Term {
    let ranges = bound.ranges(own).expect("ranges were checked with the parameters");
    let mut offset = String::new();
    let mut conditions: Vec<String> = all_known(indices.iter().copied()).into_iter().collect();
    for (term, (first, length)) in indices.iter().zip(&ranges) {
        let index = format!("((int64_t){} - {})", term.value, whole(*first));
        let last = whole(first + *length as i64 - 1);
        conditions.push(format!("{} <= {} && {} <= {last}", whole(*first), term.value, term.value));
        offset = if offset.is_empty() { index } else { format!("({offset} * {length} + {index})") };
    }
    let value = format!("{}[{offset}]", parameter(bound, own));
    Term { value, known: Some(conditions.join(" && ")) }
}

/// `&&` and `||`: an unknown operand does not matter where the other one decides.
fn logical(operator: Binary, a: &Term, b: &Term) -> Term {
    let is_or = operator == Binary::Or;
    let [known_a, known_b] = [a, b].map(|term| term.known.clone().unwrap_or_else(|| "1".to_owned()));
    let sign = if is_or { "" } else { "!" };
    if a.known.is_none() && b.known.is_none() {
        return Term::plain(format!("{} {} {}", a.value, operator.symbol(), b.value));
    }
    let decides = format!("(({known_a}) && {sign}{}) || (({known_b}) && {sign}{})", a.value, b.value);
    let value = if is_or { decides.clone() } else { format!("!({decides})") };
    Term { value, known: Some(format!("{decides} || (({known_a}) && ({known_b}))")) }
}

/// A conversion: real numbers become integers by truncation, saturating, NaN as 0.
fn converted(value: &str, from: Type, to: Type) -> String {
    match (from, to) {
        (_, Type::Bool) => format!("{value} != 0"),
        (Type::F32 | Type::F64, Type::I32 | Type::I64) => format!("naive_to_{}({value})", suffix(to)),
        (Type::I64, Type::I32) => format!("(int32_t)(uint32_t){value}"),
        _ => format!("({}){value}", c_type(to)),
    }
}

/// An operator on two operands of a type, which are names or numbers.
pub(super) fn binary(operator: Binary, kind: Type, a: &str, b: &str) -> String {
    let symbol = operator.symbol();
    match (operator, kind) {
        (Binary::Remainder, kind) => format!("naive_remainder_{}({a}, {b})", suffix(kind)),
        (Binary::Add | Binary::Subtract | Binary::Multiply, Type::I32) => {
            format!("(int32_t)((uint32_t){a} {symbol} (uint32_t){b})")
        }
        (Binary::Add | Binary::Subtract | Binary::Multiply, Type::I64) => {
            format!("(int64_t)((uint64_t){a} {symbol} (uint64_t){b})")
        }
        _ => format!("{a} {symbol} {b}"),
    }
}

/// An operation of operands that are names or numbers, whose type is `kind`.
fn operation(node: &Node, kind: Type, operands: &[&str]) -> String {
    let a = operands[0];
    match node {
        Node::Unary(Unary::Negate, _) if kind.is_integer() => binary(Binary::Subtract, kind, "0", a),
        Node::Unary(Unary::Negate, _) => format!("-({a})"),
        Node::Unary(Unary::Not, _) => format!("!{a}"),
        Node::Binary(operator, ..) => binary(*operator, kind, a, operands[1]),
        Node::Power(_, exponent) => format!("naive_power_{}({a}, {exponent})", suffix(kind)),
        Node::Call(function, _) => call(*function, kind, operands),
        other => unreachable!("{other:?} is a leaf"),
    }
}

fn call(function: Function, kind: Type, operands: &[&str]) -> String {
    let arguments = operands.join(", ");
    match function {
        Function::Abs | Function::Min | Function::Max | Function::Quotient => {
            format!("naive_{}_{}({arguments})", function.name(), suffix(kind))
        }
        function => {
            let end = if kind == Type::F32 { "f" } else { "" };
            format!("{}{end}({arguments})", function.name())
        }
    }
}

/// The functions whose last bits depend on the library that computes them.
pub(super) fn has_functions(bound: &Bound) -> bool {
    use Function::{Abs, Ceil, Floor, Max, Min, Quotient, Sqrt, Trunc};
    let exact = [Abs, Min, Max, Quotient, Sqrt, Floor, Ceil, Trunc];
    let stencil = bound.stencil();
    let roots = super::naive::roots(stencil);
    let graph = stencil.graph();
    graph.reachable(roots).into_iter().any(|expression| match graph.node(expression) {
        Node::Call(function, _) => !exact.contains(function),
        _ => false,
    })
}

/// The text of an element's index: a function of coordinates.
pub(super) fn coordinates(axes: &[usize], offsets: &[i32; MAX_AXES]) -> String {
    let each = axes.iter().map(|&own| match offsets[own] {
        0 => axis(own),
        offset if offset > 0 => format!("{} + {offset}", axis(own)),
        offset => format!("{} - {}", axis(own), -i64::from(offset)),
    });
    each.collect::<Vec<_>>().join(", ")
}
