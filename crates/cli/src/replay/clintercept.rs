//! Dumps of Intel's OpenCL intercept layer as recorded launches.
//!
//! With `CLI_CaptureReplay` its folder `Replay` has a folder for each launch, `Enqueue_12_blur`:
//!
//! ```text
//! kernelName.txt  enqueueNumber.txt  kernel.cl  buildOptions.txt
//! worksizes.txt                  lines: work-items, those of a group (0 where the driver chose), offsets
//! ArgumentDataTypes.txt          a line for each argument, where the driver told
//! Argument0.bin                  bytes of a value, or of a handle
//! Local4.txt                     bytes of local memory
//! Sampler3.txt  Image_MetaData_2.txt  SVM_Arg_Offset_1.txt
//! Pre, Post/Enqueue_0012_Kernel_blur_Arg_1_Buffer_0003.bin   memory before and after
//! ```
//!
//! Its other dumps, `memDumpPreEnqueue` and `memDumpPostEnqueue`, have neither sizes nor values.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use affinimath_trace::{
    Case, ElementKind, Files, Folder, Given, LaunchRecord, MemoryFiles, NdRange, folder_name, is_file_name,
};

use super::sources::Named;

/// Arguments of a kernel, at most.
const MAX_ARGUMENTS: usize = 1024;
/// Bytes of a text file of numbers or names.
const MAX_TEXT: u64 = 1 << 20;
/// Bytes of a source.
const MAX_SOURCE: u64 = 64 << 20;
/// Bytes of a value.
const MAX_VALUE: u64 = 1 << 16;

/// A launch's folder, with its name in messages.
struct Dump {
    name: String,
    files: Folder,
}

/// Names in a folder, sorted: its files or its folders. Links are neither.
fn names(folder: &Folder, is_wanted: fn(&fs::FileType) -> bool) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_file_name(&name) && is_wanted(&entry.file_type()?) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The recorded launches of dumps: those of a folder of one launch, of the folder `Replay`, or of the one it is in.
///
/// # Errors
/// The file and the reason for which the dumps are none.
pub(super) fn read(path: &Path) -> Result<Vec<Named>, String> {
    let shown = path.display();
    let dump = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Dump { name, files: Folder(path.to_owned()) }
    };
    let outer = dump(path);
    if outer.files.has("worksizes.txt") {
        return Ok(vec![named(&outer)?]);
    }
    let replay = path.join("Replay");
    let folder = Folder(if replay.is_dir() { replay } else { path.to_owned() });
    let folders = names(&folder, fs::FileType::is_dir).map_err(|error| format!("{shown}: {error}"))?;
    let mut launches = Vec::new();
    for name in folders.iter().filter(|name| name.starts_with("Enqueue_")) {
        let dump = dump(&folder.0.join(name));
        if dump.files.has("worksizes.txt") {
            launches.push(named(&dump)?);
        }
    }
    if launches.is_empty() {
        let told = match folders.iter().find(|name| name.starts_with("memDump")) {
            Some(name) => format!("{name} has memory without sizes of launches and values of arguments"),
            None => "it has no folder Replay with launches".to_owned(),
        };
        return Err(format!("{shown}: {told}: run the program with CLI_CaptureReplay=1"));
    }
    launches.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(launches)
}

/// A launch in the files of a trace.
fn named(dump: &Dump) -> Result<Named, String> {
    let case = dump.case().map_err(|reason| format!("{}/{reason}", dump.name))?;
    let mut files = MemoryFiles::default();
    let written = case.write_files(|name, parts| {
        files.insert(name, parts.concat());
        Ok(())
    });
    written.map_err(|error| format!("{}: {error}", dump.name))?;
    let name = folder_name(case.record.launch, &case.record.kernel);
    // As strict as with folders of strangers: what is written can be read.
    Case::load(&files).map_err(|error| format!("{}: {error}", dump.name))?;
    Ok(Named { name, files: Box::new(files) })
}

/// A file's name with an index, such as `Local4.txt`.
fn indexed(name: &str, begin: &str, end: &str) -> Option<usize> {
    let digits = name.strip_prefix(begin)?.strip_suffix(end)?;
    digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Argument and number of the memory object in a dump's name.
fn buffer(name: &str) -> Option<(usize, u64)> {
    let (begin, number) = name.strip_suffix(".bin")?.rsplit_once("_Buffer_")?;
    let (_, argument) = begin.rsplit_once("_Arg_")?;
    let sound = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if sound(number) && sound(argument) { Some((argument.parse().ok()?, number.parse().ok()?)) } else { None }
}

impl Dump {
    fn bytes(&self, name: &str, limit: u64) -> Result<Vec<u8>, String> {
        let length = self.files.length(name).map_err(|error| format!("{name}: {error}"))?;
        if length > limit {
            return Err(format!("{name}: it has {length} bytes, more than {limit}"));
        }
        self.files.read(name).map_err(|error| format!("{name}: {error}"))
    }

    /// A text without zero bytes at its end.
    fn text(&self, name: &str, limit: u64) -> Result<String, String> {
        let mut bytes = self.bytes(name, limit)?;
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        String::from_utf8(bytes).map_err(|_| format!("{name}: it is not UTF-8"))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        let text = self.text(name, MAX_TEXT)?;
        text.trim().parse().map_err(|_| format!("{name}: '{}' is no number", text.trim()))
    }

    /// Index space of the launch.
    fn range(&self) -> Result<NdRange, String> {
        let name = "worksizes.txt";
        let text = self.text(name, MAX_TEXT)?;
        let mut lines = text.lines();
        let mut line = |what: &str, rest: usize| -> Result<(u32, [usize; 3]), String> {
            let words: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
            if !(1..=3).contains(&words.len()) {
                return Err(format!("{name}: the line of {what} has {} numbers, and not 1 to 3", words.len()));
            }
            let mut sizes = [rest; 3];
            for (size, word) in sizes.iter_mut().zip(&words) {
                *size = word.parse().map_err(|_| format!("{name}: '{word}' is no number"))?;
            }
            Ok((words.len() as u32, sizes))
        };
        let ((dimensions, global), (groups, local), (offsets, offset)) =
            (line("work-items", 1)?, line("work-items of a group", 1)?, line("offsets", 0)?);
        if (groups, offsets) != (dimensions, dimensions) {
            return Err(format!("{name}: its lines have {dimensions}, {groups} and {offsets} numbers"));
        }
        let chosen = local[..dimensions as usize].iter().all(|size| *size == 0);
        let local = if chosen { None } else { Some(local) };
        if global.contains(&0) || local.is_some_and(|local| local.contains(&0)) {
            return Err(format!("{name}: {global:?} work-items in groups of {local:?}"));
        }
        Ok(NdRange { dimensions, offset, global, local })
    }

    /// Arguments' memory in one of the folders `Pre` and `Post`, with its number and its file.
    fn memory(&self, folder: &str) -> Result<BTreeMap<usize, (u64, Vec<u8>)>, String> {
        let mut found = BTreeMap::new();
        // A launch without buffers has no folder.
        let files = Folder(self.files.0.join(folder));
        if !files.0.is_dir() {
            return Ok(found);
        }
        let all = names(&files, fs::FileType::is_file).map_err(|error| format!("{folder}: {error}"))?;
        for name in all.iter().filter(|name| name.ends_with(".bin")) {
            let fault = |reason: &str| format!("{folder}/{name}: {reason}");
            let (argument, number) = buffer(name).ok_or_else(|| fault("its name has no argument and no buffer"))?;
            let content = files.read(name).map_err(|error| fault(&error.to_string()))?;
            if content.is_empty() {
                return Err(fault("it has no bytes"));
            }
            if found.insert(argument, (number, content)).is_some() {
                return Err(fault(&format!("another file is argument {argument}, too")));
            }
        }
        Ok(found)
    }

    fn case(&self) -> Result<Case, String> {
        let kernel = self.text("kernelName.txt", MAX_TEXT)?.trim().to_owned();
        let range = self.range()?;
        let (groups, items) = range.sizes();
        let mut record = LaunchRecord::new(self.number("enqueueNumber.txt")?, &kernel, &kernel, groups, items);
        record.range = Some(range);
        "clintercept".clone_into(&mut record.library);
        if self.files.has("buildOptions.txt") {
            record.options = self.text("buildOptions.txt", MAX_TEXT)?.trim().to_owned();
        }
        let source = if self.files.has("kernel.cl") { self.text("kernel.cl", MAX_SOURCE)? } else { String::new() };
        if source.is_empty() {
            record.obstacle = Some("its program has no source".to_owned());
        }
        let mut case = Case { record, source, kernel: None, memories: Vec::new() };
        self.add_arguments(&mut case)?;
        Ok(case)
    }

    /// Adds the arguments, whose number is that of the types, or else that of the files.
    fn add_arguments(&self, case: &mut Case) -> Result<(), String> {
        let (before, mut after) = (self.memory("Pre")?, self.memory("Post")?);
        let types = match self.files.has("ArgumentDataTypes.txt") {
            true => self.text("ArgumentDataTypes.txt", MAX_TEXT)?,
            false => String::new(),
        };
        let types: Vec<&str> = types.lines().map(str::trim).collect();
        let names = names(&self.files, fs::FileType::is_file).map_err(|error| error.to_string())?;
        let index = |name: &String| indexed(name, "Argument", ".bin").or_else(|| indexed(name, "Local", ".txt"));
        let largest = names.iter().filter_map(index).chain(before.keys().copied()).max();
        let count = largest.map_or(0, |last| last.saturating_add(1)).max(types.len());
        if count > MAX_ARGUMENTS {
            return Err(format!("Argument{}.bin: no kernel has so many arguments", count - 1));
        }
        let mut expected = Vec::new();
        for index in 0..count {
            let type_name = types.get(index).copied().unwrap_or_default();
            let file =
                |begin: &str, end: &str| Some(format!("{begin}{index}{end}")).filter(|name| names.contains(name));
            let object = if file("Sampler", ".txt").is_some() {
                Some("sampler")
            } else if file("Image_MetaData_", ".txt").is_some() {
                Some("image")
            } else {
                None
            };
            if let Some((number, content)) = before.get(&index) {
                if let Some(name) = file("SVM_Arg_Offset_", ".txt")
                    && self.number::<i128>(&name)? != 0
                {
                    let obstacle = format!("argument {index} points into shared virtual memory");
                    case.record.obstacle.get_or_insert(obstacle);
                }
                let kind = ElementKind::of_opencl(type_name, None).unwrap_or(ElementKind::U8);
                let known = case.memories.len();
                case.add_memory("", type_name, *number, kind, content.clone());
                if case.memories.len() > known {
                    expected.push(after.remove(&index).map(|(_, content)| content));
                }
            } else if let Some(object) = object {
                case.record.obstacle.get_or_insert(format!("argument {index} is an object: {object}"));
                case.add("", type_name, Given::Object { object: object.to_owned() });
            } else if let Some(name) = file("Local", ".txt") {
                case.add("", type_name, Given::Local { local: self.number(&name)? });
            } else if let Some(name) = file("Argument", ".bin") {
                let bytes = self.bytes(&name, MAX_VALUE)?;
                case.add("", type_name, Given::value(&bytes, ElementKind::of_opencl(type_name, None)));
            } else {
                return Err(format!("Argument{index}.bin: there is no file of this argument"));
            }
        }
        if expected.iter().all(Option::is_some) {
            let expected: Vec<Vec<u8>> = expected.into_iter().flatten().collect();
            let sizes = case.record.memories.iter().map(|memory| memory.bytes);
            if let Some(index) = sizes.zip(&expected).position(|(bytes, content)| bytes != content.len() as u64) {
                let argument = case.record.argument_of(index).unwrap_or_default();
                return Err(format!("Post: argument {argument} has another size than in Pre"));
            }
            if !expected.is_empty() {
                case.set_after(expected);
            }
        } else if expected.iter().any(Option::is_some) {
            return Err("Post: some of the buffers in Pre are missing".to_owned());
        }
        Ok(())
    }
}
