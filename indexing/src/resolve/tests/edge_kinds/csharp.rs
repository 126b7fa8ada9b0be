//! All kinds of edges in C#.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- src/Broken.cs
        namespace App;
        public class Broken : System.Exception { }
        //- src/Base.cs
        namespace App;
        public abstract class Base
        {
            protected int count;
            public void Start() { }
            public virtual void Stop() { }
        }
        //- src/Named.cs
        namespace App;
        public interface INamed { string Name(); }
        public class TracedAttribute : System.Attribute { }
        //- src/Service.cs
        using System;
        using System.Diagnostics;
        namespace App;

        /// <summary>Runs; <see cref="Base.Start"/> begins.</summary>
        public class Service : Base, INamed
        {
            const int Limit = 10;
            private int size;
            public int Size { get; set; }

            public string Name() => "";
            public override void Stop() { }

            [Traced]
            public Base Run(Broken error, IFlags flags)
            {
                Start();
                if (size > Limit) throw new Broken();
                if (Environment.GetEnvironmentVariable("APP_HOME") != null) Process.Start("git", "status");
                if (flags.BoolVariation("new-run", null, false)) throw error;
                Each(Helper);
                this.Size = count;
                return new Service();
            }

            void Each(Action a) { }
            void Helper() { }
        }

        public interface IFlags { bool BoolVariation(string key, object user, bool other); }
        //- test/ServiceTests.cs
        using Xunit;
        namespace App.Tests;

        public class ServiceTests
        {
            [Fact]
            public void Runs() { Check(new App.Service()); }

            void Check(App.Service service) { service.Run(null, null); }
        }
        //- src/Web.cs
        using Microsoft.AspNetCore.Mvc;
        using System.Net.Http;
        namespace App;

        [Route("items")]
        public class WebController
        {
            [HttpGet("{id}")]
            public string Item(int id) => "";

            public void Load(HttpClient http, int id) { http.GetAsync($"https://x.org/items/{id}"); }
        }
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field src/Service.cs::Service.Run -> src/Base.cs::Base.count
            accesses_field src/Service.cs::Service.Run -> src/Service.cs::Service.Limit
            accesses_field src/Service.cs::Service.Run -> src/Service.cs::Service.Size
            accesses_field src/Service.cs::Service.Run -> src/Service.cs::Service.size
            calls src/Service.cs::Service.Run -> src/Base.cs::Base.Start
            calls src/Service.cs::Service.Run -> src/Broken.cs::Broken
            calls src/Service.cs::Service.Run -> src/Service.cs::IFlags.BoolVariation
            calls src/Service.cs::Service.Run -> src/Service.cs::Service
            calls src/Service.cs::Service.Run -> src/Service.cs::Service.Each
            calls test/ServiceTests.cs::ServiceTests.Check -> src/Service.cs::Service.Run
            calls test/ServiceTests.cs::ServiceTests.Runs -> test/ServiceTests.cs::ServiceTests.Check
            consumes_endpoint src/Web.cs::WebController.Load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/Web.cs::WebController.Load -> route::GET /items/{}
            decorates src/Named.cs::TracedAttribute -> src/Service.cs::Service.Run
            documents src/Service.cs::Service -> src/Base.cs::Base.Start
            executes_process src/Service.cs::Service.Run -> process::git
            extends src/Service.cs::Service -> src/Base.cs::Base
            gated_by_flag src/Service.cs::Service.Run -> flag::new-run
            handles_route route::GET /items/{} -> src/Web.cs::WebController.Item
            implements src/Service.cs::Service -> src/Named.cs::INamed
            imports src/Service.cs -> external::System
            imports src/Service.cs -> external::System.Diagnostics
            imports src/Web.cs -> external::Microsoft.AspNetCore.Mvc
            imports src/Web.cs -> external::System.Net.Http
            imports test/ServiceTests.cs -> external::Xunit
            inherits src/Service.cs::Service -> src/Base.cs::Base.Start
            member_of src/Base.cs::Base.Start -> src/Base.cs::Base
            member_of src/Base.cs::Base.Stop -> src/Base.cs::Base
            member_of src/Base.cs::Base.count -> src/Base.cs::Base
            member_of src/Named.cs::INamed.Name -> src/Named.cs::INamed
            member_of src/Service.cs::IFlags.BoolVariation -> src/Service.cs::IFlags
            member_of src/Service.cs::Service.Each -> src/Service.cs::Service
            member_of src/Service.cs::Service.Helper -> src/Service.cs::Service
            member_of src/Service.cs::Service.Limit -> src/Service.cs::Service
            member_of src/Service.cs::Service.Name -> src/Service.cs::Service
            member_of src/Service.cs::Service.Run -> src/Service.cs::Service
            member_of src/Service.cs::Service.Size -> src/Service.cs::Service
            member_of src/Service.cs::Service.Stop -> src/Service.cs::Service
            member_of src/Service.cs::Service.size -> src/Service.cs::Service
            member_of src/Web.cs::WebController.Item -> src/Web.cs::WebController
            member_of src/Web.cs::WebController.Load -> src/Web.cs::WebController
            member_of test/ServiceTests.cs::ServiceTests.Check -> test/ServiceTests.cs::ServiceTests
            member_of test/ServiceTests.cs::ServiceTests.Runs -> test/ServiceTests.cs::ServiceTests
            overrides src/Service.cs::Service.Name -> src/Named.cs::INamed.Name
            overrides src/Service.cs::Service.Stop -> src/Base.cs::Base.Stop
            reads_env src/Service.cs::Service.Run -> env::APP_HOME
            references src/Service.cs::Service.Run -> src/Service.cs::Service.Helper
            tests test/ServiceTests.cs::ServiceTests.Check -> src/Service.cs::Service.Run
            tests test/ServiceTests.cs::ServiceTests.Runs -> src/Service.cs::Service.Run
            throws src/Service.cs::Service.Run -> src/Broken.cs::Broken
            type_hint_of src/Service.cs::Service.Run -> src/Base.cs::Base
            type_hint_of src/Service.cs::Service.Run -> src/Broken.cs::Broken
            type_hint_of src/Service.cs::Service.Run -> src/Service.cs::IFlags
            type_hint_of test/ServiceTests.cs::ServiceTests.Check -> src/Service.cs::Service
        "#]],
    );
}
