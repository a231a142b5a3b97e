//! The text of the kernels of a solver's passes.

use std::fmt::Write;

use affinimath_core::sparse::formula::{Formula, Number};
use affinimath_core::sparse::pass::{Operand, Pass, Term};

/// The kernels of all passes, in the terms of `cl/sparse/solve/pass.cl`.
pub(super) fn kernels(passes: &[Pass]) -> String {
    let mut text = String::new();
    for pass in passes {
        kernel(&mut text, pass).expect("a String takes every write");
    }
    text
}

fn kernel(text: &mut String, pass: &Pass) -> std::fmt::Result {
    write!(text, "\n__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void {}(PASS_PARAMETERS", pass.name)?;
    for vector in 0..pass.vectors {
        let constant = if pass.writes(vector) { "" } else { "const " };
        write!(text, ", __global {constant}scalar *restrict v{vector}")?;
    }
    writeln!(text, ")\n{{\n    DECLARE_LOCAL_SUMS\n    RETURN_IF_STOPPED;")?;
    scalars(text, pass)?;
    for (index, factor) in pass.factors().enumerate() {
        writeln!(text, "    const scalar f{index} = {factor};")?;
    }
    if !pass.updates.is_empty() || !pass.dots.is_empty() {
        elements(text, pass)?;
    }
    for index in 0..pass.dots.len() {
        writeln!(text, "    const scalar total{index} = group_total(lanes_sum(d{index}));")?;
        let slot = format!("{index} * get_num_groups(0) + get_group_id(0)");
        writeln!(text, "    if (get_local_id(0) == 0) next_sums[{slot}] = total{index};")?;
    }
    writeln!(text, "}}")
}

/// The numbers that the pass needs, and those that it hands on.
fn scalars(text: &mut String, pass: &Pass) -> std::fmt::Result {
    let mut changed = 0_u64;
    let mut known = 0_u64;
    for index in 0..pass.sums {
        writeln!(text, "    const scalar n{index} = group_total(partial_sum(sums + {index} * blocks, blocks));")?;
        known |= 1 << index;
    }
    let mut formulas: Vec<(Option<Number>, &Formula)> = Vec::new();
    formulas.extend(pass.scalars.iter().map(|(number, formula)| (Some(*number), formula)));
    formulas.extend(pass.factors().map(|factor| (None, factor)));
    for (number, formula) in &formulas {
        formula.scalars(&mut |read| {
            if known >> read.0 & 1 == 0 {
                writeln!(text, "    scalar n{0} = scalars[{0}];", read.0).expect("a String takes every write");
                known |= 1 << read.0;
            }
        });
        let Some(number) = number else { continue };
        let declared = if known >> number.0 & 1 == 0 { "scalar " } else { "" };
        writeln!(text, "    {declared}n{} = {formula};", number.0)?;
        known |= 1 << number.0;
        changed |= 1 << number.0;
    }
    writeln!(text, "    PASS_ON_SCALARS({changed:#x}L);")?;
    if changed != 0 {
        writeln!(text, "    if (get_group_id(0) == 0 && get_local_id(0) == 0) {{")?;
        for index in (0..Number::COUNT).filter(|index| changed >> index & 1 != 0) {
            writeln!(text, "        next_scalars[{index}] = n{index};")?;
        }
        if let Some(number) = pass.records {
            writeln!(text, "        history[slot] = n{};", number.0)?;
        }
        writeln!(text, "    }}")?;
    }
    Ok(())
}

fn elements(text: &mut String, pass: &Pass) -> std::fmt::Result {
    for index in 0..pass.dots.len() {
        writeln!(text, "    lanes d{index} = no_lanes();")?;
    }
    if let Some(save) = pass.save {
        writeln!(text, "    const int saves = real_part(n{}) != 0;", save.condition.0)?;
    }
    writeln!(text, "    const long begin = (long)get_group_id(0) * block, end = min(n, begin + block);")?;
    writeln!(text, "    for (long i = begin + get_local_id(0); i < end; i += STEP) {{")?;
    let mut known = Vec::new();
    for operand in pass.read() {
        let Operand::Vector(vector) = operand else { unreachable!("a pass computes its own values") };
        writeln!(text, "        element {} = load_element(v{vector}, i);", name(operand))?;
        known.push(operand);
    }
    if let Some(save) = pass.save {
        writeln!(text, "        if (saves) store_element(v{}, i, e{});", save.target, save.source)?;
    }
    let mut factor = 0;
    for update in &pass.updates {
        let mut sum = String::new();
        for term in &update.terms {
            let separator = if sum.is_empty() { "" } else { " + " };
            write!(sum, "{separator}{}", product(term, factor))?;
            factor += 1;
        }
        let sum = if sum.is_empty() { "no_element" } else { &sum };
        let declared = if known.contains(&update.target) { "" } else { "element " };
        writeln!(text, "        {declared}{} = {sum};", name(update.target))?;
        known.push(update.target);
    }
    for vector in (0..pass.vectors).filter(|vector| pass.updates(*vector)) {
        writeln!(text, "        store_element(v{vector}, i, e{vector});")?;
    }
    for (index, (x, y)) in pass.dots.iter().enumerate() {
        writeln!(text, "        d{index} = lanes_with(d{index}, {}, {});", name(*x), name(*y))?;
    }
    writeln!(text, "    }}")
}

fn product(term: &Term, factor: usize) -> String {
    let vector = match term.diagonal {
        Some(diagonal) => format!("element_product({}, {})", name(diagonal), name(term.vector)),
        None => name(term.vector),
    };
    match term.factor {
        Formula::Constant(1) => vector,
        _ => format!("factor_times(f{factor}, {vector})"),
    }
}

fn name(operand: Operand) -> String {
    match operand {
        Operand::Vector(vector) => format!("e{vector}"),
        Operand::Own(own) => format!("own{own}"),
    }
}
