//! Scans interpreted on the host, against the order that `crate::scan` states.

use super::Elements;
use crate::element::{ElementType, Value};
use crate::function::Reduction;
use crate::lower::DeviceClass;
use crate::scan::{CHUNK, Form, Pass, PassLaunch, Pencils, by_parts};
use crate::testing::Random;
use affinimath_kernel::{Access, Launch};
use std::collections::BTreeSet;

/// An element type, with the operations as the host has them.
trait Scanned: Copy + std::fmt::Debug {
    const ELEMENT: ElementType;
    fn join(reduction: Reduction, a: Self, b: Self) -> Self;
    fn random(random: &mut Random) -> Self;
    fn bytes(self) -> Vec<u8>;
}

macro_rules! scanned {
    ($($type:ident $element:ident $add:expr, $mul:expr;)*) => { $(
        impl Scanned for $type {
            const ELEMENT: ElementType = ElementType::$element;
            fn join(reduction: Reduction, a: Self, b: Self) -> Self {
                if reduction == Reduction::Sum { $add(a, b) } else { $mul(a, b) }
            }
            fn random(random: &mut Random) -> Self {
                match random.value(ElementType::$element) {
                    Value::$element(value) => value,
                    other => panic!("{other:?}"),
                }
            }
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        }
    )* };
}

scanned! {
    u8 U8 u8::wrapping_add, u8::wrapping_mul;
    i32 I32 i32::wrapping_add, i32::wrapping_mul;
    i64 I64 i64::wrapping_add, i64::wrapping_mul;
    f32 F32 |a, b| a + b, |a, b| a * b;
    f64 F64 |a, b| a + b, |a, b| a * b;
}

/// A complex number of single precision.
#[derive(Clone, Copy, Debug)]
struct Complex(f32, f32);

impl Scanned for Complex {
    const ELEMENT: ElementType = ElementType::C32;
    fn join(reduction: Reduction, a: Self, b: Self) -> Self {
        if reduction == Reduction::Sum {
            return Complex(a.0 + b.0, a.1 + b.1);
        }
        Complex(a.0.mul_add(b.0, -a.1 * b.1), a.0.mul_add(b.1, a.1 * b.0))
    }
    fn random(random: &mut Random) -> Self {
        Complex(f32::random(random), f32::random(random))
    }
    fn bytes(self) -> Vec<u8> {
        [self.0.bytes(), self.1.bytes()].concat()
    }
}

/// The scan by the stated order.
fn expected<T: Scanned>(x: &[T], reduction: Reduction, pencils: Pencils) -> Vec<T> {
    let Pencils { outer, length, inner } = pencils;
    let mut y = x.to_vec();
    let at = |o: usize, j: usize, i: usize| (o * length + j) * inner + i;
    let points = || (0..outer).flat_map(move |o| (0..length).flat_map(move |j| (0..inner).map(move |i| (o, j, i))));
    for (o, j, i) in points().filter(|(_, j, _)| j % CHUNK > 0) {
        y[at(o, j, i)] = T::join(reduction, y[at(o, j - 1, i)], y[at(o, j, i)]);
    }
    if pencils.is_one_chunk() {
        return y;
    }
    let last = |j: usize| (j % CHUNK == CHUNK - 1) || j == length - 1;
    let totals: Vec<T> = points().filter(|(_, j, _)| last(*j)).map(|(o, j, i)| y[at(o, j, i)]).collect();
    let carries = expected(&totals, reduction, pencils.totals());
    let chunks = pencils.totals().length;
    for (o, j, i) in points().filter(|(_, j, _)| *j >= CHUNK) {
        let carry = carries[(o * chunks + j / CHUNK - 1) * inner + i];
        y[at(o, j, i)] = T::join(reduction, carry, y[at(o, j, i)]);
    }
    y
}

/// The element type that kernels take for one.
fn stored(element: ElementType, bytes: &[u8]) -> Elements {
    match element.part() {
        ElementType::I32 => Elements::new(ElementType::U32, bytes),
        ElementType::I64 => {
            Elements::U64(bytes.chunks(8).map(|part| u64::from_ne_bytes(part.try_into().unwrap())).collect())
        }
        part => Elements::new(part, bytes),
    }
}

struct Case<'a> {
    element: ElementType,
    reduction: Reduction,
    device: &'a DeviceClass,
    forms: BTreeSet<String>,
}

impl Case<'_> {
    fn pass(&mut self, pass: Pass, pencils: Pencils, offsets: [usize; 2], buffers: &mut [&mut Elements]) {
        let launch = PassLaunch::new((self.element, self.reduction), pass, pencils, offsets, self.device);
        self.forms.insert(format!("{:?}", launch.variant.form));
        let kernel = launch.variant.kernel().unwrap();
        let accesses = [Access::Read, Access::Write, Access::Read];
        let buffers = buffers.iter_mut().zip(accesses).map(|(buffer, access)| buffer.argument(access));
        let is_wide = launch.variant.is_wide;
        let numbers = launch.numbers.map(|number| if is_wide { number.into() } else { (number as i32).into() });
        let arguments: Vec<_> = buffers.chain(numbers).collect();
        let run = Launch::new(&kernel, [launch.groups, 1, 1], [launch.items, 1, 1]).run(arguments);
        run.unwrap_or_else(|fault| panic!("{fault}\n{launch:?}\n{}", kernel.opencl()));
    }

    fn scan(&mut self, x: &mut Elements, y: &mut Elements, pencils: Pencils, offsets: [usize; 2]) {
        if pencils.is_one_chunk() {
            return self.pass(Pass::Whole, pencils, offsets, &mut [x, y]);
        }
        let totals = pencils.totals();
        let workspace = || stored(self.element, &vec![0xA5; totals.len() * self.element.bytes()]);
        let (mut sums, mut carries) = (workspace(), workspace());
        self.pass(Pass::Totals, pencils, [offsets[0], 0], &mut [x, &mut sums]);
        self.scan(&mut sums, &mut carries, totals, [0, 0]);
        self.pass(Pass::Chunks, pencils, offsets, &mut [x, y, &mut carries]);
    }
}

fn check<T: Scanned>(reduction: Reduction, pencils: Pencils, device: &DeviceClass) -> BTreeSet<String> {
    let mut random = Random::new(pencils.len() as u64);
    let x: Vec<T> = (0..pencils.len()).map(|_| T::random(&mut random)).collect();
    let expected: Vec<u8> = expected(&x, reduction, pencils).into_iter().flat_map(T::bytes).collect();
    let (element, parts) = by_parts(T::ELEMENT, reduction, pencils);
    let offsets = [3, 5].map(|offset| offset * parts.inner / pencils.inner);
    let padding = |count: usize| vec![0x5A_u8; count * T::ELEMENT.bytes()];
    let bytes: Vec<u8> = padding(3).into_iter().chain(x.iter().flat_map(|x| x.bytes())).collect();
    let mut y = stored(element, &padding(pencils.len() + 7));
    let mut case = Case { element, reduction, device, forms: BTreeSet::new() };
    case.scan(&mut stored(element, &bytes), &mut y, parts, offsets);
    let whole = [padding(5), expected, padding(2)].concat();
    assert!(equal(T::ELEMENT, &y.bytes(), &whole), "{:?} {reduction:?} {pencils:?} {device:?}", T::ELEMENT);
    case.forms
}

/// Equal bits; any NaN for a NaN.
fn equal(element: ElementType, a: &[u8], b: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| match element.part() {
        ElementType::F32 => f32::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        ElementType::F64 => f64::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        _ => false,
    };
    let size = element.part().bytes();
    a.len() == b.len() && a.chunks(size).zip(b.chunks(size)).all(|(a, b)| a == b || (is_nan(a) && is_nan(b)))
}

#[test]
fn scans_give_the_bits_of_the_stated_order() {
    let shapes = [
        (1, 1, 1),
        (1, 63, 1),
        (1, 64, 1),
        (1, 65, 1),
        (1, 4096, 1),
        (1, 4161, 1),
        (1, 9000, 1),
        (7, 10, 1),
        (130, 3, 1),
        (3, 700, 1),
        (2, 130, 3),
        (1, 515, 2),
        (9, 5, 7),
        (1, 100, 16),
        (2, 66, 17),
        (1, 129, 40),
        (1, 3, 300),
    ];
    let mut forms = BTreeSet::new();
    for (outer, length, inner) in shapes {
        let pencils = Pencils { outer, length, inner };
        for device in [DeviceClass::gpu(4), DeviceClass::cpu(2)] {
            for reduction in [Reduction::Sum, Reduction::Product] {
                forms.extend(check::<f32>(reduction, pencils, &device));
                forms.extend(check::<Complex>(reduction, pencils, &device));
            }
            forms.extend(check::<f64>(Reduction::Sum, pencils, &device));
            forms.extend(check::<i32>(Reduction::Sum, pencils, &device));
            forms.extend(check::<i64>(Reduction::Product, pencils, &device));
            forms.extend(check::<u8>(Reduction::Sum, pencils, &device));
        }
    }
    let all = [Form::Tiles, Form::Columns, Form::Chains, Form::Rows].map(|form| format!("{form:?}"));
    assert_eq!(forms, all.into());
}

#[test]
fn indices_beyond_32_bits_are_wide() {
    let launch = |length, offset, device| {
        let pencils = Pencils { outer: 1, length, inner: 1 };
        PassLaunch::new((ElementType::U8, Reduction::Sum), Pass::Chunks, pencils, [offset, 0], device)
    };
    let gpu = DeviceClass::gpu(100);
    assert!(!launch(1 << 30, 0, &gpu).variant.is_wide);
    assert!(launch(1 << 31, 0, &gpu).variant.is_wide);
    assert!(launch(1 << 20, 1 << 31, &gpu).variant.is_wide);
    let long = launch(5 << 30, 0, &gpu);
    assert_eq!((long.groups, long.items), (5 << 18, 64));
    assert_eq!(long.numbers[6], 5 << 30);
}

#[test]
fn truths_have_no_scan() {
    let pencils = Pencils { outer: 1, length: 10, inner: 1 };
    let bools = (ElementType::Bool, Reduction::Sum);
    assert!(PassLaunch::new(bools, Pass::Whole, pencils, [0, 0], &DeviceClass::gpu(1)).variant.kernel().is_err());
}
