//! Milliseconds of a step of an example on the host and on all devices: `plan_speed NAME f32|f64 SIZE STEPS`.

use std::time::Instant;

use affinimath_opencl::context::DeviceContext;
use affinimath_opencl::device::Device;
use affinimath_stencil::{Argument, Field, Plan, Result, Span, Stencil, Target};

/// The best time of a step in some runs.
fn measure(stencil: &Stencil, target: Target, sizes: &[(&str, i64)], steps: u64) -> Result<f64> {
    let plan = Plan::new(stencil, target, sizes)?;
    let mut grids = plan.grids()?;
    for (grid, definition) in stencil.grids().iter().enumerate() {
        let mut field: Field = plan.bound().field(grid)?;
        let layout = field.layout().clone();
        field.fill(0, 0, |cell| 1e-3 * (cell.iter().sum::<i64>() % 64) as f64);
        for component in 0..definition.component_count() {
            for level in 0..plan.bound().levels(grid) {
                grids.upload(grid, component, level, &layout, &field.slices().slices[0][0])?;
            }
        }
    }
    let parameters = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let arguments: Vec<Argument> = parameters.map(|_| Argument::from(0.1)).collect();
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = Instant::now();
        plan.run_on(&mut grids, &arguments, Span { steps: Some(steps), ..Span::default() })?;
        best = best.min(start.elapsed().as_secs_f64() / steps as f64);
    }
    Ok(best)
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, name, kind, size, steps] = &words[..] else {
        eprintln!("plan_speed NAME f32|f64 SIZE STEPS");
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
    let devices = Device::all().unwrap_or_default();
    for device in devices {
        let context = DeviceContext::for_device(device).expect("a context");
        let seconds = measure(&stencil, Target::Device(context), &sizes, steps)?;
        println!("{name} {kind} {size} on {}: {:.3} ms", device.info().name, 1e3 * seconds);
    }
    let seconds = measure(&stencil, Target::Host, &sizes, steps)?;
    println!("{name} {kind} {size} on the host: {:.3} ms", 1e3 * seconds);
    Ok(())
}
