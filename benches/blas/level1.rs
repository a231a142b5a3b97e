//! Level 1, bound by memory: bytes per second.

use affinimath::{Complex64, Op, Scalar, asum, axpy, copy, dot, iamax, nrm2, omatcopy, scal};
use criterion::Criterion;

use crate::common::{Operands, Routine, Work, bench_table, group, targets};

/// One that fits in a cache, one that does not.
const LENGTHS: [usize; 2] = [1 << 12, 1 << 20];

pub fn table<T: Scalar>() -> Vec<Routine<T>> {
    vec![
        Routine::new(
            "axpy",
            |n| Work::Elements(3 * n),
            |operands| {
                let (x, _, y) = operands.as_vectors()?;
                axpy(T::from_parts(1e-3, 0.0), x, y)?.wait()
            },
        ),
        Routine::new(
            "scal",
            |n| Work::Elements(2 * n),
            |operands| scal(T::from_parts(-1.0, 0.0), operands.c.vector_mut()?)?.wait(),
        ),
        Routine::new(
            "copy",
            |n| Work::Elements(2 * n),
            |operands| {
                let (x, _, y) = operands.as_vectors()?;
                copy(x, y)?.wait()
            },
        ),
        Routine::new(
            "dot",
            |n| Work::Elements(2 * n),
            |operands| {
                let (x, y, _) = operands.as_vectors()?;
                dot(x, y).map(drop)
            },
        ),
        Routine::new("nrm2", Work::Elements, |operands| nrm2(operands.a.vector()?).map(drop)),
        Routine::new("asum", Work::Elements, |operands| asum(operands.a.vector()?).map(drop)),
        Routine::new("iamax", Work::Elements, |operands| iamax(operands.a.vector()?).map(drop)),
    ]
}

/// Movement of matrices, in the same group.
fn movement<T: Scalar>() -> Vec<Routine<T>> {
    vec![Routine::new(
        "omatcopy-t",
        |n| Work::Elements(2 * n * n),
        |operands| {
            let (a, _, c) = operands.as_matrices()?;
            omatcopy(Op::Trans, T::ONE, a, c)?.wait()
        },
    )]
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "level1");
    for target in targets() {
        bench_table::<f32>(&mut group, &target, &LENGTHS, Operands::vectors, &table());
        bench_table::<f32>(&mut group, &target, &[512], Operands::matrices, &movement());
        if target.has_doubles() {
            bench_table::<Complex64>(&mut group, &target, &LENGTHS, Operands::vectors, &table());
        }
    }
}
