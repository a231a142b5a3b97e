//! Facts for other languages, and sizes that follow from the shapes of arrays.

use std::collections::BTreeMap;

use affinimath_stencil::Stencil;
use affinimath_stencil::analysis::{description, sizes_of_shapes};

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

#[test]
fn the_description_names_what_a_run_needs() {
    let text = "stencil heat {
      domainsize = (1 .. nx, 1 .. 2*(ny - 1));
      t_max = steps;
      operation (double grid u, float param k, int param c[0 .. nx, 3], double result change, const long grid m[2, 3]) {
        u[x,y; t+1] = k * u[x-1,y+2; t] + m[x,y; 1, 2];
        change = max(u[x,y; t+1]);
      }
      boundary { u: x = periodic; y+ = neumann(1); }
    }";
    let stencil = Stencil::parse(text).expect("the text is a stencil");
    let found: serde_json::Value = serde_json::from_str(&description(&stencil)).expect("the description is JSON");
    let u = serde_json::json!({
        "name": "u", "type": "double", "constant": false, "axes": ["x", "y"], "components": [], "levels": 2,
        "memory": [["0", "nx"], ["1", "2 * (ny - 1) + 2"]], "radius": [[1, 0], [0, 2]], "assigned": true,
        "boundaries": [
            { "component": 0, "face": "x-", "condition": "periodic" },
            { "component": 0, "face": "x+", "condition": "periodic" },
            { "component": 0, "face": "y+", "condition": "neumann" },
        ],
    });
    assert_eq!(found["grids"][0], u);
    assert_eq!(found["grids"][1]["components"], serde_json::json!([2, 3]));
    let parameters = serde_json::json!([
        { "name": "k", "type": "float", "ranges": [] },
        { "name": "c", "type": "int", "ranges": [["0", "nx"], ["0", "2"]] },
    ]);
    assert_eq!(found["parameters"], parameters);
    assert_eq!(found["results"], serde_json::json!([{ "name": "change", "type": "double" }]));
    assert_eq!(found["sizes"], serde_json::json!(["nx", "ny", "steps"]));
    assert_eq!((&found["steps"], &found["flops"], &found["bytes"]), (&"steps".into(), &3.into(), &24.into()));
}
