//! `kenning note`, `kenning task` and `kenning skill`: Markdown files in the folder that
//! `knowledge.folder` names.
//!
//! A command opens the index only if its answer follows links to code, so that all other commands
//! return immediately.

use super::args::{
    EntryAddArgs, EntryLinkArgs, EntryListArgs, EntryRecallArgs, EntryShowArgs, FormatArgs, NoteArgs,
    NoteCommand, RefreshMode, SkillAddArgs, SkillArgs, SkillCommand, SymbolArgs, TaskAddArgs, TaskArgs,
    TaskCommand, TaskListArgs, TaskSetArgs,
};
use super::delivery::print_markdown;
use super::{configuration, input, target, workspace, workspace_root};
use crate::format::knowledge::{EntryJson, IncludeBody, KnowledgeJson};
use crate::format::wording::render_quantity;
use crate::knowledge::{
    CodeView, EntryDetails, EntryKind, EntryLink, KnowledgeBase, KnowledgeEntry, KnowledgeFinding,
    KnowledgeFolder, LinkFacts, LinkTarget, RecallLimits, ResolvedKnowledge, SkillDetails, TaskChange,
    TaskDetails, TaskStatus, add_link, check_date, check_link_kind, describe_target, repair_links,
    search_entries, set_task_attributes,
};
use anyhow::{Context, bail, ensure};
use kenning_graph::{Hash, Snapshot};
use kenning_indexing::workspace::Workspace;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

/// Runs a subcommand of `kenning note`.
pub fn run_note(args: &NoteArgs) -> anyhow::Result<()> {
    let kind = EntryKind::Note;
    match &args.command {
        NoteCommand::Add(args) => add_entry(kind, EntryDetails::Note, args),
        NoteCommand::List(args) => list_entries(kind, args, None),
        NoteCommand::Show(args) => show_entry(kind, args),
        NoteCommand::Link(args) => link_entry(kind, args),
        NoteCommand::Recall(args) => recall_entries(kind, args),
    }
}

/// Runs a subcommand of `kenning task`.
pub fn run_task(args: &TaskArgs) -> anyhow::Result<()> {
    let kind = EntryKind::Task;
    match &args.command {
        TaskCommand::Add(args) => add_entry(kind, new_task(args)?, &args.entry),
        TaskCommand::List(TaskListArgs { list, status }) => list_entries(kind, list, *status),
        TaskCommand::Show(args) => show_entry(kind, args),
        TaskCommand::Set(args) => change_task(args),
        TaskCommand::Link(args) => link_entry(kind, args),
        TaskCommand::Recall(args) => recall_entries(kind, args),
    }
}

/// Runs a subcommand of `kenning skill`.
pub fn run_skill(args: &SkillArgs) -> anyhow::Result<()> {
    let kind = EntryKind::Skill;
    match &args.command {
        SkillCommand::Add(args) => add_entry(kind, new_skill(args), &args.entry),
        SkillCommand::List(args) => list_entries(kind, args, None),
        SkillCommand::Show(args) => show_entry(kind, args),
        SkillCommand::Link(args) => link_entry(kind, args),
        SkillCommand::Recall(args) => recall_entries(kind, args),
    }
}

fn new_task(args: &TaskAddArgs) -> anyhow::Result<EntryDetails> {
    let due = parse_day(args.due.as_deref())?;
    let (status, priority, is_epic) = (Some(args.status), args.priority, args.epic);
    Ok(EntryDetails::Task(TaskDetails { status, priority, due, is_epic }))
}

fn new_skill(args: &SkillAddArgs) -> EntryDetails {
    EntryDetails::Skill(SkillDetails {
        description: args.description.trim().to_owned(),
        triggers: args.triggers.clone(),
        file_patterns: args.file_patterns.clone(),
        source: args.source,
    })
}

fn parse_day(day: Option<&str>) -> anyhow::Result<Option<String>> {
    day.map(check_date).transpose().map_err(anyhow::Error::msg)
}

fn open_folder(args: &SymbolArgs) -> anyhow::Result<KnowledgeFolder> {
    let root = &args.workspace.root;
    ensure!(root.is_dir(), "{} is not a folder; pass the workspace's folder with --root", root.display());
    workspace_root::report_found_root(root);
    let config = configuration::effective_config_with_warnings(root).config;
    Ok(KnowledgeFolder::open_configured(root, &config.knowledge.folder)?)
}

fn read_base(folder: &KnowledgeFolder) -> KnowledgeBase {
    folder.read_base(&|_| None)
}

/// The graph of the workspace, for links to code.
struct LinkedCode {
    workspace: Workspace,
    snapshot: Snapshot,
}

impl LinkedCode {
    fn open(args: &SymbolArgs) -> anyhow::Result<Self> {
        let mut workspace = workspace::open_reported_workspace(&args.workspace)?;
        if args.refresh.when == RefreshMode::Auto {
            workspace::refresh_index(&mut workspace)?;
        }
        workspace::rebuild_if_damaged(&mut workspace)?;
        let snapshot = workspace.current_snapshot();
        Ok(Self { workspace, snapshot })
    }

    fn with_view<T>(&self, work: impl FnOnce(&CodeView<'_>) -> T) -> T {
        let provider = self.workspace.text_source();
        let read_text = |path: &str| -> Option<Arc<str>> {
            let file = self.snapshot.file(self.snapshot.file_by_path(path)?)?;
            provider.file_text(path, &file.content_hash)
        };
        work(&CodeView::new(&self.snapshot, self.workspace.root_path(), &read_text))
    }

    fn find_hashes(&self, name: &str) -> anyhow::Result<Vec<Hash>> {
        let found = target::find_targets(&self.workspace, &self.snapshot, name)?;
        let symbols = found.symbols.iter().filter_map(|&id| self.snapshot.symbol(id));
        Ok(symbols.map(|symbol| symbol.hash).collect())
    }

    /// Builds the target of a link from the words of the user.
    fn build_target(&self, name: &str) -> anyhow::Result<(LinkTarget, LinkFacts)> {
        match target::find_targets(&self.workspace, &self.snapshot, name) {
            Ok(found) => self
                .with_view(|view| describe_target(view, &found.symbols))
                .with_context(|| format!("{name} is no longer in the index; run the command again")),
            // A file that is not indexed, such as a picture.
            Err(error) => match self.with_view(|view| view.unindexed_file(name)) {
                Some(target) => Ok((target, LinkFacts::default())),
                None => Err(error),
            },
        }
    }
}

/// Follows the links of all entries. Opens the index only if one of them leads to code.
fn resolve_links(base: KnowledgeBase, args: &SymbolArgs) -> anyhow::Result<ResolvedKnowledge> {
    if !base.has_code_links() {
        return Ok(ResolvedKnowledge::new(base, None));
    }
    let code = LinkedCode::open(args)?;
    Ok(code.with_view(|view| ResolvedKnowledge::new(base, Some(view))))
}

/// A link that the user asks for.
#[derive(Clone, Copy)]
struct LinkRequest<'a> {
    /// The symbol, file or entry, in the words of the user.
    name: &'a str,
    /// The kind of link.
    kind: &'a str,
}

/// Builds a link from the words of the user.
fn build_link(
    from: EntryKind,
    folder: &KnowledgeFolder,
    base: &KnowledgeBase,
    code: &mut Option<LinkedCode>,
    args: &SymbolArgs,
    LinkRequest { name, kind }: LinkRequest<'_>,
) -> anyhow::Result<EntryLink> {
    let named = folder.entry_of_path(name).unwrap_or_else(|| LinkTarget::parse(name));
    let (target, facts) = match named {
        LinkTarget::Entry { kind, id } => (base.find_entry(kind, &id)?.reference(), LinkFacts::default()),
        LinkTarget::Code(name) => {
            let code = match code {
                Some(code) => code,
                None => code.insert(LinkedCode::open(args)?),
            };
            code.build_target(&name)?
        }
    };
    check_link_kind(from, kind, &target).map_err(anyhow::Error::msg)?;
    Ok(EntryLink { target, kind: kind.to_owned(), facts, line: 0, index: 0 })
}

fn add_entry(kind: EntryKind, details: EntryDetails, args: &EntryAddArgs) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let title = args.title.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    ensure!(!title.is_empty(), "the title is empty; say in a few words what the {kind} is about");
    let body = match args.body.as_deref() {
        Some("-") => {
            let mut body = String::new();
            let limit = crate::knowledge::MAX_ENTRY_FILE_BYTES;
            std::io::stdin()
                .lock()
                .take(limit + 1)
                .read_to_string(&mut body)
                .context("cannot read the text from standard input")?;
            body
        }
        text => text.unwrap_or_default().to_owned(),
    };
    ensure!(
        body.len() as u64 <= crate::knowledge::MAX_ENTRY_FILE_BYTES / 2,
        "the text is longer than 512 KiB; shorten it"
    );
    let body = if body.is_empty() || body.ends_with('\n') { body } else { body + "\n" };
    let (base, mut code) = (read_base(&folder), None);
    let mut links = Vec::new();
    for name in &args.links {
        let request = LinkRequest { name, kind: "related_to" };
        links.push(build_link(kind, &folder, &base, &mut code, &args.symbols, request)?);
    }
    let tags = args.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    let entry =
        KnowledgeEntry { kind, id: String::new(), path: String::new(), title, tags, details, links, body };
    let entry = folder.add_entry(entry)?;
    let done = format!("Wrote {}.", entry.path);
    print_done(folder.root_path(), &done, &[entry], args.format)
}

fn list_entries(kind: EntryKind, args: &EntryListArgs, status: Option<TaskStatus>) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let base = read_base(&folder);
    let (knowledge, about) = match &args.about {
        None => (resolve_links(base, &args.symbols)?, None),
        Some(name) => {
            let code = LinkedCode::open(&args.symbols)?;
            let symbols = code.find_hashes(name)?;
            let knowledge = code.with_view(|view| ResolvedKnowledge::new(base, Some(view)));
            let about = knowledge.entries_about(&symbols);
            (knowledge, Some(about))
        }
    };
    let fits = |at: usize, entry: &KnowledgeEntry| {
        entry.kind == kind
            && args.tag.as_ref().is_none_or(|tag| entry.tags.contains(tag))
            && status
                .is_none_or(|status| entry.task_details().is_some_and(|task| task.status == Some(status)))
            && about.as_ref().is_none_or(|about| about.contains(&at))
    };
    let entries = knowledge.base.entries.iter().enumerate().filter(|(at, entry)| fits(*at, entry));
    let entries =
        entries.map(|(at, _)| EntryJson::from_resolved(&knowledge, at, IncludeBody::No)).collect::<Vec<_>>();
    let answer = KnowledgeJson::new(entries, &findings_of_kind(&folder, kind, &knowledge.base.findings));
    print_answer(folder.root_path(), &answer, &answer.render_list(kind.list_title()), args.format)
}

/// Returns the findings in the files of one kind of entries.
fn findings_of_kind(
    folder: &KnowledgeFolder,
    kind: EntryKind,
    findings: &[KnowledgeFinding],
) -> Vec<KnowledgeFinding> {
    let inside = format!("{}/{}", folder.folder_path(), kind.folder_name());
    let is_inside = |path: &str| path == inside || path.starts_with(&format!("{inside}/"));
    findings.iter().filter(|finding| is_inside(&finding.path)).cloned().collect()
}

fn show_entry(kind: EntryKind, args: &EntryShowArgs) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let knowledge = resolve_links(read_base(&folder), &args.symbols)?;
    let path = knowledge.base.find_entry(kind, &args.id)?.path.clone();
    let at = knowledge.base.entries.iter().position(|entry| entry.path == path);
    let entry = at.map(|at| EntryJson::from_resolved(&knowledge, at, IncludeBody::Yes));
    let findings: Vec<KnowledgeFinding> =
        knowledge.base.findings.iter().filter(|finding| finding.path == path).cloned().collect();
    let answer = KnowledgeJson::new(entry.into_iter().collect(), &findings);
    print_answer(folder.root_path(), &answer, &answer.render_whole(), args.format)
}

fn link_entry(kind: EntryKind, args: &EntryLinkArgs) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let base = read_base(&folder);
    let entry = base.find_entry(kind, &args.id)?.clone();
    let done = match &args.target {
        Some(name) => {
            let mut code = None;
            let request = LinkRequest { name, kind: &args.kind };
            let link = build_link(kind, &folder, &base, &mut code, &args.symbols, request)?;
            if add_link(&folder, &entry, &link)? {
                format!("Linked {} to {}.", entry.reference(), link.target)
            } else {
                format!("{} has this link already.", entry.reference())
            }
        }
        None => {
            let code = LinkedCode::open(&args.symbols)?;
            let moved = code.with_view(|view| {
                let knowledge = ResolvedKnowledge::new(base.clone(), Some(view));
                let at = knowledge.base.entries.iter().position(|other| other.path == entry.path);
                let states = at.map_or(&[][..], |at| &knowledge.states[at]);
                repair_links(&folder, &entry, states, view)
            })?;
            let moves: Vec<String> = moved.iter().map(|(old, new)| format!("{old} to {new}")).collect();
            match moves.as_slice() {
                [] => format!("No link of {} had to be rewritten.", entry.reference()),
                moves => format!("Rewrote {}: {}.", render_quantity(moves.len(), "link"), moves.join(", ")),
            }
        }
    };
    print_changed(&folder, &entry, &done, args.format)
}

fn change_task(args: &TaskSetArgs) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let base = read_base(&folder);
    let entry = base.find_entry(EntryKind::Task, &args.id)?;
    let due = parse_day(args.due.as_deref())?;
    let change = TaskChange { status: args.status, priority: args.priority, due };
    let done = if set_task_attributes(&folder, entry, &change)? {
        format!("Changed {}.", entry.path)
    } else {
        format!("{} has these values already.", entry.path)
    };
    print_changed(&folder, entry, &done, args.format)
}

fn recall_entries(kind: EntryKind, args: &EntryRecallArgs) -> anyhow::Result<()> {
    let folder = open_folder(&args.symbols)?;
    let text = input::read_task(&args.text)?;
    let mut base = read_base(&folder);
    base.entries.retain(|entry| entry.kind == kind);
    let limits = RecallLimits { max_entries: args.limit, ..RecallLimits::default() };
    let found = search_entries(&text, &base.entries, limits);
    let body = if args.full { IncludeBody::Yes } else { IncludeBody::No };
    let entries = found.iter().map(|found| EntryJson::from_recalled(found, body)).collect();
    let answer = KnowledgeJson::new(entries, &findings_of_kind(&folder, kind, &base.findings));
    let text = if args.full && !found.is_empty() {
        answer.render_whole()
    } else {
        answer.render_list(kind.list_title())
    };
    print_answer(folder.root_path(), &answer, &text, args.format)
}

/// Prints the change to an entry, and the entry as its file now contains it.
fn print_changed(
    folder: &KnowledgeFolder,
    entry: &KnowledgeEntry,
    done: &str,
    format: FormatArgs,
) -> anyhow::Result<()> {
    let mut base = read_base(folder);
    base.entries.retain(|other| other.path == entry.path);
    if base.entries.is_empty() {
        bail!("{} was removed in the meantime", entry.path);
    }
    print_done(folder.root_path(), done, &base.entries, format)
}

fn print_done(root: &Path, done: &str, entries: &[KnowledgeEntry], format: FormatArgs) -> anyhow::Result<()> {
    let entries = entries.iter().map(|entry| EntryJson::from_entry(entry, IncludeBody::No)).collect();
    let answer = KnowledgeJson { done: Some(done.to_owned()), ..KnowledgeJson::new(entries, &[]) };
    print_answer(root, &answer, &format!("{done}\n"), format)
}

fn print_answer(
    root: &Path,
    answer: &KnowledgeJson,
    markdown: &str,
    format: FormatArgs,
) -> anyhow::Result<()> {
    print_markdown(root, format, answer, || markdown.to_owned())
}
