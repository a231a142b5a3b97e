//! Work-group kernels: the points of some pencils are in the registers of a work-group, which exchanges them through
//! local memory between the radices.
//!
//! ```text
//! source -> load op -> butterflies of radix 0 -> local memory -> twiddles, radix 1 -> ... -> store op -> target
//! ```

use super::super::butterfly::butterfly;
use super::super::spec::{Form, KernelSpec, Store};
use super::super::tables::TableOffsets;
use super::access::{self, Accessor, Geometry, Side, Source, Target, TwiddleOp, Writer};
use affinimath_kernel::{Array, BuildError, Builder, Complex, Expr, Index, Kernel, Pair, ReadOnly, ReadWrite, Real};

pub(super) fn kernel<R: Real>(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    let Form::WorkGroup { items, pencils, across_pencils, split_exchange, full } = spec.form else {
        return Err(BuildError::Name(spec.name()));
    };
    Kernel::build(&spec.name(), |k| {
        k.comment(&format!(
            "Transforms of {} points, {pencils} pencils in a group, each by {items} work-items.",
            spec.length()
        ));
        k.group_size([items * pencils, 1, 1]);
        if spec.contract {
            k.contract();
        }
        let (source, target) = access::memories::<R>(k, spec, true);
        let tables = k.input::<Pair<R>>("tables");
        let spectrum = spec.convolve.map(|_| k.input::<Pair<R>>("spectrum"));
        let geometry = Geometry::declare(k, spec);
        let total = k.argument::<Index>("pencils");
        let scale = spec.scale.then(|| k.argument::<R>("scale"));

        let item = k.local_id(0).to::<i32>();
        let (pencil, thread) = match (pencils, items) {
            (1, _) => (k.value(0), item),
            (_, 1) => (item, k.value(0)),
            _ if across_pencils => (item % pencils as i32, item / pencils as i32),
            _ => (item / items as i32, item % items as i32),
        };
        let first = k.group_id(0) * pencils;
        let number = first + pencil.to::<Index>();
        let within = (!full).then(|| number.lt(total));
        // Without barriers, a work-item beyond the last pencil is idle. With barriers it repeats the first pencil of
        // its group and writes nothing.
        let (idle, within) = if items == 1 { (within, None) } else { (None, within) };
        let number = within.map_or(number, |within| within.select(number, first));
        let (offsets, local) =
            (spec.offsets(), LocalMemory::declare(k, spec, items, pencils, across_pencils, split_exchange));
        let work = || {
            let coordinates = coordinates_of(number, &geometry);
            let group = PencilGroup {
                k,
                spec,
                offsets: &offsets,
                load_base: k.named("x_pencil", geometry.load.base(&coordinates)),
                store_base: k.named("y_pencil", geometry.store.base(&coordinates)),
                geometry: &geometry,
                source,
                target,
                tables,
                coordinates,
                within,
                items,
                thread,
                pencil,
                local: &local,
                scale,
            };
            group.run(spectrum);
        };
        match idle {
            Some(has_line) => k.when(has_line, work),
            None => work(),
        }
    })
}

/// Coordinates of a pencil on the dimensions.
fn coordinates_of<'k>(pencil: Expr<'k, Index>, geometry: &Geometry<'k>) -> Vec<Expr<'k, Index>> {
    let mut rest = pencil.to::<u32>();
    let mut coordinates = Vec::new();
    for (d, count) in geometry.counts.iter().enumerate() {
        if d + 1 == geometry.counts.len() {
            coordinates.push(rest.to::<Index>());
        } else {
            coordinates.push((rest % count.to::<u32>()).to::<Index>());
            rest = rest / count.to::<u32>();
        }
    }
    coordinates
}

/// Local memory for the points of a work-group.
struct LocalMemory<'k, R> {
    exchange: Exchange<'k, R>,
    pencils: usize,
    across_pencils: bool,
    /// Elements between padding elements, which put strided elements into different banks.
    pad: usize,
    pencil_length: usize,
}

/// The exchange of points between work-items.
#[derive(Clone, Copy)]
enum Exchange<'k, R> {
    /// None: a work-item has the whole pencil in registers.
    Registers,
    /// Whole complex points, with half the accesses and barriers of `Split`.
    Complex(Array<'k, Pair<R>, ReadWrite>),
    /// Real parts, then imaginary parts, in half of the memory.
    Split(Array<'k, R, ReadWrite>),
}

/// Padded length of a pencil in local memory, and the elements between padding elements.
pub(in super::super) fn local_length(radices: &[usize]) -> (usize, usize) {
    let length = radices.iter().product::<usize>() + 1;
    match radices.first() {
        Some(radix) if radix.is_multiple_of(4) => {
            let pad = if radix.is_multiple_of(16) {
                16
            } else if radix.is_multiple_of(8) {
                8
            } else {
                4
            };
            (length + length / pad + 1, pad)
        }
        _ => (length, usize::MAX),
    }
}

impl<'k, R: Real> LocalMemory<'k, R> {
    fn declare(
        k: Builder<'k>,
        spec: &KernelSpec,
        items: usize,
        pencils: usize,
        across_pencils: bool,
        split_exchange: bool,
    ) -> Self {
        let (pencil_length, pad) = local_length(&spec.radices);
        let exchange = match (items, split_exchange) {
            (1, _) => Exchange::Registers,
            (_, true) => Exchange::Split(k.local("parts", pencil_length * pencils)),
            (_, false) => Exchange::Complex(k.local("pairs", pencil_length * pencils)),
        };
        LocalMemory { exchange, pencils, across_pencils, pad, pencil_length }
    }

    fn index(&self, pencil: Expr<'k, i32>, element: Expr<'k, i32>) -> Expr<'k, i32> {
        let padded = if self.pad == usize::MAX { element } else { element + element / self.pad as i32 };
        if self.across_pencils {
            padded * self.pencils as i32 + pencil
        } else {
            pencil * self.pencil_length as i32 + padded
        }
    }
}

/// Twiddle j as a product: that of the largest multiple of this below j, times that of the remainder.
const STORED_TWIDDLES: usize = 4;

/// Elements of a pencil.
type ElementIter<'k> = Box<dyn Iterator<Item = Expr<'k, i32>> + 'k>;

/// A butterfly of one radix: its index in the pencil, and its points.
struct Butterfly<'k, R> {
    index: Expr<'k, i32>,
    /// True if the pencil has this butterfly, where not all work-items have one.
    exists: Option<Expr<'k, bool>>,
    values: Vec<Complex<'k, R>>,
}

struct PencilGroup<'a, 'k, R> {
    k: Builder<'k>,
    spec: &'a KernelSpec,
    offsets: &'a TableOffsets,
    geometry: &'a Geometry<'k>,
    load_base: Expr<'k, Index>,
    store_base: Expr<'k, Index>,
    source: Source<'k, R>,
    target: Target<'k, R>,
    tables: Array<'k, Pair<R>, ReadOnly>,
    coordinates: Vec<Expr<'k, Index>>,
    within: Option<Expr<'k, bool>>,
    items: usize,
    thread: Expr<'k, i32>,
    pencil: Expr<'k, i32>,
    local: &'a LocalMemory<'k, R>,
    scale: Option<Expr<'k, R>>,
}

impl<'k, R: Real> PencilGroup<'_, 'k, R> {
    fn run(&self, spectrum: Option<Array<'k, Pair<R>, ReadOnly>>) {
        let mut exchanges = 0;
        let mut butterflies = self.load();
        butterflies = self.stages(butterflies, &mut exchanges);
        if let (Some(spectrum), Some(position)) = (spectrum, &self.geometry.spectrum) {
            let offset = self.geometry.spectrum_offset.unwrap_or(self.k.value(0));
            let first = position.of_pencil(&self.coordinates, offset);
            for (element, z) in self.results(&mut butterflies) {
                let factor = spectrum.complex_at(first + element.to::<Index>() * position.element);
                let factor = if self.spec.conjugate { factor.conj() } else { factor };
                *z = (*z * factor).swap();
            }
            let last = self.spec.radices.len() - 1;
            butterflies = self.exchange(butterflies, last, 0, &mut exchanges);
            butterflies = self.stages(butterflies, &mut exchanges);
        }
        if self.spec.store.access == Store::SplitSpectrum {
            self.write_split_spectrum(butterflies, &mut exchanges)
        } else {
            self.store(butterflies)
        }
    }

    /// The butterflies of a radix that this work-item computes, without points.
    fn butterflies(&self, stage: usize) -> Vec<Butterfly<'k, R>> {
        let input_stride = self.spec.length() / self.spec.radices[stage];
        let round = |round: usize| {
            let number = self.thread + (round * self.items) as i32;
            let exists = ((round + 1) * self.items > input_stride).then(|| number.lt(input_stride as i32));
            let butterfly = exists.map_or(number, |_| number.min(input_stride as i32 - 1));
            Butterfly { index: butterfly, exists, values: Vec::new() }
        };
        (0..input_stride.div_ceil(self.items)).map(round).collect()
    }

    /// Elements that a butterfly reads.
    fn inputs(&self, stage: usize, butterfly: Expr<'k, i32>) -> impl Iterator<Item = Expr<'k, i32>> + use<'k, R> {
        let (radix, input_stride) = (self.spec.radices[stage], self.spec.length() / self.spec.radices[stage]);
        (0..radix).map(move |j| butterfly + (j * input_stride) as i32)
    }

    /// Elements that a butterfly writes.
    fn outputs(&self, stage: usize, butterfly: Expr<'k, i32>) -> impl Iterator<Item = Expr<'k, i32>> + use<'k, R> {
        let (radix, stride) = (self.spec.radices[stage], self.spec.strides()[stage]);
        let whole = stride * radix == self.spec.length();
        let first = match stride {
            1 => butterfly * radix as i32,
            _ if whole => butterfly,
            _ => butterfly / stride as i32 * (stride * radix) as i32 + butterfly % stride as i32,
        };
        (0..radix).map(move |q| first + (q * stride) as i32)
    }

    /// Points after the last radix, with their elements.
    fn results<'n>(&self, butterflies: &'n mut [Butterfly<'k, R>]) -> Vec<(Expr<'k, i32>, &'n mut Complex<'k, R>)> {
        let last = self.spec.radices.len() - 1;
        butterflies.iter_mut().flat_map(|one| self.outputs(last, one.index).zip(&mut one.values)).collect()
    }

    fn load(&self) -> Vec<Butterfly<'k, R>> {
        let zero = self.k.value::<Index>(0);
        let position = self.geometry.load.position.as_ref().map(|p| (p.element, p.of_pencil(&self.coordinates, zero)));
        let twiddle_op = access::twiddle_op(&self.spec.load, &self.offsets.load);
        let mut butterflies = self.butterflies(0);
        for one in &mut butterflies {
            for element in self.inputs(0, one.index) {
                let element = element.to::<Index>();
                let position = position.map_or(element, |(step, pencil)| element * step + pencil);
                let z = self.with_accessor(&self.geometry.load, |accessor| {
                    access::load(self.k, self.spec, &self.offsets.load, accessor, position)
                });
                one.values.push(self.twiddle(&twiddle_op, element, z));
            }
        }
        butterflies
    }

    fn stages(&self, mut butterflies: Vec<Butterfly<'k, R>>, exchanges: &mut usize) -> Vec<Butterfly<'k, R>> {
        for (stage, stride) in self.spec.strides().into_iter().enumerate() {
            if stage > 0 {
                butterflies = self.exchange(butterflies, stage - 1, stage, exchanges);
            }
            for one in &mut butterflies {
                if stride > 1 {
                    let k = one.index % stride as i32;
                    let stored =
                        |j: usize| self.tables.complex_at(k + (self.offsets.radices[stage] + (j - 1) * stride) as i32);
                    for (j, z) in one.values.iter_mut().enumerate().skip(1) {
                        let (low, high) = (j % STORED_TWIDDLES, j - j % STORED_TWIDDLES);
                        let product = self.spec.multiplies_twiddles() && low > 0 && high > 0;
                        *z = *z * if product { stored(high) * stored(low) } else { stored(j) };
                    }
                }
                one.values = butterfly(&one.values);
            }
        }
        butterflies
    }

    /// Moves the results of one radix to the work-items that have the butterflies of another.
    fn exchange(
        &self,
        butterflies: Vec<Butterfly<'k, R>>,
        from: usize,
        to: usize,
        exchanges: &mut usize,
    ) -> Vec<Butterfly<'k, R>> {
        let mut next = self.butterflies(to);
        if self.items == 1 {
            let (pencil, input_stride) =
                (self.pencil_in_registers(&butterflies, from), self.spec.length() / self.spec.radices[to]);
            for (b, one) in next.iter_mut().enumerate() {
                one.values = pencil.iter().copied().skip(b).step_by(input_stride).collect();
            }
            return next;
        }
        let indices: Vec<_> = next.iter().map(|one| one.index).collect();
        let wanted = |number: usize| Box::new(self.inputs(to, indices[number])) as ElementIter<'k>;
        let values = self.through_local(&butterflies, from, next.len(), &wanted, exchanges);
        next.iter_mut().zip(values).for_each(|(one, values)| one.values = values);
        next
    }

    /// Stores the results of a radix to local memory, and loads `count` lists of elements.
    fn through_local(
        &self,
        butterflies: &[Butterfly<'k, R>],
        stage: usize,
        count: usize,
        wanted: &dyn Fn(usize) -> ElementIter<'k>,
        exchanges: &mut usize,
    ) -> Vec<Vec<Complex<'k, R>>> {
        if *exchanges > 0 {
            self.k.barrier();
        }
        let order = || self.order(*exchanges);
        let index = |element| self.local.index(self.pencil, element);
        let values = match self.local.exchange {
            Exchange::Registers => Vec::new(),
            Exchange::Complex(pairs) => {
                self.store_stage(butterflies, stage, &|element, z| pairs.store_complex(index(element), *z));
                order();
                let fetch = |number: usize| wanted(number).map(|element| pairs.complex_at(index(element))).collect();
                (0..count).map(fetch).collect()
            }
            Exchange::Split(parts) => {
                let fetch = |number: usize| -> Vec<Expr<'k, R>> {
                    wanted(number).map(|element| parts.at(index(element))).collect()
                };
                self.store_stage(butterflies, stage, &|element, z| parts.store(index(element), z.re));
                order();
                let reals: Vec<_> = (0..count).map(fetch).collect();
                self.k.barrier();
                self.store_stage(butterflies, stage, &|element, z| parts.store(index(element), z.im));
                self.k.barrier();
                let both = |(number, reals): (usize, Vec<Expr<'k, R>>)| {
                    reals.into_iter().zip(fetch(number)).map(|(re, im)| Complex::new(re, im)).collect()
                };
                reals.into_iter().enumerate().map(both).collect()
            }
        };
        *exchanges += 1;
        values
    }

    /// A barrier. In place, the first one also orders the group's loads from global memory before its stores.
    fn order(&self, exchanges: usize) {
        if self.spec.in_place && exchanges == 0 { self.k.global_barrier() } else { self.k.barrier() }
    }

    /// Writes each result of a radix by its element.
    fn store_stage(
        &self,
        butterflies: &[Butterfly<'k, R>],
        stage: usize,
        write: &dyn Fn(Expr<'k, i32>, &Complex<'k, R>),
    ) {
        for one in butterflies {
            let all = || {
                self.outputs(stage, one.index).zip(&one.values).for_each(|(element, z)| write(element, z));
            };
            match one.exists {
                Some(exists) => self.k.when(exists, all),
                None => all(),
            }
        }
    }

    /// Results of a radix in order, of a work-item with the whole pencil.
    fn pencil_in_registers(&self, butterflies: &[Butterfly<'k, R>], stage: usize) -> Vec<Complex<'k, R>> {
        let (radix, stride) = (self.spec.radices[stage], self.spec.strides()[stage]);
        let index = |b: usize, q: usize| b / stride * stride * radix + b % stride + q * stride;
        let butterflies = butterflies.iter().enumerate();
        let mut pencil: Vec<_> = butterflies
            .flat_map(|(b, one)| one.values.iter().enumerate().map(move |(q, z)| (index(b, q), *z)))
            .collect();
        pencil.sort_by_key(|(index, _)| *index);
        pencil.into_iter().map(|(_, z)| z).collect()
    }

    fn store(&self, mut butterflies: Vec<Butterfly<'k, R>>) {
        let exists: Vec<_> = butterflies.iter().flat_map(|one| one.values.iter().map(|_| one.exists)).collect();
        for ((element, z), exists) in self.results(&mut butterflies).into_iter().zip(exists) {
            self.guarded(exists, || self.write(element.to::<Index>(), *z));
        }
    }

    fn write(&self, element: Expr<'k, Index>, z: Complex<'k, R>) {
        let twiddle_op = access::twiddle_op(&self.spec.store, &self.offsets.store);
        let z = self.twiddle(&twiddle_op, element, z);
        let z = self.scale.map_or(z, |scale| z.scale(scale));
        let zero = self.k.value::<Index>(0);
        let position = self.geometry.store.position.as_ref();
        let position = position.map_or(element, |p| element * p.element + p.of_pencil(&self.coordinates, zero));
        let side = &self.geometry.store;
        let window = side.window.as_ref().map(|window| (window, window.of_pencil(&self.coordinates, zero)));
        let at = |point: Expr<'k, Index>| self.store_base + point * side.stride;
        let complex = |index: Expr<'k, Index>, z| {
            access::write_within(self.k, window, index, |point| self.target.store_complex(at(point), z));
        };
        let real = |index: Expr<'k, Index>, value| {
            access::write_within(self.k, window, index, |point| self.target.store_real(at(point), value));
        };
        self.with_accessor(side, |accessor| {
            let write = Writer { complex: &complex, real: &real };
            access::store(self.k, self.spec, &self.offsets.store, accessor, &write, (position, z));
        });
    }

    /// Splits the spectrum of packed real points: each element is combined with its mirror.
    fn write_split_spectrum(&self, butterflies: Vec<Butterfly<'k, R>>, exchanges: &mut usize) {
        let half = self.spec.length();
        let last = self.spec.radices.len() - 1;
        let of_thread = |round: usize| self.thread + (round * self.items) as i32;
        let rounds = (half + 1).div_ceil(self.items);
        let (offsets, pairs): (Vec<_>, Vec<_>) = if self.items == 1 {
            let pencil = self.pencil_in_registers(&butterflies, last);
            let pair = |p: usize| vec![pencil[p % half], pencil[(half - p) % half]];
            (0..=half).map(|p| (self.k.value::<i32>(p as i32), pair(p))).unzip()
        } else {
            let bin = |round: usize| of_thread(round).min(half as i32);
            let wanted = |round: usize| {
                let p = bin(round);
                let mirrored = p.gt(0).select(self.k.value::<i32>(half as i32) - p, 0);
                Box::new([p.lt(half as i32).select(p, 0), mirrored].into_iter()) as ElementIter<'k>
            };
            let pairs = self.through_local(&butterflies, last, rounds, &wanted, exchanges);
            ((0..rounds).map(bin).collect(), pairs)
        };
        for (round, (p, pair)) in offsets.into_iter().zip(pairs).enumerate() {
            let p = p.to::<Index>();
            let z = self.with_accessor(&self.geometry.store, |accessor| {
                access::split_spectrum(&self.offsets.store, accessor, p, pair[0], pair[1])
            });
            let write = || self.write(p, z);
            let beyond = self.items > 1 && (round + 1) * self.items > half + 1;
            let exists = beyond.then(|| of_thread(round).le(half as i32));
            self.guarded(exists, write);
        }
    }

    /// Writes, if the pencil and the element exist.
    fn guarded(&self, exists: Option<Expr<'k, bool>>, write: impl FnOnce()) {
        let write = || match exists {
            Some(exists) => self.k.when(exists, write),
            None => write(),
        };
        match self.within {
            Some(within) => self.k.when(within, write),
            None => write(),
        }
    }

    fn twiddle(&self, twiddle_op: &TwiddleOp, element: Expr<'k, Index>, z: Complex<'k, R>) -> Complex<'k, R> {
        let Some((twiddle, offsets)) = twiddle_op else { return z };
        let exponent = element * self.coordinates[twiddle.dimension];
        if twiddle.order > i32::MAX as usize {
            return z * access::large_root(offsets, &|index: Expr<'k, Index>| self.tables.complex_at(index), exponent);
        }
        let table = |index: Expr<'k, i32>| self.tables.complex_at(index);
        z * access::large_root(offsets, &table, exponent.to::<i32>())
    }

    fn with_accessor<V>(&self, side: &Side<'k>, then: impl FnOnce(&Accessor<'_, 'k, R, R>) -> V) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |point: Expr<'k, Index>| self.load_base + point * self.geometry.load.stride;
        let complex = |index: Expr<'k, Index>| {
            access::complex_within(self.k, window, index, |point| self.source.complex(at(point)))
        };
        let real =
            |index: Expr<'k, Index>| access::real_within(self.k, window, index, |point| self.source.real(at(point)));
        let lift = |number: Expr<'k, R>| number;
        let table = |index: Expr<'k, Index>| self.tables.complex_at(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Accessor { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }
}
