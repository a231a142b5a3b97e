//! Convolutions and correlations: what is to be computed, checked once, and how transforms cover it.

use super::factors;
use crate::error::{Error, Result};

/// Convolution or correlation of a signal x of n points with a kernel h of m points, on every axis.
///
/// Full results are, as scipy.signal's `convolve` and `correlate` define them, for k from 0 to n + m - 2, with numbers
/// beyond x and h taken as zeros:
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvolutionKind {
    /// z_k = sum of h_j x_(k-j).
    Convolution,
    /// z_k = sum of conj(h_j) x_(k-(m-1)+j): so that z_(m-1) has h_0 beside x_0.
    Correlation,
}

/// Range of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvolutionMode {
    /// All n + m - 1 of them.
    Full,
    /// The n in the middle: from number (m-1)/2 on, rounded down.
    Same,
    /// Those that no zeros beyond the signal go into, n - m + 1. The kernel may be the longer one, on all axes: then
    /// m - n + 1.
    Valid,
    /// The signal goes on periodically: n results, the sum of h_j x_((k-j) mod n), or of conj(h_j) x_((k+j) mod n). The
    /// kernel is not longer than the signal.
    Circular,
}

/// A convolution or correlation of one, two or three dimensions, or a batch of them. All numbers lie row after row,
/// signal after signal.
///
/// ```
/// use affinimath::{ConvolutionDescriptor, ConvolutionMode, ConvolutionKind};
///
/// // 16 images of 480 rows of 640 numbers, all blurred by one kernel of 9 by 9.
/// let blur = ConvolutionDescriptor::new(ConvolutionKind::Convolution, &[480, 640], &[9, 9]);
/// let blur = blur.mode(ConvolutionMode::Same).batch(16);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConvolutionDescriptor {
    /// Convolution or correlation.
    pub kind: ConvolutionKind,
    /// Extent of the results.
    pub mode: ConvolutionMode,
    /// Numbers of a signal on each axis, the axis whose neighbours are adjacent last: 1 to 3 of them, none 0.
    pub signal: Vec<usize>,
    /// Numbers of a kernel on each axis.
    pub kernel: Vec<usize>,
    /// How many signals.
    pub batch: usize,
    /// True if each signal has its own kernel, one after the other; else one kernel serves all.
    pub batched_kernels: bool,
    /// Factor of all results.
    pub scale: f64,
}

impl ConvolutionDescriptor {
    /// One signal, all results, not scaled.
    pub fn new(kind: ConvolutionKind, signal: &[usize], kernel: &[usize]) -> Self {
        ConvolutionDescriptor {
            kind,
            mode: ConvolutionMode::Full,
            signal: signal.to_vec(),
            kernel: kernel.to_vec(),
            batch: 1,
            batched_kernels: false,
            scale: 1.0,
        }
    }

    /// Selects the range of the results.
    #[must_use]
    pub fn mode(self, mode: ConvolutionMode) -> Self {
        ConvolutionDescriptor { mode, ..self }
    }

    /// Sets the number of signals.
    #[must_use]
    pub fn batch(self, count: usize) -> Self {
        ConvolutionDescriptor { batch: count, ..self }
    }

    /// A kernel for each signal.
    #[must_use]
    pub fn batched_kernels(self) -> Self {
        ConvolutionDescriptor { batched_kernels: true, ..self }
    }

    /// Multiplies all results by a factor.
    #[must_use]
    pub fn scale(self, factor: f64) -> Self {
        ConvolutionDescriptor { scale: factor, ..self }
    }
}

/// A descriptor that makes sense: what plans are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvolutionProblem {
    pub kind: ConvolutionKind,
    pub axes: Vec<ConvolvedAxis>,
    pub batch: usize,
    pub batched_kernels: bool,
    pub scale: f64,
}

/// An axis: result t is number t + `start` of the full ones, which a circular signal goes on before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvolvedAxis {
    pub signal: usize,
    pub kernel: usize,
    pub output: usize,
    pub start: usize,
    pub circular: bool,
}

impl ConvolutionProblem {
    /// # Errors
    /// [`Error::InvalidArgument`], which names the field and what is wrong with it.
    pub fn new(descriptor: &ConvolutionDescriptor) -> Result<Self> {
        let ConvolutionDescriptor { kind, mode, signal, kernel, batch, batched_kernels, scale } = descriptor;
        if !(1..=3).contains(&signal.len()) {
            let reason = format!("there are convolutions of 1, 2 and 3 dimensions, not of {}", signal.len());
            return Err(Error::argument("signal", reason));
        }
        if kernel.len() != signal.len() {
            let reason = format!("it has {} axes, and the signal {}", kernel.len(), signal.len());
            return Err(Error::argument("kernel", reason));
        }
        for (name, lengths) in [("signal", signal), ("kernel", kernel)] {
            if let Some(axis) = lengths.iter().position(|length| *length == 0) {
                return Err(Error::argument(name, format!("its length on axis {axis} is 0")));
            }
        }
        if !scale.is_finite() {
            return Err(Error::argument("scale", format!("{scale} is not a number to multiply by")));
        }
        let pairs = || signal.iter().copied().zip(kernel.iter().copied());
        if *mode == ConvolutionMode::Circular
            && let Some((axis, (n, m))) = pairs().enumerate().find(|(_, (n, m))| m > n)
        {
            let reason = format!("on axis {axis} it is {m} long, and the circle of the signal {n}");
            return Err(Error::argument("kernel", reason));
        }
        if *mode == ConvolutionMode::Valid && !pairs().all(|(n, m)| m <= n) && !pairs().all(|(n, m)| m >= n) {
            let reason = "it is longer than the signal on one axis and shorter on another: there are no results \
             without zeros beyond";
            return Err(Error::argument("kernel", reason.to_owned()));
        }
        let axes = pairs().map(|(n, m)| ConvolvedAxis::new(*kind, *mode, n, m)).collect::<Option<Vec<_>>>();
        let axes = axes.ok_or_else(|| too_large("signal"))?;
        let kernels = if *batched_kernels { *batch } else { 1 };
        // A padded axis has up to twice as many points, rounded up.
        let fits = |lengths: &[usize], count: usize| {
            let numbers = lengths.iter().try_fold(count.max(1), |product, length| product.checked_mul(*length));
            let numbers = numbers.and_then(|numbers| numbers.checked_mul(64));
            numbers.is_some_and(|numbers| numbers <= isize::MAX as usize / 16)
        };
        if !fits(&axes.iter().map(|axis| axis.signal.max(axis.output)).collect::<Vec<_>>(), *batch) {
            return Err(too_large("signal"));
        }
        if !fits(kernel, kernels) {
            return Err(too_large("kernel"));
        }
        Ok(ConvolutionProblem { kind: *kind, axes, batch: *batch, batched_kernels: *batched_kernels, scale: *scale })
    }

    /// Numbers of one signal.
    pub fn signal_points(&self) -> usize {
        self.axes.iter().map(|axis| axis.signal).product()
    }

    /// Numbers of one kernel.
    pub fn kernel_points(&self) -> usize {
        self.axes.iter().map(|axis| axis.kernel).product()
    }

    /// Results of one signal.
    pub fn output_points(&self) -> usize {
        self.axes.iter().map(|axis| axis.output).product()
    }

    /// How many kernels there are.
    pub fn kernels(&self) -> usize {
        if self.batched_kernels { self.batch } else { 1 }
    }
}

#[cold]
fn too_large(name: &'static str) -> Error {
    Error::argument(name, "it does not fit in the address space")
}

impl ConvolvedAxis {
    fn new(kind: ConvolutionKind, mode: ConvolutionMode, n: usize, m: usize) -> Option<Self> {
        let (output, start) = match mode {
            ConvolutionMode::Full => (n.checked_add(m)? - 1, 0),
            ConvolutionMode::Same => (n, (m - 1) / 2),
            ConvolutionMode::Valid => (n.abs_diff(m) + 1, n.min(m) - 1),
            ConvolutionMode::Circular if kind == ConvolutionKind::Correlation => (n, m - 1),
            ConvolutionMode::Circular => (n, 0),
        };
        Some(ConvolvedAxis { signal: n, kernel: m, output, start, circular: mode == ConvolutionMode::Circular })
    }

    /// One transform that covers the axis, as short as one that is fast can be.
    pub fn whole(&self) -> Cover {
        let &ConvolvedAxis { signal: n, kernel: m, output, start, circular } = self;
        if !circular {
            // The signal lies at 0, so that the full results lie from -start on: those that are wanted are not to be
            // met by others.
            let min_length = (output + start).max(n + m - 1 - start).max(m);
            return Cover {
                length: factors::convolution_length(min_length),
                block: output,
                blocks: 1,
                lead: 0,
                period: None,
            };
        }
        if factors::is_smooth(n) {
            return Cover { length: n, block: n, blocks: 1, lead: 0, period: Some(n) };
        }
        self.saved(factors::convolution_length(n + m - 1))
    }

    /// Blocks by transforms of a length that is not shorter than the kernel: each has m - 1 numbers with the one before
    /// in common (overlap and save; Stockham, High-speed convolution and correlation, 1966).
    fn saved(&self, length: usize) -> Cover {
        let block = (length - (self.kernel - 1)).min(self.output);
        let period = self.circular.then_some(self.signal);
        Cover { length, block, blocks: self.output.div_ceil(block), lead: self.kernel - 1 - self.start, period }
    }

    /// The cover by transforms of one dimension that costs least. `cost` is told their length, and how many blocks
    /// there are.
    pub fn cheapest(&self, cost: impl Fn(usize, usize) -> f64) -> Cover {
        let whole = self.whole();
        let powers = (0..usize::BITS).map(|bits| 1_usize << bits).take_while(|power| *power < whole.length);
        let lengths = powers.flat_map(|power| [power, power / 4 * 5, power / 2 * 3]);
        let saved = lengths.filter(|length| *length >= self.kernel && *length < whole.length).map(|l| self.saved(l));
        let weigh = |cover: &Cover| cost(cover.length, cover.blocks);
        saved.chain([whole]).min_by(|a, b| weigh(a).total_cmp(&weigh(b))).unwrap_or(whole)
    }
}

/// How transforms cover an axis: element e of block c is number e + c `block` - `lead` of the signal, and of the
/// results the first `block` elements are those from c `block` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cover {
    pub length: usize,
    pub block: usize,
    pub blocks: usize,
    pub lead: usize,
    /// After how many numbers the signal begins again.
    pub period: Option<usize>,
}

impl Cover {
    /// Element e of what the kernel's transform is made of is number (e + turn) mod `length` of the kernel, and zero
    /// beyond its last. A correlation has the conjugate of that transform.
    pub fn turn(&self, axis: &ConvolvedAxis, kind: ConvolutionKind) -> usize {
        match kind {
            ConvolutionKind::Convolution => axis.start + self.lead,
            ConvolutionKind::Correlation => axis.kernel - 1 - axis.start - self.lead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(mode: ConvolutionMode, n: usize, m: usize) -> ConvolvedAxis {
        ConvolvedAxis::new(ConvolutionKind::Convolution, mode, n, m).unwrap()
    }

    #[test]
    fn extents_are_as_scipy_has_them() {
        let of = |mode, n, m| (axis(mode, n, m).start, axis(mode, n, m).output);
        assert_eq!(of(ConvolutionMode::Full, 5, 3), (0, 7));
        assert_eq!(of(ConvolutionMode::Same, 5, 4), (1, 5));
        assert_eq!(of(ConvolutionMode::Same, 2, 7), (3, 2));
        assert_eq!(of(ConvolutionMode::Valid, 5, 3), (2, 3));
        assert_eq!(of(ConvolutionMode::Valid, 3, 5), (2, 3));
    }

    #[test]
    fn long_signals_are_cut_into_blocks() {
        let cover = axis(ConvolutionMode::Full, 1 << 20, 100)
            .cheapest(|length, blocks| blocks as f64 * length as f64 * (length as f64).log2());
        assert!(cover.length < 4096 && cover.blocks * cover.block >= (1 << 20) + 99, "{cover:?}");
        assert_eq!(axis(ConvolutionMode::Circular, 60, 7).whole().length, 60);
        assert!(axis(ConvolutionMode::Circular, 61, 7).whole().length >= 67);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_reason() {
        let new = |signal: &[usize], kernel: &[usize]| {
            ConvolutionDescriptor::new(ConvolutionKind::Convolution, signal, kernel)
        };
        let reason = |descriptor: &ConvolutionDescriptor| ConvolutionProblem::new(descriptor).unwrap_err().to_string();
        assert!(reason(&new(&[], &[])).contains("not of 0"));
        assert!(reason(&new(&[4, 4], &[3])).contains("1 axes"));
        assert!(reason(&new(&[4, 0], &[3, 1])).contains("axis 1 is 0"));
        assert!(reason(&new(&[4], &[0])).contains("kernel"));
        assert!(reason(&new(&[4], &[5]).mode(ConvolutionMode::Circular)).contains("circle"));
        assert!(reason(&new(&[4, 4], &[5, 3]).mode(ConvolutionMode::Valid)).contains("longer"));
        assert!(reason(&new(&[4], &[3]).scale(f64::NAN)).contains("scale"));
        assert!(reason(&new(&[usize::MAX], &[3])).contains("address space"));
        assert!(reason(&new(&[1 << 40, 1 << 40], &[1, 1])).contains("address space"));
        assert!(reason(&new(&[4], &[3]).batch(usize::MAX / 64)).contains("address space"));
    }
}
