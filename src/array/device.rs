//! Fused kernels on a device.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use affinimath_array::Value;
use affinimath_array::fused::{Arguments, Structure};
use affinimath_array::lower::{
    DeviceClass, Functions, KernelArgument, KernelLaunch, LowerError, Lowered, Recipe, Variant, lower,
};
use affinimath_array::scan;

use super::settings;
use super::steps::Memory;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::{GeneratedSource, Program, device_class};
use crate::scalar::ScalarKind;

/// Lowered kernels of a device, by the key of their structure.
pub(super) struct DeviceKernels {
    class: DeviceClass,
    kernels: RwLock<HashMap<u64, Arc<DeviceKernel>>>,
    scans: RwLock<Vec<(scan::Variant, Arc<Program>)>>,
}

/// A lowered kernel, with the programs of its variants.
struct DeviceKernel {
    lowered: Lowered,
    variants: RwLock<Vec<(Variant, Arc<Program>)>>,
    /// The last launch: a program that repeats an expression gives the same arguments.
    last: RwLock<Option<Arc<(Arguments, Recipe)>>>,
}

impl DeviceKernels {
    pub(super) fn new(context: &DeviceContext) -> Self {
        let class = device_class(context.device().info(), settings::functions().unwrap_or(Functions::Own));
        DeviceKernels { class, kernels: RwLock::default(), scans: RwLock::default() }
    }

    pub(super) const fn class(&self) -> &DeviceClass {
        &self.class
    }

    /// The program of a scan's kernel.
    pub(super) fn scan_program(&self, context: &DeviceContext, variant: scan::Variant) -> Result<Arc<Program>> {
        program(&self.scans, variant, || {
            let kernel = variant.kernel().map_err(|error| failure(context, error.into()))?;
            context.generated_program(&GeneratedSource::from(&kernel))
        })
    }

    fn kernel(&self, context: &DeviceContext, key: u64, structure: &Structure) -> Result<Arc<DeviceKernel>> {
        let known = self.kernels.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        let lowered = lower(structure, &self.class).map_err(|error| failure(context, error))?;
        let kernel = Arc::new(DeviceKernel { lowered, variants: RwLock::default(), last: RwLock::default() });
        self.kernels.write().unwrap_or_else(PoisonError::into_inner).insert(key, kernel.clone());
        Ok(kernel)
    }

    /// Enqueues a kernel on the memory of its accesses, on the context's own queue.
    pub(super) fn enqueue(
        &self,
        context: &Arc<DeviceContext>,
        key: u64,
        structure: &Structure,
        arguments: &Arguments,
        memories: &[Memory<'_>],
    ) -> Result<()> {
        let buffer = |memory: &Memory<'_>| match *memory {
            Memory::Device(_, length) => Ok(length),
            Memory::Host(..) => Err(Error::Internal("memory of the host in a kernel of a device".to_owned())),
        };
        let lengths = memories.iter().map(buffer).collect::<Result<Vec<_>>>()?;
        arguments.check(structure, &lengths).map_err(|error| Error::Internal(error.to_string()))?;
        let kernel = self.kernel(context, key, structure)?;
        let launch = kernel.launch(arguments);
        let recipe = &launch.1;
        let queue = Queue::new(context)?;
        let workspace =
            |workspace: &affinimath_array::lower::Workspace| DeviceBuffer::for_step(&queue, workspace.bytes().max(1));
        let workspaces = recipe.workspaces.iter().map(workspace).collect::<Result<Vec<_>>>()?;
        for launch in &recipe.launches {
            kernel.enqueue(context, &queue, launch, memories, &workspaces)?;
        }
        Ok(())
    }
}

impl DeviceKernel {
    /// The launches for the arguments, which come with them.
    fn launch(&self, arguments: &Arguments) -> Arc<(Arguments, Recipe)> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = last
            && is_same_launch(&last.0, arguments)
        {
            return last;
        }
        let launch = Arc::new((arguments.clone(), self.lowered.launch(arguments)));
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(launch.clone());
        launch
    }

    fn program(&self, context: &DeviceContext, variant: Variant) -> Result<Arc<Program>> {
        program(&self.variants, variant, || {
            let kernel = self.lowered.kernel(variant).map_err(|error| failure(context, error))?;
            context.generated_program(&GeneratedSource::from(&kernel))
        })
    }

    fn enqueue(
        &self,
        context: &DeviceContext,
        queue: &Queue,
        launch: &KernelLaunch,
        memories: &[Memory<'_>],
        workspaces: &[DeviceBuffer],
    ) -> Result<()> {
        let program = self.program(context, launch.variant)?;
        let mut call = Launch::new(queue, &program, launch.variant.form.name());
        for argument in &launch.arguments {
            call = match *argument {
                KernelArgument::Access(access) => match memories[access] {
                    Memory::Device(buffer, _) => call.buffer(buffer),
                    Memory::Host(..) => return Err(Error::Internal("memory of the host on a device".to_owned())),
                },
                KernelArgument::Workspace(index) => call.buffer(&workspaces[index]),
                KernelArgument::I32(value) => call.raw(value),
                KernelArgument::I64(value) => call.raw(value),
                KernelArgument::Scalar(value) => match value {
                    Value::Bool(value) => call.raw(u8::from(value)),
                    Value::U8(value) => call.raw(value),
                    Value::I32(value) => call.raw(value),
                    Value::U32(value) => call.raw(value),
                    Value::I64(value) => call.raw(value),
                    Value::F32(value) => call.raw(value),
                    Value::F64(value) => call.raw(value),
                },
            };
        }
        call.enqueue_step(launch.groups, launch.items)
    }
}

/// True if launches for both arguments are the same. -0 and 0 are different scalars.
fn is_same_launch<'a>(a: &'a Arguments, b: &'a Arguments) -> bool {
    let bits = |arguments: &'a Arguments| arguments.scalars.iter().map(|scalar| scalar.bits());
    a.extents == b.extents && a.views == b.views && bits(a).eq(bits(b))
}

/// The program of a variant among the known ones, else a new one.
fn program<V: Copy + PartialEq>(
    known: &RwLock<Vec<(V, Arc<Program>)>>,
    variant: V,
    build: impl FnOnce() -> Result<Arc<Program>>,
) -> Result<Arc<Program>> {
    let is_it = |entry: &&(V, Arc<Program>)| entry.0 == variant;
    let program = known.read().unwrap_or_else(PoisonError::into_inner).iter().find(is_it).cloned();
    if let Some((_, program)) = program {
        return Ok(program);
    }
    let program = build()?;
    known.write().unwrap_or_else(PoisonError::into_inner).push((variant, program.clone()));
    Ok(program)
}

fn failure(context: &DeviceContext, error: LowerError) -> Error {
    match error {
        LowerError::NoDoubles => match context.device().info().require(ScalarKind::D) {
            Err(error) => error,
            Ok(()) => Error::Internal("a kernel of double precision was refused".to_owned()),
        },
        error => Error::Internal(error.to_string()),
    }
}
