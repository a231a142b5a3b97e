//! `affinimath bench fft`: Fourier transforms, in batches.
//!
//! The first call of a case makes the plan, which the others use. The table has a column for the first call.

mod case;
mod clfft;
mod cufft;
mod data;
mod fftw;
mod ours;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use affinimath::{Complex32, Complex64, DeviceClass, ScalarKind};
use clap::Args;

use self::case::{Case, Shapes};
use self::clfft::ClFftLibrary;
use self::cufft::CuFftLibrary;
use self::data::{Data, Element};
use self::fftw::FftwLibrary;
use super::checks::Check;
use super::contender::Entrant;
use super::error::BenchError;
use super::options::{CommonArguments, PeerSpec, TypeLetter};
use super::plot::Rates;
use super::report::{ContenderFacts, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::number;
use super::table::Table;
use super::target::Target;

/// Text after the options of `--help`.
pub const HELP: &str = "
Transforms are forward and out of place, each after the other. GFLOP/s count 5 n log2 n operations for a transform of \
n complex
elements and 2.5 n log2 n for real ones, whatever a library really does; GB/s, in our library, the bytes of input and \
output. The first
call makes the plan, and builds its programs where they are not cached. The error is that of all results in the \
2-norm, against
a transform of the same input in double precision.

A peer is fftw, clfft or cufft, by that name alone where the system's loader finds it, or with its path; any other \
name with a path is
that of a library with FFTW's interface. Next to libfftw3.so.3 its files for floats and threads are found by their \
names.

Examples:
  affinimath bench fft --against fftw --against clfft --device pocl --memory device --plot fft.svg
  affinimath bench fft --types c,z --sizes 2^4..2^22,10007 --points 2^24 --device nvidia --against \
cufft=/path/libcufft.so
  affinimath bench fft --types s,d --sizes 512x512,64x64x64 --against fftw=/path/libfftw3.so.3 --fftw-measure --json \
fft.json";

/// The arguments of `affinimath bench fft`.
#[derive(Args)]
pub struct FftArguments {
    /// Element types of the input: c,z for complex transforms, s,d for real ones; by default c,z if the
    /// device has fp64, else c.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Lengths: 1000, 16..4096*2, 2^15, in two or three dimensions 512x512, 64x64x64 [default: powers of two from 16 to
    /// 2^22, 1000, 1001, 2187, 3125, 10007 and 65537, as far as there are points enough].
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    sizes: Vec<Shapes>,
    /// Points of a case in all: it is a batch of as many transforms as have them, at least one [default: 2^22, on GPUs
    /// 2^25].
    #[arg(long, value_parser = number)]
    points: Option<usize>,
    /// Lets FFTW measure which plan is the fastest (FFTW_MEASURE), and not only estimate it.
    #[arg(long)]
    fftw_measure: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// A peer.
enum Library {
    /// FFTW, or a library with its interface.
    Fftw(FftwLibrary),
    /// clFFT.
    ClFft(ClFftLibrary),
    /// cuFFT.
    CuFft(CuFftLibrary),
}

impl Library {
    /// Loads the named library. `clfft` and `cufft` have their own interfaces, all other names that of FFTW.
    fn load(spec: &PeerSpec, measure: bool, target: &Target) -> Result<Self, BenchError> {
        if spec.python_library().is_some() {
            return Err(BenchError::only_in(&spec.name, "array"));
        }
        Ok(match spec.name.to_ascii_lowercase().as_str() {
            "clfft" => Library::ClFft(ClFftLibrary::load(spec, target)?),
            "cufft" => Library::CuFft(CuFftLibrary::load(spec, target)?),
            "faer" | "clblast" | "cublas" | "cusolver" => {
                let name = &spec.name;
                let problem = format!("{name} has no Fourier transforms: give fftw, clfft or cufft");
                return Err(BenchError::Options(problem));
            }
            _ => Library::Fftw(FftwLibrary::load(spec, measure)?),
        })
    }

    /// Checks before the first measurement that a peer has the expected functions.
    fn require(&self, kind: ScalarKind) -> Result<(), BenchError> {
        match self {
            Library::Fftw(library) => library.require(kind),
            Library::ClFft(_) => Ok(()),
            Library::CuFft(library) => library.require(kind),
        }
    }

    fn info(&self) -> ContenderFacts {
        match self {
            Library::Fftw(library) => library.info(),
            Library::ClFft(library) => library.info(),
            Library::CuFft(library) => library.info(),
        }
    }

    fn entrant<'a, T: Element>(&'a self, data: &Arc<Data<T>>) -> Entrant<'a> {
        match self {
            Library::Fftw(library) => fftw::entrant(data, library),
            Library::ClFft(library) => clfft::entrant(data, library),
            Library::CuFft(library) => cufft::entrant(data, library),
        }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &FftArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    let load = |spec| Library::load(spec, arguments.fftw_measure, &target);
    let libraries = common.against.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    if arguments.fftw_measure && !libraries.iter().any(|library| matches!(library, Library::Fftw(_))) {
        let problem = "--fftw-measure is about FFTW, which is not among the libraries: add --against fftw";
        return Err(BenchError::Options(problem.to_owned()));
    }
    let cases = arguments.cases(&target);
    for case in &cases {
        libraries.iter().try_for_each(|library| library.require(case.kind))?;
    }
    let cases: Vec<_> = cases.into_iter().map(|case| (case.report(), case)).collect();
    let report = Report::new("fft", "GFLOP/s", &target, libraries.iter().map(Library::info).collect());
    let widest = cases.iter().map(|(row, _)| row.label("fft").len()).max().unwrap_or(0);
    // Planning is a cost of a transform: the first call always has a column.
    let table = Table::new(&report, ("kind", widest), &[], true).of_batches(cases.iter().map(|(row, _)| row));
    session::run(report, &table, (common, audience), Rates::Linear, cases, |case, schedule, turn| match case.kind {
        ScalarKind::S => measure::<f32>(case, &target, &libraries, schedule, turn),
        ScalarKind::D => measure::<f64>(case, &target, &libraries, schedule, turn),
        ScalarKind::C => measure::<Complex32>(case, &target, &libraries, schedule, turn),
        ScalarKind::Z => measure::<Complex64>(case, &target, &libraries, schedule, turn),
    })
}

impl FftArguments {
    fn cases(&self, target: &Target) -> Vec<Case> {
        let on_gpu = target.info().is_some_and(|facts| facts.class == DeviceClass::Gpu);
        // Several times the caches of a GPU.
        let points = self.points.unwrap_or(if on_gpu { 1 << 25 } else { 1 << 22 });
        let default = [Shapes::default_for(points)];
        let shapes = if self.sizes.is_empty() { &default[..] } else { &self.sizes };
        let mut cases = Vec::new();
        for kind in TypeLetter::kinds_or(&self.types, [ScalarKind::C, ScalarKind::Z], target) {
            let lengths = shapes.iter().flat_map(|shapes| &shapes.0);
            cases.extend(lengths.map(|lengths| Case::new(kind, lengths, points)));
        }
        cases
    }
}

/// Lengths of one pass, of several, of a prime, and of two dimensions.
pub fn checks(kind: ScalarKind, target: &Target) -> Vec<Check> {
    const LENGTHS: [&[usize]; 5] = [&[60], &[1024], &[1 << 14], &[1009], &[36, 50]];
    let check = |lengths: &[usize]| {
        let case = Case::new(kind, lengths, 1 << 14);
        match kind {
            ScalarKind::S => check::<f32>(&case, target),
            ScalarKind::D => check::<f64>(&case, target),
            ScalarKind::C => check::<Complex32>(&case, target),
            ScalarKind::Z => check::<Complex64>(&case, target),
        }
    };
    LENGTHS.into_iter().map(check).collect()
}

fn check<T: Element>(case: &Case, target: &Target) -> Check {
    let entrant = Data::<T>::random(case, 1).and_then(|data| ours::entrant(&Arc::new(data), target));
    Check::once(case.report().describe(), entrant)
}

fn measure<T: Element>(
    case: &Case,
    target: &Target,
    libraries: &[Library],
    schedule: &Schedule,
    turn: &mut dyn FnMut(usize),
) -> Measured {
    let data = Arc::new(Data::<T>::random(case, libraries.len() + 1)?);
    let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(&data, target)];
    entrants.extend(libraries.iter().map(|library| library.entrant(&data)));
    Ok(race(entrants, schedule, turn))
}
