//! Truth files: the rows with the true targets of call sites.

use anyhow::{Context, bail};
use std::fmt::Write;
use std::path::Path;

/// A place in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path from the root, with `/`.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// The kind of a call's true target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A declaration in the workspace.
    Workspace,
    /// Something outside the workspace: in a dependency, the standard library or the language.
    External,
    /// A parameter or a local variable, whose value is unknown.
    Local,
    /// Unknown, because the server has no answer.
    None,
}

impl Verdict {
    const ALL: [(Self, &str); 4] = [
        (Self::Workspace, "workspace"),
        (Self::External, "external"),
        (Self::Local, "local"),
        (Self::None, "none"),
    ];

    /// Returns the text of the verdict in the file.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, text)| text)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == text).map(|(verdict, _)| *verdict)
    }
}

/// A call site and its true targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The file and the line of the called name.
    pub place: Place,
    /// Column of the called name in bytes of UTF-8, from 1.
    pub column: u32,
    /// The called name.
    pub name: String,
    /// The kind of the true target.
    pub verdict: Verdict,
    /// The declarations in the workspace. More than one if the target has several declarations.
    pub targets: Vec<Place>,
    /// The reason, in rows that were checked by hand.
    pub reason: String,
}

const HEADER: &str = "path,line,column,name,verdict,targets,reason";

/// Returns rows as CSV.
pub fn to_csv(rows: &[Row]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in rows {
        let targets: Vec<String> =
            row.targets.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
        let fields =
            [&row.place.path, &row.name, row.verdict.as_str(), &targets.join(";"), &row.reason].map(quoted);
        let [path, name, verdict, targets, reason] = fields;
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{path},{},{},{name},{verdict},{targets},{reason}", row.place.line, row.column);
    }
    text
}

fn quoted(field: &str) -> String {
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
pub fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("the truth {}", path.display()))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if index == 0 {
            if line != HEADER {
                bail!("{}: the first line is not `{HEADER}`", path.display());
            }
            continue;
        }
        rows.push(row(line).with_context(|| format!("{}:{}", path.display(), index + 1))?);
    }
    Ok(rows)
}

fn row(line: &str) -> anyhow::Result<Row> {
    let fields = fields(line);
    let [path, line, column, name, verdict, targets, reason] = <[String; 7]>::try_from(fields)
        .map_err(|fields| anyhow::anyhow!("{} fields, not 7", fields.len()))?;
    let place = Place { path, line: line.parse().context("the line")? };
    let verdict = Verdict::parse(&verdict).with_context(|| format!("no verdict is called `{verdict}`"))?;
    let targets: Vec<Place> =
        targets.split(';').filter(|t| !t.is_empty()).map(target).collect::<anyhow::Result<_>>()?;
    if targets.is_empty() == (verdict == Verdict::Workspace) {
        bail!("`{}` with {} targets", verdict.as_str(), targets.len());
    }
    Ok(Row { place, column: column.parse().context("the column")?, name, verdict, targets, reason })
}

fn target(text: &str) -> anyhow::Result<Place> {
    let (path, line) = text.rsplit_once(':').with_context(|| format!("`{text}` is no path:line"))?;
    Ok(Place { path: path.to_owned(), line: line.parse().with_context(|| format!("`{text}`"))? })
}

/// Splits a line of CSV into its fields.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quoted) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                push(&mut fields, '"');
            }
            ('"', _) => quoted = !quoted,
            (',', false) => fields.push(String::new()),
            (c, _) => push(&mut fields, c),
        }
    }
    fields
}

fn push(fields: &mut [String], c: char) {
    if let Some(last) = fields.last_mut() {
        last.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Row, Verdict, row, to_csv};
    use crate::calls::repositories;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let place = |path: &str, line| Place { path: path.to_owned(), line };
        let written = Row {
            place: place("a, b/c.go", 3),
            column: 7,
            name: "run".to_owned(),
            verdict: Verdict::Workspace,
            targets: vec![place("x:y.go", 1), place("z.go", 20)],
            reason: "says \"so\", here".to_owned(),
        };
        let text = to_csv(std::slice::from_ref(&written));
        assert_eq!(row(text.lines().nth(1).unwrap()).unwrap(), written);
        assert!(row("a,1,1,b,workspace,,").is_err(), "a workspace target is named");
        assert!(row("a,1,1,b,external,c:1,").is_err());
        assert!(row("a,1,1,b").is_err());
    }

    #[test]
    fn every_committed_truth_can_be_read() {
        for repository in repositories::all() {
            for sample in repository.samples() {
                assert!(!super::read(&repository.truth(sample)).unwrap().is_empty());
            }
        }
    }
}
