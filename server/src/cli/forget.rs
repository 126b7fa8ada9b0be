//! `kenning forget`: deletes learned feedback for a workspace.

use super::args::ForgetArgs;
use super::{output, workspace};
use crate::{answer, symbol_names};
use kenning_graph::Hash;

/// Deletes the feedback and prints how many entries were deleted.
pub fn run_forget(args: &ForgetArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open_workspace(&args.workspace)?;
    workspace::rebuild_if_damaged(&mut workspace)?;
    let symbol = match &args.symbol {
        // The feedback on a removed symbol can still be deleted by the symbol's id.
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
    let deleted = match workspace::open_memory(&workspace)? {
        Some(mut store) => store.forget_learned(symbol.as_ref())?.total(),
        None => 0,
    };
    output::print_text(&match deleted {
        0 => "No feedback found.\n".to_owned(),
        1 => "Deleted 1 feedback entry.\n".to_owned(),
        n => format!("Deleted {n} feedback entries.\n"),
    })
}
