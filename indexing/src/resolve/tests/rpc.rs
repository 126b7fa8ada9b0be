//! RPC services, served and called through what generators write.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::{ConsumesRpc, ImplementsRpc};

#[test]
fn servers_and_clients_meet_at_the_service() {
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
        use tonic::Request;
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
        class GreeterService : Greeter.GreeterBase {}
        //- Client.cs
        using Grpc.Net.Client;
        class Client { void Greet(GrpcChannel c) { var g = new Greeter.GreeterClient(c); } }
        //- server.rb
        require 'grpc'
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
            implements_rpc Server.cs::GreeterService -> route::RPC Greeter
            implements_rpc Server.java::GreeterImpl -> route::RPC Greeter
            implements_rpc server.go::server -> route::RPC Greeter
            implements_rpc server.py::Greeter -> route::RPC Greeter
            implements_rpc server.rb::GreeterServer -> route::RPC Greeter
            implements_rpc src/lib.rs::MyGreeter -> route::RPC Greeter
        "#]],
    );
}
