//! Extracts facts from arbitrary bytes as a workflow of GitHub Actions.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("github_actions", data));
