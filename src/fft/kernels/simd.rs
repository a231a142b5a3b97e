//! Passes for CPUs: a work-item transforms a line in each lane of its vectors, through memory that stays in its caches, without barriers.

mod window;

use super::super::butterfly::butterfly;
use super::super::spec::{Convolve, Form, KernelSpec, Lanes, Load, Store};
use super::super::tables::Places;
use super::access::{self, Geometry, Position, Put, Reach, Side, Source, Target, Twiddling};
use super::vectors::{Numbers, deinterleave, gather, interleave, transpose};
use affinimath_kernel::{
    Array, BuildError, Builder, Complex, Expr, Float, Index, Kernel, ReadOnly, ReadWrite, Real, Vector,
};

/// Arrays of a line's numbers in each lane that a work-group needs.
pub(in super::super) const WORK_ARRAYS: usize = 2;

type Read<'a, 'k, R, const W: usize> = &'a dyn Fn(Expr<'k, Index>) -> Numbers<'k, R, W>;
type Write<'a, 'k, R, const W: usize> = &'a dyn Fn(Expr<'k, Index>, Numbers<'k, R, W>);
/// Writes a result, or leaves it in the array that is named.
type Finish<'a, 'k, R, const W: usize> = &'a dyn Fn(usize, Expr<'k, Index>, Numbers<'k, R, W>);

/// The kernel of a pass in lanes.
pub(super) fn kernel<R: Real, const W: usize>(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    let Form::Lanes { load, store, tail, .. } = spec.form else {
        return Err(BuildError::Name(spec.name()));
    };
    Kernel::build(&spec.name(), |k| {
        k.comment(&format!("Transforms of {} numbers, {W} at once.", spec.length()));
        k.group_size([1, 1, 1]);
        if spec.contract {
            k.contract();
        }
        let (source, target) = access::memories::<R>(k, spec, false);
        let tables = k.input::<R>("tables");
        let spectrum = spec.convolve.map(|_| k.input::<R>("spectrum"));
        let work = k.in_out::<Vector<R, W>>("work");
        let work_offset = k.argument::<Index>("work_offset");
        let geometry = Geometry::declare(k, spec);
        let (blocks, across) = (k.argument::<Index>("blocks"), k.argument::<Index>("blocks_across"));
        let tail = tail.then(|| (k.argument::<Index>("first_line"), k.argument::<Index>("lines")));
        let scale = spec.scale.then(|| k.argument::<R>("scale"));

        let lane_room = k.private::<R>("lanes", 2 * W);
        let (group, groups) = (k.group_id(0), k.group_count(0));
        let slot = k.named("slot", work_offset + group * (WORK_ARRAYS * spec.length() * 2));
        let places = spec.places();
        let overlapping = tail.is_none() && !spec.in_place;
        let bound = |bound| if overlapping { first_of_group(bound, across) } else { bound };
        k.range(bound(group * blocks / groups), bound((group + 1) * blocks / groups)).each("block", |block| {
            let first = match tail {
                Some((first, _)) => first,
                None if spec.in_place => block % across * W,
                None => (block % across * W).min(geometry.counts[0] - W),
            };
            let mut coordinates = vec![first];
            let mut rest = block / across;
            for count in geometry.counts.iter().skip(1) {
                coordinates.push(rest % *count);
                rest = rest / *count;
            }
            let lines = tail.map(|(_, lines)| lines);
            let places = &places;
            let block: Block<'_, '_, R, W> = Block {
                k,
                spec,
                places,
                geometry: &geometry,
                source,
                target,
                tables,
                work,
                slot,
                coordinates,
                lines,
                scale,
                lane_room,
            };
            block.run(spectrum, load, store);
        });
    })
}

/// Where a group's blocks begin, if they are shared out so. The last block of a row may do lines of the one before again, so that one
/// group does both.
fn first_of_group<'k>(block: Expr<'k, Index>, across: Expr<'k, Index>) -> Expr<'k, Index> {
    let last = (block % across).eq(across - 1) & across.gt(1);
    block + last.select(1_i64, 0_i64)
}

/// The lines that are transformed at once.
struct Block<'a, 'k, R, const W: usize> {
    k: Builder<'k>,
    spec: &'a KernelSpec,
    places: &'a Places,
    geometry: &'a Geometry<'k>,
    source: Source<'k, R>,
    target: Target<'k, R>,
    tables: Array<'k, R, ReadOnly>,
    work: Array<'k, Vector<R, W>, ReadWrite>,
    slot: Expr<'k, Index>,
    /// Those of the first lane.
    coordinates: Vec<Expr<'k, Index>>,
    /// How many lanes have lines, where not all have.
    lines: Option<Expr<'k, Index>>,
    scale: Option<Expr<'k, R>>,
    /// Room for a number of each lane.
    lane_room: Array<'k, R, ReadWrite>,
}

impl<'k, R: Real, const W: usize> Block<'_, 'k, R, W> {
    fn run(&self, spectrum: Option<Array<'k, R, ReadOnly>>, load: Lanes, store: Lanes) {
        let (load_base, store_base) =
            (self.base("x_line", &self.geometry.load), self.base("y_line", &self.geometry.store));
        let twiddled_in = access::twiddling(&self.spec.load, &self.places.load);
        let from_memory =
            |element: Expr<'k, Index>| self.twiddle(&twiddled_in, element, self.fetch(load_base, load, element));
        let from_work = |element: Expr<'k, Index>| self.twiddle(&twiddled_in, element, self.worked(0, element));
        // What comes lane by lane is brought into the work arrays first, so that the code that does it is there once.
        let (read, free): (Read<'_, 'k, R, W>, usize) = match (load, self.spec.load.spread) {
            (Lanes::Adjacent, false) => (&from_memory, 0),
            (Lanes::Rows, _) => {
                self.load_rows(load_base, 0);
                (&from_work, 1)
            }
            _ => {
                let length = self.spec.length();
                self.k.range(0, length).each("element", |e| self.set_worked(0, e, self.fetch(load_base, load, e)));
                (&from_work, 1)
            }
        };
        let twiddled_out = access::twiddling(&self.spec.store, &self.places.store);
        let finished = |element: Expr<'k, Index>, z: Numbers<'k, R, W>| {
            let z = self.twiddle(&twiddled_out, element, z);
            self.scale.map_or(z, |scale| z.scale(scale.splat()))
        };
        let untangled = self.spec.store.access == Store::Untangled;
        let direct = store == Lanes::Adjacent && !self.spec.store.spread && !untangled;
        let write = |array: usize, element: Expr<'k, Index>, z: Numbers<'k, R, W>| {
            let z = finished(element, z);
            if direct { self.leave(store_base, store, element, z) } else { self.set_worked(array, element, z) }
        };
        let result = match (spectrum, self.spec.convolve) {
            (Some(spectrum), Some(convolve)) => {
                let first = self.stages(read, free, None);
                let multiplied = |element: Expr<'k, Index>| {
                    let factor = self.factor(spectrum, convolve, element);
                    (self.worked(first, element) * if self.spec.conjugate { factor.conj() } else { factor }).swap()
                };
                self.stages(&multiplied, 1 - first, Some(&write))
            }
            _ => self.stages(read, free, Some(&write)),
        };
        let length = self.spec.length();
        match store {
            _ if direct => {}
            _ if untangled => self.untangle(store_base, store, result),
            Lanes::Rows => self.store_rows(store_base, result),
            _ => self.k.range(0, length).each("element", |e| self.leave(store_base, store, e, self.worked(result, e))),
        }
    }

    /// The position of the first lane's element, at an end that knows positions.
    fn position(&self, side: &Side<'k>, element: Expr<'k, Index>) -> Expr<'k, Index> {
        let line = |position: &Position<'k>| position.of_line(&self.coordinates, self.k.value::<Index>(0));
        side.position.as_ref().map_or(element, |position| element * position.element + line(position))
    }

    /// An element of each lane's line, from memory.
    fn fetch(&self, base: Expr<'k, Index>, lanes: Lanes, element: Expr<'k, Index>) -> Numbers<'k, R, W> {
        let side = &self.geometry.load;
        let position = self.position(side, element);
        if self.spec.load.spread {
            return self.fetch_spread(base, lanes, position);
        }
        self.with_reach(side, base, lanes, |reach| access::load(self.k, self.spec, &self.places.load, reach, position))
    }

    /// An element of each lane's line, to memory.
    fn leave(&self, base: Expr<'k, Index>, lanes: Lanes, element: Expr<'k, Index>, z: Numbers<'k, R, W>) {
        let position = self.position(&self.geometry.store, element);
        if self.spec.store.spread {
            self.leave_spread(base, lanes, position, z)
        } else {
            self.put(base, lanes, position, z)
        }
    }

    /// Numbers of which each lane has a position of its own, one by one.
    fn fetch_each(&self, base: Expr<'k, Index>, position: Expr<'k, Index>) -> Numbers<'k, R, W> {
        self.k.range(0, W).each("lane", |lane| {
            let line = self.lines.map_or(lane, |lines| lane.min(lines - 1));
            let (base, position) = of_lane(&self.geometry.load, base, position, line);
            let z = self.with_one_reach(&self.geometry.load, base, |reach| {
                access::load(self.k, self.spec, &self.places.load, reach, position)
            });
            self.lane_room.store(lane, z.re);
            self.lane_room.store(lane + W, z.im);
        });
        Complex::new(self.lane_room.vector_at::<W>(0), self.lane_room.vector_at::<W>(W))
    }

    /// Numbers of which each lane has a position of its own: as vectors, as far as they are just multiplied by a chirp, else one by one.
    fn fetch_spread(&self, base: Expr<'k, Index>, lanes: Lanes, position: Expr<'k, Index>) -> Numbers<'k, R, W> {
        let zero = self.k.value(Vector::<R, W>::real(0.0));
        let (re, im) = (self.k.var("re", zero), self.k.var("im", zero));
        let set = |z: Numbers<'k, R, W>| {
            re.set(z.re);
            im.set(z.im);
        };
        let one_by_one = || set(self.fetch_each(base, position));
        if let Some(window) = self.geometry.load.window.as_ref().filter(|_| lanes == Lanes::Adjacent) {
            let whole = self.k.value::<Index>(W);
            let (all, none) = self.spans(window, position, whole);
            let vectors = || set(self.adjacent(base, window, position));
            self.k.if_else(all, vectors, || self.k.when(!none, one_by_one));
            return Complex::new(re.get(), im.get());
        }
        let positions = self.spec.positions();
        match self.places.load.chirp.filter(|_| lanes == Lanes::Adjacent && self.spec.load.access == Load::Complex) {
            Some(chirp) => self.k.if_else(
                (position + W).le(positions),
                || {
                    let first = (base + position) * 2_i64;
                    let z = deinterleave(self.source.vector::<W>(first), self.source.vector::<W>(first + W));
                    let z = if self.spec.load.swap { z.swap() } else { z } * self.table_vector(position + chirp);
                    re.set(z.re);
                    im.set(z.im);
                },
                || self.k.when(position.lt(positions), one_by_one),
            ),
            None => one_by_one(),
        }
        Complex::new(re.get(), im.get())
    }

    /// The way back.
    fn leave_spread(&self, base: Expr<'k, Index>, lanes: Lanes, position: Expr<'k, Index>, z: Numbers<'k, R, W>) {
        let one_by_one = || self.leave_each(base, position, z);
        if let Some(window) = self.geometry.store.window.as_ref().filter(|_| lanes == Lanes::Adjacent) {
            let place = position + window.of_line(&self.coordinates, self.k.value(0));
            let (all, none) = self.wanted(window, position, place, self.k.value(W));
            let vectors = || {
                let z = if self.spec.store.restore != self.spec.store.swap { z.swap() } else { z };
                match self.spec.store.access {
                    Store::RealPair => {
                        self.target.store_vector(base + place, z.re);
                        self.target.store_vector(base + place + window.block, z.im);
                    }
                    Store::Real => self.target.store_vector(base + place, z.re),
                    _ => {
                        let (first, (low, high)) = ((base + place) * 2_i64, interleave(z.re, z.im));
                        self.target.store_vector(first, low);
                        self.target.store_vector(first + W, high);
                    }
                }
            };
            self.k.if_else(all, vectors, || self.k.when(!none, one_by_one));
            return;
        }
        let positions = self.spec.positions();
        match self.places.store.chirp.filter(|_| lanes == Lanes::Adjacent && self.spec.store.access == Store::Complex) {
            Some(chirp) => self.k.if_else(
                (position + W).le(positions),
                || {
                    let z = if self.spec.store.restore { z.swap() } else { z } * self.table_vector(position + chirp);
                    let z = if self.spec.store.swap { z.swap() } else { z };
                    let (first, (low, high)) = ((base + position) * 2_i64, interleave(z.re, z.im));
                    self.target.store_vector(first, low);
                    self.target.store_vector(first + W, high);
                },
                || self.k.when(position.lt(positions), one_by_one),
            ),
            None => one_by_one(),
        }
    }

    /// The way back, one by one.
    fn leave_each(&self, base: Expr<'k, Index>, position: Expr<'k, Index>, z: Numbers<'k, R, W>) {
        self.lane_room.store_vector(0, z.re);
        self.lane_room.store_vector(W, z.im);
        let last = self.lines.unwrap_or_else(|| self.k.value::<Index>(W));
        let side = &self.geometry.store;
        let window =
            side.window.as_ref().map(|window| (window, window.of_line(&self.coordinates, self.k.value::<Index>(0))));
        self.k.range(0, last).each("lane", |lane| {
            let (base, position) = of_lane(side, base, position, lane);
            let window = window.map(|(window, line)| (window, line + lane * window.lines[0]));
            let z = Complex::new(self.lane_room.at(lane), self.lane_room.at(lane + W));
            let at = |place: Expr<'k, Index>| base + place * side.stride;
            let complex = |index: Expr<'k, Index>, z| {
                access::write_within(self.k, window, index, |place| self.target.store_complex(at(place), z));
            };
            let real = |index: Expr<'k, Index>, value| {
                access::write_within(self.k, window, index, |place| self.target.store_real(at(place), value));
            };
            let put = Put { complex: &complex, real: &real };
            self.with_one_reach(side, base, |reach| {
                access::store(self.k, self.spec, &self.places.store, reach, &put, (position, z));
            });
        });
    }

    /// The spectrum of the real numbers that were packed in pairs.
    fn untangle(&self, base: Expr<'k, Index>, lanes: Lanes, array: usize) {
        let half = self.spec.length();
        self.k.range(0, half + 1).each("p", |p| {
            let direct = self.worked(array, p.lt(half).select(p, 0));
            let mirrored = self.worked(array, p.gt(0).select(self.k.value::<Index>(half) - p, 0));
            let z = self.with_reach(&self.geometry.store, base, lanes, |reach| {
                access::untangled(&self.places.store, reach, p, direct, mirrored)
            });
            self.put(base, lanes, p, z);
        });
    }

    fn base(&self, name: &str, side: &Side<'k>) -> Expr<'k, Index> {
        self.k.named(name, side.base(&self.coordinates))
    }

    /// The radices one after the other: the first reads what it is given, each writes to the array that is free, the last as it is told.
    /// Tells which array that was.
    fn stages(&self, read: Read<'_, 'k, R, W>, free: usize, last: Option<Finish<'_, 'k, R, W>>) -> usize {
        let (mut to, count) = (free, self.spec.radices.len());
        for (stage, stride) in self.spec.strides().into_iter().enumerate() {
            let between = |element: Expr<'k, Index>| self.worked(1 - to, element);
            let write = |element: Expr<'k, Index>, z: Numbers<'k, R, W>| match last.filter(|_| stage + 1 == count) {
                Some(finish) => finish(to, element, z),
                None => self.set_worked(to, element, z),
            };
            self.stage(stage, stride, if stage == 0 { read } else { &between }, &write);
            to = 1 - to;
        }
        1 - to
    }

    /// Butterflies of one radix (Stockham's, by decimation in time): `stride` is the product of the radices before.
    fn stage(&self, stage: usize, stride: usize, read: Read<'_, 'k, R, W>, write: Write<'_, 'k, R, W>) {
        let (length, radix) = (self.spec.length(), self.spec.radices[stage]);
        let (hop, many) = (length / radix, length / radix / stride);
        let one = |first: Expr<'k, Index>, to: Expr<'k, Index>, k: Expr<'k, Index>| {
            let inputs: Vec<_> = (0..radix)
                .map(|j| {
                    let z = read(first + j * hop);
                    if stride == 1 || j == 0 {
                        z
                    } else {
                        z * self.root(self.places.radices[stage], k * (radix - 1) + (j - 1))
                    }
                })
                .collect();
            for (q, z) in butterfly(&inputs).into_iter().enumerate() {
                write(to + q * stride, z);
            }
        };
        let zero = self.k.value::<Index>(0);
        match (many, stride) {
            (1, 1) => one(zero, zero, zero),
            (_, 1) => self.k.range(0, many).each("j", |j| one(j, j * radix, zero)),
            (1, _) => self.k.range(0, stride).each("k", |k| one(k, k, k)),
            _ => self.k.range(0, many).each("j", |j| {
                self.k.range(0, stride).each("k", |k| one(j * stride + k, j * (stride * radix) + k, k));
            }),
        }
    }

    fn table(&self, index: Expr<'k, Index>) -> Complex<'k, R> {
        let first = index * 2_i64;
        Complex::new(self.tables.at(first), self.tables.at(first + 1))
    }

    /// Neighbouring numbers of the tables.
    fn table_vector(&self, index: Expr<'k, Index>) -> Numbers<'k, R, W> {
        let first = index * 2_i64;
        deinterleave(self.tables.vector_at(first), self.tables.vector_at(first + W))
    }

    fn root(&self, place: usize, index: Expr<'k, Index>) -> Numbers<'k, R, W> {
        let root = self.table(index + place);
        Complex::new(root.re.splat(), root.im.splat())
    }

    fn twiddle(&self, twiddling: &Twiddling, element: Expr<'k, Index>, z: Numbers<'k, R, W>) -> Numbers<'k, R, W> {
        let Some((twiddle, places)) = twiddling else { return z };
        let exponent = element * self.coordinates[twiddle.dimension];
        let shared = access::large_root(places, &|index| self.table(index), exponent);
        let shared = Complex::new(shared.re.splat(), shared.im.splat());
        let Some(lanes) = places.lanes else { return z * shared };
        let first = (element * W + lanes) * 2_i64;
        z * (shared * Complex::new(self.tables.vector_at(first), self.tables.vector_at(first + W)))
    }

    fn factor(
        &self,
        spectrum: Array<'k, R, ReadOnly>,
        convolve: Convolve,
        element: Expr<'k, Index>,
    ) -> Numbers<'k, R, W> {
        let Some(position) = &self.geometry.spectrum else { return self.root(0, element) };
        let offset = self.geometry.spectrum_offset.unwrap_or(self.k.value(0));
        let first = element * position.element + position.of_line(&self.coordinates, offset);
        let at = |index: Expr<'k, Index>| Complex::new(spectrum.at(index * 2_i64), spectrum.at(index * 2_i64 + 1_i64));
        match convolve {
            Convolve::Shared => {
                let factor = at(first);
                Complex::new(factor.re.splat(), factor.im.splat())
            }
            Convolve::Adjacent if self.lines.is_none() => {
                let halves = (spectrum.vector_at::<W>(first * 2_i64), spectrum.vector_at::<W>(first * 2_i64 + W));
                deinterleave(halves.0, halves.1)
            }
            _ => gather(|lane| at(first + self.lane(lane) * position.lines[0])),
        }
    }

    /// A lane's line; the last one's for lanes that have none.
    fn lane(&self, lane: usize) -> Expr<'k, Index> {
        let lane = self.k.value::<Index>(lane);
        self.lines.map_or(lane, |lines| lane.min(lines - 1))
    }

    fn work_place(&self, array: usize, element: Expr<'k, Index>) -> Expr<'k, Index> {
        self.slot + element * 2_i64 + array * self.spec.length() * 2
    }

    fn worked(&self, array: usize, element: Expr<'k, Index>) -> Numbers<'k, R, W> {
        let place = self.work_place(array, element);
        Complex::new(self.work.at(place), self.work.at(place + 1))
    }

    fn set_worked(&self, array: usize, element: Expr<'k, Index>, z: Numbers<'k, R, W>) {
        let place = self.work_place(array, element);
        self.work.store(place, z.re);
        self.work.store(place + 1, z.im);
    }

    fn with_reach<V>(
        &self,
        side: &Side<'k>,
        base: Expr<'k, Index>,
        lanes: Lanes,
        then: impl FnOnce(&Reach<'_, 'k, Vector<R, W>, R>) -> V,
    ) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |index: Expr<'k, Index>, lane: usize| base + index * side.stride + self.lane(lane) * side.lines[0];
        let complex_at = |index: Expr<'k, Index>| match lanes {
            Lanes::Adjacent => {
                let first = (base + index * side.stride) * 2_i64;
                deinterleave(self.source.vector::<W>(first), self.source.vector::<W>(first + W))
            }
            _ => gather(|lane| self.source.complex(at(index, lane))),
        };
        let real_at = |index: Expr<'k, Index>| match lanes {
            Lanes::Adjacent => self.source.vector::<W>(base + index * side.stride),
            _ => Expr::from_lanes(std::array::from_fn(|lane| self.source.real(at(index, lane)))),
        };
        let complex = |index: Expr<'k, Index>| access::complex_within(self.k, window, index, complex_at);
        let real = |index: Expr<'k, Index>| access::real_within(self.k, window, index, real_at);
        let lift = |number: Expr<'k, R>| number.splat();
        let table = |index: Expr<'k, Index>| self.table(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Reach { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }

    fn put(&self, base: Expr<'k, Index>, lanes: Lanes, position: Expr<'k, Index>, z: Numbers<'k, R, W>) {
        let side = &self.geometry.store;
        let each = |index: Expr<'k, Index>, one: &dyn Fn(Expr<'k, Index>, usize)| {
            for lane in 0..W {
                let place = base + index * side.stride + side.lines[0] * lane;
                match self.lines {
                    Some(lines) => self.k.when(lines.gt(lane), || one(place, lane)),
                    None => one(place, lane),
                }
            }
        };
        let complex_at = |index: Expr<'k, Index>, z: Numbers<'k, R, W>| match lanes {
            Lanes::Adjacent => {
                let (first, (low, high)) = ((base + index * side.stride) * 2_i64, interleave(z.re, z.im));
                self.target.store_vector(first, low);
                self.target.store_vector(first + W, high);
            }
            _ => each(index, &|place, lane| {
                self.target.store_complex(place, Complex::new(z.re.lane(lane), z.im.lane(lane)));
            }),
        };
        let real_at = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| match lanes {
            Lanes::Adjacent => self.target.store_vector(base + index * side.stride, value),
            _ => each(index, &|place, lane| self.target.store_real(place, value.lane(lane))),
        };
        let window =
            side.window.as_ref().map(|window| (window, window.of_line(&self.coordinates, self.k.value::<Index>(0))));
        let complex = |index: Expr<'k, Index>, z: Numbers<'k, R, W>| {
            access::write_within(self.k, window, index, |place| complex_at(place, z));
        };
        let real = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| {
            access::write_within(self.k, window, index, |place| real_at(place, value));
        };
        self.with_reach(side, base, lanes, |reach| {
            let put = Put { complex: &complex, real: &real };
            access::store(self.k, self.spec, &self.places.store, reach, &put, (position, z));
        });
    }

    fn with_one_reach<V>(
        &self,
        side: &Side<'k>,
        base: Expr<'k, Index>,
        then: impl FnOnce(&Reach<'_, 'k, R, R>) -> V,
    ) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |place: Expr<'k, Index>| base + place * side.stride;
        let complex = |index: Expr<'k, Index>| {
            access::complex_within(self.k, window, index, |place| self.source.complex(at(place)))
        };
        let real =
            |index: Expr<'k, Index>| access::real_within(self.k, window, index, |place| self.source.real(at(place)));
        let lift = |number: Expr<'k, R>| number;
        let table = |index: Expr<'k, Index>| self.table(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Reach { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }

    /// Brings rows of W/2 numbers of W lines into lanes, all of the line's numbers.
    fn load_rows(&self, base: Expr<'k, Index>, array: usize) {
        if let Some(window) = &self.geometry.load.window {
            return self.load_rows_within(window, base, array);
        }
        let step = self.geometry.load.lines[0];
        self.tiles(|first| {
            let rows = (0..W).map(|lane| self.source.vector::<W>((base + first + step * lane) * 2_i64)).collect();
            let columns = transpose(rows);
            for (i, parts) in columns.chunks(2).enumerate() {
                let z = Complex::new(parts[0], parts[1]);
                self.set_worked(array, first + i, if self.spec.load.swap { z.swap() } else { z });
            }
        });
    }

    /// The way back.
    fn store_rows(&self, base: Expr<'k, Index>, array: usize) {
        if let Some(window) = &self.geometry.store.window {
            return self.store_rows_within(window, base, array);
        }
        let (step, end) = (self.geometry.store.lines[0], &self.spec.store);
        self.tiles(|first| {
            let numbers = (0..W / 2).map(|i| self.worked(array, first + i));
            let swapped = numbers.map(|z| if end.swap != end.restore { z.swap() } else { z });
            let columns = swapped.flat_map(|z| [z.re, z.im]).collect();
            for (lane, row) in transpose(columns).into_iter().enumerate() {
                self.target.store_vector((base + first + step * lane) * 2_i64, row);
            }
        });
    }

    /// The first element of each tile of a row; the last tile may overlap the one before.
    fn tiles(&self, one: impl Fn(Expr<'k, Index>)) {
        let (length, tile) = (self.spec.length(), W / 2);
        self.k.range(0, length / tile).each("tile", |t| one(t * tile));
        if !length.is_multiple_of(tile) {
            one(self.k.value::<Index>(length - tile));
        }
    }
}

/// Where a lane's line begins, and the position of its element.
fn of_lane<'k>(
    side: &Side<'k>,
    base: Expr<'k, Index>,
    position: Expr<'k, Index>,
    lane: Expr<'k, Index>,
) -> (Expr<'k, Index>, Expr<'k, Index>) {
    let step = side.position.as_ref().map(|position| position.lines[0]);
    (base + lane * side.lines[0], step.map_or(position, |step| position + lane * step))
}
