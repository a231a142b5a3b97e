//! A device's context and queue for a library on OpenCL: what it builds and enqueues does not mix with ours.

use affinimath::Device;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::types::{CL_TRUE, cl_context};

use super::LibraryFile;
use crate::error::BenchError;

/// A device, with a context and a queue.
pub struct OpenClSession {
    /// Name given by the user.
    name: String,
    /// The device.
    pub device: &'static Device,
    /// The in-order queue.
    pub queue: CommandQueue,
    // Last, so that it is released after its queue.
    context: Context,
}

impl OpenClSession {
    /// A session for a library.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn open(file: &LibraryFile, device: &'static Device) -> Result<Self, BenchError> {
        let name = file.name().to_owned();
        let handle = device.handle();
        let context = opencl(&name, "clCreateContext", Context::from_device(&handle))?;
        // SAFETY: the device belongs to the context.
        let queue = unsafe { CommandQueue::create(&context, handle.id(), 0) };
        let queue = opencl(&name, "clCreateCommandQueue", queue)?;
        Ok(OpenClSession { name, device, queue, context })
    }

    /// The context, as C functions take it.
    pub fn context(&self) -> cl_context {
        self.context.get()
    }

    /// Device memory that holds a copy of `data`.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn upload<T>(&self, data: &[T]) -> Result<Buffer<T>, BenchError> {
        // SAFETY: no host memory is involved.
        let buffer =
            unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, data.len().max(1), std::ptr::null_mut()) };
        let mut buffer = opencl(&self.name, "clCreateBuffer", buffer)?;
        self.write(&mut buffer, data)?;
        Ok(buffer)
    }

    /// Fills device memory that was made from as many elements.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn write<T>(&self, buffer: &mut Buffer<T>, data: &[T]) -> Result<(), BenchError> {
        // SAFETY: the write is blocking, and the buffer has room for the data.
        let written = unsafe { self.queue.enqueue_write_buffer(buffer, CL_TRUE, 0, data, &[]) };
        opencl(&self.name, "clEnqueueWriteBuffer", written).map(drop)
    }

    /// A copy of device memory, after everything enqueued before.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn download<T>(&self, buffer: &Buffer<T>, to: &mut [T]) -> Result<(), BenchError> {
        // SAFETY: the read is blocking, and the buffer was made from as many elements.
        let read = unsafe { self.queue.enqueue_read_buffer(buffer, CL_TRUE, 0, to, &[]) };
        opencl(&self.name, "clEnqueueReadBuffer", read).map(drop)
    }

    /// Waits for everything enqueued.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn finish(&self) -> Result<(), BenchError> {
        opencl(&self.name, "clFinish", self.queue.finish())
    }
}

/// Our library runs on the host, where there is no device for the other one.
pub fn without_device(file: &LibraryFile) -> BenchError {
    BenchError::Unfit(format!("{} runs on OpenCL devices only: --device names one", file.name()))
}

fn opencl<R>(name: &str, call: &str, result: opencl3::Result<R>) -> Result<R, BenchError> {
    result.map_err(|error| BenchError::Peer { name: name.to_owned(), call: call.to_owned(), code: error.0 })
}
