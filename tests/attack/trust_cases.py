"""Creates hostile workspaces for the other languages, and for git, editors and version managers."""

import json

from .workspaces import git

PYTHON = "class A:\n    def go(self):\n        return helper()\n\n\ndef helper():\n    return 1\n\n\nA().go()\n"
TYPESCRIPT = """export class A { go(): number { return helper() } }
export function helper(): number { return 1 }
new A().go()
"""
GO = """package main

type A struct{}

func (a A) Go() int { return helper() }

func helper() int { return 1 }

func main() { A{}.Go(); helper() }
"""
RUBY = "class A\n  def go; helper; end\n  def helper; 1; end\nend\n"

# Settings that name programs for git to run.
GIT_PROGRAM_SETTINGS = (
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
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
    "core.hooksPath",
    "log.showSignature",
    "interactive.diffFilter",
)
# Settings that make git use those programs.
OTHER_GIT_SETTINGS = {
    "filter.evil.required": "true",
    "protocol.ext.allow": "always",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "core.repositoryformatversion": "1",
}


def node_marker(case, exports=""):
    """Returns a Node module that writes the marker when it is loaded."""
    return f"require('fs').appendFileSync({json.dumps(str(case.marker))}, __filename + '\\n');\n{exports}"


def python_marker(case):
    """Returns Python code that writes the marker when it runs."""
    return f"open({str(case.marker)!r}, 'a').write(__file__)\n"


def vscode_settings(case):
    """.vscode/settings.json names programs for every server."""
    script = str(case.plant("evil.sh"))
    case.write("a.py", PYTHON)
    case.write("b.ts", TYPESCRIPT)
    case.write("tsconfig.json", "{}")
    settings = {
        "rust-analyzer.server.path": script,
        "python.defaultInterpreterPath": script,
        "gopls.path": script,
        "typescript.tsdk": str(case.workspace),
        "kenning.servers.pyright.command": script,
        "kenning": {"servers": {"pyright": {"command": script}}},
    }
    case.write(".vscode/settings.json", json.dumps(settings))


def kenning_toml_programs(case):
    """kenning.toml trusts the workspace and names programs for servers."""
    script = case.plant("evil.sh")
    case.write("a.py", PYTHON)
    case.write("b.ts", TYPESCRIPT)
    case.write("go.mod", "module x\n")
    case.write("c.go", GO)
    servers = ("pyright", "gopls", "typescript-language-server", "rust-analyzer")
    tables = "".join(f'[servers.{server}]\ncommand = "{script}"\nargs = ["x"]\n' for server in servers)
    case.write("kenning.toml", f"workspaceTrust = true\n{tables}")


def programs_of_the_tree(case):
    """node_modules/.bin, .venv/bin and bin hold programs with the names of servers."""
    case.write("a.py", PYTHON)
    case.write("b.ts", TYPESCRIPT)
    for manifest in ("tsconfig.json", "package.json"):
        case.write(manifest, "{}")
    programs = (
        "pyright-langserver",
        "typescript-language-server",
        "vtsls",
        "gopls",
        "node",
        "python",
        "python3",
        "tsserver",
    )
    for folder in ("node_modules/.bin", ".venv/bin", "bin"):
        for program in programs:
            case.plant(f"{folder}/{program}")


def typescript_of_the_tree(case):
    """node_modules contains a TypeScript package of the workspace."""
    case.write("b.ts", TYPESCRIPT)
    for manifest in ("tsconfig.json", "package.json"):
        case.write(manifest, "{}")
    for name in ("tsserver.js", "typescript.js", "tsserverlibrary.js", "_tsserver.js", "tsc.js"):
        case.write(f"node_modules/typescript/lib/{name}", node_marker(case))
    package = {"name": "typescript", "version": "5.4.0", "main": "lib/typescript.js"}
    case.write("node_modules/typescript/package.json", json.dumps(package))


def tsserver_plugins(case):
    """tsconfig.json names server plugins in the workspace."""
    case.write("b.ts", TYPESCRIPT)
    case.write("package.json", '{ "name": "x" }')
    case.write("tsconfig.json", '{ "compilerOptions": { "plugins": [{ "name": "evil" }, { "name": "./evil2" }] } }')
    for folder in ("node_modules/evil", "node_modules/evil2", "evil2"):
        case.write(f"{folder}/package.json", '{ "name": "evil", "main": "index.js" }')
        exports = "module.exports = () => ({ create: (info) => info.languageService });\n"
        case.write(f"{folder}/index.js", node_marker(case, exports))


def yarn_pnp(case):
    """.pnp.cjs and .npmrc load code into Node."""
    case.write("b.ts", TYPESCRIPT)
    case.write("tsconfig.json", "{}")
    case.write("package.json", '{ "name": "x" }')
    for name in (".pnp.cjs", ".pnp.js", ".pnp.loader.mjs"):
        case.write(name, node_marker(case))
    script = case.plant("evil.sh")
    case.write(".npmrc", f"node-options=--require {case.workspace}/.pnp.cjs\nscript-shell={script}\n")


def pyright_environment(case):
    """pyrightconfig.json and pyproject.toml name environments whose python is a program of the
    workspace."""
    case.write("a.py", PYTHON)
    for folder in (".venv", "venvs/v"):
        for program in ("python", "python3", "python.exe"):
            case.plant(f"{folder}/bin/{program}")
        case.write(f"{folder}/pyvenv.cfg", f"home = {case.workspace}/{folder}/bin\n")
    (case.workspace / ".venv/lib/python3.11/site-packages").mkdir(parents=True)
    configuration = {
        "venvPath": f"{case.workspace}/venvs",
        "venv": "v",
        "pythonPath": f"{case.workspace}/.venv/bin/python",
    }
    case.write("pyrightconfig.json", json.dumps(configuration))
    case.write("pyproject.toml", "[tool.pyright]\nvenv = 'v'\nvenvPath = 'venvs'\n")


def python_shadows(case):
    """Modules of the workspace shadow the standard library; a .pth file runs code at the start."""
    for module in ("sitecustomize", "usercustomize", "json", "sys", "os", "encodings", "site"):
        case.write(f"{module}.py", python_marker(case))
    case.write("a.py", PYTHON)
    case.write("pyproject.toml", "")
    path_file = f"import os; open({str(case.marker)!r}, 'a').write('pth')\n"
    case.write(".venv/lib/python3.11/site-packages/evil.pth", path_file)


def pylsp_configuration(case):
    """setup.cfg names plugins and an interpreter."""
    case.write("a.py", PYTHON)
    script = case.plant("evil.sh")
    case.write("setup.cfg", f"[pylsp]\n[mypy]\nplugins = evil.py\npython_executable = {script}\n")
    case.write("evil.py", python_marker(case))


def gopls_environment(case):
    """go.env, a toolchain line, a packages driver, and cgo with a compiler of the workspace."""
    script = case.plant("evil.sh", 'exec "$@"')
    for program in ("gopackagesdriver", "bin/gopackagesdriver", "gcc", "cc"):
        case.plant(program)
    case.write("go.mod", "module x\n\ngo 1.21\n\ntoolchain go1.99.0\n")
    case.write("main.go", GO)
    case.write("go.env", f"GOFLAGS=-toolexec={script}\nCC={script}\n")
    case.write(".config/go/env", f"GOFLAGS=-toolexec={script}\n")
    case.write(
        "native/c.go",
        "package native\n\n// #cgo CFLAGS: -fplugin=./evil.so\n// int f(void) { return 1; }\n"
        'import "C"\n\nfunc F() int { return int(C.f()) }\n',
    )


def gopls_version_stamp(case):
    """A main package in a repository with core.fsmonitor, because Go stamps versions with git."""
    case.write("go.mod", "module x\n\ngo 1.21\n")
    case.write("main.go", GO)
    case.commit()
    script = case.plant("evil.sh", "exit 0")
    git(case.workspace, "config", "core.fsmonitor", str(script))
    git(case.workspace, "config", "core.sshCommand", str(script))


def git_configuration(case):
    """.git/config names programs for every setting that allows one. There are also hooks and a
    promisor over ext::."""
    case.write("a.py", PYTHON)
    case.write(".gitattributes", "*.py filter=evil diff=evil merge=evil\n")
    case.commit()
    case.write("a.py", f"{PYTHON}# more\n")
    script = case.plant("evil.sh")
    for setting in GIT_PROGRAM_SETTINGS:
        git(case.workspace, "config", setting, str(script))
    for setting, value in OTHER_GIT_SETTINGS.items():
        git(case.workspace, "config", setting, value)
    git(case.workspace, "config", "remote.origin.url", f"ext::{script} %S")
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        case.plant(f".git/hooks/{hook}")
    # git itself may have run one of them while writing its configuration.
    case.marker.unlink(missing_ok=True)


def git_missing_objects(case):
    """Objects of a partial clone are missing. Fetching them would run the remote's program."""
    git_configuration(case)
    for path in sorted((case.workspace / ".git/objects").glob("??/*"))[:3]:
        path.unlink()


def version_managers(case):
    """.envrc, .mise.toml, setup.py, conftest.py, a Makefile and other files that shell tools run
    automatically."""
    case.write("a.py", PYTHON)
    script = case.plant("evil.sh")
    files = {
        ".envrc": str(script),
        ".mise.toml": f"[hooks]\nenter = '{script}'\n[env]\n_.source = '{script}'\n",
        ".tool-versions": "python ref:x\n",
        "setup.py": python_marker(case),
        "conftest.py": python_marker(case),
        "Makefile": f"X := $(shell {script})\n",
        ".node-version": "x",
        ".python-version": f"../../{case.workspace.name}",
    }
    for name, text in files.items():
        case.write(name, text)


def ruby_programs(case):
    """bin/ruby-lsp, bin/solargraph, a Gemfile and plugins of Solargraph."""
    case.write("a.rb", RUBY)
    case.write("Gemfile", f"File.write({json.dumps(str(case.marker))}, 'gemfile')\n")
    case.write(".solargraph.yml", "plugins:\n- ./evil\n")
    for program in ("ruby-lsp", "solargraph"):
        case.plant(f"bin/{program}")


# The program that each case needs to be conclusive, or None if the case tests Kenning itself.
CASES = {
    vscode_settings: None,
    kenning_toml_programs: None,
    programs_of_the_tree: None,
    ruby_programs: None,
    git_configuration: None,
    git_missing_objects: None,
    version_managers: None,
    typescript_of_the_tree: "typescript-language-server",
    tsserver_plugins: "typescript-language-server",
    yarn_pnp: "typescript-language-server",
    pyright_environment: "pyright-langserver",
    python_shadows: "pyright-langserver",
    pylsp_configuration: "pylsp",
    gopls_environment: "gopls",
    gopls_version_stamp: "gopls",
}
