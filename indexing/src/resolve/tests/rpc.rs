//! RPC services, served and called through generated code.

use super::incremental::apply_edit;
use super::{check, format_edges, parse_fixture, resolve_workspace};
use expect_test::expect;
use kenning_graph::EdgeKind::{self, ConsumesRpc, ImplementsRpc};

#[test]
fn servers_and_clients_share_the_node_of_the_service() {
    check(
        r#"//- go.mod
        module m
        //- server.go
        package main
        import ("google.golang.org/grpc"; pb "m/helloworld")
        type server struct { pb.UnimplementedGreeterServer }
        func main() { pb.RegisterGreeterServer(grpc.NewServer(), &server{}) }
        //- client/client.go
        package client
        import ("google.golang.org/grpc"; pb "m/helloworld")
        func Greet(conn *grpc.ClientConn) { c := pb.NewGreeterClient(conn); c.SayHello(nil) }
        //- plain/plain.go
        package plain
        import "m/http"
        func Make() { http.NewOtherClient() }
        //- server.py
        import helloworld_pb2_grpc
        class Greeter(helloworld_pb2_grpc.GreeterServicer):
            def SayHello(self, request, context): pass
        //- client.py
        from helloworld_pb2_grpc import GreeterStub
        def greet(channel): GreeterStub(channel).SayHello(1)
        //- plain.py
        class MailStub: pass
        def mail(): MailStub()
        //- client.ts
        import { GreeterClient } from './helloworld_grpc_pb';
        export function greet() { return new GreeterClient('localhost'); }
        //- src/lib.rs
        use hello_world::greeter_server::{Greeter, GreeterServer};
        use hello_world::greeter_client::GreeterClient;
        pub mod hello_world { tonic::include_proto!("helloworld"); }
        pub struct MyGreeter;
        impl Greeter for MyGreeter {}
        pub async fn greet() { GreeterClient::connect("http://localhost").await; }
        //- Server.java
        import io.grpc.examples.GreeterGrpc;
        class GreeterImpl extends GreeterGrpc.GreeterImplBase {}
        //- Client.java
        import io.grpc.examples.GreeterGrpc;
        class Client { void greet(Channel c) { GreeterGrpc.newBlockingStub(c).sayHello(null); } }
        //- Server.cs
        using Grpc.Core;
        class GreeterService : Greeter.GreeterBase {
            public override Task<Reply> SayHello(Request r, ServerCallContext c) { return null; }
        }
        //- Client.cs
        using Grpc.Net.Client;
        class Client { void Greet(GrpcChannel c) { var g = new Greeter.GreeterClient(c); } }
        //- server.rb
        require 'grpc'
        require 'helloworld_services_pb'
        class GreeterServer < Helloworld::Greeter::Service
        end
        def greet
          Helloworld::Greeter::Stub.new('localhost')
        end"#,
        &[ImplementsRpc, ConsumesRpc],
        expect![[r#"
            consumes_rpc Client.cs::Client.Greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc Client.java::Client.greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc client.py::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc client.ts::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc client/client.go::Greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc server.rb::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc src/lib.rs::greet -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc Server.cs::GreeterService -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc Server.java::GreeterImpl -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc server.go::server -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc server.py::Greeter -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc server.rb::GreeterServer -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc src/lib.rs::MyGreeter -> route::RPC Greeter (ast_inferred 0.70)
        "#]],
    );
}

#[test]
fn other_generated_names_are_not_services() {
    check(
        r#"//- go.mod
        module m
        //- store.go
        package main
        import (
            "github.com/aws/aws-sdk-go-v2/service/s3"
            "github.com/redis/go-redis/v9"
            "google.golang.org/grpc/codes"
            "google.golang.org/grpc/status"
            "m/internal/grpc"
            pb "m/gen/hello"
        )
        func NewTestClient() error { return status.Error(codes.Internal, "") }
        func Run(conn *redis.Conn) {
            redis.NewClusterClient(conn)
            s3.NewPresignClient(conn)
            NewTestClient()
            grpc.NewUserClient(conn)
            pb.NewMockGreeterClient(conn)
            pb.NewGreeterJSONClient(conn, nil)
        }
        //- internal/grpc/user.go
        package grpc
        import _ "google.golang.org/grpc"
        func NewUserClient(conn any) {}
        //- plain.py
        import helloworld_pb2_grpc
        class MailStub: pass
        class Web(http.BaseServicer): pass
        def mail(): MailStub()
        //- web.ts
        import { GreeterClient } from './helloworld_grpc_pb';
        import { HttpServer } from './http';
        import { RedisClient } from 'redis';
        import { Api } from './api';
        export class Server extends HttpServer {}
        export function run(box) { box.addService(Api.UserService); return new RedisClient(); }
        //- Cargo.toml
        [package]
        name = "m"
        [dependencies]
        solana_client = "2"
        tonic = "0.12"
        //- src/lib.rs
        use crate::http_server::Handler;
        use crate::user_server::User;
        use crate::user_client::UserClient;
        use solana_client::grpc_client::{self, GrpcClient};
        use solana_client::rpc_client::RpcClient;
        use tonic::Request;
        mod http_server;
        mod user_client;
        mod user_server;
        pub struct Mine;
        impl Handler for Mine {}
        impl User for Mine {}
        pub fn run() { UserClient::new(); RpcClient::new("http://localhost"); grpc(); }
        fn grpc() { GrpcClient::new(1); grpc_client::GrpcClient::connect(1); }
        //- src/http_server.rs
        pub trait Handler {}
        //- src/user_server.rs
        pub trait User {}
        //- src/user_client.rs
        pub struct UserClient;
        impl UserClient { pub fn new() -> Self { UserClient } }
        //- Search.cs
        using Grpc.Core;
        class Own : Search.SearchBase { void Find(string text) {} }
        class Finder { void Find(string key) { var s = new Search.SearchClient(key); } }
        //- Helper.java
        import io.grpc.ManagedChannel;
        class Helper extends Base.HelperImplBase { void run() { Other.newStub(); } }
        //- app.rb
        require 'helloworld_services_pb'
        class Refund < Payments::Service
        end
        //- mail.rb
        require 'grpc'
        class Mail < Letters::Service
        end
        def mail
          Letters::Stub.new
        end
        //- payments.rb
        module Payments
          class Service
          end
        end"#,
        &[ImplementsRpc, ConsumesRpc],
        expect![[r#""#]],
    );
}

#[test]
fn go_clients_are_recognized_by_their_package() {
    check(
        r#"//- go.mod
        module m
        //- near/client.go
        package near
        import "m/api/hello/v1"
        func Greet(conn any) { hello.NewGreeterClient(conn) }
        //- far/client.go
        package far
        import (
            health "google.golang.org/grpc/health/grpc_health_v1"
            "cloud.example/apis/vaults"
            locksv1 "cloud.example/gen/locks/v1"
            mailpb "cloud.example/mail/v1"
        )
        func Health(conn any) { health.NewHealthClient(conn) }
        func Lock(conn any) { locksv1.NewLockClient(conn) }
        func Mail(conn any) { mailpb.NewMailClient(conn) }
        func Vault(conn any) { vaults.NewVaultClient(conn) }
        //- api/hello/v1/hello_grpc.pb.go
        package hello
        type GreeterClient interface{}
        func NewGreeterClient(conn any) GreeterClient { return nil }
        type UnimplementedGreeterServer struct{}
        //- api/hello/v1/server.go
        package hello
        type server struct{ UnimplementedGreeterServer }
        func self(conn any) { NewGreeterClient(conn) }"#,
        &[ImplementsRpc, ConsumesRpc],
        expect![[r#"
            consumes_rpc api/hello/v1/server.go::self -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc far/client.go::Health -> route::RPC Health (ast_inferred 0.70)
            consumes_rpc far/client.go::Lock -> route::RPC Lock (ast_inferred 0.70)
            consumes_rpc far/client.go::Mail -> route::RPC Mail (ast_inferred 0.70)
            consumes_rpc near/client.go::Greet -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc api/hello/v1/server.go::server -> route::RPC Greeter (ast_inferred 0.70)
        "#]],
    );
}

#[test]
fn rust_services_are_recognized_by_their_modules() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "m"
        [dependencies]
        api = "1"
        opentelemetry-proto = "0.27"
        //- src/lib.rs
        use hello_world::greeter_client::GreeterClient;
        use opentelemetry_proto::tonic::collector::trace_service_client::TraceServiceClient;
        use api::audit_server::Audit;
        pub mod hello_world { tonic::include_proto!("helloworld"); }
        mod pb;
        mod routes;
        struct Log;
        impl Audit for Log {}
        pub async fn greet() { GreeterClient::connect("http://localhost").await; }
        pub fn whole(channel: Channel) { hello_world::greeter_client::GreeterClient::new(channel); }
        pub fn trace(channel: Channel) { TraceServiceClient::with_origin(channel, origin()); }
        //- src/pb.rs
        pub mod route_guide_server {
            pub trait RouteGuide {}
        }
        pub mod route_guide_client {
            pub struct RouteGuideClient;
            impl RouteGuideClient { pub fn new(inner: u8) -> Self { RouteGuideClient } }
        }
        //- src/routes.rs
        use crate::pb::route_guide_client::RouteGuideClient;
        use crate::pb::route_guide_server::RouteGuide;
        struct Guide;
        impl RouteGuide for Guide {}
        fn guide() { RouteGuideClient::new(1); }"#,
        &[ImplementsRpc, ConsumesRpc],
        expect![[r#"
            consumes_rpc src/lib.rs::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc src/lib.rs::trace -> route::RPC TraceService (ast_inferred 0.70)
            consumes_rpc src/lib.rs::whole -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc src/routes.rs::guide -> route::RPC RouteGuide (ast_inferred 0.70)
            implements_rpc src/lib.rs::Log -> route::RPC Audit (ast_inferred 0.70)
            implements_rpc src/routes.rs::Guide -> route::RPC RouteGuide (ast_inferred 0.70)
        "#]],
    );
}

#[test]
fn scripts_serve_the_services_they_pass_to_a_server() {
    check(
        r#"//- static.js
        const services = require('./gen/helloworld_grpc_pb.js');
        function main(server) { server.addService(services.GreeterService, { sayHello }); }
        function greet() { return new services.GreeterClient('localhost'); }
        //- dynamic.js
        const grpc = require('@grpc/grpc-js');
        const protoLoader = require('@grpc/proto-loader');
        const hello = grpc.loadPackageDefinition(protoLoader.loadSync('hello.proto')).helloworld;
        function main() {
            const server = new grpc.Server();
            server.addService(hello.Greeter.service, { sayHello: sayHello });
        }
        function greet() { return new hello.Greeter('localhost', grpc.credentials.createInsecure()); }
        //- typed.ts
        import { IGreeterServer, GreeterService } from './gen/helloworld_grpc_pb';
        class Greeter implements IGreeterServer {}
        function main(server: Server) {
            server.addService(
                GreeterService,
                new Greeter(),
            );
        }
        //- web.ts
        import { GreeterPromiseClient } from './gen/helloworld_grpc_web_pb';
        export function greet() { return new GreeterPromiseClient('http://localhost'); }
        //- connect.ts
        import { createClient } from '@connectrpc/connect';
        import { ElizaService } from './gen/eliza_pb.js';
        export function talk(transport) { return createClient(ElizaService, transport); }
        export default (router) => router.service(ElizaService, { async say(req) {} });
        //- other.ts
        import { Say } from './gen/eliza_pb.js';
        import { UserService } from './users';
        export function run(box) {
            box.addService(UserService);
            box.service(make(), Say);
            createClient(UserService);
            return new Say();
        }"#,
        &[ImplementsRpc, ConsumesRpc],
        expect![[r#"
            consumes_rpc connect.ts::talk -> route::RPC ElizaService (ast_inferred 0.70)
            consumes_rpc dynamic.js::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc static.js::greet -> route::RPC Greeter (ast_inferred 0.70)
            consumes_rpc web.ts::greet -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc connect.ts::default -> route::RPC ElizaService (ast_inferred 0.70)
            implements_rpc dynamic.js::main -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc static.js::main -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc typed.ts::Greeter -> route::RPC Greeter (ast_inferred 0.70)
            implements_rpc typed.ts::main -> route::RPC Greeter (ast_inferred 0.70)
        "#]],
    );
}

#[test]
fn edges_follow_the_declaration_of_a_generated_name() {
    let mut files = parse_fixture(
        r#"//- go.mod
        module m
        //- client.go
        package main
        import "m/hello/pb"
        func Greet(conn any) { pb.NewGreeterClient(conn) }
        //- src/lib.rs
        mod pb;
        use pb::user_client::UserClient;
        fn user() { UserClient::new(1); }
        //- src/pb.rs
        tonic::include_proto!("user");
        //- app.rb
        require 'helloworld_services_pb'
        class Refund < Payments::Service
        end"#,
    );
    let mut snapshot = resolve_workspace(&files);
    let go = "consumes_rpc client.go::Greet -> route::RPC Greeter (ast_inferred 0.70)\n";
    let rust = "consumes_rpc src/lib.rs::user -> route::RPC User (ast_inferred 0.70)\n";
    let ruby = "implements_rpc app.rb::Refund -> route::RPC Payments (ast_inferred 0.70)\n";
    let is_rpc = |kind: EdgeKind| matches!(kind, ImplementsRpc | ConsumesRpc);
    let greeter = "package pb\nfunc NewGreeterClient(conn any) int { return 1 }\n";
    let payments = "module Payments\n  class Service\n  end\nend\n";
    for (path, text, expected) in [
        ("other.go", Some("package main\n"), [go, rust, ruby].concat()),
        ("hello/pb/hand.go", Some(greeter), [rust, ruby].concat()),
        ("hello/pb/hand.go", None, [go, rust, ruby].concat()),
        ("hello/pb/made.pb.go", Some(greeter), [go, rust, ruby].concat()),
        ("src/pb/user_client.rs", Some("pub struct UserClient;\n"), [go, ruby].concat()),
        ("src/pb.rs", Some("pub mod user_client { pub struct UserClient; }\n"), [go, rust, ruby].concat()),
        ("payments.rb", Some(payments), [go, rust].concat()),
        ("payments.rb", None, [go, rust, ruby].concat()),
        ("payments_services_pb.rb", Some(payments), [go, rust, ruby].concat()),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text);
        assert_eq!(format_edges(&snapshot, is_rpc), expected, "{path}");
        assert_eq!(
            format_edges(&snapshot, |_| true),
            format_edges(&resolve_workspace(&files), |_| true),
            "{path}"
        );
    }
}
