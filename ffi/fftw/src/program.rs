//! The passes of a problem, and their execution.

use std::sync::Arc;

use affinimath_core::threads;
use affinimath_cpu::fft::planner::PencilPlanner;
use affinimath_cpu::fft::real::RealTransform;
use rustfft::FftDirection;

use crate::cache::{Direction, Key, Shape};
use crate::memory::{Memory, Shared, aligned};
use crate::pass::{Buffer, Dim, Parts, Pass};
use crate::pencil::Pencil;
use crate::plan::Real;
use crate::waves::{Kind, Wave};

/// The transform of all dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Transform {
    Complex(FftDirection),
    RealToComplex,
    ComplexToReal,
    /// A kind for each dimension.
    RealToReal(Vec<Kind>),
}

impl Transform {
    /// Real values of an element on both sides.
    pub(crate) fn widths(&self) -> [usize; 2] {
        match self {
            Transform::Complex(_) => [2, 2],
            Transform::RealToComplex => [1, 2],
            Transform::ComplexToReal => [2, 1],
            Transform::RealToReal(_) => [1, 1],
        }
    }

    /// True between real and complex points, where the last axis of complex ones is halved.
    pub(crate) fn is_halved(&self) -> bool {
        matches!(self, Transform::RealToComplex | Transform::ComplexToReal)
    }
}

/// A transform with its layout. Strides are in real values.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) transform: Transform,
    pub(crate) dims: Vec<Dim>,
    pub(crate) loops: Vec<Dim>,
    /// The arrays have memory in common.
    pub(crate) in_place: bool,
    /// Both parts of the arrays begin at the same elements.
    pub(crate) same_start: bool,
    /// Complex numbers of both sides are pairs in one array.
    pub(crate) interleaved: bool,
    pub(crate) threads: usize,
}

/// Points from which on a second thread pays.
const ALONE: usize = 1 << 14;

pub(crate) struct Program<R> {
    passes: Vec<Pass<R>>,
    /// Transforms that go through all passes one by one.
    rounds: Vec<Dim>,
    round_count: usize,
    /// Threads of the rounds, and of each pass.
    round_threads: usize,
    pass_threads: usize,
    /// Real values of a copy of the input, and of a thread's buffers.
    work: usize,
    buffers: usize,
    memory: Memory<R>,
    /// One pass over one pencil.
    is_single: bool,
}

/// An array with strides of its axes and loops.
#[derive(Clone)]
struct Operand {
    buffer: Buffer,
    axes: Vec<isize>,
    loops: Vec<isize>,
}

impl Problem {
    /// A transform between real and complex numbers has an axis, if only of one point.
    fn with_an_axis(&self) -> Self {
        let mut problem = self.clone();
        if problem.transform.is_halved() && problem.dims.is_empty() {
            problem.dims.push(Dim { n: 1, from: 0, to: 0 });
        }
        problem
    }

    /// Elements along a dimension on both sides.
    fn counts(&self, axis: usize) -> [usize; 2] {
        let n = self.dims[axis].n;
        let half = if axis + 1 == self.dims.len() { n / 2 + 1 } else { n };
        match self.transform {
            Transform::RealToComplex => [n, half],
            Transform::ComplexToReal => [half, n],
            _ => [n, n],
        }
    }

    /// True if a pencil occupies the same elements on both sides.
    fn pencils_stay(&self) -> bool {
        let last = self.dims.len().saturating_sub(1);
        let halved = self.transform.is_halved();
        let stays = |dim: &Dim| dim.n == 1 || dim.from == dim.to;
        let outer = if halved { &self.dims[..last] } else { &self.dims[..] };
        if !self.same_start || !outer.iter().chain(&self.loops).all(stays) {
            return false;
        }
        if !halved {
            return true;
        }
        let (dim, widths) = (&self.dims[last], self.transform.widths());
        let row = 2 * (dim.n / 2 + 1);
        let apart = |other: &Dim| other.n == 1 || other.from.unsigned_abs() >= row;
        self.interleaved
            && (dim.n == 1 || dim.from == widths[0] as isize && dim.to == widths[1] as isize)
            && outer.iter().chain(&self.loops).all(apart)
    }

    /// The input copied to a dense array of the plan.
    fn dense_copy(&self) -> (Operand, usize) {
        let mut next = self.transform.widths()[0] as isize;
        let mut dense = |n: usize| {
            let stride = next;
            next *= n as isize;
            stride
        };
        let axes: Vec<_> = (0..self.dims.len()).rev().map(|axis| dense(self.counts(axis)[0])).collect();
        let loops: Vec<_> = self.loops.iter().rev().map(|l| dense(l.n)).collect();
        let reversed = |strides: Vec<isize>| strides.into_iter().rev().collect();
        (Operand { buffer: Buffer::Work, axes: reversed(axes), loops: reversed(loops) }, next as usize)
    }

    /// True if the passes overwrite the input.
    pub(crate) fn destroys_input(&self) -> bool {
        !self.in_place && self.transform == Transform::ComplexToReal && self.axes().len() > 1
    }

    /// The axes in the order of their passes.
    fn axes(&self) -> Vec<usize> {
        let last = self.dims.len().saturating_sub(1);
        let needed = |axis: &usize| match self.transform {
            Transform::RealToReal(_) => true,
            Transform::Complex(_) => self.dims[*axis].n > 1,
            _ => self.dims[*axis].n > 1 || *axis == last,
        };
        let axes = (0..self.dims.len()).filter(needed);
        if self.transform == Transform::ComplexToReal { axes.collect() } else { axes.rev().collect() }
    }

    /// True if the transforms of a loop may run one after the other, because none lies between the points of another.
    fn has_rounds(&self, axes: &[usize]) -> bool {
        let widest = axes.iter().map(|axis| self.dims[*axis].to.unsigned_abs()).max().unwrap_or(0);
        axes.len() > 1 && self.loops.iter().all(|l| l.to.unsigned_abs() >= widest)
    }
}

impl<R: Real> Program<R> {
    pub(crate) fn new(problem: &Problem) -> Self {
        let problem = &problem.with_an_axis();
        let empty = problem.loops.iter().any(|l| l.n == 0);
        let axes = problem.axes();
        let mut passes = Vec::new();
        let (mut work, mut rounds) = (0, Vec::new());
        if !empty {
            let strides = |dims: &[Dim], side: fn(&Dim) -> isize| dims.iter().map(side).collect::<Vec<_>>();
            let operand = |buffer, side| Operand {
                buffer,
                axes: strides(&problem.dims, side),
                loops: strides(&problem.loops, side),
            };
            let (mut input, output) = (operand(Buffer::Input, |d| d.from), operand(Buffer::Output, |d| d.to));
            if problem.in_place && !problem.pencils_stay() {
                let (copy, reals) = problem.dense_copy();
                passes.push(copy_pass(problem, &input, &copy, 0));
                (input, work) = (copy, reals);
            } else if problem.has_rounds(&axes) {
                rounds = problem.loops.clone();
            }
            if axes.is_empty() {
                passes.push(copy_pass(problem, &input, &output, 1));
            } else {
                passes.extend(transform_passes(problem, &axes, &input, &output, rounds.is_empty()));
            }
        }
        Self::of_passes(passes, rounds, work, problem.threads)
    }

    fn of_passes(passes: Vec<Pass<R>>, rounds: Vec<Dim>, work: usize, threads: usize) -> Self {
        let round_count: usize = rounds.iter().map(|l| l.n).product();
        let buffers = aligned(passes.iter().map(Pass::memory).max().unwrap_or(0));
        let points = passes.first().map_or(0, Pass::points).saturating_mul(round_count);
        let threads = if points <= ALONE { 1 } else { threads };
        let of_rounds = round_count >= 2 * threads;
        let [round_threads, pass_threads] = if of_rounds { [threads, 1] } else { [1, threads] };
        let memory = Memory::new(aligned(work) + threads * buffers);
        let is_single = passes.len() == 1 && round_count == 1 && passes[0].is_single();
        let work = aligned(work);
        Program { passes, rounds, round_count, round_threads, pass_threads, work, buffers, memory, is_single }
    }

    /// # Safety
    /// The arrays hold the problem's input and output, and no other thread accesses them.
    #[inline]
    pub(crate) unsafe fn execute(&self, from: Parts<R>, to: Parts<R>) {
        // SAFETY: the contracts are the same.
        if self.is_single && unsafe { self.passes[0].run_single(from, to, &self.memory) } {
            return;
        }
        self.memory.with(|memory| {
            if self.round_threads == 1 && self.pass_threads == 1 {
                // SAFETY: the contracts are the same.
                unsafe { self.execute_alone(from, to, memory) };
            } else {
                // SAFETY: the contracts are the same.
                unsafe { self.execute_shared(from, to, memory) };
            }
        });
    }

    /// # Safety
    /// See [`Program::execute`].
    #[inline]
    unsafe fn execute_alone(&self, from: Parts<R>, to: Parts<R>, memory: &mut [R]) {
        let (work, buffers) = memory.split_at_mut(self.work);
        for round in 0..self.round_count {
            // SAFETY: the rounds are those of the problem.
            unsafe {
                let (from, to) = self.locate(round, from, to);
                for pass in &self.passes {
                    let [from, to] = arrays(pass, from, to, work.as_mut_ptr());
                    pass.run(from, to, [0, 1], buffers);
                }
            }
        }
    }

    /// # Safety
    /// See [`Program::execute`].
    unsafe fn execute_shared(&self, from: Parts<R>, to: Parts<R>, memory: &mut [R]) {
        let (work, buffers) = memory.split_at_mut(self.work);
        let pointers = Shared((from, to, work.as_mut_ptr(), buffers.as_mut_ptr()));
        // SAFETY: each thread has a part of the buffers.
        let buffers = |thread: usize| unsafe {
            let (.., buffers) = pointers.get();
            std::slice::from_raw_parts_mut(buffers.add(thread * self.buffers), self.buffers)
        };
        if self.round_threads > 1 {
            let threads = self.round_threads;
            threads::for_each(threads, |thread| {
                let (from, to, work, _) = pointers.get();
                for round in self.round_count * thread / threads..self.round_count * (thread + 1) / threads {
                    // SAFETY: no two rounds have an element of the output in common.
                    unsafe {
                        let (from, to) = self.locate(round, from, to);
                        for pass in &self.passes {
                            let [from, to] = arrays(pass, from, to, work);
                            pass.run(from, to, [0, 1], buffers(thread));
                        }
                    }
                }
            });
            return;
        }
        let threads = self.pass_threads;
        for round in 0..self.round_count {
            for pass in &self.passes {
                threads::for_each(threads, |thread| {
                    let (from, to, work, _) = pointers.get();
                    // SAFETY: no two parts of a pass have a pencil in common.
                    unsafe {
                        let (from, to) = self.locate(round, from, to);
                        let [from, to] = arrays(pass, from, to, work);
                        pass.run(from, to, [thread, threads], buffers(thread));
                    }
                });
            }
        }
    }

    /// The arrays of a round.
    ///
    /// # Safety
    /// The round is below the count, and the arrays are those of the problem.
    #[inline]
    unsafe fn locate(&self, round: usize, from: Parts<R>, to: Parts<R>) -> (Parts<R>, Parts<R>) {
        let (mut source, mut target, mut rest) = (0, 0, round);
        for outer in self.rounds.iter().rev() {
            let index = (rest % outer.n) as isize;
            rest /= outer.n;
            source += index * outer.from;
            target += index * outer.to;
        }
        // SAFETY: each index is below the count of its loop, so the offsets are inside the arrays.
        unsafe { (from.add(source), to.add(target)) }
    }

    /// Passes over the arrays.
    pub(crate) fn passes(&self) -> usize {
        self.passes.len()
    }
}

/// The arrays of a pass.
#[inline]
fn arrays<R: Copy>(pass: &Pass<R>, input: Parts<R>, output: Parts<R>, work: *mut R) -> [Parts<R>; 2] {
    let array = |buffer| match buffer {
        Buffer::Input => input,
        Buffer::Output => output,
        Buffer::Work => Parts { re: work, im: work.wrapping_add(1) },
    };
    [array(pass.from), array(pass.to)]
}

/// Copies all elements of the input (side 0) or of the output.
fn copy_pass<R: Real>(problem: &Problem, from: &Operand, to: &Operand, side: usize) -> Pass<R> {
    let counts =
        (0..problem.dims.len()).map(|axis| problem.counts(axis)[side]).chain(problem.loops.iter().map(|l| l.n));
    let strides = |operand: &Operand| operand.axes.iter().chain(&operand.loops).copied().collect::<Vec<_>>();
    let dims = counts.zip(strides(from).into_iter().zip(strides(to)));
    let mut dims: Vec<_> = dims.map(|(n, (from, to))| Dim { n, from, to }).filter(|dim| dim.n != 1).collect();
    dims.sort_by_key(|dim| dim.from.unsigned_abs());
    let width = problem.transform.widths()[side];
    let pencil = if dims.is_empty() { Dim { n: 1, from: 0, to: 0 } } else { dims.remove(0) };
    Pass::new([from.buffer, to.buffer], Arc::new(Pencil::Copy(width)), pencil.n, [pencil.from, pencil.to], &dims)
}

/// The passes of the axes. Between two of them the points are in the output's layout, those of complex-to-real
/// transforms in the input's.
fn transform_passes<R: Real>(
    problem: &Problem,
    axes: &[usize],
    input: &Operand,
    output: &Operand,
    with_loops: bool,
) -> Vec<Pass<R>> {
    let shared = problem.threads > 1;
    let backward = problem.transform == Transform::ComplexToReal;
    let between = if backward { input } else { output };
    // The other axes are transformed while the last one is halved.
    let count = |axis: usize| problem.counts(axis)[usize::from(!backward)];
    let pass = |(number, axis): (usize, &usize)| {
        let axis = *axis;
        let from = if number == 0 { input } else { between };
        let to = if number + 1 == axes.len() { output } else { between };
        let others = (0..problem.dims.len()).filter(|other| *other != axis);
        let mut loops: Vec<_> =
            others.map(|other| Dim { n: count(other), from: from.axes[other], to: to.axes[other] }).collect();
        if with_loops {
            let pairs = from.loops.iter().zip(&to.loops).zip(&problem.loops);
            loops.extend(pairs.map(|((from, to), l)| Dim { n: l.n, from: *from, to: *to }));
        }
        let few = shared && loops.iter().map(|l| l.n).product::<usize>() < problem.threads;
        let pencil = pencil(problem, axis, few);
        Pass::new([from.buffer, to.buffer], pencil, problem.dims[axis].n, [from.axes[axis], to.axes[axis]], &loops)
    };
    axes.iter().enumerate().map(pass).collect()
}

/// The transform along an axis, from the cache or made now.
fn pencil<R: Real>(problem: &Problem, axis: usize, few: bool) -> Arc<Pencil<R>> {
    let (n, last) = (problem.dims[axis].n, axis + 1 == problem.dims.len());
    let shape = match &problem.transform {
        Transform::Complex(direction) => Shape::Complex((*direction).into()),
        Transform::RealToComplex if last => Shape::RealToComplex,
        Transform::RealToComplex => Shape::Complex(Direction::Forward),
        Transform::ComplexToReal if last => Shape::ComplexToReal,
        Transform::ComplexToReal => Shape::Complex(Direction::Backward),
        Transform::RealToReal(kinds) => Shape::RealToReal(kinds[axis]),
    };
    let shared = problem.threads > 1;
    R::cache().get(Key { shape, n, shared, few }, || {
        let mut planner = if shared { PencilPlanner::shared() } else { PencilPlanner::alone() };
        let (forward, backward) = (FftDirection::Forward, FftDirection::Inverse);
        match shape {
            Shape::Complex(Direction::Forward) => Pencil::Complex(planner.plan(n, forward, few)),
            Shape::Complex(Direction::Backward) => Pencil::Complex(planner.plan(n, backward, few)),
            Shape::RealToComplex => Pencil::RealToComplex(RealTransform::new(n, forward, few, &mut planner)),
            Shape::ComplexToReal => Pencil::ComplexToReal(RealTransform::new(n, backward, few, &mut planner)),
            Shape::RealToReal(kind) => Pencil::RealToReal(Wave::new(kind, n, few, &mut planner)),
        }
    })
}
