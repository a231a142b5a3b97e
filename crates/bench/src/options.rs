//! The options that every family has.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use affinimath::{DeviceInfo, ScalarKind};
use clap::Args;

use super::runner::Schedule;
use super::target::{MemoryChoice, Target};
use crate::json::JsonOption;

/// The options that every family has.
#[derive(Args)]
pub struct CommonArguments {
    /// Device of our library: auto, host, a device by its index or part of its name, several between commas, or all.
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    pub device: String,
    /// Memory of the operands; by default a GPU's own, else the host's.
    #[arg(long, value_enum)]
    pub memory: Option<MemoryChoice>,
    /// Another library to compare with; may be given several times.
    #[arg(long, value_name = "NAME|NAME=/path/lib.so")]
    pub against: Vec<PeerSpec>,
    /// Seconds for one library on one case, about.
    #[arg(long, default_value = "1", value_parser = seconds)]
    pub seconds: Duration,
    /// Rounds in which the libraries take turns.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Show how long our first call took, in which programs are built and threads started.
    #[arg(long)]
    pub first_call: bool,
    #[command(flatten)]
    pub json: JsonOption,
    /// Draw the rates against the size.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

impl CommonArguments {
    /// Time limits of a measurement.
    pub fn schedule(&self) -> Schedule {
        Schedule { rounds: self.rounds.into(), budget: self.seconds }
    }
}

/// One of s, d, c and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeLetter(ScalarKind);

impl TypeLetter {
    /// Lower-case name.
    pub(crate) fn letter(&self) -> char {
        self.0.letter().to_ascii_lowercase()
    }

    /// The types that these letters name; without any, both real ones, as far as the target has them.
    pub fn kinds(letters: &[TypeLetter], target: &Target) -> Vec<ScalarKind> {
        Self::kinds_or(letters, [ScalarKind::S, ScalarKind::D], target)
    }

    /// The types that these letters name; without any, both real ones, as far as the device has them.
    pub fn kinds_for(letters: &[TypeLetter], device_info: &DeviceInfo) -> Vec<ScalarKind> {
        match letters {
            [] if device_info.fp64 => vec![ScalarKind::S, ScalarKind::D],
            [] => vec![ScalarKind::S],
            letters => letters.iter().map(|letter| letter.0).collect(),
        }
    }

    /// The types that these letters name; without any, these two, the second one if the target has doubles.
    pub(crate) fn kinds_or(
        letters: &[TypeLetter],
        [single, double]: [ScalarKind; 2],
        target: &Target,
    ) -> Vec<ScalarKind> {
        let doubles = target.info().is_none_or(|device_info| device_info.fp64);
        match letters {
            [] if doubles => vec![single, double],
            [] => vec![single],
            letters => letters.iter().map(|letter| letter.0).collect(),
        }
    }
}

impl FromStr for TypeLetter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = ScalarKind::ALL.into_iter().find(|kind| text.eq_ignore_ascii_case(&kind.letter().to_string()));
        kind.map(TypeLetter).ok_or_else(|| "a type is s (f32), d (f64), c (complex f32) or z (complex f64)".to_owned())
    }
}

/// A positive, finite count of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of seconds"))?;
    if !(seconds > 0.0 && seconds <= 3600.0) {
        return Err("between 0 and 3600 seconds, please".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A peer as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerSpec {
    /// Name in reports; some names also tell the interface.
    pub name: String,
    /// Its library, and libraries to load before it; empty for what is built in, or the system's loader finds.
    pub paths: Vec<PathBuf>,
}

/// Libraries of Fourier transforms, and the files by which the system's loader may find them.
const TRANSFORMS: [(&str, &[&str]); 3] = [
    ("fftw", &["libfftw3.so.3"]),
    ("clfft", &["libclFFT.so.2"]),
    ("cufft", &["libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"]),
];

/// Libraries of Python, which have no path.
const PYTHON: [&str; 9] = ["numpy", "numexpr", "cupy", "torch", "torch-eager", "jax", "devito", "numba", "pystencils"];

impl PeerSpec {
    /// The library of Python that is meant.
    pub fn python_library(&self) -> Option<&'static str> {
        let known = PYTHON.into_iter().find(|name| self.name.eq_ignore_ascii_case(name));
        known.filter(|_| self.paths.is_empty())
    }

    /// True if the name is that of a library that computes Fourier transforms and nothing else that is measured.
    pub fn has_only_transforms(&self) -> bool {
        TRANSFORMS.iter().any(|(name, _)| self.name.eq_ignore_ascii_case(name))
    }

    /// Files by which the system's loader may find what was named without a path.
    pub fn system_files(&self) -> Vec<PathBuf> {
        let known = TRANSFORMS.iter().find(|(name, _)| self.paths.is_empty() && self.name.eq_ignore_ascii_case(name));
        known.map_or_else(Vec::new, |(_, files)| files.iter().map(PathBuf::from).collect())
    }
}

impl FromStr for PeerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text.eq_ignore_ascii_case("faer") => Ok(PeerSpec { name: "faer".to_owned(), paths: Vec::new() }),
            None if TRANSFORMS.iter().any(|(name, _)| text.eq_ignore_ascii_case(name))
                || PYTHON.iter().any(|name| text.eq_ignore_ascii_case(name)) =>
            {
                Ok(PeerSpec { name: text.to_owned(), paths: Vec::new() })
            }
            None => Err(format!("'{text}' is not built in: give its library, as in {text}=/path/lib{text}.so")),
            Some((name, paths)) if name.is_empty() || paths.split(':').any(str::is_empty) => {
                Err("write NAME=/path/lib.so, or NAME=/path/lib.so:/path/needed-by-it.so".to_owned())
            }
            Some((name, _)) if name.eq_ignore_ascii_case("faer") => {
                Err("faer is built in: write --against faer, without a path".to_owned())
            }
            Some((name, paths)) => {
                Ok(PeerSpec { name: name.to_owned(), paths: paths.split(':').map(PathBuf::from).collect() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_built_in_or_has_a_path() {
        let spec = |text: &str| text.parse::<PeerSpec>();
        assert!(spec("faer").unwrap().paths.is_empty());
        assert_eq!(spec("mkl=/a.so:/b.so").unwrap().paths, [PathBuf::from("/a.so"), PathBuf::from("/b.so")]);
        assert_eq!(spec("NumPy").unwrap().python_library(), Some("numpy"));
        assert!(["numpy=/a.so", "fftw"].iter().all(|text| spec(text).unwrap().python_library().is_none()));
        assert!(spec("openblas").unwrap_err().contains("openblas=/path/libopenblas.so"));
        assert!(spec("=x").is_err() && spec("x=").is_err() && spec("x=/a.so:").is_err());
        assert!(spec("faer=/a.so").unwrap_err().contains("built in"));
        let fftw = spec("fftw").unwrap();
        assert!(fftw.has_only_transforms() && fftw.system_files() == [PathBuf::from("libfftw3.so.3")]);
        assert!(spec("FFTW=/a.so").unwrap().system_files().is_empty() && !spec("faer").unwrap().has_only_transforms());
    }

    #[test]
    fn types_are_letters() {
        assert_eq!("D".parse(), Ok(TypeLetter(ScalarKind::D)));
        assert!("q".parse::<TypeLetter>().is_err() && "".parse::<TypeLetter>().is_err());
        let host = Target { device: None, memory: MemoryChoice::Host, automatic: false };
        assert_eq!(TypeLetter::kinds(&[], &host), [ScalarKind::S, ScalarKind::D]);
        assert_eq!(TypeLetter::kinds(&[TypeLetter(ScalarKind::Z)], &host), [ScalarKind::Z]);
    }

    #[test]
    fn a_budget_is_a_sensible_number_of_seconds() {
        assert_eq!(seconds("0.5").unwrap(), Duration::from_millis(500));
        assert!(seconds("0").is_err() && seconds("nan").is_err() && seconds("1e9").is_err() && seconds("x").is_err());
    }
}
