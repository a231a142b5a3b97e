//! The Laplace filter.

use super::laplace::{Image, PIXEL, Point, space};
use super::study::laplace::Laplace;
use super::{machines, options};

/// Every point for rows that are no multiple of its tile, and some for others.
#[test]
fn every_point_filters_as_the_definition_says() {
    let space = space().unwrap();
    assert_eq!(space.len(), 846);
    let machines: Vec<_> = machines().into_iter().map(|machine| machine.to_string()).collect();
    for (number, machine) in machines.iter().enumerate() {
        // A device compiles each point.
        let stride = if number == 0 { 1 } else { 97 };
        for (width, height) in [(22, 18), (3, 3)] {
            let line =
                format!("--machine {}", if number == 0 { "interpreter" } else { machine.split(' ').next().unwrap() });
            let mut study = Laplace::new(&options(&line), Image { width, height }).unwrap();
            for point in space.points().step_by(stride) {
                let point = Point::of(&space.configuration(point)).unwrap();
                let step = study.point(&point).unwrap();
                let checked = study.check(&step).unwrap();
                checked.unwrap_or_else(|wrong| panic!("{machine}, {point:?}: {wrong}"));
            }
        }
    }
}

#[test]
fn rows_that_are_multiples_of_vectors_use_aligned_ones() {
    for vector in [4, 8, 16] {
        for synthesise in [false, true] {
            let point = Point { x: 16, y: 2, vector, temporary: 16, synthesise, recompute: false };
            let image = Image { width: 32, height: 7 };
            let mut study = Laplace::new(&options("--machine interpreter"), image).unwrap();
            let step = study.point(&point).unwrap();
            study.check(&step).unwrap().unwrap();
            let text = super::laplace::laplace(&point, true).unwrap().opencl();
            assert!(text.contains(&format!("uchar{vector} *)")), "{text}");
        }
    }
}

#[test]
fn the_reference_saturates_and_keeps_its_border() {
    let image = Image { width: 5, height: 4 };
    let mut source = vec![10; image.components()];
    let middle = image.row() + 2 * PIXEL;
    (source[middle], source[middle + 1]) = (255, 0);
    let filtered = image.filtered(&source);
    // 9 * 255 - 80 and 0 - 80 saturate; elsewhere 9 * 10 - 8 * 10, or with one neighbour more or less.
    assert_eq!((filtered[middle], filtered[middle + 1], filtered[middle + 2]), (255, 0, 10));
    assert_eq!((filtered[middle - PIXEL], filtered[middle - PIXEL + 1]), (0, 20));
    assert_eq!(filtered[..image.row()], source[..image.row()]);
}

#[test]
fn a_small_search_names_a_point_and_its_times() {
    let results = super::study::laplace::run(&options("--machine interpreter --size 12x6 --budget 3")).unwrap();
    let result = &results["results"][0];
    assert_eq!(result["search"]["measured"], 3);
    assert_eq!(result["search"]["failures"].as_array().unwrap().len(), 0);
    assert!(result["naive"].as_f64().unwrap() > 0.0 && result["point"].as_str().unwrap().contains("temporary="));
}
