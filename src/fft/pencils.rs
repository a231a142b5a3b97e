//! The pencils along each axis of a transform: the buffers that hold them, strides and counts.

use super::convolution::{ConvolutionProblem, Cover};
use super::descriptor::{Problem, Transform};
use super::pass::{BETWEEN_AXES, Buffer, SPECTRUM};

/// One side of the transforms along an axis.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) buffer: Buffer,
    /// From a point of a pencil to the next.
    pub(super) stride: usize,
    /// From a pencil to the next: on each other axis, then from an array of the batch to the next.
    pub(super) others: Vec<usize>,
}

/// All pencils along one axis.
#[derive(Clone, Debug)]
pub(super) struct AxisPencils {
    pub(super) axis: usize,
    /// Axes of the array.
    rank: usize,
    pub(super) source: Operand,
    pub(super) target: Operand,
    /// Pencils on each other axis, then arrays of the batch.
    pub(super) counts: Vec<usize>,
}

impl AxisPencils {
    /// The largest of the counts.
    pub(super) fn largest_count(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(1)
    }

    /// True if neighbouring points are apart on one of the sides.
    pub(super) const fn is_strided(&self) -> bool {
        self.source.stride != 1 || self.target.stride != 1
    }

    /// Points of the target, where that is a dense array for each member of the batch.
    pub(super) fn target_points(&self) -> usize {
        self.target.others[self.rank - 1] * self.counts[self.rank - 1]
    }
}

/// The pencils of each axis, in the order in which the axes are transformed.
///
/// The last axis comes first, except where it yields real points from complex ones.
pub(super) fn pencils_of(problem: &Problem) -> Vec<AxisPencils> {
    let rank = problem.axes.len();
    let operand = |buffer, axis: usize| {
        let (mut strides, distance): (Vec<usize>, usize) = match buffer {
            Buffer::Input => {
                (problem.axes.iter().map(|axis| axis.input_stride).collect(), problem.batch.input_distance)
            }
            Buffer::Output => {
                (problem.axes.iter().map(|axis| axis.output_stride).collect(), problem.batch.output_distance)
            }
            Buffer::Workspace(_) | Buffer::Kernel => {
                (dense(&problem.input_lengths()), problem.input_lengths().iter().product())
            }
        };
        let stride = strides.remove(axis);
        strides.push(distance);
        Operand { buffer, stride, others: strides }
    };
    let to_real = problem.transform == Transform::ComplexToReal;
    let between = match (to_real, problem.in_place) {
        (false, _) => Buffer::Output,
        (true, true) => Buffer::Input,
        (true, false) => Buffer::Workspace(BETWEEN_AXES[0]),
    };
    let stored = if to_real { problem.input_lengths() } else { problem.output_lengths() };
    let pencils = |turn: usize| {
        let axis = if to_real { turn } else { rank - 1 - turn };
        AxisPencils {
            axis,
            rank,
            source: operand(if turn == 0 { Buffer::Input } else { between }, axis),
            target: operand(if turn + 1 == rank { Buffer::Output } else { between }, axis),
            counts: counts(&stored, axis, problem.batch.count),
        }
    };
    (0..rank).map(pencils).collect()
}

/// The pencils of each transform of a convolution.
pub(super) struct ConvolutionPencils {
    /// Of the kernels on all axes but axis 0.
    pub(super) kernel: Vec<AxisPencils>,
    /// Of the kernels on axis 0.
    pub(super) kernel_first: AxisPencils,
    /// Of the signals on all axes but axis 0.
    pub(super) forward: Vec<AxisPencils>,
    /// Of the signals, or their blocks, on axis 0.
    pub(super) multiply: AxisPencils,
    /// Of the products on all axes but axis 0.
    pub(super) inverse: Vec<AxisPencils>,
    /// The spectrum's strides as those of a target.
    pub(super) spectrum: Operand,
}

/// Dense arrays of a batch.
#[derive(Clone)]
struct Dense {
    buffer: Buffer,
    lengths: Vec<usize>,
}

impl Dense {
    fn operand(&self, axis: usize) -> Operand {
        let mut others = dense(&self.lengths);
        let stride = others.remove(axis);
        others.push(self.lengths.iter().product());
        Operand { buffer: self.buffer, stride, others }
    }

    /// The pencils from here to another array.
    fn pencils(&self, to: &Dense, axis: usize, batch: usize) -> AxisPencils {
        AxisPencils {
            axis,
            rank: self.lengths.len(),
            source: self.operand(axis),
            target: to.operand(axis),
            counts: counts(&self.lengths, axis, batch),
        }
    }
}

impl ConvolutionPencils {
    pub(super) fn new(problem: &ConvolutionProblem, covers: &[Cover], real: bool) -> Self {
        let rank = covers.len();
        // Half the points of the last axis, where the points are real and there are other axes.
        let mut lengths: Vec<usize> = covers.iter().map(|cover| cover.length).collect();
        if let (true, [_, .., last]) = (real, &mut lengths[..]) {
            *last = *last / 2 + 1;
        }
        let spectrum = Dense { buffer: Buffer::Workspace(SPECTRUM), lengths };
        // All axes but axis 0, the last one first.
        let forward = |mut from: Dense, batch: usize| {
            let mut pencils = Vec::new();
            for (turn, axis) in (1..rank).rev().enumerate() {
                let mut to = Dense { buffer: Buffer::Workspace(BETWEEN_AXES[turn % 2]), lengths: from.lengths.clone() };
                to.lengths[axis] = spectrum.lengths[axis];
                pencils.push(from.pencils(&to, axis, batch));
                from = to;
            }
            (pencils, from)
        };
        let kernels = Dense { buffer: Buffer::Kernel, lengths: problem.axes.iter().map(|axis| axis.kernel).collect() };
        let (kernel, transformed) = forward(kernels, problem.kernels());
        let kernel_first = transformed.pencils(&spectrum, 0, problem.kernels());

        let batch = problem.batch;
        let signals = Dense { buffer: Buffer::Input, lengths: problem.axes.iter().map(|axis| axis.signal).collect() };
        let (forward, transformed) = forward(signals, batch);
        // The results of an axis: array and buffer.
        let results = |axis: usize, lengths: &[usize]| {
            let mut lengths = lengths.to_vec();
            lengths[axis] = problem.axes[axis].output;
            let part = BETWEEN_AXES[if axis == 0 { rank - 1 } else { rank + axis - 1 } % 2];
            let buffer = if axis + 1 == rank { Buffer::Output } else { Buffer::Workspace(part) };
            Dense { buffer, lengths }
        };
        let mut products = results(0, &transformed.lengths);
        let multiply = transformed.pencils(&products, 0, batch);
        let mut inverse = Vec::new();
        for axis in 1..rank {
            let to = results(axis, &products.lengths);
            inverse.push(products.pencils(&to, axis, batch));
            products = to;
        }
        let mut pencils =
            ConvolutionPencils { kernel, kernel_first, forward, multiply, inverse, spectrum: spectrum.operand(0) };
        if let (false, Some(distance)) = (problem.batched_kernels, pencils.spectrum.others.last_mut()) {
            *distance = 0;
        }
        pencils.block_dimension(&covers[0], real && rank == 1);
        pencils
    }

    /// One more dimension of pencils for overlap-save blocks; `pairs`, for two blocks each.
    fn block_dimension(&mut self, cover: &Cover, pairs: bool) {
        if cover.blocks == 1 {
            return;
        }
        let blocks = if pairs { 2 } else { 1 };
        let multiply = &mut self.multiply;
        multiply.counts.push(cover.blocks.div_ceil(blocks));
        multiply.source.others.push(blocks * cover.block);
        multiply.target.others.push(blocks * cover.block);
        self.spectrum.others.push(0);
    }
}

/// Row-major strides.
fn dense(lengths: &[usize]) -> Vec<usize> {
    (0..lengths.len()).map(|axis| lengths[axis + 1..].iter().product()).collect()
}

/// Pencils on the other axes of an array, then the batch.
fn counts(lengths: &[usize], axis: usize, batch: usize) -> Vec<usize> {
    let others = lengths.iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, length)| *length);
    others.chain([batch]).collect()
}
