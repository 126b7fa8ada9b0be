//! The templates of commands and of tests' ids.
//!
//! A template is parsed once, into parts. A value is then inserted as a part of a word, which is
//! quoted as a whole, so that a name which looks like a placeholder, a quote or an operator stays a
//! name.

use crate::shell_words::ShellKind;
use serde::Deserialize;

/// The template of a command: text for a shell, in single quotes where it is not plain, with
/// placeholders in braces.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct CommandTemplate(Vec<TemplateToken>);

/// The template of the id of a test or a file.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct IdTemplate(Vec<TemplatePart<IdField>>);

/// A part of a template of a command.
#[derive(Debug, PartialEq, Eq)]
enum TemplateToken {
    /// The space between two words.
    Space,
    /// A character that the shell interprets.
    Operator(char),
    /// A piece of a word.
    Piece {
        /// Whether the template has the piece in quotes.
        is_quoted: bool,
        parts: Vec<TemplatePart<CommandField>>,
    },
}

/// A part of a template: its own text, or a placeholder.
#[derive(Debug, PartialEq, Eq)]
enum TemplatePart<F> {
    Text(String),
    Field(F),
}

/// A placeholder in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandField {
    Ids,
    Paths,
    Scope,
    Project,
    ProjectWithColons,
    Script,
}

/// A placeholder in an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdField {
    Path,
    Folder,
    Line,
    Name,
    Class,
    ClassWithColons,
    PackageWithDot,
}

/// The values of the placeholders in a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandValues<'a> {
    /// The ids of the tests.
    pub ids: &'a [String],
    /// The text of the runner before each id. Outside of quotes, it is words of their own.
    pub before_id: &'a str,
    /// The text between ids, inside quotes.
    pub between_ids: &'a str,
    /// The files of the tests.
    pub paths: &'a [String],
    /// The folder or file whose tests run.
    pub scope: &'a str,
    /// The folder of the project.
    pub project: &'a str,
    /// The script of the project that runs the tests.
    pub script: &'a str,
}

/// The values of the placeholders in an id.
#[derive(Clone, Copy, Debug)]
pub struct IdValues<'a> {
    /// The path of the test's file.
    pub path: &'a str,
    /// The folder of the file.
    pub folder: &'a str,
    /// The line of the test, from 1.
    pub line: u32,
    /// The name of the test.
    pub name: &'a str,
    /// The types around the test, with dots.
    pub class: &'a str,
    /// The declared package.
    pub package: &'a str,
}

impl TryFrom<String> for CommandTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut tokens = Vec::new();
        for (at, text) in text.split('\'').enumerate() {
            let is_quoted = at % 2 == 1;
            let mut rest = text;
            while !rest.is_empty() {
                let is_special = |c: char| !is_quoted && (c == ' ' || is_operator(c));
                let end = rest.find(is_special).unwrap_or(rest.len());
                if end > 0 {
                    tokens.push(TemplateToken::Piece { is_quoted, parts: parse_parts(&rest[..end])? });
                }
                rest = &rest[end..];
                if let Some(c) = rest.chars().next() {
                    tokens.push(if c == ' ' { TemplateToken::Space } else { TemplateToken::Operator(c) });
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        let names_tests = |token: &TemplateToken| match token {
            TemplateToken::Piece { parts, .. } => {
                let fields = [CommandField::Ids, CommandField::Paths, CommandField::Script];
                fields.iter().any(|field| parts.contains(&TemplatePart::Field(*field)))
            }
            TemplateToken::Space | TemplateToken::Operator(_) => false,
        };
        if !text.contains('"')
            && tokens.iter().any(names_tests)
            && text.matches('\'').count().is_multiple_of(2)
        {
            Ok(Self(tokens))
        } else {
            Err(format!("{text} names no tests, or has double quotes or an open quote"))
        }
    }
}

fn is_operator(c: char) -> bool {
    matches!(c, '(' | ')' | '&')
}

impl TryFrom<String> for IdTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse_parts(&text).map(Self)
    }
}

/// A set of placeholders.
trait TemplateField: Sized {
    /// Returns the placeholder with this name.
    fn from_name(name: &str) -> Option<Self>;
}

impl TemplateField for CommandField {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "ids" => Self::Ids,
            "paths" => Self::Paths,
            "path" | "folder" => Self::Scope,
            "project" => Self::Project,
            "project:" => Self::ProjectWithColons,
            "script" => Self::Script,
            _ => return None,
        })
    }
}

impl TemplateField for IdField {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "path" => Self::Path,
            "folder" => Self::Folder,
            "line" => Self::Line,
            "name" => Self::Name,
            "class" => Self::Class,
            "class::" => Self::ClassWithColons,
            "package." => Self::PackageWithDot,
            _ => return None,
        })
    }
}

fn parse_parts<F: TemplateField>(text: &str) -> Result<Vec<TemplatePart<F>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            parts.push(TemplatePart::Text(before.to_owned()));
        }
        let (name, after) = after.split_once('}').ok_or_else(|| format!("{text} has an open brace"))?;
        let field = F::from_name(name).ok_or_else(|| format!("{text} has the unknown {{{name}}}"))?;
        parts.push(TemplatePart::Field(field));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(TemplatePart::Text(rest.to_owned()));
    }
    Ok(parts)
}

impl IdTemplate {
    /// Returns the id of a test.
    pub fn render(&self, values: IdValues<'_>) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Field(IdField::Path) => out.push_str(values.path),
                TemplatePart::Field(IdField::Folder) => out.push_str(values.folder),
                TemplatePart::Field(IdField::Line) => out.push_str(&values.line.to_string()),
                TemplatePart::Field(IdField::Name) => out.push_str(values.name),
                TemplatePart::Field(IdField::Class) => out.push_str(values.class),
                TemplatePart::Field(IdField::ClassWithColons) => {
                    let classes = values.class.split('.').filter(|part| !part.is_empty());
                    out.extend(classes.flat_map(|part| [part, "::"]));
                }
                TemplatePart::Field(IdField::PackageWithDot) if values.package.is_empty() => {}
                TemplatePart::Field(IdField::PackageWithDot) => out.extend([values.package, "."]),
            }
        }
        out
    }
}

impl CommandTemplate {
    /// Returns the command for a shell, which must be able to quote all values.
    pub fn render(&self, shell: ShellKind, values: CommandValues<'_>) -> String {
        let mut out = String::new();
        let mut word = ShellWord::default();
        for token in &self.0 {
            match token {
                TemplateToken::Piece { is_quoted, parts } => match list_in_word(*is_quoted, parts) {
                    Some(CommandField::Ids) => word.push_list(values.ids, values.before_id),
                    Some(_) => word.push_list(values.paths, ""),
                    None => word.push_piece(*is_quoted, parts, values),
                },
                TemplateToken::Space => {
                    out.push_str(&std::mem::take(&mut word).render(shell));
                    out.push(' ');
                }
                TemplateToken::Operator(operator) => {
                    out.push_str(&std::mem::take(&mut word).render(shell));
                    out.push(*operator);
                }
            }
        }
        out.push_str(&word.render(shell));
        out
    }
}

/// Returns the placeholder of a piece that becomes several words.
fn list_in_word(is_quoted: bool, parts: &[TemplatePart<CommandField>]) -> Option<CommandField> {
    match parts {
        [TemplatePart::Field(field @ (CommandField::Ids | CommandField::Paths))] if !is_quoted => {
            Some(*field)
        }
        _ => None,
    }
}

/// A word of a command while it is rendered, or a list of words in its place.
#[derive(Default)]
struct ShellWord<'a> {
    pieces: Vec<WordPiece>,
    /// Whether the word begins with a value that the template has outside of quotes, which is a path.
    begins_with_value: bool,
    list: Option<(&'a [String], &'a str)>,
}

/// A piece of a word.
struct WordPiece {
    text: String,
    /// Whether the template has the piece in quotes.
    is_quoted: bool,
    /// Whether the piece is text of the template only.
    is_fixed: bool,
}

impl<'a> ShellWord<'a> {
    fn push_list(&mut self, words: &'a [String], before: &'a str) {
        self.list = Some((words, before));
    }

    fn push_piece(
        &mut self,
        is_quoted: bool,
        parts: &[TemplatePart<CommandField>],
        values: CommandValues<'_>,
    ) {
        let first = self.pieces.is_empty();
        for (at, part) in parts.iter().enumerate() {
            let (text, is_fixed) = match part {
                TemplatePart::Text(text) => (text.clone(), true),
                TemplatePart::Field(field) => (values.render_field(*field), false),
            };
            self.begins_with_value |= first && at == 0 && !is_fixed && !is_quoted;
            match self.pieces.last_mut().filter(|_| is_quoted && at > 0) {
                Some(piece) => {
                    piece.text.push_str(&text);
                    piece.is_fixed &= is_fixed;
                }
                None => self.pieces.push(WordPiece { text, is_quoted, is_fixed }),
            }
        }
    }

    fn render(mut self, shell: ShellKind) -> String {
        if let Some((words, before)) = self.list {
            let words = words.iter().map(|word| {
                let prefix = path_prefix(word);
                format!("{before}{}", shell.quote_word(&format!("{prefix}{word}")))
            });
            return words.collect::<Vec<_>>().join(" ");
        }
        if self.begins_with_value
            && let Some(first) = self.pieces.first_mut()
        {
            first.text.insert_str(0, path_prefix(&first.text));
        }
        match shell {
            // Only the pieces that need quotes get them, as a person would write the word.
            ShellKind::Posix => self.pieces.iter().map(|piece| piece.render(shell)).collect(),
            // PowerShell ends a word after a closing quote.
            ShellKind::Windows => {
                let text: String = self.pieces.iter().map(|piece| piece.text.as_str()).collect();
                let is_fixed = self.pieces.iter().all(|piece| piece.is_fixed && !piece.is_quoted);
                if is_fixed { text } else { shell.quote_word(&text) }
            }
        }
    }
}

impl WordPiece {
    fn render(&self, shell: ShellKind) -> String {
        match self {
            Self { is_quoted: true, text, .. } => shell.quote_text(text),
            Self { is_fixed: true, text, .. } => text.clone(),
            // An empty value next to the template's text leaves only that text.
            Self { text, .. } if text.is_empty() => String::new(),
            Self { text, .. } => shell.quote_word(text),
        }
    }
}

/// Returns what keeps a word that begins with a path from being read as an option or as the name of
/// a file with options: nothing, or `./`.
fn path_prefix(word: &str) -> &'static str {
    if word.starts_with(['-', '@']) { "./" } else { "" }
}

impl CommandValues<'_> {
    fn render_field(&self, field: CommandField) -> String {
        match field {
            CommandField::Ids => {
                let ids = self.ids.iter().map(|id| format!("{}{id}", self.before_id));
                ids.collect::<Vec<_>>().join(self.between_ids)
            }
            CommandField::Paths => self.paths.join(" "),
            CommandField::Scope => self.scope.to_owned(),
            CommandField::Project => self.project.to_owned(),
            CommandField::Script => self.script.to_owned(),
            CommandField::ProjectWithColons => format!("{}:", self.project.replace('/', ":")),
        }
    }
}
