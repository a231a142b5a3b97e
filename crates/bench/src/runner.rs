//! Contenders timed in turn.
//!
//! All contenders of a case run within the same rounds, A B C, A B C, ..., so that a machine that slows down or is
//! shared slows all of them. A round repeats the operation until the clock's resolution and the cost of a wake-up do
//! not count.

use std::time::Duration;

use super::contender::{Accuracy, Entrant};
use super::error::BenchError;

/// Shortest duration of a round.
const MIN_ROUND: Duration = Duration::from_millis(20);

/// Rounds that even the slowest contender runs.
const MIN_ROUNDS: usize = 3;

/// Pause before a contender's turn, repeated until the process uses less than a tenth of it as processor time. Threads
/// of some libraries spin after a call (OpenBLAS 0.3.21: 2^28 clock ticks), and would slow the next contender.
const SETTLE: Duration = Duration::from_millis(20);

/// Times that this is waited at most.
const MAX_SETTLES: usize = 50;

/// Calls that are not timed, before a turn, take this long, or a round's time where that is shorter, and one call at
/// least: on two cores a library's calls were slow for some 15 ms after another library's turn, maybe as its threads
/// shared a core until the system moved one.
const WARM: Duration = Duration::from_millis(50);

/// Time limits of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Rounds for each contender.
    pub rounds: usize,
    /// Approximate time of all rounds of a contender.
    pub budget: Duration,
}

impl Schedule {
    fn round(&self) -> Duration {
        (self.budget / self.rounds.max(1) as u32).max(MIN_ROUND)
    }
}

/// Measurements of a contender on a case.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The very first call on this case, in seconds: it may build programs and start threads.
    pub first_call: f64,
    /// Operations in each round.
    pub repetitions: u32,
    /// Seconds per operation, one for each round.
    pub rounds: Vec<f64>,
    /// True if the result was right.
    pub accuracy: Accuracy,
    /// Rate of a copy of as many elements in the same run, where it bounds the case; in the unit of the rates.
    pub copy_rate: Option<f64>,
}

impl Measurement {
    /// Median time of one operation, in seconds.
    pub fn median(&self) -> f64 {
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        median(&sorted)
    }
}

fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => (sorted[length / 2 - 1] + sorted[length / 2]) / 2.0,
    }
}

/// Times every entrant, in turn. One that fails leaves the race with its error; the others go on.
///
/// `progress` is told before each turn whose it is, by index.
pub fn race(
    entrants: Vec<Entrant<'_>>,
    schedule: &Schedule,
    progress: &mut dyn FnMut(usize),
) -> Vec<Result<Measurement, BenchError>> {
    let mut runners: Vec<Result<Runner<'_>, BenchError>> = Vec::new();
    for (index, entrant) in entrants.into_iter().enumerate() {
        progress(index);
        runners.push(entrant.and_then(|contender| Runner::warmed_up(contender, schedule)));
    }
    for round in 0..schedule.rounds {
        for (index, runner) in runners.iter_mut().enumerate() {
            progress(index);
            let outcome = match runner {
                Ok(running) if round < MIN_ROUNDS || !running.exhausted(schedule) => running.round(),
                _ => continue,
            };
            if let Err(error) = outcome {
                *runner = Err(error);
            }
        }
    }
    runners.into_iter().map(|runner| runner.and_then(Runner::finish)).collect()
}

struct Runner<'a> {
    contender: Box<dyn super::contender::Contender + 'a>,
    first_call: f64,
    /// Operations before each round.
    warming: u32,
    repetitions: u32,
    rounds: Vec<f64>,
}

impl<'a> Runner<'a> {
    /// The first call, and as many more as it takes to know how long one lasts.
    fn warmed_up(
        mut contender: Box<dyn super::contender::Contender + 'a>,
        schedule: &Schedule,
    ) -> Result<Self, BenchError> {
        settle();
        let first_call = contender.run(1)?.as_secs_f64();
        let mut repetitions = 1;
        let once = loop {
            let took = contender.run(repetitions)?;
            if took >= MIN_ROUND / 4 || repetitions >= 1 << 24 {
                break took.as_secs_f64() / f64::from(repetitions);
            }
            repetitions *= 4;
        };
        let round = schedule.round();
        let (warming, repetitions) = (repetitions_for(WARM.min(round), once), repetitions_for(round, once));
        Ok(Runner { contender, first_call, warming, repetitions, rounds: Vec::new() })
    }

    fn round(&mut self) -> Result<(), BenchError> {
        settle();
        // Wakes the library's threads, and brings its operands back into the caches.
        self.contender.run(self.warming)?;
        let took = self.contender.run(self.repetitions)?;
        self.rounds.push(took.as_secs_f64() / f64::from(self.repetitions));
        Ok(())
    }

    fn exhausted(&self, schedule: &Schedule) -> bool {
        let spent = self.rounds.iter().sum::<f64>() * f64::from(self.repetitions);
        spent > 2.0 * schedule.budget.as_secs_f64()
    }

    fn finish(mut self) -> Result<Measurement, BenchError> {
        let accuracy = self.contender.accuracy()?;
        let Runner { first_call, repetitions, rounds, .. } = self;
        Ok(Measurement { first_call, repetitions, rounds, accuracy, copy_rate: None })
    }
}

/// Waits until threads of the turn before have come to rest.
fn settle() {
    for _ in 0..MAX_SETTLES {
        let before = processor_time();
        std::thread::sleep(SETTLE);
        if processor_time().saturating_sub(before) < SETTLE / 10 {
            break;
        }
    }
}

/// Processor time of the process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to a variable. Without such a clock it stays zero.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn repetitions_for(round: Duration, once: f64) -> u32 {
    (round.as_secs_f64() / once.max(1e-9)).ceil().clamp(1.0, 1e9) as u32
}

#[cfg(test)]
mod tests {
    use super::super::contender::Contender;
    use super::*;
    use affinimath_testing::assert_close;

    /// Spins on after its calls, in a thread of its own.
    #[test]
    fn a_turn_begins_when_threads_of_the_one_before_rest() {
        let long = Duration::from_millis(150);
        let started = std::time::Instant::now();
        let spinning = std::thread::spawn(move || while started.elapsed() < long {});
        settle();
        assert!(spinning.is_finished(), "{:?} after the start", started.elapsed());
        spinning.join().unwrap();
    }

    /// Takes a pretended time for each operation, and counts them.
    struct Pretender {
        each: Duration,
        calls: u64,
        fails_after: u64,
    }

    impl Contender for Pretender {
        fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
            self.calls += u64::from(repetitions);
            if self.calls > self.fails_after {
                return Err(BenchError::Unfit("tired".to_owned()));
            }
            Ok(self.each * repetitions)
        }

        fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
            Ok(Accuracy { error: 0.0, bound: 1.0 })
        }
    }

    const SCHEDULE: Schedule = Schedule { rounds: 4, budget: Duration::from_millis(80) };

    fn pretender(each: Duration, fails_after: u64) -> Entrant<'static> {
        Ok(Box::new(Pretender { each, calls: 0, fails_after }))
    }

    #[test]
    fn contenders_run_in_turn_and_long_enough() {
        let mut turns = Vec::new();
        let entrants = vec![
            pretender(Duration::from_micros(10), u64::MAX),
            Err(BenchError::Unfit("absent".to_owned())),
            pretender(Duration::from_millis(1), 30),
            pretender(Duration::from_secs(1), u64::MAX),
        ];
        let results = race(entrants, &SCHEDULE, &mut |index| turns.push(index));
        assert_eq!(turns, [0, 1, 2, 3].repeat(5));
        let quick = results[0].as_ref().unwrap();
        assert_eq!((quick.repetitions, quick.rounds.len()), (2000, 4));
        assert_close!(quick.rounds[0], 1e-5, 1e-12);
        assert_eq!(results[1].as_ref().unwrap_err().to_string(), "absent");
        assert_eq!(results[2].as_ref().unwrap_err().to_string(), "tired");
        let slow = results[3].as_ref().unwrap();
        assert_eq!((slow.repetitions, slow.rounds.len()), (1, MIN_ROUNDS));
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(median(&[1.0, 2.0, 4.0, 8.0]), 3.0);
        assert_eq!(median(&[1.0, 2.0, 4.0]), 2.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_result_that_is_not_a_number_is_wrong() {
        assert!(Accuracy { error: 1e-8, bound: 1e-7 }.holds());
        assert!(!Accuracy { error: f64::NAN, bound: 1e-7 }.holds());
        assert!(!Accuracy { error: 1.0, bound: 1e-7 }.holds());
    }
}
