//! Passes for GPUs: a work-group transforms some lines, whose numbers are in its work-items' registers, and change
//! places through local memory between the radices.

use super::super::butterfly::butterfly;
use super::super::spec::{Form, KernelSpec, Store};
use super::super::tables::Places;
use super::access::{self, Geometry, Put, Reach, Side, Source, Target, Twiddling};
use affinimath_kernel::{Array, BuildError, Builder, Complex, Expr, Index, Kernel, Pair, ReadOnly, ReadWrite, Real};

/// The kernel of a pass in groups.
pub(super) fn kernel<R: Real>(spec: &KernelSpec) -> Result<Kernel, BuildError> {
    let Form::Group { threads, lines, across, halves, full } = spec.form else {
        return Err(BuildError::Name(spec.name()));
    };
    Kernel::build(&spec.name(), |k| {
        k.comment(&format!(
            "Transforms of {} numbers, {lines} in a group, each by {threads} work-items.",
            spec.length()
        ));
        k.group_size([threads * lines, 1, 1]);
        if spec.contract {
            k.contract();
        }
        let (source, target) = access::memories::<R>(k, spec, true);
        let tables = k.input::<Pair<R>>("tables");
        let spectrum = spec.convolve.map(|_| k.input::<Pair<R>>("spectrum"));
        let geometry = Geometry::declare(k, spec);
        let total = k.argument::<Index>("lines");
        let scale = spec.scale.then(|| k.argument::<R>("scale"));

        let item = k.local_id(0).to::<i32>();
        let (line, thread) = match (lines, threads) {
            (1, _) => (k.value(0), item),
            (_, 1) => (item, k.value(0)),
            _ if across => (item % lines as i32, item / lines as i32),
            _ => (item / threads as i32, item % threads as i32),
        };
        let first = k.group_id(0) * lines;
        let number = first + line.to::<Index>();
        let within = (!full).then(|| number.lt(total));
        // Alone with its line, a work-item without one does nothing. Where there are barriers it takes the group's
        // first line along, and does not write it.
        let (idle, within) = if threads == 1 { (within, None) } else { (None, within) };
        let number = within.map_or(number, |within| within.select(number, first));
        let (places, room) = (spec.places(), Room::declare(k, spec, threads, lines, across, halves));
        let work = || {
            let coordinates = coordinates_of(number, &geometry);
            let group = Group {
                k,
                spec,
                places: &places,
                load_base: k.named("x_line", geometry.load.base(&coordinates)),
                store_base: k.named("y_line", geometry.store.base(&coordinates)),
                geometry: &geometry,
                source,
                target,
                tables,
                coordinates,
                within,
                threads,
                thread,
                line,
                room: &room,
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

/// A line's coordinates on the dimensions.
fn coordinates_of<'k>(line: Expr<'k, Index>, geometry: &Geometry<'k>) -> Vec<Expr<'k, Index>> {
    let mut rest = line.to::<u32>();
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

/// Local memory for a group's numbers.
struct Room<'k, R> {
    memory: Memory<'k, R>,
    lines: usize,
    across: bool,
    /// After so many elements one place is left out, so that strided ones lie in different banks.
    pad: usize,
    line_length: usize,
}

/// How numbers go through local memory.
#[derive(Clone, Copy)]
enum Memory<'k, R> {
    /// Not at all: a work-item has the whole line.
    Nothing,
    /// Whole: half as many accesses, and barriers, as one part after the other.
    Pairs(Array<'k, Pair<R>, ReadWrite>),
    /// One part after the other, in half of the memory.
    Halves(Array<'k, R, ReadWrite>),
}

/// Elements of local memory that a line takes, and after how many one is left out.
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

impl<'k, R: Real> Room<'k, R> {
    fn declare(k: Builder<'k>, spec: &KernelSpec, threads: usize, lines: usize, across: bool, halves: bool) -> Self {
        let (line_length, pad) = local_length(&spec.radices);
        let memory = match (threads, halves) {
            (1, _) => Memory::Nothing,
            (_, true) => Memory::Halves(k.local("parts", line_length * lines)),
            (_, false) => Memory::Pairs(k.local("pairs", line_length * lines)),
        };
        Room { memory, lines, across, pad, line_length }
    }

    fn place(&self, line: Expr<'k, i32>, element: Expr<'k, i32>) -> Expr<'k, i32> {
        let padded = if self.pad == usize::MAX { element } else { element + element / self.pad as i32 };
        if self.across { padded * self.lines as i32 + line } else { line * self.line_length as i32 + padded }
    }
}

/// Where twiddles are products: that of element j is that of the multiple of so many below it, times that of the rest.
const TWIDDLES: usize = 4;

/// Elements of a line.
type Elements<'k> = Box<dyn Iterator<Item = Expr<'k, i32>> + 'k>;

/// A butterfly's numbers, and what tells which ones they are.
struct Numbers<'k, R> {
    butterfly: Expr<'k, i32>,
    /// Whether there is such a butterfly, where not all work-items have one.
    exists: Option<Expr<'k, bool>>,
    values: Vec<Complex<'k, R>>,
}

struct Group<'a, 'k, R> {
    k: Builder<'k>,
    spec: &'a KernelSpec,
    places: &'a Places,
    geometry: &'a Geometry<'k>,
    load_base: Expr<'k, Index>,
    store_base: Expr<'k, Index>,
    source: Source<'k, R>,
    target: Target<'k, R>,
    tables: Array<'k, Pair<R>, ReadOnly>,
    coordinates: Vec<Expr<'k, Index>>,
    within: Option<Expr<'k, bool>>,
    threads: usize,
    thread: Expr<'k, i32>,
    line: Expr<'k, i32>,
    room: &'a Room<'k, R>,
    scale: Option<Expr<'k, R>>,
}

impl<'k, R: Real> Group<'_, 'k, R> {
    fn run(&self, spectrum: Option<Array<'k, Pair<R>, ReadOnly>>) {
        let mut exchanges = 0;
        let mut numbers = self.load();
        numbers = self.stages(numbers, &mut exchanges);
        if let (Some(spectrum), Some(position)) = (spectrum, &self.geometry.spectrum) {
            let offset = self.geometry.spectrum_offset.unwrap_or(self.k.value(0));
            let first = position.of_line(&self.coordinates, offset);
            for (element, z) in self.results(&mut numbers) {
                let factor = spectrum.complex_at(first + element.to::<Index>() * position.element);
                let factor = if self.spec.conjugate { factor.conj() } else { factor };
                *z = (*z * factor).swap();
            }
            let last = self.spec.radices.len() - 1;
            numbers = self.exchange(numbers, last, 0, &mut exchanges);
            numbers = self.stages(numbers, &mut exchanges);
        }
        if self.spec.store.access == Store::Untangled {
            self.untangle(numbers, &mut exchanges)
        } else {
            self.store(numbers)
        }
    }

    /// The butterflies of a radix that this work-item computes, without their values.
    fn butterflies(&self, stage: usize) -> Vec<Numbers<'k, R>> {
        let hop = self.spec.length() / self.spec.radices[stage];
        let round = |round: usize| {
            let number = self.thread + (round * self.threads) as i32;
            let exists = ((round + 1) * self.threads > hop).then(|| number.lt(hop as i32));
            let butterfly = exists.map_or(number, |_| number.min(hop as i32 - 1));
            Numbers { butterfly, exists, values: Vec::new() }
        };
        (0..hop.div_ceil(self.threads)).map(round).collect()
    }

    /// The elements that a butterfly takes.
    fn inputs(&self, stage: usize, butterfly: Expr<'k, i32>) -> impl Iterator<Item = Expr<'k, i32>> + use<'k, R> {
        let (radix, hop) = (self.spec.radices[stage], self.spec.length() / self.spec.radices[stage]);
        (0..radix).map(move |j| butterfly + (j * hop) as i32)
    }

    /// The elements that it gives.
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

    /// The values after the last radix, with their elements.
    fn results<'n>(&self, numbers: &'n mut [Numbers<'k, R>]) -> Vec<(Expr<'k, i32>, &'n mut Complex<'k, R>)> {
        let last = self.spec.radices.len() - 1;
        numbers.iter_mut().flat_map(|one| self.outputs(last, one.butterfly).zip(&mut one.values)).collect()
    }

    fn load(&self) -> Vec<Numbers<'k, R>> {
        let zero = self.k.value::<Index>(0);
        let position = self.geometry.load.position.as_ref().map(|p| (p.element, p.of_line(&self.coordinates, zero)));
        let twiddling = access::twiddling(&self.spec.load, &self.places.load);
        let mut numbers = self.butterflies(0);
        for one in &mut numbers {
            for element in self.inputs(0, one.butterfly) {
                let element = element.to::<Index>();
                let position = position.map_or(element, |(step, line)| element * step + line);
                let z = self.with_reach(&self.geometry.load, |reach| {
                    access::load(self.k, self.spec, &self.places.load, reach, position)
                });
                one.values.push(self.twiddle(&twiddling, element, z));
            }
        }
        numbers
    }

    fn stages(&self, mut numbers: Vec<Numbers<'k, R>>, exchanges: &mut usize) -> Vec<Numbers<'k, R>> {
        for (stage, stride) in self.spec.strides().into_iter().enumerate() {
            if stage > 0 {
                numbers = self.exchange(numbers, stage - 1, stage, exchanges);
            }
            for one in &mut numbers {
                if stride > 1 {
                    let k = one.butterfly % stride as i32;
                    let stored =
                        |j: usize| self.tables.complex_at(k + (self.places.radices[stage] + (j - 1) * stride) as i32);
                    for (j, z) in one.values.iter_mut().enumerate().skip(1) {
                        let (few, many) = (j % TWIDDLES, j - j % TWIDDLES);
                        let product = self.spec.multiplies_twiddles() && few > 0 && many > 0;
                        *z = *z * if product { stored(many) * stored(few) } else { stored(j) };
                    }
                }
                one.values = butterfly(&one.values);
            }
        }
        numbers
    }

    /// Brings what one radix gave to the work-items that need it for another.
    fn exchange(
        &self,
        numbers: Vec<Numbers<'k, R>>,
        from: usize,
        to: usize,
        exchanges: &mut usize,
    ) -> Vec<Numbers<'k, R>> {
        let mut next = self.butterflies(to);
        if self.threads == 1 {
            let (line, hop) = (self.line_within_item(&numbers, from), self.spec.length() / self.spec.radices[to]);
            for (b, one) in next.iter_mut().enumerate() {
                one.values = line.iter().copied().skip(b).step_by(hop).collect();
            }
            return next;
        }
        let butterflies: Vec<_> = next.iter().map(|one| one.butterfly).collect();
        let wanted = |number: usize| Box::new(self.inputs(to, butterflies[number])) as Elements<'k>;
        let values = self.through_local(&numbers, from, next.len(), &wanted, exchanges);
        next.iter_mut().zip(values).for_each(|(one, values)| one.values = values);
        next
    }

    /// Leaves a radix' results in local memory, and fetches the elements that are wanted, `count` lists of them.
    fn through_local(
        &self,
        numbers: &[Numbers<'k, R>],
        stage: usize,
        count: usize,
        wanted: &dyn Fn(usize) -> Elements<'k>,
        exchanges: &mut usize,
    ) -> Vec<Vec<Complex<'k, R>>> {
        if *exchanges > 0 {
            self.k.barrier();
        }
        let order = || self.order(*exchanges);
        let place = |element| self.room.place(self.line, element);
        let values = match self.room.memory {
            Memory::Nothing => Vec::new(),
            Memory::Pairs(pairs) => {
                self.leave(numbers, stage, &|element, z| pairs.store_complex(place(element), *z));
                order();
                let fetch = |number: usize| wanted(number).map(|element| pairs.complex_at(place(element))).collect();
                (0..count).map(fetch).collect()
            }
            Memory::Halves(parts) => {
                let fetch = |number: usize| -> Vec<Expr<'k, R>> {
                    wanted(number).map(|element| parts.at(place(element))).collect()
                };
                self.leave(numbers, stage, &|element, z| parts.store(place(element), z.re));
                order();
                let reals: Vec<_> = (0..count).map(fetch).collect();
                self.k.barrier();
                self.leave(numbers, stage, &|element, z| parts.store(place(element), z.im));
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

    /// A barrier; in place, the first one also stands between what others of the group read and what is written.
    fn order(&self, exchanges: usize) {
        if self.spec.in_place && exchanges == 0 { self.k.global_barrier() } else { self.k.barrier() }
    }

    /// Does something with each of a radix' results and its element.
    fn leave(&self, numbers: &[Numbers<'k, R>], stage: usize, write: &dyn Fn(Expr<'k, i32>, &Complex<'k, R>)) {
        for one in numbers {
            let all = || {
                self.outputs(stage, one.butterfly).zip(&one.values).for_each(|(element, z)| write(element, z));
            };
            match one.exists {
                Some(exists) => self.k.when(exists, all),
                None => all(),
            }
        }
    }

    /// What a radix gave, in order, where a work-item has the whole line: it is known which register is which element.
    fn line_within_item(&self, numbers: &[Numbers<'k, R>], stage: usize) -> Vec<Complex<'k, R>> {
        let (radix, stride) = (self.spec.radices[stage], self.spec.strides()[stage]);
        let place = |b: usize, q: usize| b / stride * stride * radix + b % stride + q * stride;
        let butterflies = numbers.iter().enumerate();
        let mut line: Vec<_> = butterflies
            .flat_map(|(b, one)| one.values.iter().enumerate().map(move |(q, z)| (place(b, q), *z)))
            .collect();
        line.sort_by_key(|(place, _)| *place);
        line.into_iter().map(|(_, z)| z).collect()
    }

    fn store(&self, mut numbers: Vec<Numbers<'k, R>>) {
        let exists: Vec<_> = numbers.iter().flat_map(|one| one.values.iter().map(|_| one.exists)).collect();
        for ((element, z), exists) in self.results(&mut numbers).into_iter().zip(exists) {
            self.guarded(exists, || self.put(element.to::<Index>(), *z));
        }
    }

    fn put(&self, element: Expr<'k, Index>, z: Complex<'k, R>) {
        let twiddling = access::twiddling(&self.spec.store, &self.places.store);
        let z = self.twiddle(&twiddling, element, z);
        let z = self.scale.map_or(z, |scale| z.scale(scale));
        let zero = self.k.value::<Index>(0);
        let position = self.geometry.store.position.as_ref();
        let position = position.map_or(element, |p| element * p.element + p.of_line(&self.coordinates, zero));
        let side = &self.geometry.store;
        let window = side.window.as_ref().map(|window| (window, window.of_line(&self.coordinates, zero)));
        let at = |place: Expr<'k, Index>| self.store_base + place * side.stride;
        let complex = |index: Expr<'k, Index>, z| {
            access::write_within(self.k, window, index, |place| self.target.store_complex(at(place), z));
        };
        let real = |index: Expr<'k, Index>, value| {
            access::write_within(self.k, window, index, |place| self.target.store_real(at(place), value));
        };
        self.with_reach(side, |reach| {
            let put = Put { complex: &complex, real: &real };
            access::store(self.k, self.spec, &self.places.store, reach, &put, (position, z));
        });
    }

    /// The spectrum of the real numbers that were packed in pairs: each place needs the one that mirrors it.
    fn untangle(&self, numbers: Vec<Numbers<'k, R>>, exchanges: &mut usize) {
        let half = self.spec.length();
        let last = self.spec.radices.len() - 1;
        let of_thread = |round: usize| self.thread + (round * self.threads) as i32;
        let rounds = (half + 1).div_ceil(self.threads);
        let (places, pairs): (Vec<_>, Vec<_>) = if self.threads == 1 {
            let line = self.line_within_item(&numbers, last);
            let pair = |p: usize| vec![line[p % half], line[(half - p) % half]];
            (0..=half).map(|p| (self.k.value::<i32>(p as i32), pair(p))).unzip()
        } else {
            let place = |round: usize| of_thread(round).min(half as i32);
            let wanted = |round: usize| {
                let p = place(round);
                let mirrored = p.gt(0).select(self.k.value::<i32>(half as i32) - p, 0);
                Box::new([p.lt(half as i32).select(p, 0), mirrored].into_iter()) as Elements<'k>
            };
            let pairs = self.through_local(&numbers, last, rounds, &wanted, exchanges);
            ((0..rounds).map(place).collect(), pairs)
        };
        for (round, (p, pair)) in places.into_iter().zip(pairs).enumerate() {
            let p = p.to::<Index>();
            let z = self.with_reach(&self.geometry.store, |reach| {
                access::untangled(&self.places.store, reach, p, pair[0], pair[1])
            });
            let write = || self.put(p, z);
            let beyond = self.threads > 1 && (round + 1) * self.threads > half + 1;
            let exists = beyond.then(|| of_thread(round).le(half as i32));
            self.guarded(exists, write);
        }
    }

    /// Writes, where the line and what is to be written are there.
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

    fn twiddle(&self, twiddling: &Twiddling, element: Expr<'k, Index>, z: Complex<'k, R>) -> Complex<'k, R> {
        let Some((twiddle, places)) = twiddling else { return z };
        let exponent = element * self.coordinates[twiddle.dimension];
        if twiddle.order > i32::MAX as usize {
            return z * access::large_root(places, &|index: Expr<'k, Index>| self.tables.complex_at(index), exponent);
        }
        let table = |index: Expr<'k, i32>| self.tables.complex_at(index);
        z * access::large_root(places, &table, exponent.to::<i32>())
    }

    fn with_reach<V>(&self, side: &Side<'k>, then: impl FnOnce(&Reach<'_, 'k, R, R>) -> V) -> V {
        let window = self.geometry.load.window.as_ref();
        let at = |place: Expr<'k, Index>| self.load_base + place * self.geometry.load.stride;
        let complex = |index: Expr<'k, Index>| {
            access::complex_within(self.k, window, index, |place| self.source.complex(at(place)))
        };
        let real =
            |index: Expr<'k, Index>| access::real_within(self.k, window, index, |place| self.source.real(at(place)));
        let lift = |number: Expr<'k, R>| number;
        let table = |index: Expr<'k, Index>| self.tables.complex_at(index);
        let block = side.window.as_ref().map(|window| window.block);
        then(&Reach { complex: &complex, real: &real, lift: &lift, table: &table, block })
    }
}
