//! The FFT on the host: all transforms of a [`Problem`], of any layout.
//!
//! `layout` has one pass for each axis. `pass` transforms all pencils along an axis: adjacent points in place, strided
//! ones through a buffer (`tiles`). The transform of a pencil is:
//!
//! - complex: `planner` chooses rustfft, `stockham` (a short one in registers), `four_step` or `bluestein`;
//! - real: `real`, by a complex transform of half the length;
//! - cosine or sine: `real_to_real`, by a real transform (Makhoul 1980).

mod bluestein;
mod convolution;
mod four_step;
mod layout;
mod memory;
mod pass;
mod pencil;
pub mod planner;
pub use planner::by_rustfft;
pub mod real;
pub mod real_to_real;
pub mod roots;
pub mod stockham;
mod tiles;

use affinimath_macros::instances;
use rustfft::{FftDirection, FftNum};

use affinimath_core::fft::descriptor::Problem;
use affinimath_core::scalar::Complex64;
pub use convolution::HostConvolution;
use layout::Layout;
use memory::{Pool, SharedPointer, threads_for};
use pass::{Buffer, LoopDimension, Pass};
use planner::PencilPlanner;

/// The unnormalised forward transform, in place.
pub fn transform(points: &mut [Complex64]) {
    PencilPlanner::new().plan(points.len(), FftDirection::Forward, false).process(points);
}

/// A plan, for any number of executions on any threads.
pub struct HostFft<R> {
    passes: Vec<Pass<R>>,
    /// Loop over the transforms that are computed one by one, all passes of each.
    rounds: LoopDimension,
    /// Points of all rounds.
    points: usize,
    /// Real values between the passes of a round.
    work: usize,
    between: Pool<R>,
    /// Buffers of the threads in a pass.
    pool: Pool<R>,
}

impl<R: FftNum> HostFft<R> {
    pub fn new(problem: &Problem) -> Self {
        plan(problem)
    }

    /// Transforms `input` to `output`; both count real values.
    ///
    /// # Safety
    /// `input` is valid for reads of the problem's input extent, and `output` for writes of its output extent. Both are
    /// aligned, and no other thread accesses them. In place, the two are equal; else they do not overlap.
    pub unsafe fn execute(&self, input: *const R, output: *mut R) {
        // SAFETY: the contracts are the same.
        unsafe { execute(self, input, output) };
    }

    /// # Safety
    /// See [`HostFft::execute`], for one round.
    unsafe fn round(&self, input: *const R, output: *mut R, single_thread: bool, work: &mut [R]) {
        let work = work.as_mut_ptr();
        for pass in &self.passes {
            let from = match pass.from {
                Buffer::Input => input,
                Buffer::Output => output.cast_const(),
                Buffer::Work => work.cast_const(),
            };
            let to = if pass.to == Buffer::Work { work } else { output };
            let threads = if single_thread { 1 } else { pass.threads() };
            // SAFETY: `input` and `output` hold the extents of a round, and `work` holds `Layout::work` values.
            unsafe { pass.run(from, to, threads, &self.pool) };
        }
    }
}

#[instances]
fn plan<R: FftNum>(problem: &Problem) -> HostFft<R> {
    let layout = Layout::new(problem);
    let passes = if problem.batch.count == 0 { Vec::new() } else { layout.passes() };
    let work = if passes.iter().any(|pass| pass.to == Buffer::Work) { layout.work() } else { 0 };
    HostFft {
        passes,
        rounds: layout.rounds(),
        points: problem.points().saturating_mul(problem.batch.count),
        work,
        between: Pool::new(),
        pool: Pool::new(),
    }
}

/// # Safety
/// See [`HostFft::execute`].
#[instances]
unsafe fn execute<R: FftNum>(plan: &HostFft<R>, input: *const R, output: *mut R) {
    /// Rounds for each thread from which on each round runs on one thread.
    const ROUNDS_PER_THREAD: usize = 2;
    let threads = threads_for(plan.points);
    let pointers = SharedPointer((input, output));
    let round = |round: usize, single_thread: bool, work: &mut [R]| {
        let (input, output) = pointers.get();
        // SAFETY: the extents hold all rounds, and no two rounds have an output element in common.
        unsafe {
            plan.round(input.add(round * plan.rounds.from), output.add(round * plan.rounds.to), single_thread, work)
        };
    };
    if threads > 1
        && plan.rounds.count >= ROUNDS_PER_THREAD * threads
        && !plan.passes.iter().any(Pass::uses_all_threads)
    {
        plan.between.share(threads, plan.rounds.count, plan.work, |number, work| round(number, true, work));
    } else {
        plan.between.with(plan.work, |work| (0..plan.rounds.count).for_each(|number| round(number, false, work)));
    }
}
