//! Random expressions: all operations and functions, rank 0 to 4, broadcasts, views, masks and reductions of all types
//! have the reference's bits on every context.

use super::reference;
use affinimath::Context;
use affinimath_array::element::Number;
use affinimath_array::executor::AsExecutor;
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::node::{Complex, Storage};
use affinimath_array::testing::Random;
use affinimath_array::{Axes, ElementType, Node, Shape, Slice, Value};
use std::ops::Range;
use std::sync::Arc;

const UNARY: [Unary; 38] = [
    Unary::Neg,
    Unary::Not,
    Unary::Abs,
    Unary::Sign,
    Unary::Recip,
    Unary::Square,
    Unary::Sqrt,
    Unary::Cbrt,
    Unary::Exp,
    Unary::Exp2,
    Unary::Expm1,
    Unary::Ln,
    Unary::Log2,
    Unary::Log10,
    Unary::Log1p,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Asin,
    Unary::Acos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Tanh,
    Unary::Erf,
    Unary::Erfc,
    Unary::Normcdf,
    Unary::Gamma,
    Unary::Lgamma,
    Unary::Floor,
    Unary::Ceil,
    Unary::Trunc,
    Unary::Round,
    Unary::IsNan,
    Unary::IsInfinite,
    Unary::IsFinite,
    Unary::SinPi,
    Unary::CosPi,
];
const BINARY: [Binary; 21] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Min,
    Binary::Max,
    Binary::Pow,
    Binary::Atan2,
    Binary::Hypot,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::Eq,
    Binary::Ne,
];
const COMPLEX: [Complex; 5] = [Complex::Re, Complex::Im, Complex::Conj, Complex::Arg, Complex::NormSquared];
const REDUCTIONS: [Reduction; 8] = [
    Reduction::Sum,
    Reduction::Product,
    Reduction::Min,
    Reduction::Max,
    Reduction::Any,
    Reduction::All,
    Reduction::ArgMin,
    Reduction::ArgMax,
];
/// Elements of the largest expression.
const MAX_LEN: usize = 3000;

type Upload<'a> = &'a dyn Fn(ElementType, &[Number]) -> Arc<dyn Storage>;

/// The elements of expressions.
#[derive(Clone, Copy)]
pub struct Elements {
    pub has_doubles: bool,
    /// True without special values.
    pub is_tame: bool,
}

/// The expressions of the seeds have the reference's bits.
pub fn check(context: &Context, seeds: Range<u64>) {
    let has_doubles = context.device().is_none_or(|device| device.info().fp64);
    let elements = Elements { has_doubles, is_tame: false };
    for seed in seeds {
        let nodes = in_reference(seed, elements);
        let results = evaluate(context, seed, elements);
        for ((node, found), expected) in nodes.iter().zip(results).zip(reference::evaluate(&nodes)) {
            let is_same = |(x, y): (&Number, &Number)| bits(*x) == bits(*y);
            if let Some(index) = expected.iter().zip(&found).position(|pair| !is_same(pair)) {
                let (expected, found) = (expected[index], found[index]);
                panic!("seed {seed}, element {index}: {found:?} instead of {expected:?} of {node:?}");
            }
            assert_eq!(expected.len(), found.len());
        }
    }
}

/// The expressions of a seed, with operands in the reference's memory.
pub fn in_reference(seed: u64, elements: Elements) -> Vec<Node> {
    expressions(seed, elements, &reference::storage)
}

/// The results of a seed's expressions on a context, evaluated together.
pub fn evaluate(context: &Context, seed: u64, elements: Elements) -> Vec<Vec<Number>> {
    let executor = context.as_executor();
    let upload = |element, numbers: &[Number]| {
        reference::with_slice(element, numbers, |elements| executor.upload(elements)).unwrap()
    };
    let nodes = expressions(seed, elements, &upload);
    let leaves = executor.evaluate(&nodes).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let results = nodes.iter().zip(leaves).map(|(node, leaf)| {
        reference::numbers(Node::leaf(leaf.storage, leaf.offset, *node.shape(), leaf.strides)).unwrap()
    });
    results.collect()
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

/// The last of the expressions that the seed makes.
fn expressions(seed: u64, elements: Elements, upload: Upload<'_>) -> Vec<Node> {
    let mut random = Random::new(seed);
    let extents: [&[usize]; 8] = [&[4, 5], &[5], &[3, 1, 5], &[], &[2, 3, 4, 5], &[4, 1], &[1, 7, 33], &[2, 1300]];
    let mut graph = Graph { random: &mut random, elements, upload, nodes: Vec::new() };
    for _ in 0..4 {
        let extents = graph.random.choose(&extents);
        let element = graph.element();
        graph.leaf(element, extents);
    }
    let wanted = 9 + graph.random.below(8);
    while graph.nodes.len() < wanted {
        graph.grow();
    }
    let last = graph.nodes.len() - 1;
    let count = 1 + graph.random.below(3);
    (0..count).map(|k| graph.nodes[last - k].clone()).collect()
}

struct Graph<'a> {
    random: &'a mut Random,
    elements: Elements,
    upload: Upload<'a>,
    nodes: Vec<Node>,
}

impl Graph<'_> {
    fn element(&mut self) -> ElementType {
        loop {
            let element = self.random.choose(&ElementType::ALL);
            if self.elements.has_doubles || !element.is_double() {
                return element;
            }
        }
    }

    fn leaf(&mut self, element: ElementType, extents: &[usize]) -> Node {
        let shape = Shape::new(extents).unwrap();
        let numbers: Vec<Number> = (0..shape.len())
            .map(|_| match element.is_complex() {
                true => Number::Complex(self.value(element.part()), self.value(element.part())),
                false => Number::Real(self.value(element)),
            })
            .collect();
        let node = Node::contiguous((self.upload)(element, &numbers), shape);
        self.nodes.push(node.clone());
        node
    }

    fn value(&mut self, element: ElementType) -> Value {
        let value = self.random.value(element);
        match value {
            Value::F32(x) if self.elements.is_tame && !(1e-4..8.0).contains(&x.abs()) => Value::F32(0.75),
            Value::F64(x) if self.elements.is_tame && !(1e-4..8.0).contains(&x.abs()) => Value::F64(0.75),
            value => value,
        }
    }

    /// One of the nodes, more often a late one.
    fn any(&mut self) -> Node {
        let index = self.random.below(self.nodes.len()).max(self.random.below(self.nodes.len()));
        self.nodes[index].clone()
    }

    /// A node of the type that broadcasts with another one: itself where there is no other.
    fn partner(&mut self, node: &Node) -> Node {
        let fits = |other: &&Node| {
            let shape = other.shape().broadcast(node.shape(), "test");
            other.element() == node.element() && shape.is_ok_and(|shape| shape.len() <= MAX_LEN && shape.rank() <= 4)
        };
        let found: Vec<Node> = self.nodes.iter().filter(fits).cloned().collect();
        found[self.random.below(found.len())].clone()
    }

    /// Adds a node, where the drawn operation is defined for the drawn operands.
    fn grow(&mut self) {
        let x = self.any();
        let next = match self.random.below(16) {
            0..4 => {
                let (function, y) = (self.random.choose(&BINARY), self.partner(&x));
                x.binary(function, &y)
            }
            4 | 5 => x.unary(self.random.choose(&UNARY)),
            6 if x.element().is_complex() => x.complex(self.random.choose(&COMPLEX)),
            6 => {
                let y = self.partner(&x);
                x.complex_of(self.random.choose(&[Complex::FromParts, Complex::Polar]), &y)
            }
            7 => {
                let to = self.element();
                x.convert(to)
            }
            8 | 9 => self.reduction(&x),
            10 => self.slice(&x),
            11 => self.rearranged(&x),
            12 => {
                let (y, z) = (self.partner(&x), self.partner(&x));
                x.binary(self.random.choose(&[Binary::Lt, Binary::Ne, Binary::Ge]), &y).select(&x, &z)
            }
            13 => {
                let (y, z) = (self.partner(&x), self.partner(&x));
                let product = x.binary(Binary::Mul, &y);
                match self.random.below(3) {
                    0 => x.fma(&y, &z),
                    1 => product.binary(Binary::Add, &z),
                    _ => z.binary(Binary::Sub, &product),
                }
            }
            14 if x.shape().rank() > 0 => self.gather_or_join(&x),
            15 if x.shape().rank() > 0 => self.scan_or_sign(&x),
            _ => return,
        };
        if next.error().is_none() && next.shape().len() <= MAX_LEN && next.shape().rank() <= 4 {
            self.nodes.push(next);
        }
    }

    fn reduction(&mut self, x: &Node) -> Node {
        let mut axes = Axes::default();
        for axis in 0..x.shape().rank() {
            if self.random.chance(60) {
                axes = axes.with(axis);
            }
        }
        let (reduction, keep) = (self.random.choose(&REDUCTIONS), self.random.chance(50));
        x.reduce(reduction, axes, keep)
    }

    fn slice(&mut self, x: &Node) -> Node {
        let slices: Vec<Slice> = x
            .shape()
            .iter()
            .map(|&extent| match self.random.below(6) {
                0 if extent > 1 => Slice::from(1..),
                1 if extent > 1 => Slice::from(..-1),
                2 if extent > 0 => Slice::Index(self.random.below(extent) as i64),
                3 => Slice::FULL.by(-1),
                4 => Slice::FULL.by(self.random.choose(&[2, 3, -2])),
                _ => Slice::FULL,
            })
            .collect();
        x.slice(&slices)
    }

    fn rearranged(&mut self, x: &Node) -> Node {
        let shape = *x.shape();
        match self.random.below(5) {
            0 => x.transpose(),
            1 => x.reshape(&Shape::new(&[shape.len()]).unwrap()),
            2 => x.reverse(Axes::all(shape.rank())),
            3 => x.new_axis(self.random.below(shape.rank() + 1) as i64),
            _ => {
                let mut extents = vec![2];
                extents.extend(shape.iter());
                Shape::new(&extents).map_or_else(|_| x.clone(), |to| x.broadcast_to(&to))
            }
        }
    }

    fn gather_or_join(&mut self, x: &Node) -> Node {
        let axis = self.random.below(x.shape().rank());
        let extent = x.shape()[axis];
        if self.random.chance(50) {
            let y = x.slice(&[Slice::FULL.by(-1)]);
            return Node::concatenate(axis as i64, &[x.clone(), y]);
        }
        if extent == 0 {
            return x.clone();
        }
        let indices: Vec<Number> = (0..1 + self.random.below(4))
            .map(|_| Number::Real(Value::I64(self.random.below(2 * extent) as i64 - extent as i64)))
            .collect();
        let shape = Shape::new(&[indices.len()]).unwrap();
        x.gather(axis as i64, &Node::contiguous((self.upload)(ElementType::I64, &indices), shape))
    }

    /// The sign of a NaN may be any: it is replaced before.
    fn scan_or_sign(&mut self, x: &Node) -> Node {
        if x.element().is_real() && self.random.chance(50) {
            let one = Node::scalar(Number::of_real(1.0, x.element()));
            let y = x.unary(Unary::IsNan).select(&one, x);
            return match self.random.below(2) {
                0 => y.unary(Unary::SignBit),
                _ => x.binary(Binary::CopySign, &y),
            };
        }
        let reductions =
            if x.element().is_complex() { &[Reduction::Sum][..] } else { &[Reduction::Sum, Reduction::Product] };
        x.scan(self.random.choose(reductions), self.random.below(x.shape().rank()) as i64)
    }
}
