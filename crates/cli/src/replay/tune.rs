//! `affinimath replay DIR --tune SPACE.json`: the search of `affinimath tune kernel` on a recorded launch.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use affinimath::replay::{Case, Error};
use affinimath_bench::Failure;

use super::sources::Named;
use super::{Arguments, Problem};
use crate::tune;

/// A launch's folder, which is removed with this where it is a temporary one.
struct Launch {
    folder: PathBuf,
    is_temporary: bool,
}

impl Drop for Launch {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Attempts at a new name.
const ATTEMPTS: u32 = 1000;

/// A new folder among the temporary files, which nobody else writes.
fn temporary() -> Result<PathBuf, Failure> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut number = 0;
    loop {
        let folder = std::env::temp_dir().join(format!("affinimath-replay-{}-{number}", process::id()));
        number += 1;
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            // Left by another process of that id.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < ATTEMPTS => {}
            Err(error) => return Err(Failure::file("cannot write", &folder, error)),
        }
    }
}

/// The folder of the only launch. Packed ones, and those of other tools, are written to a temporary one.
fn folder(arguments: &Arguments) -> Result<Launch, Problem> {
    if let ([path], None) = (&arguments.cases[..], arguments.from)
        && path.join("launch.json").is_file()
    {
        return Ok(Launch { folder: path.clone(), is_temporary: false });
    }
    let launches = arguments.launches()?;
    let [Named { name, files }] = &launches[..] else {
        return Err(Failure(format!("--tune takes one launch, and these are {}", launches.len())).into());
    };
    let case = Case::from_files(&**files).map_err(|error| match error {
        Error::Malformed(error) => Problem::Malformed(format!("{name}: {error}")),
        other => Failure(format!("{name}: {other}")).into(),
    })?;
    let folder = temporary()?;
    let launch = Launch { folder: folder.clone(), is_temporary: true };
    case.recorded().save(&folder).map_err(|error| Failure::file("cannot write", &folder, error))?;
    Ok(launch)
}

/// Tunes the launch's source, or another one.
pub(super) fn run(arguments: &Arguments, space: &Path) -> Result<ExitCode, Problem> {
    let launch = folder(arguments)?;
    let mut words: Vec<OsString> = Vec::new();
    let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
    option("--case", launch.folder.clone().into());
    option("--space", space.into());
    option("--tolerance", arguments.check.to_string().into());
    option("--device", arguments.device.clone().into());
    if let Some(budget) = &arguments.budget {
        option("--budget", budget.into());
    }
    if let Some(strategy) = &arguments.strategy {
        option("--strategy", strategy.into());
    }
    if let Some(source) = &arguments.kernel {
        words.extend(["--".into(), source.into()]);
    }
    tune::kernel_of(&words, arguments.json.clone())?;
    Ok(ExitCode::SUCCESS)
}
