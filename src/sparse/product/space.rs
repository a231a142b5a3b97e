//! Parameter spaces of sparse products.

use super::ProductParameters;
use super::plan::THREADS;
use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;
use crate::sparse::RowStatistics;
use crate::tuning::space::{Configuration, Constraint, Space, Term};
use crate::tuning::tuned::{KernelFamily, ShapeClass, Subject, Tuned};

/// Entries of a matrix that is still small.
const SMALL_MATRIX: u64 = 1 << 20;

/// The class of a matrix of so many entries.
pub(crate) const fn class_of(entries: usize) -> ShapeClass {
    ShapeClass::of(entries as u64, SMALL_MATRIX)
}

const SEGMENTS_PER_UNIT: [i64; 7] = [1, 2, 4, 8, 16, 32, 64];
const SHORTEST_SEGMENTS: [i64; 8] = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
const STREAM_ITEMS: [i64; 4] = [4, 8, 12, 16];
/// Odd numbers, so that work-items meet in no bank of local memory.
const MERGE_ITEMS: [i64; 5] = [3, 5, 7, 9, 11];
const VECTOR_ENTRIES: [i64; 4] = [1, 2, 4, 8];

impl ProductParameters {
    /// The parameters that a device was tuned with for such a matrix, else the default ones.
    pub(super) fn for_matrix(rows: &RowStatistics, kind: ScalarKind, device: &DeviceInfo, tuned: &Tuned) -> Self {
        let class = class_of(rows.entries);
        let subject = |family| Subject { family, kind, class };
        let segments = tuned.get(subject(KernelFamily::SpmvSegments), |configuration| {
            Self::read_segments(configuration).filter(Self::segments_fit)
        });
        let groups = tuned.get(subject(KernelFamily::SpmvGroups), |configuration| {
            Self::read_groups(configuration).filter(|parameters| parameters.groups_fit(kind, device))
        });
        let (segments, groups) = (segments.unwrap_or_default(), groups.unwrap_or_default());
        let ProductParameters { segments_per_unit, shortest_segment, .. } = segments;
        ProductParameters { segments_per_unit, shortest_segment, ..groups }
    }

    /// The points of products in segments.
    pub(crate) fn segments_space() -> Space {
        Space::new(
            &[("segments_per_unit", &SEGMENTS_PER_UNIT, 0), ("shortest_segment", &SHORTEST_SEGMENTS, 0)],
            Vec::new(),
        )
    }

    /// The points of products by work-groups: each parameter is of another kernel.
    pub(crate) fn groups_space(kind: ScalarKind, device: &DeviceInfo) -> Space {
        let (threads, size) = (THREADS as i64, kind.bytes() as i64);
        let rows = Term::from("merge_items") * (4 * threads) + 8 * threads;
        let local = |items: Term| (items + 1) * (threads * size) + rows.clone();
        let most = || Term::from(device.local_memory_bytes as i64);
        Space::new(
            &[
                ("stream_items", &STREAM_ITEMS, 0),
                ("merge_items", &MERGE_ITEMS, 1),
                ("vector_entries", &VECTOR_ENTRIES, 2),
            ],
            vec![
                Constraint::AtMost(local("stream_items".into()), most()),
                Constraint::AtMost(local(Term::from("merge_items") + 1), most()),
            ],
        )
    }

    fn segments_fit(&self) -> bool {
        known(self.segments_per_unit, &SEGMENTS_PER_UNIT) && known(self.shortest_segment, &SHORTEST_SEGMENTS)
    }

    fn groups_fit(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        known(self.stream_items, &STREAM_ITEMS)
            && known(self.merge_items, &MERGE_ITEMS)
            && known(self.vector_entries, &VECTOR_ENTRIES)
            && self.local_bytes(kind) <= device.local_memory_bytes
    }

    fn read_segments(configuration: &Configuration) -> Option<Self> {
        Some(ProductParameters {
            segments_per_unit: configuration.get("segments_per_unit")?,
            shortest_segment: configuration.get("shortest_segment")?,
            ..Self::default()
        })
    }

    fn read_groups(configuration: &Configuration) -> Option<Self> {
        Some(ProductParameters {
            stream_items: configuration.get("stream_items")?,
            merge_items: configuration.get("merge_items")?,
            vector_entries: configuration.get("vector_entries")?,
            ..Self::default()
        })
    }

    /// The values of products in segments by their names.
    pub(crate) fn segments_configuration(&self) -> Configuration {
        Configuration::new([("segments_per_unit", self.segments_per_unit), ("shortest_segment", self.shortest_segment)])
    }

    /// The values of products by work-groups by their names.
    pub(crate) fn groups_configuration(&self) -> Configuration {
        Configuration::new([
            ("stream_items", self.stream_items),
            ("merge_items", self.merge_items),
            ("vector_entries", self.vector_entries),
        ])
    }
}

fn known(value: usize, values: &[i64]) -> bool {
    values.contains(&(value as i64))
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn the_default_parameters_are_points() {
        let device = crate::device::example(DeviceClass::Gpu);
        let default = ProductParameters::default();
        assert!(ProductParameters::segments_space().find(&default.segments_configuration()).is_some());
        for kind in ScalarKind::ALL {
            let space = ProductParameters::groups_space(kind, &device);
            assert!(space.find(&default.groups_configuration()).is_some());
        }
    }

    #[test]
    fn another_devices_parameters_are_taken_exactly_where_the_facts_allow_them() {
        let example = crate::device::example(DeviceClass::Gpu);
        let small = DeviceInfo { local_memory_bytes: 16 << 10, ..example.clone() };
        for kind in ScalarKind::ALL {
            let space = ProductParameters::groups_space(kind, &example);
            let allowed = ProductParameters::groups_space(kind, &small);
            for configuration in (0..space.len()).map(|point| space.configuration(point)) {
                let parameters = ProductParameters::read_groups(&configuration).unwrap();
                assert_eq!(parameters.groups_configuration(), configuration);
                assert_eq!(parameters.groups_fit(kind, &small), allowed.find(&configuration).is_some());
            }
        }
    }

    #[test]
    fn products_are_planned_with_what_was_tuned_for_the_class_of_the_matrix() {
        let device = crate::device::example(DeviceClass::Cpu);
        let tuned = Tuned::default();
        let kind = ScalarKind::D;
        let subject = Subject { family: KernelFamily::SpmvSegments, kind, class: ShapeClass::Large };
        let configuration =
            |units: usize| Configuration::new([("segments_per_unit", units), ("shortest_segment", 1024)]);
        let parameters = |entries: usize| {
            let rows = RowStatistics { rows: 1000, entries, longest: 5000, empty: 0 };
            ProductParameters::for_matrix(&rows, kind, &device, &tuned)
        };
        tuned.set(subject, Some(configuration(4)));
        assert_eq!(parameters(1 << 21).segments_configuration(), configuration(4));
        assert_eq!(parameters(1 << 20), ProductParameters::default());
        tuned.set(subject, Some(configuration(5)));
        assert_eq!(parameters(1 << 21), ProductParameters::default(), "what is not allowed is not taken");
    }
}
