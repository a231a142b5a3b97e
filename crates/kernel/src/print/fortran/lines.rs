//! Lines of Fortran: declarations, and continuations of long ones.

/// Longest line of a text; Fortran 2008 takes 132 columns.
const COLUMNS: usize = 120;

/// True if a name is a word of the text, or the kind of a number in it.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends = |before: &str| {
        let word = &before[before.trim_end_matches(is_part).len()..];
        word.is_empty() || word.ends_with('_') && word.starts_with(|c: char| c.is_ascii_digit())
    };
    text.match_indices(name).any(|(at, _)| ends(&text[..at]) && !text[at + name.len()..].starts_with(is_part))
}

/// Declarations of names by their types, in the order of the first name of each.
pub(super) fn declarations(locals: Vec<(String, String)>) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for (type_name, _) in &locals {
        if !types.contains(type_name) {
            types.push(type_name.clone());
        }
    }
    let mut lines = Vec::new();
    for type_name in types {
        let mut line = String::new();
        for (_, name) in locals.iter().filter(|(of, _)| *of == type_name) {
            // A statement has a limited number of continuations.
            if line.len() + name.len() + 16 > COLUMNS && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line = if line.is_empty() { format!("{type_name} :: {name}") } else { format!("{line}, {name}") };
        }
        lines.push(line);
    }
    lines
}

/// The text with its long lines continued.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let (end, begin) = if line.trim_start().starts_with('!') { ("", "! ") } else { (" &", "    ") };
        let mut rest = line.to_owned();
        while rest.chars().count() > COLUMNS {
            let width = rest.char_indices().nth(COLUMNS - 2).map_or(rest.len(), |(at, _)| at);
            let first = indent + begin.len() + 1;
            let Some(at) = rest[..width].rfind(' ').filter(|at| *at > first) else { break };
            out += &rest[..at];
            out += end;
            out.push('\n');
            rest = format!("{:indent$}{begin}{}", "", &rest[at + 1..]);
        }
        out += &rest;
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_continued_between_words() {
        let line = format!("    x = {}", ["abcdefgh"; 30].join(" + "));
        let text = wrapped(&line);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        let joined: Vec<&str> = text.lines().map(|line| line.trim().trim_end_matches(" &")).collect();
        assert_eq!(joined.join(" "), line.trim());
        let comment = wrapped(&format!("! {}", ["words"; 60].join(" ")));
        assert!(comment.lines().all(|line| line.starts_with("! ") && !line.ends_with('&')), "{comment}");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("x(v0) = 1.5_c_float", "c_float") && has_word("a+x", "x"));
        assert!(!has_word("xy + ax + x_1 + a_x", "x"));
    }
}
