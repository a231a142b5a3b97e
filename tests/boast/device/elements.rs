//! Spectral elements.

use affinimath::replay::{Case, Tolerance};

use super::elastic::{Mesh, NGLL, PADDED, POINTS, Point, Rule, kernel, table};
use super::study::elastic::{FOUR_THIRDS, Forces, WRONG};
use super::{machines, options};

const ONE: Point = Point { elements: 1, registers: 0 };

#[test]
fn the_rule_is_exact_for_polynomials() {
    let rule = Rule::new();
    for power in 0..2 * NGLL - 2 {
        let sum: f64 = (0..NGLL).map(|i| rule.weights[i] * rule.nodes[i].powi(power as i32)).sum();
        let exact = if power % 2 == 0 { 2.0 / (power as f64 + 1.0) } else { 0.0 };
        assert!((sum - exact).abs() < 1e-14, "integral of x^{power}");
    }
    for power in 0..NGLL {
        for i in 0..NGLL {
            let slope: f64 = (0..NGLL).map(|l| rule.derivatives[i][l] * rule.nodes[l].powi(power as i32)).sum();
            let exact = power as f64 * rule.nodes[i].powi(power as i32 - 1);
            assert!(power == 0 && slope.abs() < 1e-13 || (slope - exact).abs() < 1e-13, "slope of x^{power}");
        }
    }
}

#[test]
fn elements_of_a_colour_share_no_point() {
    let mesh = Mesh::new([3, 2, 3]);
    assert_eq!((mesh.colours.len(), mesh.colours.iter().sum::<usize>()), (8, mesh.elements));
    let mut first = 0;
    for count in &mesh.colours {
        let mut seen = std::collections::HashSet::new();
        for element in &mesh.order[first..first + count] {
            let start = *element as usize * PADDED;
            assert!(mesh.numbers[start..start + POINTS].iter().all(|point| seen.insert(*point)));
        }
        first += count;
    }
}

#[test]
fn a_moved_body_has_no_forces() {
    let mesh = Mesh::new([2, 1, 2]);
    let moved: Vec<f32> = (0..mesh.points).flat_map(|_| [0.5_f32, -0.25, 2.0]).collect();
    let forces = super::elastic::reference(&mesh, &moved, false);
    let sums = super::elastic::reference(&mesh, &moved, true);
    for (force, sum) in forces.iter().zip(&sums) {
        // Factors are rounded to single precision.
        assert!(force.abs() <= 32.0 * f64::from(f32::EPSILON) * sum, "{force} of {sum}");
    }
}

#[test]
fn forces_are_those_of_the_definition_on_every_machine() {
    let mut bits = Vec::new();
    for machine in machines() {
        for elements in [1, 2] {
            let mut study = Forces::new(&machine, Mesh::new([2, 3, 1])).unwrap();
            let steps = study.steps(&Point { elements, registers: 0 }, FOUR_THIRDS).unwrap();
            let found = study.run(&steps).unwrap();
            let error = study.error(&found);
            assert!(error <= 1.0, "{machine}: {error}");
            bits.push(found.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
            let steps = study.steps(&Point { elements, registers: 0 }, WRONG).unwrap();
            let wrong = study.run(&steps).unwrap();
            assert!(study.error(&wrong) > 100.0, "the bound is too wide to see a wrong constant");
        }
    }
    assert!(bits.iter().all(|found| *found == bits[0]), "bits differ");
}

/// A recorded launch is the test of the kernel: the wrong constant fails it, with the element.
#[test]
fn a_recorded_case_finds_the_wrong_constant() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = Mesh::new([1, 1, 1]);
    let displacement = mesh.displacement();
    let arguments = [
        0_i32.into(),
        1_i32.into(),
        (&mesh.order).into(),
        (&mesh.numbers).into(),
        (&mesh.factors).into(),
        (&table()).into(),
        (&displacement).into(),
        (&vec![0.0_f32; 3 * mesh.points]).into(),
    ];
    let right = kernel(&ONE, FOUR_THIRDS).unwrap();
    Case::record(folder.path().join("elastic"), &right, [1, 1, 1], ONE.items(), arguments).unwrap();
    let case = Case::load(folder.path().join("elastic")).unwrap();
    assert!(case.check(&right).unwrap().within(Tolerance::Exact));
    let check = case.check(&kernel(&ONE, WRONG).unwrap()).unwrap();
    let wrong = check.first_beyond(Tolerance::Ulps(1000)).unwrap();
    assert!(wrong.name.contains("'forces'") && wrong.comparison.first.is_some(), "{check}");
}

#[test]
fn the_texts_of_opencl_and_cuda_come_of_one_kernel() {
    let kernel = kernel(&Point { elements: 2, registers: 64 }, FOUR_THIRDS).unwrap();
    assert!(kernel.cuda().contains("__launch_bounds__(256) elastic_forces"));
    assert!(kernel.opencl().contains("reqd_work_group_size(128, 2, 1)"));
    let options: Vec<String> = kernel.build_options().iter().map(ToString::to_string).collect();
    assert_eq!(options, ["-cl-nv-maxrregcount=64"]);
}

#[test]
fn a_small_search_names_a_point() {
    let results = super::study::elastic::run(&options("--machine interpreter --elements 1 --budget 2")).unwrap();
    assert_eq!(results["search"]["measured"], 2);
    assert_eq!(results["search"]["failures"].as_array().unwrap().len(), 0);
}
