//! LU and Cholesky: factors, solutions, and matrices that have no factors.

use affinimath::{Layout, Op, Scalar, Triangle};

use super::{Locations, MAX_SMALL, Memory, NO_CODE, SIZES, compare, dominant, for_all_types, general, is_in};
use super::{matrix, nan, null, number, pairs, refused};
use crate::form::{Host, HostLocation};
use crate::lapack::{Pivots, gesv, getrf, getrs, laswp, posv, potrf, potrs};

/// Right-hand sides on both sides of the switch to many.
const COLUMNS: [usize; 4] = [0, 1, 4, 5];

/// Pivots of 32 bits in the memory of a call's integers.
fn pivots(integers: *mut i64) -> Pivots<HostLocation<i32>> {
    Pivots::Narrow(HostLocation(integers.cast()))
}

/// Memory for pivots, of which the first ones have these values.
fn words(values: &[i32]) -> Vec<i64> {
    let pair = |pair: &[i32]| {
        let [first, second] = [pair[0], pair.get(1).copied().unwrap_or(-7)].map(i32::to_ne_bytes);
        i64::from_ne_bytes(std::array::from_fn(|i| if i < 4 { first[i] } else { second[i - 4] }))
    };
    values.chunks(2).map(pair).chain([-7]).collect()
}

/// Pivots that exchange each row with one of the next two.
fn exchanges(n: usize) -> Vec<i32> {
    (0..n).map(|i| (i + 1 + i % 3).min(n) as i32).collect()
}

/// A diagonally dominant matrix with its rows reversed, so that rounding does not choose the pivots.
fn reversed<T: Scalar>(m: usize, n: usize, i: usize, j: usize) -> T {
    dominant(m.max(n), m - 1 - i, j)
}

/// An element of a positive definite matrix with NaN outside the triangle that is read.
fn definite<T: Scalar>(triangle: Triangle, n: usize, i: usize, j: usize) -> T {
    match () {
        () if !is_in(triangle, i, j) => nan(),
        () if i == j => T::from_parts(1.5, 0.0),
        () => dominant(n, i, j),
    }
}

fn has_short_way(n: usize, columns: usize) -> bool {
    (1..=MAX_SMALL).contains(&n) && columns > 0
}

/// Orders, right-hand sides and layouts.
fn systems() -> impl Iterator<Item = (usize, usize, Layout)> {
    let columns = || pairs(&COLUMNS, Layout::ALL);
    SIZES.into_iter().flat_map(move |n| columns().map(move |(columns, layout)| (n, columns, layout)))
}

fn lu_factors<T: Scalar>() {
    let shapes = SIZES.into_iter().flat_map(|n| [[n, n], [n, 5], [3, n]]);
    for (sizes, layout) in shapes.flat_map(|sizes| Layout::ALL.iter().map(move |layout| (sizes, *layout))) {
        let [m, n] = sizes.map(|size| size as i64);
        let call_of = |lda: i64| {
            move |Locations { arrays: [a], integers }: Locations<T, 1>| {
                let (layout, ipiv) = (layout.code(), pivots(integers));
                getrf::Call::<T, Host> { layout, m, n, a, lda, ipiv }
            }
        };
        // A zero column, whose index is the status, and a matrix that is not finite take the general way.
        for broken in [None, Some(T::ZERO), Some(nan())] {
            let last = sizes[0].min(sizes[1]).saturating_sub(1);
            let value = |i, j| match broken {
                Some(value) if j == last => value,
                _ => reversed(sizes[0], sizes[1], i, j),
            };
            let (a, lda) = matrix(layout, sizes, value);
            let mut memory = Memory::new([a]);
            memory.integers = words(&vec![-7; sizes[0].min(sizes[1])]);
            let is_small = broken.is_none() && has_short_way(sizes[0].max(sizes[1]), sizes[0].min(sizes[1]));
            compare(&("getrf", sizes, layout, broken), is_small, last + 1, &memory, call_of(lda));
            if is_small {
                refused!(memory, call_of(lda); layout = NO_CODE, m = -1, n = -1, a = null(), lda = 0,
                    ipiv = Pivots::Narrow(null()));
            }
        }
    }
}

fn lu_systems<T: Scalar>() {
    for (size, columns, layout) in systems() {
        let (n, nrhs) = (size as i64, columns as i64);
        let is_small = has_short_way(size, columns);
        let (b, ldb) = general(layout, [size, columns], true, 2);
        let (a, lda) = matrix(layout, [size, size], |i, j| reversed(size, size, i, j));
        let mut memory = Memory::new([a, b.clone()]);
        memory.integers = words(&vec![-7; size]);
        let call = |Locations { arrays: [a, b], integers }: Locations<T, 2>| gesv::Call::<T, Host> {
            layout: layout.code(),
            n,
            nrhs,
            a,
            lda,
            ipiv: pivots(integers),
            b,
            ldb,
        };
        compare(&("gesv", size, columns, layout), is_small, size, &memory, call);
        if is_small {
            refused!(memory, call; layout = NO_CODE, n = -1, nrhs = -1, a = null(), lda = 0,
                ipiv = Pivots::Narrow(null()), b = null(), ldb = 0);
        }
        for op in Op::ALL.iter().copied() {
            let (a, lda) = matrix(layout, [size, size], |i, j| dominant(size, i, j));
            let mut memory = Memory::new([a, b.clone()]);
            memory.integers = words(&exchanges(size));
            let call = |Locations { arrays: [a, b], integers }: Locations<T, 2>| {
                let (layout, trans, ipiv) = (layout.code(), op.code(), pivots(integers));
                getrs::Call::<T, Host> { layout, trans, n, nrhs, a, lda, ipiv, b, ldb }
            };
            compare(&("getrs", size, columns, layout, op), is_small, size, &memory, call);
            if is_small {
                refused!(memory, call; layout = NO_CODE, trans = NO_CODE, n = -1, nrhs = -1, a = null(), lda = 0,
                    ipiv = Pivots::Narrow(null()), b = null(), ldb = 0);
                // A pivot that is no row's index.
                memory.integers = words(&vec![size as i32 + 1; size]);
                compare(&("getrs with wrong pivots", size), false, size, &memory, call);
            }
        }
    }
}

fn cholesky_factors<T: Scalar>() {
    for (size, (layout, triangle)) in
        SIZES.into_iter().flat_map(|n| pairs(Layout::ALL, Triangle::ALL).map(move |options| (n, options)))
    {
        // A diagonal element that is not positive, whose index is the status, and a NaN take the general way.
        for broken in [None, Some(-1.0), Some(f64::NAN)] {
            let value = |i, j| match broken {
                Some(value) if i == j && i + 1 == size => T::from_parts(value, 0.0),
                _ => definite(triangle, size, i, j),
            };
            let (a, lda) = matrix(layout, [size, size], value);
            let (memory, n) = (Memory::new([a]), size as i64);
            let call = |Locations { arrays: [a], .. }: Locations<T, 1>| potrf::Call::<T, Host> {
                layout: layout.code(),
                uplo: triangle.code(),
                n,
                a,
                lda,
            };
            let is_small = broken.is_none() && has_short_way(size, 1);
            compare(&("potrf", size, layout, triangle, broken), is_small, size, &memory, call);
            if is_small {
                refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, n = -1, a = null(), lda = 0);
            }
        }
    }
}

fn cholesky_systems<T: Scalar>() {
    for ((size, columns, layout), triangle) in
        systems().flat_map(|system| Triangle::ALL.iter().map(move |triangle| (system, *triangle)))
    {
        let (n, nrhs, uplo) = (size as i64, columns as i64, triangle.code());
        let (b, ldb) = general(layout, [size, columns], true, 2);
        macro_rules! system {
            ($($module:ident $broken:expr;)+) => {$(
                let value = |i, j| match $broken {
                    Some(value) if i == j && i + 1 == size => T::from_parts(value, 0.0),
                    _ => definite(triangle, size, i, j),
                };
                let (a, lda) = matrix(layout, [size, size], value);
                let memory = Memory::new([a, b.clone()]);
                let call = |Locations { arrays: [a, b], .. }: Locations<T, 2>| {
                    $module::Call::<T, Host> { layout: layout.code(), uplo, n, nrhs, a, lda, b, ldb }
                };
                let is_small = $broken.is_none() && has_short_way(size, columns);
                let what = (stringify!($module), size, columns, layout, triangle, $broken);
                compare(&what, is_small, size, &memory, call);
                if is_small {
                    refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, n = -1, nrhs = -1, a = null(), lda = 0,
                        b = null(), ldb = 0);
                }
            )+};
        }
        let (sound, not_definite): (Option<f64>, Option<f64>) = (None, Some(-1.0));
        system! {
            potrs sound;
            posv sound;
            posv not_definite;
        }
    }
}

fn interchanges<T: Scalar>() {
    for (size, layout) in SIZES.into_iter().flat_map(|n| Layout::ALL.iter().map(move |layout| (n, *layout))) {
        for (incx, first) in [(1, 1), (1, 2), (-1, 1)] {
            let (n, k1, k2) = (size as i64, first, size as i64);
            let (a, lda) = matrix(layout, [size, size], |i, j| number::<T>(i * 41 + j));
            let mut memory = Memory::new([a]);
            memory.integers = words(&exchanges(size));
            let call = |Locations { arrays: [a], integers }: Locations<T, 1>| laswp::Call::<T, Host> {
                layout: layout.code(),
                n,
                a,
                lda,
                k1,
                k2,
                ipiv: pivots(integers),
                incx,
            };
            let is_small = has_short_way(size, 1) && k1 <= k2;
            compare(&("laswp", size, layout, incx, first), is_small, 0, &memory, call);
            if is_small {
                refused!(memory, call; layout = NO_CODE, a = null(), lda = 0, ipiv = Pivots::Narrow(null()));
            }
        }
    }
}

for_all_types! {
    lu_factors_are_those_of_the_long_way: lu_factors;
    lu_systems_are_those_of_the_long_way: lu_systems;
    cholesky_factors_are_those_of_the_long_way: cholesky_factors;
    cholesky_systems_are_those_of_the_long_way: cholesky_systems;
    interchanges_are_those_of_the_long_way: interchanges;
}
