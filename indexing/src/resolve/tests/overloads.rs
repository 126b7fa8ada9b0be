//! Overload selection by the arguments of a call.

use super::{parse_fixture, resolve_workspace};
use expect_test::{Expect, expect};
use kenning_graph::EdgeKind;
use std::collections::BTreeSet;

/// Checks the overloads called `name` that each caller reaches, shown with their parameters.
pub(super) fn check_parameters(fixture: &str, name: &str, expected: Expect) {
    let snapshot = resolve_workspace(&parse_fixture(fixture));
    let mut lines = BTreeSet::new();
    for file in snapshot.files() {
        for id in snapshot.file_symbols(file) {
            for edge in snapshot.out_edges(id).into_iter().filter(|edge| edge.kind == EdgeKind::Calls) {
                let (source, target) =
                    (snapshot.symbol(edge.source).unwrap(), snapshot.symbol(edge.target).unwrap());
                if target.name == name {
                    lines.insert(format!(
                        "{} -> {}({}) {:.2}\n",
                        source.name,
                        target.name,
                        target.param_types(),
                        edge.confidence
                    ));
                }
            }
        }
    }
    expected.assert_eq(&lines.into_iter().collect::<String>());
}

#[test]
fn java_overloads_are_selected_by_argument_types() {
    check_parameters(
        r#"//- src/x/Log.java
        package x;
        import java.util.*;
        public class Log {
          void put(String s) {}
          void put(long n) {}
          void put(Event e) {}
          void put(Runnable r) {}
          void put(List<String> all) {}
          void put(Object o, String... rest) {}
        }
        //- src/x/Event.java
        package x;
        abstract class Event { abstract String title(); }
        //- src/x/Click.java
        package x;
        class Click extends Event { public String title() { return ""; } static Event last() { return null; } }
        //- src/x/Use.java
        package x;
        import java.util.*;
        class Use {
          Log log;
          void sum() { log.put("a" + 1); }
          void result(Event e) { log.put(e.title()); }
          void literal() { log.put(1); }
          void narrower(int count) { log.put(count); }
          void long_literal() { log.put(2L); }
          void subtype(Click c) { log.put(c); }
          void made() { log.put(new Click()); }
          void returned() { log.put(Click.last()); }
          void cast(Object c) { log.put((Event) c); }
          void function() { log.put(() -> {}); }
          void local() { List<String> all = missing(); log.put(all); }
          void list() { log.put(new ArrayList<String>()); }
          void any(Click c) { log.put(c, "a", "b"); }
          void unknown(Missing m) { log.put(m.what()); }
        }"#,
        "put",
        expect![[r#"
            any -> put(Object,String...rest) 0.85
            cast -> put(Event) 0.85
            function -> put(Runnable) 0.85
            list -> put(List<String>) 0.85
            literal -> put(long) 0.85
            local -> put(List<String>) 0.85
            long_literal -> put(long) 0.85
            made -> put(Event) 0.85
            narrower -> put(long) 0.85
            result -> put(String) 0.85
            returned -> put(Event) 0.85
            subtype -> put(Event) 0.85
            sum -> put(String) 0.85
            unknown -> put(Event) 0.27
            unknown -> put(List<String>) 0.27
            unknown -> put(Runnable) 0.27
            unknown -> put(String) 0.27
            unknown -> put(long) 0.27
        "#]],
    );
}

#[test]
fn csharp_overloads_are_selected_by_argument_types() {
    check_parameters(
        r#"//- Log.cs
        namespace X;
        public class Log {
            public void Put(string s) {}
            public void Put(long n) {}
            public void Put(IEvent e) {}
            public void Put(Action a) {}
            public void Put(IEnumerable<string> all) {}
            public void Put(object o, params string[] rest) {}
        }
        public interface IEvent { string Title { get; } }
        public class Click : IEvent { public string Title => ""; }
        //- Use.cs
        namespace X;
        public class Use {
            private readonly Log _log;
            void Sum(int x) { _log.Put("a" + x); }
            void Interpolated(int x) { _log.Put($"{x}"); }
            void Property(IEvent e) { _log.Put(e.Title); }
            void Number() { _log.Put(1); }
            void Subtype(Click c) { _log.Put(c); }
            void Made() { _log.Put(new Click()); }
            void Cast(object c) { _log.Put((IEvent)c); }
            void Function() { _log.Put(() => { }); }
            void List(List<string> all) { _log.Put(all); }
            void Any(Click c) { _log.Put(c, "a", "b"); }
        }"#,
        "Put",
        expect![[r#"
            Any -> Put(object,...string[]) 0.85
            Cast -> Put(IEvent) 0.85
            Function -> Put(Action) 0.85
            Interpolated -> Put(string) 0.85
            List -> Put(IEnumerable<string>) 0.85
            Made -> Put(IEvent) 0.85
            Number -> Put(long) 0.85
            Property -> Put(string) 0.85
            Subtype -> Put(IEvent) 0.85
            Sum -> Put(string) 0.85
        "#]],
    );
}

/// Checks the `overrides` edges, shown with the parameters of both methods.
fn check_overrides(fixture: &str, expected: Expect) {
    let snapshot = resolve_workspace(&parse_fixture(fixture));
    let mut lines = BTreeSet::new();
    for file in snapshot.files() {
        for id in snapshot.file_symbols(file) {
            for edge in snapshot.out_edges(id).into_iter().filter(|edge| edge.kind == EdgeKind::Overrides) {
                let name = |id| {
                    let symbol = snapshot.symbol(id).unwrap();
                    format!("{}({})", symbol.display_name(), symbol.param_types())
                };
                lines.insert(format!("{} -> {}\n", name(edge.source), name(edge.target)));
            }
        }
    }
    expected.assert_eq(&lines.into_iter().collect::<String>());
}

#[test]
fn java_methods_override_methods_with_the_same_parameters() {
    check_overrides(
        "//- p/M.java
        package p;
        import java.util.*;
        class Ord {}
        class Cat {}
        interface Repo { void save(String a); void save(int a); void all(List<String> a); void many(int... a); void none(); }
        class Impl implements Repo {
          public void save(String a) {}
          public void save(int a) {}
          public void save(long z) {}
          public void save(Ord o) {}
          public void all(java.util.List<String> a) {}
          public void many(int[] a) {}
          public void none(int a) {}
        }
        interface Store<T, VAgg> { void put(T t); void put(int n); VAgg apply(VAgg a, T t); }
        class Orders implements Store<Ord, String> {
          public void put(Ord t) {}
          public void put(int n) {}
          public String apply(String a, Ord t) { return a; }
          public void put(String a, int b) {}
        }",
        expect![[r#"
            Impl.all(java.util.List<String>) -> Repo.all(List<String>)
            Impl.many(int[]) -> Repo.many(int...a)
            Impl.save(String) -> Repo.save(String)
            Impl.save(int) -> Repo.save(int)
            Orders.apply(String,Ord) -> Store.apply(VAgg,T)
            Orders.put(Ord) -> Store.put(T)
            Orders.put(int) -> Store.put(int)
        "#]],
    );
}

#[test]
fn csharp_methods_override_methods_with_the_same_parameters() {
    check_overrides(
        "//- Cs.cs
        namespace N;
        public interface IRepo { void Save(string a); void Expl(); int Size { get; } }
        public interface IOther<T> { void Expl(); }
        public class Impl : IRepo, IOther<int> {
          public void Save(String a) {}
          public void Save(int a) {}
          void IRepo.Expl() {}
          void N.IOther<int>.Expl() {}
          int IRepo.Size => 1;
        }
        public class One : IRepo { public void Save(object a) {} public void Expl() {} private void Size() {} }",
        expect![[r#"
            Impl.Expl() -> IOther.Expl()
            Impl.Expl() -> IRepo.Expl()
            Impl.Save(String) -> IRepo.Save(string)
            Impl.Size() -> IRepo.Size()
            One.Expl() -> IRepo.Expl()
        "#]],
    );
}
