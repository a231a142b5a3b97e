//! A device's memory for block columns.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use opencl3::event::Event as ClEvent;

use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::error::{Error, Result};
use crate::spread::{lost, wait_for};
use crate::view::MatrixShape;

/// Memory of one block column.
#[derive(Clone)]
pub(super) struct Strip {
    pub(super) buffer: Arc<DeviceBuffer>,
    pub(super) shape: MatrixShape,
    /// Row of the matrix with which it begins.
    pub(super) first_row: usize,
}

/// A factorised panel on the device, with its pivots or factors of reflectors.
#[derive(Clone)]
pub(super) struct PanelHere {
    pub(super) index: usize,
    pub(super) strip: Strip,
    pub(super) numbers: Arc<DeviceBuffer>,
}

/// Memory of a column that was brought back, and the column's number if it is a panel.
pub(super) struct Returned {
    pub(super) buffer: Arc<DeviceBuffer>,
    pub(super) panel: Option<usize>,
}

/// Block columns and panels on the device of a thread that computes.
pub(super) struct Memory<'a> {
    queue: &'a Queue,
    returned: Receiver<Returned>,
    free: Vec<Arc<DeviceBuffer>>,
    made: usize,
    limit: usize,
    bytes: usize,
    /// Columns that stay for the next panel.
    pub(super) resident: HashMap<usize, Strip>,
    /// Panels on their way to the host.
    returning: HashSet<usize>,
    pub(super) panels: VecDeque<PanelHere>,
    /// Last command of each of the last tasks.
    running: VecDeque<ClEvent>,
}

/// Tasks that are enqueued, at most: a device takes no more work than it can do.
const RUNNING: usize = 2;
/// Panels on a device, at most: the one in use, and the next one.
const PANELS: usize = 2;

impl<'a> Memory<'a> {
    pub(super) fn new(queue: &'a Queue, bytes: usize, limit: usize, returned: Receiver<Returned>) -> Self {
        Memory {
            queue,
            returned,
            free: Vec::new(),
            made: 0,
            limit: limit.max(super::NEEDED),
            bytes,
            resident: HashMap::new(),
            returning: HashSet::new(),
            panels: VecDeque::new(),
            running: VecDeque::new(),
        }
    }

    /// True if one more column may stay.
    pub(super) fn has_space(&self) -> bool {
        self.resident.len() + super::NEEDED < self.limit
    }

    /// Waits until there is time for a task.
    pub(super) fn wait_for_turn(&mut self) -> Result<()> {
        if self.running.len() < RUNNING { Ok(()) } else { wait_for(self.running.pop_front()) }
    }

    /// Notes the last command of a task.
    pub(super) fn runs(&mut self, event: ClEvent) {
        self.running.push_back(event);
    }

    /// Adds a panel that was factorised here, and is brought back.
    pub(super) fn add_own_panel(&mut self, panel: PanelHere) {
        self.returning.insert(panel.index);
        self.add_panel(panel);
    }

    /// Adds a panel; the oldest ones go.
    pub(super) fn add_panel(&mut self, panel: PanelHere) {
        while self.panels.len() >= PANELS {
            let oldest = self.panels.iter().map(|panel| panel.index).min();
            let at = self.panels.iter().position(|panel| Some(panel.index) == oldest);
            let gone = at.and_then(|at| self.panels.remove(at));
            if let Some(PanelHere { index, strip, .. }) = gone
                && !self.returning.contains(&index)
            {
                self.free.push(strip.buffer);
            }
        }
        self.panels.push_back(panel);
    }

    /// Memory for a column, which no command uses.
    pub(super) fn take(&mut self) -> Result<Arc<DeviceBuffer>> {
        loop {
            while let Ok(returned) = self.returned.try_recv() {
                self.has_returned(returned);
            }
            if let Some(buffer) = self.free.pop() {
                // Commands of tasks before may still read it.
                self.running.drain(..).try_for_each(|event| wait_for(Some(event)))?;
                return Ok(buffer);
            }
            if self.made < self.limit {
                match DeviceBuffer::for_operand(self.queue, self.bytes, "columns of a matrix of the host") {
                    Ok(buffer) => {
                        self.made += 1;
                        return Ok(Arc::new(buffer));
                    }
                    // Somebody else may have the memory: what there is will do.
                    Err(Error::OutOfDeviceMemory { .. }) if self.made >= super::NEEDED + self.resident.len() => {
                        self.limit = self.made;
                    }
                    Err(error) => return Err(error),
                }
                continue;
            }
            let returned = self.returned.recv().map_err(|_| lost())?;
            self.has_returned(returned);
        }
    }

    fn has_returned(&mut self, Returned { buffer, panel }: Returned) {
        if let Some(index) = panel {
            self.returning.remove(&index);
            if self.panels.iter().any(|panel| panel.index == index) {
                return; // It stays as a panel.
            }
        }
        self.free.push(buffer);
    }
}
