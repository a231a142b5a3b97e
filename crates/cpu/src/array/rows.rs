//! Launches in parts: stretches of points, rows, or pieces of long rows, shared out among threads.

use affinimath_core::threads;

use super::code::Code;
use super::loops::Extreme;
use super::tiles;
use super::worker::{Launch, Worker};
use super::workspace;

/// Points of a part: large enough to hide that it is handed over, small enough for all threads to have some.
const PART: usize = 16 * 1024;

/// Parts of a large launch for each thread: some threads may be slower than others.
const PARTS: usize = 8;

/// Points of a tile's runs, at least: parts of a launch have as many tiles as give a part's points then.
const MIN_TILE: usize = 256;

/// Runs a launch, which has points.
pub fn run(launch: Launch<'_>) {
    let points = launch.points.points();
    let structure = &launch.program.structure;
    if structure.parallel == structure.rank {
        let code = &launch.program.phases[0];
        if launch.tiles.are_used() {
            let (count, of_part) = (launch.tiles.count(&launch), PART.div_ceil(tiles::ROWS * MIN_TILE));
            return share(count.div_ceil(of_part), |part| {
                with_worker(&launch, |worker| {
                    (part * of_part..count.min((part + 1) * of_part)).for_each(|tile| worker.tile(code, tile));
                });
            });
        }
        let of_part = points_of_part(points);
        return share(points.div_ceil(of_part), |part| {
            with_worker(&launch, |worker| worker.points(code, part * of_part, points.min((part + 1) * of_part)));
        });
    }
    let rows = launch.rows.points();
    let is_long = launch.row_length >= 2 * PART;
    if is_long && rows < 2 * threads::available() && threads::available() > 1 {
        return (0..rows).for_each(|row| run_long_row(&launch, row));
    }
    if let Some(width) = launch.across {
        let (count, of_part) = (launch.blocks_across(width), PART.div_ceil(width * launch.row_length));
        return share(count.div_ceil(of_part), |part| {
            with_worker(&launch, |worker| {
                (part * of_part..count.min((part + 1) * of_part)).for_each(|number| worker.run_across(number, width));
            });
        });
    }
    let together = if launch.tiles.are_used() { tiles::ROWS } else { launch.rows_of_block };
    let rows_of_part = (points_of_part(points) / launch.row_length).next_multiple_of(together).max(together);
    share(rows.div_ceil(rows_of_part), |part| {
        let end = rows.min((part + 1) * rows_of_part);
        with_worker(&launch, |worker| {
            let mut row = part * rows_of_part;
            while row < end {
                row += worker.run_some_rows(row, end - row);
            }
        });
    });
}

/// Points of a part: more of large launches, as a thread prepares its workspace for each part.
fn points_of_part(points: usize) -> usize {
    match threads::available() {
        1 => points.max(PART),
        threads => (points / (PARTS * threads)).next_multiple_of(PART).max(PART),
    }
}

/// Calls `work` for each part; a single one on the calling thread.
fn share(parts: usize, work: impl Fn(usize) + Sync) {
    match parts {
        1 => work(0),
        _ => threads::for_each(parts, work),
    }
}

fn with_worker<R>(launch: &Launch<'_>, work: impl FnOnce(&mut Worker<'_>) -> R) -> R {
    workspace::with(|workspace| work(&mut Worker::new(launch, workspace)))
}

impl Worker<'_> {
    /// Rows of a block, or of a tile, at most `n`. Returns how many were run.
    fn run_some_rows(&mut self, row: usize, n: usize) -> usize {
        let launch = self.launch;
        if !launch.tiles.are_used() {
            let n = launch.rows_of_block.min(n);
            self.run_rows(row, n);
            return n;
        }
        // Rows of a tile are neighbours along the last of their axes.
        let last = launch.rows.last();
        let n = tiles::ROWS.min(n).min(last - row % last);
        self.load_tile(row * launch.row_length, n, launch.row_length);
        for i in 0..n {
            self.set_tile_row(i);
            self.run_rows(row + i, 1);
        }
        n
    }

    /// All phases of the rows of a block.
    fn run_rows(&mut self, row: usize, n: usize) {
        let launch = self.launch;
        for code in &launch.program.phases {
            if !code.is_loop {
                self.rows(code, row, n);
                continue;
            }
            let points = row * launch.row_length..(row + n) * launch.row_length;
            if launch.rows_of_block > 1 {
                self.points(code, points.start, points.end);
                continue;
            }
            self.begin_row(code);
            self.points(code, points.start, points.end);
            self.end_row(code);
        }
    }
}

/// Addresses of the results of a row's chunks, and the searches' states, which threads write in different places.
struct Shared {
    results: Vec<*mut u8>,
    extremes: *mut Extreme,
}

// SAFETY: each thread writes the results of its own pieces.
unsafe impl Sync for Shared {}

/// Phases of one row, each in pieces for several threads.
fn run_long_row(launch: &Launch<'_>, row: usize) {
    let mut slots = vec![0; launch.program.structure.slots.len()];
    for code in &launch.program.phases {
        if code.is_loop {
            run_pieces(launch, code, row, &mut slots);
        } else {
            with_worker(launch, |worker| {
                worker.set_slots(&slots);
                worker.rows(code, row, 1);
            });
        }
    }
}

fn run_pieces(launch: &Launch<'_>, code: &Code, row: usize, slots: &mut [u64]) {
    let (length, chunk) = (launch.row_length, launch.program.structure.order.chunk);
    let piece = PART.next_multiple_of(chunk);
    let (pieces, chunks) = (length.div_ceil(piece), length.div_ceil(chunk));
    let searches = code.reductions.len();
    let mut results = vec![vec![0u64; chunks]; searches];
    let mut extremes = vec![Extreme::default(); searches * pieces];
    let shared = Shared {
        results: results.iter_mut().map(|results| results.as_mut_ptr().cast()).collect(),
        extremes: extremes.as_mut_ptr(),
    };
    let shared = &shared;
    threads::for_each(pieces, |index| {
        let (start, end) = (index * piece, length.min((index + 1) * piece));
        with_worker(launch, |worker| {
            worker.set_slots(slots);
            worker.begin_piece(code, start, &shared.results);
            worker.points(code, row * length + start, row * length + end);
            for (search, reduction) in code.reductions.iter().enumerate() {
                worker.complete_chunk(reduction);
                let extreme = worker.workspace.states[reduction.slot].extreme;
                // SAFETY: there is a state for each piece of each search, and this piece's are this thread's.
                unsafe { shared.extremes.add(search * pieces + index).write(extreme) };
            }
        });
    });
    with_worker(launch, |worker| {
        for (search, reduction) in code.reductions.iter().enumerate() {
            let extremes = &extremes[search * pieces..(search + 1) * pieces];
            worker.end_pieces(reduction, results[search].as_mut_ptr().cast(), chunks, extremes);
            slots[reduction.slot] = worker.first_of_slot(reduction.slot);
        }
    });
}
