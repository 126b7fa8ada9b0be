//! Determines the role of each line of a task text: prose, code, output of a program, environment,
//! or text from a template.
//!
//! People paste whole issues. The headings, checklists and prompts of a template are the same in
//! every issue, and versions and operating systems describe the environment. Neither tells which
//! code the issue is about. The known headings are data (`data/reports.toml`).

use crate::config::RoleWeights;
use kenning_graph::analysis::raw_words;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Minimum weight of a role whose text can name code. Text of other roles only adds its words, with
/// that weight.
const MIN_SEARCHABLE_WEIGHT: f32 = 0.25;

/// Maximum number of words in a heading; a longer line is a sentence.
const MAX_HEADING_WORDS: usize = 14;

/// Maximum length of a prompt of a template, in bytes. Longer lines are prose or data.
const MAX_PROMPT_BYTES: usize = 160;

/// Maximum number of words in a label; a longer text before a colon is a sentence.
const MAX_LABEL_WORDS: usize = 6;

/// Maximum length of a label, in bytes. Data may have no spaces before a colon.
const MAX_LABEL_BYTES: usize = 60;

/// The contents of `data/reports.toml`, which describes the fields.
#[derive(Deserialize)]
struct ReportsFile {
    prose: String,
    environment: String,
    logs: String,
    form: String,
    prompts: String,
    failure_names: String,
    failure_words: String,
    test_marks: String,
    test_signs: String,
}

/// The words of reports, from `data/reports.toml`.
pub(super) struct ReportWords {
    headings: FxHashMap<String, TextRole>,
    prompts: FxHashSet<String>,
    pub failure_names: FxHashSet<String>,
    pub failure_words: FxHashSet<String>,
    pub test_marks: FxHashSet<String>,
    pub test_signs: Vec<char>,
}

pub(super) static WORDS: LazyLock<ReportWords> = LazyLock::new(|| {
    let file: ReportsFile =
        toml::from_str(include_str!("../../data/reports.toml")).expect("reports.toml is checked by a test");
    let parse_lines =
        |text: &str| text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let parse_words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let mut headings = FxHashMap::default();
    for (text, role) in [
        (&file.prose, TextRole::Prose),
        (&file.environment, TextRole::Environment),
        (&file.logs, TextRole::Log),
        (&file.form, TextRole::Form),
    ] {
        headings.extend(parse_lines(text).into_iter().map(|heading| (heading, role)));
    }
    ReportWords {
        headings,
        prompts: parse_lines(&file.prompts).into_iter().collect(),
        failure_names: parse_words(&file.failure_names),
        failure_words: parse_words(&file.failure_words),
        test_marks: parse_words(&file.test_marks),
        test_signs: file.test_signs.split_whitespace().filter_map(|sign| sign.chars().next()).collect(),
    }
});

/// The role of a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextRole {
    /// Text that a person wrote.
    Prose,
    /// A block of code.
    Code,
    /// Output of a program.
    Log,
    /// The environment: versions, operating systems.
    Environment,
    /// Text from a template.
    Form,
}

impl TextRole {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Prose, Self::Code, Self::Log, Self::Environment, Self::Form];

    /// Returns the factor of the role's words.
    pub const fn role_weight(self, weights: &RoleWeights) -> f32 {
        match self {
            Self::Prose => 1.0,
            Self::Code => weights.code,
            Self::Log => weights.log,
            Self::Environment => weights.environment,
            Self::Form => weights.form,
        }
    }
}

/// A text, line by line, with the role of each line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnnotatedText<'a> {
    /// The first line with content; empty if there is none.
    pub subject: Cow<'a, str>,
    /// The other lines, without the marks of headings and lists of choices.
    pub lines: Vec<(TextRole, Cow<'a, str>)>,
}

impl<'a> AnnotatedText<'a> {
    /// Annotates every line of a text as prose.
    pub fn from_plain(text: &'a str) -> Self {
        let (first, body) = text.split_once('\n').unwrap_or((text, ""));
        Self {
            subject: first.into(),
            lines: body.lines().map(|line| (TextRole::Prose, line.into())).collect(),
        }
    }

    /// Parses a text. A text without any sign of a template consists of prose only.
    pub fn parse_roles(text: &'a str) -> Self {
        let mut classifier = LineClassifier::default();
        for line in text.lines() {
            classifier.classify_line(line);
        }
        let mut lines = classifier.lines.into_iter();
        // The title of an issue is not a heading of its template, and may be missing.
        let mut other_lines = Vec::new();
        let mut subject = Cow::Borrowed("");
        for (role, line) in lines.by_ref() {
            if role == TextRole::Prose && !line.trim().is_empty() {
                subject = line;
                break;
            }
            other_lines.push((role, line));
        }
        other_lines.extend(lines);
        Self { subject, lines: other_lines }
    }

    /// Returns the lines of one role, without the subject.
    pub fn lines_with_role(&self, wanted: TextRole) -> String {
        self.join_lines(|role| role == wanted)
    }

    /// Returns all text that may name code, in the original order.
    pub fn searchable_text(&self, weights: &RoleWeights) -> String {
        let body = self.join_lines(|role| role.role_weight(weights) >= MIN_SEARCHABLE_WEIGHT);
        self.prepend_subject(&body)
    }

    /// Returns all text that is not from a template.
    pub fn visible_text(&self) -> String {
        self.prepend_subject(&self.join_lines(|role| role != TextRole::Form))
    }

    /// Replaces every occurrence of `written` by `words`.
    pub fn replace_text(&mut self, written: &str, words: &str) {
        for line in std::iter::once(&mut self.subject).chain(self.lines.iter_mut().map(|(_, line)| line)) {
            if line.contains(written) {
                *line = line.replace(written, words).into();
            }
        }
    }

    /// Replaces whole words by others.
    pub fn replace_words(&mut self, replacements: &BTreeMap<String, String>) {
        if replacements.is_empty() {
            return;
        }
        for line in std::iter::once(&mut self.subject).chain(self.lines.iter_mut().map(|(_, line)| line)) {
            if let Some(replaced) = replace_words_of_line(line, replacements) {
                *line = replaced.into();
            }
        }
    }

    fn prepend_subject(&self, body: &str) -> String {
        if body.is_empty() { self.subject.clone().into_owned() } else { format!("{}\n{body}", self.subject) }
    }

    fn join_lines(&self, wanted: impl Fn(TextRole) -> bool) -> String {
        let lines = self.lines.iter().filter(|(role, _)| wanted(*role));
        lines.map(|(_, line)| line.as_ref()).collect::<Vec<_>>().join("\n")
    }
}

/// Returns a line with other words, or `None` if it has none of the words to replace.
fn replace_words_of_line(line: &str, replacements: &BTreeMap<String, String>) -> Option<String> {
    let (mut replaced, mut rest, mut changed) = (String::new(), line, false);
    for word in raw_words(line) {
        // Only separators are before a word.
        let (separators, after) = rest.split_once(word)?;
        let replacement = replacements.get(word);
        changed |= replacement.is_some();
        replaced.push_str(separators);
        replaced.push_str(replacement.map_or(word, String::as_str));
        rest = after;
    }
    changed.then(|| replaced + rest)
}

/// Classifies the lines of a text in their order. Holds the state between two lines.
#[derive(Default)]
struct LineClassifier<'a> {
    lines: Vec<(TextRole, Cow<'a, str>)>,
    /// Whether the next line begins inside `<!-- -->`.
    in_comment: bool,
    /// The fence that opened the current block of code.
    fence: Option<&'a str>,
    /// Depth of open `<details>` elements.
    details: usize,
    /// The role of the lines after the last heading.
    section: Option<TextRole>,
    /// Whether the first line with content has been read.
    has_subject: bool,
}

impl<'a> LineClassifier<'a> {
    /// Appends a line with its role. Lines that only open or close a block of code are left out.
    fn classify_line(&mut self, line: &'a str) {
        let trimmed = line.trim_start();
        if let Some(fence) = self.fence {
            if trimmed.starts_with(fence) && trimmed.trim_matches(|c| c == '`' || c == '~').trim().is_empty()
            {
                self.fence = None;
            } else {
                self.lines.push((self.code_block_role(), line.into()));
            }
            return;
        }
        if !self.in_comment
            && let Some(fence) = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence))
            // A line such as ```code``` is not a block.
            && !trimmed[fence.len()..].contains('`')
        {
            self.fence = Some(fence);
            return;
        }
        let line = self.strip_comments(line);
        let line = self.strip_tags(line);
        let (role, line) = self.determine_role(line);
        self.lines.push((role, line));
    }

    /// Returns the role of a block of code at this point.
    fn code_block_role(&self) -> TextRole {
        match self.section {
            Some(role @ (TextRole::Environment | TextRole::Form | TextRole::Log)) => role,
            _ if self.details > 0 => TextRole::Log,
            _ => TextRole::Code,
        }
    }

    /// Returns the role of plain text at this point.
    fn plain_text_role(&self) -> TextRole {
        match self.section {
            Some(role @ (TextRole::Environment | TextRole::Form | TextRole::Log)) => role,
            _ if self.details > 0 => TextRole::Log,
            _ => TextRole::Prose,
        }
    }

    fn strip_comments(&mut self, line: &'a str) -> Cow<'a, str> {
        if !self.in_comment && !line.contains("<!--") {
            return line.into();
        }
        let (mut out, mut rest) = (String::new(), line);
        loop {
            let mark = if self.in_comment { "-->" } else { "<!--" };
            let Some((head, tail)) = rest.split_once(mark) else { break };
            if !self.in_comment {
                out.push_str(head);
            }
            self.in_comment = !self.in_comment;
            rest = tail;
        }
        if !self.in_comment {
            out.push_str(rest);
        }
        out.into()
    }

    /// Tracks `<details>` elements. Lines with these tags or with `<summary>` become empty.
    fn strip_tags(&mut self, line: Cow<'a, str>) -> Cow<'a, str> {
        let trimmed = line.trim();
        if !trimmed.starts_with('<') {
            return line;
        }
        let lower = trimmed.to_ascii_lowercase();
        let starts = lower.matches("<details").count();
        let ends = lower.matches("</details>").count();
        let has_tags = starts + ends > 0 || lower.starts_with("<summary") || lower.starts_with("</summary");
        self.details = (self.details + starts).saturating_sub(ends);
        if has_tags { Cow::Borrowed("") } else { line }
    }

    /// Returns the role of a line outside blocks of code, and the line without the marks of a
    /// heading or label.
    fn determine_role(&mut self, line: Cow<'a, str>) -> (TextRole, Cow<'a, str>) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return (self.plain_text_role(), line);
        }
        if let Some(title) = heading_title(trimmed) {
            let known = WORDS.headings.get(&normalize_heading(title)).copied();
            if known.is_some() || trimmed.starts_with('#') {
                self.section = known;
                let role = if known.is_some() { TextRole::Form } else { TextRole::Prose };
                self.has_subject |= known.is_none();
                return (role, title.to_owned().into());
            }
        }
        if is_checkbox(trimmed) || is_horizontal_rule(trimmed) || is_prompt(trimmed) {
            return (TextRole::Form, line);
        }
        if !self.has_subject {
            // The first line is the subject of the task, whatever it begins with: `build: ...`,
            // `python version: ...`.
            self.has_subject = true;
            return (self.plain_text_role(), line);
        }
        if is_version_row(trimmed) || is_version_line(trimmed) {
            return (TextRole::Environment, line);
        }
        if let Some((label, rest)) = split_label(trimmed) {
            let name = normalize_heading(label);
            return match WORDS.headings.get(&name).copied() {
                _ if name.ends_with(" version") => (TextRole::Environment, line),
                Some(TextRole::Environment) => (TextRole::Environment, line),
                Some(TextRole::Prose) => (self.plain_text_role(), rest.to_owned().into()),
                Some(_) | None => (self.plain_text_role(), line),
            };
        }
        (self.plain_text_role(), line)
    }
}

/// Returns the words of a heading in the form of `data/reports.toml`: lower case, without text in
/// parentheses or brackets and without leading numbers.
fn normalize_heading(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0usize;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 && c.is_alphanumeric() => {
                word.extend(c.to_lowercase());
                continue;
            }
            _ => {}
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    let numbering = words.iter().take_while(|word| word.chars().all(char::is_numeric)).count();
    words.drain(..numbering.min(words.len().saturating_sub(1)));
    words.join(" ")
}

/// Returns the title of a line that may be a heading: `## Title`, `**Title**`, `Title:`.
fn heading_title(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches('#');
    let title = if bare.len() < line.len() {
        bare.starts_with(char::is_whitespace).then(|| bare.trim().trim_end_matches('#'))?
    } else if let Some(bold) = bold_text(line) {
        bold
    } else {
        line.strip_suffix(':')?
    };
    let is_short = title.split_whitespace().nth(MAX_HEADING_WORDS).is_none();
    is_short.then(|| title.trim().trim_matches(['*', '_', ':']))
}

/// Returns the text of a line that is entirely bold.
fn bold_text(line: &str) -> Option<&str> {
    let line = line.trim_end_matches(':');
    ["**", "__"].into_iter().find_map(|mark| {
        let inner = line.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains(mark)).then_some(inner)
    })
}

/// Whether a line is a checkbox: `- [x] I searched the issues`.
fn is_checkbox(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+']).trim_start();
    item.len() < line.len() && ["[ ]", "[x]", "[X]", "[]"].iter().any(|mark| item.starts_with(mark))
}

/// Whether a line is a horizontal rule, or the line between the head and the rows of a table.
fn is_horizontal_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| "-=_*|: ".contains(c))
}

fn is_prompt(line: &str) -> bool {
    line.len() <= MAX_PROMPT_BYTES
        && WORDS.prompts.contains(&normalize_heading(line.trim_matches(['_', '*'])))
}

/// Splits `- Label: text` or `**Label**: text` at the colon.
fn split_label(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start_matches(['-', '*', '+', '_', ' ']);
    let (label, rest) = item.split_once(':')?;
    let rest = rest.trim_start_matches(['*', '_']).trim_start();
    let is_short = label.split_whitespace().nth(MAX_LABEL_WORDS).is_none() && label.len() <= MAX_LABEL_BYTES;
    is_short.then(|| (label.trim_end_matches(['*', '_']), rest))
}

/// Whether a line is a row of a table of versions, or its head.
fn is_version_row(line: &str) -> bool {
    line.starts_with('|')
        && line.split('|').any(|cell| {
            let cell = cell.trim().trim_matches('`');
            let name = normalize_heading(cell);
            looks_like_version(cell) || name == "version" || name == "versions" || name.ends_with(" version")
        })
}

/// Whether a line names the version of something: `flask==2.0.1`, `- Node v18.1.0`,
/// `OS macOS 12.3`.
fn is_version_line(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    let mut words = item.split([' ', '\t', '=', '@']).filter(|word| !word.is_empty());
    let (Some(last), before) = (words.next_back(), words.count()) else { return false };
    (1..=3).contains(&before) && looks_like_version(last.trim_matches(['`', '*', ',']))
}

/// Whether a text looks like a version: `1.2`, `v18.1.0`, `2.0.0-rc.1`, `^4.17.21`.
fn looks_like_version(text: &str) -> bool {
    let digits = text.trim_start_matches(['v', 'V', '^', '~', '>', '=', '<']);
    let number = digits.split(['-', '+']).next().unwrap_or("");
    number.contains('.')
        && number.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let report = AnnotatedText::parse_roles(text);
        let mut shown = format!("subject: {}\n", report.subject);
        for (role, line) in report.lines.iter().filter(|(_, line)| !line.trim().is_empty()) {
            shown += &format!("{role:?}: {line}\n").to_lowercase();
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn the_words_in_the_data_are_normalized() {
        let words = &*WORDS;
        assert!(words.headings.len() > 200);
        for heading in words.headings.keys().chain(&words.prompts) {
            assert_eq!(*heading, normalize_heading(heading));
        }
        assert!(words.failure_names.iter().all(|word| *word == word.to_lowercase()));
        assert_eq!(words.test_signs.len(), 8);
    }

    #[test]
    fn an_issue_is_read_by_its_sections() {
        check(
            "Blueprint drops the url prefix\n\
             <!-- Thanks for\nreporting! -->\n\
             ### Describe the bug\n\
             A clear and concise description of what the bug is.\n\
             Nested ones lose it. <!-- really -->\n\
             - [x] I searched the existing issues\n\
             \n\
             **To Reproduce**\n\
             ```python\n# Environment\napp.register(bp)\n```\n\
             ## What changed lately\n\
             Expected behavior: the prefix is kept\n\
             _No response_\n\
             <details>\n<summary>Log</summary>\nTraceback of it\n</details>\n\
             ## Environment:\n\
             - Python version: 3.9\n\
             uname says Linux\n\
             ### Relevant log output (optional)\n\
             it failed\n",
            expect![[r#"
                subject: Blueprint drops the url prefix
                form: describe the bug
                form: a clear and concise description of what the bug is.
                prose: nested ones lose it. 
                form: - [x] i searched the existing issues
                form: to reproduce
                code: # environment
                code: app.register(bp)
                prose: what changed lately
                prose: the prefix is kept
                form: _no response_
                log: traceback of it
                form: environment
                environment: - python version: 3.9
                environment: uname says linux
                form: relevant log output (optional)
                log: it failed
            "#]],
        );
    }

    #[test]
    fn the_subject_of_an_issue_without_a_title_is_its_first_prose() {
        check(
            "### Bug report\n\nThe cache never expires\n",
            expect![[r#"
                subject: The cache never expires
                form: bug report
            "#]],
        );
    }

    #[test]
    fn tables_and_lists_of_versions_are_the_environment() {
        check(
            "Crash\n| Package | Version |\n|---|---|\n| flask | 2.0.1 |\n| route | handler |\nflask==2.0\n- Node v18.1.0\n\
             OS: macOS\nUpdate the parser to follow RFC 9110 in version 2.0\n",
            expect![[r#"
                subject: Crash
                environment: | package | version |
                form: |---|---|
                environment: | flask | 2.0.1 |
                prose: | route | handler |
                environment: flask==2.0
                environment: - node v18.1.0
                environment: os: macos
                prose: update the parser to follow rfc 9110 in version 2.0
            "#]],
        );
    }

    #[test]
    fn a_commit_message_is_prose() {
        let text =
            "fix(router): keep slashes\n\nThis keeps them:\n\n* in paths\n* in queries\n\nNote: `a/b` stays.";
        assert_eq!(AnnotatedText::parse_roles(text), AnnotatedText::from_plain(text));
        for text in ["", "\n\n", "```", "<!--", "<details>", "#", "**", ":", "|", "# \u{1f642}\n- [ ]"] {
            let _ = AnnotatedText::parse_roles(text);
        }
    }
}
