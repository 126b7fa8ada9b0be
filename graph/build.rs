//! Checks for the programs that a build needs, before Cargo compiles a crate that would report
//! their absence less readably.
//!
//! The allocator of the program (`tikv-jemalloc-sys`) is built with `make`, and its build script
//! panics if `make` is missing. Cargo runs this script earlier, because it waits for no other crate
//! and more crates wait for it. A missing C compiler is reported by rustc, which links this script
//! with it ("linker `cc` not found").

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    let (system, library) = (variable("CARGO_CFG_TARGET_OS"), variable("CARGO_CFG_TARGET_ENV"));
    let uses_jemalloc = system == "macos" || (system == "linux" && library == "gnu");
    if uses_jemalloc && !is_on_search_path("make") {
        println!(
            "cargo::error=building Kenning needs `make`, which is not on the search path; {}",
            explain_installation(&system)
        );
    }
}

/// Returns the instructions for installing the programs that a build needs.
fn explain_installation(system: &str) -> &'static str {
    if system == "macos" {
        "install it with: xcode-select --install"
    } else {
        "install it and a C compiler with your package manager: `apt install build-essential` (Debian, Ubuntu), \
         `dnf install gcc make` (Fedora), `pacman -S base-devel` (Arch), `zypper install gcc make` (openSUSE)"
    }
}

/// Whether a folder of the search path contains `program`.
fn is_on_search_path(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| Path::new(&folder).join(program).is_file())
}
