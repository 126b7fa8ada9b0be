//! The linked grammars and their queries, with one registration per language.

use crate::extract::Dialect;
use crate::extract::dialects;

/// A grammar with its queries and its dialect.
pub(crate) struct Grammar {
    pub id: &'static str,
    pub source: GrammarSource,
    pub queries: &'static [&'static str],
    pub dialect: &'static dyn Dialect,
}

/// The origin of a grammar.
pub(crate) enum GrammarSource {
    /// The grammar is part of the program.
    Linked(fn() -> tree_sitter::Language),
    /// The grammar was loaded from a library that the user has installed.
    #[cfg(feature = "language-pack")]
    Loaded(tree_sitter::Language),
}

impl Grammar {
    /// Returns the grammar for a parser.
    pub fn tree_sitter_language(&self) -> tree_sitter::Language {
        match &self.source {
            GrammarSource::Linked(language) => language(),
            #[cfg(feature = "language-pack")]
            GrammarSource::Loaded(language) => language.clone(),
        }
    }
}

macro_rules! grammar {
    ($id:literal, $language:expr, [$($folder:literal),+], $dialect:expr) => {
        Grammar {
            id: $id,
            source: $crate::languages::grammars::GrammarSource::Linked(|| tree_sitter::Language::new($language)),
            queries: &[$(include_str!(concat!("../../queries/", $folder, "/facts.scm"))),+],
            dialect: &$dialect,
        }
    };
}

#[cfg(test)]
pub(super) use grammar;

/// The languages: id, grammar, query folders, dialect.
pub(crate) static GRAMMARS: &[Grammar] = &[
    grammar!("go", tree_sitter_go::LANGUAGE, ["go"], dialects::GoDialect),
    grammar!("python", tree_sitter_python::LANGUAGE, ["python"], dialects::PythonDialect),
    grammar!(
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ecmascript", "typescript"],
        dialects::EcmaScriptDialect
    ),
    grammar!(
        "tsx",
        tree_sitter_typescript::LANGUAGE_TSX,
        ["ecmascript", "typescript", "jsx"],
        dialects::EcmaScriptDialect
    ),
    grammar!(
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        ["ecmascript", "javascript", "jsx"],
        dialects::EcmaScriptDialect
    ),
    grammar!(
        "vue",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ecmascript", "typescript"],
        dialects::EcmaScriptDialect
    ),
    grammar!(
        "svelte",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ecmascript", "typescript"],
        dialects::EcmaScriptDialect
    ),
    grammar!("rust", tree_sitter_rust::LANGUAGE, ["rust"], dialects::RustDialect),
    grammar!("java", tree_sitter_java::LANGUAGE, ["java"], dialects::JavaDialect),
    grammar!("csharp", tree_sitter_c_sharp::LANGUAGE, ["csharp"], dialects::CSharpDialect),
    grammar!("ruby", tree_sitter_ruby::LANGUAGE, ["ruby"], dialects::RubyDialect),
    grammar!("c", tree_sitter_c::LANGUAGE, ["c"], dialects::CDialect),
    grammar!("cpp", tree_sitter_cpp::LANGUAGE, ["c", "cpp"], dialects::CDialect),
    grammar!("objc", tree_sitter_objc::LANGUAGE, ["c", "objc"], dialects::ObjectiveCDialect),
    grammar!("lua", tree_sitter_lua::LANGUAGE, ["lua"], dialects::LuaDialect),
    grammar!("sql", tree_sitter_sequel::LANGUAGE, ["sql"], dialects::PlainDialect),
    // Manifests and documents are not parsed, but the registry requires a grammar for every
    // language.
    grammar!("manifest", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("markdown", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("mdx", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("restructuredtext", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("asciidoc", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("jupyter", tree_sitter_yaml::LANGUAGE, ["manifest"], dialects::PlainDialect),
    grammar!("compose", tree_sitter_yaml::LANGUAGE, ["compose"], dialects::PlainDialect),
    grammar!("github_actions", tree_sitter_yaml::LANGUAGE, ["github_actions"], dialects::PlainDialect),
    grammar!("gitlab_ci", tree_sitter_yaml::LANGUAGE, ["gitlab_ci"], dialects::PlainDialect),
    grammar!("kubernetes", tree_sitter_yaml::LANGUAGE, ["kubernetes"], dialects::PlainDialect),
    grammar!("openapi", tree_sitter_yaml::LANGUAGE, ["openapi"], dialects::PlainDialect),
    grammar!("dotenv", tree_sitter_bash::LANGUAGE, ["dotenv"], dialects::PlainDialect),
    grammar!("dockerfile", tree_sitter_containerfile::LANGUAGE, ["dockerfile"], dialects::PlainDialect),
    grammar!("terraform", tree_sitter_hcl::LANGUAGE, ["terraform"], dialects::PlainDialect),
    grammar!("graphql", tree_sitter_graphql::LANGUAGE, ["graphql"], dialects::PlainDialect),
    grammar!("makefile", tree_sitter_make::LANGUAGE, ["makefile"], dialects::MakefileDialect),
    grammar!("cmake", tree_sitter_cmake::LANGUAGE, ["cmake"], dialects::PlainDialect),
    grammar!("proto", tree_sitter_proto::LANGUAGE, ["proto"], dialects::PlainDialect),
    grammar!("php", tree_sitter_php::LANGUAGE_PHP, ["php"], dialects::PhpDialect),
    grammar!("kotlin", tree_sitter_kotlin_ng::LANGUAGE, ["kotlin"], dialects::KotlinDialect),
    grammar!("swift", tree_sitter_swift::LANGUAGE, ["swift"], dialects::SwiftDialect),
    grammar!("scala", tree_sitter_scala::LANGUAGE, ["scala"], dialects::ScalaDialect),
    grammar!("dart", tree_sitter_dart::LANGUAGE, ["dart"], dialects::DartDialect),
    grammar!("elixir", tree_sitter_elixir::LANGUAGE, ["elixir"], dialects::ElixirDialect),
    grammar!("bash", tree_sitter_bash::LANGUAGE, ["bash"], dialects::BashDialect),
    grammar!("zig", tree_sitter_zig::LANGUAGE, ["zig"], dialects::ZigDialect),
    grammar!("haskell", tree_sitter_haskell::LANGUAGE, ["haskell"], dialects::HaskellDialect),
    grammar!(
        "ocaml",
        tree_sitter_ocaml::LANGUAGE_OCAML,
        ["ocaml", "ocaml_interface"],
        dialects::OcamlDialect
    ),
    grammar!(
        "ocaml_interface",
        tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
        ["ocaml_interface"],
        dialects::OcamlDialect
    ),
];

/// The highlighting queries of a language, from its grammar or from Kenning. They are compiled as
/// one text.
struct HighlightQueries {
    language: &'static str,
    queries: &'static [&'static str],
}

macro_rules! highlight_queries {
    ($($language:literal: [$($query:expr),+]),+ $(,)?) => {
        &[$(HighlightQueries { language: $language, queries: &[$($query),+] }),+]
    };
}

static HIGHLIGHT_QUERIES: &[HighlightQueries] = highlight_queries! {
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
    "graphql": [include_str!("../../queries/graphql/highlights.scm")],
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
    "proto": [include_str!("../../queries/proto/highlights.scm")],
    "python": [tree_sitter_python::HIGHLIGHTS_QUERY],
    "ruby": [tree_sitter_ruby::HIGHLIGHTS_QUERY],
    "rust": [tree_sitter_rust::HIGHLIGHTS_QUERY],
    "scala": [tree_sitter_scala::HIGHLIGHTS_QUERY],
    "sql": [tree_sitter_sequel::HIGHLIGHTS_QUERY],
    "swift": [tree_sitter_swift::HIGHLIGHTS_QUERY],
    "terraform": [include_str!("../../queries/terraform/highlights.scm")],
    "tsx": [
        tree_sitter_typescript::HIGHLIGHTS_QUERY,
        tree_sitter_javascript::HIGHLIGHT_QUERY,
        tree_sitter_javascript::JSX_HIGHLIGHT_QUERY
    ],
    "typescript": [tree_sitter_typescript::HIGHLIGHTS_QUERY, tree_sitter_javascript::HIGHLIGHT_QUERY],
    "zig": [tree_sitter_zig::HIGHLIGHTS_QUERY],
};

/// Returns the highlighting query of a language; `None` if there is none.
pub(crate) fn find_highlight_query(language: &str) -> Option<String> {
    let found = HIGHLIGHT_QUERIES.iter().find(|entry| entry.language == language)?;
    Some(found.queries.join("\n"))
}
