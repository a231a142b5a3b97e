//! The text of kernels in all languages, as it is committed.

use insta::assert_snapshot;

use super::axpy::fused_axpy;
use super::butterfly::stockham_pass;
use super::reduction::group_sums;
use affinimath_kernel::{Expr, ForeignBody, Index, Kernel, Order, Pair, Vector, f16};

/// Everything that a statement can be.
fn everything() -> Kernel {
    Kernel::build("everything", |k| {
        k.group_size([4, 2, 1]);
        let limit = k.argument::<u32>("limit");
        let pairs = k.input::<Pair<f64>>("pairs");
        let bins = k.in_out::<i32>("bins");
        let y = k.in_out::<f64>("y");
        let square = k.function("square", |(a,): (Expr<f64>,)| a * a);
        let local = k.local::<i32>("kernel", 8);
        let digits = k.private::<u32>("digits", 4);

        let item = k.named("item_number", k.local_id(1) * k.local_size(0) + k.local_id(0));
        let (row, column) = (k.global_id(1), k.group_id(0));
        local.store(item, row.to::<i32>());
        k.global_barrier();
        let left = k.var("left", limit);
        let rounds = k.var::<i32>("rounds", 0);
        k.repeat_while(
            || left.get().gt(0_u32) & rounds.get().lt(4),
            || {
                digits.store(rounds, left % 10_u32);
                left.set(left / 10_u32);
                rounds.set(rounds + 1);
            },
        );
        k.range::<i32>(0, 4).step_by(2).each("j", |j| {
            k.when(j.lt(rounds), || bins.atomic_add(digits.at(j), 1));
        });
        let old = local.atomic_max(0, item.to::<i32>());
        let v = y.vector_at::<4>(item * 4);
        let w = v.shuffle::<2>(|lane| 2 * lane + 1);
        let pair = pairs.at(column) * w - Vector([1.0, 0.5]);
        k.if_else(
            old.eq(bins.atomic_compare_exchange(item, 3, 4)),
            || y.store_vector(item * 4, v * v.min(square.call((pair.x(),)).splat::<4>())),
            || y.store(item, old.lt(2).select(pair.y().exp(), f64::INFINITY)),
        );
    })
    .unwrap()
}

/// Types, accesses and operations beyond [`everything`]'s.
fn types() -> Kernel {
    Kernel::build("types", |k| {
        let halves = k.input::<f16>("halves");
        let flags = k.in_out::<bool>("flags");
        let words = k.in_out::<u64>("words");
        let y = k.in_out::<f32>("y");
        let body = ForeignBody {
            opencl: "return native_exp(x);",
            cuda: "return __expf(x);",
            c99: "return expf(x);",
            fortran: Some("result = exp(x)"),
        };
        let fast_exp = k.foreign("fast_exp", ["x"], body, |(x,): (f32,)| x.exp());
        let i = k.global_id(0) * 4;
        let v = k.named("v", halves.aligned_vector_at::<4>(i));
        let above = v.gt(y.aligned_vector_at::<4>(i)) & v.is_nan() ^ words.vector_at::<4>(i).ne(Vector([0; 4]));
        y.store_streaming_vector(i, above.select(v, Vector([0.5, 1.0, 2.0, 3.0])));
        k.when(above.any(), || flags.store(i, !flags.at(i)));
        let bytes = v.to_saturating::<u8>().lane(0);
        k.switch(bytes + 1_u8)
            .case([0, 1], || words.store(i, words.at(i).mul_hi(words.at(i + 1)).rotate_left(3)))
            .otherwise(|| y.store(i, fast_exp.call((y.at(i),)).bitcast::<i32>().popcount().to::<f32>()));
        let matrix = y.view(Order::ColumnMajor, [k.dim(1, 4), k.dim(-1, 2)]);
        matrix.store((1, 0), v.lane(1).erf().copysign(v.lane(2)).ldexp(bytes.to::<i32>()));
    })
    .unwrap()
}

/// A barrier in a loop, with values that work-items keep across it.
fn shift() -> Kernel {
    Kernel::build("shift", |k| {
        k.group_size([16, 1, 1]);
        let n = k.argument::<Index>("n");
        let x = k.in_out::<f32>("x");
        let shared = k.local::<f32>("shared", 16);
        let i = k.global_id(0);
        let value = k.var("value", x.at(i));
        let half = x.at(i) * 0.5;
        k.range(0, n).each("round", |_| {
            shared.store(k.local_id(0), value);
            k.barrier();
            value.set(shared.at((k.local_id(0) + 1) % 16) + half);
            k.barrier();
        });
        x.store(i, value);
    })
    .unwrap()
}

#[test]
fn opencl_is_readable() {
    assert_snapshot!("axpy_f32_opencl", fused_axpy::<f32>().unwrap().opencl());
    assert_snapshot!("axpy_f64_opencl", fused_axpy::<f64>().unwrap().opencl());
    assert_snapshot!("sums_opencl", group_sums::<f32>(8).unwrap().opencl());
    assert_snapshot!("stockham_3_opencl", stockham_pass::<f64>(3).unwrap().opencl());
    assert_snapshot!("stockham_4_opencl", stockham_pass::<f32>(4).unwrap().opencl());
    assert_snapshot!("everything_opencl", everything().opencl());
    assert_snapshot!("types_opencl", types().opencl());
}

#[test]
fn cuda_is_readable() {
    assert_snapshot!("sums_cuda", group_sums::<f32>(8).unwrap().cuda());
    assert_snapshot!("stockham_4_cuda", stockham_pass::<f32>(4).unwrap().cuda());
    assert_snapshot!("everything_cuda", everything().cuda());
    assert_snapshot!("types_cuda", types().cuda());
}

#[test]
fn c99_is_readable() {
    assert_snapshot!("axpy_f64_c99", fused_axpy::<f64>().unwrap().c99().unwrap());
    assert_snapshot!("shift_c99", shift().c99().unwrap());
    assert_snapshot!("everything_c99", everything().c99().unwrap());
    assert_snapshot!("types_c99", types().c99().unwrap());
    super::targets::check_opencl(&types());
}

#[test]
fn hip_is_readable() {
    assert_snapshot!("types_hip", types().hip());
}

#[test]
fn c_with_vectors_is_readable() {
    assert_snapshot!("everything_c_vectors", everything().c_vectors().unwrap());
    assert_snapshot!("types_c_vectors", types().c_vectors().unwrap());
}

#[test]
fn fortran_is_readable() {
    assert_snapshot!("axpy_f64_fortran", fused_axpy::<f64>().unwrap().fortran().unwrap());
    assert_snapshot!("shift_fortran", shift().fortran().unwrap());
    assert_snapshot!("everything_fortran", everything().fortran().unwrap());
    assert_snapshot!("types_fortran", types().fortran().unwrap());
}

#[test]
fn the_book_has_the_texts_of_its_kernel() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/kernel-language.md");
    let page = std::fs::read_to_string(page).unwrap();
    let kernel = fused_axpy::<f64>().unwrap();
    for text in [kernel.opencl(), kernel.fortran().unwrap()] {
        assert!(page.contains(&text), "{text}");
    }
}

/// Fortran does not tell upper from lower case, and has names of its own.
#[test]
fn names_in_fortran_are_told_apart() {
    let kernel = Kernel::build("Shapes", |k| {
        let (x, y) = (k.input::<f32>("X"), k.output::<f32>("merge"));
        let long = "a".repeat(70);
        let first = k.named("x2", x.at(0) + 1.0);
        let (second, third) = (k.named(&long, x.at(1)), k.named(&format!("{long}b"), x.at(2)));
        let value = k.var("Value", first * second);
        y.store(0, value + third);
    })
    .unwrap();
    let text = kernel.fortran().unwrap();
    let told = ["bind(c, name=\"Shapes\")", "subroutine shapes(", "x(0:*)", "merge_2(0:*)", "value_2 = "];
    assert!(told.iter().all(|told| text.contains(told)), "{text}");
    let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    assert!(text.split(is_part).all(|word| word.len() <= 63), "{text}");
}

#[test]
fn the_same_kernel_is_the_same_text() {
    let texts = || {
        let kernel = everything();
        let hosts = (kernel.c99().unwrap(), kernel.c_vectors().unwrap(), kernel.fortran().unwrap());
        (kernel.opencl(), kernel.cuda(), kernel.hip(), hosts)
    };
    assert_eq!(texts(), texts());
}
