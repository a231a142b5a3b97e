//! The journal of a search: a line before each measurement and one after it, so that a search that was interrupted at
//! any moment can be taken up, and does not go back to what interrupted it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::Subject;
use affinimath_tuner::{database, lines};
use serde::{Deserialize, Serialize};

/// The settings of a search. Measurements with other settings do not count for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    pub subject: Subject,
    /// The sizes of the problems.
    pub sizes: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// A search begins.
    Session(Session),
    /// A measurement begins: of the default parameters, if there are none.
    Trying(Option<Configuration>),
    /// It has ended.
    Tried { configuration: Option<Configuration>, outcome: Outcome },
    /// The search is at its end.
    Done,
}

/// Measurements that did not end after which parameters are not tried again. One may be a search that was stopped.
const MAX_INTERRUPTIONS: usize = 2;

/// A search's journal.
pub struct Journal {
    path: PathBuf,
    known: HashMap<Option<Configuration>, Outcome>,
}

impl Journal {
    /// The journal in the tuning folder: a new search, or, resumed, the one that was interrupted, if there is one.
    pub fn open(session: &Session, resume: bool) -> Result<Self, Failure> {
        let folder = database::known_directory()?.join("journal");
        let Subject { family, kind, class } = session.subject;
        let path = folder.join(format!("{family}-{}-{class}.jsonl", kind.letter().to_ascii_lowercase()));
        Self::open_at(path, session, resume)
    }

    fn open_at(path: PathBuf, session: &Session, resume: bool) -> Result<Self, Failure> {
        let interrupted = if resume { interrupted(&path, session) } else { None };
        let mut journal = Journal { path, known: HashMap::new() };
        match interrupted {
            Some(known) => journal.known = known,
            None => journal.write(&Entry::Session(session.clone()))?,
        }
        Ok(journal)
    }

    /// Measurements that are there already.
    pub fn measured(&self) -> usize {
        self.known.len()
    }

    /// The outcome of parameters, if the journal has one.
    pub fn outcome(&self, configuration: Option<&Configuration>) -> Option<Outcome> {
        self.known.get(&configuration.cloned()).cloned()
    }

    /// Before a measurement.
    pub fn trying(&self, configuration: Option<&Configuration>) -> Result<(), Failure> {
        self.write(&Entry::Trying(configuration.cloned()))
    }

    /// After it.
    pub fn tried(&mut self, configuration: Option<&Configuration>, outcome: &Outcome) -> Result<(), Failure> {
        self.known.insert(configuration.cloned(), outcome.clone());
        self.write(&Entry::Tried { configuration: configuration.cloned(), outcome: outcome.clone() })
    }

    /// After the search.
    pub fn done(&self) -> Result<(), Failure> {
        self.write(&Entry::Done)
    }

    fn write(&self, entry: &Entry) -> Result<(), Failure> {
        lines::append(&self.path, entry).map_err(|error| Failure::file("cannot write the journal", &self.path, error))
    }
}

/// Outcomes of the last search in the file, if it has the same settings and was interrupted.
fn interrupted(path: &Path, session: &Session) -> Option<HashMap<Option<Configuration>, Outcome>> {
    let mut found = None;
    let mut interruptions: HashMap<Option<Configuration>, usize> = HashMap::new();
    for entry in lines::read::<Entry>(path, |_| true) {
        match entry {
            Entry::Session(other) => {
                found = (other == *session).then(HashMap::new);
                interruptions.clear();
            }
            Entry::Trying(configuration) => *interruptions.entry(configuration).or_default() += 1,
            Entry::Tried { configuration, outcome } => {
                interruptions.remove(&configuration);
                found.as_mut().map(|known| known.insert(configuration, outcome));
            }
            Entry::Done => found = None,
        }
    }
    let stopped = interruptions.into_iter().filter(|(_, times)| *times >= MAX_INTERRUPTIONS);
    let outcome = || Outcome::failed(Invalidity::Runtime, "it interrupted the search each time that it was tried");
    found.as_mut()?.extend(stopped.map(|(configuration, _)| (configuration, outcome())));
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use affinimath::ScalarKind;
    use affinimath_tuner::tuned::{KernelFamily, ShapeClass};

    use super::*;

    fn session(sizes: &[usize]) -> Session {
        Session {
            library: "0.1.0".to_owned(),
            device: "example".to_owned(),
            driver: "1".to_owned(),
            subject: Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::S, class: ShapeClass::Large },
            sizes: sizes.to_vec(),
        }
    }

    fn point(value: usize) -> Option<Configuration> {
        Some(Configuration::new([("tile", value)]))
    }

    /// A search that is stopped after any byte is taken up with all that it had measured, and no more.
    #[test]
    fn a_journal_that_ends_anywhere_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal").join("search.jsonl");
        let mut journal = Journal::open_at(path.clone(), &session(&[64]), false).unwrap();
        for value in [1, 2] {
            journal.trying(point(value).as_ref()).unwrap();
            let outcome = Outcome { timestamp: 7, ..Outcome::failed(Invalidity::Compile, "no") };
            journal.tried(point(value).as_ref(), &outcome).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
        for length in first..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut resumed = Journal::open_at(path.clone(), &session(&[64]), true).unwrap();
            // A line that lacks only its end is whole.
            let text = String::from_utf8_lossy(&whole[..length]).into_owned();
            let tried = text.lines().filter(|line| line.contains("tried") && line.ends_with("}}}")).count();
            assert_eq!(resumed.measured(), tried, "cut to {length} bytes");
            resumed.tried(point(3).as_ref(), &Outcome::failed(Invalidity::Compile, "no")).unwrap();
            let again = Journal::open_at(path.clone(), &session(&[64]), true).unwrap();
            assert_eq!(again.measured(), tried + 1, "cut to {length} bytes");
        }
    }

    #[test]
    fn another_search_and_one_that_ended_are_not_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search.jsonl");
        let mut journal = Journal::open_at(path.clone(), &session(&[64]), false).unwrap();
        journal.tried(None, &Outcome::failed(Invalidity::Compile, "no")).unwrap();
        assert!(interrupted(&path, &session(&[128])).is_none());
        assert_eq!(interrupted(&path, &session(&[64])).unwrap().len(), 1);
        journal.done().unwrap();
        assert!(interrupted(&path, &session(&[64])).is_none());
        assert_eq!(Journal::open_at(path, &session(&[64]), true).unwrap().measured(), 0);
    }

    #[test]
    fn what_interrupts_a_search_twice_is_avoided() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search.jsonl");
        Journal::open_at(path.clone(), &session(&[64]), false).unwrap().trying(point(5).as_ref()).unwrap();
        let resumed = Journal::open_at(path.clone(), &session(&[64]), true).unwrap();
        assert_eq!(resumed.outcome(point(5).as_ref()), None, "it may have been stopped by hand");
        resumed.trying(point(5).as_ref()).unwrap();
        let resumed = Journal::open_at(path, &session(&[64]), true).unwrap();
        assert_eq!(resumed.outcome(point(5).as_ref()).unwrap().invalidity, Invalidity::Runtime);
    }
}
