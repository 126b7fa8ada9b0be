//! Generates the commands' part of `docs/lsp-extensions.md` from their declarations.

use super::COMMANDS;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str =
    "<!-- generated from the declarations: UPDATE_EXPECT=1 cargo test -p kenning reference -->\n";
const END: &str = "<!-- end of the generated part -->\n";

/// The schemas of all commands.
pub(super) struct DeclaredSchemas {
    /// Name, argument and result of each command, as references to the types below.
    pub commands: Vec<(&'static str, Value, Value)>,
    /// The types of arguments by name.
    pub arguments: Map<String, Value>,
    /// The types of results by name.
    pub results: Map<String, Value>,
}

impl DeclaredSchemas {
    /// Reads the declarations.
    pub(super) fn collect() -> Self {
        let mut arguments = SchemaSettings::draft2020_12().into_generator();
        let mut results = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let commands = COMMANDS
            .iter()
            .map(|c| (c.name, (c.arguments)(&mut arguments).to_value(), (c.result)(&mut results).to_value()))
            .collect();
        Self {
            commands,
            arguments: drain_definitions(&mut arguments),
            results: drain_definitions(&mut results),
        }
    }
}

/// Renders the commands and then the types that they mention.
fn render_reference() -> String {
    let DeclaredSchemas { commands, arguments: mut inputs, results: mut types } = DeclaredSchemas::collect();
    let mut out = String::new();
    let input_types = inputs.clone();
    for (name, argument, result) in &commands {
        let key = reference_name(argument).expect("arguments are a named type").to_owned();
        let schema = inputs.remove(&key).expect("it was just declared");
        let _ = writeln!(out, "### {name}\n\n{}\n", description_line(&schema));
        match property_table(&schema, "argument", &input_types) {
            Some(table) => out.push_str(&table),
            None => out.push_str("No arguments.\n"),
        }
        let _ = writeln!(out, "\nReturns {}.\n", result_name(result, &types));
    }
    types.extend(inputs);
    let all_types = types.clone();
    types.sort_keys();
    out.push_str("### Types\n");
    for (name, schema) in types.iter().filter(|(_, schema)| schema.get("properties").is_some()) {
        let _ = writeln!(out, "\n#### {name}\n\n{}\n", description_line(schema));
        out.extend(property_table(schema, "field", &all_types));
    }
    out
}

fn drain_definitions(generator: &mut SchemaGenerator) -> Map<String, Value> {
    generator.take_definitions(true)
}

pub(super) fn reference_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}

/// Returns the name of a result type, or the names of its alternatives if it has several.
fn result_name(schema: &Value, types: &Map<String, Value>) -> String {
    let declared = reference_name(schema).and_then(|name| types.get(name));
    match declared.and_then(|schema| schema["anyOf"].as_array()) {
        Some(alternatives) => {
            let alternatives: Vec<String> = alternatives
                .iter()
                .map(|alternative| {
                    format!(
                        "{} ({})",
                        type_name(alternative, types),
                        lowercase_first(&description_line(alternative))
                    )
                })
                .collect();
            alternatives.join(" or ")
        }
        None => type_name(schema, types),
    }
}

fn lowercase_first(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Returns the documentation as one line.
pub(super) fn description_line(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Renders a table with one row for each property; `None` if there are no properties.
fn property_table(schema: &Value, heading: &str, types: &Map<String, Value>) -> Option<String> {
    let properties = schema["properties"].as_object()?;
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = format!("| {heading} | type | |\n|---|---|---|\n");
    for (name, property) in properties {
        let optional = !required.contains(&name.as_str());
        let mut kind = type_name(property, types);
        if optional {
            kind = kind.trim_end_matches(" or null").to_owned();
        }
        let mark = if optional { "?" } else { "" };
        let _ =
            writeln!(out, "| `{name}{mark}` | {kind} | {} |", description_line(property).replace('|', "\\|"));
    }
    Some(out)
}

/// Renders a type in words, with named types as links and enumerations as their values.
fn type_name(schema: &Value, types: &Map<String, Value>) -> String {
    if let Some(name) = reference_name(schema) {
        let values = types.get(name).map(enum_values).unwrap_or_default();
        return if values.is_empty() {
            format!("[{name}](#{})", name.to_lowercase())
        } else {
            values.join(" or ")
        };
    }
    if let Some(parts) = schema["anyOf"].as_array() {
        return parts.iter().map(|part| type_name(part, types)).collect::<Vec<_>>().join(" or ");
    }
    let render_single = |name: &str| match name {
        "array" => format!("list of {}", plural_type_name(&schema["items"], types)),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", plural_type_name(&schema["additionalProperties"], types))
        }
        other => other.to_owned(),
    };
    match &schema["type"] {
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(render_single).collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) => render_single(name),
        _ => "any".to_owned(),
    }
}

/// Renders the type of the elements of a list or an object.
fn plural_type_name(schema: &Value, types: &Map<String, Value>) -> String {
    let name = type_name(schema, types);
    match name.as_str() {
        "string" | "integer" | "number" | "boolean" | "object" => format!("{name}s"),
        _ => name,
    }
}

/// Returns the values of an enumeration, as code.
pub(super) fn enum_values(schema: &Value) -> Vec<String> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"].as_array().into_iter().flatten().map(|variant| &variant["const"]);
    listed.chain(described).filter(|value| value.is_string()).map(|value| format!("`{value}`")).collect()
}

#[test]
fn the_documentation_of_the_commands_follows_their_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lsp-extensions.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(BEGIN).expect("the page has the begin marker");
    let (current, tail) = rest.split_once(END).expect("the page has the end marker");
    let expected = format!("\n{}\n", render_reference());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{expected}{END}{tail}")).unwrap();
        return;
    }
    assert!(
        current == expected,
        "docs/lsp-extensions.md is out of date: UPDATE_EXPECT=1 cargo test -p kenning reference"
    );
}
