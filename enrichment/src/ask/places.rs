//! Places in the answers of servers, in whatever form they come.

use super::requests::Position;
use serde_json::Value;

/// Most places of one answer that are read.
pub(crate) const MAX_PLACES: usize = 20_000;

/// Where something is defined or used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub uri: String,
    pub at: Position,
}

/// A location, a link, an item of a hierarchy, or a list of them; what cannot be read is left out.
pub(crate) fn places(answer: &Value) -> Vec<Place> {
    match answer {
        Value::Array(all) => all.iter().take(MAX_PLACES).filter_map(place).collect(),
        one => place(one).into_iter().collect(),
    }
}

fn place(value: &Value) -> Option<Place> {
    let uri = value["uri"].as_str().or(value["targetUri"].as_str())?;
    let ranges = ["selectionRange", "targetSelectionRange", "range", "targetRange"];
    let at = ranges.iter().find_map(|name| range(&value[name]))?.0;
    Some(Place { uri: uri.to_owned(), at })
}

/// Beginning and end of a range.
pub(crate) fn range(value: &Value) -> Option<(Position, Position)> {
    Some((position(&value["start"])?, position(&value["end"])?))
}

fn position(value: &Value) -> Option<Position> {
    let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
    Some(Position { line: number("line")?, character: number("character")? })
}

#[cfg(test)]
mod tests {
    use super::{Place, places};
    use serde_json::json;

    #[test]
    fn every_form_of_a_place_is_read_and_nonsense_is_not() {
        let range = |line: u32| json!({"start": {"line": line, "character": 2}, "end": {"line": line, "character": 5}});
        let lines = |answer| places(&answer).iter().map(|Place { at, .. }| at.line).collect::<Vec<_>>();
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
