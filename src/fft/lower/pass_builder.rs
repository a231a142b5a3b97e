//! The passes of a long transform: their lines, and where these are.

use super::{AxisTransform, Windows};
use crate::fft::pass::{Buffer, Dimension};
use crate::fft::pencils::Operand;
use crate::fft::spec::{End, Load, Store, Twiddle};

/// What a long transform between real and complex numbers leaves out, because it is the conjugate of something else.
#[derive(Clone, Copy)]
pub(super) enum Half {
    Nothing,
    /// Results of the first pass beyond the half of its length: later passes have no lines for them.
    Spectrum,
    /// Lines of the first pass beyond the half: the second one knows what would be there.
    Rows,
}

impl Half {
    pub(super) fn of(axis: &AxisTransform<'_>, levels: &[usize]) -> Self {
        match (axis.load.access, axis.store.access, levels.len()) {
            (Load::Real, Store::Half, 2..) => Half::Spectrum,
            (Load::Hermitian, Store::Real, 2) => Half::Rows,
            _ => Half::Nothing,
        }
    }

    /// What is stored of each level.
    pub(super) fn stored(self, levels: &[usize]) -> Vec<usize> {
        let mut stored = levels.to_vec();
        match self {
            Half::Nothing => {}
            Half::Spectrum => stored[0] = levels[0] / 2 + 1,
            Half::Rows => stored[1] = levels[1] / 2 + 1,
        }
        stored
    }
}

/// One of the passes of a long transform, and the lines that it has.
pub(super) struct Level<'a> {
    pub(super) levels: &'a [usize],
    /// What of each is stored between the passes.
    pub(super) stored: &'a [usize],
    pub(super) level: usize,
    /// Those of the levels before, then that of what comes after, then those of the other axes.
    pub(super) dimensions: Vec<Dimension>,
    pub(super) load_end: End<Load>,
    pub(super) store_end: End<Store>,
    pub(super) source: Buffer,
    pub(super) target: Buffer,
    pub(super) load_stride: usize,
    pub(super) store_stride: usize,
    pub(super) load_step: usize,
    pub(super) store_step: usize,
    pub(super) windows: Windows,
}

/// What an element, a line of each level before, and one of what comes after add to a position.
pub(super) struct Positions {
    element: usize,
    before: Vec<usize>,
    after: usize,
    /// Whether an end counts by the elements of its pass alone.
    own: bool,
}

/// Strides, and what is added to positions: of elements, and of the lines on each dimension.
struct Placed {
    element: (usize, usize),
    lines: Vec<(usize, usize)>,
}

impl<'a> Level<'a> {
    pub(super) fn new(axis: &AxisTransform<'_>, levels: &'a [usize], stored: &'a [usize], level: usize) -> Self {
        let mut this = Level {
            levels,
            stored,
            level,
            dimensions: Vec::new(),
            load_end: End::plain(Load::Complex),
            store_end: End::plain(Store::Complex),
            source: axis.pencils.source.buffer,
            target: axis.pencils.target.buffer,
            load_stride: 0,
            store_stride: 0,
            load_step: 0,
            store_step: 0,
            windows: axis.windows,
        };
        let mut frequency = 1;
        for before in 0..level {
            this.dimensions.push(Dimension { count: stored[before], spectrum: frequency, ..Dimension::default() });
            frequency *= levels[before];
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
        self.level + 1 == self.levels.len()
    }

    /// Stored elements of the levels after this one.
    pub(super) fn after(&self) -> usize {
        self.stored[self.level + 1..].iter().product()
    }

    /// From an element to the next in the order of the transform's input, as far as this level and those after it go.
    pub(super) fn hop(&self) -> usize {
        self.levels[self.level + 1..].iter().product()
    }

    pub(super) fn before(&self) -> usize {
        self.levels[..self.level].iter().product()
    }

    pub(super) fn twiddle(&self) -> Option<Twiddle> {
        (!self.is_last()).then(|| Twiddle { dimension: self.level, order: self.levels[self.level] * self.hop() })
    }

    /// Positions in order of the input.
    pub(super) fn within(&self) -> Positions {
        let before = (0..self.level).map(|level| self.levels[level + 1..].iter().product()).collect();
        Positions { element: self.hop(), before, after: 1, own: false }
    }

    /// Positions in scratch memory, where only what is stored has a place.
    pub(super) fn between(&self) -> Positions {
        let before = (0..self.level).map(|level| self.stored[level + 1..].iter().product()).collect();
        Positions { element: self.after(), before, after: 1, own: true }
    }

    /// Positions in order of the output, for the last pass.
    pub(super) fn frequency(&self) -> Positions {
        let before = (0..self.level).map(|level| self.levels[..level].iter().product()).collect();
        Positions { element: self.before(), before, after: 0, own: false }
    }

    pub(super) fn load(&mut self, end: End<Load>, operand: &Operand, positions: Positions) {
        let placed = self.placed(end.positioned(), operand, positions);
        (self.load_end, self.source) = (end, operand.buffer);
        (self.load_stride, self.load_step) = placed.element;
        for (dimension, line) in self.dimensions.iter_mut().zip(placed.lines) {
            (dimension.load, dimension.load_position) = line;
        }
        if let (true, Some(block), Some(last)) = (end.window, self.windows.block, self.dimensions.last_mut()) {
            (last.load, last.load_position) = (0, block);
        }
    }

    pub(super) fn store(&mut self, end: End<Store>, operand: &Operand, positions: Positions) {
        let placed = self.placed(end.positioned(), operand, positions);
        (self.store_end, self.target) = (end, operand.buffer);
        (self.store_stride, self.store_step) = placed.element;
        for (dimension, line) in self.dimensions.iter_mut().zip(placed.lines) {
            (dimension.store, dimension.store_position) = line;
        }
        if let (true, Some(block), Some(last)) = (end.window, self.windows.block, self.dimensions.last_mut()) {
            (last.store, last.store_window) = (0, block);
        }
    }

    /// Where elements and lines are: an end that knows positions multiplies them by the stride, others are told strides alone.
    fn placed(&self, positioned: bool, operand: &Operand, positions: Positions) -> Placed {
        let Positions { element, mut before, after, own } = positions;
        before.push(after);
        let line = |step: usize| if positioned && !own { (0, step) } else { (step * operand.stride, 0) };
        let lines = before.into_iter().map(line).chain(operand.others.iter().map(|stride| (*stride, 0))).collect();
        let element = match (positioned, own) {
            (true, false) => (operand.stride, element),
            (true, true) => (element * operand.stride, 1),
            (false, _) => (element * operand.stride, 0),
        };
        Placed { element, lines }
    }
}
