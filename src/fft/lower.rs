//! Lowering: from a recipe to passes, which name buffers, strides and the kernel of each launch.

use super::descriptor::{Direction, Problem, Transform};
use super::pass::{BETWEEN_PASSES, Buffer, PARTS, Pass, PassList, Spectrum};
use super::pencils::{AxisPencils, Operand, pencils_of};
use super::planner::Planner;
use super::recipe::{Algorithm, AxisRecipe, Packing, Recipe};
use super::spec::{AccessOp, Load, LoadOp, PadWindow, SpectrumAccess, Store, StoreOp};
use super::tables::chirp;
use pass_builder::{HermitianHalf, PassBuilder};
use rustfft::num_complex::Complex64;

mod convolution;
mod pass_builder;

/// Complex points that parts of the workspace begin at multiples of: whole vectors.
const WORKSPACE_ALIGNMENT: usize = 16;

/// The transforms on one axis.
struct AxisTransform<'a> {
    algorithm: &'a Algorithm,
    /// Complex points of one.
    length: usize,
    /// Points that positions count: real ones of a packed transform.
    points: usize,
    load: LoadOp,
    store: StoreOp,
    pencils: AxisPencils,
    windows: Windows,
}

/// The windows of load and store, and the distance of the overlap-save blocks, which are the last dimension of the
/// pencils.
#[derive(Clone, Copy, Debug, Default)]
struct Windows {
    load: PadWindow,
    store: PadWindow,
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
            let (load, store) = ops(problem.transform, recipe.packing);
            lowering.axis(AxisTransform::new(recipe, n, (load, store), pencils));
        }
        if problem.scale != 1.0 {
            lowering.scale_last();
        }
        lowering.finish()
    }
}

impl<'a> AxisTransform<'a> {
    fn new(recipe: &'a AxisRecipe, n: usize, (load, store): (LoadOp, StoreOp), pencils: AxisPencils) -> Self {
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
        let list = PassList { passes: Vec::new(), workspace: vec![0; PARTS], spectra: Vec::new(), scale };
        Lowering { list, planner, in_place }
    }

    /// Multiplies by the scale in the last pass, and in the one over its remainder.
    fn scale_last(&mut self) {
        if let Some(last) = self.list.passes.iter().rposition(|pass| pass.first_pencil == 0) {
            self.list.passes[last..].iter_mut().for_each(|pass| pass.spec.scale = true);
        }
    }

    fn finish(mut self) -> PassList {
        for part in &mut self.list.workspace {
            *part = part.next_multiple_of(WORKSPACE_ALIGNMENT);
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

    /// Reserves workspace for the results on an axis, if that is their buffer.
    fn reserve_target(&mut self, pencils: &AxisPencils) {
        if let Buffer::Workspace(part) = pencils.target.buffer {
            let reserved = &mut self.list.workspace[part];
            *reserved = (*reserved).max(pencils.target_points());
        }
    }

    /// Workspace between the passes of an axis: dense, in the order of the source.
    fn between_passes(&mut self, axis: &AxisTransform<'_>, length: usize) -> Operand {
        let AxisPencils { source, counts, .. } = &axis.pencils;
        let reserved = &mut self.list.workspace[BETWEEN_PASSES];
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
        Operand { buffer: Buffer::Workspace(BETWEEN_PASSES), stride: strides[0], others: strides.split_off(1) }
    }

    /// The passes of a Stockham or four-step transform: pass i transforms index i of n = (..(n1 M2 + n2) M3 + ..), and
    /// leaves k = k1 + M1 (k2 + M2 (..)).
    ///
    /// Of real points the first pass stores k1 to M1/2 only: the rest are conjugates. To real points, two passes have
    /// n2 to M2/2 only between them.
    fn mixed_radix(&mut self, axis: &AxisTransform<'_>) {
        let passes = axis.algorithm.passes();
        let lengths = lengths(passes);
        let last = lengths.len() - 1;
        let half = HermitianHalf::of(axis, &lengths);
        let stored = half.stored(&lengths);
        let workspace =
            if last > 0 { self.between_passes(axis, stored.iter().product()) } else { axis.pencils.source.clone() };
        for (index, radices) in passes.iter().enumerate() {
            let mut pass = PassBuilder::new(axis, &lengths, &stored, index);
            let mut points = axis.points;
            let (mut load, mut store) = (AccessOp::plain(Load::Complex), AccessOp::plain(Store::Complex));
            if index == 0 {
                load = axis.load;
            }
            if index == last {
                store = axis.store;
            }
            match half {
                HermitianHalf::Spectrum if index == 0 => (points, store.access) = (lengths[0], Store::HalfSpectrum),
                HermitianHalf::Spectrum if index == last => {
                    store.access = Store::MirroredSpectrum { pencils: lengths[0] }
                }
                HermitianHalf::Rows if index == 0 => store.swap = load.swap,
                HermitianHalf::Rows => (points, load) = (lengths[last], axis.load),
                _ => {}
            }
            store.twiddle = pass.twiddle();
            if index == 0 {
                pass.load(load, &axis.pencils.source, pass.input_positions());
            } else {
                pass.load(load, &workspace, pass.workspace_positions());
            }
            if index == last {
                pass.store(store, &axis.pencils.target, pass.output_positions());
            } else {
                pass.store(store, &workspace, pass.workspace_positions());
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
        let ops = (AccessOp { chirp: true, ..axis.load }, AccessOp { chirp: true, ..axis.store });
        self.forward_multiply_inverse(axis, ops, &factors);
    }

    /// A forward transform, the product with a spectrum, and the inverse transform. The last forward pass multiplies
    /// and is the first inverse one.
    fn forward_multiply_inverse(
        &mut self,
        axis: &AxisTransform<'_>,
        (load_op, store_op): (LoadOp, StoreOp),
        factors: &Factors,
    ) {
        let passes = axis.algorithm.passes();
        let lengths = lengths(passes);
        let last = lengths.len() - 1;
        let AxisPencils { source, target, .. } = &axis.pencils;
        let workspace = if last > 0 { self.between_passes(axis, lengths.iter().product()) } else { source.clone() };
        let store_op = AccessOp { unswap: true, ..store_op };
        for (index, radices) in passes.iter().enumerate() {
            let mut pass = PassBuilder::new(axis, &lengths, &lengths, index);
            let first = index == 0;
            pass.load(
                if first { load_op } else { AccessOp::plain(Load::Complex) },
                if first { source } else { &workspace },
                pass.input_positions(),
            );
            let mut op = if last == 0 { store_op } else { AccessOp::plain(Store::Complex) };
            op.twiddle = pass.twiddle();
            pass.store(op, if last == 0 { target } else { &workspace }, pass.input_positions());
            self.push(pass, radices, axis.points, (index == last).then_some(factors));
        }
        for (index, radices) in passes[..last].iter().enumerate().rev() {
            let mut pass = PassBuilder::new(axis, &lengths, &lengths, index);
            let mut op = AccessOp::plain(Load::Complex);
            op.twiddle = pass.twiddle();
            pass.load(op, &workspace, pass.input_positions());
            let op = if index == 0 { store_op } else { AccessOp::plain(Store::Complex) };
            pass.store(op, if index == 0 { target } else { &workspace }, pass.input_positions());
            self.push(pass, radices, axis.points, None);
        }
    }

    /// Appends a pass in the launch shape that suits the device.
    fn push(&mut self, mut index: PassBuilder<'_>, radices: &[usize], points: usize, factors: Option<&Factors>) {
        let (source, target) = (index.source, index.target);
        let one_memory =
            self.in_place && !matches!((source, target), (Buffer::Workspace(_), _) | (_, Buffer::Workspace(_)));
        let in_place = source == target || one_memory;
        let convolve = factors.map(|_| SpectrumAccess::Broadcast);
        let ops = (index.load_op, index.store_op);
        let mut spec = self.planner.spec(radices.to_vec(), points, ops, convolve, in_place);
        let before = index.before();
        let mut spectrum_position = 0;
        if let Some(Factors { conjugate, stride, others, .. }) = factors {
            spec.conjugate = *conjugate;
            spectrum_position = before * stride;
            // Factors of the passes before, the product of those after, which is 1, then the other axes.
            let (within, outer) = index.dimensions.split_at_mut(index.index + 1);
            within.iter_mut().for_each(|dimension| dimension.spectrum *= stride);
            outer.iter_mut().zip(others).for_each(|(dimension, stride)| dimension.spectrum = *stride);
        }
        let pass = Pass {
            spec,
            source,
            target,
            load: index.load_stride,
            store: index.store_stride,
            load_position: index.load_step,
            store_position: index.store_step,
            spectrum_position,
            dimensions: index.dimensions,
            spectrum: factors.map(|factors| factors.spectrum),
            load_window: index.windows.load,
            store_window: index.windows.store,
            first_pencil: 0,
        };
        self.list.passes.extend(self.planner.shape(pass));
    }
}

/// The lengths of passes, given by their radices.
fn lengths(passes: &[Vec<usize>]) -> Vec<usize> {
    passes.iter().map(|radices| radices.iter().product()).collect()
}

/// The load and store ops of the transforms on an axis. A backward transform is a forward one with real and imaginary
/// parts exchanged.
fn ops(transform: Transform, packing: Packing) -> (LoadOp, StoreOp) {
    let forward = |load, store| (AccessOp::plain(load), AccessOp::plain(store));
    let backward = |load, store| {
        (AccessOp { swap: true, ..AccessOp::plain(load) }, AccessOp { swap: true, ..AccessOp::plain(store) })
    };
    match (transform, packing) {
        (Transform::RealToComplex, Packing::HalfLength) => forward(Load::PackedReal, Store::SplitSpectrum),
        (Transform::RealToComplex, Packing::Real) => forward(Load::Real, Store::HalfSpectrum),
        (Transform::ComplexToReal, Packing::HalfLength) => backward(Load::PackedHermitian, Store::PackedReal),
        (Transform::ComplexToReal, Packing::Real) => backward(Load::Hermitian, Store::Real),
        (Transform::Complex(Direction::Forward) | Transform::RealToComplex, _) => {
            forward(Load::Complex, Store::Complex)
        }
        (Transform::Complex(Direction::Backward) | Transform::ComplexToReal, _) => {
            backward(Load::Complex, Store::Complex)
        }
        (Transform::Dct2, _) => forward(Load::MakhoulOrder { odd: 1 }, Store::QuarterShift { reversed: false }),
        (Transform::Dst2, _) => forward(Load::MakhoulOrder { odd: -1 }, Store::QuarterShift { reversed: true }),
        (Transform::Dct3, _) => backward(Load::QuarterShift { reversed: false }, Store::MakhoulOrder { odd: 1 }),
        (Transform::Dst3, _) => backward(Load::QuarterShift { reversed: true }, Store::MakhoulOrder { odd: -1 }),
    }
}

/// The spectrum of the chirp that a transform of n points is a convolution with, e^(i pi j^2 / n) for j from 1 - n to n
/// - 1, divided by its length.
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
