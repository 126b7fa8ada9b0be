//! Untrusted workspaces that try to run a program. Each workspace plants the program wherever the
//! tools of its language may look, and the program writes a marker when it runs. A test passes only
//! if the language servers answered and ran none of the workspace's code.

pub mod c_php_shell;

use super::installed::search_path;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Maximum number of parallel runs: on two cores, servers wait for the disk and for one another.
const PARALLEL_RUNS: usize = 4;
/// Maximum time until the servers of a session have answered.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Variables of the machine that the runs inherit: they locate parts of the tools, and the tests
/// use another home folder.
const INHERITED_VARIABLES: [&str; 6] =
    ["RUSTUP_HOME", "CARGO_HOME", "GOPATH", "GOCACHE", "GOMODCACHE", "KENNING_SANDBOX"];

const RUST: &str = "pub struct A;\nimpl A { pub fn go(&self) -> u32 { helper() } }\npub fn helper() -> u32 { 1 }\npub fn all() -> u32 { A.go() + helper() }\n";
const GO: &str = "package main\n\ntype A struct{}\n\nfunc (a A) Go() int { return helper() }\n\nfunc helper() int { return 1 }\n\nfunc main() { A{}.Go(); helper() }\n";
const TYPESCRIPT: &str = "export class A { go(): number { return helper() } }\nexport function helper(): number { return 1 }\nnew A().go()\n";
const PYTHON: &str =
    "class A:\n    def go(self):\n        return helper()\n\n\ndef helper():\n    return 1\n\n\nA().go()\n";
const PACKAGE: &str = "[package]\nname = 'x'\nversion = '0.1.0'\nedition = '2021'\n";

/// A workspace with code that writes a marker when it runs.
pub struct HostileWorkspace {
    folder: TempDir,
}

impl HostileWorkspace {
    fn new() -> Self {
        let hostile = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(hostile.root()).unwrap();
        hostile
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    fn marker(&self) -> PathBuf {
        self.folder.path().join("marker")
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.root().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Creates a program that writes the marker and then runs its arguments as a command.
    fn create_program(&self, name: &str) -> String {
        let marker = self.marker();
        self.write(name, &format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\nexec \"$@\"\n", marker.display()));
        let file = self.root().join(name);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file.to_str().unwrap().to_owned()
    }

    /// Compiles a library that writes the marker when it is loaded.
    fn compile_library(&self, name: &str) -> String {
        let source = self.folder.path().join("library.c");
        let text = format!(
            "#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ FILE *f = fopen(\"{}\", \"a\"); if (f) {{ \
             fputs(\"library\\n\", f); fclose(f); }} }}\n",
            self.marker().display()
        );
        std::fs::write(&source, text).unwrap();
        let library = self.root().join(name);
        let compiled =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
        assert!(compiled.unwrap().success(), "cc cannot compile the library");
        library.to_str().unwrap().to_owned()
    }

    /// Returns JavaScript code that writes the marker.
    fn javascript_code(&self) -> String {
        let marker = serde_json::to_string(self.marker().to_str().unwrap()).unwrap();
        format!(
            "require('fs').appendFileSync({marker}, __filename + '\\n');\nmodule.exports = () => ({{ create: i => i.languageService }});\n"
        )
    }

    /// Returns Python code that writes the marker.
    fn python_code(&self) -> String {
        format!("open({:?}, 'a').write(__file__)\n", self.marker().to_str().unwrap())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        let state = self.folder.path().join("state");
        command
            .args(arguments)
            .env_clear()
            .env("PATH", search_path())
            .env("HOME", &state)
            .current_dir(self.folder.path());
        for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env(name, state.join(name));
        }
        for name in INHERITED_VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// Returns the report of `kenning enrich` on each server.
    fn enrich(&self, server: &str) -> Value {
        let mut command = self.command(&["enrich", "--format", "json", "--server", server]);
        let output = command.arg(self.root()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
            panic!("kenning enrich: {}", String::from_utf8_lossy(&output.stderr));
        })
    }

    /// Returns the report of a session on each server once all have answered or failed.
    fn serve(&self) -> Value {
        let mut session = HostileSession::open(self);
        let started = Instant::now();
        loop {
            let status = session.send_request(
                "workspace/executeCommand",
                json!({"command": "kenning.status", "arguments": [{}]}),
            );
            let servers = status["enrichment"].clone();
            let done = |server: &Value| {
                matches!(server["state"].as_str(), Some("ready" | "failed" | "absent" | "backoff"))
            };
            let all = servers.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(done));
            if all || started.elapsed() > ANSWER_TIMEOUT {
                return servers;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// A session with the real program over its standard streams. The program is killed when the
/// session is dropped.
struct HostileSession {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
    id: u64,
}

impl HostileSession {
    fn open(hostile: &HostileWorkspace) -> Self {
        let mut command = hostile.command(&["serve"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut session = Self { process, answers, id: 0 };
        let uri = lsp_types::Uri::from_file_path(hostile.root()).unwrap();
        let folders = json!([{"uri": uri, "name": "workspace"}]);
        session.send_request(
            "initialize",
            json!({"processId": null, "rootUri": uri, "workspaceFolders": folders, "capabilities": {}}),
        );
        session.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        session
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let stdin = self.process.stdin.as_mut().unwrap();
        write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stdin.flush().unwrap();
    }

    fn send_request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        loop {
            let message = self.read();
            match (message["id"].clone(), message.get("method")) {
                (Value::Null, _) => {}
                (id, Some(_)) => self.send(&json!({"jsonrpc": "2.0", "id": id, "result": null})),
                (id, None) if id == self.id => return message["result"].clone(),
                _ => {}
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the session has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.answers.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

impl Drop for HostileSession {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The way in which the program runs in a workspace.
#[derive(Clone, Copy, Debug)]
enum RunMode {
    /// As the command `kenning enrich`.
    Enrich,
    /// As a session of the language server.
    Serve,
}

/// A case: its name, the server that has to answer, and the function that plants the program.
type Case = (&'static str, &'static str, fn(&HostileWorkspace));

/// Runs each case as a command and as a session, several at a time, and panics with all failures.
pub fn check(cases: &[Case]) {
    check_all(cases.iter().flat_map(|case| [(case, RunMode::Enrich), (case, RunMode::Serve)]));
}

/// Runs each case as a command only, for servers that a session would not choose.
pub fn check_enrich(cases: &[Case]) {
    check_all(cases.iter().map(|case| (case, RunMode::Enrich)));
}

fn check_all<'c>(runs: impl Iterator<Item = (&'c Case, RunMode)> + Send) {
    let (runs, failures) = (Mutex::new(runs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..PARALLEL_RUNS {
            scope.spawn(|| {
                loop {
                    let Some((case, mode)) = runs.lock().unwrap().next() else { return };
                    let result = std::panic::catch_unwind(|| run_case(case, mode));
                    let failure = result.unwrap_or_else(|_| Some("the test itself failed".to_owned()));
                    failures
                        .lock()
                        .unwrap()
                        .extend(failure.map(|failure| format!("{} [{mode:?}]: {failure}", case.0)));
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Runs one case. Returns the failure; `None` if it passes.
fn run_case(case: &Case, mode: RunMode) -> Option<String> {
    let (_, server, plant) = case;
    let hostile = HostileWorkspace::new();
    plant(&hostile);
    assert!(!hostile.marker().exists(), "planting the program already ran it");
    let servers = match mode {
        RunMode::Enrich => hostile.enrich(server),
        RunMode::Serve => hostile.serve(),
    };
    // Code of the workspace may also run a little later.
    std::thread::sleep(Duration::from_millis(300));
    if let Ok(ran) = std::fs::read_to_string(hostile.marker()) {
        return Some(format!("code of the workspace ran: {ran}"));
    }
    let used = servers.as_array().into_iter().flatten().find(|row| row["name"] == **server);
    match used {
        Some(row) if row["state"] == "ready" && row["confirmed"].as_u64() > Some(0) => None,
        _ => Some(format!("{server} did not answer: {servers}")),
    }
}

/// The workspaces, by the files that the tools of their language read.
pub mod plants {
    use super::{GO, HostileWorkspace, PACKAGE, PYTHON, RUST, TYPESCRIPT};
    use std::process::Command;

    /// Plants a `.cargo/config.toml` with everything that names programs, flags and variables.
    pub fn cargo_configuration(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        workspace.create_program("run.sh");
        workspace.write(
            ".cargo/config.toml",
            "[build]\nrustc-wrapper = './run.sh'\nrustc-workspace-wrapper = './run.sh'\nrustdoc = './run.sh'\n\
             [alias]\nmetadata = '!./run.sh'\nlocate-project = '!./run.sh'\n\
             [registry]\nglobal-credential-providers = ['./run.sh']\n[net]\noffline = false\ngit-fetch-with-cli = true\n\
             [target.'cfg(all())']\nlinker = './run.sh'\nrunner = './run.sh'\n",
        );
    }

    /// Plants the compiler itself.
    pub fn cargo_compiler(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        workspace.create_program("run.sh");
        workspace.write(".cargo/config.toml", "[build]\nrustc = './run.sh'\n");
    }

    /// Plants a library that is loaded into the compiler as its code generator.
    pub fn cargo_flags(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        let library = workspace.compile_library("generator.so");
        workspace.write(
            ".cargo/config.toml",
            &format!("[build]\nrustflags = ['-Zcodegen-backend={library}']\n[target.'cfg(all())']\nrustflags = ['-Zcodegen-backend={library}']\n"),
        );
    }

    /// Plants a library that is loaded into everything that cargo runs.
    pub fn cargo_variables(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        let library = workspace.compile_library("preloaded.so");
        workspace.write(
            ".cargo/config.toml",
            &format!("[env]\nLD_PRELOAD = {{ value = '{library}', force = true }}\n"),
        );
    }

    /// Plants a toolchain in the workspace.
    pub fn toolchain_folder(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        for name in ["rust-analyzer", "rustc", "cargo"] {
            workspace.create_program(&format!("chain/bin/{name}"));
        }
        workspace.write("chain/lib/keep", "");
        workspace.write(
            "rust-toolchain.toml",
            &format!("[toolchain]\npath = '{}/chain'\n", workspace.root().display()),
        );
    }

    /// Names a toolchain that is not installed, which rustup would download.
    pub fn toolchain_download(workspace: &HostileWorkspace) {
        workspace.write("Cargo.toml", PACKAGE);
        workspace.write("src/lib.rs", RUST);
        workspace.write("rust-toolchain.toml", "[toolchain]\nchannel = '1.70.0'\nprofile = 'minimal'\n");
    }

    /// Plants a build script, a macro, and settings of rust-analyzer.
    pub fn rust_code(workspace: &HostileWorkspace) {
        workspace.write(
            "Cargo.toml",
            &format!("{PACKAGE}build = 'build.rs'\n[dependencies]\npm = {{ path = 'pm' }}\n"),
        );
        workspace.write("src/lib.rs", &format!("{RUST}pm::m!();\n"));
        let write = format!("std::fs::write({:?}, \"ran\").unwrap();", workspace.marker().to_str().unwrap());
        workspace.write("build.rs", &format!("fn main() {{ {write} }}\n"));
        workspace
            .write("pm/Cargo.toml", &format!("{}[lib]\nproc-macro = true\n", PACKAGE.replace("'x'", "'pm'")));
        workspace.write(
            "pm/src/lib.rs",
            &format!("use proc_macro::TokenStream;\n#[proc_macro]\npub fn m(_: TokenStream) -> TokenStream {{ {write} TokenStream::new() }}\n"),
        );
        let run = workspace.create_program("run.sh");
        workspace.write(
            "rust-analyzer.toml",
            &format!(
                "[check]\noverrideCommand = ['{run}']\n[cargo.buildScripts]\nenable = true\noverrideCommand = ['{run}']\n\
                 [procMacro]\nenable = true\nserver = '{run}'\n[rustfmt]\noverrideCommand = ['{run}']\n\
                 [workspace.discoverConfig]\ncommand = ['{run}']\nprogressLabel = 'x'\nfilesToWatch = ['Cargo.toml']\n"
            ),
        );
        settings(workspace, &run);
    }

    /// Plants programs that editors and Kenning would start if the user trusted the workspace.
    pub(super) fn settings(workspace: &HostileWorkspace, run: &str) {
        let servers = [
            "pyright",
            "gopls",
            "typescript-language-server",
            "rust-analyzer",
            "ty",
            "basedpyright",
            "vtsls",
            "clangd",
            "intelephense",
            "bash-language-server",
        ];
        let rows = servers.map(|name| format!("[servers.{name}]\ncommand = '{run}'\nargs = ['x']\n"));
        workspace.write("kenning.toml", &format!("workspaceTrust = true\n{}", rows.concat()));
        workspace.write(
            ".vscode/settings.json",
            &format!("{{\"rust-analyzer.server.path\": {run:?}, \"python.defaultInterpreterPath\": {run:?}, \"gopls.path\": {run:?}, \"typescript.tsdk\": \".\"}}"),
        );
        for name in [
            "pyright-langserver",
            "typescript-language-server",
            "gopls",
            "node",
            "python",
            "python3",
            "tsserver",
            "ty",
            "vtsls",
        ] {
            for folder in ["node_modules/.bin", ".venv/bin", "bin"] {
                workspace.create_program(&format!("{folder}/{name}"));
            }
        }
    }

    /// Plants interpreters, environments, and modules that shadow those of the language.
    pub fn python(workspace: &HostileWorkspace) {
        workspace.write("app.py", PYTHON);
        let run = workspace.create_program("run.sh");
        settings(workspace, &run);
        for name in ["python", "python3", "uv"] {
            workspace.create_program(&format!("environments/own/bin/{name}"));
        }
        let root = workspace.root();
        let root = root.to_str().unwrap();
        for folder in [".venv", "environments/own"] {
            workspace.write(&format!("{folder}/pyvenv.cfg"), &format!("home = {root}/.venv/bin\n"));
            let packages = format!("{folder}/lib/python3.12/site-packages");
            workspace
                .write(&format!("{packages}/evil.pth"), &format!("import os; {}", workspace.python_code()));
            workspace.write(&format!("{packages}/sitecustomize.py"), &workspace.python_code());
        }
        for name in
            ["sitecustomize", "usercustomize", "json", "sys", "os", "encodings", "site", "setup", "conftest"]
        {
            workspace.write(&format!("{name}.py"), &workspace.python_code());
        }
        workspace.write(
            "pyrightconfig.json",
            &format!("{{\"venvPath\": \"{root}/environments\", \"venv\": \"own\"}}"),
        );
        workspace.write(
            "pyproject.toml",
            "[tool.pyright]\nvenv = 'own'\nvenvPath = 'environments'\n[tool.ty.environment]\npython = 'environments/own'\n[tool.uv]\n",
        );
        workspace.write(".python-version", "../../workspace");
        workspace.write(".tool-versions", &format!("python path:{root}/.venv\nnodejs path:{root}/.venv\n"));
        workspace.write(".envrc", &run);
        workspace.write(".mise.toml", &format!("[hooks]\nenter = '{run}'\n[env]\n_.source = '{run}'\n"));
    }

    /// Plants a TypeScript of the workspace, plugins of its server, and hooks of node and package
    /// managers.
    pub fn typescript(workspace: &HostileWorkspace) {
        workspace.write("app.ts", TYPESCRIPT);
        let run = workspace.create_program("run.sh");
        settings(workspace, &run);
        workspace.write("package.json", "{\"name\": \"x\"}");
        workspace.write(
            "tsconfig.json",
            "{\"compilerOptions\": {\"plugins\": [{\"name\": \"evil\"}, {\"name\": \"./evil\"}]}}",
        );
        for file in ["tsserver.js", "typescript.js", "tsserverlibrary.js", "_tsserver.js", "tsc.js"] {
            workspace.write(&format!("node_modules/typescript/lib/{file}"), &workspace.javascript_code());
        }
        workspace.write(
            "node_modules/typescript/package.json",
            "{\"name\": \"typescript\", \"version\": \"5.4.0\", \"main\": \"lib/typescript.js\"}",
        );
        for folder in ["node_modules/evil", "evil"] {
            workspace
                .write(&format!("{folder}/package.json"), "{\"name\": \"evil\", \"main\": \"index.js\"}");
            workspace.write(&format!("{folder}/index.js"), &workspace.javascript_code());
        }
        for file in [".pnp.cjs", ".pnp.js", ".pnp.loader.mjs"] {
            workspace.write(file, &workspace.javascript_code());
        }
        workspace.write(
            ".npmrc",
            &format!("node-options=--require {}/.pnp.cjs\nscript-shell={run}\n", workspace.root().display()),
        );
    }

    /// Plants flags, drivers, compilers and toolchains of Go.
    pub fn go(workspace: &HostileWorkspace) {
        workspace.write("main.go", GO);
        let run = workspace.create_program("run.sh");
        settings(workspace, &run);
        for name in ["gopackagesdriver", "bin/gopackagesdriver", "gcc", "cc", "go"] {
            workspace.create_program(name);
        }
        workspace.write("go.mod", "module x\n\ngo 1.21\n\ntoolchain go1.99.0\n");
        workspace.write("go.env", &format!("GOFLAGS=-toolexec={run}\nCC={run}\n"));
        workspace.write(".config/go/env", &format!("GOFLAGS=-toolexec={run}\n"));
        workspace.write("cg/c.go", "package cg\n\n// #cgo CFLAGS: -fplugin=./evil.so\n// int f(void){return 1;}\nimport \"C\"\n\nfunc F() int { return int(C.f()) }\n");
    }

    /// Plants programs in the repository's git configuration, which Go asks for versions.
    pub fn git(workspace: &HostileWorkspace) {
        workspace.write("main.go", GO);
        workspace.write("go.mod", "module x\n\ngo 1.21\n");
        workspace.write(".gitattributes", "*.go filter=evil diff=evil merge=evil\n");
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(words)
                .current_dir(workspace.root());
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
            assert!(command.output().unwrap().status.success(), "git {words:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-qm", "x"]);
        let run = workspace.create_program("run.sh");
        for key in [
            "core.fsmonitor",
            "core.sshCommand",
            "core.pager",
            "core.editor",
            "core.askPass",
            "core.gitProxy",
            "core.alternateRefsCommand",
            "core.hooksPath",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "diff.evil.command",
            "diff.evil.textconv",
            "diff.external",
            "merge.evil.driver",
            "gpg.program",
            "credential.helper",
            "uploadpack.packObjectsHook",
            "remote.origin.uploadpack",
            "interactive.diffFilter",
        ] {
            git(&["config", key, &run]);
        }
        for hook in ["post-checkout", "pre-commit", "post-index-change", "reference-transaction"] {
            workspace.create_program(&format!(".git/hooks/{hook}"));
        }
    }
}
