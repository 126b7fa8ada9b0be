//! `kenning eval`: measures retrieval on a task set.

use super::args::EvalArgs;

/// Runs the benchmark.
pub fn run(_: &EvalArgs) -> anyhow::Result<()> {
    anyhow::bail!("kenning eval is not built in")
}
