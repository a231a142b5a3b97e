//! The transforms of all pencils along an axis.

use rustfft::FftNum;

use super::memory::{Pool, SharedPointer, aligned_length, complex_mut, split_aligned, threads_for};
use super::pencil::{Extent, PencilTransform};
use super::roots::number;
use super::tiles::{Strides, copy};

/// Bytes of a tile's row, in adjacent pencils: two cache lines.
const TILE_BYTES: usize = 128;

/// Largest size of a tile in bytes.
const LARGEST_TILE: usize = 8 << 20;

/// Smallest size of a tile in bytes.
const SMALLEST_TILE: usize = 16 << 10;

/// Bytes of a block of contiguous pencils, a thread's unit of work.
const BLOCK_BYTES: usize = 32 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffer {
    Input,
    Output,
    /// Memory of the plan.
    Work,
}

/// A dimension of pencils: count, and strides on both sides in real values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopDimension {
    pub(super) count: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// One side of the pencils.
#[derive(Clone, Copy, Debug)]
struct Side {
    extent: Extent,
    /// Distance of elements in real values.
    stride: usize,
    /// Distance of pencils in a buffer, in real values.
    pitch: usize,
}

/// Contiguous pencils, `spacing` real values apart.
#[derive(Clone, Copy)]
struct Rows<R> {
    start: *mut R,
    spacing: usize,
}

pub(super) struct Pass<R> {
    pub(super) from: Buffer,
    pub(super) to: Buffer,
    pencil: PencilTransform<R>,
    n: usize,
    uses_all_threads: bool,
    source: Side,
    target: Side,
    /// Pencils are copied to a buffer first.
    gathers: bool,
    /// Results are copied from a buffer.
    scatters: bool,
    /// The transform is in place, in memory or in the buffer.
    in_place: bool,
    /// The first one is the dimension of blocks.
    loops: Vec<LoopDimension>,
    /// Pencils of a block.
    block: usize,
    scale: Option<R>,
}

impl Side {
    fn new(extent: Extent, stride: usize) -> Self {
        let reals = extent.reals();
        // Padding avoids cache conflicts at powers of two.
        let pitch = if reals.is_multiple_of(256) { reals + 16 } else { reals };
        Side { extent, stride, pitch }
    }

    fn adjacent(&self) -> bool {
        self.stride == self.extent.width || self.extent.elements == 1
    }
}

impl<R: FftNum> Pass<R> {
    /// A pass over pencils of n points, with strides of elements in real values.
    pub(super) fn new(
        [from, to]: [Buffer; 2],
        pencil: PencilTransform<R>,
        (n, uses_all_threads): (usize, bool),
        strides: [usize; 2],
        loops: Vec<LoopDimension>,
        scale: f64,
    ) -> Self {
        let (before, after) = pencil.extents(n);
        let (source, target) = (Side::new(before, strides[0]), Side::new(after, strides[1]));
        let complex = pencil.in_place().is_some();
        let scatters = !target.adjacent();
        let gathers = !source.adjacent() || from == to && !(complex && target.adjacent());
        let in_place = complex && if gathers { scatters } else { from == to };
        let loops = ordered(loops, [&source, &target]);
        let bytes = size_of::<R>() * before.reals().max(after.reals());
        let block = if source.adjacent() && target.adjacent() {
            BLOCK_BYTES / bytes
        } else {
            let tile = TILE_BYTES / (size_of::<R>() * before.width.max(after.width));
            tile.min(LARGEST_TILE / bytes).max(SMALLEST_TILE / bytes)
        };
        let block = block.clamp(1, loops[0].count.max(1));
        let scale = (scale != 1.0).then(|| number(scale));
        Pass { from, to, pencil, n, uses_all_threads, source, target, gathers, scatters, in_place, loops, block, scale }
    }

    /// True if each transform uses all threads.
    pub(super) fn uses_all_threads(&self) -> bool {
        self.uses_all_threads
    }

    /// Threads of the pass; one, if each transform uses all threads itself.
    pub(super) fn threads(&self) -> usize {
        let pencils: usize = self.loops.iter().map(|l| l.count).product();
        if self.uses_all_threads() { 1 } else { threads_for(self.n.saturating_mul(pencils)) }
    }

    /// Transforms all pencils.
    ///
    /// # Safety
    /// The pencils at `from` are valid for reads and those at `to` for writes, and no other thread accesses them. The
    /// two pointers are equal if the buffers are.
    pub(super) unsafe fn run(&self, from: *const R, to: *mut R, threads: usize, pool: &Pool<R>) {
        let outer: usize = self.loops[1..].iter().map(|l| l.count).product();
        let blocks = self.loops[0].count.div_ceil(self.block) * outer;
        let pointers = SharedPointer((from, to));
        pool.share(threads, blocks, self.memory(), |block, memory| {
            let (from, to) = pointers.get();
            let (pencils, source, target) = self.locate(block);
            // SAFETY: `locate` yields pencils of the pass, each in one block only.
            unsafe { self.run_block(pencils, from.add(source), to.add(target), memory) };
        });
    }

    /// Real values of memory for a block.
    fn memory(&self) -> usize {
        let buffer = |side: &Side, used: bool| if used { aligned_length(self.block * side.pitch) } else { 0 };
        buffer(&self.source, self.gathers)
            + buffer(&self.target, self.scatters && !self.in_place)
            + self.pencil.workspace()
    }

    /// Pencils of a block, and the offsets of the first one on both sides.
    fn locate(&self, block: usize) -> (usize, usize, usize) {
        let inner = &self.loops[0];
        let blocks = inner.count.div_ceil(self.block);
        let first = block % blocks * self.block;
        let (mut source, mut target) = (first * inner.from, first * inner.to);
        let mut rest = block / blocks;
        for outer in &self.loops[1..] {
            let index = rest % outer.count;
            rest /= outer.count;
            source += index * outer.from;
            target += index * outer.to;
        }
        (self.block.min(inner.count - first), source, target)
    }

    /// # Safety
    /// See [`Pass::run`], for `pencils` pencils of the first dimension.
    unsafe fn run_block(&self, pencils: usize, from: *const R, to: *mut R, memory: &mut [R]) {
        let inner = &self.loops[0];
        let mut source = Rows { start: from.cast_mut(), spacing: inner.from };
        let mut target = Rows { start: to, spacing: inner.to };
        let mut rest = memory;
        let mut buffer = |side: &Side| {
            let (buffer, after) = split_aligned(std::mem::take(&mut rest), self.block * side.pitch);
            rest = after;
            Rows { start: buffer.as_mut_ptr(), spacing: side.pitch }
        };
        // SAFETY: by contract, `from` and `to` are valid for the pencils; a buffer holds `block >= pencils` of them.
        unsafe {
            if self.gathers {
                source = buffer(&self.source);
                self.source.copy_pencils(
                    pencils,
                    from,
                    (self.source.stride, inner.from),
                    source.start,
                    source.inside(&self.source),
                );
            }
            if self.scatters {
                target = if self.in_place { source } else { buffer(&self.target) };
            }
            self.transform(pencils, source, target, rest);
            if self.scatters {
                self.target.copy_pencils(
                    pencils,
                    target.start,
                    target.inside(&self.target),
                    to,
                    (self.target.stride, inner.to),
                );
            }
        }
    }

    /// # Safety
    /// `pencils` rows of both are valid, the target for writes and the source for reads, or for writes if it is a
    /// buffer.
    unsafe fn transform(&self, pencils: usize, source: Rows<R>, target: Rows<R>, workspace: &mut [R]) {
        let (before, after) = (self.source.extent.reals(), self.target.extent.reals());
        let dense = source.spacing == before && target.spacing == after;
        let together = if dense { pencils } else { 1 };
        for pencil in (0..pencils).step_by(together) {
            // SAFETY: pencil < pencils, so both are among the caller's.
            let (from, to) =
                unsafe { (source.start.add(pencil * source.spacing), target.start.add(pencil * target.spacing)) };
            // SAFETY: the target holds `together` contiguous pencils, apart from the source unless `in_place`.
            let results = unsafe { std::slice::from_raw_parts_mut(to, together * after) };
            match self.pencil.in_place() {
                Some(fft) if self.in_place => fft.process_with_scratch(complex_mut(results), complex_mut(workspace)),
                _ if self.gathers => {
                    // SAFETY: the source is the buffer of this block.
                    let from = unsafe { std::slice::from_raw_parts_mut(from, together * before) };
                    self.pencil.consume(self.n, from, results, workspace);
                }
                _ => {
                    // SAFETY: the source holds `together` contiguous pencils, which no one writes.
                    let from = unsafe { std::slice::from_raw_parts(from, together * before) };
                    self.pencil.transform(self.n, from, results, workspace);
                }
            }
            if let Some(scale) = self.scale {
                results.iter_mut().for_each(|x| *x = *x * scale);
            }
        }
    }
}

impl<R> Rows<R> {
    /// Strides of elements and of pencils.
    fn inside(&self, side: &Side) -> (usize, usize) {
        (side.extent.width, self.spacing)
    }
}

impl Side {
    /// Copies pencils, with strides of elements and of pencils in real values.
    ///
    /// # Safety
    /// The pencils at `from` are valid for reads and those at `to` for writes, and the two do not overlap.
    unsafe fn copy_pencils<R: Copy>(
        &self,
        pencils: usize,
        from: *const R,
        source: (usize, usize),
        to: *mut R,
        target: (usize, usize),
    ) {
        let Extent { elements, width } = self.extent;
        let strides = |(element, pencil): (usize, usize)| Strides { element: element / width, pencil: pencil / width };
        let (source, target) = (strides(source), strides(target));
        // SAFETY: the same pencils, counted in elements of `width` real values.
        unsafe {
            match width {
                1 => copy(from, source, to, target, elements, pencils),
                _ => copy::<[R; 2]>(from.cast(), source, to.cast(), target, elements, pencils),
            }
        }
    }
}

/// Loops by ascending stride, with contiguous ones merged.
fn ordered(mut loops: Vec<LoopDimension>, [source, target]: [&Side; 2]) -> Vec<LoopDimension> {
    let both = source.adjacent() == target.adjacent();
    let distance = |l: &LoopDimension| {
        let from = if both || !source.adjacent() { l.from } else { 0 };
        let to = if both || !target.adjacent() { l.to } else { 0 };
        from.saturating_add(to)
    };
    loops.retain(|l| l.count != 1);
    loops.sort_by_key(distance);
    let mut joined: Vec<LoopDimension> = Vec::new();
    for next in loops {
        match joined.last_mut() {
            Some(last) if last.from * last.count == next.from && last.to * last.count == next.to => {
                last.count *= next.count
            }
            _ => joined.push(next),
        }
    }
    if joined.is_empty() {
        joined.push(LoopDimension { count: 1, from: 0, to: 0 });
    }
    joined
}
