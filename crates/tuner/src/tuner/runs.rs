//! The file of a search's runs: a line before each run and one after it, so that a search can be killed at any moment
//! and taken up.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::{Invalidity, Outcome};
use crate::lines;
use crate::space::Configuration;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// The subject of the runs: the first line.
    Session(Value),
    /// A run begins.
    Trying(Configuration),
    /// It has ended.
    Tried { configuration: Configuration, outcome: Outcome },
}

/// Runs that did not end after which a point is not tried again. One may be a search that was stopped.
const MAX_INTERRUPTIONS: usize = 2;

/// Known runs, and the file that keeps them, if there is one.
#[derive(Default)]
pub(super) struct Runs {
    file: Option<File>,
    pub(super) known: HashMap<Configuration, Outcome>,
}

impl Runs {
    /// The runs of a file, which is made where there is none. No other search can use it meanwhile.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::InvalidData`] for a file of another session or with other content,
    /// and [`io::ErrorKind::WouldBlock`] for one that another search uses.
    pub(super) fn open(path: &Path, session: &Value) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::WouldBlock, "another search is using it")
            }
            std::fs::TryLockError::Error(error) => error,
        })?;
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        let entries: Vec<Entry> = lines::parse(&String::from_utf8_lossy(&bytes), |_| true);
        let other = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        match entries.first() {
            Some(Entry::Session(found)) if found == session => {}
            Some(Entry::Session(found)) => {
                return Err(other(format!("it has runs of another session, {found}, not {session}")));
            }
            // A search that was killed while it wrote its first line has left less than a line.
            None if !bytes.contains(&b'\n') => lines::append_to(&mut file, &Entry::Session(session.clone()))?,
            _ => return Err(other("it is no file of a search's runs".to_owned())),
        }
        Ok(Runs { file: Some(file), known: known(entries) })
    }

    /// Before a run.
    pub(super) fn trying(&mut self, configuration: &Configuration) -> io::Result<()> {
        self.write(&Entry::Trying(configuration.clone()))
    }

    /// After it.
    pub(super) fn tried(&mut self, configuration: &Configuration, outcome: &Outcome) -> io::Result<()> {
        self.known.insert(configuration.clone(), outcome.clone());
        self.write(&Entry::Tried { configuration: configuration.clone(), outcome: outcome.clone() })
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| lines::append_to(file, entry))
    }
}

/// The outcomes of all runs that ended, and of points that interrupted the search each time.
fn known(entries: Vec<Entry>) -> HashMap<Configuration, Outcome> {
    let mut known = HashMap::new();
    let mut interruptions: HashMap<Configuration, usize> = HashMap::new();
    for entry in entries {
        match entry {
            Entry::Session(_) => {}
            Entry::Trying(configuration) => *interruptions.entry(configuration).or_default() += 1,
            Entry::Tried { configuration, outcome } => {
                interruptions.remove(&configuration);
                known.insert(configuration, outcome);
            }
        }
    }
    let stopped = interruptions.into_iter().filter(|(_, times)| *times >= MAX_INTERRUPTIONS);
    let outcome = || Outcome::failed(Invalidity::Runtime, "it interrupted the search each time that it was tried");
    known.extend(stopped.map(|(configuration, _)| (configuration, outcome())));
    known
}
