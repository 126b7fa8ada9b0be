//! Tests that resolution takes linear time in the number of files whose types and members share
//! names.

use super::{Files, extract_facts, format_edges, parse_fixture, read_project};
use crate::resolve::resolve_files;
use crate::resolve::same_name_symbols::take_visits;
use expect_test::{Expect, expect};
use kenning_graph::snapshot::{BaseGraph, FileChange, FileEdges};
use kenning_graph::{EdgeKind, Hash, Snapshot};
use std::sync::Arc;

/// Returns a workspace with `count` copies of each section whose path contains `{n}`. In each copy,
/// its number replaces `{n}`.
fn repeat_sections(fixture: &str, count: usize) -> Files {
    let mut all = Files::new();
    for (path, text) in parse_fixture(fixture) {
        for n in 0..if path.contains("{n}") { count } else { 1 } {
            let n = n.to_string();
            all.insert(path.replace("{n}", &n), text.replace("{n}", &n));
        }
    }
    all
}

/// The part of the snapshot that has the symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SymbolStorage {
    Overlay,
    BaseImage,
}

/// Resolves a workspace. Returns the snapshot, the edges by file and the number of visited symbols.
fn resolve_and_count(files: &Files, storage: SymbolStorage) -> (Snapshot, Vec<FileEdges>, usize) {
    let facts: Vec<_> =
        files.iter().filter_map(|(path, text)| Some((path, extract_facts(path, text)?))).collect();
    let changes = facts.iter().map(|(path, facts)| FileChange::Put {
        path: (*path).clone(),
        content_hash: Hash::default(),
        size: 0,
        mtime_ns: 0,
        facts: facts.clone(),
    });
    let mut snapshot = Snapshot::empty().with_files(changes.collect()).0;
    if storage == SymbolStorage::BaseImage {
        let image = snapshot.to_base_image().expect("the snapshot can be written");
        snapshot =
            Snapshot::from_base(Arc::new(BaseGraph::from_image(&image).expect("the image is complete")));
    }
    let inputs: Vec<_> =
        facts.into_iter().filter_map(|(path, facts)| Some((snapshot.file_by_path(path)?, facts))).collect();
    let project = read_project(files);
    // The counter is per thread, so resolve on a single thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool with one thread starts");
    let (edges, visits) = pool.install(|| (resolve_files(&snapshot, &project, &inputs), take_visits()));
    (snapshot, edges, visits)
}

/// Checks that twice as many files of one kind need about twice as many symbol visits and lookups,
/// with and without a base image, and checks the edges of one of the files.
fn check(fixture: &str, count: usize, path: &str, expected: Expect) {
    let edges_of_one_file = [SymbolStorage::Overlay, SymbolStorage::BaseImage].map(|storage| {
        let [(_, few, visits), (snapshot, many, visits_in_many)] =
            [count, 2 * count].map(|count| resolve_and_count(&repeat_sections(fixture, count), storage));
        assert!(visits_in_many < visits * 9 / 4, "{visits} symbols were visited, then {visits_in_many}");
        let lookups = |edges: &[FileEdges]| edges.iter().map(|file| file.lookups.len()).sum::<usize>();
        assert!(lookups(&many) < lookups(&few) * 9 / 4, "{} lookups, then {}", lookups(&few), lookups(&many));
        let edges_of_path = many.into_iter().filter(|file| file.path == path);
        format_edges(&snapshot.with_edges(edges_of_path.collect()), |kind| {
            !matches!(kind, EdgeKind::SimilarTo | EdgeKind::Contains | EdgeKind::References)
        })
    });
    assert_eq!(edges_of_one_file[0], edges_of_one_file[1]);
    expected.assert_eq(&edges_of_one_file[0]);
}

#[test]
fn many_rust_types_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- Cargo.toml
        [package]
        name = "big"
        //- src/lib.rs
        pub trait Build { fn build(&self) -> u32; fn undo(&self) {} }
        //- src/m{n}.rs
        use crate::Build;
        pub struct Builder { n: u32 }
        pub struct Own{n};
        impl Builder {
            pub fn new() -> Self { Self { n: {n} } }
            pub fn build(&self) -> u32 { self.n }
        }
        impl Own{n} {
            pub fn new() -> Self { Own{n} }
        }
        pub fn make() -> u32 {
            Own{n}::new();
            let made = Builder::new();
            made.build()
        }
        //- src/u{n}.rs
        use crate::m{n}::Builder;
        pub fn used() -> u32 { Builder::new().build() }
        "#,
        100,
        "src/m70.rs",
        expect![[r#"
            accesses_field src/m70.rs::Builder.build -> src/m70.rs::Builder.n
            calls src/m70.rs::Builder.new -> src/m70.rs::Builder
            calls src/m70.rs::make -> src/m70.rs::Builder.build
            calls src/m70.rs::make -> src/m70.rs::Builder.new
            calls src/m70.rs::make -> src/m70.rs::Own70.new
            imports src/m70.rs -> src/lib.rs::Build
            member_of src/m70.rs::Builder.build -> src/m70.rs::Builder
            member_of src/m70.rs::Builder.n -> src/m70.rs::Builder
            member_of src/m70.rs::Builder.new -> src/m70.rs::Builder
            member_of src/m70.rs::Own70.new -> src/m70.rs::Own70
        "#]],
    );
}

#[test]
fn many_csharp_classes_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- N{n}/Client.cs
        namespace N{n}
        {
            public class Base { public void Close() { } }
            public partial class Client : Base
            {
                public int Get() { return {n}; }
                public void Put(int a) { }
                public void Use() { Put(Get()); var c = new Client(); c.Put(1); c.Log(); c.Close(); }
            }
        }
        //- N{n}/Log.cs
        namespace N{n};
        public partial class Client { public void Log() { Get(); } }
        "#,
        100,
        "N70/Client.cs",
        expect![[r#"
            calls N70/Client.cs::Client.Use -> N70/Client.cs::Base.Close
            calls N70/Client.cs::Client.Use -> N70/Client.cs::Client
            calls N70/Client.cs::Client.Use -> N70/Client.cs::Client.Get
            calls N70/Client.cs::Client.Use -> N70/Client.cs::Client.Put
            calls N70/Client.cs::Client.Use -> N70/Log.cs::Client.Log
            extends N70/Client.cs::Client -> N70/Client.cs::Base
            inherits N70/Client.cs::Client -> N70/Client.cs::Base.Close
            member_of N70/Client.cs::Base.Close -> N70/Client.cs::Base
            member_of N70/Client.cs::Client.Get -> N70/Client.cs::Client
            member_of N70/Client.cs::Client.Put -> N70/Client.cs::Client
            member_of N70/Client.cs::Client.Use -> N70/Client.cs::Client
        "#]],
    );
}

#[test]
fn many_go_types_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- go.mod
        module example.com/big
        //- p{n}/client.go
        package p{n}

        type Client struct { n int }

        func (c *Client) Get() int { return c.n }
        func Use() int { c := &Client{}; c.Put(1); return c.Get() }
        //- p{n}/put.go
        package p{n}

        func (c *Client) Put(a int) { c.n = a }
        //- q{n}/use.go
        package q{n}

        import "example.com/big/p{n}"

        func Use() { c := &p{n}.Client{}; c.Put(1) }
        "#,
        100,
        "p70/client.go",
        expect![[r#"
            accesses_field p70/client.go::Client.Get -> p70/client.go::Client.n
            calls p70/client.go::Use -> p70/client.go::Client
            calls p70/client.go::Use -> p70/client.go::Client.Get
            calls p70/client.go::Use -> p70/put.go::Client.Put
            member_of p70/client.go::Client.Get -> p70/client.go::Client
            member_of p70/client.go::Client.n -> p70/client.go::Client
            type_hint_of p70/client.go::Client.Get -> p70/client.go::Client
        "#]],
    );
}

#[test]
fn many_java_classes_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- src/n{n}/Base.java
        package n{n};
        public class Base { public void close() { } }
        //- src/n{n}/Client.java
        package n{n};
        public class Client extends Base {
            public int get() { return {n}; }
            public void put(int a) { }
            public void use() { put(get()); Client c = new Client(); c.put(1); c.close(); }
        }
        "#,
        100,
        "src/n70/Client.java",
        expect![[r#"
            calls src/n70/Client.java::Client.use -> src/n70/Base.java::Base.close
            calls src/n70/Client.java::Client.use -> src/n70/Client.java::Client
            calls src/n70/Client.java::Client.use -> src/n70/Client.java::Client.get
            calls src/n70/Client.java::Client.use -> src/n70/Client.java::Client.put
            extends src/n70/Client.java::Client -> src/n70/Base.java::Base
            inherits src/n70/Client.java::Client -> src/n70/Base.java::Base.close
            member_of src/n70/Client.java::Client.get -> src/n70/Client.java::Client
            member_of src/n70/Client.java::Client.put -> src/n70/Client.java::Client
            member_of src/n70/Client.java::Client.use -> src/n70/Client.java::Client
        "#]],
    );
}

#[test]
fn interfaces_of_many_go_types_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- go.mod
        module example.com/big
        //- p{n}/client.go
        package p{n}

        type Other{n} interface { Get() int; Only{n}() }
        type Client struct{}

        func (c *Client) Get() int { return 1 }
        func (c *Client) Only{n}() {}
        "#,
        200,
        "p70/client.go",
        expect![[r#"
            implements p70/client.go::Client -> p70/client.go::Other70
            member_of p70/client.go::Client.Get -> p70/client.go::Client
            member_of p70/client.go::Client.Only70 -> p70/client.go::Client
            member_of p70/client.go::Other70.Get -> p70/client.go::Other70
            member_of p70/client.go::Other70.Only70 -> p70/client.go::Other70
            overrides p70/client.go::Client.Get -> p70/client.go::Other70.Get
            overrides p70/client.go::Client.Only70 -> p70/client.go::Other70.Only70
            type_hint_of p70/client.go::Client.Get -> p70/client.go::Client
            type_hint_of p70/client.go::Client.Only70 -> p70/client.go::Client
        "#]],
    );
}

#[test]
fn many_extension_methods_with_one_name_are_resolved_in_linear_time() {
    check(
        r#"
        //- Extensions.cs
        namespace N;
        public static class Extensions { public static int Count(this string text, int least) { return 1; } }
        //- N{n}/Client.cs
        namespace N{n};
        using N;
        public class Client
        {
            public int Count(int least) { return 1; }
            public int Use(string text, object other) { return text.Count({n}) + other.Missing.Count(2); }
        }
        "#,
        100,
        "N70/Client.cs",
        expect![[r#"
            calls N70/Client.cs::Client.Use -> Extensions.cs::Extensions.Count
            imports N70/Client.cs -> Extensions.cs
            member_of N70/Client.cs::Client.Count -> N70/Client.cs::Client
            member_of N70/Client.cs::Client.Use -> N70/Client.cs::Client
        "#]],
    );
}

#[test]
fn the_parts_of_a_type_in_one_file_are_read_once() {
    let visits = [300, 600].map(|count| {
        let base = |n| format!("module K{n}\n  def go{n} = 1\nend\n");
        let part = |n| format!("class D\n  include K{n}\n  def a{n} = self.class.go\nend\n");
        let text: String = (0..count).map(base).chain((0..count).map(part)).collect();
        resolve_and_count(&Files::from([("a.rb".to_owned(), text)]), SymbolStorage::Overlay).2
    });
    assert!(visits[1] < visits[0] * 9 / 4, "{visits:?} symbols were visited");
}

#[test]
fn a_ruby_module_that_many_files_reopen_is_resolved_in_linear_time() {
    check(
        r#"
        //- base.rb
        module Big
          class Base
            def close = 1
          end
        end
        //- m{n}.rb
        module Big
          class Own{n} < Base
            def go{n} = self.class.new.close
          end
        end
        "#,
        200,
        "m70.rb",
        expect![[r#"
            calls m70.rb::Big.Own70.go70 -> base.rb::Big.Base.close
            extends m70.rb::Big.Own70 -> base.rb::Big.Base
            inherits m70.rb::Big.Own70 -> base.rb::Big.Base.close
            member_of m70.rb::Big.Own70 -> m70.rb::Big
            member_of m70.rb::Big.Own70.go70 -> m70.rb::Big.Own70
        "#]],
    );
}
