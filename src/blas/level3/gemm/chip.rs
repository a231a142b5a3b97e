//! Constants of GPU chips in gemm's cost model: one table per chip.
//!
//! Costs are counted in FMAs: the real multiply-adds that one compute unit does in that time with the best f32 tiles of
//! `tiled.cl`. Rates are percents of that pace. Arrays by type are in the order of [`ScalarKind`]: S, D, C, Z.

use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;

/// Constants of one chip.
#[derive(Debug)]
pub(super) struct Chip {
    #[cfg_attr(not(test), expect(dead_code, reason = "a label for readers and tests"))]
    pub(super) name: &'static str,
    /// Compute capability, major * 10 + minor.
    capability: u32,
    /// One more kernel launch.
    pub(super) launch_fmas: u64,
    /// A byte of global memory, read or written, per compute unit.
    pub(super) dram_fmas_per_byte: u64,
    /// A byte of global memory during products on tensor cores, by type.
    mma_dram_fmas_per_byte: [u64; 4],
    /// A byte of global memory during the scan of operands before a guarded product.
    pub(super) scan_fmas_per_byte: u64,
    /// A byte of partial sums in the L2 cache.
    pub(super) l2_fmas_per_byte: u64,
    /// Bytes of partial sums that stay in the L2 cache.
    pub(super) l2_bytes: u64,
    /// Latency of a K-slice's copy into local memory.
    pub(super) copy_latency_fmas: u64,
    /// Work-groups of a compute unit whose copy latencies overlap.
    pub(super) overlapping_groups: u64,
    /// The two launches around a guarded product, of real and of complex types.
    guard_launches_fmas: [u64; 2],
    /// Start of a strip until its first copies arrive.
    pub(super) strip_start_fmas: u64,
    /// Rate of FMA tiles, by type, small and large tile, one and several work-groups on a compute unit.
    fma_percent: [[[u64; 2]; 2]; 4],
    /// Rate of large f32 FMA tiles copied by cp.async, one and several work-groups.
    cp_async_percent: [u64; 2],
    /// Rate of `tiled/mma_f64.cl`.
    pub(super) structured_mma_f64_percent: u64,
    /// Rate of mma.sync tiles, by type, tiny, small and large.
    mma_percent: [[u64; 3]; 4],
    /// Fraction of that rate for a single small work-group per compute unit: numerator and denominator, f32 and f64.
    lone_mma: [[u64; 2]; 2],
    /// Rate of wgmma tiles, one and several work-groups: f32 of 128 columns, narrower f32, complex.
    wgmma_percent: [[u64; 2]; 3],
}

/// Fitted to an H200 (docs/src/internals).
const H200: Chip = Chip {
    name: "H200",
    capability: 90,
    launch_fmas: 1 << 20,
    dram_fmas_per_byte: 10,
    mma_dram_fmas_per_byte: [10, 5, 10, 3],
    scan_fmas_per_byte: 5,
    l2_fmas_per_byte: 2,
    l2_bytes: 32 << 20,
    copy_latency_fmas: 1 << 16,
    overlapping_groups: 2,
    guard_launches_fmas: [3 << 20, 3 << 19],
    strip_start_fmas: 1 << 18,
    fma_percent: [[[72, 72], [80, 100]], [[41, 41], [57, 57]], [[52, 82], [80, 100]], [[72, 72], [80, 100]]],
    cp_async_percent: [97, 116],
    structured_mma_f64_percent: 100,
    mma_percent: [[116, 125, 147], [95, 120, 129], [80, 110, 136], [185, 222, 228]],
    lone_mma: [[2, 3], [5, 6]],
    wgmma_percent: [[170, 255], [118, 215], [136, 205]],
};

/// Chips with fitted constants.
const CHIPS: [&Chip; 1] = [&H200];

impl Chip {
    /// A device's chip; of an unmeasured one, the chip with the nearest compute capability.
    pub(super) fn of(device: &DeviceInfo) -> &'static Self {
        let distance = |chip: &&Chip| chip.capability.abs_diff(device.nvidia.capability);
        CHIPS.into_iter().min_by_key(distance).unwrap_or(&H200)
    }

    /// A byte of global memory during products on tensor cores.
    pub(super) const fn mma_dram_fmas_per_byte(&self, kind: ScalarKind) -> u64 {
        self.mma_dram_fmas_per_byte[kind as usize]
    }

    /// The two launches around a guarded product.
    pub(super) const fn guard_launches_fmas(&self, kind: ScalarKind) -> u64 {
        self.guard_launches_fmas[kind.is_complex() as usize]
    }

    /// Rate of FMA tiles.
    pub(super) const fn fma_percent(&self, kind: ScalarKind, is_large: bool, is_alone: bool) -> u64 {
        self.fma_percent[kind as usize][is_large as usize][!is_alone as usize]
    }

    /// Rate of large f32 FMA tiles copied by cp.async.
    pub(super) const fn cp_async_percent(&self, is_alone: bool) -> u64 {
        self.cp_async_percent[!is_alone as usize]
    }

    /// Rate of mma.sync tiles; `size` counts from tiny.
    pub(super) const fn mma_percent(&self, kind: ScalarKind, size: usize, is_lone: bool) -> u64 {
        let percent = self.mma_percent[kind as usize][size];
        let [numerator, denominator] = if is_lone { self.lone_mma[kind.is_double() as usize] } else { [1, 1] };
        percent * numerator / denominator
    }

    /// Rate of wgmma tiles, which are of floats.
    pub(super) const fn wgmma_percent(&self, kind: ScalarKind, columns: usize, is_alone: bool) -> u64 {
        let row = match (kind, columns) {
            (ScalarKind::S, 128) => 0,
            (ScalarKind::S, _) => 1,
            _ => 2,
        };
        self.wgmma_percent[row][!is_alone as usize]
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, NvidiaFeatures};

    #[test]
    fn unmeasured_chips_get_the_nearest_one() {
        for capability in [0, 70, 80, 90, 100] {
            let device_info =
                DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) };
            assert_eq!(Chip::of(&device_info).name, "H200");
        }
    }

    #[test]
    fn rates_by_type() {
        assert_eq!(ScalarKind::ALL, [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z]);
        assert_eq!(ScalarKind::ALL.map(|kind| kind as usize), [0, 1, 2, 3]);
        assert_eq!(H200.fma_percent(ScalarKind::C, false, true), 52);
        assert_eq!(H200.mma_percent(ScalarKind::Z, 2, true), 190);
        assert_eq!(H200.wgmma_percent(ScalarKind::S, 64, false), 215);
    }
}
