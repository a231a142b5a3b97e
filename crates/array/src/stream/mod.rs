//! Expressions of operands in the host's memory, in pieces: a device computes one piece while the bus brings the next
//! one and takes the last one back.
//!
//! ```text
//!   outputs   [n, ...]     cut along the first axis: rows lo .. hi of every output
//!   operands  [n, ...]     their rows lo .. hi
//!             [m] or [1]   whole, brought once
//!   sum(x)                 pieces of whole chunks of its order, whose results are joined on the host
//! ```
//!
//! A piece is an expression of its own, of the same kernels: shapes are arguments. Elements and sums have the same bits
//! as those of the whole expression.

mod cut;
mod reduce;
#[cfg(test)]
mod tests;

pub use reduce::Reducible;

use crate::node::{Leaf, Node, Op, Operands, Storage};
use crate::shape::Shape;
use cut::Cutter;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Expressions that can be evaluated in pieces along their first axis.
pub struct Pieces {
    outputs: Vec<Node>,
    extent: usize,
    row_bytes: usize,
}

/// Rows of a trial piece: orders of reductions follow from shapes, in which an extent of 1 is special.
const MIN_ROWS: usize = 2;

/// Nodes on the longest path of an expression that is cut: deeper ones are evaluated as a whole.
const MAX_DEPTH: u32 = 256;

impl Pieces {
    /// The outputs, which have one extent along their first axis. Those operands of the host that pieces do not cut are
    /// replaced by what `upload` makes of their memory.
    ///
    /// `None` where an output cannot be cut.
    ///
    /// # Errors
    /// Those of `upload`.
    pub fn of<E>(
        outputs: &[Node],
        mut upload: impl FnMut(&Arc<dyn Storage>) -> Result<Arc<dyn Storage>, E>,
    ) -> Result<Option<Pieces>, E> {
        let first = outputs.first().and_then(|output| output.shape().first().copied());
        let Some(extent) = first.filter(|&extent| extent >= 2 * MIN_ROWS) else { return Ok(None) };
        if outputs.iter().any(|output| output.shape().first() != Some(&extent) || output.depth() > MAX_DEPTH) {
            return Ok(None);
        }
        let mut cuts = HashMap::new();
        let mut trial = Cutter::new(0..extent / 2, |leaf: &Leaf, shape: &Shape| {
            let span = leaf.strides.span(shape).map_or(0, |(first, last)| (last - first + 1) as usize);
            // Rows that do not lie together would be brought with all that is between them.
            let bytes = span * leaf.storage.element().bytes();
            cuts.entry(id(&leaf.storage)).or_insert((true, 0)).1 += bytes;
            if span > 2 * shape.len() {
                cuts.insert(id(&leaf.storage), (false, 0));
            }
            Ok::<_, std::convert::Infallible>(leaf.clone())
        });
        for output in outputs {
            if !matches!(trial.cut(output, 0), Ok(Some(_))) {
                return Ok(None);
            }
        }
        let whole = trial.whole();
        for storage in &whole {
            cuts.insert(id(storage), (false, 0));
        }
        let row_bytes = cuts.values().map(|(_, bytes)| bytes).sum::<usize>().div_ceil(extent / 2);
        let outputs = replace(outputs, |storage| match cuts.get(&id(storage)) {
            Some((false, _)) => upload(storage).map(Some),
            _ => Ok(None),
        })?;
        Ok(Some(Pieces { outputs, extent, row_bytes }))
    }

    /// Elements along the first axis.
    pub const fn extent(&self) -> usize {
        self.extent
    }

    /// Bytes that the host gives for an index of the first axis; 0 where pieces cut no operand of the host.
    pub const fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The ranges of pieces of about `rows` rows.
    pub fn ranges(&self, rows: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let extent = self.extent;
        let pieces = (extent / rows.max(MIN_ROWS)).max(1);
        let rows = extent.div_ceil(pieces).max(MIN_ROWS);
        let count = (extent / rows).max(1);
        (0..count).map(move |k| k * rows..if k + 1 == count { extent } else { (k + 1) * rows })
    }

    /// The rows of all outputs. `memory` gives memory of the device with the elements of an operand of the host: a leaf
    /// of the same shape.
    ///
    /// # Errors
    /// Those of `memory`.
    pub fn piece<E>(
        &self,
        rows: Range<usize>,
        memory: impl FnMut(&Leaf, &Shape) -> Result<Leaf, E>,
    ) -> Result<Vec<Node>, E> {
        let mut cutter = Cutter::new(rows, memory);
        let cut = |output| Ok(cutter.cut(output, 0)?.expect("the trial piece was cut"));
        self.outputs.iter().map(cut).collect()
    }
}

/// The identity of memory.
fn id(storage: &Arc<dyn Storage>) -> usize {
    Arc::as_ptr(storage).cast::<()>() as usize
}

/// Bytes of the host's memory that expressions read, each memory once.
pub fn host_bytes(nodes: &[Node]) -> usize {
    let mut bytes = HashMap::new();
    let mut known = HashMap::new();
    let mut visit = |storage: &Arc<dyn Storage>| {
        bytes.insert(id(storage), storage.len() * storage.element().bytes());
        Ok::<_, std::convert::Infallible>(None)
    };
    for node in nodes {
        let _ = replaced(node, &mut known, &mut visit);
    }
    bytes.values().sum()
}

/// The expressions with other ones in the place of some of their parts.
pub fn substitute(nodes: &[Node], others: &[(Node, Node)]) -> Vec<Node> {
    let mut known = others.iter().map(|(part, other)| (part.id(), other.clone())).collect();
    let all = nodes.iter().map(|node| rebuild(node, &mut known, &mut |_| Ok::<_, std::convert::Infallible>(None)));
    all.filter_map(Result::ok).collect()
}

/// The expressions with other memory in the place of the host's; `None` leaves it.
///
/// # Errors
/// Those of `other`.
pub fn replace<E>(
    nodes: &[Node],
    mut other: impl FnMut(&Arc<dyn Storage>) -> Result<Option<Arc<dyn Storage>>, E>,
) -> Result<Vec<Node>, E> {
    let mut memories: HashMap<usize, Option<Arc<dyn Storage>>> = HashMap::new();
    let mut known = HashMap::new();
    let mut once = |storage: &Arc<dyn Storage>| match memories.get(&id(storage)) {
        Some(memory) => Ok(memory.clone()),
        None => {
            let memory = other(storage)?;
            memories.insert(id(storage), memory.clone());
            Ok(memory)
        }
    };
    nodes.iter().map(|node| replaced(node, &mut known, &mut once)).collect()
}

fn replaced<E>(
    node: &Node,
    known: &mut HashMap<usize, Node>,
    other: &mut impl FnMut(&Arc<dyn Storage>) -> Result<Option<Arc<dyn Storage>>, E>,
) -> Result<Node, E> {
    rebuild(node, known, &mut |node| match node.op() {
        Op::Leaf(leaf) if is_host(leaf) => Ok(other(&leaf.storage)?.map(|storage| {
            let leaf = Leaf { storage, ..leaf.clone() };
            Node::new(Op::Leaf(leaf), Operands::Zero, node.element(), *node.shape())
        })),
        _ => Ok(None),
    })
}

/// True for memory of the host that belongs to no context.
fn is_host(leaf: &Leaf) -> bool {
    leaf.storage.host().is_some()
}

/// The expression with other nodes in the place of some, which `other` gives; what is above them is made anew.
///
/// A loop: graphs may be deep.
fn rebuild<E>(
    root: &Node,
    known: &mut HashMap<usize, Node>,
    other: &mut impl FnMut(&Node) -> Result<Option<Node>, E>,
) -> Result<Node, E> {
    let mut stack = vec![(root, false)];
    while let Some((node, has_operands)) = stack.pop() {
        if known.contains_key(&node.id()) {
            continue;
        }
        if !has_operands {
            if let Some(other) = other(node)? {
                known.insert(node.id(), other);
                continue;
            }
            stack.push((node, true));
            stack.extend(node.operands().iter().map(|operand| (operand, false)));
            continue;
        }
        let operands: Vec<Node> = node.operands().iter().map(|operand| known[&operand.id()].clone()).collect();
        let is_same = operands.iter().zip(node.operands()).all(|(new, old)| new.id() == old.id());
        let new = if is_same { node.clone() } else { node.with_operands(&operands, *node.shape()) };
        known.insert(node.id(), new);
    }
    Ok(known[&root.id()].clone())
}
