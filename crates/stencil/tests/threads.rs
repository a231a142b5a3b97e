//! Threads: one plan from several of them, and plans on queues of their own in one context.

mod common;

use std::sync::{Arc, Barrier};
use std::thread;

use affinimath_opencl::context::{BufferParts, DeviceBuffer, Queue, QueueParts};
use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{
    Argument, Bound, DeviceGrid, DeviceSlice, Field, GridSlices, Outcome, Plan, Span, Stencil, Target,
};
use common::devices::{contents, targets};
use common::{noise, parse};

/// Weights of a parameter with several elements, a reduction, faces, and a check of ranges.
fn stencil(name: &str) -> Stencil {
    parse(&format!(
        "stencil {name} {{
           domainsize = (1 .. n, 1 .. m);
           operation (double grid u, double param c[0 .. 3], double result most) {{
             u[x,y; t+1] = c[x % 4] * (u[x-1,y; t] + u[x+1,y; t]) + c[y % 4] * u[x,y-1; t];
             most = max(u[x,y; t+1]);
           }}
           boundary {{ u: x = periodic; y = clamp; }}
         }}"
    ))
}

const SIZES: [(&str, i64); 2] = [("n", 37), ("m", 9)];
const THREADS: usize = 4;
const ROUNDS: usize = 12;

fn span(thread: usize) -> Span {
    Span { steps: Some(3 + thread as u64), ..Span::default() }
}

/// A thread's start and parameters.
fn operands(bound: &Bound, thread: usize) -> (Field, Vec<Argument>) {
    let mut field = bound.field(0).expect("memory");
    field.fill(0, 0, |cell| noise(thread as u64 + 1, cell));
    let weights = (0..4).map(|index| 0.2 * noise(thread as u64 + 90, &[index]));
    (field, vec![weights.collect::<Vec<f64>>().into()])
}

fn expected(bound: &Bound, thread: usize) -> (Outcome, Vec<u64>) {
    let (mut field, arguments) = operands(bound, thread);
    let outcome = evaluate(bound, &mut [field.slices()], &arguments, span(thread)).expect("a run");
    (outcome, contents(&mut field))
}

/// The same work in all threads at once.
fn at_once(work: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (barrier, work) = (&barrier, &work);
            scope.spawn(move || {
                barrier.wait();
                work(thread);
            });
        }
    });
}

#[test]
fn threads_share_a_plan() {
    let stencil = stencil("shared");
    for target in targets() {
        let plan = Plan::new(&stencil, target, &SIZES).expect("a plan");
        at_once(|thread| {
            let wanted = expected(plan.bound(), thread);
            for _ in 0..ROUNDS {
                let (mut field, arguments) = operands(plan.bound(), thread);
                let mut grids: Vec<GridSlices<'_>> = vec![field.slices()];
                let outcome = plan.run(&mut grids, &arguments, span(thread)).expect("a run");
                assert!((outcome, contents(&mut field)) == wanted, "thread {thread} on {:?}", plan.target());
            }
        });
    }
}

/// A grid's two levels in buffers of one's own, with a thread's start.
fn buffers(plan: &Plan, queue: &Queue, thread: usize) -> [DeviceBuffer; 2] {
    let (field, _) = operands(plan.bound(), thread);
    [0, 1].map(|level| {
        let values = field.values(0, level);
        let buffer = DeviceBuffer::new(queue.context(), values.len() * 8, "a test").expect("memory");
        buffer.write(queue, &values).expect("a write");
        buffer
    })
}

/// Runs of a plan on a queue, several of them behind each other before anybody waits.
fn enqueue_rounds(plan: &Plan, queue: &Queue, thread: usize) {
    let (wanted, memory) = expected(plan.bound(), thread);
    let (_, arguments) = operands(plan.bound(), thread);
    let layout = plan.bound().layout(0).expect("memory");
    let all: Vec<_> = (0..ROUNDS).map(|_| buffers(plan, queue, thread)).collect();
    let runs: Vec<_> = all
        .iter()
        .map(|levels| {
            let slices = vec![levels.iter().map(|buffer| DeviceSlice { buffer, offset: 0 }).collect()];
            let grids = [DeviceGrid { layout: layout.clone(), slices }];
            plan.enqueue(queue, &grids, &arguments, span(thread)).expect("a run")
        })
        .collect();
    for (run, levels) in runs.into_iter().zip(&all) {
        assert_eq!(run.wait().expect("an end"), wanted, "thread {thread}");
        let mut found = vec![0.0f64; layout.extent().expect("a size")];
        let newest = wanted.newest[0];
        levels[newest].read(queue, &mut found).expect("a read");
        let expected = &memory[newest * found.len()..][..found.len()];
        assert!(found.iter().map(|value| value.to_bits()).eq(expected.iter().copied()), "thread {thread}");
    }
}

#[test]
fn threads_enqueue_on_queues_of_their_own() {
    let shared = stencil("enqueued");
    for target in targets() {
        let Target::Device(context) = &target else { continue };
        let plan = Arc::new(Plan::new(&shared, target.clone(), &SIZES).expect("a plan"));
        // One plan in half of the threads, plans of their own in the others.
        at_once(|thread| {
            let (first, second) = (Queue::new(context).expect("a queue"), Queue::second(context).expect("a queue"));
            let queue = if thread < 2 { &first } else { &second };
            match thread % 2 {
                0 => enqueue_rounds(&plan, queue, thread),
                _ => {
                    let own = Plan::new(&stencil(&format!("own_{thread}")), target.clone(), &SIZES).expect("a plan");
                    enqueue_rounds(&own, queue, thread);
                }
            }
        });
    }
}

/// A run that reads outside a range fails alone: those of other threads go on.
#[test]
fn a_failure_is_that_of_its_run() {
    let lookup = parse(
        "stencil lookup {
           domainsize = (1 .. n);
           operation (double grid u, double param c[0 .. 3]) { u[x; t+1] = c[t] * u[x; t]; }
         }",
    );
    for target in targets() {
        let plan = Plan::new(&lookup, target, &[("n", 300)]).expect("a plan");
        at_once(|thread| {
            for _ in 0..ROUNDS {
                let mut field = plan.bound().field(0).expect("memory");
                field.fill(0, 0, |_| 1.0);
                let steps = if thread % 2 == 0 { 4 } else { 5 };
                let span = Span { steps: Some(steps), ..Span::default() };
                let outcome = plan.run(&mut [field.slices()], &[vec![2.0, 3.0, 4.0, 5.0].into()], span);
                match outcome {
                    Ok(outcome) => {
                        let found = field.get(0, outcome.newest[0], &[300]).expect("a point").as_f64();
                        assert_eq!((steps, found), (4, 120.0));
                    }
                    Err(error) => assert!(steps == 5 && error.reason.contains("reads outside"), "{steps}: {error}"),
                }
            }
        });
    }
}
