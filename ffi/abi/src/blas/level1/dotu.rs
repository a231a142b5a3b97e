//! dotu: dot of complex vectors.

pub use super::dot::Call;
