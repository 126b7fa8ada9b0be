//! The file of one entry: reads it, leniently, and writes a new one.
//!
//! Each problem in a file becomes an issue with its line, and the rest of the file still counts. A
//! file without front matter is an entry, too, with its first heading as the title.

use super::entry::{
    EntryDetails, EntryKind, EntryLink, KnowledgeEntry, LinkFacts, LinkTarget, RELATED_TO, SkillDetails,
    TaskDetails, TaskStatus, check_link_kind, enum_word, enum_words,
};
use super::front_matter::{
    FileIssue, FrontMatterRange, RawFrontMatter, RawLink, find_front_matter, line_in_file, parse_yaml,
    render_scalar,
};
use clap::ValueEnum;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;
use std::fmt::Write;

/// Reads the entry of a file.
pub fn parse_entry(kind: EntryKind, path: &str, text: &str) -> (KnowledgeEntry, Vec<FileIssue>) {
    let mut issues = Vec::new();
    let (raw, body) = match find_front_matter(text) {
        FrontMatterRange::None => (RawFrontMatter::default(), text),
        FrontMatterRange::Unclosed => {
            let message = "the front matter has no end; close it with a line ---".to_owned();
            issues.push(FileIssue { line: 1, message });
            (RawFrontMatter::default(), text)
        }
        FrontMatterRange::Closed { yaml, body } => {
            let raw = parse_yaml(&text[yaml]).unwrap_or_else(|issue| {
                issues.push(issue);
                RawFrontMatter::default()
            });
            (raw, &text[body..])
        }
    };
    let id = file_stem(path).to_owned();
    let title = raw.title.as_ref().map(|title| title.value.trim()).filter(|title| !title.is_empty());
    let title = title.or_else(|| first_heading(body)).unwrap_or(&id).to_owned();
    let details = read_details(kind, &raw, &mut issues);
    let mut links = Vec::new();
    for (index, link) in raw.links.into_iter().flatten().enumerate() {
        links.extend(read_link(kind, link, index, &mut issues));
    }
    let tags = clean_list(raw.tags);
    let body = body.to_owned();
    (KnowledgeEntry { kind, id, path: path.to_owned(), title, tags, details, links, body }, issues)
}

/// The end of the name of an entry's file.
const FILE_ENDING: &str = ".md";

/// Returns the name of a file without its folder and its extension.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(FILE_ENDING).unwrap_or(name)
}

/// Whether a file can be an entry by its name.
pub fn is_entry_file(path: &str) -> bool {
    path.strip_suffix(FILE_ENDING).is_some_and(|stem| !stem.is_empty() && !stem.ends_with('/'))
}

fn first_heading(body: &str) -> Option<&str> {
    let heading = body.lines().find_map(|line| line.strip_prefix("# "))?.trim();
    (!heading.is_empty()).then_some(heading)
}

/// Returns the texts of a list without blank ones.
fn clean_list(list: Option<Vec<String>>) -> Vec<String> {
    let texts = list.into_iter().flatten().map(|text| text.trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

fn read_details(kind: EntryKind, raw: &RawFrontMatter, issues: &mut Vec<FileIssue>) -> EntryDetails {
    match kind {
        EntryKind::Note => EntryDetails::Note,
        EntryKind::Task => {
            let status = match &raw.status {
                None => Some(TaskStatus::default()),
                Some(status) => read_word("status", status, issues),
            };
            let is_epic = match raw.kind.as_ref().map(|kind| (kind, kind.value.trim())) {
                None | Some((_, "task")) => false,
                Some((_, "epic")) => true,
                Some((kind, word)) => {
                    let message = format!("the kind {word:?} is unknown; use task or epic");
                    issues.push(FileIssue { line: line_in_file(kind), message });
                    false
                }
            };
            let priority = raw.priority.as_ref().and_then(|priority| read_word("priority", priority, issues));
            let due = raw.due.as_ref().and_then(|due| read_date(due, issues));
            EntryDetails::Task(TaskDetails { status, priority, due, is_epic })
        }
        EntryKind::Skill => EntryDetails::Skill(SkillDetails {
            description: raw.description.clone().unwrap_or_default().trim().to_owned(),
            triggers: clean_list(raw.triggers.clone()),
            file_patterns: clean_list(raw.file_patterns.clone()),
            source: raw
                .source
                .as_ref()
                .and_then(|source| read_word("source", source, issues))
                .unwrap_or_default(),
        }),
    }
}

fn read_word<T: ValueEnum + Copy>(
    key: &str,
    word: &Spanned<String>,
    issues: &mut Vec<FileIssue>,
) -> Option<T> {
    let text = word.value.trim();
    let value = T::from_str(text, true).ok();
    if value.is_none() {
        let message = format!("the {key} {text:?} is unknown; use one of {}", enum_words::<T>());
        issues.push(FileIssue { line: line_in_file(word), message });
    }
    value
}

fn read_date(due: &Spanned<String>, issues: &mut Vec<FileIssue>) -> Option<String> {
    match check_date(due.value.trim()) {
        Ok(date) => Some(date),
        Err(message) => {
            issues.push(FileIssue { line: line_in_file(due), message });
            None
        }
    }
}

/// Returns a day in the form `YYYY-MM-DD`.
///
/// # Errors
/// Returns a message if the text is not a day.
pub fn check_date(text: &str) -> Result<String, String> {
    let date: Result<jiff::civil::Date, _> = text.parse();
    date.map(|date| date.to_string()).map_err(|_| format!("{text:?} is not a day; write it as 2030-01-31"))
}

fn read_link(from: EntryKind, link: RawLink, index: usize, issues: &mut Vec<FileIssue>) -> Option<EntryLink> {
    let line = line_in_file(&link.to);
    let target = LinkTarget::parse(&link.to.value);
    let kind = link.kind.as_ref().map_or(RELATED_TO, |kind| kind.value.trim()).to_owned();
    if link.to.value.trim().is_empty() {
        let message = "the link leads nowhere; write a symbol, a file or an entry after `to:`".to_owned();
        issues.push(FileIssue { line, message });
        return None;
    }
    if let Err(message) = check_link_kind(from, &kind, &target) {
        issues.push(FileIssue { line: link.kind.as_ref().map_or(line, line_in_file), message });
    }
    let facts = LinkFacts { id: link.id, body: link.body, lines: link.lines };
    Some(EntryLink { target, kind, facts, line, index })
}

/// Returns the fields of a link as front matter has them.
pub fn link_fields(link: &EntryLink) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("to".to_owned(), link.target.to_string().into());
    fields.insert("kind".to_owned(), link.kind.clone().into());
    fields.extend(fact_fields(&link.facts));
    fields
}

/// Returns the fields with the facts about linked code.
pub fn fact_fields(facts: &LinkFacts) -> Vec<(String, Value)> {
    let LinkFacts { id, body, lines } = facts;
    let texts = [("id", id), ("body", body)];
    let mut fields: Vec<(String, Value)> =
        texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.clone()?.into()))).collect();
    fields.extend(lines.map(|lines| ("lines".to_owned(), lines.into())));
    fields
}

/// Renders a new file. [`parse_entry`] reads the same entry from it.
///
/// # Errors
/// Returns an error if a value cannot be written as YAML.
pub fn render_entry(entry: &KnowledgeEntry) -> Result<String, serde_saphyr::ser::Error> {
    let mut yaml = String::new();
    let mut write_scalar = |key: &str, value: Value| -> Result<(), serde_saphyr::ser::Error> {
        let _ = writeln!(yaml, "{key}: {}", render_scalar(&value)?);
        Ok(())
    };
    write_scalar("title", entry.title.clone().into())?;
    match &entry.details {
        EntryDetails::Note => {}
        EntryDetails::Task(task) => {
            if task.is_epic {
                write_scalar("kind", "epic".into())?;
            }
            if let Some(status) = task.status {
                write_scalar("status", enum_word(status).into())?;
            }
            if let Some(priority) = task.priority {
                write_scalar("priority", enum_word(priority).into())?;
            }
            if let Some(due) = &task.due {
                write_scalar("due", due.clone().into())?;
            }
        }
        EntryDetails::Skill(skill) => {
            if !skill.description.is_empty() {
                write_scalar("description", skill.description.clone().into())?;
            }
            write_scalar("source", enum_word(skill.source).into())?;
            yaml.push_str(&render_list("triggers", &skill.triggers)?);
            yaml.push_str(&render_list("file_patterns", &skill.file_patterns)?);
        }
    }
    yaml.push_str(&render_list("tags", &entry.tags)?);
    if !entry.links.is_empty() {
        yaml.push_str("links:\n");
        for link in &entry.links {
            yaml.push_str(&render_item(&link_fields(link), "  ", "\n")?);
        }
    }
    let blank = if entry.body.is_empty() { "" } else { "\n" };
    Ok(format!("---\n{yaml}---\n{blank}{}", entry.body))
}

/// Renders a list of texts with its key, each text on a line; nothing if it is empty.
fn render_list(key: &str, texts: &[String]) -> Result<String, serde_saphyr::ser::Error> {
    if texts.is_empty() {
        return Ok(String::new());
    }
    let mut lines = format!("{key}:\n");
    for text in texts {
        let _ = writeln!(lines, "  - {}", render_scalar(&text.clone().into())?);
    }
    Ok(lines)
}

/// Renders a map as an item of a list, each line with this indentation and end.
pub fn render_item(
    fields: &Map<String, Value>,
    indent: &str,
    line_end: &str,
) -> Result<String, serde_saphyr::ser::Error> {
    let mut lines = String::new();
    for (at, (key, value)) in fields.iter().enumerate() {
        let lead = if at == 0 { "- " } else { "  " };
        let _ = write!(lines, "{indent}{lead}{key}: {}{line_end}", render_scalar(value)?);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::super::entry::{SkillSource, TaskPriority};
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn issues(kind: EntryKind, text: &str) -> Vec<String> {
        let issues = parse_entry(kind, "k/x.md", text).1;
        issues.into_iter().map(|issue| format!("{}: {}", issue.line, issue.message)).collect()
    }

    #[test]
    fn a_new_file_is_plain_markdown_with_readable_front_matter() {
        let facts = LinkFacts { id: Some("0123456789ab".into()), body: Some("1e5".into()), lines: Some(3) };
        let link = |target, facts| EntryLink { target, kind: RELATED_TO.into(), facts, line: 0, index: 0 };
        let entry = KnowledgeEntry {
            kind: EntryKind::Task,
            id: "fix-login".into(),
            path: "k/tasks/fix-login.md".into(),
            title: "Fix: login".into(),
            tags: vec!["auth".into(), "no".into()],
            details: EntryDetails::Task(TaskDetails {
                status: Some(TaskStatus::InProgress),
                priority: Some(TaskPriority::High),
                due: Some("2030-01-31".into()),
                is_epic: false,
            }),
            links: vec![
                link(LinkTarget::Code("src/app.py::Flask.run".into()), facts),
                link(LinkTarget::parse("note:login"), LinkFacts::default()),
            ],
            body: "It fails.\n".into(),
        };
        expect![[r#"
            ---
            title: "Fix: login"
            status: in_progress
            priority: high
            due: "2030-01-31"
            tags:
              - auth
              - "no"
            links:
              - to: src/app.py::Flask.run
                kind: related_to
                id: 0123456789ab
                body: "1e5"
                lines: 3
              - to: note:login
                kind: related_to
            ---

            It fails.
        "#]]
        .assert_eq(&render_entry(&entry).unwrap());
    }

    #[test]
    fn a_file_without_front_matter_is_an_entry() {
        let title = |text: &str| parse_entry(EntryKind::Note, "k/notes/retry.md", text).0.title;
        assert_eq!(title("# Retry policy\n\nText"), "Retry policy");
        assert_eq!(title("Text"), "retry");
        assert_eq!(title("---\ntitle: \"\"\n---\n# \n"), "retry");
        assert_eq!(title("---\ntitle: 404\n---\n# Other\n"), "404");
        let (entry, issues) = parse_entry(EntryKind::Task, "t.md", "Do it");
        assert_eq!(entry.task_details().unwrap().status, Some(TaskStatus::Backlog));
        assert!(issues.is_empty());
    }

    #[test]
    fn problems_are_reported_with_their_lines_and_the_rest_counts() {
        let text = "---\ntitle: T\nstatus: dne\npriority: P1\ndue: tomorrow\nkind: story\ntags: [a, \" \"]\nlinks:\n  - \
                    to: note:x\n    kind: blocks\n  - to: \"\"\n---\n\nBody";
        let (entry, _) = parse_entry(EntryKind::Task, "k/x.md", text);
        assert_eq!((entry.title.as_str(), entry.tags.len(), entry.links.len()), ("T", 1, 1));
        assert_eq!(entry.task_details(), Some(&TaskDetails::default()));
        expect![[r#"
            3: the status "dne" is unknown; use one of backlog, todo, in_progress, review, done, cancelled
            6: the kind "story" is unknown; use task or epic
            4: the priority "P1" is unknown; use one of critical, high, medium, low
            5: "tomorrow" is not a day; write it as 2030-01-31
            10: blocks leads from a task to a task, not from a task to a note
            11: the link leads nowhere; write a symbol, a file or an entry after `to:`"#]]
        .assert_eq(&issues(EntryKind::Task, text).join("\n"));
        assert_eq!(
            issues(EntryKind::Note, "---\ntitle: T\n"),
            ["1: the front matter has no end; close it with a line ---"]
        );
        let (entry, issues) = parse_entry(EntryKind::Note, "k/x.md", "---\ntags: a, b\n---\n\n# Head\n");
        assert_eq!((entry.title.as_str(), issues.len(), issues[0].line), ("Head", 1, 2));
    }

    fn any_text() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            "[a-zA-Z0-9äß:#\\-'\"\\[\\]{}&*!|>%@`,.?\\\\]{1,12}",
            Just("no".to_owned()),
            Just("null".to_owned()),
            Just("1e5".to_owned()),
            Just("2030-01-31".to_owned()),
        ];
        proptest::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
    }

    fn any_link(from: EntryKind) -> impl Strategy<Value = EntryLink> {
        let facts = (
            proptest::option::of("[0-9a-f]{12}"),
            proptest::option::of("[0-9a-f]{12}"),
            any::<Option<u32>>(),
        );
        let target =
            prop_oneof!["[a-z]{1,9}(/[a-z]{1,9})?\\.py::[A-Za-z.]{1,20}", "(note|task|skill):[a-z0-9-]{1,9}"];
        (target, facts).prop_map(move |(target, (id, body, lines))| {
            let target = LinkTarget::parse(&target);
            check_link_kind(from, RELATED_TO, &target).unwrap();
            EntryLink {
                target,
                kind: RELATED_TO.into(),
                facts: LinkFacts { id, body, lines },
                line: 0,
                index: 0,
            }
        })
    }

    fn any_entry() -> impl Strategy<Value = KnowledgeEntry> {
        let texts = || proptest::collection::vec(any_text(), 0..3);
        let details = prop_oneof![
            Just(EntryDetails::Note),
            (0..6_usize, 0..5_usize, any::<bool>()).prop_map(|(status, priority, is_epic)| {
                let status = Some(TaskStatus::value_variants()[status]);
                let priority = TaskPriority::value_variants().get(priority).copied();
                let due = is_epic.then(|| "2030-01-31".to_owned());
                EntryDetails::Task(TaskDetails { status, priority, due, is_epic })
            }),
            (any_text(), texts(), texts(), any::<bool>()).prop_map(
                |(description, triggers, file_patterns, user)| {
                    let source = if user { SkillSource::User } else { SkillSource::Learned };
                    EntryDetails::Skill(SkillDetails { description, triggers, file_patterns, source })
                }
            ),
        ];
        (details, any_text(), texts(), "(\n|[a-z#-]{0,9}|---|\r\n| ){0,9}").prop_flat_map(
            |(details, title, tags, body)| {
                let kind = match details {
                    EntryDetails::Note => EntryKind::Note,
                    EntryDetails::Task(_) => EntryKind::Task,
                    EntryDetails::Skill(_) => EntryKind::Skill,
                };
                proptest::collection::vec(any_link(kind), 0..3).prop_map(move |links| KnowledgeEntry {
                    kind,
                    id: "x".into(),
                    path: "k/x.md".into(),
                    title: title.clone(),
                    tags: tags.clone(),
                    details: details.clone(),
                    links,
                    body: body.clone(),
                })
            },
        )
    }

    proptest! {
        #[test]
        fn a_written_entry_reads_as_it_was(entry in any_entry()) {
            let text = render_entry(&entry).unwrap();
            let (mut read, issues) = parse_entry(entry.kind, &entry.path, &text);
            prop_assert_eq!(issues, vec![]);
            for (at, link) in read.links.iter_mut().enumerate() {
                prop_assert!(link.line > 1 && link.index == at);
                (link.line, link.index) = (0, 0);
            }
            prop_assert_eq!(read, entry);
        }

        #[test]
        fn no_text_panics(text in "(---\n)?(\\PC|\n|: |- ){0,60}(---\n)?") {
            for kind in EntryKind::ALL {
                parse_entry(kind, "k/x.md", &text);
            }
        }
    }
}
