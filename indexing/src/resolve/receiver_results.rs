//! Results that have the type of the receiver: `Self` in the signature of a method is the type of
//! the value on which the method is called, which may derive from the type that declares the
//! method.

use super::definition::{Definition, LookupScope, Resolution};
use super::resolver::Resolver;
use kenning_graph::SymbolRef;

impl<'a> Resolver<'a> {
    /// Returns the values on which a segment of a path is called, in families whose methods can
    /// return the type of their receiver. `before` contains the definitions of the preceding
    /// segments; it is `None` for the first segment, whose receiver is implicit.
    pub(super) fn receivers_of_segment(
        &self,
        before: Option<&Resolution<'a>>,
        scope: LookupScope,
        read_values: &dyn Fn(&Resolution<'a>) -> Resolution<'a>,
    ) -> Vec<Definition<'a>> {
        if self.receiver_type().is_empty() {
            return Vec::new();
        }
        let Some(before) = before else {
            return self.enclosing_type(scope).map(Definition::Instance).into_iter().collect();
        };
        let value = |definition: &Definition<'a>| match definition {
            Definition::Instance(ty) | Definition::Super(ty, _) => Some(Definition::Instance(*ty)),
            Definition::Symbol(ty) if ty.kind.is_type() => Some(Definition::Instance(*ty)),
            _ => None,
        };
        read_values(before).definitions.iter().filter_map(value).collect()
    }

    /// Returns the results of calling each of these definitions on `receivers`.
    pub(super) fn call_results_on(
        &self,
        found: &Resolution<'a>,
        receivers: &[Definition<'a>],
    ) -> Resolution<'a> {
        if receivers.is_empty() || !found.definitions.iter().any(|d| self.returns_receiver(d)) {
            return self.call_results(found);
        }
        let mut others = found.clone();
        others.definitions.retain(|definition| !self.returns_receiver(definition));
        let mut out = self.call_results(&others);
        for receiver in receivers {
            out.push(receiver.clone());
        }
        out
    }

    /// Whether a definition is a callable that returns the type of its receiver.
    fn returns_receiver(&self, definition: &Definition<'a>) -> bool {
        let returns = |s: &SymbolRef| s.type_text().trim_end_matches(['?', '!']) == self.receiver_type();
        matches!(definition, Definition::Symbol(s) if s.kind.is_callable() && returns(s))
    }

    /// Returns the name of the type that is always the receiver's (`Self`). Returns an empty string
    /// if the family has none.
    fn receiver_type(&self) -> &'static str {
        self.family.declared_rules().map_or("", |rules| &rules.receiver_type)
    }
}
