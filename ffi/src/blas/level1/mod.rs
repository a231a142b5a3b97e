//! BLAS level 1.

pub(crate) mod asum;
pub(crate) mod axpby;
pub(crate) mod axpy;
pub(crate) mod copy;
pub(crate) mod dot;
pub(crate) mod dotc;
pub(crate) mod dotu;
pub(crate) mod dsdot;
pub(crate) mod iamax;
pub(crate) mod iamin;
pub(crate) mod nrm2;
pub(crate) mod rot;
pub(crate) mod rot_real;
pub(crate) mod rotg;
pub(crate) mod rotm;
pub(crate) mod rotmg;
pub(crate) mod scal;
pub(crate) mod scal_real;
pub(crate) mod sdsdot;
pub(crate) mod swap;
