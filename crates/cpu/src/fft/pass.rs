//! The transforms of all lines along an axis.

use rustfft::FftNum;

use super::memory::{Pool, SharedPointer, aligned_length, complex_mut, split_aligned, threads_for};
use super::pencil::{Extent, PencilTransform};
use super::roots::number;
use super::tiles::{Strides, copy};

/// Bytes of adjacent lines' elements that are moved together: two cache lines.
const TILE_BYTES: usize = 128;

/// Bytes that a tile should not exceed.
const LARGEST_TILE: usize = 8 << 20;

/// Bytes that a tile of short lines should have.
const SMALLEST_TILE: usize = 16 << 10;

/// Bytes of adjacent lines that are a thread's next piece of work.
const BLOCK_BYTES: usize = 32 << 10;

/// Whose memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffer {
    Input,
    Output,
    /// The plan's own.
    Work,
}

/// So many lines, and from one to the next on both sides, in reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopDimension {
    pub(super) count: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// One side of a pass' lines.
#[derive(Clone, Copy, Debug)]
struct Side {
    extent: Extent,
    /// From an element to the next, in reals.
    stride: usize,
    /// From a line to the next where they wait in a buffer, in reals.
    pitch: usize,
}

/// Reals of lines whose own are adjacent, and from a line to the next.
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
    /// Lines are taken to a buffer first.
    gathers: bool,
    /// Results leave a buffer at last.
    scatters: bool,
    /// Results take their line's place, be it in memory or in the buffer.
    in_place: bool,
    /// The first is the one whose lines are taken together.
    loops: Vec<LoopDimension>,
    /// Lines taken together.
    block: usize,
    scale: Option<R>,
}

impl Side {
    fn new(extent: Extent, stride: usize) -> Self {
        let reals = extent.reals();
        // Lines a large power of two apart would share their places in the cache.
        let pitch = if reals.is_multiple_of(256) { reals + 16 } else { reals };
        Side { extent, stride, pitch }
    }

    fn adjacent(&self) -> bool {
        self.stride == self.extent.width || self.extent.elements == 1
    }
}

impl<R: FftNum> Pass<R> {
    /// Of lines of n numbers, each on all threads or not, whose elements are so many reals apart on both sides.
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

    /// Whether each line takes all threads.
    pub(super) fn uses_all_threads(&self) -> bool {
        self.uses_all_threads
    }

    /// Threads that are worth having for all lines; one where each line takes them all.
    pub(super) fn threads(&self) -> usize {
        let pencils: usize = self.loops.iter().map(|l| l.count).product();
        if self.uses_all_threads() { 1 } else { threads_for(self.n.saturating_mul(pencils)) }
    }

    /// Transforms all lines, on so many threads.
    ///
    /// # Safety
    /// The lines at `from` can be read and those at `to` written, and belong to this call. The two are one where the places are.
    pub(super) unsafe fn run(&self, from: *const R, to: *mut R, threads: usize, pool: &Pool<R>) {
        let outer: usize = self.loops[1..].iter().map(|l| l.count).product();
        let blocks = self.loops[0].count.div_ceil(self.block) * outer;
        let pointers = SharedPointer((from, to));
        pool.share(threads, blocks, self.memory(), |block, memory| {
            let (from, to) = pointers.get();
            let (pencils, source, target) = self.locate(block);
            // SAFETY: the block's lines are among the caller's, and no other block's.
            unsafe { self.run_block(pencils, from.add(source), to.add(target), memory) };
        });
    }

    /// Reals of memory that a block takes.
    fn memory(&self) -> usize {
        let buffer = |side: &Side, used: bool| if used { aligned_length(self.block * side.pitch) } else { 0 };
        buffer(&self.source, self.gathers)
            + buffer(&self.target, self.scatters && !self.in_place)
            + self.pencil.scratch()
    }

    /// A block's lines, and where the first one begins on both sides.
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
    /// So many lines from `from` and `to` on are the caller's.
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
        // SAFETY: the lines are the caller's, and those in buffers fit there.
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
    /// So many lines of both can be read and written, and are the caller's, but for a source that is not gathered: that can be read.
    unsafe fn transform(&self, pencils: usize, source: Rows<R>, target: Rows<R>, scratch: &mut [R]) {
        let (before, after) = (self.source.extent.reals(), self.target.extent.reals());
        let dense = source.spacing == before && target.spacing == after;
        let together = if dense { pencils } else { 1 };
        for pencil in (0..pencils).step_by(together) {
            // SAFETY: the lines follow each other on both sides, or it is one.
            let (from, to) =
                unsafe { (source.start.add(pencil * source.spacing), target.start.add(pencil * target.spacing)) };
            // SAFETY: as above; where the line's place is not its results', they are apart.
            let results = unsafe { std::slice::from_raw_parts_mut(to, together * after) };
            match self.pencil.in_place() {
                Some(fft) if self.in_place => fft.process_with_scratch(complex_mut(results), complex_mut(scratch)),
                _ if self.gathers => {
                    // SAFETY: the buffer is this block's.
                    let from = unsafe { std::slice::from_raw_parts_mut(from, together * before) };
                    self.pencil.consume(self.n, from, results, scratch);
                }
                _ => {
                    // SAFETY: nobody writes to the input meanwhile.
                    let from = unsafe { std::slice::from_raw_parts(from, together * before) };
                    self.pencil.transform(self.n, from, results, scratch);
                }
            }
            if let Some(scale) = self.scale {
                results.iter_mut().for_each(|x| *x = *x * scale);
            }
        }
    }
}

impl<R> Rows<R> {
    /// The strides of a side's lines here.
    fn inside(&self, side: &Side) -> (usize, usize) {
        (side.extent.width, self.spacing)
    }
}

impl Side {
    /// Copies lines; the strides, of elements and of lines, are in reals.
    ///
    /// # Safety
    /// The lines can be read and written there, and are apart.
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
        // SAFETY: the caller's promise; a complex number is two reals.
        unsafe {
            match width {
                1 => copy(from, source, to, target, elements, pencils),
                _ => copy::<[R; 2]>(from.cast(), source, to.cast(), target, elements, pencils),
            }
        }
    }
}

/// The loop whose lines lie nearest first, and loops that continue each other as one.
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
