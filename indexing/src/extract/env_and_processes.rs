//! Environment variables and processes that the text names indirectly, through an import, an alias
//! or a constant.
//!
//! The walk over the tree finds direct uses (`os.environ["A"]`). The meaning of other names is
//! known only once all imports and symbols are collected.

use super::collector::Collector;
use super::constants::StringConstants;
use super::raw_facts::{RawFacts, RawReference, name_span};
use super::symbols::FileSymbols;
use crate::languages::ExpressionRule;
use kenning_graph::facts::{ImportFact, ReferenceRole, SymbolFact};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Imported names with the paths that they denote in the language's row: `sp` for `subprocess`,
/// `run` for `subprocess.run`.
type ImportAliases<'a> = FxHashMap<&'a str, &'a str>;

impl Collector<'_> {
    /// Returns the references that the walk over the tree could not collect.
    pub fn env_and_process_references(
        &self,
        out: &RawFacts,
        sites: &[Node],
        symbols: &FileSymbols,
        constants: &StringConstants,
    ) -> Vec<RawReference> {
        let mut references = Vec::new();
        for (called, reference) in &out.calls_by_name {
            if !self.is_project_function(called, &out.imports, symbols) {
                let (name, at) = (reference.name.clone(), reference.at);
                references.push(RawReference { name, at, ..RawReference::with_role(reference.role) });
            }
        }
        for &(node, role) in &out.unnamed_literals {
            references.extend(self.reference_by_constant(node, role, constants));
        }
        let aliases = self.collect_aliases(&out.imports);
        if aliases.is_empty() {
            return references;
        }
        for &node in sites {
            let kind = self.expressions.kinds.expression_rule(node.kind_id());
            if matches!(
                kind,
                ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) | ExpressionRule::Construct(_)
            ) {
                references.extend(self.reference_of_aliased_call(node, &aliases, constants));
            }
        }
        for &(object, key) in &out.env_lookups {
            if expand_alias(self.expressions.node_text(object), &aliases)
                .is_some_and(|path| self.is_environment_object(&path))
            {
                references.extend(self.env_key_reference(key));
            }
        }
        for reference in out.references.iter().filter(|reference| reference.role == ReferenceRole::Field) {
            let object = expand_alias(&reference.receiver, &aliases);
            if is_env_variable_name(&reference.name)
                && object.is_some_and(|path| self.is_environment_object(&path))
            {
                let (name, at) = (reference.name.clone(), reference.at);
                references.push(RawReference { name, at, ..RawReference::with_role(ReferenceRole::Env) });
            }
        }
        references
    }

    /// Whether a name without a receiver calls a function that this file, or another file of the
    /// project, declares.
    fn is_project_function(&self, called: &str, imports: &[ImportFact], symbols: &FileSymbols) -> bool {
        let is_relative_import = |import: &ImportFact| import.path.starts_with('.') && import.alias == called;
        let is_declaration = |fact: &SymbolFact| {
            let is_in_scope = fact.container.is_empty() || self.row.bare_members;
            fact.name == called && fact.kind.is_callable() && is_in_scope
        };
        imports.iter().any(is_relative_import) || symbols.facts.iter().any(is_declaration)
    }

    /// Returns the argument, a literal or a constant, of a call whose first name is imported.
    fn reference_of_aliased_call(
        &self,
        node: Node,
        aliases: &ImportAliases,
        constants: &StringConstants,
    ) -> Option<RawReference> {
        let (name, receiver) = self.expressions.split_receiver(node)?;
        let name = self.expressions.node_text(name);
        let path = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let path = expand_alias(&path, aliases)?;
        let (receiver, name) = path.rsplit_once('.').unwrap_or(("", &path));
        let (at, role) = self.env_or_process_argument(name, receiver)?;
        let argument = node.child_by_field_name("arguments")?.named_child(at)?;
        self.literal_reference(argument, role)
            .or_else(|| self.reference_by_constant(argument, role, constants))
    }

    fn reference_by_constant(
        &self,
        node: Node,
        role: ReferenceRole,
        constants: &StringConstants,
    ) -> Option<RawReference> {
        let value = constants.find_constant(&self.expressions.path_text(node), node.start_byte())?;
        let name = if role == ReferenceRole::Process { value.split_whitespace().next()? } else { value };
        Some(RawReference { name: name.to_owned(), at: name_span(node), ..RawReference::with_role(role) })
    }

    fn is_environment_object(&self, path: &str) -> bool {
        self.row.env_objects.iter().any(|object| object == path)
    }

    /// Returns the imports that lead to an entry of the row's lists.
    fn collect_aliases<'a>(&'a self, imports: &'a [ImportFact]) -> ImportAliases<'a> {
        let row = self.row;
        let lists = [&row.env_calls, &row.env_objects, &row.process_calls];
        let entries = || lists.into_iter().flatten().map(|entry| entry.split(':').next().unwrap_or(entry));
        let mut aliases = ImportAliases::default();
        for import in imports.iter().filter(|import| import.name != "*") {
            let last = import.path.rsplit(['.', '/', ':']).next().unwrap_or("");
            let local = [&*import.alias, &*import.name, last].into_iter().find(|name| !name.is_empty());
            let path = import.path.strip_prefix("node:").unwrap_or(&import.path);
            let member = if import.name == "default" { "" } else { import.name.as_str() };
            let has_prefix = |entry: &&str| entry_prefix(path, member, entry).is_some();
            if let Some(local) = local
                && let Some(entry) = entries().find(has_prefix)
                && let Some(prefix) = entry_prefix(path, member, entry).filter(|prefix| *prefix != local)
            {
                aliases.insert(local, prefix);
            }
        }
        aliases
    }
}

/// Returns the prefix of a listed path that an import names: `std.process` and `Command` name the
/// prefix `Command` of `Command.new`.
fn entry_prefix<'e>(path: &str, member: &str, entry: &'e str) -> Option<&'e str> {
    // A path with one word does not show which module it belongs to.
    let dots = entry.match_indices('.').map(|(at, _)| at);
    let entry_end = entry.contains('.').then_some(entry.len());
    let is_separator = |c: char| matches!(c, '.' | '/');
    dots.chain(entry_end).map(|end| &entry[..end]).find(|start| {
        let outer = match start.strip_suffix(member) {
            Some(outer) if member.is_empty() || outer.is_empty() => outer,
            Some(outer) if outer.ends_with('.') => &outer[..outer.len() - 1],
            _ => return false,
        };
        path.strip_suffix(outer)
            .is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.ends_with(is_separator))
    })
}

/// Replaces the first name of a path with the path from which it is imported.
fn expand_alias(path: &str, aliases: &ImportAliases) -> Option<String> {
    let end = path.find(['.', '(', '[']).unwrap_or(path.len());
    let (first, rest) = path.split_at(end);
    Some(format!("{}{rest}", aliases.get(first)?))
}

/// Whether a name is written like an environment variable: upper-case letters, at least one, with
/// digits and underscores.
pub(super) fn is_env_variable_name(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{entry_prefix, is_env_variable_name};

    #[test]
    fn environment_variables_have_an_upper_case_letter() {
        let names = ["HOME", "PATH_2", "_", "0", "", "Home"];
        assert_eq!(names.map(is_env_variable_name), [true, true, false, false, false, false]);
    }

    #[test]
    fn imports_name_prefixes_of_listed_paths() {
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
            assert_eq!(entry_prefix(path, member, entry), expected, "{path} {member}");
        }
    }
}
