//! Linearity in the grids that change in time.

use std::collections::HashMap;

use crate::definition::{Binary, Node, Statement, Stencil, Unary};

/// New levels as functions of older levels of the grids that change in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linearity {
    /// They do not depend on them.
    Constant,
    /// A sum of products of a level and a coefficient.
    Linear,
    /// The same with a term that depends on no level.
    Affine,
    /// Anything else.
    Nonlinear,
}

use Linearity::{Affine, Constant, Linear, Nonlinear};

impl Linearity {
    fn plus(self, other: Linearity) -> Linearity {
        match (self, other) {
            (Constant, Linear) | (Linear, Constant) => Affine,
            (one, other) => one.max(other),
        }
    }

    fn times(self, other: Linearity) -> Linearity {
        match (self, other) {
            (Constant, other) | (other, Constant) => other,
            _ => Nonlinear,
        }
    }
}

/// How a value depends on levels, and whether on the point or the time as well.
#[derive(Clone, Copy)]
struct Class {
    linearity: Linearity,
    varies: bool,
}

struct Classes<'a> {
    stencil: &'a Stencil,
    temporaries: HashMap<usize, Class>,
    /// Of levels that were assigned so far.
    assigned: HashMap<(usize, usize), Class>,
}

impl Classes<'_> {
    fn leaf(&self, node: &Node) -> Class {
        match node {
            Node::Tap(tap) if self.stencil.written_level(tap.grid).is_none() => {
                Class { linearity: Constant, varies: true }
            }
            Node::Tap(tap) if self.stencil.written_level(tap.grid) == Some(tap.time) => self
                .assigned
                .get(&(tap.grid, tap.component))
                .copied()
                .unwrap_or(Class { linearity: Linear, varies: false }),
            Node::Tap(_) => Class { linearity: Linear, varies: false },
            Node::Coordinate(_) | Node::Time => Class { linearity: Constant, varies: true },
            Node::Temporary(temporary) => self.temporaries[temporary],
            _ => Class { linearity: Constant, varies: false },
        }
    }

    fn of(&self, value: crate::definition::ExprId) -> Class {
        let graph = self.stencil.graph();
        let mut classes: HashMap<crate::definition::ExprId, Class> = HashMap::new();
        for expression in graph.reachable([value]) {
            let node = graph.node(expression);
            let mut varies = false;
            let mut all_constant = true;
            let mut has_operands = false;
            node.for_each_operand(|operand| {
                has_operands = true;
                varies |= classes[&operand].varies;
                all_constant &= classes[&operand].linearity == Constant;
            });
            let of = |operand| classes[operand].linearity;
            let linearity = match node {
                _ if !has_operands => {
                    classes.insert(expression, self.leaf(node));
                    continue;
                }
                _ if all_constant => Constant,
                Node::Convert(a) | Node::Unary(Unary::Negate, a) => of(a),
                Node::Binary(Binary::Add | Binary::Subtract, a, b) => of(a).plus(of(b)),
                Node::Binary(Binary::Multiply, a, b) => of(a).times(of(b)),
                Node::Binary(Binary::Divide, a, b) if of(b) == Constant => of(a),
                Node::Select(condition, a, b) if of(condition) == Constant => of(a).plus(of(b)),
                _ => Nonlinear,
            };
            classes.insert(expression, Class { linearity, varies });
        }
        classes[&value]
    }
}

/// The linearity of all assigned levels together, and whether coefficients and terms are the same at all points and
/// times.
pub(super) fn linearity(stencil: &Stencil) -> (Linearity, bool) {
    let mut classes = Classes { stencil, temporaries: HashMap::new(), assigned: HashMap::new() };
    let mut all: Option<Linearity> = None;
    let mut varies = false;
    for statement in stencil.stages().iter().flat_map(|stage| &stage.statements) {
        match statement {
            Statement::Let { temporary, value } => {
                let class = classes.of(*value);
                classes.temporaries.insert(*temporary, class);
            }
            Statement::Assign { target, value } => {
                let class = classes.of(*value);
                classes.assigned.insert((target.grid, target.component), class);
                all = Some(all.map_or(class.linearity, |before| before.max(class.linearity)));
                varies |= class.varies;
            }
            Statement::Reduce { .. } => {}
        }
    }
    (all.unwrap_or(Constant), !varies)
}
