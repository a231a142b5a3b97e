//! Features of NVIDIA GPUs, by their compute capability.

/// PTX instructions and memory of an NVIDIA GPU, and which of them pay; all false or 0 on other devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NvidiaFeatures {
    /// Compute capability, major * 10 + minor: 90 for 9.0. Plans read the fields below instead.
    pub capability: u32,
    /// Inline PTX in OpenCL C, with `membar.gl`: every NVIDIA GPU.
    pub inline_ptx: bool,
    /// `ldmatrix`: since 7.5.
    pub ldmatrix: bool,
    /// `mma.sync` of `.f16`: since 7.0 (`m8n8k4`; `m16n8k8` since 7.5, `m16n8k16` since 8.0).
    pub mma_f16: bool,
    /// `mma.sync.m16n8k8` of `.tf32`: since 8.0.
    pub mma_tf32: bool,
    /// `mma.sync.m8n8k4` of `.f64`: since 8.0.
    pub mma_f64: bool,
    /// `mma.sync.m16n8k4`, `k8` and `k16` of `.f64`: since 9.0.
    pub mma_f64_m16: bool,
    /// `cp.async`, copies from global into shared memory without registers: since 8.0.
    pub cp_async: bool,
    /// `cp.async.bulk` and tensor maps (TMA): since 9.0.
    pub cp_async_bulk: bool,
    /// `redux.sync`: since 8.0.
    pub redux: bool,
    /// `wgmma.mma_async`: 9.0 alone, target sm_90a.
    pub wgmma: bool,
    /// `setmaxnreg`: 9.0 (target sm_90a), and 10.0 and later in their `a` targets.
    pub setmaxnreg: bool,
    /// Opt-in shared memory of a block in bytes, by the CUDA programming guide's table of capabilities.
    pub shared_memory_opt_in_bytes: u64,
    /// The OpenCL compiler takes opt-in shared memory for a kernel's own arrays: seen on 9.0, untested elsewhere.
    pub opt_in_is_usable: bool,
    /// f32 by `mma_tf32` (3xTF32) is faster than FFMA: 8.0 and 9.0, whose tensor cores have the full rate.
    pub fast_mma_f32: bool,
    /// f64 by `mma_f64_m16` is faster than DFMA: 9.0. Later capabilities are not measured.
    pub fast_mma_f64: bool,
    /// A work-item keeps 32 complex f32 values in registers (radix-32 FFT) without spilling: measured since 8.0.
    pub radix_32_registers: bool,
}

impl NvidiaFeatures {
    /// The features of other devices.
    pub const NONE: Self = Self::of(0);

    /// The features of a compute capability, major * 10 + minor.
    pub const fn of(capability: u32) -> Self {
        NvidiaFeatures {
            capability,
            inline_ptx: capability > 0,
            ldmatrix: capability >= 75,
            mma_f16: capability >= 70,
            mma_tf32: capability >= 80,
            mma_f64: capability >= 80,
            mma_f64_m16: capability >= 90,
            cp_async: capability >= 80,
            cp_async_bulk: capability >= 90,
            redux: capability >= 80,
            wgmma: capability == 90,
            setmaxnreg: capability >= 90,
            shared_memory_opt_in_bytes: shared_memory_opt_in_kib(capability) << 10,
            opt_in_is_usable: capability == 90,
            fast_mma_f32: matches!(capability, 80 | 90),
            fast_mma_f64: capability == 90,
            radix_32_registers: capability >= 80,
        }
    }
}

/// Shared memory that a block may opt in to, in KiB; of an unknown capability, the least of its generation.
const fn shared_memory_opt_in_kib(capability: u32) -> u64 {
    match capability {
        0..70 => 0,
        70..75 => 96,
        75..80 => 64,
        80 | 87 => 163,
        81..90 => 99,
        90..120 => 227,
        _ => 99,
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn features_of_known_capabilities() {
        let names = |capability| {
            let f = NvidiaFeatures::of(capability);
            let fields = [
                (f.inline_ptx, "ptx"),
                (f.ldmatrix, "ldmatrix"),
                (f.mma_f16, "f16"),
                (f.mma_tf32, "tf32"),
                (f.mma_f64, "f64"),
                (f.mma_f64_m16, "f64_m16"),
                (f.cp_async, "cp.async"),
                (f.cp_async_bulk, "bulk"),
                (f.redux, "redux"),
                (f.wgmma, "wgmma"),
                (f.setmaxnreg, "setmaxnreg"),
                (f.opt_in_is_usable, "opt-in"),
                (f.fast_mma_f32, "fast f32"),
                (f.fast_mma_f64, "fast f64"),
                (f.radix_32_registers, "radix 32"),
            ];
            let names: Vec<&str> = fields.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
            (names.join(", "), f.shared_memory_opt_in_bytes >> 10)
        };
        let ampere = "ptx, ldmatrix, f16, tf32, f64, cp.async, redux, radix 32";
        let blackwell = "ptx, ldmatrix, f16, tf32, f64, f64_m16, cp.async, bulk, redux, setmaxnreg, radix 32";
        for (capability, expected, opt_in_kib) in [
            (0, "", 0),
            (70, "ptx, f16", 96),
            (75, "ptx, ldmatrix, f16", 64),
            (80, "ptx, ldmatrix, f16, tf32, f64, cp.async, redux, fast f32, radix 32", 163),
            (86, ampere, 99),
            (89, ampere, 99),
            (
                90,
                "ptx, ldmatrix, f16, tf32, f64, f64_m16, cp.async, bulk, redux, wgmma, setmaxnreg, opt-in, fast f32, \
                 fast f64, radix 32",
                227,
            ),
            (100, blackwell, 227),
            (120, blackwell, 99),
        ] {
            assert_eq!(names(capability), (expected.to_owned(), opt_in_kib), "{capability}");
        }
        assert_eq!(NvidiaFeatures::NONE, NvidiaFeatures::of(0));
    }
}
