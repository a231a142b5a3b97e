//! Plans on devices and the host: the reference's bits.

mod common;

use affinimath_stencil::{Span, Stencil};
use common::devices::{check, check_in};
use common::parse;

fn steps(steps: u64) -> Span {
    Span { first: 2, steps: Some(steps), initial: true }
}

#[test]
fn examples_have_the_reference_s_bits() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "stc") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let stencil = parse(&std::fs::read_to_string(&path).expect("a text"));
        for n in [6, 19] {
            let value = |name: &str| match name {
                "nxb" | "nyb" | "nzb" => 1,
                "steps" => 3,
                _ => n,
            };
            let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, value(name))).collect();
            let span = Span { first: 0, steps: Some(3), initial: true };
            check_in(&stencil, &sizes, span, &name, &[false]);
        }
        count += 1;
    }
    assert!(count >= 24, "{count} examples");
}

/// Axes names of the language.
const AXES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];

fn in_dimension(axes: usize, kind: &str, boundary: &dyn Fn(&str) -> String, n: i64) -> Stencil {
    let names = &AXES[..axes];
    let here = names.join(",");
    let tap = |axis: usize, by: &str| {
        let each = names
            .iter()
            .enumerate()
            .map(|(own, name)| if own == axis { format!("{name}{by}") } else { (*name).to_owned() });
        format!("q[{}; t]", each.collect::<Vec<_>>().join(","))
    };
    let sum: Vec<String> = (0..axes).map(|axis| format!("{} + 2 * {}", tap(axis, "-1"), tap(axis, "+2"))).collect();
    let corner = names.iter().map(|name| format!("{name}-1")).collect::<Vec<_>>().join(",");
    let domain =
        (0..axes).map(|axis| format!("{} .. {}", axis as i64 - 2, axis as i64 - 3 + n)).collect::<Vec<_>>().join(", ");
    let faces: String = names.iter().map(|name| boundary(name)).collect();
    parse(&format!(
        "stencil shape {{
           domainsize = ({domain});
           operation ({kind} grid q) {{ q[{here}; t+1] = {} - q[{corner}; t]; }}
           boundary {{ q: {faces} }}
         }}",
        sum.join(" + ")
    ))
}

#[test]
fn one_to_six_axes_have_all_boundary_conditions() {
    let kinds = ["keep", "periodic", "neumann(2)", "reflect", "symmetric", "antireflect", "clamp", "3 * t - x"];
    for axes in 1..=6 {
        for (number, kind) in kinds.iter().enumerate() {
            if axes > 3 && number % 2 == axes % 2 {
                continue;
            }
            let element = ["int", "long", "float", "double"][(axes + number) % 4];
            let stencil = in_dimension(axes, element, &|name| format!("{name} = {kind}; "), 3);
            check(&stencil, &[], steps(3), &format!("{axes} axes, {kind}, {element}"));
        }
    }
}

/// Different conditions on the axes: corners follow the last one.
#[test]
fn corners_follow_the_last_axis() {
    let kinds = ["periodic", "clamp", "keep", "reflect", "5", "neumann(1)"];
    for first in 0..kinds.len() {
        let boundary = |name: &str| {
            let axis = AXES.iter().position(|own| own == &name).expect("an axis");
            format!("{name} = {}; ", kinds[(first + 2 * axis) % kinds.len()])
        };
        for axes in [2, 3] {
            check(&in_dimension(axes, "double", &boundary, 4), &[], steps(3), &format!("{first}, {axes} axes"));
        }
    }
}

#[test]
fn rows_of_all_lengths_are_complete() {
    for kind in ["float", "double", "int"] {
        let stencil = parse(&format!(
            "stencil row {{
               domainsize = (1 .. n, 1 .. m);
               operation ({kind} grid u) {{ u[x,y; t+1] = u[x-1,y; t] + 3 * u[x+1,y; t] - u[x,y-1; t] * u[x,y; t-1]; }}
               boundary {{ u: x = periodic; y = clamp; }}
             }}"
        ));
        for n in [1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 255, 257, 4097] {
            check(&stencil, &[("n", n), ("m", 3)], steps(2), kind);
        }
    }
}

#[test]
fn reductions_have_the_fixed_order() {
    let stencil = parse(
        "stencil reductions {
           domainsize = (1 .. nx, 1 .. ny);
           operation (const float grid u, const int grid k, float result total, double result wide, float result most,
                      float result least, float result norm, long result positive, int result whole) {
             total = sum(u[x,y]);
             wide = sum(u[x,y] * 1.0);
             most = max(u[x,y]);
             least = min(u[x,y] - x);
             norm = norm2(u[x,y]);
             positive = count(u[x,y] > 1.5);
             whole = max(k[x,y] % 7);
           }
         }",
    );
    for (nx, ny) in [(1, 1), (255, 1), (256, 2), (257, 3), (600, 5), (3, 700), (1000, 301)] {
        check(&stencil, &[("nx", nx), ("ny", ny)], steps(2), "reductions");
    }
}

#[test]
fn criteria_stop_after_the_same_step() {
    let stencil = common::example("red_black");
    let span = Span { first: 0, steps: Some(60), initial: false };
    check(&stencil, &[("nx", 5), ("ny", 4), ("nz", 6)], span, "red_black");
    let stencil = parse(
        "stencil decay {
           domainsize = (1 .. n);
           operation (double grid u, double result most) {
             u[x; t+1] = 0.5 * u[x; t];
             most = max(u[x; t+1]);
           }
           stop { when most < 0.1 && t > 3 every 3; }
         }",
    );
    check(&stencil, &[("n", 300)], steps(100), "decay");
    check(&stencil, &[("n", 300)], steps(0), "no step");
}

#[test]
fn elements_outside_ranges_are_errors_where_they_are_used() {
    let text = |value: &str| {
        format!(
            "stencil tables {{
               domainsize = (-3 .. 30);
               operation (double grid u, double grid v, double param c[-1 .. 1],
                          int table d[0 .. 2] = {{ 4, -1, 2 }}) {{
                 double unused = c[x];
                 u[x; t] = {value};
                 v[x; t+1] = v[x; t] + d[x % 3];
               }}
             }}"
        )
    };
    let values = [
        "-1 <= x <= 1 ? c[x] : 0",
        "x < -1 || x > 1 ? 2 : c[x]",
        "x < -1 || x > 1 || c[x] > 0.5 ? 2 : 3",
        "c[x]",
        "unused + 1",
        "c[x % 2] * c[-(x % 2)]",
        "-1 <= x <= 1 && c[x] > 0 ? 1 : 0",
        "x == 31 ? c[x] : c[div(x, 30)]",
        "c[d[x % 3]]",
    ];
    for value in values {
        check(&parse(&text(value)), &[], steps(2), value);
    }
}

#[test]
fn boundaries_read_constant_grids_beyond_their_faces() {
    for (value, memory) in [("k[x,y]", "-3 .. n+4"), ("k[x,y]", "0 .. n+1"), ("x < 0 ? 7 : k[x,y]", "0 .. n+1")] {
        let stencil = parse(
            &format!(
                "stencil order {{
               domainsize = (1 .. n, 1 .. 3);
               operation (double grid u, const double grid k(0 .. 4, {memory}), const double grid l) {{
                 u[x,y; t+1] = u[x-2,y; t] + u[x,y+1; t] + 0 * k[x,y] * l[x,y+1];
               }}
               boundary {{ u: x- = {value}; u: y = l[x,y] + t; l: y = periodic; }}
             }}",
            )
            .replace(&format!("k(0 .. 4, {memory})"), &format!("k({memory}, 0 .. 4)")),
        );
        check(&stencil, &[("n", 5)], steps(2), value);
    }
}

#[test]
fn functions_and_operators_have_the_same_bits() {
    let unary =
        ["sqrt", "exp", "log", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc", "abs"];
    for kind in ["float", "double"] {
        let mut statements = String::new();
        for name in unary {
            statements.push_str(&format!("s = s + {name}(a[x] * 3);\n").replace("s = s +", "u[x; t+1] = u[x; t+1] +"));
        }
        for each in [
            "asin(a[x] - 1.5)",
            "acos(a[x] - 1.5)",
            "atan2(a[x], b[x] - 1)",
            "pow(a[x], b[x])",
            "min(a[x], b[x])",
            "max(a[x], b[x])",
            "a[x] % b[x]",
            "(a[x] - 2) % b[x]",
            "a[x] % -b[x]",
            "a[x]^5",
            "b[x]^-3",
            "a[x] / b[x]",
            "k[x] % 5",
            "k[x] % -5",
            "div(k[x] - 170, 7)",
            "(k[x] - 170) % 0",
            "k[x]^3",
            "(a[x] < b[x] ? a[x] : b[x])",
            "x",
            "k[x] * 30000000",
            "abs(k[x] - 150)",
            "k[x] / 7",
        ] {
            statements.push_str(&format!("u[x; t+1] = u[x; t+1] + {each};\n"));
        }
        let stencil = parse(&format!(
            "stencil functions {{
               domainsize = (-20 .. n);
               operation ({kind} grid u, const {kind} grid a, const {kind} grid b, const int grid k) {{
                 u[x; t+1] = u[x; t];
                 {statements}
               }}
             }}"
        ));
        check(&stencil, &[("n", 40)], steps(2), kind);
    }
}

/// Names that mean something in the languages of kernels.
#[test]
fn names_of_other_languages_are_names() {
    let stencil = parse(
        "stencil kernel {
           domainsize = (1 .. int4, 1 .. get_global_id);
           operation (double grid global, double grid half, const float grid restrict, double param private,
                      double param sin2[0 .. 1], long param local, double result barrier) {
             double volatile = restrict[x,y] * private;
             global[x,y; t+1] = global[x-1,y; t] + volatile * sin2[1] + local;
             half[x,y; t+1] = half[x,y+1; t] - global[x,y; t+1] + int4 * get_global_id;
             barrier = sum(half[x,y; t+1]);
           }
           boundary { global: x = periodic; half: y = clamp; }
         }",
    );
    check(&stencil, &[("int4", 9), ("get_global_id", 5)], steps(2), "names");
}

/// Grids of one axis, tables, components and older levels beside each other.
#[test]
fn components_levels_and_lines_have_the_same_bits() {
    let stencil = parse(
        "stencil sections {
           domainsize = (0 .. n, -2 .. m);
           operation (float grid u[2][2], double grid v, const int grid k(y), const double grid c(x), double param a) {
             sequence {
               stage {
                 u[x,y; t+1; 0,0] = u[x-1,y; t; 1,1] + c[x+1] * a;
                 u[x,y; t+1; 0,1] = u[x,y-1; t-1; 0,0] - k[y+1];
                 u[x,y; t+1; 1,0] = u[x,y; t+1; 0,0] * u[x,y; t-2; 1,0];
                 u[x,y; t+1; 1,1] = u[x+2,y; t; 0,1];
               }
               stage { v[x,y; t+1] = u[x+1,y-1; t+1; 1,0] + v[x,y; t-1]; }
               stage { u[x,y; t+1; 0,1] = u[x,y; t+1; 0,1] + 0.5 * v[x,y; t+1]; }
             }
           }
           initial { v = x - y; u[x,y; t-1; 1,0] = 1.5; }
           boundary { u[0,0]: x = periodic; u[1,1]: x = clamp; y = reflect; v: x = neumann(a * c[x]);
                      c: x = antireflect;
                      k: y = periodic; }
           filter { v[x,y; t+1] *= c[x]; u[div(n, 2), 0; t+1; 1,1] -= a * t; }
         }",
    );
    for (n, m) in [(4, 3), (17, 0), (2, 9)] {
        check(&stencil, &[("n", n), ("m", m)], steps(5), "sections");
    }
}
