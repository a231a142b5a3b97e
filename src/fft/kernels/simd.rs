//! SIMD kernels: a work-item transforms a block of pencils, one in each lane of its vectors, through work arrays that
//! stay in its caches, without barriers.

mod memory;
mod window;

use super::super::butterfly::butterfly;
use super::super::spec::{Form, KernelSpec, SpectrumAccess, Store, VectorAccess};
use super::super::tables::TableOffsets;
use super::access::{self, Geometry, Position, Side, Source, Target, TwiddleOp};
use super::vectors::{ComplexVector, deinterleave, gather};
use affinimath_kernel::{Array, BuildError, Builder, Complex, Expr, Index, Kernel, ReadOnly, ReadWrite, Real, Vector};

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

    fn root(&self, offset: usize, index: Expr<'k, Index>) -> ComplexVector<'k, R, W> {
        let root = self.table(index + offset);
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
        let index = self.work_index(array, element);
        Complex::new(self.work.at(index), self.work.at(index + 1))
    }

    fn write_work(&self, array: usize, element: Expr<'k, Index>, z: ComplexVector<'k, R, W>) {
        let index = self.work_index(array, element);
        self.work.store(index, z.re);
        self.work.store(index + 1, z.im);
    }
}
