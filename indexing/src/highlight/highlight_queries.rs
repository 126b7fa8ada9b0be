//! The queries for highlighting: those that the grammars bring along, and ours for grammars that bring
//! none.

/// The queries of a language; later ones add to the earlier ones.
struct LanguageQueries {
    language: &'static str,
    queries: &'static [&'static str],
}

macro_rules! queries {
    ($($language:literal: [$($query:expr),+]),+ $(,)?) => {
        &[$(LanguageQueries { language: $language, queries: &[$($query),+] }),+]
    };
}

static QUERIES: &[LanguageQueries] = queries! {
    "bash": [tree_sitter_bash::HIGHLIGHT_QUERY],
    "c": [tree_sitter_c::HIGHLIGHT_QUERY],
    "cmake": [tree_sitter_cmake::HIGHLIGHTS_QUERY],
    "compose": [tree_sitter_yaml::HIGHLIGHTS_QUERY],
    "cpp": [tree_sitter_cpp::HIGHLIGHT_QUERY, tree_sitter_c::HIGHLIGHT_QUERY],
    "csharp": [tree_sitter_c_sharp::HIGHLIGHTS_QUERY],
    "dart": [tree_sitter_dart::HIGHLIGHTS_QUERY],
    "dockerfile": [tree_sitter_containerfile::HIGHLIGHTS_QUERY],
    "dotenv": [tree_sitter_bash::HIGHLIGHT_QUERY],
    "elixir": [tree_sitter_elixir::HIGHLIGHTS_QUERY],
    "github_actions": [tree_sitter_yaml::HIGHLIGHTS_QUERY],
    "gitlab_ci": [tree_sitter_yaml::HIGHLIGHTS_QUERY],
    "go": [tree_sitter_go::HIGHLIGHTS_QUERY],
    "haskell": [tree_sitter_haskell::HIGHLIGHTS_QUERY],
    "java": [tree_sitter_java::HIGHLIGHTS_QUERY],
    "javascript": [tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY],
    "kotlin": [include_str!("../../queries/kotlin/highlights.scm")],
    "kubernetes": [tree_sitter_yaml::HIGHLIGHTS_QUERY],
    "lua": [tree_sitter_lua::HIGHLIGHTS_QUERY],
    "makefile": [tree_sitter_make::HIGHLIGHTS_QUERY],
    "objc": [tree_sitter_objc::HIGHLIGHTS_QUERY],
    "ocaml": [tree_sitter_ocaml::HIGHLIGHTS_QUERY],
    "openapi": [tree_sitter_yaml::HIGHLIGHTS_QUERY],
    "php": [tree_sitter_php::HIGHLIGHTS_QUERY],
    "python": [tree_sitter_python::HIGHLIGHTS_QUERY],
    "ruby": [tree_sitter_ruby::HIGHLIGHTS_QUERY],
    "rust": [tree_sitter_rust::HIGHLIGHTS_QUERY],
    "scala": [tree_sitter_scala::HIGHLIGHTS_QUERY],
    "sql": [tree_sitter_sequel::HIGHLIGHTS_QUERY],
    "swift": [tree_sitter_swift::HIGHLIGHTS_QUERY],
    "tsx": [
        tree_sitter_typescript::HIGHLIGHTS_QUERY,
        tree_sitter_javascript::HIGHLIGHT_QUERY,
        tree_sitter_javascript::JSX_HIGHLIGHT_QUERY
    ],
    "typescript": [tree_sitter_typescript::HIGHLIGHTS_QUERY, tree_sitter_javascript::HIGHLIGHT_QUERY],
    "zig": [tree_sitter_zig::HIGHLIGHTS_QUERY],
};

/// Returns the query of a language; `None` if there is none.
pub fn find_query(language: &str) -> Option<String> {
    let found = QUERIES.iter().find(|entry| entry.language == language)?;
    Some(found.queries.join("\n"))
}
