//! The routines on the host, in the modules of the files that they test. One binary, which links the crate's instances:
//! unit tests would compile all of the crate once more.

mod host {
    mod array;
    mod at_exit;
    mod fft;
    mod gemm;
    mod lapack;
    mod level2;
    mod norm;
    mod small;
    mod solve;
    mod sparse;
    mod trsm;
}
