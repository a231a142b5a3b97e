//! Every kernel family on every device, against a product in higher precision.
//!
//! The bound is that of the error analysis: |C - C_ref| <= c * (k + 2) * eps * (|alpha| |A| |B| + |beta| |C|) for each
//! element, with c = 4 for complex products of four real ones.

mod plans;
mod skinny_tensor;
mod tensor;

use std::sync::Arc;

use super::*;
use crate::context::{BufferParts, DeviceBuffer, DeviceContext};
use crate::device::{DeviceClass, DeviceInfo};
use crate::options::Layout;
use crate::scalar::{Complex32, Complex64, ScalarKind};
use crate::testing::{assert_close, devices, for_each_type, modulus};
use crate::view::MatrixShape;

/// A small generator, so that a test is the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    fn scalar<T: Scalar>(&mut self) -> T {
        let (re, im) = (self.next(), self.next());
        T::from_parts(re, im)
    }
}

/// Fill value around the matrices: reading it spoils a result, and writing it is detected.
fn canary<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// A matrix with canaries before, between and after its columns (rows).
struct Host<T> {
    data: Vec<T>,
    shape: MatrixShape,
}

impl<T: Scalar> Host<T> {
    fn random(random: &mut Random, layout: Layout, rows: usize, columns: usize, gap: usize) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        let shape = MatrixShape::new(layout, rows, columns, gap, adjacent.max(1) + gap).unwrap();
        let mut data = vec![canary(); shape.end() + gap];
        let (row_stride, column_stride) = shape.strides();
        for j in 0..columns {
            for i in 0..rows {
                data[gap + i * row_stride + j * column_stride] = random.scalar();
            }
        }
        Host { data, shape }
    }

    fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    fn element(&self, op: Op, i: usize, j: usize) -> Complex64 {
        let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
        let value = self.data[self.index(i, j)];
        Complex64::new(value.re(), if op.conjugates() { -value.im() } else { value.im() })
    }

    fn upload(&self, context: &Arc<DeviceContext>) -> DeviceBuffer {
        let queue = Queue::new(context).unwrap();
        let bytes = size_of_val(self.data.as_slice());
        let buffer = DeviceBuffer::new(context, bytes, "a test").unwrap();
        if bytes > 0 {
            buffer.write(&queue, &self.data).unwrap();
        }
        buffer
    }

    fn download(&mut self, buffer: &DeviceBuffer) {
        let queue = Queue::new(buffer.context()).unwrap();
        if !self.data.is_empty() {
            buffer.read(&queue, &mut self.data).unwrap();
        }
    }
}

/// One product to check.
#[derive(Clone, Copy, Debug)]
struct Case {
    size: [usize; 3],
    ops: [Op; 2],
    layouts: [Layout; 3],
    gap: usize,
    /// Kinds of alpha and beta: 0, 1 or a general value.
    scalars: [usize; 2],
}

fn test_scalar<T: Scalar>(which: usize) -> T {
    [T::ZERO, T::ONE, T::from_parts(-0.75, 0.5)][which]
}

/// Runs a case by the plan that `choose` gives, and checks each element and each canary, on a device that has the type.
fn check<T: Scalar>(context: &Arc<DeviceContext>, case: &Case, choose: impl Fn(&GemmProblem) -> GemmPlan) {
    if !context.device().info().supports(T::KIND) {
        return;
    }
    let [m, n, k] = case.size;
    let mut random = Random((m * 31 + n * 17 + k) as u64);
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let (a_rows, a_columns) = stored(case.ops[0], m, k);
    let (b_rows, b_columns) = stored(case.ops[1], k, n);
    let a = Host::<T>::random(&mut random, case.layouts[0], a_rows, a_columns, case.gap);
    let b = Host::<T>::random(&mut random, case.layouts[1], b_rows, b_columns, case.gap);
    let mut c = Host::<T>::random(&mut random, case.layouts[2], m, n, case.gap);
    let (alpha, beta) = (test_scalar::<T>(case.scalars[0]), test_scalar::<T>(case.scalars[1]));
    let before = c.data.clone();
    if beta == T::ZERO {
        c.data.fill(canary()); // beta = 0 must not read C
    }
    let queue = Queue::new(context).unwrap();
    let (a_buffer, b_buffer, c_buffer) = (a.upload(context), b.upload(context), c.upload(context));
    let problem = GemmProblem::new(T::KIND, case.ops[0], case.ops[1], &a.shape, &b.shape, &c.shape).unwrap();
    let plan = choose(&problem);
    let call = GemmCall { queue: &queue, alpha, a: &a_buffer, b: &b_buffer, beta, c: &c_buffer };
    execute(&call, &problem, &plan).unwrap().wait().unwrap();
    c.download(&c_buffer);
    compare(case, &plan, [&a, &b], &before, &c, alpha, beta);
}

fn compare<T: Scalar>(
    case: &Case,
    plan: &GemmPlan,
    [a, b]: [&Host<T>; 2],
    before: &[T],
    c: &Host<T>,
    alpha: T,
    beta: T,
) {
    let [m, n, k] = case.size;
    let wide = |x: T| Complex64::new(x.re(), x.im());
    let mut inside = vec![false; c.data.len()];
    for j in 0..n {
        for i in 0..m {
            inside[c.index(i, j)] = true;
            let (mut sum, mut magnitude) = (Complex64::ZERO, 0.0);
            for p in 0..k {
                let (x, y) = (a.element(case.ops[0], i, p), b.element(case.ops[1], p, j));
                sum += x * y;
                magnitude += modulus(x) * modulus(y);
            }
            let old = wide(before[c.index(i, j)]);
            let expected = wide(alpha) * sum + wide(beta) * old;
            let bound = wide(alpha).norm() * magnitude + wide(beta).norm() * old.norm();
            // The reference is itself rounded, by eps of f64.
            let tolerance = 4.0 * (k + 2) as f64 * (T::EPSILON + f64::EPSILON) * bound;
            let found = wide(c.data[c.index(i, j)]);
            assert_close!(found, expected, tolerance, "{:?} ({i}, {j}): {case:?} {plan:?}", T::KIND);
        }
    }
    for (index, inside) in inside.iter().enumerate() {
        assert!(*inside || c.data[index].re().is_nan(), "element {index} outside C was written: {case:?} {plan:?}");
    }
}

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// Every combination of ops, and for each another mix of layouts, gaps and scalars.
fn cases(sizes: &[[usize; 3]]) -> Vec<Case> {
    let mut cases = Vec::new();
    for size in sizes {
        for (i, op_a) in Op::ALL.iter().enumerate() {
            for (j, op_b) in Op::ALL.iter().enumerate() {
                let mix = i * 5 + j * 3 + size[0] + size[1];
                cases.push(Case {
                    size: *size,
                    ops: [*op_a, *op_b],
                    layouts: [LAYOUTS[mix % 2], LAYOUTS[(mix / 2) % 2], LAYOUTS[(mix / 4) % 2]],
                    gap: [0, 3][mix % 2],
                    scalars: [1 + mix % 2, mix % 3],
                });
            }
        }
    }
    cases
}

/// The contexts of every device of this machine.
fn contexts() -> Vec<Arc<DeviceContext>> {
    devices().iter().map(|device| DeviceContext::for_device(device).unwrap()).collect()
}

fn check_all(sizes: &[[usize; 3]], choose: impl Fn(&GemmProblem, &DeviceInfo, &Limits) -> Option<GemmPlan> + Copy) {
    for context in contexts() {
        for case in cases(sizes).iter().step_by(stride(&context)) {
            check_types(&context, case, |problem| {
                choose(problem, context.device().info(), &Limits::of(&context)).expect("the device fits the family")
            });
        }
    }
}

fn check_types(context: &Arc<DeviceContext>, case: &Case, plan: impl Fn(&GemmProblem) -> GemmPlan + Copy) {
    for_each_type!(check(context, case, plan));
}

/// Simulated devices, and rusticl's compiler, are slow: they run every seventh or fifth case, a sample of all
/// combinations.
fn stride(context: &DeviceContext) -> usize {
    match context.device().info().platform.as_str() {
        "Oclgrind" => 7,
        "rusticl" => 5,
        _ => 1,
    }
}

/// Sizes around each family's tiles and vectors, few enough for a device that is emulated.
const SMALL: [[usize; 3]; 4] = [[1, 1, 1], [5, 9, 3], [33, 18, 17], [50, 34, 70]];

fn of_class(device_info: &DeviceInfo, class: DeviceClass) -> DeviceInfo {
    DeviceInfo { class, ..device_info.clone() }
}

/// A tile whose slices are copied, in chunks where operands allow it.
const COPIED: TiledParameters =
    TiledParameters { tile: [32, 32], tile_k: 4, threads: [8, 4], swizzle: 2, stages: 3, ..TiledParameters::COPIED };
/// Another one, whose work-items copy from columns that are not equally far apart.
const COPIED_UNEVENLY: TiledParameters = TiledParameters { tile: [96, 32], tile_k: 8, ..COPIED };

const SKINNY: [[usize; 3]; 6] = [[1, 1, 70], [72, 1, 5], [2, 45, 33], [36, 5, 20], [9, 40, 300], [37, 15, 66]];

/// The packed plan with the sizes that the facts suggest.
fn packed(problem: &GemmProblem, device_info: &DeviceInfo, limits: &Limits) -> PackedPlan {
    PackedPlan::choose(problem, device_info, limits, PackedParameters::for_device(problem.kind, device_info))
}

/// The library's own choice, as for a device of the class.
fn choice(class: DeviceClass, context: &DeviceContext) -> impl Fn(&GemmProblem) -> GemmPlan + Copy {
    move |problem| {
        let device_info = of_class(context.device().info(), class);
        GemmPlan::choose(
            problem,
            &device_info,
            &Limits::of(context),
            &GemmParameters::for_device(problem.kind, &device_info),
        )
    }
}

mod properties {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn size() -> impl Strategy<Value = usize> {
        prop_oneof![3 => 0..=20_usize, 2 => 21..=70_usize, 1 => 71..=200_usize]
    }

    fn case() -> impl Strategy<Value = Case> {
        let layout = || select(&LAYOUTS[..]);
        (
            [size(), size(), size()],
            [select(Op::ALL), select(Op::ALL)],
            [layout(), layout(), layout()],
            0..5_usize,
            [0..3_usize, 0..3_usize],
        )
            .prop_map(|(size, ops, layouts, gap, scalars)| Case { size, ops, layouts, gap, scalars })
    }

    fn holds(class: DeviceClass) {
        for context in contexts() {
            let runner = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
            proptest!(runner, |(case in case())| {
                let plan = |problem: &GemmProblem| {
                    if problem.k == 0 || case.scalars[0] == 0 {
                        GemmPlan::without_product(problem, case.scalars[1] == 1)
                    } else {
                        choice(class, &context)(problem)
                    }
                };
                check_types(&context, &case, plan);
            });
        }
    }

    mod device {
        use super::*;

        #[test]
        fn gemm_is_right_as_on_a_cpu() {
            holds(DeviceClass::Cpu);
        }

        #[test]
        fn gemm_is_right_as_on_a_gpu() {
            holds(DeviceClass::Gpu);
        }

        #[test]
        fn gemm_is_right_as_on_an_accelerator() {
            holds(DeviceClass::Accelerator);
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn kinds_without_a_product() {
        for context in contexts() {
            for size in [[3, 4, 0], [0, 4, 2], [3, 0, 2]] {
                let case = Case { scalars: [2, 2], ..cases(&[size])[0] };
                check::<f32>(&context, &case, |problem| GemmPlan::without_product(problem, false));
            }
        }
    }

    /// Sizes on both sides of every switch between plans, for a device of two compute units.
    #[test]
    fn both_sides_of_every_switch() {
        let sizes = [
            // Skinny or not, along both sides.
            [16, 40, 30],
            [17, 40, 30],
            [40, 16, 30],
            [40, 17, 30],
            [16, 17, 9],
            [17, 16, 9],
            [48, 60, 30],
            [49, 60, 30],
            [60, 48, 30],
            [60, 49, 30],
            [33, 400, 9],
            // Small and large tiles.
            [128, 128, 20],
            [129, 128, 20],
            [128, 129, 33],
            // One split-K part, and several.
            [20, 20, 255],
            [20, 20, 257],
            [20, 24, 3000],
            [3, 5, 2047],
            [3, 5, 5000],
            [64, 2, 5000],
            // Whole vectors, chunks and k blocks, and one more.
            [48, 24, 256],
            [49, 25, 257],
            [512, 2, 8],
            [513, 3, 9],
        ];
        for context in contexts() {
            for (i, case) in cases(&sizes).iter().enumerate().filter(|(i, _)| i % 7 == 0) {
                let classes = [DeviceClass::Cpu, DeviceClass::Gpu, DeviceClass::Accelerator];
                check_types(&context, case, choice(classes[i % 3], &context));
                check_types(&context, case, choice(classes[(i + 1) % 3], &context));
            }
        }
    }

    /// Workspace so short that B is packed in slabs, along the columns and along k.
    #[test]
    fn packed_in_slabs() {
        for context in contexts() {
            let device_info = of_class(context.device().info(), DeviceClass::Cpu);
            for case in cases(&[[70, 60, 2100]]).iter().step_by(7) {
                let plan = |problem: &GemmProblem| {
                    let plan = packed(
                        problem,
                        &device_info,
                        &Limits { workspace_bytes: 1 << 17, tensor: TensorUse::NONE, copies: false, units: None },
                    );
                    assert_ne!(plan.slab, [problem.n, problem.k]);
                    GemmPlan::Packed(plan)
                };
                check_types(&context, case, plan);
            }
        }
    }

    /// Two threads on one context, which need the same programs at the same time and share queue and workspace.
    #[test]
    fn two_threads_share_a_context() {
        for context in contexts() {
            std::thread::scope(|scope| {
                for thread in 0..2 {
                    let context = &context;
                    scope.spawn(move || {
                        for case in cases(&[[31, 29, 600], [90, 70, 50]]).iter().skip(thread).step_by(4) {
                            check::<f32>(context, case, choice(DeviceClass::Cpu, context));
                        }
                    });
                }
            });
        }
    }

    /// The same bits in every run, also where partial products are summed.
    #[test]
    fn a_result_is_the_same_in_every_run() {
        for context in contexts() {
            let queue = Queue::new(&context).unwrap();
            let mut random = Random(1);
            let a = Host::<f32>::random(&mut random, Layout::ColumnMajor, 20, 9000, 0);
            let b = Host::<f32>::random(&mut random, Layout::ColumnMajor, 9000, 20, 0);
            let (a_buffer, b_buffer) = (a.upload(&context), b.upload(&context));
            for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
                let results: Vec<Vec<f32>> = (0..3)
                    .map(|_| {
                        let mut c = Host::<f32>::random(&mut random, Layout::ColumnMajor, 20, 20, 0);
                        let c_buffer = c.upload(&context);
                        let problem =
                            GemmProblem::new(f32::KIND, Op::NoTrans, Op::NoTrans, &a.shape, &b.shape, &c.shape)
                                .unwrap();
                        let call = GemmCall {
                            queue: &queue,
                            alpha: 1.0_f32,
                            a: &a_buffer,
                            b: &b_buffer,
                            beta: 0.0,
                            c: &c_buffer,
                        };
                        execute(&call, &problem, &choice(class, &context)(&problem)).unwrap().wait().unwrap();
                        c.download(&c_buffer);
                        c.data
                    })
                    .collect();
                assert!(results[0] == results[1] && results[1] == results[2], "{class}");
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn portable() {
        check_all(&SMALL, |_, device_info, _| Some(GemmPlan::Portable(PortablePlan::choose(device_info))));
    }

    #[test]
    fn packed_family() {
        check_all(&SMALL, |problem, device_info, limits| {
            Some(GemmPlan::Packed(packed(problem, &of_class(device_info, DeviceClass::Cpu), limits)))
        });
    }

    #[test]
    fn tiled() {
        check_all(&SMALL, |problem, device_info, limits| {
            TiledPlan::choose(problem, &of_class(device_info, DeviceClass::Gpu), limits, None).map(GemmPlan::Tiled)
        });
    }

    #[test]
    fn tiled_copied() {
        for context in contexts() {
            let cases = cases(&[[5, 9, 3], [33, 66, 19], [36, 68, 40], [100, 36, 24]]);
            for (index, case) in cases.iter().enumerate().step_by(3 * stride(&context)) {
                let tile = if index % 2 == 0 { COPIED_UNEVENLY } else { COPIED };
                let plan = |problem: &GemmProblem| {
                    GemmPlan::Tiled(TiledPlan::with_parameters(problem, tile, 1 + problem.k / 30))
                };
                for_each_type! {
                    check::<f32>(&context, case, plan);
                    check::<f64>(&context, case, plan);
                }
            }
        }
    }

    #[test]
    fn skinny_cpu() {
        check_all(&SKINNY, |problem, device_info, limits| {
            SkinnyPlan::choose(problem, &of_class(device_info, DeviceClass::Cpu), limits).map(GemmPlan::Skinny)
        });
    }

    /// In groups of two warps on a simulator, whose time goes with the number of work-items.
    #[test]
    fn skinny_gpu() {
        check_all(&SKINNY, |problem, device_info, limits| {
            let is_simulated = device_info.platform == "Oclgrind";
            let limit = if is_simulated { 64 } else { device_info.max_work_group_size };
            let device_info = DeviceInfo { max_work_group_size: limit, ..of_class(device_info, DeviceClass::Gpu) };
            SkinnyPlan::choose(problem, &device_info, limits).map(GemmPlan::Skinny)
        });
    }
}
