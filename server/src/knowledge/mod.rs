//! Notes, tasks and skills: plain Markdown files with front matter in a folder of the workspace
//! that the user names (`knowledge.folder`), so that they are reviewed and kept in git.
//!
//! In: the folder and the graph. Out: entries, the states of their links to code, and one finding
//! for each problem; changed files if the user adds or links something.
//!
//! * `entry` has the vocabulary: kinds of entries, their attributes and links.
//! * `front_matter` and `entry_file` read a file and write a new one; `front_matter_edit` changes
//!   single keys of an existing one and leaves every other byte as it is.
//! * `folder` finds and writes the files, `checks` finds problems between entries.
//! * `edits` adds and repairs links, and changes the attributes of tasks.
//! * `code_links` records and follows links to symbols and files; `resolved` combines all of this.
//! * `recall` ranks entries for a text; `linked_entries` adds the entries that links connect with
//!   them.
//!
//! Invariants: a problem in a file affects only the part of the entry with the problem, and never
//! changes the file. A new entry never overwrites a file, and no file outside the folder is read or
//! written. Results are entries only, never linked code. This module knows neither SQL nor parsing,
//! LSP or the ranking of code.

mod checks;
mod code_links;
mod edits;
mod entry;
mod entry_file;
mod folder;
mod front_matter;
mod front_matter_edit;
mod linked_entries;
mod recall;
mod resolved;

pub use code_links::{CodeView, LinkState, MoveEvidence, describe_target};
pub use edits::{TaskChange, add_link, repair_links, set_task_attributes};
pub use entry::{
    EntryDetails, EntryKind, EntryLink, KnowledgeEntry, LinkFacts, LinkTarget, SkillDetails, SkillSource,
    TaskDetails, TaskPriority, TaskStatus, check_link_kind,
};
pub use entry_file::check_date;
pub use folder::{
    FolderStamp, KnowledgeBase, KnowledgeError, KnowledgeFinding, KnowledgeFolder, MAX_ENTRY_FILE_BYTES,
    normalize_folder,
};
pub use linked_entries::{LinkLimits, add_linked_entries};
pub use recall::{MIN_SCORE, RecallLimits, RecalledEntry, search_entries};
pub use resolved::ResolvedKnowledge;
