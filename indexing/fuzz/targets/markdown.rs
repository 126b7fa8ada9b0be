//! Extracts facts from arbitrary bytes as a file of the language `markdown`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("markdown", data));
