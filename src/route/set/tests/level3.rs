//! Level 3 on several devices, against the host.

use super::*;
use crate::host;
use crate::options::{Diag, Op, Side, Symmetry, Triangle};
use crate::route::dispatch::{on_host, on_host_mut};
use crate::testing::close::distance;
use crate::testing::{for_each_type, sum_tolerance};

/// Compares with the host's result. What is NaN there is a canary, or was not to be touched.
fn compare<T: Scalar>(
    case: &str,
    start: &Stored<T>,
    tolerance: f64,
    on_the_host: impl Fn(&mut Stored<T>),
    on_devices: impl Fn(&DeviceSet, &mut Stored<T>),
) {
    let mut expected = start.clone();
    on_the_host(&mut expected);
    for found in run(case, start, on_devices) {
        for (found, expected) in found.data.iter().zip(&expected.data) {
            let is_close = match expected.re().is_nan() {
                true => found.re().is_nan(),
                false => distance(*found, *expected) <= tolerance,
            };
            assert!(is_close, "{case}: {found:?} is not {expected:?}");
        }
    }
}

fn alpha<T: Scalar>() -> T {
    T::from_parts(0.75, 0.5)
}

/// Zero, with which C is not read, and another one.
fn betas<T: Scalar>() -> [T; 2] {
    [T::ZERO, T::from_parts(-0.5, 0.25)]
}

/// A matrix whose other triangle is NaN, with a diagonal that makes triangular systems easy.
fn triangle_of<T: Scalar>(triangle: Triangle, layout: Layout, n: usize, diagonal: Diag) -> Stored<T> {
    let a = Stored::<T>::new(layout, n, n, 2, 5);
    let values = a.dense();
    let nan = crate::Complex64::new(f64::NAN, f64::NAN);
    a.filled_with(|i, j| match (i == j, (i < j) == (triangle == Triangle::Upper)) {
        (true, _) if diagonal == Diag::Unit => nan,
        (true, _) => values[(i, i)] + 3.0,
        (false, true) => values[(i, j)] / n as f64,
        (false, false) => nan,
    })
}

fn gemm<T: Scalar>([m, n, k]: [usize; 3], layouts: [Layout; 3], ops: [Op; 2], beta: T) {
    let case = format!("gemm {m} {n} {k} {layouts:?} {ops:?} {beta:?}");
    let stored = |op: Op, rows, columns| if op.transposes() { [columns, rows] } else { [rows, columns] };
    let ([ra, ca], [rb, cb]) = (stored(ops[0], m, k), stored(ops[1], k, n));
    let (a, b) = (Stored::<T>::new(layouts[0], ra, ca, 1, 3), Stored::<T>::new(layouts[1], rb, cb, 2, 4));
    let c = Stored::<T>::new(layouts[2], m, n, 3, 5);
    let c = if beta == T::ZERO { c.poisoned() } else { c };
    compare(
        &case,
        &c,
        sum_tolerance::<T>(k + 2, 2.0 * k as f64 + 2.0),
        |c| {
            host::gemm::gemm(
                ops[0],
                ops[1],
                alpha(),
                on_host(a.view()),
                on_host(b.view()),
                beta,
                on_host_mut(c.view_mut()),
            );
        },
        |set, c| set.gemm(ops[0], ops[1], alpha(), a.view(), b.view(), beta, c.view_mut()).unwrap(),
    );
}

fn symm<T: Scalar>(side: Side, triangle: Triangle, symmetry: Symmetry, layout: Layout, beta: T) {
    let (m, n) = (21, 18);
    let case = format!("{symmetry:?} {side:?} {triangle:?} {layout:?} {beta:?}");
    let order = if side == Side::Left { m } else { n };
    let a = triangle_of::<T>(triangle, layout, order, Diag::NonUnit);
    let (b, c) = (Stored::<T>::new(layout, m, n, 1, 7), Stored::<T>::new(layout, m, n, 3, 5));
    let c = if beta == T::ZERO { c.poisoned() } else { c };
    compare(
        &case,
        &c,
        sum_tolerance::<T>(order + 2, 6.0),
        |c| {
            let (a, b, c) = (on_host(a.view()), on_host(b.view()), on_host_mut(c.view_mut()));
            host::level3::symm(symmetry, side, triangle, alpha(), a, b, beta, c);
        },
        |set, c| {
            let (a, b, c) = (a.view(), b.view(), c.view_mut());
            match symmetry {
                Symmetry::Symmetric => set.symm(side, triangle, alpha(), a, b, beta, c).unwrap(),
                Symmetry::Hermitian => set.hemm(side, triangle, alpha(), a, b, beta, c).unwrap(),
            }
        },
    );
}

/// syrk, herk, syr2k and her2k.
fn rank<T: Scalar>(triangle: Triangle, symmetry: Symmetry, op: Op, layout: Layout, two: bool, scaled: bool) {
    let (n, k) = (19, 11);
    let case = format!("{symmetry:?} {triangle:?} {op:?} {layout:?}, two {two}, beta {scaled}");
    let [rows, columns] = if op.transposes() { [k, n] } else { [n, k] };
    let (a, b) = (Stored::<T>::new(layout, rows, columns, 1, 3), Stored::<T>::new(layout, rows, columns, 2, 4));
    let mut c = triangle_of::<T>(triangle, layout, n, Diag::NonUnit);
    if !scaled {
        c.poison();
    }
    let hermitian = symmetry == Symmetry::Hermitian;
    let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
    let (alpha, beta) =
        (if hermitian && !two { T::from_parts(0.75, 0.0) } else { alpha() }, if scaled { -0.5 } else { 0.0 });
    let factor = T::from_parts(beta, 0.0);
    let target = (triangle, symmetry);
    compare(
        &case,
        &c,
        sum_tolerance::<T>(2 * k + 2, 4.0 * k as f64 + 4.0),
        |c| {
            let (a, b, c) = (on_host(a.view()), on_host(b.view()), on_host_mut(c.view_mut()));
            match two {
                false => host::level3::gemmt(target, (op, a), (symmetry.turned(op), a), alpha, factor, c),
                true => host::level3::rank_2k(target, op, alpha, (a, b), factor, c),
            }
        },
        |set, c| {
            let (a, b, c) = (a.view(), b.view(), c.view_mut());
            match (two, hermitian) {
                (false, false) => set.syrk(triangle, op, alpha, a, factor, c).unwrap(),
                (false, true) => set.herk(triangle, op, real(0.75), a, real(beta), c).unwrap(),
                (true, false) => set.syr2k(triangle, op, alpha, a, b, factor, c).unwrap(),
                (true, true) => set.her2k(triangle, op, alpha, a, b, real(beta), c).unwrap(),
            }
        },
    );
}

/// trmm and trsm.
fn triangular<T: Scalar>(side: Side, triangle: Triangle, op: Op, diagonal: Diag, layout: Layout) {
    let (m, n) = (21, 18);
    let order = if side == Side::Left { m } else { n };
    let a = triangle_of::<T>(triangle, layout, order, diagonal);
    let b = Stored::<T>::new(layout, m, n, 1, 7);
    for solves in [false, true] {
        let case = format!("{side:?} {triangle:?} {op:?} {diagonal:?} {layout:?}, solves {solves}");
        compare(
            &case,
            &b,
            sum_tolerance::<T>(order + 2, 16.0),
            |b| {
                let (a, b) = (on_host(a.view()), on_host_mut(b.view_mut()));
                match solves {
                    true => host::trsm::trsm(side, triangle, op, diagonal, alpha(), a, b),
                    false => host::level3::trmm(side, triangle, op, diagonal, alpha(), a, b),
                }
            },
            |set, b| {
                let (a, b) = (a.view(), b.view_mut());
                match solves {
                    true => set.trsm(side, triangle, op, diagonal, alpha(), a, b).unwrap(),
                    false => set.trmm(side, triangle, op, diagonal, alpha(), a, b).unwrap(),
                }
            },
        );
    }
}

mod device {
    use super::*;
    use crate::error::Error;

    #[test]
    fn products_by_all_operations() {
        fn check<T: Scalar>() {
            for (index, op_a) in Op::ALL.iter().enumerate() {
                for (other, op_b) in Op::ALL.iter().enumerate() {
                    let layouts = [0, 1, 2].map(|matrix| LAYOUTS[((index + 4 * other) >> matrix) & 1]);
                    gemm::<T>([19, 21, 18], layouts, [*op_a, *op_b], betas()[(index + other) % 2]);
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn products_of_every_size() {
        fn check<T: Scalar>() {
            let sizes = [[1, 1, 1], [8, 8, 8], [9, 7, 3], [40, 3, 17], [3, 40, 1], [16, 24, 0], [0, 5, 5], [5, 0, 5]];
            for size in sizes {
                gemm::<T>(size, [LAYOUTS[0]; 3], [Op::NoTrans; 2], betas()[1]);
                gemm::<T>(size, [LAYOUTS[1]; 3], [Op::NoTrans; 2], betas()[0]);
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn products_with_symmetric_matrices() {
        fn check<T: Scalar>() {
            for (index, layout) in LAYOUTS.into_iter().enumerate() {
                for side in [Side::Left, Side::Right] {
                    for triangle in [Triangle::Upper, Triangle::Lower] {
                        symm::<T>(side, triangle, Symmetry::Symmetric, layout, betas()[index]);
                        symm::<T>(side, triangle, Symmetry::Hermitian, layout, betas()[1 - index]);
                    }
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn rank_updates() {
        fn check<T: Scalar>() {
            for (index, layout) in LAYOUTS.into_iter().enumerate() {
                for triangle in [Triangle::Upper, Triangle::Lower] {
                    for two in [false, true] {
                        for op in [Op::NoTrans, Op::Trans] {
                            rank::<T>(triangle, Symmetry::Symmetric, op, layout, two, (index == 0) == two);
                        }
                        for op in [Op::NoTrans, Op::ConjTrans] {
                            rank::<T>(triangle, Symmetry::Hermitian, op, layout, two, (index == 0) != two);
                        }
                    }
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn triangular_products_and_systems() {
        fn check<T: Scalar>() {
            for side in [Side::Left, Side::Right] {
                for triangle in [Triangle::Upper, Triangle::Lower] {
                    for (index, op) in [Op::NoTrans, Op::Trans, Op::ConjTrans].into_iter().enumerate() {
                        let diagonal = Diag::ALL[index % 2];
                        triangular::<T>(side, triangle, op, diagonal, LAYOUTS[index / 2]);
                    }
                    triangular::<T>(side, triangle, Op::NoTrans, Diag::Unit, LAYOUTS[1]);
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn nothing_is_read_for_alpha_zero() {
        for set in sets::<f32>().into_iter().flatten() {
            let nan = Stored::<f32>::new(LAYOUTS[0], 9, 9, 0, 1).poisoned();
            let mut c = Stored::<f32>::new(LAYOUTS[0], 9, 9, 0, 1);
            let expected: Vec<f32> = c.data.iter().map(|value| value * 2.0).collect();
            set.gemm(Op::NoTrans, Op::NoTrans, 0.0, nan.view(), nan.view(), 2.0, c.view_mut()).unwrap();
            assert_eq!(c.data, expected);
            let options = (Side::Left, Triangle::Upper, Op::NoTrans, Diag::NonUnit);
            set.trsm(options.0, options.1, options.2, options.3, 0.0, nan.view(), c.view_mut()).unwrap();
            assert!(c.data.iter().all(|value| *value == 0.0));
        }
    }

    #[test]
    fn wrong_operands_are_refused_and_change_nothing() {
        for device in devices() {
            let context = Context::open(device).unwrap();
            let set = DeviceSet::new(std::slice::from_ref(&context)).unwrap();
            let (a, mut c) = (Stored::<f32>::new(LAYOUTS[0], 3, 4, 0, 1), Stored::<f32>::new(LAYOUTS[0], 3, 3, 0, 2));
            let before = c.data.clone();
            let error = set.gemm(Op::NoTrans, Op::NoTrans, 1.0, a.view(), a.view(), 0.0, c.view_mut()).unwrap_err();
            assert!(matches!(error, Error::ShapeMismatch(_)), "{error}");
            let there = context.upload(&a.data).unwrap();
            let on_device = there.view(a.shape).unwrap();
            let error = set.syrk(Triangle::Upper, Op::NoTrans, 1.0, on_device, 0.0, c.view_mut()).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { name: "A", .. }), "{error}");
            assert_eq!(c.data, before);
        }
    }
}
