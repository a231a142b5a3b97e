use faer::Mat;

use affinimath_core::scalar::Complex64;
use affinimath_cpu::lapack::rank::{Which, rank, triangle_of_two};
use affinimath_testing::assert_close;

#[test]
fn singular_values_of_two_by_two() {
    let sizes = [0.0, 1e-300, 1e-12, 0.3, 1.0, 7.0, 1e12, 1e300];
    for f in sizes {
        for a in sizes {
            for g in sizes {
                for which in [Which::Largest, Which::Smallest] {
                    let (value, s, c) = triangle_of_two(f, a, g, which);
                    assert_close!(s.hypot(c), 1.0, 4.0 * f64::EPSILON, "{f} {a} {g}");
                    // The vector's image is of the length that the value is, within a rounding of the largest
                    // element.
                    let image = (f * s).hypot(a * s + g * c);
                    let bound = 16.0 * f64::EPSILON * f.max(a).max(g);
                    assert_close!(image, value, bound, "{f} {a} {g}");
                }
            }
        }
    }
}

#[test]
fn a_diagonal_has_the_rank_that_its_elements_tell() {
    let diagonal = [1.0, 1e-3, 1e-6, 1e-9, 0.0];
    let r = Mat::from_fn(5, 5, |i, j| if i == j { diagonal[i] } else { 0.0 });
    for (rcond, expected) in [(1e-2, 1), (1e-5, 2), (1e-8, 3), (1e-10, 4), (0.0, 5), (f64::NAN, 1)] {
        assert_eq!(rank(r.as_ref(), rcond), expected, "{rcond}");
    }
    assert_eq!(rank(Mat::<f32>::zeros(3, 3).as_ref(), 1e-3), 0);
    assert_eq!(rank(Mat::<f32>::zeros(0, 3).as_ref(), 1e-3), 0);
}

/// Kahan's triangle: no element of the diagonal is small, and the smallest singular value is.
#[test]
fn kahans_triangle_is_seen_through() {
    let (n, c) = (60, 0.285_f64);
    let s = (1.0 - c * c).sqrt();
    // Columns are turned by powers of i, which leaves the singular values as they are.
    let r = Mat::from_fn(n, n, |i, j| {
        let size = s.powi(i as i32) * if i == j { 1.0 } else { -c };
        if i <= j { Complex64::I.powi((j % 4) as i32) * size } else { Complex64::ZERO }
    });
    let smallest = r[(n - 1, n - 1)].norm();
    assert!(smallest > 1e-2);
    assert!(rank(r.as_ref(), 1e-3) < n);
    assert_eq!(rank(r.as_ref(), 1e-12), n);
}
