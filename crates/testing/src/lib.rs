//! Tools for the tests of the crates: matrices with canaries, references, and the choice of element types.

pub mod close;
pub mod fft;

use affinimath_core::options::Layout;
pub use close::{LAPACK_THRESHOLD, is_close, lapack_ratio, sum_tolerance};

pub use affinimath_core::scalar::{Complex32, Complex64, Scalar, ScalarKind};
use affinimath_core::view::{BatchShape, MatrixMut, MatrixRef, MatrixShape};
use faer::Mat;

/// The element types in a list of BLAS's letters, such as `S,Z`: for each place in it the type, or several types in the
/// order in which they are preferred, such as `C/D`.
fn listed_types(list: &str) -> Vec<Vec<ScalarKind>> {
    let kind = |name: &str| match name {
        "S" => ScalarKind::S,
        "D" => ScalarKind::D,
        "C" => ScalarKind::C,
        "Z" => ScalarKind::Z,
        other => panic!("AFFINIMATH_TEST_TYPES='{list}': '{other}' is none of S, D, C and Z"),
    };
    list.split(',').map(|kinds| kinds.split('/').map(kind).collect()).collect()
}

/// Of the element types of a test, those that it covers: for each place in the list the first one that the test has, or
/// all where it has none of the list.
fn covers_with(list: &[Vec<ScalarKind>], kind: ScalarKind, kinds: &[ScalarKind]) -> bool {
    let mut listed = list.iter().filter_map(|preferred| preferred.iter().find(|kind| kinds.contains(kind))).peekable();
    listed.peek().is_none() || listed.any(|listed| *listed == kind)
}

/// True if a test for `kinds` covers `kind`. `AFFINIMATH_TEST_TYPES` lists the types to cover; unset, all four.
pub fn covers(kind: ScalarKind, kinds: &[ScalarKind]) -> bool {
    std::env::var_os("AFFINIMATH_TEST_TYPES").is_none_or(|list| {
        let list = list.to_str().expect("AFFINIMATH_TEST_TYPES is not UTF-8");
        covers_with(&listed_types(list), kind, kinds)
    })
}

/// A matrix in a memory whose other elements are canaries: NaN, which spoils what reads it, and shows what writes it.
#[derive(Clone, Debug)]
pub struct Stored<T> {
    pub data: Vec<T>,
    pub shape: MatrixShape,
}

impl<T: Scalar> Stored<T> {
    /// A matrix of values in (-1, 1), with `gap` canaries before, between and after its columns (rows).
    pub fn new(layout: Layout, rows: usize, columns: usize, gap: usize, seed: u64) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        let shape = MatrixShape::new(layout, rows, columns, gap, adjacent.max(1) + gap).unwrap();
        let numbers = filled::<T>(rows, columns, seed);
        let mut stored = Stored { data: vec![T::from_parts(f64::NAN, f64::NAN); shape.end() + gap], shape };
        for j in 0..columns {
            for i in 0..rows {
                let index = stored.index(i, j);
                stored.data[index] = numbers[(i, j)];
            }
        }
        stored
    }

    /// The index of the element (i, j) in the data.
    pub fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    /// The element (i, j).
    pub fn element(&self, i: usize, j: usize) -> Complex64 {
        let value = self.data[self.index(i, j)];
        Complex64::new(value.re(), value.im())
    }

    /// Canaries in place of all elements.
    pub fn poison(&mut self) {
        self.data.fill(T::from_parts(f64::NAN, f64::NAN));
    }

    /// The same, for a matrix whose elements do not matter.
    pub fn poisoned(mut self) -> Self {
        self.poison();
        self
    }

    /// The same matrix with other data.
    pub fn with(self, data: Vec<T>) -> Self {
        assert_eq!(data.len(), self.data.len());
        Stored { data, ..self }
    }

    /// True if all values between and around the elements are still NaN.
    pub fn canaries_live(&self) -> bool {
        let mut inside = vec![false; self.data.len()];
        for j in 0..self.shape.columns() {
            (0..self.shape.rows()).for_each(|i| inside[self.index(i, j)] = true);
        }
        self.data.iter().zip(inside).all(|(value, inside)| inside || value.re().is_nan())
    }

    /// A view to read.
    pub fn view(&self) -> MatrixRef<'_, T> {
        MatrixRef::from_slice(&self.data, self.shape).unwrap()
    }

    /// A view to read and write.
    pub fn view_mut(&mut self) -> MatrixMut<'_, T> {
        MatrixMut::from_slice(&mut self.data, self.shape).unwrap()
    }

    /// Its elements, in doubles.
    pub fn dense(&self) -> Mat<Complex64> {
        Mat::from_fn(self.shape.rows(), self.shape.columns(), |i, j| self.element(i, j))
    }

    /// Sets the element (i, j), rounded to the type.
    pub fn set(&mut self, i: usize, j: usize, value: Complex64) {
        let index = self.index(i, j);
        self.data[index] = T::from_parts(value.re, value.im);
    }

    /// The matrix with other elements, rounded to the type.
    pub fn filled_with(mut self, element: impl Fn(usize, usize) -> Complex64) -> Self {
        for j in 0..self.shape.columns() {
            (0..self.shape.rows()).for_each(|i| self.set(i, j, element(i, j)));
        }
        self
    }
}

/// A matrix with elements in (-1, 1), the same in every run and different for each seed.
pub fn filled<T: Scalar>(rows: usize, columns: usize, seed: u64) -> Mat<T> {
    Mat::from_fn(rows, columns, |i, j| {
        let index = seed << 50 | (i as u64) << 25 | j as u64;
        T::from_parts(unit(2 * index), unit(2 * index + 1))
    })
}

/// The modulus of a number whose square is one: `hypot`, which minds others, would take most of the time of many
/// checks.
pub fn modulus(number: Complex64) -> f64 {
    number.norm_sqr().sqrt()
}

/// A value in (-1, 1) by the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn unit(index: u64) -> f64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 40) as f64 / (1u64 << 23) as f64 - 1.0
}

/// Calls a generic function for each element type that tests cover: of all four, or of those in a list of calls. A call
/// in the list may have a type of row pointers after its element type.
#[macro_export]
macro_rules! for_each_type {
    ($check:ident($($argument:expr),*)) => {
        $crate::for_each_type! {
            $check::<f32>($($argument),*);
            $check::<f64>($($argument),*);
            $check::<$crate::Complex32>($($argument),*);
            $check::<$crate::Complex64>($($argument),*);
        }
    };
    ($($check:ident::<$element:ty $(, $pointer:ty)?>($($argument:expr),*));+ $(;)?) => {{
        let kinds = [$(<$element as $crate::Scalar>::KIND),+];
        $(if $crate::covers(<$element as $crate::Scalar>::KIND, &kinds) {
            $check::<$element $(, $pointer)?>($($argument),*);
        })+
    }};
}

/// A batch of matrices in a memory whose other elements are canaries.
#[derive(Clone, Debug)]
pub struct Batch<T> {
    pub data: Vec<T>,
    matrix: MatrixShape,
    /// The count of matrices of a view. With fewer in the data, the stride is 0.
    pub count: usize,
    stride: usize,
    offsets: Option<Vec<i64>>,
}

impl<T: Scalar> Batch<T> {
    /// Matrices of values in (-1, 1), `gap` canaries around each of their columns (rows), at strides or at offsets in
    /// another order than theirs.
    pub fn new(
        layout: Layout,
        [rows, columns]: [usize; 2],
        count: usize,
        gap: usize,
        at_offsets: bool,
        seed: u64,
    ) -> Self {
        let one = Stored::<T>::new(layout, rows, columns, gap, seed);
        let length = one.data.len() + 1;
        let mut data = vec![T::from_parts(f64::NAN, f64::NAN); length * count + gap];
        for i in 0..count {
            let numbers = Stored::<T>::new(layout, rows, columns, gap, seed + 10 * i as u64).data;
            data[i * length..i * length + numbers.len()].copy_from_slice(&numbers);
        }
        let offsets = at_offsets.then(|| (0..count).rev().map(|i| (i * length) as i64).collect());
        Batch { data, matrix: one.shape, count, stride: if count == 1 { 0 } else { length }, offsets }
    }

    /// Its shape.
    pub fn shape(&self) -> BatchShape<'_> {
        match &self.offsets {
            Some(offsets) => BatchShape::at_offsets(self.matrix, offsets).unwrap(),
            None => BatchShape::strided(self.matrix, self.stride, self.count).unwrap(),
        }
    }

    /// The element (i, j) of a matrix.
    pub fn element(&self, matrix: usize, i: usize, j: usize) -> Complex64 {
        let value = self.data[self.index(matrix, i, j)];
        Complex64::new(value.re(), value.im())
    }

    /// The index of the element (i, j) of a matrix in the data.
    pub fn index(&self, matrix: usize, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.matrix.strides();
        let start = self.offsets.as_ref().map_or(matrix * self.stride, |offsets| offsets[matrix] as usize);
        start + self.matrix.offset() + i * row_stride + j * column_stride
    }

    /// Canaries in place of all elements.
    pub fn poison(&mut self) {
        self.data.fill(T::from_parts(f64::NAN, f64::NAN));
    }

    /// True if all values between and around the elements are still NaN.
    pub fn canaries_live(&self) -> bool {
        let mut inside = vec![false; self.data.len()];
        for matrix in 0..self.count {
            for j in 0..self.matrix.columns() {
                (0..self.matrix.rows()).for_each(|i| inside[self.index(matrix, i, j)] = true);
            }
        }
        self.data.iter().zip(inside).all(|(value, inside)| inside || value.re().is_nan())
    }
}

/// One test of this program in a process of its own, with an environment variable that tells it that it is meant.
pub fn child(test: &str, variable: &str, value: &std::path::Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--test-threads=1"]).env(variable, value);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    command
}

/// A process that is killed when the test is done with it, or has failed.
pub struct Killed(pub std::process::Child);

impl Killed {
    /// Kills it, and says whether it had ended before.
    pub fn had_ended(mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sets a file's or folder's mode.
#[cfg(unix)]
pub fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Limits the size of files of this process in bytes: writing fails, as on a full disk.
#[cfg(unix)]
pub fn limit_files(bytes: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid; the signal that would end the process is ignored.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit), 0);
        limit.rlim_cur = limit.rlim_max.min(bytes);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_types_restricts_tests_and_leaves_none_empty() {
        use ScalarKind::{C, D, S, Z};
        let covered = |list: &str, kinds: &[ScalarKind]| -> Vec<_> {
            kinds.iter().copied().filter(|kind| covers_with(&listed_types(list), *kind, kinds)).collect()
        };
        assert_eq!(covered("S,Z", &ScalarKind::ALL), [S, Z]);
        assert_eq!(covered("S,Z", &[S, D]), [S]);
        assert_eq!(covered("S,Z", &[D, C]), [D, C]);
        // In order of preference.
        assert_eq!(covered("C/D", &ScalarKind::ALL), [C]);
        assert_eq!((covered("C/D", &[S, D]), covered("C/D", &[S, Z])), (vec![D], vec![S, Z]));
        assert_eq!(covered("C/D,S", &ScalarKind::ALL), [S, C]);
    }

    #[test]
    #[should_panic(expected = "'s' is none of S, D, C and Z")]
    fn a_misspelt_type_is_an_error() {
        listed_types("Z,s");
    }
}
