//! Endpoints with their handlers and callers, in the frameworks of each language.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn endpoints_of_go_frameworks_and_clients_are_found() {
    check(
        r##"
        //- go.mod
        module example.com/app
        //- std/std.go
        package std

        import "net/http"

        type Server struct{}

        func (s *Server) list(w http.ResponseWriter, r *http.Request) {}
        func show(w http.ResponseWriter, r *http.Request)             {}
        func auth(h http.Handler) http.Handler                        { return h }
        func (s *Server) handleNew() http.HandlerFunc                 { return nil }

        func Register(mux *http.ServeMux, s *Server, key string) {
        	mux.HandleFunc("GET /users/{id}", show)
        	mux.HandleFunc("/users/", s.list)
        	mux.Handle("POST example.com/users", auth(http.HandlerFunc(s.list)))
        	http.HandleFunc("/new", s.handleNew())
        	http.HandleFunc("/inline", func(w http.ResponseWriter, r *http.Request) {})
        	http.HandleFunc(key, show)
        }
        //- gin/gin.go
        package gin

        import "github.com/gin-gonic/gin"

        func list(c *gin.Context) {}
        func show(c *gin.Context) {}

        func Routes(r *gin.Engine) {
        	api := r.Group("/api")
        	v1 := api.Group("/v1")
        	v1.GET("/users/:id", auth, show)
        	r.Any("/files/*path", list)
        }
        func auth(c *gin.Context) {}
        //- chi/chi.go
        package chi

        import "github.com/go-chi/chi/v5"

        func list() {}
        func show() {}

        func Routes(r chi.Router) {
        	r.Route("/api", func(r chi.Router) {
        		r.Get("/users", list)
        		r.Route("/users/{id}", func(r chi.Router) {
        			r.Put("/", show)
        		})
        	})
        	r.Method("DELETE", "/users/{id:[0-9]+}", show)
        }
        //- mux/mux.go
        package mux

        import "github.com/gorilla/mux"

        func list() {}

        func Routes(r *mux.Router) {
        	s := r.PathPrefix("/api").Subrouter()
        	s.HandleFunc("/users", list).Methods("GET", "POST")
        }
        //- client/client.go
        package client

        import (
        	"fmt"
        	"net/http"
        )

        func Fetch(base string, id int) {
        	http.Get("http://example.com/users/7?full=1")
        	http.NewRequest(http.MethodPost, base+"/users", nil)
        	http.NewRequestWithContext(nil, "DELETE", fmt.Sprintf("%s/users/%d", base, id), nil)
        	http.Get(base)
        }
        //- other/other.go
        package other

        type Cache struct{}

        func (c Cache) Get(key string, f func()) {}
        func use(c Cache)                        { c.Get("/key", func() {}) }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint client/client.go::Fetch -> route::ANY /users (ast_inferred 0.42)
            consumes_endpoint client/client.go::Fetch -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint client/client.go::Fetch -> route::DELETE /users/{}
            consumes_endpoint client/client.go::Fetch -> route::GET /users/{}
            consumes_endpoint client/client.go::Fetch -> route::POST /users
            handles_route route::ANY /files/{} -> gin/gin.go::list
            handles_route route::ANY /inline -> std/std.go::Register
            handles_route route::ANY /new -> std/std.go::Server.handleNew
            handles_route route::ANY /users -> std/std.go::Server.list
            handles_route route::DELETE /users/{} -> chi/chi.go::show (ast_inferred 0.42)
            handles_route route::GET /api/users -> chi/chi.go::list (ast_inferred 0.42)
            handles_route route::GET /api/users -> mux/mux.go::list (ast_inferred 0.42)
            handles_route route::GET /api/v1/users/{} -> gin/gin.go::show
            handles_route route::GET /users/{} -> std/std.go::show
            handles_route route::POST /api/users -> mux/mux.go::list (ast_inferred 0.42)
            handles_route route::POST /users -> std/std.go::Server.list
            handles_route route::PUT /api/users/{} -> chi/chi.go::show (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn endpoints_of_python_frameworks_and_clients_are_found() {
    check(
        r##"
        //- flaskapp.py
        from flask import Blueprint, Flask

        app = Flask(__name__)
        bp = Blueprint("users", __name__, url_prefix="/users")
        other = Blueprint("other", __name__, url_prefix=PREFIX)

        @bp.route("/<int:id>", methods=["GET", "POST"])
        def show(id): ...

        @app.get("/")
        def index(): ...

        @app.route("/health/")
        def health(): ...

        @other.route("/x")
        def unknown(): ...

        @app.errorhandler(404)
        def missing(error): ...

        app.add_url_rule("/late", view_func=health)
        app.register_blueprint(late, url_prefix="/late")
        //- fast.py
        from fastapi import APIRouter, FastAPI

        router = APIRouter(prefix="/items")

        @router.get("/{item_id}")
        async def read_item(item_id: int): ...

        app = FastAPI()
        app.include_router(router, prefix="/api")
        //- shop/urls.py
        from django.urls import include, path, re_path
        from . import views

        urlpatterns = [
            path("users/<int:id>/", views.show),
            re_path(r"^old/(?P<id>\d+)/$", views.Old.as_view()),
            path("more/", include("more.urls")),
        ]
        //- shop/views.py
        def show(request, id): ...
        class Old: ...
        //- aio.py
        from aiohttp import web

        async def hello(request): ...

        app = web.Application()
        app.router.add_get("/hello", hello)
        app.add_routes([web.post("/hello", hello)])
        //- client.py
        import requests
        import httpx

        def fetch(base, id):
            requests.get(f"{base}/users/{id}", params={})
            requests.request("POST", "https://x.org/users/7")
            httpx.get("https://x.org/items/" + id)

        def other(cache):
            cache.get("/users")
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint client.py::fetch -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint client.py::fetch -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint client.py::fetch -> route::GET /items/{}
            consumes_endpoint client.py::fetch -> route::GET /users/{}
            consumes_endpoint client.py::fetch -> route::POST /users/{}
            handles_route route::ANY /old/{} -> shop/views.py::Old
            handles_route route::ANY /users/{} -> shop/views.py::show
            handles_route route::GET / -> flaskapp.py::index
            handles_route route::GET /api/items/{} -> fast.py::read_item
            handles_route route::GET /health -> flaskapp.py::health
            handles_route route::GET /hello -> aio.py::hello
            handles_route route::GET /late -> flaskapp.py::health
            handles_route route::GET /users/{} -> flaskapp.py::show (ast_inferred 0.42)
            handles_route route::GET /x -> flaskapp.py::unknown (ast_inferred 0.42)
            handles_route route::POST /hello -> aio.py::hello
            handles_route route::POST /users/{} -> flaskapp.py::show (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn endpoints_of_script_frameworks_and_clients_are_found() {
    check(
        r##"
        //- package.json
        {"name": "x"}
        //- src/server.ts
        import express, { Router } from 'express';
        import { list } from './handlers';
        import users from './users';

        const app = express();
        app.get('/users/:id', auth, list);
        app.post('/users', async (req, res) => {});
        app.get('setting');
        app.use('/api', users);
        app.use('/v2', router);
        const router = Router();
        router.delete('/:id(\\d+)?', wrap(list));
        router.route('/chained').get(list).put(list);
        function auth() {}
        function wrap(f: unknown) { return f; }
        //- src/handlers.ts
        export function list() {}
        //- src/users.ts
        import { Router } from 'express';
        import { list } from './handlers';
        const users = Router();
        users.get('/mine', list);
        export default users;
        //- src/cats.ts
        import { Controller, Get, Post } from '@nestjs/common';

        @Controller('cats')
        export class CatsController {
          @Get(':id')
          one() {}

          @Post()
          make() {}
        }
        //- src/app/(shop)/items/[id]/route.ts
        export async function GET(request: Request) {}
        function POST() {}
        export const DELETE = async () => {};
        //- src/pages/api/users/[id].ts
        export default function handler() {}
        //- src/client.ts
        import axios from 'axios';

        export async function load(id: string, base: string) {
          await fetch(`/users/${id}?x=1`);
          await fetch(`${base}/users`, { method: 'POST' });
          await axios.delete('https://x.org/v2/7');
          await fetch(base);
        }
        //- test/app.test.ts
        import request from 'supertest';
        import { app } from '../src/server';

        it('lists', async () => {
          await request(app).get('/users/7');
        });
        //- src/other.ts
        const cache = new Map();
        cache.get('/users', () => {});
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint src/client.ts::load -> route::ANY /users (ast_inferred 0.42)
            consumes_endpoint src/client.ts::load -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint src/client.ts::load -> route::ANY /v2/{} (ast_inferred 0.42)
            consumes_endpoint src/client.ts::load -> route::DELETE /v2/{}
            consumes_endpoint src/client.ts::load -> route::GET /users/{}
            consumes_endpoint src/client.ts::load -> route::POST /users
            consumes_endpoint test/app.test.ts::lists -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint test/app.test.ts::lists -> route::GET /users/{}
            handles_route route::ANY /api/users/{} -> src/pages/api/users/[id].ts::handler
            handles_route route::DELETE /items/{} -> src/app/(shop)/items/[id]/route.ts::DELETE
            handles_route route::DELETE /v2/{} -> src/handlers.ts::list
            handles_route route::GET /api/mine -> src/handlers.ts::list
            handles_route route::GET /cats/{} -> src/cats.ts::CatsController.one
            handles_route route::GET /items/{} -> src/app/(shop)/items/[id]/route.ts::GET
            handles_route route::GET /users/{} -> src/handlers.ts::list
            handles_route route::GET /v2/chained -> src/handlers.ts::list
            handles_route route::POST /cats -> src/cats.ts::CatsController.make
            handles_route route::POST /users -> src/server.ts
            handles_route route::PUT /v2/chained -> src/handlers.ts::list
        "#]],
    );
}

#[test]
fn endpoints_of_ruby_frameworks_and_clients_are_found() {
    check(
        r##"
        //- config/routes.rb
        Rails.application.routes.draw do
          root "home#index"
          get "/about", to: "pages#about"
          get "old" => "pages#old"
          resources :users, only: [:index, :show] do
            member { post :activate }
            get :recent, on: :collection
            resources :posts, only: :create
          end
          resource :profile, only: %i[show]
          namespace :admin do
            resources :users, only: [:destroy]
          end
          scope "/api", module: "api" do
            match "/ping", to: "status#ping", via: [:get, :post]
          end
        end
        //- app/controllers/controllers.rb
        class HomeController
          def index; end
        end
        class PagesController
          def about; end
          def old; end
        end
        class UsersController
          def index; end
          def show; end
          def activate; end
          def recent; end
        end
        class PostsController
          def create; end
        end
        class ProfilesController
          def show; end
        end
        module Admin
          class UsersController
            def destroy; end
          end
        end
        module Api
          class StatusController
            def ping; end
          end
        end
        //- sinatra.rb
        require 'sinatra'

        get '/hello/:name' do
          "hi"
        end
        //- client.rb
        def fetch(id)
          Net::HTTP.get(URI("https://x.org/hello/#{id}"))
          HTTParty.post("https://x.org/users/7/activate")
        end
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint client.rb::fetch -> route::ANY /hello/{} (ast_inferred 0.42)
            consumes_endpoint client.rb::fetch -> route::ANY /users/{}/activate (ast_inferred 0.42)
            consumes_endpoint client.rb::fetch -> route::GET /hello/{}
            consumes_endpoint client.rb::fetch -> route::POST /users/{}/activate
            handles_route route::DELETE /admin/users/{} -> app/controllers/controllers.rb::Admin.UsersController.destroy
            handles_route route::GET / -> app/controllers/controllers.rb::HomeController.index
            handles_route route::GET /about -> app/controllers/controllers.rb::PagesController.about
            handles_route route::GET /api/ping -> app/controllers/controllers.rb::Api.StatusController.ping
            handles_route route::GET /hello/{} -> sinatra.rb
            handles_route route::GET /profile -> app/controllers/controllers.rb::ProfilesController.show
            handles_route route::GET /users -> app/controllers/controllers.rb::UsersController.index
            handles_route route::GET /users/recent -> app/controllers/controllers.rb::UsersController.recent
            handles_route route::GET /users/{} -> app/controllers/controllers.rb::UsersController.show
            handles_route route::POST /api/ping -> app/controllers/controllers.rb::Api.StatusController.ping
            handles_route route::POST /users/{}/activate -> app/controllers/controllers.rb::UsersController.activate
            handles_route route::POST /users/{}/posts -> app/controllers/controllers.rb::PostsController.create
        "#]],
    );
}

#[test]
fn endpoints_of_rust_frameworks_and_clients_are_found() {
    check(
        r##"
        //- Cargo.toml
        [package]
        name = "app"
        //- src/main.rs
        mod api;
        mod client;
        mod rocket_app;
        //- src/api.rs
        use axum::{routing::{get, post}, Router};

        async fn list() {}
        async fn create() {}
        async fn show() {}

        fn app() -> Router {
            Router::new()
                .route("/users", get(list).post(create))
                .nest("/api", Router::new().route("/users/:id", get(show)))
                .nest("/v2", users())
        }

        fn users() -> Router {
            Router::new().route("/mine", post(create))
        }
        //- src/rocket_app.rs
        use rocket::get;

        #[get("/hello/<name>?<age>")]
        fn hello(name: &str) {}

        #[actix_web::post("/echo")]
        async fn echo() {}
        //- src/client.rs
        use reqwest::Client;

        async fn fetch(client: Client, id: u32) {
            client.get(format!("http://x.org/users/{}", id)).send().await;
            reqwest::get("http://x.org/users").await;
        }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint src/client.rs::fetch -> route::ANY /users (ast_inferred 0.42)
            consumes_endpoint src/client.rs::fetch -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint src/client.rs::fetch -> route::GET /users
            consumes_endpoint src/client.rs::fetch -> route::GET /users/{}
            handles_route route::GET /api/users/{} -> src/api.rs::show
            handles_route route::GET /hello/{} -> src/rocket_app.rs::hello
            handles_route route::GET /users -> src/api.rs::list
            handles_route route::POST /echo -> src/rocket_app.rs::echo
            handles_route route::POST /users -> src/api.rs::create
            handles_route route::POST /v2/mine -> src/api.rs::create
        "#]],
    );
}

#[test]
fn endpoints_of_java_frameworks_and_clients_are_found() {
    check(
        r##"
        //- src/UserController.java
        package p;
        import org.springframework.web.bind.annotation.*;

        @RestController
        @RequestMapping("/users")
        class UserController {
            @GetMapping("/{id}")
            String show() { return ""; }

            @PostMapping
            void create() {}

            @RequestMapping(value = {"/a", "/b"}, method = RequestMethod.PUT)
            void replace() {}
        }
        //- src/Resource.java
        package p;
        import javax.ws.rs.GET;
        import javax.ws.rs.POST;
        import javax.ws.rs.Path;

        @Path("items")
        class Resource {
            @GET
            @Path("{id}")
            String one() { return ""; }

            @POST
            void make() {}
        }
        //- src/App.java
        package p;
        import io.javalin.Javalin;

        class App {
            void start(Javalin app, Handlers handlers) {
                app.get("/hello", handlers::hello);
                app.post("/inline", ctx -> {});
            }
        }
        class Handlers { void hello() {} }
        //- src/Client.java
        package p;
        import java.net.URI;
        import java.net.http.HttpRequest;
        import org.springframework.web.client.RestTemplate;

        class Client {
            void fetch(RestTemplate rest, String id) {
                rest.getForObject("http://x.org/users/{id}", String.class, id);
                HttpRequest.newBuilder(URI.create("http://x.org/items")).POST(null).build();
                HttpRequest.newBuilder().uri(URI.create("http://x.org/items/" + id)).build();
            }
        }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint src/Client.java::Client.fetch -> route::ANY /items (ast_inferred 0.42)
            consumes_endpoint src/Client.java::Client.fetch -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/Client.java::Client.fetch -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint src/Client.java::Client.fetch -> route::GET /items/{}
            consumes_endpoint src/Client.java::Client.fetch -> route::GET /users/{}
            consumes_endpoint src/Client.java::Client.fetch -> route::POST /items
            handles_route route::GET /hello -> src/App.java::Handlers.hello
            handles_route route::GET /items/{} -> src/Resource.java::Resource.one
            handles_route route::GET /users/{} -> src/UserController.java::UserController.show
            handles_route route::POST /inline -> src/App.java::App.start
            handles_route route::POST /items -> src/Resource.java::Resource.make
            handles_route route::POST /users -> src/UserController.java::UserController.create
            handles_route route::PUT /users/a -> src/UserController.java::UserController.replace
            handles_route route::PUT /users/b -> src/UserController.java::UserController.replace
        "#]],
    );
}

#[test]
fn endpoints_of_csharp_frameworks_and_clients_are_found() {
    check(
        r##"
        //- UsersController.cs
        using Microsoft.AspNetCore.Mvc;
        namespace App;

        [ApiController]
        [Route("api/[controller]")]
        public class UsersController : ControllerBase
        {
            [HttpGet("{id:int}")]
            public string Show(int id) => "";

            [HttpPost]
            public void Create() { }

            [HttpGet("/absolute")]
            public void Other() { }
        }
        //- Program.cs
        namespace App;
        public static class Program
        {
            public static void Map(WebApplication app)
            {
                app.MapGet("/hello", Hello);
                var group = app.MapGroup("/v1");
                group.MapPost("/items", () => { });
            }
            static string Hello() => "";
        }
        //- Client.cs
        using System.Net.Http;
        namespace App;
        public class Client
        {
            public async void Fetch(HttpClient http, int id)
            {
                await http.GetAsync($"https://x.org/api/Users/{id}");
                await http.PostAsync("/v1/items", null);
            }
        }
        "##,
        &[HandlesRoute, ConsumesEndpoint],
        expect![[r#"
            consumes_endpoint Client.cs::Client.Fetch -> route::ANY /api/Users/{} (ast_inferred 0.42)
            consumes_endpoint Client.cs::Client.Fetch -> route::ANY /v1/items (ast_inferred 0.42)
            consumes_endpoint Client.cs::Client.Fetch -> route::GET /api/Users/{}
            consumes_endpoint Client.cs::Client.Fetch -> route::GET /api/users/{} (ast_inferred 0.42)
            consumes_endpoint Client.cs::Client.Fetch -> route::POST /v1/items
            handles_route route::GET /absolute -> UsersController.cs::UsersController.Other
            handles_route route::GET /api/Users/{} -> UsersController.cs::UsersController.Show
            handles_route route::GET /api/users/{} -> UsersController.cs::UsersController.Show
            handles_route route::GET /hello -> Program.cs::Program.Hello
            handles_route route::POST /api/Users -> UsersController.cs::UsersController.Create
            handles_route route::POST /api/users -> UsersController.cs::UsersController.Create
            handles_route route::POST /v1/items -> Program.cs::Program.Map
        "#]],
    );
}
