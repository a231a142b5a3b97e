//! Traces and recorded launches as files: sections that begin with a line `=== PATH`. What is read is within bounds,
//! comes back from its files, differs neither from itself nor between two readings, and its kernel is printed and
//! interpreted, where it is small, without a panic. Nothing is built.
#![no_main]

use affinimath_kernel::Kernel;
use affinimath_replay::Case;
use affinimath_trace::{Files, MemoryFiles, Trace, diff, redact};
use libfuzzer_sys::fuzz_target;

const MARK: &[u8] = b"=== ";
/// Bytes of the interpreter, work-items and nodes of JSON above which nothing runs.
const MAX_BYTES: u64 = 1 << 22;
const MAX_ITEMS: usize = 64;
const MAX_TEXT: usize = 1 << 14;

/// Sections of the data as files; a path that leaves the folder is refused.
fn files(data: &[u8]) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    let starts: Vec<usize> = (0..data.len())
        .filter(|at| data[*at..].starts_with(MARK) && (*at == 0 || data[at - 1] == b'\n'))
        .collect();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(data.len(), |next| next - 1);
        let section = &data[start + MARK.len()..end.max(start + MARK.len())];
        let length = section.iter().position(|byte| *byte == b'\n').unwrap_or(section.len());
        let path = String::from_utf8_lossy(&section[..length]).into_owned();
        let content = section.get(length + 1..).unwrap_or_default().to_vec();
        let inserted = files.insert(&path, content);
        assert!(!inserted || !path.contains("..") && !path.starts_with('/'), "{path}");
    }
    files
}

fn check_case(files: &dyn Files) {
    let Ok(case) = Case::from_files(files) else { return };
    for (record, memory) in case.launch().memories.iter().zip(&case.recorded().memories) {
        for content in memory.before.iter().chain(&memory.after) {
            assert_eq!(content.len() as u64, record.bytes);
        }
    }
    let mut again = MemoryFiles::default();
    let write = |name: &str, parts: &[&[u8]]| {
        assert!(again.insert(name, parts.concat()));
        Ok(())
    };
    case.recorded().write_files(write).expect("memory can be written");
    assert_eq!(Case::from_files(&again).expect("what was written is a case"), case);
    redact(case.clone().recorded_mut(), 1);
    if let Ok(Some(kernel)) = case.kernel() {
        check_kernel(&kernel);
        let launch = case.launch();
        let items: usize = launch.groups.iter().chain(&launch.items).product();
        // Loops may be long: one is not begun.
        let loops = kernel.to_json().is_none_or(|text| text.contains("\"For\"") || text.contains("\"While\""));
        if items <= MAX_ITEMS && !loops && kernel.interpreter_bytes(launch.items) <= MAX_BYTES {
            let _ = case.check(&kernel);
        }
    }
}

fn check_kernel(kernel: &Kernel) {
    let text = kernel.to_json().expect("no function is foreign");
    assert_eq!(&Kernel::from_json(&text).expect("what was written is a kernel"), kernel);
    if text.len() <= MAX_TEXT {
        let _ = (kernel.opencl(), kernel.cuda(), kernel.c99());
    }
}

fuzz_target!(|data: &[u8]| {
    let files = files(data);
    check_case(&files);
    for name in files.folders().expect("memory") {
        check_case(&*files.folder(&name).expect("a folder that is listed"));
    }
    if let Ok(trace) = Trace::load(&files) {
        let report = diff([&trace, &trace], [&files, &files]);
        assert!(report.first.is_none() && report.inputs.is_none(), "{report}");
    }
});
