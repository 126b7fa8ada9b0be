//! Endpoints whose path, method, server or client is spread over several parts of a file.
//! [`super::routes`] has the simple forms.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn constants_of_the_file_are_inserted_into_paths() {
    check(
        r##"
        //- web/package.json
        {"name": "x"}
        //- web/client.ts
        import axios from 'axios';
        import { ELSEWHERE } from './paths';

        const BASE = '/api/users';
        const TWICE = '/twice';
        export const k1 = () => axios.get(BASE);
        export const k2 = (id) => axios.post(BASE + '/' + id);
        export const k3 = (id) => axios.put(`${BASE}/${id}`);
        export const k4 = (id) => axios.get(`${ELSEWHERE}/${id}`);
        export const k5 = (id) => axios.get(`/${id}`);
        export const k6 = (host) => axios.get(`${host}/known`);
        export const k7 = (TWICE) => axios.get(`${TWICE}/seven`);
        export const k8 = (host) => axios.get(`${host}?page=1`);
        //- C.java
        package p;
        import org.springframework.web.bind.annotation.*;

        @RestController
        @RequestMapping(path = C.BASE)
        class C {
            static final String BASE = "/api";
            @GetMapping("/a/{id}") void a() {}
            @DeleteMapping(path = BASE + "/e") void e() {}
            @PutMapping(Paths.UNKNOWN) void unknown() {}
        }
        //- server.go
        package main

        import (
        	"fmt"
        	"net/http"

        	"github.com/gin-gonic/gin"
        )

        const base = "/base"

        func list(c *gin.Context) {}

        func routes(r *gin.Engine, other string) {
        	r.GET(base+"/x", list)
        	r.GET(other+"/y", list)
        	r.GET(fmt.Sprintf("%s/z", base), list)
        	http.Get(fmt.Sprintf("%s/%s", other, other))
        }
        //- client.py
        import requests

        API = "http://h/v1"

        def c1(): requests.get(API + "/a/1")
        def c2(other): requests.get(f"{API}/b/{other}")
        def c3(): requests.get("{}/c/{}".format(API, 1))
        def c4(): requests.get("%s/d/%d" % (API, 1))
        //- Cargo.toml
        [package]
        name = "r"
        //- src/lib.rs
        const BASE: &str = "http://h/v2";

        fn one() { reqwest::get(format!("{}/a/{}", BASE, 1)); }
        fn two() { reqwest::get(format!("{BASE}/b")); }
        //- Cl.cs
        using System.Net.Http;
        public class Cl {
            const string Base = "https://h/m2/";
            public async void One(HttpClient http, int id) { await http.GetAsync(Base + id); }
            public async void Two(HttpClient http) { await http.GetAsync($"{Base}last"); }
        }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint Cl.cs::Cl.One -> route::ANY /m2/{} (ast_inferred 0.42)
            consumes_endpoint Cl.cs::Cl.One -> route::GET /m2/{}
            consumes_endpoint Cl.cs::Cl.Two -> route::ANY /m2/last (ast_inferred 0.42)
            consumes_endpoint Cl.cs::Cl.Two -> route::GET /m2/last
            consumes_endpoint client.py::c1 -> route::ANY /v1/a/{} (ast_inferred 0.42)
            consumes_endpoint client.py::c1 -> route::GET /v1/a/{}
            consumes_endpoint client.py::c2 -> route::ANY /v1/b/{} (ast_inferred 0.42)
            consumes_endpoint client.py::c2 -> route::GET /v1/b/{}
            consumes_endpoint client.py::c3 -> route::ANY /v1/c/{} (ast_inferred 0.42)
            consumes_endpoint client.py::c3 -> route::GET /v1/c/{}
            consumes_endpoint client.py::c4 -> route::ANY /v1/d/{} (ast_inferred 0.42)
            consumes_endpoint client.py::c4 -> route::GET /v1/d/{}
            consumes_endpoint src/lib.rs::one -> route::ANY /v2/a/{} (ast_inferred 0.42)
            consumes_endpoint src/lib.rs::one -> route::GET /v2/a/{}
            consumes_endpoint src/lib.rs::two -> route::ANY /v2/b (ast_inferred 0.42)
            consumes_endpoint src/lib.rs::two -> route::GET /v2/b
            consumes_endpoint web/client.ts::k1 -> route::ANY /api/users (ast_inferred 0.42)
            consumes_endpoint web/client.ts::k1 -> route::GET /api/users
            consumes_endpoint web/client.ts::k2 -> route::ANY /api/users/{} (ast_inferred 0.42)
            consumes_endpoint web/client.ts::k2 -> route::POST /api/users/{}
            consumes_endpoint web/client.ts::k3 -> route::ANY /api/users/{} (ast_inferred 0.42)
            consumes_endpoint web/client.ts::k3 -> route::PUT /api/users/{}
            consumes_endpoint web/client.ts::k6 -> route::ANY /known (ast_inferred 0.42)
            consumes_endpoint web/client.ts::k6 -> route::GET /known
            consumes_endpoint web/client.ts::k7 -> route::ANY /seven (ast_inferred 0.42)
            consumes_endpoint web/client.ts::k7 -> route::GET /seven
            handles_route route::DELETE /api/api/e -> C.java::C.e
            handles_route route::GET /api/a/{} -> C.java::C.a
            handles_route route::GET /base/x -> server.go::list
            handles_route route::GET /base/z -> server.go::list
            handles_route route::GET /y -> server.go::list (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn client_interfaces_consume_endpoints() {
    check(
        r##"
        //- Clients.java
        package p;
        import org.springframework.cloud.openfeign.FeignClient;
        import org.springframework.web.bind.annotation.*;
        import org.springframework.web.service.annotation.*;

        @FeignClient(name = "users", url = "http://users", path = "/base")
        interface Users {
            @GetMapping("/i") String call();
            @PostMapping("/{id}") String one();
        }

        @FeignClient("orders")
        interface Orders { @DeleteMapping("/orders/{id}") void drop(); }

        @HttpExchange("/items")
        interface Items {
            @GetExchange("/{id}") String item();
            @PostExchange void make();
            @HttpExchange(url = "/a", method = "PUT") void put();
        }

        @RequestMapping("/served")
        interface Served { @GetMapping("/x") void x(); }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint Clients.java::Items.item -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint Clients.java::Items.item -> route::GET /items/{}
            consumes_endpoint Clients.java::Items.make -> route::ANY /items (ast_inferred 0.42)
            consumes_endpoint Clients.java::Items.make -> route::POST /items
            consumes_endpoint Clients.java::Items.put -> route::ANY /items/a (ast_inferred 0.42)
            consumes_endpoint Clients.java::Items.put -> route::PUT /items/a
            consumes_endpoint Clients.java::Orders.drop -> route::ANY /orders/{} (ast_inferred 0.42)
            consumes_endpoint Clients.java::Orders.drop -> route::DELETE /orders/{}
            consumes_endpoint Clients.java::Users.call -> route::ANY /base/i (ast_inferred 0.42)
            consumes_endpoint Clients.java::Users.call -> route::GET /base/i
            consumes_endpoint Clients.java::Users.one -> route::ANY /base/{} (ast_inferred 0.42)
            consumes_endpoint Clients.java::Users.one -> route::POST /base/{}
            handles_route route::GET /served/x -> Clients.java::Served.x
        "#]],
    );
}

#[test]
fn go_frameworks_serve_endpoints() {
    check(
        r##"
        //- go.mod
        module example.com/app
        //- mux/mux.go
        package mux

        import (
        	"net/http"

        	"github.com/gorilla/mux"
        )

        type S struct{ router *mux.Router }

        func show(w http.ResponseWriter, r *http.Request) {}

        func (s *S) routes() {
        	s.router.HandleFunc("/gm/{id:[0-9]+}", show).Methods(http.MethodGet)
        	s.router.Handle("/gm2", http.HandlerFunc(show)).Methods("POST")
        	r := mux.NewRouter()
        	r.Path("/gm3").Methods("GET").HandlerFunc(show)
        	sub := r.PathPrefix("/sub").Subrouter()
        	sub.HandleFunc("/z", show)
        	sub.Methods("PUT").Path("/y").Handler(http.HandlerFunc(show))
        	http.HandleFunc("/std", show)
        	own := http.NewServeMux()
        	own.HandleFunc("GET /own/{id}", show)
        }
        //- chi/chi.go
        package chi

        import (
        	"net/http"

        	"github.com/go-chi/chi/v5"
        )

        func show(w http.ResponseWriter, r *http.Request) {}
        func mw(next http.Handler) http.Handler           { return next }

        func Routes() {
        	r := chi.NewRouter()
        	r.Group(func(r chi.Router) {
        		r.Use(mw)
        		r.Post("/grp", show)
        	})
        	r.Route("/art", func(r chi.Router) {
        		r.With(mw).Get("/", show)
        		r.Group(func(r chi.Router) { r.Delete("/{id}", show) })
        	})
        	r.HandleFunc("/any", show)
        }
        //- gin/gin.go
        package gin

        import "github.com/gin-gonic/gin"

        func list(c *gin.Context) {}

        func Routes(r *gin.Engine) {
        	api := r.Group("/api", func(c *gin.Context) {})
        	api.POST("/items", list)
        	r.Group("/chain").GET("/four", list)
        }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            handles_route route::ANY /any -> chi/chi.go::show
            handles_route route::ANY /std -> mux/mux.go::show
            handles_route route::ANY /sub/z -> mux/mux.go::show
            handles_route route::DELETE /art/{} -> chi/chi.go::show
            handles_route route::GET /art -> chi/chi.go::show
            handles_route route::GET /chain/four -> gin/gin.go::list
            handles_route route::GET /gm/{} -> mux/mux.go::show
            handles_route route::GET /gm3 -> mux/mux.go::show
            handles_route route::GET /own/{} -> mux/mux.go::show
            handles_route route::POST /api/items -> gin/gin.go::list
            handles_route route::POST /gm2 -> mux/mux.go::show
            handles_route route::POST /grp -> chi/chi.go::show
            handles_route route::PUT /sub/y -> mux/mux.go::show
        "#]],
    );
}

const CHAINS: &str = r##"
        //- package.json
        {"name": "x"}
        //- hono.ts
        import { Hono } from 'hono';

        function h() {}
        const app = new Hono().basePath('/h');
        app.get('/a', (c) => c.text('x')).post('/b', (c) => c.text('y'));
        app.put('/1', h).put('/2', h).put('/3', h).put('/4', h).put('/5', h).put('/6', h).put('/7', h)
          .put('/8', h).put('/9', h).put('/ten', h);
        const books = new Hono();
        app.route('/books', books).get('/c', (c) => c.text('z'));
        books.get('/all', (c) => c.text('all'));
        //- nested.ts
        import { Router } from 'express';
        const api = Router();
        const users = Router();
        users.get('/one', (req, res) => {});
        api.use('/users', auth, users);
        const more = Router();
        more.get('/more', (req, res) => {});
        api.use(more);
        app.use('/v1', api);
        //- go.mod
        module example.com/app
        //- chi.go
        package app

        import "github.com/go-chi/chi/v5"

        func show() {}

        func Routes() chi.Router {
        	r := chi.NewRouter()
        	r.Mount("/mnt", inner())
        	r.Route("/api", func(r chi.Router) {
        		sub := chi.NewRouter()
        		sub.Get("/x", show)
        		r.Mount("/s", sub)
        	})
        	return r
        }

        func inner() chi.Router {
        	r := chi.NewRouter()
        	r.Route("/a", func(r chi.Router) { r.Get("/b", show) })
        	return r
        }
        //- Cargo.toml
        [package]
        name = "r"
        //- src/lib.rs
        mod actix;
        mod rk;
        //- src/actix.rs
        use actix_web::{get, web};

        #[get("/x1/{id}")]
        async fn x1() {}
        #[get("/x2")]
        async fn x2() {}
        async fn x3() {}

        fn config(c: &mut web::ServiceConfig) {
            c.service(
                web::scope("/sc")
                    .route("/x3", web::get().to(x3))
                    .service(x1)
                    .service(web::resource("/x4").route(web::post().to(x3)))
                    .service(web::scope("/in").service(web::resource("/x5").to(x3))),
            );
            c.service(x2);
        }
        //- src/rk.rs
        #[rocket::get("/y1/<id>?<q>", format = "json")]
        fn y1() {}
        #[rocket::get("/y2")]
        fn y2() {}

        fn launch() { rocket::build().mount("/rk", routes![y1]).mount("/", routes![y2]); }
        //- config/routes.rb
        Rails.application.routes.draw do
          concern :commentable do
            resources :comments, only: [:index]
          end
          resources :posts, concerns: :commentable, only: [:show]
          resources :users, only: [:show] do
            concerns :commentable
          end
        end
        //- app/controllers/c.rb
        class PostsController; def show; end; end
        class UsersController; def show; end; end
        class CommentsController; def index; end; end
        //- sinatra.rb
        require 'sinatra/base'

        class S < Sinatra::Base
          namespace '/ns' do
            get '/s3' do
              hello
            end
          end
          get('/s4') { hello }
        end
        "##;

#[test]
fn chains_scopes_and_blocks_prefix_the_paths_inside_them() {
    check(
        CHAINS,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            handles_route route::ANY /sc/in/x5 -> src/actix.rs::x3 (ast_inferred 0.42)
            handles_route route::GET /api/s/x -> chi.go::show
            handles_route route::GET /h/a -> hono.ts
            handles_route route::GET /h/books/all -> hono.ts
            handles_route route::GET /h/c -> hono.ts
            handles_route route::GET /mnt/a/b -> chi.go::show
            handles_route route::GET /ns/s3 -> sinatra.rb::S
            handles_route route::GET /posts/{} -> app/controllers/c.rb::PostsController.show
            handles_route route::GET /posts/{}/comments -> app/controllers/c.rb::CommentsController.index
            handles_route route::GET /rk/y1/{} -> src/rk.rs::y1
            handles_route route::GET /s4 -> sinatra.rb::S
            handles_route route::GET /sc/x1/{} -> src/actix.rs::x1 (ast_inferred 0.42)
            handles_route route::GET /sc/x3 -> src/actix.rs::x3 (ast_inferred 0.42)
            handles_route route::GET /users/{} -> app/controllers/c.rb::UsersController.show
            handles_route route::GET /users/{}/comments -> app/controllers/c.rb::CommentsController.index
            handles_route route::GET /v1/more -> nested.ts
            handles_route route::GET /v1/users/one -> nested.ts
            handles_route route::GET /x2 -> src/actix.rs::x2 (ast_inferred 0.42)
            handles_route route::GET /y2 -> src/rk.rs::y2
            handles_route route::POST /h/b -> hono.ts
            handles_route route::POST /sc/x4 -> src/actix.rs::x3 (ast_inferred 0.42)
            handles_route route::PUT /h/1 -> hono.ts::h
            handles_route route::PUT /h/2 -> hono.ts::h
            handles_route route::PUT /h/3 -> hono.ts::h
            handles_route route::PUT /h/4 -> hono.ts::h
            handles_route route::PUT /h/5 -> hono.ts::h
            handles_route route::PUT /h/6 -> hono.ts::h
            handles_route route::PUT /h/7 -> hono.ts::h
            handles_route route::PUT /h/8 -> hono.ts::h
            handles_route route::PUT /h/9 -> hono.ts::h
            handles_route route::PUT /h/ten -> hono.ts::h
        "#]],
    );
}

const CLIENTS: &str = r##"
        //- cl.py
        import requests, httpx

        API = "http://h/v1"

        def c1():
            s = requests.Session()
            s.get("http://h/a/3")
        def c2():
            with httpx.Client(base_url=API) as cl:
                cl.post("/sub2/y")
        def c3(): requests.get(url="http://h/b")
        def c4(s): s.get("/not")
        def c5():
            found = requests.Session().get("http://h/d")
            found.get("/not")
        class Api:
            def __init__(self):
                self.http = httpx.AsyncClient()
            async def load(self): await self.http.get("http://h/c")
        //- go.mod
        module example.com/x
        //- cl.go
        package x

        import "net/http"

        type cache struct{}

        func (cache) Get(key string) {}

        func call() {
        	c := &http.Client{}
        	c.Get("http://h/sub/z")
        }
        func other(c cache) { c.Get("/not") }

        type S struct{ client *http.Client }

        func (s *S) call()               { s.client.Get("http://h/by/field") }
        func given(c *http.Client)       { c.Get("http://h/by/parameter") }
        func header(h http.Header)       { h.Get("/not") }
        //- package.json
        {"name": "x"}
        //- cl.ts
        import axios from 'axios';

        const api = axios.create({ baseURL: '/v9' });
        const bare = axios.create();
        export const k1 = () => axios({ method: 'post', url: '/api/x' });
        export const k2 = () => axios.request({ url: '/api/y' });
        export const k3 = () => api.get('/users');
        export const k4 = () => bare.get('/plain');
        export const k5 = (method) => axios({ method, url: '/not' });
        //- fast.ts
        import Fastify from 'fastify';
        import { one } from './ctl';

        const fastify = Fastify();
        fastify.route({ method: 'GET', url: '/f1', handler: one });
        fastify.route({ method: ['PUT', 'PATCH'], url: '/f2', handler(req, res) {} });
        fastify.get('/f3', { schema: {} }, one);
        //- list.ts
        import express from 'express';
        import { one } from './ctl';

        const app = express();
        app.get(['/c6', '/c7'], one);
        //- ctl.ts
        export function one(req, res) {}
        //- Ctl.cs
        using Microsoft.AspNetCore.Mvc;
        namespace App;

        [Route("api/[controller]")]
        public class OrdersController : ControllerBase
        {
            [Route("z")]
            public void Z() { }

            [HttpGet, Route("x")]
            public void X() { }
        }
        "##;

#[test]
fn created_clients_and_routes_in_objects_are_recognized() {
    check(
        CLIENTS,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint cl.go::S.call -> route::ANY /by/field (ast_inferred 0.42)
            consumes_endpoint cl.go::S.call -> route::GET /by/field
            consumes_endpoint cl.go::call -> route::ANY /sub/z (ast_inferred 0.42)
            consumes_endpoint cl.go::call -> route::GET /sub/z
            consumes_endpoint cl.go::given -> route::ANY /by/parameter (ast_inferred 0.42)
            consumes_endpoint cl.go::given -> route::GET /by/parameter
            consumes_endpoint cl.py::Api.load -> route::ANY /c (ast_inferred 0.42)
            consumes_endpoint cl.py::Api.load -> route::GET /c
            consumes_endpoint cl.py::c1 -> route::ANY /a/{} (ast_inferred 0.42)
            consumes_endpoint cl.py::c1 -> route::GET /a/{}
            consumes_endpoint cl.py::c2 -> route::ANY /v1/sub2/y (ast_inferred 0.42)
            consumes_endpoint cl.py::c2 -> route::POST /v1/sub2/y
            consumes_endpoint cl.py::c3 -> route::ANY /b (ast_inferred 0.42)
            consumes_endpoint cl.py::c3 -> route::GET /b
            consumes_endpoint cl.py::c5 -> route::ANY /d (ast_inferred 0.42)
            consumes_endpoint cl.py::c5 -> route::GET /d
            consumes_endpoint cl.ts::k1 -> route::ANY /api/x (ast_inferred 0.42)
            consumes_endpoint cl.ts::k1 -> route::POST /api/x
            consumes_endpoint cl.ts::k2 -> route::ANY /api/y (ast_inferred 0.42)
            consumes_endpoint cl.ts::k2 -> route::GET /api/y
            consumes_endpoint cl.ts::k3 -> route::ANY /v9/users (ast_inferred 0.42)
            consumes_endpoint cl.ts::k3 -> route::GET /v9/users
            consumes_endpoint cl.ts::k4 -> route::ANY /plain (ast_inferred 0.42)
            consumes_endpoint cl.ts::k4 -> route::GET /plain
            handles_route route::ANY /api/Orders/z -> Ctl.cs::OrdersController.Z
            handles_route route::ANY /api/orders/z -> Ctl.cs::OrdersController.Z
            handles_route route::GET /api/Orders/x -> Ctl.cs::OrdersController.X
            handles_route route::GET /api/orders/x -> Ctl.cs::OrdersController.X
            handles_route route::GET /c6 -> ctl.ts::one
            handles_route route::GET /c7 -> ctl.ts::one
            handles_route route::GET /f1 -> ctl.ts::one
            handles_route route::GET /f3 -> ctl.ts::one
            handles_route route::PATCH /f2 -> fast.ts::handler
            handles_route route::PUT /f2 -> fast.ts::handler
        "#]],
    );
}
