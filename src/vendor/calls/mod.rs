//! Arguments of each routine, in BLAS's order. A call that no interface has, such as with op conj(A), gives `None`.

pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
