//! Values of views, joins, generators and compositions.

use crate::eager::values;
use affinimath_array::{Expr, Slice, arange, concatenate, coordinates, eye, from_vec, iota, keep, linspace, s, stack};

fn matrix() -> Expr<f64> {
    from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
}

#[test]
fn views_move_elements() {
    let (a, e) = (iota([2, 3]), iota([2, 3]) + 0);
    for u in [a, e] {
        assert_eq!(values(&u.t()), [0, 3, 1, 4, 2, 5]);
        assert_eq!(values(&u.reverse(0)), [3, 4, 5, 0, 1, 2]);
        assert_eq!(values(&u.reverse(..)), [5, 4, 3, 2, 1, 0]);
        assert_eq!(values(&u.t().reshape([2, 3])), [0, 3, 1, 4, 2, 5]);
        assert_eq!(values(&u.at(s![0]).broadcast_to([2, 3])), [0, 1, 2, 0, 1, 2]);
        assert_eq!(values(&(u.at(s![.., 0..1]) * 10 + u.at(s![1]))), [3, 4, 5, 33, 34, 35]);
        assert_eq!(values(&u.reshape([3, 2]).at(s![..;-1, 1]).new_axis(0)), [5, 3, 1]);
    }
    let cube = iota([2, 3, 4]);
    let permuted = cube.permute([2, 0, 1]);
    assert_eq!(values(&permuted.at(s![3, 1])), [15, 19, 23]);
    assert_eq!(values(&permuted.permute([1, 2, 0])), values(&cube));
}

#[test]
fn gathers_take_negative_indices() {
    let u = iota([3, 2]) * 10;
    assert_eq!(values(&u.index(from_vec(4, vec![2, -1, 0, -3]))), [40, 50, 40, 50, 0, 10, 0, 10]);
    assert_eq!(values(&u.index_along(1, -1)), [10, 30, 50]);
    assert_eq!(values(&u.index_along(-1, from_vec([1, 2], vec![1, 0]))), [10, 0, 30, 20, 50, 40]);
}

#[test]
fn joins_put_arrays_side_by_side() {
    let u = iota([2, 2]);
    assert_eq!(values(&concatenate(0, [&u, &(&u + 4)])), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(values(&concatenate(-1, [&u, &(&u + 4)])), [0, 1, 4, 5, 2, 3, 6, 7]);
    assert_eq!(values(&stack(0, [&u, &(&u + 4)])), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(values(&stack(-1, [&u, &(&u + 4)])), [0, 4, 1, 5, 2, 6, 3, 7]);
}

#[test]
fn generators_give_their_elements() {
    assert_eq!(values(&arange(3.0, 0.5, 4)), [3.0, 3.5, 4.0, 4.5]);
    assert_eq!(values(&arange(3u8, 2, 3)), [3, 5, 7]);
    assert_eq!(values(&linspace(0.0, 1.0, 5)), [0.0, 0.25, 0.5, 0.75, 1.0]);
    // The end is exact, which `start + i * step` is not.
    let line = values(&linspace(0.0, 0.7, 8));
    assert_eq!((line[0], line[7]), (0.0, 0.7));
    assert_eq!(values(&linspace(2.0f32, 9.0, 1)), [2.0]);
    assert_eq!(values(&coordinates([2, 3], 0)), [0, 0, 0, 1, 1, 1]);
    assert_eq!(values(&coordinates([2, 3], -1)), [0, 1, 2, 0, 1, 2]);
    assert_eq!(values(&eye::<i32>([2, 3], 0)), [1, 0, 0, 0, 1, 0]);
    assert_eq!(values(&eye::<f32>([3, 2], -1)), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn reductions_join_their_axes() {
    let a = matrix();
    assert_eq!(values(&a.sum(..)), [21.0]);
    assert_eq!(values(&a.sum(0)), [5.0, 7.0, 9.0]);
    assert_eq!(values(&a.prod(1)), [6.0, 120.0]);
    assert_eq!(values(&a.max(keep(1))), [3.0, 6.0]);
    assert_eq!(values(&a.argmax(0)), [1, 1, 1]);
    assert_eq!(values(&a.argmin(..)), [0]);
    assert_eq!(values(&a.gt(3.0).count(..)), [3]);
    assert_eq!(values(&a.gt(3.0).any(0)), [true; 3]);
    assert_eq!(values(&a.gt(3.0).all(1)), [false, true]);
    assert_eq!(values(&a.mean(1)), [2.0, 5.0]);
    assert_eq!(values(&a.var(0)), [2.25; 3]);
    assert_eq!(values(&a.var_with(1, 1)), [1.0, 1.0]);
    assert_eq!(values(&from_vec(2, vec![3.0, 4.0]).norm()), [5.0]);
    assert_eq!(values(&a.cumsum(0)), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
    assert_eq!(values(&a.cumprod(1)), [1.0, 2.0, 6.0, 4.0, 20.0, 120.0]);
}

#[test]
fn reductions_of_none_and_of_one_element() {
    let none = a_none();
    assert_eq!(values(&none.sum(1)), [0.0, 0.0]);
    assert_eq!(values(&none.prod(1)), [1.0, 1.0]);
    assert_eq!(values(&none.gt(0.0).any(1)), [false, false]);
    assert_eq!(values(&none.gt(0.0).all(1)), [true, true]);
    assert!(values(&none.mean(1)).iter().all(|x| x.is_nan()));
    let one = matrix().at(s![.., 1..2]);
    assert_eq!(values(&one.min(1)), [2.0, 5.0]);
    assert_eq!(values(&one.argmin(1)), [0, 0]);
    assert_eq!(values(&one.sum([])), [2.0, 5.0]);
}

fn a_none() -> Expr<f64> {
    from_vec([2, 0], vec![])
}

#[test]
fn powers_are_products() {
    let x = from_vec(3, vec![-2, 1, 3]);
    assert_eq!(values(&x.powi(0)), [1, 1, 1]);
    assert_eq!(values(&x.powi(1)), [-2, 1, 3]);
    assert_eq!(values(&x.powi(5)), [-32, 1, 243]);
    assert_eq!(values(&x.powi(12)), [4096, 1, 531441]);
}

#[test]
fn clamp_and_fma() {
    let x = from_vec(3, vec![-2.0, 0.5, 3.0]);
    assert_eq!(values(&x.clamp(0.0, 1.0)), [0.0, 0.5, 1.0]);
    assert_eq!(values(&x.fma(2.0, 1.0)), [-3.0, 2.0, 7.0]);
    assert_eq!(values(&from_vec(3, vec![300.0, -1.0, f64::NAN]).cast::<u8>()), [255, 0, 0]);
}

#[test]
fn matrix_products_follow_numpy() {
    let (a, b) = (matrix(), matrix().t());
    assert_eq!(values(&a.matmul(&b)), [14.0, 32.0, 32.0, 77.0]);
    assert_eq!(values(&a.matmul(from_vec(3, vec![1.0, 0.0, -1.0]))), [-2.0, -2.0]);
    assert_eq!(values(&from_vec(2, vec![1.0, 2.0]).matmul(&a)), [9.0, 12.0, 15.0]);
    let batch = stack(0, [&a, &(2.0 * &a)]);
    assert_eq!(values(&batch.matmul(&b)), [14.0, 32.0, 32.0, 77.0, 28.0, 64.0, 64.0, 154.0]);
}

/// A view of the array by one of its operations, drawn from `draw`.
fn view(e: &Expr<i64>, mut draw: impl FnMut(usize) -> usize) -> Expr<i64> {
    let rank = e.rank();
    if rank == 0 {
        return e.broadcast_to([2, 3]);
    }
    let (axis, rest) = (draw(rank), draw(6));
    let extent = e.shape()[axis];
    let mut slices = vec![Slice::FULL; rank];
    match rest {
        0 => {
            let step = [1, 2, 3, -1, -2][draw(5)];
            let mut bound = || (draw(2) == 1).then(|| draw(2 * extent + 3) as i64 - extent as i64 - 1);
            slices[axis] = Slice::Range { start: bound(), end: bound(), step };
            e.at(slices)
        }
        1 if extent > 0 => {
            slices[axis] = Slice::Index(draw(2 * extent) as i64 - extent as i64);
            e.at(slices)
        }
        2 if rank < 5 => e.new_axis(draw(rank + 1) as i64),
        3 => e.reverse(axis as i64),
        4 => e
            .flatten()
            .reshape([e.shape().to_vec(), vec![1]].concat())
            .permute((0..rank as i64 + 1).rev().collect::<Vec<_>>()),
        5 if rank < 5 && e.len() < 200 => e.broadcast_to([&[2], &e.shape()[..]].concat()),
        _ => e.t(),
    }
}

#[test]
fn views_of_memory_and_of_expressions_have_the_same_elements() {
    let mut state = 1u64;
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for _ in 0..300 {
        let mut memory = from_vec([3, 4, 5], (0..60).collect());
        let mut computed = iota([3, 4, 5]) + 0;
        let mut indices: Vec<i64> = (0..60).collect();
        for _ in 0..4 {
            let draws: Vec<usize> = (0..8).map(|_| draw(1 << 20)).collect();
            let replay = || {
                let mut rest = draws.iter();
                move |n: usize| rest.next().unwrap() % n
            };
            // One view at a time of the elements so far, in memory of their own.
            let last = from_vec(memory.shape(), indices);
            (memory, computed) = (view(&memory, replay()), view(&computed, replay()));
            indices = values(&view(&last, replay()));
            assert_eq!(values(&memory), indices, "{memory:?}");
            assert_eq!(values(&computed), indices, "{computed:?}");
        }
    }
}
