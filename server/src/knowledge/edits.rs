//! Changes to entries: adds and repairs links, and sets the attributes of tasks.

use super::code_links::{CodeView, LinkState, describe_target};
use super::entry::{EntryLink, KnowledgeEntry, LinkTarget, TaskPriority, TaskStatus, enum_word};
use super::entry_file::{fact_fields, link_fields};
use super::folder::{KnowledgeError, KnowledgeFolder};
use super::front_matter_edit::{append_to_list, change_list_item, set_key};
use kenning_graph::SymbolId;
use serde_json::Value;

/// A field of a link with its new value; `None` removes the field.
type FieldChange = (&'static str, Option<Value>);

/// New values of a task's attributes; `None` keeps the old value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskChange {
    /// The status.
    pub status: Option<TaskStatus>,
    /// The priority.
    pub priority: Option<TaskPriority>,
    /// The due date, as `YYYY-MM-DD`.
    pub due: Option<String>,
}

/// Adds a link to the file of an entry. Returns false if the entry has it already.
///
/// # Errors
/// Returns an error if the file cannot be changed.
pub fn add_link(
    folder: &KnowledgeFolder,
    entry: &KnowledgeEntry,
    link: &EntryLink,
) -> Result<bool, KnowledgeError> {
    if entry.links.iter().any(|old| (&old.target, &old.kind) == (&link.target, &link.kind)) {
        return Ok(false);
    }
    folder.edit_entry(&entry.path, |text| append_to_list(text, "links", &link_fields(link)))
}

/// Rewrites the links of an entry whose targets moved, and brings the facts of the others up to
/// date. Returns the old and the new name of each target that moved.
///
/// # Errors
/// Returns an error if the file cannot be changed.
pub fn repair_links(
    folder: &KnowledgeFolder,
    entry: &KnowledgeEntry,
    states: &[LinkState],
    view: &CodeView<'_>,
) -> Result<Vec<(String, String)>, KnowledgeError> {
    let mut moved = Vec::new();
    let mut changes: Vec<(usize, Vec<FieldChange>)> = Vec::new();
    for (link, state) in entry.links.iter().zip(states) {
        let LinkTarget::Code(old) = &link.target else { continue };
        let symbols: Vec<SymbolId> = view.find_symbols(state.linked_symbols());
        let Some((target, facts)) = describe_target(view, &symbols) else { continue };
        let is_moved = matches!(state, LinkState::Moved { .. });
        // A name that a person shortened stays as it is: with facts, only whole names are followed.
        let is_shortened = target.to_string() != *old;
        if !is_moved && (is_shortened || facts == link.facts) {
            continue;
        }
        let mut fields: Vec<FieldChange> = Vec::new();
        if is_moved {
            moved.push((old.clone(), target.to_string()));
            fields.push(("to", Some(target.to_string().into())));
        }
        for key in ["id", "body", "lines"] {
            let value = fact_fields(&facts).into_iter().find(|(name, _)| name == key);
            fields.push((key, value.map(|(_, value)| value)));
        }
        changes.push((link.index, fields));
    }
    if !changes.is_empty() {
        folder.edit_entry(&entry.path, |text| {
            let change = |text: String, (index, fields): &(usize, Vec<FieldChange>)| {
                change_list_item(&text, "links", *index, fields)
            };
            changes.iter().try_fold(text.to_owned(), change)
        })?;
    }
    Ok(moved)
}

/// Changes attributes of a task in its file. Returns false if it has these values already.
///
/// # Errors
/// Returns an error if the file cannot be changed.
pub fn set_task_attributes(
    folder: &KnowledgeFolder,
    entry: &KnowledgeEntry,
    change: &TaskChange,
) -> Result<bool, KnowledgeError> {
    let values = [
        ("status", change.status.map(enum_word)),
        ("priority", change.priority.map(enum_word)),
        ("due", change.due.clone()),
    ];
    folder.edit_entry(&entry.path, |text| {
        let set = values.iter().filter_map(|(key, value)| Some((key, value.clone()?)));
        set.into_iter().try_fold(text.to_owned(), |text, (key, value)| set_key(&text, key, &value.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{EntryKind, LinkFacts, ResolvedKnowledge};
    use super::*;
    use crate::symbol_names;
    use crate::test_workspace::index_files;
    use expect_test::expect;

    const NOTE: &str = "---\ntitle: Sums # mine\nown: 1\nlinks:\n  - to: \"\"\n  - to: helper\n  - {to: cart.py}\n---\n\nWhy.\n";

    #[test]
    fn a_link_is_added_once_and_repaired_after_a_renaming() {
        let python = "def total(cart):\n    return sum(cart)\n\n\ndef helper():\n    pass\n";
        let indexed = index_files(&[("cart.py", python), ("k/notes/sums.md", NOTE)]);
        let folder = KnowledgeFolder::open_configured(&indexed.root, "k").unwrap();
        let mut workspace = indexed.workspace;
        for renamed in [false, true] {
            if renamed {
                std::fs::write(indexed.root.join("cart.py"), python.replace("total", "add_up")).unwrap();
                workspace.refresh_all(&kenning_indexing::workspace::NoProgress).unwrap();
            }
            let (snapshot, provider) = (workspace.current_snapshot(), workspace.text_source());
            let read = |path: &str| {
                let file = snapshot.file(snapshot.file_by_path(path)?)?;
                provider.file_text(path, &file.content_hash)
            };
            let view = CodeView::new(&snapshot, &indexed.root, &read);
            let base = folder.read_base(&|_| None);
            let knowledge = ResolvedKnowledge::new(base, Some(&view));
            let entry = knowledge.base.find_entry(EntryKind::Note, "sums").unwrap();
            if renamed {
                let moved = repair_links(&folder, entry, &knowledge.states[0], &view).unwrap();
                assert_eq!(moved, [("cart.py::total".to_owned(), "cart.py::add_up".to_owned())]);
            } else {
                let symbols = symbol_names::find_overloads(&snapshot, "total").unwrap();
                let (target, facts) = describe_target(&view, &symbols).unwrap();
                assert!(facts != LinkFacts::default());
                let link = EntryLink { target, kind: "related_to".into(), facts, line: 0, index: 0 };
                assert!(add_link(&folder, entry, &link).unwrap());
                let base = folder.read_base(&|_| None);
                assert!(!add_link(&folder, &base.entries[0], &link).unwrap(), "only once");
            }
        }
        let text = std::fs::read_to_string(indexed.root.join("k/notes/sums.md")).unwrap();
        expect![[r#"
            ---
            title: Sums # mine
            own: 1
            links:
              - to: ""
              - to: helper
              - to: cart.py
                body: 80fb65760365
              - to: cart.py::add_up
                kind: related_to
                id: b083a939623a
                body: 419a51f73aa4
                lines: 2
            ---

            Why.
        "#]]
        .assert_eq(&text);
        let gone = folder.read_base(&|_| None).findings;
        assert_eq!(gone.len(), 1, "the empty link is still there: {gone:?}");
    }

    #[test]
    fn attributes_of_a_task_change_in_its_file() {
        let indexed = index_files(&[("k/tasks/a.md", "---\nstatus: todo # now\n---\n"), ("a.py", "x = 1\n")]);
        let folder = KnowledgeFolder::open_configured(&indexed.root, "k").unwrap();
        let change = TaskChange {
            status: Some(TaskStatus::InProgress),
            priority: Some(TaskPriority::High),
            due: Some("2030-01-31".to_owned()),
        };
        let entries = || folder.read_base(&|_| None).entries;
        assert!(set_task_attributes(&folder, &entries()[0], &change).unwrap());
        assert!(!set_task_attributes(&folder, &entries()[0], &change).unwrap());
        let text = std::fs::read_to_string(indexed.root.join("k/tasks/a.md")).unwrap();
        assert_eq!(text, "---\nstatus: in_progress # now\npriority: high\ndue: \"2030-01-31\"\n---\n");
        assert_eq!(entries()[0].task_details().unwrap().status, Some(TaskStatus::InProgress));
    }
}
