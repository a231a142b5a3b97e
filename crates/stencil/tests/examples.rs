//! The specifications in `examples/stencils` parse, print and parse again.

use affinimath_stencil::Stencil;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, GridSlices, Layout, Span, Value};

/// All of the folder, by file name.
fn examples() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stc"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn examples_come_back_from_their_print() {
    let examples = examples();
    assert!(examples.len() >= 24, "{} examples", examples.len());
    for (name, text) in examples {
        let stencil = Stencil::parse(&text).unwrap_or_else(|error| panic!("{name}.stc:{error}"));
        let printed = stencil.to_string();
        let again = Stencil::parse(&printed).unwrap_or_else(|error| panic!("{name}, printed:{error}\n{printed}"));
        assert_eq!(again, stencil, "{name}:\n{printed}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

/// Small sizes: domains of the thesis' last stencils begin at sizes, too.
fn sizes(stencil: &Stencil) -> Vec<(&str, i64)> {
    let value = |name: &str| match name {
        "nxb" | "nyb" | "nzb" => 1,
        "steps" => 3,
        _ => 6,
    };
    stencil.symbols().into_iter().map(|name| (name, value(name))).collect()
}

/// Twos for all parameters, with as many elements as their ranges have.
fn arguments(stencil: &Stencil, reference: &Reference) -> Vec<Argument> {
    let arguments = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = arguments.map(|parameter| {
        let length = |range: &affinimath_stencil::definition::Range| {
            let sizes = reference.sizes();
            range.upper.value(sizes).expect("a size") - range.lower.value(sizes).expect("a size") + 1
        };
        Argument::Integers(vec![2; parameter.ranges.iter().map(length).product::<i64>() as usize])
    });
    each.collect()
}

/// A field with its elements in another order: the last axis contiguous, gaps, and an offset.
fn scattered(layout: &Layout) -> Layout {
    let reversed: Vec<usize> = layout.lengths.iter().rev().copied().collect();
    let strides = Layout::contiguous(vec![0; reversed.len()], reversed).strides;
    Layout { strides: strides.into_iter().rev().map(|stride| 3 * stride).collect(), offset: 5, ..layout.clone() }
}

fn number(value: Value) -> u64 {
    value.as_f64().to_bits()
}

/// Fields with whole numbers at all points, in the reference's layout or scattered.
fn fields(stencil: &Stencil, reference: &Reference, scatter: bool) -> Vec<Field> {
    let each = stencil.grids().iter().enumerate().map(|(grid, definition)| {
        let layout = reference.layout(grid).expect("memory");
        let layout = if scatter { scattered(&layout) } else { layout };
        let (components, levels) = (definition.component_count(), reference.levels(grid));
        let mut field = Field::zeros(definition.kind, layout, components, levels).expect("memory");
        for component in 0..components {
            for level in 0..levels {
                let factor = (grid + component + level) as i64 + 2;
                field.fill(component, level, |cell| (cell.iter().sum::<i64>() * factor).rem_euclid(7) as f64 + 1.0);
            }
        }
        field
    });
    each.collect()
}

/// All numbers in memory of a grid's newest level, the first axis fastest.
fn newest(field: &Field, components: usize, level: usize) -> Vec<u64> {
    let layout = field.layout();
    let mut found = Vec::new();
    for (component, point) in (0..components).flat_map(|c| (0..layout.points()).map(move |point| (c, point))) {
        let mut rest = point;
        let mut cell = Vec::new();
        for (&length, &lower) in layout.lengths.iter().zip(&layout.lower) {
            cell.push(lower + (rest % length) as i64);
            rest /= length;
        }
        found.push(number(field.get(component, level, &cell).expect("a point in memory")));
    }
    found
}

/// All examples run, and their results do not depend on where elements lie.
#[test]
fn examples_run_in_any_layout() {
    for (name, text) in examples() {
        let stencil = Stencil::parse(&text).expect("an example");
        let reference = Reference::new(&stencil, &sizes(&stencil)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = |scatter: bool| {
            let mut fields = fields(&stencil, &reference, scatter);
            let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
            let span = Span { first: 0, steps: Some(3), initial: true };
            let outcome = reference.run(&mut grids, &arguments(&stencil, &reference), span);
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
            let numbers = fields.iter().zip(stencil.grids()).zip(&outcome.newest);
            let numbers: Vec<Vec<u64>> =
                numbers.map(|((field, grid), &level)| newest(field, grid.component_count(), level)).collect();
            let results: Vec<Option<u64>> = outcome.results.iter().map(|value| value.map(number)).collect();
            (outcome.steps, results, numbers)
        };
        assert_eq!(run(false), run(true), "{name}");
    }
}
