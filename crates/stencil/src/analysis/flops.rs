//! Operations per point.

use super::point_dependence;
use crate::definition::scalar::power_operations;
use crate::definition::{Binary, ExprId, Node, Reduction, Statement, Stencil, Unary};

/// Operations of a node alone.
fn own(node: &Node) -> u64 {
    match node {
        Node::Unary(Unary::Negate, _) | Node::Call(..) => 1,
        Node::Binary(operator, ..) => u64::from(!operator.is_comparison() && !operator.is_logical()),
        Node::Power(_, exponent) => power_operations(*exponent),
        _ => 0,
    }
}

/// Operations of each expression as a tree: what stands twice in a text is counted twice. Indices do not count.
fn trees(stencil: &Stencil) -> Vec<u64> {
    let mut counts: Vec<u64> = Vec::new();
    for node in &stencil.graph().nodes {
        let mut count = own(node);
        if !matches!(node, Node::Parameter { .. }) {
            node.for_each_operand(|operand| count = count.saturating_add(counts[operand.index()]));
        }
        counts.push(count);
    }
    counts
}

/// Operations per point and step, those of filters of all points included.
pub(super) fn flops(stencil: &Stencil) -> u64 {
    let trees = trees(stencil);
    let (_, varies) = point_dependence(stencil);
    let tree = |value: ExprId| trees[value.index()];
    let statements = stencil.stages().iter().flat_map(|stage| &stage.statements).map(|statement| match statement {
        Statement::Let { temporary, .. } if !varies[*temporary] => 0,
        Statement::Let { value, .. } | Statement::Assign { value, .. } => tree(*value),
        Statement::Reduce { reduction, value, .. } => {
            tree(*value).saturating_add(if *reduction == Reduction::Norm2 { 2 } else { 1 })
        }
    });
    let filters = stencil.filter().iter().filter(|filter| filter.point.is_none()).map(|filter| {
        let is_operation = |operator: Binary| !operator.is_comparison();
        tree(filter.value).saturating_add(u64::from(filter.operator.is_some_and(is_operation)))
    });
    statements.chain(filters).fold(0, u64::saturating_add)
}
