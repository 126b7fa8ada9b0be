//! Compiles `bounded_parse/parse.c`, which calls tree-sitter and needs its header.

fn main() {
    const SOURCE: &str = "src/bounded_parse/parse.c";
    println!("cargo:rerun-if-changed={SOURCE}");
    let headers = std::env::var_os("DEP_TREE_SITTER_INCLUDE")
        .expect("the crate tree-sitter gives the folder of its headers to crates that depend on it");
    cc::Build::new().std("c11").include(headers).file(SOURCE).compile("kenning-bounded-parse");
}
