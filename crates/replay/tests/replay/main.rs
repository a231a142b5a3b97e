//! Recorded launches: cases of the interpreter, and traces of a program that these tests start as a process of its own.

mod device;
mod host;

use affinimath_kernel::{Index, Kernel};

/// y := factor x, over rows of a matrix.
fn scale(factor: f32) -> Kernel {
    Kernel::build("scale", |k| {
        let n = k.argument::<Index>("n");
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
        let (i, row) = (k.global_id(0), k.global_id(1));
        k.when(i.lt(n), || y.store(row * n + i, x.at(row * n + i) * factor));
    })
    .unwrap()
}

/// z := (x + y) / 2, element by element, with x and y weighted.
fn mix(weight: f32) -> Kernel {
    Kernel::build("blend", |k| {
        let n = k.argument::<Index>("n");
        let (x, y, z) = (k.input::<f32>("x"), k.input::<f32>("y"), k.output::<f32>("z"));
        let i = k.global_id(0);
        k.when(i.lt(n), || z.store(i, x.at(i) * weight + y.at(i) * 0.25));
    })
    .unwrap()
}
