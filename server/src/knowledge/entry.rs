//! The entries of a knowledge folder: their kinds, their attributes and their links.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// The kind of an entry. Each has a folder of its own.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum EntryKind {
    /// A fact or a decision to remember.
    Note,
    /// A piece of work to do.
    Task,
    /// The steps of a procedure.
    Skill,
}

impl EntryKind {
    /// The kinds, in the order in which entries are listed.
    pub const ALL: [Self; 3] = [Self::Note, Self::Task, Self::Skill];

    /// Returns the word for one entry.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Task => "task",
            Self::Skill => "skill",
        }
    }

    /// Returns the title of a list.
    pub const fn list_title(self) -> &'static str {
        match self {
            Self::Note => "Notes",
            Self::Task => "Tasks",
            Self::Skill => "Skills",
        }
    }

    /// Returns the name of the folder with the files.
    pub const fn folder_name(self) -> &'static str {
        match self {
            Self::Note => "notes",
            Self::Task => "tasks",
            Self::Skill => "skills",
        }
    }
}

impl Display for EntryKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The status of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not planned yet.
    #[default]
    Backlog,
    /// Planned.
    Todo,
    /// Being worked on.
    InProgress,
    /// Waiting for a review.
    Review,
    /// Finished.
    Done,
    /// Will not be done.
    Cancelled,
}

/// The priority of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum TaskPriority {
    /// Before everything else.
    Critical,
    /// Soon.
    High,
    /// Normal.
    Medium,
    /// Whenever there is time.
    Low,
}

/// The source of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum SkillSource {
    /// A person wrote it.
    #[default]
    User,
    /// An agent wrote down what it learned.
    Learned,
}

/// Returns the word of an enumeration's value in front matter.
pub fn enum_word<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Returns all words of an enumeration, for messages.
pub fn enum_words<T: ValueEnum + Copy>() -> String {
    T::value_variants().iter().map(|&value| enum_word(value)).collect::<Vec<_>>().join(", ")
}

/// The attributes of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskDetails {
    /// The status; `None` if the file has an unknown word.
    pub status: Option<TaskStatus>,
    /// The priority; `None` if the file has none or an unknown word.
    pub priority: Option<TaskPriority>,
    /// The due date, as `YYYY-MM-DD`.
    pub due: Option<String>,
    /// Whether other tasks can belong to it.
    pub is_epic: bool,
}

/// The attributes of a skill. Its steps are the body of the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillDetails {
    /// The purpose of the skill, in a sentence.
    pub description: String,
    /// Phrases that recall the skill whenever a text contains one.
    pub triggers: Vec<String>,
    /// The files that the skill is about, as patterns.
    pub file_patterns: Vec<String>,
    /// The source of the skill.
    pub source: SkillSource,
}

/// The attributes that only one kind of entry has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryDetails {
    /// A note has none.
    Note,
    /// The attributes of a task.
    Task(TaskDetails),
    /// The attributes of a skill.
    Skill(SkillDetails),
}

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkTarget {
    /// Another entry, written as `task:fix-login`.
    Entry {
        /// Its kind.
        kind: EntryKind,
        /// Its id.
        id: String,
    },
    /// A symbol as `path::Outer.name`, or a file as its path.
    Code(String),
}

impl LinkTarget {
    /// Reads a target as it is written in front matter.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let entry = text.split_once(':').and_then(|(word, id)| {
            let kind = EntryKind::ALL.into_iter().find(|kind| kind.as_str() == word)?;
            (!id.is_empty() && !id.starts_with(':')).then(|| Self::Entry { kind, id: id.trim().to_owned() })
        });
        entry.unwrap_or_else(|| Self::Code(text.to_owned()))
    }
}

impl Display for LinkTarget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry { kind, id } => write!(f, "{kind}:{id}"),
            Self::Code(target) => f.write_str(target),
        }
    }
}

/// The record of the linked code, so that the link can be followed when the code moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFacts {
    /// The first digits of the symbol's identity.
    pub id: Option<String>,
    /// The first digits of a hash of the symbol's text without its name, or of the file's content.
    pub body: Option<String>,
    /// The number of lines of the symbol.
    pub lines: Option<u32>,
}

/// A link of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLink {
    /// The target.
    pub target: LinkTarget,
    /// The meaning, in a word such as `related_to` or `blocks`.
    pub kind: String,
    /// The record of linked code.
    pub facts: LinkFacts,
    /// The 1-based line of the target in the file; 0 for a link that is in no file yet.
    pub line: u32,
    /// The position of the link in the file's list, from 0.
    pub index: usize,
}

/// The default kind of links.
pub const RELATED_TO: &str = "related_to";

/// The kinds of links between entries.
const ENTRY_LINK_KINDS: &str = "related_to, blocks, subtask_of, depends_on, belongs_to, variant_of";

/// Checks whether an entry of kind `from` can have a link of this kind to `target`.
///
/// # Errors
/// Returns a message with the allowed kinds of links or entries.
pub fn check_link_kind(from: EntryKind, kind: &str, target: &LinkTarget) -> Result<(), String> {
    let LinkTarget::Entry { kind: to, .. } = target else {
        let is_word = kind.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c));
        return if is_word && !kind.is_empty() {
            Ok(())
        } else {
            Err(format!("{kind:?} is not a kind of link; use a word in lower case such as related_to"))
        };
    };
    let pair = (from, *to);
    let (fits, rule) = match kind {
        RELATED_TO => (true, ""),
        "blocks" | "subtask_of" | "belongs_to" => {
            (pair == (EntryKind::Task, EntryKind::Task), "a task to a task")
        }
        "depends_on" => (from == *to && from != EntryKind::Note, "a task to a task, or a skill to a skill"),
        "variant_of" => (pair == (EntryKind::Skill, EntryKind::Skill), "a skill to a skill"),
        _ => return Err(format!("{kind:?} is not a kind of link between entries; use {ENTRY_LINK_KINDS}")),
    };
    if fits { Ok(()) } else { Err(format!("{kind} leads from {rule}, not from a {from} to a {to}")) }
}

/// One note, task or skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeEntry {
    /// The kind of entry.
    pub kind: EntryKind,
    /// The name of the file without its extension. It stays when the title changes.
    pub id: String,
    /// The path of the file in the workspace, with `/` as the separator.
    pub path: String,
    /// The title: of the front matter, else the first heading, else the id.
    pub title: String,
    /// Words to find the entry by.
    pub tags: Vec<String>,
    /// The attributes of this kind of entry.
    pub details: EntryDetails,
    /// The links to entries and code.
    pub links: Vec<EntryLink>,
    /// The Markdown after the front matter.
    pub body: String,
}

impl KnowledgeEntry {
    /// Returns the reference by which other entries name this one: `task:fix-login`.
    pub fn reference(&self) -> LinkTarget {
        LinkTarget::Entry { kind: self.kind, id: self.id.clone() }
    }

    /// Returns the attributes of a task; `None` for other entries.
    pub fn task_details(&self) -> Option<&TaskDetails> {
        match &self.details {
            EntryDetails::Task(task) => Some(task),
            EntryDetails::Note | EntryDetails::Skill(_) => None,
        }
    }

    /// Returns the attributes of a skill; `None` for other entries.
    pub fn skill_details(&self) -> Option<&SkillDetails> {
        match &self.details {
            EntryDetails::Skill(skill) => Some(skill),
            EntryDetails::Note | EntryDetails::Task(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_code_are_distinguished_by_how_they_are_written() {
        let entry = |kind, id: &str| LinkTarget::Entry { kind, id: id.to_owned() };
        assert_eq!(LinkTarget::parse(" task:fix-login "), entry(EntryKind::Task, "fix-login"));
        assert_eq!(LinkTarget::parse("note:a::b"), entry(EntryKind::Note, "a::b"));
        for code in ["src/app.py::Flask.run", "task.py", "task::run", "task:", "tasks:x", "env::PATH"] {
            assert_eq!(LinkTarget::parse(code), LinkTarget::Code(code.to_owned()));
        }
        assert_eq!(entry(EntryKind::Skill, "x").to_string(), "skill:x");
    }

    #[test]
    fn a_kind_of_link_fits_only_certain_entries() {
        use EntryKind::{Note, Skill, Task};
        let check =
            |from, kind, to| check_link_kind(from, kind, &LinkTarget::Entry { kind: to, id: "x".to_owned() });
        for (from, kind, to) in [
            (Note, "related_to", Skill),
            (Task, "blocks", Task),
            (Task, "belongs_to", Task),
            (Skill, "depends_on", Skill),
            (Skill, "variant_of", Skill),
        ] {
            assert_eq!(check(from, kind, to), Ok(()));
        }
        assert_eq!(
            check(Note, "blocks", Task),
            Err("blocks leads from a task to a task, not from a note to a task".to_owned())
        );
        assert!(check(Note, "depends_on", Note).is_err() && check(Task, "variant_of", Skill).is_err());
        assert!(check(Task, "documents", Task).unwrap_err().ends_with(ENTRY_LINK_KINDS));
        let code = LinkTarget::Code("a.py".to_owned());
        assert_eq!(check_link_kind(Note, "documents", &code), Ok(()));
        assert!(
            check_link_kind(Note, "Two words", &code).is_err() && check_link_kind(Note, "", &code).is_err()
        );
    }
}
