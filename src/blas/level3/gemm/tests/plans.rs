//! Plans of a grid of problems on a few devices, compared with those in plans.txt.
//!
//! A row of the file is a device with its limits, a type and a form of the operands. It has a token for each of
//! [`SIZES`]: the family's first letters and a checksum of the plan's `Debug` text. `AFFINIMATH_UPDATE_PLANS=1` writes
//! the file anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::*;
use crate::device::NvidiaFeatures;
use crate::math_mode::MathMode;
use crate::options::{Diag, Symmetry, Triangle};

/// m, n and k: on both sides of the switches between families, and far beyond the largest tile.
const SIZES: [[usize; 3]; 30] = [
    [0, 5, 5],
    [1, 1, 1],
    [5, 9, 3],
    [17, 16, 9],
    [64, 64, 64],
    [128, 128, 20],
    [129, 129, 129],
    [256, 256, 256],
    [512, 512, 512],
    [1000, 1000, 1000],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [2049, 2049, 2049],
    [2080, 2080, 2080],
    [4091, 4091, 4091],
    [4096, 4096, 4096],
    [8192, 8192, 8192],
    [16_384, 16_384, 16_384],
    [20, 20, 100_000],
    [64, 64, 100_000],
    [500, 3, 500],
    [3, 500, 500],
    [8192, 8, 8192],
    [32, 8192, 8192],
    [48, 500, 500],
    [320, 8, 65_536],
    [512, 4096, 512],
    [4096, 128, 4096],
    [1000, 300, 77],
    [1, 100_000, 8],
];

/// Storage of the operands, and the part of C that is computed.
const FORMS: [&str; 8] =
    ["NN", "NN by rows", "TN gap 3", "NT from 1", "triangular A", "symmetric B", "triangle of C", "A apart"];

fn problem(kind: ScalarKind, form: &str, [m, n, k]: [usize; 3]) -> GemmProblem {
    let ([m, n, k], layout) = match form {
        "NN by rows" => ([m, n, k], Layout::RowMajor),
        "triangular A" => ([m, n, m], Layout::ColumnMajor),
        "symmetric B" => ([m, n, n], Layout::ColumnMajor),
        "triangle of C" => ([m, m, k], Layout::ColumnMajor),
        _ => ([m, n, k], Layout::ColumnMajor),
    };
    let (op_a, op_b, gap, offset) = match form {
        "TN gap 3" => (Op::Trans, Op::NoTrans, 3, 0),
        "NT from 1" => (Op::NoTrans, Op::Trans, 0, 1),
        _ => (Op::NoTrans, Op::NoTrans, 0, 0),
    };
    let shape = |op: Op, rows: usize, columns: usize| {
        let (rows, columns) = if op.transposes() { (columns, rows) } else { (rows, columns) };
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        MatrixShape::new(layout, rows, columns, offset, adjacent.max(1) + gap).unwrap()
    };
    let (a, b, c) = (shape(op_a, m, k), shape(op_b, k, n), shape(Op::NoTrans, m, n));
    let mut problem = GemmProblem::new(kind, op_a, op_b, &a, &b, &c).unwrap();
    match form {
        "triangular A" => problem.a.structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::NonUnit),
        "symmetric B" => problem.b.structure = Structure::Mirrored(Trapezoid::of(Triangle::Upper), Symmetry::Symmetric),
        "triangle of C" => problem.target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Symmetric),
        "A apart" => (problem.a.row_stride, problem.a.column_stride) = (2, 2 * m.max(1)),
        _ => {}
    }
    problem
}

/// A device, and what its plans may use.
struct Machine {
    name: &'static str,
    device_info: DeviceInfo,
    limits: Limits,
    /// Small tiles are given as tuned ones.
    is_tuned: bool,
}

impl Machine {
    fn new(name: &'static str, device_info: DeviceInfo, mode: MathMode) -> Self {
        let tensor = TensorUse::allowed(&device_info, mode);
        let limits = Limits { workspace_bytes: 1 << 30, tensor, copies: device_info.nvidia.cp_async, units: None };
        Machine { name, device_info, limits, is_tuned: false }
    }

    fn nvidia(name: &'static str, capability: u32, compute_units: usize, mode: MathMode) -> Self {
        let device_info = DeviceInfo {
            nvidia: NvidiaFeatures::of(capability),
            compute_units,
            ..crate::device::example(DeviceClass::Gpu)
        };
        Self::new(name, device_info, mode)
    }

    fn all() -> Vec<Self> {
        let example = |name, class| Self::new(name, crate::device::example(class), MathMode::Default);
        let [cpu, gpu, hopper] = [
            example("cpu", DeviceClass::Cpu),
            example("gpu", DeviceClass::Gpu),
            Self::nvidia("nvidia 9.0", 90, 132, MathMode::Default),
        ];
        let of_hopper =
            |name, limits| Machine { name, limits, device_info: hopper.device_info.clone(), is_tuned: false };
        let stated = TensorUse { opt_in: false, ..hopper.limits.tensor };
        vec![
            Machine {
                name: "cpu little workspace",
                limits: Limits { workspace_bytes: 1 << 20, ..cpu.limits },
                ..example("", DeviceClass::Cpu)
            },
            cpu,
            Machine {
                name: "gpu small groups",
                device_info: DeviceInfo {
                    max_work_group_size: 64,
                    local_memory_bytes: 16 << 10,
                    ..gpu.device_info.clone()
                },
                ..example("", DeviceClass::Gpu)
            },
            Machine { name: "gpu tuned", is_tuned: true, ..example("", DeviceClass::Gpu) },
            gpu,
            example("accelerator", DeviceClass::Accelerator),
            Self::nvidia("nvidia 7.0", 70, 80, MathMode::Default),
            Self::nvidia("nvidia 8.0", 80, 108, MathMode::Default),
            Self::nvidia("nvidia 9.0 fast", 90, 132, MathMode::Fast),
            Self::nvidia("nvidia 9.0 strict", 90, 132, MathMode::Strict),
            of_hopper("nvidia 9.0 stated", Limits { tensor: stated, ..hopper.limits }),
            of_hopper("nvidia 9.0 without tensor cores", Limits { tensor: TensorUse::NONE, ..hopper.limits }),
            of_hopper("nvidia 9.0 little workspace", Limits { workspace_bytes: 1 << 20, ..hopper.limits }),
            of_hopper("nvidia 9.0 on 40 units", Limits { units: Some(40), ..hopper.limits }),
            Machine { is_tuned: true, ..of_hopper("nvidia 9.0 tuned", hopper.limits) },
            hopper,
        ]
    }

    fn plan(&self, problem: &GemmProblem) -> GemmPlan {
        let kind = problem.kind;
        let own = GemmParameters::for_device(kind, &self.device_info);
        let tile = self.is_tuned.then(|| TiledParameters::small(kind));
        let tensor = self.is_tuned.then(|| TensorParameters::small(kind));
        GemmPlan::choose(problem, &self.device_info, &self.limits, &GemmParameters { tile, tensor, ..own })
    }
}

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn token(plan: &GemmPlan) -> String {
    let text = format!("{plan:?}");
    let family = text.split(['(', ' ']).next().unwrap_or_default();
    format!("{family}:{:06x}", checksum(&text) >> 40)
}

/// The rows of the file, and how to get at a row's plans.
fn rows() -> Vec<(String, impl Fn(usize) -> (GemmProblem, GemmPlan))> {
    let mut rows = Vec::new();
    for machine in Machine::all().into_iter().map(Arc::new) {
        for kind in ScalarKind::ALL {
            for form in FORMS {
                let machine = machine.clone();
                let name = format!("{} | {kind:?} | {form}", machine.name);
                rows.push((name, move |size: usize| {
                    let problem = problem(kind, form, SIZES[size]);
                    (problem, machine.plan(&problem))
                }));
            }
        }
    }
    rows
}

mod host {
    use super::*;

    #[test]
    fn plans_are_those_of_the_file() {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "src/blas/level3/gemm/tests/plans.txt"].iter().collect();
        if std::env::var_os("AFFINIMATH_UPDATE_PLANS").is_some() {
            let mut text = String::new();
            for (name, plan) in rows() {
                let tokens: Vec<String> = (0..SIZES.len()).map(|size| token(&plan(size).1)).collect();
                writeln!(text, "{name} | {}", tokens.join(" ")).unwrap();
            }
            std::fs::write(path, text).unwrap();
            return;
        }
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{path:?}: {error}. AFFINIMATH_UPDATE_PLANS=1 writes it"));
        let (rows, mut lines) = (rows(), text.lines());
        let mut changed = Vec::new();
        for (name, plan) in rows {
            let line = lines.next().unwrap_or_default();
            let tokens = line.strip_prefix(&name).and_then(|rest| rest.strip_prefix(" | "));
            let tokens: Vec<&str> =
                tokens.unwrap_or_else(|| panic!("not the row of {name}: {line}")).split(' ').collect();
            assert_eq!(tokens.len(), SIZES.len(), "{name}");
            for (size, expected) in tokens.into_iter().enumerate() {
                let (problem, plan) = plan(size);
                if token(&plan) != expected {
                    changed.push(format!("{name} {:?}: {expected} became {plan:?} for {problem:?}", SIZES[size]));
                }
            }
        }
        assert_eq!(lines.next(), None, "a row more");
        let few = &changed[..changed.len().min(10)];
        assert!(changed.is_empty(), "{} plans changed, such as\n{}", changed.len(), few.join("\n"));
    }
}
