use affinimath_cpu::fft::stockham::roots::{ROOTS_3, ROOTS_5, ROOTS_7, ROOTS_9, ROOTS_11, ROOTS_13, ROOTS_16, Root};
use affinimath_testing::fft::roots;

#[test]
fn roots_are_rounded_once() {
    let tables: [&[Root]; 7] = [&ROOTS_3, &ROOTS_5, &ROOTS_7, &ROOTS_9, &ROOTS_11, &ROOTS_13, &ROOTS_16];
    for table in tables {
        let exact: Vec<_> = roots(table.len()).into_iter().map(|(re, im)| (re, -im)).collect();
        for ((cos, sin), (re, im)) in table.iter().zip(exact) {
            // Where it is 0 the reference has an error of its own.
            assert!((cos - re).abs() < 1e-30 || *cos == re, "{table:?}");
            assert!((sin - im).abs() < 1e-30 || *sin == im, "{table:?}");
        }
    }
}
