//! `linguist-generated` and `linguist-vendored` of `.gitattributes` files.

use super::SkipReason;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The attributes of a workspace, read folder by folder as they are asked for.
pub(super) struct Attributes {
    root: PathBuf,
    folders: BTreeMap<String, Option<FolderAttributes>>,
}

struct FolderAttributes {
    generated: Gitignore,
    vendored: Gitignore,
}

impl Attributes {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), folders: BTreeMap::new() }
    }

    /// The reason to leave out the file at this path, if attributes give one. A deeper `.gitattributes` decides
    /// before a higher one, and in one file the last line that matches, as git does.
    pub(super) fn skip(&mut self, path: &str) -> Option<SkipReason> {
        let (mut generated, mut vendored) = (None, None);
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            if let Some(attributes) = self.folder(folder) {
                generated = generated.or_else(|| verdict(&attributes.generated, path));
                vendored = vendored.or_else(|| verdict(&attributes.vendored, path));
            }
            if folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        match (generated, vendored) {
            (Some(true), _) => Some(SkipReason::Generated),
            (_, Some(true)) => Some(SkipReason::Vendored),
            _ => None,
        }
    }

    fn folder(&mut self, folder: &str) -> Option<&FolderAttributes> {
        if !self.folders.contains_key(folder) {
            let text = std::fs::read(self.root.join(folder).join(".gitattributes")).ok();
            let parsed = text.map(|bytes| FolderAttributes::parse(folder, &String::from_utf8_lossy(&bytes)));
            self.folders.insert(folder.to_owned(), parsed);
        }
        self.folders.get(folder).and_then(Option::as_ref)
    }
}

fn verdict(matcher: &Gitignore, path: &str) -> Option<bool> {
    match matcher.matched(path, false) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

impl FolderAttributes {
    /// Lines that are not understood are passed over, as git does.
    fn parse(folder: &str, text: &str) -> Self {
        let mut generated = GitignoreBuilder::new(folder);
        let mut vendored = GitignoreBuilder::new(folder);
        for line in text.lines() {
            let Some((pattern, attributes)) = split_line(line.trim()) else { continue };
            for attribute in attributes.split_whitespace() {
                let (name, set) = attribute_state(attribute);
                let builder = match name {
                    "linguist-generated" => &mut generated,
                    "linguist-vendored" => &mut vendored,
                    _ => continue,
                };
                let line = if set { pattern.to_owned() } else { format!("!{pattern}") };
                if let Err(error) = builder.add_line(None, &line) {
                    tracing::debug!(%error, pattern, "pattern in .gitattributes not understood");
                }
            }
        }
        let build = |builder: GitignoreBuilder| builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { generated: build(generated), vendored: build(vendored) }
    }
}

/// The pattern of a line, which may be quoted, and the attributes behind it.
fn split_line(line: &str) -> Option<(&str, &str)> {
    if line.is_empty() || line.starts_with('#') || line.starts_with('!') || line.starts_with("[attr]") {
        return None;
    }
    match line.strip_prefix('"') {
        Some(rest) => rest.split_once('"'),
        None => line.split_once(char::is_whitespace),
    }
}

/// The name of an attribute, and whether it is set: `-name`, `!name` and `name=false` are not.
fn attribute_state(attribute: &str) -> (&str, bool) {
    if let Some(name) = attribute.strip_prefix(['-', '!']) {
        return (name, false);
    }
    match attribute.split_once('=') {
        Some((name, value)) => (name, !matches!(value, "false" | "0")),
        None => (attribute, true),
    }
}
