//! Filters along lines.

use affinimath::kernel::{HostLanguage, ScalarType};

use super::filters::{Boundary, Filter, LOW_PASS, MAGIC, Pass, Point, TAPS, high_pass, kernel};
use super::machine::{Bench, Data, Machine, Outcome};
use super::study::filters::{Lines, step, values};
use super::{machines, options};

const PLAIN: Point = Point { unroll: 1, lines: 1, local: false, group: [1, 1], fused: false, vector_loads: false };

/// Points of both kinds, with tiles that lines fill and that they do not.
fn points() -> Vec<Point> {
    let direct = [(1, 1, false), (3, 1, true), (4, 4, false), (4, 4, true), (2, 8, true)];
    let local = [(1, [8, 4]), (4, [8, 2])];
    let direct =
        direct.map(|(unroll, lines, vector_loads)| Point { unroll, lines, vector_loads, group: [2, 2], ..PLAIN });
    let local = local.map(|(unroll, group)| Point { unroll, group, local: true, fused: true, ..PLAIN });
    direct.into_iter().chain(local).collect()
}

/// Binomial coefficient.
fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// Orthonormal translates by two, and eight vanishing moments of the wavelet.
#[test]
fn the_filters_are_daubechies() {
    let high = high_pass();
    for shift in 0..8 {
        let dot = |a: &[f64], b: &[f64]| (0..TAPS - 2 * shift).map(|k| a[k + 2 * shift] * b[k]).sum::<f64>();
        let one = if shift == 0 { 1.0 } else { 0.0 };
        assert!((dot(&LOW_PASS, &LOW_PASS) - one).abs() < 1e-15 && (dot(&high, &high) - one).abs() < 1e-15, "{shift}");
        assert!(dot(&LOW_PASS, &high).abs() < 1e-15 && dot(&high, &LOW_PASS).abs() < 1e-15);
    }
    assert!((LOW_PASS.iter().sum::<f64>() - 2.0_f64.sqrt()).abs() < 1e-15);
    for power in 0..8 {
        let terms = || (0..TAPS).map(|k| high[k] * (k as f64 - 7.5).powi(power));
        let size: f64 = terms().map(f64::abs).sum();
        assert!(terms().sum::<f64>().abs() < 1e-14 * size, "moment {power}");
    }
}

/// Polynomials come back: their coefficients in the basis of scaling functions, of which the moments follow from the
/// low-pass filter, give their values at grid points.
#[test]
fn the_magic_filter_gives_the_values_of_polynomials() {
    assert!((MAGIC.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let moment = |taps: &[f64; TAPS], first: f64, power: usize| -> f64 {
        (0..TAPS).map(|k| taps[k] * (first + k as f64).powi(power as i32)).sum()
    };
    let mut scaling = vec![1.0];
    for power in 1..TAPS {
        let sum: f64 = (0..power)
            .map(|q| choose(power, q) * moment(&LOW_PASS, -8.0, power - q) / 2.0_f64.sqrt() * scaling[q])
            .sum();
        scaling.push(sum / (2.0_f64.powi(power as i32) - 1.0));
    }
    for power in 1..TAPS {
        let terms = || (0..=power).map(|q| choose(power, q) * scaling[q] * moment(&MAGIC, -7.0, power - q));
        let size: f64 = terms().map(f64::abs).sum::<f64>().max(1.0);
        let moments = (0..TAPS).map(|k| MAGIC[k].abs() * (k as f64 - 7.0).abs().powi(power as i32)).sum::<f64>();
        assert!(terms().sum::<f64>().abs() < 1e-13 * (size + moments) * 2.0_f64.powi(power as i32), "power {power}");
    }
}

#[test]
fn filters_of_lines_of_any_length_are_right() {
    for machine in machines() {
        let is_device = matches!(machine, Machine::Device(_));
        for filter in Filter::ALL {
            for boundary in [Boundary::Periodic, Boundary::Free] {
                // Free synthesis needs a line of 16 at least; others go from lines shorter than the filter.
                let lengths = if filter == Filter::Synthesis { [16, 18, 38, 64] } else { [2, 16, 38, 64] };
                let lengths = if filter == Filter::Magic { [1, 15, 17, 41] } else { lengths };
                for n in lengths.into_iter().skip(if is_device { 2 } else { 0 }) {
                    let pass = Pass::new(filter, boundary);
                    let mut study = Lines::new(&machine, pass, n, 11).unwrap();
                    for point in points() {
                        let step = study.step(&point).unwrap();
                        let error =
                            study.error(&step).unwrap_or_else(|fault| panic!("{filter:?} {n} {point:?}: {fault}"));
                        assert!(error <= 1.0, "{machine}, {filter:?}, {boundary:?}, n = {n}, {point:?}: {error}");
                    }
                }
            }
        }
    }
}

/// Synthesis of the analysis, with both boundaries.
#[test]
fn the_synthesis_inverts_the_analysis() {
    for boundary in [Boundary::Periodic, Boundary::Free] {
        let (n, lines) = (20, 3);
        let passes = [Filter::Analysis, Filter::Synthesis].map(|filter| Pass::new(filter, boundary));
        let wide = passes[0].length(n);
        let x = values(n * lines);
        // Each pass transposes: lines of the first are turned back by the host.
        let turned = passes[0].reference(n, lines, &x, false);
        let analysed: Vec<f64> = (0..lines)
            .flat_map(|line| (0..wide).map(move |p| (line, p)))
            .map(|(line, p)| turned[p * lines + line])
            .collect();
        let data = vec![Data::F64(analysed), Data::F64(vec![f64::NAN; n * lines])];
        let mut bench = Bench::new(&Machine::Interpreter, data).unwrap();
        let step = step(&bench, &passes[1], &PLAIN, [wide, lines], [0, 1]).unwrap();
        bench.run(&[step]).unwrap();
        let Data::F64(found) = bench.read(1).unwrap() else { panic!("doubles") };
        for line in 0..lines {
            for p in 0..n {
                assert!((found[p * lines + line] - x[line * n + p]).abs() < 1e-14, "{boundary:?}, {line}, {p}");
            }
        }
    }
}

/// Results of a point on a machine, as bits; `None` where the machine has no such compiler.
fn bits(machine: &Machine, pass: &Pass, point: &Point, n: usize) -> Outcome<Option<Vec<u64>>> {
    let mut study = Lines::new(machine, pass.clone(), n, 9)?;
    let step = match study.step(point) {
        Err(error) if error.to_string().contains("does not start") => return Ok(None),
        step => step?,
    };
    study.error(&step)?;
    let Data::F64(found) = study.bench.read(1)? else { return Ok(None) };
    Ok(Some(found.iter().map(|value| value.to_bits()).collect()))
}

#[test]
fn fortran_c_opencl_and_the_interpreter_give_the_same_bits() {
    let hosts = [HostLanguage::Fortran, HostLanguage::C99, HostLanguage::CVectors].map(Machine::Host);
    let machines: Vec<Machine> = machines().into_iter().chain(hosts).collect();
    for filter in Filter::ALL {
        let pass = Pass::new(filter, Boundary::Periodic);
        for point in [Point { unroll: 4, lines: 4, ..PLAIN }, Point { unroll: 2, fused: true, ..PLAIN }] {
            let all = machines.iter().map(|machine| bits(machine, &pass, &point, 26).unwrap());
            let all: Vec<_> = machines.iter().zip(all).filter_map(|(machine, bits)| Some((machine, bits?))).collect();
            for (machine, found) in &all[1..] {
                assert!(*found == all[0].1, "{filter:?}, {point:?}: {machine} differs");
            }
        }
    }
}

#[test]
fn the_text_of_a_filter_is_as_long_as_its_window() {
    let pass = Pass::new(Filter::Magic, Boundary::Periodic);
    let text = |fused| kernel(&pass, &Point { fused, ..PLAIN }, ScalarType::F64, false).unwrap().fortran().unwrap();
    assert!(text(false).contains("subroutine magic_filter") && !text(false).contains("external_fma_f64"));
    assert!(text(true).contains("external_fma_f64"));
}

#[test]
fn a_small_search_compares_with_plain_loops() {
    let line = "--machine interpreter --n 4 --budget 2 --filter analysis";
    let results = super::study::filters::run(&options(line)).unwrap();
    assert_eq!(results["results"][0]["search"]["measured"], 2);
    assert_eq!(results["results"][0]["search"]["failures"].as_array().unwrap().len(), 0);
}
