//! Procedures on assumed-shape arrays, such as `call affinimath_gemm(a, b, c)`: sizes, leading dimensions and the
//! layout follow from the arrays, and options may be left out.

mod procedure;
mod roles;
mod sizes;

use std::fmt::Write;

use affinimath_routines::table::{Access, Family, Kind, Part, Routine, TypeVariant};

use self::procedure::Procedure;
use super::super::shapes;
use super::write_statement;

/// Families that have them: the others' routines have more arguments than arrays tell, or are Fortran's own.
const FAMILIES: &[&str] = &[
    "blas/level2",
    "blas/level3",
    "blas/level3/batched",
    "blas/movement",
    "lapack",
    "lapack/packed",
    "lapack/batched",
    "fft",
    "sparse",
];

/// Routines without: interchanges by a part of the pivots, a result with another leading dimension, batches at offsets,
/// and arrays whose sizes another function tells.
const LEFT_OUT: &[&str] = &["laswp", "imatcopy", "gemmBatched", "trsmBatched", "csrDownload", "csrDownload64"];

/// The name for all types. `affinimath_fft` is a module.
fn generic(routine: &Routine) -> String {
    match routine.name {
        "fft" => "affinimath_fft1".to_owned(),
        name => format!("affinimath_{name}"),
    }
}

fn routines(part: &Part) -> impl Iterator<Item = &'static Routine> {
    let families = |family: &&Family| FAMILIES.contains(&family.path);
    part.families.iter().filter(families).flat_map(|family| family.routines).filter(|routine| is_shaped(routine))
}

/// True of a routine whose sizes its arrays tell. One that makes an object, changes one or calls back has C's form.
fn is_shaped(routine: &Routine) -> bool {
    let makes = |kind: Kind| match kind {
        Kind::NewHandle(_) | Kind::Callback(_) => true,
        Kind::Handle(access, _) => access == Access::Write,
        _ => false,
    };
    let has_arrays = !shapes::operands(routine, routine.types[0].element).is_empty();
    has_arrays
        && !LEFT_OUT.contains(&routine.name)
        && routine.forms.host
        && !routine.arguments.iter().any(|a| makes(a.kind))
}

/// The generic names, and which of them are public.
pub(super) fn write_generics(out: &mut String, part: &Part) {
    let mut public: Vec<String> = Vec::new();
    for routine in routines(part) {
        let mut names = Vec::new();
        for &vector in ranks(routine) {
            names.extend(routine.types.iter().map(|t| name(routine, t, vector)));
        }
        let generic = generic(routine);
        write!(out, "\n  !> {}: sizes and leading dimensions follow from the arrays.\n", routine.name).unwrap();
        writeln!(out, "  interface {generic}").unwrap();
        write_statement(out, 4, &format!("module procedure :: {}", names.join(", ")));
        writeln!(out, "  end interface {generic}").unwrap();
        if !public.contains(&generic) {
            public.push(generic);
        }
    }
    if !public.is_empty() {
        out.push('\n');
        write_statement(out, 2, &format!("public :: {}", public.join(", ")));
    }
}

/// Results of a convolution, in terms of its extent.
const CONVOLVED: &str = "
  !> Results of a convolution of n elements with a kernel of m.
  pure function convolved(extent, n, m) result(results)
    integer(c_int), intent(in) :: extent
    integer(c_int64_t), intent(in) :: n, m
    integer(c_int64_t) :: results
    select case (extent)
    case (AFFINIMATH_FULL)
      results = n + m - 1
    case (AFFINIMATH_VALID)
      results = abs(n - m) + 1
    case default
      results = n
    end select
  end function convolved
";

/// Sizes of vectors of an eigenvalue or singular value problem.
const WANTED: &str = "
  !> Rows or columns of vectors, all, the first ones, or none; of a factor Q, or of P. Of two kinds, those of the first
  !> one, of the second one, or of both.
  pure function wanted(job, all, first) result(count)
    integer(c_int), intent(in) :: job
    integer(c_int64_t), intent(in) :: all, first
    integer(c_int64_t) :: count
    select case (job)
    case (AFFINIMATH_VECTORS, AFFINIMATH_ALL_VECTORS, AFFINIMATH_TRIDIAGONAL_VECTORS, AFFINIMATH_FACTOR_Q, &
        AFFINIMATH_UPDATE_VECTORS)
      count = all
    case (AFFINIMATH_THIN_VECTORS, AFFINIMATH_FACTOR_P)
      count = first
    case (AFFINIMATH_SENSE_VALUES, AFFINIMATH_LEFT_VECTORS, AFFINIMATH_EIGENVECTORS_SELECTED)
      count = all
    case (AFFINIMATH_SENSE_VECTORS, AFFINIMATH_RIGHT_VECTORS, AFFINIMATH_EIGENVECTORS_ALL, &
        AFFINIMATH_EIGENVECTORS_PRODUCT)
      count = first
    case (AFFINIMATH_SENSE_BOTH, AFFINIMATH_BOTH_VECTORS)
      count = max(all, first)
    case default
      count = 0
    end select
  end function wanted
";

/// The procedures themselves.
pub(super) fn write_procedures(out: &mut String, part: &Part) -> Result<(), String> {
    if part.constants.iter().flat_map(|group| group.constants).any(|constant| constant.name == "FULL") {
        out.push_str(CONVOLVED);
    }
    if part.constants.iter().flat_map(|group| group.constants).any(|constant| constant.name == "NO_VECTORS") {
        out.push_str(WANTED);
    }
    for routine in routines(part) {
        for &vector in ranks(routine) {
            for variant in routine.types {
                Procedure::new(routine, variant, vector)?.write(out)?;
            }
        }
    }
    Ok(())
}

/// True of a part with such procedures.
pub(super) fn has_any(part: &Part) -> bool {
    routines(part).next().is_some()
}

/// Right-hand sides as matrices, and one of them as a vector.
fn ranks(routine: &Routine) -> &'static [bool] {
    if routine.arguments.iter().any(|a| a.name == "nrhs") { &[false, true] } else { &[false] }
}

fn name(routine: &Routine, variant: &TypeVariant, vector: bool) -> String {
    format!("shaped_{}{}{}", variant.letters.to_lowercase(), routine.name, if vector { "_vector" } else { "" })
}
