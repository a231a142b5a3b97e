//! A panel of a reduction to tridiagonal form in one launch, whose work-groups wait for each other (LAPACK: xLATRD).
//!
//! All groups have to run at once, as those of a cooperative launch in CUDA. OpenCL cannot promise it: no more groups
//! are started than there are compute units, and reductions on a device take turns. Groups that wait for seconds give
//! up; this reduction, and all later ones on the device, are by [`Columns`](super::columns::Columns).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::plan::{Cooperative, EigenPlan, MAX_PANEL};
use super::reduce::Tridiagonal;
use crate::context::{BufferParts, ContextParts, DeviceBuffer};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::Executor;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Columns that are on their way together.
pub(super) const STEP: usize = 4;

/// For each name of a device, whether groups have given up on it. The holder of the lock has the turn.
static DEVICES: Mutex<BTreeMap<String, &'static Mutex<bool>>> = Mutex::new(BTreeMap::new());

/// Waits until no other reduction on devices of this name has panels of this kind. True where groups have given up
/// before.
pub(super) fn turn(device: &DeviceInfo) -> MutexGuard<'static, bool> {
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = *devices.entry(device.name.clone()).or_insert_with(|| Box::leak(Box::default()));
    drop(devices);
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kernels and memory of the panels.
pub(super) struct Panels<'r> {
    executor: &'r Executor<'r>,
    plan: &'r EigenPlan,
    cooperative: Cooperative,
    form: &'r Tridiagonal,
    /// For small tiles, and for large ones.
    programs: [Arc<Program>; 2],
    panel: &'r DeviceBuffer,
    /// A column and the next.
    x: DeviceBuffer,
    parts: DeviceBuffer,
    /// Sums by groups: squares of a column and of the next, and xᴴ A x.
    squares: DeviceBuffer,
    products: DeviceBuffer,
    /// How many groups have come to the barriers so far, and whether one gave up.
    arrived: DeviceBuffer,
}

impl<'r> Panels<'r> {
    pub(super) fn new<T: Scalar>(
        executor: &'r Executor<'r>,
        plan: &'r EigenPlan,
        cooperative: Cooperative,
        form: &'r Tridiagonal,
        panel: &'r DeviceBuffer,
    ) -> Result<Self> {
        let (bytes, real_bytes) = (size_of::<T>(), size_of::<T::RealScalar>());
        let memory = |elements: usize, bytes: usize| DeviceBuffer::for_step(executor.queue, elements * bytes);
        let blocks = form.n.div_ceil(plan.small_tile.min(plan.large_tile)) + 1;
        let program = |tile: usize| {
            let root = source("lapack/eigen/hetrd_panel.cl");
            let definitions = vec![
                ("THREADS", cooperative.threads as i64),
                ("TILE", tile as i64),
                ("STEP", STEP as i64),
                ("PANEL", MAX_PANEL as i64),
                ("NVIDIA", i64::from(cooperative.groups > 1)),
            ];
            let source = ProgramSource { name: "eigen panel", kind: T::KIND, root, definitions };
            executor.queue.context().program(&source)
        };
        let panels = Panels {
            executor,
            plan,
            cooperative,
            form,
            programs: [program(plan.small_tile)?, program(plan.large_tile)?],
            panel,
            x: memory(2 * form.stride, bytes)?,
            parts: memory(blocks * form.stride, bytes)?,
            squares: memory(3 * cooperative.groups, real_bytes)?,
            products: memory(2 * MAX_PANEL, bytes)?,
            arrived: memory(2, size_of::<u32>())?,
        };
        panels.arrived.write(executor.queue, &[0_i32, 0])?;
        Ok(panels)
    }

    /// The columns of a panel. Without columns, the first one is begun.
    pub(super) fn reduce(&self, first: usize, width: usize) -> Result<()> {
        let Cooperative { groups, runs, threads } = self.cooperative;
        // Panels before this one were whole: a column has two barriers.
        let target = (2 * first + 1).wrapping_mul(groups) as u32;
        let program = &self.programs[usize::from(self.form.n - first >= self.plan.large_min_order)];
        Launch::new(self.executor.queue, program, "hetrd_panel")
            .count(self.form.n)
            .count(first)
            .count(width)
            .count(runs)
            .buffer(&self.form.a)
            .index(self.form.stride)
            .buffer(&self.x)
            .index(self.form.stride)
            .buffer(&self.parts)
            .buffer(&self.squares)
            .buffer(&self.products)
            .buffer(self.panel)
            .buffer(&self.form.d)
            .buffer(&self.form.e)
            .buffer(&self.form.tau)
            .buffer(&self.arrived)
            .raw::<u32>(target)
            .enqueue_step([groups, 1, 1], [threads, 1, 1])
    }

    /// Waits for all panels. False where a group gave up: what they wrote is undefined.
    pub(super) fn have_run_at_once(&self) -> Result<bool> {
        let mut arrived = [0_i32; 2];
        self.arrived.read(self.executor.queue, &mut arrived)?;
        Ok(arrived[1] == 0)
    }
}
