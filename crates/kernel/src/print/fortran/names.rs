//! Names in Fortran: upper and lower case are one, and 63 letters are the most.

use std::collections::HashSet;

use super::super::super::ir::Program;
use super::helpers;

/// Letters of a name, and those that a suffix may add.
const MOST: usize = 52;

/// Words of statements, functions of the language, and names that the text has.
const RESERVED: &str = " \
    affinimath_kernel_entry \
    abs acos acosh aint allocate asin asinh associate atan atan2 atanh bge bgt bind ble block blt call case \
    close contains continue cos cosh critical cycle data deallocate default dimension do else elseif end enddo \
    endif entry erf erfc error exit exp exponent external flush forall format function gamma go goto group_0 \
    group_1 group_2 groups huge hypot iand ibits ieor if implicit import in include int integer intent interface \
    inout ior ishftc item kind leadz local_0 local_1 local_2 local_size log log10 log_gamma logical max merge \
    min mod module namelist none not nullify only open out parameter pointer popcnt print private procedure \
    program public pure read real recursive result return rewind save scale select shifta shiftl shiftr sign sin \
    sinh sqrt stop subroutine tan tanh target then to transfer type use value volatile wait where while write ";

/// The name of the group's subroutine.
pub(super) fn group(program: &Program) -> String {
    format!("{}_group", program.name)
}

/// The name of the module.
pub(super) fn module(program: &Program) -> String {
    format!("{}_module", program.name)
}

/// Names that are taken, in lower case.
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn unique(&mut self, wanted: &str) -> String {
        let mut wanted = wanted.to_lowercase();
        // A number after the name leaves such a beginning.
        if helpers::is_helper(&wanted) || wanted.starts_with("c_") {
            wanted.insert_str(0, "own_");
        }
        let wanted: String = wanted.chars().take(MOST).collect();
        let is_reserved = |name: &str| RESERVED.split_ascii_whitespace().any(|word| word == name);
        let mut name = wanted.clone();
        let mut number = 1;
        while is_reserved(&name) || !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }
}

/// The program with names that Fortran tells apart.
pub(super) fn renamed(program: &Program) -> Program {
    let mut program = program.clone();
    let mut names = Names { taken: HashSet::new() };
    program.name = names.unique(&program.name);
    names.taken.extend([group(&program), module(&program)]);
    for function in &mut program.functions {
        function.name = names.unique(&function.name);
    }
    for memory in &mut program.memories {
        memory.name = names.unique(&memory.name);
    }
    for variable in &mut program.variables {
        variable.name = names.unique(&variable.name);
    }
    for name in program.nodes.iter_mut().filter_map(|node| node.name.as_mut()) {
        *name = names.unique(name);
    }
    program
}
