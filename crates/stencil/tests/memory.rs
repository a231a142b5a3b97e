//! Memory of grids: elements that no tap reads may hold anything, and those between points stay as they are.

mod common;

use affinimath_stencil::definition::Type;
use affinimath_stencil::{Field, Layout, Plan, Slice, Span, Target, Value};
use common::devices::{lacks_doubles, targets};
use common::{noise, parse, points};

const CANARY: f64 = -12345.0;

/// A star of radius 2 before and 1 behind, in a memory that reaches farther.
fn star(kind: &str, boundary: &str) -> String {
    format!(
        "stencil star {{
           domainsize = (1 .. nx, 1 .. ny);
           operation ({kind} grid u(-3 .. nx+3, -2 .. ny+2), const {kind} grid k(0 .. nx+1, -1 .. ny+1)) {{
             u[x,y; t+1] = 0.25 * (u[x-2,y; t] + u[x+1,y; t] + u[x,y-2; t] + u[x,y+1; t]) * k[x,y];
           }}
           boundary {{ u: {boundary} }}
         }}"
    )
}

/// A field whose elements are canaries, but those of points in memory.
fn field(plan: &Plan, kind: Type, grid: usize) -> (Field, Vec<bool>) {
    let plain = plan.bound().layout(grid).expect("memory");
    // Gaps between neighbours and rows, and elements before the first one.
    let layout = Layout { strides: vec![2, 2 * plain.lengths[0] + 5], offset: 7, ..plain };
    let extent = layout.extent().expect("a size");
    let mut field = Field::zeros(kind, layout.clone(), 1, plan.bound().levels(grid)).expect("memory");
    for slice in field.slices().slices.iter_mut().flatten() {
        match slice {
            Slice::F32(all) => all.fill(CANARY as f32),
            Slice::F64(all) => all.fill(CANARY),
            other => panic!("{other:?}"),
        }
    }
    let mut is_point = vec![false; extent];
    let ranges = layout.lower.iter().zip(&layout.lengths).map(|(&lower, &n)| lower..=lower + n as i64 - 1);
    points(&ranges.collect::<Vec<_>>()).iter().for_each(|cell| is_point[layout.index(cell).expect("a point")] = true);
    (field, is_point)
}

/// NaN are farther than taps reach, in corners, and in the level that the first step writes. None is read.
fn check(kind: &str, boundary: &str, nx: i64, ny: i64) {
    let stencil = parse(&star(kind, boundary));
    for target in targets() {
        let what = format!("{kind} {boundary} {nx} x {ny} on {target:?}");
        let is_refused = kind == "double" && lacks_doubles(&target);
        let plan = Plan::new(&stencil, target, &[("nx", nx), ("ny", ny)]);
        if is_refused {
            assert!(plan.err().expect("a refusal").reason.contains("has no double precision"), "{what}");
            continue;
        }
        let plan = plan.expect("a plan");
        let types: Vec<_> = stencil.grids().iter().map(|grid| grid.kind).collect();
        let (mut u, is_point) = field(&plan, types[0], 0);
        let (mut k, is_point_of_k) = field(&plan, types[1], 1);
        let inside = |cell: &[i64]| (1..=nx).contains(&cell[0]) && (1..=ny).contains(&cell[1]);
        let is_read = |cell: &[i64]| {
            (-1..=nx + 1).contains(&cell[0]) && (1..=ny).contains(&cell[1])
                || (1..=nx).contains(&cell[0]) && (-1..=ny + 1).contains(&cell[1])
        };
        u.fill(0, 0, |cell| if is_read(cell) { noise(3, cell) } else { f64::NAN });
        u.fill(0, 1, |_| f64::NAN);
        k.fill(0, 0, |cell| if inside(cell) { 1.0 + noise(4, cell) } else { f64::NAN });
        let span = Span { steps: Some(5), ..Span::default() };
        let outcome = plan.run(&mut [u.slices(), k.slices()], &[], span).expect("a run");
        for cell in points(&[1..=nx, 1..=ny]) {
            let found = u.get(0, outcome.newest[0], &cell).map(Value::as_f64);
            assert!(found.is_some_and(|value| value.is_finite()), "{what}, {cell:?}: {found:?}");
        }
        for (field, is_point, levels) in [(&u, &is_point, 2), (&k, &is_point_of_k, 1)] {
            for level in 0..levels {
                let values = field.values(0, level);
                let changed = values.iter().zip(is_point).position(|(value, point)| !point && *value != CANARY);
                assert_eq!(changed, None, "{what}: a canary of level {level}");
            }
        }
    }
}

const BOUNDARIES: [&str; 6] = [
    "x = keep; y = keep;",
    "x = periodic; y = periodic;",
    "x = reflect; y = antireflect;",
    "x = symmetric; y = neumann(0.5);",
    "x = clamp; y = 0.25;",
    "x- = u[x+1,y]; x+ = keep; y- = clamp; y+ = keep;",
];

#[test]
fn nan_that_no_tap_reads_stays_out() {
    for (number, boundary) in BOUNDARIES.into_iter().enumerate() {
        let kind = ["float", "double"][number % 2];
        check(kind, boundary, 19, 7);
        check(kind, boundary, 300, 3);
    }
}

/// Each value, component and kind of number counts, wherever grids lie.
#[test]
fn digests_depend_on_each_value() {
    let text = |kind: &str| {
        format!(
            "stencil pair {{
               domainsize = (1 .. n, 1 .. n, 1 .. n);
               operation ({kind} grid u[2]) {{
                 u[x,y,z; t+1; 0] = u[x-1,y,z; t; 1];
                 u[x,y,z; t+1; 1] = u[x,y,z; t; 0];
               }}
             }}"
        )
    };
    for kind in ["float", "double", "int", "long"] {
        let mut known = None;
        for target in targets() {
            // Devices have kernels of one kind: compilers take long.
            if kind != "float" && !matches!(target, Target::Host) {
                continue;
            }
            let plan = Plan::new(&parse(&text(kind)), target, &[("n", 5)]).expect("a plan");
            let mut grids = plan.grids().expect("memory");
            let mut field = plan.bound().field(0).expect("memory");
            let layout = field.layout().clone();
            let newest = grids.newest(0);
            let mut digests = Vec::new();
            let value = |component: i64, cell: &[i64]| 0.01 + (cell[0] + 7 * cell[1] + 50 * cell[2] + component) as f64;
            // As they are; then with one changed value, on a corner, in the middle, at the border.
            for change in [None, Some((0, [1, 1, 1])), Some((1, [3, 2, 4])), Some((1, [0, 5, 5]))] {
                for component in 0..2 {
                    field.fill(component, newest, |cell| {
                        let is_changed = change.is_some_and(|(own, point)| own == component && point == cell);
                        value(component as i64, cell) + if is_changed { 1.0 } else { 0.0 }
                    });
                    let slice = &field.slices().slices[component][newest];
                    grids.upload(0, component, newest, &layout, slice).expect("a copy");
                }
                digests.push(plan.digest(&mut grids, 0).expect("a digest"));
            }
            assert!((1..4).all(|change| !digests[..change].contains(&digests[change])), "{kind}: {digests:?}");
            assert_eq!(*known.get_or_insert_with(|| digests.clone()), digests, "{kind}, {:?}", plan.target());
            let found = grids.values_at(0, 1, newest, &[vec![0, 5, 5], vec![2, 3, 1]]).expect("values");
            let wanted = [value(1, &[0, 5, 5]) + 1.0, value(1, &[2, 3, 1])];
            let wanted = if ["int", "long"].contains(&kind) { wanted.map(f64::trunc) } else { wanted };
            assert!((0..2).all(|own| (found[own].as_f64() - wanted[own]).abs() < 1e-4), "{kind}: {found:?}");
            assert!(grids.values_at(0, 1, newest, &[vec![0, 0, 7]]).is_err());
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn nan_that_no_tap_reads_stays_out() {
        check("float", BOUNDARIES[0], 5, 4);
        check("double", BOUNDARIES[2], 4, 3);
        check("float", BOUNDARIES[1], 1, 1);
    }
}
