//! The work that is left, and who takes which part of it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::plan::Chain;

/// Groups of chains. A device goes on with its own group, then takes one that nobody works on, then the last chain of
/// the longest one.
#[derive(Debug)]
pub(super) struct Board<T> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    groups: Vec<VecDeque<Chain<T>>>,
    /// Group of each device.
    taken: Vec<Option<usize>>,
}

impl<T> Board<T> {
    pub(super) fn new(groups: Vec<VecDeque<Chain<T>>>, devices: usize) -> Self {
        Board { state: Mutex::new(State { groups, taken: vec![None; devices] }) }
    }

    /// The next chain for a device.
    pub(super) fn next(&self, device: usize) -> Option<Chain<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chain) = state.taken[device].and_then(|group| state.groups[group].pop_front()) {
            return Some(chain);
        }
        let free =
            |state: &State<T>, group: &usize| !state.groups[*group].is_empty() && !state.taken.contains(&Some(*group));
        let new = (0..state.groups.len()).find(|group| free(&state, group));
        if let Some(group) = new {
            state.taken[device] = Some(group);
            return state.groups[group].pop_front();
        }
        state.groups.iter_mut().max_by_key(|group| group.len())?.pop_back()
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn devices_work_on_groups_of_their_own_until_none_is_left() {
        let group = |count: usize| (0..count).map(|_| Chain::<f64>::new()).collect::<VecDeque<_>>();
        let board = Board::new(vec![group(2), group(3)], 2);
        let left = |board: &Board<f64>| {
            let state = board.state.lock().unwrap();
            state.groups.iter().map(VecDeque::len).collect::<Vec<_>>()
        };
        for (device, expected) in [(0, [1, 3]), (1, [1, 2]), (0, [0, 2]), (0, [0, 1]), (1, [0, 0])] {
            assert!(board.next(device).is_some());
            assert_eq!(left(&board), expected);
        }
        assert!(board.next(0).is_none() && board.next(1).is_none());
    }
}
