//! The plan of a run: families, places, arguments and libraries.

use affinimath::{DeviceClass, DeviceInfo};
use clap::ValueEnum;
use serde::Serialize;

use crate::options::PeerSpec;

/// A family of `affinimath bench`, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Limits,
    Gemm,
    Level1,
    Level2,
    Level3,
    Lapack,
    Fft,
    Sparse,
    Array,
    Stencil,
    Calls,
}

impl Family {
    /// Name in `affinimath bench`.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Limits => "limits",
            Family::Gemm => "gemm",
            Family::Level1 => "level1",
            Family::Level2 => "level2",
            Family::Level3 => "level3",
            Family::Lapack => "lapack",
            Family::Fft => "fft",
            Family::Sparse => "sparse",
            Family::Array => "array",
            Family::Stencil => "stencil",
            Family::Calls => "calls",
        }
    }

    /// Title for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Family::Limits => "Limits of the memory and the arithmetic",
            Family::Gemm => "Products of matrices (gemm)",
            Family::Level1 => "Operations on vectors (BLAS level 1)",
            Family::Level2 => "Operations on matrices and vectors (BLAS level 2)",
            Family::Level3 => "Operations on matrices (BLAS level 3)",
            Family::Lapack => "Factorisations (LAPACK)",
            Family::Fft => "Fourier transforms",
            Family::Sparse => "Sparse matrices",
            Family::Array => "Array expressions",
            Family::Stencil => "Stencils",
            Family::Calls => "Calls by the BLAS's names, from one element on",
        }
    }

    /// Weight of the family when the time is shared out.
    pub const fn weight(self) -> f64 {
        match self {
            Family::Limits => 0.3,
            Family::Calls => 0.7,
            // New processes that import libraries.
            Family::Array | Family::Stencil => 2.0,
            _ => 1.0,
        }
    }

    /// True if a library with this name is measured in it.
    fn takes(self, peer: &PeerSpec) -> bool {
        use Family::{Array, Calls, Fft, Gemm, Lapack, Level1, Level2, Level3, Limits, Sparse, Stencil};
        match peer.python_library() {
            _ if self == Limits => return false,
            Some("devito" | "numba" | "pystencils") => return self == Stencil,
            Some("torch" | "jax" | "cupy") => return matches!(self, Array | Stencil),
            Some(_) => return self == Array,
            None if matches!(self, Array | Stencil) => return false,
            None => {}
        }
        match peer.name.to_ascii_lowercase().as_str() {
            "faer" => self == Gemm,
            "clblast" | "cublas" => matches!(self, Gemm | Level1 | Level2 | Level3),
            "cusolver" => self == Lapack,
            "cusparse" => self == Sparse,
            "fftw" | "clfft" | "cufft" => self == Fft,
            "mkl" => true,
            // Any CBLAS.
            _ => matches!(self, Gemm | Level1 | Level2 | Level3 | Lapack | Calls),
        }
    }
}

/// Scope of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// One small case of everything, for tests.
    Smoke,
    /// Some routines, some sizes.
    Quick,
    /// All routines.
    Full,
}

/// Target of our library.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The option `--device` of the families.
    pub option: String,
    /// The device; `None` for the host.
    pub device_info: Option<DeviceInfo>,
}

impl Backend {
    /// Name for readers.
    pub fn name(&self) -> String {
        self.device_info.as_ref().map_or_else(
            || "the host".to_owned(),
            |device_info| format!("{} ({})", device_info.name, device_info.platform),
        )
    }

    fn class(&self) -> Option<DeviceClass> {
        self.device_info.as_ref().map(|device_info| device_info.class)
    }

    /// True if a library runs there too, or on something like it.
    fn suits(&self, peer: &str) -> bool {
        match peer.to_ascii_lowercase().as_str() {
            "clblast" | "clfft" => self.device_info.is_some(),
            "cublas" | "cusolver" | "cusparse" | "cufft" => {
                self.device_info.as_ref().is_some_and(|device_info| device_info.nvidia.inline_ptx)
            }
            "cupy" => self.class().is_some_and(|class| class != DeviceClass::Cpu),
            "torch" | "torch-eager" | "jax" => true,
            // The others run on the processors.
            _ => self.class().is_none_or(|class| class == DeviceClass::Cpu),
        }
    }
}

/// A family on a place.
#[derive(Clone, Debug)]
pub struct Task {
    /// The place's number.
    pub backend: usize,
    /// The family.
    pub family: Family,
    /// Its arguments, without the peers.
    pub arguments: Vec<String>,
    /// The other libraries.
    pub peers: Vec<PeerSpec>,
}

/// Request of a run.
pub struct Plan<'a> {
    /// Targets.
    pub backends: &'a [Backend],
    /// Families.
    pub families: &'a [Family],
    /// Scope.
    pub effort: Effort,
    /// Letters of the types; without any, all types of each target.
    pub types: &'a [char],
    /// Peers.
    pub peers: &'a [PeerSpec],
    /// True if families may look for further peers by themselves.
    pub finds_peers: bool,
}

impl Plan<'_> {
    /// A task for each family on each place.
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (number, backend) in self.backends.iter().enumerate() {
            // Programs of the BLAS use the host.
            let families =
                self.families.iter().filter(|family| **family != Family::Calls || backend.device_info.is_none());
            for &family in families {
                let suits = |peer: &&PeerSpec| family.takes(peer) && backend.suits(&peer.name);
                let peers: Vec<PeerSpec> = self.peers.iter().filter(suits).cloned().collect();
                let mut arguments = self.arguments(family, backend);
                if matches!(family, Family::Array | Family::Stencil) && peers.is_empty() && !self.finds_peers {
                    arguments.push("--no-peers".to_owned());
                }
                tasks.push(Task { backend: number, family, arguments, peers });
            }
        }
        tasks
    }

    fn arguments(&self, family: Family, backend: &Backend) -> Vec<String> {
        let mut arguments = vec!["bench".to_owned(), family.name().to_owned()];
        let mut add = |words: &str| arguments.extend(words.split_whitespace().map(str::to_owned));
        if family != Family::Calls {
            add("--device");
            arguments.push(backend.option.clone());
        }
        let mut add = |words: &str| arguments.extend(words.split_whitespace().map(str::to_owned));
        if backend.device_info.is_some() {
            add("--memory device");
        }
        if let Some(types) = self.types_of(family, backend) {
            add(&format!("--types {types}"));
        }
        add(sizes(family, self.effort, backend.class() == Some(DeviceClass::Gpu)));
        add(match self.effort {
            Effort::Smoke => "--seconds 0.001 --rounds 1",
            Effort::Quick => "--seconds 0.06 --rounds 3",
            Effort::Full => "--seconds 0.5 --rounds 5",
        });
        arguments
    }

    /// The types that are asked for and that the place has.
    fn types_of(&self, family: Family, backend: &Backend) -> Option<String> {
        if family == Family::Limits {
            return None;
        }
        let real = family == Family::Stencil;
        let doubles = backend.device_info.as_ref().is_none_or(|device_info| device_info.fp64);
        let all: &[char] = match (family, self.effort) {
            // A call's cost is not the type's matter.
            (Family::Calls, Effort::Quick) => &['s', 'd'],
            _ => &['s', 'd', 'c', 'z'],
        };
        let asked = if self.types.is_empty() { all } else { self.types };
        let has = |letter: &char| {
            let (single, complex) = (matches!(letter, 's' | 'c'), matches!(letter, 'c' | 'z'));
            (doubles || single) && !(real && complex)
        };
        let letters = asked.iter().filter(|letter| has(letter));
        Some(letters.map(char::to_string).collect::<Vec<_>>().join(","))
    }
}

/// A family's sizes, and its routines where not all are measured.
const fn sizes(family: Family, effort: Effort, gpu: bool) -> &'static str {
    match (effort, family) {
        (Effort::Smoke, Family::Limits) => "--bytes 65536",
        (Effort::Smoke, Family::Gemm) => "--sizes 16",
        (Effort::Smoke, Family::Level1) => "--sizes 64 --routines axpy,dot",
        (Effort::Smoke, Family::Level2) => "--sizes 16 --routines gemv",
        (Effort::Smoke, Family::Level3) => "--sizes 16 --routines trsm",
        (Effort::Smoke, Family::Lapack) => "--sizes 16 --routines getrf",
        (Effort::Smoke, Family::Fft) => "--sizes 16 --points 64",
        (Effort::Smoke, Family::Sparse) => "--poisson2d 12 --routines csrmv,cg",
        (Effort::Smoke, Family::Array) => "--sizes 64 --cases axpy,softmax,complex,small",
        (Effort::Smoke, Family::Stencil) => "--sizes 16 --cases laplacian,five-point",
        (Effort::Smoke, Family::Calls) => "--sizes 4 --routines dot",
        (Effort::Quick, Family::Gemm) if gpu => "--sizes 512..4096*2",
        (Effort::Quick, Family::Gemm) => "--sizes 128..1024*2",
        (Effort::Quick, Family::Level1) => "--sizes 4096..16777216*64 --routines copy,axpy,dot,nrm2",
        (Effort::Quick, Family::Level2) => "--sizes 256..2048*8 --routines gemv,symv,trsv,ger",
        (Effort::Quick, Family::Level3) => "--sizes 256..1024*4 --routines syrk,trmm,trsm",
        (Effort::Quick, Family::Lapack) => "--sizes 256..1024*4 --routines getrf,potrf,geqrf",
        (Effort::Quick, Family::Fft) if gpu => "--sizes 1024,1000,2^16,2^20 --points 2^24",
        (Effort::Quick, Family::Fft) => "--sizes 1024,1000,2^16,2^20 --points 2^20",
        (Effort::Quick, Family::Sparse) => {
            "--poisson2d 200,700 --poisson3d 30,80 --power-law 20000,200000 --routines csrmv,cg"
        }
        (Effort::Quick, Family::Array) if gpu => {
            "--sizes 2^24 --cases axpy,black-scholes,rowsum,transpose,softmax,complex,small"
        }
        (Effort::Quick, Family::Array) => {
            "--sizes 2^20 --cases axpy,black-scholes,rowsum,transpose,softmax,complex,small"
        }
        (Effort::Quick, Family::Stencil) if gpu => "--cases laplacian,wave,hyperthermia,box27 --steps 1,8",
        (Effort::Quick, Family::Stencil) => "--sizes 128 --cases laplacian,wave,hyperthermia --steps 1,8",
        (Effort::Quick, Family::Calls) => "--sizes 1..1024*8",
        (Effort::Full, Family::Gemm) if gpu => "--sizes 256..8192*2 --transpose nn,tn",
        (Effort::Full, Family::Gemm) => "--sizes 64..2048*2 --transpose nn,tn",
        (Effort::Full, Family::Level1) => "--sizes 4096..16777216*16",
        (Effort::Full, Family::Level2) => "--sizes 256..4096*4",
        (Effort::Full, Family::Level3) if gpu => "--sizes 512..4096*2",
        (Effort::Full, Family::Level3) => "--sizes 256..2048*2",
        (Effort::Full, Family::Lapack) if gpu => "--sizes 512..8192*2",
        (Effort::Full, Family::Lapack) => "--sizes 128..2048*2",
        (Effort::Full, Family::Sparse) if gpu => {
            "--poisson2d 300,1000,3000 --poisson3d 50,100,200 --power-law 100000,1000000"
        }
        (Effort::Full, Family::Stencil) => "--steps 1,8",
        (Effort::Full, Family::Calls) => "--sizes 1..4096*4",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath::NvidiaFeatures;

    fn tasks(backends: &[Backend], types: &[char]) -> Vec<Task> {
        let peers =
            ["faer", "openblas=/o.so", "mkl=/m.so", "clblast=/c.so", "fftw", "cublas=/u.so", "numpy", "torch", "numba"];
        let peers: Vec<PeerSpec> = peers.iter().map(|spec| spec.parse().unwrap()).collect();
        let families = Family::value_variants();
        Plan { backends, families, effort: Effort::Quick, types, peers: &peers, finds_peers: false }.tasks()
    }

    fn backend(class: Option<DeviceClass>) -> Backend {
        let device_info = class.map(|class| DeviceInfo {
            platform: "a platform".to_owned(),
            platform_version: String::new(),
            name: "a device".to_owned(),
            vendor: String::new(),
            version: String::new(),
            driver: String::new(),
            class,
            compute_units: 2,
            max_work_group_size: 64,
            local_memory_bytes: 1 << 15,
            global_memory_bytes: 1 << 30,
            max_allocation_bytes: 1 << 28,
            fp64: class == DeviceClass::Cpu,
            fast_fma: true,
            correctly_rounded_divide_sqrt: true,
            zero_copy: false,
            native_kernels: false,
            nvidia: NvidiaFeatures::NONE,
            native_floats: 8,
        });
        Backend { option: "0".to_owned(), device_info }
    }

    fn names(task: &Task) -> Vec<&str> {
        task.peers.iter().map(|peer| peer.name.as_str()).collect()
    }

    fn find(tasks: &[Task], backend: usize, family: Family) -> &Task {
        tasks.iter().find(|task| task.backend == backend && task.family == family).unwrap()
    }

    #[test]
    fn families_are_measured_against_libraries_that_have_them_and_run_there() {
        let backends = [backend(None), backend(Some(DeviceClass::Cpu)), backend(Some(DeviceClass::Gpu))];
        let tasks = tasks(&backends, &[]);
        assert_eq!(tasks.len(), 11 + 10 + 10);
        assert_eq!(names(find(&tasks, 1, Family::Array)), ["numpy", "torch"]);
        assert_eq!(names(find(&tasks, 2, Family::Array)), ["torch"]);
        assert_eq!(names(find(&tasks, 1, Family::Stencil)), ["torch", "numba"]);
        assert_eq!(names(find(&tasks, 2, Family::Stencil)), ["torch"]);
        assert_eq!(names(find(&tasks, 0, Family::Gemm)), ["faer", "openblas", "mkl"]);
        assert_eq!(names(find(&tasks, 1, Family::Gemm)), ["faer", "openblas", "mkl", "clblast"]);
        assert_eq!(names(find(&tasks, 2, Family::Gemm)), ["clblast"]);
        assert_eq!(names(find(&tasks, 0, Family::Fft)), ["mkl", "fftw"]);
        assert_eq!(names(find(&tasks, 0, Family::Sparse)), ["mkl"]);
        assert!(names(find(&tasks, 0, Family::Limits)).is_empty());
    }

    #[test]
    fn arrays_have_no_peers_where_none_are_asked_for() {
        let peers: Vec<PeerSpec> = vec!["openblas=/o.so".parse().unwrap()];
        let alone = |finds_peers| {
            let (backends, families) = ([backend(None)], [Family::Array]);
            let plan = Plan {
                backends: &backends,
                families: &families,
                effort: Effort::Quick,
                types: &[],
                peers: &peers,
                finds_peers,
            };
            plan.tasks()[0].arguments.iter().any(|word| word == "--no-peers")
        };
        assert!(alone(false) && !alone(true));
    }

    #[test]
    fn types_are_those_that_are_asked_for_and_that_the_device_has() {
        let backends = [backend(None), backend(Some(DeviceClass::Gpu))];
        let types = |tasks: &[Task], backend: usize| {
            let words = find(tasks, backend, Family::Level1).arguments.clone();
            words[words.iter().position(|word| word == "--types").unwrap() + 1].clone()
        };
        let all = tasks(&backends, &[]);
        assert_eq!((types(&all, 0), types(&all, 1)), ("s,d,c,z".to_owned(), "s,c".to_owned()));
        assert_eq!(types(&tasks(&backends, &['z', 'c']), 1), "c");
        let words = &find(&all, 0, Family::Stencil).arguments;
        assert!(words.iter().any(|word| word == "s,d"), "stencils have real elements: {words:?}");
    }
}
