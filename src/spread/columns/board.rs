//! The state of each block column, and the device that works on it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Outcome;
use crate::error::Error;

/// A block column and what is to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) column: usize,
    /// The panel to subtract; none of the first column.
    pub(super) panel: Option<usize>,
    /// True if the column becomes a panel.
    pub(super) factors: bool,
    /// True if nothing is left to do with it afterwards.
    pub(super) last: bool,
}

#[derive(Clone, Debug, Default)]
struct Column {
    /// Panels that are subtracted.
    applied: usize,
    /// The device that has it.
    owner: Option<usize>,
    busy: bool,
    done: bool,
}

struct State<N> {
    columns: Vec<Column>,
    /// Panels that are factorised, and in the host's memory.
    panels: Vec<Arc<Vec<N>>>,
    info: Option<usize>,
    ended: bool,
    failure: Option<Error>,
}

/// The state of a factorisation.
pub(super) struct Board<N> {
    state: Mutex<State<N>>,
    changed: Condvar,
    panels: usize,
}

impl<N> Board<N> {
    pub(super) fn new(columns: usize, panels: usize) -> Self {
        let state = State {
            columns: vec![Column::default(); columns],
            panels: Vec::new(),
            info: None,
            ended: columns == 0,
            failure: None,
        };
        Board { state: Mutex::new(state), changed: Condvar::new(), panels }
    }

    fn with<R>(&self, work: impl FnOnce(&mut State<N>) -> R) -> R {
        let result = work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
        result
    }

    /// The next task for a device; `None` when there is nothing left. It waits until one is ready.
    ///
    /// The column that becomes the next panel comes first, then columns by the panels that they lack, of which those
    /// that the device has come first.
    pub(super) fn next(&self, device: usize) -> Option<Task> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.ended {
                return None;
            }
            if let Some(task) = self.ready(&state, device) {
                state.columns[task.column].busy = true;
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn ready(&self, state: &State<N>, device: usize) -> Option<Task> {
        let factored = state.panels.len();
        let is_ready = |index: usize, column: &Column| {
            let is_own = column.owner.is_none_or(|owner| owner == device);
            let first = index == 0 && column.applied == 0;
            !column.done && !column.busy && is_own && (first || column.applied < factored)
        };
        let ready = state.columns.iter().enumerate().filter(|(index, column)| is_ready(*index, column));
        let (index, column) =
            ready.min_by_key(|(index, column)| (*index != factored, column.applied, column.owner.is_none(), *index))?;
        let applied = if index == 0 { 0 } else { column.applied + 1 };
        let factors = index < self.panels && applied == index;
        let last = factors || applied == self.panels;
        Some(Task { column: index, panel: (index > 0).then_some(column.applied), factors, last })
    }

    /// Ends a task of a column that has work left. With an owner, the column stays on that device.
    pub(super) fn applied(&self, column: usize, owner: Option<usize>) {
        self.with(|state| {
            let column = &mut state.columns[column];
            *column = Column { applied: column.applied + 1, owner, busy: false, done: false };
        });
    }

    /// Ends the last task of a column, which is in the host's memory now: a panel with its numbers, or none.
    pub(super) fn done(&self, column: usize, panel: Option<Vec<N>>) {
        self.with(|state| {
            state.columns[column].done = true;
            state.panels.extend(panel.map(Arc::new));
            state.ended |= state.columns.iter().all(|column| column.done);
        });
    }

    /// Notes LAPACK's info, counted over the whole matrix; the first one counts. It may end the work.
    pub(super) fn found(&self, info: usize, ends: bool) {
        self.with(|state| {
            state.info = Some(state.info.map_or(info, |first| first.min(info)));
            state.ended |= ends;
        });
    }

    /// Ends the work with an error; the first one counts.
    pub(super) fn fail(&self, error: Error) {
        self.with(|state| {
            state.failure.get_or_insert(error);
            state.ended = true;
        });
    }

    /// The numbers of a factorised panel.
    pub(super) fn numbers(&self, panel: usize) -> Arc<Vec<N>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).panels[panel].clone()
    }

    /// True if no further task will be given.
    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended
    }

    pub(super) fn outcome(self) -> Result<Outcome<N>, Error>
    where
        N: Clone,
    {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.failure {
            Some(error) => Err(error),
            None => {
                let numbers = state.panels.iter().map(|numbers| numbers.to_vec()).collect();
                Ok(Outcome { numbers, info: state.info })
            }
        }
    }
}

#[cfg(test)]
mod host {
    use super::*;

    /// Tasks in the order in which one device or several in turn get them.
    fn order(columns: usize, panels: usize, devices: usize, stay: bool) -> Vec<Task> {
        let board = Board::<i32>::new(columns, panels);
        let mut tasks = Vec::new();
        while !board.has_ended() {
            // A device that has no task would wait: only those with one are asked.
            let state = board.state.lock().unwrap();
            let able = (0..devices).find(|device| board.ready(&state, (tasks.len() + device) % devices).is_some());
            drop(state);
            let device = (tasks.len() + able.expect("some device has a task")) % devices;
            let task = board.next(device).unwrap();
            tasks.push(task);
            match (task.last, task.factors) {
                (true, factors) => board.done(task.column, factors.then(Vec::new)),
                (false, _) => board.applied(task.column, stay.then_some(device)),
            }
        }
        tasks
    }

    #[test]
    fn every_panel_is_subtracted_from_every_later_column_once() {
        for (columns, panels) in [(1, 1), (4, 4), (5, 3), (3, 3), (2, 1)] {
            for (devices, stay) in [(1, true), (2, true), (3, false)] {
                let tasks = order(columns, panels, devices, stay);
                let mut pairs: Vec<_> = tasks.iter().filter_map(|task| Some((task.panel?, task.column))).collect();
                pairs.sort_unstable();
                let expected: Vec<_> =
                    (0..panels).flat_map(|panel| (panel + 1..columns).map(move |column| (panel, column))).collect();
                assert_eq!(pairs, expected, "{columns} columns, {panels} panels, {devices} devices");
                let factored: Vec<_> = tasks.iter().filter(|task| task.factors).map(|task| task.column).collect();
                assert_eq!(factored, (0..panels).collect::<Vec<_>>());
                assert_eq!(tasks.iter().filter(|task| task.last).count(), columns);
            }
        }
    }

    #[test]
    fn the_next_panel_comes_first() {
        let board = Board::<i32>::new(4, 4);
        let first = board.next(0).unwrap();
        assert_eq!(first, Task { column: 0, panel: None, factors: true, last: true });
        board.done(0, Some(Vec::new()));
        assert_eq!(board.next(1).unwrap(), Task { column: 1, panel: Some(0), factors: true, last: true });
        assert_eq!(board.next(0).unwrap(), Task { column: 2, panel: Some(0), factors: false, last: false });
        board.applied(2, Some(0));
        board.done(1, Some(Vec::new()));
        assert_eq!(board.next(1).unwrap().column, 3, "column 2 is another device's");
        assert_eq!(board.next(0).unwrap(), Task { column: 2, panel: Some(1), factors: true, last: true });
    }
}
