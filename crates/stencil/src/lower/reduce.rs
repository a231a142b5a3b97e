//! Reductions in the fixed order: strips of a row from left to right, then a binary tree of neighbouring strips.

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::Query;

use super::KernelArgument;
use super::generator::Generator;
use crate::definition::{Reduction, Statement, Type};
use crate::reduce::STRIP;

/// Levels of the tree that one launch does: a work-item has 2^levels neighbours.
pub(crate) const TREE_LEVELS: usize = 8;

impl<'k> Generator<'_, 'k> {
    fn reduction(&self, result: usize) -> Reduction {
        let statements = self.stencil().stages().iter().flat_map(|stage| &stage.statements);
        let mut found = statements.filter_map(|statement| match statement {
            Statement::Reduce { result: own, reduction, .. } if *own == result => Some(*reduction),
            _ => None,
        });
        found.next().expect("each result is computed once")
    }

    /// Two values of a reduction as one; NaN stays.
    fn combined(&self, result: usize, a: V<'k>, b: V<'k>) -> V<'k> {
        let kind = self.stencil().results()[result].kind;
        let better = match self.reduction(result) {
            Reduction::Sum | Reduction::Norm2 | Reduction::Count => return self.sum(kind, a, b),
            Reduction::Max => self.e.select(self.less(a, b), b, a),
            Reduction::Min => self.e.select(self.less(b, a), b, a),
        };
        if matches!(kind, Type::F32 | Type::F64) {
            let rest = self.e.select(self.e.is_nan(b), b, better);
            return self.e.select(self.e.is_nan(a), a, rest);
        }
        better
    }

    /// A work-item combines a strip: the first dimension has the strips of a row, the second the rows.
    pub(super) fn strips(&self, result: usize) {
        let (values, partials) =
            (self.buffer(KernelArgument::Values(result)), self.buffer(KernelArgument::Partials(result)));
        let (length, strips) = (self.value(KernelArgument::Extent(0)), self.value(KernelArgument::Strips));
        let [strip, row] =
            [0, 1].map(|dimension| self.e.convert(self.e.query(Query::GlobalId, dimension), self.index_type()));
        let width = self.index(STRIP as i64);
        self.e.when(self.less(strip, strips), || {
            let first = self.multiply(strip, width);
            let room = self.subtract(length, first);
            let count = self.e.select(self.less(room, width), room, width);
            let base = self.add(self.multiply(row, length), first);
            let so_far = self.e.variable("so_far", self.e.load(values, base, 1, false));
            self.e.for_each("i", self.index(1), count, self.index(1), |i| {
                let next = self.e.load(values, self.add(base, i), 1, false);
                self.e.set(so_far, self.combined(result, self.e.get(so_far), next));
            });
            let target = self.add(self.multiply(row, strips), strip);
            self.e.store(partials, target, self.e.get(so_far), false);
        });
    }

    /// A work-item combines neighbours of a distance, then those of twice the distance, and so on.
    pub(super) fn tree(&self, result: usize) {
        let partials = self.buffer(KernelArgument::Partials(result));
        let (strips, distance) = (self.value(KernelArgument::Strips), self.value(KernelArgument::Distance));
        let item = self.e.convert(self.e.query(Query::GlobalId, 0), self.index_type());
        let span = self.multiply(distance, self.index(1 << TREE_LEVELS));
        let first = self.multiply(item, span);
        let room = self.subtract(strips, first);
        let count = self.e.select(self.less(room, span), room, span);
        for level in 0..TREE_LEVELS {
            let near = self.multiply(distance, self.index(1 << level));
            let step = self.add(near, near);
            self.e.for_each("i", self.index(0), self.subtract(count, near), step, |i| {
                let near_index = self.add(first, i);
                let [a, b] =
                    [near_index, self.add(near_index, near)].map(|index| self.e.load(partials, index, 1, false));
                self.e.store(partials, near_index, self.combined(result, a, b), false);
            });
        }
    }
}
