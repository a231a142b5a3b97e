//! Texts of kernels.
