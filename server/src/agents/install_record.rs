//! The record of the installed items, in the user's data folder. Uninstalling removes exactly these
//! items.
//!
//! An item is identified by its file and its name. It holds what Kenning wrote and replaced, so
//! that both can be undone. Only the user may read the file. A record that another command changed
//! in the meantime is not overwritten.

use super::AgentError;
use super::client_table::ConfigFormat;
use super::config_document::ConfigText;
use super::file_changes::read_config_text;
use super::text_change::TextChange;
use crate::file_write::replace_private_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The version of the record's format.
const VERSION: u32 = 1;

/// An item that was written into a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedItem {
    /// The file.
    pub path: PathBuf,
    /// The name of the item, unique in its file.
    pub item: String,
    /// The clients that use the item. It is removed with the last of them.
    pub clients: BTreeSet<String>,
    /// The workspace, if the file belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// Whether the file holds TOML.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_toml: bool,
    /// The keys of the table or list that the item is in; empty for a whole file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The value that was written; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Whether the value is an item of a list rather than an entry of a table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_list: bool,
    /// The change of the file's text.
    pub change: TextChange,
    /// Whether the item created the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// The folders that were created for the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
}

impl RecordedItem {
    /// Returns the format of the file.
    pub fn format(&self) -> ConfigFormat {
        if self.is_toml { ConfigFormat::Toml } else { ConfigFormat::Json }
    }

    /// Returns a text of the file with its format.
    pub fn config_text<'a>(&'a self, text: &'a str) -> ConfigText<'a> {
        ConfigText { path: &self.path, format: self.format(), text }
    }
}

/// The record of the installed items, in the order of installation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallRecord {
    /// The version of the format.
    version: u32,
    /// The items that were written.
    pub items: Vec<RecordedItem>,
}

impl InstallRecord {
    /// Returns the record with other items.
    pub fn with_items(&self, items: Vec<RecordedItem>) -> Self {
        Self { version: self.version, items }
    }

    /// Finds an item of a file.
    pub fn find_item(&self, path: &Path, item: &str) -> Option<&RecordedItem> {
        self.items.iter().find(|known| known.path == path && known.item == item)
    }

    /// Finds an item of a file, to change it.
    pub fn find_item_mut(&mut self, path: &Path, item: &str) -> Option<&mut RecordedItem> {
        self.items.iter_mut().find(|known| known.path == path && known.item == item)
    }

    /// Replaces an item of a file, or adds it.
    pub fn replace_item(&mut self, new: RecordedItem) {
        self.items.retain(|known| known.path != new.path || known.item != new.item);
        self.items.push(new);
    }
}

/// The file that holds the record.
#[derive(Clone, Debug)]
pub struct RecordFile {
    path: PathBuf,
}

impl RecordFile {
    /// Returns the file in a folder for user data (`$XDG_DATA_HOME`).
    pub fn in_data_home(data_home: &Path) -> Self {
        Self { path: data_home.join("kenning").join("agents.json") }
    }

    /// Returns the user's file. It need not exist yet.
    ///
    /// # Errors
    /// Returns `AgentError::NoHome` if the user has no home folder.
    pub fn for_user() -> Result<Self, AgentError> {
        let folders = directories::BaseDirs::new().ok_or(AgentError::NoHome)?;
        Ok(Self::in_data_home(folders.data_dir()))
    }

    /// Reads the record. A missing file is an empty record.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is damaged.
    pub fn read_record(&self) -> Result<InstallRecord, AgentError> {
        let Some(text) = read_config_text(&self.path, None)? else {
            return Ok(InstallRecord { version: VERSION, ..InstallRecord::default() });
        };
        let damaged = |message: String| AgentError::Record { path: self.path.clone(), message };
        let record: InstallRecord =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if record.version == VERSION {
            Ok(record)
        } else {
            Err(damaged(format!("its version is {} instead of {VERSION}", record.version)))
        }
    }

    /// Writes the record, which only the user may read; removes the file if the record is empty.
    ///
    /// # Errors
    /// Returns `AgentError::Changed` if another command has changed the record since `before` was
    /// read, and an error if the system refuses to write it.
    pub fn write_record(&self, before: &InstallRecord, record: &InstallRecord) -> Result<(), AgentError> {
        if self.read_record()? != *before {
            return Err(AgentError::Changed(self.path.clone()));
        }
        let file_error = |error| AgentError::new_file(&self.path, "written", error);
        if record.items.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(file_error(error)),
                _ => Ok(()),
            };
        }
        let text = serde_json::to_string_pretty(record).map_err(|error| file_error(error.into()))?;
        replace_private_file(&self.path, text.as_bytes()).map_err(file_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str) -> RecordedItem {
        RecordedItem {
            path: "/h/f.json".into(),
            item: name.to_owned(),
            clients: BTreeSet::from(["zed".to_owned()]),
            root: None,
            is_toml: false,
            keys: vec!["mcpServers".to_owned()],
            value: Some(serde_json::json!({ "command": "kenning" })),
            in_list: false,
            change: TextChange { removed: String::new(), inserted: "x".to_owned() },
            created: true,
            folders: vec!["/h".into()],
        }
    }

    #[test]
    fn the_record_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = RecordFile::in_data_home(folder.path());
        let empty = file.read_record().unwrap();
        let mut record = empty.clone();
        record.replace_item(item("server"));
        record.replace_item(item("lsp"));
        record.replace_item(item("server"));
        assert_eq!(record.items.iter().map(|item| item.item.as_str()).collect::<Vec<_>>(), ["lsp", "server"]);
        file.write_record(&empty, &record).unwrap();
        assert_eq!(file.read_record().unwrap(), record);
        assert!(matches!(file.write_record(&empty, &record), Err(AgentError::Changed(_))));
        file.write_record(&record, &empty).unwrap();
        assert!(!file.path.exists());
    }

    #[test]
    fn a_damaged_record_is_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = RecordFile::in_data_home(folder.path());
        fs::create_dir_all(file.path.parent().unwrap()).unwrap();
        for text in ["{", "{\"version\": 9, \"items\": []}"] {
            fs::write(&file.path, text).unwrap();
            let error = file.read_record().unwrap_err().to_string();
            assert!(error.contains("agents.json is damaged: ") && error.contains("delete it"), "{error}");
        }
    }
}
