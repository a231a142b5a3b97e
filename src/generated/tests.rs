//! Generated kernels on every device there is, against the interpreter.

#[path = "../../crates/kernel/examples/kernels/axpy.rs"]
mod axpy;
#[path = "../../crates/kernel/examples/kernels/butterfly.rs"]
mod butterfly;
#[path = "../../crates/kernel/tests/language/random.rs"]
mod random;
#[path = "../../crates/kernel/examples/kernels/reduction.rs"]
mod reduction;

use affinimath_kernel::{Kernel, Launch};
use proptest::prelude::*;

use super::{DeviceArgument, DeviceKernel};
use crate::error::Error;
use crate::memory::Context;
use crate::scalar::{Complex32, Scalar};
use crate::testing::contexts;
use axpy::fused_axpy;
use butterfly::stockham_pass;
use random::{GROUPS, ITEMS, Run, same};
use reduction::group_sums;

/// The contexts of devices with the type.
fn devices<T: Scalar>() -> Vec<Context> {
    contexts::<T>().into_iter().filter(|context| context.device().is_some()).collect()
}

fn agrees<R: Scalar + Into<f64>>(kernel: &Kernel, expected: &Run<R>) {
    for context in devices::<R>() {
        let built = DeviceKernel::build(&context, kernel).unwrap();
        let (x, i) = (context.upload(&expected.reals).unwrap(), context.upload(&expected.integers).unwrap());
        let mut reals = context.zeros::<R>(expected.real_results.len()).unwrap();
        let mut integers = context.zeros::<i32>(expected.integer_results.len()).unwrap();
        let arguments = [(&x).into(), (&i).into(), (&mut reals).into(), (&mut integers).into()];
        // SAFETY: the interpreter has found no fault in this launch.
        unsafe { built.enqueue([GROUPS, 1, 1], [ITEMS, 1, 1], &arguments) }.unwrap().wait().unwrap();
        assert!(same(&reals.download().unwrap(), &expected.real_results), "{}", kernel.opencl());
        assert_eq!(integers.download().unwrap(), expected.integer_results, "{}", kernel.opencl());
    }
}

mod device {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn random_kernels_on_a_device_are_what_the_interpreter_says(
            steps in random::steps(),
            contract: bool,
            double: bool,
        ) {
            if double {
                let kernel = random::kernel::<f64>(&steps, contract);
                agrees(&kernel, &random::interpret_f64(&kernel));
            } else {
                let kernel = random::kernel::<f32>(&steps, contract);
                agrees(&kernel, &random::interpret_f32(&kernel));
            }
        }
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        let kernel = fused_axpy::<f32>().unwrap();
        assert!(matches!(DeviceKernel::build(&Context::host(), &kernel), Err(Error::NoDevice(_))));
        for context in devices::<f32>() {
            let built = DeviceKernel::build(&context, &kernel).unwrap();
            let x = context.upload(&[0.0_f32; 4]).unwrap();
            let integers = context.upload(&[0_i32; 4]).unwrap();
            let on_host = Context::host().upload(&[0.0_f32; 4]).unwrap();
            let mut z = context.zeros::<f32>(4).unwrap();
            let refused = |arguments: &[DeviceArgument<'_>], groups| {
                // SAFETY: it is refused before anything is enqueued.
                unsafe { built.enqueue([groups, 1, 1], [4, 1, 1], arguments) }.unwrap_err()
            };
            let (n, a) = (|| 4_i64.into(), || 1.0_f32.into());
            let invalid = |error| matches!(error, Error::InvalidArgument { .. });
            assert!(invalid(refused(&[n(), a()], 1)), "too few");
            assert!(invalid(refused(&[4_i32.into(), a(), (&x).into(), (&x).into(), (&mut z).into()], 1)), "an int");
            assert!(invalid(refused(&[n(), a(), (&x).into(), (&integers).into(), (&mut z).into()], 1)), "of integers");
            assert!(invalid(refused(&[n(), a(), (&x).into(), (&x).into(), (&x).into()], 1)), "it writes");
            assert!(invalid(refused(&[n(), a(), (&x).into(), (&x).into(), (&mut z).into()], 0)), "no groups");
            let mixed = refused(&[n(), a(), (&x).into(), (&on_host).into(), (&mut z).into()], 1);
            assert!(matches!(mixed, Error::MixedMemory(_)), "{mixed}");
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn a_reduction_in_local_memory_is_the_interpreters() {
        let kernel = group_sums::<f32>(16).unwrap();
        let x: Vec<f32> = (0..500_u16).map(|i| f32::from(i) * 0.37).collect();
        let mut expected = [0.0_f32; 3];
        Launch::new(&kernel, [3, 1, 1], [16, 1, 1]).run([500_i64.into(), (&x).into(), (&mut expected).into()]).unwrap();
        for context in devices::<f32>() {
            let built = DeviceKernel::build(&context, &kernel).unwrap();
            let (x, mut sums) = (context.upload(&x).unwrap(), context.zeros::<f32>(3).unwrap());
            let arguments = [500_i64.into(), (&x).into(), (&mut sums).into()];
            // SAFETY: the interpreter has found no fault in this launch.
            unsafe { built.enqueue([3, 1, 1], [16, 1, 1], &arguments) }.unwrap().wait().unwrap();
            assert_eq!(sums.download().unwrap(), expected);
        }
    }

    #[test]
    fn a_pass_of_an_fft_takes_buffers_of_complex_numbers() {
        let kernel = stockham_pass::<f32>(5).unwrap();
        let numbers =
            |count: u16| (0..count).map(|i| Complex32::new(f32::from(i % 7), -f32::from(i % 3))).collect::<Vec<_>>();
        let (x, roots) = (numbers(60), numbers(60));
        let flat = |data: &[Complex32]| data.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f32>>();
        let mut expected = vec![0.0_f32; 120];
        let launch = Launch::new(&kernel, [2, 1, 1], [8, 1, 1]);
        launch
            .run([4_i64.into(), 3_i64.into(), (&flat(&x)).into(), (&flat(&roots)).into(), (&mut expected).into()])
            .unwrap();
        for context in devices::<Complex32>() {
            let built = DeviceKernel::build(&context, &kernel).unwrap();
            let (x, roots) = (context.upload(&x).unwrap(), context.upload(&roots).unwrap());
            let mut y = context.zeros::<Complex32>(60).unwrap();
            let arguments = [4_i64.into(), 3_i64.into(), (&x).into(), (&roots).into(), (&mut y).into()];
            // SAFETY: the interpreter has found no fault in this launch.
            unsafe { built.enqueue([2, 1, 1], [8, 1, 1], &arguments) }.unwrap().wait().unwrap();
            assert_eq!(flat(&y.download().unwrap()), expected);
        }
    }
}
