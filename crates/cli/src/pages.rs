//! `affinimath pages`: man pages and completions, for installation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use affinimath_bench::Failure;
use clap::Command;
use clap_complete::Shell;

/// The arguments of `affinimath pages`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder to write into, such as /usr/share
    folder: PathBuf,
}

/// The folder in which each shell looks for completions of other packages.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/affinimath"),
    (Shell::Zsh, "zsh/site-functions/_affinimath"),
    (Shell::Fish, "fish/vendor_completions.d/affinimath.fish"),
];

/// Writes a man page for the program and each of its commands, and a file of completions for each shell.
pub fn run(arguments: &Arguments, program: Command) -> Result<(), Failure> {
    write(&arguments.folder, program)
        .map_err(|error| Failure(format!("{} cannot be written: {error}", arguments.folder.display())))
}

fn write(folder: &Path, program: Command) -> io::Result<()> {
    for (shell, name) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut program.clone(), "affinimath", &mut text);
        write_file(&folder.join(name), &text)?;
    }
    let pages = folder.join("man/man1");
    fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(program, &pages)
}

fn write_file(path: &Path, text: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
    fs::write(path, text)
}
