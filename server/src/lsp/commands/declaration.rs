//! What a command declares: its name, its argument and its result, each once; dispatch, error messages and
//! `docs/lsp-extensions.md` come from here.

use super::CommandCall;
use crate::lsp::arguments;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use tower_lsp::jsonrpc::Result;

/// A command of `workspace/executeCommand`. The documentation of `Arguments` says what the command does.
pub trait LspCommand: 'static {
    /// The name that clients use.
    const NAME: &'static str;
    /// The one JSON object that it takes.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// What it returns.
    type Result: JsonSchema;

    /// Runs the command. What must be ordered after the client's earlier messages happens before the first `await`.
    fn run_command(
        call: CommandCall,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Value>> + Send;
}

/// A running command.
pub type CommandFuture = Pin<Box<dyn Future<Output = Result<Value>> + Send>>;

/// A command without its types, as the table of commands holds it.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the schemas are read by the test that keeps the documentation true")
)]
pub struct CommandEntry {
    /// [`LspCommand::NAME`].
    pub name: &'static str,
    /// Runs it with the arguments of the request.
    pub run: fn(CommandCall, Vec<Value>) -> CommandFuture,
    /// The schema of [`LspCommand::Arguments`].
    pub arguments: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of [`LspCommand::Result`].
    pub result: fn(&mut SchemaGenerator) -> Schema,
}

/// The table's entry for a command.
pub const fn command_entry<C: LspCommand>() -> CommandEntry {
    CommandEntry {
        name: C::NAME,
        run: |call, values| {
            Box::pin(async move { C::run_command(call, arguments::parse_arguments(C::NAME, values)?).await })
        },
        arguments: SchemaGenerator::subschema_for::<C::Arguments>,
        result: SchemaGenerator::subschema_for::<C::Result>,
    }
}
