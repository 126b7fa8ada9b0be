//! Tests that extraction finds the declarations and uses in C#.

use super::check_file;
use expect_test::expect_file;

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
fn declarations_and_uses_of_csharp_are_found() {
    check_file("csharp", SOURCE, &expect_file!["./csharp.facts"]);
}
