//! The library's dense routines and those that the benchmarks measure: the lists agree.

use std::collections::BTreeSet;

use affinimath::{Complex32, Complex64, Scalar, ScalarKind};

use super::lapack;
use super::levels;

/// Routines without a row, for all types, each with the reason.
const WITHOUT_ROW: [(&str, &str); 39] = [
    ("rotg", "it computes four scalars"),
    ("rotmg", "it computes five scalars"),
    ("dsdot", "its vectors and its result have different types"),
    ("sdsdot", "its vectors and its accumulator have different types"),
    ("hgemm", "its elements are none of the four types"),
    ("gemmBatched", "a batch has a count of matrices, and their size"),
    ("gemmStridedBatched", "a batch has a count of matrices, and their size"),
    ("trsmBatched", "a batch has a count of matrices, and their size"),
    ("trsmStridedBatched", "a batch has a count of matrices, and their size"),
    ("getrfStridedBatched", "a batch has a count of matrices, and their size"),
    ("getrsStridedBatched", "a batch has a count of matrices, and their size"),
    ("gesvStridedBatched", "a batch has a count of matrices, and their size"),
    ("potrfStridedBatched", "a batch has a count of matrices, and their size"),
    ("potrsStridedBatched", "a batch has a count of matrices, and their size"),
    ("posvStridedBatched", "a batch has a count of matrices, and their size"),
    ("geqrfStridedBatched", "a batch has a count of matrices, and their size"),
    ("gbtrfStridedBatched", "a batch has a count of matrices, and their size"),
    ("gbtrsStridedBatched", "a batch has a count of matrices, and their size"),
    ("gbsvStridedBatched", "a batch has a count of matrices, and their size"),
    ("gtsvStridedBatched", "a batch has a count of matrices, and their size"),
    ("syevStridedBatched", "a batch has a count of matrices, and their size"),
    ("gesvdStridedBatched", "a batch has a count of matrices, and their size"),
    ("getrs", "two trsm, which level 3 measures"),
    ("potrs", "two trsm, which level 3 measures"),
    ("trtrs", "trsm after a check of the diagonal"),
    ("gesv", "getrf and getrs"),
    ("posv", "potrf and potrs"),
    ("lauum", "the second step of potri"),
    ("laswp", "a part of getrf"),
    ("orgqr", "the operations of geqrf once more"),
    ("ormqr", "a part of gels"),
    ("lange", "a reduction over a matrix: bench limits has the rate of reading"),
    ("lansy", "as lange"),
    ("lanhe", "as lange"),
    ("lantr", "as lange"),
    ("gecon", "a few solutions with one right-hand side, as trsv"),
    ("pocon", "as gecon"),
    ("sytrd", "a part of syev"),
    ("gesvd", "as gesdd"),
];

/// Routines that the host computes: a row comes with a kernel.
const ON_HOST: &[&str] = &[
    "gtsv gttrf gttrs ptsv pttrf pttrs gbtrf gbtrs gbsv pbtrf pbtrs pbsv sytrf sytrs sysv sytri hetrf hetrs hesv",
    "hetri syevr sygv geev gelsd syevx sygvx orgtr ormtr sterf steqr stedc stev stevr gebrd",
    "orgbr ormbr bdsqr gebal gebak gehrd orghr ormhr hseqr trevc trexc trsen trsna trsyl gees geevx ggev gges tgsen",
    "sbtrd sbev sbevx tbtrs sygst",
    "geequ geequb poequ poequb syequb gerfs porfs syrfs herfs gtrfs ptrfs gesvx posvx sysvx hesvx gtsvx ptsvx",
    "gbcon gtcon ptcon sycon hecon sytrfRook sytrsRook sysvRook sytriRook syconRook",
    "hetrfRook hetrsRook hesvRook hetriRook heconRook",
    // Packed storage: copies around the routines of full matrices.
    "pptrf pptrs ppsv pptri ppcon sptrf sptrs spsv sptri hptrf hptrs hpsv hptri tptri tptrs spev spgv lansp lanhp",
    "lantp lansf lanhf pftrf pftrs pftri tftri tfsm sfrk hfrk trttp trttf tpttr tfttr tpttf tfttp",
];

/// All of them, each with the reason.
fn exceptions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let on_host = ON_HOST.iter().flat_map(|names| names.split(' ')).map(|name| (name, "the host computes it"));
    WITHOUT_ROW.into_iter().chain(on_host)
}

/// Further exceptions by their full names: routines in two precisions, and trcon as gecon.
const MIXED: [&str; 8] = ["Dsgesv", "Zcgesv", "Dsposv", "Zcposv", "Strcon", "Dtrcon", "Ctrcon", "Ztrcon"];

/// The names of the dense routines in the parts of the C header, which are generated from the routine table.
fn declared() -> BTreeSet<String> {
    let parts =
        [include_str!("../../../include/affinimath/blas.h"), include_str!("../../../include/affinimath/lapack.h")];
    let prototypes = parts.into_iter().flat_map(|part| part.split("\nint affinimath").skip(1));
    let functions = prototypes.filter_map(|rest| rest.split_once('(')).map(|(name, _)| name);
    functions.filter(|name| !name.ends_with("CL")).map(str::to_owned).collect()
}

fn measured() -> BTreeSet<String> {
    fn of_type<T: Scalar>(kind: ScalarKind, names: &mut BTreeSet<String>) {
        names.extend(levels::c_names::<T>());
        names.extend(lapack::names().map(|name| format!("{}{name}", kind.letter())));
    }
    let mut names = BTreeSet::new();
    of_type::<f32>(ScalarKind::S, &mut names);
    of_type::<f64>(ScalarKind::D, &mut names);
    of_type::<Complex32>(ScalarKind::C, &mut names);
    of_type::<Complex64>(ScalarKind::Z, &mut names);
    names
}

/// True if a declared name is that of an exception.
fn is_exception(name: &str) -> bool {
    let is = |(routine, _)| name.eq_ignore_ascii_case(routine) || name.get(1..) == Some(routine);
    MIXED.contains(&name) || exceptions().any(is)
}

#[test]
fn what_the_library_has_its_benchmarks_have() {
    let (declared, measured) = (declared(), measured());
    assert!(declared.len() > 250, "{} functions", declared.len());
    let missing: Vec<&String> = declared.difference(&measured).filter(|name| !is_exception(name)).collect();
    assert!(missing.is_empty(), "without a row in a benchmark, and without a reason for it: {missing:?}");
    let unknown: Vec<&String> = measured.difference(&declared).collect();
    assert!(unknown.is_empty(), "rows of what the library does not have: {unknown:?}");
}

#[test]
fn every_exception_is_a_routine_that_has_no_row() {
    let (declared, measured) = (declared(), measured());
    for (routine, reason) in exceptions() {
        let of = |name: &&String| name.eq_ignore_ascii_case(routine) || name.get(1..) == Some(routine);
        assert!(declared.iter().any(|name| of(&name)), "{routine} ({reason}) is no routine of the library");
        assert!(!measured.iter().any(|name| of(&name)), "{routine} ({reason}) has a row");
    }
}
