//! The constants of a pass, in one buffer: roots of unity and chirps. They are computed in double precision on the host, and rounded
//! once.

use super::spec::{End, Form, KernelSpec, Twiddle};
use affinimath_kernel::root_of_unity;

/// Where each table begins in the buffer, in complex numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// For each radix: its twiddles.
    pub(super) radices: Vec<usize>,
    pub(super) load: EndPlaces,
    pub(super) store: EndPlaces,
    /// Numbers in all.
    length: usize,
}

/// The tables of a pass' one end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndPlaces {
    pub(super) twiddle: Option<TwiddlePlaces>,
    /// What the access multiplies by at each position.
    pub(super) roots: Option<usize>,
    /// The chirp at each position, and a zero after them.
    pub(super) chirp: Option<usize>,
}

/// Roots of unity of a large order as products of two: number e is number e >> `shift` of the coarse ones times number
/// e & (2^shift - 1) of the fine ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TwiddlePlaces {
    pub(super) coarse: usize,
    pub(super) fine: usize,
    pub(super) shift: u32,
    /// In lanes: for each element the factors of the lanes' own coordinates, real parts before imaginary ones.
    pub(super) lanes: Option<usize>,
}

impl KernelSpec {
    /// The complex numbers of the whole transform: the positions that its ends see.
    pub(super) fn positions(&self) -> usize {
        let packed =
            self.load.access == super::spec::Load::PackedReal || self.store.access == super::spec::Store::PackedReal;
        if packed { self.points / 2 } else { self.points }
    }

    fn lane_width(&self) -> usize {
        match self.form {
            Form::Lanes { width, .. } => width,
            Form::Group { .. } => 0,
        }
    }

    /// Where its tables are.
    pub(super) fn places(&self) -> Places {
        let mut length = 0;
        let mut take = |count: usize| {
            length += count;
            length - count
        };
        let stages = self.radices.iter().zip(self.strides());
        let radices = stages.map(|(radix, stride)| take(if stride == 1 { 0 } else { (radix - 1) * stride })).collect();
        let (elements, width, positions) = (self.length(), self.lane_width(), self.positions());
        let mut end = |twiddle: Option<Twiddle>, roots: Option<usize>, chirp: bool| EndPlaces {
            twiddle: twiddle.map(|Twiddle { dimension, order }| {
                let shift = order.next_power_of_two().ilog2().div_ceil(2);
                let (coarse, fine) = (take(order.div_ceil(1 << shift)), take(1 << shift));
                let lanes = (width > 0 && dimension == 0).then(|| take(elements * width));
                TwiddlePlaces { coarse, fine, shift, lanes }
            }),
            roots: roots.map(|_| take(positions + 1)),
            chirp: chirp.then(|| take(positions + 1)),
        };
        let load = end(self.load.twiddle, self.load.access.roots(self.points), self.load.chirp);
        let store = end(self.store.twiddle, self.store.access.roots(self.points), self.store.chirp);
        Places { radices, load, store, length }
    }

    /// Its tables: real and imaginary parts in turn.
    pub(super) fn tables(&self) -> Vec<f64> {
        let places = self.places();
        let mut table = Table(vec![0.0; 2 * places.length]);
        self.fill_radices(&places, &mut table);
        let roots = self.load.access.roots(self.points);
        self.fill_end(&self.load, roots, &places.load, &mut table);
        let roots = self.store.access.roots(self.points);
        self.fill_end(&self.store, roots, &places.store, &mut table);
        table.0
    }

    fn fill_radices(&self, places: &Places, table: &mut Table) {
        let lanes = self.lane_width() > 0;
        for ((radix, stride), place) in self.radices.iter().zip(self.strides()).zip(&places.radices) {
            for (k, j) in (0..stride).flat_map(|k| (1..*radix).map(move |j| (k, j))).filter(|_| stride > 1) {
                let index = if lanes { k * (radix - 1) + j - 1 } else { (j - 1) * stride + k };
                table.set(place + index, root(j * k, radix * stride));
            }
        }
    }

    fn fill_end<A>(&self, end: &End<A>, roots: Option<usize>, places: &EndPlaces, table: &mut Table) {
        if let (Some(Twiddle { order, .. }), Some(places)) = (end.twiddle, places.twiddle) {
            for e in 0..order.div_ceil(1 << places.shift) {
                table.set(places.coarse + e, root(e << places.shift, order));
            }
            for e in 0..1 << places.shift {
                table.set(places.fine + e, root(e, order));
            }
            let (elements, width) = (self.length(), self.lane_width());
            for (element, lane) in
                (0..elements).flat_map(|e| (0..width).map(move |l| (e, l))).filter(|_| places.lanes.is_some())
            {
                let first = 2 * (places.lanes.unwrap_or(0) + element * width) + lane;
                (table.0[first], table.0[first + width]) = root(element * lane, order);
            }
        }
        let positions = self.positions();
        if let (Some(order), Some(place)) = (roots, places.roots) {
            (0..=positions).for_each(|p| table.set(place + p, root(p, order)));
        }
        if let Some(place) = places.chirp {
            (0..positions).for_each(|p| table.set(place + p, chirp(p, positions)));
        }
    }
}

struct Table(Vec<f64>);

impl Table {
    fn set(&mut self, place: usize, (re, im): (f64, f64)) {
        self.0[2 * place] = re;
        self.0[2 * place + 1] = im;
    }
}

/// e^(-2 pi i exponent / order).
fn root(exponent: usize, order: usize) -> (f64, f64) {
    root_of_unity(-(exponent as i64), order as i64)
}

/// e^(-i pi p^2 / n).
pub(super) fn chirp(p: usize, n: usize) -> (f64, f64) {
    let square = (p as u128 * p as u128 % (2 * n as u128)) as usize;
    root(square, 2 * n)
}
