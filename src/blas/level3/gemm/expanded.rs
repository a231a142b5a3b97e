//! Products of a structured operand on tensor cores, whose kernels copy slices as they are stored. The operand is
//! expanded to a general matrix in workspace, slab by slab, and multiplied from there. A triangle is filled with
//! zeros, and slices that hold only zeros of it are skipped.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::{Structure, Target};

use super::call::GemmCall;
use super::chip::Chip;
use super::family::{Family, Feature};
#[cfg(test)]
use super::limits::F32Mma;
use super::limits::Limits;
use super::tensor::{self, TensorParameters, TensorPlan};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{self, ProgramSource};
use crate::scalar::Scalar;

/// Rows and columns of a work-group's tile, and its work-items.
const TILE: usize = 32;
const THREADS: usize = 256;
/// Elements that columns of a copy begin at multiples of: at least 16 bytes in all types.
const ALIGNED: usize = 8;
/// Rows or columns that are written out at a time, if not all: multiples of all tiles.
const SLAB: usize = 256;

/// The plan of a product with one structured operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandedPlan {
    /// Rows of A, or columns of B, that are written out at a time.
    pub slab: usize,
    /// Plan of the expanded products.
    pub tensor: TensorPlan,
}

/// The side of a problem's structured operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    A,
    B,
}

impl Side {
    /// That of the only structured operand.
    const fn of(problem: &GemmProblem) -> Option<Self> {
        match (problem.a.structure, problem.b.structure) {
            (Structure::Mirrored(..) | Structure::Triangular(..), Structure::General) => Some(Side::A),
            (Structure::General, Structure::Mirrored(..) | Structure::Triangular(..)) => Some(Side::B),
            _ => None,
        }
    }

    /// Rows of A, or columns of B.
    const fn extent(self, problem: &GemmProblem) -> usize {
        match self {
            Side::A => problem.m,
            Side::B => problem.n,
        }
    }

    /// Elements between the columns of a copy of `size` rows of A, or columns of B.
    const fn column_stride(self, problem: &GemmProblem, size: usize) -> usize {
        match self {
            Side::A => size.next_multiple_of(ALIGNED),
            Side::B => problem.k.next_multiple_of(ALIGNED),
        }
    }

    /// Elements of such a copy.
    const fn elements(self, problem: &GemmProblem, size: usize) -> usize {
        let columns = match self {
            Side::A => problem.k,
            Side::B => size,
        };
        columns.saturating_mul(self.column_stride(problem, size))
    }

    /// The product of `size` rows of A or columns of B from `first` on: the operand as stored, and the problem with its
    /// copy.
    fn subproblem(self, problem: &GemmProblem, first: usize, size: usize) -> (Operand, GemmProblem) {
        let mut subproblem = *problem;
        let (operand, shifted) = match self {
            Side::A => (&mut subproblem.a, [first, 0]),
            Side::B => (&mut subproblem.b, [0, first]),
        };
        let original = operand.shifted(shifted[0], shifted[1]);
        let structure = match original.structure {
            Structure::Triangular(trapezoid, _) => Structure::Filled(trapezoid),
            _ => Structure::General,
        };
        *operand = Operand { structure, ..Operand::general(0, 1, self.column_stride(problem, size)) };
        subproblem.c = problem.c.shifted(shifted[0], shifted[1]);
        match self {
            Side::A => subproblem.m = size,
            Side::B => subproblem.n = size,
        }
        (original, subproblem)
    }
}

impl ExpandedPlan {
    /// `None` unless exactly one operand is structured and the tensor family takes the expanded problem.
    pub(super) fn choose(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Option<Self> {
        let side = Side::of(problem).filter(|_| problem.target == Target::Whole)?;
        let (extent, bytes) = (side.extent(problem), problem.kind.bytes() as u64);
        let workspace_bytes = limits.workspace_bytes / 2;
        let fits = |size: usize| side.elements(problem, size) as u64 * bytes <= workspace_bytes;
        let slab = if fits(extent) {
            extent
        } else {
            let limit = (workspace_bytes / (problem.k as u64 * bytes)) as usize / SLAB * SLAB;
            Some(limit.saturating_sub(SLAB)).filter(|slab| *slab >= SLAB && *slab < extent && fits(*slab))?
        };
        let (_, subproblem) = side.subproblem(problem, 0, slab);
        let limits = Limits { workspace_bytes, ..*limits };
        TensorPlan::choose(&subproblem, device, &limits, tile).map(|tensor| ExpandedPlan { slab, tensor })
    }

    /// A plan for given tiles.
    #[cfg(test)]
    pub(in crate::blas::level3) fn with_parameters(
        problem: &GemmProblem,
        slab: usize,
        parameters: TensorParameters,
        f32_mma: F32Mma,
    ) -> Self {
        let side = Side::of(problem).expect("a structured operand");
        let slab = slab.min(side.extent(problem));
        let (_, subproblem) = side.subproblem(problem, 0, slab);
        ExpandedPlan { slab, tensor: TensorPlan::with_parameters(&subproblem, parameters, 1, f32_mma) }
    }

    /// See [`super::tiles::Tiles::cost`].
    fn fmas(&self, problem: &GemmProblem, device: &DeviceInfo) -> u64 {
        let Some(side) = Side::of(problem) else { return u64::MAX };
        let (_, subproblem) = side.subproblem(problem, 0, self.slab);
        let chunks = side.extent(problem).div_ceil(self.slab) as u64;
        let bytes = 2 * side.elements(&subproblem, self.slab) as u64 * problem.kind.bytes() as u64;
        let chip = Chip::of(device);
        let copy = chip.launch_fmas + bytes / device.compute_units.max(1) as u64 * chip.dram_fmas_per_byte;
        chunks.saturating_mul(self.tensor.fmas(&subproblem, device).saturating_add(copy))
    }
}

impl Family for ExpandedPlan {
    type Parameters = Option<TensorParameters>;

    /// The largest slab with its cheapest tensor plan, on GPUs.
    fn candidates(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Vec<Self> {
        let is_gpu = device.class == DeviceClass::Gpu;
        is_gpu.then(|| Self::choose(problem, device, limits, tile)).flatten().into_iter().collect()
    }

    fn cost(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<u64> {
        Some(self.fmas(problem, device))
    }

    fn required_feature(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<Feature> {
        self.tensor.required_feature(problem, device)
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &ExpandedPlan) -> Result<Event> {
    let side = Side::of(problem).expect("a plan for a structured operand");
    let (a, b) = call.operands(problem);
    let extent = side.extent(problem);
    let copy = Workspace::borrow(call.queue, (side.elements(problem, plan.slab.min(extent)) * size_of::<T>()) as u64)?;
    let mut last = Event::Complete;
    for first in (0..extent).step_by(plan.slab) {
        let size = plan.slab.min(extent - first);
        let (original, subproblem) = side.subproblem(problem, first, size);
        let memory = if side == Side::A { a } else { b };
        expand::<T>(call.queue, side, (memory, &original), [size, problem.k], (&copy, &subproblem))?;
        let subproblem = GemmProblem { swapped: false, ..subproblem };
        let call = match side {
            Side::A => GemmCall { a: &copy, b, ..*call },
            Side::B => GemmCall { a, b: &copy, ..*call },
        };
        let tensor = if size == plan.slab { plan.tensor } else { plan.tensor.for_block(&subproblem) };
        last = tensor::run(&call, &subproblem, &tensor)?;
    }
    Ok(last)
}

/// Expands an operand: `along` elements along C and `k` along the inner dimension.
fn expand<T: Scalar>(
    queue: &Queue,
    side: Side,
    (memory, operand): (&dyn DeviceMemory, &Operand),
    [along, k]: [usize; 2],
    (copy, subproblem): (&Workspace<'_>, &GemmProblem),
) -> Result<()> {
    // Rows of A are along C, and columns of B.
    let (source, [rows, columns], target) = match side {
        Side::A => (*operand, [along, k], &subproblem.a),
        Side::B => (operand.transposed(), [k, along], &subproblem.b),
    };
    let definitions = vec![
        ("A_STRUCTURE", operand.structure.code()),
        ("TARGET", 0),
        ("ALONG_K", i64::from(side == Side::B)),
        ("TILE", TILE as i64),
        ("THREADS", THREADS as i64),
    ];
    let source_of = ProgramSource {
        name: "gemm expand",
        kind: T::KIND,
        root: program::source("blas/level3/gemm/expand.cl"),
        definitions,
    };
    let program = queue.context().program(&source_of)?;
    let tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
    Launch::new(queue, &program, "expand")
        .index(rows)
        .index(columns)
        .along_c(memory, source)
        .workspace(copy)
        .index(target.column_stride)
        .enqueue_step([tiles, 1, 1], [THREADS, 1, 1])
}
