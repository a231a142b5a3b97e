//! Exchange of halos: one packed message for each pair of neighbours.

use std::rc::Rc;

use affinimath_stencil::host::Parts;

use super::topology::{Piece, Topology};
use crate::comm::{Communicator, Receiving, Sending, Tag, allocate};
use crate::error::Result;

/// Slices of grids whose halos are exchanged.
pub(super) type Slots = [(usize, usize)];

/// Another rank, and what goes to it and comes from it of each grid.
#[derive(Debug)]
struct Neighbour {
    rank: usize,
    sends: Vec<Vec<Piece>>,
    receives: Vec<Vec<Piece>>,
}

/// Neighbours of a rank, in an order that does not let all ranks send to the same one.
#[derive(Debug)]
pub(super) struct Halos {
    neighbours: Vec<Neighbour>,
    /// Pieces from a rank to itself, around periodic axes.
    own: Vec<Vec<Piece>>,
}

/// Messages that have begun.
pub(super) struct UnderWay {
    receiving: Vec<(usize, Receiving<i64>)>,
    sending: Vec<Sending<i64>>,
}

impl Halos {
    pub(super) fn new(topology: &Topology, rank: usize, ranks: usize) -> Self {
        let grids = 0..topology.stencil().grids().len();
        let pieces = |receiver: usize, sender: usize| -> Vec<Vec<Piece>> {
            grids.clone().map(|grid| topology.pieces(receiver, sender, grid)).collect()
        };
        let others = (1..ranks).map(|distance| (rank + distance) % ranks);
        let neighbours =
            others.map(|other| Neighbour { rank: other, sends: pieces(other, rank), receives: pieces(rank, other) });
        let has_any =
            |neighbour: &Neighbour| neighbour.sends.iter().chain(&neighbour.receives).any(|pieces| !pieces.is_empty());
        Halos { neighbours: neighbours.filter(has_any).collect(), own: pieces(rank, rank) }
    }

    /// Elements that a rank sends of a grid's level, messages for one, and neighbours.
    pub(super) fn volume(&self, grid: usize) -> (usize, usize) {
        let sizes = self
            .neighbours
            .iter()
            .map(|neighbour| neighbour.sends[grid].iter().map(|piece| piece.source.len()).sum::<usize>());
        sizes.filter(|&size| size > 0).fold((0, 0), |(elements, messages), size| (elements + size, messages + 1))
    }

    /// Packs and sends the halos of others, and begins to receive those of this rank.
    pub(super) fn begin(&self, comm: &Communicator, parts: &mut Parts<'_>, slots: &Slots) -> Result<UnderWay> {
        let mut receiving = Vec::new();
        for (number, neighbour) in self.neighbours.iter().enumerate() {
            let words = bytes_of(&neighbour.receives, parts, slots).div_ceil(8);
            if words > 0 {
                receiving.push((number, comm.receive::<i64>(neighbour.rank, Tag::Halos, words)?));
            }
        }
        let mut sending = Vec::new();
        for neighbour in &self.neighbours {
            let words = bytes_of(&neighbour.sends, parts, slots).div_ceil(8);
            if words > 0 {
                let mut message = allocate(words, 0_i64)?;
                let mut rest = bytes_mut(&mut message);
                for &(grid, slot) in slots {
                    for piece in &neighbour.sends[grid] {
                        rest = parts.read((grid, piece.component, slot), &piece.source.layout(), rest);
                    }
                }
                sending.push(comm.send(neighbour.rank, Tag::Halos, Rc::new(message))?);
            }
        }
        for &(grid, slot) in slots {
            for piece in &self.own[grid] {
                let mut copy = vec![0; piece.source.len() * parts.element_bytes(grid)];
                parts.read((grid, piece.component, slot), &piece.source.layout(), &mut copy);
                parts.write((grid, piece.component, slot), &piece.target.layout(), &copy);
            }
        }
        Ok(UnderWay { receiving, sending })
    }

    /// Waits for the halos, and unpacks them.
    pub(super) fn finish(&self, under_way: UnderWay, parts: &mut Parts<'_>, slots: &Slots) -> Result<()> {
        for (number, message) in under_way.receiving {
            let mut message = message.wait()?;
            let mut rest: &[u8] = bytes_mut(&mut message);
            for &(grid, slot) in slots {
                for piece in &self.neighbours[number].receives[grid] {
                    rest = parts.write((grid, piece.component, slot), &piece.target.layout(), rest);
                }
            }
        }
        under_way.sending.into_iter().try_for_each(Sending::wait)
    }
}

impl UnderWay {
    /// Lets messages move along.
    pub(super) fn progress(&mut self) -> Result<()> {
        self.sending.iter_mut().try_for_each(|message| message.test().map(drop))
    }
}

fn bytes_of(pieces: &[Vec<Piece>], parts: &Parts<'_>, slots: &Slots) -> usize {
    let each = slots.iter().map(|&(grid, _)| {
        pieces[grid].iter().map(|piece| piece.target.len()).sum::<usize>() * parts.element_bytes(grid)
    });
    each.sum()
}

fn bytes_mut(words: &mut [i64]) -> &mut [u8] {
    let length = size_of_val(words);
    // SAFETY: the bytes are those of the words, and every pattern of bits is a word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), length) }
}
