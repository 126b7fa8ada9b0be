//! Names for what lies outside of the workspace.

use super::places::{Place, range};
use super::requests::{DocumentSymbols, Position};
use super::{Asker, Failure};
use crate::ask::uris::file_of;
use crate::servers::package_of;
use kenning_graph::Hash;
use kenning_graph::snapshot::Snapshot;
use kenning_graph::verdicts::{Resolution, Site, Unresolved, external};
use kenning_graph::vocabulary::SymbolKind;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Files outside whose declarations are kept.
const MAX_OUTLINES: usize = 2000;
/// Places of one answer that are looked at: more than overloads and their sources have, whatever the order of their folders.
const MAX_PLACES: usize = 64;
/// Declarations of one file that are kept, and how deep they are nested.
const MAX_DECLARATIONS: usize = 50_000;
const MAX_DEPTH: usize = 16;
/// Names of constructors that are not the name of their type.
const CONSTRUCTORS: [&str; 4] = ["__init__", "__new__", "constructor", "new"];

/// The declarations of files outside, each file asked once.
#[derive(Default)]
pub(crate) struct Outlines(Mutex<HashMap<String, Arc<Vec<Declared>>>>);

/// A declaration of a file outside.
#[derive(Debug, PartialEq, Eq)]
struct Declared {
    name: String,
    /// Of the whole declaration.
    range: (Position, Position),
    /// Of its name, where the server says that.
    at: Option<(Position, Position)>,
}

impl Asker {
    /// What a site stands for whose definition lies outside; `None` when the places declare what the site cannot mean.
    /// `member`: the site names a member of something (`a.name`), which no import can have renamed.
    ///
    /// A server may lead to several places: the overloads of a stub and the source that it describes. The one counts that
    /// says most, wherever on the machine its file lies.
    pub(super) async fn outside(
        &self,
        snapshot: &Snapshot,
        site: &Site,
        member: bool,
        places: &[Place],
    ) -> Result<Option<Resolution>, Failure> {
        if let Some(known) = guessed(snapshot, site) {
            return Ok(Some(known));
        }
        let mut meant = Vec::new();
        for place in places.iter().take(MAX_PLACES) {
            let Some(name) = self.outside_name(place, &site.name, member).await? else { continue };
            let package = match file_of(&place.uri) {
                Ok(file) => package_of(&self.language.stores, &file.to_string_lossy()),
                Err(uri) => package_of(&self.language.stores, uri),
            };
            meant.push((package.unwrap_or_default(), name));
        }
        Ok(most_told(meant).map(|(package, name)| {
            if package.is_empty() {
                // A file outside that belongs to no package that could be read: its name alone.
                Resolution::External { package: "".into(), name: name.into() }
            } else {
                shared(snapshot, &package, &name)
            }
        }))
    }

    /// The name of the declaration at a place, with what it belongs to. Asked for a member of unknown type, a server may
    /// lead to the function around it (`sum` of `sum(item.area() for item in items)`): that is no answer.
    async fn outside_name(&self, place: &Place, used: &str, member: bool) -> Result<Option<String>, Failure> {
        if !self.offers.symbols {
            return Ok(Some(used.to_owned()));
        }
        let outline = self.outline(&place.uri).await?;
        let mut around =
            outline.iter().filter(|declared| declared.range.0 <= place.at && place.at <= declared.range.1);
        // The list is in the order of nesting: the last one around a place is the innermost.
        Ok(around
            .next_back()
            .map_or_else(|| Some(used.to_owned()), |declared| declared.meant_by(used, member, place.at)))
    }

    async fn outline(&self, uri: &str) -> Result<Arc<Vec<Declared>>, Failure> {
        let lock = || self.outlines.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(uri) {
            return Ok(Arc::clone(known));
        }
        let params = json!({"textDocument": {"uri": uri}});
        let answer = match self.ask::<DocumentSymbols>(params).await {
            Ok(answer) => answer,
            Err(fatal @ Failure::Fatal(_)) => return Err(fatal),
            // Servers may know nothing of files that they do not have open.
            Err(Failure::Open(Unresolved::Refused)) => Value::Null,
            Err(open @ Failure::Open(_)) => return Err(open),
        };
        let mut declared = Vec::new();
        read(&answer, "", 0, &mut declared);
        let declared = Arc::new(declared);
        let mut kept = lock();
        if kept.len() >= MAX_OUTLINES {
            kept.clear();
        }
        kept.insert(uri.to_owned(), Arc::clone(&declared));
        Ok(declared)
    }
}

impl Declared {
    /// The name under which `used` means this, the innermost declaration around the place that a server led to.
    fn meant_by(&self, used: &str, member: bool, place: Position) -> Option<String> {
        let mut names = self.name.rsplit('.');
        if names.next() == Some(used) {
            return Some(self.name.clone());
        }
        // A constructor is used by the name of its type.
        let constructs = names.next() == Some(used);
        let named_here = self.at.as_ref().is_some_and(|(start, end)| *start <= place && place <= *end);
        match (constructs || !named_here, member) {
            (true, _) => Some(used.to_owned()),
            (false, true) => None,
            // An import gave it another name.
            (false, false) => Some(self.own_name().to_owned()),
        }
    }

    /// Its name, of a constructor that of its type.
    fn own_name(&self) -> &str {
        match self.name.rsplit_once('.') {
            Some((ty, last)) if CONSTRUCTORS.contains(&last) => ty,
            _ => &self.name,
        }
    }
}

fn read(symbols: &Value, container: &str, depth: usize, out: &mut Vec<Declared>) {
    for symbol in symbols.as_array().map_or(&[][..], Vec::as_slice) {
        let (Some(name), Some(range)) =
            (symbol["name"].as_str(), range(&symbol["range"]).or(range(&symbol["location"]["range"])))
        else {
            continue;
        };
        if out.len() >= MAX_DECLARATIONS || depth >= MAX_DEPTH {
            return;
        }
        let container = match symbol["containerName"].as_str() {
            Some(said) if container.is_empty() => plain(said),
            _ => container.to_owned(),
        };
        let name = if container.is_empty() { plain(name) } else { format!("{container}.{}", plain(name)) };
        out.push(Declared { name: name.clone(), range, at: self::range(&symbol["selectionRange"]) });
        read(&symbol["children"], &name, depth + 1, out);
    }
}

/// A name without the decoration that servers give it: Go's `(*Client).Do`, Java's `add(E)`, Rust's `impl<T> Clone for Vec<T>`.
fn plain(name: &str) -> String {
    if let Some(implemented) = name.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<'])) {
        return implementing(implemented);
    }
    if let Some((receiver, method)) = name.strip_prefix('(').and_then(|name| name.split_once(").")) {
        return format!("{}.{method}", receiver.trim_start_matches('*'));
    }
    name.split('(').next().unwrap_or(name).trim().to_owned()
}

/// The type of Rust's `<T> Clone for Vec<T>`, without its parameters.
fn implementing(implemented: &str) -> String {
    let mut depth = 0i32;
    let parameters = implemented.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && !c.is_whitespace()
    });
    let own = match (implemented.trim_start().starts_with('<'), parameters) {
        (true, Some(end)) => &implemented[end + 1..],
        _ => implemented,
    };
    let ty = own.rsplit_once(" for ").map_or(own, |(_, ty)| ty);
    let ty = ty.trim().trim_start_matches(['&', '*']);
    ty.split('<').next().unwrap_or(ty).trim().to_owned()
}

/// The package and name that say most: with a package, then with a type that the name belongs to, then by their order.
fn most_told(meant: Vec<(String, String)>) -> Option<(String, String)> {
    meant.into_iter().min_by(|a, b| {
        let told = |(package, name): &(String, String)| (package.is_empty(), !name.contains('.'));
        told(a).cmp(&told(b)).then_with(|| a.cmp(b))
    })
}

/// What the text already took it for, under the same simple name: both ways lead to one node.
fn guessed(snapshot: &Snapshot, site: &Site) -> Option<Resolution> {
    let outside = |hash: &Hash| {
        let symbol = snapshot.symbol(snapshot.symbol_by_hash(hash)?)?;
        (symbol.kind == SymbolKind::External).then(|| (symbol.path.to_owned(), symbol.name.to_owned()))
    };
    let mut known = site.guesses.iter().filter_map(|guess| outside(&guess.far_end(&site.makes)));
    known
        .find(|(_, name)| name.rsplit('.').next() == Some(&*site.name))
        .map(|(package, name)| Resolution::External { package: package.into(), name: name.into() })
}

/// The node that the graph has already for this name in a package above (a name that a package re-exports), else a new one.
fn shared(snapshot: &Snapshot, package: &str, name: &str) -> Resolution {
    let ends = package.char_indices().filter(|(_, c)| matches!(c, '.' | '/')).map(|(at, _)| at);
    let above = std::iter::once(package.len()).chain(ends.collect::<Vec<_>>().into_iter().rev());
    let known = above
        .map(|end| &package[..end])
        .find(|above| snapshot.symbol_by_hash(&external(above, name)).is_some());
    Resolution::External { package: known.unwrap_or(package).into(), name: name.into() }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Position, most_told, plain, read};
    use serde_json::json;

    #[test]
    fn a_member_does_not_mean_what_has_another_name() {
        let at = |line| Position { line, character: 0 };
        let sum =
            |name: &str| Declared { name: name.to_owned(), range: (at(1), at(9)), at: Some((at(1), at(2))) };
        assert_eq!(sum("sum").meant_by("area", true, at(1)), None, "a member of unknown type");
        assert_eq!(
            sum("sum").meant_by("total", false, at(1)).as_deref(),
            Some("sum"),
            "an import may rename"
        );
        assert_eq!(sum("Shape.__init__").meant_by("Form", false, at(1)).as_deref(), Some("Shape"));
        assert_eq!(sum("Shape").meant_by("area", true, at(5)).as_deref(), Some("area"), "a field inside");
        assert_eq!(sum("Shape.__init__").meant_by("Shape", true, at(1)).as_deref(), Some("Shape"));
        assert_eq!(sum("Shape.area").meant_by("area", true, at(1)).as_deref(), Some("Shape.area"));
    }

    #[test]
    fn of_several_places_the_one_counts_that_says_most_in_whatever_order_they_come() {
        let told = |places: &[(&str, &str)]| {
            most_told(
                places.iter().map(|(package, name)| ((*package).to_owned(), (*name).to_owned())).collect(),
            )
        };
        let best = Some(("unittest.case".to_owned(), "TestCase.assertRaises".to_owned()));
        let overload = ("unittest.case", "assertRaises");
        let source = ("unittest.case", "TestCase.assertRaises");
        let stray = ("", "TestCase.assertRaises");
        assert_eq!(told(&[overload, source, stray]), best);
        assert_eq!(told(&[stray, source, overload]), best);
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn names_are_read_with_what_they_belong_to() {
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
        let answer = json!([
            {"name": "Map", "range": range, "children": [{"name": "get", "range": range, "children": []}]},
            {"name": "(*Client).Do", "range": range},
            {"name": "flat", "containerName": "Outer", "location": {"range": range}},
            {"name": 1},
        ]);
        let mut found = Vec::new();
        read(&answer, "", 0, &mut found);
        let names: Vec<&str> = found.iter().map(|declared| declared.name.as_str()).collect();
        assert_eq!(names, ["Map", "Map.get", "Client.Do", "Outer.flat"]);
        assert_eq!(plain("add(E)"), "add");
        for (name, ty) in [
            ("impl Vec<T>", "Vec"),
            ("impl<T, A> Vec<T, A>", "Vec"),
            ("impl<T: Into<U>, U> Iterator for Map<T, U>", "Map"),
            ("impl [T]", "[T]"),
            ("impl Add for &Size", "Size"),
            ("impl", "impl"),
            ("implement", "implement"),
        ] {
            assert_eq!(plain(name), ty, "{name}");
        }
    }
}
