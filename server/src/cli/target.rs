//! Finds the symbol that the user names: by name, by id, or by a position in a file.
//!
//! In: the argument of a command, and a snapshot. Out: the symbols that it refers to, with the
//! alternatives. A position is resolved as an editor resolves it: by the name at the position, else
//! by the definition around it. An ambiguous name is a question on a terminal, and an error
//! elsewhere.
//!
//! Invariant: lines and columns start at 1 in arguments, and at 0 in the snapshot.

use super::files::workspace_path;
use crate::answer::{QuestionError, SymbolCandidate};
use crate::resolve_name::resolve_name_at;
use crate::symbol_names::{self, TargetSymbols};
use crate::terminal::standard_streams::{StandardStream, write_text};
use crate::written_position::{WrittenPosition, definition_on_line};
use anyhow::{Context, bail};
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use kenning_graph::{FileId, Hash, Snapshot, SymbolId};
use kenning_indexing::workspace::Workspace;
use kenning_retrieval::features::symbol_at;
use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// Returns the symbols that `target` refers to. If a name is ambiguous, the user is asked on a
/// terminal.
///
/// # Errors
/// Returns an error if no symbol or several symbols have that name, or if the position is outside
/// all definitions.
pub fn find_targets(
    workspace: &Workspace,
    snapshot: &Snapshot,
    target: &str,
) -> anyhow::Result<TargetSymbols> {
    let Some(position) = WrittenPosition::parse(target) else {
        let symbols = match symbol_names::find_overloads(snapshot, target) {
            Err(QuestionError::AmbiguousSymbol { name, candidates }) if can_ask() => {
                let chosen = ask_for_candidate(&name, &candidates)?;
                vec![snapshot.symbol_by_hash(&chosen).context("the symbol is no longer in the index")?]
            }
            found => found?,
        };
        return Ok(TargetSymbols { symbols, alternatives: Vec::new() });
    };
    let path = workspace_path(workspace.root_path(), Path::new(position.file))?;
    let Some(file) = snapshot.file_by_path(&path) else {
        bail!("{path} is not in the index; pass a position in a source file in the workspace");
    };
    let symbols = match position.column {
        Some(column) => symbols_at_position(
            workspace,
            snapshot,
            file,
            TextPosition { line: position.line - 1, character: column - 1 },
        ),
        None => definition_on_line(snapshot, file, position.line - 1).map(|symbol| vec![symbol]),
    };
    symbols.and_then(TargetSymbols::from_likeliest).with_context(|| {
        format!("no symbol found at line {} of {path}; pass a line inside a definition", position.line)
    })
}

/// Asks a question on standard error; only `y` and `yes` agree.
pub fn ask_yes_or_no(question: &str) -> anyhow::Result<bool> {
    write_text(StandardStream::Error, &format!("{question} [y/N] "))?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).context("cannot read the answer")?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Whether a person can answer a question: standard input and standard error are terminals.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && StandardStream::Error.is_terminal()
}

/// Shows the candidates of an ambiguous name on standard error and reads the number of one of them.
/// An empty line chooses the first.
fn ask_for_candidate(name: &str, candidates: &[SymbolCandidate]) -> anyhow::Result<Hash> {
    let mut question = format!("{name} is ambiguous:\n");
    for (at, candidate) in candidates.iter().enumerate() {
        let _ = writeln!(question, "  {}) {}", at + 1, candidate.description);
    }
    write_text(StandardStream::Error, &format!("{question}Which one? [1] "))?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).context("cannot read the number of the symbol")?;
    let chosen = choose_candidate(&line, candidates.len())
        .with_context(|| format!("{} is not a number from 1 to {}", line.trim(), candidates.len()))?;
    Ok(candidates[chosen].id)
}

/// Returns the index of the chosen candidate; an empty line chooses the first.
fn choose_candidate(line: &str, count: usize) -> Option<usize> {
    let line = line.trim();
    let number = if line.is_empty() { 1 } else { line.parse().ok()? };
    (1..=count).contains(&number).then(|| number - 1)
}

/// Returns the symbols that the name at a position declares or refers to, else the definition that
/// encloses the position. The column counts characters.
fn symbols_at_position(
    workspace: &Workspace,
    snapshot: &Snapshot,
    file: FileId,
    position: TextPosition,
) -> Option<Vec<SymbolId>> {
    let entry = snapshot.file(file)?;
    let provider = workspace.text_source();
    let text = provider.file_text(entry.path, &entry.content_hash)?;
    let offset = LineIndex::new(&text).offset_at(&text, position, PositionEncoding::Utf32)?;
    let offset = u32::try_from(offset).ok()?;
    let stored = || provider.file_facts(entry.path, entry.language, &entry.content_hash);
    let facts = || snapshot.file_facts(file).or_else(stored);
    match resolve_name_at(snapshot, &workspace.current_project(), file, offset, &text, facts) {
        Some(resolved) => Some(resolved.symbols),
        None => Some(vec![symbol_at(snapshot, file, offset)?.symbol_id()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_chooses_the_first_candidate() {
        let chosen = ["", " 2 \n", "3", "0", "x"].map(|line| choose_candidate(line, 2));
        assert_eq!(chosen, [Some(0), Some(1), None, None, None]);
    }
}
