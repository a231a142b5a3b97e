//! Processes that answer requests, one line of JSON each.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// Time in which the last words of a process come out of its pipe.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Characters of an answer that a message shows.
const SHOWN: usize = 60;

/// An answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The library is there.
    Hello { version: String, threads: Option<usize> },
    /// The operands of a case are in its memory.
    Ready,
    /// The time of the calls.
    Seconds(f64),
    /// The error of the results; null where they are not finite.
    Error(Option<f64>),
    /// The time of a first call, and the error of its results.
    First { seconds: f64, error: Option<f64> },
    /// The request cannot be done, for a reason.
    Failure(String),
}

/// A running process.
pub struct Process {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    last_words: Arc<Mutex<String>>,
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// When there is no such program.
    pub fn start(mut command: Command) -> std::io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Processes that it starts end with it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in output.into_iter().flat_map(lines) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let last_words = Arc::new(Mutex::new(String::new()));
        let heard = last_words.clone();
        thread::spawn(move || {
            for line in errors.into_iter().flat_map(lines).filter(|line| !line.trim_ascii().is_empty()) {
                *heard.lock().unwrap_or_else(PoisonError::into_inner) = readable(&line);
            }
        });
        let requests = child.stdin.take();
        Ok(Process { child, requests, answers, last_words })
    }

    /// Writes a line. A process that has ended is found by the next [`Self::answer`].
    pub fn tell(&mut self, request: &Value) {
        if let Some(requests) = &mut self.requests
            && writeln!(requests, "{request}").and_then(|()| requests.flush()).is_err()
        {
            self.requests = None;
        }
    }

    /// The next answer, within `limit`.
    ///
    /// # Errors
    /// Why there is none: the process must not be asked again.
    pub fn answer(&mut self, limit: Duration) -> Result<Answer, String> {
        match self.answers.recv_timeout(limit) {
            Ok(line) => serde_json::from_slice(&line)
                .map_err(|_| format!("its answer is not understood: '{}'", readable(&line))),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("it gave no answer within {} s (--limit allows more)", limit.as_secs_f64()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ending()),
        }
    }

    /// How the process ended, and what it said last.
    fn ending(&mut self) -> String {
        thread::sleep(LAST_WORDS);
        let how = match self.child.try_wait() {
            Ok(Some(status)) => format!("it ended ({status})"),
            _ => "it closed its output".to_owned(),
        };
        let said = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_empty() { how } else { format!("{how}: {said}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        if let Ok(group) = libc::pid_t::try_from(self.child.id()) {
            // SAFETY: the child leads a group of its own. Nobody else has its number, as it is waited for below.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.child.wait();
    }
}

/// The lines of a pipe, whatever bytes they are made of.
fn lines(pipe: impl Read) -> impl Iterator<Item = Vec<u8>> {
    BufReader::new(pipe).split(b'\n').map_while(Result::ok)
}

/// The beginning of a line as text.
fn readable(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn shell(text: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        Process::start(command).unwrap()
    }

    #[test]
    fn answers_are_lines_of_json() {
        let mut process = shell("while read line; do echo \"$line\"; done");
        for (request, answer) in [
            (json!("ready"), Answer::Ready),
            (json!({ "seconds": 0.5 }), Answer::Seconds(0.5)),
            (json!({ "error": null }), Answer::Error(None)),
            (json!({ "failure": "no GPU" }), Answer::Failure("no GPU".to_owned())),
            (
                json!({ "hello": { "version": "2.0", "threads": null } }),
                Answer::Hello { version: "2.0".to_owned(), threads: None },
            ),
        ] {
            process.tell(&request);
            assert_eq!(process.answer(LIMIT), Ok(answer));
        }
    }

    #[test]
    fn a_process_that_talks_nonsense_ends_or_hangs_is_told_apart() {
        let mut nonsense = shell("echo '{\"seconds\": x'");
        assert_eq!(nonsense.answer(LIMIT).unwrap_err(), "its answer is not understood: '{\"seconds\": x'");
        let mut ended = shell("echo first >&2; echo no such module >&2; exit 3");
        ended.tell(&json!("check"));
        assert_eq!(ended.answer(LIMIT).unwrap_err(), "it ended (exit status: 3): no such module");
        let start = Instant::now();
        let mut hangs = shell("sleep 1000 & sleep 1000");
        let message = hangs.answer(Duration::from_millis(50)).unwrap_err();
        assert!(message.starts_with("it gave no answer within 0.05 s"), "{message}");
        drop(hangs);
        assert!(start.elapsed() < LIMIT);
    }
}
