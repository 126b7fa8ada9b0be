//! Running servers: each started when it is needed, watched, started again when it ends, stopped when it is idle.

mod connector;
mod job_queue;
mod job_runner;
mod lifecycle;
mod memory_limit;
mod server_slot;
mod server_status;

pub use connector::{ProcessConnector, ServerConnector, ServerFuture, StartRequest};
pub(crate) use job_queue::PriorityRequest;
pub(crate) use server_slot::{ServerSlot, SupervisorConfig};
pub use server_status::{ServerState, ServerStatus};
