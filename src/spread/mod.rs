//! Host-pointer calls on several devices: operands lie in the host's memory, and devices take parts of the work from a
//! common board as they become free, as cuBLASXt does.
//!
//! Level 3 is cut into tiles ([`tile`]). A plan ([`plan`], one function for each routine) lists the products that make
//! each tile of the result; devices compute them ([`worker`]) and hold operand tiles until their memory is needed
//! ([`slots`]). Factorisations go by columns of blocks ([`columns`]). Cuts depend on sizes and on the smallest memory
//! alone, so that any number of equal devices gives the same bits.

mod board;
pub(crate) mod columns;
pub(crate) mod plan;
mod slots;
mod tile;
mod worker;

pub(crate) use tile::{TileSize, Tiled};
pub(crate) use worker::run;

use std::sync::{Mutex, PoisonError};

use opencl3::event::Event as ClEvent;

use crate::context::{Event, Queue, QueueParts};
use crate::error::{Error, Result};

/// The first error of several threads, which ends them all.
#[derive(Debug, Default)]
struct Failure {
    first: Mutex<Option<Error>>,
}

impl Failure {
    /// Reports an error. Only the first one counts.
    fn report(&self, error: Error) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn is_there(&self) -> bool {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn result(self) -> Result<()> {
        self.first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// An event for everything enqueued so far, which is handed to the device.
fn marker(queue: &Queue) -> Result<ClEvent> {
    let event = queue.mark()?;
    queue.flush()?;
    Ok(event)
}

fn wait_for(event: Option<ClEvent>) -> Result<()> {
    event.map_or(Ok(()), |event| Event::Pending(event).wait())
}

/// Another thread of the same device has ended: its error is the one to report.
#[cold]
fn lost() -> Error {
    Error::Internal("another thread of a call on several devices has ended".to_owned())
}
