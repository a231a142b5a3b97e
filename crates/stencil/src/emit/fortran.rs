//! The driver in Fortran.

use std::fmt::Write;

use super::driver::{TIMED, tolerance};
use super::names::{self, fortran_type};
use super::unit::Unit;
use crate::definition::Type;

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
        "! The functions of {name} in C.\nmodule {name}_functions\n  use, intrinsic :: iso_c_binding\n  \
         implicit none\n\n  ! The end of a run.\n  \
         type, bind(c) :: {name}_outcome\n    real(c_double) :: seconds = 0\n    \
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

/// The calls of the driver.
struct Calls<'u, 'a> {
    unit: &'u Unit<'a>,
    grids: Vec<String>,
    starts: Vec<String>,
}

impl Calls<'_, '_> {
    /// Sets the values before the first step.
    fn fill(&self, indent: usize) -> String {
        statement(indent, &format!("call told({}_fill", self.unit.name()), &self.starts, ")")
    }

    /// A run by kernels or by naive loops.
    fn run(&self, indent: usize, function: &str, grids: &[String], outcome: &str) -> String {
        let span = [self.unit.first, self.unit.steps as i64].map(|number| format!("{number}_c_int64_t"));
        let items: Vec<String> = grids.iter().cloned().chain(span).chain([outcome.to_owned()]).collect();
        statement(indent, &format!("call told({}_{function}", self.unit.name()), &items, ")")
    }

    fn restart(&self, indent: usize) -> String {
        let spaces = " ".repeat(indent);
        let pairs = self.grids.iter().zip(&self.starts);
        pairs.map(|(grid, start)| format!("{spaces}{grid} = {start}\n")).collect()
    }

    fn declarations(&self) -> String {
        let unit = self.unit;
        let name = unit.name();
        let mut text = format!(
            "program main\n  use, intrinsic :: iso_c_binding\n  use, intrinsic :: ieee_arithmetic\n  \
             use, intrinsic :: iso_fortran_env, only: error_unit\n  use {name}_functions\n  implicit none\n\n  \
             integer, parameter :: timed = {TIMED}\n  \
             ! x first, then the other axes, levels from the oldest, and components\n"
        );
        for (grid, own) in self.grids.iter().enumerate() {
            let kind = fortran_type(unit.bound.stencil().grids()[grid].kind);
            let colons = vec![":"; unit.plain[grid].lengths.len() + 2].join(", ");
            text += &format!("  {kind}, allocatable :: {own}({colons}), start_{own}({colons})\n");
        }
        text += &format!(
            "  type({name}_outcome) :: outcome, naive\n  real(c_double) :: seconds(timed), median\n  \
             character(len=6) :: word = \"\"\n  logical :: wrong = .false.\n  integer :: i\n\n"
        );
        for (grid, own) in self.grids.iter().enumerate() {
            let layout = &unit.plain[grid];
            let axes = layout.lower.iter().zip(&layout.lengths);
            let bound = |(lower, length): (&i64, &usize)| format!("{lower}_8:{}_8", lower + *length as i64 - 1);
            let (_, _, components, levels) = unit.grid(grid);
            let bounds: Vec<String> = axes.map(bound).chain([levels.to_string(), components.to_string()]).collect();
            let bounds = bounds.join(", ");
            text += &format!("  allocate({own}({bounds}))\n  allocate(start_{own}({bounds}))\n");
        }
        text
    }

    /// Comparisons of all newest levels and results.
    fn comparisons(&self) -> String {
        let (unit, stencil) = (self.unit, self.unit.bound.stencil());
        let mut text = String::new();
        for grid in unit.grids().filter(|&grid| unit.is_written(grid)) {
            let (own, _, components, _) = unit.grid(grid);
            let colons = vec![":"; unit.plain[grid].lengths.len()].join(", ");
            let kind = stencil.grids()[grid].kind;
            for component in 0..components {
                let part = format!("({colons}, {}, {})", unit.newest(grid) + 1, component + 1);
                let arrays = [format!("{own}{part}"), format!("start_{own}{part}")];
                text += &compare(&unit.label(grid, component), kind, arrays, tolerance(unit, kind));
            }
        }
        for result in unit.results() {
            let definition = &stencil.results()[result];
            let own = names::result(unit.bound, result);
            let arrays = [format!("[outcome%{own}]"), format!("[naive%{own}]")];
            text += &compare(&definition.name, definition.kind, arrays, tolerance(unit, definition.kind));
        }
        text
    }

    fn times(&self) -> String {
        let bound = self.unit.bound;
        let lengths = bound.lengths().iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        let points = bound.points();
        let mut text = String::from("  if (word /= \"check\") then\n    do i = 1, timed\n");
        text += &self.restart(6);
        text += &self.run(6, "run", &self.grids, "outcome");
        text += include_str!("files/median.f90");
        text + &format!(
            "    print \"(a, i0, a, f0.1, a)\", \"{lengths} points: \", outcome%steps, \" steps, \", &\n      \
             {points}.0_c_double * real(outcome%steps, c_double) / median / 1d6, \" million points/s\"\n    \
             print \"(f0.9)\", median\n  end if\n"
        )
    }
}

/// The main program.
pub(super) fn main(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let grids: Vec<String> = unit.grids().map(|grid| unit.grid(grid).0).collect();
    let starts = grids.iter().map(|grid| format!("start_{grid}")).collect();
    let calls = Calls { unit, grids, starts };
    let mut text = format!(
        "! {name}: fills the grids, runs, validates and times. The last line is the time of a run in seconds.\n!\n\
         !   ./{name}         validates and times\n!   ./{name} check   validates\n!   ./{name} time    times\n\n"
    );
    text += &interfaces(unit);
    text += &calls.declarations();
    text += include_str!("files/words.f90");
    text += &calls.fill(2);
    text += &calls.restart(2);
    text += &calls.run(2, "run", &calls.grids, "outcome");
    text += "  if (word /= \"time\") then\n";
    text += &calls.run(4, "naive", &calls.starts, "naive");
    text += include_str!("files/steps.f90");
    text += &calls.comparisons();
    text += &calls.fill(4);
    text += "  end if\n";
    text += &calls.times();
    text + "  if (wrong) error stop 1\n\n" + include_str!("files/driver.f90")
}

/// Compares two arrays.
fn compare(name: &str, kind: Type, [own, naive]: [String; 2], tolerance: f64) -> String {
    let differ = if kind.is_real() {
        let bits = if kind.bytes() == 4 { "0_c_int32_t" } else { "0_c_int64_t" };
        format!(
            "transfer(a, [{bits}]) /= transfer(b, [{bits}]) &\n        \
             .and. .not. (ieee_is_nan(a) .and. ieee_is_nan(b))"
        )
    } else {
        "a /= b".to_owned()
    };
    format!(
        "    block\n      {}, allocatable :: a(:), b(:)\n      a = reshape({own}, [size({own})])\n      \
         b = reshape({naive}, [size({naive})])\n      \
         call tell(\"{name}\", real(minval(a), c_double), real(maxval(a), c_double), &\n        \
         size(a, kind=c_int64_t), count({differ}, kind=c_int64_t), &\n        \
         real(maxval(abs(a - b)), c_double), {tolerance:e}_c_double * real(maxval(abs(b)), c_double))\n    end block\n",
        fortran_type(kind)
    )
}
