//! Tasks of the repository: `cargo xtask codegen` writes what is generated from the routine table, `cargo xtask book`
//! checks the book's links, `cargo xtask words` the words of the sources, and `cargo xtask merge-tuning` adds
//! parameters of devices to those that come with the library.

mod book;
mod emit;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod kernels;
mod merge;
#[cfg(test)]
mod test_modules;
mod words;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask codegen [--check]
       cargo xtask book
       cargo xtask words
       cargo xtask merge-tuning FILE...

  codegen          writes the headers, the Fortran module, the lists of symbols and the API pages
  codegen --check  writes nothing, and fails when a committed file differs
  book             fails when a page of the book is not listed, a link leads nowhere, or Rust on a page \
is not tested
  words            fails where a replaced word comes back, a line is longer than 120 columns, or a doc comment has no \
subject
  merge-tuning     adds the lines of users' parameters.jsonl to those that come with the library";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["codegen"] => write_files(),
        ["codegen", "--check"] => check_files(),
        ["book"] => book::problems(root()).and_then(fail_on),
        ["words"] => words::problems(root()).and_then(fail_on),
        ["merge-tuning", files @ ..] if !files.is_empty() => merge::run(root(), files),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root: this crate's parent folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository")
}

/// Writes what differs, so that a build after an unchanged table does nothing.
fn write_files() -> Result<(), String> {
    for file in emit::all()? {
        let path = root().join(&file.path);
        if fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::write(&path, &file.text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("wrote {}", file.path.display());
    }
    Ok(())
}

fn fail_on(problems: Vec<String>) -> Result<(), String> {
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Compares what would be written with what is there.
fn check_files() -> Result<(), String> {
    let mut stale = Vec::new();
    for file in emit::all()? {
        let committed = fs::read_to_string(root().join(&file.path)).unwrap_or_default();
        if committed != file.text {
            stale.push(format!("  {}: {}", file.path.display(), first_difference(&committed, &file.text)));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not what the routine table says (cargo xtask codegen mends it):\n{}", stale.join("\n")))
}

fn first_difference(committed: &str, generated: &str) -> String {
    let same = committed.lines().zip(generated.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").trim().to_owned();
    format!("line {} is '{}' and should be '{}'", same + 1, line(committed), line(generated))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_files_are_what_the_table_says() {
        if let Err(message) = super::check_files() {
            panic!("{message}");
        }
    }
}
