//! Libraries of Python as peers, each in an interpreter of its own that stays for all cases.
//!
//! An interpreter runs a [`Python::program`]: `protocol.py`, behind it the libraries of a family. Requests and answers
//! are lines of JSON, which `protocol.py` describes.

mod process;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use affinimath::{DeviceClass, ScalarKind};
use serde_json::{Value, json};

pub use process::{Answer, Process};

use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// It reads a program as the first line of its input, as JSON.
const LOADER: &str = "import json, sys; exec(compile(json.loads(sys.stdin.readline()), 'affinimath-bench', 'exec'))";

/// Interpreters of one library that may end before the library is given up.
const MAX_ENDS: usize = 3;

/// Interpreter, what it runs, and limits.
#[derive(Clone, Debug)]
pub struct Python {
    pub path: PathBuf,
    /// `protocol.py`, what it asks for, and a call of `main`.
    pub program: &'static str,
    /// Longest time of an answer.
    pub limit: Duration,
}

/// A library.
pub struct PythonPeer {
    name: &'static str,
    python: Python,
    /// Name of the GPU; `None` for the host.
    gpu: Option<String>,
    process: RefCell<Option<Process>>,
    ends: RefCell<usize>,
    facts: ContenderFacts,
}

/// Libraries that were asked for.
pub struct Peers {
    /// Those that are there.
    pub libraries: Vec<PythonPeer>,
    /// The others, with the reason of each.
    pub notes: Vec<String>,
}

impl Peers {
    /// None.
    pub const fn none() -> Self {
        Peers { libraries: Vec::new(), notes: Vec::new() }
    }

    /// Starts an interpreter for each library.
    pub fn start(python: &Python, names: &[&'static str], target: &Target) -> Self {
        let gpu = target.info().filter(|facts| facts.class != DeviceClass::Cpu).map(|facts| facts.name.clone());
        let mut peers = Peers::none();
        // All of them import their library at the same time.
        let started: Vec<_> = names.iter().map(|name| PythonPeer::start(python, name, gpu.as_deref())).collect();
        for (name, peer) in names.iter().zip(started) {
            match peer.and_then(PythonPeer::meet) {
                Ok(peer) => peers.libraries.push(peer),
                Err(reason) => peers.notes.push(format!("without {name}: {reason}")),
            }
        }
        peers
    }

    /// Their descriptions in reports.
    pub fn facts(&self) -> Vec<ContenderFacts> {
        self.libraries.iter().map(|peer| peer.facts.clone()).collect()
    }
}

impl PythonPeer {
    fn start(python: &Python, name: &'static str, gpu: Option<&str>) -> Result<Self, String> {
        let memory = if gpu.is_some() { MemoryChoice::Device } else { MemoryChoice::Host };
        let path = Some(python.path.clone());
        let peer = PythonPeer {
            name,
            python: python.clone(),
            gpu: gpu.map(str::to_owned),
            process: RefCell::new(None),
            ends: RefCell::new(0),
            facts: ContenderFacts { name: name.to_owned(), version: None, threads: None, path, memory },
        };
        *peer.process.borrow_mut() = Some(peer.interpreter(&[])?);
        Ok(peer)
    }

    /// An interpreter that has been asked for the library, with further environment variables.
    fn interpreter(&self, environment: &[(&str, PathBuf)]) -> Result<Process, String> {
        let mut command = Command::new(&self.python.path);
        command.args(["-c", LOADER]).envs(environment.iter().map(|(name, value)| (name, value)));
        let shown = self.python.path.display();
        let mut process = Process::start(command).map_err(|error| format!("'{shown}' cannot be started: {error}"))?;
        process.tell(&json!(self.python.program));
        process.tell(&json!({ "hello": { "peer": self.name, "gpu": self.gpu } }));
        Ok(process)
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Waits until the library is imported.
    fn meet(mut self) -> Result<Self, String> {
        let limit = self.python.limit;
        let answer =
            self.process.get_mut().as_mut().map_or_else(|| Ok(Answer::Ready), |process| process.answer(limit))?;
        let (version, threads) = hello(answer)?;
        self.facts.version = Some(version);
        self.facts.threads = threads;
        Ok(self)
    }

    /// An answer of the interpreter, which is started again if the last one has ended.
    fn ask(&self, request: &Value) -> Result<Answer, BenchError> {
        let unfit = |reason: String| BenchError::Unfit(format!("{}: {reason}", self.name));
        let mut process = self.process.borrow_mut();
        let running = match &mut *process {
            Some(running) => running,
            none if *self.ends.borrow() < MAX_ENDS => {
                let mut started = self.interpreter(&[]).map_err(unfit)?;
                hello(started.answer(self.python.limit).map_err(unfit)?).map_err(unfit)?;
                none.insert(started)
            }
            _ => return Err(unfit(format!("it is left out, as it ended {MAX_ENDS} times"))),
        };
        running.tell(request);
        match running.answer(self.python.limit) {
            Ok(Answer::Failure(reason)) => Err(unfit(reason)),
            Ok(answer) => Ok(answer),
            Err(reason) => {
                *process = None;
                *self.ends.borrow_mut() += 1;
                Err(unfit(reason))
            }
        }
    }

    fn unexpected(&self, answer: &Answer) -> BenchError {
        BenchError::Unfit(format!("{}: its answer is another one than asked for: {answer:?}", self.name))
    }

    /// The library on a case, which a request prepares; `bound` is that of its error.
    pub fn entrant(&self, case: &Value, bound: f64) -> Entrant<'_> {
        match self.ask(&json!({ "prepare": case }))? {
            Answer::Ready => Ok(Box::new(Prepared { peer: self, bound })),
            other => Err(self.unexpected(&other)),
        }
    }

    /// The first call in a new interpreter, whose caches are in a folder.
    ///
    /// # Errors
    /// Why there is none.
    pub fn first_call(
        &self,
        case: &Value,
        bound: f64,
        caches: &[(&str, PathBuf)],
    ) -> Result<(Duration, Accuracy), BenchError> {
        let unfit = |reason: String| BenchError::Unfit(format!("{}: {reason}", self.name));
        let mut process = self.interpreter(caches).map_err(unfit)?;
        let mut ask = |request: Option<Value>| {
            if let Some(request) = request {
                process.tell(&request);
            }
            match process.answer(self.python.limit).map_err(unfit)? {
                Answer::Failure(reason) => Err(unfit(reason)),
                answer => Ok(answer),
            }
        };
        ask(None)?;
        ask(Some(json!({ "prepare": case })))?;
        match (ask(Some(json!({ "run": 1 })))?, ask(Some(json!("check")))?) {
            (Answer::Seconds(seconds), Answer::Error(error)) => Ok((duration(seconds), accuracy(error, bound))),
            (_, other) => Err(self.unexpected(&other)),
        }
    }
}

fn hello(answer: Answer) -> Result<(String, Option<usize>), String> {
    match answer {
        Answer::Hello { version, threads } => Ok((version, threads)),
        Answer::Failure(reason) => Err(reason),
        other => Err(format!("its answer is another one than asked for: {other:?}")),
    }
}

/// The name of a type in requests.
pub const fn element(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::S => "float32",
        ScalarKind::D => "float64",
        ScalarKind::C => "complex64",
        ScalarKind::Z => "complex128",
    }
}

/// The error that a process tells; none is that of results that are no numbers.
pub fn accuracy(error: Option<f64>, bound: f64) -> Accuracy {
    Accuracy { error: error.unwrap_or(f64::NAN), bound }
}

/// A time that a process tells, whatever it is.
pub fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

struct Prepared<'a> {
    peer: &'a PythonPeer,
    bound: f64,
}

impl Contender for Prepared<'_> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        match self.peer.ask(&json!({ "run": repetitions }))? {
            Answer::Seconds(seconds) => Ok(duration(seconds)),
            other => Err(self.peer.unexpected(&other)),
        }
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        match self.peer.ask(&json!("check"))? {
            Answer::Error(error) => Ok(accuracy(error, self.bound)),
            other => Err(self.peer.unexpected(&other)),
        }
    }
}
