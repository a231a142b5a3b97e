//! The option `--json [FILE]`: the one way in which every command gives JSON.
//!
//! A command flattens [`JsonOption`] into its arguments and ends with [`JsonOption::give`]. Every document names its
//! schema, `affinimath/COMMAND/1`: the number changes when a field changes its meaning or goes away.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Command;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::replace::{check_folder, replace_text};
use crate::stdout::print;

/// The version of every schema.
const VERSION: u32 = 1;

/// The FILE that means standard output.
const STDOUT: &str = "-";

/// The option `--json [FILE]`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct JsonOption {
    /// Print JSON instead of text, or write it to FILE and print text
    ///
    /// A FILE that does not end in .json is written --json=FILE. The FILE - is standard output.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = STDOUT)]
    json: Option<PathBuf>,
}

impl JsonOption {
    /// True if JSON is wanted at all.
    pub const fn is_asked(&self) -> bool {
        self.json.is_some()
    }

    /// True if JSON replaces the text on standard output.
    pub fn replaces_text(&self) -> bool {
        self.json.as_deref().is_some_and(is_stdout)
    }

    /// The file that is written, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| !is_stdout(path))
    }

    /// Checks that the file's folder is there, before time is spent on what the file will hold.
    ///
    /// # Errors
    /// A folder that is not there.
    pub fn check_folder(&self) -> Result<(), Failure> {
        self.file().map_or(Ok(()), check_folder)
    }

    /// Ends a command: prints its text, or its JSON, and writes the file.
    ///
    /// # Errors
    /// A file or standard output that cannot be written.
    pub fn give(&self, command: &str, fields: Value, text: &str) -> Result<(), Failure> {
        if !self.replaces_text() {
            print(text)?;
        }
        self.document(command, fields)
    }

    /// Prints or writes the JSON, if it is asked for. The command has printed its text, where there is any.
    ///
    /// # Errors
    /// A file or standard output that cannot be written.
    pub fn document(&self, command: &str, fields: Value) -> Result<(), Failure> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = text(command, fields);
        match self.file() {
            None => print(&text),
            Some(_) => replace_text(path, &text).map_err(|error| Failure::file("cannot write", path, error)),
        }
    }
}

/// The schema of a command's documents; a subcommand follows after a hyphen, as in `bench-level2`.
pub(crate) fn schema(command: &str) -> String {
    format!("affinimath/{command}/{VERSION}")
}

/// A document: the schema first, then the fields.
fn text(command: &str, fields: Value) -> String {
    let mut document = json!({ "schema": schema(command) });
    match (document.as_object_mut(), fields) {
        (Some(document), Value::Object(fields)) => document.extend(fields),
        (Some(document), other) => drop(document.insert("result".to_owned(), other)),
        (None, _) => unreachable!("the document was made as an object"),
    }
    format!("{document:#}\n")
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Attaches the FILE that follows `--json` as a word of its own.
///
/// Such a word could also be the command's first file: `solve --json A.mtx` must not overwrite the matrix. So it counts
/// as FILE only where it ends in `.json`, or is `-` and the command has no files by position.
pub fn attach_file(arguments: impl IntoIterator<Item = OsString>, program: &Command) -> Vec<OsString> {
    let (mut attached, mut command, mut ended) = (Vec::<OsString>::new(), program, false);
    for argument in arguments {
        if !ended && attached.last().is_some_and(|last| last == "--json") && is_json_file(&argument, command) {
            let option = attached.last_mut().expect("there is a last one");
            option.push("=");
            option.push(&argument);
            continue;
        }
        ended |= argument == "--";
        if !ended && let Some(inner) = argument.to_str().and_then(|name| command.find_subcommand(name)) {
            command = inner;
        }
        attached.push(argument);
    }
    attached
}

fn is_json_file(word: &OsStr, command: &Command) -> bool {
    let has_files = command.get_positionals().next().is_some();
    Path::new(word).extension().is_some_and(|ending| ending == "json") || (word == STDOUT && !has_files)
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    fn attached(words: &str) -> String {
        let solve = Command::new("solve").arg(clap::Arg::new("matrix"));
        let program = Command::new("affinimath").subcommand(solve).subcommand(Command::new("info"));
        let arguments = attach_file(words.split(' ').map(OsString::from), &program);
        arguments.join(OsStr::new(" ")).into_string().unwrap()
    }

    fn option(words: &[&str]) -> Result<JsonOption, clap::Error> {
        let command = JsonOption::augment_args(Command::new("test")).arg(clap::Arg::new("matrix"));
        JsonOption::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn a_matrix_after_the_option_is_never_the_file_that_is_written() {
        for (words, told) in [
            ("x solve --json A.mtx", "x solve --json A.mtx"),
            ("x solve --json out.json A.mtx", "x solve --json=out.json A.mtx"),
            ("x solve --json - b.mtx", "x solve --json - b.mtx"),
            ("x solve --json=- A.mtx", "x solve --json=- A.mtx"),
            ("x solve -- --json a.json", "x solve -- --json a.json"),
            ("x info --json -", "x info --json=-"),
            ("x info --json", "x info --json"),
            ("x info --json /tmp/info.json", "x info --json=/tmp/info.json"),
        ] {
            assert_eq!(attached(words), told);
        }
    }

    #[test]
    fn the_option_stands_alone_or_has_a_file() {
        let [none, alone, minus, file] =
            [&["x"][..], &["x", "--json", "A.mtx"], &["x", "--json=-"], &["x", "--json=a"]].map(|w| option(w).unwrap());
        assert!(!none.replaces_text() && none.file().is_none());
        assert!(alone.replaces_text() && alone.file().is_none());
        assert!(minus.replaces_text() && minus.file().is_none());
        assert!(!file.replaces_text() && file.file() == Some(Path::new("a")));
        assert!(option(&["x", "--json=a", "--json=b"]).is_err());
    }

    #[test]
    fn every_document_has_its_schema() {
        let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        let document = read(text("cache-info", json!({ "bytes": 3 })));
        assert_eq!(document, json!({ "schema": "affinimath/cache-info/1", "bytes": 3 }));
        assert_eq!(read(text("info", json!([1])))["result"], json!([1]));
    }

    #[test]
    fn a_file_has_the_document_and_a_folder_that_is_not_there_is_told_early() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| JsonOption { json: Some(folder.path().join(name)) };
        file("a.json").check_folder().unwrap();
        file("a.json").document("info", json!({ "x": 1 })).unwrap();
        assert!(std::fs::read_to_string(folder.path().join("a.json")).unwrap().contains("affinimath/info/1"));
        assert!(file("absent/a.json").check_folder().unwrap_err().0.contains("there is no folder"));
        assert!(file("absent/a.json").document("info", json!({})).is_err());
    }
}
