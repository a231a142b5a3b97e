//! The loops of a strategy that is a text: sequential ones are of the host, parallel ones are launches.

use super::{Box, Executor, Launcher, Scene};
use crate::error::Result;
use crate::lower::{Pass, loop_groups};
use crate::run::Colour;
use crate::schedule::{Node, Tree, values};

impl<L: Launcher> Executor<'_, L> {
    /// A sweep of a stage by a strategy's loops.
    pub(super) fn schedule(&mut self, tree: &Tree, sweep: (usize, Option<Colour>), scene: Scene<'_>) -> Result<()> {
        self.loops = vec![0; tree.variables];
        self.nodes(&tree.nodes, sweep, scene)
    }

    /// Groups and work-items of a parallel loop; none where it has no iterations.
    pub(super) fn loop_launch(&self, number: usize) -> Option<([usize; 3], [usize; 3])> {
        let own = self.kernels.schedule.as_ref()?.find(number)?;
        loop_groups(own, &self.loops, self.kernels.device)
    }

    fn nodes(&mut self, nodes: &[Node], sweep: (usize, Option<Colour>), scene: Scene<'_>) -> Result<()> {
        let (stage, colour) = sweep;
        for node in nodes {
            match node {
                Node::Set { variable, value } => self.loops[*variable] = value.value(&self.loops).unwrap_or(0),
                Node::If { condition, then, otherwise } => {
                    let is_true = condition.value(&self.loops).unwrap_or(false);
                    self.nodes(if is_true { then } else { otherwise }, sweep, scene)?;
                }
                Node::Loop(own) if own.parallel.is_some() => {
                    let pass = Pass::Loops { stage, colour, number: own.number };
                    self.launch(pass, &self.domain(), scene)?;
                }
                Node::Loop(own) => {
                    let iterations = own.iterations(&self.loops);
                    for number in 0..iterations.count() {
                        iterations.enter(number, &mut self.loops);
                        self.nodes(&own.body, sweep, scene)?;
                    }
                }
                // Points of a box do not depend on one another.
                Node::Apply { ranges, .. } => {
                    let block = values(ranges, &self.loops).unwrap_or_default();
                    let lengths = block.iter().map(|(first, last)| usize::try_from(last - first + 1).unwrap_or(0));
                    let starts = block.iter().zip(self.bound.lower()).map(|((first, _), lower)| first - lower);
                    let points =
                        Box { axes: (0..block.len()).collect(), starts: starts.collect(), lengths: lengths.collect() };
                    self.launch(Pass::Sweep { stage, colour, reduces: false }, &points, scene)?;
                }
            }
        }
        Ok(())
    }
}
