//! Edits of JSON files, with or without comments, that leave the rest of the text unchanged.
//!
//! A [`JsonDocument`] is the concrete syntax tree of a file, with its comments, spaces and byte
//! order mark. Edits change only the nodes of an entry or list item, and create or remove the
//! objects around it. New text follows the indentation of the file.

use super::AgentError;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The byte order mark, which some editors on Windows write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A parsed JSON file. Its readers and edits expect that their keys are unambiguous
/// ([`JsonDocument::check_keys`]).
pub struct JsonDocument<'a> {
    path: &'a Path,
    mark: &'static str,
    root: CstRootNode,
}

impl<'a> JsonDocument<'a> {
    /// Parses a text. Comments and trailing commas are allowed, as in the clients' own parsers;
    /// other extensions of JSON are not.
    ///
    /// # Errors
    /// Returns `AgentError::Syntax` with the line of the problem.
    pub fn parse_text(path: &'a Path, text: &str) -> Result<Self, AgentError> {
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => ("\u{feff}", rest),
            None => ("", text),
        };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(text, &options).map_err(|error| AgentError::Syntax {
            path: path.to_owned(),
            line: error.line_display(),
            message: error.kind().to_string(),
        })?;
        Ok(Self { path, mark, root })
    }

    /// Returns the text of the document.
    pub fn render_text(&self) -> String {
        format!("{}{}", self.mark, self.root)
    }

    /// Whether the document is empty, or an empty object without comments.
    pub fn is_empty(&self) -> bool {
        let text: String = self.root.to_string().split_whitespace().collect();
        text.is_empty() || text == "{}"
    }

    /// Checks that each of some nested keys occurs at most once in its object, and with `is_entry` the
    /// same for all keys inside the last value. Clients read the last of several equal keys, while
    /// edits change the first.
    ///
    /// # Errors
    /// Returns `AgentError::DuplicateKey` with the first key that occurs more than once.
    pub fn check_keys(&self, keys: &[&str], is_entry: bool) -> Result<(), AgentError> {
        let mut value = self.root.value();
        for (at, key) in keys.iter().enumerate() {
            let Some(object) = value.as_ref().and_then(CstNode::as_object) else { return Ok(()) };
            let is_named = |property: &CstObjectProp| property_name(property).as_deref() == Some(key);
            let mut named = object.properties().into_iter().filter(is_named);
            value = named.next().and_then(|property| property.value());
            if named.next().is_some() {
                return Err(self.duplicate_error(keys[..=at].join(".")));
            }
        }
        match value.filter(|_| is_entry).and_then(|value| find_duplicate(&value)) {
            Some(inner) => Err(self.duplicate_error(format!("{}.{inner}", keys.join(".")))),
            None => Ok(()),
        }
    }

    fn duplicate_error(&self, key: String) -> AgentError {
        AgentError::DuplicateKey { path: self.path.to_owned(), key }
    }

    /// Returns the value below some keys, if there is one.
    pub fn read_value(&self, keys: &[&str]) -> Option<Value> {
        let value = self.root.value()?.to_serde_value()?;
        keys.iter().try_fold(value, |mut value, key| value.get_mut(*key).map(Value::take))
    }

    /// Sets the value of a key in the object below `table`, and creates missing objects.
    ///
    /// # Errors
    /// Returns `AgentError::Shape` if a value on the way is not an object.
    pub fn set_entry(&self, table: &[&str], name: &str, value: &Value) -> Result<(), AgentError> {
        let object = self.find_or_create_object(table)?;
        match object.get(name) {
            Some(property) => property.set_value(to_input(value)),
            None => {
                object.append(name, to_input(value));
            }
        }
        Ok(())
    }

    /// Removes a key from the object below `table`, and the objects that become empty.
    pub fn remove_entry(&self, table: &[&str], name: &str) {
        if let Some(property) = self.find_object(table).and_then(|object| object.get(name)) {
            property.remove();
            self.remove_empty(table);
        }
    }

    /// Appends an item to the list below some keys, and creates a missing list.
    ///
    /// # Errors
    /// Returns `AgentError::Shape` if a value on the way is not an object, or the last is not a
    /// list.
    pub fn append_item(&self, list: &[&str], value: &Value) -> Result<(), AgentError> {
        let Some((name, table)) = list.split_last() else { return Ok(()) };
        let object = self.find_or_create_object(table)?;
        let array = object.array_value_or_create(name);
        let array = array.ok_or_else(|| self.shape_error(list, "a list"))?;
        array.ensure_multiline();
        array.append(to_input(value));
        Ok(())
    }

    /// Removes the matching items of a list, and the list and the objects that become empty.
    /// Returns whether any item matched.
    pub fn remove_items(&self, list: &[&str], is_match: impl Fn(&Value) -> bool) -> bool {
        let Some((name, table)) = list.split_last() else { return false };
        let Some(array) = self.find_object(table).and_then(|object| object.array_value(name)) else {
            return false;
        };
        let is_matching = |node: &CstNode| node.to_serde_value().is_some_and(|value| is_match(&value));
        let found: Vec<CstNode> = array.elements().into_iter().filter(is_matching).collect();
        let has_match = !found.is_empty();
        found.into_iter().for_each(CstNode::remove);
        if has_match && array.elements().is_empty() {
            self.remove_entry(table, name);
        }
        has_match
    }

    fn find_object(&self, table: &[&str]) -> Option<CstObject> {
        table.iter().try_fold(self.root.object_value()?, |object, key| object.object_value(key))
    }

    fn find_or_create_object(&self, table: &[&str]) -> Result<CstObject, AgentError> {
        let mut object =
            self.root.object_value_or_create().ok_or_else(|| self.shape_error(&[], "an object"))?;
        for (at, key) in table.iter().enumerate() {
            let inner = object.object_value_or_create(key);
            object = inner.ok_or_else(|| self.shape_error(&table[..=at], "an object"))?;
        }
        Ok(object)
    }

    /// Removes the object below `table` if it is empty, then the object around it, and so on.
    fn remove_empty(&self, table: &[&str]) {
        for depth in (1..=table.len()).rev() {
            let (name, outer) = (table[depth - 1], &table[..depth - 1]);
            let is_empty = |object: &CstObject| object.children_exclude_trivia_and_tokens().is_empty();
            let Some(object) = self.find_object(&table[..depth]).filter(is_empty) else { return };
            drop(object);
            if let Some(property) = self.find_object(outer).and_then(|object| object.get(name)) {
                property.remove();
            }
        }
    }

    fn shape_error(&self, keys: &[&str], expected: &'static str) -> AgentError {
        let key = if keys.is_empty() { "its content".to_owned() } else { keys.join(".") };
        AgentError::Shape { path: self.path.to_owned(), key, expected }
    }
}

fn property_name(property: &CstObjectProp) -> Option<String> {
    property.name()?.decoded_value().ok()
}

/// Returns the dotted name of the first key inside a value that occurs more than once in its object.
/// The parser limits the depth of values.
fn find_duplicate(value: &CstNode) -> Option<String> {
    if let Some(array) = value.as_array() {
        return array.elements().iter().find_map(find_duplicate);
    }
    let mut seen = BTreeSet::new();
    for property in value.as_object()?.properties() {
        let name = property_name(&property)?;
        let inner = property.value().as_ref().and_then(find_duplicate);
        if let Some(inner) = inner {
            return Some(format!("{name}.{inner}"));
        }
        if !seen.insert(name.clone()) {
            return Some(name);
        }
    }
    None
}

/// Converts a value to the form that the parser inserts.
fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), to_input(value))).collect())
        }
    }
}
