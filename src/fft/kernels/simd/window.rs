//! Load and store ops with a window: vector accesses inside the window, elementwise ones at its borders.

use super::super::super::spec::{Load, Store};
use super::super::access::PadWindow;
use super::super::vectors::{ComplexVector, deinterleave, transpose};
use super::PencilBlock;
use affinimath_kernel::{Complex, Expr, Float, Index, Real, Vector};

impl<'k, R: Real, const W: usize> PencilBlock<'_, 'k, R, W> {
    /// [`PadWindow::span`] for both points of a pair.
    pub(super) fn spans(
        &self,
        window: &PadWindow<'k>,
        position: Expr<'k, Index>,
        length: Expr<'k, Index>,
    ) -> (Expr<'k, bool>, Expr<'k, bool>) {
        let (all, none) = window.span(position, length);
        if self.spec.load.access != Load::RealPair {
            return (all, none);
        }
        let (other_all, other_none) = window.span(position + window.block, length);
        (all & other_all, none & other_none)
    }

    /// Adjacent points from a position inside the window.
    pub(super) fn adjacent(
        &self,
        base: Expr<'k, Index>,
        window: &PadWindow<'k>,
        position: Expr<'k, Index>,
    ) -> ComplexVector<'k, R, W> {
        let first = base + window.point(position);
        let z = match self.spec.load.access {
            Load::RealPair => {
                let second = base + window.point(position + window.block);
                Complex::new(self.source.vector::<W>(first), self.source.vector::<W>(second))
            }
            Load::Real => Complex::new(self.source.vector::<W>(first), self.k.value(Vector::<R, W>::real(0.0))),
            _ => deinterleave(self.source.vector::<W>(first * 2_i64), self.source.vector::<W>(first * 2_i64 + W)),
        };
        if self.spec.load.swap { z.swap() } else { z }
    }

    /// True if the results at `length` positions are all stored, of a pair both, and whether none is.
    pub(super) fn wanted(
        &self,
        window: &PadWindow<'k>,
        position: Expr<'k, Index>,
        point: Expr<'k, Index>,
        length: Expr<'k, Index>,
    ) -> (Expr<'k, bool>, Expr<'k, bool>) {
        let end = point + window.pencils[0] * (W - 1) + length;
        let end = if self.spec.store.access == Store::RealPair { end + window.block } else { end };
        let all = (position + length).le(window.block) & end.le(window.count);
        (all, position.ge(window.block) | point.ge(window.count))
    }

    /// Loads by transposes, with a window.
    pub(super) fn load_transposed_window(&self, window: &PadWindow<'k>, base: Expr<'k, Index>, array: usize) {
        let side = &self.geometry.load;
        let pair = self.spec.load.access == Load::RealPair;
        let steps = side.position.as_ref().map_or(self.k.value(0), |position| position.pencils[0]);
        let tile = if pair { W } else { W / 2 };
        self.each_tile(tile, |first, elements| {
            let position = self.position(side, first);
            let (all, none) = self.spans(window, position, steps * (W - 1) + tile);
            let row = |position: Expr<'k, Index>, lane: usize| {
                let start = base + window.point(position) + (side.pencils[0] + steps) * lane;
                self.source.vector::<W>(if pair { start } else { start * 2_i64 })
            };
            let columns = |position: Expr<'k, Index>| transpose((0..W).map(|lane| row(position, lane)).collect());
            let vectors = || {
                let columns = if pair {
                    columns(position)
                        .into_iter()
                        .zip(columns(position + window.block))
                        .flat_map(|(a, b)| [a, b])
                        .collect()
                } else {
                    columns(position)
                };
                for (i, parts) in columns.chunks(2).enumerate() {
                    let z = Complex::new(parts[0], parts[1]);
                    self.write_work(array, first + i, if self.spec.load.swap { z.swap() } else { z });
                }
            };
            let zero = self.k.value(Vector::<R, W>::real(0.0));
            let nothing = || elements(&|element| self.write_work(array, element, Complex::new(zero, zero)));
            let each =
                |element| self.write_work(array, element, self.load_elementwise(base, self.position(side, element)));
            self.k.if_else(all, vectors, || self.k.if_else(none, nothing, || elements(&each)));
        });
    }

    /// Stores by transposes, with a window.
    pub(super) fn store_transposed_window(&self, window: &PadWindow<'k>, base: Expr<'k, Index>, array: usize) {
        let (side, op) = (&self.geometry.store, &self.spec.store);
        let pair = op.access == Store::RealPair;
        let tile = if pair { W } else { W / 2 };
        self.each_tile(tile, |first, elements| {
            let position = self.position(side, first);
            let point = position + window.of_pencil(&self.coordinates, self.k.value(0));
            let (all, none) = self.wanted(window, position, point, self.k.value(tile));
            let vectors = || {
                let points = (0..tile).map(|i| self.read_work(array, first + i));
                let points = points.map(|z| if op.swap != op.unswap { z.swap() } else { z });
                let start = base + point;
                let step = side.pencils[0] + window.pencils[0];
                if pair {
                    let (re, im): (Vec<_>, Vec<_>) = points.map(|z| (z.re, z.im)).unzip();
                    for (columns, start) in [(re, start), (im, start + window.block)] {
                        for (lane, row) in transpose(columns).into_iter().enumerate() {
                            self.target.store_vector(start + step * lane, row);
                        }
                    }
                } else {
                    let columns = points.flat_map(|z| [z.re, z.im]).collect();
                    for (lane, row) in transpose(columns).into_iter().enumerate() {
                        self.target.store_vector((start + step * lane) * 2_i64, row);
                    }
                }
            };
            let each =
                |element| self.store_elementwise(base, self.position(side, element), self.read_work(array, element));
            self.k.if_else(all, vectors, || self.k.when(!none, || elements(&each)));
        });
    }

    /// Calls with the first element of each tile, and a loop over its elements. The last tile may overlap the one
    /// before.
    fn each_tile(&self, tile: usize, one: impl Fn(Expr<'k, Index>, &dyn Fn(&dyn Fn(Expr<'k, Index>)))) {
        let length = self.spec.length();
        self.k.range(0, length.div_ceil(tile)).each("tile", |t| {
            let first = t * tile;
            let first = if length.is_multiple_of(tile) { first } else { first.min(length - tile) };
            let elements = |each: &dyn Fn(Expr<'k, Index>)| self.k.range(first, first + tile).each("element", each);
            one(first, &elements);
        });
    }
}
