//! Parameter spaces of the gemm families for tuning.

use affinimath_core::problem::gemm::GemmProblem;

use super::packed::PackedParameters;
use super::plan::GemmParameters;
use super::tensor::{MmaScope, TensorParameters, WARP, local_memory};
use super::tiled::{Arithmetic, BY_REGISTERS, TiledParameters};
use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;
use crate::tuning::space::{Configuration, Constraint, Space, Term};
use crate::tuning::tuned::{KernelFamily, ShapeClass, Subject, Tuned};

/// Multiply-adds of a problem that is still small.
const SMALL_PRODUCT: u64 = 1 << 24;

/// Size class of an m x n product with inner dimension k.
pub(crate) fn class_of(size: [usize; 3]) -> ShapeClass {
    ShapeClass::of(size.iter().fold(1, |work: u64, extent| work.saturating_mul(*extent as u64)), SMALL_PRODUCT)
}

impl GemmParameters {
    /// Tuned parameters for the problem's device, and defaults for families that were not tuned. Structured problems
    /// get the defaults, since tuning verifies plain products only.
    pub(crate) fn for_problem(problem: &GemmProblem, device: &DeviceInfo, tuned: &Tuned) -> Self {
        let kind = problem.kind;
        if !problem.is_plain() {
            return Self::for_device(kind, device);
        }
        let class = class_of([problem.m, problem.n, problem.k]);
        let packed = tuned.get(Subject { family: KernelFamily::GemmPacked, kind, class }, |configuration| {
            PackedParameters::read(configuration).filter(|parameters| parameters.fits(kind, device))
        });
        let tile = tuned.get(Subject { family: KernelFamily::GemmTiled, kind, class }, |configuration| {
            TiledParameters::read(configuration).filter(|tile| tile.divides(kind) && tile.fits(kind, device))
        });
        let tensor = tuned.get(Subject { family: KernelFamily::GemmTensor, kind, class }, |configuration| {
            TensorParameters::read(configuration).filter(|tile| tile.divides(kind) && tile.fits(kind, device))
        });
        GemmParameters { packed: packed.unwrap_or_else(|| PackedParameters::for_device(kind, device)), tile, tensor }
    }
}

/// Maximum bytes of A that a work-item packs in private memory, which is on the stack of a CPU's thread.
const MAX_PACKED_BYTES: usize = 512 << 10;
/// Values of the parameters compiled into the packed kernels, and of those that divide the work.
const VECTOR_WIDTHS: [i64; 3] = [4, 8, 16];
const TILE_VECTORS: [i64; 4] = [1, 2, 3, 4];
const TILE_COLUMNS: [i64; 4] = [4, 8, 12, 16];
const K_BLOCKS: [i64; 5] = [128, 192, 256, 384, 512];
const PACKED_TILES: [i64; 3] = [2, 4, 8];
const B_BLOCKS_KIB: [i64; 6] = [96, 192, 384, 768, 1536, 3072];
const ITEMS_PER_CORE: [i64; 5] = [1, 2, 4, 8, 16];

impl PackedParameters {
    /// The points that a device allows.
    pub(crate) fn space(kind: ScalarKind, device: &DeviceInfo) -> Space {
        let parts = parts(kind);
        let registers = registers(device) * native_width(kind, device);
        let packed = Term::from("packed_tiles") * "tile_vectors" * "vector_width" * "depth_block";
        let bytes = (kind.real_bytes() as i64) * parts;
        Space::new(
            &[
                ("vector_width", &VECTOR_WIDTHS, 0),
                ("tile_vectors", &TILE_VECTORS, 0),
                ("tile_columns", &TILE_COLUMNS, 0),
                ("depth_block", &K_BLOCKS, 0),
                ("packed_tiles", &PACKED_TILES, 0),
                ("b_block_kib", &B_BLOCKS_KIB, 1),
                ("items_per_core", &ITEMS_PER_CORE, 1),
            ],
            vec![
                // Accumulators, and a column of A.
                Constraint::AtMost(
                    Term::from("vector_width") * "tile_vectors" * (Term::from("tile_columns") + 1) * parts,
                    registers.into(),
                ),
                Constraint::AtMost(packed * bytes, (MAX_PACKED_BYTES as i64).into()),
            ],
        )
    }

    /// True if this is a point of the device's space.
    pub(super) fn fits(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        let values = [
            (self.vector_width, &VECTOR_WIDTHS[..]),
            (self.tile_vectors, &TILE_VECTORS),
            (self.tile_columns, &TILE_COLUMNS),
            (self.k_block, &K_BLOCKS),
            (self.packed_tiles, &PACKED_TILES),
            (self.b_block_bytes >> 10, &B_BLOCKS_KIB),
            (self.items_per_core, &ITEMS_PER_CORE),
        ];
        if !values.iter().all(|(value, values)| values.contains(&(*value as i64))) {
            return false;
        }
        let sums = (self.tile_rows() * (self.tile_columns + 1)) as i64 * parts(kind);
        let packed = self.packed_tiles * self.tile_rows() * self.k_block * kind.bytes();
        sums <= registers(device) * native_width(kind, device) && packed <= MAX_PACKED_BYTES
    }

    pub(super) fn read(configuration: &Configuration) -> Option<Self> {
        Some(PackedParameters {
            vector_width: configuration.get("vector_width")?,
            tile_vectors: configuration.get("tile_vectors")?,
            tile_columns: configuration.get("tile_columns")?,
            k_block: configuration.get("depth_block")?,
            packed_tiles: configuration.get("packed_tiles")?,
            b_block_bytes: configuration.get("b_block_kib")?.checked_mul(1 << 10)?,
            items_per_core: configuration.get("items_per_core")?,
        })
    }

    /// Its values by their names.
    pub(crate) fn configuration(&self) -> Configuration {
        Configuration::new([
            ("vector_width", self.vector_width),
            ("tile_vectors", self.tile_vectors),
            ("tile_columns", self.tile_columns),
            ("depth_block", self.k_block),
            ("packed_tiles", self.packed_tiles),
            ("b_block_kib", self.b_block_bytes >> 10),
            ("items_per_core", self.items_per_core),
        ])
    }
}

const fn parts(kind: ScalarKind) -> i64 {
    if kind.is_complex() { 2 } else { 1 }
}

/// Vector registers of a CPU.
const fn registers(device: &DeviceInfo) -> i64 {
    if device.native_floats >= 16 { 32 } else { 16 }
}

const fn native_width(kind: ScalarKind, device: &DeviceInfo) -> i64 {
    device.vector_width(kind) as i64
}

/// Maximum registers, in words, of a work-item's accumulators.
const MAX_ACCUMULATOR_WORDS: usize = 128;
const TILES: [i64; 5] = [32, 48, 64, 96, 128];
const TILE_KS: [i64; 3] = [8, 16, 32];
const THREADS: [i64; 3] = [8, 16, 32];
const SWIZZLES: [i64; 4] = [1, 4, 8, 16];
const TILED_STAGES: [i64; 4] = [BY_REGISTERS as i64, 3, 4, 5];

impl TiledParameters {
    /// The points that a device allows: tiles of multiply-adds.
    pub(crate) fn space(kind: ScalarKind, device: &DeviceInfo) -> Space {
        let (chunk, words) = (chunk(kind) as i64, (kind.bytes() / 4) as i64);
        let threads = || Term::from("threads_m") * "threads_n";
        let stages = if device.nvidia.cp_async && !kind.is_complex() { &TILED_STAGES[..] } else { &TILED_STAGES[..1] };
        let slices =
            Term::from("depth") * "stages" * ((Term::from("tile_m") + "tile_n") * (kind.bytes() as i64) + 2 * PADDING);
        Space::new(
            &[
                ("tile_m", &TILES, 0),
                ("tile_n", &TILES, 0),
                ("depth", &TILE_KS, 0),
                ("threads_m", &THREADS, 0),
                ("threads_n", &THREADS, 0),
                ("stages", stages, 0),
                ("band", &SWIZZLES, 1),
            ],
            vec![
                Constraint::AtMost(threads(), (device.max_work_group_size as i64).into()),
                // Whole vectors of rows and columns for each work-item, and an even share of each slice's loads.
                Constraint::MultipleOf("tile_m".into(), Term::from("threads_m") * chunk),
                Constraint::MultipleOf("tile_n".into(), Term::from("threads_n") * chunk),
                Constraint::MultipleOf(Term::from("tile_m") * "depth", threads()),
                Constraint::MultipleOf(Term::from("tile_n") * "depth", threads()),
                Constraint::AtMost(slices, (device.local_memory_bytes as i64).into()),
                Constraint::AtMost(Term::from("tile_m") * "tile_n" * words, threads() * (MAX_ACCUMULATOR_WORDS as i64)),
            ],
        )
    }

    /// True if the sizes satisfy the kernel's divisibility rules, and accumulators fit into registers.
    pub(super) fn divides(&self, kind: ScalarKind) -> bool {
        let [tile_m, tile_n] = self.tile;
        let [threads_m, threads_n] = self.threads;
        let listed_in = |value: usize, values: &[i64]| values.contains(&(value as i64));
        let listed = self.tile.iter().all(|tile| listed_in(*tile, &TILES))
            && self.threads.iter().all(|threads| listed_in(*threads, &THREADS))
            && listed_in(self.tile_k, &TILE_KS)
            && listed_in(self.stages, &TILED_STAGES)
            && listed_in(self.swizzle, &SWIZZLES);
        if !listed {
            return false;
        }
        let threads = threads_m * threads_n;
        tile_m.is_multiple_of(threads_m * chunk(kind))
            && tile_n.is_multiple_of(threads_n * chunk(kind))
            && (tile_m * self.tile_k).is_multiple_of(threads)
            && (tile_n * self.tile_k).is_multiple_of(threads)
            && tile_m * tile_n * kind.bytes() / 4 <= threads * MAX_ACCUMULATOR_WORDS
    }

    pub(super) fn read(configuration: &Configuration) -> Option<Self> {
        let get = |name| configuration.get(name);
        Some(TiledParameters {
            arithmetic: Arithmetic::Fma,
            tile: [get("tile_m")?, get("tile_n")?],
            tile_k: get("depth")?,
            threads: [get("threads_m")?, get("threads_n")?],
            stages: get("stages")?,
            swizzle: get("band")?,
        })
    }

    /// Its values by their names.
    pub(crate) fn configuration(&self) -> Configuration {
        Configuration::new([
            ("tile_m", self.tile[0]),
            ("tile_n", self.tile[1]),
            ("depth", self.tile_k),
            ("threads_m", self.threads[0]),
            ("threads_n", self.threads[1]),
            ("stages", self.stages),
            ("band", self.swizzle),
        ])
    }
}

const WARPS: [i64; 3] = [1, 2, 4];
const WARP_TILES: [i64; 4] = [8, 16, 32, 64];
const TENSOR_TILE_KS: [i64; 4] = [4, 8, 16, 32];
const STAGES: [i64; 5] = [2, 3, 4, 5, 6];
/// Rows of a fragment.
const FRAGMENT_ROWS: usize = 16;

/// A warp tile's rows are multiples of this: whole fragments, in which each work-item has whole 16-byte chunks.
const fn warp_rows(kind: ScalarKind) -> usize {
    let chunks = 8 * chunk(kind);
    if chunks > FRAGMENT_ROWS { chunks } else { FRAGMENT_ROWS }
}

/// A slice's k extent is a multiple of this: planes of four chunks, in doubles pairs of planes of four.
const fn k_step(kind: ScalarKind) -> usize {
    if kind.is_double() { 8 } else { 4 * chunk(kind) }
}

impl TensorParameters {
    /// The points that a device allows, for warps: groups of them have one tile.
    pub(crate) fn space(kind: ScalarKind, device: &DeviceInfo) -> Space {
        let (chunk, words) = (chunk(kind) as i64, (kind.bytes() / 4) as i64);
        let threads = || Term::from("warps_m") * "warps_n" * (WARP as i64);
        let (tile_m, tile_n) = (|| Term::from("warps_m") * "warp_m", || Term::from("warps_n") * "warp_n");
        let slices = (tile_m() + tile_n()) * "depth" * "stages" * (kind.bytes() as i64);
        Space::new(
            &[
                ("warps_m", &WARPS, 0),
                ("warps_n", &WARPS, 0),
                ("warp_m", &WARP_TILES, 0),
                ("warp_n", &WARP_TILES, 0),
                ("depth", &TENSOR_TILE_KS, 0),
                ("stages", &STAGES, 0),
                ("band", &SWIZZLES, 1),
            ],
            vec![
                Constraint::AtMost(threads(), (device.max_work_group_size as i64).into()),
                // Whole fragments, whole planes along k, and the same number of chunks to copy for each work-item.
                Constraint::MultipleOf("warp_m".into(), (warp_rows(kind) as i64).into()),
                Constraint::MultipleOf("warp_n".into(), (8 * chunk).into()),
                Constraint::MultipleOf("depth".into(), (k_step(kind) as i64).into()),
                Constraint::MultipleOf(tile_m() * "depth", threads() * chunk),
                Constraint::MultipleOf(tile_n() * "depth", threads() * chunk),
                Constraint::AtMost(slices, (local_memory(device) as i64).into()),
                Constraint::AtMost(
                    Term::from("warp_m") * "warp_n" * words,
                    ((MAX_ACCUMULATOR_WORDS * WARP) as i64).into(),
                ),
            ],
        )
    }

    /// True if the sizes satisfy the kernel's divisibility rules, and accumulators fit into registers.
    pub(super) fn divides(&self, kind: ScalarKind) -> bool {
        let listed_in = |value: usize, values: &[i64]| values.contains(&(value as i64));
        let [warp_m, warp_n] = self.warp;
        let listed = listed_in(warp_m, &WARP_TILES)
            && listed_in(warp_n, &WARP_TILES)
            && self.tile[0].is_multiple_of(warp_m)
            && self.tile[1].is_multiple_of(warp_n)
            && listed_in(self.tile[0] / warp_m, &WARPS)
            && listed_in(self.tile[1] / warp_n, &WARPS)
            && listed_in(self.tile_k, &TENSOR_TILE_KS)
            && listed_in(self.stages, &STAGES)
            && listed_in(self.swizzle, &SWIZZLES);
        if !listed {
            return false;
        }
        let (chunk, threads) = (chunk(kind), self.tile[0] / warp_m * (self.tile[1] / warp_n) * WARP);
        warp_m.is_multiple_of(warp_rows(kind))
            && warp_n.is_multiple_of(8 * chunk)
            && self.tile_k.is_multiple_of(k_step(kind))
            && self.tile.iter().all(|tile| (tile * self.tile_k).is_multiple_of(threads * chunk))
            && warp_m * warp_n * kind.bytes() / 4 <= MAX_ACCUMULATOR_WORDS * WARP
    }

    pub(super) fn read(configuration: &Configuration) -> Option<Self> {
        let get = |name| configuration.get(name);
        let warp = [get("warp_m")?, get("warp_n")?];
        Some(TensorParameters {
            tile: [warp[0].checked_mul(get("warps_m")?)?, warp[1].checked_mul(get("warps_n")?)?],
            warp,
            tile_k: get("depth")?,
            stages: get("stages")?,
            swizzle: get("band")?,
            scope: MmaScope::Warp,
        })
    }

    /// Its values by their names.
    pub(crate) fn configuration(&self) -> Configuration {
        Configuration::new([
            ("warps_m", self.tile[0] / self.warp[0]),
            ("warps_n", self.tile[1] / self.warp[1]),
            ("warp_m", self.warp[0]),
            ("warp_n", self.warp[1]),
            ("depth", self.tile_k),
            ("stages", self.stages),
            ("band", self.swizzle),
        ])
    }
}

/// Bytes by which a row of a slice is padded.
const PADDING: i64 = 16;

/// Elements that a work-item reads from local memory at a time: 16 bytes.
const fn chunk(kind: ScalarKind) -> usize {
    16 / kind.bytes()
}

#[cfg(test)]
mod host {
    use super::super::{GemmPlan, Limits, TensorUse};
    use super::*;
    use crate::device::{DeviceClass, NvidiaFeatures};
    use crate::options::{Layout, Op};
    use crate::view::MatrixShape;

    /// Devices of all sorts, small ones too.
    fn devices() -> Vec<DeviceInfo> {
        let example = crate::device::example;
        vec![
            example(DeviceClass::Cpu),
            DeviceInfo { native_floats: 8, ..example(DeviceClass::Cpu) },
            DeviceInfo { native_floats: 1, ..example(DeviceClass::Cpu) },
            example(DeviceClass::Gpu),
            DeviceInfo { max_work_group_size: 256, local_memory_bytes: 32 << 10, ..example(DeviceClass::Gpu) },
            DeviceInfo { max_work_group_size: 64, local_memory_bytes: 16 << 10, ..example(DeviceClass::Gpu) },
            DeviceInfo { nvidia: NvidiaFeatures::of(80), ..example(DeviceClass::Gpu) },
        ]
    }

    #[test]
    fn the_default_parameters_are_points() {
        for device in devices() {
            for kind in ScalarKind::ALL {
                let packed = PackedParameters::for_device(kind, &device);
                assert!(packed.fits(kind, &device), "{packed:?} {device:?}");
                assert!(PackedParameters::space(kind, &device).find(&packed.configuration()).is_some(), "{packed:?}");
                for tile in [TensorParameters::small(kind), TensorParameters::large(kind)] {
                    let point = TensorParameters::space(kind, &device).find(&tile.configuration());
                    assert_eq!(point.is_some(), tile.divides(kind) && tile.fits(kind, &device), "{tile:?} {device:?}");
                }
                for tile in [TiledParameters::small(kind), TiledParameters::large(kind), TiledParameters::COPIED] {
                    let point = TiledParameters::space(kind, &device).find(&tile.configuration());
                    assert_eq!(point.is_some(), tile.divides(kind) && tile.fits(kind, &device), "{tile:?} {device:?}");
                }
            }
        }
    }

    /// A point of any device's space is taken by another device exactly if it is one of its own space.
    #[test]
    fn another_devices_parameters_are_taken_exactly_where_the_facts_allow_them() {
        for kind in ScalarKind::ALL {
            let spaces = |space: fn(ScalarKind, &DeviceInfo) -> Space| -> Vec<Space> {
                devices().iter().map(|device| space(kind, device)).collect()
            };
            let (packed, tiled) = (spaces(PackedParameters::space), spaces(TiledParameters::space));
            let tensor = spaces(TensorParameters::space);
            for (index, device) in devices().iter().enumerate() {
                for space in &packed {
                    for configuration in (0..space.len()).step_by(7).map(|point| space.configuration(point)) {
                        let parameters = PackedParameters::read(&configuration).unwrap();
                        assert_eq!(parameters.configuration(), configuration);
                        assert_eq!(parameters.fits(kind, device), packed[index].find(&configuration).is_some());
                    }
                }
                for space in &tiled {
                    for configuration in (0..space.len()).map(|point| space.configuration(point)) {
                        let tile = TiledParameters::read(&configuration).unwrap();
                        assert_eq!(tile.configuration(), configuration);
                        let fits = tile.divides(kind) && tile.fits(kind, device);
                        assert_eq!(fits, tiled[index].find(&configuration).is_some(), "{tile:?}");
                    }
                }
                for space in &tensor {
                    for configuration in (0..space.len()).map(|point| space.configuration(point)) {
                        let tile = TensorParameters::read(&configuration).unwrap();
                        assert_eq!(tile.configuration(), configuration);
                        let fits = tile.divides(kind) && tile.fits(kind, device);
                        assert_eq!(fits, tensor[index].find(&configuration).is_some(), "{tile:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_that_no_space_has_are_refused() {
        let (cpu, gpu) = (crate::device::example(DeviceClass::Cpu), crate::device::example(DeviceClass::Gpu));
        let packed = PackedParameters::for_device(ScalarKind::S, &cpu);
        for wrong in [
            PackedParameters { vector_width: 7, ..packed },
            PackedParameters { tile_columns: 0, ..packed },
            PackedParameters { k_block: usize::MAX, ..packed },
            PackedParameters { b_block_bytes: 0, ..packed },
        ] {
            assert!(!wrong.fits(ScalarKind::S, &cpu), "{wrong:?}");
        }
        let tile = TiledParameters::large(ScalarKind::S);
        for wrong in [
            TiledParameters { threads: [0, 16], ..tile },
            TiledParameters { tile_k: 12, ..tile },
            TiledParameters { tile: [usize::MAX, 128], ..tile },
            TiledParameters { swizzle: 0, ..tile },
        ] {
            assert!(!(wrong.divides(ScalarKind::S) && wrong.fits(ScalarKind::S, &gpu)), "{wrong:?}");
        }
        let tile = TensorParameters::large(ScalarKind::S);
        for wrong in [
            TensorParameters { warp: [0, 32], ..tile },
            TensorParameters { warp: [16, 32], ..tile },
            TensorParameters { tile: [usize::MAX, 64], ..tile },
            TensorParameters { tile_k: 8, ..tile },
            TensorParameters { stages: 1, ..tile },
        ] {
            assert!(!(wrong.divides(ScalarKind::S) && wrong.fits(ScalarKind::S, &gpu)), "{wrong:?}");
        }
        assert_eq!(PackedParameters::read(&Configuration::new([("vector_width", 8)])), None);
    }

    #[test]
    fn plans_are_made_with_what_was_tuned_for_the_class_of_the_problem() {
        let device = crate::device::example(DeviceClass::Gpu);
        let limits = Limits { workspace_bytes: 1 << 30, tensor: TensorUse::NONE, copies: false, units: None };
        let tuned = Tuned::default();
        let tile = TiledParameters { tile: [64, 96], threads: [8, 8], ..TiledParameters::small(ScalarKind::S) };
        let subject = Subject { family: KernelFamily::GemmTiled, kind: ScalarKind::S, class: ShapeClass::Large };
        tuned.set(subject, Some(tile.configuration()));
        let parameters = |n: usize| {
            let shape = MatrixShape::new(Layout::ColumnMajor, n, n, 0, n).unwrap();
            let problem = GemmProblem::new(ScalarKind::S, Op::NoTrans, Op::NoTrans, &shape, &shape, &shape).unwrap();
            let parameters = GemmParameters::for_problem(&problem, &device, &tuned);
            match GemmPlan::choose(&problem, &device, &limits, &parameters) {
                GemmPlan::Tiled(plan) => plan.parameters,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(parameters(2048), tile);
        assert_ne!(parameters(256), tile);
        tuned.set(subject, Some(TiledParameters { tile_k: 9, ..tile }.configuration()));
        assert_eq!(parameters(2048), TiledParameters::large(ScalarKind::S), "what is not allowed is not taken");
    }
}
