//! The list of product sources that open files. The files of a workspace are read in one place,
//! with limits.

use super::Finding;
use super::rust_text::{Layers, layers, without_tests};
use super::tree::Text;

/// Calls that open a file or make a library open one.
const CALLS: [&str; 8] = [
    "fs::read(",
    "fs::read_to_string(",
    "File::open(",
    "File::options(",
    "OpenOptions::new(",
    "Gitignore::new(",
    "WalkBuilder::new(",
    "discover_opts(",
];

/// The sources that open files, each with the reason why that is harmless.
const REVIEWED: [(&str, &str); 18] = [
    ("indexing/src/named_file.rs", "the one reader of files whose names Kenning chooses"),
    ("indexing/src/git.rs", "opens repositories whose files were checked"),
    ("indexing/src/walk/mod.rs", "the first bytes of a regular file that the walk found"),
    ("enrichment/src/client/guardian.rs", "/dev/null"),
    ("enrichment/src/client/process_tree.rs", "files of /proc"),
    ("enrichment/src/servers/tool_shims.rs", "a script that Kenning writes into a new temporary folder"),
    ("enrichment/src/supervisor/memory_limit.rs", "files of /proc"),
    ("server/src/cli/doctor.rs", "a file of /proc"),
    ("server/src/cli/eval/task_set.rs", "files that the command line names"),
    ("server/src/config/trust.rs", "a file in the user's data folder"),
    ("graph/src/private_files.rs", "files that Kenning writes into the cache folder"),
    ("graph/src/store/memory_db/salvage.rs", "a damaged database in the cache folder"),
    ("graph/src/snapshot/base/mod.rs", "an image in the cache folder"),
    ("graph/src/store/migrate.rs", "a database in the cache folder"),
    ("graph/src/store/lock.rs", "a lock in the cache folder"),
    ("indexing/src/languages/added.rs", "a test's own data"),
    ("server/src/lsp/commands/client_types.rs", "a test reads the editors' generated types"),
    ("server/src/lsp/commands/reference.rs", "a test reads the documentation"),
];

/// Returns findings for a product source that opens files and is not in the list.
pub fn check(source: &Text) -> Vec<Finding> {
    let is_test = |part: &str| part == "tests" || part == "tests.rs" || part == "examples";
    let in_product = ["graph/src/", "indexing/src/", "enrichment/src/", "retrieval/src/", "server/src/"]
        .iter()
        .any(|folder| source.path.starts_with(folder));
    let exempt = source.path.split('/').any(is_test) || source.path.ends_with("/query_oracle.rs");
    if !in_product || exempt || REVIEWED.iter().any(|(path, _)| *path == source.path) {
        return Vec::new();
    }
    let Layers { code, .. } = layers(&source.text);
    let code = without_tests(&code);
    CALLS
        .iter()
        .filter(|call| code.contains(*call))
        .map(|call| Finding {
            file: source.path.clone(),
            line: source.text.lines().position(|line| line.contains(*call)).map_or(1, |at| at + 1),
            what: format!("`{call}` opens a file"),
            mend: "Read it with indexing's `named_file`, or give the file its reason in tests/tests/tidy/opened_files.rs",
        })
        .collect()
}

/// Returns the entries of the list whose source no longer opens files.
pub fn stale(sources: &[Text]) -> Vec<Finding> {
    let opens = |path: &str| {
        let source = sources.iter().find(|source| source.path == path);
        source.is_some_and(|source| CALLS.iter().any(|call| source.text.contains(call)))
    };
    REVIEWED
        .iter()
        .filter(|(path, _)| !opens(path))
        .map(|(path, _)| Finding {
            file: (*path).to_owned(),
            line: 1,
            what: "this source opens no file".to_owned(),
            mend: "Take it out of tests/tests/tidy/opened_files.rs",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{check, stale};
    use crate::tree::Text;

    fn text(path: &str, text: &str) -> Text {
        Text { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_source_that_opens_a_file_by_itself_is_found() {
        let opens = "//! What.\n\nfn f() {\n    std::fs::read(path)\n}\n";
        let found = check(&text("server/src/config/a.rs", opens));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("server/src/config/a.rs:4: `fs::read(` opens a file."));
        for path in ["indexing/src/named_file.rs", "server/src/a/tests.rs", "bench/src/a.rs"] {
            assert_eq!(check(&text(path, opens)), []);
        }
        let in_tests = "//! What.\n#[cfg(test)]\nmod tests {\n    fn f() { std::fs::read(path) }\n}\n";
        assert_eq!(check(&text("server/src/config/a.rs", in_tests)), []);
    }

    #[test]
    fn an_entry_that_opens_nothing_is_found() {
        let found = stale(&[text("indexing/src/named_file.rs", "fn f() { File::open(path) }")]);
        assert!(found.iter().all(|finding| finding.file != "indexing/src/named_file.rs") && found.len() > 5);
    }
}
