//! The allocator of the program: which it is, how it is set, and when it gives memory back.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Files from which an index is bulk work.
const BULK: usize = 1000;

/// Called as a stage of indexing so many files begins: before much is written, what resolution held goes back to the
/// system, so that it is not held beside what writing needs.
pub(crate) fn release_before_store(stage: &str, files: usize) {
    if stage == "store" && files >= BULK {
        release_memory();
    }
}

/// Called when an index was made or updated, with the number of files that were parsed for it.
pub(crate) fn release_after_index(files: usize) {
    if files >= BULK {
        release_memory();
    }
}

/// Gives back to the system what the allocator keeps after bulk work: a first index holds many times what stays.
pub(crate) fn release_memory() {
    jemalloc::purge();
}

#[global_allocator]
static ALLOCATOR: OutOfMemoryNotice<jemalloc::Allocator> = OutOfMemoryNotice(jemalloc::ALLOCATOR);

/// What people read when the system gives no memory; the process is about to be aborted.
const OUT_OF_MEMORY: &[u8] = b"kenning: out of memory: the system gave no more. Close other programs or raise the limit (ulimit -v, the \
container's), or index less: index.exclude and index.maxFileSize in kenning.toml, or a smaller --root\n";

/// An allocator that says what to do when there is no memory left, once, before it fails as any other does.
///
/// The standard library then aborts the process with a line that only a programmer understands; its hook for that is not stable.
/// Writing allocates nothing. A caller that copes with the failure goes on, after a line that is true all the same.
struct OutOfMemoryNotice<A>(A);

/// Passes on what an allocator returned.
fn notice_if_null(allocated: *mut u8, bytes: usize) -> *mut u8 {
    if allocated.is_null() {
        print_notice(bytes);
    }
    allocated
}

/// Larger blocks are a wrong size from damaged data, which their reader refuses: no machine has an eighth of the addresses.
const LARGEST_BLOCK: usize = usize::MAX >> 3;

#[cold]
fn print_notice(bytes: usize) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if bytes <= LARGEST_BLOCK && !SAID.swap(true, Ordering::Relaxed) {
        // Nothing can be done when standard error is closed. It has no buffer: nothing is allocated.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), OUT_OF_MEMORY);
    }
}

// SAFETY: every call is passed on unchanged to an allocator, and what that returns is returned.
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

/// jemalloc instead of the allocator of the system: a first index of a large workspace takes a seventh less CPU time and an
/// eighth less memory (`bench/README.md`, "Speed"). Where it lets itself, what the C libraries allocate comes from it as well.
#[cfg(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos"))]
mod jemalloc {
    use std::ptr::null_mut;

    pub(super) type Allocator = tikv_jemallocator::Jemalloc;

    pub(super) const ALLOCATOR: Allocator = tikv_jemallocator::Jemalloc;

    /// Heaps are shared by all threads, for what one thread frees is often what another needs; what was freed is given back
    /// within half a second; and threads keep no large blocks for themselves.
    #[cfg_attr(target_os = "linux", unsafe(export_name = "malloc_conf"))]
    #[cfg_attr(target_os = "macos", unsafe(export_name = "_rjem_malloc_conf"))]
    static SETTINGS: Option<&'static std::ffi::c_char> = {
        // SAFETY: it points to the first byte of a text that ends with a zero and is never freed.
        unsafe {
            let text = c"narenas:2,dirty_decay_ms:500,muzzy_decay_ms:0,tcache_max:4096";
            text.as_ptr().as_ref()
        }
    };

    /// Every arena (`MALLCTL_ARENAS_ALL`, jemalloc's manual, "arena.<i>.purge").
    const PURGE_ALL: &std::ffi::CStr = c"arena.4096.purge";

    pub(super) fn purge() {
        // SAFETY: the name ends with a zero, and this control reads and writes nothing.
        let failed =
            unsafe { tikv_jemalloc_sys::mallctl(PURGE_ALL.as_ptr(), null_mut(), null_mut(), null_mut(), 0) };
        debug_assert_eq!(failed, 0, "jemalloc knows how to purge");
    }

    #[cfg(test)]
    mod tests {
        use std::ptr::{from_mut, null_mut};

        #[test]
        fn its_settings_are_in_force() {
            let mut heaps: std::ffi::c_uint = 0;
            let mut size = size_of_val(&heaps);
            let name = c"opt.narenas";
            // SAFETY: the control writes an unsigned number of this size.
            let failed = unsafe {
                tikv_jemalloc_sys::mallctl(
                    name.as_ptr(),
                    from_mut(&mut heaps).cast(),
                    &raw mut size,
                    null_mut(),
                    0,
                )
            };
            assert_eq!((failed, heaps), (0, 2));
            super::purge();
        }
    }
}

#[cfg(not(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos")))]
mod jemalloc {
    pub(super) type Allocator = std::alloc::System;

    pub(super) const ALLOCATOR: Allocator = std::alloc::System;

    /// The allocator of the system keeps what it keeps.
    pub(super) fn purge() {}
}
