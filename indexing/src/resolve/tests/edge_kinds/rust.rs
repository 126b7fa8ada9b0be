//! All kinds of edges in Rust.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- Cargo.toml
        [package]
        name = "app"
        //- src/lib.rs
        pub mod error;
        pub mod store;
        pub mod web;
        //- src/error.rs
        #[derive(Debug)]
        pub enum Error { Gone, Other(String) }
        pub struct Full;
        //- src/store.rs
        use crate::error::{Error, Full};
        use std::process::Command;

        pub const LIMIT: usize = 10;
        static START: usize = 1;

        pub trait Named {
            fn name(&self) -> String;
            fn greet(&self) {}
        }

        /// Keeps things; see [`Named::greet`] and [Error].
        pub struct Store { limit: usize }

        impl Named for Store {
            fn name(&self) -> String { String::new() }
        }

        impl Store {
            pub fn save(&self, flags: &Flags, error: Error) -> Result<Store, Error> {
                self.greet();
                if self.limit > LIMIT + START {
                    return Err(Error::Gone);
                }
                if std::env::var("STORE_HOME").is_ok() {
                    Command::new("git").status();
                }
                if flags.bool_variation("new-store", false) {
                    panic!("no");
                }
                let _ = env!("BUILD_ID");
                each(helper);
                Ok(Store { limit: 0 })
            }
        }

        pub struct Flags;
        fn each(f: fn()) {}
        fn helper() {}

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn saves() {
                check(&Store { limit: 1 });
            }

            fn check(store: &Store) {
                store.save(&Flags, Error::Gone);
            }
        }
        //- src/web.rs
        use axum::{routing::get, Router};
        fn app() -> Router {
            Router::new().route("/items/:id", get(item))
        }
        async fn item() {}
        async fn load(id: u32) {
            reqwest::get(format!("http://x.org/items/{}", id)).await;
        }
        pub trait Greeting: crate::store::Named {}
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field src/store.rs::Store.save -> src/store.rs::Store.limit
            calls src/store.rs::Store.save -> external::std.env.var
            calls src/store.rs::Store.save -> external::std.process.Command.new
            calls src/store.rs::Store.save -> src/store.rs::Named.greet
            calls src/store.rs::Store.save -> src/store.rs::Store
            calls src/store.rs::Store.save -> src/store.rs::each
            calls src/store.rs::tests.check -> src/store.rs::Store.save
            calls src/store.rs::tests.saves -> src/store.rs::Store
            calls src/store.rs::tests.saves -> src/store.rs::tests.check
            calls src/web.rs::app -> external::axum.Router.new
            calls src/web.rs::app -> external::axum.routing.get
            co_tested_with src/store.rs::Store -> src/store.rs::Store.save (ast_inferred 0.60)
            consumes_endpoint src/web.rs::load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/web.rs::load -> route::GET /items/{}
            documents src/store.rs::Store -> src/error.rs::Error
            documents src/store.rs::Store -> src/store.rs::Named.greet
            executes_process src/store.rs::Store.save -> process::git
            extends src/web.rs::Greeting -> src/store.rs::Named
            gated_by_flag src/store.rs::Store.save -> flag::new-store
            handles_route route::GET /items/{} -> src/web.rs::item
            implements src/store.rs::Store -> src/store.rs::Named
            imports src/store.rs -> external::std.process.Command
            imports src/store.rs -> src/error.rs::Error
            imports src/store.rs -> src/error.rs::Full
            imports src/web.rs -> external::axum.Router
            imports src/web.rs -> external::axum.routing.get
            inherits src/store.rs::Store -> src/store.rs::Named.greet
            inherits src/web.rs::Greeting -> src/store.rs::Named.greet
            inherits src/web.rs::Greeting -> src/store.rs::Named.name
            member_of src/error.rs::Error.Gone -> src/error.rs::Error
            member_of src/error.rs::Error.Other -> src/error.rs::Error
            member_of src/store.rs::Named.greet -> src/store.rs::Named
            member_of src/store.rs::Named.name -> src/store.rs::Named
            member_of src/store.rs::Store.limit -> src/store.rs::Store
            member_of src/store.rs::Store.name -> src/store.rs::Store
            member_of src/store.rs::Store.save -> src/store.rs::Store
            member_of src/store.rs::tests.check -> src/store.rs::tests
            member_of src/store.rs::tests.saves -> src/store.rs::tests
            overrides src/store.rs::Store.name -> src/store.rs::Named.name
            reads_env src/store.rs::Store.save -> env::BUILD_ID
            reads_env src/store.rs::Store.save -> env::STORE_HOME
            references src/store.rs -> src/store.rs::Store
            references src/store.rs::Store.save -> src/error.rs::Error.Gone
            references src/store.rs::Store.save -> src/store.rs::LIMIT
            references src/store.rs::Store.save -> src/store.rs::START
            references src/store.rs::Store.save -> src/store.rs::helper
            references src/store.rs::tests.check -> src/error.rs::Error.Gone
            references src/web.rs::app -> src/web.rs::item
            tests src/store.rs::tests.check -> src/store.rs::Store.save
            tests src/store.rs::tests.saves -> src/store.rs::Store
            tests src/store.rs::tests.saves -> src/store.rs::Store.save
            throws src/store.rs::Store.save -> external::panic
            throws src/store.rs::Store.save -> src/error.rs::Error
            type_hint_of src/store.rs::Store.save -> src/error.rs::Error
            type_hint_of src/store.rs::Store.save -> src/store.rs::Flags
            type_hint_of src/store.rs::Store.save -> src/store.rs::Store
            type_hint_of src/store.rs::tests.check -> src/store.rs::Store
            type_hint_of src/web.rs::app -> external::axum.Router
        "#]],
    );
}
