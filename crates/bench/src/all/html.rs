//! The page: one file that needs no network and no scripts.

use std::fmt::Write;

use super::html_summary::summary;
use super::model::{BenchReport, RunReport};
use super::plan::Family;
use crate::plot;
use crate::report::{CaseReport, Outcome, Report, ResultReport};
use crate::table::digits;
use affinimath::ScalarKind;

const STYLE: &str = include_str!("page.css");

/// Text as HTML has it, between tags and in quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters are not allowed in a page.
            letter if letter.is_control() && letter != '\n' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A line of a page.
pub fn line(page: &mut String, text: impl AsRef<str>) {
    page.push_str(text.as_ref());
    page.push('\n');
}

/// A table: its columns, of which those marked are text, and its rows, whose cells are HTML.
pub fn table(page: &mut String, columns: &[(&str, bool)], rows: &[Vec<String>]) {
    let class = |text: bool| if text { " class=\"text\"" } else { "" };
    line(page, "<div class=\"wide\"><table>\n<thead><tr>");
    for (name, text) in columns {
        line(page, format!("<th{} scope=\"col\">{}</th>", class(*text), escape(name)));
    }
    line(page, "</tr></thead>\n<tbody>");
    for row in rows {
        page.push_str("<tr>");
        for (cell, (_, text)) in row.iter().zip(columns) {
            write!(page, "<td{}>{cell}</td>", class(*text)).expect("a String takes every write");
        }
        line(page, "</tr>");
    }
    line(page, "</tbody></table></div>");
}

/// The place of a family on the page.
pub fn anchor(run: &RunReport) -> String {
    format!("p{}-{}", run.backend, run.family.name())
}

/// The types' names for people.
const fn type_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::S => "S: real, single precision",
        ScalarKind::D => "D: real, double precision",
        ScalarKind::C => "C: complex, single precision",
        ScalarKind::Z => "Z: complex, double precision",
    }
}

/// The whole page.
pub fn page(report: &BenchReport) -> String {
    let mut page = String::new();
    line(&mut page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    line(&mut page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    line(&mut page, "<title>Affinimath measured</title>");
    line(&mut page, format!("<style>\n{STYLE}</style>\n</head>\n<body>"));
    summary(&mut page, report);
    for (number, backend) in report.backends.iter().enumerate() {
        line(&mut page, format!("<h2 id=\"p{number}\">On {}</h2>", escape(&backend.name)));
        for run in report.runs_at(number) {
            family(&mut page, report, run);
        }
    }
    line(&mut page, "</body>\n</html>");
    page
}

/// The section of a family on a place.
fn family(page: &mut String, whole: &BenchReport, run: &RunReport) {
    line(page, format!("<h3 id=\"{}\">{}</h3>", anchor(run), escape(run.family.title())));
    line(page, format!("<pre><code>{}</code></pre>", escape(&run.command)));
    if let Some(reason) = &run.ended {
        line(page, format!("<p class=\"warning\">Not everything was measured: {}</p>", escape(reason)));
    }
    for note in &run.notes {
        line(page, format!("<p class=\"soft\">{}</p>", escape(note)));
    }
    let Some(report) = run.report.as_ref().filter(|report| !report.cases.is_empty()) else {
        return line(page, "<p class=\"soft\">Nothing was measured.</p>");
    };
    if run.family == Family::Limits {
        return cases(page, report, report.cases.iter());
    }
    let kinds = ScalarKind::ALL.into_iter().filter(|kind| report.cases.iter().any(|case| case.kind == *kind));
    for kind in kinds {
        let of_kind = || report.cases.iter().filter(move |case| case.kind == kind);
        let drawn = Report { cases: of_kind().cloned().collect(), ..report.clone() };
        let limits = whole.backends[run.backend].limits.lines(&report.unit, kind);
        let label = format!("{} in {}: {}", run.family.name(), report.unit, type_name(kind));
        match plot::draw(&drawn, run.rates, &limits) {
            Ok(svg) => line(page, format!("<figure role=\"img\" aria-label=\"{}\">\n{svg}</figure>", escape(&label))),
            Err(reason) => line(page, format!("<p class=\"warning\">No plot: {}</p>", escape(&reason))),
        }
        line(page, format!("<details><summary>The results of {}</summary>", escape(type_name(kind))));
        cases(page, report, of_kind());
        line(page, "</details>");
    }
}

/// The table of cases.
fn cases<'a>(page: &mut String, report: &Report, cases: impl Iterator<Item = &'a CaseReport>) {
    let names: Vec<String> = report.contenders.iter().map(|contender| contender.name.clone()).collect();
    let mut columns = vec![("case".to_owned(), true), (format!("affinimath, {}", report.unit), false)];
    columns.push(("min to max".to_owned(), false));
    columns.push(("time".to_owned(), false));
    for name in &names[1..] {
        columns.push((name.clone(), false));
        columns.push((format!("of {name}'s speed"), false));
    }
    columns.push(("error, of its bound".to_owned(), false));
    let columns: Vec<(&str, bool)> = columns.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let rows: Vec<Vec<String>> = cases.map(|case| row(case, names.len())).collect();
    table(page, &columns, &rows);
}

fn row(case: &CaseReport, contenders: usize) -> Vec<String> {
    let title = case.title();
    let sizes: Vec<String> = case.sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let batch = case.batch.map_or_else(String::new, |count| format!(", {count} at once"));
    let equal = case.sizes.len() > 1 && case.sizes.iter().all(|(_, size)| *size == case.sizes[0].1);
    let sizes = if equal {
        let names: Vec<&str> = case.sizes.iter().map(|(name, _)| name.as_ref()).collect();
        format!("{} = {}", names.join(" = "), case.sizes[0].1)
    } else {
        sizes.join(", ")
    };
    let mut cells = vec![format!("{} <span class=\"range\">{}{batch}</span>", escape(&title), escape(&sizes))];
    let ours = case.results.first().and_then(|result| result.outcome.as_ref());
    cells.push(rate(case.results.first()));
    cells.push(ours.map_or_else(dash, |o| format!("{} to {}", digits(o.rate_min), digits(o.rate_max))));
    cells.push(ours.map_or_else(dash, |outcome| time(outcome.median_seconds)));
    for index in 1..contenders {
        let result = case.results.get(index);
        cells.push(rate(result));
        let right = case.is_right(0) && case.is_right(index);
        cells.push(result.and_then(|result| result.ratio).filter(|_| right).map_or_else(dash, speed));
    }
    cells.push(ours.map_or_else(dash, error));
    cells
}

fn dash() -> String {
    "–".to_owned()
}

/// A rate; why there is none, as a title; a wrong result is said to be one.
fn rate(result: Option<&ResultReport>) -> String {
    match result.map(|result| (&result.outcome, &result.failure)) {
        Some((Some(outcome), _)) if outcome.correct => digits(outcome.rate),
        Some((Some(_), _)) => "<span class=\"bad\">wrong</span>".to_owned(),
        Some((None, Some(failure))) => format!("<span title=\"{}\">–</span>", escape(failure)),
        _ => dash(),
    }
}

/// Our speed divided by another library's.
pub fn speed(ratio: f64) -> String {
    let class = if ratio >= 1.0 { "good" } else { "bad" };
    format!("<span class=\"{class}\">{}×</span>", times(ratio))
}

/// A ratio in two decimals, or three digits where it is large.
pub fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}

fn error(outcome: &Outcome) -> String {
    if outcome.error == 0.0 {
        return "0".to_owned();
    }
    let part = outcome.error / outcome.error_bound;
    let class = if outcome.correct { "" } else { " class=\"bad\"" };
    format!("<span{class}>{:.1e}, {part:.2}</span>", outcome.error)
}

/// Seconds in a unit that suits them.
fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 1.0 => format!("{} s", digits(seconds)),
        seconds if seconds >= 1e-3 => format!("{} ms", digits(seconds * 1e3)),
        seconds if seconds >= 1e-6 => format!("{} µs", digits(seconds * 1e6)),
        seconds => format!("{} ns", digits(seconds * 1e9)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use super::*;

    #[test]
    fn letters_that_html_uses_are_escaped() {
        assert_eq!(escape("a<b>&\"c\"'\u{7}"), "a&lt;b&gt;&amp;&quot;c&quot;&#39; ");
    }

    #[test]
    fn a_page_is_one_file_without_scripts_and_has_every_family() {
        let page = page(&example());
        for text in
            ["<!DOCTYPE html>", "id=\"p0-gemm\"", "prefers-color-scheme: dark", "<svg", "multiply-adds in registers"]
        {
            assert!(page.contains(text), "{text}");
        }
        for text in ["<script", "<odd>", "<device>", "a&b.so", "src=", "href=\"http", "@import", "url(", "NaN", ">inf"]
        {
            assert!(!page.contains(text), "{text}");
        }
        for text in ["a &lt;device&gt; &amp; more", "&lt;script&gt;", "/a&amp;b.so"] {
            assert!(page.contains(text), "{text}");
        }
        for text in
            ["Not everything was measured on a &lt;device&gt; &amp; more: <a href=\"#p0-gemm\">", "<code>--minutes"]
        {
            assert_eq!(page.matches(text).count(), 1, "{text}");
        }
        // Wrong results have no ratio.
        assert!(page.contains("<span class=\"bad\">wrong</span>") && page.contains("title=\"openblas: not here\""));
    }

    #[test]
    fn times_have_units() {
        assert_eq!([2.0, 0.0123, 4.5e-6, 7e-9].map(time), ["2.00 s", "12.3 ms", "4.50 µs", "7.00 ns"]);
    }
}
