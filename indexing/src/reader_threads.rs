//! Starts the threads that run code whose recursion depends on what files say.
//!
//! Extraction and resolution bound their recursion by counts, so that the same files give the same
//! graph on every machine. A count protects only a stack of known size: threads have 2 MiB by
//! default, the main thread what the shell's limit says. All threads that read files, resolve
//! names or answer requests get [`READER_STACK_BYTES`]. The test
//! `nested_lookups_leave_half_of_a_readers_stack` in `resolve` fills such a stack on purpose.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Stack size of a thread that reads files, in bytes. The system reserves it as address space only;
/// memory is used when it is touched.
pub const READER_STACK_BYTES: usize = 16 << 20;

/// Returns the builder of a thread with this name and the stack of a reader.
pub fn reader_thread(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(READER_STACK_BYTES)
}

/// Runs `work` on a reader's stack and returns its result. A panic continues in the caller. If the
/// system provides no thread, `work` runs on the stack of the caller.
pub fn run_on_reader_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let waiting = Mutex::new(Some(work));
    let take_work = || waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = || take_work().map(|work| work());
    let result = scope(|threads| match reader_thread("kenning").spawn_scoped(threads, run) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => run(),
    });
    result.expect("the work is taken once, by the thread or by the caller")
}

/// Returns a pool of threads with the stack of a reader.
///
/// # Errors
/// Returns an error if the system provides no threads.
pub fn build_reader_pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(READER_STACK_BYTES).build()
}

/// Gives the threads of the global pool, which index files in parallel, the stack of a reader. Call
/// it before the pool is used; afterwards it has no effect.
pub fn configure_reader_pool() {
    // Fails only if the pool has already been started, by an earlier call.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(READER_STACK_BYTES).build_global();
}
