//! Runs two pieces of work at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Runs `spawned` on a new thread while `local` runs on this one. If no thread can be started, runs
/// one after the other.
pub(crate) fn run_concurrently<A: Send, B>(
    spawned: impl Fn() -> A + Sync,
    local: impl FnOnce() -> B,
) -> (A, B) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &spawned);
        let local = local();
        let spawned = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => spawned(),
        };
        (spawned, local)
    })
}

/// Runs `work` on the two halves of `items` at the same time and returns both results, joined in
/// order. `work` must give the same result for the halves as for the whole.
pub(crate) fn par_halves<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    // A thread does not pay off for a few items.
    if items.len() < MIN_PARALLEL_ITEMS {
        return work(items);
    }
    let (first, second) = items.split_at(items.len() / 2);
    let (second, mut all) = run_concurrently(|| work(second), || work(first));
    all.extend(second);
    all
}

/// Number of items below which starting a thread takes longer than the work.
const MIN_PARALLEL_ITEMS: usize = 32;

#[cfg(test)]
mod tests {
    use super::{par_halves, run_concurrently};
    use std::panic::catch_unwind;

    #[test]
    fn both_results_are_returned_and_a_panic_of_either_propagates() {
        assert_eq!(run_concurrently(|| "spawned", || "local"), ("spawned", "local"));
        assert!(catch_unwind(|| run_concurrently(|| panic!("spawned"), || ())).is_err());
        assert!(catch_unwind(|| run_concurrently(|| (), || panic!("local"))).is_err());
    }

    #[test]
    fn the_results_of_the_halves_keep_the_order() {
        for length in [0, 1, 2, 31, 32, 33, 100] {
            let items: Vec<usize> = (0..length).collect();
            assert_eq!(
                par_halves(&items, |half| half.iter().map(|item| item * 2).collect()),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }
}
