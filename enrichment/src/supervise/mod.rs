//! Running servers: each started when it is needed, watched, started again when it ends, stopped when it is idle.

mod connect;
mod job;
mod life;
mod memory;
mod queue;
mod seat;
mod state;

pub use connect::{Connect, Connecting, Spawn, Start};
pub(crate) use queue::Wish;
pub(crate) use seat::{Seat, Terms};
pub use state::{ServerStatus, State};
