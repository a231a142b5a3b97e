//! Ring broadcasts of panels, with look-ahead: the next panel's broadcast begins while the one before is used.
//!
//! A root sends its panel before it hands on the one before. Neighbouring panels are in different lanes for that.

use std::collections::VecDeque;
use std::rc::Rc;

use affinimath::Element;

use super::request::LANES;
use super::{Communicator, Receiving, Sending, Tag};
use crate::error::Result;

/// Broadcasts along one communicator, one after the other.
pub(crate) struct Ring<'c, T> {
    comm: &'c Communicator,
    tag: Tag,
    /// Broadcasts that have begun.
    count: usize,
    sending: VecDeque<Sending<T>>,
}

/// A broadcast that has begun.
pub(crate) enum Incoming<T> {
    /// The root's own panel.
    Here(Rc<Vec<T>>),
    /// The panel comes from the rank before; the root, and the lane.
    Under(usize, usize, Receiving<T>),
}

impl<'c, T: Element> Ring<'c, T> {
    pub(crate) fn new(comm: &'c Communicator, tag: Tag) -> Self {
        Ring { comm, tag, count: 0, sending: VecDeque::new() }
    }

    /// Begins the broadcast of `length` elements. The root makes them.
    pub(crate) fn start(
        &mut self,
        root: usize,
        length: usize,
        panel: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Incoming<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let lane = self.count % LANES;
        self.count += 1;
        if rank != root {
            let before = (rank + size - 1) % size;
            let receiving = self.comm.receive_in_lane(before, (self.tag, lane), length)?;
            return Ok(Incoming::Under(root, lane, receiving));
        }
        let panel = Rc::new(panel()?);
        debug_assert_eq!(panel.len(), length);
        if size > 1 {
            self.forward(lane, &panel)?;
        }
        Ok(Incoming::Here(panel))
    }

    /// Waits for a panel, and hands it on.
    pub(crate) fn finish(&mut self, incoming: Incoming<T>) -> Result<Rc<Vec<T>>> {
        match incoming {
            Incoming::Here(panel) => Ok(panel),
            Incoming::Under(root, lane, receiving) => {
                let panel = Rc::new(receiving.wait()?);
                if (self.comm.rank() + 1) % self.comm.size() != root {
                    self.forward(lane, &panel)?;
                }
                Ok(panel)
            }
        }
    }

    /// Broadcasts at once.
    pub(crate) fn broadcast(
        &mut self,
        root: usize,
        length: usize,
        panel: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<Rc<Vec<T>>> {
        let incoming = self.start(root, length, panel)?;
        self.finish(incoming)
    }

    fn forward(&mut self, lane: usize, panel: &Rc<Vec<T>>) -> Result<()> {
        let next = (self.comm.rank() + 1) % self.comm.size();
        self.sending.push_back(self.comm.send_in_lane(next, (self.tag, lane), Rc::clone(panel))?);
        while let Some(first) = self.sending.front_mut() {
            if !first.test()? {
                break;
            }
            self.sending.pop_front();
        }
        Ok(())
    }

    /// Waits for what is still being sent.
    pub(crate) fn flush(self) -> Result<()> {
        self.sending.into_iter().try_for_each(Sending::wait)
    }
}
