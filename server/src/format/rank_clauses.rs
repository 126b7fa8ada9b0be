//! The clauses of an explanation: for each cause of a rank, a reason for the symbol or against it.
//!
//! A clause is a part of a sentence about "it", such as `3 similar commits changed it`. A cause has
//! no clause if the facts do not show its effect.

use super::wording::{describe_use, group_digits, render_quantity};
use kenning_graph::SymbolKind;
use kenning_retrieval::pack::{code_span, render_prose};
use kenning_retrieval::{
    FieldWords, FoundRelative, NeighborRole, RankCause, RankExplanation, RankReasons, RelativeRole, TaskWord,
};

/// Maximum number of fields in the clause about words, so that the sentence stays readable.
const MAX_FIELDS: usize = 4;

/// Maximum number of words that a clause quotes from one field. A long task has dozens in common.
const MAX_WORDS: usize = 3;

/// Age in days of code that no known commit touched.
const UNKNOWN_AGE: f64 = 10_000.0;

/// A clause with the effect of its cause on the score.
#[derive(Clone, Debug, PartialEq)]
pub struct RankClause {
    /// The cause; [`RankCause::Words`] covers the words in all fields.
    pub cause: RankCause,
    /// The effect on the score, positive if the clause speaks for the symbol.
    pub effect: f64,
    /// The text, without a full stop.
    pub text: String,
}

/// Returns the rank as a word: `1st`, `22nd`, `1,013th`.
pub fn render_ordinal(rank: usize) -> String {
    let suffix = match (rank % 10, rank % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{suffix}", group_digits(rank))
}

/// Joins items into a list: `a`, `a and b`, `a, b and c`.
fn join_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins clauses into one: `A`, `A, and B`, `A, B, and C`.
pub fn join_clauses(clauses: &[String]) -> String {
    match clauses {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// Returns the strongest reason for a symbol in a few words; `None` if no fact shows it.
pub fn shortest_reason(reasons: &RankReasons) -> Option<String> {
    let strongest = supporting_clauses(reasons).into_iter().next()?;
    let first_field = reasons.words.fields.first().filter(|_| strongest.cause == RankCause::Words);
    Some(match first_field {
        Some(FieldWords { field, words }) => {
            format!("{} in {}", quote_words(words, "and"), field_noun(*field, reasons))
        }
        // What is in parentheses is an example.
        None => strongest.text.split(" (").next().unwrap_or_default().to_owned(),
    })
}

/// Returns the clauses that speak for the symbol, strongest first.
pub fn supporting_clauses(reasons: &RankReasons) -> Vec<RankClause> {
    let mut clauses = word_clauses(reasons);
    for effect in reasons.effects.iter().filter(|effect| effect.effect > 0.0) {
        let text = supporting_text(effect.cause, reasons);
        clauses.extend(text.map(|text| RankClause { cause: effect.cause, effect: effect.effect, text }));
    }
    // The sort is stable: equal clauses keep the order of the causes.
    clauses.sort_by(|a, b| b.effect.total_cmp(&a.effect));
    clauses
}

/// Returns the clauses that speak against the symbol, compared with the symbols that rank before
/// it, strongest first. The effects are negative.
pub fn opposing_clauses(explanation: &RankExplanation) -> Vec<RankClause> {
    let reasons = &explanation.reasons;
    let word_gap: f64 = word_causes().map(|cause| reasons.effect_of(cause).gap).sum();
    let mut clauses = Vec::new();
    if word_gap < 0.0 {
        clauses.push(RankClause { cause: RankCause::Words, effect: word_gap, text: opposing_words(reasons) });
    }
    for effect in reasons.effects.iter().filter(|effect| effect.gap < 0.0) {
        let text = opposing_text(effect.cause, reasons);
        clauses.extend(text.map(|text| RankClause { cause: effect.cause, effect: effect.gap, text }));
    }
    clauses.sort_by(|a, b| a.effect.total_cmp(&b.effect));
    clauses
}

fn word_causes() -> impl Iterator<Item = RankCause> {
    RankCause::FIELDS.iter().map(|(cause, _)| *cause).chain([RankCause::Words])
}

/// Returns the clauses about names and words of the task.
fn word_clauses(reasons: &RankReasons) -> Vec<RankClause> {
    let effect = |cause: RankCause| reasons.effect_of(cause).effect.max(0.0);
    let named = &reasons.facts.named;
    let names_symbol = named.symbol && effect(RankCause::Name) > 0.0;
    let file_effect = effect(RankCause::Path) + effect(RankCause::Location);
    let names_file = named.file && file_effect > 0.0;
    let mut clauses = Vec::new();
    let own_name = || code_span(reasons.facts.name.rsplit('.').next().unwrap_or_default());
    let file = if named.line { "a line of it" } else { "its file" };
    let named_text = match (names_symbol, names_file) {
        (true, true) => Some(format!("the task names {} and {file}", own_name())),
        (true, false) => Some(format!("the task names {}", own_name())),
        (false, true) => Some(format!("the task names {file}")),
        (false, false) => None,
    };
    if let Some(text) = named_text {
        let name_effect = if names_symbol { effect(RankCause::Name) } else { 0.0 };
        let effect = name_effect + if names_file { file_effect } else { 0.0 };
        clauses.push(RankClause { cause: RankCause::Name, effect, text });
    }
    let is_mentioned = |cause: RankCause| {
        (names_symbol && cause == RankCause::Name) || (names_file && cause == RankCause::Path)
    };
    // Every word that a field has raises the score of the text search, so the fields are one cause.
    // The attribution to single fields is too coarse to leave one out.
    let mentioned: f64 = clauses.iter().map(|clause| clause.effect).sum();
    let sum = word_causes().map(|cause| reasons.effect_of(cause).effect).sum::<f64>() - mentioned;
    let fields = reasons.words.fields.iter().filter(|found| !is_mentioned(found.field));
    let fields: Vec<&FieldWords> = fields.take(MAX_FIELDS).collect();
    let text = match &fields[..] {
        [] => return clauses,
        [FieldWords { field, words }] => {
            let (noun, verb) = if words.len() == 1 { ("word", "is") } else { ("words", "are") };
            format!(
                "the task's {noun} {} {verb} in {}",
                quote_words(words, "and"),
                field_noun(*field, reasons)
            )
        }
        many => {
            let describe_field = |found: &&FieldWords| {
                format!("{} ({})", field_noun(found.field, reasons), quote_words(&found.words, ","))
            };
            let parts: Vec<String> = many.iter().map(describe_field).collect();
            format!("the task's words are in {}", join_list(&parts))
        }
    };
    if sum > 0.0 {
        clauses.push(RankClause { cause: RankCause::Words, effect: sum, text });
    }
    clauses
}

/// Quotes the first words of a list, joined by `and` or by commas only.
fn quote_words(words: &[TaskWord], conjunction: &str) -> String {
    let quote = |word: &TaskWord| {
        if word.is_identifier { code_span(&word.text) } else { format!("\"{}\"", word.text) }
    };
    let quoted: Vec<String> = words.iter().take(MAX_WORDS).map(quote).collect();
    if conjunction == "and" { join_list(&quoted) } else { quoted.join(", ") }
}

fn field_noun(field: RankCause, reasons: &RankReasons) -> String {
    match field {
        RankCause::Name => "its name".to_owned(),
        RankCause::Container => {
            // In Go, a method is declared outside its type.
            let is_method = reasons.facts.kind == Some(SymbolKind::Method);
            let unknown = if is_method { "type" } else { "container" };
            let around = reasons.facts.container.map_or(unknown, SymbolKind::as_str);
            format!("the name of its {}", around.replace('_', " "))
        }
        RankCause::Path => "its path".to_owned(),
        RankCause::Signature => "its signature".to_owned(),
        RankCause::Documentation => "its documentation".to_owned(),
        RankCause::Strings => "its strings".to_owned(),
        RankCause::Comments => "its comments".to_owned(),
        _ => "its code".to_owned(),
    }
}

/// Returns the clause for a cause other than words that speaks for the symbol.
fn supporting_text(cause: RankCause, reasons: &RankReasons) -> Option<String> {
    let facts = &reasons.facts;
    match cause {
        RankCause::NamedTest => match facts.named_test.as_deref()? {
            "" => Some("the task names this test".to_owned()),
            test => Some(format!("the test {} that the task names runs it", code_span(test))),
        },
        RankCause::QuotedText => Some("it contains a text that the task quotes".to_owned()),
        RankCause::Classes | RankCause::Injection => stand_in_text(reasons),
        RankCause::Vectors => Some("its meaning is close to that of the task".to_owned()),
        RankCause::Commits => commits_text(reasons),
        RankCause::Activity => active_text(reasons),
        RankCause::RecentCommit => Some("a commit of the last days changed it".to_owned()),
        RankCause::RecordedRun => Some("a recorded run executed it".to_owned()),
        RankCause::Connections => connection_text(reasons),
        RankCause::Members => {
            let FoundRelative { relative, role } = facts.relative.as_ref()?;
            let (name, rank) = (code_span(&relative.name), render_ordinal(relative.rank));
            Some(match role {
                RelativeRole::Container => format!("it belongs to {name} (ranked {rank})"),
                RelativeRole::Member => format!("its member {name} is ranked {rank}"),
            })
        }
        RankCause::File => match facts.found_in_file {
            0 => None,
            1 => Some("another symbol of its file is among the first 20".to_owned()),
            count => Some(format!("{count} other symbols of its file are among the first 20")),
        },
        RankCause::Namesakes => reasons
            .value_of("namesakes")
            .filter(|value| value.own == 1.0)
            .map(|_| "no other symbol has its name".to_owned()),
        RankCause::Users => {
            let users = reasons.value_of("users").filter(|users| users.own > users.typical)?;
            Some(
                format!("{} use it", render_quantity(users.own as usize, "symbol"))
                    .replace("1 symbol use ", "1 symbol uses "),
            )
        }
        RankCause::Kind => Some(format!("tasks are often about {}", kind_plural(reasons)?)),
        RankCause::Size => {
            let lines = reasons.value_of("lines").filter(|lines| lines.own > lines.typical)?;
            Some(format!("it is long ({})", render_quantity(lines.own as usize, "line")))
        }
        RankCause::Feedback => Some("it was marked as useful for tasks like this".to_owned()),
        RankCause::Usage => Some("it was used after earlier packs for tasks like this".to_owned()),
        RankCause::Vocabulary => Some("words of the task led to it before".to_owned()),
        RankCause::TaskMemory => Some("an earlier task like this found it".to_owned()),
        RankCause::Session => Some("it was shown in this session a moment ago".to_owned()),
        RankCause::Fallback => {
            Some("its words match, and nothing else in this huge workspace stands out".to_owned())
        }
        _ => None,
    }
}

/// Returns the clause for a cause other than words that speaks against the symbol.
fn opposing_text(cause: RankCause, reasons: &RankReasons) -> Option<String> {
    let facts = &reasons.facts;
    match cause {
        RankCause::Vectors => Some("its meaning is less close to that of the task".to_owned()),
        RankCause::Commits if !facts.commits.any => None,
        RankCause::Commits => Some(match (facts.commits.symbol, facts.commits.file) {
            (0, 0) => "no commit with a message like the task changed it or its file".to_owned(),
            (0, _) => "commits with messages like the task changed its file, but not this symbol".to_owned(),
            _ => "fewer commits with messages like the task changed it".to_owned(),
        }),
        RankCause::Activity => inactive_text(reasons),
        RankCause::Connections if facts.neighbor.is_none() => {
            Some("none of the first 20 symbols uses it or is used by it".to_owned())
        }
        RankCause::File if facts.found_in_file == 0 => {
            Some("no other symbol of its file is among the first 20".to_owned())
        }
        RankCause::Namesakes => {
            let namesakes = reasons.value_of("namesakes").filter(|value| value.own > 1.0)?;
            Some(format!("{} have its name", render_quantity(namesakes.own as usize, "symbol")))
        }
        RankCause::Users => {
            match reasons.value_of("users").filter(|users| users.own < users.typical)?.own as usize {
                0 => Some("nothing is known to use it".to_owned()),
                1 => Some("only 1 symbol uses it".to_owned()),
                users => Some(format!("only {users} symbols use it")),
            }
        }
        RankCause::Kind => Some(format!("tasks are less often about {}", kind_plural(reasons)?)),
        RankCause::Size => {
            let lines = reasons.value_of("lines").filter(|lines| lines.own < lines.typical)?;
            Some(format!("it is short ({})", render_quantity(lines.own as usize, "line")))
        }
        RankCause::TestCode if facts.is_secondary => {
            let is_test = reasons.value_of("is_test").is_some_and(|value| value.own > 0.0);
            let role = if is_test {
                "it is test code, and the task does not ask for tests"
            } else {
                "it belongs to tests, examples or documentation, not to the product"
            };
            Some(role.to_owned())
        }
        RankCause::OldCode => {
            let is_old = reasons.value_of("has_legacy_path").is_some_and(|value| value.own > 0.0);
            is_old.then(|| "its path looks like that of old, copied or generated code".to_owned())
        }
        RankCause::Feedback if reasons.effect_of(cause).effect < 0.0 => {
            Some("it was marked as not useful for tasks like this".to_owned())
        }
        RankCause::Usage if reasons.effect_of(cause).effect < 0.0 => {
            Some("it was in earlier packs for tasks like this, and was not used".to_owned())
        }
        _ => None,
    }
}

/// Describes how the words of a symbol match less well than those of the symbols before it.
fn opposing_words(reasons: &RankReasons) -> String {
    let words = &reasons.words;
    if words.matched == 0 {
        return "none of the task's words is in it".to_owned();
    }
    let lacks = |cause: RankCause| !words.present.contains(&cause) && reasons.effect_of(cause).gap < 0.0;
    match (lacks(RankCause::Name), lacks(RankCause::Path)) {
        (true, true) => "none of the task's words is in its name or path".to_owned(),
        (true, false) => "none of the task's words is in its name".to_owned(),
        _ if 2 * words.matched <= words.known => {
            format!("it has only {} of the task's {}", words.matched, render_quantity(words.known, "word"))
        }
        _ => "the task's words match it less well".to_owned(),
    }
}

fn stand_in_text(reasons: &RankReasons) -> Option<String> {
    let stand_in = reasons.facts.stand_in.as_ref()?;
    if stand_in.phrases.is_empty() {
        return Some("words of the task are in the names of its callers or of what it calls".to_owned());
    }
    let quoted: Vec<String> =
        stand_in.phrases.iter().take(2).map(|phrase| format!("\"{}\"", render_prose(phrase))).collect();
    let framework =
        stand_in.framework.as_ref().map(|id| format!(" in {}", render_prose(id))).unwrap_or_default();
    let (noun, verb) = if quoted.len() == 1 { ("phrase", "stands") } else { ("phrases", "stand") };
    Some(format!("the task's {noun} {} {verb} for it{framework}", join_list(&quoted)))
}

fn commits_text(reasons: &RankReasons) -> Option<String> {
    let commits = &reasons.facts.commits;
    let (count, object) = match (commits.symbol, commits.file) {
        (0, 0) => return None,
        (0, file) => (file, "its file"),
        (symbol, _) => (symbol, "it"),
    };
    let about = if commits.words.is_empty() {
        "with messages like the task".to_owned()
    } else {
        format!("about {}", quote_words(&commits.words, "and"))
    };
    Some(format!("{} {about} changed {object}", render_quantity(count, "commit")))
}

fn connection_text(reasons: &RankReasons) -> Option<String> {
    let near = reasons.facts.neighbor.as_ref()?;
    let name = code_span(&near.neighbor.name);
    let rank = render_ordinal(near.neighbor.rank);
    if near.others > 0 {
        let count = near.others + 1;
        return Some(format!(
            "calls and uses link it to {count} of the first 20 symbols (among them {name}, ranked {rank})"
        ));
    }
    Some(match near.role {
        NeighborRole::User => format!("{name} (ranked {rank}) {}", describe_use(near.kind, "it")),
        NeighborRole::Used => {
            format!("it {}", describe_use(near.kind, &format!("{name} (ranked {rank})")))
        }
    })
}

/// Describes recent or frequent changes of a symbol, if it changed more than other symbols.
fn active_text(reasons: &RankReasons) -> Option<String> {
    let (age, commits) = (reasons.value_of("symbol_age")?, reasons.value_of("symbol_commits")?);
    if age.own < age.typical && age.own < 1.0 {
        return Some("it changed on the day of the newest commit".to_owned());
    }
    if age.own < age.typical && age.own <= 365.0 {
        return Some(format!("it changed recently ({} before the newest commit)", describe_days(age.own)));
    }
    let changes_often = commits.own > 1.0 && commits.own > commits.typical;
    changes_often
        .then(|| format!("it changes often ({} known)", render_quantity(commits.own as usize, "commit")))
}

/// Describes the time since a symbol changed, if it is longer than for other symbols.
fn inactive_text(reasons: &RankReasons) -> Option<String> {
    let age = reasons.value_of("symbol_age")?;
    let is_known = age.own < UNKNOWN_AGE && age.own > 365.0 && age.own >= age.typical;
    is_known.then(|| format!("it has not changed for {}", describe_days(age.own)))
}

/// Returns a time in days or years: `12 days`, `3 years`.
fn describe_days(days: f64) -> String {
    let days = days.max(0.0).round() as usize;
    if days >= 730 { render_quantity(days / 365, "year") } else { render_quantity(days, "day") }
}

/// Returns the plural of the symbol's kind: `functions`, `classes`, `properties`.
fn kind_plural(reasons: &RankReasons) -> Option<String> {
    let noun = reasons.facts.kind?.as_str().replace('_', " ");
    Some(match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('s') => format!("{noun}es"),
        None => format!("{noun}s"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_and_lists_read_like_english() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 22, 111, 1_013].map(render_ordinal),
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "111th", "1,013th"]
        );
        let list =
            |items: &[&str]| join_list(&items.iter().map(|item| (*item).to_owned()).collect::<Vec<String>>());
        assert_eq!([list(&["a"]), list(&["a", "b"]), list(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
        assert_eq!(
            [describe_days(1.2), describe_days(729.0), describe_days(1_100.0)],
            ["1 day", "729 days", "3 years"]
        );
    }
}
