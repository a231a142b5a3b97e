//! Arguments, load ops and store ops of kernels of both forms.

use super::super::spec::{AccessOp, KernelSpec, Load, Store, Twiddle};
use super::super::tables::{OpTables, TwiddleTables};
use affinimath_kernel::{
    Array, Builder, Complex, Counter, Expr, Float, Index, Pair, ReadOnly, ReadWrite, Real, Vector, WriteOnly,
};

/// The source buffer by its declared element type; `Shared` ones are the target, too.
#[derive(Clone, Copy)]
pub(super) enum Source<'k, R> {
    Pairs(Array<'k, Pair<R>, ReadOnly>),
    Reals(Array<'k, R, ReadOnly>),
    SharedPairs(Array<'k, Pair<R>, ReadWrite>),
    Shared(Array<'k, R, ReadWrite>),
}

/// The target buffer by its declared element type.
#[derive(Clone, Copy)]
pub(super) enum Target<'k, R> {
    Pairs(Array<'k, Pair<R>, WriteOnly>),
    Reals(Array<'k, R, WriteOnly>),
    SharedPairs(Array<'k, Pair<R>, ReadWrite>),
    Shared(Array<'k, R, ReadWrite>),
}

impl<'k, R: Real> Source<'k, R> {
    pub(super) fn real(self, index: Expr<'k, Index>) -> Expr<'k, R> {
        match self {
            Source::Reals(array) => array.at(index),
            Source::Shared(array) => array.at(index),
            Source::Pairs(array) => array.at(index).x(),
            Source::SharedPairs(array) => array.at(index).x(),
        }
    }

    /// N adjacent real values.
    pub(super) fn vector<const N: usize>(self, index: Expr<'k, Index>) -> Expr<'k, Vector<R, N>> {
        match self {
            Source::Reals(array) => array.vector_at(index),
            Source::Shared(array) => array.vector_at(index),
            Source::Pairs(_) | Source::SharedPairs(_) => {
                Expr::from_lanes(std::array::from_fn(|l| self.real(index + l)))
            }
        }
    }

    pub(super) fn complex(self, index: Expr<'k, Index>) -> Complex<'k, R> {
        match self {
            Source::Pairs(array) => array.complex_at(index),
            Source::SharedPairs(array) => array.complex_at(index),
            Source::Reals(_) | Source::Shared(_) => {
                Complex::new(self.real(index * 2_i64), self.real(index * 2_i64 + 1_i64))
            }
        }
    }
}

impl<'k, R: Real> Target<'k, R> {
    pub(super) fn store_real(self, index: Expr<'k, Index>, value: Expr<'k, R>) {
        match self {
            Target::Reals(array) => array.store(index, value),
            Target::Shared(array) => array.store(index, value),
            // Unreachable: buffers of real values are declared as such.
            Target::Pairs(array) => array.store_complex(index, Complex::new(value, value)),
            Target::SharedPairs(array) => array.store_complex(index, Complex::new(value, value)),
        }
    }

    /// Stores N adjacent real values.
    pub(super) fn store_vector<const N: usize>(self, index: Expr<'k, Index>, value: Expr<'k, Vector<R, N>>) {
        match self {
            Target::Reals(array) => array.store_vector(index, value),
            Target::Shared(array) => array.store_vector(index, value),
            Target::Pairs(_) | Target::SharedPairs(_) => (0..N).for_each(|l| self.store_real(index + l, value.lane(l))),
        }
    }

    pub(super) fn store_complex(self, index: Expr<'k, Index>, value: Complex<'k, R>) {
        match self {
            Target::Pairs(array) => array.store_complex(index, value),
            Target::SharedPairs(array) => array.store_complex(index, value),
            Target::Reals(_) | Target::Shared(_) => {
                self.store_real(index * 2_i64, value.re);
                self.store_real(index * 2_i64 + 1_i64, value.im);
            }
        }
    }
}

/// Declares the buffers of the operands; with `pairs`, complex ones as two-element vectors.
pub(super) fn memories<'k, R: Real>(k: Builder<'k>, spec: &KernelSpec, pairs: bool) -> (Source<'k, R>, Target<'k, R>) {
    let (from_real, to_real) = (spec.load.access.is_real(), spec.store.access.is_real());
    if spec.in_place {
        if pairs && !from_real && !to_real {
            let data = k.in_out("data");
            return (Source::SharedPairs(data), Target::SharedPairs(data));
        }
        let data = k.in_out("data");
        return (Source::Shared(data), Target::Shared(data));
    }
    let source = if pairs && !from_real { Source::Pairs(k.input("x")) } else { Source::Reals(k.input("x")) };
    let target = if pairs && !to_real { Target::Pairs(k.output("y")) } else { Target::Reals(k.output("y")) };
    (source, target)
}

/// The addresses of one side, in its elements.
pub(super) struct Side<'k> {
    pub(super) offset: Expr<'k, Index>,
    pub(super) stride: Expr<'k, Index>,
    pub(super) pencils: Vec<Expr<'k, Index>>,
    pub(super) position: Option<Position<'k>>,
    pub(super) window: Option<PadWindow<'k>>,
}

/// Strides of the positions in the whole transform.
pub(super) struct Position<'k> {
    pub(super) element: Expr<'k, Index>,
    pub(super) pencils: Vec<Expr<'k, Index>>,
}

impl<'k> Position<'k> {
    fn declare(k: Builder<'k>, name: &str, dimensions: usize) -> Self {
        let element = k.argument(&format!("{name}_step"));
        let pencils = (0..dimensions).map(|d| k.argument(&format!("{name}_pencil{d}"))).collect();
        Position { element, pencils }
    }

    /// Position of the first element of a pencil.
    pub(super) fn of_pencil(&self, coordinates: &[Expr<'k, Index>], zero: Expr<'k, Index>) -> Expr<'k, Index> {
        self.pencils.iter().zip(coordinates).fold(zero, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// The arguments of a [`PadWindow`](super::super::spec::PadWindow).
pub(super) struct PadWindow<'k> {
    lead: Expr<'k, Index>,
    pub(super) count: Expr<'k, Index>,
    period: Expr<'k, Index>,
    /// Distance between the points of a pair, and the number of positions with a result.
    pub(super) block: Expr<'k, Index>,
    /// Strides of the results of neighbouring pencils.
    pub(super) pencils: Vec<Expr<'k, Index>>,
}

impl<'k> PadWindow<'k> {
    fn declare(k: Builder<'k>, name: &str, dimensions: usize) -> Self {
        let [lead, count, period, block] =
            ["lead", "count", "period", "block"].map(|part| k.argument(&format!("{name}_{part}")));
        let pencils = (0..dimensions).map(|d| k.argument(&format!("{name}_block_pencil{d}"))).collect();
        PadWindow { lead, count, period, block, pencils }
    }

    /// Index of the point at a position; `count` or more outside the signal.
    pub(super) fn point(&self, position: Expr<'k, Index>) -> Expr<'k, Index> {
        let point = position - self.lead;
        let after = point.ge(self.period).select(point - self.period, point);
        point.lt(0).select(point + self.period, after)
    }

    /// True if the points at `length` positions are adjacent, and whether all of them lie outside the signal.
    pub(super) fn span(&self, position: Expr<'k, Index>, length: Expr<'k, Index>) -> (Expr<'k, bool>, Expr<'k, bool>) {
        let (first, last) = (self.point(position), self.point(position + length - 1));
        let whole = (last - first).eq(length - 1);
        ((first + length).le(self.count), whole & first.ge(self.count))
    }

    /// Index of the first result of a pencil.
    pub(super) fn of_pencil(&self, coordinates: &[Expr<'k, Index>], zero: Expr<'k, Index>) -> Expr<'k, Index> {
        self.pencils.iter().zip(coordinates).fold(zero, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// A complex point at an index of the window, or zero.
pub(super) fn complex_within<'k, T: Float>(
    k: Builder<'k>,
    window: Option<&PadWindow<'k>>,
    index: Expr<'k, Index>,
    at: impl Fn(Expr<'k, Index>) -> Complex<'k, T>,
) -> Complex<'k, T> {
    let Some(window) = window else { return at(index) };
    let zero = k.value(T::real(0.0));
    let (re, im) = (k.var("re", zero), k.var("im", zero));
    let point = window.point(index);
    k.when(point.lt(window.count), || {
        let z = at(point);
        re.set(z.re);
        im.set(z.im);
    });
    Complex::new(re.get(), im.get())
}

/// A real point at an index of the window, or zero.
pub(super) fn real_within<'k, T: Float>(
    k: Builder<'k>,
    window: Option<&PadWindow<'k>>,
    index: Expr<'k, Index>,
    at: impl Fn(Expr<'k, Index>) -> Expr<'k, T>,
) -> Expr<'k, T> {
    let Some(window) = window else { return at(index) };
    let number = k.var("number", k.value(T::real(0.0)));
    let point = window.point(index);
    k.when(point.lt(window.count), || number.set(at(point)));
    number.get()
}

/// Writes at an index, if it is within the window.
pub(super) fn write_within<'k>(
    k: Builder<'k>,
    window: Option<(&PadWindow<'k>, Expr<'k, Index>)>,
    index: Expr<'k, Index>,
    write: impl Fn(Expr<'k, Index>),
) {
    let Some((window, pencil)) = window else { return write(index) };
    let point = index + pencil;
    k.when(point.lt(window.count), || write(point));
}

/// The address arguments of a launch.
pub(super) struct Geometry<'k> {
    pub(super) load: Side<'k>,
    pub(super) store: Side<'k>,
    pub(super) counts: Vec<Expr<'k, Index>>,
    pub(super) spectrum: Option<Position<'k>>,
    pub(super) spectrum_offset: Option<Expr<'k, Index>>,
}

impl<'k> Geometry<'k> {
    pub(super) fn declare(k: Builder<'k>, spec: &KernelSpec) -> Self {
        let side = |name: &str| Side {
            offset: k.argument(&format!("{name}_offset")),
            stride: k.argument(&format!("{name}_stride")),
            pencils: Vec::new(),
            position: None,
            window: None,
        };
        let (mut load, mut store) = (side("x"), side("y"));
        let mut counts = Vec::new();
        for d in 0..spec.dimensions {
            counts.push(k.argument(&format!("count{d}")));
            load.pencils.push(k.argument(&format!("x_pencil{d}")));
            store.pencils.push(k.argument(&format!("y_pencil{d}")));
        }
        load.position = spec.load.positioned().then(|| Position::declare(k, "x_position", spec.dimensions));
        store.position = spec.store.positioned().then(|| Position::declare(k, "y_position", spec.dimensions));
        let spectrum = spec.convolve.map(|_| Position::declare(k, "spectrum", spec.dimensions));
        let spectrum_offset = spec.convolve.map(|_| k.argument("spectrum_offset"));
        load.window = spec.load.window.then(|| PadWindow::declare(k, "x", 0));
        store.window = spec.store.window.then(|| PadWindow::declare(k, "y", spec.dimensions));
        Geometry { load, store, counts, spectrum, spectrum_offset }
    }
}

impl<'k> Side<'k> {
    /// Index of the first element of a pencil.
    pub(super) fn base(&self, coordinates: &[Expr<'k, Index>]) -> Expr<'k, Index> {
        self.pencils.iter().zip(coordinates).fold(self.offset, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// Access to the points of one pencil, or of one in each SIMD lane: `T` is a scalar or a vector.
pub(super) struct Accessor<'a, 'k, T, R> {
    pub(super) complex: &'a dyn Fn(Expr<'k, Index>) -> Complex<'k, T>,
    pub(super) real: &'a dyn Fn(Expr<'k, Index>) -> Expr<'k, T>,
    /// Broadcasts a scalar.
    pub(super) lift: &'a dyn Fn(Expr<'k, R>) -> Expr<'k, T>,
    /// Loads from the tables.
    pub(super) table: &'a dyn Fn(Expr<'k, Index>) -> Complex<'k, R>,
    /// Block of the window.
    pub(super) block: Option<Expr<'k, Index>>,
}

impl<'k, T: Float, R: Real> Accessor<'_, 'k, T, R> {
    fn lifted(&self, offset: usize, index: Expr<'k, Index>) -> Complex<'k, T> {
        let root = (self.table)(index + offset);
        Complex::new((self.lift)(root.re), (self.lift)(root.im))
    }
}

/// The load op at a position.
pub(super) fn load<'k, T: Float, R: Real>(
    k: Builder<'k>,
    spec: &KernelSpec,
    offsets: &OpTables,
    accessor: &Accessor<'_, 'k, T, R>,
    position: Expr<'k, Index>,
) -> Complex<'k, T> {
    let AccessOp { access, swap, chirp, .. } = spec.load;
    let positions = spec.positions();
    let p = if chirp { position.min(positions - 1) } else { position };
    let n = spec.points;
    let zero = k.value(T::real(0.0));
    let z = match access {
        Load::Complex => (accessor.complex)(p),
        Load::Real => Complex::new((accessor.real)(p), zero),
        Load::PackedReal => Complex::new((accessor.real)(p * 2_i64), (accessor.real)(p * 2_i64 + 1_i64)),
        Load::RealPair => {
            let apart = accessor.block.unwrap_or(k.value(0));
            Complex::new((accessor.real)(p), (accessor.real)(p + apart))
        }
        Load::Hermitian => {
            let z = (accessor.complex)(p.min(k.value::<Index>(n) - p));
            let sign = p.gt(n / 2).select(R::real(-1.0), R::real(1.0));
            let im = k.var("im", zero);
            k.when(p.ne(0), || im.set(z.im * (accessor.lift)(sign)));
            Complex::new(z.re, im.get())
        }
        Load::PackedHermitian => {
            let (a, b) = ((accessor.complex)(p), (accessor.complex)(k.value::<Index>(n / 2) - p));
            let (first, second) = (k.var("im", zero), k.var("mirrored_im", zero));
            k.when(p.ne(0), || {
                first.set(a.im);
                second.set(-b.im);
            });
            let (a, b) = (Complex::new(a.re, first.get()), Complex::new(b.re, second.get()));
            let root = accessor.lifted(offsets.roots.unwrap_or(0), p).conj();
            a + b + ((a - b) * root).times_i()
        }
        Load::MakhoulOrder { odd } => {
            let early = p.lt(n.div_ceil(2));
            let value = (accessor.real)(early.select(p * 2_i64, k.value::<Index>(2 * n - 1) - p * 2_i64));
            let sign = || (accessor.lift)(early.select(R::real(1.0), R::real(-1.0)));
            Complex::new(if odd < 0 { value * sign() } else { value }, zero)
        }
        Load::QuarterShift { reversed } => {
            let source_index = |i: Expr<'k, Index>| if reversed { k.value::<Index>(n - 1) - i } else { i };
            let a = (accessor.real)(source_index(p));
            let mirrored = (accessor.real)(source_index((k.value::<Index>(n) - p).min(n - 1)));
            let b = k.var("mirrored", zero);
            k.when(p.ne(0), || b.set(mirrored));
            Complex::new(a, -b.get()) * accessor.lifted(offsets.roots.unwrap_or(0), p).conj()
        }
    };
    let z = if swap { z.swap() } else { z };
    match offsets.chirp {
        Some(offset) => z * accessor.lifted(offset, position.min(positions)),
        None => z,
    }
}

/// True if n - p is equal to p modulo `pencils`.
fn mirrors_itself<'k>(p: Expr<'k, Index>, n: usize, pencils: usize) -> Expr<'k, bool> {
    // 32-bit remainders are much faster on GPUs.
    let rest = if n <= i32::MAX as usize { (p.to::<u32>() % pencils as u32).to::<Index>() } else { p % pencils };
    rest.eq(0) | (rest * 2_i64).eq(pencils)
}

/// Writes of complex and of real results.
pub(super) struct Writer<'a, 'k, T> {
    pub(super) complex: &'a dyn Fn(Expr<'k, Index>, Complex<'k, T>),
    pub(super) real: &'a dyn Fn(Expr<'k, Index>, Expr<'k, T>),
}

/// The store op at a position.
pub(super) fn store<'k, T: Float, R: Real>(
    k: Builder<'k>,
    spec: &KernelSpec,
    offsets: &OpTables,
    accessor: &Accessor<'_, 'k, T, R>,
    write: &Writer<'_, 'k, T>,
    (p, z): (Expr<'k, Index>, Complex<'k, T>),
) {
    let AccessOp { access, swap, unswap, .. } = spec.store;
    let z = if unswap { z.swap() } else { z };
    let z = match offsets.chirp {
        Some(offset) => z * accessor.lifted(offset, p.min(spec.positions())),
        None => z,
    };
    let z = if swap { z.swap() } else { z };
    let n = spec.points;
    let write = || match access {
        // `split_spectrum` was applied before.
        Store::Complex | Store::SplitSpectrum => (write.complex)(p, z),
        Store::Real => (write.real)(p, z.re),
        Store::PackedReal => {
            (write.real)(p * 2_i64, z.re);
            (write.real)(p * 2_i64 + 1_i64, z.im);
        }
        Store::RealPair => {
            (write.real)(p, z.re);
            (write.real)(p + accessor.block.unwrap_or(k.value(0)), z.im);
        }
        Store::HalfSpectrum => k.when(p.le(n / 2), || (write.complex)(p, z)),
        Store::MirroredSpectrum { pencils } => {
            let beyond = p.gt(n / 2) & !mirrors_itself(p, n, pencils);
            k.when(p.le(n / 2), || (write.complex)(p, z));
            k.when(beyond, || (write.complex)(k.value::<Index>(n) - p, z.conj()));
        }
        Store::QuarterShift { reversed } => {
            let root = accessor.lifted(offsets.roots.unwrap_or(0), p.min(n - 1));
            let value = (z.re * root.re - z.im * root.im) * T::real(2.0);
            (write.real)(if reversed { k.value::<Index>(n - 1) - p } else { p }, value);
        }
        Store::MakhoulOrder { odd } => {
            let early = p.lt(n.div_ceil(2));
            let sign = || (accessor.lift)(early.select(R::real(1.0), R::real(-1.0)));
            let value = if odd < 0 { z.re * sign() } else { z.re };
            (write.real)(early.select(p * 2_i64, k.value::<Index>(2 * n - 1) - p * 2_i64), value);
        }
    };
    match accessor.block.filter(|_| spec.store.window) {
        Some(block) => k.when(p.lt(block), write),
        None if offsets.chirp.is_some() => k.when(p.lt(spec.positions()), write),
        None => write(),
    }
}

/// e^(-2 pi i exponent / order), the product of a coarse and a fine root.
pub(super) fn large_root<'k, I: Counter, R: Real>(
    offsets: &TwiddleTables,
    table: &dyn Fn(Expr<'k, I>) -> Complex<'k, R>,
    exponent: Expr<'k, I>,
) -> Complex<'k, R> {
    let number = |value: usize| I::whole(value as i32);
    let coarse = (exponent >> number(offsets.shift as usize)) + number(offsets.coarse);
    let fine = (exponent & number((1 << offsets.shift) - 1)) + number(offsets.fine);
    table(coarse) * table(fine)
}

/// X_p of n real points, from Z_p and Z_(n/2 - p) (`mirrored`) of their packed transform of length n/2.
pub(super) fn split_spectrum<'k, T: Float, R: Real>(
    offsets: &OpTables,
    accessor: &Accessor<'_, 'k, T, R>,
    p: Expr<'k, Index>,
    direct: Complex<'k, T>,
    mirrored: Complex<'k, T>,
) -> Complex<'k, T> {
    let half = T::real(0.5);
    let root = accessor.lifted(offsets.roots.unwrap_or(0), p);
    let (even, odd) = (direct + mirrored.conj(), (direct - mirrored.conj()) * root);
    (even - odd.times_i()).scale(half)
}

pub(super) type TwiddleOp = Option<(Twiddle, TwiddleTables)>;

pub(super) fn twiddle_op<A>(op: &AccessOp<A>, offsets: &OpTables) -> TwiddleOp {
    op.twiddle.zip(offsets.twiddle)
}
