//! The transforms of all pencils along one axis.

use std::sync::Arc;

use num_complex::Complex;
use pulp::Arch;
use rustfft::FftNum;

use crate::memory::{Memory, aligned, split};
use crate::pencil::{Extent, Pencil};

/// Bytes of the pencils in a buffer.
const BUFFER_BYTES: usize = 32 << 10;

/// Bytes of a row across the pencils in a buffer: two cache lines.
const ROW_BYTES: usize = 128;

/// Real and imaginary parts of an array; both the same for a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<R> {
    pub(crate) re: *mut R,
    pub(crate) im: *mut R,
}

/// A dimension of a loop: count, and strides on both sides in real values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    pub(crate) n: usize,
    pub(crate) from: isize,
    pub(crate) to: isize,
}

/// An array of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Input,
    Output,
    /// Memory of the plan.
    Work,
}

/// One side of the pencils.
#[derive(Clone, Copy, Debug)]
struct Side {
    extent: Extent,
    /// Distance of elements in real values.
    stride: isize,
    /// Distance of pencils in a buffer, in real values.
    pitch: usize,
}

pub(crate) struct Pass<R> {
    pub(crate) from: Buffer,
    pub(crate) to: Buffer,
    pencil: Arc<Pencil<R>>,
    n: usize,
    source: Side,
    target: Side,
    /// The first one is the dimension of blocks.
    loops: Vec<Dim>,
    /// Pencils of a block.
    block: usize,
    blocks: usize,
    /// Real values.
    pencil_workspace: usize,
}

impl<R> Parts<R> {
    pub(crate) fn real(array: *mut R) -> Self {
        Parts { re: array, im: array }
    }

    /// # Safety
    /// The offset is inside the array.
    pub(crate) unsafe fn add(self, offset: isize) -> Self {
        // SAFETY: the contracts are the same.
        unsafe { Parts { re: self.re.offset(offset), im: self.im.offset(offset) } }
    }
}

impl Side {
    fn new(extent: Extent, stride: isize) -> Self {
        let reals = extent.reals();
        // Padding avoids cache conflicts at powers of two.
        let pitch = if reals.is_multiple_of(256) { reals + 16 } else { reals };
        Side { extent, stride, pitch }
    }

    /// True if each pencil of the array is a slice.
    #[inline]
    fn is_slice<R>(&self, array: Parts<R>) -> bool {
        let width = self.extent.width;
        (self.stride == width as isize || self.extent.elements == 1)
            && (width == 1 || array.im == array.re.wrapping_add(1))
    }
}

impl<R: FftNum> Pass<R> {
    /// A pass over pencils of n points, with strides of elements in real values.
    pub(crate) fn new(
        buffers: [Buffer; 2],
        pencil: Arc<Pencil<R>>,
        n: usize,
        strides: [isize; 2],
        loops: &[Dim],
    ) -> Self {
        let [before, after] = pencil.extents(n);
        let (source, target) = (Side::new(before, strides[0]), Side::new(after, strides[1]));
        let loops = ordered(loops);
        let pencil_bytes = size_of::<R>() * before.reals().max(after.reals());
        let row = ROW_BYTES / (size_of::<R>() * before.width.max(after.width));
        let row = if source.stride.unsigned_abs() > before.width || target.stride.unsigned_abs() > after.width {
            row
        } else {
            1
        };
        let block = (BUFFER_BYTES / pencil_bytes).max(row).clamp(1, loops[0].n.max(1));
        let blocks = loops[0].n.div_ceil(block) * loops[1..].iter().map(|l| l.n).product::<usize>();
        let pencil_workspace = pencil.workspace();
        let [from, to] = buffers;
        Pass { from, to, pencil, n, source, target, loops, block, blocks, pencil_workspace }
    }

    /// Real values of memory for a thread.
    pub(crate) fn memory(&self) -> usize {
        let buffer = |side: &Side| aligned(self.block * side.pitch);
        buffer(&self.source) + buffer(&self.target) + aligned(self.pencil_workspace)
    }

    /// Transforms the only pencil of the pass if it is a slice on both sides, and says if it did. Most calls of short
    /// transforms are of this kind.
    ///
    /// # Safety
    /// See [`Pass::run`].
    #[inline]
    pub(crate) unsafe fn run_single(&self, from: Parts<R>, to: Parts<R>, memory: &Memory<R>) -> bool {
        let same = from.re == to.re;
        if !self.source.is_slice(from) || !self.target.is_slice(to) || same && !self.pencil.has_in_place() {
            return false;
        }
        let run = |workspace: &mut [R]| {
            // SAFETY: both are slices of the caller's; the same one is accessed once.
            unsafe {
                let results = std::slice::from_raw_parts_mut(to.re, self.target.extent.reals());
                if same {
                    self.pencil.in_place(results, workspace);
                } else {
                    let points = std::slice::from_raw_parts(from.re, self.source.extent.reals());
                    self.pencil.transform_one(points, results, workspace);
                }
            }
        };
        if self.pencil_workspace == 0 {
            run(&mut [])
        } else {
            memory.with(run)
        }
        true
    }

    /// True if there is one pencil.
    pub(crate) fn is_single(&self) -> bool {
        self.loops.len() == 1 && self.loops[0].n == 1
    }

    /// Points of all pencils.
    pub(crate) fn points(&self) -> usize {
        self.loops.iter().fold(self.n, |points, l| points.saturating_mul(l.n))
    }

    /// Transforms the pencils of part `part` of `parts`.
    ///
    /// # Safety
    /// The pencils at `from` are valid for reads and those at `to` for writes, and no other thread accesses those of
    /// the part. Where the arrays overlap, pencils occupy the same elements on both sides.
    pub(crate) unsafe fn run(&self, from: Parts<R>, to: Parts<R>, [part, parts]: [usize; 2], memory: &mut [R]) {
        if self.blocks == 1 && parts == 1 {
            // SAFETY: the only block has all pencils.
            return unsafe { self.run_block(self.loops[0].n, from, to, memory) };
        }
        for block in self.blocks * part / parts..self.blocks * (part + 1) / parts {
            let (pencils, source, target) = self.locate(block);
            // SAFETY: `locate` yields pencils of the pass, each in one block only.
            unsafe { self.run_block(pencils, from.add(source), to.add(target), memory) };
        }
    }

    /// Pencils of a block, and the offsets of the first one on both sides.
    fn locate(&self, block: usize) -> (usize, isize, isize) {
        let inner = &self.loops[0];
        let blocks = inner.n.div_ceil(self.block);
        let first = block % blocks * self.block;
        let (mut source, mut target) = (first as isize * inner.from, first as isize * inner.to);
        let mut rest = block / blocks;
        for outer in &self.loops[1..] {
            let index = (rest % outer.n) as isize;
            rest /= outer.n;
            source += index * outer.from;
            target += index * outer.to;
        }
        (self.block.min(inner.n - first), source, target)
    }

    /// # Safety
    /// See [`Pass::run`], for `pencils` pencils of the first dimension.
    #[inline]
    unsafe fn run_block(&self, pencils: usize, from: Parts<R>, to: Parts<R>, memory: &mut [R]) {
        let same = from.re == to.re;
        let slices = [self.source.is_slice(from), self.target.is_slice(to)];
        // SAFETY: the contracts are the same; slices of one array are accessed in place only.
        unsafe {
            match slices {
                [true, true] if !same || self.pencil.has_in_place() => self.direct(pencils, from, to, memory),
                [true, false] if !same => self.scatter_results(pencils, from, to, memory),
                [_, to_slices] => self.gather_points(pencils, from, to, to_slices && !same, memory),
            }
        }
    }

    /// Slices to slices.
    ///
    /// # Safety
    /// See [`Pass::run_block`].
    unsafe fn direct(&self, pencils: usize, from: Parts<R>, to: Parts<R>, memory: &mut [R]) {
        let (before, after) = (self.source.extent.reals(), self.target.extent.reals());
        let inner = &self.loops[0];
        let dense = inner.from == before as isize && inner.to == after as isize;
        let together = if dense { pencils } else { 1 };
        for pencil in (0..pencils).step_by(together) {
            // SAFETY: pencil < pencils, so both are slices of the caller's; the same one is accessed once.
            unsafe {
                let to = to.re.offset(pencil as isize * inner.to);
                let from = from.re.offset(pencil as isize * inner.from);
                let results = std::slice::from_raw_parts_mut(to, together * after);
                if std::ptr::eq(from, to) {
                    self.pencil.in_place(results, memory);
                } else {
                    let points = std::slice::from_raw_parts(from, together * before);
                    self.pencil.transform(self.n, points, results, memory);
                }
            }
        }
    }

    /// Slices to results in a buffer, and those to the target.
    ///
    /// # Safety
    /// See [`Pass::run_block`].
    unsafe fn scatter_results(&self, pencils: usize, from: Parts<R>, to: Parts<R>, memory: &mut [R]) {
        let (before, after) = (self.source.extent.reals(), self.target.extent.reals());
        let inner = &self.loops[0];
        let (buffer, workspace) = split(memory, self.block * self.target.pitch);
        for (pencil, results) in buffer.chunks_exact_mut(self.target.pitch).take(pencils).enumerate() {
            // SAFETY: pencil < pencils, so it is one of the caller's.
            let points = unsafe { std::slice::from_raw_parts(from.re.offset(pencil as isize * inner.from), before) };
            self.pencil.transform(self.n, points, &mut results[..after], workspace);
        }
        // SAFETY: the target's pencils are valid for writes.
        unsafe { self.target.scatter(buffer, pencils, to, inner.to) };
    }

    /// Points to a buffer, transformed there, and results to the target.
    ///
    /// # Safety
    /// See [`Pass::run_block`]. With `to_slices` the pencils of the target are slices apart from the source.
    unsafe fn gather_points(&self, pencils: usize, from: Parts<R>, to: Parts<R>, to_slices: bool, memory: &mut [R]) {
        let (before, after) = (self.source.extent.reals(), self.target.extent.reals());
        let inner = &self.loops[0];
        let (points, rest) = split(memory, self.block * self.source.pitch);
        // SAFETY: the source's pencils are valid for reads.
        unsafe { self.source.gather(from, inner.from, pencils, points) };
        if to_slices {
            for (pencil, points) in points.chunks_exact_mut(self.source.pitch).take(pencils).enumerate() {
                // SAFETY: pencil < pencils, so it is one of the caller's.
                let results =
                    unsafe { std::slice::from_raw_parts_mut(to.re.offset(pencil as isize * inner.to), after) };
                self.pencil.consume(self.n, &mut points[..before], results, rest);
            }
        } else if self.pencil.has_in_place() {
            if self.source.pitch == before {
                self.pencil.in_place(&mut points[..pencils * before], rest);
            } else {
                for points in points.chunks_exact_mut(self.source.pitch).take(pencils) {
                    self.pencil.in_place(&mut points[..before], rest);
                }
            }
            // SAFETY: the target's pencils are valid for writes.
            unsafe { self.target.scatter(points, pencils, to, inner.to) };
        } else {
            let (results, workspace) = split(rest, self.block * self.target.pitch);
            let pairs = points.chunks_exact_mut(self.source.pitch).zip(results.chunks_exact_mut(self.target.pitch));
            for (points, results) in pairs.take(pencils) {
                self.pencil.consume(self.n, &mut points[..before], &mut results[..after], workspace);
            }
            // SAFETY: the target's pencils are valid for writes.
            unsafe { self.target.scatter(results, pencils, to, inner.to) };
        }
    }
}

/// Strides of a copy: of elements, and of pencils.
#[derive(Clone, Copy)]
struct Strides {
    element: isize,
    pencil: isize,
}

impl Side {
    /// Copies pencils, `distance` real values apart, to a buffer.
    ///
    /// # Safety
    /// The pencils are valid for reads.
    unsafe fn gather<R: Copy>(&self, from: Parts<R>, distance: isize, pencils: usize, buffer: &mut [R]) {
        assert!(pencils * self.pitch <= buffer.len());
        let source = Strides { element: self.stride, pencil: distance };
        let target = Strides { element: self.extent.width as isize, pencil: self.pitch as isize };
        // SAFETY: the buffer holds the pencils, and by contract those at `from` are valid.
        unsafe { self.copy(from, source, self.buffer(buffer), target, pencils) };
    }

    /// Copies pencils from a buffer.
    ///
    /// # Safety
    /// The pencils at `to` are valid for writes.
    unsafe fn scatter<R: Copy>(&self, buffer: &mut [R], pencils: usize, to: Parts<R>, distance: isize) {
        assert!(pencils * self.pitch <= buffer.len());
        let source = Strides { element: self.extent.width as isize, pencil: self.pitch as isize };
        let target = Strides { element: self.stride, pencil: distance };
        // SAFETY: the buffer holds the pencils, and by contract those at `to` are valid.
        unsafe { self.copy(self.buffer(buffer), source, to, target, pencils) };
    }

    fn buffer<R>(&self, buffer: &mut [R]) -> Parts<R> {
        let start = buffer.as_mut_ptr();
        Parts { re: start, im: if self.extent.width == 2 { start.wrapping_add(1) } else { start } }
    }

    /// # Safety
    /// The pencils at `from` are valid for reads and those at `to` for writes, and the two do not overlap.
    unsafe fn copy<R: Copy>(&self, from: Parts<R>, source: Strides, to: Parts<R>, target: Strides, pencils: usize) {
        let n = self.extent.elements;
        let interleaved = |parts: Parts<R>| parts.im == parts.re.wrapping_add(1);
        let bytes = |strides: Strides| {
            let size = size_of::<R>() as isize;
            Strides { element: size * strides.element, pencil: size * strides.pencil }
        };
        let (source, target) = (bytes(source), bytes(target));
        // SAFETY: the contracts are the same.
        unsafe {
            if self.extent.width == 1 {
                copy(from.re, source, to.re, target, [n, pencils]);
            } else if interleaved(from) && interleaved(to) {
                copy(from.re.cast::<Complex<R>>(), source, to.re.cast::<Complex<R>>(), target, [n, pencils]);
            } else {
                copy(from.re, source, to.re, target, [n, pencils]);
                copy(from.im, source, to.im, target, [n, pencils]);
            }
        }
    }
}

/// Elements of each pencil that are copied at once: a cache line of complex doubles.
const DEPTH: usize = 4;

/// Copies pencils of n elements, a few elements of all pencils at a time. Strides are in bytes.
///
/// # Safety
/// The elements at `from` are valid for reads and those at `to` for writes.
unsafe fn copy<T: Copy>(from: *const T, source: Strides, to: *mut T, target: Strides, [n, pencils]: [usize; 2]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let whole = n / DEPTH * DEPTH;
            for first in (0..whole).step_by(DEPTH) {
                // SAFETY: first + DEPTH <= n.
                unsafe { copy_elements::<T, DEPTH>(from, source, to, target, first, pencils) };
            }
            for first in whole..n {
                // SAFETY: first < n.
                unsafe { copy_elements::<T, 1>(from, source, to, target, first, pencils) };
            }
        },
    );
}

/// Copies COUNT elements of each pencil, from element `first` on.
///
/// # Safety
/// See [`copy`], for first + COUNT <= n.
#[inline(always)]
unsafe fn copy_elements<T: Copy, const COUNT: usize>(
    from: *const T,
    source: Strides,
    to: *mut T,
    target: Strides,
    first: usize,
    pencils: usize,
) {
    // SAFETY: by contract, the elements are the caller's.
    unsafe {
        let (mut from, mut to) =
            (from.byte_offset(first as isize * source.element), to.byte_offset(first as isize * target.element));
        for pencil in 0..pencils {
            let elements: [T; COUNT] = std::array::from_fn(|j| *from.byte_offset(j as isize * source.element));
            for (j, element) in elements.into_iter().enumerate() {
                *to.byte_offset(j as isize * target.element) = element;
            }
            if pencil + 1 < pencils {
                (from, to) = (from.byte_offset(source.pencil), to.byte_offset(target.pencil));
            }
        }
    }
}

/// Dimensions without those of length 1, neighbours joined where they are one, and the nearest pencils first.
fn ordered(loops: &[Dim]) -> Vec<Dim> {
    let mut sorted: Vec<_> = loops.iter().copied().filter(|l| l.n != 1).collect();
    sorted.sort_by_key(|l| l.from.unsigned_abs().saturating_add(l.to.unsigned_abs()));
    let mut joined: Vec<Dim> = Vec::new();
    for outer in sorted {
        match joined.last_mut() {
            Some(inner) if follows(inner.n, inner.from, outer.from) && follows(inner.n, inner.to, outer.to) => {
                inner.n *= outer.n;
            }
            _ => joined.push(outer),
        }
    }
    if joined.is_empty() {
        joined.push(Dim { n: 1, from: 0, to: 0 });
    }
    joined
}

/// True if the outer stride continues the inner dimension.
fn follows(n: usize, inner: isize, outer: isize) -> bool {
    inner.checked_mul(n as isize) == Some(outer)
}
