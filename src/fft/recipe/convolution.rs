//! Recipes of convolutions: the kernel's transform, and the signal's there, times it, and back.
//!
//! On the first axis the way there and back is one, so that in one dimension all of it is one launch where the transforms fit in a pass.
//! On the other axes of two and three dimensions there are forward passes before, and backward ones after; real numbers are on the last
//! axis transformed to half a spectrum and back, and in one dimension two blocks of them go through one complex transform.

use super::{
    AxisTransform, BETWEEN_AXES, Design, Factors, Operand, PARTS, Place, Recipe, SCRATCH_ALIGNMENT, SPECTRUM, Spectrum,
    Windows, dense, ends,
};
use crate::device::DeviceInfo;
use crate::fft::convolution::{ConvolutionKind, ConvolutionProblem, ConvolvedAxis, Cover};
use crate::fft::descriptor::{Direction, Transform};
use crate::fft::form::Forms;
use crate::fft::pass::{End, Load, Store, Window};
use crate::fft::space::FftParameters;
use crate::scalar::ScalarKind;

/// More than any index, and what remains so when one is added to it.
const NONE: usize = 1 << 60;

impl Recipe {
    /// The recipe for a device, and how many of its first steps transform the kernels.
    pub(crate) fn convolution(
        problem: &ConvolutionProblem,
        kind: ScalarKind,
        device_info: &DeviceInfo,
    ) -> (Self, usize) {
        let recipe = Recipe { steps: Vec::new(), scratch: vec![0; PARTS], spectra: Vec::new(), scale: 1.0 };
        let double = kind.is_double();
        let forms = Forms::of(device_info, double, &FftParameters::for_device(double, device_info));
        let real = !kind.is_complex();
        let covers = covers(problem, real, &forms);
        let mut design = Design { recipe, forms, in_place: false };
        let sides = Sides::new(problem, &covers, real);
        design.kernels(&sides);
        let kernel_steps = design.recipe.steps.len();
        if let Some(last) = design.recipe.steps.iter().rposition(|step| step.first_line == 0) {
            design.recipe.steps[last..].iter_mut().for_each(|step| step.pass.scale = true);
        }
        let points: usize = covers.iter().map(|cover| cover.length).product();
        design.recipe.scale = problem.scale / points as f64;
        design.signals(&sides);
        for part in &mut design.recipe.scratch {
            *part = part.next_multiple_of(SCRATCH_ALIGNMENT);
        }
        (design.recipe, kernel_steps)
    }
}

/// How transforms cover the axes.
fn covers(problem: &ConvolutionProblem, real: bool, forms: &Forms) -> Vec<Cover> {
    let [axis] = &problem.axes[..] else { return problem.axes.iter().map(ConvolvedAxis::whole).collect() };
    let lines = |blocks: usize| problem.batch.max(1) * if real { blocks.div_ceil(2) } else { blocks };
    vec![axis.cheapest(|length, blocks| forms.cost(length, lines(blocks)))]
}

/// A convolution as its passes see it.
struct Sides<'a> {
    problem: &'a ConvolutionProblem,
    covers: &'a [Cover],
    real: bool,
    /// Numbers that are stored on each axis of a spectrum: half as many of the last, if the numbers are real ones and there are others.
    spectrum: Vec<usize>,
}

/// Numbers of an operand that lies row after row, and where they are.
struct Dense<'a> {
    place: Place,
    lengths: &'a [usize],
}

impl Dense<'_> {
    fn operand(&self, axis: usize) -> Operand {
        let mut others = dense(self.lengths);
        let stride = others.remove(axis);
        others.push(self.lengths.iter().product());
        Operand { place: self.place, stride, others }
    }
}

impl<'a> Sides<'a> {
    fn new(problem: &'a ConvolutionProblem, covers: &'a [Cover], real: bool) -> Self {
        let mut spectrum: Vec<usize> = covers.iter().map(|cover| cover.length).collect();
        if let (true, [_, .., last]) = (real, &mut spectrum[..]) {
            *last = *last / 2 + 1;
        }
        Sides { problem, covers, real, spectrum }
    }

    fn rank(&self) -> usize {
        self.covers.len()
    }

    /// The numbers of an axis that goes into its transform whole.
    fn signal_window(&self, axis: usize) -> Window {
        let (cover, signal) = (&self.covers[axis], self.problem.axes[axis].signal);
        Window { lead: cover.lead, count: signal, period: cover.period.unwrap_or(NONE), block: cover.block }
    }

    fn kernel_window(&self, axis: usize) -> Window {
        let (cover, of) = (&self.covers[axis], &self.problem.axes[axis]);
        let turn = cover.turn(of, self.problem.kind);
        Window {
            lead: (cover.length - turn) % cover.length,
            count: of.kernel,
            period: cover.length,
            block: cover.length,
        }
    }

    /// What is left of an axis' results.
    fn output_window(&self, axis: usize) -> Window {
        Window { lead: 0, count: self.problem.axes[axis].output, period: NONE, block: NONE }
    }
}

fn window<A>(end: End<A>) -> End<A> {
    End { window: true, ..end }
}

/// The lines on the other axes, of arrays of these lengths.
fn counts(lengths: &[usize], axis: usize, batch: usize) -> Vec<usize> {
    let others = lengths.iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, length)| *length);
    others.chain([batch]).collect()
}

impl Design {
    /// The transforms of the kernels, to the spectrum's part of the scratch memory.
    fn kernels(&mut self, sides: &Sides<'_>) {
        let kernel: Vec<usize> = sides.problem.axes.iter().map(|axis| axis.kernel).collect();
        let batch = sides.problem.kernels();
        let last = self.forward_axes(sides, (Place::Kernel, kernel), batch, |axis| sides.kernel_window(axis));
        self.recipe.scratch[SPECTRUM] = sides.spectrum.iter().product::<usize>() * batch;
        let target = Dense { place: Place::Scratch(SPECTRUM), lengths: &sides.spectrum };
        let (place, lengths) = last;
        let load = if sides.real && sides.rank() == 1 { Load::Real } else { Load::Complex };
        let windows = Windows { load: sides.kernel_window(0), ..Windows::default() };
        self.axis(AxisTransform {
            length: sides.covers[0].length,
            points: sides.covers[0].length,
            load: window(End::plain(load)),
            store: End::plain(Store::Complex),
            source: Dense { place, lengths: &lengths }.operand(0),
            target: target.operand(0),
            counts: counts(&lengths, 0, batch),
            windows,
        });
    }

    /// The transforms of all axes but the first: where their results are, and of what lengths.
    fn forward_axes(
        &mut self,
        sides: &Sides<'_>,
        (mut place, mut lengths): (Place, Vec<usize>),
        batch: usize,
        seen: impl Fn(usize) -> Window,
    ) -> (Place, Vec<usize>) {
        for (turn, axis) in (1..sides.rank()).rev().enumerate() {
            let mut next = lengths.clone();
            next[axis] = sides.spectrum[axis];
            let target = self.between(turn, &next, batch);
            let halved = sides.real && turn == 0;
            let transform = if halved { Transform::RealToComplex } else { Transform::Complex(Direction::Forward) };
            let source = Dense { place, lengths: &lengths }.operand(axis);
            let target_operand = Dense { place: target, lengths: &next }.operand(axis);
            let counts = counts(&lengths, axis, batch);
            let passes = |length: usize| self.levels(length, &counts, [&source, &target_operand]).len();
            let (length, points, load, store) = ends(transform, sides.covers[axis].length, halved, passes);
            self.axis(AxisTransform {
                length,
                points,
                load: window(load),
                store,
                source,
                target: target_operand,
                counts,
                windows: Windows { load: seen(axis), ..Windows::default() },
            });
            (place, lengths) = (target, next);
        }
        (place, lengths)
    }

    /// Where so many numbers are between the axes.
    fn between(&mut self, turn: usize, lengths: &[usize], batch: usize) -> Place {
        let part = BETWEEN_AXES[turn % 2];
        let room = &mut self.recipe.scratch[part];
        *room = (*room).max(lengths.iter().product::<usize>() * batch);
        Place::Scratch(part)
    }

    /// The signals' way.
    fn signals(&mut self, sides: &Sides<'_>) {
        let (batch, rank) = (sides.problem.batch, sides.rank());
        let signal: Vec<usize> = sides.problem.axes.iter().map(|axis| axis.signal).collect();
        let (place, before) = self.forward_axes(sides, (Place::Input, signal), batch, |axis| sides.signal_window(axis));
        let mut lengths = before.clone();
        lengths[0] = sides.problem.axes[0].output;
        let mut target = if rank == 1 { Place::Output } else { self.between(rank - 1, &lengths, batch) };
        self.fused(sides, Dense { place, lengths: &before }, Dense { place: target, lengths: &lengths });
        for axis in 1..rank {
            let (source, from) = (target, lengths.clone());
            lengths[axis] = sides.problem.axes[axis].output;
            target = if axis + 1 == rank { Place::Output } else { self.between(rank + axis - 1, &lengths, batch) };
            let halved = sides.real && axis + 1 == rank;
            let transform = if halved { Transform::ComplexToReal } else { Transform::Complex(Direction::Backward) };
            let source = Dense { place: source, lengths: &from }.operand(axis);
            let target_operand = Dense { place: target, lengths: &lengths }.operand(axis);
            let counts = counts(&from, axis, batch);
            let passes = |length: usize| self.levels(length, &counts, [&source, &target_operand]).len();
            let (length, points, load, store) = ends(transform, sides.covers[axis].length, halved, passes);
            self.axis(AxisTransform {
                length,
                points,
                load,
                store: window(store),
                source,
                target: target_operand,
                counts,
                windows: Windows { store: sides.output_window(axis), ..Windows::default() },
            });
        }
    }

    /// The first axis: there, times the spectrum, and back.
    fn fused(&mut self, sides: &Sides<'_>, from: Dense<'_>, to: Dense<'_>) {
        let Sides { problem, covers, .. } = *sides;
        let cover = &covers[0];
        let (load, store, pairs) = match (sides.real && sides.rank() == 1, cover.blocks) {
            (true, 1) => (Load::Real, Store::Real, 1),
            (true, _) => (Load::RealPair, Store::RealPair, 2),
            (false, _) => (Load::Complex, Store::Complex, 1),
        };
        let mut axis = AxisTransform {
            length: cover.length,
            points: cover.length,
            load: window(End::plain(load)),
            store: window(End::plain(store)),
            source: from.operand(0),
            target: to.operand(0),
            counts: counts(from.lengths, 0, problem.batch),
            windows: Windows {
                load: sides.signal_window(0),
                store: Window { block: cover.block, ..sides.output_window(0) },
                block: None,
            },
        };
        // Neighbours on the other axes are so in the spectrum, too.
        let spectrum = Dense { place: Place::Scratch(SPECTRUM), lengths: &sides.spectrum }.operand(0);
        let mut others = spectrum.others;
        if let (false, Some(kernels)) = (problem.batched_kernels, others.last_mut()) {
            *kernels = 0;
        }
        if cover.blocks > 1 {
            let apart = pairs * cover.block;
            axis.counts.push(cover.blocks.div_ceil(pairs));
            axis.source.others.push(apart);
            axis.target.others.push(apart);
            axis.windows.block = Some(apart);
            others.push(0);
        }
        let factors = Factors {
            spectrum: Spectrum::Scratch(SPECTRUM),
            conjugate: problem.kind == ConvolutionKind::Correlation,
            stride: spectrum.stride,
            others,
        };
        let ends = (axis.load, axis.store);
        self.there_and_back(&axis, cover.length, ends, &factors);
    }
}
