//! Tests of the whole program: its commands, and language servers that it runs as an editor would.
//!
//! One executable, because linking one for each file would take longer than the tests run. Each file
//! tests one area; `support` holds the workspaces and the client that they share. A test starts its
//! own processes and writes only in its own folder, so that all of them can run at the same time.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod agents;
mod cache;
mod command_line;
mod commands;
mod configuration;
mod crash;
mod damage;
mod documents;
mod documents_and_code;
mod edits;
mod enrichment;
mod eval;
mod failures;
mod features;
mod formats;
mod knowledge;
mod learning;
mod mcp;
mod mcp_http;
mod monorepo;
mod pending_history;
mod printed_text;
mod ranking_choice;
mod removed;
mod search;
mod server_processes;
mod session;
mod stdio;
mod support;
mod terminal;
mod tests_to_run;
mod validation;
mod vectors;
