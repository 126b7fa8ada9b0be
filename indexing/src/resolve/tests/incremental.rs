//! Incremental resolution: resolving only the affected files gives the same edges as resolving all
//! files.

use super::{Files, extract_facts, format_edges, parse_fixture, put_change, read_project, resolve_workspace};
use crate::resolve::{files_with_changed_dependencies, resolve_files};
use expect_test::expect;
use kenning_graph::snapshot::{ChangedKeys, FileChange};
use kenning_graph::{EdgeKind, FileId, Snapshot};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Applies an edit to `files` and returns the next snapshot. Resolves only the changed file and the
/// files whose lookups the edit changed. A text of `None` removes the file.
pub(super) fn apply_edit(snapshot: &Snapshot, files: &mut Files, path: &str, text: Option<&str>) -> Snapshot {
    apply_edits(snapshot, files, &[(path, text)])
}

/// Applies edits to several files at once, as a branch switch does; see [`apply_edit`].
pub(super) fn apply_edits(
    snapshot: &Snapshot,
    files: &mut Files,
    edits: &[(&str, Option<&str>)],
) -> Snapshot {
    let old_project = read_project(files);
    let mut change: Vec<FileChange> = Vec::new();
    for &(path, text) in edits {
        match text {
            Some(text) => {
                files.insert(path.to_owned(), text.to_owned());
                change.extend(put_change(path, text));
            }
            None => {
                files.remove(path);
                change.push(FileChange::Remove { path: path.to_owned() });
            }
        }
    }
    let (next, keys): (Snapshot, ChangedKeys) = snapshot.with_files(change);
    let project = read_project(files);
    let mut affected: BTreeSet<FileId> = next.files_affected_by(&keys).into_iter().collect();
    affected.extend(edits.iter().filter_map(|(path, _)| next.file_by_path(path)));
    if project.fingerprint() != old_project.fingerprint() {
        affected.extend(next.files());
    }
    let has_new_owners =
        |path: &str| project.owners.owners_of_file(path) != old_project.owners.owners_of_file(path);
    affected.extend(files_with_changed_dependencies(&next, &project));
    affected
        .extend(next.files().into_iter().filter(|&id| next.file(id).is_some_and(|f| has_new_owners(f.path))));
    let inputs: Vec<_> = affected
        .into_iter()
        .filter_map(|id| {
            let path = next.file(id)?.path;
            Some((id, extract_facts(path, files.get(path)?)?))
        })
        .collect();
    let edges = resolve_files(&next, &project, &inputs);
    next.with_edges(edges)
}

/// A workspace in several languages, with uses across files.
pub(super) const WORKSPACE: &str = "//- go.mod
module m
//- a/a.go
package a

import \"m/b\"

type A struct{ b.B }

func (a *A) Run() { a.Help(); b.Make().Help() }
//- b/b.go
package b

type B struct{}

func (b *B) Help() {}
func Make() *B { return nil }
//- a/a_test.go
package a

import \"testing\"

func TestA(t *testing.T) { a := &A{}; a.Run(); a.Help() }
//- test_x.py
from pkg import X
from main import main
def test_x():
    X().go()
    main()
//- sum.py
def total(items, start):
    result = start
    for item in items:
        if item.price > 0 and item.count > 0:
            result = result + item.price * item.count
        else:
            raise ValueError('no price')
    return round(result, 2)
//- CODEOWNERS
*.go @gopher
/pkg/ @snake
//- c/i.go
package c

type Helper interface{ Help() }
//- pkg/__init__.py
from .x import X
//- pkg/x.py
class X:
    def go(self): ...
//- main.py
from pkg import X
def main():
    X().go()
//- src/lib.rs
mod one;
pub struct T;
//- src/one.rs
use crate::T;
impl T { fn f(&self) {} }
fn g(t: T) { t.f(); t.h(); }
//- i.ts
export * from './j';
//- j.ts
export class J { go() {} }
//- k.ts
import { J } from './i';
new J().go();
//- java/A.java
package p;
class A { void go() {} }
//- java/B.java
package p;
class B extends A { void run(C c) { go(); new A().go(); c.go(); } }
//- cs/A.cs
namespace N;
partial class P : Base { void One() { } }
//- cs/B.cs
namespace N;
partial class P { void Two() { One(); Three(); } }
//- r/a.rb
module M
  class S
    def one; end
  end
end
//- r/b.rb
require_relative 'a'
module M
  class S
    def two; one; three; end
  end
end
//- web/app.js
const express = require('express');
const app = express();
app.use('/api', require('./api'));
//- web/api.js
const { Router } = require('express');
const api = Router();
api.use('/users', require('./users'));
module.exports = api;
//- web/users.js
const { Router } = require('express');
const router = Router();
router.get('/:id', show);
function show() {}
module.exports = router;
//- shop/urls.py
from django.urls import path
urlpatterns = [path('list/', lambda request: None)]
//- site/urls.py
from django.urls import include, path
urlpatterns = [path('shop/', include('shop.urls'))]
//- a/routes.go
package a

import \"github.com/go-chi/chi/v5\"

func list() {}
func Routes(r chi.Router) { r.Get(\"/list\", list) }
//- a/serve.go
package a

import \"github.com/go-chi/chi/v5\"

func Serve() { r := chi.NewRouter(); r.Route(\"/a\", Routes) }";

/// Paths and new texts of the edits.
const TEXTS: &[(&str, &str)] = &[
    ("b/b.go", "package b\n\ntype B struct{}\n\nfunc (b B) Help(x int) {}\nfunc Other() {}\n"),
    ("b/b.go", "package b\n"),
    ("b/c.go", "package b\n\nfunc (b *B) Help() {}\nfunc Make() int { return 1 }\n"),
    ("a/a.go", "package a\n\nfunc Run() {}\n"),
    ("b/b.go", "package bee\n\ntype B struct{}\n\nfunc (b *B) Help() {}\nfunc Make() *B { return nil }\n"),
    (
        "a/a.go",
        "package a\n\nimport \"m/b\"\n\ntype A struct{ bee.B }\n\nfunc (a *A) Run() { a.Help(); bee.Make().Help() }\n",
    ),
    ("c/i.go", "package c\n\ntype Helper interface{ Help(); Run() }\n"),
    ("pkg/x.py", "class X:\n    def stop(self): ...\n"),
    ("pkg/x.py", "from .y import X\n"),
    ("pkg/y.py", "class X:\n    def go(self): ...\n"),
    ("pkg/__init__.py", "from .y import *\n"),
    ("pkg/__init__.py", "from .x import *\n__all__ = ['x', 'y']\n__all__.append('X')\n"),
    ("main.py", "from pkg import X\nX()\n"),
    ("src/lib.rs", "mod one;\npub struct T;\nimpl T { pub fn h(&self) {} }\n"),
    ("src/two.rs", "impl crate::T { fn f(&self) {} }\n"),
    ("src/three.rs", "pub struct T;\nimpl T { pub fn h(&self) {} }\n"),
    (
        "src/two.rs",
        "use crate::T;\npub trait Tr { fn f(&self); fn h(&self) {} }\nimpl Tr for T { fn f(&self) {} }\n",
    ),
    ("src/one.rs", "use crate::T;\nuse crate::two::Tr;\nfn g(t: T) { t.f(); t.h(); }\n"),
    ("j.ts", "export class J { stop() {} }\n"),
    ("j.ts", "export { J } from './l';\n"),
    ("l.ts", "export class J { go() {} }\nexport class L extends J {}\n"),
    (
        "j.ts",
        "export class J { static go() {} go() {} }\nexport class L extends J { static go() { super.go(); } }\n",
    ),
    (
        "l.ts",
        "import { L } from './j';\nexport class J extends L { run() { this.constructor.go(); super.go(); } }\n",
    ),
    ("j/index.ts", "export class J { go() {} }\n"),
    ("go.mod", "module n\n"),
    (
        "sum2.py",
        "def total(items, start):\n    result = start\n    for item in items:\n        if item.price > 0 and item.count > 0:\n            result = result + item.price * item.count\n        else:\n            raise ValueError('no price')\n    return round(result, 2)\n",
    ),
    (
        "sum.py",
        "@test\ndef total(items, start):\n    result = start\n    for item in items:\n        if item.price > 1 and item.count > 1:\n            result = result + item.price * item.count\n        else:\n            raise ValueError('no price')\n    return round(result, 2)\n",
    ),
    (
        "pkg/sum.py",
        "class S:\n    def total(items, start):\n        result = start\n        for item in items:\n            if item.price > 0 and item.count > 0:\n                result = result + item.price * item.count\n            else:\n                raise ValueError('no price')\n        return round(result, 2)\n",
    ),
    (
        "test_sum.py",
        "def total(items, start):\n    result = start\n    for item in items:\n        if item.price > 0 and item.count > 0:\n            result = result + item.price * item.count\n        else:\n            raise ValueError('no price')\n    return round(result, 2)\n",
    ),
    ("CODEOWNERS", "* @all\n*.go @gopher\n"),
    ("a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { Run() }\n"),
    ("java/A.java", "package q;\nclass A { void go() {} }\n"),
    ("java/C.java", "package p;\npublic class C extends A { void go() {} void go(int x) {} }\n"),
    ("cs/A.cs", "namespace M;\npartial class P { void One() { } }\n"),
    ("cs/D.cs", "namespace N { partial class P { void Three() { } } }\n"),
    ("cs/D.cs", "namespace M.N { class Base { protected void Three() { } } }\n"),
    ("cs/C.cs", "namespace N;\nclass Base { protected void Three() { } void One() { } }\n"),
    ("r/a.rb", "module M\n  class S < T\n    def uno; end\n  end\nend\n"),
    (
        "r/a.rb",
        "module M\n  class S < T\n    class << self\n      def one; super; end\n    end\n    def uno; self.class.one; end\n  end\nend\n",
    ),
    ("r/c.rb", "module M\n  class T\n    def self.one; end\n    def self.three; end\n  end\nend\n"),
    (
        "web/app.js",
        "const express = require('express');\nconst app = express();\napp.use('/v2', require('./api'));\napp.use(require('./users'));\n",
    ),
    ("web/app.js", "const express = require('express');\nconst app = express();\n"),
    (
        "web/main.js",
        "const express = require('express');\nconst users = require('./users');\nconst app = express();\napp.use('/main', users);\n",
    ),
    (
        "web/api.js",
        "const { Router } = require('express');\nconst api = Router();\napi.use('/people', require('./users'));\nmodule.exports = api;\n",
    ),
    ("web/api.js", "module.exports = require('./users');\n"),
    (
        "web/users.js",
        "const { Router } = require('express');\nconst r = Router();\nr.get('/all', show);\nfunction show() {}\nmodule.exports = r;\n",
    ),
    (
        "web/users/index.js",
        "const { Router } = require('express');\nconst r = Router();\nr.get('/index', show);\nfunction show() {}\nmodule.exports = r;\n",
    ),
    (
        "site/urls.py",
        "from django.urls import include, path\nurlpatterns = [path('shops/', include('shop.urls'))]\n",
    ),
    ("shop/urls.py", "urls = []\n"),
    (
        "a/serve.go",
        "package a\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc Serve() { r := chi.NewRouter(); r.Route(\"/b\", func(r chi.Router) { Routes(r) }) }\n",
    ),
    (
        "a/serve.go",
        "package a\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc Serve() { r := chi.NewRouter(); r.Route(\"/c\", func(r chi.Router) { Two(chi.NewRouter(), r) }) }\n",
    ),
    (
        "a/routes.go",
        "package a\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc list() {}\nfunc Two(a, b chi.Router) { b.Get(\"/list\", list) }\nfunc Routes(r chi.Router) { Two(r, nil) }\n",
    ),
    ("a/routes.go", "package b\n\nfunc Routes() {}\n"),
    (
        "a/routes.go",
        "package a\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc list() {}\nfunc Other(r chi.Router) { r.Get(\"/list\", list) }\n",
    ),
    ("r/c.rb", "module M\n  class T\n    def one; end\n    def three; end\n  end\nend\n"),
    ("README.md", "`Run` [notes](docs/notes.md#more-1) [index](web/users)\n\n# Use\n\n`total`\n"),
    ("README.md", "# Other\n\n```python\ntotal(items)\n```\n"),
    ("docs/notes.md", "# Notes\n\n## Less\n"),
    ("docs/notes.md", "# More\n\n# More\n\n[up](../README.md#use) [code](../b/b.go#L7)\n"),
    ("docs/Page.md", "# Page\n"),
    ("wiki/Page.md", "Text.\n"),
    ("b/b.go", "package b\n\n\n\ntype B struct{}\n\nfunc Make() *B { return nil }\n"),
];

/// Documents that name symbols of the workspace and of the other texts.
const DOCUMENTS: &str = "//- README.md
# Guide

`A.Run`, `Make`, `total`, `B`, `list` and [the notes](docs/notes.md#more).

## Use

```go
b.Make().Help()
Routes(r)
```

[code](b/b.go#L3) [file](a/routes.go) [[Page]]
//- docs/notes.md
# Notes

## More

`S.total` `P.One`
";

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn edits_give_the_same_edges_as_a_full_resolution(
        edits in prop::collection::vec((0..TEXTS.len(), any::<bool>()), 1..8)
    ) {
        let mut files = parse_fixture(WORKSPACE);
        files.extend(parse_fixture(DOCUMENTS));
        let mut snapshot = resolve_workspace(&files);
        for (edit, keep) in edits {
            let (path, text) = TEXTS[edit];
            snapshot = apply_edit(&snapshot, &mut files, path, keep.then_some(text));
            let full = resolve_workspace(&files);
            prop_assert_eq!(format_edges(&snapshot, |_| true), format_edges(&full, |_| true));
            prop_assert_eq!(snapshot.source_root(), full.source_root());
        }
    }
}

#[test]
fn users_of_a_type_follow_its_parts_and_namesakes_in_other_files() {
    let mut files = parse_fixture(
        "//- Cargo.toml
        [package]
        name = \"t\"
        //- src/lib.rs
        pub struct T;
        pub fn used(t: T) { t.run(); }
        //- src/run.rs
        impl crate::T { pub fn run(&self) {} }
        //- cs/Use.cs
        namespace N;
        partial class P { void Use() { Run(); new Q().Run(); } }
        //- cs/Run.cs
        namespace N;
        partial class P { void Run() { } }
        //- g/use.go
        package g
        type T struct{}
        func Use(t T) { t.Run() }",
    );
    let mut snapshot = resolve_workspace(&files);
    let mut states = String::new();
    for (path, text) in [
        ("src/namesake.rs", Some("pub struct T;\n")),
        ("cs/Run.cs", Some("namespace M\n{\n    partial class P { void Run() { } }\n}\n")),
        ("cs/Q.cs", Some("namespace O;\npublic class Q { public void Run() { } }\n")),
        ("g/run.go", Some("package g\nfunc (t T) Run() {}\n")),
        ("cs/Again.cs", Some("namespace O.N;\npublic class Q { public void Run() { } }\n")),
        ("src/namesake.rs", None),
        ("cs/Run.cs", Some("namespace N\n{\n    partial class P { void Run() { } }\n}\n")),
        ("cs/Q.cs", Some("namespace M\n{\n    public class Q { public void Run() { } }\n}\n")),
        ("cs/Again.cs", None),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text);
        assert_eq!(snapshot.source_root(), resolve_workspace(&files).source_root(), "after {path}");
        writeln!(states, "{path}").unwrap();
        states += &format_edges(&snapshot, |kind| kind == EdgeKind::Calls);
    }
    expect![[r#"
        src/namesake.rs
        calls cs/Use.cs::P.Use -> cs/Run.cs::P.Run
        cs/Run.cs
        cs/Q.cs
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q.Run (ast_inferred 0.50)
        g/run.go
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q.Run (ast_inferred 0.50)
        calls g/use.go::Use -> g/run.go::T.Run
        cs/Again.cs
        calls cs/Use.cs::P.Use -> cs/Again.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q (ast_inferred 0.42)
        calls g/use.go::Use -> g/run.go::T.Run
        src/namesake.rs
        calls cs/Use.cs::P.Use -> cs/Again.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q (ast_inferred 0.42)
        calls g/use.go::Use -> g/run.go::T.Run
        calls src/lib.rs::used -> src/run.rs::T.run
        cs/Run.cs
        calls cs/Use.cs::P.Use -> cs/Again.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Run.cs::P.Run
        calls g/use.go::Use -> g/run.go::T.Run
        calls src/lib.rs::used -> src/run.rs::T.run
        cs/Q.cs
        calls cs/Use.cs::P.Use -> cs/Again.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q (ast_inferred 0.42)
        calls cs/Use.cs::P.Use -> cs/Run.cs::P.Run
        calls g/use.go::Use -> g/run.go::T.Run
        calls src/lib.rs::used -> src/run.rs::T.run
        cs/Again.cs
        calls cs/Use.cs::P.Use -> cs/Q.cs::Q
        calls cs/Use.cs::P.Use -> cs/Run.cs::P.Run
        calls g/use.go::Use -> g/run.go::T.Run
        calls src/lib.rs::used -> src/run.rs::T.run
    "#]]
    .assert_eq(&states);
}

#[test]
fn long_chains_and_cycles_terminate() {
    let mut files = Files::new();
    let count = 400;
    for n in 0..count {
        let next = (n + 1) % count;
        files.insert(
            format!("ts/m{n}.ts"),
            format!("export * from './m{next}';\nexport {{ x{n} as y }} from './m{next}';\n"),
        );
        files.insert(
            format!("py/m{n}.py"),
            format!("from m{next} import *\nfrom m{next} import z as z\nz()\n"),
        );
        files.insert(
            format!("java/C{n}.java"),
            format!("package p; class C{n} extends C{next} {{ C{next} f; void m{n}() {{ gone(); f.f.f.gone(); }} }}"),
        );
        files.insert(
            format!("go/t{n}.go"),
            format!("package g\ntype T{n} T{next}\nfunc (t T{n}) M{n}() {{ t.Gone() }}\n"),
        );
        files.insert(format!("rb/c{n}.rb"), format!("class D{n} < D{next}\n  def m{n}; gone; end\nend\n"));
    }
    files.insert("ts/main.ts".to_owned(), "import { y, q } from './m0';\ny(); q();\n".to_owned());
    assert_eq!(resolve_workspace(&files).files().len(), files.len());
}

#[test]
fn an_edit_of_a_body_resolves_no_other_file() {
    let files = parse_fixture(WORKSPACE);
    let snapshot = resolve_workspace(&files);
    let text = files["pkg/x.py"].replace("...", "print(1)");
    let (_, keys) = snapshot.with_files(put_change("pkg/x.py", &text).into_iter().collect());
    assert_eq!(keys, ChangedKeys::default());
}

#[test]
fn a_body_that_becomes_similar_to_another_resolves_both() {
    let mut files = parse_fixture(WORKSPACE);
    let mut snapshot = resolve_workspace(&files);
    let text_of_other = files["sum.py"].clone();
    let similar_edges = |snapshot: &Snapshot| format_edges(snapshot, |kind| kind == EdgeKind::SimilarTo);
    for (text, count) in [
        (text_of_other.replace("item.price", "one.cost").replace("result", "sum"), 0),
        (text_of_other, 1),
        ("x = 1\n".to_owned(), 0),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, "sum2.py", Some(&text));
        assert_eq!(similar_edges(&snapshot).lines().count(), count);
        assert_eq!(snapshot.source_root(), resolve_workspace(&files).source_root());
    }
}

#[test]
fn the_order_of_the_files_does_not_change_the_edges() {
    let files = parse_fixture(WORKSPACE);
    let changes = files.iter().filter_map(|(path, text)| put_change(path, text)).collect();
    let (snapshot, _) = Snapshot::empty().with_files(changes);
    let mut inputs: Vec<_> = files
        .iter()
        .filter_map(|(path, text)| Some((snapshot.file_by_path(path)?, extract_facts(path, text)?)))
        .collect();
    let forward = resolve_files(&snapshot, &read_project(&files), &inputs);
    inputs.reverse();
    let mut backward = resolve_files(&snapshot, &read_project(&files), &inputs);
    backward.reverse();
    assert_eq!(format!("{forward:?}"), format!("{backward:?}"));
    assert!(forward.iter().map(|file| file.edges.len()).sum::<usize>() > 20);
}

#[test]
fn users_of_a_module_follow_the_files_with_its_name_in_any_folder() {
    let mut files = parse_fixture(
        "//- bin/main.ml
        let () = Order.send 1
        //- shop/base.ml
        let helper x = x
        //- stock/base.ml
        let helper x = x",
    );
    let send = "let send x = x\n";
    let mut snapshot = resolve_workspace(&files);
    for (path, text, calls) in [
        ("shop/order.ml", Some(send), "bin/main.ml -> shop/order.ml::send"),
        ("shop/order.mli", Some("val send : int -> int\n"), "bin/main.ml -> shop/order.ml::send"),
        ("shop/order.ml", None, "bin/main.ml -> shop/order.mli::send"),
        ("shop/order.mli", None, ""),
        ("stock/order.ml", Some(send), "bin/main.ml -> stock/order.ml::send"),
        ("bin/order.ml", Some(send), "bin/main.ml -> bin/order.ml::send"),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text);
        let found = format_edges(&snapshot, |kind| kind == EdgeKind::Calls);
        let expected = if calls.is_empty() { String::new() } else { format!("calls {calls}\n") };
        assert_eq!(found, expected, "{path}");
        assert_eq!(snapshot.source_root(), resolve_workspace(&files).source_root());
    }
}
