//! Direct evaluation of nodes, one element of one node after the other.

use super::storage::Bytes;
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, ComplexUnary, Reduction, Unary};
use crate::fused::Instruction;
use crate::node::{Complex, Node, Op};
use crate::reference::{evaluate_one, philox64, points};
use crate::shape::{Axes, Shape};
use std::collections::HashMap;
use std::rc::Rc;

/// Elements in row-major order.
pub(super) type Elements = Rc<Vec<Number>>;

/// The elements of a node. Operands come first, without recursion: graphs can be deep.
pub(super) fn evaluate(node: &Node, memo: &mut HashMap<usize, Elements>) -> Elements {
    let mut stack = vec![node];
    while let Some(&node) = stack.last() {
        let missing: Vec<&Node> = node.operands().iter().filter(|operand| !memo.contains_key(&operand.id())).collect();
        if !missing.is_empty() {
            stack.extend(missing);
            continue;
        }
        stack.pop();
        let operands: Vec<Elements> = node.operands().iter().map(|operand| memo[&operand.id()].clone()).collect();
        let shapes: Vec<Shape> = node.operands().iter().map(|operand| *operand.shape()).collect();
        let elements = points(node.shape()).map(|point| element(node, &point, &operands, &shapes)).collect();
        memo.insert(node.id(), Rc::new(elements));
    }
    memo[&node.id()].clone()
}

fn index(shape: &[usize], point: &[usize]) -> usize {
    shape.iter().zip(point).fold(0, |index, (&extent, &i)| index * extent + i)
}

/// The element that broadcasts to a point.
fn broadcast(elements: &Elements, shape: &Shape, point: &[usize]) -> Number {
    let tail = &point[point.len() - shape.rank()..];
    let own: Vec<usize> = tail.iter().zip(shape.iter()).map(|(&i, &extent)| if extent == 1 { 0 } else { i }).collect();
    elements[index(shape, &own)]
}

fn real(number: Number) -> Value {
    match number {
        Number::Real(value) | Number::Complex(value, _) => value,
    }
}

fn integer(number: Number) -> i64 {
    if let Value::I64(value) = real(number) { value } else { panic!("no i64: {number:?}") }
}

fn apply(instruction: Instruction, operands: &[Value]) -> Value {
    evaluate_one(&instruction, operands).unwrap_or_else(|| panic!("{instruction:?} of {operands:?}"))
}

fn unary(function: Unary, x: Value) -> Value {
    apply(Instruction::Unary(function, 0), &[x])
}

fn binary(function: Binary, x: Value, y: Value) -> Value {
    apply(Instruction::Binary(function, 0, 1), &[x, y])
}

fn element(node: &Node, point: &[usize], operands: &[Elements], shapes: &[Shape]) -> Number {
    let arg = |k: usize| broadcast(&operands[k], &shapes[k], point);
    match node.op() {
        Op::Leaf(leaf) => {
            let strides = leaf.strides.iter().zip(point).map(|(&stride, &i)| stride * i as i64);
            Bytes::of(&leaf.storage).element_at((leaf.offset as i64 + strides.sum::<i64>()) as usize)
        }
        &Op::Scalar(number) => number,
        Op::Iota => Number::Real(Value::I64(index(node.shape(), point) as i64)),
        &Op::Unary(function) => complex_unary(function, arg(0)),
        &Op::Binary(function) => complex_binary(function, arg(0), arg(1)),
        &Op::Complex(function) => complex(function, arg(0), (operands.len() > 1).then(|| arg(1))),
        Op::Select => {
            if real(arg(0)) == Value::Bool(true) {
                arg(1)
            } else {
                arg(2)
            }
        }
        Op::Fma => Number::Real(apply(Instruction::Fma(0, 1, 2), &[real(arg(0)), real(arg(1)), real(arg(2))])),
        Op::Convert => convert(node.element(), arg(0)),
        &Op::Philox(word) => {
            let words = philox64(integer(arg(0)), integer(arg(1)), integer(arg(2)));
            Number::Real(Value::U32(words[word as usize]))
        }
        Op::View(map) => {
            let along =
                |m: &crate::view::AxisMap| m.axis.map_or(m.start as i64, |a| m.start as i64 + m.step * point[a] as i64);
            let source: Vec<usize> = map.axes().iter().map(|m| along(m) as usize).collect();
            operands[0][index(&shapes[0], &source)]
        }
        Op::Reshape => operands[0][index(node.shape(), point)],
        &Op::Gather { axis } => gather(axis, point, operands, shapes),
        &Op::Concatenate { axis } => {
            let mut source = point.to_vec();
            for (elements, shape) in operands.iter().zip(shapes) {
                if source[axis] < shape[axis] {
                    return elements[index(shape, &source)];
                }
                source[axis] -= shape[axis];
            }
            unreachable!("a point beyond the operands")
        }
        &Op::Reduce { reduction, axes, keep } => {
            reduce(reduction, axes, keep, point, &operands[0], &shapes[0], node.element())
        }
        &Op::Scan { reduction, axis } => {
            let mut source = point.to_vec();
            let row = (0..=point[axis]).map(|i| {
                source[axis] = i;
                operands[0][index(&shapes[0], &source)]
            });
            let function = if reduction == Reduction::Sum { Binary::Add } else { Binary::Mul };
            row.collect::<Vec<_>>().into_iter().reduce(|x, y| complex_binary(function, x, y)).unwrap()
        }
        Op::Matmul => matmul(node.element(), point, operands, shapes),
        Op::Routine { .. } => operands[0][index(&shapes[0], point)],
        Op::Error(error) => panic!("{error}"),
    }
}

fn gather(axis: usize, point: &[usize], operands: &[Elements], shapes: &[Shape]) -> Number {
    let rank = shapes[1].rank();
    let i = integer(operands[1][index(&shapes[1], &point[axis..axis + rank])]);
    let i = if i < 0 { i + shapes[0][axis] as i64 } else { i } as usize;
    let source = [&point[..axis], &[i], &point[axis + rank..]].concat();
    operands[0][index(&shapes[0], &source)]
}

fn matmul(element: ElementType, point: &[usize], operands: &[Elements], shapes: &[Shape]) -> Number {
    let rank = point.len();
    let (batch, i, j) = (&point[..rank - 2], point[rank - 2], point[rank - 1]);
    let products = (0..shapes[0][rank - 1]).map(|k| {
        let a = operands[0][index(&shapes[0], &[batch, &[i, k]].concat())];
        let b = operands[1][index(&shapes[1], &[batch, &[k, j]].concat())];
        complex_binary(Binary::Mul, a, b)
    });
    products.reduce(|x, y| complex_binary(Binary::Add, x, y)).unwrap_or(Number::of_real(0.0, element))
}

fn reduce(
    reduction: Reduction,
    axes: Axes,
    keep: bool,
    point: &[usize],
    elements: &Elements,
    from: &Shape,
    element: ElementType,
) -> Number {
    let reduced: Vec<usize> = axes.iter().map(|axis| from[axis]).collect();
    let row: Vec<Number> = points(&reduced)
        .map(|inner| {
            let (mut kept, mut inner) = (point.iter(), inner.into_iter());
            let source: Vec<usize> = (0..from.rank())
                .map(|axis| match axes.contains(axis) {
                    true => {
                        if keep {
                            kept.next();
                        }
                        inner.next().unwrap()
                    }
                    false => *kept.next().unwrap(),
                })
                .collect();
            elements[index(from, &source)]
        })
        .collect();
    let join = |function: Binary| row.iter().copied().reduce(|x, y| complex_binary(function, x, y));
    match reduction {
        Reduction::Sum => join(Binary::Add).unwrap_or(Number::of_real(0.0, element)),
        Reduction::Product => join(Binary::Mul).unwrap_or(Number::of_real(1.0, element)),
        Reduction::Min => join(Binary::Min).unwrap(),
        Reduction::Max => join(Binary::Max).unwrap(),
        Reduction::Any => join(Binary::Or).unwrap_or(Number::Real(Value::Bool(false))),
        Reduction::All => join(Binary::And).unwrap_or(Number::Real(Value::Bool(true))),
        Reduction::ArgMin | Reduction::ArgMax => {
            let better = if reduction == Reduction::ArgMin { Binary::Lt } else { Binary::Gt };
            let is = |function, x: usize, y: usize| binary(function, real(row[x]), real(row[y])) == Value::Bool(true);
            let is_nan = |x| is(Binary::Ne, x, x);
            let best = (1..row.len())
                .fold(0, |best, i| if !is_nan(best) && (is(better, i, best) || is_nan(i)) { i } else { best });
            Number::Real(Value::I64(best as i64))
        }
    }
}

fn convert(to: ElementType, z: Number) -> Number {
    let part = |x| apply(Instruction::Convert(to.part(), 0), &[x]);
    match (z, to.is_complex()) {
        (Number::Real(x), false) => Number::Real(part(x)),
        (Number::Real(x), true) => Number::Complex(part(x), real(Number::of_real(0.0, to.part()))),
        (Number::Complex(x, y), _) => Number::Complex(part(x), part(y)),
    }
}

fn complex_unary(function: Unary, z: Number) -> Number {
    let Number::Complex(x, y) = z else { return Number::Real(unary(function, real(z))) };
    let of = |f: ComplexUnary| {
        Number::Complex(
            apply(Instruction::ComplexReal(f, 0, 1), &[x, y]),
            apply(Instruction::ComplexImaginary(f, 0, 1), &[x, y]),
        )
    };
    let both = |join| Number::Real(binary(join, unary(function, x), unary(function, y)));
    match function {
        Unary::Abs => Number::Real(binary(Binary::Hypot, x, y)),
        Unary::Square => complex_binary(Binary::Mul, z, z),
        Unary::Recip => of(ComplexUnary::Recip),
        Unary::Sqrt => of(ComplexUnary::Sqrt),
        Unary::Exp => of(ComplexUnary::Exp),
        Unary::Ln => of(ComplexUnary::Ln),
        Unary::IsNan | Unary::IsInfinite => both(Binary::Or),
        Unary::IsFinite => both(Binary::And),
        _ => Number::Complex(unary(function, x), unary(function, y)),
    }
}

fn complex_binary(function: Binary, z: Number, w: Number) -> Number {
    let zero = |x: Value| real(Number::of_real(0.0, x.element_type()));
    let parts = |z: Number| match z {
        Number::Real(x) => (x, zero(x)),
        Number::Complex(x, y) => (x, y),
    };
    if let (Number::Real(x), Number::Real(y)) = (z, w) {
        return Number::Real(binary(function, x, y));
    }
    let ((a, b), (c, d)) = (parts(z), parts(w));
    let mul = |x, y| binary(Binary::Mul, x, y);
    match function {
        Binary::Mul => {
            Number::Complex(binary(Binary::Sub, mul(a, c), mul(b, d)), binary(Binary::Add, mul(a, d), mul(b, c)))
        }
        Binary::Div => {
            let norm = binary(Binary::Add, mul(c, c), mul(d, d));
            let w = Number::Complex(binary(Binary::Div, c, norm), unary(Unary::Neg, binary(Binary::Div, d, norm)));
            complex_binary(Binary::Mul, z, w)
        }
        Binary::Eq => Number::Real(binary(Binary::And, binary(function, a, c), binary(function, b, d))),
        Binary::Ne => Number::Real(binary(Binary::Or, binary(function, a, c), binary(function, b, d))),
        _ => Number::Complex(binary(function, a, c), binary(function, b, d)),
    }
}

fn complex(function: Complex, z: Number, w: Option<Number>) -> Number {
    let (x, y) = match z {
        Number::Real(x) => (x, real(w.unwrap())),
        Number::Complex(x, y) => (x, y),
    };
    match function {
        Complex::FromParts => Number::Complex(x, y),
        Complex::Polar => {
            Number::Complex(binary(Binary::Mul, x, unary(Unary::Cos, y)), binary(Binary::Mul, x, unary(Unary::Sin, y)))
        }
        Complex::Re => Number::Real(x),
        Complex::Im => Number::Real(y),
        Complex::Conj => Number::Complex(x, unary(Unary::Neg, y)),
        Complex::Arg => Number::Real(binary(Binary::Atan2, y, x)),
        Complex::NormSquared => Number::Real(binary(Binary::Add, binary(Binary::Mul, x, x), binary(Binary::Mul, y, y))),
    }
}
