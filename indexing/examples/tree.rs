//! Prints the syntax tree of a file: `cargo run --example tree -- LANGUAGE FILE`.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read(&arguments[1])?;
    let extraction =
        kenning_indexing::extract::Extractor::new().extract_with_tree(&arguments[0], &text, None);
    if let Some(tree) = extraction.tree {
        println!("{}", tree.root_node().to_sexp());
    }
    Ok(())
}
