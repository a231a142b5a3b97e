//! The work of a pass, shared out among threads.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use affinimath_core::threads;
use affinimath_math::machine::fence;

use super::space::Space;
use super::worker::{Pass, Worker};
use crate::definition::MAX_AXES;

/// Points of a pass that are worth another thread.
const SHARED_POINTS: usize = 16 * 1024;
/// Tasks for a thread: enough for threads that are interrupted.
const TASKS: usize = 8;
/// The part of the second cache that the rows of neighbouring planes may take.
const BLOCK_BYTES: usize = 512 * 1024;
/// Planes of a task at least, as its first and last ones read the planes beside them again.
const MIN_PLANES: usize = 16;

/// Boxes of rows: blocks along the first axis of the rows, and chunks of the planes behind it.
struct Tasks {
    /// Rows along that axis, and of a block.
    rows: usize,
    block: usize,
    /// Planes, and of a chunk.
    planes: usize,
    chunk: usize,
    /// Positions of a row, and of a part.
    row: usize,
    part: usize,
}

impl Tasks {
    fn new(space: &Space, strip: usize, row_bytes: usize) -> Self {
        let (all, row) = (space.rows(), space.row());
        let axis = (0..MAX_AXES).find(|&axis| axis != space.axis && space.lengths[axis] > 1);
        let rows = axis.map_or(1, |axis| space.lengths[axis]);
        let planes = all / rows;
        let mut tasks = Tasks { rows, block: rows, planes, chunk: planes, row, part: row };
        if space.points() < SHARED_POINTS {
            return tasks;
        }
        let wanted = match threads::available() {
            1 => 1,
            threads => TASKS * threads,
        };
        if planes > 1 {
            tasks.block = (BLOCK_BYTES / row_bytes.max(1)).clamp(4, rows.max(4)).min(rows);
            // Blocks of the same size.
            tasks.block = rows.div_ceil(rows.div_ceil(tasks.block));
            let chunks = wanted.div_ceil(rows.div_ceil(tasks.block));
            tasks.chunk = planes.div_ceil(chunks).max(MIN_PLANES.min(planes.div_ceil(wanted.min(planes)).max(1)));
        } else if rows > 1 {
            tasks.block = rows.div_ceil(wanted);
        }
        if all < wanted {
            let strips = row.div_ceil(strip * space.step());
            tasks.part = strips.div_ceil(wanted).max(1) * strip * space.step();
        }
        tasks
    }

    fn count(&self) -> usize {
        self.rows.div_ceil(self.block) * self.planes.div_ceil(self.chunk) * self.row.div_ceil(self.part)
    }

    /// Calls back for the rows of a task, each with positions.
    fn for_each_row(&self, task: usize, mut visit: impl FnMut(usize, (usize, usize))) {
        let (blocks, parts) = (self.rows.div_ceil(self.block), self.row.div_ceil(self.part));
        let (part, rest) = (task % parts, task / parts);
        let (block, chunk) = (rest % blocks, rest / blocks);
        let positions = (part * self.part, ((part + 1) * self.part).min(self.row));
        for plane in chunk * self.chunk..((chunk + 1) * self.chunk).min(self.planes) {
            for row in block * self.block..((block + 1) * self.block).min(self.rows) {
                visit(plane * self.rows + row, positions);
            }
        }
    }
}

/// Executes a pass. The number of the first point at which it fails, if there is one. `row_bytes` are those of the rows
/// that a row's points read in all planes.
pub(super) fn execute(pass: &Pass<'_>, row_bytes: usize, is_streamed: bool) -> Option<u64> {
    if pass.space.first_point().is_some() {
        let tasks = Tasks::new(pass.space, pass.strip, row_bytes);
        threads::for_each(tasks.count(), |task| {
            let mut worker = Worker::new(pass);
            tasks.for_each_row(task, |row, positions| worker.row(row, positions));
            if is_streamed {
                fence();
            }
        });
    }
    let failure = pass.failure.load(Ordering::Relaxed);
    (failure != u64::MAX).then_some(failure)
}

/// Bytes of the last cache.
pub(super) fn last_cache() -> usize {
    caches().into_iter().max().unwrap_or(16 * 1024 * 1024)
}

/// Bytes of a core's second cache.
pub(super) fn second_cache() -> usize {
    caches().into_iter().nth(2).unwrap_or(1024 * 1024)
}

/// Bytes of the caches of the first processor: of data, of instructions, the second, the third.
fn caches() -> Vec<usize> {
    static BYTES: OnceLock<Vec<usize>> = OnceLock::new();
    let read = || {
        let size = |index: usize| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
            let text = std::fs::read_to_string(path).ok()?;
            let (number, unit) = text.trim().split_at(text.trim().find(|c: char| !c.is_ascii_digit())?);
            let unit = match unit {
                "K" => 1024,
                "M" => 1024 * 1024,
                _ => return None,
            };
            Some(number.parse::<usize>().ok()? * unit)
        };
        (0..5).map_while(size).collect()
    };
    BYTES.get_or_init(read).clone()
}
