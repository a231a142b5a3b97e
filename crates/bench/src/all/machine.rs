//! The machine, as far as the system tells.

use affinimath_cpu as host;
use serde::Serialize;

/// Facts of the machine, without names of it or its owner.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: Option<String>,
    /// Processors that the system counts, those of a core's threads each.
    pub logical_processors: usize,
    /// The widest vectors that loops are compiled for, as the library chose them.
    pub vectors: String,
    /// Threads that our library uses on the host.
    pub threads: usize,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// The operating system, and its kernel.
    pub system: String,
    /// True if the program was built without optimisation, for developers: its rates mean little.
    pub development_build: bool,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let release = read("/etc/os-release");
        let named = value(&release, "PRETTY_NAME", '=').unwrap_or_else(|| std::env::consts::OS.to_owned());
        let kernel = read("/proc/sys/kernel/osrelease");
        let memory = value(&read("/proc/meminfo"), "MemTotal", ':');
        Machine {
            processor: value(&read("/proc/cpuinfo"), "model name", ':'),
            logical_processors: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            vectors: vectors(),
            threads: host::threads(),
            memory_bytes: memory.and_then(|text| Some(text.strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)),
            system: format!("{named}, {} {}", std::env::consts::ARCH, kernel.trim()).trim().to_owned(),
            development_build: cfg!(debug_assertions),
        }
    }
}

/// The widest set of instructions, in the words of processors.
fn vectors() -> String {
    let arch = format!("{:?}", pulp::Arch::new());
    let names = [("V4", "AVX-512"), ("V3", "AVX2 with fused multiply-adds"), ("Neon", "Neon"), ("Scalar", "none")];
    names.iter().find(|(letters, _)| arch.starts_with(letters)).map_or(arch.clone(), |(_, name)| (*name).to_owned())
}

/// The value after a name, without quotes.
fn value(text: &str, name: &str, separator: char) -> Option<String> {
    let mut values = text.lines().filter_map(|line| line.split_once(separator)).filter(|(key, _)| key.trim() == name);
    values.next().map(|(_, value)| value.trim().trim_matches('"').to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_after_their_names() {
        let text = "model\t\t: 17\nmodel name\t: A Processor (tm)\nPRETTY_NAME=\"A System\"\nempty:\n";
        assert_eq!(value(text, "model name", ':').as_deref(), Some("A Processor (tm)"));
        assert_eq!(value(text, "PRETTY_NAME", '=').as_deref(), Some("A System"));
        assert_eq!((value(text, "empty", ':'), value(text, "absent", ':')), (None, None));
    }

    #[test]
    fn this_machine_has_processors() {
        let machine = Machine::this();
        assert!(machine.logical_processors >= 1 && machine.threads >= 1 && !machine.system.is_empty());
    }
}
