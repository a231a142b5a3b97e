//! Environment variables of OpenCL's drivers, for child processes.
//!
//! Khronos's loader takes lists apart where they stand: after it, this process's own environment has but their first
//! entries.

use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

const LISTS: [&str; 2] = ["OCL_ICD_FILENAMES", "OPENCL_LAYERS"];

type Lists = Vec<(&'static str, OsString)>;

static AT_START: OnceLock<Lists> = OnceLock::new();

/// Keeps the lists as they are before OpenCL is asked for anything.
pub fn remember() {
    AT_START.get_or_init(|| lists(|name| std::env::var_os(name)));
}

/// Gives a process the lists as they were.
pub fn pass_on(command: &mut Command) {
    command.envs(AT_START.get().cloned().unwrap_or_default());
}

fn lists(environment: impl Fn(&str) -> Option<OsString>) -> Lists {
    LISTS.into_iter().filter_map(|name| Some((name, environment(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_gets_the_lists_that_there_were_at_the_start() {
        let there = |name: &str| (name == "OCL_ICD_FILENAMES").then(|| "a.so:b.so".into());
        AT_START.get_or_init(|| lists(there));
        let mut command = Command::new("true");
        pass_on(&mut command);
        let given: Vec<_> = command.get_envs().collect();
        assert_eq!(given, [("OCL_ICD_FILENAMES".as_ref(), Some("a.so:b.so".as_ref()))]);
    }
}
