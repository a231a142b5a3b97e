//! Kernel files and their `#include` lines: one text for the device's compiler, which sees no files. A file with the
//! line `#pragma once` is in it once; a template, without that line, as often as it is included.

use std::collections::HashSet;
use std::fmt::{self, Write};

/// The kernel files of a crate: paths under its folder `cl/` and texts, sorted by path.
#[derive(Clone, Copy, Debug)]
pub struct KernelFiles(pub &'static [(&'static str, &'static str)]);

/// An `#include` that cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncludeError {
    /// No file has this path.
    Missing { path: String, included_from: String },
    /// The file includes itself, by way of others.
    Cyclic { path: String, included_from: String },
}

impl fmt::Display for IncludeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path, included_from } => write!(formatter, "{included_from} includes {path}: no such file"),
            Self::Cyclic { path, included_from } => write!(formatter, "{included_from} includes {path}: a cycle"),
        }
    }
}

impl KernelFiles {
    /// The text of a file, or `None` where no file has this path.
    pub fn text(&self, path: &str) -> Option<&'static str> {
        self.entry(path).map(|(_, text)| text)
    }

    /// The file and all that it includes.
    ///
    /// # Errors
    /// The first `#include` that cannot be resolved.
    pub fn assemble(&self, path: &str) -> Result<String, IncludeError> {
        let mut assembly = Assembly {
            files: *self,
            text: String::new(),
            branches: vec![HashSet::new()],
            guarded: HashSet::new(),
            open: Vec::new(),
        };
        let Some((path, text)) = self.entry(path) else {
            return Err(IncludeError::Missing { path: path.to_owned(), included_from: "a program".to_owned() });
        };
        assembly.push_file(path, text)?;
        Ok(assembly.text)
    }

    fn entry(&self, path: &str) -> Option<(&'static str, &'static str)> {
        self.0.binary_search_by_key(&path, |(each, _)| each).ok().map(|index| self.0[index])
    }
}

/// A text that grows file by file.
struct Assembly {
    files: KernelFiles,
    text: String,
    /// Files that are in the text, for each `#if` around its end: those of the branch that is open. The first set is of
    /// files outside every `#if`.
    branches: Vec<HashSet<&'static str>>,
    /// Files that are in the text with a guard, because they are in a branch that may not be compiled.
    guarded: HashSet<&'static str>,
    /// Files around the text's end, outermost first.
    open: Vec<&'static str>,
}

impl Assembly {
    fn push_file(&mut self, path: &'static str, text: &'static str) -> Result<(), IncludeError> {
        self.open.push(path);
        for line in text.lines() {
            let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
            let word_end = directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len());
            match (&directive[..word_end], directive[word_end..].trim()) {
                ("include", name) => {
                    self.include(name.trim_matches('"'))?;
                    continue;
                }
                ("pragma", "once") => continue,
                ("if" | "ifdef" | "ifndef", _) => self.branches.push(HashSet::new()),
                ("elif" | "else", _) => self.branch().clear(),
                ("endif", _) => drop(self.branches.pop()),
                _ => {}
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.open.pop();
        Ok(())
    }

    fn branch(&mut self) -> &mut HashSet<&'static str> {
        self.branches.last_mut().expect("the preprocessor's conditions of a file are balanced")
    }

    /// A file in a branch has a guard, as it may be needed again: after the branch, or in another one.
    fn include(&mut self, path: &str) -> Result<(), IncludeError> {
        let including = self.open.last().copied().unwrap_or_default();
        let Some((path, text)) = self.files.entry(path) else {
            return Err(IncludeError::Missing { path: path.to_owned(), included_from: including.to_owned() });
        };
        if self.open.contains(&path) {
            return Err(IncludeError::Cyclic { path: path.to_owned(), included_from: including.to_owned() });
        }
        if !text.lines().any(|line| line == "#pragma once") {
            return self.push_file(path, text);
        }
        if self.branches.iter().any(|branch| branch.contains(path)) {
            return Ok(());
        }
        self.branch().insert(path);
        if self.branches.len() > 1 {
            self.guarded.insert(path);
        }
        if !self.guarded.contains(path) {
            return self.push_file(path, text);
        }
        let name = path.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        writeln!(self.text, "#ifndef INCLUDED_{name}\n#define INCLUDED_{name}").expect("a String takes every write");
        self.push_file(path, text)?;
        self.text.push_str("#endif\n");
        Ok(())
    }
}

#[cfg(test)]
mod host {
    use super::*;

    const FILES: KernelFiles = KernelFiles(&[
        ("a.cl", "#pragma once\nint a;\n"),
        ("b.cl", "#pragma once\n#include \"a.cl\"\nint b;\n"),
        ("branches.cl", "#if X\n#include \"b.cl\"\n#else\n#include \"a.cl\"\n#endif\n#include \"a.cl\"\n"),
        ("cycle.cl", "#pragma once\n#include \"ring.cl\"\n"),
        ("lost.cl", "#include \"nowhere.cl\"\n"),
        ("ring.cl", "#pragma once\n#include \"cycle.cl\"\n"),
        ("template.cl", "#include \"a.cl\"\nint NAME;\n#undef NAME\n"),
        ("templates.cl", "#define NAME x\n#include \"template.cl\"\n#define NAME y\n#include \"template.cl\"\n"),
        ("twice.cl", "#include \"b.cl\"\n#if X\n#include \"a.cl\"\n#endif\n#include \"a.cl\"\nint c;\n"),
    ]);

    #[test]
    fn a_file_is_in_the_text_once_and_before_those_that_include_it() {
        assert_eq!(FILES.assemble("twice.cl").unwrap(), "int a;\nint b;\n#if X\n#endif\nint c;\n");
    }

    #[test]
    fn a_template_is_in_the_text_as_often_as_it_is_included() {
        let template = "int NAME;\n#undef NAME\n";
        assert_eq!(
            FILES.assemble("templates.cl").unwrap(),
            format!("#define NAME x\nint a;\n{template}#define NAME y\n{template}")
        );
    }

    #[test]
    fn files_in_branches_have_guards() {
        let guard =
            |name: &str, text: &str| format!("#ifndef INCLUDED_{name}\n#define INCLUDED_{name}\n{text}#endif\n");
        let a = guard("a_cl", "int a;\n");
        let b = guard("b_cl", &format!("{a}int b;\n"));
        assert_eq!(FILES.assemble("branches.cl").unwrap(), format!("#if X\n{b}#else\n{a}#endif\n{a}"));
    }

    #[test]
    fn includes_that_cannot_be_resolved_are_errors() {
        let names = |path: &str, from: &str| (path.to_owned(), from.to_owned());
        let (path, included_from) = names("nowhere.cl", "lost.cl");
        assert_eq!(FILES.assemble("lost.cl"), Err(IncludeError::Missing { path, included_from }));
        let (path, included_from) = names("cycle.cl", "ring.cl");
        assert_eq!(FILES.assemble("cycle.cl"), Err(IncludeError::Cyclic { path, included_from }));
        assert!(FILES.assemble("absent.cl").is_err());
    }
}
