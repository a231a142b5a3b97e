//! Choice of the terms that are materialised: their elements lie in memory between kernels.
//!
//! One pass from operands to results keeps, for each term, what a kernel up to it would contain. A term is
//! materialised
//! - if it is an output, an operand or the result of a routine, of a scan, of a product or of a concatenation;
//! - if the kernel passed a limit: the operand with the most accesses then, of these the one with the fewest bytes;
//! - if a view shares it with others, or a broadcast would repeat elementary functions;
//! - if reductions over different axes share it and its work is more than a load;
//! - if the kernel had more than three loops, or shared rows had a second loop;
//! - if each operation has a kernel of its own.

use super::Limits;
use super::graph::{Graph, Id, Term, TermOp};
use super::space;
use crate::function::{Binary, Unary};
use crate::node::Op;

/// Reductions that a value in a loop may follow: kernels have up to three loops over a row.
pub(super) const MAX_LEVEL: usize = 2;
/// Accesses that a kernel writes at least, and spares for what the estimate does not see.
const WRITTEN: usize = 2;
/// Terms from which on work is not repeated for different axes.
const SHARED_NODES: usize = 6;

pub(super) struct Cuts {
    pub(super) is_materialised: Vec<bool>,
}

/// The contents of a kernel that computes a term.
#[derive(Clone, Default)]
struct Content {
    /// Distinct accesses and scalars by key, in order, with their argument bytes.
    accesses: Vec<(u64, u32)>,
    /// At least the distinct terms.
    nodes: usize,
    /// Reductions on the longest path.
    level: usize,
    has_elementary: bool,
    /// True if it reduces few, long rows.
    is_split: bool,
}

const SCALAR: u64 = 1 << 63;

impl Content {
    fn operands(&self) -> usize {
        self.accesses.iter().filter(|(key, _)| key & SCALAR == 0).count()
    }

    fn bytes(&self) -> usize {
        self.accesses.iter().map(|&(_, bytes)| bytes as usize).sum()
    }

    fn join(&mut self, other: &Content) {
        let mut merged = Vec::with_capacity(self.accesses.len() + other.accesses.len());
        let (mut a, mut b) = (self.accesses.iter().peekable(), other.accesses.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let is_same = x.0 == y.0;
            if x.0 <= y.0 {
                merged.extend(a.next());
                if is_same {
                    b.next();
                }
            } else {
                merged.extend(b.next());
            }
        }
        merged.extend(a);
        merged.extend(b);
        self.accesses = merged;
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.level = self.level.max(other.level);
        self.has_elementary |= other.has_elementary;
        self.is_split |= other.is_split;
    }
}

impl Cuts {
    pub(super) fn of(graph: &Graph, limits: &Limits) -> Cuts {
        let count = graph.terms.len();
        let mut pass =
            Pass { graph, limits, contents: vec![Content::default(); count], is_materialised: vec![false; count] };
        pass.share_between_axes();
        for id in 0..count {
            if graph.terms[id].uses > 0 {
                pass.visit(id);
                if limits.is_eager && is_operation(&graph.terms[id]) {
                    pass.materialise(id);
                }
            }
        }
        for &output in &graph.outputs {
            pass.materialise(output);
        }
        Cuts { is_materialised: pass.is_materialised }
    }

    /// True if kernels load the term, or compute it as a scalar or a constant.
    pub(super) fn is_source(&self, graph: &Graph, id: Id) -> bool {
        let term = &graph.terms[id];
        self.is_materialised[id] || term.is_scalar || matches!(term.op, TermOp::Leaf(..) | TermOp::Constant(_))
    }
}

/// True for a term whose elements lie at strides of what is materialised: a leaf, or a view of a materialised term.
pub(super) fn is_strided(graph: &Graph, is_materialised: &[bool], id: Id) -> bool {
    let term = &graph.terms[id];
    match &term.op {
        TermOp::Leaf(..) => true,
        _ if is_materialised[id] => true,
        TermOp::Op(Op::View(_)) => is_strided(graph, is_materialised, term.args[0]),
        _ => false,
    }
}

/// The operand of a conjugate, or the term itself.
pub(super) fn conjugated(graph: &Graph, id: Id) -> (Id, bool) {
    let term = &graph.terms[id];
    match term.op {
        TermOp::Op(Op::Complex(crate::node::Complex::Conj)) => (term.args[0], true),
        _ => (id, false),
    }
}

struct Pass<'a> {
    graph: &'a Graph,
    limits: &'a Limits,
    contents: Vec<Content>,
    is_materialised: Vec<bool>,
}

impl Pass<'_> {
    fn materialise(&mut self, id: Id) {
        let term = &self.graph.terms[id];
        if !matches!(term.op, TermOp::Leaf(..)) && !self.is_materialised[id] {
            self.is_materialised[id] = true;
            self.contents[id] = self.load(id);
        }
    }

    /// Contiguous memory has no strides where the kernel has its axes; the exact bytes are counted later.
    fn load(&self, id: Id) -> Content {
        let term = &self.graph.terms[id];
        let strides = match term.op {
            TermOp::Leaf(_, strides) if !strides.is_row_major(&term.shape) => 8 * term.shape.rank() as u32,
            _ => 0,
        };
        Content { accesses: vec![(id as u64, 16 + strides)], nodes: 1, ..Content::default() }
    }

    fn visit(&mut self, id: Id) {
        let term = &self.graph.terms[id];
        match &term.op {
            TermOp::Leaf(..) => self.contents[id] = self.load(id),
            _ if term.is_scalar => {
                let key = id as u64 | SCALAR;
                self.contents[id] = Content { accesses: vec![(key, 8)], nodes: 1, ..Content::default() };
            }
            TermOp::Constant(_) => self.contents[id].nodes = 1,
            TermOp::Gemm(_) => self.visit_product(id),
            TermOp::Op(Op::Scan { .. } | Op::Routine { .. }) => {
                for &arg in &term.args {
                    if !is_strided(self.graph, &self.is_materialised, arg) {
                        self.materialise(arg);
                    }
                }
                self.materialise(id);
            }
            TermOp::Op(Op::Concatenate { .. } | Op::Reshape) => self.materialise(id),
            TermOp::Op(Op::Gather { .. }) => {
                for &arg in &term.args {
                    if !is_strided(self.graph, &self.is_materialised, arg) {
                        self.materialise(arg);
                    }
                }
                self.combine(id);
            }
            TermOp::Op(Op::View(_)) => {
                let arg = term.args[0];
                let content = &self.contents[arg];
                // A view changes the map of all accesses: they are not those of the other uses.
                if self.graph.terms[arg].uses > 1 && content.level == 0 && !self.is_cheap(arg) {
                    self.materialise(arg);
                }
                self.cut_broadcasts(id);
                self.combine(id);
            }
            TermOp::Op(Op::Reduce { .. }) => {
                let arg = term.args[0];
                let level = self.contents[arg].level;
                if level > MAX_LEVEL || level == MAX_LEVEL && self.graph.terms[arg].uses > 1 {
                    self.materialise(arg);
                }
                self.combine(id);
            }
            TermOp::Op(_) | TermOp::MulAdd(_) | TermOp::Scalar(_) => {
                self.cut_broadcasts(id);
                self.combine(id);
            }
        }
    }

    /// Materialises a matrix product with its operands, but factors and conjugates of what lies in memory.
    fn visit_product(&mut self, id: Id) {
        let args = &self.graph.terms[id].args;
        for (position, &arg) in args.iter().enumerate() {
            let (inner, _) = conjugated(self.graph, arg);
            let is_matrix = position < 2 && is_strided(self.graph, &self.is_materialised, inner);
            let is_factor = position >= 2 && self.graph.terms[arg].is_scalar;
            if !is_matrix && !is_factor && !is_strided(self.graph, &self.is_materialised, arg) {
                self.materialise(arg);
            }
        }
        self.materialise(id);
    }

    /// True if loading it costs as much as computing it.
    fn is_cheap(&self, id: Id) -> bool {
        let term = &self.graph.terms[id];
        term.is_scalar
            || self.is_materialised[id]
            || matches!(term.op, TermOp::Leaf(..) | TermOp::Constant(_) | TermOp::Op(Op::Iota))
            || self.contents[id].nodes <= 2 && self.contents[id].level == 0 && !self.contents[id].has_elementary
    }

    /// Materialises operands that would be computed again for many points.
    fn cut_broadcasts(&mut self, id: Id) {
        let term = &self.graph.terms[id];
        for &arg in &term.args {
            let len = self.graph.terms[arg].shape.len();
            let content = &self.contents[arg];
            let is_repeated = len < term.shape.len() && !self.is_cheap(arg);
            let is_costly = content.level == 0 && content.has_elementary && len > 1;
            if is_repeated && (is_costly || content.is_split || content.level > MAX_LEVEL) {
                self.materialise(arg);
            }
        }
    }

    /// Joins the operands' contents, and materialises operands until the limits hold.
    fn combine(&mut self, id: Id) {
        loop {
            let content = self.joined(id);
            let limits = self.limits;
            let term = &self.graph.terms[id];
            let written = WRITTEN * (16 + 8 * term.shape.rank()) + 8 * term.shape.rank();
            let is_within = content.operands() + WRITTEN <= limits.operands.max(WRITTEN + 3)
                && content.bytes() + written <= limits.argument_bytes
                && content.nodes <= limits.nodes;
            let largest = term.args.iter().copied().filter(|&arg| !self.is_cheap(arg)).max_by_key(|&arg| {
                let bytes = self.graph.terms[arg].shape.len() * self.graph.terms[arg].element.bytes();
                (self.contents[arg].accesses.len(), self.contents[arg].nodes, std::cmp::Reverse(bytes))
            });
            match largest {
                Some(largest) if !is_within => self.materialise(largest),
                _ => {
                    self.contents[id] = content;
                    return;
                }
            }
        }
    }

    fn joined(&self, id: Id) -> Content {
        let term = &self.graph.terms[id];
        let mut content = Content { nodes: 1, ..Content::default() };
        for &arg in &term.args {
            content.join(&self.contents[arg]);
        }
        if content.nodes > self.limits.nodes {
            content.nodes = self.distinct_nodes(id);
        }
        match &term.op {
            TermOp::Op(Op::Unary(function)) => content.has_elementary |= is_elementary(*function),
            TermOp::Op(Op::Binary(function)) => {
                content.has_elementary |= matches!(function, Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Rem);
            }
            TermOp::Op(Op::Philox(_)) => content.has_elementary = true,
            TermOp::Op(Op::View(_)) => {
                for (key, _) in &mut content.accesses {
                    if *key & SCALAR == 0 {
                        *key = (*key ^ (id as u64) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) & !SCALAR;
                    }
                }
                content.accesses.sort_unstable();
            }
            &TermOp::Op(Op::Reduce { axes, .. }) => {
                content.level += 1;
                let from = &self.graph.terms[term.args[0]].shape;
                content.is_split |= space::is_split(term.shape.len(), from.len_of(axes));
            }
            _ => {}
        }
        content
    }

    /// Distinct terms up to the nearest sources, counted to the limit.
    fn distinct_nodes(&self, id: Id) -> usize {
        let mut seen = crate::key::IdMap::default();
        let mut stack = self.graph.terms[id].args.clone();
        while let Some(id) = stack.pop() {
            if seen.insert(id, ()).is_none() && !self.is_materialised[id] {
                stack.extend(&self.graph.terms[id].args);
            }
            if seen.len() > self.limits.nodes {
                break;
            }
        }
        seen.len() + 1
    }

    /// Reductions over different axes are different kernels. They share more than a load by memory.
    fn share_between_axes(&mut self) {
        let count = self.graph.terms.len();
        let mut first: Vec<Option<crate::shape::Axes>> = vec![None; count];
        let mut work = vec![1usize; count];
        for id in 0..count {
            let term = &self.graph.terms[id];
            if term.uses == 0 {
                continue;
            }
            let args = term.args.iter();
            work[id] = args.map(|&arg| work[arg]).fold(1usize, |a, b| a.saturating_add(b)).min(SHARED_NODES + 1);
            if let TermOp::Op(Op::Reduce { axes, .. }) = term.op {
                let arg = term.args[0];
                match first[arg] {
                    Some(other) if other != axes && work[arg] > SHARED_NODES => self.materialise(arg),
                    _ => first[arg] = Some(axes),
                }
            }
        }
    }
}

/// True if elements are computed: generated and viewed ones are not.
fn is_operation(term: &Term) -> bool {
    let is_computing = match &term.op {
        TermOp::MulAdd(_) => true,
        TermOp::Op(op) => op.is_elementwise() || matches!(op, Op::Reduce { .. } | Op::Gather { .. }),
        _ => false,
    };
    is_computing && !term.is_scalar && !term.args.is_empty()
}

/// True for functions that are more than a few instructions.
fn is_elementary(function: Unary) -> bool {
    !matches!(
        function,
        Unary::Neg
            | Unary::Not
            | Unary::Abs
            | Unary::Sign
            | Unary::Square
            | Unary::Floor
            | Unary::Ceil
            | Unary::Trunc
            | Unary::Round
            | Unary::IsNan
            | Unary::IsInfinite
            | Unary::IsFinite
            | Unary::SignBit
            | Unary::Recip
            | Unary::Sqrt
    )
}
