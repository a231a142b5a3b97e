//! dotu: dot of complex vectors.

pub(crate) use super::dot::Call;
