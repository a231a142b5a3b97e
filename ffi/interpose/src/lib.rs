//! `libaffinimath_trace.so`: stands in for libOpenCL, and writes what a foreign program launches as a trace.
//!
//! Each function of OpenCL calls the real one, whose result the program gets. `forward` has those that leave no trace.
//! `kernels`, `programs`, `memory` and `queues` have the others: they keep what a launch needs in `objects`, and tell
//! the `recorder`. `launch` is the one place where a launch is described, waited for and read.
//!
//! Locks: the recorder's is held over a recorded launch, that of the objects over no call of a driver but
//! clRetainCommandQueue, which waits for nothing. A driver's thread waits for no launch: what it has to tell is
//! deferred.

mod find;
mod forward;
mod info;
mod kernels;
mod launch;
mod memory;
mod objects;
mod programs;
mod queues;
mod reader;
mod real;
mod recorder;
mod types;
