//! Turns the matches of a language's patterns into drafts that still hold syntax nodes.

use super::StepBudget;
use super::bounds::RawBound;
use super::children::Child;
use super::collected::{Collected, Draft, DraftKind, RawBase, RawReference, clean_name, name_span};
use super::expressions::{Expressions, UNKNOWN, as_path, literal};
use super::flags;
use super::outside::is_variable;
use super::patterns::{Capture, Match, Matcher, Patterns};
use crate::languages::{ExpressionRule, Grammar, LanguageRow};
use kenning_graph::facts::{BaseRelation, ImportFact, NameSpan, ReferenceRole};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Longest content of a literal that names something.
const MAX_CONTENT: usize = 128;

/// The captures of one match.
#[derive(Clone, Copy)]
pub(super) struct Captures<'m, 't> {
    found: Match<'m, 't>,
    patterns: &'m Patterns,
}

impl<'t> Captures<'_, 't> {
    pub fn get(&self, wanted: Capture) -> Option<Node<'t>> {
        let mut captures = self.found.captures.iter();
        captures.find(|(_, capture)| self.patterns.capture(*capture) == wanted).map(|(node, _)| *node)
    }

    /// The parent of a node: tree-sitter finds it from the top of the tree, we from where the pattern begins, where that is
    /// around the node.
    pub fn parent(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut around = self.found.root;
        while let Some(below) = around.child_with_descendant(node) {
            if below == node {
                return Some(around);
            }
            around = below;
        }
        node.parent()
    }
}

/// Number of arguments in an argument list; 255 when unknown.
fn arity(arguments: Option<Node>) -> u8 {
    let Some(arguments) = arguments else { return 255 };
    arguments.named_child_count().min(254) as u8
}

/// Reads one file's tree with its language's patterns.
pub(crate) struct Collector<'a> {
    pub expressions: Expressions<'a>,
    pub patterns: &'a Patterns,
    pub row: &'a LanguageRow,
    pub grammar: &'a Grammar,
}

impl Collector<'_> {
    /// Takes in what the patterns find at a node; `None` when they ran out of steps.
    pub fn at<'t>(
        &self,
        (node, kind, children): (Node<'t>, u16, &[Child<'t>]),
        matcher: &mut Matcher<'_, 't>,
        steps: &StepBudget,
        out: &mut Collected<'t>,
    ) -> Option<()> {
        matcher.at(node, kind, children, steps, |found| {
            self.one(Captures { found, patterns: self.patterns }, out);
        })
    }

    /// Lets the language's dialect read what the patterns left to it.
    pub fn hooks(&self, out: &mut Collected) {
        for node in std::mem::take(&mut out.hooks) {
            self.grammar.dialect.hook(node, &self.expressions, out);
        }
    }

    fn one<'t>(&self, captures: Captures<'_, 't>, out: &mut Collected<'t>) {
        for &(node, capture) in captures.found.captures {
            match self.patterns.capture(capture) {
                Capture::Symbol(kind) => self.symbol(DraftKind::Symbol(kind), node, captures, out),
                Capture::SymbolMember => self.symbol(DraftKind::Member, node, captures, out),
                Capture::Scope => self.scope(node, captures, out),
                Capture::Package => {
                    out.packages.push(self.expressions.type_name(self.expressions.text_of(node)));
                }
                Capture::Call => self.call(node, captures, out),
                Capture::CallBare => self.call_bare(node, out),
                Capture::ValueToken => {
                    let before = &self.expressions.text[..node.start_byte()];
                    self.push(node, receiver_before(before), ReferenceRole::Value, 255, out);
                }
                Capture::CallToken => self.call_token(node, captures, out),
                Capture::Construct => self.construct(node, captures, out),
                Capture::TypeRef => self.type_ref(node, out),
                Capture::TypeExpr => self.type_expr(node, out),
                Capture::TypeParam => self.type_param(node, captures, out),
                Capture::TypeBound => self.type_bound(node, captures, out),
                Capture::Base(relation) => self.base(node, relation, captures, out),
                Capture::Field => self.field(node, out),
                Capture::Decorator => self.simple(node, ReferenceRole::Decorator, 255, out),
                Capture::Throw => self.simple(node, ReferenceRole::Throw, 255, out),
                Capture::ValueRef => self.simple(node, ReferenceRole::Value, 255, out),
                Capture::EnvKey => self.env(node, captures, out),
                Capture::Literal(role) => self.push_literal(node, role, out),
                Capture::Import => self.import(node, false, captures, out),
                Capture::Reexport => self.import(node, true, captures, out),
                Capture::ImportTree => {
                    out.import_spans.push((node.start_byte() as u32, node.end_byte() as u32));
                    self.grammar.dialect.import_tree(node, &self.expressions, &mut out.imports);
                }
                Capture::BindingName => self.binding(node, false, captures, out),
                Capture::BindingMember => self.binding(node, true, captures, out),
                Capture::Return => {
                    let value = self.expressions.value(node).map(as_path);
                    out.returns.push((node.start_byte() as u32, value.unwrap_or_default()));
                }
                Capture::Yield => out.yields.push(node.start_byte() as u32),
                Capture::Hook => out.hooks.push(node),
                _ => {}
            }
        }
    }

    /// Whether the pattern says `#set!` with this key.
    pub(super) fn is_set(&self, key: &str, captures: Captures) -> bool {
        self.patterns.is_set(captures.found.pattern, key)
    }

    /// What the pattern says by `#set!` with this key.
    pub(super) fn setting(&self, key: &str, captures: Captures) -> Option<&str> {
        self.patterns.setting(captures.found.pattern, key)
    }

    fn symbol<'t>(
        &self,
        kind: DraftKind,
        node: Node<'t>,
        captures: Captures<'_, 't>,
        out: &mut Collected<'t>,
    ) {
        let Some(name) = captures.get(Capture::Name) else { return };
        let container = captures
            .get(Capture::Container)
            .map(|container| self.expressions.type_name(self.expressions.text_of(container)));
        let pattern = captures.found.pattern;
        let draft = Draft {
            node,
            kind,
            pattern,
            name: String::new(),
            name_span: NameSpan::default(),
            body: captures.get(Capture::Body),
            ty: captures.get(Capture::Type),
            params: captures.get(Capture::Params),
            value: captures.get(Capture::Value),
            container: container.filter(|c| !c.is_empty()),
            is_test: self.is_set("test", captures),
            defined: self.is_set("defined", captures),
            on_type: self.is_set("static", captures),
        };
        out.named(draft, name, &self.expressions);
    }

    fn scope<'t>(&self, node: Node<'t>, captures: Captures<'_, 't>, out: &mut Collected<'t>) {
        let name = captures.get(Capture::ScopeName).map_or("", |name| self.expressions.text_of(name));
        out.drafts.push(Draft {
            node,
            kind: DraftKind::Scope(if self.is_set("public", captures) {
                SymbolKind::Trait
            } else if self.is_set("body", captures) {
                SymbolKind::Function
            } else {
                SymbolKind::Class
            }),
            pattern: captures.found.pattern,
            name: self.expressions.type_name(name).rsplit('.').next().unwrap_or_default().to_owned(),
            name_span: name_span(node),
            body: None,
            ty: None,
            params: None,
            value: None,
            container: None,
            is_test: false,
            defined: false,
            on_type: self.is_set("static", captures),
        });
    }

    fn push(&self, node: Node, receiver: String, role: ReferenceRole, arity: u8, out: &mut Collected) {
        let (name, at) = clean_name(self.expressions.text_of(node), name_span(node));
        if name.is_empty() || name.len() > 200 || (name == "_" && role == ReferenceRole::Value) {
            return;
        }
        out.references.push(RawReference {
            name: name.to_owned(),
            receiver,
            role,
            at,
            arity,
            arguments: String::new(),
            bare: false,
            base: None,
        });
    }

    fn simple(&self, node: Node, role: ReferenceRole, arity: u8, out: &mut Collected) {
        if let Some((name, receiver)) = self.expressions.split(node) {
            self.push(name, receiver, role, arity, out);
        }
    }

    fn call<'t>(&self, node: Node<'t>, captures: Captures<'_, 't>, out: &mut Collected<'t>) {
        let Some((name, receiver)) = self.expressions.split(node) else { return };
        let args = captures.get(Capture::Args);
        let called = self.expressions.text_of(name);
        if receiver.is_empty() && self.row.ignored_calls.iter().any(|c| c == called) {
            return;
        }
        self.literal_argument(called, &receiver, args, out);
        // A call that holds its receiver itself has no arguments where it holds none.
        let own =
            matches!(self.expressions.kinds.expression_rule(node.kind_id()), ExpressionRule::MethodCall(..));
        let arity = if own && args.is_none() { 0 } else { arity(args) };
        self.push(name, receiver, ReferenceRole::Call, arity, out);
        self.arguments(args, out);
        self.mark_macro(captures, out);
    }

    /// Notes that the call that was found last is that of a macro, where its pattern says so.
    fn mark_macro(&self, captures: Captures, out: &mut Collected) {
        if let (true, Some(last)) = (self.is_set("macro", captures), out.references.last_mut()) {
            "!".clone_into(&mut last.arguments);
        }
    }

    /// Notes the arguments of the call that was found last.
    fn arguments(&self, args: Option<Node>, out: &mut Collected) {
        if let (true, Some(args), Some(last)) = (self.row.overloads, args, out.references.last_mut()) {
            last.arguments = self.expressions.arguments(args);
        }
    }

    /// A call in a token list: only what a bracket follows, with the dotted words before it as receiver.
    fn call_token(&self, node: Node, captures: Captures, out: &mut Collected) {
        let text = self.expressions.text;
        let Some(args) = captures.get(Capture::Args) else { return };
        let is_macro = self.is_set("macro", captures);
        if !is_macro && (args.start_byte() != node.end_byte() || !text[args.byte_range()].starts_with('(')) {
            return;
        }
        let receiver = receiver_before(&text[..node.start_byte()]);
        self.push(node, receiver, ReferenceRole::Call, 255, out);
        self.mark_macro(captures, out);
    }

    fn construct<'t>(&self, node: Node<'t>, captures: Captures<'_, 't>, out: &mut Collected<'t>) {
        let Some((name, receiver)) = self.expressions.split(node) else { return };
        let args = captures.get(Capture::Args);
        self.literal_argument(self.expressions.text_of(name), &receiver, args, out);
        let arity = if args.is_none() && self.row.overloads { 0 } else { arity(args) };
        self.push(name, receiver, ReferenceRole::Construct, arity, out);
        self.arguments(args, out);
    }

    /// A word that is a call unless it is bound around it.
    fn call_bare(&self, node: Node, out: &mut Collected) {
        let name = self.expressions.text_of(node);
        if !self.row.ignored_calls.iter().any(|c| c == name) {
            self.push(node, String::new(), ReferenceRole::Call, 0, out);
            if let Some(reference) = out.references.last_mut() {
                reference.bare = true;
            }
        }
    }

    /// Environment variables and processes: calls whose first argument is a literal.
    fn literal_argument<'t>(
        &self,
        called: &str,
        receiver: &str,
        args: Option<Node<'t>>,
        out: &mut Collected<'t>,
    ) {
        let argument = |at: u32| args.and_then(|args| args.named_child(at));
        if let Some((at, role)) = self.asked(called, receiver) {
            if let Some(node) = argument(at) {
                match self.literal(node, role) {
                    Some(reference) if receiver.is_empty() => {
                        out.by_name.push((called.to_owned(), reference));
                    }
                    Some(reference) => out.references.push(reference),
                    None => out.unnamed.push((node, role)),
                }
            }
        } else if let Some(asked) = flags::asked(called, receiver) {
            // The key stands first, or behind a context.
            let mut nodes = (0..2).filter_map(argument);
            if let Some(reference) = nodes.find_map(|node| self.literal(node, ReferenceRole::Flag)) {
                out.flags.push((asked, reference));
            }
        }
    }

    /// Which argument of a call names an environment variable or a program.
    pub(super) fn asked(&self, called: &str, receiver: &str) -> Option<(u32, ReferenceRole)> {
        let position = |list: &[String]| list.iter().find_map(|entry| named_by(entry, called, receiver));
        let lists =
            [(&self.row.env_calls, ReferenceRole::Env), (&self.row.process_calls, ReferenceRole::Process)];
        lists.iter().find_map(|(list, role)| Some((position(list)?, *role)))
    }

    fn push_literal(&self, node: Node, role: ReferenceRole, out: &mut Collected) {
        out.references.extend(self.literal(node, role));
    }

    /// A reference to what a literal names; the content of one counts as well.
    pub(super) fn literal(&self, node: Node, role: ReferenceRole) -> Option<RawReference> {
        let text = self.expressions.text_of(node);
        let content =
            || self.expressions.kinds.kind_flags(node.kind_id()).string && text.len() <= MAX_CONTENT;
        // Ruby's `:key` names what `"key"` names.
        let symbol =
            || text.strip_prefix(':').filter(|key| role == ReferenceRole::Flag && key.len() <= MAX_CONTENT);
        let value = literal(text).or_else(symbol).or_else(|| content().then_some(text))?;
        let name = if role == ReferenceRole::Process {
            value.split_whitespace().next().unwrap_or(value)
        } else {
            value
        };
        (!name.is_empty()).then(|| RawReference {
            name: name.to_owned(),
            receiver: String::new(),
            role,
            at: name_span(node),
            arity: 255,
            arguments: String::new(),
            bare: false,
            base: None,
        })
    }

    fn env<'t>(&self, key: Node<'t>, captures: Captures<'_, 't>, out: &mut Collected<'t>) {
        let Some(object) = captures.get(Capture::EnvObject) else { return };
        let text = self.expressions.text_of(object);
        let is_name =
            matches!(self.expressions.kinds.expression_rule(object.kind_id()), ExpressionRule::Name);
        let known = |path: &str| self.row.env_objects.iter().any(|object| object == path);
        let is_environment = if is_name { known(text) } else { known(&self.expressions.path(object)) };
        if is_environment {
            out.references.extend(self.key(key));
        } else if is_name {
            out.keys.push((object, key));
        }
    }

    /// The environment variable that a key names; a name in a pattern names what it is bound to.
    pub(super) fn key(&self, key: Node) -> Option<RawReference> {
        let name = self.expressions.text_of(key);
        let named = || {
            let (name, at) = (name.to_owned(), name_span(key));
            is_variable(&name).then(|| RawReference { name, at, ..RawReference::bare(ReferenceRole::Env) })
        };
        self.literal(key, ReferenceRole::Env).or_else(named)
    }

    fn type_ref(&self, node: Node, out: &mut Collected) {
        let text = self.expressions.text_of(node);
        if !self.row.builtin_types.iter().any(|t| t == text) {
            self.simple(node, ReferenceRole::Type, 255, out);
        }
    }

    /// All names of a type expression, those in quoted annotations included.
    fn type_expr(&self, node: Node, out: &mut Collected) {
        let mut pending = vec![node];
        let mut seen = 0;
        while let Some(node) = pending.pop() {
            seen += 1;
            if seen > 200 {
                return;
            }
            if node.named_child_count() == 0 || self.expressions.split(node).is_some() {
                let flags = self.expressions.kinds.kind_flags(node.kind_id());
                if flags.string {
                    self.quoted_type(node, out);
                } else {
                    self.type_ref(node, out);
                }
                continue;
            }
            let mut cursor = node.walk();
            pending.extend(node.named_children(&mut cursor));
        }
    }

    fn quoted_type(&self, node: Node, out: &mut Collected) {
        let text = self.expressions.text_of(node);
        let simple = |c: char| c.is_alphanumeric() || "_.[], |".contains(c);
        if text.len() > 200 || !text.chars().all(simple) {
            return;
        }
        let whole = name_span(node);
        for path in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')) {
            let (receiver, name) = path.rsplit_once('.').unwrap_or(("", path));
            if name.is_empty() || self.row.builtin_types.iter().any(|t| t == name) {
                continue;
            }
            let offset = (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
            let at = NameSpan {
                start: whole.start + offset,
                len: name.len() as u32,
                line: whole.line,
                column: whole.column + offset,
            };
            let (name, receiver) = (name.to_owned(), receiver.to_owned());
            out.references.push(RawReference {
                name,
                receiver,
                role: ReferenceRole::Type,
                at,
                arity: 255,
                arguments: String::new(),
                bare: false,
                base: None,
            });
        }
    }

    fn type_param(&self, node: Node, captures: Captures, out: &mut Collected) {
        // The declaration whose parameter it is: parameter, list, declaration; or the outermost one.
        let levels = if self.is_set("outermost", captures) { 20 } else { 3 };
        let mut owner = node;
        for _ in 0..levels {
            match owner.parent() {
                Some(parent) if parent.parent().is_some() => owner = parent,
                _ => break,
            }
        }
        let name = self.expressions.text_of(node).to_owned();
        out.type_params.push((name, owner.start_byte() as u32, owner.end_byte() as u32));
    }

    fn type_bound(&self, node: Node, captures: Captures, out: &mut Collected) {
        let Some(param) = captures.get(Capture::TypeBounded) else { return };
        let (name, bound) = (self.expressions.text_of(param), self.expressions.text_of(node));
        out.type_bounds.push(RawBound::new(param, name, bound, &self.row.empty_bounds));
    }

    fn base(&self, node: Node, relation: BaseRelation, captures: Captures, out: &mut Collected) {
        let written = self.expressions.type_name(self.expressions.text_of(node));
        if written.is_empty() || !written.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c)) {
            return;
        }
        let of =
            captures.get(Capture::BaseOf).map(|of| self.expressions.type_name(self.expressions.text_of(of)));
        let named = match self.expressions.split(node) {
            Some(named) => Some(named),
            None => node.named_child(0).and_then(|first| self.expressions.split(first)),
        };
        let Some((name, receiver)) = named else { return };
        let at = name_span(name);
        let base = Some(Box::new(RawBase { name: written, relation, of }));
        let name = self.expressions.text_of(name).to_owned();
        out.references.push(RawReference {
            name,
            receiver,
            role: ReferenceRole::Base,
            at,
            arity: 255,
            arguments: String::new(),
            bare: false,
            base,
        });
    }

    fn field(&self, node: Node, out: &mut Collected) {
        let Some((name, receiver)) = self.expressions.split(node) else { return };
        if self.row.env_objects.contains(&receiver) {
            let field = self.expressions.text_of(name);
            if is_variable(field) {
                return self.push(name, String::new(), ReferenceRole::Env, 255, out);
            }
        }
        self.push(name, receiver, ReferenceRole::Field, 255, out);
    }

    fn import(&self, node: Node, reexport: bool, captures: Captures, out: &mut Collected) {
        let text = |capture| captures.get(capture).map_or("", |n| self.expressions.text_of(n)).to_owned();
        out.import_starts.insert(node.start_byte() as u32);
        let at = [Capture::ImportName, Capture::ImportPath].into_iter().find_map(|c| captures.get(c));
        let mut import = ImportFact {
            path: text(Capture::ImportPath),
            name: text(Capture::ImportName),
            alias: text(Capture::ImportAlias),
            reexport,
            scope: kenning_graph::facts::FILE_SCOPE,
            at: name_span(at.unwrap_or(node)),
        };
        if self.grammar.dialect.import(&mut import, self.expressions.text_of(node)) {
            out.imports.push(import);
        }
    }
}

/// The position of the argument that an entry of a list of calls (`a.b`, `b`, `a.b:1`) is about, if it names this call.
fn named_by(entry: &str, called: &str, receiver: &str) -> Option<u32> {
    let (path, position) = match entry.split_once(':') {
        Some((path, position)) => (path, position.parse().ok()?),
        None => (entry, 0),
    };
    let named = match path.rsplit_once('.') {
        None => receiver.is_empty() && path == called,
        Some((object, name)) => {
            name == called
                && receiver.strip_suffix(object).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
    };
    named.then_some(position)
}

/// The dotted words right before a position, as a receiver.
fn receiver_before(text: &str) -> String {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    let mut start = text.len();
    for (at, c) in text.char_indices().rev().take(160) {
        if !is_path(c) {
            break;
        }
        start = at;
    }
    let path = &text[start..];
    let Some(path) = path.strip_suffix("::").or_else(|| path.strip_suffix('.')) else { return String::new() };
    // What stands before the path may be a call or an index: then the receiver is only partly known.
    let partial = path.is_empty() || path.starts_with(['.', ':']);
    if partial { UNKNOWN.to_owned() } else { path.replace("::", ".") }
}
