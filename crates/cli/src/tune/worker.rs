//! The process that measures. It ends with its input, and when a measurement takes too long.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use affinimath::{Device, DeviceContext, Error};
use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome, now};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::Tuned;

use super::messages::{Incumbent, Job, Reply, Request, Work};
use super::workload::{self, Workload};

/// Rounds of a trial, and of a race.
const ROUNDS: usize = 3;
const RACE_ROUNDS: usize = 7;
/// A round's least duration.
const MIN_ROUND: Duration = Duration::from_millis(20);
/// The slowdown against the fastest so far from which parameters are dropped after their first round.
const CLEARLY_SLOWER: f64 = 1.3;

/// Answers the questions on the standard input.
pub fn run() -> Result<(), Failure> {
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let job: Job = match lines.next() {
        Some(line) => serde_json::from_str(&line).map_err(|error| Failure(error.to_string()))?,
        None => return Ok(()),
    };
    let mut bench = match Bench::new(job) {
        Ok(bench) => bench,
        Err(error) => return reply(&Reply::Refused(error.to_string())),
    };
    reply(&Reply::Ready)?;
    for line in lines {
        let request: Request = serde_json::from_str(&line).map_err(|error| Failure(error.to_string()))?;
        let answer = match request {
            Request::Trial { configuration, incumbent } => Reply::Trial(bench.trial(configuration, incumbent)),
            Request::Race { contenders } => Reply::Race(bench.race(&contenders)),
        };
        bench.watch.end();
        reply(&answer)?;
    }
    Ok(())
}

fn reply(reply: &Reply) -> Result<(), Failure> {
    let text = serde_json::to_string(reply).map_err(|error| Failure(error.to_string()))?;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(|error| Failure(error.to_string()))
}

/// Ends the process when a measurement takes too long: the one that searches may be gone, and cannot do it.
struct Watch {
    start: Instant,
    /// Milliseconds from the start to that of the measurement, and 1; 0 between measurements.
    since: Arc<AtomicU64>,
}

impl Watch {
    fn start(limit: Duration) -> Self {
        let watch = Watch { start: Instant::now(), since: Arc::default() };
        let (start, since) = (watch.start, watch.since.clone());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let since = since.load(Ordering::Relaxed);
                let running = start.elapsed().saturating_sub(Duration::from_millis(since));
                // The other process comes first, and knows what it was.
                if since != 0 && running > limit + Duration::from_secs(5) {
                    std::process::exit(1);
                }
            }
        });
        watch
    }

    fn begin(&self) {
        self.since.store(self.start.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
    }

    fn end(&self) {
        self.since.store(0, Ordering::Relaxed);
    }
}

struct Bench {
    context: Arc<DeviceContext>,
    workload: Box<dyn Workload>,
    watch: Watch,
    job: Job,
}

impl Bench {
    fn new(job: Job) -> affinimath::Result<Self> {
        let device = &Device::all()?[job.device];
        let context = DeviceContext::for_device(device)?;
        let workload = match &job.work {
            Work::Kernels { subject, sizes } => {
                // The reference is computed with default parameters, and so are first runs.
                Tuned::of_context(&context).set(*subject, None);
                workload::new(device, subject, sizes)?
            }
            Work::Stencil { text, problems, schedule } => {
                Box::new(workload::stencil::Steps::new(&context, text, problems, schedule.as_deref())?)
            }
            Work::Launch(work) => Box::new(workload::launch::Launches::new(&context, work)?),
        };
        let watch = Watch::start(Duration::from_secs_f64(job.limit));
        Ok(Bench { context, workload, watch, job })
    }

    /// Computes with these parameters from now on.
    fn take(&mut self, configuration: &Option<Configuration>) -> affinimath::Result<()> {
        self.watch.begin();
        if let Work::Kernels { subject, .. } = &self.job.work {
            Tuned::of_context(&self.context).set(*subject, configuration.clone());
        }
        self.workload.prepare(configuration.as_ref())
    }

    fn trial(&mut self, configuration: Option<Configuration>, incumbent: Option<Incumbent>) -> Outcome {
        let mut outcome = Outcome {
            invalidity: Invalidity::Correct,
            seconds: None,
            runtimes: Vec::new(),
            compilation: 0.0,
            validation: 0.0,
            message: None,
            timestamp: now(),
        };
        if let Err(error) = self.measure(&configuration, incumbent.as_ref(), &mut outcome) {
            outcome.invalidity = match error {
                Error::ProgramBuild { .. } => Invalidity::Compile,
                _ => Invalidity::Runtime,
            };
            outcome.message = Some(error.to_string());
            outcome.seconds = None;
        }
        outcome
    }

    fn measure(
        &mut self,
        configuration: &Option<Configuration>,
        incumbent: Option<&Incumbent>,
        outcome: &mut Outcome,
    ) -> affinimath::Result<()> {
        let start = Instant::now();
        self.take(configuration)?;
        // The first run builds programs; some drivers compile at the first launch of a size.
        for case in 0..self.workload.cases() {
            self.workload.run(case, 1)?;
        }
        outcome.compilation = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let error = self.workload.error()?;
        outcome.validation = start.elapsed().as_secs_f64();
        // NaN is no small error.
        if error.is_nan() || error > 1.0 {
            outcome.invalidity = Invalidity::Correctness;
            outcome.message = Some(self.workload.wrong(error));
            return Ok(());
        }
        let repetitions = self.repetitions()?;
        outcome.runtimes.push(self.round(&repetitions)?);
        let first = outcome.runtimes[0];
        let slow = incumbent.is_some_and(|incumbent| first > CLEARLY_SLOWER * incumbent.seconds);
        if slow {
            outcome.seconds = Some(first);
            return Ok(());
        }
        let mut others = Vec::new();
        for _ in 1..ROUNDS {
            if let Some(incumbent) = incumbent {
                self.take(&incumbent.configuration)?;
                others.push(self.round(&repetitions)?);
                self.take(configuration)?;
            }
            outcome.runtimes.push(self.round(&repetitions)?);
        }
        // The machine may have become faster or slower since the fastest were measured: what counts is the time beside
        // them.
        let drift = incumbent.map_or(1.0, |incumbent| incumbent.seconds / median(&mut others));
        outcome.seconds = Some(median(&mut outcome.runtimes.clone()) * drift);
        Ok(())
    }

    /// The repetitions of each problem in a round.
    fn repetitions(&mut self) -> affinimath::Result<Vec<u32>> {
        let each = MIN_ROUND / self.workload.cases().max(1) as u32;
        let mut counts = Vec::new();
        for case in 0..self.workload.cases() {
            let mut count = 1;
            loop {
                let start = Instant::now();
                self.workload.run(case, count)?;
                let once = start.elapsed().as_secs_f64() / f64::from(count);
                if start.elapsed() >= each / 4 || count >= 1 << 16 {
                    counts.push((each.as_secs_f64() / once).ceil().clamp(1.0, 1e5) as u32);
                    break;
                }
                count *= 4;
            }
        }
        Ok(counts)
    }

    /// Seconds of a problem: the geometric mean of all of them with their weights.
    fn round(&mut self, repetitions: &[u32]) -> affinimath::Result<f64> {
        let (mut logarithms, mut weights) = (0.0, 0.0);
        for (case, &count) in repetitions.iter().enumerate() {
            // Wakes the device's threads, and brings the operands back into caches.
            self.workload.run(case, 1)?;
            let start = Instant::now();
            self.workload.run(case, count)?;
            let weight = self.workload.weight(case);
            logarithms += weight * (start.elapsed().as_secs_f64() / f64::from(count)).max(1e-12).ln();
            weights += weight;
        }
        Ok((logarithms / weights.max(f64::MIN_POSITIVE)).exp())
    }

    /// Each contender's median time in rounds that all take part in.
    fn race(&mut self, contenders: &[Option<Configuration>]) -> Vec<Option<f64>> {
        let mut rounds: Vec<Option<Vec<f64>>> = vec![Some(Vec::new()); contenders.len()];
        for _ in 0..RACE_ROUNDS {
            for (contender, times) in contenders.iter().zip(&mut rounds) {
                let measured =
                    self.take(contender).and_then(|()| self.repetitions()).and_then(|counts| self.round(&counts));
                match (measured, times.as_mut()) {
                    (Ok(seconds), Some(times)) => times.push(seconds),
                    _ => *times = None,
                }
            }
        }
        rounds.into_iter().map(|times| times.map(|mut times| median(&mut times))).collect()
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    match times.len() {
        0 => f64::INFINITY,
        length if length % 2 == 0 => times[middle - 1].midpoint(times[middle]),
        _ => times[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn a_median_lies_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut []), f64::INFINITY);
    }
}
