//! Faults that the interpreter detects.

use super::super::{Builder, Expr, Fault, Index, Kernel, Launch, Undefined};

/// A launch of two groups of four work-items on a buffer of eight elements.
fn fault(construct: impl for<'k> FnOnce(Builder<'k>)) -> Option<Fault> {
    let kernel = Kernel::build("wrong", construct).unwrap();
    let before = [1_i32, 2, 3, 4, 5, 6, 7, 8];
    let mut x = before;
    let result = Launch::new(&kernel, [2, 1, 1], [4, 1, 1]).run([(&mut x).into()]);
    assert!(result.is_ok() || x == before, "a faulty launch changes nothing");
    result.err()
}

fn races(construct: impl for<'k> FnOnce(Builder<'k>)) -> bool {
    matches!(fault(construct), Some(Fault::Race { .. }))
}

#[test]
fn an_index_outside_is_found_with_its_work_item() {
    let found = fault(|k| {
        let x = k.in_out::<i32>("x");
        x.store(k.global_id(0) + 1, 0);
    });
    let at = Fault::OutOfBounds { memory: "x".to_owned(), index: 8, length: 8, group: [1, 0, 0], item: [3, 0, 0] };
    assert_eq!(found, Some(at));
    let negative = fault(|k| {
        let x = k.in_out::<i32>("x");
        let array = k.private::<i32>("array", 3);
        array.store(k.local_id(0) - 1, 0);
        x.store(k.global_id(0), array.at(k.local_id(0) - 1));
    });
    assert!(matches!(negative, Some(Fault::OutOfBounds { index: -1, length: 3, .. })), "{negative:?}");
}

#[test]
fn a_barrier_for_a_part_of_the_group_is_found() {
    let found = fault(|k| {
        k.in_out::<i32>("x");
        k.when(k.local_id(0).lt(3), || k.barrier());
    });
    assert_eq!(found, Some(Fault::DivergentBarrier { group: [0, 0, 0], reached: 3, items: 4 }));
    let by_group = fault(|k| {
        k.in_out::<i32>("x");
        k.when(k.group_id(0).eq(1), || k.barrier());
    });
    assert_eq!(by_group, None, "whole groups may come or stay away");
    let rounds = fault(|k| {
        k.in_out::<i32>("x");
        k.range(k.local_id(0), 4_usize).each("i", |_| k.barrier());
    });
    assert!(matches!(rounds, Some(Fault::DivergentBarrier { reached: 3, .. })), "{rounds:?}");
}

/// Work-items exchange values in local memory, with or without barriers.
fn pass_on(k: Builder<'_>, first: bool, second: bool) {
    let x = k.in_out::<i32>("x");
    let shared = k.local::<i32>("shared", 4);
    let (item, i) = (k.local_id(0), k.global_id(0));
    k.range::<i32>(0, 2).each("round", |_| {
        shared.store(item, x.at(i));
        if first {
            k.barrier();
        }
        x.store(i, shared.at((item + 1) % 4));
        if second {
            k.barrier();
        }
    });
}

#[test]
fn races_in_a_group_are_found_and_barriers_are_seen() {
    assert_eq!(fault(|k| pass_on(k, true, true)), None);
    assert!(races(|k| pass_on(k, true, false)));
    // A read before a write of another work-item, without a barrier between.
    let early = fault(|k| pass_on(k, false, true));
    assert!(matches!(early, Some(Fault::Race { .. })), "{early:?}");
    assert!(races(|k| k.in_out::<i32>("x").store(0, k.local_id(0).to::<i32>())));
}

#[test]
fn races_in_global_memory_are_found_within_groups_and_between() {
    let neighbour = |k: Builder<'_>, barrier: bool, by_group: bool| {
        let x = k.in_out::<i32>("x");
        let i = k.global_id(0);
        x.store(i, 1);
        if barrier {
            k.global_barrier();
        } else {
            k.barrier();
        }
        let width = if by_group { k.value::<Index>(8) } else { k.value(4) };
        let start = if by_group { k.value::<Index>(0) } else { k.group_id(0) * 4 };
        k.when((start + (i - start + 1) % width).lt(8), || {
            let value = x.at(start + (i - start + 1) % width);
            k.global_barrier();
            x.store(i, value);
        });
    };
    assert_eq!(fault(|k| neighbour(k, true, false)), None);
    assert!(races(|k| neighbour(k, false, false)), "a barrier for local memory does not order global memory");
    assert!(races(|k| neighbour(k, true, true)), "no barrier orders groups");
}

#[test]
fn atomic_operations_do_not_race_with_each_other() {
    let kernel = Kernel::build("histogram", |k| {
        let (x, bins) = (k.input::<i32>("x"), k.in_out::<i32>("bins"));
        bins.atomic_add(x.at(k.global_id(0)) % 3, 1);
        bins.atomic_max(3, x.at(k.global_id(0)));
        k.when(bins.atomic_compare_exchange(4, 0, 1).eq(0), || bins.atomic_exchange(5, 7));
    })
    .unwrap();
    let (x, mut bins) = ([0, 1, 2, 3, 4, 5, 6, 7], [0; 6]);
    Launch::new(&kernel, [2, 1, 1], [4, 1, 1]).run([(&x).into(), (&mut bins).into()]).unwrap();
    assert_eq!(bins, [3, 3, 2, 7, 1, 7]);
    assert!(races(|k| {
        let x = k.in_out::<i32>("x");
        x.atomic_add(0, 1);
        k.when(k.global_id(0).eq(1), || x.store(0, 3));
    }));
}

/// True if an operation on the ids has no value.
fn undefined(construct: impl for<'k> FnOnce(Expr<'k, i32>) -> Expr<'k, i32>) -> Option<Fault> {
    fault(|k| {
        let x = k.in_out::<i32>("x");
        let i = k.global_id(0);
        x.store(i, construct(x.at(i)));
    })
}

#[test]
fn what_has_no_value_is_found() {
    let reason = |fault: Option<Fault>| match fault {
        Some(Fault::Undefined { reason, .. }) => Some(reason),
        _ => None,
    };
    assert_eq!(reason(undefined(|x| x / (x - 3))), Some(Undefined::DivisionByZero));
    assert_eq!(reason(undefined(|x| x * 2_000_000_000)), Some(Undefined::Overflow));
    assert_eq!(reason(undefined(|x| x << (x * 8))), Some(Undefined::Shift));
    assert_eq!(reason(undefined(|x| (x.to::<f64>() * 1e9).to())), Some(Undefined::Conversion));
    assert_eq!(reason(undefined(|x| (x.to::<u32>() * 2_000_000_000).to::<i64>().to())), Some(Undefined::Conversion));
    let unwritten = fault(|k| {
        let x = k.in_out::<i32>("x");
        let shared = k.local::<i32>("shared", 8);
        x.store(k.global_id(0), shared.at(k.local_id(0)));
    });
    assert!(matches!(unwritten, Some(Fault::Uninitialised { index: 0, .. })), "{unwritten:?}");
}

#[test]
fn other_arguments_than_the_kernels_are_refused() {
    let kernel = Kernel::build("axpy", |k| {
        let (n, x) = (k.argument::<Index>("n"), k.in_out::<f32>("x"));
        x.store(n, 1.0);
    })
    .unwrap();
    let launch = Launch::new(&kernel, [1; 3], [1; 3]);
    let x = [0.0_f32; 4];
    assert!(matches!(launch.run([3_i64.into()]), Err(Fault::Arguments(_))));
    assert!(matches!(launch.run([3_i32.into(), (&mut [0.0_f32; 4]).into()]), Err(Fault::Arguments(_))));
    assert!(matches!(launch.run([3_i64.into(), (&x).into()]), Err(Fault::Arguments(_))), "it writes");
}
