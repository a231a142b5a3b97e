//! Shared by the families: where they run, their operands, and the loop over a table of routines.

use std::time::{Duration, Instant};

use affinimath::{Buffer, Context, Device, MatrixMut, MatrixRef, Result, Scalar, VectorMut, VectorRef, copy};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

/// The host or a device, as a benchmark runs on it.
pub struct Target {
    /// Its part in the names of benchmarks.
    pub name: &'static str,
    pub context: Context,
}

impl Target {
    /// True if the target computes in double precision.
    pub fn has_doubles(&self) -> bool {
        self.context.device().is_none_or(|device| device.info().fp64)
    }
}

/// The host, and the first device where there is one.
pub fn targets() -> Vec<Target> {
    let mut targets = vec![Target { name: "host", context: Context::host() }];
    match Device::all().and_then(|devices| Context::open(&devices[0])) {
        Ok(context) => targets.push(Target { name: "device", context }),
        Err(error) => eprintln!("no device is measured: {error}"),
    }
    targets
}

/// A family's group, with samples for runs of a few minutes.
pub fn group<'a>(criterion: &'a mut Criterion, family: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(family);
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group
}

/// Elements in (-1, 1), the same in every run.
pub fn random<T: Scalar>(length: usize, seed: u64) -> Vec<T> {
    let column = affinimath_testing::filled::<T>(length, 1, seed);
    (0..length).map(|i| column[(i, 0)]).collect()
}

/// Three matrices of order `n`, or three vectors of `n` elements.
pub struct Operands<T> {
    pub n: usize,
    pub a: Buffer<T>,
    pub b: Buffer<T>,
    pub c: Buffer<T>,
}

impl<T: Scalar> Operands<T> {
    /// Vectors of `n` elements.
    pub fn vectors(context: &Context, n: usize) -> Result<Self> {
        Operands::new(context, n, [n; 3])
    }

    /// A matrix of order `n` in `a`, and vectors.
    pub fn matrix_and_vectors(context: &Context, n: usize) -> Result<Self> {
        Operands::new(context, n, [n * n, n, n])
    }

    /// Matrices of order `n`.
    pub fn matrices(context: &Context, n: usize) -> Result<Self> {
        Operands::new(context, n, [n * n; 3])
    }

    /// The diagonal of the matrix `a` dominates: it is well conditioned, and its triangles are those of a positive
    /// definite one.
    pub fn new(context: &Context, n: usize, lengths: [usize; 3]) -> Result<Self> {
        let buffer = |seed: usize| {
            let mut data = random::<T>(lengths[seed], seed as u64 + 1);
            if seed == 0 && lengths[0] == n * n {
                (0..n).for_each(|i| data[i * (n + 1)] = T::from_parts(2.0 * n as f64, 0.0));
            }
            context.upload(&data)
        };
        Ok(Operands { n, a: buffer(0)?, b: buffer(1)?, c: buffer(2)? })
    }

    /// `a` and `b` to read and `c` to write, as vectors.
    pub fn as_vectors(&mut self) -> Result<(VectorRef<'_, T>, VectorRef<'_, T>, VectorMut<'_, T>)> {
        Ok((self.a.vector()?, self.b.vector()?, self.c.vector_mut()?))
    }

    /// Copies `a` to `c`.
    pub fn copy_a(&mut self) -> Result<()> {
        copy(self.a.vector()?, self.c.vector_mut()?)?.wait()
    }

    /// Copies `b` to `c`.
    pub fn copy_b(&mut self) -> Result<()> {
        copy(self.b.vector()?, self.c.vector_mut()?)?.wait()
    }

    /// `a` as a matrix and `b` as a vector to read, `c` as a vector to write.
    pub fn as_matrix_and_vectors(&mut self) -> Result<(MatrixRef<'_, T>, VectorRef<'_, T>, VectorMut<'_, T>)> {
        Ok((self.a.matrix(self.n, self.n)?, self.b.vector()?, self.c.vector_mut()?))
    }

    /// `a` and `b` to read and `c` to write, as matrices.
    pub fn as_matrices(&mut self) -> Result<(MatrixRef<'_, T>, MatrixRef<'_, T>, MatrixMut<'_, T>)> {
        let n = self.n;
        Ok((self.a.matrix(n, n)?, self.b.matrix(n, n)?, self.c.matrix_mut(n, n)?))
    }
}

/// The unit of a throughput.
#[derive(Clone, Copy)]
pub enum Work {
    /// Calls.
    Calls,
    /// Bytes of this many elements, read or written.
    Elements(u64),
    /// This many multiplications with an addition each, as criterion's `elem`: two floating-point operations, or eight
    /// in complex types.
    MultiplyAdds(u64),
}

impl Work {
    pub fn throughput<T: Scalar>(self) -> Throughput {
        match self {
            Work::Calls => Throughput::Elements(1),
            Work::Elements(count) => Throughput::Bytes(count * T::KIND.bytes() as u64),
            Work::MultiplyAdds(count) => Throughput::Elements(count * T::KIND.multiply_add_operations()),
        }
    }
}

/// A call on operands.
type Call<T> = fn(&mut Operands<T>) -> Result<()>;

/// A row of a family's table.
pub struct Routine<T> {
    pub name: &'static str,
    /// Its work for operands of order `n`.
    pub work: fn(u64) -> Work,
    /// One call, waited for.
    pub call: Call<T>,
    /// Restores the operands before each call, where the call would change its own input. Its time is not measured.
    pub restore: Option<Call<T>>,
}

impl<T> Routine<T> {
    /// A routine whose calls can be repeated on the same operands.
    pub fn new(name: &'static str, work: fn(u64) -> Work, call: Call<T>) -> Self {
        Routine { name, work, call, restore: None }
    }

    /// The same, with operands restored before each call.
    pub fn restored(self, restore: fn(&mut Operands<T>) -> Result<()>) -> Self {
        Routine { restore: Some(restore), ..self }
    }
}

/// Measures each routine of a table for each order.
pub fn bench_table<T: Scalar>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    target: &Target,
    orders: &[usize],
    operands: fn(&Context, usize) -> Result<Operands<T>>,
    table: &[Routine<T>],
) {
    let letter = T::KIND.letter().to_ascii_lowercase();
    for routine in table {
        for &n in orders {
            let mut operands = operands(&target.context, n).expect("the operands fit in memory");
            group.throughput((routine.work)(n as u64).throughput::<T>());
            group.bench_function(BenchmarkId::new(format!("{}/{letter}{}", target.name, routine.name), n), |bencher| {
                bencher
                    .iter_custom(|iterations| repeat(routine, &mut operands, iterations).expect("the call succeeds"));
            });
        }
    }
}

/// The time of `iterations` calls.
fn repeat<T>(routine: &Routine<T>, operands: &mut Operands<T>, iterations: u64) -> Result<Duration> {
    let Some(restore) = routine.restore else {
        let start = Instant::now();
        (0..iterations).try_for_each(|_| (routine.call)(operands))?;
        return Ok(start.elapsed());
    };
    let mut total = Duration::ZERO;
    for _ in 0..iterations {
        restore(operands)?;
        let start = Instant::now();
        (routine.call)(operands)?;
        total += start.elapsed();
    }
    Ok(total)
}
