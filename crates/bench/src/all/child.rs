//! A family in a process of its own: what it tells, and how it ends. A driver or a library that ends the process ends
//! one family's.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::events::Event;

/// How often is looked whether it should stop.
const GLANCE: Duration = Duration::from_millis(100);

/// The last lines of its errors that are kept.
const LINES: usize = 8;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It said everything.
    Done,
    /// It was stopped by the user.
    Stopped,
    /// It was stopped after its time.
    TooLong,
    /// It ended without having said so: how, and what it said last.
    Died(String),
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines of a pipe, whatever bytes they are made of: one that is not read to its end stops who writes into it.
fn lines(pipe: impl Read) -> impl Iterator<Item = Vec<u8>> {
    BufReader::new(pipe).split(b'\n').map_while(Result::ok)
}

/// What a process says of its errors, as far as its last lines go.
struct LastWords {
    said: Arc<Mutex<VecDeque<String>>>,
    listener: JoinHandle<()>,
}

impl LastWords {
    /// Those that will come out of a pipe.
    fn of(pipe: Option<impl Read + Send + 'static>) -> Self {
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let heard = said.clone();
        let listener = std::thread::spawn(move || {
            for line in pipe.into_iter().flat_map(lines) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.push_back(String::from_utf8_lossy(&line).into_owned());
                if heard.len() > LINES {
                    heard.pop_front();
                }
            }
        });
        LastWords { said, listener }
    }

    /// All of them in one line, when the process has ended.
    fn wait(self) -> String {
        let _ = self.listener.join();
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Runs it and hands over what it tells, until it ends, or `stops`, or the time is over.
///
/// # Errors
/// When the process cannot be started.
pub fn follow(
    mut command: Command,
    limit: Duration,
    stops: impl Fn() -> bool,
    mut heard: impl FnMut(Event),
) -> std::io::Result<Ending> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A terminal's interrupt is for us: what was measured until then is still to be written.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let mut running = Running(child);
    let (sender, events) = channel();
    std::thread::spawn(move || {
        for line in output.into_iter().flat_map(lines) {
            // Drivers may print lines of their own.
            if let Ok(event) = serde_json::from_slice::<Event>(&line)
                && sender.send(event).is_err()
            {
                break;
            }
        }
    });
    let last_words = LastWords::of(errors);
    let start = Instant::now();
    let mut last = None;
    loop {
        match events.recv_timeout(GLANCE) {
            Ok(event) => {
                last = Some(matches!(event, Event::End | Event::Refused { .. }));
                heard(event);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stops() {
            return Ok(Ending::Stopped);
        }
        if start.elapsed() > limit {
            return Ok(Ending::TooLong);
        }
    }
    let status = running.0.wait()?;
    if last == Some(true) {
        return Ok(Ending::Done);
    }
    let words = last_words.wait();
    Ok(Ending::Died(if words.is_empty() { status.to_string() } else { format!("{status}: {words}") }))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn turn(case: &str) -> String {
        let event = Event::Turn { case: case.to_owned(), contender: "ours".to_owned() };
        format!("echo '{}'; ", serde_json::to_string(&event).unwrap())
    }

    fn end() -> String {
        format!("echo '{}'; ", serde_json::to_string(&Event::End).unwrap())
    }

    #[test]
    fn events_are_heard_and_other_lines_are_not() {
        let mut heard = Vec::new();
        let script = turn("a") + r"printf 'a driver \377\n'; " + &turn("b") + &end();
        let ending = follow(shell(&script), LONG, || false, |event| heard.push(format!("{event:?}"))).unwrap();
        assert_eq!((ending, heard.len()), (Ending::Done, 3));
        assert!(heard[1].contains("\"b\""));
    }

    #[test]
    fn a_process_that_dies_tells_how_and_what_it_said() {
        let script = turn("a") + "echo sorry >&2; kill -9 $$";
        let Ending::Died(how) = follow(shell(&script), LONG, || false, |_| {}).unwrap() else { panic!("it lives") };
        assert!(how.contains("signal: 9") && how.ends_with("sorry"), "{how}");
    }

    #[test]
    fn a_process_is_stopped_by_the_user_and_after_its_time() {
        let sleep = turn("a") + "exec sleep 600";
        assert_eq!(follow(shell(&sleep), LONG, || true, |_| {}).unwrap(), Ending::Stopped);
        assert_eq!(follow(shell(&sleep), Duration::ZERO, || false, |_| {}).unwrap(), Ending::TooLong);
        assert!(follow(Command::new("/no/such/program"), LONG, || false, |_| {}).is_err());
    }
}
