//! Messages between the process that searches and the one that measures: a line of JSON each.

use std::path::PathBuf;

use affinimath_tuner::exchange::Outcome;
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::Subject;
use affinimath_tuner::tuner::Objective;
use serde::{Deserialize, Serialize};

/// Work on a device: the first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The device's index.
    pub device: usize,
    /// The problems.
    pub work: Work,
    /// Seconds after which a measurement counts as hanging: the process then ends itself.
    pub limit: f64,
    /// Value that is measured.
    #[serde(default)]
    pub objective: Objective,
}

/// Problems that are measured with parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant)] // A process has one of them.
pub enum Work {
    /// The library's own kernels.
    Kernels {
        /// The subject.
        subject: Subject,
        /// The sizes of its problems.
        sizes: Vec<usize>,
    },
    /// Steps of a stencil.
    Stencil {
        /// The stencil's text.
        text: String,
        /// Its domains.
        problems: Vec<Problem>,
        /// A strategy's text, whose parameters are measured.
        schedule: Option<String>,
    },
    /// A recorded launch with other code.
    Launch(LaunchWork),
}

/// Code for a recorded launch, and its sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LaunchWork {
    /// The case's folder.
    pub case: PathBuf,
    /// Source in OpenCL C.
    pub source: String,
    /// Name of the kernel in the source.
    pub kernel: String,
    /// Options of the compiler beside the parameters' definitions.
    pub options: String,
    /// Expressions of the work-items of a group and of the work-groups; without one, the usual ones.
    pub items: [Option<String>; 3],
    /// See `items`.
    pub groups: [Option<String>; 3],
    /// How near results are to be, as `affinimath replay --check` has it; without one they are not compared.
    pub tolerance: Option<String>,
    /// The same for single arguments, by their numbers.
    #[serde(default)]
    pub own_tolerances: Vec<(usize, String)>,
}

/// A domain of a stencil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The values of sizes.
    pub sizes: Vec<(String, i64)>,
    /// The weight of the logarithm of its time.
    pub weight: f64,
}

/// The fastest parameters so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Incumbent {
    /// `None` for the default parameters of the device.
    pub configuration: Option<Configuration>,
    /// Their value of the objective.
    pub seconds: f64,
}

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Measure parameters against the fastest so far.
    Trial {
        /// `None` for the default parameters of the device.
        configuration: Option<Configuration>,
        /// To compare with.
        incumbent: Option<Incumbent>,
    },
    /// Measure several parameters in turn.
    Race {
        /// The parameters.
        contenders: Vec<Option<Configuration>>,
    },
}

/// An answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The problems are there.
    Ready,
    /// The problems cannot be made.
    Refused(String),
    /// A trial's outcome.
    Trial(Outcome),
    /// A race's values, infinite where parameters failed, which is `null`.
    Race(Vec<Option<f64>>),
}
