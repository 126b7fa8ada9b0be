//! Prints the syntax tree of a file: `cargo run --example tree -- LANGUAGE FILE`.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, path] = arguments.as_slice() else {
        println!("usage: tree LANGUAGE FILE");
        return Ok(());
    };
    let text = std::fs::read(path)?;
    let extraction = kenning_indexing::extract::Extractor::new().extract_with_tree(language, &text, None);
    if let Some(tree) = extraction.tree {
        println!("{}", tree.root_node().to_sexp());
    }
    Ok(())
}
