//! Generates the JSON schema and the settings of Visual Studio Code from the declarations.
//!
//! In: the list of options. Out: the JSON schema of `kenning.toml`, with nested sections, which
//! editors use to complete and check the file; and the settings of Visual Studio Code, with flat
//! keys.
//!
//! Invariant: the JSON schema has exactly the declared options. The settings lack only the options
//! that Visual Studio Code has itself.

use super::classes;
use super::option_table::{self, DeclaredOption, OptionChoice, OptionKind, OptionScope};
use serde_json::{Map, Value, json};

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

/// Generates the settings of Visual Studio Code: `contributes.configuration`, and the keys that
/// take effect only in a trusted workspace
/// (`capabilities.untrustedWorkspaces.restrictedConfigurations`).
pub fn vscode_settings() -> Value {
    let mut properties = Map::new();
    let mut restricted = Vec::new();
    for option in option_table::all_options() {
        match option.path.as_slice() {
            // One object for all servers, because Visual Studio Code has no settings with a
            // variable part in the middle.
            [section, ..] if option.path.len() > 2 => {
                let key = format!("kenning.{section}");
                if !restricted.contains(&key) {
                    let mut schema = json_schema()["properties"][section].take();
                    schema["default"] = json!({});
                    schema["scope"] = "resource".into();
                    properties.insert(key.clone(), schema);
                    restricted.push(key);
                }
            }
            // The extension sends the editor's own workspace trust instead.
            _ if option.scope == OptionScope::Editor => {}
            _ => {
                let mut schema = property_schema(option);
                if let Some(text) = schema.remove("description") {
                    schema.insert("markdownDescription".to_owned(), text);
                }
                if let OptionKind::Choice(choices) = &option.kind {
                    let meanings = choices.iter().map(|choice| json!(choice.meaning)).collect();
                    schema.insert("enumDescriptions".to_owned(), Value::Array(meanings));
                }
                let scope = if option.path[0] == "log" { "window" } else { "resource" };
                schema.insert("scope".to_owned(), scope.into());
                properties.insert(format!("kenning.{}", option.dotted_key()), Value::Object(schema));
            }
        }
    }
    json!({
        "configuration": { "title": "Kenning", "properties": properties },
        "restrictedConfigurations": restricted,
    })
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
    match schema {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

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
    fn visual_studio_code_gets_flat_settings() {
        let settings = vscode_settings();
        let properties = settings["configuration"]["properties"].as_object().unwrap();
        let keys: Vec<&str> = properties.keys().map(String::as_str).collect();
        expect![[r#"
            kenning.hover.enabled
            kenning.codeLens.enabled
            kenning.codeLens.kinds
            kenning.codeLens.minimumCallers
            kenning.codeLens.minimumDependents
            kenning.codeLens.minimumTests
            kenning.codeActions.enabled
            kenning.callHierarchy.enabled
            kenning.pack.budget
            kenning.pack.changeBudget
            kenning.pack.format
            kenning.pack.documents
            kenning.ranking.configuration
            kenning.learning.taskMemory
            kenning.blastRadius.depth
            kenning.index.maxFileSize
            kenning.index.exclude
            kenning.index.threads
            kenning.index.watch
            kenning.index.history
            kenning.knowledge.folder
            kenning.knowledge.lens
            kenning.vectors.model
            kenning.log.level
            kenning.class
            kenning.servers"#]]
        .assert_eq(&keys.join("\n"));
        assert_eq!(settings["restrictedConfigurations"], json!(["kenning.servers"]));
        expect![[r#"
            {
              "type": "string",
              "enum": [
                "auto",
                "client",
                "own",
                "off"
              ],
              "default": "auto",
              "markdownDescription": "The source of notifications about files that change on disk. A change to this option takes effect in the next session.",
              "enumDescriptions": [
                "The editor if it can, otherwise Kenning itself.",
                "Only the editor.",
                "Kenning itself, even if the editor can.",
                "No watching; Kenning checks the disk on each request."
              ],
              "scope": "resource"
            }"#]]
        .assert_eq(&format!("{:#}", properties["kenning.index.watch"]));
    }
}
