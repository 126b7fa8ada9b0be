//! Truth files: CSV tables with the true targets of sampled call sites.
//!
//! `calls ask` writes a file with the answers of a language server ([`to_csv`]). People correct
//! rows by hand and add the reason. `calls score` reads the file ([`read_truth`]). A row has
//! targets exactly if its verdict is `workspace`.

use anyhow::{Context, bail};
use std::fmt::Write;
use std::path::Path;

/// A line of a file in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLine {
    /// Path from the root, with `/` as the separator.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// The kind of a call's true target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetKind {
    /// A declaration in the workspace.
    Workspace,
    /// A target outside the workspace: in a dependency, in the standard library, or a built-in.
    External,
    /// A parameter or a local variable, whose value is unknown.
    Local,
    /// Unknown, because the server has no answer.
    None,
}

impl TargetKind {
    const ALL: [(Self, &str); 4] = [
        (Self::Workspace, "workspace"),
        (Self::External, "external"),
        (Self::Local, "local"),
        (Self::None, "none"),
    ];

    /// Returns the name of the kind in truth files.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, text)| text)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == text).map(|(verdict, _)| *verdict)
    }
}

/// A call site and its true targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthRow {
    /// The file and the line of the called name.
    pub location: FileLine,
    /// Column of the called name in bytes of UTF-8, from 1.
    pub column: u32,
    /// The called name.
    pub name: String,
    /// The kind of the true target.
    pub verdict: TargetKind,
    /// The declarations in the workspace; several if the target is declared more than once.
    pub targets: Vec<FileLine>,
    /// The reason for the verdict, in rows that were checked by hand.
    pub reason: String,
}

/// The first line of a truth file: the names of its columns.
const HEADER: &str = "path,line,column,name,verdict,targets,reason";

/// Returns rows as CSV.
pub fn to_csv(rows: &[TruthRow]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in rows {
        let targets: Vec<String> =
            row.targets.iter().map(|location| format!("{}:{}", location.path, location.line)).collect();
        let fields = [&row.location.path, &row.name, row.verdict.as_str(), &targets.join(";"), &row.reason]
            .map(quote_field);
        let [path, name, verdict, targets, reason] = fields;
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{path},{},{},{name},{verdict},{targets},{reason}", row.location.line, row.column);
    }
    text
}

/// Returns a field of CSV, in quotes if its text needs them.
pub fn quote_field(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Reads a truth file.
///
/// # Errors
/// Fails if the file is missing or a line is not valid. The error names the line.
pub fn read_truth(path: &Path) -> anyhow::Result<Vec<TruthRow>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if index == 0 {
            if line != HEADER {
                bail!("{}: the first line is not `{HEADER}`", path.display());
            }
            continue;
        }
        rows.push(parse_row(line).with_context(|| format!("{}:{}", path.display(), index + 1))?);
    }
    Ok(rows)
}

fn parse_row(line: &str) -> anyhow::Result<TruthRow> {
    let fields = split_fields(line);
    let [path, line, column, name, verdict, targets, reason] = <[String; 7]>::try_from(fields)
        .map_err(|fields| anyhow::anyhow!("{} fields, not 7", fields.len()))?;
    let location = FileLine { path, line: line.parse().context("the line")? };
    let verdict = TargetKind::parse(&verdict).with_context(|| format!("unknown verdict `{verdict}`"))?;
    let targets: Vec<FileLine> =
        targets.split(';').filter(|t| !t.is_empty()).map(parse_target).collect::<anyhow::Result<_>>()?;
    if targets.is_empty() == (verdict == TargetKind::Workspace) {
        bail!("`{}` with {} targets", verdict.as_str(), targets.len());
    }
    Ok(TruthRow { location, column: column.parse().context("the column")?, name, verdict, targets, reason })
}

fn parse_target(text: &str) -> anyhow::Result<FileLine> {
    let (path, line) =
        text.rsplit_once(':').with_context(|| format!("`{text}` is not of the form path:line"))?;
    Ok(FileLine { path: path.to_owned(), line: line.parse().with_context(|| format!("`{text}`"))? })
}

/// Splits a line of CSV into its fields.
fn split_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quoted) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                push_to_last(&mut fields, '"');
            }
            ('"', _) => quoted = !quoted,
            (',', false) => fields.push(String::new()),
            (c, _) => push_to_last(&mut fields, c),
        }
    }
    fields
}

fn push_to_last(fields: &mut [String], c: char) {
    if let Some(last) = fields.last_mut() {
        last.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::{FileLine, TargetKind, TruthRow, parse_row, to_csv};
    use crate::calls::repositories;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let location = |path: &str, line| FileLine { path: path.to_owned(), line };
        let written = TruthRow {
            location: location("a, b/c.go", 3),
            column: 7,
            name: "run".to_owned(),
            verdict: TargetKind::Workspace,
            targets: vec![location("x:y.go", 1), location("z.go", 20)],
            reason: "says \"so\", here".to_owned(),
        };
        let text = to_csv(std::slice::from_ref(&written));
        assert_eq!(parse_row(text.lines().nth(1).unwrap()).unwrap(), written);
        assert!(parse_row("a,1,1,b,workspace,,").is_err(), "a workspace verdict needs a target");
        assert!(parse_row("a,1,1,b,external,c:1,").is_err());
        assert!(parse_row("a,1,1,b").is_err());
    }

    #[test]
    fn every_committed_truth_can_be_read() {
        for repository in repositories::all_repositories() {
            for sample in repository.sample_numbers() {
                assert!(!super::read_truth(&repository.truth_path(sample)).unwrap().is_empty());
            }
        }
    }
}
