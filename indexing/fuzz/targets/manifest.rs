//! Extracts facts from arbitrary bytes as manifests and lock files of packages.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("manifest", data));
