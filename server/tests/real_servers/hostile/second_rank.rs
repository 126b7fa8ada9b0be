//! Hostile workspaces in C, PHP and shell.

use super::HostileWorkspace;
use super::plants::settings;

const C: &str = "struct a { int n; };\n\nstatic int helper(void) {\n    return 1;\n}\n\nint go(struct a *a) {\n    return helper() + a->n;\n}\n\nint main(void) {\n    struct a a = {0};\n    return go(&a) + helper();\n}\n";
const PHP: &str = "<?php\nclass A {\n    public function go() { return helper(); }\n}\nfunction helper() { return 1; }\n(new A())->go();\nhelper();\n";

/// Plants compilers, drivers and plugins of the compiler.
pub fn c(w: &HostileWorkspace) {
    w.write("main.c", C);
    let run = w.program("run.sh");
    settings(w, &run);
    let library = w.library("evil.so");
    for name in ["cc", "gcc", "clang", "bin/cc", "clang-tidy", "clangd"] {
        w.program(name);
    }
    let root = w.root();
    let root = root.to_str().unwrap();
    let flags = ["-fplugin", "-load", "-fpass-plugin"].map(|flag| format!("\"{flag}={library}\"")).join(", ");
    w.write(
        "compile_commands.json",
        &format!(
            "[{{\"directory\": \"{root}\", \"file\": \"main.c\", \"arguments\": [\"{run}\", {flags}, \"-Xclang\", \"-load\", \"-Xclang\", \"{library}\", \"-c\", \"main.c\"]}}]"
        ),
    );
    w.write(
        ".clangd",
        &format!(
            "CompileFlags:\n  Compiler: {run}\n  BuiltinHeaders: QueryDriver\n  Add: [\"-fplugin={library}\"]\nIndex:\n  Background: Build\n"
        ),
    );
    w.write(".clang-tidy", "Checks: '*'\n");
    w.write(
        "CMakeLists.txt",
        &format!("project(x C)\nexecute_process(COMMAND {run})\nadd_executable(x main.c)\n"),
    );
    w.write("Makefile", &format!("X := $(shell {run})\nall:\n\t{run}\n"));
}

/// Plants autoloaders, interpreters and settings.
pub fn php(w: &HostileWorkspace) {
    w.write("app.php", PHP);
    let run = w.program("run.sh");
    settings(w, &run);
    for name in ["php", "bin/php", "vendor/bin/intelephense", "vendor/bin/php", "composer"] {
        w.program(name);
    }
    let code = format!("<?php\nfile_put_contents('{}', __FILE__);\n", w.marker().display());
    for file in ["vendor/autoload.php", "vendor/composer/autoload_real.php", "prepend.php"] {
        w.write(file, &code);
    }
    w.write(
        "composer.json",
        &format!("{{\"name\": \"x/x\", \"scripts\": {{\"post-autoload-dump\": [\"{run}\"]}}, \"autoload\": {{\"files\": [\"app.php\"]}}}}"),
    );
    w.write("php.ini", "auto_prepend_file = prepend.php\n");
    w.write(".phpactor.json", &format!("{{\"language_server_phpstan.bin\": \"{run}\"}}"));
}

/// Plants scripts, linters and their settings.
pub fn shell(w: &HostileWorkspace) {
    let run = w.program("run.sh");
    settings(w, &run);
    w.write(
        "main.sh",
        &format!(
            "#!/bin/bash\n. ./lib.sh\nhelper() {{\n    echo 1\n}}\ngo() {{\n    helper\n    helper\n    $({run})\n}}\necho x >'{}'\ngo\nhelper\n",
            w.marker().display()
        ),
    );
    w.write("lib.sh", &format!("echo x >'{}'\n", w.marker().display()));
    for name in ["shellcheck", "shfmt", "bash", "bin/bash", "node_modules/.bin/bash-language-server"] {
        w.program(name);
    }
    w.write(".shellcheckrc", "external-sources=true\n");
    w.write(".editorconfig", "root = true\n[*]\nshell_variant = bash\n");
}
