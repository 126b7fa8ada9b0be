//! Node kinds of a grammar, classified by a language's row and indexed by kind number.
//!
//! [`KindTable::new`] finds the kinds and fields that a row names in the grammar, once per
//! language. Extraction then reads the classes of a node ([`KindFlags`]) and its role in an
//! expression ([`ExpressionRule`]) by the number of its kind, without comparing names. A kind that
//! the row does not name has no class and no role.

use super::LanguageRow;
use rustc_hash::FxHashMap;
use tree_sitter::Language;

/// A field number of a grammar.
type FieldId = u16;

/// The role of a node kind in an expression such as `a.b().c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionRule {
    /// Not part of a chain of segments.
    None,
    /// One segment.
    Name,
    /// `object.name`. An object of `None` is written as `?`.
    Member(Option<FieldId>, FieldId),
    /// `object.name` in a grammar without fields for them: the first and the last named child.
    Scoped,
    /// A call of the expression in the field, or of the first named child.
    Call(Option<FieldId>),
    /// A call node with fields for the receiver and the name.
    MethodCall(FieldId, FieldId),
    /// Creates a value of the type in the field, or in the first named child.
    Construct(Option<FieldId>),
    /// Has the same meaning as the node in the field, or as its first named child.
    Through(Option<FieldId>),
    /// An element of the collection in the field, or in the first named child.
    Element(Option<FieldId>),
}

/// The classes of one node kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KindFlags {
    pub comment: bool,
    pub string: bool,
    pub decoration: bool,
    pub wrapper: bool,
    pub receiver: bool,
    /// Whether a name directly inside it is not a value.
    pub not_values: bool,
    /// Whether it is a name that may be a value on its own.
    pub identifier: bool,
    pub block: bool,
    pub tuple: bool,
    pub body: bool,
    pub parameter_list: bool,
    pub parameter: bool,
    /// Whether it is a call, or creates a value of a type.
    pub call: bool,
    /// Whether a pattern that begins at it inspects its children.
    pub inspected: bool,
}

/// The classification of all node kinds of a grammar, and its common fields.
pub(crate) struct KindTable {
    flags: Vec<KindFlags>,
    rules: Vec<ExpressionRule>,
    /// The types of literals, by kind.
    literals: FxHashMap<u16, String>,
    /// The fields that hold the parameters, the type or result, the body, the value and the name of
    /// a declaration.
    pub parameters: Option<FieldId>,
    pub types: Vec<FieldId>,
    pub body: Option<FieldId>,
    pub values: Vec<FieldId>,
    pub name: Option<FieldId>,
    /// Fields that hold the bound pattern of a parameter.
    pub patterns: Vec<FieldId>,
    /// Fields in which a name labels something instead of being read.
    pub labels: Vec<FieldId>,
}

impl KindTable {
    /// Classifies the node kinds of a grammar by the row of its language.
    pub fn new(language: &Language, row: &LanguageRow) -> Self {
        let count = language.node_kind_count();
        let field = |name: &str| language.field_id_for_name(name).map(std::num::NonZero::get);
        let fields = |names: &[&str]| names.iter().filter_map(|n| field(n)).collect::<Vec<_>>();
        let mut table = Self {
            flags: vec![KindFlags::default(); count],
            rules: vec![ExpressionRule::None; count],
            literals: FxHashMap::default(),
            parameters: field("parameters"),
            types: fields(&["return_type", "returns", "result", "type"]),
            body: field("body"),
            values: fields(&["value", "right"]),
            name: field("name"),
            patterns: fields(&["pattern", "left"]),
            labels: fields(&["name", "key", "label", "alias", "field", "property", "attribute"]),
        };
        for id in 0..count {
            let id = id as u16;
            let Some(kind) = language.node_kind_for_id(id) else { continue };
            if let Some(ty) = row.literals.get(kind) {
                table.literals.insert(id, ty.clone());
            }
            if !language.node_kind_is_named(id) {
                // Some grammars have no named node for `this`.
                if row.names.iter().any(|name| name == kind) {
                    table.rules[id as usize] = ExpressionRule::Name;
                }
                continue;
            }
            let is_listed_in = |list: &[String]| list.iter().any(|k| k == kind);
            let rule = build_rule(row, kind, &field);
            table.flags[id as usize] = KindFlags {
                comment: is_listed_in(&row.comments),
                string: is_listed_in(&row.strings),
                decoration: is_listed_in(&row.decorations),
                wrapper: is_listed_in(&row.wrappers),
                receiver: is_listed_in(&row.receiver_kinds),
                not_values: is_listed_in(&row.not_values),
                identifier: matches!(kind, "identifier" | "simple_identifier" | "instance_variable"),
                block: is_listed_in(&row.blocks),
                tuple: is_listed_in(&row.tuples),
                body: is_listed_in(&row.bodies),
                parameter_list: is_listed_in(&row.parameter_lists),
                parameter: is_listed_in(&row.parameter_kinds),
                call: matches!(
                    rule,
                    ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) | ExpressionRule::Construct(_)
                ),
                inspected: false,
            };
            table.rules[id as usize] = rule;
        }
        table
    }

    /// Marks the kinds of nodes whose children a pattern inspects.
    pub fn mark_inspected_kinds(&mut self, is_inspected: impl Fn(u16) -> bool) {
        for (kind, flags) in self.flags.iter_mut().enumerate() {
            flags.inspected = is_inspected(kind as u16);
        }
    }

    /// Returns the classes of a node kind; none for an unknown kind.
    pub fn kind_flags(&self, kind: u16) -> KindFlags {
        self.flags.get(kind as usize).copied().unwrap_or_default()
    }

    /// Returns the type of the literals of a kind (`LanguageRow::literals`).
    pub fn literal_type(&self, kind: u16) -> Option<&str> {
        self.literals.get(&kind).map(String::as_str)
    }

    /// Returns the role of a node kind in expressions.
    pub fn expression_rule(&self, kind: u16) -> ExpressionRule {
        self.rules.get(kind as usize).copied().unwrap_or(ExpressionRule::None)
    }
}

fn build_rule(row: &LanguageRow, kind: &str, field: &dyn Fn(&str) -> Option<FieldId>) -> ExpressionRule {
    if row.names.iter().any(|k| k == kind) {
        return ExpressionRule::Name;
    }
    if let Some([object, name]) = row.members.get(kind) {
        if object.is_empty() && name.is_empty() {
            return ExpressionRule::Scoped;
        }
        return field(name).map_or(ExpressionRule::None, |name| ExpressionRule::Member(field(object), name));
    }
    if let Some(function) = row.calls.get(kind) {
        return ExpressionRule::Call(field(function));
    }
    if let Some([object, name]) = row.method_calls.get(kind) {
        return field(object)
            .zip(field(name))
            .map_or(ExpressionRule::None, |(o, n)| ExpressionRule::MethodCall(o, n));
    }
    if let Some(ty) = row.constructs.get(kind) {
        return ExpressionRule::Construct(field(ty));
    }
    if let Some(inner) = row.transparent.get(kind) {
        return ExpressionRule::Through(field(inner));
    }
    row.elements.get(kind).map_or(ExpressionRule::None, |inner| ExpressionRule::Element(field(inner)))
}

/// Returns the kinds and fields that a row names and its grammar does not have.
#[cfg(test)]
pub(crate) fn missing_kinds(language: &Language, row: &LanguageRow) -> Vec<String> {
    let mut missing = Vec::new();
    let pairs = row.members.iter().chain(&row.method_calls);
    let single = row.calls.iter().chain(&row.constructs).chain(&row.transparent).chain(&row.elements);
    let lists = [
        &row.comments,
        &row.strings,
        &row.decorations,
        &row.wrappers,
        &row.names,
        &row.receiver_kinds,
        &row.not_values,
        &row.bound_clauses,
        &row.bodies,
        &row.parameter_lists,
        &row.parameter_kinds,
    ];
    let lists = lists.into_iter().chain([&row.blocks, &row.tuples]);
    let kinds = lists
        .into_iter()
        .flatten()
        .chain(row.literals.keys())
        .chain(pairs.clone().map(|(k, _)| k))
        .chain(single.clone().map(|(k, _)| k));
    for kind in kinds {
        if language.id_for_node_kind(kind, true) == 0 && language.id_for_node_kind(kind, false) == 0 {
            missing.push(kind.clone());
        }
    }
    for field in pairs.flat_map(|(_, f)| f).chain(single.map(|(_, f)| f)) {
        if !field.is_empty() && field != "?" && language.field_id_for_name(field).is_none() {
            missing.push(format!("field {field}"));
        }
    }
    missing
}
