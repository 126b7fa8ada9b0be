//! A progress bar on the terminal for work that takes longer than a second; silent if standard
//! error is not a terminal.

use crate::terminal::standard_streams::StandardStream;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kenning_indexing::workspace::IndexProgress;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The delay before the bar appears.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// A progress bar on standard error.
pub struct TerminalProgress {
    started: Instant,
    bar: ProgressBar,
    terminal: bool,
    shown: AtomicBool,
}

impl TerminalProgress {
    /// Starts the clock; the bar is not visible yet.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg:>12} {wide_bar} {pos}/{len}") {
            bar.set_style(style);
        }
        Self {
            started: Instant::now(),
            bar,
            terminal: StandardStream::Error.is_terminal(),
            shown: AtomicBool::new(false),
        }
    }
}

impl IndexProgress for TerminalProgress {
    fn report_progress(&self, stage: &'static str, done: usize, total: usize) {
        crate::allocator::release_before_store(stage, total);
        if !self.terminal || self.started.elapsed() < SHOW_AFTER {
            return;
        }
        if !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.message() != stage {
            self.bar.set_message(stage);
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
