//! Boundary conditions against analytic solutions: eigenmodes of a wide second difference, polynomials, long runs.

mod common;

use affinimath_stencil::{Span, Target};
use common::devices::targets;
use common::{Case, parse, points};
use std::f64::consts::PI;

/// Weights of u[x-r] - 2 u[x] + u[x+r], for r from 1.
const WEIGHTS: [f64; 3] = [0.125, 0.0625, 0.03125];

/// A condition, with the eigenmode of all second differences that satisfies it: the wave number, and the value at a
/// coordinate. Domains begin at 1.
struct Mode {
    condition: &'static str,
    number: fn(f64) -> f64,
    value: fn(f64, f64) -> f64,
    radius: usize,
}

const MODES: [Mode; 8] = [
    Mode { condition: "periodic", number: |n| 6.0 * PI / n, value: |x, q| (q * x + 0.3).sin(), radius: 3 },
    // Zero one point beyond the faces.
    Mode { condition: "0", number: |n| 2.0 * PI / (n + 1.0), value: |x, q| (q * x).sin(), radius: 1 },
    Mode { condition: "keep", number: |n| PI / (n + 1.0), value: |x, q| (q * x).sin(), radius: 1 },
    // Even about the point at the face.
    Mode { condition: "reflect", number: |n| 3.0 * PI / (n - 1.0), value: |x, q| (q * (x - 1.0)).cos(), radius: 3 },
    // Odd about it.
    Mode { condition: "antireflect", number: |n| 2.0 * PI / (n - 1.0), value: |x, q| (q * (x - 1.0)).sin(), radius: 3 },
    // Even about the face.
    Mode { condition: "symmetric", number: |n| 3.0 * PI / n, value: |x, q| (q * (x - 0.5)).cos(), radius: 3 },
    Mode { condition: "neumann(0)", number: |n| 2.0 * PI / n, value: |x, q| (q * (x - 0.5)).cos(), radius: 3 },
    // Of radius 1 the same.
    Mode { condition: "clamp", number: |n| PI / n, value: |x, q| (q * (x - 0.5)).cos(), radius: 1 },
];

/// One step multiplies the mode of one axis by 1 + this.
fn change(number: f64, radius: usize) -> f64 {
    let terms = WEIGHTS.iter().take(radius).enumerate();
    terms.map(|(r, weight)| weight * (2.0 * ((r + 1) as f64 * number).cos() - 2.0)).sum()
}

/// The sum of second differences on an axis, scaled.
fn differences(axis: &str, radius: usize) -> String {
    let tap = |by: i64| if axis == "x" { format!("u[x{by:+},y; t]") } else { format!("u[x,y{by:+}; t]") };
    let terms = WEIGHTS.iter().take(radius).zip(1..);
    let terms = terms.map(|(weight, r)| format!("{weight} * ({} - 2 * u[x,y; t] + {})", tap(-r), tap(r)));
    terms.collect::<Vec<_>>().join(" + ")
}

fn diffusion(kind: &str, radius: [usize; 2], boundary: &str) -> String {
    let [x, y] = [("x", radius[0]), ("y", radius[1])].map(|(axis, radius)| differences(axis, radius));
    format!(
        "stencil diffusion {{
           domainsize = (1 .. nx, 1 .. ny);
           operation ({kind} grid u) {{ u[x,y; t+1] = u[x,y; t] + {x} + {y}; }}
           boundary {{ u: {boundary} }}
         }}"
    )
}

#[test]
fn products_of_eigenmodes_are_multiplied_by_their_eigenvalue() {
    let (lengths, steps) = ([23, 14], 20);
    for (number, (x, y)) in MODES.iter().flat_map(|x| MODES.iter().map(move |y| (x, y))).enumerate() {
        let (kind, epsilon) = [("double", f64::EPSILON), ("float", f64::from(f32::EPSILON))][number % 2];
        let boundary = format!("x = {}; y = {};", x.condition, y.condition);
        let stencil = parse(&diffusion(kind, [x.radius, y.radius], &boundary));
        let mut case = Case::new(&stencil, &[("nx", lengths[0]), ("ny", lengths[1])]);
        let numbers = [(x.number)(lengths[0] as f64), (y.number)(lengths[1] as f64)];
        let mode = |cell: &[i64]| (x.value)(cell[0] as f64, numbers[0]) * (y.value)(cell[1] as f64, numbers[1]);
        case.fill(0, mode).run(&[], steps);
        let factor = 1.0 + change(numbers[0], x.radius) + change(numbers[1], y.radius);
        assert!(factor.abs() < 1.0);
        // A step has some 24 roundings of values below 1, and does not amplify what came before.
        let tolerance = 24.0 * epsilon * (steps + 1) as f64;
        for cell in points(&[1..=lengths[0], 1..=lengths[1]]) {
            let wanted = factor.powi(steps as i32) * mode(&cell);
            let found = case.get(0, &cell);
            assert!((found - wanted).abs() <= tolerance, "{kind}, {boundary} {cell:?}: {found}, {wanted}");
        }
    }
}

/// The parabola whose outward derivative is g at all faces grows everywhere by the same amount.
#[test]
fn a_flux_at_the_faces_fills_the_domain_evenly() {
    let (nx, ny, g, steps) = (16, 8, 0.5, 40);
    let stencil = parse(&diffusion("double", [3, 3], "x = neumann(0.5); y = neumann(0.5);"));
    let mut case = Case::new(&stencil, &[("nx", nx), ("ny", ny)]);
    let parabola = |at: i64, n: i64| g / n as f64 * (at as f64 - 0.5 * (n + 1) as f64).powi(2);
    case.fill(0, |cell| parabola(cell[0], nx) + parabola(cell[1], ny)).run(&[], steps);
    let curvature: f64 = WEIGHTS.iter().zip(1..).map(|(weight, r)| weight * 2.0 * f64::from(r * r)).sum();
    let growth = steps as f64 * curvature * g * (1.0 / nx as f64 + 1.0 / ny as f64);
    for cell in points(&[1..=nx, 1..=ny]) {
        // All numbers are dyadic, with a few bits each.
        assert_eq!(case.get(0, &cell), parabola(cell[0], nx) + parabola(cell[1], ny) + growth, "{cell:?}");
    }
}

/// Lines are at rest under conditions that extrapolate them, or know them.
#[test]
fn lines_are_at_rest() {
    let conditions = [
        "x = antireflect; y = antireflect;",
        "x = keep; y = keep;",
        "x- = neumann(-3); x+ = neumann(3); y- = neumann(2); y+ = neumann(-2);",
        "x = 3 * x - 2 * y + 7; y = 3 * x - 2 * y + 7;",
        "x- = 2 * u[x+1,y] - u[x+2,y]; x+ = 2 * u[x-1,y] - u[x-2,y]; y = antireflect;",
    ];
    for (kind, boundary) in ["float", "double"].into_iter().flat_map(|kind| conditions.map(|each| (kind, each))) {
        let mut case = Case::new(&parse(&diffusion(kind, [3, 2], boundary)), &[("nx", 9), ("ny", 5)]);
        let line = |cell: &[i64]| (3 * cell[0] - 2 * cell[1] + 7) as f64;
        case.fill(0, line).run(&[], 25);
        for cell in points(&[1..=9, 1..=5]) {
            assert_eq!(case.get(0, &cell), line(&cell), "{kind} {boundary} {cell:?}");
        }
    }
}

/// u = x^2 + 2 c t solves the equation, with its own values beyond the faces at each time.
#[test]
fn values_that_depend_on_time_are_those_of_the_level() {
    let stencil = parse(
        "stencil heating {
           domainsize = (1 .. n);
           operation (double grid u) {
             u[x; t+1] = u[x; t] + 0.25 * (u[x-1; t] - 2 * u[x; t] + u[x+1; t])
                       + 0.125 * (u[x-2; t] - 2 * u[x; t] + u[x+2; t]);
           }
           boundary { u: x = x * x + 1.5 * t; }
         }",
    );
    for n in [1, 2, 3, 31] {
        let mut case = Case::new(&stencil, &[("n", n)]);
        case.fill(0, |cell| (cell[0] * cell[0]) as f64 + 1.5 * 5.0);
        case.try_run(&[], Span { first: 5, steps: Some(50), initial: false }).expect("a run");
        for x in 1..=n {
            assert_eq!(case.get(0, &[x]), (x * x) as f64 + 1.5 * 55.0, "{n} {x}");
        }
    }
}

/// Steps of a long run, on small rings.
const LONG: u64 = 100_000;

fn long_run(text: &str, sizes: &[(&str, i64)], start: impl Fn(usize, &[i64]) -> f64, end: impl Fn(&[i64]) -> f64) {
    use affinimath_stencil::{Plan, Stencil};
    let stencil = Stencil::parse(text).expect("a stencil");
    // A simulator would take hours.
    let is_fast = |target: &Target| match target {
        Target::Host => true,
        Target::Device(context) => !context.device().info().name.contains("Oclgrind"),
    };
    for target in targets().into_iter().filter(is_fast) {
        let plan = Plan::new(&stencil, target.clone(), sizes).expect("a plan");
        let mut field = plan.bound().field(0).expect("memory");
        for level in 0..plan.bound().levels(0) - 1 {
            field.fill(0, level, |cell| start(level, cell));
        }
        let span = Span { steps: Some(LONG), ..Span::default() };
        let outcome = plan.run(&mut [field.slices()], &[], span).expect("a run");
        assert_eq!(outcome.steps, LONG);
        let ranges: Vec<_> = plan.bound().lengths().iter().map(|&length| 1..=length as i64).collect();
        for cell in points(&ranges) {
            let found = field.get(0, outcome.newest[0], &cell).expect("a point").as_f64();
            assert_eq!(found, end(&cell), "{target:?} {cell:?}");
        }
    }
}

#[test]
fn a_hundred_thousand_shifts_are_one_shift() {
    let value = |x: i64, y: i64| (1 + 7 * x.rem_euclid(7) + 3 * y.rem_euclid(3)) as f64;
    long_run(
        "stencil shift {
           domainsize = (1 .. nx, 1 .. ny);
           operation (int grid u) { u[x,y; t+1] = u[x-1,y+1; t]; }
           boundary { u: x = periodic; y = periodic; }
         }",
        &[("nx", 7), ("ny", 3)],
        |_, cell| value(cell[0], cell[1]),
        |cell| value(cell[0] - LONG as i64, cell[1] + LONG as i64),
    );
}

/// D'Alembert: where the step is that of the grid, a wave to the right is exact for ever.
#[test]
fn a_hundred_thousand_steps_of_a_wave_are_exact() {
    let n = 11;
    let value = |x: i64| (x.rem_euclid(n) * x.rem_euclid(n) - 20) as f64;
    long_run(
        "stencil string {
           domainsize = (1 .. n);
           operation (long grid u) { u[x; t+1] = u[x-1; t] + u[x+1; t] - u[x; t-1]; }
           boundary { u: x = periodic; }
         }",
        &[("n", n)],
        |level, cell| value(cell[0] + 1 - level as i64),
        |cell| value(cell[0] - LONG as i64),
    );
}
