//! A C of few rows or columns: the large operand is streamed once, so that memory, not arithmetic, sets the time.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::family::Family;
use super::finish;
use super::limits::{Limits, split};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

/// Maximum columns that a kernel computes at a time.
const MAX_COLUMNS: usize = 16;

/// True if a GPU loads the matrix in vectors: faster as long as memory bandwidth is the limit, until accumulators take
/// too many registers.
const fn loads_vectors(
    family: SkinnyFamily,
    kind: ScalarKind,
    columns: usize,
    vector: usize,
    device: &DeviceInfo,
) -> bool {
    match (family, kind) {
        (SkinnyFamily::CpuAlongM | SkinnyFamily::CpuAlongK, _) | (SkinnyFamily::GpuAlongK, ScalarKind::Z) => false,
        // A group's accumulators of eight columns take 32 KiB.
        (SkinnyFamily::GpuAlongM, ScalarKind::S) if device.local_memory_bytes >= 40 << 10 => columns <= 8,
        (SkinnyFamily::GpuAlongK, ScalarKind::S) => columns >= 4 || (columns == 1 && vector == 4),
        _ => columns <= 4,
    }
}

/// Maximum columns of a skinny C on any device.
pub(crate) const MAX_SKINNY_COLUMNS: usize = max_columns_of(DeviceClass::Cpu);

/// Maximum columns of a skinny C. On a CPU, streaming the matrix three times is as fast as packing it.
const fn max_columns_of(class: DeviceClass) -> usize {
    match class {
        DeviceClass::Cpu => 3 * MAX_COLUMNS,
        _ => MAX_COLUMNS,
    }
}

/// Kernel that streams the matrix, by the device's class and the matrix's contiguous direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkinnyFamily {
    /// CPU, contiguous along the rows' index.
    CpuAlongM,
    /// CPU, contiguous along k.
    CpuAlongK,
    /// GPU, contiguous along the rows' index.
    GpuAlongM,
    /// GPU, contiguous along k.
    GpuAlongK,
}

/// Kernel and sizes of a skinny product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinnyPlan {
    /// The kernel.
    pub family: SkinnyFamily,
    /// C has few rows: Cᵀ, with few columns, is computed.
    pub transpose: bool,
    /// Columns that the kernel is compiled for: 1, 2, 4, 8 or 16. A wider C is computed in chunks of columns.
    pub columns: usize,
    /// Work-items of a group (1 on a CPU).
    pub threads: usize,
    /// Rows of a work-group, or of a chunk (CPU).
    pub rows: usize,
    /// Elements of the matrix that a work-item loads at once, which are aligned (GPU).
    pub vector: usize,
    /// Load vectors of `vector` elements instead of single elements (GPU).
    pub loads_vectors: bool,
    /// Number of split-K parts; partial products are summed in a fixed order.
    pub split_k: usize,
    /// The streamed matrix is in half precision, in a product of floats.
    pub fp16: bool,
}

impl SkinnyPlan {
    /// `None` when C is not skinny, or the device's work-groups are too small.
    pub(super) fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Option<Self> {
        let transpose = problem.m < problem.n;
        let oriented = if transpose { problem.transposed() } else { *problem };
        if oriented.n > max_columns_of(device.class) {
            return None;
        }
        let along_rows = oriented.a.row_stride == 1;
        let family = match (device.class, along_rows) {
            (DeviceClass::Cpu, true) => SkinnyFamily::CpuAlongM,
            (DeviceClass::Cpu, false) => SkinnyFamily::CpuAlongK,
            (_, true) => SkinnyFamily::GpuAlongM,
            (_, false) => SkinnyFamily::GpuAlongK,
        };
        let columns = oriented.n.next_power_of_two().min(MAX_COLUMNS);
        let vector = vector(family, &oriented);
        let loads_vectors = loads_vectors(family, problem.kind, columns, vector, device);
        let threads = match (family, problem.kind) {
            (SkinnyFamily::CpuAlongM | SkinnyFamily::CpuAlongK, _) => 1,
            _ if !loads_vectors => 128,
            (SkinnyFamily::GpuAlongM, ScalarKind::D) if columns == 4 => 512,
            (SkinnyFamily::GpuAlongK, ScalarKind::S) if columns <= 8 => 128,
            _ => 256,
        };
        let threads =
            if threads <= device.max_work_group_size { threads } else { device.max_work_group_size / WARP * WARP };
        if device.class != DeviceClass::Cpu && threads < 64 {
            return None;
        }
        let rows = match family {
            SkinnyFamily::CpuAlongM => chunk_vectors(columns) * device.vector_width(problem.kind) / parts(problem.kind),
            SkinnyFamily::CpuAlongK => 4,
            SkinnyFamily::GpuAlongM if !loads_vectors => threads * rows_of_item(columns, problem.kind),
            SkinnyFamily::GpuAlongM => rows_of_group(columns, problem.kind),
            SkinnyFamily::GpuAlongK if !loads_vectors => rows_of_item(columns, problem.kind),
            SkinnyFamily::GpuAlongK => threads / WARP * rows_of_warp(columns, problem.kind),
        };
        let mut plan = SkinnyPlan {
            family,
            transpose,
            columns,
            threads,
            rows,
            vector: if loads_vectors { vector } else { 1 },
            loads_vectors,
            split_k: 1,
            fp16: false,
        };
        plan.split_k = plan.split_k(&oriented, device, limits);
        Some(plan)
    }

    /// Split-K that occupies the device if C has too few rows.
    fn split_k(&self, oriented: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> usize {
        let groups = oriented.m.div_ceil(self.rows);
        let (wanted, min_part_k) = match self.family {
            SkinnyFamily::CpuAlongM | SkinnyFamily::CpuAlongK => (2 * device.compute_units, 1024),
            SkinnyFamily::GpuAlongM if !self.loads_vectors => (8 * device.compute_units, 64),
            SkinnyFamily::GpuAlongK if !self.loads_vectors => (8 * device.compute_units, 1024),
            // The sum of the partial products is one more launch.
            _ if 4 * groups >= 3 * device.compute_units => return 1,
            SkinnyFamily::GpuAlongM => (4 * device.compute_units, 256),
            SkinnyFamily::GpuAlongK => (4 * device.compute_units, 1024),
        };
        let part_bytes = (oriented.m * oriented.n * oriented.kind.bytes()) as u64;
        let by_memory = (limits.workspace_bytes / 2 / part_bytes.max(1)).min(1 << 20) as usize;
        let parts = (wanted / groups).min(oriented.k / min_part_k).min(by_memory).max(1);
        oriented.k.div_ceil(part_k(oriented.k, parts)).max(1)
    }
}

/// k extent of a split-K part: a multiple of the slice.
pub(super) const fn part_k(k: usize, parts: usize) -> usize {
    split(k, k.div_ceil(parts), SLICE)
}

/// k extent of B's slice in local memory: a multiple of every vector width.
const SLICE: usize = 64;

/// Work-items of a warp.
const WARP: usize = 32;

/// Rows of a group that loads vectors from a matrix contiguous along m.
const fn rows_of_group(columns: usize, kind: ScalarKind) -> usize {
    match (kind, columns) {
        (ScalarKind::D, 4) => 64,
        (ScalarKind::C, 4) => 16,
        _ => 32,
    }
}

/// Rows of a warp that loads vectors from a matrix contiguous along k.
const fn rows_of_warp(columns: usize, kind: ScalarKind) -> usize {
    match (kind, columns) {
        (ScalarKind::S, 1) => 2,
        (ScalarKind::S, 4 | 8) => 8,
        _ => 4,
    }
}

/// Rows of a work-item that loads elements: accumulators fill at most 128 registers of 4 bytes.
fn rows_of_item(columns: usize, kind: ScalarKind) -> usize {
    (512 / kind.bytes() / columns).clamp(1, 4)
}

/// Elements per load, at most 16 bytes: columns (or rows) must be aligned to them and have a multiple of them.
fn vector(family: SkinnyFamily, oriented: &GemmProblem) -> usize {
    let (a, b) = (&oriented.a, &oriented.b);
    let alignment = match family {
        SkinnyFamily::CpuAlongM | SkinnyFamily::CpuAlongK => return 1,
        SkinnyFamily::GpuAlongM => a.offset | a.column_stride | oriented.m,
        // B's columns are loaded in vectors too; if they are not contiguous, they are copied to columns of length k.
        SkinnyFamily::GpuAlongK if b.row_stride == 1 => {
            a.offset | a.row_stride | oriented.k | b.offset | b.column_stride
        }
        SkinnyFamily::GpuAlongK => a.offset | a.row_stride | oriented.k,
    };
    (1 << alignment.trailing_zeros().min(4)).min((16 / oriented.kind.bytes()).max(1))
}

/// Vectors of rows whose accumulators stay in the L1 cache: 2 KiB for one column of C with AVX-512.
fn chunk_vectors(columns: usize) -> usize {
    (32 / columns.div_ceil(4)).max(1)
}

const fn parts(kind: ScalarKind) -> usize {
    if kind.is_complex() { 2 } else { 1 }
}

impl SkinnyPlan {
    /// Vectors in flight per work-item and row: 128 bytes in all, 64 in Z, at most 16 vectors.
    fn steps(&self, kind: ScalarKind) -> usize {
        let bytes = if kind == ScalarKind::Z { 64 } else { 128 };
        let steps = (bytes / (self.vector * kind.bytes())).min(16);
        if self.streams_along_k() { steps / rows_of_warp(self.columns, kind) } else { steps }
    }

    fn source(&self, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = vec![("COLUMNS", self.columns as i64), ("A_IS_FP16", i64::from(self.fp16))];
        let (name, file) = match self.family {
            SkinnyFamily::CpuAlongM | SkinnyFamily::CpuAlongK => {
                definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
                definitions.push(("CHUNK_VECTORS", chunk_vectors(self.columns) as i64));
                definitions.push(("CHUNK_ROWS", 4));
                definitions.push(("K_BLOCK", 1024));
                ("gemm skinny cpu", "blas/level3/gemm/skinny/cpu.cl")
            }
            SkinnyFamily::GpuAlongM | SkinnyFamily::GpuAlongK if !self.loads_vectors => {
                definitions.push(("THREADS", self.threads as i64));
                definitions.push(("ROWS", rows_of_item(self.columns, kind) as i64));
                definitions.push(("SLICE", SLICE as i64));
                ("gemm skinny gpu", "blas/level3/gemm/skinny/gpu.cl")
            }
            SkinnyFamily::GpuAlongM | SkinnyFamily::GpuAlongK => {
                definitions.push(("THREADS", self.threads as i64));
                definitions.push(("VECTOR", self.vector as i64));
                definitions.push(("STEPS", self.steps(kind) as i64));
                definitions.push(("GROUP_ROWS", self.rows as i64));
                definitions.push(("WARP_ROWS", rows_of_warp(self.columns, kind) as i64));
                ("gemm skinny gpu vectors", "blas/level3/gemm/skinny/gpu_vectors.cl")
            }
        };
        ProgramSource { name, kind, root: source(file), definitions }
    }

    const fn kernel(&self) -> &'static str {
        match self.family {
            SkinnyFamily::CpuAlongM | SkinnyFamily::GpuAlongM => "gemm_skinny_rows",
            SkinnyFamily::CpuAlongK | SkinnyFamily::GpuAlongK => "gemm_skinny_depth",
        }
    }

    const fn streams_along_k(&self) -> bool {
        matches!(self.family, SkinnyFamily::CpuAlongK | SkinnyFamily::GpuAlongK)
    }
}

impl Family for SkinnyPlan {
    type Parameters = ();

    /// One plan, on CPUs and GPUs. The kernels know neither structures nor triangles of C.
    fn candidates(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, (): ()) -> Vec<Self> {
        let is_offered = device.class != DeviceClass::Accelerator && problem.is_plain();
        is_offered.then(|| Self::choose(problem, device, limits)).flatten().into_iter().collect()
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &SkinnyPlan) -> Result<Event> {
    let oriented = if plan.transpose { problem.transposed() } else { *problem };
    let mut last = Event::Complete;
    for j in (0..oriented.n).step_by(plan.columns) {
        let n = plan.columns.min(oriented.n - j);
        let (b, c) = (oriented.b.shifted(0, j), oriented.c.shifted(0, j));
        last = run_columns(call, GemmProblem { n, b, c, ..oriented }, plan)?;
    }
    Ok(last)
}

/// At most as many columns of C as the kernel is compiled for.
fn run_columns<T: Scalar>(call: &GemmCall<'_, T>, mut problem: GemmProblem, plan: &SkinnyPlan) -> Result<Event> {
    let context = call.queue.context();
    let program = context.program(&plan.source(T::KIND, context.device().info()))?;
    // Kernels that stream along k need a B contiguous along k; it is small.
    let dense_b = if plan.streams_along_k() && problem.b.row_stride != 1 {
        Some(finish::gather_b(call, &mut problem)?)
    } else {
        None
    };
    let grid = SkinnyGrid {
        program: &program,
        kernel: plan.kernel(),
        rows: plan.rows,
        threads: plan.threads,
        split_k: plan.split_k,
    };
    grid.launch(call, &problem, dense_b.as_ref())
}

/// Launch of a skinny kernel.
pub(super) struct SkinnyGrid<'a> {
    pub(super) program: &'a Program,
    pub(super) kernel: &'static str,
    /// Rows and work-items of a group.
    pub(super) rows: usize,
    pub(super) threads: usize,
    pub(super) split_k: usize,
}

impl SkinnyGrid<'_> {
    /// The product, and the sum of its split-K parts. `dense_b` is a copy of B.
    pub(super) fn launch<T: Scalar>(
        &self,
        call: &GemmCall<'_, T>,
        problem: &GemmProblem,
        dense_b: Option<&Workspace<'_>>,
    ) -> Result<Event> {
        let (a, b) = call.operands(problem);
        let launch = |alpha: T, beta: T| {
            let launch = Launch::new(call.queue, self.program, self.kernel)
                .index(problem.m)
                .index(problem.n)
                .index(problem.k)
                .scalar(alpha)
                .operand(a, &problem.a);
            match dense_b {
                Some(dense) => launch.workspace(dense).strides(&problem.b),
                None => launch.operand(b, &problem.b),
            }
            .scalar(beta)
        };
        let groups = [problem.m.div_ceil(self.rows), self.split_k, 1];
        let local = [self.threads, 1, 1];
        let k = part_k(problem.k, self.split_k);
        if self.split_k == 1 {
            return launch(call.alpha, call.beta)
                .buffer(call.c)
                .target(problem)
                .index(k)
                .index(0)
                .enqueue(groups, local);
        }
        let part_elements = problem.m * problem.n;
        let partial = Workspace::borrow(call.queue, (self.split_k * part_elements * T::KIND.bytes()) as u64)?;
        launch(T::ONE, T::ZERO)
            .workspace(&partial)
            .index(0)
            .index(1)
            .index(problem.m)
            .index(k)
            .index(part_elements)
            .enqueue_step(groups, local)?;
        finish::sum(call, problem, self.split_k, &partial)
    }
}
