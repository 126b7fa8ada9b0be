//! Extracts facts from arbitrary bytes as objects of Kubernetes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("kubernetes", data));
