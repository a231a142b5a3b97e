//! The check that a step's loops compute each point of the domain once.
//!
//! Loops over all of a domain, whose bodies cover their boxes, cover it at any size. Other trees are executed on boxes:
//! a polynomial with a term for each computed point has to be that of the domain. It is evaluated modulo 2^61 - 1, so
//! that a wrong tree passes with a chance below 2^-28.

use super::syntax::At;
use super::tree::{Fault, Loop, LoopKind, Node, Ranges, Scalar, Tree, values};
use crate::definition::AXES;

/// The most iterations and boxes that are executed.
const MAX_BOXES: u64 = if cfg!(fuzzing) { 1 << 16 } else { 1 << 24 };
/// The most of them among which a wrong point is looked for.
const MAX_LISTED: u64 = 1 << 20;
/// The most points on an axis of a domain whose points are counted.
const MAX_LENGTH: i64 = 1 << 32;
/// A prime number.
const PRIME: u64 = (1 << 61) - 1;
/// Where the polynomial is evaluated, by axis.
const BASES: [u64; 8] = [
    0x0f3a_9d1b_5c27_e861,
    0x15c8_04e7_b9d2_3f4b,
    0x0b61_72fd_8e50_c937,
    0x1d94_ea36_07bf_5821,
    0x07e5_b148_d36c_9af3,
    0x1a2c_5f89_64e1_7b0d,
    0x1386_c0d5_f27a_49bb,
    0x09fb_3e62_a815_d047,
];

/// A box: the first and the last coordinate on each axis.
pub(super) type Block = Vec<(i64, i64)>;

/// A reason, and the byte of the text that it concerns.
pub(super) type Refusal = (At, String);

/// Checks the tree on a domain, and notes whether it covers all sizes, and the greatest number.
pub(super) fn check(tree: &mut Tree, domain: &Block) -> Result<(), Refusal> {
    let ranges: Ranges = domain.iter().map(|&(a, b)| (Scalar::Number(a), Scalar::Number(b))).collect();
    tree.largest = domain.iter().flat_map(|&(a, b)| [a.saturating_abs(), b.saturating_abs()]).max().unwrap_or(0);
    tree.covers_all = covers(&tree.nodes, &ranges);
    if tree.covers_all {
        return Ok(());
    }
    if domain.iter().any(|(first, last)| last - first >= MAX_LENGTH) {
        return Err((at_of(&tree.nodes), "the domain is too long for loops that do not cover all sizes".to_owned()));
    }
    let mut count = Count { domain, largest: tree.largest, boxes: 0 };
    let mut variables = vec![0; tree.variables];
    let sum = count.nodes(&tree.nodes, &mut variables)?;
    tree.largest = count.largest;
    if sum == value(domain, domain) { Ok(()) } else { Err(count.explain(tree)) }
}

/// The loops cover ranges by their structure.
fn covers(nodes: &[Node], ranges: &Ranges) -> bool {
    match nodes {
        [Node::Apply { ranges: own, .. }] => own == ranges,
        [Node::Loop(Loop { kind: LoopKind::Boxes { ranges: own, sizes, first, last }, body, .. })] => {
            let variables = || first.iter().zip(last);
            let inner = variables().map(|(&a, &b)| (Scalar::Variable(a), Scalar::Variable(b))).collect();
            own == ranges
                && sizes.iter().all(|size| matches!(size, Scalar::Number(size) if *size > 0))
                && covers(body, &inner)
        }
        _ => false,
    }
}

fn at_of(nodes: &[Node]) -> At {
    let each = nodes.iter().find_map(|node| match node {
        Node::Loop(own) => Some(own.at),
        Node::Apply { at, .. } => Some(*at),
        Node::If { then, otherwise, .. } => Some(at_of(if then.is_empty() { otherwise } else { then })),
        Node::Set { .. } => None,
    });
    each.unwrap_or_default()
}

const fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

const fn multiply(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    let folded = (product as u64 & PRIME) + (product >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        exponent >>= 1;
    }
    result
}

/// The sum of the terms of a box within the domain.
fn value(block: &Block, domain: &Block) -> u64 {
    let each = block.iter().zip(domain).enumerate().map(|(axis, (&(first, last), &(lower, _)))| {
        let base = BASES[axis % BASES.len()];
        // A geometric sum.
        let inverse = power(base - 1, PRIME - 2);
        let (low, high) = (
            power(base, first.wrapping_sub(lower) as u64),
            power(base, last.wrapping_sub(lower).wrapping_add(1) as u64),
        );
        multiply(add(high, PRIME - low), inverse)
    });
    each.fold(1, multiply)
}

fn is_empty(block: &Block) -> bool {
    block.iter().any(|(first, last)| last < first)
}

/// An execution on boxes.
struct Count<'d> {
    domain: &'d Block,
    largest: i64,
    boxes: u64,
}

impl Count<'_> {
    fn count(&mut self, at: At) -> Result<(), Refusal> {
        self.boxes += 1;
        if self.boxes > MAX_BOXES {
            return Err((at, format!("the loops have more than {MAX_BOXES} boxes, too many to check")));
        }
        Ok(())
    }

    /// Notes the greatest number.
    fn note(&mut self, scalars: &[&Scalar], variables: &[i64]) {
        let greatest = scalars.iter().map(|own| own.magnitude(variables)).max();
        self.largest = self.largest.max(greatest.unwrap_or(0));
    }

    fn nodes(&mut self, nodes: &[Node], variables: &mut Vec<i64>) -> Result<u64, Refusal> {
        let mut sum = 0;
        for node in nodes {
            sum = add(sum, self.node(node, variables)?);
        }
        Ok(sum)
    }

    fn node(&mut self, node: &Node, variables: &mut Vec<i64>) -> Result<u64, Refusal> {
        match node {
            Node::Set { variable, value } => {
                self.note(&[value], variables);
                let value = value.value(variables).ok_or((At::default(), NO_VALUE.to_owned()))?;
                variables[*variable] = value;
                Ok(0)
            }
            Node::If { condition, then, otherwise } => {
                self.note(&condition.scalars(), variables);
                match condition.value(variables) {
                    Some(true) => self.nodes(then, variables),
                    Some(false) => self.nodes(otherwise, variables),
                    None => Err((at_of(if then.is_empty() { otherwise } else { then }), NO_VALUE.to_owned())),
                }
            }
            Node::Apply { ranges, at, .. } => {
                self.count(*at)?;
                let scalars: Vec<&Scalar> = ranges.iter().flat_map(|(first, last)| [first, last]).collect();
                self.note(&scalars, variables);
                let block = values(ranges, variables).ok_or_else(|| (*at, NO_VALUE.to_owned()))?;
                self.apply(&block, *at)
            }
            Node::Loop(own) => {
                let iterations = own.check(variables).map_err(|fault| (own.at, explained(own, fault)))?;
                self.largest = self.largest.max(own.magnitude(variables));
                // Loops that cover their ranges by structure are one box.
                if let LoopKind::Boxes { ranges, .. } = &own.kind
                    && covers(std::slice::from_ref(node), ranges)
                {
                    let block = values(ranges, variables).unwrap_or_default();
                    return self.apply(&block, own.at);
                }
                let mut sum = 0;
                for number in 0..iterations.count() {
                    self.count(own.at)?;
                    iterations.enter(number, variables);
                    sum = add(sum, self.nodes(&own.body, variables)?);
                }
                Ok(sum)
            }
        }
    }

    /// A box is computed.
    fn apply(&mut self, block: &Block, at: At) -> Result<u64, Refusal> {
        if is_empty(block) {
            return Ok(0);
        }
        for (axis, (own, domain)) in block.iter().zip(self.domain).enumerate() {
            if own.0 < domain.0 || own.1 > domain.1 {
                let outside = if own.0 < domain.0 { own.0 } else { own.1 };
                let (axis, (first, last)) = (AXES[axis], domain);
                return Err((at, format!("the loop computes {axis} = {outside}, and the domain is {first} .. {last}")));
            }
        }
        Ok(value(block, self.domain))
    }

    /// The loop at fault, and a point that it misses or repeats.
    fn explain(&self, tree: &Tree) -> Refusal {
        let at_fault = culprit(&tree.nodes, &mut vec![0; tree.variables], self.domain);
        let (at, name) = at_fault.unwrap_or_else(|| (at_of(&tree.nodes), "the strategy".to_owned()));
        if self.boxes > MAX_LISTED {
            return (at, format!("{name} does not compute each point once"));
        }
        let mut all = Vec::new();
        collect(&tree.nodes, &mut vec![0; tree.variables], &mut all);
        let (point, count) = wrong_point(&all, self.domain.clone());
        let each = point.iter().enumerate().map(|(axis, own)| format!("{} = {own}", AXES[axis]));
        let point = each.collect::<Vec<_>>().join(", ");
        match count {
            0 => (at, format!("{name} leaves out the point {point}")),
            _ => (at, format!("{name} computes the point {point} {count} times")),
        }
    }
}

const NO_VALUE: &str = "a number has no value: it is beyond 64 bits, or a quotient by 0";

fn explained(own: &Loop, fault: Fault) -> String {
    match fault {
        Fault::NoValue => NO_VALUE.to_owned(),
        Fault::Size(size) => format!("the size of '{}' is {size}: sizes are positive", own.name),
        Fault::TooMany => format!("the loop over '{}' has too many iterations", own.name),
    }
}

/// All boxes that are computed.
fn collect(nodes: &[Node], variables: &mut Vec<i64>, all: &mut Vec<Block>) {
    for node in nodes {
        match node {
            Node::Set { variable, value } => variables[*variable] = value.value(variables).unwrap_or(0),
            Node::If { condition, then, otherwise } => {
                let is_true = condition.value(variables).unwrap_or(false);
                collect(if is_true { then } else { otherwise }, variables, all);
            }
            Node::Apply { ranges, .. } => {
                all.extend(values(ranges, variables).filter(|block| !is_empty(block)));
            }
            Node::Loop(Loop { kind: LoopKind::Boxes { ranges, .. }, .. })
                if covers(std::slice::from_ref(node), ranges) =>
            {
                all.extend(values(ranges, variables).filter(|block| !is_empty(block)));
            }
            Node::Loop(own) => {
                let iterations = own.iterations(variables);
                for number in 0..iterations.count() {
                    iterations.enter(number, variables);
                    collect(&own.body, variables, all);
                }
            }
        }
    }
}

/// A point that boxes do not cover once, and how often they do.
fn wrong_point(all: &[Block], mut within: Block) -> (Vec<i64>, usize) {
    let clipped = |within: &Block| -> Vec<Block> {
        let cut = |own: &Block| -> Block {
            own.iter().zip(within).map(|(own, all)| (own.0.max(all.0), own.1.min(all.1))).collect()
        };
        all.iter().map(cut).filter(|block| !is_empty(block)).collect()
    };
    loop {
        let inside = clipped(&within);
        let Some(axis) = (0..within.len())
            .filter(|&axis| within[axis].1 > within[axis].0)
            .max_by_key(|&axis| within[axis].1 - within[axis].0)
        else {
            return (within.iter().map(|(first, _)| *first).collect(), inside.len());
        };
        let (first, last) = within[axis];
        let middle = first + (last - first) / 2;
        let mut lower = within.clone();
        lower[axis].1 = middle;
        let domain = lower.clone();
        let sum = clipped(&lower).iter().fold(0, |sum, own| add(sum, value(own, &domain)));
        within[axis] = if sum != value(&lower, &domain) { (first, middle) } else { (middle + 1, last) };
    }
}

/// The innermost loop whose body does not cover its box, or the only statement in it.
fn culprit(nodes: &[Node], variables: &mut Vec<i64>, domain: &Block) -> Option<(At, String)> {
    let named = |node: &Node| match node {
        Node::Loop(own) => Some((own.at, format!("the loop over '{}'", own.name))),
        Node::Apply { at, .. } => Some((*at, "this statement".to_owned())),
        _ => None,
    };
    for node in nodes {
        match node {
            Node::Set { variable, value } => variables[*variable] = value.value(variables).unwrap_or(0),
            Node::If { condition, then, otherwise } => {
                let is_true = condition.value(variables).unwrap_or(false);
                let found = culprit(if is_true { then } else { otherwise }, variables, domain);
                if found.is_some() {
                    return found;
                }
            }
            Node::Loop(own @ Loop { kind: LoopKind::Boxes { first, last, .. }, .. }) => {
                let iterations = own.iterations(variables);
                for number in 0..iterations.count() {
                    iterations.enter(number, variables);
                    let block: Block = first.iter().zip(last).map(|(&a, &b)| (variables[a], variables[b])).collect();
                    let mut count = Count { domain, largest: 0, boxes: 0 };
                    let sum = count.nodes(&own.body, &mut variables.clone()).ok()?;
                    if sum != value(&block, domain) {
                        let inner = culprit(&own.body, &mut variables.clone(), domain);
                        let only = (own.body.len() == 1).then(|| named(&own.body[0])).flatten();
                        return inner.or(only).or_else(|| named(node));
                    }
                }
            }
            _ => {}
        }
    }
    let loops: Vec<&Node> = nodes.iter().filter(|node| !matches!(node, Node::Set { .. })).collect();
    match loops[..] {
        [only] => named(only),
        _ => None,
    }
}
