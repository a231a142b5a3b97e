//! A pass: one launch over all pencils of an axis, or over a factor of their length. Plain data.

use std::fmt;

use super::spec::{Form, KernelSpec, PadWindow};
use rustfft::num_complex::Complex64;

/// The memory of a pass's operand. In place, input and output are one memory, which each side counts in its own
/// elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Buffer {
    Input,
    Output,
    /// The kernel of a convolution.
    Kernel,
    /// A part of the workspace: complex points.
    Workspace(usize),
}

/// The factors that a convolution multiplies by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spectrum {
    /// Index into [`PassList::spectra`].
    Table(usize),
    /// Part of the workspace.
    Workspace(usize),
}

/// Parts of the workspace. The spectrum of a convolution's kernel comes first: its offset is the same for every
/// batch.
pub(super) const SPECTRUM: usize = 0;
/// Between the passes of a four-step transform.
pub(super) const BETWEEN_PASSES: usize = 1;
/// Between the axes.
pub(super) const BETWEEN_AXES: [usize; 2] = [2, 3];
pub(super) const PARTS: usize = 4;

/// One dimension of a pass's pencils.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) count: usize,
    /// Strides of the source and of the target.
    pub(super) load: usize,
    pub(super) store: usize,
    /// Distances between the positions of neighbouring pencils.
    pub(super) load_position: usize,
    pub(super) store_position: usize,
    pub(super) spectrum: usize,
    /// Distance between the results of neighbouring pencils, in a window.
    pub(super) store_window: usize,
    /// True if the twiddles depend on this dimension's coordinate.
    pub(super) twiddled: bool,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pass {
    pub(super) spec: KernelSpec,
    pub(super) source: Buffer,
    pub(super) target: Buffer,
    /// Strides of a pencil's elements.
    pub(super) load: usize,
    pub(super) store: usize,
    /// Distances between the positions of neighbouring elements.
    pub(super) load_position: usize,
    pub(super) store_position: usize,
    pub(super) spectrum_position: usize,
    pub(super) dimensions: Vec<Dimension>,
    pub(super) spectrum: Option<Spectrum>,
    pub(super) load_window: PadWindow,
    pub(super) store_window: PadWindow,
    /// First pencil of a pass over the remainder that fills no vector.
    pub(super) first_pencil: usize,
}

/// The passes of a transform, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PassList {
    pub(super) passes: Vec<Pass>,
    /// Complex points of each part of the workspace.
    pub(super) workspace: Vec<usize>,
    pub(super) spectra: Vec<Vec<Complex64>>,
    pub(super) scale: f64,
}

impl Pass {
    /// Pencils in all.
    pub(super) fn pencils(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.count).product()
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelSpec { radices, form, .. } = &self.spec;
        let radices = radices.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        write!(f, "{} = {radices}, {} pencils, ", self.spec.length(), self.pencils())?;
        match form {
            Form::Simd { width, .. } => write!(f, "{width} per work-item"),
            Form::WorkGroup { items, pencils, .. } => {
                write!(f, "{pencils} per work-group of {} work-items", items * pencils)
            }
        }
    }
}

impl fmt::Display for PassList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pass = |(number, pass): (usize, &Pass)| format!("pass {number}: {pass}");
        f.write_str(&self.passes.iter().enumerate().map(pass).collect::<Vec<_>>().join("\n"))
    }
}
