//! Choosing a kernel family and its sizes: plain data from plain data, without a device.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::expanded::ExpandedPlan;
use super::family::{Family, Feature};
use super::finish;
use super::limits::Limits;
use super::packed::{PackedParameters, PackedPlan};
use super::portable::PortablePlan;
use super::skinny::SkinnyPlan;
use super::skinny_tensor::SkinnyTensorPlan;
use super::tensor::{TensorParameters, TensorPlan};
use super::tiled::{TiledParameters, TiledPlan};
use crate::context::{Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// Algorithm and kernel family of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GemmPlan {
    /// C is empty or unchanged.
    Nothing,
    /// C := beta C: there is nothing to multiply.
    Scale,
    /// One work-item per few elements of C.
    Portable(PortablePlan),
    /// Packed panels and register tiles, for CPUs.
    Packed(PackedPlan),
    /// Tiles in local memory, for GPUs.
    Tiled(TiledPlan),
    /// Tiles for tensor cores.
    Tensor(TensorPlan),
    /// Tiles for tensor cores, with a structured operand expanded to a general one.
    Expanded(ExpandedPlan),
    /// C has few rows or columns: the matrix is streamed once, at the memory's speed.
    Skinny(SkinnyPlan),
    /// The matrix is streamed on tensor cores, for more columns than multiply-adds keep up with.
    SkinnyTensor(SkinnyTensorPlan),
}

/// The sizes that plans are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmParameters {
    /// For CPUs.
    pub packed: PackedParameters,
    /// For GPUs, the tile of plain products; without one, the library's own tiles compete.
    pub tile: Option<TiledParameters>,
    /// For GPUs, the tile on tensor cores; `None` lets the built-in tiles compete.
    pub tensor: Option<TensorParameters>,
}

impl GemmParameters {
    /// Defaults for a device.
    pub fn for_device(kind: ScalarKind, device: &DeviceInfo) -> Self {
        GemmParameters { packed: PackedParameters::for_device(kind, device), tile: None, tensor: None }
    }
}

impl GemmPlan {
    /// The plan when there is no product to compute: alpha = 0 or k = 0.
    pub const fn without_product(problem: &GemmProblem, beta_is_one: bool) -> Self {
        // BLAS: m or n = 0 changes nothing, nor does beta = 1 without a product.
        if problem.m == 0 || problem.n == 0 || beta_is_one { GemmPlan::Nothing } else { GemmPlan::Scale }
    }

    /// The plan for a problem on a device: the cheapest candidate of the first rank of families that has any, in
    /// the order that `Family` states.
    pub fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, parameters: &GemmParameters) -> Self {
        if problem.m == 0 || problem.n == 0 {
            return GemmPlan::Nothing;
        }
        let device = &*limits.share_of(device);
        let request = Request { problem, device, limits };
        let GemmParameters { packed, tile, tensor } = *parameters;
        let tiles = || {
            let tensor_tiles = request.candidates(GemmPlan::Tensor, tensor);
            let expanded = request.candidates(GemmPlan::Expanded, tensor);
            cheapest(tensor_tiles.chain(expanded).chain(request.candidates(GemmPlan::Tiled, tile)))
        };
        cheapest(request.candidates(GemmPlan::SkinnyTensor, ()))
            .or_else(|| cheapest(request.candidates(GemmPlan::Skinny, ())))
            .or_else(tiles)
            .or_else(|| cheapest(request.candidates(GemmPlan::Packed, packed)))
            .or_else(|| cheapest(request.candidates(GemmPlan::Portable, ())))
            .expect("the portable family has a plan for every problem")
    }
}

/// A problem with the device and limits that its plans depend on.
struct Request<'a> {
    problem: &'a GemmProblem,
    device: &'a DeviceInfo,
    limits: &'a Limits,
}

impl Request<'_> {
    /// A family's candidates with their costs.
    fn candidates<F: Family>(
        &self,
        wrap: fn(F) -> GemmPlan,
        parameters: F::Parameters,
    ) -> impl Iterator<Item = (Option<u64>, GemmPlan)> {
        let plans = F::candidates(self.problem, self.device, self.limits, parameters);
        plans.into_iter().map(move |plan| (plan.cost(self.problem, self.device), wrap(plan)))
    }
}

/// The first plan of the least cost.
fn cheapest(candidates: impl Iterator<Item = (Option<u64>, GemmPlan)>) -> Option<GemmPlan> {
    candidates.min_by_key(|(cost, _)| *cost).map(|(_, plan)| plan)
}

/// An expression of a family's plan, for each family; another one without a product.
macro_rules! of_family {
    ($plan:expr, $family:ident => $value:expr, $nothing:pat => $without:expr $(, $more:pat => $other:expr)?) => {
        match $plan {
            $nothing => $without,
            $($more => $other,)?
            GemmPlan::Portable($family) => $value,
            GemmPlan::Packed($family) => $value,
            GemmPlan::Tiled($family) => $value,
            GemmPlan::Tensor($family) => $value,
            GemmPlan::Expanded($family) => $value,
            GemmPlan::Skinny($family) => $value,
            GemmPlan::SkinnyTensor($family) => $value,
        }
    };
}

impl GemmPlan {
    /// See [`Family::required_feature`].
    pub(super) fn required_feature(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<Feature> {
        of_family!(self, plan => plan.required_feature(problem, device), GemmPlan::Nothing | GemmPlan::Scale => None)
    }

    /// See [`Family::fallback`].
    pub(super) fn fallback(&self, limits: &Limits) -> Limits {
        of_family!(self, plan => plan.fallback(limits), GemmPlan::Nothing | GemmPlan::Scale => *limits)
    }

    /// Runs [`Family::probe`] of all families; true if every kernel that uses the feature is right.
    pub(super) fn probe<T: Scalar>(queue: &Queue, feature: Feature) -> Result<bool> {
        Ok(TensorPlan::probe::<T>(queue, feature)?
            && TiledPlan::probe::<T>(queue, feature)?
            && SkinnyTensorPlan::probe::<T>(queue, feature)?)
    }

    /// `None` if there is nothing to do.
    pub(super) fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Option<Event>> {
        of_family!(self, plan => plan.run(call, problem).map(Some),
            GemmPlan::Nothing => Ok(None),
            GemmPlan::Scale => finish::scale(call, problem).map(Some))
    }
}

#[cfg(test)]
mod host {
    use super::super::limits::{F32Mma, TensorUse};
    use super::super::tensor::{Guard, MmaScope};
    use super::super::{Arithmetic, Operand, SkinnyFamily, Structure, Trapezoid};
    use super::*;
    use crate::device::{DeviceClass, NvidiaFeatures};
    use crate::options::{Diag, Layout, Op, Symmetry, Triangle};
    use crate::view::MatrixShape;

    const LIMITS: Limits = Limits { workspace_bytes: 1 << 30, tensor: TensorUse::NONE, copies: false, units: None };

    fn problem([m, n, k]: [usize; 3], layout: Layout) -> GemmProblem {
        let shape = |rows, columns| {
            let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
            MatrixShape::new(layout, rows, columns, 0, usize::max(adjacent, 1)).unwrap()
        };
        GemmProblem::new(ScalarKind::S, Op::NoTrans, Op::NoTrans, &shape(m, k), &shape(k, n), &shape(m, n)).unwrap()
    }

    fn chosen(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> GemmPlan {
        GemmPlan::choose(problem, device, limits, &GemmParameters::for_device(problem.kind, device))
    }

    fn choose(size: [usize; 3], class: DeviceClass) -> GemmPlan {
        chosen(&problem(size, Layout::ColumnMajor), &crate::device::example(class), &LIMITS)
    }

    #[test]
    fn an_empty_product_needs_no_kernel() {
        assert_eq!(choose([0, 5, 5], DeviceClass::Gpu), GemmPlan::Nothing);
        let empty_k = problem([5, 5, 0], Layout::ColumnMajor);
        assert_eq!(GemmPlan::without_product(&empty_k, false), GemmPlan::Scale);
        assert_eq!(GemmPlan::without_product(&empty_k, true), GemmPlan::Nothing);
    }

    #[test]
    fn each_class_has_its_family() {
        let size = [1000, 1000, 1000];
        assert!(matches!(choose(size, DeviceClass::Cpu), GemmPlan::Packed(_)));
        assert!(matches!(choose(size, DeviceClass::Gpu), GemmPlan::Tiled(_)));
        assert!(matches!(choose(size, DeviceClass::Accelerator), GemmPlan::Portable(_)));
    }

    #[test]
    fn a_gpu_with_small_work_groups_gets_the_portable_kernel() {
        let tiny = DeviceInfo { max_work_group_size: 16, ..crate::device::example(DeviceClass::Gpu) };
        for size in [[1000, 1000, 1000], [1000, 3, 1000]] {
            let plan = chosen(&problem(size, Layout::ColumnMajor), &tiny, &LIMITS);
            assert!(matches!(plan, GemmPlan::Portable(_)), "{plan:?}");
        }
    }

    #[test]
    fn few_rows_or_columns_are_skinny() {
        for (class, limit) in [(DeviceClass::Cpu, 48), (DeviceClass::Gpu, 16)] {
            for skinny in [[limit, 500, 500], [500, limit, 500], [1, 1, 500], [16, 16, 1]] {
                assert!(matches!(choose(skinny, class), GemmPlan::Skinny(_)), "{skinny:?}");
            }
            for not in [[limit + 1, 500, 500], [500, limit + 1, 500], [limit + 1, limit + 1, 1]] {
                assert!(!matches!(choose(not, class), GemmPlan::Skinny(_)), "{not:?}");
            }
        }
    }

    #[test]
    fn a_skinny_plan_follows_the_memory_of_the_large_operand() {
        let family = |size, layout| {
            let device = crate::device::example(DeviceClass::Gpu);
            match chosen(&problem(size, layout), &device, &LIMITS) {
                GemmPlan::Skinny(plan) => (plan.family, plan.transpose),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(family([500, 3, 500], Layout::ColumnMajor), (SkinnyFamily::GpuAlongM, false));
        assert_eq!(family([3, 500, 500], Layout::ColumnMajor), (SkinnyFamily::GpuAlongK, true));
        // In row-major layout the problem is the transposed one from the beginning.
        assert_eq!(family([500, 3, 500], Layout::RowMajor), (SkinnyFamily::GpuAlongK, true));
        assert_eq!(family([3, 500, 500], Layout::RowMajor), (SkinnyFamily::GpuAlongM, false));
    }

    #[test]
    fn skinny_products_go_to_the_tensor_cores_where_multiply_adds_do_not_keep_up() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = |f32_mma, opt_in| TensorUse { doubles: true, f32_mma, opt_in };
        let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let plan = |kind, [m, n, k]: [usize; 3], tensor| {
            let problem =
                GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(m, k), &shape(k, n), &shape(m, n)).unwrap();
            match chosen(&problem, &device, &Limits { tensor, ..LIMITS }) {
                GemmPlan::SkinnyTensor(plan) => Some(plan),
                _ => None,
            }
        };
        let all = tensor(F32Mma::Tf32x3, true);
        for (kind, limit) in [(ScalarKind::S, 32), (ScalarKind::D, 32), (ScalarKind::C, 16), (ScalarKind::Z, 16)] {
            let taken = |size, tensor| plan(kind, size, tensor).is_some();
            for columns in [5, 8, limit] {
                assert!(taken([8192, columns, 8192], all) && taken([columns, 8192, 8192], all), "{kind:?} {columns}");
            }
            assert!(!taken([8192, 4, 8192], all) && !taken([8192, limit + 1, 8192], all));
            // Small matrices, a short k, and rows of A that would have to be copied for a matrix that is not much
            // larger.
            assert!(!taken([300, 8, 200], all) && !taken([1 << 20, 8, 252], all) && !taken([8, 1024, 512], all));
            assert!(taken([1024, 8, 512], all) && taken([1 << 20, 8, 256], all));
            assert!(!taken([8192, 8, 8192], tensor(F32Mma::Tf32x3, false)));
            assert_eq!(taken([8192, 8, 8192], tensor(F32Mma::Off, true)), kind.is_double());
            let rounded = plan(kind, [8192, 8, 8192], tensor(F32Mma::Tf32, true)).unwrap();
            assert!(!rounded.splits);
        }
        // Columns that are not aligned to 16 bytes: the element kernels are as fast with few of them.
        let taken = |size| plan(ScalarKind::D, size, all).is_some();
        assert!(!taken([8191, 8, 8191]) && taken([8191, 9, 8191]));
        let plan = |size| plan(ScalarKind::D, size, all).unwrap();
        let tile = |size| (plan(size).warps[0], plan(size).split_k);
        assert!(plan([8192, 10, 8192]).transpose != plan([10, 8192, 8192]).transpose);
        assert_eq!(plan([8192, 10, 8192]).columns, 16);
        assert_eq!(tile([8192, 8, 8192]), (2, 1));
        assert_eq!(tile([4096, 8, 4096]), (1, 1));
        assert_eq!(tile([9000, 8, 4096]).0, 1);
        assert_eq!(tile([320, 8, 65_536]), (1, 13));
    }

    #[test]
    fn tiles_are_those_that_take_the_least_time() {
        let parameters = |size| match choose(size, DeviceClass::Gpu) {
            GemmPlan::Tiled(plan) => (plan.parameters, plan.split_k),
            other => panic!("{other:?}"),
        };
        let (large, small) = (TiledParameters::large(ScalarKind::S), TiledParameters::small(ScalarKind::S));
        // 132 compute units: 4 x 32 large tiles nearly occupy them; of 2 x 32, half would have nothing to do.
        assert_eq!(parameters([512, 4096, 512]), (large, 1));
        assert_eq!(parameters([256, 4096, 256]), (small, 1));
        assert_eq!(parameters([4096, 4096, 4096]), (large, 1));
        // The k of a single tile is split.
        assert!(parameters([64, 64, 100_000]).1 > 50);
    }

    #[test]
    fn slices_are_copied_where_the_device_can() {
        let parameters = |size, kind, copies| {
            let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
            let problem = GemmProblem { kind, ..problem(size, Layout::ColumnMajor) };
            match chosen(&problem, &device, &Limits { copies, ..LIMITS }) {
                GemmPlan::Tiled(plan) => plan.parameters,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(parameters([2048; 3], ScalarKind::S, true), TiledParameters::COPIED);
        assert_eq!(parameters([2048; 3], ScalarKind::S, false), TiledParameters::large(ScalarKind::S));
        assert_eq!(parameters([2048; 3], ScalarKind::C, true), TiledParameters::large(ScalarKind::C));
        assert_eq!(parameters([256; 3], ScalarKind::S, true), TiledParameters::small(ScalarKind::S));
    }

    #[test]
    fn products_go_to_the_tensor_cores_where_these_may_be_used() {
        let device = crate::device::example(DeviceClass::Gpu);
        let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let tensor = |kind, n, tensor| {
            let problem =
                GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(n, n), &shape(n, n), &shape(n, n)).unwrap();
            match chosen(&problem, &device, &Limits { tensor, ..LIMITS }) {
                GemmPlan::Tensor(plan) => Some(plan.guard),
                GemmPlan::Tiled(plan) => {
                    assert_eq!(plan.parameters.arithmetic, Arithmetic::Fma);
                    None
                }
                other => panic!("{other:?}"),
            }
        };
        let with = |f32_mma| TensorUse { doubles: true, f32_mma, opt_in: false };
        for kind in ScalarKind::ALL {
            let guard = if kind.is_double() { Guard::None } else { Guard::Separate };
            assert_eq!(tensor(kind, 4096, with(F32Mma::Tf32x3)), Some(guard));
            assert_eq!(tensor(kind, 4096, with(F32Mma::Tf32)), Some(Guard::None));
            assert_eq!(tensor(kind, 4096, with(F32Mma::Off)), kind.is_double().then_some(Guard::None));
            assert_eq!(tensor(kind, 4096, TensorUse::NONE), None);
        }
        // Small tiles check their elements in the kernel.
        assert_eq!(tensor(ScalarKind::S, 512, with(F32Mma::Tf32x3)), Some(Guard::InKernel));
    }

    #[test]
    fn what_a_device_does_not_state_is_used_where_it_may_be() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let shape = |n| MatrixShape::new(Layout::ColumnMajor, n, n, 0, n).unwrap();
        let tile = |kind, n, opt_in| {
            let problem = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(n), &shape(n), &shape(n)).unwrap();
            let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in };
            match chosen(&problem, &device, &Limits { tensor, ..LIMITS }) {
                GemmPlan::Tensor(plan) => plan.parameters,
                other => panic!("{other:?}"),
            }
        };
        for kind in [ScalarKind::S, ScalarKind::C] {
            assert_eq!(tile(kind, 4096, true), TensorParameters::warp_group(kind));
            assert_eq!(tile(kind, 4096, false).scope, MmaScope::Warp);
        }
        // Of 20 x 20 wide tiles, a second round would leave half of the compute units idle.
        assert_eq!(tile(ScalarKind::S, 2560, true), TensorParameters::narrow_warp_group(ScalarKind::S));
        for kind in [ScalarKind::D, ScalarKind::Z] {
            assert_eq!(tile(kind, 4096, true), TensorParameters::large(kind));
            assert!(tile(kind, 4096, false).is_without_opt_in(kind, &device));
        }
    }

    #[test]
    fn few_tiles_over_a_long_k_use_split_k() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
        for kind in ScalarKind::ALL {
            for size in [[128, 1024, 4096], [1024, 128, 4096], [512, 512, 4096]] {
                let problem = GemmProblem { kind, ..problem(size, Layout::ColumnMajor) };
                let GemmPlan::Tensor(plan) = chosen(&problem, &device, &Limits { tensor, ..LIMITS }) else {
                    panic!("{kind:?} {size:?}")
                };
                // With one work-group for a tile, each would wait for its next slice most of the time.
                assert!(plan.split_k >= 4 && plan.whole_tiles == 0, "{kind:?} {size:?} {plan:?}");
            }
        }
    }

    #[test]
    fn the_last_wave_of_tiles_is_computed_with_split_k() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
        let shape = |n| MatrixShape::new(Layout::ColumnMajor, n, n, 0, n).unwrap();
        let plan = |kind, n, workspace_bytes| {
            let problem = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(n), &shape(n), &shape(n)).unwrap();
            match chosen(&problem, &device, &Limits { workspace_bytes, tensor, ..LIMITS }) {
                GemmPlan::Tensor(plan) => (plan.parameters.tile, plan.whole_tiles, plan.split_k),
                other => panic!("{other:?}"),
            }
        };
        // 132 compute units with two tiles each: 256 tiles are one round, of 289 25 are left.
        assert_eq!(plan(ScalarKind::S, 2048, 1 << 30), ([128, 128], 256, 1));
        assert_eq!(plan(ScalarKind::S, 2080, 1 << 30), ([128, 128], 264, 10));
        assert_eq!(plan(ScalarKind::S, 4128, 1 << 30), ([128, 128], 1056, 8));
        assert_eq!(plan(ScalarKind::S, 2080, 1 << 20).2, 1);
        assert_eq!(plan(ScalarKind::C, 2080, 1 << 30), ([128, 64], 528, 8));
        // Each tile of doubles keeps a compute unit busy, so that rounds are shorter.
        assert_eq!(plan(ScalarKind::D, 2080, 1 << 30), ([128, 128], 264, 5));
        assert_eq!(plan(ScalarKind::D, 8192, 1 << 30), ([128, 128], 4092, 32));
        // More than half of a round is worth one.
        assert_eq!(plan(ScalarKind::S, 8192, 1 << 30), ([128, 128], 4096, 1));
    }

    #[test]
    fn few_rows_and_columns_beyond_whole_tiles_are_strips() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
        let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let strips = |kind, [m, n, k]: [usize; 3]| {
            let problem =
                GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape(m, k), &shape(k, n), &shape(m, n)).unwrap();
            match chosen(&problem, &device, &Limits { tensor, ..LIMITS }) {
                GemmPlan::Tensor(plan) => plan.strips,
                other => panic!("{other:?}"),
            }
        };
        for kind in ScalarKind::ALL {
            assert_eq!(strips(kind, [2049; 3]), [1, 1], "{kind:?}");
            for without in [2048, 2047, 2053, 2080] {
                assert_eq!(strips(kind, [without; 3]), [0, 0], "{kind:?} {without}");
            }
        }
        assert_eq!(strips(ScalarKind::C, [1025; 3]), [1, 1]);
        assert_eq!(strips(ScalarKind::S, [2048, 2052, 2048]), [0, 4]);
        assert_eq!(strips(ScalarKind::D, [2052, 2048, 2048]), [4, 0]);
    }

    #[test]
    fn operands_with_edges_or_unaligned_columns_are_padded_if_there_is_memory() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
        let shape = |rows, columns, stride| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, stride).unwrap();
        let pads = |kind, [m, n, k]: [usize; 3], a_stride, workspace_bytes| {
            let (a, b, c) = (shape(m, k, a_stride), shape(k, n, k), shape(m, n, m));
            let problem = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &a, &b, &c).unwrap();
            match chosen(&problem, &device, &Limits { workspace_bytes, tensor, ..LIMITS }) {
                GemmPlan::Tensor(plan) => plan.pads,
                other => panic!("{other:?}"),
            }
        };
        for kind in ScalarKind::ALL {
            assert_eq!(pads(kind, [4096; 3], 4096, 1 << 30), [false; 2]);
            assert_eq!(pads(kind, [4091; 3], 4091, 1 << 30), [true; 2], "{kind:?}");
            assert_eq!(pads(kind, [4091; 3], 4091, 1 << 20), [false; 2]);
            // Nor are slices whole, which in S costs more than copies.
            assert_eq!(pads(kind, [3000; 3], 3000, 1 << 30), [kind == ScalarKind::S; 2], "{kind:?}");
            // The outermost tiles begin earlier.
            assert_eq!(pads(kind, [4092, 4091, 4096], 4096, 1 << 30), [false; 2]);
        }
        // Tiles cannot be shifted if asynchronous copies would not begin at a multiple of 16 bytes.
        assert_eq!(pads(ScalarKind::S, [4091, 4096, 4096], 4096, 1 << 30), [true, false]);
        assert_eq!(pads(ScalarKind::S, [4096; 3], 4099, 1 << 30), [true, false]);
        assert_eq!(pads(ScalarKind::Z, [4096; 3], 4099, 1 << 30), [false; 2]);
        // Doubles copied by 8 bytes instead of 16 cost less than padding.
        assert_eq!(pads(ScalarKind::D, [2047; 3], 2047, 1 << 30), [false; 2]);
        // A launch more would take as long as the product.
        assert_eq!(pads(ScalarKind::D, [129; 3], 129, 1 << 30), [false; 2]);
    }

    #[test]
    fn a_given_tile_is_taken_where_it_may_be() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let shape = MatrixShape::new(Layout::ColumnMajor, 4096, 4096, 0, 4096).unwrap();
        let tile = |kind, given, opt_in| {
            let problem = GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &shape, &shape, &shape).unwrap();
            let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in };
            let parameters =
                GemmParameters { tensor: Some(given), ..GemmParameters::for_device(problem.kind, &device) };
            match GemmPlan::choose(&problem, &device, &Limits { tensor, ..LIMITS }, &parameters) {
                GemmPlan::Tensor(plan) => plan.parameters,
                other => panic!("{other:?}"),
            }
        };
        // A tuning search gets the tile that it asks for, although warp groups are faster.
        let warps = TensorParameters::large(ScalarKind::S);
        assert_eq!(tile(ScalarKind::S, warps, true), warps);
        // One that needs more than is stated gives way to those that do not.
        let wide = TensorParameters::large(ScalarKind::D);
        assert_eq!(tile(ScalarKind::D, wide, true), wide);
        assert_eq!(tile(ScalarKind::D, wide, false), TensorParameters::small(ScalarKind::D));
    }

    #[test]
    fn structured_operands_are_met_by_the_tiles_that_know_them() {
        let device = crate::device::example(DeviceClass::Gpu);
        let shape = MatrixShape::new(Layout::ColumnMajor, 2048, 2048, 0, 2048).unwrap();
        let plain = GemmProblem::new(ScalarKind::D, Op::NoTrans, Op::NoTrans, &shape, &shape, &shape).unwrap();
        let mut problem = plain;
        problem.a.structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::NonUnit);
        let limits = Limits { tensor: TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true }, ..LIMITS };
        let few = Limits { workspace_bytes: 1 << 20, ..limits };
        match chosen(&problem, &device, &few) {
            GemmPlan::Tiled(plan) => assert_eq!(plan.parameters, TiledParameters::TENSOR_F64),
            other => panic!("{other:?}"),
        }
        // So are operands without adjacent elements.
        let apart = GemmProblem { a: Operand { row_stride: 2, ..plain.a }, ..plain };
        assert!(matches!(chosen(&apart, &device, &limits), GemmPlan::Tiled(_)));
    }

    #[test]
    fn structured_operands_are_written_out_for_tensor_cores() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        let tensor = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
        let mirrored = Structure::Mirrored(Trapezoid::of(Triangle::Upper), Symmetry::Symmetric);
        let triangular = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::NonUnit);
        let with = |kind, structures: [Structure; 2]| {
            let plain = GemmProblem { kind, ..problem([4096; 3], Layout::ColumnMajor) };
            let a = Operand { structure: structures[0], ..plain.a };
            let b = Operand { structure: structures[1], ..plain.b };
            GemmProblem { a, b, ..plain }
        };
        let limits = Limits { tensor, ..LIMITS };
        for kind in ScalarKind::ALL {
            let slab = |problem: &GemmProblem, workspace_bytes: usize| {
                let limits = Limits { workspace_bytes: workspace_bytes as u64, ..limits };
                ExpandedPlan::choose(problem, &device, &limits, None).map(|plan| plan.slab)
            };
            for structure in [mirrored, triangular] {
                for structures in [[structure, Structure::General], [Structure::General, structure]] {
                    let problem = with(kind, structures);
                    match chosen(&problem, &device, &limits) {
                        GemmPlan::Expanded(plan) => assert_eq!(plan.slab, 4096, "{problem:?}"),
                        other => panic!("{problem:?}: {other:?}"),
                    }
                    // A slab fills half of the workspace with whole tiles.
                    let line = 2 * 4096 * kind.bytes();
                    let slabs = [4096, 4095, 512, 511].map(|lines| slab(&problem, lines * line));
                    assert_eq!(slabs, [Some(4096), Some(3584), Some(256), None], "{problem:?}");
                    let without = Limits { tensor: TensorUse::NONE, ..limits };
                    assert_eq!(ExpandedPlan::choose(&problem, &device, &without, None), None);
                }
                assert_eq!(slab(&with(kind, [structure; 2]), 1 << 30), None);
            }
            assert_eq!(slab(&with(kind, [Structure::General; 2]), 1 << 30), None);
        }
    }

    #[test]
    fn a_long_k_is_split_if_c_is_small() {
        for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
            let parts = |size| match choose(size, class) {
                GemmPlan::Tiled(plan) => plan.split_k,
                GemmPlan::Packed(plan) => plan.split_k,
                GemmPlan::Skinny(plan) => plan.split_k,
                other => panic!("{other:?}"),
            };
            assert!(parts([20, 20, 1_000_000]) > 1, "{class}");
            assert!(parts([4, 4, 1_000_000]) > 1, "{class}");
            assert_eq!(parts([2000, 2000, 2000]), 1, "{class}");
        }
    }

    #[test]
    fn workspace_bounds_what_is_packed() {
        let problem = problem([300, 3000, 3000], Layout::ColumnMajor);
        let device = crate::device::example(DeviceClass::Cpu);
        for workspace_bytes in [1 << 14, 1 << 20, 1 << 30] {
            let GemmPlan::Packed(plan) = chosen(&problem, &device, &Limits { workspace_bytes, ..LIMITS }) else {
                panic!("a packed plan")
            };
            let [columns, k] = plan.slab;
            let whole = columns == problem.n && k == problem.k;
            assert_eq!(whole, workspace_bytes == 1 << 30, "{plan:?}");
            assert!(whole || plan.split_k == 1, "{plan:?}");
            assert!(columns * k * 4 <= workspace_bytes as usize || columns <= 8, "{plan:?}");
        }
    }
}
