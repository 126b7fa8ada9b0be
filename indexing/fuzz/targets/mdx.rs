//! Extracts facts from arbitrary bytes as a file of the language `mdx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("mdx", data));
