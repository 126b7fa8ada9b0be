//! All kinds of edges in Java.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- src/main/java/p/Broken.java
        package p;
        public class Broken extends Exception {}
        //- src/main/java/p/Base.java
        package p;
        public abstract class Base {
            protected int count;
            public void start() {}
            public void stop() {}
        }
        //- src/main/java/p/Named.java
        package p;
        public interface Named { String name(); }
        //- src/main/java/p/Traced.java
        package p;
        public @interface Traced {}
        //- src/main/java/p/App.java
        package p;

        /** Runs; {@link Base#start()} begins, see {@link p.Named}. */
        public class App extends Base implements Named {
            static final int LIMIT = 10;
            private int size;

            public App(int size) { this.size = size; }

            @Override
            public String name() { return ""; }

            @Override
            public void stop() {}

            @Traced
            public Base run(Broken error, Flags flags) throws Broken {
                start();
                if (size > LIMIT) throw new Broken();
                if (System.getenv("APP_HOME") != null) new ProcessBuilder("git", "status").start();
                if (flags.boolVariation("new-run", null, false)) throw new IllegalStateException("no");
                each(this::helper);
                return new App(count);
            }

            void each(Runnable r) {}
            void helper() {}
        }
        //- src/main/java/p/Flags.java
        package p;
        public interface Flags { boolean boolVariation(String key, Object user, boolean other); }
        //- src/test/java/p/AppTest.java
        package p;
        import org.junit.jupiter.api.BeforeEach;
        import org.junit.jupiter.api.Test;

        class AppTest {
            App app;

            @BeforeEach
            void setUp() { app = new App(1); }

            @Test
            void runs() throws Broken { check(); }

            private void check() throws Broken { app.run(null, null); }
        }
        //- src/main/java/p/Web.java
        package p;
        import java.net.URI;
        import java.net.http.HttpRequest;
        import org.springframework.web.bind.annotation.GetMapping;
        import org.springframework.web.bind.annotation.RequestMapping;

        @RequestMapping("/items")
        class Web {
            @GetMapping("/{id}")
            String item() { return ""; }

            void load(String id) { HttpRequest.newBuilder(URI.create("http://x.org/items/" + id)).GET(); }
        }
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field src/main/java/p/App.java::App.App -> src/main/java/p/App.java::App.size
            accesses_field src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App.LIMIT
            accesses_field src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App.size
            accesses_field src/main/java/p/App.java::App.run -> src/main/java/p/Base.java::Base.count
            accesses_field src/test/java/p/AppTest.java::AppTest.check -> src/test/java/p/AppTest.java::AppTest.app
            accesses_field src/test/java/p/AppTest.java::AppTest.setUp -> src/test/java/p/AppTest.java::AppTest.app
            calls src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App.App
            calls src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App.each
            calls src/main/java/p/App.java::App.run -> src/main/java/p/Base.java::Base.start
            calls src/main/java/p/App.java::App.run -> src/main/java/p/Broken.java::Broken
            calls src/main/java/p/App.java::App.run -> src/main/java/p/Flags.java::Flags.boolVariation
            calls src/main/java/p/Web.java::Web.load -> external::java.net.URI.create
            calls src/main/java/p/Web.java::Web.load -> external::java.net.http.HttpRequest.newBuilder
            calls src/test/java/p/AppTest.java::AppTest.check -> src/main/java/p/App.java::App.run
            calls src/test/java/p/AppTest.java::AppTest.runs -> src/test/java/p/AppTest.java::AppTest.check
            calls src/test/java/p/AppTest.java::AppTest.runs -> src/test/java/p/AppTest.java::AppTest.setUp
            calls src/test/java/p/AppTest.java::AppTest.setUp -> src/main/java/p/App.java::App.App
            co_tested_with src/main/java/p/App.java::App.App -> src/main/java/p/App.java::App.run (ast_inferred 0.60)
            consumes_endpoint src/main/java/p/Web.java::Web.load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/main/java/p/Web.java::Web.load -> route::GET /items/{}
            decorates src/main/java/p/Traced.java::Traced -> src/main/java/p/App.java::App.run
            documents src/main/java/p/App.java::App -> src/main/java/p/Base.java::Base.start
            documents src/main/java/p/App.java::App -> src/main/java/p/Named.java::Named
            executes_process src/main/java/p/App.java::App.run -> process::git
            extends src/main/java/p/App.java::App -> src/main/java/p/Base.java::Base
            gated_by_flag src/main/java/p/App.java::App.run -> flag::new-run
            handles_route route::GET /items/{} -> src/main/java/p/Web.java::Web.item
            implements src/main/java/p/App.java::App -> src/main/java/p/Named.java::Named
            imports src/main/java/p/Web.java -> external::java.net.URI
            imports src/main/java/p/Web.java -> external::java.net.http.HttpRequest
            imports src/main/java/p/Web.java -> external::org.springframework.web.bind.annotation.GetMapping
            imports src/main/java/p/Web.java -> external::org.springframework.web.bind.annotation.RequestMapping
            imports src/test/java/p/AppTest.java -> external::org.junit.jupiter.api.BeforeEach
            imports src/test/java/p/AppTest.java -> external::org.junit.jupiter.api.Test
            inherits src/main/java/p/App.java::App -> src/main/java/p/Base.java::Base.start
            member_of src/main/java/p/App.java::App.App -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.LIMIT -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.each -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.helper -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.name -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.size -> src/main/java/p/App.java::App
            member_of src/main/java/p/App.java::App.stop -> src/main/java/p/App.java::App
            member_of src/main/java/p/Base.java::Base.count -> src/main/java/p/Base.java::Base
            member_of src/main/java/p/Base.java::Base.start -> src/main/java/p/Base.java::Base
            member_of src/main/java/p/Base.java::Base.stop -> src/main/java/p/Base.java::Base
            member_of src/main/java/p/Flags.java::Flags.boolVariation -> src/main/java/p/Flags.java::Flags
            member_of src/main/java/p/Named.java::Named.name -> src/main/java/p/Named.java::Named
            member_of src/main/java/p/Web.java::Web.item -> src/main/java/p/Web.java::Web
            member_of src/main/java/p/Web.java::Web.load -> src/main/java/p/Web.java::Web
            member_of src/test/java/p/AppTest.java::AppTest.app -> src/test/java/p/AppTest.java::AppTest
            member_of src/test/java/p/AppTest.java::AppTest.check -> src/test/java/p/AppTest.java::AppTest
            member_of src/test/java/p/AppTest.java::AppTest.runs -> src/test/java/p/AppTest.java::AppTest
            member_of src/test/java/p/AppTest.java::AppTest.setUp -> src/test/java/p/AppTest.java::AppTest
            overrides src/main/java/p/App.java::App.name -> src/main/java/p/Named.java::Named.name
            overrides src/main/java/p/App.java::App.stop -> src/main/java/p/Base.java::Base.stop
            reads_env src/main/java/p/App.java::App.run -> env::APP_HOME
            references src/main/java/p/App.java::App.run -> src/main/java/p/App.java::App.helper
            references src/main/java/p/Web.java::Web -> external::org.springframework.web.bind.annotation.RequestMapping
            references src/main/java/p/Web.java::Web.item -> external::org.springframework.web.bind.annotation.GetMapping
            references src/test/java/p/AppTest.java::AppTest.app -> src/main/java/p/App.java::App
            references src/test/java/p/AppTest.java::AppTest.runs -> external::org.junit.jupiter.api.Test
            references src/test/java/p/AppTest.java::AppTest.setUp -> external::org.junit.jupiter.api.BeforeEach
            tests src/test/java/p/AppTest.java::AppTest.check -> src/main/java/p/App.java::App.run
            tests src/test/java/p/AppTest.java::AppTest.runs -> src/main/java/p/App.java::App.run
            tests src/test/java/p/AppTest.java::AppTest.setUp -> src/main/java/p/App.java::App.App
            throws src/main/java/p/App.java::App.run -> external::IllegalStateException
            throws src/main/java/p/App.java::App.run -> src/main/java/p/Broken.java::Broken
            throws src/test/java/p/AppTest.java::AppTest.check -> src/main/java/p/Broken.java::Broken
            throws src/test/java/p/AppTest.java::AppTest.runs -> src/main/java/p/Broken.java::Broken
            type_hint_of src/main/java/p/App.java::App.run -> src/main/java/p/Base.java::Base
            type_hint_of src/main/java/p/App.java::App.run -> src/main/java/p/Broken.java::Broken
            type_hint_of src/main/java/p/App.java::App.run -> src/main/java/p/Flags.java::Flags
            type_hint_of src/test/java/p/AppTest.java::AppTest.check -> src/main/java/p/Broken.java::Broken
            type_hint_of src/test/java/p/AppTest.java::AppTest.runs -> src/main/java/p/Broken.java::Broken
        "#]],
    );
}
