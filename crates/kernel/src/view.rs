//! Arrays of several dimensions with bounds, over a buffer or an array.

use super::builder::Builder;
use super::constant::Constant;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr};
use super::ir::{Id, Op};
use super::memory::{Array, IntoIndex, Readable, Writable};
use super::operations::BinaryOp;
use super::types::{Index, ScalarType, Stored, ValueType};

/// The order of dimensions in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last index counts neighbours, as in C.
    RowMajor,
    /// The first index counts neighbours, as in Fortran.
    ColumnMajor,
}

/// The bounds of a dimension, both inclusive; [`Builder::dim`] makes them.
#[derive(Clone, Copy)]
pub struct Dim<'k> {
    low: Expr<'k, Index>,
    high: Expr<'k, Index>,
}

/// An array of `D` dimensions with bounds, by [`Array::view`].
pub struct View<'k, T, A, const D: usize> {
    array: Array<'k, T, A>,
    dims: [Dim<'k>; D],
    strides: [Id; D],
}

impl<T, A, const D: usize> Clone for View<'_, T, A, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A, const D: usize> Copy for View<'_, T, A, D> {}

/// `D` indices: an array of indices of one type, or a tuple of one to seven of any.
pub trait Indices<'k, const D: usize> {
    #[doc(hidden)]
    fn ids(self, builder: Builder<'k>) -> [Id; D];
}

impl<'k, I: IntoIndex<'k>, const D: usize> Indices<'k, D> for [I; D] {
    fn ids(self, builder: Builder<'k>) -> [Id; D] {
        self.map(|index| index.into_index(builder))
    }
}

macro_rules! indices {
    ($dimensions:literal: $($type:ident $name:ident),*) => {
        impl<'k, $($type: IntoIndex<'k>),*> Indices<'k, $dimensions> for ($($type,)*) {
            fn ids(self, builder: Builder<'k>) -> [Id; $dimensions] {
                let ($($name,)*) = self;
                [$($name.into_index(builder)),*]
            }
        }
    };
}

indices!(1: A a);
indices!(2: A a, B b);
indices!(3: A a, B b, C c);
indices!(4: A a, B b, C c, D d);
indices!(5: A a, B b, C c, D d, E e);
indices!(6: A a, B b, C c, D d, E e, F f);
indices!(7: A a, B b, C c, D d, E e, F f, G g);

impl<'k> Builder<'k> {
    /// The bounds of a dimension, both inclusive.
    pub fn dim(self, low: impl IntoIndex<'k>, high: impl IntoIndex<'k>) -> Dim<'k> {
        let index = |id: Id| Expr::new(self, self.converted(id, ScalarType::I64, false));
        Dim { low: index(low.into_index(self)), high: index(high.into_index(self)) }
    }

    /// The distance in memory between neighbours of each dimension.
    pub(super) fn strides_of(self, order: Order, dims: &[(Id, Id)]) -> Vec<Id> {
        let mut stride = self.constant(1_i64.into(), 1);
        let mut strides = vec![stride; dims.len()];
        let next = |number: usize| if order == Order::ColumnMajor { number } else { dims.len() - 1 - number };
        for number in (0..dims.len()).map(next) {
            strides[number] = stride;
            let (low, high) = dims[number];
            let one = self.constant(1_i64.into(), 1);
            let extent = self.index_of(BinaryOp::Add, self.index_of(BinaryOp::Sub, high, low), one);
            stride = self.index_of(BinaryOp::Mul, stride, extent);
        }
        strides
    }

    fn index_of(self, op: BinaryOp, a: Id, b: Id) -> Id {
        self.emit_as(Op::Binary(op, a, b), ValueType::scalar(ScalarType::I64))
    }

    /// The offset of an element. The interpreter checks each index against its bounds.
    pub(super) fn offset_of(self, name: &str, dims: &[(Id, Id)], strides: &[Id], indices: &[Id]) -> Id {
        let integer = |id: Id| self.constant_of(id).and_then(Constant::integer);
        let mut offset = self.constant(0_i64.into(), 1);
        for (dimension, ((low, high), index)) in dims.iter().zip(indices).enumerate() {
            let index = self.converted(*index, ScalarType::I64, false);
            match (integer(index), integer(*low), integer(*high)) {
                (Some(index), Some(low), Some(high)) if !(low..=high).contains(&index) => {
                    self.fail(BuildError::Bounds { name: name.to_owned(), dimension, index, low, high });
                }
                _ => {}
            }
            let index = self.emit_as(Op::Within(index, *low, *high), ValueType::scalar(ScalarType::I64));
            let distance = self.index_of(BinaryOp::Sub, index, *low);
            offset = self.index_of(BinaryOp::Add, offset, self.index_of(BinaryOp::Mul, distance, strides[dimension]));
        }
        offset
    }
}

impl<'k, T: Stored, A> Array<'k, T, A> {
    /// The array as one of `D` dimensions with bounds, in an order.
    ///
    /// ```
    /// use affinimath_kernel::{Index, Kernel, Launch, Order};
    ///
    /// // The second difference of each column, of a matrix with rows 0 to n + 1.
    /// let kernel = Kernel::build("differences", |k| {
    ///     let n = k.argument::<Index>("n");
    ///     let x = k.input::<f32>("x").view(Order::ColumnMajor, [k.dim(0, n + 1), k.dim(1, 2)]);
    ///     let y = k.output::<f32>("y").view(Order::ColumnMajor, [k.dim(1, n), k.dim(1, 2)]);
    ///     let (i, j) = (k.global_id(0) + 1, k.global_id(1) + 1);
    ///     y.store((i, j), x.at((i - 1, j)) - x.at((i, j)) * 2.0 + x.at((i + 1, j)));
    /// })
    /// .unwrap();
    /// let (x, mut y) = ([0.0_f32, 1.0, 4.0, 9.0, 1.0, 1.0, 1.0, 3.0], [0.0_f32; 4]);
    /// Launch::new(&kernel, [1; 3], [2, 2, 1]).run([2_i64.into(), (&x).into(), (&mut y).into()]).unwrap();
    /// assert_eq!(y, [2.0, 2.0, 0.0, 2.0]);
    /// ```
    pub fn view<const D: usize>(self, order: Order, dims: [Dim<'k>; D]) -> View<'k, T, A, D> {
        let bounds = dims.map(|dim| (dim.low.id, dim.high.id));
        let strides = self.builder().strides_of(order, &bounds);
        View { array: self, dims, strides: std::array::from_fn(|dimension| strides[dimension]) }
    }
}

impl<'k, T: Stored, A, const D: usize> View<'k, T, A, D> {
    /// The index in the array of an element of the view. The interpreter reports indices outside of their bounds.
    pub fn offset(self, indices: impl Indices<'k, D>) -> Expr<'k, Index> {
        let builder = self.array.builder();
        let bounds = self.dims.map(|dim| (dim.low.id, dim.high.id));
        let id = builder.offset_of(&self.array.name(), &bounds, &self.strides, &indices.ids(builder));
        Expr::new(builder, id)
    }

    /// The array below, for accesses by offset.
    pub const fn array(self) -> Array<'k, T, A> {
        self.array
    }
}

impl<'k, T: Stored, A: Readable, const D: usize> View<'k, T, A, D> {
    /// The element at indices.
    pub fn at(self, indices: impl Indices<'k, D>) -> Expr<'k, T::Value> {
        self.array.at(self.offset(indices))
    }
}

impl<'k, T: Stored, A: Writable, const D: usize> View<'k, T, A, D> {
    /// Writes the element at indices.
    pub fn store(self, indices: impl Indices<'k, D>, value: impl IntoExpr<'k, T::Value>) {
        self.array.store(self.offset(indices), value);
    }
}
