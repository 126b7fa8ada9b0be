//! Checks the option `class`: a workspace's own equivalence classes.
//!
//! In: the value of the option, from any source. Out: nothing if the value is usable, otherwise a
//! message about the first wrong class; and the JSON schema of a class, for editors.
//!
//! Invariant: a value that passes the checks is within the limits of ranking and has no ambiguous
//! id.

use super::options::{ClassConfig, ClassTargetType};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum number of classes per workspace. A longer, generated list would slow down every
/// task.
const MAX_CLASSES: usize = 500;

/// The maximum number of phrases or targets per class. A longer, generated list would slow down
/// every task.
const MAX_ENTRIES: usize = 50;

/// The maximum length of an id, a phrase or a target in bytes. A user may paste a whole document.
const MAX_TEXT_BYTES: usize = 200;

/// Checks a value of the option.
///
/// # Errors
/// Returns a message that names the wrong class and states the allowed values.
pub(super) fn check_classes(value: &Value) -> Result<(), String> {
    let Some(items) = value.as_array() else {
        return Err("must be a list of classes with id, phrases and targets".to_owned());
    };
    if items.len() > MAX_CLASSES {
        return Err(format!("has {} classes; at most {MAX_CLASSES} are allowed", items.len()));
    }
    let mut ids = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let number = index + 1;
        let class: ClassConfig =
            serde_json::from_value(item.clone()).map_err(|error| format!("number {number}: {error}"))?;
        let problem = |problem: &str| format!("number {number} ({:?}): {problem}", class.id);
        if class.id.trim().is_empty() || class.id.len() > MAX_TEXT_BYTES {
            return Err(format!("number {number}: id must be a short, non-empty string"));
        }
        if !ids.insert(class.id.clone()) {
            return Err(problem("the id is used twice"));
        }
        for (key, texts) in [("phrases", &class.phrases), ("targets", &class.targets)] {
            if !(1..=MAX_ENTRIES).contains(&texts.len()) {
                return Err(problem(&format!("{key} must be a list of 1 to {MAX_ENTRIES} strings")));
            }
        }
        if class.weight.is_some_and(|percent| !(1..=100).contains(&percent)) {
            return Err(problem("weight must be a whole number from 1 to 100"));
        }
        let is_phrase = |text: &str| text.len() <= MAX_TEXT_BYTES && text.contains(char::is_alphanumeric);
        if let Some(phrase) = class.phrases.iter().find(|phrase| !is_phrase(phrase)) {
            return Err(problem(&format!(
                "the phrase {phrase:?} contains no word or is longer than {MAX_TEXT_BYTES} bytes"
            )));
        }
        let (is_allowed, advice): (fn(&str) -> bool, _) = match class.target_type {
            Some(ClassTargetType::File) => (is_path, "is not a path in the workspace; write folder/file.ext"),
            Some(ClassTargetType::Symbol) | None => (is_target, "is not a name; write Name or Type.member"),
        };
        if let Some(target) = class.targets.iter().find(|target| !is_allowed(target)) {
            return Err(problem(&format!("the target {target:?} {advice}")));
        }
    }
    Ok(())
}

fn is_target(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES
        && text.split('.').all(|part| !part.is_empty())
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "(){}[]<>\"'`,;/\\".contains(c))
}

/// Whether a text is a path in the workspace as the index has it.
fn is_path(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES
        && !text.contains(|c: char| c.is_control() || c == '\\')
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Returns the JSON schema of one class.
pub(super) fn class_schema() -> Value {
    let texts =
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": MAX_ENTRIES });
    json!({
        "type": "object",
        "required": ["id", "phrases", "targets"],
        "additionalProperties": false,
        "properties": {
            "id": { "type": "string", "minLength": 1 },
            "phrases": texts,
            "targets": texts,
            "targetType": { "type": "string", "enum": ["symbol", "file"] },
            "weight": { "type": "integer", "minimum": 1, "maximum": 100 },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(value: Value) -> String {
        check_classes(&value).unwrap_err()
    }

    #[test]
    fn an_error_names_the_class_and_the_problem() {
        let class = |id: &str, phrases: &[&str], targets: &[&str]| json!({ "id": id, "phrases": phrases, "targets": targets });
        let valid_class = class("impact", &["blast radius"], &["Graph.dependents", "valid?"]);
        assert_eq!(check_classes(&json!([valid_class])), Ok(()));
        assert_eq!(problem(json!("x")), "must be a list of classes with id, phrases and targets");
        assert_eq!(problem(json!([valid_class, { "id": "b" }])), "number 2: missing field `phrases`");
        assert_eq!(problem(json!([valid_class, valid_class])), "number 2 (\"impact\"): the id is used twice");
        assert_eq!(
            problem(json!([class("a", &[], &["X"])])),
            "number 1 (\"a\"): phrases must be a list of 1 to 50 strings"
        );
        assert_eq!(
            problem(json!([class("a", &["..."], &["X"])])),
            "number 1 (\"a\"): the phrase \"...\" contains no word or is longer than 200 bytes"
        );
        assert_eq!(
            problem(json!([class("a", &["b"], &["two words"])])),
            "number 1 (\"a\"): the target \"two words\" is not a name; write Name or Type.member"
        );
        let weight =
            |weight: Value| json!([{ "id": "a", "phrases": ["b"], "targets": ["C"], "weight": weight }]);
        assert_eq!(check_classes(&weight(json!(40))), Ok(()));
        for wrong in [json!(0), json!(101)] {
            assert_eq!(
                problem(weight(wrong)),
                "number 1 (\"a\"): weight must be a whole number from 1 to 100"
            );
        }
        assert!(problem(weight(json!(0.9))).starts_with("number 1: invalid type"));
        let files = |target: &str| json!([{ "id": "a", "phrases": ["b"], "targets": [target], "targetType": "file" }]);
        assert_eq!(check_classes(&files("src/my file.py")), Ok(()));
        for wrong in ["/src/app.py", "../app.py", "src//app.py", "C:\\app.py"] {
            assert_eq!(
                problem(files(wrong)),
                format!(
                    "number 1 (\"a\"): the target {wrong:?} is not a path in the workspace; write folder/file.ext"
                )
            );
        }
        let other = json!([{ "id": "a", "phrases": ["b"], "targets": ["C"], "kind": 2 }]);
        assert!(problem(other).starts_with("number 1: unknown field `kind`"));
    }
}
