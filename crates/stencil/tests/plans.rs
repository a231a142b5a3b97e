//! Plans: an application's buffers, grids of their own, errors that change nothing, texts.

mod common;

use affinimath_opencl::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use affinimath_opencl::device::for_tests;
use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{
    Bound, DeviceGrid, DeviceSlice, Field, GridSlices, Language, Layout, Plan, Slice, Span, Stencil, Target, Value,
};
use common::devices::targets;
use common::{noise, parse};
use std::sync::Arc;

fn contexts() -> Vec<Arc<DeviceContext>> {
    for_tests().iter().map(|device| DeviceContext::for_device(device).expect("a context")).collect()
}

fn wave() -> Stencil {
    parse(
        "stencil wave {
           domainsize = (1 .. n, 1 .. m);
           operation (double grid u, const double grid c, double param k, double result most) {
             u[x,y; t+1] = 2 * u[x,y; t] - u[x,y; t-1]
               + k * c[x,y] * (u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t]);
             most = max(u[x,y; t+1]);
           }
           boundary { u: x = periodic; }
         }",
    )
}

/// The value of a level's point before the first step.
fn start(level: usize, cell: &[i64]) -> f64 {
    noise(level as u64 + 7, cell)
}

/// The reference's newest level after some steps, and its result.
fn reference(bound: &Bound, steps: u64) -> (Vec<f64>, f64) {
    let mut fields: Vec<Field> = (0..2).map(|grid| bound.field(grid).expect("memory")).collect();
    for level in 0..3 {
        fields[0].fill(0, level, |cell| start(level, cell));
    }
    fields[1].fill(0, 0, |cell| 1.0 + noise(3, cell));
    let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
    let span = Span { steps: Some(steps), ..Span::default() };
    let outcome = evaluate(bound, &mut grids, &[0.25.into()], span).expect("a run");
    let most = outcome.results[0].expect("a step").as_f64();
    let layout = bound.layout(0).expect("memory");
    let all = points(&layout);
    let newest = outcome.newest[0];
    (all.iter().map(|cell| fields[0].get(0, newest, cell).expect("memory").as_f64()).collect(), most)
}

fn points(layout: &Layout) -> Vec<Vec<i64>> {
    let ranges: Vec<_> =
        layout.lower.iter().zip(&layout.lengths).map(|(&first, &length)| first..=first + length as i64 - 1).collect();
    common::points(&ranges)
}

/// All levels interleaved in one buffer with canaries between points, gaps and offsets; corners that no tap reads are
/// NaN.
#[test]
fn an_application_s_buffers_are_used_where_they_lie() {
    for context in contexts() {
        let queue = Queue::new(&context).expect("a queue");
        let plan = Plan::new(&wave(), Target::Device(context.clone()), &[("n", 13), ("m", 6)]).expect("a plan");
        let plain = plan.bound().layout(0).expect("memory");
        let layout = Layout { strides: vec![4, 4 * 21], offset: 8, ..plain.clone() };
        let extent = layout.extent().expect("a size");
        let canary = -12345.0;
        let mut memory = vec![canary; extent + 40];
        let all = points(&plain);
        let is_corner = |cell: &[i64]| (cell[0] < 1 || cell[0] > 13) && (cell[1] < 1 || cell[1] > 6);
        for level in 0..3 {
            for cell in &all {
                let value = if is_corner(cell) { f64::NAN } else { start(level, cell) };
                memory[3 + level + layout.index(cell).expect("memory")] = value;
            }
        }
        let u = DeviceBuffer::new(&context, memory.len() * 8, "a test").expect("memory");
        u.write(&queue, &memory).expect("a write");
        let constant = plan.bound().layout(1).expect("memory");
        let values: Vec<f64> = points(&constant).iter().map(|cell| 1.0 + noise(3, cell)).collect();
        let c = DeviceBuffer::new(&context, values.len() * 8, "a test").expect("memory");
        c.write(&queue, &values).expect("a write");

        let slices = vec![(0..3).map(|level| DeviceSlice { buffer: &u, offset: 3 + level }).collect()];
        let grids = [
            DeviceGrid { layout: layout.clone(), slices },
            DeviceGrid { layout: constant, slices: vec![vec![DeviceSlice { buffer: &c, offset: 0 }]] },
        ];
        let span = Span { steps: Some(4), ..Span::default() };
        let enqueued = plan.enqueue(&queue, &grids, &[0.25.into()], span).expect("a run");
        assert_eq!((enqueued.steps(), enqueued.newest()), (4, &[2, 0][..]));
        let newest = enqueued.newest()[0];
        let outcome = enqueued.wait().expect("an end");
        let (wanted, most) = reference(plan.bound(), 4);
        assert_eq!(outcome.results, [Some(Value::F64(most))]);
        let mut found = vec![0.0; memory.len()];
        u.read(&queue, &mut found).expect("a read");
        for (cell, wanted) in all.iter().zip(wanted) {
            let value = found[3 + newest + layout.index(cell).expect("memory")];
            assert!(is_corner(cell) || value == wanted, "{cell:?}: {value} instead of {wanted}");
        }
        for (at, (value, before)) in found.iter().zip(&memory).enumerate() {
            assert!(*before != canary || *value == canary, "the canary at {at} is {value}");
        }
    }
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    for context in contexts() {
        let queue = Queue::new(&context).expect("a queue");
        let plan = Plan::new(&wave(), Target::Device(context.clone()), &[("n", 4), ("m", 4)]).expect("a plan");
        let layouts = [0, 1].map(|grid| plan.bound().layout(grid).expect("memory"));
        let bytes = layouts[0].extent().expect("a size") * 8;
        let buffers: Vec<DeviceBuffer> =
            (0..4).map(|_| DeviceBuffer::zeros(&context, bytes, "a test").expect("memory")).collect();
        let grids = |levels: [(usize, usize); 3]| {
            let slice = |(buffer, offset): (usize, usize)| DeviceSlice { buffer: &buffers[buffer], offset };
            [
                DeviceGrid { layout: layouts[0].clone(), slices: vec![levels.map(slice).to_vec()] },
                DeviceGrid { layout: layouts[1].clone(), slices: vec![vec![slice((3, 0))]] },
            ]
        };
        let span = Span { steps: Some(1), ..Span::default() };
        let reason = |grids: &[DeviceGrid<'_>]| {
            plan.enqueue(&queue, grids, &[0.25.into()], span).expect_err("buffers that do not fit").reason
        };
        assert_eq!(reason(&grids([(0, 0), (1, 0), (2, 1)])), "'u' needs 37 elements, and a buffer has 36");
        assert_eq!(reason(&grids([(0, 0), (1, 0), (1, 0)])), "slices of 'u' and 'u' overlap in memory");
        assert_eq!(reason(&grids([(0, 0), (1, 0), (3, 0)])), "slices of 'u' and 'c' overlap in memory");
        assert_eq!(reason(&grids([(0, 0), (1, 0), (2, 0)])[..1]), "2 grids are wanted, and 1 are given");
        let mut overlapping = grids([(0, 0), (1, 0), (2, 0)]);
        overlapping[0].layout.strides = vec![1, 2];
        assert_eq!(reason(&overlapping), "points of 'u' overlap in memory: its strides are too small");
        let missing = plan.enqueue(&queue, &grids([(0, 0), (1, 0), (2, 0)]), &[], span).expect_err("a parameter");
        assert_eq!(missing.reason, "the parameter 'k' is missing");
        let host = Plan::new(&wave(), Target::Host, &[("n", 4), ("m", 4)]).expect("a plan");
        let error = host.enqueue(&queue, &grids([(0, 0), (1, 0), (2, 0)]), &[0.25.into()], span).expect_err("a host");
        assert_eq!(error.reason, "the plan is the host's: it does not run on a device's buffers");
    }
}

/// Reads outside of ranges are told by the end of a run, and leave the plan as it is.
#[test]
fn an_enqueued_run_tells_its_failure_at_its_end() {
    let stencil = parse(
        "stencil lookup {
           domainsize = (1 .. n);
           operation (double grid u, double param c[0 .. 3]) { u[x; t+1] = c[x + t] * u[x; t]; }
         }",
    );
    for context in contexts() {
        let queue = Queue::new(&context).expect("a queue");
        let plan = Plan::new(&stencil, Target::Device(context.clone()), &[("n", 3)]).expect("a plan");
        let buffers = [0, 1].map(|_| DeviceBuffer::zeros(&context, 24, "a test").expect("memory"));
        let layout = plan.bound().layout(0).expect("memory");
        let slices = vec![buffers.iter().map(|buffer| DeviceSlice { buffer, offset: 0 }).collect()];
        let grids = [DeviceGrid { layout, slices }];
        let run = |steps: u64| {
            let span = Span { steps: Some(steps), ..Span::default() };
            plan.enqueue(&queue, &grids, &[vec![1.0, 2.0, 3.0, 4.0].into()], span).expect("a run").wait()
        };
        assert!(run(1).is_ok());
        let error = run(2).expect_err("c[4]");
        assert_eq!(error.reason, "a point of stage 1 reads outside the range of a parameter");
        assert!(run(1).is_ok());
    }
}

#[test]
fn a_plan_s_grids_go_on_from_run_to_run() {
    for target in targets() {
        let plan = Plan::new(&wave(), target.clone(), &[("n", 37), ("m", 5)]).expect("a plan");
        let mut grids = plan.grids().expect("memory");
        let row = grids.layout(0).strides[1] * 8;
        let first = grids.layout(0).index(&[1, 1]).expect("memory") * 8;
        assert_eq!((row % 128, first % 128), (0, 0));
        let mut levels: Vec<Field> = (0..2).map(|grid| plan.bound().field(grid).expect("memory")).collect();
        for level in 0..3 {
            levels[0].fill(0, level, |cell| start(level, cell));
        }
        levels[1].fill(0, 0, |cell| 1.0 + noise(3, cell));
        for (grid, field) in levels.iter_mut().enumerate() {
            let layout = field.layout().clone();
            for (level, slice) in field.slices().slices[0].iter().enumerate() {
                grids.upload(grid, 0, level, &layout, slice).expect("a copy");
            }
        }
        for (steps, sum) in [(2, 2), (0, 2), (3, 5), (1, 6)] {
            let span = Span { steps: Some(steps), ..Span::default() };
            let outcome = plan.run_on(&mut grids, &[0.25.into()], span).expect("a run");
            assert_eq!(outcome.newest, [1, 0]);
            let layout = plan.bound().layout(0).expect("memory");
            let mut found = vec![0.0; layout.extent().expect("a size")];
            grids.download(0, 0, outcome.newest[0], &layout, &mut Slice::F64(&mut found)).expect("a copy");
            let (wanted, _) = reference(plan.bound(), sum);
            let differing = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
            assert_eq!(differing, None, "{target:?} after {sum} steps");
        }
        let other = Plan::new(&wave(), target.clone(), &[("n", 36), ("m", 5)]).expect("a plan");
        let error = other.run_on(&mut grids, &[0.25.into()], Span { steps: Some(1), ..Span::default() });
        assert_eq!(error.expect_err("other grids").reason, "the grids are those of another plan");
        let mut short = vec![0.0; 3];
        let layout = plan.bound().layout(0).expect("memory");
        let error = grids.download(0, 0, 0, &layout, &mut Slice::F64(&mut short)).expect_err("a short slice");
        assert_eq!(error.reason, "the layout needs 273 elements, and a slice has 3");
        assert!(grids.download(0, 0, 3, &layout, &mut Slice::F64(&mut short)).is_err());
        assert!(grids.download(0, 1, 0, &layout, &mut Slice::F64(&mut short)).is_err());
        assert!(grids.download(2, 0, 0, &layout, &mut Slice::F64(&mut short)).is_err());
    }
}

#[test]
fn refused_runs_change_nothing() {
    for target in targets() {
        let plan = Plan::new(&wave(), target, &[("n", 4), ("m", 4)]).expect("a plan");
        let mut fields: Vec<Field> = (0..2).map(|grid| plan.bound().field(grid).expect("memory")).collect();
        fields[0].fill(0, 0, |cell| noise(1, cell));
        let before = fields.clone();
        let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
        let span = Span { steps: Some(1), initial: true, ..Span::default() };
        assert!(plan.run(&mut grids, &[], span).is_err());
        assert!(plan.run(&mut grids, &[0.5.into(), 0.5.into()], span).is_err());
        assert!(plan.run(&mut grids, &[0.5.into()], Span::default()).is_err());
        assert!(plan.run(&mut grids[..1], &[0.5.into()], span).is_err());
        assert!(fields == before);
    }
    let far = parse(
        "stencil far {
           domainsize = (1 .. n);
           operation (double grid u) { u[x; t+1] = u[x-3; t]; }
           boundary { u: x = reflect; }
         }",
    );
    for target in targets() {
        let reason = Plan::new(&far, target.clone(), &[("n", 2)]).map(drop).expect_err("a small domain").reason;
        assert!(reason.starts_with("the domain has 2 points on x, and the boundary of 'u' needs 4"), "{reason}");
        assert!(Plan::new(&far, target, &[("m", 2)]).is_err());
    }
}

#[test]
fn texts_and_descriptions_name_all_passes() {
    for target in targets() {
        let plan = Plan::new(&wave(), target, &[("n", 40), ("m", 30)]).expect("a plan");
        for (language, word) in
            [(Language::OpenCl, "__kernel"), (Language::Cuda, "__global__"), (Language::C99, "omp parallel")]
        {
            let text = plan.source(language).expect("a text");
            for pass in ["wave_stage_0", "wave_new_faces_0_0_0", "wave_strips_0", "wave_tree_0"] {
                assert!(text.contains(word) && text.contains(pass), "{language:?}: no {pass} in\n{text}");
            }
        }
        let text = plan.explain();
        for line in ["wave on 40 x 30 points", "11 flops", "1 x 3 slices", "face     u[0] x-: periodic", "most: max"] {
            assert!(text.contains(line), "no '{line}' in\n{text}");
        }
    }
}
