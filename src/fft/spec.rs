//! The kernel of a pass as plain data: all that shapes its text. Buffers, strides and counts are arguments of the
//! launch.
//!
//! A kernel transforms pencils, each of one length. n is the length of the whole transform, p a position in it.

/// The point that a pass loads at position p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Load {
    /// z_p.
    Complex,
    /// x_p.
    Real,
    /// x_2p + i x_(2p+1).
    PackedReal,
    /// x_p + i x_(p+block): the same point of two blocks of a real signal.
    RealPair,
    /// X_p of a Hermitian spectrum that is stored from X_0 to X_(n/2).
    Hermitian,
    /// The input that makes an inverse transform of n/2 points yield x_2j + i x_(2j+1), from such a spectrum.
    PackedHermitian,
    /// x_0, x_2, x_4, ..., x_5, x_3, x_1 (Makhoul 1980). Odd points are multiplied by `odd`.
    MakhoulOrder { odd: i8 },
    /// e^(i pi p / 2n) (X_p - i X_(n-p)), with X_n = 0; `reversed`, from X_(n-1) on.
    QuarterShift { reversed: bool },
}

/// The results that a pass stores for position p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Store {
    /// Z_p.
    Complex,
    /// Re Z_p.
    Real,
    /// y_2p and y_(2p+1), the parts of Z_p.
    PackedReal,
    /// The parts of Z_p, a block apart.
    RealPair,
    /// Z_p for p up to n/2.
    HalfSpectrum,
    /// Z_p for p up to n/2, and conj(Z_p) at n - p beyond: the pencils that would yield those are conjugates of others.
    ///
    /// All positions of a pencil are equal modulo `pencils`. A pencil that mirrors itself stores p up to n/2 only.
    MirroredSpectrum { pencils: usize },
    /// X_0 to X_(n/2) of real points that were loaded in pairs. The pass has the whole transform.
    SplitSpectrum,
    /// 2 Re(e^(-i pi p / 2n) Z_p); `reversed`, from n-1 on.
    QuarterShift { reversed: bool },
    /// The real parts as y_0, y_2, ..., y_3, y_1 (Makhoul 1980). Odd points are multiplied by `odd`.
    MakhoulOrder { odd: i8 },
}

impl Load {
    pub(super) const fn is_real(self) -> bool {
        !matches!(self, Load::Complex | Load::Hermitian | Load::PackedHermitian)
    }

    /// The order of the roots of unity in its definition.
    pub(super) const fn roots(self, n: usize) -> Option<usize> {
        match self {
            Load::PackedHermitian => Some(n),
            Load::QuarterShift { .. } => Some(4 * n),
            _ => None,
        }
    }
}

impl Store {
    pub(super) const fn is_real(self) -> bool {
        !matches!(self, Store::Complex | Store::HalfSpectrum | Store::MirroredSpectrum { .. } | Store::SplitSpectrum)
    }

    pub(super) const fn roots(self, n: usize) -> Option<usize> {
        match self {
            Store::QuarterShift { .. } => Some(4 * n),
            Store::SplitSpectrum => Some(n),
            _ => None,
        }
    }
}

/// Twiddles e^(-2 pi i element coordinate / order) between the passes of a four-step transform. The coordinate is a
/// pencil's on a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Twiddle {
    pub(super) dimension: usize,
    pub(super) order: usize,
}

/// A load or store op: the access, and the factors applied with it.
///
/// A load applies access, swap, chirp and twiddle in this order; a store applies twiddle, unswap, chirp, swap and
/// access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AccessOp<A> {
    pub(super) access: A,
    /// Exchanges real and imaginary parts. In both ops it makes a forward transform a backward one.
    pub(super) swap: bool,
    pub(super) twiddle: Option<Twiddle>,
    /// Multiplies by Bluestein's chirp e^(-i pi p^2 / n), with zeros from n on.
    pub(super) chirp: bool,
    /// Undoes the exchange of parts that a multiplication by a spectrum leaves.
    pub(super) unswap: bool,
    /// True if the SIMD lanes have different positions.
    pub(super) per_lane: bool,
    /// True if a [`PadWindow`] applies.
    pub(super) window: bool,
}

pub(super) type LoadOp = AccessOp<Load>;
pub(super) type StoreOp = AccessOp<Store>;

impl<A> AccessOp<A> {
    pub(super) const fn plain(access: A) -> Self {
        AccessOp { access, swap: false, twiddle: None, chirp: false, unswap: false, per_lane: false, window: false }
    }
}

impl LoadOp {
    /// True if the kernel computes positions in the whole transform.
    pub(super) fn positioned(&self) -> bool {
        self.access != Load::Complex || self.chirp || self.window
    }
}

impl StoreOp {
    /// True if the kernel computes positions in the whole transform.
    pub(super) fn positioned(&self) -> bool {
        self.access != Store::Complex || self.chirp || self.window
    }
}

/// A zero-padded or periodic window on a signal. A load yields zero beyond it, and a store does nothing there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct PadWindow {
    /// Position p holds point p - `lead` of the signal.
    pub(super) lead: usize,
    /// Points of the signal.
    pub(super) count: usize,
    /// Period of the signal; more than any index for zero padding.
    pub(super) period: usize,
    /// Distance between the two points of a pair. Of a store, also the number of positions with a result.
    pub(super) block: usize,
}

/// The transfer of pencils between memory and the SIMD lanes, one pencil in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum VectorAccess {
    /// Vector loads and stores: neighbouring pencils are adjacent.
    Contiguous,
    /// Vector loads along each pencil and a transpose in registers: the elements of a pencil are adjacent.
    Transposed,
    /// Gather and scatter.
    Elementwise,
}

/// The load of a spectrum's factors into SIMD lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SpectrumAccess {
    /// One factor for all lanes.
    Broadcast,
    /// A vector load.
    Contiguous,
    /// Gather.
    Elementwise,
}

/// The work distribution of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// A work-item transforms `width` pencils, one in each SIMD lane, without barriers.
    Simd {
        width: usize,
        load: VectorAccess,
        store: VectorAccess,
        /// True if there are fewer pencils than lanes.
        tail: bool,
    },
    /// A work-group transforms `pencils` pencils, `items` work-items each, with exchanges through local memory.
    WorkGroup {
        items: usize,
        pencils: usize,
        /// True if neighbouring work-items have neighbouring pencils instead of neighbouring elements.
        across_pencils: bool,
        /// True if real and imaginary parts are exchanged one after the other, in half of the local memory.
        split_exchange: bool,
        /// True if all work-groups have all their pencils.
        full: bool,
    },
}

/// The kernel of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KernelSpec {
    pub(super) double: bool,
    /// True if multiply-adds may be fused: the device has them in hardware.
    pub(super) contract: bool,
    pub(super) radices: Vec<usize>,
    /// Points of the whole transform, real ones where pairs of them are packed: n of [`Load`] and [`Store`].
    pub(super) points: usize,
    pub(super) load: LoadOp,
    pub(super) store: StoreOp,
    /// Dimensions of the pencils.
    pub(super) dimensions: usize,
    /// Multiplies by a spectrum, exchanges the parts and transforms again: an inverse transform that leaves the parts
    /// exchanged.
    pub(super) convolve: Option<SpectrumAccess>,
    /// Multiplies by the conjugate of the spectrum.
    pub(super) conjugate: bool,
    pub(super) scale: bool,
    /// True if source and target are one buffer.
    pub(super) in_place: bool,
    pub(super) form: Form,
}

impl KernelSpec {
    pub(super) fn length(&self) -> usize {
        self.radices.iter().product()
    }

    /// True if most twiddles are products of two table entries: a long pencil would read more twiddles than points.
    pub(super) fn multiplies_twiddles(&self) -> bool {
        matches!(self.form, Form::WorkGroup { .. }) && !self.double && self.length() >= 8192
    }

    /// Name in programs and traces.
    pub(super) fn name(&self) -> String {
        let form = match self.form {
            Form::Simd { .. } => "simd",
            Form::WorkGroup { .. } => "group",
        };
        let kind = if self.convolve.is_some() { "convolve" } else { "fft" };
        format!("{kind}_{}_{form}", self.length())
    }

    /// Output stride of each radix: the product of the radices before it.
    pub(super) fn strides(&self) -> Vec<usize> {
        let mut product = 1;
        let before = |radix: &usize| {
            let stride = product;
            product *= radix;
            stride
        };
        self.radices.iter().map(before).collect()
    }
}
