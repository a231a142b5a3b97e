//! Recipes run by the kernel language's interpreter.

use super::super::device::{Offsets, scratch_numbers, shape};
use super::super::kernels;
use super::super::pass::Form;
use super::super::recipe::{Place, Recipe, Spectrum, Step};
use super::super::space::FftParameters;
use super::{Case, FORWARD, FftDescriptor, TRANSFORMS, layouts};
use crate::device::{DeviceClass, DeviceInfo};
use affinimath_kernel::{Argument, Launch, Real};

/// A precision that the interpreter has.
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

/// A device of a class with little of everything, so that small transforms take all ways.
pub(super) fn device_info(class: DeviceClass) -> DeviceInfo {
    DeviceInfo {
        native_floats: 4,
        max_work_group_size: 64,
        local_memory_bytes: 4 << 10,
        compute_units: 1,
        ..crate::device::example(class)
    }
}

/// The memories that steps name.
struct Memories<R> {
    in_place: bool,
    input: Vec<R>,
    kernel: Vec<R>,
    output: Vec<R>,
    scratch: Vec<Vec<R>>,
}

impl<R> Memories<R> {
    fn of(&mut self, place: Place) -> &mut Vec<R> {
        match place {
            Place::Input if !self.in_place => &mut self.input,
            Place::Input | Place::Output => &mut self.output,
            Place::Kernel => &mut self.kernel,
            Place::Scratch(part) => &mut self.scratch[part],
        }
    }
}

fn run<R: Interpreted>(case: &Case, device_info: &DeviceInfo) -> Vec<f64> {
    run_tuned::<R>(case, device_info, &FftParameters::for_device(R::DOUBLE, device_info))
}

fn run_tuned<R: Interpreted>(case: &Case, device_info: &DeviceInfo, parameters: &FftParameters) -> Vec<f64> {
    let recipe = Recipe::design(&case.problem, R::DOUBLE, device_info, parameters);
    let output = if case.problem.in_place { case.in_place() } else { case.output() };
    run_recipe::<R>(&recipe, device_info, case.problem.in_place, [&case.input, &[], &output])
}

/// The output of a recipe, for an input, a kernel, and the output's memory before.
pub(super) fn run_recipe<R: Interpreted>(
    recipe: &Recipe,
    device_info: &DeviceInfo,
    in_place: bool,
    memories: [&[f64]; 3],
) -> Vec<f64> {
    let [input, kernel, output] = memories.map(|data| data.iter().map(|value| R::real(*value)).collect::<Vec<R>>());
    // What nobody has written is not to matter.
    let scratch = recipe.scratch.iter().map(|numbers| vec![R::real(f64::NAN); 2 * numbers]).collect();
    let mut memories = Memories { in_place, input, kernel, output, scratch };
    let room = scratch_numbers(recipe, device_info.compute_units) - recipe.scratch.iter().sum::<usize>();
    let mut room = vec![R::real(0.0); 2 * room];
    for step in &recipe.steps {
        launch(step, recipe, device_info, &mut memories, &mut room);
    }
    memories.output.into_iter().map(Into::into).collect()
}

fn launch<R: Interpreted>(
    step: &Step,
    recipe: &Recipe,
    device_info: &DeviceInfo,
    memories: &mut Memories<R>,
    room: &mut [R],
) {
    let kernel = kernels::kernel(&step.pass).unwrap();
    let real = |data: &[f64]| data.iter().map(|value| R::real(*value)).collect::<Vec<R>>();
    let tables = real(&step.pass.tables());
    let spectrum = step.spectrum.map(|spectrum| match spectrum {
        Spectrum::Table(number) => real(&recipe.spectra[number].iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>()),
        Spectrum::Scratch(part) => memories.scratch[part].clone(),
    });
    let source = if step.pass.in_place { Vec::new() } else { std::mem::take(memories.of(step.source)) };
    let mut target = std::mem::take(memories.of(step.target));
    let mut arguments = Vec::new();
    if !step.pass.in_place {
        arguments.push(R::read(&source));
    }
    arguments.push(R::write(&mut target));
    arguments.push(R::read(&tables));
    arguments.extend(spectrum.as_deref().map(R::read));
    if let Form::Lanes { .. } = step.pass.form {
        arguments.push(R::write(room));
    }
    let offsets = Offsets { source: 0, target: 0, spectrum: 0, work: 0 };
    arguments.extend(step.indices(&offsets).into_iter().map(|index| Argument::from(index as i64)));
    if step.pass.scale {
        arguments.push(R::real(recipe.scale).number());
    }
    let (groups, items) = shape(step, device_info.compute_units);
    let outcome = Launch::new(&kernel, [groups, 1, 1], [items, 1, 1]).run(arguments);
    outcome.unwrap_or_else(|fault| panic!("{fault}\n{step:?}"));
    *memories.of(step.target) = target;
    if !step.pass.in_place {
        *memories.of(step.source) = source;
    }
}

fn check(descriptor: &FftDescriptor, class: DeviceClass) {
    let case = Case::new(descriptor);
    case.check(&run::<f32>(&case, &device_info(class)), false, "f32");
    case.check(&run::<f64>(&case, &device_info(class)), true, "f64");
}

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
        let (case, wide) = (Case::new(&descriptor), DeviceInfo { native_floats: 16, ..device_info(DeviceClass::Cpu) });
        case.check(&run::<f32>(&case, &wide), false, "f32 in wide vectors");
    }
}

/// In several passes, each of which leaves half of the numbers out.
#[test]
fn long_real_transforms_have_no_fault() {
    for n in [96, 256, 768, 1000, 1155] {
        for transform in [super::Transform::RealToComplex, super::Transform::ComplexToReal] {
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

/// Every point of the spaces, on lengths of one pass and of several.
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

/// Scratch memory may be asked for before it is known that there is nothing to do.
#[test]
fn an_empty_batch_has_a_recipe() {
    for (class, n) in
        [DeviceClass::Gpu, DeviceClass::Cpu].into_iter().flat_map(|class| [8, 17, 4096].map(|n| (class, n)))
    {
        let problem = Case::new(&FftDescriptor::new(FORWARD, &[n]).batch(0)).problem;
        let device_info = device_info(class);
        let recipe = Recipe::design(&problem, true, &device_info, &FftParameters::for_device(true, &device_info));
        assert_eq!(recipe.scratch.iter().sum::<usize>(), 0);
    }
}

/// Takes minutes: `cargo test --release every_length -- --ignored`.
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
