//! A pass: transforms of one length, each by one work-group or in one lane of a work-item. What shapes its code is here
//! as plain data; where its operands lie, the launch tells.

/// What a pass takes at position p of a transform of n numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Load {
    /// z_p.
    Complex,
    /// x_p.
    Real,
    /// x_2p + i x_(2p+1): two real numbers as a complex one.
    PackedReal,
    /// x_p and the number of another block of the signal, so many further: as real and imaginary part.
    RealPair,
    /// X_p of a spectrum of which X_0 to X_(n/2) are stored.
    Hermitian,
    /// What makes x_2j + i x_(2j+1) of such a spectrum with a transform of half the length.
    PackedHermitian,
    /// x_0, x_2, x_4, ..., x_5, x_3, x_1: Makhoul's order (1980). `odd` is what the odd ones are multiplied by.
    Folded { odd: i8 },
    /// e^(i pi p / 2n) (X_p - i X_(n-p)), with X_n = 0; `reversed`, X_(n-1) is the first.
    Quarter { reversed: bool },
}

/// What a pass leaves of the result at position p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Store {
    /// Z_p.
    Complex,
    /// Its real part.
    Real,
    /// y_2p and y_(2p+1): its parts.
    PackedReal,
    /// Its parts, so many numbers apart.
    RealPair,
    /// Z_p, for p up to n/2.
    Half,
    /// The same, where lines that are others' conjugates have not been transformed: beyond n/2, conj(Z_p) at n - p.
    /// Positions of a line are equal modulo `lines`; those of a line that mirrors itself are only taken up to n/2.
    Mirrored { lines: usize },
    /// X_0 to X_(n/2) of real numbers that were taken in pairs. The pass has the whole transform.
    Untangled,
    /// 2 Re(e^(-i pi p / 2n) Z_p); `reversed`, that of n-1 first.
    Quarter { reversed: bool },
    /// The real parts in Makhoul's order, y_0, y_2, ..., y_3, y_1. `odd` is what the odd ones are multiplied by.
    Folded { odd: i8 },
}

impl Load {
    pub(super) const fn is_real(self) -> bool {
        !matches!(self, Load::Complex | Load::Hermitian | Load::PackedHermitian)
    }

    /// The order of the roots of unity that it multiplies by, if it does.
    pub(super) const fn roots(self, n: usize) -> Option<usize> {
        match self {
            Load::PackedHermitian => Some(n),
            Load::Quarter { .. } => Some(4 * n),
            _ => None,
        }
    }
}

impl Store {
    pub(super) const fn is_real(self) -> bool {
        !matches!(self, Store::Complex | Store::Half | Store::Mirrored { .. } | Store::Untangled)
    }

    pub(super) const fn roots(self, n: usize) -> Option<usize> {
        match self {
            Store::Quarter { .. } => Some(4 * n),
            Store::Untangled => Some(n),
            _ => None,
        }
    }
}

/// Factors e^(-2 pi i element coordinate / order) between the passes of a long transform, with the line's coordinate on
/// a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Twiddle {
    pub(super) dimension: usize,
    pub(super) order: usize,
}

/// What is done at one end of a pass, besides the transform. From memory to the transform: access, swap, chirp,
/// twiddle; and from the transform to memory: twiddle, restore, chirp, swap, access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct End<A> {
    pub(super) access: A,
    /// Real and imaginary parts change places: at both ends, that makes a forward transform a backward one.
    pub(super) swap: bool,
    pub(super) twiddle: Option<Twiddle>,
    /// Bluestein's chirp, e^(-i pi p^2 / n), and nothing beyond n. It lies between the exchange of the parts and the
    /// transform.
    pub(super) chirp: bool,
    /// Whether a convolution has left the parts exchanged here: they are exchanged back next to the transform.
    pub(super) restore: bool,
    /// Whether the lanes of a vector, at an end that knows positions, have different ones.
    pub(super) spread: bool,
    /// Whether there are numbers in a [`Window`] only: zeros are taken beyond, and nothing is left there.
    pub(super) window: bool,
}

impl<A> End<A> {
    pub(super) const fn plain(access: A) -> Self {
        End { access, swap: false, twiddle: None, chirp: false, restore: false, spread: false, window: false }
    }
}

impl End<Load> {
    /// Whether it must know the position in the whole transform.
    pub(super) fn positioned(&self) -> bool {
        self.access != Load::Complex || self.chirp || self.window
    }
}

impl End<Store> {
    /// The same.
    pub(super) fn positioned(&self) -> bool {
        self.access != Store::Complex || self.chirp || self.window
    }
}

/// What a launch tells an end with a window: where its numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Window {
    /// Number p - `lead` of the memory is taken at position p.
    pub(super) lead: usize,
    /// Numbers that there are, from 0 on.
    pub(super) count: usize,
    /// How far the numbers before the first and after the last one are from those in their place; more than any, where
    /// there are none.
    pub(super) period: usize,
    /// How far apart the numbers of a pair are; and the positions at which a result is wanted.
    pub(super) block: usize,
}

/// How lines come into vectors, and out of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lanes {
    /// Neighbouring lines' elements are neighbours in memory.
    Adjacent,
    /// A line's elements are neighbours: they are transposed in registers.
    Rows,
    /// One by one.
    Each,
}

/// How the lines of a vector share the factors of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Convolve {
    /// They have the same ones.
    Shared,
    /// Neighbours' factors are neighbours.
    Adjacent,
    /// Each has its own.
    Each,
}

/// What the code of a pass looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// A work-item transforms `width` lines at once, one in each lane of its vectors, without barriers.
    Lanes {
        width: usize,
        load: Lanes,
        store: Lanes,
        /// Whether there are fewer lines than lanes.
        tail: bool,
    },
    /// A work-group transforms `lines` lines, each with `threads` work-items, through local memory.
    Group {
        threads: usize,
        lines: usize,
        /// Whether neighbouring work-items have neighbouring lines, instead of neighbouring elements.
        across: bool,
        /// Whether parts are exchanged one after the other, in half of the memory.
        halves: bool,
        /// Whether all groups have all their lines.
        full: bool,
    },
}

/// The code of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KernelSpec {
    pub(super) double: bool,
    /// Whether the device's multiply-adds are its hardware's.
    pub(super) contract: bool,
    pub(super) radices: Vec<usize>,
    /// The numbers of the whole transform, real ones where they are packed in pairs: what `Load` and `Store` call n.
    pub(super) points: usize,
    pub(super) load: End<Load>,
    pub(super) store: End<Store>,
    /// How many dimensions the lines have.
    pub(super) dimensions: usize,
    /// Whether the result is multiplied by a spectrum and transformed back; its parts are then left exchanged.
    pub(super) convolve: Option<Convolve>,
    /// Whether it is the spectrum's conjugate.
    pub(super) conjugate: bool,
    pub(super) scale: bool,
    /// Whether the result takes the input's place, in one memory.
    pub(super) in_place: bool,
    pub(super) form: Form,
}

impl KernelSpec {
    pub(super) fn length(&self) -> usize {
        self.radices.iter().product()
    }

    /// Whether twiddles are products of two from the tables, most of them: long lines would read more of these than of
    /// their numbers.
    pub(super) fn multiplies_twiddles(&self) -> bool {
        matches!(self.form, Form::Group { .. }) && !self.double && self.length() >= 8192
    }

    /// Its name in programs and logs.
    pub(super) fn name(&self) -> String {
        let form = match self.form {
            Form::Lanes { .. } => "lanes",
            Form::Group { .. } => "group",
        };
        let kind = if self.convolve.is_some() { "convolve" } else { "fft" };
        format!("{kind}_{}_{form}", self.length())
    }

    /// For each radix the product of those before it.
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
