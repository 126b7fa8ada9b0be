//! The parser of patterns, which are written in the part of tree-sitter's query language that
//! `queries/` uses.
//!
//! It supports nodes with fields, the wildcard `(_)`, alternatives in brackets, anonymous nodes in
//! quotes, anchors (`.`), negated fields, captures, `#set!` and the predicates of [`TextTest`].
//! Everything else in the language (quantifiers, supertypes, patterns with several roots) is an
//! error, so that no pattern is silently misread.

use regex::bytes::Regex;
use tree_sitter::Language;

/// A pattern with its conditions and settings.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The nodes at which it may begin, with its requirements for each.
    pub roots: Vec<NodeShape>,
    /// Conditions on the text of its captures.
    pub conditions: Vec<CaptureCondition>,
    /// The keys and values of its `#set!` directives.
    pub settings: Vec<(String, Option<String>)>,
}

/// The requirements of a pattern for one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeShape {
    /// The node's kind; `None` for any named node that is not an error.
    pub kind: Option<u16>,
    /// The node's field in its parent.
    pub field: Option<u16>,
    /// Fields that the node must not have.
    pub without: Vec<u16>,
    /// Numbers of the captures for this node.
    pub captures: Vec<u16>,
    /// Some of the node's children, in their order.
    pub children: Vec<ChildSlot>,
    /// Whether it must be the last named child.
    pub last: bool,
}

/// A slot for a child of a node.
#[derive(Clone, Debug)]
pub(crate) struct ChildSlot {
    /// Whether no named node may come between the previous slot (or the start) and this one.
    pub immediate: bool,
    /// Alternatives, one of which must match.
    pub options: Vec<NodeShape>,
}

/// A condition on the text of a capture. It is satisfied if the capture is absent.
#[derive(Debug)]
pub(crate) struct CaptureCondition {
    pub capture: u16,
    /// Whether the test must succeed rather than fail.
    pub must_succeed: bool,
    pub test: TextTest,
}

/// The test of a condition: `#eq?` and `#any-of?`, or `#match?`.
#[derive(Debug)]
pub(crate) enum TextTest {
    OneOf(Vec<String>),
    Match(Regex),
}

/// The result of parsing a source.
pub(crate) struct ParsedPatterns {
    pub patterns: Vec<Pattern>,
    /// The names of the captures, by number.
    pub captures: Vec<String>,
}

/// Parses all patterns of a source.
///
/// # Errors
/// Returns one sentence with the line number if the source uses something outside the supported
/// part of the language, or a node or field that the grammar does not have.
pub(crate) fn parse_patterns(language: &Language, source: &str) -> Result<ParsedPatterns, String> {
    let mut reader = PatternParser { language, source, at: 0, captures: Vec::new() };
    let mut patterns = Vec::new();
    loop {
        reader.skip_blanks();
        if reader.at == source.len() {
            return Ok(ParsedPatterns { patterns, captures: reader.captures });
        }
        let pattern = reader.parse_pattern().map_err(|error| {
            let line = source[..reader.at].matches('\n').count() + 1;
            format!("line {line}: {error}")
        })?;
        patterns.push(pattern);
    }
}

/// Whether a kind of node has a name in the grammar, or is a literal text such as `"("`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeNaming {
    Named,
    Anonymous,
}

/// The parser of one source.
struct PatternParser<'a> {
    language: &'a Language,
    source: &'a str,
    at: usize,
    captures: Vec<String>,
}

impl<'a> PatternParser<'a> {
    /// Skips whitespace and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.remaining_text();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn remaining_text(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Consumes a character if it comes next. Returns whether it did.
    fn take_char(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let found = self.remaining_text().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect_char(&mut self, wanted: char) -> Result<(), String> {
        if self.take_char(wanted) { Ok(()) } else { Err(format!("expected '{wanted}'")) }
    }

    fn parse_word(&mut self) -> Result<&'a str, String> {
        let rest = self.remaining_text();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-?!".contains(c);
        let word = &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        if word.is_empty() { Err("expected a name".to_owned()) } else { Ok(word) }
    }

    fn parse_string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.remaining_text().char_indices();
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
        Err("unterminated string".to_owned())
    }

    /// Parses a top-level pattern: a node, or a group of a node with predicates.
    fn parse_pattern(&mut self) -> Result<Pattern, String> {
        let mut pattern = Pattern { roots: Vec::new(), conditions: Vec::new(), settings: Vec::new() };
        let start = self.at;
        let grouped = self.take_char('(') && {
            self.skip_blanks();
            self.remaining_text().starts_with(['(', '['])
        };
        if !grouped {
            self.at = start;
        }
        pattern.roots = self.parse_alternatives(&mut pattern)?;
        while grouped && !self.take_char(')') {
            self.parse_predicate(&mut pattern)?;
        }
        if pattern.roots.iter().any(|root| root.kind.is_none() || root.field.is_some() || root.last) {
            return Err("a pattern must begin at a node of a given kind".to_owned());
        }
        Ok(pattern)
    }

    /// Parses one node, or alternatives in brackets, and the captures after them.
    fn parse_alternatives(&mut self, pattern: &mut Pattern) -> Result<Vec<NodeShape>, String> {
        self.skip_blanks();
        let mut options = Vec::new();
        if self.take_char('[') {
            while !self.take_char(']') {
                options.extend(self.parse_alternatives(pattern)?);
            }
        } else {
            options.push(self.parse_node(pattern)?);
        }
        if self.remaining_text().starts_with(['*', '+', '?']) {
            return Err("quantifiers are not supported".to_owned());
        }
        while self.take_char('@') {
            let name = self.parse_word()?;
            let number = self.capture_number(name);
            for option in &mut options {
                option.captures.push(number);
            }
        }
        Ok(options)
    }

    /// Returns the number of a capture. A new name gets the next number.
    fn capture_number(&mut self, name: &str) -> u16 {
        let known = self.captures.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        }) as u16
    }

    fn parse_node(&mut self, pattern: &mut Pattern) -> Result<NodeShape, String> {
        if self.remaining_text().starts_with('"') {
            let name = self.parse_string()?;
            return Ok(NodeShape {
                kind: Some(self.kind_number(&name, NodeNaming::Anonymous)?),
                ..NodeShape::default()
            });
        }
        self.expect_char('(')?;
        self.skip_blanks();
        let mut shape = match self.parse_word()? {
            "_" => NodeShape::default(),
            name => {
                NodeShape { kind: Some(self.kind_number(name, NodeNaming::Named)?), ..NodeShape::default() }
            }
        };
        self.parse_node_body(&mut shape, pattern)?;
        Ok(shape)
    }

    /// Parses the rest of a node after its kind, up to the closing bracket.
    fn parse_node_body(&mut self, shape: &mut NodeShape, pattern: &mut Pattern) -> Result<(), String> {
        let mut immediate = false;
        while !self.take_char(')') {
            self.skip_blanks();
            let rest = self.remaining_text();
            if rest.starts_with("(#") {
                self.parse_predicate(pattern)?;
            } else if self.take_char('.') {
                immediate = true;
            } else if self.take_char('!') {
                let field = self.parse_word()?;
                shape.without.push(self.field_number(field)?);
            } else {
                let field = match rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
                    Some(end) if end > 0 && rest[end..].starts_with(':') => {
                        self.at += end + 1;
                        Some(self.field_number(&rest[..end])?)
                    }
                    _ => None,
                };
                let mut options = self.parse_alternatives(pattern)?;
                for option in &mut options {
                    option.field = field;
                }
                shape.children.push(ChildSlot { immediate: std::mem::take(&mut immediate), options });
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

    fn kind_number(&self, name: &str, naming: NodeNaming) -> Result<u16, String> {
        let kind = self.language.id_for_node_kind(name, naming == NodeNaming::Named);
        if kind == 0 {
            return Err(format!("the grammar has no node '{name}'"));
        }
        if self.language.node_kind_is_supertype(kind) {
            return Err(format!("'{name}' is a supertype; name its kinds"));
        }
        Ok(kind)
    }

    fn field_number(&self, name: &str) -> Result<u16, String> {
        let field = self.language.field_id_for_name(name);
        field.map(std::num::NonZeroU16::get).ok_or_else(|| format!("the grammar has no field '{name}'"))
    }

    /// Parses `(#name? @capture "text" ...)`.
    fn parse_predicate(&mut self, pattern: &mut Pattern) -> Result<(), String> {
        self.expect_char('(')?;
        self.expect_char('#')?;
        let name = self.parse_word()?;
        if name == "set!" {
            self.skip_blanks();
            let key = self.parse_word()?.to_owned();
            self.skip_blanks();
            let value =
                if self.remaining_text().starts_with('"') { Some(self.parse_string()?) } else { None };
            pattern.settings.push((key, value));
            return self.expect_char(')');
        }
        self.expect_char('@')?;
        let capture = self.parse_word()?;
        let capture = self.capture_number(capture);
        let mut texts = Vec::new();
        while !self.take_char(')') {
            texts.push(self.parse_string()?);
        }
        let (name, must_succeed) = name.strip_prefix("not-").map_or((name, true), |name| (name, false));
        let test = match (name, texts.as_slice()) {
            ("eq?", [_]) | ("any-of?", [_, ..]) => TextTest::OneOf(texts),
            ("match?", [text]) => TextTest::Match(Regex::new(text).map_err(|error| error.to_string())?),
            _ => return Err(format!("the predicate '#{name}' is not supported with these arguments")),
        };
        pattern.conditions.push(CaptureCondition { capture, must_succeed, test });
        Ok(())
    }
}
