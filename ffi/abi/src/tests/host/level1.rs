//! Level 1: adjacent elements, strides and negative increments.

use affinimath::{Real, Scalar};

use super::{Locations, MAX_SMALL, Memory, SIZES, compare, for_all_types, null, number, refused, vector};
use crate::blas::level1::{
    asum, axpby, axpy, copy, dot, dotc, iamax, iamin, nrm2, rot, rot_real, rotg, rotm, scal, scal_real, swap,
};
use crate::form::{Host, HostLocation};

const INCREMENTS: [i64; 4] = [1, 2, -1, -3];

/// Sizes and pairs of increments.
fn shapes() -> impl Iterator<Item = (usize, i64, i64)> {
    let pairs = || INCREMENTS.into_iter().flat_map(|x| INCREMENTS.map(move |y| (x, y)));
    SIZES.into_iter().flat_map(move |n| pairs().map(move |(x, y)| (n, x, y)))
}

fn has_short_way(n: usize) -> bool {
    (1..=MAX_SMALL).contains(&n)
}

fn pairs_of_vectors<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(0.75, -0.5), T::from_parts(-0.5, 0.25));
    let (c, s): (T::RealScalar, T::RealScalar) = (Scalar::from_parts(0.6, 0.0), Scalar::from_parts(0.8, 0.0));
    for (size, incx, incy) in shapes() {
        let n = size as i64;
        let memory = Memory::new([vector::<T>(size, incx, true, 1), vector(size, incy, true, 2)]);
        let shape = (size, incx, incy);
        macro_rules! pair {
            ($($module:ident $({ $($field:ident = $value:expr),+ })?;)+) => {$(
                let call = |Locations { arrays: [x, y], .. }: Locations<T, 2>| {
                    $module::Call::<T, Host> { n, x, incx, y, incy $(, $($field: $value),+)? }
                };
                compare(&(stringify!($module), shape), has_short_way(size), 2, &memory, call);
                if size > 0 {
                    refused!(memory, call; x = null(), y = null(), incx = 0, incy = 0);
                }
            )+};
        }
        pair! {
            copy;
            swap;
            axpy { alpha = alpha };
            axpby { alpha = alpha, beta = beta };
            rot { c = c, s = T::from_parts(0.48, 0.64) };
            rot_real { c = c, s = s };
        }
        let unread = Memory::new([vector::<T>(size, incx, true, 1), vector(size, incy, false, 2)]);
        compare(&("axpby with beta = 0", shape), false, 2, &unread, |Locations { arrays: [x, y], .. }| axpby::Call::<
            T,
            Host,
        > {
            n,
            alpha,
            x,
            incx,
            beta: T::ZERO,
            y,
            incy,
        });
        compare(&("axpy with alpha = 0", shape), false, 2, &memory, |Locations { arrays: [x, y], .. }| axpy::Call::<
            T,
            Host,
        > {
            n,
            alpha: T::ZERO,
            x,
            incx,
            y,
            incy,
        });
    }
}

fn dot_products<T: Scalar>() {
    for (size, incx, incy) in shapes() {
        let n = size as i64;
        let result = vector(1, 1, false, 0);
        let memory = Memory::new([vector::<T>(size, incx, true, 1), vector(size, incy, true, 2), result]);
        macro_rules! product {
            ($($module:ident)+) => {$(
                let call = |Locations { arrays: [x, y, result], .. }: Locations<T, 3>| {
                    $module::Call::<T, Host> { n, x, incx, y, incy, result }
                };
                compare(&(stringify!($module), size, incx, incy), has_short_way(size), size, &memory, call);
                refused!(memory, call; result = null(), incx = 0, incy = 0);
            )+};
        }
        product!(dot dotc);
    }
}

fn one_vector<T: Scalar>() {
    let alpha: T::RealScalar = Scalar::from_parts(0.75, 0.0);
    for (size, incx) in SIZES.into_iter().flat_map(|n| INCREMENTS.map(|incx| (n, incx))) {
        let (n, shape) = (size as i64, (size, incx));
        // BLAS: a negative increment is no vector, except of nrm2.
        let forward = has_short_way(size) && incx > 0;
        let mut memory = Memory::new([vector::<T>(size, incx, true, 3), vector(1, 1, false, 0)]);
        memory.integers = vec![-1];
        let call = |Locations { arrays: [x, _], .. }: Locations<T, 2>| scal::Call::<T, Host> {
            n,
            alpha: T::from_parts(0.75, -0.5),
            x,
            incx,
        };
        compare(&("scal", shape), forward, 1, &memory, call);
        let by_real =
            |Locations { arrays: [x, _], .. }: Locations<T, 2>| scal_real::Call::<T, Host> { n, alpha, x, incx };
        compare(&("scal_real", shape), forward, 1, &memory, by_real);
        if size > 0 && incx > 0 {
            refused!(memory, call; x = null(), incx = 0);
            refused!(memory, by_real; x = null(), incx = 0);
        }
        macro_rules! number {
            ($($module:ident: $is_small:expr;)+) => {$(
                let call = |Locations { arrays: [x, HostLocation(result)], .. }: Locations<T, 2>| {
                    $module::Call::<T, Host> { n, x, incx, result: HostLocation(result.cast()) }
                };
                compare(&(stringify!($module), shape), $is_small, 2 * size, &memory, call);
                refused!(memory, call; result = null(), incx = 0);
            )+};
        }
        number! {
            asum: forward;
            nrm2: has_short_way(size);
        }
        macro_rules! index {
            ($($module:ident)+) => {$(
                let call = |Locations { arrays: [x, _], integers }: Locations<T, 2>| {
                    $module::Call::<T, Host> { n, x, incx, result: HostLocation(integers) }
                };
                compare(&(stringify!($module), shape), forward, 0, &memory, call);
                refused!(memory, call; result = null(), incx = 0);
            )+};
        }
        index!(iamax iamin);
    }
}

fn rotations<T: Scalar>() {
    for seed in 0..20 {
        let one = |value: T| vec![value];
        let zero_at = |at: usize| if seed == at { T::ZERO } else { number(seed + at) };
        let memory = Memory::new([one(zero_at(0)), one(zero_at(1)), vector(1, 1, false, 0), vector(1, 1, false, 0)]);
        let call = |Locations { arrays: [a, b, HostLocation(c), s], .. }: Locations<T, 4>| rotg::Call::<T, Host> {
            a,
            b,
            c: HostLocation(c.cast()),
            s,
        };
        compare(&("rotg", seed), true, 4, &memory, call);
        refused!(memory, call; a = null(), b = null(), c = null(), s = null());
    }
}

fn modified_rotations<T: Real>() {
    for (size, incx, incy) in shapes() {
        for flag in [-2.0, -1.0, 0.0, 1.0] {
            let n = size as i64;
            let param = [flag, 0.5, -0.25, 0.75, 0.5].map(|x| T::from_parts(x, 0.0)).to_vec();
            let memory = Memory::new([vector::<T>(size, incx, true, 1), vector(size, incy, true, 2), param]);
            let call = |Locations { arrays: [x, y, param], .. }: Locations<T, 3>| rotm::Call::<T, Host> {
                n,
                x,
                incx,
                y,
                incy,
                param,
            };
            compare(&("rotm", size, incx, incy, flag), has_short_way(size), 2, &memory, call);
            if size > 0 {
                refused!(memory, call; x = null(), y = null(), param = null(), incx = 0, incy = 0);
            }
        }
    }
}

#[test]
fn modified_rotations_are_those_of_the_long_way() {
    modified_rotations::<f32>();
    modified_rotations::<f64>();
}

for_all_types! {
    pairs_of_vectors_are_those_of_the_long_way: pairs_of_vectors;
    dot_products_are_those_of_the_long_way: dot_products;
    results_of_one_vector_are_those_of_the_long_way: one_vector;
    rotations_are_those_of_the_long_way: rotations;
}
