//! Facts of texts that are nested mappings, by the paths of their keys.
//!
//! The input is the syntax tree of a YAML or JSON text and the rules of its language
//! ([`KeyPathRule`]), which say what the value at a path of keys means: a symbol, a dependency, an
//! environment variable that is set, a file, an endpoint. One walk over the mappings follows all
//! rules at once. Patterns cannot express this, because they do not see how deep a node is.
//!
//! `mapping_tree` reads the tree, `commands` the scripts in values. Values that contain expressions
//! (`${{ x }}`, `{{ x }}`, `$X`) name nothing, because their text is not known.

mod commands;
mod mapping_tree;

pub(crate) use commands::image_name;
pub(crate) use mapping_tree::blank_template_expressions;

use super::expressions::{ExpressionReader, one_line};
use super::raw_facts::{DraftKind, RawFacts, RawReference, SymbolDraft};
use super::routes::{PathForm, PathUse, RawRoute, VERBS, join_route_paths, normalize_route_path};
use super::symbols::FileSymbols;
use crate::languages::{KeyPathFact, KeyPathRule, PathPart};
use kenning_graph::facts::ReferenceRole;
use kenning_graph::vocabulary::{IMAGE_PACKAGE, SymbolKind};
use mapping_tree::{
    ScalarText, list_items, mapping_entries, read_scalar, read_scalars, scalars_at, unwrap_content,
};
use tree_sitter::Node;

/// Maximum number of different endpoint prefixes read from one document, such as server URLs.
const MAX_PREFIXES: usize = 4;

/// The index of a rule, and the number of parts of its path that led to the current value.
type RuleState = (usize, usize);

/// Collects the facts of all documents of a text. Returns the endpoints that they specify.
pub(super) fn collect_key_paths<'t>(
    root: Node<'t>,
    rules: &[KeyPathRule],
    expressions: &ExpressionReader,
    out: &mut RawFacts<'t>,
) -> Vec<RawRoute> {
    let mut cursor = root.walk();
    let mut routes = Vec::new();
    for document in root.named_children(&mut cursor).filter_map(unwrap_content) {
        let prefixes = Vec::new();
        let mut reader = MappingReader {
            document,
            rules,
            expressions,
            out,
            routes,
            enclosing: Vec::new(),
            keys: Vec::new(),
            prefixes,
        };
        reader.walk_value(document, None, &(0..rules.len()).map(|rule| (rule, 0)).collect::<Vec<_>>());
        routes = reader.routes;
    }
    routes
}

/// Sets the enclosing symbol of each endpoint.
pub(super) fn set_route_scopes(routes: &mut [RawRoute], symbols: &FileSymbols) {
    for route in routes {
        route.scope = symbols.symbol_at(route.at.start);
    }
}

/// A walk over one document.
struct MappingReader<'r, 't, 'x> {
    document: Node<'t>,
    rules: &'r [KeyPathRule],
    expressions: &'r ExpressionReader<'x>,
    out: &'r mut RawFacts<'t>,
    routes: Vec<RawRoute>,
    /// The mappings around the current value, outermost first.
    enclosing: Vec<Node<'t>>,
    /// The keys that lead to the current value.
    keys: Vec<ScalarText<'x>>,
    /// The prefixes of the endpoints, once they are read.
    prefixes: Vec<String>,
}

/// The entry of a mapping whose value a rule describes. The document itself has none.
type MappingEntry<'t> = Option<(Node<'t>, Option<Node<'t>>)>;

impl<'t, 'x> MappingReader<'_, 't, 'x> {
    fn walk_value(&mut self, value: Node<'t>, entry: MappingEntry<'t>, states: &[RuleState]) {
        let states = self.expand_states(states);
        let key = entry.and(self.keys.last().copied());
        let (node, content) = entry.unwrap_or((value, Some(value)));
        for &(rule, part) in &states {
            if part == self.rules[rule].at.len() {
                self.apply_rule(&self.rules[rule], node, content, key);
            }
        }
        for item in list_items(value) {
            let next = self.next_states(&states, None);
            if !next.is_empty() {
                self.walk_value(item, None, &next);
            }
        }
        self.enclosing.push(value);
        for (pair, key, value) in mapping_entries(value) {
            let Some(key) = read_scalar(key, self.expressions) else { continue };
            let next = self.next_states(&states, Some(key.text));
            if next.is_empty() {
                continue;
            }
            self.keys.push(key);
            match value {
                Some(inside) => self.walk_value(inside, Some((pair, value)), &next),
                None => self.apply_at_empty_value(pair, &next),
            }
            self.keys.pop();
        }
        self.enclosing.pop();
    }

    /// Applies the rules whose path ends at an entry without a value.
    fn apply_at_empty_value(&mut self, pair: Node<'t>, states: &[RuleState]) {
        let key = self.keys.last().copied();
        for (rule, part) in self.expand_states(states) {
            if part == self.rules[rule].at.len() {
                self.apply_rule(&self.rules[rule], pair, None, key);
            }
        }
    }

    /// Adds the states that skip parts for any number of keys.
    fn expand_states(&self, states: &[RuleState]) -> Vec<RuleState> {
        let mut all = Vec::with_capacity(states.len());
        for &(rule, mut part) in states {
            while !all.contains(&(rule, part)) {
                all.push((rule, part));
                if self.rules[rule].at.get(part) == Some(&PathPart::Descendants) {
                    part += 1;
                }
            }
        }
        all
    }

    /// Returns the states after one more key, or after one more item of a list.
    fn next_states(&self, states: &[RuleState], key: Option<&str>) -> Vec<RuleState> {
        let next = states.iter().filter_map(|&(rule, part)| match (self.rules[rule].at.get(part)?, key) {
            (PathPart::Descendants, _) => Some((rule, part)),
            (PathPart::AnyKey, Some(_)) | (PathPart::Item, None) => Some((rule, part + 1)),
            (PathPart::Key(wanted), Some(key)) if wanted == key => Some((rule, part + 1)),
            _ => None,
        });
        next.collect()
    }

    /// Adds the facts that a rule finds in a node: an entry with this key, or an item of a list.
    fn apply_rule(
        &mut self,
        rule: &KeyPathRule,
        node: Node<'t>,
        value: Option<Node<'t>>,
        key: Option<ScalarText<'x>>,
    ) {
        if key.is_some_and(|key| !rule.accepts_key(key.text)) || !self.meets_conditions(rule) {
            return;
        }
        match rule.is {
            KeyPathFact::Symbol => self.add_symbol(rule, node, key, value),
            KeyPathFact::Endpoint => self.add_endpoint(rule, node, value),
            _ => {
                let found = match key.filter(|_| rule.reads_key()) {
                    Some(key) => vec![key],
                    None => value.map_or_else(Vec::new, |value| read_scalars(value, self.expressions)),
                };
                for scalar in found {
                    self.add_reference(rule, scalar);
                }
            }
        }
    }

    /// Whether the values around the current one meet the conditions of a rule.
    fn meets_conditions(&self, rule: &KeyPathRule) -> bool {
        let is_met = |(path, beginnings): (&String, &Vec<String>)| {
            let levels_up = path.matches("../").count();
            let Some(index) = self.enclosing.len().checked_sub(levels_up + 1) else { return false };
            let found = scalars_at(self.enclosing[index], path.trim_start_matches("../"), self.expressions);
            found.iter().any(|value| beginnings.iter().any(|start| value.text.starts_with(start.as_str())))
        };
        rule.only_if.iter().all(is_met) && !rule.unless.iter().any(is_met)
    }

    fn add_symbol(
        &mut self,
        rule: &KeyPathRule,
        node: Node<'t>,
        key: Option<ScalarText<'x>>,
        value: Option<Node<'t>>,
    ) {
        let Some(kind) = SymbolKind::parse(&rule.kind) else { return };
        let named = |path: &String| {
            let found = scalars_at(value?, path, self.expressions);
            found.into_iter().next().filter(ScalarText::is_name)
        };
        let parts: Vec<ScalarText> = rule.name.iter().filter_map(named).collect();
        let Some(last) = parts.last().copied().or(key.filter(ScalarText::is_name)) else { return };
        let joined = parts.iter().map(|part| part.text).collect::<Vec<_>>().join("/");
        let name = if parts.is_empty() { last.text } else { &joined };
        // The names of types may begin with those of packages.
        let is_dotted = parts.is_empty() && kind.is_type() && kind != SymbolKind::Module;
        let name = if is_dotted { name.rsplit('.').next().unwrap_or(name) } else { name };
        let name = one_line(name);
        if name.is_empty() {
            return;
        }
        // The signature ends where the text after the name begins.
        let body = match key {
            Some(_) if parts.is_empty() => value,
            _ => value.and_then(|value| first_entry_after(value, last.at.start)),
        };
        let mut draft = SymbolDraft::without_parts(node, DraftKind::Symbol(kind));
        (draft.name, draft.name_span, draft.body) = (name, last.at, body);
        self.out.drafts.push(draft);
    }

    /// Adds the symbol of an operation and the endpoint that it specifies.
    fn add_endpoint(&mut self, rule: &KeyPathRule, node: Node<'t>, value: Option<Node<'t>>) {
        let [.., path, method] = self.keys[..] else { return };
        let verb = method.text.to_ascii_uppercase();
        let Some(verb) = VERBS.into_iter().find(|known| **known == *verb) else { return };
        let Some(normal) = normalize_route_path(path.text, PathForm::Absolute, PathUse::Served) else {
            return;
        };
        let before = self.out.drafts.len();
        self.add_symbol(rule, node, None, value);
        if self.out.drafts.len() == before
            && let Some(kind) = SymbolKind::parse(&rule.kind)
        {
            let mut draft = SymbolDraft::without_parts(node, DraftKind::Symbol(kind));
            draft.name = one_line(&format!("{verb} {}", path.text));
            (draft.name_span, draft.body) = (method.at, value);
            self.out.drafts.push(draft);
        }
        if self.prefixes.is_empty() {
            self.prefixes = self.read_prefixes(rule);
        }
        let route = |path: String, needs_mount: bool| RawRoute {
            method: verb.to_owned(),
            path,
            handler: String::new(),
            evidence: String::new(),
            packages: String::new(),
            router: String::new(),
            parameter: None,
            creation_prefix: String::new(),
            needs_mount,
            is_mounted_in_file: false,
            is_client_call: false,
            scope: kenning_graph::facts::FILE_SCOPE,
            at: method.at,
        };
        let mut is_prefixed = false;
        for prefix in &self.prefixes {
            is_prefixed |= prefix != "/";
            self.routes.push(route(join_route_paths(prefix, &normal), false));
        }
        // A gateway may add the prefix, so a server may declare the path without it.
        if is_prefixed && !self.prefixes.iter().any(|prefix| prefix == "/") {
            self.routes.push(route(normal, true));
        }
    }

    /// Returns the prefixes of all endpoints of the document, at least one.
    fn read_prefixes(&self, rule: &KeyPathRule) -> Vec<String> {
        let found = rule.prefixes.iter().flat_map(|path| scalars_at(self.document, path, self.expressions));
        let normal = found
            .filter_map(|url| normalize_route_path(url.text, PathForm::Absolute, PathUse::Served))
            // The value of a variable is unknown, and so is the prefix that contains it.
            .filter(|prefix| !prefix.contains('{'));
        let mut prefixes: Vec<String> = normal.collect();
        prefixes.sort();
        prefixes.dedup();
        prefixes.truncate(MAX_PREFIXES);
        if prefixes.is_empty() {
            prefixes.push("/".to_owned());
        }
        prefixes
    }

    fn add_reference(&mut self, rule: &KeyPathRule, value: ScalarText<'x>) {
        match rule.is {
            KeyPathFact::Symbol | KeyPathFact::Endpoint => {}
            KeyPathFact::Dependency => {
                let name = [rule.prefix.as_str(), value.text].concat();
                self.push_reference(ReferenceRole::Dependency, name, "", value);
            }
            KeyPathFact::Type => {
                let parts: Vec<&str> = value.text.rsplitn(3, '/').collect();
                if let [name, kind, _] = parts[..]
                    && rule.kind.split(' ').any(|wanted| wanted == kind)
                {
                    let name = name.rsplit('.').next().unwrap_or(name);
                    self.push_reference(ReferenceRole::Type, name.to_owned(), "", value.narrow_to(name));
                }
            }
            KeyPathFact::Environment => {
                let name = value.text.split('=').next().unwrap_or(value.text);
                let is_wanted = !rule.capitals || super::env_and_processes::is_env_variable_name(name);
                if is_wanted {
                    self.push_reference(ReferenceRole::Env, name.to_owned(), "", value.narrow_to(name));
                }
            }
            KeyPathFact::File => {
                let start = if rule.is_relative_to_file { "." } else { "" };
                self.push_reference(ReferenceRole::File, value.text.to_owned(), start, value);
            }
            KeyPathFact::Commands => self.add_commands(value),
            KeyPathFact::Resource | KeyPathFact::Deployment => {
                let role = if rule.is == KeyPathFact::Resource {
                    ReferenceRole::Resource
                } else {
                    ReferenceRole::Deployment
                };
                // Lists of names may be written in one value.
                for part in value.text.split(['\n', ',']).map(str::trim).filter(|part| !part.is_empty()) {
                    self.add_resource(role, &rule.kind, value.narrow_to(part));
                }
            }
        }
    }

    fn add_resource(&mut self, role: ReferenceRole, kind: &str, value: ScalarText<'x>) {
        let name = match kind {
            IMAGE_PACKAGE => commands::image_name(value.text),
            // A variable in the name may have any value.
            _ => Some(value.text).filter(|name| !name.contains('$')),
        };
        if let Some(name) = name {
            self.push_reference(role, name.to_owned(), kind, value.narrow_to(name));
        }
    }

    /// Adds the files that commands name and the images that they push.
    fn add_commands(&mut self, script: ScalarText<'x>) {
        let folder = self.enclosing.last().and_then(|mapping| {
            scalars_at(*mapping, "working-directory", self.expressions).into_iter().next()
        });
        let folder = folder.filter(ScalarText::is_name).map_or("", |folder| folder.text);
        for file in commands::named_files(script.text) {
            self.push_reference(ReferenceRole::File, file.to_owned(), folder, script.narrow_to(file));
        }
        for image in commands::pushed_images(script.text) {
            self.add_resource(ReferenceRole::Deployment, IMAGE_PACKAGE, script.narrow_to(image));
        }
    }

    fn push_reference(&mut self, role: ReferenceRole, name: String, receiver: &str, value: ScalarText<'x>) {
        if value.is_name() && !name.is_empty() {
            let receiver = receiver.to_owned();
            self.out.references.push(RawReference {
                name,
                receiver,
                at: value.at,
                ..RawReference::with_role(role)
            });
        }
    }
}

/// Returns the first entry of a mapping that begins after a byte.
fn first_entry_after(mapping: Node, at: u32) -> Option<Node> {
    mapping_entries(mapping).into_iter().map(|(pair, ..)| pair).find(|pair| pair.start_byte() as u32 > at)
}
