//! Load and store ops of SIMD kernels: vector accesses, transposes and elementwise accesses.

use super::super::super::spec::{Load, Store, VectorAccess};
use super::super::access::{self, Accessor, Side, Writer};
use super::super::vectors::{ComplexVector, deinterleave, gather, interleave, transpose};
use super::PencilBlock;
use affinimath_kernel::{Complex, Expr, Float, Index, Real, Vector};

impl<'k, R: Real, const W: usize> PencilBlock<'_, 'k, R, W> {
    /// Loads an element of each lane's pencil.
    pub(super) fn load(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        element: Expr<'k, Index>,
    ) -> ComplexVector<'k, R, W> {
        let side = &self.geometry.load;
        let position = self.position(side, element);
        if self.spec.load.per_lane {
            return self.load_per_lane(base, lanes, position);
        }
        self.with_accessor(side, base, lanes, |accessor| {
            access::load(self.k, self.spec, &self.offsets.load, accessor, position)
        })
    }

    /// Stores an element of each lane's pencil.
    pub(super) fn store(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        element: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) {
        let position = self.position(&self.geometry.store, element);
        if self.spec.store.per_lane {
            self.store_per_lane(base, lanes, position, z)
        } else {
            self.write(base, lanes, position, z)
        }
    }

    /// Loads lane by lane, each at its own position.
    pub(super) fn load_elementwise(&self, base: Expr<'k, Index>, position: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
        self.k.range(0, W).each("lane", |lane| {
            let pencil = self.pencils.map_or(lane, |pencils| lane.min(pencils - 1));
            let (base, position) = lane_start(&self.geometry.load, base, position, pencil);
            let z = self.with_lane_accessor(&self.geometry.load, base, |accessor| {
                access::load(self.k, self.spec, &self.offsets.load, accessor, position)
            });
            self.lane_buffer.store(lane, z.re);
            self.lane_buffer.store(lane + W, z.im);
        });
        Complex::new(self.lane_buffer.vector_at::<W>(0), self.lane_buffer.vector_at::<W>(W))
    }

    /// Loads with a position for each lane: a vector where the points are adjacent, else lane by lane.
    pub(super) fn load_per_lane(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        position: Expr<'k, Index>,
    ) -> ComplexVector<'k, R, W> {
        let zero = self.k.value(Vector::<R, W>::real(0.0));
        let (re, im) = (self.k.var("re", zero), self.k.var("im", zero));
        let set = |z: ComplexVector<'k, R, W>| {
            re.set(z.re);
            im.set(z.im);
        };
        let elementwise = || set(self.load_elementwise(base, position));
        if let Some(window) = self.geometry.load.window.as_ref().filter(|_| lanes == VectorAccess::Contiguous) {
            let whole = self.k.value::<Index>(W);
            let (all, none) = self.spans(window, position, whole);
            let vectors = || set(self.adjacent(base, window, position));
            self.k.if_else(all, vectors, || self.k.when(!none, elementwise));
            return Complex::new(re.get(), im.get());
        }
        let positions = self.spec.positions();
        match self
            .offsets
            .load
            .chirp
            .filter(|_| lanes == VectorAccess::Contiguous && self.spec.load.access == Load::Complex)
        {
            Some(chirp) => self.k.if_else(
                (position + W).le(positions),
                || {
                    let first = (base + position) * 2_i64;
                    let z = deinterleave(self.source.vector::<W>(first), self.source.vector::<W>(first + W));
                    let z = if self.spec.load.swap { z.swap() } else { z } * self.table_vector(position + chirp);
                    re.set(z.re);
                    im.set(z.im);
                },
                || self.k.when(position.lt(positions), elementwise),
            ),
            None => elementwise(),
        }
        Complex::new(re.get(), im.get())
    }

    /// Stores with a position for each lane.
    pub(super) fn store_per_lane(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        position: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) {
        let elementwise = || self.store_elementwise(base, position, z);
        if let Some(window) = self.geometry.store.window.as_ref().filter(|_| lanes == VectorAccess::Contiguous) {
            let point = position + window.of_pencil(&self.coordinates, self.k.value(0));
            let (all, none) = self.wanted(window, position, point, self.k.value(W));
            let vectors = || {
                let z = if self.spec.store.unswap != self.spec.store.swap { z.swap() } else { z };
                match self.spec.store.access {
                    Store::RealPair => {
                        self.target.store_vector(base + point, z.re);
                        self.target.store_vector(base + point + window.block, z.im);
                    }
                    Store::Real => self.target.store_vector(base + point, z.re),
                    _ => {
                        let (first, (low, high)) = ((base + point) * 2_i64, interleave(z.re, z.im));
                        self.target.store_vector(first, low);
                        self.target.store_vector(first + W, high);
                    }
                }
            };
            self.k.if_else(all, vectors, || self.k.when(!none, elementwise));
            return;
        }
        let positions = self.spec.positions();
        match self
            .offsets
            .store
            .chirp
            .filter(|_| lanes == VectorAccess::Contiguous && self.spec.store.access == Store::Complex)
        {
            Some(chirp) => self.k.if_else(
                (position + W).le(positions),
                || {
                    let z = if self.spec.store.unswap { z.swap() } else { z } * self.table_vector(position + chirp);
                    let z = if self.spec.store.swap { z.swap() } else { z };
                    let (first, (low, high)) = ((base + position) * 2_i64, interleave(z.re, z.im));
                    self.target.store_vector(first, low);
                    self.target.store_vector(first + W, high);
                },
                || self.k.when(position.lt(positions), elementwise),
            ),
            None => elementwise(),
        }
    }

    /// Stores lane by lane, each at its own position.
    pub(super) fn store_elementwise(
        &self,
        base: Expr<'k, Index>,
        position: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) {
        self.lane_buffer.store_vector(0, z.re);
        self.lane_buffer.store_vector(W, z.im);
        let last = self.pencils.unwrap_or_else(|| self.k.value::<Index>(W));
        let side = &self.geometry.store;
        let window =
            side.window.as_ref().map(|window| (window, window.of_pencil(&self.coordinates, self.k.value::<Index>(0))));
        self.k.range(0, last).each("lane", |lane| {
            let (base, position) = lane_start(side, base, position, lane);
            let window = window.map(|(window, pencil)| (window, pencil + lane * window.pencils[0]));
            let z = Complex::new(self.lane_buffer.at(lane), self.lane_buffer.at(lane + W));
            let at = |point: Expr<'k, Index>| base + point * side.stride;
            let complex = |index: Expr<'k, Index>, z| {
                access::write_within(self.k, window, index, |point| self.target.store_complex(at(point), z));
            };
            let real = |index: Expr<'k, Index>, value| {
                access::write_within(self.k, window, index, |point| self.target.store_real(at(point), value));
            };
            let write = Writer { complex: &complex, real: &real };
            self.with_lane_accessor(side, base, |accessor| {
                access::store(self.k, self.spec, &self.offsets.store, accessor, &write, (position, z));
            });
        });
    }

    pub(super) fn with_accessor<V>(
        &self,
        side: &Side<'k>,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        then: impl FnOnce(&Accessor<'_, 'k, Vector<R, W>, R>) -> V,
    ) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |index: Expr<'k, Index>, lane: usize| base + index * side.stride + self.lane(lane) * side.pencils[0];
        let complex_at = |index: Expr<'k, Index>| match lanes {
            VectorAccess::Contiguous => {
                let first = (base + index * side.stride) * 2_i64;
                deinterleave(self.source.vector::<W>(first), self.source.vector::<W>(first + W))
            }
            _ => gather(|lane| self.source.complex(at(index, lane))),
        };
        let real_at = |index: Expr<'k, Index>| match lanes {
            VectorAccess::Contiguous => self.source.vector::<W>(base + index * side.stride),
            _ => Expr::from_lanes(std::array::from_fn(|lane| self.source.real(at(index, lane)))),
        };
        let complex = |index: Expr<'k, Index>| access::complex_within(self.k, window, index, complex_at);
        let real = |index: Expr<'k, Index>| access::real_within(self.k, window, index, real_at);
        let lift = |number: Expr<'k, R>| number.splat();
        let table = |index: Expr<'k, Index>| self.table(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Accessor { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }

    pub(super) fn write(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        position: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) {
        let side = &self.geometry.store;
        let each = |index: Expr<'k, Index>, one: &dyn Fn(Expr<'k, Index>, usize)| {
            for lane in 0..W {
                let element = base + index * side.stride + side.pencils[0] * lane;
                match self.pencils {
                    Some(pencils) => self.k.when(pencils.gt(lane), || one(element, lane)),
                    None => one(element, lane),
                }
            }
        };
        let complex_at = |index: Expr<'k, Index>, z: ComplexVector<'k, R, W>| match lanes {
            VectorAccess::Contiguous => {
                let (first, (low, high)) = ((base + index * side.stride) * 2_i64, interleave(z.re, z.im));
                self.target.store_vector(first, low);
                self.target.store_vector(first + W, high);
            }
            _ => each(index, &|element, lane| {
                self.target.store_complex(element, Complex::new(z.re.lane(lane), z.im.lane(lane)));
            }),
        };
        let real_at = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| match lanes {
            VectorAccess::Contiguous => self.target.store_vector(base + index * side.stride, value),
            _ => each(index, &|element, lane| self.target.store_real(element, value.lane(lane))),
        };
        let window =
            side.window.as_ref().map(|window| (window, window.of_pencil(&self.coordinates, self.k.value::<Index>(0))));
        let complex = |index: Expr<'k, Index>, z: ComplexVector<'k, R, W>| {
            access::write_within(self.k, window, index, |point| complex_at(point, z));
        };
        let real = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| {
            access::write_within(self.k, window, index, |point| real_at(point, value));
        };
        self.with_accessor(side, base, lanes, |accessor| {
            let write = Writer { complex: &complex, real: &real };
            access::store(self.k, self.spec, &self.offsets.store, accessor, &write, (position, z));
        });
    }

    pub(super) fn with_lane_accessor<V>(
        &self,
        side: &Side<'k>,
        base: Expr<'k, Index>,
        then: impl FnOnce(&Accessor<'_, 'k, R, R>) -> V,
    ) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |point: Expr<'k, Index>| base + point * side.stride;
        let complex = |index: Expr<'k, Index>| {
            access::complex_within(self.k, window, index, |point| self.source.complex(at(point)))
        };
        let real =
            |index: Expr<'k, Index>| access::real_within(self.k, window, index, |point| self.source.real(at(point)));
        let lift = |number: Expr<'k, R>| number;
        let table = |index: Expr<'k, Index>| self.table(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Accessor { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }

    /// Loads W/2 elements of each of W pencils at a time, and transposes them in registers.
    pub(super) fn load_transposed(&self, base: Expr<'k, Index>, array: usize) {
        if let Some(window) = &self.geometry.load.window {
            return self.load_transposed_window(window, base, array);
        }
        let step = self.geometry.load.pencils[0];
        self.tiles(|first| {
            let rows = (0..W).map(|lane| self.source.vector::<W>((base + first + step * lane) * 2_i64)).collect();
            let columns = transpose(rows);
            for (i, parts) in columns.chunks(2).enumerate() {
                let z = Complex::new(parts[0], parts[1]);
                self.write_work(array, first + i, if self.spec.load.swap { z.swap() } else { z });
            }
        });
    }

    /// The inverse of [`PencilBlock::load_transposed`].
    pub(super) fn store_transposed(&self, base: Expr<'k, Index>, array: usize) {
        if let Some(window) = &self.geometry.store.window {
            return self.store_transposed_window(window, base, array);
        }
        let (step, op) = (self.geometry.store.pencils[0], &self.spec.store);
        self.tiles(|first| {
            let points = (0..W / 2).map(|i| self.read_work(array, first + i));
            let swapped = points.map(|z| if op.swap != op.unswap { z.swap() } else { z });
            let columns = swapped.flat_map(|z| [z.re, z.im]).collect();
            for (lane, row) in transpose(columns).into_iter().enumerate() {
                self.target.store_vector((base + first + step * lane) * 2_i64, row);
            }
        });
    }

    /// Calls with the first element of each tile. The last tile may overlap the one before.
    pub(super) fn tiles(&self, one: impl Fn(Expr<'k, Index>)) {
        let (length, tile) = (self.spec.length(), W / 2);
        self.k.range(0, length / tile).each("tile", |t| one(t * tile));
        if !length.is_multiple_of(tile) {
            one(self.k.value::<Index>(length - tile));
        }
    }
}

/// First index of a lane's pencil, and the position of its element.
fn lane_start<'k>(
    side: &Side<'k>,
    base: Expr<'k, Index>,
    position: Expr<'k, Index>,
    lane: Expr<'k, Index>,
) -> (Expr<'k, Index>, Expr<'k, Index>) {
    let step = side.position.as_ref().map(|position| position.pencils[0]);
    (base + lane * side.pencils[0], step.map_or(position, |step| position + lane * step))
}
