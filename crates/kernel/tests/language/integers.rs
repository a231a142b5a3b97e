//! Integers of all sizes: bits, products, wrapping arithmetic.

use affinimath_kernel::{Counter, Fault, Kernel, Undefined, Vector};

use super::targets::{Buffer, interpret, run};

/// Operations on pairs of integers, as scalars and as vectors: operation j of pair i is at 2 n j + i, and n later.
fn operations<T: Counter>(n: usize) -> Kernel {
    Kernel::build("operations", |k| {
        let (x, y) = (k.input::<T>("x"), k.in_out::<T>("y"));
        let i = k.global_id(0);
        let bits = T::whole(size_of::<T>() as i32 * 8 - 1);
        macro_rules! results {
            ($a:expr, $b:expr, $bits:expr, $one:expr) => {{
                let (a, b, bits, one) = ($a, $b, $bits, $one);
                [
                    a & b,
                    a | b,
                    a ^ !b,
                    a >> (b & bits),
                    a.rotate_left(b),
                    a.rotate_right(b),
                    a.mul_hi(b),
                    a.popcount(),
                    a.leading_zeros(),
                    a.min(b),
                    a.max(b),
                    a.clamp(one, b | one),
                    a.lt(b).select(a, b),
                    a / (b | one),
                    a % (b | one),
                ]
            }};
        }
        let (a, b) = (x.at(i * 2), x.at(i * 2 + 1));
        for (j, result) in results!(a, b, bits, T::whole(1)).into_iter().enumerate() {
            y.store(i + 2 * n * j, result);
        }
        let (a, b) = (a.splat::<2>(), b.splat::<2>());
        for (j, result) in results!(a, b, Vector([bits; 2]), Vector([T::whole(1); 2])).into_iter().enumerate() {
            y.store(i + (2 * j + 1) * n, result.lane(1));
        }
    })
    .unwrap()
}

macro_rules! operations_of {
    ($($name:ident $type:ident $unsigned:ident $wide:ident),*) => { $(
        #[test]
        fn $name() {
            let some: [$type; 7] = [0, 1, 3, 100, $type::MAX, $type::MIN, $type::MAX / 3 * 2];
            let pairs: Vec<($type, $type)> = some.iter().flat_map(|a| some.iter().map(|b| (*a, *b))).collect();
            // The quotient of the least value and -1 has no value.
            let n = pairs.len();
            let x: Vec<$type> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let y = vec![0 as $type; 30 * n];
            let results = run(&operations::<$type>(n), n, &[x.into(), y.into()]);
            let mut expected = Vec::new();
            for j in 0..15 {
                for _ in 0..2 {
                    expected.extend(pairs.iter().map(|(a, b)| {
                        let (a, b) = (*a, *b);
                        let by = (b as u64 % u64::from($type::BITS)) as u32;
                        match j {
                            0 => a & b,
                            1 => a | b,
                            2 => a ^ !b,
                            3 => a >> by,
                            4 => a.rotate_left(by),
                            5 => a.rotate_right(by),
                            6 => ((a as $wide * b as $wide) >> $type::BITS) as $type,
                            7 => a.count_ones() as $type,
                            8 => a.leading_zeros() as $type,
                            9 => a.min(b),
                            10 => a.max(b),
                            11 => a.max(1).min(b | 1),
                            12 => a.min(b),
                            13 => a / (b | 1),
                            _ => a % (b | 1),
                        }
                    }));
                }
            }
            assert_eq!(results[1], Buffer::from(expected));
        }
    )* };
}

operations_of!(
    operations_on_i8 i8 u8 i128, operations_on_u8 u8 u8 u128, operations_on_i16 i16 u16 i128,
    operations_on_u16 u16 u16 u128, operations_on_i32 i32 u32 i128, operations_on_u32 u32 u32 u128,
    operations_on_i64 i64 u64 i128, operations_on_u64 u64 u64 u128
);

macro_rules! wrapping {
    ($($name:ident $type:ident),*) => { $(
        #[test]
        fn $name() {
            let kernel = Kernel::build("wrapping", |k| {
                let (x, y) = (k.input::<$type>("x"), k.in_out::<$type>("y"));
                let i = k.global_id(0);
                let (a, b) = (x.at(i * 2), x.at(i * 2 + 1));
                let results = [a + b, a - b, a * b, -a, !a, a << (b & 7)];
                results.into_iter().enumerate().for_each(|(j, result)| y.store(i * 12 + j, result));
                // The half: a promoted sum would keep the bit that the type loses.
                let (a, b) = (a.splat::<2>(), b.splat::<2>());
                let results = [a + b, a - b, a * b, -a, !a, a << (b & Vector([7; 2]))];
                for (j, result) in results.into_iter().enumerate() {
                    y.store(i * 12 + 6 + j, (result / Vector([2; 2])).lane(0));
                }
            })
            .unwrap();
            let some = [0, 1, 77, $type::MAX, $type::MIN, $type::MAX - 1];
            let pairs: Vec<($type, $type)> = some.iter().flat_map(|a| some.iter().map(|b| (*a, *b))).collect();
            let x: Vec<$type> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let y = vec![0 as $type; 12 * pairs.len()];
            let results = run(&kernel, pairs.len(), &[x.into(), y.into()]);
            let expected: Vec<$type> = pairs
                .iter()
                .flat_map(|(a, b)| {
                    let shifted = a << (b & 7);
                    let (sum, product) = (a.wrapping_add(*b), a.wrapping_mul(*b));
                    let some = [sum, a.wrapping_sub(*b), product, a.wrapping_neg(), !a, shifted];
                    some.into_iter().chain(some.map(|value| value / 2))
                })
                .collect();
            assert_eq!(results[1], Buffer::from(expected));
        }
    )* };
}

wrapping!(arithmetic_of_i8_wraps i8, arithmetic_of_u8_wraps u8, arithmetic_of_i16_wraps i16);
wrapping!(arithmetic_of_u16_wraps u16, arithmetic_of_u32_wraps u32, arithmetic_of_u64_wraps u64);

#[test]
fn the_least_value_divided_by_minus_one_is_undefined_at_every_size() {
    let kernel = Kernel::build("divided", |k| {
        let x = k.in_out::<i8>("x");
        x.store(0, x.at(0) / x.at(1));
    })
    .unwrap();
    let fault = interpret(&kernel, 1, &[vec![i8::MIN, -1].into()]).unwrap_err();
    assert!(matches!(fault, Fault::Undefined { reason: Undefined::Overflow, .. }), "{fault}");
}
