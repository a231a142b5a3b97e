//! Every row of the table, for every type.

use std::os::raw::c_int;
use std::ptr::null_mut;

use affinimath::vendor::call::{caller, signature};
use affinimath::{Complex32, Complex64, Scalar};

use super::data::{Data, Results};
use super::interface::{Addresses, Spelling};
use super::routine::{Action, Form, Routine};
use super::*;
use crate::contender::Contender;

/// Every level's rows for a type.
fn all<T: Scalar>() -> impl Iterator<Item = &'static Routine<T>> {
    LEVELS.into_iter().flat_map(|level| routines::<T>(level)).filter(|routine| routine.exists())
}

fn row<T: Scalar>(label: &str) -> &'static Routine<T> {
    all::<T>().find(|routine| routine.label() == label).unwrap()
}

#[test]
fn names_are_those_of_the_interfaces() {
    let names = |spelling: Spelling| {
        let real = ["axpy", "dot", "nrm2", "iamax", "rot"].map(|label| spelling.symbol(row::<f64>(label)));
        let complex = ["axpy", "dotc", "nrm2", "iamax", "rot"].map(|label| spelling.symbol(row::<Complex32>(label)));
        [real, complex].map(|names| names.join(" "))
    };
    let [real, complex] = names(Spelling::Cblas);
    assert_eq!(real, "cblas_daxpy cblas_ddot cblas_dnrm2 cblas_idamax cblas_drot");
    assert_eq!(complex, "cblas_caxpy cblas_cdotc_sub cblas_scnrm2 cblas_icamax cblas_csrot");
    let [real, complex] = names(Spelling::ClBlast);
    assert_eq!(real, "CLBlastDaxpy CLBlastDdot CLBlastDnrm2 CLBlastiDamax CLBlastDrot");
    assert_eq!(complex, "CLBlastCaxpy CLBlastCdotc CLBlastScnrm2 CLBlastiCamax CLBlastCsrot");
    let [real, complex] = names(Spelling::CuBlas);
    assert_eq!(real, "cublasDaxpy_v2 cublasDdot_v2 cublasDnrm2_v2 cublasIdamax_v2 cublasDrot_v2");
    assert_eq!(complex, "cublasCaxpy_v2 cublasCdotc_v2 cublasScnrm2_v2 cublasIcamax_v2 cublasCsrot_v2");
}

/// A row's signature in an interface.
fn spelled<T: Scalar>(spelling: Spelling, routine: &Routine<T>) -> String {
    let at = Addresses { operands: &[null_mut(); 3], result: null_mut(), session: null_mut() };
    let call = spelling.spell(routine, 100, &at).unwrap();
    signature(&call.words, call.returned)
}

#[test]
fn arguments_are_those_of_the_interfaces() {
    for (label, complex_label, cblas, complex_cblas, clblast, cublas) in [
        ("copy", "copy", "npnpnv", "npnpnv", "zpzzpzzppi", "pnpnpni"),
        ("axpy", "axpy", "nrpnpnv", "nppnpnv", "zspzzpzzppi", "pnppnpni"),
        ("rot", "rot", "npnpnrrv", "npnpnrrv", "zpzzpzzrrppi", "pnpnpnppi"),
        ("dot", "dotc", "npnpnr", "npnpnpv", "zpzpzzpzzppi", "pnpnpnpi"),
        ("nrm2", "nrm2", "npnr", "npnr", "zpzpzzppi", "pnpnpi"),
        ("iamax", "iamax", "npnz", "npnz", "zpzpzzppi", "pnpnpi"),
        ("spmv", "hpmv", "iinrppnrpnv", "iinpppnppnv", "iizspzpzzspzzppi", "pinpppnppni"),
        ("ger", "geru", "innrpnpnpnv", "innppnpnpnv", "izzspzzpzzpzzppi", "pnnppnpnpni"),
        ("syr", "her", "iinrpnpnv", "iinrpnpnv", "iizrpzzpzzppi", "pinppnpni"),
        ("gemm", "gemm", "iiinnnrpnpnrpnv", "iiinnnppnpnppnv", "iiizzzspzzpzzspzzppi", "piinnnppnpnppni"),
        ("syrk", "syrk", "iiinnrpnrpnv", "iiinnppnppnv", "iiizzspzzspzzppi", "piinnppnppni"),
        ("trmm", "trmm", "iiiiinnrpnpnv", "iiiiinnppnpnv", "iiiiizzspzzpzzppi", "piiiinnppnpnpni"),
        ("trsm", "trsm", "iiiiinnrpnpnv", "iiiiinnppnpnv", "iiiiizzspzzpzzppi", "piiiinnppnpni"),
        ("trmv", "trmv", "iiiinpnpnv", "iiiinpnpnv", "iiiizpzzpzzppi", "piiinpnpni"),
    ] {
        assert_eq!(spelled(Spelling::Cblas, row::<f32>(label)), cblas, "{label}");
        assert_eq!(spelled(Spelling::Cblas, row::<Complex64>(complex_label)), complex_cblas, "{label}");
        assert_eq!(spelled(Spelling::ClBlast, row::<Complex64>(complex_label)), clblast, "{label}");
        assert_eq!(spelled(Spelling::CuBlas, row::<f64>(label)), cublas, "{label}");
    }
}

/// Routines without a function in an interface, which need no signature.
fn lacks<T: Scalar>(spelling: Spelling, routine: &Routine<T>) -> bool {
    let label = routine.label();
    let complex = |labels: &[&str]| T::KIND.is_complex() && labels.contains(&&*label);
    match spelling {
        Spelling::Cblas => complex(&["syr", "spr", "rot complex"]),
        Spelling::CuBlas => {
            ["axpby", "gemmt", "omatcopy", "imatcopy", "omatadd"].contains(&routine.name()) || complex(&["spr"])
        }
        Spelling::ClBlast => {
            ["gemmt", "imatcopy", "omatadd", "rotm"].contains(&routine.name())
                || complex(&["syr", "spr", "rot complex", "scal real"])
        }
    }
}

#[test]
fn every_routine_can_be_called_in_every_interface() {
    fn check<T: Scalar>() {
        for routine in all::<T>() {
            for spelling in [Spelling::Cblas, Spelling::ClBlast, Spelling::CuBlas] {
                let signature = spelled(spelling, routine);
                let name = spelling.symbol(routine);
                if lacks(spelling, routine) {
                    continue;
                }
                assert!(caller::<T, c_int>(&signature).is_some(), "{name} needs the signature {signature}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
    check::<Complex64>();
}

#[test]
fn sizes_past_a_c_int_are_for_clblast_only() {
    let at = Addresses { operands: &[null_mut(); 3], result: null_mut(), session: null_mut() };
    let routine = row::<f32>("copy");
    assert!(Spelling::Cblas.spell(routine, 1 << 31, &at).is_none());
    assert!(Spelling::ClBlast.spell(routine, 1 << 31, &at).is_some());
}

#[test]
fn bytes_are_counted_once_for_each_read_and_each_write() {
    let n = 1000.0;
    for (label, elements) in [
        ("copy", 2.0 * n),
        ("swap", 4.0 * n),
        ("scal", 2.0 * n),
        ("axpy", 3.0 * n),
        ("axpby", 3.0 * n),
        ("rot", 4.0 * n),
        ("dot", 2.0 * n),
        ("nrm2", n),
        ("asum", n),
        ("iamax", n),
        ("gemv n", n * n + 3.0 * n),
        ("gemv t", n * n + 3.0 * n),
        ("gbmv", 33.0 * n - 272.0 + 3.0 * n),
        ("symv", n * (n + 1.0) / 2.0 + 3.0 * n),
        ("spmv", n * (n + 1.0) / 2.0 + 3.0 * n),
        ("trmv", n * (n + 1.0) / 2.0 + 2.0 * n),
        ("trsv", n * (n + 1.0) / 2.0 + 2.0 * n),
        ("sbmv", 17.0 * n - 136.0 + 3.0 * n),
        ("tbmv", 17.0 * n - 136.0 + 2.0 * n),
        ("tpsv", n * (n + 1.0) / 2.0 + 2.0 * n),
        ("spr2", n * (n + 1.0) + 2.0 * n),
        ("omatcopy t", 2.0 * n * n),
        ("imatcopy t", 2.0 * n * n),
        ("omatadd", 3.0 * n * n),
        ("ger", 2.0 * n * n + 2.0 * n),
        ("syr", n * (n + 1.0) + n),
    ] {
        assert_eq!(row::<f32>(label).work(1000), elements * 4.0, "{label}");
        assert_eq!(row::<f64>(label).work(1000), elements * 8.0, "{label}");
    }
    assert_eq!(row::<Complex64>("dotc").work(1000), 32000.0);
}

#[test]
fn operations_are_those_of_real_numbers() {
    for (label, operations) in
        [("gemm", 2e9), ("symm", 2e9), ("syrk", 1e9 + 1e6), ("syr2k", 2e9 + 2e6), ("trmm", 1e9), ("trsm", 1e9)]
    {
        assert_eq!(row::<f64>(label).work(1000), operations, "{label}");
        assert_eq!(row::<Complex64>(label).work(1000), 4.0 * operations, "{label}");
    }
}

#[test]
fn a_triangle_is_half_a_matrix_and_a_band_ends_with_it() {
    assert_eq!(Form::General.elements(10), 100.0);
    assert_eq!(Form::Triangle.elements(10), 55.0);
    assert_eq!(Form::Packed.elements(1), 1.0);
    assert_eq!(Form::BandTriangle.elements(10), 55.0);
    assert_eq!(Form::Band.elements(10), 100.0);
    assert_eq!(Form::Band.elements(100), 100.0 * 33.0 - 16.0 * 17.0);
}

#[test]
fn our_results_are_right_and_a_call_that_did_nothing_is_found_out() {
    fn check<T: Scalar>() {
        let host = Target::choose("host", None).unwrap();
        for routine in all::<T>() {
            for n in [1, 2, 37] {
                let data = Arc::new(Data::<T>::random(routine, n, 1).unwrap());
                let accuracy = ours::entrant(&data, &host).unwrap().accuracy().unwrap();
                assert!(accuracy.holds(), "{}{} of {n}: {accuracy:?}", T::KIND.letter(), routine.label());
                let untouched = Results { operands: data.operands.clone(), number: Complex64::new(-1.0, 0.0) };
                // A triangle of order 1 with a diagonal of 1 does nothing, and so it may.
                let form = routine.operands[0].form;
                let triangles = [Form::Factor, Form::Divisor, Form::PackedFactor, Form::PackedDivisor];
                let alone = triangles.contains(&form) || matches!(form, Form::BandFactor | Form::BandDivisor);
                if n > 1 || !alone {
                    assert!(!data.accuracy(&untouched).holds(), "{}{} of {n}", T::KIND.letter(), routine.label());
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
    check::<Complex64>();
}

#[test]
fn values_stay_normal_over_thousands_of_calls() {
    fn check<T: Scalar>() {
        let host = Target::choose("host", None).unwrap();
        for routine in all::<T>().filter(|routine| matches!(routine.action, Action::Update { .. })) {
            let data = Arc::new(Data::<T>::random(routine, 6, 1).unwrap());
            let mut ours = ours::Ours::prepare(&data, &host).unwrap();
            ours.run(20_000).unwrap();
            for output in routine.outputs() {
                for element in ours.download(output).unwrap() {
                    let size = element.modulus();
                    assert!((1e-6..1e6).contains(&size), "{}{}: {size}", T::KIND.letter(), routine.label());
                }
            }
        }
    }
    check::<f32>();
    check::<Complex32>();
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_made() {
    let refused = Data::<f32>::random(row("copy"), 1 << 50, 2).err().unwrap().to_string();
    assert!(refused.contains("Scopy of size") && refused.contains("choose smaller sizes"), "{refused}");
}

#[test]
fn a_routine_is_known_by_both_of_its_names() {
    assert_eq!(known::<1>("AXPY").as_deref(), Ok("axpy"));
    let told = known::<1>("gemm").unwrap_err();
    assert!(told.starts_with("level 1 has copy, swap, scal"), "{told}");
}
