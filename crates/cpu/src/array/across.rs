//! Reductions whose neighbouring rows are neighbours in memory: sums of the columns of a row-major matrix.
//!
//! A block lies across the rows. It has the elements of many rows at one position, which are joined to as many
//! accumulators. Chunks follow `ReductionOrder` with one lane:
//!
//! ```text
//!   level 0: elements of a chunk   --complete--> level 1: results of chunks --complete--> level 2 ...
//! ```
//!
//! The end of the rows joins what each level has left to the next one, which is the order of the last chunks.

use affinimath_array::fused::{AccessClass, Arguments};
use affinimath_core::threads;

use super::code::{Action, Code, Level, Reduce};
use super::machine::{Call, Source};
use super::program::Program;
use super::space::Index;
use super::worker::{Block, Launch, Worker};

/// Fewer neighbouring rows are reduced along the rows.
const MIN_ROWS: usize = 32;
/// Rows of a block at least, where they are shared out among threads.
const MIN_SHARED: usize = 64;

/// Rows of a block of a launch that is evaluated across its rows; none where memory lies along the rows.
pub(super) fn rows_of_block(program: &Program, arguments: &Arguments) -> Option<usize> {
    let structure = &program.structure;
    let (rank, parallel) = (structure.rank, structure.parallel);
    let is_reduction = parallel > 0 && parallel < rank && structure.order.lanes == 1;
    let has_search = program.phases.iter().flat_map(|code| &code.reductions).any(|reduction| reduction.is_search);
    if !is_reduction || has_search || arguments.extents[parallel - 1] < MIN_ROWS {
        return None;
    }
    let mut is_across = false;
    for (access, view) in structure.accesses.iter().zip(&arguments.views) {
        if access.class == AccessClass::Contiguous {
            return None;
        }
        if view.strides.len() == rank && view.strides[rank - 1] != 0 && arguments.extents[rank - 1] > 1 {
            if view.strides[parallel - 1].unsigned_abs() >= view.strides[rank - 1].unsigned_abs() {
                return None;
            }
            is_across = true;
        }
    }
    let extent = arguments.extents[parallel - 1];
    let shared = extent.div_ceil(2 * threads::available()).next_multiple_of(MIN_SHARED);
    let rows = if threads::available() > 1 { shared } else { extent };
    is_across.then_some(rows.min(program.layout.block))
}

impl Launch<'_> {
    /// Blocks of rows of a launch that is evaluated across them, `width` rows each.
    pub(super) fn blocks_across(&self, width: usize) -> usize {
        self.rows.points() / self.rows.last() * self.rows.last().div_ceil(width)
    }
}

impl Worker<'_> {
    /// All phases of the block of rows with a number.
    pub(super) fn run_across(&mut self, number: usize, width: usize) {
        let launch = self.launch;
        let (last, blocks) = (launch.rows.last(), launch.rows.last().div_ceil(width));
        let first = number % blocks * width;
        let (row, n) = (number / blocks * last + first, width.min(last - first));
        for code in &launch.program.phases {
            if !code.is_loop {
                self.rows(code, row, n);
                continue;
            }
            self.begin_across(code);
            self.points_across(code, row, n);
            code.reductions.iter().for_each(|reduction| self.end_across(reduction, n));
        }
    }

    /// Evaluates a loop's phase at all positions of `n` rows from `row` on.
    fn points_across(&mut self, code: &Code, row: usize, n: usize) {
        let launch = self.launch;
        let (last, length) = (launch.points.rank() - 1, launch.points.last());
        let first = row * launch.row_length;
        for point in (first..first + launch.row_length).step_by(length) {
            let mut index = launch.points.index(point);
            self.place_across(&index);
            if let Some(reads) = self.adjacent_reads(code) {
                for (reduction, at, stride) in reads {
                    self.join_positions(&reduction, (at, stride), length, n);
                }
                continue;
            }
            while index[last] < length {
                let point = point + index[last];
                let block =
                    Block { n, is_in_run: true, is_across: true, ..Block::of_loop(&launch.points, index, point) };
                code.actions[Level::Run as usize].iter().for_each(|action| self.act(action, &block));
                self.block(code, &block);
                index[last] += 1;
                self.advance();
            }
        }
    }

    /// The reductions of a phase that only reduces elements which are adjacent across rows; with the address of the
    /// first one and the elements from a position to the next one.
    fn adjacent_reads(&self, code: &Code) -> Option<Vec<(Reduce, *mut u8, isize)>> {
        let actions = &code.actions[Level::Block as usize];
        if !code.stores.is_empty() {
            return None;
        }
        let load = |reduction: &Reduce| {
            let access = actions.iter().find_map(|action| match *action {
                Action::Load { access, to: [Some(to), None], .. } if to == reduction.value => Some(access),
                _ => None,
            })?;
            let is_adjacent = self.workspace.strides[access] == 1 && !self.launch.program.accesses[access].is_complex;
            let stride = *self.view(access).strides.last()? as isize;
            is_adjacent.then(|| (*reduction, self.workspace.positions[access], stride))
        };
        code.reductions.iter().map(load).collect()
    }

    /// Joins the elements of `n` rows at all positions of the last axis.
    fn join_positions(&mut self, reduction: &Reduce, (at, stride): (*mut u8, isize), length: usize, n: usize) {
        let chunk = self.launch.program.structure.order.chunk;
        let mut position = 0;
        while position < length {
            let at = at.wrapping_offset(position as isize * stride * reduction.bytes as isize);
            let joined = self.workspace.joined[reduction.slot][0];
            // The first elements of a chunk are copied, and its last ones complete it.
            let taken = if joined == 0 { 1 } else { (chunk - joined - 1).clamp(1, length - position) };
            if joined == 0 || taken == 1 {
                self.join_across(reduction, at, n);
            } else {
                self.workspace.joined[reduction.slot][0] += taken;
                self.join_rows(reduction, 0, at, (taken, stride), n);
            }
            position += taken;
        }
    }

    /// Finds the elements of accesses at an index, and the strides across rows there.
    fn place_across(&mut self, index: &Index) {
        let (rank, axis) = (self.launch.points.rank(), self.launch.rows.rank() - 1);
        for access in 0..self.workspace.positions.len() {
            let view = self.view(access);
            if view.strides.len() == rank {
                let distance = view.strides.iter().zip(index).map(|(&stride, &i)| stride as isize * i as isize);
                let element = view.offset as isize + distance.sum::<isize>();
                self.workspace.positions[access] = self.element(access, element);
                self.workspace.strides[access] = view.strides[axis] as isize;
            }
        }
    }

    /// Goes on to the next position along the last axis.
    fn advance(&mut self) {
        let rank = self.launch.points.rank();
        for access in 0..self.workspace.positions.len() {
            let view = self.view(access);
            if view.strides.len() == rank {
                let bytes = view.strides[rank - 1] as isize * self.launch.program.accesses[access].bytes as isize;
                self.workspace.positions[access] = self.workspace.positions[access].wrapping_offset(bytes);
            }
        }
    }

    fn begin_across(&mut self, code: &Code) {
        let launch = self.launch;
        let (chunk, mut levels, mut count) = (launch.program.structure.order.chunk, 1, launch.row_length);
        while count > chunk {
            count = count.div_ceil(chunk);
            levels += 1;
        }
        let words = levels * launch.program.layout.block;
        for reduction in &code.reductions {
            let accumulators = &mut self.workspace.accumulators[reduction.slot];
            accumulators.resize(words.max(accumulators.len()), 0);
            let joined = &mut self.workspace.joined[reduction.slot];
            joined.clear();
            joined.resize(levels, 0);
        }
    }

    /// Joins a block's values to the accumulators of its rows.
    pub(super) fn join_across(&mut self, reduction: &Reduce, at: *mut u8, n: usize) {
        let chunk = self.launch.program.structure.order.chunk;
        let (mut at, mut level) = (at, 0);
        loop {
            self.join_level(reduction, level, at, n);
            let joined = &mut self.workspace.joined[reduction.slot];
            if joined[level] < chunk || level + 1 == joined.len() {
                return;
            }
            joined[level] = 0;
            at = self.accumulators(reduction, level);
            level += 1;
        }
    }

    /// Joins values to those of a level, or makes them the first ones.
    fn join_level(&mut self, reduction: &Reduce, level: usize, at: *mut u8, n: usize) {
        let accumulators = self.accumulators(reduction, level);
        let joined = &mut self.workspace.joined[reduction.slot][level];
        *joined += 1;
        if *joined == 1 {
            // SAFETY: both hold a block, and they are apart.
            return unsafe { at.copy_to_nonoverlapping(accumulators, n * reduction.bytes) };
        }
        self.join_rows(reduction, level, at, (1, 0), n);
    }

    /// Joins elements at a number of positions, a stride apart, to the values of a level.
    fn join_rows(&mut self, reduction: &Reduce, level: usize, at: *mut u8, (rows, stride): (usize, isize), n: usize) {
        let accumulators = self.accumulators(reduction, level);
        let source = |step| Source { at, step };
        let from = [source(1), source(rows), source(stride as usize), source(1)];
        // SAFETY: accumulators hold a block of the reduction's type, apart from the elements, which are an access's.
        unsafe { (reduction.folds.across)(&Call { n, to: [accumulators; 4], from }) };
    }

    fn accumulators(&mut self, reduction: &Reduce, level: usize) -> *mut u8 {
        let words = level * self.launch.program.layout.block;
        self.workspace.accumulators[reduction.slot].as_mut_ptr().wrapping_add(words).cast()
    }

    /// Completes a reduction, whose slot has the results of `n` rows then.
    fn end_across(&mut self, reduction: &Reduce, n: usize) {
        let levels = self.workspace.joined[reduction.slot].len();
        for level in 1..levels {
            if self.workspace.joined[reduction.slot][level - 1] > 0 {
                let at = self.accumulators(reduction, level - 1);
                self.join_level(reduction, level, at, n);
            }
        }
        let (from, to) = (self.accumulators(reduction, levels - 1), self.slot(reduction.slot));
        // SAFETY: both hold a block.
        unsafe { from.copy_to_nonoverlapping(to, n * reduction.bytes) };
    }
}
