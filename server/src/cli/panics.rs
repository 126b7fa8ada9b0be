//! The door of the command line: a panic ends a command with one line and status 1, as any other error does.

use kenning_indexing::named_file::shorten_text;
use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

/// What a panic found.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// A bug of Kenning.
    #[error(
        "Internal error: {0}. Please report it with the lines that RUST_BACKTRACE=1 KENNING_LOG=debug adds: {repository}/issues",
        repository = env!("CARGO_PKG_REPOSITORY")
    )]
    Bug(String),
    /// The system gave no thread: its memory, or the number of threads, is limited.
    #[error(
        "the system gives Kenning no more threads or memory ({0}); raise the limit (ulimit -u and -v, the container's) or set \
         index.threads = 1"
    )]
    NoThreads(String),
}

/// Has panics logged instead of printed. A session logs them as errors, for its answers point to the log; a command names its
/// panic itself when it ends ([`catch_panic`]), and one that a reader of git caught is no error.
pub fn install_hook(in_session: bool) {
    std::panic::set_hook(Box::new(move |panic| {
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        let (place, reason) = (panic_location(panic), panic_reason(panic.payload()));
        if in_session {
            tracing::error!("internal error at {place}: {reason}{trace}");
        } else {
            tracing::debug!("internal error at {place}: {reason}{trace}");
        }
    }));
}

fn panic_location(panic: &PanicHookInfo<'_>) -> String {
    panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string)
}

/// Runs a command.
///
/// # Errors
/// When it panics.
pub fn catch_panic<T>(command: impl FnOnce() -> T) -> Result<T, InternalError> {
    catch_unwind(AssertUnwindSafe(command)).map_err(|payload| {
        // Failed assertions print both sides.
        let reason = shorten_text(panic_reason(&*payload).trim_end_matches('.'));
        // The standard library and rayon panic with the error of the system (`EAGAIN`).
        if reason.contains("WouldBlock") && reason.to_lowercase().contains("thread") {
            InternalError::NoThreads(reason)
        } else {
            InternalError::Bug(reason)
        }
    })
}

fn panic_reason(payload: &(dyn Any + Send)) -> &str {
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_one_line_that_says_what_to_do() {
        assert_eq!(catch_panic(|| 3).ok(), Some(3));
        let error = catch_panic::<()>(|| panic!("row {} is missing.", 7)).unwrap_err().to_string();
        assert!(error.starts_with("Internal error: row 7 is missing. Please report it"), "{error}");
        let refused = "failed to spawn thread: Os { code: 11, kind: WouldBlock, message: \"x\" }";
        let error = catch_panic::<()>(|| panic!("{refused}")).unwrap_err();
        assert!(matches!(error, InternalError::NoThreads(_)), "{error}");
        let long = catch_panic::<()>(|| panic!("{}", "é".repeat(1_000))).unwrap_err().to_string();
        assert!(!long.contains('\n') && long.len() < 600, "{long}");
    }
}
