//! A guard around the git library: a panic on a damaged repository becomes an error of that
//! repository.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a function that reads a repository.
///
/// # Errors
/// Returns the library's message if it panics. Data that `work` was changing may then be
/// inconsistent, so it must belong to this repository alone.
pub(super) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let reason = crate::named_file::shorten_text(panic_message(&*payload));
        tracing::debug!(reason, "the git library panicked");
        format!("the git library failed: {reason}")
    })
}

/// Does the same as [`catch_panic`] for functions that return a `Result`.
///
/// # Errors
/// Returns the errors of `work` and of [`catch_panic`].
pub(super) fn catch_panic_in_result<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_panic(work)?
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let as_string = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(as_string).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(catch_panic(|| 3), Ok(3));
        let error = catch_panic_in_result::<()>(|| panic!("index {} is out of range", 7)).unwrap_err();
        assert_eq!(error, "the git library failed: index 7 is out of range");
        assert_eq!(catch_panic_in_result::<()>(|| Err("no".to_owned())), Err("no".to_owned()));
    }
}
