//! The host backend's gemm beside faer's own product: what the BLAS semantics cost, and what the plans bring.
#![allow(missing_docs, reason = "criterion's macros write public functions")]

use std::hint::black_box;

use affinimath::{Complex64, Op, Scalar};
use affinimath_cpu::gemm;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

fn filled<T: Scalar>(rows: usize, columns: usize) -> Mat<T> {
    Mat::from_fn(rows, columns, |i, j| T::from_parts((i % 7) as f64 - 3.0, (j % 5) as f64 - 2.0))
}

/// m, n, k: small, square, a power of two, and skinny.
const SHAPES: [(usize, usize, usize); 8] = [
    (16, 16, 16),
    (100, 100, 100),
    (500, 500, 500),
    (512, 512, 512),
    (1000, 1, 1000),
    (1000, 16, 1000),
    (4, 4000, 400),
    (16, 16, 100_000),
];

fn compare<T: Scalar>(criterion: &mut Criterion) {
    for op_b in [Op::NoTrans, Op::Trans] {
        let mut group = criterion.benchmark_group(format!("host_gemm/{:?}/B {op_b:?}", T::KIND));
        for (m, n, k) in SHAPES {
            let a = filled::<T>(m, k);
            let b = if op_b.transposes() { filled::<T>(n, k) } else { filled(k, n) };
            let mut c = Mat::<T>::zeros(m, n);
            let shape = format!("{m}x{n}x{k}");
            group.bench_function(BenchmarkId::new("affinimath", &shape), |bencher| {
                bencher.iter(|| {
                    gemm(Op::NoTrans, op_b, black_box(T::ONE), a.as_ref(), b.as_ref(), black_box(T::ZERO), c.as_mut())
                })
            });
            let par = if m * n * k < 1 << 20 { Par::Seq } else { Par::rayon(0) };
            group.bench_function(BenchmarkId::new("faer", &shape), |bencher| {
                let b = if op_b.transposes() { b.transpose() } else { b.as_ref() };
                bencher.iter(|| matmul(c.as_mut(), Accum::Replace, a.as_ref(), b, black_box(T::ONE), par))
            });
        }
        group.finish();
    }
}

fn host_gemm(criterion: &mut Criterion) {
    compare::<f64>(criterion);
    compare::<Complex64>(criterion);
}

criterion_group!(benches, host_gemm);
criterion_main!(benches);
