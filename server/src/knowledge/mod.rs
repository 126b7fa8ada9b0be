//! Notes, tasks and skills: plain Markdown files with front matter in a folder of the workspace
//! that the user names (`knowledge.folder`), so that they are reviewed and kept in git.
//!
//! In: the folder and the graph. Out: entries, how well their links still lead to code, and one
//! finding for each thing that is wrong; changed files if the user adds or links something.
//!
//! * `entry` has the vocabulary: kinds of entries, their attributes and links.
//! * `front_matter` and `entry_file` read a file and write a new one; `front_matter_edit` changes
//!   single keys of an existing one and leaves every other byte as it is.
//! * `folder` finds and writes the files, `checks` looks at all entries together.
//! * `edits` adds and repairs links, and changes the attributes of tasks.
//! * `code_links` records and follows links to symbols and files; `resolved` combines all of this.
//! * `recall` ranks entries for a text; `linked_entries` adds what links connect with them.
//!
//! Invariants: a file that is wrong costs only what is wrong in it, and its bytes stay. No file is
//! overwritten, and none outside the folder is read or written. A link to code is never a result;
//! only entries are. This module knows neither SQL nor parsing, LSP or the ranking of code.

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
pub use edits::{TaskChange, add_link, repair_links, set_task};
pub use entry::{
    EntryDetails, EntryKind, EntryLink, KnowledgeEntry, LinkFacts, LinkTarget, SkillDetails, SkillSource,
    TaskDetails, TaskPriority, TaskStatus, check_link_kind,
};
pub use entry_file::check_date;
pub use folder::{
    FolderStamp, KnowledgeBase, KnowledgeError, KnowledgeFinding, KnowledgeFolder, MAX_ENTRY_FILE,
    normalize_folder,
};
pub use linked_entries::{LinkLimits, add_linked_entries};
pub use recall::{MIN_SCORE, RecallLimits, RecalledEntry, search_entries};
pub use resolved::ResolvedKnowledge;
