//! Skinny products on tensor cores, and emulated.

use super::tensor::{check_guard, check_rounding, tensor_contexts};
use super::*;

/// Sizes on both sides of the kernel's tiles, fragments and steps, along both sides of C.
const SIZES: [[usize; 3]; 6] = [[1, 1, 1], [5, 40, 9], [33, 8, 70], [66, 16, 33], [66, 17, 33], [9, 64, 130]];

/// A plan that fits into 32 KiB of local memory with the emulated instructions, with at most two warps for more than 16
/// columns.
fn small_plan(problem: &GemmProblem, warps: [usize; 2], split_k: usize, f32_mma: F32Mma) -> GemmPlan {
    let (transpose, n) = (problem.m < problem.n, problem.m.min(problem.n));
    let stages = if warps[0] * warps[1] > 2 { 2 } else { 3 };
    let plan = SkinnyTensorPlan::with_sizes(problem.kind, n, warps, stages, f32_mma);
    GemmPlan::SkinnyTensor(SkinnyTensorPlan { transpose, split_k, ..plan })
}

mod device {
    use super::*;

    /// The library's own plans on devices that have the instructions, also for unaligned operands.
    #[test]
    fn streams_by_the_librarys_own_plans() {
        for context in contexts().iter().filter(|context| TensorUse::of(context).opt_in) {
            let device_info = context.device().info();
            let sizes = [
                [500, 8, 1500],
                [6, 500, 2000],
                [641, 16, 999],
                [13, 300, 1027],
                [300, 24, 1400],
                [32, 257, 1025],
                [64, 31, 2048],
            ];
            for (index, case) in cases(&sizes).iter().enumerate() {
                check_types(context, case, |problem| {
                    GemmPlan::SkinnyTensor(
                        SkinnyTensorPlan::candidates_by_rows(problem, F32Mma::Tf32x3, device_info)[index % 2],
                    )
                });
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn streams_on_tensor_cores() {
        for context in tensor_contexts() {
            for (index, case) in cases(&SIZES).iter().enumerate().step_by(3 * stride(&context)) {
                let is_narrow = case.size[0].min(case.size[1]) <= 16;
                let warps = [[1, 2], [2, 1], [1, 4], [2, 2]][if is_narrow { index % 4 } else { index / 2 % 2 }];
                // A part is a multiple of 64 deep.
                let parts = if index % 2 == 0 { case.size[2].div_ceil(64) } else { 1 };
                check_types(&context, case, |problem| {
                    assert!(SkinnyTensorPlan::can(problem));
                    small_plan(problem, warps, parts, F32Mma::Tf32x3)
                });
            }
        }
    }

    /// Values that the TF32 split cannot hold, or that overflow in it, are multiplied exactly.
    #[test]
    fn streams_leave_tf32_where_it_would_be_wrong() {
        for context in tensor_contexts() {
            for warps in [[1, 2], [2, 1]] {
                check_guard(&context, [40, 7, 20], |problem| small_plan(problem, warps, 1, F32Mma::Tf32x3));
                check_guard(&context, [6, 50, 70], |problem| small_plan(problem, warps, 2, F32Mma::Tf32x3));
            }
        }
    }

    /// The fast mode rounds floats to 11 bits.
    #[test]
    fn streamed_floats_are_rounded_in_fast_mode() {
        for context in tensor_contexts() {
            check_rounding(&context, [33, 10, 50], |problem| small_plan(problem, [1, 2], 1, F32Mma::Tf32));
        }
    }
}
