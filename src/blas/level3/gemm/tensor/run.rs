//! The launches of a product.

use std::mem;

use affinimath_core::problem::gemm::GemmProblem;

use super::super::arguments::{Form, definitions};
use super::super::call::GemmCall;
use super::operands::Prepared;
use super::parameters::Unit;
use super::plan::{CHUNK_BYTES, Guard, Limited, TensorPlan, copy_bytes};
use crate::blas::level3::gemm::GemmArguments;
use crate::blas::level3::gemm::tensor::operands::AroundArguments;
use crate::context::{ContextParts, Event, Scratch};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

macro_rules! files {
    ($copies:literal, $instructions:literal, $($arithmetic:literal),+) => {
        &[
            include_str!("../../../../../cl/blas/level3/gemm/structure.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tiles.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/too_small.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tensor_chunk.cl"),
            include_str!(concat!("../../../../../cl/blas/level3/gemm/", $copies)),
            include_str!(concat!("../../../../../cl/blas/level3/gemm/", $instructions)),
            include_str!("../../../../../cl/blas/level3/gemm/tensor_slice.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tensor_sums.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tensor_tile.cl"),
            $(include_str!(concat!("../../../../../cl/blas/level3/gemm/", $arithmetic)),)+
            include_str!("../../../../../cl/blas/level3/gemm/tile_sum.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tensor_strip.cl"),
            include_str!("../../../../../cl/blas/level3/gemm/tensor.cl"),
        ]
    };
}

const NVIDIA_F64: &[&str] = files!("copy_nvidia.cl", "tensor_nvidia.cl", "tensor_f64.cl");
const NVIDIA_TF32: &[&str] = files!(
    "copy_nvidia.cl",
    "tensor_nvidia.cl",
    "tensor_halves.cl",
    "tensor_products.cl",
    "tensor_tf32.cl",
    "tensor_exact.cl"
);
const NVIDIA_GROUP: &[&str] = files!(
    "copy_nvidia.cl",
    "tensor_nvidia.cl",
    "tensor_halves.cl",
    "tensor_group_nvidia.cl",
    "tensor_group.cl",
    "tensor_exact.cl"
);
const EMULATED_F64: &[&str] = files!("copy_emulated.cl", "tensor_emulated.cl", "tensor_f64.cl");
const EMULATED_TF32: &[&str] = files!(
    "copy_emulated.cl",
    "tensor_emulated.cl",
    "tensor_halves.cl",
    "tensor_products.cl",
    "tensor_tf32.cl",
    "tensor_exact.cl"
);
const EMULATED_GROUP: &[&str] = files!(
    "copy_emulated.cl",
    "tensor_emulated.cl",
    "tensor_halves.cl",
    "tensor_group_emulated.cl",
    "tensor_group.cl",
    "tensor_exact.cl"
);

fn source(problem: &GemmProblem, plan: &TensorPlan, device: &DeviceInfo) -> ProgramSource {
    let parameters = &plan.parameters;
    let mut sizes = vec![
        ("TILE_M", parameters.tile[0] as i64),
        ("TILE_N", parameters.tile[1] as i64),
        ("TILE_K", parameters.depth as i64),
        ("WARP_M", parameters.warp[0] as i64),
        ("WARP_N", parameters.warp[1] as i64),
        ("THREADS", parameters.work_group_size() as i64),
        ("STAGES", parameters.stages as i64),
        ("BAND", parameters.band as i64),
        ("SPLIT", i64::from(plan.guard != Guard::None)),
        ("GUARD", plan.guard as i64),
        ("IN_PARTS", i64::from(plan.split_tiles(problem) > 0)),
        ("STRIP", plan.strip_width() as i64),
        ("LOOPS", i64::from(plan.groups.is_some())),
        ("LIMITED", Limited::of(problem) as i64),
        ("A_ALONG_M", i64::from(problem.a.row_stride == 1)),
        ("B_ALONG_N", i64::from(problem.b.column_stride == 1)),
        ("COPY_A", copy_bytes(problem.kind, &problem.a) as i64),
        ("COPY_B", copy_bytes(problem.kind, &problem.b) as i64),
        ("A_IS_PADDED", i64::from(plan.pads[0])),
        ("B_IS_PADDED", i64::from(plan.pads[1])),
    ];
    sizes.extend(definitions(problem, problem.target));
    let files = match (device.nvidia.inline_ptx, problem.kind.is_double(), parameters.unit) {
        (true, true, _) => NVIDIA_F64,
        (true, false, Unit::Warp) => NVIDIA_TF32,
        (true, false, Unit::Group) => NVIDIA_GROUP,
        (false, true, _) => EMULATED_F64,
        (false, false, Unit::Warp) => EMULATED_TF32,
        (false, false, Unit::Group) => EMULATED_GROUP,
    };
    ProgramSource { name: "gemm tensor", kind: problem.kind, files, definitions: sizes }
}

pub(in crate::blas::level3::gemm) fn run<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    plan: &TensorPlan,
) -> Result<Event> {
    let context = call.queue.context();
    let prepared = match Prepared::new(call, problem, plan) {
        // Without copies it takes longer.
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
    // Blocks in which parts are summed: a chunk for each work-item.
    let blocks = split * tile_m * tile_n * T::KIND.bytes() / CHUNK_BYTES / work_group_size;
    let local = [work_group_size, 1, 1];
    let partial = match split {
        0 => None,
        _ => Some(Scratch::borrow(call.queue, (plan.partial_elements(problem) * T::KIND.bytes()) as u64)?),
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
        let launch = match Limited::of(problem) {
            Limited::No => launch,
            Limited::ByRows => launch.structure(&problem.a.structure),
            Limited::ByColumns => launch.structure(&problem.b.transposed().structure),
        };
        match &partial {
            None => launch,
            Some(partial) => {
                let part_depth = plan.parameters.tiles(&inner).part_depth(plan.depth_parts);
                launch.scratch(partial).index(plan.whole_tiles).index(split).index(part_depth)
            }
        }
    };
    let product = launch("gemm_tensor");
    let product = match strips {
        0 => product,
        _ => product.index(products).index(problem.m).index(problem.n),
    };
    let product = product.around(prepared.around.as_ref());
    let product = match plan.groups {
        Some(_) => product.index(products),
        None => product,
    };
    let again = prepared.around.as_ref().map(|around| {
        let groups = plan.groups.unwrap_or(context.device().info().compute_units).clamp(1, products);
        (launch("gemm_tensor_again").scratch(&around.again).index(products), groups)
    });
    let sum = partial.as_ref().map(|_| (launch("gemm_tensor_sum"), blocks));
    let mut last = (product, plan.groups.unwrap_or(products + strips));
    for next in [again, sum].into_iter().flatten() {
        let (launch, groups) = mem::replace(&mut last, next);
        launch.enqueue_step([groups, 1, 1], local)?;
    }
    last.0.enqueue([last.1, 1, 1], local)
}
