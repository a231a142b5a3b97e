//! Arrays of several dimensions with bounds.

use affinimath_kernel::dynamic::Query;
use affinimath_kernel::{Access, BuildError, Fault, Index, Kernel, Order, ScalarType, Undefined, ValueType};

use super::targets::{Buffer, interpret, run};

/// y(i, j, k) := 100 i + 10 j + k, over -1..1, 0..2, 1..2.
fn numbered(order: Order) -> Kernel {
    Kernel::build("numbered", |k| {
        let y = k.in_out::<i32>("y").view(order, [k.dim(-1, 1), k.dim(0, 2), k.dim(1, 2)]);
        k.range::<Index>(-1, 2).each("i", |i| {
            k.range::<i32>(0, 3).each("j", |j| {
                for number in [1, 2] {
                    y.store((i, j, number), i.to::<i32>() * 100 + j * 10 + number);
                }
            });
        });
    })
    .unwrap()
}

#[test]
fn the_first_or_the_last_index_counts_neighbours() {
    let value = |i: i32, j: i32, k: i32| 100 * (i - 1) + 10 * j + k + 1;
    let by_rows: Vec<i32> = (0..18).map(|n| value(n / 6, n / 2 % 3, n % 2)).collect();
    let by_columns: Vec<i32> = (0..18).map(|n| value(n % 3, n / 3 % 3, n / 9)).collect();
    let zeros = || Buffer::from(vec![0; 18]);
    assert_eq!(run(&numbered(Order::RowMajor), 1, &[zeros()])[0], Buffer::I32(by_rows));
    assert_eq!(run(&numbered(Order::ColumnMajor), 1, &[zeros()])[0], Buffer::I32(by_columns));
}

/// y := x shifted by one row, where rows `0..=last` of x are used.
fn shifted(last: i32) -> Kernel {
    Kernel::build("shifted", |k| {
        let bounds = k.input::<Index>("bounds");
        let x = k.input::<f32>("x").view(Order::RowMajor, [k.dim(0, bounds.at(0)), k.dim(0, 1)]);
        let y = k.in_out::<f32>("y").view(Order::RowMajor, [k.dim(0, 1), k.dim(0, 1)]);
        k.range::<i32>(0, last).each("i", |i| y.store((i, 1), x.at((i + 1, 0))));
    })
    .unwrap()
}

#[test]
fn an_index_outside_of_its_dimension_is_a_fault_inside_of_the_buffer_too() {
    let buffers =
        [vec![2_i64].into(), vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].into(), vec![0.0_f32; 8].into()];
    assert_eq!(run(&shifted(2), 1, &buffers)[2], Buffer::F32(vec![0.0, 3.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0]));
    let fault = interpret(&shifted(3), 1, &buffers).unwrap_err();
    assert!(matches!(fault, Fault::Undefined { reason: Undefined::Bounds, .. }), "{fault}");
    let text = shifted(2).opencl();
    assert!(text.contains("y[i * 2L + 1L] = x[(i + 1L) * 2L];") || text.contains("x["), "{text}");
    assert!(!text.contains("bounds["), "checks are the interpreter's: {text}");
}

#[test]
fn a_constant_index_outside_of_constant_bounds_is_refused() {
    let error = Kernel::build("refused", |k| {
        k.output::<f32>("y").view(Order::RowMajor, [k.dim(1, 3), k.dim(0, 4)]).store((3, 5), 1.0);
    });
    let bounds = BuildError::Bounds { name: "y".to_owned(), dimension: 1, index: 5, low: 0, high: 4 };
    assert_eq!(error.unwrap_err(), bounds);
}

#[test]
fn dimensions_of_run_time_values() {
    let kernel = Kernel::build_dynamic("dimensions", |k| {
        let element = ValueType::scalar(ScalarType::F64);
        let (x, y) = (k.buffer("x", element, Access::Read)?, k.buffer("y", element, Access::ReadWrite)?);
        let (i, j) = (k.query(Query::GlobalId, 0)?, k.index(1));
        let dims = [[k.index(0), k.index(2)], [k.index(0), k.index(1)]];
        let from = x.offset(Order::ColumnMajor, &dims, &[i, j])?;
        y.store(y.offset(Order::RowMajor, &dims, &[i, j])?, x.load(from)?)?;
        assert!(y.offset(Order::RowMajor, &dims, &[i]).is_err());
        Ok(())
    })
    .unwrap();
    let x = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let expected = vec![0.0, 4.0, 0.0, 5.0, 0.0, 6.0];
    assert_eq!(run(&kernel, 3, &[x.into(), vec![0.0; 6].into()])[1], Buffer::F64(expected));
}
