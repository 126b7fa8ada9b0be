//! Endpoints that one file shows only in part: another file contains the prefix of the path, or the
//! evidence that it is an endpoint.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn a_path_with_an_unknown_prefix_keeps_its_known_end() {
    check(
        r##"
        //- go.mod
        module example.com/app
        //- server.go
        package main

        import (
        	"os"

        	"github.com/gorilla/mux"
        )

        var base = os.Getenv("BASE_URL")

        func home()  {}
        func cart()  {}
        func asset() {}

        func main() {
        	r := mux.NewRouter()
        	r.HandleFunc(base+"/", home).Methods("GET")
        	r.HandleFunc(base+"/cart", cart).Methods("GET", "POST")
        	r.HandleFunc("/whole", cart).Methods("GET")
        	r.HandleFunc(base, asset).Methods("GET")
        }
        //- package.json
        {"name": "x"}
        //- app.js
        const express = require('express');
        const { version } = require('./config');
        const app = express();
        app.get(`/${version}/users`, function users(req, res) {});
        app.get(`${version}users`, function notOne(req, res) {});
        //- api.py
        from fastapi import FastAPI
        from settings import prefix

        app = FastAPI()

        @app.get(f"{prefix}/items/{{item}}")
        def item(): ...
        //- C.java
        package p;
        import org.springframework.web.bind.annotation.*;

        @RestController
        @RequestMapping(Paths.BASE)
        class C {
            @GetMapping("/a/{id}") void a() {}
            @GetMapping(Paths.BASE + "/lost") void lost() {}
            @PostMapping void nothing() {}
        }

        @RestController
        @RequestMapping("${api.base}/users")
        class D {
            @GetMapping("/{id}") void d() {}
            @GetMapping("/${kind}/all") void e() {}
        }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /a/{} -> C.java::C.a (ast_inferred 0.42)
            handles_route route::GET /all -> C.java::D.e (ast_inferred 0.42)
            handles_route route::GET /cart -> server.go::cart (ast_inferred 0.42)
            handles_route route::GET /items/{} -> api.py::item (ast_inferred 0.42)
            handles_route route::GET /lost -> C.java::C.lost (ast_inferred 0.42)
            handles_route route::GET /users -> app.js::users (ast_inferred 0.42)
            handles_route route::GET /users/{} -> C.java::D.d (ast_inferred 0.42)
            handles_route route::GET /whole -> server.go::cart
            handles_route route::POST /cart -> server.go::cart (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn a_route_can_have_only_the_path_of_its_router() {
    check(
        r##"
        //- main.py
        from fastapi import FastAPI
        from settings import prefix
        from api import router

        app = FastAPI()
        app.include_router(router, prefix=prefix)
        //- api.py
        from fastapi import APIRouter
        import tags

        router = APIRouter()
        router.include_router(tags.router, prefix="/tags")
        //- tags.py
        from fastapi import APIRouter

        router = APIRouter()

        @router.get("")
        def all_tags(): ...

        @router.post("", name="x")
        def new_tag(): ...
        //- go.mod
        module example.com/app
        //- users/users.go
        package users

        import "github.com/gin-gonic/gin"

        func Register(r *gin.Engine) {
        	v1 := r.Group("/v1")
        	v1.GET("", list)
        	v1.GET("/:id", show)
        }

        func list(c *gin.Context) {}
        func show(c *gin.Context) {}
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /tags -> tags.py::all_tags (ast_inferred 0.42)
            handles_route route::GET /v1 -> users/users.go::list
            handles_route route::GET /v1/{} -> users/users.go::show
            handles_route route::POST /tags -> tags.py::new_tag (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn asp_net_derives_paths_by_convention() {
    check(
        r##"
        //- A.cs
        using Microsoft.AspNetCore.Mvc;
        namespace N;

        public class AccountController : Controller
        {
            [HttpGet] public void Login() {}
            [HttpPost] public void Login(int form) {}
            [HttpGet("with")] public void With() {}
            [HttpGet] public void FindAsync() {}
            [HttpGet] public void Index() {}
            public void Plain() {}
        }

        public class OrdersController : BaseController
        {
            [HttpGet("{id}")] public void Show(int id) {}
        }

        [Route("api/[controller]")]
        public class ItemsController : ControllerBase
        {
            [HttpGet] public void All() {}
        }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /Account -> A.cs::AccountController.Index (ast_inferred 0.42)
            handles_route route::GET /Account/Find -> A.cs::AccountController.FindAsync (ast_inferred 0.42)
            handles_route route::GET /Account/Index -> A.cs::AccountController.Index (ast_inferred 0.42)
            handles_route route::GET /Account/Login -> A.cs::AccountController.Login (ast_inferred 0.42)
            handles_route route::GET /account -> A.cs::AccountController.Index (ast_inferred 0.42)
            handles_route route::GET /account/find -> A.cs::AccountController.FindAsync (ast_inferred 0.42)
            handles_route route::GET /account/index -> A.cs::AccountController.Index (ast_inferred 0.42)
            handles_route route::GET /account/login -> A.cs::AccountController.Login (ast_inferred 0.42)
            handles_route route::GET /api/Items -> A.cs::ItemsController.All
            handles_route route::GET /api/items -> A.cs::ItemsController.All
            handles_route route::GET /with -> A.cs::AccountController.With
            handles_route route::POST /Account/Login -> A.cs::AccountController.Login (ast_inferred 0.42)
            handles_route route::POST /account/login -> A.cs::AccountController.Login (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn django_rest_framework_routers_serve_list_and_detail_paths() {
    check(
        r##"
        //- shop/views.py
        from rest_framework import viewsets

        class OrderViewSet(viewsets.ModelViewSet):
            def list(self, request): ...

        class UserViewSet(viewsets.ModelViewSet):
            pass

        class TagViewSet(viewsets.ModelViewSet):
            pass
        //- shop/urls.py
        from django.urls import include, path, re_path
        from rest_framework.routers import DefaultRouter
        from . import views
        from .views import UserViewSet

        router = DefaultRouter(trailing_slash=False)
        router.register(r"orders", views.OrderViewSet)
        router.register("users", UserViewSet, basename="user")

        urlpatterns = [
            path("v1/", include(router.urls)),
            re_path(r"^about/?$", views.OrderViewSet),
        ]
        //- shop/tags.py
        from rest_framework import routers
        from .views import TagViewSet

        router = routers.SimpleRouter()
        router.register("tags", TagViewSet)
        urlpatterns = router.urls
        //- site/urls.py
        from django.urls import include, path

        urlpatterns = [
            path("api/", include("shop.urls")),
            path("labels/", include("shop.tags")),
            path("sums/", include("shop.sums")),
        ]
        //- other.py
        from rest_framework import routers
        from shop.views import TagViewSet

        alone = routers.SimpleRouter()
        alone.register("alone", TagViewSet)
        exporters.register("csv", TagViewSet)
        //- shop/sums.py
        from django.urls import path
        from rest_framework_nested import routers
        from .views import OrderViewSet, TagViewSet, UserViewSet

        first = routers.SimpleRouter()
        first.register("first", UserViewSet)
        second_router = routers.NestedSimpleRouter(first, r"first", lookup="first")
        second_router.register("second", TagViewSet)
        third = routers.SimpleRouter()
        third.register("third", OrderViewSet)
        urlpatterns = [path("plain", OrderViewSet)]
        urlpatterns += first.urls
        urlpatterns = [
            path("other", OrderViewSet),
        ] + third.urls
        if urlpatterns:
            urlpatterns += second_router.urls
        # urlpatterns += commented.urls
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::ANY /alone -> shop/views.py::TagViewSet (ast_inferred 0.42)
            handles_route route::ANY /alone/{} -> shop/views.py::TagViewSet (ast_inferred 0.42)
            handles_route route::ANY /api/about -> shop/views.py::OrderViewSet
            handles_route route::ANY /api/v1/orders -> shop/views.py::OrderViewSet
            handles_route route::ANY /api/v1/orders/{} -> shop/views.py::OrderViewSet
            handles_route route::ANY /api/v1/users -> shop/views.py::UserViewSet
            handles_route route::ANY /api/v1/users/{} -> shop/views.py::UserViewSet
            handles_route route::ANY /labels/tags -> shop/views.py::TagViewSet
            handles_route route::ANY /labels/tags/{} -> shop/views.py::TagViewSet
            handles_route route::ANY /sums/first -> shop/views.py::UserViewSet
            handles_route route::ANY /sums/first/{} -> shop/views.py::UserViewSet
            handles_route route::ANY /sums/first/{}/second -> shop/views.py::TagViewSet
            handles_route route::ANY /sums/first/{}/second/{} -> shop/views.py::TagViewSet
            handles_route route::ANY /sums/other -> shop/views.py::OrderViewSet
            handles_route route::ANY /sums/plain -> shop/views.py::OrderViewSet
            handles_route route::ANY /sums/third -> shop/views.py::OrderViewSet
            handles_route route::ANY /sums/third/{} -> shop/views.py::OrderViewSet
        "#]],
    );
}

#[test]
fn paths_below_a_base_address_need_no_leading_slash() {
    check(
        r##"
        //- Cl.cs
        using System.Net.Http;
        namespace N;

        class Catalog(HttpClient http)
        {
            private readonly string remote = "api/catalog/";
            private readonly string kept = "api/other/";
            private readonly string changing = "api/changing/";

            void One(int id) { http.GetFromJsonAsync<Item>($"{remote}items/{id}"); }
            void Two() { http.PostAsJsonAsync("api/orders", 1); }
            void Three() { http.GetAsync("key"); }
            void Four() { http.GetAsync($"{kept}x"); http.DeleteAsync($"{changing}x"); }
            void Change(string to) { changing = to; }
            void Six(IDistributedCache cache) { cache.GetStringAsync("users/1"); }
            void Five(string url) { http.PostAsync(url, null, "application/json"); }
        }
        //- package.json
        {"name": "x"}
        //- heroes.ts
        import { HttpClient } from '@angular/common/http';

        export class Heroes {
          private readonly url = 'api/heroes';
          private changing = 'api/changing';
          constructor(private http: HttpClient, to: string) { this.changing = to; }
          changed() { return this.http.get(this.changing); }
          all() { return this.http.get(this.url); }
          one(id: number) { return this.http.get(`${this.url}/${id}`); }
          typed(url: string) { return this.http.post(url, {}, 'application/json'); }
        }
        //- others.ts
        import axios from 'axios';
        import { HttpClient } from '@angular/common/http';

        class Given {
          constructor(private http: HttpClient, private url: string) {}
          all() { return this.http.get(this.url + '/given'); }
        }
        class Own {
          private url = 'api/own';
          constructor(private http: HttpClient) {}
          all() { return this.http.get(this.url + '/all'); }
        }
        const api = axios.create({ baseURL: 'https://example.org/api' });
        export const users = () => api.get('users/list');
        export const page = (client) => client.get('text/html');
        //- owners.js
        angular.module('owners').controller('Owners', ['$http', function ($http) {
          $http.get('api/customer/owners').then(function (response) {});
          $http.post("/api/customer/owners", {});
        }]);
        "##,
        &[ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint Cl.cs::Catalog.Four -> route::ANY /api/other/x (ast_inferred 0.42)
            consumes_endpoint Cl.cs::Catalog.Four -> route::GET /api/other/x
            consumes_endpoint Cl.cs::Catalog.One -> route::ANY /api/catalog/items/{} (ast_inferred 0.42)
            consumes_endpoint Cl.cs::Catalog.One -> route::GET /api/catalog/items/{}
            consumes_endpoint Cl.cs::Catalog.Two -> route::ANY /api/orders (ast_inferred 0.42)
            consumes_endpoint Cl.cs::Catalog.Two -> route::POST /api/orders
            consumes_endpoint heroes.ts::Heroes.all -> route::ANY /api/heroes (ast_inferred 0.42)
            consumes_endpoint heroes.ts::Heroes.all -> route::GET /api/heroes
            consumes_endpoint heroes.ts::Heroes.one -> route::ANY /api/heroes/{} (ast_inferred 0.42)
            consumes_endpoint heroes.ts::Heroes.one -> route::GET /api/heroes/{}
            consumes_endpoint others.ts::Given.all -> route::ANY /given (ast_inferred 0.42)
            consumes_endpoint others.ts::Given.all -> route::GET /given
            consumes_endpoint others.ts::Own.all -> route::ANY /api/own/all (ast_inferred 0.42)
            consumes_endpoint others.ts::Own.all -> route::GET /api/own/all
            consumes_endpoint others.ts::users -> route::ANY /api/users/list (ast_inferred 0.42)
            consumes_endpoint others.ts::users -> route::GET /api/users/list
            consumes_endpoint owners.js -> route::ANY /api/customer/owners (ast_inferred 0.42)
            consumes_endpoint owners.js -> route::GET /api/customer/owners
            consumes_endpoint owners.js -> route::POST /api/customer/owners
        "#]],
    );
}
