//! The tools, one file for each. A tool declares its name and its arguments, and turns a call into
//! commands of the session.

mod affected_tests;
mod blast;
mod pack;
mod search;
mod why;

use super::tool_call::{ToolAnswer, ToolCall, ToolFailure};
use crate::lsp::parse_arguments;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// A tool of the server. The doc comments of `Arguments` become the descriptions of the arguments.
trait AgentTool: 'static {
    /// The name of the tool: the command of the command line with the same answer.
    const NAME: &'static str;
    /// Names under which earlier versions listed the tool, and which agents guess.
    const OLD_NAMES: &'static [&'static str];
    /// The JSON object that the tool takes.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// Answers a call.
    fn answer_call(
        call: ToolCall,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<ToolAnswer, ToolFailure>> + Send;
}

/// The future of a running call.
type CallFuture = Pin<Box<dyn Future<Output = Result<ToolAnswer, ToolFailure>> + Send>>;

/// A tool whose argument type is erased.
pub struct ToolEntry {
    /// The name of the tool.
    pub name: &'static str,
    /// Further names that calls may use; they are not listed.
    pub old_names: &'static [&'static str],
    /// Answers a call with the arguments of the request.
    pub answer: fn(ToolCall, Value) -> CallFuture,
    /// Returns the JSON schema of the arguments.
    pub schema: fn() -> Value,
}

const fn tool_entry<T: AgentTool>() -> ToolEntry {
    ToolEntry {
        name: T::NAME,
        old_names: T::OLD_NAMES,
        answer: |call, arguments| {
            Box::pin(async move {
                check_known_fields(&argument_schema::<T::Arguments>(), &arguments, T::NAME)
                    .map_err(ToolFailure::BadArguments)?;
                let arguments = parse_arguments(T::NAME, vec![arguments])
                    .map_err(|error| ToolFailure::BadArguments(error.message.into_owned()))?;
                T::answer_call(call, arguments).await
            })
        },
        schema: argument_schema::<T::Arguments>,
    }
}

/// Checks that an object has only fields of its schema. A misspelled argument would silently change
/// the answer (`limit` for `max_results`), and an agent does not see the log.
///
/// # Errors
/// Returns a sentence with the unknown fields and the known ones.
fn check_known_fields(schema: &Value, value: &Value, owner: &str) -> Result<(), String> {
    let (Some(known), Some(fields)) = (schema["properties"].as_object(), value.as_object()) else {
        return Ok(());
    };
    let unknown: Vec<&str> =
        fields.keys().filter(|&field| !known.contains_key(field)).map(String::as_str).collect();
    if !unknown.is_empty() {
        let known: Vec<&str> = known.keys().map(String::as_str).collect();
        let (noun, verb) = if unknown.len() == 1 { ("argument", "is") } else { ("arguments", "are") };
        return Err(format!(
            "{}: {verb} no {noun} of {owner}; it takes {}",
            unknown.join(", "),
            known.join(", ")
        ));
    }
    fields.iter().try_for_each(|(name, value)| check_known_fields(&known[name], value, name))
}

/// Returns the schema of arguments, without references and the parts that clients do not show.
fn argument_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.shift_remove("title");
        fields.shift_remove("description");
    }
    remove_null_types(&mut schema);
    schema
}

/// Removes `null` from the types of optional arguments. Some clients support only one type for each
/// argument, and an argument that is not required may be left out anyway.
fn remove_null_types(schema: &mut Value) {
    let is_null = |variant: &Value| variant == "null" || variant["type"] == "null";
    for choice in ["type", "anyOf", "enum"] {
        if let Some(variants) = schema.get_mut(choice).and_then(Value::as_array_mut) {
            variants.retain(|variant| !is_null(variant) && !variant.is_null());
        }
    }
    if let Some([only]) = schema["type"].as_array().map(Vec::as_slice) {
        schema["type"] = only.clone();
    }
    if let Some([only]) = schema["anyOf"].as_array().map(Vec::as_slice) {
        let (only, description) = (only.clone(), schema["description"].clone());
        *schema = only;
        if !description.is_null() {
            schema["description"] = description;
        }
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(remove_null_types),
        Value::Array(items) => items.iter_mut().for_each(remove_null_types),
        _ => {}
    }
}

/// The tools, in the order in which clients list them.
pub const TOOLS: &[ToolEntry] = &[
    tool_entry::<pack::PackTool>(),
    tool_entry::<blast::BlastTool>(),
    tool_entry::<affected_tests::AffectedTestsTool>(),
    tool_entry::<search::SearchTool>(),
    tool_entry::<why::WhyTool>(),
];

/// Returns the tool that a call names, also under a former name; `None` if there is none.
pub fn find_tool(name: &str) -> Option<&'static ToolEntry> {
    TOOLS.iter().find(|tool| tool.name == name || tool.old_names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_has_a_description_and_no_reference() {
        for tool in TOOLS {
            let schema = (tool.schema)();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let text = schema.to_string();
            assert!(!text.contains("$ref") && !text.contains("null"), "{}: {schema}", tool.name);
            for (name, argument) in schema["properties"].as_object().unwrap() {
                assert!(argument["description"].is_string(), "{}.{name}", tool.name);
            }
        }
    }

    #[test]
    fn the_list_of_tools_costs_little() {
        let texts = TOOLS.iter().map(|tool| (tool.schema)().to_string().len()).sum::<usize>();
        assert!(texts < 8_000, "{texts} bytes of schemas");
    }
}
