//! The patterns of a language and the meaning of their captures (`queries/README.md`).
//!
//! `pattern_syntax` parses the sources, `pattern_matching` finds the patterns in a tree. Every
//! capture has a name from a fixed vocabulary, which [`Capture`] lists; an unknown name is an
//! error. Settings (`#set!`) belong to a whole pattern.

mod pattern_matching;
mod pattern_syntax;
#[cfg(test)]
pub(super) mod query_oracle;

pub(super) use pattern_matching::{PatternMatch, PatternMatcher};

use kenning_graph::facts::{BaseRelation, ReferenceRole};
use kenning_graph::vocabulary::SymbolKind;
use pattern_matching::PatternIndex;
use pattern_syntax::Pattern;
use tree_sitter::{Language, Tree};

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Symbol(SymbolKind),
    SymbolMember,
    Name,
    Body,
    Type,
    Params,
    Value,
    Container,
    Scope,
    ScopeName,
    Package,
    Call,
    CallToken,
    CallBare,
    ValueToken,
    Args,
    LabeledArgs,
    Construct,
    TypeRef,
    TypeExpr,
    TypeParam,
    TypeBound,
    TypeBounded,
    Base(BaseRelation),
    BaseOf,
    Field,
    Decorator,
    Throw,
    ValueRef,
    EnvObject,
    EnvKey,
    /// A literal that names an environment variable, a program or a fixture, depending on the role.
    Literal(ReferenceRole),
    Topic,
    Dependency,
    DependencyOf,
    Import,
    Reexport,
    ImportTree,
    ImportPath,
    ImportName,
    ImportAlias,
    BindingName,
    BindingMember,
    BindingType,
    BindingValue,
    BindingElement,
    BindingKey,
    BindingEntered,
    BindingBlock,
    BindingAfter,
    Return,
    Yield,
    Hook,
    /// A name that starts with `_`: only for predicates.
    Ignored,
}

impl Capture {
    fn parse_name(name: &str) -> Option<Self> {
        if name.starts_with('_') {
            return Some(Self::Ignored);
        }
        if let Some(kind) = name.strip_prefix("symbol.").and_then(SymbolKind::parse) {
            return Some(Self::Symbol(kind));
        }
        Some(match name {
            "symbol.member" => Self::SymbolMember,
            "name" => Self::Name,
            "body" => Self::Body,
            "type" => Self::Type,
            "params" => Self::Params,
            "value" => Self::Value,
            "container" => Self::Container,
            "container.scope" => Self::Scope,
            "container.name" => Self::ScopeName,
            "package" => Self::Package,
            "call" => Self::Call,
            "call.token" => Self::CallToken,
            "call.bare" => Self::CallBare,
            "value.token" => Self::ValueToken,
            "args" => Self::Args,
            "args.labeled" => Self::LabeledArgs,
            "construct" => Self::Construct,
            "type.ref" => Self::TypeRef,
            "type.expr" => Self::TypeExpr,
            "type.param" => Self::TypeParam,
            "type.bound" => Self::TypeBound,
            "type.bounded" => Self::TypeBounded,
            "base.extends" => Self::Base(BaseRelation::Extends),
            "base.implements" => Self::Base(BaseRelation::Implements),
            "base.embeds" => Self::Base(BaseRelation::Embeds),
            "base.of" => Self::BaseOf,
            "field" => Self::Field,
            "decorator" => Self::Decorator,
            "throw" => Self::Throw,
            "value.ref" => Self::ValueRef,
            "env.object" => Self::EnvObject,
            "env.key" => Self::EnvKey,
            "env.name" => Self::Literal(ReferenceRole::Env),
            "process.name" => Self::Literal(ReferenceRole::Process),
            "fixture.name" => Self::Literal(ReferenceRole::Fixture),
            "topic.name" => Self::Topic,
            "dependency" => Self::Dependency,
            "dependency.of" => Self::DependencyOf,
            "model.table" => Self::Literal(ReferenceRole::Model),
            "import" => Self::Import,
            "import.reexport" => Self::Reexport,
            "import.tree" => Self::ImportTree,
            "import.path" => Self::ImportPath,
            "import.name" => Self::ImportName,
            "import.alias" => Self::ImportAlias,
            "binding.name" => Self::BindingName,
            "binding.member" => Self::BindingMember,
            "binding.type" => Self::BindingType,
            "binding.value" => Self::BindingValue,
            "binding.element" => Self::BindingElement,
            "binding.key" => Self::BindingKey,
            "binding.entered" => Self::BindingEntered,
            "binding.block" => Self::BindingBlock,
            "binding.after" => Self::BindingAfter,
            "return" => Self::Return,
            "yield" => Self::Yield,
            "hook" => Self::Hook,
            _ => return None,
        })
    }
}

/// A language's patterns.
pub(crate) struct LanguagePatterns {
    patterns: Vec<Pattern>,
    index: PatternIndex,
    captures: Vec<Capture>,
    #[cfg(test)]
    capture_names: Vec<String>,
}

impl LanguagePatterns {
    /// Compiles the patterns of `sources`, in their order.
    ///
    /// # Errors
    /// Returns one sentence if a pattern does not fit the grammar, uses unsupported syntax (see
    /// [`pattern_syntax`]), or has a capture outside the vocabulary.
    pub fn compile_sources(language: &Language, sources: &[&str]) -> Result<Self, String> {
        let source = pattern_syntax::parse_patterns(language, &sources.join("\n"))?;
        let captures = source.captures.iter().map(|name| {
            Capture::parse_name(name).ok_or_else(|| format!("capture @{name} is not in the vocabulary"))
        });
        let captures = captures.collect::<Result<_, _>>()?;
        let index = PatternIndex::new(&source.patterns, language.node_kind_count());
        Ok(Self {
            patterns: source.patterns,
            index,
            captures,
            #[cfg(test)]
            capture_names: source.captures,
        })
    }

    /// Whether a pattern that begins at this kind of node inspects its children.
    pub fn needs_children(&self, kind: u16) -> bool {
        self.index.needs_children(kind)
    }

    /// Creates a matcher for the tree of a text.
    pub fn matcher_for_tree<'p, 't>(&'p self, tree: &'t Tree, text: &'p str) -> PatternMatcher<'p, 't> {
        PatternMatcher::new(&self.patterns, &self.index, text, tree)
    }

    /// Returns the meaning of a capture by its number.
    pub fn capture_meaning(&self, number: u16) -> Capture {
        self.captures.get(usize::from(number)).copied().unwrap_or(Capture::Ignored)
    }

    /// Whether a pattern sets this key with `#set!`.
    pub fn has_setting(&self, pattern: usize, key: &str) -> bool {
        self.patterns[pattern].settings.iter().any(|(name, _)| name == key)
    }

    /// Returns the value that a pattern sets for this key with `#set!`.
    pub fn find_setting(&self, pattern: usize, key: &str) -> Option<&str> {
        let mut settings = self.patterns[pattern].settings.iter();
        settings.find(|(name, _)| name == key)?.1.as_deref()
    }
}
