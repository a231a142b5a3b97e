//! Times of products, printed: `cargo test --release --lib sparse::bench -- --ignored --nocapture`, with
//! `AFFINIMATH_DEVICE=host` or a part of a device's name, and `SIDE_2D` and `SIDE_3D` for other sizes of the problems.

use std::time::Instant;

use crate::blas::level1::axpy_on;
use crate::context::Queue;
use crate::device::{Device, DeviceClass};
use crate::host::level1::{RawVector, elementwise};
use crate::memory::Context;
use crate::options::Op;
use crate::sparse::product::{Narrowing, ProductParameters, ProductPlan};
use crate::sparse::testing::Random;
use crate::sparse::{CsrMatrix, CsrProduct, PreparedProduct, RowPointer, product_on};
use crate::{Scalar, VectorShape};

/// A bench's place: the host, or the first device whose name holds `AFFINIMATH_DEVICE`.
pub(super) fn context() -> Context {
    match std::env::var("AFFINIMATH_DEVICE") {
        Ok(name) if name != "host" => {
            let devices = Device::all().unwrap();
            let named = |device: &&Device| device.info().name.to_lowercase().contains(&name.to_lowercase());
            Context::open(devices.iter().find(named).expect("a device of that name")).unwrap()
        }
        _ => Context::host(),
    }
}

pub(super) fn side(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().expect("a number"))
}

/// The arrays of a matrix whose rows `entries` gives.
fn matrix<P: RowPointer, T: Scalar>(
    context: &Context,
    rows: usize,
    mut entries: impl FnMut(usize, &mut Vec<(usize, f64)>),
) -> CsrMatrix<T, P> {
    let (mut row_ptr, mut col_indices, mut values) = (vec![P::default()], Vec::new(), Vec::new());
    let mut row_entries = Vec::new();
    for row in 0..rows {
        row_entries.clear();
        entries(row, &mut row_entries);
        for &(column, value) in &row_entries {
            col_indices.push(column as i32);
            values.push(T::from_parts(value, 0.0));
        }
        row_ptr.push(P::from_count(col_indices.len()));
    }
    CsrMatrix::new(context, rows, rows, &row_ptr, &col_indices, &values).unwrap()
}

/// The five- or seven-point stencil on a grid of `side` points in each direction.
pub(super) fn poisson<P: RowPointer, T: Scalar>(context: &Context, side: usize, dimensions: u32) -> CsrMatrix<T, P> {
    let strides: Vec<usize> = (0..dimensions).map(|d| side.pow(d)).collect();
    matrix(context, side.pow(dimensions), |row, entries| {
        for &stride in strides.iter().rev() {
            entries.extend((row / stride % side > 0).then(|| (row - stride, -1.0)));
        }
        entries.push((row, 2.0 * f64::from(dimensions)));
        for &stride in &strides {
            entries.extend((row / stride % side < side - 1).then(|| (row + stride, -1.0)));
        }
    })
}

/// Rows of lengths that follow a power law, up to 50,000 entries, in random columns.
fn power_law<P: RowPointer, T: Scalar>(context: &Context, rows: usize) -> CsrMatrix<T, P> {
    let mut random = Random(1);
    matrix(context, rows, |_, entries| {
        let share = (random.below(1 << 20) + 1) as f64 / (1u64 << 20) as f64;
        let length = (4.0 * share.powf(-0.75)).min(50_000.0) as usize;
        entries.extend((0..length).map(|_| (random.below(rows), 1.0)));
    })
}

/// The shortest of many runs, in seconds: `runs` at a time on a device, which are waited for together.
fn seconds(mut run: impl FnMut(), mut wait: impl FnMut(), runs: usize) -> f64 {
    run();
    wait();
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        let start = Instant::now();
        (0..runs).for_each(|_| run());
        wait();
        best = best.min(start.elapsed().as_secs_f64() / runs as f64);
    }
    best
}

/// GB/s of y := alpha x + y over as many numbers as fill a few times the caches.
fn axpy<T: Scalar>(context: &Context) -> f64 {
    let n = (256 << 20) / size_of::<T>();
    let (x, mut y) = (context.upload(&vec![T::ONE; n]).unwrap(), context.upload(&vec![T::ONE; n]).unwrap());
    let time = match context.on_device() {
        None => {
            let shape = VectorShape::new(n, 0, 1).unwrap();
            let x = x.on_host().unwrap().as_ptr().cast_mut();
            let mut target = y.download().unwrap();
            // SAFETY: both have n elements, and live until the end of the function.
            let (x, y) = unsafe { (RawVector::new(x, &shape), RawVector::new(target.as_mut_ptr(), &shape)) };
            let operation = crate::blas::level1::Elementwise::Axpy(T::from_parts(0.5, 0.0));
            seconds(|| elementwise(&operation, Some(x), y), || (), 1)
        }
        Some(device) => {
            let queue = Queue::new(device).unwrap();
            let alpha = T::from_parts(0.5, 0.0);
            let run = || drop(axpy_on(&queue, alpha, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap());
            seconds(run, || queue.finish().unwrap(), 4)
        }
    };
    (3 * n * size_of::<T>()) as f64 / time / 1e9
}

/// GB/s of a product: values, columns, pointers and x once, and y.
fn product<T: Scalar, P: RowPointer>(name: &str, context: &Context, matrix: &CsrMatrix<T, P>, axpy: f64) {
    let n = matrix.rows();
    let (x, mut y) = (context.upload(&vec![T::ONE; n]).unwrap(), context.zeros::<T>(n).unwrap());
    let bytes = matrix.nnz() * (size_of::<T>() + 4) + (n + 1) * size_of::<P>() + 2 * n * size_of::<T>();
    let report = |what: &str, time: f64| {
        let speed = bytes as f64 / time / 1e9;
        println!("{name:<18} {what:<34} {:9.3} ms {speed:8.1} GB/s, {:.2} of axpy", 1e3 * time, speed / axpy);
    };
    let queue = context.on_device().map(|device| Queue::new(device).unwrap());
    let wait = || queue.iter().for_each(|queue| queue.finish().unwrap());
    let runs = if queue.is_some() { 10 } else { 1 };
    for op in [Op::NoTrans, Op::Trans] {
        let run = || {
            drop(matrix.multiply(op, T::ONE, x.vector().unwrap(), T::ZERO, y.vector_mut().unwrap()).unwrap());
        };
        report(&format!("{op:?}"), seconds(run, wait, runs));
    }
    let Some(queue) = &queue else { return };
    let (statistics, device_info) = (matrix.row_statistics().unwrap(), context.device().unwrap().info());
    if device_info.class != DeviceClass::Gpu {
        return; // What is made for GPUs takes a CPU very long.
    }
    for plan in ProductPlan::all(&statistics, device_info, &ProductParameters::default()) {
        let streams = matches!(plan, ProductPlan::Stream { .. });
        let narrow = streams.then(|| (Some(Narrowing::at_once(1 << 14)), ", 16-bit columns"));
        for (narrowing, columns) in [Some((None, "")), narrow].into_iter().flatten() {
            let prepared = PreparedProduct::with_plan(queue, &matrix.view().unwrap(), plan, narrowing).unwrap();
            wait();
            let run = || {
                let (x, y) = (x.vector().unwrap(), y.vector_mut().unwrap());
                let product = CsrProduct::new(matrix.view().unwrap(), false, T::ONE, x, T::ZERO, y).unwrap();
                drop(product_on(queue, &product, &prepared).unwrap());
            };
            report(&(format!("{plan:?}").replace("{ ", "").replace(" }", "") + columns), seconds(run, wait, runs));
        }
    }
}

mod device {
    use super::*;

    #[test]
    #[ignore = "a measurement"]
    fn products() {
        fn type_by_type<T: Scalar>(context: &Context) {
            let axpy = axpy::<T>(context);
            println!("{:?} on {:?}: axpy {axpy:.1} GB/s", T::KIND, context.device().map(|device| &device.info().name));
            let (side_2d, side_3d) = (side("SIDE_2D", 1000), side("SIDE_3D", 128));
            product("Poisson 2D", context, &poisson::<i32, T>(context, side_2d, 2), axpy);
            product("Poisson 2D, i64", context, &poisson::<i64, T>(context, side_2d, 2), axpy);
            product("Poisson 3D", context, &poisson::<i32, T>(context, side_3d, 3), axpy);
            product("power law", context, &power_law::<i32, T>(context, 1 << 20), axpy);
        }
        let context = context();
        type_by_type::<f64>(&context);
        type_by_type::<f32>(&context);
    }

    /// `AFFINIMATH_FILE` names a Matrix Market file.
    #[test]
    #[ignore = "a measurement"]
    fn files() {
        let Ok(path) = std::env::var("AFFINIMATH_FILE") else { return };
        let bytes = std::fs::metadata(&path).unwrap().len() as f64;
        for _ in 0..3 {
            let start = Instant::now();
            let file = crate::sparse::matrix_market::read(std::fs::File::open(&path).unwrap()).unwrap();
            let read = start.elapsed().as_secs_f64();
            let matrix = CsrMatrix::<f64>::from_file(&Context::host(), &file).unwrap();
            let all = start.elapsed().as_secs_f64();
            println!(
                "{} entries: read {:.0} MB/s, to CSR {:.0} MB/s",
                matrix.nnz(),
                bytes / read / 1e6,
                bytes / all / 1e6
            );
        }
    }

    #[test]
    #[ignore = "a measurement"]
    fn conversions() {
        let context = context();
        let matrix: CsrMatrix<f64> = poisson(&context, side("SIDE_2D", 1000), 2);
        let wait = || {
            matrix.row_ptr().download().unwrap();
        };
        let report = |what: &str, time: f64| println!("{what:<12} {:9.1} ms", 1e3 * time);
        report("transpose", seconds(|| drop(matrix.transpose().unwrap()), wait, 1));
        report("sorted", seconds(|| drop(matrix.sorted().unwrap()), wait, 1));
        report("square", seconds(|| drop(matrix.multiply_sparse(&matrix).unwrap()), wait, 1));
    }
}
