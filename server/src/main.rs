//! The `kenning` binary.

fn main() -> std::process::ExitCode {
    kenning::cli::main()
}
