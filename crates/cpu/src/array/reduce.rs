//! Reductions of rows: pieces are joined as blocks come, chunks' results at the end.

use super::code::{Code, Reduce};
use super::loops::{self, Extreme, Fold};
use super::machine::{Call, LoopFn, Source};
use super::worker::Worker;
use super::workspace::State;

impl Worker<'_> {
    /// Begins the reductions of a row.
    pub(super) fn begin_row(&mut self, code: &Code) {
        code.reductions.iter().for_each(|reduction| self.begin(reduction.slot));
    }

    /// Completes the reductions of a row, whose slots have the results then.
    pub(super) fn end_row(&mut self, code: &Code) {
        for reduction in &code.reductions {
            let to = self.slot(reduction.slot);
            self.end(reduction, to);
        }
    }

    fn begin(&mut self, slot: usize) {
        let order = self.launch.program.structure.order;
        let (lanes, chunk) = (order.lanes, order.chunk);
        let accumulators = self.workspace.accumulators[slot].as_mut_ptr().cast();
        let results = self.workspace.results[slot].as_mut_ptr().cast();
        let fold = Fold { lanes, chunk, joined: 0, accumulators, results, chunks: 0 };
        self.workspace.states[slot] = State { fold, extreme: Extreme::default() };
    }

    /// Joins a block of values: of one row, or of several whole rows, whose results go to the slot then.
    pub(super) fn reduce(&mut self, reduction: &Reduce, at: *mut u8, n: usize) {
        if self.launch.rows_of_block == 1 {
            return self.join(reduction, at, n);
        }
        let (length, bytes) = (self.launch.row_length, self.launch.program.slot_bytes(reduction.slot));
        if !reduction.is_search && length <= self.launch.program.structure.order.chunk {
            self.begin(reduction.slot);
            let results = self.slot(reduction.slot);
            let fold = &mut self.workspace.states[reduction.slot].fold;
            (fold.chunk, fold.results) = (length, results);
            return self.call_fold(reduction, reduction.folds.rows, at, n);
        }
        for row in 0..n / length {
            self.begin(reduction.slot);
            self.join(reduction, at.wrapping_add(row * length * reduction.bytes), length);
            let to = self.slot(reduction.slot).wrapping_add(row * bytes);
            self.end(reduction, to);
        }
    }

    fn join(&mut self, reduction: &Reduce, at: *mut u8, n: usize) {
        self.call_fold(reduction, reduction.folds.piece, at, n);
    }

    fn call_fold(&mut self, reduction: &Reduce, run: LoopFn, at: *mut u8, n: usize) {
        let state = &mut self.workspace.states[reduction.slot];
        let state: *mut u8 = match reduction.is_search {
            true => (&raw mut state.extreme).cast(),
            false => (&raw mut state.fold).cast(),
        };
        call(run, state, at, n);
    }

    /// Completes a reduction and writes its result.
    fn end(&mut self, reduction: &Reduce, to: *mut u8) {
        if reduction.is_search {
            let index = self.workspace.states[reduction.slot].extreme.index;
            // SAFETY: the slot has an index for each row of a block.
            return unsafe { to.cast::<i64>().write(index) };
        }
        self.complete_chunk(reduction);
        let results = self.workspace.states[reduction.slot].fold.results;
        loop {
            let fold = &mut self.workspace.states[reduction.slot].fold;
            let count = std::mem::take(&mut fold.chunks);
            if count <= 1 {
                break;
            }
            // A result is written where an element was read before it.
            self.join(reduction, results, count);
            self.complete_chunk(reduction);
        }
        // SAFETY: the first result is the row's; the slot has one for each row of a block.
        unsafe { loops::copy_strided(reduction.bytes, (results, 1), (to, 1), 1) };
    }

    /// Completes the last chunk.
    pub(super) fn complete_chunk(&mut self, reduction: &Reduce) {
        if !reduction.is_search {
            self.call_fold(reduction, reduction.folds.finish, std::ptr::null_mut(), 0);
        }
    }

    /// Begins the reductions of a piece of a row that begins at the element `start`, the start of a chunk. Results of
    /// chunks go to the row's, at `results` for each reduction.
    pub(super) fn begin_piece(&mut self, code: &Code, start: usize, results: &[*mut u8]) {
        self.begin_row(code);
        for (reduction, &results) in code.reductions.iter().zip(results) {
            let state = &mut self.workspace.states[reduction.slot];
            state.extreme.next = start as i64;
            state.fold.results = results.wrapping_add(start / state.fold.chunk * reduction.bytes);
        }
    }

    /// Completes a reduction of a row from the results of all its chunks and the states of its searches.
    pub(super) fn end_pieces(&mut self, reduction: &Reduce, results: *mut u8, chunks: usize, extremes: &[Extreme]) {
        self.begin(reduction.slot);
        let state = &mut self.workspace.states[reduction.slot];
        (state.fold.results, state.fold.chunks) = (results, chunks);
        if reduction.is_search {
            for extreme in extremes {
                let other = (&raw const *extreme).cast_mut().cast();
                self.call_fold(reduction, reduction.folds.finish, other, 1);
            }
        }
        let to = self.slot(reduction.slot);
        self.end(reduction, to);
    }
}

fn call(run: LoopFn, state: *mut u8, at: *mut u8, n: usize) {
    let none = std::ptr::null_mut();
    let call = Call { n, to: [state, none, none, none], from: [Source { at, step: 1 }; 4] };
    // SAFETY: the state is the loop's, and there are as many values of its type.
    unsafe { run(&call) };
}
