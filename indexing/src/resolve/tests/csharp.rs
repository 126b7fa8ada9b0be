//! C#: names, receivers, inheritance and types across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_namespaces_receivers_and_partial_types() {
    check(
        "//- src/Core/Base.cs
        namespace App.Core
        {
            public abstract class Base
            {
                public Base(string name) { }
                protected virtual void Start() { }
            }
            public interface IThing { void Go(); }
        }
        //- src/Core/Runner.cs
        namespace App.Core;
        public partial class Runner
        {
            private void Other() { }
        }
        //- src/Tools/Helper.cs
        namespace App.Tools;
        public static class Helper
        {
            public static Part Make(int x) => new Part();
        }
        public class Part { public void Turn() { } public string Name { get; set; } }
        //- src/Core/Runner.Main.cs
        using System;
        using App.Tools;

        namespace App.Core;

        public partial class Runner : Base, IThing
        {
            private readonly Part _part;

            public Runner(Part part) : base(\"x\") { _part = part; }

            protected override void Start() { base.Start(); }

            public void Go()
            {
                Other();
                Start();
                _part.Turn();
                Helper.Make(1).Turn();
                var made = Helper.Make(2);
                made.Turn();
                Console.WriteLine(_part.Name);
                if (made == null) throw new Broken();
            }
        }

        public class Broken : Exception { }
        //- test/App.Tests/RunnerTests.cs
        using App.Core;
        using Xunit;
        namespace App.Tests;
        public class RunnerTests
        {
            [Fact]
            public void Goes() { IThing runner = new Runner(null); runner.Go(); }
        }",
        &[Calls, Extends, Implements, Overrides, Tests, Throws, AccessesField],
        expect![[r#"
            accesses_field src/Core/Runner.Main.cs::Runner.Go -> src/Core/Runner.Main.cs::Runner._part
            accesses_field src/Core/Runner.Main.cs::Runner.Go -> src/Tools/Helper.cs::Part.Name
            accesses_field src/Core/Runner.Main.cs::Runner.Runner -> src/Core/Runner.Main.cs::Runner._part
            calls src/Core/Runner.Main.cs::Runner.Go -> src/Core/Runner.Main.cs::Broken
            calls src/Core/Runner.Main.cs::Runner.Go -> src/Core/Runner.Main.cs::Runner.Start
            calls src/Core/Runner.Main.cs::Runner.Go -> src/Core/Runner.cs::Runner.Other
            calls src/Core/Runner.Main.cs::Runner.Go -> src/Tools/Helper.cs::Helper.Make
            calls src/Core/Runner.Main.cs::Runner.Go -> src/Tools/Helper.cs::Part.Turn
            calls src/Core/Runner.Main.cs::Runner.Runner -> src/Core/Base.cs::Base.Base
            calls src/Core/Runner.Main.cs::Runner.Start -> src/Core/Base.cs::Base.Start
            calls src/Tools/Helper.cs::Helper.Make -> src/Tools/Helper.cs::Part
            calls test/App.Tests/RunnerTests.cs::RunnerTests.Goes -> src/Core/Base.cs::IThing.Go
            calls test/App.Tests/RunnerTests.cs::RunnerTests.Goes -> src/Core/Runner.Main.cs::Runner.Runner
            extends src/Core/Runner.Main.cs::Runner -> src/Core/Base.cs::Base
            implements src/Core/Runner.Main.cs::Runner -> src/Core/Base.cs::IThing
            overrides src/Core/Runner.Main.cs::Runner.Go -> src/Core/Base.cs::IThing.Go
            overrides src/Core/Runner.Main.cs::Runner.Start -> src/Core/Base.cs::Base.Start
            tests test/App.Tests/RunnerTests.cs::RunnerTests.Goes -> src/Core/Base.cs::IThing.Go
            tests test/App.Tests/RunnerTests.cs::RunnerTests.Goes -> src/Core/Runner.Main.cs::Runner.Runner
            throws src/Core/Runner.Main.cs::Runner.Go -> src/Core/Runner.Main.cs::Broken
            resolved 13 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- A.cs
        namespace N;
        class A { public void Paint() { } public void Alone() { } public void Dispose() { } }
        class B { public void Paint() { } }
        class Use
        {
            void Run(object[] all)
            {
                all[0].Paint();
                all[0].Alone();
                all[0].Dispose();
            }
        }",
        &[Calls],
        expect![[r#"
            resolved 0 ambiguous 0 external 3 unresolved 0
        "#]],
    );
}

#[test]
fn extension_methods_are_called_on_the_type_of_their_first_parameter() {
    check(
        r#"//- Ext.cs
        namespace X.Extensions;
        public static class StringExtensions { public static string Csv(this string text, char c = ',') => text; }
        public static class ItemExtensions { public static string Csv(this Item item) => ""; }
        public static class ServiceExtensions {
            public static IServiceCollection AddStore(this IServiceCollection services) => services;
            public static IServiceCollection AddStore(this IServiceCollection services, Action<Item> configure) => services;
        }
        public class Item { public Item() {} public Item(int size) {} public int Size { get; set; } }
        //- Use.cs
        using X.Extensions;
        using Microsoft.Extensions.DependencyInjection;
        namespace Y;
        public class Use {
            public void Strings(string name) { name.Csv(); "a".Csv(); }
            public void Items(Item item) { item.Csv(); }
            public void Services(IServiceCollection services) { services.AddStore(); }
            public void Made() { var item = new Item { Size = 1 }; }
        }"#,
        &[Calls],
        expect![[r#"
            calls Use.cs::Use.Items -> Ext.cs::ItemExtensions.Csv
            calls Use.cs::Use.Made -> Ext.cs::Item.Item
            calls Use.cs::Use.Services -> Ext.cs::ServiceExtensions.AddStore
            calls Use.cs::Use.Strings -> Ext.cs::ItemExtensions.Csv (ast_inferred 0.42)
            calls Use.cs::Use.Strings -> Ext.cs::StringExtensions.Csv
            resolved 4 ambiguous 1 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn an_untyped_lambda_parameter_is_taken_for_the_enclosing_object() {
    check(
        r#"//- Steps.cs
        namespace X;
        public class Steps { public void GivenRoute(int port) {} }
        public class Others { public void GivenRoute(int port) {} }
        public class RouteTests : Steps {
            public void Runs() { this.Given(x => x.GivenRoute(1)); }
        }"#,
        &[Calls],
        expect![[r#"
            calls Steps.cs::RouteTests.Runs -> Steps.cs::Steps.GivenRoute (ast_inferred 0.70)
            resolved 1 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}

#[test]
fn a_type_bound_named_like_a_rust_trait_is_an_ordinary_type() {
    check(
        "//- A.cs
        namespace N;
        public class Ord { public void Ship() {} }
        public class Cat { public void Ship() {} }
        public class Q { public void D<U>(U u) where U : Ord { u.Ship(); } }",
        &[Calls],
        expect![[r#"
            calls A.cs::Q.D -> A.cs::Ord.Ship
            resolved 1 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn primary_constructor_parameters_are_visible_in_members() {
    check(
        "//- A.cs
        namespace N;
        public class Db { public void Close() {} }
        public class Cat { public void Close() {} }
        public class Base { public Base(Db d) {} }
        public class P1(Db db) : Base(db) { void A1() { db.Close(); } readonly Db _d = db; void A2(Cat db) { db.Close(); } }
        public struct S2(Db db) { public void A3() => db.Close(); }
        public class P3 { P1 Make() => new P1(null); }",
        &[Calls, AccessesField],
        expect![[r#"
            accesses_field A.cs::P1 -> A.cs::P1.db
            accesses_field A.cs::P1.A1 -> A.cs::P1.db
            accesses_field A.cs::P1._d -> A.cs::P1.db
            accesses_field A.cs::S2.A3 -> A.cs::S2.db
            calls A.cs::P1.A1 -> A.cs::Db.Close
            calls A.cs::P1.A2 -> A.cs::Cat.Close
            calls A.cs::P3.Make -> A.cs::P1
            calls A.cs::S2.A3 -> A.cs::Db.Close
            resolved 4 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn methods_passed_as_delegates_are_references() {
    check(
        r#"//- Form.Designer.cs
        namespace N;
        public partial class Form {
          void Init() { b.Click += OnClick; b.Click -= OnGone; this.b.Cb = Use; b.Cb = this.Use2; }
        }
        //- Form.cs
        namespace N;
        using System;
        public class Btn { public event EventHandler Click; public Action<int> Cb; }
        public partial class Form : Base {
          Btn b = new();
          void OnClick(object s, EventArgs e) { }
          void OnGone(object s, EventArgs e) { }
          void Use(int n) { }
          void Use2(int n) { }
          Func<int> F1 => Make;
          int Make() => 1;
          Action Given() { return Helper; }
          void Table() { var d = new Dictionary<string, Action> { ["a"] = Helper, { "b", Helper2 } }; }
          void Local() { Action a = Helper2; var Helper = a; Action c = Helper; }
          void Helper() { }
          void Helper2() { }
        }"#,
        &[References],
        expect![[r#"
            references Form.Designer.cs::Form.Init -> Form.cs::Form.OnClick
            references Form.Designer.cs::Form.Init -> Form.cs::Form.OnGone
            references Form.Designer.cs::Form.Init -> Form.cs::Form.Use
            references Form.Designer.cs::Form.Init -> Form.cs::Form.Use2
            references Form.cs::Form.F1 -> Form.cs::Form.Make
            references Form.cs::Form.Given -> Form.cs::Form.Helper
            references Form.cs::Form.Local -> Form.cs::Form.Helper2
            references Form.cs::Form.Table -> Form.cs::Form.Helper
            references Form.cs::Form.Table -> Form.cs::Form.Helper2
            references Form.cs::Form.b -> Form.cs::Btn
        "#]],
    );
}

#[test]
fn elements_of_collections_have_the_element_type() {
    check(
        r#"//- A.cs
        using System.Collections.Generic; using System.Linq; using System.Threading.Tasks;
        namespace N;
        public class Ord { public void Ship() {} public bool Ok() => true; public void One() {} public void Two() {} }
        public class Cat { public void Ship() {} public bool Ok() => true; public void One() {} public void Two() {} }
        public class T {
          List<Ord> _items = new();
          void Each(List<Ord> l) { l.ForEach(o => o.Ship()); }
          void EachField() { _items.ForEach((o) => { o.Ship(); }); }
          void First(List<Ord> l) { l.First().Ship(); l.FirstOrDefault()?.Ok(); }
          void Linq(IEnumerable<Ord> l) { l.Where(o => o.Ok()).OrderBy(o => o.Ok()).ToList().ForEach(o => o.Ship()); }
          void Pairs(Dictionary<string, Ord> m) { foreach (var kv in m) kv.Value.Ship(); }
          void Values(Dictionary<string, Ord> m) { foreach (var o in m.Values) o.Ship(); m["a"].Ok(); }
          void Tried(Dictionary<string, Ord> m) { if (m.TryGetValue("a", out var v)) v.Ship(); }
          void Params(params Ord[] ps) { foreach (var p in ps) p.Ship(); ps[0].Ok(); }
          void Nested(Dictionary<string, List<Ord>> m) { m["a"][0].Ship(); foreach (var l in m.Values) l.First().Ok(); }
          void NestedIsNoElement(Dictionary<string, List<Ord>> m) { m["a"].Ship(); }
          void Lambdas(List<Ord> l, List<Cat> k) { l.ForEach(o => o.One()); k.ForEach(o => o.Two()); l.Select(o => 1).ForEach(x => x.Ship()); }
          async Task Awaited(Task<List<Ord>> t) { (await t)[0].Ship(); t.Result.First().Ok(); }
        }"#,
        &[Calls],
        expect![[r#"
            calls A.cs::T.Awaited -> A.cs::Ord.Ok
            calls A.cs::T.Awaited -> A.cs::Ord.Ship
            calls A.cs::T.Each -> A.cs::Ord.Ship
            calls A.cs::T.EachField -> A.cs::Ord.Ship
            calls A.cs::T.First -> A.cs::Ord.Ok
            calls A.cs::T.First -> A.cs::Ord.Ship
            calls A.cs::T.Lambdas -> A.cs::Cat.Two
            calls A.cs::T.Lambdas -> A.cs::Ord.One
            calls A.cs::T.Linq -> A.cs::Ord.Ok
            calls A.cs::T.Linq -> A.cs::Ord.Ship
            calls A.cs::T.Nested -> A.cs::Ord.Ok
            calls A.cs::T.Nested -> A.cs::Ord.Ship
            calls A.cs::T.Pairs -> A.cs::Ord.Ship
            calls A.cs::T.Params -> A.cs::Ord.Ok
            calls A.cs::T.Params -> A.cs::Ord.Ship
            calls A.cs::T.Tried -> A.cs::Ord.Ship
            calls A.cs::T.Values -> A.cs::Ord.Ok
            calls A.cs::T.Values -> A.cs::Ord.Ship
            resolved 19 ambiguous 0 external 17 unresolved 0
        "#]],
    );
}

#[test]
fn an_alias_can_name_a_namespace_and_static_constructors_are_not_called() {
    check(
        "//- Core/Store.cs
        using M = Acme.Model;
        using Ordr = Acme.Model.Order;
        using Top = Other;
        namespace Acme.Core;
        public class Store<T>(int n) {
          static Store() {}
          void A() { M.Order.Make(); Ordr.Make(); new M.Order(); M.Inner.Part.Go(); Top.Thing.Go(); }
          void B() { new Store<int>(1); }
        }
        public class Other { static Other() {} public Other() {} void C() { new Other(); } }
        //- Model/Order.cs
        namespace Acme.Model;
        public class Order { public static Order Make() => new(); }
        //- Model/Part.cs
        namespace Acme.Model.Inner;
        public class Part { public static void Go() {} }
        //- Other.cs
        namespace Other;
        public class Thing { public static void Go() {} }",
        &[Calls, Imports],
        expect![[r#"
            calls Core/Store.cs::Other.C -> Core/Store.cs::Other.Other
            calls Core/Store.cs::Store.A -> Model/Order.cs::Order
            calls Core/Store.cs::Store.A -> Model/Order.cs::Order.Make
            calls Core/Store.cs::Store.A -> Model/Part.cs::Part.Go
            calls Core/Store.cs::Store.A -> Other.cs::Thing.Go
            calls Core/Store.cs::Store.B -> Core/Store.cs::Store
            imports Core/Store.cs -> Model/Order.cs
            imports Core/Store.cs -> Model/Order.cs::Order
            imports Core/Store.cs -> Other.cs
            resolved 7 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
