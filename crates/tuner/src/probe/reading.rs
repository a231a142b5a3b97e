//! Values of the probes.

use serde::{Deserialize, Serialize};

/// Values of a run that probes measured, means over equal runs. Absent ones are `None`, in JSON null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Seconds on the host's clock.
    pub wall_seconds: f64,
    /// Seconds on the device's clock, from a launch's start to its end.
    pub device_seconds: Option<f64>,
    /// Processor cycles of this process's threads, outside the operating system.
    pub cycles: Option<f64>,
    /// Instructions of these threads.
    pub instructions: Option<f64>,
    /// Misses of the last cache of these threads.
    pub cache_misses: Option<f64>,
    /// Energy of the device, in joules.
    pub joules: Option<f64>,
}

impl Reading {
    /// Joules times seconds of a run.
    pub fn energy_delay(&self) -> Option<f64> {
        self.joules.map(|joules| joules * self.wall_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_null() {
        let reading = Reading { wall_seconds: 0.5, joules: Some(3.0), ..Reading::default() };
        let text = serde_json::to_string(&reading).unwrap();
        assert!(text.contains("\"joules\":3.0") && text.contains("\"cycles\":null"), "{text}");
        assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
        assert_eq!((reading.energy_delay(), Reading::default().energy_delay()), (Some(1.5), None));
    }
}
