//! Extracts facts from arbitrary bytes as a pipeline of GitLab.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("gitlab_ci", data));
