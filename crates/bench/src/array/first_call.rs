//! First calls, each in a process of its own, with caches of its own on disk.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, fs, io, process};

use super::case::{Cache, Case};
use super::peers::{bound_of, request};
use crate::contender::Accuracy;
use crate::drivers;
use crate::error::BenchError;
use crate::python::{Answer, Peers, Process, accuracy, duration};
use crate::runner::Measurement;
use crate::session::Measured;

/// Variables with a folder of compiled programs: ours, and those of drivers and of the libraries.
const FOLDERS: [&str; 7] = [
    "AFFINIMATH_CACHE_DIR",
    "CUDA_CACHE_PATH",
    "POCL_CACHE_DIR",
    "CUPY_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
    "JAX_COMPILATION_CACHE_DIR",
];

/// Variables with which JAX caches programs whose compilation is short or whose code is small, too.
const WITHOUT_THRESHOLD: [(&str, &str); 2] =
    [("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0"), ("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")];

/// Processes of each library: they take seconds.
const MAX_ROUNDS: usize = 3;

/// A folder of caches, removed in the end.
struct Caches(PathBuf);

impl Caches {
    fn new() -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("affinimath-bench-{}-{number}", process::id()));
        // The program cache passes over folders that others may write to.
        let create = |path: &Path| fs::DirBuilder::new().mode(0o700).create(path);
        create(&folder)?;
        let caches = Caches(folder);
        FOLDERS.iter().try_for_each(|name| create(&caches.0.join(name)))?;
        Ok(caches)
    }

    fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let folders = FOLDERS.iter().map(|name| (*name, self.0.join(name)));
        folders.chain(WITHOUT_THRESHOLD.map(|(name, value)| (name, value.into()))).collect()
    }
}

impl Drop for Caches {
    fn drop(&mut self) {
        // Nothing is lost by what stays in the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The processes of a measurement.
pub struct FirstCalls<'a> {
    pub case: &'a Case,
    /// The option `--device`.
    pub device: &'a str,
    /// Longest time of a process of ours.
    pub limit: Duration,
    pub peers: &'a Peers,
}

impl FirstCalls<'_> {
    /// Times first calls of our library and of the peers, in turn.
    ///
    /// # Errors
    /// A folder of temporary files that cannot be made.
    pub fn measure(&self, rounds: usize, turn: &mut dyn FnMut(usize)) -> Measured {
        let contenders = 1 + self.peers.libraries.len();
        let mut measured: Vec<Result<Measurement, BenchError>> = Vec::new();
        let mut warm = Vec::new();
        for index in 0..contenders {
            turn(index);
            let caches = new_caches()?;
            let first = match self.case.cache {
                // It fills the caches, and is not counted.
                Some(Cache::Warm) => self.call(index, &caches).map(|(_, accuracy)| self.measurement(accuracy)),
                _ => Ok(self.measurement(Accuracy { error: 0.0, bound: 0.0 })),
            };
            measured.push(first);
            warm.push(caches);
        }
        for _ in 0..rounds.min(MAX_ROUNDS) {
            for (index, (measured, caches)) in measured.iter_mut().zip(&mut warm).enumerate() {
                let Ok(measurement) = measured else { continue };
                turn(index);
                if self.case.cache != Some(Cache::Warm) {
                    *caches = new_caches()?;
                }
                match self.call(index, caches) {
                    Ok((time, accuracy)) => {
                        measurement.rounds.push(time.as_secs_f64());
                        (measurement.first_call, measurement.accuracy) = (measurement.rounds[0], accuracy);
                    }
                    Err(error) => *measured = Err(error),
                }
            }
        }
        Ok(measured)
    }

    const fn measurement(&self, accuracy: Accuracy) -> Measurement {
        Measurement { first_call: 0.0, repetitions: 1, rounds: Vec::new(), accuracy, copy_rate: None }
    }

    /// A first call of a contender in a new process.
    fn call(&self, index: usize, caches: &Caches) -> Result<(Duration, Accuracy), BenchError> {
        match index.checked_sub(1) {
            None => self.own_call(caches),
            Some(peer) => {
                let (request, bound) = (request(self.case), bound_of(self.case));
                self.peers.libraries[peer].first_call(&request, bound, &caches.environment())
            }
        }
    }

    fn own_call(&self, caches: &Caches) -> Result<(Duration, Accuracy), BenchError> {
        let failed = |reason: String| BenchError::Failed(format!("a process of the first call: {reason}"));
        let program = env::current_exe().map_err(|error| failed(error.to_string()))?;
        let mut command = Command::new(program);
        let types = self.case.kind.letter().to_ascii_lowercase().to_string();
        command.args(["bench", "array", "--once", "--device", self.device, "--types", &types]);
        drivers::pass_on(&mut command);
        command.env_remove("AFFINIMATH_CACHE").envs(caches.environment());
        let mut process = Process::start(command).map_err(|error| failed(error.to_string()))?;
        match process.answer(self.limit).map_err(failed)? {
            Answer::First { seconds, error } => Ok((duration(seconds), accuracy(error, bound_of(self.case)))),
            other => Err(failed(format!("its answer is another one than asked for: {other:?}"))),
        }
    }
}

fn new_caches() -> Result<Caches, BenchError> {
    let unwritable = |error: io::Error| BenchError::Write { path: env::temp_dir(), reason: error.to_string() };
    Caches::new().map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_private_and_do_not_stay() {
        use std::os::unix::fs::PermissionsExt;

        let caches = Caches::new().unwrap();
        let folders = caches.environment();
        assert_eq!(folders.len(), FOLDERS.len() + WITHOUT_THRESHOLD.len());
        let mode = fs::metadata(&folders[0].1).unwrap().permissions().mode();
        assert_eq!(mode & 0o77, 0);
        let folder = caches.0.clone();
        drop(caches);
        assert!(!folder.exists());
    }
}
