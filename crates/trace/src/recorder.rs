//! Writing of a trace, one line after the other. An error of the file system ends it: nothing else is the caller's.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::sync::Arc;
use std::time::Duration;

use affinimath_core::private_files;

use super::case::Case;
use super::checksum::checksum;
use super::element::ElementKind;
use super::facts::{ContextFacts, LaunchFacts, Payload, ProgramFacts};
use super::line::{ArgumentLine, LaunchLine, Line};
use super::record::{DeviceName, Given, LaunchRecord, folder_name, from_hex};
use super::settings::{Outputs, Settings};

/// First elements of a buffer that a line shows.
const FIRST: usize = 4;

/// A launch between its two looks at memory.
#[derive(Debug)]
pub struct Pending {
    line: LaunchLine,
    /// Handles of the memory objects of the case.
    handles: Vec<usize>,
    case: Option<Case>,
}

impl Pending {
    /// True if memory is to be read after the launch.
    pub const fn is_recorded(&self) -> bool {
        self.case.is_some()
    }
}

/// A memory object that the trace knows.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: u64,
    bytes: u64,
}

/// A trace that is written.
#[derive(Debug)]
pub struct Recorder {
    settings: Settings,
    lines: File,
    contexts: Vec<ContextFacts>,
    programs: Vec<Arc<ProgramFacts>>,
    /// Numbers of contexts and of memory objects by their handles.
    context_ids: HashMap<usize, u64>,
    buffers: HashMap<usize, Known>,
    buffer_count: u64,
    launches: u64,
    recorded: u64,
}

impl Recorder {
    /// Makes the folder and the file of lines.
    ///
    /// # Errors
    /// Errors of the file system; [`ErrorKind::AlreadyExists`] where the folder has a trace.
    pub fn create(settings: Settings) -> Result<Self> {
        private_files::create_folder(&settings.folder)?;
        let path = settings.folder.join("trace.jsonl");
        let lines =
            private_files::creating().create_new(true).append(true).open(path).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Error::new(
                    ErrorKind::AlreadyExists,
                    "the folder has a trace already; %p in its name is the process's number",
                ),
                _ => error,
            })?;
        Ok(Recorder {
            settings,
            lines,
            contexts: Vec::new(),
            programs: Vec::new(),
            context_ids: HashMap::new(),
            buffers: HashMap::new(),
            buffer_count: 0,
            launches: 0,
            recorded: 0,
        })
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.lines.write_all(text.as_bytes())
    }

    /// Number of a context, which gets a line when it is met first.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn context(&mut self, handle: usize, facts: impl FnOnce() -> ContextFacts) -> Result<u64> {
        if let Some(id) = self.context_ids.get(&handle) {
            return Ok(*id);
        }
        let (facts, context) = (facts(), self.contexts.len() as u64);
        self.context_ids.insert(handle, context);
        self.contexts.push(facts.clone());
        let DeviceName { platform, name: device, driver } = facts.device;
        self.write(&Line::Context { context, platform, device, driver, library: facts.library.to_owned() })?;
        Ok(context)
    }

    /// A new memory object, which has content from elsewhere or none.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn buffer_created(&mut self, handle: usize, bytes: u64, filled: bool) -> Result<u64> {
        let id = self.buffer_count;
        self.buffer_count += 1;
        self.buffers.insert(handle, Known { id, bytes });
        self.write(&Line::Buffer { buffer: id, bytes, filled })?;
        Ok(id)
    }

    /// Number of a memory object, which gets a line when it is met first. A handle of another size means another one.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn buffer(&mut self, handle: usize, bytes: u64) -> Result<u64> {
        match self.buffers.get(&handle) {
            Some(known) if known.bytes == bytes => Ok(known.id),
            _ => self.buffer_created(handle, bytes, true),
        }
    }

    /// Size of a known memory object.
    pub fn bytes_of(&self, handle: usize) -> Option<u64> {
        self.buffers.get(&handle).map(|known| known.bytes)
    }

    fn id(&mut self, handle: usize) -> Result<u64> {
        match self.buffers.get(&handle) {
            Some(known) => Ok(known.id),
            None => self.buffer_created(handle, 0, true),
        }
    }

    /// Bytes of the host are written to a buffer. `data` are the bytes where they are adjacent.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn written(&mut self, handle: usize, offset: u64, bytes: u64, data: Option<&[u8]>) -> Result<()> {
        self.written_sum(handle, offset, bytes, data.map(checksum))
    }

    /// [`Recorder::written`] of bytes whose checksum is known.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn written_sum(&mut self, handle: usize, offset: u64, bytes: u64, checksum: Option<String>) -> Result<()> {
        let buffer = self.id(handle)?;
        self.write(&Line::Write { buffer, offset, bytes, checksum })
    }

    /// Bytes of a buffer are read.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn read(&mut self, handle: usize, offset: u64, bytes: u64) -> Result<()> {
        let buffer = self.id(handle)?;
        self.write(&Line::Read { buffer, offset, bytes })
    }

    /// Bytes are copied from one buffer to another: handles and first bytes.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn copied(&mut self, source: (usize, u64), target: (usize, u64), bytes: u64) -> Result<()> {
        let (from, buffer) = (self.id(source.0)?, self.id(target.0)?);
        self.write(&Line::Copy { from, from_offset: source.1, buffer, offset: target.1, bytes })
    }

    /// A pattern fills a buffer.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn filled(&mut self, handle: usize, bytes: u64) -> Result<()> {
        let buffer = self.id(handle)?;
        self.write(&Line::Fill { buffer, bytes })
    }

    /// Work of the host is enqueued on memory.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn host_work(&mut self, handles: impl IntoIterator<Item = usize>) -> Result<()> {
        let mut buffers = Vec::new();
        for handle in handles {
            let id = self.id(handle)?;
            if !buffers.contains(&id) {
                buffers.push(id);
            }
        }
        self.write(&Line::Host { buffers })
    }

    /// Numbers a program, which gets a line.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn program(&mut self, facts: ProgramFacts) -> Result<u64> {
        let program = self.programs.len() as u64;
        let (name, options, definitions) = (facts.name.clone(), facts.options.clone(), facts.definitions.clone());
        let source = checksum(facts.source.as_bytes());
        self.programs.push(Arc::new(facts));
        self.write(&Line::Program { program, name, source, options, definitions })?;
        Ok(program)
    }

    /// Begins a launch: its memory is read by `read` where it is recorded. An error [`ErrorKind::WouldBlock`] of `read`
    /// says that the launch cannot be waited for: it gets a line and no folder.
    ///
    /// # Errors
    /// Errors of the file system, and other ones of `read`.
    pub fn begin(
        &mut self,
        facts: &LaunchFacts<'_>,
        mut read: impl FnMut(usize, u64) -> Result<Vec<u8>>,
    ) -> Result<Pending> {
        let (launch, kernel) = (self.launches, facts.kernel);
        self.launches += 1;
        let line = LaunchLine {
            launch,
            kernel: kernel.to_owned(),
            program: facts.program,
            groups: facts.groups,
            items: facts.items,
            range: facts.range,
            obstacle: facts.obstacle.clone(),
            arguments: Vec::new(),
            folder: None,
            refused: None,
        };
        let mut pending = Pending { line, handles: Vec::new(), case: None };
        let missing = || Error::other("a launch of a program or in a context that the trace does not know");
        let program = self.programs.get(facts.program as usize).ok_or_else(missing)?.clone();
        let context = self.contexts.get(facts.context as usize).ok_or_else(missing)?.clone();
        let mut total = BTreeMap::new();
        for argument in &facts.arguments {
            let mut line = ArgumentLine {
                name: argument.name.clone(),
                type_name: argument.type_name.clone(),
                ..ArgumentLine::default()
            };
            let kind = ElementKind::of_opencl(&argument.type_name, program.scalar);
            match &argument.payload {
                Payload::Value(bytes) => {
                    if let Given::Value { hex, value } = Given::value(bytes, kind) {
                        (line.hex, line.value) = (Some(hex), value);
                    }
                }
                Payload::Memory { handle, bytes } => {
                    (line.buffer, line.bytes) = (Some(self.buffer(*handle, *bytes)?), Some(*bytes));
                    let whole = |kind: &ElementKind| bytes.is_multiple_of(kind.bytes() as u64);
                    line.element = Some(kind.filter(whole).unwrap_or(ElementKind::U8));
                    total.insert(*handle, *bytes);
                }
                Payload::Local(bytes) => line.local = Some(*bytes),
                Payload::Object(kind) => line.object = Some(kind.clone()),
            }
            pending.line.arguments.push(line);
        }
        let bytes = total.values().fold(0_u64, |all, bytes| all.saturating_add(*bytes));
        let settings = &self.settings;
        let is_recorded = !facts.unread
            && settings.selects(kernel)
            && launch >= settings.from
            && self.recorded < settings.count
            && bytes <= settings.bytes;
        if !is_recorded {
            return Ok(pending);
        }
        let mut record = LaunchRecord::new(launch, kernel, &program.name, facts.groups, facts.items);
        record.definitions.clone_from(&program.definitions);
        record.options.clone_from(&program.options);
        (record.hidden_ptx, record.device) = (program.hidden_ptx, context.device);
        record.library = context.library.to_owned();
        (record.range, record.obstacle) = (facts.range, facts.obstacle.clone());
        let kernels = program.kernels.iter();
        let generated = kernels.filter(|(name, _)| name == kernel).map(|(_, json)| json.clone()).next();
        let source = program.source.clone();
        let mut case = Case { record, source, kernel: generated, memories: Vec::new() };
        for (argument, line) in facts.arguments.iter().zip(&mut pending.line.arguments) {
            match (&argument.payload, line.buffer, line.element) {
                (Payload::Memory { handle, bytes }, Some(buffer), Some(element)) => {
                    let known = case.record.memories.iter().position(|memory| memory.buffer == buffer);
                    let content = match if known.is_some() { Ok(Vec::new()) } else { read(*handle, *bytes) } {
                        Err(error) if error.kind() == ErrorKind::WouldBlock => {
                            pending.line.obstacle = Some(error.to_string());
                            return Ok(pending);
                        }
                        content => content?,
                    };
                    case.add_memory(&line.name, &line.type_name, buffer, element, content);
                    if known.is_none() {
                        pending.handles.push(*handle);
                    }
                }
                (Payload::Local(bytes), ..) => {
                    case.add(&line.name, &line.type_name, Given::Local { local: *bytes });
                }
                (Payload::Object(kind), ..) => {
                    case.add(&line.name, &line.type_name, Given::Object { object: kind.clone() });
                }
                _ => {
                    let hex = line.hex.clone().unwrap_or_default();
                    case.add(&line.name, &line.type_name, Given::Value { hex, value: line.value.clone() });
                }
            }
        }
        for line in &mut pending.line.arguments {
            let Some(memory) = case.record.memories.iter().position(|memory| Some(memory.buffer) == line.buffer) else {
                continue;
            };
            let before = case.memories[memory].before.as_deref().unwrap_or_default();
            line.before = Some(checksum(before));
            line.first = line.element.unwrap_or(ElementKind::U8).first(before, FIRST);
        }
        self.recorded += 1;
        pending.case = Some(case);
        Ok(pending)
    }

    /// Ends a launch: its memory is read again, and its files and its line are written. An error
    /// [`ErrorKind::WouldBlock`] of `read` leaves the files out.
    ///
    /// # Errors
    /// Errors of the file system, and other ones of `read`.
    pub fn end(
        &mut self,
        pending: Pending,
        elapsed: Duration,
        mut read: impl FnMut(usize, u64) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let Pending { mut line, handles, case } = pending;
        if let Some(mut case) = case {
            case.record.nanoseconds = u64::try_from(elapsed.as_nanos()).ok();
            if self.settings.outputs != Outputs::None {
                let sizes: Vec<u64> = case.record.memories.iter().map(|memory| memory.bytes).collect();
                let after = handles.iter().zip(sizes).map(|(handle, bytes)| read(*handle, bytes));
                let after = match after.collect::<Result<Vec<_>>>() {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        line.obstacle = Some(error.to_string());
                        return self.write(&Line::Launch(line));
                    }
                    after => after?,
                };
                for argument in &mut line.arguments {
                    let memories = &case.record.memories;
                    let memory = memories.iter().position(|memory| Some(memory.buffer) == argument.buffer);
                    let Some(memory) = memory else { continue };
                    argument.after = Some(checksum(&after[memory]));
                    if argument.after != argument.before {
                        argument.first_after = argument.element.unwrap_or(ElementKind::U8).first(&after[memory], FIRST);
                    }
                }
                case.set_after(after);
            }
            if self.settings.outputs == Outputs::Only {
                case.memories.iter_mut().for_each(|memory| memory.before = None);
                case.record.memories.iter_mut().for_each(|memory| memory.before = None);
            }
            let name = folder_name(line.launch, &line.kernel);
            case.save(&self.settings.folder.join(&name))?;
            line.folder = Some(name);
        }
        self.write(&Line::Launch(line))
    }

    /// Ends a launch that the driver refused, with its error.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn refused(&mut self, pending: Pending, error: String) -> Result<()> {
        self.write(&Line::Launch(LaunchLine { refused: Some(error), ..pending.line }))
    }
}

impl ArgumentLine {
    /// Bytes of a value; `None` for memory.
    pub fn value_bytes(&self) -> Option<Vec<u8>> {
        self.hex.as_deref().and_then(from_hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ArgumentFacts;
    use crate::files::{Files, Folder};
    use crate::line::Trace;
    use crate::range::NdRange;

    fn bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn recorder(settings: Settings) -> (Recorder, u64, u64) {
        let mut recorder = Recorder::create(settings).unwrap();
        let context = || ContextFacts { device: DeviceName::default(), library: "0.1.0" };
        let context = recorder.context(1, context).unwrap();
        let program = ProgramFacts {
            name: "add (S)".to_owned(),
            source: "kernel void add(global real *x, global real *y, long n) {}".to_owned(),
            options: String::new(),
            definitions: BTreeMap::from([("WIDTH".to_owned(), 4)]),
            hidden_ptx: false,
            scalar: Some(ElementKind::F32),
            kernels: vec![("add".to_owned(), "{}".to_owned())],
        };
        let program = recorder.program(program).unwrap();
        (recorder, context, program)
    }

    /// A launch of x and y of three numbers, that changes y.
    fn launch(recorder: &mut Recorder, context: u64, program: u64) -> Result<()> {
        let memory = |handle| Payload::Memory { handle, bytes: 12 };
        let argument = |name: &str, type_name: &str, payload| ArgumentFacts {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            payload,
        };
        let arguments = vec![
            argument("x", "real*", memory(100)),
            argument("y", "real*", memory(200)),
            argument("n", "long", Payload::Value(3_i64.to_le_bytes().to_vec())),
        ];
        let facts = LaunchFacts {
            kernel: "add",
            program,
            context,
            groups: [1; 3],
            items: [3, 1, 1],
            range: None,
            arguments,
            obstacle: None,
            unread: false,
        };
        let content = |handle, changed| bytes(&if handle == 200 { [changed; 3] } else { [f32::NAN; 3] });
        let pending = recorder.begin(&facts, |handle, _| Ok(content(handle, 1.0)))?;
        recorder.end(pending, Duration::from_micros(5), |handle, _| Ok(content(handle, 2.0)))
    }

    #[test]
    fn a_launch_has_a_line_and_a_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("trace");
        let (mut recorder, context, program) = recorder(Settings::new(&folder));
        recorder.buffer_created(100, 12, false).unwrap();
        recorder.written(100, 0, 12, Some(&bytes(&[f32::NAN; 3]))).unwrap();
        launch(&mut recorder, context, program).unwrap();
        let files = Folder(folder);
        let trace = Trace::load(&files).unwrap();
        assert_eq!(trace.lines.len(), 6, "{:?}", trace.lines);
        let line = trace.launches().next().unwrap();
        assert_eq!(line.arguments[0].first, ["NaN"; 3]);
        assert_eq!((line.arguments[0].buffer, line.arguments[1].buffer), (Some(0), Some(1)));
        assert_eq!(line.arguments[0].before, line.arguments[0].after);
        assert_eq!(line.arguments[1].first_after, [2.0; 3]);
        let case = Case::load(&*files.folder(line.folder.as_ref().unwrap()).unwrap()).unwrap();
        assert_eq!(case.expected(0), case.memories[0].before.as_deref());
        assert_eq!(case.expected(1), Some(&bytes(&[2.0; 3])[..]));
        assert_eq!((case.record.nanoseconds, case.kernel.as_deref()), (Some(5000), Some("{}")));
        assert_eq!(case.record.definitions["WIDTH"], 4);
        let again = Recorder::create(Settings::new(&files.0)).unwrap_err();
        assert!(again.to_string().contains("has a trace already"));
    }

    #[test]
    fn the_same_program_gives_the_same_lines() {
        let text = |settings: fn(Settings) -> Settings| {
            let outer = tempfile::tempdir().unwrap();
            let (mut recorder, context, program) = recorder(settings(Settings::new(outer.path().join("t"))));
            for _ in 0..3 {
                launch(&mut recorder, context, program).unwrap();
            }
            let folders = Folder(outer.path().join("t")).folders().unwrap().len();
            (std::fs::read_to_string(outer.path().join("t/trace.jsonl")).unwrap(), folders)
        };
        assert_eq!(text(|all| all), text(|all| all));
        assert_eq!(text(|all| all).1, 3);
        assert_eq!(text(|all| Settings { from: 1, count: 1, ..all }).1, 1);
        assert_eq!(text(|all| Settings { kernel: "gemm*".to_owned(), ..all }).1, 0);
        assert_eq!(text(|all| Settings { bytes: 23, ..all }).1, 0);
        assert_eq!(text(|all| Settings { bytes: 24, ..all }).1, 3);
    }

    #[test]
    fn files_are_those_that_the_settings_ask_for() {
        for (outputs, expected) in [(Outputs::Only, (false, true)), (Outputs::None, (true, false))] {
            let outer = tempfile::tempdir().unwrap();
            let folder = outer.path().join("t");
            let (mut recorder, context, program) = recorder(Settings { outputs, ..Settings::new(&folder) });
            launch(&mut recorder, context, program).unwrap();
            let case = Case::load(&Folder(folder.join("000000-add"))).unwrap();
            let memory = &case.memories[1];
            assert_eq!((memory.before.is_some(), memory.after.is_some()), expected);
            assert_eq!(case.expected(1).is_some(), expected.1);
        }
    }

    #[test]
    fn launches_that_cannot_be_waited_for_have_a_line_and_no_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("t");
        let (mut recorder, context, program) = recorder(Settings { count: 1, ..Settings::new(&folder) });
        let blocked = |_, _| Err(Error::new(ErrorKind::WouldBlock, "it waits for the program"));
        let facts = || LaunchFacts {
            kernel: "add",
            program,
            context,
            groups: [3, 1, 1],
            items: [1; 3],
            range: Some(NdRange { dimensions: 1, offset: [7, 0, 0], global: [3, 1, 1], local: None }),
            arguments: [
                Payload::Memory { handle: 100, bytes: 4 },
                Payload::Local(64),
                Payload::Object("sampler_t".into()),
            ]
            .map(|payload| ArgumentFacts { name: String::new(), type_name: String::new(), payload })
            .into(),
            obstacle: Some("argument 2 is a sampler_t".to_owned()),
            unread: false,
        };
        let pending = recorder.begin(&facts(), blocked).unwrap();
        assert!(!pending.is_recorded());
        recorder.end(pending, Duration::ZERO, blocked).unwrap();
        let pending = recorder.begin(&facts(), |_, _| Ok(vec![0; 4])).unwrap();
        assert!(pending.is_recorded(), "the one before is not counted");
        recorder.end(pending, Duration::ZERO, blocked).unwrap();
        let mut next = facts();
        next.unread = true;
        let pending = recorder.begin(&next, |_, _| panic!("nothing is read")).unwrap();
        recorder.refused(pending, "-54".to_owned()).unwrap();
        let lines = Trace::load(&Folder(folder)).unwrap();
        let lines: Vec<_> = lines.launches().collect();
        assert!(lines.iter().all(|line| line.folder.is_none() && line.range == next.range));
        assert_eq!(lines[0].obstacle.as_deref(), Some("it waits for the program"));
        assert_eq!((lines[2].obstacle.clone(), lines[2].refused.as_deref()), (next.obstacle, Some("-54")));
        let (local, object) = (lines[0].arguments[1].local, lines[0].arguments[2].object.as_deref());
        assert_eq!((local, object), (Some(64), Some("sampler_t")));
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_written_is_an_error_and_leaves_no_half_case() {
        let outer = tempfile::tempdir().unwrap();
        let file = outer.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(Recorder::create(Settings::new(file.join("t"))).is_err());
        let folder = outer.path().join("t");
        let (mut recorder, context, program) = recorder(Settings::new(&folder));
        // A file where the launch's folder would be.
        std::fs::write(folder.join("000000-add"), "").unwrap();
        assert!(launch(&mut recorder, context, program).is_err());
        assert_eq!(Trace::load(&Folder(folder)).unwrap().launches().count(), 0);
    }
}
