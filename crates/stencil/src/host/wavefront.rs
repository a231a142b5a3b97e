//! Several steps at once, on tiles that stay in the second cache (time skewing; Wonnacott 2000, Wellein et al. 2009).
//!
//! ```text
//!   plane p of the walk along the last axis    phase 0, at rows y .. y + B      of the axis before it
//!   plane p - r                                phase 1, at rows y - s ..
//!   plane p - 2 r                              phase 2, at rows y - 2 s ..
//! ```
//!
//! A phase is a stage of a step, r and s are the farthest taps on the two axes. Two phases that touch a point, one to
//! write it and one to read it with a tap, touch it in the order of the steps: levels stay in the slices of the grid,
//! and no point is computed twice. A tile needs the tile before it to be one plane ahead. So threads take tiles in
//! their order, and each waits for the plane of its predecessor.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use affinimath_core::threads;

use super::prepare::Windowed;
use super::space::Space;
use super::worker::{Pass, Worker};
use crate::analysis::all_taps;
use crate::bound::Bound;
use crate::definition::{Boundary, MAX_AXES, Node, Side, Stencil, Sweep};

/// Looks at a predecessor's progress before the thread lets others work.
const SPINS: usize = 200;

/// The axes of a stencil's tiles, and how far taps reach on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The last axis, that tiles walk along, and the one before it, along which they lie.
    walk: usize,
    pub(super) across: usize,
    /// Planes, and rows, from a phase to the next.
    pub(super) lag: i64,
    pub(super) skew: i64,
    /// The domain on both axes.
    planes: (i64, i64),
    pub(super) rows: (i64, i64),
}

/// A pass over a part of its points.
struct Part<'p> {
    worker: Worker<'p>,
    space: &'p Space,
}

/// A stage of a step: its sweep, and the faces of what it assigns.
pub(super) struct Phase<'a> {
    pub(super) sweep: Pass<'a>,
    pub(super) faces: Vec<Pass<'a>>,
    pub(super) windowed: &'a Windowed,
}

/// The same in one thread.
struct Step<'p> {
    sweep: Part<'p>,
    faces: Vec<(usize, Side, Part<'p>)>,
}

impl Shape {
    /// The shape of a stencil's tiles; none where several steps do not fit.
    pub(super) fn new(bound: &Bound) -> Option<Self> {
        let stencil = bound.stencil();
        let walk = stencil.dimension().checked_sub(1)?;
        let across = walk.checked_sub(1)?;
        let changing = changing(stencil);
        let taps = all_taps(stencil);
        let reach = |axis: usize| {
            let own = taps.iter().filter(|tap| changing.contains(&tap.grid));
            own.map(|tap| i64::from(tap.offsets[axis].unsigned_abs())).max().unwrap_or(0)
        };
        let range = |axis: usize| (bound.lower()[axis], bound.lower()[axis] + bound.lengths()[axis] as i64);
        let shape =
            Shape { walk, across, lag: reach(walk), skew: reach(across), planes: range(walk), rows: range(across) };
        let has_order = stencil.filter().is_empty()
            && stencil.stages().iter().all(|stage| stage.sweep == Sweep::Jacobi)
            && changing.iter().all(|&grid| stencil.grids()[grid].axes.len() == stencil.dimension());
        let has_length = |(first, end): (i64, i64), reach: i64| end - first > reach;
        (has_order
            && changing.iter().all(|&grid| shape.has_faces(bound, grid))
            && has_length(shape.planes, shape.lag)
            && has_length(shape.rows, shape.skew))
        .then_some(shape)
    }

    /// A grid's values beyond its faces depend on points near them.
    fn has_faces(&self, bound: &Bound, grid: usize) -> bool {
        let stencil = bound.stencil();
        let reads_no_grid = |boundary: Boundary| match boundary {
            Boundary::Value(value) | Boundary::Neumann(value) => {
                let graph = stencil.graph();
                graph.reachable([value]).into_iter().all(|each| !matches!(graph.node(each), Node::Tap(_)))
            }
            _ => true,
        };
        let faces = (0..stencil.dimension()).flat_map(|axis| [(axis, Side::Lower), (axis, Side::Upper)]);
        faces.filter(|&(axis, side)| bound.reach(grid, axis, side) > 0).all(|(axis, side)| {
            (0..stencil.grids()[grid].component_count()).all(|component| {
                let boundary = stencil.boundary(grid, component, axis, side);
                reads_no_grid(boundary) && (boundary != Boundary::Periodic || axis < self.across)
            })
        })
    }

    /// Tiles of some rows, for some phases.
    fn tiles(&self, phases: usize, width: usize) -> usize {
        let rows = self.rows.1 - self.rows.0 + (phases as i64 - 1) * self.skew;
        (rows as usize).div_ceil(width)
    }

    /// Planes of a walk.
    fn fronts(&self, phases: usize) -> i64 {
        self.planes.1 - self.planes.0 + (phases as i64 - 1) * self.lag
    }

    /// The rows of a tile in a phase.
    fn rows_of(&self, tile: usize, phase: usize, width: usize) -> Range<i64> {
        let first = self.rows.0 + (tile * width) as i64 - phase as i64 * self.skew;
        first.max(self.rows.0)..(first + width as i64).min(self.rows.1)
    }

    /// Does a phase on a plane, at some rows.
    fn phase(&self, step: &mut Step<'_>, plane: i64, rows: Range<i64>, ahead: &mut Ahead) {
        let near = |first: i64| rows.contains(&first);
        // Each tile has its own part of faces. Values near them are complete: the tile has computed the last of them.
        let (is_low, is_high) = (near(self.rows.0 + self.skew), near(self.rows.1 - 1));
        let everything = i64::MIN..i64::MAX;
        step.sweep.sweep(self, rows.clone(), plane, ahead);
        for (axis, side, face) in &mut step.faces {
            let is_lower = *side == Side::Lower;
            if *axis < self.across {
                face.window(self, rows.clone(), plane..plane + 1);
            } else if *axis == self.across {
                if (is_lower && is_low) || (!is_lower && is_high) {
                    face.window(self, everything.clone(), plane..plane + 1);
                }
            } else if plane == if is_lower { self.planes.0 + self.lag } else { self.planes.1 - 1 } {
                // Rows beyond the faces of the other axis are those of the tile that has set them.
                let first = if is_low { i64::MIN } else { rows.start };
                face.window(self, first..if is_high { i64::MAX } else { rows.end }, everything.clone());
            }
        }
    }

    /// The rows of a phase of a tile on a front's plane; none where it has no points there.
    fn part(&self, tile: usize, front: i64, phase: usize, width: usize) -> Option<(i64, Range<i64>)> {
        let plane = self.planes.0 + front - phase as i64 * self.lag;
        let rows = self.rows_of(tile, phase, width);
        ((self.planes.0..self.planes.1).contains(&plane) && !rows.is_empty()).then_some((plane, rows))
    }

    /// Walks a tile through all phases. `waits` comes before each plane, `tells` behind it.
    fn walk(&self, phases: &[Phase<'_>], tile: usize, width: usize, waits: impl Fn(usize), tells: impl Fn(usize)) {
        let mut steps: Vec<Step<'_>> = phases.iter().map(Step::new).collect();
        let mut ahead = Ahead::default();
        for front in 0..self.fronts(phases.len()) {
            waits(front as usize);
            ahead.clear();
            for (number, step) in steps.iter().enumerate() {
                if let Some((plane, rows)) = self.part(tile, front + 1, number, width) {
                    // Rows that come from memory, and those that the tile before has left long ago.
                    let end = if number == 0 { rows.end } else { rows.start };
                    ahead.add(self, step, rows.start - self.skew..end, plane);
                }
            }
            ahead.rows = (0..steps.len())
                .filter_map(|number| self.part(tile, front, number, width))
                .fold(0, |sum, (_, rows)| sum + (rows.end - rows.start) as usize);
            for (number, step) in steps.iter_mut().enumerate() {
                if let Some((plane, rows)) = self.part(tile, front, number, width) {
                    self.phase(step, plane, rows, &mut ahead);
                }
            }
            tells(front as usize);
        }
    }

    /// Does all phases on tiles of some rows.
    pub(super) fn run(&self, phases: &[Phase<'_>], width: usize) {
        let tiles = self.tiles(phases.len(), width);
        let progress: Vec<Progress> = (0..tiles).map(|_| Progress(AtomicUsize::new(0))).collect();
        let next = AtomicUsize::new(0);
        threads::for_each(threads::available().min(tiles), |_| {
            loop {
                // In their order: the tile before is done, or a thread is at it.
                let tile = next.fetch_add(1, Ordering::Relaxed);
                let Some(own) = progress.get(tile) else { return };
                let own = Ending(own);
                let before = tile.checked_sub(1).map(|before| &progress[before]);
                let waits = |front| before.into_iter().for_each(|before| before.wait(front));
                self.walk(phases, tile, width, waits, |front| own.0.0.store(front + 1, Ordering::Release));
            }
        });
    }
}

/// Planes of a tile that are done, on a line of its own.
#[repr(align(128))]
struct Progress(AtomicUsize);

impl Progress {
    /// Waits until a plane is done.
    fn wait(&self, front: usize) {
        let mut spins = 0;
        while self.0.load(Ordering::Acquire) <= front {
            spins += 1;
            if spins < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
}

/// Ends the waiting for a tile, also where a panic ends the tile.
struct Ending<'p>(&'p Progress);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.0.store(usize::MAX, Ordering::Release);
    }
}

impl<'p> Step<'p> {
    fn new(phase: &'p Phase<'_>) -> Self {
        let faces = phase.windowed.faces.iter().zip(&phase.faces);
        Step {
            sweep: Part::new(&phase.sweep),
            faces: faces.map(|((face, _), pass)| (face.axis, face.side, Part::new(pass))).collect(),
        }
    }
}

impl<'p> Part<'p> {
    fn new(pass: &'p Pass<'_>) -> Self {
        Part { worker: Worker::new(pass), space: pass.space }
    }

    /// Executes the pass at its points within some rows and planes.
    fn window(&mut self, shape: &Shape, rows: Range<i64>, planes: Range<i64>) {
        let worker = &mut self.worker;
        for_each_row(self.space, shape, rows, planes, |cell, positions| worker.row_at(cell, 0, positions));
    }

    /// The same on a plane. Each row fetches a part of the next plane's elements, so that memory works during the
    /// computation.
    fn sweep(&mut self, shape: &Shape, rows: Range<i64>, plane: i64, ahead: &mut Ahead) {
        let worker = &mut self.worker;
        for_each_row(self.space, shape, rows, plane..plane + 1, |cell, positions| {
            if let Some(from) = ahead.next() {
                worker.fetch_with_next_row(from);
            }
            worker.row_at(cell, 0, positions);
        });
    }
}

/// Rows that come to the caches while others are computed.
#[derive(Default)]
struct Ahead {
    addresses: Vec<*const u8>,
    taken: usize,
    /// Rows that are computed meanwhile, and of those the rows that have come.
    rows: usize,
    seen: usize,
}

impl Ahead {
    fn clear(&mut self) {
        self.addresses.clear();
        (self.taken, self.seen) = (0, 0);
    }

    /// Some rows of what a step reads first on a plane.
    fn add(&mut self, shape: &Shape, step: &Step<'_>, rows: Range<i64>, plane: i64) {
        let part = &step.sweep;
        for_each_row(part.space, shape, rows, plane..plane + 1, |cell, positions| {
            self.addresses.extend(part.worker.leading(cell, positions.0));
        });
    }

    /// An address for a row, in even distances.
    fn next(&mut self) -> Option<*const u8> {
        self.seen += 1;
        let due = self.taken * self.rows < self.seen * self.addresses.len();
        let address = self.addresses.get(self.taken).copied().filter(|_| due)?;
        self.taken += 1;
        Some(address)
    }
}

/// Calls back for the rows of a space within some rows and planes of a shape: their first points, and positions.
fn for_each_row(
    space: &Space,
    shape: &Shape,
    rows: Range<i64>,
    planes: Range<i64>,
    mut visit: impl FnMut([i64; MAX_AXES], (usize, usize)),
) {
    let (mut first, mut counts) = (space.lower, space.lengths);
    for (axis, range) in [(shape.across, rows), (shape.walk, planes)] {
        let (lower, upper) = (space.lower[axis], space.lower[axis] + space.lengths[axis] as i64);
        let (from, to) = (range.start.max(lower), range.end.min(upper));
        if from >= to {
            return;
        }
        (first[axis], counts[axis]) = (from, (to - from) as usize);
    }
    let position = (first[space.axis] - space.lower[space.axis]) as usize;
    let positions = (position, position + counts[space.axis]);
    first[space.axis] = space.lower[space.axis];
    counts[space.axis] = 1;
    let mut cell = first;
    loop {
        visit(cell, positions);
        let last = |axis: usize| first[axis] + counts[axis] as i64 - 1;
        let Some(next) = (0..MAX_AXES).find(|&axis| cell[axis] < last(axis)) else { return };
        cell[..next].copy_from_slice(&first[..next]);
        cell[next] += 1;
    }
}

/// The grids that steps assign.
pub(super) fn changing(stencil: &Stencil) -> Vec<usize> {
    (0..stencil.grids().len()).filter(|&grid| stencil.written_level(grid).is_some()).collect()
}
