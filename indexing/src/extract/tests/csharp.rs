//! Facts of csharp.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
using System;
using System.Collections.Generic;
using static System.Math;
using Json = Newtonsoft.Json.JsonConvert;

namespace Ocelot.Config
{
    /// <summary>Does things for <see cref="Foo"/>.</summary>
    [Serializable]
    public abstract class Service<T> : Base<T>, IService, IDisposable where T : Foo
    {
        private readonly IRepo _repo, _other;
        public const int Max = 10;
        public event EventHandler<Args> Changed;
        public string Name { get; set; } = "x";
        public List<Item> Items => _repo.All();
        public Service(IRepo repo, ILogger logger = null) : base(repo) { _repo = repo ?? throw new ArgumentNullException(nameof(repo)); }
        /// <inheritdoc/>
        public async Task<Item> Get(string id, params int[] xs)
        {
            var item = await _repo.Find<Item>(id);
            Item other = new Item { A = 1 };
            foreach (var i in item.Children) { i?.Go(helper); }
            using (var r = Open()) { r.Read(); }
            using var z = new Reader(id);
            int Local(Foo f) => f.Bar;
            Environment.GetEnvironmentVariable("HOME"); Process.Start("git", "x");
            items.Select(x => x.Name).Where(Filter);
            if (o is Item q) { q.Go(); }
            return (other as Item).Next ?? typeof(Foo).Name;
        }
        public Item Get(int id) => null;
        public int this[int i] => i;
        public static Service operator +(Service a, Service b) => a;
        class Inner { void Get() {} }
        enum E { A = 1, B }
    }
    public interface IFoo : IBar { void M(); int P { get; } }
    public record Point(int X, string Y) : Base(X);
    struct S { public int X; }
    delegate void D(int a);
}
namespace Other { class Service { [Fact] public void Works() { Assert.Equal(1, new Service<int>().Get(1)); } } }
"#;

#[test]
fn everything_that_csharp_declares_and_uses_is_found() {
    check(
        "csharp",
        SOURCE,
        expect![[r#"
            csharp package="Ocelot.Config" lines=44
            class Service 10-38 `public abstract class Service<T> : Base<T>, IService, IDisposable where T : Foo` Extends(Base) Extends(IService) Extends(IDisposable) public doc="Does things for Foo."
              field Service._repo 13-13 `private readonly IRepo _repo` : IRepo private
              field Service._other 13-13 `private readonly IRepo _other` : IRepo private
              field Service.Max 14-14 `public const int Max = 10` : int public
              field Service.Changed 15-15 `public event EventHandler<Args> Changed` : EventHandler<Args> public
              property Service.Name 16-16 `public string Name { get; set; } = "x"` : string public
              property Service.Items 17-17 `public List<Item> Items => _repo.All()` : List<Item> public
              constructor Service.Service 18-18 `public Service(IRepo repo, ILogger logger = null) : base(repo)` (IRepo,ILogger=)/2 public
              method Service.Get 20-32 `public async Task<Item> Get(string id, params int[] xs)` (string,...int[])/2 : Task<Item> public
                function Service.Get.Local 27-27 `int Local(Foo f)` (Foo)/1 : int private
              method Service.Get 33-33 `public Item Get(int id)` (int)/1 : Item public
              property Service.this 34-34 `public int this[int i] => i` : int public
              method Service.operator 35-35 `public static Service operator +(Service a, Service b)` (Service,Service)/2 : Service public
              class Service.Inner 36-36 `class Inner` private
                method Service.Inner.Get 36-36 `void Get()` ()/0 : void private
              enum Service.E 37-37 `enum E` private
                enum_member Service.E.A 37-37 `A = 1` public
                enum_member Service.E.B 37-37 `B` public
            interface IFoo 39-39 `public interface IFoo : IBar` Extends(IBar) public
              method IFoo.M 39-39 `void M()` ()/0 : void public
              property IFoo.P 39-39 `int P { get; }` : int public
            record Point 40-40 `public record Point(int X, string Y) : Base(X)` Extends(Base) public
              property Point.X 40-40 `int X` : int public
              property Point.Y 40-40 `string Y` : string public
            struct S 41-41 `struct S` internal
              field S.X 41-41 `public int X` : int public
            type D 42-42 `delegate void D(int a)` internal
            module Other 44-44 `namespace Other` internal
              class Other.Service 44-44 `class Service` internal
                method Other.Service.Works 44-44 `public void Works()` ()/0 : void public test
            ref Doc Foo in Service 9:45
            ref Decorator Serializable in Service 10:6
            ref Base Base in Service 11:40
            ref Base IService in Service 11:49
            ref Base IDisposable in Service 11:59
            ref Type Foo in Service 11:81
            ref Type IRepo in Service 13:26
            ref Type EventHandler in Service.Changed 15:22
            ref Type Args in Service.Changed 15:35
            ref Type List in Service.Items 17:16
            ref Type Item in Service.Items 17:21
            ref Name _repo in Service.Items 17:36
            ref Call _repo.All/0 in Service.Items 17:42
            ref Type IRepo in Service.Service 18:24
            ref Type ILogger in Service.Service 18:36
            ref Call base/1(repo) in Service.Service 18:61
            ref Name _repo in Service.Service 18:74
            ref Construct ArgumentNullException/1(nameof()) in Service.Service 18:100
            ref Throw ArgumentNullException in Service.Service 18:100
            ref Type Task in Service.Get 20:22
            ref Type Item in Service.Get 20:27
            ref Name _repo in Service.Get 22:30
            ref Call _repo.Find/1(id) in Service.Get 22:36
            ref Type Item in Service.Get 22:41
            ref Type Item in Service.Get 23:13
            ref Construct Item/0 in Service.Get 23:30
            ref Field item.Children in Service.Get 24:36
            ref Call i.Go/1(helper) in Service.Get 24:51
            ref Value helper in Service.Get 24:54
            ref Call Open/0 in Service.Get 25:28
            ref Call r.Read/0 in Service.Get 25:40
            ref Construct Reader/1(id) in Service.Get 26:31
            ref Type Foo in Service.Get.Local 27:23
            ref Field f.Bar in Service.Get.Local 27:35
            ref Call Environment.GetEnvironmentVariable/1('string) in Service.Get 28:25
            ref Env HOME in Service.Get 28:48
            ref Call Process.Start/2('string,'string) in Service.Get 28:65
            ref Process git in Service.Get 28:71
            ref Call items.Select/1(=>1) in Service.Get 29:19
            ref Field x.Name in Service.Get 29:33
            ref Call items.Select().Where/1(Filter) in Service.Get 29:39
            ref Value Filter in Service.Get 29:45
            ref Type Item in Service.Get 30:22
            ref Call q.Go/0 in Service.Get 30:34
            ref Type Item in Service.Get 31:30
            ref Field Item.Next in Service.Get 31:36
            ref Type Foo in Service.Get 31:51
            ref Field ?.Name in Service.Get 31:56
            ref Type Item in Service.Get 33:16
            ref Type Service in Service.operator 35:23
            ref Type Service in Service.operator 35:42
            ref Type Service in Service.operator 35:53
            ref Base IBar in IFoo 39:29
            ref Base Base in Point 40:44
            ref Value X in Point 40:49
            ref Decorator Fact in Other.Service.Works 44:36
            ref Call Assert.Equal/2('int,Service().Get()) in Other.Service.Works 44:71
            ref Construct Service/0 in Other.Service.Works 44:84
            ref Call Service().Get/1('int) in Other.Service.Works 44:99
            import "System" "*" as "" in file
            import "System.Collections.Generic" "*" as "" in file
            import "System.Math" "*" as "" in file
            import "Newtonsoft.Json" "JsonConvert" as "Json" in file
            bind _repo = Type IRepo in Service
            bind _other = Type IRepo in Service
            bind Max = Type int in Service
            bind Changed = Type EventHandler<Args> in Service
            bind repo = Type IRepo in Service.Service
            bind logger = Type ILogger in Service.Service
            bind id = Type string in Service.Get
            bind item = Value _repo.Find() in Service.Get
            bind other = Type Item in Service.Get
            bind i = Element item.Children in Service.Get
            bind r = Value Open() in Service.Get
            bind z = Type Reader in Service.Get
            bind f = Type Foo in Service.Get.Local
            bind q = Type Item in Service.Get
            bind id = Type int in Service.Get
            bind i = Type int in Service.this
            bind a = Type Service in Service.operator
            bind b = Type Service in Service.operator
            bind X = Type int in Point.X
            bind Y = Type string in Point.Y
            bind X = Type int in S
            bind a = Type int in D
        "#]],
    );
}
