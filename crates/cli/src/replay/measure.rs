//! Readings of the probes for a recorded launch.

use affinimath::Queue;
use affinimath::replay::{Case, CaseMemory, CaseProgram, Code, Error, device_seconds, profiling_queue};
use affinimath_tuner::probe::{ENERGY_DURATION, Probe, Probes, Reading, Target};

use super::run::RUNS;

/// Reading of a launch, and the instrument of its energy or the reason for which there is none.
pub(super) struct Measured {
    pub(super) reading: Reading,
    pub(super) energy: Option<Result<&'static str, String>>,
}

/// Measures a launch: medians of runs from the recorded memory, and with `energy` the mean of as many launches as take
/// half a second.
pub(super) fn measure(case: &Case, queue: &Queue, code: Code<'_>, energy: bool) -> Result<Measured, Error> {
    let profiling = profiling_queue(queue.context()).ok();
    let queue = profiling.as_ref().unwrap_or(queue);
    let (memory, program) = (CaseMemory::new(case, queue)?, CaseProgram::build(case, queue, code)?);
    let target = Target::of_device(queue.context().device());
    let mut counters = Probes::new(target, &[Probe::Counters]);
    let mut readings = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        memory.fill(case, queue)?;
        let mut event = None;
        let mut reading = counters.measure(1, || {
            let launched = program.enqueue(case, queue, &memory)?;
            launched.wait()?;
            event = Some(launched);
            Ok::<(), Error>(())
        })?;
        reading.device_seconds = event.as_ref().and_then(device_seconds);
        readings.push(reading);
    }
    let mut reading = median(&readings);
    let mut source = None;
    if energy {
        memory.fill(case, queue)?;
        let mut probes = Probes::new(target, &[Probe::Energy]);
        source = Some(probes.energy().map(|meter| meter.name()).map_err(str::to_owned));
        if matches!(source, Some(Ok(_))) {
            let all = probes.measure_for(ENERGY_DURATION, |runs| {
                for _ in 1..runs {
                    drop(program.enqueue(case, queue, &memory)?);
                }
                Ok::<(), Error>(program.enqueue(case, queue, &memory)?.wait()?)
            })?;
            reading.joules = all.joules;
        }
    }
    Ok(Measured { reading, energy: source })
}

/// Median of each value; `None` where a reading lacks it.
fn median(readings: &[Reading]) -> Reading {
    let value = |pick: fn(&Reading) -> Option<f64>| -> Option<f64> {
        let mut values = readings.iter().map(pick).collect::<Option<Vec<f64>>>()?;
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Reading {
        wall_seconds: value(|reading| Some(reading.wall_seconds)).unwrap_or_default(),
        device_seconds: value(|reading| reading.device_seconds),
        cycles: value(|reading| reading.cycles),
        instructions: value(|reading| reading.instructions),
        cache_misses: value(|reading| reading.cache_misses),
        joules: None,
    }
}

impl Measured {
    /// The values for a person, those that are absent left out.
    pub(super) fn text(&self) -> String {
        let Reading { device_seconds, cycles, instructions, cache_misses, joules, .. } = self.reading;
        let mut parts = Vec::new();
        parts.extend(device_seconds.map(|seconds| format!("{:.1} us on the device's clock", 1e6 * seconds)));
        parts.extend(cycles.map(|count| format!("{count:.3e} cycles")));
        parts.extend(instructions.map(|count| format!("{count:.3e} instructions")));
        parts.extend(cache_misses.map(|count| format!("{count:.3e} cache misses")));
        match &self.energy {
            Some(Ok(source)) => parts.push(match joules {
                Some(joules) => format!("{:.4} mJ ({source})", 1e3 * joules),
                None => format!("no energy: {source} failed"),
            }),
            Some(Err(reason)) => parts.push(format!("no energy: {reason}")),
            None => {}
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_one_reading_lacks_has_no_median() {
        let reading = |seconds: f64, cycles| Reading { wall_seconds: seconds, cycles, ..Reading::default() };
        let found = median(&[reading(3.0, Some(5.0)), reading(1.0, None), reading(2.0, Some(6.0))]);
        assert_eq!((found.wall_seconds, found.cycles), (2.0, None));
        assert_eq!(median(&[reading(1.0, Some(5.0))]).cycles, Some(5.0));
    }
}
