//! `affinimath replay --from TOOL --out FOLDER`: another tool's dumps as folders of recorded launches.

use std::path::Path;
use std::process::ExitCode;

use affinimath::replay::{Case, Error};
use affinimath_bench::Failure;
use affinimath_bench::stdout::print;
use serde_json::json;

use super::{Arguments, Problem};

/// Writes all launches. A folder that is there already is refused, before anything is written.
pub(super) fn run(arguments: &Arguments, out: &Path) -> Result<ExitCode, Problem> {
    arguments.json.check_folder()?;
    let launches = arguments.launches()?;
    let folders: Vec<_> = launches.iter().map(|named| out.join(&named.name)).collect();
    for (index, folder) in folders.iter().enumerate() {
        if folder.exists() || folders[..index].contains(folder) {
            return Err(Failure(format!("{} is there already", folder.display())).into());
        }
    }
    for (named, folder) in launches.iter().zip(&folders) {
        let malformed = |error: Error| Problem::Malformed(format!("{}: {error}", named.name));
        let case = Case::from_files(&*named.files).map_err(malformed)?;
        case.recorded().save(folder).map_err(|error| Failure::file("cannot write", folder, error))?;
    }
    if arguments.json.is_asked() {
        let names: Vec<&str> = launches.iter().map(|named| named.name.as_str()).collect();
        arguments.json.document("replay-out", json!({ "folder": out, "cases": names }))?;
    }
    if !arguments.json.replaces_text() {
        print(&format!("{} recorded launches in {}\n", launches.len(), out.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
