//! Leaves and views: slices, permutations, reshapes, repetitions.

use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::node::{Leaf, Node, Op, Operands, Storage};
use crate::shape::{MAX_RANK, Shape, Strides};
use crate::slice::{self, Slice};
use crate::view::{AxisMap, ViewMap};
use std::sync::Arc;

impl Node {
    /// Elements in memory: element `i` is at `offset + sum_k i_k strides_k`, which must lie in it for each `i`.
    #[track_caller]
    pub fn leaf(storage: Arc<dyn Storage>, offset: usize, shape: Shape, strides: Strides) -> Node {
        let (element, available) = (storage.element(), storage.len());
        if strides.len() != shape.rank() {
            let reason = format!("{} strides for {} axes", strides.len(), shape.rank());
            return Node::from_error(ErrorKind::Argument { operation: "strides", reason }, element);
        }
        if let Some((first, last)) = strides.span(&shape)
            && (offset as i128 + first < 0 || offset as i128 + last >= available as i128)
        {
            return Node::from_error(ErrorKind::OutOfMemory { shape, available }, element);
        }
        Node::new(Op::Leaf(Leaf { storage, offset, strides }), Operands::Zero, element, shape)
    }

    /// All elements of the memory's first `shape.len()` ones, in row-major order.
    #[track_caller]
    pub fn contiguous(storage: Arc<dyn Storage>, shape: Shape) -> Node {
        Node::leaf(storage, 0, shape, Strides::row_major(&shape))
    }

    /// A view with a map that was checked against the shape of this node.
    #[track_caller]
    pub(crate) fn mapped(&self, map: ViewMap, shape: Shape) -> Node {
        if map.is_identity(self.shape(), &shape) {
            return self.clone();
        }
        match self.op() {
            Op::Leaf(leaf) if !shape.is_empty() => {
                let (offset, strides) = map.strided(leaf.offset, &leaf.strides, shape.rank());
                let leaf = Leaf { storage: leaf.storage.clone(), offset, strides };
                Node::new(Op::Leaf(leaf), Operands::Zero, self.element(), shape)
            }
            // No element: no index of the map is used, and the first one may lie outside.
            Op::Leaf(leaf) => {
                let leaf = Leaf { storage: leaf.storage.clone(), offset: 0, strides: Strides::row_major(&shape) };
                Node::new(Op::Leaf(leaf), Operands::Zero, self.element(), shape)
            }
            Op::View(inner) => {
                let source = &self.operands()[0];
                source.mapped(inner.then(&map, &shape), shape)
            }
            _ => Node::new(Op::View(map), Operands::One([self.clone()]), self.element(), shape),
        }
    }

    /// The view, the node's error, or the rule's.
    #[track_caller]
    fn view(&self, rule: impl FnOnce(&Shape) -> Result<(ViewMap, Shape), ErrorKind>) -> Node {
        if self.error().is_some() {
            return self.clone();
        }
        match rule(self.shape()) {
            Ok((map, shape)) => self.mapped(map, shape),
            Err(kind) => Node::from_error(kind, self.element()),
        }
    }

    /// Slices, an index or a new axis for each axis, as NumPy's basic indexing.
    #[track_caller]
    pub fn slice(&self, slices: &[Slice]) -> Node {
        self.view(|shape| slice::view(shape, slices))
    }

    /// Axes in a new order: axis `k` of the result is axis `axes[k]`.
    #[track_caller]
    pub fn permute(&self, axes: &[i64]) -> Node {
        self.view(|shape| {
            let error = || ErrorKind::Axes { operation: "permute", axes: axes.to_vec(), rank: shape.rank(), all: true };
            let mut maps = vec![None; shape.rank()];
            for (target, &axis) in axes.iter().enumerate() {
                let source = shape.axis(axis)?;
                if maps[source].replace(AxisMap::along(target)).is_some() {
                    return Err(error());
                }
            }
            let maps: Vec<AxisMap> = maps.into_iter().collect::<Option<_>>().ok_or_else(error)?;
            let mut extents = [0; MAX_RANK];
            for (map, &extent) in maps.iter().zip(shape.iter()) {
                extents[map.axis.unwrap_or(0)] = extent;
            }
            let shape = Shape::new(&extents[..shape.rank()])?;
            Ok((ViewMap::new(maps, &shape), shape))
        })
    }

    /// All axes in reverse order; of a matrix its transpose.
    #[track_caller]
    pub fn transpose(&self) -> Node {
        let axes: Vec<i64> = (0..self.shape().rank() as i64).rev().collect();
        self.permute(&axes)
    }

    /// The last two axes exchanged: the transposes of a batch of matrices.
    #[track_caller]
    pub fn transpose_last(&self) -> Node {
        let rank = self.shape().rank() as i64;
        if rank < 2 {
            return self.view(|shape| Err(ErrorKind::Axis { axis: -2, rank: shape.rank() }));
        }
        let axes: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
        self.permute(&axes)
    }

    /// Elements repeated along new axes and axes of extent 1, by NumPy's rules.
    #[track_caller]
    pub fn broadcast_to(&self, to: &Shape) -> Node {
        self.view(|shape| match shape.broadcasts_to(to) {
            true => Ok((ViewMap::broadcast(shape, to), *to)),
            false => Err(ErrorKind::BroadcastTo { from: (*shape).into(), to: (*to).into() }),
        })
    }

    /// A new axis of extent 1 before `axis`; -1 is behind the last one.
    #[track_caller]
    pub fn new_axis(&self, axis: i64) -> Node {
        self.view(|shape| {
            let rank = shape.rank();
            let index = if axis < 0 { axis + rank as i64 + 1 } else { axis };
            if !(0..=rank as i64).contains(&index) {
                return Err(ErrorKind::Axis { axis, rank });
            }
            let mut slices = vec![Slice::FULL; rank];
            slices.insert(index as usize, Slice::NewAxis);
            slice::view(shape, &slices)
        })
    }

    /// The elements in row-major order in another shape with as many: a view where strides allow it.
    #[track_caller]
    pub fn reshape(&self, to: &Shape) -> Node {
        if self.error().is_some() {
            return self.clone();
        }
        let (from, element) = (*self.shape(), self.element());
        if from.len() != to.len() {
            return Node::from_error(ErrorKind::Reshape { from: from.into(), to: (*to).into() }, element);
        }
        if from == *to {
            return self.clone();
        }
        if let Some(map) = unit_axes(&from, to) {
            return self.mapped(map, *to);
        }
        match self.op() {
            Op::Leaf(leaf) => {
                if let Some(strides) = leaf.strides.reshaped(&from, to) {
                    let leaf = Leaf { storage: leaf.storage.clone(), offset: leaf.offset, strides };
                    return Node::new(Op::Leaf(leaf), Operands::Zero, element, *to);
                }
            }
            Op::Iota => return Node::new(Op::Iota, Operands::Zero, element, *to),
            Op::Reshape => return self.operands()[0].reshape(to),
            _ => (),
        }
        Node::new(Op::Reshape, Operands::One([self.clone()]), element, *to)
    }

    /// Elements along the axes in reverse order.
    #[track_caller]
    pub fn reverse(&self, axes: crate::shape::Axes) -> Node {
        self.view(|shape| {
            let slices: Vec<Slice> = (0..shape.rank())
                .map(|axis| if axes.contains(axis) { Slice::FULL.by(-1) } else { Slice::FULL })
                .collect();
            slice::view(shape, &slices)
        })
    }

    /// The type of the elements, and the shape.
    pub fn signature(&self) -> (ElementType, Shape) {
        (self.element(), *self.shape())
    }
}

/// The map of a reshape that only drops and adds axes of extent 1.
fn unit_axes(from: &Shape, to: &Shape) -> Option<ViewMap> {
    let is_long = |&(_, &extent): &(usize, &usize)| extent != 1;
    let mut targets = to.iter().enumerate().filter(is_long);
    let mut maps = Vec::with_capacity(from.rank());
    for &extent in from.iter() {
        maps.push(match extent {
            1 => AxisMap::fixed(0),
            _ => {
                let (axis, &other) = targets.next()?;
                if other != extent {
                    return None;
                }
                AxisMap::along(axis)
            }
        });
    }
    targets.next().is_none().then(|| ViewMap::new(maps, to))
}
