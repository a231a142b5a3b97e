//! Energy of the host's processors, as Linux's powercap has it: Intel's and AMD's RAPL.
//!
//! ```text
//! /sys/class/powercap/intel-rapl:0/      name (package-0)  energy_uj  max_energy_range_uj
//! /sys/class/powercap/intel-rapl:0:1/    name (dram)
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the zones, unless `AFFINIMATH_POWERCAP` names another.
const FOLDER: &str = "/sys/class/powercap";
const VARIABLE: &str = "AFFINIMATH_POWERCAP";

/// A counter of microjoules, which begins anew behind its range.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Zone {
    file: PathBuf,
    /// Largest value.
    range: u64,
}

/// Zones of all processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Powercap(Vec<Zone>);

impl Powercap {
    /// Zones of this machine.
    ///
    /// # Errors
    /// Why there are none that can be read.
    pub(super) fn open() -> Result<Self, String> {
        match std::env::var_os(VARIABLE) {
            Some(folder) if folder == "off" => Err(format!("{VARIABLE} is off")),
            Some(folder) => Self::of_folder(Path::new(&folder)),
            None => Self::of_folder(Path::new(FOLDER)),
        }
    }

    fn of_folder(folder: &Path) -> Result<Self, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        let (mut zones, mut packages) = (Vec::new(), BTreeSet::new());
        // The same package may have another interface, through memory.
        for name in names.iter().filter(|name| name.contains(':') && !name.contains("-mmio")) {
            let zone = folder.join(name);
            let Ok(kind) = fs::read_to_string(zone.join("name")) else { continue };
            // A package has its cores and its graphics in it, but not its memory; psys has all of them.
            let is_counted = match name.matches(':').count() {
                1 => kind.trim().starts_with("package") && packages.insert(kind.trim().to_owned()),
                _ => kind.trim() == "dram",
            };
            if is_counted {
                let (file, range) = (zone.join("energy_uj"), read(&zone.join("max_energy_range_uj")));
                read(&file)?;
                zones.push(Zone { file, range: range.unwrap_or(u64::MAX) });
            }
        }
        match zones.is_empty() {
            true => Err(format!("{} has no zone of a processor", folder.display())),
            false => Ok(Powercap(zones)),
        }
    }

    /// Microjoules of each zone.
    pub(super) fn read(&self) -> Option<Vec<u64>> {
        self.0.iter().map(|zone| read(&zone.file).ok()).collect()
    }

    /// Joules between two readings.
    pub(super) fn joules(&self, before: &[u64], after: &[u64]) -> f64 {
        let each = self.0.iter().zip(before.iter().zip(after));
        each.map(|(zone, (before, after))| difference(*before, *after, zone.range) as f64).sum::<f64>() * 1e-6
    }
}

/// Growth of a counter that may have begun anew once.
fn difference(before: u64, after: u64, range: u64) -> u64 {
    match after.checked_sub(before) {
        Some(difference) => difference,
        None => range.saturating_sub(before).saturating_add(after),
    }
}

fn read(path: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.trim().parse().map_err(|_| format!("{}: '{}' is no number", path.display(), text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(folder: &Path, zone: &str, name: &str, energy: u64) {
        let zone = folder.join(zone);
        fs::create_dir_all(&zone).unwrap();
        fs::write(zone.join("name"), format!("{name}\n")).unwrap();
        fs::write(zone.join("max_energy_range_uj"), "1000000\n").unwrap();
        fs::write(zone.join("energy_uj"), format!("{energy}\n")).unwrap();
    }

    #[test]
    fn packages_and_memory_are_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("intel-rapl")).unwrap();
        zone(path, "intel-rapl:0", "package-0", 100);
        zone(path, "intel-rapl:0:0", "core", 10);
        zone(path, "intel-rapl:0:1", "dram", 999_990);
        zone(path, "intel-rapl:1", "package-1", 500);
        zone(path, "intel-rapl:2", "psys", 5000);
        zone(path, "intel-rapl-mmio:0", "package-0", 77);
        let powercap = Powercap::of_folder(path).unwrap();
        let before = powercap.read().unwrap();
        assert_eq!(before, [100, 999_990, 500]);
        zone(path, "intel-rapl:0", "package-0", 400_100);
        // The memory's counter began anew.
        zone(path, "intel-rapl:0:1", "dram", 90);
        zone(path, "intel-rapl:1", "package-1", 100_500);
        let joules = powercap.joules(&before, &powercap.read().unwrap());
        assert!((joules - 0.5001).abs() < 1e-12, "{joules}");
        fs::write(path.join("intel-rapl:1/energy_uj"), "").unwrap();
        assert_eq!(powercap.read(), None);
    }

    #[test]
    fn a_folder_without_zones_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Powercap::of_folder(path).unwrap_err();
        assert!(error(folder.path()).contains("no zone of a processor"));
        assert!(error(&folder.path().join("absent")).contains("absent"));
        zone(folder.path(), "intel-rapl:0", "package-0", 1);
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert!(error(folder.path()).contains("energy_uj"));
    }

    #[test]
    fn a_counter_begins_anew_behind_its_range() {
        assert_eq!(difference(5, 9, 1000), 4);
        assert_eq!(difference(990, 10, 1000), 20);
        assert_eq!(difference(9, 5, u64::MAX), u64::MAX - 9 + 5);
    }
}
