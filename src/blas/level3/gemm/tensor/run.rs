//! The launches of a product.

use std::mem;

use affinimath_core::problem::gemm::GemmProblem;

use super::super::arguments::{Form, definitions};
use super::super::call::GemmCall;
use super::operands::PreparedOperands;
use super::parameters::MmaScope;
use super::plan::{CHUNK_BYTES, Guard, KLimit, TensorPlan, copy_bytes};
use crate::blas::level3::gemm::GemmArguments;
use crate::blas::level3::gemm::tensor::operands::GuardArguments;
use crate::context::{ContextParts, Event, Workspace};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::{self, HIDDEN_PTX, ProgramSource};
use crate::scalar::Scalar;

fn source(problem: &GemmProblem, plan: &TensorPlan, device: &DeviceInfo) -> ProgramSource {
    let parameters = &plan.parameters;
    let is_warpgroup = !problem.kind.is_double() && parameters.scope == MmaScope::WarpGroup;
    let mut sizes = vec![
        ("TILE_M", parameters.tile[0] as i64),
        ("TILE_N", parameters.tile[1] as i64),
        ("TILE_K", parameters.tile_k as i64),
        ("WARP_M", parameters.warp[0] as i64),
        ("WARP_N", parameters.warp[1] as i64),
        ("THREADS", parameters.work_group_size() as i64),
        ("STAGES", parameters.stages as i64),
        ("GROUP_N", parameters.swizzle as i64),
        ("SPLIT", i64::from(plan.guard != Guard::None)),
        ("GUARD", plan.guard as i64),
        ("SPLIT_K", i64::from(plan.split_tiles(problem) > 0)),
        ("STRIP", plan.strip_width() as i64),
        ("PERSISTENT", i64::from(plan.groups.is_some())),
        ("LIMITED", KLimit::of(problem) as i64),
        ("A_ALONG_M", i64::from(problem.a.row_stride == 1)),
        ("B_ALONG_N", i64::from(problem.b.column_stride == 1)),
        ("COPY_A", copy_bytes(problem.kind, &problem.a) as i64),
        ("COPY_B", copy_bytes(problem.kind, &problem.b) as i64),
        ("A_IS_PADDED", i64::from(plan.pads[0])),
        ("B_IS_PADDED", i64::from(plan.pads[1])),
        ("WARPGROUP", i64::from(is_warpgroup)),
        ("NVIDIA", i64::from(device.nvidia.inline_ptx)),
        (HIDDEN_PTX, i64::from(is_warpgroup && device.nvidia.inline_ptx)),
    ];
    sizes.extend(definitions(problem, problem.target));
    ProgramSource {
        name: "gemm tensor",
        kind: problem.kind,
        root: program::source("blas/level3/gemm/tensor/tensor.cl"),
        definitions: sizes,
    }
}

pub(in crate::blas::level3::gemm) fn run<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    plan: &TensorPlan,
) -> Result<Event> {
    let context = call.queue.context();
    let prepared = match PreparedOperands::new(call, problem, plan) {
        // Padding is optional.
        Err(Error::OutOfDeviceMemory { .. }) if plan.pads != [false; 2] => {
            return run(call, problem, &TensorPlan { pads: [false; 2], ..*plan });
        }
        prepared => prepared?,
    };
    let ([a, b], problem) = (prepared.memories(call), &prepared.problem);
    let program = context.program(&source(problem, plan, context.device().info()))?;
    let [tile_m, tile_n] = plan.parameters.tile;
    let (split, work_group_size) = (plan.split_tiles(problem), plan.parameters.work_group_size());
    let products = plan.products(problem);
    // Groups of the split-K sum: a chunk for each work-item.
    let blocks = split * tile_m * tile_n * T::KIND.bytes() / CHUNK_BYTES / work_group_size;
    let local = [work_group_size, 1, 1];
    let partial = match split {
        0 => None,
        _ => Some(Workspace::borrow(call.queue, (plan.partial_elements(problem) * T::KIND.bytes()) as u64)?),
    };
    let (inner, strips) = (plan.of_tiles(problem), plan.strip_count(problem));
    let launch = |kernel| {
        let launch = Launch::new(call.queue, &program, kernel)
            .index(inner.m)
            .index(inner.n)
            .index(problem.k)
            .scalar(call.alpha)
            .operand(a, &problem.a)
            .operand(b, &problem.b)
            .scalar(call.beta)
            .buffer(call.c)
            .index(problem.c.offset)
            .index(problem.c.column_stride)
            .triangle(Form::STRUCTURED, &problem.target);
        let launch = match KLimit::of(problem) {
            KLimit::None => launch,
            KLimit::ByRows => launch.structure(&problem.a.structure),
            KLimit::ByColumns => launch.structure(&problem.b.transposed().structure),
        };
        match &partial {
            None => launch,
            Some(partial) => {
                let part_k = plan.parameters.tiles(&inner).part_k(plan.split_k);
                launch.workspace(partial).index(plan.whole_tiles).index(split).index(part_k)
            }
        }
    };
    let product = launch("gemm_tensor");
    let product = match strips {
        0 => product,
        _ => product.index(products).index(problem.m).index(problem.n),
    };
    let product = product.guard_buffers(prepared.guard_buffers.as_ref());
    let product = match plan.groups {
        Some(_) => product.index(products),
        None => product,
    };
    let again = prepared.guard_buffers.as_ref().map(|guard_buffers| {
        let groups = plan.groups.unwrap_or(context.device().info().compute_units).clamp(1, products);
        (launch("gemm_tensor_again").workspace(&guard_buffers.again).index(products), groups)
    });
    let sum = partial.as_ref().map(|_| (launch("gemm_tensor_sum"), blocks));
    let mut last = (product, plan.groups.unwrap_or(products + strips));
    for next in [again, sum].into_iter().flatten() {
        let (launch, groups) = mem::replace(&mut last, next);
        launch.enqueue_step([groups, 1, 1], local)?;
    }
    last.0.enqueue([last.1, 1, 1], local)
}
