//! TypeScript and JavaScript: the value of `this` in the methods of objects.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::{AccessesField, Calls, References};

#[test]
fn this_in_a_nested_object_is_the_inner_object() {
    check(
        "//- sample.js
        const tool = { inner: { run() { return this.stop(); }, stop() {} }, go() { this.run(); } };
        //- constant.js
        const tool = { inner: { run() { return this.stop(); }, stop() {} }, go() { this.stop(); }, stop() {} };
        //- variable.js
        let tool = { inner: { run() { return this.stop(); }, stop() {} } };
        //- exported.js
        module.exports = { inner: { run() { return this.stop(); }, stop() {} }, limit: 3 };
        //- accessor.js
        const tool = { get size() { return this.limit; }, limit: 3 };
        //- frozen.ts
        export const tool = Object.freeze({ inner: { run() { return this.stop(); }, stop() {} } });",
        &[Calls, AccessesField],
        expect![[r#"
            accesses_field accessor.js::tool.size -> accessor.js::tool.limit
            calls constant.js::tool.go -> constant.js::tool.stop
            calls constant.js::tool.inner.run -> constant.js::tool.inner.stop
            calls exported.js::exports.inner.run -> exported.js::exports.inner.stop
            calls frozen.ts::tool.inner.run -> frozen.ts::tool.inner.stop
            calls sample.js::tool.inner.run -> sample.js::tool.inner.stop
            calls variable.js::tool.run -> variable.js::tool.stop
            resolved 6 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn members_of_joined_objects_are_likely_targets() {
    check(
        "//- Cart.js
        export default {
          limits: { top: 3 },
          computed: { total() { return this.base() + this.limits; }, base() { return 1; } },
          methods: { save() { this.missing(); }, load() { this.save(); return this.total; } },
          mounted() { this.load(); }
        };
        //- mixin.js
        export const mixin = { methods: { open() { this.shut(); }, shut() {} }, created() { this.open(); } };
        //- several.js
        const both = { methods: { run() {} }, computed: { run() {} }, other: { run() {} }, go() { this.run(); } };
        //- other.js
        import { mixin } from './mixin';
        function use() { mixin.open(); mixin.methods.open(); }",
        &[Calls, AccessesField],
        expect![[r#"
            accesses_field Cart.js::default.computed.total -> Cart.js::default.limits (ast_inferred 0.70)
            accesses_field other.js::use -> mixin.js::mixin.methods
            calls Cart.js::default.computed.total -> Cart.js::default.computed.base
            calls Cart.js::default.methods.load -> Cart.js::default.methods.save
            calls Cart.js::default.mounted -> Cart.js::default.methods.load (ast_inferred 0.70)
            calls mixin.js::mixin.created -> mixin.js::mixin.methods.open (ast_inferred 0.70)
            calls mixin.js::mixin.methods.open -> mixin.js::mixin.methods.shut
            calls other.js::use -> mixin.js::mixin.methods.open
            calls several.js::both.go -> several.js::both.computed.run (ast_inferred 0.42)
            calls several.js::both.go -> several.js::both.methods.run (ast_inferred 0.42)
            resolved 6 ambiguous 1 external 0 unresolved 2
        "#]],
    );
}

#[test]
fn only_objects_that_a_framework_joins_are_searched() {
    check(
        "//- Search.js
        export default {
          props: ['page'],
          data() { return { query: '', open: false }; },
          computed: { items() { return search(this.query, this.page); } },
          watch: {
            query() { this.reset(); },
            page: function (n) { this.load(n); },
            open(v) { if (v) this.load(1); },
            async $route(to) { await this.load(this.page); }
          },
          methods: {
            toggle() { this.open = !this.open; },
            reset() { this.query = ''; this.page = 1; return this.items; },
            load(n) { return this.$route.query; }
          }
        };
        function search() {}
        //- list.js
        const list = { watch: { open() { this.shut(); }, shut() {} } };
        const watch = { open() { this.shut(); }, shut() {} };
        //- cart.js
        export const cart = { getters: { total() { return 1; } }, actions: { pay() { return this.total(); } } };
        //- cfg.js
        const cfg = { server: { start() { return this.port(); } }, client: { port() {} }, stop() { this.start(); } };",
        &[Calls, AccessesField, References],
        expect![[r#"
            calls Search.js::default.computed.items -> Search.js::search
            calls Search.js::default.watch.$route -> Search.js::default.methods.load (ast_inferred 0.70)
            calls Search.js::default.watch.open -> Search.js::default.methods.load (ast_inferred 0.70)
            calls Search.js::default.watch.page -> Search.js::default.methods.load (ast_inferred 0.70)
            calls Search.js::default.watch.query -> Search.js::default.methods.reset (ast_inferred 0.70)
            calls cart.js::cart.actions.pay -> cart.js::cart.getters.total (ast_inferred 0.70)
            calls list.js::watch.open -> list.js::watch.shut
            references Search.js::default.methods.reset -> Search.js::default.computed.items (ast_inferred 0.70)
            resolved 7 ambiguous 0 external 0 unresolved 3
        "#]],
    );
}

#[test]
fn an_object_in_a_class_takes_precedence_over_the_class() {
    check(
        "//- a.ts
        class Cart {
          handlers = {
            click: () => { this.click(); },
            'later': async (x) => { this.save(); },
            drop: function () { this.open(); },
            async open() { this.save(); },
          };
          save() {}
          open() {}
          click() {}
        }",
        &[Calls],
        expect![[r#"
            calls a.ts::Cart.handlers.click -> a.ts::Cart.click
            calls a.ts::Cart.handlers.drop -> a.ts::Cart.handlers.open
            calls a.ts::Cart.handlers.later -> a.ts::Cart.save
            calls a.ts::Cart.handlers.open -> a.ts::Cart.save (ast_inferred 0.70)
            resolved 4 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn members_of_objects_are_not_visible_as_plain_names() {
    check(
        "//- a.js
        import './other.js';
        const tool = { stop() {}, limit: make(), go() { stop(); limit(); } };
        const wrapped = wrap(() => { function inner() {} inner(); });
        function Old() { run(); }
        Old.run = function () { run(); };",
        &[Calls],
        expect![[r#"
            calls a.js::wrapped -> a.js::wrapped.inner
            resolved 1 ambiguous 0 external 0 unresolved 6
        "#]],
    );
}
