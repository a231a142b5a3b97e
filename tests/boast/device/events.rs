//! Time of a launch by the events of a queue that profiles.

use std::time::Instant;

use affinimath::kernel::{Index, Kernel};
use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Event, Queue};
use affinimath_opencl::device::for_tests;
use affinimath_opencl::launch::Launch;
use affinimath_opencl::program::GeneratedSource;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};

/// A kernel that takes a millisecond or more: a chain of products for each work-item.
fn chain() -> Kernel {
    Kernel::build("chain", |k| {
        let rounds = k.argument::<Index>("rounds");
        let x = k.in_out::<f32>("x");
        let i = k.global_id(0);
        let value = k.var("value", x.at(i));
        k.range(0, rounds).each("round", |_| value.set(value.get() * 0.999_f32 + 0.5_f32));
        x.store(i, value);
    })
    .unwrap()
}

/// The events of an application's queue are those of the library's launches, and their times those of the clock.
#[test]
fn a_profiling_queue_times_launches_as_the_clock_does() {
    for device in for_tests() {
        let context = DeviceContext::for_device(device).unwrap();
        let own = CommandQueue::create_default(context.handle(), CL_QUEUE_PROFILING_ENABLE).unwrap();
        // SAFETY: the handle is that of a queue, which lives as long.
        let queue = unsafe { Queue::from_raw(own.get()) }.unwrap();
        let context = queue.context();
        let buffer = DeviceBuffer::new(context, 4 * 1024, "a test").unwrap();
        buffer.write(&queue, &[1.0_f32; 1024]).unwrap();
        let program = context.generated_program(&GeneratedSource::from(&chain())).unwrap();
        let run = |rounds: usize| {
            let begin = Instant::now();
            let launch = Launch::new(&queue, &program, "chain").index(rounds).buffer(&buffer);
            let Event::Pending(event) = launch.enqueue([16, 1, 1], [64, 1, 1]).unwrap() else { panic!("no event") };
            event.wait().unwrap();
            let clock = begin.elapsed().as_secs_f64();
            let (start, end) = (event.profiling_command_start().unwrap(), event.profiling_command_end().unwrap());
            (clock, (end - start) as f64 * 1e-9)
        };
        let mut rounds = 1000;
        while run(rounds).1 < 1e-3 && rounds < 1 << 30 {
            rounds *= 2;
        }
        // The clock also has what other programs take of the processor: the nearest of many pairs counts.
        let nearest = (0..50).map(|_| run(rounds)).map(|(clock, event)| (clock / event - 1.0).abs());
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(nearest <= 0.2, "{}: event and clock differ by {nearest}", device.info().name);
    }
}
