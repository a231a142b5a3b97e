//! Holders of the memory that an evaluation may write.

use crate::node::{Leaf, Node, Op, Storage};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// True if the array's node alone holds the memory, and one array alone the node.
pub(super) fn is_only_holder(array: &Node, memory: &Arc<dyn Storage>) -> bool {
    let is_only = array.references() == 1 && Arc::strong_count(memory) == 1;
    // Another thread's accesses before it dropped its handle come before the writes that follow.
    fence(Ordering::Acquire);
    is_only
}

/// A node of the graph that was met.
#[derive(Clone, Copy)]
struct Met {
    /// References to the node from the graph and its roots.
    references: usize,
    /// True if something else holds the node, or a node that reads it.
    is_shared: bool,
}

/// Memory that leaves of the graph read.
struct Memory<'a> {
    leaf: &'a Leaf,
    leaves: usize,
    is_shared: bool,
}

/// Identities of the memories that nothing but these expressions holds. Each root is counted as held once.
pub fn sole_memories<'a>(roots: impl IntoIterator<Item = &'a Node, IntoIter: Clone>) -> Vec<usize> {
    let roots = roots.into_iter();
    // Then all nodes below are shared, as those of each expression that is evaluated by reference.
    let times = |root: &Node| roots.clone().filter(|other| other.id() == root.id()).count();
    if roots.clone().all(|root| root.references() > times(root)) {
        return Vec::new();
    }
    let (order, mut met) = references(roots);
    // Each node comes before its operands.
    for node in order.iter().rev() {
        let Some(own) = met.get_mut(&node.id()) else { continue };
        own.is_shared |= node.references() > own.references;
        if own.is_shared {
            for operand in node.operands() {
                if let Some(operand) = met.get_mut(&operand.id()) {
                    operand.is_shared = true;
                }
            }
        }
    }
    let mut memories: HashMap<usize, Memory<'_>> = HashMap::new();
    for node in order {
        if let Op::Leaf(leaf) = node.op() {
            let memory = memories.entry(leaf.id()).or_insert(Memory { leaf, leaves: 0, is_shared: false });
            memory.leaves += 1;
            memory.is_shared |= met.get(&node.id()).is_none_or(|own| own.is_shared);
        }
    }
    memories.retain(|_, Memory { leaf, leaves, is_shared }| {
        !*is_shared && *leaves == Arc::strong_count(&leaf.storage) && Arc::weak_count(&leaf.storage) == 0
    });
    // Counts are read relaxed: what other holders did before they let go comes before what follows.
    fence(Ordering::Acquire);
    memories.into_keys().collect()
}

/// The nodes, operands first, and the references to each.
fn references<'a>(roots: impl IntoIterator<Item = &'a Node>) -> (Vec<&'a Node>, HashMap<usize, Met>) {
    let mut order = Vec::new();
    let mut met: HashMap<usize, Met> = HashMap::new();
    let mut stack: Vec<(&Node, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    while let Some((node, is_finished)) = stack.pop() {
        if is_finished {
            order.push(node);
            continue;
        }
        if let Some(own) = met.get_mut(&node.id()) {
            own.references += 1;
            continue;
        }
        met.insert(node.id(), Met { references: 1, is_shared: false });
        stack.push((node, true));
        stack.extend(node.operands().iter().map(|operand| (operand, false)));
    }
    (order, met)
}
