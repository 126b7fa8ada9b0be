//! Endpoints whose paths, methods or sides are not all in one place; [`super::routes`] has the plain forms.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn constants_of_the_file_are_parts_of_paths() {
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

        @RestController
        @RequestMapping(Other.BASE)
        class D {
            @GetMapping("/lost") void lost() {}
            @GetMapping(Other.BASE + "/lost") void lostAsWell() {}
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
        "#]],
    );
}

#[test]
fn interfaces_of_clients_call_and_do_not_serve() {
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
fn go_routers_beside_the_standard_library() {
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
