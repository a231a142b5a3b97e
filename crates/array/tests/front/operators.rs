//! Operators in each combination of expression, reference, array and scalar.

use crate::eager::{Eager, array, values};
use affinimath_array::{ElementType, Expr, complex, from_vec, ones};
use affinimath_core::{Complex32, Complex64};

#[test]
fn arithmetic_takes_each_form_of_operand() {
    let context = Eager::new(1);
    let (a, e) = (array(&context, &[2], &[6.0, 7.0]), from_vec(2, vec![4.0, 2.0]));
    for sum in [&a + &e, a.clone() + &e, &a + e.clone(), a.clone() + e.clone(), &e + &a, e.clone() + a.clone()] {
        assert_eq!(values(&sum), [10.0, 9.0]);
    }
    assert_eq!(values(&(&a + &a)), [12.0, 14.0]);
    assert_eq!(values(&(2.5 * &a)), [15.0, 17.5]);
    assert_eq!(values(&(2.0 * &e)), [8.0, 4.0]);
    assert_eq!(values(&(12.0 / a.clone())), [2.0, 12.0 / 7.0]);
    assert_eq!(values(&(1.0 - e.clone())), [-3.0, -1.0]);
    assert_eq!(values(&(&e / 2.0)), [2.0, 1.0]);
    assert_eq!(values(&(&a % &e)), [2.0, 1.0]);
    assert_eq!(values(&(7.0 % &e)), [3.0, 1.0]);
    assert_eq!(values(&-&a), [-6.0, -7.0]);
    assert_eq!(values(&(2.5 * &a + a.abs().sqrt())), [15.0 + 6f64.sqrt(), 17.5 + 7f64.sqrt()]);
    // The type of a literal follows from the array, also before a method is called on the result.
    assert_eq!(values(&(2.0 * &ones::<f32>([2])).exp2().sum(..)), [8f32]);
    assert_eq!(values(&(1 + &from_vec(2, vec![1u8, 255]))), [2u8, 0]);
}

#[test]
fn compound_assignment_makes_a_larger_expression() {
    let mut e = from_vec(3, vec![1, 2, 3]);
    e += 4;
    e *= &e.clone();
    e -= from_vec(3, vec![5, 6, 7]);
    e /= 2;
    e %= 10;
    assert_eq!(values(&e), [0, 5, 1]);
    e <<= 2;
    e |= 1;
    e ^= 16;
    e &= 31;
    e >>= 1;
    assert_eq!(values(&e), [8, 2, 10]);
}

#[test]
fn bits_of_integers_and_booleans() {
    let (a, m) = (from_vec(2, vec![12u32, 10]), from_vec(2, vec![true, false]));
    assert_eq!(values(&(&a & 6)), [4, 2]);
    assert_eq!(values(&(6 | &a)), [14, 14]);
    assert_eq!(values(&(&a ^ &a)), [0, 0]);
    assert_eq!(values(&(1 << &from_vec(2, vec![3u8, 9]))), [8, 2]);
    assert_eq!(values(&(&a >> 1)), [6, 5]);
    assert_eq!(values(&!&a), [!12, !10]);
    assert_eq!(values(&!&m), [false, true]);
    assert_eq!(values(&(&m & true)), [true, false]);
    assert_eq!(values(&(true ^ &m)), [false, true]);
    assert_eq!(values(&(&m | m.equal(false))), [true, true]);
}

#[test]
fn comparisons_give_masks_and_masks_select() {
    let x = from_vec(3, vec![-1.0, 0.0, 2.0]);
    assert_eq!(values(&x.gt(0.0)), [false, false, true]);
    assert_eq!(values(&x.ge(0.0)), [false, true, true]);
    assert_eq!(values(&x.lt(x.reverse(0))), [true, false, false]);
    assert_eq!(values(&x.le(-1.0)), [true, false, false]);
    assert_eq!(values(&x.equal(0.0)), [false, true, false]);
    assert_eq!(values(&x.not_equal(0.0)), [true, false, true]);
    assert_eq!(values(&x.gt(0.0).select(&x, 0.0)), [0.0, 0.0, 2.0]);
    assert_eq!(values(&x.gt(0.0).select(1.0, &x)), [-1.0, 0.0, 1.0]);
    assert_eq!(values(&x.lt(0.0).select(1u8, 2)), [1, 2, 2]);
}

#[test]
fn complex_expressions_take_real_operands() {
    let (z, r) = (complex(ones::<f64>([2]), 2.0), ones::<f64>([2]));
    let w: [Expr<Complex64>; 12] = [
        &z * 2.0,
        2.0 * &z,
        &z + r.to_complex(),
        r.to_complex() + &z,
        r.to_complex() / z.clone(),
        z.clone() - r.to_complex(),
        Complex64::I * &r,
        &r * Complex64::I,
        Complex64::I * &z,
        &z / Complex64::I,
        -&z,
        1.0 / &z,
    ];
    for w in w {
        assert!(w.error().is_none(), "{w:?}");
    }
    // Real operands stay real.
    for w in [&z * r.to_complex(), r.to_complex() * r.to_complex()] {
        assert!(w.node().operands().iter().any(|operand| operand.id() == r.node().id()), "{w:?}");
        assert_eq!(w.node().element(), ElementType::C64);
    }
    let single: Expr<Complex32> = 0.5 * complex(ones::<f32>([2]), 0.0) + 1.0;
    assert!(single.error().is_none());
}
