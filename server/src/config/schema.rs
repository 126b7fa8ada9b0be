//! Generates the JSON schema from the declarations.
//!
//! In: the list of options. Out: the JSON schema of `kenning.toml`, with nested sections. Editors
//! use it to complete and check the file, and `editors/vscode/scripts/settings.mjs` generates the
//! settings of Visual Studio Code from it.
//!
//! Invariant: the JSON schema has exactly the declared options.

use super::classes;
use super::option_table::{self, DeclaredOption, OptionChoice, OptionKind, OptionScope};
use serde_json::{Map, Value, json};

/// The value of the keyword `x-scope` at options that apply only in a trusted workspace.
const TRUSTED: &str = "trusted";

/// Generates the JSON schema of `kenning.toml`, which is also the schema of the section `kenning`
/// of an editor's settings.
pub fn json_schema() -> Value {
    let mut root = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Kenning",
        "description": "Options of kenning.toml and of the section kenning in editor settings",
        "type": "object",
        "additionalProperties": false,
        "properties": {},
    });
    for option in option_table::all_options() {
        let mut node = &mut root;
        for (depth, part) in option.path.iter().enumerate() {
            if !node["additionalProperties"].is_object() {
                node["additionalProperties"] = Value::Bool(false);
            }
            node["type"] = "object".into();
            let is_section = depth + 1 < option.path.len();
            node = match part.as_str() {
                option_table::ANY => {
                    if !node["additionalProperties"].is_object() {
                        node["additionalProperties"] = json!({});
                    }
                    &mut node["additionalProperties"]
                }
                name => &mut node["properties"][name],
            };
            if depth == 0 && is_section && node.is_null() {
                *node = json!({ "description": option_table::section_description(part) });
            }
        }
        *node = Value::Object(property_schema(option));
    }
    root
}

/// Returns the schema of one option.
fn property_schema(option: &DeclaredOption) -> Map<String, Value> {
    let words = |choices: &[OptionChoice]| choices.iter().map(|c| json!(c.word)).collect::<Value>();
    let mut schema = match &option.kind {
        OptionKind::Boolean => json!({ "type": "boolean" }),
        OptionKind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        OptionKind::Text => json!({ "type": "string", "minLength": 1 }),
        OptionKind::Folder => json!({ "type": "string" }),
        OptionKind::Choice(choices) => json!({ "type": "string", "enum": words(choices) }),
        OptionKind::Texts | OptionKind::Patterns => json!({ "type": "array", "items": { "type": "string" } }),
        OptionKind::Choices(choices) => {
            json!({ "type": "array", "items": { "type": "string", "enum": words(choices) } })
        }
        OptionKind::Classes => json!({ "type": "array", "items": classes::class_schema() }),
    };
    schema["description"] = option.description.clone().into();
    if !option.default.is_null() {
        schema["default"] = option.default.clone();
    }
    if option.scope == OptionScope::Trusted {
        schema["x-scope"] = TRUSTED.into();
    }
    match schema {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_contains_exactly_the_declared_options() {
        let schema = json_schema();
        for option in option_table::all_options() {
            let node = option.path.iter().fold(&schema, |node, part| {
                assert_eq!(node["type"], "object");
                match part.as_str() {
                    option_table::ANY => &node["additionalProperties"],
                    name => &node["properties"][name],
                }
            });
            assert_eq!(node["description"], json!(option.description), "{}", option.dotted_key());
        }
        assert_eq!(
            schema["properties"]["hover"],
            json!({
                "description": "The information shown when the pointer rests on a symbol.",
                "additionalProperties": false,
                "type": "object",
                "properties": { "enabled": {
                    "type": "boolean",
                    "description": "Show the blast radius of the symbol under the pointer.",
                    "default": true,
                } },
            })
        );
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn visual_studio_code_restricts_every_option_that_needs_trust() {
        let manifest = include_str!("../../../editors/vscode/package.json");
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        let restricted = &manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"];
        let restricted: Vec<&str> =
            restricted.as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        let schema = json_schema();
        for option in option_table::all_options() {
            let needs_trust = option.scope == OptionScope::Trusted;
            // Settings have no variable parts, so that one setting contains all servers.
            let fixed: Vec<&str> = option
                .path
                .iter()
                .map(String::as_str)
                .take_while(|part| *part != option_table::ANY)
                .collect();
            let key = format!("kenning.{}", fixed.join("."));
            if needs_trust {
                assert!(restricted.contains(&key.as_str()), "{key}; run `npm run settings`");
            } else if fixed.len() == option.path.len() {
                assert!(!restricted.contains(&key.as_str()), "{key}; run `npm run settings`");
            }
            let node = option.path.iter().fold(&schema, |node, part| match part.as_str() {
                option_table::ANY => &node["additionalProperties"],
                name => &node["properties"][name],
            });
            assert_eq!(node["x-scope"] == TRUSTED, needs_trust, "{key}");
        }
    }
}
