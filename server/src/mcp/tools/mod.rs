//! The tools, one file for each. A tool declares its name and its arguments, and turns a call into
//! commands of the session.

mod affected_tests;
mod blast_radius;
mod explain;
mod search;
mod task_context;

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
    /// The name of the tool.
    const NAME: &'static str;
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
    /// Answers a call with the arguments of the request.
    pub answer: fn(ToolCall, Value) -> CallFuture,
    /// Returns the JSON schema of the arguments.
    pub schema: fn() -> Value,
}

const fn tool_entry<T: AgentTool>() -> ToolEntry {
    ToolEntry {
        name: T::NAME,
        answer: |call, arguments| {
            Box::pin(async move {
                let arguments = parse_arguments(T::NAME, vec![arguments])
                    .map_err(|error| ToolFailure::BadArguments(error.message.into_owned()))?;
                T::answer_call(call, arguments).await
            })
        },
        schema: argument_schema::<T::Arguments>,
    }
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
    tool_entry::<task_context::TaskContextTool>(),
    tool_entry::<blast_radius::BlastRadiusTool>(),
    tool_entry::<affected_tests::AffectedTestsTool>(),
    tool_entry::<search::SearchTool>(),
    tool_entry::<explain::ExplainTool>(),
];

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
