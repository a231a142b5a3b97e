//! Conversions between all types, bitcasts, and half precision.

use affinimath_kernel::dynamic::{BinaryOp, Query};
use affinimath_kernel::{Access, Fault, Kernel, ScalarType, Undefined, ValueType, Vector, f16};

use super::targets::{Buffer, interpret, run};

/// Each output := x converted to its type, as n scalars and then as lanes of pairs.
fn conversion(from: ScalarType, targets: &[ScalarType], saturating: bool, n: usize) -> Kernel {
    Kernel::build_dynamic("conversion", |k| {
        let x = k.buffer("x", ValueType::scalar(from), Access::Read)?;
        let i = k.query(Query::GlobalId, 0)?;
        for to in targets {
            let y = k.buffer("y", ValueType::scalar(*to), Access::ReadWrite)?;
            let next = i.binary(BinaryOp::Add, k.index(n as i64))?;
            for (index, value) in [(i, x.load(i)?), (next, x.load(i)?.splat(2)?)] {
                let converted = if saturating { value.convert_saturating(*to)? } else { value.convert(*to)? };
                y.store(index, converted.lane(value.value_type().lanes - 1)?)?;
            }
        }
        Ok(())
    })
    .unwrap()
}

/// Values at the bounds of all types.
fn reals() -> Vec<f64> {
    let bounds = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 2.0_f64.powi(bits));
    let some = [0.0, 0.5, 1.5, 2.5, 100.9, 1e30, f64::INFINITY, f64::NAN];
    let positive = some.into_iter().chain(bounds.into_iter().flat_map(|bound| [bound - 1.0, bound - 0.5, bound]));
    positive.flat_map(|value| [value, -value]).collect()
}

macro_rules! integers {
    ($type:ident) => {
        [7, 8, 15, 16, 31, 32, 63]
            .into_iter()
            .flat_map(|bits| [(1_i128 << bits) - 1, 1 << bits, -(1 << bits), -(1 << bits) - 1, 0, 1, -1])
            .chain([$type::MAX as i128, $type::MIN as i128])
            .filter_map(|value| $type::try_from(value).ok())
            .collect::<Vec<$type>>()
    };
}

/// Conversions of `$x` to each type, by a function of Rust's for each.
macro_rules! check {
    ($saturating:expr, $x:expr, $from:ident; $($to:ident $to_scalar:ident $expected:expr),*) => {{
        let x = $x;
        let kernel = conversion(ScalarType::$from, &[$(ScalarType::$to_scalar),*], $saturating, x.len());
        let buffers = [Buffer::from(x.clone()), $(vec![0 as $to; 2 * x.len()].into()),*];
        let mut results = run(&kernel, x.len(), &buffers).into_iter().skip(1);
        $(
            let expected: Vec<$to> = x.iter().chain(&x).map($expected).collect();
            assert_eq!(results.next(), Some(expected.into()), "{:?} to {}", ScalarType::$from, stringify!($to));
        )*
    }};
}

/// Conversions of reals to all types, that saturate as Rust's do.
macro_rules! from_reals {
    ($($name:ident $from:ident $scalar:ident),*) => { $(
        #[test]
        fn $name() {
            let x: Vec<$from> = reals().into_iter().map(|x| x as $from).collect();
            check!(true, x, $scalar; i8 I8 |x| *x as _, u8 U8 |x| *x as _, i16 I16 |x| *x as _, u16 U16 |x| *x as _,
                i32 I32 |x| *x as _, u32 U32 |x| *x as _, i64 I64 |x| *x as _, u64 U64 |x| *x as _,
                f32 F32 |x| *x as _, f64 F64 |x| *x as _);
        }
    )* };
}

from_reals!(conversions_of_f32_saturate f32 F32, conversions_of_f64_saturate f64 F64);

/// The nearest value of a type.
macro_rules! clamped {
    ($to:ident) => {
        |value| (*value as i128).clamp($to::MIN as i128, $to::MAX as i128) as $to
    };
}

macro_rules! from_integers {
    ($($name:ident $from:ident $scalar:ident),*) => { $(
        #[test]
        fn $name() {
            let x = integers!($from);
            check!(true, x.clone(), $scalar; i8 I8 clamped!(i8), u8 U8 clamped!(u8), i16 I16 clamped!(i16),
                u16 U16 clamped!(u16), i32 I32 clamped!(i32), u32 U32 clamped!(u32), i64 I64 clamped!(i64),
                u64 U64 clamped!(u64), f32 F32 |x| *x as _, f64 F64 |x| *x as _);
            check!(false, x.clone(), $scalar; u8 U8 |x| *x as _, u16 U16 |x| *x as _, u32 U32 |x| *x as _,
                u64 U64 |x| *x as _, f32 F32 |x| *x as _, f64 F64 |x| *x as _);
            // Signed types take what they hold.
            let small = x.into_iter().filter(|value| i8::try_from(*value).is_ok()).collect::<Vec<_>>();
            check!(false, small, $scalar; i8 I8 |x| *x as _, i16 I16 |x| *x as _, i32 I32 |x| *x as _,
                i64 I64 |x| *x as _);
        }
    )* };
}

from_integers!(
    conversions_of_i8 i8 I8, conversions_of_u8 u8 U8, conversions_of_i16 i16 I16, conversions_of_u16 u16 U16,
    conversions_of_i32 i32 I32, conversions_of_u32 u32 U32, conversions_of_i64 i64 I64, conversions_of_u64 u64 U64
);

#[test]
fn conversions_without_a_portable_result_are_faults() {
    let undefined = |from, to, x: Buffer, y: Buffer| {
        let fault = interpret(&conversion(from, &[to], false, 1), 1, &[x, y]);
        matches!(fault, Err(Fault::Undefined { reason: Undefined::Conversion, .. }))
    };
    use ScalarType::{F32, F64, I8, I64, U8, U64};
    let bytes = || vec![0_u8; 2].into();
    assert!(undefined(F64, U8, vec![f64::NAN].into(), bytes()));
    assert!(undefined(F32, U8, vec![-1.0_f32].into(), bytes()));
    assert!(!undefined(F32, U8, vec![-0.9_f32].into(), bytes()), "it is truncated to 0");
    assert!(undefined(I64, I8, vec![128_i64].into(), vec![0_i8; 2].into()));
    assert!(!undefined(I64, U8, vec![-1_i64].into(), bytes()), "unsigned integers wrap");
    assert!(undefined(F64, U64, vec![2.0_f64.powi(64)].into(), vec![0_u64; 2].into()));
}

#[test]
fn bitcasts_keep_the_bits() {
    let kernel = Kernel::build("bits", |k| {
        let (x, y) = (k.input::<f32>("x"), k.input::<i64>("y"));
        let (u, v) = (k.in_out::<u32>("u"), k.in_out::<f64>("v"));
        // The sign of a float by its highest bit.
        let bits = x.vector_at::<4>(0).bitcast::<u32>();
        u.store_vector(0, bits ^ (bits & Vector([0x8000_0000; 4])));
        u.store(4, x.at(1).bitcast::<i32>().bitcast::<u32>() >> 23_u32);
        v.store(0, y.at(0).bitcast::<f64>() + 1.0);
        v.store(1, (v.at(0).bitcast::<u64>() + 1).bitcast::<f64>());
    })
    .unwrap();
    let x = vec![-1.0_f32, -0.0, f32::INFINITY, -2.5];
    let expected: Vec<u32> = x.iter().map(|x| x.abs().to_bits()).chain([0x100]).collect();
    let y = vec![2.0_f64.to_bits() as i64];
    let results = run(&kernel, 1, &[x.into(), y.into(), vec![0_u32; 5].into(), vec![0.0_f64; 2].into()]);
    assert_eq!(results[2], Buffer::U32(expected));
    assert_eq!(results[3], Buffer::F64(vec![3.0, 3.0_f64.next_up()]));
}

#[test]
fn half_precision_is_loaded_and_stored_with_one_rounding() {
    let n = 65536;
    let kernel = Kernel::build("halves", |k| {
        let (x, y) = (k.input::<f16>("x"), k.in_out::<f32>("y"));
        let i = k.global_id(0);
        y.store(i, x.at(i));
    })
    .unwrap();
    let x: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let expected: Vec<f32> = x.iter().map(|x| x.to_f32()).collect();
    assert_eq!(run(&kernel, n, &[x.into(), vec![0.0_f32; n].into()])[1], Buffer::F32(expected.clone()));

    let kernel = Kernel::build("rounded", |k| {
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f16>("y"));
        let i = k.global_id(0);
        y.store(i, x.at(i));
    })
    .unwrap();
    // Values of f16, and those on both sides of the middle between each and the next.
    let between = |value: f32| {
        let middle = (f64::from(value) + f64::from(f16::from_bits(f16::from_f32(value).to_bits() + 1).to_f32())) / 2.0;
        [value, middle as f32, (middle as f32).next_up(), (middle as f32).next_down()]
    };
    let finite = expected.into_iter().filter(|value| value.is_finite());
    let x: Vec<f32> = finite.flat_map(between).chain([65520.0, 65519.9, 1e30, f32::INFINITY, 1e-30]).collect();
    let expected: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
    let zeros = vec![f16::ZERO; x.len()];
    assert_eq!(run(&kernel, x.len(), &[x.into(), zeros.into()])[1], Buffer::F16(expected));
}

#[test]
fn vectors_and_arrays_of_half_precision() {
    let kernel = Kernel::build("halves", |k| {
        let (x, y) = (k.input::<f16>("x"), k.in_out::<f16>("y"));
        let (shared, own) = (k.local::<f16>("shared", 8), k.private::<f16>("own", 4));
        shared.store_vector(1, x.vector_at::<4>(1));
        k.barrier();
        own.store(0, shared.at(2));
        own.store(1, 1.0 / k.value(3.0_f32) + shared.at(3));
        y.store_aligned_vector(0, x.aligned_vector_at::<4>(4) * Vector([2.0; 4]));
        y.store_vector(4, own.vector_at::<2>(0));
    })
    .unwrap();
    let x: Vec<f16> = (0..8_u8).map(f16::from).collect();
    let third = f16::from_f32(1.0 / 3.0 + 3.0);
    let y: Vec<f16> = [8.0, 10.0, 12.0, 14.0, 2.0].map(f16::from_f32).into_iter().chain([third]).collect();
    let results = run(&kernel, 1, &[x.into(), vec![f16::ZERO; 6].into()]);
    assert_eq!(results[1], Buffer::F16(y));
}
