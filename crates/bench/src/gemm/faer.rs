//! faer's own product, with as many of rayon's threads as our host route uses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Op, Scalar};
use affinimath_cpu as host;
use faer::linalg::matmul::matmul_with_conj;
use faer::{Accum, Conj, MatMut, MatRef, Par};

use super::data::GemmData;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;

struct FaerGemm<T> {
    data: Arc<GemmData<T>>,
    c: Vec<T>,
}

/// faer on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<GemmData<T>>) -> Entrant<'a> {
    Ok(Box::new(FaerGemm { data: data.clone(), c: data.random_c() }))
}

impl<T: Scalar> Contender for FaerGemm<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let GemmData { case, a, b, .. } = &*self.data;
        let (conj_a, conj_b) = (conj(case.op_a), conj(case.op_b));
        let par = match host::threads() {
            1 => Par::Seq,
            threads => Par::rayon(threads),
        };
        let start = Instant::now();
        for _ in 0..repetitions {
            let a = operand(a, case.stored_a(), case.op_a);
            let b = operand(b, case.stored_b(), case.op_b);
            let c = MatMut::from_column_major_slice_mut(&mut self.c, case.m, case.n);
            matmul_with_conj(c, Accum::Replace, a, conj_a, b, conj_b, T::ONE, par);
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.c))
    }
}

fn operand<T>(data: &[T], (rows, columns): (usize, usize), op: Op) -> MatRef<'_, T> {
    let stored = MatRef::from_column_major_slice(data, rows, columns);
    if op.transposes() { stored.transpose() } else { stored }
}

const fn conj(op: Op) -> Conj {
    if op.conjugates() { Conj::Yes } else { Conj::No }
}
