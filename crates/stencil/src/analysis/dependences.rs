//! Which stages and statements need which, and what a step reads and writes.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Radius, values, widen};
use crate::definition::{Node, Statement, Stencil, Tap};

/// Facts about a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFacts {
    /// Levels that it reads from memory: not those that it has assigned itself at the same point.
    pub reads: Vec<StageRead>,
    /// Grid and component of what it assigns.
    pub writes: Vec<(usize, usize)>,
    /// Stages before it that it depends on.
    pub after: Vec<usize>,
    /// For each statement, those before it in the stage that it depends on.
    pub statements: Vec<Vec<usize>>,
}

/// A level of a component that a stage reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRead {
    /// The grid.
    pub grid: usize,
    /// The component.
    pub component: usize,
    /// The level, relative to `t`.
    pub time: i32,
    /// The reach of its taps.
    pub radius: Radius,
    /// The number of taps at different points.
    pub taps: usize,
}

/// The taps of a stage that come from memory.
fn from_memory(stencil: &Stencil, stage: usize) -> Vec<Tap> {
    let mut assigned: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut found: Vec<Tap> = Vec::new();
    let mut known: HashSet<Tap> = HashSet::new();
    for statement in &stencil.stages()[stage].statements {
        for value in values(std::slice::from_ref(statement)) {
            for tap in stencil.graph().taps([value]) {
                let is_new = stencil.written_level(tap.grid) == Some(tap.time);
                let is_own = is_new && assigned.contains(&(tap.grid, tap.component));
                if !is_own && known.insert(tap) {
                    found.push(tap);
                }
            }
        }
        if let Statement::Assign { target, .. } = statement {
            assigned.insert((target.grid, target.component));
        }
    }
    found
}

fn reads(stencil: &Stencil, stage: usize) -> Vec<StageRead> {
    let mut reads: Vec<StageRead> = Vec::new();
    let mut slots: HashMap<(usize, usize, i32), usize> = HashMap::new();
    for tap in from_memory(stencil, stage) {
        let (grid, component, time) = (tap.grid, tap.component, tap.time);
        let index = *slots.entry((grid, component, time)).or_insert_with(|| {
            reads.push(StageRead { grid, component, time, radius: Radius::default(), taps: 0 });
            reads.len() - 1
        });
        widen(&mut reads[index].radius, &tap);
        reads[index].taps += 1;
    }
    reads.sort_by_key(|read| (read.grid, read.component, -read.time));
    reads
}

fn writes(stencil: &Stencil, stage: usize) -> Vec<(usize, usize)> {
    let targets = stencil.stages()[stage].statements.iter().filter_map(|statement| match statement {
        Statement::Assign { target, .. } => Some((target.grid, target.component)),
        _ => None,
    });
    targets.collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn stages(stencil: &Stencil) -> Vec<StageFacts> {
    let count = stencil.stages().len();
    let all_writes: Vec<Vec<(usize, usize)>> = (0..count).map(|stage| writes(stencil, stage)).collect();
    let facts = (0..count).map(|stage| {
        let reads = reads(stencil, stage);
        let needs = |before: &usize| {
            let reads_it = reads.iter().any(|read| {
                stencil.written_level(read.grid) == Some(read.time)
                    && all_writes[*before].contains(&(read.grid, read.component))
            });
            reads_it || all_writes[stage].iter().any(|write| all_writes[*before].contains(write))
        };
        let after = (0..stage).filter(needs).collect();
        StageFacts { after, writes: all_writes[stage].clone(), statements: statements(stencil, stage), reads }
    });
    facts.collect()
}

/// For each statement, the temporaries and assignments before it that it reads, or writes over.
fn statements(stencil: &Stencil, stage: usize) -> Vec<Vec<usize>> {
    let all = &stencil.stages()[stage].statements;
    let needed = all.iter().enumerate().map(|(index, statement)| {
        let mut temporaries = BTreeSet::new();
        let mut levels = BTreeSet::new();
        for expression in stencil.graph().reachable(values(std::slice::from_ref(statement))) {
            match stencil.graph().node(expression) {
                Node::Temporary(temporary) => {
                    temporaries.insert(*temporary);
                }
                Node::Tap(tap) if stencil.written_level(tap.grid) == Some(tap.time) => {
                    levels.insert((tap.grid, tap.component));
                }
                _ => {}
            }
        }
        if let Statement::Assign { target, .. } = statement {
            levels.insert((target.grid, target.component));
        }
        let is_needed = |before: &usize| match &all[*before] {
            Statement::Let { temporary, .. } => temporaries.contains(temporary),
            Statement::Assign { target, .. } => levels.contains(&(target.grid, target.component)),
            Statement::Reduce { .. } => false,
        };
        (0..index).filter(is_needed).collect()
    });
    needed.collect()
}

/// Elements read and written per point, and their bytes.
pub(super) fn traffic(stencil: &Stencil) -> (usize, usize, usize) {
    let dimension = stencil.dimension();
    let (mut read, mut written, mut bytes) = (0, 0, 0);
    for stage in 0..stencil.stages().len() {
        let full = reads(stencil, stage).into_iter().filter(|read| stencil.grids()[read.grid].axes.len() == dimension);
        for each in full {
            read += 1;
            bytes += stencil.grids()[each.grid].kind.bytes();
        }
        for (grid, _) in writes(stencil, stage) {
            written += 1;
            bytes += stencil.grids()[grid].kind.bytes();
        }
    }
    (read, written, bytes)
}
