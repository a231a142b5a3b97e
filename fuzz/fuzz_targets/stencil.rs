//! Stencils as texts. A text is refused with a place within it, or gives a stencil that comes back from its print, has
//! facts, and runs on a small domain or is refused with a reason. Two runs give the same bits.
#![no_main]

use std::str;

use affinimath_stencil::analysis::Analysis;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Error, Field, Outcome, Span, Stencil};
use libfuzzer_sys::fuzz_target;

/// Values of sizes, in their order.
const SIZES: [i64; 4] = [5, 4, 3, 2];
/// Elements of all grids, and nodes at all points, above which nothing runs.
const MAX_ELEMENTS: usize = 100_000;
const MAX_NODES: u64 = 2_000_000;

/// An error lies within its text, and its caret under the line that it shows.
fn check_error(text: &str, error: &Error) {
    let Some(location) = &error.location else { return };
    let line = text.split('\n').nth(location.line - 1).expect("a line of the text");
    assert!(location.column <= line.chars().count() + 1, "{error}");
    let shown = error.to_string();
    let (shown, caret) = shown.rsplit_once('\n').expect("three lines");
    let shown = shown.rsplit_once('\n').expect("three lines").1;
    assert!(caret.ends_with('^') && caret.len() <= shown.chars().count() + 1, "{error}");
}

/// Zeros for all parameters.
fn arguments(stencil: &Stencil, reference: &Reference) -> Option<Vec<Argument>> {
    let sizes = reference.sizes();
    let wanted = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = wanted.map(|parameter| {
        let mut lengths = parameter.ranges.iter().map(|range| {
            let length = range.upper.value(sizes).ok()?.checked_sub(range.lower.value(sizes).ok()?)?.checked_add(1)?;
            usize::try_from(length).ok()
        });
        let count = lengths.try_fold(1usize, |so_far, length| so_far.checked_mul(length?))?;
        (count <= MAX_ELEMENTS).then(|| Argument::Integers((0..count as i64).map(|index| index % 3).collect()))
    });
    each.collect()
}

fn run(stencil: &Stencil, facts: &Analysis) -> Option<(Vec<Field>, Outcome)> {
    let sizes: Vec<(&str, i64)> = facts.symbols.iter().map(String::as_str).zip(SIZES.into_iter().cycle()).collect();
    let reference = Reference::new(stencil, &sizes).ok()?;
    let mut elements = 0usize;
    for (grid, facts) in facts.grids.iter().enumerate() {
        let layout = reference.layout(grid).ok()?;
        let levels = facts.levels * stencil.grids()[grid].component_count();
        elements = elements.saturating_add(layout.points().saturating_mul(levels));
    }
    let points = u64::try_from(reference.points()).ok()?;
    if elements > MAX_ELEMENTS || points.saturating_mul(stencil.graph().len() as u64 + 1) > MAX_NODES {
        return None;
    }
    let mut fields: Vec<Field> = (0..facts.grids.len()).map(|grid| reference.field(grid).expect("memory")).collect();
    for field in &mut fields {
        field.fill(0, 0, |cell| cell.iter().sum::<i64>() as f64 * 0.25);
    }
    let arguments = arguments(stencil, &reference)?;
    let span = Span { first: -1, steps: Some(3), initial: true };
    let outcome = {
        let mut grids: Vec<_> = fields.iter_mut().map(Field::slices).collect();
        reference.run(&mut grids, &arguments, span).ok()?
    };
    Some((fields, outcome))
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = str::from_utf8(data) else { return };
    let stencil = match Stencil::parse(text) {
        Ok(stencil) => stencil,
        Err(error) => return check_error(text, &error),
    };
    let printed = stencil.to_string();
    match Stencil::parse(&printed) {
        Ok(again) => assert_eq!(again, stencil, "{printed}"),
        // What a text shares in temporaries and comprehensions may be longer than a text can be.
        Err(error) => assert!(printed.len() > 100_000, "{error}\n{printed}"),
    }
    let facts = Analysis::new(&stencil);
    if let (Some(once), Some(twice)) = (run(&stencil, &facts), run(&stencil, &facts)) {
        assert_eq!(format!("{once:?}"), format!("{twice:?}"));
    }
});
