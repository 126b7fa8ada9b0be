//! Supervision of the language servers.
//!
//! A `ServerSlot` runs one language's server for one project folder. Jobs come in through its
//! `JobQueue`, and verdicts go out to the sink. The slot's task (`lifecycle`) goes through these
//! phases:
//!
//! 1. It waits until the queue has a job, then has the connector start the server.
//! 2. It skips jobs that have nothing left to ask and waits until the server is ready.
//! 3. It runs the jobs (`job_runner`): requests from the user first, then the sweep over all files,
//!    then discovery.
//! 4. It stops the server after an idle time and goes back to waiting. A server that breaks is
//!    restarted after a growing pause, and abandoned after several failures in a row; a server that
//!    exceeds its memory limit is abandoned immediately.
//!
//! A job that was running when the server ended returns to the queue once; if the server ends
//! during it again, its file is skipped. Each change of state is published through
//! `StatusPublisher`.

mod connector;
mod job_queue;
mod job_runner;
mod lifecycle;
mod memory_limit;
mod server_slot;
mod server_status;

pub use connector::{ProcessConnector, ServerConnector, ServerFuture, StartRequest};
pub use job_queue::PriorityRequest;
pub(crate) use server_slot::{ServerSlot, SupervisorConfig};
pub use server_status::{ServerState, ServerStatus};
