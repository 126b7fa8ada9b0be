//! Extracts facts from arbitrary bytes as an OpenAPI document.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("openapi", data));
