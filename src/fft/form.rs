//! The forms of passes that a device is fast with.

use super::factors::{self, RadixCost};
use super::kernels::local_length;
use super::pass::{Convolve, End, Form, Lanes, Load, Pass, Store};
use super::recipe::{Dimension, Step};
use super::space::FftParameters;
use crate::device::{DeviceClass, DeviceInfo};

/// What a device's passes look like.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    double: bool,
    contract: bool,
    largest_radix: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Lanes { width: usize, longest: usize },
    Group { local_bytes: usize, line_bytes: usize, items: usize },
}

/// Work-groups of several lines that are to fit in a compute unit's local memory.
const RESIDENT: usize = 3;

/// How a long transform is split.
struct Parts<'a> {
    forms: &'a Forms,
    longest: usize,
    lines: usize,
}

impl RadixCost for Parts<'_> {
    fn longest(&self) -> usize {
        self.longest
    }

    fn cost(&self, lengths: &[usize]) -> f64 {
        let largest = lengths.iter().copied().max().unwrap_or(1);
        let balance = largest as f64 / 1e4;
        let width = match self.forms.kind {
            Kind::Lanes { width, .. } => width,
            // Exchanges by halves take about as long as a fourth radix. The short ones first: what comes from afar is
            // faster the more groups are at work.
            Kind::Group { local_bytes, line_bytes, .. } => {
                let together = 2 * self.forms.sector();
                let slow = |length: &usize| {
                    let radices = self.forms.radices(*length, false);
                    let bytes = 2 * local_length(&radices).0 * self.forms.real_bytes() * together;
                    radices.len().saturating_sub(3) + usize::from(bytes > local_bytes.max(line_bytes / RESIDENT))
                };
                let falling = if lengths.is_sorted() { 0.0 } else { 1e-3 };
                return lengths.iter().map(slow).sum::<usize>() as f64 + balance + falling;
            }
        };
        let idle = |level: usize| {
            let after = lengths[level + 1..].iter().product::<usize>();
            let before = lengths[..level].iter().copied().max().unwrap_or(1);
            idle_lanes(after.max(before).max(self.lines), width)
        };
        (0..lengths.len()).map(idle).sum::<f64>() + balance
    }
}

/// How many times as many lanes are used as there are lines.
fn idle_lanes(lines: usize, width: usize) -> f64 {
    (lines.div_ceil(width) * width) as f64 / lines as f64
}

impl Forms {
    pub(super) fn of(device_info: &DeviceInfo, double: bool, parameters: &FftParameters) -> Self {
        let FftParameters { width, longest_in_lanes, local_bytes, line_bytes, items, largest_radix } = *parameters;
        let kind = match device_info.class {
            DeviceClass::Cpu => Kind::Lanes { width, longest: longest_in_lanes },
            DeviceClass::Gpu | DeviceClass::Accelerator => Kind::Group { local_bytes, line_bytes, items },
        };
        Forms { double, contract: double || device_info.fast_fma, largest_radix, kind }
    }

    const fn real_bytes(&self) -> usize {
        if self.double { 8 } else { 4 }
    }

    /// Numbers in a sector of memory, the least that a GPU moves: so many lines beside each other are transformed
    /// together at least.
    const fn sector(&self) -> usize {
        32 / (2 * self.real_bytes())
    }

    /// The longest transform that one pass does; `alone`, where its lines need not lie beside each other.
    fn longest(&self, alone: bool) -> usize {
        match self.kind {
            Kind::Lanes { longest, .. } => longest,
            Kind::Group { local_bytes, line_bytes, items } => {
                let room = if alone { line_bytes } else { local_bytes } * 16 / 17 / self.real_bytes();
                // The power of two below it, and a work-item's share.
                let longest = (1 << room.max(1).ilog2()).min(items * self.largest_radix);
                if alone { longest } else { longest / self.sector() }
            }
        }
    }

    /// About what `lines` transforms of a length, each there and back, cost.
    pub(super) fn cost(&self, length: usize, lines: usize) -> f64 {
        /// What a pass costs beside its butterflies, in real operations for each number.
        const PASS: f64 = 24.0;
        let levels = self.levels(length, lines, false);
        let idle = match self.kind {
            Kind::Lanes { width, .. } if levels.len() == 1 => idle_lanes(lines, width),
            _ => 1.0,
        };
        let passes = (2 * levels.len() - 1) as f64;
        (lines * length) as f64 * (2.0 * 4.0 * (length as f64).log2() + PASS * passes) * idle
    }

    /// The lengths of the passes of a transform, of which so many lie beside each other.
    pub(super) fn levels(&self, length: usize, lines: usize, strided: bool) -> Vec<usize> {
        let (least, longest) = match self.kind {
            // One transform alone has no lanes but its own columns and rows.
            Kind::Lanes { width, longest } if lines < width && length >= 16 * width => (2, longest),
            Kind::Lanes { longest, .. } if length <= longest => return vec![length],
            // Some lines together, so that what they read and write in turn is a sector of memory.
            Kind::Group { .. } if length <= self.longest(!strided) => return vec![length],
            Kind::Lanes { longest, .. } => (2, longest),
            Kind::Group { .. } => (2, self.longest(false)),
        };
        factors::split(length, least, &Parts { forms: self, longest, lines })
    }

    /// The radices of a pass.
    fn radices(&self, length: usize, convolve: bool) -> Vec<usize> {
        let pass_cost = match self.kind {
            Kind::Lanes { .. } => 6.0,
            Kind::Group { .. } => 20.0,
        };
        let largest = match (self.kind, length) {
            // Neighbouring work-items then read enough neighbouring numbers.
            (Kind::Group { .. }, ..32) => 4,
            (Kind::Group { .. }, ..128) => 8,
            // Those beyond 16 take as many registers as there are, and spare a long line an exchange.
            (Kind::Group { .. }, _) if length < 512 || !length.is_power_of_two() => self.largest_radix.min(16),
            // As fast there, and less to compile.
            (Kind::Lanes { .. }, _) if convolve => self.largest_radix.min(8),
            _ => self.largest_radix,
        };
        let largest = largest.max(factors::largest_prime(length));
        factors::radices(length, largest, pass_cost)
    }

    /// A pass whose form is not chosen yet.
    pub(super) fn pass(
        &self,
        length: usize,
        points: usize,
        (load, store): (End<Load>, End<Store>),
        convolve: Option<Convolve>,
        in_place: bool,
    ) -> Pass {
        Pass {
            double: self.double,
            contract: self.contract,
            radices: self.radices(length, convolve.is_some()),
            points,
            load,
            store,
            dimensions: 0,
            convolve,
            conjugate: false,
            scale: false,
            in_place,
            form: Form::Group { threads: 1, lines: 1, across: false, halves: false, full: true },
        }
    }

    /// The step with its lines in the order that suits the device, and the code that suits them; in lanes there may be
    /// a second step for the rest of the lines.
    pub(super) fn shape(&self, mut step: Step) -> Vec<Step> {
        step.dimensions = merged(&step.dimensions);
        match self.kind {
            Kind::Lanes { width, .. } => in_lanes(step, width),
            Kind::Group { local_bytes, line_bytes, items } => {
                vec![self.in_groups(step, [local_bytes, line_bytes], items)]
            }
        }
    }

    fn in_groups(&self, mut step: Step, [local_bytes, line_limit]: [usize; 2], items: usize) -> Step {
        let elements = (step.element_load(), step.element_store());
        step.dimensions.sort_by_key(|d| step_of(d.load_step(step.load).min(d.store_step(step.store))));
        let first = step.dimensions[0];
        let (line_load, line_store) = (first.load_step(step.load), first.store_step(step.store));
        let near = |along: usize, other: usize, far: f64| match (along, other) {
            (1, _) => 1.0,
            (_, 1) => far,
            _ => 4.0,
        };
        let along = near(elements.0, line_load, 2.5) + near(elements.1, line_store, 2.5);
        let across = near(line_load, elements.0, 1.3) + near(line_store, elements.1, 1.3);
        let across = across < along && first.count > 1;

        let length = step.pass.length();
        let radix = step.pass.radices[0];
        let butterflies = length / radix;
        let threads = butterflies.div_ceil(butterflies.div_ceil(items)).max(1);
        let (line_length, _) = local_length(&step.pass.radices);
        let line_bytes = if threads == 1 { 0 } else { line_length * self.real_bytes() };
        let total: usize = step.lines();
        let most = local_bytes.checked_div(line_bytes).unwrap_or(usize::MAX);
        // What whole numbers may take, so that some groups still fit on a compute unit.
        let limit = local_bytes.max(line_limit / RESIDENT);
        // Two sectors; four, where neither side has a line's elements beside each other and the whole numbers still
        // fit.
        let wide = elements.0 != 1 && elements.1 != 1 && 2 * line_bytes * 4 * self.sector() <= limit;
        let wanted = if across { self.sector() * if wide { 4 } else { 2 } } else { 1 };
        let wanted = wanted.max(128 / threads).min(items / threads).min(most.max(limit / (2 * line_bytes).max(1)));
        let wanted = wanted.min(total.next_power_of_two()).max(1);
        let lines = if across { 1 << wanted.ilog2() } else { wanted };
        // A sector of each is enough for single precision, if both parts then fit.
        let whole = 2 * line_bytes * self.sector() <= limit;
        let narrow = across && !self.double && whole && 2 * line_bytes * lines > limit;
        let lines = if narrow { lines.min(self.sector()) } else { lines };
        let halves = 2 * line_bytes * lines > if lines == 1 { line_limit } else { limit };
        step.pass.form = Form::Group { threads, lines, across, halves, full: total.is_multiple_of(lines) };
        step.finish();
        step
    }
}

/// A key to sort by.
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

impl Step {
    /// From one element to the next one, in the source's memory.
    fn element_load(&self) -> usize {
        if self.pass.load.positioned() { self.load * self.load_position } else { self.load }
    }

    fn element_store(&self) -> usize {
        if self.pass.store.positioned() { self.store * self.store_position } else { self.store }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.count).product()
    }

    /// What follows from the order of the dimensions.
    fn finish(&mut self) {
        self.pass.dimensions = self.dimensions.len();
        let twiddled = self.dimensions.iter().position(|dimension| dimension.twiddled).unwrap_or(0);
        for twiddle in [&mut self.pass.load.twiddle, &mut self.pass.store.twiddle].into_iter().flatten() {
            twiddle.dimension = twiddled;
        }
    }
}

/// Dimensions without those of one line, and with those that go on where others end joined to them.
fn merged(dimensions: &[Dimension]) -> Vec<Dimension> {
    let mut merged: Vec<Dimension> = Vec::new();
    for next in dimensions.iter().filter(|dimension| dimension.count != 1) {
        let goes_on = |before: &&mut Dimension| {
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
        match merged.iter_mut().find(goes_on) {
            Some(before) => before.count *= next.count,
            None => merged.push(*next),
        }
    }
    if merged.is_empty() {
        merged.push(Dimension { count: 1, ..Dimension::default() });
    }
    merged
}

/// The way lines come into lanes on one side, where neighbours are `line` apart and a line's elements `element`.
fn lanes(rows: bool, line: usize, element: usize) -> Lanes {
    match (line, element) {
        (1, _) => Lanes::Adjacent,
        (_, 1) if rows => Lanes::Rows,
        _ => Lanes::Each,
    }
}

fn in_lanes(mut step: Step, width: usize) -> Vec<Step> {
    let Pass { load: load_end, store: store_end, .. } = &step.pass;
    // Where the elements of a row are neighbours, and a tile of it is there.
    let rows = |plain: bool, pair: bool| (plain || pair) && step.pass.length() >= if pair { width } else { width / 2 };
    let (paired_load, paired_store) = (load_end.access == Load::RealPair, store_end.access == Store::RealPair);
    let load_rows = rows(load_end.access == Load::Complex && !load_end.chirp, paired_load);
    let store_rows = rows(store_end.access == Store::Complex && !store_end.chirp, paired_store);
    let elements = (step.element_load(), step.element_store());
    let sides = |dimension: &Dimension| {
        let load = lanes(load_rows, dimension.load_step(step.load), elements.0);
        let store = lanes(store_rows, dimension.store_step(step.store), elements.1);
        (load, store)
    };
    let cost = |dimension: &Dimension| {
        let cost = |lanes: Lanes| match lanes {
            Lanes::Adjacent => 0.0,
            Lanes::Rows => 1.0,
            Lanes::Each => 4.0,
        };
        let (load, store) = sides(dimension);
        (3.0 + cost(load) + cost(store)) * idle_lanes(dimension.count, width)
    };
    let best =
        (0..step.dimensions.len()).min_by(|a, b| cost(&step.dimensions[*a]).total_cmp(&cost(&step.dimensions[*b])));
    let first = step.dimensions.remove(best.unwrap_or(0));
    step.dimensions.sort_by_key(|d| step_of(d.load.min(d.store)));
    let (load, store) = sides(&first);
    step.dimensions.insert(0, first);
    step.finish();
    step.pass.load.spread = first.load_position != 0;
    step.pass.store.spread = first.store_position != 0 || first.store_window != 0;
    let spectrum = |each: bool| match first.spectrum {
        0 => Convolve::Shared,
        1 if !each => Convolve::Adjacent,
        _ => Convolve::Each,
    };
    let mut steps = Vec::new();
    // Where the input stays as it is, the last vector's lines may be done twice.
    let rest = if step.pass.in_place || first.count < width { first.count % width } else { 0 };
    if first.count >= width {
        let mut whole = step.clone();
        whole.pass.form = Form::Lanes { width, load, store, tail: false };
        whole.pass.convolve = step.pass.convolve.map(|_| spectrum(false));
        steps.push(whole);
    }
    if rest > 0 {
        step.pass.form = Form::Lanes { width, load: Lanes::Each, store: Lanes::Each, tail: true };
        step.pass.convolve = step.pass.convolve.map(|_| spectrum(true));
        step.first_line = first.count - rest;
        steps.push(step);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::NvidiaFeatures;

    #[test]
    fn local_memory_beyond_the_stated_makes_longer_lines_one_pass() {
        let device_info = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for (double, length, levels) in [
            (false, 1 << 14, &[1 << 14][..]),
            (true, 1 << 13, &[1 << 13]),
            (true, 1 << 14, &[128, 128]),
            (false, 1 << 20, &[1024, 1024]),
            (false, 1 << 21, &[1024, 2048]),
        ] {
            let parameters = FftParameters::for_device(double, &device_info).with_line_bytes(227 << 10);
            assert_eq!(Forms::of(&device_info, double, &parameters).levels(length, 1, false), levels, "{length}");
        }
    }

    /// The splits that were the fastest on an H200.
    #[test]
    fn long_lines_are_split_as_a_large_gpu_is_fast_with() {
        let device_info = crate::device::example(DeviceClass::Gpu);
        for double in [false, true] {
            let forms = Forms::of(&device_info, double, &FftParameters::for_device(double, &device_info));
            for (length, levels) in [
                (1 << 16, [256, 256]),
                (1 << 18, [512, 512]),
                (1 << 19, [512, 1024]),
                (1 << 20, [512, 2048]),
                (1 << 21, [1024, 2048]),
                (1_000_000, [1000, 1000]),
            ] {
                assert_eq!(forms.levels(length, 1, false), levels, "{length}");
            }
        }
    }
}
