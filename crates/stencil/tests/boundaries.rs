//! Boundary conditions: values beyond each face, corners, small domains.

mod common;

use affinimath_stencil::reference::{Cone, Reference};
use affinimath_stencil::{Field, GridSlices, Span, Value};
use common::{Case, noise, parse, points};

/// One axis, radius 3, a step that copies.
fn line(boundary: &str) -> String {
    format!(
        "stencil line {{
           domainsize = (1 .. n);
           operation (double grid u, double param g) {{ u[x; t+1] = u[x; t] + 0 * (u[x-3; t] + u[x+3; t]); }}
           boundary {{ u: {boundary} }}
         }}"
    )
}

/// The six values beyond the faces, from the outermost one, after a step on 1 4 9 16 25.
fn beyond(boundary: &str) -> Vec<f64> {
    let stencil = parse(&line(boundary));
    let mut case = Case::new(&stencil, &[("n", 5)]);
    case.fill(0, |cell| (cell[0] * cell[0]) as f64).run(&[2.0.into()], 1);
    [-2, -1, 0, 6, 7, 8].iter().map(|&cell| case.get(0, &[cell])).collect()
}

#[test]
fn values_beyond_a_face_follow_its_condition() {
    let table: [(&str, [f64; 6]); 12] = [
        ("x = keep;", [4.0, 1.0, 0.0, 36.0, 49.0, 64.0]),
        ("x = periodic;", [9.0, 16.0, 25.0, 1.0, 4.0, 9.0]),
        ("x = reflect;", [16.0, 9.0, 4.0, 16.0, 9.0, 4.0]),
        ("x = symmetric;", [9.0, 4.0, 1.0, 25.0, 16.0, 9.0]),
        ("x = antireflect;", [-14.0, -7.0, -2.0, 34.0, 41.0, 46.0]),
        ("x = clamp;", [1.0, 1.0, 1.0, 25.0, 25.0, 25.0]),
        ("x = neumann(0);", [9.0, 4.0, 1.0, 25.0, 16.0, 9.0]),
        // Along the outward direction on both faces: 1, 3 and 5 half steps of 2 * 0.5.
        ("x = neumann(g);", [19.0, 10.0, 3.0, 27.0, 22.0, 19.0]),
        ("x = 7;", [7.0; 6]),
        // The new level has the time 1.
        ("x = 3 * t + x;", [1.0, 2.0, 3.0, 9.0, 10.0, 11.0]),
        // A line through the last two points, farther and farther out.
        ("x- = 2 * u[x+1] - u[x+2]; x+ = 0;", [-8.0, -5.0, -2.0, 0.0, 0.0, 0.0]),
        ("x = periodic; x = 1; x+ = clamp;", [1.0, 1.0, 1.0, 25.0, 25.0, 25.0]),
    ];
    for (boundary, wanted) in table {
        assert_eq!(beyond(boundary), wanted, "{boundary}");
    }
}

#[test]
fn corners_follow_the_last_axis() {
    let text = |boundary: &str| {
        format!(
            "stencil corners {{
               domainsize = (1 .. 3, 1 .. 3);
               operation (int grid u) {{ u[x,y; t+1] = u[x-1,y-1; t] * 0 + u[x+1,y+1; t] * 0 + u[x,y; t]; }}
               boundary {{ u: {boundary} }}
             }}"
        )
    };
    let corner = |boundary: &str, cell: [i64; 2]| {
        let stencil = parse(&text(boundary));
        let mut case = Case::new(&stencil, &[]);
        case.fill(0, |cell| (10 * cell[0] + cell[1]) as f64).run(&[], 1);
        case.get(0, &cell)
    };
    assert_eq!(corner("x = periodic; y = periodic;", [0, 0]), 33.0);
    assert_eq!(corner("x = 5; y = clamp;", [0, 0]), 5.0, "y copies what x has set");
    assert_eq!(corner("x = clamp; y = 5;", [0, 0]), 5.0, "y is the last axis");
    assert_eq!(corner("x = 5; y- = keep; y+ = reflect;", [0, 0]), 0.0, "y keeps the corner");
    assert_eq!(corner("x = 5; y- = keep; y+ = reflect;", [0, 4]), 5.0);
    assert_eq!(corner("x = 5; y- = keep; y+ = reflect;", [2, 4]), 22.0);
    assert_eq!(corner("x = x; y = 10 * y;", [4, 2]), 4.0);
    assert_eq!(corner("x = x; y = 10 * y;", [4, 4]), 40.0);
}

#[test]
fn values_that_are_kept_come_from_the_level_before() {
    let stencil = parse(&line("x+ = clamp;"));
    let reference = Reference::new(&stencil, &[("n", 4)]).expect("sizes");
    let mut field = reference.field(0).expect("memory");
    field.fill(0, 0, |cell| cell[0] as f64);
    // The level that the first step writes holds nothing: it is not read.
    field.fill(0, 1, |_| f64::NAN);
    for steps in [1, 2, 5] {
        let mut field = field.clone();
        let outcome = reference
            .run(&mut [field.slices()], &[1.0.into()], Span { steps: Some(steps), ..Span::default() })
            .expect("a run");
        let newest = outcome.newest[0];
        let values: Vec<f64> = (-2..=7).map(|x| field.get(0, newest, &[x]).expect("memory").as_f64()).collect();
        assert_eq!(values, [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0], "{steps} steps");
    }
}

#[test]
fn periodic_domains_may_be_smaller_than_the_radius() {
    for n in 1..=7 {
        let stencil = parse(
            "stencil far {
               domainsize = (1 .. n);
               operation (long grid u) { u[x; t+1] = u[x-5; t] + 10 * u[x+4; t]; }
               boundary { u: x = periodic; }
             }",
        );
        let mut case = Case::new(&stencil, &[("n", n)]);
        let wrap = |x: i64| (x - 1).rem_euclid(n) + 1;
        case.fill(0, |cell| cell[0] as f64).run(&[], 2);
        for x in 1..=n {
            let once = |x: i64| wrap(x - 5) + 10 * wrap(x + 4);
            assert_eq!(case.get(0, &[x]), (once(wrap(x - 5)) + 10 * once(wrap(x + 4))) as f64, "{n} {x}");
        }
    }
}

#[test]
fn other_conditions_refuse_domains_that_are_too_small() {
    for (boundary, least) in [("reflect", 4), ("antireflect", 4), ("symmetric", 3), ("neumann(1)", 3), ("clamp", 1)] {
        let stencil = parse(&line(&format!("x = {boundary};")));
        for n in 1..=5 {
            let mut case = Case::new(&stencil, &[("n", n)]);
            let span = Span { steps: Some(1), ..Span::default() };
            let result = case.try_run(&[1.0.into()], span);
            match result {
                Ok(()) => assert!(n >= least, "{boundary} {n}"),
                Err(error) => {
                    assert!(n < least, "{boundary} {n}: {error}");
                    let reason = format!("the domain has {n} points on x, and the boundary of 'u' needs {least}");
                    assert!(error.reason.starts_with(&reason), "{error}");
                }
            }
        }
    }
}

#[test]
fn constant_grids_and_components_have_boundaries_of_their_own() {
    let stencil = parse(
        "stencil pair {
           domainsize = (1 .. n);
           operation (double grid v[2], const double grid k) {
             v[x; t+1; 0] = v[x-1; t; 1] + k[x-1];
             v[x; t+1; 1] = v[x+1; t; 0];
           }
           boundary { v[0]: x = 4; v[1]: x = periodic; k: x = periodic; }
         }",
    );
    let mut case = Case::new(&stencil, &[("n", 4)]);
    case.fields[0].fill(0, 0, |cell| cell[0] as f64);
    case.fields[0].fill(1, 0, |cell| 10.0 * cell[0] as f64);
    case.fill(1, |cell| 100.0 * cell[0] as f64).run(&[], 1);
    let newest = case.outcome().newest[0];
    let component = |component: usize, x: i64| case.fields[0].get(component, newest, &[x]).expect("memory").as_f64();
    assert_eq!([1, 2, 3, 4].map(|x| component(0, x)), [440.0, 110.0, 220.0, 330.0]);
    assert_eq!([1, 2, 3, 4].map(|x| component(1, x)), [2.0, 3.0, 4.0, 4.0]);
}

/// Each axis of one to six dimensions wraps: a shift along all of them comes back.
#[test]
fn one_to_six_axes_are_periodic() {
    let names = ["x", "y", "z", "u", "v", "w"];
    for axes in 1..=6 {
        let coordinates = names[..axes].join(",");
        let shifted: Vec<String> = names[..axes].iter().map(|name| format!("{name}-1")).collect();
        let faces: String = names[..axes].iter().map(|name| format!("{name} = periodic; ")).collect();
        let domain = vec!["0 .. 2"; axes].join(", ");
        let stencil = parse(&format!(
            "stencil shift {{
               domainsize = ({domain});
               operation (double grid q) {{ q[{coordinates}; t+1] = q[{}; t]; }}
               boundary {{ q: {faces} }}
             }}",
            shifted.join(",")
        ));
        let mut case = Case::new(&stencil, &[]);
        case.fill(0, |cell| noise(5, cell)).run(&[], 3);
        for cell in points(&vec![0..=2; axes]) {
            assert_eq!(case.get(0, &cell), noise(5, &cell), "{axes} axes, {cell:?}");
        }
    }
}

/// Corners that a star never reads may hold anything, and what lies outside memory boxes is not touched.
#[test]
fn strides_offsets_and_unread_corners_are_respected() {
    use affinimath_stencil::{GridSlices, Layout, Slice};
    let stencil = parse(
        "stencil star {
           domainsize = (1 .. nx, 1 .. ny);
           operation (double grid u) { u[x,y; t+1] = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t]; }
         }",
    );
    let reference = Reference::new(&stencil, &[("nx", 4), ("ny", 3)]).expect("sizes");
    let plain = reference.layout(0).expect("memory");
    // y contiguous, gaps in both directions, an offset.
    let layout = Layout { strides: vec![13, 2], offset: 7, ..plain.clone() };
    let extent = layout.extent().expect("a size");
    let mut levels = [vec![f64::NAN; extent + 5], vec![f64::NAN; extent + 5]];
    let mut expected: Field = reference.field(0).expect("memory");
    expected.fill(0, 0, |cell| noise(3, cell));
    for cell in points(&[0..=5, 0..=4]) {
        let is_corner = (cell[0] == 0 || cell[0] == 5) && (cell[1] == 0 || cell[1] == 4);
        if !is_corner {
            levels[0][layout.index(&cell).expect("memory")] = noise(3, &cell);
        }
    }
    let untouched: Vec<bool> = {
        let mut untouched = vec![true; extent + 5];
        points(&[0..=5, 0..=4]).iter().for_each(|cell| untouched[layout.index(cell).expect("memory")] = false);
        untouched
    };
    let span = Span { steps: Some(3), ..Span::default() };
    let outcome = {
        let [first, second] = &mut levels;
        let slices = vec![vec![Slice::F64(first), Slice::F64(second)]];
        reference.run(&mut [GridSlices { layout: layout.clone(), slices }], &[], span).expect("a run")
    };
    let wanted = reference.run(&mut [expected.slices()], &[], span).expect("a run");
    for cell in points(&[1..=4, 1..=3]) {
        let found = levels[outcome.newest[0]][layout.index(&cell).expect("memory")];
        assert_eq!(found, expected.get(0, wanted.newest[0], &cell).expect("memory").as_f64(), "{cell:?}");
    }
    for level in &levels {
        assert!(level.iter().zip(&untouched).all(|(value, &untouched)| !untouched || value.is_nan()));
    }
}

/// A boundary may read a constant grid beyond its face, whatever the order of declarations.
#[test]
fn constant_grids_are_completed_first() {
    let stencil = parse(
        "stencil order {
           domainsize = (1 .. n);
           operation (double grid u, const double grid k) { u[x; t+1] = u[x-1; t] + 0 * k[x-1]; }
           boundary { u: x- = k[x]; k: x = periodic; }
         }",
    );
    let mut case = Case::new(&stencil, &[("n", 4)]);
    case.fill(1, |cell| 10.0 * cell[0] as f64).run(&[], 1);
    assert_eq!(case.get(0, &[1]), 40.0);
}

/// Two stages, an older level, a coefficient, and a diagonal tap.
fn staged(boundary: &str) -> String {
    format!(
        "stencil staged {{
           domainsize = (1 .. n, 2 .. n);
           operation (double grid u, double grid w, const double grid k) {{
             sequence {{
               stage first {{ u[x,y; t+1] = 0.5 * u[x-1,y+1; t] - k[x+1,y] * u[x+1,y; t-1] + x; }}
               stage second {{ w[x,y; t+1] = u[x,y-1; t+1] + 0.25 * w[x,y+1; t] * u[x,y; t+1] + t; }}
             }}
           }}
           boundary {{ {boundary} }}
         }}"
    )
}

#[test]
fn cones_have_the_values_of_runs() {
    for (boundary, is_local) in [
        ("u: x = keep; w: y = clamp;", true),
        ("u: x = periodic; y = symmetric; w: x = periodic; y = reflect;", true),
        ("u: x = clamp; y = periodic;", true),
        ("u: x- = reflect; x+ = keep; y- = clamp; y+ = symmetric;", true),
        ("u: x = 3;", false),
        ("u: y = antireflect;", false),
    ] {
        let reference = Reference::new(&parse(&staged(boundary)), &[("n", 7)]).expect("a stencil");
        let value = |grid: usize, cell: &[i64]| noise(grid as u64 + 1, cell);
        let first = |grid: usize, _: usize, point: &[i64; 6]| Value::F64(value(grid, &point[..2]));
        let Some(mut cone) = Cone::new(&reference, &[], &first).expect("arguments") else {
            assert!(!is_local, "{boundary}");
            continue;
        };
        assert!(is_local, "{boundary}");
        let mut fields: Vec<Field> = (0..3).map(|grid| reference.field(grid).expect("memory")).collect();
        for (grid, field) in fields.iter_mut().enumerate() {
            (0..reference.levels(grid)).for_each(|level| field.fill(0, level, |cell| value(grid, cell)));
        }
        let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
        let span = Span { first: 0, steps: Some(4), initial: true };
        let outcome = reference.run(&mut grids, &[], span).expect("a run");
        for (grid, field) in fields[..2].iter().enumerate() {
            for cell in points(&[1..=7, 2..=7]) {
                let wanted = field.get(0, outcome.newest[grid], &cell);
                assert_eq!(cone.value(grid, 0, &cell, 4), wanted, "{boundary}: grid {grid}, {cell:?}");
            }
        }
        assert!(cone.taps() > 0);
    }
}
