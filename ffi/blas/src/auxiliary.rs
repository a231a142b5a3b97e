//! Auxiliaries that programs call which are written like LAPACK itself: copies of triangles, Householder reflectors,
//! rotations and machine constants. They check nothing, as LAPACK's own, except xLASCL.

use std::ffi::{CStr, c_char, c_int};

use affinimath::{Scalar, ScalarKind};
use affinimath_cpu::lapack::auxiliary::{
    Block, Direction, Storage, lacpy, larf, larfb, larfg, larft, lartg, lascl, laset, machine,
};

use crate::call::{Language, Routine};
use crate::export::{Complex32, Complex64};
use crate::kinds::{COLUMN_MAJOR, Integer, Real};
use crate::xerbla;

/// The code of LAPACKE's row-major layout.
const ROW_MAJOR: c_int = 101;

/// A letter in upper case; 0 for null.
///
/// # Safety
/// The pointer must be null or valid for a letter.
unsafe fn letter(given: *const c_char) -> u8 {
    // SAFETY: it is not null, and this function requires a letter.
    if given.is_null() { 0 } else { unsafe { given.cast::<u8>().read() }.to_ascii_uppercase() }
}

/// A count; none for a negative one.
fn count<I: Integer>(value: I) -> usize {
    usize::try_from(value.wide()).unwrap_or(0)
}

/// A matrix in a layout.
fn block<T, I: Integer>(layout: c_int, start: *const T, ld: I) -> Block<T> {
    let ld = ld.wide() as isize;
    let (row, column) = if layout == ROW_MAJOR { (ld, 1) } else { (1, ld) };
    Block { start: start.cast_mut(), row, column }
}

fn direction(letter: u8) -> Direction {
    if letter == b'B' { Direction::Backward } else { Direction::Forward }
}

fn storage(letter: u8) -> Storage {
    if letter == b'R' { Storage::Rows } else { Storage::Columns }
}

/// Fortran's names and LAPACKE's of an auxiliary, with integers of both widths.
macro_rules! names {
    ($one:ident; $($element:ty: $($narrow:ident)+, $($wide:ident)+;)+) => {$(
        $($one!(@one $element, i32, $narrow);)+
        $($one!(@one $element, i64, $wide);)+
    )+};
}

macro_rules! lacpy {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            uplo: *const c_char, m: *const $i, n: *const $i, a: *const $t, lda: *const $i, b: *mut $t, ldb: *const $i,
        ) {
            // SAFETY: xLACPY requires readable sizes, and matrices of these sizes.
            unsafe {
                let (a, b) = (block(COLUMN_MAJOR, a, *lda), block(COLUMN_MAJOR, b, *ldb));
                lacpy(letter(uplo), count(*m), count(*n), a, b);
            }
        }
    };
    ($($lines:tt)+) => { names! { lacpy; $($lines)+ } };
}
macro_rules! lacpy_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, uplo: c_char, m: $i, n: $i, a: *const $t, lda: $i, b: *mut $t, ldb: $i,
        ) -> $i {
            // SAFETY: LAPACKE_xlacpy requires matrices of these sizes.
            unsafe { lacpy(letter(&uplo), count(m), count(n), block(layout, a, lda), block(layout, b, ldb)) };
            0
        }
    };
    ($($lines:tt)+) => { names! { lacpy_lapacke; $($lines)+ } };
}
lacpy! {
    f32: slacpy_ scipy_slacpy_, slacpy_64_ scipy_slacpy_64_;
    f64: dlacpy_ scipy_dlacpy_, dlacpy_64_ scipy_dlacpy_64_;
    Complex32: clacpy_ scipy_clacpy_, clacpy_64_ scipy_clacpy_64_;
    Complex64: zlacpy_ scipy_zlacpy_, zlacpy_64_ scipy_zlacpy_64_;
}

lacpy_lapacke! {
    f32: LAPACKE_slacpy scipy_LAPACKE_slacpy LAPACKE_slacpy_work scipy_LAPACKE_slacpy_work,
        LAPACKE_slacpy64_ LAPACKE_slacpy_64 scipy_LAPACKE_slacpy64_
        LAPACKE_slacpy_work64_ LAPACKE_slacpy_work_64 scipy_LAPACKE_slacpy_work64_;
    f64: LAPACKE_dlacpy scipy_LAPACKE_dlacpy LAPACKE_dlacpy_work scipy_LAPACKE_dlacpy_work,
        LAPACKE_dlacpy64_ LAPACKE_dlacpy_64 scipy_LAPACKE_dlacpy64_
        LAPACKE_dlacpy_work64_ LAPACKE_dlacpy_work_64 scipy_LAPACKE_dlacpy_work64_;
    Complex32: LAPACKE_clacpy scipy_LAPACKE_clacpy LAPACKE_clacpy_work scipy_LAPACKE_clacpy_work,
        LAPACKE_clacpy64_ LAPACKE_clacpy_64 scipy_LAPACKE_clacpy64_
        LAPACKE_clacpy_work64_ LAPACKE_clacpy_work_64 scipy_LAPACKE_clacpy_work64_;
    Complex64: LAPACKE_zlacpy scipy_LAPACKE_zlacpy LAPACKE_zlacpy_work scipy_LAPACKE_zlacpy_work,
        LAPACKE_zlacpy64_ LAPACKE_zlacpy_64 scipy_LAPACKE_zlacpy64_
        LAPACKE_zlacpy_work64_ LAPACKE_zlacpy_work_64 scipy_LAPACKE_zlacpy_work64_;
}

macro_rules! laset {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            uplo: *const c_char, m: *const $i, n: *const $i, alpha: *const $t, beta: *const $t, a: *mut $t,
            lda: *const $i,
        ) {
            // SAFETY: xLASET requires readable scalars, and a matrix of these sizes.
            unsafe { laset(letter(uplo), count(*m), count(*n), *alpha, *beta, block(COLUMN_MAJOR, a, *lda)) };
        }
    };
    ($($lines:tt)+) => { names! { laset; $($lines)+ } };
}
macro_rules! laset_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, uplo: c_char, m: $i, n: $i, alpha: $t, beta: $t, a: *mut $t, lda: $i,
        ) -> $i {
            // SAFETY: LAPACKE_xlaset requires a matrix of these sizes.
            unsafe { laset(letter(&uplo), count(m), count(n), alpha, beta, block(layout, a, lda)) };
            0
        }
    };
    ($($lines:tt)+) => { names! { laset_lapacke; $($lines)+ } };
}
laset! {
    f32: slaset_ scipy_slaset_, slaset_64_ scipy_slaset_64_;
    f64: dlaset_ scipy_dlaset_, dlaset_64_ scipy_dlaset_64_;
    Complex32: claset_ scipy_claset_, claset_64_ scipy_claset_64_;
    Complex64: zlaset_ scipy_zlaset_, zlaset_64_ scipy_zlaset_64_;
}

laset_lapacke! {
    f32: LAPACKE_slaset scipy_LAPACKE_slaset LAPACKE_slaset_work scipy_LAPACKE_slaset_work,
        LAPACKE_slaset64_ LAPACKE_slaset_64 scipy_LAPACKE_slaset64_
        LAPACKE_slaset_work64_ LAPACKE_slaset_work_64 scipy_LAPACKE_slaset_work64_;
    f64: LAPACKE_dlaset scipy_LAPACKE_dlaset LAPACKE_dlaset_work scipy_LAPACKE_dlaset_work,
        LAPACKE_dlaset64_ LAPACKE_dlaset_64 scipy_LAPACKE_dlaset64_
        LAPACKE_dlaset_work64_ LAPACKE_dlaset_work_64 scipy_LAPACKE_dlaset_work64_;
    Complex32: LAPACKE_claset scipy_LAPACKE_claset LAPACKE_claset_work scipy_LAPACKE_claset_work,
        LAPACKE_claset64_ LAPACKE_claset_64 scipy_LAPACKE_claset64_
        LAPACKE_claset_work64_ LAPACKE_claset_work_64 scipy_LAPACKE_claset_work64_;
    Complex64: LAPACKE_zlaset scipy_LAPACKE_zlaset LAPACKE_zlaset_work scipy_LAPACKE_zlaset_work,
        LAPACKE_zlaset64_ LAPACKE_zlaset_64 scipy_LAPACKE_zlaset64_
        LAPACKE_zlaset_work64_ LAPACKE_zlaset_work_64 scipy_LAPACKE_zlaset_work64_;
}

/// Checks and does xLASCL; the info is -i for a wrong argument i.
///
/// # Safety
/// A must be a matrix of the sizes and the storage that `kind` says.
unsafe fn scale<T: Scalar>(
    kind: u8,
    [kl, ku]: [i64; 2],
    [from, to]: [f64; 2],
    [m, n]: [i64; 2],
    (a, lda): (Block<T>, i64),
    layout: c_int,
) -> i64 {
    let columns = layout != ROW_MAJOR;
    let rows = match kind {
        b'B' => kl + 1,
        b'Q' => ku + 1,
        b'Z' => 2 * kl + ku + 1,
        _ => m,
    };
    let bands = matches!(kind, b'B' | b'Q' | b'Z');
    match () {
        () if !matches!(kind, b'G' | b'L' | b'U' | b'H') && !bands => return -1,
        () if from == 0.0 || from.is_nan() => return -4,
        () if to.is_nan() => return -5,
        () if m < 0 => return -6,
        () if n < 0 || (kind == b'B' || kind == b'Q') && n != m => return -7,
        () if !bands && lda < 1.max(if columns { m } else { n }) => return -9,
        () if bands && (kl < 0 || kl > 0.max(m - 1)) => return -2,
        () if bands && (ku < 0 || ku > 0.max(n - 1) || (kind == b'B' || kind == b'Q') && kl != ku) => return -3,
        () if bands && lda < if columns { rows } else { 1.max(n) } => return -9,
        () => {}
    }
    // SAFETY: this function requires such a matrix.
    unsafe { lascl(kind, [kl as usize, ku as usize], [from, to], [m as usize, n as usize], a) };
    0
}

/// The name for error handlers.
const fn lascl_name(kind: ScalarKind) -> &'static CStr {
    match kind {
        ScalarKind::S => c"SLASCL",
        ScalarKind::D => c"DLASCL",
        ScalarKind::C => c"CLASCL",
        ScalarKind::Z => c"ZLASCL",
    }
}

macro_rules! lascl {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            kind: *const c_char, kl: *const $i, ku: *const $i, from: *const Real<$t>, to: *const Real<$t>,
            m: *const $i, n: *const $i, a: *mut $t, lda: *const $i, info: *mut $i,
        ) {
            static ROUTINE: Routine = Routine {
                name: lascl_name(<$t as Scalar>::KIND),
                arguments: &["type", "kl", "ku", "cfrom", "cto", "m", "n", "a", "lda"],
                language: Language::Fortran { wide: <$i as Integer>::WIDE },
            };
            // SAFETY: xLASCL requires readable scalars, a matrix of these sizes and a writable info.
            unsafe {
                let [kl, ku, m, n, lda] = [*kl, *ku, *m, *n, *lda].map(Integer::wide);
                let (factors, a) = ([f64::from(*from), f64::from(*to)], block(COLUMN_MAJOR, a, lda));
                let found = scale::<$t>(letter(kind), [kl, ku], factors, [m, n], (a, lda), COLUMN_MAJOR);
                if found < 0 {
                    xerbla::report(&ROUTINE, COLUMN_MAJOR, -found as usize, "an argument of LASCL");
                }
                info.write(Integer::from_wide(found));
            }
        }
    };
    ($($lines:tt)+) => { names! { lascl; $($lines)+ } };
}
macro_rules! lascl_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, kind: c_char, kl: $i, ku: $i, from: Real<$t>, to: Real<$t>, m: $i, n: $i, a: *mut $t,
            lda: $i,
        ) -> $i {
            let (sizes, bands) = ([m.wide(), n.wide()], [kl.wide(), ku.wide()]);
            let (factors, a) = ([f64::from(from), f64::from(to)], (block(layout, a, lda), lda.wide()));
            // SAFETY: LAPACKE_xlascl requires a matrix of these sizes.
            let found = unsafe { scale::<$t>(letter(&kind), bands, factors, sizes, a, layout) };
            if found < 0 {
                xerbla::lapacke(c"LAPACKE_lascl", <$i as Integer>::WIDE, (1 - found) as usize);
                return Integer::from_wide(found - 1);
            }
            0
        }
    };
    ($($lines:tt)+) => { names! { lascl_lapacke; $($lines)+ } };
}
lascl! {
    f32: slascl_ scipy_slascl_, slascl_64_ scipy_slascl_64_;
    f64: dlascl_ scipy_dlascl_, dlascl_64_ scipy_dlascl_64_;
    Complex32: clascl_ scipy_clascl_, clascl_64_ scipy_clascl_64_;
    Complex64: zlascl_ scipy_zlascl_, zlascl_64_ scipy_zlascl_64_;
}

lascl_lapacke! {
    f32: LAPACKE_slascl scipy_LAPACKE_slascl LAPACKE_slascl_work scipy_LAPACKE_slascl_work,
        LAPACKE_slascl64_ LAPACKE_slascl_64 scipy_LAPACKE_slascl64_
        LAPACKE_slascl_work64_ LAPACKE_slascl_work_64 scipy_LAPACKE_slascl_work64_;
    f64: LAPACKE_dlascl scipy_LAPACKE_dlascl LAPACKE_dlascl_work scipy_LAPACKE_dlascl_work,
        LAPACKE_dlascl64_ LAPACKE_dlascl_64 scipy_LAPACKE_dlascl64_
        LAPACKE_dlascl_work64_ LAPACKE_dlascl_work_64 scipy_LAPACKE_dlascl_work64_;
    Complex32: LAPACKE_clascl scipy_LAPACKE_clascl LAPACKE_clascl_work scipy_LAPACKE_clascl_work,
        LAPACKE_clascl64_ LAPACKE_clascl_64 scipy_LAPACKE_clascl64_
        LAPACKE_clascl_work64_ LAPACKE_clascl_work_64 scipy_LAPACKE_clascl_work64_;
    Complex64: LAPACKE_zlascl scipy_LAPACKE_zlascl LAPACKE_zlascl_work scipy_LAPACKE_zlascl_work,
        LAPACKE_zlascl64_ LAPACKE_zlascl_64 scipy_LAPACKE_zlascl64_
        LAPACKE_zlascl_work64_ LAPACKE_zlascl_work_64 scipy_LAPACKE_zlascl_work64_;
}

macro_rules! larfg {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(n: *const $i, alpha: *mut $t, x: *mut $t, incx: *const $i, tau: *mut $t) {
            // SAFETY: xLARFG requires readable sizes, writable scalars, and n - 1 elements of x.
            unsafe { *tau = larfg(count(*n), &mut *alpha, x, incx.read().wide() as isize) };
        }
    };
    ($($lines:tt)+) => { names! { larfg; $($lines)+ } };
}
macro_rules! larfg_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(n: $i, alpha: *mut $t, x: *mut $t, incx: $i, tau: *mut $t) -> $i {
            // SAFETY: LAPACKE_xlarfg requires writable scalars, and n - 1 elements of x.
            unsafe { *tau = larfg(count(n), &mut *alpha, x, incx.wide() as isize) };
            0
        }
    };
    ($($lines:tt)+) => { names! { larfg_lapacke; $($lines)+ } };
}
larfg! {
    f32: slarfg_ scipy_slarfg_, slarfg_64_ scipy_slarfg_64_;
    f64: dlarfg_ scipy_dlarfg_, dlarfg_64_ scipy_dlarfg_64_;
    Complex32: clarfg_ scipy_clarfg_, clarfg_64_ scipy_clarfg_64_;
    Complex64: zlarfg_ scipy_zlarfg_, zlarfg_64_ scipy_zlarfg_64_;
}

larfg_lapacke! {
    f32: LAPACKE_slarfg scipy_LAPACKE_slarfg LAPACKE_slarfg_work scipy_LAPACKE_slarfg_work,
        LAPACKE_slarfg64_ LAPACKE_slarfg_64 scipy_LAPACKE_slarfg64_
        LAPACKE_slarfg_work64_ LAPACKE_slarfg_work_64 scipy_LAPACKE_slarfg_work64_;
    f64: LAPACKE_dlarfg scipy_LAPACKE_dlarfg LAPACKE_dlarfg_work scipy_LAPACKE_dlarfg_work,
        LAPACKE_dlarfg64_ LAPACKE_dlarfg_64 scipy_LAPACKE_dlarfg64_
        LAPACKE_dlarfg_work64_ LAPACKE_dlarfg_work_64 scipy_LAPACKE_dlarfg_work64_;
    Complex32: LAPACKE_clarfg scipy_LAPACKE_clarfg LAPACKE_clarfg_work scipy_LAPACKE_clarfg_work,
        LAPACKE_clarfg64_ LAPACKE_clarfg_64 scipy_LAPACKE_clarfg64_
        LAPACKE_clarfg_work64_ LAPACKE_clarfg_work_64 scipy_LAPACKE_clarfg_work64_;
    Complex64: LAPACKE_zlarfg scipy_LAPACKE_zlarfg LAPACKE_zlarfg_work scipy_LAPACKE_zlarfg_work,
        LAPACKE_zlarfg64_ LAPACKE_zlarfg_64 scipy_LAPACKE_zlarfg64_
        LAPACKE_zlarfg_work64_ LAPACKE_zlarfg_work_64 scipy_LAPACKE_zlarfg_work64_;
}

macro_rules! larf {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            side: *const c_char, m: *const $i, n: *const $i, v: *const $t, incv: *const $i, tau: *const $t, c: *mut $t,
            ldc: *const $i, _work: *mut $t,
        ) {
            // SAFETY: xLARF requires readable sizes and scalars, a vector and a matrix of these sizes.
            unsafe {
                let (m, n, incv) = (count(*m), count(*n), incv.read().wide() as isize);
                larf(letter(side) == b'L', m, n, (v, incv), *tau, block(COLUMN_MAJOR, c, *ldc));
            }
        }
    };
    ($($lines:tt)+) => { names! { larf; $($lines)+ } };
}
larf! {
    f32: slarf_ scipy_slarf_, slarf_64_ scipy_slarf_64_;
    f64: dlarf_ scipy_dlarf_, dlarf_64_ scipy_dlarf_64_;
    Complex32: clarf_ scipy_clarf_, clarf_64_ scipy_clarf_64_;
    Complex64: zlarf_ scipy_zlarf_, zlarf_64_ scipy_zlarf_64_;
}

macro_rules! larft {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            direct: *const c_char, storev: *const c_char, n: *const $i, k: *const $i, v: *const $t, ldv: *const $i,
            tau: *const $t, t: *mut $t, ldt: *const $i,
        ) {
            // SAFETY: xLARFT requires readable sizes, k reflectors of n elements, and k x k elements of T.
            unsafe {
                let kind = (direction(letter(direct)), storage(letter(storev)));
                let (v, t) = (block(COLUMN_MAJOR, v, *ldv), block(COLUMN_MAJOR, t, *ldt));
                larft(kind, count(*n), count(*k), v, tau, t);
            }
        }
    };
    ($($lines:tt)+) => { names! { larft; $($lines)+ } };
}
macro_rules! larft_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, direct: c_char, storev: c_char, n: $i, k: $i, v: *const $t, ldv: $i, tau: *const $t,
            t: *mut $t, ldt: $i,
        ) -> $i {
            // SAFETY: LAPACKE_xlarft requires k reflectors of n elements, and k x k elements of T.
            unsafe {
                let kind = (direction(letter(&direct)), storage(letter(&storev)));
                larft(kind, count(n), count(k), block(layout, v, ldv), tau, block(layout, t, ldt));
            }
            0
        }
    };
    ($($lines:tt)+) => { names! { larft_lapacke; $($lines)+ } };
}
larft! {
    f32: slarft_ scipy_slarft_, slarft_64_ scipy_slarft_64_;
    f64: dlarft_ scipy_dlarft_, dlarft_64_ scipy_dlarft_64_;
    Complex32: clarft_ scipy_clarft_, clarft_64_ scipy_clarft_64_;
    Complex64: zlarft_ scipy_zlarft_, zlarft_64_ scipy_zlarft_64_;
}

larft_lapacke! {
    f32: LAPACKE_slarft scipy_LAPACKE_slarft LAPACKE_slarft_work scipy_LAPACKE_slarft_work,
        LAPACKE_slarft64_ LAPACKE_slarft_64 scipy_LAPACKE_slarft64_
        LAPACKE_slarft_work64_ LAPACKE_slarft_work_64 scipy_LAPACKE_slarft_work64_;
    f64: LAPACKE_dlarft scipy_LAPACKE_dlarft LAPACKE_dlarft_work scipy_LAPACKE_dlarft_work,
        LAPACKE_dlarft64_ LAPACKE_dlarft_64 scipy_LAPACKE_dlarft64_
        LAPACKE_dlarft_work64_ LAPACKE_dlarft_work_64 scipy_LAPACKE_dlarft_work64_;
    Complex32: LAPACKE_clarft scipy_LAPACKE_clarft LAPACKE_clarft_work scipy_LAPACKE_clarft_work,
        LAPACKE_clarft64_ LAPACKE_clarft_64 scipy_LAPACKE_clarft64_
        LAPACKE_clarft_work64_ LAPACKE_clarft_work_64 scipy_LAPACKE_clarft_work64_;
    Complex64: LAPACKE_zlarft scipy_LAPACKE_zlarft LAPACKE_zlarft_work scipy_LAPACKE_zlarft_work,
        LAPACKE_zlarft64_ LAPACKE_zlarft_64 scipy_LAPACKE_zlarft64_
        LAPACKE_zlarft_work64_ LAPACKE_zlarft_work_64 scipy_LAPACKE_zlarft_work64_;
}

macro_rules! larfb {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            side: *const c_char, trans: *const c_char, direct: *const c_char, storev: *const c_char, m: *const $i,
            n: *const $i, k: *const $i, v: *const $t, ldv: *const $i, t: *const $t, ldt: *const $i, c: *mut $t,
            ldc: *const $i, _work: *mut $t, _ldwork: *const $i,
        ) {
            // SAFETY: xLARFB requires readable sizes, and matrices of these sizes.
            unsafe {
                let kind = (direction(letter(direct)), storage(letter(storev)));
                let sizes = [count(*m), count(*n), count(*k)];
                let (left, adjoint) = (letter(side) == b'L', letter(trans) != b'N');
                let (v, t) = (block(COLUMN_MAJOR, v, *ldv), block(COLUMN_MAJOR, t, *ldt));
                larfb((left, adjoint), kind, sizes, v, t, block(COLUMN_MAJOR, c, *ldc));
            }
        }
    };
    ($($lines:tt)+) => { names! { larfb; $($lines)+ } };
}
macro_rules! larfb_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        // The form with workspace has two arguments more, which are not read.
        unsafe extern "C" fn $symbol(
            layout: c_int, side: c_char, trans: c_char, direct: c_char, storev: c_char, m: $i, n: $i, k: $i,
            v: *const $t, ldv: $i, t: *const $t, ldt: $i, c: *mut $t, ldc: $i,
        ) -> $i {
            // SAFETY: LAPACKE_xlarfb requires matrices of these sizes.
            unsafe {
                let kind = (direction(letter(&direct)), storage(letter(&storev)));
                let sizes = [count(m), count(n), count(k)];
                let (left, adjoint) = (letter(&side) == b'L', letter(&trans) != b'N');
                let (v, t) = (block(layout, v, ldv), block(layout, t, ldt));
                larfb((left, adjoint), kind, sizes, v, t, block(layout, c, ldc));
            }
            0
        }
    };
    ($($lines:tt)+) => { names! { larfb_lapacke; $($lines)+ } };
}
larfb! {
    f32: slarfb_ scipy_slarfb_, slarfb_64_ scipy_slarfb_64_;
    f64: dlarfb_ scipy_dlarfb_, dlarfb_64_ scipy_dlarfb_64_;
    Complex32: clarfb_ scipy_clarfb_, clarfb_64_ scipy_clarfb_64_;
    Complex64: zlarfb_ scipy_zlarfb_, zlarfb_64_ scipy_zlarfb_64_;
}

larfb_lapacke! {
    f32: LAPACKE_slarfb scipy_LAPACKE_slarfb LAPACKE_slarfb_work scipy_LAPACKE_slarfb_work,
        LAPACKE_slarfb64_ LAPACKE_slarfb_64 scipy_LAPACKE_slarfb64_
        LAPACKE_slarfb_work64_ LAPACKE_slarfb_work_64 scipy_LAPACKE_slarfb_work64_;
    f64: LAPACKE_dlarfb scipy_LAPACKE_dlarfb LAPACKE_dlarfb_work scipy_LAPACKE_dlarfb_work,
        LAPACKE_dlarfb64_ LAPACKE_dlarfb_64 scipy_LAPACKE_dlarfb64_
        LAPACKE_dlarfb_work64_ LAPACKE_dlarfb_work_64 scipy_LAPACKE_dlarfb_work64_;
    Complex32: LAPACKE_clarfb scipy_LAPACKE_clarfb LAPACKE_clarfb_work scipy_LAPACKE_clarfb_work,
        LAPACKE_clarfb64_ LAPACKE_clarfb_64 scipy_LAPACKE_clarfb64_
        LAPACKE_clarfb_work64_ LAPACKE_clarfb_work_64 scipy_LAPACKE_clarfb_work64_;
    Complex64: LAPACKE_zlarfb scipy_LAPACKE_zlarfb LAPACKE_zlarfb_work scipy_LAPACKE_zlarfb_work,
        LAPACKE_zlarfb64_ LAPACKE_zlarfb_64 scipy_LAPACKE_zlarfb64_
        LAPACKE_zlarfb_work64_ LAPACKE_zlarfb_work_64 scipy_LAPACKE_zlarfb_work64_;
}

macro_rules! lartg {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(f: *const $t, g: *const $t, c: *mut Real<$t>, s: *mut $t, r: *mut $t) {
            // SAFETY: xLARTG requires readable f and g, and writable results.
            unsafe { (*c, *s, *r) = lartg(*f, *g) };
        }
    };
    ($($lines:tt)+) => { names! { lartg; $($lines)+ } };
}
lartg! {
    f32: slartg_ scipy_slartg_, slartg_64_ scipy_slartg_64_;
    f64: dlartg_ scipy_dlartg_, dlartg_64_ scipy_dlartg_64_;
    Complex32: clartg_ scipy_clartg_, clartg_64_ scipy_clartg_64_;
    Complex64: zlartg_ scipy_zlartg_, zlartg_64_ scipy_zlartg_64_;
}

macro_rules! lamch {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(cmach: *const c_char) -> $t {
            // SAFETY: xLAMCH requires a readable letter.
            machine::<$t>(unsafe { letter(cmach) })
        }
    };
    ($($lines:tt)+) => { names! { lamch; $($lines)+ } };
}
macro_rules! lamch_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(cmach: c_char) -> $t {
            machine::<$t>((cmach as u8).to_ascii_uppercase())
        }
    };
    ($($lines:tt)+) => { names! { lamch_lapacke; $($lines)+ } };
}
lamch! {
    f32: slamch_ scipy_slamch_, slamch_64_ scipy_slamch_64_;
    f64: dlamch_ scipy_dlamch_, dlamch_64_ scipy_dlamch_64_;
}

lamch_lapacke! {
    f32: LAPACKE_slamch scipy_LAPACKE_slamch LAPACKE_slamch_work scipy_LAPACKE_slamch_work,
        LAPACKE_slamch64_ LAPACKE_slamch_64 scipy_LAPACKE_slamch64_
        LAPACKE_slamch_work64_ LAPACKE_slamch_work_64 scipy_LAPACKE_slamch_work64_;
    f64: LAPACKE_dlamch scipy_LAPACKE_dlamch LAPACKE_dlamch_work scipy_LAPACKE_dlamch_work,
        LAPACKE_dlamch64_ LAPACKE_dlamch_64 scipy_LAPACKE_dlamch64_
        LAPACKE_dlamch_work64_ LAPACKE_dlamch_work_64 scipy_LAPACKE_dlamch_work64_;
}
