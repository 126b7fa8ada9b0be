//! Environment variables and processes that are used through imports, aliases and constants.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

const IMPORTED: &str = r##"
        //- a.py
        import os
        import subprocess as sp
        from os import environ, getenv as ask, environ as env
        from subprocess import check_output as co, run
        from mine import environ as other

        KEY = "BY_CONSTANT"
        CMD = "make all"
        def e1(): return environ["A1"]
        def e2(): return env["A2"]
        def e3(): return env.get("A3")
        def e4(): return "A4" in os.environ
        def e5(): return "A5" not in env
        def e6(): return ask("A6")
        def e7(): return os.getenv(KEY)
        def p1(): sp.run(["git", "x"])
        def p2(): run(["tar"])
        def p3(): co("ls -l")
        def p4(): sp.run(CMD)
        def none(table): return table["NOT"], other["NOT"], "NOT" in table
        //- package.json
        {"name": "x"}
        //- a.ts
        import { exec as run, spawn } from 'node:child_process';
        import * as childProcess from 'child_process';
        import { env } from 'node:process';
        import { exec as mine } from './mine';

        const KEY = 'BY_CONSTANT';
        const { PORT, HOST = 'x', NAME: name } = process.env;
        export function f1() { run('hg status'); }
        export function f2() { childProcess.spawnSync('make', ['x']); }
        export function f3() { return env.SECRET; }
        export function f4() { const { INNER } = process.env; return INNER; }
        export function f5() { return import.meta.env.VITE_X; }
        export function f6() { return 'G_KEY' in process.env; }
        export function f7() { return env['H_KEY']; }
        export function f8() { const { LEFT } = env; return LEFT; }
        export function none(table) { const { NOT } = table; mine('not'); return 'NOT' in table; }
        //- own.ts
        import { spawn } from './jobs';
        import { execSync } from 'child_process';

        function exec(query) {}
        export function none() { exec('select 1'); spawn('job'); }
        export function f9() { execSync('cargo build'); }
        //- a.rb
        class Job
          def spawn(name); end
          def own; spawn("job"); end
        end
        def kernel; system("ls -l"); end
        //- Cargo.toml
        [package]
        name = "r"
        //- src/lib.rs
        use std::process::Command as Cmd;

        const KEY: &str = "BY_CONSTANT";
        fn r1() { use std::env::var; var("RS_A"); }
        fn r2() { Cmd::new("tar"); }
        fn r3() { std::env::var(KEY); }
        //- M.java
        package p;
        import static java.lang.System.getenv;
        class M {
            static final String KEY = "BY_CONSTANT";
            String a() { return System.getenv().get("MAP_ENV"); }
            String b() { return System.getenv(KEY); }
            String c() { return getenv("STATIC"); }
        }
        //- go.mod
        module example.com/x
        //- a.go
        package x

        import (
        	"os"
        	osx "os"
        	run "os/exec"
        )

        const envName = "BY_CONSTANT"

        func g1() string { return os.Getenv(envName) }
        func g2() string { return osx.Getenv("ALIASED") }
        func g3()        { run.Command("docker") }
        "##;

#[test]
fn environment_and_processes_are_found_through_imports() {
    check(
        IMPORTED,
        &[ReadsEnv, ExecutesProcess],
        expect![[r#"
            executes_process a.go::g3 -> process::docker
            executes_process a.py::p1 -> process::git
            executes_process a.py::p2 -> process::tar
            executes_process a.py::p3 -> process::ls
            executes_process a.py::p4 -> process::make
            executes_process a.rb::kernel -> process::ls
            executes_process a.ts::f1 -> process::hg
            executes_process a.ts::f2 -> process::make
            executes_process own.ts::f9 -> process::cargo
            executes_process src/lib.rs::r2 -> process::tar
            reads_env M.java::M.a -> env::MAP_ENV
            reads_env M.java::M.b -> env::BY_CONSTANT
            reads_env M.java::M.c -> env::STATIC
            reads_env a.go::g1 -> env::BY_CONSTANT
            reads_env a.go::g2 -> env::ALIASED
            reads_env a.py::e1 -> env::A1
            reads_env a.py::e2 -> env::A2
            reads_env a.py::e3 -> env::A3
            reads_env a.py::e4 -> env::A4
            reads_env a.py::e5 -> env::A5
            reads_env a.py::e6 -> env::A6
            reads_env a.py::e7 -> env::BY_CONSTANT
            reads_env a.ts::f3 -> env::SECRET
            reads_env a.ts::f4 -> env::INNER
            reads_env a.ts::f5 -> env::VITE_X
            reads_env a.ts::f6 -> env::G_KEY
            reads_env a.ts::f7 -> env::H_KEY
            reads_env a.ts::f8 -> env::LEFT
            reads_env a.ts::name -> env::HOST
            reads_env a.ts::name -> env::NAME
            reads_env a.ts::name -> env::PORT
            reads_env src/lib.rs::r1 -> env::RS_A
            reads_env src/lib.rs::r3 -> env::BY_CONSTANT
        "#]],
    );
}
