//! A fused expression: one pass over memory where a library's calls would take several.

use affinimath_kernel::{BuildError, Index, Kernel, Real};

/// z := a x + sqrt(|y|), over n elements, in single or double precision.
pub fn fused_axpy<R: Real>() -> Result<Kernel, BuildError> {
    Kernel::build("fused_axpy", |k| {
        k.comment("z := a x + sqrt(|y|), over n elements.");
        let n = k.argument::<Index>("n");
        let a = k.argument::<R>("a");
        let x = k.input::<R>("x");
        let y = k.input::<R>("y");
        let z = k.output::<R>("z");

        let i = k.global_id(0);
        k.when(i.lt(n), || z.store(i, a * x.at(i) + y.at(i).abs().sqrt()));
    })
}
