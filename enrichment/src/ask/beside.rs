//! Names that stand in code where the text shows no reference: of other names, servers know no use that the text does not
//! show. Asking where something is used costs a server more than anything else, and mostly says nothing new.

use super::Asker;
use crate::workspace::Workspace;
use kenning_graph::Hash;
use kenning_graph::snapshot::{FileId, Snapshot, SymbolRef};
use kenning_graph::vocabulary::SymbolKind;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, PoisonError};

/// A name, hashed: two that meet cost a question.
type Name = u64;
/// The names of a file.
type Names = BTreeSet<Name>;

/// What was read of the files so far.
#[derive(Default)]
pub(super) struct Besides(Mutex<Read>);

#[derive(Default)]
struct Read {
    /// By path: the text that was read, and its names; none for a file that could not be read as the graph knows it.
    files: HashMap<String, (Hash, Option<Names>)>,
    all: Arc<Beside>,
}

/// The names of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    names: HashSet<Name>,
    /// Some file could not be read: any name may stand there.
    any: bool,
}

impl Beside {
    /// Whether a symbol may have a use that the text does not show. Servers name some uses by other words: an operator, a
    /// call of a type.
    pub fn may_use(&self, symbol: &SymbolRef) -> bool {
        let name = symbol.name;
        let has_other_words = symbol.kind == SymbolKind::Constructor
            || name.starts_with("__")
            || matches!(name, "new" | "initialize" | "default")
            || !name.chars().all(is_of_word);
        self.any || has_other_words || self.names.contains(&hashed(name))
    }
}

impl Asker {
    /// The names in all files that this server can be asked about. Reads what changed since the last time, on a thread that
    /// may block.
    pub async fn beside(&self, snapshot: &Arc<Snapshot>) -> Arc<Beside> {
        let (workspace, snapshot) = (Arc::clone(&self.workspace), Arc::clone(snapshot));
        let (besides, language) = (Arc::clone(&self.besides), self.language);
        let has_kind = move |path: &str| {
            path.rsplit_once('.').is_some_and(|(_, extension)| language.document_ids.contains_key(extension))
        };
        let read = tokio::task::spawn_blocking(move || {
            besides.read(&*workspace, &snapshot, (has_kind, &language.comment))
        })
        .await;
        read.unwrap_or_else(|_| Arc::new(Beside { any: true, ..Beside::default() }))
    }

    /// Whether the names were read before.
    pub fn knows_beside(&self) -> bool {
        !self.besides.0.lock().unwrap_or_else(PoisonError::into_inner).files.is_empty()
    }
}

impl Besides {
    fn read(
        &self,
        workspace: &dyn Workspace,
        snapshot: &Snapshot,
        (has_kind, comment): (impl Fn(&str) -> bool, &str),
    ) -> Arc<Beside> {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files = snapshot.files().into_iter().filter_map(|id| snapshot.file(id));
        let files: Vec<_> = files.filter(|file| has_kind(file.path)).collect();
        let there: HashSet<&str> = files.iter().map(|file| file.path).collect();
        let before = read.files.len();
        read.files.retain(|path, _| there.contains(path.as_str()));
        let mut changed = read.files.len() != before;
        for file in &files {
            if read.files.get(file.path).is_some_and(|(hash, _)| *hash == file.content_hash) {
                continue;
            }
            let names = names_in(workspace, snapshot, (file.id, file.path, file.content_hash), comment);
            read.files.insert(file.path.to_owned(), (file.content_hash, names));
            changed = true;
        }
        if changed {
            let names = read.files.values().filter_map(|(_, names)| names.as_ref());
            let names = names.flat_map(|names| names.iter().copied()).collect();
            let any = read.files.values().any(|(_, names)| names.is_none());
            read.all = Arc::new(Beside { names, any });
        }
        Arc::clone(&read.all)
    }
}

/// The names of one file; nothing when it is not as the graph knows it.
fn names_in(
    workspace: &dyn Workspace,
    snapshot: &Snapshot,
    (id, path, hash): (FileId, &str, Hash),
    comment: &str,
) -> Option<Names> {
    let text = workspace.text(path).filter(|text| text.hash == hash)?.text;
    let sites = workspace.sites(snapshot, path);
    let declared = snapshot.file_symbols(id).into_iter().skip(1).filter_map(|id| snapshot.symbol(id));
    let known: HashSet<u32> =
        sites.iter().map(|site| site.at.start).chain(declared.map(|symbol| symbol.name_span.start)).collect();
    let imports = snapshot.file_imports(id);
    let import_lines: HashSet<u32> = imports.iter().map(|import| import.at.line).collect();
    let mut names = Names::new();
    for (line, start, word) in words(&text, comment) {
        if !known.contains(&start) && !import_lines.contains(&line) {
            names.insert(hashed(word));
        }
    }
    // What is imported under another name is used under that name.
    for import in &*imports {
        if names.contains(&hashed(&import.alias)) {
            names.insert(hashed(import.name.rsplit('.').next().unwrap_or(&import.name)));
        }
    }
    Some(names)
}

/// The words of a text with line and first byte, without those of lines that are comments as a whole: they begin with
/// `comment`, and where that is `//`, blocks are comments, too. A comment that is taken for code costs a question; code must
/// not be taken for a comment.
fn words<'a>(text: &'a str, comment: &'a str) -> impl Iterator<Item = (u32, u32, &'a str)> {
    let (mut is_block, has_blocks) = (false, comment == "//");
    text.split_inclusive('\n').zip(0u32..).flat_map(move |(line, number)| {
        let (offset, begins) = (line.as_ptr() as usize - text.as_ptr() as usize, line.trim_start());
        let was_block = is_block;
        is_block = (was_block || (has_blocks && begins.starts_with("/*"))) && !line.contains("*/");
        // Behind the end of a block there may be code.
        let is_comment = (was_block && is_block) || (!comment.is_empty() && begins.starts_with(comment));
        let words = line.split(|c: char| !is_of_word(c)).filter(move |word| !is_comment && !word.is_empty());
        words.map(move |word| {
            let start = offset + (word.as_ptr() as usize - line.as_ptr() as usize);
            (number, u32::try_from(start).unwrap_or(u32::MAX), word)
        })
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn hashed(name: &str) -> Name {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_have_their_places_and_comments_none() {
        let text = "// no\nfn é(a$b) // yes\n  /* no\n * no\n */ c_1\n*d = 2\n/* e */ f";
        let found: Vec<_> = words(text, "//").map(|(line, _, word)| (line, word)).collect();
        let expected = [
            (1, "fn"),
            (1, "é"),
            (1, "a$b"),
            (1, "yes"),
            (2, "no"),
            (4, "c_1"),
            (5, "d"),
            (5, "2"),
            (6, "e"),
            (6, "f"),
        ];
        assert_eq!(found, expected);
        assert_eq!(words("# no\n// yes", "#").count(), 1);
        assert_eq!(words("# yes\n// yes", "").count(), 2);
        assert!(words(text, "//").all(|(_, start, word)| text[start as usize..].starts_with(word)));
    }
}
