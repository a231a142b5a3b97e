//! A reduction in local memory: a sum for each group, always in the same order.

use affinimath_kernel::{BuildError, Index, Kernel, Real};

/// `sums[g]` := the sum of the g-th part of x. `items` work-items make a group; it is a power of two.
pub fn group_sums<R: Real>(items: usize) -> Result<Kernel, BuildError> {
    assert!(items.is_power_of_two(), "halves are added to halves");
    Kernel::build("group_sums", |k| {
        k.comment("sums[g] := the sum of the elements of x that fall to group g, a group's width in every round.");
        k.group_size([items, 1, 1]);
        let n = k.argument::<Index>("n");
        let x = k.input::<R>("x");
        let sums = k.output::<R>("sums");
        let parts = k.local::<R>("parts", items);

        // Each work-item's own part ...
        let sum = k.var("sum", R::real(0.0));
        k.range(k.global_id(0), n).step_by(k.global_size(0)).each("i", |i| sum.set(sum + x.at(i)));

        // ... and then halves to halves. The loop is Rust's: what is left of it is its rounds, each with its own
        // constant.
        let item = k.local_id(0);
        parts.store(item, sum);
        let mut half = items / 2;
        while half > 0 {
            k.barrier();
            k.when(item.lt(half), || parts.store(item, parts.at(item) + parts.at(item + half)));
            half /= 2;
        }
        k.when(item.eq(0), || sums.store(k.group_id(0), parts.at(0)));
    })
}
