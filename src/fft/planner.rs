//! The planner: lengths, radices and launch shapes of the passes that suit a device.

use super::factors::{self, CostModel};
use super::kernels::local_length;
use super::pass::{Dimension, Pass};
use super::space::FftParameters;
use super::spec::{Form, KernelSpec, Load, LoadOp, SpectrumAccess, Store, StoreOp, VectorAccess};
use crate::device::{DeviceClass, DeviceInfo};

/// Chooses passes for one device and precision.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    double: bool,
    contract: bool,
    largest_radix: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Simd { width: usize, longest: usize },
    WorkGroup { local_bytes: usize, pencil_bytes: usize, items: usize },
}

/// Work-groups of several pencils that should fit in the local memory of a compute unit.
const RESIDENT: usize = 3;

/// Cost model of the split of a length into passes.
struct SplitCost<'a> {
    planner: &'a Planner,
    longest: usize,
    pencils: usize,
}

impl CostModel for SplitCost<'_> {
    fn longest_pass(&self) -> usize {
        self.longest
    }

    fn cost(&self, lengths: &[usize]) -> f64 {
        let largest = lengths.iter().copied().max().unwrap_or(1);
        let balance = largest as f64 / 1e4;
        let width = match self.planner.kind {
            Kind::Simd { width, .. } => width,
            // A split exchange takes about as long as a fourth radix. Short passes come first: strided loads are faster
            // with more work-groups.
            Kind::WorkGroup { local_bytes, pencil_bytes, .. } => {
                let coalesced = 2 * self.planner.sector();
                let slow = |length: &usize| {
                    let radices = self.planner.radices(*length, false);
                    let bytes = 2 * local_length(&radices).0 * self.planner.real_bytes() * coalesced;
                    radices.len().saturating_sub(3) + usize::from(bytes > local_bytes.max(pencil_bytes / RESIDENT))
                };
                let descending = if lengths.is_sorted() { 0.0 } else { 1e-3 };
                return lengths.iter().map(slow).sum::<usize>() as f64 + balance + descending;
            }
        };
        let padding = |pass: usize| {
            let after = lengths[pass + 1..].iter().product::<usize>();
            let before = lengths[..pass].iter().copied().max().unwrap_or(1);
            lane_padding(after.max(before).max(self.pencils), width)
        };
        (0..lengths.len()).map(padding).sum::<f64>() + balance
    }
}

/// SIMD lanes used for each pencil, on average.
fn lane_padding(pencils: usize, width: usize) -> f64 {
    (pencils.div_ceil(width) * width) as f64 / pencils as f64
}

impl Planner {
    pub(crate) fn of(device_info: &DeviceInfo, double: bool, parameters: &FftParameters) -> Self {
        let FftParameters { width, longest_simd_pass, local_bytes, pencil_bytes, items, largest_radix } = *parameters;
        let kind = match device_info.class {
            DeviceClass::Cpu => Kind::Simd { width, longest: longest_simd_pass },
            DeviceClass::Gpu | DeviceClass::Accelerator => Kind::WorkGroup { local_bytes, pencil_bytes, items },
        };
        Planner { double, contract: double || device_info.fast_fma, largest_radix, kind }
    }

    const fn real_bytes(&self) -> usize {
        if self.double { 8 } else { 4 }
    }

    /// Points in a memory sector, the least that a GPU moves: the fewest adjacent pencils of a work-group.
    const fn sector(&self) -> usize {
        32 / (2 * self.real_bytes())
    }

    /// The longest transform of one pass; `alone`, with one pencil for each work-group.
    fn longest(&self, alone: bool) -> usize {
        match self.kind {
            Kind::Simd { longest, .. } => longest,
            Kind::WorkGroup { local_bytes, pencil_bytes, items } => {
                let values = if alone { pencil_bytes } else { local_bytes } * 16 / 17 / self.real_bytes();
                // A power of two, and at most a radix for each work-item.
                let longest = (1 << values.max(1).ilog2()).min(items * self.largest_radix);
                if alone { longest } else { longest / self.sector() }
            }
        }
    }

    /// Estimated operations of forward and inverse transforms of some pencils.
    pub(super) fn cost(&self, length: usize, pencils: usize) -> f64 {
        /// Cost of a pass beside its butterflies, in real operations for each point.
        const PASS: f64 = 24.0;
        let lengths = self.pass_lengths(length, pencils, false);
        let idle = match self.kind {
            Kind::Simd { width, .. } if lengths.len() == 1 => lane_padding(pencils, width),
            _ => 1.0,
        };
        let passes = (2 * lengths.len() - 1) as f64;
        (pencils * length) as f64 * (2.0 * 4.0 * (length as f64).log2() + PASS * passes) * idle
    }

    /// The lengths of the passes of a transform of adjacent pencils; `strided`, with elements apart.
    pub(super) fn pass_lengths(&self, length: usize, pencils: usize, strided: bool) -> Vec<usize> {
        let (min_passes, longest) = match self.kind {
            // A single transform fills the SIMD lanes with its own columns and rows only.
            Kind::Simd { width, longest } if pencils < width && length >= 16 * width => (2, longest),
            Kind::Simd { longest, .. } if length <= longest => return vec![length],
            // Strided pencils share work-groups, so that each access is a sector of memory.
            Kind::WorkGroup { .. } if length <= self.longest(!strided) => return vec![length],
            Kind::Simd { longest, .. } => (2, longest),
            Kind::WorkGroup { .. } => (2, self.longest(false)),
        };
        factors::split(length, min_passes, &SplitCost { planner: self, longest, pencils })
    }

    /// The radices of a pass; `convolve`, one that multiplies by a spectrum and transforms back.
    pub(super) fn radices(&self, length: usize, convolve: bool) -> Vec<usize> {
        let pass_cost = match self.kind {
            Kind::Simd { .. } => 6.0,
            Kind::WorkGroup { .. } => 20.0,
        };
        let largest = match (self.kind, length) {
            // Small radices: neighbouring work-items then read enough adjacent points.
            (Kind::WorkGroup { .. }, ..32) => 4,
            (Kind::WorkGroup { .. }, ..128) => 8,
            // Radices beyond 16 take all registers; they save a long pencil an exchange.
            (Kind::WorkGroup { .. }, _) if length < 512 || !length.is_power_of_two() => self.largest_radix.min(16),
            // Small radices are as fast here, and less to compile.
            (Kind::Simd { .. }, _) if convolve => self.largest_radix.min(8),
            _ => self.largest_radix,
        };
        let largest = largest.max(factors::largest_prime(length));
        factors::radices(length, largest, pass_cost)
    }

    /// The kernel of a pass, before [`Planner::shape`] chooses its form.
    pub(super) fn spec(
        &self,
        radices: Vec<usize>,
        points: usize,
        (load, store): (LoadOp, StoreOp),
        convolve: Option<SpectrumAccess>,
        in_place: bool,
    ) -> KernelSpec {
        KernelSpec {
            double: self.double,
            contract: self.contract,
            radices,
            points,
            load,
            store,
            dimensions: 0,
            convolve,
            conjugate: false,
            scale: false,
            in_place,
            form: Form::WorkGroup { items: 1, pencils: 1, across_pencils: false, split_exchange: false, full: true },
        }
    }

    /// The pass with its pencils and form in the order that suits the device, and for SIMD lanes a second one for the
    /// remainder of the pencils.
    pub(super) fn shape(&self, mut pass: Pass) -> Vec<Pass> {
        pass.dimensions = merged(&pass.dimensions);
        match self.kind {
            Kind::Simd { width, .. } => in_simd_lanes(pass, width),
            Kind::WorkGroup { local_bytes, pencil_bytes, items } => {
                vec![self.in_work_groups(pass, [local_bytes, pencil_bytes], items)]
            }
        }
    }

    fn in_work_groups(&self, mut pass: Pass, [local_bytes, pencil_limit]: [usize; 2], max_items: usize) -> Pass {
        let elements = (pass.element_load(), pass.element_store());
        pass.dimensions.sort_by_key(|d| step_of(d.load_step(pass.load).min(d.store_step(pass.store))));
        let first = pass.dimensions[0];
        let (pencil_load, pencil_store) = (first.load_step(pass.load), first.store_step(pass.store));
        let near = |along: usize, other: usize, far: f64| match (along, other) {
            (1, _) => 1.0,
            (_, 1) => far,
            _ => 4.0,
        };
        let along = near(elements.0, pencil_load, 2.5) + near(elements.1, pencil_store, 2.5);
        let across_pencils = near(pencil_load, elements.0, 1.3) + near(pencil_store, elements.1, 1.3);
        let across_pencils = across_pencils < along && first.count > 1;

        let length = pass.spec.length();
        let radix = pass.spec.radices[0];
        let butterflies = length / radix;
        let items = butterflies.div_ceil(butterflies.div_ceil(max_items)).max(1);
        let (pencil_length, _) = local_length(&pass.spec.radices);
        let pencil_bytes = if items == 1 { 0 } else { pencil_length * self.real_bytes() };
        let total: usize = pass.pencils();
        let max_pencils = local_bytes.checked_div(pencil_bytes).unwrap_or(usize::MAX);
        // Local memory for whole complex points, so that several work-groups still fit on a compute unit.
        let limit = local_bytes.max(pencil_limit / RESIDENT);
        // Two sectors; four, where the elements are apart on both sides and whole complex points still fit.
        let wide = elements.0 != 1 && elements.1 != 1 && 2 * pencil_bytes * 4 * self.sector() <= limit;
        let pencils = if across_pencils { self.sector() * if wide { 4 } else { 2 } } else { 1 };
        let pencils =
            pencils.max(128 / items).min(max_items / items).min(max_pencils.max(limit / (2 * pencil_bytes).max(1)));
        let pencils = pencils.min(total.next_power_of_two()).max(1);
        let pencils = if across_pencils { 1 << pencils.ilog2() } else { pencils };
        // One sector is enough for single precision, if whole complex points then fit.
        let whole = 2 * pencil_bytes * self.sector() <= limit;
        let narrow = across_pencils && !self.double && whole && 2 * pencil_bytes * pencils > limit;
        let pencils = if narrow { pencils.min(self.sector()) } else { pencils };
        let split_exchange = 2 * pencil_bytes * pencils > if pencils == 1 { pencil_limit } else { limit };
        pass.spec.form =
            Form::WorkGroup { items, pencils, across_pencils, split_exchange, full: total.is_multiple_of(pencils) };
        pass.finish();
        pass
    }
}

/// Sort key: a stride, and a broadcast last.
const fn step_of(step: usize) -> usize {
    if step == 0 { usize::MAX } else { step }
}

impl Dimension {
    const fn load_step(&self, stride: usize) -> usize {
        self.load + self.load_position * stride
    }

    const fn store_step(&self, stride: usize) -> usize {
        self.store + (self.store_position + self.store_window) * stride
    }
}

impl Pass {
    /// Stride of elements in the source.
    fn element_load(&self) -> usize {
        if self.spec.load.positioned() { self.load * self.load_position } else { self.load }
    }

    fn element_store(&self) -> usize {
        if self.spec.store.positioned() { self.store * self.store_position } else { self.store }
    }

    /// Sets the fields of the kernel that depend on the order of the dimensions.
    fn finish(&mut self) {
        self.spec.dimensions = self.dimensions.len();
        let twiddled = self.dimensions.iter().position(|dimension| dimension.twiddled).unwrap_or(0);
        for twiddle in [&mut self.spec.load.twiddle, &mut self.spec.store.twiddle].into_iter().flatten() {
            twiddle.dimension = twiddled;
        }
    }
}

/// Dimensions without those of count 1, and with contiguous ones merged.
fn merged(dimensions: &[Dimension]) -> Vec<Dimension> {
    let mut merged: Vec<Dimension> = Vec::new();
    for next in dimensions.iter().filter(|dimension| dimension.count != 1) {
        let continues = |before: &&mut Dimension| {
            let follows = |step: fn(&Dimension) -> usize| step(next) == before.count * step(before);
            !before.twiddled
                && !next.twiddled
                && follows(|d| d.load)
                && follows(|d| d.store)
                && follows(|d| d.load_position)
                && follows(|d| d.store_position)
                && follows(|d| d.spectrum)
                && follows(|d| d.store_window)
        };
        match merged.iter_mut().find(continues) {
            Some(before) => before.count *= next.count,
            None => merged.push(*next),
        }
    }
    if merged.is_empty() {
        merged.push(Dimension { count: 1, ..Dimension::default() });
    }
    merged
}

/// The access of one side by the strides of pencils and elements.
fn vector_access(rows: bool, pencil: usize, element: usize) -> VectorAccess {
    match (pencil, element) {
        (1, _) => VectorAccess::Contiguous,
        (_, 1) if rows => VectorAccess::Transposed,
        _ => VectorAccess::Elementwise,
    }
}

fn in_simd_lanes(mut pass: Pass, width: usize) -> Vec<Pass> {
    let KernelSpec { load: load_op, store: store_op, .. } = &pass.spec;
    // A transpose needs adjacent elements, and a tile of them.
    let rows = |plain: bool, pair: bool| (plain || pair) && pass.spec.length() >= if pair { width } else { width / 2 };
    let (paired_load, paired_store) = (load_op.access == Load::RealPair, store_op.access == Store::RealPair);
    let load_rows = rows(load_op.access == Load::Complex && !load_op.chirp, paired_load);
    let store_rows = rows(store_op.access == Store::Complex && !store_op.chirp, paired_store);
    let elements = (pass.element_load(), pass.element_store());
    let sides = |dimension: &Dimension| {
        let load = vector_access(load_rows, dimension.load_step(pass.load), elements.0);
        let store = vector_access(store_rows, dimension.store_step(pass.store), elements.1);
        (load, store)
    };
    let cost = |dimension: &Dimension| {
        let cost = |access: VectorAccess| match access {
            VectorAccess::Contiguous => 0.0,
            VectorAccess::Transposed => 1.0,
            VectorAccess::Elementwise => 4.0,
        };
        let (load, store) = sides(dimension);
        (3.0 + cost(load) + cost(store)) * lane_padding(dimension.count, width)
    };
    let best =
        (0..pass.dimensions.len()).min_by(|a, b| cost(&pass.dimensions[*a]).total_cmp(&cost(&pass.dimensions[*b])));
    let first = pass.dimensions.remove(best.unwrap_or(0));
    pass.dimensions.sort_by_key(|d| step_of(d.load.min(d.store)));
    let (load, store) = sides(&first);
    pass.dimensions.insert(0, first);
    pass.finish();
    pass.spec.load.per_lane = first.load_position != 0;
    pass.spec.store.per_lane = first.store_position != 0 || first.store_window != 0;
    let spectrum = |each: bool| match first.spectrum {
        0 => SpectrumAccess::Broadcast,
        1 if !each => SpectrumAccess::Contiguous,
        _ => SpectrumAccess::Elementwise,
    };
    let mut passes = Vec::new();
    // Out of place the last vector may repeat pencils of the one before.
    let rest = if pass.spec.in_place || first.count < width { first.count % width } else { 0 };
    if first.count >= width {
        let mut whole = pass.clone();
        whole.spec.form = Form::Simd { width, load, store, tail: false };
        whole.spec.convolve = pass.spec.convolve.map(|_| spectrum(false));
        passes.push(whole);
    }
    if rest > 0 {
        pass.spec.form =
            Form::Simd { width, load: VectorAccess::Elementwise, store: VectorAccess::Elementwise, tail: true };
        pass.spec.convolve = pass.spec.convolve.map(|_| spectrum(true));
        pass.first_pencil = first.count - rest;
        passes.push(pass);
    }
    passes
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::NvidiaFeatures;

    #[test]
    fn opt_in_local_memory_makes_longer_pencils_one_pass() {
        let device_info = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for (double, length, expected) in [
            (false, 1 << 14, &[1 << 14][..]),
            (true, 1 << 13, &[1 << 13]),
            (true, 1 << 14, &[128, 128]),
            (false, 1 << 20, &[1024, 1024]),
            (false, 1 << 21, &[1024, 2048]),
        ] {
            let parameters = FftParameters::for_device(double, &device_info).with_pencil_bytes(227 << 10);
            assert_eq!(
                Planner::of(&device_info, double, &parameters).pass_lengths(length, 1, false),
                expected,
                "{length}"
            );
        }
    }

    #[test]
    fn long_transforms_are_split_as_measured_on_a_large_gpu() {
        let device_info = crate::device::example(DeviceClass::Gpu);
        for double in [false, true] {
            let planner = Planner::of(&device_info, double, &FftParameters::for_device(double, &device_info));
            for (length, expected) in [
                (1 << 16, [256, 256]),
                (1 << 18, [512, 512]),
                (1 << 19, [512, 1024]),
                (1 << 20, [512, 2048]),
                (1 << 21, [1024, 2048]),
                (1_000_000, [1000, 1000]),
            ] {
                assert_eq!(planner.pass_lengths(length, 1, false), expected, "{length}");
            }
        }
    }
}
