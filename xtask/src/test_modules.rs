//! The module of a test says where it runs. Each test of the library stands in a module `host`, `device` or
//! `device_small`, by whose names `tests/run.sh` selects tests. These tests read the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// A test in none of these modules would run in no section, or in all of them.
const MODULES: [&str; 3] = ["host", "device", "device_small"];

/// Folders of the packages that the rule holds for.
const FOLDERS: [&str; 5] = ["src", "tests", "crates/cpu", "crates/opencl", "ffi"];

/// Types and functions by which tests reach a device.
const OF_DEVICES: [&str; 7] = ["Context", "Device", "DeviceBuffer", "DeviceContext", "Queue", "contexts", "for_tests"];

/// The modules that a file's path tells: those of a binary of tests, else those from `src` on.
fn modules_of(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let is_module = |part: &&String| !["mod", "lib", "main"].contains(&part.as_str());
    let first = match parts.iter().position(|part| part == "src") {
        Some(source) => source + 1,
        None => parts.iter().position(|part| part == "tests").map_or(0, |tests| tests + 2),
    };
    parts.iter().skip(first).filter(is_module).cloned().collect()
}

/// The innermost of the three modules. In a file of the library itself, only modules of tests count: `fft::device` has
/// another meaning.
fn kind(file: &[String], inline: &[String], is_binary: bool) -> Option<String> {
    let of_tests = match file.iter().position(|module| module == "tests") {
        Some(tests) => &file[tests + 1..],
        None if is_binary => file,
        None => &[],
    };
    of_tests.iter().chain(inline).rev().find(|module| MODULES.contains(&module.as_str())).cloned()
}

/// A line without its comment, and without the contents of strings.
fn code(line: &str) -> String {
    line.split("//").next().unwrap_or_default().split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// The name of an inline module that a line opens.
fn opened(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().strip_suffix(" {")?.split_once("mod ")?;
    (before.is_empty() || before.starts_with("pub")).then_some(after)
}

/// A name of [`OF_DEVICES`] in a line. The host's own context, and variants of enums, are none.
fn of_devices(line: &str) -> Option<&'static str> {
    OF_DEVICES.into_iter().find(|name| {
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let in_word = |c: char| c.is_alphanumeric() || c == '_';
            !before.ends_with(in_word)
                && !before.ends_with("Choice::")
                && !before.ends_with("Backend::")
                && !after.starts_with(in_word)
                && !after.starts_with("::host")
        })
    })
}

/// Breaches of the rule in a file, line by line.
fn faults(path: &Path, text: &str) -> Vec<String> {
    let file = modules_of(path);
    let is_binary = !path.iter().any(|part| part == "src");
    let (mut faults, mut inline) = (Vec::new(), Vec::<(usize, String)>::new());
    for (number, line) in text.lines().enumerate() {
        let indentation = line.len() - line.trim_start().len();
        if let Some(module) = opened(line) {
            inline.push((indentation, module.to_owned()));
        } else if line.trim() == "}" && inline.last().is_some_and(|(column, _)| *column == indentation) {
            inline.pop();
        }
        let inner: Vec<_> = inline.iter().map(|(_, module)| module.clone()).collect();
        let kind = kind(&file, &inner, is_binary);
        let location = format!("{}:{}", path.display(), number + 1);
        if line.trim() == "#[test]" {
            let modules = [file.as_slice(), &inner].concat();
            let wrong = match kind.as_deref() {
                None => Some("stands in none of the modules"),
                Some(kind) if kind != "host" && modules.iter().any(|module| module == "host") => {
                    Some("is for a device, inside a module that sections for devices leave out:")
                }
                _ => None,
            };
            faults.extend(wrong.map(|wrong| format!("{location}: the test {wrong} {MODULES:?}")));
        } else if kind.as_deref() == Some("host") {
            let name = of_devices(&code(line));
            faults.extend(name.map(|name| format!("{location}: a module `host` names {name}")));
        }
    }
    faults
}

/// Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
        if path.is_dir() && !path.ends_with("target") {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_test_stands_in_a_module_that_says_where_it_runs() {
    let root = crate::root();
    let mut all = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| sources(&root.join(folder))) {
        let text = fs::read_to_string(&path).expect("the sources can be read");
        all.extend(faults(path.strip_prefix(root).expect("the file is below the root"), &text));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn tests_outside_the_modules_and_devices_on_the_host_are_found() {
    let found = |path: &str, text: &str| faults(Path::new(path), text).len();
    let test = "#[test]\nfn it_adds() {}\n";
    assert_eq!(found("src/fft/plan.rs", &format!("mod tests {{\n{test}}}\n")), 1);
    assert_eq!(found("src/fft/device.rs", test), 1);
    assert_eq!(found("src/fft/tests/device.rs", test), 0);
    assert_eq!(found("src/fft/tests.rs", &format!("mod device_small {{\n    {test}}}\n{test}")), 1);
    assert_eq!(found("crates/cpu/tests/library/host/norm.rs", test), 0);
    assert_eq!(found("src/lapack/tests/host/lu.rs", &format!("mod device {{\n{test}}}\n")), 1);
    let host = |line: &str| found("src/fft/plan.rs", &format!("mod host {{\n    {line}\n}}\n"));
    assert_eq!([host("let queue = Queue::new(&context);"), host("for context in contexts::<f32>() {")], [1; 2]);
    let none = [
        "let context = Context::host();",
        "// A Queue.",
        "DeviceInfo",
        "\"Device\"",
        "Choice::Device",
        "Backend::Device",
    ];
    assert_eq!(none.map(host), [0; 6]);
}
