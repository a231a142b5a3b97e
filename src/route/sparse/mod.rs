//! Operations on sparse matrices, where they lie: on the host or on a device.

mod convert;
mod product;
