//! Measures what calls cost on the host and on a device: the lines of [`affinimath::route::Model`].

use std::time::{Duration, Instant};

use affinimath::route::{self, DeviceChoice, Family, Line, RouteChoice};
use affinimath::tuning::database::{Key, Lines, Record};
use affinimath::{
    BatchShape, Complex32, Complex64, Context, Device, DeviceClass, Diagonal, Layout, MatrixShape, Op, Result, Scalar,
    ScalarKind, Side, Triangle, VectorMut, VectorRef, VectorShape,
};

/// Measures a device in these types beside the calls' alternative, and says after each family how far it is: steps done, and all.
///
/// Meanwhile the process's route is changed; afterwards it is `auto` with this device.
///
/// # Errors
/// What the device reports, and as [`route::configure`].
pub fn measure(index: usize, kinds: &[ScalarKind], mut progress: impl FnMut(usize, usize)) -> Result<Record> {
    let device = &Device::all()?[index];
    route::configure(RouteChoice::Auto, &DeviceChoice::Host)?;
    let baseline = route::settings()?.baseline();
    let [host, there] = [Context::host(), Context::open(device)?];
    let cases: Vec<(Family, ScalarKind)> =
        kinds.iter().flat_map(|kind| Family::ALL.map(|family| (family, *kind))).collect();
    let mut lines = Vec::new();
    for (done, &(family, kind)) in cases.iter().enumerate() {
        progress(done, cases.len());
        let large = device.facts().class == DeviceClass::Gpu;
        let host = line(&host, family, kind, false)?;
        let device = line(&there, family, kind, large)?;
        lines.push(Lines { family, kind, host, device });
    }
    progress(cases.len(), cases.len());
    // The lines end at sizes where threads and devices are worth starting: what the smallest call costs is measured apart,
    // on the host, and on the device from the host's memory.
    for line in &mut lines {
        line.host.fixed = line.host.fixed.min(smallest(&host, line.family, line.kind)?);
    }
    route::configure(RouteChoice::Device, &DeviceChoice::Index(index))?;
    for line in &mut lines {
        line.device.fixed = line.device.fixed.max(smallest(&host, line.family, line.kind)?);
    }
    let record = Record { key: Key::of(device.facts(), &baseline), per_byte: per_byte(index)?, lines };
    route::configure(RouteChoice::Auto, &DeviceChoice::Index(index))?;
    Ok(record)
}

/// The two sizes between which a family's line is drawn.
const fn sizes(family: Family, large: bool) -> [usize; 2] {
    match family {
        Family::Vector | Family::Reduction => [1 << 14, 1 << 22],
        Family::MatrixVector | Family::Update | Family::Movement | Family::VectorSolve => [256, 2048],
        Family::Batch => [16, 4096],
        _ if large => [256, 4096],
        _ => [64, 1024],
    }
}

fn line(context: &Context, family: Family, kind: ScalarKind, large: bool) -> Result<Line> {
    let measure = |n: usize| Ok((family.work(kind, n as u64).operations, seconds_of(context, family, kind, n)?));
    let [few, many] = sizes(family, large);
    Ok(Line::through(measure(few)?, measure(many)?))
}

/// The time of the smallest call.
fn smallest(context: &Context, family: Family, kind: ScalarKind) -> Result<f64> {
    seconds_of(context, family, kind, 1)
}

fn seconds_of(context: &Context, family: Family, kind: ScalarKind, n: usize) -> Result<f64> {
    match kind {
        ScalarKind::S => seconds::<f32>(context, family, n),
        ScalarKind::D => seconds::<f64>(context, family, n),
        ScalarKind::C => seconds::<Complex32>(context, family, n),
        ScalarKind::Z => seconds::<Complex64>(context, family, n),
    }
}

/// The shortest time of a call on operands in the context's memory. They are zeros, and triangles have a diagonal of ones,
/// so that a call can be repeated for ever.
fn seconds<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    let vector = || context.zeros::<T>(n);
    let matrix = || context.zeros::<T>(n * n);
    let (one, lower, unit) = (T::ONE, Triangle::Lower, Diagonal::Unit);
    match family {
        Family::Vector => {
            let (x, mut y) = (vector()?, vector()?);
            shortest(|| affinimath::axpy(one, x.vector()?, y.vector_mut()?)?.wait())
        }
        Family::Reduction => {
            let (x, y) = (vector()?, vector()?);
            shortest(|| affinimath::dot(x.vector()?, y.vector()?).map(drop))
        }
        Family::MatrixVector => {
            let (a, x, mut y) = (matrix()?, vector()?, vector()?);
            shortest(|| affinimath::gemv(Op::Keep, one, a.matrix(n, n)?, x.vector()?, T::ZERO, y.vector_mut()?)?.wait())
        }
        Family::VectorSolve => {
            let (a, mut x) = (matrix()?, vector()?);
            shortest(|| affinimath::trsv(lower, Op::Keep, unit, a.matrix(n, n)?, x.vector_mut()?)?.wait())
        }
        Family::Update => {
            let (x, y, mut a) = (vector()?, vector()?, matrix()?);
            shortest(|| affinimath::ger(one, x.vector()?, y.vector()?, a.matrix_mut(n, n)?)?.wait())
        }
        Family::Product => {
            let (a, b, mut c) = (matrix()?, matrix()?, matrix()?);
            let ops = (Op::Keep, Op::Keep);
            shortest(|| {
                let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                affinimath::gemm(ops.0, ops.1, one, a, b, T::ZERO, c)?.wait()
            })
        }
        Family::RankUpdate => {
            let (a, mut c) = (matrix()?, matrix()?);
            shortest(|| affinimath::syrk(lower, Op::Keep, one, a.matrix(n, n)?, T::ZERO, c.matrix_mut(n, n)?)?.wait())
        }
        Family::TriangularProduct | Family::TriangularSolve => {
            let (a, mut b) = (matrix()?, matrix()?);
            let solve = family == Family::TriangularSolve;
            shortest(|| {
                let (a, b) = (a.matrix(n, n)?, b.matrix_mut(n, n)?);
                let call = if solve { affinimath::trsm } else { affinimath::trmm };
                call(Side::Left, lower, Op::Keep, unit, one, a, b)?.wait()
            })
        }
        Family::Batch => {
            let batch = || context.zeros::<T>(n * 256);
            let (a, b, mut c) = (batch()?, batch()?, batch()?);
            let shape = BatchShape::strided(MatrixShape::new(Layout::ColumnMajor, 16, 16, 0, 16)?, 256, n)?;
            shortest(|| {
                let (a, b, c) = (a.batch(shape)?, b.batch(shape)?, c.batch_mut(shape)?);
                affinimath::gemm_batched(Op::Keep, Op::Keep, one, a, b, T::ZERO, c)?.wait()
            })
        }
        Family::Movement => {
            let (a, mut b) = (matrix()?, matrix()?);
            shortest(|| affinimath::omatcopy(Op::Transpose, one, a.matrix(n, n)?, b.matrix_mut(n, n)?)?.wait())
        }
    }
}

/// Seconds for each byte to the device and back, as a call's operands go: the longer of two calls on the device less the
/// shorter one.
fn per_byte(index: usize) -> Result<[f64; 2]> {
    route::configure(RouteChoice::Device, &DeviceChoice::Index(index))?;
    let length = 16 << 20; // 64 MiB of floats.
    let x = vec![0.0_f32; length];
    let mut y = vec![0.0_f32; length];
    let shape = |n| VectorShape::new(n, 0, 1);
    // A sum reads; a scaling reads and writes.
    let read = |n: usize| shortest(|| affinimath::asum(VectorRef::from_slice(&x[..n], shape(n)?)?).map(drop));
    let to = (read(length)? - read(1 << 12)?).max(0.0);
    let mut both =
        |n: usize| shortest(|| affinimath::scal(0.5_f32, VectorMut::from_slice(&mut y[..n], shape(n)?)?)?.wait());
    let there_and_back = (both(length)? - both(1 << 12)?).max(0.0);
    let bytes = (length * size_of::<f32>()) as f64;
    Ok([to / bytes, (there_and_back - to).max(0.0) / bytes])
}

/// The shortest of several calls, after one that prepares what the first call prepares.
fn shortest(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    const ENOUGH: Duration = Duration::from_millis(60);
    call()?;
    let (mut best, mut calls, begin) = (Duration::MAX, 0, Instant::now());
    while calls < 3 || calls < 100 && begin.elapsed() < ENOUGH {
        let start = Instant::now();
        call()?;
        best = best.min(start.elapsed());
        calls += 1;
    }
    Ok(best.as_secs_f64())
}
