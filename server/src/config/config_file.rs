//! Reads `kenning.toml` at the root of a workspace.
//!
//! In: the root of a workspace. Out: a checked layer of the configuration. The file is read again
//! when it may have changed, and checked again only if its content differs.
//!
//! Invariants: an absent file sets nothing, and a file that cannot be read or parsed keeps the
//! values that it had. A file outside the workspace is never read.

use super::config_layer::{ConfigLayer, ConfigSource};
use kenning_indexing::named_file::{FileRefusal, LinkRule, MAX_CONFIGURATION, read_text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE_NAME: &str = "kenning.toml";

/// A workspace's `kenning.toml` as it was last read.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    path: PathBuf,
    /// The file's text, or the reason why it cannot be read. An absent file is an empty text.
    content: Result<String, String>,
    layer: ConfigLayer,
}

impl ConfigFile {
    /// Reads the file of the workspace at `root`. Without a file, the layer is empty.
    pub fn read_in_folder(root: &Path) -> Self {
        let path = root.join(FILE_NAME);
        let source = ConfigSource::File(path.clone());
        let mut file = Self { path, content: Ok(String::new()), layer: ConfigLayer::empty(source) };
        file.read_again();
        file
    }

    /// Reads the file again. Returns whether its content changed.
    pub fn read_again(&mut self) -> bool {
        let content = read_content(&self.path);
        if content == self.content {
            return false;
        }
        self.layer = parse_layer(&self.path, &content, &self.layer);
        self.content = content;
        true
    }

    /// Returns the file's checked content.
    pub fn file_layer(&self) -> &ConfigLayer {
        &self.layer
    }
}

fn read_content(path: &Path) -> Result<String, String> {
    // A link could expose text from outside the workspace in an error message.
    let folder = path.parent().unwrap_or(Path::new("/"));
    match read_text(path, MAX_CONFIGURATION, LinkRule::Inside(folder)) {
        Ok(text) => {
            let text = text.unwrap_or_default();
            Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
        }
        Err(refusal @ (FileRefusal::TooLarge(_) | FileRefusal::NotUtf8)) => {
            Err(format!("ignored because it {refusal}"))
        }
        Err(refusal @ FileRefusal::Unreadable(_)) => Err(refusal.to_string()),
        Err(
            FileRefusal::Folder
            | FileRefusal::NotRegular
            | FileRefusal::SymbolicLink
            | FileRefusal::LeavesWorkspace,
        ) => Err("ignored because it is not a file inside the workspace".to_owned()),
    }
}

fn parse_layer(path: &Path, content: &Result<String, String>, former: &ConfigLayer) -> ConfigLayer {
    let source = ConfigSource::File(path.to_owned());
    let read = content.as_ref().map_err(String::clone).and_then(|text| {
        let table: toml::Table = text.parse().map_err(|error| syntax_error(text, &error))?;
        serde_json::to_value(table).map_err(|error| error.to_string())
    });
    match read {
        Ok(value) => ConfigLayer::from_json(source, &merge_kenning_table(value), Some(former)),
        Err(problem) => ConfigLayer::from_unreadable(source, Some(former), problem),
    }
}

/// Moves the options of a table `kenning` to the top level. Users may write this table in the file,
/// because editors' settings have a section of that name.
fn merge_kenning_table(mut value: Value) -> Value {
    match value.get_mut("kenning").map(Value::take) {
        Some(Value::Object(inner)) => {
            if let Value::Object(fields) = &mut value {
                fields.remove("kenning");
                for (key, value) in inner {
                    fields.entry(key).or_insert(value);
                }
            }
            value
        }
        _ => value,
    }
}

fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let line =
        error.span().map_or(1, |span| 1 + text.bytes().take(span.start).filter(|&b| b == b'\n').count());
    let message = error.message().lines().next().unwrap_or_default().to_owned();
    format!("line {line} is not valid TOML: {message}; its options take effect when you fix it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn issues(file: &ConfigFile, root: &Path) -> Vec<String> {
        let prefix = format!("{}{}", root.display(), std::path::MAIN_SEPARATOR);
        file.file_layer().issues.iter().map(|issue| issue.to_string().replace(&prefix, "")).collect()
    }

    #[test]
    fn a_broken_file_keeps_its_values_until_it_is_fixed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let mut file = ConfigFile::read_in_folder(folder.path());
        assert!(file.file_layer().values.is_empty() && issues(&file, folder.path()).is_empty());
        assert!(!file.read_again());

        std::fs::write(&path, "\u{feff}[blastRadius]\ndepth = 2\nhover.enabled = 1\n").unwrap();
        assert!(file.read_again());
        assert_eq!(file.file_layer().value_at(&["blastRadius", "depth"]), Some(&json!(2)));
        assert_eq!(
            issues(&file, folder.path()),
            ["kenning.toml: blastRadius.hover: is not an option; the options are blastRadius.depth"]
        );

        std::fs::write(&path, "[blastRadius]\ndepth = = 3\n").unwrap();
        assert!(file.read_again());
        assert_eq!(file.file_layer().value_at(&["blastRadius", "depth"]), Some(&json!(2)));
        let found = issues(&file, folder.path());
        assert!(found[0].starts_with("kenning.toml: line 2 is not valid TOML: "), "{found:?}");

        std::fs::write(&path, "[blastRadius]\ndepth = 99\n").unwrap();
        assert!(file.read_again());
        assert_eq!(
            file.file_layer().value_at(&["blastRadius", "depth"]),
            Some(&json!(2)),
            "it keeps its value"
        );
        std::fs::remove_file(&path).unwrap();
        assert!(file.read_again());
        assert!(file.file_layer().values.is_empty() && issues(&file, folder.path()).is_empty());
    }

    #[test]
    fn options_may_be_in_a_table_kenning() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE_NAME), "[kenning.hover]\nenabled = false\n").unwrap();
        let file = ConfigFile::read_in_folder(folder.path());
        assert_eq!(file.file_layer().value_at(&["hover", "enabled"]), Some(&json!(false)));
        assert!(issues(&file, folder.path()).is_empty());
    }

    #[test]
    fn an_unusable_file_is_reported_and_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let found = || issues(&ConfigFile::read_in_folder(folder.path()), folder.path());
        std::fs::write(&path, b"hover.enabled = \xff").unwrap();
        assert_eq!(found(), ["kenning.toml: ignored because it is not UTF-8"]);
        std::fs::write(&path, "#".repeat(MAX_CONFIGURATION as usize + 1)).unwrap();
        assert_eq!(found(), ["kenning.toml: ignored because it is larger than 1 MiB"]);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(found(), ["kenning.toml: ignored because it is not a file inside the workspace"]);
        #[cfg(unix)]
        {
            std::fs::remove_dir(&path).unwrap();
            std::fs::write(outside.path().join("secret"), "hover.enabled = secret word").unwrap();
            std::os::unix::fs::symlink(outside.path().join("secret"), &path).unwrap();
            assert_eq!(found(), ["kenning.toml: ignored because it is not a file inside the workspace"]);
        }
        drop(outside);
    }
}
