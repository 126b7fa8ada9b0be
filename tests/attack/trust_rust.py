"""Creates hostile Rust workspaces: all ways in which cargo, rustup and rust-analyzer run
programs of a workspace."""

from .workspaces import write_file

RUST_SOURCE = """pub struct Adder;

impl Adder {
    pub fn go(&self) -> u32 { helper() }
}

pub fn helper() -> u32 { 1 }

pub fn go_twice() -> u32 { Adder.go() + helper() }
"""

PACKAGE = "[package]\nname = 'x'\nversion = '0.1.0'\nedition = '2021'\n"
TOOLCHAIN_PROGRAMS = ("rust-analyzer", "rustc", "cargo")


def write_rust_package(workspace, manifest="", source=""):
    """Writes a package with a call in it; `manifest` and `source` are added to its files."""
    write_file(workspace / "Cargo.toml", PACKAGE + manifest)
    write_file(workspace / "src/lib.rs", RUST_SOURCE + source)


def rustup_toolchain_path(case):
    """rust-toolchain.toml names a toolchain in the workspace."""
    write_rust_package(case.workspace)
    plant_toolchain(case)
    case.write("rust-toolchain.toml", f'[toolchain]\npath = "{case.workspace}/toolchain"\n')


def rustup_toolchain_relative(case):
    """rust-toolchain.toml names a toolchain by a relative path, which works in any clone."""
    write_rust_package(case.workspace)
    plant_toolchain(case)
    case.write("rust-toolchain.toml", '[toolchain]\npath = "./toolchain"\n')


def plant_toolchain(case):
    for program in TOOLCHAIN_PROGRAMS:
        case.plant(f"toolchain/bin/{program}")
    (case.workspace / "toolchain/lib").mkdir()


def cargo_configuration_rustc_wrapper(case):
    """.cargo/config.toml wraps rustc in a script."""
    write_rust_package(case.workspace)
    case.plant("evil.sh", 'exec "$@"')
    case.write(".cargo/config.toml", '[build]\nrustc-wrapper = "./evil.sh"\nrustc-workspace-wrapper = "./evil.sh"\n')


def cargo_configuration_rustc(case):
    """.cargo/config.toml names another rustc."""
    write_rust_package(case.workspace)
    case.plant("evil.sh", 'exec rustc "$@"')
    case.write(".cargo/config.toml", '[build]\nrustc = "./evil.sh"\n')


def cargo_configuration_git(case):
    """.cargo/config.toml makes git fetch dependencies through an ssh script."""
    write_rust_package(case.workspace, "[dependencies]\ny = { git = 'https://127.0.0.1:9/y' }\n")
    script = case.plant("evil.sh")
    case.write(
        ".cargo/config.toml",
        f"[net]\ngit-fetch-with-cli = true\noffline = false\n[env]\nGIT_SSH_COMMAND = '{script}'\n",
    )


def rust_build_script_and_macro(case):
    """A build script and a procedural macro write the marker."""
    manifest = "build = 'build.rs'\n[dependencies]\npm = { path = 'pm' }\n"
    write_rust_package(case.workspace, manifest, "pm::m!();\n")
    case.write("build.rs", f'fn main() {{ std::fs::write("{case.marker}", "build.rs").unwrap(); }}\n')
    case.write("pm/Cargo.toml", PACKAGE.replace("'x'", "'pm'") + "[lib]\nproc-macro = true\n")
    case.write(
        "pm/src/lib.rs",
        "use proc_macro::TokenStream;\n"
        "#[proc_macro]\n"
        "pub fn m(_: TokenStream) -> TokenStream {\n"
        f'    std::fs::write("{case.marker}", "macro").unwrap();\n'
        "    TokenStream::new()\n"
        "}\n",
    )


def rust_analyzer_toml(case):
    """rust-analyzer.toml names programs for checks, build scripts, macros, formatting and
    discovery."""
    write_rust_package(case.workspace, "build = 'build.rs'\n")
    case.write("build.rs", "fn main() {}\n")
    script = case.plant("evil.sh")
    case.write(
        "rust-analyzer.toml",
        f"[check]\noverrideCommand = ['{script}']\n"
        f"[cargo.buildScripts]\nenable = true\noverrideCommand = ['{script}']\n"
        f"[procMacro]\nenable = true\nserver = '{script}'\n"
        f"[rustfmt]\noverrideCommand = ['{script}']\n"
        f"[workspace.discoverConfig]\ncommand = ['{script}']\nprogressLabel = 'x'\nfilesToWatch = ['Cargo.toml']\n",
    )


# The program that each case needs to be conclusive.
CASES = {
    rustup_toolchain_path: "rustup",
    rustup_toolchain_relative: "rustup",
    cargo_configuration_rustc_wrapper: "rust-analyzer",
    cargo_configuration_rustc: "rust-analyzer",
    cargo_configuration_git: "rust-analyzer",
    rust_build_script_and_macro: "rust-analyzer",
    rust_analyzer_toml: "rust-analyzer",
}
