//! Go routers that another file mounts.

use super::super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

const GO: &str = r##"
        //- go.mod
        module example.com/app
        //- main.go
        package main

        import (
        	"example.com/app/orders"
        	"example.com/app/users"

        	"github.com/gin-gonic/gin"
        )

        func main() {
        	r := gin.Default()
        	api := r.Group("/api")
        	users.Register(api.Group("/users"))
        	RegisterItems(api)
        	h := orders.New()
        	h.Routes(r.Group("/orders"))
        	deep(api.Group("/deep"))
        }

        func deep(g *gin.RouterGroup) { RegisterItems(g.Group("/er")) }
        //- items.go
        package main

        import "github.com/gin-gonic/gin"

        func list(c *gin.Context) {}

        func RegisterItems(g *gin.RouterGroup) { g.GET("/items", list) }
        //- users/users.go
        package users

        import "github.com/gin-gonic/gin"

        func show(c *gin.Context) {}

        func Register(g *gin.RouterGroup) {
        	g.GET("/:id", show)
        	v2 := g.Group("/v2")
        	v2.POST("/", show)
        }

        func Nobody(g *gin.RouterGroup) { g.GET("/nobody", show) }
        //- orders/orders.go
        package orders

        import "github.com/gin-gonic/gin"

        type Handler struct{}

        func New() *Handler { return &Handler{} }

        func (h *Handler) one(c *gin.Context) {}

        func (h *Handler) Routes(g gin.IRouter) { g.GET("/one", h.one) }
        //- chi/main.go
        package chi

        import (
        	"example.com/app/chi/cats"

        	"github.com/go-chi/chi/v5"
        )

        func Serve() {
        	r := chi.NewRouter()
        	r.Mount("/cats", cats.Routes())
        	r.Route("/more", func(r chi.Router) { cats.Register(r) })
        	r.Route("/direct", cats.Register)
        	r.Mount("/dogs", cats.Resource{}.Routes())
        }
        //- chi/cats/cats.go
        package cats

        import "github.com/go-chi/chi/v5"

        func show() {}
        func list() {}
        func bark() {}

        func Routes() chi.Router {
        	r := chi.NewRouter()
        	r.Get("/{id}", show)
        	return r
        }

        func Register(r chi.Router) { r.Get("/list", list) }

        type Resource struct{}

        func (rs Resource) Routes() chi.Router {
        	r := chi.NewRouter()
        	r.Get("/bark", bark)
        	return r
        }
        //- mux/main.go
        package mux

        import "github.com/gorilla/mux"

        func Serve() {
        	r := mux.NewRouter()
        	register(r.PathPrefix("/sub").Subrouter())
        }
        //- mux/routes.go
        package mux

        import "github.com/gorilla/mux"

        func get() {}

        func register(r *mux.Router) { r.HandleFunc("/x", get).Methods("GET") }
        "##;

#[test]
fn go_routers_serve_below_their_mount_points() {
    check(
        GO,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /api/deep/er/items -> items.go::list
            handles_route route::GET /api/items -> items.go::list
            handles_route route::GET /api/users/{} -> users/users.go::show
            handles_route route::GET /cats/{} -> chi/cats/cats.go::show
            handles_route route::GET /direct/list -> chi/cats/cats.go::list
            handles_route route::GET /dogs/bark -> chi/cats/cats.go::bark
            handles_route route::GET /more/list -> chi/cats/cats.go::list
            handles_route route::GET /nobody -> users/users.go::show (ast_inferred 0.42)
            handles_route route::GET /orders/one -> orders/orders.go::Handler.one
            handles_route route::GET /sub/x -> mux/routes.go::get
            handles_route route::POST /api/users/v2 -> users/users.go::show
        "#]],
    );
}
