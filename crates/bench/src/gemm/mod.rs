//! `affinimath bench gemm`: C := op(A) op(B).

mod cblas;
mod clblast;
mod cublas;
mod data;
mod faer;
mod ours;

use std::str::FromStr;
use std::sync::Arc;

use affinimath::{Complex32, Complex64, Op, Scalar, ScalarKind};
use clap::Args;

use super::checks::Check;
use super::contender::Entrant;
use super::error::BenchError;
use super::options::{CommonArguments, TypeLetter};
use super::peers::{Peer, cusolver_has_no_blas};
use super::plot::Rates;
use super::report::{CaseReport, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::{ProductShape, Sizes};
use super::table::Table;
use super::target::Target;
use data::{GemmCase, GemmData};

/// Text after the options of `--help`.
pub const HELP: &str = "Examples:
  affinimath bench gemm --sizes 512..4096*2 --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0 --against faer
  affinimath bench gemm --types s,c --shape 4096x8x4096,8x4096x4096 --transpose nn,tn --device pocl --json run.json";

/// The arguments of `affinimath bench gemm`.
#[derive(Args)]
pub struct GemmArguments {
    /// Element types; by default s,d if the device has fp64, else s.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Square sizes and ranges of them: 256, 512..4096*2, 64..512+64 [default: 256..2048*2, unless --shape is given].
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    sizes: Vec<Sizes>,
    /// Rectangular sizes: m x n, over k.
    #[arg(long, value_delimiter = ',', value_name = "MxNxK")]
    shape: Vec<ProductShape>,
    /// Ops of A and B: n for none, t for the transpose, c for the conjugate transpose.
    #[arg(long, value_delimiter = ',', value_name = "nn,nt,tn,tt", default_value = "nn")]
    transpose: Vec<Transposes>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &GemmArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    let peers = common.against.iter().map(|spec| Peer::load(spec, &target)).collect::<Result<Vec<_>, _>>()?;
    let cases = cases(arguments, &target);
    require(&peers, &cases)?;
    let report = Report::new("gemm", "GFLOP/s", &target, peers.iter().map(Peer::info).collect());
    let table = Table::new(&report, ("op", 2), &largest(&cases), common.first_call);
    let cases = cases.into_iter().map(|case| (case.report(), case)).collect();
    session::run(report, &table, (common, audience), Rates::Linear, cases, |case, schedule, turn| match case.kind {
        ScalarKind::S => measure::<f32>(case, &target, &peers, schedule, turn),
        ScalarKind::D => measure::<f64>(case, &target, &peers, schedule, turn),
        ScalarKind::C => measure::<Complex32>(case, &target, &peers, schedule, turn),
        ScalarKind::Z => measure::<Complex64>(case, &target, &peers, schedule, turn),
    })
}

/// Finds out before the first measurement that a peer is not the library it was taken for.
fn require(peers: &[Peer], cases: &[GemmCase]) -> Result<(), BenchError> {
    for case in cases {
        for peer in peers {
            match peer {
                Peer::Faer => {}
                Peer::Cblas(library) => cblas::require(library, case.kind)?,
                Peer::ClBlast(library) => clblast::require(library, case.kind)?,
                Peer::CuBlas(library) => cublas::require(library, case.kind)?,
                Peer::CuSolver(_) => return Err(cusolver_has_no_blas()),
            }
        }
    }
    Ok(())
}

fn measure<T: Scalar>(
    case: &GemmCase,
    target: &Target,
    peers: &[Peer],
    schedule: &Schedule,
    turn: &mut dyn FnMut(usize),
) -> Measured {
    let data = Arc::new(GemmData::<T>::random(case, peers.len() + 1)?);
    let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(&data, target)];
    for peer in peers {
        entrants.push(match peer {
            Peer::Faer => faer::entrant(&data),
            Peer::Cblas(library) => cblas::entrant(&data, library),
            Peer::ClBlast(library) => clblast::entrant(&data, library),
            Peer::CuBlas(library) => cublas::entrant(&data, library),
            Peer::CuSolver(_) => Err(cusolver_has_no_blas()),
        });
    }
    Ok(race(entrants, schedule, turn))
}

/// Calls gemm once for each pair of transposes, with sizes for a device's large and for its narrow products.
pub fn checks(kind: ScalarKind, target: &Target) -> Vec<Check> {
    let mut checks = Vec::new();
    for [m, n, k] in [[201, 203, 205], [2001, 3, 205], [5, 7, 3001]] {
        for op_a in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
            for op_b in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
                let case = GemmCase { kind, op_a, op_b, m, n, k };
                checks.push(match kind {
                    ScalarKind::S => check::<f32>(&case, target),
                    ScalarKind::D => check::<f64>(&case, target),
                    ScalarKind::C => check::<Complex32>(&case, target),
                    ScalarKind::Z => check::<Complex64>(&case, target),
                });
            }
        }
    }
    checks
}

fn check<T: Scalar>(case: &GemmCase, target: &Target) -> Check {
    let entrant = GemmData::<T>::random(case, 1).and_then(|data| ours::entrant(&Arc::new(data), target));
    Check::once(case.report().describe(), entrant)
}

fn cases(arguments: &GemmArguments, target: &Target) -> Vec<GemmCase> {
    let mut shapes: Vec<ProductShape> =
        arguments.sizes.iter().flat_map(|sizes| sizes.0.iter().copied().map(ProductShape::square)).collect();
    shapes.extend(&arguments.shape);
    if shapes.is_empty() {
        shapes = [256, 512, 1024, 2048].map(ProductShape::square).to_vec();
    }
    let mut cases = Vec::new();
    for kind in TypeLetter::kinds(&arguments.types, target) {
        for transposes in &arguments.transpose {
            let case = |shape: &ProductShape| GemmCase {
                kind,
                op_a: transposes.a,
                op_b: transposes.b,
                m: shape.m,
                n: shape.n,
                k: shape.k,
            };
            cases.extend(shapes.iter().map(case));
        }
    }
    cases
}

fn largest(cases: &[GemmCase]) -> [(&'static str, usize); 3] {
    let largest = |size: fn(&GemmCase) -> usize| cases.iter().map(size).max().unwrap_or(0);
    [("m", largest(|case| case.m)), ("n", largest(|case| case.n)), ("k", largest(|case| case.k))]
}

impl GemmCase {
    fn report(&self) -> CaseReport {
        let letter = |op: Op| match op {
            Op::NoTrans => 'n',
            Op::Trans => 't',
            Op::ConjTrans => 'c',
            Op::ConjNoTrans => 'r',
        };
        CaseReport {
            kind: self.kind,
            routine: "gemm".to_owned(),
            variant: [letter(self.op_a), letter(self.op_b)].iter().collect(),
            sizes: vec![("m".into(), self.m), ("n".into(), self.n), ("k".into(), self.k)],
            batch: None,
            size: (self.m as f64 * self.n as f64 * self.k as f64).cbrt(),
            work: self.operations(),
            traffic: None,
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }
}

/// Ops of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Transposes {
    a: Op,
    b: Op,
}

impl FromStr for Transposes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let op = |letter: char| match letter.to_ascii_lowercase() {
            'n' => Some(Op::NoTrans),
            't' => Some(Op::Trans),
            'c' => Some(Op::ConjTrans),
            _ => None,
        };
        let ops: Option<Vec<Op>> = text.chars().map(op).collect();
        match ops.as_deref() {
            Some([a, b]) => Ok(Transposes { a: *a, b: *b }),
            _ => Err("two letters, for A and for B, each n, t or c: nn, nt, tn, tt".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposes_are_letters() {
        assert_eq!("tc".parse(), Ok(Transposes { a: Op::Trans, b: Op::ConjTrans }));
        assert!("n".parse::<Transposes>().is_err() && "nx".parse::<Transposes>().is_err());
    }
}
