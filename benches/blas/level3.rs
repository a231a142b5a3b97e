//! Level 3: floating-point operations per second.

use affinimath::{
    Complex32, Complex64, Context, Diag, Op, Result, Scalar, Side, Triangle, gemm, symm, syrk, trmm, trsm,
};
use criterion::Criterion;

use crate::common::{Operands, Routine, Work, bench_table, group, targets};

/// One that fits in a cache, one that does not.
const ORDERS: [usize; 2] = [64, 512];
/// Columns of a thin product.
const THIN: usize = 8;

const fn cube(n: u64) -> Work {
    Work::MultiplyAdds(n * n * n)
}

const fn half_cube(n: u64) -> Work {
    Work::MultiplyAdds(n * n * n / 2)
}

pub fn table<T: Scalar>() -> Vec<Routine<T>> {
    vec![
        Routine::new("gemm-nn", cube, |operands| {
            let (a, b, c) = operands.as_matrices()?;
            gemm(Op::NoTrans, Op::NoTrans, T::ONE, a, b, T::ZERO, c)?.wait()
        }),
        Routine::new("gemm-nt", cube, |operands| {
            let (a, b, c) = operands.as_matrices()?;
            gemm(Op::NoTrans, Op::Trans, T::ONE, a, b, T::ZERO, c)?.wait()
        }),
        Routine::new("symm", cube, |operands| {
            let (a, b, c) = operands.as_matrices()?;
            symm(Side::Left, Triangle::Lower, T::ONE, a, b, T::ZERO, c)?.wait()
        }),
        Routine::new("syrk", half_cube, |operands| {
            let (a, _, c) = operands.as_matrices()?;
            syrk(Triangle::Lower, Op::NoTrans, T::ONE, a, T::ZERO, c)?.wait()
        }),
        Routine::new("trmm", half_cube, |operands| {
            let (a, _, c) = operands.as_matrices()?;
            trmm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, T::ONE, a, c)?.wait()
        })
        .restored(Operands::copy_b),
        Routine::new("trsm", half_cube, |operands| {
            let (a, _, c) = operands.as_matrices()?;
            trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, T::ONE, a, c)?.wait()
        })
        .restored(Operands::copy_b),
    ]
}

/// A matrix times few columns.
fn thin<T: Scalar>() -> Vec<Routine<T>> {
    vec![Routine::new(
        "gemm-thin",
        |n| Work::MultiplyAdds(n * n * THIN as u64),
        |operands| {
            let n = operands.n;
            let (a, b, c) = (operands.a.matrix(n, n)?, operands.b.matrix(n, THIN)?, operands.c.matrix_mut(n, THIN)?);
            gemm(Op::NoTrans, Op::NoTrans, T::ONE, a, b, T::ZERO, c)?.wait()
        },
    )]
}

fn thin_operands<T: Scalar>(context: &Context, n: usize) -> Result<Operands<T>> {
    Operands::new(context, n, [n * n, n * THIN, n * THIN])
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "level3");
    for target in targets() {
        bench_table::<f32>(&mut group, &target, &ORDERS, Operands::matrices, &table());
        bench_table::<f32>(&mut group, &target, &[1024], thin_operands, &thin());
        // Its other two types: products are where all four have kernels of their own.
        bench_table::<Complex32>(&mut group, &target, &ORDERS, Operands::matrices, &table()[..1]);
        if target.has_doubles() {
            bench_table::<f64>(&mut group, &target, &ORDERS, Operands::matrices, &table()[..1]);
            bench_table::<Complex64>(&mut group, &target, &ORDERS, Operands::matrices, &table());
        }
    }
}
