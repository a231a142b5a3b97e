//! gemm_batch of Intel MKL and OpenBLAS: groups of products, each with options and sizes of its own.

use std::ffi::{c_char, c_int};

use affinimath_abi::blas::level3::gemm;

use crate::export::*;

/// `$fortran` and `$cblas` are the names, with integers of type `$integer`.
macro_rules! gemm_batch {
    ($($element:ty, $integer:ty: $($fortran:ident)+, $upper:literal, $($cblas:ident)+, $lower:literal;)+) => {$(
        $(gemm_batch!(@one $fortran, Op, from_fortran, Fortran, $element, $integer, $upper, Language::Fortran {
            wide: <$integer as Integer>::WIDE,
        }, [], [*const c_char], |option| option, [*const]);)+
        $(gemm_batch!(@one $cblas, Op, from_cblas, Cblas, $element, $integer, $lower, Language::Cblas {
            wide: <$integer as Integer>::WIDE,
            exchanged: &[],
        }, [layout: c_int], [*const c_int], |option| option.read(), []);)+
    )+};
    (
        @one $symbol:ident, $op:ident, $convert:ident, $language:ident, $element:ty, $integer:ty, $name:literal,
        $routine_language:expr, [$($layout:ident: $layout_type:ty)?], [$options:ty], |$option:ident| $given:expr,
        [$($by_pointer:tt)*]
    ) => {
        const _: () = {
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments, reason = "the arguments of gemm_batch")]
            unsafe extern "C" fn $symbol(
                $($layout: $layout_type,)?
                transa: $options,
                transb: $options,
                m: *const I,
                n: *const I,
                k: *const I,
                alpha: *const T,
                a: *const *const T,
                lda: *const I,
                b: *const *const T,
                ldb: *const I,
                beta: *const T,
                c: *const *mut T,
                ldc: *const I,
                group_count: $($by_pointer)* I,
                group_size: *const I,
            ) {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[
                        $(stringify!($layout),)?
                        "transa", "transb", "m", "n", "k", "alpha", "a", "lda", "b", "ldb", "beta", "c", "ldc",
                        "group_count", "group_size",
                    ],
                    language: $routine_language,
                };
                #[allow(unused_variables)]
                let layout = COLUMN_MAJOR;
                $(let layout = $layout;)?
                let op = |options: $options, group: usize| {
                    // SAFETY: gemm_batch requires an option for each group.
                    unsafe {
                        let $option = options.add(group);
                        <$op as Argument<I>>::$convert(&$given)
                    }
                };
                let size = |sizes: *const I, group: usize| {
                    // SAFETY: gemm_batch requires a size for each group.
                    unsafe { sizes.add(group).read() }.wide()
                };
                // SAFETY: gemm_batch requires a readable group count.
                let groups = unsafe { <Size as Argument<I>>::$convert(&group_count) };
                let mut matrix = 0;
                for group in 0..usize::try_from(groups).unwrap_or(0) {
                    for _ in 0..size(group_size, group) {
                        // SAFETY: gemm_batch requires `group_size` matrices for each group, of its sizes and leading
                        // dimensions.
                        unsafe {
                            complete_with_layout(&ROUTINE, layout, &gemm::Call::<T, Standard> {
                                    layout,
                                    transa: op(transa, group),
                                    transb: op(transb, group),
                                    m: size(m, group),
                                    n: size(n, group),
                                    k: size(k, group),
                                    alpha: alpha.add(group).read(),
                                    a: a.add(matrix).read().into(),
                                    lda: size(lda, group),
                                    b: b.add(matrix).read().into(),
                                    ldb: size(ldb, group),
                                    beta: beta.add(group).read(),
                                    c: c.add(matrix).read().into(),
                                    ldc: size(ldc, group),
                            });
                        }
                        matrix += 1;
                    }
                }
            }
        };
    };
}

gemm_batch! {
    f32, i32: sgemm_batch_ scipy_sgemm_batch_, c"SGEMM_BATCH",
        cblas_sgemm_batch scipy_cblas_sgemm_batch, c"cblas_sgemm_batch";
    f64, i32: dgemm_batch_ scipy_dgemm_batch_, c"DGEMM_BATCH",
        cblas_dgemm_batch scipy_cblas_dgemm_batch, c"cblas_dgemm_batch";
    Complex32, i32: cgemm_batch_ scipy_cgemm_batch_, c"CGEMM_BATCH",
        cblas_cgemm_batch scipy_cblas_cgemm_batch, c"cblas_cgemm_batch";
    Complex64, i32: zgemm_batch_ scipy_zgemm_batch_, c"ZGEMM_BATCH",
        cblas_zgemm_batch scipy_cblas_zgemm_batch, c"cblas_zgemm_batch";
    f32, i64: sgemm_batch_64_ scipy_sgemm_batch_64_, c"SGEMM_BATCH", cblas_sgemm_batch64_ cblas_sgemm_batch_64
        scipy_cblas_sgemm_batch64_, c"cblas_sgemm_batch";
    f64, i64: dgemm_batch_64_ scipy_dgemm_batch_64_, c"DGEMM_BATCH", cblas_dgemm_batch64_ cblas_dgemm_batch_64
        scipy_cblas_dgemm_batch64_, c"cblas_dgemm_batch";
    Complex32, i64: cgemm_batch_64_ scipy_cgemm_batch_64_, c"CGEMM_BATCH", cblas_cgemm_batch64_ cblas_cgemm_batch_64
        scipy_cblas_cgemm_batch64_, c"cblas_cgemm_batch";
    Complex64, i64: zgemm_batch_64_ scipy_zgemm_batch_64_, c"ZGEMM_BATCH", cblas_zgemm_batch64_ cblas_zgemm_batch_64
        scipy_cblas_zgemm_batch64_, c"cblas_zgemm_batch";
}
