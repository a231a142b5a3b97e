//! Boolean vectors: comparisons, selection, and operations on them.

use affinimath_kernel::{Expr, Kernel, Vector};

use super::targets::{Buffer, run};

#[test]
fn comparisons_of_vectors_select_lane_by_lane() {
    let kernel = Kernel::build("compared", |k| {
        let (x, y) = (k.input::<f32>("x"), k.input::<f64>("y"));
        let out = k.in_out::<f64>("out");
        let v = x.vector_at::<4>(0);
        let w = y.vector_at::<4>(0);
        // A mask of float lanes selects doubles, and one of doubles floats.
        out.store_vector(0, v.lt(x.vector_at::<4>(4)).select(w, -w));
        out.store_vector(4, w.ge(Vector([1.0; 4])).select(v, Vector([0.0_f32; 4])).to::<f64>());
        let both = v.ne(Vector([2.0, 2.0, 9.0, 9.0])) & w.gt(v.to::<f64>());
        out.store_vector(8, (!both ^ v.le(Vector([1.0; 4]))).select(Vector([1.0; 4]), Vector([0.0; 4])));
    })
    .unwrap();
    let x = vec![1.0_f32, 2.0, f32::NAN, 4.0, 2.0, 2.0, 2.0, 8.0];
    let y = vec![0.5, 1.5, 2.5, 6.0];
    let results = run(&kernel, 1, &[x.into(), y.into(), vec![0.0; 12].into()]);
    let expected = vec![0.5, -1.5, -2.5, 6.0, 0.0, 2.0, f64::NAN, 4.0, 0.0, 1.0, 1.0, 0.0];
    assert_eq!(results[2], Buffer::F64(expected));
}

#[test]
fn any_and_all_join_lanes() {
    let kernel = Kernel::build("joined", |k| {
        let (x, y) = (k.input::<i32>("x"), k.in_out::<bool>("y"));
        let i = k.global_id(0);
        let v = x.vector_at::<4>(i * 4);
        let positive = v.gt(Vector([0; 4]));
        y.store(i * 3, positive.any());
        y.store(i * 3 + 1, positive.all());
        y.store(i * 3 + 2, !(positive | v.eq(Vector([-1; 4]))).any());
    })
    .unwrap();
    let x = vec![1, 2, 3, 4, 0, 0, 5, 0, -1, -2, -3, -4, -5, -6, -7, 0];
    let results = run(&kernel, 4, &[x.into(), vec![0_u8; 12].into()]);
    assert_eq!(results[1], Buffer::U8(vec![1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]));
}

#[test]
fn boolean_vectors_are_variables_lanes_and_constants() {
    let kernel = Kernel::build("masks", |k| {
        let (x, out) = (k.input::<f64>("x"), k.in_out::<i8>("out"));
        let v = x.vector_at::<2>(0);
        let seen = k.var("seen", Vector([true, false]));
        k.range::<i32>(0, 2).each("i", |i| {
            seen.set(seen.get() ^ v.gt(i.to::<f64>().splat()));
        });
        let turned = Expr::from_lanes([seen.get().lane(1), seen.get().lane(0)]);
        let scalar = k.value(x.at(0).lt(1.0));
        out.store_vector(0, turned.to::<i8>());
        out.store_vector(2, scalar.splat_mask::<2>().select(Vector([1_i8, 2]), Vector([3, 4])));
        out.store_vector(4, scalar.select(Vector([5_i8, 6]), Vector([7, 8])));
        out.store_vector(6, scalar.select(turned, v.lt(Vector([9.0; 2]))).to::<i8>());
        out.store_vector(8, v.to::<bool>().select(Vector([9_i8; 2]), Vector([10; 2])));
        out.store_vector(10, v.sign_bit().to::<i8>());
    })
    .unwrap();
    let results = run(&kernel, 1, &[vec![-0.0, 1.5].into(), vec![0_i8; 12].into()]);
    assert_eq!(results[1], Buffer::I8(vec![0, 1, 1, 2, 5, 6, 0, 1, 10, 9, 1, 0]));
}
