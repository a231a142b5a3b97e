//! Strategies as texts. A text is refused with a place within it, or gives a strategy that comes back from its print.
//! It has the bits of the naive one on small domains, or is refused with a reason.
#![no_main]

use std::str;

use affinimath_stencil::{Error, Field, Plan, Schedule, Span, Stencil, Strategy, Target};
use libfuzzer_sys::fuzz_target;

/// Stencils of one, two and three dimensions, with their sizes.
const STENCILS: [(&str, &[(&str, i64)]); 3] = [
    (
        "stencil line { domainsize = (1 .. n); operation (int grid u) { u[x; t+1] = u[x-1; t] + 3 * u[x+2; t]; } }",
        &[("n", 7)],
    ),
    (
        "stencil plane {
           domainsize = (-1 .. n, 2 .. m);
           operation (int grid u) { u[x,y; t+1] = u[x-1,y; t] + 3 * u[x,y+1; t]; }
         }",
        &[("n", 4), ("m", 6)],
    ),
    (
        "stencil cube {
           domainsize = (0 .. n, 1 .. n, 2 .. n);
           operation (int grid u) { u[x,y,z; t+1] = u[x-1,y,z; t] + 3 * u[x,y+1,z-1; t]; }
         }",
        &[("n", 4)],
    ),
];

/// An error lies within its text, and its caret under the line that it shows.
fn check_error(text: &str, error: &Error) {
    let Some(location) = &error.location else { return };
    let line = text.split('\n').nth(location.line - 1).expect("a line of the text");
    assert!(location.column <= line.chars().count() + 1, "{error}");
    assert!(error.to_string().ends_with('^'), "{error}");
}

fn run(plan: &Plan) -> Field {
    let mut field = plan.bound().field(0).expect("memory");
    field.fill(0, 0, |cell| cell.iter().fold(1, |sum, own| 3 * sum + own) as f64);
    let span = Span { steps: Some(2), ..Span::default() };
    plan.run(&mut [field.slices()], &[], span).expect("a run");
    field
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = str::from_utf8(data) else { return };
    let schedule = match Schedule::parse(text) {
        Ok(schedule) => schedule,
        Err(error) => return check_error(text, &error),
    };
    let printed = schedule.to_string();
    match Schedule::parse(&printed) {
        Ok(again) => assert_eq!(again, schedule, "{printed}"),
        // Blanks of deep blocks are longer than a text can be.
        Err(error) => assert!(printed.len() > 60_000, "{error}\n{printed}"),
    }
    for (stencil, sizes) in STENCILS {
        let stencil = Stencil::parse(stencil).expect("a stencil");
        let plan = || Plan::new(&stencil, Target::Host, sizes).expect("a plan");
        match plan().with_strategy(schedule.clone()) {
            Ok(own) => {
                let wanted = run(&plan().with_strategy(Strategy::Naive).expect("a strategy"));
                assert_eq!(format!("{:?}", run(&own)), format!("{wanted:?}"), "{printed}");
            }
            Err(error) => check_error(text, &error),
        }
    }
});
