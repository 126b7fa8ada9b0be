//! Renders the packs of a task set, so that a benchmark (`bench/content`) can score their content.

use super::{EvalRepository, SymbolBodies, TaskQuery, write_file};
use crate::answer::{AnswerFrame, FormSize, PackForm, QuestionSubject};
use crate::format::{PackFormat, PackView};
use crate::freshness::Freshness;
use kenning_retrieval::pack::{code_fence, count_tokens};
use kenning_retrieval::{Analysis, RankConfig, RequestOptions, TaskRequest};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The rendered texts of a task set, by budget and task.
#[derive(Debug, Default)]
pub struct RenderedPacks(BTreeMap<usize, BTreeMap<String, String>>);

impl RenderedPacks {
    /// Renders the pack of every query at every budget, as Markdown; with `whole_files`, the text
    /// of whole files in the order of the ranking instead.
    ///
    /// # Errors
    /// Returns an error if a pack cannot be rendered.
    pub fn add_repository(
        &mut self,
        repository: &EvalRepository,
        config: &RankConfig,
        queries: &[TaskQuery<'_>],
        budgets: &[usize],
        whole_files: bool,
    ) -> anyhow::Result<()> {
        let bodies = SymbolBodies(Some(&repository.text));
        let analysis = repository.build_analysis(config, &bodies);
        for &budget in budgets {
            let render = |query: &TaskQuery<'_>| -> anyhow::Result<(String, String)> {
                let text = if whole_files {
                    render_files(&analysis, query.text, budget)
                } else {
                    render_pack(&analysis, query.text, budget)?
                };
                Ok((query.task.to_owned(), text))
            };
            let texts: Vec<(String, String)> = queries.par_iter().map(render).collect::<Result<_, _>>()?;
            self.0.entry(budget).or_default().extend(texts);
        }
        Ok(())
    }

    /// Writes the texts as JSON: `{budget: {task: {"tokens": n, "text": "..."}}}`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_json(&self, path: &Path) -> anyhow::Result<()> {
        let with_tokens = |text: &String| serde_json::json!({ "tokens": count_tokens(text), "text": text });
        let by_budget: BTreeMap<usize, BTreeMap<&str, serde_json::Value>> = self
            .0
            .iter()
            .map(|(&budget, texts)| {
                (budget, texts.iter().map(|(task, text)| (task.as_str(), with_tokens(text))).collect())
            })
            .collect();
        write_file(path, serde_json::to_string(&by_budget)?.as_bytes())
    }
}

fn render_pack(analysis: &Analysis<'_>, task: &str, budget: usize) -> anyhow::Result<String> {
    let (subject, freshness) = (QuestionSubject::Task(task.to_owned()), Freshness::default());
    let frame = AnswerFrame::describe_question(analysis.snapshot, None, &subject);
    let form = PackForm { format: PackFormat::Markdown, explain: false };
    let size = FormSize { form, frame: &frame };
    let options = RequestOptions { budget: Some(budget), ..RequestOptions::default() };
    let analysis = Analysis { size: Some(&size), ..*analysis };
    let pack = analysis.pack_task(&TaskRequest { task: task.to_owned(), options }).pack;
    let answer = frame.clone().with_pack(pack);
    let view = PackView { answer: &answer, freshness: &freshness, timings: None, explain: false };
    Ok(form.format.codec().render_pack(&view)?.into_text())
}

/// Renders the files of the ranked symbols, each once and whole, as long as they fit. The last file
/// is cut off at the line where the budget ends.
fn render_files(analysis: &Analysis<'_>, task: &str, budget: usize) -> String {
    let (mut out, mut used, mut seen) = (String::new(), 0, BTreeSet::new());
    for ranked in analysis.rank_task(&TaskRequest::new(task)) {
        let Some(symbol) = analysis.snapshot.symbol(ranked.symbol) else { continue };
        let Some(file) = symbol.file.and_then(|file| analysis.snapshot.file(file)) else { continue };
        if !seen.insert(file.path) {
            continue;
        }
        let Some(text) = analysis.text.read_text(file.path, &file.content_hash) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let render = |shown: usize| {
            let text = lines[..shown].join("\n");
            let fence = code_fence(&text);
            let mut item = String::new();
            let _ = write!(item, "- `{}:1` (file, lines 1-{shown})\n\n{fence}\n{text}\n{fence}\n", file.path);
            item
        };
        let whole = render(lines.len());
        let tokens = count_tokens(&whole);
        if used + tokens <= budget {
            used += tokens;
            out.push_str(&whole);
            continue;
        }
        let counts: Vec<usize> = (0..=lines.len()).collect();
        let shown = counts.partition_point(|&shown| used + count_tokens(&render(shown)) <= budget);
        if shown > 1 {
            out.push_str(&render(shown - 1));
        }
        break;
    }
    out
}
