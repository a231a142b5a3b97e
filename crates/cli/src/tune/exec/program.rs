//! A run of a candidate: a process of its own, which may hang, crash and print anything.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use affinimath_bench::{Failure, drivers};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuner::{Measurement, Objective, Workload};

use super::ranges::Template;

/// Bytes of a program's output that are kept: the last ones.
const MAX_OUTPUT: usize = 1 << 16;
/// Time in which the last words of a process that has ended come out of its pipe.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Characters of a line that a message shows.
const SHOWN: usize = 80;

/// Where a candidate's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The number on the last line of its standard output.
    LastLine,
    /// The seconds from its start to its end.
    Wall,
}

/// A program with arguments to be found.
pub struct Program<'t> {
    program: &'t str,
    template: &'t Template,
    timing: Timing,
    objective: Objective,
    repeat: u32,
    limit: Duration,
    /// The value and output of the best run.
    best: Option<(f64, String)>,
}

/// A process that has ended.
struct Ended {
    status: ExitStatus,
    seconds: f64,
    output: String,
    errors: String,
}

impl<'t> Program<'t> {
    /// A program whose runs take at most `limit` seconds each.
    pub fn new(
        program: &'t str,
        template: &'t Template,
        timing: Timing,
        objective: Objective,
        repeat: u32,
        limit: f64,
    ) -> Self {
        let limit = Duration::from_secs_f64(limit);
        Program { program, template, timing, objective, repeat, limit, best: None }
    }

    /// The standard output of the best run.
    pub fn best_output(&self) -> Option<&str> {
        self.best.as_ref().map(|(_, output)| output.as_str())
    }

    fn run(&self, arguments: &[String]) -> Result<(f64, String), Measurement> {
        let ended = self.process(arguments)?;
        if !ended.status.success() {
            let how = match ended.status.signal() {
                Some(signal) => format!("it was ended by signal {signal}"),
                None => format!("it ended with exit code {}", ended.status.code().unwrap_or(-1)),
            };
            let said = last_line(&ended.errors).map_or_else(String::new, |line| format!(": {}", shortened(line)));
            return Err(Measurement::Crashed(how + &said));
        }
        let value = match self.timing {
            Timing::Wall => Some(ended.seconds),
            Timing::LastLine => last_line(&ended.output).and_then(number),
        };
        match value.filter(|value| value.is_finite() && *value > 0.0) {
            Some(value) => Ok((value, ended.output)),
            None => Err(Measurement::Wrong(match last_line(&ended.output) {
                Some(line) => format!("its last line has no positive number: '{}'", shortened(line)),
                None => "it printed nothing".to_owned(),
            })),
        }
    }

    /// Runs a process to its end.
    fn process(&self, arguments: &[String]) -> Result<Ended, Measurement> {
        let mut command = Command::new(self.program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        drivers::pass_on(&mut command);
        end_with_this_process(&mut command);
        // A group of its own is killed with all processes that the candidate starts.
        command.process_group(0);
        let start = Instant::now();
        let mut child =
            command.spawn().map_err(|error| Measurement::Crashed(format!("it cannot be started: {error}")))?;
        let (output, errors) = (child.stdout.take().map(captured), child.stderr.take().map(captured));
        let group = libc::pid_t::try_from(child.id());
        let (sender, end) = channel();
        thread::spawn(move || sender.send((child.wait(), start.elapsed())));
        let Ok((status, elapsed)) = end.recv_timeout(self.limit) else {
            if let Ok(group) = group {
                // SAFETY: the child leads a group of its own, and keeps its number until the thread has waited for it.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            let _ = end.recv_timeout(LAST_WORDS);
            return Err(Measurement::TimedOut(format!("it took longer than {} s", self.limit.as_secs_f64())));
        };
        let status = status.map_err(|error| Measurement::Crashed(format!("it cannot be waited for: {error}")))?;
        let text = |captured: Option<std::sync::mpsc::Receiver<Vec<u8>>>| {
            let bytes = captured.and_then(|captured| captured.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(Ended { status, seconds: elapsed.as_secs_f64(), output: text(output), errors: text(errors) })
    }

    fn is_better(&self, value: f64, than: f64) -> bool {
        self.objective.is_better(value, than)
    }
}

impl Workload for Program<'_> {
    fn measure(&mut self, point: &Configuration) -> Measurement {
        let arguments = self.template.fill(point);
        let mut best: Option<f64> = None;
        for _ in 0..self.repeat {
            // A candidate that fails once has failed.
            let (value, output) = match self.run(&arguments) {
                Ok(run) => run,
                Err(failure) => return failure,
            };
            if best.is_none_or(|best| self.is_better(value, best)) {
                best = Some(value);
            }
            if self.best.as_ref().is_none_or(|(best, _)| self.is_better(value, *best)) {
                self.best = Some((value, output));
            }
        }
        best.map_or_else(|| Measurement::Wrong("it did not run".to_owned()), Measurement::Value)
    }
}

/// Has the kernel end a process when this one is killed: nobody would end a candidate that hangs.
fn end_with_this_process(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: between fork and exec, prctl is one system call that neither allocates nor locks.
        unsafe {
            command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// The last bytes of a pipe, once it is closed. The pipe is read meanwhile, so that its writer never waits.
fn captured(mut pipe: impl Read + Send + 'static) -> std::sync::mpsc::Receiver<Vec<u8>> {
    let (sender, captured) = channel();
    thread::spawn(move || {
        let (mut bytes, mut chunk) = (Vec::new(), vec![0; 1 << 13]);
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..count]);
            if bytes.len() > 2 * MAX_OUTPUT {
                bytes.drain(..bytes.len() - MAX_OUTPUT);
            }
        }
        sender.send(bytes)
    });
    captured
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// The last word of a line, or else its only number.
fn number(line: &str) -> Option<f64> {
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    match line.split_whitespace().next_back()?.parse() {
        Ok(value) => Some(value),
        Err(_) => numbers.next().filter(|_| numbers.next().is_none()),
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(SHOWN) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}...", &line[..end]),
    }
}

/// Checks that a program is there, before each candidate fails for want of it.
///
/// # Errors
/// A program that cannot be run.
pub fn find(program: &str) -> Result<(), Failure> {
    let runs = |path: &Path| path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    let found = match program.contains('/') {
        true => runs(Path::new(program)),
        false => {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).map(|folder: PathBuf| folder.join(program)).any(|path| runs(&path))
        }
    };
    match found {
        true => Ok(()),
        false => Err(Failure(format!("there is no program '{program}' that can be run"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(script: &str, timing: Timing, repeat: u32, limit: f64) -> (Measurement, Option<String>) {
        let texts = ["-c".to_owned(), script.to_owned(), "1,2".to_owned()];
        let template = Template::read(&texts).unwrap();
        let mut program = Program::new("sh", &template, timing, Objective::Minimize, repeat, limit);
        let measured = program.measure(&Configuration::new([("$3", 2)]));
        (measured, program.best_output().map(str::to_owned))
    }

    #[test]
    fn the_last_line_has_the_value() {
        let (value, output) = measure("echo 7; echo; echo 1.5E-3; echo", Timing::LastLine, 1, 20.0);
        assert_eq!((value, output.unwrap().lines().count()), (Measurement::Value(1.5e-3), 4));
        assert_eq!(measure("echo time: $0 s", Timing::LastLine, 1, 20.0).0, Measurement::Value(2.0));
        let long = "i=0; while [ $i -lt 9000 ]; do echo a line of a talkative program; i=$((i+1)); done; echo 3";
        assert_eq!(measure(long, Timing::LastLine, 1, 60.0).0, Measurement::Value(3.0));
    }

    #[test]
    fn runs_that_fail_are_told_apart() {
        let told = |script: &str| measure(script, Timing::LastLine, 1, 20.0).0;
        assert_eq!(
            told("echo 1; echo no >&2; exit 3"),
            Measurement::Crashed("it ended with exit code 3: no".to_owned())
        );
        assert_eq!(told("echo 1; kill -SEGV $$"), Measurement::Crashed("it was ended by signal 11".to_owned()));
        assert_eq!(told("true"), Measurement::Wrong("it printed nothing".to_owned()));
        for line in ["fast", "0", "-1", "nan", "inf", "1 of 2 s"] {
            let expected = Measurement::Wrong(format!("its last line has no positive number: '{line}'"));
            assert_eq!(told(&format!("echo {line}")), expected, "{line}");
        }
    }

    #[test]
    fn a_run_that_hangs_is_ended_with_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        let script = format!("(sleep 2; touch {}) & sleep 1000; echo 1", late.display());
        let start = Instant::now();
        let (measured, _) = measure(&script, Timing::LastLine, 1, 0.3);
        assert_eq!(measured, Measurement::TimedOut("it took longer than 0.3 s".to_owned()));
        assert!(start.elapsed() < Duration::from_secs(100));
        thread::sleep(Duration::from_millis(2500));
        assert!(!late.exists(), "its background process lives");
    }

    #[test]
    fn the_wall_time_and_the_best_of_several_runs_count() {
        let (measured, _) = measure("sleep 0.2", Timing::Wall, 1, 60.0);
        assert!(matches!(measured, Measurement::Value(seconds) if (0.2..60.0).contains(&seconds)), "{measured:?}");
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let script = format!("echo x >> {0}; set -- $(wc -l < {0}); echo $((5 - $1))", count.display());
        assert_eq!(measure(&script, Timing::LastLine, 3, 20.0).0, Measurement::Value(2.0));
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        find("sh").unwrap();
        for program in ["no-such-program-anywhere", "/etc/passwd", "/"] {
            assert!(find(program).unwrap_err().0.contains(program));
        }
    }
}
