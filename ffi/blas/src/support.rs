//! BLAS's auxiliary functions.

use std::ffi::{c_char, c_int};

use affinimath::{Complex32, Complex64, Scalar};

/// LSAME: true if two letters are the same in any case.
macro_rules! lsame {
    ($($name:ident: $logical:ty;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(one: *const c_char, other: *const c_char) -> $logical {
            // SAFETY: LSAME requires two readable letters.
            let (one, other) = unsafe { (one.cast::<u8>().read(), other.cast::<u8>().read()) };
            one.eq_ignore_ascii_case(&other).into()
        }
    )+};
}

lsame! {
    lsame_: c_int;
    scipy_lsame_: c_int;
    lsame_64_: i64;
    scipy_lsame_64_: i64;
}

/// |re| + |im| of a complex scalar: Fortran's function, and the reference's subroutine for it.
macro_rules! cabs1 {
    ($($complex:ty, $real:ty: $($name:ident)+, $sub:ident;)+) => {$(
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(z: *const $complex) -> $real {
                // SAFETY: xCABS1 requires a readable element.
                unsafe { z.read() }.sum_of_moduli()
            }
        )+
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $sub(z: *const $complex, result: *mut $real) {
            // SAFETY: the reference's subroutine requires a readable element and a writable result.
            unsafe { result.write(z.read().sum_of_moduli()) };
        }
    )+};
}

cabs1! {
    Complex32, f32: scabs1_ scipy_scabs1_ scabs1_64_ scipy_scabs1_64_
        cblas_scabs1 scipy_cblas_scabs1 cblas_scabs1_64 cblas_scabs164_
        scipy_cblas_scabs164_, scabs1sub_;
    Complex64, f64: dcabs1_ scipy_dcabs1_ dcabs1_64_ scipy_dcabs1_64_
        cblas_dcabs1 scipy_cblas_dcabs1 cblas_dcabs1_64 cblas_dcabs164_
        scipy_cblas_dcabs164_, dcabs1sub_;
}
