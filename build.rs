//! Writes the table of kernel files that src/program.rs includes: the path of each file under cl/, and its text.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo looks at every file below.
    println!("cargo::rerun-if-changed=cl");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("cl");
    let mut paths = Vec::new();
    collect(&root, "", &mut paths).expect("the folder of kernels is readable");
    paths.sort();
    let mut table = String::from("&[\n");
    for path in paths {
        let include = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/cl/{path}\"))");
        writeln!(table, "    (\"{path}\", {include}),").expect("a String takes every write");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("kernel_files.rs"), table).expect("the table is written to cargo's folder");
}

/// Paths of all kernel files in `folder`, each behind `prefix`.
fn collect(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().expect("kernels have names in ASCII");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), paths)?;
        } else if name.ends_with(".cl") {
            paths.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
