//! Kernels of the [`kernel`](crate::kernel) language on a device: built once in a context, launched on its buffers.

use std::sync::Arc;

use crate::context::{ContextParts, DeviceBuffer, DeviceContext, Event, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::program::{GeneratedSource, Program};
use crate::scalar::{Element, ScalarKind};
use crate::tuning::kernels::Kernels;
use crate::tuning::space::Configuration;
use affinimath_kernel::{Access, BuildError, Kernel, ParameterType, ScalarType, ValueType};

/// A kernel built for a device.
#[derive(Debug)]
pub struct DeviceKernel {
    context: Arc<DeviceContext>,
    program: Arc<Program>,
    name: String,
    group_size: Option<[usize; 3]>,
    parameters: Vec<ParameterType>,
}

/// An argument of a launch, made with `into()` of a number or of a reference to a [`Buffer`]: a mutable one where the
/// kernel writes.
#[derive(Debug)]
pub struct DeviceArgument<'a> {
    form: Form<'a>,
}

#[derive(Debug)]
enum Form<'a> {
    I32(i32),
    U32(u32),
    I64(i64),
    F32(f32),
    F64(f64),
    Buffer {
        /// `None` for a buffer on the host, which no device reaches.
        memory: Option<&'a DeviceBuffer>,
        /// Type of its elements; `None` for an integer type, identified by its bytes.
        scalar: Option<ScalarKind>,
        bytes: usize,
        writable: bool,
    },
}

macro_rules! number {
    ($($type:ident $variant:ident),*) => { $(
        impl From<$type> for DeviceArgument<'_> {
            fn from(value: $type) -> Self {
                DeviceArgument { form: Form::$variant(value) }
            }
        }
    )* };
}

number!(i32 I32, u32 U32, i64 I64, f32 F32, f64 F64);

fn buffer<T: Element>(buffer: &Buffer<T>, writable: bool) -> DeviceArgument<'_> {
    let form = Form::Buffer { memory: buffer.on_device(), scalar: T::SCALAR, bytes: size_of::<T>(), writable };
    DeviceArgument { form }
}

impl<'a, T: Element> From<&'a Buffer<T>> for DeviceArgument<'a> {
    fn from(of: &'a Buffer<T>) -> Self {
        buffer(of, false)
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for DeviceArgument<'a> {
    fn from(of: &'a mut Buffer<T>) -> Self {
        buffer(of, true)
    }
}

impl Context {
    /// Parameters that were found fastest for a kernel on this context's device: the newest record of
    /// `affinimath tune kernel`, by the name under which it was recorded. `None` on the host.
    pub fn tuned_parameters(&self, name: &str) -> Option<&Configuration> {
        Kernels::of_context(self.on_device()?).configuration(name)
    }

    /// Generates a kernel from its [tuned parameters](Context::tuned_parameters), or from default ones where no record
    /// is known, and builds it. The parameters come with it: the launch's sizes may depend on them.
    ///
    /// ```
    /// use affinimath::kernel::{BuildError, Index, Kernel};
    /// use affinimath::tuner::space::Configuration;
    /// use affinimath::{Context, Device};
    ///
    /// /// y := a x + y, with `each` elements of a work-item.
    /// fn axpy(parameters: &Configuration) -> Result<Kernel, BuildError> {
    ///     let each = parameters.get("each").unwrap_or(1) as i64;
    ///     Kernel::build("axpy", |k| {
    ///         let (n, a) = (k.argument::<Index>("n"), k.argument::<f32>("a"));
    ///         let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
    ///         let first = k.global_id(0) * each;
    ///         for number in 0..each {
    ///             let i = first + number;
    ///             k.when(i.lt(n), || y.store(i, a * x.at(i) + y.at(i)));
    ///         }
    ///     })
    /// }
    ///
    /// let default = Configuration::new([("each", 4)]);
    /// for device in Device::all().unwrap_or_default() {
    ///     let (_kernel, parameters) = Context::open(device)?.tuned_kernel("axpy", &default, axpy)?;
    ///     println!("{}: {parameters}", device.info().name);
    /// }
    /// # Ok::<(), affinimath::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where no kernel is generated, and the errors of [`DeviceKernel::build`].
    pub fn tuned_kernel(
        &self,
        name: &str,
        default: &Configuration,
        generate: impl FnOnce(&Configuration) -> std::result::Result<Kernel, BuildError>,
    ) -> Result<(DeviceKernel, Configuration)> {
        let parameters = self.tuned_parameters(name).unwrap_or(default);
        let kernel = generate(parameters).map_err(|error| Error::argument("generate", error.to_string()))?;
        Ok((DeviceKernel::build(self, &kernel)?, parameters.clone()))
    }
}

impl DeviceKernel {
    /// Builds a kernel in a context, or takes it from the context's programs or from the cache on disk.
    ///
    /// # Errors
    /// [`Error::NoDevice`] for the host's context (there, [`crate::kernel::Launch`] interprets kernels),
    /// [`Error::PrecisionNotSupported`], [`Error::ProgramBuild`].
    pub fn build(context: &Context, kernel: &Kernel) -> Result<Self> {
        let host =
            || Error::NoDevice("the context is the host's, where generated kernels are interpreted only".to_owned());
        let context = context.on_device().ok_or_else(host)?;
        if kernel.needs_doubles() {
            context.device().info().require(ScalarKind::D)?;
        }
        let program = context.generated_program(&GeneratedSource::from(kernel))?;
        Ok(DeviceKernel {
            context: context.clone(),
            program,
            name: kernel.name().to_owned(),
            group_size: kernel.group_size(),
            parameters: kernel.parameters(),
        })
    }

    /// Enqueues the kernel over `groups` work-groups of `items` work-items, per dimension, on the context's own queue.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the arguments are not those that the kernel takes, or the groups not of the size
    /// that it wants; [`Error::MixedMemory`] for a buffer of another context; [`Error::OpenCl`],
    /// [`Error::OutOfDeviceMemory`].
    ///
    /// # Safety
    /// With these arguments the kernel must not reach outside of its buffers and arrays, nor race: what the interpreter
    /// reports for such a launch, a device does not notice.
    pub unsafe fn enqueue(
        &self,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: &[DeviceArgument<'_>],
    ) -> Result<Event> {
        self.check(groups, items, arguments)?;
        let queue = Queue::new(&self.context)?;
        let mut launch = Launch::new(&queue, &self.program, self.name.clone());
        for argument in arguments {
            launch = match argument.form {
                Form::I32(value) => launch.raw(value),
                Form::U32(value) => launch.raw(value),
                Form::I64(value) => launch.raw(value),
                Form::F32(value) => launch.raw(value),
                Form::F64(value) => launch.raw(value),
                Form::Buffer { memory: Some(memory), .. } => launch.buffer(memory),
                Form::Buffer { memory: None, .. } => return Err(self.host_memory()),
            };
        }
        launch.enqueue(groups, items)
    }

    fn host_memory(&self) -> Error {
        Error::MixedMemory(format!("the kernel '{}' runs on a device, and a buffer is the host's", self.name))
    }

    fn check(&self, groups: [usize; 3], items: [usize; 3], arguments: &[DeviceArgument<'_>]) -> Result<()> {
        if groups.contains(&0) || items.contains(&0) || self.group_size.is_some_and(|fixed| fixed != items) {
            let wanted = self.group_size.map_or_else(String::new, |size| format!(", and the kernel wants {size:?}"));
            return Err(Error::argument("groups", format!("{groups:?} groups of {items:?} work-items{wanted}")));
        }
        if arguments.len() != self.parameters.len() {
            let reason = format!("'{}' takes {} of them, not {}", self.name, self.parameters.len(), arguments.len());
            return Err(Error::argument("arguments", reason));
        }
        for (index, (parameter, argument)) in self.parameters.iter().zip(arguments).enumerate() {
            if !argument.form.fits(*parameter) {
                let reason = format!("number {index} of '{}' is to be {parameter:?}", self.name);
                return Err(Error::argument("arguments", reason));
            }
            match argument.form {
                Form::Buffer { memory: None, .. } => return Err(self.host_memory()),
                Form::Buffer { memory: Some(memory), .. } if !Arc::ptr_eq(memory.context(), &self.context) => {
                    return Err(Error::MixedMemory(format!("a buffer of '{}' belongs to another context", self.name)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Form<'_> {
    fn fits(&self, parameter: ParameterType) -> bool {
        match (self, parameter) {
            (Form::I32(_), ParameterType::Scalar(ScalarType::I32))
            | (Form::U32(_), ParameterType::Scalar(ScalarType::U32))
            | (Form::I64(_), ParameterType::Scalar(ScalarType::I64))
            | (Form::F32(_), ParameterType::Scalar(ScalarType::F32))
            | (Form::F64(_), ParameterType::Scalar(ScalarType::F64)) => true,
            (Form::Buffer { scalar, bytes, writable, .. }, ParameterType::Buffer(element, access)) => {
                (access == Access::Read || *writable) && holds(*scalar, *bytes, element)
            }
            _ => false,
        }
    }
}

/// True if a buffer is made of the numbers that the kernel's is. Complex numbers are pairs of real ones, vectors are
/// lanes one after the other, and unsigned integers are kept in buffers of `i32`.
fn holds(scalar: Option<ScalarKind>, bytes: usize, element: ValueType) -> bool {
    match scalar {
        Some(kind) if kind.is_double() => element.scalar == ScalarType::F64,
        Some(_) => element.scalar == ScalarType::F32,
        None if bytes == 8 => element.scalar == ScalarType::I64,
        None => matches!(element.scalar, ScalarType::I32 | ScalarType::U32),
    }
}

#[cfg(test)]
mod tests;
