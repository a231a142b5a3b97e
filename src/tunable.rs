//! The families of kernels that can be tuned: which of them a device uses, their spaces, and their default points.

use crate::blas::level3::gemm::{self, PackedParameters, TensorParameters, TiledParameters};
use crate::device::{DeviceClass, DeviceInfo};
use crate::fft::{self, FftParameters};
use crate::scalar::ScalarKind;
use crate::sparse::product::{self, ProductParameters};
use crate::tuning::exchange::KernelText;
use crate::tuning::space::{Configuration, Space};
use crate::tuning::tuned::{KernelFamily, ShapeClass, Subject};

/// The family that gemm uses on a device, if there is something to tune in it: not on accelerators, whose kernel has
/// one size.
pub fn gemm_family(kind: ScalarKind, device: &DeviceInfo) -> Option<KernelFamily> {
    match device.class {
        DeviceClass::Cpu => Some(KernelFamily::GemmPacked),
        DeviceClass::Gpu if gemm::TensorUse::of_device(device).takes(kind) => Some(KernelFamily::GemmTensor),
        DeviceClass::Gpu => Some(KernelFamily::GemmTiled),
        DeviceClass::Accelerator => None,
    }
}

/// The family that products of sparse matrices and vectors use on a device.
pub const fn spmv_family(device: &DeviceInfo) -> KernelFamily {
    match device.class {
        DeviceClass::Gpu => KernelFamily::SpmvGroups,
        DeviceClass::Cpu | DeviceClass::Accelerator => KernelFamily::SpmvSegments,
    }
}

/// The family that Fourier transforms use on a device. Their types are complex.
pub const fn fft_family(device: &DeviceInfo) -> KernelFamily {
    match device.class {
        DeviceClass::Cpu => KernelFamily::FftLanes,
        DeviceClass::Gpu | DeviceClass::Accelerator => KernelFamily::FftGroups,
    }
}

/// The points of a subject that a device allows.
pub fn space(subject: &Subject, device: &DeviceInfo) -> Space {
    match subject.family {
        KernelFamily::GemmPacked => PackedParameters::space(subject.kind, device),
        KernelFamily::GemmTiled => TiledParameters::space(subject.kind, device),
        KernelFamily::GemmTensor => TensorParameters::space(subject.kind, device),
        KernelFamily::SpmvSegments => ProductParameters::segments_space(),
        KernelFamily::SpmvGroups => ProductParameters::groups_space(subject.kind, device),
        KernelFamily::FftLanes => FftParameters::simd_space(),
        KernelFamily::FftGroups => FftParameters::work_group_space(device),
    }
}

/// The parameters that the facts suggest. Where several sizes compete, those of the largest.
pub fn default_configuration(subject: &Subject, device: &DeviceInfo) -> Configuration {
    match subject.family {
        KernelFamily::GemmPacked => PackedParameters::for_device(subject.kind, device).configuration(),
        KernelFamily::GemmTiled => TiledParameters::large(subject.kind).configuration(),
        KernelFamily::GemmTensor => TensorParameters::large(subject.kind).configuration(),
        KernelFamily::SpmvSegments => ProductParameters::default().segments_configuration(),
        KernelFamily::SpmvGroups => ProductParameters::default().groups_configuration(),
        KernelFamily::FftLanes => FftParameters::simd_default(subject.kind, device),
        KernelFamily::FftGroups => FftParameters::work_group_default(subject.kind, device),
    }
}

/// Entries of a row of the sparse matrices that stand for others: a stencil of five points.
const STENCIL: usize = 5;

/// The class of problems of a size: the order of gemm's square matrices, the rows of a sparse matrix, the
/// length of a transform.
pub fn class_of(family: KernelFamily, size: usize) -> ShapeClass {
    match family {
        KernelFamily::GemmPacked | KernelFamily::GemmTiled | KernelFamily::GemmTensor => gemm::class_of([size; 3]),
        KernelFamily::SpmvSegments | KernelFamily::SpmvGroups => product::class_of(size.saturating_mul(STENCIL)),
        KernelFamily::FftLanes | KernelFamily::FftGroups => fft::class_of(size),
    }
}

/// The smallest problems that the family computes: for smaller ones there are other kernels.
pub const fn min_size(family: KernelFamily) -> usize {
    match family {
        KernelFamily::GemmPacked | KernelFamily::GemmTiled | KernelFamily::GemmTensor => gemm::MAX_SKINNY_COLUMNS + 1,
        KernelFamily::SpmvSegments | KernelFamily::SpmvGroups => 1,
        KernelFamily::FftLanes | KernelFamily::FftGroups => 2,
    }
}

/// A family's kernel, for those who read its space elsewhere.
pub const fn kernel_text(family: KernelFamily) -> KernelText {
    match family {
        KernelFamily::GemmPacked => {
            KernelText { name: "gemm_packed", file: "cl/blas/level3/gemm/packed/packed.cl", local_size: "1" }
        }
        KernelFamily::GemmTiled => KernelText {
            name: "gemm_tiled",
            file: "cl/blas/level3/gemm/tiled/tiled.cl",
            local_size: "threads_m * threads_n",
        },
        KernelFamily::GemmTensor => KernelText {
            name: "gemm_tensor",
            file: "cl/blas/level3/gemm/tensor/tensor.cl",
            local_size: "warps_m * warps_n * 32",
        },
        KernelFamily::SpmvSegments => {
            KernelText { name: "product_segments", file: "cl/sparse/product/product_cpu.cl", local_size: "1" }
        }
        KernelFamily::SpmvGroups => {
            KernelText { name: "product_merge", file: "cl/sparse/product/product_merge.cl", local_size: "128" }
        }
        // Generated kernels: their files are the programs that write them.
        KernelFamily::FftLanes => KernelText { name: "pass", file: "src/fft/kernels/lanes.rs", local_size: "1" },
        KernelFamily::FftGroups => KernelText { name: "pass", file: "src/fft/kernels/group.rs", local_size: "items" },
    }
}
