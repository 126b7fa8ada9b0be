//! Extracts facts from arbitrary bytes as a GitLab CI pipeline.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("gitlab_ci", data));
