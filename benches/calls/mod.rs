//! Small calls: calls per second of routines whose arithmetic takes less time than all around it. `calls.c` has the C
//! interfaces' ones.

use affinimath::{Complex64, Scalar};
use criterion::Criterion;

use crate::blas::{level1, level2, level3};
use crate::common::{Operands, Routine, Work, bench_table, group, targets};
use crate::lapack;

const ORDERS: [usize; 3] = [1, 4, 16];
/// Routines, each for its kind.
const NAMES: [&str; 8] = ["axpy", "dot", "gemv-n", "trsv", "gemm-nn", "trsm", "potrf", "getrf"];

fn calls<T>(table: Vec<Routine<T>>) -> Vec<Routine<T>> {
    let chosen = table.into_iter().filter(|routine| NAMES.contains(&routine.name));
    chosen.map(|routine| Routine { work: |_| Work::Calls, ..routine }).collect()
}

pub fn benches(criterion: &mut Criterion) {
    fn bench_type<T: Scalar>(criterion: &mut Criterion, is_double: bool) {
        let mut group = group(criterion, "calls");
        for target in targets().iter().filter(|target| !is_double || target.has_doubles()) {
            bench_table::<T>(&mut group, target, &ORDERS, Operands::vectors, &calls(level1::table()));
            bench_table::<T>(&mut group, target, &ORDERS, Operands::matrix_and_vectors, &calls(level2::table()));
            bench_table::<T>(&mut group, target, &ORDERS, Operands::matrices, &calls(level3::table()));
            bench_table::<T>(&mut group, target, &ORDERS, Operands::matrices, &calls(lapack::table()));
        }
    }
    bench_type::<f32>(criterion, false);
    bench_type::<Complex64>(criterion, true);
}
