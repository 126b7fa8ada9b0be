//! `kenning forget`: deletes the data learned about a workspace, after asking.

use super::args::ForgetArgs;
use super::delivery::print_outcome;
use super::{target, workspace};
use crate::format::wording::render_quantity;
use crate::terminal::report_text::ReportLine;
use crate::terminal::screen::NAME_STYLE;
use crate::{answer, symbol_names};
use anyhow::bail;
use kenning_graph::Hash;
use kenning_graph::store::ForgottenRows;

/// Deletes feedback, uses, learned words and remembered symbols, and prints how many were deleted.
pub fn run_forget(args: &ForgetArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open_workspace(&args.workspace)?;
    workspace::rebuild_if_damaged(&mut workspace)?;
    let symbol = match &args.symbol {
        // The id of a removed symbol also selects its learned data.
        Some(name) => Some(Hash::from_hex(name).map_or_else(
            || {
                let snapshot = workspace.current_snapshot();
                let id = symbol_names::find_symbol(&snapshot, name)?;
                let symbol = snapshot.symbol(id).map(|symbol| symbol.hash);
                symbol.ok_or_else(|| answer::QuestionError::UnknownSymbol {
                    name: name.clone(),
                    similar: Vec::new(),
                })
            },
            Ok,
        )?),
        None => None,
    };
    let subject = args.symbol.as_deref().unwrap_or("this workspace");
    let root = workspace.root_path();
    let nothing_learned = || {
        let line = ReportLine::default().with_text("Nothing was learned about ");
        print_outcome(root, &line.with_words(subject, NAME_STYLE).with_text(".").into())
    };
    let Some(mut store) = workspace::open_memory(&workspace)? else { return nothing_learned() };
    let known = store.count_learned(symbol.as_ref())?;
    if known.total() == 0 {
        return nothing_learned();
    }
    if !args.yes {
        let learned = describe_rows(known);
        if !target::can_ask() {
            bail!(
                "{learned} would be deleted, but there is no terminal to ask on; pass --yes to delete without a question"
            );
        }
        if !target::ask_yes_or_no(&format!("Delete {learned} about {subject}?"))? {
            return print_outcome(root, &ReportLine::headline("Nothing was deleted.").into());
        }
    }
    let deleted = store.forget_learned(symbol.as_ref())?;
    print_outcome(root, &ReportLine::headline(format!("Deleted {}.", describe_rows(deleted))).into())
}

/// Describes learned data: `1 feedback entry, the uses of 2 symbols and 3 learned words`.
fn describe_rows(rows: ForgottenRows) -> String {
    let feedback = match rows.feedback {
        1 => "1 feedback entry".to_owned(),
        count => format!("{count} feedback entries"),
    };
    let parts = [
        (rows.feedback, feedback),
        (rows.uses, render_quantity(rows.uses, "record") + " of use"),
        (rows.words, render_quantity(rows.words, "learned word")),
        (rows.remembered, render_quantity(rows.remembered, "remembered symbol")),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| part.0 > 0).map(|part| part.1).collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_only_existing_data() {
        let describe = |feedback, uses, words| {
            describe_rows(ForgottenRows { feedback, uses, words, ..ForgottenRows::default() })
        };
        assert_eq!(
            describe_rows(ForgottenRows { remembered: 5, words: 1, ..ForgottenRows::default() }),
            "1 learned word and 5 remembered symbols"
        );
        assert_eq!(describe(1, 0, 0), "1 feedback entry");
        assert_eq!(describe(0, 2, 1), "2 records of use and 1 learned word");
        assert_eq!(describe(3, 1, 2), "3 feedback entries, 1 record of use and 2 learned words");
    }
}
