//! Eigenvalues of tridiagonal matrices by bisection, eigenvectors of some of them, and both at once: xSTEBZ, xSTEIN and
//! xSTEMR. The library's own functions for it are stev and stevr.

use std::ffi::{CStr, c_char, c_int};

use affinimath::{Scalar, ScalarKind, Spectrum};
use affinimath_abi::boundary::guarded;
use affinimath_cpu::lapack::auxiliary::Block;
use affinimath_cpu::lapack::{count_between, stebz, stein, stemr};
use affinimath_cpu::on_living_thread;

use crate::call::{Language, Routine};
use crate::export::{Complex32, Complex64};
use crate::kinds::{COLUMN_MAJOR, Integer, Real};
use crate::xerbla;

const ROW_MAJOR: c_int = 101;

/// Names for error handlers.
const fn names(stem: usize, kind: ScalarKind) -> &'static CStr {
    match (stem, kind) {
        (0, ScalarKind::S) => c"SSTEBZ",
        (0, _) => c"DSTEBZ",
        (1, ScalarKind::S) => c"SSTEIN",
        (1, ScalarKind::D) => c"DSTEIN",
        (1, ScalarKind::C) => c"CSTEIN",
        (1, ScalarKind::Z) => c"ZSTEIN",
        (_, ScalarKind::S) => c"SSTEMR",
        (_, ScalarKind::D) => c"DSTEMR",
        (_, ScalarKind::C) => c"CSTEMR",
        (_, ScalarKind::Z) => c"ZSTEMR",
    }
}

/// Reports -info to Fortran's handler.
fn fortran(stem: usize, kind: ScalarKind, wide: bool, info: i64) {
    macro_rules! routines {
        ($($name:expr),+) => {
            [$(
                Routine { name: $name, arguments: &[], language: Language::Fortran { wide: false } },
                Routine { name: $name, arguments: &[], language: Language::Fortran { wide: true } }
            ),+]
        };
    }
    static ROUTINES: [Routine; 24] = routines!(
        names(0, ScalarKind::S),
        names(0, ScalarKind::D),
        names(0, ScalarKind::D),
        names(0, ScalarKind::D),
        names(1, ScalarKind::S),
        names(1, ScalarKind::D),
        names(1, ScalarKind::C),
        names(1, ScalarKind::Z),
        names(2, ScalarKind::S),
        names(2, ScalarKind::D),
        names(2, ScalarKind::C),
        names(2, ScalarKind::Z)
    );
    let index = match kind {
        ScalarKind::S => 0,
        ScalarKind::D => 1,
        ScalarKind::C => 2,
        ScalarKind::Z => 3,
    };
    if info < 0 {
        let routine = &ROUTINES[2 * (4 * stem + index) + usize::from(wide)];
        xerbla::report(routine, COLUMN_MAJOR, -info as usize, "a wrong argument");
    }
}

/// # Safety
/// The pointer must be valid for a letter.
unsafe fn letter(given: *const c_char) -> u8 {
    // SAFETY: this function requires a letter.
    unsafe { given.cast::<u8>().read() }.to_ascii_uppercase()
}

/// Elements behind a pointer; none for a count of 0.
///
/// # Safety
/// The pointer must be valid for the elements.
unsafe fn slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    // SAFETY: this function requires `count` elements.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, count) } }
}

/// # Safety
/// The pointer must be valid for the elements, and nothing else may access them.
unsafe fn slice_mut<'a, T>(start: *mut T, count: usize) -> &'a mut [T] {
    // SAFETY: this function requires `count` elements.
    if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(start, count) } }
}

/// A matrix in a layout.
fn block<T>(layout: c_int, start: *mut T, ld: i64) -> Block<T> {
    let (row, column) = if layout == ROW_MAJOR { (ld as isize, 1) } else { (1, ld as isize) };
    Block { start, row, column }
}

/// The eigenvalues that are wanted, or the index of the first of `vl`, `vu`, `il` and `iu` that is wrong, from 0; 4 for
/// another letter.
fn spectrum(range: u8, n: i64, (vl, vu): (f64, f64), (il, iu): (i64, i64)) -> Result<Spectrum, usize> {
    match range {
        b'A' => Ok(Spectrum::All),
        b'V' if vl >= vu => Err(1),
        b'V' => Ok(Spectrum::Within(vl, vu)),
        b'I' if il < 1 || il > n.max(1) => Err(2),
        b'I' if iu < n.min(il) || iu > n => Err(3),
        b'I' if n == 0 => Ok(Spectrum::All),
        b'I' => Ok(Spectrum::Indices(il as usize - 1, iu as usize)),
        _ => Err(4),
    }
}

/// The arguments of xSTEBZ.
struct Bisection<T, I> {
    range: u8,
    order: u8,
    n: i64,
    bounds: (T, T),
    indices: (i64, i64),
    abstol: T,
    d: *const T,
    e: *const T,
    m: *mut I,
    nsplit: *mut I,
    w: *mut T,
    iblock: *mut I,
    isplit: *mut I,
}

impl<T: affinimath::Real, I: Integer> Bisection<T, I> {
    /// # Safety
    /// The pointers must be valid for the elements that LAPACK requires.
    unsafe fn run(&self) -> i64 {
        // The option comes first, its bounds after the size.
        if !matches!(self.range, b'A' | b'V' | b'I') {
            return -1;
        }
        if !matches!(self.order, b'B' | b'E') {
            return -2;
        }
        if self.n < 0 {
            return -3;
        }
        let spectrum = match spectrum(self.range, self.n, (self.bounds.0.re(), self.bounds.1.re()), self.indices) {
            Ok(spectrum) => spectrum,
            Err(index) => return -(index as i64 + 4),
        };
        let n = self.n as usize;
        // SAFETY: this function requires these elements.
        unsafe {
            let (d, e) = (slice(self.d, n), slice(self.e, n.saturating_sub(1)));
            let (mut blocks, mut splits) = (vec![0; n], vec![0; n]);
            let (w, by_blocks) = (slice_mut(self.w, n), self.order == b'B');
            let (count, of_blocks) = stebz(spectrum, by_blocks, self.abstol.re(), d, e, w, &mut blocks, &mut splits);
            self.m.write(I::from_wide(count as i64));
            self.nsplit.write(I::from_wide(of_blocks as i64));
            for (i, block) in blocks.iter().take(count).enumerate() {
                self.iblock.add(i).write(I::from_wide((*block).into()));
            }
            for (i, split) in splits.iter().take(of_blocks).enumerate() {
                self.isplit.add(i).write(I::from_wide((*split).into()));
            }
        }
        0
    }
}

/// The arguments of xSTEIN.
struct Inverse<T: Scalar, I> {
    layout: c_int,
    n: i64,
    d: *const Real<T>,
    e: *const Real<T>,
    m: i64,
    w: *const Real<T>,
    iblock: *const I,
    isplit: *const I,
    z: *mut T,
    ldz: i64,
    ifail: *mut I,
}

impl<T: Scalar, I: Integer> Inverse<T, I> {
    /// # Safety
    /// The pointers must be valid for the elements that LAPACK requires.
    unsafe fn run(&self) -> i64 {
        if self.n < 0 {
            return -1;
        }
        if self.m < 0 || self.m > self.n {
            return -4;
        }
        if self.ldz < 1.max(if self.layout == ROW_MAJOR { self.m } else { self.n }) {
            return -9;
        }
        let (n, m) = (self.n as usize, self.m as usize);
        if m == 0 {
            return 0;
        }
        // SAFETY: this function requires these elements.
        unsafe {
            let numbers = |x: *const I, count| slice(x, count).iter().map(|x| x.wide() as i32).collect::<Vec<_>>();
            let (blocks, w) = (numbers(self.iblock, m), slice(self.w, m));
            for j in 1..m {
                if blocks[j] < blocks[j - 1] {
                    return -6;
                }
                if blocks[j] == blocks[j - 1] && w[j].re() < w[j - 1].re() {
                    return -5;
                }
            }
            if blocks[0] < 1 || blocks[m - 1] > n as i32 {
                return -6;
            }
            let splits = numbers(self.isplit, blocks[m - 1] as usize);
            if splits.iter().enumerate().any(|(i, s)| *s < 1 || *s > n as i32 || i > 0 && *s <= splits[i - 1]) {
                return -7;
            }
            let (d, e) = (slice(self.d, n), slice(self.e, n - 1));
            stein::<T>(d, e, w, &blocks, &splits, block(self.layout, self.z, self.ldz));
            (0..m).for_each(|i| self.ifail.add(i).write(I::from_wide(0)));
        }
        0
    }
}

/// The arguments of xSTEMR.
struct Relative<T: Scalar, I> {
    layout: c_int,
    jobz: u8,
    range: u8,
    n: i64,
    d: *const Real<T>,
    e: *const Real<T>,
    bounds: (Real<T>, Real<T>),
    indices: (i64, i64),
    m: *mut I,
    w: *mut Real<T>,
    z: *mut T,
    ldz: i64,
    nzc: i64,
    isuppz: *mut I,
    tryrac: *mut I,
    /// Workspaces and their lengths; none of LAPACKE's own.
    work: Option<(*mut Real<T>, i64, *mut I, i64)>,
}

impl<T: Scalar, I: Integer> Relative<T, I> {
    /// # Safety
    /// The pointers must be valid for the elements that LAPACK requires.
    unsafe fn run(&self) -> i64 {
        let (vectors, n) = (self.jobz == b'V', self.n);
        if !vectors && self.jobz != b'N' {
            return -1;
        }
        if !matches!(self.range, b'A' | b'V' | b'I') {
            return -2;
        }
        if n < 0 {
            return -3;
        }
        let bounds = (self.bounds.0.re(), self.bounds.1.re());
        let spectrum = match (self.range, n) {
            // LAPACK: bounds of nothing are not looked at, nor are the indices' upper ones.
            (b'V', 0) => Ok(Spectrum::All),
            _ => spectrum(self.range, n, bounds, self.indices),
        };
        let spectrum = match spectrum {
            Ok(spectrum) => spectrum,
            Err(index) => return -(index as i64 + 6),
        };
        let (min_lwork, integers) = if vectors { (18 * n, 10 * n) } else { (12 * n, 8 * n) };
        let rows = if !vectors {
            1
        } else if self.layout == ROW_MAJOR {
            self.nzc.max(1)
        } else {
            n.max(1)
        };
        if self.ldz < 1 || self.ldz < rows {
            return -13;
        }
        // SAFETY: this function requires these elements.
        unsafe {
            let (order, off) = (n as usize, (n as usize).saturating_sub(1));
            let (d, e) = (slice(self.d, order), slice(self.e, off));
            let mut queries = false;
            if let Some((work, lwork, iwork, liwork)) = self.work {
                queries = lwork == -1 || liwork == -1;
                if !queries && lwork < min_lwork.max(1) {
                    return -17;
                }
                if !queries && liwork < integers.max(1) {
                    return -19;
                }
                work.write(Real::<T>::from_parts(min_lwork.max(1) as f64, 0.0));
                iwork.write(I::from_wide(integers.max(1)));
            }
            let columns = match spectrum {
                _ if !vectors => 0,
                Spectrum::All => order,
                Spectrum::Within(low, high) => {
                    let numbers = |x: &[Real<T>]| x.iter().map(|x| x.re()).collect::<Vec<f64>>();
                    count_between::<f64>(&numbers(d), &numbers(e), low, high)
                }
                Spectrum::Indices(first, last) => last - first,
            };
            if vectors && self.nzc == -1 {
                self.z.write(T::from_parts(columns as f64, 0.0));
                return 0;
            }
            if vectors && self.nzc < columns as i64 {
                return -14;
            }
            if queries {
                return 0;
            }
            self.m.write(I::from_wide(0));
            if order == 0 {
                return 0;
            }
            let mut found = (0, None);
            let (w, columns) = (slice_mut(self.w, order), self.nzc.max(0) as usize);
            let z = vectors.then(|| (block(self.layout, self.z, self.ldz), columns));
            on_living_thread(|| found = stemr::<T>(spectrum, d, e, w, z));
            let (count, info) = found;
            if info.is_some() {
                return 2;
            }
            self.m.write(I::from_wide(count as i64));
            self.tryrac.write(I::from_wide(0));
            if vectors {
                for i in 0..count.min(columns) {
                    self.isuppz.add(2 * i).write(I::from_wide(1));
                    self.isuppz.add(2 * i + 1).write(I::from_wide(n));
                }
            }
            0
        }
    }
}

/// The info of a call, of which a panic is a defect.
fn settled(work: impl FnOnce() -> i64) -> i64 {
    let mut info = 0;
    let result = guarded(|| {
        info = work();
        Ok(())
    });
    result.map_or_else(|error| i64::from(error.status()), |()| info)
}

/// Reports a wrong argument of LAPACKE's function, whose first one may be the layout.
fn lapacke(name: &'static CStr, wide: bool, info: i64, layout: bool) -> i64 {
    if info >= 0 || info <= -1000 {
        return info;
    }
    let info = info - i64::from(layout);
    xerbla::lapacke(name, wide, -info as usize);
    info
}

/// Fortran's names and LAPACKE's, with integers of both widths.
macro_rules! names {
    ($one:ident; $($element:ty: $($narrow:ident)+, $($wide:ident)+;)+) => {$(
        $($one!(@one $element, i32, $narrow);)+
        $($one!(@one $element, i64, $wide);)+
    )+};
}

macro_rules! stebz {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            range: *const c_char, order: *const c_char, n: *const $i, vl: *const $t, vu: *const $t, il: *const $i,
            iu: *const $i, abstol: *const $t, d: *const $t, e: *const $t, m: *mut $i, nsplit: *mut $i, w: *mut $t,
            iblock: *mut $i, isplit: *mut $i, _work: *mut $t, _iwork: *mut $i, info: *mut $i,
        ) {
            // SAFETY: xSTEBZ requires pointers that are valid for what it reads and writes.
            unsafe {
                let call = Bisection::<$t, $i> {
                    range: letter(range),
                    order: letter(order),
                    n: (*n).wide(),
                    bounds: (*vl, *vu),
                    indices: ((*il).wide(), (*iu).wide()),
                    abstol: *abstol,
                    d, e, m, nsplit, w, iblock, isplit,
                };
                let found = settled(|| call.run());
                fortran(0, <$t as Scalar>::KIND, <$i as Integer>::WIDE, found);
                info.write(Integer::from_wide(found));
            }
        }
    };
    ($($lines:tt)+) => { names! { stebz; $($lines)+ } };
}
macro_rules! stebz_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        // The form with workspace has two arguments more, which are not read.
        unsafe extern "C" fn $symbol(
            range: c_char, order: c_char, n: $i, vl: $t, vu: $t, il: $i, iu: $i, abstol: $t, d: *const $t,
            e: *const $t, m: *mut $i, nsplit: *mut $i, w: *mut $t, iblock: *mut $i, isplit: *mut $i,
        ) -> $i {
            // SAFETY: LAPACKE_xstebz requires pointers that are valid for what it reads and writes.
            let found = unsafe {
                let call = Bisection::<$t, $i> {
                    range: letter(&range),
                    order: letter(&order),
                    n: n.wide(),
                    bounds: (vl, vu),
                    indices: (il.wide(), iu.wide()),
                    abstol, d, e, m, nsplit, w, iblock, isplit,
                };
                settled(|| call.run())
            };
            Integer::from_wide(lapacke(c"LAPACKE_stebz", <$i as Integer>::WIDE, found, false))
        }
    };
    ($($lines:tt)+) => { names! { stebz_lapacke; $($lines)+ } };
}
stebz! {
    f32: sstebz_ scipy_sstebz_, sstebz_64_ scipy_sstebz_64_;
    f64: dstebz_ scipy_dstebz_, dstebz_64_ scipy_dstebz_64_;
}

stebz_lapacke! {
    f32: LAPACKE_sstebz scipy_LAPACKE_sstebz LAPACKE_sstebz_work scipy_LAPACKE_sstebz_work,
        LAPACKE_sstebz64_ LAPACKE_sstebz_64 scipy_LAPACKE_sstebz64_
        LAPACKE_sstebz_work64_ LAPACKE_sstebz_work_64 scipy_LAPACKE_sstebz_work64_;
    f64: LAPACKE_dstebz scipy_LAPACKE_dstebz LAPACKE_dstebz_work scipy_LAPACKE_dstebz_work,
        LAPACKE_dstebz64_ LAPACKE_dstebz_64 scipy_LAPACKE_dstebz64_
        LAPACKE_dstebz_work64_ LAPACKE_dstebz_work_64 scipy_LAPACKE_dstebz_work64_;
}

macro_rules! stein {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            n: *const $i, d: *const Real<$t>, e: *const Real<$t>, m: *const $i, w: *const Real<$t>, iblock: *const $i,
            isplit: *const $i, z: *mut $t, ldz: *const $i, _work: *mut Real<$t>, _iwork: *mut $i, ifail: *mut $i,
            info: *mut $i,
        ) {
            // SAFETY: xSTEIN requires pointers that are valid for what it reads and writes.
            unsafe {
                let (n, m, ldz) = ((*n).wide(), (*m).wide(), (*ldz).wide());
                let call =
                    Inverse::<$t, $i> { layout: COLUMN_MAJOR, n, d, e, m, w, iblock, isplit, z, ldz, ifail };
                let found = settled(|| call.run());
                fortran(1, <$t as Scalar>::KIND, <$i as Integer>::WIDE, found);
                info.write(Integer::from_wide(found));
            }
        }
    };
    ($($lines:tt)+) => { names! { stein; $($lines)+ } };
}
macro_rules! stein_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, n: $i, d: *const Real<$t>, e: *const Real<$t>, m: $i, w: *const Real<$t>, iblock: *const $i,
            isplit: *const $i, z: *mut $t, ldz: $i, ifail: *mut $i,
        ) -> $i {
            let (n, m, ldz) = (n.wide(), m.wide(), ldz.wide());
            let call = Inverse::<$t, $i> { layout, n, d, e, m, w, iblock, isplit, z, ldz, ifail };
            // SAFETY: LAPACKE_xstein requires pointers that are valid for what it reads and writes.
            let found = settled(|| unsafe { call.run() });
            Integer::from_wide(lapacke(c"LAPACKE_stein", <$i as Integer>::WIDE, found, true))
        }
    };
    ($($lines:tt)+) => { names! { stein_lapacke; $($lines)+ } };
}
macro_rules! stein_work {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, n: $i, d: *const Real<$t>, e: *const Real<$t>, m: $i, w: *const Real<$t>, iblock: *const $i,
            isplit: *const $i, z: *mut $t, ldz: $i, _work: *mut Real<$t>, _iwork: *mut $i, ifail: *mut $i,
        ) -> $i {
            let (n, m, ldz) = (n.wide(), m.wide(), ldz.wide());
            let call = Inverse::<$t, $i> { layout, n, d, e, m, w, iblock, isplit, z, ldz, ifail };
            // SAFETY: LAPACKE_xstein_work requires pointers that are valid for what it reads and writes.
            let found = settled(|| unsafe { call.run() });
            Integer::from_wide(lapacke(c"LAPACKE_stein_work", <$i as Integer>::WIDE, found, true))
        }
    };
    ($($lines:tt)+) => { names! { stein_work; $($lines)+ } };
}
stein! {
    f32: sstein_ scipy_sstein_, sstein_64_ scipy_sstein_64_;
    f64: dstein_ scipy_dstein_, dstein_64_ scipy_dstein_64_;
    Complex32: cstein_ scipy_cstein_, cstein_64_ scipy_cstein_64_;
    Complex64: zstein_ scipy_zstein_, zstein_64_ scipy_zstein_64_;
}

stein_lapacke! {
    f32: LAPACKE_sstein scipy_LAPACKE_sstein, LAPACKE_sstein64_ LAPACKE_sstein_64 scipy_LAPACKE_sstein64_;
    f64: LAPACKE_dstein scipy_LAPACKE_dstein, LAPACKE_dstein64_ LAPACKE_dstein_64 scipy_LAPACKE_dstein64_;
    Complex32: LAPACKE_cstein scipy_LAPACKE_cstein, LAPACKE_cstein64_ LAPACKE_cstein_64 scipy_LAPACKE_cstein64_;
    Complex64: LAPACKE_zstein scipy_LAPACKE_zstein, LAPACKE_zstein64_ LAPACKE_zstein_64 scipy_LAPACKE_zstein64_;
}

stein_work! {
    f32: LAPACKE_sstein_work scipy_LAPACKE_sstein_work,
        LAPACKE_sstein_work64_ LAPACKE_sstein_work_64 scipy_LAPACKE_sstein_work64_;
    f64: LAPACKE_dstein_work scipy_LAPACKE_dstein_work,
        LAPACKE_dstein_work64_ LAPACKE_dstein_work_64 scipy_LAPACKE_dstein_work64_;
    Complex32: LAPACKE_cstein_work scipy_LAPACKE_cstein_work,
        LAPACKE_cstein_work64_ LAPACKE_cstein_work_64 scipy_LAPACKE_cstein_work64_;
    Complex64: LAPACKE_zstein_work scipy_LAPACKE_zstein_work,
        LAPACKE_zstein_work64_ LAPACKE_zstein_work_64 scipy_LAPACKE_zstein_work64_;
}

macro_rules! stemr {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            jobz: *const c_char, range: *const c_char, n: *const $i, d: *mut Real<$t>, e: *mut Real<$t>,
            vl: *const Real<$t>, vu: *const Real<$t>, il: *const $i, iu: *const $i, m: *mut $i, w: *mut Real<$t>,
            z: *mut $t, ldz: *const $i, nzc: *const $i, isuppz: *mut $i, tryrac: *mut $i, work: *mut Real<$t>,
            lwork: *const $i, iwork: *mut $i, liwork: *const $i, info: *mut $i,
        ) {
            // SAFETY: xSTEMR requires pointers that are valid for what it reads and writes.
            unsafe {
                let call = Relative::<$t, $i> {
                    layout: COLUMN_MAJOR,
                    jobz: letter(jobz),
                    range: letter(range),
                    n: (*n).wide(),
                    d, e,
                    bounds: (*vl, *vu),
                    indices: ((*il).wide(), (*iu).wide()),
                    m, w, z,
                    ldz: (*ldz).wide(),
                    nzc: (*nzc).wide(),
                    isuppz, tryrac,
                    work: Some((work, (*lwork).wide(), iwork, (*liwork).wide())),
                };
                let found = settled(|| call.run());
                fortran(2, <$t as Scalar>::KIND, <$i as Integer>::WIDE, found);
                info.write(Integer::from_wide(found));
            }
        }
    };
    ($($lines:tt)+) => { names! { stemr; $($lines)+ } };
}
macro_rules! stemr_lapacke {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, jobz: c_char, range: c_char, n: $i, d: *mut Real<$t>, e: *mut Real<$t>, vl: Real<$t>,
            vu: Real<$t>, il: $i, iu: $i, m: *mut $i, w: *mut Real<$t>, z: *mut $t, ldz: $i, nzc: $i,
            isuppz: *mut $i, tryrac: *mut $i,
        ) -> $i {
            // SAFETY: LAPACKE_xstemr requires pointers that are valid for what it reads and writes.
            let found = unsafe {
                let call = Relative::<$t, $i> {
                    layout,
                    jobz: letter(&jobz),
                    range: letter(&range),
                    n: n.wide(),
                    d, e,
                    bounds: (vl, vu),
                    indices: (il.wide(), iu.wide()),
                    m, w, z,
                    ldz: ldz.wide(),
                    nzc: nzc.wide(),
                    isuppz, tryrac,
                    work: None,
                };
                settled(|| call.run())
            };
            Integer::from_wide(lapacke(c"LAPACKE_stemr", <$i as Integer>::WIDE, found, true))
        }
    };
    ($($lines:tt)+) => { names! { stemr_lapacke; $($lines)+ } };
}
macro_rules! stemr_work {
    (@one $t:ty, $i:ty, $symbol:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(
            layout: c_int, jobz: c_char, range: c_char, n: $i, d: *mut Real<$t>, e: *mut Real<$t>, vl: Real<$t>,
            vu: Real<$t>, il: $i, iu: $i, m: *mut $i, w: *mut Real<$t>, z: *mut $t, ldz: $i, nzc: $i,
            isuppz: *mut $i, tryrac: *mut $i, work: *mut Real<$t>, lwork: $i, iwork: *mut $i, liwork: $i,
        ) -> $i {
            // SAFETY: LAPACKE_xstemr_work requires pointers that are valid for what it reads and writes.
            let found = unsafe {
                let call = Relative::<$t, $i> {
                    layout,
                    jobz: letter(&jobz),
                    range: letter(&range),
                    n: n.wide(),
                    d, e,
                    bounds: (vl, vu),
                    indices: (il.wide(), iu.wide()),
                    m, w, z,
                    ldz: ldz.wide(),
                    nzc: nzc.wide(),
                    isuppz, tryrac,
                    work: Some((work, lwork.wide(), iwork, liwork.wide())),
                };
                settled(|| call.run())
            };
            Integer::from_wide(lapacke(c"LAPACKE_stemr_work", <$i as Integer>::WIDE, found, true))
        }
    };
    ($($lines:tt)+) => { names! { stemr_work; $($lines)+ } };
}
stemr! {
    f32: sstemr_ scipy_sstemr_, sstemr_64_ scipy_sstemr_64_;
    f64: dstemr_ scipy_dstemr_, dstemr_64_ scipy_dstemr_64_;
    Complex32: cstemr_ scipy_cstemr_, cstemr_64_ scipy_cstemr_64_;
    Complex64: zstemr_ scipy_zstemr_, zstemr_64_ scipy_zstemr_64_;
}

stemr_lapacke! {
    f32: LAPACKE_sstemr scipy_LAPACKE_sstemr, LAPACKE_sstemr64_ LAPACKE_sstemr_64 scipy_LAPACKE_sstemr64_;
    f64: LAPACKE_dstemr scipy_LAPACKE_dstemr, LAPACKE_dstemr64_ LAPACKE_dstemr_64 scipy_LAPACKE_dstemr64_;
    Complex32: LAPACKE_cstemr scipy_LAPACKE_cstemr, LAPACKE_cstemr64_ LAPACKE_cstemr_64 scipy_LAPACKE_cstemr64_;
    Complex64: LAPACKE_zstemr scipy_LAPACKE_zstemr, LAPACKE_zstemr64_ LAPACKE_zstemr_64 scipy_LAPACKE_zstemr64_;
}

stemr_work! {
    f32: LAPACKE_sstemr_work scipy_LAPACKE_sstemr_work,
        LAPACKE_sstemr_work64_ LAPACKE_sstemr_work_64 scipy_LAPACKE_sstemr_work64_;
    f64: LAPACKE_dstemr_work scipy_LAPACKE_dstemr_work,
        LAPACKE_dstemr_work64_ LAPACKE_dstemr_work_64 scipy_LAPACKE_dstemr_work64_;
    Complex32: LAPACKE_cstemr_work scipy_LAPACKE_cstemr_work,
        LAPACKE_cstemr_work64_ LAPACKE_cstemr_work_64 scipy_LAPACKE_cstemr_work64_;
    Complex64: LAPACKE_zstemr_work scipy_LAPACKE_zstemr_work,
        LAPACKE_zstemr_work64_ LAPACKE_zstemr_work_64 scipy_LAPACKE_zstemr_work64_;
}
