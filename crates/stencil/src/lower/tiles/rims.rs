//! Values beyond the domain's faces in tiles of several steps.

use affinimath_array::lower::operations::V;

use super::super::generator::{Generator, Point};
use super::super::nodes::Scope;
use super::super::{KernelArgument, Variant};
use super::shape::{Field, is_mirror};
use crate::definition::{Binary, Boundary, ExprId, Side, Type};

/// A point beyond a face, with the condition that a position lies there.
pub(super) struct Beyond<'k> {
    pub(super) axis: usize,
    pub(super) side: Side,
    /// The position on the axis.
    pub(super) position: V<'k>,
}

/// A point of the domain, for a point d steps beyond a face.
#[derive(Clone, Copy)]
pub(super) enum Within {
    /// The one at the face.
    Edge,
    /// d - 1 steps from it.
    Nearer,
    /// d steps from it.
    Same,
}

impl Within {
    /// Steps from the point at the face.
    pub(super) const fn steps(self, distance: i32) -> i32 {
        match self {
            Within::Edge => 0,
            Within::Nearer => distance - 1,
            Within::Same => distance,
        }
    }
}

impl<'k> Generator<'_, 'k> {
    pub(super) fn extent(&self, axis: usize) -> V<'k> {
        self.value(KernelArgument::Extent(axis))
    }

    /// The boundary condition of a field.
    pub(super) fn condition_of(&self, field: Field, axis: usize, side: Side) -> Boundary {
        self.stencil().boundary(field.grid, field.component, axis, side)
    }

    /// The domain repeats itself on an axis.
    pub(super) fn is_periodic(&self, field: Field, axis: usize) -> bool {
        self.condition_of(field, axis, Side::Lower) == Boundary::Periodic
    }

    /// A position modulo the domain's length.
    fn wrapped(&self, axis: usize, position: V<'k>) -> V<'k> {
        let extent = self.extent(axis);
        let rest = self.e.binary(affinimath_kernel::dynamic::BinaryOp::Rem, position, extent);
        self.e.select(self.less(rest, self.index(0)), self.add(rest, extent), rest)
    }

    /// The position in memory for a position of a tile: within the domain's repetitions, or within the grid's memory.
    pub(super) fn position_in_memory(&self, field: Field, axis: usize, position: V<'k>) -> V<'k> {
        if self.is_periodic(field, axis) {
            return self.wrapped(axis, position);
        }
        let axes = &self.stencil().grids()[field.grid].axes;
        let own = axes.iter().position(|&own| own == axis).expect("all axes");
        let lower = self.value(KernelArgument::Lower(axis));
        let [first, last] = [KernelArgument::First(field.grid, own), KernelArgument::Last(field.grid, own)]
            .map(|argument| self.e.convert(self.subtract(self.value(argument), lower), self.index_type()));
        self.max(first, self.min(position, last))
    }

    /// The position in the domain that a step's statements see.
    pub(super) fn position_in_domain(&self, field: Field, axis: usize, position: V<'k>) -> V<'k> {
        if self.is_periodic(field, axis) {
            return self.wrapped(axis, position);
        }
        let last = self.subtract(self.extent(axis), self.index(1));
        self.max(self.index(0), self.min(position, last))
    }

    /// A position lies beyond a face.
    pub(super) fn is_beyond(&self, axis: usize, side: Side, position: V<'k>) -> V<'k> {
        match side {
            Side::Lower => self.less(position, self.index(0)),
            Side::Upper => self.not_above(self.extent(axis), position),
        }
    }

    /// Steps from the domain's last point to a position beyond it, 1 or more.
    pub(super) fn steps_beyond(&self, beyond: &Beyond<'k>) -> V<'k> {
        match beyond.side {
            Side::Lower => self.subtract(self.index(0), beyond.position),
            Side::Upper => self.add(self.subtract(beyond.position, self.extent(beyond.axis)), self.index(1)),
        }
    }

    /// The value of an expression of coordinates, parameters and the time at a point, as that of a field's type.
    pub(super) fn value_beyond(&self, value: ExprId, point: &Point<'k>, steps: i64) -> V<'k> {
        let value = self.evaluate(value, point, &Scope { steps, ..Scope::default() });
        self.demand(value.known);
        value.value
    }

    /// A value beyond a face, of values within.
    pub(super) fn mirrored(
        &self,
        boundary: Boundary,
        kind: Type,
        within: &dyn Fn(Within) -> V<'k>,
        factor: &dyn Fn() -> V<'k>,
        derivative: &dyn Fn(ExprId) -> V<'k>,
    ) -> V<'k> {
        debug_assert!(is_mirror(boundary), "{boundary:?}");
        match boundary {
            Boundary::Reflect => within(Within::Same),
            Boundary::Symmetric => within(Within::Nearer),
            Boundary::Antireflect => {
                let edge = within(Within::Edge);
                self.operator(Binary::Subtract, kind, self.sum(kind, edge, edge), within(Within::Same))
            }
            Boundary::Neumann(value) => {
                let outwards = self.operator(Binary::Multiply, kind, factor(), derivative(value));
                self.sum(kind, within(Within::Nearer), outwards)
            }
            _ => within(Within::Edge),
        }
    }

    /// Twice the distance from the face to a point beyond it, in steps of the grid.
    pub(in super::super) fn neumann_factor(&self, kind: Type, distance: V<'k>) -> V<'k> {
        let steps = self.subtract(self.add(distance, distance), self.index(1));
        let Variant { is_wide, .. } = self.variant;
        let from = if is_wide { Type::I64 } else { Type::I32 };
        self.e.convert_as_rust(super::super::element(from), super::super::element(kind), steps)
    }
}
