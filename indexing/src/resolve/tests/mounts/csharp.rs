//! C# routers that another file mounts.

use super::super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn extension_methods_mount_routes_on_their_receiver() {
    check(
        r##"
        //- Program.cs
        using Microsoft.AspNetCore.Builder;
        using Shop.Orders;

        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddOrders();
        var app = builder.Build();
        app.UseRouting();
        app.MapGroup("/api").RequireAuthorization().MapOrders();
        app.MapTags();
        app.MapGet("/health", () => "ok");
        app.Run();
        //- Orders.cs
        using Microsoft.AspNetCore.Routing;
        namespace Shop.Orders;

        public static class OrderEndpoints
        {
            public static IEndpointRouteBuilder MapOrders(this IEndpointRouteBuilder routes)
            {
                var group = routes.MapGroup("Orders");
                group.MapGet("/", List);
                group.MapOrder();
                return routes;
            }

            public static void MapTags(this WebApplication app) => app.MapGet("/tags", List);

            static void List() {}
        }
        //- Order.cs
        using Microsoft.AspNetCore.Routing;
        namespace Shop.Orders;

        public static class OrderEndpoint
        {
            internal static void MapOrder(this RouteGroupBuilder group)
            {
                group.MapGet("/{id:int}", Show);
                group.MapDelete("/{id:int}", (int id) => 1);
            }

            internal static void MapLost(this IEndpointRouteBuilder endpoints) => endpoints.MapPut("/lost", Show);

            static void Show(int id) {}
        }

        public class Module : ICarterModule
        {
            public void AddRoutes(IEndpointRouteBuilder app) => app.MapPatch("/module", () => 1);
        }
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::DELETE /api/Orders/{} -> Order.cs::OrderEndpoint.MapOrder
            handles_route route::DELETE /api/orders/{} -> Order.cs::OrderEndpoint.MapOrder
            handles_route route::GET /api/Orders -> Orders.cs::OrderEndpoints.List
            handles_route route::GET /api/Orders/{} -> Order.cs::OrderEndpoint.Show
            handles_route route::GET /api/orders -> Orders.cs::OrderEndpoints.List
            handles_route route::GET /api/orders/{} -> Order.cs::OrderEndpoint.Show
            handles_route route::GET /health -> Program.cs
            handles_route route::GET /tags -> Orders.cs::OrderEndpoints.List
            handles_route route::PATCH /module -> Order.cs::Module.AddRoutes
            handles_route route::PUT /lost -> Order.cs::OrderEndpoint.Show (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn extension_methods_with_the_same_name_are_distinguished_by_namespace() {
    check(
        r##"
        //- catalog/Program.cs
        using Catalog.Api;
        var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        app.MapGroup("/api/catalog").MapEndpoints();
        var versioned = app.NewVersionedApi("Catalog");
        versioned.MapVersioned();
        //- catalog/Endpoints.cs
        namespace Catalog.Api;
        public static class Endpoints
        {
            public static void MapEndpoints(this RouteGroupBuilder group) => group.MapGet("/Items", () => 1);
            public static void MapVersioned(this IEndpointRouteBuilder app) => app.MapGet("/versioned", () => 1);
        }
        //- orders/Program.cs
        using Orders.Api;
        var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        app.MapGroup("/api/orders").MapEndpoints();
        //- orders/Endpoints.cs
        namespace Orders.Api;
        public static class Endpoints
        {
            public static void MapEndpoints(this RouteGroupBuilder group) => group.MapGet("/open", () => 1);
        }
        //- other/Program.cs
        var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        app.MapGroup("/api/other").MapEndpoints();
        "##,
        &[HandlesRoute],
        expect![[r#"
            handles_route route::GET /api/catalog/Items -> catalog/Endpoints.cs::Endpoints.MapEndpoints
            handles_route route::GET /api/catalog/items -> catalog/Endpoints.cs::Endpoints.MapEndpoints
            handles_route route::GET /api/orders/open -> orders/Endpoints.cs::Endpoints.MapEndpoints
            handles_route route::GET /versioned -> catalog/Endpoints.cs::Endpoints.MapVersioned
        "#]],
    );
}
