//! Grids of billions of points: indices beyond 2^31 and 2^32, in elements and in bytes.
//!
//! Grids are filled on the device from a formula, and a thousand elements are read back: the host computes them from
//! the formula. `AFFINIMATH_TEST_GRID_BYTES` is the size of a grid, cut to the device's largest allocation; without it
//! grids are small. `cargo test --release --test largest -- --nocapture` tells sizes and times.

mod common;

use std::sync::Arc;
use std::time::Instant;

use affinimath_core::scalar::Element;
use affinimath_opencl::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use affinimath_opencl::device::{DeviceClass, for_tests};
use affinimath_stencil::{
    Argument, Bound, DeviceGrid, DeviceSlice, Layout, Plan, Schedule, Span, Stencil, Strategy, Target,
};
use common::{Real, noise, parse};

/// Bytes of a grid where none are demanded.
const SMALL: u64 = 1 << 20;

/// Elements at which padded rows begin.
const ROW: usize = 32;

/// Samples that are chosen at random.
const RANDOM: u64 = 700;
const AT_FACES: u64 = 200;

const A: f64 = 0.375;
const B: f64 = 0.109375;

/// Exact in single precision. Shifts along any axis change most values.
const FORMULA: &str = "(x * y + 3 * y * z + 5 * z * x + 7 * x + 11 * z) % 1021";

fn formula([x, y, z]: [i64; 3]) -> f64 {
    // The language's remainder is never negative.
    (x * y + 3 * y * z + 5 * z * x + 7 * x + 11 * z).rem_euclid(1021) as f64 * 0.000_976_562_5
}

/// The taps of a star along each axis, in the order of the text.
fn star(radius: i64) -> Vec<[i64; 3]> {
    let by = |axis: usize, distance: i64| {
        let mut tap = [0; 3];
        tap[axis] = distance;
        tap
    };
    (1..=radius).flat_map(|distance| (0..3).flat_map(move |axis| [by(axis, -distance), by(axis, distance)])).collect()
}

/// A star of a radius, with the level before the last one where it is a wave.
#[derive(Clone, Copy, Debug)]
struct Star {
    radius: i64,
    is_wave: bool,
}

impl Star {
    fn stencil(self, kind: &str) -> Stencil {
        let tap = |[x, y, z]: [i64; 3]| {
            let of = |name: &str, by: i64| if by == 0 { name.to_owned() } else { format!("{name}{by:+}") };
            format!("u[{},{},{}; t]", of("x", x), of("y", y), of("z", z))
        };
        let taps: Vec<String> = star(self.radius).into_iter().map(tap).collect();
        let before = if self.is_wave { " - u[x,y,z; t-1]" } else { "" };
        parse(&format!(
            "stencil star {{
               domainsize = (1 .. nx, 1 .. ny, 1 .. nz);
               operation ({kind} grid u, {kind} param a, {kind} param b) {{
                 u[x,y,z; t+1] = a * u[x,y,z; t]{before} + b * ({});
               }}
               initial {{ u = {kind}({FORMULA}) * 0.0009765625; }}
             }}",
            taps.join(" + ")
        ))
    }

    /// The value at a point after some steps, from those in its reach before the first one.
    fn value<R: Real>(self, point: [i64; 3], lengths: &[usize], steps: u64) -> R {
        let reach = self.radius * steps as i64;
        let side = 2 * reach + 1;
        let index = |[x, y, z]: [i64; 3]| (((z + reach) * side + y + reach) * side + x + reach) as usize;
        let moved = |by: [i64; 3]| [0, 1, 2].map(|axis| point[axis] + by[axis]);
        let is_inside = |by: [i64; 3]| {
            moved(by).iter().zip(lengths).all(|(coordinate, &length)| (1..=length as i64).contains(coordinate))
        };
        let cube = |reach: i64| {
            let axis = move || -reach..=reach;
            axis().flat_map(move |z| axis().flat_map(move |y| axis().map(move |x| [x, y, z])))
        };
        let mut now: Vec<R> = cube(reach).map(|by| R::of(formula(moved(by)))).collect();
        let mut before = now.clone();
        let taps = star(self.radius);
        for step in 1..=steps as i64 {
            let mut next = now.clone();
            // Others keep their values: they lie beyond a face, or beyond the reach of what is left.
            for by in cube(reach - self.radius * step).filter(|by| is_inside(*by)) {
                let tap = |own: &[i64; 3]| now[index([0, 1, 2].map(|axis| by[axis] + own[axis]))];
                let sum = taps[1..].iter().fold(tap(&taps[0]), |sum, own| sum + tap(own));
                let centre = R::of(A) * tap(&[0; 3]);
                let centre = if self.is_wave { centre - before[index(by)] } else { centre };
                next[index(by)] = centre + R::of(B) * sum;
            }
            before = std::mem::replace(&mut now, next);
        }
        now[index([0; 3])]
    }
}

/// Rows without gaps, or those that begin at whole lines, as in a plan's own grids.
fn layout(bound: &Bound, is_padded: bool) -> Layout {
    let plain = bound.layout(0).expect("memory");
    if !is_padded {
        return plain;
    }
    let before = (bound.lower()[0] - plain.lower[0]) as usize;
    let row = plain.lengths[0].next_multiple_of(ROW);
    let strides = vec![1, row, row * plain.lengths[1]];
    Layout { strides, offset: ROW - before, ..plain }
}

/// Sizes with which a slice has nearly so many elements.
fn sizes(star: Star, elements: usize, is_padded: bool) -> [i64; 3] {
    let side = (elements as f64).cbrt() as usize;
    // A multiple of vectors' lengths along x: padded rows are loaded as vectors. The others divide no tile.
    let border = 2 * star.radius as usize;
    let nx = (side - border) / 4 * 4 - if is_padded { 0 } else { 1 };
    let ny = (side - border) | 1;
    let row = if is_padded { (nx + border).next_multiple_of(ROW) } else { nx + border };
    let planes = (elements - ROW) / (row * (ny + border));
    [nx as i64, ny as i64, (planes - border) as i64]
}

/// Corners, points around the multiples of 2^29 elements and points, at faces, and anywhere. Those of 2^31 and 2^32 are
/// among them, in elements and in bytes.
fn samples(layout: &Layout, lengths: &[usize]) -> Vec<[i64; 3]> {
    let [nx, ny, nz] = [0, 1, 2].map(|axis| lengths[axis] as i64);
    let clamped = |[x, y, z]: [i64; 3]| [x.clamp(1, nx), y.clamp(1, ny), z.clamp(1, nz)];
    let corner = |corner: i64| [(1, nx), (2, ny), (4, nz)].map(|(bit, n)| if corner & bit == 0 { 1 } else { n });
    let mut samples: Vec<[i64; 3]> = (0..8).map(corner).collect();
    let element = |index: i64| {
        let strides = [0, 1, 2].map(|axis| layout.strides[axis] as i64);
        let rest = index - layout.offset as i64;
        let (z, rest) = (rest / strides[2], rest % strides[2]);
        clamped([rest % strides[1] + layout.lower[0], rest / strides[1] + layout.lower[1], z + layout.lower[2]])
    };
    let number = |index: i64| clamped([index % nx + 1, index / nx % ny + 1, index / (nx * ny) + 1]);
    let (elements, points) = (layout.extent().expect("a size") as i64, nx * ny * nz);
    for multiple in (1..).map(|multiple| multiple << 29).take_while(|&multiple| multiple < elements) {
        samples.extend([-65, -1, 0, 1, 64].map(|by| element(multiple + by)));
        if multiple < points {
            samples.extend([-1, 0, 1].map(|by| number(multiple + by)));
        }
    }
    let random = |seed: u64| {
        let coordinate = |axis: usize| (noise(seed, &[axis as i64]) * 0.5 + 0.5) * lengths[axis] as f64;
        clamped([0, 1, 2].map(|axis| 1 + coordinate(axis) as i64))
    };
    samples.extend((0..RANDOM).map(random));
    // Values beyond faces are kept: neighbours read them.
    samples.extend((RANDOM..RANDOM + AT_FACES).map(|seed| {
        let (mut sample, axis) = (random(seed), seed as usize % 3);
        sample[axis] = if seed % 2 == 0 { 1 } else { lengths[axis] as i64 };
        sample
    }));
    samples
}

/// The levels of a grid.
struct Memory {
    queue: Queue,
    layout: Layout,
    levels: Vec<DeviceBuffer>,
}

/// All strategies on one memory have the host's values.
fn check<R: Real + Element>(context: &Arc<DeviceContext>, star: Star, bytes: u64, is_padded: bool) {
    let [nx, ny, nz] = sizes(star, bytes as usize / size_of::<R>(), is_padded);
    let stencil = star.stencil(R::KIND);
    let given = [("nx", nx), ("ny", ny), ("nz", nz)];
    let plan = || Plan::new(&stencil, Target::Device(context.clone()), &given).expect("a plan");
    let bound = plan().bound().clone();
    let layout = layout(&bound, is_padded);
    let extent = layout.extent().expect("a size");
    let level = || DeviceBuffer::new(context, extent * size_of::<R>(), "a level of a grid").expect("memory");
    let levels: Vec<DeviceBuffer> = (0..bound.levels(0)).map(|_| level()).collect();
    let memory = Memory { queue: Queue::new(context).expect("a queue"), layout, levels };
    let samples = samples(&memory.layout, bound.lengths());
    assert!(samples.len() >= 900, "{} samples", samples.len());
    let what = format!("{} of {nx} x {ny} x {nz}, {extent} elements, padded: {is_padded}", R::KIND);
    let mut fit = 0;
    for steps in [1, 3, 4] {
        let wanted: Vec<R> = samples.iter().map(|&sample| star.value(sample, bound.lengths(), steps)).collect();
        for strategy in strategies() {
            let label = strategy.as_ref().map_or("auto".to_owned(), ToString::to_string);
            let plan = match strategy {
                Some(strategy) => plan().with_strategy(strategy),
                None => Ok(plan()),
            };
            let Ok(plan) = plan else { continue };
            fit += 1;
            let start = Instant::now();
            let found = run::<R>(&plan, &memory, steps, &samples);
            let differ = found.iter().zip(&wanted).filter(|(found, wanted)| found != wanted).count();
            let first = (0..samples.len()).find(|&index| found[index] != wanted[index]);
            let first = first.map(|index| (samples[index], found[index], wanted[index]));
            assert_eq!(first, None, "{what}, {steps} steps, {label}: {differ} of {} samples differ", samples.len());
            println!("{star:?} {what}, {steps} steps, {label}: {} samples, {:.2?}", samples.len(), start.elapsed());
        }
    }
    // CPU devices have no tiles.
    let min_fit = if context.device().info().class == DeviceClass::Gpu { 24 } else { 9 };
    assert!(fit >= min_fit, "{what}: {fit} runs");
}

/// The plan's own choice, and strategies that fit GPUs, or any device.
fn strategies() -> Vec<Option<Strategy>> {
    let texts = [
        "naive",
        "stream:items=32x8,points=4x1,planes=64,unroll=2",
        "stream:items=32x8,points=4x2,planes=64,unroll=2",
        "stream:items=64x4,points=1x2,planes=100,unroll=1",
        "stream-local:items=8x4,points=4x1,planes=32,unroll=3",
        "overlap:steps=3,items=64x8,points=1x4,planes=128,unroll=2,prefetch=4",
        "overlap:steps=2,items=32x8,points=1x4,planes=128,unroll=2,prefetch=2",
    ];
    let loops = "strategy planes (domain u) {
      for t = 1 .. stencil.t_max
        for plane v in u(:; t) parallel
          for subdomain w(128, 8, 1) in v(:; t) parallel
            for point p in w(:; t)
              w[p; t+1] = stencil(w[p; t]);
    }";
    let named = texts.iter().map(|text| Some(text.parse::<Strategy>().expect("a strategy")));
    let loops = Schedule::parse(loops).expect("a strategy").into();
    [None].into_iter().chain(named).chain([Some(loops)]).collect()
}

/// A run from the formula's values, and the newest values at some samples.
fn run<R: Real + Element>(plan: &Plan, memory: &Memory, steps: u64, samples: &[[i64; 3]]) -> Vec<R> {
    let Memory { queue, layout, levels } = memory;
    let slices = vec![levels.iter().map(|buffer| DeviceSlice { buffer, offset: 0 }).collect()];
    let grids = [DeviceGrid { layout: layout.clone(), slices }];
    let span = Span { first: 0, steps: Some(steps), initial: true };
    let arguments = [Argument::from(A), Argument::from(B)];
    let enqueued = plan.enqueue(queue, &grids, &arguments, span).expect("a run");
    let outcome = enqueued.wait().expect("a run");
    let newest = &levels[outcome.newest[0]];
    let read = |sample: &[i64; 3]| {
        let mut value = [R::of(0.0)];
        newest.read_at(queue, layout.index(sample).expect("a point"), &mut value).expect("an element");
        value[0]
    };
    samples.iter().map(read).collect()
}

/// Bytes of a grid on a device, where so many grids are held.
fn bytes_of_grid(context: &DeviceContext, grids: u64) -> u64 {
    let demanded = std::env::var("AFFINIMATH_TEST_GRID_BYTES").map_or(SMALL, |text| {
        text.parse().unwrap_or_else(|_| panic!("AFFINIMATH_TEST_GRID_BYTES='{text}' is no number of bytes"))
    });
    let info = context.device().info();
    demanded.min(info.max_allocation_bytes).min(info.global_memory_bytes / 4 * 3 / grids)
}

fn on_all_devices(star: Star, is_double: bool) {
    for device in for_tests() {
        let context = DeviceContext::for_device(device).expect("a context");
        let bytes = bytes_of_grid(&context, if star.is_wave { 3 } else { 2 });
        for is_padded in [true, false] {
            match is_double {
                true if device.info().fp64 => check::<f64>(&context, star, bytes, is_padded),
                true => {}
                false => check::<f32>(&context, star, bytes, is_padded),
            }
        }
    }
}

#[test]
fn two_grids_in_single_precision_have_the_values_of_the_host() {
    on_all_devices(Star { radius: 1, is_wave: false }, false);
}

#[test]
fn two_grids_in_double_precision_have_the_values_of_the_host() {
    on_all_devices(Star { radius: 1, is_wave: false }, true);
}

#[test]
fn three_grids_of_a_wave_have_the_values_of_the_host() {
    on_all_devices(Star { radius: 2, is_wave: true }, false);
}
