//! Limits of plans: scratch memory, compute units, and features of the device that the mode allows.

use std::borrow::Cow;

use crate::device::DeviceInfo;
use crate::math_mode::{MathMode, math_mode};
use crate::scalar::ScalarKind;

/// What the tensor cores may multiply: there are some, no trial has failed, and the mode wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorUse {
    /// Doubles.
    pub doubles: bool,
    /// Floats.
    pub f32_mma: F32Mma,
    /// Opt-in features, which OpenCL does not state: wgmma, and opt-in shared memory.
    pub unstated: bool,
}

/// What the tensor cores may do to floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum F32Mma {
    /// Nothing.
    Off,
    /// Multiply them in halves.
    Tf32x3,
    /// Round them.
    Tf32,
}

impl TensorUse {
    /// Nothing.
    pub const NONE: Self = TensorUse { doubles: false, f32_mma: F32Mma::Off, unstated: false };

    /// What a device's properties and a mode allow.
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
            unstated: device.nvidia.wgmma && device.nvidia.opt_in_is_usable,
        }
    }

    /// What a device's properties and the mode in force allow.
    pub(crate) fn of_device(device: &DeviceInfo) -> Self {
        Self::allowed(device, math_mode())
    }

    /// Whether they may multiply this type.
    pub(crate) fn takes(self, kind: ScalarKind) -> bool {
        if kind.is_double() { self.doubles } else { self.f32_mma != F32Mma::Off }
    }
}

/// What a plan may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Scratch memory, in bytes.
    pub scratch_bytes: u64,
    /// What the tensor cores may multiply.
    pub tensor: TensorUse,
    /// Whether slices for multiply-adds may be copied without registers.
    pub copies: bool,
    /// Compute units, if not all of them.
    pub units: Option<usize>,
}

impl Limits {
    /// Without opt-in features; if there were none, without tensor cores.
    pub(super) fn without_tensor_features(&self) -> Self {
        let fewer = TensorUse { unstated: false, ..self.tensor };
        Limits { tensor: if self.tensor.unstated { fewer } else { TensorUse::NONE }, ..*self }
    }

    /// The device as far as work may take it.
    pub(super) fn share_of<'d>(&self, device: &'d DeviceInfo) -> Cow<'d, DeviceInfo> {
        match self.units {
            Some(units) if units < device.compute_units => {
                Cow::Owned(DeviceInfo { compute_units: units, ..device.clone() })
            }
            _ => Cow::Borrowed(device),
        }
    }
}

/// The size of the pieces when `total` is split evenly into pieces of about `target`, each a multiple of `multiple`
/// (but for the last).
pub(super) const fn split(total: usize, target: usize, multiple: usize) -> usize {
    let pieces = if target == 0 { 1 } else { total.div_ceil(target) };
    let pieces = if pieces == 0 { 1 } else { pieces };
    let size = total.div_ceil(pieces).next_multiple_of(multiple);
    if size == 0 { multiple } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceClass, NvidiaFeatures};

    #[test]
    fn facts_and_the_mode_decide() {
        let use_of = |capability, mode| {
            let device_info =
                DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) };
            TensorUse::allowed(&device_info, mode)
        };
        let with = |doubles, f32_mma, unstated| TensorUse { doubles, f32_mma, unstated };
        assert_eq!(use_of(90, MathMode::Default), with(true, F32Mma::Tf32x3, true));
        assert_eq!(use_of(90, MathMode::Fast), with(true, F32Mma::Tf32, true));
        assert_eq!(use_of(90, MathMode::Strict), with(true, F32Mma::Off, true));
        assert_eq!(use_of(80, MathMode::Default), with(false, F32Mma::Tf32x3, false));
        for without in [0, 60, 75, 86, 89, 120] {
            assert_eq!(use_of(without, MathMode::Default), TensorUse::NONE);
        }
    }

    #[test]
    fn pieces_cover_the_whole() {
        for total in [1, 7, 48, 100, 1000] {
            for target in [1, 10, 48, 5000] {
                for multiple in [1, 8, 48] {
                    let size = split(total, target, multiple);
                    assert!(size.is_multiple_of(multiple) && size > 0);
                    // No piece is empty, and pieces are at most a rounding larger than asked for.
                    assert!((total.div_ceil(size) - 1) * size < total);
                    assert!(size < target + multiple);
                }
            }
        }
    }
}
