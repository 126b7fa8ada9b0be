//! Checks that only reviewed product sources open files. The files of a workspace whose names
//! Kenning chooses are opened in one place, `indexing/src/named_file.rs`, with limits on type and size.
//! The list of reviewed sources has the exceptions.

use super::reviewed_calls::ReviewedCalls;

/// Calls that open a file or make a library open one.
const OPENING_CALLS: [&str; 8] = [
    "fs::read(",
    "fs::read_to_string(",
    "File::open(",
    "File::options(",
    "OpenOptions::new(",
    "Gitignore::new(",
    "WalkBuilder::new(",
    "discover_opts(",
];

/// The reviewed sources that open files, each with what it opens, which is why it may.
const REVIEWED_SOURCES: &[(&str, &str)] = &[
    ("indexing/src/named_file.rs", "the one reader of files whose names Kenning chooses"),
    ("indexing/src/git.rs", "opens repositories whose files were checked"),
    ("indexing/src/languages/installed_grammars.rs", "grammars in a folder that the environment names"),
    ("enrichment/src/client/guardian.rs", "/dev/null"),
    ("enrichment/src/client/process_tree.rs", "files of /proc"),
    ("enrichment/src/servers/tool_shims.rs", "a script that Kenning writes into a new temporary folder"),
    ("enrichment/src/supervisor/memory_limit.rs", "files of /proc"),
    ("server/src/cli/doctor.rs", "a file of /proc"),
    ("server/src/cli/eval/task_set.rs", "files that the command line names"),
    ("server/src/cli/input.rs", "files that the command line names"),
    ("graph/src/private_files.rs", "files that Kenning writes into the cache folder"),
    ("graph/src/store/memory_db/salvage.rs", "a damaged database in the cache folder"),
    ("graph/src/snapshot/base/mod.rs", "an image in the cache folder"),
    ("graph/src/store/database_header.rs", "a database in the cache folder"),
    ("graph/src/store/kenning_files.rs", "the first bytes of regular files next to a database"),
    ("enrichment/src/servers/sandbox_policy.rs", "a tag that Kenning writes into a server's cache"),
    ("graph/src/store/migrate.rs", "a database in the cache folder"),
    ("graph/src/store/lock.rs", "a lock in the cache folder"),
    ("graph/src/store/use_lock.rs", "a lock and record in the cache folder"),
    ("indexing/src/languages/added_language_test.rs", "a test's own data"),
    ("server/src/lsp/commands/client_types.rs", "a test reads the editors' generated types"),
    ("server/src/lsp/commands/reference.rs", "a test reads the documentation"),
];

/// The rule that only reviewed sources open files.
pub const OPENED_FILES: ReviewedCalls = ReviewedCalls {
    calls: &OPENING_CALLS,
    sources: REVIEWED_SOURCES,
    effect: "opens a file",
    advice: "Read it with indexing's `named_file`, or add the source to tests/tests/tidy/opened_files.rs",
    unused_advice: "Remove it from tests/tests/tidy/opened_files.rs",
};

#[cfg(test)]
mod tests {
    use super::OPENED_FILES;
    use crate::checkout::TextFile;

    fn text(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_unlisted_source_that_opens_a_file_is_found() {
        let opens = "//! What.\n\nfn f() {\n    std::fs::read(path)\n}\n";
        let findings = OPENED_FILES.check_calls(&text("server/src/config/a.rs", opens));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().starts_with("server/src/config/a.rs:4: `fs::read(` opens a file."));
        for path in ["indexing/src/named_file.rs", "server/src/a/tests.rs", "bench/src/a.rs"] {
            assert_eq!(OPENED_FILES.check_calls(&text(path, opens)), []);
        }
        let in_tests = "//! What.\n#[cfg(test)]\nmod tests {\n    fn f() { std::fs::read(path) }\n}\n";
        assert_eq!(OPENED_FILES.check_calls(&text("server/src/config/a.rs", in_tests)), []);
    }

    #[test]
    fn a_listed_source_that_opens_no_file_is_found() {
        let findings =
            OPENED_FILES.check_list(&[text("indexing/src/named_file.rs", "fn f() { File::open(path) }")]);
        assert!(
            findings.iter().all(|finding| finding.file != "indexing/src/named_file.rs") && findings.len() > 5
        );
    }
}
