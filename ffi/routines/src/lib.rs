//! The routine table: every function of the C API as plain data.
//!
//! [`table`] has the rows, [`signature`] expands them into one C function per type and form, and [`rust`] writes the
//! Rust text that exports those functions. The build scripts of `affinimath-ffi` and `affinimath-blas` call it. `xtask`
//! writes the header, the Fortran module, the lists of symbols and the API page from the same rows.

pub mod rust;
pub mod signature;
pub mod table;

/// Text in lines of at most `width` characters, broken between words.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
