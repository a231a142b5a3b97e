//! Lanes at ends with windows: vectors where all numbers of theirs are there, and one by one at the windows' ends.

use super::super::super::spec::{Load, Store};
use super::super::access::Window;
use super::super::vectors::{Numbers, deinterleave, transpose};
use super::Block;
use affinimath_kernel::{Complex, Expr, Float, Index, Real, Vector};

impl<'k, R: Real, const W: usize> Block<'_, 'k, R, W> {
    /// Whether so many neighbouring positions have neighbouring numbers, of a pair both; and whether they have none.
    pub(super) fn spans(
        &self,
        window: &Window<'k>,
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

    /// Neighbouring numbers from a position on, which the window has.
    pub(super) fn adjacent(
        &self,
        base: Expr<'k, Index>,
        window: &Window<'k>,
        position: Expr<'k, Index>,
    ) -> Numbers<'k, R, W> {
        let first = base + window.place(position);
        let z = match self.spec.load.access {
            Load::RealPair => {
                let second = base + window.place(position + window.block);
                Complex::new(self.source.vector::<W>(first), self.source.vector::<W>(second))
            }
            Load::Real => Complex::new(self.source.vector::<W>(first), self.k.value(Vector::<R, W>::real(0.0))),
            _ => deinterleave(self.source.vector::<W>(first * 2_i64), self.source.vector::<W>(first * 2_i64 + W)),
        };
        if self.spec.load.swap { z.swap() } else { z }
    }

    /// Whether so many neighbouring positions' results, of a pair both, are wanted; and whether none is.
    pub(super) fn wanted(
        &self,
        window: &Window<'k>,
        position: Expr<'k, Index>,
        place: Expr<'k, Index>,
        length: Expr<'k, Index>,
    ) -> (Expr<'k, bool>, Expr<'k, bool>) {
        let end = place + window.lines[0] * (W - 1) + length;
        let end = if self.spec.store.access == Store::RealPair { end + window.block } else { end };
        let all = (position + length).le(window.block) & end.le(window.count);
        (all, position.ge(window.block) | place.ge(window.count))
    }

    /// The same for rows that a window may have only parts of.
    pub(super) fn load_rows_within(&self, window: &Window<'k>, base: Expr<'k, Index>, array: usize) {
        let side = &self.geometry.load;
        let pair = self.spec.load.access == Load::RealPair;
        let steps = side.position.as_ref().map_or(self.k.value(0), |position| position.lines[0]);
        let tile = if pair { W } else { W / 2 };
        self.each_tile(tile, |first, elements| {
            let position = self.position(side, first);
            let (all, none) = self.spans(window, position, steps * (W - 1) + tile);
            let row = |position: Expr<'k, Index>, lane: usize| {
                let start = base + window.place(position) + (side.lines[0] + steps) * lane;
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
                    self.set_worked(array, first + i, if self.spec.load.swap { z.swap() } else { z });
                }
            };
            let zero = self.k.value(Vector::<R, W>::real(0.0));
            let nothing = || elements(&|element| self.set_worked(array, element, Complex::new(zero, zero)));
            let each = |element| self.set_worked(array, element, self.fetch_each(base, self.position(side, element)));
            self.k.if_else(all, vectors, || self.k.if_else(none, nothing, || elements(&each)));
        });
    }

    /// The way back.
    pub(super) fn store_rows_within(&self, window: &Window<'k>, base: Expr<'k, Index>, array: usize) {
        let (side, end) = (&self.geometry.store, &self.spec.store);
        let pair = end.access == Store::RealPair;
        let tile = if pair { W } else { W / 2 };
        self.each_tile(tile, |first, elements| {
            let position = self.position(side, first);
            let place = position + window.of_line(&self.coordinates, self.k.value(0));
            let (all, none) = self.wanted(window, position, place, self.k.value(tile));
            let vectors = || {
                let numbers = (0..tile).map(|i| self.worked(array, first + i));
                let numbers = numbers.map(|z| if end.swap != end.restore { z.swap() } else { z });
                let start = base + place;
                let step = side.lines[0] + window.lines[0];
                if pair {
                    let (re, im): (Vec<_>, Vec<_>) = numbers.map(|z| (z.re, z.im)).unzip();
                    for (columns, start) in [(re, start), (im, start + window.block)] {
                        for (lane, row) in transpose(columns).into_iter().enumerate() {
                            self.target.store_vector(start + step * lane, row);
                        }
                    }
                } else {
                    let columns = numbers.flat_map(|z| [z.re, z.im]).collect();
                    for (lane, row) in transpose(columns).into_iter().enumerate() {
                        self.target.store_vector((start + step * lane) * 2_i64, row);
                    }
                }
            };
            let each = |element| self.leave_each(base, self.position(side, element), self.worked(array, element));
            self.k.if_else(all, vectors, || self.k.when(!none, || elements(&each)));
        });
    }

    /// Tiles of a row: the first element, and what goes through its elements. The last tile may overlap the one before.
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
