//! The forms of answers about notes, tasks and skills: JSON and Markdown.

use super::wording::render_quantity;
use crate::format::json::SCHEMA;
use crate::knowledge::{
    EntryKind, EntryLink, KnowledgeEntry, KnowledgeFinding, LinkState, RecalledEntry, ResolvedKnowledge,
    SkillSource, TaskPriority, TaskStatus,
};
use kenning_retrieval::pack::{code_span, escape_control_chars};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Notes, tasks and skills, and the problems in their files.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeAnswer")]
pub struct KnowledgeJson {
    /// Version of this format.
    pub schema: u32,
    /// The entries.
    pub entries: Vec<EntryJson>,
    /// The problems in the files of entries, including links to code that moved or is gone.
    pub findings: Vec<FindingJson>,
    /// The changes that were made; absent if the request changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// The answer as Markdown, if the request asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A note, a task or a skill.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeEntry")]
pub struct EntryJson {
    /// The kind of entry.
    pub kind: EntryKind,
    /// The name of the file without its extension.
    pub id: String,
    /// The title.
    pub title: String,
    /// The path of the file in the workspace.
    pub path: String,
    /// URI of the file; only the language server's answers have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Words to find the entry by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The status of a task; absent if its file has an unknown word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// The priority of a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<TaskPriority>,
    /// The due date of a task, as `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// True for a task that other tasks can belong to.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub epic: bool,
    /// The purpose of a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Phrases that recall a skill whenever a text contains one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// Patterns of the files that a skill is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_patterns: Vec<String>,
    /// The source of a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SkillSource>,
    /// The links of the entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<EntryLinkJson>,
    /// The links of other entries to this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked_from: Vec<LinkedFromJson>,
    /// The fit of the entry to the text of a recall, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The trigger that the text of a recall contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The Markdown below the front matter; for a skill, its steps. Lists do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A link of an entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeLink")]
pub struct EntryLinkJson {
    /// The target: an entry as `task:fix-login`, a symbol as `path::Outer.name`, or a file.
    pub to: String,
    /// The meaning of the link, such as `related_to` or `blocks`.
    pub kind: String,
    /// Whether the link still leads to its target.
    pub state: LinkStateName,
    /// The name that a moved target has now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// Whether a link still leads to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkStateName {
    /// The target exists under this name.
    Found,
    /// The target has another name or path now.
    Moved,
    /// The target is gone, or several could be it.
    Broken,
}

/// A link of another entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeBacklink")]
pub struct LinkedFromJson {
    /// The other entry, as `task:fix-login`.
    pub from: String,
    /// The meaning of the link.
    pub kind: String,
}

/// A problem in the file of an entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeFinding")]
pub struct FindingJson {
    /// The path in the workspace.
    pub path: String,
    /// The 1-based line; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The problem, and what to do.
    pub message: String,
}

impl From<&KnowledgeFinding> for FindingJson {
    fn from(finding: &KnowledgeFinding) -> Self {
        Self { path: finding.path.clone(), line: finding.line, message: finding.message.clone() }
    }
}

/// Whether the form of an entry has its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncludeBody {
    /// The answer has the body.
    Yes,
    /// The answer leaves the body out.
    No,
}

impl EntryJson {
    /// Builds the form of the entry at a position of the list.
    pub fn from_resolved(knowledge: &ResolvedKnowledge, at: usize, body: IncludeBody) -> Self {
        let entry = &knowledge.base.entries[at];
        let links = entry.links.iter().zip(&knowledge.states[at]).map(|(link, state)| link_json(link, state));
        let backlinks = knowledge
            .incoming_links(entry)
            .into_iter()
            .map(|(from, kind)| LinkedFromJson { from: from.reference().to_string(), kind: kind.to_owned() });
        Self { links: links.collect(), linked_from: backlinks.collect(), ..Self::from_entry(entry, body) }
    }

    /// Builds the form of an entry that a recall found, without its links.
    pub fn from_recalled(found: &RecalledEntry<'_>, body: IncludeBody) -> Self {
        Self {
            score: Some((found.score * 1000.0).round() / 1000.0),
            trigger: found.trigger.map(str::to_owned),
            ..Self::from_entry(found.entry, body)
        }
    }

    /// Builds the form of an entry without its links.
    pub fn from_entry(entry: &KnowledgeEntry, body: IncludeBody) -> Self {
        let (task, skill) = (entry.task_details(), entry.skill_details());
        Self {
            kind: entry.kind,
            id: entry.id.clone(),
            title: entry.title.clone(),
            path: entry.path.clone(),
            uri: None,
            tags: entry.tags.clone(),
            status: task.and_then(|task| task.status),
            priority: task.and_then(|task| task.priority),
            due: task.and_then(|task| task.due.clone()),
            epic: task.is_some_and(|task| task.is_epic),
            description: skill.map(|skill| skill.description.clone()).filter(|text| !text.is_empty()),
            triggers: skill.map(|skill| skill.triggers.clone()).unwrap_or_default(),
            file_patterns: skill.map(|skill| skill.file_patterns.clone()).unwrap_or_default(),
            source: skill.map(|skill| skill.source),
            links: Vec::new(),
            linked_from: Vec::new(),
            score: None,
            trigger: None,
            body: (body == IncludeBody::Yes).then(|| entry.body.clone()),
        }
    }

    /// Returns the attributes that a list shows after the title.
    fn render_attributes(&self) -> String {
        let word = |value: Option<String>| value.unwrap_or_default();
        let status = match self.kind {
            EntryKind::Task => {
                self.status.map_or_else(|| "unknown status".to_owned(), |status| word_text(&status))
            }
            EntryKind::Note | EntryKind::Skill => String::new(),
        };
        let parts = [
            if self.epic { "epic".to_owned() } else { String::new() },
            status,
            word(self.priority.map(|priority| word_text(&priority))),
            word(self.due.as_ref().map(|due| format!("due {due}"))),
            self.tags.iter().map(|tag| format!("#{}", plain_line(tag))).collect::<Vec<_>>().join(" "),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    fn render_item(&self, out: &mut String) {
        let reference = code_span(&format!("{}:{}", self.kind, self.id));
        let score = match (&self.trigger, self.score) {
            (Some(trigger), _) => format!(", trigger {}", code_span(trigger)),
            (None, Some(score)) => format!(", score {score:.2}"),
            (None, None) => String::new(),
        };
        let _ = writeln!(out, "- {reference} {}{}{score}", plain_line(&self.title), self.render_attributes());
        if let Some(description) = &self.description {
            let _ = writeln!(out, "  {}", plain_line(description));
        }
        for link in &self.links {
            let _ = writeln!(out, "  - {}", link.render_text());
        }
    }

    /// Renders the whole entry.
    fn render_whole(&self, out: &mut String) {
        let _ = writeln!(out, "# {}\n", plain_line(&self.title));
        let _ = writeln!(
            out,
            "{}:{} in {}{}",
            self.kind,
            self.id,
            code_span(&self.path),
            self.render_attributes()
        );
        if let Some(description) = &self.description {
            let _ = writeln!(out, "\n{}", plain_line(description));
        }
        let list = |out: &mut String, name: &str, texts: &[String]| {
            if !texts.is_empty() {
                let texts: Vec<String> = texts.iter().map(|text| code_span(text)).collect();
                let _ = writeln!(out, "{name}: {}", texts.join(", "));
            }
        };
        list(out, "\nTriggers", &self.triggers);
        list(out, "\nFiles", &self.file_patterns);
        if !self.links.is_empty() || !self.linked_from.is_empty() {
            out.push('\n');
        }
        for link in &self.links {
            let _ = writeln!(out, "- {}", link.render_text());
        }
        for LinkedFromJson { from, kind } in &self.linked_from {
            let _ = writeln!(out, "- linked from {} ({})", code_span(from), plain_line(kind));
        }
        let body = self.body.as_deref().unwrap_or_default().trim_end();
        if !body.is_empty() {
            let _ = writeln!(out, "\n{}", escape_control_chars(body));
        }
    }
}

impl EntryLinkJson {
    fn render_text(&self) -> String {
        let state = match (self.state, &self.moved_to) {
            (LinkStateName::Found, _) => String::new(),
            (_, Some(to)) => format!(": moved to {}", code_span(to)),
            (_, None) => ": broken".to_owned(),
        };
        format!("{} {}{state}", plain_line(&self.kind), code_span(&self.to))
    }
}

/// Returns the word of a value in JSON, with spaces instead of underscores.
fn word_text(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().replace('_', " ")
}

fn plain_line(text: &str) -> String {
    escape_control_chars(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

fn link_json(link: &EntryLink, state: &LinkState) -> EntryLinkJson {
    let (state, moved_to) = match state {
        LinkState::Found(_) => (LinkStateName::Found, None),
        LinkState::Moved { to, .. } => (LinkStateName::Moved, Some(to.clone())),
        LinkState::Broken(_) => (LinkStateName::Broken, None),
    };
    EntryLinkJson { to: link.target.to_string(), kind: link.kind.clone(), state, moved_to }
}

impl KnowledgeJson {
    /// Creates an answer.
    pub fn new(entries: Vec<EntryJson>, findings: &[KnowledgeFinding]) -> Self {
        let findings = findings.iter().map(FindingJson::from).collect();
        Self { schema: SCHEMA, entries, findings, done: None, text: None }
    }

    /// Renders a list under a title such as `Tasks`.
    pub fn render_list(&self, title: &str) -> String {
        let mut out = format!("# {title}\n\n");
        if let Some(done) = &self.done {
            let _ = writeln!(out, "{done}\n");
        }
        if self.entries.is_empty() {
            out.push_str("None found.\n");
        }
        for entry in &self.entries {
            entry.render_item(&mut out);
        }
        self.render_findings(&mut out);
        out
    }

    /// Renders entries with their bodies.
    pub fn render_whole(&self) -> String {
        let mut out = String::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if at > 0 {
                out.push('\n');
            }
            entry.render_whole(&mut out);
        }
        self.render_findings(&mut out);
        out
    }

    fn render_findings(&self, out: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{}:\n", render_quantity(self.findings.len(), "problem"));
        for FindingJson { path, line, message } in &self.findings {
            let location = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
            let _ = writeln!(out, "- {} {}", code_span(&location), plain_line(message));
        }
    }
}

/// Returns the number of notes, tasks and skills: `2 notes · 1 task`.
pub fn render_entry_counts(entries: impl Iterator<Item = EntryKind> + Clone) -> String {
    let count = |kind| entries.clone().filter(|other| *other == kind).count();
    let counts = EntryKind::ALL.into_iter().map(|kind| (count(kind), kind.as_str()));
    let shown = counts.filter(|(count, _)| *count > 0).map(|(count, noun)| render_quantity(count, noun));
    shown.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::{KnowledgeFolder, RecallLimits, search_entries};
    use expect_test::expect;

    fn knowledge() -> (tempfile::TempDir, ResolvedKnowledge) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "tasks/login.md",
                "---\ntitle: Fix `login`\nstatus: in_progress\npriority: high\ndue: 2030-01-31\ntags: [auth]\nlinks:\n  - to: \
                 task:none\n    kind: blocks\n  - to: note:why\n---\n\nIt fails.\n",
            ),
            ("tasks/big.md", "---\ntitle: Big\nkind: epic\nstatus: x\n---\n"),
            ("notes/why.md", "# Why\u{1b}[31m\n\nBecause."),
            (
                "skills/release.md",
                "---\ntitle: Release\ndescription: Publish it\ntriggers: [ship it]\nfile_patterns: ['*.toml']\n---\n1. Tag\n",
            ),
        ] {
            let path = root.path().join("k").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folder = KnowledgeFolder::open_configured(root.path(), "k").unwrap();
        (root, ResolvedKnowledge::new(folder.read_base(&|_| None), None))
    }

    #[test]
    fn a_list_shows_attributes_links_and_problems() {
        let (_root, knowledge) = knowledge();
        let entries = (0..knowledge.base.entries.len())
            .map(|at| EntryJson::from_resolved(&knowledge, at, IncludeBody::No))
            .collect();
        let answer = KnowledgeJson::new(entries, &knowledge.base.findings);
        expect![[r##"
            # All

            - `note:why` Why\u{1b}[31m
            - `task:big` Big (epic, unknown status)
            - `task:login` Fix `login` (in progress, high, due 2030-01-31, #auth)
              - blocks `task:none`: broken
              - related_to `note:why`
            - `skill:release` Release
              Publish it

            2 problems:

            - `k/tasks/big.md:4` the status "x" is unknown; use one of backlog, todo, in_progress, review, done, cancelled
            - `k/tasks/login.md:8` task:none does not exist; correct or remove the link
        "##]].assert_eq(&answer.render_list("All"));
        let empty = KnowledgeJson::new(Vec::new(), &[]);
        assert_eq!(empty.render_list("Tasks"), "# Tasks\n\nNone found.\n");
    }

    #[test]
    fn an_entry_is_shown_whole() {
        let (_root, knowledge) = knowledge();
        let entries = (0..knowledge.base.entries.len())
            .map(|at| EntryJson::from_resolved(&knowledge, at, IncludeBody::Yes))
            .collect();
        expect![[r#"
            # Why\u{1b}[31m

            note:why in `k/notes/why.md`

            - linked from `task:login` (related_to)

            # Why\u{1b}[31m

            Because.

            # Big

            task:big in `k/tasks/big.md` (epic, unknown status)

            # Fix `login`

            task:login in `k/tasks/login.md` (in progress, high, due 2030-01-31, #auth)

            - blocks `task:none`: broken
            - related_to `note:why`

            It fails.

            # Release

            skill:release in `k/skills/release.md`

            Publish it

            Triggers: `ship it`

            Files: `*.toml`

            1. Tag
        "#]]
        .assert_eq(&KnowledgeJson::new(entries, &[]).render_whole());
    }

    #[test]
    fn a_recalled_entry_shows_why_it_was_found() {
        let (_root, knowledge) = knowledge();
        let found =
            search_entries("ship it after the login", &knowledge.base.entries, RecallLimits::default());
        let entries = found.iter().map(|found| EntryJson::from_recalled(found, IncludeBody::No)).collect();
        expect![[r#"
            # Recall

            - `skill:release` Release, trigger `ship it`
              Publish it
            - `task:login` Fix `login` (in progress, high, due 2030-01-31, #auth), score 1.00
        "#]]
        .assert_eq(&KnowledgeJson::new(entries, &[]).render_list("Recall"));
    }

    #[test]
    fn counts_name_each_kind() {
        use EntryKind::{Note, Skill, Task};
        assert_eq!(render_entry_counts([Note, Skill, Note].into_iter()), "2 notes · 1 skill");
        assert_eq!(render_entry_counts([Task].into_iter()), "1 task");
    }
}
