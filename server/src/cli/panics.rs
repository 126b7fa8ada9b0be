//! Turns a panic into an ordinary error, so that the command ends with one line and status 1.

use kenning_indexing::named_file::shorten_text;
use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

/// The cause of a panic.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// A bug in Kenning.
    #[error(
        "Internal error: {0}. Run the command again with RUST_BACKTRACE=1 KENNING_LOG=debug and report the output: {repository}/issues",
        repository = env!("CARGO_PKG_REPOSITORY")
    )]
    Bug(String),
    /// The system refused to start a thread, because memory or the number of threads is limited.
    #[error(
        "the system has no more threads or memory for Kenning ({0}); raise the limits (ulimit -u and -v, or the container's), \
         or set index.threads = 1"
    )]
    NoThreads(String),
}

/// Installs a panic hook that logs panics instead of printing them.
///
/// A session logs them as errors, because its answers refer to the log. A command logs them at
/// debug level: [`catch_panic`] reports its own panic when it ends, and a panic in the git library
/// that its reader caught is not an error.
pub fn install_hook(in_session: bool) {
    std::panic::set_hook(Box::new(move |panic| {
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        let (location, reason) = (panic_location(panic), panic_reason(panic.payload()));
        if in_session {
            tracing::error!("internal error at {location}: {reason}{trace}");
        } else {
            tracing::debug!("internal error at {location}: {reason}{trace}");
        }
    }));
}

fn panic_location(panic: &PanicHookInfo<'_>) -> String {
    panic.location().map_or_else(|| "an unknown location".to_owned(), ToString::to_string)
}

/// Runs a command and catches its panic.
///
/// # Errors
/// Returns an `InternalError` if the command panics.
pub fn catch_panic<T>(command: impl FnOnce() -> T) -> Result<T, InternalError> {
    catch_unwind(AssertUnwindSafe(command)).map_err(|payload| {
        // The message of a failed assertion spans several lines, because it shows both values.
        let reason = shorten_text(panic_reason(&*payload).trim_end_matches('.'));
        // The standard library and rayon panic with the system's error (`EAGAIN`) if they cannot
        // start a thread.
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
    fn a_panic_becomes_one_line_with_advice() {
        assert_eq!(catch_panic(|| 3).ok(), Some(3));
        let error = catch_panic::<()>(|| panic!("row {} is missing.", 7)).unwrap_err().to_string();
        assert!(error.starts_with("Internal error: row 7 is missing. Run the command again"), "{error}");
        let refused = "failed to spawn thread: Os { code: 11, kind: WouldBlock, message: \"x\" }";
        let error = catch_panic::<()>(|| panic!("{refused}")).unwrap_err();
        assert!(matches!(error, InternalError::NoThreads(_)), "{error}");
        let long = catch_panic::<()>(|| panic!("{}", "é".repeat(1_000))).unwrap_err().to_string();
        assert!(!long.contains('\n') && long.len() < 600, "{long}");
    }
}
