//! The `kenning` binary.

fn main() -> std::process::ExitCode {
    match kenning_enrichment::client::guardian::run_if_guardian() {
        Some(status) => status,
        None => kenning::cli::main(),
    }
}
