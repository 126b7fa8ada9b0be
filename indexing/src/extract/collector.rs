//! The collector: turns the matches of a language's patterns into raw facts, which still hold
//! syntax nodes.
//!
//! The captures of one match belong together: one capture names the fact (a symbol, a call, an
//! import, a binding), the others are its parts.

use super::arguments::join_labeled_arguments;
use super::children::ChildNode;
use super::env_and_processes::is_env_variable_name;
use super::expressions::{BoundValue, ExpressionReader, receiver_before};
use super::named_lookups::{LookupCertainty, LookupKind};
use super::patterns::{Capture, LanguagePatterns, PatternMatch, PatternMatcher};
use super::raw_facts::{
    DraftKind, MAX_NAME_BYTES, RawBase, RawFacts, RawReference, SymbolDraft, name_span, strip_name_marks,
};
use super::type_bounds::RawBound;
use crate::bounded_parse::StepBudget;
use crate::languages::{ExpressionRule, Grammar, LanguageRow};
use kenning_graph::facts::{BaseRelation, ImportFact, NameSpan, ReferenceRole, UNKNOWN_ARITY};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Maximum number of nodes read in one type expression. Generated types have thousands.
const MAX_TYPE_NODES: usize = 200;

/// The captures of one match.
#[derive(Clone, Copy)]
pub(super) struct MatchCaptures<'m, 't> {
    found: PatternMatch<'m, 't>,
    patterns: &'m LanguagePatterns,
}

impl<'t> MatchCaptures<'_, 't> {
    /// Returns the first node with this capture.
    pub fn find_capture(&self, wanted: Capture) -> Option<Node<'t>> {
        let mut captures = self.found.captures.iter();
        captures.find(|(_, capture)| self.patterns.capture_meaning(*capture) == wanted).map(|(node, _)| *node)
    }

    /// Returns the parent of a node. Tree-sitter searches for it from the root of the tree; this
    /// search starts at the root of the match if that node is an ancestor.
    pub fn parent_node(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut ancestor = self.found.root;
        while let Some(child) = ancestor.child_with_descendant(node) {
            if child == node {
                return Some(ancestor);
            }
            ancestor = child;
        }
        node.parent()
    }
}

/// Returns the number of arguments in an argument list, at most 254; [`UNKNOWN_ARITY`] if
/// unknown.
fn count_arguments(arguments: Option<Node>) -> u8 {
    let Some(arguments) = arguments else { return UNKNOWN_ARITY };
    arguments.named_child_count().min(254) as u8
}

/// Collects the facts of one file with its language's patterns.
pub(crate) struct Collector<'a> {
    pub expressions: ExpressionReader<'a>,
    pub patterns: &'a LanguagePatterns,
    pub row: &'a LanguageRow,
    pub grammar: &'a Grammar,
}

impl Collector<'_> {
    /// Collects the facts of the pattern matches at a node. Returns `None` if the step budget is
    /// used up.
    pub fn collect_at_node<'t>(
        &self,
        node: Node<'t>,
        kind: u16,
        children: &[ChildNode<'t>],
        matcher: &mut PatternMatcher<'_, 't>,
        steps: &StepBudget,
        out: &mut RawFacts<'t>,
    ) -> Option<()> {
        matcher.match_node(node, kind, children, steps, |found| {
            self.collect_match(MatchCaptures { found, patterns: self.patterns }, out);
        })
    }

    /// Calls the language's dialect for the nodes that the patterns captured as hooks, and for the
    /// whole tree.
    pub fn run_dialect_hooks<'t>(&self, root: Node<'t>, steps: &StepBudget, out: &mut RawFacts<'t>) {
        for node in std::mem::take(&mut out.hooks) {
            self.grammar.dialect.collect_hook(node, &self.expressions, out);
        }
        self.grammar.dialect.collect_tree(root, &self.expressions, steps, out);
    }

    fn collect_match<'t>(&self, captures: MatchCaptures<'_, 't>, out: &mut RawFacts<'t>) {
        for &(node, capture) in captures.found.captures {
            match self.patterns.capture_meaning(capture) {
                Capture::Symbol(kind) => self.collect_symbol(DraftKind::Symbol(kind), node, captures, out),
                Capture::SymbolMember => self.collect_symbol(DraftKind::Member, node, captures, out),
                Capture::Scope => self.collect_scope(node, captures, out),
                Capture::Package => {
                    out.packages
                        .push(self.expressions.normalized_type_name(self.expressions.node_text(node)));
                }
                Capture::Call => self.collect_call(node, captures, out),
                Capture::CallBare => self.collect_bare_call(node, out),
                Capture::ValueToken => {
                    let before = &self.expressions.text[..node.start_byte()];
                    self.push_reference(
                        node,
                        receiver_before(before),
                        ReferenceRole::Value,
                        UNKNOWN_ARITY,
                        out,
                    );
                }
                Capture::CallToken => self.collect_token_call(node, captures, out),
                Capture::Construct => self.collect_construction(node, captures, out),
                Capture::TypeRef => self.collect_type_ref(node, out),
                Capture::TypeExpr => self.collect_type_expr(node, out),
                Capture::TypeParam => self.collect_type_param(node, captures, out),
                Capture::TypeBound => self.collect_type_bound(node, captures, out),
                Capture::Base(relation) => self.collect_base(node, relation, captures, out),
                Capture::Field => self.collect_field_access(node, out),
                Capture::Decorator => self.push_simple_reference(node, ReferenceRole::Decorator, out),
                Capture::Throw => self.push_simple_reference(node, ReferenceRole::Throw, out),
                Capture::ValueRef => self.push_simple_reference(node, ReferenceRole::Value, out),
                Capture::EnvKey => self.collect_env_key(node, captures, out),
                Capture::Literal(role) => self.push_literal_reference(node, role, out),
                Capture::Dependency => {
                    let owner = captures.find_capture(Capture::DependencyOf);
                    let owner = owner.map_or("", |owner| self.expressions.node_text(owner)).to_owned();
                    self.push_reference(node, owner, ReferenceRole::Dependency, UNKNOWN_ARITY, out);
                }
                Capture::Topic => {
                    out.named_lookups.extend(self.named_lookup(
                        node,
                        LookupKind::Topic,
                        LookupCertainty::WithImport,
                    ));
                }
                import @ (Capture::Import | Capture::Reexport) => {
                    let is_reexport = import == Capture::Reexport;
                    self.collect_import(node, is_reexport, captures, out);
                }
                Capture::ImportTree => {
                    out.import_spans.push((node.start_byte() as u32, node.end_byte() as u32));
                    self.grammar.dialect.parse_import_tree(node, &self.expressions, &mut out.imports);
                }
                binding @ (Capture::BindingName | Capture::BindingMember) => {
                    let is_member = binding == Capture::BindingMember;
                    self.collect_binding(node, is_member, captures, out);
                }
                Capture::Return => {
                    let value = self.expressions.value_type(node).map(BoundValue::into_path);
                    out.returns.push((node.start_byte() as u32, value.unwrap_or_default()));
                }
                Capture::Yield => out.yields.push(node.start_byte() as u32),
                Capture::Hook => out.hooks.push(node),
                _ => {}
            }
        }
    }

    /// Whether the pattern sets this key with `#set!`.
    pub(super) fn has_setting(&self, key: &str, captures: MatchCaptures) -> bool {
        self.patterns.has_setting(captures.found.pattern, key)
    }

    /// Returns the value that the pattern sets for this key with `#set!`.
    pub(super) fn find_setting(&self, key: &str, captures: MatchCaptures) -> Option<&str> {
        self.patterns.find_setting(captures.found.pattern, key)
    }

    fn collect_symbol<'t>(
        &self,
        kind: DraftKind,
        node: Node<'t>,
        captures: MatchCaptures<'_, 't>,
        out: &mut RawFacts<'t>,
    ) {
        let Some(name) = captures.find_capture(Capture::Name) else { return };
        let container = captures
            .find_capture(Capture::Container)
            .map(|container| self.expressions.normalized_type_name(self.expressions.node_text(container)));
        let pattern = captures.found.pattern;
        let draft = SymbolDraft {
            node,
            kind,
            pattern,
            name: String::new(),
            name_span: NameSpan::default(),
            body: captures.find_capture(Capture::Body),
            ty: captures.find_capture(Capture::Type),
            params: captures.find_capture(Capture::Params),
            value: captures.find_capture(Capture::Value),
            container: container.filter(|container| !container.is_empty()),
            is_test: self.has_setting("test", captures),
            defined: self.has_setting("defined", captures),
            is_static: self.has_setting("static", captures),
        };
        out.push_named_draft(draft, name, &self.expressions);
    }

    fn collect_scope<'t>(&self, node: Node<'t>, captures: MatchCaptures<'_, 't>, out: &mut RawFacts<'t>) {
        let name =
            captures.find_capture(Capture::ScopeName).map_or("", |name| self.expressions.node_text(name));
        let qualified = self.expressions.normalized_type_name(name);
        out.drafts.push(SymbolDraft {
            node,
            kind: DraftKind::Scope(if self.has_setting("public", captures) {
                SymbolKind::Trait
            } else if self.has_setting("body", captures) {
                SymbolKind::Function
            } else {
                SymbolKind::Class
            }),
            pattern: captures.found.pattern,
            name: if self.has_setting("qualified", captures) {
                qualified
            } else {
                qualified.rsplit('.').next().unwrap_or_default().to_owned()
            },
            name_span: name_span(node),
            body: None,
            ty: None,
            params: None,
            value: None,
            container: None,
            is_test: false,
            defined: false,
            is_static: self.has_setting("static", captures),
        });
    }

    fn push_reference(
        &self,
        node: Node,
        receiver: String,
        role: ReferenceRole,
        arity: u8,
        out: &mut RawFacts,
    ) {
        let (name, at) = strip_name_marks(self.expressions.node_text(node), name_span(node));
        if name.is_empty() || name.len() > MAX_NAME_BYTES || (name == "_" && role == ReferenceRole::Value) {
            return;
        }
        out.references.push(RawReference {
            name: name.to_owned(),
            receiver,
            at,
            arity,
            ..RawReference::with_role(role)
        });
    }

    fn push_simple_reference(&self, node: Node, role: ReferenceRole, out: &mut RawFacts) {
        if let Some((name, receiver)) = self.expressions.split_receiver(node) {
            self.push_reference(name, receiver, role, UNKNOWN_ARITY, out);
        }
    }

    fn collect_call<'t>(&self, node: Node<'t>, captures: MatchCaptures<'_, 't>, out: &mut RawFacts<'t>) {
        let Some((name, receiver)) = self.expressions.split_receiver(node) else { return };
        let args = captures.find_capture(Capture::Args);
        let called = self.expressions.node_text(name);
        if receiver.is_empty() && self.row.ignored_calls.iter().any(|ignored| ignored == called) {
            return;
        }
        self.collect_literal_argument(called, &receiver, args, out);
        // Without an argument list, a call node that holds its own receiver has no arguments.
        let has_own_receiver =
            matches!(self.expressions.kinds.expression_rule(node.kind_id()), ExpressionRule::MethodCall(..));
        let arity = match args {
            None if has_own_receiver => 0,
            Some(args) if self.row.trailing_lambdas && node.is_named() && self.is_before_lambda(args) => {
                count_arguments(Some(args)).saturating_add(1)
            }
            args => count_arguments(args),
        };
        self.push_reference(name, receiver, ReferenceRole::Call, arity, out);
        self.record_arguments(args, out);
        self.record_labeled_arguments(captures, out);
        self.mark_macro_call(captures, out);
        self.count_piped_argument(captures, out);
    }

    /// Whether a function literal follows an argument list.
    fn is_before_lambda(&self, args: Node) -> bool {
        let after = self.expressions.text.get(args.end_byte()..).unwrap_or("");
        after.trim_start_matches(' ').starts_with('{')
    }

    /// Marks the last collected call as a macro call if its pattern sets `macro`.
    fn mark_macro_call(&self, captures: MatchCaptures, out: &mut RawFacts) {
        if let (true, Some(last)) = (self.has_setting("macro", captures), out.references.last_mut()) {
            "!".clone_into(&mut last.arguments);
        }
    }

    /// Counts the argument that an operator passes to the last collected call if its pattern sets
    /// `piped`.
    fn count_piped_argument(&self, captures: MatchCaptures, out: &mut RawFacts) {
        if let (true, Some(last)) = (self.has_setting("piped", captures), out.references.last_mut()) {
            last.piped = true;
            last.arity = if last.arity == UNKNOWN_ARITY { 1 } else { last.arity.saturating_add(1).min(254) };
        }
    }

    /// Records the argument types of the last collected call.
    fn record_arguments(&self, args: Option<Node>, out: &mut RawFacts) {
        if let (true, Some(args), Some(last)) = (self.row.overloads, args, out.references.last_mut()) {
            last.arguments = self.expressions.argument_types(args);
        }
    }

    /// Records the number of arguments of the last collected call, with their labels and types, if
    /// its pattern captures labeled arguments.
    fn record_labeled_arguments(&self, captures: MatchCaptures, out: &mut RawFacts) {
        if let (Some(list), Some(last)) =
            (captures.find_capture(Capture::LabeledArgs), out.references.last_mut())
        {
            let arguments = self.grammar.dialect.labeled_arguments(list, &self.expressions);
            last.arity = arguments.len().min(254) as u8;
            last.arguments = join_labeled_arguments(&arguments);
        }
    }

    /// Collects a call in a token list: a word directly before a bracket, with the dotted words
    /// before it as the receiver.
    fn collect_token_call(&self, node: Node, captures: MatchCaptures, out: &mut RawFacts) {
        let text = self.expressions.text;
        let Some(args) = captures.find_capture(Capture::Args) else { return };
        let is_macro = self.has_setting("macro", captures);
        if !is_macro && (args.start_byte() != node.end_byte() || !text[args.byte_range()].starts_with('(')) {
            return;
        }
        let receiver = receiver_before(&text[..node.start_byte()]);
        self.push_reference(node, receiver, ReferenceRole::Call, UNKNOWN_ARITY, out);
        self.mark_macro_call(captures, out);
    }

    fn collect_construction<'t>(
        &self,
        node: Node<'t>,
        captures: MatchCaptures<'_, 't>,
        out: &mut RawFacts<'t>,
    ) {
        let Some((name, receiver)) = self.expressions.split_receiver(node) else { return };
        let args = captures.find_capture(Capture::Args);
        self.collect_literal_argument(self.expressions.node_text(name), &receiver, args, out);
        let arity = if args.is_none() && self.row.overloads { 0 } else { count_arguments(args) };
        self.push_reference(name, receiver, ReferenceRole::Construct, arity, out);
        self.record_arguments(args, out);
        self.record_labeled_arguments(captures, out);
    }

    /// Collects a word that is a call unless it is bound in a surrounding scope.
    fn collect_bare_call(&self, node: Node, out: &mut RawFacts) {
        let name = self.expressions.node_text(node);
        if !self.row.ignored_calls.iter().any(|ignored| ignored == name) {
            self.push_reference(node, String::new(), ReferenceRole::Call, 0, out);
            if let Some(reference) = out.references.last_mut() {
                reference.bare = true;
            }
        }
    }

    fn collect_type_ref(&self, node: Node, out: &mut RawFacts) {
        let text = self.expressions.node_text(node);
        if !self.row.builtin_types.iter().any(|builtin| builtin == text) {
            self.push_simple_reference(node, ReferenceRole::Type, out);
        }
    }

    /// Collects all names in a type expression, including those in quoted annotations.
    fn collect_type_expr(&self, node: Node, out: &mut RawFacts) {
        let mut pending = vec![node];
        let mut seen = 0;
        while let Some(node) = pending.pop() {
            seen += 1;
            if seen > MAX_TYPE_NODES {
                return;
            }
            if node.named_child_count() == 0 || self.expressions.split_receiver(node).is_some() {
                let flags = self.expressions.kinds.kind_flags(node.kind_id());
                if flags.string {
                    self.collect_quoted_type(node, out);
                } else {
                    self.collect_type_ref(node, out);
                }
                continue;
            }
            let mut cursor = node.walk();
            pending.extend(node.named_children(&mut cursor));
        }
    }

    /// Collects the names in a quoted type annotation.
    fn collect_quoted_type(&self, node: Node, out: &mut RawFacts) {
        let text = self.expressions.node_text(node);
        let is_simple = |c: char| c.is_alphanumeric() || "_.[], |".contains(c);
        if text.len() > MAX_NAME_BYTES || !text.chars().all(is_simple) {
            return;
        }
        let whole = name_span(node);
        for path in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')) {
            let (receiver, name) = path.rsplit_once('.').unwrap_or(("", path));
            if name.is_empty() || self.row.builtin_types.iter().any(|builtin| builtin == name) {
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
                at,
                ..RawReference::with_role(ReferenceRole::Type)
            });
        }
    }

    fn collect_type_param(&self, node: Node, captures: MatchCaptures, out: &mut RawFacts) {
        // Find the declaration that has the parameter: the parent of the list around it, or the
        // outermost one.
        let levels = if self.has_setting("outermost", captures) { 20 } else { 3 };
        let mut owner = node;
        for _ in 0..levels {
            match owner.parent() {
                Some(parent) if parent.parent().is_some() => owner = parent,
                _ => break,
            }
        }
        let name = self.expressions.node_text(node).to_owned();
        out.type_params.push((name, owner.start_byte() as u32, owner.end_byte() as u32));
    }

    fn collect_type_bound(&self, node: Node, captures: MatchCaptures, out: &mut RawFacts) {
        let Some(param) = captures.find_capture(Capture::TypeBounded) else { return };
        let (name, bound) = (self.expressions.node_text(param), self.expressions.node_text(node));
        out.type_bounds.push(RawBound::new(param, name, bound, self.row));
    }

    fn collect_base(&self, node: Node, relation: BaseRelation, captures: MatchCaptures, out: &mut RawFacts) {
        let type_name = self.expressions.normalized_type_name(self.expressions.node_text(node));
        if type_name.is_empty() || !type_name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c)) {
            return;
        }
        let subtype = captures
            .find_capture(Capture::BaseOf)
            .map(|subtype| self.expressions.normalized_type_name(self.expressions.node_text(subtype)));
        let name_and_receiver = match self.expressions.split_receiver(node) {
            Some(name_and_receiver) => Some(name_and_receiver),
            None => node.named_child(0).and_then(|first| self.expressions.split_receiver(first)),
        };
        let Some((name, receiver)) = name_and_receiver else { return };
        let at = name_span(name);
        let base = Some(Box::new(RawBase { name: type_name, relation, derived_type: subtype }));
        let name = self.expressions.node_text(name).to_owned();
        out.references.push(RawReference {
            name,
            receiver,
            at,
            base,
            ..RawReference::with_role(ReferenceRole::Base)
        });
    }

    fn collect_field_access(&self, node: Node, out: &mut RawFacts) {
        let Some((name, receiver)) = self.expressions.split_receiver(node) else { return };
        if self.row.env_objects.contains(&receiver) {
            let field = self.expressions.node_text(name);
            if is_env_variable_name(field) {
                return self.push_reference(name, String::new(), ReferenceRole::Env, UNKNOWN_ARITY, out);
            }
        }
        self.push_reference(name, receiver, ReferenceRole::Field, UNKNOWN_ARITY, out);
    }

    fn collect_import(&self, node: Node, is_reexport: bool, captures: MatchCaptures, out: &mut RawFacts) {
        let text = |capture| {
            captures.find_capture(capture).map_or("", |node| self.expressions.node_text(node)).to_owned()
        };
        out.import_starts.insert(node.start_byte() as u32);
        let at = [Capture::ImportName, Capture::ImportPath]
            .into_iter()
            .find_map(|capture| captures.find_capture(capture));
        let mut import = ImportFact {
            path: text(Capture::ImportPath),
            name: text(Capture::ImportName),
            alias: text(Capture::ImportAlias),
            reexport: is_reexport,
            scope: kenning_graph::facts::FILE_SCOPE,
            at: name_span(at.unwrap_or(node)),
        };
        if self.grammar.dialect.normalize_import(&mut import, self.expressions.node_text(node)) {
            out.imports.push(import);
        }
    }
}
