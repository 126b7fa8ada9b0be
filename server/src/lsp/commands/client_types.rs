//! Generates the editors' types of the commands from the commands' declarations: TypeScript for the
//! Visual Studio Code extension and LuaLS annotations for the Neovim plugin. Both files also
//! contain the words for evidence that the editors show, and the formats of packs.
//!
//! The input is [`DeclaredSchemas`], the output is the content of both files. They contain only
//! types that a command mentions.

use super::reference::{DeclaredSchemas, description_line, enum_values, reference_name};
use crate::format::PackFormat;
use crate::format::wording::describe_provenance;
use clap::ValueEnum;
use kenning_graph::Provenance;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

/// The command that updates both files.
const UPDATE_COMMAND: &str = "UPDATE_EXPECT=1 cargo test -p kenning --lib client_types";
/// The path of the TypeScript file, relative to this crate.
const TYPESCRIPT_PATH: &str = "../editors/vscode/src/protocol.ts";
/// The path of the Lua file, relative to this crate.
const LUA_PATH: &str = "../editors/nvim/lua/kenning/protocol.lua";

/// The notation of types in a language.
#[derive(Clone, Copy)]
struct TypeNotation {
    integer: &'static str,
    any: &'static str,
    null: &'static str,
    /// The prefix of the name of a declared type.
    prefix: &'static str,
    /// The type of a map from strings; `{}` stands for the type of the values.
    map: &'static str,
}

const TYPESCRIPT_NOTATION: TypeNotation =
    TypeNotation { integer: "number", any: "unknown", null: "null", prefix: "", map: "Record<string, {}>" };
const LUA_NOTATION: TypeNotation = TypeNotation {
    integer: "integer",
    any: "any",
    null: "nil",
    prefix: "kenning.protocol.",
    map: "table<string, {}>",
};

/// Whether a value may be absent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePresence {
    Required,
    /// The value is absent instead of null.
    Optional,
}

impl TypeNotation {
    /// Returns the type of a schema, without null for optional values.
    fn render_type(self, schema: &Value, presence: ValuePresence) -> String {
        if let Some(name) = reference_name(schema) {
            return format!("{}{name}", self.prefix);
        }
        let values = enum_values(schema);
        if !values.is_empty() {
            return values
                .iter()
                .map(|value| quote_text(value.trim_matches('`')))
                .collect::<Vec<_>>()
                .join(" | ");
        }
        let parts: Vec<String> = match (&schema["anyOf"], &schema["type"]) {
            (Value::Array(alternatives), _) => alternatives
                .iter()
                .map(|alternative| self.render_type(alternative, ValuePresence::Required))
                .collect(),
            (_, Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| self.render_type_name(name, schema))
                .collect(),
            (_, Value::String(name)) => vec![self.render_type_name(name, schema)],
            _ => vec![self.any.to_owned()],
        };
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|part| presence == ValuePresence::Required || part != self.null)
            .collect();
        parts.join(" | ")
    }

    /// Returns the type that a schema's `type` names.
    fn render_type_name(self, name: &str, schema: &Value) -> String {
        match name {
            "integer" => self.integer.to_owned(),
            "null" => self.null.to_owned(),
            "array" => match self.render_type(&schema["items"], ValuePresence::Required) {
                union if union.contains(" | ") => format!("({union})[]"),
                item => format!("{item}[]"),
            },
            "object" => {
                let values = &schema["additionalProperties"];
                let values = if values.is_object() {
                    self.render_type(values, ValuePresence::Required)
                } else {
                    self.any.to_owned()
                };
                self.map.replace("{}", &values)
            }
            other => other.to_owned(),
        }
    }
}

/// A property of an object, ready to be written.
struct PropertyLine {
    /// The name, with `?` if the property may be absent.
    name: String,
    kind: String,
    description: String,
}

/// Returns the properties of an object, in the order of their declaration.
fn property_lines(schema: &Value, notation: TypeNotation) -> Vec<PropertyLine> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    let lines = properties.into_iter().flatten().map(|(name, property)| {
        let is_required = required.contains(&name.as_str());
        let presence = if is_required { ValuePresence::Required } else { ValuePresence::Optional };
        PropertyLine {
            name: format!("{name}{}", if is_required { "" } else { "?" }),
            kind: notation.render_type(property, presence),
            description: description_line(property),
        }
    });
    lines.collect()
}

/// Returns arguments and results together, by name.
fn all_types(schemas: &DeclaredSchemas) -> Map<String, Value> {
    let mut types = schemas.results.clone();
    types.extend(schemas.arguments.clone());
    types.sort_keys();
    types
}

fn quote_text(text: &str) -> String {
    format!("'{}'", text.trim_matches('"'))
}

/// Returns the words for evidence, by the names of provenances.
fn provenance_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    Provenance::ALL.iter().map(|&provenance| (provenance.as_str(), describe_provenance(provenance)))
}

/// Renders the content of `protocol.ts`.
fn render_typescript(schemas: &DeclaredSchemas) -> String {
    let mut page = format!(
        "/**\n * The arguments and results of the server's commands (docs/lsp-extensions.md).\n * Generated from their \
         declarations: {UPDATE_COMMAND}\n */\n"
    );
    for (name, schema) in &all_types(schemas) {
        let _ = writeln!(page, "\n/** {} */", description_line(schema));
        let lines = property_lines(schema, TYPESCRIPT_NOTATION);
        if lines.is_empty() {
            let kind = match schema["type"].as_str() {
                Some("object") => "Record<string, never>".to_owned(),
                _ => TYPESCRIPT_NOTATION.render_type(schema, ValuePresence::Required),
            };
            let _ = writeln!(page, "export type {name} = {kind};");
            continue;
        }
        let _ = writeln!(page, "export interface {name} {{");
        for PropertyLine { name, kind, description } in lines {
            let _ = writeln!(page, "  /** {description} */\n  {name}: {kind};");
        }
        page.push_str("}\n");
    }
    page.push_str(
        "\n/** The commands, each with its argument and its result. */\nexport interface Commands {\n",
    );
    for (name, argument, result) in &schemas.commands {
        let argument = TYPESCRIPT_NOTATION.render_type(argument, ValuePresence::Required);
        let result = TYPESCRIPT_NOTATION.render_type(result, ValuePresence::Required);
        let _ = writeln!(page, "  '{name}': {{ argument: {argument}; result: {result} }};");
    }
    page.push_str("}\n\n/** The evidence for an edge, by its provenance. */\n");
    page.push_str("export const EVIDENCE: Readonly<Record<string, string>> = {\n");
    for (name, words) in provenance_words() {
        let _ = writeln!(page, "  {name}: {},", quote_text(words));
    }
    page.push_str("};\n\n/** The formats of packs. */\nexport const PACK_FORMATS: readonly PackFormat[] = [");
    let _ = writeln!(page, "{}];", pack_formats());
    page
}

/// Returns the names of the formats of packs as quoted items of a list.
fn pack_formats() -> String {
    let names = PackFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|value| quote_text(value.get_name())).collect::<Vec<_>>().join(", ")
}

/// Renders the content of `protocol.lua`.
fn render_lua(schemas: &DeclaredSchemas) -> String {
    let mut page = format!(
        "-- The arguments and results of the server's commands (docs/lsp-extensions.md).\n-- Generated from their \
         declarations: {UPDATE_COMMAND}\n-- luacheck: ignore 631\n-- stylua: ignore start\n"
    );
    for (name, schema) in &all_types(schemas) {
        let _ = writeln!(page, "\n--- {}", description_line(schema));
        let lines = property_lines(schema, LUA_NOTATION);
        if lines.is_empty() && schema["type"] != "object" {
            let kind = LUA_NOTATION.render_type(schema, ValuePresence::Required);
            let _ = writeln!(page, "---@alias {}{name} {kind}", LUA_NOTATION.prefix);
            continue;
        }
        let _ = writeln!(page, "---@class {}{name}", LUA_NOTATION.prefix);
        for PropertyLine { name, kind, description } in lines {
            let _ = writeln!(page, "---@field {name} {kind} {description}");
        }
    }
    page.push_str(
        "\nreturn {\n  --- The evidence for an edge, by its provenance.\n  ---@type table<string, string>\n",
    );
    page.push_str("  evidence = {\n");
    for (name, words) in provenance_words() {
        let _ = writeln!(page, "    {name} = {},", quote_text(words));
    }
    page.push_str("  },\n  --- The formats of packs.\n  ---@type string[]\n");
    let _ = writeln!(page, "  pack_formats = {{ {} }},\n}}", pack_formats());
    page
}

#[test]
fn the_types_of_the_editors_follow_the_declarations() {
    let schemas = DeclaredSchemas::collect();
    for (file, expected) in [(TYPESCRIPT_PATH, render_typescript(&schemas)), (LUA_PATH, render_lua(&schemas))]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, expected).unwrap();
            continue;
        }
        let current = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(current == expected, "{} is out of date: {UPDATE_COMMAND}", &file[3..]);
    }
}
