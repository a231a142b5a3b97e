//! Tuning parameters of Fourier transforms, and their search spaces.

use super::descriptor::Problem;
use crate::device::{DeviceClass, DeviceInfo};
use crate::scalar::ScalarKind;
use crate::tuning::space::{Configuration, Constraint, Space};
use crate::tuning::tuned::{KernelFamily, ShapeClass, Subject, Tuned};

/// Longest axis of a problem of the class `small`.
const SMALL_TRANSFORM: u64 = 4096;

/// Shape class by the longest axis.
pub(crate) const fn class_of(length: usize) -> ShapeClass {
    ShapeClass::of(length as u64, SMALL_TRANSFORM)
}

/// Tuning parameters of passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FftParameters {
    /// SIMD kernels: pencils of a work-item.
    pub(super) width: usize,
    /// SIMD kernels: the longest pass, whose points stay in the second-level cache of a core.
    pub(super) longest_simd_pass: usize,
    /// Work-group kernels: bytes of local memory.
    pub(super) local_bytes: usize,
    /// Work-group kernels: bytes of local memory for a single pencil, which may be opt-in.
    pub(super) pencil_bytes: usize,
    /// Work-group kernels: the largest number of work-items.
    pub(super) items: usize,
    /// The largest radix: its points have to fit in registers.
    pub(super) largest_radix: usize,
}

const WIDTHS: [i64; 3] = [4, 8, 16];
const LONGEST_SIMD_PASSES: [i64; 6] = [512, 1024, 2048, 4096, 8192, 16384];
const SIMD_RADICES: [i64; 3] = [4, 8, 16];
const LOCAL_KIB: [i64; 4] = [16, 24, 32, 48];
const ITEMS: [i64; 4] = [64, 128, 256, 512];
const WORK_GROUP_RADICES: [i64; 3] = [8, 16, 32];

impl FftParameters {
    /// Defaults of SIMD kernels. In double precision, small radices are as fast as large ones and less to compile.
    fn for_simd(double: bool, device: &DeviceInfo) -> Self {
        FftParameters { largest_radix: if double { 8 } else { 16 }, ..Self::for_work_groups(double, device) }
    }

    /// Defaults of work-group kernels.
    fn for_work_groups(double: bool, device: &DeviceInfo) -> Self {
        FftParameters {
            width: device.vector_width(if double { ScalarKind::D } else { ScalarKind::S }),
            longest_simd_pass: 4096,
            local_bytes: device.local_memory_bytes.min(48 << 10) as usize,
            pencil_bytes: device.local_memory_bytes.min(48 << 10) as usize,
            items: device.max_work_group_size.min(512),
            largest_radix: if device.nvidia.radix_32_registers && !double { 32 } else { 16 },
        }
    }

    /// Defaults for a device.
    pub(super) fn for_device(double: bool, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            Self::for_simd(double, device)
        } else {
            Self::for_work_groups(double, device)
        }
    }

    /// With at least `bytes` of local memory for single pencils.
    pub(super) fn with_pencil_bytes(self, bytes: u64) -> Self {
        FftParameters { pencil_bytes: self.pencil_bytes.max(bytes as usize), ..self }
    }

    /// Tuned parameters for the class of a problem, else the defaults.
    pub(super) fn for_problem(problem: &Problem, double: bool, device: &DeviceInfo, tuned: &Tuned) -> Self {
        let class = class_of(problem.axes.iter().map(|axis| axis.length).max().unwrap_or(0));
        let kind = if double { ScalarKind::Z } else { ScalarKind::C };
        let found = if device.class == DeviceClass::Cpu {
            tuned.get(Subject { family: KernelFamily::FftLanes, kind, class }, |configuration| {
                Self::read_simd(configuration, double, device)
            })
        } else {
            tuned.get(Subject { family: KernelFamily::FftGroups, kind, class }, |configuration| {
                Self::read_work_groups(configuration, double, device)
            })
        };
        found.unwrap_or_else(|| Self::for_device(double, device))
    }

    /// Search space of SIMD kernels.
    pub(crate) fn simd_space() -> Space {
        Space::new(
            &[
                ("width", &WIDTHS, 0),
                ("longest_in_lanes", &LONGEST_SIMD_PASSES, 0),
                ("largest_radix", &SIMD_RADICES, 0),
            ],
            Vec::new(),
        )
    }

    /// Search space of work-group kernels on a device.
    pub(crate) fn work_group_space(device: &DeviceInfo) -> Space {
        Space::new(
            &[("local_kib", &LOCAL_KIB, 0), ("items", &ITEMS, 0), ("largest_radix", &WORK_GROUP_RADICES, 0)],
            vec![
                Constraint::AtMost("local_kib".into(), ((device.local_memory_bytes >> 10) as i64).into()),
                Constraint::AtMost("items".into(), (device.max_work_group_size as i64).into()),
            ],
        )
    }

    /// `None` for a value outside the space.
    fn read_simd(configuration: &Configuration, double: bool, device: &DeviceInfo) -> Option<Self> {
        Some(FftParameters {
            width: known(configuration, "width", &WIDTHS)?,
            longest_simd_pass: known(configuration, "longest_in_lanes", &LONGEST_SIMD_PASSES)?,
            largest_radix: known(configuration, "largest_radix", &SIMD_RADICES)?,
            ..Self::for_simd(double, device)
        })
    }

    /// `None` for a value outside the space, or beyond the limits of the device.
    fn read_work_groups(configuration: &Configuration, double: bool, device: &DeviceInfo) -> Option<Self> {
        let local_bytes = known(configuration, "local_kib", &LOCAL_KIB)? << 10;
        let parameters = FftParameters {
            local_bytes,
            pencil_bytes: local_bytes,
            items: known(configuration, "items", &ITEMS)?,
            largest_radix: known(configuration, "largest_radix", &WORK_GROUP_RADICES)?,
            ..Self::for_work_groups(double, device)
        };
        let fits = parameters.local_bytes as u64 <= device.local_memory_bytes
            && parameters.items <= device.max_work_group_size;
        fits.then_some(parameters)
    }

    /// Every point of the space for a device.
    #[cfg(test)]
    pub(super) fn all(double: bool, device: &DeviceInfo) -> Vec<Self> {
        let simd = device.class == DeviceClass::Cpu;
        let space = if simd { Self::simd_space() } else { Self::work_group_space(device) };
        let read = if simd { Self::read_simd } else { Self::read_work_groups };
        (0..space.len()).filter_map(|point| read(&space.configuration(point), double, device)).collect()
    }

    /// Defaults of SIMD kernels as a configuration.
    pub(crate) fn simd_default(kind: ScalarKind, device: &DeviceInfo) -> Configuration {
        let default = Self::for_simd(kind.is_double(), device);
        Configuration::new([
            ("width", default.width),
            ("longest_in_lanes", default.longest_simd_pass),
            ("largest_radix", default.largest_radix),
        ])
    }

    /// Defaults of work-group kernels as a configuration.
    pub(crate) fn work_group_default(kind: ScalarKind, device: &DeviceInfo) -> Configuration {
        let default = Self::for_work_groups(kind.is_double(), device);
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
mod host {
    use super::*;

    #[test]
    fn the_default_parameters_are_points() {
        for kind in [ScalarKind::C, ScalarKind::Z] {
            let cpu = crate::device::example(DeviceClass::Cpu);
            let default = FftParameters::simd_default(kind, &cpu);
            assert!(FftParameters::simd_space().find(&default).is_some());
            let read = FftParameters::read_simd(&default, kind.is_double(), &cpu);
            assert_eq!(read, Some(FftParameters::for_device(kind.is_double(), &cpu)));
            let gpu = crate::device::example(DeviceClass::Gpu);
            let default = FftParameters::work_group_default(kind, &gpu);
            assert!(FftParameters::work_group_space(&gpu).find(&default).is_some());
            let read = FftParameters::read_work_groups(&default, kind.is_double(), &gpu);
            assert_eq!(read, Some(FftParameters::for_device(kind.is_double(), &gpu)));
        }
    }

    #[test]
    fn another_devices_parameters_are_taken_exactly_where_the_facts_allow_them() {
        let large = crate::device::example(DeviceClass::Gpu);
        let small = DeviceInfo { local_memory_bytes: 32 << 10, max_work_group_size: 256, ..large.clone() };
        let (space, allowed) = (FftParameters::work_group_space(&large), FftParameters::work_group_space(&small));
        for configuration in (0..space.len()).map(|point| space.configuration(point)) {
            let read = FftParameters::read_work_groups(&configuration, false, &small);
            assert_eq!(read.is_some(), allowed.find(&configuration).is_some(), "{configuration}");
        }
        let wrong = Configuration::new([("width", 5), ("longest_in_lanes", 512), ("largest_radix", 8)]);
        assert_eq!(FftParameters::read_simd(&wrong, false, &small), None);
    }
}
