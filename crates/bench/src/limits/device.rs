//! A device's memory and arithmetic, by kernels of the kernel language.

use std::time::{Duration, Instant};

use affinimath::kernel::{BuildError, Index, Kernel, Real, Vector};
use affinimath::{Buffer, Context, Device, DeviceArgument, DeviceClass, DeviceInfo, DeviceKernel, Event, ScalarKind};

use super::{CHAINS, Case, FACTOR, STEPS, What, exact};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;

/// Elements of a vector that is read or written at once: what is wide enough on GPUs, and of CPUs' widest vectors.
const WIDE: usize = 16;
const NARROW: usize = 4;

/// Number of work-items.
#[derive(Clone, Copy)]
struct Grid {
    groups: usize,
    items: usize,
}

impl Grid {
    /// More than a device has at once.
    const fn of(device_info: &DeviceInfo) -> Self {
        match device_info.class {
            DeviceClass::Cpu => Grid { groups: device_info.compute_units * 8, items: 1 },
            _ => {
                let items = if device_info.max_work_group_size < 256 { device_info.max_work_group_size } else { 256 };
                Grid { groups: device_info.compute_units * 32, items }
            }
        }
    }

    const fn count(self) -> usize {
        self.groups * self.items
    }
}

fn width(device_info: &DeviceInfo) -> usize {
    if device_info.class == DeviceClass::Cpu { WIDE } else { NARROW }
}

/// Lanes of the vectors that multiply-adds go on with: on GPUs a work-item's are scalars.
pub fn lanes(kind: ScalarKind, device_info: &DeviceInfo) -> usize {
    Grid::of(device_info).count() * arithmetic_width(kind, device_info)
}

const fn arithmetic_width(kind: ScalarKind, device_info: &DeviceInfo) -> usize {
    match device_info.class {
        DeviceClass::Cpu => device_info.vector_width(kind),
        _ => 1,
    }
}

/// y := x, or sums of x, in vectors: each work-item has adjacent ones on CPUs, elsewhere those of the others lie
/// between.
fn memory_kernel<const N: usize>(what: What, adjacent: bool) -> Result<Kernel, BuildError> {
    let name = format!("limit_{}_{N}", what.name());
    Kernel::build(&name, |k| {
        k.comment("Goes through n vectors of x.");
        let n = k.argument::<Index>("n");
        let x = k.input::<f32>("x");
        let y = k.output::<f32>("y");
        let width = N as Index;
        let item = k.value(k.global_id(0));
        let items = k.value(k.global_size(0));
        let (first, last, step) = if adjacent {
            let each = k.value((n + items - 1) / items);
            (item * each, ((item + 1) * each).min(n), k.value(1_i64))
        } else {
            (item, n, items)
        };
        let sum = k.var("sum", Vector([0.0_f32; N]));
        k.range(first, last).step_by(step).each("i", |i| match what {
            What::Copy => y.store_vector::<N>(i * width, x.vector_at::<N>(i * width)),
            _ => sum.set(sum + x.vector_at::<N>(i * width)),
        });
        if what != What::Copy {
            y.store_vector::<N>(item * width, sum.get());
        }
    })
}

/// x := a x + a, over and over, on scalars or vectors.
fn scalar_kernel<R: Real>(name: &str) -> Result<Kernel, BuildError> {
    Kernel::build(name, |k| {
        k.comment("x := a x + a, n times for each of several x, and the sum of them.");
        let n = k.argument::<Index>("n");
        let a = k.argument::<R>("a");
        let y = k.output::<R>("y");
        let x: [_; CHAINS] = std::array::from_fn(|chain| k.var("x", a + R::whole(chain as i32)));
        k.range(0, n).each("i", |_| x.iter().for_each(|x| x.set(x.get().mul_add(a, a))));
        let sum = x.iter().skip(1).fold(x[0].get(), |sum, x| sum + x.get());
        y.store(k.global_id(0), sum);
    })
}

fn vector_kernel<R: Real, const N: usize>(name: &str) -> Result<Kernel, BuildError> {
    Kernel::build(name, |k| {
        k.comment("x := a x + a, n times for each of several vectors, and the sum of them.");
        let n = k.argument::<Index>("n");
        let a = k.argument::<R>("a");
        let y = k.output::<R>("y");
        let factor = k.value(a.splat::<N>());
        let x: [_; CHAINS] = std::array::from_fn(|chain| k.var("x", (a + R::whole(chain as i32)).splat::<N>()));
        k.range(0, n).each("i", |_| x.iter().for_each(|x| x.set(x.get().mul_add(factor, factor))));
        let sum = x.iter().skip(1).fold(x[0].get(), |sum, x| sum + x.get());
        y.store_vector::<N>(k.global_id(0) * N as Index, sum);
    })
}

fn arithmetic_kernel<R: Real>(lanes: usize) -> Result<Kernel, BuildError> {
    let name = format!("limit_fma_{lanes}");
    match lanes {
        1 => scalar_kernel::<R>(&name),
        2 => vector_kernel::<R, 2>(&name),
        4 => vector_kernel::<R, 4>(&name),
        8 => vector_kernel::<R, 8>(&name),
        _ => vector_kernel::<R, 16>(&name),
    }
}

/// A device on a case.
pub fn entrant<'a>(case: &Case, device: &Device) -> Entrant<'a> {
    let (device_info, context) = (device.info(), Context::open(device)?);
    let grid = Grid::of(device_info);
    let built = |kernel: Result<Kernel, BuildError>| {
        let kernel = kernel.map_err(|error| BenchError::Ours(format!("a kernel cannot be made: {error}")))?;
        Ok::<_, BenchError>(DeviceKernel::build(&context, &kernel)?)
    };
    if case.what == What::MultiplyAdd {
        let lanes = arithmetic_width(case.kind, device_info);
        let (length, expected) = (grid.count() * lanes, CHAINS as f64);
        return Ok(if case.kind.is_double() {
            let kernel = built(arithmetic_kernel::<f64>(lanes))?;
            let y = context.zeros::<f64>(length)?;
            Box::new(Arithmetic { kernel, grid, factor: FACTOR, y, expected })
        } else {
            let kernel = built(arithmetic_kernel::<f32>(lanes))?;
            let y = context.zeros::<f32>(length)?;
            Box::new(Arithmetic { kernel, grid, factor: FACTOR as f32, y, expected })
        });
    }
    let (adjacent, lanes) = (device_info.class == DeviceClass::Cpu, width(device_info));
    let kernel = match lanes {
        WIDE => built(memory_kernel::<WIDE>(case.what, adjacent))?,
        _ => built(memory_kernel::<NARROW>(case.what, adjacent))?,
    };
    let elements = case.bytes / size_of::<f32>();
    let x = context.upload(&vec![1.0_f32; elements])?;
    let length = if case.what == What::Copy { elements } else { grid.count() * lanes };
    let y = context.zeros::<f32>(length)?;
    Ok(Box::new(Memory { kernel, grid, vectors: elements / lanes, x, y, copies: case.what == What::Copy }))
}

/// Launches one after the other.
fn launches(
    kernel: &DeviceKernel,
    grid: Grid,
    repetitions: u32,
    arguments: &[DeviceArgument<'_>],
) -> Result<Duration, BenchError> {
    let start = Instant::now();
    let mut last = Event::Complete;
    for launch in 1..=repetitions {
        // SAFETY: tests interpret the kernels, which stay within x and y.
        last = unsafe { kernel.enqueue([grid.groups, 1, 1], [grid.items, 1, 1], arguments) }?;
        if launch % LAUNCHES_IN_FLIGHT == 0 {
            last.wait()?;
        }
    }
    last.wait()?;
    Ok(start.elapsed())
}

struct Memory {
    kernel: DeviceKernel,
    grid: Grid,
    vectors: usize,
    x: Buffer<f32>,
    y: Buffer<f32>,
    copies: bool,
}

impl Contender for Memory {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let arguments = [(self.vectors as i64).into(), (&self.x).into(), (&mut self.y).into()];
        launches(&self.kernel, self.grid, repetitions, &arguments)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let y = self.y.download()?;
        if self.copies {
            return Ok(exact(y.into_iter().map(f64::from), 1.0));
        }
        // Each lane's sum is an integer.
        let sum: f64 = y.into_iter().map(f64::from).sum();
        Ok(exact(std::iter::once(sum), self.x.download()?.len() as f64))
    }
}

struct Arithmetic<R> {
    kernel: DeviceKernel,
    grid: Grid,
    factor: R,
    y: Buffer<R>,
    expected: f64,
}

impl<R> Contender for Arithmetic<R>
where
    R: affinimath::Scalar + Into<f64> + Into<DeviceArgument<'static>>,
{
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let arguments = [(STEPS as i64).into(), self.factor.into(), (&mut self.y).into()];
        launches(&self.kernel, self.grid, repetitions, &arguments)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(exact(self.y.download()?.into_iter().map(Into::into), self.expected))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use affinimath::kernel::Launch;

    use super::*;

    /// Every kernel by the interpreter, which looks at each index, and what it gives.
    pub fn interpreted() {
        for adjacent in [false, true] {
            memory::<NARROW>(adjacent);
            memory::<WIDE>(adjacent);
        }
        arithmetic::<1>();
        arithmetic::<4>();
        arithmetic::<16>();
    }

    fn memory<const N: usize>(adjacent: bool) {
        // Not as many vectors as work-items, nor a multiple of them.
        let x: Vec<f32> = (0..N * 37).map(|index| index as f32).collect();
        let mut copied = vec![0.0_f32; x.len()];
        let mut sums = vec![0.0_f32; N * 10];
        for (what, y) in [(What::Copy, &mut copied), (What::Read, &mut sums)] {
            let kernel = memory_kernel::<N>(what, adjacent).unwrap();
            let launch = Launch::new(&kernel, [5, 1, 1], [2, 1, 1]);
            launch.run([37_i64.into(), (&x[..]).into(), (&mut y[..]).into()]).unwrap();
        }
        assert_eq!(copied, x);
        assert_eq!(sums.iter().sum::<f32>(), x.iter().sum::<f32>());
    }

    fn arithmetic<const N: usize>() {
        let mut y = vec![0.0_f32; 3 * N];
        let kernel = arithmetic_kernel::<f32>(N).unwrap();
        let launch = Launch::new(&kernel, [3, 1, 1], [1, 1, 1]);
        launch.run([64_i64.into(), 0.5_f32.into(), (&mut y[..]).into()]).unwrap();
        assert!(y.iter().all(|sum| *sum == CHAINS as f32), "{y:?}");
    }
}
