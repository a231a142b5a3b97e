//! Facts of devices that a lowering depends on.

/// A class of devices, which gets kernels of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// Accesses of 16 bytes by neighbouring work-items, reductions in local memory.
    Gpu,
    /// Vectors of 64 bytes, a contiguous range for each work-item; groups of one work-item, neither local memory nor
    /// barriers.
    Cpu,
}

/// The source of elementary functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Functions {
    /// Those of `affinimath-math`: the same bits on all devices.
    #[default]
    Own,
    /// The device's own, where it has the function.
    Library,
}

/// Facts of a device that kernels and launches depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceClass {
    /// The form of kernels.
    pub kind: DeviceKind,
    /// The source of elementary functions.
    pub functions: Functions,
    /// True if it has double precision.
    pub has_doubles: bool,
    /// True if it takes `-cl-fp32-correctly-rounded-divide-sqrt`, or rounds correctly without it. Others compute
    /// quotients and roots of `f32` in double precision; where they lack that too, results have their own accuracy.
    pub rounds_divisions: bool,
    /// Its compute units. Only the sizes of launches depend on them.
    pub compute_units: usize,
}

impl DeviceClass {
    /// A GPU with all abilities.
    pub const fn gpu(compute_units: usize) -> Self {
        DeviceClass {
            kind: DeviceKind::Gpu,
            functions: Functions::Own,
            has_doubles: true,
            rounds_divisions: true,
            compute_units,
        }
    }

    /// A CPU with all abilities.
    pub const fn cpu(compute_units: usize) -> Self {
        DeviceClass { kind: DeviceKind::Cpu, ..DeviceClass::gpu(compute_units) }
    }
}
