//! The host evaluator has the reference's results, to the bit.

mod common;

use affinimath_stencil::host::Host;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, GridSlices, Layout, Outcome, Result, Span, Stencil, Value};
use common::noise;

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
