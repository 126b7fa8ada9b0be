//! GraphQL: the root fields of a schema, and the operations that select them.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn operations_in_all_languages_lead_to_the_fields_of_the_schema() {
    check(
        r##"//- schema/schema.graphql
        type Query { user(id: ID!): User }
        type User implements Node { id: ID! orders: [Order!]! }
        interface Node { id: ID! }
        //- schema/orders.graphqls
        type Order { id: ID! owner: User status: Status }
        enum Status { OPEN }
        extend type Query { orders(status: Status): [Order] }
        type Mutation { addOrder(id: ID!): Order }
        //- web/user.graphql
        query User { user(id: 1) { ...Parts } }
        fragment Parts on User { id }
        //- web/orders.ts
        const ORDERS = gql`
          query Orders($status: Status) {
            all: orders(status: $status) { id ${FIELDS} }
          }
        `;
        export function load(client: any) { return client.query("query the orders of a user {x}"); }
        //- jobs/add.py
        def add(client):
            return client.execute("""
                mutation Add($id: ID!) { addOrder(id: $id) { id } }
            """)
        //- tool/main.go
        package main

        func run(client Client) {
            client.Query(`query { user(id: 1) { id } missing }`)
        }
        "##,
        &[DependsOn, DefinedBy, Implements, Calls, References],
        expect![[r#"
            calls web/user.graphql::User -> web/user.graphql::Parts
            defined_by graphql::Mutation.addOrder -> schema/orders.graphqls::Mutation.addOrder
            defined_by graphql::Query.orders -> schema/orders.graphqls::Query.orders
            defined_by graphql::Query.user -> schema/schema.graphql::Query.user
            depends_on jobs/add.py::add -> graphql::Mutation.addOrder
            depends_on tool/main.go::run -> graphql::Query.missing
            depends_on tool/main.go::run -> graphql::Query.user
            depends_on web/orders.ts::ORDERS -> graphql::Query.orders
            depends_on web/user.graphql::User -> graphql::Query.user
            implements schema/schema.graphql::User -> schema/schema.graphql::Node
            references schema/orders.graphqls::Mutation.addOrder -> schema/orders.graphqls::Order
            references schema/orders.graphqls::Order.owner -> schema/schema.graphql::User
            references schema/orders.graphqls::Order.status -> schema/orders.graphqls::Status
            references schema/orders.graphqls::Query.orders -> schema/orders.graphqls::Order
            references schema/orders.graphqls::Query.orders -> schema/orders.graphqls::Status
            references schema/schema.graphql::Query.user -> schema/schema.graphql::User
            references schema/schema.graphql::User.orders -> schema/orders.graphqls::Order
            resolved 1 ambiguous 0 external 3 unresolved 1
        "#]],
    );
}

#[test]
fn resolvers_define_the_fields_that_operations_select() {
    check(
        r##"//- graph/schema.resolvers.go
        package graph

        func (r *queryResolver) UserByID(ctx context.Context, id string) (*User, error) { return nil, nil }
        func (r *Resolver) Query() QueryResolver { return nil }

        type queryResolver struct{ *Resolver }
        //- web/schema.py
        import strawberry

        @strawberry.type
        class Query:
            @strawberry.field
            def open_orders(self) -> list[int]:
                return self.helper()

            def helper(self):
                return []
        //- old/schema.py
        from graphene import ObjectType, String

        class Query(ObjectType):
            hello = String()

            def resolve_hello(self, info):
                return "a"
        //- other/schema.py
        class Query:
            def resolve_hello(self): ...
        "##,
        &[DefinedBy],
        expect![[r#"
            defined_by graphql::Query.hello -> old/schema.py::Query.resolve_hello
            defined_by graphql::Query.openOrders -> web/schema.py::Query.open_orders
            defined_by graphql::Query.userByID -> graph/schema.resolvers.go::queryResolver.UserByID
        "#]],
    );
}

#[test]
fn the_nearest_of_several_schemas_defines_a_type() {
    check(
        r##"//- a/schema/user.graphql
        type User { id: ID! }
        //- a/schema/order.graphql
        type Order { owner: User }
        //- b/user.graphql
        type User { name: String }
        //- b/admin.graphql
        type Admin implements User { order: Order }
        "##,
        &[References, Implements],
        expect![[r#"
            implements b/admin.graphql::Admin -> b/user.graphql::User
            references a/schema/order.graphql::Order.owner -> a/schema/user.graphql::User
            references b/admin.graphql::Admin.order -> a/schema/order.graphql::Order
        "#]],
    );
}
