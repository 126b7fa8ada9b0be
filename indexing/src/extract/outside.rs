//! Environment variables and processes that are named through an import, another name or a constant.
//!
//! The walk finds what is written out (`os.environ["A"]`); what a name stands for is known only when all imports and symbols
//! are.

use super::collect::Collector;
use super::collected::{Collected, RawReference, name_span};
use super::constants::Constants;
use super::symbols::Symbols;
use crate::languages::ExpressionRule;
use kenning_graph::facts::{ImportFact, ReferenceRole, SymbolFact};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// What imported names stand for, in the words of the language's row: `sp` for `subprocess`, `run` for `subprocess.run`.
type Aliases<'a> = FxHashMap<&'a str, &'a str>;

impl Collector<'_> {
    /// The references that the walk could not make.
    pub fn outside(
        &self,
        out: &Collected,
        sites: &[Node],
        (symbols, constants): (&Symbols, &Constants),
    ) -> Vec<RawReference> {
        let mut found = Vec::new();
        for (called, reference) in &out.by_name {
            if !self.is_own(called, &out.imports, symbols) {
                let (name, at) = (reference.name.clone(), reference.at);
                found.push(RawReference { name, at, ..RawReference::bare(reference.role) });
            }
        }
        for &(node, role) in &out.unnamed {
            found.extend(self.by_constant(node, role, constants));
        }
        let aliases = self.aliases(&out.imports);
        if aliases.is_empty() {
            return found;
        }
        for &node in sites {
            let kind = self.expressions.kinds.expression_rule(node.kind_id());
            if matches!(
                kind,
                ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) | ExpressionRule::Construct(_)
            ) {
                found.extend(self.aliased_call(node, &aliases, constants));
            }
        }
        for &(object, key) in &out.keys {
            if aliased(self.expressions.text_of(object), &aliases)
                .is_some_and(|path| self.is_environment(&path))
            {
                found.extend(self.key(key));
            }
        }
        for reference in out.references.iter().filter(|reference| reference.role == ReferenceRole::Field) {
            let object = aliased(&reference.receiver, &aliases);
            if is_variable(&reference.name) && object.is_some_and(|path| self.is_environment(&path)) {
                let (name, at) = (reference.name.clone(), reference.at);
                found.push(RawReference { name, at, ..RawReference::bare(ReferenceRole::Env) });
            }
        }
        found
    }

    /// Whether a name alone calls what the file, or another of the project, declares.
    fn is_own(&self, called: &str, imports: &[ImportFact], symbols: &Symbols) -> bool {
        let beside = |import: &ImportFact| import.path.starts_with('.') && import.alias == called;
        let declared = |fact: &SymbolFact| {
            let reached = fact.container.is_empty() || self.row.bare_members;
            fact.name == called && fact.kind.is_callable() && reached
        };
        imports.iter().any(beside) || symbols.facts.iter().any(declared)
    }

    /// A literal argument of a call that is known by what its first name was imported as.
    fn aliased_call(&self, node: Node, aliases: &Aliases, constants: &Constants) -> Option<RawReference> {
        let (name, receiver) = self.expressions.split(node)?;
        let name = self.expressions.text_of(name);
        let path = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let path = aliased(&path, aliases)?;
        let (receiver, name) = path.rsplit_once('.').unwrap_or(("", &path));
        let (at, role) = self.asked(name, receiver)?;
        let argument = node.child_by_field_name("arguments")?.named_child(at)?;
        self.literal(argument, role).or_else(|| self.by_constant(argument, role, constants))
    }

    fn by_constant(&self, node: Node, role: ReferenceRole, constants: &Constants) -> Option<RawReference> {
        let value = constants.get(&self.expressions.path(node), node.start_byte())?;
        let name = if role == ReferenceRole::Process { value.split_whitespace().next()? } else { value };
        Some(RawReference { name: name.to_owned(), at: name_span(node), ..RawReference::bare(role) })
    }

    fn is_environment(&self, path: &str) -> bool {
        self.row.env_objects.iter().any(|object| object == path)
    }

    /// The imports that lead to what the row lists.
    fn aliases<'a>(&'a self, imports: &'a [ImportFact]) -> Aliases<'a> {
        let row = self.row;
        let lists = [&row.env_calls, &row.env_objects, &row.process_calls];
        let entries = || lists.into_iter().flatten().map(|entry| entry.split(':').next().unwrap_or(entry));
        let mut aliases = Aliases::default();
        for import in imports.iter().filter(|import| import.name != "*") {
            let last = import.path.rsplit(['.', '/', ':']).next().unwrap_or("");
            let local = [&*import.alias, &*import.name, last].into_iter().find(|name| !name.is_empty());
            let path = import.path.strip_prefix("node:").unwrap_or(&import.path);
            let member = if import.name == "default" { "" } else { import.name.as_str() };
            let leads = |entry: &&str| led_to(path, member, entry).is_some();
            if let Some(local) = local
                && let Some(entry) = entries().find(leads)
                && let Some(whole) = led_to(path, member, entry).filter(|whole| *whole != local)
            {
                aliases.insert(local, whole);
            }
        }
        aliases
    }
}

/// The start of a listed path that is what an import names: `std.process` and `Command` name the start of `Command.new`.
fn led_to<'e>(path: &str, member: &str, entry: &'e str) -> Option<&'e str> {
    // A path of one word says nothing of where it comes from.
    let dots = entry.match_indices('.').map(|(at, _)| at);
    let whole = entry.contains('.').then_some(entry.len());
    let below = |c: char| matches!(c, '.' | '/');
    dots.chain(whole).map(|end| &entry[..end]).find(|start| {
        let outer = match start.strip_suffix(member) {
            Some(outer) if member.is_empty() || outer.is_empty() => outer,
            Some(outer) if outer.ends_with('.') => &outer[..outer.len() - 1],
            _ => return false,
        };
        path.strip_suffix(outer)
            .is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.ends_with(below))
    })
}

/// A path whose first name stands for what was imported.
fn aliased(path: &str, aliases: &Aliases) -> Option<String> {
    let end = path.find(['.', '(', '[']).unwrap_or(path.len());
    let (first, rest) = path.split_at(end);
    Some(format!("{}{rest}", aliases.get(first)?))
}

/// Whether a name is written as environment variables are.
pub(super) fn is_variable(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::led_to;

    #[test]
    fn imports_lead_to_what_is_listed() {
        for (path, member, entry, expected) in [
            ("subprocess", "", "subprocess.run", Some("subprocess")),
            ("subprocess", "run", "subprocess.run", Some("subprocess.run")),
            ("os", "environ", "os.environ.get", Some("os.environ")),
            ("std.process", "Command", "Command.new", Some("Command")),
            ("std.env", "var", "env.var", Some("env.var")),
            ("os/exec", "", "exec.Command", Some("exec")),
            ("mine", "exec", "child_process.exec", None),
            ("mine", "exec", "exec", None),
            ("mysubprocess", "run", "subprocess.run", None),
        ] {
            assert_eq!(led_to(path, member, entry), expected, "{path} {member}");
        }
    }
}
