//! Changes single keys of a file's front matter and leaves all other bytes as they are, so that the
//! user's own keys, comments and order survive, and a diff shows only the change.
//!
//! Each change is made in the text, the least invasive way first, and then checked: the new front
//! matter must have the changed value, and every other key must have its old one. If no way passes
//! (front matter in an unusual form), the file stays as it is and an error asks the user to edit
//! it.

use super::entry_file::render_item;
use super::front_matter::{FrontMatterRange, find_front_matter, parse_yaml, render_scalar};
use serde_json::{Map, Value};
use std::ops::Range;
use thiserror::Error;

/// The reason why a file is not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditProblem {
    /// The front matter is broken.
    #[error("its front matter is broken in line {line}; correct it first")]
    Broken {
        /// The 1-based line in the file.
        line: u32,
    },
    /// No safe way to make the change was found.
    #[error("its front matter has a form that Kenning does not change; edit {key} by hand")]
    UnusualForm {
        /// The key that was to be changed.
        key: String,
    },
}

/// A text whose front matter is changed.
struct EditedText<'t> {
    /// The text up to the YAML; empty without front matter.
    before: &'t str,
    yaml: &'t str,
    /// The text after the YAML.
    after: &'t str,
    /// The values of the YAML.
    values: Map<String, Value>,
    line_end: &'static str,
}

impl<'t> EditedText<'t> {
    fn new(text: &'t str) -> Result<Self, EditProblem> {
        let (before, yaml, after) = match find_front_matter(text) {
            FrontMatterRange::Closed { yaml, .. } => {
                (&text[..yaml.start], &text[yaml.clone()], &text[yaml.end..])
            }
            FrontMatterRange::None => ("", "", text),
            FrontMatterRange::Unclosed => return Err(EditProblem::Broken { line: 1 }),
        };
        let line_end = if text.lines().next().is_some_and(|_| text.contains("\r\n")) { "\r\n" } else { "\n" };
        let values = read_values(yaml).map_err(|line| EditProblem::Broken { line })?;
        Ok(Self { before, yaml, after, values, line_end })
    }

    /// Returns the text with other front matter.
    fn with_yaml(&self, yaml: &str) -> String {
        if self.before.is_empty() {
            let end = self.line_end;
            let blank = if self.after.is_empty() { "" } else { end };
            return format!("---{end}{yaml}---{end}{blank}{}", self.after);
        }
        format!("{}{yaml}{}", self.before, self.after)
    }

    /// Returns the text with the first of these candidates whose values are the expected ones.
    fn first_fitting_text(
        &self,
        key: &str,
        value: &Value,
        candidates: impl IntoIterator<Item = Option<String>>,
    ) -> Result<String, EditProblem> {
        let mut expected = self.values.clone();
        expected.insert(key.to_owned(), value.clone());
        let fits = |yaml: &String| read_values(yaml).is_ok_and(|values| values == expected);
        let fitting = candidates.into_iter().flatten().find(fits);
        let text = fitting.map(|yaml| self.with_yaml(&yaml));
        text.ok_or_else(|| EditProblem::UnusualForm { key: key.to_owned() })
    }

    fn lines(&self) -> Vec<&'t str> {
        self.yaml.split_inclusive('\n').collect()
    }

    /// Returns the front matter with the lines of a key replaced; a new key is added at the end.
    fn replace_key(&self, key: &str, lines: &str) -> String {
        let old = self.lines();
        let Some(range) = find_key(&old, key) else {
            let end = if self.yaml.is_empty() || self.yaml.ends_with('\n') { "" } else { self.line_end };
            return format!("{}{end}{lines}", self.yaml);
        };
        [&old[..range.start].concat(), lines, &old[range.end..].concat()].concat()
    }
}

/// Returns the values of front matter, or the line in the file that is wrong.
fn read_values(yaml: &str) -> Result<Map<String, Value>, u32> {
    let values: Option<Map<String, Value>> = parse_yaml(yaml).map_err(|issue| issue.line)?;
    Ok(values.unwrap_or_default())
}

/// Returns the text with another value of a key: a text, a number or a list of maps.
///
/// # Errors
/// Returns an error if the front matter is broken, or cannot be changed safely.
pub fn set_key(text: &str, key: &str, value: &Value) -> Result<String, EditProblem> {
    let edited = EditedText::new(text)?;
    let end = edited.line_end;
    let unusual = || EditProblem::UnusualForm { key: key.to_owned() };
    let rendered = match value {
        Value::Array(items) if !items.is_empty() => {
            let mut lines = format!("{key}:{end}");
            for item in items {
                lines.push_str(&render_list_item(item, "  ", end).ok_or_else(unusual)?);
            }
            lines
        }
        other => format!("{key}: {}{end}", render_scalar(other).map_err(|_| unusual())?),
    };
    let lines = edited.lines();
    let with_comment = find_key(&lines, key).filter(|range| range.len() == 1).and_then(|range| {
        let comment = trailing_comment(lines[range.start].strip_prefix(key)?.strip_prefix(':')?)?;
        Some(edited.replace_key(key, &format!("{} {comment}{end}", rendered.trim_end_matches(['\r', '\n']))))
    });
    edited.first_fitting_text(key, value, [with_comment, Some(edited.replace_key(key, &rendered))])
}

/// Returns the text with one more map in a list.
///
/// # Errors
/// Returns an error if the front matter is broken, or cannot be changed safely.
pub fn append_to_list(text: &str, key: &str, item: &Map<String, Value>) -> Result<String, EditProblem> {
    let edited = EditedText::new(text)?;
    let mut items = list_at(&edited.values, key);
    items.push(Value::Object(item.clone()));
    let lines = edited.lines();
    let appended = find_key(&lines, key).and_then(|range| {
        let item_lines = find_items(&lines, &range);
        let first = item_lines.first()?;
        let indent = indentation(lines[first.start]);
        let new = render_item(item, indent, edited.line_end).ok()?;
        Some([&lines[..range.end].concat(), new.as_str(), &lines[range.end..].concat()].concat())
    });
    match edited.first_fitting_text(key, &Value::Array(items.clone()), [appended]) {
        Err(EditProblem::UnusualForm { .. }) => set_key(text, key, &Value::Array(items)),
        other => other,
    }
}

/// Returns the text with other values in one map of a list; `None` removes a key.
///
/// # Errors
/// Returns an error if the front matter is broken, or cannot be changed safely.
pub fn change_list_item(
    text: &str,
    key: &str,
    index: usize,
    changes: &[(&str, Option<Value>)],
) -> Result<String, EditProblem> {
    let edited = EditedText::new(text)?;
    let mut items = list_at(&edited.values, key);
    let Some(Value::Object(item)) = items.get_mut(index) else {
        return Err(EditProblem::UnusualForm { key: key.to_owned() });
    };
    for (field, value) in changes {
        match value {
            Some(value) => drop(item.insert((*field).to_owned(), value.clone())),
            None => drop(item.shift_remove(*field)),
        }
    }
    let lines = edited.lines();
    let in_place = find_key(&lines, key).and_then(|range| {
        let range = find_items(&lines, &range).get(index)?.clone();
        let changed = change_item_lines(&lines[range.clone()], changes, edited.line_end)?;
        Some([&lines[..range.start].concat(), changed.as_str(), &lines[range.end..].concat()].concat())
    });
    match edited.first_fitting_text(key, &Value::Array(items.clone()), [in_place]) {
        Err(EditProblem::UnusualForm { .. }) => set_key(text, key, &Value::Array(items)),
        other => other,
    }
}

fn list_at(values: &Map<String, Value>, key: &str) -> Vec<Value> {
    values.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn render_list_item(item: &Value, indent: &str, line_end: &str) -> Option<String> {
    match item {
        Value::Object(fields) if !fields.is_empty() => render_item(fields, indent, line_end).ok(),
        other => Some(format!("{indent}- {}{line_end}", render_scalar(other).ok()?)),
    }
}

/// Returns the lines of a key of the outermost map, without comments and empty lines after them.
fn find_key(lines: &[&str], key: &str) -> Option<Range<usize>> {
    let start = lines.iter().position(|line| {
        line.strip_prefix(key)
            .and_then(|rest| rest.strip_prefix(':'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    })?;
    let continues = |line: &&str| {
        let is_blank = line.trim().is_empty();
        is_blank
            || line.starts_with([' ', '\t', '#', ']', '}'])
            || line.starts_with("- ")
            || line.trim_end() == "-"
    };
    let length = lines[start + 1..].iter().take_while(|line| continues(line)).count();
    let mut end = start + 1 + length;
    while end > start + 1 && (lines[end - 1].trim().is_empty() || lines[end - 1].starts_with('#')) {
        end -= 1;
    }
    Some(start..end)
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn is_item_start(line: &str) -> bool {
    let rest = line.trim_start_matches(' ');
    rest.starts_with("- ") || rest.trim_end() == "-"
}

/// Returns the lines of each item of a list in block style.
fn find_items(lines: &[&str], key: &Range<usize>) -> Vec<Range<usize>> {
    let inner = key.start + 1..key.end;
    let Some(first) = inner.clone().find(|&at| is_item_start(lines[at])) else { return Vec::new() };
    let indent = indentation(lines[first]);
    let starts: Vec<usize> =
        inner.filter(|&at| is_item_start(lines[at]) && indentation(lines[at]) == indent).collect();
    let ends = starts.iter().skip(1).copied().chain([key.end]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Changes single fields of one item of a list, which are on lines of their own. Returns `None` if
/// the item has another form.
fn change_item_lines(lines: &[&str], changes: &[(&str, Option<Value>)], line_end: &str) -> Option<String> {
    let first = lines.first()?;
    let indent = format!("{}  ", indentation(first));
    let mut fields: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    // While fields are compared, the first has spaces in place of its dash.
    fields[0] =
        format!("{indent}{}", first.trim_start_matches(' ').strip_prefix("- ")?.trim_start_matches(' '));
    for (field, value) in changes {
        let start = format!("{indent}{field}:");
        let at = fields.iter().position(|line| line.starts_with(&start));
        match (at, value) {
            (Some(at), Some(value)) => {
                let comment =
                    trailing_comment(&fields[at][start.len()..]).map(|comment| format!(" {comment}"));
                fields[at] = format!(
                    "{start} {}{}{line_end}",
                    render_scalar(value).ok()?,
                    comment.unwrap_or_default()
                );
            }
            (Some(at), None) => drop(fields.remove(at)),
            (None, Some(value)) => fields.push(format!("{start} {}{line_end}", render_scalar(value).ok()?)),
            (None, None) => {}
        }
    }
    let first = fields.first_mut()?;
    *first = format!("{}- {}", indentation(lines[0]), first.strip_prefix(indent.as_str())?);
    Some(fields.concat())
}

/// Returns the comment after a value that is not quoted.
fn trailing_comment(value: &str) -> Option<&str> {
    let is_quoted = value.trim_start().starts_with(['"', '\'']);
    let at = value.find(" #").filter(|_| !is_quoted)?;
    Some(value[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const TASK: &str = "\u{feff}---\n# Why: see the chat.\ntitle: 'Fix: it' # short\nstatus: todo   # waiting\nown:\n  deep: [1, 2]\nlinks:\n  # first\n  - to: a.py::f # old\n    why: because\n    kind: related_to\n    id: 0123\n\n  - {to: b.py}\n# end\ntags: [a]\n---\n\nBody `---`\n";

    fn item(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn only_the_changed_key_changes() {
        let changed = set_key(TASK, "status", &json!("done")).unwrap();
        assert_eq!(changed, TASK.replace("status: todo   # waiting", "status: done # waiting"));
        let changed = set_key(TASK, "title", &json!("no")).unwrap();
        assert_eq!(changed, TASK.replace("title: 'Fix: it' # short", "title: \"no\""));
        let changed = set_key(TASK, "due", &json!("2030-01-31")).unwrap();
        assert_eq!(changed, TASK.replace("tags: [a]\n", "tags: [a]\ndue: \"2030-01-31\"\n"));
        let windows = TASK.replace('\n', "\r\n");
        let changed = set_key(&windows, "status", &json!("done")).unwrap();
        assert_eq!(changed, windows.replace("status: todo   # waiting", "status: done # waiting"));
    }

    #[test]
    fn a_file_without_front_matter_gets_some() {
        assert_eq!(set_key("# T\n", "status", &json!("done")).unwrap(), "---\nstatus: done\n---\n\n# T\n");
        assert_eq!(set_key("", "status", &json!("done")).unwrap(), "---\nstatus: done\n---\n");
        let link = item(json!({ "to": "a.py" }));
        assert_eq!(append_to_list("T", "links", &link).unwrap(), "---\nlinks:\n  - to: a.py\n---\n\nT");
    }

    #[test]
    fn an_item_is_appended_in_the_style_of_the_list() {
        let link = item(json!({ "to": "c.py::g", "kind": "blocks" }));
        let changed = append_to_list(TASK, "links", &link).unwrap();
        assert_eq!(changed, TASK.replace("{to: b.py}\n", "{to: b.py}\n  - to: c.py::g\n    kind: blocks\n"));
        let flush = "---\nlinks:\n- to: a\nx: 1\n---\n";
        assert_eq!(
            append_to_list(flush, "links", &link).unwrap(),
            flush.replace("x:", "- to: c.py::g\n  kind: blocks\nx:")
        );
        for empty in ["---\nlinks: []\nx: 1\n---\n", "---\nlinks:\nx: 1\n---\n"] {
            let expected = "---\nlinks:\n  - to: c.py::g\n    kind: blocks\nx: 1\n---\n";
            assert_eq!(append_to_list(empty, "links", &link).unwrap(), expected);
        }
        let flow = "---\nlinks: [{to: a, own: 1}]\n---\n";
        let expected = "---\nlinks:\n  - to: a\n    own: 1\n  - to: c.py::g\n    kind: blocks\n---\n";
        assert_eq!(append_to_list(flow, "links", &link).unwrap(), expected);
    }

    #[test]
    fn fields_of_an_item_change_in_place() {
        let changes = [("to", Some(json!("n.py::g"))), ("id", None), ("lines", Some(json!(4)))];
        let changed = change_list_item(TASK, "links", 0, &changes).unwrap();
        let expected =
            TASK.replace("a.py::f # old", "n.py::g # old").replace("    id: 0123\n\n", "\n    lines: 4\n");
        assert_eq!(changed, expected);
        let changed = change_list_item(TASK, "links", 1, &[("to", Some(json!("c.py")))]).unwrap();
        assert!(changed.contains("  - to: c.py\n") && changed.contains("why: because"), "{changed}");
        assert!(change_list_item(TASK, "links", 2, &[]).is_err());
    }

    #[test]
    fn a_text_that_cannot_be_changed_safely_is_refused() {
        let unusual = Err(EditProblem::UnusualForm { key: "status".to_owned() });
        assert_eq!(set_key("---\n{title: x}\n---\n", "status", &json!("done")), unusual);
        assert_eq!(
            set_key("---\n\"status\": todo\n---\n", "status", &json!("done")),
            Err(EditProblem::UnusualForm { key: "status".to_owned() })
        );
        assert_eq!(
            set_key("---\na: [\n---\n", "status", &json!("done")),
            Err(EditProblem::Broken { line: 2 })
        );
        assert_eq!(set_key("---\na: 1\n", "status", &json!("done")), Err(EditProblem::Broken { line: 1 }));
        assert!(set_key("---\n- a\n---\n", "status", &json!("done")).is_err());
    }

    #[test]
    fn spaces_that_are_not_ascii_survive() {
        for value in ["\u{a0}", "a\u{a0}", "\u{2003}b", "\u{85}", "\u{2028}x"] {
            let changed = set_key("---\nstatus: todo # ours\n---\n", "status", &json!(value)).unwrap();
            let again = EditedText::new(&changed).unwrap();
            assert_eq!(again.values["status"], json!(value), "{changed}");
        }
    }

    proptest! {
        #[test]
        fn other_keys_and_the_body_survive(
            own in proptest::collection::btree_map("[a-z]{1,3}", "[a-z0-9 :#'-]{0,9}", 0..5),
            body in "\\PC{0,20}",
            value in "\\PC{0,20}",
        ) {
            let mut text = "---\n".to_owned();
            for (key, value) in &own {
                let value = render_scalar(&json!(value)).unwrap();
                text.extend([key.as_str(), ": ", value.as_str(), " # own\n"]);
            }
            text.push_str("---\n");
            text.push_str(&body);
            let changed = set_key(&text, "status", &json!(value)).unwrap();
            let end = format!("---\n{body}");
            prop_assert!(changed.ends_with(&end));
            for line in text.lines().filter(|line| line.ends_with("# own")) {
                prop_assert!(changed.contains(line));
            }
            let again = set_key(&changed, "status", &json!("done")).unwrap();
            prop_assert!(set_key(&again, "status", &json!(value)).is_ok());
        }
    }
}
