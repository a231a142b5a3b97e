//! What can be tuned in Fourier transforms: the parameters of their passes as points of spaces.

use super::descriptor::Problem;
use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;
use crate::tuning::space::{Configuration, Constraint, Space};
use crate::tuning::tuned::{KernelFamily, ShapeClass, Subject, Tuned};

/// The longest axis of a problem that is still small.
const SMALL_TRANSFORM: u64 = 4096;

/// The class of transforms of a length.
pub(crate) const fn class_of(length: usize) -> ShapeClass {
    ShapeClass::of(length as u64, SMALL_TRANSFORM)
}

/// The sizes that passes are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FftParameters {
    /// In lanes: the lines of a work-item.
    pub(super) width: usize,
    /// In lanes: the longest transform of a work-item, whose numbers stay in a core's second cache.
    pub(super) longest_in_lanes: usize,
    /// In groups: local memory of a work-group.
    pub(super) local_bytes: usize,
    /// In groups: local memory of one that has a single line, which may be more.
    pub(super) line_bytes: usize,
    /// In groups: work-items, at most.
    pub(super) items: usize,
    /// The largest radix, whose numbers fit in registers.
    pub(super) largest_radix: usize,
}

const WIDTHS: [i64; 3] = [4, 8, 16];
const LONGEST_IN_LANES: [i64; 6] = [512, 1024, 2048, 4096, 8192, 16384];
const LANES_RADICES: [i64; 3] = [4, 8, 16];
const LOCAL_KIB: [i64; 4] = [16, 24, 32, 48];
const ITEMS: [i64; 4] = [64, 128, 256, 512];
const GROUP_RADICES: [i64; 3] = [8, 16, 32];

impl FftParameters {
    /// What a device's properties suggest for lanes: in doubles, smaller radices are as fast and less to compile.
    fn for_lanes(double: bool, device: &DeviceInfo) -> Self {
        FftParameters { largest_radix: if double { 8 } else { 16 }, ..Self::for_groups(double, device) }
    }

    /// What a device's properties suggest for groups.
    fn for_groups(double: bool, device: &DeviceInfo) -> Self {
        FftParameters {
            width: device.vector_width(if double { ScalarKind::D } else { ScalarKind::S }),
            longest_in_lanes: 4096,
            local_bytes: device.local_memory_bytes.min(48 << 10) as usize,
            line_bytes: device.local_memory_bytes.min(48 << 10) as usize,
            items: device.max_work_group_size.min(512),
            largest_radix: if device.nvidia.radix_32_registers && !double { 32 } else { 16 },
        }
    }

    /// What a device's properties suggest.
    pub(super) fn for_device(double: bool, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            Self::for_lanes(double, device)
        } else {
            Self::for_groups(double, device)
        }
    }

    /// The same where single lines may take so much local memory.
    pub(super) fn with_line_bytes(self, bytes: u64) -> Self {
        FftParameters { line_bytes: self.line_bytes.max(bytes as usize), ..self }
    }

    /// The parameters that a device was tuned with for such a problem, else what its facts suggest.
    pub(super) fn for_problem(problem: &Problem, double: bool, device: &DeviceInfo, tuned: &Tuned) -> Self {
        let class = class_of(problem.axes.iter().map(|axis| axis.length).max().unwrap_or(0));
        let kind = if double { ScalarKind::Z } else { ScalarKind::C };
        let found = if device.class == DeviceClass::Cpu {
            tuned.get(Subject { family: KernelFamily::FftLanes, kind, class }, |configuration| {
                Self::read_lanes(configuration, double, device)
            })
        } else {
            tuned.get(Subject { family: KernelFamily::FftGroups, kind, class }, |configuration| {
                Self::read_groups(configuration, double, device)
            })
        };
        found.unwrap_or_else(|| Self::for_device(double, device))
    }

    /// The points of transforms in lanes.
    pub(crate) fn lanes_space() -> Space {
        Space::new(
            &[("width", &WIDTHS, 0), ("longest_in_lanes", &LONGEST_IN_LANES, 0), ("largest_radix", &LANES_RADICES, 0)],
            Vec::new(),
        )
    }

    /// The points of transforms in groups that a device allows.
    pub(crate) fn groups_space(device: &DeviceInfo) -> Space {
        Space::new(
            &[("local_kib", &LOCAL_KIB, 0), ("items", &ITEMS, 0), ("largest_radix", &GROUP_RADICES, 0)],
            vec![
                Constraint::AtMost("local_kib".into(), ((device.local_memory_bytes >> 10) as i64).into()),
                Constraint::AtMost("items".into(), (device.max_work_group_size as i64).into()),
            ],
        )
    }

    /// Nothing, where a value is none of the space's.
    fn read_lanes(configuration: &Configuration, double: bool, device: &DeviceInfo) -> Option<Self> {
        Some(FftParameters {
            width: known(configuration, "width", &WIDTHS)?,
            longest_in_lanes: known(configuration, "longest_in_lanes", &LONGEST_IN_LANES)?,
            largest_radix: known(configuration, "largest_radix", &LANES_RADICES)?,
            ..Self::for_lanes(double, device)
        })
    }

    /// Nothing, where a value is none of the space's, or the device's properties forbid it.
    fn read_groups(configuration: &Configuration, double: bool, device: &DeviceInfo) -> Option<Self> {
        let local_bytes = known(configuration, "local_kib", &LOCAL_KIB)? << 10;
        let parameters = FftParameters {
            local_bytes,
            line_bytes: local_bytes,
            items: known(configuration, "items", &ITEMS)?,
            largest_radix: known(configuration, "largest_radix", &GROUP_RADICES)?,
            ..Self::for_groups(double, device)
        };
        let fits = parameters.local_bytes as u64 <= device.local_memory_bytes
            && parameters.items <= device.max_work_group_size;
        fits.then_some(parameters)
    }

    /// Every point that a device allows.
    #[cfg(test)]
    pub(super) fn all(double: bool, device: &DeviceInfo) -> Vec<Self> {
        let lanes = device.class == DeviceClass::Cpu;
        let space = if lanes { Self::lanes_space() } else { Self::groups_space(device) };
        let read = if lanes { Self::read_lanes } else { Self::read_groups };
        (0..space.len()).filter_map(|point| read(&space.configuration(point), double, device)).collect()
    }

    /// The default values of lanes by their names.
    pub(crate) fn lanes_default(kind: ScalarKind, device: &DeviceInfo) -> Configuration {
        let default = Self::for_lanes(kind.is_double(), device);
        Configuration::new([
            ("width", default.width),
            ("longest_in_lanes", default.longest_in_lanes),
            ("largest_radix", default.largest_radix),
        ])
    }

    /// The default values of groups by their names.
    pub(crate) fn groups_default(kind: ScalarKind, device: &DeviceInfo) -> Configuration {
        let default = Self::for_groups(kind.is_double(), device);
        Configuration::new([
            ("local_kib", default.local_bytes >> 10),
            ("items", default.items),
            ("largest_radix", default.largest_radix),
        ])
    }
}

fn known(configuration: &Configuration, name: &str, values: &[i64]) -> Option<usize> {
    configuration.get(name).filter(|value| values.contains(&(*value as i64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_parameters_are_points() {
        for kind in [ScalarKind::C, ScalarKind::Z] {
            let cpu = crate::device::example(DeviceClass::Cpu);
            let default = FftParameters::lanes_default(kind, &cpu);
            assert!(FftParameters::lanes_space().find(&default).is_some());
            let read = FftParameters::read_lanes(&default, kind.is_double(), &cpu);
            assert_eq!(read, Some(FftParameters::for_device(kind.is_double(), &cpu)));
            let gpu = crate::device::example(DeviceClass::Gpu);
            let default = FftParameters::groups_default(kind, &gpu);
            assert!(FftParameters::groups_space(&gpu).find(&default).is_some());
            let read = FftParameters::read_groups(&default, kind.is_double(), &gpu);
            assert_eq!(read, Some(FftParameters::for_device(kind.is_double(), &gpu)));
        }
    }

    #[test]
    fn another_devices_parameters_are_taken_exactly_where_the_facts_allow_them() {
        let large = crate::device::example(DeviceClass::Gpu);
        let small = DeviceInfo { local_memory_bytes: 32 << 10, max_work_group_size: 256, ..large.clone() };
        let (space, allowed) = (FftParameters::groups_space(&large), FftParameters::groups_space(&small));
        for configuration in (0..space.len()).map(|point| space.configuration(point)) {
            let read = FftParameters::read_groups(&configuration, false, &small);
            assert_eq!(read.is_some(), allowed.find(&configuration).is_some(), "{configuration}");
        }
        let wrong = Configuration::new([("width", 5), ("longest_in_lanes", 512), ("largest_radix", 8)]);
        assert_eq!(FftParameters::read_lanes(&wrong, false, &small), None);
    }
}
