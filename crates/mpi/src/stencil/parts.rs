//! The parts of a rank's points: those that need no other rank, those along its faces, and those of other ranks that it
//! computes as well.

use std::collections::HashMap;

use affinimath_stencil::definition::{MAX_AXES, Statement};
use affinimath_stencil::host::Part;

use super::blocks::StencilBlock;
use super::topology::{Reach, Topology};
use crate::error::{Error, Result};

/// Points of a sweep that are worth a look at messages in the middle.
const CHUNK_POINTS: usize = 1 << 17;
/// Most parts of the interior.
const CHUNKS: usize = 4;

/// A stage's points in parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// Points that need no other rank's, in parts.
    pub(super) interior: Vec<usize>,
    /// The others.
    pub(super) rims: Vec<usize>,
}

/// Parts of a rank that has points.
#[derive(Debug)]
pub(super) struct PartList {
    pub(super) parts: Vec<Part>,
    known: HashMap<StencilBlock, usize>,
    /// By stage; none where all points need other ranks.
    pub(super) splits: Vec<Option<Split>>,
    /// By the steps that are left before the next exchange, and stage.
    pub(super) wide: Vec<Vec<usize>>,
}

/// The part with all of a rank's points.
pub(super) const OWN: usize = 0;

impl PartList {
    /// Parts of a rank; none where it has no points.
    pub(super) fn new(topology: &Topology, rank: usize) -> Result<Option<Self>> {
        if topology.cut.block(rank).is_empty() {
            return Ok(None);
        }
        let mut list = PartList { parts: Vec::new(), known: HashMap::new(), splits: Vec::new(), wide: Vec::new() };
        list.extended(topology, rank, Reach::default())?;
        let stages = 0..topology.stencil().stages().len();
        for stage in stages.clone() {
            let split = list.split(topology, rank, stage)?;
            list.splits.push(split);
        }
        for left in 0..if topology.steps > 1 { topology.steps } else { 0 } {
            let parts = stages.clone().map(|stage| list.extended(topology, rank, topology.extension(stage, left)));
            let parts = parts.collect::<Result<Vec<_>>>()?;
            list.wide.push(parts);
        }
        Ok(Some(list))
    }

    /// The part of a rank's points and of those beyond them.
    fn extended(&mut self, topology: &Topology, rank: usize, extension: Reach) -> Result<usize> {
        let (block, completed) = topology.part(rank, extension);
        self.part(topology, &block, completed)
    }

    fn part(&mut self, topology: &Topology, block: &StencilBlock, completed: Vec<StencilBlock>) -> Result<usize> {
        if let Some(&known) = self.known.get(block) {
            return Ok(known);
        }
        let owned = completed.iter().map(StencilBlock::layout).collect();
        let part = Part::new(&topology.bound, block.lower(), &block.shape(), owned);
        self.parts.push(part.map_err(|error| Error::Local(error.reason))?);
        self.known.insert(block.clone(), self.parts.len() - 1);
        Ok(self.parts.len() - 1)
    }

    /// A part of a sweep alone.
    fn sweep_part(&mut self, topology: &Topology, block: &StencilBlock) -> Result<usize> {
        let grids = topology.stencil().grids().iter();
        let completed = grids.map(|grid| {
            let (lower, lengths) = grid.axes.iter().map(|&axis| (block.lower()[axis], block.length(axis))).unzip();
            StencilBlock::new(lower, lengths)
        });
        self.part(topology, block, completed.collect())
    }

    fn split(&mut self, topology: &Topology, rank: usize, stage: usize) -> Result<Option<Split>> {
        let statements = &topology.stencil().stages()[stage].statements;
        let reduces = statements.iter().any(|statement| matches!(statement, Statement::Reduce { .. }));
        let own = topology.cut.block(rank);
        let reach = topology.stage_reach(stage);
        let domain = &topology.domain;
        let mut interior = own.clone();
        for axis in (0..own.lower().len()).filter(|&axis| topology.is_split(axis)) {
            let at = [own.lower()[axis] == domain.lower()[axis], own.end(axis) == domain.end(axis)];
            let any_wraps = topology.any_wraps(axis);
            let [below, above] = [0, 1].map(|side| if at[side] && !any_wraps { 0 } else { reach[axis][side] });
            interior.set(axis, own.lower()[axis] + below, own.end(axis) - above);
        }
        if interior.is_empty() || reduces {
            return Ok(None);
        }
        let mut split = Split::default();
        for chunk in chunks(&interior) {
            split.interior.push(self.sweep_part(topology, &chunk)?);
        }
        for rim in rims(&own, &interior) {
            split.rims.push(self.sweep_part(topology, &rim)?);
        }
        Ok(Some(split))
    }
}

/// Parts of a box along its last long axis.
fn chunks(interior: &StencilBlock) -> Vec<StencilBlock> {
    let axes = interior.lower().len();
    let axis = (0..axes).rev().find(|&axis| interior.length(axis) > 1).unwrap_or(axes - 1);
    let wanted = (interior.len() / CHUNK_POINTS).clamp(1, CHUNKS).min(interior.length(axis) as usize);
    let bound = |number: usize| interior.lower()[axis] + interior.length(axis) * number as i64 / wanted as i64;
    let each = (0..wanted).map(|number| {
        let mut chunk = interior.clone();
        chunk.set(axis, bound(number), bound(number + 1));
        chunk
    });
    each.collect()
}

/// The points of a box without those of a box within, as boxes: the slabs of the last axis have the longest rows.
fn rims(own: &StencilBlock, interior: &StencilBlock) -> Vec<StencilBlock> {
    let (mut rest, mut rims) = (own.clone(), Vec::new());
    for axis in (0..own.lower().len().min(MAX_AXES)).rev() {
        let (first, end) = (interior.lower()[axis], interior.end(axis));
        for (from, to) in [(rest.lower()[axis], first), (end, rest.end(axis))] {
            let mut rim = rest.clone();
            rim.set(axis, from, to);
            if !rim.is_empty() {
                rims.push(rim);
            }
        }
        rest.set(axis, first, end);
    }
    rims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rims_and_interior_are_the_box() {
        let own = StencilBlock::new(vec![0, 3, -1], vec![6, 5, 4]);
        for (lower, lengths) in
            [(vec![1, 4, 0], vec![4, 3, 2]), (vec![0, 3, 0], vec![6, 5, 3]), (vec![2, 3, -1], vec![1, 5, 4])]
        {
            let interior = StencilBlock::new(lower, lengths);
            let rims = rims(&own, &interior);
            assert_eq!(rims.iter().map(StencilBlock::len).sum::<usize>() + interior.len(), own.len());
            for (number, rim) in rims.iter().enumerate() {
                assert!(rim.intersection(&interior).is_empty());
                assert!(rims[..number].iter().all(|other| rim.intersection(other).is_empty()));
            }
        }
        let large = StencilBlock::new(vec![0, 0], vec![1000, 1001]);
        assert_eq!(chunks(&large).iter().map(StencilBlock::len).sum::<usize>(), large.len());
        assert_eq!(chunks(&large).len(), CHUNKS);
    }
}
