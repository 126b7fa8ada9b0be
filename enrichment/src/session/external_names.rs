//! Determines the packages and names of targets outside the workspace.
//!
//! [`ServerSession::resolve_external`] takes the locations that a server returned. The package
//! follows from the path of the file ([`package_of_path`]), the name from the server's outline of
//! that file (`textDocument/documentSymbol`), which [`OutlineCache`] keeps. Among several
//! candidates, the most specific one counts, whatever the order of the locations.

use super::locations::{LspLocation, parse_range};
use super::requests::{DocumentSymbols, LspPosition};
use super::{QuestionFailure, ServerSession};
use crate::servers::package_of_path;
use crate::session::file_uris::file_from_uri;
use kenning_graph::Hash;
use kenning_graph::snapshot::Snapshot;
use kenning_graph::verdicts::{NoAnswerReason, ReferenceSite, ServerResolution, external_hash};
use kenning_graph::vocabulary::SymbolKind;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of external files whose declarations are cached. A long session can visit
/// thousands of library files.
const MAX_OUTLINES: usize = 2000;
/// Maximum number of locations read per answer; a name with all its overloads has fewer.
const MAX_EXTERNAL_LOCATIONS: usize = 64;
/// Maximum number of declarations read from one file. Generated bindings have tens of thousands.
const MAX_DECLARATIONS: usize = 50_000;
/// Maximum nesting of the declarations read from one file. A server with a bug can nest them
/// without end.
const MAX_DEPTH: usize = 16;
/// Names of constructors that differ from the name of their type.
const CONSTRUCTORS: [&str; 4] = ["__init__", "__new__", "constructor", "new"];

/// The form of a reference site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteKind {
    /// The site names a member of something: `a.name`.
    Member,
    /// The site is a name without a receiver.
    Plain,
}

/// A cache of the declarations of external files. Kenning asks about each file once.
#[derive(Default)]
pub(crate) struct OutlineCache(Mutex<HashMap<String, Arc<Vec<OutlineEntry>>>>);

/// A declaration in an external file.
#[derive(Debug, PartialEq, Eq)]
struct OutlineEntry {
    name: String,
    /// Range of the whole declaration.
    range: (LspPosition, LspPosition),
    /// Range of the name, if the server reports it.
    name_range: Option<(LspPosition, LspPosition)>,
}

impl ServerSession {
    /// Resolves a site whose definition lies outside the workspace. Returns `None` if the site
    /// cannot refer to any of the declarations at the locations. No import can have renamed a
    /// [`SiteKind::Member`].
    ///
    /// A server may return several locations: the overloads of a stub and the source that the stub
    /// describes. Uses the most specific one, independent of the paths of the files.
    pub(super) async fn resolve_external(
        &self,
        snapshot: &Snapshot,
        site: &ReferenceSite,
        kind: SiteKind,
        locations: &[LspLocation],
    ) -> Result<Option<ServerResolution>, QuestionFailure> {
        if let Some(resolution) = guessed_external(snapshot, site) {
            return Ok(Some(resolution));
        }
        let mut candidates = Vec::new();
        for location in locations.iter().take(MAX_EXTERNAL_LOCATIONS) {
            let Some(name) = self.external_name(location, &site.name, kind).await? else { continue };
            let package = match file_from_uri(&location.uri) {
                Ok(file) => package_of_path(&self.language.stores, &file.to_string_lossy()),
                Err(uri) => package_of_path(&self.language.stores, uri),
            };
            candidates.push((package.unwrap_or_default(), name));
        }
        Ok(choose_most_specific(candidates).map(|(package, name)| {
            if package.is_empty() {
                // A target in a file that belongs to no known package is identified by its name
                // alone.
                ServerResolution::External { package: "".into(), name: name.into() }
            } else {
                shared_external(snapshot, &package, &name)
            }
        }))
    }

    /// Returns the qualified name of the declaration at a location. Returns `None` if the location
    /// answers another question: for a member of unknown type, a server may return the function
    /// around it (for `area` in `sum(item.area() for item in items)`, the function `sum`).
    async fn external_name(
        &self,
        location: &LspLocation,
        used: &str,
        kind: SiteKind,
    ) -> Result<Option<String>, QuestionFailure> {
        if !self.offers.symbols {
            return Ok(Some(used.to_owned()));
        }
        let outline = self.fetch_outline(&location.uri).await?;
        let mut enclosing =
            outline.iter().filter(|entry| entry.range.0 <= location.at && location.at <= entry.range.1);
        // Entries are in order of nesting, so the last one around a location is the innermost.
        Ok(enclosing
            .next_back()
            .map_or_else(|| Some(used.to_owned()), |entry| entry.name_for_use(used, kind, location.at)))
    }

    async fn fetch_outline(&self, uri: &str) -> Result<Arc<Vec<OutlineEntry>>, QuestionFailure> {
        let lock_cache = || self.outlines.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outline) = lock_cache().get(uri) {
            return Ok(Arc::clone(outline));
        }
        let params = json!({"textDocument": {"uri": uri}});
        let answer = match self.ask_server::<DocumentSymbols>(params).await {
            Ok(answer) => answer,
            Err(fatal @ QuestionFailure::Fatal(_)) => return Err(fatal),
            // A server may refuse questions about files that are not open.
            Err(QuestionFailure::Unanswered(NoAnswerReason::Refused)) => Value::Null,
            Err(failure @ QuestionFailure::Unanswered(_)) => return Err(failure),
        };
        let mut entries = Vec::new();
        collect_entries(&answer, "", 0, &mut entries);
        let outline = Arc::new(entries);
        let mut cache = lock_cache();
        if cache.len() >= MAX_OUTLINES {
            cache.clear();
        }
        cache.insert(uri.to_owned(), Arc::clone(&outline));
        Ok(outline)
    }
}

impl OutlineEntry {
    /// Returns the qualified name for a use by the name `used`. `position` is the server's answer,
    /// and this is the innermost declaration around it. Returns `None` for a member with another
    /// name.
    fn name_for_use(&self, used: &str, kind: SiteKind, position: LspPosition) -> Option<String> {
        let mut names = self.name.rsplit('.');
        if names.next() == Some(used) {
            return Some(self.name.clone());
        }
        // A constructor is used by the name of its type.
        let is_constructor = names.next() == Some(used);
        let is_at_name =
            self.name_range.as_ref().is_some_and(|(start, end)| *start <= position && position <= *end);
        match (is_constructor || !is_at_name, kind) {
            (true, _) => Some(used.to_owned()),
            (false, SiteKind::Member) => None,
            // An import renamed the declaration.
            (false, SiteKind::Plain) => Some(self.declared_name().to_owned()),
        }
    }

    /// Returns the declaration's name. For a constructor, returns the name of its type.
    fn declared_name(&self) -> &str {
        match self.name.rsplit_once('.') {
            Some((ty, last)) if CONSTRUCTORS.contains(&last) => ty,
            _ => &self.name,
        }
    }
}

/// Appends the declarations in an answer and their children, each after its container.
fn collect_entries(symbols: &Value, container: &str, depth: usize, out: &mut Vec<OutlineEntry>) {
    for symbol in symbols.as_array().map_or(&[][..], Vec::as_slice) {
        let (Some(name), Some(range)) = (
            symbol["name"].as_str(),
            parse_range(&symbol["range"]).or(parse_range(&symbol["location"]["range"])),
        ) else {
            continue;
        };
        if out.len() >= MAX_DECLARATIONS || depth >= MAX_DEPTH {
            return;
        }
        let container = match symbol["containerName"].as_str() {
            Some(reported) if container.is_empty() => plain_name(reported),
            _ => container.to_owned(),
        };
        let name =
            if container.is_empty() { plain_name(name) } else { format!("{container}.{}", plain_name(name)) };
        out.push(OutlineEntry {
            name: name.clone(),
            range,
            name_range: parse_range(&symbol["selectionRange"]),
        });
        collect_entries(&symbol["children"], &name, depth + 1, out);
    }
}

/// Returns a name without the decoration that servers add: Go's `(*Client).Do`, Java's `add(E)`,
/// Rust's `impl<T> Clone for Vec<T>`.
fn plain_name(name: &str) -> String {
    if let Some(implemented) = name.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<'])) {
        return implementing_type(implemented);
    }
    if let Some((receiver, method)) = name.strip_prefix('(').and_then(|name| name.split_once(").")) {
        return format!("{}.{method}", receiver.trim_start_matches('*'));
    }
    name.split('(').next().unwrap_or(name).trim().to_owned()
}

/// Returns the type in Rust's `<T> Clone for Vec<T>`, without its parameters.
fn implementing_type(implemented: &str) -> String {
    let mut depth = 0i32;
    let parameters = implemented.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && !c.is_whitespace()
    });
    let without_parameters = match (implemented.trim_start().starts_with('<'), parameters) {
        (true, Some(end)) => &implemented[end + 1..],
        _ => implemented,
    };
    let ty = without_parameters.rsplit_once(" for ").map_or(without_parameters, |(_, ty)| ty);
    let ty = ty.trim().trim_start_matches(['&', '*']);
    ty.split('<').next().unwrap_or(ty).trim().to_owned()
}

/// Returns the most specific pair of package and name. A pair with a package comes first, then a
/// name that belongs to a type, then the alphabetical order.
fn choose_most_specific(candidates: Vec<(String, String)>) -> Option<(String, String)> {
    candidates.into_iter().min_by(|a, b| {
        let rank = |(package, name): &(String, String)| (package.is_empty(), !name.contains('.'));
        rank(a).cmp(&rank(b)).then_with(|| a.cmp(b))
    })
}

/// Returns the external target that the text resolved to, if it has the same simple name. Text and
/// server then share one node of the graph.
fn guessed_external(snapshot: &Snapshot, site: &ReferenceSite) -> Option<ServerResolution> {
    let external_target = |hash: &Hash| {
        let symbol = snapshot.symbol(snapshot.symbol_by_hash(hash)?)?;
        (symbol.kind == SymbolKind::External).then(|| (symbol.path.to_owned(), symbol.name.to_owned()))
    };
    let mut targets =
        site.guesses.iter().filter_map(|guess| external_target(&guess.far_end(&site.target_edges)));
    targets
        .find(|(_, name)| name.rsplit('.').next() == Some(&*site.name))
        .map(|(package, name)| ServerResolution::External { package: package.into(), name: name.into() })
}

/// Returns the graph's existing node for this name in the package or a package above it, which
/// re-exports the name. Otherwise returns a new node.
fn shared_external(snapshot: &Snapshot, package: &str, name: &str) -> ServerResolution {
    let ends = package.char_indices().filter(|(_, c)| matches!(c, '.' | '/')).map(|(at, _)| at);
    let prefix_ends = std::iter::once(package.len()).chain(ends.collect::<Vec<_>>().into_iter().rev());
    let known = prefix_ends
        .map(|end| &package[..end])
        .find(|prefix| snapshot.symbol_by_hash(&external_hash(prefix, name)).is_some());
    ServerResolution::External { package: known.unwrap_or(package).into(), name: name.into() }
}

#[cfg(test)]
mod tests {
    use super::{LspPosition, OutlineEntry, SiteKind, choose_most_specific, collect_entries, plain_name};
    use serde_json::json;

    #[test]
    fn a_member_does_not_resolve_to_a_declaration_with_another_name() {
        let at = |line| LspPosition { line, character: 0 };
        let entry = |name: &str| OutlineEntry {
            name: name.to_owned(),
            range: (at(1), at(9)),
            name_range: Some((at(1), at(2))),
        };
        assert_eq!(
            entry("sum").name_for_use("area", SiteKind::Member, at(1)),
            None,
            "a member of unknown type"
        );
        assert_eq!(
            entry("sum").name_for_use("total", SiteKind::Plain, at(1)).as_deref(),
            Some("sum"),
            "an import may rename"
        );
        assert_eq!(
            entry("Shape.__init__").name_for_use("Form", SiteKind::Plain, at(1)).as_deref(),
            Some("Shape")
        );
        assert_eq!(
            entry("Shape").name_for_use("area", SiteKind::Member, at(5)).as_deref(),
            Some("area"),
            "a field inside"
        );
        assert_eq!(
            entry("Shape.__init__").name_for_use("Shape", SiteKind::Member, at(1)).as_deref(),
            Some("Shape")
        );
        assert_eq!(
            entry("Shape.area").name_for_use("area", SiteKind::Member, at(1)).as_deref(),
            Some("Shape.area")
        );
    }

    #[test]
    fn the_most_specific_location_wins_in_any_order() {
        let choose = |locations: &[(&str, &str)]| {
            choose_most_specific(
                locations.iter().map(|(package, name)| ((*package).to_owned(), (*name).to_owned())).collect(),
            )
        };
        let best = Some(("unittest.case".to_owned(), "TestCase.assertRaises".to_owned()));
        let overload = ("unittest.case", "assertRaises");
        let source = ("unittest.case", "TestCase.assertRaises");
        let stray = ("", "TestCase.assertRaises");
        assert_eq!(choose(&[overload, source, stray]), best);
        assert_eq!(choose(&[stray, source, overload]), best);
        assert_eq!(choose(&[]), None);
    }

    #[test]
    fn entries_have_qualified_names_without_decoration() {
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
        let answer = json!([
            {"name": "Map", "range": range, "children": [{"name": "get", "range": range, "children": []}]},
            {"name": "(*Client).Do", "range": range},
            {"name": "flat", "containerName": "Outer", "location": {"range": range}},
            {"name": 1},
        ]);
        let mut entries = Vec::new();
        collect_entries(&answer, "", 0, &mut entries);
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["Map", "Map.get", "Client.Do", "Outer.flat"]);
        assert_eq!(plain_name("add(E)"), "add");
        for (name, ty) in [
            ("impl Vec<T>", "Vec"),
            ("impl<T, A> Vec<T, A>", "Vec"),
            ("impl<T: Into<U>, U> Iterator for Map<T, U>", "Map"),
            ("impl [T]", "[T]"),
            ("impl Add for &Size", "Size"),
            ("impl", "impl"),
            ("implement", "implement"),
        ] {
            assert_eq!(plain_name(name), ty, "{name}");
        }
    }
}
