//! The C API's arguments. What arguments mean is worked out here once more: wrong ones must be refused with the index
//! of one of them and touch nothing (their buffers hold one element), right ones must succeed on buffers of exactly the
//! claimed sizes. Behind them lies memory that nobody may touch, and AddressSanitizer sees what is read or written
//! elsewhere.
#![no_main]

mod abi;

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(init: {
    // SAFETY: the process has one thread yet.
    unsafe {
        std::env::set_var("AFFINIMATH_ROUTE", "host");
        std::env::set_var("OCL_ICD_VENDORS", "/nonexistent");
    }
}, |data: &[u8]| -> Corpus {
    let mut u = Unstructured::new(data);
    let call = match u.arbitrary::<u8>() {
        Ok(kind) => match kind % 6 {
            0 => abi::gemm(&mut u),
            1 => abi::gemv(&mut u),
            2 => abi::trsm(&mut u),
            3 => abi::getrf(&mut u),
            4 => abi::fft(&mut u),
            _ => abi::csr(&mut u),
        },
        Err(_) => return Corpus::Reject,
    };
    if call.is_ok() { Corpus::Keep } else { Corpus::Reject }
});
