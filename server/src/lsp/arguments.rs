//! The argument of a command: one JSON object, parsed into its declared type, with errors that name
//! the field.
//!
//! The expected value in an error message comes from the type's JSON schema.
//! `docs/lsp-extensions.md` is generated from the same schema, so the message and the documentation
//! agree.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};
use tower_lsp::jsonrpc::{Error, Result};

/// Parses the arguments of `workspace/executeCommand` as the type of this command. Null is the same
/// as an absent field. Fields that the type does not have are logged and ignored, because a newer
/// client may send them.
///
/// # Errors
/// Returns `InvalidParams` with a message that starts with the missing or invalid field.
pub fn parse_arguments<T: DeserializeOwned + JsonSchema>(command: &str, arguments: Vec<Value>) -> Result<T> {
    let object = remove_nulls(single_object(arguments)?);
    let schema = inline_schema::<T>();
    let is_unknown = |field: &&String| schema["properties"].get(field.as_str()).is_none();
    let unknown: Vec<&str> = object.keys().filter(is_unknown).map(String::as_str).collect();
    if !unknown.is_empty() {
        tracing::info!(command, fields = unknown.join(", "), "ignoring unknown fields of a command");
    }
    let value = Value::Object(object);
    serde_path_to_error::deserialize(&value)
        .map_err(|error| Error::invalid_params(describe_error(&schema, &value, error.path(), error.inner())))
}

/// Returns the only argument, which must be an object. No argument is the same as an object without
/// fields.
fn single_object(mut arguments: Vec<Value>) -> Result<Map<String, Value>> {
    match (arguments.pop(), arguments.is_empty()) {
        (None | Some(Value::Null), true) => Ok(Map::new()),
        (Some(Value::Object(fields)), true) => Ok(fields),
        (_, true) => Err(Error::invalid_params("arguments: the argument must be one JSON object")),
        (_, false) => Err(Error::invalid_params("arguments: the command takes one JSON object, not several")),
    }
}

fn remove_nulls(fields: Map<String, Value>) -> Map<String, Value> {
    let non_null =
        fields.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| match value {
            Value::Object(inner) => (name, Value::Object(remove_nulls(inner))),
            other => (name, other),
        });
    non_null.collect()
}

/// Returns the schema of `T` with all references inlined, so that a path leads directly to its
/// node.
fn inline_schema<T: JsonSchema>() -> Value {
    let settings =
        schemars::generate::SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Formats an error as `field: problem`.
fn describe_error(schema: &Value, value: &Value, path: &Path, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let mut steps: Vec<String> = path.iter().map(step_name).collect();
    if let Some(missing) = text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        steps.push(missing.to_owned());
        return format!(
            "{}: missing; it must be {}",
            steps.join("."),
            describe_expected(schema_at(schema, &steps))
        );
    }
    let (node, found) = (schema_at(schema, &steps), value_at(value, &steps));
    let field = if steps.is_empty() { "arguments".to_owned() } else { steps.join(".") };
    match found {
        Value::String(name) if !allowed_values(node).is_empty() => {
            format!("{field}: {name:?} is unknown; it must be {}", describe_expected(node))
        }
        other => format!("{field}: must be {}, not {}", describe_expected(node), describe_value(other)),
    }
}

fn step_name(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => index.to_string(),
        Segment::Map { key } => key.clone(),
        Segment::Enum { variant } => variant.clone(),
        Segment::Unknown => "?".to_owned(),
    }
}

fn value_at<'a>(value: &'a Value, steps: &[String]) -> &'a Value {
    steps.iter().fold(value, |value, step| match value {
        Value::Array(items) => {
            step.parse().ok().and_then(|index: usize| items.get(index)).unwrap_or(&Value::Null)
        }
        other => &other[step.as_str()],
    })
}

fn schema_at<'a>(schema: &'a Value, steps: &[String]) -> &'a Value {
    steps.iter().fold(schema, |schema, step| {
        let schema = non_null_schema(schema);
        match schema.get("items") {
            Some(items) if step.bytes().all(|b| b.is_ascii_digit()) => items,
            _ => &schema["properties"][step.as_str()],
        }
    })
}

/// Returns the part of an optional field's schema that is not null.
fn non_null_schema(schema: &Value) -> &Value {
    let mut parts = schema["anyOf"].as_array().into_iter().flatten();
    parts.find(|part| part["type"] != "null").unwrap_or(schema)
}

/// Describes the values that this schema allows, in words.
fn describe_expected(schema: &Value) -> String {
    let schema = non_null_schema(schema);
    let choices = allowed_values(schema);
    if let [first @ .., last] = choices.as_slice() {
        let first = first.join(", ");
        return if first.is_empty() { (*last).to_owned() } else { format!("{first} or {last}") };
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|&name| name != "null").collect()
        }
        _ => Vec::new(),
    };
    match types.as_slice() {
        ["string"] => "a string".to_owned(),
        ["boolean"] => "true or false".to_owned(),
        ["integer"] if schema["minimum"] == 1 => "a positive whole number".to_owned(),
        ["integer"] => "a whole number, not negative".to_owned(),
        ["array"] => {
            let item = describe_expected(&schema["items"]);
            format!("a list of {}s", item.trim_start_matches("a ").trim_start_matches("an "))
        }
        _ => "an object".to_owned(),
    }
}

/// Returns the values that an enumeration allows; empty for any other schema.
fn allowed_values(schema: &Value) -> Vec<&str> {
    let schema = non_null_schema(schema);
    let listed = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    listed.chain(described).filter_map(Value::as_str).collect()
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) if number.is_f64() || number.as_i64().is_some_and(|number| number < 1) => {
            number.to_string()
        }
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::num::NonZeroUsize;

    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Question {
        task: String,
        budget: Option<NonZeroUsize>,
        uris: Option<Vec<String>>,
        show: Option<bool>,
        place: Option<Place>,
        form: Option<Form>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Place {
        line: u32,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Form {
        /// JSON, for programs.
        Json,
        /// A picture.
        Svg,
    }

    fn parse(argument: Value) -> std::result::Result<Question, String> {
        parse_arguments("test", vec![argument]).map_err(|error| error.message.into_owned())
    }

    fn problem_with(field: &str, value: Value) -> String {
        parse(json!({ "task": "x", field: value })).unwrap_err()
    }

    #[test]
    fn errors_name_the_field_and_what_it_must_be() {
        assert_eq!(parse(json!({})).unwrap_err(), "task: missing; it must be a string");
        assert_eq!(parse(json!({ "task": 1 })).unwrap_err(), "task: must be a string, not a number");
        assert_eq!(
            problem_with("budget", json!("1")),
            "budget: must be a positive whole number, not a string"
        );
        for number in [json!(-1), json!(0), json!(1.5)] {
            let expected = format!("budget: must be a positive whole number, not {number}");
            assert_eq!(problem_with("budget", number), expected);
        }
        assert_eq!(problem_with("uris", json!("a")), "uris: must be a list of strings, not a string");
        assert_eq!(problem_with("uris", json!(["a", 2])), "uris.1: must be a string, not a number");
        assert_eq!(problem_with("show", json!("yes")), "show: must be true or false, not a string");
        assert_eq!(problem_with("place", json!(7)), "place: must be an object, not a number");
        assert_eq!(
            problem_with("place", json!({})),
            "place.line: missing; it must be a whole number, not negative"
        );
        let line = json!({ "line": -1 });
        assert_eq!(problem_with("place", line), "place.line: must be a whole number, not negative, not -1");
        assert_eq!(problem_with("form", json!("xml")), "form: \"xml\" is unknown; it must be json or svg");
        assert_eq!(problem_with("form", json!(1)), "form: must be json or svg, not a number");
    }

    #[test]
    fn absent_and_null_are_the_same() {
        let expected = Question { task: "x".into(), ..Question::default() };
        assert_eq!(parse(json!({ "task": "x", "budget": null, "place": null })).unwrap(), expected);
        assert_eq!(parse(json!({ "task": null })).unwrap_err(), "task: missing; it must be a string");
        assert_eq!(parse(Value::Null).unwrap_err(), "task: missing; it must be a string");
    }

    #[test]
    fn fields_that_are_not_declared_are_ignored() {
        assert_eq!(parse(json!({ "task": "x", "color": { "line": "y" } })).unwrap().task, "x");
    }

    #[test]
    fn the_argument_is_one_object() {
        assert_eq!(parse(json!("task")).unwrap_err(), "arguments: the argument must be one JSON object");
        let several = parse_arguments::<Question>("test", vec![json!({}), json!({})]).unwrap_err();
        assert_eq!(several.message, "arguments: the command takes one JSON object, not several");
    }
}
