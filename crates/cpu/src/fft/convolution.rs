//! Convolutions and correlations on the host: overlap-save in one dimension, whole signals in two and three. The
//! transforms of a block, its product with the spectrum and the inverse transforms stay in the caches of a core.

use std::sync::Arc;

use affinimath_macros::instances;
use rustfft::{Fft, FftDirection, FftNum};

use super::HostFft;
use super::bluestein::multiply_by;
use super::memory::{Pool, SharedPointer, aligned_length, complex, complex_mut, split_aligned, threads_for};
use super::planner::PencilPlanner;
use super::roots::number;
use affinimath_core::fft::convolution::{ConvolutionKind, ConvolutionProblem, ConvolvedAxis, Cover};
use affinimath_core::fft::{FftDescriptor, Problem, Transform};
use affinimath_core::threads;

/// Bytes of a pencil that stay in the cache of a core.
const CACHED_BYTES: usize = 256 << 10;

/// Cost of a pencil beside its butterflies, in levels of radix 2.
const LEVELS_PER_PENCIL: f64 = 4.0;

/// Relative cost of a pencil beyond the cache.
const UNCACHED: f64 = 1.5;

/// Largest buffer for a signal on each thread.
const BYTES_PER_THREAD: usize = 32 << 20;

/// A plan of a convolution, for any number of executions on any threads.
pub struct HostConvolution<R> {
    problem: ConvolutionProblem,
    /// Real values of a point: 1 or 2.
    width: usize,
    covers: Vec<Cover>,
    strategy: Strategy<R>,
    spectra: Pool<R>,
    pool: Pool<R>,
}

enum Strategy<R> {
    /// Overlap-save blocks of one dimension.
    Blocks { forward: Arc<dyn Fft<R>>, backward: Arc<dyn Fft<R>>, workspace: usize, single_thread: bool },
    /// In-place transforms of two or three dimensions.
    Axes { forward: Box<HostFft<R>>, backward: Box<HostFft<R>>, pitch: usize },
}

impl<R: FftNum> HostConvolution<R> {
    /// The plan for real or complex points.
    pub fn new(problem: &ConvolutionProblem, real: bool) -> Self {
        plan(problem, real)
    }

    /// Convolves the signals with the kernels; all pointers count real values.
    ///
    /// # Safety
    /// `signal` and `kernel` are valid for reads and `output` for writes of all points of the problem. `output`
    /// overlaps neither; all are aligned, and no other thread writes them.
    pub unsafe fn execute(&self, signal: *const R, kernel: *const R, output: *mut R) {
        // SAFETY: the contracts are the same.
        unsafe { execute(self, signal, kernel, output) };
    }

    /// Threads, and whether each of them has whole signals.
    fn work_distribution(&self) -> (usize, bool) {
        let points: usize = self.covers.iter().map(|cover| cover.length * cover.blocks).product();
        let threads = threads_for(points.saturating_mul(self.problem.batch));
        let many = self.problem.batch >= 2 * threads;
        (threads, many && self.buffer_reals() * size_of::<R>() <= BYTES_PER_THREAD)
    }

    /// Real values of the spectrum of a signal or a block.
    fn buffer_reals(&self) -> usize {
        match &self.strategy {
            Strategy::Blocks { .. } => 2 * self.covers[0].length,
            Strategy::Axes { pitch, .. } => {
                let (_, before) = self.covers.split_last().unwrap_or((&self.covers[0], &[]));
                pitch * before.iter().map(|cover| cover.length).product::<usize>()
            }
        }
    }

    /// The spectrum of a kernel, times the scale and the normalisation.
    fn transform_kernel(&self, kernel: &[R], spectrum: &mut [R]) {
        let windows: Vec<_> = self
            .problem
            .axes
            .iter()
            .zip(&self.covers)
            .map(|(axis, cover)| kernel_window(axis, cover, self.problem.kind))
            .collect();
        spectrum.fill(R::zero());
        match &self.strategy {
            Strategy::Blocks { forward, workspace, .. } => {
                self.load_block(&windows[0], 0, kernel, spectrum, 0);
                self.pool.with(2 * workspace, |memory| {
                    forward.process_with_scratch(complex_mut(spectrum), complex_mut(memory))
                });
            }
            Strategy::Axes { forward, pitch, .. } => {
                self.gather(&windows, kernel, spectrum, *pitch, 1);
                // SAFETY: the spectrum has `buffer_reals` values, the extent of the transform.
                unsafe { forward.execute(spectrum.as_ptr(), spectrum.as_mut_ptr()) };
            }
        }
        let points: usize = self.covers.iter().map(|cover| cover.length).product();
        let factor: R = number(self.problem.scale / points as f64);
        let conjugate = self.problem.kind == ConvolutionKind::Correlation;
        for z in complex_mut(spectrum) {
            *z = if conjugate { z.conj() } else { *z } * factor;
        }
    }

    /// Convolves `count` signals with one kernel.
    fn signals<'s>(
        &self,
        count: usize,
        threads: usize,
        by_signals: bool,
        slices: &(impl Fn(usize) -> (&'s [R], *mut R) + Sync),
        spectrum: &[R],
    ) where
        R: 's,
    {
        match &self.strategy {
            Strategy::Blocks { workspace, single_thread, .. } => {
                let cover = &self.covers[0];
                let pairs = if self.width == 1 && cover.blocks > 1 { 2 } else { 1 };
                let pencils = cover.blocks.div_ceil(pairs);
                let memory = aligned_length(2 * cover.length) + 2 * workspace;
                self.pool.share(if *single_thread { 1 } else { threads }, count * pencils, memory, |pencil, memory| {
                    let (signal, output) = slices(pencil / pencils);
                    let (buffer, workspace) = split_aligned(memory, 2 * cover.length);
                    let first = pencil % pencils * pairs;
                    let blocks = first..(first + pairs).min(cover.blocks);
                    // SAFETY: the blocks are within the output of the signal, and each belongs to one call.
                    unsafe { self.convolve_blocks(signal, output, blocks, spectrum, (buffer, workspace)) };
                });
            }
            Strategy::Axes { .. } => {
                let (outer, inner) = if by_signals { (threads, 1) } else { (1, threads) };
                self.pool.share(outer, count, spectrum.len(), |number, buffer| {
                    let (signal, output) = slices(number);
                    // SAFETY: each signal has its own output.
                    unsafe { self.convolve_array(signal, output, spectrum, buffer, inner) };
                });
            }
        }
    }

    /// Convolves one block, or a pair of blocks of real points.
    ///
    /// # Safety
    /// The blocks of `output` are valid for writes, and no other thread accesses them.
    unsafe fn convolve_blocks(
        &self,
        signal: &[R],
        output: *mut R,
        blocks: std::ops::Range<usize>,
        spectrum: &[R],
        (buffer, workspace): (&mut [R], &mut [R]),
    ) {
        let (Strategy::Blocks { forward, backward, .. }, cover) = (&self.strategy, &self.covers[0]) else { return };
        let window = signal_window(&self.problem.axes[0], cover);
        buffer.fill(R::zero());
        for (part, block) in blocks.clone().enumerate() {
            self.load_block(&window, block * cover.block, signal, buffer, part);
        }
        forward.process_with_scratch(complex_mut(buffer), complex_mut(workspace));
        multiply_by(complex(spectrum), complex_mut(buffer));
        backward.process_with_scratch(complex_mut(buffer), complex_mut(workspace));
        for (part, block) in blocks.enumerate() {
            let first = block * cover.block;
            let count = cover.block.min(self.problem.axes[0].output - first);
            // SAFETY: first + count <= output, so the block is within the output.
            let wanted = unsafe { std::slice::from_raw_parts_mut(output.add(first * self.width), count * self.width) };
            if self.width == 2 {
                wanted.copy_from_slice(&buffer[..wanted.len()]);
            } else {
                wanted.iter_mut().zip(complex(buffer)).for_each(|(y, z)| *y = if part == 0 { z.re } else { z.im });
            }
        }
    }

    /// Loads a block from a position on; real points to real parts (`part` 0) or imaginary parts (1).
    fn load_block(&self, window: &PadWindow, position: usize, points: &[R], pencil: &mut [R], part: usize) {
        let length = pencil.len() / 2;
        for (element, point, count) in window.runs(position, length) {
            if self.width == 2 {
                pencil[2 * element..][..2 * count].copy_from_slice(&points[2 * point..][..2 * count]);
            } else {
                let to = complex_mut(pencil)[element..][..count].iter_mut();
                to.zip(&points[point..]).for_each(|(z, x)| *if part == 0 { &mut z.re } else { &mut z.im } = *x);
            }
        }
    }

    /// Convolves a signal of several dimensions.
    ///
    /// # Safety
    /// `output` is valid for writes, and no other thread accesses it.
    unsafe fn convolve_array(&self, signal: &[R], output: *mut R, spectrum: &[R], buffer: &mut [R], threads: usize) {
        let Strategy::Axes { forward, backward, pitch } = &self.strategy else { return };
        let windows: Vec<_> =
            self.problem.axes.iter().zip(&self.covers).map(|(axis, cover)| signal_window(axis, cover)).collect();
        self.gather(&windows, signal, buffer, *pitch, threads);
        // SAFETY: the buffer has `buffer_reals` values, the extent of both transforms.
        unsafe { forward.execute(buffer.as_ptr(), buffer.as_mut_ptr()) };
        let pointer = SharedPointer(buffer.as_mut_ptr());
        self.pool.share(threads, buffer.len() / pitch, 0, |row, _| {
            // SAFETY: row < buffer.len() / pitch, and each row belongs to one call.
            let row_of = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(row * pitch), *pitch) };
            multiply_by(complex(&spectrum[row * pitch..][..*pitch]), complex_mut(row_of));
        });
        // SAFETY: as above.
        unsafe { backward.execute(buffer.as_ptr(), buffer.as_mut_ptr()) };
        let outputs: Vec<_> = self.problem.axes.iter().map(|axis| axis.output).collect();
        let (last, before) = outputs.split_last().unwrap_or((&0, &[]));
        let row_reals = last * self.width;
        let pointer = SharedPointer(output);
        let buffer = &*buffer;
        self.pool.share(threads, before.iter().product(), 0, |number, _| {
            let index =
                before.iter().zip(&self.covers).rev().fold((number, 0, 1), |(rest, index, step), (count, cover)| {
                    (rest / count, index + rest % count * step, step * cover.length)
                });
            // SAFETY: number is below the rows of the output, and each row belongs to one call.
            let row = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(number * row_reals), row_reals) };
            row.copy_from_slice(&buffer[index.1 * pitch..][..row_reals]);
        });
    }

    /// Copies an array into rows `pitch` real values apart, with zeros outside the windows.
    fn gather(&self, windows: &[PadWindow], points: &[R], buffer: &mut [R], pitch: usize, threads: usize) {
        let Some((last, before)) = windows.split_last() else { return };
        let length = self.covers[before.len()].length;
        let rows = buffer.len() / pitch;
        let pointer = SharedPointer(buffer.as_mut_ptr());
        self.pool.share(threads, rows, 0, |number, _| {
            // SAFETY: number < rows, and each row belongs to one call.
            let row = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(number * pitch), pitch) };
            row.fill(R::zero());
            let (mut rest, mut index, mut step) = (number, Some(0), 1);
            for (window, cover) in before.iter().zip(&self.covers).rev() {
                let within = window.index(rest % cover.length);
                index = index.zip(within).map(|(index, within)| index + within * step);
                (rest, step) = (rest / cover.length, step * window.count);
            }
            let Some(source) = index.map(|index| index * last.count) else { return };
            for (element, point, count) in last.runs(0, length) {
                let from = &points[(source + point) * self.width..][..count * self.width];
                row[element * self.width..][..from.len()].copy_from_slice(from);
            }
        });
    }
}

#[instances]
fn plan<R: FftNum>(problem: &ConvolutionProblem, real: bool) -> HostConvolution<R> {
    let width = if real { 1 } else { 2 };
    let (covers, strategy) = match &problem.axes[..] {
        [axis] => {
            let pencils = |blocks: usize| problem.batch.max(1) * blocks.div_ceil(if real { 2 } else { 1 });
            let cover = axis.cheapest(|length, blocks| cost::<R>(length, pencils(blocks)));
            let single_thread = pencils(cover.blocks) < threads::available();
            let mut planner = PencilPlanner::new();
            let [forward, backward] = [FftDirection::Forward, FftDirection::Inverse]
                .map(|direction| planner.plan(cover.length, direction, single_thread));
            let workspace = forward.get_inplace_scratch_len().max(backward.get_inplace_scratch_len());
            (vec![cover], Strategy::Blocks { forward, backward, workspace, single_thread })
        }
        axes => {
            let covers: Vec<_> = axes.iter().map(ConvolvedAxis::whole).collect();
            let strategy = Strategy::axes(&covers.iter().map(|cover| cover.length).collect::<Vec<_>>(), real);
            (covers, strategy)
        }
    };
    HostConvolution { problem: problem.clone(), width, covers, strategy, spectra: Pool::new(), pool: Pool::new() }
}

/// # Safety
/// See [`HostConvolution::execute`].
#[instances]
unsafe fn execute<R: FftNum>(plan: &HostConvolution<R>, signal: *const R, kernel: *const R, output: *mut R) {
    let batch = plan.problem.batch;
    if batch == 0 {
        return;
    }
    let reals = |points: usize| points * plan.width;
    let signals = reals(plan.problem.signal_points());
    let (kernels, outputs) = (reals(plan.problem.kernel_points()), reals(plan.problem.output_points()));
    let pointers = SharedPointer((signal, kernel, output));
    // SAFETY: number < batch, so signal and output are within the operands.
    let slices = move |number: usize| unsafe {
        let (signal, _, output) = pointers.get();
        (std::slice::from_raw_parts(signal.add(number * signals), signals), output.add(number * outputs))
    };
    // SAFETY: number is below the number of kernels.
    let kernel =
        move |number: usize| unsafe { std::slice::from_raw_parts(pointers.get().1.add(number * kernels), kernels) };
    let spectrum = plan.buffer_reals();
    let (threads, by_signals) = plan.work_distribution();
    if plan.problem.batched_kernels {
        let own = if by_signals { threads } else { 1 };
        plan.spectra.share(own, batch, spectrum, |number, spectrum| {
            plan.transform_kernel(kernel(number), spectrum);
            plan.signals(1, if own > 1 { 1 } else { threads }, by_signals, &|_| slices(number), spectrum);
        });
    } else {
        plan.spectra.with(spectrum, |spectrum| {
            plan.transform_kernel(kernel(0), spectrum);
            plan.signals(batch, threads, by_signals, &slices, spectrum);
        });
    }
}

impl<R: FftNum> Strategy<R> {
    fn axes(lengths: &[usize], real: bool) -> Self {
        use affinimath_core::fft::Direction::{Backward, Forward};
        let [forward, backward] = if real {
            [Transform::RealToComplex, Transform::ComplexToReal]
        } else {
            [Forward, Backward].map(Transform::Complex)
        };
        let last = lengths.last().copied().unwrap_or(1);
        let pitch = if real { 2 * (last / 2 + 1) } else { 2 * last };
        let [forward, backward] = [forward, backward].map(|transform| {
            // ConvolutionProblem::new has checked the lengths.
            let problem = Problem::new(&FftDescriptor::new(transform, lengths).in_place());
            Box::new(HostFft::new(&problem.unwrap_or_else(|error| unreachable!("{error}"))))
        });
        Strategy::Axes { forward, backward, pitch }
    }
}

/// Estimated cost of the transforms of some pencils, in radix-2 butterflies.
fn cost<R>(length: usize, pencils: usize) -> f64 {
    let uncached = if 2 * length * size_of::<R>() > CACHED_BYTES { UNCACHED } else { 1.0 };
    (pencils * length) as f64 * ((length as f64).log2() + LEVELS_PER_PENCIL) * uncached
}

/// A zero-padded or periodic window on an axis: position p has point p - `lead`, modulo `period`.
struct PadWindow {
    lead: usize,
    count: usize,
    period: Option<usize>,
}

fn signal_window(axis: &ConvolvedAxis, cover: &Cover) -> PadWindow {
    PadWindow { lead: cover.lead, count: axis.signal, period: cover.period }
}

fn kernel_window(axis: &ConvolvedAxis, cover: &Cover, kind: ConvolutionKind) -> PadWindow {
    let lead = (cover.length - cover.turn(axis, kind)) % cover.length;
    PadWindow { lead, count: axis.kernel, period: Some(cover.length) }
}

impl PadWindow {
    fn index(&self, position: usize) -> Option<usize> {
        self.runs(position, 1).next().map(|(_, point, _)| point)
    }

    /// Runs of adjacent points at `length` positions: element of the first one, its index, and the count.
    fn runs(&self, position: usize, length: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let (first, count) = (position as isize - self.lead as isize, self.count as isize);
        let turns = if self.period.is_some() { -1..=1 } else { 0..=0 };
        let period = self.period.unwrap_or(0) as isize;
        turns.filter_map(move |turn| {
            let start = (turn * period - first).clamp(0, length as isize);
            let end = (turn * period + count - first).clamp(0, length as isize);
            (end > start).then(|| (start as usize, (first + start - turn * period) as usize, (end - start) as usize))
        })
    }
}
