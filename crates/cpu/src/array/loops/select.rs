//! Choices between two values by a boolean, or by a comparison without its result in memory.

use std::marker::PhantomData;

use affinimath_array::ElementType;
use affinimath_array::function::Binary;
use pulp::Arch;

use super::number::{Above, AtLeast, AtMost, Below, Equal, Number, Unequal};
use super::{Map2, Map3, Map4, each3, each4, real};
use crate::array::machine::LoopFn;

struct Select<B>(PhantomData<B>);

impl<B: Copy> Map3 for Select<B> {
    type A = u8;
    type B = B;
    type R = B;

    #[inline(always)]
    fn apply(a: u8, b: B, c: B) -> B {
        if a != 0 { b } else { c }
    }
}

/// The loop of a choice by a boolean. Values are bits.
pub fn select(arch: Arch, element: ElementType) -> Option<LoopFn> {
    match element.bytes() {
        1 => Some(each3::<Select<u8>>(arch)),
        4 => Some(each3::<Select<u32>>(arch)),
        8 if !element.is_complex() => Some(each3::<Select<u64>>(arch)),
        _ => None,
    }
}

struct CompareSelect<C, B>(PhantomData<(C, B)>);

impl<C: Map2<R = u8>, B: Copy> Map4 for CompareSelect<C, B>
where
    C: Map2<A = <C as Map2>::B>,
{
    type A = C::A;
    type B = B;

    #[inline(always)]
    fn apply(a: [C::A; 2], b: [B; 2]) -> B {
        if C::apply(a[0], a[1]) != 0 { b[0] } else { b[1] }
    }
}

/// The loop of a choice by a comparison; none where the compared and the chosen values differ in size.
pub fn compare_select(arch: Arch, function: Binary, compared: ElementType, chosen: ElementType) -> Option<LoopFn> {
    if compared.bytes() != chosen.bytes() {
        return None;
    }
    match compared {
        ElementType::I32 => of_type::<i32, u32>(arch, function),
        ElementType::I64 => of_type::<i64, u64>(arch, function),
        ElementType::F32 => real::choice::<f32>(arch, function),
        ElementType::F64 => real::choice::<f64>(arch, function),
        _ => None,
    }
}

fn of_type<T: Number, B: Copy + 'static>(arch: Arch, function: Binary) -> Option<LoopFn> {
    Some(match function {
        Binary::Lt => each4::<CompareSelect<Below<T>, B>>(arch),
        Binary::Le => each4::<CompareSelect<AtMost<T>, B>>(arch),
        Binary::Gt => each4::<CompareSelect<Above<T>, B>>(arch),
        Binary::Ge => each4::<CompareSelect<AtLeast<T>, B>>(arch),
        Binary::Eq => each4::<CompareSelect<Equal<T>, B>>(arch),
        Binary::Ne => each4::<CompareSelect<Unequal<T>, B>>(arch),
        _ => return None,
    })
}
