//! Failures of ranks: messages of ranks that fail, and processes that have ended.
//!
//! Each rank has one control communicator. A rank that fails sends its message to all others on it. A wait looks there
//! every few milliseconds, and every second at the processes of its own host.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::fs;
use std::time::{Duration, Instant};

use mpi::ffi;

use super::{OwnedComm, check};
use crate::error::{Error, Result};

/// Bytes of a failure's message: few enough for every transport to take it without its receiver.
const MESSAGE: usize = 1024;
/// Time between two looks at the control communicator.
const LOOK: Duration = Duration::from_millis(5);
/// Time between two looks at the processes of the host.
const LIVENESS: Duration = Duration::from_secs(1);

/// Identity of a process on its host: its number, its start in the kernel's ticks, and its namespace of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Process {
    /// Number of the process.
    pub id: u32,
    /// Start of the process after the host's, in ticks; 0 where it is not known.
    pub start: i64,
    /// Namespace of process numbers; 0 where it is not known.
    pub namespace: i64,
}

impl Process {
    /// This process.
    pub(crate) fn this() -> Self {
        let id = std::process::id();
        let namespace = fs::read_link("/proc/self/ns/pid").ok();
        let namespace = namespace.and_then(|link| {
            link.to_string_lossy().trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(']').parse().ok()
        });
        let start = stat(id).map_or(0, |(_, start)| start);
        Process { id, start, namespace: namespace.unwrap_or(0) }
    }

    /// False if the process is known to have ended.
    fn lives(&self) -> bool {
        matches!(stat(self.id), Some((state, start)) if !matches!(state, 'Z' | 'X') && start == self.start)
    }
}

/// State and start of a process, from the fields 3 and 22 of its `/proc/ID/stat`.
fn stat(id: u32) -> Option<(char, i64)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Failures of a grid's ranks, as this rank knows them.
pub(crate) struct Watch {
    control: ffi::MPI_Comm,
    rank: usize,
    size: usize,
    /// Other ranks on this host, with their processes.
    neighbours: RefCell<Vec<(usize, Process)>>,
    failure: RefCell<Option<Error>>,
    looked: Cell<Instant>,
    checked: Cell<Instant>,
}

impl Watch {
    /// Watches the ranks of a communicator, on which nobody else sends.
    pub(crate) fn new(control: OwnedComm) -> Result<Self> {
        let (rank, size) = control.rank_and_size()?;
        let now = Instant::now();
        Ok(Watch {
            control: control.into_raw(),
            rank,
            size,
            neighbours: RefCell::default(),
            failure: RefCell::default(),
            looked: Cell::new(now),
            checked: Cell::new(now),
        })
    }

    /// Takes the processes of the other ranks on this host, which are looked at from now on.
    pub(crate) fn set_neighbours(&self, neighbours: Vec<(usize, Process)>) {
        *self.neighbours.borrow_mut() = neighbours;
    }

    /// The failure that has closed the grid.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.failure.borrow().clone()
    }

    /// Looks for failures of other ranks, not more often than it pays.
    pub(crate) fn poll(&self) -> Result<()> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        if self.looked.get().elapsed() < LOOK {
            return Ok(());
        }
        self.looked.set(Instant::now());
        self.receive()?;
        if self.checked.get().elapsed() >= LIVENESS {
            self.checked.set(Instant::now());
            let lost = self.neighbours.borrow().iter().find(|(_, process)| !process.lives()).copied();
            if let Some((rank, process)) = lost {
                // The rank may have said why before it ended.
                self.receive()?;
                return Err(self.close(Error::Lost { rank, size: self.size, process: process.id }));
            }
        }
        Ok(())
    }

    /// Takes the message of a failed rank, if there is one.
    fn receive(&self) -> Result<()> {
        let mut found = 0;
        // SAFETY: the communicator is valid while the value lives; nobody needs the status.
        let code = unsafe {
            let (source, tag) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_ANY_TAG);
            ffi::MPI_Iprobe(source, tag, self.control, &mut found, ffi::RSMPI_STATUS_IGNORE)
        };
        check("MPI_Iprobe", code)?;
        if found == 0 {
            return Ok(());
        }
        let mut message = [0_u8; MESSAGE];
        // SAFETY: every message on this communicator has this length.
        let code = unsafe {
            let (source, tag) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_ANY_TAG);
            let (start, kind) = (message.as_mut_ptr().cast(), ffi::RSMPI_UINT8_T);
            ffi::MPI_Recv(start, MESSAGE as c_int, kind, source, tag, self.control, ffi::RSMPI_STATUS_IGNORE)
        };
        check("MPI_Recv", code)?;
        let error = decode(&message, self.size);
        *self.failure.borrow_mut() = Some(error.clone());
        Err(error)
    }

    /// Closes the grid with an error of this rank's own, and tells all others.
    pub(crate) fn raise(&self, error: Error) -> Error {
        if let Some(earlier) = self.failure() {
            return earlier;
        }
        let error = match error {
            Error::Lost { .. } | Error::Rank { .. } => error,
            other => Error::Rank { rank: self.rank, size: self.size, message: other.to_string() },
        };
        self.close(error)
    }

    fn close(&self, error: Error) -> Error {
        *self.failure.borrow_mut() = Some(error.clone());
        // The memory stays with the MPI library for ever: nobody waits for these sends.
        let message: &'static mut [u8; MESSAGE] = Box::leak(Box::new(encode(&error)));
        for rank in (0..self.size).filter(|rank| *rank != self.rank) {
            // SAFETY: the message lives for ever. An error is no news: the rank may be the one that is gone.
            unsafe {
                let mut request = ffi::RSMPI_REQUEST_NULL;
                let (start, kind) = (message.as_ptr().cast(), ffi::RSMPI_UINT8_T);
                ffi::MPI_Isend(start, MESSAGE as c_int, kind, rank as c_int, 0, self.control, &mut request);
            }
        }
        error
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.failure.get_mut().is_none() && !std::thread::panicking() && !mpi::environment::is_finalized() {
            // SAFETY: the communicator is the value's own, and nothing was sent on it.
            let _ = unsafe { ffi::MPI_Comm_free(&mut self.control) };
        }
    }
}

/// A failure as bytes: rank, process (0 for one that told its reason), then the text, ended by a zero.
fn encode(error: &Error) -> [u8; MESSAGE] {
    let (rank, process, text) = match error {
        Error::Lost { rank, process, .. } => (*rank, *process, String::new()),
        Error::Rank { rank, message, .. } => (*rank, 0, message.clone()),
        other => (0, 0, other.to_string()),
    };
    let mut message = [0; MESSAGE];
    message[..4].copy_from_slice(&(rank as u32).to_le_bytes());
    message[4..8].copy_from_slice(&process.to_le_bytes());
    let mut length = text.len().min(MESSAGE - 9);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    message[8..8 + length].copy_from_slice(&text.as_bytes()[..length]);
    message
}

fn decode(message: &[u8; MESSAGE], size: usize) -> Error {
    let number = |at: usize| u32::from_le_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
    let (rank, process) = (number(0) as usize, number(4));
    if process != 0 {
        return Error::Lost { rank, size, process };
    }
    let text = message[8..].split(|byte| *byte == 0).next().unwrap_or_default();
    Error::Rank { rank, size, message: String::from_utf8_lossy(text).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_its_text_over_the_wire() {
        let error = Error::Rank { rank: 3, size: 4, message: "Größe ".repeat(400) };
        let Error::Rank { rank, message, .. } = decode(&encode(&error), 4) else { panic!("it was another error") };
        assert_eq!(rank, 3);
        assert!("Größe ".repeat(400).starts_with(&message) && message.len() > MESSAGE - 16);
        let error = Error::Lost { rank: 1, size: 2, process: 77 };
        assert_eq!(decode(&encode(&error), 2), error);
    }

    #[test]
    fn a_process_lives_until_it_has_ended() {
        let this = Process::this();
        assert!(this.lives());
        assert!(!Process { start: this.start + 1, ..this }.lives());
    }
}
