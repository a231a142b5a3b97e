//! Kernels and bounds for a device that is known by a file of facts.

use std::path::Path;

use affinimath::stencil::analysis::Analysis;
use affinimath::stencil::{Design, DeviceProfile, Language, Stencil};
use affinimath_bench::Failure;

use super::{Arguments, failed};

/// The facts of a file.
pub fn facts(file: &Path) -> Result<DeviceProfile, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| Failure::file("cannot read", file, error))?;
    DeviceProfile::from_json(&text).map_err(|error| Failure(format!("{}: {error}", file.display())))
}

/// A stencil with sizes for the device of a file.
pub fn design(file: &Path, stencil: &Stencil, sizes: &[(&str, i64)], arguments: &Arguments) -> Result<Design, Failure> {
    let mut design = Design::new(stencil, facts(file)?, sizes).map_err(failed)?;
    if let Some(strategy) = &arguments.strategy {
        design.set_strategy_text(strategy).map_err(failed)?;
    }
    Ok(design)
}

/// The kernels that a plan would have on the device of a file.
pub fn kernels(
    file: &Path,
    stencil: &Stencil,
    sizes: &[(&str, i64)],
    arguments: &Arguments,
    language: Language,
) -> Result<String, Failure> {
    design(file, stencil, sizes, arguments)?.source(language).map_err(failed)
}

/// The rate that memory bounds on the device of a file, where there is one.
pub fn bound(arguments: &Arguments, stencil: &Stencil) -> Result<String, Failure> {
    let Some(file) = &arguments.facts else { return Ok(String::new()) };
    let facts = facts(file)?;
    let bytes = Analysis::new(stencil).bytes;
    let most = match facts.copy_bytes_per_second {
        None => "its copy rate is not known".to_owned(),
        Some(_) if bytes == 0 => "memory is no bound".to_owned(),
        Some(rate) => {
            let points = rate / bytes as f64 / 1e6;
            format!("memory bounds a step at {points:.1} million points/s, with copies at {:.2} GB/s", rate / 1e9)
        }
    };
    Ok(format!("on {}: {most}\n", facts.name))
}
