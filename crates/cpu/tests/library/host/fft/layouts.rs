//! Layouts against the definitions, with canaries in the gaps.

use super::*;
use affinimath_core::fft::descriptor::{Direction, Transform};

const ALL: [Transform; 8] = [
    Transform::Complex(Direction::Forward),
    Transform::Complex(Direction::Backward),
    Transform::RealToComplex,
    Transform::ComplexToReal,
    Transform::Dct2,
    Transform::Dct3,
    Transform::Dst2,
    Transform::Dst3,
];

#[test]
fn dense_arrays_of_all_ranks_in_and_out_of_place() {
    for transform in ALL {
        for lengths in [
            &[1][..],
            &[6],
            &[7],
            &[1, 1],
            &[5, 1],
            &[1, 6],
            &[6, 9],
            &[9, 6],
            &[37, 40],
            &[3, 4, 5],
            &[4, 1, 7],
            &[8, 9, 10],
        ] {
            for batch in [1, 3] {
                let descriptor = FftDescriptor::new(transform, lengths).batch(batch).scale(-0.5);
                check(&descriptor);
                check(&descriptor.in_place());
            }
        }
    }
}

#[test]
fn rows_and_columns_far_apart() {
    for transform in ALL {
        for n in [1, 2, 5, 16, 61] {
            let descriptor = FftDescriptor::new(transform, &[n]);
            // Columns of a matrix, padded rows, strided elements, and from one layout to another.
            for count in [1, 2, 33, 100] {
                let many = descriptor.clone().batch(count);
                check(&many.clone().input_layout(&[count + 3], 1).output_layout(&[count], 1));
                check(&many.clone().input_layout(&[1], n + 5).output_layout(&[1], n + 2));
                check(&many.clone().input_layout(&[3], 3 * n + 7).output_layout(&[2], 2 * n + 1));
                check(&many.clone().input_layout(&[count], 1).output_layout(&[1], n));
                check(&many.clone().input_layout(&[1], n).output_layout(&[2 * count], 2));
                // Overlapping windows of a row, and one row for the whole batch.
                check(&many.clone().input_layout(&[1], 1).output_layout(&[1], n));
                check(&many.input_layout(&[2], 0));
            }
            // Stride 0 on all axes.
            check(&descriptor.input_layout(&[0], 0));
        }
    }
}

#[test]
fn columns_in_place() {
    for transform in ALL.into_iter().filter(|t| t.from_real() == t.to_real()) {
        for (n, count) in [(16, 20), (7, 3), (61, 40)] {
            let columns = FftDescriptor::new(transform, &[n]).batch(count).in_place();
            check(&columns.clone().input_layout(&[count + 1], 1).output_layout(&[count + 1], 1));
            check(&columns.input_layout(&[2], 2 * n + 1).output_layout(&[2], 2 * n + 1));
        }
    }
}

#[test]
fn planes_and_volumes_with_gaps_and_of_any_order() {
    for transform in ALL {
        let plane = FftDescriptor::new(transform, &[12, 10]).batch(2).scale(3.0);
        check(&plane.clone().input_layout(&[13, 1], 200).output_layout(&[11, 1], 150));
        check(&plane.clone().input_layout(&[1, 12], 120).output_layout(&[1, 12], 130));
        check(&plane.clone().input_layout(&[20, 2], 1).output_layout(&[40, 3], 1));
        check(&plane.input_layout(&[1, 1], 3).output_layout(&[1, 24], 12));
        let volume = FftDescriptor::new(transform, &[4, 6, 5]);
        check(&volume.clone().input_layout(&[1, 4, 24], 0).output_layout(&[64, 8, 1], 999));
        check(&volume.clone().batch(3).input_layout(&[40, 6, 1], 170).output_layout(&[90, 15, 3], 1));
    }
}

#[test]
fn planes_with_padded_rows_in_place() {
    let plane = |transform, input: [usize; 2], output: [usize; 2], distances: [usize; 2]| {
        let of = FftDescriptor::new(transform, &[6, 7]).batch(2).in_place();
        check(&of.input_layout(&input, distances[0]).output_layout(&output, distances[1]));
    };
    plane(Transform::RealToComplex, [10, 1], [5, 1], [62, 31]);
    plane(Transform::ComplexToReal, [5, 1], [10, 1], [31, 62]);
    plane(Transform::Complex(Direction::Forward), [9, 1], [9, 1], [60, 60]);
    plane(Transform::Dst3, [1, 8], [1, 8], [60, 60]);
}

#[test]
fn enough_work_for_several_threads() {
    let forward = Transform::Complex(Direction::Forward);
    for transform in [forward, Transform::RealToComplex, Transform::ComplexToReal, Transform::Dct2] {
        check(&FftDescriptor::new(transform, &[24]).batch(1500));
        check(&FftDescriptor::new(transform, &[24]).batch(1500).input_layout(&[1500], 1).output_layout(&[1500], 1));
        check(&FftDescriptor::new(transform, &[160, 150]));
        check(&FftDescriptor::new(transform, &[160, 150]).in_place());
        check(&FftDescriptor::new(transform, &[12, 10, 8]).batch(40));
    }
}

#[test]
fn nothing_is_done_for_no_transforms() {
    for transform in ALL {
        check(&FftDescriptor::new(transform, &[8, 4]).batch(0));
    }
}

#[test]
fn long_rows_in_place_and_not_adjacent() {
    let n = 1 << 17;
    for transform in [Transform::Complex(Direction::Backward), Transform::RealToComplex] {
        let row = FftDescriptor::new(transform, &[n]).scale(0.5);
        check(&row.clone().in_place());
        check(&row.input_layout(&[3], 0).output_layout(&[2], 0));
        check(&FftDescriptor::new(transform, &[n / 2, 2]));
    }
}

#[test]
fn a_plan_serves_several_threads_at_once() {
    let problem = Problem::new(&FftDescriptor::new(Transform::RealToComplex, &[90, 100])).unwrap();
    let plan = HostFft::<f64>::new(&problem);
    let input = numbers(9000, 5);
    let expected = execute::<f64>(&problem, &input);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut results = vec![0.0; expected.len()];
                    // SAFETY: the buffers have the extents of both sides.
                    unsafe { plan.execute(input.as_ptr(), results.as_mut_ptr()) };
                    assert_eq!(results, expected);
                }
            });
        }
    });
}
