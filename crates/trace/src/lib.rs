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
mod facts;
mod files;
mod line;
pub mod npy;
mod range;
mod record;
mod recorder;
mod redact;
mod settings;

pub use case::{Case, CaseError, Memory};
pub use checksum::checksum;
pub use compare::{Comparison, Difference, Tolerance, compare};
pub use diff::{Divergence, Report, diff};
pub use element::ElementKind;
pub use facts::{ArgumentFacts, ContextFacts, LaunchFacts, Payload, ProgramFacts};
pub use files::{Files, Folder, MemoryFiles, is_file_name};
pub use line::{ArgumentLine, LaunchLine, Line, Trace, TraceError};
pub use range::NdRange;
pub use record::{Argument, DeviceName, Given, LaunchRecord, MemoryRecord, folder_name};
pub use recorder::{Pending, Recorder};
pub use redact::redact;
pub use settings::{Outputs, Settings};
