//! Direct-mapped cache of chosen plans: a choice takes as long as a kernel launch.

use std::cell::RefCell;

use affinimath_core::problem::gemm::{GemmProblem, Operand};

use super::limits::Limits;
use super::plan::GemmPlan;

/// Plans per thread; a newer plan replaces the one in its slot.
const SLOTS: usize = 64;

/// Offsets are equal modulo this for plans: a multiple of every alignment that they check, in elements.
const ALIGNED: usize = 16;

/// All that a plan depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PlanKey {
    /// Identifies the device and its tuning: see [`Tuned::version`](crate::tuning::tuned::Tuned::version).
    version: u64,
    problem: GemmProblem,
    limits: Limits,
}

impl PlanKey {
    fn slot(&self) -> usize {
        let GemmProblem { m, n, k, a, b, .. } = self.problem;
        let values =
            [m, n, k, a.row_stride, a.column_stride, b.row_stride, b.column_stride, self.problem.kind as usize];
        let mixed = values.into_iter().fold(self.version, |mixed, value| {
            (mixed.rotate_left(5) ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (mixed >> 32) as usize % SLOTS
    }
}

thread_local! {
    static CACHE: RefCell<Vec<Option<(PlanKey, GemmPlan)>>> = const { RefCell::new(Vec::new()) };
}

/// The cached plan for a problem, or the result of `choose`.
pub(super) fn plan(
    version: u64,
    problem: &GemmProblem,
    limits: &Limits,
    choose: impl FnOnce() -> GemmPlan,
) -> GemmPlan {
    let aligned = |operand: Operand| Operand { offset: operand.offset % ALIGNED, ..operand };
    let [a, b, c] = [problem.a, problem.b, problem.c].map(aligned);
    let key = PlanKey { version, problem: GemmProblem { a, b, c, ..*problem }, limits: *limits };
    let slot = key.slot();
    // A program that multiplies while it exits has no thread's memory any more.
    let cache = CACHE.try_with(|cache| cache.borrow().get(slot).copied().flatten());
    if let Ok(Some((cached_key, plan))) = cache
        && cached_key == key
    {
        return plan;
    }
    let plan = choose();
    let _ = CACHE.try_with(|cache| {
        let mut cache = cache.borrow_mut();
        cache.resize(SLOTS, None);
        cache[slot] = Some((key, plan));
    });
    plan
}

#[cfg(test)]
mod host {
    use std::cell::Cell;

    use super::*;
    use crate::blas::level3::gemm::limits::TensorUse;
    use crate::options::{Layout, Op};
    use crate::scalar::ScalarKind;
    use crate::view::MatrixShape;

    #[test]
    fn a_plan_is_chosen_once_for_what_it_depends_on() {
        let chosen = Cell::new(0);
        let ask = |version, kind, n, offset, workspace_bytes| {
            let shape = MatrixShape::new(Layout::ColumnMajor, n, n, offset, n).unwrap();
            let problem = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape, &shape, &shape).unwrap();
            let limits = Limits { workspace_bytes, tensor: TensorUse::NONE, copies: false, units: None };
            plan(version, &problem, &limits, || {
                chosen.set(chosen.get() + 1);
                GemmPlan::Nothing
            });
            chosen.replace(0)
        };
        let version = u64::MAX;
        assert_eq!(ask(version, ScalarKind::S, 5, 0, 1), 1);
        assert_eq!(ask(version, ScalarKind::S, 5, 0, 1), 0);
        assert_eq!(ask(version, ScalarKind::S, 5, 16, 1), 0);
        assert_eq!(ask(version, ScalarKind::S, 5, 1, 1), 1);
        assert_eq!(ask(version, ScalarKind::D, 5, 1, 1), 1);
        assert_eq!(ask(version, ScalarKind::D, 6, 1, 1), 1);
        assert_eq!(ask(version, ScalarKind::D, 6, 1, 2), 1);
        assert_eq!(ask(version - 1, ScalarKind::D, 6, 1, 2), 1);
    }

    #[test]
    fn more_problems_than_slots_keep_their_own_plans() {
        for n in (1..200).chain(1..200) {
            let shape = MatrixShape::new(Layout::ColumnMajor, n, n, 0, n).unwrap();
            let problem = GemmProblem::new(ScalarKind::S, Op::NoTrans, Op::NoTrans, &shape, &shape, &shape).unwrap();
            let limits = Limits { workspace_bytes: n as u64, tensor: TensorUse::NONE, copies: false, units: None };
            let own = if n % 2 == 0 { GemmPlan::Nothing } else { GemmPlan::Scale };
            assert_eq!(plan(u64::MAX - 2, &problem, &limits, || own), own);
        }
    }
}
