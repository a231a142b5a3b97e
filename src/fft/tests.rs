//! Transforms on a device against the sums that define them.

use super::{DeviceFft, Direction, FftDescriptor, Operand, Problem, Transform};
use crate::context::{DeviceBuffer, DeviceContext, Queue, Scratch};
use crate::device::Device;

fn quick(n: usize, batch: usize) {
    let Ok(devices) = Device::all() else { return };
    let context = DeviceContext::for_device(&devices[0]).unwrap();
    let queue = Queue::of(&context).unwrap();
    let problem = Problem::new(&FftDescriptor::new(Transform::Complex(Direction::Forward), &[n]).batch(batch)).unwrap();
    let fft = DeviceFft::new(&context, &problem, true).unwrap();
    let x: Vec<f64> = (0..2 * n * batch).map(|i| ((i * 7919 + 13) % 1000) as f64 / 500.0 - 1.0).collect();
    let (from, to) = (
        DeviceBuffer::new(&context, 8 * x.len(), "x").unwrap(),
        DeviceBuffer::new(&context, 8 * x.len(), "y").unwrap(),
    );
    from.write(&queue, &x).unwrap();
    let scratch = Scratch::borrow(&queue, fft.scratch_bytes()).unwrap();
    let event = fft
        .enqueue(&queue, Operand { memory: &from, offset: 0 }, Operand { memory: &to, offset: 0 }, &scratch)
        .unwrap();
    event.wait().unwrap();
    let mut y = vec![0.0; x.len()];
    to.read(&queue, &mut y).unwrap();
    let mut error = 0.0;
    let mut norm = 0.0;
    for b in 0..batch {
        for k in 0..n {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..n {
                let (c, s) = crate::kernel::root_of_unity(-((j * k % n) as i64), n as i64);
                let (a, b) = (x[2 * (b * n + j)], x[2 * (b * n + j) + 1]);
                re += a * c - b * s;
                im += a * s + b * c;
            }
            let i = 2 * (b * n + k);
            error += (y[i] - re).powi(2) + (y[i + 1] - im).powi(2);
            norm += re * re + im * im;
        }
    }
    let relative = f64::sqrt(error / norm);
    println!("{n} x {batch}: {relative:.2e}");
    assert!(relative < 1e-14, "{n} x {batch}: {relative:e}");
}

#[test]
fn quick_ones() {
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 30, 64, 100, 17, 101, 1000, 1001, 1024] {
        quick(n, 1);
        quick(n, 20);
    }
    quick(8192, 1);
    quick(10007, 1);
}
