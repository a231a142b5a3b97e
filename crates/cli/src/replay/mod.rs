//! `affinimath replay`: recorded launches are run again, compared, timed and packed.

mod clintercept;
mod difference;
mod measure;
mod pack;
mod run;
mod save;
mod sources;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;

use affinimath::replay::Tolerance;
use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use clap::ValueEnum;

/// The end of the `--help` text.
pub const HELP: &str = "\
AFFINIMATH_TRACE=DIR has any program that uses the library write a trace: a line for each launch, and a folder with \
its arguments,
its source and its memory before and after. AFFINIMATH_TRACE=DIR,kernel=gemm*,from=10,count=2 records some of them.

  AFFINIMATH_TRACE=trace affinimath bench gemm --sizes 64 --device 0
  affinimath replay trace
  affinimath replay trace/000003-gemm_tiled --kernel changed.cl --check 2ulp --time
  affinimath replay --diff good bad
  affinimath replay pack trace/000003-gemm_tiled --redact
  affinimath replay trace/000003-blur --tune blur.t1.json
  LD_PRELOAD=libaffinimath_trace.so.0 AFFINIMATH_TRACE=trace ./foreign-program
  affinimath replay --from clintercept dumps --out cases

The exit code is 1 where a result differs, and 2 for a malformed case. A case's source runs on this machine: look at \
those of
strangers first.";

/// The arguments of `affinimath replay`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Folders of recorded launches or of traces, or packed ones; with --from, another tool's dumps
    #[arg(value_name = "DIR", required_unless_present = "diff")]
    cases: Vec<PathBuf>,
    /// Compare two traces, launch by launch, and run nothing
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = [
        "cases", "check", "time", "energy", "interpret", "kernel", "text", "device", "from", "out", "tune"
    ])]
    diff: Option<Vec<PathBuf>>,
    /// Read dumps of another tool: those of Intel's OpenCL intercept layer with CLI_CaptureReplay
    #[arg(long, value_name = "TOOL")]
    from: Option<Tool>,
    /// Write the launches as folders of recorded ones into this folder, and run nothing
    #[arg(long, value_name = "FOLDER", requires = "from", conflicts_with_all = [
        "check", "time", "energy", "interpret", "kernel", "text", "device", "tune"
    ])]
    out: Option<PathBuf>,
    /// Find the fastest parameters of the launch's source over a space in the format T1, as `tune kernel` does
    #[arg(long, value_name = "SPACE.json", conflicts_with_all = ["time", "energy", "interpret", "text"])]
    tune: Option<PathBuf>,
    /// Measurements, or seconds, of --tune
    #[arg(long, value_name = "N|SECONDSs", requires = "tune")]
    budget: Option<String>,
    /// Search strategy of --tune, as of `tune kernel`
    #[arg(long, value_name = "STRATEGY", requires = "tune")]
    strategy: Option<String>,
    /// How far results may be from the recorded ones: exact, as in 2ulp, or relative to the largest as in 1e-12
    #[arg(long, value_name = "TOLERANCE", default_value = "exact")]
    check: Tolerance,
    /// Run each launch several times, and print its times by the host's and the device's clock, and hardware counters
    #[arg(long)]
    time: bool,
    /// Run each launch for half a second, and print its energy, where the device or the processor tells it
    #[arg(long)]
    energy: bool,
    /// Run generated kernels in the interpreter, which checks every access
    #[arg(long, conflicts_with_all = ["kernel", "device", "time", "energy"])]
    interpret: bool,
    /// Run another source instead of the recorded one
    #[arg(long, value_name = "FILE.cl")]
    kernel: Option<PathBuf>,
    /// Print the kernel in a language, and run nothing: others than opencl for generated kernels
    #[arg(long, value_name = "LANGUAGE", conflicts_with_all = [
        "check", "time", "energy", "interpret", "kernel", "device"
    ])]
    text: Option<Language>,
    /// Device of the runs: auto (the recorded one, or else the first), or a device by its index or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    #[command(flatten)]
    json: JsonOption,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Put a recorded launch or a trace into one file
    Pack(pack::Arguments),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Opencl,
    Cuda,
    Hip,
    C99,
    CVectors,
    Fortran,
}

/// A tool whose dumps are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tool {
    Clintercept,
}

/// Packs, compares, prints, tunes or runs.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let code = match (&arguments.action, &arguments.diff) {
        (Some(Action::Pack(arguments)), _) => pack::run(arguments),
        (None, Some(traces)) => difference::run(traces, &arguments.json),
        (None, None) => match (&arguments.tune, &arguments.out) {
            (Some(space), _) => tune::run(arguments, space),
            (None, Some(out)) => save::run(arguments, out),
            (None, None) => run::run(arguments),
        },
    };
    match code {
        Err(Problem::Malformed(message)) => {
            eprintln!("affinimath: {message}");
            Ok(MALFORMED.into())
        }
        Err(Problem::Failed(failure)) => Err(failure),
        Ok(code) => Ok(code),
    }
}

impl Arguments {
    /// The recorded launches of all paths, in order.
    fn launches(&self) -> Result<Vec<sources::Named>, Problem> {
        let mut all = Vec::new();
        for path in &self.cases {
            all.extend(match self.from {
                None => sources::cases(path)?,
                Some(Tool::Clintercept) => clintercept::read(path).map_err(Problem::Malformed)?,
            });
        }
        Ok(all)
    }
}

/// Exit code for a case or a trace that is none.
const MALFORMED: u8 = 2;

/// Reason for which the command ends early.
enum Problem {
    Malformed(String),
    Failed(Failure),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Problem::Failed(failure)
    }
}

impl From<affinimath::Error> for Problem {
    fn from(error: affinimath::Error) -> Self {
        Problem::Failed(error.into())
    }
}
