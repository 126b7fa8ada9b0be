//! Tests the properties of edits on generated texts with all kinds of spaces, comments and line
//! ends.

use crate::agents::client_table::ConfigFormat;
use crate::agents::config_document::ConfigText;
use crate::agents::text_change::TextChange;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

fn config(format: ConfigFormat, text: &str) -> ConfigText<'_> {
    ConfigText { path: Path::new("f"), format, text }
}

fn entry() -> Value {
    json!({ "command": "/my bin/kenning", "args": ["mcp"] })
}

/// Generates the spaces between the parts of a JSON text.
fn spaces() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\n\n  ",
        " // c\n",
        " /* , } */ ",
        "\n// {\r\n  ",
    ])
    .prop_map(str::to_owned)
}

/// Generates a JSON value as text.
fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"\"",
        "\"a\\\"//b\"",
        "\"é\"",
        "[]",
        "{}",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 24, 4, |inner| {
        let list = (prop::collection::vec((spaces(), inner.clone(), spaces()), 0..4), any::<bool>());
        let list = list.prop_map(|(items, trailing)| join_parts('[', items, trailing, ']'));
        prop_oneof![list, json_object(inner)]
    })
}

/// Generates a JSON object as text, sometimes with the table of servers.
fn json_object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c c", "é", "mcpServers"]);
    let servers = prop_oneof![
        Just("{}".to_owned()),
        Just("{ \"other\": {} }".to_owned()),
        Just("{\n\t\"other\": { \"command\": \"x\" }, // y\n}".to_owned()),
    ];
    let field = (name, spaces(), value, servers, spaces(), spaces());
    let field = field.prop_map(|(name, before, value, servers, colon, after)| {
        let value = if name == "mcpServers" { servers } else { value };
        (before, format!("\"{name}\":{colon}{value}"), after)
    });
    (prop::collection::vec(field, 0..4), any::<bool>()).prop_map(|(mut fields, trailing)| {
        let mut names = Vec::new();
        fields.retain(|(_, field, _)| {
            let name = field.split(':').next().unwrap_or_default().to_owned();
            let is_new = !names.contains(&name);
            names.push(name);
            is_new
        });
        join_parts('{', fields, trailing, '}')
    })
}

fn join_parts(open: char, parts: Vec<(String, String, String)>, trailing: bool, close: char) -> String {
    let comma = if trailing && !parts.is_empty() { "," } else { "" };
    let parts: Vec<String> = parts.into_iter().map(|(before, part, after)| before + &part + &after).collect();
    format!("{open}{}{comma}{close}", parts.join(","))
}

fn without_key(mut value: Value, key: &str) -> Value {
    value.as_object_mut().map(|fields| fields.remove(key));
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_entry_changes_nothing_else_and_can_be_undone(
        start in spaces(), text in json_object(json_value()), end in spaces()
    ) {
        let before = format!("{start}{text}{end}");
        let read = |text: &str| config(ConfigFormat::Json, text).read_value(&[]).unwrap();
        let after = config(ConfigFormat::Json, &before).with_entry(&["mcpServers"], "kenning", &entry()).unwrap();
        let (old, new) = (read(&before).unwrap(), read(&after).unwrap());
        prop_assert_eq!(&new["mcpServers"]["kenning"], &entry());
        prop_assert_eq!(without_key(old.clone(), "mcpServers"), without_key(new.clone(), "mcpServers"));
        let servers = without_key(new["mcpServers"].clone(), "kenning");
        prop_assert_eq!(old.get("mcpServers").cloned().unwrap_or(json!({})), servers);
        prop_assert_eq!(TextChange::from_texts(&before, &after).undo_in(&after), Some(before));
        let without = config(ConfigFormat::Json, &after).without_entry(&["mcpServers"], "kenning").unwrap();
        let left = read(&without).unwrap();
        prop_assert_eq!(without_key(left.clone(), "mcpServers"), without_key(old.clone(), "mcpServers"));
        prop_assert!(left["mcpServers"]["kenning"].is_null());
    }

    #[test]
    fn a_list_item_changes_nothing_else_and_can_be_undone(
        start in spaces(), text in json_object(json_value()), end in spaces()
    ) {
        let before = format!("{start}{text}{end}");
        let after = config(ConfigFormat::Json, &before).with_item(&["hooks", "Stop"], &entry()).unwrap();
        let read = |text: &str| config(ConfigFormat::Json, text).read_value(&[]).unwrap().unwrap();
        prop_assert_eq!(&read(&after)["hooks"]["Stop"], &json!([entry()]));
        prop_assert_eq!(without_key(read(&after), "hooks"), read(&before));
        let without = config(ConfigFormat::Json, &after).without_items(&["hooks", "Stop"], |_| true).unwrap();
        prop_assert_eq!(read(&without.unwrap()), read(&before));
        prop_assert_eq!(TextChange::from_texts(&before, &after).undo_in(&after), Some(before));
    }

    #[test]
    fn no_text_causes_a_panic(text in "[\\[\\]{}:,\"'/*\\\\#=\\.a1\\r\\n\\t \u{feff}é-]{0,40}") {
        for format in [ConfigFormat::Json, ConfigFormat::Toml] {
            let edited = config(format, &text).with_entry(&["a", "b"], "kenning", &entry());
            if let Ok(edited) = edited {
                let found = config(format, &edited).read_value(&["a", "b", "kenning"]).unwrap();
                prop_assert_eq!(found, Some(entry()), "{:?}", edited);
            }
            let _ = config(format, &text).without_entry(&["a", "b"], "kenning");
            let _ = config(format, &text).is_empty();
        }
        let _ = config(ConfigFormat::Json, &text).with_item(&["a", "b"], &entry());
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}1{}", open.repeat(50_000), close.repeat(50_000));
        assert!(config(ConfigFormat::Json, &text).with_entry(&["a"], "kenning", &entry()).is_err());
    }
    let text = format!("a = {}", "[".repeat(50_000));
    assert!(config(ConfigFormat::Toml, &text).with_entry(&["a"], "kenning", &entry()).is_err());
}
