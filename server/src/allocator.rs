//! Sets up the program's allocator: jemalloc where it is supported. Controls when it returns memory
//! to the system, and prints a notice when memory runs out.
//!
//! Building an index uses many times the memory that remains in use, so memory is returned before
//! the index is stored and again afterwards. Without jemalloc, the functions that return memory do
//! nothing.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Minimum number of files for which indexing counts as bulk work.
const MIN_BULK_FILES: usize = 1000;

/// Returns memory to the system before the `store` stage of a bulk index. Otherwise the process
/// would hold the memory of resolution in addition to the memory that writing needs.
pub(crate) fn release_before_store(stage: &str, files: usize) {
    if stage == "store" && files >= MIN_BULK_FILES {
        release_memory();
    }
}

/// Returns memory to the system after an index was built or updated, if at least [`MIN_BULK_FILES`]
/// files were parsed for it.
pub(crate) fn release_after_index(files: usize) {
    if files >= MIN_BULK_FILES {
        release_memory();
    }
}

/// Returns to the system the memory that the allocator keeps after bulk work. A first index uses
/// many times the memory that remains in use.
pub(crate) fn release_memory() {
    jemalloc::purge();
}

#[global_allocator]
static ALLOCATOR: OutOfMemoryNotice<jemalloc::Allocator> = OutOfMemoryNotice(jemalloc::ALLOCATOR);

/// The message for the user when the system provides no more memory. The process is about to be
/// aborted.
const OUT_OF_MEMORY: &[u8] = b"kenning: out of memory. Close other programs, raise the memory limit (ulimit -v or the \
container's), or index less: set index.exclude or index.maxFileSize in kenning.toml, or pass a smaller --root\n";

/// An allocator that prints what to do when no memory is left, once, and then fails like any other.
///
/// The standard library aborts the process with a line that only a programmer understands, and its
/// hook for that is not stable. Printing allocates nothing. A caller that handles the failure
/// continues; the line is correct in that case.
struct OutOfMemoryNotice<A>(A);

/// Prints the notice if an allocator returned null. Returns the pointer unchanged.
fn notice_if_null(allocated: *mut u8, bytes: usize) -> *mut u8 {
    if allocated.is_null() {
        print_notice(bytes);
    }
    allocated
}

/// Maximum size of a block for which the notice is printed, in bytes. A larger size comes from
/// damaged data, which the reader of the data rejects: no machine has an eighth of the address
/// space as memory.
const LARGEST_BLOCK: usize = usize::MAX >> 3;

#[cold]
fn print_notice(bytes: usize) {
    static PRINTED: AtomicBool = AtomicBool::new(false);
    if bytes <= LARGEST_BLOCK && !PRINTED.swap(true, Ordering::Relaxed) {
        // Standard error is not buffered, so writing allocates nothing. If it is closed, the notice
        // is lost.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), OUT_OF_MEMORY);
    }
}

// SAFETY: every call is passed unchanged to an allocator, and its result is returned unchanged.
unsafe impl<A: GlobalAlloc> GlobalAlloc for OutOfMemoryNotice<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        notice_if_null(unsafe { self.0.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc_zeroed`.
        notice_if_null(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`.
        notice_if_null(unsafe { self.0.realloc(block, layout, new_size) }, new_size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { self.0.dealloc(block, layout) }
    }
}

/// jemalloc instead of the system's allocator: a first index of a large workspace takes a seventh
/// less CPU time and an eighth less memory (`bench/README.md`, "Speed"). Where possible, it also
/// serves the allocations of C libraries.
#[cfg(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos"))]
mod jemalloc {
    use std::ptr::null_mut;

    pub(super) type Allocator = tikv_jemallocator::Jemalloc;

    pub(super) const ALLOCATOR: Allocator = tikv_jemallocator::Jemalloc;

    /// jemalloc's settings. All threads share two heaps, because one thread often needs what
    /// another frees. Freed memory returns to the system within half a second. Threads keep no
    /// blocks over 4 KiB for themselves.
    #[cfg_attr(target_os = "linux", unsafe(export_name = "malloc_conf"))]
    #[cfg_attr(target_os = "macos", unsafe(export_name = "_rjem_malloc_conf"))]
    static SETTINGS: Option<&'static std::ffi::c_char> = {
        // SAFETY: the pointer leads to the first byte of a static text that ends with a zero.
        unsafe {
            let text = c"narenas:2,dirty_decay_ms:500,muzzy_decay_ms:0,tcache_max:4096";
            text.as_ptr().as_ref()
        }
    };

    /// The control that purges every arena (`MALLCTL_ARENAS_ALL`; jemalloc's manual,
    /// "arena.<i>.purge").
    const PURGE_ALL: &std::ffi::CStr = c"arena.4096.purge";

    pub(super) fn purge() {
        // SAFETY: the name ends with a zero, and this control reads and writes nothing.
        let status =
            unsafe { tikv_jemalloc_sys::mallctl(PURGE_ALL.as_ptr(), null_mut(), null_mut(), null_mut(), 0) };
        debug_assert_eq!(status, 0, "jemalloc knows how to purge");
    }

    #[cfg(test)]
    mod tests {
        use std::ptr::{from_mut, null_mut};

        #[test]
        fn the_configured_settings_take_effect() {
            let mut heaps: std::ffi::c_uint = 0;
            let mut size = size_of_val(&heaps);
            let name = c"opt.narenas";
            // SAFETY: the control writes an unsigned number of this size.
            let status = unsafe {
                tikv_jemalloc_sys::mallctl(
                    name.as_ptr(),
                    from_mut(&mut heaps).cast(),
                    &raw mut size,
                    null_mut(),
                    0,
                )
            };
            assert_eq!((status, heaps), (0, 2));
            super::purge();
        }
    }
}

#[cfg(not(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos")))]
mod jemalloc {
    pub(super) type Allocator = std::alloc::System;

    pub(super) const ALLOCATOR: Allocator = std::alloc::System;

    /// Does nothing: the system's allocator decides what it keeps.
    pub(super) fn purge() {}
}
