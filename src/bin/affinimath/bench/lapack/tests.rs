//! Checks that find what is wrong, for every routine and type.

use affinimath::{Complex32, Complex64, ScalarKind};

use super::data::Results;
use super::*;
use crate::bench::contender::Contender;
use crate::bench::target::MemoryChoice;

const HOST: Target = Target { device: None, memory: MemoryChoice::Host, automatic: false };

#[test]
fn every_routine_is_right_on_the_host() {
    fn check<T: Scalar>() {
        for routine in Routine::ALL {
            for n in [1, 2, 17, 40] {
                let data = Arc::new(Data::<T>::random(routine, n, 1).unwrap());
                let mut ours = ours::entrant(&data, &HOST).unwrap();
                ours.run(2).unwrap();
                let accuracy = Contender::accuracy(ours.as_mut()).unwrap();
                assert!(accuracy.holds(), "{routine:?}, {n}: {accuracy:?}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
    check::<Complex64>();
}

#[test]
fn a_result_that_is_off_is_found() {
    for routine in Routine::ALL {
        let n = 12;
        let data = Data::<f64>::random(routine, n, 1).unwrap();
        // The matrix as it was is not its own factorisation, nor its inverse.
        let pivots = (1..=n as i32).collect();
        let untouched = Results { a: data.start.clone(), pivots, tau: vec![1.0; n] };
        let accuracy = data.accuracy(&untouched);
        assert!(!accuracy.holds(), "{routine:?}: {accuracy:?}");
        let nan = Results { a: vec![f64::NAN; n * n], pivots: vec![1; n], tau: vec![0.0; n] };
        assert!(!data.accuracy(&nan).holds(), "{routine:?}");
        let stray = Results { a: data.start.clone(), pivots: vec![99; n], tau: vec![1.0; n] };
        assert!(!data.accuracy(&stray).holds(), "{routine:?}");
    }
}

#[test]
fn operations_are_those_of_lapack() {
    let cubes = Routine::ALL.map(|routine| (routine.operations(ScalarKind::D, 1000) / 1e9 * 3.0).round());
    assert_eq!(cubes, [2.0, 1.0, 4.0, 4.0, 2.0, 1.0]);
    assert_eq!(Routine::Getrf.operations(ScalarKind::Z, 10), 4.0 * Routine::Getrf.operations(ScalarKind::D, 10));
}
