//! Milliseconds of a step of an example on the host and on all devices, or on those whose name has a text:
//! `plan_speed FILE f32|f64 SIZE STEPS [DEVICE]`. The first number is that of a plan, its grids and a first step.

use std::time::Instant;

use affinimath_opencl::context::DeviceContext;
use affinimath_opencl::device::Device;
use affinimath_stencil::{Argument, Field, Plan, Result, Span, Stencil, Target};

/// Seconds until a first step is done, and of a step in the best of some runs.
fn measure(stencil: &Stencil, target: Target, sizes: &[(&str, i64)], steps: u64) -> Result<[f64; 2]> {
    let parameters = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let arguments: Vec<Argument> = parameters.map(|_| Argument::from(0.1)).collect();
    let start = Instant::now();
    let plan = Plan::new(stencil, target, sizes)?;
    let mut grids = plan.grids()?;
    plan.run_on(&mut grids, &arguments, Span { steps: Some(1), ..Span::default() })?;
    let first = start.elapsed().as_secs_f64();
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
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = Instant::now();
        plan.run_on(&mut grids, &arguments, Span { steps: Some(steps), ..Span::default() })?;
        best = best.min(start.elapsed().as_secs_f64() / steps as f64);
    }
    Ok([first, best])
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let (Some([_, path, kind, size, steps]), filter) = (words.first_chunk::<5>(), words.get(5)) else {
        eprintln!("plan_speed FILE f32|f64 SIZE STEPS [DEVICE]");
        std::process::exit(2);
    };
    let mut text = std::fs::read_to_string(path).expect("a stencil's file");
    if kind == "f64" {
        text = text.replace("float", "double");
    }
    let (size, steps) = (size.parse().expect("a size"), steps.parse().expect("a number of steps"));
    let stencil = Stencil::parse(&text)?;
    let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|symbol| (symbol, size)).collect();
    let show = |place: &str, [first, best]: [f64; 2]| {
        println!("{} {kind} {size} on {place}: first {first:.3} s, {:.3} ms a step", stencil.name(), 1e3 * best);
    };
    let devices = Device::all().unwrap_or_default();
    for device in devices.iter().filter(|device| filter.is_none_or(|name| device.info().name.contains(name))) {
        let context = DeviceContext::for_device(device).expect("a context");
        show(&device.info().name, measure(&stencil, Target::Device(context), &sizes, steps)?);
    }
    if filter.is_none() {
        show("the host", measure(&stencil, Target::Host, &sizes, steps)?);
    }
    Ok(())
}
