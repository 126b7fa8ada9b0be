//! Two pieces of work at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Runs `other` on its own thread while `own` runs on this one. If no thread can be started, they
/// run one after the other.
pub(crate) fn run_concurrently<A: Send, B>(other: impl Fn() -> A + Sync, own: impl FnOnce() -> B) -> (A, B) {
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

/// Runs `work` on the two halves of `items` at the same time and returns both results, joined in
/// order. `work` must give the same result for the halves as for the whole.
pub(crate) fn par_halves<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    // A thread does not pay off for a few items.
    if items.len() < FEW {
        return work(items);
    }
    let (first, second) = items.split_at(items.len() / 2);
    let (second, mut all) = run_concurrently(|| work(second), || work(first));
    all.extend(second);
    all
}

/// Number of items below which starting a thread takes longer than the work.
const FEW: usize = 32;

#[cfg(test)]
mod tests {
    use super::{par_halves, run_concurrently};
    use std::panic::catch_unwind;

    #[test]
    fn both_are_done_and_a_panic_of_either_is_one_of_the_whole() {
        assert_eq!(run_concurrently(|| "other", || "own"), ("other", "own"));
        assert!(catch_unwind(|| run_concurrently(|| panic!("other"), || ())).is_err());
        assert!(catch_unwind(|| run_concurrently(|| (), || panic!("own"))).is_err());
    }

    #[test]
    fn halves_stand_in_the_order_of_the_whole() {
        for length in [0, 1, 2, 31, 32, 33, 100] {
            let items: Vec<usize> = (0..length).collect();
            assert_eq!(
                par_halves(&items, |half| half.iter().map(|item| item * 2).collect()),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }
}
