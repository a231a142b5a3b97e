//! The host evaluator has the reference's results, to the bit.

mod common;
#[path = "common/random.rs"]
mod random;

use affinimath_stencil::host::Host;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, GridSlices, Layout, Outcome, Result, Span, Stencil, Value};
use common::noise;
use proptest::prelude::*;

/// Numbers of which NaN are equal, whatever their payload.
fn bits(value: Value) -> u64 {
    match value {
        Value::F32(value) if value.is_nan() => u64::MAX,
        Value::F64(value) if value.is_nan() => u64::MAX,
        Value::F32(value) => u64::from(value.to_bits()),
        Value::F64(value) => value.to_bits(),
        Value::I32(value) => value as u64,
        Value::I64(value) => value as u64,
        Value::Bool(value) => u64::from(value),
    }
}

/// The order of a grid's elements in memory.
#[derive(Clone, Copy, Debug)]
enum Order {
    Natural,
    /// The last axis contiguous, with gaps and an offset.
    Transposed,
    /// Gaps between rows, and an offset.
    Padded,
    /// Elements apart from each other on all axes.
    Sparse,
}

const ORDERS: [Order; 4] = [Order::Natural, Order::Transposed, Order::Padded, Order::Sparse];

fn ordered(layout: &Layout, order: Order) -> Layout {
    let mut strides = vec![0; layout.lengths.len()];
    let axes: Vec<usize> = match order {
        Order::Transposed => (0..strides.len()).rev().collect(),
        _ => (0..strides.len()).collect(),
    };
    let (mut stride, gap) = match order {
        Order::Natural => return layout.clone(),
        Order::Transposed => (1, 3),
        Order::Padded => (1, 5),
        Order::Sparse => (3, 0),
    };
    for axis in axes {
        strides[axis] = stride;
        stride = stride * layout.lengths[axis] + gap;
    }
    Layout { strides, offset: 7, ..layout.clone() }
}

/// Random numbers, also those that are no whole numbers, in all of a stencil's grids.
fn fields(stencil: &Stencil, reference: &Reference, order: Order, scale: f64) -> Vec<Field> {
    let each = stencil.grids().iter().enumerate().map(|(grid, definition)| {
        let layout = ordered(&reference.layout(grid).expect("memory"), order);
        let (components, levels) = (definition.component_count(), reference.levels(grid));
        let mut field = Field::zeros(definition.kind, layout, components, levels).expect("memory");
        for component in 0..components {
            for level in 0..levels {
                let seed = (grid * 100 + component * 10 + level) as u64 + 1;
                field.fill(component, level, |cell| scale * noise(seed, cell));
            }
        }
        field
    });
    each.collect()
}

fn arguments(stencil: &Stencil, reference: &Reference) -> Vec<Argument> {
    let parameters = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = parameters.enumerate().map(|(number, parameter)| {
        let length = |range: &affinimath_stencil::definition::Range| {
            let sizes = reference.sizes();
            range.upper.value(sizes).expect("a size") - range.lower.value(sizes).expect("a size") + 1
        };
        let count = parameter.ranges.iter().map(length).product::<i64>();
        let values = (0..count).map(|element| 0.5 + 0.4 * noise(number as u64, &[element]));
        if parameter.kind.is_real() {
            Argument::Reals(values.collect())
        } else {
            Argument::Integers(values.map(|value| (4.0 * value) as i64).collect())
        }
    });
    each.collect()
}

/// All numbers of all levels, the newest levels and the results.
type Results = (Vec<u64>, u64, bool, Vec<usize>, Vec<Option<u64>>);

fn results(outcome: Outcome, fields: &[Field], stencil: &Stencil, reference: &Reference) -> Results {
    let mut numbers = Vec::new();
    for (grid, field) in fields.iter().enumerate() {
        let components = stencil.grids()[grid].component_count();
        let layout = field.layout();
        for point in 0..layout.points() {
            let mut rest = point;
            let mut cell = Vec::new();
            for (&length, &lower) in layout.lengths.iter().zip(&layout.lower) {
                cell.push(lower + (rest % length) as i64);
                rest /= length;
            }
            for (component, level) in (0..components).flat_map(|c| (0..reference.levels(grid)).map(move |l| (c, l))) {
                numbers.push(bits(field.get(component, level, &cell).expect("a point in memory")));
            }
        }
    }
    let results = outcome.results.into_iter().map(|value| value.map(bits)).collect();
    (numbers, outcome.steps, outcome.has_stopped, outcome.newest, results)
}

/// A run by the reference and by the host.
fn both(
    stencil: &Stencil,
    sizes: &[(&str, i64)],
    order: Order,
    scale: f64,
    span: Span,
) -> Option<[Result<Results>; 2]> {
    let reference = Reference::new(stencil, sizes).ok()?;
    let host = Host::new(stencil, sizes).ok()?;
    let arguments = arguments(stencil, &reference);
    let mut one = fields(stencil, &reference, order, scale);
    let mut other = one.clone();
    let mut grids: Vec<GridSlices<'_>> = one.iter_mut().map(Field::slices).collect();
    let expected = reference.run(&mut grids, &arguments, span);
    let mut grids: Vec<GridSlices<'_>> = other.iter_mut().map(Field::slices).collect();
    let found = host.run(&mut grids, &arguments, span);
    let of = |outcome, fields: &[Field]| results(outcome, fields, stencil, &reference);
    Some([expected.map(|outcome| of(outcome, &one)), found.map(|outcome| of(outcome, &other))])
}

#[track_caller]
fn agree(name: &str, stencil: &Stencil, sizes: &[(&str, i64)], order: Order, scale: f64, span: Span) -> bool {
    let Some([expected, found]) = both(stencil, sizes, order, scale, span) else { return false };
    match (&expected, &found) {
        (Ok(expected), Ok(found)) => {
            let differing = expected.0.iter().zip(&found.0).filter(|(a, b)| a != b).count();
            let first = expected.0.iter().zip(&found.0).position(|(a, b)| a != b);
            assert_eq!(differing, 0, "{name} {sizes:?} {order:?}: of {}, first {first:?}", expected.0.len());
            assert_eq!(expected, found, "{name} {sizes:?} {order:?}");
            true
        }
        (Err(expected), Err(found)) => {
            assert_eq!(expected, found, "{name} {sizes:?} {order:?}");
            false
        }
        _ => panic!("{name} {sizes:?} {order:?}: {:?} and {:?}", expected.map(|_| ()), found.map(|_| ())),
    }
}

fn examples() -> Vec<(String, Stencil)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let names = std::fs::read_dir(folder).expect("the folder of examples").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = names
        .filter(|path| path.extension().is_some_and(|extension| extension == "stc"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), common::example(&name))).collect()
}

/// Sizes of a stencil: the k-th has `first` plus k times `by`, so that axes differ.
fn sizes(stencil: &Stencil, first: i64, by: i64) -> Vec<(&str, i64)> {
    let symbols = stencil.symbols().into_iter().enumerate();
    let value = |number: usize, name: &str| match name {
        "nxb" | "nyb" | "nzb" => 1,
        "steps" => 3,
        _ => first + by * number as i64,
    };
    symbols.map(|(number, name)| (name, value(number, name))).collect()
}

const SPAN: Span = Span { first: 0, steps: Some(3), initial: true };

#[test]
fn examples_agree_in_any_layout() {
    let examples = examples();
    assert!(examples.len() >= 24);
    for (name, stencil) in examples {
        for order in ORDERS {
            let ran = agree(&name, &stencil, &sizes(&stencil, 6, 3), order, 1.0, SPAN);
            assert!(ran, "{name} {order:?} fails");
        }
    }
}

/// The first size is that of x, the others are small.
fn narrow(stencil: &Stencil, x: i64, other: i64) -> Vec<(&str, i64)> {
    let mut sizes = sizes(stencil, other, 0);
    sizes.iter_mut().take(1).for_each(|size| size.1 = x);
    sizes
}

#[test]
fn odd_sizes_agree() {
    let mut ran = 0;
    for (name, stencil) in examples() {
        // One size for all axes is small.
        let most = if stencil.symbols().len() < stencil.dimension() { 9 } else { 1100 };
        for x in [1, 2, 3, 4, 7, 16, 63, 65, 255, 256, 257, 511, 512, 513, 1030].into_iter().filter(|&x| x <= most) {
            ran += usize::from(agree(&name, &stencil, &narrow(&stencil, x, 3), Order::Natural, 1.0, SPAN));
        }
        ran += usize::from(agree(&name, &stencil, &narrow(&stencil, 5, 1), Order::Padded, 1.0, SPAN));
    }
    assert!(ran > 150, "{ran} runs");
}

#[test]
fn rows_of_one_colour_agree_in_any_layout() {
    for name in ["red_black"] {
        let stencil = common::example(name);
        for order in ORDERS {
            for x in [1, 2, 5, 300, 1500] {
                agree(name, &stencil, &narrow(&stencil, x, 4), order, 1.0, SPAN);
            }
        }
    }
}

#[test]
fn great_and_special_numbers_agree() {
    for (name, stencil) in examples() {
        for scale in [1e3, 1e30, 1e300, f64::INFINITY, f64::NAN, 0.0, -1e-310] {
            agree(&name, &stencil, &sizes(&stencil, 6, 3), Order::Natural, scale, SPAN);
        }
    }
}

#[test]
fn runs_without_steps_agree() {
    for (name, stencil) in examples() {
        for initial in [false, true] {
            let span = Span { first: 3, steps: Some(0), initial };
            assert!(agree(&name, &stencil, &sizes(&stencil, 6, 3), Order::Natural, 1.0, span), "{name}");
        }
    }
}

#[test]
fn threads_do_not_change_results() {
    for threads in [1, 2] {
        affinimath_core::threads::set_num_threads(threads).expect("a number of threads");
        for name in ["laplacian", "hyperthermia", "red_black", "results", "heat", "fdtd", "boundaries"] {
            let stencil = common::example(name);
            let first = if stencil.dimension() == 3 { 34 } else { 200 };
            let span = Span { steps: Some(2), ..SPAN };
            assert!(agree(name, &stencil, &sizes(&stencil, first, 1), Order::Natural, 1.0, span), "{name}");
        }
        let stencil = common::parse(
            "stencil line {
               domainsize = (0 .. n-1);
               operation (double grid u, float result r, double result m, long result c) {
                 u[x; t+1] = 0.5 * u[x; t] + 0.25 * (u[x-1; t] + u[x+1; t]);
                 r = sum(float(u[x; t+1]));
                 m = norm2(u[x; t+1]);
                 c = count(u[x; t+1] > 0.1);
               }
               boundary { u: x = periodic; }
             }",
        );
        assert!(agree("line", &stencil, &[("n", 100_003)], Order::Natural, 1.0, SPAN));
        assert!(agree("line", &stencil, &[("n", 100_003)], Order::Sparse, 1.0, SPAN));
    }
}

/// Expressions that read outside a parameter's range, where a value is needed or is not.
#[test]
fn unknown_values_agree() {
    let values = [
        "c[x]",
        "c[min(max(x, 0), 4)]",
        "0 <= x <= 4 ? c[x] : -1",
        "0 <= x && x <= 4 && c[x] > 0.5 ? 1 : 2",
        "x < 0 || x > 4 || c[x] > 0.5 ? 1 : 2",
        "c[x] > 0.5 || x < 0 || x > 4 ? 1 : 2",
        "c[x] > 0.5 && x >= 0 && x <= 4 ? 1 : 2",
        "!(c[x] > 0.5 || x < 0 || x > 4) ? 1 : 2",
        "c[y] > 0.5 && y < 3 ? c[y] : 2",
        "y == 1 ? c[2 * y] : c[2] * x",
        "t < 5 ? c[t] : c[0]",
        "c[n]",
        "n < 5 ? c[n] : 1",
        "(x > 4 ? c[x - 5] : c[x]) + u[x,y; t]",
        "c[int(4 * u[x,y; t] * u[x,y; t])]",
        "d[x % 2, y % 3] * u[x+1,y; t]",
        "d[x, y]",
        "true_of(x)",
    ];
    let (mut right, mut wrong) = (0, 0);
    for value in values {
        for sweep in ["jacobi", "red_black"] {
            let text = format!(
                "stencil s {{
                   domainsize = (0 .. n-1, 0 .. 3);
                   operation (double grid u, double param c[0 .. 4], double param d[2, 3]) sweep {sweep} {{
                     double temporary = {value};
                     u[x,y; t+1] = x >= 0 ? temporary : 0;
                   }}
                 }}"
            );
            let Ok(stencil) = Stencil::parse(&text) else {
                assert_eq!(value, "true_of(x)", "{text}");
                continue;
            };
            for n in [1, 5, 6, 700] {
                for first in [0, 3] {
                    let span = Span { first, steps: Some(3), initial: true };
                    let ran = agree(value, &stencil, &[("n", n)], Order::Natural, 1.0, span);
                    (right, wrong) = (right + usize::from(ran), wrong + usize::from(!ran));
                }
            }
        }
    }
    assert!(right > 50 && wrong > 30, "{right} and {wrong}");
}

#[test]
fn values_outside_faces_agree() {
    let faces = [
        "x = k[x,y]; y = periodic",
        "x- = k[x-3,y]; y = clamp",
        "x- = x < -1 ? 1 : k[x+1,y-1]; y = reflect",
        "x = neumann(k[x,y]); y = 2",
        "x- = 2 * u[x+1,y] - u[x+2,y]; x+ = antireflect; y- = t + x; y+ = u[x,y-2]",
        "x = keep; y = symmetric",
        "x = periodic; y = neumann(c[y + 2])",
    ];
    let (mut right, mut wrong) = (0, 0);
    for face in faces {
        let text = format!(
            "stencil s {{
               domainsize = (0 .. n-1, 0 .. m-1);
               operation (float grid u(-4 .. n+3, -3 .. m+2), const float grid k(-3 .. n+2, -2 .. m+1),
                          float param c[9]) {{
                 u[x,y; t+1] = 0.25 * (u[x-2,y; t] + u[x+2,y; t] + u[x,y-2; t] + u[x-2,y+2; t]) + u[x,y; t-1];
               }}
               boundary {{ u: {face}; }}
             }}"
        );
        let stencil = common::parse(&text);
        for (n, m) in [(1, 1), (3, 3), (5, 4), (20, 9), (700, 3), (4, 600)] {
            for order in ORDERS {
                let ran = agree(face, &stencil, &[("n", n), ("m", m)], order, 1.0, Span { steps: Some(5), ..SPAN });
                (right, wrong) = (right + usize::from(ran), wrong + usize::from(!ran));
            }
        }
    }
    assert!(right > 60 && wrong > 10, "{right} and {wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_agree(
        tree in random::tree(),
        n in 1i64..40,
        scale in prop::sample::select(&[1.0, 40.0, 1e20][..]),
    ) {
        let span = Span { steps: Some(2), ..SPAN };
        if let Ok(stencil) = random::built(&tree) {
            agree(&tree.text(), &stencil, &[("nx", n), ("ny", 3)], Order::Natural, scale, span);
        }
    }

    #[test]
    fn random_sections_agree(
        trees in prop::collection::vec(random::tree(), 4),
        kinds in prop::collection::vec(0usize..8, 4),
        switches in prop::collection::vec(any::<bool>(), 8),
        order in prop::sample::select(&ORDERS[..]),
        n in 1i64..12,
    ) {
        let stencil = Stencil::build::<2>("s", affinimath_stencil::definition::Type::F64, |s| {
            random::sections(s, &trees, &kinds, &switches, 2)
        });
        if let Ok(stencil) = stencil {
            let mut sizes = vec![("nx", n), ("ny", 13 - n), ("steps", 2)];
            sizes.retain(|(name, _)| stencil.symbols().contains(name));
            agree("sections", &stencil, &sizes, order, 1.0, SPAN);
        }
    }
}
