//! Text expressions on Fortran's arrays: a variable and a result of each type and rank, so that a program needs no
//! addresses, such as `call affinimath_evaluate("2.5*x + 1", [affinimath_variable("x", x)], y)`.

use std::fmt::Write;

use affinimath_routines::table::Part;

use super::write_statement;

/// The types that Fortran has, with the constants' names.
const TYPES: [(&str, &str); 7] = [
    ("logical(c_bool)", "BOOL"),
    ("integer(c_int32_t)", "INT32"),
    ("integer(c_int64_t)", "INT64"),
    ("real(c_float)", "FLOAT"),
    ("real(c_double)", "DOUBLE"),
    ("complex(c_float_complex)", "COMPLEX_FLOAT"),
    ("complex(c_double_complex)", "COMPLEX_DOUBLE"),
];
const MAX_RANK: usize = 4;

/// True of the part with the texts.
pub(super) fn has_them(part: &Part) -> bool {
    part.groups.iter().flat_map(|group| group.functions).any(|function| function.name == "ExpressionRun")
}

/// The type of a variable, and the generic names.
pub(super) fn write_generics(out: &mut String, part: &Part) {
    if !has_them(part) {
        return;
    }
    out.push_str(
        "
  !> An operand of a text: affinimath_variable(\"x\", x) for a scalar or an array x of rank 1 to 4.
  !> A scalar is a value. An array is not copied: it has the attribute target, and is no component of an array of a
  !> derived type, which compilers pass as a copy.
  type, public :: affinimath_variable
    private
    !> Its name, of at most 64 characters.
    character(len=64) :: name = \"\"
    type(affinimath_operand) :: operand
    !> The bytes of a scalar.
    integer(c_int8_t) :: value(16) = 0
    logical :: is_value = .false.
    !> False where neighbours are no whole elements apart, as parts of a derived type may be.
    logical :: is_strided = .true.
  end type affinimath_variable
",
    );
    let interface = |out: &mut String, meaning: &str, name: &str, prefix: &str| {
        writeln!(out, "\n  !> {meaning}\n  interface {name}").unwrap();
        let all = TYPES.iter().flat_map(|(_, constant)| (0..=MAX_RANK).map(|rank| procedure(prefix, constant, rank)));
        write_statement(out, 4, &format!("module procedure :: {}", all.collect::<Vec<_>>().join(", ")));
        writeln!(out, "  end interface {name}").unwrap();
    };
    interface(out, "Names an operand of a text.", "affinimath_variable", "variable");
    interface(out, "Evaluates a text, and gives its value to a scalar or an array.", "affinimath_evaluate", "evaluate");
    out.push_str("\n  public :: affinimath_evaluate, affinimath_assign\n");
}

fn procedure(prefix: &str, constant: &str, rank: usize) -> String {
    format!("{prefix}_{}_{rank}", constant.to_lowercase())
}

/// The procedures themselves.
pub(super) fn write_procedures(out: &mut String, part: &Part) {
    if !has_them(part) {
        return;
    }
    for (ty, constant) in TYPES {
        for rank in 0..=MAX_RANK {
            write_variable(out, ty, constant, rank);
            write_evaluate(out, ty, constant, rank);
        }
    }
    out.push_str(include_str!("texts.f90"));
}

/// `(1, 2, 1)`: the neighbour of the first element along an axis, or the first one.
fn element(rank: usize, neighbour: Option<usize>) -> String {
    let index = |axis| if Some(axis) == neighbour { "2" } else { "1" };
    format!("({})", (0..rank).map(index).collect::<Vec<_>>().join(", "))
}

fn write_variable(out: &mut String, ty: &str, constant: &str, rank: usize) {
    let name = procedure("variable", constant, rank);
    writeln!(out, "\n  function {name}(name, x) result(variable)").unwrap();
    out.push_str("    character(len=*), intent(in) :: name\n");
    if rank == 0 {
        writeln!(out, "    {ty}, intent(in) :: x").unwrap();
        out.push_str("    type(affinimath_variable) :: variable\n");
        writeln!(out, "    variable = described(name, AFFINIMATH_TYPE_{constant}, c_sizeof(x), &").unwrap();
        out.push_str("      [integer(c_int64_t) ::], [c_null_ptr])\n");
        out.push_str("    variable%value(:c_sizeof(x)) = transfer(x, variable%value)\n");
        out.push_str("    variable%is_value = .true.\n");
    } else {
        writeln!(out, "    {ty}, target :: x({})", vec![":"; rank].join(", ")).unwrap();
        writeln!(out, "    type(affinimath_variable) :: variable\n    type(c_ptr) :: at(0:{rank})").unwrap();
        out.push_str("    at = c_null_ptr\n    if (size(x, kind=c_int64_t) > 0) then\n");
        writeln!(out, "      at(0) = c_loc(x{})", element(rank, None)).unwrap();
        for axis in 0..rank {
            let neighbour = element(rank, Some(axis));
            writeln!(out, "      if (size(x, {0}) > 1) at({0}) = c_loc(x{neighbour})", axis + 1).unwrap();
        }
        out.push_str("    end if\n");
        let bytes = "storage_size(x, c_size_t) / 8";
        writeln!(out, "    variable = described(name, AFFINIMATH_TYPE_{constant}, {bytes}, &").unwrap();
        out.push_str("      shape(x, c_int64_t), at)\n");
    }
    writeln!(out, "  end function {name}").unwrap();
}

fn write_evaluate(out: &mut String, ty: &str, constant: &str, rank: usize) {
    let name = procedure("evaluate", constant, rank);
    let shape = if rank == 0 { String::new() } else { format!("({})", vec![":"; rank].join(", ")) };
    writeln!(out, "\n  subroutine {name}(text, variables, value, stat, errmsg)").unwrap();
    out.push_str("    character(len=*), intent(in) :: text\n");
    out.push_str("    type(affinimath_variable), intent(in) :: variables(:)\n");
    writeln!(out, "    {ty}, intent(inout), target :: value{shape}").unwrap();
    out.push_str("    integer(c_int), intent(out), optional :: stat\n");
    out.push_str("    character(len=*), intent(inout), optional :: errmsg\n");
    out.push_str("    type(affinimath_variable) :: receiver\n");
    if rank == 0 {
        writeln!(out, "    receiver = described(\"\", AFFINIMATH_TYPE_{constant}, c_sizeof(value), &").unwrap();
        out.push_str("      [integer(c_int64_t) ::], [c_loc(value)])\n");
    } else {
        writeln!(out, "    receiver = {}(\"\", value)", procedure("variable", constant, rank)).unwrap();
    }
    out.push_str("    call run(\"affinimath_evaluate\", text, [variables, receiver], stat, errmsg)\n");
    writeln!(out, "  end subroutine {name}").unwrap();
}
