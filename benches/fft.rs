//! Fourier transforms: 5 N log2 N operations per second (half of it for real ones), which is what they are commonly
//! counted as.

use affinimath::{Buffer, Direction, FftDescriptor, FftPlan, FftReal, Result, Scalar, Transform};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

use crate::common::{Target, group, random, targets};

const COMPLEX: Transform = Transform::Complex(Direction::Forward);

/// Transform, lengths, and how many of them.
const CASES: [(Transform, &[usize], usize); 7] = [
    (COMPLEX, &[1 << 12], 1),
    (COMPLEX, &[1 << 18], 1),
    // Radices 2, 3, 5 and 7, and a prime (Bluestein).
    (COMPLEX, &[2 * 3 * 5 * 7 * 12], 64),
    (COMPLEX, &[1009], 64),
    (COMPLEX, &[256], 1024),
    (COMPLEX, &[256, 256], 1),
    (Transform::RealToComplex, &[1 << 18], 1),
];

fn bench_case<R: FftReal>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    target: &Target,
    (transform, lengths, batch): (Transform, &[usize], usize),
) -> Result<()> {
    let points: usize = lengths.iter().product();
    let is_real = transform == Transform::RealToComplex;
    let plan = FftPlan::<R>::new(FftDescriptor::new(transform, lengths).batch(batch))?;
    let mut output = target.context.zeros::<R::Complex>(plan.output_length())?;
    let lengths = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    let letter = R::KIND.letter().to_ascii_lowercase();
    let name = format!("{}/{letter}{}", target.name, if is_real { "r2c" } else { "c2c" });
    let operations = 5.0 * (points * batch) as f64 * (points as f64).log2() / if is_real { 2.0 } else { 1.0 };
    group.throughput(Throughput::Elements(operations as u64));
    let id = BenchmarkId::new(name, format!("{lengths}*{batch}"));
    if is_real {
        let input: Buffer<R> = target.context.upload(&random(plan.input_length(), 1))?;
        group.bench_function(id, |bencher| {
            bencher.iter(|| execute(&plan, &input, &mut output).expect("it is transformed"))
        });
    } else {
        let input: Buffer<R::Complex> = target.context.upload(&random(plan.input_length(), 1))?;
        group.bench_function(id, |bencher| {
            bencher.iter(|| execute(&plan, &input, &mut output).expect("it is transformed"))
        });
    }
    Ok(())
}

fn execute<R: FftReal, I: Scalar>(plan: &FftPlan<R>, input: &Buffer<I>, output: &mut Buffer<R::Complex>) -> Result<()> {
    plan.execute(input.vector()?, output.vector_mut()?)?.wait()
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "fft");
    for target in targets() {
        for case in CASES {
            bench_case::<f32>(&mut group, &target, case).expect("the transform is possible");
            if target.has_doubles() {
                bench_case::<f64>(&mut group, &target, case).expect("the transform is possible");
            }
        }
    }
}
