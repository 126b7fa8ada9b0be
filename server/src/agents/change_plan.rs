//! Plans how files change when items are installed or removed.
//!
//! The input is the wanted items of the clients and the record of earlier installations.
//! [`plan_install`] and [`plan_uninstall`] read the files and return a [`ChangePlan`]: the new text
//! of each file, the new record, and notes about files that are left alone. Nothing is written
//! before [`ChangePlan::apply_changes`].
//!
//! Invariants: an entry of the user changes only with [`ReplaceForeign::Yes`]. Everything that
//! Kenning writes is in the record, so that uninstalling can undo it. With a workspace, no file
//! outside it changes.

use super::client_table::ConfigFormat;
use super::config_document::{ConfigText, render_new_json};
use super::file_changes::{FileChange, missing_folders, read_config_text, remove_empty_folders};
use super::install_record::{InstallRecord, RecordFile, RecordedItem};
use super::text_change::TextChange;
use super::wanted_items::{
    ItemContent, WantedItem, differs_at_most_in_paths, differs_at_most_in_workspace, has_program,
    starts_kenning,
};
use super::{AgentError, ENTRY_NAME};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether entries that the user wrote may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceForeign {
    /// The plan replaces the entries. Uninstalling restores them.
    Yes,
    /// The plan keeps the entries and reports them.
    No,
}

/// The planned changes.
#[derive(Debug, Default)]
pub struct ChangePlan {
    /// The files that change, in the order of the first change.
    pub files: Vec<FileChange>,
    /// The files that were left alone, and the reasons.
    pub notes: Vec<String>,
    /// Whether a file has other content where an item of Kenning belongs.
    pub has_conflict: bool,
    /// The record before the changes.
    record_before: InstallRecord,
    /// The record after the changes.
    record: InstallRecord,
    /// Folders that Kenning created for files that the plan removes.
    old_folders: Vec<PathBuf>,
}

impl ChangePlan {
    /// Whether there is nothing to do: neither a file nor the record changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.record == self.record_before
    }

    /// Writes the record and the files, and removes the empty folders that Kenning created. Before
    /// an installation, writes the record first, so that every written item can be removed.
    ///
    /// # Errors
    /// Returns the first error; files after it are not written.
    pub fn apply_changes(&self, record_file: &RecordFile) -> Result<(), AgentError> {
        let is_removal = self.record.items.len() < self.record_before.items.len();
        if !is_removal {
            record_file.write_record(&self.record_before, &self.record)?;
        }
        for file in &self.files {
            file.write_file()?;
        }
        if is_removal {
            record_file.write_record(&self.record_before, &self.record)?;
        }
        remove_empty_folders(self.old_folders.clone());
        Ok(())
    }
}

/// The texts of files while a plan is made.
struct PlannedTexts<'a> {
    /// The workspace that must contain all files; `None` if the user's own files change.
    root: Option<&'a Path>,
    files: Vec<FileChange>,
}

impl<'a> PlannedTexts<'a> {
    fn new(root: Option<&'a Path>) -> Self {
        Self { root, files: Vec::new() }
    }

    /// Returns the file as planned so far; reads it from the disk first.
    fn open_file(&mut self, path: &Path) -> Result<&mut FileChange, AgentError> {
        let known = self.files.iter().position(|file| file.path == path);
        let at = match known {
            Some(at) => at,
            None => {
                if self.root.is_some_and(|root| !is_inside(path, root)) {
                    return Err(AgentError::OutsideProject(path.to_owned()));
                }
                let before = read_config_text(path, self.root)?;
                let new_folders = if before.is_none() { missing_folders(path) } else { Vec::new() };
                self.files.push(FileChange {
                    path: path.to_owned(),
                    root: self.root.map(Path::to_owned),
                    after: before.clone(),
                    before,
                    new_folders,
                });
                self.files.len() - 1
            }
        };
        Ok(&mut self.files[at])
    }

    /// Returns the files that change.
    fn changed_files(self) -> Vec<FileChange> {
        self.files.into_iter().filter(|file| file.before != file.after).collect()
    }
}

/// Whether a path is inside a canonical folder once links are followed.
fn is_inside(path: &Path, root: &Path) -> bool {
    let existing = path.ancestors().find_map(|folder| folder.canonicalize().ok());
    existing.is_some_and(|existing| existing.starts_with(root))
}

/// The content of a file where an item belongs.
enum ItemState {
    /// No content.
    Absent,
    /// The wanted content.
    Current,
    /// Content that Kenning wrote earlier.
    Outdated,
    /// Content that Kenning did not write.
    Foreign,
}

/// Plans the installation of items.
///
/// # Errors
/// Returns an error if a file cannot be read, parsed or extended.
pub fn plan_install(
    items: &[WantedItem],
    record: &InstallRecord,
    root: Option<&Path>,
    replace: ReplaceForeign,
) -> Result<ChangePlan, AgentError> {
    let mut plan =
        ChangePlan { record_before: record.clone(), record: record.clone(), ..ChangePlan::default() };
    let mut texts = PlannedTexts::new(root);
    let mut wanted = items.to_vec();
    let earlier = undo_outdated_files(&mut wanted, &mut texts, &mut plan.record)?;
    for item in &wanted {
        let file = texts.open_file(&item.path)?;
        let recorded = plan.record.find_item(&item.path, &item.item);
        match read_state(item, file.after.as_deref(), recorded)? {
            ItemState::Current => {
                if let Some(recorded) = plan.record.find_item_mut(&item.path, &item.item) {
                    recorded.clients.insert(item.client.clone());
                }
                continue;
            }
            ItemState::Foreign if replace == ReplaceForeign::No => {
                plan.has_conflict = true;
                plan.notes.push(describe_conflict(item));
                continue;
            }
            ItemState::Absent | ItemState::Outdated | ItemState::Foreign => {}
        }
        let before = file.after.clone();
        let after = add_item(item, before.as_deref())?;
        let undone = earlier.iter().find(|undone| undone.path == item.path && undone.item == item.item);
        let mut clients = undone.map(|undone| undone.clients.clone()).unwrap_or_default();
        clients.insert(item.client.clone());
        let mut folders = file.new_folders.clone();
        folders.extend(undone.iter().flat_map(|undone| undone.folders.clone()));
        plan.record.replace_item(RecordedItem {
            path: item.path.clone(),
            item: item.item.clone(),
            clients,
            root: root.map(Path::to_owned),
            is_toml: item.format == ConfigFormat::Toml,
            keys: entry_keys(item, before.as_deref())?,
            value: item_value(item).cloned(),
            in_list: matches!(item.content, ItemContent::ListItem { .. }),
            change: TextChange::from_texts(before.as_deref().unwrap_or_default(), &after),
            created: before.is_none(),
            folders,
        });
        file.after = Some(after);
    }
    plan.files = texts.changed_files();
    Ok(plan)
}

/// Undoes everything that Kenning wrote into files with an outdated item, last first, so that the
/// new items can be undone in the same way. Adds the undone items that are not wanted again to
/// `wanted`, so that they stay. Returns the earlier records.
fn undo_outdated_files(
    wanted: &mut Vec<WantedItem>,
    texts: &mut PlannedTexts<'_>,
    record: &mut InstallRecord,
) -> Result<Vec<RecordedItem>, AgentError> {
    let mut paths = BTreeSet::new();
    for item in wanted.iter() {
        let known = record.find_item(&item.path, &item.item);
        let text = texts.open_file(&item.path)?.after.as_deref();
        if matches!(read_state(item, text, known)?, ItemState::Outdated) {
            paths.insert(item.path.clone());
        }
    }
    let (earlier, kept) = record.items.drain(..).partition(|item| paths.contains(&item.path));
    record.items = kept;
    for item in earlier.iter().rev() {
        let file = texts.open_file(&item.path)?;
        file.after = restore_text(item, file.after.as_deref())?;
    }
    for item in &earlier {
        let is_wanted = wanted.iter().any(|new| new.path == item.path && new.item == item.item);
        let (Some(value), false) = (&item.value, is_wanted) else { continue };
        let (value, keys) = (value.clone(), item.keys.clone());
        wanted.push(WantedItem {
            client: item.clients.first().cloned().unwrap_or_default(),
            item: item.item.clone(),
            path: item.path.clone(),
            format: item.format(),
            content: if item.in_list {
                ItemContent::ListItem { list: keys, value, base: None }
            } else {
                ItemContent::Entry { table: keys, inner_table: None, value, any_workspace: false }
            },
        });
    }
    Ok(earlier)
}

/// Plans the removal of everything that was installed for some clients. `unrecorded` lists items
/// that files may have without a record.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed.
pub fn plan_uninstall(
    clients: &BTreeSet<&str>,
    record: &InstallRecord,
    root: Option<&Path>,
    unrecorded: &[WantedItem],
) -> Result<ChangePlan, AgentError> {
    let mut plan = ChangePlan { record_before: record.clone(), ..ChangePlan::default() };
    let mut texts = PlannedTexts::new(root);
    let mut kept = Vec::new();
    for item in record.items.iter().rev() {
        let mut item = item.clone();
        let is_chosen = |client: &String| clients.contains(client.as_str());
        if item.root.as_deref() != root || !item.clients.iter().any(is_chosen) {
            kept.push(item);
            continue;
        }
        item.clients.retain(|client| !is_chosen(client));
        if !item.clients.is_empty() {
            kept.push(item);
            continue;
        }
        let file = texts.open_file(&item.path)?;
        let before = file.after.clone();
        file.after = restore_text(&item, before.as_deref())?;
        if let Some(text) = before.filter(|text| file.after.as_ref() == Some(text))
            && contains_item(&item, &text)?
        {
            plan.notes.push(format!(
                "{} was changed since the installation; it is left alone",
                item.path.display()
            ));
        }
        plan.old_folders.extend(item.folders);
    }
    kept.reverse();
    plan.record = record.with_items(kept);
    for item in unrecorded.iter().filter(|item| record.find_item(&item.path, &item.item).is_none()) {
        let file = texts.open_file(&item.path)?;
        let is_removed = remove_unrecorded(item, file)?;
        if !is_removed && matches!(read_state(item, file.after.as_deref(), None)?, ItemState::Foreign) {
            plan.notes
                .push(format!("{}, which Kenning did not write; it stays", describe_foreign_content(item)));
        }
    }
    plan.files = texts.changed_files();
    Ok(plan)
}

/// Returns the state of an item in a file with this text.
fn read_state(
    item: &WantedItem,
    text: Option<&str>,
    known: Option<&RecordedItem>,
) -> Result<ItemState, AgentError> {
    let Some(text) = text else { return Ok(ItemState::Absent) };
    let config = config_text(item, text);
    let is_own = |found: &Value| known.and_then(|known| known.value.as_ref()) == Some(found);
    let state_of_value = |found: &Value, wanted: &Value, any_workspace: bool| {
        if found == wanted {
            ItemState::Current
        } else if is_own(found) {
            ItemState::Outdated
        } else if any_workspace && differs_at_most_in_paths(found, wanted) && has_program(found) {
            // Written by hand, or by someone who shares the file.
            ItemState::Current
        } else {
            ItemState::Foreign
        }
    };
    Ok(match &item.content {
        ItemContent::WholeFile(wanted) if text == *wanted => ItemState::Current,
        ItemContent::WholeFile(_) if known.is_some_and(|known| known.change.inserted == text) => {
            ItemState::Outdated
        }
        ItemContent::WholeFile(_) => ItemState::Foreign,
        ItemContent::Entry { value, any_workspace, .. } => {
            let mut keys = entry_keys(item, Some(text))?;
            keys.push(ENTRY_NAME.to_owned());
            match config.read_value(&as_strs(&keys))? {
                Some(found)
                    if *any_workspace && is_own(&found) && differs_at_most_in_workspace(&found, value) =>
                {
                    ItemState::Current
                }
                Some(found) => state_of_value(&found, value, *any_workspace),
                None => ItemState::Absent,
            }
        }
        ItemContent::ListItem { list, value, .. } => {
            let found = config.read_value(&as_strs(list))?;
            let items = found.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let recorded = known.and_then(|known| known.value.as_ref());
            if items.contains(value) {
                ItemState::Current
            } else if recorded.is_some_and(|recorded| items.contains(recorded)) {
                ItemState::Outdated
            } else {
                // Other items of the list do not belong to Kenning.
                ItemState::Absent
            }
        }
    })
}

/// Returns the text of a file with an item.
fn add_item(item: &WantedItem, text: Option<&str>) -> Result<String, AgentError> {
    match (&item.content, text) {
        (ItemContent::WholeFile(content), _) => Ok((*content).to_owned()),
        (ItemContent::Entry { value, .. }, _) => {
            let keys = entry_keys(item, text)?;
            let text = text.map_or_else(|| new_file_text(item), str::to_owned);
            config_text(item, &text).with_entry(&as_strs(&keys), ENTRY_NAME, value)
        }
        (ItemContent::ListItem { list, value, .. }, _) => {
            let text = text.map_or_else(|| new_file_text(item), str::to_owned);
            config_text(item, &text).with_item(&as_strs(list), value)
        }
    }
}

/// Returns the text of a new file before the item is added.
fn new_file_text(item: &WantedItem) -> String {
    match (&item.content, item.format) {
        (_, ConfigFormat::Toml) => String::new(),
        (ItemContent::ListItem { base: Some(base), .. }, _) => render_new_json(base),
        _ => "{}\n".to_owned(),
    }
}

/// Returns the text of a file without a recorded item; `None` if the file is to be removed. Returns
/// the unchanged text if it does not contain the item.
fn restore_text(item: &RecordedItem, text: Option<&str>) -> Result<Option<String>, AgentError> {
    let Some(text) = text else { return Ok(None) };
    let undone = item.change.undo_in(text);
    let Some(value) = &item.value else {
        // Of a whole file, remove only the text that Kenning wrote.
        return Ok(match undone.filter(|_| item.change.inserted == text || !item.created) {
            Some(_) if item.created => None,
            Some(earlier) => Some(earlier),
            None => Some(text.to_owned()),
        });
    };
    let keys = as_strs(&item.keys);
    let is_restored = |earlier: &String| {
        let found = if item.in_list {
            item.config_text(earlier).read_value(&keys)
        } else {
            item.config_text(earlier).read_value(&[keys.as_slice(), &[ENTRY_NAME]].concat())
        };
        (earlier.trim().is_empty() && item.created)
            || found.is_ok_and(|found| match found {
                Some(Value::Array(items)) if item.in_list => !items.contains(value),
                Some(found) => found != *value,
                None => true,
            })
    };
    let restored = match undone.filter(is_restored) {
        Some(earlier) => earlier,
        None if item.in_list => item
            .config_text(text)
            .without_items(&keys, |found| found == value)?
            .unwrap_or_else(|| text.to_owned()),
        None => {
            let found = item.config_text(text).read_value(&[keys.as_slice(), &[ENTRY_NAME]].concat())?;
            let is_own = found.is_some_and(|found| found == *value || starts_kenning(&found));
            if is_own { item.config_text(text).without_entry(&keys, ENTRY_NAME)? } else { text.to_owned() }
        }
    };
    let is_empty = restored.trim().is_empty() || item.config_text(&restored).is_empty();
    let is_removed = item.created && restored != text && is_empty;
    Ok(if is_removed { None } else { Some(restored) })
}

/// Whether a text contains a recorded item, perhaps changed.
fn contains_item(item: &RecordedItem, text: &str) -> Result<bool, AgentError> {
    if item.in_list || item.value.is_none() {
        return Ok(item.value.is_none());
    }
    Ok(item
        .config_text(text)
        .read_value(&[as_strs(&item.keys).as_slice(), &[ENTRY_NAME]].concat())?
        .is_some())
}

/// Removes an unrecorded item from a file if it differs from what Kenning writes at most in the
/// path of the program and in the workspace. Returns whether it removed the item.
fn remove_unrecorded(item: &WantedItem, file: &mut FileChange) -> Result<bool, AgentError> {
    let Some(text) = file.after.clone() else { return Ok(false) };
    let config = config_text(item, &text);
    match &item.content {
        ItemContent::WholeFile(content) if text == *content => file.after = None,
        ItemContent::WholeFile(_) => return Ok(false),
        ItemContent::Entry { value, .. } => {
            let keys = entry_keys(item, Some(&text))?;
            let found = config.read_value(&[as_strs(&keys).as_slice(), &[ENTRY_NAME]].concat())?;
            if !found.is_some_and(|found| differs_at_most_in_paths(&found, value)) {
                return Ok(false);
            }
            file.after = Some(config.without_entry(&as_strs(&keys), ENTRY_NAME)?);
        }
        ItemContent::ListItem { list, value, .. } => {
            let is_own = |found: &Value| differs_at_most_in_paths(found, value);
            match config.without_items(&as_strs(list), is_own)? {
                Some(text) => file.after = Some(text),
                None => return Ok(false),
            }
        }
    }
    Ok(true)
}

/// Returns the keys of the table or list that an item belongs to, in a file with this text.
fn entry_keys(item: &WantedItem, text: Option<&str>) -> Result<Vec<String>, AgentError> {
    Ok(match &item.content {
        ItemContent::WholeFile(_) => Vec::new(),
        ItemContent::ListItem { list, .. } => list.clone(),
        ItemContent::Entry { table, inner_table: None, .. } => table.clone(),
        ItemContent::Entry { table, inner_table: Some(inner), .. } => {
            let nested: Vec<String> = table.iter().chain([inner]).cloned().collect();
            let found = match text {
                Some(text) => config_text(item, text).read_value(&as_strs(&nested))?,
                None => None,
            };
            if found.is_some_and(|found| found.is_object()) { nested } else { table.clone() }
        }
    })
}

fn item_value(item: &WantedItem) -> Option<&Value> {
    match &item.content {
        ItemContent::WholeFile(_) => None,
        ItemContent::Entry { value, .. } | ItemContent::ListItem { value, .. } => Some(value),
    }
}

fn config_text<'a>(item: &'a WantedItem, text: &'a str) -> ConfigText<'a> {
    ConfigText { path: &item.path, format: item.format, text }
}

fn as_strs(keys: &[String]) -> Vec<&str> {
    keys.iter().map(String::as_str).collect()
}

/// Describes the content of a file that Kenning did not write where an item belongs.
fn describe_foreign_content(item: &WantedItem) -> String {
    let path = item.path.display();
    match &item.content {
        ItemContent::Entry { table, .. } => {
            format!("{path} has another entry {}.{ENTRY_NAME}", table.join("."))
        }
        ItemContent::WholeFile(_) | ItemContent::ListItem { .. } => format!("{path} has other content"),
    }
}

fn describe_conflict(item: &WantedItem) -> String {
    format!(
        "{}, which is left alone; pass --force to replace it until you uninstall",
        describe_foreign_content(item)
    )
}

/// Returns the state of a wanted item in its file. `root` is the workspace of the file; `None` for a
/// file of the user.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed.
pub fn inspect_item(
    item: &WantedItem,
    record: &InstallRecord,
    root: Option<&Path>,
) -> Result<InstalledState, AgentError> {
    let text = read_config_text(&item.path, root)?;
    let known = record.find_item(&item.path, &item.item);
    Ok(match read_state(item, text.as_deref(), known)? {
        ItemState::Absent => InstalledState::Absent,
        ItemState::Current => InstalledState::Installed,
        ItemState::Outdated => InstalledState::Outdated,
        ItemState::Foreign => InstalledState::Other,
    })
}

/// The state of an item for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InstalledState {
    /// The file does not have the item.
    Absent,
    /// The file has the item as it would be installed now.
    Installed,
    /// The file has an earlier version of the item, which Kenning wrote.
    Outdated,
    /// The file has content that Kenning did not write where the item belongs.
    Other,
}
