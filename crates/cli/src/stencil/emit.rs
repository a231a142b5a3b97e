//! `affinimath stencil --emit`: a program of its own in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use affinimath::Context;
use affinimath::stencil::emit::{File, Options, program};
use affinimath::stencil::{Class, Design, DeviceProfile, Language, Stencil};
use affinimath_bench::{Failure, replace};

use super::grids::{self, Array, Given};
use super::{Arguments, Printed, design, failed};

/// The list of a program's files, in its folder: a folder with it is written anew.
const LIST: &str = ".affinimath-emit";

/// A run that becomes a program.
pub struct Program<'a> {
    pub stencil: &'a Stencil,
    pub sizes: &'a [(&'a str, i64)],
    pub given: &'a [Given],
    pub arrays: &'a [Array],
}

impl Program<'_> {
    /// Writes the program, and tells what to do with it.
    pub fn write(&self, folder: &Path, arguments: &Arguments, context: &Context) -> Result<String, Failure> {
        let language = match arguments.print {
            Some(Printed::Cuda) => Language::Cuda,
            Some(Printed::Opencl) => Language::OpenCl,
            Some(Printed::C99) => Language::C99,
            _ if arguments.fortran => Language::C99,
            _ => Language::OpenCl,
        };
        let design = self.design(arguments, context, language)?;
        let options = Options {
            language,
            fortran: arguments.fortran,
            first: arguments.first,
            steps: arguments.steps,
            fills: grids::fills(design.bound(), self.given, self.arrays)?,
            parameters: grids::parameters(design.bound(), &arguments.param)?,
        };
        let files = program(&design, &options).map_err(failed)?;
        write_files(folder, &files)?;
        let (name, count, strategy) = (self.stencil.name(), files.len(), design.strategy());
        let shown = folder.display();
        Ok(format!(
            "{name}: {count} files in {shown}, kernels for {}, strategy {strategy}\n\
             make -C '{shown}' run validates and times it\n",
            design.facts().name
        ))
    }

    /// The kernels' device: that of the file of facts, the one of `--device`, or a common one.
    fn design(&self, arguments: &Arguments, context: &Context, language: Language) -> Result<Design, Failure> {
        if let Some(file) = &arguments.facts {
            return design::design(file, self.stencil, self.sizes, arguments);
        }
        let facts = match context.device() {
            Some(device) => DeviceProfile::of(device.info()),
            None if language == Language::C99 => {
                DeviceProfile { name: "the host".to_owned(), class: Class::Cpu, ..DeviceProfile::default() }
            }
            None => DeviceProfile::default(),
        };
        let mut design = Design::new(self.stencil, facts, self.sizes).map_err(failed)?;
        if let Some(strategy) = &arguments.strategy {
            design.set_strategy_text(strategy).map_err(failed)?;
        }
        Ok(design)
    }
}

/// Writes files into a folder that is not there, is empty, or has the files of an earlier program.
fn write_files(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let old = old_files(folder)?;
    let new: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
    let list = |paths: &BTreeSet<String>| paths.iter().map(|path| format!("{path}\n")).collect::<String>();
    let write = |path: &Path, content: &[u8]| {
        let parent = path.parent().unwrap_or(folder);
        let made = fs::create_dir_all(parent);
        made.and_then(|()| fs::write(path, content)).map_err(|error| Failure::file("cannot write", path, error))
    };
    // A program that is killed in the middle leaves a list with all of its files.
    write(&folder.join(LIST), list(&old.union(&new).cloned().collect()).as_bytes())?;
    for path in old.difference(&new) {
        // A file that is gone already is as it should be.
        let _ = fs::remove_file(folder.join(path));
    }
    for file in files {
        write(&folder.join(&file.path), &file.content)?;
    }
    let path = folder.join(LIST);
    replace::replace_text(&path, &list(&new)).map_err(|error| Failure::file("cannot write", &path, error))
}

/// The files of the folder's program.
fn old_files(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(Failure::file("cannot write into", folder, error)),
    };
    match fs::read_to_string(folder.join(LIST)) {
        Ok(list) => {
            let within = |path: &&str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
            Ok(list.lines().filter(|line| !line.is_empty()).filter(within).map(str::to_owned).collect())
        }
        Err(_) if entries.next().is_none() => Ok(BTreeSet::new()),
        Err(_) => {
            let reason = "it is not empty, and none of its files is from --emit";
            Err(Failure::file("cannot write into", folder, reason))
        }
    }
}
