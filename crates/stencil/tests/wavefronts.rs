//! Several steps at once on the host: the reference's bits in all slices, and clear refusals.

mod common;

use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{Bound, Field, GridSlices, Plan, Span, Stencil, Strategy, Target};
use common::devices::{arguments, contents, fields, result_bits, targets};
use common::{example_text, parse};

fn plan(stencil: &Stencil, sizes: &[(&str, i64)], steps: usize, width: usize) -> Option<Plan> {
    let plan = Plan::new(stencil, Target::Host, sizes).unwrap_or_else(|error| panic!("{error}"));
    plan.with_strategy(Strategy::Wavefront { steps, width }).ok()
}

/// All slices of a run are the reference's, and so are its results. False where the strategy does not fit.
fn check(stencil: &Stencil, sizes: &[(&str, i64)], span: Span, steps: usize, width: usize) -> bool {
    let Some(plan) = plan(stencil, sizes, steps, width) else { return false };
    let bound = Bound::new(stencil, sizes).expect("sizes");
    for scatter in [false, true] {
        let mut wanted = fields(&bound, scatter);
        let mut grids: Vec<GridSlices<'_>> = wanted.iter_mut().map(Field::slices).collect();
        // Some examples have tables for a few steps.
        let Ok(expected) = evaluate(&bound, &mut grids, &arguments(&bound), span) else { return false };
        let mut found = fields(&bound, scatter);
        let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
        let case = format!("{}, {sizes:?}, {span:?}, {}, {scatter}", stencil.name(), plan.strategy());
        let outcome = plan.run(&mut grids, &arguments(&bound), span).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((outcome.steps, &outcome.newest), (expected.steps, &expected.newest), "{case}");
        assert_eq!(result_bits(&outcome), result_bits(&expected), "{case}");
        for (grid, (found, wanted)) in found.iter_mut().zip(&mut wanted).enumerate() {
            let differ = contents(found).iter().zip(&contents(wanted)).position(|(found, wanted)| found != wanted);
            assert_eq!(differ, None, "{case}: grid {grid}");
        }
    }
    true
}

fn span(steps: u64) -> Span {
    Span { first: 3, steps: Some(steps), initial: false }
}

#[test]
fn examples_have_the_reference_s_bits() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut fitting = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "stc") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let stencil = parse(&example_text(&name));
        let value = |name: &str| match name {
            "nxb" | "nyb" | "nzb" => 1,
            "steps" => 2,
            _ => 9,
        };
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, value(name))).collect();
        for (steps, width) in [(2, 3), (3, 100), (5, 1)] {
            if check(&stencil, &sizes, Span { initial: true, ..span(7) }, steps, width) {
                fitting.push(name.clone());
            }
        }
    }
    fitting.dedup();
    for name in
        ["laplacian", "wave", "wave25", "hyperthermia", "himeno", "tricubic", "box27", "game_of_life", "results"]
    {
        assert!(fitting.iter().any(|fit| fit == name), "{name} is none of {fitting:?}");
    }
}

const KINDS: [&str; 8] = ["keep", "neumann(2)", "reflect", "symmetric", "antireflect", "clamp", "3 * t - x", "5"];

/// A box of taps of radius 1 and arms of radius 2, whose corners depend on the order of faces.
fn cube(kind: &str, faces: [&str; 6]) -> Stencil {
    let [x0, x1, y0, y1, z0, z1] = faces;
    parse(&format!(
        "stencil cube {{
           domainsize = (-1 .. n - 2, 3 .. m + 2, 1 .. l);
           operation ({kind} grid q, const {kind} grid k) {{
             q[x,y,z; t+1] = q[x-1,y-1,z-1; t] + 2 * q[x+1,y+1,z+1; t] - q[x,y-1,z+1; t] * k[x,y,z] - q[x,y+2,z; t]
               + 3 * q[x-2,y,z; t] - q[x+1,y-1,z; t] + q[x,y,z-2; t] + x * q[x,y,z; t] - q[x,y,z+2; t];
           }}
           boundary {{ q: x- = {x0}; x+ = {x1}; y- = {y0}; y+ = {y1}; z- = {z0}; z+ = {z1}; }}
         }}"
    ))
}

#[test]
fn all_depths_have_all_boundary_conditions() {
    for first in 0..KINDS.len() {
        for depth in 2..=8 {
            let on = |face: usize| KINDS[(first + face * (1 + depth % 3)) % KINDS.len()];
            // The reference's order of faces: periodic ones have no limit along x.
            let [x0, x1] = if depth % 2 == 0 { ["periodic"; 2] } else { [on(0), on(1)] };
            let kind = ["int", "long", "float", "double"][(first + depth) % 4];
            let stencil = cube(kind, [x0, x1, on(2), on(3), on(4), on(5)]);
            let sizes = [("n", 11), ("m", [3, 10, 17][depth % 3]), ("l", [13, 3, 6][(first + depth) % 3])];
            for width in [1, 4, 9, 40] {
                assert!(check(&stencil, &sizes, span(17), depth, width), "{} {depth}", stencil.name());
            }
        }
    }
}

#[test]
fn planes_have_tiles_along_x() {
    for first in 0..KINDS.len() {
        for depth in 2..=8 {
            let on = |face: usize| KINDS[(first + face * (1 + depth % 3)) % KINDS.len()];
            let stencil = parse(&format!(
                "stencil star {{
                   domainsize = (-1 .. n - 2, 3 .. n + 2);
                   operation (double grid q, float grid p) {{
                     q[x,y; t+1] = q[x-1,y; t] + 2 * q[x+1,y+1; t] - q[x,y-1; t] + 3 * p[x,y+1; t] - q[x,y; t-1];
                     p[x,y; t+1] = 0.5 * p[x+2,y; t] - q[x,y; t];
                   }}
                   boundary {{ q: x- = {}; x+ = {}; y- = {}; y+ = {}; p: x = {}; y = {}; }}
                 }}",
                on(0),
                on(1),
                on(2),
                on(3),
                on(4),
                on(5)
            ));
            for (n, width) in [(3, 1), (23, 5), (40, 17), (40, 64)] {
                assert!(check(&stencil, &[("n", n)], span(13), depth, width), "{depth} {width}");
            }
        }
    }
}

#[test]
fn stages_and_older_levels_follow_each_other() {
    let stencil = parse(
        "stencil chain {
           domainsize = (1 .. n, 1 .. n, 1 .. n, 1 .. n);
           operation (double grid p, double grid q, const double grid k) {
             sequence {
               stage first { p[x,y,z,u; t+1] = q[x,y-1,z,u+1; t] - p[x,y,z+2,u; t-1] + p[x-1,y,z,u; t]; }
               stage second { q[x,y,z,u; t+1] = p[x,y,z+1,u-1; t+1] + k[x,y,z,u] * q[x,y,z,u; t]; }
             }
           }
           boundary { p: y = clamp; u = symmetric; q: z = neumann(t); }
         }",
    );
    for (n, depth, width) in [(5, 2, 1), (6, 3, 2), (6, 8, 9)] {
        assert!(check(&stencil, &[("n", n)], span(11), depth, width), "{depth} {width}");
    }
}

#[test]
fn results_end_several_steps_at_once() {
    let stencil = parse(
        "stencil decay {
           domainsize = (1 .. n, 1 .. n, 1 .. n);
           operation (double grid u, double result change) {
             u[x,y,z; t+1] = 0.3 * (u[x-1,y,z; t] + u[x,y+1,z; t] + u[x,y,z-1; t]);
             change = max(abs(u[x,y,z; t+1] - u[x,y,z; t]));
           }
           boundary { u: x = periodic; y = clamp; z = 0; }
           stop { when change < 1e-3 every 5; }
         }",
    );
    for depth in 2..=8 {
        assert!(check(&stencil, &[("n", 13)], span(100), depth, 4), "{depth}");
        assert!(check(&stencil, &[("n", 13)], span(3), depth, 4), "{depth}");
    }
}

#[test]
fn many_tiles_have_the_reference_s_bits() {
    let stencil = cube("float", ["clamp", "reflect", "neumann(0.1)", "clamp", "symmetric", "2"]);
    let sizes = [("n", 40), ("m", 61), ("l", 53)];
    for _ in 0..3 {
        assert!(check(&stencil, &sizes, span(8), 4, 3));
    }
}

#[test]
fn strategies_that_do_not_fit_are_refused() {
    let text = example_text("laplacian");
    let with = |section: &str| parse(&format!("{}{section}}}", text.trim_end().trim_end_matches('}')));
    for (section, fits) in [
        ("", true),
        ("boundary { u: x = periodic; }", true),
        ("boundary { u: y = periodic; }", false),
        ("boundary { u: z = periodic; }", false),
        ("boundary { u: z- = u[x,y,z+1; t]; }", false),
        ("filter { u[x,y,z; t+1] *= 0.5; }", false),
    ] {
        assert_eq!(plan(&with(section), &[("N", 12)], 4, 4).is_some(), fits, "{section}");
    }
    let sizes = [("nx", 9), ("ny", 9), ("nz", 9)];
    assert!(plan(&parse(&example_text("red_black")), &sizes, 4, 4).is_none());
    // Devices have strategies of their own.
    for target in targets().into_iter().filter(|target| matches!(target, Target::Device(_))) {
        let plan = Plan::new(&with(""), target, &[("N", 12)]).expect("a plan");
        let error =
            plan.with_strategy(Strategy::Wavefront { steps: 4, width: 4 }).err().expect("no strategy of devices");
        assert!(error.reason.contains("does not fit 'laplacian'"), "{error}");
    }
    // One axis has no tiles, and a single plane no neighbours.
    let line = "stencil s { domainsize = (1 .. n); operation (double grid u) { u[x; t+1] = u[x-1; t]; } }";
    assert!(plan(&parse(line), &[("n", 12)], 4, 4).is_none());
    assert!(plan(&with(""), &[("N", 1)], 4, 4).is_none());
    let plan = Plan::new(&with(""), Target::Host, &[("N", 8)]).expect("a plan");
    let error = plan.with_strategy(Strategy::Wavefront { steps: 4, width: 0 }).err().expect("no width");
    assert!(error.reason.contains("a width of 0"), "{error}");
}
