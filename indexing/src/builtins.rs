//! Built-in names of the languages, and properties of the types and methods of their standard
//! libraries.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::sync::LazyLock;

/// Returns the built-ins of a language family by its name in `builtins.toml`; an empty table for an
/// unknown family.
pub(crate) fn for_family(family: &str) -> &'static Builtins {
    static TABLES: LazyLock<FxHashMap<String, Builtins>> = LazyLock::new(|| {
        let lists: FxHashMap<String, BuiltinLists> = toml::from_str(include_str!("../builtins.toml"))
            .expect("the embedded builtins.toml is checked by a test");
        lists.into_iter().map(|(key, lists)| (key, lists.into())).collect()
    });
    static EMPTY: LazyLock<Builtins> = LazyLock::new(Builtins::default);
    TABLES.get(family).unwrap_or(&EMPTY)
}

/// The lists of one family in `builtins.toml`; white space separates the entries. [`Builtins`] has
/// their meanings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltinLists {
    names: String,
    methods: String,
    #[serde(default)]
    passthrough: String,
    #[serde(default)]
    transparent: String,
    #[serde(default)]
    collections: String,
    #[serde(default)]
    elements: String,
    #[serde(default)]
    same_element_collections: String,
    #[serde(default)]
    untyped: String,
    #[serde(default)]
    type_of: String,
    #[serde(default)]
    type_members: String,
    #[serde(default)]
    instance_forwarding_types: String,
    #[serde(default)]
    element_callbacks: String,
    #[serde(default)]
    content_callbacks: String,
    #[serde(default)]
    pair_callbacks: String,
    #[serde(default)]
    iterator_methods: String,
    #[serde(default)]
    mappings: String,
    #[serde(default)]
    merged_properties: String,
    #[serde(default)]
    externally_declared_keys: String,
    #[serde(default)]
    interfaces: String,
    #[serde(default)]
    supertypes: String,
}

/// The built-ins of one language family, none of which needs an import.
#[derive(Default)]
pub(crate) struct Builtins {
    /// Functions, types and objects that are visible everywhere.
    pub names: FxHashSet<String>,
    /// Methods so common in the standard library that the name alone reveals little about the type
    /// of the receiver.
    pub methods: FxHashSet<String>,
    /// Methods of a wrapper that return the wrapped value, or the receiver itself.
    pub passthrough: FxHashSet<String>,
    /// Generic types that are treated as their first argument.
    pub transparent: FxHashSet<String>,
    /// Generic types whose elements are their last argument.
    pub collections: FxHashSet<String>,
    /// Methods and properties of a collection that return one of its elements, and those of a
    /// wrapper that return its content.
    pub elements: FxHashSet<String>,
    /// Methods and properties of a collection that return a collection of the same elements.
    pub same_element_collections: FxHashSet<String>,
    /// Types that give no information about a value (`Any`, `dynamic`).
    pub untyped: FxHashSet<String>,
    /// Methods and properties of a value that return its type.
    pub type_of: FxHashSet<String>,
    /// Static members that every type has, regardless of the members of its values.
    pub type_members: FxHashSet<String>,
    /// Types whose subtypes have the public methods of their values as static members (Rails
    /// mailers).
    pub instance_forwarding_types: FxHashSet<String>,
    /// Methods of a collection that pass its elements to a function.
    pub element_callbacks: FxHashSet<String>,
    /// Methods that pass the content of a wrapper, or the elements of a collection, to a function.
    pub content_callbacks: FxHashSet<String>,
    /// Methods of a collection that pass two of its elements to a function.
    pub pair_callbacks: FxHashSet<String>,
    /// Methods that return an iterator, and never a wrapper.
    pub iterator_methods: FxHashSet<String>,
    /// Generic types that map keys, their first argument, to values, their last.
    pub mappings: FxHashSet<String>,
    /// Properties with object values whose members frameworks turn into members of the outer
    /// object.
    pub merged_properties: FxHashSet<String>,
    /// Properties with object values whose keys name members or events of the outer object that are
    /// declared elsewhere.
    pub externally_declared_keys: FxHashSet<String>,
    /// Interfaces of the standard library, with the names of their methods.
    pub interfaces: FxHashMap<String, Vec<String>>,
    /// Types of the standard library, with the types that they extend.
    pub supertypes: FxHashMap<String, Vec<String>>,
}

impl Builtins {
    /// Whether a member that a type does not have belongs to a wrapper around its values and
    /// returns the wrapped value. Type expressions do not record wrappers, so this cannot be read
    /// from the type. A type with bases outside the workspace may inherit the member from them.
    pub fn is_unwrapping_member(&self, member: &str, has_outer_bases: bool) -> bool {
        self.passthrough.contains(member) || (!has_outer_bases && self.elements.contains(member))
    }

    /// Returns the number of steps from a standard library type up to `wanted`, or `None` if it is
    /// not a known supertype.
    pub fn supertype_distance(&self, ty: &str, wanted: &str) -> Option<u32> {
        let mut level = vec![ty];
        // The table is a few levels deep.
        for step in 1..=8 {
            let parents = level.iter().filter_map(|ty| self.supertypes.get(*ty)).flatten();
            level = parents.map(String::as_str).collect();
            if level.contains(&wanted) {
                return Some(step);
            }
        }
        None
    }
}

/// Parses a line `Type: Supertype Supertype`.
fn parse_supertypes(line: &str) -> Option<(String, Vec<String>)> {
    let (ty, parents) = line.split_once(':')?;
    Some((ty.trim().to_owned(), parents.split_whitespace().map(str::to_owned).collect()))
}

impl From<BuiltinLists> for Builtins {
    fn from(lists: BuiltinLists) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Self {
            names: words(&lists.names),
            methods: words(&lists.methods),
            passthrough: words(&lists.passthrough),
            transparent: words(&lists.transparent),
            collections: words(&lists.collections),
            elements: words(&lists.elements),
            same_element_collections: words(&lists.same_element_collections),
            untyped: words(&lists.untyped),
            type_of: words(&lists.type_of),
            type_members: words(&lists.type_members),
            instance_forwarding_types: words(&lists.instance_forwarding_types),
            element_callbacks: words(&lists.element_callbacks),
            content_callbacks: words(&lists.content_callbacks),
            pair_callbacks: words(&lists.pair_callbacks),
            iterator_methods: words(&lists.iterator_methods),
            mappings: words(&lists.mappings),
            merged_properties: words(&lists.merged_properties),
            externally_declared_keys: words(&lists.externally_declared_keys),
            interfaces: lists.interfaces.split_whitespace().filter_map(parse_interface).collect(),
            supertypes: lists.supertypes.lines().filter_map(parse_supertypes).collect(),
        }
    }
}

/// Parses `name:method,method`.
fn parse_interface(text: &str) -> Option<(String, Vec<String>)> {
    let (name, methods) = text.split_once(':')?;
    Some((name.to_owned(), methods.split(',').map(str::to_owned).collect()))
}
