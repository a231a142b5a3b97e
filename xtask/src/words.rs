//! Checks of the words: replaced ones do not come back, lines end at 120 columns, and a doc comment begins with its
//! subject.
//!
//! `words.txt` lists replaced words, `pending.txt` the folders in which a check does not hold yet.

use std::fs;
use std::path::Path;
use std::process::Command;

const WORDS: &str = include_str!("words.txt");
const PENDING: &str = include_str!("pending.txt");

/// The columns of a line, at most.
const COLUMNS: usize = 120;

/// Endings of files that replaced words are searched in.
const WORDED: [&str; 4] = ["rs", "cl", "md", "toml"];

/// Endings of files whose lines are measured.
const MEASURED: [&str; 7] = ["rs", "cl", "h", "c", "sh", "py", "toml"];

/// Words that no doc comment begins with.
const OPENINGS: [&str; 3] = ["What", "Who", "Whether"];

/// A replaced word, and the one to write.
struct Replaced<'t> {
    old: &'t str,
    new: &'t str,
}

/// The replaced words of a list, and the paths that it leaves out.
fn parse(list: &str) -> Result<(Vec<Replaced<'_>>, Vec<&str>), String> {
    let (mut words, mut skipped) = (Vec::new(), Vec::new());
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.split_once(" -> "), line.strip_prefix("skip ")) {
            (Some((old, new)), _) => words.push(Replaced { old, new }),
            (None, Some(path)) => skipped.push(path),
            (None, None) => return Err(format!("words.txt: '{line}' is neither 'old -> new' nor 'skip PATH'")),
        }
    }
    Ok((words, skipped))
}

/// The paths that a check leaves out.
fn pending(check: &str) -> Vec<&'static str> {
    let lines = PENDING.lines().filter_map(|line| line.split_once(' '));
    lines.filter(|(named, _)| *named == check).map(|(_, path)| path).collect()
}

fn is_below(path: &str, paths: &[&str]) -> bool {
    paths.iter().any(|listed| path.starts_with(listed))
}

/// Finds a word with neither a letter, a digit nor an underscore on either side. A path such as `a::b` is not found in
/// `c::a::b`.
fn contains_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

/// The first word of a doc comment, where `line` begins one: the line before it is none.
fn opening<'l>(line: &'l str, before: &str) -> Option<&'l str> {
    let text = |line: &'l str| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
    };
    let is_doc = before.trim_start().starts_with("///") || before.trim_start().starts_with("//!");
    if is_doc { None } else { text(line)?.split_whitespace().next() }
}

/// All that is wrong in one file.
fn problems_in(path: &str, text: &str, words: &[Replaced<'_>]) -> Vec<String> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let measured = MEASURED.contains(&ending) && !is_below(path, &pending("columns"));
    let opened = ending == "rs" && !is_below(path, &pending("openings"));
    let words = if WORDED.contains(&ending) { words } else { &[] };
    let (mut problems, mut before) = (Vec::new(), "");
    for (number, line) in (1..).zip(text.lines()) {
        let mut tell = |problem: String| problems.push(format!("{path}:{number}: {problem}"));
        for Replaced { old, new } in words.iter().filter(|word| contains_word(line, word.old)) {
            tell(format!("'{old}': write '{new}'"));
        }
        let columns = line.chars().count();
        if measured && columns > COLUMNS {
            tell(format!("{columns} columns, of {COLUMNS}"));
        }
        if let Some(word) = opening(line, before).filter(|word| opened && OPENINGS.contains(word)) {
            tell(format!("a doc comment begins with '{word}': name the thing"));
        }
        before = line;
    }
    problems
}

/// Reads all files that git knows or would add.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let output = Command::new("git").arg("-C").arg(root).args(list).output().map_err(|e| format!("git: {e}"))?;
    if !output.status.success() {
        return Err(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let (words, skipped) = parse(WORDS)?;
    let mut problems = Vec::new();
    for path in String::from_utf8_lossy(&output.stdout).split('\0') {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if is_below(path, &skipped) || !(WORDED.contains(&ending) || MEASURED.contains(&ending)) {
            continue;
        }
        // A file that was moved and not yet added is listed and not there.
        if let Ok(text) = fs::read_to_string(root.join(path)) {
            problems.extend(problems_in(path, &text, &words));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::{Replaced, contains_word, parse, problems_in};

    #[test]
    fn no_replaced_word_comes_back() {
        let problems = super::problems(crate::root()).unwrap();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    #[test]
    fn words_are_found_whole() {
        assert!(contains_word("use a::Old;", "Old"));
        assert!(contains_word("(Op::Old)", "Op::Old"));
        assert!(!contains_word("Older, OldOnes, an_Old", "Old"));
    }

    #[test]
    fn a_problem_has_its_file_and_its_line() {
        let words = [Replaced { old: "Old", new: "New" }];
        let text = format!("/// Whether\n/// What\nlet x = Old;\n\n//! Who\n{}\n", "é".repeat(121));
        let found = problems_in("a.rs", &text, &words);
        let starts = ["a.rs:1: a doc", "a.rs:3: 'Old': write 'New'", "a.rs:5: a doc", "a.rs:6: 121 columns"];
        assert_eq!(found.len(), starts.len());
        assert!(found.iter().zip(starts).all(|(problem, start)| problem.starts_with(start)), "{found:?}");
        assert_eq!(problems_in("a.h", &text, &words).len(), 1);
    }

    #[test]
    fn a_line_of_neither_form_is_refused() {
        assert!(parse("old = new").is_err());
        let (words, skipped) = parse("# why\n\nold word -> new\nskip a/\n").unwrap();
        assert_eq!((words[0].old, words[0].new, skipped.as_slice()), ("old word", "new", ["a/"].as_slice()));
    }
}
