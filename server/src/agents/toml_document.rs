//! Edits of TOML files that leave the rest of the text unchanged.
//!
//! Entries are JSON values, as in `clients.toml`. An entry that is an object becomes a table with a
//! header; objects inside it become inline tables. Removing an entry also removes the tables that
//! become empty.

use super::AgentError;
use serde_json::Value;
use std::path::Path;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// A parsed TOML file.
pub struct TomlDocument<'a> {
    path: &'a Path,
    /// Whether all lines end with CRLF, to which new lines are adapted.
    has_crlf: bool,
    document: DocumentMut,
}

impl<'a> TomlDocument<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns `AgentError::Syntax` with the line of the problem.
    pub fn parse_text(path: &'a Path, text: &str) -> Result<Self, AgentError> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            AgentError::Syntax { path: path.to_owned(), line, message: error.message().to_owned() }
        })?;
        let has_crlf = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
        Ok(Self { path, has_crlf, document })
    }

    /// Returns the text of the document.
    pub fn render_text(&self) -> String {
        let text = self.document.to_string();
        if self.has_crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
    }

    /// Whether the document is empty.
    pub fn is_empty(&self) -> bool {
        self.document.to_string().trim().is_empty()
    }

    /// Returns the value below some keys, if there is one.
    pub fn read_value(&self, keys: &[&str]) -> Option<Value> {
        let item = keys.iter().try_fold(self.document.as_item(), |item, key| item.get(key))?;
        from_item(item)
    }

    /// Sets the value of a key in the table below `table`, and creates missing tables.
    ///
    /// # Errors
    /// Returns `AgentError::Shape` if a value on the way is not a table.
    pub fn set_entry(&mut self, table: &[&str], name: &str, value: &Value) -> Result<(), AgentError> {
        let mut current: &mut dyn TableLike = self.document.as_table_mut();
        for (at, key) in table.iter().enumerate() {
            let new_table = || {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            let item = current.entry(key).or_insert_with(new_table);
            let shape = || AgentError::Shape {
                path: self.path.to_owned(),
                key: table[..=at].join("."),
                expected: "a table",
            };
            current = item.as_table_like_mut().ok_or_else(shape)?;
        }
        match to_item(value) {
            Some(item) => current.insert(name, item),
            None => current.remove(name),
        };
        Ok(())
    }

    /// Removes a key from the table below `table`, and the tables that become empty.
    pub fn remove_entry(&mut self, table: &[&str], name: &str) {
        remove_below(self.document.as_table_mut(), table, name);
    }
}

/// Removes a key below some tables, and the tables that become empty.
fn remove_below(current: &mut dyn TableLike, table: &[&str], name: &str) {
    let Some((first, rest)) = table.split_first() else {
        current.remove(name);
        return;
    };
    if let Some(inner) = current.get_mut(first).and_then(Item::as_table_like_mut) {
        remove_below(inner, rest, name);
        if inner.is_empty() {
            current.remove(first);
        }
    }
}

/// Converts a value to a TOML item; an object becomes a table with a header. Returns `None` for
/// null, which TOML does not have.
fn to_item(value: &Value) -> Option<Item> {
    let Value::Object(fields) = value else { return Some(Item::Value(to_value(value)?)) };
    let mut table = Table::new();
    for (key, value) in fields {
        if let Some(value) = to_value(value) {
            table.insert(key, Item::Value(value));
        }
    }
    Some(Item::Table(table))
}

fn to_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => toml_edit::Value::Array(items.iter().filter_map(to_value).collect::<Array>()),
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (key, value) in fields {
                if let Some(value) = to_value(value) {
                    table.insert(key, value);
                }
            }
            toml_edit::Value::InlineTable(table)
        }
    })
}

/// Converts a TOML item to a JSON value; dates become strings.
fn from_item(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(from_value(value)),
        Item::Table(table) => Some(from_table(table)),
        Item::ArrayOfTables(tables) => {
            Some(Value::Array(tables.iter().map(|table| from_table(table)).collect()))
        }
    }
}

fn from_table(table: &dyn TableLike) -> Value {
    let fields = table.iter().filter_map(|(key, item)| Some((key.to_owned(), from_item(item)?)));
    Value::Object(fields.collect())
}

fn from_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::from(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(from_value).collect()),
        toml_edit::Value::InlineTable(table) => from_table(table),
    }
}
