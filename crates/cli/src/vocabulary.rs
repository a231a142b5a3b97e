//! One vocabulary for all commands: a name of an option has one meaning, and a meaning has one name.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory};

/// The options that there are: the name, its value as help shows it, and the meaning.
const OPTIONS: [(&str, &str, &str); 40] = [
    ("against", "NAME|NAME=/path/lib.so", "libraries to compare with"),
    ("budget", "N|SECONDSs", "how much a search may measure"),
    ("bytes", "BYTES", "the size of an array"),
    ("check", "", "measure decisions"),
    ("crossover", "", "as tune crossovers"),
    ("details", "", "each routine, not only the families"),
    ("device", "DEVICE", "backend of calls"),
    ("dry-run", "", "write nothing"),
    ("export", "FILE.json", "measurements for others"),
    ("families", "NAME", "which families"),
    ("fftw-measure", "", "FFTW's own search"),
    ("file", "FILE.mtx", "a matrix to read"),
    ("first-call", "", "show the first call's time"),
    ("fix", "NAME=VALUE", "parameters with a fixed value"),
    ("import", "FILE", "measurements of others"),
    ("iterations", "ITERATIONS", "how many iterations"),
    ("json", "FILE", "JSON"),
    ("layout", "LAYOUT", "how dense matrices are stored"),
    ("library", "/path/libaffinimath_blas.so", "our drop-in library"),
    ("limit", "SECONDS", "when a measurement counts as hanging"),
    ("memory", "MEMORY", "memory of the operands"),
    ("minutes", "MINUTES", "time for everything"),
    ("plot", "FILE.svg", "a drawing"),
    ("points", "POINTS", "points of a batch"),
    ("poisson2d", "SIZES", "stencils on squares"),
    ("poisson3d", "SIZES", "stencils on cubes"),
    ("power-law", "SIZES", "rows of uneven lengths"),
    ("quick", "", "less of everything"),
    ("report", "FOLDER", "a folder for a report"),
    ("resume", "", "take up an interrupted search"),
    ("rounds", "ROUNDS", "rounds in which libraries take turns"),
    ("routines", "NAME", "which routines"),
    ("seconds", "SECONDS", "time for one library on one case"),
    ("seed", "SEED", "seed of random choices"),
    ("shape", "MxNxK", "sizes of products"),
    ("size", "SIZE", "the size of the cache"),
    ("sizes", "SIZES", "sizes of problems"),
    ("strategy", "STRATEGY", "search strategy"),
    ("study", "FILE.json", "searches to compare strategies on"),
    ("transpose", "nn,nt,tn,tt", "ops of factors"),
];

/// Further options of a name that the table has once for all commands.
const MORE: [(&str, &str, &str); 29] = [
    ("array", "[NAME=]FILE[:KEY]", "an operand of a text"),
    ("baseline", "BASELINE", "the launch that points are compared with"),
    ("case", "DIR", "a recorded launch"),
    ("cases", "NAME", "which expressions"),
    ("constraint", "RULE", "a rule on parameters"),
    ("explain", "", "show a plan, and run nothing"),
    ("facts", "DEVICE", "facts of a device"),
    ("groups", "X[;Y[;Z]]", "work-groups"),
    ("items", "X[;Y[;Z]]", "work-items of a group"),
    ("kernel", "NAME", "the kernel in the source"),
    ("let", "NAME=NUMBER", "a number of a text"),
    ("maximize", "", "larger values are better"),
    ("name", "NAME", "the name of a record"),
    ("no-peers", "", "no library to compare with"),
    ("objective", "OBJECTIVE", "the value of a run that is to be small"),
    ("options", "TEXT", "options of the compiler"),
    ("out", "[NAME=]FILE", "a file for a result"),
    ("parameter", "NAME=VALUES", "a parameter with its values"),
    ("pinned", "", "operands in pinned memory"),
    ("python", "PATH", "an interpreter"),
    ("repeat", "N", "runs of each candidate"),
    ("runs", "FILE", "the file of a search's runs"),
    ("space", "FILE.json", "a space of parameters in T1"),
    ("tolerance", "TOLERANCE", "how near results are to be"),
    ("types", "s,d,c,z", "element types"),
    ("unchecked", "", "compare no results"),
    ("vectors", "VECTORS", "columns of dense matrices"),
    ("wall", "", "the time of a whole process"),
    ("within", "SECONDS", "time after which no case begins"),
];

fn visit(command: &Command, path: &str, see: &mut impl FnMut(&str, &Arg)) {
    let visible = |argument: &&Arg| argument.get_long().is_some() && !argument.is_hide_set();
    for argument in command.get_arguments().filter(visible) {
        see(path, argument);
    }
    // `solve` has a vocabulary of its own, of numerical methods, `stencil` that of its language, and `replay` that of
    // results and tolerances.
    let own = ["help", "replay", "solve", "stencil"];
    for inner in command.get_subcommands().filter(|inner| !own.contains(&inner.get_name())) {
        visit(inner, &format!("{path} {}", inner.get_name()), see);
    }
}

#[test]
fn a_name_has_one_meaning_and_a_meaning_one_name() {
    let mut program = <crate::Arguments as CommandFactory>::command();
    program.build();
    let table: BTreeMap<&str, (&str, &str)> =
        OPTIONS.iter().chain(&MORE).map(|(name, value, meaning)| (*name, (*value, *meaning))).collect();
    let meanings: BTreeMap<&str, &str> = table.iter().map(|(name, (_, meaning))| (*meaning, *name)).collect();
    assert_eq!(meanings.len(), table.len(), "two names for one meaning");
    let (mut seen, mut faults) = (BTreeMap::new(), Vec::new());
    visit(&program, "affinimath", &mut |path, argument| {
        let name = argument.get_long().expect("it has a long name").to_owned();
        if ["help", "version"].contains(&&*name) {
            return;
        }
        let values = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
        let takes = argument.get_action().takes_values();
        let value = if takes { values.collect::<Vec<_>>().join(" ") } else { String::new() };
        match table.get(&*name) {
            None => faults.push(format!("{path} --{name} {value}: not in the vocabulary")),
            Some((expected, _)) if *expected != value => {
                faults.push(format!("{path} --{name} {value}: not {expected}"))
            }
            Some(_) => drop(seen.insert(name, ())),
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let unused: Vec<&&str> = table.keys().filter(|name| !seen.contains_key(**name)).collect();
    assert!(unused.is_empty(), "in the vocabulary, and in no command: {unused:?}");
}

#[test]
fn help_is_there_for_every_option_and_in_one_style() {
    let mut program = <crate::Arguments as CommandFactory>::command();
    program.build();
    program.clone().debug_assert();
    visit(&program, "affinimath", &mut |path, argument| {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let name = argument.get_long().unwrap_or_default();
        let first = help.chars().next().unwrap_or(' ');
        let starts = first.is_uppercase() || ["strategy"].contains(&name);
        assert!(starts && !help.ends_with('.'), "{path} --{name}: {help}");
    });
}

#[test]
fn old_names_of_options_are_taken_still() {
    use clap::Parser;
    for words in ["doctor --on host", "doctor --device host --routines", "tune --crossover", "bench gemm --json a"] {
        let arguments = ["affinimath"].into_iter().chain(words.split(' ')).map(Into::into);
        let program = <crate::Arguments as CommandFactory>::command();
        let parsed = crate::Arguments::try_parse_from(affinimath_bench::json::attach_file(arguments, &program));
        assert_eq!(parsed.is_ok(), !words.ends_with(" a"), "{words}");
    }
}
