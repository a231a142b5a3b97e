//! Random kernels.

use affinimath_array::ElementType;
use affinimath_array::testing::{Case, Options};
use affinimath_cpu::simd::instruction_sets;

use super::check;

fn check_all(seeds: std::ops::Range<u64>, options: &Options) {
    instruction_sets::for_each(|| {
        for seed in seeds.clone() {
            check(&Case::random(seed, options), &format!("seed {seed}"));
        }
    });
}

#[test]
fn random_kernels_have_the_bits_of_the_reference() {
    check_all(0..400, &Options { has_elementary: false, max_points: 700, ..Options::default() });
}

#[test]
fn random_kernels_of_single_precision_have_the_bits_of_the_reference() {
    let types = vec![ElementType::F32, ElementType::Bool, ElementType::C32];
    check_all(1000..1150, &Options { types, has_elementary: false, max_points: 1500, ..Options::default() });
}

#[test]
fn random_kernels_of_several_parts_have_the_bits_of_the_reference() {
    check_all(2000..2012, &Options { has_elementary: false, max_points: 90_000, max_code: 10, ..Options::default() });
}

#[test]
fn random_kernels_of_a_few_points_have_the_bits_of_the_reference() {
    check_all(3000..3600, &Options { has_elementary: false, max_points: 40, ..Options::default() });
}

#[test]
fn random_kernels_with_elementary_functions_have_the_bits_of_the_reference() {
    check_all(4000..4200, &Options { has_elementary: true, max_points: 300, ..Options::default() });
}
