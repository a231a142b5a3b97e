//! The driver in Fortran.

use std::fmt::Write;

use super::driver::{TIMED, tolerance};
use super::names::{self, fortran_type};
use super::unit::Unit;

/// A statement that is continued where it is long.
fn statement(indent: usize, head: &str, items: &[String], end: &str) -> String {
    let spaces = " ".repeat(indent);
    let mut text = format!("{spaces}{head}(");
    let mut column = text.len();
    for (index, item) in items.iter().enumerate() {
        let piece = format!("{item}{}", if index + 1 == items.len() { "" } else { ", " });
        if index > 0 && column + piece.len() > 110 {
            write!(text, "&\n{spaces}  ").expect("a String takes every write");
            column = indent + 2;
        }
        column += piece.len();
        text += &piece;
    }
    text + ")" + end + "\n"
}

/// The module with the interfaces of the functions in C.
fn interfaces(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let stencil = unit.bound.stencil();
    let mut text = format!(
        "! The functions of {name} in C.\nmodule {name}_functions\n  use, intrinsic :: iso_c_binding\n  implicit none\n\n  \
         ! The end of a run.\n  type, bind(c) :: {name}_outcome\n    real(c_double) :: seconds = 0\n    \
         integer(c_int64_t) :: steps = 0\n    integer(c_int32_t) :: stopped = 0\n"
    );
    for result in unit.results() {
        let kind = fortran_type(stencil.results()[result].kind);
        text += &format!("    {kind} :: {} = 0\n", names::result(unit.bound, result));
    }
    text += &format!("  end type {name}_outcome\n\n  interface\n");
    let grids: Vec<String> = unit.grids().map(|grid| unit.grid(grid).0).collect();
    for function in ["fill", "run", "naive"] {
        let has_span = function != "fill";
        let mut arguments = grids.clone();
        if has_span {
            arguments.extend(["first", "steps", "outcome"].map(str::to_owned));
        }
        text += &statement(
            4,
            &format!("function {name}_{function}"),
            &arguments,
            &format!(" bind(c, name=\"{name}_{function}\") &\n      result(status)"),
        );
        text += "      import\n";
        for grid in unit.grids() {
            let kind = fortran_type(stencil.grids()[grid].kind);
            text += &format!("      {kind}, intent(inout) :: {}(*)\n", grids[grid]);
        }
        if has_span {
            text += "      integer(c_int64_t), value :: first, steps\n";
            text += &format!("      type({name}_outcome), intent(inout) :: outcome\n");
        }
        text += &format!("      integer(c_int) :: status\n    end function {name}_{function}\n");
    }
    text + &format!("  end interface\nend module {name}_functions\n\n")
}

/// The main program.
pub(super) fn main(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let stencil = unit.bound.stencil();
    let grids: Vec<String> = unit.grids().map(|grid| unit.grid(grid).0).collect();
    let starts: Vec<String> = grids.iter().map(|grid| format!("start_{grid}")).collect();
    let mut text = format!(
        "! {name}: fills the grids, runs, validates and times. The last line is the time of a run in seconds.\n!\n\
         !   ./{name}         validates and times\n!   ./{name} check   validates\n!   ./{name} time    times\n\n"
    );
    text += &interfaces(unit);
    text += &format!(
        "program main\n  use, intrinsic :: iso_c_binding\n  use, intrinsic :: ieee_arithmetic\n  \
         use, intrinsic :: iso_fortran_env, only: error_unit\n  use {name}_functions\n  implicit none\n\n  \
         integer, parameter :: timed = {TIMED}\n"
    );
    for grid in unit.grids() {
        let kind = fortran_type(stencil.grids()[grid].kind);
        let colons = vec![":"; unit.plain[grid].lengths.len() + 2].join(", ");
        text += &format!("  ! x first, then the other axes, levels from the oldest, and components\n");
        text += &format!("  {kind}, allocatable :: {}({colons}), start_{}({colons})\n", grids[grid], grids[grid]);
    }
    text += &format!(
        "  type({name}_outcome) :: outcome, naive\n  real(c_double) :: seconds(timed), median\n  \
         character(len=6) :: word = \"\"\n  logical :: wrong = .false.\n  integer :: i\n\n"
    );
    for grid in unit.grids() {
        let (own, _, components, levels) = unit.grid(grid);
        let layout = &unit.plain[grid];
        let mut bounds: Vec<String> = layout
            .lower
            .iter()
            .zip(&layout.lengths)
            .map(|(lower, length)| format!("{lower}_8:{}_8", lower + *length as i64 - 1))
            .collect();
        bounds.extend([levels.to_string(), components.to_string()]);
        let bounds = bounds.join(", ");
        text += &format!("  allocate({own}({bounds}))\n  allocate(start_{own}({bounds}))\n");
    }
    text += "  if (command_argument_count() > 0) call get_command_argument(1, word)\n  \
             if (command_argument_count() > 1 .or. .not. any(word == [\"      \", \"check \", \"time  \"])) then\n    \
             write (error_unit, \"(a)\") \"the only argument is check or time\"\n    stop 2\n  end if\n";
    let told = |call: String| call;
    let span = [format!("{}_c_int64_t", unit.first), format!("{}_c_int64_t", unit.steps)];
    let run = |indent: usize, function: &str, grids: &[String], outcome: &str| {
        let items: Vec<String> = match function {
            "fill" => grids.to_vec(),
            _ => grids.iter().cloned().chain(span.clone()).chain([outcome.to_owned()]).collect(),
        };
        statement(indent, &format!("call told({name}_{function}"), &items, ")")
    };
    text += &told(run(2, "fill", &starts, ""));
    let restart = |indent: usize| -> String {
        let spaces = " ".repeat(indent);
        grids.iter().zip(&starts).map(|(grid, start)| format!("{spaces}{grid} = {start}\n")).collect()
    };
    text += &restart(2);
    text += &run(2, "run", &grids, "outcome");
    text += "  if (word /= \"time\") then\n";
    text += &run(4, "naive", &starts, "naive");
    text += "    if (outcome%steps /= naive%steps .or. outcome%stopped /= naive%stopped) then\n      \
             print \"(a, i0, a, i0)\", \"the run ended after steps: \", outcome%steps, \", the naive loops: \", naive%steps\n      \
             wrong = .true.\n    end if\n";
    for grid in unit.grids().filter(|&grid| unit.is_written(grid)) {
        let (own, _, components, _) = unit.grid(grid);
        let colons = vec![":"; unit.plain[grid].lengths.len()].join(", ");
        let definition = &stencil.grids()[grid];
        for component in 1..=components {
            let part = format!("({colons}, {}, {component})", unit.newest(grid) + 1);
            let label = if components > 1 {
                format!("{}[{}]", definition.name, component - 1)
            } else {
                definition.name.clone()
            };
            text += &compare(
                4,
                &label,
                definition.kind,
                [&format!("{own}{part}"), &format!("start_{own}{part}")],
                tolerance(unit, definition.kind),
            );
        }
    }
    for result in unit.results() {
        let definition = &stencil.results()[result];
        let own = names::result(unit.bound, result);
        let (a, b) = (format!("[outcome%{own}]"), format!("[naive%{own}]"));
        text += &compare(4, &definition.name, definition.kind, [&a, &b], tolerance(unit, definition.kind));
    }
    text += &run(4, "fill", &starts, "");
    text += "  end if\n  if (word /= \"check\") then\n    do i = 1, timed\n";
    text += &restart(6);
    text += &run(6, "run", &grids, "outcome");
    text += "      seconds(i) = outcome%seconds\n    end do\n    \
             ! The median: as many are below it as above.\n    do i = 1, timed\n      \
             if (2 * count(seconds < seconds(i)) < timed .and. 2 * count(seconds > seconds(i)) < timed) median = seconds(i)\n    \
             end do\n";
    let lengths = unit.bound.lengths().iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    text += &format!(
        "    print \"(a, i0, a, f0.1, a)\", \"{lengths} points: \", outcome%steps, \" steps, \", &\n      \
         {}_c_double * real(outcome%steps, c_double) / median / 1d6, \" million points/s\"\n    \
         print \"(f0.9)\", median\n  end if\n  if (wrong) error stop 1\n\n",
        format!("{}.0", unit.bound.points())
    );
    text += "contains\n\n  subroutine told(status)\n    integer(c_int), intent(in) :: status\n    if (status == 0) return\n    \
             write (error_unit, \"(a)\") merge(\"a value outside a range was needed\", \"memory is short                   \", &\n      \
             status == 1)\n    error stop 1\n  end subroutine told\n\n";
    text += "  ! Tells how many values differ from those of the naive loops.\n  \
             subroutine tell(name, least, greatest, total, different, apart, allowed)\n    \
             character(len=*), intent(in) :: name\n    real(c_double), intent(in) :: least, greatest, apart, allowed\n    \
             integer(c_int64_t), intent(in) :: total, different\n    \
             write (*, \"(2a, es24.16e3, a, es24.16e3, a)\", advance=\"no\") name, \": \", least, \" to \", greatest, \", \"\n    \
             if (different == 0) then\n      print \"(i0, a)\", total, \" values are those of the naive loops\"\n      return\n    end if\n    \
             print \"(i0, a, i0, a, es8.1, a, es8.1, a)\", different, \" of \", total, &\n      \
             \" values differ from the naive loops, at most\", apart, \";\", allowed, \" are allowed\"\n    \
             if (.not. apart <= allowed) wrong = .true.\n  end subroutine tell\nend program main\n";
    text
}

/// Compares two arrays.
fn compare(
    indent: usize,
    name: &str,
    kind: crate::definition::Type,
    [own, naive]: [&str; 2],
    tolerance: f64,
) -> String {
    let differ = if kind.is_real() {
        let bits = if kind.bytes() == 4 { "0_c_int32_t" } else { "0_c_int64_t" };
        format!(
            "transfer(a, [{bits}]) /= transfer(b, [{bits}]) &\n        \
             .and. .not. (ieee_is_nan(a) .and. ieee_is_nan(b))"
        )
    } else {
        "a /= b".to_owned()
    };
    let spaces = " ".repeat(indent);
    let kind_name = fortran_type(kind);
    let real = |text: &str| format!("real({text}, c_double)");
    format!(
        "{spaces}block\n{spaces}  {kind_name}, allocatable :: a(:), b(:)\n\
         {spaces}  a = reshape({own}, [size({own})])\n{spaces}  b = reshape({naive}, [size({naive})])\n\
         {spaces}  call tell(\"{name}\", {}, {}, &\n{spaces}    size(a, kind=c_int64_t), count({differ}, kind=c_int64_t), &\n\
         {spaces}    {}, {tolerance:e}_c_double * {})\n{spaces}end block\n",
        real("minval(a)"),
        real("maxval(a)"),
        real("maxval(abs(a - b))"),
        real("maxval(abs(b))"),
    )
}
