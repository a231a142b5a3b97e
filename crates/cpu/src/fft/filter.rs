//! Convolutions and correlations on the host: signals, or blocks of them, gathered into buffers that stay in a core's caches, transformed,
//! multiplied and transformed back there.

use std::sync::Arc;

use affinimath_macros::instances;
use rustfft::{Fft, FftDirection, FftNum};

use super::HostFft;
use super::convolution::multiply_by;
use super::memory::{Pool, Shared, complex, complex_mut, part, room, threads_for};
use super::planner::LinePlanner;
use super::roots::number;
use affinimath_core::fft::convolution::{ConvolutionKind, ConvolutionProblem, ConvolvedAxis, Cover};
use affinimath_core::fft::{FftDescriptor, Problem, Transform};
use affinimath_core::threads;

/// Bytes of a line's numbers that stay near a core.
const CACHED_BYTES: usize = 256 << 10;

/// What a line costs beside its butterflies, in levels of them.
const LEVELS_BESIDE: f64 = 4.0;

/// How much more a line that does not stay near a core costs.
const FAR: f64 = 1.5;

/// Bytes that each thread may have for a signal of its own.
const BYTES_PER_THREAD: usize = 32 << 20;

/// A plan, for any number of executions on any threads.
pub struct HostConvolution<R> {
    problem: ConvolutionProblem,
    /// Reals of a number.
    width: usize,
    covers: Vec<Cover>,
    way: Way<R>,
    spectra: Pool<R>,
    pool: Pool<R>,
}

enum Way<R> {
    /// Of one dimension.
    Lines { forward: Arc<dyn Fft<R>>, backward: Arc<dyn Fft<R>>, scratch: usize, alone: bool },
    /// Of two or three: in place.
    Axes { forward: Box<HostFft<R>>, backward: Box<HostFft<R>>, pitch: usize },
}

impl<R: FftNum> HostConvolution<R> {
    /// The plan for real or complex numbers.
    pub fn new(problem: &ConvolutionProblem, real: bool) -> Self {
        plan(problem, real)
    }

    /// Convolves the signals at `signal` with the kernels at `kernel`, to `output`, all in units of reals.
    ///
    /// # Safety
    /// As many numbers as the problem has can be read at `signal` and `kernel`, and written at `output`, which overlaps neither; all are
    /// aligned, and nobody else writes them meanwhile.
    pub unsafe fn execute(&self, signal: *const R, kernel: *const R, output: *mut R) {
        // SAFETY: as the caller vouches.
        unsafe { execute(self, signal, kernel, output) };
    }

    /// On how many threads, and whether each has signals of its own.
    fn shared_out(&self) -> (usize, bool) {
        let points: usize = self.covers.iter().map(|cover| cover.length * cover.blocks).product();
        let threads = threads_for(points.saturating_mul(self.problem.batch));
        let many = self.problem.batch >= 2 * threads;
        (threads, many && self.buffer_reals() * size_of::<R>() <= BYTES_PER_THREAD)
    }

    /// Reals of a signal's, or a block's, spectrum.
    fn buffer_reals(&self) -> usize {
        match &self.way {
            Way::Lines { .. } => 2 * self.covers[0].length,
            Way::Axes { pitch, .. } => {
                let (_, before) = self.covers.split_last().unwrap_or((&self.covers[0], &[]));
                pitch * before.iter().map(|cover| cover.length).product::<usize>()
            }
        }
    }

    /// The kernel's spectrum, with all that results are multiplied by.
    fn transform_kernel(&self, kernel: &[R], spectrum: &mut [R]) {
        let windows: Vec<_> = self
            .problem
            .axes
            .iter()
            .zip(&self.covers)
            .map(|(axis, cover)| kernel_window(axis, cover, self.problem.kind))
            .collect();
        spectrum.fill(R::zero());
        match &self.way {
            Way::Lines { forward, scratch, .. } => {
                self.take(&windows[0], 0, kernel, spectrum, 0);
                self.pool.with(2 * scratch, |memory| {
                    forward.process_with_scratch(complex_mut(spectrum), complex_mut(memory))
                });
            }
            Way::Axes { forward, pitch, .. } => {
                self.gather(&windows, kernel, spectrum, *pitch, 1);
                // SAFETY: the buffer has the transform's extent.
                unsafe { forward.execute(spectrum.as_ptr(), spectrum.as_mut_ptr()) };
            }
        }
        let points: usize = self.covers.iter().map(|cover| cover.length).product();
        let factor: R = number(self.problem.scale / points as f64);
        let turned = self.problem.kind == ConvolutionKind::Correlation;
        for z in complex_mut(spectrum) {
            *z = if turned { z.conj() } else { *z } * factor;
        }
    }

    /// Signals of one kernel.
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
        match &self.way {
            Way::Lines { scratch, alone, .. } => {
                let cover = &self.covers[0];
                let pairs = if self.width == 1 && cover.blocks > 1 { 2 } else { 1 };
                let lines = cover.blocks.div_ceil(pairs);
                let memory = room(2 * cover.length) + 2 * scratch;
                self.pool.share(if *alone { 1 } else { threads }, count * lines, memory, |line, memory| {
                    let (signal, output) = slices(line / lines);
                    let (buffer, scratch) = part(memory, 2 * cover.length);
                    let first = line % lines * pairs;
                    let blocks = first..(first + pairs).min(cover.blocks);
                    // SAFETY: the caller's promise; each block is one line's.
                    unsafe { self.line(signal, output, blocks, spectrum, (buffer, scratch)) };
                });
            }
            Way::Axes { .. } => {
                let (outer, inner) = if by_signals { (threads, 1) } else { (1, threads) };
                self.pool.share(outer, count, spectrum.len(), |number, buffer| {
                    let (signal, output) = slices(number);
                    // SAFETY: the caller's promise; each signal has an output of its own.
                    unsafe { self.array(signal, output, spectrum, buffer, inner) };
                });
            }
        }
    }

    /// One block, or two of real numbers.
    ///
    /// # Safety
    /// The blocks of the output can be written, and are this call's.
    unsafe fn line(
        &self,
        signal: &[R],
        output: *mut R,
        blocks: std::ops::Range<usize>,
        spectrum: &[R],
        (buffer, scratch): (&mut [R], &mut [R]),
    ) {
        let (Way::Lines { forward, backward, .. }, cover) = (&self.way, &self.covers[0]) else { return };
        let window = signal_window(&self.problem.axes[0], cover);
        buffer.fill(R::zero());
        for (part, block) in blocks.clone().enumerate() {
            self.take(&window, block * cover.block, signal, buffer, part);
        }
        forward.process_with_scratch(complex_mut(buffer), complex_mut(scratch));
        multiply_by(complex(spectrum), complex_mut(buffer));
        backward.process_with_scratch(complex_mut(buffer), complex_mut(scratch));
        for (part, block) in blocks.enumerate() {
            let first = block * cover.block;
            let count = cover.block.min(self.problem.axes[0].output - first);
            // SAFETY: the caller's promise.
            let wanted = unsafe { std::slice::from_raw_parts_mut(output.add(first * self.width), count * self.width) };
            if self.width == 2 {
                wanted.copy_from_slice(&buffer[..wanted.len()]);
            } else {
                wanted.iter_mut().zip(complex(buffer)).for_each(|(y, z)| *y = if part == 0 { z.re } else { z.im });
            }
        }
    }

    /// Numbers from a position on to a line of complex ones; real ones to the part of these that is told.
    fn take(&self, window: &Window, position: usize, numbers: &[R], line: &mut [R], part: usize) {
        let length = line.len() / 2;
        for (element, place, count) in window.runs(position, length) {
            if self.width == 2 {
                line[2 * element..][..2 * count].copy_from_slice(&numbers[2 * place..][..2 * count]);
            } else {
                let to = complex_mut(line)[element..][..count].iter_mut();
                to.zip(&numbers[place..]).for_each(|(z, x)| *if part == 0 { &mut z.re } else { &mut z.im } = *x);
            }
        }
    }

    /// A signal of several dimensions.
    ///
    /// # Safety
    /// The output can be written, and is this call's.
    unsafe fn array(&self, signal: &[R], output: *mut R, spectrum: &[R], buffer: &mut [R], threads: usize) {
        let Way::Axes { forward, backward, pitch } = &self.way else { return };
        let windows: Vec<_> =
            self.problem.axes.iter().zip(&self.covers).map(|(axis, cover)| signal_window(axis, cover)).collect();
        self.gather(&windows, signal, buffer, *pitch, threads);
        // SAFETY: the buffer has the transforms' extents.
        unsafe { forward.execute(buffer.as_ptr(), buffer.as_mut_ptr()) };
        let pointer = Shared(buffer.as_mut_ptr());
        self.pool.share(threads, buffer.len() / pitch, 0, |row, _| {
            // SAFETY: each row of the buffer is one call's.
            let row_of = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(row * pitch), *pitch) };
            multiply_by(complex(&spectrum[row * pitch..][..*pitch]), complex_mut(row_of));
        });
        // SAFETY: as above.
        unsafe { backward.execute(buffer.as_ptr(), buffer.as_mut_ptr()) };
        let outputs: Vec<_> = self.problem.axes.iter().map(|axis| axis.output).collect();
        let (last, before) = outputs.split_last().unwrap_or((&0, &[]));
        let row_reals = last * self.width;
        let pointer = Shared(output);
        let buffer = &*buffer;
        self.pool.share(threads, before.iter().product(), 0, |number, _| {
            let place =
                before.iter().zip(&self.covers).rev().fold((number, 0, 1), |(rest, place, step), (count, cover)| {
                    (rest / count, place + rest % count * step, step * cover.length)
                });
            // SAFETY: the caller's promise; each row of the output is one call's.
            let row = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(number * row_reals), row_reals) };
            row.copy_from_slice(&buffer[place.1 * pitch..][..row_reals]);
        });
    }

    /// Numbers of several dimensions to rows that are `pitch` reals apart, and zeros to the others' places.
    fn gather(&self, windows: &[Window], numbers: &[R], buffer: &mut [R], pitch: usize, threads: usize) {
        let Some((last, before)) = windows.split_last() else { return };
        let length = self.covers[before.len()].length;
        let rows = buffer.len() / pitch;
        let pointer = Shared(buffer.as_mut_ptr());
        self.pool.share(threads, rows, 0, |number, _| {
            // SAFETY: each row of the buffer is one call's.
            let row = unsafe { std::slice::from_raw_parts_mut(pointer.get().add(number * pitch), pitch) };
            row.fill(R::zero());
            let (mut rest, mut place, mut step) = (number, Some(0), 1);
            for (window, cover) in before.iter().zip(&self.covers).rev() {
                let within = window.place(rest % cover.length);
                place = place.zip(within).map(|(place, within)| place + within * step);
                (rest, step) = (rest / cover.length, step * window.count);
            }
            let Some(source) = place.map(|place| place * last.count) else { return };
            for (element, place, count) in last.runs(0, length) {
                let from = &numbers[(source + place) * self.width..][..count * self.width];
                row[element * self.width..][..from.len()].copy_from_slice(from);
            }
        });
    }
}

#[instances]
fn plan<R: FftNum>(problem: &ConvolutionProblem, real: bool) -> HostConvolution<R> {
    let width = if real { 1 } else { 2 };
    let (covers, way) = match &problem.axes[..] {
        [axis] => {
            let lines = |blocks: usize| problem.batch.max(1) * blocks.div_ceil(if real { 2 } else { 1 });
            let cover = axis.cheapest(|length, blocks| cost::<R>(length, lines(blocks)));
            let alone = lines(cover.blocks) < threads::available();
            let mut planner = LinePlanner::new();
            let [forward, backward] = [FftDirection::Forward, FftDirection::Inverse]
                .map(|direction| planner.plan(cover.length, direction, alone));
            let scratch = forward.get_inplace_scratch_len().max(backward.get_inplace_scratch_len());
            (vec![cover], Way::Lines { forward, backward, scratch, alone })
        }
        axes => {
            let covers: Vec<_> = axes.iter().map(ConvolvedAxis::whole).collect();
            let way = Way::axes(&covers.iter().map(|cover| cover.length).collect::<Vec<_>>(), real);
            (covers, way)
        }
    };
    HostConvolution { problem: problem.clone(), width, covers, way, spectra: Pool::new(), pool: Pool::new() }
}

/// # Safety
/// As [`HostConvolution::execute`].
#[instances]
unsafe fn execute<R: FftNum>(plan: &HostConvolution<R>, signal: *const R, kernel: *const R, output: *mut R) {
    let batch = plan.problem.batch;
    if batch == 0 {
        return;
    }
    let reals = |numbers: usize| numbers * plan.width;
    let signals = reals(plan.problem.signal_points());
    let (kernels, outputs) = (reals(plan.problem.kernel_points()), reals(plan.problem.output_points()));
    let pointers = Shared((signal, kernel, output));
    // SAFETY: the caller's promise.
    let slices = move |number: usize| unsafe {
        let (signal, _, output) = pointers.get();
        (std::slice::from_raw_parts(signal.add(number * signals), signals), output.add(number * outputs))
    };
    // SAFETY: the caller's promise.
    let kernel =
        move |number: usize| unsafe { std::slice::from_raw_parts(pointers.get().1.add(number * kernels), kernels) };
    let spectrum = plan.buffer_reals();
    let (threads, by_signals) = plan.shared_out();
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

impl<R: FftNum> Way<R> {
    fn axes(lengths: &[usize], real: bool) -> Self {
        use affinimath_core::fft::Direction::{Backward, Forward};
        let [there, back] = if real {
            [Transform::RealToComplex, Transform::ComplexToReal]
        } else {
            [Forward, Backward].map(Transform::Complex)
        };
        let last = lengths.last().copied().unwrap_or(1);
        let pitch = if real { 2 * (last / 2 + 1) } else { 2 * last };
        let [forward, backward] = [there, back].map(|transform| {
            // Their lengths have been checked with the convolution's.
            let problem = Problem::new(&FftDescriptor::new(transform, lengths).in_place());
            Box::new(HostFft::new(&problem.unwrap_or_else(|error| unreachable!("{error}"))))
        });
        Way::Axes { forward, backward, pitch }
    }
}

/// About what lines of a length cost, in butterflies.
fn cost<R>(length: usize, lines: usize) -> f64 {
    let far = if 2 * length * size_of::<R>() > CACHED_BYTES { FAR } else { 1.0 };
    (lines * length) as f64 * ((length as f64).log2() + LEVELS_BESIDE) * far
}

/// Which number of an axis is at a position: those before the first and after the last one are so many further, or there are none.
struct Window {
    lead: usize,
    count: usize,
    period: Option<usize>,
}

fn signal_window(axis: &ConvolvedAxis, cover: &Cover) -> Window {
    Window { lead: cover.lead, count: axis.signal, period: cover.period }
}

fn kernel_window(axis: &ConvolvedAxis, cover: &Cover, kind: ConvolutionKind) -> Window {
    let lead = (cover.length - cover.turn(axis, kind)) % cover.length;
    Window { lead, count: axis.kernel, period: Some(cover.length) }
}

impl Window {
    fn place(&self, position: usize) -> Option<usize> {
        self.runs(position, 1).next().map(|(_, place, _)| place)
    }

    /// Neighbouring numbers at `length` positions from one on: the first one's element, its place, and how many they are.
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
