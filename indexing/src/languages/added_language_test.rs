//! A test that data is enough to add a language: a row, a query, a grammar and one line that
//! registers it.
//!
//! Kenning does not support Lua. This folder contains everything that it needs to do so.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::{Grammar, Language, LanguageRegistry, LanguageRow};
use crate::extract::{Extractor, dialects, render_facts};
use expect_test::expect;
use std::path::{Path, PathBuf};

static LUA: Grammar = super::grammars::grammar!(
    "lua",
    tree_sitter_lua::LANGUAGE,
    ["../src/languages/added_language_test/lua"],
    dialects::PlainDialect
);

fn lua() -> Language {
    let row: LanguageRow =
        toml::from_str(include_str!("added_language_test/lua/language.toml")).expect("a row");
    Language::new(row, &LUA)
}

#[test]
fn a_row_and_a_query_are_enough_to_read_a_language() {
    let text = r#"
-- Talks to people.
local names = require("app.names")

-- Says hello.
local function greet(who)
  print(names.full(who))
end

local Person = {}

-- A person of this name.
function Person.new(name)
  local self = setmetatable({}, Person)
  os.execute("true")
  return self
end

function Person:wave(times)
  greet(self.name)
  log(os.getenv("HOME"), greet)
end
"#;
    let facts = Extractor::new().extract_with_language(&lua(), text.as_bytes());
    expect![[r#"
        lua package="" lines=22
        function greet 6-8 `local function greet(who)` ()/0 public doc="Says hello."
        variable Person 10-10 `local Person = {}` public
        method Person.new 13-17 `function Person.new(name)` ()/0 public doc="A person of this name."
        method Person.wave 19-22 `function Person:wave(times)` ()/0 public
        ref Call names.full/1 in greet 7:15
        ref Name Person in Person.new 13:10
        ref Call setmetatable/2 in Person.new 14:16
        ref Value Person in Person.new 14:33
        ref Call os.execute/1 in Person.new 15:6
        ref Process true in Person.new 15:14
        ref Name Person in Person.wave 19:10
        ref Call greet/1 in Person.wave 20:3
        ref Field self.name in Person.wave 20:14
        ref Call log/2 in Person.wave 21:3
        ref Call os.getenv/1 in Person.wave 21:10
        ref Env HOME in Person.wave 21:17
        ref Value greet in Person.wave 21:26
        import "app.names" "" as "names" in file
    "#]]
    .assert_eq(&render_facts(&facts));
}

#[test]
fn every_kind_and_field_of_the_row_exists_in_the_grammar() {
    let lua = lua();
    let missing = super::node_kinds::missing_kinds(&(lua.grammar.language)(), &lua.row);
    assert!(missing.is_empty(), "{missing:?}");
}

/// The code locations where Rust code may name a language (or an extension with the same name): the
/// registration, its manifests, and its resolution rules.
const LANGUAGE_SPECIFIC_PATHS: [&str; 4] =
    ["languages/grammars.rs", "project/", "resolve/family.rs", "resolve/lang/"];

#[test]
fn no_other_rust_code_names_a_language() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let ids: Vec<String> =
        LanguageRegistry::get().all_languages().iter().map(|l| format!("\"{}\"", l.language_id())).collect();
    let (mut folders, mut found) = (vec![source.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            let relative = path.strip_prefix(&source).expect("in it").to_string_lossy().replace('\\', "/");
            let is_test = relative.contains("tests") || relative.starts_with("languages/added_language_test");
            if path.is_dir() {
                folders.push(path);
            } else if !is_test && !LANGUAGE_SPECIFIC_PATHS.iter().any(|path| relative.starts_with(path)) {
                let text = std::fs::read_to_string(&path).expect("text");
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let naming = lines.filter(|line| ids.iter().any(|id| line.contains(id)));
                found.extend(naming.map(|line| format!("{relative}: {}", line.trim())));
            }
        }
    }
    assert!(found.is_empty(), "put it in languages.toml or another table:\n{}", found.join("\n"));
}
