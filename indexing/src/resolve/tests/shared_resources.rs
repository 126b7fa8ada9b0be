//! Tables, columns and RPC services that code of several languages shares, and their schemas.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn statements_in_all_languages_refer_to_the_tables_of_the_schema() {
    check(
        include_str!("shared_tables.fixture"),
        &[DependsOn, DefinedBy, References, TypeHintOf],
        expect![[r#"
            defined_by table::orders -> migrations/1.sql::orders
            defined_by table::orders.id -> migrations/1.sql::orders.id
            defined_by table::orders.user_id -> migrations/1.sql::orders.user_id
            defined_by table::users -> migrations/1.sql::users
            defined_by table::users.created_at -> migrations/2.sql::users.created_at
            defined_by table::users.email -> migrations/1.sql::users.email
            defined_by table::users.id -> migrations/1.sql::users.id
            depends_on app/Order.java::Order -> table::orders
            depends_on app/Order.java::Order.userId -> table::orders.user_id
            depends_on app/models.py::User -> table::users
            depends_on app/models.py::User.createdAt -> table::users.created_at
            depends_on app/models.py::User.email -> table::users.email
            depends_on jobs/purge.py::purge -> table::orders
            depends_on jobs/purge.py::purge -> table::orders.id
            depends_on store/store.go::Find -> table::users
            depends_on store/store.go::Find -> table::users.email
            depends_on store/store.go::Find -> table::users.id
            depends_on web/report.ts::report -> table::orders
            depends_on web/report.ts::report -> table::orders.id
            depends_on web/report.ts::report -> table::orders.user_id
            depends_on web/report.ts::report -> table::users
            depends_on web/report.ts::report -> table::users.email
            depends_on web/report.ts::report -> table::users.id
            references migrations/1.sql::orders.user_id -> migrations/1.sql::users
            references migrations/2.sql -> migrations/1.sql::users
        "#]],
    );
}

#[test]
fn a_schema_defines_the_services_that_servers_implement_and_clients_call() {
    check(
        "//- proto/shop/carts.proto
        syntax = \"proto3\";
        package shop.v1;
        import \"shop/items.proto\";
        service Carts { rpc Add(AddRequest) returns (Item); }
        message AddRequest { Item item = 1; }
        //- proto/shop/items.proto
        syntax = \"proto3\";
        package shop.v1;
        message Item { string name = 1; }
        //- server/server.go
        package server
        import pb \"example.com/gen/shoppb\"
        type Server struct { pb.UnimplementedCartsServer }
        //- client/client.py
        from gen import carts_pb2_grpc
        def add(channel):
            return carts_pb2_grpc.CartsStub(channel)",
        &[ImplementsRpc, ConsumesRpc, DefinedBy, References, TypeHintOf, Imports],
        expect![[r#"
            consumes_rpc client/client.py::add -> route::RPC Carts (ast_inferred 0.70)
            defined_by route::RPC Carts -> proto/shop/carts.proto::Carts
            implements_rpc server/server.go::Server -> route::RPC Carts (ast_inferred 0.70)
            imports client/client.py -> external::gen.carts_pb2_grpc
            imports proto/shop/carts.proto -> proto/shop/items.proto
            imports server/server.go -> external::example.com/gen/shoppb
            references proto/shop/carts.proto::AddRequest.item -> proto/shop/items.proto::Item
            type_hint_of proto/shop/carts.proto::Carts.Add -> proto/shop/carts.proto::AddRequest
            type_hint_of proto/shop/carts.proto::Carts.Add -> proto/shop/items.proto::Item
        "#]],
    );
}

#[test]
fn producers_and_consumers_depend_on_the_same_topic() {
    check(
        "//- orders/publish.py
        from kafka import KafkaProducer
        def publish(producer, order):
            producer.send(\"orders\", order)
            socket.send(\"orders\")
        //- billing/consume.go
        package billing
        import \"github.com/segmentio/kafka-go\"
        func Consume() { r := kafka.NewReader(kafka.ReaderConfig{Topic: \"orders\"}); r.Close() }
        //- web/listen.ts
        import { Kafka } from 'kafkajs';
        export async function listen(consumer: Consumer) { await consumer.subscribe({ topic: 'orders' }); }
        //- web/unrelated.ts
        export function show(book: Book) { book.open({ topic: 'orders' }); }
        //- app/Listener.java
        import org.springframework.kafka.annotation.KafkaListener;
        class Listener {
          @KafkaListener(topics = \"orders\")
          void receive(String order) {}
        }",
        &[DependsOn],
        expect![[r#"
            depends_on app/Listener.java::Listener.receive -> topic::orders
            depends_on billing/consume.go::Consume -> topic::orders
            depends_on orders/publish.py::publish -> topic::orders
            depends_on web/listen.ts::listen -> topic::orders
        "#]],
    );
}

#[test]
fn configurations_set_the_variables_that_code_reads() {
    check(
        "//- docker-compose.yml
        services:
          web:
            build: ./web
            depends_on:
              - db
              - queue
            environment:
              DATABASE_URL: postgres://db
          worker:
            depends_on: [db]
            environment:
              - QUEUE_NAME=orders
          db:
            image: postgres
        //- web/Dockerfile
        FROM node:20 AS build
        ENV NODE_ENV=production
        FROM build AS final
        //- web/app.ts
        export function url() { return process.env.DATABASE_URL; }
        //- worker/run.py
        import os
        def queue():
            return os.environ[\"QUEUE_NAME\"]
        //- infra/main.tf
        variable \"region\" { type = string }
        resource \"aws_sqs_queue\" \"orders\" { name = var.region }
        resource \"aws_lambda_function\" \"worker\" { queue = aws_sqs_queue.orders.arn }
        module \"net\" { source = \"./net\" }
        output \"net\" { value = module.net.id }",
        &[DependsOn, DefinedBy, ReadsEnv, Contains],
        expect![[r#"
            defined_by env::DATABASE_URL -> docker-compose.yml::web
            defined_by env::NODE_ENV -> web/Dockerfile
            defined_by env::QUEUE_NAME -> docker-compose.yml::worker
            depends_on docker-compose.yml::db -> image::postgres
            depends_on docker-compose.yml::web -> docker-compose.yml::db
            depends_on docker-compose.yml::web -> web/Dockerfile
            depends_on docker-compose.yml::worker -> docker-compose.yml::db
            depends_on infra/main.tf::net -> infra/main.tf::net (ast_inferred 0.42)
            depends_on infra/main.tf::orders -> infra/main.tf::region
            depends_on infra/main.tf::worker -> infra/main.tf::orders
            depends_on web/Dockerfile::build -> image::node
            depends_on web/Dockerfile::final -> web/Dockerfile::build
            reads_env web/app.ts::url -> env::DATABASE_URL
            reads_env worker/run.py::queue -> env::QUEUE_NAME
        "#]],
    );
}
