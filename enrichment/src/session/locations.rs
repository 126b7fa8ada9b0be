//! Parses the locations in the answers of servers, in all their forms.

use super::requests::LspPosition;
use serde_json::Value;

/// Maximum number of locations read from one answer; far more than real answers have.
pub(crate) const MAX_LOCATIONS: usize = 20_000;

/// The location of a definition or use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LspLocation {
    pub uri: String,
    pub at: LspPosition,
}

/// Parses a location, a link, an item of a hierarchy, or a list of them. Skips entries that cannot
/// be read.
pub(crate) fn parse_locations(answer: &Value) -> Vec<LspLocation> {
    match answer {
        Value::Array(items) => items.iter().take(MAX_LOCATIONS).filter_map(parse_location).collect(),
        item => parse_location(item).into_iter().collect(),
    }
}

fn parse_location(value: &Value) -> Option<LspLocation> {
    let uri = value["uri"].as_str().or(value["targetUri"].as_str())?;
    let ranges = ["selectionRange", "targetSelectionRange", "range", "targetRange"];
    let at = ranges.iter().find_map(|name| parse_range(&value[name]))?.0;
    Some(LspLocation { uri: uri.to_owned(), at })
}

/// Parses the start and end of a range.
pub(crate) fn parse_range(value: &Value) -> Option<(LspPosition, LspPosition)> {
    Some((parse_position(&value["start"])?, parse_position(&value["end"])?))
}

fn parse_position(value: &Value) -> Option<LspPosition> {
    let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
    Some(LspPosition { line: number("line")?, character: number("character")? })
}

#[cfg(test)]
mod tests {
    use super::{LspLocation, parse_locations};
    use serde_json::json;

    #[test]
    fn every_form_is_parsed_and_malformed_locations_are_skipped() {
        let range = |line: u32| json!({"start": {"line": line, "character": 2}, "end": {"line": line, "character": 5}});
        let lines = |answer| {
            parse_locations(&answer).iter().map(|LspLocation { at, .. }| at.line).collect::<Vec<_>>()
        };
        assert!(lines(json!(null)).is_empty());
        assert_eq!(lines(json!({"uri": "file:///a b", "range": range(3)})), [3]);
        assert_eq!(
            lines(json!([
                {"targetUri": "x", "targetRange": range(1), "targetSelectionRange": range(2)},
                {"uri": "x", "range": range(8), "selectionRange": range(9)},
                {"uri": "x", "range": {"start": {"line": -1, "character": 0}, "end": {}}},
                {"uri": 7, "range": range(1)},
                "text",
                {"uri": "x", "range": {"start": {"line": 1e30, "character": 0}, "end": {"line": 0, "character": 0}}},
            ])),
            [2, 9]
        );
    }
}
