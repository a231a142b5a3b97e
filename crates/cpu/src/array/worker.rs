//! One thread's part of a launch.

use affinimath_array::fused::{Arguments, View};

use super::across;
use super::code::{Action, Code, Entry, Level};
use super::loops::{self, Extreme, Fold};
use super::machine::{Call, GRANULE, LoopFn, Source};
use super::operand::Operand;
use super::program::Program;
use super::space::{Index, Space};
use super::tiles::{Tile, Tiles};
use super::workspace::{State, Workspace};

/// A last axis of this many points has blocks of its own; shorter ones share blocks.
const MIN_RUN: usize = 64;

/// Points of a block without registers.
const LONG_BLOCK: usize = 16 * 1024;

/// Bytes of an element of a slot.
const SLOT_ELEMENT: usize = 8;

/// A kernel with its arguments, which were checked.
#[derive(Debug)]
pub struct Launch<'a> {
    pub(super) program: &'a Program,
    pub(super) arguments: &'a Arguments,
    pub(super) operands: &'a [Operand<'a>],
    /// Of loops.
    pub(super) points: Space,
    /// Of phases outside of loops.
    pub(super) rows: Space,
    /// Points of a row.
    pub(super) row_length: usize,
    /// True if blocks lie along the last axis; false if they may hold several runs.
    pub(super) has_long_runs: bool,
    /// Rows of a block.
    pub(super) rows_of_block: usize,
    pub(super) tiles: Tiles,
    /// Rows of a block if blocks lie across rows.
    pub(super) across: Option<usize>,
}

impl<'a> Launch<'a> {
    /// A launch with extents that are not 0.
    ///
    /// # Safety
    /// `Structure::check` and `Arguments::check` have passed, with the lengths of these operands.
    pub unsafe fn new(program: &'a Program, arguments: &'a Arguments, operands: &'a [Operand<'a>]) -> Self {
        let structure = &program.structure;
        let (rows, reduced) = arguments.extents.split_at(structure.parallel);
        let row_length: usize = reduced.iter().product();
        let points = Space::new(&arguments.extents);
        let is_elementwise = reduced.is_empty();
        let block = program.layout.block;
        // Registers do not bound the blocks of kernels that reduce elements where they are.
        let is_in_place = program.phases.iter().all(|code| code.is_in_place || !code.is_loop);
        let points_of_block = if is_in_place { block.max(LONG_BLOCK) } else { block };
        let rows_of_block = if is_elementwise { 1 } else { (points_of_block / row_length).clamp(1, block) };
        let across = across::rows_of_block(program, arguments);
        let rows_of_block = if across.is_some() { 1 } else { rows_of_block };
        let has_long_runs = points.last() >= MIN_RUN && rows_of_block == 1 && across.is_none();
        Launch {
            program,
            arguments,
            operands,
            rows: Space::new(rows),
            row_length,
            has_long_runs,
            rows_of_block,
            points,
            tiles: if has_long_runs { Tiles::new(program, arguments, block) } else { Tiles::default() },
            across,
        }
    }
}

/// Offsets of a workspace's parts.
#[derive(Clone, Copy, Debug)]
struct Parts {
    unread: *mut u8,
    copies: *mut u8,
    slots: *mut u8,
    registers: *mut u8,
}

/// A block: points from an index on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub(super) space: &'a Space,
    pub(super) index: Index,
    /// The number of the first point.
    pub(super) point: usize,
    /// Points.
    pub(super) n: usize,
    /// True if all points lie in one run, whose first elements the workspace knows.
    pub(super) is_in_run: bool,
    /// True in loops; false where points are rows.
    pub(super) is_loop: bool,
    /// True if the points lie across rows, from the index on.
    pub(super) is_across: bool,
    /// True if elements are read where they are, whatever their number: loads have no registers of this length.
    pub(super) is_in_place: bool,
}

impl<'a> Block<'a> {
    /// Points of the run before the block.
    pub(super) fn in_run(&self) -> usize {
        if self.is_across { 0 } else { self.index[self.space.rank() - 1] }
    }

    /// A block of no points yet in a loop, which may hold several runs.
    pub(super) const fn of_loop(space: &'a Space, index: Index, point: usize) -> Self {
        Block { space, index, point, n: 0, is_in_run: false, is_loop: true, is_across: false, is_in_place: false }
    }
}

/// Points of the next block of a run: whole granules before the rest, so that these are read and written in place.
const fn whole(n: usize) -> usize {
    if n > GRANULE { n - n % GRANULE } else { n }
}

/// A thread that evaluates blocks of a launch.
pub struct Worker<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) workspace: &'a mut Workspace,
    /// The tile that the next runs are in.
    pub(super) tile: Option<Tile>,
    parts: Parts,
}

impl<'a> Worker<'a> {
    /// Prepares the workspace, and computes what is the same at all points.
    pub fn new(launch: &'a Launch<'a>, workspace: &'a mut Workspace) -> Self {
        let program = launch.program;
        let (layout, slots) = (&program.layout, program.structure.slots.len());
        let array = layout.block * SLOT_ELEMENT;
        let sizes = [array, layout.copies_bytes(), slots * array];
        let memory = workspace.memory(sizes.iter().sum::<usize>() + layout.registers_bytes());
        let at = |parts: usize| memory.wrapping_add(sizes[..parts].iter().sum());
        let parts = Parts { unread: at(0), copies: at(1), slots: at(2), registers: at(3) };
        workspace.table.clear();
        workspace.table.resize(program.entries, Source { at: parts.unread, step: 1 });
        workspace.homes.clear();
        workspace.homes.resize(program.entries, parts.unread);
        workspace.positions.clear();
        workspace.positions.resize(program.accesses.len(), std::ptr::null_mut());
        workspace.strides.clear();
        workspace.strides.resize(program.accesses.len(), 0);
        let order = program.structure.order;
        let states = State { fold: Fold::default(), extreme: Extreme::default() };
        workspace.joined.resize_with(slots.max(workspace.joined.len()), Vec::new);
        workspace.states.resize(slots.max(workspace.states.len()), states);
        let chunks = if slots > 0 { launch.row_length.div_ceil(order.chunk) } else { 0 };
        for (memory, length) in [(&mut workspace.accumulators, order.lanes), (&mut workspace.results, chunks)] {
            memory.resize_with(slots.max(memory.len()), Vec::new);
            for memory in &mut memory[..slots] {
                memory.resize(length.max(memory.len()), 0);
            }
        }
        let mut worker = Worker { launch, workspace, tile: None, parts };
        for code in &program.phases {
            worker.fill_table(code);
            let block = Block { n: GRANULE, ..Block::of_loop(&launch.points, [0; 8], 0) };
            code.actions[Level::Launch as usize].iter().for_each(|action| worker.once(action, &block));
        }
        worker
    }

    /// Fills the table with the memory of a phase's values.
    fn fill_table(&mut self, code: &Code) {
        let has_runs = code.is_loop && self.launch.has_long_runs;
        for value in &code.values {
            let register = value.register.filter(|_| value.level == Level::Block || !has_runs);
            let source = match register {
                None => Source { at: self.parts.copies.wrapping_add(value.copies), step: 0 },
                Some(register) => {
                    let offset = self.launch.program.layout.offset(register);
                    Source { at: self.parts.registers.wrapping_add(offset), step: 1 }
                }
            };
            self.workspace.table[value.entry] = source;
            self.workspace.homes[value.entry] = source.at;
        }
    }

    /// The results of a slot for the rows of a block.
    pub fn slot(&self, slot: usize) -> *mut u8 {
        self.parts.slots.wrapping_add(slot * self.launch.program.layout.block * SLOT_ELEMENT)
    }

    /// Sets the results of the slots for the row of a block.
    pub fn set_slots(&mut self, results: &[u64]) {
        for (slot, result) in results.iter().enumerate() {
            // SAFETY: a slot has a result of 8 bytes at most for each row of a block.
            unsafe { self.slot(slot).cast::<u64>().write(*result) };
        }
    }

    /// The result of a slot for the first row of a block, extended by what lies behind it.
    pub fn first_of_slot(&self, slot: usize) -> u64 {
        // SAFETY: a slot has 8 bytes at least for each row of a block.
        unsafe { self.slot(slot).cast::<u64>().read() }
    }

    pub(super) fn view(&self, access: usize) -> &'a View {
        &self.launch.arguments.views[access]
    }

    /// The address of an access's element.
    pub(super) fn element(&self, access: usize, element: isize) -> *mut u8 {
        let bytes = self.launch.program.accesses[access].bytes as isize;
        self.launch.operands[access].at.wrapping_offset(element * bytes)
    }

    /// Evaluates a loop's phase at the points from `start` to `end`.
    pub fn points(&mut self, code: &Code, start: usize, end: usize) {
        let launch = self.launch;
        let most = launch.program.layout.block.max(if code.is_in_place { LONG_BLOCK } else { 0 });
        let mut point = start;
        while point < end {
            if !launch.has_long_runs {
                let n = most.min(end - point);
                let block = Block {
                    n,
                    is_in_place: code.is_in_place,
                    ..Block::of_loop(&launch.points, launch.points.index(point), point)
                };
                code.actions[Level::Run as usize].iter().for_each(|action| self.act(action, &block));
                self.block(code, &block);
                point += n;
                continue;
            }
            let index = launch.points.index(point);
            let last = launch.points.rank() - 1;
            let in_run = index[last];
            self.begin_run(code, &index, point);
            let run_end = end.min(point - in_run + launch.points.last());
            let mut block = Block {
                is_in_run: true,
                is_in_place: code.is_in_place,
                ..Block::of_loop(&launch.points, index, point)
            };
            while block.point < run_end {
                let n = most.min(run_end - block.point);
                block.n = if code.is_in_place { n } else { whole(n) };
                self.block(code, &block);
                block.point += block.n;
                block.index[last] += block.n;
            }
            point = run_end;
        }
    }

    /// Evaluates a phase outside of loops for rows of a block, which begin at `row`.
    pub fn rows(&mut self, code: &Code, row: usize, n: usize) {
        let space = &self.launch.rows;
        let block = Block { n, is_loop: false, ..Block::of_loop(space, space.index(row), row) };
        self.block(code, &block);
    }

    /// Finds the first elements of a run, and computes what is the same along it.
    pub(super) fn begin_run(&mut self, code: &Code, index: &Index, point: usize) {
        let last = self.launch.points.rank() - 1;
        for access in 0..self.workspace.positions.len() {
            let view = self.view(access);
            if view.strides.len() == last + 1 {
                let outer = view.strides[..last].iter().zip(index).map(|(&stride, &i)| stride as isize * i as isize);
                let element = view.offset as isize + outer.sum::<isize>();
                self.workspace.positions[access] = self.element(access, element);
                self.workspace.strides[access] = view.strides[last] as isize;
            }
        }
        self.place_tile();
        let mut first = *index;
        first[last] = 0;
        let space = &self.launch.points;
        let block = Block { n: GRANULE, is_in_run: true, ..Block::of_loop(space, first, point - index[last]) };
        code.actions[Level::Run as usize].iter().for_each(|action| self.once(action, &block));
    }

    /// Computes the copies of a uniform value.
    fn once(&mut self, action: &Action, block: &Block<'_>) {
        match *action {
            Action::Load { access, to, .. } => {
                let view = self.view(access);
                let from = if block.is_in_run {
                    self.workspace.positions[access]
                } else {
                    self.element(access, view.offset as isize)
                };
                let part_bytes = self.launch.program.accesses[access].part_bytes;
                for (part, to) in to.into_iter().enumerate().filter_map(|(part, to)| Some((part, to?))) {
                    self.copy_granule(part_bytes, from.wrapping_add(part * part_bytes), to);
                }
            }
            Action::Coordinate { axis, to } => {
                let value = block.index[axis] as i64;
                self.copy_granule(8, (&raw const value).cast(), to);
            }
            Action::Slot { slot, to } => {
                self.copy_granule(self.launch.program.slot_bytes(slot), self.slot(slot), to);
            }
            Action::Scalar { scalar, to } => {
                let value = self.launch.arguments.scalars[scalar];
                let bits = value.bits();
                self.copy_granule(value.element_type().bytes(), (&raw const bits).cast(), to);
            }
            Action::Constant { bits, bytes, to } => self.copy_granule(bytes, (&raw const bits).cast(), to),
            Action::Loop { run, to, from } => self.call(run, to, from, GRANULE),
            Action::LoadAt { .. } => self.act(action, block),
        }
    }

    fn copy_granule(&mut self, bytes: usize, from: *const u8, to: Entry) {
        // SAFETY: the entry has memory for a granule, and `from` is an element of the size.
        unsafe { loops::fill(bytes, from, self.workspace.table[to].at, GRANULE) };
    }

    fn call(&self, run: LoopFn, to: [Entry; 4], from: [Entry; 4], n: usize) {
        let table = &self.workspace.table;
        let call = Call { n, to: to.map(|entry| table[entry].at), from: from.map(|entry| table[entry]) };
        // SAFETY: entries have a block of the loop's types, or copies of one element.
        unsafe { run(&call) };
    }

    /// Evaluates a block.
    pub(super) fn block(&mut self, code: &Code, block: &Block<'_>) {
        for store in code.stores.iter().filter(|store| store.is_direct) {
            self.direct(store, block);
        }
        code.actions[Level::Block as usize].iter().for_each(|action| self.act(action, block));
        for reduction in &code.reductions {
            let Source { mut at, step } = self.workspace.table[reduction.value];
            if step == 0 {
                // SAFETY: the memory of results that nobody reads holds a block.
                unsafe { loops::fill(reduction.bytes, at, self.parts.unread, block.n) };
                at = self.parts.unread;
            }
            match block.is_across {
                true => self.join_across(reduction, at, block.n),
                false => self.reduce(reduction, at, block.n),
            }
        }
        for store in &code.stores {
            self.store(store, block);
        }
    }

    /// Does an action for a block.
    pub(super) fn act(&mut self, action: &Action, block: &Block<'_>) {
        match *action {
            Action::Loop { run, to, from } => self.call(run, to, from, block.n.next_multiple_of(GRANULE)),
            Action::Load { access, to, may_stay } => self.load(access, to, may_stay, block),
            Action::LoadAt { access, part, ref indices, to } => self.load_at(access, part, indices, to, block.n),
            Action::Coordinate { axis, to } => self.coordinates(axis, to, block),
            Action::Slot { slot, to } => self.slots(slot, to, block.is_loop && !block.is_across, block.n),
            Action::Scalar { .. } | Action::Constant { .. } => self.once(action, block),
        }
    }
}
