//! Milliseconds of a step of an example on the host and on all devices, or on those whose name has a text, by
//! strategies, the plan's own one among them: `plan_speed FILE f32|f64 SIZE STEPS [DEVICE|host [STRATEGY…]]`.
//!
//! `floor` is the time of the bytes that a step moves at least, at the rate of a copy on the same device. The host's
//! copy stores past the caches. With `PROCESSOR_TIME` in the environment, times of the host are those of its threads,
//! by their number.

use std::time::Instant;

use affinimath_math::machine::{self, Call, Loop, Machine, Source, Vectors, entry_of};
use affinimath_opencl::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use affinimath_opencl::device::Device;
use affinimath_stencil::definition::Type;
use affinimath_stencil::{
    Argument, Field, GridSlices, Grids, Layout, Plan, Result, Slice, Span, Stencil, Strategy, Target,
};

const RUNS: usize = 6;

/// Seconds of the wall, or of all threads by their number.
fn seconds(start: Instant) -> f64 {
    if std::env::var_os("PROCESSOR_TIME").is_none() {
        return start.elapsed().as_secs_f64();
    }
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    1e-9 * nanoseconds.sum::<f64>() / affinimath_core::threads::available() as f64
}

/// Seconds until a first step is done, of a step in the best of some runs, and the bits of what a run leaves.
struct Measured {
    first: f64,
    step: f64,
    bits: u64,
}

fn fill(plan: &Plan, grids: &mut Grids) -> Result<()> {
    let stencil = plan.bound().stencil();
    for (grid, definition) in stencil.grids().iter().enumerate() {
        let mut field: Field = plan.bound().field(grid)?;
        let layout = field.layout().clone();
        field.fill(0, 0, |cell| {
            1e-3 * (cell.iter().enumerate().map(|(i, c)| c * (2 * i as i64 + 1)).sum::<i64>() % 64) as f64
        });
        for component in 0..definition.component_count() {
            for level in 0..plan.bound().levels(grid) {
                grids.upload(grid, component, level, &layout, &field.slices().slices[0][0])?;
            }
        }
    }
    Ok(())
}

/// A number made of the bits of all newest levels.
fn bits(plan: &Plan, grids: &mut Grids) -> Result<u64> {
    let mut hash = 0u64;
    for grid in 0..plan.bound().stencil().grids().len() {
        let mut field: Field = plan.bound().field(grid)?;
        let (layout, newest) = (field.layout().clone(), grids.newest(grid));
        let mut slices = field.slices();
        for component in 0..slices.slices.len() {
            grids.download(grid, component, newest, &layout, &mut slices.slices[component][0])?;
            let mut mix = |bits: u64| hash = (hash.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match &slices.slices[component][0] {
                Slice::F32(values) => values.iter().for_each(|value| mix(value.to_bits().into())),
                Slice::F64(values) => values.iter().for_each(|value| mix(value.to_bits())),
                Slice::I32(values) => values.iter().for_each(|value| mix(*value as u64)),
                Slice::I64(values) => values.iter().for_each(|value| mix(*value as u64)),
            }
        }
    }
    Ok(hash)
}

fn measure(plan: &Plan, steps: u64) -> Result<Measured> {
    let parameters = plan.bound().stencil().parameters().iter().filter(|parameter| parameter.values.is_none());
    let arguments: Vec<Argument> = parameters.map(|_| Argument::from(0.1)).collect();
    let start = Instant::now();
    let mut grids = plan.grids()?;
    plan.run_on(&mut grids, &arguments, Span { steps: Some(steps), ..Span::default() })?;
    let first = start.elapsed().as_secs_f64();
    fill(plan, &mut grids)?;
    let mut step = f64::INFINITY;
    for _ in 0..RUNS {
        let (origin, before) = (start, seconds(start));
        plan.run_on(&mut grids, &arguments, Span { steps: Some(steps), ..Span::default() })?;
        step = step.min((seconds(origin) - before) / steps as f64);
    }
    Ok(Measured { first, step, bits: bits(plan, &mut grids)? })
}

/// Bytes per second of a copy, both ways counted.
fn copy_rate(context: &std::sync::Arc<DeviceContext>) -> Option<f64> {
    let bytes = 1usize << 30;
    let zeros = |name| DeviceBuffer::zeros(context, bytes, name).ok();
    let (from, to) = (zeros("a copy's source")?, zeros("a copy's target")?);
    let queue = Queue::new(context).ok()?;
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        queue.finish().ok()?;
        let start = Instant::now();
        for _ in 0..10 {
            let _event = to.copy_from(&queue, 0, &from, 0, bytes).ok()?;
        }
        queue.finish().ok()?;
        best = best.min(start.elapsed().as_secs_f64() / 10.0);
    }
    Some(2.0 * bytes as f64 / best)
}

/// A copy past the caches.
struct Copy;

impl Loop for Copy {
    #[inline(always)]
    unsafe fn run<M: Machine>(m: M, call: &Call) {
        let (vectors, width) = (m.single(), <M::Single as Vectors>::WIDTH);
        for i in (0..call.n).step_by(width) {
            // SAFETY: both arrays have the elements, and begin at whole lines.
            unsafe {
                vectors.stream(call.to[0].cast::<f32>().add(i), vectors.load(call.from[0].at.cast::<f32>().add(i)))
            };
        }
    }
}

/// Bytes per second of a copy by all threads of the host, past the caches, both ways counted.
fn host_copy_rate() -> Result<f64> {
    const BLOCK: usize = 64 * 1024;
    let blocks = (1usize << 27) / BLOCK;
    let layout = Layout::contiguous(vec![0], vec![blocks * BLOCK + 16]);
    let mut field = Field::zeros(Type::F32, layout, 1, 2)?;
    field.fill(0, 0, |_| 1.0);
    let mut grid = field.slices();
    let start = |level: usize, grid: &mut GridSlices<'_>| match &mut grid.slices[0][level] {
        Slice::F32(values) => values.as_mut_ptr() as usize + 4 * values.as_ptr().align_offset(64),
        _ => unreachable!("the field has this type"),
    };
    let (from, to) = (start(0, &mut grid), start(1, &mut grid));
    let copy = entry_of::<Copy, _>(pulp::Arch::new());
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let (start, before) = (Instant::now(), seconds(Instant::now()));
        let before = if std::env::var_os("PROCESSOR_TIME").is_none() { 0.0 } else { before };
        affinimath_core::threads::for_each(blocks, |block| {
            let at = |start: usize| (start + block * BLOCK * size_of::<f32>()) as *mut u8;
            let none = [std::ptr::null_mut(); 3];
            let to = [at(to), none[0], none[1], none[2]];
            let call = Call { n: BLOCK, to, from: [Source { at: at(from), step: 1 }; 4] };
            // SAFETY: the field lives until all blocks are done, and blocks are apart.
            unsafe { copy(&call) };
            machine::fence();
        });
        best = best.min(seconds(start) - before);
    }
    Ok(2.0 * (blocks * BLOCK * size_of::<f32>()) as f64 / best)
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let (Some([_, path, kind, size, steps]), filter) = (words.first_chunk::<5>(), words.get(5)) else {
        eprintln!("plan_speed FILE f32|f64 SIZE STEPS [DEVICE|host [STRATEGY…]]");
        std::process::exit(2);
    };
    let mut text = std::fs::read_to_string(path).expect("a stencil's file");
    if kind == "f64" {
        text = text.replace("float", "double");
    }
    let (size, steps) = (size.parse().expect("a size"), steps.parse().expect("a number of steps"));
    let stencil = Stencil::parse(&text)?;
    let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|symbol| (symbol, size)).collect();
    let show = |place: &str, plan: &Plan, rate: Option<f64>, wanted: Option<u64>| -> Result<u64> {
        let Measured { first, step, bits } = measure(plan, steps)?;
        let bytes = plan.bound().facts().bytes as f64 * plan.bound().points() as f64;
        let floor = rate.map_or_else(String::new, |rate| format!(", {:.2} of the floor", bytes / rate / step));
        let same = if wanted.is_none_or(|wanted| wanted == bits) { "" } else { ", OTHER BITS" };
        let points = 1e-9 * plan.bound().points() as f64 / step;
        println!(
            "{} {kind} {size} on {place}, {}: first {first:.3} s, {:.4} ms a step, {points:.1} Gpoint/s{floor}{same}",
            stencil.name(),
            plan.strategy(),
            1e3 * step
        );
        Ok(bits)
    };
    let devices = Device::all().unwrap_or_default();
    for device in devices.iter().filter(|device| filter.is_none_or(|name| device.info().name.contains(name))) {
        let context = DeviceContext::for_device(device).expect("a context");
        let rate = copy_rate(&context);
        println!("{}: a copy moves {:.0} GB/s", device.info().name, 1e-9 * rate.unwrap_or(0.0));
        let plan = || Plan::new(&stencil, Target::Device(context.clone()), &sizes);
        let wanted = show(&device.info().name, &plan()?.with_strategy(Strategy::Naive)?, rate, None)?;
        let own = plan()?;
        if own.strategy() != Strategy::Naive {
            show(&device.info().name, &own, rate, Some(wanted))?;
        }
        for strategy in words.iter().skip(6) {
            let plan = strategy.parse().and_then(|strategy| plan()?.with_strategy(strategy));
            let shown = plan.and_then(|plan| show(&device.info().name, &plan, rate, Some(wanted)));
            if let Err(error) = shown {
                println!("{strategy}: {error}");
            }
        }
    }
    if filter.is_none_or(|name| name == "host") {
        let rate = host_copy_rate()?;
        println!("the host: a copy moves {:.1} GB/s", 1e-9 * rate);
        let plan = || Plan::new(&stencil, Target::Host, &sizes);
        let wanted = show("the host", &plan()?.with_strategy(Strategy::Naive)?, Some(rate), None)?;
        let own = plan()?;
        if own.strategy() != Strategy::Naive {
            show("the host", &own, Some(rate), Some(wanted))?;
        }
        for strategy in words.iter().skip(6) {
            let plan = plan()?.with_strategy(strategy.parse()?)?;
            show("the host", &plan, Some(rate), Some(wanted))?;
        }
    }
    Ok(())
}
