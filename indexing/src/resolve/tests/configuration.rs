//! Configuration whose meaning depends on the paths of its keys: workflows, Kubernetes objects,
//! OpenAPI documents and `.env` files.

use super::{check, extract_facts, parse_fixture};
use expect_test::expect;
use kenning_graph::EdgeKind::*;
use std::fmt::Write as _;

#[test]
fn workflows_run_files_set_variables_and_deploy() {
    check(
        include_str!("configuration/github.fixture"),
        &[DependsOn, DefinedBy, DeployedBy, ReadsEnv, Contains],
        expect![[r#"
            defined_by env::CACHE_DIR -> .github/actions/setup/action.yml
            defined_by env::DATABASE_URL -> .github/workflows/deploy.yml::test
            defined_by env::POSTGRES_DB -> .github/workflows/deploy.yml::test
            defined_by env::REGION -> .github/workflows/deploy.yml
            depends_on .github/actions/setup/action.yml -> scripts/seed.sh
            depends_on .github/workflows/deploy.yml::deploy -> .github/workflows/deploy.yml::publish
            depends_on .github/workflows/deploy.yml::deploy -> .github/workflows/deploy.yml::test
            depends_on .github/workflows/deploy.yml::deploy -> .github/workflows/release.yml
            depends_on .github/workflows/deploy.yml::preview -> .github/workflows/deploy.yml::publish
            depends_on .github/workflows/deploy.yml::preview -> scripts/seed.sh
            depends_on .github/workflows/deploy.yml::publish -> .github/workflows/deploy.yml::test
            depends_on .github/workflows/deploy.yml::test -> .github/actions/setup/action.yml
            depends_on .github/workflows/deploy.yml::test -> image::postgres
            depends_on .github/workflows/deploy.yml::test -> scripts/local.sh
            depends_on .github/workflows/deploy.yml::test -> scripts/seed.sh
            depends_on .github/workflows/deploy.yml::test -> tools/check.py
            depends_on action.yml -> dist/index.js
            depends_on orders/Dockerfile -> image::ghcr.io/acme/orders
            deployed_by environment::production -> .github/workflows/deploy.yml::deploy
            deployed_by environment::staging -> .github/workflows/release.yml::release
            deployed_by image::acme/tools -> .github/workflows/deploy.yml::publish
            deployed_by image::ghcr.io/acme/orders -> .github/workflows/deploy.yml::publish
            reads_env dist/index.js::x -> env::REGION
            reads_env tools/check.py::check -> env::DATABASE_URL
        "#]],
    );
}

#[test]
fn pipelines_extend_jobs_of_included_files_and_deploy() {
    check(
        include_str!("configuration/gitlab.fixture"),
        &[DependsOn, DefinedBy, DeployedBy, ReadsEnv],
        expect![[r#"
            defined_by env::CACHE_KEY -> .gitlab-ci.yml::.base
            defined_by env::LOG_LEVEL -> .gitlab-ci.yml
            depends_on .gitlab-ci.yml -> .gitlab/ci/deploy.yml
            depends_on .gitlab-ci.yml -> image::node
            depends_on .gitlab-ci.yml::.base -> scripts/env.sh
            depends_on .gitlab-ci.yml::build -> .gitlab-ci.yml::.base
            depends_on .gitlab-ci.yml::build -> scripts/build.sh
            depends_on .gitlab-ci.yml::test:unit -> .gitlab-ci.yml::build
            depends_on .gitlab-ci.yml::test:unit -> image::redis
            depends_on .gitlab/ci/deploy.yml::production -> .gitlab-ci.yml::.base
            depends_on .gitlab/ci/deploy.yml::production -> .gitlab-ci.yml::build
            depends_on .gitlab/ci/deploy.yml::production -> scripts/deploy.sh
            deployed_by environment::production -> .gitlab/ci/deploy.yml::production
            deployed_by image::registry.example.com/acme/web -> .gitlab-ci.yml::build
        "#]],
    );
}

#[test]
fn kubernetes_objects_depend_on_one_another_and_set_variables() {
    check(
        include_str!("configuration/kubernetes.fixture"),
        &[DependsOn, DefinedBy, DeployedBy, ReadsEnv, Contains],
        expect![[r#"
            contains k8s/orders.yaml::ConfigMap/orders -> k8s/orders.yaml::ConfigMap/orders.DATABASE_URL
            contains k8s/orders.yaml::ConfigMap/orders -> k8s/orders.yaml::ConfigMap/orders.app.properties
            contains k8s/orders.yaml::Secret/orders-keys -> k8s/orders.yaml::Secret/orders-keys.API_KEY
            contains k8s/orders.yaml::Secret/orders-keys -> k8s/orders.yaml::Secret/orders-keys.password
            defined_by env::API_KEY -> .env
            defined_by env::API_KEY -> k8s/orders.yaml::Secret/orders-keys.API_KEY
            defined_by env::DATABASE_URL -> k8s/orders.yaml::ConfigMap/orders.DATABASE_URL
            defined_by env::LOG_LEVEL -> .env
            defined_by env::LOG_LEVEL -> k8s/orders.yaml::Deployment/orders
            defined_by env::QUEUE_NAME -> chart/templates/worker.yaml::Deployment
            defined_by env::TOKEN -> k8s/orders.yaml::Deployment/orders
            defined_by env::WORKER_COUNT -> chart/templates/worker.yaml::Deployment
            depends_on compose.yaml::orders -> .env
            depends_on compose.yaml::orders -> image::ghcr.io/acme/orders
            depends_on k8s/ingress.yaml::Ingress/shop -> k8s/ingress.yaml::Service/orders
            depends_on k8s/kustomization.yaml::Kustomization -> base/kustomization.yml
            depends_on k8s/kustomization.yaml::Kustomization -> k8s/ingress.yaml
            depends_on k8s/kustomization.yaml::Kustomization -> k8s/orders.yaml
            depends_on k8s/orders.yaml::Deployment/orders -> image::ghcr.io/acme/migrate
            depends_on k8s/orders.yaml::Deployment/orders -> image::ghcr.io/acme/orders
            depends_on k8s/orders.yaml::Deployment/orders -> k8s/orders.yaml::ConfigMap/orders
            depends_on k8s/orders.yaml::Deployment/orders -> k8s/orders.yaml::Secret/orders-keys
            depends_on k8s/orders.yaml::HorizontalPodAutoscaler/orders -> k8s/orders.yaml::Deployment/orders
            reads_env src/app.ts::a -> env::API_KEY
            reads_env src/app.ts::a -> env::LOG_LEVEL
            reads_env src/app.ts::a -> env::QUEUE_NAME
        "#]],
    );
}

#[test]
fn an_api_description_defines_the_endpoints_that_servers_handle_and_clients_call() {
    check(
        include_str!("configuration/openapi.fixture"),
        &[DefinedBy, HandlesRoute, ConsumesEndpoint, References, TypeHintOf],
        expect![[r#"
            consumes_endpoint web/client.ts::load -> route::ANY /v1/orders/{} (ast_inferred 0.42)
            consumes_endpoint web/client.ts::load -> route::GET /v1/orders/{}
            consumes_endpoint web/client.ts::user -> route::ANY /users/{} (ast_inferred 0.42)
            consumes_endpoint web/client.ts::user -> route::GET /users/{}
            defined_by route::ANY /users/{} -> legacy/swagger.json::getUser (ast_inferred 0.42)
            defined_by route::ANY /v1/orders -> api/openapi.yaml::POST /orders (ast_inferred 0.42)
            defined_by route::ANY /v1/orders/{} -> api/openapi.yaml::showOrder (ast_inferred 0.42)
            defined_by route::GET /orders/{} -> api/openapi.yaml::showOrder (ast_inferred 0.42)
            defined_by route::GET /users/{} -> legacy/swagger.json::getUser
            defined_by route::GET /v1/orders/{} -> api/openapi.yaml::showOrder
            defined_by route::POST /orders -> api/openapi.yaml::POST /orders (ast_inferred 0.42)
            defined_by route::POST /v1/orders -> api/openapi.yaml::POST /orders
            handles_route route::GET /v1/orders/{} -> server/main.go::ShowOrder
            references api/openapi.yaml::BigOrder -> api/openapi.yaml::Order
            references api/openapi.yaml::Order.customer -> api/common.yaml::Customer
            references api/openapi.yaml::POST /orders -> api/openapi.yaml::Order
            references api/openapi.yaml::showOrder -> api/openapi.yaml::Order
            references legacy/swagger.json::getUser -> legacy/swagger.json::User
            references server/main.go::Routes -> server/main.go::ShowOrder
            type_hint_of server/main.go::ShowOrder -> external::net/http.Request
            type_hint_of server/main.go::ShowOrder -> external::net/http.ResponseWriter
        "#]],
    );
}

#[test]
fn symbols_of_configuration_have_names_and_short_signatures() {
    let mut lines = String::new();
    for fixture in [
        include_str!("configuration/github.fixture"),
        include_str!("configuration/gitlab.fixture"),
        include_str!("configuration/kubernetes.fixture"),
        include_str!("configuration/openapi.fixture"),
    ] {
        let extensions = [".yml", ".yaml", ".json", ".env"];
        for (path, text) in parse_fixture(fixture) {
            let is_configuration = extensions.iter().any(|extension| path.ends_with(extension));
            let facts = extract_facts(&path, &text).filter(|_| is_configuration);
            for symbol in facts.iter().flat_map(|facts| &facts.symbols) {
                let kind = symbol.kind.as_str();
                let name = symbol.qualified_name();
                writeln!(lines, "{path}: {kind} {name} `{}`", symbol.signature).unwrap();
            }
        }
    }
    expect![[r#"
        .github/workflows/deploy.yml: module test `test`
        .github/workflows/deploy.yml: module publish `publish`
        .github/workflows/deploy.yml: module deploy `"deploy"`
        .github/workflows/deploy.yml: module preview `preview`
        .github/workflows/release.yml: module release `release`
        .gitlab-ci.yml: module .base `.base`
        .gitlab-ci.yml: module build `build`
        .gitlab-ci.yml: module test:unit `test:unit`
        .gitlab/ci/deploy.yml: module production `production`
        .gitlab/ci/deploy.yml: module stop `stop`
        .gitlab/ci/deploy.yml: module review `review`
        base/kustomization.yml: module Kustomization `apiVersion: kustomize.config.k8s.io/v1beta1 kind: Kustomization`
        chart/templates/worker.yaml: module Deployment `apiVersion: apps/v1 kind: Deployment`
        compose.yaml: module orders `orders`
        k8s/ingress.yaml: module Ingress/shop `apiVersion: networking.k8s.io/v1 kind: Ingress metadata: name: shop`
        k8s/ingress.yaml: module Service/orders `apiVersion: v1 kind: Service metadata: name: orders`
        k8s/kustomization.yaml: module Kustomization `apiVersion: kustomize.config.k8s.io/v1beta1 kind: Kustomization`
        k8s/orders.yaml: module ConfigMap/orders `apiVersion: v1 kind: ConfigMap metadata: name: orders`
        k8s/orders.yaml: field ConfigMap/orders.DATABASE_URL `DATABASE_URL`
        k8s/orders.yaml: field ConfigMap/orders.app.properties `app.properties`
        k8s/orders.yaml: module Secret/orders-keys `apiVersion: v1 kind: Secret metadata: {name: orders-keys}`
        k8s/orders.yaml: field Secret/orders-keys.API_KEY `API_KEY`
        k8s/orders.yaml: field Secret/orders-keys.password `password`
        k8s/orders.yaml: module Deployment/orders `apiVersion: apps/v1 kind: Deployment metadata: labels: {app: orders} name: orders`
        k8s/orders.yaml: module HorizontalPodAutoscaler/orders `apiVersion: autoscaling/v2 kind: HorizontalPodAutoscaler metadata: name: orders`
        api/common.yaml: struct Customer `Customer`
        api/common.yaml: field Customer.email `email`
        api/openapi.yaml: interface showOrder `get: operationId: showOrder`
        api/openapi.yaml: interface POST /orders `post`
        api/openapi.yaml: struct Order `Order`
        api/openapi.yaml: field Order.id `id`
        api/openapi.yaml: field Order.customer `customer`
        api/openapi.yaml: struct BigOrder `BigOrder`
        api/openapi.yaml: field BigOrder.weight `weight`
        legacy/swagger.json: interface getUser `"get": { "operationId": "getUser"`
        legacy/swagger.json: struct User `"acme.v1.User"`
        legacy/swagger.json: field User.name `"name"`
    "#]].assert_eq(&lines);
}
