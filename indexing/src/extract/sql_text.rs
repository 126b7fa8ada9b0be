//! SQL statements in string literals: the tables and columns that they name.
//!
//! A literal counts as SQL if it begins with a statement whose shape SQL prescribes:
//! `select LIST from TABLE`, `insert into TABLE`, `update TABLE set`, `delete from TABLE`. This
//! rule excludes sentences such as "select a file from the list". Columns are reported only if the
//! statement shows their table: it names one table, or the column is qualified.

use super::raw_facts::RawReference;
use super::tree_scan::{LeafKind, TreeScan};
use kenning_graph::facts::{NameSpan, ReferenceRole};
use kenning_graph::positions::LineIndex;
use kenning_graph::vocabulary::TABLE_PACKAGE;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum length in bytes of a literal that is read as SQL. Longer literals are dumps of data.
const MAX_STATEMENT_BYTES: usize = 16 * 1024;
/// Maximum number of names that one literal adds. Generated statements list hundreds of columns.
const MAX_NAMES: usize = 64;

/// Words that begin a statement.
const VERBS: [&str; 4] = ["select", "insert", "update", "delete"];

/// Words of SQL that occur in place of a name but are neither tables nor columns.
const KEYWORDS: &str = " all and any as asc between by case cast collate conflict constraint cross current_date \
    current_time current_timestamp default delete desc distinct do duplicate else end escape except exists false fetch \
    filter first following for foreign from full group having if ignore in inner insert intersect interval into is \
    join key last lateral left like ilike limit materialized natural next not nothing null nulls of offset on only or \
    order outer over partition preceding primary range recursive replace returning right row rows select set some \
    then to true union unique unknown update using values view when where window with without ";

/// Words of sentences. No table has such a name.
const SENTENCE_WORDS: &str =
    " a an any each every here it its my one our that the their them there these this those your ";

/// Returns references to the tables and columns that the string literals of a file name.
pub(super) fn collect_references(text: &str, scan: &TreeScan, lines: &LineIndex) -> Vec<RawReference> {
    let mut references = Vec::new();
    for leaf in scan.words.iter().filter(|leaf| leaf.kind == LeafKind::String) {
        let Some(literal) = text.get(leaf.start as usize..leaf.end as usize) else { continue };
        let trimmed = literal.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let start = leaf.start as usize + literal.len() - trimmed.len();
        if !VERBS
            .iter()
            .any(|verb| trimmed.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)))
        {
            continue;
        }
        references.extend(read_statement(trimmed).into_iter().map(|name| {
            let start = (start + name.offset) as u32;
            let (line, column) = lines.line_and_column(start);
            RawReference {
                name: name.render_path(),
                receiver: TABLE_PACKAGE.to_owned(),
                at: NameSpan { start, len: name.len as u32, line, column },
                ..RawReference::with_role(ReferenceRole::Resource)
            }
        }));
    }
    references
}

/// A table, or one of its columns, that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SqlName {
    /// The table, in lowercase, without its schema.
    table: String,
    /// The column, in lowercase; empty for the table itself.
    column: String,
    /// The first byte of the name in the statement.
    offset: usize,
    /// The length of the name in bytes.
    len: usize,
}

impl SqlName {
    /// Returns `table` or `table.column`.
    fn render_path(&self) -> String {
        if self.column.is_empty() { self.table.clone() } else { format!("{}.{}", self.table, self.column) }
    }
}

/// Returns the tables and columns that a literal names if it is a SQL statement, each once, in the
/// order of the text.
fn read_statement(literal: &str) -> Vec<SqlName> {
    if literal.len() > MAX_STATEMENT_BYTES {
        return Vec::new();
    }
    let tokens = split_tokens(literal);
    let Some(statement) = SqlStatement::new(&tokens) else { return Vec::new() };
    let mut names = statement.named_columns();
    names.extend(statement.tables.iter().map(|&(ref table, at)| tokens[at].to_name(table, "")));
    names.sort_by(|a, b| (a.offset, &a.column).cmp(&(b.offset, &b.column)));
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert((name.table.clone(), name.column.clone())));
    names.truncate(MAX_NAMES);
    names
}

/// A piece of a statement and its position.
struct LocatedToken {
    token: SqlToken,
    start: usize,
    end: usize,
}

/// A piece of a statement.
#[derive(Debug, PartialEq, Eq)]
enum SqlToken {
    /// A word in lowercase, or a quoted name.
    Word(String),
    /// Any other character.
    Mark(char),
    /// A value: a number, a quoted text, a parameter.
    Value,
}

impl LocatedToken {
    fn word(&self) -> Option<&str> {
        match &self.token {
            SqlToken::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn to_name(&self, table: &str, column: &str) -> SqlName {
        let (table, column) = (table.to_owned(), column.to_owned());
        SqlName { table, column, offset: self.start, len: self.end - self.start }
    }
}

fn split_tokens(text: &str) -> Vec<LocatedToken> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(c) = text[start..].chars().next() {
        let (token, len) = read_token(&text[start..], c);
        let end = start + len;
        tokens.extend(token.map(|token| LocatedToken { token, start, end }));
        start = end;
    }
    tokens
}

/// Reads the token at the beginning of a text, whose first character is `first`. Returns the token,
/// or `None` for whitespace and comments, and its length in bytes.
fn read_token(text: &str, first: char) -> (Option<SqlToken>, usize) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name_len = |text: &str| text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    let quoted_len = |close: char| text[first.len_utf8()..].find(close).map_or(text.len(), |at| at + 2);
    match first {
        _ if first.is_whitespace() => (None, first.len_utf8()),
        '-' if text.starts_with("--") => (None, text.find('\n').unwrap_or(text.len())),
        '\'' => (Some(SqlToken::Value), quoted_len('\'')),
        '"' | '`' | '[' => {
            let len = quoted_len(if first == '[' { ']' } else { first });
            let name = text[1..len].trim_end_matches(['"', '`', ']']).to_lowercase();
            (Some(SqlToken::Word(name)), len)
        }
        // Parameters are `$1`, `:name`, `%s`, `?` and `{}`.
        '{' => (Some(SqlToken::Value), quoted_len('}')),
        '$' | ':' | '@' | '%' | '?' => (Some(SqlToken::Value), 1 + name_len(&text[1..])),
        _ if first.is_numeric() => (Some(SqlToken::Value), name_len(text)),
        _ if is_name(first) => (Some(SqlToken::Word(text[..name_len(text)].to_lowercase())), name_len(text)),
        mark => (Some(SqlToken::Mark(mark)), mark.len_utf8()),
    }
}

/// A statement whose shape was checked.
struct SqlStatement<'t> {
    tokens: &'t [LocatedToken],
    /// The tables with the positions of their tokens, in the order of the text.
    tables: Vec<(String, usize)>,
    /// The tables by the names that qualify their columns.
    aliases: FxHashMap<&'t str, String>,
    /// The positions of tokens that belong to names of tables and aliases.
    used: Vec<bool>,
}

impl<'t> SqlStatement<'t> {
    /// Checks the shape of a statement and reads its tables. Returns `None` if it is not SQL.
    fn new(tokens: &'t [LocatedToken]) -> Option<Self> {
        let verb = tokens.first()?.word().filter(|word| VERBS.contains(word))?;
        let follows = |word: &str| tokens.get(1).is_some_and(|token| token.is_word(word));
        let is_statement = match verb {
            "select" => has_select_list(tokens),
            "insert" => follows("into"),
            "update" => tokens.iter().take(6).any(|token| token.is_word("set")),
            _ => follows("from"),
        };
        if !is_statement {
            return None;
        }
        let mut statement = Self {
            tokens,
            tables: Vec::new(),
            aliases: FxHashMap::default(),
            used: vec![false; tokens.len()],
        };
        for (at, token) in tokens.iter().enumerate() {
            let introduces = ["from", "join", "into"].iter().any(|word| token.is_word(word))
                || (at == 0 && verb == "update");
            if introduces {
                statement.read_tables(at + 1);
            }
        }
        let is_sentence = statement.tables.iter().any(|(table, _)| is_listed(SENTENCE_WORDS, table));
        (!statement.tables.is_empty() && !is_sentence).then_some(statement)
    }

    /// Reads a table and its alias, and more of them after commas.
    fn read_tables(&mut self, mut at: usize) {
        while let Some(name) = self.tokens.get(at).and_then(LocatedToken::word) {
            if is_listed(KEYWORDS, name) {
                return;
            }
            let mut end = at;
            while self.has_mark(end + 1, '.')
                && self.tokens.get(end + 2).is_some_and(|token| token.word().is_some())
            {
                end += 2;
            }
            let Some(table) = self.tokens[end].word() else { return };
            self.used[at..=end].fill(true);
            let table = table.to_owned();
            if let Some(name) = self.tokens[end].word() {
                self.aliases.insert(name, table.clone());
            }
            let mut next = end + 1;
            if self.tokens.get(next).is_some_and(|token| token.is_word("as")) {
                next += 1;
            }
            if let Some(alias) = self.tokens.get(next).and_then(LocatedToken::word)
                && !is_listed(KEYWORDS, alias)
            {
                self.aliases.insert(alias, table.clone());
                self.used[next] = true;
                next += 1;
            }
            if !self.tables.iter().any(|(known, _)| *known == table) {
                self.tables.push((table, end));
            }
            if !self.has_mark(next, ',') {
                return;
            }
            at = next + 1;
        }
    }

    fn has_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at).is_some_and(|found| found.token == SqlToken::Mark(mark))
    }

    /// Returns the columns whose table the statement shows.
    fn named_columns(&self) -> Vec<SqlName> {
        let mut names = Vec::new();
        for at in 1..self.tokens.len() {
            let Some(word) =
                self.tokens[at].word().filter(|word| !self.used[at] && !is_listed(KEYWORDS, word))
            else {
                continue;
            };
            let is_call = self.has_mark(at + 1, '(') && !self.used[at - 1];
            let is_alias = self.tokens[at - 1].is_word("as");
            if is_call || is_alias || self.has_mark(at + 1, '.') {
                continue;
            }
            let table = if self.has_mark(at - 1, '.') {
                let qualifier = at.checked_sub(2).and_then(|at| self.tokens[at].word());
                qualifier.and_then(|qualifier| self.aliases.get(qualifier))
            } else {
                self.tables.first().filter(|_| self.tables.len() == 1).map(|(table, _)| table)
            };
            names.extend(table.map(|table| self.tokens[at].to_name(table, word)));
        }
        names
    }
}

/// Whether a `select` has the shape `select LIST from`, where no two names in the list stand side
/// by side as in a sentence.
fn has_select_list(tokens: &[LocatedToken]) -> bool {
    let Some(from) = tokens.iter().position(|token| token.is_word("from")) else { return false };
    let list = &tokens[1..from];
    let is_name = |token: &LocatedToken| token.word().is_some_and(|word| !is_listed(KEYWORDS, word));
    !list.is_empty() && !list.windows(2).any(|pair| is_name(&pair[0]) && is_name(&pair[1]))
}

fn is_listed(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(statements: &str, expected: Expect) {
        let lines = statements.lines().map(|statement| {
            let names = read_statement(statement);
            let names: Vec<String> = names.iter().map(SqlName::render_path).collect();
            format!("{}\n", names.join(" "))
        });
        expected.assert_eq(&lines.collect::<Vec<_>>().concat());
    }

    #[test]
    fn statements_name_tables_and_columns() {
        check(
            include_str!("tests/statements.sql"),
            expect![[r#"
            users.id users.email users users.created_at
            users.email orders.total users orders orders.user_id users.id
            users orders
            users users.email users.name
            users users.email users.id
            orders orders.total

        "#]],
        );
    }

    #[test]
    fn sentences_are_not_statements() {
        let sentences = [
            "Select a file from the list",
            "select one from your menu",
            "Update the index",
            "delete from",
            "Insert coin",
            "Please select * from users",
        ];
        for sentence in sentences {
            assert_eq!(read_statement(sentence), [], "{sentence}");
        }
    }
}
