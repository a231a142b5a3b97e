//! The beginning of the page: what machine, how we compare, what went wrong.

use super::html::{anchor, escape, line, speed, table, times};
use super::model::{BenchReport, OUT_OF_TIME, date};
use super::plan::Effort;
use super::summary::{Comparison, Shortfall};
use crate::memory::readable;
use crate::table::{digits, geometric_mean};

/// Cases that are named before the others.
const NAMED: usize = 15;

/// Everything before the families.
pub fn summary(page: &mut String, report: &BenchReport) {
    line(page, "<h1>Affinimath measured</h1>");
    let effort = match report.effort {
        Effort::Full => "all routines",
        Effort::Quick => "some routines and sizes",
        Effort::Smoke => "one small case of everything",
    };
    let minutes = format!("{:.0} min {:.0} s", (report.seconds / 60.0).floor(), report.seconds % 60.0);
    let when = date(report.started);
    line(page, format!("<p class=\"soft\">Version {}, {when}, {minutes}: {effort}.</p>", escape(&report.affinimath)));
    machine(page, report);
    warnings(page, report);
    verdict(page, report);
    shortfalls(page, &report.shortfalls, report);
    comparisons(page, report);
    limits(page, report);
    peers(page, report);
    contents(page, report);
    line(page, "<h2>How to read this</h2>");
    line(
        page,
        "<p>A rate is the median over rounds in which all libraries take turns, so that a busy machine slows all of \
         them; thin bars in the plots go from the slowest round to the fastest. A speed against another library is our \
         rate divided by its: above 1 we are faster. Every result was compared with a reference in higher precision; \
         its error is shown with the part of the error analysis's bound that it is. What each rate counts is said by \
         <code>affinimath bench FAMILY --help</code>. Dashed lines are limits that were measured here. Data that fit \
         into caches may be read faster than memory.</p>",
    );
    let command = report.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    line(page, format!("<p>This page was made by</p>\n<pre><code>{}</code></pre>", escape(&command)));
    line(page, "<p>and <code>report.json</code> in the same folder has all results, every round's time included.</p>");
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./,:+^@%*".contains(letter);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('*') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn machine(page: &mut String, report: &BenchReport) {
    let machine = &report.machine;
    let processor = machine.processor.as_deref().unwrap_or("a processor that the system does not name");
    let memory = machine.memory_bytes.map_or_else(String::new, |bytes| format!(", {}", readable(bytes.into())));
    let count = machine.logical_processors;
    line(
        page,
        format!(
            "<p><strong>{}</strong>, {count} logical processor{}{memory}. Vectors: {}. {} thread{} of the host. \
             {}.</p>",
            escape(processor),
            if count == 1 { "" } else { "s" },
            escape(&machine.vectors),
            machine.threads,
            if machine.threads == 1 { "" } else { "s" },
            escape(&machine.system)
        ),
    );
    for backend in &report.backends {
        let Some(facts) = &backend.device else { continue };
        line(
            page,
            format!(
                "<p><strong>{}</strong>: {}, {} compute units, {}; {}, {}, driver {}.</p>",
                escape(&facts.name),
                facts.class,
                facts.compute_units,
                readable(facts.global_memory_bytes.into()),
                escape(&facts.platform),
                escape(&facts.version),
                escape(&facts.driver)
            ),
        );
    }
}

fn warnings(page: &mut String, report: &BenchReport) {
    let mut warn = |text: String| line(page, format!("<p class=\"warning\">{text}</p>"));
    if report.interrupted {
        warn("It was interrupted: what had been measured until then is here.".to_owned());
    }
    if report.machine.development_build {
        warn("A development build, without all optimisations: its rates are lower than those of a release.".to_owned());
    }
    // Half a processor's worth of other work already shows in the figures.
    let loads = report.runs.first().and_then(|run| run.report.as_ref()?.host_load);
    if let Some(load) = loads.filter(|load| *load > 0.5) {
        warn(format!("The machine was busy before the run (load {load}): compare libraries, not rates."));
    }
    for failure in report.own_failures() {
        warn(format!("Affinimath failed at {}", escape(&failure)));
    }
    // One paragraph for a place, however many of its families ended early: what was found comes right after.
    for (number, backend) in report.backends.iter().enumerate() {
        let unfinished: Vec<String> = report
            .runs_at(number)
            .filter_map(|run| Some((run, run.ended.as_deref()?)))
            .map(|(run, reason)| {
                format!("<a href=\"#{}\">{}</a> ({})", anchor(run), escape(run.family.name()), escape(reason))
            })
            .collect();
        if !unfinished.is_empty() {
            warn(format!("Not everything was measured on {}: {}.", escape(&backend.name), unfinished.join(", ")));
        }
    }
    if report.runs.iter().any(|run| run.ended.as_deref().is_some_and(|reason| reason.starts_with(OUT_OF_TIME))) {
        warn("The option <code>--minutes</code> gives a run more time.".to_owned());
    }
}

/// One sentence for each peer on each place, the slower-than-a-peer ones first.
fn verdict(page: &mut String, report: &BenchReport) {
    line(page, "<h2>How it compares</h2>");
    if report.comparisons.is_empty() {
        return line(page, "<p>No other library was measured.</p>");
    }
    let mut pairs: Vec<(usize, &str)> = Vec::new();
    for comparison in &report.comparisons {
        if !pairs.contains(&(comparison.backend, comparison.peer.as_str())) {
            pairs.push((comparison.backend, &comparison.peer));
        }
    }
    let mut rows: Vec<(f64, Vec<String>)> = pairs
        .iter()
        .map(|&(backend, peer)| {
            let all = report.comparisons.iter().filter(|one| one.backend == backend && one.peer == peer);
            let all: Vec<&Comparison> = all.collect();
            let cases: usize = all.iter().map(|one| one.cases).sum();
            let slower = report.shortfalls.iter().filter(|one| one.backend == backend && one.peer == peer).count();
            // Each family counts once, however many cases it has.
            let mean = geometric_mean(all.iter().map(|one| one.mean));
            let cells = vec![
                escape(peer),
                escape(&report.backends[backend].name),
                speed(mean),
                format!("{slower} of {cases}"),
                all.len().to_string(),
            ];
            (mean, cells)
        })
        .collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    let columns = [
        ("against", true),
        ("on", true),
        ("our speed, the mean of families", false),
        ("cases slower", false),
        ("families", false),
    ];
    table(page, &columns, &rows.into_iter().map(|(_, cells)| cells).collect::<Vec<_>>());
}

fn shortfalls(page: &mut String, shortfalls: &[Shortfall], report: &BenchReport) {
    line(page, "<h3>Where it is slower than a peer, the worst first</h3>");
    if shortfalls.is_empty() {
        return line(page, "<p>In no case that was measured.</p>");
    }
    let rows: Vec<Vec<String>> = shortfalls
        .iter()
        .map(|one| {
            vec![
                escape(&one.case),
                escape(&report.backends[one.backend].name),
                escape(&one.peer),
                speed(one.ratio),
                format!("{} {}", digits(one.ours), escape(&one.unit)),
                digits(one.theirs),
            ]
        })
        .collect();
    let columns =
        [("case", true), ("on", true), ("peer", true), ("of its speed", false), ("ours", false), ("the peer's", false)];
    let (first, rest) = rows.split_at(NAMED.min(rows.len()));
    table(page, &columns, first);
    if !rest.is_empty() {
        line(page, format!("<details><summary>{} more</summary>", rest.len()));
        table(page, &columns, rest);
        line(page, "</details>");
    }
}

/// A table for each place: families by peers.
fn comparisons(page: &mut String, report: &BenchReport) {
    for (number, backend) in report.backends.iter().enumerate() {
        let here: Vec<&Comparison> = report.comparisons.iter().filter(|one| one.backend == number).collect();
        if here.is_empty() {
            continue;
        }
        let mut peers: Vec<&str> = Vec::new();
        for one in &here {
            if !peers.contains(&one.peer.as_str()) {
                peers.push(&one.peer);
            }
        }
        line(page, format!("<h3>By family, on {}</h3>", escape(&backend.name)));
        line(
            page,
            "<p class=\"soft\">Our speed against theirs: the geometric mean, the least and the most, and how many \
             cases.</p>",
        );
        let runs = report.runs_at(number).filter(|run| here.iter().any(|one| one.family == run.family));
        let rows: Vec<Vec<String>> = runs
            .map(|run| {
                let link = format!("<a href=\"#{}\">{}</a>", anchor(run), escape(run.family.title()));
                let cell = |peer: &&str| {
                    let one = here.iter().find(|one| one.family == run.family && one.peer == **peer);
                    one.map_or_else(|| "–".to_owned(), |one| cell(one))
                };
                std::iter::once(link).chain(peers.iter().map(cell)).collect()
            })
            .collect();
        let columns: Vec<(&str, bool)> =
            std::iter::once(("family", true)).chain(peers.iter().map(|peer| (*peer, false))).collect();
        table(page, &columns, &rows);
    }
}

fn cell(one: &Comparison) -> String {
    let range = format!("{} to {}, of {}", times(one.min), times(one.max), one.cases);
    format!("{}<br><span class=\"range\">{range}</span>", speed(one.mean))
}

fn limits(page: &mut String, report: &BenchReport) {
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), digits);
    let measured = report.backends.iter().filter(|backend| backend.limits != super::model::Limits::default());
    let rows: Vec<Vec<String>> = measured
        .map(|backend| {
            let limits = &backend.limits;
            let rates = [limits.copy, limits.read, limits.fma_single, limits.fma_double].map(rate);
            std::iter::once(escape(&backend.name)).chain(rates).collect()
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    line(page, "<h3>What the hardware does at most</h3>");
    let columns = [
        ("", true),
        ("copying, GB/s", false),
        ("reading, GB/s", false),
        ("multiply-adds in S, GFLOP/s", false),
        ("in D, GFLOP/s", false),
    ];
    table(page, &columns, &rows);
}

fn peers(page: &mut String, report: &BenchReport) {
    line(page, "<h3>The other libraries</h3>");
    if report.peers.is_empty() {
        return line(page, "<p>None.</p>");
    }
    let rows: Vec<Vec<String>> = report
        .peers
        .iter()
        .map(|peer| {
            let path = peer.paths.first().map_or_else(|| "built in".to_owned(), |path| escape(path));
            let version = peer.version.as_deref().map_or_else(|| "–".to_owned(), escape);
            vec![escape(&peer.name), version, format!("<code>{path}</code>")]
        })
        .collect();
    table(page, &[("name", true), ("version", true), ("file", true)], &rows);
}

fn contents(page: &mut String, report: &BenchReport) {
    line(page, "<h3>Plots and results</h3>\n<nav>");
    for (number, backend) in report.backends.iter().enumerate() {
        line(page, format!("<a href=\"#p{number}\"><strong>On {}</strong></a>", escape(&backend.name)));
        for run in report.runs_at(number) {
            line(page, format!("<a href=\"#{}\">{}</a>", anchor(run), escape(run.family.title())));
        }
    }
    line(page, "</nav>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("--sizes"), "--sizes");
        assert_eq!(quoted("256..4096*2"), "'256..4096*2'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
