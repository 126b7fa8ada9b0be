//! Progress on the terminal for work that takes longer than half a second; silent if standard error
//! is not a terminal.
//!
//! A thread of its own shows the line, because some stages report nothing for a long time: listing
//! the files of a huge folder, for instance.

use crate::terminal::standard_streams::StandardStream;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kenning_indexing::workspace::IndexProgress;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The delay before the line appears.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// The interval at which the line is drawn while no stage reports.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// The line until a stage reports its size.
const SPINNER: &str = "{msg:>12} {spinner}";

/// The line of a stage that knows its size.
const BAR: &str = "{msg:>12} {wide_bar} {pos}/{len}";

/// The line of a stage that only counts.
const COUNTER: &str = "{msg:>12} {pos} {spinner}";

/// A progress line on standard error.
pub struct TerminalProgress {
    bar: ProgressBar,
    /// The thread that shows the line. It ends when the sender is dropped.
    shown_by: Option<(Sender<()>, JoinHandle<()>)>,
}

impl TerminalProgress {
    /// Starts the clock; the line is not visible yet.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        set_template(&bar, SPINNER);
        bar.set_message("listing files");
        let shown_by = StandardStream::Error.is_terminal().then(|| show_later(bar.clone())).flatten();
        Self { bar, shown_by }
    }

    /// Shows how much of a stage is done whose size is unknown.
    pub fn report_count(&self, stage: &'static str, done: usize) {
        self.begin_stage(stage, COUNTER);
        self.bar.set_position(done as u64);
    }

    fn begin_stage(&self, stage: &'static str, template: &str) {
        if self.bar.message() != stage {
            set_template(&self.bar, template);
            self.bar.set_message(stage);
        }
    }
}

fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// Starts the thread that shows a line after [`SHOW_AFTER`]; `None` if the system has no thread left,
/// because the work matters more than its progress.
fn show_later(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (ended, wait) = channel();
    let show = move || {
        if wait.recv_timeout(SHOW_AFTER) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(REDRAW_INTERVAL);
        }
    };
    let thread = thread::Builder::new().name("progress".to_owned()).spawn(show).ok()?;
    Some((ended, thread))
}

impl IndexProgress for TerminalProgress {
    fn report_progress(&self, stage: &'static str, done: usize, total: usize) {
        crate::allocator::release_before_store(stage, total);
        if self.shown_by.is_none() {
            return;
        }
        self.begin_stage(stage, BAR);
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        if let Some((ended, thread)) = self.shown_by.take() {
            drop(ended);
            // A panic of that thread was reported when it happened.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
