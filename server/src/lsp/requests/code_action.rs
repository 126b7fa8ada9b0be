//! `textDocument/codeAction`: offers the commands that need a symbol, with the symbol filled in.
//!
//! The kind of these actions is `source`. Editors list such actions on request and show no light
//! bulb at every name.

use super::{RequestContext, position_lookup, run_blocking};
use crate::lsp::from_proto;
use kenning_graph::SymbolId;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, Position, Uri};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

/// The kind of both actions.
pub const KIND: CodeActionKind = CodeActionKind::SOURCE;

/// Returns the actions at the start of a range; `None` if there is no symbol.
pub async fn code_actions(
    ask: RequestContext,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    let uri = params.text_document.uri;
    let Some(document) = ask.find_document(&uri) else { return Ok(None) };
    let enabled = ask.session.folder_config(&document.folder).code_actions.enabled;
    if !enabled || !is_kind_wanted(params.context.only.as_deref()) {
        return Ok(None);
    }
    let view = document.wait_for_view().await;
    let encoding = ask.session.position_encoding();
    let start = params.range.start;
    let found = run_blocking(move || {
        let position = from_proto::text_position(start);
        let state = &view.state;
        let meant = position_lookup::resolve_position(state, &document.path, position, encoding);
        let id: SymbolId = meant
            .and_then(|meant| meant.symbols.first().copied())
            .or_else(|| position_lookup::enclosing_definition(state, &document.path, position, encoding))?;
        let symbol = state.snapshot.symbol(id)?;
        Some((symbol.hash.to_hex(), symbol.display_name(), symbol.qualified_name()))
    })
    .await?;
    let Some((id, name, qualified)) = found else { return Ok(None) };
    let commands = [
        copy_context_command(&ask, &uri, start, &id, &name, &qualified),
        show_blast_command(&ask, &uri, start, &id, &name),
    ];
    Ok(Some(commands.into_iter().map(|command| to_code_action(&ask, command)).collect()))
}

/// Whether the client wants actions of this kind: it named no kind, or one that includes it.
fn is_kind_wanted(only: Option<&[CodeActionKind]>) -> bool {
    let holds = |wanted: &CodeActionKind| {
        let (wanted, own) = (wanted.as_str(), KIND);
        wanted.is_empty() || own.as_str() == wanted || own.as_str().starts_with(&format!("{wanted}."))
    };
    only.is_none_or(|only| only.iter().any(holds))
}

fn copy_context_command(
    ask: &RequestContext,
    uri: &Uri,
    position: Position,
    id: &str,
    name: &str,
    qualified: &str,
) -> Command {
    let title = format!("Copy context for {name}");
    let task = format!("change {qualified}");
    if ask.can.runs.copy_context {
        let argument = json!({ "uri": uri, "position": position, "symbol": id, "name": name, "task": task });
        let command = "kenning.copyContext".to_owned();
        return Command { title, command, arguments: Some(vec![argument]) };
    }
    let argument = json!({
        "task": task, "textDocument": { "uri": uri }, "position": position, "format": "markdown", "show": true,
    });
    Command { title, command: "kenning.taskContext".to_owned(), arguments: Some(vec![argument]) }
}

fn show_blast_command(ask: &RequestContext, uri: &Uri, position: Position, id: &str, name: &str) -> Command {
    let title = format!("Show blast radius of {name}");
    if ask.can.runs.show_blast_radius {
        let argument = json!({ "uri": uri, "position": position, "symbol": id, "title": title });
        let command = "kenning.showBlastRadius".to_owned();
        return Command { title, command, arguments: Some(vec![argument]) };
    }
    let argument = json!({ "textDocument": { "uri": uri }, "symbol": id, "show": true });
    Command { title, command: "kenning.blastRadius".to_owned(), arguments: Some(vec![argument]) }
}

/// Converts a command to an action, or leaves it a command for clients that do not support actions.
fn to_code_action(ask: &RequestContext, command: Command) -> CodeActionOrCommand {
    if !ask.can.code_action_literals {
        return CodeActionOrCommand::Command(command);
    }
    CodeActionOrCommand::CodeAction(CodeAction {
        title: command.title.clone(),
        kind: Some(KIND),
        command: Some(command),
        ..CodeAction::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kinds_that_a_client_names_are_offered() {
        let wanted = |kind: &'static str| is_kind_wanted(Some(&[CodeActionKind::from(kind)]));
        assert!(is_kind_wanted(None) && wanted("") && wanted("source"));
        assert!(!wanted("quickfix") && !wanted("source.organizeImports") && !is_kind_wanted(Some(&[])));
    }
}
