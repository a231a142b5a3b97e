//! Chains: several operations on a strip, of which each takes the result of the one before in registers.
//!
//! A sum of taps with coefficients is one chain. Its taps are read where they lie, and only its result is stored.
//! Each product and each sum is rounded by itself, in the order of the definition.

use std::marker::PhantomData;

use affinimath_math::machine::{LoopFn, Machine, Precision, Vectors, entry_of};
use affinimath_math::{Lanes, machine};
use pulp::Arch;

use crate::definition::Type;

/// Vectors that are computed together: enough to hide the latency of an addition.
const BLOCK: usize = 8;

/// An operation of a chain. `acc` is the result so far, x and y are operands. U and S say which operands are uniform
/// and which are strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Link {
    /// acc + x
    AddS,
    AddU,
    /// acc - x
    SubS,
    SubU,
    /// x - acc
    FromS,
    FromU,
    /// acc * x
    MulS,
    MulU,
    /// acc / x
    DivS,
    DivU,
    /// x / acc
    OverS,
    OverU,
    /// x < acc ? x : acc
    MinS,
    MinU,
    /// acc < x ? acc : x
    MinToS,
    MinToU,
    /// acc < x ? x : acc
    MaxS,
    MaxU,
    /// x < acc ? acc : x
    MaxToS,
    MaxToU,
    /// acc + x y
    AddSS,
    AddUS,
    /// acc - x y
    SubSS,
    SubUS,
    /// x y - acc
    FromSS,
    FromUS,
    /// acc acc
    Square,
    Negate,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
}

impl Link {
    /// The number of operands, without the result so far.
    pub(in crate::host) fn operands(self) -> usize {
        use Link::*;
        match self {
            Square | Negate | Abs | Sqrt | Floor | Ceil | Trunc => 0,
            AddSS | AddUS | SubSS | SubUS | FromSS | FromUS => 2,
            _ => 1,
        }
    }
}

/// A link with its operands: indices into the table of addresses.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Micro {
    pub(in crate::host) link: Link,
    pub(in crate::host) x: u32,
    pub(in crate::host) y: u32,
}

/// A chain over a strip.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct ChainCall {
    /// Elements.
    pub(in crate::host) n: usize,
    /// Addresses of operands. Of a uniform one, a granule of copies lies there.
    pub(in crate::host) table: *const *mut u8,
    /// The first operand, and whether it is uniform.
    pub(in crate::host) start: u32,
    pub(in crate::host) is_start_uniform: bool,
    /// The links.
    pub(in crate::host) micros: *const Micro,
    pub(in crate::host) count: usize,
    /// The result. It may be an operand of the chain, element by element.
    pub(in crate::host) to: *mut u8,
    /// The result goes past the caches.
    pub(in crate::host) is_streamed: bool,
    /// As many bytes as the result has come to the caches from here; none where an address is null.
    pub(in crate::host) ahead: [*const u8; AHEAD],
}

/// The most addresses that a chain fetches from.
pub(in crate::host) const AHEAD: usize = 2;

/// Vectors of a type that chains compute with.
trait Element: Copy {
    type Vector<M: Machine>: Copy;

    fn width<M: Machine>() -> usize;
    unsafe fn load<M: Machine>(m: M, from: *const Self) -> Self::Vector<M>;
    unsafe fn load_first<M: Machine>(m: M, from: *const Self, n: usize) -> Self::Vector<M>;
    unsafe fn store<M: Machine>(m: M, to: *mut Self, value: Self::Vector<M>);
    unsafe fn store_first<M: Machine>(m: M, to: *mut Self, value: Self::Vector<M>, n: usize);
    unsafe fn stream<M: Machine>(m: M, to: *mut Self, value: Self::Vector<M>);
    fn add<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    fn sub<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    fn mul<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    /// b < a ? b : a
    fn min<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    /// a < b ? b : a
    fn max<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    fn neg<M: Machine>(m: M, a: Self::Vector<M>) -> Self::Vector<M>;
    fn abs<M: Machine>(m: M, a: Self::Vector<M>) -> Self::Vector<M>;
    // Of real numbers alone.
    fn div<M: Machine>(m: M, a: Self::Vector<M>, b: Self::Vector<M>) -> Self::Vector<M>;
    fn sqrt<M: Machine>(m: M, a: Self::Vector<M>) -> Self::Vector<M>;
    fn floor<M: Machine>(m: M, a: Self::Vector<M>) -> Self::Vector<M>;
    fn trunc<M: Machine>(m: M, a: Self::Vector<M>) -> Self::Vector<M>;
}

type RealOf<R, M> = <<R as Precision>::Of<M> as Lanes>::F;
type IntOf<R, M> = <<R as Precision>::Of<M> as Lanes>::I;

/// Memory operations of reals, or of integers by the bits of the reals of their width.
macro_rules! memory {
    ($real:ident, $l:ident, $v:ident, $in:expr, $out:expr) => {
        #[inline(always)]
        fn width<M: Machine>() -> usize {
            <<$real as Precision>::Of<M> as Vectors>::WIDTH
        }
        #[inline(always)]
        unsafe fn load<M: Machine>(m: M, from: *const Self) -> Self::Vector<M> {
            let $l = <$real as Precision>::of(m);
            // SAFETY: by contract.
            let $v = unsafe { $l.load(from.cast()) };
            $in
        }
        #[inline(always)]
        unsafe fn load_first<M: Machine>(m: M, from: *const Self, n: usize) -> Self::Vector<M> {
            let $l = <$real as Precision>::of(m);
            // SAFETY: by contract.
            let $v = unsafe { $l.load_first(from.cast(), n) };
            $in
        }
        #[inline(always)]
        unsafe fn store<M: Machine>(m: M, to: *mut Self, $v: Self::Vector<M>) {
            let $l = <$real as Precision>::of(m);
            // SAFETY: by contract.
            unsafe { $l.store(to.cast(), $out) };
        }
        #[inline(always)]
        unsafe fn store_first<M: Machine>(m: M, to: *mut Self, $v: Self::Vector<M>, n: usize) {
            let $l = <$real as Precision>::of(m);
            // SAFETY: by contract.
            unsafe { $l.store_first(to.cast(), $out, n) };
        }
        #[inline(always)]
        unsafe fn stream<M: Machine>(m: M, to: *mut Self, $v: Self::Vector<M>) {
            let $l = <$real as Precision>::of(m);
            // SAFETY: by contract.
            unsafe { $l.stream(to.cast(), $out) };
        }
    };
}

/// `name(operands) = value`, with the lanes of a machine.
macro_rules! operations {
    ($real:ident, $l:ident; $($name:ident($($a:ident),+) = $value:expr;)+) => {
        $(#[inline(always)]
        fn $name<M: Machine>(m: M, $($a: Self::Vector<M>),+) -> Self::Vector<M> {
            let $l = <$real as Precision>::of(m);
            $value
        })+
    };
}

macro_rules! reals {
    ($($real:ident)+) => {$(
        impl Element for $real {
            type Vector<M: Machine> = RealOf<$real, M>;

            memory!($real, l, v, v, v);
            operations! { $real, l;
                add(a, b) = l.add(a, b);
                sub(a, b) = l.sub(a, b);
                mul(a, b) = l.mul(a, b);
                div(a, b) = l.div(a, b);
                min(a, b) = l.select(l.lt(b, a), b, a);
                max(a, b) = l.select(l.lt(a, b), b, a);
                neg(a) = l.neg(a);
                abs(a) = l.abs(a);
                sqrt(a) = l.sqrt(a);
                floor(a) = l.floor(a);
                trunc(a) = l.trunc(a);
            }
        }
    )+};
}

macro_rules! integers {
    ($($int:ident $real:ident)+) => {$(
        impl Element for $int {
            type Vector<M: Machine> = IntOf<$real, M>;

            memory!($real, l, v, l.to_bits(v), l.from_bits(v));
            operations! { $real, l;
                add(a, b) = l.int_add(a, b);
                sub(a, b) = l.int_sub(a, b);
                mul(a, b) = l.int_mul(a, b);
                min(a, b) = l.int_select(l.int_lt(b, a), b, a);
                max(a, b) = l.int_select(l.int_lt(a, b), b, a);
                neg(a) = l.int_sub(l.int(0), a);
                abs(a) = l.int_select(l.int_lt(a, l.int(0)), l.int_sub(l.int(0), a), a);
            }
            // The compiler of a program makes no such links of integers.
            operations! { $real, _l;
                div(a, _b) = a;
                sqrt(a) = a;
                floor(a) = a;
                trunc(a) = a;
            }
        }
    )+};
}

reals! { f32 f64 }
integers! { i32 f32 i64 f64 }

/// Elements of a block.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    First(usize),
}

struct Chain<T>(PhantomData<T>);

/// `vectors` of each operand, or the first elements of one vector.
///
/// # Safety
/// As for the chain; the elements from `i` on are within it.
#[inline(always)]
unsafe fn block<T: Element, M: Machine, const N: usize>(m: M, call: &ChainCall, i: usize, part: Part) {
    let width = T::width::<M>();
    // SAFETY: by contract: tables, addresses and lengths.
    unsafe {
        macro_rules! strip {
            ($index:expr, $j:expr) => {{
                let from = address::<T>(call, $index).add(i + $j * width);
                match part {
                    Part::Whole => T::load(m, from),
                    Part::First(n) => T::load_first(m, from, n),
                }
            }};
        }
        macro_rules! uniform {
            ($index:expr) => {
                T::load(m, address::<T>(call, $index))
            };
        }
        let first = if call.is_start_uniform { uniform!(call.start) } else { strip!(call.start, 0) };
        let mut acc = [first; N];
        if !call.is_start_uniform {
            for (j, acc) in acc.iter_mut().enumerate().skip(1) {
                *acc = strip!(call.start, j);
            }
        }
        for number in 0..call.count {
            let Micro { link, x, y } = call.micros.add(number).read();
            macro_rules! strips {
                (|$acc:ident, $x:ident| $value:expr) => {
                    for j in 0..N {
                        let ($acc, $x) = (acc[j], strip!(x, j));
                        acc[j] = $value;
                    }
                };
            }
            macro_rules! uniforms {
                (|$acc:ident, $x:ident| $value:expr) => {{
                    let $x = uniform!(x);
                    for j in 0..N {
                        let $acc = acc[j];
                        acc[j] = $value;
                    }
                }};
            }
            macro_rules! products {
                (|$acc:ident, $product:ident| $value:expr) => {
                    for j in 0..N {
                        let ($acc, $product) = (acc[j], T::mul(m, strip!(x, j), strip!(y, j)));
                        acc[j] = $value;
                    }
                };
            }
            macro_rules! multiples {
                (|$acc:ident, $product:ident| $value:expr) => {{
                    let factor = uniform!(x);
                    for j in 0..N {
                        let ($acc, $product) = (acc[j], T::mul(m, factor, strip!(y, j)));
                        acc[j] = $value;
                    }
                }};
            }
            macro_rules! alone {
                (|$acc:ident| $value:expr) => {
                    for j in 0..N {
                        let $acc = acc[j];
                        acc[j] = $value;
                    }
                };
            }
            match link {
                Link::AddS => strips!(|a, x| T::add(m, a, x)),
                Link::AddU => uniforms!(|a, x| T::add(m, a, x)),
                Link::SubS => strips!(|a, x| T::sub(m, a, x)),
                Link::SubU => uniforms!(|a, x| T::sub(m, a, x)),
                Link::FromS => strips!(|a, x| T::sub(m, x, a)),
                Link::FromU => uniforms!(|a, x| T::sub(m, x, a)),
                Link::MulS => strips!(|a, x| T::mul(m, a, x)),
                Link::MulU => uniforms!(|a, x| T::mul(m, a, x)),
                Link::DivS => strips!(|a, x| T::div(m, a, x)),
                Link::DivU => uniforms!(|a, x| T::div(m, a, x)),
                Link::OverS => strips!(|a, x| T::div(m, x, a)),
                Link::OverU => uniforms!(|a, x| T::div(m, x, a)),
                Link::MinS => strips!(|a, x| T::min(m, a, x)),
                Link::MinU => uniforms!(|a, x| T::min(m, a, x)),
                Link::MinToS => strips!(|a, x| T::min(m, x, a)),
                Link::MinToU => uniforms!(|a, x| T::min(m, x, a)),
                Link::MaxS => strips!(|a, x| T::max(m, a, x)),
                Link::MaxU => uniforms!(|a, x| T::max(m, a, x)),
                Link::MaxToS => strips!(|a, x| T::max(m, x, a)),
                Link::MaxToU => uniforms!(|a, x| T::max(m, x, a)),
                Link::AddSS => products!(|a, p| T::add(m, a, p)),
                Link::AddUS => multiples!(|a, p| T::add(m, a, p)),
                Link::SubSS => products!(|a, p| T::sub(m, a, p)),
                Link::SubUS => multiples!(|a, p| T::sub(m, a, p)),
                Link::FromSS => products!(|a, p| T::sub(m, p, a)),
                Link::FromUS => multiples!(|a, p| T::sub(m, p, a)),
                Link::Square => alone!(|a| T::mul(m, a, a)),
                Link::Negate => alone!(|a| T::neg(m, a)),
                Link::Abs => alone!(|a| T::abs(m, a)),
                Link::Sqrt => alone!(|a| T::sqrt(m, a)),
                Link::Floor => alone!(|a| T::floor(m, a)),
                Link::Ceil => alone!(|a| T::neg(m, T::floor(m, T::neg(m, a)))),
                Link::Trunc => alone!(|a| T::trunc(m, a)),
            }
        }
        let to = call.to.cast::<T>().add(i);
        match part {
            Part::First(n) => T::store_first(m, to, acc[0], n),
            Part::Whole if call.is_streamed => {
                for (j, acc) in acc.into_iter().enumerate() {
                    T::stream(m, to.add(j * width), acc);
                }
            }
            Part::Whole => {
                for (j, acc) in acc.into_iter().enumerate() {
                    T::store(m, to.add(j * width), acc);
                }
            }
        }
    }
}

/// The address of an operand.
///
/// # Safety
/// The index is within the call's table.
#[inline(always)]
unsafe fn address<T>(call: &ChainCall, index: u32) -> *const T {
    // SAFETY: by contract.
    unsafe { call.table.add(index as usize).read().cast::<T>().cast_const() }
}

impl<T: Element> machine::Loop<ChainCall> for Chain<T> {
    #[inline(always)]
    unsafe fn run<M: Machine>(m: M, call: &ChainCall) {
        let width = T::width::<M>();
        let (mut i, mut call) = (0, *call);
        // SAFETY: by contract; blocks are within the strip. Streamed vectors begin at their alignment.
        unsafe {
            // No call of itself: it would not be inlined, and have no vectors.
            let ahead = call.to.align_offset(width * size_of::<T>()) / size_of::<T>();
            call.is_streamed &= ahead < width && ahead <= call.n;
            if call.is_streamed && ahead > 0 {
                block::<T, M, 1>(m, &call, 0, Part::First(ahead));
                i = ahead;
            }
            while i + BLOCK * width <= call.n {
                for from in call.ahead.into_iter().filter(|from| !from.is_null()) {
                    let (first, bytes) = (from.wrapping_add(i * size_of::<T>()), BLOCK * width * size_of::<T>());
                    (0..bytes).step_by(64).for_each(|byte| machine::prefetch(first.wrapping_add(byte)));
                }
                block::<T, M, BLOCK>(m, &call, i, Part::Whole);
                i += BLOCK * width;
            }
            // Fewer vectors at a time for the rest, as each of them waits for one operation after the other.
            if i + BLOCK / 2 * width <= call.n {
                block::<T, M, { BLOCK / 2 }>(m, &call, i, Part::Whole);
                i += BLOCK / 2 * width;
            }
            if i + BLOCK / 4 * width <= call.n {
                block::<T, M, { BLOCK / 4 }>(m, &call, i, Part::Whole);
                i += BLOCK / 4 * width;
            }
            if i + width <= call.n {
                block::<T, M, 1>(m, &call, i, Part::Whole);
                i += width;
            }
            if i < call.n {
                block::<T, M, 1>(m, &call, i, Part::First(call.n - i));
            }
        }
    }
}

/// The loop of chains of a type of numbers.
pub(in crate::host) fn chain(arch: Arch, kind: Type) -> LoopFn<ChainCall> {
    match kind {
        Type::I32 => entry_of::<Chain<i32>, _>(arch),
        Type::I64 => entry_of::<Chain<i64>, _>(arch),
        Type::F32 => entry_of::<Chain<f32>, _>(arch),
        Type::F64 | Type::Bool => entry_of::<Chain<f64>, _>(arch),
    }
}
