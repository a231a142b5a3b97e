//! Values that a work-item carries from plane to plane.

use std::collections::BTreeMap;

/// The values of a step's field.
#[derive(Clone)]
pub(super) struct Planes<T> {
    /// Planes of the work-item's points, from the lowest to the one ahead.
    pub(super) own: Vec<Vec<T>>,
    /// Planes of others' points, below the one that is shared.
    pub(super) others: BTreeMap<[i32; 2], Vec<T>>,
}

/// All that a work-item carries from plane to plane.
#[derive(Clone)]
pub(super) struct State<T> {
    /// By step and field.
    pub(super) planes: Vec<Vec<Planes<T>>>,
    /// Values that each step but the last has computed, by step and component.
    pub(super) held: BTreeMap<(usize, usize, usize), Vec<T>>,
    /// Elements that the first step takes in on the next planes, by field: all points of one plane after the other.
    pub(super) entry: Vec<Vec<T>>,
}

impl<T> State<T> {
    pub(super) fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> State<U> {
        let mut list = |values: &Vec<T>| values.iter().map(&mut each).collect::<Vec<U>>();
        State {
            held: self.held.iter().map(|(key, values)| (*key, list(values))).collect(),
            entry: self.entry.iter().map(&mut list).collect(),
            planes: self
                .planes
                .iter()
                .map(|fields| {
                    let planes = fields.iter().map(|planes| Planes {
                        own: planes.own.iter().map(&mut list).collect(),
                        others: planes.others.iter().map(|(column, values)| (*column, list(values))).collect(),
                    });
                    planes.collect()
                })
                .collect(),
        }
    }

    /// All values in a fixed order.
    pub(super) fn values(&self) -> Vec<&T> {
        let fields = self.planes.iter().flatten();
        let planes = fields.flat_map(|planes| planes.own.iter().chain(planes.others.values()));
        planes.chain(self.held.values()).chain(&self.entry).flatten().collect()
    }
}
