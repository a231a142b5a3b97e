//! CLBlast, through its C interface, on the device that our library runs on.

use affinimath::Device;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::types::CL_TRUE;

use super::LibraryFile;
use crate::bench::error::BenchError;
use crate::bench::report::ContenderFacts;
use crate::bench::target::MemoryChoice;

/// CLBlast, with a context and a queue of its own: what it builds and enqueues does not mix with ours.
pub struct ClBlastLibrary {
    file: LibraryFile,
    session: Option<Session>,
}

/// CLBlast's device, context and queue.
pub struct Session {
    /// The device.
    pub device: &'static Device,
    /// The in-order queue.
    pub queue: CommandQueue,
    // Last, so that it is released after its queue.
    context: Context,
}

impl ClBlastLibrary {
    /// What a file without one of its functions is asked to be.
    pub const EXPECTED: &str = "CLBlast, built with its C interface";

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    pub(super) fn new(file: LibraryFile, device: Option<&'static Device>) -> Result<Self, BenchError> {
        let session = device.map(|device| Session::open(&file, device)).transpose()?;
        Ok(ClBlastLibrary { file, session })
    }

    /// A function of CLBlast's C interface.
    ///
    /// # Errors
    /// [`BenchError::Symbol`].
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, BenchError> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.file.function(symbol, Self::EXPECTED) }
    }

    /// Its device and queue.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when our library runs on the host: there is no device for CLBlast then.
    pub fn session(&self) -> Result<&Session, BenchError> {
        let absent =
            || BenchError::Unfit(format!("{} runs on OpenCL devices only: --device names one", self.file.name()));
        self.session.as_ref().ok_or_else(absent)
    }

    /// A failed call as an error.
    ///
    /// # Errors
    /// [`BenchError::Peer`] when the status is not zero.
    pub fn check(&self, call: &str, status: i32) -> Result<(), BenchError> {
        self.file.check(call, status)
    }

    /// Device memory that holds a copy of `data`.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn upload<T>(&self, session: &Session, data: &[T]) -> Result<Buffer<T>, BenchError> {
        // SAFETY: no host memory is involved.
        let buffer =
            unsafe { Buffer::create(&session.context, CL_MEM_READ_WRITE, data.len().max(1), std::ptr::null_mut()) };
        let mut buffer = opencl(&self.file, "clCreateBuffer", buffer)?;
        self.write(session, &mut buffer, data)?;
        Ok(buffer)
    }

    /// Fills device memory that was made from as many elements.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn write<T>(&self, session: &Session, buffer: &mut Buffer<T>, data: &[T]) -> Result<(), BenchError> {
        // SAFETY: the write is blocking, and the buffer has room for the data.
        let written = unsafe { session.queue.enqueue_write_buffer(buffer, CL_TRUE, 0, data, &[]) };
        opencl(&self.file, "clEnqueueWriteBuffer", written).map(drop)
    }

    /// A copy of device memory, after everything enqueued before.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn download<T>(&self, session: &Session, buffer: &Buffer<T>, to: &mut [T]) -> Result<(), BenchError> {
        // SAFETY: the read is blocking, and the buffer was made from as many elements.
        let read = unsafe { session.queue.enqueue_read_buffer(buffer, CL_TRUE, 0, to, &[]) };
        opencl(&self.file, "clEnqueueReadBuffer", read).map(drop)
    }

    /// Waits for everything enqueued.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with OpenCL's code.
    pub fn finish(&self, session: &Session) -> Result<(), BenchError> {
        opencl(&self.file, "clFinish", session.queue.finish())
    }

    pub(super) fn facts(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: self.file.library().version_in_name().map(|version| format!("CLBlast {version}")),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }
}

impl Session {
    fn open(file: &LibraryFile, device: &'static Device) -> Result<Self, BenchError> {
        let handle = device.handle();
        let context = opencl(file, "clCreateContext", Context::from_device(&handle))?;
        // SAFETY: the device belongs to the context.
        let queue = unsafe { CommandQueue::create(&context, handle.id(), 0) };
        Ok(Session { device, queue: opencl(file, "clCreateCommandQueue", queue)?, context })
    }
}

fn opencl<R>(file: &LibraryFile, call: &str, result: opencl3::Result<R>) -> Result<R, BenchError> {
    result.map_err(|error| file.failed(call, error.0))
}
