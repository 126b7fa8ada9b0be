//! The dialect of Ruby: `private` sections, singleton classes, `require_relative` and `autoload`.

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, RawFacts, name_span, strip_name_marks};
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::static_members::is_static_member;
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

/// The prefix of the word of a note about a singleton class. The expression after `<<` follows it.
const SINGLETON: &str = "class << ";

/// The block of an `ActiveSupport::Concern` with the methods that a module adds to the types that
/// include it.
const CLASS_METHODS: &str = "class_methods";

/// The dialect of Ruby.
pub(crate) struct RubyDialect;

impl Dialect for RubyDialect {
    fn symbol_visibility(&self, _declared: &VisibilityInput) -> Visibility {
        Visibility::Public
    }

    fn normalize_import(&self, import: &mut ImportFact, statement: &str) -> bool {
        import.path = strip_quotes(&import.path);
        strip_quotes(&import.name).trim_start_matches(':').clone_into(&mut import.name);
        import.alias.clone_from(&import.name);
        if statement.starts_with("require_relative") && !import.path.starts_with('.') {
            import.path.insert_str(0, "./");
        }
        !import.path.is_empty() && !import.path.contains("#{")
    }

    /// Records `private` and similar words. A word without arguments applies to the rest of the
    /// enclosing body; one with arguments applies only to these declarations or names. A singleton
    /// class and the block of `class_methods` start with public members again.
    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let Some(parent) = node.parent() else { return };
        let mut note = |around: Node, word: &str, name: &str| {
            let (start, end) = (node.start_byte() as u32, around.end_byte() as u32);
            out.notes.push(DialectNote { start, end, content: word.to_owned(), name: name.to_owned() });
        };
        let word = expressions.node_text(node);
        match parent.kind() {
            _ if node.kind() == "singleton_class" => {
                let object =
                    node.child_by_field_name("value").map_or("", |value| expressions.node_text(value));
                note(node, &[SINGLETON, object].concat(), "");
            }
            "call" if word == CLASS_METHODS => note(parent, word, ""),
            "body_statement" | "block_body" => note(parent, word, ""),
            "call" if parent.child_by_field_name("receiver").is_none() => {
                let Some(arguments) = parent.child_by_field_name("arguments") else { return };
                let mut cursor = arguments.walk();
                for argument in arguments.named_children(&mut cursor) {
                    let name = match argument.kind() {
                        "simple_symbol" | "string" => {
                            strip_name_marks(expressions.node_text(argument), name_span(argument)).0
                        }
                        _ => "",
                    };
                    note(argument, word, name);
                }
            }
            _ => {}
        }
    }

    fn finish_symbols(&self, symbols: &mut [SymbolFact], notes: &[DialectNote]) {
        if notes.is_empty() {
            return;
        }
        let owner = |note: &DialectNote| innermost_symbol(symbols, note.start);
        let mut notes: Vec<(Option<u32>, &DialectNote)> =
            notes.iter().map(|note| (owner(note), note)).collect();
        notes.sort_by_key(|(_, note)| note.start);
        let words_by_name: FxHashMap<(Option<u32>, &str), &str> =
            notes.iter().map(|(owner, note)| ((*owner, note.name.as_str()), note.content.as_str())).collect();
        let own_singletons = own_singleton_starts(symbols, &notes);
        let mut sections = notes.iter().filter(|(_, note)| note.name.is_empty()).peekable();
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        order.sort_by_key(|&index| symbols[index].name_span.start);
        // The sections around a symbol, the innermost on top. Sections are nested.
        let mut open: Vec<&(Option<u32>, &DialectNote)> = Vec::new();
        for index in order {
            let symbol = &mut symbols[index];
            let byte = symbol.name_span.start;
            while let Some(section) = sections.next_if(|(_, note)| note.start <= byte) {
                close_sections(&mut open, section.1.start);
                open.push(section);
            }
            close_sections(&mut open, byte);
            if !is_restrictable(symbol) {
                continue;
            }
            let singleton = open.iter().rfind(|(_, note)| is_singleton_section(note));
            if singleton
                .is_some_and(|(owner, note)| *owner == symbol.parent && own_singletons.contains(&note.start))
            {
                symbol.signature = singleton_signature(symbol);
            }
            let section = open.last().filter(|(owner, _)| *owner == symbol.parent);
            let by_name = words_by_name.get(&(symbol.parent, symbol.name.as_str())).copied();
            symbol.visibility = match by_name.or(section.map(|(_, note)| note.content.as_str())) {
                Some("private") => Visibility::Private,
                Some("protected") => Visibility::Protected,
                _ => Visibility::Public,
            };
        }
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        // A method `test_x` is a test only in a test class.
        symbol.container.is_empty() || symbol.container.contains("Test")
    }
}

/// Closes the sections that end at or before a byte.
fn close_sections(open: &mut Vec<&(Option<u32>, &DialectNote)>, byte: u32) {
    while open.last().is_some_and(|(_, note)| note.end <= byte) {
        open.pop();
    }
}

/// Returns the starts of the notes about singleton classes of the types around them.
fn own_singleton_starts(symbols: &[SymbolFact], notes: &[(Option<u32>, &DialectNote)]) -> FxHashSet<u32> {
    let is_own = |(owner, note): &&(Option<u32>, &DialectNote)| {
        owner.is_some_and(|owner| is_own_singleton(&symbols[owner as usize], note))
    };
    notes.iter().filter(is_own).map(|(_, note)| note.start).collect()
}

/// Whether the members inside a section are static.
fn is_singleton_section(note: &DialectNote) -> bool {
    note.content.starts_with(SINGLETON) || note.content == CLASS_METHODS
}

/// Whether a note is about a singleton class of the type around it, `class << self` or with the
/// type's own name, or about the class methods of a module.
fn is_own_singleton(ty: &SymbolFact, note: &DialectNote) -> bool {
    if note.content == CLASS_METHODS {
        return ty.kind == SymbolKind::Module;
    }
    let Some(object) = note.content.strip_prefix(SINGLETON) else { return false };
    let (path, qualified) = (object.replace("::", "."), ty.qualified_name());
    let rest_of_name = qualified.strip_suffix(path.trim_start_matches('.'));
    ty.kind.is_type()
        && (object == "self" || rest_of_name.is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Returns the signature of a member that is declared in the singleton class of its type, in the
/// form of a singleton method.
fn singleton_signature(member: &SymbolFact) -> String {
    let declared = member.signature.strip_prefix("def ").unwrap_or(&member.name);
    format!("def self.{declared}")
}

/// Whether `private` and similar words apply to a symbol. They apply to the instance methods and
/// attributes of a type.
fn is_restrictable(symbol: &SymbolFact) -> bool {
    let is_member = symbol.kind.is_callable() || symbol.kind == SymbolKind::Property;
    symbol.parent.is_some() && is_member && !is_static_member(&symbol.signature)
}

/// Returns the innermost symbol around a byte.
fn innermost_symbol(symbols: &[SymbolFact], byte: u32) -> Option<u32> {
    let mut at = symbols.partition_point(|symbol| symbol.span.start <= byte).checked_sub(1)?;
    while symbols[at].span.end <= byte {
        at = symbols[at].parent? as usize;
    }
    Some(at as u32)
}
