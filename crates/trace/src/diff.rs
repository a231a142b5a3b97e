//! Comparison of two traces: the first launch that gives other results for the same inputs, or gets other arguments.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::case::Case;
use super::compare::compare;
use super::element::ElementKind;
use super::files::Files;
use super::line::{ArgumentLine, LaunchLine, Line, Trace};
use super::range::NdRange;
use super::record::Given;

/// Two launches that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Kernel's name.
    pub kernel: String,
    /// Numbers of the launches in both traces.
    pub launches: [u64; 2],
    /// Index of the argument at fault, where it is one.
    pub argument: Option<usize>,
    /// Difference, for a person.
    pub reason: String,
    /// Further differences of the two launches' programs.
    pub notes: Vec<String>,
}

/// Result of comparing two traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Launches that were compared.
    pub compared: usize,
    /// First launch with other arguments, or with other results of the same inputs.
    pub first: Option<Divergence>,
    /// First launch whose inputs differ, before that.
    pub inputs: Option<Divergence>,
    /// Launches of one trace alone, as the trace's number (0 or 1), the launch and the kernel.
    pub alone: Vec<(usize, u64, String)>,
}

impl Report {
    /// True if nothing differs.
    pub const fn is_empty(&self) -> bool {
        self.first.is_none() && self.inputs.is_none() && self.alone.is_empty()
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.launches {
            [a, b] if a == b => write!(formatter, "launch {a} of {}: {}", self.kernel, self.reason)?,
            [a, b] => write!(formatter, "launch {a} of {} ({b} in the other trace): {}", self.kernel, self.reason)?,
        }
        self.notes.iter().try_for_each(|note| write!(formatter, "\n  {note}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(formatter, "{} launches, no difference", self.compared);
        }
        if let Some(inputs) = &self.inputs {
            writeln!(formatter, "{inputs}")?;
        }
        if let Some(first) = &self.first {
            writeln!(formatter, "{first}")?;
        }
        for (trace, launch, kernel) in self.alone.iter().take(8) {
            let name = if *trace == 0 { "first" } else { "second" };
            writeln!(formatter, "launch {launch} of {kernel} is in the {name} trace alone")?;
        }
        match self.alone.len() {
            0..=8 => Ok(()),
            many => writeln!(formatter, "{} further launches are in one trace alone", many - 8),
        }
    }
}

/// Compares two traces, whose launches of one kernel belong together by their count. It ends at the first launch that
/// gets other arguments, or gives other results for the same inputs.
pub fn diff(traces: [&Trace; 2], files: [&dyn Files; 2]) -> Report {
    let mut report = Report::default();
    let sides = traces.map(Side::of);
    let mut walk = Walk { buffers: Buffers::of(&sides), files, traces };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut partners: HashMap<&str, Vec<(usize, &LaunchLine)>> = HashMap::new();
    for (position, line) in traces[1].lines.iter().enumerate() {
        if let Line::Launch(launch) = line {
            partners.entry(&launch.kernel).or_default().push((position, launch));
        }
    }
    for (position, line) in traces[0].lines.iter().enumerate() {
        let Line::Launch(a) = line else { continue };
        let count = counts.entry(&a.kernel).or_default();
        let partner = partners.get(a.kernel.as_str()).and_then(|launches| launches.get(*count));
        *count += 1;
        let Some((other, b)) = partner else {
            report.alone.push((0, a.launch, a.kernel.clone()));
            continue;
        };
        report.compared += 1;
        if let Some(found) = walk.arguments(a, b) {
            report.first = Some(found);
            return report;
        }
        let known = |side: usize, line: usize, buffer: Option<u64>| {
            buffer.is_none_or(|buffer| sides[side].is_written(buffer, line))
        };
        // Memory that nobody has written may hold anything.
        let pairs = || a.arguments.iter().zip(&b.arguments).enumerate();
        let changed = pairs().find(|(_, (x, y))| {
            let written = known(0, position, x.buffer) || known(1, *other, y.buffer);
            differ(&x.before, &y.before) && written
        });
        if let Some((index, (x, y))) = changed {
            report.inputs.get_or_insert_with(|| walk.inputs([a, b], index, [x, y]));
            continue;
        }
        if let Some((index, (x, y))) = pairs().find(|(_, (x, y))| differ(&x.after, &y.after)) {
            report.first = Some(walk.outputs([a, b], index, [x, y]));
            return report;
        }
        if a.refused != b.refused {
            let told = |refused: &Option<String>| refused.clone().unwrap_or_else(|| "it ran".to_owned());
            let reason = format!("{} and {}", told(&a.refused), told(&b.refused));
            report.first = Some(walk.divergence([a, b], None, reason));
            return report;
        }
    }
    for (kernel, launches) in partners {
        let count = counts.get(kernel).copied().unwrap_or_default();
        let rest = launches.iter().skip(count);
        report.alone.extend(rest.map(|(_, launch)| (1, launch.launch, launch.kernel.clone())));
    }
    report.alone.sort();
    report
}

fn differ(a: &Option<String>, b: &Option<String>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// Lines of one trace by buffers.
struct Side {
    sizes: Vec<(u64, u64)>,
    /// Position of the first line that writes a buffer.
    writes: HashMap<u64, usize>,
}

impl Side {
    fn of(trace: &Trace) -> Self {
        let mut side = Side { sizes: Vec::new(), writes: HashMap::new() };
        for (position, line) in trace.lines.iter().enumerate() {
            let mut written = |buffer: u64| {
                side.writes.entry(buffer).or_insert(position);
            };
            match line {
                Line::Buffer { buffer, bytes, filled } => {
                    if *filled {
                        written(*buffer);
                    }
                    side.sizes.push((*buffer, *bytes));
                }
                Line::Write { buffer, .. } | Line::Copy { buffer, .. } | Line::Fill { buffer, .. } => written(*buffer),
                Line::Host { buffers } => buffers.iter().copied().for_each(written),
                Line::Launch(launch) => {
                    let changed =
                        |argument: &&ArgumentLine| argument.after.is_none() || argument.after != argument.before;
                    launch.arguments.iter().filter(changed).filter_map(|argument| argument.buffer).for_each(written);
                }
                Line::Context { .. } | Line::Program { .. } | Line::Read { .. } => {}
            }
        }
        side
    }

    fn is_written(&self, buffer: u64, before: usize) -> bool {
        self.writes.get(&buffer).is_some_and(|position| *position < before)
    }
}

/// Buffers of one trace that are those of the other.
struct Buffers {
    /// True if both traces have the same buffers: ids mean the same.
    same: bool,
    there: HashMap<u64, u64>,
    back: HashMap<u64, u64>,
}

impl Buffers {
    fn of(sides: &[Side; 2]) -> Self {
        Buffers { same: sides[0].sizes == sides[1].sizes, there: HashMap::new(), back: HashMap::new() }
    }

    /// True if two buffers may be the same; those that meet first are.
    fn agree(&mut self, a: u64, b: u64) -> bool {
        if self.same {
            return a == b;
        }
        match (self.there.get(&a), self.back.get(&b)) {
            (None, None) => {
                self.there.insert(a, b);
                self.back.insert(b, a);
                true
            }
            (there, back) => there == Some(&b) && back == Some(&a),
        }
    }
}

struct Walk<'t> {
    buffers: Buffers,
    files: [&'t dyn Files; 2],
    traces: [&'t Trace; 2],
}

impl Walk<'_> {
    fn divergence(&self, [a, b]: [&LaunchLine; 2], argument: Option<usize>, reason: String) -> Divergence {
        let launches = [a.launch, b.launch];
        Divergence { kernel: a.kernel.clone(), launches, argument, reason, notes: self.notes([a, b]) }
    }

    /// First of the arguments, and of the sizes, that differs.
    fn arguments(&mut self, a: &LaunchLine, b: &LaunchLine) -> Option<Divergence> {
        for (what, x, y) in [("groups", a.groups, b.groups), ("work-items of a group", a.items, b.items)] {
            if x != y {
                let reason = format!("the {what} are {} and {}", dimensions(x), dimensions(y));
                return Some(self.divergence([a, b], None, reason));
            }
        }
        if a.range != b.range {
            let told =
                |range: &Option<NdRange>| range.as_ref().map_or_else(|| "that of the groups".to_owned(), index_space);
            let reason = format!("the index space is {} and {}", told(&a.range), told(&b.range));
            return Some(self.divergence([a, b], None, reason));
        }
        if a.arguments.len() != b.arguments.len() {
            let reason = format!("it has {} and {} arguments", a.arguments.len(), b.arguments.len());
            return Some(self.divergence([a, b], None, reason));
        }
        // All memory is looked at: two that are swapped are named together.
        let mut other = Vec::new();
        for (index, (x, y)) in a.arguments.iter().zip(&b.arguments).enumerate() {
            let plain = |x: &ArgumentLine| (x.hex.clone(), x.buffer.is_some(), x.local, x.object.clone());
            if plain(x) != plain(y) {
                let reason = format!("{} is {} and {}", named(x, index), shown(x), shown(y));
                return Some(self.divergence([a, b], Some(index), reason));
            }
            if let (Some(left), Some(right)) = (x.buffer, y.buffer)
                && (x.bytes != y.bytes || !self.buffers.agree(left, right))
            {
                other.push(index);
            }
        }
        let &first = other.first()?;
        let (x, y) = (&a.arguments[first], &b.arguments[first]);
        let swapped = other[1..].iter().find(|&&index| {
            a.arguments[index].buffer == y.buffer && b.arguments[index].buffer == x.buffer
                || a.arguments[index].before.is_some()
                    && a.arguments[index].before == y.before
                    && b.arguments[index].before == x.before
        });
        let reason = match swapped {
            Some(&second) => {
                let pair = [(x, first), (&a.arguments[second], second)].map(|(argument, index)| named(argument, index));
                format!("{} and {} are swapped", pair[0], pair[1])
            }
            None => format!("{} is {} and {}", named(x, first), shown(x), shown(y)),
        };
        Some(self.divergence([a, b], Some(first), reason))
    }

    fn inputs(&self, launches: [&LaunchLine; 2], index: usize, [x, y]: [&ArgumentLine; 2]) -> Divergence {
        let mut reason = format!("{} differs before the launch", named(x, index));
        reason += &self.element(launches, index, false).unwrap_or_else(|| beginnings(&x.first, &y.first));
        self.divergence(launches, Some(index), reason)
    }

    fn outputs(&self, launches: [&LaunchLine; 2], index: usize, [x, y]: [&ArgumentLine; 2]) -> Divergence {
        let mut reason = format!("the inputs agree, and {} differs after the launch", named(x, index));
        reason += &self.element(launches, index, true).unwrap_or_else(|| beginnings(&x.first_after, &y.first_after));
        self.divergence(launches, Some(index), reason)
    }

    fn cases(&self, launches: [&LaunchLine; 2]) -> Option<[Case; 2]> {
        let case = |side: usize| {
            let folder = self.files[side].folder(launches[side].folder.as_deref()?).ok()?;
            Case::load(&*folder).ok()
        };
        Some([case(0)?, case(1)?])
    }

    /// First element that differs, where both launches have files.
    fn element(&self, launches: [&LaunchLine; 2], index: usize, is_after: bool) -> Option<String> {
        let [a, b] = self.cases(launches)?;
        let content = |case: &Case| {
            let Given::Memory { memory } = case.record.arguments.get(index)?.given else { return None };
            let content = if is_after { case.expected(memory) } else { case.memories[memory].before.as_deref() };
            Some((case.record.memories[memory].element, content?.to_vec()))
        };
        let ((kind, x), (other, y)) = (content(&a)?, content(&b)?);
        if x.len() != y.len() {
            return None;
        }
        let comparison = compare(if kind == other { kind } else { ElementKind::U8 }, &x, &y);
        let first = comparison.first.as_ref()?;
        Some(format!(": in {} of {} elements; {first}", comparison.different, comparison.elements))
    }

    /// Differences of the programs, which need not be faults.
    fn notes(&self, launches: [&LaunchLine; 2]) -> Vec<String> {
        let mut notes = Vec::new();
        let program = |side: usize| {
            self.traces[side].lines.iter().find_map(|line| match line {
                Line::Program { program, source, options, definitions, .. } if *program == launches[side].program => {
                    Some((source, options, definitions))
                }
                _ => None,
            })
        };
        let (Some(a), Some(b)) = (program(0), program(1)) else { return notes };
        if a.1 != b.1 {
            notes.push(format!("the options are '{}' and '{}'", a.1, b.1));
        }
        let names: HashSet<&String> = a.2.keys().chain(b.2.keys()).collect();
        let mut names: Vec<&String> = names.into_iter().filter(|name| a.2.get(*name) != b.2.get(*name)).collect();
        names.sort();
        let shown = |value: Option<&i64>| value.map_or("not defined".to_owned(), i64::to_string);
        notes.extend(
            names.iter().map(|name| format!("{name} is {} and {}", shown(a.2.get(*name)), shown(b.2.get(*name)))),
        );
        if a.0 != b.0 && names.is_empty() {
            notes.push(self.source_line(launches).unwrap_or_else(|| "the sources differ".to_owned()));
        }
        notes
    }

    fn source_line(&self, launches: [&LaunchLine; 2]) -> Option<String> {
        let [a, b] = self.cases(launches)?;
        let (mut x, mut y) = (a.source.lines(), b.source.lines());
        let mut number = 0;
        loop {
            number += 1;
            let (x, y) = (x.next(), y.next());
            if x.is_none() && y.is_none() {
                return None;
            }
            if x != y {
                let [x, y] = [x, y].map(|line| line.unwrap_or("(the end)").trim());
                return Some(format!("the sources differ at line {number}: '{x}' and '{y}'"));
            }
        }
    }
}

fn index_space(range: &NdRange) -> String {
    let group = range.local.map_or("groups of the driver's choice".to_owned(), |local| format!("{:?}", &local[..]));
    let NdRange { dimensions: n, offset, global, .. } = range;
    format!("{} from {} in {n} dimensions, {group}", dimensions(*global), dimensions(*offset))
}

fn dimensions([x, y, z]: [usize; 3]) -> String {
    format!("{x} x {y} x {z}")
}

fn named(argument: &ArgumentLine, index: usize) -> String {
    match &*argument.name {
        "" => format!("argument {index}"),
        name => format!("'{name}' (argument {index})"),
    }
}

fn shown(argument: &ArgumentLine) -> String {
    match (&argument.hex, argument.buffer) {
        (Some(hex), _) if argument.value.is_null() => format!("0x{hex}"),
        (Some(_), _) => argument.value.to_string(),
        (None, Some(buffer)) => format!("buffer {buffer} of {} bytes", argument.bytes.unwrap_or_default()),
        (None, None) => match (argument.local, &argument.object) {
            (Some(bytes), _) => format!("{bytes} bytes of local memory"),
            (None, Some(object)) => object.clone(),
            (None, None) => "nothing".to_owned(),
        },
    }
}

fn beginnings(a: &[serde_json::Value], b: &[serde_json::Value]) -> String {
    let text = |values: &[serde_json::Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if a == b { String::new() } else { format!(": it begins with {} and {}", text(a), text(b)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;

    /// A trace of two launches, y = 2x and z = y + 1, as its text.
    const TEXT: &str = concat!(
        r#"{"event":"buffer","buffer":0,"bytes":8,"filled":false}"#,
        "\n",
        r#"{"event":"buffer","buffer":1,"bytes":8,"filled":false}"#,
        "\n",
        r#"{"event":"buffer","buffer":2,"bytes":8,"filled":false}"#,
        "\n",
        r#"{"event":"program","program":0,"name":"scale","source":"s","options":"","#,
        r#""definitions":{"FACTOR":2}}"#,
        "\n",
        r#"{"event":"write","buffer":0,"offset":0,"bytes":8,"checksum":"x"}"#,
        "\n",
        r#"{"event":"launch","launch":0,"kernel":"scale","program":0,"groups":[1,1,1],"items":[2,1,1],"#,
        r#""arguments":[{"name":"n","type":"long","hex":"02","value":2},{"name":"x","type":"float*","#,
        r#""buffer":0,"bytes":8,"before":"x","after":"x"},{"name":"y","type":"float*","buffer":1,"#,
        r#""bytes":8,"before":"junk","after":"2x","first_after":[2.0]}]}"#,
        "\n",
        r#"{"event":"launch","launch":1,"kernel":"add","program":0,"groups":[1,1,1],"items":[2,1,1],"#,
        r#""arguments":[{"name":"y","type":"float*","buffer":1,"bytes":8,"before":"2x","after":"2x"},"#,
        r#"{"name":"z","type":"float*","buffer":2,"bytes":8,"before":"other","after":"2x+1"}]}"#,
        "\n",
    );

    fn report(changes: &[(&str, &str)]) -> Report {
        let mut text = TEXT.to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let (a, b) = (Trace::parse(TEXT).unwrap(), Trace::parse(&text).unwrap());
        let files = MemoryFiles::default();
        diff([&a, &b], [&files, &files])
    }

    #[test]
    fn a_trace_does_not_differ_from_itself() {
        let report = report(&[]);
        assert!(report.is_empty());
        assert_eq!(report.to_string(), "2 launches, no difference\n");
    }

    #[test]
    fn the_first_wrong_result_is_named_and_not_what_follows_from_it() {
        let wrong = [("\"2x\"", "\"3x\""), ("2x+1", "3x+1"), ("[2.0]", "[3.0]"), ("\"FACTOR\":2", "\"FACTOR\":3")];
        let found = report(&wrong).first.unwrap();
        assert_eq!((found.launches, found.argument, found.kernel.as_str()), ([0, 0], Some(2), "scale"));
        let text = found.to_string();
        assert!(text.contains("inputs agree, and 'y' (argument 2)") && text.contains("2.0 and 3.0"), "{text}");
        assert!(text.ends_with("FACTOR is 2 and 3"), "{text}");
    }

    #[test]
    fn other_inputs_are_told_as_such() {
        let report = report(&[("\"x\",\"after\":\"x\"", "\"w\",\"after\":\"w\""), ("2x", "2w")]);
        assert_eq!(report.first, None);
        assert_eq!(report.inputs.as_ref().unwrap().argument, Some(1));
        assert!(report.to_string().contains("'x' (argument 1) differs before the launch"));
    }

    #[test]
    fn memory_that_nobody_has_written_may_hold_anything() {
        assert!(report(&[("junk", "dirt"), ("other", "dust")]).is_empty());
        let wrong = report(&[("junk", "dirt"), ("\"2x\"", "\"3x\"")]);
        assert_eq!(wrong.first.unwrap().argument, Some(2));
    }

    #[test]
    fn values_sizes_and_swapped_memory_are_named() {
        let reason = |changes: &[(&str, &str)]| report(changes).first.unwrap().reason;
        assert_eq!(
            reason(&[("\"hex\":\"02\",\"value\":2", "\"hex\":\"03\",\"value\":3")]),
            "'n' (argument 0) is 2 and 3"
        );
        assert_eq!(reason(&[("\"groups\":[1,1,1]", "\"groups\":[1,2,1]")]), "the groups are 1 x 1 x 1 and 1 x 2 x 1");
        let x = "\"type\":\"float*\",\"buffer\":0,\"bytes\":8,\"before\":\"x\",\"after\":\"x\"";
        let y = "\"type\":\"float*\",\"buffer\":1,\"bytes\":8,\"before\":\"junk\"";
        let swapped = [
            (x, "\"type\":\"float*\",\"buffer\":1,\"bytes\":8,\"before\":\"other\",\"after\":\"other\""),
            (y, "\"type\":\"float*\",\"buffer\":0,\"bytes\":8,\"before\":\"x\""),
        ];
        assert_eq!(reason(&swapped), "'x' (argument 1) and 'y' (argument 2) are swapped");
        let other =
            reason(&[("\"buffer\":1,\"bytes\":8,\"before\":\"junk\"", "\"buffer\":2,\"bytes\":8,\"before\":\"junk\"")]);
        assert_eq!(other, "'y' (argument 2) is buffer 1 of 8 bytes and buffer 2 of 8 bytes");
        let n = "\"hex\":\"02\",\"value\":2";
        assert_eq!(reason(&[(n, "\"local\":64")]), "'n' (argument 0) is 2 and 64 bytes of local memory");
        assert_eq!(reason(&[(n, "\"object\":\"sampler_t\"")]), "'n' (argument 0) is 2 and sampler_t");
        let range = r#""range":{"dimensions":1,"offset":[5,0,0],"global":[2,1,1],"local":null},"#;
        let offset = format!("\"items\":[2,1,1],{range}");
        let told = reason(&[("\"items\":[2,1,1],", &offset)]);
        assert!(told.starts_with("the index space is that of the groups and 2 x 1 x 1 from 5 x 0 x 0 in "), "{told}");
    }

    #[test]
    fn buffers_may_have_other_numbers_where_the_traces_have_others() {
        let more = "{\"event\":\"buffer\",\"buffer\":9,\"bytes\":8,\"filled\":false}\n{\"event\":\"program\"";
        let renamed = [("{\"event\":\"program\"", more), ("\"buffer\":2,", "\"buffer\":7,")];
        assert!(report(&renamed).is_empty());
    }

    #[test]
    fn launches_of_one_trace_alone_are_listed() {
        let report = report(&[("\"kernel\":\"add\"", "\"kernel\":\"sub\"")]);
        assert_eq!(report.alone, [(0, 1, "add".to_owned()), (1, 1, "sub".to_owned())]);
        assert!(report.to_string().contains("launch 1 of sub is in the second trace alone"));
    }
}
