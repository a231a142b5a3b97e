//! The constants of a pass in one buffer: twiddles and chirps, computed in double precision and rounded once.

use super::spec::{AccessOp, Form, KernelSpec, Twiddle};
use affinimath_kernel::root_of_unity;

/// First entry of each table in the buffer, in complex points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableOffsets {
    /// Twiddles of each radix.
    pub(super) radices: Vec<usize>,
    pub(super) load: OpTables,
    pub(super) store: OpTables,
    /// Points of all tables.
    length: usize,
}

/// Tables of a load or store op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OpTables {
    pub(super) twiddle: Option<TwiddleTables>,
    /// Factors of the access at each position.
    pub(super) roots: Option<usize>,
    /// The chirp at each position, then a zero.
    pub(super) chirp: Option<usize>,
}

/// Roots of unity of a large order as products of two: root e is coarse root e >> `shift` times fine root e & (2^shift
/// - 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TwiddleTables {
    pub(super) coarse: usize,
    pub(super) fine: usize,
    pub(super) shift: u32,
    /// SIMD kernels: for each element the roots of the lanes, a vector of real parts before one of imaginary parts.
    pub(super) lanes: Option<usize>,
}

impl KernelSpec {
    /// Complex points of the whole transform.
    pub(super) fn positions(&self) -> usize {
        let packed =
            self.load.access == super::spec::Load::PackedReal || self.store.access == super::spec::Store::PackedReal;
        if packed { self.points / 2 } else { self.points }
    }

    fn lane_width(&self) -> usize {
        match self.form {
            Form::Simd { width, .. } => width,
            Form::WorkGroup { .. } => 0,
        }
    }

    pub(super) fn offsets(&self) -> TableOffsets {
        let mut length = 0;
        let mut take = |count: usize| {
            length += count;
            length - count
        };
        let stages = self.radices.iter().zip(self.strides());
        let radices = stages.map(|(radix, stride)| take(if stride == 1 { 0 } else { (radix - 1) * stride })).collect();
        let (elements, width, positions) = (self.length(), self.lane_width(), self.positions());
        let mut op = |twiddle: Option<Twiddle>, roots: Option<usize>, chirp: bool| OpTables {
            twiddle: twiddle.map(|Twiddle { dimension, order }| {
                let shift = order.next_power_of_two().ilog2().div_ceil(2);
                let (coarse, fine) = (take(order.div_ceil(1 << shift)), take(1 << shift));
                let lanes = (width > 0 && dimension == 0).then(|| take(elements * width));
                TwiddleTables { coarse, fine, shift, lanes }
            }),
            roots: roots.map(|_| take(positions + 1)),
            chirp: chirp.then(|| take(positions + 1)),
        };
        let load = op(self.load.twiddle, self.load.access.roots(self.points), self.load.chirp);
        let store = op(self.store.twiddle, self.store.access.roots(self.points), self.store.chirp);
        TableOffsets { radices, load, store, length }
    }

    /// The tables, interleaved.
    pub(super) fn tables(&self) -> Vec<f64> {
        let offsets = self.offsets();
        let mut table = Table(vec![0.0; 2 * offsets.length]);
        self.fill_radices(&offsets, &mut table);
        let roots = self.load.access.roots(self.points);
        self.fill_op(&self.load, roots, &offsets.load, &mut table);
        let roots = self.store.access.roots(self.points);
        self.fill_op(&self.store, roots, &offsets.store, &mut table);
        table.0
    }

    fn fill_radices(&self, offsets: &TableOffsets, table: &mut Table) {
        let lanes = self.lane_width() > 0;
        for ((radix, stride), offset) in self.radices.iter().zip(self.strides()).zip(&offsets.radices) {
            for (k, j) in (0..stride).flat_map(|k| (1..*radix).map(move |j| (k, j))).filter(|_| stride > 1) {
                let index = if lanes { k * (radix - 1) + j - 1 } else { (j - 1) * stride + k };
                table.set(offset + index, root(j * k, radix * stride));
            }
        }
    }

    fn fill_op<A>(&self, op: &AccessOp<A>, roots: Option<usize>, offsets: &OpTables, table: &mut Table) {
        if let (Some(Twiddle { order, .. }), Some(offsets)) = (op.twiddle, offsets.twiddle) {
            for e in 0..order.div_ceil(1 << offsets.shift) {
                table.set(offsets.coarse + e, root(e << offsets.shift, order));
            }
            for e in 0..1 << offsets.shift {
                table.set(offsets.fine + e, root(e, order));
            }
            let (elements, width) = (self.length(), self.lane_width());
            for (element, lane) in
                (0..elements).flat_map(|e| (0..width).map(move |l| (e, l))).filter(|_| offsets.lanes.is_some())
            {
                let first = 2 * (offsets.lanes.unwrap_or(0) + element * width) + lane;
                (table.0[first], table.0[first + width]) = root(element * lane, order);
            }
        }
        let positions = self.positions();
        if let (Some(order), Some(offset)) = (roots, offsets.roots) {
            (0..=positions).for_each(|p| table.set(offset + p, root(p, order)));
        }
        if let Some(offset) = offsets.chirp {
            (0..positions).for_each(|p| table.set(offset + p, chirp(p, positions)));
        }
    }
}

struct Table(Vec<f64>);

impl Table {
    fn set(&mut self, offset: usize, (re, im): (f64, f64)) {
        self.0[2 * offset] = re;
        self.0[2 * offset + 1] = im;
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
