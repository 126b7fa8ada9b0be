//! The arguments of `kenning note`, `kenning task` and `kenning skill`.

use super::{FormatArgs, SymbolArgs};
use crate::knowledge::{SkillSource, TaskPriority, TaskStatus};
use clap::{Args, Subcommand};

/// The arguments of `kenning note`.
#[derive(Debug, Args)]
pub struct NoteArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: NoteCommand,
}

/// The subcommands of `kenning note`.
#[derive(Debug, Subcommand)]
pub enum NoteCommand {
    /// Write a new note
    Add(EntryAddArgs),
    /// List the notes
    List(EntryListArgs),
    /// Print a note with its links
    Show(EntryShowArgs),
    /// Link a note to a symbol, a file or another entry, or repair its links
    Link(EntryLinkArgs),
    /// Find the notes that a text is about
    Recall(EntryRecallArgs),
}

/// The arguments of `kenning task`.
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: TaskCommand,
}

/// The subcommands of `kenning task`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Write a new task
    Add(TaskAddArgs),
    /// List the tasks
    List(TaskListArgs),
    /// Print a task with its links
    Show(EntryShowArgs),
    /// Change the status, the priority or the due date of a task
    Set(TaskSetArgs),
    /// Link a task to a symbol, a file or another entry, or repair its links
    Link(EntryLinkArgs),
    /// Find the tasks that a text is about
    Recall(EntryRecallArgs),
}

/// The arguments of `kenning skill`.
#[derive(Debug, Args)]
pub struct SkillArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: SkillCommand,
}

/// The subcommands of `kenning skill`.
#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// Write a new skill
    Add(SkillAddArgs),
    /// List the skills
    List(EntryListArgs),
    /// Print a skill with its steps
    Show(EntryShowArgs),
    /// Link a skill to a symbol, a file or another entry, or repair its links
    Link(EntryLinkArgs),
    /// Find the skills that help with a text
    Recall(EntryRecallArgs),
}

/// The attributes of every new entry.
#[derive(Debug, Args)]
pub struct EntryAddArgs {
    /// The title in words, from which the id is derived
    #[arg(required = true, value_name = "TITLE")]
    pub title: Vec<String>,
    /// The text below the front matter, in Markdown, or - to read it from standard input
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// A word to find the entry by; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Link the entry to this symbol, file or entry (task:ID); may be repeated
    #[arg(long = "link", alias = "symbol", value_name = "TARGET")]
    pub links: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning task add`.
#[derive(Debug, Args)]
pub struct TaskAddArgs {
    #[command(flatten)]
    pub entry: EntryAddArgs,
    /// The status of the task
    #[arg(long, value_enum, default_value_t)]
    pub status: TaskStatus,
    /// The priority of the task
    #[arg(long, value_enum)]
    pub priority: Option<TaskPriority>,
    /// The due date, as YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub due: Option<String>,
    /// Make the task an epic, to which other tasks belong
    #[arg(long)]
    pub epic: bool,
}

/// The arguments of `kenning skill add`.
#[derive(Debug, Args)]
pub struct SkillAddArgs {
    #[command(flatten)]
    pub entry: EntryAddArgs,
    /// The purpose of the skill, in a sentence
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub description: String,
    /// A phrase that recalls the skill whenever a text contains it; may be repeated
    #[arg(long = "trigger", value_name = "PHRASE")]
    pub triggers: Vec<String>,
    /// A pattern of files that the skill is about; may be repeated
    #[arg(long = "file-pattern", value_name = "PATTERN")]
    pub file_patterns: Vec<String>,
    /// The source of the skill
    #[arg(long, value_enum, default_value_t)]
    pub source: SkillSource,
}

/// The options of every list.
#[derive(Debug, Args)]
pub struct EntryListArgs {
    /// Only entries with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Only entries that are linked to this symbol or file: Class.method, path::Class.method, its
    /// id, a position as FILE:LINE, or a FILE
    #[arg(long, value_name = "SYMBOL")]
    pub about: Option<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning task list`.
#[derive(Debug, Args)]
pub struct TaskListArgs {
    #[command(flatten)]
    pub list: EntryListArgs,
    /// Only tasks with this status
    #[arg(long, value_enum)]
    pub status: Option<TaskStatus>,
}

/// The arguments of `show`.
#[derive(Debug, Args)]
pub struct EntryShowArgs {
    /// The id of the entry: the name of its file without .md
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `link`.
#[derive(Debug, Args)]
pub struct EntryLinkArgs {
    /// The id of the entry: the name of its file without .md
    #[arg(value_name = "ID")]
    pub id: String,
    /// A symbol (Class.method, path::Class.method, its id, FILE:LINE), a FILE, or an entry as
    /// note:ID, task:ID or skill:ID
    #[arg(value_name = "TARGET", required_unless_present = "repair")]
    pub target: Option<String>,
    /// The meaning of the link: between entries related_to, blocks, subtask_of, depends_on,
    /// belongs_to or variant_of; to code, any word
    #[arg(long, value_name = "KIND", default_value = "related_to", conflicts_with = "repair")]
    pub kind: String,
    /// Rewrite the links whose targets moved, and record the present state of the other targets
    #[arg(long, conflicts_with = "target")]
    pub repair: bool,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `recall`.
#[derive(Debug, Args)]
pub struct EntryRecallArgs {
    /// The text in words, such as your next step, or - to read it from standard input
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
    /// Maximum number of entries; skills with a trigger in the text are always listed
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub limit: usize,
    /// Print the entries with their bodies
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning task set`.
#[derive(Debug, Args)]
#[group(id = "change", required = true, multiple = true, args = ["status", "priority", "due"])]
pub struct TaskSetArgs {
    /// The id of the task: the name of its file without .md
    #[arg(value_name = "ID")]
    pub id: String,
    /// The status of the task
    #[arg(long, value_enum)]
    pub status: Option<TaskStatus>,
    /// The priority of the task
    #[arg(long, value_enum)]
    pub priority: Option<TaskPriority>,
    /// The due date, as YYYY-MM-DD
    #[arg(long, value_name = "DAY")]
    pub due: Option<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}
