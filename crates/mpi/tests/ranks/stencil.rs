//! Stencils: the bits of one process, on any shape of ranks.

use affinimath::stencil::{Argument, Field, GridSlices, Outcome, Plan, Span, Stencil, Target};
use affinimath_mpi::{DistStencil, Error, Grid, StencilOptions};

use super::errors::assert_same;

/// A stencil, its sizes and arguments, and steps.
struct Case {
    text: &'static str,
    sizes: &'static [(&'static str, i64)],
    arguments: Vec<Argument>,
    steps: Option<u64>,
}

/// Small enough for many shapes, and with blocks thinner than taps, and without points.
fn cases() -> Vec<Case> {
    let case = |text, sizes, arguments: &[f64], steps| {
        let arguments = arguments.iter().map(|&value| value.into()).collect();
        Case { text, sizes, arguments, steps: Some(steps) }
    };
    vec![
        case(
            "stencil line {
               domainsize = (1 .. n);
               operation (double grid u, double param k) {
                 u[x; t+1] = u[x; t] + k * (u[x-1; t] - 2 * u[x; t] + u[x+1; t]);
               }
               boundary { u: x = periodic; }
             }",
            &[("n", 23)],
            &[0.2],
            7,
        ),
        // Taps farther than blocks are long, on one side only.
        case(
            "stencil upwind {
               domainsize = (0 .. n-1);
               operation (float grid u, double param c) {
                 u[x; t+1] = float(c) * (u[x-4; t] + 3 * u[x-2; t] - u[x-1; t]) + u[x; t] / 3;
               }
               boundary { u: x- = antireflect; x+ = clamp; }
             }",
            &[("n", 7)],
            &[0.3],
            6,
        ),
        case(
            "stencil mirror {
               domainsize = (1 .. n);
               operation (double grid u, double grid v) {
                 u[x; t+1] = 0.5 * u[x; t] + 0.25 * (u[x-3; t] + v[x+2; t]);
                 v[x; t+1] = v[x; t] - 0.1 * u[x+1; t];
               }
               boundary { u: x = reflect; v: x- = symmetric; x+ = 2 * v[x-1] - v[x-2]; }
             }",
            &[("n", 5)],
            &[],
            5,
        ),
        case(
            "stencil plate {
               domainsize = (1 .. nx, -2 .. ny);
               operation (double grid u, const double grid k, double param h) {
                 u[x,y; t+1] = u[x,y; t] + h * k[x,y+1]
                   * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t]) + 0.001 * x * y;
               }
               boundary { u: x- = 1 + 0.1 * sin(0.3 * t + y); x+ = neumann(k[x-1,y]); y- = keep; y+ = h * u[x,y-1]; }
             }",
            &[("nx", 9), ("ny", 8)],
            &[0.1],
            5,
        ),
        // Corners of a box, with an axis that repeats itself.
        case(
            "stencil box9 {
               domainsize = (0 .. nx-1, 0 .. ny-1);
               operation (float grid u) {
                 u[x,y; t+1] = ({ i = -1 .. 1, j = -1 .. 1 } sum(u[x+i,y+j; t])) / 9 + 0.125 * u[x-2,y+2; t];
               }
               boundary { u: x = periodic; y = symmetric; }
             }",
            &[("nx", 8), ("ny", 5)],
            &[],
            6,
        ),
        case(
            "stencil torus {
               domainsize = (0 .. nx-1, 0 .. ny-1);
               operation (double grid u) {
                 u[x,y; t+1] = 0.3 * u[x-1,y-1; t] + 0.2 * u[x+2,y; t] + 0.4 * u[x,y+1; t] + 0.1 * u[x+1,y-3; t];
               }
               boundary { u: x = periodic; y = periodic; }
             }",
            &[("nx", 3), ("ny", 2)],
            &[],
            7,
        ),
        // The level before, and a wide tap.
        case(
            "stencil wave {
               domainsize = (1 .. n, 1 .. n, 1 .. m);
               operation (double grid u, double param c) {
                 u[x,y,z; t+1] = 2 * u[x,y,z; t] - u[x,y,z; t-1] + c * (
                   ({ d in axes } sum(u[d-2; t] + u[d-1; t] + u[d+1; t] + u[d+2; t])) - 12 * u[x,y,z; t]);
               }
               boundary { u: x = 0; y = antireflect; z = periodic; }
             }",
            &[("n", 6), ("m", 7)],
            &[0.01],
            6,
        ),
        case(
            "stencil box27 {
               domainsize = (0 .. n-1, 0 .. n, 0 .. n+1);
               operation (double grid u) {
                 u[x,y,z; t+1] = 0.037 * { i = -1 .. 1, j = -1 .. 1, k = -1 .. 1 } sum(u[x+i,y+j,z+k; t]);
               }
               boundary { u: x = periodic; y = clamp; z = 0.5 + 0.01 * x; }
             }",
            &[("n", 4)],
            &[],
            5,
        ),
        // Stages that read one another's neighbours.
        case(
            "stencil leapfrog {
               domainsize = (0 .. n-1, 0 .. n-1);
               operation (double grid e, double grid h at (1/2,0), double param c) {
                 sequence {
                   stage magnetic { h[x,y; t+1] = h[x,y; t] + c * (e[x+1,y; t] - e[x,y+1; t]); }
                   stage electric { e[x,y; t+1] = e[x,y; t] + c * (h[x,y; t+1] - h[x-1,y-1; t+1]); }
                 }
               }
               boundary { e: x = 0; h: x- = 0; y = symmetric; }
             }",
            &[("n", 9)],
            &[0.4],
            7,
        ),
        case(
            "stencil over_relaxation {
               domainsize = (1 .. nx, 1 .. ny);
               operation (double grid u, const double grid f, double param omega, double result change)
               sweep red_black {
                 double defect = { d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t] - f[x,y];
                 u[x,y; t+1] = u[x,y; t] + omega / 4 * defect;
                 change = norm2(defect);
               }
               boundary { u: x = periodic; y = 0; }
             }",
            &[("nx", 7), ("ny", 6)],
            &[1.4],
            4,
        ),
        // Strips of sums across ranks, and a criterion.
        case(
            "stencil relax {
               domainsize = (1 .. nx, 1 .. ny);
               operation (double grid u, const double grid f, double result residual, long result above,
                          double result top, float result sum) {
                 double defect = { d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t] - f[x,y];
                 u[x,y; t+1] = u[x,y; t] + defect / 4;
                 residual = norm2(defect);
                 above = count(abs(defect) > 1e-3);
                 top = max(defect);
                 sum = sum(float(u[x,y; t]));
               }
               boundary { u: x = 0; y = 0; }
               stop { when residual < 0.6 every 3; }
             }",
            &[("nx", 601), ("ny", 5)],
            &[],
            60,
        ),
        // Sources and sponges after each step, an array of grids, a grid with fewer axes, integers and a table.
        case(
            "stencil shot {
               domainsize = (0 .. nx-1, 0 .. ny-1);
               operation (float grid p[2], const float grid profile(y), float param a) {
                 p[x,y; t+1; 0] = p[x,y; t; 1] + profile[y] * (p[x-1,y; t; 0] - p[x,y+1; t; 0]);
                 p[x,y; t+1; 1] = 0.5 * p[x+1,y-1; t; 0] + 0.1 * p[x,y; t; 1];
               }
               boundary { p[0]: x = periodic; y = 0; p[1]: x = clamp; }
               filter {
                 p[2, 1; t+1; 0] += a * (t + 1);
                 p[x,y; t+1; 1] *= 1 - 0.01 * x;
               }
             }",
            &[("nx", 8), ("ny", 6)],
            &[0.7],
            5,
        ),
        case(
            "stencil rule {
               domainsize = (1 .. n);
               operation (int grid cell, int table next[0 .. 7] = { 0, 1, 1, 1, 0, 1, 1, 0 }) {
                 cell[x; t+1] = next[4 * cell[x-1; t] + 2 * cell[x; t] + cell[x+1; t]];
               }
               initial { cell = x % 3 == 0 ? 1 : 0; }
               boundary { cell: x = periodic; }
             }",
            &[("n", 13)],
            &[],
            9,
        ),
    ]
}

/// A number between -1 and 1 by a grid's number, a component, a level and a point.
fn noise(seed: usize, point: &[i64]) -> f64 {
    let mut state = seed as u64 + 0x9e37_79b9_7f4a_7c15;
    for &coordinate in point {
        state = (state ^ coordinate as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
    }
    (state >> 40) as f64 / (1_u64 << 23) as f64 - 1.0
}

fn value(stencil: &Stencil, seed: usize, point: &[i64], grid: usize) -> f64 {
    let noise = noise(seed, point);
    if stencil.grids()[grid].kind.is_integer() { f64::from(u8::from(noise > 0.0)) } else { noise }
}

/// The run of one process.
fn one_process(stencil: &Stencil, case: &Case, span: Span) -> (Vec<Field>, Outcome) {
    let plan = Plan::new(stencil, Target::Host, case.sizes).unwrap();
    let grids = 0..stencil.grids().len();
    let mut fields: Vec<Field> = grids.clone().map(|grid| plan.bound().field(grid).unwrap()).collect();
    for grid in grids {
        for component in 0..stencil.grids()[grid].component_count() {
            for level in 0..plan.bound().levels(grid) {
                let seed = 100 * grid + 10 * component + level;
                fields[grid].fill(component, level, |point| value(stencil, seed, point, grid));
            }
        }
    }
    let mut slices: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
    let outcome = plan.run(&mut slices, &case.arguments, span).unwrap();
    (fields, outcome)
}

fn fill(plan: &mut DistStencil, stencil: &Stencil) {
    for (grid, definition) in stencil.grids().iter().enumerate() {
        for component in 0..definition.component_count() {
            for level in 0..plan.bound().levels(grid) {
                let seed = 100 * grid + 10 * component + level;
                let each = |point: &[i64]| value(stencil, seed, point, grid);
                plan.fill_level(&definition.name, (component, level), each).unwrap();
            }
        }
    }
}

/// All numbers of ranks on each axis.
fn shapes(ranks: usize, axes: usize) -> Vec<Vec<usize>> {
    if axes == 1 {
        return vec![vec![ranks]];
    }
    let first = (1..=ranks).filter(|parts| ranks.is_multiple_of(*parts));
    first
        .flat_map(|parts| shapes(ranks / parts, axes - 1).into_iter().map(move |rest| [vec![parts], rest].concat()))
        .collect()
}

pub fn one_process_bits(grid: &Grid) {
    let mut widened = 0;
    for case in cases() {
        let stencil = Stencil::parse(case.text).unwrap_or_else(|error| panic!("{error}"));
        let initial = !stencil.initial().is_empty();
        let span = Span { steps: case.steps, initial, ..Span::default() };
        let (fields, outcome) = one_process(&stencil, &case, span);
        for shape in shapes(grid.size(), stencil.dimension()) {
            for steps in [1, 3] {
                let options = StencilOptions::new().ranks(&shape).steps_per_exchange(steps);
                let made = DistStencil::new(grid, &stencil, case.sizes, options);
                if stencil.name() == "box27" && shape[0] > 1 {
                    // Corners beyond x follow the condition of z, at coordinates that no other point has.
                    assert!(matches!(made, Err(Error::Argument { name: "ranks", .. })));
                    continue;
                }
                let mut plan = made.unwrap();
                if steps > 1 && plan.steps_per_exchange() == 1 {
                    continue;
                }
                widened += usize::from(steps > 1 && grid.size() > 1);
                fill(&mut plan, &stencil);
                let name = format!("{} on {shape:?}, {steps} steps for an exchange", stencil.name());
                // A run in two parts goes on where the first one has ended.
                let ended = match stencil.stop() {
                    Some(_) => plan.run(&case.arguments, span).unwrap(),
                    None => {
                        plan.run(&case.arguments, Span { steps: Some(2), ..span }).unwrap();
                        let rest = case.steps.map(|steps| steps - 2);
                        plan.run(&case.arguments, Span { first: 2, steps: rest, initial: false }).unwrap()
                    }
                };
                let steps = if stencil.stop().is_some() { outcome.steps } else { outcome.steps - 2 };
                assert_eq!((ended.steps, ended.has_stopped), (steps, outcome.has_stopped), "{name}");
                assert_eq!(ended.results, outcome.results, "{name}");
                same_values(grid, &plan, &fields, &outcome, &name);
            }
        }
    }
    assert!(grid.size() == 1 || widened >= 4, "only {widened} runs had wide halos");
}

/// Values of all points, and of the border beyond the domain's faces.
fn same_values(grid: &Grid, plan: &DistStencil, fields: &[Field], outcome: &Outcome, name: &str) {
    for (number, definition) in plan.stencil().grids().iter().enumerate() {
        for component in 0..definition.component_count() {
            let (layout, slot) = (fields[number].layout(), outcome.newest[number]);
            let mut compared = 0;
            let mut point = layout.lower.clone();
            for index in 0..layout.points() {
                let mut rest = index;
                for (axis, &length) in layout.lengths.iter().enumerate() {
                    point[axis] = layout.lower[axis] + (rest % length) as i64;
                    rest /= length;
                }
                if let Some(found) = plan.get(&definition.name, component, &point) {
                    let expected = fields[number].get(component, slot, &point);
                    assert_eq!(Some(found), expected, "{name}: '{}' at {point:?}", definition.name);
                    compared += 1;
                }
            }
            assert!(compared >= plan.values(&definition.name, component).unwrap().len());
            let gathered = plan.gather(grid.size() - 1, &definition.name, component).unwrap();
            assert_eq!(gathered.is_some(), grid.rank() + 1 == grid.size());
            if let Some(all) = gathered {
                let axes = definition.axes.iter().map(|&axis| plan.bound().lower()[axis]);
                let lower: Vec<i64> = axes.collect();
                let lengths: Vec<usize> = definition.axes.iter().map(|&axis| plan.bound().lengths()[axis]).collect();
                for (index, found) in all.into_iter().enumerate() {
                    let mut rest = index;
                    let point: Vec<i64> = lower
                        .iter()
                        .zip(&lengths)
                        .map(|(lower, length)| {
                            let own = lower + (rest % length) as i64;
                            rest /= length;
                            own
                        })
                        .collect();
                    let expected = fields[number].get(component, slot, &point).unwrap().as_f64();
                    assert_eq!(found.to_bits(), expected.to_bits(), "{name}: '{}' at {point:?}", definition.name);
                }
            }
        }
    }
}

/// Halos in one message for each neighbour, corners included.
pub fn messages(grid: &Grid) {
    let text = "stencil box9 {
       domainsize = (1 .. n, 1 .. n);
       operation (double grid u) { u[x,y; t+1] = { i = -1 .. 1, j = -1 .. 1 } sum(u[x+i,y+j; t]) / 9; }
     }";
    let stencil = Stencil::parse(text).unwrap();
    let parts = [grid.columns(), grid.rows()];
    let options = StencilOptions::new().ranks(&parts);
    let plan = DistStencil::new(grid, &stencil, &[("n", 24)], options).unwrap();
    let (column, row) = (grid.rank() % parts[0], grid.rank() / parts[0]);
    let near = |own: usize, parts: usize| (own.saturating_sub(1)..(own + 2).min(parts)).count();
    let (bytes, messages) = plan.halo("u").unwrap();
    assert_eq!(messages, near(column, parts[0]) * near(row, parts[1]) - 1);
    assert_eq!(bytes > 0, messages > 0);
}

/// Errors are the same on all ranks, and the grid works on.
pub fn errors(grid: &Grid) {
    let text = "stencil line {
       domainsize = (1 .. n);
       operation (double grid u, double param k) { u[x; t+1] = k * (u[x-1; t] + u[x+1; t]); }
     }";
    let stencil = Stencil::parse(text).unwrap();
    let new = |sizes: &[(&str, i64)], options| DistStencil::new(grid, &stencil, sizes, options);
    for (error, name) in [
        (new(&[], StencilOptions::new()).unwrap_err(), "sizes"),
        (new(&[("n", 0)], StencilOptions::new()).unwrap_err(), "sizes"),
        (new(&[("n", 8)], StencilOptions::new().ranks(&[grid.size() + 1])).unwrap_err(), "ranks"),
        (new(&[("n", 8)], StencilOptions::new().steps_per_exchange(0)).unwrap_err(), "steps_per_exchange"),
    ] {
        assert_same(grid, &error.to_string());
        assert!(matches!(error, Error::Argument { name: own, .. } if own == name), "{error}");
    }
    let mut plan = new(&[("n", 8)], StencilOptions::new()).unwrap();
    plan.fill("u", |point| point[0] as f64).unwrap();
    assert!(plan.fill("v", |_| 0.0).is_err() && plan.values("u", 1).is_err());
    let steps = Span { steps: Some(1), ..Span::default() };
    assert!(matches!(plan.run(&[], steps), Err(Error::Argument { name: "arguments", .. })));
    assert!(matches!(plan.run(&[0.5.into()], Span::default()), Err(Error::Argument { name: "steps", .. })));
    if grid.size() > 1 {
        let last = grid.rank() + 1 == grid.size();
        let error = new(&[("n", if last { 9 } else { 8 })], StencilOptions::new()).unwrap_err();
        assert_same(grid, &error.to_string());
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
        let error = plan.run(&[if last { 0.5 } else { 0.25 }.into()], steps).unwrap_err();
        assert_same(grid, &error.to_string());
        assert!(matches!(error, Error::Mismatch { name: "the arguments' digest", .. }), "{error}");
        let error = plan.gather(if last { 0 } else { 1 }, "u", 0).unwrap_err();
        assert_same(grid, &error.to_string());
    }
    // Nothing was changed.
    let own = plan.block().lower()[0];
    assert!(plan.values("u", 0).unwrap().iter().zip(own..).all(|(value, point)| *value == point as f64));
    plan.run(&[0.5.into()], steps).unwrap();
    // The value at n + 1, which is kept, is 9.
    assert!(plan.values("u", 0).unwrap().iter().zip(own..).all(|(value, point)| *value == point as f64));
}
