//! The floors of the library: each module of `src/` uses those of the floors below its own. This test reads the paths
//! that modules name, and fails on an arrow upward.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of `src/` by floors, from the lowest one up. The crates below have floors of their own: cargo keeps
/// those.
const FLOORS: [&[&str]; 12] = [
    &["program"],
    &["memory"],
    &["pinned"],
    &["blas", "generated"],
    &["fft"],
    &["transfer"],
    &["lapack", "sparse", "vendor"],
    &["spread"],
    &["route"],
    &["array", "stencil"],
    &["tunable"],
    &["fuzzing", "instances"],
];

/// Inline modules of tests, which end a file.
const TESTS: [&str; 3] = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\nmod host {", "#[cfg(test)]\nmod device {"];

/// The modules that a file's text names, tests aside.
fn named(text: &str) -> BTreeSet<String> {
    let text = TESTS.iter().fold(text, |text, tests| text.split(tests).next().unwrap_or_default());
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(several) => {
                let list = several.split('}').next().unwrap_or_default();
                names.extend(list.split(',').map(first_word));
            }
            None => {
                names.insert(first_word(rest));
            }
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The modules that each module of `src/` names. What tests have is not read.
fn arrows(folder: &Path, module: Option<&str>, all: &mut BTreeMap<String, BTreeSet<String>>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if ["tests", "testing", "lib"].contains(&stem.as_str()) {
            continue;
        }
        let own = module.unwrap_or(&stem).to_owned();
        if path.is_dir() {
            arrows(&path, Some(&own), all)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let names = named(&fs::read_to_string(&path)?);
            // Names from the crate's root are types, and `testing` is behind cfg(test).
            let modules = names.into_iter().filter(|name| name.starts_with(|c: char| c.is_lowercase()));
            all.entry(own.clone()).or_default().extend(modules.filter(|name| *name != own && name != "testing"));
        }
    }
    Ok(())
}

#[test]
fn modules_use_the_floors_below_them() {
    let mut all = BTreeMap::new();
    arrows(&crate::root().join("src"), None, &mut all).expect("the sources can be read");
    let floor = |name: &str| FLOORS.iter().position(|floor| floor.contains(&name));
    let mut upward = BTreeSet::new();
    for (own, names) in &all {
        let from = floor(own).unwrap_or_else(|| panic!("src/{own} stands on no floor: FLOORS"));
        // What is no module is a macro or a function of the root.
        for name in names {
            if floor(name).is_some_and(|to| to >= from) {
                upward.insert((own.as_str(), name.as_str()));
            }
        }
    }
    assert!(upward.is_empty(), "arrows upward or along a floor: {upward:?}");
}

#[test]
fn names_are_found_in_paths_and_lists() {
    let code = "use crate::{blas, fft::Plan};\nlet x = crate::host::dot(); // crate::route\n";
    let text = format!("{code}#[cfg(test)]\nmod tests {{\nuse crate::sparse;");
    assert_eq!(named(&text).into_iter().collect::<Vec<_>>(), ["blas", "fft", "host"]);
}
