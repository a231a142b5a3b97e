//! Arrays as operands of the library's routines, as buffers, and as Rust's own values, on any context.

use affinimath::array::{Array, AsMatrix, AsMatrixMut, Expr, from_host, from_vec, s};
use affinimath::sparse::CsrMatrix;
use affinimath::{Buffer, Context, Error, Layout, Op, axpy, copy, dot, gemm, gemv, scal};

/// Everything that is checked on a context.
pub fn check(context: &Context) {
    products_take_layouts_and_views(context);
    written_memory_is_the_arrays_alone(context);
    routines_and_expressions_run_in_order(context);
    vectors_have_any_increment(context);
    arrays_without_a_form_are_errors_or_copies(context);
    buffers_and_arrays_change_places(context);
    sparse_matrices_multiply_arrays(context);
    values_of_rust_come_and_go(context);
}

/// Small integers, whose sums and products are exact.
fn integers(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7 + seed * 13) % 17) as f32 - 8.0).collect()
}

/// op(A) B of row-major `m x k` and `k x n` elements.
fn product(a: impl Fn(usize, usize) -> f32, b: impl Fn(usize, usize) -> f32, [m, n, k]: [usize; 3]) -> Vec<f32> {
    (0..m * n).map(|at| (0..k).map(|p| a(at / n, p) * b(p, at % n)).sum()).collect()
}

fn products_take_layouts_and_views(context: &Context) {
    let [m, n, k] = [5, 4, 6];
    let (rows, columns) = (integers(m * k, 1), integers(k * n, 2));
    let a = Array::from_slice(context, [m, k], &rows).unwrap();
    let b = Array::from_slice_in(context, Layout::ColumnMajor, [k, n], &columns).unwrap();
    let expected = product(|i, p| rows[i * k + p], |p, j| columns[p + j * k], [m, n, k]);
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        let mut c = Array::from_slice_in(context, layout, [m, n], &[f32::NAN; 20]).unwrap();
        let strides = *c.strides();
        let (a, b) = (a.matrix().unwrap(), b.matrix().unwrap());
        let _ = gemm(Op::NoTrans, Op::NoTrans, 1.0, a, b, 0.0, c.matrix_mut().unwrap()).unwrap();
        assert!(c.to_vec().unwrap() == expected && *c.strides() == strides);
    }

    // The transpose is a view in the other layout; blocks keep the leading dimension.
    let (turned, block) = (a.t(), b.at(s![1..5, 2..]));
    let mut c = Array::full(context, [8, 7], 1.0_f32).unwrap();
    let mut target = c.at_mut(s![2..8, 3..5]);
    let [left, right] = [turned.at(s![.., ..4]), block].map(|view| view.contiguous().unwrap());
    let views = (turned.at(s![.., ..4]), b.at(s![1..5, 2..]));
    let (x, y) = (views.0.matrix().unwrap(), views.1.matrix().unwrap());
    let _ = gemm(Op::NoTrans, Op::NoTrans, 1.0, x, y, 2.0, target.matrix_mut().unwrap()).unwrap();
    let inner = left.matmul(&right) + 2.0;
    assert!(c.at(s![2.., 3..5]).to_vec().unwrap() == inner.to_vec().unwrap());
    assert_eq!(c.sum(..).value().unwrap(), 56.0 - 12.0 + inner.sum(..).value().unwrap());

    let mut empty = Array::<f32>::zeros(context, [0, 3]).unwrap();
    let (none, three) = (empty.clone(), Array::<f32>::zeros(context, [3, 3]).unwrap());
    let (x, y) = (none.matrix().unwrap(), three.matrix().unwrap());
    let _ = gemm(Op::NoTrans, Op::NoTrans, 1.0, x, y, 0.0, empty.matrix_mut().unwrap()).unwrap();
}

fn written_memory_is_the_arrays_alone(context: &Context) {
    let x = Array::from_slice(context, [3], &[1.0_f32, 2.0, 3.0]).unwrap();
    let mut y = Array::from_slice(context, [3], &[10.0_f32, 20.0, 30.0]).unwrap();
    let memory = y.leaf().id();
    let _ = axpy(1.0, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
    assert!(y.leaf().id() == memory && y.to_vec().unwrap() == [11.0, 22.0, 33.0]);

    let (handle, view, expression) = (y.clone(), y.at(s![1..]), &y * 2.0);
    let _ = axpy(1.0, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [12.0, 24.0, 36.0]);
    assert_eq!(handle.to_vec().unwrap(), [11.0, 22.0, 33.0]);
    assert_eq!((view.to_vec().unwrap(), expression.to_vec().unwrap()), (vec![22.0, 33.0], vec![22.0, 44.0, 66.0]));

    let held = y.clone();
    let _ = scal(2.0, y.at_mut(s![..;2]).vector_mut().unwrap()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [24.0, 24.0, 72.0]);
    assert_eq!(held.to_vec().unwrap(), [12.0, 24.0, 36.0]);
}

fn routines_and_expressions_run_in_order(context: &Context) {
    let n = 1 << 16;
    let mut x = Array::<f32>::zeros(context, [n]).unwrap();
    let ones = Array::<f32>::ones(context, [n]).unwrap();
    for _ in 0..10 {
        let next = &x + 1.0;
        x.assign(next).unwrap();
        let _ = axpy(2.0, ones.vector().unwrap(), x.vector_mut().unwrap()).unwrap();
        x = (&x * 1.0).eval().unwrap();
    }
    assert!(x.equal(30.0).all(..).value().unwrap());
    assert_eq!(dot(x.vector().unwrap(), ones.vector().unwrap()).unwrap(), 30.0 * n as f32);
}

fn vectors_have_any_increment(context: &Context) {
    let matrix = Array::from_slice(context, [3, 4], &integers(12, 3)).unwrap();
    let element = |i: i64, j: i64| matrix.get([i, j]).unwrap();
    for view in [matrix.at(s![1, ..]), matrix.at(s![.., 2]), matrix.at(s![..;-1, 1]), matrix.at(s![0, ..;-2])] {
        let expected = view.to_vec().unwrap();
        let mut target = Array::<f32>::zeros(context, [expected.len()]).unwrap();
        let _ = copy(view.vector().unwrap(), target.vector_mut().unwrap()).unwrap();
        assert_eq!(target.to_vec().unwrap(), expected);
    }
    let mut other = matrix.clone();
    let _ =
        axpy(1.0, matrix.at(s![.., 0]).vector().unwrap(), other.at_mut(s![..;-1, 3]).vector_mut().unwrap()).unwrap();
    for i in 0..3 {
        assert_eq!(other.get([i, 3]).unwrap(), element(i, 3) + element(2 - i, 0));
    }
    let mut y = Array::<f32>::zeros(context, [3]).unwrap();
    let _ = gemv(
        Op::NoTrans,
        1.0,
        matrix.at(s![.., 1..]).matrix().unwrap(),
        matrix.at(s![0, ..3]).vector().unwrap(),
        0.0,
        y.vector_mut().unwrap(),
    )
    .unwrap();
    let expected = |i| (0..3).map(|p| element(i, p + 1) * element(0, p)).sum::<f32>();
    assert_eq!(y.to_vec().unwrap(), [expected(0), expected(1), expected(2)]);
    assert_eq!(Array::from_slice(context, [2], &[1_i64, 2]).unwrap().vector().unwrap().length(), 2);
}

fn arrays_without_a_form_are_errors_or_copies(context: &Context) {
    let mut x = Array::from_slice(context, [4, 6], &integers(24, 4)).unwrap();
    let is_mismatch = |error: Error| assert!(matches!(error, Error::ShapeMismatch(_)), "{error}");
    is_mismatch(x.vector().unwrap_err());
    is_mismatch(x.at(s![0, ..]).matrix().unwrap_err());
    is_mismatch(x.at(s![..;2, ..;2]).matrix().unwrap_err());
    is_mismatch(x.at(s![.., ..;-1]).matrix().unwrap_err());
    is_mismatch(x.at_mut(s![..;2, ..;2]).matrix_mut().unwrap_err());
    is_mismatch(x.at_mut(s![0]).matrix_mut().unwrap_err());
    is_mismatch(x.vector_mut().unwrap_err());
    is_mismatch(x.at(s![0, ..1]).broadcast_to([5]).vector().unwrap_err());
    assert!(matches!((&x + 1.0).matrix().unwrap_err(), Error::InvalidArgument { .. }));
    assert!(x.at(s![9, ..]).vector().unwrap_err().to_string().contains("index 9"));
    assert!(x.at_mut(s![9, ..]).vector_mut().is_err());
    assert!(x.to_vec().unwrap() == integers(24, 4));

    // The whole array may change its layout.
    let reversed = x.at(s![..;-1, ..;-2]).eval().unwrap();
    let mut copied = reversed.clone();
    assert_eq!(copied.matrix_mut().unwrap().columns(), 3);
    assert!(copied.is_contiguous() && copied.to_vec().unwrap() == reversed.to_vec().unwrap());
    let mut repeated = x.at(s![0, ..1]).broadcast_to([5]).eval().unwrap();
    let _ = scal(2.0, repeated.vector_mut().unwrap()).unwrap();
    assert_eq!(repeated.to_vec().unwrap(), [2.0 * x.get([0, 0]).unwrap(); 5]);
    // Operands of the host's memory are read where they are.
    assert_eq!(from_vec([2, 2], vec![1.0_f32; 4]).matrix().unwrap().rows(), 2);
}

fn buffers_and_arrays_change_places(context: &Context) {
    let elements = integers(6, 5);
    let start = |buffer: &Buffer<f32>| buffer.vector().unwrap().as_slice().map(<[f32]>::as_ptr);
    let buffer = context.upload(&elements).unwrap();
    let address = start(&buffer);
    let mut x = buffer.into_array([2, 3]).unwrap();
    assert_eq!(x.shape(), &[2, 3]);
    x.at_mut(s![1, ..]).assign(0.5).unwrap();
    let back = Buffer::from_array(x).unwrap();
    assert!(back.download().unwrap() == [&elements[..3], &[0.5; 3]].concat() && start(&back) == address);

    // Others keep what they hold; a view has its elements alone.
    let x = back.into_array([3, 2]).unwrap();
    let held = x.clone();
    let mut copied = Buffer::from_array(x).unwrap();
    let _ = scal(0.0, copied.vector_mut().unwrap()).unwrap();
    assert!(held.to_vec().unwrap() == [&elements[..3], &[0.5; 3]].concat());
    assert_eq!(Buffer::from_array(held.at(s![1..2, ..]).eval().unwrap()).unwrap().download().unwrap()[0], elements[2]);
    assert_eq!(Buffer::from_array(held.t().eval().unwrap()).unwrap().download().unwrap()[1], elements[2]);
    let computed = Buffer::from_array((&held + 1.0).eval().unwrap()).unwrap();
    assert_eq!(computed.download().unwrap()[4..], [1.5, 1.5]);

    let none = context.upload::<f32>(&[]).unwrap().into_array([0, 4]).unwrap();
    assert_eq!(none.sum(0).to_vec().unwrap(), [0.0; 4]);
    assert!(Buffer::from_array(none).unwrap().is_empty());
    assert!(context.upload(&elements).unwrap().into_array([4, 2]).is_err());
    assert!(context.upload(&elements).unwrap().into_array([1; 9]).is_err());
}

fn sparse_matrices_multiply_arrays(context: &Context) {
    // Rows (2 0 1), (0 3 0).
    let values = [2.0_f32, 1.0, 3.0];
    let matrix = CsrMatrix::<f32>::new(context, 2, 3, &[0, 2, 3], &[0, 2, 1], &values).unwrap();
    let x = Array::from_slice(context, [3, 2], &[1.0_f32, 0.0, 2.0, 0.0, 3.0, 0.0]).unwrap();
    let mut y = Array::full(context, [2], 10.0_f32).unwrap();
    let column = x.at(s![.., 0]);
    let _ = matrix.multiply(Op::NoTrans, 1.0, column.vector().unwrap(), 1.0, y.vector_mut().unwrap()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [15.0, 16.0]);
}

fn values_of_rust_come_and_go(context: &Context) {
    let x = Array::from_host(context, &[[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap();
    let sums: Expr<f32> = &x + from_host(&[10.0, 20.0, 30.0]);
    assert_eq!(<[[f32; 3]; 2]>::try_from(&sums).unwrap(), [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]);
    assert_eq!(<[f32; 2]>::try_from(&x.sum(1)).unwrap(), [6.0, 15.0]);
    assert_eq!(Vec::try_from(&x.t()).unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!((x.get([1, 1]).unwrap(), x.get([-1, -1]).unwrap()), (5.0, 6.0));
    assert_eq!(x.t().contiguous().unwrap().strides()[..], [2, 1]);
}
