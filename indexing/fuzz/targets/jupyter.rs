//! Extracts facts from arbitrary bytes as a Jupyter notebook.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kenning_indexing_fuzz::check_language("jupyter", data));
