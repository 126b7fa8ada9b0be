//! Counts the tokens of the same packs in every format, and the tokens saved for a reader who
//! already has a pack.
//!
//! All packs come from one session with the built `kenning`, so that the server knows which packs
//! it has sent. The command line prints the explained packs, because the text of the server is
//! always lean. Learning is off. The counted text is the text that a reader gets (GCB in base64).

use crate::session::BenchSession;
use anyhow::Context;
use kenning_retrieval::pack::count_tokens;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The formats that can express the difference between two packs.
const FORMATS: [&str; 4] = ["markdown", "xml", "json", "gcf"];

/// The formats with an explained form.
const EXPLAINED_FORMATS: [&str; 3] = ["markdown", "xml", "json"];

/// The smaller budgets that a reader asks for next, in percent of the first one.
const SHIFTED_BUDGETS: [u64; 2] = [90, 80];

/// Tokens of some packs in one format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRow {
    /// The name of the measure.
    pub measure: String,
    /// The format.
    pub format: String,
    /// Token budget of the packs that the reader has.
    pub budget: u64,
    /// Number of answers.
    pub answers: u64,
    /// Number of answers that report an unchanged pack.
    pub unchanged: u64,
    /// Number of differences.
    pub deltas: u64,
    /// Tokens of the answers.
    pub tokens: u64,
    /// Tokens of the whole packs in the same lean format.
    pub whole_tokens: u64,
}

impl TokenRow {
    fn new(measure: &str, format: &str, budget: u64) -> Self {
        Self { measure: measure.to_owned(), format: format.to_owned(), budget, ..Self::default() }
    }

    fn add_answer(&mut self, answer: &PackText, whole: u64) {
        self.answers += 1;
        self.unchanged += u64::from(answer.kind == AnswerKind::Unchanged);
        self.deltas += u64::from(answer.kind == AnswerKind::Delta);
        self.tokens += answer.tokens;
        self.whole_tokens += whole;
    }
}

/// The extent of an answer: the whole pack, the difference from the reader's pack, or nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    Whole,
    Delta,
    Unchanged,
}

/// An answer of the server, as its reader sees it.
struct PackText {
    kind: AnswerKind,
    root: String,
    tokens: u64,
}

impl PackText {
    fn from_answer(answer: &Value) -> anyhow::Result<Self> {
        let kind = match (answer["unchanged"].as_bool(), answer.get("base_root")) {
            (Some(true), _) => AnswerKind::Unchanged,
            (_, Some(root)) if !root.is_null() => AnswerKind::Delta,
            _ => AnswerKind::Whole,
        };
        let text = answer["text"].as_str().context("the answer has no text")?;
        let root = answer["pack_root"].as_str().context("the answer has no pack_root")?.to_owned();
        Ok(Self { kind, root, tokens: count_tokens(text) as u64 })
    }
}

/// Requests packs from a session and counts their tokens.
pub struct TokenMeter<'s> {
    /// The session.
    pub session: &'s mut BenchSession,
    /// Token budget of the packs.
    pub budget: u64,
}

impl TokenMeter<'_> {
    fn request_pack(
        &mut self,
        task: &str,
        budget: u64,
        format: &str,
        root: Option<&str>,
    ) -> anyhow::Result<PackText> {
        let question = json!({
            "task": task, "budget": budget, "format": format, "packRoot": root, "noLearning": true,
        });
        PackText::from_answer(&self.session.execute_command("kenning.taskContext", question)?)
    }

    /// Measures all formats on these tasks, which must be at least two.
    ///
    /// # Errors
    /// Fails if the server fails.
    pub fn measure_tasks(&mut self, tasks: &[&str]) -> anyhow::Result<Vec<TokenRow>> {
        let mut rows = Vec::new();
        for format in FORMATS {
            rows.extend(self.measure_format(tasks, format)?);
        }
        let mut binary = TokenRow::new("whole", "gcb", self.budget);
        for task in tasks {
            let pack = self.request_pack(task, self.budget, "gcb", None)?;
            binary.add_answer(&pack, pack.tokens);
        }
        rows.push(binary);
        Ok(rows)
    }

    fn measure_format(&mut self, tasks: &[&str], format: &str) -> anyhow::Result<Vec<TokenRow>> {
        let budget = self.budget;
        let row = |measure: &str| TokenRow::new(measure, format, budget);
        let (mut whole, mut same, mut other) = (row("whole"), row("same question"), row("other task"));
        let mut shifted = SHIFTED_BUDGETS.map(|percent| row(&format!("{} % less budget", 100 - percent)));
        let mut previous: Option<String> = None;
        for task in tasks {
            let base = self.request_pack(task, self.budget, format, None)?;
            whole.add_answer(&base, base.tokens);
            if let Some(root) = &previous {
                other.add_answer(&self.request_pack(task, self.budget, format, Some(root))?, base.tokens);
            }
            same.add_answer(&self.request_pack(task, self.budget, format, Some(&base.root))?, base.tokens);
            for (row, percent) in shifted.iter_mut().zip(SHIFTED_BUDGETS) {
                let budget = self.budget * percent / 100;
                let smaller = self.request_pack(task, budget, format, None)?;
                row.add_answer(&self.request_pack(task, budget, format, Some(&base.root))?, smaller.tokens);
            }
            previous = Some(base.root);
        }
        Ok([whole, same].into_iter().chain(shifted).chain([other]).collect())
    }
}

/// Measures the explained packs of these tasks with the command line. `lean` has the rows of the
/// lean packs.
///
/// # Errors
/// Fails if the program fails.
pub fn measure_explained(
    kenning: &Path,
    root: &Path,
    cache: &Path,
    tasks: &[&str],
    budget: u64,
    lean: &[TokenRow],
) -> anyhow::Result<Vec<TokenRow>> {
    let mut rows = Vec::new();
    for format in EXPLAINED_FORMATS {
        let mut row = TokenRow::new("explained", format, budget);
        for task in tasks {
            let mut command = Command::new(kenning);
            command.args(["pack", "--explain", "--no-learning", "--refresh", "never", "--format", format]);
            command.arg("--budget").arg(budget.to_string()).arg("--root").arg(root).arg("--").arg(task);
            command.env("XDG_CACHE_HOME", cache).env_remove("KENNING_DB").env_remove("KENNING_LOG");
            let output = command.output().with_context(|| format!("{command:?} cannot be started"))?;
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            anyhow::ensure!(output.status.success(), "{command:?}: {error}");
            row.answers += 1;
            row.tokens += count_tokens(&String::from_utf8_lossy(&output.stdout)) as u64;
        }
        let whole = lean.iter().find(|row| row.measure == "whole" && row.format == format);
        row.whole_tokens = whole.map_or(0, |row| row.whole_tokens);
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the rows as CSV.
pub fn to_csv(rows: &[TokenRow], command: &str) -> String {
    let mut text = String::from(
        "measure,format,budget,answers,unchanged,deltas,tokens,whole_tokens,saved_percent,command\n",
    );
    for row in rows {
        let TokenRow { measure, format, budget, answers, unchanged, deltas, tokens, whole_tokens } = row;
        let saved = 100.0 - 100.0 * *tokens as f64 / (*whole_tokens).max(1) as f64;
        let _ = writeln!(
            text,
            "{measure},{format},{budget},{answers},{unchanged},{deltas},{tokens},{whole_tokens},{saved:.1},{command}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_answer(fields: Value) -> PackText {
        let mut fields = fields;
        fields["text"] = json!("four words of text");
        fields["pack_root"] = json!("0123456789ab");
        PackText::from_answer(&fields).expect("an answer")
    }

    #[test]
    fn answers_are_counted_by_kind_and_savings_are_shares_of_the_whole_packs() {
        let mut row = TokenRow::new("10 % less budget", "xml", 2_000);
        for fields in [json!({}), json!({ "base_root": "0123456789ab" }), json!({ "unchanged": true })] {
            row.add_answer(&parse_answer(fields), 16);
        }
        assert_eq!((row.answers, row.unchanged, row.deltas), (3, 1, 1));
        assert_eq!(
            to_csv(&[row], "run").lines().nth(1),
            Some("10 % less budget,xml,2000,3,1,1,12,48,75.0,run")
        );
    }

    #[test]
    fn an_answer_without_text_is_an_error() {
        assert!(PackText::from_answer(&json!({ "pack_root": "0123456789ab" })).is_err());
    }
}
