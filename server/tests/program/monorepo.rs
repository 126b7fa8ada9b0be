//! Tests that the blast radius of shared resources crosses languages, in a repository with several
//! of them.

use expect_test::{Expect, expect};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Runs `kenning` in a copy of the repository.
fn run_kenning(folder: &TempDir, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).current_dir(folder.path().join("shop"));
    command.env_remove("KENNING_DB").env_remove("KENNING_LOG");
    command.env("XDG_CACHE_HOME", folder.path().join("cache"));
    command.env("XDG_DATA_HOME", folder.path().join("data"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns the headline and the dependents of a blast radius, one per line.
fn blast_lines(folder: &TempDir, name: &str) -> String {
    let text = run_kenning(folder, &["blast", name]);
    let is_kept = |line: &&str| line.starts_with("- `") && line.contains("` (") || line.starts_with('`');
    let lines: Vec<&str> = text.lines().filter(is_kept).collect();
    lines.join("\n") + "\n"
}

/// Creates a folder with an indexed copy of the repository.
fn create_indexed_copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/monorepo");
    copy_folder(&source, &folder.path().join("shop"));
    run_kenning(&folder, &["index"]);
    folder
}

#[test]
fn the_blast_radius_of_shared_resources_crosses_languages() {
    let folder = create_indexed_copy();
    let check = |name: &str, expected: Expect| expected.assert_eq(&blast_lines(&folder, name));
    check(
        "users.email",
        expect![[r#"
        `migrations/001_users.sql:4` (field): 1 use · 1 dependent · ~0 tests
        - `orders/server.go:25` `Server.FindEmail` (method, uses it)
    "#]],
    );
    check(
        "orders.total",
        expect![[r#"
        `migrations/002_total.sql:1` (field): 3 uses · 4 dependents · ~0 tests
        - `app/src/main/kotlin/shop/Receipt.kt:4` `Receipt.print` (method, uses it)
        - `billing/charge.py:10` `Order.total` (field, uses it)
        - `billing/charge.py:19` `charge` (function, uses it)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "carts.proto::Carts",
        expect![[r#"
        `proto/carts.proto:6` (interface): 2 uses · 2 dependents · ~0 tests
        - `billing/charge.py:23` `carts` (function, calls it as a client)
        - `orders/server.go:14` `Server` (struct, serves it)
    "#]],
    );
    check(
        "topic::orders.created",
        expect![[r#"
        `topic::orders.created` (resource): 2 uses · 2 dependents · 0 tests
        - `billing/charge.py:13` `listen` (function, uses it)
        - `orders/server.go:30` `Announce` (function, uses it)
    "#]],
    );
    check(
        "ShowOrder",
        expect![[r#"
            `orders/server.go:35` (function): ~2 callers · ~2 dependents · ~0 tests
            - `orders/server.go:38` `Routes` (function, calls on line 39)
            - `web/orders.ts:1` `loadOrder` (function, calls on line 2) ~
        "#]],
    );
    check(
        "DATABASE_URL",
        expect![[r#"
        `env::DATABASE_URL` (env_var): 2 uses · 3 dependents · ~0 tests
        - `billing/charge.py:19` `charge` (function, reads it)
        - `orders/server.go:20` `Open` (function, reads it)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "docker-compose.yml::orders",
        expect![[r#"
        `docker-compose.yml:2` (module): ~0 callers · 3 dependents · ~0 tests
        - `billing/charge.py:19` `charge` (function, reads it)
        - `orders/server.go:20` `Open` (function, reads it)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "price_of",
        expect![[r#"
        `native/price.c:3` (function): 1 caller · 1 dependent · ~0 tests
        - `native/main.c:3` `main` (function, calls on line 3)
    "#]],
    );
    check(
        "main.tf::region",
        expect![[r#"
        `infra/main.tf:1` (variable): 1 use · 1 dependent · ~0 tests
        - `infra/main.tf:3` `shop` (module, uses it)
    "#]],
    );
}

#[test]
fn the_blast_radius_of_configuration_crosses_languages() {
    let folder = create_indexed_copy();
    let check = |name: &str, expected: Expect| expected.assert_eq(&blast_lines(&folder, name));
    check(
        "openapi.yaml::showOrder",
        expect![[r#"
            `api/openapi.yaml:6` (interface): ~0 uses · 3 dependents · ~0 tests
            - `web/orders.ts:1` `loadOrder` (function, calls on line 2)
            - `orders/server.go:35` `ShowOrder` (function, uses it)
            - `orders/server.go:38` `Routes` (function, mentions ShowOrder)
        "#]],
    );
    check(
        "openapi.yaml::Order",
        expect![[r#"
            `api/openapi.yaml:15` (struct): 1 use · 4 dependents · ~0 tests
            - `api/openapi.yaml:6` `showOrder` (interface, mentions it)
            - `orders/server.go:35` `ShowOrder` (function, uses showOrder)
            - `web/orders.ts:1` `loadOrder` (function, requests the route of showOrder)
            - `orders/server.go:38` `Routes` (function, mentions ShowOrder)
        "#]],
    );
    check(
        "route::GET /orders/{}",
        expect![[r#"
            `route::GET /orders/{}` (route): 0 uses · 1 dependent · 0 tests
            - `web/orders.ts:1` `loadOrder` (function, calls on line 2)
        "#]],
    );
    check(
        "orders.yaml::Deployment/orders",
        expect![[r#"
        `k8s/orders.yaml:11` (module): ~0 callers · 3 dependents · ~0 tests
        - `billing/charge.py:19` `charge` (function, reads it)
        - `orders/server.go:20` `Open` (function, reads it)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "orders.yaml::Secret/orders",
        expect![[r#"
        `k8s/orders.yaml:4` (module): 0 callers · 4 dependents · ~0 tests
        - `k8s/orders.yaml:11` `Deployment/orders` (module, uses it)
        - `billing/charge.py:19` `charge` (function, reads Deployment/orders)
        - `orders/server.go:20` `Open` (function, reads Deployment/orders)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        ".env.example",
        expect![[r#"
        `.env.example:1` (file): 0 callers · 3 dependents · ~0 tests
        - `billing/charge.py:19` `charge` (function, reads it)
        - `orders/server.go:20` `Open` (function, reads it)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "deploy.yml::test",
        expect![[r#"
        `.github/workflows/deploy.yml:6` (module): 0 callers · 5 dependents · ~0 tests
        - `.github/workflows/deploy.yml:13` `deploy` (module, uses it)
        - `billing/charge.py:19` `charge` (function, reads it)
        - `orders/server.go:20` `Open` (function, reads it)
        - `billing/charge.py:13` `listen` (function, calls charge)
        - `k8s/orders.yaml:11` `Deployment/orders` (module, uses deploy)
    "#]],
    );
    check(
        "deploy.yml::deploy",
        expect![[r#"
        `.github/workflows/deploy.yml:13` (module): ~0 callers · 4 dependents · ~0 tests
        - `k8s/orders.yaml:11` `Deployment/orders` (module, uses it)
        - `billing/charge.py:19` `charge` (function, reads Deployment/orders)
        - `orders/server.go:20` `Open` (function, reads Deployment/orders)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
    check(
        "environment::production",
        expect![[r#"
        `environment::production` (resource): 0 uses · 0 dependents · 0 tests
    "#]],
    );
    check(
        "image::ghcr.io/acme/orders",
        expect![[r#"
        `image::ghcr.io/acme/orders` (resource): 1 use · 4 dependents · ~0 tests
        - `k8s/orders.yaml:11` `Deployment/orders` (module, uses it)
        - `billing/charge.py:19` `charge` (function, reads Deployment/orders)
        - `orders/server.go:20` `Open` (function, reads Deployment/orders)
        - `billing/charge.py:13` `listen` (function, calls charge)
    "#]],
    );
}
