//! The other end of the process that measures: it is started, asked, given up when it takes too long, and started
//! again.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use affinimath_bench::{Failure, drivers};
use affinimath_tuner::exchange::{Invalidity, Outcome};
use affinimath_tuner::space::Configuration;

use super::messages::{Incumbent, Job, Reply, Request};

/// Time limit for making the problems.
const SETUP: Duration = Duration::from_secs(300);

/// Measures in a process of its own, so that parameters that hang or end it do no harm.
pub struct Bencher {
    job: Job,
    /// The process's program and its arguments.
    program: Vec<OsString>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    replies: Receiver<Reply>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why there was no answer.
enum Silence {
    TooLong,
    Ended,
}

impl Bencher {
    /// One that runs this program's worker.
    ///
    /// # Errors
    /// When this program's file is not known.
    pub fn new(job: Job) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| not_started(&error))?;
        Ok(Self::with_program(job, vec![program.into(), "tune".into(), "--worker".into()]))
    }

    const fn with_program(job: Job, program: Vec<OsString>) -> Self {
        Bencher { job, program, running: None }
    }

    /// Measures parameters.
    ///
    /// # Errors
    /// When no process can be started, or the problems cannot be made: with any parameters.
    pub fn trial(
        &mut self,
        configuration: Option<&Configuration>,
        incumbent: Option<Incumbent>,
    ) -> Result<Outcome, Failure> {
        let request = Request::Trial { configuration: configuration.cloned(), incumbent };
        match self.ask(&request, 1)? {
            Ok(Reply::Trial(outcome)) => Ok(outcome),
            Ok(_) => Err(Failure("the measuring process answered another question".to_owned())),
            Err(Silence::TooLong) => {
                let reason = format!("it took longer than {} s", self.job.limit);
                Ok(Outcome::failed(Invalidity::Timeout, reason))
            }
            Err(Silence::Ended) => Ok(Outcome::failed(Invalidity::Runtime, "it ended the process")),
        }
    }

    /// Measures parameters in turn: their times, `None` for those that failed.
    ///
    /// # Errors
    /// As [`Bencher::trial`].
    pub fn race(&mut self, contenders: Vec<Option<Configuration>>) -> Result<Vec<Option<f64>>, Failure> {
        let count = contenders.len();
        match self.ask(&Request::Race { contenders }, count as u32)? {
            Ok(Reply::Race(times)) if times.len() == count => Ok(times),
            _ => Ok(vec![None; count]),
        }
    }

    /// Asks, and waits at most for the time limit of these measurements.
    fn ask(&mut self, request: &Request, measurements: u32) -> Result<Result<Reply, Silence>, Failure> {
        let limit = Duration::from_secs_f64(self.job.limit) * measurements;
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        if send(&mut running.input, request).is_err() {
            return Ok(Err(Silence::Ended));
        }
        match running.replies.recv_timeout(limit) {
            Ok(reply) => {
                self.running = Some(running);
                Ok(Ok(reply))
            }
            Err(RecvTimeoutError::Timeout) => Ok(Err(Silence::TooLong)),
            Err(RecvTimeoutError::Disconnected) => Ok(Err(Silence::Ended)),
        }
    }

    /// Starts the process, and waits until its problems are there.
    fn start(&self) -> Result<Running, Failure> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        drivers::pass_on(&mut command);
        if std::env::var_os("AFFINIMATH_LOG").is_none() {
            // Some compilers' warnings would break the progress bar.
            command.stderr(Stdio::null());
        }
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure("the measuring process has no pipes".to_owned()));
        };
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Drivers may print lines of their own.
                if let Ok(reply) = serde_json::from_str(&line)
                    && sender.send(reply).is_err()
                {
                    break;
                }
            }
        });
        let mut running = Running { child, input, replies };
        send(&mut running.input, &self.job).map_err(|error| not_started(&error))?;
        match running.replies.recv_timeout(SETUP) {
            Ok(Reply::Ready) => Ok(running),
            Ok(Reply::Refused(reason)) => Err(Failure(format!("the measuring process: {reason}"))),
            _ => Err(Failure("the measuring process did not come up".to_owned())),
        }
    }
}

fn not_started(error: &std::io::Error) -> Failure {
    Failure(format!("the measuring process cannot be started: {error}"))
}

fn send(input: &mut ChildStdin, message: &impl serde::Serialize) -> std::io::Result<()> {
    writeln!(input, "{}", serde_json::to_string(message)?)?;
    input.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use affinimath::ScalarKind;
    use affinimath_tuner::tuned::{KernelFamily, ShapeClass, Subject};
    use affinimath_tuner::tuner::Objective;

    use super::*;

    /// A process that is there at once, and then does this for each question.
    fn bencher(script: &str) -> Bencher {
        let subject = Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::S, class: ShapeClass::Small };
        let work = super::super::messages::Work::Kernels { subject, sizes: vec![64] };
        let job = Job { device: 0, work, limit: 0.5, objective: Objective::Time };
        let script =
            format!("read job; echo 'a line of a driver'; echo '\"ready\"'; while read question; do {script}; done");
        Bencher::with_program(job, vec!["sh".into(), "-c".into(), script.into()])
    }

    const ANSWER: &str =
        r#"{"trial":{"invalidity":"correct","seconds":0.5,"runtimes":[0.5],"compilation":1,"validation":1}}"#;

    #[test]
    fn an_answer_is_an_outcome() {
        let mut bencher = bencher(&format!("echo '{ANSWER}'"));
        for _ in 0..3 {
            assert_eq!(bencher.trial(None, None).unwrap().seconds, Some(0.5));
        }
    }

    #[test]
    fn parameters_that_hang_are_given_up_and_the_next_ones_measured() {
        let mut bencher = bencher(&format!("case $question in *tile*) exec sleep 60;; *) echo '{ANSWER}';; esac"));
        let hanging = Configuration::new([("tile", 1)]);
        assert_eq!(bencher.trial(Some(&hanging), None).unwrap().invalidity, Invalidity::Timeout);
        assert_eq!(bencher.trial(None, None).unwrap().invalidity, Invalidity::Correct);
        assert_eq!(bencher.race(vec![None, Some(hanging)]).unwrap(), [None, None]);
    }

    #[test]
    fn parameters_that_end_the_process_are_given_up_and_the_next_ones_measured() {
        let mut bencher = bencher(&format!("case $question in *tile*) exit 9;; *) echo '{ANSWER}';; esac"));
        let deadly = Configuration::new([("tile", 1)]);
        assert_eq!(bencher.trial(Some(&deadly), None).unwrap().invalidity, Invalidity::Runtime);
        assert_eq!(bencher.trial(None, None).unwrap().invalidity, Invalidity::Correct);
    }

    #[test]
    fn problems_that_cannot_be_made_are_an_error() {
        let mut bencher = bencher("true");
        bencher.program[2] = "read job; echo '{\"refused\":\"no memory\"}'".into();
        assert_eq!(bencher.trial(None, None).unwrap_err().0, "the measuring process: no memory");
    }
}
