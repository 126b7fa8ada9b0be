//! Routers with several mount points, and names that refer to several routers.

use super::super::{Files, check, format_edges, put_change, resolve_edges, resolve_workspace};
use expect_test::expect;
use kenning_graph::EdgeKind::*;
use std::fmt::Write as _;

#[test]
fn a_router_name_is_scoped_and_a_router_has_all_its_mount_points() {
    check(
        r##"
        //- package.json
        {"name": "x"}
        //- scopes.js
        const express = require('express');
        const app = express();
        function list() {}
        function one() {
          const users = express.Router();
          users.get('/a', list);
          app.use('/one', users);
        }
        function two() {
          const users = express.Router();
          users.get('/b', list);
          app.use('/two', users);
        }
        function twice() {
          const shop = express.Router();
          shop.get('/c', list);
          app.use('/v1', shop);
          app.use('/v2', shop);
        }
        //- deep.js
        const express = require('express');
        const [app, a, b, c, d, e] = [express(), express.Router(), express.Router(), express.Router(), express.Router(), express.Router()];
        function list() {}
        app.use('/a', a);
        a.use('/b', b);
        b.use('/c', c);
        c.use('/d', d);
        d.use('/e', e);
        e.get('/deep', list);
        //- circle.js
        const express = require('express');
        const a = express.Router();
        const b = express.Router();
        function list() {}
        a.use('/b', b);
        b.use('/a', a);
        a.get('/circle', list);
        //- unknown.js
        const express = require('express');
        const config = require('./config');
        const app = express();
        const api = express.Router();
        const users = express.Router();
        function list() {}
        app.use(config.base, api);
        api.use('/users', users);
        users.get('/me', list);
        api.use('/others', require('./others'));
        //- others.js
        const express = require('express');
        const others = express.Router();
        others.get('/:id', () => {});
        module.exports = others;
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /a/b/c/d/e/deep -> deep.js::list
            handles_route route::GET /circle -> circle.js::list (ast_inferred 0.42)
            handles_route route::GET /one/a -> scopes.js::list
            handles_route route::GET /others/{} -> others.js (ast_inferred 0.42)
            handles_route route::GET /two/b -> scopes.js::list
            handles_route route::GET /users/me -> unknown.js::list (ast_inferred 0.42)
            handles_route route::GET /v1/c -> scopes.js::list
            handles_route route::GET /v2/c -> scopes.js::list
        "#]],
    );
}

#[test]
fn plugins_of_a_file_are_mounted_where_it_registers_them() {
    check(
        r##"
        //- package.json
        {"name": "x"}
        //- server.js
        const fastify = require('fastify')();
        fastify.register(plugin, { prefix: '/v1' });
        async function plugin(app) {
          app.get('/p', one);
          app.register(require('./users'), { prefix: '/users' });
          app.register(require('./nested'), { prefix: '/nested' });
        }
        function one() {}
        //- shop.js
        const router = require('express').Router();
        router.get('/shop', () => {});
        module.exports = router;
        //- site.js
        const app = require('express')();
        app.use('/api', require('./shop'));
        //- nested.js
        module.exports = async function (fastify) {
          fastify.register(require('./orders'), { prefix: '/orders' });
        };
        //- orders.js
        module.exports = async function (fastify) {
          fastify.get('/:id', async () => {});
          fastify.register(inner, { prefix: '/inner' });
          async function inner(fastify) { fastify.get('/deep', async () => {}); }
        };
        //- users.js
        module.exports = async function (fastify) {
          fastify.get('/me', async () => {});
        };
        //- registry.js
        module.exports = function (registry) {
          registry.register(require('./plugin'), { prefix: '/lost' });
        };
        //- plugin.js
        module.exports = function (store) { store.get('/nothing', () => {}); };
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /api/shop -> shop.js
            handles_route route::GET /v1/nested/orders/inner/deep -> orders.js::exports.inner
            handles_route route::GET /v1/nested/orders/{} -> orders.js::exports
            handles_route route::GET /v1/p -> server.js::one
            handles_route route::GET /v1/users/me -> users.js::exports
        "#]],
    );
}

#[test]
fn go_functions_take_several_routers_by_position() {
    check(
        r##"
        //- go.mod
        module example.com/app
        //- main.go
        package main

        import (
        	"example.com/app/both"

        	"github.com/gin-gonic/gin"
        )

        func main() {
        	r := gin.Default()
        	both.Register(r.Group("/public"), r.Group("/private"))
        	api := r.Group("/api")
        	One(api)
        }
        //- one.go
        package main

        import "github.com/gin-gonic/gin"

        func list(c *gin.Context) {}

        func One(g *gin.RouterGroup) { g.GET("/one", list) }
        //- both/both.go
        package both

        import "github.com/gin-gonic/gin"

        func a(c *gin.Context) {}
        func b(c *gin.Context) {}

        func Register(pub, priv *gin.RouterGroup) {
        	pub.GET("/a", a)
        	priv.GET("/b", b)
        }
        //- chi/chi.go
        package chi

        import "github.com/go-chi/chi/v5"

        func health() {}
        func users() {}

        func Serve() {
        	r := chi.NewRouter()
        	r.Route("/api", Setup)
        	r.Mount("/func", Routes())
        	r.Mount("/method", H{}.Routes())
        }

        func Setup(r chi.Router) {
        	r.Get("/users", users)
        	internal := chi.NewRouter()
        	internal.Get("/health", health)
        }

        func Routes() chi.Router {
        	r := chi.NewRouter()
        	r.Get("/f", users)
        	return r
        }

        type H struct{}

        func (H) Routes() chi.Router {
        	r := chi.NewRouter()
        	r.Get("/m", users)
        	return r
        }
        //- mux/mux.go
        package mux

        import "github.com/gorilla/mux"

        func get() {}

        func New() (router *mux.Router, err error) {
        	router = mux.NewRouter()
        	router.HandleFunc("/x", get)
        	return router, nil
        }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::ANY /x -> mux/mux.go::get
            handles_route route::GET /api/one -> one.go::list
            handles_route route::GET /api/users -> chi/chi.go::users
            handles_route route::GET /func/f -> chi/chi.go::users
            handles_route route::GET /health -> chi/chi.go::health
            handles_route route::GET /method/m -> chi/chi.go::users
            handles_route route::GET /private/b -> both/both.go::b
            handles_route route::GET /public/a -> both/both.go::a
        "#]],
    );
}

#[test]
fn rust_router_chains_are_mounted_by_their_variable() {
    check(
        r##"
        //- Cargo.toml
        [package]
        name = "app"
        //- src/main.rs
        mod orders;
        mod scopes;
        mod users;
        mod web;

        use axum::{routing::get, Router};

        async fn a() {}

        fn app(state: AppState) -> Router {
            let api = Router::new().route("/a", get(a)).nest("/users", users::routes());
            Router::new().route("/", get(a)).nest("/api", api).nest("/v2", users::more().merge(orders::routes()))
        }
        //- src/users.rs
        use axum::{routing::get, Router};

        async fn show() {}

        pub fn routes() -> Router {
            Router::new().route("/:id", get(show))
        }

        pub fn more() -> Router {
            Router::new().route("/more", get(show))
        }
        //- src/orders.rs
        use axum::{routing::get, Router};

        async fn list() {}

        pub fn routes() -> Router {
            Router::new().route("/orders", get(list))
        }
        //- src/web.rs
        use actix_web::{web, App};
        use crate::scopes;

        pub fn serve() {
            App::new().service(web::scope("/api").service(scopes::users()));
        }
        //- src/scopes.rs
        use actix_web::{web, Scope};

        async fn show() {}

        pub fn users() -> Scope {
            web::scope("/users").route("/{id}", web::get().to(show))
        }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET / -> src/main.rs::a
            handles_route route::GET /api/a -> src/main.rs::a
            handles_route route::GET /api/users/{} -> src/scopes.rs::show
            handles_route route::GET /api/users/{} -> src/users.rs::show
            handles_route route::GET /v2/more -> src/users.rs::show
            handles_route route::GET /v2/orders -> src/orders.rs::list
        "#]],
    );
}

#[test]
fn objects_with_methods_of_the_same_names_are_not_routers() {
    check(
        r##"
        //- package.json
        {"name": "x"}
        //- app.js
        const express = require('express');
        const request = require('request');
        const { memo, warm, check } = require('./other');
        const app = express();
        const cache = new Map();
        cache.get('k');
        memo(cache);
        request.get('/a', () => {});
        warm(request);
        app.get('/x', (req, res) => { req.get('host'); check(req); });
        //- other.js
        export function memo(cache) { cache.get('/users/list', () => {}); }
        export function warm(client) { client.get('/users', () => {}); }
        export function check(req) { req.get('/header', () => {}); }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /x -> app.js
        "#]],
    );
}

#[test]
fn a_registration_path_replaces_an_unknown_prefix() {
    check(
        r##"
        //- app.py
        from flask import Blueprint, Flask

        app = Flask(__name__)
        other = Blueprint("other", __name__, url_prefix=PREFIX)

        @other.route("/x")
        def unknown(): ...

        app.register_blueprint(other, url_prefix="/known")
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /known/x -> app.py::unknown
        "#]],
    );
}

/// Returns the files of an application that mounts `count` routers, each from a separate file.
fn app_with_routers(count: usize) -> Files {
    let mut files = Files::new();
    files.insert("package.json".into(), r#"{"name": "x"}"#.into());
    let mut app = String::from("const express = require('express');\nconst app = express();\n");
    for at in 0..count {
        writeln!(app, "app.use('/r{at}', require('./r{at}'));").unwrap();
        let router = format!(
            "const {{ Router }} = require('express');\nconst router = Router();\nrouter.get('/:id', show{at});\nfunction show{at}() {{}}\nmodule.exports = router;\n"
        );
        files.insert(format!("web/r{at}.js"), router);
    }
    files.insert("web/app.js".into(), app);
    files
}

#[test]
fn lookups_of_mounts_are_recorded_once() {
    let count_lookups = |count| {
        let (_, edges) = resolve_edges(&app_with_routers(count));
        edges.iter().map(|file| file.lookups.len()).sum::<usize>()
    };
    let (few, many) = (count_lookups(20), count_lookups(40));
    assert!(many <= 2 * few, "20 routers need {few} lookups, 40 routers need {many}");
}

#[test]
fn unrelated_files_do_not_affect_routes() {
    let files = app_with_routers(20);
    let snapshot = resolve_workspace(&files);
    let count_affected_files = |path: &str, text: &str| {
        let (next, keys) = snapshot.with_files(put_change(path, text).into_iter().collect());
        next.files_affected_by(&keys).len()
    };
    assert_eq!(count_affected_files("other/lib.rs", "pub fn other() {}\n"), 0);
    assert_eq!(count_affected_files("other/x.py", "def other(): ...\n"), 0);
    // A change to the target of a mount affects the file that mounts it, and the other mounted
    // files.
    assert_eq!(count_affected_files("web/r3.js", "module.exports = require('./r4');\n"), 20);
}

#[test]
fn a_router_mounted_in_its_own_file_can_be_mounted_elsewhere() {
    check(
        r##"
        //- package.json
        {"name": "x"}
        //- app.js
        const express = require('express');
        const users = require('./users');
        const app = express();
        app.use('/users', users);
        //- users.js
        const express = require('express');
        const router = express.Router();
        const sub = express.Router();
        function me() {}
        router.get('/me', me);
        sub.get('/s', me);
        router.use('/sub', sub);
        router.use('/others', require('./others'));
        if (require.main === module) {
          const alone = express();
          alone.use('/alone', router);
        }
        module.exports = router;
        //- others.js
        const { Router } = require('express');
        const others = Router();
        others.get('/o', () => {});
        module.exports = others;
        //- Cargo.toml
        [package]
        name = "app"
        //- src/main.rs
        mod api;
        mod users;
        use axum::Router;
        use actix_web::{web, App};

        fn app() -> Router { Router::new().nest("/u", users::router()) }
        fn serve() { App::new().service(web::scope("/v1").service(api::scope())); }
        //- src/users.rs
        use axum::{routing::get, Router};

        async fn me() {}

        pub fn router() -> Router { Router::new().route("/me", get(me)) }

        #[cfg(test)]
        mod tests {
            use super::*;
            #[test]
            fn serves() { let app = Router::new().nest("/test", router()); }
        }
        //- src/api.rs
        use actix_web::{web, Scope};

        async fn a() {}

        pub fn scope() -> Scope { web::scope("/items").route("/a", web::get().to(a)) }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /alone/me -> users.js::me
            handles_route route::GET /alone/others/o -> others.js
            handles_route route::GET /alone/sub/s -> users.js::me
            handles_route route::GET /test/me -> src/users.rs::me
            handles_route route::GET /u/me -> src/users.rs::me
            handles_route route::GET /users/me -> users.js::me
            handles_route route::GET /users/others/o -> others.js
            handles_route route::GET /users/sub/s -> users.js::me
            handles_route route::GET /v1/items/a -> src/api.rs::a
        "#]],
    );
}

#[test]
fn one_name_can_refer_to_several_routers_in_one_function() {
    check(
        r##"
        //- go.mod
        module example.com/app
        //- main.go
        package main

        import "github.com/go-chi/chi/v5"

        func one() {}
        func two() {}

        func Serve() {
        	r := chi.NewRouter()
        	{
        		sub := chi.NewRouter()
        		sub.Get("/a", one)
        		r.Mount("/one", sub)
        	}
        	{
        		sub := chi.NewRouter()
        		sub.Get("/b", two)
        		r.Mount("/two", sub)
        	}
        }
        //- app.py
        from flask import Blueprint, Flask

        app = Flask(__name__)
        bp = Blueprint("users", __name__)

        @bp.route("/u")
        def users(): ...

        app.register_blueprint(bp, url_prefix="/users")
        bp = Blueprint("posts", __name__)

        @bp.route("/p")
        def posts(): ...

        app.register_blueprint(bp, url_prefix="/posts")
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /one/a -> main.go::one
            handles_route route::GET /posts/p -> app.py::posts
            handles_route route::GET /two/b -> main.go::two
            handles_route route::GET /users/u -> app.py::users
        "#]],
    );
}

#[test]
fn many_routes_at_many_mount_points_are_all_reported() {
    let mut app = String::from(
        "const express = require('express');\nconst app = express();\nconst router = express.Router();\nfunction h() {}\n",
    );
    for at in 0..16 {
        writeln!(app, "app.use('/p{at}', router);").unwrap();
    }
    for at in 0..600 {
        writeln!(app, "router.get('/r{at}', h);").unwrap();
    }
    let files = Files::from([("app.js".to_owned(), app)]);
    let edges = format_edges(&resolve_workspace(&files), |kind| kind == HandlesRoute);
    let count_edges = |at: usize| edges.lines().filter(|line| line.contains(&format!("/r{at} "))).count();
    assert_eq!(count_edges(0), 16);
    assert!((0..600).all(|at| count_edges(at) > 0));
}
