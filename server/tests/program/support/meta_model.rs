//! Checks whether a value has the type that the protocol's meta model declares.

use serde_json::Value;
use std::sync::LazyLock;

/// The meta model. `tests/data/meta_model.py` generates it and describes its types.
static MODEL: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../../tests/data/meta_model.json");
    serde_json::from_str(text).expect("the meta model is JSON")
});

/// Returns the meta model's entry for the method of a request or notification: `direction`,
/// `params`, `result`, `registration`.
pub fn find_method(kind: &str, method: &str) -> Option<&'static Value> {
    MODEL[kind].get(method)
}

/// Returns the type with this name.
pub fn type_named(name: &'static str) -> Value {
    Value::from(name)
}

/// Returns the violations of the type `kind` in `value`: one line for each, with its path in the
/// value.
pub fn find_violations(kind: &Value, value: &Value) -> Vec<String> {
    let mut violations = Vec::new();
    check_type(kind, value, "", &mut violations);
    violations
}

fn check_type(kind: &Value, value: &Value, at: &str, violations: &mut Vec<String>) {
    match kind {
        Value::String(name) => check_named_type(name, value, at, violations),
        Value::Object(entries) => match entries.iter().next() {
            Some((key, content)) => check_compound(key, content, value, at, violations),
            None => violations.push(format!("{at}: a type without a kind")),
        },
        _ => violations.push(format!("{at}: {kind} is not a type")),
    }
}

fn check_named_type(name: &str, value: &Value, at: &str, violations: &mut Vec<String>) {
    let matches_type = match name {
        "any" => true,
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "decimal" => value.is_number(),
        "integer" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        "uinteger" => value.as_u64().is_some_and(|number| i32::try_from(number).is_ok()),
        "string" => value.is_string(),
        _ => {
            if let Some(properties) = MODEL["structures"].get(name) {
                check_structure(name, properties, value, at, violations);
            } else if let Some(values) = MODEL["enumerations"].get(name) {
                let known = values.as_array().is_some_and(|values| values.contains(value));
                if !known {
                    violations.push(format!("{at}: {value} is not of type {name}"));
                }
            } else {
                violations.push(format!("{at}: the meta model has no {name}"));
            }
            return;
        }
    };
    if !matches_type {
        violations.push(format!("{at}: {value} is not of type {name}"));
    }
}

fn check_structure(name: &str, properties: &Value, value: &Value, at: &str, violations: &mut Vec<String>) {
    let (Some(properties), Some(fields)) = (properties.as_object(), value.as_object()) else {
        violations.push(format!("{at}: {value} is not of type {name}"));
        return;
    };
    for (property, declared) in properties {
        let path = format!("{at}.{property}");
        match fields.get(property) {
            Some(field) => {
                check_type(&declared["type"], field, &path, violations);
                let is_uri = property == "uri" || property.ends_with("Uri");
                if is_uri && field.as_str().is_some_and(|uri| !uri.contains(':')) {
                    violations.push(format!("{path}: {field} is not a URI"));
                }
            }
            None if declared["optional"] == true => {}
            None => violations.push(format!("{path}: missing in {name}")),
        }
    }
    for field in fields.keys().filter(|field| !properties.contains_key(*field)) {
        violations.push(format!("{at}.{field}: unknown in {name}"));
    }
}

fn check_compound(key: &str, content: &Value, value: &Value, at: &str, violations: &mut Vec<String>) {
    match (key, value) {
        ("literal", _) if value == content => {}
        ("array", Value::Array(items)) => {
            for (number, item) in items.iter().enumerate() {
                check_type(content, item, &format!("{at}[{number}]"), violations);
            }
        }
        ("tuple", Value::Array(items)) if content.as_array().map(Vec::len) == Some(items.len()) => {
            for (number, item) in items.iter().enumerate() {
                check_type(&content[number], item, &format!("{at}[{number}]"), violations);
            }
        }
        ("map", Value::Object(fields)) => {
            for (name, field) in fields {
                check_type(&content[1], field, &format!("{at}.{name}"), violations);
            }
        }
        ("or", _) => {
            // The closest alternative gives the best message. Alternatives of the value's JSON type
            // come first.
            let distance =
                |violations: &Vec<String>| (violations.iter().any(|f| f.starts_with(':')), violations.len());
            let choices = content.as_array().into_iter().flatten();
            let tried = choices.map(|kind| find_violations(kind, value)).min_by_key(distance);
            violations.extend(tried.into_iter().flatten().map(|violation| format!("{at}{violation}")));
        }
        _ => violations.push(format!("{at}: {value} is not of type {key} of {content}")),
    }
}
