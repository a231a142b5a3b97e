//! The library's dense routines and those that the benchmarks measure: the lists agree.

use std::collections::BTreeSet;

use affinimath::{Complex32, Complex64, Scalar, ScalarKind};

use super::lapack;
use super::levels;

/// Routines without a row, for all types, each with the reason.
const WITHOUT_ROW: [(&str, &str); 95] = [
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
    ("gtsv", "the host computes it: a row comes with its kernel"),
    ("gttrf", "the host computes it: a row comes with its kernel"),
    ("gttrs", "the host computes it: a row comes with its kernel"),
    ("ptsv", "the host computes it: a row comes with its kernel"),
    ("pttrf", "the host computes it: a row comes with its kernel"),
    ("pttrs", "the host computes it: a row comes with its kernel"),
    ("gbtrf", "the host computes it: a row comes with its kernel"),
    ("gbtrs", "the host computes it: a row comes with its kernel"),
    ("gbsv", "the host computes it: a row comes with its kernel"),
    ("pbtrf", "the host computes it: a row comes with its kernel"),
    ("pbtrs", "the host computes it: a row comes with its kernel"),
    ("pbsv", "the host computes it: a row comes with its kernel"),
    ("sytrf", "the host computes it: a row comes with its kernel"),
    ("sytrs", "the host computes it: a row comes with its kernel"),
    ("sysv", "the host computes it: a row comes with its kernel"),
    ("sytri", "the host computes it: a row comes with its kernel"),
    ("hetrf", "the host computes it: a row comes with its kernel"),
    ("hetrs", "the host computes it: a row comes with its kernel"),
    ("hesv", "the host computes it: a row comes with its kernel"),
    ("hetri", "the host computes it: a row comes with its kernel"),
    ("syev", "the host computes it: a row comes with its kernel"),
    ("syevr", "the host computes it: a row comes with its kernel"),
    ("sygv", "the host computes it: a row comes with its kernel"),
    ("geev", "the host computes it: a row comes with its kernel"),
    ("gesvd", "the host computes it: a row comes with its kernel"),
    ("gesdd", "the host computes it: a row comes with its kernel"),
    ("gelsd", "the host computes it: a row comes with its kernel"),
    ("syevx", "the host computes it: a row comes with its kernel"),
    ("sygvx", "the host computes it: a row comes with its kernel"),
    ("sytrd", "the host computes it: a row comes with its kernel"),
    ("orgtr", "the host computes it: a row comes with its kernel"),
    ("ormtr", "the host computes it: a row comes with its kernel"),
    ("sterf", "the host computes it: a row comes with its kernel"),
    ("steqr", "the host computes it: a row comes with its kernel"),
    ("stedc", "the host computes it: a row comes with its kernel"),
    ("stev", "the host computes it: a row comes with its kernel"),
    ("stevr", "the host computes it: a row comes with its kernel"),
    ("gebrd", "the host computes it: a row comes with its kernel"),
    ("orgbr", "the host computes it: a row comes with its kernel"),
    ("ormbr", "the host computes it: a row comes with its kernel"),
    ("bdsqr", "the host computes it: a row comes with its kernel"),
    ("gebal", "the host computes it: a row comes with its kernel"),
    ("gebak", "the host computes it: a row comes with its kernel"),
    ("gehrd", "the host computes it: a row comes with its kernel"),
    ("orghr", "the host computes it: a row comes with its kernel"),
    ("ormhr", "the host computes it: a row comes with its kernel"),
    ("hseqr", "the host computes it: a row comes with its kernel"),
    ("trevc", "the host computes it: a row comes with its kernel"),
    ("trexc", "the host computes it: a row comes with its kernel"),
    ("trsen", "the host computes it: a row comes with its kernel"),
    ("trsna", "the host computes it: a row comes with its kernel"),
    ("trsyl", "the host computes it: a row comes with its kernel"),
    ("gees", "the host computes it: a row comes with its kernel"),
    ("geevx", "the host computes it: a row comes with its kernel"),
    ("ggev", "the host computes it: a row comes with its kernel"),
    ("gges", "the host computes it: a row comes with its kernel"),
    ("tgsen", "the host computes it: a row comes with its kernel"),
    ("sbtrd", "the host computes it: a row comes with its kernel"),
    ("sbev", "the host computes it: a row comes with its kernel"),
    ("sbevx", "the host computes it: a row comes with its kernel"),
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
];

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
    let is = |(routine, _): &(&str, &str)| {
        name.eq_ignore_ascii_case(routine) || name.get(1..).is_some_and(|rest| rest == *routine)
    };
    MIXED.contains(&name) || WITHOUT_ROW.iter().any(is)
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
    for (routine, reason) in WITHOUT_ROW {
        let of = |name: &&String| name.eq_ignore_ascii_case(routine) || name.get(1..) == Some(routine);
        assert!(declared.iter().any(|name| of(&name)), "{routine} ({reason}) is no routine of the library");
        assert!(!measured.iter().any(|name| of(&name)), "{routine} ({reason}) has a row");
    }
}
