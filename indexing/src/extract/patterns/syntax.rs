//! Reading patterns: tree-sitter's query language, as far as `queries/` uses it.
//!
//! Nodes with fields, the wildcard `(_)`, alternatives in brackets, anonymous nodes in quotes, anchors (`.`), negated fields,
//! captures, `#set!` and the predicates of [`Test`]. What else the language has (quantifiers, supertypes, patterns of several
//! roots) is refused, so that no pattern is read for something else than it says.

use regex::bytes::Regex;
use tree_sitter::Language;

/// One pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The kinds of node that it may begin at, with what it asks of each.
    pub roots: Vec<Shape>,
    /// What its captures must say.
    pub conditions: Vec<Condition>,
    /// What `#set!` says: key and value.
    pub settings: Vec<(String, Option<String>)>,
}

/// What a pattern asks of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Its kind; `None` for any named node that is no error.
    pub kind: Option<u16>,
    /// Its field in the node around it.
    pub field: Option<u16>,
    /// Fields that it must not have.
    pub without: Vec<u16>,
    /// Numbers of the captures that it is.
    pub captures: Vec<u16>,
    /// Some of its children, in their order.
    pub children: Vec<Slot>,
    /// It must be the last named child.
    pub last: bool,
}

/// A place among the children of a node.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// No named node may stand between the one before (or the start) and this one.
    pub immediate: bool,
    /// One of these.
    pub options: Vec<Shape>,
}

/// A condition on the text of a capture. It holds where the capture is absent.
#[derive(Debug)]
pub(crate) struct Condition {
    pub capture: u16,
    /// Whether the test must succeed, or fail.
    pub holds: bool,
    pub test: Test,
}

/// `#eq?` and `#any-of?`, `#match?`.
#[derive(Debug)]
pub(crate) enum Test {
    OneOf(Vec<String>),
    Match(Regex),
}

/// What is read from a source.
pub(crate) struct Source {
    pub patterns: Vec<Pattern>,
    /// The names of the captures by their numbers.
    pub captures: Vec<String>,
}

/// Reads all patterns of a source.
///
/// # Errors
/// One sentence with the line: what is not in this part of the language, or not in the grammar.
pub(crate) fn read(language: &Language, source: &str) -> Result<Source, String> {
    let mut reader = Reader { language, source, at: 0, captures: Vec::new() };
    let mut patterns = Vec::new();
    loop {
        reader.skip();
        if reader.at == source.len() {
            return Ok(Source { patterns, captures: reader.captures });
        }
        let pattern = reader.pattern().map_err(|error| {
            let line = source[..reader.at].matches('\n').count() + 1;
            format!("line {line}: {error}")
        })?;
        patterns.push(pattern);
    }
}

struct Reader<'a> {
    language: &'a Language,
    source: &'a str,
    at: usize,
    captures: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Takes a character if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("expected '{wanted}'")) }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-?!".contains(c);
        let word = &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        if word.is_empty() { Err("expected a name".to_owned()) } else { Ok(word) }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        if !matches!(chars.next(), Some((_, '"'))) {
            return Err("expected a string".to_owned());
        }
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, c)| match c {
                    'n' => '\n',
                    't' => '\t',
                    c => c,
                })),
                c => text.push(c),
            }
        }
        Err("a string has no end".to_owned())
    }

    /// A pattern at the top: a node, or a group of a node with predicates.
    fn pattern(&mut self) -> Result<Pattern, String> {
        let mut pattern = Pattern { roots: Vec::new(), conditions: Vec::new(), settings: Vec::new() };
        let start = self.at;
        let grouped = self.take('(') && {
            self.skip();
            self.rest().starts_with(['(', '['])
        };
        if !grouped {
            self.at = start;
        }
        pattern.roots = self.options(&mut pattern)?;
        while grouped && !self.take(')') {
            self.predicate(&mut pattern)?;
        }
        if pattern.roots.iter().any(|root| root.kind.is_none() || root.field.is_some() || root.last) {
            return Err("a pattern begins at a node of a kind".to_owned());
        }
        Ok(pattern)
    }

    /// One node, or alternatives in brackets, with the captures behind.
    fn options(&mut self, pattern: &mut Pattern) -> Result<Vec<Shape>, String> {
        self.skip();
        let mut options = Vec::new();
        if self.take('[') {
            while !self.take(']') {
                options.extend(self.options(pattern)?);
            }
        } else {
            options.push(self.node(pattern)?);
        }
        if self.rest().starts_with(['*', '+', '?']) {
            return Err("quantifiers are not read".to_owned());
        }
        while self.take('@') {
            let name = self.word()?;
            let number = self.capture(name);
            for option in &mut options {
                option.captures.push(number);
            }
        }
        Ok(options)
    }

    fn capture(&mut self, name: &str) -> u16 {
        let known = self.captures.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        }) as u16
    }

    fn node(&mut self, pattern: &mut Pattern) -> Result<Shape, String> {
        if self.rest().starts_with('"') {
            let name = self.string()?;
            return Ok(Shape { kind: Some(self.kind(&name, false)?), ..Shape::default() });
        }
        self.expect('(')?;
        self.skip();
        let mut shape = match self.word()? {
            "_" => Shape::default(),
            name => Shape { kind: Some(self.kind(name, true)?), ..Shape::default() },
        };
        self.inside(&mut shape, pattern)?;
        Ok(shape)
    }

    /// What stands in a node's brackets after its kind.
    fn inside(&mut self, shape: &mut Shape, pattern: &mut Pattern) -> Result<(), String> {
        let mut immediate = false;
        while !self.take(')') {
            self.skip();
            let rest = self.rest();
            if rest.starts_with("(#") {
                self.predicate(pattern)?;
            } else if self.take('.') {
                immediate = true;
            } else if self.take('!') {
                let field = self.word()?;
                shape.without.push(self.field(field)?);
            } else {
                let field = match rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
                    Some(end) if end > 0 && rest[end..].starts_with(':') => {
                        self.at += end + 1;
                        Some(self.field(&rest[..end])?)
                    }
                    _ => None,
                };
                let mut options = self.options(pattern)?;
                for option in &mut options {
                    option.field = field;
                }
                shape.children.push(Slot { immediate: std::mem::take(&mut immediate), options });
            }
        }
        if immediate {
            let last = shape.children.last_mut().ok_or("an anchor needs a node")?;
            for option in &mut last.options {
                option.last = true;
            }
        }
        Ok(())
    }

    fn kind(&self, name: &str, named: bool) -> Result<u16, String> {
        let kind = self.language.id_for_node_kind(name, named);
        if kind == 0 {
            return Err(format!("the grammar has no node '{name}'"));
        }
        if self.language.node_kind_is_supertype(kind) {
            return Err(format!("'{name}' is a supertype; name its kinds"));
        }
        Ok(kind)
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let field = self.language.field_id_for_name(name);
        field.map(std::num::NonZeroU16::get).ok_or_else(|| format!("the grammar has no field '{name}'"))
    }

    /// `(#name? @capture "text" ...)`.
    fn predicate(&mut self, pattern: &mut Pattern) -> Result<(), String> {
        self.expect('(')?;
        self.expect('#')?;
        let name = self.word()?;
        if name == "set!" {
            self.skip();
            let key = self.word()?.to_owned();
            self.skip();
            let value = if self.rest().starts_with('"') { Some(self.string()?) } else { None };
            pattern.settings.push((key, value));
            return self.expect(')');
        }
        self.expect('@')?;
        let capture = self.word()?;
        let capture = self.capture(capture);
        let mut texts = Vec::new();
        while !self.take(')') {
            texts.push(self.string()?);
        }
        let (name, holds) = name.strip_prefix("not-").map_or((name, true), |name| (name, false));
        let test = match (name, texts.as_slice()) {
            ("eq?", [_]) | ("any-of?", [_, ..]) => Test::OneOf(texts),
            ("match?", [text]) => Test::Match(Regex::new(text).map_err(|error| error.to_string())?),
            _ => return Err(format!("the predicate '#{name}' is not read so")),
        };
        pattern.conditions.push(Condition { capture, holds, test });
        Ok(())
    }
}
