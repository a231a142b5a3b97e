//! Sizes that follow from the shapes of arrays.

use std::collections::BTreeMap;

use affinimath_stencil::Stencil;
use affinimath_stencil::analysis::sizes_of_shapes;

fn sizes(text: &str, given: &[(&str, i64)], shapes: &[(usize, &[usize])]) -> Result<Vec<(String, i64)>, String> {
    let stencil = Stencil::parse(text).expect("the text is a stencil");
    let given: BTreeMap<String, i64> = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let sizes = sizes_of_shapes(&stencil, &given, shapes).map_err(|error| error.to_string())?;
    Ok(sizes.into_iter().collect())
}

const HEAT: &str = "stencil heat {
  domainsize = (1 .. nx, 1 .. 2*ny);
  t_max = steps;
  operation (double grid u, const double grid k(0 .. nx, 0 .. 2*ny), const double grid p(y = 1 .. m)) {
    u[x,y; t+1] = u[x-1,y; t] + u[x+2,y; t] + k[x,y] * p[y];
  }
}";

fn named(all: &[(&str, i64)]) -> Vec<(String, i64)> {
    all.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn lengths_tell_sizes() {
    // u is 0 .. nx + 2 on x: three points more than the domain.
    assert_eq!(sizes(HEAT, &[], &[(0, &[10, 8])]), Ok(named(&[("nx", 7), ("ny", 4)])));
    assert_eq!(sizes(HEAT, &[], &[(1, &[8, 9]), (2, &[9])]), Ok(named(&[("m", 9), ("nx", 7), ("ny", 4)])));
    assert_eq!(sizes(HEAT, &[("steps", 5)], &[]), Ok(named(&[("steps", 5)])));
}

#[test]
fn one_array_tells_what_another_one_needs() {
    let text = "stencil s {
      domainsize = (1 .. n, 1 .. n + m);
      operation (float grid u) { u[x,y; t+1] = u[x,y; t]; }
    }";
    assert_eq!(sizes(text, &[], &[(0, &[5, 12])]), Ok(named(&[("m", 7), ("n", 5)])));
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let of = |given: &[(&str, i64)], shapes: &[(usize, &[usize])]| sizes(HEAT, given, shapes).unwrap_err();
    let odd = of(&[], &[(0, &[10, 7])]);
    assert_eq!(odd, "the array of 'u' does not fit on y: no whole ny gives its length");
    let short = of(&[("nx", 9)], &[(0, &[10, 8])]);
    assert!(short.contains("'u' does not fit on x: it has too few points, and is 2 shorter"), "{short}");
    let long = of(&[], &[(0, &[10, 8]), (1, &[9, 9])]);
    assert!(long.contains("'k' does not fit on x: it has too many points, and is 1 longer"), "{long}");
    assert_eq!(of(&[], &[(0, &[10])]), "'u' has 2 axes, and an array has 1");
}
