//! What passes of all forms have in common: their arguments, and how numbers become positions of a transform.

use super::super::spec::{End, KernelSpec, Load, Store, Twiddle};
use super::super::tables::{EndPlaces, TwiddlePlaces};
use affinimath_kernel::{
    Array, Builder, Complex, Counter, Expr, Float, Index, Pair, ReadOnly, ReadWrite, Real, Vector, WriteOnly,
};

/// The memory that is read, in the form in which it is declared.
#[derive(Clone, Copy)]
pub(super) enum Source<'k, R> {
    Pairs(Array<'k, Pair<R>, ReadOnly>),
    Reals(Array<'k, R, ReadOnly>),
    SharedPairs(Array<'k, Pair<R>, ReadWrite>),
    Shared(Array<'k, R, ReadWrite>),
}

/// The memory that is written.
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

    /// Neighbouring real numbers of a memory that is declared as such.
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
            // Not reached: memories of real numbers are declared so.
            Target::Pairs(array) => array.store_complex(index, Complex::new(value, value)),
            Target::SharedPairs(array) => array.store_complex(index, Complex::new(value, value)),
        }
    }

    /// Neighbouring real numbers of a memory that is declared as such.
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

/// Declares the memories of the operands: as pairs where both are complex and `pairs` are wanted.
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

/// One side of the operands' geometry: offset and stride of elements, the strides of lines, and what makes positions, all in the
/// side's own elements.
pub(super) struct Side<'k> {
    pub(super) offset: Expr<'k, Index>,
    pub(super) stride: Expr<'k, Index>,
    pub(super) lines: Vec<Expr<'k, Index>>,
    pub(super) position: Option<Position<'k>>,
    pub(super) window: Option<Window<'k>>,
}

/// How elements and lines make positions of the whole transform.
pub(super) struct Position<'k> {
    pub(super) element: Expr<'k, Index>,
    pub(super) lines: Vec<Expr<'k, Index>>,
}

impl<'k> Position<'k> {
    fn declare(k: Builder<'k>, name: &str, dimensions: usize) -> Self {
        let element = k.argument(&format!("{name}_step"));
        let lines = (0..dimensions).map(|d| k.argument(&format!("{name}_line{d}"))).collect();
        Position { element, lines }
    }

    /// What a line's coordinates add.
    pub(super) fn of_line(&self, coordinates: &[Expr<'k, Index>], zero: Expr<'k, Index>) -> Expr<'k, Index> {
        self.lines.iter().zip(coordinates).fold(zero, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// Where an end with a window has its numbers.
pub(super) struct Window<'k> {
    lead: Expr<'k, Index>,
    pub(super) count: Expr<'k, Index>,
    period: Expr<'k, Index>,
    /// How far apart a pair is, and the positions at which a result is wanted.
    pub(super) block: Expr<'k, Index>,
    /// What a line adds to the place of a result.
    pub(super) lines: Vec<Expr<'k, Index>>,
}

impl<'k> Window<'k> {
    fn declare(k: Builder<'k>, name: &str, dimensions: usize) -> Self {
        let [lead, count, period, block] =
            ["lead", "count", "period", "block"].map(|part| k.argument(&format!("{name}_{part}")));
        let lines = (0..dimensions).map(|d| k.argument(&format!("{name}_block_line{d}"))).collect();
        Window { lead, count, period, block, lines }
    }

    /// The number that is taken at a position; `count` or more, where none is.
    pub(super) fn place(&self, position: Expr<'k, Index>) -> Expr<'k, Index> {
        let place = position - self.lead;
        let after = place.ge(self.period).select(place - self.period, place);
        place.lt(0).select(place + self.period, after)
    }

    /// Whether so many neighbouring positions have neighbouring numbers; and whether they have none.
    pub(super) fn span(&self, position: Expr<'k, Index>, length: Expr<'k, Index>) -> (Expr<'k, bool>, Expr<'k, bool>) {
        let (first, last) = (self.place(position), self.place(position + length - 1));
        let whole = (last - first).eq(length - 1);
        ((first + length).le(self.count), whole & first.ge(self.count))
    }

    /// What a line's coordinates add to the place of a result.
    pub(super) fn of_line(&self, coordinates: &[Expr<'k, Index>], zero: Expr<'k, Index>) -> Expr<'k, Index> {
        self.lines.iter().zip(coordinates).fold(zero, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// A complex number at an index, which a window may have none at.
pub(super) fn complex_within<'k, T: Float>(
    k: Builder<'k>,
    window: Option<&Window<'k>>,
    index: Expr<'k, Index>,
    at: impl Fn(Expr<'k, Index>) -> Complex<'k, T>,
) -> Complex<'k, T> {
    let Some(window) = window else { return at(index) };
    let zero = k.value(T::real(0.0));
    let (re, im) = (k.var("re", zero), k.var("im", zero));
    let place = window.place(index);
    k.when(place.lt(window.count), || {
        let z = at(place);
        re.set(z.re);
        im.set(z.im);
    });
    Complex::new(re.get(), im.get())
}

/// The same of a real number.
pub(super) fn real_within<'k, T: Float>(
    k: Builder<'k>,
    window: Option<&Window<'k>>,
    index: Expr<'k, Index>,
    at: impl Fn(Expr<'k, Index>) -> Expr<'k, T>,
) -> Expr<'k, T> {
    let Some(window) = window else { return at(index) };
    let number = k.var("number", k.value(T::real(0.0)));
    let place = window.place(index);
    k.when(place.lt(window.count), || number.set(at(place)));
    number.get()
}

/// Writes to the place of an index and its line, if a window has it.
pub(super) fn write_within<'k>(
    k: Builder<'k>,
    window: Option<(&Window<'k>, Expr<'k, Index>)>,
    index: Expr<'k, Index>,
    write: impl Fn(Expr<'k, Index>),
) {
    let Some((window, line)) = window else { return write(index) };
    let place = index + line;
    k.when(place.lt(window.count), || write(place));
}

/// The geometry of a launch.
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
            lines: Vec::new(),
            position: None,
            window: None,
        };
        let (mut load, mut store) = (side("x"), side("y"));
        let mut counts = Vec::new();
        for d in 0..spec.dimensions {
            counts.push(k.argument(&format!("count{d}")));
            load.lines.push(k.argument(&format!("x_line{d}")));
            store.lines.push(k.argument(&format!("y_line{d}")));
        }
        load.position = spec.load.positioned().then(|| Position::declare(k, "x_position", spec.dimensions));
        store.position = spec.store.positioned().then(|| Position::declare(k, "y_position", spec.dimensions));
        let spectrum = spec.convolve.map(|_| Position::declare(k, "spectrum", spec.dimensions));
        let spectrum_offset = spec.convolve.map(|_| k.argument("spectrum_offset"));
        load.window = spec.load.window.then(|| Window::declare(k, "x", 0));
        store.window = spec.store.window.then(|| Window::declare(k, "y", spec.dimensions));
        Geometry { load, store, counts, spectrum, spectrum_offset }
    }
}

impl<'k> Side<'k> {
    /// Where a line begins.
    pub(super) fn base(&self, coordinates: &[Expr<'k, Index>]) -> Expr<'k, Index> {
        self.lines.iter().zip(coordinates).fold(self.offset, |sum, (step, coordinate)| sum + *step * *coordinate)
    }
}

/// How the elements of one line, or of a line in each lane, are reached: `T` is a scalar or a vector.
pub(super) struct Reach<'a, 'k, T, R> {
    pub(super) complex: &'a dyn Fn(Expr<'k, Index>) -> Complex<'k, T>,
    pub(super) real: &'a dyn Fn(Expr<'k, Index>) -> Expr<'k, T>,
    /// A number in all lanes.
    pub(super) lift: &'a dyn Fn(Expr<'k, R>) -> Expr<'k, T>,
    /// A number of the tables.
    pub(super) table: &'a dyn Fn(Expr<'k, Index>) -> Complex<'k, R>,
    /// Its window's block.
    pub(super) block: Option<Expr<'k, Index>>,
}

impl<'k, T: Float, R: Real> Reach<'_, 'k, T, R> {
    fn lifted(&self, place: usize, index: Expr<'k, Index>) -> Complex<'k, T> {
        let root = (self.table)(index + place);
        Complex::new((self.lift)(root.re), (self.lift)(root.im))
    }
}

/// The number at position p, as the transform takes it.
pub(super) fn load<'k, T: Float, R: Real>(
    k: Builder<'k>,
    spec: &KernelSpec,
    places: &EndPlaces,
    reach: &Reach<'_, 'k, T, R>,
    position: Expr<'k, Index>,
) -> Complex<'k, T> {
    let End { access, swap, chirp, .. } = spec.load;
    let positions = spec.positions();
    let p = if chirp { position.min(positions - 1) } else { position };
    let n = spec.points;
    let zero = k.value(T::real(0.0));
    let z = match access {
        Load::Complex => (reach.complex)(p),
        Load::Real => Complex::new((reach.real)(p), zero),
        Load::PackedReal => Complex::new((reach.real)(p * 2_i64), (reach.real)(p * 2_i64 + 1_i64)),
        Load::RealPair => {
            let apart = reach.block.unwrap_or(k.value(0));
            Complex::new((reach.real)(p), (reach.real)(p + apart))
        }
        Load::Hermitian => {
            let z = (reach.complex)(p.min(k.value::<Index>(n) - p));
            let sign = p.gt(n / 2).select(R::real(-1.0), R::real(1.0));
            let im = k.var("im", zero);
            k.when(p.ne(0), || im.set(z.im * (reach.lift)(sign)));
            Complex::new(z.re, im.get())
        }
        Load::PackedHermitian => {
            let (a, b) = ((reach.complex)(p), (reach.complex)(k.value::<Index>(n / 2) - p));
            let (first, second) = (k.var("im", zero), k.var("mirrored_im", zero));
            k.when(p.ne(0), || {
                first.set(a.im);
                second.set(-b.im);
            });
            let (a, b) = (Complex::new(a.re, first.get()), Complex::new(b.re, second.get()));
            let root = reach.lifted(places.roots.unwrap_or(0), p).conj();
            a + b + ((a - b) * root).times_i()
        }
        Load::Folded { odd } => {
            let early = p.lt(n.div_ceil(2));
            let value = (reach.real)(early.select(p * 2_i64, k.value::<Index>(2 * n - 1) - p * 2_i64));
            let sign = || (reach.lift)(early.select(R::real(1.0), R::real(-1.0)));
            Complex::new(if odd < 0 { value * sign() } else { value }, zero)
        }
        Load::Quarter { reversed } => {
            let place = |i: Expr<'k, Index>| if reversed { k.value::<Index>(n - 1) - i } else { i };
            let a = (reach.real)(place(p));
            let mirrored = (reach.real)(place((k.value::<Index>(n) - p).min(n - 1)));
            let b = k.var("mirrored", zero);
            k.when(p.ne(0), || b.set(mirrored));
            Complex::new(a, -b.get()) * reach.lifted(places.roots.unwrap_or(0), p).conj()
        }
    };
    let z = if swap { z.swap() } else { z };
    match places.chirp {
        Some(place) => z * reach.lifted(place, position.min(positions)),
        None => z,
    }
}

/// Whether n - p is equal to p modulo `lines`.
fn mirrors_itself<'k>(p: Expr<'k, Index>, n: usize, lines: usize) -> Expr<'k, bool> {
    // A remainder of 32 bits takes a GPU far less time.
    let rest = if n <= i32::MAX as usize { (p.to::<u32>() % lines as u32).to::<Index>() } else { p % lines };
    rest.eq(0) | (rest * 2_i64).eq(lines)
}

/// How results are written.
pub(super) struct Put<'a, 'k, T> {
    pub(super) complex: &'a dyn Fn(Expr<'k, Index>, Complex<'k, T>),
    pub(super) real: &'a dyn Fn(Expr<'k, Index>, Expr<'k, T>),
}

/// Writes what the transform gives for position p.
pub(super) fn store<'k, T: Float, R: Real>(
    k: Builder<'k>,
    spec: &KernelSpec,
    places: &EndPlaces,
    reach: &Reach<'_, 'k, T, R>,
    put: &Put<'_, 'k, T>,
    (p, z): (Expr<'k, Index>, Complex<'k, T>),
) {
    let End { access, swap, restore, .. } = spec.store;
    let z = if restore { z.swap() } else { z };
    let z = match places.chirp {
        Some(place) => z * reach.lifted(place, p.min(spec.positions())),
        None => z,
    };
    let z = if swap { z.swap() } else { z };
    let n = spec.points;
    let write = || match access {
        // Their numbers have been put together before.
        Store::Complex | Store::Untangled => (put.complex)(p, z),
        Store::Real => (put.real)(p, z.re),
        Store::PackedReal => {
            (put.real)(p * 2_i64, z.re);
            (put.real)(p * 2_i64 + 1_i64, z.im);
        }
        Store::RealPair => {
            (put.real)(p, z.re);
            (put.real)(p + reach.block.unwrap_or(k.value(0)), z.im);
        }
        Store::Half => k.when(p.le(n / 2), || (put.complex)(p, z)),
        Store::Mirrored { lines } => {
            let beyond = p.gt(n / 2) & !mirrors_itself(p, n, lines);
            k.when(p.le(n / 2), || (put.complex)(p, z));
            k.when(beyond, || (put.complex)(k.value::<Index>(n) - p, z.conj()));
        }
        Store::Quarter { reversed } => {
            let root = reach.lifted(places.roots.unwrap_or(0), p.min(n - 1));
            let value = (z.re * root.re - z.im * root.im) * T::real(2.0);
            (put.real)(if reversed { k.value::<Index>(n - 1) - p } else { p }, value);
        }
        Store::Folded { odd } => {
            let early = p.lt(n.div_ceil(2));
            let sign = || (reach.lift)(early.select(R::real(1.0), R::real(-1.0)));
            let value = if odd < 0 { z.re * sign() } else { z.re };
            (put.real)(early.select(p * 2_i64, k.value::<Index>(2 * n - 1) - p * 2_i64), value);
        }
    };
    match reach.block.filter(|_| spec.store.window) {
        Some(block) => k.when(p.lt(block), write),
        None if places.chirp.is_some() => k.when(p.lt(spec.positions()), write),
        None => write(),
    }
}

/// e^(-2 pi i exponent / order), from the coarse and the fine roots.
pub(super) fn large_root<'k, I: Counter, R: Real>(
    places: &TwiddlePlaces,
    table: &dyn Fn(Expr<'k, I>) -> Complex<'k, R>,
    exponent: Expr<'k, I>,
) -> Complex<'k, R> {
    let number = |value: usize| I::whole(value as i32);
    let coarse = (exponent >> number(places.shift as usize)) + number(places.coarse);
    let fine = (exponent & number((1 << places.shift) - 1)) + number(places.fine);
    table(coarse) * table(fine)
}

/// X_p of real numbers, by the transform of half the length that took them in pairs: its Z_p, and Z_(n/2 - p), which is `mirrored`.
pub(super) fn untangled<'k, T: Float, R: Real>(
    places: &EndPlaces,
    reach: &Reach<'_, 'k, T, R>,
    p: Expr<'k, Index>,
    direct: Complex<'k, T>,
    mirrored: Complex<'k, T>,
) -> Complex<'k, T> {
    let half = T::real(0.5);
    let root = reach.lifted(places.roots.unwrap_or(0), p);
    let (even, odd) = (direct + mirrored.conj(), (direct - mirrored.conj()) * root);
    (even - odd.times_i()).scale(half)
}

/// A twiddle and its tables.
pub(super) type Twiddling = Option<(Twiddle, TwiddlePlaces)>;

pub(super) fn twiddling<A>(end: &End<A>, places: &EndPlaces) -> Twiddling {
    end.twiddle.zip(places.twiddle)
}
