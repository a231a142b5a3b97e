//! Random expressions: plans give what direct evaluation gives.

use super::storage::execute;
use super::{checked_with, compare, outputs};
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::node::{Complex, Node};
use crate::plan::{Limits, Plan};
use crate::shape::{Axes, Shape, Strides};
use crate::slice::Slice;
use crate::testing::Random;

use super::storage::Bytes;

const TYPES: [ElementType; 9] = ElementType::ALL;

/// Small whole numbers: sums and products are exact, so that their order does not matter.
fn leaf(random: &mut Random, extents: &[usize]) -> Node {
    let element = random.choose(&TYPES);
    let shape = Shape::new(extents).unwrap();
    let mut axes: Vec<usize> = (0..extents.len()).collect();
    if random.chance(40) {
        axes.reverse();
    }
    let (mut strides, mut stride) = (vec![0; extents.len()], 1 + i64::from(random.chance(20)));
    for &axis in axes.iter().rev() {
        if random.chance(85) {
            strides[axis] = stride;
            stride *= extents[axis].max(1) as i64 + i64::from(random.chance(20));
        }
    }
    let offset = random.below(3);
    let part = |random: &mut Random| {
        let small = random.below(7) as f64 - 3.0;
        let value = if element == ElementType::U8 || element == ElementType::U32 { small.abs() } else { small };
        match Number::of_real(value, element.part()) {
            Number::Real(value) => value,
            Number::Complex(value, _) => value,
        }
    };
    let length = offset + stride as usize * extents.iter().copied().max().unwrap_or(1).max(1) + 2;
    let numbers: Vec<Number> = (0..length)
        .map(|_| match element.is_complex() {
            true => Number::Complex(part(random), part(random)),
            false if element == ElementType::Bool => Number::Real(Value::Bool(random.chance(50))),
            false => Number::Real(part(random)),
        })
        .collect();
    Node::leaf(Bytes::storage(element, &numbers), offset, shape, Strides::new(&strides).unwrap())
}

/// The parts' bits. A NaN may be any of them.
fn bits(number: Number) -> [u64; 2] {
    let of = |value: Value| match value {
        Value::F32(x) if x.is_nan() => 1,
        Value::F64(x) if x.is_nan() => 1,
        value => value.bits(),
    };
    match number {
        Number::Real(value) => [of(value), 0],
        Number::Complex(re, im) => [of(re), of(im)],
    }
}

/// The node with values of at most 8 in magnitude.
fn bounded(node: &Node) -> Node {
    let element = node.element();
    if element == ElementType::Bool {
        return node.clone();
    }
    if element.is_complex() {
        let (re, im) = (bounded(&node.complex(Complex::Re)), bounded(&node.complex(Complex::Im)));
        return re.complex_of(Complex::FromParts, &im);
    }
    let bound = |value| Node::scalar(Number::of_real(value, element));
    let low = if matches!(element, ElementType::U8 | ElementType::U32) { 0.0 } else { -8.0 };
    node.binary(Binary::Min, &bound(8.0)).binary(Binary::Max, &bound(low))
}

struct Graph<'a> {
    random: &'a mut Random,
    nodes: Vec<Node>,
}

impl Graph<'_> {
    fn any(&mut self) -> Node {
        let late = self.random.below(self.nodes.len());
        let index = late.max(self.random.below(self.nodes.len()));
        self.nodes[index].clone()
    }

    /// A node of the type that broadcasts with another one.
    fn partner(&mut self, node: &Node) -> Node {
        let fits = |other: &&Node| {
            other.element() == node.element()
                && other.shape().broadcast(node.shape(), "test").is_ok_and(|shape| shape.len() <= 400)
        };
        let found: Vec<Node> = self.nodes.iter().filter(fits).cloned().collect();
        found[self.random.below(found.len())].clone()
    }

    fn grow(&mut self) {
        let x = self.any();
        let next = match self.random.below(14) {
            0..3 => self.binary(&x),
            3 => self.unary(&x),
            4 => x.convert(self.target(&x)),
            5 | 6 => self.reduction(&x),
            7 => self.slice(&x),
            8 if x.shape().rank() > 1 => x.transpose(),
            9 if !x.shape().is_empty() => x.reshape(&Shape::new(&[x.shape().len()]).unwrap()),
            10 => {
                let partner = self.partner(&x);
                let mask = x.binary(Binary::Eq, &partner);
                mask.select(&x, &partner)
            }
            11 if x.shape().rank() > 0 && !x.shape().is_empty() => self.gather(&x),
            12 if x.shape().rank() > 0 && x.element() != ElementType::Bool => {
                x.convert(x.element()).scan(Reduction::Sum, self.random.below(x.shape().rank()) as i64)
            }
            13 => self.join(&x),
            _ => return,
        };
        if next.error().is_none() && next.shape().len() <= 400 {
            self.nodes.push(bounded(&next));
            self.nodes.push(next);
        }
    }

    fn target(&mut self, x: &Node) -> ElementType {
        let to = self.random.choose(&TYPES);
        if x.element().is_complex() && !to.is_complex() { x.element() } else { to }
    }

    fn binary(&mut self, x: &Node) -> Node {
        let y = self.partner(x);
        let (x, y) = (bounded(x), bounded(&y));
        match x.element() {
            ElementType::Bool => x.binary(self.random.choose(&[Binary::And, Binary::Or, Binary::Xor]), &y),
            ElementType::C32 | ElementType::C64 => {
                x.binary(self.random.choose(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Ne]), &y)
            }
            _ => {
                let functions =
                    [Binary::Add, Binary::Sub, Binary::Mul, Binary::Min, Binary::Max, Binary::Lt, Binary::Rem];
                let z = x.binary(self.random.choose(&functions), &y);
                // A product that is added.
                if z.element() == x.element() && self.random.chance(30) {
                    x.binary(Binary::Mul, &y).binary(Binary::Add, &z)
                } else {
                    z
                }
            }
        }
    }

    fn unary(&mut self, x: &Node) -> Node {
        match x.element() {
            ElementType::Bool => x.unary(Unary::Not),
            ElementType::C32 | ElementType::C64 => match self.random.below(4) {
                0 => x.complex(Complex::Re),
                1 => x.complex(Complex::NormSquared),
                2 => x.complex(Complex::Conj),
                _ => x.unary(Unary::Neg),
            },
            element if element.is_real() => {
                x.unary(self.random.choose(&[Unary::Neg, Unary::Abs, Unary::Square, Unary::Floor]))
            }
            _ => x.unary(self.random.choose(&[Unary::Neg, Unary::Abs, Unary::Not])),
        }
    }

    fn reduction(&mut self, x: &Node) -> Node {
        let mut axes = Axes::default();
        for axis in 0..x.shape().rank() {
            if self.random.chance(60) {
                axes = axes.with(axis);
            }
        }
        let x = bounded(x);
        let reduction = match x.element() {
            ElementType::Bool => self.random.choose(&[Reduction::Any, Reduction::All]),
            ElementType::C32 | ElementType::C64 => Reduction::Sum,
            _ => {
                self.random.choose(&[Reduction::Sum, Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::ArgMax])
            }
        };
        let keep = self.random.chance(60);
        let reduced = x.reduce(reduction, axes, keep);
        if keep && reduced.element() == x.element() && x.element().is_number() && reduced.error().is_none() {
            return bounded(&x.binary(Binary::Sub, &bounded(&reduced)));
        }
        reduced
    }

    fn slice(&mut self, x: &Node) -> Node {
        let slices: Vec<Slice> = x
            .shape()
            .iter()
            .map(|&extent| match self.random.below(4) {
                0 if extent > 1 => Slice::from(1..),
                1 if extent > 1 => Slice::from(..-1),
                2 if extent > 0 => Slice::Index(self.random.below(extent) as i64),
                _ => Slice::FULL,
            })
            .collect();
        let sliced = x.slice(&slices);
        if self.random.chance(30) { sliced.reverse(Axes::all(sliced.shape().rank())) } else { sliced }
    }

    fn gather(&mut self, x: &Node) -> Node {
        let axis = self.random.below(x.shape().rank());
        let extent = x.shape()[axis] as i64;
        let count = 1 + self.random.below(4);
        let numbers: Vec<Number> = (0..count)
            .map(|_| Number::Real(Value::I64(self.random.below(2 * extent as usize) as i64 - extent)))
            .collect();
        let indices = Node::contiguous(Bytes::storage(ElementType::I64, &numbers), Shape::new(&[count]).unwrap());
        let indices = if self.random.chance(30) {
            indices.binary(Binary::Add, &Node::scalar(Number::Real(Value::I64(0))))
        } else {
            indices
        };
        x.gather(axis as i64, &indices)
    }

    fn join(&mut self, x: &Node) -> Node {
        if x.shape().rank() == 0 {
            return x.clone();
        }
        let axis = self.random.below(x.shape().rank()) as i64;
        let y = x.unary(if x.element() == ElementType::Bool { Unary::Not } else { Unary::Neg });
        Node::concatenate(axis, &[x.clone(), y])
    }
}

fn random_nodes(seed: u64) -> Vec<Node> {
    let mut random = Random::new(seed);
    let extents = [vec![4, 5], vec![5], vec![3, 1, 5], vec![], vec![2, 3, 4, 5], vec![4, 1]];
    let mut nodes = Vec::new();
    for _ in 0..2 + random.below(5) {
        let extents = &extents[random.below(extents.len())];
        nodes.push(leaf(&mut random, extents));
    }
    let count = 3 + random.below(25);
    let mut graph = Graph { random: &mut random, nodes };
    for _ in 0..count {
        graph.grow();
    }
    let nodes = graph.nodes;
    let last = nodes.len() - 1;
    (0..1 + random.below(3)).map(|k| nodes[last - k.min(last)].clone()).collect()
}

#[test]
fn random_expressions_have_the_values_of_direct_evaluation() {
    for seed in 0..600 {
        let nodes = random_nodes(seed);
        checked_with(&nodes, &Limits::default());
    }
}

#[test]
fn tight_limits_keep_the_values() {
    let limits = Limits { operands: 6, nodes: 12, argument_bytes: 400, is_eager: false };
    for seed in 0..200 {
        let nodes = random_nodes(seed);
        let plan = checked_with(&nodes, &limits);
        let accesses = plan.steps.iter().map(|step| step.operands().len()).max();
        assert!(accesses <= Some(limits.operands), "{}", plan.explain());
    }
}

#[test]
fn a_kernel_for_each_operation_keeps_the_bits() {
    let eager = Limits { is_eager: true, ..Limits::default() };
    for seed in 0..300 {
        let nodes = random_nodes(seed);
        let results = [Limits::default(), eager].map(|limits| {
            let (plan, bindings) = Plan::new(&outputs(&nodes), &limits).unwrap();
            execute(&plan, &bindings).unwrap_or_else(|error| panic!("{error}"))
        });
        let [fused, eager] = results.map(|results| results.concat().into_iter().map(bits).collect::<Vec<_>>());
        assert!(fused == eager, "seed {seed}");
    }
}

#[test]
fn results_in_the_memory_of_operands_keep_the_values() {
    for seed in 0..200 {
        let nodes = random_nodes(seed);
        let (plan, bindings) = Plan::reusing(&outputs(&nodes), &Limits::default(), |_| true).unwrap();
        compare(&plan, &bindings, &nodes);
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_random_expressions_have_the_values_of_direct_evaluation() {
    for seed in 1000..40_000 {
        let nodes = random_nodes(seed);
        checked_with(&nodes, &Limits::default());
        if seed % 3 == 0 {
            checked_with(&nodes, &Limits { operands: 6, nodes: 12, argument_bytes: 400, is_eager: false });
            let (plan, bindings) = Plan::reusing(&outputs(&nodes), &Limits::default(), |_| true).unwrap();
            compare(&plan, &bindings, &nodes);
        }
    }
}
