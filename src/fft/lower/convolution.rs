//! Lowering of convolutions.

use super::{AxisTransform, Factors, Lowering, Windows, ops};
use crate::fft::convolution::{ConvolutionKind, ConvolutionProblem, ConvolvedAxis, Cover};
use crate::fft::descriptor::{Direction, Transform};
use crate::fft::pass::{PassList, SPECTRUM, Spectrum};
use crate::fft::pencils::{AxisPencils, ConvolutionPencils};
use crate::fft::planner::Planner;
use crate::fft::recipe::{AxisRecipe, ConvolutionRecipe, Packing};
use crate::fft::spec::{AccessOp, Load, PadWindow, Store};

/// Larger than any index, even with one added to it.
const NONE: usize = 1 << 60;

impl PassList {
    /// The passes of a convolution's recipe for real or complex points, and the number of those that transform the
    /// kernels, which come first.
    pub(crate) fn lower_convolution(
        recipe: &ConvolutionRecipe,
        problem: &ConvolutionProblem,
        real: bool,
        planner: &Planner,
    ) -> (Self, usize) {
        let points: usize = recipe.covers.iter().map(|cover| cover.length).product();
        let mut lowering = Lowering::new(planner, false, problem.scale / points as f64);
        let pencils = ConvolutionPencils::new(problem, &recipe.covers, real);
        lowering.kernels(recipe, problem, (&pencils.kernel, &pencils.kernel_first));
        let kernel_passes = lowering.list.passes.len();
        lowering.scale_last();
        lowering.signals(recipe, problem, &pencils);
        (lowering.finish(), kernel_passes)
    }
}

impl Lowering<'_> {
    /// The transforms of the kernels, to the spectrum's part of the workspace.
    fn kernels(
        &mut self,
        recipe: &ConvolutionRecipe,
        problem: &ConvolutionProblem,
        (others, first): (&[AxisPencils], &AxisPencils),
    ) {
        let seen = |axis: usize| kernel_window(&recipe.covers[axis], &problem.axes[axis], problem.kind);
        self.forward_axes(recipe, &recipe.kernel, others, seen);
        let Some(last) = recipe.kernel.last() else { return };
        let load = if last.packing == Packing::Real { Load::Real } else { Load::Complex };
        let ops = (window(AccessOp::plain(load)), AccessOp::plain(Store::Complex));
        let axis = AxisTransform::new(last, recipe.covers[0].length, ops, first.clone());
        self.axis(AxisTransform { windows: Windows { load: seen(0), ..Windows::default() }, ..axis });
    }

    /// The forward transforms of all axes but axis 0.
    fn forward_axes(
        &mut self,
        recipe: &ConvolutionRecipe,
        axes: &[AxisRecipe],
        pencils: &[AxisPencils],
        seen: impl Fn(usize) -> PadWindow,
    ) {
        for (axis, pencils) in axes.iter().zip(pencils) {
            let transform = match axis.packing {
                Packing::Complex => Transform::Complex(Direction::Forward),
                _ => Transform::RealToComplex,
            };
            let (load, store) = ops(transform, axis.packing);
            let windows = Windows { load: seen(axis.axis), ..Windows::default() };
            let length = recipe.covers[axis.axis].length;
            let axis = AxisTransform::new(axis, length, (window(load), store), pencils.clone());
            self.axis(AxisTransform { windows, ..axis });
        }
    }

    /// The transforms of the signals, the products, and the inverse transforms.
    fn signals(&mut self, recipe: &ConvolutionRecipe, problem: &ConvolutionProblem, pencils: &ConvolutionPencils) {
        let seen = |axis: usize| signal_window(&recipe.covers[axis], &problem.axes[axis]);
        self.forward_axes(recipe, &recipe.forward, &pencils.forward, seen);
        self.multiply(recipe, problem, pencils);
        for (axis, pencils) in recipe.inverse.iter().zip(&pencils.inverse) {
            let transform = match axis.packing {
                Packing::Complex => Transform::Complex(Direction::Backward),
                _ => Transform::ComplexToReal,
            };
            let (load, store) = ops(transform, axis.packing);
            let windows = Windows { store: output_window(&problem.axes[axis.axis]), ..Windows::default() };
            let length = recipe.covers[axis.axis].length;
            let axis = AxisTransform::new(axis, length, (load, window(store)), pencils.clone());
            self.axis(AxisTransform { windows, ..axis });
        }
    }

    /// Axis 0: forward, times the spectrum, and back.
    fn multiply(&mut self, recipe: &ConvolutionRecipe, problem: &ConvolutionProblem, pencils: &ConvolutionPencils) {
        let (cover, packing) = (&recipe.covers[0], recipe.multiply.packing);
        let (load, store, pairs) = match packing {
            Packing::Real => (Load::Real, Store::Real, 1),
            Packing::BlockPairs => (Load::RealPair, Store::RealPair, 2),
            Packing::Complex | Packing::HalfLength | Packing::Makhoul => (Load::Complex, Store::Complex, 1),
        };
        let windows = Windows {
            load: signal_window(cover, &problem.axes[0]),
            store: PadWindow { block: cover.block, ..output_window(&problem.axes[0]) },
            block: (cover.blocks > 1).then_some(pairs * cover.block),
        };
        let ops = (window(AccessOp::plain(load)), window(AccessOp::plain(store)));
        let axis = AxisTransform::new(&recipe.multiply, cover.length, ops, pencils.multiply.clone());
        let axis = AxisTransform { windows, ..axis };
        // Neighbours on the other axes are neighbours in the spectrum, too.
        let factors = Factors {
            spectrum: Spectrum::Workspace(SPECTRUM),
            conjugate: problem.kind == ConvolutionKind::Correlation,
            stride: pencils.spectrum.stride,
            others: pencils.spectrum.others.clone(),
        };
        self.reserve_target(&axis.pencils);
        self.forward_multiply_inverse(&axis, ops, &factors);
    }
}

fn window<A>(op: AccessOp<A>) -> AccessOp<A> {
    AccessOp { window: true, ..op }
}

/// The points of a signal that go into the transforms of an axis.
fn signal_window(cover: &Cover, axis: &ConvolvedAxis) -> PadWindow {
    PadWindow { lead: cover.lead, count: axis.signal, period: cover.period.unwrap_or(NONE), block: cover.block }
}

fn kernel_window(cover: &Cover, axis: &ConvolvedAxis, kind: ConvolutionKind) -> PadWindow {
    let turn = cover.turn(axis, kind);
    let lead = (cover.length - turn) % cover.length;
    PadWindow { lead, count: axis.kernel, period: cover.length, block: cover.length }
}

/// The results of an axis that are stored.
fn output_window(axis: &ConvolvedAxis) -> PadWindow {
    PadWindow { lead: 0, count: axis.output, period: NONE, block: NONE }
}
