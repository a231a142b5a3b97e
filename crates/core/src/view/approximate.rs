//! Comparison of views by the traits of the crate `approx`, element by element.
//!
//! Views are equal where their shapes have the same sizes and all elements are equal; layouts, offsets and increments
//! may differ. `approx` compares the parts of a complex element one by one. A view of a device's memory cannot be
//! compared: that panics.

use approx::{AbsDiffEq, RelativeEq};

use super::{MatrixMut, MatrixRef, Memory, VectorMut, VectorRef, View};
use crate::scalar::Element;

/// The elements of a view.
trait Elements<T: Element> {
    /// Rows and columns; a vector is one column.
    fn size(&self) -> [usize; 2];

    /// Column by column.
    fn elements(&self) -> impl Iterator<Item = T>;

    fn all_pairs(&self, other: &impl Elements<T>, mut holds: impl FnMut(&T, &T) -> bool) -> bool {
        self.size() == other.size() && self.elements().zip(other.elements()).all(|(x, y)| holds(&x, &y))
    }
}

fn host_start<T>(memory: Memory<'_, T>) -> *mut T {
    match memory {
        Memory::Host(start, _) => start,
        Memory::Device(_) => panic!("a view of a device's memory cannot be compared: download it first"),
    }
}

macro_rules! matrix_elements {
    ($($view:ident),*) => {$(
        impl<T: Element> Elements<T> for $view<'_, T> {
            fn size(&self) -> [usize; 2] {
                [self.rows(), self.columns()]
            }

            fn elements(&self) -> impl Iterator<Item = T> {
                let (start, shape) = (host_start(self.memory()), *self.shape());
                let (row_stride, column_stride) = shape.strides();
                let indices = (0..shape.columns()).flat_map(move |j| {
                    (0..shape.rows()).map(move |i| shape.offset() + i * row_stride + j * column_stride)
                });
                // SAFETY: the view's memory holds its shape's elements, and the view's borrow allows to read them.
                indices.map(move |index| unsafe { start.add(index).read() })
            }
        }
    )*};
}

macro_rules! vector_elements {
    ($($view:ident),*) => {$(
        impl<T: Element> Elements<T> for $view<'_, T> {
            fn size(&self) -> [usize; 2] {
                [self.length(), 1]
            }

            fn elements(&self) -> impl Iterator<Item = T> {
                let (start, shape) = (host_start(self.memory()), *self.shape());
                let indices = (0..shape.length() as isize).map(move |i| shape.first() as isize + i * shape.increment());
                // SAFETY: the view's memory holds its shape's elements, and the view's borrow allows to read them.
                indices.map(move |index| unsafe { start.offset(index).read() })
            }
        }
    )*};
}

matrix_elements!(MatrixRef, MatrixMut);
vector_elements!(VectorRef, VectorMut);

macro_rules! comparisons {
    ($($view:ident with $other:ident),*) => {$(
        impl<'b, T: Element> PartialEq<$other<'b, T>> for $view<'_, T> {
            /// # Panics
            /// For a view of a device's memory.
            fn eq(&self, other: &$other<'b, T>) -> bool {
                self.all_pairs(other, |x, y| x == y)
            }
        }

        impl<'b, T: Element + AbsDiffEq<Epsilon: Clone>> AbsDiffEq<$other<'b, T>> for $view<'_, T> {
            type Epsilon = T::Epsilon;

            fn default_epsilon() -> T::Epsilon {
                T::default_epsilon()
            }

            /// # Panics
            /// For a view of a device's memory.
            fn abs_diff_eq(&self, other: &$other<'b, T>, epsilon: T::Epsilon) -> bool {
                self.all_pairs(other, |x, y| x.abs_diff_eq(y, epsilon.clone()))
            }
        }

        impl<'b, T: Element + RelativeEq<Epsilon: Clone>> RelativeEq<$other<'b, T>> for $view<'_, T> {
            fn default_max_relative() -> T::Epsilon {
                T::default_max_relative()
            }

            /// # Panics
            /// For a view of a device's memory.
            fn relative_eq(&self, other: &$other<'b, T>, epsilon: T::Epsilon, max_relative: T::Epsilon) -> bool {
                self.all_pairs(other, |x, y| x.relative_eq(y, epsilon.clone(), max_relative.clone()))
            }
        }
    )*};
}

comparisons!(
    MatrixRef with MatrixRef,
    MatrixRef with MatrixMut,
    MatrixMut with MatrixRef,
    MatrixMut with MatrixMut,
    VectorRef with VectorRef,
    VectorRef with VectorMut,
    VectorMut with VectorRef,
    VectorMut with VectorMut
);

#[cfg(test)]
mod tests {
    use approx::{assert_abs_diff_eq, assert_abs_diff_ne, assert_relative_eq, assert_relative_ne};

    use super::*;
    use crate::options::Layout;
    use crate::scalar::Complex32;
    use crate::view::{MatrixShape, MemoryObject, VectorShape};

    #[test]
    fn matrices_of_two_layouts_are_compared_by_their_elements() {
        // 2 x 3 with gaps, which differ.
        let by_columns = [1.0, 4.0, f64::NAN, 2.0, 5.0, f64::NAN, 3.0, 6.0];
        let mut by_rows = [7.0, 1.0, 2.0, 3.0, 8.0, 4.0, 5.0, 6.0 + 1e-9];
        let a = MatrixRef::from_slice(&by_columns, MatrixShape::new(Layout::ColumnMajor, 2, 3, 0, 3).unwrap()).unwrap();
        let b = MatrixMut::from_slice(&mut by_rows, MatrixShape::new(Layout::RowMajor, 2, 3, 1, 4).unwrap()).unwrap();
        assert_abs_diff_eq!(a, b, epsilon = 2e-9);
        assert_abs_diff_ne!(b, a, epsilon = 5e-10);
        assert_relative_eq!(a, b, epsilon = 0.0, max_relative = 2e-10);
        assert_relative_ne!(a, b, epsilon = 0.0, max_relative = 1e-10);
        assert!(a == a && a != b);
        let shorter = MatrixRef::from_slice(&by_columns, MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 3).unwrap());
        assert_abs_diff_ne!(a, shorter.unwrap(), epsilon = 1e9);
    }

    #[test]
    fn vectors_are_compared_in_their_own_direction() {
        let forward = [Complex32::new(1.0, 2.0), Complex32::new(3.0, -1.0)];
        let backward = [Complex32::new(3.0, -1.0), Complex32::default(), Complex32::new(1.0, 2.5)];
        let x = VectorRef::from_slice(&forward, VectorShape::new(2, 0, 1).unwrap()).unwrap();
        let y = VectorRef::from_slice(&backward, VectorShape::new(2, 0, -2).unwrap()).unwrap();
        assert_abs_diff_eq!(x, y, epsilon = 0.5);
        assert_abs_diff_ne!(x, y, epsilon = 0.25);
    }

    #[test]
    fn nan_is_near_to_nothing() {
        let shape = VectorShape::new(1, 0, 1).unwrap();
        let x = VectorRef::from_slice(&[f64::NAN], shape).unwrap();
        assert_abs_diff_ne!(x, x, epsilon = f64::INFINITY);
    }

    #[derive(Debug)]
    struct OnDevice;
    impl MemoryObject for OnDevice {
        fn bytes(&self) -> usize {
            8
        }
    }

    #[test]
    #[should_panic(expected = "download it first")]
    fn a_view_of_a_devices_memory_is_not_compared() {
        let x = VectorRef::<f64>::from_device(&OnDevice, VectorShape::new(1, 0, 1).unwrap(), "x").unwrap();
        assert!(x == x);
    }
}
