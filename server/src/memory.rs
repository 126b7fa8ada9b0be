//! What the allocator of the system is told: how many heaps to keep, and when to give memory back.

/// Heaps that all threads share. By default glibc gives every thread one of its own, up to eight a core, and what one
/// thread frees is not there for another: a first index of a large workspace holds a tenth more for it. Two are what
/// two cores need.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: i32 = 2;

/// Lets threads share heaps. Called once, before the first thread starts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share_heaps() {
    // SAFETY: it takes no pointer; no other thread runs yet.
    let accepted = unsafe { libc::mallopt(libc::M_ARENA_MAX, ARENAS) };
    debug_assert_eq!(accepted, 1, "glibc knows M_ARENA_MAX");
}

/// Files from which an index is bulk work.
const BULK: usize = 1000;

/// Called as a stage of indexing so many files begins: before much is written, what resolution held goes back to the
/// system, so that it is not held beside what writing needs.
pub(crate) fn stage_begins(stage: &str, files: usize) {
    if stage == "store" && files >= BULK {
        give_back();
    }
}

/// Called when an index was made or updated, with the number of files that were parsed for it.
pub(crate) fn indexed(files: usize) {
    if files >= BULK {
        give_back();
    }
}

/// Gives back to the system what the allocator keeps after bulk work: a first index holds many times what stays.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    // SAFETY: it takes no pointer and may be called at any time from any thread.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_heaps() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
