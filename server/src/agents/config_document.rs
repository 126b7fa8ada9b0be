//! Reads and edits a configuration file of a client, in any of the formats.

use super::client_table::ConfigFormat;
use super::json_document::JsonDocument;
use super::toml_document::TomlDocument;
use super::{AgentError, ENTRY_NAME};
use serde_json::Value;
use std::path::Path;

/// The text of a configuration file and its format.
#[derive(Clone, Copy, Debug)]
pub struct ConfigText<'a> {
    /// The path, for errors.
    pub path: &'a Path,
    /// The format.
    pub format: ConfigFormat,
    /// The text.
    pub text: &'a str,
}

impl ConfigText<'_> {
    /// Returns the value below some keys, if there is one.
    ///
    /// # Errors
    /// Returns `AgentError::Syntax` if the text cannot be parsed, and `AgentError::DuplicateKey` if
    /// one of the keys is ambiguous.
    pub fn read_value(&self, keys: &[&str]) -> Result<Option<Value>, AgentError> {
        Ok(match self.format {
            ConfigFormat::Toml => TomlDocument::parse_text(self.path, self.text)?.read_value(keys),
            ConfigFormat::Json | ConfigFormat::Jsonc => self.parse_json(keys)?.read_value(keys),
        })
    }

    /// Returns the text with an entry set in the table below the keys `table`.
    ///
    /// # Errors
    /// Returns an error if the text cannot be parsed or has another structure.
    pub fn with_entry(&self, table: &[&str], name: &str, value: &Value) -> Result<String, AgentError> {
        match self.format {
            ConfigFormat::Toml => {
                let mut document = TomlDocument::parse_text(self.path, self.text)?;
                document.set_entry(table, name, value)?;
                Ok(document.render_text())
            }
            ConfigFormat::Json | ConfigFormat::Jsonc => {
                let document = self.parse_json(&[table, &[name]].concat())?;
                document.set_entry(table, name, value)?;
                Ok(document.render_text())
            }
        }
    }

    /// Returns the text without an entry, and without the tables that become empty.
    ///
    /// # Errors
    /// Returns `AgentError::Syntax` if the text cannot be parsed, and `AgentError::DuplicateKey` if
    /// one of the keys is ambiguous.
    pub fn without_entry(&self, table: &[&str], name: &str) -> Result<String, AgentError> {
        match self.format {
            ConfigFormat::Toml => {
                let mut document = TomlDocument::parse_text(self.path, self.text)?;
                document.remove_entry(table, name);
                Ok(document.render_text())
            }
            ConfigFormat::Json | ConfigFormat::Jsonc => {
                let document = self.parse_json(&[table, &[name]].concat())?;
                document.remove_entry(table, name);
                Ok(document.render_text())
            }
        }
    }

    /// Returns the JSON text with an item at the end of the list below `list`.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON or has another structure.
    pub fn with_item(&self, list: &[&str], value: &Value) -> Result<String, AgentError> {
        let document = self.parse_json(list)?;
        document.append_item(list, value)?;
        Ok(document.render_text())
    }

    /// Returns the JSON text without the matching items of a list. Returns `None` if no item
    /// matches.
    ///
    /// # Errors
    /// Returns `AgentError::Syntax` if the text is not JSON.
    pub fn without_items(
        &self,
        list: &[&str],
        is_match: impl Fn(&Value) -> bool,
    ) -> Result<Option<String>, AgentError> {
        let document = self.parse_json(list)?;
        Ok(document.remove_items(list, is_match).then(|| document.render_text()))
    }

    /// Whether the file has no content, so that its creator may remove it. A text that cannot be
    /// parsed counts as content.
    pub fn is_empty(&self) -> bool {
        match self.format {
            ConfigFormat::Toml => {
                TomlDocument::parse_text(self.path, self.text).is_ok_and(|document| document.is_empty())
            }
            ConfigFormat::Json | ConfigFormat::Jsonc => {
                self.parse_json(&[]).is_ok_and(|document| document.is_empty())
            }
        }
    }

    /// Parses a JSON text, in which some keys lead to a table, a list, or Kenning's entry.
    fn parse_json(&self, keys: &[&str]) -> Result<JsonDocument<'_>, AgentError> {
        let document = JsonDocument::parse_text(self.path, self.text)?;
        document.check_keys(keys, keys.last() == Some(&ENTRY_NAME))?;
        Ok(document)
    }
}

/// Returns the text of a new JSON file with an object.
pub fn render_new_json(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    const PATH: &str = "f.json";

    fn json_text(text: &str) -> ConfigText<'_> {
        ConfigText { path: Path::new(PATH), format: ConfigFormat::Json, text }
    }

    fn toml_text(text: &str) -> ConfigText<'_> {
        ConfigText { path: Path::new("f.toml"), format: ConfigFormat::Toml, text }
    }

    fn entry() -> Value {
        json!({ "command": "kenning", "args": ["mcp"] })
    }

    #[test]
    fn an_entry_is_added_without_touching_the_rest() {
        let text = "{\n    // servers\n    \"mcpServers\": {\n        \"other\": { \"command\": \"x\" }, // mine\n    },\n}\n";
        expect![[r#"
            {
                // servers
                "mcpServers": {
                    "other": { "command": "x" }, // mine
                    "kenning": {
                        "command": "kenning",
                        "args": ["mcp"],
                    },
                },
            }
        "#]]
        .assert_eq(&json_text(text).with_entry(&["mcpServers"], "kenning", &entry()).unwrap());
    }

    #[test]
    fn missing_tables_and_files_are_created() {
        expect![[r#"
            {
              "a": 1,
              "mcp": {
                "servers": {
                  "kenning": {
                    "command": "kenning",
                    "args": ["mcp"]
                  }
                }
              }
            }
        "#]]
        .assert_eq(
            &json_text("{ \"a\": 1 }\n").with_entry(&["mcp", "servers"], "kenning", &entry()).unwrap(),
        );
        expect![[r#"
            model = "x" # mine

            [mcp_servers.kenning]
            command = "kenning"
            args = ["mcp"]
        "#]]
        .assert_eq(
            &toml_text("model = \"x\" # mine\n").with_entry(&["mcp_servers"], "kenning", &entry()).unwrap(),
        );
    }

    #[test]
    fn new_lines_end_like_the_lines_of_the_file() {
        let json = json_text("{\r\n  \"a\": {}\r\n}\r\n").with_entry(&["b"], "kenning", &entry()).unwrap();
        let toml = toml_text("a = 1\r\n").with_entry(&["b"], "kenning", &entry()).unwrap();
        for text in [json, toml] {
            assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
            assert!(text.matches('\n').count() > 3);
        }
    }

    #[test]
    fn an_inline_table_stays_inline() {
        expect![[r#"
            mcp_servers = { other = { command = "x" } , kenning = { command = "kenning", args = ["mcp"] } }
        "#]]
        .assert_eq(
            &toml_text("mcp_servers = { other = { command = \"x\" } }\n")
                .with_entry(&["mcp_servers"], "kenning", &entry())
                .unwrap(),
        );
    }

    #[test]
    fn an_entry_is_removed_with_the_tables_that_it_leaves_empty() {
        let keys: &[&str] = &["mcp"];
        let remove = |text: &str| json_text(text).without_entry(keys, "kenning").unwrap();
        assert_eq!(remove("{\n  \"a\": 1,\n  \"mcp\": { \"kenning\": {} }\n}\n"), "{\n  \"a\": 1\n}\n");
        assert_eq!(
            remove("{\n  \"mcp\": {\n    \"kenning\": {},\n    \"b\": {}\n  }\n}\n"),
            "{\n  \"mcp\": {\n    \"b\": {}\n  }\n}\n"
        );
        let toml = toml_text("[mcp.kenning]\ncommand = \"x\"\n\n[mcp.b]\nx = 1\n");
        assert_eq!(toml.without_entry(keys, "kenning").unwrap(), "\n[mcp.b]\nx = 1\n");
    }

    #[test]
    fn a_list_gets_and_loses_an_item() {
        let item = json!({ "hooks": [{ "command": "kenning agents hook start" }] });
        let text = "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [] }]\n  }\n}\n";
        let with = json_text(text).with_item(&["hooks", "Stop"], &item).unwrap();
        expect![[r#"
            {
              "hooks": {
                "Stop": [
                  { "hooks": [] },
                  {
                    "hooks": [
                      {
                        "command": "kenning agents hook start"
                      }
                    ]
                  }
                ]
              }
            }
        "#]]
        .assert_eq(&with);
        let without = json_text(&with).without_items(&["hooks", "Stop"], |value| *value == item).unwrap();
        let value = |text: &str| json_text(text).read_value(&[]).unwrap();
        assert_eq!(value(&without.unwrap()), value(text));
    }

    #[test]
    fn errors_name_the_file_and_the_line_or_the_key() {
        let message = |error: AgentError| error.to_string();
        let error = json_text("{\n  \"a\": \n}").read_value(&["a"]).unwrap_err();
        assert!(message(error).starts_with("f.json, line 3: "));
        let error = toml_text("a = 1\nb = = 2\n").read_value(&["a"]).unwrap_err();
        assert!(message(error).starts_with("f.toml, line 2: "));
        let error = json_text("{\"mcpServers\": []}").with_entry(&["mcpServers"], "kenning", &entry());
        let expected = "f.json: mcpServers is not an object; correct the file, then run the command again";
        assert_eq!(message(error.unwrap_err()), expected);
        assert!(json_text("[1]").with_entry(&["a"], "kenning", &entry()).is_err());
        assert!(json_text("{'a': 1}").read_value(&[]).is_err(), "clients do not read JSON5");
    }
}
