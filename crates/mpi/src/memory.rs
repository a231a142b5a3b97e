//! Memory of the ranks' local parts: the host's, or that of each rank's device.

use std::rc::Rc;

use affinimath::{Buffer, Context, Device, Scalar, VectorMut, VectorRef, VectorShape};

use crate::comm::allocate;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// Location of the local parts of a matrix or vector, the same for all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Host memory. Local work may still go to a device, with copies of its operands.
    #[default]
    Host,
    /// Memory of each rank's device, [`Grid::device`].
    Device,
}

impl Memory {
    /// Code in an agreement of ranks.
    pub(crate) fn code(self) -> i64 {
        i64::from(self == Memory::Device)
    }

    /// Name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Memory::Host => "in host memory",
            Memory::Device => "on the ranks' devices",
        }
    }
}

impl Grid {
    /// Context of this rank's local parts: the host, or the rank's device. Ranks may call it alone.
    ///
    /// # Errors
    /// [`Error::Local`] if the rank has no device, or OpenCL makes no context.
    pub fn context(&self, memory: Memory) -> Result<Context> {
        if memory == Memory::Host {
            return Ok(Context::host());
        }
        let Some(index) = self.device() else {
            let reason = "this rank has no device: AFFINIMATH_DEVICE names one, and a GPU is taken without it";
            return Err(Error::Local(reason.to_owned()));
        };
        let devices = Device::all()?;
        let device = devices.get(index).ok_or_else(|| Error::Local(format!("there is no device {index}")))?;
        Ok(Context::open(device)?)
    }
}

/// Elements of a vector that this rank owns.
#[derive(Clone, Debug)]
pub(crate) enum Local<T> {
    Host(Vec<T>),
    /// Clones share the buffer until one of them is written.
    Device(Context, Rc<Buffer<T>>),
}

impl<T: Scalar> Local<T> {
    /// Zeros.
    pub(crate) fn zeros(grid: &Grid, memory: Memory, length: usize) -> Result<Self> {
        match memory {
            Memory::Host => Ok(Local::Host(allocate(length, T::ZERO)?)),
            Memory::Device => {
                let context = grid.context(memory)?;
                let buffer = context.zeros(length)?;
                Ok(Local::Device(context, Rc::new(buffer)))
            }
        }
    }

    /// The same elements in another memory, or in the same one.
    pub(crate) fn to_memory(&self, grid: &Grid, memory: Memory) -> Result<Self> {
        match (self, memory) {
            (Local::Host(data), Memory::Device) => {
                let context = grid.context(memory)?;
                let buffer = context.upload(data)?;
                Ok(Local::Device(context, Rc::new(buffer)))
            }
            (Local::Device(..), Memory::Host) => Ok(Local::Host(self.download()?)),
            _ => Ok(self.clone()),
        }
    }

    /// A copy in host memory.
    pub(crate) fn download(&self) -> Result<Vec<T>> {
        match self {
            Local::Host(data) => Ok(data.clone()),
            Local::Device(_, buffer) => Ok(buffer.download()?),
        }
    }

    /// The elements, to read.
    pub(crate) fn view(&self) -> Result<VectorRef<'_, T>> {
        match self {
            Local::Host(data) => Ok(VectorRef::from_slice(data, VectorShape::new(data.len(), 0, 1)?)?),
            Local::Device(_, buffer) => Ok(buffer.vector()?),
        }
    }

    /// The elements, to write.
    pub(crate) fn view_mut(&mut self) -> Result<VectorMut<'_, T>> {
        match self {
            Local::Host(data) => {
                let shape = VectorShape::new(data.len(), 0, 1)?;
                Ok(VectorMut::from_slice(data, shape)?)
            }
            Local::Device(context, buffer) => {
                if Rc::get_mut(buffer).is_none() {
                    *buffer = Rc::new(context.copy_of(buffer.vector()?)?);
                }
                let own = Rc::get_mut(buffer).ok_or_else(|| Error::Local("a copy is shared".to_owned()))?;
                Ok(own.vector_mut()?)
            }
        }
    }
}

impl<T> Local<T> {
    pub(crate) fn memory(&self) -> Memory {
        match self {
            Local::Host(_) => Memory::Host,
            Local::Device(..) => Memory::Device,
        }
    }
}
