use affinimath_cpu::fft::stockham::roots::{ROOTS_3, ROOTS_5, ROOTS_7, ROOTS_9, ROOTS_11, ROOTS_13, ROOTS_16, Root};
use affinimath_testing::fft::roots;
use affinimath_testing::is_close;

#[test]
fn roots_are_rounded_once() {
    let tables: [&[Root]; 7] = [&ROOTS_3, &ROOTS_5, &ROOTS_7, &ROOTS_9, &ROOTS_11, &ROOTS_13, &ROOTS_16];
    for table in tables {
        let exact: Vec<_> = roots(table.len()).into_iter().map(|(re, im)| (re, -im)).collect();
        for ((cos, sin), (re, im)) in table.iter().zip(exact) {
            // The reference is not exact where the sine is 0.
            assert!(*cos == re || is_close(*cos, re, 1e-30), "{table:?}");
            assert!(*sin == im || is_close(*sin, im, 1e-30), "{table:?}");
        }
    }
}
