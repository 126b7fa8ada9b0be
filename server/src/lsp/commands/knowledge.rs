//! `kenning.knowledge`: lists, finds, writes and links notes, tasks and skills.
//!
//! An operation that writes changes the files themselves. It refuses to write a file that is open
//! with unsaved changes, because the editor would report a conflict.

use super::target::CommandTarget;
use super::{
    CommandCall, LspCommand, Position, TextDocument, ensure_usable, folder_for_document, request_sequence,
    run_blocking, to_json_value,
};
use crate::format::OutputFormat;
use crate::format::json;
use crate::format::knowledge::{EntryJson, IncludeBody, KnowledgeJson};
use crate::knowledge::{
    CodeView, EntryDetails, EntryKind, EntryLink, KnowledgeEntry, KnowledgeError, KnowledgeFolder, LinkFacts,
    LinkTarget, RecallLimits, ResolvedKnowledge, SkillDetails, SkillSource, TaskChange, TaskDetails,
    TaskPriority, TaskStatus, add_link, check_date, check_link_kind, describe_target, repair_links,
    search_entries, set_task_attributes,
};
use crate::lsp::folder_documents::FolderDocuments;
use crate::lsp::to_proto;
use crate::session::{FolderChange, FolderState, ServedFolder};
use kenning_graph::positions::PositionEncoding;
use kenning_graph::{Hash, SymbolId};
use kenning_indexing::named_file::{LinkRule, read_text};
use lsp_types::Uri;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};

/// Lists, finds, writes and links notes, tasks and skills: Markdown files in the folder that the
/// option `knowledge.folder` names. An operation that changes a file answers with the entry as it is
/// now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeArguments {
    /// The operation: `list` all entries or the entries of `kind`, `tag` or `status`; `about` lists
    /// the entries that are linked to a symbol; `show` one entry with its body; `add` an entry;
    /// `link` an entry; `repair` its links; `set` attributes of a task; `recall` the entries that
    /// `text` is about.
    op: KnowledgeOperation,
    /// The kind of entry: needed to `show`, `add`, `link`, `repair`; limits the other operations.
    kind: Option<EntryKind>,
    /// The id of the entry: the name of its file without `.md`.
    id: Option<String>,
    /// The symbol for `about`, to link for `link` and `add`: `Class.method`, `path::Class.method`,
    /// an id, or the path of a file. A position can replace it.
    symbol: Option<String>,
    /// The document of `position`, or one that selects the folder.
    text_document: Option<TextDocument>,
    /// A position in the document.
    position: Option<Position>,
    /// Another entry to link, as `note:ID`, `task:ID` or `skill:ID`.
    entry: Option<String>,
    /// The meaning of the link. Defaults to `related_to`.
    link_kind: Option<String>,
    /// The title of a new entry.
    title: Option<String>,
    /// The Markdown below the front matter of a new entry.
    body: Option<String>,
    /// The tags of a new entry.
    tags: Option<Vec<String>>,
    /// Lists only entries with this tag.
    tag: Option<String>,
    /// The new status of a task, or the status of the listed tasks.
    status: Option<TaskStatus>,
    /// The new priority of a task.
    priority: Option<TaskPriority>,
    /// The new due date of a task, as `YYYY-MM-DD`.
    due: Option<String>,
    /// Makes a new task an epic.
    epic: Option<bool>,
    /// The purpose of a new skill.
    description: Option<String>,
    /// Phrases that recall a new skill.
    triggers: Option<Vec<String>>,
    /// Patterns of the files that a new skill is about.
    file_patterns: Option<Vec<String>>,
    /// The source of a new skill.
    source: Option<SkillSource>,
    /// The text for `recall`.
    text: Option<String>,
    /// Maximum number of entries that `recall` finds. Defaults to 5.
    limit: Option<usize>,
    /// Adds the answer in this format, as `text`.
    format: Option<OutputFormat>,
    /// Makes the server show the answer itself, for clients that can only send commands.
    #[expect(dead_code, reason = "the dispatch of commands reads it")]
    show: Option<bool>,
}

/// An operation of `kenning.knowledge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KnowledgeOperation {
    /// Lists entries.
    List,
    /// Lists the entries that are linked to a symbol.
    About,
    /// Returns one entry with its body.
    Show,
    /// Writes a new entry.
    Add,
    /// Links an entry.
    Link,
    /// Rewrites the links of an entry whose targets moved.
    Repair,
    /// Changes attributes of a task.
    Set,
    /// Finds the entries that a text is about.
    Recall,
}

/// The command `kenning.knowledge`; see [`KnowledgeArguments`].
pub struct UseKnowledge;

impl LspCommand for UseKnowledge {
    const NAME: &'static str = "kenning.knowledge";
    type Arguments = KnowledgeArguments;
    type Result = KnowledgeJson;

    async fn run_command(call: CommandCall, mut arguments: KnowledgeArguments) -> Result<Value> {
        let document = arguments.text_document.as_ref();
        let target = match (arguments.symbol.take(), arguments.position) {
            (None, None) => None,
            (symbol, position) => Some(CommandTarget::new(&call.session, symbol, document, position)?),
        };
        let (folder, target) = match target {
            Some((folder, target)) => (folder, Some(target)),
            None => (folder_for_document(&call.session, document)?, None),
        };
        let config = call.session.folder_config(&folder);
        let arrival = request_sequence(&call.session, &folder);
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        let encoding = call.session.position_encoding();
        run_blocking(move || {
            let opened = KnowledgeFolder::open_configured(folder.root_path(), &config.knowledge.folder)
                .map_err(|error| knowledge_error(&error))?;
            let state = &view.state;
            let knowledge = folder.knowledge_cache().read_current(&opened, folder.root_path(), state);
            let operation = RunningOperation {
                folder: &folder,
                opened,
                state,
                knowledge,
                target,
                arguments: &arguments,
                encoding,
            };
            let (mut answer, title) = operation.run_operation()?;
            for entry in &mut answer.entries {
                let uri = Uri::from_file_path(folder.root_path().join(&entry.path));
                entry.uri = uri.map(|uri| uri.as_str().to_owned());
            }
            answer.text = match arguments.format {
                None => None,
                Some(OutputFormat::Markdown) if arguments.op == KnowledgeOperation::Show => {
                    Some(answer.render_whole())
                }
                Some(OutputFormat::Markdown) => Some(answer.render_list(&title)),
                Some(OutputFormat::Json) => Some(
                    json::render_json(&answer)
                        .map_err(|error| to_proto::internal_error(error.to_string()))?,
                ),
            };
            to_json_value(&answer)
        })
        .await
    }
}

/// Converts an error. A message about an argument starts with the name of the argument.
fn knowledge_error(error: &KnowledgeError) -> Error {
    match error {
        KnowledgeError::UnknownEntry { .. } => Error::invalid_params(format!("id: {error}")),
        _ => to_proto::request_failed(error.to_string()),
    }
}

fn missing_argument(field: &str, expected: &str) -> Error {
    Error::invalid_params(format!("{field}: missing; pass {expected}"))
}

/// An operation with its inputs.
struct RunningOperation<'a> {
    folder: &'a ServedFolder,
    opened: KnowledgeFolder,
    state: &'a FolderState,
    knowledge: Arc<ResolvedKnowledge>,
    target: Option<CommandTarget>,
    arguments: &'a KnowledgeArguments,
    encoding: PositionEncoding,
}

impl RunningOperation<'_> {
    /// Runs the operation. Returns its answer and the title for a list.
    fn run_operation(&self) -> Result<(KnowledgeJson, String)> {
        let title = self.arguments.kind.map_or("Notes, tasks and skills", EntryKind::list_title).to_owned();
        match self.arguments.op {
            KnowledgeOperation::List => Ok((self.list_where(|_| true), title)),
            KnowledgeOperation::About => {
                let symbols = self
                    .target_symbols()?
                    .ok_or_else(|| missing_argument("symbol", "a symbol or a position"))?;
                let hashes: Vec<Hash> = symbols
                    .iter()
                    .filter_map(|&id| self.state.snapshot.symbol(id))
                    .map(|symbol| symbol.hash)
                    .collect();
                let about = self.knowledge.entries_about(&hashes);
                let name = symbols
                    .first()
                    .and_then(|&id| self.state.snapshot.symbol(id))
                    .map(|symbol| symbol.display_name());
                let title = format!("{title} about {}", name.unwrap_or_default());
                Ok((self.list_where(|at| about.contains(&at)), title))
            }
            KnowledgeOperation::Show => {
                let entry = self.named_entry()?;
                Ok((self.describe_entries(IncludeBody::Yes, |_, other| other.path == entry.path), title))
            }
            KnowledgeOperation::Add => Ok((self.add_entry()?, title)),
            KnowledgeOperation::Link => {
                let entry = self.writable_entry()?;
                let link = self.new_link(entry.kind)?;
                let link = link
                    .ok_or_else(|| missing_argument("symbol", "a symbol, a position or an entry to link"))?;
                let is_new = add_link(&self.opened, entry, &link).map_err(|error| knowledge_error(&error))?;
                let done = if is_new {
                    format!("Linked to {}.", link.target)
                } else {
                    "The link exists already.".to_owned()
                };
                Ok((self.describe_change(entry, done), title))
            }
            KnowledgeOperation::Repair => {
                let entry = self.writable_entry()?;
                let at = self.knowledge.base.entries.iter().position(|other| other.path == entry.path);
                let states = at.map_or(&[][..], |at| &self.knowledge.states[at]);
                let moved = self.with_view(|view| repair_links(&self.opened, entry, states, view));
                let moved = moved.map_err(|error| knowledge_error(&error))?;
                let moves: Vec<String> = moved.iter().map(|(old, new)| format!("{old} to {new}")).collect();
                let done = match moves.as_slice() {
                    [] => "No link had to be rewritten.".to_owned(),
                    moves => format!("Rewrote {}.", moves.join(", ")),
                };
                Ok((self.describe_change(entry, done), title))
            }
            KnowledgeOperation::Set => Ok((self.change_task()?, title)),
            KnowledgeOperation::Recall => Ok((self.recall_entries()?, title)),
        }
    }

    /// Returns the symbols that the arguments name; `None` if they name none.
    fn target_symbols(&self) -> Result<Option<Vec<SymbolId>>> {
        let Some(target) = &self.target else { return Ok(None) };
        let documents = FolderDocuments::new(self.folder.root_path(), self.state, self.encoding);
        Ok(Some(target.find_symbols(self.state, &documents)?.symbols))
    }

    /// Calls `work` with a view of the folder's code.
    fn with_view<T>(&self, work: impl FnOnce(&CodeView<'_>) -> T) -> T {
        let read_text = |path: &str| self.state.source_file(path).map(|source| source.text);
        work(&CodeView::new(&self.state.snapshot, self.folder.root_path(), &read_text))
    }

    /// Returns the entry that the arguments name.
    fn named_entry(&self) -> Result<&KnowledgeEntry> {
        let kind = match self.arguments.op {
            KnowledgeOperation::Set => EntryKind::Task,
            _ => self.arguments.kind.ok_or_else(|| missing_argument("kind", "note, task or skill"))?,
        };
        let id = self
            .arguments
            .id
            .as_ref()
            .ok_or_else(|| missing_argument("id", "the name of a file without .md"))?;
        self.knowledge.base.find_entry(kind, id).map_err(|error| knowledge_error(&error))
    }

    /// Returns the entry that the arguments name, for a change of its file.
    ///
    /// # Errors
    /// Returns an error if the file is open with unsaved changes.
    fn writable_entry(&self) -> Result<&KnowledgeEntry> {
        let entry = self.named_entry()?;
        let file = self.folder.root_path().join(&entry.path);
        let is_unsaved = self.state.open_file(&entry.path).is_some_and(|open| {
            let saved = read_text(
                &file,
                crate::knowledge::MAX_ENTRY_FILE_BYTES,
                LinkRule::Inside(self.folder.root_path()),
            );
            saved.ok().flatten().is_none_or(|saved| *saved != *open.text)
        });
        if is_unsaved {
            return Err(to_proto::request_failed(format!(
                "{} has unsaved changes; save it and try again",
                entry.path
            )));
        }
        Ok(entry)
    }

    /// Builds the link to the symbol or entry that the arguments name; `None` if they name none.
    fn new_link(&self, from: EntryKind) -> Result<Option<EntryLink>> {
        let (target, facts) = match &self.arguments.entry {
            Some(name) => match LinkTarget::parse(name) {
                LinkTarget::Entry { kind, id } => {
                    let entry = self.knowledge.base.find_entry(kind, &id);
                    (
                        entry.map_err(|error| Error::invalid_params(format!("entry: {error}")))?.reference(),
                        LinkFacts::default(),
                    )
                }
                LinkTarget::Code(_) => {
                    let message =
                        format!("entry: {name:?} is not an entry; write note:ID, task:ID or skill:ID");
                    return Err(Error::invalid_params(message));
                }
            },
            None => {
                let Some(symbols) = self.target_symbols()? else { return Ok(None) };
                let described = self.with_view(|view| describe_target(view, &symbols));
                described.ok_or_else(|| to_proto::request_failed("the symbol is no longer in the index"))?
            }
        };
        let kind = self.arguments.link_kind.clone().unwrap_or_else(|| "related_to".to_owned());
        let problem = |message| Error::invalid_params(format!("linkKind: {message}"));
        check_link_kind(from, &kind, &target).map_err(problem)?;
        Ok(Some(EntryLink { target, kind, facts, line: 0, index: 0 }))
    }

    fn parse_day(&self) -> Result<Option<String>> {
        let day = self.arguments.due.as_deref().map(check_date).transpose();
        day.map_err(|message| Error::invalid_params(format!("due: {message}")))
    }

    fn add_entry(&self) -> Result<KnowledgeJson> {
        let arguments = self.arguments;
        let kind = arguments.kind.ok_or_else(|| missing_argument("kind", "note, task or skill"))?;
        let title = arguments.title.as_deref().unwrap_or_default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(missing_argument("title", "a few words about the entry"));
        }
        let details = match kind {
            EntryKind::Note => EntryDetails::Note,
            EntryKind::Task => EntryDetails::Task(TaskDetails {
                status: Some(arguments.status.unwrap_or_default()),
                priority: arguments.priority,
                due: self.parse_day()?,
                is_epic: arguments.epic.unwrap_or_default(),
            }),
            EntryKind::Skill => EntryDetails::Skill(SkillDetails {
                description: arguments.description.as_deref().unwrap_or_default().trim().to_owned(),
                triggers: arguments.triggers.clone().unwrap_or_default(),
                file_patterns: arguments.file_patterns.clone().unwrap_or_default(),
                source: arguments.source.unwrap_or_default(),
            }),
        };
        let mut body = arguments.body.clone().unwrap_or_default();
        if body.len() as u64 > crate::knowledge::MAX_ENTRY_FILE_BYTES / 2 {
            return Err(Error::invalid_params("body: it is longer than 512 KiB; shorten it"));
        }
        if !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        let links = self.new_link(kind)?.into_iter().collect();
        let tags = arguments.tags.clone().unwrap_or_default();
        let entry = KnowledgeEntry {
            kind,
            id: String::new(),
            path: String::new(),
            title,
            tags,
            details,
            links,
            body,
        };
        let entry = self.opened.add_entry(entry).map_err(|error| knowledge_error(&error))?;
        let done = format!("Wrote {}.", entry.path);
        Ok(self.describe_change(&entry, done))
    }

    fn change_task(&self) -> Result<KnowledgeJson> {
        let entry = self.writable_entry()?;
        let (status, priority, due) = (self.arguments.status, self.arguments.priority, self.parse_day()?);
        if status.is_none() && priority.is_none() && due.is_none() {
            return Err(missing_argument("status", "a status, a priority or a day"));
        }
        let is_changed = set_task_attributes(&self.opened, entry, &TaskChange { status, priority, due });
        let is_changed = is_changed.map_err(|error| knowledge_error(&error))?;
        let done = if is_changed {
            format!("Changed {}.", entry.path)
        } else {
            "It has these values already.".to_owned()
        };
        Ok(self.describe_change(entry, done))
    }

    fn recall_entries(&self) -> Result<KnowledgeJson> {
        let text = self.arguments.text.as_deref().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| missing_argument("text", "what you are about to do, in words"))?;
        let of_kind = |entry: &&KnowledgeEntry| self.arguments.kind.is_none_or(|kind| kind == entry.kind);
        let entries: Vec<KnowledgeEntry> =
            self.knowledge.base.entries.iter().filter(of_kind).cloned().collect();
        let limits = RecallLimits {
            max_entries: self.arguments.limit.unwrap_or(RecallLimits::default().max_entries),
            ..RecallLimits::default()
        };
        let found = search_entries(text, &entries, limits);
        let entries = found.iter().map(|found| EntryJson::from_recalled(found, IncludeBody::Yes)).collect();
        Ok(KnowledgeJson::new(entries, &[]))
    }

    /// Returns the entries that fit the arguments and whose positions `fits` accepts.
    fn list_where(&self, fits: impl Fn(usize) -> bool) -> KnowledgeJson {
        let KnowledgeArguments { kind, tag, status, .. } = self.arguments;
        self.describe_entries(IncludeBody::No, |at, entry| {
            fits(at)
                && kind.is_none_or(|kind| kind == entry.kind)
                && tag.as_ref().is_none_or(|tag| entry.tags.contains(tag))
                && status
                    .is_none_or(|status| entry.task_details().is_some_and(|task| task.status == Some(status)))
        })
    }

    fn describe_entries(
        &self,
        body: IncludeBody,
        fits: impl Fn(usize, &KnowledgeEntry) -> bool,
    ) -> KnowledgeJson {
        let entries = self.knowledge.base.entries.iter().enumerate().filter(|(at, entry)| fits(*at, entry));
        let entries = entries.map(|(at, _)| EntryJson::from_resolved(&self.knowledge, at, body)).collect();
        KnowledgeJson::new(entries, &self.knowledge.base.findings)
    }

    /// Describes an entry whose file was written, and requests a refresh of the file.
    fn describe_change(&self, entry: &KnowledgeEntry, done: String) -> KnowledgeJson {
        self.folder.push_change(FolderChange::Refresh { path: Some(entry.path.clone()) });
        let base = self.opened.read_base(&|_| None);
        let knowledge = self.with_view(|view| ResolvedKnowledge::new(base, Some(view)));
        let at = knowledge.base.entries.iter().position(|other| other.path == entry.path);
        let entry = at.map(|at| EntryJson::from_resolved(&knowledge, at, IncludeBody::No));
        KnowledgeJson { done: Some(done), ..KnowledgeJson::new(entry.into_iter().collect(), &[]) }
    }
}
