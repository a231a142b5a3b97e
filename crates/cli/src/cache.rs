//! `affinimath cache`: the cache of built programs.

use affinimath::program::{self, CacheEntries};
use affinimath_bench::json::JsonOption;
use affinimath_bench::{Failure, memory};
use serde_json::{Value, json};

/// The end of the `--help` text.
pub const HELP: &str = "
The folder is AFFINIMATH_CACHE_DIR, else affinimath in the user's cache folder. AFFINIMATH_CACHE_SIZE bounds it \
(default 1G): a
program that is added beyond it evicts the least recently used ones. AFFINIMATH_CACHE=off turns the cache off.

Examples:
  affinimath cache info
  affinimath cache prune --size 256M
  affinimath cache clear";

/// The arguments of `affinimath cache`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show the folder, its programs and the limit
    Info(JsonOption),
    /// Remove the least recently used programs until the cache is as small as asked
    Prune {
        /// The size to leave, as in 4096, 512M or 2G; by default AFFINIMATH_CACHE_SIZE
        #[arg(long, value_name = "SIZE", value_parser = size)]
        size: Option<u64>,
        #[command(flatten)]
        json: JsonOption,
    },
    /// Remove all programs
    Clear(JsonOption),
}

fn size(text: &str) -> Result<u64, String> {
    program::parse_size(text).ok_or_else(|| "a size is a number of bytes, or of units, as in 512M and 2G".to_owned())
}

/// Shows, prunes or clears the cache.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let limit = program::cache_limit()?;
    if program::cache_directory().is_none() {
        return Err(Failure("the cache is off: AFFINIMATH_CACHE says so, or no cache folder is known".to_owned()));
    }
    // A folder that is passed over is not the library's to empty.
    let refuse = || program::cache_fault().map_or(Ok(()), |fault| Err(Failure(format!("{}: {fault}", folder()))));
    match &arguments.action {
        Action::Info(json) => show("cache-info", json, None, limit),
        Action::Prune { size, json } => {
            json.check_folder()?;
            refuse()?;
            show("cache-prune", json, Some(program::prune_cache(size.unwrap_or(limit))), limit)
        }
        Action::Clear(json) => {
            json.check_folder()?;
            refuse()?;
            show("cache-clear", json, Some(program::clear_cache()), limit)
        }
    }
}

fn show(command: &str, option: &JsonOption, removed: Option<CacheEntries>, limit: u64) -> Result<(), Failure> {
    let mut report = json();
    report["removed"] = json!(removed);
    let removed = removed.map_or(String::new(), |removed| format!("removed     {}\n", amount(removed)));
    let fault = program::cache_fault().map_or(String::new(), |fault| format!("passed over {fault}\n"));
    let left = amount(program::cache_entries());
    let limit = memory::readable(limit.into());
    let text = format!("folder      {}\n{removed}programs    {left}\nlimit       {limit}\n{fault}", folder());
    option.give(command, report, &text)
}

/// The cache in one line.
pub fn line() -> String {
    match (program::cache_directory(), program::cache_fault()) {
        (None, _) => "off".to_owned(),
        (Some(_), Some(fault)) => format!("{}: passed over, {fault}", folder()),
        (Some(_), None) => format!("{}: {}", folder(), amount(program::cache_entries())),
    }
}

/// The same for programs.
pub fn json() -> Value {
    let CacheEntries { programs, bytes } = program::cache_entries();
    json!({
        "folder": program::cache_directory(),
        "programs": programs,
        "bytes": bytes,
        "limit": program::cache_limit().ok(),
        "fault": program::cache_fault(),
    })
}

fn folder() -> String {
    program::cache_directory().unwrap_or_default().display().to_string()
}

fn amount(entries: CacheEntries) -> String {
    format!("{} programs, {}", entries.programs, memory::readable(entries.bytes.into()))
}
