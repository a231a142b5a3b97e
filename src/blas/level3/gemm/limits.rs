//! Limits of plans: workspace, compute units, and features of the device that the mode allows.

use std::borrow::Cow;

use crate::device::DeviceInfo;
use crate::math_mode::{MathMode, math_mode};
use crate::scalar::ScalarKind;

/// Permitted uses of the tensor cores, by device, probes and math mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorUse {
    /// Doubles.
    pub doubles: bool,
    /// Floats.
    pub f32_mma: F32Mma,
    /// Opt-in features, which OpenCL does not state: wgmma, and opt-in shared memory.
    pub opt_in: bool,
}

/// Permitted uses of the tensor cores for floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum F32Mma {
    /// Nothing.
    Off,
    /// 3xTF32: products of a hi/lo split (Ootomo and Yokota 2022).
    Tf32x3,
    /// Operands are rounded to tf32.
    Tf32,
}

impl TensorUse {
    /// Nothing.
    pub const NONE: Self = TensorUse { doubles: false, f32_mma: F32Mma::Off, opt_in: false };

    /// Permitted uses by a device's properties and a mode.
    pub(super) fn allowed(device: &DeviceInfo, mode: MathMode) -> Self {
        let f32_mma = match mode {
            _ if !device.nvidia.fast_mma_f32 => F32Mma::Off,
            MathMode::Strict => F32Mma::Off,
            MathMode::Default => F32Mma::Tf32x3,
            MathMode::Fast => F32Mma::Tf32,
        };
        TensorUse {
            doubles: device.nvidia.fast_mma_f64,
            f32_mma,
            opt_in: device.nvidia.wgmma && device.nvidia.opt_in_is_usable,
        }
    }

    /// Permitted uses by a device's properties and the current mode.
    pub(crate) fn of_device(device: &DeviceInfo) -> Self {
        Self::allowed(device, math_mode())
    }

    /// True if the tensor cores may multiply this type.
    pub(crate) fn takes(self, kind: ScalarKind) -> bool {
        if kind.is_double() { self.doubles } else { self.f32_mma != F32Mma::Off }
    }
}

/// Resources that a plan may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Workspace, in bytes.
    pub workspace_bytes: u64,
    /// Permitted uses of the tensor cores.
    pub tensor: TensorUse,
    /// Slices may be copied to local memory by cp.async.
    pub copies: bool,
    /// Compute units, if not all of them.
    pub units: Option<usize>,
}

impl Limits {
    /// Without opt-in features; if there were none, without tensor cores.
    pub(super) fn without_tensor_features(&self) -> Self {
        let fewer = TensorUse { opt_in: false, ..self.tensor };
        Limits { tensor: if self.tensor.opt_in { fewer } else { TensorUse::NONE }, ..*self }
    }

    /// The device's properties with the compute units that work may occupy.
    pub(super) fn share_of<'d>(&self, device: &'d DeviceInfo) -> Cow<'d, DeviceInfo> {
        match self.units {
            Some(units) if units < device.compute_units => {
                Cow::Owned(DeviceInfo { compute_units: units, ..device.clone() })
            }
            _ => Cow::Borrowed(device),
        }
    }
}

/// Size of the chunks when `total` is split evenly into chunks of about `target`. All but the last are multiples of
/// `multiple`.
pub(super) const fn split(total: usize, target: usize, multiple: usize) -> usize {
    let chunks = if target == 0 { 1 } else { total.div_ceil(target) };
    let chunks = if chunks == 0 { 1 } else { chunks };
    let size = total.div_ceil(chunks).next_multiple_of(multiple);
    if size == 0 { multiple } else { size }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, NvidiaFeatures};

    #[test]
    fn facts_and_the_mode_decide() {
        let use_of = |capability, mode| {
            let device_info =
                DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) };
            TensorUse::allowed(&device_info, mode)
        };
        let with = |doubles, f32_mma, opt_in| TensorUse { doubles, f32_mma, opt_in };
        assert_eq!(use_of(90, MathMode::Default), with(true, F32Mma::Tf32x3, true));
        assert_eq!(use_of(90, MathMode::Fast), with(true, F32Mma::Tf32, true));
        assert_eq!(use_of(90, MathMode::Strict), with(true, F32Mma::Off, true));
        assert_eq!(use_of(80, MathMode::Default), with(false, F32Mma::Tf32x3, false));
        for without in [0, 60, 75, 86, 89, 120] {
            assert_eq!(use_of(without, MathMode::Default), TensorUse::NONE);
        }
    }

    #[test]
    fn chunks_cover_the_whole() {
        for total in [1, 7, 48, 100, 1000] {
            for target in [1, 10, 48, 5000] {
                for multiple in [1, 8, 48] {
                    let size = split(total, target, multiple);
                    assert!(size.is_multiple_of(multiple) && size > 0);
                    // No chunk is empty, and chunks exceed the target by at most a rounding.
                    assert!((total.div_ceil(size) - 1) * size < total);
                    assert!(size < target + multiple);
                }
            }
        }
    }
}
