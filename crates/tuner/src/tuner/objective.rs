//! Objectives of a search.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Measurement, TunerError};
use crate::exchange::{Invalidity, Outcome};
use crate::probe::Reading;

/// Value of a point that is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The smallest value; of a reading, the time on the host's clock.
    #[default]
    Minimize,
    /// The largest value, such as a rate; of a reading, runs a second.
    Maximize,
    /// The shortest time of a run on the host's clock.
    Time,
    /// The shortest time of a launch on the device's clock.
    DeviceTime,
    /// The least energy of a run.
    Energy,
    /// The least product of energy and time.
    EnergyDelay,
}

/// Objectives with a name.
const NAMES: [(Objective, &str); 6] = [
    (Objective::Minimize, "minimize"),
    (Objective::Maximize, "maximize"),
    (Objective::Time, "time"),
    (Objective::DeviceTime, "device-time"),
    (Objective::Energy, "energy"),
    (Objective::EnergyDelay, "energy-delay"),
];

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(objective, _)| objective == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(objective, _)| *objective).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
            format!("'{text}' is no objective: {}", names.join(", "))
        })
    }
}

impl Objective {
    /// Unit of the values; empty for values of any kind.
    pub const fn unit(self) -> &'static str {
        match self {
            Objective::Minimize | Objective::Maximize => "",
            Objective::Time | Objective::DeviceTime => "s",
            Objective::Energy => "J",
            Objective::EnergyDelay => "J s",
        }
    }

    /// True if it needs the energy of runs.
    pub const fn needs_energy(self) -> bool {
        matches!(self, Objective::Energy | Objective::EnergyDelay)
    }

    /// Value of a reading; `None` where that was not measured.
    pub fn value(self, reading: &Reading) -> Option<f64> {
        match self {
            Objective::Minimize | Objective::Time => Some(reading.wall_seconds),
            Objective::Maximize => Some(1.0 / reading.wall_seconds),
            Objective::DeviceTime => reading.device_seconds,
            Objective::Energy => reading.joules,
            Objective::EnergyDelay => reading.energy_delay(),
        }
    }

    /// True if a value is better than another one.
    pub fn is_better(self, value: f64, than: f64) -> bool {
        if self == Objective::Maximize { value > than } else { value < than }
    }

    /// Number that a search minimises: infinity for a failure.
    pub(super) fn cost(self, outcome: &Outcome) -> f64 {
        match self {
            Objective::Maximize => outcome.seconds.map_or(f64::INFINITY, |value| 1.0 / value),
            _ => outcome.score(),
        }
    }

    /// Outcome of a measurement.
    ///
    /// # Errors
    /// [`TunerError::Unmeasurable`] for a reading without the value.
    pub(super) fn outcome(self, measurement: Measurement) -> Result<Outcome, TunerError> {
        let (value, reading) = match measurement {
            Measurement::Value(value) => (value, None),
            Measurement::Reading(reading) => {
                let absent = || TunerError::Unmeasurable(self, "the reading of a point has no such value".to_owned());
                (self.value(&reading).ok_or_else(absent)?, Some(reading))
            }
            Measurement::Wrong(reason) => return Ok(Outcome::failed(Invalidity::Correctness, reason)),
            Measurement::Crashed(reason) => return Ok(Outcome::failed(Invalidity::Runtime, reason)),
            Measurement::Unbuilt(reason) => return Ok(Outcome::failed(Invalidity::Compile, reason)),
            Measurement::TimedOut(reason) => return Ok(Outcome::failed(Invalidity::Timeout, reason)),
        };
        Ok(match value > 0.0 && value.is_finite() {
            true => Outcome::right(value, reading),
            false => Outcome::failed(Invalidity::Correctness, format!("the value {value} is not positive and finite")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_a_value_of_a_reading() {
        let reading = Reading { wall_seconds: 2.0, joules: Some(3.0), ..Reading::default() };
        let values = NAMES.map(|(objective, _)| objective.value(&reading));
        assert_eq!(values, [Some(2.0), Some(0.5), Some(2.0), None, Some(3.0), Some(6.0)]);
        let device = Reading { device_seconds: Some(1.5), ..reading };
        assert_eq!(Objective::DeviceTime.value(&device), Some(1.5));
    }

    #[test]
    fn objectives_have_names() {
        for (objective, name) in NAMES {
            assert_eq!((objective.to_string(), name.parse()), (name.to_owned(), Ok(objective)));
            assert_eq!(serde_json::to_string(&objective).unwrap(), format!("\"{name}\""));
        }
        assert!("joules".parse::<Objective>().unwrap_err().contains("time, device-time, energy, energy-delay"));
    }
}
