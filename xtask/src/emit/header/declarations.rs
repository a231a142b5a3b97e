//! The declarations of the C API as cbindgen makes them from the exported Rust functions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use affinimath_routines::rust::Module;
use affinimath_routines::table::Part;
use cbindgen::{Builder, Config, ExportConfig, FunctionConfig, Language, Layout, Style};

/// Functions by their symbol, each in one line, and structs by their name, a line a field.
pub(super) struct Declarations {
    items: HashMap<String, String>,
}

impl Declarations {
    /// cbindgen reads files, so that the functions' text goes through a folder of its own.
    pub(super) fn make(modules: &[Module], parts: &[&Part]) -> Result<Self, String> {
        // Tests run at the same time.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let unique = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("affinimath-codegen-{}-{}", unique.0, unique.1));
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let text = from_folder(&folder, modules, parts);
        // What is left in the temporary folder does no harm.
        let _ = fs::remove_dir_all(&folder);
        // A blank line separates items; items have none inside.
        let text = text?;
        let items = text.split("\n\n").map(str::trim).filter(|item| !item.is_empty());
        Ok(Declarations { items: items.map(|item| (name(item).to_owned(), item.to_owned())).collect() })
    }

    /// Takes out what has this name.
    pub(super) fn take(&mut self, name: &str) -> Result<String, String> {
        self.items.remove(name).ok_or_else(|| format!("cbindgen declares no {name}"))
    }

    /// Declarations that no part has taken.
    pub(super) fn left(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }
}

/// The name of a function or a struct.
fn name(item: &str) -> &str {
    let before = item.split(['(', '{']).next().unwrap_or(item).trim_end();
    before.rsplit([' ', '*']).next().unwrap_or(before)
}

fn from_folder(folder: &Path, modules: &[Module], parts: &[&Part]) -> Result<String, String> {
    let mut builder = Builder::new().with_config(config(parts));
    // The constants are written from the table, each on a line of its own.
    for module in modules.iter().filter(|module| module.name != "constants") {
        let path = folder.join(format!("{}.rs", module.name));
        fs::write(&path, &module.text).map_err(|e| format!("{}: {e}", path.display()))?;
        builder = builder.with_src(path);
    }
    let bindings = builder.generate().map_err(|e| format!("cbindgen: {e}"))?;
    let mut declarations = Vec::new();
    bindings.write(&mut declarations);
    String::from_utf8(declarations).map_err(|e| e.to_string())
}

fn config(parts: &[&Part]) -> Config {
    let foreign = [
        ("Half", "affinimath_half"),
        ("Complex32", "affinimath_c32"),
        ("Complex64", "affinimath_c64"),
        ("ClQueue", "struct _cl_command_queue"),
        ("ClMem", "struct _cl_mem"),
        ("ClEvent", "struct _cl_event"),
    ];
    let handles = parts.iter().flat_map(|part| part.handles).map(|(ty, _)| *ty);
    let written = handles.chain(parts.iter().flat_map(|part| part.callbacks).map(|(ty, ..)| *ty));
    let groups = parts.iter().flat_map(|part| part.groups);
    let structs = groups.flat_map(|group| group.structs).map(|item| item.ty);
    let own = written.clone().chain(structs).map(|ty| (ty.rust.to_owned(), format!("affinimath_{}", ty.c)));
    let export = ExportConfig {
        exclude: foreign.iter().map(|(rust, _)| *rust).chain(written.map(|ty| ty.rust)).map(str::to_owned).collect(),
        rename: foreign.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into_iter().chain(own).collect(),
        ..ExportConfig::default()
    };
    Config {
        language: Language::C,
        style: Style::Both,
        no_includes: true,
        documentation: false,
        tab_width: 2,
        function: FunctionConfig { args: Layout::Horizontal, ..FunctionConfig::default() },
        export,
        ..Config::default()
    }
}
