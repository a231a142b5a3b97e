//! Factorisations and what they solve: floating-point operations per second.

use affinimath::{
    Complex64, Norm, Result, Scalar, Triangle, VectorShape, copy, geqrf, gesv, getrf, lange, posv, potrf,
};
use criterion::Criterion;

use crate::common::{Operands, Routine, Work, bench_table, group, targets};

const ORDERS: [usize; 2] = [64, 512];

pub fn table<T: Scalar>() -> Vec<Routine<T>> {
    vec![
        Routine::new(
            "potrf",
            |n| Work::MultiplyAdds(n * n * n / 6),
            |operands| potrf(Triangle::Lower, operands.as_matrices()?.2),
        )
        .restored(Operands::copy_a),
        Routine::new(
            "getrf",
            |n| Work::MultiplyAdds(n * n * n / 3),
            |operands| {
                let mut pivots = vec![0; operands.n];
                getrf(operands.as_matrices()?.2, &mut pivots)
            },
        )
        .restored(Operands::copy_b),
        Routine::new(
            "geqrf",
            |n| Work::MultiplyAdds(2 * n * n * n / 3),
            |operands| {
                let mut tau = vec![T::ZERO; operands.n];
                geqrf(operands.as_matrices()?.2, &mut tau)
            },
        )
        .restored(Operands::copy_b),
    ]
}

/// `a` in `c`, and its first column in `b`.
fn restore_system<T: Scalar>(operands: &mut Operands<T>) -> Result<()> {
    let column = VectorShape::new(operands.n, 0, 1)?;
    copy(operands.a.vector_view(column)?, operands.b.vector_view_mut(column)?)?.wait()?;
    operands.copy_a()
}

/// With one right-hand side, in `b`.
fn systems<T: Scalar>() -> Vec<Routine<T>> {
    vec![
        Routine::new(
            "posv",
            |n| Work::MultiplyAdds(n * n * n / 6 + n * n),
            |operands| {
                let n = operands.n;
                posv(Triangle::Lower, operands.c.matrix_mut(n, n)?, operands.b.matrix_mut(n, 1)?)
            },
        )
        .restored(restore_system),
        Routine::new(
            "gesv",
            |n| Work::MultiplyAdds(n * n * n / 3 + n * n),
            |operands| {
                let (n, mut pivots) = (operands.n, vec![0; operands.n]);
                gesv(operands.c.matrix_mut(n, n)?, &mut pivots, operands.b.matrix_mut(n, 1)?)
            },
        )
        .restored(restore_system),
        Routine::new(
            "lange-1",
            |n| Work::Elements(n * n),
            |operands| lange(Norm::One, operands.as_matrices()?.0).map(drop),
        ),
    ]
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "lapack");
    for target in targets() {
        bench_table::<f32>(&mut group, &target, &ORDERS, Operands::matrices, &table());
        if target.has_doubles() {
            bench_table::<f64>(&mut group, &target, &ORDERS, Operands::matrices, &systems());
            bench_table::<Complex64>(&mut group, &target, &ORDERS, Operands::matrices, &table());
        }
    }
}
