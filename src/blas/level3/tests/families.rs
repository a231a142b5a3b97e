//! Products with structures and targets on every kernel family, forced on every device.

use std::sync::Arc;

use super::matrix::{Matrix, Part, Random, canary, compare, nan};
use crate::blas::level3::gemm::{
    Arithmetic, ExpandedPlan, F32Mma, GemmCall, GemmPlan, GemmProblem, Limits, Operand, PackedParameters, PackedPlan,
    PortablePlan, Structure, Target, TensorParameters, TensorPlan, TensorUse, TiledParameters, TiledPlan, Trapezoid,
    execute,
};
use crate::context::{DeviceContext, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::options::{Layout, Op, Symmetry, Triangle};
use crate::scalar::{Complex32, Complex64, Scalar, ScalarKind};
use crate::testing::{covers, devices};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// One product to check.
#[derive(Clone, Copy, Debug)]
struct Case {
    size: [usize; 3],
    ops: [Op; 2],
    parts: [Part; 2],
    target: Option<(Triangle, Symmetry)>,
    layouts: [Layout; 3],
    gap: usize,
    /// beta is zero, and C must not be read.
    replace: bool,
    kind: ScalarKind,
}

const fn structure(part: Part) -> Structure {
    match part {
        Part::Whole => Structure::General,
        Part::Mirrored(triangle, symmetry) => Structure::Mirrored(Trapezoid::of(triangle), symmetry),
        Part::Triangular(triangle, diagonal) => Structure::Triangular(Trapezoid::of(triangle), diagonal),
    }
}

impl Case {
    fn part_of_c(&self) -> Part {
        self.target.map_or(Part::Whole, |(triangle, symmetry)| Part::Mirrored(triangle, symmetry))
    }

    /// The sizes of A and B as they are stored.
    fn operand_sizes(&self) -> [[usize; 2]; 2] {
        let [m, n, k] = self.size;
        let stored = |op: Op, rows, columns| if op.transposes() { [columns, rows] } else { [rows, columns] };
        [stored(self.ops[0], m, k), stored(self.ops[1], k, n)]
    }

    fn problem(&self) -> GemmProblem {
        let [a_size, b_size] = self.operand_sizes();
        let shape = |layout, size| Matrix::<f32>::shape(layout, size, self.gap);
        let target = self
            .target
            .map_or(Target::Whole, |(triangle, symmetry)| Target::Triangle(Trapezoid::of(triangle), symmetry));
        GemmProblem::structured(
            self.kind,
            (self.ops[0], &shape(self.layouts[0], a_size), structure(self.parts[0])),
            (self.ops[1], &shape(self.layouts[1], b_size), structure(self.parts[1])),
            (&shape(self.layouts[2], [self.size[0], self.size[1]]), target),
        )
        .unwrap()
    }
}

fn check<T: Scalar>(context: &Arc<DeviceContext>, case: &Case, choose: &dyn Fn(&GemmProblem) -> GemmPlan) {
    let [m, n, k] = case.size;
    let mut random = Random((m * 31 + n * 17 + k) as u64);
    let [a_size, b_size] = case.operand_sizes();
    let a = Matrix::<T>::new(&mut random, case.layouts[0], a_size, case.gap, case.parts[0], nan());
    let b = Matrix::<T>::new(&mut random, case.layouts[1], b_size, case.gap, case.parts[1], nan());
    let mut c = Matrix::<T>::new(&mut random, case.layouts[2], [m, n], case.gap, case.part_of_c(), canary());
    // A Hermitian target has a real beta.
    let (alpha, beta) = (T::from_parts(-0.75, 0.5), if case.replace { T::ZERO } else { T::from_parts(1.5, 0.0) });
    if case.replace {
        c.spoil();
    }
    let before = c.clone();
    let queue = Queue::new(context).unwrap();
    let (a_buffer, b_buffer, c_buffer) = (a.upload(context), b.upload(context), c.upload(context));
    let problem = case.problem();
    let plan = choose(&problem);
    let call = GemmCall { queue: &queue, alpha, a: &a_buffer, b: &b_buffer, beta, c: &c_buffer };
    execute(&call, &problem, &plan).unwrap().wait().unwrap();
    c.download(&c_buffer);
    let product = (alpha, a.dense(case.ops[0]), b.dense(case.ops[1]));
    compare(&[product], beta, &before, &c, &|| format!("{case:?} {plan:?}"));
}

/// Every structure on both sides with every operation, and every target with every pair of operations; each with other
/// layouts, gaps and betas. `orders` are those of the square matrix, and the other extent.
fn cases(orders: &[[usize; 2]]) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut mix = 0;
    let mut add = |size, ops, parts, target| {
        for kind in ScalarKind::ALL {
            mix += 1;
            cases.push(Case {
                size,
                ops,
                parts,
                target,
                layouts: [LAYOUTS[mix / 4 % 2], LAYOUTS[mix / 8 % 2], LAYOUTS[(mix / 5) % 2]],
                gap: [0, 3][mix / 3 % 2],
                replace: mix % 7 < 3,
                kind,
            });
        }
    };
    for &[order, other] in orders {
        for part in Part::structured() {
            for &op in Op::ALL {
                add([order, other, order], [op, Op::NoTrans], [part, Part::Whole], None);
                add([other, order, order], [Op::Trans, op], [Part::Whole, part], None);
            }
        }
        for &triangle in Triangle::ALL {
            for symmetry in [Symmetry::Symmetric, Symmetry::Hermitian] {
                for op in [
                    [Op::NoTrans, Op::Trans],
                    [Op::NoTrans, Op::ConjTrans],
                    [Op::ConjTrans, Op::NoTrans],
                    [Op::ConjNoTrans; 2],
                ] {
                    add([order, order, other], op, [Part::Whole; 2], Some((triangle, symmetry)));
                }
                // A triangle, and the rectangle below or right of it.
                let size = match triangle {
                    Triangle::Lower => [order + other, order, 7],
                    Triangle::Upper => [order, order + other, 7],
                };
                add(size, [Op::NoTrans, Op::ConjTrans], [Part::Whole; 2], Some((triangle, symmetry)));
            }
        }
    }
    cases
}

fn contexts() -> Vec<Arc<DeviceContext>> {
    devices().iter().map(|device| DeviceContext::for_device(device).unwrap()).collect()
}

fn of_class(device_info: &DeviceInfo, class: DeviceClass) -> DeviceInfo {
    DeviceInfo { class, ..device_info.clone() }
}

/// Simulated devices, and compilers of devices on the host's processor, are slow: they run a sample of all
/// combinations.
fn stride(context: &DeviceContext) -> usize {
    match context.device().info().platform.as_str() {
        "Oclgrind" => 37,
        "rusticl" => 11,
        "Portable Computing Language" => 3,
        _ => 1,
    }
}

fn check_kind(context: &Arc<DeviceContext>, case: &Case, plan: &dyn Fn(&GemmProblem) -> GemmPlan) {
    match case.kind {
        ScalarKind::S => check::<f32>(context, case, plan),
        ScalarKind::D => check::<f64>(context, case, plan),
        ScalarKind::C => check::<Complex32>(context, case, plan),
        ScalarKind::Z => check::<Complex64>(context, case, plan),
    }
}

/// Checks the cases for which there is a plan.
fn check_all(cases: &[Case], choose: impl Fn(&GemmProblem, &DeviceInfo, &Limits) -> Option<GemmPlan>) {
    for context in contexts() {
        let (device_info, limits) = (context.device().info(), Limits::of(&context));
        let plan = |problem: &GemmProblem| choose(problem, device_info, &limits);
        let is_planned = |case: &&Case| device_info.supports(case.kind) && plan(&case.problem()).is_some();
        let planned: Vec<&Case> = cases.iter().filter(is_planned).collect();
        let kinds: Vec<ScalarKind> = planned.iter().map(|case| case.kind).collect();
        let covered = planned.into_iter().filter(|case| covers(case.kind, &kinds));
        let mut checked = 0;
        for case in covered.step_by(stride(&context)) {
            let plan = |problem: &GemmProblem| plan(problem).expect("a plan");
            check_kind(&context, case, &plan);
            checked += 1;
        }
        assert!(checked > 0, "no case has a plan");
    }
}

/// The order of the square matrix and the other extent: around each family's tiles and vectors.
const SMALL: [[usize; 2]; 4] = [[1, 1], [5, 9], [34, 17], [70, 50]];
/// Several tiles and blocks of k.
const LARGE: [[usize; 2]; 3] = [[130, 20], [257, 33], [300, 64]];

fn packed(problem: &GemmProblem, device_info: &DeviceInfo, limits: &Limits) -> PackedPlan {
    let device_info = of_class(device_info, DeviceClass::Cpu);
    PackedPlan::choose(problem, &device_info, limits, PackedParameters::for_device(problem.kind, &device_info))
}

/// True for one type per structure and pair of layouts: programs for tiles take long to build.
fn is_sampled(problem: &GemmProblem) -> bool {
    let along = |operand: &Operand| usize::from(operand.stored_below().row_stride == 1);
    let lies = along(&problem.a) + 2 * along(&problem.b.transposed());
    let code = problem.a.structure.code() + problem.b.structure.code() + problem.target.code();
    (problem.kind as usize + code as usize) % 4 == lies
}

/// Tiles so small that small problems have many of them, in several bands.
pub(super) fn tiny_tiles(split_k: usize, problem: &GemmProblem) -> GemmPlan {
    let parameters = TiledParameters {
        arithmetic: Arithmetic::Fma,
        tile: [16, 16],
        tile_k: 4,
        threads: [4, 4],
        swizzle: 2,
        stages: 2,
    };
    GemmPlan::Tiled(TiledPlan::with_parameters(problem, parameters, split_k))
}

mod device {
    use super::*;

    #[test]
    fn packed_structures() {
        let cases: Vec<Case> = cases(&LARGE).into_iter().step_by(5).collect();
        check_all(&cases, |problem, device_info, limits| Some(GemmPlan::Packed(packed(problem, device_info, limits))));
    }

    /// Workspace so short that B is packed in slabs, along the columns and along k.
    #[test]
    fn packed_structures_in_slabs() {
        let cases: Vec<Case> = cases(&[[1100, 40]]).into_iter().step_by(29).collect();
        check_all(&cases, |problem, device_info, _| {
            let plan = packed(
                problem,
                device_info,
                &Limits { workspace_bytes: 1 << 15, tensor: TensorUse::NONE, copies: false, units: None },
            );
            assert_ne!(plan.slab, [problem.n, problem.k]);
            Some(GemmPlan::Packed(plan))
        });
    }

    #[test]
    fn tiled_structures() {
        check_all(&cases(&LARGE), |problem, _, _| is_sampled(problem).then(|| tiny_tiles(1, problem)));
    }

    /// The tiles that a GPU gets, small ones and large ones.
    #[test]
    fn tiles_of_each_size() {
        let cases: Vec<Case> = cases(&[[300, 70]]).into_iter().step_by(3).collect();
        for sizes in [TiledParameters::small, TiledParameters::large] {
            check_all(&cases, |problem, device_info, _| {
                let parameters = sizes(problem.kind).for_target(problem);
                let case_index = problem.a.structure.code() + 2 * problem.target.code() == problem.kind as i64 + 1;
                let chosen = case_index && is_sampled(problem) && parameters.fits(problem.kind, device_info);
                chosen.then(|| GemmPlan::Tiled(TiledPlan::with_parameters(problem, parameters, 1)))
            });
        }
    }

    #[test]
    fn packed_structures_with_split_k() {
        let cases: Vec<Case> = cases(&[[70, 300], [300, 20]]).into_iter().step_by(3).collect();
        check_all(&cases, |problem, device_info, limits| {
            let plan = packed(problem, device_info, limits);
            let split_k = problem.k.div_ceil(plan.parameters.k_block);
            Some(GemmPlan::Packed(PackedPlan { split_k, ..plan }))
        });
    }
}

mod device_small {
    use super::*;

    #[test]
    fn portable_structures() {
        check_all(&cases(&SMALL), |_, device_info, _| Some(GemmPlan::Portable(PortablePlan::choose(device_info))));
    }

    #[test]
    fn packed_structures() {
        check_all(&cases(&SMALL), |problem, device_info, limits| {
            Some(GemmPlan::Packed(packed(problem, device_info, limits)))
        });
    }

    #[test]
    fn tiled_structures() {
        check_all(&cases(&SMALL), |problem, _, _| is_sampled(problem).then(|| tiny_tiles(1, problem)));
    }

    /// Split-K.
    #[test]
    fn structures_with_split_k() {
        let cases: Vec<Case> = cases(&[[20, 70], [45, 20]]).into_iter().step_by(3).collect();
        check_all(&cases, |problem, _, _| is_sampled(problem).then(|| tiny_tiles(3, problem)));
    }

    #[test]
    fn tensor_cores_meet_structures() {
        for context in contexts().iter().filter(|context| Limits::of(context).tensor.doubles) {
            for case in cases(&[[130, 33], [300, 140]]).iter().filter(|case| case.kind == ScalarKind::D) {
                check::<f64>(context, case, &|problem| {
                    GemmPlan::Tiled(TiledPlan::with_parameters(
                        problem,
                        TiledParameters::TENSOR_F64,
                        1 + problem.k / 200,
                    ))
                });
            }
        }
    }

    /// A triangle of C by the tensor family, from operands that are all stored: with its instructions, or on the
    /// simulator.
    #[test]
    fn tensor_triangles() {
        let cases = cases(&[[70, 20]]);
        let general = |case: &&Case| case.parts == [Part::Whole, Part::Whole];
        for context in contexts() {
            let device_info = context.device().info();
            if TensorUse::of_device(device_info) == TensorUse::NONE && device_info.platform != "Oclgrind" {
                continue;
            }
            // Types take turns: an odd step meets all of them.
            let step = if device_info.platform == "Oclgrind" { 13 } else { 5 };
            let is_covered = |case: &&Case| device_info.supports(case.kind) && covers(case.kind, &ScalarKind::ALL);
            for case in cases.iter().filter(general).filter(is_covered).step_by(step) {
                let plan = |problem: &GemmProblem| {
                    let small = TensorParameters { stages: 2, ..TensorParameters::small(problem.kind) };
                    // Slices that fit into 32 KiB with the emulated instructions.
                    let parameters = match problem.kind {
                        ScalarKind::Z => TensorParameters { tile: [32, 32], tile_k: 8, ..small },
                        kind => TensorParameters { tile_k: 64 / kind.bytes(), ..small },
                    };
                    let plan = TensorPlan::with_parameters(problem, parameters, 1 + problem.k / 16, F32Mma::Tf32x3);
                    // The first of the triangle's tiles is computed whole.
                    GemmPlan::Tensor(TensorPlan { whole_tiles: plan.whole_tiles.max(1), ..plan })
                };
                check_kind(&context, case, &plan);
            }
        }
    }

    /// A structured operand expanded for the tensor family, whole and in slabs, with tiles so small that triangles
    /// limit the k range of several.
    #[test]
    fn expanded_structures() {
        let cases = cases(&[[70, 40], [97, 35]]);
        let is_structured = |case: &&Case| case.target.is_none();
        for context in contexts() {
            let device_info = context.device().info();
            let step = match device_info.platform.as_str() {
                "Oclgrind" => 61,
                "Portable Computing Language" => 37,
                _ if TensorUse::of_device(device_info) != TensorUse::NONE => 1,
                _ => continue,
            };
            let is_covered = |case: &&Case| device_info.supports(case.kind) && covers(case.kind, &ScalarKind::ALL);
            let sampled_cases = cases.iter().filter(is_structured).filter(is_covered);
            for (case_index, case) in sampled_cases.step_by(step).enumerate() {
                let plan = |problem: &GemmProblem| {
                    let small = TensorParameters { stages: 2, ..TensorParameters::small(problem.kind) };
                    let parameters =
                        TensorParameters { tile: [32, 32], tile_k: 64 / problem.kind.bytes(), swizzle: 2, ..small };
                    let parameters = if problem.kind == ScalarKind::Z {
                        TensorParameters { tile_k: 8, ..parameters }
                    } else {
                        parameters
                    };
                    let slab = if case_index % 3 == 2 { 64 } else { usize::MAX };
                    let plan = ExpandedPlan::with_parameters(problem, slab, parameters, F32Mma::Tf32x3);
                    let pads = [case_index % 4 == 1, case_index % 5 == 1];
                    GemmPlan::Expanded(ExpandedPlan { tensor: TensorPlan { pads, ..plan.tensor }, ..plan })
                };
                check_kind(&context, case, &plan);
            }
        }
    }
}
