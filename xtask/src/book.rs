//! Checks the book: every page is listed, links lead somewhere, and Rust on a page is tested. `tests/book.sh` compares
//! blocks that show a file with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that are read as pages, besides those of `docs/src`.
const OTHER_PAGES: [&str; 3] = ["README.md", "CHANGELOG.md", "python/README.md"];

/// Everything that is wrong, one line each.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let book = root.join("docs/src");
    let pages = pages(&book)?;
    let mut problems = Vec::new();
    let summary = read(&book.join("SUMMARY.md"))?;
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|(_, target)| book.join(target)).collect();
    for page in pages.iter().filter(|page| !listed.contains(*page) && !page.ends_with("SUMMARY.md")) {
        problems.push(format!("{}: not in SUMMARY.md", name(root, page)));
    }
    let library = read(&root.join("src/lib.rs"))?;
    for page in pages.into_iter().chain(OTHER_PAGES.map(|page| root.join(page))) {
        let text = read(&page)?;
        let tested = format!("include_str!(\"../{}\")", name(root, &page));
        if let Some(line) = rust_program(&text).filter(|_| !library.contains(&tested)) {
            problems.push(format!("{}:{line}: src/lib.rs does not test the page's Rust", name(root, &page)));
        }
        for (line, target) in links(&text) {
            if let Some(problem) = dead_link(&page, &text, &target)? {
                problems.push(format!("{}:{line}: {target}: {problem}", name(root, &page)));
            }
        }
    }
    Ok(problems)
}

/// Why a link leads nowhere, if it does. Links out of the repository are not followed.
fn dead_link(page: &Path, text: &str, target: &str) -> Result<Option<String>, String> {
    if target.contains("://") {
        return Ok(None);
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_owned() } else { folder(page).join(file) };
    if !path.exists() {
        return Ok(Some("there is no such file".to_owned()));
    }
    if anchor.is_empty() {
        return Ok(None);
    }
    let other = if file.is_empty() { text.to_owned() } else { read(&path)? };
    let found = outside_of_blocks(&other).any(|(_, line)| line.starts_with('#') && anchor_of(line) == anchor);
    Ok((!found).then(|| "there is no such heading".to_owned()))
}

/// The anchor that a heading gets: its letters and digits in lower case, with hyphens for spaces.
fn anchor_of(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    words
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// The pages of the book and of its folders, in order.
fn pages(book: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    let mut folders = vec![book.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// The targets of links and images, with their lines' numbers.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in outside_of_blocks(text) {
        // Every other part of a line lies between backquotes: code.
        for prose in line.split('`').step_by(2) {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.map(|(target, _)| (number, target.to_owned())));
        }
    }
    found
}

/// The line of the first block of Rust that is to compile, and does not show a file, which is tested where it lies.
fn rust_program(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let is_program = |i: &usize| {
        let fence = lines[*i].trim_start().strip_prefix("```rust");
        let shown = i.checked_sub(1).is_some_and(|before| lines[before].starts_with("<!-- file: "));
        fence.is_some_and(|attributes| !attributes.contains("ignore")) && !shown
    };
    (0..lines.len()).find(is_program).map(|i| i + 1)
}

/// The lines that are not in blocks of code, with their numbers.
fn outside_of_blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (!inside && !fence).then_some((i + 1, line))
    })
}

fn folder(page: &Path) -> &Path {
    page.parent().expect("a page lies in a folder")
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_listed_and_every_link_leads_somewhere() {
        let problems = problems(crate::root()).expect("the pages can be read");
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "[a](b.md) and `[c](d.md)`\n```c\nx[i](e.md)\n```\n![f](g.svg), [h](i.md#j)\n";
        let targets: Vec<String> = links(text).into_iter().map(|(_, target)| target).collect();
        assert_eq!(targets, ["b.md", "g.svg", "i.md#j"]);
    }

    #[test]
    fn programs_in_rust_are_those_that_are_to_compile() {
        let block = |fence: &str, line: &str| rust_program(&format!("# A page\n```{fence}\n{line}\n```\n"));
        assert_eq!(block("rust", "let a = 1;"), Some(2));
        assert_eq!(block("rust,no_run", "let a = 1;"), Some(2));
        assert_eq!(block("rust,ignore", "a + ..."), None);
        assert_eq!(rust_program("<!-- file: examples/fft.rs -->\n```rust\nlet a = 1;\n```\n"), None);
        assert_eq!(block("sh", "rust"), None);
    }

    #[test]
    fn a_link_to_a_page_or_heading_that_is_not_there_is_found() {
        let page = crate::root().join("docs/src/index.md");
        let dead =
            |target: &str| dead_link(&page, "# Of all\n## What's `this`, then\n", target).expect("it can be read");
        assert_eq!(dead("#whats-this-then"), None);
        assert_eq!(dead("conventions.md#statuses"), None);
        assert_eq!(dead("https://example.org/none"), None);
        assert!(dead("#nothing").is_some() && dead("none.md").is_some() && dead("conventions.md#nothing").is_some());
    }
}
