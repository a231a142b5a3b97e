//! Holders of the memory that an assignment writes.

use crate::node::{Node, Op, Storage};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// True if the array's node alone holds the memory, and one array alone the node.
pub(super) fn is_only_holder(array: &Node, memory: &Arc<dyn Storage>) -> bool {
    let is_only = array.references() == 1 && Arc::strong_count(memory) == 1;
    // What another thread did with the memory before it dropped its handle is done before the memory is written.
    fence(Ordering::Acquire);
    is_only
}

/// A node of the graph that was met.
struct Met<'a> {
    node: &'a Node,
    /// References to the node from the graph and its roots.
    references: usize,
    /// True if the node reads the memory.
    reads: bool,
}

/// True if nothing but the array's leaf and the expression `value` holds the memory with this identity, and nothing
/// else holds a part of the expression that reads it. Each of the two nodes is counted as held once.
pub(super) fn holds_alone(array: &Node, memory: usize, value: &Node) -> bool {
    let mut met: HashMap<usize, Met<'_>> = HashMap::new();
    // Operands are met before a node is met again to be finished.
    let mut stack = vec![(array, false), (value, false)];
    while let Some((node, is_finished)) = stack.pop() {
        if is_finished {
            let reads = node.operands().iter().any(|operand| met[&operand.id()].reads);
            if let Some(own) = met.get_mut(&node.id()) {
                own.reads |= reads;
            }
            continue;
        }
        if let Some(own) = met.get_mut(&node.id()) {
            own.references += 1;
            continue;
        }
        let reads = matches!(node.op(), Op::Leaf(leaf) if leaf.id() == memory);
        met.insert(node.id(), Met { node, references: 1, reads });
        stack.push((node, true));
        stack.extend(node.operands().iter().map(|operand| (operand, false)));
    }
    let mut readers = met.values().filter(|own| own.reads);
    if readers.any(|own| own.node.references() > own.references) {
        return false;
    }
    let leaves = met.values().filter_map(|own| match own.node.op() {
        Op::Leaf(leaf) if leaf.id() == memory => Some(leaf),
        _ => None,
    });
    let mut count = 0;
    let mut holders = 0;
    for leaf in leaves {
        count += 1;
        holders = Arc::strong_count(&leaf.storage);
    }
    // As above.
    fence(Ordering::Acquire);
    count == holders
}
