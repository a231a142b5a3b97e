//! Wisdom: a plan needs none. Texts of FFTW's form are read and forgotten, and an empty one is written.

use std::ffi::{CStr, c_char, c_int, c_void};

use libc::FILE;

use crate::plan::Real;

/// `fftw_write_char_func`.
pub(crate) type WriteChar = unsafe extern "C" fn(c_char, *mut c_void);
/// `fftw_read_char_func`.
pub(crate) type ReadChar = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A text without entries.
fn text<R: Real>() -> String {
    format!("(fftw-3.3.10 {}wisdom #x0 #x0 #x0 #x0\n)\n", R::PREFIX)
}

/// Reads one text: 1 if it is wisdom of the precision, else 0.
fn read<R: Real>(mut next: impl FnMut() -> Option<u8>) -> c_int {
    /// Bytes of the text's head, which names the precision.
    const HEAD: usize = 64;
    let (mut depth, mut head) = (0_usize, Vec::new());
    loop {
        let Some(letter) = next() else { return 0 };
        match letter {
            b'(' => depth += 1,
            _ if depth == 0 && letter.is_ascii_whitespace() => continue,
            _ if depth == 0 => return 0,
            b')' => depth -= 1,
            _ => {}
        }
        if head.len() < HEAD {
            head.push(letter);
        }
        if depth == 0 {
            break;
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.trim_start_matches('(').split_ascii_whitespace();
    let is_wisdom = words.next().is_some_and(|word| word.starts_with("fftw-3"))
        && words.next().is_some_and(|word| word.trim_end_matches(')') == format!("{}wisdom", R::PREFIX));
    is_wisdom.into()
}

/// # Safety
/// `write` is FFTW's callback for `data`.
pub(crate) unsafe fn export_wisdom<R: Real>(write: Option<WriteChar>, data: *mut c_void) {
    let Some(write) = write else { return };
    for letter in text::<R>().into_bytes() {
        // SAFETY: the contracts are the same.
        unsafe { write(letter as c_char, data) };
    }
}

/// A string for `free`, null without memory.
pub(crate) fn export_wisdom_to_string<R: Real>() -> *mut c_char {
    c_string(&text::<R>())
}

/// # Safety
/// The file is open for writing.
pub(crate) unsafe fn export_wisdom_to_file<R: Real>(file: *mut FILE) {
    // SAFETY: the contracts are the same.
    unsafe { write_to(file, &text::<R>()) };
}

/// # Safety
/// The name is a C string.
pub(crate) unsafe fn export_wisdom_to_filename<R: Real>(name: *const c_char) -> c_int {
    // SAFETY: the name is a C string, and so is the mode.
    let file = unsafe { libc::fopen(name, c"w".as_ptr()) };
    if file.is_null() {
        return 0;
    }
    // SAFETY: the file is open, and closed once.
    unsafe {
        write_to(file, &text::<R>());
        (libc::ferror(file) == 0 && libc::fclose(file) == 0).into()
    }
}

/// # Safety
/// `read` is FFTW's callback for `data`.
pub(crate) unsafe fn import_wisdom<R: Real>(callback: Option<ReadChar>, data: *mut c_void) -> c_int {
    let Some(callback) = callback else { return 0 };
    // SAFETY: the contracts are the same.
    read::<R>(|| u8::try_from(unsafe { callback(data) }).ok())
}

/// # Safety
/// The text is a C string.
pub(crate) unsafe fn import_wisdom_from_string<R: Real>(text: *const c_char) -> c_int {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the contracts are the same.
    let mut letters = unsafe { CStr::from_ptr(text) }.to_bytes().iter().copied();
    read::<R>(|| letters.next())
}

/// # Safety
/// The file is open for reading.
pub(crate) unsafe fn import_wisdom_from_file<R: Real>(file: *mut FILE) -> c_int {
    if file.is_null() {
        return 0;
    }
    // SAFETY: the contracts are the same.
    read::<R>(|| u8::try_from(unsafe { libc::fgetc(file) }).ok())
}

/// # Safety
/// The name is a C string.
pub(crate) unsafe fn import_wisdom_from_filename<R: Real>(name: *const c_char) -> c_int {
    // SAFETY: the name is a C string, and so is the mode.
    let file = unsafe { libc::fopen(name, c"r".as_ptr()) };
    if file.is_null() {
        return 0;
    }
    // SAFETY: the file is open, and closed once.
    unsafe {
        let read = import_wisdom_from_file::<R>(file);
        libc::fclose(file);
        read
    }
}

pub(crate) fn import_system_wisdom<R: Real>() -> c_int {
    1
}

/// # Safety
/// The file is open for writing, or null.
pub(crate) unsafe fn write_to(file: *mut FILE, text: &str) {
    if !file.is_null() {
        // SAFETY: the file is open, and the text is as long as it says.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), file) };
    }
}

/// A copy of a text for `free`, null without memory.
pub(crate) fn c_string(text: &str) -> *mut c_char {
    // SAFETY: any size may be asked for.
    let memory = unsafe { libc::malloc(text.len() + 1) }.cast::<u8>();
    if !memory.is_null() {
        // SAFETY: the memory holds the text and its end.
        unsafe {
            memory.copy_from_nonoverlapping(text.as_ptr(), text.len());
            memory.add(text.len()).write(0);
        }
    }
    memory.cast()
}
