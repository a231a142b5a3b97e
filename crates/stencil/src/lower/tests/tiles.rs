//! Strategies of tiles in the interpreter.

use super::*;

/// Levels that hold values after a run are the reference's. False where the strategy does not fit.
fn check_strategy(stencil: &Stencil, sizes: &[(&str, i64)], steps: u64, strategy: Strategy, name: &str) -> bool {
    let bound = Bound::new(stencil, sizes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let device = device(Form::Points, true);
    let stages = 0..stencil.stages().len();
    let fits = match strategy {
        Strategy::Naive => true,
        Strategy::Wavefront { .. } | Strategy::Schedule(_) => false,
        Strategy::Stream(tile) => stages.clone().any(|stage| streams(&bound, device, stage, tile)),
        Strategy::StreamLocal(tile) => stages.clone().any(|stage| streams_locally(&bound, device, stage, tile)),
        Strategy::Overlap { steps, tile } => overlaps(&bound, device, steps, tile),
    };
    if !fits {
        return false;
    }
    let span = Span { first: 3, steps: Some(steps), initial: true };
    for (memory, is_wide) in [("plain", false), ("scattered", true), ("padded", false)] {
        let fields = |bound: &Bound| {
            fields_in(bound, |grid, layout| match memory {
                "plain" => layout,
                "scattered" => scattered(&layout),
                _ => crate::grids::padded(bound, grid, layout).expect("memory"),
            })
        };
        let mut wanted = fields(&bound);
        let mut grids: Vec<GridSlices<'_>> = wanted.iter_mut().map(Field::slices).collect();
        // Some examples have tables for a few steps.
        let Ok(expected) = evaluate(&bound, &mut grids, &arguments(&bound), span) else { return false };
        let mut found = fields(&bound);
        let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
        let case = format!("{name}, {sizes:?}, {steps} steps, {memory}, {strategy}");
        let outcome = interpret(&bound, (device, is_wide), strategy.clone(), &mut grids, &arguments(&bound), span);
        let outcome = outcome.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(outcome.newest, expected.newest, "{case}");
        let all = |outcome: &Outcome| outcome.results.iter().map(|each| each.map(bits)).collect::<Vec<_>>();
        assert_eq!(all(&outcome), all(&expected), "{case}");
        let mut levels = Levels::new(&bound);
        (0..steps).for_each(|_| levels.rotate());
        for (grid, (found, wanted)) in found.iter_mut().zip(&mut wanted).enumerate() {
            let slots = levels.inputs(grid).map(|time| levels.slot(grid, time)).collect::<Vec<_>>();
            for component in 0..found.components() {
                for &slot in &slots {
                    let level = |field: &Field| field.values(component, slot);
                    let (found, wanted) = (level(found), level(wanted));
                    let differ = found
                        .iter()
                        .zip(&wanted)
                        .position(|(a, b)| !(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()));
                    assert_eq!(differ, None, "{case}: grid {grid}, component {component}, slot {slot}");
                }
            }
        }
    }
    true
}

fn tile(items: [usize; 2], points: [usize; 2], planes: usize, unroll: usize) -> Tile {
    Tile { items, points, planes, unroll, prefetch: unroll.min(2) }
}

/// Strategies for two or three dimensions.
fn strategies(dimension: usize) -> Vec<Strategy> {
    if dimension == 2 {
        return vec![
            Strategy::Stream(tile([4, 1], [1, 1], 3, 1)),
            Strategy::Stream(tile([2, 1], [2, 1], 100, 3)),
            Strategy::Overlap { steps: 2, tile: tile([16, 1], [1, 1], 4, 2) },
            Strategy::Overlap { steps: 3, tile: tile([16, 1], [2, 1], 100, 1) },
            Strategy::Overlap { steps: 5, tile: tile([16, 1], [3, 1], 5, 4) },
        ];
    }
    vec![
        Strategy::Stream(tile([4, 2], [1, 2], 3, 2)),
        Strategy::Stream(tile([4, 2], [2, 1], 100, 1)),
        Strategy::Overlap { steps: 2, tile: tile([12, 5], [1, 2], 4, 1) },
        Strategy::Overlap { steps: 3, tile: tile([8, 7], [2, 2], 100, 3) },
    ]
}

/// Strategies with planes in local memory for two or three dimensions. Whole tiles fit a domain of 8 points on each
/// axis, which they do not divide.
fn local_strategies(dimension: usize) -> [Strategy; 2] {
    [tile([1, 4], [4, 1], 3, 2), tile([3, 1], [2, 3], 100, 3), tile([1, 1], [4, 1], 5, 3), tile([3, 1], [2, 1], 100, 2)]
        .as_chunks()
        .0[3 - dimension]
        .map(Strategy::StreamLocal)
}

/// Sizes of an example: 7, or 8 where rows have vectors.
fn sizes_of(stencil: &Stencil, points: i64) -> Vec<(&str, i64)> {
    let value = |name: &str| match name {
        "nxb" | "nyb" | "nzb" => 1,
        "steps" => 2,
        _ => points,
    };
    stencil.symbols().into_iter().map(|name| (name, value(name))).collect()
}

/// The examples by name.
fn examples() -> Vec<(String, Stencil)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let paths = std::fs::read_dir(folder).expect("the folder of examples").map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "stc"));
    let example = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, parse(&std::fs::read_to_string(&path).expect("a text")))
    };
    paths.map(example).collect()
}

/// The strategies with planes in local memory that fit an example have the reference's bits.
fn check_local(name: &str, stencil: &Stencil) -> usize {
    if !matches!(stencil.dimension(), 2 | 3) {
        return 0;
    }
    let sizes = sizes_of(stencil, 8);
    let fits = |strategy| check_strategy(stencil, &sizes, 2, strategy, name);
    local_strategies(stencil.dimension()).into_iter().filter(|strategy| fits(strategy.clone())).count()
}

#[test]
fn planes_in_local_memory_have_the_reference_s_bits() {
    // Stars, boxes, several grids, two dimensions; fields without a neighbour on x or y go by another strategy.
    for name in ["laplacian", "wave", "box27", "divergence", "uxx1", "blur", "gray_scott"] {
        let (name, stencil) = examples().into_iter().find(|(own, _)| own == name).expect("an example");
        assert_eq!(check_local(&name, &stencil), 2, "{name}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn all_examples_with_planes_in_local_memory_have_the_reference_s_bits() {
    let fits = |(name, stencil): &(String, Stencil)| check_local(name, stencil) > 0;
    let fitting = examples().into_iter().filter(fits).map(|(name, _)| name).collect::<Vec<_>>();
    assert!(fitting.len() > 20, "{fitting:?}");
}

#[test]
fn examples_in_tiles_have_the_reference_s_bits() {
    let mut fitting = Vec::new();
    for (name, stencil) in examples() {
        for strategy in strategies(stencil.dimension()) {
            // Even rows have vectors.
            let sizes = sizes_of(&stencil, if strategy.steps() == 1 { 8 } else { 7 });
            if check_strategy(&stencil, &sizes, 7, strategy.clone(), &name) && strategy.steps() > 1 {
                fitting.push(name.clone());
            }
        }
    }
    fitting.dedup();
    for name in ["laplacian", "wave", "advection", "life", "gray_scott", "box27"] {
        assert!(fitting.iter().any(|fit| fit == name), "{name} is none of {fitting:?}");
    }
}

#[test]
fn tiles_have_all_boundary_conditions() {
    let kinds = ["keep", "periodic", "neumann(2)", "reflect", "symmetric", "antireflect", "clamp", "3 * t - x"];
    for (number, kind) in kinds.iter().enumerate() {
        for (extent, other) in [(1, 0), (2, 3), (9, 5)] {
            let second = kinds[(number + other) % kinds.len()];
            let boundary = |name: &str| format!("{name} = {}; ", if name == "y" { second } else { kind });
            if extent == 1 && [*kind, second].iter().any(|kind| ["reflect", "antireflect"].contains(kind)) {
                continue;
            }
            for element in ["int", "double"] {
                let star = parse(&format!(
                    "stencil star {{
                       domainsize = (-1 .. n - 2, 3 .. n + 2);
                       operation ({element} grid q) {{
                         q[x,y; t+1] = q[x-1,y; t] + 2 * q[x+1,y; t] - q[x,y-1; t] + 3 * q[x,y+1; t] - q[x,y; t];
                       }}
                       boundary {{ q: {}{} }}
                     }}",
                    boundary("x"),
                    boundary("y")
                ));
                for strategy in strategies(2).into_iter().chain(local_strategies(2)) {
                    let fits =
                        check_strategy(&star, &[("n", extent)], 6, strategy.clone(), &format!("{kind}, {second}"));
                    assert!(fits || extent < 3, "{strategy}: {kind}, {second}");
                }
            }
        }
    }
}

#[test]
fn boxes_in_tiles_have_the_right_corners() {
    let kinds = ["keep", "periodic", "symmetric", "neumann(1)", "clamp", "5"];
    let mut fitting = 0;
    for first in 0..kinds.len() {
        for shift in 0..3 {
            let on = |axis: usize| kinds[(first + shift * axis) % kinds.len()];
            let stencil = parse(&format!(
                "stencil cube {{
                   domainsize = (1 .. n, 1 .. n + 1, 1 .. n - 1);
                   operation (double grid q, const double grid k) {{
                     q[x,y,z; t+1] = q[x-1,y-1,z-1; t] + 2 * q[x+1,y+1,z+1; t] - q[x,y-1,z+1; t] * k[x,y,z]
                       + 3 * q[x-1,y,z+1; t] - q[x+1,y-1,z; t] + q[x,y,z; t-1] + x * q[x,y,z; t];
                   }}
                   boundary {{ q: x = {}; y = {}; z = {}; }}
                 }}",
                on(0),
                on(1),
                on(2)
            ));
            let name = format!("{}, {}, {}", on(0), on(1), on(2));
            for strategy in &strategies(3)[1..] {
                fitting += usize::from(check_strategy(&stencil, &[("n", 5)], 5, strategy.clone(), &name));
            }
            let local = Strategy::StreamLocal(tile([2, 2], [2, 1], 3, 2));
            assert!(check_strategy(&stencil, &[("n", 6)], 3, local, &name), "{name}");
        }
    }
    assert!(fitting > 30, "{fitting} of 54");
}
