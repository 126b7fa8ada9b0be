//! The explanation of one symbol's rank in sentences, for people.
//!
//! The first sentence gives the rank with the strongest reasons. Further sentences give the other
//! reasons, the objections, and the form of the symbol in the pack. The text mentions a reason only
//! if its effect on the score is great enough. The effects come from `kenning_retrieval`, the words
//! from `rank_clauses`.

use super::rank_clauses::{RankClause, join_clauses, opposing_clauses, render_ordinal, supporting_clauses};
use super::wording::{group_digits, render_quantity};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{
    CauseEffect, DetailLevel, PackDecision, PackOutcome, RankCause, RankExplanation, RankReasons,
};

/// Smallest effect on a score that counts as a reason. The scores of two neighbors in a list often
/// differ by less.
const LEAST_EFFECT: f64 = 0.01;

/// Smallest effect of a mentioned reason, as a share of the strongest reason's effect.
const LEAST_SHARE: f64 = 0.12;

/// Number of reasons in the first sentence.
const FIRST_REASONS: usize = 3;

/// Maximum number of reasons for a symbol. The learned ranker gives every symbol dozens.
const MAX_REASONS: usize = 6;
/// Maximum number of reasons against a symbol.
const MAX_OBJECTIONS: usize = 3;

/// Last rank for which the first sentence gives reasons. For lower ranks, the reasons come with the
/// objections.
const LAST_HIGH_RANK: usize = 10;

/// Share of all supporting effects above which a sentence mentions the signals without a clause.
const UNMENTIONED_SHARE: f64 = 0.5;

/// Renders the explanation in sentences: paragraphs of Markdown, ending with a line break.
pub fn render_sentences(explanation: &RankExplanation) -> String {
    let mut paragraphs = Vec::new();
    match explanation.rank {
        Some(rank) => {
            paragraphs.extend(ranked_paragraphs(explanation, rank));
            paragraphs.extend(packing_sentence(explanation.packed));
        }
        None => paragraphs.push(absence_sentence(explanation)),
    }
    for (word, names) in &explanation.respelled {
        let names: Vec<String> = names.split(' ').map(|name| format!("`{name}`")).collect();
        paragraphs.push(format!("The task's word `{word}` was read as {}.", names.join(", ")));
    }
    if explanation.reasons.facts.is_weak {
        paragraphs.push(
            "Nothing in this workspace matches the task well; these candidates are only the closest."
                .to_owned(),
        );
    }
    let mut text = paragraphs.join("\n\n");
    text.push('\n');
    text
}

/// Returns the paragraphs about a candidate: its rank with the reasons, and the objections.
fn ranked_paragraphs(explanation: &RankExplanation, rank: usize) -> Vec<String> {
    let reasons = &explanation.reasons;
    let place = format!(
        "Ranked {} of {}",
        render_ordinal(rank),
        render_quantity(explanation.candidates, "candidate")
    );
    let mentioned = mentioned_reasons(explanation);
    let objections = match rank {
        1 => Vec::new(),
        _ => render_clauses(mentioned_objections(explanation, &mentioned)),
    };
    let mut supporting = render_clauses(mentioned);
    let mut paragraphs = Vec::new();
    let is_high = rank <= LAST_HIGH_RANK;
    if reasons.facts.is_pinned {
        paragraphs.push(format!("{place} because it is pinned."));
    } else if supporting.is_empty() {
        paragraphs.push(format!("{place}."));
    } else if is_high {
        let first: Vec<String> = supporting.drain(..FIRST_REASONS.min(supporting.len())).collect();
        paragraphs.push(format!("{place} because {}.", join_clauses(&first)));
    } else {
        paragraphs.push(format!("{place}."));
    }
    if let Some(top) = reasons.behind {
        let top = group_digits(top);
        let facts = &reasons.facts;
        let is_test = facts.is_secondary && !facts.is_about_tests;
        let role = if is_test { " Tests and examples count less unless the task asks for them." } else { "" };
        paragraphs.push(format!(
            "Only the first {top} matches are compared in detail, and it is not among them.{role}"
        ));
    }
    if !supporting.is_empty() {
        let label = if is_high && !reasons.facts.is_pinned { "Also for it" } else { "For it" };
        paragraphs.push(format!("{label}: {}.", supporting.join("; ")));
    }
    if !objections.is_empty() {
        paragraphs
            .push(format!("Against it, compared with the symbols before it: {}.", objections.join("; ")));
    }
    if has_many_unmentioned_signals(explanation) {
        paragraphs.push("The rest comes from many small signals, such as its place in its file.".to_owned());
    }
    if let Some(path) = path_sentence(explanation) {
        paragraphs.push(path);
    }
    paragraphs
}

/// Returns the reasons for a symbol that are worth mentioning, strongest first.
fn mentioned_reasons(explanation: &RankExplanation) -> Vec<RankClause> {
    strongest_clauses(supporting_clauses(&explanation.reasons), MAX_REASONS)
}

/// Returns the reasons against a symbol that are worth mentioning, strongest first. Except for
/// words, a cause that speaks for the symbol is not also an objection, even if it speaks more for
/// other symbols.
fn mentioned_objections(explanation: &RankExplanation, mentioned: &[RankClause]) -> Vec<RankClause> {
    let is_reason =
        |cause: RankCause| cause != RankCause::Words && mentioned.iter().any(|clause| clause.cause == cause);
    let mut clauses = opposing_clauses(explanation);
    clauses.retain(|clause| !is_reason(clause.cause));
    strongest_clauses(clauses, MAX_OBJECTIONS)
}

/// Returns the number of commits that the sentences mention as a reason.
pub fn count_mentioned_commits(explanation: &RankExplanation) -> usize {
    let commits = &explanation.reasons.facts.commits;
    let is_mentioned = mentioned_reasons(explanation).iter().any(|clause| clause.cause == RankCause::Commits);
    match (explanation.rank, is_mentioned) {
        (Some(_), true) if commits.symbol > 0 => commits.symbol,
        (Some(_), true) => commits.file,
        _ => 0,
    }
}

/// Returns the clauses whose effects are worth mentioning.
fn strongest_clauses(clauses: Vec<RankClause>, limit: usize) -> Vec<RankClause> {
    let greatest = clauses.first().map_or(0.0, |clause| clause.effect.abs());
    let is_strong = |clause: &RankClause| clause.effect.abs() >= LEAST_EFFECT.max(LEAST_SHARE * greatest);
    clauses.into_iter().filter(is_strong).take(limit).collect()
}

fn render_clauses(clauses: Vec<RankClause>) -> Vec<String> {
    clauses.into_iter().map(|clause| clause.text).collect()
}

/// Whether signals without a clause make up a large part of the effects that support a symbol.
fn has_many_unmentioned_signals(explanation: &RankExplanation) -> bool {
    let effects = &explanation.reasons.effects;
    let total: f64 = effects.iter().map(|effect| effect.effect.max(0.0)).sum();
    let mentioned: f64 = supporting_clauses(&explanation.reasons).iter().map(|clause| clause.effect).sum();
    total - mentioned > UNMENTIONED_SHARE * total && total - mentioned >= LEAST_EFFECT
}

/// Describes the path to a symbol that the ranking reached only through calls and uses.
fn path_sentence(explanation: &RankExplanation) -> Option<String> {
    let is_only_reached = explanation.ranked.as_ref().is_some_and(|ranked| ranked.fused.is_none());
    if !is_only_reached || explanation.path.len() < 2 || explanation.reasons.facts.is_pinned {
        return None;
    }
    let short = |name: &String| code_span(name.rsplit("::").next().unwrap_or(name));
    let steps: Vec<String> = explanation.path.iter().map(short).collect();
    Some(format!("Calls and uses led to it: {}.", steps.join(" → ")))
}

/// Describes the form of a candidate in the pack.
fn packing_sentence(decision: Option<PackDecision>) -> Option<String> {
    let text = match decision?.outcome {
        PackOutcome::Shown(DetailLevel::Body) => "The pack shows all of it.",
        PackOutcome::Shown(DetailLevel::Trimmed) => "The pack shows parts of its body.",
        PackOutcome::Shown(DetailLevel::Signature) => "The pack shows its signature.",
        PackOutcome::Shown(DetailLevel::Name) => "The pack lists its name.",
        PackOutcome::LeftOut("budget") => "It is not in the pack, because the budget is used up before it.",
        PackOutcome::LeftOut("shown") => "The pack shows it as a part of another symbol.",
        PackOutcome::LeftOut("threshold") => {
            "It is not in the pack, because its score is too far below that of the first symbols."
        }
        PackOutcome::LeftOut(_) => "It is not in the pack.",
    };
    Some(text.to_owned())
}

/// Explains why a symbol is not a candidate.
fn absence_sentence(explanation: &RankExplanation) -> String {
    let reasons = &explanation.reasons;
    if reasons.facts.is_excluded {
        return "Not ranked, because the request excludes it.".to_owned();
    }
    if let Some(rule) = explanation.noise {
        return format!("Not ranked, because a rule against noise removed it: {rule}.");
    }
    let among = format!("Not among the {}", render_quantity(explanation.candidates, "candidate"));
    match reasons.words.matched {
        0 => format!(
            "{among}: none of the task's words is in it, and no short path of calls and uses leads to it from the \
             symbols that match."
        ),
        matched => format!(
            "{among}: it has {matched} of the task's {}{}, and enough other symbols match better.",
            render_quantity(reasons.words.known, "word"),
            describe_matches(reasons)
        ),
    }
}

/// Lists the first matched words in parentheses.
fn describe_matches(reasons: &RankReasons) -> String {
    let words: Vec<String> = reasons
        .words
        .fields
        .iter()
        .flat_map(|field| &field.words)
        .filter(|word| !word.is_identifier)
        .take(3)
        .map(|word| format!("\"{}\"", word.text))
        .collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Renders a list of the causes with their effects, for the numbers of an explanation.
pub fn render_effects(reasons: &RankReasons) -> String {
    let line = |effect: &CauseEffect| {
        let label = effect.cause.label();
        let gap = if effect.gap == 0.0 {
            String::new()
        } else {
            format!(", {:+.4} to those before it", effect.gap)
        };
        format!("- {label}: {:+.4}{gap}\n", effect.effect)
    };
    reasons.effects.iter().map(line).collect()
}
