//! `textDocument/codeAction`: offers the commands that need a symbol, with the symbol filled in.
//!
//! The actions have a kind of their own. VS Code leaves out actions of kind `source` from the menu
//! of <kbd>Ctrl</kbd>+<kbd>.</kbd>, and lists those of unknown kinds. An editor that asks on its
//! own, to decide whether it shows a light bulb, gets none, because every name would have one.

use super::{RequestContext, position_lookup, run_blocking};
use crate::lsp::from_proto;
use kenning_graph::SymbolId;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionTriggerKind, Command,
    Position, Uri,
};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

/// The kind of both actions.
pub const KIND: CodeActionKind = CodeActionKind::new("kenning");

/// The symbol that the actions are about, and the position that they were requested at.
struct ActionTarget {
    uri: Uri,
    position: Position,
    id: String,
    name: String,
    qualified_name: String,
}

/// Returns the actions at the start of a range; `None` if there is no symbol.
pub async fn code_actions(
    context: RequestContext,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    let uri = params.text_document.uri;
    let Some(document) = context.find_document(&uri) else { return Ok(None) };
    let enabled = context.session.folder_config(&document.folder).code_actions.enabled;
    let is_automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC);
    if !enabled || is_automatic || !is_kind_requested(params.context.only.as_deref()) {
        return Ok(None);
    }
    let view = document.wait_for_view().await;
    let encoding = context.session.position_encoding();
    let start = params.range.start;
    let target = run_blocking(move || {
        let position = from_proto::text_position(start);
        let state = &view.state;
        let resolved = position_lookup::resolve_position(state, &document.path, position, encoding);
        let id: SymbolId = resolved
            .and_then(|resolved| resolved.symbols.first().copied())
            .or_else(|| position_lookup::enclosing_definition(state, &document.path, position, encoding))?;
        let symbol = state.snapshot.symbol(id)?;
        Some(ActionTarget {
            uri,
            position: start,
            id: symbol.hash.to_hex(),
            name: symbol.display_name(),
            qualified_name: symbol.qualified_name(),
        })
    })
    .await?;
    let Some(target) = target else { return Ok(None) };
    let commands = [copy_context_command(&context, &target), show_blast_command(&context, &target)];
    Ok(Some(commands.into_iter().map(|command| to_code_action(&context, command)).collect()))
}

/// Whether the client requested actions of kind [`KIND`]: it named no kind, or one that includes
/// it.
fn is_kind_requested(only: Option<&[CodeActionKind]>) -> bool {
    let includes_kind = |requested: &CodeActionKind| {
        let (requested, kind) = (requested.as_str(), KIND);
        requested.is_empty()
            || kind.as_str() == requested
            || kind.as_str().starts_with(&format!("{requested}."))
    };
    only.is_none_or(|only| only.iter().any(includes_kind))
}

fn copy_context_command(context: &RequestContext, target: &ActionTarget) -> Command {
    let ActionTarget { uri, position, id, name, qualified_name } = target;
    let title = format!("Copy context for {name}");
    let task = format!("change {qualified_name}");
    if context.capabilities.commands.copy_context {
        let argument = json!({ "uri": uri, "position": position, "symbol": id, "name": name, "task": task });
        let command = "kenning.copyContext".to_owned();
        return Command { title, command, arguments: Some(vec![argument]) };
    }
    let argument = json!({
        "task": task, "textDocument": { "uri": uri }, "position": position, "format": "markdown", "show": true,
    });
    Command { title, command: "kenning.taskContext".to_owned(), arguments: Some(vec![argument]) }
}

fn show_blast_command(context: &RequestContext, target: &ActionTarget) -> Command {
    let ActionTarget { uri, position, id, name, .. } = target;
    let title = format!("Show blast radius of {name}");
    if context.capabilities.commands.show_blast_radius {
        let argument = json!({ "uri": uri, "position": position, "symbol": id, "title": title });
        let command = "kenning.showBlastRadius".to_owned();
        return Command { title, command, arguments: Some(vec![argument]) };
    }
    let argument = json!({ "textDocument": { "uri": uri }, "symbol": id, "show": true });
    Command { title, command: "kenning.blastRadius".to_owned(), arguments: Some(vec![argument]) }
}

/// Converts a command to an action, or leaves it a command for clients that do not support actions.
fn to_code_action(context: &RequestContext, command: Command) -> CodeActionOrCommand {
    if !context.capabilities.code_action_literals {
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
    fn actions_are_offered_only_for_requested_kinds() {
        let requested = |kind: &'static str| is_kind_requested(Some(&[CodeActionKind::from(kind)]));
        assert!(is_kind_requested(None) && requested("") && requested("kenning"));
        assert!(!requested("quickfix") && !requested("source") && !is_kind_requested(Some(&[])));
    }
}
