//! Aligned and streaming accesses, and switches.

use affinimath_kernel::{BuildOption, Fault, Kernel, Vector, f16};

use super::targets::{Buffer, interpret, run};

fn doubled() -> Kernel {
    Kernel::build("doubled", |k| {
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
        let i = k.global_id(0) * 4;
        let value = x.aligned_vector_at::<4>(i) * Vector([2.0; 4]);
        y.store_aligned_vector(i, value);
        y.store_streaming_vector(i + 8, value);
        y.store_streaming(k.global_id(0) + 16, value.lane(3));
    })
    .unwrap()
}

#[test]
fn aligned_vectors_are_dereferenced_and_streamed() {
    let x: Vec<f32> = (0..8_u8).map(f32::from).collect();
    let results = run(&doubled(), 2, &[x.into(), vec![0.0_f32; 18].into()]);
    let twice = (0..8_u8).map(|x| f32::from(x) * 2.0);
    let expected: Vec<f32> = twice.clone().chain(twice).chain([6.0, 14.0]).collect();
    assert_eq!(results[1], Buffer::F32(expected));
    let text = doubled().opencl();
    assert!(text.contains("= *(__global const float4 *)(x + v1) * (float4)(2.0f);"), "{text}");
    assert!(text.contains("*(__global float4 *)(y + v1) = v2;"), "{text}");
    assert!(text.contains("stream_store(v2, (__global float4 *)(y + (v1 + 8L)));"), "{text}");
    assert!(text.contains("stream_store(v2.s3, y + (v0 + 16L));"), "{text}");
    assert!(doubled().cuda().contains("__stcs(y + (v0 + 16LL), "), "{}", doubled().cuda());
}

#[test]
fn a_misaligned_index_is_a_fault() {
    let kernel = Kernel::build("misaligned", |k| {
        let (x, y) = (k.input::<f16>("x"), k.in_out::<f32>("y"));
        y.store_aligned_vector(0, x.aligned_vector_at::<4>(k.global_id(0) * 2));
    })
    .unwrap();
    let fault = interpret(&kernel, 2, &[vec![f16::ONE; 8].into(), vec![0.0_f32; 4].into()]).unwrap_err();
    assert!(matches!(fault, Fault::Misaligned { ref memory, index: 2, lanes: 4, .. } if memory == "x"), "{fault}");
}

#[test]
fn a_switch_chooses_one_block() {
    let kernel = Kernel::build("chosen", |k| {
        let (x, y) = (k.input::<u8>("x"), k.in_out::<i32>("y"));
        let i = k.global_id(0);
        k.switch(x.at(i))
            .case([0, 255], || y.store(i, 1))
            .case([3], || k.range::<i32>(0, 4).each("j", |j| y.store(i, y.at(i) + j)))
            .otherwise(|| y.store(i, x.at(i).to::<i32>() * 10));
    })
    .unwrap();
    let results = run(&kernel, 4, &[vec![0_u8, 3, 255, 4].into(), vec![0; 4].into()]);
    assert_eq!(results[1], Buffer::I32(vec![1, 6, 1, 40]));
    let text = kernel.opencl();
    assert!(text.contains("case (uchar)0: case (uchar)255: {"), "{text}");
}

#[test]
fn a_switch_over_a_uniform_value_takes_barriers() {
    let kernel = Kernel::build("uniform", |k| {
        let y = k.in_out::<i32>("y");
        let shared = k.local::<i32>("shared", 4);
        let i = k.local_id(0);
        shared.store(i, y.at(i));
        k.switch(k.group_id(0)).case([1], || y.store(i, 0)).otherwise(|| {
            k.barrier();
            y.store(i, shared.at(i ^ 1));
        });
    })
    .unwrap();
    assert_eq!(run(&kernel, 4, &[vec![1, 2, 3, 4].into()])[0], Buffer::I32(vec![2, 1, 4, 3]));
}

#[test]
fn build_options_are_data_of_the_kernel() {
    let kernel = Kernel::build("options", |k| {
        k.build_option(BuildOption::NvMaxRegisterCount(64));
        k.build_option(BuildOption::CorrectlyRoundedDivideSqrt);
        k.build_option(BuildOption::CorrectlyRoundedDivideSqrt);
    })
    .unwrap();
    let options: Vec<String> = kernel.build_options().iter().map(BuildOption::opencl).collect();
    assert_eq!(options, ["-cl-fp32-correctly-rounded-divide-sqrt", "-cl-nv-maxrregcount=64"]);
    let plain = Kernel::build("options", |_| {}).unwrap();
    assert_ne!(kernel, plain, "kernels with other options are other kernels");
}
