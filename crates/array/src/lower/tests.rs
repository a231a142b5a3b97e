//! Kernels interpreted on the host, against the reference, bit for bit.

use super::{DeviceClass, Form, KernelArgument, LowerError, Workspace, lower};
use crate::element::{ElementType, Value};
use crate::testing::{Case, Options, Random};
use affinimath_kernel::{Access, Argument, Launch, ParameterType};
use std::collections::BTreeSet;

mod functions;
mod kernels;
mod scans;
mod stages;
mod texts;

/// The elements of a buffer.
enum Elements {
    U8(Vec<u8>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    /// Of scans, which take signed integers as unsigned ones.
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! each {
    ($elements:expr, $vector:ident => $value:expr) => {
        match $elements {
            Elements::U8($vector) => $value,
            Elements::I32($vector) => $value,
            Elements::U32($vector) => $value,
            Elements::I64($vector) => $value,
            Elements::U64($vector) => $value,
            Elements::F32($vector) => $value,
            Elements::F64($vector) => $value,
        }
    };
}

impl Elements {
    fn new(element: ElementType, bytes: &[u8]) -> Self {
        macro_rules! numbers {
            ($type:ident) => {
                bytes.chunks(size_of::<$type>()).map(|part| $type::from_ne_bytes(part.try_into().unwrap())).collect()
            };
        }
        match element.part() {
            ElementType::Bool | ElementType::U8 => Elements::U8(bytes.to_vec()),
            ElementType::I32 => Elements::I32(numbers!(i32)),
            ElementType::U32 => Elements::U32(numbers!(u32)),
            ElementType::I64 => Elements::I64(numbers!(i64)),
            ElementType::F32 => Elements::F32(numbers!(f32)),
            _ => Elements::F64(numbers!(f64)),
        }
    }

    /// Elements that no kernel may rely on.
    fn garbage(workspace: Workspace) -> Self {
        Elements::new(workspace.element, &vec![0xA5; workspace.bytes()])
    }

    fn bytes(&self) -> Vec<u8> {
        each!(self, vector => vector.iter().flat_map(|value| value.to_ne_bytes()).collect())
    }

    fn argument(&mut self, access: Access) -> Argument<'_> {
        match access {
            Access::Read => each!(self, vector => (&*vector).into()),
            _ => each!(self, vector => vector.into()),
        }
    }
}

fn scalar(value: Value) -> Argument<'static> {
    match value {
        Value::Bool(value) => u8::from(value).into(),
        Value::U8(value) => value.into(),
        Value::I32(value) => value.into(),
        Value::U32(value) => value.into(),
        Value::I64(value) => value.into(),
        Value::F32(value) => value.into(),
        Value::F64(value) => value.into(),
    }
}

/// The memory after the launches, and the forms of their kernels.
fn interpret(case: &Case, device: &DeviceClass) -> Result<(Vec<Vec<u8>>, Vec<Form>), String> {
    let lowered = lower(&case.structure, device).map_err(|error| error.to_string())?;
    let recipe = lowered.launch(&case.arguments);
    let mut workspaces: Vec<Elements> = recipe.workspaces.iter().map(|w| Elements::garbage(*w)).collect();
    let elements = case.structure.accesses.iter().map(|access| access.element);
    let mut memory: Vec<Elements> = elements.zip(&case.memory).map(|(e, bytes)| Elements::new(e, bytes)).collect();
    for launch in &recipe.launches {
        let kernel = lowered.kernel(launch.variant).map_err(|error| format!("{:?}: {error}", launch.variant))?;
        let parameters = kernel.parameters();
        assert_eq!(parameters.len(), launch.arguments.len(), "{}", kernel.opencl());
        let mut buffers: Vec<Option<&mut Elements>> = memory.iter_mut().chain(&mut workspaces).map(Some).collect();
        let mut arguments = Vec::new();
        for (argument, parameter) in launch.arguments.iter().zip(parameters) {
            let mut buffer = |index: usize| {
                let ParameterType::Buffer(_, access) = parameter else { panic!("{parameter:?} of a buffer") };
                buffers[index].take().expect("one argument for a buffer").argument(access)
            };
            arguments.push(match *argument {
                KernelArgument::Access(access) => buffer(access),
                KernelArgument::Workspace(index) => buffer(case.structure.accesses.len() + index),
                KernelArgument::I32(number) => number.into(),
                KernelArgument::I64(number) => number.into(),
                KernelArgument::Scalar(value) => scalar(value),
            });
        }
        let run = Launch::new(&kernel, launch.groups, launch.items).run(arguments);
        run.map_err(|fault| format!("{fault}\n{launch:?}\n{}", kernel.opencl()))?;
    }
    Ok((memory.iter().map(Elements::bytes).collect(), recipe.launches.iter().map(|l| l.variant.form).collect()))
}

fn check(seed: u64, case: &Case, device: &DeviceClass) -> Vec<Form> {
    let expected = case.reference().unwrap();
    let found = interpret(case, device);
    let (memory, forms) = found.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{:?}", case.arguments));
    case.compare(&expected, &memory).unwrap_or_else(|difference| panic!("seed {seed}, {forms:?}: {difference}"));
    forms
}

fn name(form: &Form) -> String {
    let columns = |team: &super::Team| if team.along.is_columns() { " columns" } else { "" };
    match form {
        Form::Rows { team, has_chunks } => format!("{}{}{has_chunks}", form.name(), columns(team)),
        Form::Chunks { team, .. } => format!("{}{}", form.name(), columns(team)),
        Form::Join { to_rows, .. } => format!("{}{to_rows}", form.name()),
        Form::Map { step: 32, .. } => "map steps".to_owned(),
        Form::Map { width, .. } => format!("{}{}", form.name(), if *width > 1 { " vectors" } else { "" }),
        Form::Tiles { .. } => form.name().to_owned(),
    }
}

/// Random kernels on a class of devices: the names of the forms that they have taken.
fn random_kernels(device: &DeviceClass, seeds: std::ops::Range<u64>, options: &Options) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    for seed in seeds {
        forms.extend(check(seed, &Case::random(seed, options), device).iter().map(name));
    }
    forms
}

const COUNT: u64 = 150;

fn exact(max_points: usize) -> Options {
    Options { has_elementary: false, max_points, ..Options::default() }
}

#[test]
fn random_kernels_on_a_gpu_give_the_bits_of_the_reference() {
    let mut forms = random_kernels(&DeviceClass::gpu(1), 0..COUNT, &exact(600));
    forms.extend(random_kernels(&DeviceClass::gpu(100), COUNT..2 * COUNT, &exact(2000)));
    println!("{forms:?}");
    for form in ["map", "map vectors", "map steps", "rowsfalse", "rowstrue", "chunks", "joinfalse", "jointrue"] {
        assert!(forms.contains(form), "no {form} in {forms:?}");
    }
}

#[test]
fn random_kernels_on_a_cpu_give_the_bits_of_the_reference() {
    let mut forms = random_kernels(&DeviceClass::cpu(1), 0..COUNT, &exact(600));
    forms.extend(random_kernels(&DeviceClass::cpu(8), COUNT..2 * COUNT, &exact(9000)));
    println!("{forms:?}");
    for form in ["map vectors", "rowsfalse", "rowstrue", "chunks", "joinfalse", "jointrue"] {
        assert!(forms.contains(form), "no {form} in {forms:?}");
    }
}

#[test]
fn doubles_are_refused_without_double_precision() {
    let device = DeviceClass { has_doubles: false, ..DeviceClass::gpu(1) };
    let options = Options { types: vec![ElementType::F64], ..exact(10) };
    assert!(matches!(lower(&Case::random(1, &options).structure, &device), Err(LowerError::NoDoubles)));
}

/// Bytes of random values for each access, and some beyond the last element.
fn random_memory(kernel: &kernels::Kernel, seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (structure, arguments) = (kernel.structure.clone(), kernel.arguments.clone());
    let accesses = structure.accesses.iter().zip(&arguments.views);
    let memory = accesses.map(|(access, view)| {
        let reach: i64 = view.strides.iter().zip(&view.extents).map(|(s, n)| s.max(&0) * (*n as i64 - 1)).sum();
        let part = access.element.part();
        let mut bytes = vec![0; (view.offset + reach as usize + 3) * access.element.bytes()];
        bytes.chunks_mut(part.bytes()).for_each(|bytes| crate::reference::write(random.value(part), bytes));
        bytes
    });
    let memory = memory.collect();
    Case { structure, arguments, memory }
}

#[test]
fn columns_give_the_bits_of_the_reference() {
    let mut forms = BTreeSet::new();
    let shapes = [(1, 17), (5, 300), (40, 33), (300, 70)];
    let orders = [(1, 256), (1, 7), (4, 16), (16, 16), (256, 16384)];
    for (seed, ((n, across), order)) in shapes.into_iter().flat_map(|s| orders.map(|o| (s, o))).enumerate() {
        let case = random_memory(&kernels::columns(n, across, order), seed as u64);
        for device in [DeviceClass::gpu(4), DeviceClass::cpu(2)] {
            forms.extend(check(seed as u64, &case, &device).iter().map(name));
        }
    }
    for form in ["rows columnsfalse", "chunks columns", "jointrue", "joinfalse"] {
        assert!(forms.contains(form), "no {form} in {forms:?}");
    }
}

#[test]
fn known_kernels_give_the_bits_of_the_reference() {
    let kernels = [
        kernels::axpy(1001),
        kernels::interior(140),
        kernels::transposed(70),
        kernels::transposed(35),
        kernels::norm(70_001),
        kernels::norm(65_536),
    ];
    let mut forms = BTreeSet::new();
    for (seed, kernel) in kernels.iter().enumerate() {
        for device in [DeviceClass::gpu(4), DeviceClass::cpu(2)] {
            forms.extend(check(seed as u64, &random_memory(kernel, seed as u64), &device).iter().map(name));
        }
    }
    for form in ["map vectors", "map steps", "tiles", "chunks", "jointrue"] {
        assert!(forms.contains(form), "no {form} in {forms:?}");
    }
}

/// True if all kernels of a GPU have indices of 64 bits, and get no others.
fn is_wide(kernel: &kernels::Kernel, change: impl FnOnce(&mut crate::fused::View)) -> bool {
    let mut arguments = kernel.arguments.clone();
    change(&mut arguments.views[0]);
    let launches = lower(&kernel.structure, &DeviceClass::gpu(100)).unwrap().launch(&arguments).launches;
    let are_wide = launches.iter().map(|launch| {
        let has_narrow = launch.arguments.iter().any(|argument| matches!(argument, KernelArgument::I32(_)));
        assert_ne!(launch.variant.is_wide, has_narrow, "{launch:?}");
        launch.variant.is_wide
    });
    let are_wide: BTreeSet<bool> = are_wide.collect();
    assert_eq!(are_wide.len(), 1);
    are_wide.contains(&true)
}

#[test]
fn indices_beyond_32_bits_are_wide() {
    let all = [
        kernels::axpy(1001),
        kernels::interior(140),
        kernels::transposed(70),
        kernels::norm(70_001),
        kernels::columns(40, 300, (256, 16384)),
    ];
    for kernel in &all {
        assert!(!is_wide(kernel, |_| {}));
        assert!(is_wide(kernel, |view| view.offset = 1 << 31));
        // A short axis with long strides, in both directions.
        if kernel.structure.rank > 1 {
            assert!(is_wide(kernel, |view| view.strides[0] = 1 << 26));
            assert!(is_wide(kernel, |view| view.strides[0] = -(1 << 26)));
        }
    }
    let mut long = kernels::axpy(1001);
    long.arguments.extents = vec![(1 << 31) - (1 << 20) + 1];
    assert!(is_wide(&long, |_| {}));
}
