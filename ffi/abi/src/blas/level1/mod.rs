//! BLAS level 1.

pub mod asum;
pub mod axpby;
pub mod axpy;
pub mod copy;
pub mod dot;
pub mod dotc;
pub mod dotu;
pub mod dsdot;
pub mod iamax;
pub mod iamin;
pub mod nrm2;
pub mod rot;
pub mod rot_real;
pub mod rotg;
pub mod rotm;
pub mod rotmg;
pub mod scal;
pub mod scal_real;
pub mod sdsdot;
pub mod swap;
