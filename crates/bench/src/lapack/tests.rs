//! Checks that find what is wrong, for every routine and type.

use affinimath::{Complex32, Complex64, ScalarKind};

use super::data::Results;
use super::*;
use crate::contender::Contender;
use crate::target::MemoryChoice;

const HOST: Target = Target { device: None, memory: MemoryChoice::Host, automatic: false };

#[test]
fn every_routine_is_right_on_the_host() {
    fn check<T: Scalar>() {
        for routine in Routine::ALL {
            for size in [(1, 1), (2, 2), (17, 17), (40, 40), (40, 17), (17, 40), (5, 1), (1, 5)] {
                if size.0 != size.1 && routine.is_square() {
                    continue;
                }
                let data = Arc::new(Data::<T>::random(routine, size, 1).unwrap());
                let mut ours = ours::entrant(&data, &HOST).unwrap();
                ours.run(2).unwrap();
                let accuracy = Contender::accuracy(ours.as_mut()).unwrap();
                assert!(accuracy.holds(), "{routine:?}, {size:?}: {accuracy:?}");
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
    for (routine, (m, n)) in Routine::ALL.into_iter().flat_map(|routine| {
        let sizes: &[(usize, usize)] = if routine.is_square() { &[(12, 12)] } else { &[(12, 12), (12, 5), (5, 12)] };
        sizes.iter().map(move |size| (routine, *size))
    }) {
        let data = Data::<f64>::random(routine, (m, n), 1).unwrap();
        let of = |value: f64| data.vector_lengths().map(|length| vec![value; length]);
        // The matrix as it was is not its own factorisation, nor its inverse; b is not x.
        let pivots = (1..=n as i32).collect();
        let (tau, x) = (vec![1.0; m.min(n)], data.right.clone());
        let untouched = Results { a: data.start.clone(), pivots, tau, x, w: vec![1.0; n], vectors: of(1.0) };
        let accuracy = data.accuracy(&untouched);
        assert!(!accuracy.holds(), "{routine:?}, {m} x {n}: {accuracy:?}");
        let (tau, x) = (vec![0.0; m.min(n)], vec![f64::NAN; m.max(n)]);
        let nan = Results {
            a: vec![f64::NAN; m * n],
            pivots: vec![1; n],
            tau,
            x,
            w: vec![f64::NAN; n],
            vectors: of(f64::NAN),
        };
        assert!(!data.accuracy(&nan).holds(), "{routine:?}, {m} x {n}");
        let (tau, x) = (vec![1.0; m.min(n)], data.right.clone());
        let stray = Results { a: data.start.clone(), pivots: vec![99; n], tau, x, w: vec![1.0; n], vectors: of(1.0) };
        assert!(!data.accuracy(&stray).holds(), "{routine:?}, {m} x {n}");
    }
}

#[test]
fn a_solution_that_is_not_the_one_of_least_norm_is_found() {
    let data = Data::<f64>::random(Routine::Gels, (1, 2), 1).unwrap();
    // One equation in two unknowns: x = (b / a1, 0) has no residual, and is longer than need be.
    let x = vec![data.right[0] / data.start[0], 0.0];
    let results = Results {
        a: data.start.clone(),
        pivots: Vec::new(),
        tau: Vec::new(),
        x,
        w: Vec::new(),
        vectors: [Vec::new(), Vec::new()],
    };
    assert!(!data.accuracy(&results).holds());
}

#[test]
fn operations_are_those_of_lapack() {
    let cubes = Routine::ALL.map(|routine| (routine.operations(ScalarKind::D, (1000, 1000)) / 1e9 * 3.0).round());
    assert_eq!(cubes, [2.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0, 2.0, 1.0, 14.0, 4.0, 62.0, 8.0]);
    let getrf = |kind, size| Routine::Getrf.operations(kind, size);
    assert_eq!(getrf(ScalarKind::Z, (10, 10)), 4.0 * getrf(ScalarKind::D, (10, 10)));
    // Tall: m n^2 - n^3 / 3, and the same for the transposed size.
    assert_eq!((getrf(ScalarKind::D, (10_000, 10)) / 1e4).round(), 100.0);
    assert_eq!(getrf(ScalarKind::D, (10_000, 10)), getrf(ScalarKind::D, (10, 10_000)));
    assert_eq!((Routine::Geqrf.operations(ScalarKind::D, (10_000, 100)) / 1e8).round(), 2.0);
}
