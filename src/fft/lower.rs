//! Lowering: from a recipe to passes, which name buffers, strides and the kernel of each launch.

use super::descriptor::{Direction, Problem, Transform};
use super::pass::{BETWEEN_PASSES, Buffer, PARTS, Pass, PassList, Spectrum};
use super::pencils::{AxisPencils, Operand, pencils_of};
use super::planner::Planner;
use super::recipe::{Algorithm, AxisRecipe, Packing, Recipe};
use super::spec::{Convolve, End, Load, Store, Window};
use super::tables::chirp;
use level::{Half, Level};
use rustfft::num_complex::Complex64;

mod convolution;
mod level;

/// Complex points that parts of the scratch memory begin at multiples of: whole vectors.
const SCRATCH_ALIGNMENT: usize = 16;

/// The transforms on one axis.
struct AxisTransform<'a> {
    algorithm: &'a Algorithm,
    /// Complex points of one.
    length: usize,
    /// Points that the ends count by.
    points: usize,
    load: End<Load>,
    store: End<Store>,
    pencils: AxisPencils,
    windows: Windows,
}

/// The windows of both ends, and the distance between the blocks that are the last dimension of the pencils.
#[derive(Clone, Copy, Debug, Default)]
struct Windows {
    load: Window,
    store: Window,
    block: Option<usize>,
}

/// The spectrum that an axis is multiplied by, with its strides on the axis and on the others.
struct Factors {
    spectrum: Spectrum,
    conjugate: bool,
    stride: usize,
    others: Vec<usize>,
}

impl PassList {
    /// The passes of a problem's recipe.
    pub(crate) fn lower(recipe: &Recipe, problem: &Problem, planner: &Planner) -> Self {
        let mut lowering = Lowering::new(planner, problem.in_place, problem.scale);
        for (recipe, pencils) in recipe.axes.iter().zip(pencils_of(problem)) {
            let n = problem.axes[recipe.axis].length;
            let (load, store) = ends(problem.transform, recipe.packing);
            lowering.axis(AxisTransform::new(recipe, n, (load, store), pencils));
        }
        if problem.scale != 1.0 {
            lowering.scale_last();
        }
        lowering.finish()
    }
}

impl<'a> AxisTransform<'a> {
    fn new(recipe: &'a AxisRecipe, n: usize, (load, store): (End<Load>, End<Store>), pencils: AxisPencils) -> Self {
        let AxisRecipe { packing, algorithm, .. } = recipe;
        let windows = Windows::default();
        AxisTransform { algorithm, length: packing.points(n), points: n, load, store, pencils, windows }
    }
}

struct Lowering<'a> {
    list: PassList,
    planner: &'a Planner,
    in_place: bool,
}

impl<'a> Lowering<'a> {
    fn new(planner: &'a Planner, in_place: bool, scale: f64) -> Self {
        let list = PassList { passes: Vec::new(), scratch: vec![0; PARTS], spectra: Vec::new(), scale };
        Lowering { list, planner, in_place }
    }

    /// Has the results multiplied by the scale: by the last pass, and the one over its remainder.
    fn scale_last(&mut self) {
        if let Some(last) = self.list.passes.iter().rposition(|pass| pass.first_line == 0) {
            self.list.passes[last..].iter_mut().for_each(|pass| pass.spec.scale = true);
        }
    }

    fn finish(mut self) -> PassList {
        for part in &mut self.list.scratch {
            *part = part.next_multiple_of(SCRATCH_ALIGNMENT);
        }
        self.list
    }

    fn axis(&mut self, axis: AxisTransform<'_>) {
        self.reserve_target(&axis.pencils);
        match axis.algorithm {
            Algorithm::Stockham { .. } | Algorithm::FourStep { .. } => self.mixed_radix(&axis),
            Algorithm::Bluestein { points, .. } => self.bluestein(&axis, *points),
        }
    }

    /// Scratch memory for the results on an axis, where they lie there.
    fn reserve_target(&mut self, pencils: &AxisPencils) {
        if let Buffer::Scratch(part) = pencils.target.buffer {
            let reserved = &mut self.list.scratch[part];
            *reserved = (*reserved).max(pencils.target_points());
        }
    }

    /// Scratch memory between the passes of an axis: dense, in the order of the source.
    fn between_passes(&mut self, axis: &AxisTransform<'_>, length: usize) -> Operand {
        let AxisPencils { source, counts, .. } = &axis.pencils;
        let reserved = &mut self.list.scratch[BETWEEN_PASSES];
        *reserved = (*reserved).max(length * counts.iter().product::<usize>());
        // The axis itself, then the others.
        let counts: Vec<usize> = [length].into_iter().chain(counts.iter().copied()).collect();
        let source: Vec<usize> = [source.stride].into_iter().chain(source.others.iter().copied()).collect();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|dimension| source[*dimension]);
        let mut strides = vec![0; counts.len()];
        let mut next = 1;
        for dimension in order {
            strides[dimension] = next;
            next *= counts[dimension];
        }
        Operand { buffer: Buffer::Scratch(BETWEEN_PASSES), stride: strides[0], others: strides.split_off(1) }
    }

    /// The passes of a Stockham or four-step transform: pass i transforms index i of n = (..(n1 M2 + n2) M3 + ..), and leaves
    /// k = k1 + M1 (k2 + M2 (..)).
    ///
    /// Of real points the first pass stores k1 to M1/2 only: the rest are conjugates. To real points, two passes have n2 to M2/2
    /// only between them.
    fn mixed_radix(&mut self, axis: &AxisTransform<'_>) {
        let passes = axis.algorithm.passes();
        let levels = lengths(passes);
        let last = levels.len() - 1;
        let half = Half::of(axis, &levels);
        let stored = half.stored(&levels);
        let scratch =
            if last > 0 { self.between_passes(axis, stored.iter().product()) } else { axis.pencils.source.clone() };
        for (level, radices) in passes.iter().enumerate() {
            let mut pass = Level::new(axis, &levels, &stored, level);
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
            store.twiddle = pass.twiddle();
            if level == 0 {
                pass.load(load, &axis.pencils.source, pass.within());
            } else {
                pass.load(load, &scratch, pass.between());
            }
            if level == last {
                pass.store(store, &axis.pencils.target, pass.frequency());
            } else {
                pass.store(store, &scratch, pass.between());
            }
            self.push(pass, radices, points, None);
        }
    }

    /// A transform of any length as a cyclic convolution of `padded` points with a chirp (Bluestein 1970).
    fn bluestein(&mut self, axis: &AxisTransform<'_>, padded: usize) {
        self.list.spectra.push(chirp_spectrum(axis.length, padded));
        let factors = Factors {
            spectrum: Spectrum::Table(self.list.spectra.len() - 1),
            conjugate: false,
            stride: 1,
            others: vec![0; axis.pencils.counts.len()],
        };
        let ends = (End { chirp: true, ..axis.load }, End { chirp: true, ..axis.store });
        self.forward_multiply_inverse(axis, ends, &factors);
    }

    /// A forward transform, the product with a spectrum, and the inverse transform. The last forward pass multiplies and is the
    /// first inverse one.
    fn forward_multiply_inverse(
        &mut self,
        axis: &AxisTransform<'_>,
        (load_end, store_end): (End<Load>, End<Store>),
        factors: &Factors,
    ) {
        let passes = axis.algorithm.passes();
        let levels = lengths(passes);
        let last = levels.len() - 1;
        let AxisPencils { source, target, .. } = &axis.pencils;
        let scratch = if last > 0 { self.between_passes(axis, levels.iter().product()) } else { source.clone() };
        let store_end = End { restore: true, ..store_end };
        for (level, radices) in passes.iter().enumerate() {
            let mut pass = Level::new(axis, &levels, &levels, level);
            let first = level == 0;
            pass.load(
                if first { load_end } else { End::plain(Load::Complex) },
                if first { source } else { &scratch },
                pass.within(),
            );
            let mut end = if last == 0 { store_end } else { End::plain(Store::Complex) };
            end.twiddle = pass.twiddle();
            pass.store(end, if last == 0 { target } else { &scratch }, pass.within());
            self.push(pass, radices, axis.points, (level == last).then_some(factors));
        }
        for (level, radices) in passes[..last].iter().enumerate().rev() {
            let mut pass = Level::new(axis, &levels, &levels, level);
            let mut end = End::plain(Load::Complex);
            end.twiddle = pass.twiddle();
            pass.load(end, &scratch, pass.within());
            let end = if level == 0 { store_end } else { End::plain(Store::Complex) };
            pass.store(end, if level == 0 { target } else { &scratch }, pass.within());
            self.push(pass, radices, axis.points, None);
        }
    }

    /// Appends a pass in the launch shape that suits the device.
    fn push(&mut self, mut level: Level<'_>, radices: &[usize], points: usize, factors: Option<&Factors>) {
        let (source, target) = (level.source, level.target);
        let one_memory =
            self.in_place && !matches!((source, target), (Buffer::Scratch(_), _) | (_, Buffer::Scratch(_)));
        let in_place = source == target || one_memory;
        let convolve = factors.map(|_| Convolve::Shared);
        let ends = (level.load_end, level.store_end);
        let mut spec = self.planner.spec(radices.to_vec(), points, ends, convolve, in_place);
        let before = level.before();
        let mut spectrum_position = 0;
        if let Some(Factors { conjugate, stride, others, .. }) = factors {
            spec.conjugate = *conjugate;
            spectrum_position = before * stride;
            // Those of the levels before, then what comes after, which is one line, then the other axes.
            let (within, outer) = level.dimensions.split_at_mut(level.level + 1);
            within.iter_mut().for_each(|dimension| dimension.spectrum *= stride);
            outer.iter_mut().zip(others).for_each(|(dimension, stride)| dimension.spectrum = *stride);
        }
        let pass = Pass {
            spec,
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
        self.list.passes.extend(self.planner.shape(pass));
    }
}

/// The lengths of passes, given by their radices.
fn lengths(passes: &[Vec<usize>]) -> Vec<usize> {
    passes.iter().map(|radices| radices.iter().product()).collect()
}

/// The ends of the transforms on an axis. A backward transform is a forward one with real and imaginary parts exchanged.
fn ends(transform: Transform, packing: Packing) -> (End<Load>, End<Store>) {
    let forward = |load, store| (End::plain(load), End::plain(store));
    let backward = |load, store| (End { swap: true, ..End::plain(load) }, End { swap: true, ..End::plain(store) });
    match (transform, packing) {
        (Transform::RealToComplex, Packing::HalfLength) => forward(Load::PackedReal, Store::Untangled),
        (Transform::RealToComplex, Packing::Real) => forward(Load::Real, Store::Half),
        (Transform::ComplexToReal, Packing::HalfLength) => backward(Load::PackedHermitian, Store::PackedReal),
        (Transform::ComplexToReal, Packing::Real) => backward(Load::Hermitian, Store::Real),
        (Transform::Complex(Direction::Forward) | Transform::RealToComplex, _) => {
            forward(Load::Complex, Store::Complex)
        }
        (Transform::Complex(Direction::Backward) | Transform::ComplexToReal, _) => {
            backward(Load::Complex, Store::Complex)
        }
        (Transform::Cosine2, _) => forward(Load::Folded { odd: 1 }, Store::Quarter { reversed: false }),
        (Transform::Sine2, _) => forward(Load::Folded { odd: -1 }, Store::Quarter { reversed: true }),
        (Transform::Cosine3, _) => backward(Load::Quarter { reversed: false }, Store::Folded { odd: 1 }),
        (Transform::Sine3, _) => backward(Load::Quarter { reversed: true }, Store::Folded { odd: -1 }),
    }
}

/// The spectrum of the chirp that a transform of n points is a convolution with, e^(i pi j^2 / n) for j from 1 - n to n - 1,
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
