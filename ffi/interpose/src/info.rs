//! Facts that objects tell of themselves.

use std::mem::MaybeUninit;
use std::ptr;

use crate::types::{Pointer, SUCCESS, Status};

/// Texts are no longer than this: sources are.
const MAX_TEXT: usize = 1 << 30;

/// A value by a query of size, place and size that is needed. `V` is an integer or a handle.
pub fn value<V: Copy>(query: impl FnOnce(usize, Pointer, *mut usize) -> Status) -> Option<V> {
    let mut value = MaybeUninit::<V>::zeroed();
    let status = query(size_of::<V>(), value.as_mut_ptr().cast(), ptr::null_mut());
    // SAFETY: all bits may be zero in an integer and in a handle, and the query has written others.
    (status == SUCCESS).then(|| unsafe { value.assume_init() })
}

/// A text, without the zero byte at its end.
pub fn text(query: impl Fn(usize, Pointer, *mut usize) -> Status) -> Option<String> {
    let mut size = 0;
    if query(0, ptr::null_mut(), &raw mut size) != SUCCESS || size > MAX_TEXT {
        return None;
    }
    let mut bytes = vec![0_u8; size];
    if size > 0 && query(size, bytes.as_mut_ptr().cast(), ptr::null_mut()) != SUCCESS {
        return None;
    }
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
