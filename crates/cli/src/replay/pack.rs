//! `affinimath replay pack`: a recorded launch or a trace in one file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use affinimath::replay::{Case, Code};
use affinimath_bench::Failure;
use affinimath_bench::replace::{check_folder, replace, sync};
use affinimath_bench::stdout::print;
use affinimath_trace::redact;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::run::Devices;
use super::sources::{cases, open};
use super::{Problem, sources};

/// The arguments of `affinimath replay pack`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folder of a recorded launch or of a trace
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write this file; without it, the folder's name with .zip
    #[arg(long, value_name = "FILE.zip")]
    out: Option<PathBuf>,
    /// Replace floating-point numbers by random ones of the same classes (finite, zero, NaN, infinite); the results
    /// are those of the device again, and the lines of a trace are left out
    #[arg(long)]
    redact: bool,
    /// Device of the new results of --redact: auto (the recorded one, or else the first), or a device by its index or
    /// part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto", requires = "redact")]
    device: String,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "redact")]
    seed: u64,
}

type Archive = ZipWriter<BufWriter<File>>;

/// Packs a folder. Nothing is written where it is no case and no trace.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Problem> {
    let folder = &arguments.folder;
    let out = arguments.out.clone().unwrap_or_else(|| {
        let mut name =
            folder.canonicalize().unwrap_or_else(|_| folder.clone()).file_name().unwrap_or_default().to_owned();
        name.push(".zip");
        PathBuf::from(name)
    });
    check_folder(&out)?;
    let single = open(folder)?.has("launch.json");
    let mut packed = Vec::new();
    for (number, sources::Named { name, files }) in cases(folder)?.into_iter().enumerate() {
        let malformed = |error: affinimath::replay::Error| Problem::Malformed(format!("{name}: {error}"));
        let mut case = Case::from_files(&*files).map_err(malformed)?;
        if arguments.redact {
            hide(&mut case, &name, arguments, number as u64)?;
        }
        packed.push((name, case));
    }
    let lines = if single || arguments.redact { None } else { open(folder)?.text("trace.jsonl").ok() };
    let written = replace(&out, |file| write(file, &packed, single, lines.as_deref()));
    written.map_err(|error| Failure::file("cannot write", &out, error))?;
    print(&format!("{} recorded launches in {}\n", packed.len(), out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Redacts a case, and takes the device's results for the new numbers.
fn hide(case: &mut Case, name: &str, arguments: &Arguments, number: u64) -> Result<(), Problem> {
    let unknown = redact(case.recorded_mut(), arguments.seed.wrapping_add(number << 32));
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|index| case.launch().argument_name(*index)).collect();
        eprintln!("affinimath: {name}: bytes of unknown type stay as they are: {}", names.join(", "));
    }
    let outcome = Devices::choose(&arguments.device)?.queue(case).map_err(affinimath::replay::Error::from);
    match outcome.and_then(|queue| case.run_on(&queue, Code::Recorded)) {
        Ok(outcome) => case.set_results(outcome),
        Err(error) => eprintln!("affinimath: {name}: without results: {error}"),
    }
    Ok(())
}

fn write(file: File, cases: &[(String, Case)], single: bool, lines: Option<&str>) -> std::io::Result<()> {
    let mut archive = ZipWriter::new(BufWriter::new(file));
    if let Some(lines) = lines {
        add(&mut archive, "trace.jsonl", &[lines.as_bytes()])?;
    }
    for (folder, case) in cases {
        let path = |name: &str| if single { name.to_owned() } else { format!("{folder}/{name}") };
        case.recorded().write_files(|name, parts| add(&mut archive, &path(name), parts))?;
    }
    sync(&archive.finish()?.into_inner()?)
}

fn add(archive: &mut Archive, path: &str, parts: &[&[u8]]) -> std::io::Result<()> {
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let options = options.large_file(bytes as u64 > u32::MAX.into());
    archive.start_file(path, options)?;
    parts.iter().try_for_each(|part| archive.write_all(part))
}
