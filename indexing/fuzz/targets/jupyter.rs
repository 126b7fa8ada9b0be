//! Any bytes as jupyter.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check("jupyter", data));
