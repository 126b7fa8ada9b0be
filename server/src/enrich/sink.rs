//! The sink for verdicts of language servers.
//!
//! In: verdicts, from any thread. Out: batches of them, passed in order to the function that stores
//! and publishes them. A dedicated thread calls that function, so that neither the servers nor the
//! editor wait for the disk. Verdicts that arrive in the meantime are handled together.
//!
//! Invariant: after a flush, all verdicts that were accepted before it have been passed on.

use kenning_enrichment::VerdictSink;
use kenning_graph::verdicts::Verdict;
use kenning_indexing::reader_threads::reader_thread;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The number of verdicts from which a batch is passed on. A fast sweep of a large workspace would
/// otherwise grow one batch without limit.
const MAX_BATCH: usize = 4096;

/// A message in the sink's queue.
enum SinkMessage {
    Batch(Vec<Verdict>),
    /// A request to report when all verdicts before it have been passed on.
    Flush(oneshot::Sender<()>),
}

/// A sink that collects verdicts into batches and passes them on.
pub struct BatchingSink {
    sender: Mutex<Option<Sender<SinkMessage>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl BatchingSink {
    /// Starts a sink that passes batches to `store`, in order.
    ///
    /// # Errors
    /// Returns an error if the system refuses another thread.
    pub fn start_thread(mut store: impl FnMut(Vec<Verdict>) + Send + 'static) -> std::io::Result<Self> {
        let (sender, batches) = channel();
        let thread = reader_thread("kenning-verdicts").spawn(move || {
            while let Some((batch, flush)) = next_batch(&batches) {
                if !batch.is_empty() {
                    store(batch);
                }
                if let Some(done) = flush {
                    // The receiver may be gone.
                    let _ = done.send(());
                }
            }
        })?;
        Ok(Self { sender: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// Waits until all verdicts that were accepted so far are passed on.
    pub async fn wait_until_flushed(&self) {
        let (done, flushed) = oneshot::channel();
        self.send_message(SinkMessage::Flush(done));
        // An error means that the thread has ended and will pass on nothing more.
        let _ = flushed.await;
    }

    fn send_message(&self, message: SinkMessage) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner) {
            // Sending fails only after a panic of the thread, which was reported.
            let _ = sender.send(message);
        }
    }

    /// Waits until all accepted verdicts are passed on. No verdict is accepted afterwards.
    pub fn finish_and_join(&self) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("internal error while storing answers of language servers");
        }
    }
}

/// Returns the waiting verdicts and, if a flush was requested, the channel to report it; `None`
/// when no more messages will arrive.
fn next_batch(messages: &Receiver<SinkMessage>) -> Option<(Vec<Verdict>, Option<oneshot::Sender<()>>)> {
    let mut batch = Vec::new();
    let mut next = messages.recv().ok()?;
    loop {
        match next {
            SinkMessage::Flush(done) => return Some((batch, Some(done))),
            SinkMessage::Batch(more) => batch.extend(more),
        }
        match messages.try_recv() {
            Ok(more) if batch.len() < MAX_BATCH => next = more,
            Ok(SinkMessage::Batch(more)) => {
                batch.extend(more);
                return Some((batch, None));
            }
            Ok(SinkMessage::Flush(done)) => return Some((batch, Some(done))),
            Err(_) => return Some((batch, None)),
        }
    }
}

impl VerdictSink for BatchingSink {
    fn accept_verdicts(&self, batch: Vec<Verdict>) {
        self.send_message(SinkMessage::Batch(batch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_graph::Hash;
    use kenning_graph::verdicts::{SentHashes, ServerId, VerdictAnswer};
    use std::sync::Arc;

    #[test]
    fn verdicts_that_wait_together_are_all_passed_on() {
        let (batch_sizes, received) = channel();
        let (gate, open) = channel::<()>();
        let sink = BatchingSink::start_thread(move |batch| {
            batch_sizes.send(batch.len()).unwrap();
            let _ = open.recv();
        })
        .unwrap();
        let server = Arc::new(ServerId { name: "toyls".into(), version: "1".into() });
        let verdict = || Verdict {
            server: Arc::clone(&server),
            subject: Hash::default(),
            body: 0,
            context: 0,
            answer: VerdictAnswer::Discovered { edges: Vec::new() },
            sent: SentHashes::default(),
        };
        sink.accept_verdicts(vec![verdict()]);
        assert_eq!(received.recv(), Ok(1));
        for _ in 0..5 {
            sink.accept_verdicts(vec![verdict(), verdict()]);
        }
        drop(gate);
        sink.finish_and_join();
        assert_eq!(received.iter().sum::<usize>(), 10);
    }
}
