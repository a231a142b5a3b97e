//! An evaluator that computes each node by its definition, all elements before the next node. It is an executor with
//! memory of its own.

use affinimath_array::element::{HostSlice, HostSliceMut};
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::node::{ContextId, Leaf, Storage};
use affinimath_array::{
    Array, AsExecutor, Assignment, Element, ElementType, Executor, Expr, Node, Number, Op, Shape, Strides, Value,
    reference,
};
use affinimath_core::{Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The evaluator, with the counts of its calls.
pub struct Eager {
    id: u64,
    own: Weak<Eager>,
    pub evaluations: AtomicU64,
    pub assignments: AtomicU64,
}

struct Memory {
    executor: Arc<Eager>,
    element: ElementType,
    elements: Mutex<Vec<Number>>,
    len: usize,
}

impl Eager {
    pub fn new(id: u64) -> Arc<Self> {
        Arc::new_cyclic(|own| Eager { id, own: own.clone(), evaluations: 0.into(), assignments: 0.into() })
    }

    fn store(&self, element: ElementType, elements: Vec<Number>) -> Arc<dyn Storage> {
        let executor = self.own.upgrade().unwrap();
        Arc::new(Memory { executor, element, len: elements.len(), elements: Mutex::new(elements) })
    }
}

impl Storage for Memory {
    fn element(&self) -> ElementType {
        self.element
    }

    fn len(&self) -> usize {
        self.len
    }

    fn context(&self) -> Option<ContextId> {
        Some(self.executor.id())
    }

    fn executor(&self) -> Option<Arc<dyn Executor>> {
        Some(self.executor.clone())
    }
}

impl Executor for Eager {
    fn id(&self) -> ContextId {
        ContextId(self.id)
    }

    fn evaluate(&self, outputs: &[Node]) -> Result<Vec<Leaf>> {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        let leaf = |node: &Node| {
            let storage = self.store(node.element(), elements(node)?);
            Ok(Leaf { storage, offset: 0, strides: Strides::row_major(node.shape()) })
        };
        outputs.iter().map(leaf).collect()
    }

    fn assign(&self, assignments: &[Assignment]) -> Result<()> {
        for Assignment { target, value } in assignments {
            self.assignments.fetch_add(1, Ordering::Relaxed);
            assert_eq!(target.signature(), value.signature());
            let values = elements(value)?;
            let Op::Leaf(leaf) = target.op() else { panic!("a target is a leaf") };
            let memory = memory(leaf);
            let mut memory = memory.elements.lock().unwrap();
            for (offset, value) in offsets(leaf, target.shape()).into_iter().zip(values) {
                memory[offset] = value;
            }
        }
        Ok(())
    }

    fn upload(&self, elements: HostSlice<'_>) -> Result<Arc<dyn Storage>> {
        Ok(self.store(elements.element(), numbers(elements)))
    }

    fn download(&self, leaf: &Leaf, shape: &Shape, elements: HostSliceMut<'_>) -> Result<()> {
        fn fill<T: Element>(target: &mut [T], numbers: Vec<Number>) {
            assert_eq!(target.len(), numbers.len());
            for (target, number) in target.iter_mut().zip(numbers) {
                *target = T::from_number(number).unwrap();
            }
        }
        let numbers = read(leaf, shape);
        match elements {
            HostSliceMut::Bool(x) => fill(x, numbers),
            HostSliceMut::U8(x) => fill(x, numbers),
            HostSliceMut::I32(x) => fill(x, numbers),
            HostSliceMut::U32(x) => fill(x, numbers),
            HostSliceMut::I64(x) => fill(x, numbers),
            HostSliceMut::F32(x) => fill(x, numbers),
            HostSliceMut::F64(x) => fill(x, numbers),
            HostSliceMut::C32(x) => fill(x, numbers),
            HostSliceMut::C64(x) => fill(x, numbers),
        }
        Ok(())
    }
}

/// The elements of an expression, with its error as the panic's text.
#[track_caller]
pub fn values<T: Element>(expr: &Expr<T>) -> Vec<T> {
    let numbers = elements(expr.node()).unwrap_or_else(|error| panic!("{error}"));
    numbers.into_iter().map(|number| T::from_number(number).unwrap()).collect()
}

/// An array on a new evaluator.
pub fn array<T: Element>(context: &impl AsExecutor, shape: &[usize], elements: &[T]) -> Array<T> {
    Array::from_slice(context, shape, elements).unwrap()
}

fn memory(leaf: &Leaf) -> &Memory {
    let any: &dyn std::any::Any = &*leaf.storage;
    any.downcast_ref().expect("memory of this evaluator")
}

fn numbers(elements: HostSlice<'_>) -> Vec<Number> {
    fn each<T: Element>(elements: &[T]) -> Vec<Number> {
        elements.iter().map(|x| x.number()).collect()
    }
    match elements {
        HostSlice::Bool(x) => each(x),
        HostSlice::U8(x) => each(x),
        HostSlice::I32(x) => each(x),
        HostSlice::U32(x) => each(x),
        HostSlice::I64(x) => each(x),
        HostSlice::F32(x) => each(x),
        HostSlice::F64(x) => each(x),
        HostSlice::C32(x) => each(x),
        HostSlice::C64(x) => each(x),
    }
}

/// All indices of a shape in row-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &extent in shape {
        all = all.iter().flat_map(|index| (0..extent).map(|i| [&index[..], &[i]].concat())).collect();
    }
    all
}

fn row_major(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |offset, (&extent, &i)| offset * extent + i)
}

fn offsets(leaf: &Leaf, shape: &Shape) -> Vec<usize> {
    let offset = |index: Vec<usize>| {
        let steps: i64 = index.iter().zip(leaf.strides.iter()).map(|(&i, &stride)| i as i64 * stride).sum();
        (leaf.offset as i64 + steps) as usize
    };
    indices(shape).into_iter().map(offset).collect()
}

fn read(leaf: &Leaf, shape: &Shape) -> Vec<Number> {
    let all = match leaf.storage.host() {
        Some(elements) => numbers(elements),
        None => memory(leaf).elements.lock().unwrap().clone(),
    };
    offsets(leaf, shape).into_iter().map(|offset| all[offset]).collect()
}

/// All elements of a node. A node that is used twice is computed once.
fn elements(root: &Node) -> Result<Vec<Number>> {
    let mut known: HashMap<usize, Vec<Number>> = HashMap::new();
    let mut stack = vec![root];
    while let Some(&node) = stack.last() {
        let missing: Vec<&Node> = node.operands().iter().filter(|operand| !known.contains_key(&operand.id())).collect();
        if missing.is_empty() {
            stack.pop();
            let operands: Vec<&[Number]> = node.operands().iter().map(|node| &known[&node.id()][..]).collect();
            let result = compute(node, &operands)?;
            assert_eq!(result.len(), node.shape().len(), "{node:?}");
            known.insert(node.id(), result);
        }
        stack.extend(missing);
    }
    Ok(known.remove(&root.id()).unwrap())
}

fn compute(node: &Node, operands: &[&[Number]]) -> Result<Vec<Number>> {
    let shape = node.shape();
    let shape_of = |operand: usize| node.operands()[operand].shape();
    Ok(match node.op() {
        Op::Leaf(leaf) => read(leaf, shape),
        Op::Scalar(number) => vec![*number],
        Op::Iota => (0..shape.len()).map(|i| Number::Real(Value::I64(i as i64))).collect(),
        Op::View(map) => {
            let source = shape_of(0);
            let offset = |index: Vec<usize>| {
                let along = |axis: &affinimath_array::view::AxisMap| match axis.axis {
                    Some(k) => (axis.start as i64 + axis.step * index[k] as i64) as usize,
                    None => axis.start,
                };
                row_major(source, &map.axes().iter().map(along).collect::<Vec<_>>())
            };
            indices(shape).into_iter().map(|index| operands[0][offset(index)]).collect()
        }
        Op::Reshape => operands[0].to_vec(),
        Op::Gather { axis } => gather(shape, *axis, [shape_of(0), shape_of(1)], operands)?,
        Op::Concatenate { axis } => {
            let each = indices(shape).into_iter().map(|mut index| {
                let mut part = 0;
                while index[*axis] >= shape_of(part)[*axis] {
                    index[*axis] -= shape_of(part)[*axis];
                    part += 1;
                }
                operands[part][row_major(shape_of(part), &index)]
            });
            each.collect()
        }
        Op::Reduce { reduction, axes, .. } => {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new(); shape.len()];
            let short = shape_of(0).reduced(*axes, true);
            for (index, &number) in indices(shape_of(0)).iter().zip(operands[0]) {
                let row: Vec<usize> = index.iter().zip(short.iter()).map(|(&i, &extent)| i.min(extent - 1)).collect();
                rows[row_major(&short, &row)].push(real(number));
            }
            rows.iter().map(|row| Number::Real(reduce(*reduction, row))).collect()
        }
        Op::Scan { reduction, axis } => {
            let function = if *reduction == Reduction::Sum { Binary::Add } else { Binary::Mul };
            let mut result = operands[0].to_vec();
            for index in indices(shape).into_iter().filter(|index| index[*axis] > 0) {
                let mut before = index.clone();
                before[*axis] -= 1;
                let (offset, before) = (row_major(shape, &index), row_major(shape, &before));
                result[offset] = Number::Real(binary(function, real(result[before]), real(result[offset])));
            }
            result
        }
        Op::Matmul => matmul(shape, shape_of(0), operands),
        op if op.is_elementwise() => broadcast(node, operands),
        op => panic!("{op:?} has no value here"),
    })
}

fn gather(shape: &Shape, axis: usize, [source, list]: [&Shape; 2], operands: &[&[Number]]) -> Result<Vec<Number>> {
    let element = |index: Vec<usize>| {
        let behind = axis + list.rank();
        let Number::Real(Value::I64(at)) = operands[1][row_major(list, &index[axis..behind])] else {
            panic!("an index is an I64")
        };
        let at = if at < 0 { at + source[axis] as i64 } else { at };
        let at = usize::try_from(at).ok().filter(|&at| at < source[axis]);
        let at = at.ok_or_else(|| Error::argument("index", "out of range"))?;
        Ok(operands[0][row_major(source, &[&index[..axis], &[at], &index[behind..]].concat())])
    };
    indices(shape).into_iter().map(element).collect()
}

/// An elementwise operation, each operand aligned at the last axis.
fn broadcast(node: &Node, operands: &[&[Number]]) -> Vec<Number> {
    let shape = node.shape();
    let element = |index: Vec<usize>| {
        let at = |operand: usize| {
            let own = node.operands()[operand].shape();
            let tail = &index[shape.rank() - own.rank()..];
            let offset: Vec<usize> = tail.iter().zip(own.iter()).map(|(&i, &extent)| i.min(extent - 1)).collect();
            operands[operand][row_major(own, &offset)]
        };
        elementwise(node, &(0..operands.len()).map(at).collect::<Vec<_>>())
    };
    indices(shape).into_iter().map(element).collect()
}

fn matmul(shape: &Shape, left: &Shape, operands: &[&[Number]]) -> Vec<Number> {
    let rank = shape.rank();
    let (k, n) = (left[rank - 1], shape[rank - 1]);
    let element = |index: Vec<usize>| {
        let row = row_major(&shape[..rank - 1], &index[..rank - 1]);
        let batch = row_major(&shape[..rank - 2], &index[..rank - 2]);
        let product = |i: usize| {
            binary(
                Binary::Mul,
                real(operands[0][row * k + i]),
                real(operands[1][(batch * k + i) * n + index[rank - 1]]),
            )
        };
        Number::Real((0..k).map(product).reduce(|x, y| binary(Binary::Add, x, y)).unwrap_or(Value::F64(0.0)))
    };
    indices(shape).into_iter().map(element).collect()
}

fn real(number: Number) -> Value {
    match number {
        Number::Real(value) => value,
        Number::Complex(..) => panic!("a complex value"),
    }
}

fn binary(function: Binary, x: Value, y: Value) -> Value {
    reference::binary(function, x, y).unwrap_or_else(|| panic!("{function:?} of {x:?} and {y:?}"))
}

fn reduce(reduction: Reduction, row: &[Value]) -> Value {
    let fold = |function| row.iter().copied().reduce(|x, y| binary(function, x, y)).unwrap();
    let arg = |function| {
        let mut best = 0;
        for (i, &value) in row.iter().enumerate() {
            if binary(function, value, row[best]) == Value::Bool(true) {
                best = i;
            }
        }
        Value::I64(best as i64)
    };
    match reduction {
        Reduction::Sum => fold(Binary::Add),
        Reduction::Product => fold(Binary::Mul),
        Reduction::Min => fold(Binary::Min),
        Reduction::Max => fold(Binary::Max),
        Reduction::Any => fold(Binary::Or),
        Reduction::All => fold(Binary::And),
        Reduction::ArgMin => arg(Binary::Lt),
        Reduction::ArgMax => arg(Binary::Gt),
    }
}

fn elementwise(node: &Node, x: &[Number]) -> Number {
    let x: Vec<Value> = x.iter().map(|&number| real(number)).collect();
    Number::Real(match node.op() {
        Op::Unary(Unary::Square) => binary(Binary::Mul, x[0], x[0]),
        Op::Unary(function) => reference::unary(*function, x[0]).unwrap(),
        Op::Binary(function) => binary(*function, x[0], x[1]),
        Op::Select => {
            if x[0] == Value::Bool(true) {
                x[1]
            } else {
                x[2]
            }
        }
        Op::Fma => reference::fma(x[0], x[1], x[2]).unwrap(),
        Op::Convert => reference::convert(node.element(), x[0]).unwrap(),
        Op::Philox(word) => {
            let [Value::I64(counter), Value::I64(stream), Value::I64(key)] = x[..] else { panic!("Philox of {x:?}") };
            Value::U32(reference::philox64(counter, stream, key)[usize::from(*word)])
        }
        op => panic!("{op:?} has no value here"),
    })
}
