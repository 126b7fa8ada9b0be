//! Two pieces of work at one time.

use std::panic::resume_unwind;
use std::thread;

/// Does `other` on a thread of its own while `own` is done here; one after the other where no thread can be had.
pub(crate) fn beside<A: Send, B>(other: impl Fn() -> A + Sync, own: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &other);
        let own = own();
        let other = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => other(),
        };
        (other, own)
    })
}

#[cfg(test)]
mod tests {
    use super::beside;
    use std::panic::catch_unwind;

    #[test]
    fn both_are_done_and_a_panic_of_either_is_one_of_the_whole() {
        assert_eq!(beside(|| "other", || "own"), ("other", "own"));
        assert!(catch_unwind(|| beside(|| panic!("other"), || ())).is_err());
        assert!(catch_unwind(|| beside(|| (), || panic!("own"))).is_err());
    }
}
