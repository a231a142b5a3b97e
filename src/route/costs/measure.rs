//! The rates of a machine, measured in some tens of milliseconds.

use std::sync::Arc;
use std::time::Instant;

use crate::blas::level2::product::Product;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Queue, QueueParts};
use crate::device::Device;
use crate::error::Result;
use crate::host;
use crate::launch::Launch;
use crate::options::{Layout, Op};
use crate::program::{Program, ProgramSource, source};
use crate::route::dispatch::{on_host, on_host_mut};
use crate::scalar::Scalar;
use crate::transfer::VectorOnDevice;
use crate::tuning::machine::Machine;
use crate::tuning::model::Bus;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, VectorShape};

/// The orders of the host's products: for one thread, for all of them, and large enough for their full rate. Some
/// milliseconds on a few cores.
const ORDERS: [usize; 3] = [96, 256, 640];
/// Elements of what the host reads and the bus carries, 8 MiB in single precision.
const LENGTH: usize = 2 << 20;
/// Elements of the smallest transfer, of one that the driver brings, and of one through pinned memory.
const SMALLEST: usize = 1024;
const FEW: usize = 128 << 10;
const SOME: usize = 512 << 10;
/// Bytes that the device copies: more than its caches hold.
const COPIED: usize = 64 << 20;
/// Independent multiply-adds of a work-item.
const CHAINS: usize = 8;
/// Work-items of a group, where so many may be.
const ITEMS: usize = 256;
/// Seconds that a device's arithmetic is measured for.
const ENOUGH: f64 = 1e-3;

/// Measures the rates with a device.
///
/// # Errors
/// Errors of the device.
pub(super) fn machine(device: &Device) -> Result<Machine> {
    let device_info = device.info();
    let context = crate::context::DeviceContext::for_device(device)?;
    let queue = Queue::new(&context)?;
    let (mut x, mut vectors) = (vec![1.0_f32; LENGTH], vec![0.5_f32; LENGTH.isqrt() * 2]);
    // The smallest one runs on one thread; the middle one tells what all threads take to begin.
    let [single, double] = [host_products::<f32>()?, host_products::<f64>()?];
    let host_start = (double[1] - flops::<f64>(ORDERS[1]) / flops::<f64>(ORDERS[2]) * double[2]).clamp(0.0, 1e-3);
    let rate = |order: usize, seconds: f64| flops::<f64>(order) / seconds;
    let bus = bus(&queue, &mut x)?;
    let arithmetic_single = arithmetic::<f32>(&queue)?;
    let arithmetic_double = if device_info.fp64 { arithmetic::<f64>(&queue)? } else { arithmetic_single };
    let program = program::<f32>(&queue)?;
    let result = DeviceBuffer::new(&context, 4 * ITEMS, "a measurement")?;
    let (call, ..) = transfer(&queue, &mut x[..SMALLEST], |queue| {
        rate_launch(queue, &program, 1, &result).enqueue([1, 1, 1], [1, 1, 1])?.wait()
    })?;
    Ok(Machine {
        thread_operations: [rate(ORDERS[0], single[0]), rate(ORDERS[0], double[0])],
        host_operations: [rate(ORDERS[2], single[2]), rate(ORDERS[2], double[2])],
        host_start,
        host_bytes: host_memory(&x, &mut vectors)?,
        device_operations: [arithmetic_single, arithmetic_double],
        device_bytes: device_memory(&queue)?,
        bus,
        call,
    })
}

/// The bus: a few bytes as the driver brings them, and many through pinned memory.
fn bus(queue: &Queue, data: &mut [f32]) -> Result<Bus> {
    let bytes = |length: usize| (length * size_of::<f32>()) as f64;
    let (_, smallest_to, smallest_from) = transfer(queue, &mut data[..SMALLEST], |_| Ok(()))?;
    let (_, few_to, few_from) = transfer(queue, &mut data[..FEW], |_| Ok(()))?;
    let (_, some_to, some_from) = transfer(queue, &mut data[..SOME], |_| Ok(()))?;
    let (_, all_to, all_from) = transfer(queue, data, |_| Ok(()))?;
    let small = (few_to - smallest_to + few_from - smallest_from).max(0.0) / (2.0 * bytes(FEW - SMALLEST));
    let per_byte = [all_to - some_to, all_from - some_from].map(|seconds| {
        // A difference without a rise is noise: the rate is that of the whole transfer.
        if seconds > 0.0 { seconds / bytes(LENGTH - SOME) } else { all_to.max(all_from) / bytes(LENGTH) }
    });
    let start = (some_to + some_from - smallest_to - smallest_from - (per_byte[0] + per_byte[1]) * bytes(SOME)) / 2.0;
    Ok(Bus { per_byte, start: start.max(0.0), small_per_byte: small })
}

/// The shortest time of a few calls, after one that is not timed.
fn shortest(calls: usize, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    call()?;
    let mut best = f64::INFINITY;
    for _ in 0..calls {
        let start = Instant::now();
        call()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best.max(1e-9))
}

/// Real operations of a product of square matrices.
fn flops<T: Scalar>(order: usize) -> f64 {
    T::KIND.multiply_add_operations() as f64 * (order as f64).powi(3)
}

/// Seconds of the host's products of each of the orders.
fn host_products<T: Scalar>() -> Result<[f64; 3]> {
    let largest = ORDERS[2];
    let a = vec![T::ONE; largest * largest];
    let mut c = vec![T::ZERO; largest * largest];
    let mut seconds = [0.0; 3];
    for (order, seconds) in ORDERS.into_iter().zip(&mut seconds) {
        let shape = MatrixShape::new(Layout::ColumnMajor, order, order, 0, order)?;
        *seconds = shortest(3, || {
            let (a, c) = (MatrixRef::from_slice(&a, shape)?, MatrixMut::from_slice(&mut c, shape)?);
            host::on_living_thread(|| {
                host::gemm(Op::NoTrans, Op::NoTrans, T::ONE, on_host(a), on_host(a), T::ZERO, on_host_mut(c));
            });
            Ok(())
        })?;
    }
    Ok(seconds)
}

/// Bytes a second of a matrix that gemv reads in the host's memory: level 2 is what the rate decides on.
fn host_memory(a: &[f32], vectors: &mut [f32]) -> Result<f64> {
    let order = a.len().isqrt();
    let (x, rest) = vectors.split_at_mut(order);
    let (matrix, vector) =
        (MatrixShape::new(Layout::ColumnMajor, order, order, 0, order)?, VectorShape::new(order, 0, 1)?);
    let seconds = shortest(5, || {
        let (a, x) = (MatrixRef::from_slice(a, matrix)?, VectorRef::from_slice(x, vector)?);
        let product = Product::gemv(Op::NoTrans, 1.0, a, x, 0.0, VectorMut::from_slice(rest, vector)?)?;
        host::on_living_thread(|| host::level2::product(&product));
        Ok(())
    })?;
    Ok((order * order * size_of::<f32>()) as f64 / seconds)
}

/// Seconds of a vector's way to the device and back with some work between, of the way there and of the way back: the
/// shortest of each.
fn transfer(queue: &Queue, data: &mut [f32], mut work: impl FnMut(&Queue) -> Result<()>) -> Result<(f64, f64, f64)> {
    let shape = VectorShape::new(data.len(), 0, 1)?;
    let mut best = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    // The first one pins memory.
    for round in 0..4 {
        let seconds = queue.lending_memory(|| {
            let start = Instant::now();
            // SAFETY: the slice has the vector's elements, and is borrowed until the queue is done with them, also on
            // an error.
            let moved = unsafe { VectorOnDevice::new(queue, data.as_mut_ptr(), &shape, true)? };
            queue.finish()?;
            let there = start.elapsed().as_secs_f64();
            work(queue)?;
            let back = Instant::now();
            moved.write_back(queue)?;
            Ok((start.elapsed().as_secs_f64(), there, back.elapsed().as_secs_f64()))
        })?;
        if round > 0 {
            best = (best.0.min(seconds.0), best.1.min(seconds.1), best.2.min(seconds.2));
        }
    }
    Ok(best)
}

fn program<T: Scalar>(queue: &Queue) -> Result<Arc<Program>> {
    let definitions = vec![("CHAINS", CHAINS as i64)];
    let source = ProgramSource { name: "rate", kind: T::KIND, root: source("route/rate.cl"), definitions };
    queue.context().program(&source)
}

fn rate_launch<'a>(queue: &'a Queue, program: &'a Program, n: usize, result: &DeviceBuffer) -> Launch<'a> {
    Launch::new(queue, program, "rate").index(n).scalar(0.5_f32).buffer(result)
}

/// Operations a second of the device's multiply-adds.
fn arithmetic<T: Scalar>(queue: &Queue) -> Result<f64> {
    let device_info = queue.context().device().info();
    let items = ITEMS.min(device_info.max_work_group_size);
    let groups = 8 * device_info.compute_units.max(1);
    let program = program::<T>(queue)?;
    let result = DeviceBuffer::new(queue.context(), groups * items * size_of::<T>(), "a measurement")?;
    let seconds = |n: usize, calls: usize| {
        shortest(calls, || {
            let launch = Launch::new(queue, &program, "rate").index(n).scalar(T::from_parts(0.5, 0.0)).buffer(&result);
            launch.enqueue([groups, 1, 1], [items, 1, 1])?.wait()
        })
    };
    // A short launch is dominated by its latency.
    let short = 256;
    let few = seconds(short, 1)?;
    let n = ((ENOUGH / few * short as f64) as usize).clamp(2 * short, 64 * short);
    let took = (seconds(n, 2)? - few.min(1e-4)).max(1e-7);
    Ok((2 * CHAINS * n * groups * items) as f64 / took)
}

/// Bytes a second that a copy moves in the device's memory.
fn device_memory(queue: &Queue) -> Result<f64> {
    let largest = queue.context().device().info().max_allocation_bytes;
    let bytes = COPIED.min((largest / 4).max(4096) as usize);
    let buffer = || DeviceBuffer::new(queue.context(), bytes, "a measurement");
    let (from, to) = (buffer()?, buffer()?);
    let seconds = |copies: usize| {
        shortest(2, || {
            let copied: Result<Vec<_>> = (0..copies).map(|_| to.copy_from(queue, 0, &from, 0, bytes)).collect();
            copied?.last().map_or(Ok(()), crate::context::Event::wait)
        })
    };
    let (one, several) = (seconds(1)?, seconds(5)?);
    Ok((2 * 4 * bytes) as f64 / (several - one).max(1e-7))
}
