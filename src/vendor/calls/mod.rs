//! What the arguments of each routine are, in BLAS's order. What no interface takes, such as the conjugate of a matrix
//! that is not transposed, gives `None`.

pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
