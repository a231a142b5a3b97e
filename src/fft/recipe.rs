//! A recipe: the passes that a transform is made of, as plain data, designed from what is to be transformed and the device's properties.

use super::descriptor::{Direction, Problem, Transform};
use super::factors;
use super::form::Forms;
use super::pass::{Convolve, End, Load, Pass, Store, Window};
use super::space::FftParameters;
use super::tables::chirp;
use crate::device::DeviceInfo;
use level::{Half, Level};
use rustfft::num_complex::Complex64;

mod convolution;
mod level;

/// Complex numbers that parts of the scratch memory begin at multiples of: whole vectors.
const SCRATCH_ALIGNMENT: usize = 16;

/// Where numbers are. Of a transform in place, input and output are one memory, which either counts in its own elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Input,
    Output,
    /// The kernel of a convolution.
    Kernel,
    /// The scratch memory's part with this number: complex numbers.
    Scratch(usize),
}

/// Where the factors of a convolution are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spectrum {
    /// The recipe's, with this number.
    Table(usize),
    /// The scratch memory's part with this number.
    Scratch(usize),
}

/// Parts of the scratch memory: what is between the passes of a long transform; between the axes; and a kernel's spectrum, which comes
/// first, so that it is in one place whatever the others are.
const SPECTRUM: usize = 0;
const BETWEEN_PASSES: usize = 1;
const BETWEEN_AXES: [usize; 2] = [2, 3];
const PARTS: usize = 4;

/// One dimension of a step's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) count: usize,
    pub(super) load: usize,
    pub(super) store: usize,
    /// What a line adds to positions.
    pub(super) load_position: usize,
    pub(super) store_position: usize,
    pub(super) spectrum: usize,
    /// What a line adds to the place of a result, in a window.
    pub(super) store_window: usize,
    /// Whether the twiddles go by this dimension's coordinate.
    pub(super) twiddled: bool,
}

/// A launch of a pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) pass: Pass,
    pub(super) source: Place,
    pub(super) target: Place,
    /// Strides of elements.
    pub(super) load: usize,
    pub(super) store: usize,
    /// What an element adds to positions.
    pub(super) load_position: usize,
    pub(super) store_position: usize,
    pub(super) spectrum_position: usize,
    pub(super) dimensions: Vec<Dimension>,
    /// The spectrum that it multiplies by.
    pub(super) spectrum: Option<Spectrum>,
    /// What ends with windows see.
    pub(super) load_window: Window,
    pub(super) store_window: Window,
    /// Lanes without lines, at most one step for the rest of the first dimension.
    pub(super) first_line: usize,
}

/// The steps of a transform, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recipe {
    pub(super) steps: Vec<Step>,
    /// Complex numbers of each part of the scratch memory.
    pub(super) scratch: Vec<usize>,
    pub(super) spectra: Vec<Vec<Complex64>>,
    pub(super) scale: f64,
}

/// An operand of the transforms on one axis: where it is, how far neighbours on the axis are apart, and neighbouring lines on the
/// other axes.
#[derive(Clone, Debug)]
struct Operand {
    place: Place,
    stride: usize,
    others: Vec<usize>,
}

/// The transforms on one axis.
struct AxisTransform {
    /// The complex numbers of one.
    length: usize,
    /// The numbers that its ends count by.
    points: usize,
    load: End<Load>,
    store: End<Store>,
    source: Operand,
    target: Operand,
    /// Lines on the other axes.
    counts: Vec<usize>,
    windows: Windows,
}

/// What the ends of a transform with windows see, and what a block, the last of the other axes, adds to the places of numbers on either
/// side.
#[derive(Clone, Copy, Debug, Default)]
struct Windows {
    load: Window,
    store: Window,
    block: Option<usize>,
}

/// What the numbers of an axis are multiplied by: where the factors are, and how far those of neighbours are apart, on the axis and on the
/// others.
struct Factors {
    spectrum: Spectrum,
    conjugate: bool,
    stride: usize,
    others: Vec<usize>,
}

impl Recipe {
    /// The recipe for a device.
    pub(crate) fn design(
        problem: &Problem,
        double: bool,
        device_info: &DeviceInfo,
        parameters: &FftParameters,
    ) -> Self {
        let recipe = Recipe { steps: Vec::new(), scratch: vec![0; PARTS], spectra: Vec::new(), scale: problem.scale };
        let mut design =
            Design { recipe, forms: Forms::of(device_info, double, parameters), in_place: problem.in_place };
        design.axes(problem);
        if problem.scale != 1.0
            && let Some(last) = design.recipe.steps.iter().rposition(|step| step.first_line == 0)
        {
            design.recipe.steps[last..].iter_mut().for_each(|step| step.pass.scale = true);
        }
        for part in &mut design.recipe.scratch {
            *part = part.next_multiple_of(SCRATCH_ALIGNMENT);
        }
        design.recipe
    }
}

struct Design {
    recipe: Recipe,
    forms: Forms,
    in_place: bool,
}

impl Design {
    fn axes(&mut self, problem: &Problem) {
        let rank = problem.axes.len();
        let operand = |place, axis: usize| {
            let mut strides: Vec<usize> = match place {
                Place::Input => problem.axes.iter().map(|axis| axis.input_stride).collect(),
                Place::Output => problem.axes.iter().map(|axis| axis.output_stride).collect(),
                Place::Scratch(_) | Place::Kernel => dense(&problem.input_lengths()),
            };
            let stride = strides.remove(axis);
            strides.push(match place {
                Place::Input => problem.batch.input_distance,
                Place::Output => problem.batch.output_distance,
                Place::Scratch(_) | Place::Kernel => problem.input_lengths().iter().product(),
            });
            Operand { place, stride, others: strides }
        };
        let counts = |stored: Vec<usize>, axis: usize| {
            let others = stored.into_iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, count)| count);
            others.chain([problem.batch.count]).collect::<Vec<_>>()
        };
        // The last axis comes first, but where it gives real numbers from complex ones. Until then these lie as the input does.
        let to_real = problem.transform == Transform::ComplexToReal;
        let order: Vec<usize> = if to_real { (0..rank).collect() } else { (0..rank).rev().collect() };
        let between = match (to_real, self.in_place) {
            (false, _) => Place::Output,
            (true, true) => Place::Input,
            (true, false) => Place::Scratch(BETWEEN_AXES[0]),
        };
        if between == Place::Scratch(BETWEEN_AXES[0]) && rank > 1 {
            self.recipe.scratch[BETWEEN_AXES[0]] =
                problem.input_lengths().iter().product::<usize>() * problem.batch.count;
        }
        for (turn, axis) in order.iter().copied().enumerate() {
            let halved = axis + 1 == rank;
            let source = operand(if turn == 0 { Place::Input } else { between }, axis);
            let target = operand(if turn + 1 == rank { Place::Output } else { between }, axis);
            let stored = if to_real { problem.input_lengths() } else { problem.output_lengths() };
            let counts = counts(stored, axis);
            let passes = |length: usize| self.levels(length, &counts, [&source, &target]).len();
            let (length, points, load, store) = ends(problem.transform, problem.axes[axis].length, halved, passes);
            self.axis(AxisTransform {
                length,
                points,
                load,
                store,
                source,
                target,
                counts,
                windows: Windows::default(),
            });
        }
    }

    fn axis(&mut self, axis: AxisTransform) {
        if factors::is_smooth(axis.length) {
            let levels = self.levels(axis.length, &axis.counts, [&axis.source, &axis.target]);
            self.forward(&axis, &levels);
        } else {
            self.convolution(&axis);
        }
    }

    /// The lengths of the passes that a length takes, with so many lines on the other axes.
    fn levels(&self, length: usize, counts: &[usize], operands: [&Operand; 2]) -> Vec<usize> {
        let lines = counts.iter().copied().max().unwrap_or(1);
        // Whether neighbours on the axis are apart.
        let strided = operands.iter().any(|operand| operand.stride != 1);
        self.forms.levels(length, lines, strided)
    }

    /// Where the numbers of a long transform are between its passes: dense, and in the order of the source.
    fn scratch(&mut self, axis: &AxisTransform, length: usize) -> Operand {
        let lines: usize = axis.counts.iter().product();
        let room = &mut self.recipe.scratch[BETWEEN_PASSES];
        *room = (*room).max(length * lines);
        // The axis itself, then the others.
        let counts: Vec<usize> = [length].into_iter().chain(axis.counts.iter().copied()).collect();
        let steps: Vec<usize> = [axis.source.stride].into_iter().chain(axis.source.others.iter().copied()).collect();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|dimension| steps[*dimension]);
        let mut strides = vec![0; counts.len()];
        let mut next = 1;
        for dimension in order {
            strides[dimension] = next;
            next *= counts[dimension];
        }
        Operand { place: Place::Scratch(BETWEEN_PASSES), stride: strides[0], others: strides.split_off(1) }
    }

    /// A transform by the passes of `levels` (Bailey's four steps, and again for its rows): pass i transforms index i of
    /// n = (..(n1 M2 + n2) M3 + ..), and leaves k = k1 + M1 (k2 + M2 (..)).
    ///
    /// Of real numbers the first pass leaves k1 to M1/2 only, as the others are conjugates of these; to real numbers, two passes have n2
    /// to M2/2 only between them.
    fn forward(&mut self, axis: &AxisTransform, levels: &[usize]) {
        let last = levels.len() - 1;
        let half = Half::of(axis, levels);
        let stored = half.stored(levels);
        let scratch = if last > 0 { self.scratch(axis, stored.iter().product()) } else { axis.source.clone() };
        for level in 0..=last {
            let mut step = Level::new(axis, levels, &stored, level);
            let mut points = axis.points;
            let (mut load, mut store) = (End::plain(Load::Complex), End::plain(Store::Complex));
            if level == 0 {
                load = axis.load;
            }
            if level == last {
                store = axis.store;
            }
            match half {
                Half::Spectrum if level == 0 => (points, store.access) = (levels[0], Store::Half),
                Half::Spectrum if level == last => store.access = Store::Mirrored { lines: levels[0] },
                Half::Rows if level == 0 => store.swap = load.swap,
                Half::Rows => (points, load) = (levels[last], axis.load),
                _ => {}
            }
            store.twiddle = step.twiddle();
            if level == 0 {
                step.load(load, &axis.source, step.within());
            } else {
                step.load(load, &scratch, step.between());
            }
            if level == last {
                step.store(store, &axis.target, step.frequency());
            } else {
                step.store(store, &scratch, step.between());
            }
            self.push(step, points, None);
        }
    }

    /// A transform of any length as a convolution with a chirp (Bluestein, 1970).
    fn convolution(&mut self, axis: &AxisTransform) {
        let length = factors::convolution_length(2 * axis.length - 1);
        self.recipe.spectra.push(chirp_spectrum(axis.length, length));
        let factors = Factors {
            spectrum: Spectrum::Table(self.recipe.spectra.len() - 1),
            conjugate: false,
            stride: 1,
            others: vec![0; axis.counts.len()],
        };
        let ends = (End { chirp: true, ..axis.load }, End { chirp: true, ..axis.store });
        self.there_and_back(axis, length, ends, &factors);
    }

    /// A transform of `length` numbers, its product with a spectrum, and the backward transform: forward passes, of which the last
    /// multiplies and goes back, and the others' ways back.
    fn there_and_back(
        &mut self,
        axis: &AxisTransform,
        length: usize,
        (load_end, store_end): (End<Load>, End<Store>),
        factors: &Factors,
    ) {
        let levels = self.levels(length, &axis.counts, [&axis.source, &axis.target]);
        let last = levels.len() - 1;
        let scratch = if last > 0 { self.scratch(axis, length) } else { axis.source.clone() };
        let store_end = End { restore: true, ..store_end };
        for level in 0..=last {
            let mut step = Level::new(axis, &levels, &levels, level);
            let first = level == 0;
            step.load(
                if first { load_end } else { End::plain(Load::Complex) },
                if first { &axis.source } else { &scratch },
                step.within(),
            );
            let mut end = if last == 0 { store_end } else { End::plain(Store::Complex) };
            end.twiddle = step.twiddle();
            step.store(end, if last == 0 { &axis.target } else { &scratch }, step.within());
            self.push(step, axis.points, (level == last).then_some(factors));
        }
        for level in (0..last).rev() {
            let mut step = Level::new(axis, &levels, &levels, level);
            let mut end = End::plain(Load::Complex);
            end.twiddle = step.twiddle();
            step.load(end, &scratch, step.within());
            let end = if level == 0 { store_end } else { End::plain(Store::Complex) };
            step.store(end, if level == 0 { &axis.target } else { &scratch }, step.within());
            self.push(step, axis.points, None);
        }
    }

    /// Chooses the form of a step, and appends it.
    fn push(&mut self, mut level: Level<'_>, points: usize, factors: Option<&Factors>) {
        let (source, target) = (level.source, level.target);
        let one_memory = self.in_place && !matches!((source, target), (Place::Scratch(_), _) | (_, Place::Scratch(_)));
        let in_place = source == target || one_memory;
        let convolve = factors.map(|_| Convolve::Shared);
        let mut pass =
            self.forms.pass(level.levels[level.level], points, (level.load_end, level.store_end), convolve, in_place);
        let before = level.before();
        let mut spectrum_position = 0;
        if let Some(Factors { conjugate, stride, others, .. }) = factors {
            pass.conjugate = *conjugate;
            spectrum_position = before * stride;
            // Those of the levels before, then what comes after, which is one line, then the other axes.
            let (within, outer) = level.dimensions.split_at_mut(level.level + 1);
            within.iter_mut().for_each(|dimension| dimension.spectrum *= stride);
            outer.iter_mut().zip(others).for_each(|(dimension, stride)| dimension.spectrum = *stride);
        }
        let step = Step {
            pass,
            source,
            target,
            load: level.load_stride,
            store: level.store_stride,
            load_position: level.load_step,
            store_position: level.store_step,
            spectrum_position,
            dimensions: level.dimensions,
            spectrum: factors.map(|factors| factors.spectrum),
            load_window: level.windows.load,
            store_window: level.windows.store,
            first_line: 0,
        };
        self.recipe.steps.extend(self.forms.shape(step));
    }
}

/// Row after row.
fn dense(lengths: &[usize]) -> Vec<usize> {
    (0..lengths.len()).map(|axis| lengths[axis + 1..].iter().product()).collect()
}

/// What the transforms of n numbers on an axis are: the complex numbers of one, what their ends count by, and the ends. `passes` tells
/// how many passes do so many.
fn ends(
    transform: Transform,
    n: usize,
    halved: bool,
    passes: impl Fn(usize) -> usize,
) -> (usize, usize, End<Load>, End<Store>) {
    let (load, store) = (End::<Load>::plain, End::<Store>::plain);
    let backward =
        |access: (Load, Store)| (End { swap: true, ..load(access.0) }, End { swap: true, ..store(access.1) });
    // Two real numbers in one complex one: where butterflies make up the half.
    let packed = n.is_multiple_of(2) && factors::is_smooth(n / 2);
    let (length, (load, store)) = match transform {
        Transform::RealToComplex if halved && packed && passes(n / 2) == 1 => {
            (n / 2, (load(Load::PackedReal), store(Store::Untangled)))
        }
        Transform::RealToComplex if halved => (n, (load(Load::Real), store(Store::Half))),
        // Two passes of them all leave half of the work out.
        Transform::ComplexToReal if halved && packed && (passes(n / 2) == 1 || passes(n) != 2) => {
            (n / 2, backward((Load::PackedHermitian, Store::PackedReal)))
        }
        Transform::ComplexToReal if halved => (n, backward((Load::Hermitian, Store::Real))),
        Transform::Complex(Direction::Forward) | Transform::RealToComplex => {
            (n, (load(Load::Complex), store(Store::Complex)))
        }
        Transform::Complex(Direction::Backward) | Transform::ComplexToReal => {
            (n, backward((Load::Complex, Store::Complex)))
        }
        Transform::Dct2 => (n, (load(Load::Folded { odd: 1 }), store(Store::Quarter { reversed: false }))),
        Transform::Dst2 => (n, (load(Load::Folded { odd: -1 }), store(Store::Quarter { reversed: true }))),
        Transform::Dct3 => (n, backward((Load::Quarter { reversed: false }, Store::Folded { odd: 1 }))),
        Transform::Dst3 => (n, backward((Load::Quarter { reversed: true }, Store::Folded { odd: -1 }))),
    };
    (length, n, load, store)
}

/// The spectrum of the chirp that a transform of n numbers is a convolution with, e^(i pi j^2 / n) for j from 1 - n to n - 1,
/// divided by its length.
fn chirp_spectrum(n: usize, length: usize) -> Vec<Complex64> {
    let mut spectrum = vec![Complex64::default(); length];
    for j in 0..n {
        let (re, im) = chirp(j, n);
        let value = Complex64::new(re, -im) / length as f64;
        spectrum[j] = value;
        spectrum[(length - j) % length] = value;
    }
    crate::host::fft::transform(&mut spectrum);
    spectrum
}
