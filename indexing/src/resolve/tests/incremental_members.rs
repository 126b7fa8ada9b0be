//! Edits of members: the files whose types inherit a changed member, or that call it, are resolved
//! again.

use super::incremental::apply_edit;
use super::{format_edges, parse_fixture, resolve_workspace};
use expect_test::expect;
use kenning_graph::{EdgeKind, Snapshot};

#[test]
fn a_new_member_of_a_base_is_inherited_by_derived_types() {
    let mut files = parse_fixture(
        "//- base.py
        class A:
            def one(self): ...
        //- sub.py
        from base import A
        class B(A): ...
        //- g/a.go
        package g
        type A struct{}
        func (A) One() {}
        //- g/b.go
        package g
        type B struct{ A }
        //- g/more.go
        package g
        //- A.java
        package p;
        class A { void one() {} }
        //- B.java
        package p;
        class B extends A {}
        //- a.rb
        class A
          def one; end
        end
        //- b.rb
        class B < A
        end
        //- c/a.cs
        namespace N;
        partial class A { void One() { } }
        //- c/more.cs
        namespace N;
        partial class A { }
        //- c/b.cs
        namespace N;
        class B : A { }",
    );
    let mut snapshot = resolve_workspace(&files);
    for (path, text) in [
        ("base.py", Some("class A:\n    def one(self): ...\n    def two(self): ...\n")),
        ("g/more.go", Some("package g\nfunc (A) Two() {}\n")),
        ("A.java", Some("package p;\nclass A { void one() {} void two() {} }\n")),
        ("b0.rb", Some("class A\n  def two; end\nend\n")),
        ("c/more.cs", Some("namespace N;\npartial class A { public void Two() { } }\n")),
        ("base.py", Some("class A:\n    def two(self): ...\n")),
        ("g/a.go", Some("package g\ntype A struct{}\n")),
        ("b0.rb", None),
        ("A.java", Some("package p;\nclass A { private void one() {} }\n")),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text);
        let full = resolve_workspace(&files);
        assert_eq!(format_edges(&snapshot, |_| true), format_edges(&full, |_| true), "{path}");
        assert_eq!(snapshot.source_root(), full.source_root(), "{path}");
    }
    let inherited = format_edges(&snapshot, |kind| kind == EdgeKind::Inherits);
    expect![[r#"
        inherits b.rb::B -> a.rb::A.one
        inherits c/b.cs::B -> c/more.cs::A.Two
        inherits g/b.go::B -> g/more.go::A.Two
        inherits sub.py::B -> base.py::A.two
    "#]]
    .assert_eq(&inherited);
}

#[test]
fn callers_follow_a_member_that_becomes_static() {
    let mut workspace = parse_fixture(
        "//- a.ts
        export class Order { total(): number { return 1; } static all(): number { return 1; } }
        //- b.ts
        import { Order } from './a';
        export class Late extends Order { total(): number { return 2; } }
        export function type() { Late.total(); }",
    );
    let before = resolve_workspace(&workspace);
    let text =
        "export class Order { static total(): number { return 1; } static all(): number { return 1; } }";
    let after = apply_edit(&before, &mut workspace, "a.ts", Some(text));
    let all = |snapshot: &Snapshot| format_edges(snapshot, |_| true);
    assert_eq!(all(&after), all(&resolve_workspace(&workspace)));
    assert_ne!(all(&after), all(&before));
}

#[test]
fn users_follow_export_keys_and_assigned_class_members() {
    let mut workspace = parse_fixture(
        "//- keys.js
        const top = 1;
        module.exports = { top: make(1), inner: { run() { return this.stop(); }, stop() { return new Top(); } } };
        class Top { go() {} }
        //- use.js
        const { top } = require('./keys');
        const keys = require('./keys');
        const kept = { ...keys };
        function use() { top(); keys.top(); keys.run(); new keys().run(); keys.inner.run().go(); kept.inner.run(); kept.stop().go(); }",
    );
    let mut snapshot = resolve_workspace(&workspace);
    let all = |snapshot: &Snapshot| format_edges(snapshot, |_| true);
    for text in [
        "class Foo { run() {} }\nFoo.run = function () {};\nFoo.top = () => {};\nmodule.exports = Foo;\n",
        "class Foo { run() {} }\nFoo.prototype.run = function () {};\nmodule.exports = Foo;\n",
        "function top() {}\nmodule.exports = { run: wrap(top), inner: { run() { return this.stop(); } }, stop: make() };\n",
        "const keys = { inner: { run() { return this.stop(); } }, stop() { return new Top(); } };\nclass Top { go() {} }\nmodule.exports = keys;\n",
        "class Exports { static top() {} }\nmodule.exports = { top: make(2) };\nmodule.exports = new Exports();\n",
    ] {
        let after = apply_edit(&snapshot, &mut workspace, "keys.js", Some(text));
        assert_eq!(all(&after), all(&resolve_workspace(&workspace)), "{text}");
        assert_ne!(all(&after), all(&snapshot), "{text}");
        snapshot = after;
    }
}

#[test]
fn derived_types_follow_a_member_that_becomes_static() {
    let mut workspace = parse_fixture(
        "//- a.ts
        export class Order { total(): number { return 1; } }
        //- b.ts
        import { Order } from './a';
        export class Late extends Order { total(): number { return 2; } }
        //- c.ts
        import { Late } from './b';
        export class Low extends Late {}
        //- r/a.rb
        class Base
          def total; end
        end
        //- r/b.rb
        class Mid < Base
          def total; end
        end
        //- r/c.rb
        class Low < Mid
        end",
    );
    let before = resolve_workspace(&workspace);
    let inherited = |snapshot: &Snapshot| format_edges(snapshot, |kind| kind == EdgeKind::Inherits);
    let mut after = before.clone();
    for (path, text) in [
        (
            "b.ts",
            "import { Order } from './a';\nexport class Late extends Order { static total(): number { return 2; } }",
        ),
        ("r/b.rb", "class Mid < Base\n  def self.total; end\nend\n"),
    ] {
        after = apply_edit(&after, &mut workspace, path, Some(text));
        assert_eq!(inherited(&after), inherited(&resolve_workspace(&workspace)), "{path}");
    }
    expect![[r#"
        inherits c.ts::Low -> b.ts::Late.total
        inherits r/c.rb::Low -> r/b.rb::Mid.total
    "#]]
    .assert_eq(&inherited(&before));
    expect![[r#"
        inherits b.ts::Late -> a.ts::Order.total
        inherits c.ts::Low -> a.ts::Order.total
        inherits c.ts::Low -> b.ts::Late.total
        inherits r/b.rb::Mid -> r/a.rb::Base.total
        inherits r/c.rb::Low -> r/a.rb::Base.total
        inherits r/c.rb::Low -> r/b.rb::Mid.total
    "#]]
    .assert_eq(&inherited(&after));
}
