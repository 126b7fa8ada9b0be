//! Fills the placeholders of the values in `clients.toml`.

use super::AgentError;
use serde_json::{Map, Value};

/// The values of the placeholders.
#[derive(Clone, Debug)]
pub struct TemplateValues {
    /// The program: a name on PATH or an absolute path.
    pub command: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The extensions of source files, with their LSP language ids.
    pub extension_map: Map<String, Value>,
}

impl TemplateValues {
    /// Parses a template and fills its placeholders.
    ///
    /// # Errors
    /// Returns `AgentError::Unquotable` if the template needs the program in a shell command and
    /// its path cannot be quoted.
    pub fn fill_template(&self, template: &str) -> Result<Value, AgentError> {
        let value = serde_json::from_str(template).expect("a test parses the templates of clients.toml");
        self.fill_value(value)
    }

    /// Fills the placeholders in a value and in everything below it.
    fn fill_value(&self, value: Value) -> Result<Value, AgentError> {
        Ok(match value {
            Value::String(text) => self.fill_text(&text)?,
            Value::Array(items) => {
                let mut filled = Vec::new();
                for item in items {
                    if item == "{args}" {
                        filled.extend(self.args.iter().map(|text| Value::from(text.as_str())));
                    } else {
                        filled.push(self.fill_value(item)?);
                    }
                }
                Value::Array(filled)
            }
            Value::Object(fields) => {
                let mut filled = Map::new();
                for (key, value) in fields {
                    filled.insert(key, self.fill_value(value)?);
                }
                Value::Object(filled)
            }
            other => other,
        })
    }

    fn fill_text(&self, text: &str) -> Result<Value, AgentError> {
        Ok(match text {
            "{command}" => Value::from(self.command.as_str()),
            "{extension_map}" => Value::Object(self.extension_map.clone()),
            "{extensions}" => self.extension_map.keys().map(String::as_str).collect(),
            text if text.contains("{shell}") => {
                Value::from(text.replace("{shell}", &quote_for_shell(&self.command)?))
            }
            text => Value::from(text),
        })
    }
}

/// Quotes a program for the shells of all systems.
///
/// # Errors
/// Returns `AgentError::Unquotable` if the path contains characters that are special in double
/// quotes.
fn quote_for_shell(program: &str) -> Result<String, AgentError> {
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+".contains(char);
    if program.chars().all(is_plain) {
        return Ok(program.to_owned());
    }
    if program.contains(['"', '$', '`', '!', '%', '\n']) {
        return Err(AgentError::Unquotable(program.to_owned()));
    }
    Ok(format!("\"{program}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn placeholders_are_filled() {
        let extension_map = json!({ ".py": "python" }).as_object().unwrap().clone();
        let values = TemplateValues {
            command: "/my bin/kenning".to_owned(),
            args: vec!["mcp".to_owned(), "--root".to_owned()],
            extension_map,
        };
        let fill = |text| values.fill_template(text).unwrap();
        assert_eq!(fill(r#"["{command}", "{args}"]"#), json!(["/my bin/kenning", "mcp", "--root"]));
        assert_eq!(fill(r#"{"a": "{extension_map}"}"#), json!({ "a": { ".py": "python" } }));
        assert_eq!(fill(r#""{extensions}""#), json!([".py"]));
        assert_eq!(fill(r#""{shell} agents hook""#), json!("\"/my bin/kenning\" agents hook"));
        assert_eq!(fill(r#""${workspaceFolder}""#), json!("${workspaceFolder}"));
    }

    #[test]
    fn a_path_that_a_shell_would_change_is_refused() {
        assert_eq!(quote_for_shell("/opt/kenning").unwrap(), "/opt/kenning");
        let error = quote_for_shell("/a$b/kenning").unwrap_err().to_string();
        assert!(error.starts_with("/a$b/kenning contains characters"), "{error}");
    }
}
