//! Lines of `trace.jsonl`: the same program gives the same lines, so that two traces can be compared as texts.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::element::ElementKind;
use super::files::{Files, is_file_name};
use super::range::NdRange;

/// A line. Ids count from 0, by order of creation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Line {
    /// A context is made.
    Context {
        /// Id.
        context: u64,
        /// Platform.
        platform: String,
        /// Device.
        device: String,
        /// Version of the driver.
        driver: String,
        /// Version of the library.
        library: String,
    },
    /// A memory object is made, or an application's is met.
    Buffer {
        /// Id.
        buffer: u64,
        /// Size.
        bytes: u64,
        /// True if it has content from elsewhere: the host's, or an application's.
        filled: bool,
    },
    /// Bytes of the host are written to a buffer.
    Write {
        /// Buffer.
        buffer: u64,
        /// First byte.
        offset: u64,
        /// Bytes.
        bytes: u64,
        /// Checksum of the bytes, where they are adjacent.
        checksum: Option<String>,
    },
    /// Bytes of a buffer are read.
    Read {
        /// Buffer.
        buffer: u64,
        /// First byte.
        offset: u64,
        /// Bytes.
        bytes: u64,
    },
    /// Bytes of a buffer are copied to another.
    Copy {
        /// Buffer that is read.
        from: u64,
        /// Its first byte.
        from_offset: u64,
        /// Buffer that is written.
        buffer: u64,
        /// Its first byte.
        offset: u64,
        /// Bytes.
        bytes: u64,
    },
    /// A pattern fills a buffer.
    Fill {
        /// Buffer.
        buffer: u64,
        /// Bytes.
        bytes: u64,
    },
    /// Work of the host is enqueued on memory.
    Host {
        /// Buffers, each once.
        buffers: Vec<u64>,
    },
    /// A program is built, or taken from the cache.
    Program {
        /// Id.
        program: u64,
        /// Name.
        name: String,
        /// Checksum of the source.
        source: String,
        /// Options of the compiler.
        options: String,
        /// Parameters that the source begins with.
        definitions: BTreeMap<String, i64>,
    },
    /// A kernel is launched.
    Launch(LaunchLine),
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchLine {
    /// Number among all launches.
    pub launch: u64,
    /// Kernel's name.
    pub kernel: String,
    /// Program.
    pub program: u64,
    /// Work-groups per dimension.
    pub groups: [usize; 3],
    /// Work-items of a group, per dimension.
    pub items: [usize; 3],
    /// Index space, where the groups and work-items do not say all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<NdRange>,
    /// Arguments in order.
    pub arguments: Vec<ArgumentLine>,
    /// Folder of the recorded launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Reason for which the launch cannot be run again, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// Error code, where the driver refused the launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Argument of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArgumentLine {
    /// Name in the source.
    pub name: String,
    /// Type in the source.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Bytes of a value in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// The number, for readers.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
    /// Buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<u64>,
    /// Size of the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bytes of local memory of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<u64>,
    /// Kind of an object that has no file, such as an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Type of its elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementKind>,
    /// First elements before the launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Value>,
    /// Checksum before the launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// First elements after the launch, where it changed the buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_after: Vec<Value>,
    /// Checksum after the launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Reason for which a file is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TraceError {
    /// Line, counted from 1; 0 for the file.
    pub line: usize,
    /// Reason.
    pub reason: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(formatter, "trace.jsonl: {}", self.reason),
            line => write!(formatter, "trace.jsonl, line {line}: {}", self.reason),
        }
    }
}

/// Lines of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// All lines in order.
    pub lines: Vec<Line>,
}

impl Trace {
    /// Reads the lines of a folder.
    ///
    /// # Errors
    /// [`TraceError`] with the first reason.
    pub fn load(files: &dyn Files) -> Result<Self, TraceError> {
        let text = files.text("trace.jsonl");
        Self::parse(&text.map_err(|error| TraceError { line: 0, reason: error.to_string() })?)
    }

    /// Reads lines. A last one without an end, of a process that was killed, is passed over.
    ///
    /// # Errors
    /// [`TraceError`] with the first reason.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut lines = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let fault = |reason: String| TraceError { line: number + 1, reason };
            let Some(line) = line.strip_suffix('\n') else { break };
            let line: Line = serde_json::from_str(line).map_err(|error| fault(error.to_string()))?;
            if let Line::Launch(LaunchLine { folder: Some(folder), .. }) = &line
                && !is_file_name(folder)
            {
                return Err(fault(format!("{folder:?} is no name of a folder in the trace")));
            }
            lines.push(line);
        }
        Ok(Trace { lines })
    }

    /// Launches in order.
    pub fn launches(&self) -> impl Iterator<Item = &LaunchLine> {
        self.lines.iter().filter_map(|line| match line {
            Line::Launch(launch) => Some(launch),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_are_short() {
        let argument = ArgumentLine { name: "n".to_owned(), type_name: "long".to_owned(), ..ArgumentLine::default() };
        let launch = LaunchLine {
            launch: 0,
            kernel: "axpy".to_owned(),
            program: 0,
            groups: [1; 3],
            items: [1; 3],
            range: None,
            obstacle: None,
            arguments: vec![ArgumentLine { hex: Some("05".to_owned()), value: 5.into(), ..argument }],
            folder: Some("000000-axpy".to_owned()),
            refused: None,
        };
        let lines = [Line::Buffer { buffer: 0, bytes: 4, filled: false }, Line::Launch(launch)];
        let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
        assert!(text.contains("{\"name\":\"n\",\"type\":\"long\",\"hex\":\"05\",\"value\":5}"), "{text}");
        assert_eq!(Trace::parse(&text).unwrap().lines, lines);
        assert_eq!(Trace::parse(&(text.clone() + "{\"event\":\"bu")).unwrap().lines, lines);
        let error = Trace::parse(&text.replace("000000-axpy", "../axpy")).unwrap_err();
        assert_eq!((error.line, error.to_string().contains("line 2: \"../axpy\"")), (2, true));
        assert_eq!(Trace::parse("{}\n").unwrap_err().line, 1);
    }
}
