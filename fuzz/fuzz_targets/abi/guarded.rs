//! Buffers with a protected page behind them.

use std::ptr;

const PAGE: usize = 4096;

/// Elements that end where a page ends, before one that cannot be read or written.
pub struct Guarded<T> {
    pages: *mut libc::c_void,
    bytes: usize,
    start: *mut T,
}

impl<T: Copy> Guarded<T> {
    pub fn new(elements: usize, mut value: impl FnMut(usize) -> T) -> Self {
        let used = elements * size_of::<T>();
        let bytes = used.next_multiple_of(PAGE) + PAGE;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: the pages are new, the last one is made untouchable, and the elements fit before it.
        unsafe {
            let pages = libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED, "no memory");
            let guard = pages.byte_add(bytes - PAGE);
            assert_eq!(libc::mprotect(guard, PAGE, libc::PROT_NONE), 0, "no guard");
            let start = guard.byte_sub(used).cast::<T>();
            (0..elements).for_each(|index| start.add(index).write(value(index)));
            Guarded { pages, bytes, start }
        }
    }

    pub fn start(&self) -> *mut T {
        self.start
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: the pages are this buffer's own.
        unsafe { libc::munmap(self.pages, self.bytes) };
    }
}
