//! One call of each of our routines, compared with a reference: the checks of the benchmarks, without their
//! rates.

use affinimath::ScalarKind;

pub use super::contender::Accuracy;
use super::contender::Entrant;
use super::error::BenchError;
use super::levels::{ForType, for_type};
use super::target::Target;
use super::{fft, gemm, lapack, levels};

/// One call of a routine.
#[derive(Debug)]
pub struct Check {
    /// The routine, with what tells it from others of its name.
    pub routine: String,
    /// Error of the result, or the reason for none.
    pub outcome: Result<Accuracy, BenchError>,
}

impl Check {
    /// Calls our library once on what is prepared for it.
    pub(crate) fn once(routine: String, entrant: Entrant<'_>) -> Self {
        let outcome = entrant.and_then(|mut contender| {
            contender.run(1)?;
            contender.accuracy()
        });
        Check { routine, outcome }
    }
}

/// A family of routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A level of the BLAS.
    Level(usize),
    /// Products of matrices, with transposes and unequal sizes.
    Gemm,
    /// Factorisations, and inverses from them.
    Lapack,
    /// Fourier transforms.
    Fft,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 6] =
        [Family::Level(1), Family::Level(2), Family::Level(3), Family::Gemm, Family::Lapack, Family::Fft];

    /// Name in `affinimath bench`.
    pub fn name(self) -> String {
        match self {
            Family::Level(level) => format!("level{level}"),
            Family::Gemm => "gemm".to_owned(),
            Family::Lapack => "lapack".to_owned(),
            Family::Fft => "fft".to_owned(),
        }
    }

    /// Calls each of its routines for a type.
    pub fn checks(self, kind: ScalarKind, target: &Target) -> Vec<Check> {
        match self {
            Family::Level(level) => for_type(kind, CheckLevel { level, target }),
            Family::Gemm => gemm::checks(kind, target),
            Family::Lapack => for_type(kind, CheckLapack { target }),
            Family::Fft => fft::checks(kind, target),
        }
    }
}

struct CheckLevel<'a> {
    level: usize,
    target: &'a Target,
}

impl ForType for CheckLevel<'_> {
    type Output = Vec<Check>;

    fn run<T: affinimath::Scalar>(self) -> Vec<Check> {
        levels::checks::<T>(self.level, self.target)
    }
}

struct CheckLapack<'a> {
    target: &'a Target,
}

impl ForType for CheckLapack<'_> {
    type Output = Vec<Check>;

    fn run<T: affinimath::Scalar>(self) -> Vec<Check> {
        lapack::checks::<T>(self.target)
    }
}
