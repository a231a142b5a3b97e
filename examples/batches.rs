//! Times LU, Cholesky, eigenvalues and singular values of many small matrices on a device, in its memory.
//!
//! `cargo run --release --example batches -- [order] [matrices] [device's index]`

use std::time::{Duration, Instant};

use affinimath::{
    BatchShape, Buffer, Context, Device, DeviceContext, Event, Layout, MatrixShape, Queue, Result, Scalar, Triangle,
    copy_on, gesvd_batched_on, getrf_batched_on, heev_batched_on, potrf_batched_on,
};

/// Calls in a row between two waits, and how often that is timed.
const CALLS: u32 = 5;
const REPETITIONS: usize = 20;

fn main() -> Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let (order, count) = (numbers.next().unwrap_or(32), numbers.next().unwrap_or(10_000));
    let device = &Device::all()?[numbers.next().unwrap_or(0)];
    println!("{}: {count} matrices of order {order}", device.info().name);
    times::<f32>(device, order, count, "f32")?;
    if device.info().fp64 {
        times::<f64>(device, order, count, "f64")?;
    }
    Ok(())
}

/// The least time of a batch. Each call has matrices of its own, which it has not factorised before.
fn times<T: Scalar>(device: &Device, order: usize, count: usize, name: &str) -> Result<()> {
    let (context, queue) = (Context::open(device)?, Queue::new(&DeviceContext::for_device(device)?)?);
    let start = context.upload(&matrices::<T>(order, count))?;
    let mut copies = (0..CALLS).map(|_| context.zeros::<T>(start.len())).collect::<Result<Vec<_>>>()?;
    let mut pivots = context.zeros::<i32>(order * count)?;
    let mut info = context.zeros::<i32>(count)?;
    let shape =
        BatchShape::strided(MatrixShape::new(Layout::ColumnMajor, order, order, 0, order)?, order * order, count)?;
    let lu = |a: &mut Buffer<T>| {
        getrf_batched_on(&queue, a.batch_mut(shape)?, pivots.vector_mut()?, order, info.vector_mut()?)
    };
    let lu = min_time(&queue, &start, &mut copies, lu)?;
    let mut info = context.zeros::<i32>(count)?;
    let cholesky =
        |a: &mut Buffer<T>| potrf_batched_on(&queue, Triangle::Lower, a.batch_mut(shape)?, info.vector_mut()?);
    let cholesky = min_time(&queue, &start, &mut copies, cholesky)?;
    println!("{name}: getrf {:.1} us, potrf {:.1} us", lu.as_secs_f64() * 1e6, cholesky.as_secs_f64() * 1e6);
    // Eigenvectors and singular vectors, too.
    let (mut values, mut info) = (context.zeros::<T::RealScalar>(order * count)?, context.zeros::<i32>(count)?);
    let eigen = |a: &mut Buffer<T>| {
        let (w, info) = (values.vector_mut()?, info.vector_mut()?);
        heev_batched_on(&queue, Triangle::Lower, a.batch_mut(shape)?, w, order, true, info)
    };
    let eigen = min_time(&queue, &start, &mut copies, eigen)?;
    let mut vectors = [context.zeros::<T>(start.len())?, context.zeros::<T>(start.len())?];
    let singular = |a: &mut Buffer<T>| {
        let [u, vt] = &mut vectors;
        let (s, info) = (values.vector_mut()?, info.vector_mut()?);
        gesvd_batched_on(&queue, a.batch(shape)?, s, order, Some((u.batch_mut(shape)?, vt.batch_mut(shape)?)), info)
    };
    let singular = min_time(&queue, &start, &mut copies, singular)?;
    println!("{name}: syev {:.1} us, gesvd {:.1} us", eigen.as_secs_f64() * 1e6, singular.as_secs_f64() * 1e6);
    Ok(())
}

fn min_time<T: Scalar>(
    queue: &Queue,
    start: &Buffer<T>,
    copies: &mut [Buffer<T>],
    mut call: impl FnMut(&mut Buffer<T>) -> Result<Event>,
) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..REPETITIONS {
        for copy in copies.iter_mut() {
            copy_on(queue, start.vector()?, copy.vector_mut()?)?.wait()?;
        }
        let before = Instant::now();
        let mut last = Event::Complete;
        for copy in copies.iter_mut() {
            last = call(copy)?;
        }
        last.wait()?;
        best = best.min(before.elapsed() / CALLS);
    }
    Ok(best)
}

/// Symmetric positive definite matrices.
fn matrices<T: Scalar>(order: usize, count: usize) -> Vec<T> {
    let element = |matrix: usize, i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        let noise = ((matrix * 31 + low * 17 + high * 7) % 101) as f64 / 101.0;
        T::from_parts(if i == j { order as f64 } else { noise }, 0.0)
    };
    (0..count * order * order).map(|e| element(e / (order * order), e % order, e / order % order)).collect()
}
