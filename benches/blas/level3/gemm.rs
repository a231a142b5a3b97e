//! gemm by criterion: on the host, and on the first device with its operands in the device's memory.
//!
//! This is for comparing two versions of the library; `affinimath bench gemm` compares it with others.

use std::hint::black_box;

use affinimath::{Buffer, Complex32, Complex64, Context, Device, Op, Result, Scalar, gemm};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// m, n, k: one that fits in a cache, one that does not, and a thin one.
const SIZES: [[usize; 3]; 3] = [[64, 64, 64], [512, 512, 512], [512, 8, 512]];

struct Product<T> {
    size: [usize; 3],
    a: Buffer<T>,
    b: Buffer<T>,
    c: Buffer<T>,
}

impl<T: Scalar> Product<T> {
    fn new(context: &Context, size: [usize; 3]) -> Result<Self> {
        let [m, n, k] = size;
        let mut state = 1_u64;
        // A linear congruential generator: any data will do, as long as it is neither zero nor regular.
        let mut data = |length: usize| -> Vec<T> {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / (1 << 24) as f64 - 0.5
            };
            (0..length).map(|_| T::from_parts(next(), next())).collect()
        };
        Ok(Product {
            size,
            a: context.upload(&data(m * k))?,
            b: context.upload(&data(k * n))?,
            c: context.upload(&data(m * n))?,
        })
    }

    fn run(&mut self) -> Result<()> {
        let [m, n, k] = self.size;
        let (a, b) = (self.a.matrix(m, k)?, self.b.matrix(k, n)?);
        let event = gemm(Op::NoTrans, Op::NoTrans, T::ONE, black_box(a), b, T::ZERO, self.c.matrix_mut(m, n)?)?;
        event.wait()
    }
}

fn bench_type<T: Scalar>(criterion: &mut Criterion, place: &str, context: &Context) {
    let mut group = criterion.benchmark_group(format!("{place}/{}gemm", T::KIND.letter().to_ascii_lowercase()));
    for size in SIZES {
        let [m, n, k] = size;
        let mut product = Product::<T>::new(context, size).expect("the operands fit in memory");
        group.throughput(Throughput::Elements(T::KIND.multiply_add_operations() * (m * n * k) as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("{m}x{n}x{k}")), |bencher| {
            bencher.iter(|| product.run().expect("the product is computed"));
        });
    }
}

fn bench_place(criterion: &mut Criterion, place: &str, context: &Context) {
    bench_type::<f32>(criterion, place, context);
    bench_type::<Complex32>(criterion, place, context);
    if context.device().is_none_or(|device| device.info().fp64) {
        bench_type::<f64>(criterion, place, context);
        bench_type::<Complex64>(criterion, place, context);
    }
}

fn benches(criterion: &mut Criterion) {
    bench_place(criterion, "host", &Context::host());
    match Device::all() {
        Ok(devices) => match Context::open(&devices[0]) {
            Ok(context) => bench_place(criterion, "device", &context),
            Err(error) => eprintln!("the device is left out: {error}"),
        },
        Err(error) => eprintln!("no device is measured: {error}"),
    }
}

criterion_group!(gemm_benches, benches);
criterion_main!(gemm_benches);
