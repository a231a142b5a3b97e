//! Passes run by the interpreter of the kernel language.

use super::super::descriptor::Problem;
use super::super::device::{Offsets, shape, workspace_points};
use super::super::kernels;
use super::super::pass::{Buffer, Pass, PassList, Spectrum};
use super::super::planner::Planner;
use super::super::recipe::Recipe;
use super::super::space::FftParameters;
use super::super::spec::Form;
use super::{Case, FORWARD, FftDescriptor, TRANSFORMS, layouts};
use crate::device::{DeviceClass, DeviceInfo};
use affinimath_kernel::{Argument, Launch, Real};

/// A precision of the interpreter.
pub(super) trait Interpreted: Real + Default + Into<f64> {
    const DOUBLE: bool;
    fn read(slice: &[Self]) -> Argument<'_>;
    fn write(slice: &mut [Self]) -> Argument<'_>;
    fn number(self) -> Argument<'static>;
}

macro_rules! interpreted {
    ($($real:ident $double:literal),*) => { $(
        impl Interpreted for $real {
            const DOUBLE: bool = $double;
            fn read(slice: &[Self]) -> Argument<'_> {
                slice.into()
            }
            fn write(slice: &mut [Self]) -> Argument<'_> {
                slice.into()
            }
            fn number(self) -> Argument<'static> {
                self.into()
            }
        }
    )* };
}

interpreted!(f32 false, f64 true);

/// A device of a class with small limits, so that short transforms reach every algorithm.
pub(super) fn device_info(class: DeviceClass) -> DeviceInfo {
    DeviceInfo {
        native_floats: 4,
        max_work_group_size: 64,
        local_memory_bytes: 4 << 10,
        compute_units: 1,
        ..crate::device::example(class)
    }
}

/// The buffers of passes.
struct Memories<R> {
    in_place: bool,
    input: Vec<R>,
    kernel: Vec<R>,
    output: Vec<R>,
    workspace: Vec<Vec<R>>,
}

impl<R> Memories<R> {
    fn of(&mut self, buffer: Buffer) -> &mut Vec<R> {
        match buffer {
            Buffer::Input if !self.in_place => &mut self.input,
            Buffer::Input | Buffer::Output => &mut self.output,
            Buffer::Kernel => &mut self.kernel,
            Buffer::Workspace(part) => &mut self.workspace[part],
        }
    }
}

fn passes(problem: &Problem, double: bool, device_info: &DeviceInfo, parameters: &FftParameters) -> PassList {
    let planner = Planner::of(device_info, double, parameters);
    PassList::lower(&Recipe::choose(problem, &planner), problem, &planner)
}

fn run<R: Interpreted>(case: &Case, device_info: &DeviceInfo) -> Vec<f64> {
    run_tuned::<R>(case, device_info, &FftParameters::for_device(R::DOUBLE, device_info))
}

fn run_tuned<R: Interpreted>(case: &Case, device_info: &DeviceInfo, parameters: &FftParameters) -> Vec<f64> {
    let list = passes(&case.problem, R::DOUBLE, device_info, parameters);
    let output = if case.problem.in_place { case.in_place() } else { case.output() };
    run_passes::<R>(&list, device_info, case.problem.in_place, [&case.input, &[], &output])
}

/// The output of passes, for an input, a convolution's kernel, and the output before.
pub(super) fn run_passes<R: Interpreted>(
    list: &PassList,
    device_info: &DeviceInfo,
    in_place: bool,
    memories: [&[f64]; 3],
) -> Vec<f64> {
    let [input, kernel, output] = memories.map(|data| data.iter().map(|value| R::real(*value)).collect::<Vec<R>>());
    // NaN: workspace is not read before it is written.
    let workspace = list.workspace.iter().map(|numbers| vec![R::real(f64::NAN); 2 * numbers]).collect();
    let mut memories = Memories { in_place, input, kernel, output, workspace };
    let work = workspace_points(list, device_info.compute_units) - list.workspace.iter().sum::<usize>();
    let mut work = vec![R::real(0.0); 2 * work];
    for pass in &list.passes {
        launch(pass, list, device_info, &mut memories, &mut work);
    }
    memories.output.into_iter().map(Into::into).collect()
}

fn launch<R: Interpreted>(
    pass: &Pass,
    list: &PassList,
    device_info: &DeviceInfo,
    memories: &mut Memories<R>,
    work: &mut [R],
) {
    let kernel = kernels::kernel(&pass.spec).unwrap();
    let real = |data: &[f64]| data.iter().map(|value| R::real(*value)).collect::<Vec<R>>();
    let tables = real(&pass.spec.tables());
    let spectrum = pass.spectrum.map(|spectrum| match spectrum {
        Spectrum::Table(number) => real(&list.spectra[number].iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>()),
        Spectrum::Workspace(part) => memories.workspace[part].clone(),
    });
    let source = if pass.spec.in_place { Vec::new() } else { std::mem::take(memories.of(pass.source)) };
    let mut target = std::mem::take(memories.of(pass.target));
    let mut arguments = Vec::new();
    if !pass.spec.in_place {
        arguments.push(R::read(&source));
    }
    arguments.push(R::write(&mut target));
    arguments.push(R::read(&tables));
    arguments.extend(spectrum.as_deref().map(R::read));
    if let Form::Simd { .. } = pass.spec.form {
        arguments.push(R::write(work));
    }
    let offsets = Offsets { source: 0, target: 0, spectrum: 0, work: 0 };
    arguments.extend(pass.indices(&offsets).into_iter().map(|index| Argument::from(index as i64)));
    if pass.spec.scale {
        arguments.push(R::real(list.scale).number());
    }
    let (groups, items) = shape(pass, device_info.compute_units);
    let outcome = Launch::new(&kernel, [groups, 1, 1], [items, 1, 1]).run(arguments);
    outcome.unwrap_or_else(|fault| panic!("{fault}\n{pass:?}"));
    *memories.of(pass.target) = target;
    if !pass.spec.in_place {
        *memories.of(pass.source) = source;
    }
}

fn check(descriptor: &FftDescriptor, class: DeviceClass) {
    let case = Case::new(descriptor);
    case.check(&run::<f32>(&case, &device_info(class)), false, "f32");
    case.check(&run::<f64>(&case, &device_info(class)), true, "f64");
}

mod host {
    use super::*;

    #[test]
    fn lengths_in_groups_have_no_fault() {
        for n in (1..=64).chain([91, 97, 127, 128, 169, 256, 300, 343, 509, 600, 1001, 1024]) {
            check(&FftDescriptor::new(FORWARD, &[n]).batch(if n < 20 { 3 } else { 1 }), DeviceClass::Gpu);
        }
    }

    #[test]
    fn lengths_in_lanes_have_no_fault() {
        for n in (1..=64).chain([91, 97, 127, 128, 169, 256, 300, 343, 509, 600, 1001, 1024]) {
            check(&FftDescriptor::new(FORWARD, &[n]).batch(if n < 20 { 6 } else { 1 }), DeviceClass::Cpu);
        }
    }

    #[test]
    fn layouts_have_no_fault() {
        for descriptor in TRANSFORMS.into_iter().flat_map(layouts) {
            check(&descriptor, DeviceClass::Gpu);
            check(&descriptor, DeviceClass::Cpu);
            let (case, wide) =
                (Case::new(&descriptor), DeviceInfo { native_floats: 16, ..device_info(DeviceClass::Cpu) });
            case.check(&run::<f32>(&case, &wide), false, "f32 in wide vectors");
        }
    }

    /// In several passes, which skip half of the points.
    #[test]
    fn long_real_transforms_have_no_fault() {
        for n in [96, 256, 768, 1000, 1155] {
            for transform in [super::super::Transform::RealToComplex, super::super::Transform::ComplexToReal] {
                for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
                    check(&FftDescriptor::new(transform, &[n]), class);
                    check(&FftDescriptor::new(transform, &[3, n]).in_place().scale(0.5), class);
                    check(
                        &FftDescriptor::new(transform, &[n]).batch(5).input_layout(&[5], 1).output_layout(&[6], 1),
                        class,
                    );
                }
            }
        }
    }

    /// Every point of the search spaces, on lengths of one pass and of several.
    #[test]
    fn tuned_passes_have_no_fault() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            let device_info = DeviceInfo { max_work_group_size: 256, ..crate::device::example(class) };
            for (n, batch) in [(48, 5), (1200, 2)] {
                let case = Case::new(&FftDescriptor::new(FORWARD, &[n]).batch(batch));
                for parameters in FftParameters::all(true, &device_info) {
                    case.check(&run_tuned::<f64>(&case, &device_info, &parameters), true, &format!("{parameters:?}"));
                }
            }
        }
    }

    /// The size of workspace can be queried for an empty batch.
    #[test]
    fn an_empty_batch_has_a_recipe() {
        for (class, n) in
            [DeviceClass::Gpu, DeviceClass::Cpu].into_iter().flat_map(|class| [8, 17, 4096].map(|n| (class, n)))
        {
            let problem = Case::new(&FftDescriptor::new(FORWARD, &[n]).batch(0)).problem;
            let device_info = device_info(class);
            let list = passes(&problem, true, &device_info, &FftParameters::for_device(true, &device_info));
            assert_eq!(list.workspace.iter().sum::<usize>(), 0);
        }
    }

    /// Run by `cargo test --release every_length -- --ignored`.
    #[test]
    #[ignore = "it takes minutes"]
    fn every_length_to_2048_is_accurate() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            let device_info = DeviceInfo { native_floats: 4, ..crate::device::example(class) };
            let mut worst = (0.0_f64, 0.0_f64);
            for n in 1..=2048 {
                let case = Case::new(&FftDescriptor::new(FORWARD, &[n]));
                let errors = (
                    case.error(&run::<f32>(&case, &device_info), false),
                    case.error(&run::<f64>(&case, &device_info), true),
                );
                assert!(errors.0 <= 1.0 && errors.1 <= 1.0, "{class} {n}: {errors:?} of the bound");
                worst = (worst.0.max(errors.0), worst.1.max(errors.1));
            }
            println!("{class}: {worst:?} of the bound");
        }
    }
}
