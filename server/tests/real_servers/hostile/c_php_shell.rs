//! Hostile workspaces in C, PHP and shell.

use super::HostileWorkspace;
use super::plants::settings;

const C: &str = "struct a { int n; };\n\nstatic int helper(void) {\n    return 1;\n}\n\nint go(struct a *a) {\n    return helper() + a->n;\n}\n\nint main(void) {\n    struct a a = {0};\n    return go(&a) + helper();\n}\n";
const PHP: &str = "<?php\nclass A {\n    public function go() { return helper(); }\n}\nfunction helper() { return 1; }\n(new A())->go();\nhelper();\n";

/// Plants compilers, drivers and plugins of the compiler.
pub fn c(workspace: &HostileWorkspace) {
    workspace.write("main.c", C);
    let run = workspace.create_program("run.sh");
    settings(workspace, &run);
    let library = workspace.compile_library("evil.so");
    for name in ["cc", "gcc", "clang", "bin/cc", "clang-tidy", "clangd"] {
        workspace.create_program(name);
    }
    let root = workspace.root();
    let root = root.to_str().unwrap();
    let flags = ["-fplugin", "-load", "-fpass-plugin"].map(|flag| format!("\"{flag}={library}\"")).join(", ");
    workspace.write(
        "compile_commands.json",
        &format!(
            "[{{\"directory\": \"{root}\", \"file\": \"main.c\", \"arguments\": [\"{run}\", {flags}, \"-Xclang\", \"-load\", \"-Xclang\", \"{library}\", \"-c\", \"main.c\"]}}]"
        ),
    );
    workspace.write(
        ".clangd",
        &format!(
            "CompileFlags:\n  Compiler: {run}\n  BuiltinHeaders: QueryDriver\n  Add: [\"-fplugin={library}\"]\nIndex:\n  Background: Build\n"
        ),
    );
    workspace.write(".clang-tidy", "Checks: '*'\n");
    workspace.write(
        "CMakeLists.txt",
        &format!("project(x C)\nexecute_process(COMMAND {run})\nadd_executable(x main.c)\n"),
    );
    workspace.write("Makefile", &format!("X := $(shell {run})\nall:\n\t{run}\n"));
}

/// Plants autoloaders, interpreters and settings.
pub fn php(workspace: &HostileWorkspace) {
    workspace.write("app.php", PHP);
    let run = workspace.create_program("run.sh");
    settings(workspace, &run);
    for name in ["php", "bin/php", "vendor/bin/intelephense", "vendor/bin/php", "composer"] {
        workspace.create_program(name);
    }
    let code = format!("<?php\nfile_put_contents('{}', __FILE__);\n", workspace.marker().display());
    for file in ["vendor/autoload.php", "vendor/composer/autoload_real.php", "prepend.php"] {
        workspace.write(file, &code);
    }
    workspace.write(
        "composer.json",
        &format!("{{\"name\": \"x/x\", \"scripts\": {{\"post-autoload-dump\": [\"{run}\"]}}, \"autoload\": {{\"files\": [\"app.php\"]}}}}"),
    );
    workspace.write("php.ini", "auto_prepend_file = prepend.php\n");
    workspace.write(".phpactor.json", &format!("{{\"language_server_phpstan.bin\": \"{run}\"}}"));
}

/// Plants scripts, linters and their settings.
pub fn shell(workspace: &HostileWorkspace) {
    let run = workspace.create_program("run.sh");
    settings(workspace, &run);
    workspace.write(
        "main.sh",
        &format!(
            "#!/bin/bash\n. ./lib.sh\nhelper() {{\n    echo 1\n}}\ngo() {{\n    helper\n    helper\n    $({run})\n}}\necho x >'{}'\ngo\nhelper\n",
            workspace.marker().display()
        ),
    );
    workspace.write("lib.sh", &format!("echo x >'{}'\n", workspace.marker().display()));
    for name in ["shellcheck", "shfmt", "bash", "bin/bash", "node_modules/.bin/bash-language-server"] {
        workspace.create_program(name);
    }
    workspace.write(".shellcheckrc", "external-sources=true\n");
    workspace.write(".editorconfig", "root = true\n[*]\nshell_variant = bash\n");
}
