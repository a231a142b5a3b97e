//! Traces of launches: their files, written and read, and comparisons of arrays and of traces.
//!
//! `trace.jsonl` has a line for each context, buffer, transfer, program and launch, and a folder for each recorded
//! launch has its arguments, its source and the memory before and after. Nothing here knows OpenCL.
//!
//! This is an inner crate: programs use `affinimath`, which names what of it is public.

mod case;
mod checksum;
mod compare;
mod diff;
mod element;
mod files;
mod line;
pub mod npy;
mod recorder;
mod redact;
mod settings;

pub use case::{Argument, Case, CaseError, DeviceName, Given, LaunchRecord, Memory, MemoryRecord, folder_name};
pub use checksum::checksum;
pub use compare::{Comparison, Difference, Tolerance, compare};
pub use diff::{Divergence, Report, diff};
pub use element::ElementKind;
pub use files::{Files, Folder, MemoryFiles, is_file_name};
pub use line::{ArgumentLine, LaunchLine, Line, Trace, TraceError};
pub use recorder::{ArgumentFacts, ContextFacts, LaunchFacts, Payload, Pending, ProgramFacts, Recorder};
pub use redact::redact;
pub use settings::{Outputs, Settings};
