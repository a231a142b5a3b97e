//! Level 2, bound by memory: bytes per second.

use affinimath::{Complex64, Diag, Op, Scalar, Triangle, gemv, ger, symv, trmv, trsv};
use criterion::Criterion;

use crate::common::{Operands, Routine, Work, bench_table, group, targets};

const ORDERS: [usize; 2] = [128, 1024];

const fn triangle(n: u64) -> Work {
    Work::Elements(n * (n + 1) / 2)
}

pub fn table<T: Scalar>() -> Vec<Routine<T>> {
    vec![
        Routine::new(
            "gemv-n",
            |n| Work::Elements(n * n),
            |operands| {
                let (a, x, y) = operands.as_matrix_and_vectors()?;
                gemv(Op::NoTrans, T::ONE, a, x, T::ZERO, y)?.wait()
            },
        ),
        Routine::new(
            "gemv-t",
            |n| Work::Elements(n * n),
            |operands| {
                let (a, x, y) = operands.as_matrix_and_vectors()?;
                gemv(Op::Trans, T::ONE, a, x, T::ZERO, y)?.wait()
            },
        ),
        Routine::new(
            "ger",
            |n| Work::Elements(2 * n * n),
            |operands| {
                let n = operands.n;
                let (x, y) = (operands.b.vector()?, operands.c.vector()?);
                ger(T::from_parts(1e-6, 0.0), x, y, operands.a.matrix_mut(n, n)?)?.wait()
            },
        ),
        Routine::new("symv", triangle, |operands| {
            let (a, x, y) = operands.as_matrix_and_vectors()?;
            symv(Triangle::Lower, T::ONE, a, x, T::ZERO, y)?.wait()
        }),
        Routine::new("trmv", triangle, |operands| {
            let (a, _, y) = operands.as_matrix_and_vectors()?;
            trmv(Triangle::Upper, Op::NoTrans, Diag::NonUnit, a, y)?.wait()
        })
        .restored(Operands::copy_b),
        Routine::new("trsv", triangle, |operands| {
            let (a, _, y) = operands.as_matrix_and_vectors()?;
            trsv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, a, y)?.wait()
        })
        .restored(Operands::copy_b),
    ]
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "level2");
    for target in targets() {
        bench_table::<f32>(&mut group, &target, &ORDERS, Operands::matrix_and_vectors, &table());
        if target.has_doubles() {
            bench_table::<Complex64>(&mut group, &target, &ORDERS, Operands::matrix_and_vectors, &table());
        }
    }
}
