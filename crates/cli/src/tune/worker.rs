//! The process that measures. It ends with its input, and when a measurement takes too long.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use affinimath::{Device, DeviceContext, Error};
use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome};
use affinimath_tuner::probe::{ENERGY_DURATION, Probe, Probes, Target};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::Tuned;
use affinimath_tuner::tuner::Objective;

use super::messages::{Incumbent, Job, Reply, Request, Work};
use super::workload::{self, Workload};

/// Rounds of a trial, and of a race.
const ROUNDS: usize = 3;
const RACE_ROUNDS: usize = 7;
/// Rounds of a race for energy, each of which takes half a second for each contender.
const ENERGY_ROUNDS: usize = 3;
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
    probes: Probes,
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
        if job.objective == Objective::DeviceTime && !workload.has_device_clock() {
            return Err(Error::argument("the objective", "the driver gives launches no times on the device's clock"));
        }
        let watch = Watch::start(Duration::from_secs_f64(job.limit));
        let wanted: &[Probe] =
            if job.objective.needs_energy() { &[Probe::Counters, Probe::Energy] } else { &[Probe::Counters] };
        let probes = Probes::new(Target::of_device(device), wanted);
        Ok(Bench { context, workload, watch, job, probes })
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
        let mut outcome = Outcome { seconds: None, runtimes: Vec::new(), ..Outcome::right(0.0, None) };
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
        // A measurement of energy is a mean over half a second by itself.
        if slow || self.job.objective.needs_energy() {
            return self.read(&repetitions, first, outcome);
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
        let value = median(&mut outcome.runtimes.clone()) * drift;
        self.read(&repetitions, value, outcome)
    }

    /// Gives an outcome its value, and what the probes measure of a launch.
    fn read(&mut self, repetitions: &[u32], value: f64, outcome: &mut Outcome) -> affinimath::Result<()> {
        outcome.seconds = Some(value);
        let (Work::Launch(_), [count]) = (&self.job.work, repetitions) else { return Ok(()) };
        let workload = &mut self.workload;
        let mut reading = self.probes.measure(*count, || workload.run(0, *count))?;
        reading.device_seconds = workload.device_seconds(0, *count)?;
        // The value is a median of rounds, or of a longer measurement than this one.
        match self.job.objective {
            Objective::Minimize | Objective::Maximize | Objective::Time => reading.wall_seconds = value,
            Objective::DeviceTime => reading.device_seconds = Some(value),
            Objective::Energy => reading.joules = Some(value),
            Objective::EnergyDelay => reading.joules = Some(value / reading.wall_seconds),
        }
        outcome.reading = Some(reading);
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

    /// Value of a problem: the geometric mean of all of them with their weights.
    fn round(&mut self, repetitions: &[u32]) -> affinimath::Result<f64> {
        let (mut logarithms, mut weights) = (0.0, 0.0);
        for (case, &count) in repetitions.iter().enumerate() {
            // Wakes the device's threads, and brings the operands back into caches.
            self.workload.run(case, 1)?;
            let (value, weight) = (self.value(case, count)?, self.workload.weight(case));
            logarithms += weight * value.max(1e-12).ln();
            weights += weight;
        }
        Ok((logarithms / weights.max(f64::MIN_POSITIVE)).exp())
    }

    /// Value of the objective for one run of a problem.
    fn value(&mut self, case: usize, count: u32) -> affinimath::Result<f64> {
        let (objective, workload) = (self.job.objective, &mut self.workload);
        let absent =
            |reason: &str| Error::argument("the objective", format!("{objective} cannot be measured here: {reason}"));
        if objective == Objective::DeviceTime {
            let seconds = workload.device_seconds(case, count)?;
            return seconds.ok_or_else(|| absent("the driver gives launches no times"));
        }
        if objective.needs_energy() {
            if let Err(reason) = self.probes.energy() {
                return Err(absent(reason));
            }
            let reading = self.probes.measure_for(ENERGY_DURATION, |runs| workload.run(case, runs))?;
            let value = objective.value(&reading).filter(|value| *value > 0.0);
            return value.ok_or_else(|| absent("its instrument stands still"));
        }
        let start = Instant::now();
        workload.run(case, count)?;
        Ok(start.elapsed().as_secs_f64() / f64::from(count))
    }

    /// Each contender's median value in rounds that all take part in.
    fn race(&mut self, contenders: &[Option<Configuration>]) -> Vec<Option<f64>> {
        let mut rounds: Vec<Option<Vec<f64>>> = vec![Some(Vec::new()); contenders.len()];
        let energy = self.job.objective.needs_energy();
        for _ in 0..if energy { ENERGY_ROUNDS } else { RACE_ROUNDS } {
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
