//! Checks that only reviewed product sources remove or replace files. The list of reviewed sources
//! says for each how it knows that the file is Kenning's, or that the user asked for its removal.

use super::reviewed_calls::ReviewedCalls;

/// Calls that remove a file or a folder, or put another file in its place.
const REMOVING_CALLS: [&str; 6] = [
    "fs::remove_file(",
    "fs::remove_dir(",
    "fs::remove_dir_all(",
    "fs::rename(",
    ".persist(",
    "File::create(",
];

/// The reviewed sources, each with what it removes and how it knows that it may.
const REVIEWED_SOURCES: &[(&str, &str)] = &[
    (
        "graph/src/snapshot/base/base_writer.rs",
        "unfinished images, by name and header; its own temporary file",
    ),
    ("graph/src/store/mod.rs", "moves a database to an unused name; the callers check its header or folder"),
    ("indexing/src/workspace/graph_image.rs", "the damaged image of a database whose files were checked"),
    ("indexing/src/workspace/mod.rs", "damaged runs in the cache, or with Kenning's header"),
    ("enrichment/src/client/guardian.rs", "a server's temporary folder, by the name that Kenning gave it"),
    ("server/src/cache/owned_files.rs", "files that it recognizes, and folders that are empty or have a tag"),
    ("server/src/cache/removal.rs", "a folder of the cache that is empty"),
    ("server/src/session_sockets.rs", "sockets in a folder of this user"),
    ("server/src/cli/pack_memory.rs", "packs, by name and type, in a real folder; its own temporary file"),
    ("server/src/cli/doctor.rs", "the file that it has created"),
    ("server/src/lsp/show.rs", "shown documents, by name and type, in a real folder"),
    ("server/src/file_write.rs", "replaces a file that the user asked to write"),
    ("server/src/knowledge/folder.rs", "replaces the entry that the user edits"),
    (
        "server/src/agents/file_changes.rs",
        "a file with the recorded text that Kenning created; empty folders",
    ),
    ("server/src/agents/install_record.rs", "the record in Kenning's folder of user data"),
    ("server/src/config/trust.rs", "the list in Kenning's folder of user data"),
];

/// The rule that only reviewed sources remove or replace files.
pub const REMOVED_FILES: ReviewedCalls = ReviewedCalls {
    calls: &REMOVING_CALLS,
    sources: REVIEWED_SOURCES,
    effect: "removes or replaces a file",
    advice: "Make sure that the file is Kenning's, and say how in tests/tests/tidy/removed_files.rs",
    unused_advice: "Remove it from tests/tests/tidy/removed_files.rs",
};

#[cfg(test)]
mod tests {
    use super::REMOVED_FILES;
    use crate::checkout::TextFile;

    fn text(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_unlisted_source_that_removes_a_file_is_found() {
        let removes = "//! What.\n\nfn f() {\n    std::fs::remove_dir_all(path)\n}\n";
        let findings = REMOVED_FILES.check_calls(&text("server/src/config/a.rs", removes));
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].to_string().starts_with("server/src/config/a.rs:4: `fs::remove_dir_all(` removes")
        );
        for path in ["server/src/cache/removal.rs", "server/src/a/tests.rs", "bench/src/a.rs"] {
            assert_eq!(REMOVED_FILES.check_calls(&text(path, removes)), []);
        }
        let in_tests = "//! What.\n#[cfg(test)]\nmod tests {\n    fn f() { std::fs::remove_file(path) }\n}\n";
        assert_eq!(REMOVED_FILES.check_calls(&text("server/src/config/a.rs", in_tests)), []);
    }

    #[test]
    fn a_listed_source_that_removes_no_file_is_found() {
        let sources = [text("server/src/cache/removal.rs", "fn f() { std::fs::remove_dir(path) }")];
        let findings = REMOVED_FILES.check_list(&sources);
        assert!(findings.iter().all(|finding| finding.file != "server/src/cache/removal.rs"));
        assert!(findings.len() > 5);
    }
}
