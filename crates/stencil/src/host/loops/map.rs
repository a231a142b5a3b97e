//! Operations that make conditions, use them, or convert types, element by element.

use std::marker::PhantomData;

use affinimath_math::machine::{Loop, LoopFn, Machine, entry_of};
use pulp::Arch;

use super::MapCall;
use crate::definition::scalar::Number;
use crate::definition::{Binary, Function, Type};

/// A function of up to three elements.
trait Map {
    type A: Copy;
    type B: Copy;
    type C: Copy;
    type R;
    /// The number of operands.
    const OPERANDS: usize;

    fn apply(a: Self::A, b: Self::B, c: Self::C) -> Self::R;
}

struct Each<F>(PhantomData<F>);

impl<F: Map> Loop<MapCall> for Each<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &MapCall) {
        let [a, b, c] = call.from;
        let (b, c) = (if F::OPERANDS > 1 { b } else { a }, if F::OPERANDS > 2 { c } else { a });
        let (a, b, c) = (a.cast::<F::A>(), b.cast::<F::B>(), c.cast::<F::C>());
        // SAFETY: by contract: types and lengths; operands that the function has not are the first one again.
        unsafe {
            let to = std::slice::from_raw_parts_mut(call.to.cast::<F::R>(), call.n);
            let a = std::slice::from_raw_parts(a, call.n);
            let b = std::slice::from_raw_parts(b, call.n);
            let c = std::slice::from_raw_parts(c, call.n);
            for i in 0..call.n {
                to[i] = F::apply(a[i], b[i], c[i]);
            }
        }
    }
}

/// Declares functions of elements of one type T.
macro_rules! maps {
    ($($name:ident [$($bound:tt)+] $operands:literal |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $R:ty
        { $value:expr })+) => {
        $(struct $name<T>(PhantomData<T>);

        impl<T: $($bound)+> Map for $name<T> {
            type A = $A;
            type B = $B;
            type C = $C;
            type R = $R;
            const OPERANDS: usize = $operands;

            #[inline(always)]
            fn apply($a: $A, $b: $B, $c: $C) -> $R {
                $value
            }
        })+
    };
}

maps! {
    Less [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a < b) }
    LessEqual [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a <= b) }
    Greater [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a > b) }
    GreaterEqual [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a >= b) }
    Equal [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a == b) }
    NotEqual [Number] 2 |a: T, b: T, _c: T| -> u8 { u8::from(a != b) }
    Remainder [Number] 2 |a: T, b: T, _c: T| -> T { a.remainder(b) }
    Quotient [Number] 2 |a: T, b: T, _c: T| -> T { T::call(Function::Quotient, a, b) }
    Copy1 [Copy] 1 |a: T, _b: T, _c: T| -> T { a }
    Select [Copy] 3 |a: u8, b: T, c: T| -> T { if a != 0 { b } else { c } }
}

struct And;
struct Or;
struct Not;

macro_rules! logical {
    ($($name:ident $operands:literal |$a:ident, $b:ident| $value:expr;)+) => {
        $(impl Map for $name {
            type A = u8;
            type B = u8;
            type C = u8;
            type R = u8;
            const OPERANDS: usize = $operands;

            #[inline(always)]
            fn apply($a: u8, $b: u8, _c: u8) -> u8 {
                $value
            }
        })+
    };
}

logical! {
    And 2 |a, b| a & b;
    Or 2 |a, b| a | b;
    Not 1 |a, _b| a ^ 1;
}

struct Convert<A, R>(PhantomData<(A, R)>);

macro_rules! conversions {
    ($($from:ident => $($to:ident)+;)+) => {
        $($(impl Map for Convert<$from, $to> {
            type A = $from;
            type B = $from;
            type C = $from;
            type R = $to;
            const OPERANDS: usize = 1;

            #[inline(always)]
            fn apply(a: $from, _b: $from, _c: $from) -> $to {
                a as $to
            }
        })+)+
    };
}

conversions! {
    u8 => i32 i64 f32 f64;
    i32 => i64 f32 f64;
    i64 => i32 f32 f64;
    f32 => i32 i64 f64;
    f64 => i32 i64 f32;
}

fn each<F: Map>(arch: Arch) -> LoopFn<MapCall> {
    entry_of::<Each<F>, _>(arch)
}

/// Calls a generic function for a type of numbers.
macro_rules! by_type {
    ($kind:expr, $T:ident => $result:expr) => {
        match $kind {
            Type::I32 => {
                type $T = i32;
                $result
            }
            Type::I64 => {
                type $T = i64;
                $result
            }
            Type::F32 => {
                type $T = f32;
                $result
            }
            Type::F64 | Type::Bool => {
                type $T = f64;
                $result
            }
        }
    };
}

/// A comparison of numbers.
pub(in crate::host) fn compare(arch: Arch, operator: Binary, kind: Type) -> LoopFn<MapCall> {
    by_type!(kind, T => match operator {
        Binary::Less => each::<Less<T>>(arch),
        Binary::LessEqual => each::<LessEqual<T>>(arch),
        Binary::Greater => each::<Greater<T>>(arch),
        Binary::GreaterEqual => each::<GreaterEqual<T>>(arch),
        Binary::Equal => each::<Equal<T>>(arch),
        _ => each::<NotEqual<T>>(arch),
    })
}

/// `&&` or `||` of known conditions.
pub(in crate::host) fn logical(arch: Arch, operator: Binary) -> LoopFn<MapCall> {
    if operator == Binary::And { each::<And>(arch) } else { each::<Or>(arch) }
}

/// `!`
pub(in crate::host) fn not(arch: Arch) -> LoopFn<MapCall> {
    each::<Not>(arch)
}

/// A remainder with the divisor's sign.
pub(in crate::host) fn remainder(arch: Arch, kind: Type) -> LoopFn<MapCall> {
    by_type!(kind, T => each::<Remainder<T>>(arch))
}

/// A quotient of integers, rounded down.
pub(in crate::host) fn whole_quotient(arch: Arch, kind: Type) -> LoopFn<MapCall> {
    if kind == Type::I32 { each::<Quotient<i32>>(arch) } else { each::<Quotient<i64>>(arch) }
}

/// A copy of elements of a type.
pub(in crate::host) fn copy(arch: Arch, kind: Type) -> LoopFn<MapCall> {
    match kind.bytes() {
        1 => each::<Copy1<u8>>(arch),
        4 => each::<Copy1<u32>>(arch),
        _ => each::<Copy1<u64>>(arch),
    }
}

/// A selection by a condition.
pub(in crate::host) fn select(arch: Arch, kind: Type) -> LoopFn<MapCall> {
    match kind.bytes() {
        1 => each::<Select<u8>>(arch),
        4 => each::<Select<u32>>(arch),
        _ => each::<Select<u64>>(arch),
    }
}

/// A conversion between different types; conditions are 1 or 0. None to conditions, which are comparisons with 0.
pub(in crate::host) fn convert(arch: Arch, from: Type, to: Type) -> LoopFn<MapCall> {
    macro_rules! table {
        ($($A:ident $a:ident => $($R:ident $r:ident)+;)+) => {
            match (from, to) {
                $($((Type::$A, Type::$R) => each::<Convert<$a, $r>>(arch),)+)+
                (same, _) => copy(arch, same),
            }
        };
    }
    table! {
        Bool u8 => I32 i32 I64 i64 F32 f32 F64 f64;
        I32 i32 => I64 i64 F32 f32 F64 f64;
        I64 i64 => I32 i32 F32 f32 F64 f64;
        F32 f32 => I32 i32 I64 i64 F64 f64;
        F64 f64 => I32 i32 I64 i64 F32 f32;
    }
}
