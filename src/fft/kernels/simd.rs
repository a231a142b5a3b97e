//! SIMD kernels: a work-item transforms a block of pencils, one in each lane of its vectors, through work arrays that
//! stay in its caches, without barriers.

mod window;

use super::super::butterfly::butterfly;
use super::super::spec::{Form, KernelSpec, Load, SpectrumAccess, Store, VectorAccess};
use super::super::tables::TableOffsets;
use super::access::{self, Accessor, Geometry, Position, Side, Source, Target, TwiddleOp, Writer};
use super::vectors::{ComplexVector, deinterleave, gather, interleave, transpose};
use affinimath_kernel::{
    Array, BuildError, Builder, Complex, Expr, Float, Index, Kernel, ReadOnly, ReadWrite, Real, Vector,
};

/// Work arrays of a work-group, each with a vector for each element of a pencil.
pub(in super::super) const WORK_ARRAYS: usize = 2;

type Read<'a, 'k, R, const W: usize> = &'a dyn Fn(Expr<'k, Index>) -> ComplexVector<'k, R, W>;
type Write<'a, 'k, R, const W: usize> = &'a dyn Fn(Expr<'k, Index>, ComplexVector<'k, R, W>);
/// Writes a result to the target, or to a work array.
type Finish<'a, 'k, R, const W: usize> = &'a dyn Fn(usize, Expr<'k, Index>, ComplexVector<'k, R, W>);

pub(super) fn kernel<R: Real, const W: usize>(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    let Form::Simd { load, store, tail, .. } = spec.form else {
        return Err(BuildError::Name(spec.name()));
    };
    Kernel::build(&spec.name(), |k| {
        k.comment(&format!("Transforms of {} points, {W} at once.", spec.length()));
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
        let (blocks, across_pencils) = (k.argument::<Index>("blocks"), k.argument::<Index>("blocks_across"));
        let tail = tail.then(|| (k.argument::<Index>("first_pencil"), k.argument::<Index>("pencils")));
        let scale = spec.scale.then(|| k.argument::<R>("scale"));

        let lane_buffer = k.private::<R>("lanes", 2 * W);
        let (group, groups) = (k.group_id(0), k.group_count(0));
        let slot = k.named("slot", work_offset + group * (WORK_ARRAYS * spec.length() * 2));
        let offsets = spec.offsets();
        let overlapping = tail.is_none() && !spec.in_place;
        let bound = |bound| if overlapping { first_of_group(bound, across_pencils) } else { bound };
        k.range(bound(group * blocks / groups), bound((group + 1) * blocks / groups)).each("block", |block| {
            let first = match tail {
                Some((first, _)) => first,
                None if spec.in_place => block % across_pencils * W,
                None => (block % across_pencils * W).min(geometry.counts[0] - W),
            };
            let mut coordinates = vec![first];
            let mut rest = block / across_pencils;
            for count in geometry.counts.iter().skip(1) {
                coordinates.push(rest % *count);
                rest = rest / *count;
            }
            let pencils = tail.map(|(_, pencils)| pencils);
            let offsets = &offsets;
            let block: PencilBlock<'_, '_, R, W> = PencilBlock {
                k,
                spec,
                offsets,
                geometry: &geometry,
                source,
                target,
                tables,
                work,
                slot,
                coordinates,
                pencils,
                scale,
                lane_buffer,
            };
            block.run(spectrum, load, store);
        });
    })
}

/// First block of a work-group. The last block of a row may repeat pencils of the one before, so one group has both.
fn first_of_group<'k>(block: Expr<'k, Index>, across_pencils: Expr<'k, Index>) -> Expr<'k, Index> {
    let last = (block % across_pencils).eq(across_pencils - 1) & across_pencils.gt(1);
    block + last.select(1_i64, 0_i64)
}

/// A block of pencils, one in each SIMD lane.
struct PencilBlock<'a, 'k, R, const W: usize> {
    k: Builder<'k>,
    spec: &'a KernelSpec,
    offsets: &'a TableOffsets,
    geometry: &'a Geometry<'k>,
    source: Source<'k, R>,
    target: Target<'k, R>,
    tables: Array<'k, R, ReadOnly>,
    work: Array<'k, Vector<R, W>, ReadWrite>,
    slot: Expr<'k, Index>,
    /// Coordinates of the first lane's pencil.
    coordinates: Vec<Expr<'k, Index>>,
    /// Lanes with a pencil, where not all have one.
    pencils: Option<Expr<'k, Index>>,
    scale: Option<Expr<'k, R>>,
    /// A private array for a point of each lane.
    lane_buffer: Array<'k, R, ReadWrite>,
}

impl<'k, R: Real, const W: usize> PencilBlock<'_, 'k, R, W> {
    fn run(&self, spectrum: Option<Array<'k, R, ReadOnly>>, load: VectorAccess, store: VectorAccess) {
        let (load_base, store_base) =
            (self.base("x_pencil", &self.geometry.load), self.base("y_pencil", &self.geometry.store));
        let twiddled_in = access::twiddle_op(&self.spec.load, &self.offsets.load);
        let from_memory =
            |element: Expr<'k, Index>| self.twiddle(&twiddled_in, element, self.load(load_base, load, element));
        let from_work = |element: Expr<'k, Index>| self.twiddle(&twiddled_in, element, self.read_work(0, element));
        // Elementwise loads go to a work array first, so that their code exists once.
        let (read, free): (Read<'_, 'k, R, W>, usize) = match (load, self.spec.load.per_lane) {
            (VectorAccess::Contiguous, false) => (&from_memory, 0),
            (VectorAccess::Transposed, _) => {
                self.load_transposed(load_base, 0);
                (&from_work, 1)
            }
            _ => {
                let length = self.spec.length();
                self.k.range(0, length).each("element", |e| self.write_work(0, e, self.load(load_base, load, e)));
                (&from_work, 1)
            }
        };
        let twiddled_out = access::twiddle_op(&self.spec.store, &self.offsets.store);
        let finished = |element: Expr<'k, Index>, z: ComplexVector<'k, R, W>| {
            let z = self.twiddle(&twiddled_out, element, z);
            self.scale.map_or(z, |scale| z.scale(scale.splat()))
        };
        let split_spectrum = self.spec.store.access == Store::SplitSpectrum;
        let direct = store == VectorAccess::Contiguous && !self.spec.store.per_lane && !split_spectrum;
        let write = |array: usize, element: Expr<'k, Index>, z: ComplexVector<'k, R, W>| {
            let z = finished(element, z);
            if direct { self.store(store_base, store, element, z) } else { self.write_work(array, element, z) }
        };
        let result = match (spectrum, self.spec.convolve) {
            (Some(spectrum), Some(convolve)) => {
                let first = self.stages(read, free, None);
                let multiplied = |element: Expr<'k, Index>| {
                    let factor = self.factor(spectrum, convolve, element);
                    (self.read_work(first, element) * if self.spec.conjugate { factor.conj() } else { factor }).swap()
                };
                self.stages(&multiplied, 1 - first, Some(&write))
            }
            _ => self.stages(read, free, Some(&write)),
        };
        let length = self.spec.length();
        match store {
            _ if direct => {}
            _ if split_spectrum => self.write_split_spectrum(store_base, store, result),
            VectorAccess::Transposed => self.store_transposed(store_base, result),
            _ => {
                self.k.range(0, length).each("element", |e| self.store(store_base, store, e, self.read_work(result, e)))
            }
        }
    }

    /// Position of the first lane's element.
    fn position(&self, side: &Side<'k>, element: Expr<'k, Index>) -> Expr<'k, Index> {
        let pencil = |position: &Position<'k>| position.of_pencil(&self.coordinates, self.k.value::<Index>(0));
        side.position.as_ref().map_or(element, |position| element * position.element + pencil(position))
    }

    /// Loads an element of each lane's pencil.
    fn load(&self, base: Expr<'k, Index>, lanes: VectorAccess, element: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
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
    fn store(&self, base: Expr<'k, Index>, lanes: VectorAccess, element: Expr<'k, Index>, z: ComplexVector<'k, R, W>) {
        let position = self.position(&self.geometry.store, element);
        if self.spec.store.per_lane {
            self.store_per_lane(base, lanes, position, z)
        } else {
            self.write(base, lanes, position, z)
        }
    }

    /// Loads lane by lane, each at its own position.
    fn load_elementwise(&self, base: Expr<'k, Index>, position: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
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
    fn load_per_lane(
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
    fn store_per_lane(
        &self,
        base: Expr<'k, Index>,
        lanes: VectorAccess,
        position: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) {
        let elementwise = || self.store_elementwise(base, position, z);
        if let Some(window) = self.geometry.store.window.as_ref().filter(|_| lanes == VectorAccess::Contiguous) {
            let place = position + window.of_pencil(&self.coordinates, self.k.value(0));
            let (all, none) = self.wanted(window, position, place, self.k.value(W));
            let vectors = || {
                let z = if self.spec.store.unswap != self.spec.store.swap { z.swap() } else { z };
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
    fn store_elementwise(&self, base: Expr<'k, Index>, position: Expr<'k, Index>, z: ComplexVector<'k, R, W>) {
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
            let at = |place: Expr<'k, Index>| base + place * side.stride;
            let complex = |index: Expr<'k, Index>, z| {
                access::write_within(self.k, window, index, |place| self.target.store_complex(at(place), z));
            };
            let real = |index: Expr<'k, Index>, value| {
                access::write_within(self.k, window, index, |place| self.target.store_real(at(place), value));
            };
            let write = Writer { complex: &complex, real: &real };
            self.with_lane_accessor(side, base, |accessor| {
                access::store(self.k, self.spec, &self.offsets.store, accessor, &write, (position, z));
            });
        });
    }

    /// Splits the spectrum of packed real points.
    fn write_split_spectrum(&self, base: Expr<'k, Index>, lanes: VectorAccess, array: usize) {
        let half = self.spec.length();
        self.k.range(0, half + 1).each("p", |p| {
            let direct = self.read_work(array, p.lt(half).select(p, 0));
            let mirrored = self.read_work(array, p.gt(0).select(self.k.value::<Index>(half) - p, 0));
            let z = self.with_accessor(&self.geometry.store, base, lanes, |accessor| {
                access::split_spectrum(&self.offsets.store, accessor, p, direct, mirrored)
            });
            self.write(base, lanes, p, z);
        });
    }

    fn base(&self, name: &str, side: &Side<'k>) -> Expr<'k, Index> {
        self.k.named(name, side.base(&self.coordinates))
    }

    /// All radices in order. The first one calls `read`; each writes to the free work array, and the last one calls
    /// `last`. Returns the last array.
    fn stages(&self, read: Read<'_, 'k, R, W>, free: usize, last: Option<Finish<'_, 'k, R, W>>) -> usize {
        let (mut to, count) = (free, self.spec.radices.len());
        for (stage, stride) in self.spec.strides().into_iter().enumerate() {
            let between = |element: Expr<'k, Index>| self.read_work(1 - to, element);
            let write = |element: Expr<'k, Index>, z: ComplexVector<'k, R, W>| match last.filter(|_| stage + 1 == count)
            {
                Some(finish) => finish(to, element, z),
                None => self.write_work(to, element, z),
            };
            self.stage(stage, stride, if stage == 0 { read } else { &between }, &write);
            to = 1 - to;
        }
        1 - to
    }

    /// A Stockham stage, decimation in time: `stride` is the product of the radices before.
    fn stage(&self, stage: usize, stride: usize, read: Read<'_, 'k, R, W>, write: Write<'_, 'k, R, W>) {
        let (length, radix) = (self.spec.length(), self.spec.radices[stage]);
        let (input_stride, many) = (length / radix, length / radix / stride);
        let one = |first: Expr<'k, Index>, to: Expr<'k, Index>, k: Expr<'k, Index>| {
            let inputs: Vec<_> = (0..radix)
                .map(|j| {
                    let z = read(first + j * input_stride);
                    if stride == 1 || j == 0 {
                        z
                    } else {
                        z * self.root(self.offsets.radices[stage], k * (radix - 1) + (j - 1))
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

    /// Adjacent points of the tables.
    fn table_vector(&self, index: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
        let first = index * 2_i64;
        deinterleave(self.tables.vector_at(first), self.tables.vector_at(first + W))
    }

    fn root(&self, place: usize, index: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
        let root = self.table(index + place);
        Complex::new(root.re.splat(), root.im.splat())
    }

    fn twiddle(
        &self,
        twiddle_op: &TwiddleOp,
        element: Expr<'k, Index>,
        z: ComplexVector<'k, R, W>,
    ) -> ComplexVector<'k, R, W> {
        let Some((twiddle, offsets)) = twiddle_op else { return z };
        let exponent = element * self.coordinates[twiddle.dimension];
        let shared = access::large_root(offsets, &|index| self.table(index), exponent);
        let shared = Complex::new(shared.re.splat(), shared.im.splat());
        let Some(lanes) = offsets.lanes else { return z * shared };
        let first = (element * W + lanes) * 2_i64;
        z * (shared * Complex::new(self.tables.vector_at(first), self.tables.vector_at(first + W)))
    }

    fn factor(
        &self,
        spectrum: Array<'k, R, ReadOnly>,
        convolve: SpectrumAccess,
        element: Expr<'k, Index>,
    ) -> ComplexVector<'k, R, W> {
        let Some(position) = &self.geometry.spectrum else { return self.root(0, element) };
        let offset = self.geometry.spectrum_offset.unwrap_or(self.k.value(0));
        let first = element * position.element + position.of_pencil(&self.coordinates, offset);
        let at = |index: Expr<'k, Index>| Complex::new(spectrum.at(index * 2_i64), spectrum.at(index * 2_i64 + 1_i64));
        match convolve {
            SpectrumAccess::Broadcast => {
                let factor = at(first);
                Complex::new(factor.re.splat(), factor.im.splat())
            }
            SpectrumAccess::Contiguous if self.pencils.is_none() => {
                let vectors = (spectrum.vector_at::<W>(first * 2_i64), spectrum.vector_at::<W>(first * 2_i64 + W));
                deinterleave(vectors.0, vectors.1)
            }
            _ => gather(|lane| at(first + self.lane(lane) * position.pencils[0])),
        }
    }

    /// Index of a lane's pencil; the last one for lanes without a pencil.
    fn lane(&self, lane: usize) -> Expr<'k, Index> {
        let lane = self.k.value::<Index>(lane);
        self.pencils.map_or(lane, |pencils| lane.min(pencils - 1))
    }

    fn work_index(&self, array: usize, element: Expr<'k, Index>) -> Expr<'k, Index> {
        self.slot + element * 2_i64 + array * self.spec.length() * 2
    }

    fn read_work(&self, array: usize, element: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
        let place = self.work_index(array, element);
        Complex::new(self.work.at(place), self.work.at(place + 1))
    }

    fn write_work(&self, array: usize, element: Expr<'k, Index>, z: ComplexVector<'k, R, W>) {
        let place = self.work_index(array, element);
        self.work.store(place, z.re);
        self.work.store(place + 1, z.im);
    }

    fn with_accessor<V>(
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

    fn write(&self, base: Expr<'k, Index>, lanes: VectorAccess, position: Expr<'k, Index>, z: ComplexVector<'k, R, W>) {
        let side = &self.geometry.store;
        let each = |index: Expr<'k, Index>, one: &dyn Fn(Expr<'k, Index>, usize)| {
            for lane in 0..W {
                let place = base + index * side.stride + side.pencils[0] * lane;
                match self.pencils {
                    Some(pencils) => self.k.when(pencils.gt(lane), || one(place, lane)),
                    None => one(place, lane),
                }
            }
        };
        let complex_at = |index: Expr<'k, Index>, z: ComplexVector<'k, R, W>| match lanes {
            VectorAccess::Contiguous => {
                let (first, (low, high)) = ((base + index * side.stride) * 2_i64, interleave(z.re, z.im));
                self.target.store_vector(first, low);
                self.target.store_vector(first + W, high);
            }
            _ => each(index, &|place, lane| {
                self.target.store_complex(place, Complex::new(z.re.lane(lane), z.im.lane(lane)));
            }),
        };
        let real_at = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| match lanes {
            VectorAccess::Contiguous => self.target.store_vector(base + index * side.stride, value),
            _ => each(index, &|place, lane| self.target.store_real(place, value.lane(lane))),
        };
        let window =
            side.window.as_ref().map(|window| (window, window.of_pencil(&self.coordinates, self.k.value::<Index>(0))));
        let complex = |index: Expr<'k, Index>, z: ComplexVector<'k, R, W>| {
            access::write_within(self.k, window, index, |place| complex_at(place, z));
        };
        let real = |index: Expr<'k, Index>, value: Expr<'k, Vector<R, W>>| {
            access::write_within(self.k, window, index, |place| real_at(place, value));
        };
        self.with_accessor(side, base, lanes, |accessor| {
            let write = Writer { complex: &complex, real: &real };
            access::store(self.k, self.spec, &self.offsets.store, accessor, &write, (position, z));
        });
    }

    fn with_lane_accessor<V>(
        &self,
        side: &Side<'k>,
        base: Expr<'k, Index>,
        then: impl FnOnce(&Accessor<'_, 'k, R, R>) -> V,
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
        then(&Accessor { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }

    /// Loads W/2 elements of each of W pencils at a time, and transposes them in registers.
    fn load_transposed(&self, base: Expr<'k, Index>, array: usize) {
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
    fn store_transposed(&self, base: Expr<'k, Index>, array: usize) {
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
    fn tiles(&self, one: impl Fn(Expr<'k, Index>)) {
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
