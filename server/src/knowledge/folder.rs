//! The folder with the files of all entries: finds and reads them, adds files and changes them.
//!
//! The folder may come from anyone, like the rest of the workspace. Therefore this module reads
//! only regular files inside the workspace, follows no links to folders, limits sizes and numbers,
//! and reports each refused file. It writes a file next to its final place and then renames it, so
//! that no reader ever sees half of a file.

use super::checks::check_entries;
use super::entry::{EntryKind, KnowledgeEntry, LinkTarget};
use super::entry_file::{file_stem, is_entry_file, parse_entry, render_entry};
use super::front_matter_edit::EditProblem;
use crate::config::option_table::is_inner_path;
use kenning_graph::Hash;
use kenning_graph::hash::HashBuilder;
use kenning_indexing::named_file::{FileRefusal, LinkRule, read_text};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use thiserror::Error;

/// Size limit of an entry's file, in bytes: 1 MiB. People write them by hand.
pub const MAX_ENTRY_FILE_BYTES: u64 = 1 << 20;
/// Maximum number of files of each kind. A hostile folder has millions.
const MAX_FILES: usize = 10_000;
/// Maximum depth of folders below `notes`, `tasks` and `skills`. Hostile folders nest hundreds.
const MAX_DEPTH: usize = 4;
/// Maximum length of an id that is made of a title, in characters. Titles can be whole sentences.
const MAX_ID_CHARS: usize = 60;
/// Names that Windows reserves for devices.
const DEVICE_NAMES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The reason why entries cannot be read or written.
#[derive(Debug, Error)]
pub enum KnowledgeError {
    /// No folder is configured.
    #[error(
        "notes, tasks and skills are off; choose a folder for them by adding this line at the top of kenning.toml: \
         knowledge.folder = \"docs/knowledge\""
    )]
    Off,
    /// The folder is not in the workspace.
    #[error("knowledge.folder is {0:?}, which leads out of the workspace; choose a folder inside")]
    OutsideWorkspace(String),
    /// There is a file in place of a folder.
    #[error("{0} is not a folder; rename it, or choose another knowledge.folder")]
    NotFolder(String),
    /// No entry has the id.
    #[error("no {kind} has the id {id}{}", suggest_id(similar.as_deref()))]
    UnknownEntry {
        /// The kind.
        kind: EntryKind,
        /// The id.
        id: String,
        /// A similar id.
        similar: Option<String>,
    },
    /// A file cannot be read.
    #[error("{path} {refusal}")]
    Refused {
        /// The path in the workspace.
        path: String,
        /// The reason.
        refusal: FileRefusal,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {error}")]
    Unwritable {
        /// The path in the workspace.
        path: String,
        /// The reason.
        error: String,
    },
    /// The front matter of a file cannot be changed.
    #[error("{path} is not changed: {problem}")]
    NotChanged {
        /// The path in the workspace.
        path: String,
        /// The reason.
        problem: EditProblem,
    },
}

fn suggest_id(similar: Option<&str>) -> String {
    similar.map_or_else(String::new, |similar| format!("; did you mean {similar}?"))
}

/// A problem in the folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnowledgeFinding {
    /// The path of the file or folder in the workspace.
    pub path: String,
    /// The 1-based line; `None` for the whole file.
    pub line: Option<u32>,
    /// The problem, and what to do.
    pub message: String,
}

/// All entries of a folder, with the problems in their files.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeBase {
    /// The entries, by kind and path.
    pub entries: Vec<KnowledgeEntry>,
    /// The findings, by path and line.
    pub findings: Vec<KnowledgeFinding>,
}

impl KnowledgeBase {
    /// Finds an entry. Letter case matters only if two ids differ in nothing else.
    ///
    /// # Errors
    /// Returns an error with a similar id if no entry has this one.
    pub fn find_entry(&self, kind: EntryKind, id: &str) -> Result<&KnowledgeEntry, KnowledgeError> {
        let id = id.trim();
        let of_kind = || self.entries.iter().filter(move |entry| entry.kind == kind);
        let exact = of_kind().find(|entry| entry.id == id);
        let found = exact.or_else(|| of_kind().find(|entry| fold_id(&entry.id) == fold_id(id)));
        found.ok_or_else(|| {
            let ids = of_kind().map(|entry| entry.id.as_str());
            let similar = crate::config::config_layer::closest_word(id, ids).map(str::to_owned);
            KnowledgeError::UnknownEntry { kind, id: id.to_owned(), similar }
        })
    }

    /// Whether any entry has a link to code.
    pub fn has_code_links(&self) -> bool {
        let mut links = self.entries.iter().flat_map(|entry| &entry.links);
        links.any(|link| matches!(link.target, LinkTarget::Code(_)))
    }
}

/// Returns an id in the form in which file systems without letter case compare it.
pub fn fold_id(id: &str) -> String {
    id.to_lowercase()
}

/// Identifies the content of a folder: it changes when a file is added, removed or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderStamp(Hash);

impl FolderStamp {
    /// Returns the stamp as a hash.
    pub fn as_hash(self) -> Hash {
        self.0
    }
}

/// The folder that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeFolder {
    root: PathBuf,
    folder: String,
}

/// A file that may be an entry.
struct EntryFile {
    kind: EntryKind,
    /// The path in the workspace.
    path: String,
}

/// Returns a configured folder as a prefix of paths: without `./` and without a slash at the end.
pub fn normalize_folder(configured: &str) -> &str {
    let inner = configured.strip_prefix("./").unwrap_or(configured);
    inner.strip_suffix('/').unwrap_or(inner)
}

impl KnowledgeFolder {
    /// Opens the folder that the option `knowledge.folder` names in the workspace at `root`. It
    /// need not exist yet.
    ///
    /// # Errors
    /// Returns an error if no folder is configured, or if it leads out of the workspace.
    pub fn open_configured(root: &Path, configured: &str) -> Result<Self, KnowledgeError> {
        if configured.is_empty() {
            return Err(KnowledgeError::Off);
        }
        if !is_inner_path(configured) {
            return Err(KnowledgeError::OutsideWorkspace(configured.to_owned()));
        }
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let folder = Self { root, folder: normalize_folder(configured).to_owned() };
        match folder.root.join(&folder.folder).canonicalize() {
            Ok(real) if !real.starts_with(&folder.root) => {
                Err(KnowledgeError::OutsideWorkspace(configured.to_owned()))
            }
            Ok(real) if !real.is_dir() => Err(KnowledgeError::NotFolder(folder.folder)),
            _ => Ok(folder),
        }
    }

    /// Returns the path of the folder in the workspace.
    pub fn folder_path(&self) -> &str {
        &self.folder
    }

    /// Returns the workspace's root.
    pub fn root_path(&self) -> &Path {
        &self.root
    }

    /// Returns the entry that a path in the workspace belongs to, by kind and id; `None` if it is
    /// not the path of an entry's file.
    pub fn entry_of_path(&self, path: &str) -> Option<LinkTarget> {
        let inner = path.strip_prefix(&self.folder)?.strip_prefix('/')?;
        let kind = EntryKind::ALL
            .into_iter()
            .find(|kind| inner.strip_prefix(kind.folder_name()).is_some_and(|rest| rest.starts_with('/')))?;
        is_entry_file(path).then(|| LinkTarget::Entry { kind, id: file_stem(path).to_owned() })
    }

    /// Reads all entries. `open_text` returns the text of a file that is open in an editor, which
    /// counts instead of the file.
    pub fn read_base(&self, open_text: &dyn Fn(&str) -> Option<Arc<str>>) -> KnowledgeBase {
        let mut base = KnowledgeBase::default();
        for file in self.list_files(&mut base.findings) {
            let text = match open_text(&file.path) {
                Some(text) => Ok(Some(text)),
                None => {
                    read_text(&self.root.join(&file.path), MAX_ENTRY_FILE_BYTES, LinkRule::Inside(&self.root))
                        .map(|text| text.map(Arc::from))
                }
            };
            match text {
                Ok(Some(text)) => {
                    let (entry, issues) = parse_entry(file.kind, &file.path, &text);
                    let finding = |line, message| KnowledgeFinding {
                        path: file.path.clone(),
                        line: Some(line),
                        message,
                    };
                    base.findings.extend(issues.into_iter().map(|issue| finding(issue.line, issue.message)));
                    base.entries.push(entry);
                }
                // The file was removed a moment ago.
                Ok(None) => {}
                Err(refusal) => base.findings.push(KnowledgeFinding {
                    path: file.path,
                    line: None,
                    message: format!("the file {refusal}, so it is left out"),
                }),
            }
        }
        base.findings.extend(check_entries(&base.entries));
        base.findings.sort();
        base.findings.dedup();
        base
    }

    /// Computes the stamp of the folder. Reads no file, so it is cheap.
    pub fn compute_stamp(&self) -> FolderStamp {
        let mut hasher = HashBuilder::new("knowledge");
        hasher.add_text(&self.folder);
        for file in self.list_files(&mut Vec::new()) {
            hasher.add_text(&file.path);
            if let Ok(metadata) = self.root.join(&file.path).metadata() {
                hasher.add_number(metadata.len());
                let modified =
                    metadata.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
                let modified = modified.unwrap_or_default();
                hasher.add_number(modified.as_secs()).add_number(u64::from(modified.subsec_nanos()));
                #[cfg(unix)]
                {
                    use std::os::unix::fs::MetadataExt as _;
                    hasher.add_number(metadata.ctime() as u64).add_number(metadata.ctime_nsec() as u64);
                }
            }
        }
        FolderStamp(hasher.finish())
    }

    /// Lists the files that may be entries, by kind and path.
    fn list_files(&self, findings: &mut Vec<KnowledgeFinding>) -> Vec<EntryFile> {
        let mut files = Vec::new();
        for kind in EntryKind::ALL {
            let mut paths = BTreeSet::new();
            self.list_paths(&format!("{}/{}", self.folder, kind.folder_name()), 0, &mut paths, findings);
            if paths.len() > MAX_FILES {
                findings.push(KnowledgeFinding {
                    path: format!("{}/{}", self.folder, kind.folder_name()),
                    line: None,
                    message: format!(
                        "only the first {MAX_FILES} files are read; move some to another folder"
                    ),
                });
            }
            files.extend(paths.into_iter().take(MAX_FILES).map(|path| EntryFile { kind, path }));
        }
        files
    }

    /// Adds the paths of the files below a folder that may be entries, and reports refused folders.
    fn list_paths(
        &self,
        folder: &str,
        depth: usize,
        paths: &mut BTreeSet<String>,
        findings: &mut Vec<KnowledgeFinding>,
    ) {
        let mut refuse = |path: &str, message: &str| {
            findings.push(KnowledgeFinding {
                path: path.to_owned(),
                line: None,
                message: message.to_owned(),
            });
        };
        let real = self.root.join(folder);
        if real.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return refuse(folder, "the folder is a symbolic link, which is not followed");
        }
        let entries = match std::fs::read_dir(&real) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return refuse(folder, &format!("the folder cannot be read ({})", error.kind())),
        };
        let mut inner = BTreeSet::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                refuse(&format!("{folder}/{}", name.display()), "the name is not UTF-8, so it is left out");
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{folder}/{name}");
            // A link to a folder is reported when it is listed.
            if entry.path().is_dir() {
                inner.insert(path);
            } else if is_entry_file(name) && paths.len() <= MAX_FILES {
                paths.insert(path);
            }
        }
        for path in inner {
            if depth < MAX_DEPTH {
                self.list_paths(&path, depth + 1, paths, findings);
            } else {
                let message = format!("the folder is nested more than {MAX_DEPTH} deep, so it is left out");
                findings.push(KnowledgeFinding { path, line: None, message });
            }
        }
    }

    /// Writes a new entry, and returns it with its id and its path, which this function chooses by
    /// the title. Never overwrites a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add_entry(&self, mut entry: KnowledgeEntry) -> Result<KnowledgeEntry, KnowledgeError> {
        let folder = format!("{}/{}", self.folder, entry.kind.folder_name());
        let unwritable = |path: &str, error: &dyn std::fmt::Display| KnowledgeError::Unwritable {
            path: path.to_owned(),
            error: error.to_string(),
        };
        std::fs::create_dir_all(self.root.join(&folder)).map_err(|error| unwritable(&folder, &error))?;
        let real = self.root.join(&folder).canonicalize().map_err(|error| unwritable(&folder, &error))?;
        if !real.starts_with(&self.root) {
            return Err(KnowledgeError::OutsideWorkspace(folder));
        }
        let taken: BTreeSet<String> = self
            .list_files(&mut Vec::new())
            .into_iter()
            .filter(|file| file.kind == entry.kind)
            .map(|file| fold_id(file_stem(&file.path)))
            .collect();
        let slug = slug_of_title(&entry.title, entry.kind);
        let mut ids = (1..).map(|number| if number == 1 { slug.clone() } else { format!("{slug}-{number}") });
        loop {
            let Some(id) = ids.find(|id| !taken.contains(id)) else { continue };
            entry.path = format!("{folder}/{id}.md");
            entry.id = id;
            let text = render_entry(&entry).map_err(|error| unwritable(&entry.path, &error))?;
            let temporary = write_temporary(&real, &text).map_err(|error| unwritable(&entry.path, &error))?;
            match temporary.persist_noclobber(real.join(format!("{}.md", entry.id))) {
                Ok(_) => return Ok(entry),
                // Someone else added a file with this name in the meantime.
                Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&entry.path, &error.error)),
            }
        }
    }

    /// Changes the file of an entry. Returns whether its text changed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, changed or written.
    pub fn edit_entry(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<String, EditProblem>,
    ) -> Result<bool, KnowledgeError> {
        let unwritable = |error: &dyn std::fmt::Display| KnowledgeError::Unwritable {
            path: path.to_owned(),
            error: error.to_string(),
        };
        let file = self.root.join(path);
        let refused = |refusal| KnowledgeError::Refused { path: path.to_owned(), refusal };
        let text = read_text(&file, MAX_ENTRY_FILE_BYTES, LinkRule::Inside(&self.root)).map_err(refused)?;
        let text = text.ok_or_else(|| unwritable(&"it no longer exists"))?;
        let problem = |problem| KnowledgeError::NotChanged { path: path.to_owned(), problem };
        let changed = change(&text).map_err(problem)?;
        if changed == text {
            return Ok(false);
        }
        let real = file.canonicalize().map_err(|error| unwritable(&error))?;
        let folder = real.parent().unwrap_or(&self.root);
        let temporary = write_temporary(folder, &changed).map_err(|error| unwritable(&error))?;
        let permissions = std::fs::metadata(&real).map_err(|error| unwritable(&error))?.permissions();
        temporary.as_file().set_permissions(permissions).map_err(|error| unwritable(&error))?;
        temporary.persist(&real).map_err(|error| unwritable(&error.error))?;
        Ok(true)
    }
}

/// Writes a text to a new file with a temporary name, which is removed unless it is renamed.
fn write_temporary(folder: &Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kenning-").suffix(".tmp");
    // As for any new file, the user's mask decides who may read it.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Returns an id for a title: its letters and digits in lower case, with hyphens between them.
fn slug_of_title(title: &str, kind: EntryKind) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if slug.chars().count() >= MAX_ID_CHARS {
            break;
        }
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    let is_numbered_device = |slug: &str| {
        ["com", "lpt"]
            .iter()
            .any(|name| slug.strip_prefix(name).is_some_and(|rest| rest.chars().count() == 1))
    };
    match slug {
        "" => kind.as_str().to_owned(),
        device if DEVICE_NAMES.contains(&device) || is_numbered_device(device) => format!("{device}-{kind}"),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests;
