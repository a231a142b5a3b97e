//! Level 3: both layouts, all operations, sides and triangles.

use affinimath::{Diag, Layout, Op, Scalar, Side, Triangle};

use super::{Locations, MAX_SMALL, Memory, NO_CODE, SIZES, compare, factors, for_all_types, general, matrix, null};
use super::{number, order, pairs, refused, stored, symmetric, triangular};
use crate::blas::level3::{gemm, hemm, her2k, herk, symm, syr2k, syrk, trmm, trsm};
use crate::form::Host;

/// True if all of the sizes are small.
fn are_small(sizes: &[usize]) -> bool {
    sizes.iter().all(|size| (1..=MAX_SMALL).contains(size))
}

/// A matrix C with a triangle that is written, and read if beta is not 0.
fn target<T: Scalar>(layout: Layout, triangle: Triangle, hermitian: bool, n: usize, beta: T) -> (Vec<T>, i64) {
    let value = |i, j| symmetric::<T>(triangle, hermitian, i, j);
    matrix(layout, [n, n], |i, j| if beta == T::ZERO { super::nan() } else { value(i, j) })
}

fn products<T: Scalar>() {
    let shapes = SIZES.into_iter().flat_map(|n| [[n, n, n], [n, 3, 8], [2, n, 7], [4, 5, n]]);
    for (sizes, layout) in shapes.flat_map(|sizes| Layout::ALL.iter().map(move |layout| (sizes, *layout))) {
        for (op_a, op_b) in pairs(Op::ALL, Op::ALL) {
            for [alpha, beta] in factors::<T>() {
                let [m, n, k] = sizes;
                let (a, lda) = general(layout, stored(op_a, [m, k]), alpha != T::ZERO, 1);
                let (b, ldb) = general(layout, stored(op_b, [k, n]), alpha != T::ZERO, 2);
                let (c, ldc) = general(layout, [m, n], beta != T::ZERO, 3);
                let memory = Memory::new([a, b, c]);
                let [m, n, k] = sizes.map(|size| size as i64);
                let (transa, transb) = (op_a.code(), op_b.code());
                let call = |Locations { arrays: [a, b, c], .. }: Locations<T, 3>| {
                    let layout = layout.code();
                    gemm::Call::<T, Host> { layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc }
                };
                let is_small = alpha != T::ZERO && are_small(&sizes);
                let what = ("gemm", sizes, layout, op_a, op_b, alpha, beta);
                compare(&what, is_small, sizes[2], &memory, call);
                if is_small {
                    refused!(memory, call; layout = NO_CODE, transa = NO_CODE, transb = NO_CODE, m = -1, n = -1,
                        k = -1, a = null(), lda = 0, b = null(), ldb = 0, c = null(), ldc = 0);
                }
            }
        }
    }
}

fn symmetric_products<T: Scalar>() {
    let shapes = SIZES.into_iter().flat_map(|n| [[n, n], [n, 5], [3, n]]);
    for (sizes, layout) in shapes.flat_map(|sizes| Layout::ALL.iter().map(move |layout| (sizes, *layout))) {
        for (side, triangle) in pairs(Side::ALL, Triangle::ALL) {
            for [alpha, beta] in factors::<T>() {
                macro_rules! product {
                    ($($module:ident: $hermitian:literal;)+) => {$(
                        let n = order(side, sizes);
                        let read = |i, j| symmetric::<T>(triangle, $hermitian, i, j);
                        let value = |i, j| if alpha == T::ZERO { super::nan() } else { read(i, j) };
                        let (a, lda) = matrix(layout, [n, n], value);
                        let (b, ldb) = general(layout, sizes, alpha != T::ZERO, 2);
                        let (c, ldc) = general(layout, sizes, beta != T::ZERO, 3);
                        let memory = Memory::new([a, b, c]);
                        let [m, n] = sizes.map(|size| size as i64);
                        let (side_code, uplo) = (side.code(), triangle.code());
                        let call = |Locations { arrays: [a, b, c], .. }: Locations<T, 3>| {
                            let (layout, side) = (layout.code(), side_code);
                            $module::Call::<T, Host> {
                                layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc,
                            }
                        };
                        let is_small = alpha != T::ZERO && are_small(&sizes);
                        let what = (stringify!($module), sizes, layout, side, triangle, alpha, beta);
                        compare(&what, is_small, order(side, sizes), &memory, call);
                        if is_small {
                            refused!(memory, call; layout = NO_CODE, side = NO_CODE, uplo = NO_CODE, m = -1, n = -1,
                                a = null(), lda = 0, b = null(), ldb = 0, c = null(), ldc = 0);
                        }
                    )+};
                }
                product! {
                    symm: false;
                    hemm: true;
                }
            }
        }
    }
}

/// Rank-k and rank-2k updates: sizes, layout, op and triangle.
fn updates() -> impl Iterator<Item = ([usize; 2], Layout, Op, Triangle)> {
    let shapes = SIZES.into_iter().flat_map(|n| [[n, n], [n, 5], [3, n]]);
    let layouts = shapes.flat_map(|sizes| Layout::ALL.iter().map(move |layout| (sizes, *layout)));
    layouts.flat_map(|(sizes, layout)| pairs(Op::ALL, Triangle::ALL).map(move |(op, part)| (sizes, layout, op, part)))
}

/// The type that alpha and beta have in a routine.
macro_rules! factor {
    (T, $value:expr) => {
        $value
    };
    (R, $value:expr) => {
        Scalar::from_parts($value.re(), 0.0)
    };
}

fn rank_k<T: Scalar>() {
    for (sizes, layout, op, triangle) in updates() {
        for [alpha, beta] in factors::<T>() {
            macro_rules! update {
                ($($module:ident $factor:ident: $hermitian:literal, $transposed:expr;)+) => {$(
                    let (a, lda) = general(layout, stored(op, sizes), alpha != T::ZERO, 1);
                    let (c, ldc) = target(layout, triangle, $hermitian, sizes[0], beta);
                    let memory = Memory::new([a, c]);
                    let ([n, k], uplo) = (sizes.map(|size| size as i64), triangle.code());
                    let trans = op.code();
                    let call = |Locations { arrays: [a, c], .. }: Locations<T, 2>| {
                        let (alpha, beta) = (factor!($factor, alpha), factor!($factor, beta));
                        $module::Call::<T, Host> {
                            layout: layout.code(), uplo, trans, n, k, alpha, a, lda, beta, c, ldc,
                        }
                    };
                    let is_small = alpha != T::ZERO && are_small(&sizes) && [Op::NoTrans, $transposed].contains(&op);
                    let what = (stringify!($module), sizes, layout, op, triangle, alpha, beta);
                    compare(&what, is_small, sizes[1], &memory, call);
                    if is_small {
                        refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, trans = NO_CODE, n = -1, k = -1,
                            a = null(), lda = 0, c = null(), ldc = 0);
                    }
                )+};
            }
            update! {
                syrk T: false, Op::Trans;
                herk R: true, Op::ConjTrans;
            }
        }
    }
}

fn rank_2k<T: Scalar>() {
    for (sizes, layout, op, triangle) in updates() {
        for [alpha, beta] in factors::<T>() {
            macro_rules! update {
                ($($module:ident $factor:ident: $hermitian:literal, $transposed:expr;)+) => {$(
                    let (a, lda) = general(layout, stored(op, sizes), alpha != T::ZERO, 1);
                    let (b, ldb) = general(layout, stored(op, sizes), alpha != T::ZERO, 2);
                    let (c, ldc) = target(layout, triangle, $hermitian, sizes[0], beta);
                    let memory = Memory::new([a, b, c]);
                    let ([n, k], uplo) = (sizes.map(|size| size as i64), triangle.code());
                    let trans = op.code();
                    let call = |Locations { arrays: [a, b, c], .. }: Locations<T, 3>| {
                        let beta = factor!($factor, beta);
                        $module::Call::<T, Host> {
                            layout: layout.code(), uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                        }
                    };
                    let is_small = alpha != T::ZERO && are_small(&sizes) && [Op::NoTrans, $transposed].contains(&op);
                    let what = (stringify!($module), sizes, layout, op, triangle, alpha, beta);
                    compare(&what, is_small, 2 * sizes[1], &memory, call);
                    if is_small {
                        refused!(memory, call; layout = NO_CODE, uplo = NO_CODE, trans = NO_CODE, n = -1, k = -1,
                            a = null(), lda = 0, b = null(), ldb = 0, c = null(), ldc = 0);
                    }
                )+};
            }
            update! {
                syr2k T: false, Op::Trans;
                her2k R: true, Op::ConjTrans;
            }
        }
    }
}

fn triangles<T: Scalar>() {
    let shapes = SIZES.into_iter().flat_map(|n| [[n, n], [n, 5], [3, n]]);
    for (sizes, layout) in shapes.flat_map(|sizes| Layout::ALL.iter().map(move |layout| (sizes, *layout))) {
        for (side, triangle) in pairs(Side::ALL, Triangle::ALL) {
            for (op, diagonal) in pairs(Op::ALL, Diag::ALL) {
                for alpha in [T::ONE, number(5), T::ZERO] {
                    let n = order(side, sizes);
                    let unit = diagonal == Diag::Unit;
                    let (a, lda) = matrix(layout, [n, n], |i, j| triangular::<T>(triangle, unit, n, i, j));
                    let (b, ldb) = general(layout, sizes, true, 2);
                    let memory = Memory::new([a, b]);
                    let [m, n] = sizes.map(|size| size as i64);
                    let (uplo, transa, diag) = (triangle.code(), op.code(), diagonal.code());
                    let is_small = alpha != T::ZERO && are_small(&sizes);
                    macro_rules! on_triangle {
                        ($($module:ident)+) => {$(
                            let call = |Locations { arrays: [a, b], .. }: Locations<T, 2>| {
                                let (layout, side) = (layout.code(), side.code());
                                $module::Call::<T, Host> {
                                    layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb,
                                }
                            };
                            let what = (stringify!($module), sizes, layout, side, triangle, op, diagonal, alpha);
                            compare(&what, is_small, order(side, sizes), &memory, call);
                            if is_small {
                                refused!(memory, call; layout = NO_CODE, side = NO_CODE, uplo = NO_CODE,
                                    transa = NO_CODE, diag = NO_CODE, m = -1, n = -1, a = null(), lda = 0,
                                    b = null(), ldb = 0);
                            }
                        )+};
                    }
                    on_triangle!(trmm trsm);
                }
            }
        }
    }
}

for_all_types! {
    products_are_those_of_the_long_way: products;
    symmetric_products_are_those_of_the_long_way: symmetric_products;
    rank_k_updates_are_those_of_the_long_way: rank_k;
    rank_2k_updates_are_those_of_the_long_way: rank_2k;
    triangular_products_and_solutions_are_those_of_the_long_way: triangles;
}
