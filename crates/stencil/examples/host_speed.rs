//! Milliseconds of a step of some examples by the host evaluator: `host_speed NAME f32|f64 SIZE STEPS`.

use std::time::Instant;

use affinimath_stencil::host::Host;
use affinimath_stencil::{Argument, Field, GridSlices, Result, Span, Stencil};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, name, kind, size, steps] = &words[..] else {
        eprintln!("host_speed NAME f32|f64 SIZE STEPS");
        std::process::exit(2);
    };
    let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(path).expect("an example's name");
    if kind == "f64" {
        text = text.replace("float", "double");
    }
    let (size, steps) = (size.parse().expect("a size"), steps.parse().expect("a number of steps"));
    let stencil = Stencil::parse(&text)?;
    let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|symbol| (symbol, size)).collect();
    let host = Host::new(&stencil, &sizes)?;
    let mut fields: Vec<Field> = (0..stencil.grids().len()).map(|grid| host.field(grid)).collect::<Result<_>>()?;
    for (grid, field) in fields.iter_mut().enumerate() {
        for component in 0..stencil.grids()[grid].component_count() {
            for level in 0..host.levels(grid) {
                field.fill(component, level, |cell| 1e-3 * (cell.iter().sum::<i64>() % 64) as f64);
            }
        }
    }
    let parameters = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let arguments: Vec<Argument> = parameters.map(|_| Argument::from(0.1)).collect();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
        let start = Instant::now();
        host.run(&mut grids, &arguments, Span { steps: Some(steps), ..Span::default() })?;
        best = best.min(start.elapsed().as_secs_f64() / steps as f64);
    }
    println!("{name} {kind} {size} {:.3} ms", 1e3 * best);
    Ok(())
}
