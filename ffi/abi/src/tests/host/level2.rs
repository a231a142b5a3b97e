//! Level 2: full, banded and packed matrices in both layouts, with strides and negative increments.

#![allow(clippy::redundant_field_names, reason = "a macro names a factor that is `alpha` for some routines")]

use affinimath::{Diag, Layout, Op, Scalar, Triangle};

use super::{Locations, MAX_SMALL, Memory, NO_CODE, PADDING, SIZES, compare, factors, for_all_types, general, is_in};
use super::{matrix, nan, null, pairs, refused, stored, symmetric, triangular, vector};
use crate::blas::level2::{
    gbmv, gemv, ger, gerc, hbmv, hemv, her, her2, hpmv, hpr, hpr2, sbmv, spmv, spr, spr2, symv, syr, syr2, tbmv, tbsv,
    tpmv, tpsv, trmv, trsv,
};
use crate::form::Host;

const INCREMENTS: [[i64; 2]; 4] = [[1, 1], [2, 1], [1, -1], [-3, 2]];

/// Diagonals below and above the main one.
const BANDWIDTHS: [[usize; 2]; 3] = [[0, 0], [4, 1], [1, 4]];

/// A stored band of a matrix and its leading dimension, with NaN beyond the band.
fn band<T: Scalar>(
    layout: Layout,
    [m, n]: [usize; 2],
    [lower, upper]: [usize; 2],
    value: impl Fn(usize, usize) -> T,
) -> (Vec<T>, i64) {
    let step = lower + upper + 1 + PADDING;
    let mut array = vec![nan(); step * m.max(n).max(1)];
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        if j + lower >= i && i + upper >= j {
            let by_columns = layout == Layout::ColumnMajor;
            array[if by_columns { upper + i - j + j * step } else { lower + j - i + i * step }] = value(i, j);
        }
    }
    (array, step as i64)
}

/// The diagonals of a triangular band below and above the main one.
fn bandwidths(triangle: Triangle, k: usize) -> [usize; 2] {
    if triangle == Triangle::Lower { [k, 0] } else { [0, k] }
}

/// A packed triangle, with NaN behind it.
fn packed<T: Scalar>(layout: Layout, triangle: Triangle, n: usize, value: impl Fn(usize, usize) -> T) -> (Vec<T>, i64) {
    let mut array = Vec::new();
    for (outer, inner) in (0..n).flat_map(|outer| (0..n).map(move |inner| (outer, inner))) {
        let (i, j) = if layout == Layout::ColumnMajor { (inner, outer) } else { (outer, inner) };
        if is_in(triangle, i, j) {
            array.push(value(i, j));
        }
    }
    array.resize(array.len() + PADDING, nan());
    (array, 0)
}

/// Orders, layouts and increments.
fn shapes() -> impl Iterator<Item = (usize, Layout, [i64; 2])> {
    let steps = || pairs(Layout::ALL, &INCREMENTS);
    SIZES.into_iter().flat_map(move |n| steps().map(move |(layout, steps)| (n, layout, steps)))
}

fn general_products<T: Scalar>() {
    for (size, layout, [incx, incy]) in shapes() {
        for sizes in [[size, size], [size, 3], [5, size]] {
            for (op, [alpha, beta]) in Op::ALL.iter().flat_map(|op| factors::<T>().map(|factors| (*op, factors))) {
                let (reads, [rows, columns]) = (alpha != T::ZERO, stored(op, sizes));
                let (x, y) = (vector(columns, incx, reads, 2), vector(rows, incy, beta != T::ZERO, 3));
                let is_small = reads && sizes.iter().all(|size| (1..=MAX_SMALL).contains(size));
                let ([m, n], trans) = (sizes.map(|size| size as i64), op.code());
                let (a, lda) = general(layout, sizes, reads, 1);
                let memory = Memory::new([a, x.clone(), y.clone()]);
                let what = (sizes, layout, op, [incx, incy], alpha, beta);
                let call = |Locations { arrays: [a, x, y], .. }: Locations<T, 3>| gemv::Call::<T, Host> {
                    layout: layout.code(),
                    trans,
                    m,
                    n,
                    alpha,
                    a,
                    lda,
                    x,
                    incx,
                    beta,
                    y,
                    incy,
                };
                compare(&("gemv", what), is_small, columns, &memory, call);
                if is_small {
                    refused!(memory, call; layout = NO_CODE, trans = NO_CODE, m = -1, n = -1, a = null(), lda = 0,
                        x = null(), incx = 0, y = null(), incy = 0);
                }
                for [lower, upper] in BANDWIDTHS {
                    let value = |i, j| if reads { super::number(i * 41 + j) } else { nan() };
                    let (a, lda) = band::<T>(layout, sizes, [lower, upper], value);
                    let (kl, ku) = (lower as i64, upper as i64);
                    let memory = Memory::new([a, x.clone(), y.clone()]);
                    let call = |Locations { arrays: [a, x, y], .. }: Locations<T, 3>| {
                        let layout = layout.code();
                        gbmv::Call::<T, Host> { layout, trans, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy }
                    };
                    compare(&("gbmv", what, kl, ku), is_small, columns, &memory, call);
                    if is_small {
                        refused!(memory, call; layout = NO_CODE, trans = NO_CODE, m = -1, n = -1, kl = -1, ku = -1,
                            a = null(), lda = 0, x = null(), incx = 0, y = null(), incy = 0);
                    }
                }
            }
        }
    }
}

/// The test of a product with a symmetric matrix from `$matrix`. `$field` are its arguments with their values, and
/// `$wrong` with wrong ones.
macro_rules! symmetric_product {
    ($module:ident $hermitian:literal $a:ident [$($field:ident = $value:expr),*] [$($wrong:ident = $bad:expr),*]
        |$layout:ident, $triangle:ident, $n:ident, $lda:ident, $read:ident| $matrix:expr) => {
        fn $module<T: Scalar>() {
            for ($n, $layout, [incx, incy]) in shapes() {
                for ($triangle, [alpha, beta]) in
                    Triangle::ALL.iter().flat_map(|part| factors::<T>().map(|factors| (*part, factors)))
                {
                        let reads = alpha != T::ZERO;
                        let $read =
                            |i, j| if reads { symmetric::<T>($triangle, $hermitian, i, j) } else { nan() };
                        let (x, y) = (vector($n, incx, reads, 2), vector($n, incy, beta != T::ZERO, 3));
                        let (a, $lda) = $matrix;
                        let _ = $lda;
                        let memory = Memory::new([a, x, y]);
                        let (n, uplo) = ($n as i64, $triangle.code());
                        let call = |Locations { arrays: [$a, x, y], .. }: Locations<T, 3>| $module::Call::<T, Host> {
                            layout: $layout.code(), uplo, n, alpha, $a, x, incx, beta, y, incy, $($field: $value),*
                        };
                        let is_small = reads && (1..=MAX_SMALL).contains(&$n);
                        let what = (stringify!($module), $n, $layout, $triangle, [incx, incy], alpha, beta);
                        compare(&what, is_small, $n, &memory, call);
                        if is_small {
                            refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, n = -1, $a = null(), x = null(),
                                incx = 0, y = null(), incy = 0 $(, $wrong = $bad)*);
                        }
                }
            }
        }
    };
}

symmetric_product!(symv false a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
symmetric_product!(hemv true a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
symmetric_product!(
    sbmv false a [k = 2, lda = lda] [k = -1, lda = 0]
    |layout, triangle, n, lda, read| band(layout, [n, n], bandwidths(triangle, 2), read)
);
symmetric_product!(
    hbmv true a [k = 2, lda = lda] [k = -1, lda = 0]
    |layout, triangle, n, lda, read| band(layout, [n, n], bandwidths(triangle, 2), read)
);
symmetric_product!(spmv false ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));
symmetric_product!(hpmv true ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));

/// Products and systems with a triangular matrix, tested in the same way.
macro_rules! triangular_call {
    ($module:ident $a:ident [$($field:ident = $value:expr),*] [$($wrong:ident = $bad:expr),*]
        |$layout:ident, $triangle:ident, $n:ident, $lda:ident, $read:ident| $matrix:expr) => {
        fn $module<T: Scalar>() {
            for ($n, $layout, [incx, _]) in shapes() {
                for (($triangle, op), diagonal) in
                    pairs(Triangle::ALL, Op::ALL).flat_map(|some| Diag::ALL.iter().map(move |one| (some, *one)))
                {
                    let unit = diagonal == Diag::Unit;
                    let $read = |i, j| triangular::<T>($triangle, unit, $n, i, j);
                    let (a, $lda) = $matrix;
                    let _ = $lda;
                    let memory = Memory::new([a, vector($n, incx, true, 2)]);
                    let (n, uplo, trans, diag) = ($n as i64, $triangle.code(), op.code(), diagonal.code());
                        let call = |Locations { arrays: [$a, x], .. }: Locations<T, 2>| $module::Call::<T, Host> {
                            layout: $layout.code(), uplo, trans, diag, n, $a, x, incx, $($field: $value),*
                        };
                        let is_small = (1..=MAX_SMALL).contains(&$n);
                        let what = (stringify!($module), $n, $layout, $triangle, op, diagonal, incx);
                        compare(&what, is_small, $n, &memory, call);
                        if is_small {
                            refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, trans = NO_CODE, diag = NO_CODE,
                                n = -1, $a = null(), x = null(), incx = 0 $(, $wrong = $bad)*);
                        }
                }
            }
        }
    };
}

triangular_call!(trmv a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
triangular_call!(trsv a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
triangular_call!(
    tbmv a [k = 2, lda = lda] [k = -1, lda = 0]
    |layout, triangle, n, lda, read| band(layout, [n, n], bandwidths(triangle, 2), read)
);
triangular_call!(
    tbsv a [k = 2, lda = lda] [k = -1, lda = 0]
    |layout, triangle, n, lda, read| band(layout, [n, n], bandwidths(triangle, 2), read)
);
triangular_call!(tpmv ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));
triangular_call!(tpsv ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));

fn general_updates<T: Scalar>() {
    for (size, layout, [incx, incy]) in shapes() {
        for (sizes, [alpha, _]) in
            [[size, size], [size, 3], [5, size]].into_iter().flat_map(|sizes| factors::<T>().map(|f| (sizes, f)))
        {
            let reads = alpha != T::ZERO;
            let (a, lda) = general(layout, sizes, true, 1);
            let memory = Memory::new([a, vector(sizes[0], incx, reads, 2), vector(sizes[1], incy, reads, 3)]);
            let [m, n] = sizes.map(|size| size as i64);
            let is_small = reads && sizes.iter().all(|size| (1..=MAX_SMALL).contains(size));
            macro_rules! update {
                ($($module:ident)+) => {$(
                    let call = |Locations { arrays: [a, x, y], .. }: Locations<T, 3>| $module::Call::<T, Host> {
                        layout: layout.code(), m, n, alpha, x, incx, y, incy, a, lda,
                    };
                    compare(&(stringify!($module), sizes, layout, [incx, incy], alpha), is_small, 1, &memory, call);
                    if is_small {
                        refused!(memory, call; layout = NO_CODE, m = -1, n = -1, x = null(), incx = 0, y = null(),
                            incy = 0, a = null(), lda = 0);
                    }
                )+};
            }
            update!(ger gerc);
        }
    }
}

/// alpha in a routine's type, which may be real.
macro_rules! factor {
    (T, $value:expr) => {
        $value
    };
    (R, $value:expr) => {
        Scalar::from_parts($value.re(), 0.0)
    };
}

/// Updates of symmetric matrices from one vector or two, tested in the same way.
macro_rules! symmetric_update {
    ($module:ident $factor:ident $hermitian:literal [$($y:ident, $incy:ident)?] $a:ident
        [$($field:ident = $value:expr),*] [$($wrong:ident = $bad:expr),*]
        |$layout:ident, $triangle:ident, $n:ident, $lda:ident, $read:ident| $matrix:expr) => {
        fn $module<T: Scalar>() {
            for ($n, $layout, [incx, incy]) in shapes() {
                for ($triangle, [alpha, _]) in
                    Triangle::ALL.iter().flat_map(|part| factors::<T>().map(|factors| (*part, factors)))
                {
                        let reads = alpha != T::ZERO;
                        let $read = |i, j| symmetric::<T>($triangle, $hermitian, i, j);
                        let (a, $lda) = $matrix;
                        let _ = $lda;
                        let memory = Memory::new([a, vector($n, incx, reads, 2), vector($n, incy, reads, 3)]);
                        let (n, uplo) = ($n as i64, $triangle.code());
                        let call = |Locations { arrays: [$a, x, _second], .. }: Locations<T, 3>| {
                            $module::Call::<T, Host> {
                                layout: $layout.code(), uplo, n, alpha: factor!($factor, alpha), x, incx, $a,
                                $($y: _second, $incy: incy,)? $($field: $value),*
                            }
                        };
                        let is_small = reads && (1..=MAX_SMALL).contains(&$n);
                        let what = (stringify!($module), $n, $layout, $triangle, [incx, incy], alpha);
                        compare(&what, is_small, 2, &memory, call);
                        if is_small {
                            refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, n = -1, x = null(), incx = 0,
                                $a = null() $(, $y = null(), $incy = 0)? $(, $wrong = $bad)*);
                        }
                }
            }
        }
    };
}

symmetric_update!(syr T false [] a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
symmetric_update!(her R true [] a [lda = lda] [lda = 0] |layout, triangle, n, lda, read| matrix(layout, [n, n], read));
symmetric_update!(
    syr2 T false [y, incy] a [lda = lda] [lda = 0]
    |layout, triangle, n, lda, read| matrix(layout, [n, n], read)
);
symmetric_update!(
    her2 T true [y, incy] a [lda = lda] [lda = 0]
    |layout, triangle, n, lda, read| matrix(layout, [n, n], read)
);
symmetric_update!(spr T false [] ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));
symmetric_update!(hpr R true [] ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));
symmetric_update!(spr2 T false [y, incy] ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));
symmetric_update!(hpr2 T true [y, incy] ap [] [] |layout, triangle, n, lda, read| packed(layout, triangle, n, read));

for_all_types! {
    general_products_are_those_of_the_long_way: general_products;
    general_updates_are_those_of_the_long_way: general_updates;
    symv_is_that_of_the_long_way: symv;
    hemv_is_that_of_the_long_way: hemv;
    sbmv_is_that_of_the_long_way: sbmv;
    hbmv_is_that_of_the_long_way: hbmv;
    spmv_is_that_of_the_long_way: spmv;
    hpmv_is_that_of_the_long_way: hpmv;
    trmv_is_that_of_the_long_way: trmv;
    trsv_is_that_of_the_long_way: trsv;
    tbmv_is_that_of_the_long_way: tbmv;
    tbsv_is_that_of_the_long_way: tbsv;
    tpmv_is_that_of_the_long_way: tpmv;
    tpsv_is_that_of_the_long_way: tpsv;
    syr_is_that_of_the_long_way: syr;
    her_is_that_of_the_long_way: her;
    syr2_is_that_of_the_long_way: syr2;
    her2_is_that_of_the_long_way: her2;
    spr_is_that_of_the_long_way: spr;
    hpr_is_that_of_the_long_way: hpr;
    spr2_is_that_of_the_long_way: spr2;
    hpr2_is_that_of_the_long_way: hpr2;
}
