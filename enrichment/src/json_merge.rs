//! Merges JSON values.

use serde_json::Value;

/// Merges `over` into `value`: objects member by member, everything else as a whole. A null in
/// `over` keeps the existing value.
pub(crate) fn merge_json(value: &mut Value, over: &Value) {
    match (value, over) {
        (_, Value::Null) => {}
        (Value::Object(members), Value::Object(over)) => {
            for (name, over) in over {
                match members.get_mut(name) {
                    Some(member) if !over.is_null() => merge_json(member, over),
                    Some(_) => {}
                    None => drop(members.insert(name.clone(), over.clone())),
                }
            }
        }
        (value, over) => *value = over.clone(),
    }
}
