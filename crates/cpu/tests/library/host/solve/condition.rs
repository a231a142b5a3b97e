use faer::{Mat, MatMut};

use affinimath_core::scalar::Scalar;
use affinimath_core::{Complex64, Op};
use affinimath_cpu::gemm;
use affinimath_cpu::norm::one_norm;
use affinimath_cpu::solve::inverse_one_norm;

/// The estimate of a matrix's own norm, by products with it.
fn estimate<T: Scalar>(b: &Mat<T>) -> f64 {
    let times = |op: Op, mut x: MatMut<'_, T>| {
        let old = x.to_owned();
        gemm(op, Op::NoTrans, T::ONE, b.as_ref(), old.as_ref(), T::ZERO, x.as_mut());
    };
    inverse_one_norm(b.nrows(), |x| times(Op::NoTrans, x), |x| times(Op::ConjTrans, x))
}

#[test]
fn the_estimate_is_a_lower_bound_and_near() {
    for n in [1, 2, 3, 10, 50] {
        let real = Mat::from_fn(n, n, |i, j| ((i * 7 + j * 13) % 11) as f64 - 5.0);
        let complex = Mat::from_fn(n, n, |i, j| Complex64::new(((i * 5 + j * 3) % 7) as f64 - 3.0, (i % 3) as f64));
        for (estimate, norm) in
            [(estimate(&real), one_norm(real.as_ref())), (estimate(&complex), one_norm(complex.as_ref()))]
        {
            assert!(estimate <= norm * (1.0 + n as f64 * f64::EPSILON), "{estimate} is above {norm}");
            assert!(estimate >= norm / 3.0, "{estimate} is far below {norm}");
        }
    }
}

#[test]
fn an_infinite_norm_is_infinite() {
    assert_eq!(estimate(&faer::mat![[f64::NAN, 1.0], [1.0, 1.0]]), f64::INFINITY);
    assert_eq!(estimate(&Mat::<f64>::zeros(0, 0)), 0.0);
}
