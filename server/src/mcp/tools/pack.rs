//! `pack`: the code for a task, for files or for a change.

use super::AgentTool;
use crate::format::answer_pages::DEFAULT_BUDGET;
use crate::format::wording::render_quantity;
use crate::mcp::tool_call::{ToolAnswer, ToolCall, ToolFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::num::NonZeroUsize;

/// The arguments of `pack`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PackCall {
    /// The task in words: the user's request, an issue, an error message, a stack trace.
    task: Option<String>,
    /// The starting point. Defaults to `task`.
    #[serde(default)]
    op: ContextSubject,
    /// For `op` `files`: paths relative to the workspace.
    files: Option<Vec<String>>,
    /// For `op` `change`: the revision to compare with. Defaults to the default branch.
    base: Option<String>,
    /// Maximum size of the answer in tokens. Defaults to 4,000.
    budget: Option<NonZeroUsize>,
    /// The pack_root of an earlier answer to this task: the answer is its next page.
    continue_from: Option<String>,
    /// The pack_root of an earlier answer that you still have: the answer is the difference.
    pack_root: Option<String>,
    /// Your judgment of an earlier answer, which is recorded first.
    feedback: Option<PackFeedback>,
}

/// The starting point of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ContextSubject {
    /// The words of `task`.
    #[default]
    Task,
    /// The files of `files`.
    Files,
    /// The difference between `base` and the working tree.
    Change,
}

/// The judgment of symbols of an earlier pack.
#[derive(Debug, Deserialize, JsonSchema)]
struct PackFeedback {
    /// The pack_root of the earlier answer.
    pack_root: String,
    /// Symbols that the task needed.
    #[serde(default)]
    useful: Vec<String>,
    /// Symbols that it did not need.
    #[serde(default)]
    not_useful: Vec<String>,
}

/// The tool `pack`.
pub struct PackTool;

impl AgentTool for PackTool {
    const NAME: &'static str = "pack";
    const OLD_NAMES: &'static [&'static str] = &["task_context", "context"];
    type Arguments = PackCall;

    async fn answer_call(call: ToolCall, arguments: PackCall) -> Result<ToolAnswer, ToolFailure> {
        let (command, mut fields) = select_command(&call, &arguments)?;
        let earlier = find_earlier_symbols(&call, &arguments)?;
        fields["text"] = json!(true);
        // Several agents may share the server, and none has seen the answers to the others.
        fields["ignoreShown"] = json!(true);
        fields["budget"] = json!(arguments.budget.map_or(DEFAULT_BUDGET, NonZeroUsize::get));
        fields["packRoot"] = json!(arguments.pack_root);
        if !earlier.is_empty() {
            fields["excluded"] = json!(earlier);
        }
        let freshness = call.wait_for_index().await?;
        let recorded = record_feedback(&call, arguments.feedback).await?;
        let data = call.link.run_command(command, fields).await?;
        let mut answer = ToolAnswer::from_command(data, &freshness)?;
        if let Some(line) = describe_pages(&call, &answer.data, &earlier) {
            answer.add_note(&line);
        }
        if recorded > 0 {
            answer.add_note(&format!("Recorded the feedback on {}.", render_quantity(recorded, "symbol")));
        }
        Ok(answer)
    }
}

/// Returns the command of the session that answers, with the arguments that name its subject.
fn select_command(call: &ToolCall, arguments: &PackCall) -> Result<(&'static str, Value), ToolFailure> {
    let bad = |text: &str| Err(ToolFailure::BadArguments(text.to_owned()));
    match (arguments.op, &arguments.task, &arguments.files) {
        (ContextSubject::Task, Some(task), _) => Ok(("kenning.taskContext", json!({ "task": task }))),
        (ContextSubject::Task, None, _) => {
            bad("task: missing; say in words what you want to do, or use op files or op change")
        }
        (ContextSubject::Files, _, Some(files)) => {
            Ok(("kenning.fileContext", json!({ "uris": call.file_uris(files)? })))
        }
        (ContextSubject::Files, _, None) => bad("files: missing; list paths relative to the workspace"),
        (ContextSubject::Change, ..) => Ok(("kenning.changeContext", json!({ "base": arguments.base }))),
    }
}

/// Returns the symbols of the pages before the requested one; none for the first.
fn find_earlier_symbols(call: &ToolCall, arguments: &PackCall) -> Result<Vec<String>, ToolFailure> {
    let Some(root) = &arguments.continue_from else { return Ok(Vec::new()) };
    if arguments.op != ContextSubject::Task {
        let reason = "continue_from: only a task has further pages; ask with a larger budget instead";
        return Err(ToolFailure::BadArguments(reason.to_owned()));
    }
    call.pages.find_shown(root).ok_or_else(|| {
        let problem =
            format!("continue_from: pack {root} is not known (any more); ask without continue_from");
        ToolFailure::BadArguments(problem)
    })
}

/// Records the judgment of symbols, and returns their number.
async fn record_feedback(call: &ToolCall, feedback: Option<PackFeedback>) -> Result<usize, ToolFailure> {
    let Some(PackFeedback { pack_root, useful, not_useful }) = feedback else { return Ok(0) };
    let judged = useful.iter().map(|symbol| (symbol, true));
    let judged: Vec<_> = judged.chain(not_useful.iter().map(|symbol| (symbol, false))).collect();
    for (symbol, useful) in &judged {
        let fields = json!({ "packRoot": pack_root, "symbol": symbol, "useful": useful });
        call.link.run_command("kenning.feedback", fields).await?;
    }
    Ok(judged.len())
}

/// Remembers a pack. Returns a line that names its root and the next page; `None` if the answer has
/// no root.
fn describe_pages(call: &ToolCall, data: &Value, earlier: &[String]) -> Option<String> {
    let root = data["pack_root"].as_str()?;
    let next = format!("pack_root {root}.");
    // A difference, or the note that nothing changed, is not a page.
    let Some(symbols) = data["symbols"].as_array() else { return Some(next) };
    let ids = symbols.iter().filter_map(|symbol| symbol["id"].as_str()).map(str::to_owned);
    call.pages.record_page(root, earlier, ids.collect());
    let counts = data["omitted_counts"].as_object().into_iter().flatten();
    let omitted: u64 = counts.filter_map(|(_, count)| count.as_u64()).sum();
    match omitted {
        0 => Some(next),
        omitted => Some(format!(
            "{next} {omitted} further candidates: continue_from=\"{root}\" shows the next page."
        )),
    }
}
