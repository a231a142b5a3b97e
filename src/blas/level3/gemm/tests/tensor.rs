//! The tensor family, on tensor cores and emulated.

use super::super::tensor::Guard;
use super::*;
use crate::testing::{assert_close, is_close, sum_tolerance};

/// Sizes on both sides of the tensor family's tiles and slices, with one split-K part and with several.
const TENSOR: [[usize; 3]; 4] = [[5, 9, 3], [33, 66, 19], [34, 20, 70], [34, 66, 61]];

/// A plan with about `split_k` parts for the second half of the tiles, or for a single tile.
fn in_parts(problem: &GemmProblem, parameters: TensorParameters, split_k: usize, f32_mma: F32Mma) -> TensorPlan {
    let plan = TensorPlan::with_parameters(problem, parameters, split_k, f32_mma);
    let tiles = problem.m.div_ceil(parameters.tile[0]) * problem.n.div_ceil(parameters.tile[1]);
    if plan.split_k > 1 { TensorPlan { whole_tiles: tiles / 2, ..plan } } else { plan }
}

fn by_tile(problem: &GemmProblem, parameters: TensorParameters, f32_mma: F32Mma) -> GemmPlan {
    GemmPlan::Tensor(in_parts(problem, parameters, problem.k / 30, f32_mma))
}

/// Tiles that fit into 32 KiB of local memory with the emulated instructions: three slices of four chunks, or two of
/// eight. Complex doubles have none of four.
const fn small_tile(kind: ScalarKind, is_deep: bool) -> TensorParameters {
    let small = TensorParameters { tile_k: 64 / kind.bytes(), stages: 3, ..TensorParameters::small(kind) };
    match (kind, is_deep) {
        (ScalarKind::Z, false) => TensorParameters { tile: [32, 32], tile_k: 8, ..small },
        (_, false) => small,
        (_, true) => TensorParameters { tile: [32, 64], tile_k: 128 / kind.bytes(), stages: 2, ..small },
    }
}

/// A tile for launches around the product. The simulator counts the local memory of both kernels of the program.
const fn around_tile(kind: ScalarKind) -> TensorParameters {
    TensorParameters { tile: [32, 32], warp: [32, 32], ..small_tile(kind, false) }
}

fn guarded_around(problem: &GemmProblem, split_k: usize) -> GemmPlan {
    let plan = in_parts(problem, around_tile(problem.kind), split_k, F32Mma::Tf32x3);
    GemmPlan::Tensor(TensorPlan { guard: Guard::Separate, ..plan })
}

/// Operands that are copied to whole tiles first, with and without a look at them.
fn padded(problem: &GemmProblem, pads: [bool; 2]) -> GemmPlan {
    let guard = if problem.kind.is_double() { Guard::None } else { Guard::Separate };
    let plan = in_parts(problem, around_tile(problem.kind), problem.k / 30, F32Mma::Tf32x3);
    GemmPlan::Tensor(TensorPlan { guard, pads, ..plan })
}

/// Devices with tensor cores, and the simulator, on which the instructions are emulated; on others it would only take
/// time.
fn is_tensor_context(device_info: &DeviceInfo) -> bool {
    TensorUse::of_device(device_info) != TensorUse::NONE || device_info.platform == "Oclgrind"
}

pub(super) fn tensor_contexts() -> Vec<Arc<DeviceContext>> {
    contexts().into_iter().filter(|context| is_tensor_context(context.device().info())).collect()
}

/// The same by two work-groups, each of which computes one tile, or part of one, after the other.
fn looped(plan: GemmPlan) -> GemmPlan {
    match plan {
        GemmPlan::Tensor(plan) => GemmPlan::Tensor(TensorPlan { groups: Some(2), ..plan }),
        plan => plan,
    }
}

/// Last rows and columns as strips, with some of the tiles in split-K.
fn in_strips(problem: &GemmProblem, parameters: TensorParameters, f32_mma: F32Mma) -> TensorPlan {
    let strips = parameters.strips(problem).unwrap_or([0; 2]);
    let inner = GemmProblem { m: problem.m - strips[0], n: problem.n - strips[1], ..*problem };
    TensorPlan { strips, ..in_parts(&inner, parameters, problem.k / 30, f32_mma) }
}

/// One and several rows and columns beyond whole tiles, beyond tiles with edges, and on one side alone.
const STRIPS: [[usize; 3]; 4] = [[33, 65, 19], [68, 80, 35], [35, 50, 70], [64, 33, 61]];

/// A group's tile, as narrow as the emulated instructions allow.
const fn narrowest_warp_group(kind: ScalarKind) -> TensorParameters {
    TensorParameters { tile: [128, 32], warp: [32, 32], stages: 3, ..TensorParameters::warp_group(kind) }
}

/// The local memory of the two kernels with [`narrowest_warp_group`].
const GROUP_TILE_LOCAL_BYTES: u64 = 80 << 10;

/// Devices for warp groups: those that have them, CPUs, and a simulator with enough local memory, which emulate them.
fn has_groups(device_info: &DeviceInfo) -> bool {
    let emulates = device_info.platform == "Oclgrind" || device_info.class == DeviceClass::Cpu;
    TensorUse::of_device(device_info).opt_in || (emulates && device_info.local_memory_bytes >= GROUP_TILE_LOCAL_BYTES)
}

/// A tile for a device with [`has_groups`].
fn group_tile(kind: ScalarKind, device_info: &DeviceInfo) -> TensorParameters {
    if device_info.nvidia.inline_ptx { TensorParameters::warp_group(kind) } else { narrowest_warp_group(kind) }
}

/// Checks products with some values too small or too large for the TF32 split, or none.
pub(super) fn check_guard(
    context: &Arc<DeviceContext>,
    [m, n, k]: [usize; 3],
    choose: impl Fn(&GemmProblem) -> GemmPlan,
) {
    // Factors of one element of A and of one of B.
    let cases = [
        (2.0_f32.powi(-120), 2.0_f32.powi(110)),
        (2.0_f32.powi(127), 2.0_f32.powi(-30)),
        (f32::INFINITY, 1.0),
        (f32::NAN, 1.0),
    ];
    let queue = Queue::new(context).unwrap();
    for (scale_a, scale_b) in cases {
        let mut random = Random(3);
        let mut a = Host::<f32>::random(&mut random, Layout::ColumnMajor, m, k, 0);
        let mut b = Host::<f32>::random(&mut random, Layout::ColumnMajor, k, n, 0);
        let mut c = Host::<f32>::random(&mut random, Layout::ColumnMajor, m, n, 0);
        let index = a.index(m / 6, 5);
        a.data[index] = 1.9999 * scale_a;
        b.data.iter_mut().for_each(|x| *x *= scale_b);
        let (a_buffer, b_buffer, c_buffer) = (a.upload(context), b.upload(context), c.upload(context));
        let problem = GemmProblem::new(f32::KIND, Op::NoTrans, Op::NoTrans, &a.shape, &b.shape, &c.shape).unwrap();
        let call = GemmCall { queue: &queue, alpha: 1.0_f32, a: &a_buffer, b: &b_buffer, beta: 0.0, c: &c_buffer };
        let plan = choose(&problem);
        execute(&call, &problem, &plan).unwrap().wait().unwrap();
        c.download(&c_buffer);
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            let terms = || (0..k).map(|p| (f64::from(a.data[a.index(i, p)]), f64::from(b.data[b.index(p, j)])));
            let expected: f64 = terms().map(|(x, y)| x * y).sum();
            let magnitude: f64 = terms().map(|(x, y)| (x * y).abs()).sum();
            let got = f64::from(c.data[c.index(i, j)]);
            let limit = sum_tolerance::<f32>(k + 2, magnitude);
            let right = if expected.is_nan() {
                got.is_nan()
            } else if expected.abs() > f64::from(f32::MAX) {
                got == expected.signum() * f64::INFINITY
            } else {
                is_close(got, expected, limit)
            };
            assert!(right, "({i}, {j}) is {got:e}, not {expected:e}: {scale_a:e} {scale_b:e} {plan:?}");
        }
    }
}

/// Checks a product of rounded values.
pub(super) fn check_rounding(
    context: &Arc<DeviceContext>,
    [m, n, k]: [usize; 3],
    choose: impl Fn(&GemmProblem) -> GemmPlan,
) {
    let queue = Queue::new(context).unwrap();
    let mut random = Random(4);
    let a = Host::<f32>::random(&mut random, Layout::ColumnMajor, m, k, 0);
    let b = Host::<f32>::random(&mut random, Layout::RowMajor, k, n, 0);
    let mut c = Host::<f32>::random(&mut random, Layout::ColumnMajor, m, n, 0);
    let (a_buffer, b_buffer, c_buffer) = (a.upload(context), b.upload(context), c.upload(context));
    let problem = GemmProblem::new(f32::KIND, Op::NoTrans, Op::NoTrans, &a.shape, &b.shape, &c.shape).unwrap();
    let call = GemmCall { queue: &queue, alpha: 1.0_f32, a: &a_buffer, b: &b_buffer, beta: 0.0, c: &c_buffer };
    execute(&call, &problem, &choose(&problem)).unwrap().wait().unwrap();
    c.download(&c_buffer);
    let rounded = |x: f32| f64::from(f32::from_bits((x.to_bits() + 0x1000) & 0xffff_e000));
    for j in 0..n {
        for i in 0..m {
            let terms = || (0..k).map(|p| (rounded(a.data[a.index(i, p)]), rounded(b.data[b.index(p, j)])));
            let expected: f64 = terms().map(|(x, y)| x * y).sum();
            let magnitude: f64 = terms().map(|(x, y)| (x * y).abs()).sum();
            let found = f64::from(c.data[c.index(i, j)]);
            assert_close!(found, expected, sum_tolerance::<f32>(k + 2, magnitude), "({i}, {j})");
        }
    }
}

mod device {
    use super::*;

    /// The library's own tiles on devices that have the instructions.
    #[test]
    fn the_librarys_own_tiles() {
        for context in contexts().iter().filter(|context| TensorUse::of(context) != TensorUse::NONE) {
            for case in cases(&[[5, 9, 3], [130, 131, 33], [128, 64, 40], [260, 260, 700]]) {
                for tile in [TensorParameters::large, TensorParameters::warp_group, TensorParameters::narrow_warp_group]
                {
                    check_types(context, &case, |problem| {
                        let (large, tile) = (TensorParameters::large(problem.kind), tile(problem.kind));
                        let can = tile.can(problem.kind) && tile.fits(problem.kind, context.device().info());
                        by_tile(problem, if can { tile } else { large }, F32Mma::Tf32x3)
                    });
                }
            }
        }
    }
}

mod device_small {
    use super::*;

    /// Both guards in turn, and operands that are padded first, one or both. A simulator runs one real and one complex
    /// type of each case.
    #[test]
    fn tiles() {
        for context in tensor_contexts() {
            let is_simulated = context.device().info().platform == "Oclgrind";
            for (case_index, case) in cases(&TENSOR).iter().step_by(3 * stride(&context)).enumerate() {
                check_types(&context, case, |problem| {
                    if case_index % 3 == 0 && !problem.kind.is_double() {
                        guarded_around(problem, problem.k / 30)
                    } else {
                        by_tile(problem, small_tile(problem.kind, case_index % 2 == 0), F32Mma::Tf32x3)
                    }
                });
                let plan = |problem: &GemmProblem| padded(problem, [case_index % 3 != 0, case_index % 3 != 1]);
                if !is_simulated {
                    check_types(&context, case, plan);
                } else if case_index % 2 == 0 {
                    check::<f32>(&context, case, plan);
                    check::<Complex64>(&context, case, plan);
                } else {
                    check::<f64>(&context, case, plan);
                    check::<Complex32>(&context, case, plan);
                }
            }
        }
    }

    #[test]
    fn tiles_one_after_the_other() {
        for context in tensor_contexts() {
            for (index, case) in cases(&[[66, 70, 33], [34, 66, 61]]).iter().enumerate().step_by(3 * stride(&context)) {
                check_types(&context, case, |problem| {
                    let is_around = index % 2 == 0 && !problem.kind.is_double();
                    looped(if is_around {
                        guarded_around(problem, problem.k / 30)
                    } else {
                        by_tile(problem, small_tile(problem.kind, false), F32Mma::Tf32x3)
                    })
                });
            }
        }
    }

    #[test]
    fn strips() {
        for context in tensor_contexts() {
            for (index, case) in cases(&STRIPS).iter().enumerate().step_by(3 * stride(&context)) {
                check_types(&context, case, |problem| {
                    let plan = in_strips(problem, around_tile(problem.kind), F32Mma::Tf32x3);
                    assert_ne!(plan.strips, [0; 2]);
                    let guard = if index % 2 == 0 && !problem.kind.is_double() { Guard::Separate } else { plan.guard };
                    let pads = [index % 3 == 1, index % 4 == 1];
                    GemmPlan::Tensor(TensorPlan { guard, pads, ..plan })
                });
                // More work-items than lines.
                check_types(&context, case, |problem| {
                    let small = small_tile(problem.kind, false);
                    let tile = TensorParameters { tile: [32, 32], warp: [16, 16], ..small };
                    let tile =
                        if problem.kind == ScalarKind::S { TensorParameters { warp: [32, 32], ..tile } } else { tile };
                    GemmPlan::Tensor(in_strips(problem, tile, F32Mma::Tf32x3))
                });
            }
        }
    }

    #[test]
    fn groups() {
        for context in contexts().iter().filter(|context| has_groups(context.device().info())) {
            let plan = |problem: &GemmProblem| {
                by_tile(problem, group_tile(problem.kind, context.device().info()), F32Mma::Tf32x3)
            };
            // Emulated, on two kinds of devices, they take long.
            let emulates = TensorUse::of_device(context.device().info()) == TensorUse::NONE;
            let step = if emulates { stride(context).max(5) } else { 1 };
            for case in cases(&[[5, 9, 3], [130, 34, 67], [128, 32, 128]]).iter().step_by(2 * step) {
                for_each_type! {
                    check::<f32>(context, case, plan);
                    check::<Complex32>(context, case, plan);
                }
            }
        }
    }

    /// Values that the TF32 split cannot hold, or that overflow in it, are multiplied exactly.
    #[test]
    fn tiles_leave_tf32_where_it_would_be_wrong() {
        for context in contexts() {
            let device_info = context.device().info();
            let mut tiles = Vec::new();
            if is_tensor_context(device_info) {
                tiles.push((TensorParameters::small(ScalarKind::S), Guard::InKernel, 1));
                tiles.push((around_tile(ScalarKind::S), Guard::Separate, 1));
                tiles.push((around_tile(ScalarKind::S), Guard::Separate, 2));
            }
            if is_tensor_context(device_info) {
                check_guard(&context, [70, 40, 20], |problem| looped(guarded_around(problem, 1)));
            }
            if has_groups(device_info) {
                tiles.push((group_tile(ScalarKind::S, device_info), Guard::Separate, 1));
                tiles.push((group_tile(ScalarKind::S, device_info), Guard::Separate, 2));
            }
            for (tile, guard, split_k) in tiles {
                check_guard(&context, [40, 30, 20], |problem| {
                    GemmPlan::Tensor(TensorPlan { guard, ..in_parts(problem, tile, split_k, F32Mma::Tf32x3) })
                });
            }
        }
    }

    /// The fast mode rounds floats to 11 bits.
    #[test]
    fn floats_are_rounded_in_fast_mode() {
        let rounds = |context: &Arc<DeviceContext>, tile| {
            check_rounding(context, [33, 40, 50], |problem| by_tile(problem, tile, F32Mma::Tf32));
        };
        for context in tensor_contexts() {
            rounds(&context, TensorParameters::small(ScalarKind::S));
        }
        for context in contexts().iter().filter(|context| has_groups(context.device().info())) {
            rounds(context, group_tile(ScalarKind::S, context.device().info()));
        }
    }
}
