//! Operations on sparse matrices, where they lie: on the host or on a device.

#[cfg(test)]
mod bench;
mod convert;
mod product;
