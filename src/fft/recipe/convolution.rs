//! Recipes of convolutions: forward transforms of the kernel, forward-multiply-inverse of the signal.
//!
//! Axis 0 is transformed forward, multiplied and transformed back by one algorithm, so that a convolution of one
//! dimension is one pass where its transform is one. The other axes have forward transforms before it and inverse ones
//! after it. The last axis of real points has half spectra; in one dimension two blocks of real points share a complex
//! transform.

use std::fmt;

use super::{AxisRecipe, Packing};
use crate::fft::convolution::{ConvolutionProblem, ConvolvedAxis, Cover};
use crate::fft::descriptor::{Direction, Transform};
use crate::fft::pencils::{AxisPencils, ConvolutionPencils};
use crate::fft::planner::Planner;

/// The algorithm for each transform of a convolution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConvolutionRecipe {
    /// The overlap-save blocks, or the one transform, of each axis.
    pub(in crate::fft) covers: Vec<Cover>,
    /// Forward transforms of the kernels, axis 0 last.
    pub(in crate::fft) kernel: Vec<AxisRecipe>,
    /// Forward transforms of the signals on all axes but axis 0, the last axis first.
    pub(in crate::fft) forward: Vec<AxisRecipe>,
    /// Forward-multiply-inverse on axis 0.
    pub(in crate::fft) multiply: AxisRecipe,
    /// Inverse transforms on the other axes, the last axis last.
    pub(in crate::fft) inverse: Vec<AxisRecipe>,
}

impl ConvolutionRecipe {
    /// The recipe of a problem with real or complex points for a planner's device.
    pub(crate) fn choose(problem: &ConvolutionProblem, real: bool, planner: &Planner) -> Self {
        let covers = covers(problem, real, planner);
        let pencils = ConvolutionPencils::new(problem, &covers, real);
        let (last, real_signal) = (problem.axes.len() - 1, real && problem.axes.len() == 1);
        let half = |transform, pencils: &AxisPencils| {
            let halved = real && pencils.axis == last;
            let direction =
                if transform == Transform::RealToComplex { Direction::Forward } else { Direction::Backward };
            let transform = if halved { transform } else { Transform::Complex(direction) };
            planner.axis_recipe(transform, covers[pencils.axis].length, halved, pencils)
        };
        let first = |packing, convolve, pencils: &AxisPencils| AxisRecipe {
            axis: 0,
            packing,
            algorithm: planner.mixed_radix(covers[0].length, pencils, convolve),
        };
        let forward = |pencils: &[AxisPencils]| -> Vec<AxisRecipe> {
            pencils.iter().map(|pencils| half(Transform::RealToComplex, pencils)).collect()
        };
        let kernel_packing = if real_signal { Packing::Real } else { Packing::Complex };
        let packing = if real_signal && covers[0].blocks > 1 { Packing::BlockPairs } else { kernel_packing };
        let mut kernel = forward(&pencils.kernel);
        kernel.push(first(kernel_packing, false, &pencils.kernel_first));
        ConvolutionRecipe {
            kernel,
            forward: forward(&pencils.forward),
            multiply: first(packing, true, &pencils.multiply),
            inverse: pencils.inverse.iter().map(|pencils| half(Transform::ComplexToReal, pencils)).collect(),
            covers,
        }
    }
}

/// The cheapest blocks of one dimension; the whole signal of several.
fn covers(problem: &ConvolutionProblem, real: bool, planner: &Planner) -> Vec<Cover> {
    let [axis] = &problem.axes[..] else { return problem.axes.iter().map(ConvolvedAxis::whole).collect() };
    let pencils = |blocks: usize| problem.batch.max(1) * if real { blocks.div_ceil(2) } else { blocks };
    vec![axis.cheapest(|length, blocks| planner.cost(length, pencils(blocks)))]
}

impl fmt::Display for ConvolutionRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transforms = |name: &'static str, axes: &[AxisRecipe]| -> Vec<String> {
            axes.iter().map(|axis| format!("{name}, {axis}")).collect()
        };
        let pencils = [
            transforms("kernel", &self.kernel),
            transforms("forward", &self.forward),
            transforms("forward-multiply-inverse", std::slice::from_ref(&self.multiply)),
            transforms("inverse", &self.inverse),
        ];
        f.write_str(&pencils.concat().join("\n"))
    }
}
