//! Rust routers that another file mounts.

use super::super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

const RUST: &str = r##"
        //- Cargo.toml
        [package]
        name = "app"
        //- src/main.rs
        mod ax;
        mod orders;
        mod users;
        mod web_users;
        mod web;

        fn main() {}
        //- src/ax.rs
        use axum::{routing::get, Router};
        use crate::{orders, users};

        async fn index() {}

        pub fn app() -> Router {
            Router::new()
                .route("/", get(index))
                .nest("/users", users::routes())
                .merge(orders::routes().layer(trace()).with_state(1))
        }
        //- src/users.rs
        use axum::{routing::get, Router};

        async fn show() {}

        pub fn routes() -> Router {
            Router::new().route("/:id", get(show))
        }
        //- src/orders.rs
        use axum::{routing::get, Router};

        async fn list() {}

        pub fn routes() -> Router {
            let inner = Router::new().route("/orders", get(list));
            inner
        }
        //- src/web.rs
        use actix_web::{web, App, HttpServer};
        use crate::web_users;

        pub fn serve() {
            HttpServer::new(|| {
                App::new().service(web::scope("/users").configure(web_users::config).service(web_users::ping))
            });
        }
        //- src/web_users.rs
        use actix_web::{get, web};

        async fn show() {}

        #[get("/ping")]
        pub async fn ping() {}

        pub fn config(cfg: &mut web::ServiceConfig) {
            cfg.service(web::resource("/{id}").route(web::get().to(show)));
            cfg.route("/plain", web::post().to(show));
        }

        pub fn nobody(cfg: &mut web::ServiceConfig) {
            cfg.route("/nobody", web::post().to(show));
        }
        "##;

#[test]
fn rust_routers_serve_below_their_mount_points() {
    check(
        RUST,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET / -> src/ax.rs::index
            handles_route route::GET /orders -> src/orders.rs::list
            handles_route route::GET /users/ping -> src/web_users.rs::ping
            handles_route route::GET /users/{} -> src/users.rs::show
            handles_route route::GET /users/{} -> src/web_users.rs::show
            handles_route route::POST /nobody -> src/web_users.rs::show (ast_inferred 0.42)
            handles_route route::POST /users/plain -> src/web_users.rs::show
        "#]],
    );
}
