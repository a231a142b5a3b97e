//! Complex sums of which both parts overflow: a real alpha or beta leaves both infinities, on the host and on every
//! device.

use crate::memory::Context;
use crate::options::Op;
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::testing::{contexts, for_each_type};
use crate::{axpby, gemm, gemv, omatadd};

/// A large number whose product with 16 is infinite in both parts, and that product.
fn large<T: Scalar>() -> (T, T) {
    let size = if T::KIND.is_double() { 1e308 } else { 1e38 };
    (T::from_parts(size, size), T::from_parts(f64::INFINITY, f64::INFINITY))
}

/// C := alpha A B + beta C, where A and B have one element each that is not zero, and so has C.
fn check_gemm<T: Scalar>(context: &Context, [m, n, k]: [usize; 3]) {
    let (number, infinite) = large::<T>();
    let real = |value| T::from_parts(value, 0.0);
    let (mut a, mut b) = (vec![T::ZERO; m * k], vec![T::ZERO; k * n]);
    (a[0], b[0]) = (number, real(16.0));
    let (a, b) = (context.upload(&a).unwrap(), context.upload(&b).unwrap());
    let factors = [(1.0, 0.0), (-3.0, 0.0), (-2.0, 1.0), (0.5, -0.5)];
    // Large products on the host that are added to C multiply by complex factors.
    let count = if context.device().is_none() && m * n * k > 1 << 18 { 2 } else { factors.len() };
    for (alpha, beta) in factors.into_iter().take(count) {
        let mut c = vec![T::ZERO; m * n];
        c[m * n - 1] = if beta == 0.0 { T::ZERO } else { infinite };
        if m * n == 1 {
            c[0] = T::ZERO;
        }
        let mut c = context.upload(&c).unwrap();
        let target = c.matrix_mut(m, n).unwrap();
        let (left, right) = (a.matrix(m, k).unwrap(), b.matrix(k, n).unwrap());
        gemm(Op::NoTrans, Op::NoTrans, real(alpha), left, right, real(beta), target).unwrap().wait().unwrap();
        let c = c.download().unwrap();
        let what = format!("{m} x {n} x {k}, {alpha} {beta}, {:?}", context.device());
        assert_eq!(c[0], infinite.scaled(T::RealScalar::from_parts(alpha, 0.0)), "{what}");
        if m * n > 1 && beta != 0.0 {
            assert_eq!(c[m * n - 1], infinite.scaled(T::RealScalar::from_parts(beta, 0.0)), "{what}");
        }
    }
}

fn check_vectors<T: Scalar>(context: &Context, op: Op, n: usize) {
    let (number, infinite) = large::<T>();
    let real = |value| T::from_parts(value, 0.0);
    let mut a = vec![T::ZERO; n * n];
    a[0] = number;
    let (mut x, mut start) = (vec![T::ZERO; n], vec![T::ZERO; n]);
    (x[0], start[n - 1]) = (real(16.0), infinite);
    let (a, x) = (context.upload(&a).unwrap(), context.upload(&x).unwrap());
    let mut y = context.upload(&start).unwrap();
    let target = y.vector_mut().unwrap();
    gemv(op, T::ONE, a.matrix(n, n).unwrap(), x.vector().unwrap(), T::ONE, target).unwrap().wait().unwrap();
    let found = y.download().unwrap();
    assert_eq!((found[0], found[n - 1]), (infinite, infinite), "gemv {op:?} {n} {:?}", context.device());

    let start = context.upload(&start).unwrap();
    let mut y = context.upload(&vec![infinite; n]).unwrap();
    axpby(real(-2.0), start.vector().unwrap(), real(-1.0), y.vector_mut().unwrap()).unwrap().wait().unwrap();
    assert_eq!(y.download().unwrap(), vec![-infinite; n], "axpby {n} {:?}", context.device());

    let mut c = context.zeros::<T>(n).unwrap();
    let (first, second) = (start.matrix(n, 1).unwrap(), start.matrix(n, 1).unwrap());
    let target = c.matrix_mut(n, 1).unwrap();
    omatadd(Op::NoTrans, Op::NoTrans, real(3.0), first, real(1.0), second, target).unwrap().wait().unwrap();
    assert_eq!(c.download().unwrap()[n - 1], infinite, "omatadd {n} {:?}", context.device());
}

fn check<T: Scalar>(sizes: &[[usize; 3]]) {
    for context in contexts::<T>() {
        for &size in sizes {
            check_gemm::<T>(&context, size);
            for op in [Op::NoTrans, Op::Trans] {
                check_vectors::<T>(&context, op, size[0]);
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn real_factors_leave_infinite_parts() {
        for_each_type! {
            check::<Complex32>(&[[100, 90, 60], [300, 1, 40], [200, 200, 64]]);
            check::<Complex64>(&[[100, 90, 60], [300, 1, 40], [200, 200, 64]]);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn real_factors_leave_infinite_parts() {
        for_each_type! {
            check::<Complex32>(&[[2, 2, 3], [5, 3, 2], [33, 5, 7]]);
            check::<Complex64>(&[[2, 2, 3], [5, 3, 2], [33, 5, 7]]);
        }
    }
}
