//! The pencils and addresses of one pass.

use super::{AxisTransform, Windows};
use crate::fft::pass::{Buffer, Dimension};
use crate::fft::pencils::Operand;
use crate::fft::spec::{AccessOp, Load, LoadOp, Store, StoreOp, Twiddle};

/// The half of a real transform of several passes that is not computed: it is the conjugate of the other half.
#[derive(Clone, Copy)]
pub(super) enum HermitianHalf {
    Whole,
    /// Results of the first pass beyond half of its length. Later passes have no pencils for them.
    Spectrum,
    /// Pencils of the first pass beyond half of them. The second pass reconstructs their results.
    Rows,
}

impl HermitianHalf {
    pub(super) fn of(axis: &AxisTransform<'_>, lengths: &[usize]) -> Self {
        match (axis.load.access, axis.store.access, lengths.len()) {
            (Load::Real, Store::HalfSpectrum, 2..) => HermitianHalf::Spectrum,
            (Load::Hermitian, Store::Real, 2) => HermitianHalf::Rows,
            _ => HermitianHalf::Whole,
        }
    }

    /// Points that are stored of each factor.
    pub(super) fn stored(self, lengths: &[usize]) -> Vec<usize> {
        let mut stored = lengths.to_vec();
        match self {
            HermitianHalf::Whole => {}
            HermitianHalf::Spectrum => stored[0] = lengths[0] / 2 + 1,
            HermitianHalf::Rows => stored[1] = lengths[1] / 2 + 1,
        }
        stored
    }
}

/// One pass of an algorithm, before its form is chosen.
pub(super) struct PassBuilder<'a> {
    pub(super) lengths: &'a [usize],
    /// Points of each factor that are stored between the passes.
    pub(super) stored: &'a [usize],
    pub(super) index: usize,
    /// Factors of the passes before, the product of those after, then the other axes.
    pub(super) dimensions: Vec<Dimension>,
    pub(super) load_op: LoadOp,
    pub(super) store_op: StoreOp,
    pub(super) source: Buffer,
    pub(super) target: Buffer,
    pub(super) load_stride: usize,
    pub(super) store_stride: usize,
    pub(super) load_step: usize,
    pub(super) store_step: usize,
    pub(super) windows: Windows,
}

/// Strides of positions: of an element, of each factor before, and of the product of the factors after.
pub(super) struct Positions {
    element: usize,
    before: Vec<usize>,
    after: usize,
    /// True if positions count the elements of this pass alone.
    per_pass: bool,
}

/// Strides of memory and of positions: of elements, and of pencils on each dimension.
struct Addresses {
    element: (usize, usize),
    pencils: Vec<(usize, usize)>,
}

impl<'a> PassBuilder<'a> {
    pub(super) fn new(axis: &AxisTransform<'_>, lengths: &'a [usize], stored: &'a [usize], index: usize) -> Self {
        let mut this = PassBuilder {
            lengths,
            stored,
            index,
            dimensions: Vec::new(),
            load_op: AccessOp::plain(Load::Complex),
            store_op: AccessOp::plain(Store::Complex),
            source: axis.pencils.source.buffer,
            target: axis.pencils.target.buffer,
            load_stride: 0,
            store_stride: 0,
            load_step: 0,
            store_step: 0,
            windows: axis.windows,
        };
        let mut frequency = 1;
        for before in 0..index {
            this.dimensions.push(Dimension { count: stored[before], spectrum: frequency, ..Dimension::default() });
            frequency *= lengths[before];
        }
        this.dimensions.push(Dimension {
            count: this.after(),
            twiddled: this.twiddle().is_some(),
            ..Dimension::default()
        });
        this.dimensions
            .extend(axis.pencils.counts.iter().map(|count| Dimension { count: *count, ..Dimension::default() }));
        this
    }

    pub(super) fn is_last(&self) -> bool {
        self.index + 1 == self.lengths.len()
    }

    /// Stored points of the factors after this one.
    pub(super) fn after(&self) -> usize {
        self.stored[self.index + 1..].iter().product()
    }

    /// Stride of elements in the order of the input.
    pub(super) fn input_stride(&self) -> usize {
        self.lengths[self.index + 1..].iter().product()
    }

    pub(super) fn before(&self) -> usize {
        self.lengths[..self.index].iter().product()
    }

    pub(super) fn twiddle(&self) -> Option<Twiddle> {
        (!self.is_last())
            .then(|| Twiddle { dimension: self.index, order: self.lengths[self.index] * self.input_stride() })
    }

    /// Positions in the order of the input.
    pub(super) fn input_positions(&self) -> Positions {
        let before = (0..self.index).map(|index| self.lengths[index + 1..].iter().product()).collect();
        Positions { element: self.input_stride(), before, after: 1, per_pass: false }
    }

    /// Positions in workspace, which holds stored points only.
    pub(super) fn workspace_positions(&self) -> Positions {
        let before = (0..self.index).map(|index| self.stored[index + 1..].iter().product()).collect();
        Positions { element: self.after(), before, after: 1, per_pass: true }
    }

    /// Positions in the order of the output, for the last pass.
    pub(super) fn output_positions(&self) -> Positions {
        let before = (0..self.index).map(|index| self.lengths[..index].iter().product()).collect();
        Positions { element: self.before(), before, after: 0, per_pass: false }
    }

    pub(super) fn load(&mut self, op: LoadOp, operand: &Operand, positions: Positions) {
        let addresses = self.addresses(op.positioned(), operand, positions);
        (self.load_op, self.source) = (op, operand.buffer);
        (self.load_stride, self.load_step) = addresses.element;
        for (dimension, pencil) in self.dimensions.iter_mut().zip(addresses.pencils) {
            (dimension.load, dimension.load_position) = pencil;
        }
        if let (true, Some(block), Some(last)) = (op.window, self.windows.block, self.dimensions.last_mut()) {
            (last.load, last.load_position) = (0, block);
        }
    }

    pub(super) fn store(&mut self, op: StoreOp, operand: &Operand, positions: Positions) {
        let addresses = self.addresses(op.positioned(), operand, positions);
        (self.store_op, self.target) = (op, operand.buffer);
        (self.store_stride, self.store_step) = addresses.element;
        for (dimension, pencil) in self.dimensions.iter_mut().zip(addresses.pencils) {
            (dimension.store, dimension.store_position) = pencil;
        }
        if let (true, Some(block), Some(last)) = (op.window, self.windows.block, self.dimensions.last_mut()) {
            (last.store, last.store_window) = (0, block);
        }
    }

    /// An op with positions multiplies them by the operand's stride; others have strides in memory only.
    fn addresses(&self, positioned: bool, operand: &Operand, positions: Positions) -> Addresses {
        let Positions { element, mut before, after, per_pass } = positions;
        before.push(after);
        let pencil = |step: usize| if positioned && !per_pass { (0, step) } else { (step * operand.stride, 0) };
        let pencils = before.into_iter().map(pencil).chain(operand.others.iter().map(|stride| (*stride, 0))).collect();
        let element = match (positioned, per_pass) {
            (true, false) => (operand.stride, element),
            (true, true) => (element * operand.stride, 1),
            (false, _) => (element * operand.stride, 0),
        };
        Addresses { element, pencils }
    }
}
