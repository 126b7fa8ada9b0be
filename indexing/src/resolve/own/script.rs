//! Names and paths of TypeScript and JavaScript in the file that is resolved: blocks, `this`, local names.

use super::super::lang::script::{is_member_kind, this, values};
use super::super::meaning::{Found, Meaning};
use super::super::sides::Side;
use super::Own;
use kenning_graph::facts::FILE_SCOPE;
use kenning_graph::{SymbolKind, SymbolRef};

impl<'a> Own<'a> {
    /// What a path stands for at a byte of a scope.
    pub(super) fn script_path(&self, path: &str, scope: u32, at: u32) -> Found<'a> {
        values::follow(&self.r, path, |root| self.script_name(root, scope, at))
    }

    /// What a name at the start of a path stands for.
    pub(super) fn script_name(&self, name: &str, scope: u32, at: u32) -> Found<'a> {
        let place = self.place(scope);
        if let Some(found) = values::marked_root(&self.r, place, name) {
            return found;
        }
        match name {
            "this" => return this::this(&self.r, place, Some(self.script_side(scope))),
            "super" => {
                let base = |ty| Found::of(vec![Meaning::Super(ty, self.script_side(scope))]);
                return self.r.enclosing_type(place).map_or_else(Found::bound, base);
            }
            _ => {}
        }
        if let Some((bound_in, binding)) = self.binding(name, scope, at) {
            let symbol = self.declared.get(&binding.at).and_then(|&at| self.symbols.get(at));
            if let Some(symbol) = symbol.filter(|symbol| symbol.name == name) {
                return Found::of(vec![Meaning::Symbol(*symbol)]);
            }
            let value = self.bound_value(bound_in, binding);
            // At the top of a file a name may be a symbol or an import as well.
            let local = bound_in != FILE_SCOPE || binding.end != u32::MAX;
            if local || !value.is_empty() {
                return value;
            }
        }
        let mut found = values::looked_up(&self.r, place, name);
        // What is declared in a block is known by its binding; where none holds it is not meant.
        found.meanings.retain(|meaning| !matches!(meaning, Meaning::Symbol(s) if self.is_block_local(s)));
        found
    }

    /// On which side of a type a scope lies, as the member of the type says in which it lies. What stands in the body of the
    /// type itself is a static block's.
    fn script_side(&self, scope: u32) -> Side {
        let mut member = None;
        for symbol in self.scopes(scope).filter_map(|scope| self.facts.symbols.get(scope as usize)) {
            if symbol.kind.is_type() && symbol.kind != SymbolKind::Module {
                return member.unwrap_or(Side::Type);
            }
            if is_member_kind(symbol.kind) || symbol.kind == SymbolKind::Constructor {
                member = Some(Side::of(&symbol.signature));
            }
        }
        member.unwrap_or(Side::Value)
    }

    /// Whether a variable of this file is bound in a block or a function without a name only.
    pub(in super::super) fn is_block_local(&self, variable: &SymbolRef) -> bool {
        let at = variable.name_span.start;
        let declared = self.declared.get(&at).and_then(|&at| self.symbols.get(at));
        declared.is_some_and(|symbol| symbol.id == variable.id) && self.in_blocks.contains(&at)
    }
}
