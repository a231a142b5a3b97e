//! A recorded launch: its arguments, its source, and the memory before and after.

use std::fs;
use std::io;
use std::path::Path;

use affinimath_core::private_files;

use super::element::ElementKind;
use super::files::Files;
use super::npy;
use super::record::{Argument, Given, LaunchRecord, MemoryRecord};

const MAX_JSON: u64 = 16 << 20;
const MAX_SOURCE: u64 = 64 << 20;
/// Bytes before the elements of a file, at most.
const MAX_NPY_HEADER: u64 = 1 << 17;

/// Contents of a memory object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes before the launch.
    pub before: Option<Vec<u8>>,
    /// Bytes after it, where they changed.
    pub after: Option<Vec<u8>>,
}

/// A recorded launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Everything but the contents.
    pub record: LaunchRecord,
    /// Source in OpenCL C.
    pub source: String,
    /// Kernel as JSON, where it was generated.
    pub kernel: Option<String>,
    /// Contents of [`LaunchRecord::memories`].
    pub memories: Vec<Memory>,
}

/// Reason for which a folder is no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct CaseError {
    /// File at fault.
    pub file: String,
    /// Reason.
    pub reason: String,
}

/// Bytes of memory as an array's file.
fn npy_header(memory: &MemoryRecord) -> npy::Header {
    let order = if memory.element.bytes() == 1 { '|' } else { '<' };
    let shape = vec![memory.bytes as usize / memory.element.bytes()];
    npy::Header { descr: format!("{order}{}", memory.element.code()), is_fortran: false, shape }
}

impl Case {
    /// Reads a case. Names are confined to the folder, and sizes are checked before memory is taken.
    ///
    /// # Errors
    /// [`CaseError`] with the first reason.
    pub fn load(files: &dyn Files) -> Result<Self, CaseError> {
        let text = text(files, "launch.json", MAX_JSON)?;
        let fault = |reason: String| CaseError { file: "launch.json".to_owned(), reason };
        let record: LaunchRecord = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        record.check().map_err(fault)?;
        let source = self::text(files, "source.cl", MAX_SOURCE)?;
        let kernel = if files.has("kernel.json") { Some(self::text(files, "kernel.json", MAX_SOURCE)?) } else { None };
        // All lengths first: a case with a file that does not fit takes no memory for the others.
        for memory in &record.memories {
            memory.before.iter().chain(&memory.after).try_for_each(|file| check_length(files, file, memory))?;
        }
        let content = |file: &Option<String>, memory: &MemoryRecord| -> Result<Option<Vec<u8>>, CaseError> {
            file.as_ref().map(|file| array(files, file, memory)).transpose()
        };
        let memories = record.memories.iter().map(|memory| {
            Ok(Memory { before: content(&memory.before, memory)?, after: content(&memory.after, memory)? })
        });
        let memories = memories.collect::<Result<_, CaseError>>()?;
        Ok(Case { record, source, kernel, memories })
    }

    /// Content that a memory object has to have after the launch; `None` where that was not recorded.
    pub fn expected(&self, memory: usize) -> Option<&[u8]> {
        let content = &self.memories[memory];
        match self.record.memories[memory].changed? {
            true => content.after.as_deref(),
            false => content.before.as_deref(),
        }
    }

    /// Takes the contents after a launch. Files of what did not change are not kept.
    pub fn set_after(&mut self, after: Vec<Vec<u8>>) {
        for (index, after) in after.into_iter().enumerate() {
            let changed = self.memories[index].before.as_ref() != Some(&after);
            let argument = self.record.argument_of(index).unwrap_or_default();
            let file = self.file_name(argument, "out");
            let record = &mut self.record.memories[index];
            (record.changed, record.after) = (Some(changed), changed.then_some(file));
            self.memories[index].after = changed.then_some(after);
        }
    }

    /// Adds an argument that is memory, with its content before the launch: the same memory object again, where
    /// `buffer` is that of an earlier argument.
    pub fn add_memory(&mut self, name: &str, type_name: &str, buffer: u64, element: ElementKind, before: Vec<u8>) {
        let known = self.record.memories.iter().position(|memory| memory.buffer == buffer);
        let memory = known.unwrap_or_else(|| {
            let bytes = before.len() as u64;
            let whole = bytes.is_multiple_of(element.bytes() as u64);
            let element = if whole { element } else { ElementKind::U8 };
            let record = MemoryRecord { buffer, bytes, element, before: None, after: None, changed: None };
            self.record.memories.push(record);
            self.memories.push(Memory { before: Some(before), after: None });
            self.record.memories.len() - 1
        });
        self.add(name, type_name, Given::Memory { memory });
        if known.is_none() {
            let file = self.file_name(self.record.arguments.len() - 1, "in");
            self.record.memories[memory].before = Some(file);
        }
    }

    /// Adds an argument.
    pub fn add(&mut self, name: &str, type_name: &str, given: Given) {
        self.record.arguments.push(Argument { name: name.to_owned(), type_name: type_name.to_owned(), given });
    }

    fn file_name(&self, argument: usize, what: &str) -> String {
        let name = self.record.arguments.get(argument).map_or("", |argument| argument.name.as_str());
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        let dash = if name.is_empty() { "" } else { "-" };
        format!("a{argument:02}{dash}{name}.{what}.npy")
    }

    /// Files of the case, by `write(name, parts)`: the parts are one file's content.
    ///
    /// # Errors
    /// The first error of `write`.
    pub fn write_files(&self, mut write: impl FnMut(&str, &[&[u8]]) -> io::Result<()>) -> io::Result<()> {
        write("source.cl", &[self.source.as_bytes()])?;
        if let Some(kernel) = &self.kernel {
            write("kernel.json", &[kernel.as_bytes()])?;
        }
        for (record, memory) in self.record.memories.iter().zip(&self.memories) {
            let mut header = Vec::new();
            npy_header(record).write(&mut header)?;
            for (file, content) in [(&record.before, &memory.before), (&record.after, &memory.after)] {
                if let (Some(file), Some(content)) = (file, content) {
                    write(file, &[&header, content])?;
                }
            }
        }
        // Last, so that a folder with it is complete.
        let text = serde_json::to_string_pretty(&self.record)? + "\n";
        write("launch.json", &[text.as_bytes()])
    }

    /// Writes the case into a folder, which is made with its missing parents.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        private_files::create_folder(folder)?;
        self.write_files(|name, parts| {
            let mut file = private_files::creating().write(true).truncate(true).open(folder.join(name))?;
            parts.iter().try_for_each(|part| io::Write::write_all(&mut file, part))
        })
    }

    /// Removes the files of a case from its folder, where there is one; other files stay.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove(folder: &Path) -> io::Result<()> {
        let Ok(text) = fs::read_to_string(folder.join("launch.json")) else { return Ok(()) };
        let record = serde_json::from_str(&text).ok().filter(|record: &LaunchRecord| record.check().is_ok());
        let Some(record) = record else { return Ok(()) };
        let arrays = record.memories.iter().flat_map(|memory| memory.before.iter().chain(&memory.after));
        let names = arrays.map(String::as_str).chain(["kernel.json", "source.cl", "launch.json"]);
        names.map(|name| fs::remove_file(folder.join(name))).try_for_each(|removed| match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
    }
}

fn text(files: &dyn Files, name: &str, limit: u64) -> Result<String, CaseError> {
    let fault = |reason: String| CaseError { file: name.to_owned(), reason };
    let length = files.length(name).map_err(|error| fault(error.to_string()))?;
    if length > limit {
        return Err(fault(format!("it has {length} bytes, more than {limit}")));
    }
    files.text(name).map_err(|error| fault(error.to_string()))
}

/// A file is as long as its array and a header.
fn check_length(files: &dyn Files, name: &str, memory: &MemoryRecord) -> Result<(), CaseError> {
    let fault = |reason: String| CaseError { file: name.to_owned(), reason };
    let length = files.length(name).map_err(|error| fault(error.to_string()))?;
    let fits = length.checked_sub(memory.bytes).is_some_and(|header| header <= MAX_NPY_HEADER);
    if fits { Ok(()) } else { Err(fault(format!("it has {length} bytes, and the memory object {}", memory.bytes))) }
}

fn array(files: &dyn Files, name: &str, memory: &MemoryRecord) -> Result<Vec<u8>, CaseError> {
    let fault = |reason: String| CaseError { file: name.to_owned(), reason };
    let mut content = files.read(name).map_err(|error| fault(error.to_string()))?;
    let (header, length) = npy::Header::read(&mut content.as_slice()).map_err(|error| fault(error.to_string()))?;
    let (kind, is_big_endian) = header.kind();
    let count = header.shape.iter().try_fold(1_usize, |all, extent| all.checked_mul(*extent));
    let wanted = memory.bytes as usize / memory.element.bytes();
    if kind != memory.element.code() || is_big_endian && memory.element.bytes() > 1 || count != Some(wanted) {
        return Err(fault(format!(
            "it is an array of {} with shape {:?}, and not of {wanted} elements of {}",
            header.descr,
            header.shape,
            memory.element.code()
        )));
    }
    let found = content.len() as u64 - length;
    if found != memory.bytes {
        return Err(fault(format!("it has {found} bytes of elements, and the memory object {}", memory.bytes)));
    }
    content.drain(..length as usize);
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Folder, MemoryFiles};
    use crate::range::NdRange;
    use crate::record::{folder_name, from_hex};

    pub(crate) fn example() -> Case {
        let record = LaunchRecord::new(7, "axpy", "axpy (S)", [2, 1, 1], [4, 1, 1]);
        let mut case = Case {
            record,
            source: "kernel void axpy(long n, global float *y) {}".to_owned(),
            kernel: None,
            memories: Vec::new(),
        };
        let floats = |numbers: [f32; 3]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        case.add("n", "long", Given::value(&3_i64.to_le_bytes(), Some(ElementKind::I64)));
        case.add_memory("x", "float*", 0, ElementKind::F32, floats([1.0, 2.0, 3.0]));
        case.add_memory("y", "float*", 1, ElementKind::F32, floats([1.0, 1.0, 1.0]));
        case.add_memory("z", "float*", 0, ElementKind::F32, Vec::new());
        case.set_after(vec![floats([1.0, 2.0, 3.0]), floats([2.0, 3.0, 4.0])]);
        case
    }

    fn files(case: &Case) -> MemoryFiles {
        let mut files = MemoryFiles::default();
        case.write_files(|name, parts| {
            assert!(files.insert(name, parts.concat()));
            Ok(())
        })
        .unwrap();
        files
    }

    #[test]
    fn a_case_comes_back_from_its_folder() {
        let case = example();
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join(folder_name(7, "axpy"));
        case.save(&folder).unwrap();
        let mut names: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["a01-x.in.npy", "a02-y.in.npy", "a02-y.out.npy", "launch.json", "source.cl"]);
        let again = Case::load(&Folder(folder.clone())).unwrap();
        assert_eq!(again, case);
        assert_eq!(again.expected(0), again.memories[0].before.as_deref());
        assert_eq!(again.expected(1).unwrap()[..4], 2.0_f32.to_le_bytes());
        assert_eq!(again.record.argument_name(2), "'y' (argument 2)");
        fs::write(folder.join("README"), "").unwrap();
        Case::remove(&folder).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "other files stay");
        Case::remove(&folder.join("absent")).unwrap();
    }

    #[test]
    fn malformed_cases_are_refused_with_the_file() {
        let sound = files(&example());
        let launch = sound.text("launch.json").unwrap();
        for (from, to, reason) in [
            ("\"format\": 1", "\"format\": 2", "format 2"),
            ("\"axpy\"", "\"../axpy\"", "no name of a kernel"),
            ("a01-x.in.npy", "../secret.npy", "no name of an array's own file"),
            ("a01-x.in.npy", "/etc/passwd", "no name of an array's own file"),
            ("a01-x.in.npy", "source.cl", "no name of an array's own file"),
            ("a01-x.in.npy", "a02-y.in.npy", "no name of an array's own file"),
            ("\"bytes\": 12", "\"bytes\": 1200000000000000", "and the memory object 1200000000000000"),
            ("\"bytes\": 12", "\"bytes\": 13", "whole number"),
            ("\"bytes\": 12", "\"bytes\": 0", "no bytes"),
            ("\"bytes\": 12", "\"bytes\": 8", "not of 2 elements"),
            ("\"element\": \"f4\"", "\"element\": \"i4\"", "array of <f4"),
            ("\"memory\": 1", "\"memory\": 9", "argument 2 is memory 9"),
            ("\"hex\": \"03", "\"hex\": \"0x", "no value"),
            ("\"hex\": \"03", "\"hex\": \"0", "no value"),
            ("\"groups\": [\n    2", "\"groups\": [\n    0", "groups"),
            ("\"groups\": [\n    2", "\"groups\": [\n    9223372036854775807", "groups"),
        ] {
            assert!(launch.contains(from), "{from}");
            let mut files = sound.clone();
            files.insert("launch.json", launch.replacen(from, to, 1).into_bytes());
            let error = Case::load(&files).unwrap_err().to_string();
            assert!(error.contains(reason), "{from} -> {to}: {error}");
        }
        let mut files = sound.clone();
        files.insert("a01-x.in.npy", vec![0; 140]);
        assert_eq!(Case::load(&files).unwrap_err().file, "a01-x.in.npy");
        assert_eq!(Case::load(&MemoryFiles::default()).unwrap_err().file, "launch.json");
    }

    #[test]
    fn index_spaces_local_memory_and_objects_come_back() {
        let mut case = example();
        case.add("tile", "float*", Given::Local { local: 256 });
        case.add("pair", "struct pair", Given::value(&[7; 40], None));
        case.record.range =
            Some(NdRange { dimensions: 1, offset: [1, 0, 0], global: [7, 1, 1], local: Some([4, 1, 1]) });
        assert_eq!(Case::load(&files(&case)).unwrap(), case);
        assert_eq!(case.record.global(), [7, 1, 1]);
        case.record.set_sizes([5, 2, 1], [2, 1, 1]);
        let range = NdRange { dimensions: 2, offset: [1, 0, 0], global: [10, 2, 1], local: Some([2, 1, 1]) };
        assert_eq!(case.record.range, Some(range));
        case.add("image", "image2d_t", Given::Object { object: "image2d_t".to_owned() });
        let error = Case::load(&files(&case)).unwrap_err();
        assert!(error.reason.contains("no obstacle"), "{error}");
        case.record.obstacle = Some("argument 6 is an image2d_t".to_owned());
        assert_eq!(Case::load(&files(&case)).unwrap(), case);
        case.record.range = Some(NdRange { global: [11, 2, 1], ..range });
        assert!(Case::load(&files(&case)).unwrap_err().reason.contains("no index space"));
        case.record.range = None;
        case.add("tile", "float*", Given::Local { local: 0 });
        assert!(Case::load(&files(&case)).unwrap_err().reason.contains("local memory of 0 bytes"));
    }

    #[test]
    fn values_are_bytes_with_a_number_to_read() {
        let given = Given::value(&1.5_f64.to_le_bytes(), Some(ElementKind::F64));
        assert_eq!(serde_json::to_string(&given).unwrap(), "{\"hex\":\"000000000000f83f\",\"value\":1.5}");
        assert_eq!(given.bytes().unwrap(), 1.5_f64.to_le_bytes());
        assert_eq!(from_hex("0g"), None);
        assert_eq!(Given::Memory { memory: 0 }.bytes(), None);
    }
}
