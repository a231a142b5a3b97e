//! Every operation, on the host and on every device, against the same formula in `f64`.
//!
//! The bound of each element is that of its two or three roundings (of complex parts, two products and their sum): |y -
//! y_ref| <= 8 eps (|alpha| |x| + |beta| |y|).

use opencl3::event::release_event;

use super::*;
use crate::blas::level1::testing::{INCREMENTS, Strided, contexts};
use crate::context::DeviceContext;
use crate::memory::Context;
use crate::route;
use crate::scalar::Complex64;
use crate::testing::{assert_close, devices, for_each_type};
use crate::view::View;

/// Lengths around the widths of vectors, the sizes of blocks and the switch to several threads.
const LENGTHS: &[usize] = &[0, 1, 2, 7, 15, 16, 17, 63, 64, 65, 1000, 4095, 4096, 4097, 100_000];
const SMALL_LENGTHS: &[usize] = &[1, 5, 17, 70];

/// Runs the operation through the function that a user calls.
fn call<T: Scalar>(operation: &Elementwise<T>, x: VectorMut<'_, T>, y: VectorMut<'_, T>) -> Result<Event> {
    let read = VectorRef::from_parts(x.memory(), *x.shape());
    match *operation {
        Elementwise::Set(_) => route::axpby(T::ZERO, read, T::ZERO, y),
        Elementwise::Scal(alpha) => route::scal(alpha, y),
        Elementwise::ScalReal(alpha) => route::scal_real(alpha, y),
        Elementwise::Copy => route::copy(read, y),
        Elementwise::Swap => route::swap(x, y),
        Elementwise::Axpy(alpha) => route::axpy(alpha, read, y),
        Elementwise::Axpby(alpha, beta) => route::axpby(alpha, read, beta, y),
        Elementwise::Rotate(_) | Elementwise::RotateComplex(..) => {
            unreachable!("the rotations have tests of their own")
        }
    }
}

/// Expected element, and the sum of the moduli of its terms.
fn expected<T: Scalar>(operation: &Elementwise<T>, x: Complex64, y: Complex64) -> (Complex64, f64) {
    let wide = |value: T| Complex64::new(value.re(), value.im());
    let combined =
        |alpha: Complex64, beta: Complex64| (alpha * x + beta * y, alpha.norm() * x.norm() + beta.norm() * y.norm());
    let (zero, one) = (Complex64::ZERO, Complex64::ONE);
    match *operation {
        Elementwise::Set(alpha) => (wide(alpha), 0.0),
        Elementwise::Scal(alpha) => combined(zero, wide(alpha)),
        Elementwise::ScalReal(alpha) => combined(zero, Complex64::new(alpha.re(), 0.0)),
        Elementwise::Copy | Elementwise::Swap => (x, 0.0),
        Elementwise::Axpy(alpha) => combined(wide(alpha), one),
        Elementwise::Axpby(alpha, beta) => combined(wide(alpha), wide(beta)),
        Elementwise::Rotate(_) | Elementwise::RotateComplex(..) => {
            unreachable!("the rotations have tests of their own")
        }
    }
}

fn check<T: Scalar>(context: &Context, operation: &Elementwise<T>, n: usize, increments: (isize, isize)) {
    let what = || format!("{operation:?} of {n} elements, increments {increments:?}, on {:?}", context.device());
    let (x, y) = (Strided::<T>::new(n, increments.0, 1), Strided::<T>::new(n, increments.1, 2));
    let (mut x_memory, mut y_memory) = (context.upload(&x.data).unwrap(), context.upload(&y.data).unwrap());
    let views = (x_memory.vector_view_mut(x.shape).unwrap(), y_memory.vector_view_mut(y.shape).unwrap());
    call(operation, views.0, views.1).unwrap().wait().unwrap();
    let x_after = Strided { data: x_memory.download().unwrap(), shape: x.shape };
    let y_after = Strided { data: y_memory.download().unwrap(), shape: y.shape };
    for i in 0..n {
        let (value, size) = expected(operation, x.element(i), y.element(i));
        assert_close!(y_after.element(i), value, 8.0 * T::EPSILON * size, "{}: element {i}", what());
        let x_value = if operation.writes_x() { y.element(i) } else { x.element(i) };
        assert!(x_after.element(i) == x_value, "{}: x in place {i}", what());
    }
    assert!(x_after.canaries_live() && y_after.canaries_live(), "{}: canaries", what());
}

fn operations<T: Scalar>() -> Vec<Elementwise<T>> {
    let (alpha, beta) = (T::from_parts(-0.75, 0.5), T::from_parts(1.5, -0.25));
    vec![
        Elementwise::Set(T::ZERO),
        Elementwise::Scal(alpha),
        Elementwise::ScalReal(T::RealScalar::from_parts(-1.25, 0.0)),
        Elementwise::Copy,
        Elementwise::Swap,
        Elementwise::Axpy(alpha),
        Elementwise::Axpby(alpha, beta),
        Elementwise::Axpby(alpha, T::ZERO),
    ]
}

fn check_all<T: Scalar>(lengths: &[usize], increments: &[(isize, isize)]) {
    for context in contexts::<T>() {
        for operation in operations::<T>() {
            for &n in lengths {
                increments.iter().for_each(|&increments| check(&context, &operation, n, increments));
            }
        }
    }
}

fn check_nan<T: Scalar>() {
    let nan = T::from_parts(f64::NAN, f64::NAN);
    for context in contexts::<T>() {
        let two = T::from_parts(2.0, 0.0);
        let x = context.upload(&[two; 100]).unwrap();
        let mut y = context.upload(&[nan; 100]).unwrap();
        // BLAS: a factor of zero means that the vector is not read ...
        axpby(two, &x, T::ZERO, &mut y);
        assert!(y.download().unwrap().iter().all(|y| *y == two * two));
        axpby(T::ZERO, &context.upload(&[nan; 100]).unwrap(), T::ONE, &mut y);
        axpby(T::ZERO, &context.upload(&[nan; 100]).unwrap(), two, &mut y);
        assert!(y.download().unwrap().iter().all(|y| *y == two * two * two));
        // ... but scal multiplies by it.
        let mut y = context.upload(&[nan; 100]).unwrap();
        route::scal(T::ZERO, y.vector_mut().unwrap()).unwrap().wait().unwrap();
        assert!(y.download().unwrap().iter().all(|y| y.re().is_nan()));
    }
}

fn axpby<T: Scalar>(alpha: T, x: &crate::Buffer<T>, beta: T, y: &mut crate::Buffer<T>) {
    route::axpby(alpha, x.vector().unwrap(), beta, y.vector_mut().unwrap()).unwrap().wait().unwrap();
}

mod device {
    use super::*;

    #[test]
    fn vectors_become_what_the_formulas_say() {
        for_each_type!(check_all(LENGTHS, INCREMENTS));
    }

    #[test]
    fn long_vectors_become_what_the_formulas_say() {
        for_each_type!(check_all(&[1_000_003], &[(1, 1), (2, 1)]));
    }

    #[test]
    fn vectors_of_different_lengths_or_memories_are_refused() {
        for context in contexts::<f32>() {
            let x = context.upload(&[1.0_f32; 4]).unwrap();
            let mut y = context.upload(&[1.0_f32; 5]).unwrap();
            let result = route::copy(x.vector().unwrap(), y.vector_mut().unwrap());
            assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
            if context.device().is_some() {
                let host = Context::host().upload(&[1.0_f32; 5]).unwrap();
                let result = route::copy(host.vector().unwrap(), y.vector_mut().unwrap());
                assert!(matches!(result, Err(Error::MixedMemory(_))), "{result:?}");
            }
        }
    }

    #[test]
    fn an_operation_without_an_event_is_waited_for_with_all_before_it() {
        for device in devices() {
            let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap().unsignaled();
            let context = Context::open(device).unwrap();
            let x = context.upload(&[1.0_f32; 1000]).unwrap();
            let mut y = context.upload(&[0.0_f32; 1000]).unwrap();
            let mut add = || crate::axpy_on(&queue, 1.0, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
            let first = add();
            assert!(matches!(first, Event::Deferred(_)), "{first:?}");
            let second = add();
            first.wait().unwrap();
            second.wait().unwrap();
            let third = add().into_raw().unwrap();
            assert!(!third.is_null());
            opencl3::event::wait_for_events(&[third]).unwrap();
            // SAFETY: the event is the test's own.
            unsafe { release_event(third) }.unwrap();
            assert_eq!(y.download().unwrap(), [3.0; 1000]);
        }
    }

    #[test]
    fn a_queue_with_events_gives_one_to_each_operation() {
        for device in devices() {
            let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap();
            let context = Context::open(device).unwrap();
            let x = context.upload(&[1.0_f32; 10]).unwrap();
            let mut y = context.upload(&[0.0_f32; 10]).unwrap();
            let event = crate::axpy_on(&queue, 1.0, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
            assert!(matches!(event, Event::Pending(_)), "{event:?}");
            event.wait().unwrap();
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn vectors_become_what_the_formulas_say() {
        for_each_type!(check_all(SMALL_LENGTHS, INCREMENTS));
    }

    #[test]
    fn factors_of_zero_read_nothing_but_in_scal() {
        for_each_type!(check_nan());
    }
}
