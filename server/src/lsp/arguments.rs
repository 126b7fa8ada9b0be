//! The arguments of a command: one JSON object, read field by field with errors that name the field.

use serde_json::{Map, Value};
use tower_lsp::jsonrpc::{Error, Result};

/// The fields of a command's argument object.
#[derive(Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// The object of `workspace/executeCommand`; no argument at all is an object without fields.
    ///
    /// # Errors
    /// `InvalidParams` when there are several arguments or the one is no object.
    pub fn new(mut arguments: Vec<Value>) -> Result<Self> {
        match (arguments.pop(), arguments.is_empty()) {
            (None | Some(Value::Null), true) => Ok(Self::default()),
            (Some(Value::Object(fields)), true) => Ok(Self(fields)),
            (_, true) => Err(Error::invalid_params("arguments: the argument must be one JSON object")),
            (_, false) => {
                Err(Error::invalid_params("arguments: the command takes one JSON object, not several"))
            }
        }
    }

    /// A text that must be there.
    pub fn text(&self, field: &str) -> Result<String> {
        self.optional_text(field)?.ok_or_else(|| missing(field, "a string"))
    }

    /// A text that may be absent or null.
    pub fn optional_text(&self, field: &str) -> Result<Option<String>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(field, "a string", other)),
        }
    }

    /// A positive whole number that may be absent or null.
    pub fn optional_count(&self, field: &str) -> Result<Option<usize>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let number = value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
        number.map(Some).ok_or_else(|| wrong(field, "a positive whole number", value))
    }

    /// A list of texts that must be there.
    pub fn texts(&self, field: &str) -> Result<Vec<String>> {
        let value = self.get(field).ok_or_else(|| missing(field, "a list of strings"))?;
        let text = |item: &Value| item.as_str().map(str::to_owned);
        let texts = value.as_array().and_then(|items| items.iter().map(text).collect());
        texts.ok_or_else(|| wrong(field, "a list of strings", value))
    }

    /// An object that may be absent or null.
    pub fn optional_object(&self, field: &str) -> Result<Option<Arguments>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self(fields.clone()))),
            Some(other) => Err(wrong(field, "an object", other)),
        }
    }

    fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }
}

fn missing(field: &str, expected: &str) -> Error {
    Error::invalid_params(format!("{field}: missing; it must be {expected}"))
}

fn wrong(field: &str, expected: &str, value: &Value) -> Error {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Error::invalid_params(format!("{field}: must be {expected}, not {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().message.into_owned()
    }

    #[test]
    fn errors_name_the_field_and_what_it_must_be() {
        let arguments = Arguments::new(vec![json!({ "task": 1, "budget": -1, "uris": ["a", 2] })]).unwrap();
        assert_eq!(message(arguments.text("task")), "task: must be a string, not a number");
        assert_eq!(message(arguments.text("symbol")), "symbol: missing; it must be a string");
        assert_eq!(
            message(arguments.optional_count("budget")),
            "budget: must be a positive whole number, not a number"
        );
        assert_eq!(message(arguments.texts("uris")), "uris: must be a list of strings, not a list");
    }

    #[test]
    fn absent_and_null_are_the_same() {
        let arguments = Arguments::new(vec![json!({ "budget": null })]).unwrap();
        assert_eq!(arguments.optional_count("budget").unwrap(), None);
        assert_eq!(Arguments::new(vec![]).unwrap().optional_text("format").unwrap(), None);
        assert_eq!(Arguments::new(vec![Value::Null]).unwrap().optional_text("format").unwrap(), None);
    }

    #[test]
    fn the_argument_is_one_object() {
        assert_eq!(
            message(Arguments::new(vec![json!("task")])),
            "arguments: the argument must be one JSON object"
        );
        assert_eq!(
            message(Arguments::new(vec![json!({}), json!({})])),
            "arguments: the command takes one JSON object, not several"
        );
    }
}
