//! Checks whether a value has the type that the protocol's meta model declares.

use serde_json::Value;
use std::sync::LazyLock;

/// The meta model. `tests/data/meta_model.py` generates it and describes its types.
static MODEL: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../tests/data/meta_model.json");
    serde_json::from_str(text).expect("the meta model is JSON")
});

/// Returns the meta model's entry of a request's or notification's method: `direction`, `params`,
/// `result`, `registration`.
pub fn method(kind: &str, method: &str) -> Option<&'static Value> {
    MODEL[kind].get(method)
}

/// Returns the type with this name.
pub fn named(name: &'static str) -> Value {
    Value::from(name)
}

/// Lists the ways in which `value` is not a `kind`: one line for each violation, with its path in
/// the value.
pub fn faults(kind: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(kind, value, "", &mut faults);
    faults
}

fn check(kind: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    match kind {
        Value::String(name) => check_named(name, value, at, faults),
        Value::Object(entries) => match entries.iter().next() {
            Some((key, of)) => check_compound(key, of, value, at, faults),
            None => faults.push(format!("{at}: a type without a kind")),
        },
        _ => faults.push(format!("{at}: {kind} is no type")),
    }
}

fn check_named(name: &str, value: &Value, at: &str, faults: &mut Vec<String>) {
    let fits = match name {
        "any" => true,
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "decimal" => value.is_number(),
        "integer" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        "uinteger" => value.as_u64().is_some_and(|number| i32::try_from(number).is_ok()),
        "string" => value.is_string(),
        _ => {
            if let Some(properties) = MODEL["structures"].get(name) {
                check_structure(name, properties, value, at, faults);
            } else if let Some(values) = MODEL["enumerations"].get(name) {
                let known = values.as_array().is_some_and(|values| values.contains(value));
                if !known {
                    faults.push(format!("{at}: {value} is no {name}"));
                }
            } else {
                faults.push(format!("{at}: the meta model has no {name}"));
            }
            return;
        }
    };
    if !fits {
        faults.push(format!("{at}: {value} is no {name}"));
    }
}

fn check_structure(name: &str, properties: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let (Some(properties), Some(fields)) = (properties.as_object(), value.as_object()) else {
        faults.push(format!("{at}: {value} is no {name}"));
        return;
    };
    for (property, described) in properties {
        let place = format!("{at}.{property}");
        match fields.get(property) {
            Some(field) => {
                check(&described["type"], field, &place, faults);
                let is_uri = property == "uri" || property.ends_with("Uri");
                if is_uri && field.as_str().is_some_and(|uri| !uri.contains(':')) {
                    faults.push(format!("{place}: {field} is no URI"));
                }
            }
            None if described["optional"] == true => {}
            None => faults.push(format!("{place}: missing in {name}")),
        }
    }
    for field in fields.keys().filter(|field| !properties.contains_key(*field)) {
        faults.push(format!("{at}.{field}: unknown in {name}"));
    }
}

fn check_compound(key: &str, of: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    match (key, value) {
        ("literal", _) if value == of => {}
        ("array", Value::Array(items)) => {
            for (number, item) in items.iter().enumerate() {
                check(of, item, &format!("{at}[{number}]"), faults);
            }
        }
        ("tuple", Value::Array(items)) if of.as_array().map(Vec::len) == Some(items.len()) => {
            for (number, item) in items.iter().enumerate() {
                check(&of[number], item, &format!("{at}[{number}]"), faults);
            }
        }
        ("map", Value::Object(fields)) => {
            for (name, field) in fields {
                check(&of[1], field, &format!("{at}.{name}"), faults);
            }
        }
        ("or", _) => {
            // The closest alternative gives the best message: one of the right form comes before
            // one of another form.
            let distance = |faults: &Vec<String>| (faults.iter().any(|f| f.starts_with(':')), faults.len());
            let choices = of.as_array().into_iter().flatten();
            let tried = choices.map(|kind| self::faults(kind, value)).min_by_key(distance);
            faults.extend(tried.into_iter().flatten().map(|fault| format!("{at}{fault}")));
        }
        _ => faults.push(format!("{at}: {value} is no {key} of {of}")),
    }
}
