//! The FFT on the host: all transforms of a [`Problem`], of any layout.
//!
//! A transform of several dimensions is a pass over the lines of each axis (`pass.rs`): lines whose numbers are
//! adjacent are transformed where they lie, others by way of a buffer (`tiles.rs`). What a line's transform is,
//! `planner.rs` and `line.rs` decide: passes in Stockham's order, in single precision rustfft's; for long ones the
//! four-step method on several threads; for large primes a convolution; for reals half a complex transform; for cosines
//! and sines one of reals.

mod convolution;
mod filter;
mod four_step;
mod layout;
mod line;
mod memory;
mod pass;
pub mod planner;
pub use planner::by_rustfft;
mod real;
pub mod roots;
pub mod stockham;
mod tiles;
mod wave;

use affinimath_macros::instances;
use rustfft::{FftDirection, FftNum};

use affinimath_core::fft::descriptor::Problem;
use affinimath_core::scalar::Complex64;
pub use filter::HostConvolution;
use layout::Layout;
use memory::{Pool, Shared, threads_for};
use pass::{Loop, Pass, Place};
use planner::LinePlanner;

/// The forward transform of some numbers in their place.
pub fn transform(numbers: &mut [Complex64]) {
    LinePlanner::new().plan(numbers.len(), FftDirection::Forward, false).process(numbers);
}

/// A plan, for any number of executions on any threads.
pub struct HostFft<R> {
    passes: Vec<Pass<R>>,
    /// Transforms that all passes are done for one by one, and the distances from one to the next, in reals.
    rounds: Loop,
    /// Numbers of all rounds.
    points: usize,
    /// Reals of memory between the passes of a round.
    work: usize,
    /// Memory for that, and for what threads do in passes.
    between: Pool<R>,
    pool: Pool<R>,
}

impl<R: FftNum> HostFft<R> {
    /// The plan of a problem.
    pub fn new(problem: &Problem) -> Self {
        plan(problem)
    }

    /// Transforms what lies at `input`, in units of reals, to `output`.
    ///
    /// # Safety
    /// As many elements as the problem's input extent has can be read at `input`, and as many as its output extent has
    /// written at `output`; both are aligned, and nobody else uses them meanwhile. In place, the two are equal; else
    /// they do not overlap.
    pub unsafe fn execute(&self, input: *const R, output: *mut R) {
        // SAFETY: as the caller vouches.
        unsafe { execute(self, input, output) };
    }

    /// # Safety
    /// As [`HostFft::execute`]'s, for one round.
    unsafe fn round(&self, input: *const R, output: *mut R, alone: bool, work: &mut [R]) {
        let work = work.as_mut_ptr();
        for pass in &self.passes {
            let from = match pass.from {
                Place::Input => input,
                Place::Output => output.cast_const(),
                Place::Work => work.cast_const(),
            };
            let to = if pass.to == Place::Work { work } else { output };
            let threads = if alone { 1 } else { pass.threads() };
            // SAFETY: the caller's promise; `work` has room for the elements between the passes.
            unsafe { pass.run(from, to, threads, &self.pool) };
        }
    }
}

#[instances]
fn plan<R: FftNum>(problem: &Problem) -> HostFft<R> {
    let layout = Layout::new(problem);
    let passes = if problem.batch.count == 0 { Vec::new() } else { layout.passes() };
    let work = if passes.iter().any(|pass| pass.to == Place::Work) { layout.work() } else { 0 };
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
/// As [`HostFft::execute`].
#[instances]
unsafe fn execute<R: FftNum>(plan: &HostFft<R>, input: *const R, output: *mut R) {
    /// Transforms on one thread each, where there are so many for each thread.
    const ROUNDS_PER_THREAD: usize = 2;
    let threads = threads_for(plan.points);
    let pointers = Shared((input, output));
    let round = |round: usize, alone: bool, work: &mut [R]| {
        let (input, output) = pointers.get();
        // SAFETY: the caller's promise; each round has outputs of its own.
        unsafe { plan.round(input.add(round * plan.rounds.from), output.add(round * plan.rounds.to), alone, work) };
    };
    if threads > 1 && plan.rounds.count >= ROUNDS_PER_THREAD * threads && !plan.passes.iter().any(Pass::shares) {
        plan.between.share(threads, plan.rounds.count, plan.work, |number, work| round(number, true, work));
    } else {
        plan.between.with(plan.work, |work| (0..plan.rounds.count).for_each(|number| round(number, false, work)));
    }
}
