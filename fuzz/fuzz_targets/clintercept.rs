//! Dumps of Intel's intercept layer as files: sections that begin with a line `=== PATH`, in a folder of a launch. What
//! is read is a case, within the bounds that its record tells, and the same in another reading; what is refused has a
//! reason. Nothing is built.
#![no_main]

use std::fs;
use std::path::{Component, Path, PathBuf};

use affinimath_trace::{Case, MemoryFiles};
use libfuzzer_sys::fuzz_target;

/// The program's own reader, which is in no library.
#[path = "../../crates/cli/src/replay/clintercept.rs"]
mod clintercept;

/// Type that the reader names in the module above it.
mod sources {
    pub(super) struct Named {
        pub(super) name: String,
        pub(super) files: Box<dyn affinimath_trace::Files>,
    }
}

const MARK: &[u8] = b"=== ";

/// Writes the data's sections into a folder; paths that leave it are left out.
fn write(folder: &Path, data: &[u8]) {
    let starts: Vec<usize> =
        (0..data.len()).filter(|at| data[*at..].starts_with(MARK) && (*at == 0 || data[at - 1] == b'\n')).collect();
    for (index, start) in starts.iter().enumerate() {
        let begin = start + MARK.len();
        let end = starts.get(index + 1).map_or(data.len(), |next| next - 1).max(begin);
        let section = &data[begin..end];
        let length = section.iter().position(|byte| *byte == b'\n').unwrap_or(section.len());
        let path = PathBuf::from(String::from_utf8_lossy(&section[..length]).into_owned());
        if path.components().count() > 4 || !path.components().all(|part| matches!(part, Component::Normal(_))) {
            continue;
        }
        let (path, content) = (folder.join(path), section.get(length + 1..).unwrap_or_default());
        // Names that the file system does not take, and a file where a folder should be.
        let made = path.parent().is_none_or(|parent| fs::create_dir_all(parent).is_ok());
        let _ = made && fs::write(path, content).is_ok();
    }
}

/// All files of a case.
fn contents(case: &Case) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    let write = |name: &str, parts: &[&[u8]]| {
        assert!(files.insert(name, parts.concat()), "{name}");
        Ok(())
    };
    case.write_files(write).expect("memory can be written");
    files
}

fn check(folder: &Path) {
    let read = || clintercept::read(folder);
    let launches = match read() {
        Ok(launches) => launches,
        Err(reason) => return assert!(!reason.is_empty()),
    };
    assert!(!launches.is_empty());
    let again = read().expect("the same files");
    assert_eq!(launches.len(), again.len());
    for (launch, again) in launches.iter().zip(&again) {
        assert!(launch.name == again.name && !launch.name.contains(['/', '\\']), "{}", launch.name);
        let case = Case::load(&*launch.files).expect("what is read is a case");
        assert_eq!(contents(&case), contents(&Case::load(&*again.files).expect("the same")));
        for (record, memory) in case.record.memories.iter().zip(&case.memories) {
            for content in memory.before.iter().chain(&memory.after) {
                assert_eq!(content.len() as u64, record.bytes);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let folder = std::env::temp_dir().join(format!("affinimath-fuzz-clintercept-{}", std::process::id()));
    let launch = folder.join("dump");
    fs::create_dir_all(&launch).expect("the folder of temporary files can be written");
    write(&launch, data);
    check(&launch);
    fs::remove_dir_all(&folder).expect("it is this process's");
});
