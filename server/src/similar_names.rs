//! Proposes names for one that does not exist, because it is misspelled.
//!
//! In: the name, and a snapshot. Out: at most three names. A name in the class, module or folder
//! that the user wrote comes before a more similar one elsewhere: of `Session.snd`, the class is
//! right.

use kenning_graph::{Snapshot, SymbolKind, SymbolRef};
use std::collections::BTreeSet;

/// Maximum number of names that are proposed for an unknown one.
const MAX_PROPOSED: usize = 3;

/// Minimum similarity (Jaro-Winkler, 0 to 1) of a name that is proposed for an unknown one.
const MIN_SIMILARITY: f64 = 0.88;

/// The same for a name in the class or folder that the user named, where few names compete.
const MIN_SIMILARITY_NEARBY: f64 = 0.75;

/// The minimum length of a word of a query that is compared with names. Shorter words are similar to
/// too many.
const MIN_WORD_CHARS: usize = 4;

/// A proposed name. Smaller is better.
#[derive(Debug, PartialEq)]
struct Proposal {
    is_elsewhere: bool,
    similarity: f64,
    name: String,
}

/// Returns the names that an unknown one may be a misspelling of, the likeliest first.
pub fn similar_names(snapshot: &Snapshot, wanted: &str) -> Vec<String> {
    let (path, name) = wanted.split_once("::").filter(|(path, _)| path.contains('.')).unwrap_or(("", wanted));
    let mut proposals = Vec::new();
    if wanted.contains('/') && path.is_empty() {
        let files = snapshot.files().into_iter().filter_map(|id| snapshot.file(id)).map(|file| file.path);
        proposals.extend(files.filter_map(|file| propose_path(file, wanted)));
    }
    let mut parts: Vec<&str> = name.split(['.', '#', '/', ':']).filter(|part| !part.is_empty()).collect();
    let simple = parts.pop().unwrap_or(name);
    let mut seen: BTreeSet<(bool, &str)> = BTreeSet::new();
    for symbol in snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id)) {
        // A file is proposed by its path.
        if symbol.kind.is_phantom() || symbol.kind == SymbolKind::File {
            continue;
        }
        let is_near = is_in_named_scope(&symbol, path, &parts);
        if !seen.insert((is_near, symbol.name)) {
            continue;
        }
        let proposal = rate_similarity(symbol.name, simple, is_near);
        proposals.extend(proposal.map(|rated| Proposal { name: symbol.display_name(), ..rated }));
    }
    best_names(proposals)
}

/// Returns the files that a path may be a misspelling of, the likeliest first.
pub fn similar_paths<'p>(paths: impl Iterator<Item = &'p str>, wanted: &str) -> Vec<String> {
    best_names(paths.filter_map(|path| propose_path(path, wanted)).collect())
}

/// Returns the names in a workspace that the words of a query may be misspellings of, the likeliest
/// one for each word.
pub fn similar_words(snapshot: &Snapshot, query: &str) -> Vec<String> {
    let words = query.split_whitespace().filter(|word| word.chars().count() >= MIN_WORD_CHARS);
    let nearest = words.filter_map(|word| similar_names(snapshot, word).into_iter().next());
    let mut seen = BTreeSet::new();
    nearest.filter(|name| seen.insert(name.clone())).take(MAX_PROPOSED).collect()
}

/// Formats proposals as a sentence; empty if there are none.
pub fn ask_if_meant(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        [only] => format!("Did you mean {only}?"),
        [first @ .., last] => format!("Did you mean {} or {last}?", first.join(", ")),
    }
}

/// Formats proposals as the part of a message between the problem and what else to pass; empty if
/// there are none.
pub fn suggest_similar_names(similar: &[String]) -> String {
    if similar.is_empty() {
        String::new()
    } else {
        format!("{} Otherwise ", ask_if_meant(similar).replacen("Did", "did", 1))
    }
}

fn best_names(mut proposals: Vec<Proposal>) -> Vec<String> {
    proposals.sort_by(|a, b| {
        let similarity = b.similarity.total_cmp(&a.similarity);
        a.is_elsewhere.cmp(&b.is_elsewhere).then(similarity).then_with(|| a.name.cmp(&b.name))
    });
    // Names elsewhere only distract from one in the right place.
    if proposals.first().is_some_and(|first| !first.is_elsewhere) {
        proposals.retain(|proposal| !proposal.is_elsewhere);
    }
    proposals.into_iter().take(MAX_PROPOSED).map(|proposal| proposal.name).collect()
}

/// Whether a symbol is in the file and the container that were written before a name.
fn is_in_named_scope(symbol: &SymbolRef<'_>, path: &str, parts: &[&str]) -> bool {
    let container: Vec<&str> = symbol.container.split(['.', '/']).filter(|part| !part.is_empty()).collect();
    let in_file = !path.is_empty() && symbol.path.ends_with(path);
    match parts.last() {
        Some(container_name) => {
            (path.is_empty() || in_file)
                && container.last().is_some_and(|last| last.eq_ignore_ascii_case(container_name))
        }
        None => in_file,
    }
}

/// Rates a path for a wanted one by the names of the files; `None` if they are not similar.
fn propose_path(path: &str, wanted: &str) -> Option<Proposal> {
    let split = |path: &str| {
        path.rsplit_once('/')
            .map_or((String::new(), path.to_owned()), |(folder, name)| (folder.to_owned(), name.to_owned()))
    };
    let ((folder, name), (wanted_folder, wanted_name)) =
        (split(path), split(wanted.trim_start_matches("./")));
    let rated = rate_similarity(&name, &wanted_name, folder == wanted_folder)?;
    Some(Proposal { name: path.to_owned(), ..rated })
}

fn rate_similarity(name: &str, wanted: &str, is_near: bool) -> Option<Proposal> {
    if name.len().abs_diff(wanted.len()) > 2 + wanted.len() / 4 {
        return None;
    }
    let similarity = strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase());
    let min = if is_near { MIN_SIMILARITY_NEARBY } else { MIN_SIMILARITY };
    (similarity >= min).then(|| Proposal { is_elsewhere: !is_near, similarity, name: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::index_files;

    #[test]
    fn a_name_in_the_named_place_comes_before_a_more_similar_one_elsewhere() {
        let shop = index_files(&[
            (
                "src/adapters.py",
                "class Adapter:\n    def snd(self):\n        pass\n    def sned(self):\n        pass\n",
            ),
            (
                "src/sessions.py",
                "class Session:\n    def send(self):\n        pass\n    def close(self):\n        pass\n",
            ),
            ("lib/session.rb", "class Other\nend\n"),
        ]);
        let snapshot = shop.workspace.current_snapshot();
        let similar = |name: &str| similar_names(&snapshot, name).join(" ");
        assert_eq!(similar("Session.snde"), "Session.send");
        assert_eq!(similar("Session#sennd"), "Session.send");
        assert_eq!(similar("src/sessions.py::snd"), "Session.send");
        assert_eq!(similar("sessions.py::Session.snd"), "Session.send");
        assert_eq!(similar("src/session.py"), "src/sessions.py");
        assert_eq!(similar("Sesion"), "Session");
        assert_eq!(similar("Session.zzzzz"), "");
        assert_eq!(similar_words(&snapshot, "sesion a").join(" "), "Session");
    }

    #[test]
    fn proposals_are_a_question() {
        let names =
            |names: &[&str]| ask_if_meant(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&[]), "");
        assert_eq!(names(&["a"]), "Did you mean a?");
        assert_eq!(names(&["a", "b", "c"]), "Did you mean a, b or c?");
        assert_eq!(suggest_similar_names(&["a".to_owned()]), "did you mean a? Otherwise ");
    }
}
