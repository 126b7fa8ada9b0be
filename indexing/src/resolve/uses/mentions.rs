//! Uses that are no calls: types, fields, values, decorators, thrown errors.

use super::{Use, symbols};
use crate::resolve::edges::{Edges, MAX_CANDIDATES, Strength};
use crate::resolve::family::Family;
use crate::resolve::meaning::{External, Found, Meaning, Module};
use kenning_graph::facts::FILE_SCOPE;
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

impl<'a> Use<'_, 'a> {
    pub(super) fn ty(&self, edges: &mut Edges) {
        let (own, scope) = (self.own, self.reference.scope);
        let found = own.r.type_path(own.place(scope), &self.path());
        let in_signature = own
            .facts
            .symbols
            .get(scope as usize)
            .is_some_and(|symbol| symbol.kind.is_callable() && has_word(&symbol.signature, self.name));
        let kind = if in_signature { EdgeKind::TypeHintOf } else { EdgeKind::References };
        // Rust: a pattern names a variant as if it were a type.
        self.mention(&found, kind, edges, |s| s.kind.is_type() || s.kind == SymbolKind::EnumMember);
    }

    pub(super) fn field(&self, edges: &mut Edges) {
        let own = self.own;
        let receiver =
            own.as_receiver(&own.eval(self.receiver, self.reference.scope, self.reference.at.start));
        if receiver.is_empty() {
            return;
        }
        let found = own.r.step(&receiver, self.name);
        let source = own.id(self.reference.scope);
        let targets: Vec<SymbolRef> = symbols(&found).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        // The accessors of one property are one thing.
        let one = targets.iter().all(|s| (s.path, s.container) == (targets[0].path, targets[0].container));
        let strength = Strength::of(&found).shared(if one { 1 } else { targets.len() });
        for target in targets {
            let member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let kind = if member { EdgeKind::AccessesField } else { EdgeKind::References };
            edges.symbol(source, target.id, kind, strength, Some(self.line()));
        }
    }

    /// What a use that is no call stands for: a name alone for the symbol that is declared so, whatever value that holds.
    fn used(&self) -> Found<'a> {
        if self.receiver.is_empty() {
            let declared = self.own.first_symbol(self.name, self.reference.scope, self.reference.at.start);
            if symbols(&declared).next().is_some() {
                return declared;
            }
        }
        self.meaning()
    }

    pub(super) fn value(&self, edges: &mut Edges) {
        let found = self.used();
        // In Ruby the name of a module is mostly the beginning of a path.
        let prefix = |s: &SymbolRef| self.own.r.family == Family::Ruby && s.kind == SymbolKind::Module;
        let member = |s: SymbolRef| matches!(s.kind, SymbolKind::Field | SymbolKind::Property);
        let reads = symbols(&found).next().is_some() && symbols(&found).all(member);
        let kind = if reads { EdgeKind::AccessesField } else { EdgeKind::References };
        self.mention(&found, kind, edges, |s| !prefix(s));
    }

    /// A name in quotes that a module says it exports: whatever the module offers under it, also a module below it.
    pub(super) fn quoted(&self, edges: &mut Edges) {
        let r = &self.own.r;
        let found = r.export(&Module::file(r.path), self.name);
        self.mention(&found, EdgeKind::References, edges, |_| true);
        for meaning in &found.meanings {
            if let Meaning::Module(Module::File { path, .. }) = meaning
                && let Some(file) = r.view.file_symbol(path)
            {
                let source = self.own.id(self.reference.scope);
                edges.symbol(source, file, EdgeKind::References, Strength::of(&found), Some(self.line()));
            }
        }
    }

    /// A name that stands alone: a field of the type around, a constant, a variable, a function as a value. What it
    /// stands for outside of the workspace says nothing.
    pub(super) fn name(&self, edges: &mut Edges) {
        let found = self.own.first_symbol(self.name, self.reference.scope, self.reference.at.start);
        let targets: Vec<SymbolRef> = symbols(&found).filter(|s| s.kind != SymbolKind::Module).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        let strength = Strength::RESOLVED.shared(targets.len());
        for target in targets {
            let member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let kind = if member { EdgeKind::AccessesField } else { EdgeKind::References };
            edges.symbol(self.own.id(self.reference.scope), target.id, kind, strength, Some(self.line()));
        }
    }

    pub(super) fn throw(&self, edges: &mut Edges) {
        let mut found = self.used();
        if found.is_empty() {
            found = self.own.r.type_path(self.own.place(self.reference.scope), &self.path());
        }
        // `throw makeError()` throws what the function gives.
        let function = symbols(&found).find(|s| s.kind.is_callable());
        let found = if function.is_some() { self.own.r.called(&found) } else { found };
        let mut types = Found::nothing();
        for meaning in &found.meanings {
            match meaning {
                Meaning::Symbol(s) if !s.kind.is_type() => {
                    let value = self.own.as_value(&Found::of(vec![meaning.clone()]));
                    // Go compares with the error value itself: it is what callers look for, not its type.
                    let itself = value.is_empty() || self.own.r.family == Family::Go;
                    types.extend(if itself { &found } else { &value });
                }
                _ => types.push(meaning.clone()),
            }
        }
        for meaning in &mut types.meanings {
            if let Meaning::Instance(s) = meaning {
                *meaning = Meaning::Symbol(*s);
            }
        }
        let thrown =
            |s: &SymbolRef| s.kind.is_type() || matches!(s.kind, SymbolKind::Variable | SymbolKind::Constant);
        self.mention(&types, EdgeKind::Throws, edges, thrown);
        if types.meanings.contains(&Meaning::Builtin) {
            match function {
                // Elsewhere what is thrown can be anything, and what a function is declared to give is no error.
                Some(function) if matches!(self.own.r.family, Family::Java | Family::CSharp) => {
                    self.throw_builtin(function.ty(), edges);
                }
                None if self.receiver.is_empty() && !self.is_local() => self.throw_builtin(self.name, edges),
                _ => {}
            }
        }
    }

    /// An error of the language itself. Rust's panics are one, whatever the macro says of the reason.
    fn throw_builtin(&self, name: &str, edges: &mut Edges) {
        let family = self.own.r.family;
        if !family.builtins().names.contains(name) {
            return;
        }
        let name = if family == Family::Rust { "panic" } else { name };
        self.phantom(&External::new("", name), EdgeKind::Throws, edges);
    }

    /// Adds an edge of this kind to what is meant, if it fits.
    fn mention(
        &self,
        found: &Found<'a>,
        kind: EdgeKind,
        edges: &mut Edges,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) {
        let source = self.own.id(self.reference.scope);
        let targets: Vec<SymbolRef> = symbols(found).filter(|s| fits(s)).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = Strength::of(found).shared(targets.len());
            for target in &targets {
                edges.symbol(source, target.id, kind, strength, Some(self.line()));
            }
        }
        if targets.is_empty() {
            for meaning in &found.meanings {
                if let Meaning::External(external) = meaning {
                    self.phantom(external, kind, edges);
                }
            }
        }
    }

    pub(super) fn decorator(&self, edges: &mut Edges) {
        let own = self.own;
        let decorated = own.id(self.reference.scope);
        if self.reference.scope == FILE_SCOPE {
            return;
        }
        let mut found = self.meaning();
        if found.is_empty() {
            found = own.r.type_path(own.place(self.reference.scope), &self.path());
        }
        if found.is_empty() && own.r.family == Family::CSharp {
            let long = format!("{}Attribute", self.path());
            found = own.r.type_path(own.place(self.reference.scope), &long);
        }
        let targets: Vec<SymbolRef> = symbols(&found).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = Strength::RESOLVED.shared(targets.len());
            for target in &targets {
                edges.symbol(target.id, decorated, EdgeKind::Decorates, strength, Some(self.line()));
            }
        }
        if targets.is_empty() {
            for meaning in &found.meanings {
                if let Meaning::External(external) = meaning {
                    // An edge starts in the workspace: what is decorated refers to the decorator outside.
                    self.phantom(external, EdgeKind::References, edges);
                }
            }
        }
    }
}

/// Whether a text holds a word by itself.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next())
        })
}
