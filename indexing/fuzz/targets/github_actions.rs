//! Extracts facts from arbitrary bytes as a GitHub Actions workflow.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("github_actions", data));
