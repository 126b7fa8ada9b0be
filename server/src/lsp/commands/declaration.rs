//! The declaration of a command: its name, its argument and its result. Dispatch, error messages
//! and `docs/lsp-extensions.md` are derived from it.

use super::CommandCall;
use crate::lsp::arguments;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use tower_lsp::jsonrpc::Result;

/// A command of `workspace/executeCommand`. The doc comment of `Arguments` is the documentation of
/// the command.
pub trait LspCommand: 'static {
    /// The name of the command.
    const NAME: &'static str;
    /// The JSON object that the command takes.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// The result of the command.
    type Result: JsonSchema;

    /// Runs the command. Everything that depends on the order of the client's messages must happen
    /// before the first `await`.
    fn run_command(
        call: CommandCall,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Value>> + Send;
}

/// The future of a running command.
pub type CommandFuture = Pin<Box<dyn Future<Output = Result<Value>> + Send>>;

/// A command without its types, as an entry in the table of commands.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the schemas are read by the test that keeps the documentation up to date")
)]
pub struct CommandEntry {
    /// [`LspCommand::NAME`].
    pub name: &'static str,
    /// Runs the command with the arguments of the request.
    pub run: fn(CommandCall, Vec<Value>) -> CommandFuture,
    /// The schema of [`LspCommand::Arguments`].
    pub arguments: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of [`LspCommand::Result`].
    pub result: fn(&mut SchemaGenerator) -> Schema,
}

/// Returns the table entry of a command.
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
